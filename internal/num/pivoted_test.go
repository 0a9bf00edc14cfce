// The pivoted factorisation against gonum's singular value decomposition.

package num

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// deficient is a random m×n matrix of rank r with the columns scaled apart.
func deficient(g *rand.Rand, m, n, r int) *mat.Dense {
	u, v := mat.NewDense(m, max(r, 1), nil), mat.NewDense(max(r, 1), n, nil)
	for _, a := range []*mat.Dense{u, v} {
		a.Apply(func(_, _ int, _ float64) float64 { return g.NormFloat64() }, a)
	}
	if r == 0 {
		u.Zero()
	}
	d := mat.NewDense(m, n, nil)
	d.Mul(u, v)
	d.Apply(func(_, j int, x float64) float64 { return x * (0.1 + float64(j%7)) }, d)
	return d
}

// factorGram factors DᵀD, formed by gonum, of which it passes on only the lower
// triangle.
func factorGram(t *testing.T, d *mat.Dense) (*Pivoted, *mat.Dense) {
	t.Helper()
	_, n := d.Dims()
	a := mat.NewDense(n, n, nil)
	a.Mul(d.T(), d)
	lower := make([]float64, n*n)
	for i := range n {
		for j := range n {
			lower[i*n+j] = math.NaN() // must not be read
			if j <= i {
				lower[i*n+j] = a.At(i, j)
			}
		}
	}
	p := &Pivoted{}
	if err := p.Factor(lower, n, 0); err != nil {
		t.Fatal(err)
	}
	return p, a
}

func TestPivoted_AgainstSVD(t *testing.T) {
	g := rand.New(rand.NewPCG(7, 8))
	for _, c := range []struct{ m, n, r int }{
		{5, 1, 1}, {4, 6, 4}, {40, 30, 30}, {40, 30, 11}, {90, 64, 64}, {90, 65, 65}, {200, 150, 64}, {200, 150, 97},
		{200, 150, 129}, {100, 180, 100}, {20, 10, 0},
	} {
		t.Run(fmt.Sprintf("%dx%d rank %d", c.m, c.n, c.r), func(t *testing.T) {
			d := deficient(g, c.m, c.n, c.r)
			p, a := factorGram(t, d)
			var svd mat.SVD
			if !svd.Factorize(d, mat.SVDThin) {
				t.Fatal("no singular value decomposition")
			}
			rank := 0
			if c.r > 0 {
				rank = svd.Rank(1e-10)
			}
			if p.Rank != rank || rank != c.r {
				t.Fatalf("rank %d, by SVD %d, want %d", p.Rank, rank, c.r)
			}
			seen := make([]bool, c.n)
			for _, k := range p.Pivot {
				seen[k] = true
			}
			for k, s := range seen {
				if !s {
					t.Fatalf("column %d is no pivot", k)
				}
			}
			// P A Pᵀ = L Lᵀ.
			largest := mat.Max(a)
			for i := range c.n {
				for j := range i + 1 {
					sum := 0.0
					for k := range min(p.Rank, j+1) {
						sum += p.a[i*c.n+k] * p.a[j*c.n+k]
					}
					if want := a.At(p.Pivot[i], p.Pivot[j]); !(math.Abs(sum-want) <= 1e-12*largest) {
						t.Fatalf("(L Lᵀ)_%d%d is %v, want %v", i, j, sum, want)
					}
				}
			}
			if c.r == 0 {
				b := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
				if p.Solve(b); Norm(b) != 0 {
					t.Errorf("a zero matrix gave %v", b)
				}
				return
			}
			// D x is D A⁺ b for b = Dᵀ v, and x itself is A⁺ b at full rank.
			v := mat.NewVecDense(c.m, nil)
			for i := range c.m {
				v.SetVec(i, g.NormFloat64())
			}
			var b, want, fit, wantFit mat.VecDense
			b.MulVec(d.T(), v)
			svd.SolveVecTo(&want, v, rank) // A⁺Dᵀ = D⁺
			x := append([]float64(nil), b.RawVector().Data...)
			p.Solve(x)
			fit.MulVec(d, mat.NewVecDense(c.n, x))
			wantFit.MulVec(d, &want)
			for i := range c.m {
				if !(math.Abs(fit.AtVec(i)-wantFit.AtVec(i)) <= 1e-9) {
					t.Fatalf("row %d of D x is %v, want %v", i, fit.AtVec(i), wantFit.AtVec(i))
				}
			}
			for k := range x {
				if rank == c.n && !(math.Abs(x[k]-want.AtVec(k)) <= 1e-8) {
					t.Fatalf("x_%d is %v, want %v", k, x[k], want.AtVec(k))
				}
			}
			for _, k := range p.Pivot[rank:] {
				if x[k] != 0 {
					t.Fatalf("x_%d is %v, but the column is no pivot", k, x[k])
				}
			}
			// The covariance of D x from SolveT is U Uᵀ.
			f := mat.NewDense(c.m, rank, nil)
			z := make([]float64, rank)
			for k := range rank {
				clear(z)
				z[k] = 1
				p.SolveT(x, z)
				fit.MulVec(d, mat.NewVecDense(c.n, x))
				f.SetCol(k, fit.RawVector().Data)
			}
			var u, projector, difference mat.Dense
			svd.UTo(&u)
			ur := u.Slice(0, c.m, 0, rank)
			projector.Mul(ur, ur.T())
			difference.Mul(f, f.T())
			difference.Sub(&difference, &projector)
			if e := mat.Norm(&difference, 2); !(e <= 1e-8) {
				t.Errorf("the covariance is %.2g away from the projector", e)
			}
		})
	}
}

func TestPivoted_Errors(t *testing.T) {
	for _, c := range []struct {
		a    []float64
		n    int
		want error
		rank int
	}{
		{nil, 0, nil, 0},
		{[]float64{4}, 1, nil, 1},
		{[]float64{0}, 1, nil, 0},
		{[]float64{-1}, 1, ErrNotPositiveDefinite, 0},
		{[]float64{math.NaN()}, 1, ErrNotFinite, 0},
		{[]float64{math.Inf(1), 0, 0, 1}, 2, ErrNotFinite, 0},
		{[]float64{1, 0, math.NaN(), 1}, 2, ErrNotFinite, 1},
		{[]float64{1, 2, 2, 1}, 2, ErrNotPositiveDefinite, 1},
		{[]float64{1, 0.5, 0.5, 0.25}, 2, nil, 1},
	} {
		var p Pivoted
		if err := p.Factor(append([]float64(nil), c.a...), c.n, 0); !errors.Is(err, c.want) || p.Rank != c.rank {
			t.Errorf("%v gave %v and rank %d, want %v and %d", c.a, err, p.Rank, c.want, c.rank)
		}
	}
	// A tolerance decides what counts as zero.
	var p Pivoted
	if err := p.Factor([]float64{1, 0, 0, 1e-6}, 2, 1e-5); err != nil || p.Rank != 1 {
		t.Errorf("rank %d, %v, want 1", p.Rank, err)
	}
}

func BenchmarkPivoted2000(b *testing.B) {
	const n, m = 2000, 2100
	g := rand.New(rand.NewPCG(11, 12))
	packed, a := randomGram(g, n, m), make([]float64, n*n)
	for b.Loop() {
		for i := range n {
			copy(a[i*n:], packed[Packed(i):Packed(i)+i+1])
		}
		var p Pivoted
		if err := p.Factor(a, n, 0); err != nil || p.Rank != n {
			b.Fatal(err, p.Rank)
		}
	}
}
