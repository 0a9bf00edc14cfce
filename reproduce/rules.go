// What a figure's claims are judged by: a digest of the source text that grades them.

package reproduce

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

//go:embed compare.go results.go statement.go
var ownSources embed.FS

var sources = []fs.FS{ownSources}

// RegisterSources adds the source text of figures, which [Judged] has a digest of: a verdict that was stored does not
// outlive the rules it was made by. Their package calls it from init.
func RegisterSources(files fs.FS) { sources = append(sources, files) }

// Rules is a digest of what judges a figure's claims: of the function that makes the figure and of all functions,
// constants and variables that it uses, without words, comments and pictures. "" if no source has the figure.
func (f *Figure) Rules() (string, error) {
	declared := map[string][]ast.Node{} // functions, methods, constants and variables, by name
	var maker string
	for _, files := range sources {
		names, err := fs.Glob(files, "*.go")
		if err != nil {
			return "", fmt.Errorf("listing sources: %w", err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return "", fmt.Errorf("reading a source: %w", err)
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
			if err != nil {
				return "", fmt.Errorf("reading a source: %w", err)
			}
			for _, d := range file.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					declared[d.Name.Name] = append(declared[d.Name.Name], d)
					if makes(d, f.Name) {
						maker = d.Name.Name
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if v, ok := s.(*ast.ValueSpec); ok {
							for _, n := range v.Names {
								declared[n.Name] = append(declared[n.Name], v)
							}
						}
					}
				}
			}
		}
	}
	if maker == "" {
		return "", nil
	}
	found := []string{maker}
	texts := map[string][]string{}
	for k := 0; k < len(found); k++ {
		for _, d := range declared[found[k]] {
			text, used := grading(d)
			texts[found[k]] = append(texts[found[k]], text)
			for _, name := range used {
				if declared[name] != nil && !slices.Contains(found, name) {
					found = append(found, name)
				}
			}
		}
	}
	return digest(texts), nil // maps are encoded in the order of their keys
}

// makes says whether a function makes the figure of that name.
func makes(d *ast.FuncDecl, name string) (so bool) {
	ast.Inspect(d, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok && named(kv.Key) == "Name" && literal(kv.Value) == name {
			so = true
		}
		return !so
	})
	return so
}

// shown are the fields of a figure that say or draw something and grade nothing.
var shown = []string{"Paper", "Title", "Stated", "Chosen", "Charts", "Drawings", "Extra", "Why", "Taken"}

// grading is a declaration as a text that does not depend on how it is written down, without what only says or draws
// something, and the names that it uses.
func grading(d ast.Node) (text string, used []string) {
	var b strings.Builder
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case nil:
			b.WriteString(")")
			return true
		case *ast.Comment, *ast.CommentGroup:
			return false
		case *ast.KeyValueExpr:
			if slices.Contains(shown, named(n.Key)) {
				return false
			}
		case *ast.AssignStmt:
			if s, ok := n.Lhs[0].(*ast.SelectorExpr); ok && slices.Contains(shown, s.Sel.Name) {
				return false
			}
			b.WriteString(n.Tok.String())
		case *ast.Ident:
			used = append(used, n.Name)
			b.WriteString(n.Name)
		case *ast.BasicLit:
			b.WriteString(value(n))
			return false
		case *ast.CallExpr:
			// What a statement rests on is not stored with its assessment.
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "On" {
				inner, more := grading(s.X)
				b.WriteString(inner)
				used = append(used, more...)
				return false
			}
		case *ast.BinaryExpr:
			if text, ok := joined(n); ok {
				b.WriteString(said(text))
				return false
			}
			b.WriteString(n.Op.String())
		case *ast.UnaryExpr:
			b.WriteString(n.Op.String())
		case *ast.IncDecStmt:
			b.WriteString(n.Tok.String())
		case *ast.BranchStmt:
			b.WriteString(n.Tok.String())
		}
		fmt.Fprintf(&b, "(%T", n)
		return true
	})
	return b.String(), used
}

// named is an identifier's name.
func named(e ast.Expr) string {
	if i, ok := e.(*ast.Ident); ok {
		return i.Name
	}
	return ""
}

// literal is the value of a string literal.
func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		if s, err := strconv.Unquote(l.Value); err == nil {
			return s
		}
	}
	return ""
}

// value is that of a literal.
func value(l *ast.BasicLit) string {
	if text, ok := joined(l); ok {
		return said(text)
	}
	return l.Value
}

// said is a string; one with a space says something, and one without may name a column.
func said(text string) string {
	if strings.Contains(text, " ") {
		return "(words)"
	}
	return strconv.Quote(text)
}

// joined is the value of a string literal or of a sum of such; ok is false for others.
func joined(e ast.Expr) (text string, ok bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return literal(e), e.Kind == token.STRING
	case *ast.BinaryExpr:
		x, first := joined(e.X)
		y, second := joined(e.Y)
		return x + y, e.Op == token.ADD && first && second
	}
	return "", false
}
