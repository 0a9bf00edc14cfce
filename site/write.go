// The site as files in a directory.

package site

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"overhear/internal/files"
	"overhear/report/plot"
)

// Options say how a site is made.
type Options struct {
	Root    string // of the clone of the repository
	Version string // of the program

	// Progress is told how far it is, from 0 to 1, and which stages go on: of each as it begins, and as it gets on.
	// It may be nil.
	Progress func(share float64, doing []string)

	Cache string // directory in which the packed engine is kept for the next site; "": it is not
}

// ErrOccupied is that a site would be written among files of something else.
var ErrOccupied = errors.New("has files that are not of a site")

// manifest is the file that lists all others, by which the next site takes the place of this one.
const manifest = "site.json"

// Write writes the site into a directory, which has to be new, empty, or of an earlier site: what that had and this one
// has not is removed.
func Write(ctx context.Context, out string, o Options) error {
	former, err := formerly(out)
	if err != nil {
		return err
	}
	all, err := Make(ctx, o)
	if err != nil {
		return err
	}
	return place(out, all, former, o.Version)
}

// place writes a site's files and their list, and removes what the former site had besides.
func place(out string, all map[string][]byte, former []string, version string) error {
	listed, err := json.MarshalIndent(listing{By: "overhear", Version: version,
		Files: slices.Sorted(maps.Keys(all))}, "", " ")
	if err != nil {
		return err
	}
	put := func(name string, content []byte) error {
		at := filepath.Join(out, filepath.FromSlash(name))
		if err := files.Directory(filepath.Dir(at)); err != nil {
			return err
		}
		return files.WriteBytes(at, content)
	}
	for name, content := range all {
		if err := put(name, content); err != nil {
			return err
		}
	}
	for _, name := range former {
		if all[name] != nil {
			continue
		}
		err := os.Remove(filepath.Join(out, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("removing what the former site had: %w", err)
		}
	}
	return put(manifest, append(listed, '\n'))
}

// listing is what a manifest says.
type listing struct {
	By      string   `json:"by"`
	Version string   `json:"version"`
	Files   []string `json:"files"`
}

// formerly are the files of the site that is in a directory. One that has others is refused.
func formerly(out string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(out, manifest))
	if err == nil {
		var l listing
		if err := json.Unmarshal(text, &l); err == nil && l.By == "overhear" {
			return slices.DeleteFunc(l.Files, func(name string) bool { return !filepath.IsLocal(name) }), nil
		}
	}
	entries, err := os.ReadDir(out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s %w, such as %s; name a new or empty directory, or that of a former site", out,
			ErrOccupied, entries[0].Name())
	}
	return nil, nil
}

// Make makes the site's files, by their paths with slashes.
func Make(ctx context.Context, o Options) (map[string][]byte, error) {
	c := &course{told: o.Progress}
	c.at(reading, 0)
	p, err := newPlaces(os.DirFS(o.Root))
	if err != nil {
		return nil, err
	}
	documents, err := p.documents()
	if err != nil {
		return nil, err
	}
	playable, err := examples(o.Root)
	if err != nil {
		return nil, err
	}
	c.at(reading, 1)
	var built map[string][]byte
	var drawn []*figure
	g, within := errgroup.WithContext(ctx) // figures are computed while the engine is packed
	g.Go(func() (err error) {
		built, err = build(within, o.Root, o.Cache, c)
		return err
	})
	g.Go(func() (err error) {
		drawn, err = figures(within, documents, c)
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, err
	}
	c.at(writing, 0)
	defer c.at(writing, 1)
	all, err := p.files(func(file string, text []byte) ([]byte, error) {
		s := &page{Path: p.at[file], Title: file, Room: textRoom, Body: string(text), Version: o.Version}
		return s.html("source")
	})
	if err != nil {
		return nil, err
	}
	for name, content := range built {
		all[path.Join(assetDir, name)] = content
	}
	if err := own(all); err != nil {
		return nil, err
	}
	write := func(kind string, pages ...*page) error {
		for _, one := range pages {
			one.Version = o.Version
			if all[one.Path] != nil {
				return fmt.Errorf("two pages would be %s", one.Path)
			}
			var err error
			if all[one.Path], err = one.html(kind); err != nil {
				return err
			}
		}
		return nil
	}
	var drawings []*page
	for _, f := range drawn {
		drawings = append(drawings, f.page())
		for _, d := range f.Drawings() {
			all[d.Path] = plot.File(d.svg)
		}
	}
	return all, errors.Join(write("text", pages(documents)...), write("figure", drawings...),
		write("figures", &page{Path: "figures/index.html", Title: "Figures", Room: figureRoom, Body: drawn,
			About: "Figures of papers and studies that are computed in the reader's browser."}),
		write("playground", playground(playable)),
		write("home", &page{Path: "index.html", Title: "Overhear", Body: drawn,
			About: "A deterministic simulator of private distributed learning, in the browser."}))
}

// own adds the site's own files.
func own(all map[string][]byte) error {
	for _, name := range assets {
		text, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			return err
		}
		all[path.Join(assetDir, name)] = text
	}
	text, err := style()
	all[path.Join(assetDir, "style.css")] = text
	return err
}

// playground is the page on which readers write scenarios.
func playground(examples []Example) *page {
	return &page{Path: "playground.html", Title: "Playground", Room: playRoom, Body: examples,
		About:   "Write a scenario, and run it in the browser.",
		Scripts: []string{"engine.js", "show.js", "editor.js", "playground.js"}}
}
