// The three forms of an evaluation, as files.

package attack

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"overhear/internal/files"
)

// Write writes the page to a file that ends in .html, and its Markdown and JSON
// twins beside it. It returns their names.
func (e *Evaluation) Write(path string) ([]string, error) {
	base, ok := strings.CutSuffix(path, ".html")
	if !ok {
		return nil, fmt.Errorf("a report's file must end in .html, not %q", filepath.Base(path))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("preparing to write a report: %w", err)
	}
	var written []string
	for _, form := range []struct {
		ending string
		write  func(io.Writer) error
	}{{".html", e.HTML}, {".md", e.Markdown}, {".json", e.JSON}} {
		var b bytes.Buffer // whole, before a file is touched
		if err := form.write(&b); err != nil {
			return written, err
		}
		name := base + form.ending
		if err := files.WriteBytes(name, b.Bytes()); err != nil {
			return written, fmt.Errorf("writing a report: %w", err)
		}
		written = append(written, name)
	}
	return written, nil
}
