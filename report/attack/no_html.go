// In a build for pages nobody writes a report, and the library for its HTML is left out.

//go:build page

package attack

import (
	"errors"
	"io"
)

func (p *page) html(io.Writer) error {
	return errors.New("this build of the program, which is for pages, writes no reports")
}
