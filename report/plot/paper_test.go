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
	for _, want := range []string{`\begin{pgfpicture}`, `η, 10\textsuperscript{$-$3} \& more`, `test\_error`, `a\#1`} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
	if strings.Contains(text, "50 ") {
		t.Error("the title is in the picture; the document gives it")
	}
}
