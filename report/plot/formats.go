// Files of pictures, in every format.

package plot

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"overhear/internal/files"
)

// Formats of picture files. A build for pages (tag page) has the first only.
var Formats = []string{"svg", "png", "pdf", "pgf"}

// writers are the formats that this build has.
var writers = map[string]func(*Picture) []byte{"svg": (*Picture).SVG}

// Save writes dir/name.svg and dir/name.png.
func (p *Picture) Save(dir, name string) error {
	_, err := p.Write(dir, name, Usual)
	return err
}

// put writes a file, as [files.Write] does.
type put func(path string, write func(io.Writer) error) error

// Write writes dir/name.format in each of the formats and returns the paths.
func (p *Picture) Write(dir, name string, formats []string) ([]string, error) {
	return p.write(files.Write, dir, name, formats)
}

func (p *Picture) write(to put, dir, name string, formats []string) ([]string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("writing figures: %w", err)
	}
	var paths []string
	for _, format := range formats {
		encode := writers[format]
		if encode == nil {
			return nil, fmt.Errorf("writing figures: %q is none of %s", format, strings.Join(Formats, ", "))
		}
		path := filepath.Join(dir, name+"."+format)
		if err := to(path, files.Bytes(encode(p))); err != nil {
			return nil, fmt.Errorf("writing figures: %w", err)
		}
		paths = append(paths, path)
	}
	return paths, nil
}
