// Rows of tables in columns. Those who write and read them are of another library, which a build for pages leaves out.

package record

// rowWriter writes the rows of a table.
type rowWriter[T any] interface {
	Write(rows []T) (int, error)
	Close() error
}

// rowReader reads them, a part at a time, until io.EOF.
type rowReader[T any] interface {
	Read(rows []T) (int, error)
	Close() error
}
