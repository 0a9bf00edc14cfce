// The axes of charts: their ranges, and one rule for what is marked on them.

package plot

import (
	"math"
	"slices"
	"strconv"
)

// Axis is one of the two axes of a chart.
type Axis struct {
	Label     string // what it shows in words, with its unit
	Log       bool
	Low, High float64 // its range; equal: that of the data
	Whole     bool    // integers only are labelled
	Zero      float64 // on a logarithmic axis, where 0 is drawn; 0: nowhere

	Names []string // of categories, which stand at 0, 1, …; nil: the axis is of numbers

	extra float64 // points that the axis is longer in a wide chart than in a usual one
}

// Linear is an axis whose range is that of the data.
func Linear(label string) Axis { return Axis{Label: label} }

// Log is a logarithmic axis whose range is that of the data. What is not positive is left out.
func Log(label string) Axis { return Axis{Label: label, Log: true} }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// place is where a value is drawn; not ok where it has no place on the axis.
func (a *Axis) place(v float64) (at float64, ok bool) {
	if a.Log && v == 0 && a.Zero > 0 {
		return a.Zero, true
	}
	return v, finite(v) && (!a.Log || v > 0)
}

// edge is the place of a value at which an area ends; what lies beyond the axis is at its end.
func (a *Axis) edge(v float64) float64 {
	at, ok := a.place(v)
	if !ok && !(v > 0) || at < a.Low {
		return a.Low
	}
	return math.Min(at, a.High)
}

// measure takes the range from the data where none is given; false if there are none.
func (a *Axis) measure(values []float64) bool {
	if a.Names != nil {
		a.Low, a.High = -0.5, float64(len(a.Names))-0.5
	}
	if a.Low != a.High {
		return true
	}
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range values {
		if at, ok := a.place(v); ok {
			low, high = math.Min(low, at), math.Max(high, at)
		}
	}
	if low > high {
		return false
	}
	switch {
	case a.Log && high < 3*low:
		low, high = low/2, high*2
	case a.Log:
		room := math.Pow(high/low, 0.04)
		low, high = low/room, high*room
	case low == high:
		room := math.Max(0.5, 0.1*math.Abs(low))
		low, high = low-room, high+room
	default:
		room := 0.04 * (high - low)
		if low < 0 || low > 0.3*high {
			low -= room
		} else {
			low = 0
		}
		high += room
	}
	a.Low, a.High = low, high
	return true
}

// at is where a value is, 0 at the low end and 1 at the high.
func (a *Axis) at(v float64) float64 {
	if a.Log {
		return math.Log(v/a.Low) / math.Log(a.High/a.Low)
	}
	return (v - a.Low) / (a.High - a.Low)
}

// How long axes are at least, in points.
const (
	acrossRoom = 340.0
	upRoom     = 170.0
)

// ticks are the marks of the axis. Where labels would meet, only every second, fifth or tenth is left.
func (a *Axis) ticks(upright bool) []tick {
	var kept []tick
	if a.Names != nil {
		for k, name := range a.Names {
			room := (acrossRoom + a.extra) / float64(len(a.Names)) / wider
			kept = append(kept, tick{value: float64(k), label: fold(name, TextSize, room, 3)})
		}
		return kept
	}
	if a.Log && a.Zero > 0 {
		kept = append(kept, tick{value: a.Zero, label: "0"})
	}
	for _, t := range a.round() {
		at := a.at(t.value)
		if at < -1e-9 || at > 1+1e-9 || a.Log && a.Zero > 0 && t.value < 2*a.Zero {
			continue
		}
		if t.label != "" {
			t.label = Typeset(t.label)
		}
		kept = append(kept, t)
	}
	for _, every := range []int{1, 2, 5, 10} {
		if thinned := thin(kept, every); every == 10 || !a.meet(thinned, upright) {
			return thinned
		}
	}
	return nil
}

// thin leaves a label on every so many of the labelled ticks, among them the one of 0.
func thin(ticks []tick, every int) []tick {
	var labelled []int
	zero := 0
	for k, t := range ticks {
		if t.label == "0" {
			zero = len(labelled)
		}
		if t.label != "" {
			labelled = append(labelled, k)
		}
	}
	all := slices.Clone(ticks)
	for n, k := range labelled {
		if (n-zero)%every != 0 {
			all[k].label = ""
		}
	}
	return all
}

// meet says whether labels meet.
func (a *Axis) meet(ticks []tick, upright bool) bool {
	end := math.Inf(-1) // of the last label
	for _, t := range ticks {
		if t.label == "" {
			continue
		}
		half, middle := Width(t.label, TextSize)*wider/2, a.at(t.value)*(acrossRoom+a.extra)
		if upright {
			half, middle = TextSize/2, a.at(t.value)*upRoom
		}
		if middle-half < end+3 {
			return true
		}
		end = middle + half
	}
	return false
}

// round marks about five round numbers, 1, 2 or 5 times a power of ten apart; on a logarithmic axis powers of ten,
// all written so where they are many.
func (a *Axis) round() []tick {
	if a.Log {
		ticks := decades(a.Low, a.High)
		for k, t := range ticks {
			if t.label != "" && t.value != 1 && a.High > 1e4*a.Low {
				ticks[k].label = strconv.FormatFloat(t.value, 'e', 0, 64)
			}
		}
		return ticks
	}
	return a.steps()
}

// steps marks round numbers at equal distances.
func (a *Axis) steps() []tick {
	size := (a.High - a.Low) / 5
	ten := math.Pow(10, math.Floor(math.Log10(size)))
	step := ten
	for _, m := range []float64{2, 5, 10} {
		if step < 0.6*size {
			step = m * ten
		}
	}
	if a.Whole {
		step = math.Max(1, step)
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []tick
	for k := math.Ceil(a.Low/step - 1e-9); k*step <= a.High+1e-9*step; k++ {
		label := strconv.FormatFloat(k*step, 'f', decimals, 64)
		if k == 0 {
			label = "0"
		} else if step < 1e-4 || step > 1e5 {
			digits := math.Floor(math.Log10(math.Abs(k*step))+1e-9) - math.Floor(math.Log10(step)+1e-9)
			label = strconv.FormatFloat(k*step, 'e', max(0, int(digits)), 64)
		}
		ticks = append(ticks, tick{value: k * step, label: label})
	}
	return ticks
}

// decades marks powers of ten, at most about eight of them labelled, and their multiples where there are few. Less
// than two decades are labelled 1, 2, 5, 10, …, or like a linear axis if that leaves fewer than two labels.
func decades(low, high float64) []tick {
	if high < 100*low {
		return oneTwoFive(low, high)
	}
	first, last := int(math.Floor(math.Log10(low))), int(math.Ceil(math.Log10(high)))
	step := max(1, (last-first+7)/8)
	var ticks []tick
	mark := func(v float64, label string) {
		if v >= low && v <= high {
			ticks = append(ticks, tick{value: v, label: label})
		}
	}
	for e := first; e <= last; e++ {
		v := math.Pow10(e)
		label := ""
		if e%step == 0 {
			label = strconv.FormatFloat(v, 'g', 6, 64)
		}
		mark(v, label)
		for k := 2; k < 10 && last-first <= 4; k++ {
			mark(float64(k)*v, "")
		}
	}
	return ticks
}

// oneTwoFive marks one digit times powers of ten, with labels at 1, 2 and 5.
func oneTwoFive(low, high float64) []tick {
	var ticks []tick
	labels := 0
	for e := int(math.Floor(math.Log10(low))); e <= int(math.Ceil(math.Log10(high))); e++ {
		for digit := 1; digit < 10; digit++ {
			v := float64(digit) * math.Pow10(e)
			if v < low*(1-1e-9) || v > high*(1+1e-9) {
				continue
			}
			label := ""
			if digit == 1 || digit == 2 || digit == 5 {
				label = strconv.FormatFloat(v, 'g', 6, 64)
				labels++
			}
			ticks = append(ticks, tick{value: v, label: label})
		}
	}
	if labels < 2 {
		return (&Axis{Low: low, High: high}).steps()
	}
	return ticks
}
