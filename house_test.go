// The rules of the house: who may import whom, what never appears on the digest
// path, and that every file says what it is for. Each rule is tried on a
// fixture that breaks it.

package overhear

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"overhear/algorithms"
)

// levels, lowest first: a package imports only packages of lower levels.
var levels = [][]string{
	{"internal/num", "internal/files", "internal/checkpoint", "internal/state", "internal/memory", "internal/guard",
		"internal/cputime", "internal/plural", "internal/prefetch", "internal/minimal", "report/plot/fonts"},
	{"sim", "internal/golden", "internal/python", "internal/stage"},
	{"problem", "privacy", "parameter"},
	{"record", "theory", "privacy/loss", "adversary/model", "adversary/acts"},
	{"record/readers", "algorithms", "adversary/marginal", "adversary/stats", "metrics", "report/browser",
		"report/plot"},
	{"adversary", "report", "report/network"},
	{"external", "report/attack"},
	{"scenarios"},
	{"experiment"},
	{"evaluation", "fuzz"},
	{"sweep", "view"},
	{"reproduce"},
	{"sweep/jetstream", "reproduce/papers", "reproduce/studies", "reproduce/networks"},
	{"site/engine"},
	{"site"},
	{"cmd/simulate", "docs", "bench", "site/wasm"},
}

func level(pkg string) int {
	return slices.IndexFunc(levels, func(l []string) bool { return slices.Contains(l, pkg) })
}

// source is a parsed file.
type source struct {
	path, pkg string // both relative to the module
	text      []byte
	file      *ast.File
	set       *token.FileSet
}

func parse(t *testing.T, path string, text []byte) *source {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return &source{path: path, pkg: filepath.ToSlash(filepath.Dir(path)), text: text, file: f, set: set}
}

func sources(t *testing.T) []*source {
	t.Helper()
	var all []*source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (isModule(path) || strings.HasPrefix(d.Name(), ".") && path != ".") {
			return fs.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all = append(all, parse(t, path, text))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(all) < 30 {
		t.Fatalf("found only %d files", len(all))
	}
	return all
}

// isModule says if a directory has a module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil && dir != "."
}

func (s *source) isTest() bool { return strings.HasSuffix(s.path, "_test.go") }

// rule returns what is wrong with a file.
type rule func(s *source) []string

func imports(s *source) []string {
	if s.isTest() || s.pkg == "." {
		return nil
	}
	var bad []string
	own := level(s.pkg)
	if own < 0 {
		return []string{"package " + s.pkg + " has no level"}
	}
	for _, i := range s.file.Imports {
		path := strings.Trim(i.Path.Value, `"`)
		if pkg, ok := strings.CutPrefix(path, "overhear/"); ok && (level(pkg) < 0 || level(pkg) >= own) {
			bad = append(bad, fmt.Sprintf("%s must not import %s", s.pkg, pkg))
		}
	}
	return bad
}

// Packages whose numbers enter the digest of a run, and those that make attacks.json and
// audit.json of it. An audit says how long it took, so that clocks are forbidden only for
// the former.
var (
	digestPath = []string{"internal/num", "sim", "problem", "privacy", "privacy/loss", "parameter", "algorithms",
		"adversary/acts"}
	findingsPath = []string{"adversary", "adversary/model", "adversary/marginal", "adversary/stats", "evaluation"}
)

// inexact are functions whose bits depend on the machine.
var inexact = map[string][]string{
	"math": {"Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Logb", "Pow", "Pow10", "Sin", "Cos", "Sincos",
		"Tan", "Sinh", "Cosh", "Tanh", "Gamma", "Lgamma", "Erf", "Erfc", "Erfinv", "Erfcinv", "Cbrt", "Hypot", "FMA",
		"Asin", "Acos", "Atan", "Atan2", "Asinh", "Acosh", "Atanh"},
}

// uncertain are functions whose results depend on luck.
var uncertain = map[string][]string{
	"time": {"Now", "Since", "Until", "Sleep", "After", "Tick"},
	"rand": {"Float64", "IntN", "Int", "Uint64", "Perm", "Shuffle", "NormFloat64", "ExpFloat64", "N", "New"},
}

func exactBits(s *source) []string {
	digest := slices.Contains(digestPath, s.pkg)
	if s.isTest() || !digest && !slices.Contains(findingsPath, s.pkg) {
		return nil
	}
	var bad []string
	for _, i := range s.file.Imports {
		p := strings.Trim(i.Path.Value, `"`)
		if strings.HasPrefix(p, "gonum.org/v1/gonum/") && !strings.Contains(p, "/graph") {
			bad = append(bad, "imports "+p)
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && (slices.Contains(inexact[x.Name], n.Sel.Name) ||
				digest && slices.Contains(uncertain[x.Name], n.Sel.Name)) {
				bad = append(bad, fmt.Sprintf("line %d uses %s.%s", s.set.Position(n.Pos()).Line, x.Name, n.Sel.Name))
			}
		case *ast.SelectStmt:
			if digest {
				bad = append(bad, fmt.Sprintf("line %d has a select", s.set.Position(n.Pos()).Line))
			}
		}
		return true
	})
	return bad
}

// oneWayToRun finds engines made elsewhere than in package experiment.
func oneWayToRun(s *source) []string {
	if s.isTest() || s.pkg == "experiment" {
		return nil
	}
	var bad []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n, ok := n.(*ast.SelectorExpr); ok && n.Sel.Name == "New" {
			if x, ok := n.X.(*ast.Ident); ok && x.Name == "sim" {
				line := s.set.Position(n.Pos()).Line
				bad = append(bad, fmt.Sprintf("line %d makes an engine; Execute of package experiment runs it", line))
			}
		}
		return true
	})
	return bad
}

// oneWayToWrite finds files that are written or renamed elsewhere than in internal/files, which synchronises them with
// the disk.
func oneWayToWrite(s *source) []string {
	if s.isTest() || s.pkg == "internal/files" {
		return nil
	}
	var bad []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		if n, ok := n.(*ast.SelectorExpr); ok {
			x, ok := n.X.(*ast.Ident)
			if ok && x.Name == "os" && slices.Contains([]string{"WriteFile", "Rename", "Create"}, n.Sel.Name) {
				bad = append(bad, fmt.Sprintf("line %d uses os.%s; internal/files writes", s.set.Position(n.Pos()).Line,
					n.Sel.Name))
			}
		}
		return true
	})
	return bad
}

// oneDrawingStack keeps everything that draws in report/plot, which others draw with.
func oneDrawingStack(s *source) []string {
	if s.isTest() || s.pkg == "report/plot" {
		return nil
	}
	var bad []string
	draws := func(n ast.Node) {
		bad = append(bad, fmt.Sprintf("line %d draws without report/plot", s.set.Position(n.Pos()).Line))
	}
	for _, i := range s.file.Imports {
		if strings.HasPrefix(i.Path.Value, `"gonum.org/v1/plot`) {
			draws(i)
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && svgMarkup.MatchString(l.Value) {
			draws(l)
		}
		return true
	})
	return bad
}

// svgMarkup is what a program that writes SVG by hand has in its texts.
var svgMarkup = regexp.MustCompile(`<(svg|path|circle|rect|text)[ >]`)

// shortLines finds lines that end beyond column 120, a tab being four wide. A struct tag is one literal and stays
// whole.
func shortLines(s *source) []string {
	const widest = 120
	var bad []string
	for k, line := range strings.Split(string(s.text), "\n") {
		if strings.Contains(line, `yaml:"`) || strings.Contains(line, `json:"`) {
			continue
		}
		if n := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    ")); n > widest {
			bad = append(bad, fmt.Sprintf("line %d ends at column %d", k+1, n))
		}
	}
	return bad
}

func saysWhatFor(s *source) []string {
	head := bytes.SplitN(s.text, []byte("\n"), 11)
	if len(head) > 10 {
		head = head[:10]
	}
	if !bytes.Contains(bytes.Join(head, nil), []byte("//")) {
		return []string{"does not say within ten lines what it is for"}
	}
	return nil
}

func documented(s *source) []string {
	if s.isTest() {
		return nil
	}
	var bad []string
	missing := func(name string, doc *ast.CommentGroup, pos token.Pos) {
		if ast.IsExported(name) && doc == nil {
			bad = append(bad, fmt.Sprintf("line %d: %s has no doc comment", s.set.Position(pos).Line, name))
		}
	}
	for _, d := range s.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv != nil && wellKnown[d.Name.Name] {
				continue
			}
			if d.Recv == nil || ast.IsExported(receiver(d)) {
				missing(d.Name.Name, d.Doc, d.Pos())
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					missing(spec.Name.Name, either(spec.Doc, d.Doc), spec.Pos())
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						missing(name.Name, either(spec.Doc, either(spec.Comment, d.Doc)), spec.Pos())
					}
				}
			}
		}
	}
	return bad
}

// passesNaN finds checks of tests that a value which is not a number passes: every comparison
// with NaN is false, so that "fail if e > 1e-9" never fails of it, and "fail unless e <= 1e-9"
// does. Without types it sees those with a floating-point literal or an absolute value.
func passesNaN(s *source) []string {
	if !s.isTest() {
		return nil
	}
	var bad []string
	var look func(e ast.Expr)
	look = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			look(e.X)
		case *ast.BinaryExpr:
			switch e.Op {
			case token.LOR:
				look(e.X)
				look(e.Y)
			case token.LAND: // what comes first says when the rest is asked
				look(e.Y)
			case token.GTR, token.GEQ, token.LSS, token.LEQ:
				if hasFloat(e.X) || hasFloat(e.Y) {
					bad = append(bad, fmt.Sprintf("line %d: NaN passes; write !(a <= b) for a > b",
						s.set.Position(e.Pos()).Line))
				}
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if i, ok := n.(*ast.IfStmt); ok && fails(i.Body) {
			look(i.Cond)
		}
		return true
	})
	return bad
}

// fails says whether a statement fails a test.
func fails(b *ast.BlockStmt) bool {
	found := false
	ast.Inspect(b, func(n ast.Node) bool {
		if c, ok := n.(*ast.SelectorExpr); ok {
			x, ok := c.X.(*ast.Ident)
			fatal := slices.Contains([]string{"Error", "Errorf", "Fatal", "Fatalf"}, c.Sel.Name)
			found = found || ok && x.Name == "t" && fatal
		}
		return !found
	})
	return found
}

// hasFloat says whether an expression has a floating-point literal or an absolute value.
func hasFloat(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			v, err := strconv.ParseFloat(n.Value, 64)
			found = found || n.Kind == token.FLOAT && err == nil && v != math.Trunc(v) // 2e9 may be an integer
		case *ast.SelectorExpr:
			x, ok := n.X.(*ast.Ident)
			found = found || ok && x.Name == "math" && n.Sel.Name == "Abs"
		}
		return !found
	})
	return found
}

// wellKnown methods need no comment: the interface has one.
var wellKnown = map[string]bool{"String": true, "Error": true, "Unwrap": true}

func receiver(d *ast.FuncDecl) string {
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	if index, ok := t.(*ast.IndexExpr); ok {
		t = index.X
	}
	return t.(*ast.Ident).Name
}

func either(a, b *ast.CommentGroup) *ast.CommentGroup {
	if a != nil {
		return a
	}
	return b
}

// knowsMethods are the packages that may know methods by name: their own, the models of
// them, and the papers'.
var knowsMethods = []string{"algorithms", "adversary/model", "reproduce/papers", "reproduce/studies",
	"reproduce/networks"}

// methodNames finds the names of registered methods written elsewhere: whoever knows
// a method by name has to be changed for every new one.
func methodNames(s *source) []string {
	if s.isTest() || slices.Contains(knowsMethods, s.pkg) {
		return nil
	}
	var bad []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		l, ok := n.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return true
		}
		name, err := strconv.Unquote(l.Value)
		if _, known := algorithms.Lookup(name); err == nil && known {
			bad = append(bad, fmt.Sprintf("line %d knows the method %s", s.set.Position(l.Pos()).Line, name))
		}
		return true
	})
	return bad
}

func TestHouseRules(t *testing.T) {
	all := sources(t)
	for _, r := range []struct {
		name    string
		rule    rule
		breaks  string // a file that breaks it
		fixture string
	}{
		{"imports go down", imports, "sim/x.go", "package sim\nimport _ \"overhear/problem\"\n"},
		{"exact bits: math", exactBits, "sim/x.go", "package sim\nimport \"math\"\nvar x = math.Exp(1)\n"},
		{"exact bits of findings: math", exactBits, "adversary/stats/x.go",
			"package stats\nimport \"math\"\nvar x = math.Lgamma(1)\n"},
		{"exact bits of findings: gonum", exactBits, "evaluation/x.go",
			"package evaluation\nimport _ \"gonum.org/v1/gonum/mat\"\n"},
		{"exact bits: time", exactBits, "algorithms/x.go", "package algorithms\nimport \"time\"\nvar x = time.Now()\n"},
		{"exact bits: gonum", exactBits, "problem/x.go", "package problem\nimport _ \"gonum.org/v1/gonum/floats\"\n"},
		{"one way to run", oneWayToRun, "fuzz/x.go", "package fuzz\nvar e, err = sim.New(c)\n"},
		{"one way to write", oneWayToWrite, "sweep/x.go", "package sweep\nvar err = os.WriteFile(p, b, 0o644)\n"},
		{"methods by name", methodNames, "evaluation/x.go", "package evaluation\nvar _ = func(m string) bool { " +
			"return m == \"dvp\" }\n"},
		{"one drawing stack", oneDrawingStack, "sweep/x.go", "package sweep\nvar x = `<path d=\"M0 0\">`\n"},
		{"one drawing stack: gonum", oneDrawingStack, "sweep/x.go",
			"package sweep\nimport _ \"gonum.org/v1/plot/vg\"\n"},
		{"checks that NaN fails", passesNaN, "sim/x_test.go",
			"package sim\nfunc f(t *testing.T) { if e > 1e-9 { t.Error(e) } }\n"},
		{"lines end by column 120", shortLines, "sim/x.go", "// Long.\npackage sim // " + strings.Repeat("x",
			120) + "\n"},
		{"files say what they are for", saysWhatFor, "sim/x.go", "package sim\n"},
		{"exported names are documented", documented, "sim/x.go", "package sim\nfunc X() {}\n"},
	} {
		t.Run(r.name, func(t *testing.T) {
			if r.rule(parse(t, r.breaks, []byte(r.fixture))) == nil {
				t.Fatal("the rule does not see a file that breaks it")
			}
			for _, s := range all {
				for _, problem := range r.rule(s) {
					t.Errorf("%s: %s", s.path, problem)
				}
			}
		})
	}
}

// opening is how a package's comment begins.
func opening(s *source) string {
	if s.file.Name.Name == "main" {
		return "Command " + path.Base(s.pkg)
	}
	return "Package " + s.file.Name.Name
}

func TestEveryPackageIsDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range sources(t) {
		documented[s.pkg] = documented[s.pkg] || (!s.isTest() && s.file.Doc != nil &&
			strings.HasPrefix(s.file.Doc.Text(), opening(s)))
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

func TestModuleHasNoReplace(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("replace")) {
		t.Error("go.mod replaces a module")
	}
}
