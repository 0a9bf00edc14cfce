// Rows of tables in columns. Those who write and read them are of another library, which a build for pages leaves out.

package record

// rowWriter writes the rows of a table.
type rowWriter[T any] interface {
	Write(rows []T) (int, error)
	Close() error
}

// groupRows are the rows of a row group, but for the last.
const groupRows = 1 << 14

// Footprint is about how many bytes it takes to record so many iterates of so many numbers, and what else the policy
// keeps: a row group of each table is held until it is written, and so are a batch and the pages that are made of it.
func (p *Policy) Footprint(iterates float64, numbers int) (all float64) {
	const (
		table = 3e6  // of each
		group = 1.25 // of a row group, with what its pages have spare
		batch = 4.7  // of a batch, which is held, put in columns and encoded
	)
	if p.Messages {
		all += table
	}
	if p.Every > 0 || p.Last >= 0 {
		last := min(batchRows, iterates)
		all += table + float64(8*float64(numbers)*(float64(group*(min(groupRows, iterates)-last))+float64(batch*last)))
	}
	return all
}

// rowReader reads them, a part at a time, until io.EOF.
type rowReader[T any] interface {
	Read(rows []T) (int, error)
	Close() error
}
