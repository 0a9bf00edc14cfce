// Accuracy against the standard library and golden bits that every
// architecture must reproduce.

package num

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"
)

// ulps is the distance between two floats of the same sign in units in the last
// place.
func ulps(a, b float64) uint64 {
	if a == b || (a != a && b != b) {
		return 0
	}
	x, y := math.Float64bits(a), math.Float64bits(b)
	if x < y {
		x, y = y, x
	}
	return x - y
}

func inputs() []float64 {
	r := rand.New(rand.NewPCG(1, 2))
	xs := []float64{0, math.Copysign(0, -1), 1, -1, 1e-300, 5e-324, 709, -745.1, -708.5, 710, -746, 1e308, math.Inf(1),
		math.Inf(-1), math.NaN(), math.Sqrt2, math.Sqrt2 / 2, -0.2929, 0.4143, -0.9999999}
	for range 200000 {
		xs = append(xs, r.NormFloat64(), 699*(2*r.Float64()-1), math.Ldexp(r.Float64(), r.IntN(2000)-1000),
			1e-9*r.NormFloat64())
	}
	return xs
}

func TestAccuracy(t *testing.T) {
	for _, f := range []struct {
		name      string
		got, want func(float64) float64
	}{{"exp", Exp, math.Exp}, {"log", Log, math.Log}, {"log1p", Log1p, math.Log1p}} {
		for _, x := range inputs() {
			if f.name == "log" && x > 0 && x < 0x1p-1022 {
				continue // the standard library's assembly for amd64 is wrong there
			}
			if g, w := f.got(x), f.want(x); ulps(g, w) > 2 {
				t.Fatalf("%s(%v) = %v, want %v", f.name, x, g, w)
			}
		}
	}
}

func TestExp2(t *testing.T) {
	for _, x := range inputs() {
		g, w := Exp2(x), math.Exp2(x)
		if math.Abs(x) < 1000 && ulps(g, w) > 4 || ulps(g, w) > 4 && !(math.Abs(g-w) <= 1e-12*w) {
			t.Fatalf("2^%v = %v, want %v", x, g, w)
		}
	}
	for k := -990.0; k < 1000; k++ {
		if g, w := Exp2(k), math.Ldexp(1, int(k)); g != w {
			t.Errorf("2^%v = %v", k, g)
		}
	}
}

func TestLogistic(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	z := []float64{0, 1e-300, 800, -800, 40, -40, math.Inf(1), math.Inf(-1)}
	for range 100000 {
		z = append(z, 10*r.NormFloat64(), r.NormFloat64())
	}
	s := make([]float64, len(z))
	LogisticSlopes(s, z)
	for k, v := range z {
		if want := -1 / (1 + math.Exp(math.Max(-700, math.Min(700, v)))); ulps(s[k], want) > 6 {
			t.Fatalf("slope at %v is %v, want %v", v, s[k], want)
		}
	}
	z, s = z[8:], s[8:]
	want := 0.0
	for _, v := range z {
		want += math.Max(0, -v) + math.Log1p(math.Exp(-math.Abs(v)))
	}
	if got := LogisticTotal(z, s); !(math.Abs(got-want) <= 1e-12*want) {
		t.Errorf("total %v, want %v", got, want)
	}
}

func TestExtremes(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{Log(5e-324), -1074 * math.Ln2},
		{Exp(709.78), 1.7928227943945155e308}, // e^709.78 < 1.798e308
		{Exp(-745.13), 5e-324},
		{Exp(709.79), math.Inf(1)},
	} {
		if ulps(c.got, c.want) > 1 {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

func TestGoldenBits(t *testing.T) {
	h := sha256.New()
	add := func(v float64) {
		if v != v {
			v = 0 // a NaN's sign is the architecture's
		}
		_ = binary.Write(h, binary.LittleEndian, v)
	}
	xs := inputs()[20:]
	for _, x := range xs[:100000] {
		add(Exp(x))
		add(Log(math.Abs(x)))
		add(Log1p(x))
	}
	const n = 30
	a := make([]float64, Packed(n))
	for i := range n {
		for j := range i + 1 {
			a[Packed(i)+j] = Exp(-float64(i-j)) + float64(float64(j)*1e-3)
		}
		a[Packed(i)+i] += 3
	}
	var c Cholesky
	if err := c.Factor(a, n); err != nil {
		t.Fatal(err)
	}
	b := append([]float64(nil), xs[:n]...)
	c.Solve(b)
	for _, v := range b {
		add(v)
	}
	logistic := make([]float64, 1000)
	LogisticSlopes(logistic, xs[:1000])
	add(logistic[17])
	add(LogisticTotal(xs[:1000], logistic))
	add(Dot(xs[:999:999], xs[1000:1999]))
	const want = "08d50fef5a0a9114acd2072fcd914c6a0f1ea7b597dece9274409af48b69db19"
	if got := hex.EncodeToString(h.Sum(nil)); got != want {
		t.Errorf("digest of kernel results %s, want %s", got, want)
	}
	h.Reset()
	for _, x := range xs[:100000] {
		add(Exp2(x))
	}
	const powers = "ef2cdd16f7696777e8bead4ac86dad7e4a2db0fe2f1f9173343da1e577034ede"
	if got := hex.EncodeToString(h.Sum(nil)); got != powers {
		t.Errorf("digest of powers of two %s, want %s", got, powers)
	}
}

func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 23
	a := make([]float64, Packed(n))
	x := make([]float64, n)
	b := make([]float64, n)
	for i := range n {
		x[i] = r.NormFloat64()
		for j := range i + 1 {
			a[Packed(i)+j] = r.NormFloat64()
		}
		a[Packed(i)+i] = 30 // diagonally dominant enough
	}
	at := func(i, j int) float64 { return a[Packed(max(i, j))+min(i, j)] }
	for i := range n {
		for j := range n {
			b[i] += at(i, j) * x[j]
		}
	}
	var c Cholesky
	if err := c.Factor(append([]float64(nil), a...), n); err != nil {
		t.Fatal(err)
	}
	c.Solve(b)
	for i := range b {
		if !(math.Abs(b[i]-x[i]) <= 1e-12) {
			t.Fatalf("component %d is %v, want %v", i, b[i], x[i])
		}
	}
	for _, pivot := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1} {
		if err := c.Factor([]float64{1, 0, pivot}, 2); err != ErrNotPositiveDefinite {
			t.Errorf("a pivot of %v: %v", pivot, err)
		}
	}
	if err := c.Factor([]float64{1, 2, 1}, 2); err != ErrNotPositiveDefinite {
		t.Errorf("an indefinite matrix gave %v", err)
	}
}

// e^x − 1 to a few units in the last place on both sides of where the series gives way, and
// where the difference would be 0.
func TestExpm1_NearZero(t *testing.T) {
	for _, x := range []float64{1e-300, 1e-17, -1e-17, 1e-9, 1e-4, 9.7e-4, -9.7e-4, 9.8e-4, 0.5, 3, -2} {
		if got, want := Expm1(x), math.Expm1(x); !(math.Abs(got/want-1) <= 4e-13) || Expm1(1e-17) != 1e-17 {
			t.Errorf("e^%v − 1 is %v, want %v", x, got, want)
		}
	}
	if Expm1(0) != 0 || !math.IsInf(Expm1(1000), 1) {
		t.Error("at the ends")
	}
}

func TestDots_OfNothingAreZero(t *testing.T) {
	out := [4]float64{1, 2, 3, 4}
	if Dots(&out, nil, nil, nil, nil, nil); out != [4]float64{} {
		t.Errorf("%v", out)
	}
}
