// A report's page as HTML: one file, no script, nothing to load.

//go:build !page

package attack

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"

	"overhear/report/plot"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

// policy has a browser refuse scripts and everything that would be loaded, also
// if something on the page asked for it. Figures have styles in attributes.
const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

var pageHTML = template.Must(template.New("page").Funcs(template.FuncMap{
	"policy": func() string { return policy },
	"drawn":  func(svg string) template.HTML { return template.HTML(svg) },
	"style":  func() template.CSS { return template.CSS(plot.CSS() + pageStyle) },
}).Parse(pageTemplate))

// html writes the page in one piece.
func (p *page) html(w io.Writer) error {
	var b bytes.Buffer
	if err := pageHTML.Execute(&b, p); err != nil {
		return fmt.Errorf("writing a report as HTML: %w", err)
	}
	_, err := b.WriteTo(w)
	return err
}
