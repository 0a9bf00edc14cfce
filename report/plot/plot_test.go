// Charts have content, say what they show, can be read by the colour-blind, and are the same bytes every time.

package plot

import (
	"bytes"
	"encoding/xml"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/record"
)

// decay is a run whose distance falls tenfold every ten rounds.
func decay(scale float64) *record.Table {
	t := &record.Table{Columns: []string{"round", "time_s", "loss", "distance"}}
	for k := range 41 {
		r := float64(k)
		t.Rows = append(t.Rows, []float64{r, 0.1 * r, 0.4 + scale*math.Exp(-r/5), scale * math.Pow(10, -r/10)})
	}
	return t
}

func TestRuns_SameBytesAndWithContent(t *testing.T) {
	runs := []*record.Table{decay(1), decay(2), decay(3)}
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		if err := Runs("decay", runs, dir, Style{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"loss-round", "loss-time_s", "distance-round", "distance-time_s"} {
		for _, format := range []string{"svg", "png"} {
			one, err := os.ReadFile(filepath.Join(a, name+"."+format))
			if err != nil {
				t.Fatal(err)
			}
			two, _ := os.ReadFile(filepath.Join(b, name+"."+format))
			if !bytes.Equal(one, two) {
				t.Errorf("%s.%s differs from one drawing to the next", name, format)
			}
			if format == "svg" {
				checkSVG(t, name, one)
				continue
			}
			m, err := png.Decode(bytes.NewReader(one))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			dark := 0
			for y := m.Bounds().Min.Y; y < m.Bounds().Max.Y; y++ {
				for x := m.Bounds().Min.X; x < m.Bounds().Max.X; x++ {
					if r, _, _, _ := m.At(x, y).RGBA(); r < 0x8000 {
						dark++
					}
				}
			}
			if dark < 2000 {
				t.Errorf("%s.png has %d dark points: nothing is drawn", name, dark)
			}
		}
	}
}

// checkSVG wants well-formed XML with lines and the axes' names.
func checkSVG(t *testing.T, name string, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	paths, words := 0, ""
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%s.svg: %v", name, err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "path" {
				paths++
			}
		case xml.CharData:
			words += string(token)
		}
	}
	x := "round"
	if strings.HasSuffix(name, "time_s") {
		x = "virtual time (s)"
	}
	if paths < 10 || !strings.Contains(words, x) || !strings.Contains(words, "decay") {
		t.Errorf("%s.svg has %d paths and the words %q", name, paths, words)
	}
}

// A run without an optimum has no distance and no figure of it.
func TestRuns_LeavesOutWhatIsNotThere(t *testing.T) {
	run := decay(1)
	for _, row := range run.Rows {
		row[3] = math.NaN()
	}
	dir := t.TempDir()
	if err := Runs("x", []*record.Table{run}, dir, Style{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "distance-round.svg")); err == nil {
		t.Error("a figure of no values")
	}
	if _, err := os.Stat(filepath.Join(dir, "loss-round.svg")); err != nil {
		t.Error(err)
	}
}

func TestDecades_Labels(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.05, 4, "0.05 0.1 0.2 0.5 1 2"},
		{0.31, 0.52, ""}, // one label only: a linear axis' ticks
		{1e-6, 1, "1e-06 1e-05 0.0001 0.001 0.01 0.1 1"},
	} {
		var labels []string
		for _, tick := range decades(c.low, c.high) {
			if tick.label != "" {
				labels = append(labels, tick.label)
			}
		}
		if got := strings.Join(labels, " "); c.want != "" && got != c.want {
			t.Errorf("from %v to %v: %s", c.low, c.high, got)
		}
		if len(labels) < 2 {
			t.Errorf("from %v to %v: labels %q", c.low, c.high, labels)
		}
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", -3: "−3", 0.5: "0.500", 1234.56: "1235", 0.00123456: "0.00123", 0.9996: "1.00", 9.999: "10.0",
		1e-6: "10⁻⁶", 1.2e-7: "1.20×10⁻⁷", -2.5e-9: "−2.50×10⁻⁹",
		123456.7: "1.23×10⁵", 1e300: "10³⁰⁰", math.Inf(1): "∞", math.Inf(-1): "−∞", 4800: "4800",
	} {
		if got := Number(v); got != want {
			t.Errorf("%v is written %q, not %q", v, got, want)
		}
	}
	if Number(math.NaN()) != "–" {
		t.Error("NaN")
	}
}
