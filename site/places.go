// Where the documents and files of the repository are on the site, and where its links lead.

package site

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// places are the repository's files that are on the site: its texts, and what they link to. Paths have slashes, and are
// relative to the repository and to the site.
type places struct {
	root  fs.FS
	texts []string          // in Markdown
	at    map[string]string // a page or a file of the site, by its path in the repository
	known map[string]bool   // names that links may have behind #, as path#name
	asked []ask             // links to such names
}

// ask is a link with a name behind #.
type ask struct{ from, to, name string }

// sourceFiles are shown as pages, as browsers would offer to keep them.
var sourceFiles = []string{".go", ".yaml", ".sh", ".py", ".cff"}

// newPlaces places the texts.
func newPlaces(root fs.FS) (*places, error) {
	all, err := texts(root)
	if err != nil {
		return nil, err
	}
	p := &places{root: root, texts: all, at: map[string]string{}, known: map[string]bool{}}
	for _, text := range all {
		p.at[text] = pageOf(root, text)
	}
	return p, nil
}

// pageOf is the page of a text: those of the repository's top have the names of their files, as index.html is the
// site's. Beside a page of the same name, as reports have, it is another.
func pageOf(root fs.FS, text string) string {
	dir, name := path.Split(text)
	if name == "README.md" && dir != "" {
		return dir + "index.html"
	}
	base := strings.ToLower(strings.TrimSuffix(name, ".md"))
	if _, err := fs.Stat(root, dir+base+".html"); err == nil {
		base += ".md"
	}
	return dir + base + ".html"
}

// lead is where a link of a text leads on the site, as its page has to write it. What it leads to comes onto the site.
func (p *places) lead(text, destination string) (string, error) {
	u, err := url.Parse(destination)
	if err != nil {
		return "", fmt.Errorf("%s: the link to %s: %w", text, destination, err)
	}
	if u.Scheme != "" {
		return destination, nil
	}
	to := text
	if u.Path != "" {
		to = path.Join(path.Dir(text), u.Path)
		if err := p.place(&to); err != nil {
			return "", fmt.Errorf("%s: the link to %s leads nowhere: %w", text, destination, err)
		}
	}
	if u.Fragment == "" {
		return relative(p.at[text], p.at[to]), nil
	}
	p.asked = append(p.asked, ask{text, to, u.Fragment})
	if to == text {
		return "#" + u.EscapedFragment(), nil
	}
	return relative(p.at[text], p.at[to]) + "#" + u.EscapedFragment(), nil
}

// place has a file of the repository on the site; a directory's is its README.md.
func (p *places) place(file *string) error {
	if p.at[*file] != "" {
		return nil
	}
	info, err := fs.Stat(p.root, *file)
	if err != nil {
		return err
	}
	if info.IsDir() {
		*file = path.Join(*file, "README.md")
		if p.at[*file] != "" {
			return nil
		}
		return fmt.Errorf("%s: %w", *file, fs.ErrNotExist)
	}
	p.at[*file] = *file
	if slices.Contains(sourceFiles, path.Ext(*file)) {
		p.at[*file] += ".html"
	}
	return nil
}

// know says that a text has a heading.
func (p *places) know(text string, h Heading) { p.known[text+"#"+h.ID] = true }

// check says which names behind # no heading has.
func (p *places) check() error {
	for _, a := range p.asked {
		if !p.known[a.to+"#"+a.name] {
			return fmt.Errorf("%s: a link names %s#%s, a heading that is not there", a.from, a.to, a.name)
		}
	}
	return nil
}

// files are the files on the site that are no texts: copies, and pages of source.
func (p *places) files(source func(file string, text []byte) ([]byte, error)) (map[string][]byte, error) {
	all := map[string][]byte{}
	for file, at := range p.at {
		if slices.Contains(p.texts, file) {
			continue
		}
		content, err := fs.ReadFile(p.root, file)
		if err == nil && at != file {
			content, err = source(file, bytes.TrimSpace(content))
		}
		if err != nil {
			return nil, err
		}
		all[at] = content
	}
	return all, nil
}

// relative is a link from one page of the site to another.
func relative(from, to string) string {
	way, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil { // both are relative
		panic(fmt.Sprintf("site: %v", err))
	}
	return (&url.URL{Path: filepath.ToSlash(way)}).String()
}
