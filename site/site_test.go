// The site is made once, and looked at: its links lead, and no page asks for more than its policy allows.

package site

import (
	"bytes"
	"context"
	"errors"
	"html"
	"io"
	"io/fs"
	"maps"
	"math"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/andybalholm/brotli"

	"overhear/experiment"
	"overhear/problem"
	"overhear/scenarios"
	"overhear/site/engine"
)

// made is the site of this clone, made once for all tests, and madeIn what was told of its making. Between changes of
// the engine it is packed once.
var (
	madeIn journal
	made   = sync.OnceValues(func() (map[string][]byte, error) {
		root, err := Root(".")
		if err != nil {
			return nil, err
		}
		cache, err := problem.CacheDir()
		if err != nil {
			cache = filepath.Join(os.TempDir(), "overhear")
		}
		return Make(context.Background(), Options{Root: root, Version: "of a test", Progress: madeIn.told,
			Cache: cache})
	})
)

// usually are the figures with their usual values, each computed once for all tests, and not by what makes the site.
var (
	usually  = map[string]*engine.Computed{}
	computes sync.Mutex
)

// usual is a figure with its usual values.
func usual(t *testing.T, name string) *engine.Computed {
	t.Helper()
	computes.Lock()
	defer computes.Unlock()
	if usually[name] == nil {
		a, err := engine.Compute(context.Background(), name, nil, func(float64, string) {})
		if err != nil {
			t.Fatal(err)
		}
		usually[name] = a
	}
	return usually[name]
}

// journal is what is told of the making of a site.
type journal []struct {
	share float64
	doing string
}

func (j *journal) told(share float64, doing []string) {
	*j = append(*j, struct {
		share float64
		doing string
	}{share, strings.Join(doing, ", ")})
}

// has says whether a stage is told of.
func (j *journal) has(s stage) bool {
	for _, one := range *j {
		if strings.Contains(one.doing, stages[s].name) {
			return true
		}
	}
	return false
}

func all(t *testing.T) map[string][]byte {
	t.Helper()
	if testing.Short() {
		t.Skip("makes the site")
	}
	files, err := made()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	linked = regexp.MustCompile(` (href|src)="([^"]*)"`)
	named  = regexp.MustCompile(` id="([^"]*)"`)
	inline = regexp.MustCompile(`(?i)<style|<[^>]* (style|on[a-z]+)=|javascript:|<script>|` +
		`<script [^>]*type="(text/java|mod)`)
	opening = regexp.MustCompile(`(?s)<pre>.*?</pre>|<code>.*?</code>`)
)

// faults are what is wrong with the links of a site's pages, and with what pages have in them.
func faults(site map[string][]byte) (all []string) {
	fault := func(page string, words ...string) { all = append(all, page+": "+strings.Join(words, " ")) }
	ids := map[string]bool{}
	for name, text := range site {
		for _, m := range named.FindAllSubmatch(text, -1) {
			if ids[name+"#"+string(m[1])] {
				fault(name, "has two of", string(m[1]))
			}
			ids[name+"#"+string(m[1])] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(site)) {
		// Reports have a page and a policy of their own.
		if path.Ext(name) != ".html" || path.Base(name) == "report.html" {
			continue
		}
		text := string(site[name])
		if !strings.Contains(text, `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;`) {
			fault(name, "has no policy")
		}
		if m := inline.FindString(opening.ReplaceAllString(text, "")); m != "" {
			fault(name, "has what its policy forbids:", m)
		}
		for _, m := range linked.FindAllStringSubmatch(text, -1) {
			to, err := url.PathUnescape(html.UnescapeString(m[2]))
			if err != nil {
				fault(name, "has a link that is none:", m[2])
			}
			if m[1] == "href" && (strings.HasPrefix(to, "https://") || strings.HasPrefix(to, "mailto:")) {
				continue
			}
			target, fragment, _ := strings.Cut(to, "#")
			if strings.Contains(target, ":") || strings.HasPrefix(target, "/") {
				fault(name, "leads out of the site:", to)
				continue
			}
			at := name
			if target != "" {
				at = path.Join(path.Dir(name), target)
			}
			if site[at] == nil {
				fault(name, "leads nowhere:", to)
			} else if fragment != "" && path.Ext(at) == ".html" && !ids[at+"#"+fragment] {
				fault(name, "names what is not there:", to)
			}
		}
	}
	return all
}

func TestSite_LinksLead(t *testing.T) {
	site := all(t)
	pages := 0
	for name := range site {
		if path.Ext(name) == ".html" {
			pages++
		}
	}
	if pages < 80 {
		t.Errorf("%d pages", pages)
	}
	for _, f := range faults(site) {
		t.Error(f)
	}
}

// What is wrong is seen.
func TestSite_FaultsAreSeen(t *testing.T) {
	head := `<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;">`
	for text, want := range map[string]string{
		head + `<a href="b.html">b</a>`:                             "leads nowhere: b.html",
		head + `<img src="https://example.org/x.png">`:              "leads out of the site",
		head + `<a href="/a.html">`:                                 "leads out of the site",
		head + `<a href="#b">`:                                      "names what is not there: #b",
		head + `<p id="b"><p id="b">`:                               "has two of b",
		head + `<p style="color: red">`:                             "what its policy forbids",
		head + `<img src="a.html" onerror="alert(1)">`:              "what its policy forbids",
		head + `<script>alert(1)</script>`:                          "what its policy forbids",
		`<p>`:                                                       "has no policy",
		head + `<pre><p style="color: red"></pre><a href="a.html">`: "",
	} {
		got := strings.Join(faults(map[string][]byte{"a.html": []byte(text)}), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// The same repository gives the same site: no page has a time or a machine's name in it. The engine is at most 3 MB.
func TestSite_NamesNoMachine(t *testing.T) {
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range all(t) {
		if bytes.Contains(text, []byte(root+"/")) {
			t.Errorf("%s names %s", name, root)
		}
	}
	packed := all(t)["assets/"+programFile]
	if len(packed) > 3e6 {
		t.Errorf("the engine is %.2f MB compressed", float64(len(packed))/1e6)
	}
	program, err := io.ReadAll(brotli.NewReader(bytes.NewReader(packed)))
	if err != nil || !bytes.HasPrefix(program, []byte("\x00asm")) || bytes.Contains(program, []byte(root+"/")) {
		t.Errorf("the engine is not one, or names %s: %v", root, err)
	}
}

// Who makes a site is told of every stage, and by small steps how far it is: to pack the engine takes most of the time,
// and none where the cache has it.
func TestMake_TellsHowFarItIs(t *testing.T) {
	all(t)
	told := slices.Clone(madeIn)
	if !told.has(packing) {
		told = nil
		c := &course{told: told.told}
		program := bytes.Repeat([]byte("a program as long as the engine"), 1<<19)
		for s := range stageCount {
			for k := range 10 {
				c.at(s, float64(k)/10)
				if s == packing {
					_, err := pack(context.Background(), program, func(share float64) { c.at(s, share) })
					if err != nil {
						t.Fatal(err)
					}
					break
				}
			}
			c.at(s, 1)
		}
	}
	for s := range stageCount {
		if s != packing && !madeIn.has(s) || !told.has(s) {
			t.Errorf("nothing is told of %s", stages[s].name)
		}
	}
	last := 0.0
	for _, one := range told {
		if !(one.share >= last && one.share < last+0.1) {
			t.Errorf("from %v to %v: %s", last, one.share, one.doing)
		}
		last = one.share
	}
	if last != 1 {
		t.Errorf("at the end the share is %v", last)
	}
}

// The same program is packed once, and again where the cache has another or a damaged one; without a cache all the
// same.
func TestPackedOnce(t *testing.T) {
	cache := filepath.Join(t.TempDir(), "new")
	file, occupied := filepath.Join(cache, programFile), filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	first, second := bytes.Repeat([]byte("first"), 100), bytes.Repeat([]byte("second"), 100)
	for k, c := range []struct {
		program []byte
		cache   string
		packs   bool
		damage  bool
	}{
		{first, cache, true, false}, {first, cache, false, false}, {second, cache, true, false},
		{second, cache, false, false}, {second, cache, true, true}, {second, cache, false, false},
		{second, "", true, false}, {second, occupied, true, false},
	} {
		if c.damage {
			if err := os.Truncate(file, 9); err != nil {
				t.Fatal(err)
			}
		}
		packs := false
		packed, err := packedOnce(context.Background(), c.program, c.cache, func(float64) { packs = true })
		if err != nil || !unpacksTo(packed, c.program) || packs != c.packs {
			t.Errorf("%d: packed %v, want %v; right: %v; %v", k, packs, c.packs, unpacksTo(packed, c.program), err)
		}
	}
}

// What a former site has is taken if it is this program, whole.
func TestUnpacksTo(t *testing.T) {
	program := bytes.Repeat([]byte("program"), 100)
	packed, err := pack(context.Background(), program, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		packed, program []byte
		want            bool
	}{
		{packed, program, true}, {packed, program[1:], false}, {packed, program[:99], false},
		{packed[:len(packed)-1], program, false}, {packed, append(program, 0), false}, {nil, program, false},
	} {
		if got := unpacksTo(c.packed, c.program); got != c.want {
			t.Errorf("%d bytes unpack to a program of %d: %v", len(c.packed), len(c.program), got)
		}
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := pack(ended, program, func(float64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("what is not wanted any more is packed: %v", err)
	}
}

// A page for each figure has what the command prints for it.
func TestSite_HasEachFigure(t *testing.T) {
	site := all(t)
	for _, d := range engine.Descriptions() {
		text := site[figurePage(d.Name)]
		a := usual(t, d.Name)
		for _, want := range append([]string{a.Digest, d.Command}, a.Statements[0].Verdict) {
			if !bytes.Contains(text, []byte(want)) {
				t.Errorf("%s lacks %q", d.Name, want)
			}
		}
		// The card says which data they are, and its title no others.
		_, card, _ := strings.Cut(string(site["figures/index.html"]), `href="`+d.Name+`.html"`)
		if card, _, _ = strings.Cut(card, "</li>"); !strings.Contains(card, "Here on "+d.On+".") ||
			strings.Contains(card, "a9a") || strings.Contains(card, "5,000") {
			t.Errorf("the card of %s is %q", d.Name, card)
		}
		for _, c := range a.Charts {
			if c.SVG != "" && !bytes.Contains(site["figures/"+d.Name+"/"+c.Name+".svg"], []byte("<style>:root")) {
				t.Errorf("%s has no picture of %s", d.Name, c.Name)
			}
		}
		if testing.Verbose() {
			t.Logf("%s: %.1f s", d.Name, a.Seconds)
		}
	}
}

func TestRender(t *testing.T) {
	text := "# The `title`\n\nAbout *it*\nall.\n\n## Same, twice!\n\n[a](b.md#x) ![p](c.svg)\n\n## Same, twice!\n\n" +
		"| a |\n|--:|\n| 1 |\n\n<!-- a comment -->\n\n```text\n<b>\n```\n"
	var asked []string
	r, err := render("x.md", []byte(text), func(to string) (string, error) {
		asked = append(asked, to)
		return "to-" + to, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.title.Text != "The title" || r.title.ID != "the-title" || r.about != "About it all." {
		t.Errorf("title %+v, about %q", r.title, r.about)
	}
	if !slices.Equal(asked, []string{"b.md#x", "c.svg"}) {
		t.Errorf("asked for %q", asked)
	}
	for _, want := range []string{`<h2 id="same-twice">`, `<h2 id="same-twice-1">`, `href="to-b.md#x"`,
		`<img src="to-c.svg" alt="p" loading="lazy">`, `<th align="right">`,
		`<div class="scroll" tabindex="0" role="group" aria-label="Table">`,
		"&lt;b&gt;"} {
		if !strings.Contains(string(r.html), want) {
			t.Errorf("%s lacks %s", r.html, want)
		}
	}
	if strings.Contains(string(r.html), "The <code>title") {
		t.Error("the title is in the text, too")
	}
	for _, html := range []string{"a <b>word</b>\n", "<div>block</div>\n", "<img src=x onerror=alert(1)>\n"} {
		if _, err := render("x.md", []byte(html), nil); err == nil || !strings.Contains(err.Error(), "x.md has HTML") {
			t.Errorf("%q is taken: %v", html, err)
		}
	}
}

// Links of texts that lead nowhere end the making of a site, with the text and the link.
func TestPlaces(t *testing.T) {
	with := func(text string) error {
		root := fstest.MapFS{"README.md": {Data: []byte("# A\n\n" + text)},
			"docs/b.md":       {Data: []byte("# B\n\n## C d\n")},
			"CONTRIBUTING.md": {Data: []byte("# C\n")}, "CHANGELOG.md": {Data: []byte("# D\n")},
			"x/y.go": {Data: []byte("package y\n")}, "results/r/README.md": {Data: []byte("# R\n")}}
		p, err := newPlaces(root)
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.documents()
		return err
	}
	for text, want := range map[string]string{
		"[a](docs/b.md#c-d) [b](#a) [c](x/y.go) [d](results/r) [e](https://example.org/#q)": "",
		"[a](docs/c.md)":      "README.md: the link to docs/c.md leads nowhere",
		"[a](docs/b.md#c-e)":  "README.md: a link names docs/b.md#c-e",
		"[a](#z)":             "README.md: a link names README.md#z",
		"![a](x/picture.svg)": "README.md: the link to x/picture.svg leads nowhere",
		"[a](../outside.md)":  "leads nowhere",
		"[a](x)":              "leads nowhere",
		"[a](/etc/passwd)":    "leads nowhere",
		"[a](docs/%zz)":       "README.md: the link to docs/%zz",
	} {
		err := with(text)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// A slider stops at the ends and at the usual value, which changes nothing.
func TestControls(t *testing.T) {
	for _, d := range engine.Descriptions() {
		for k, c := range controls(d.Parameters) {
			p := d.Parameters[k]
			if c.Usual < 0 || len(c.Positions) < 2 {
				t.Fatalf("%s, %s: position %d of %d", d.Name, p.Key, c.Usual, len(c.Positions))
			}
			for _, v := range c.Positions {
				if err := engine.Check(d.Name, map[string]string{p.Key: v.Value}); err != nil {
					t.Errorf("%s: %v", d.Name, err)
				}
			}
			if p.Values == nil &&
				(c.Positions[0].Value != written(p.Min) || c.Positions[c.Last()].Value != written(p.Max)) {
				t.Errorf("%s, %s goes from %s to %s", d.Name, p.Key, c.Positions[0].Value, c.Positions[c.Last()].Value)
			}
			if p.Scale == "log" && (len(c.Positions) < 20 || len(c.Positions) > 101) {
				t.Errorf("%s, %s has %d positions", d.Name, p.Key, len(c.Positions))
			}
			for _, stop := range stops(t, &p) {
				if !slices.ContainsFunc(c.Positions, func(v engine.Value) bool { return v.Value == stop }) {
					t.Errorf("%s, %s does not stop at %s", d.Name, p.Key, stop)
				}
			}
		}
	}
}

// stops are the values of a slider from its low end to its high one, both among them, however wide it is: by steps, or
// by twentieths of a decade in two digits.
func stops(t *testing.T, p *engine.Parameter) (all []string) {
	t.Helper()
	if p.Values != nil {
		return nil
	}
	if !(p.Min < p.Max) {
		t.Fatalf("%s goes from %v to %v", p.Key, p.Min, p.Max)
	}
	for k := 0; ; k++ {
		v := p.Min + float64(k)*p.Step
		digits := 9
		if p.Scale == "log" {
			v, digits = p.Min*math.Pow(10, float64(k)/20), 2
		}
		if !(v < p.Max*(1-1e-9)) {
			return append(all, strconv.FormatFloat(p.Max, 'g', -1, 64))
		}
		if k == 0 {
			digits = -1
		}
		v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
		if err != nil {
			t.Fatal(err)
		}
		if v < p.Max {
			all = append(all, strconv.FormatFloat(v, 'g', -1, 64))
		}
	}
}

// The examples of the playground can be run there: what they need is in the program, and they take seconds.
func TestExamples(t *testing.T) {
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	some, err := examples(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(some) < 10 || some[0].Name != "quickstart" {
		t.Fatalf("%d examples, the first %q", len(some), some[0].Name)
	}
	for _, e := range some {
		s, err := scenarios.Parse("scenario", []byte(e.Text))
		if err != nil {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		if testing.Short() {
			continue
		}
		info, _, err := experiment.New(s, "").Measure(context.Background(), 1, 2)
		early := (*experiment.EarlyEnd)(nil)
		if err != nil && !errors.As(err, &early) {
			t.Errorf("%s: %v", e.Name, err)
			continue
		}
		t.Logf("%s: %.2f s", e.Name, info.Wall)
		if !(info.Wall < 5) {
			t.Errorf("%s takes %.1f s", e.Name, info.Wall)
		}
	}
}

// A site takes the place of a former one, and of nothing else.
func TestPlace(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	write := func(files ...string) error {
		former, err := formerly(dir)
		if err != nil {
			return err
		}
		all := map[string][]byte{}
		for _, f := range files {
			all[f] = []byte(f)
		}
		return place(dir, all, former, "v")
	}
	there := func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	}
	if err := write("a.html", "b/c.html"); err != nil || !there("a.html") || !there("b/c.html") {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "CNAME"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write("a.html", "d.html"); err != nil || !there("d.html") || there("b/c.html") || !there("CNAME") {
		t.Errorf("the former site is not replaced, or more than it is: %v", err)
	}
	// A list that names files elsewhere removes none.
	outside := filepath.Join(filepath.Dir(dir), "outside")
	if err := errors.Join(os.WriteFile(outside, nil, 0o644), os.WriteFile(filepath.Join(dir, manifest),
		[]byte(`{"by": "overhear", "files": ["../outside"]}`), 0o644), write("a.html")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(outside); err != nil {
		t.Error("a file outside is removed")
	}
	if err := os.WriteFile(filepath.Join(dir, manifest), []byte(`{"by": "another"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write("a.html"); !errors.Is(err, ErrOccupied) {
		t.Errorf("a directory of something else is taken: %v", err)
	}
}

func TestRoot(t *testing.T) {
	if _, err := Root(t.TempDir()); !errors.Is(err, ErrNoRepository) {
		t.Errorf("a directory elsewhere is a clone: %v", err)
	}
	root, err := Root(".")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "docs", "design.md")); errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s has no documents", root)
	}
}
