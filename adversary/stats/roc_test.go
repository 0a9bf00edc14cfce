// The curve of samples whose law is known, and of small ones by hand.

package stats

import (
	"math"
	"testing"

	"overhear/record"
	"overhear/sim"
)

// phi is the normal distribution function.
func phi(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

// normals are draws from N(mean, 1).
func normals(n int, mean float64, seed uint64, world string) []float64 {
	s := sim.NewStream(seed, "test of audit statistics, world "+world)
	x := make([]float64, n)
	for k := range x {
		x[k] = mean + s.Normal()
	}
	return x
}

func TestCurve_Gaussian(t *testing.T) {
	const n = 20000
	for seed, mu := range []float64{0, 0.5, 1, 2, 4} {
		_, p, err := Curve(normals(n, mu, uint64(seed), "A"), normals(n, 0, uint64(seed), "B"))
		if err != nil {
			t.Fatal(err)
		}
		margin := 5 / math.Sqrt(n) // the sd of each is below 1/(2√n), that of TPR as FPR varies apart
		if want := phi(mu / math.Sqrt2); !(math.Abs(float64(p.AUC)-want) <= margin) {
			t.Errorf("μ = %v: AUC %v, want %v", mu, p.AUC, want)
		}
		if want := 2*phi(mu/2) - 1; !(math.Abs(float64(p.Advantage)-want) <= margin) {
			t.Errorf("μ = %v: advantage %v, want %v", mu, p.Advantage, want)
		}
		if want := phi(mu - 2.3263478740408408); !(math.Abs(float64(p.TPR1)-want) <= 2*margin) {
			t.Errorf("μ = %v: TPR at 1 %% %v, want %v", mu, p.TPR1, want)
		}
		if !(p.TPR01 <= p.TPR1) || !(p.TPR0 <= p.TPR01) {
			t.Errorf("μ = %v: TPR does not fall with FPR: %+v", mu, p)
		}
	}
}

func TestCurve_ByHand(t *testing.T) {
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		a, b                       []float64
		auc, advantage, tpr0, tpr1 float64
		points                     [][2]float64 // FPR, TPR
	}{
		"apart":         {[]float64{3, 2}, []float64{1, 0, -1}, 1, 1, 1, 1, [][2]float64{{0, 0}, {0, 1}, {1, 1}}},
		"the wrong way": {[]float64{1, 1}, []float64{2, 2}, 0, 0, 0, 0, [][2]float64{{0, 0}, {1, 0}, {1, 1}}},
		"all equal":     {[]float64{1, 1, 1}, []float64{1, 1}, 0.5, 0, 0, 0, [][2]float64{{0, 0}, {1, 1}}},
		"ties": {[]float64{2, 1}, []float64{1, 0}, 0.875, 0.5, 0.5, 0.5,
			[][2]float64{{0, 0}, {0, 0.5}, {0.5, 1}, {1, 1}}},
		"infinite": {[]float64{inf, 0}, []float64{0, -inf}, 0.875, 0.5, 0.5, 0.5,
			[][2]float64{{0, 0}, {0, 0.5}, {0.5, 1}, {1, 1}}},
		"ties at infinity": {[]float64{inf, inf}, []float64{inf, 0}, 0.75, 0.5, 0, 0,
			[][2]float64{{0, 0}, {0.5, 1}, {1, 1}}},
		"one each": {[]float64{1}, []float64{0}, 1, 1, 1, 1, [][2]float64{{0, 0}, {0, 1}, {1, 1}}},
	} {
		curve, p, err := Curve(c.a, c.b)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if float64(p.AUC) != c.auc || float64(p.Advantage) != c.advantage || float64(p.TPR0) != c.tpr0 ||
			float64(p.TPR1) != c.tpr1 {
			t.Errorf("%s: %+v, want %+v", name, p, c)
		}
		if len(curve) != len(c.points) {
			t.Errorf("%s: %v, want %v", name, curve, c.points)
			continue
		}
		for k, q := range curve {
			low, high := ClopperPearson(int(math.Round(q.TPR*float64(len(c.a)))), len(c.a), 0.95)
			if q.FPR != c.points[k][0] || q.TPR != c.points[k][1] || q.Low != low || q.High != high {
				t.Errorf("%s: point %d is %+v, want %v in [%v, %v]", name, k, q, c.points[k], low, high)
			}
		}
	}
}

// TPR at a low FPR is that of the last threshold which stays below it: the k-th
// largest value of b lets k runs through.
func TestCurve_TPRAtLowFPR(t *testing.T) {
	var a, b []float64
	for k := range 2000 {
		b = append(b, float64(k))
	}
	// 10 of 100 above all of b; 20 more above all but 2, which are 0.1 %; 30 more
	// above all but 20, which are 1 %.
	for k := range 100 {
		switch {
		case k < 10:
			a = append(a, 3000)
		case k < 30:
			a = append(a, 1997.5)
		case k < 60:
			a = append(a, 1979.5)
		default:
			a = append(a, -1)
		}
	}
	_, p, err := Curve(a, b)
	if err != nil || p.TPR0 != 0.1 || p.TPR01 != 0.3 || p.TPR1 != 0.6 ||
		!(math.Abs(float64(p.Advantage)-0.59) <= 1e-12) {
		t.Errorf("%+v, %v", p, err)
	}
}

// AUC is a count of pairs, whatever the ties.
func TestCurve_AUCIsMannWhitney(t *testing.T) {
	s := sim.NewStream(1, "test of ties")
	for range 50 {
		a, b := make([]float64, 1+s.IntN(40)), make([]float64, 1+s.IntN(40))
		for k := range a {
			a[k] = float64(s.IntN(8))
		}
		for k := range b {
			b[k] = float64(s.IntN(7))
		}
		wins, advantage := 0.0, 0.0
		for _, x := range a {
			tp, fp := 0.0, 0.0
			for _, y := range b {
				if x > y {
					wins++
				} else if x == y {
					wins += 0.5
				}
				if y >= x {
					fp++
				}
			}
			for _, y := range a {
				if y >= x {
					tp++
				}
			}
			advantage = max(advantage, tp/float64(len(a))-fp/float64(len(b)))
		}
		_, p, err := Curve(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if want := wins / float64(len(a)*len(b)); !(math.Abs(float64(p.AUC)-want) <= 1e-12) ||
			!(math.Abs(float64(p.Advantage)-advantage) <= 1e-12) {
			t.Errorf("AUC %v and advantage %v, want %v and %v", p.AUC, p.Advantage, want, advantage)
		}
	}
}

// A long curve is shortened without losing its ends, the points that the power
// speaks of, or its area.
func TestCurve_Shortened(t *testing.T) {
	const n = 30000
	curve, p, err := Curve(normals(n, 1, 7, "A"), normals(n, 0, 7, "B"))
	if err != nil {
		t.Fatal(err)
	}
	if len(curve) > 400 || len(curve) < 200 {
		t.Errorf("%d points", len(curve))
	}
	area := 0.0
	wanted := map[record.Number]bool{p.TPR0: true, p.TPR01: true, p.TPR1: true, 1: true}
	low := 0
	for k, q := range curve {
		delete(wanted, record.Number(q.TPR))
		if !(q.Low <= q.TPR) || !(q.High >= q.TPR) {
			t.Errorf("bounds of %+v", q)
		}
		if q.FPR < 0.01 {
			low++
		}
		if k == 0 {
			continue
		}
		if !(q.FPR >= curve[k-1].FPR) || !(q.TPR >= curve[k-1].TPR) {
			t.Errorf("falls from %+v to %+v", curve[k-1], q)
		}
		area += (q.FPR - curve[k-1].FPR) * (q.TPR + curve[k-1].TPR) / 2
	}
	if len(wanted) > 0 {
		t.Errorf("points with TPR %v are lost", wanted)
	}
	if low < 50 {
		t.Errorf("%d points below 1 %%", low)
	}
	if curve[0].FPR != 0 || curve[0].TPR != 0 || curve[len(curve)-1].FPR != 1 ||
		!(math.Abs(area-float64(p.AUC)) <= 1e-3) {
		t.Errorf("from %+v to %+v, area %v, want %v", curve[0], curve[len(curve)-1], area, p.AUC)
	}
}

func TestCurve_Refuses(t *testing.T) {
	one := []float64{1}
	for _, c := range [][2][]float64{{nil, one}, {one, nil}, {one, {math.NaN()}}, {{0, math.NaN()}, one}} {
		if _, _, err := Curve(c[0], c[1]); err == nil {
			t.Errorf("%v is accepted", c)
		}
	}
}
