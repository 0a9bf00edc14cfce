// Every two lines are told apart: by the colour-blind, on light and dark ground, and without colour.

package plot

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"testing"
)

// visions are what a viewer without one kind of cones sees, on linear RGB: Machado, Oliveira & Fernandes (2009),
// severity 1.
var visions = map[string][3][3]float64{
	"all cones": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {
		{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998},
	},
	"deuteranopia": {
		{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881},
	},
	"tritanopia": {
		{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900},
	},
}

func linear(c color.RGBA) (rgb [3]float64) {
	for i, v := range []uint8{c.R, c.G, c.B} {
		if s := float64(v) / 255; s <= 0.04045 {
			rgb[i] = s / 12.92
		} else {
			rgb[i] = math.Pow((s+0.055)/1.055, 2.4)
		}
	}
	return rgb
}

func luminance(c color.RGBA) float64 {
	l := linear(c)
	return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
}

// contrast is that of WCAG 2.
func contrast(a, b color.RGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (math.Max(x, y) + 0.05) / (math.Min(x, y) + 0.05)
}

// seen is a colour in CIE L*a*b*, as a viewer sees it.
func seen(c color.RGBA, vision [3][3]float64) (lab [3]float64) {
	l := linear(c)
	var v [3]float64
	for i, row := range vision {
		v[i] = math.Min(1, math.Max(0, row[0]*l[0]+row[1]*l[1]+row[2]*l[2]))
	}
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*v[0] + 0.3576*v[1] + 0.1805*v[2]) / 0.9505)
	y := f(0.2126*v[0] + 0.7152*v[1] + 0.0722*v[2])
	z := f((0.0193*v[0] + 0.1192*v[1] + 0.9505*v[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// apart is the least distance of two colours in L*a*b*; Okabe and Ito's palette with grey has 10.8.
const apart = 20

func TestPalette_CanBeToldApart(t *testing.T) {
	for name, of := range map[string]func(themed) color.RGBA{
		"light": func(c themed) color.RGBA { return c.light }, "dark": func(c themed) color.RGBA { return c.dark },
	} {
		for i, a := range palette {
			if got := contrast(of(a), of(groundInk)); !(got >= 3) {
				t.Errorf("%s on %s ground has a contrast of %.2f", a.name, name, got)
			}
			for j := range i {
				for kind, vision := range visions {
					p, q := seen(of(a), vision), seen(of(palette[j]), vision)
					d := math.Sqrt((p[0]-q[0])*(p[0]-q[0]) + (p[1]-q[1])*(p[1]-q[1]) + (p[2]-q[2])*(p[2]-q[2]))
					if !(d >= apart) {
						t.Errorf("%s and %s on %s ground, %s: %.1f apart", a.name, palette[j].name, name, kind, d)
					}
				}
			}
		}
	}
}

func TestPalette_WithoutColour(t *testing.T) {
	if len(palette) != MostLines {
		t.Errorf("%d colours for %d lines", len(palette), MostLines)
	}
	for i := range MostLines {
		for j := range i {
			if fmt.Sprint(dashes[i]) == fmt.Sprint(dashes[j]) ||
				reflect.TypeOf(glyphs[i]) == reflect.TypeOf(glyphs[j]) {
				t.Errorf("lines %d and %d have the same dashes or marks", j, i)
			}
		}
	}
}
