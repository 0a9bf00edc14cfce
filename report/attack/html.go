// A report's page as HTML: one file, no script, nothing to load.

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

var pageHTML = template.Must(template.New("page").Funcs(template.FuncMap{
	"style": func() template.CSS { return template.CSS(plot.CSS() + pageStyle) },
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
