// A build for pages writes no tables of sweeps.

//go:build page

package sweep

import (
	"errors"
	"io"
)

type parquetWriter struct{}

func newParquet(io.Writer, []column) *parquetWriter { return new(parquetWriter) }

func (*parquetWriter) write([]cell) error {
	return errors.New("this build of the program, which is for pages, has no Parquet files")
}

func (*parquetWriter) close() error { return nil }
