// Markdown as HTML: headings with the fragments that links name them by, and links to where pages and files will be.

package site

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extensions "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown reads GitHub's Markdown. HTML within it is left out, and columns of tables are aligned by an attribute, as
// the pages' policy allows no style in the text.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Strikethrough, extension.Linkify, extension.TaskList,
	extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(scrollRenderer{}, 0))))

// Heading is a heading of a page.
type Heading struct {
	Level    int
	Text, ID string // as it is read, and the fragment by which links name it
}

// rendered is a text in Markdown as HTML.
type rendered struct {
	html     []byte  // of all but the first heading of the first level
	title    Heading // that heading
	about    string  // the first paragraph, as it is read
	headings []Heading
}

// render makes HTML of a text of the repository. Lead gives a link's or a picture's place on the site.
func render(name string, source []byte, lead func(destination string) (string, error)) (*rendered, error) {
	document := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext()))
	r, seen := new(rendered), map[string]int{}
	var title ast.Node
	var tables []ast.Node
	err := ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		var err error
		switch n := n.(type) {
		case *ast.Heading:
			h := Heading{Level: n.Level, Text: plain(n, source)}
			h.ID = fragment(h.Text, seen)
			if n.Level == 1 && title == nil {
				title, r.title = n, h
				break
			}
			n.SetAttributeString("id", []byte(h.ID))
			r.headings = append(r.headings, h)
		case *ast.Paragraph:
			if r.about == "" {
				r.about = plain(n, source)
			}
		case *ast.Link:
			n.Destination, err = led(n.Destination, lead)
		case *ast.Image:
			n.SetAttributeString("loading", []byte("lazy"))
			n.Destination, err = led(n.Destination, lead)
		case *extensions.Table:
			tables = append(tables, n)
		case *ast.RawHTML:
			err = onlyComments(name, n.Segments.Value(source))
		case *ast.HTMLBlock:
			err = onlyComments(name, n.Lines().Value(source))
		}
		return ast.WalkContinue, err
	})
	if err != nil {
		return nil, err
	}
	if title != nil {
		document.RemoveChild(document, title)
	}
	for _, n := range tables {
		parent := n.Parent()
		s := new(scroll)
		parent.ReplaceChild(parent, n, s)
		s.AppendChild(s, n)
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, document); err != nil {
		return nil, err
	}
	r.html = b.Bytes()
	return r, nil
}

// onlyComments refuses HTML, which would be left out.
func onlyComments(name string, html []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(html), []byte("<!--")) {
		return nil
	}
	return fmt.Errorf("%s has HTML, which the site's pages do not have: %s", name, bytes.TrimSpace(html))
}

// led is the destination that lead gives.
func led(destination []byte, lead func(string) (string, error)) ([]byte, error) {
	to, err := lead(string(destination))
	return []byte(to), err
}

// plain is what a reader reads of a node.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it does not fail, as this does not
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.AutoLink:
			b.Write(n.Label(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// fragment is the name by which GitHub links to a heading; the second of two equal ones has -1 at its end.
func fragment(heading string, seen map[string]int) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsNumber(r), unicode.IsMark(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, strings.TrimSpace(heading))
	n, again := seen[name]
	seen[name] = n + 1
	if again {
		return fmt.Sprintf("%s-%d", name, n)
	}
	return name
}

// scroll is a box that scrolls by itself, so that a wide table makes no page wide.
type scroll struct{ ast.BaseBlock }

// kindScroll is the kind of scroll.
var kindScroll = ast.NewNodeKind("Scroll")

// Kind names the kind of node.
func (*scroll) Kind() ast.NodeKind { return kindScroll }

// Dump is for looking at trees.
func (s *scroll) Dump(source []byte, level int) { ast.DumpHelper(s, source, level, nil, nil) }

type scrollRenderer struct{}

// RegisterFuncs tells how the box is written.
func (scrollRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(kindScroll, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		tag := "</div>\n"
		if entering {
			tag = "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\">\n"
		}
		_, err := w.WriteString(tag)
		return ast.WalkContinue, err
	})
}
