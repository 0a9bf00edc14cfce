// Pages have no interpreter.

//go:build page

package python

import (
	"errors"
	"io"
)

func launch(string) (io.WriteCloser, io.Reader, func() error, error) {
	return nil, nil, nil, errors.New("a browser runs no Python; take the command, simulate run")
}

func sources() ([]byte, error) { return nil, nil }
