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
// keeps: a row group of each table is held until it is written, and so is what a batch refers to.
func (p *Policy) Footprint(iterates float64, numbers int) (all float64) {
	const table, group = 3e6, 1.25 // of each table; of a row group, with what its pages have spare
	if p.Messages {
		all += table
	}
	if p.Every > 0 || p.Last >= 0 {
		all += table + float64(8*float64(numbers)*(float64(group*min(groupRows, iterates))+min(batchRows, iterates)))
	}
	return all
}

// rowReader reads them, a part at a time, until io.EOF.
type rowReader[T any] interface {
	Read(rows []T) (int, error)
	Close() error
}
