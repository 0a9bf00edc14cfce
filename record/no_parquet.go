// A build for pages has no files: it neither writes the tables of a record nor reads them.

//go:build page

package record

import (
	"errors"
	"io"
	"os"
)

var errNoTables = errors.New("this build of the program, which is for pages, has no Parquet files")

type noRows[T any] struct{}

func (noRows[T]) Write([]T) (int, error) { return 0, errNoTables }

func (noRows[T]) Read([]T) (int, error) { return 0, errNoTables }

func (noRows[T]) Close() error { return nil }

func newRowWriter[T any](io.Writer) rowWriter[T] { return noRows[T]{} }

func newRowReader[T any](io.ReaderAt, int64) (rowReader[T], error) { return nil, errNoTables }

func (l *log[T]) begin(*os.File, int64) error { return errNoTables }

func compareParquet(string, string, string) ([]Difference, error) { return nil, errNoTables }
