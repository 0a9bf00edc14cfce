// Facts about normal numbers decided by a word.

package sim

import (
	"fmt"
	"math"
	"testing"
)

// The layers have equal areas and cover the density from 0 to the tail.
func TestZiggurat_LayersHaveEqualAreas(t *testing.T) {
	tail := math.Sqrt(math.Pi/2) * math.Erfc(tailStart/math.Sqrt2)
	if got := tailStart*math.Exp(-tailStart*tailStart/2) + tail; !(math.Abs(got/layerArea-1) <= 1e-14) {
		t.Errorf("the lowest layer has area %v, not %v", got, layerArea)
	}
	for i := 1; i < layers; i++ {
		l := &ziggurat[i]
		if got := l.width * 0x1p53 * (l.high - l.low); !(math.Abs(got/layerArea-1) <= 1e-11) {
			t.Errorf("layer %d has area %v, not %v", i, got, layerArea)
		}
		if i > 1 && l.low != ziggurat[i-1].high {
			t.Errorf("layer %d begins at %v, the one below ends at %v", i, l.low, ziggurat[i-1].high)
		}
	}
	if top := ziggurat[layers-1].high; top != 1 {
		t.Errorf("the highest layer ends at %v", top)
	}
}

// The law is the normal one to what four million draws can tell.
func TestNormal_Law(t *testing.T) {
	for _, wrong := range notNormal(normal) {
		t.Error(wrong)
	}
}

// The test of the law sees what a mistake in the method would do.
func TestNormal_LawIsTested(t *testing.T) {
	for what, draw := range map[string]func(w uint64) float64{
		"no rejection": func(w uint64) float64 {
			return math.Copysign(float64(int64(w>>11))*ziggurat[w%layers].width, float64(int64(w<<55)))
		},
		"no tail":                    func(w uint64) float64 { return max(-tailStart, min(tailStart, normal(w))) },
		"size from the layer's bits": func(w uint64) float64 { return normal(w%layers<<56 | w<<8>>8) },
		"a variance of 1.004":        func(w uint64) float64 { return 1.002 * normal(w) },
	} {
		if notNormal(draw) == nil {
			t.Errorf("%s is not seen", what)
		}
	}
}

// notNormal says in what the law of draws is not the normal one: as a whole, in its tails, in its moments, and within
// each layer, where an error would hide in the whole.
func notNormal(draw func(w uint64) float64) (wrong []string) {
	report := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	const n = 1 << 22
	const classes = 4096 // equally likely, and narrower than any layer but in the tail
	var moments [5]float64
	var beyond [6]float64 // by k: |x| > k
	var count [classes]float64
	for i := range uint64(n) {
		v := draw(mix(packetWord(5, 3, i) + decidesDelay))
		power := 1.0
		for k := range moments {
			moments[k] += power / n
			power *= v
		}
		for k := range beyond {
			if math.Abs(v) > float64(k) {
				beyond[k]++
			}
		}
		count[min(classes-1, int(classes*normalCDF(v)))]++
	}
	for k, want := range []float64{1, 0, 1, 0, 3} {
		sd := math.Sqrt([]float64{0, 1, 2, 15, 96}[k] / n)
		if math.Abs(moments[k]-want) > 4*sd+1e-9 {
			report("moment %d is %v, not %v ± %v", k, moments[k], want, sd)
		}
	}
	for k, got := range beyond {
		p := math.Erfc(float64(k) / math.Sqrt2)
		if sd := math.Sqrt(n * p * (1 - p)); math.Abs(got-n*p) > 4*sd+1 {
			report("%v draws are beyond %d, not %v ± %v", got, k, n*p, sd)
		}
	}
	square, below, distance := 0.0, 0.0, 0.0
	for k, c := range count {
		square += (c - n/classes) * (c - n/classes) / (n / classes)
		below += c / n
		distance = max(distance, math.Abs(below-float64(k+1)/classes))
	}
	if math.Abs(square-(classes-1)) > 4*math.Sqrt(2*(classes-1)) {
		report("χ² of %d classes is %v", classes, square)
	}
	if distance > 1.95/math.Sqrt(n) { // one in a thousand
		report("√n times the KS distance is %v", math.Sqrt(n)*distance)
	}
	return wrong
}

// Neighbouring words have nothing in common: layer, sign and size come from different bits.
func TestNormal_SignIsNoPartOfSize(t *testing.T) {
	for k := range uint64(1000) {
		w := mix(k)
		a, b := normal(w&^layers), normal(w|layers)
		if w>>11 < ziggurat[w%layers].inside && a != -b {
			t.Fatalf("word %#x gives %v and with the other sign %v", w, a, b)
		}
	}
}
