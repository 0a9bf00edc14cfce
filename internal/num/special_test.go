// Special functions and decompositions against other implementations, and the bits that
// every architecture must reproduce.

package num

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"
)

// near fails unless got is want to a relative error.
func near(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= relative*math.Abs(want)) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestSpecial_AgainstOthers(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 8))
	for range 3000 {
		x := 3 * g.NormFloat64()
		near(t, fmt.Sprint("expm1 ", x), Expm1(x), math.Expm1(x), 1e-15)
		tiny := 1e-9 * x
		near(t, fmt.Sprint("expm1 ", tiny), Expm1(tiny), math.Expm1(tiny), 1e-15)
		near(t, fmt.Sprint("hypot ", x), Hypot(x, 2*tiny), math.Hypot(x, 2*tiny), 1e-15)
		near(t, fmt.Sprint("pow ", x), Pow(math.Abs(x), 2.5), math.Pow(math.Abs(x), 2.5), 1e-14)

		shape, scale := Exp(6*g.Float64()-1), Exp(g.NormFloat64())
		want, _ := math.Lgamma(shape)
		if got := LogGamma(shape); !(math.Abs(got-want) <= 1e-14*max(1, math.Abs(want))) {
			t.Errorf("log Γ(%v) = %v, want %v", shape, got, want)
		}
		below, above := GammaShares(shape, shape*scale)
		at := fmt.Sprintf("gamma shares of %v at %v", shape, shape*scale)
		near(t, at, below, mathext.GammaIncReg(shape, shape*scale), 1e-11)
		near(t, at, above, mathext.GammaIncRegComp(shape, shape*scale), 1e-11)

		a, b, p := shape, Exp(6*g.Float64()-1), g.Float64()
		q := (a + g.NormFloat64()*math.Sqrt(a)/2) / (a + b)
		if q > 0 && q < 1 {
			near(t, fmt.Sprint("beta share ", a, b, q), BetaShare(a, b, q), mathext.RegIncBeta(a, b, q), 1e-11)
		}
		if got := BetaShare(a, b, BetaQuantile(a, b, p)); !(math.Abs(got-p) <= 1e-12) {
			t.Errorf("beta quantile %v, %v of %v is at %v", a, b, p, got)
		}
		near(t, fmt.Sprint("normal quantile ", p), NormalQuantile(p), mathext.NormalQuantile(p), 1e-13)
		far := Exp(-600 * p)
		near(t, fmt.Sprint("normal quantile ", far), NormalQuantile(far), mathext.NormalQuantile(far), 1e-13)
	}
	for _, c := range []struct{ got, want float64 }{
		{Pow(0, 0), 1}, {Pow(0, 2), 0}, {Hypot(0, 0), 0}, {Hypot(3e300, 4e300), 5e300}, {Expm1(0), 0},
		{Expm1(math.Inf(-1)), -1}, {NormalQuantile(0), math.Inf(-1)}, {NormalQuantile(1), math.Inf(1)},
		{NormalQuantile(0.5), 0}, {BetaQuantile(2, 3, 0), 0}, {BetaQuantile(2, 3, 1), 1}, {BetaShare(2, 3, 0), 0},
		{BetaShare(2, 3, 1), 1},
	} {
		near(t, "edge", c.got, c.want, 1e-15)
	}
	if below, above := GammaShares(3, 0); below != 0 || above != 1 {
		t.Errorf("shares at 0: %v and %v", below, above)
	}
	if below, above := GammaShares(3, math.Inf(1)); below != 1 || above != 0 {
		t.Errorf("shares at infinity: %v and %v", below, above)
	}
}

// The values are gonum's, the vectors make the matrix, and values that are rounding of a
// deficient matrix are as small as rounding.
func TestDecompose_AgainstGonum(t *testing.T) {
	g := rand.New(rand.NewPCG(9, 10))
	for _, shape := range [][3]int{{1, 1, 1}, {5, 5, 5}, {30, 7, 7}, {7, 30, 7}, {40, 12, 3}, {12, 40, 5}} {
		m, n, r := shape[0], shape[1], shape[2]
		d := deficient(g, m, n, r)
		columns := make([][]float64, n)
		for k := range columns {
			columns[k] = mat.Col(nil, k, d)
		}
		s, err := Decompose(columns)
		if err != nil {
			t.Fatal(err)
		}
		var other mat.SVD
		other.Factorize(d, mat.SVDNone)
		for k, want := range other.Values(nil) {
			bound := 1e-13 * s.Values[0]
			if !(math.Abs(s.Values[k]-want) <= bound) || k >= r && !(s.Values[k] <= bound) {
				t.Errorf("%v: value %d is %v, want %v", shape, k, s.Values[k], want)
			}
		}
		for i := range m {
			for j := range n {
				sum := 0.0
				for k, v := range s.Values {
					sum += v * s.Left[k][i] * s.Right[k][j]
				}
				if !(math.Abs(sum-d.At(i, j)) <= 1e-12*s.Values[0]) {
					t.Fatalf("%v: element %d, %d is %v, want %v", shape, i, j, sum, d.At(i, j))
				}
			}
		}
	}
	if _, err := Decompose([][]float64{{1, math.NaN()}, {2, 3}}); err != ErrNotDecomposed {
		t.Errorf("of NaN: %v", err)
	}
	if s, err := Decompose([][]float64{{0, 0}, {0, 0}}); err != nil || s.Values[0] != 0 {
		t.Errorf("of zeros: %v, %v", s, err)
	}
}

func TestGoldenSpecialBits(t *testing.T) {
	h := sha256.New()
	add := func(values ...float64) {
		_ = binary.Write(h, binary.LittleEndian, values)
	}
	g := rand.New(rand.NewPCG(11, 12))
	uniform := func(top float64) float64 { return top * (0.001 + float64(0.998*g.Float64())) }
	for range 2000 {
		x, y, z := uniform(50), uniform(3), uniform(1)
		below, above := GammaShares(x, float64(x*y))
		add(Expm1(-y), Pow(x, y), Hypot(x, y), LogGamma(x), below, above, BetaShare(x, y, z), BetaQuantile(x, y, z),
			NormalQuantile(z), NormalQuantile(Exp(-x)))
	}
	for _, shape := range [][2]int{{9, 4}, {4, 9}, {20, 20}} {
		columns := make([][]float64, shape[1])
		for k := range columns {
			columns[k] = make([]float64, shape[0])
			for i := range columns[k] {
				columns[k][i] = uniform(1)
			}
		}
		s, err := Decompose(columns)
		if err != nil {
			t.Fatal(err)
		}
		add(s.Values...)
		for k := range s.Values {
			add(s.Left[k]...)
			add(s.Right[k]...)
		}
	}
	const want = "a395732a37928600b6d90d303e060802fab4773d17da16836ae4d46abad3415b"
	if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
		t.Errorf("digest of special functions %s, want %s", got, want)
	}
}
