// Pictures for papers: the same bytes every time, with texts that TeX takes.

package plot

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func paper() *Picture {
	return Chart{Title: "50 % of test_error", X: Log("η, 10⁻³ & more"), Y: Linear("test_error"), Width: 300,
		Height: 150, Lines: []Line{{Label: "a#1", X: []float64{0.001, 0.01, 1}, Y: []float64{-1, 2, 3}}}}.Picture()
}

func TestPaperFormats(t *testing.T) {
	dir := t.TempDir()
	paths, err := paper().Write(dir, "x", Formats)
	if err != nil || len(paths) != 4 {
		t.Fatal(paths, err)
	}
	again := t.TempDir()
	if _, err := paper().Write(again, "x", Formats); err != nil {
		t.Fatal(err)
	}
	for format, begins := range map[string]string{"svg": "<svg", "png": "\x89PNG", "pdf": "%PDF-", "pgf": "%"} {
		text, err := os.ReadFile(filepath.Join(dir, "x."+format))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte(begins)) {
			t.Errorf("%s begins with %q", format, text[:20])
		}
		if other, _ := os.ReadFile(filepath.Join(again, "x."+format)); !bytes.Equal(text, other) {
			t.Errorf("%s has other bytes the second time", format)
		}
	}
	if _, err := paper().Write(dir, "x", []string{"gif"}); err == nil {
		t.Error("gif is written")
	}
	if p := paper(); p.Width != 300 {
		t.Errorf("the picture is %v points wide", p.Width)
	}
}

func TestPGF_TextsAreForTeX(t *testing.T) {
	text := string(paper().PGF())
	for _, want := range []string{`\begin{pgfpicture}`, `$\eta$, 10\textsuperscript{$-$3} \& more`, `test\_error`,
		`a\#1`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if !strings.Contains(text, `50 \% of test\_error`) {
		t.Error("the title is not in the picture")
	}
}

// What stands between dollar signs is TeX for TeX, and signs elsewhere; a dollar sign alone is one.
func TestLabels_AreMathematics(t *testing.T) {
	for label, want := range map[string][2]string{
		`step $\eta$ of $10^{-3}$`: {`step $\eta$ of $10^{-3}$`, "step η of 10⁻³"},
		`$\varepsilon \leq \|x\|$`: {`$\varepsilon \leq \|x\|$`, "ε ≤ ‖x‖"},
		`cost in $`:                {`cost in \$`, "cost in $"},
		"ε of a_1 − 2":             {`$\varepsilon$ of a\_1 $-$ 2`, "ε of a_1 − 2"},
	} {
		if got := forTeX(label); got != want[0] {
			t.Errorf("%s is %s for TeX, want %s", label, got, want[0])
		}
		if got := plainMath(label); got != want[1] {
			t.Errorf("%s is %s in words, want %s", label, got, want[1])
		}
	}
	c := Chart{X: Linear(`$\eta$`), Y: Linear("loss"), Lines: []Line{{X: []float64{1, 2}, Y: []float64{1, 2}}}}
	if svg := string(c.Picture().SVG()); !strings.Contains(svg, ">η<") || strings.Contains(svg, `\eta`) {
		t.Error("an SVG has TeX in it")
	}
}

func TestStyle(t *testing.T) {
	c := Chart{Title: "t", X: Axis{Label: "method", Names: []string{"admm", "dgd"}}, Y: Linear("loss"),
		Lines: []Line{{Label: "a", Look: Scatter, X: []float64{0, 1}, Y: []float64{1, 2}, Low: []float64{0, 1},
			High: []float64{2, 3}}}}
	s := Style{Formats: []string{"svg", "pgf"}, Labels: map[string]string{"loss": `$L$`, "a": "first"}, Width: 200}
	dir := t.TempDir()
	paths, err := s.Save(c, dir, "x")
	if err != nil || len(paths) != 2 {
		t.Fatal(paths, err)
	}
	text, err := os.ReadFile(paths[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"$L$", "first", "admm", "dgd"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in the figure", want)
		}
	}
	if w := s.Of(c).Picture().Width; w != 200 || c.Lines[0].Label != "a" {
		t.Errorf("it is %v wide, and the chart has changed: %v", w, c.Lines[0].Label)
	}
}
