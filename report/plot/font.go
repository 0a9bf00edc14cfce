// The house's font: Liberation Sans, upright, regular and bold.

package plot

import (
	"fmt"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	gonum "gonum.org/v1/plot/font"

	"overhear/report/plot/fonts"
)

// cache has those that texts are measured by and drawn with.
var cache = gonum.NewCache(gonum.Collection{
	liberation(font.WeightNormal, fonts.Regular), liberation(font.WeightBold, fonts.Bold),
})

func liberation(weight font.Weight, file []byte) gonum.Face {
	face, err := opentype.Parse(file)
	if err != nil {
		panic(fmt.Sprintf("plot: a font that is part of the program: %v", err))
	}
	f := gonum.Font{Typeface: "Liberation", Variant: "Sans", Weight: weight}
	return gonum.Face{Font: f, Face: face}
}
