// Whether a run has come to the optimum, measured against it.

package metrics

import (
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/record"
)

// What Converge takes for near, far and rising.
const (
	near        = 1e-3 // of the distance, in fractions of ‖f*‖: converged
	far         = 10   // times its start, or ‖f*‖ if that is more: a run that rises there diverges
	rising      = 1.25 // of a quarter's median over that of the quarter before
	loudRising  = 2    // the same amid noise, whose sum wanders
	leastRounds = 8    // of a run whose trend can be told
	unmoved     = 1e-2 // of the distance at the start: of a run that was never off it by more nothing can be told
	bent        = 0.6  // of the trend of a quarter, in that of another: it is not one trend
)

// Converge says of a run's rows how its distance to the optimum went, or its stationarity where it has that in place of
// it. Noisy: the method added noise, so that the distance rests above zero.
func Converge(rows []Row, noisy bool) *record.Convergence {
	c := &record.Convergence{State: record.Unknown, Factor: record.Number(math.NaN())}
	last := len(rows) - 1
	if last < 0 {
		return c
	}
	d := make([]float64, len(rows))
	stationary := math.IsNaN(rows[last].Distance) && !math.IsNaN(rows[last].Stationarity)
	if stationary {
		c.Of = record.OfGradient
	}
	for k := range rows {
		if d[k] = rows[k].Distance; stationary {
			d[k] = rows[k].Stationarity
		}
	}
	threshold := near
	if stationary { // a gradient that is small beside the steepest may be all there is: it must have fallen, too
		threshold = near * min(1, d[0])
	}
	switch end := d[last]; {
	case math.IsNaN(end):
		return c
	case math.IsInf(end, 1):
		c.State = record.Diverging
		return c
	case stationary && d[0] <= near && d[last] <= near && !(d[last] < threshold):
		c.Flat = true
		return c // a robust loss may be flat where a run starts: that is no progress
	case slices.Max(d[last-last/20:]) <= threshold:
		c.State = record.Converged
	case last < leastRounds:
		return c
	}
	slope, error := trend(d[last-last/2:])
	c.Factor = record.Number(num.Exp(slope))
	if c.State == record.Converged {
		return c
	}
	c.State = record.AtRest
	rounds := float64(last / 2)
	steep := math.Abs(slope)*rounds > 1e-3 && math.Abs(slope) > 4*error
	ratio := rising
	if noisy {
		ratio = loudRising
	}
	second, third, fourth := median(d[last/4:last/2]), median(d[last/2:3*last/4]), median(d[3*last/4:])
	rises := third > ratio*second && fourth > ratio*third
	switch {
	case rises && d[last] > far*max(1, d[0]):
		c.State = record.Diverging
	case steep && slope > 0 && !noisy, rises:
		c.State = record.MovingAway
	case steep && slope < 0:
		c.State = record.Moving
		// Half-way through that half the trend must have been the same for it to be continued.
		first, _ := trend(d[last-last/2 : last-last/4])
		second, _ := trend(d[last-last/4:])
		if !noisy && first < bent*second && second < bent*first {
			c.More = int(max(1, min(math.Ceil(num.Log(threshold/d[last])/slope), 1e9)))
		}
	case !noisy && !stationary && slices.Max(d)-slices.Min(d) <= unmoved*d[0]:
		c.State = record.Unknown
	}
	return c
}

// trend is the slope of ln d by round, by least squares, and its standard error.
func trend(d []float64) (slope, error float64) {
	n := float64(len(d))
	var x, y, xx, xy, yy float64
	for k, v := range d {
		t, l := float64(k)-float64((n-1)/2), num.Log(max(v, math.SmallestNonzeroFloat64))
		x, y, xx, xy, yy = x+t, y+l, xx+float64(t*t), xy+float64(t*l), yy+float64(l*l)
	}
	slope = xy / xx
	rest := max(0, yy-float64(y*y)/n-float64(slope*xy))
	return slope, math.Sqrt(rest / (n - 2) / xx)
}

func median(d []float64) float64 {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}
