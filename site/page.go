// What every page has: its head with the policy, the way to the others, its style.

package site

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"path"

	"overhear/report/plot"
)

//go:embed page
var pageFiles embed.FS

// Policies of pages: nothing but this site's own files. Pages with scripts may compile WebAssembly and start workers,
// which have the same policy as the page, as their text is the page's.
const (
	policy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"

	scriptPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:; connect-src 'self'; " +
		"style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'"
)

// assets are the site's own files, beside the engine.
var assets = []string{"icon.svg", "engine.js", "worker.js", "show.js", "figure.js", "editor.js", "playground.js"}

// assetDir is where they are.
const assetDir = "assets"

// style is the style sheet: the colours of figures and pages, and what is made of them.
func style() ([]byte, error) {
	text, err := pageFiles.ReadFile("page/style.css")
	return append([]byte(plot.CSS()), text...), err
}

// room is a part of the site.
type room string

// The rooms, as the head of pages names them.
const (
	home       room = ""
	figureRoom room = "Figures"
	playRoom   room = "Playground"
	textRoom   room = "Documents"
	findRoom   room = "Findings"
)

// doors are the rooms' first pages.
var doors = []struct {
	Name room
	To   string
}{
	{figureRoom, "figures/index.html"}, {playRoom, "playground.html"}, {textRoom, "readme.html"},
	{findRoom, "results/index.html"},
}

// page is one page of the site.
type page struct {
	Path    string // on the site
	Title   string
	About   string // in a line
	Room    room
	Scripts []string // of the assets
	Body    any      // for the template of its kind
	Version string   // of the program
}

// Policy is what the page may load and do.
func (p *page) Policy() string {
	if p.Scripts == nil {
		return policy
	}
	return scriptPolicy
}

// Door is a link to a room.
type Door struct {
	Name, To string
	Here     string // "page": this is it; "true": this page is one of the room's; "false"
}

// Doors are the links to the rooms.
func (p *page) Doors() (all []Door) {
	for _, d := range doors {
		here := "false"
		switch {
		case d.To == p.Path:
			here = "page"
		case d.Name == p.Room:
			here = "true"
		}
		all = append(all, Door{string(d.Name), p.Way(d.To), here})
	}
	return all
}

// Way is a link to a page or file of the site.
func (p *page) Way(to string) string { return relative(p.Path, to) }

// Asset is a link to one of the site's own files.
func (p *page) Asset(name string) string { return p.Way(path.Join(assetDir, name)) }

// kinds of pages: the template of each.
var kinds = func() map[string]*template.Template {
	layout := template.Must(template.ParseFS(pageFiles, "page/layout.html.tmpl"))
	all := map[string]*template.Template{}
	for _, kind := range []string{"home", "text", "source", "figures", "figure", "playground"} {
		all[kind] = template.Must(template.Must(layout.Clone()).ParseFS(pageFiles, "page/"+kind+".html.tmpl"))
	}
	return all
}()

// html is the page as a file.
func (p *page) html(kind string) ([]byte, error) {
	var b bytes.Buffer
	if err := kinds[kind].Execute(&b, p); err != nil {
		return nil, fmt.Errorf("writing the page %s: %w", p.Path, err)
	}
	return b.Bytes(), nil
}
