// Whole fonts, with which images and papers' pictures are drawn.

//go:build !page

package fonts

import (
	"codeberg.org/go-fonts/liberation/liberationsansbold"
	"codeberg.org/go-fonts/liberation/liberationsansregular"
)

// Regular and Bold are the fonts as TTF files.
var Regular, Bold = liberationsansregular.TTF, liberationsansbold.TTF
