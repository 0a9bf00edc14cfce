// What is left of the fonts measures every text as the fonts do.

//go:build !page

package fonts_test

import (
	"bytes"
	"flag"
	"os"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"overhear/report/plot/fonts"
)

var update = flag.Bool("update", false, "write the files of a build for pages")

func TestMeasures(t *testing.T) {
	for name, file := range map[string][]byte{"regular.measures": fonts.Regular, "bold.measures": fonts.Bold} {
		left := fonts.Measures(file)
		if *update {
			if err := os.WriteFile(name, left, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if kept, err := os.ReadFile(name); err != nil || !bytes.Equal(kept, left) {
			t.Errorf("%s is not what Measures leaves of the font; go test ./report/plot/fonts -update writes it (%v)",
				name, err)
		}
		compare(t, name, parse(t, file), parse(t, left))
	}
}

func parse(t *testing.T, file []byte) *sfnt.Font {
	t.Helper()
	f, err := opentype.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// compare compares all that texts are measured by, of every character of the plane that the fonts have.
func compare(t *testing.T, name string, a, b *sfnt.Font) {
	t.Helper()
	var buffer sfnt.Buffer
	const size = 11 * 64
	var glyphs []sfnt.GlyphIndex
	for r := range rune(0x10000) {
		x, errX := a.GlyphIndex(&buffer, r)
		y, errY := b.GlyphIndex(&buffer, r)
		if x != y || errX != nil || errY != nil {
			t.Fatalf("%s: %q is glyph %d, of the font %d (%v, %v)", name, r, y, x, errY, errX)
		}
		if x == 0 {
			continue
		}
		if r < 0x500 {
			glyphs = append(glyphs, x)
		}
		v, errX := a.GlyphAdvance(&buffer, x, fixed.Int26_6(size), font.HintingNone)
		w, errY := b.GlyphAdvance(&buffer, x, fixed.Int26_6(size), font.HintingNone)
		if v != w || errX != nil || errY != nil {
			t.Fatalf("%s: %q is %v wide, in the font %v (%v, %v)", name, r, w, v, errY, errX)
		}
	}
	if len(glyphs) < 200 {
		t.Fatalf("%s has %d glyphs, and there is little to compare", name, len(glyphs))
	}
	for _, g := range glyphs[:150] {
		for _, h := range glyphs[:150] {
			v, errX := a.Kern(&buffer, g, h, fixed.Int26_6(size), font.HintingNone)
			w, errY := b.Kern(&buffer, g, h, fixed.Int26_6(size), font.HintingNone)
			if v != w || (errX == nil) != (errY == nil) {
				t.Fatalf("%s: glyphs %d and %d are moved by %v, in the font by %v (%v, %v)", name, g, h, w, v,
					errY, errX)
			}
		}
	}
	v, errX := a.Metrics(&buffer, fixed.Int26_6(size), font.HintingNone)
	w, errY := b.Metrics(&buffer, fixed.Int26_6(size), font.HintingNone)
	if v != w || errX != nil || errY != nil {
		t.Fatalf("%s: %v, the font: %v (%v, %v)", name, w, v, errY, errX)
	}
}
