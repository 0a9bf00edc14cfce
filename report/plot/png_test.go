// Facts about images as PNG files.

package plot

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"testing"
)

// A chart takes a byte a pixel, no pixel is off by what can be seen, and the drawing before has left nothing.
func TestPNG_LooksAsDrawn(t *testing.T) {
	line := Line{X: []float64{1, 2, 3}, Y: []float64{1, 9, 4}}
	chart := Chart{Title: "t", X: Linear("x"), Y: Log("loss"), Lines: []Line{line}}
	first := chart.Picture().PNG()
	Chart{X: Linear("other"), Y: Linear("y"), Width: 600, Lines: chart.Lines}.Picture().PNG()
	if !bytes.Equal(first, chart.Picture().PNG()) {
		t.Error("a repeat has other bytes")
	}
	m, err := png.Decode(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := m.(*image.Paletted); !ok {
		t.Errorf("the chart is %T", m)
	}
	if r, g, b, _ := m.At(0, 0).RGBA(); r&g&b != 0xffff {
		t.Error("the ground is not white")
	}
}

// Colours that are nearly equal become one; where there are too many others, each is kept.
func TestEasel_Colours(t *testing.T) {
	for _, c := range []struct {
		step, worst int
		paletted    bool
	}{{0, 0, true}, {1, 3, true}, {4, 0, false}} {
		e := new(easel)
		m := e.image(40, 40)
		for k := range 1600 {
			shade := uint8(min(255, 10+c.step*(k%60)))
			m.SetRGBA(k%40, k/40, color.RGBA{shade, 255 - shade, uint8(c.step * (k / 60)), 255})
		}
		got, err := png.Decode(bytes.NewReader(e.encode(m)))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := got.(*image.Paletted); ok != c.paletted {
			t.Errorf("step %d: %T", c.step, got)
		}
		worst := 0.0
		for k := range 1600 {
			a, b := m.RGBAAt(k%40, k/40), color.RGBAModel.Convert(got.At(k%40, k/40)).(color.RGBA)
			worst = max(worst, math.Abs(float64(a.R)-float64(b.R)), math.Abs(float64(a.G)-float64(b.G)),
				math.Abs(float64(a.B)-float64(b.B)), math.Abs(float64(a.A)-float64(b.A)))
		}
		if !(worst <= float64(c.worst)) {
			t.Errorf("step %d: a colour is off by %v", c.step, worst)
		}
	}
}
