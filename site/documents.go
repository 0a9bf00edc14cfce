// Pages of the documents and findings.

package site

import (
	"bytes"
	"html/template"
	"io/fs"
	"path"
	"slices"
	"strings"

	"overhear/site/engine"
)

// document is a text of the repository as a page.
type document struct {
	text, path string // in the repository, on the site
	*rendered
}

// Title is the first heading.
func (d *document) Title() string { return d.title.Text }

// Path is where the page is.
func (d *document) Path() string { return d.path }

// ID is the name of the first heading.
func (d *document) ID() string { return d.title.ID }

// HTML is what follows it.
func (d *document) HTML() template.HTML { return template.HTML(d.html) } // goldmark's, of the repository

// Contents are the headings of the second level, where there are several.
func (d *document) Contents() (all []Heading) {
	for _, h := range d.headings {
		if h.Level == 2 {
			all = append(all, h)
		}
	}
	if len(all) < 3 {
		return nil
	}
	return all
}

// room is whether it is a document or a finding.
func (d *document) room() room {
	if strings.HasPrefix(d.text, "results/") {
		return findRoom
	}
	return textRoom
}

// listed says whether the lists of pages have it: all but the reports of findings, which have a list of their own.
func (d *document) listed() bool { return path.Base(d.text) != "report.md" }

// documents renders all texts.
func (p *places) documents() (all []*document, err error) {
	for _, text := range p.texts {
		source, err := fs.ReadFile(p.root, text)
		if err != nil {
			return nil, err
		}
		r, err := render(text, source, func(to string) (string, error) { return p.lead(text, to) })
		if err != nil {
			return nil, err
		}
		for _, h := range append(r.headings, r.title) {
			p.know(text, h)
		}
		all = append(all, &document{text, p.at[text], r})
	}
	inOrder(all)
	return all, p.check()
}

// inOrder puts documents in the order in which README.md links to them, it first, and what it does not link to at the
// end.
func inOrder(all []*document) {
	first := slices.IndexFunc(all, func(d *document) bool { return d.text == "README.md" })
	links := all[first].html
	rank := func(d *document) int {
		if d == all[first] {
			return -1
		}
		if at := bytes.Index(links, []byte(`href="`+d.path)); at >= 0 {
			return at
		}
		return len(links)
	}
	ranks := map[*document]int{}
	for _, d := range all {
		ranks[d] = rank(d)
	}
	slices.SortStableFunc(all, func(a, b *document) int { return ranks[a] - ranks[b] })
}

// pages are the pages of documents.
func pages(all []*document) (made []*page) {
	lists := map[room][]*document{}
	for _, d := range all {
		if d.listed() {
			lists[d.room()] = append(lists[d.room()], d)
		}
	}
	for _, d := range all {
		made = append(made, &page{Path: d.path, Title: d.title.Text, About: d.about, Room: d.room(), Body: textBody{
			document: d, Pages: lists[d.room()], Figure: computed(d.text)}})
	}
	return made
}

// textBody is the part of a page that is a document's.
type textBody struct {
	*document
	Pages  []*document // of its room
	Figure string      // page on which the figure of this finding is computed; ""
}

// computed is the page on which a finding's figure is computed, if there is one.
func computed(text string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(path.Dir(text), "results/"), "/", "-")
	if path.Base(text) == "README.md" && slices.ContainsFunc(engine.Descriptions(), func(d engine.Description) bool {
		return d.Name == name
	}) {
		return figurePage(name)
	}
	return ""
}
