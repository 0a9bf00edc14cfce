// A build for pages reads no tables in columns and downloads nothing: their libraries are larger than all else.

//go:build page

package problem

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

func (Source) readParquet(_ context.Context, name string, _ []byte) (*Set, *Reading, error) {
	return nil, nil, noColumns(name)
}

func (Source) readArrow(_ context.Context, name string, _ []byte) (*Set, *Reading, error) {
	return nil, nil, noColumns(name)
}

func (Source) measuredColumnar(_ context.Context, name string, _ *os.File) (Extent, error) {
	return Extent{}, noColumns(name)
}

func noColumns(name string) error {
	return fmt.Errorf("%s: this build of the program, which is for pages, reads no Parquet or Arrow files", name)
}

// offline downloads nothing.
type offline struct{}

var polite offline

func (offline) get(context.Context, string) (io.ReadCloser, error) {
	return nil, errors.New("this build of the program, which is for pages, downloads nothing")
}
