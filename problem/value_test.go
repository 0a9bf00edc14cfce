// What a number is asked for, against expressions that say the same.

package problem

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestNumbers_AreWhatTheirExpressionsSay(t *testing.T) {
	padded := regexp.MustCompile(`^[-+]?0\d`)
	thirds := regexp.MustCompile(`^[-+]?[1-9]\d{0,2}\.\d{3}$`)
	const signs = "-+01.xX_p"
	read := 0
	var extend func(text string, more int)
	extend = func(text string, more int) {
		if isPadded(text) != padded.MatchString(text) || isThirds(text) != thirds.MatchString(text) {
			t.Fatalf("%q: padded %v, thirds %v", text, isPadded(text), isThirds(text))
		}
		if isWhole(text) != (strings.Trim(text, "-0123456789") == "") {
			t.Fatalf("%q: whole %v", text, isWhole(text))
		}
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			if read++; isGo(text) != strings.ContainsAny(text, "xX_") {
				t.Fatalf("%q: of Go %v", text, isGo(text))
			}
		}
		if more == 0 {
			return
		}
		for _, sign := range signs {
			extend(text+string(sign), more-1)
		}
	}
	extend("", 6)
	if read < 1000 {
		t.Errorf("only %d of the texts are numbers", read)
	}
	for _, text := range []string{"123.456", "-123.456", "1234.567", "123.4567", "+9.000", "0.123", "12.34a", "0x1_0p4",
		"-0X1p-2", "1.2.345"} {
		if isPadded(text) != padded.MatchString(text) || isThirds(text) != thirds.MatchString(text) {
			t.Errorf("%q: padded %v, thirds %v", text, isPadded(text), isThirds(text))
		}
	}
}
