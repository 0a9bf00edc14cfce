// What a figure's claims are judged by: a digest of the source text that grades them.

//go:build !page

package reproduce

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"overhear/theory"
)

//go:embed compare.go judge.go results.go settings.go statement.go
var ownSources embed.FS

var sources = []fs.FS{ownSources, theory.Sources}

// judges are the functions that judge every figure: at the points, and by what is read of a run.
var judges = []string{"judge", "read"}

// RegisterSources adds the source text of figures, which [Judged] has a digest of: a verdict that was stored does not
// outlive the rules it was made by. Their package calls it from init.
func RegisterSources(files fs.FS) { sources = append(sources, files) }

// Rules is a digest of what judges a figure's claims: of the functions that make the figure and judge at a point, and
// of all functions, constants and variables that they use here, in the figures' package and in package theory, without
// words, comments and pictures. What decides the runs is no part of it. "" if no source has the figure.
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
							var by ast.Node = v
							if v.Type == nil && v.Values == nil { // as the constant before it, from iota
								by = d
							}
							for _, n := range v.Names {
								declared[n.Name] = append(declared[n.Name], by)
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
	found := append([]string{maker}, judges...)
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
// something, and the names that it uses. It has every field of every node of the syntax tree, so that no change of what
// is computed can be missed.
func grading(d ast.Node) (text string, used []string) {
	w := new(treeWriter)
	w.write(reflect.ValueOf(d), false)
	return w.text.String(), w.used
}

type treeWriter struct {
	text strings.Builder
	used []string
}

// write writes a part of a syntax tree. Words are left out unless something is compared with them, which compared says.
func (w *treeWriter) write(v reflect.Value, compared bool) {
	if pos, ok := v.Interface().(token.Pos); ok { // where something stands is nothing, whether it stands there may be
		fmt.Fprint(&w.text, pos.IsValid())
		return
	}
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			w.text.WriteString("nil")
			return
		}
		if n, ok := v.Interface().(ast.Node); ok {
			if n = graded(n); n == nil {
				return
			}
			if text, ok := joined(n); ok && !compared {
				w.text.WriteString(said(text))
				return
			}
			if i, ok := n.(*ast.Ident); ok {
				w.used = append(w.used, i.Name)
			}
			v, compared = reflect.ValueOf(n), compared || compares(n)
		}
		w.write(v.Elem(), compared)
	case reflect.Struct:
		fmt.Fprintf(&w.text, "(%s", v.Type().Name())
		for k := range v.NumField() {
			w.text.WriteString(" ")
			w.write(v.Field(k), compared)
		}
		w.text.WriteString(")")
	case reflect.Slice:
		fmt.Fprintf(&w.text, "[%d", v.Len())
		for k := range v.Len() {
			w.text.WriteString(" ")
			w.write(v.Index(k), compared)
		}
		w.text.WriteString("]")
	default: // a name, a literal or an operator
		fmt.Fprintf(&w.text, "%q", fmt.Sprint(v))
	}
}

// graded is what of a node decides a verdict; nil: nothing.
func graded(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.KeyValueExpr:
		if slices.Contains(shown, named(n.Key)) {
			return nil
		}
	case *ast.AssignStmt:
		if s, ok := n.Lhs[0].(*ast.SelectorExpr); ok && len(n.Lhs) == 1 && slices.Contains(shown, s.Sel.Name) {
			return nil
		}
	case *ast.CallExpr:
		// What a statement rests on is not stored with its assessment.
		if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "On" {
			return graded(s.X)
		}
	}
	return n
}

// compares says whether something is compared with the strings of a node, so that they decide.
func compares(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		return n.Op != token.ADD
	case *ast.CaseClause:
		return n.List != nil
	}
	return false
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

// said is a string; one with a space says something, and one without may name a column.
func said(text string) string {
	if strings.Contains(text, " ") {
		return "(words)"
	}
	return strconv.Quote(text)
}

// joined is the value of a string literal or of a sum of such; ok is false for others.
func joined(e ast.Node) (text string, ok bool) {
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
