// Methods for split columns against plain loops from docs/mathematics.md §4: what is computed,
// what crosses the network, and what the noise is.

package algorithms

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"overhear/privacy"
	"overhear/problem"
	"overhear/sim"
)

// blocks is a small random problem over split columns, dense.
type blocks struct {
	d      [][][]float64 // party, row, column
	y      []float64
	ridge  float64
	weight float64 // of a row's loss
	loss   string

	rows    problem.Loss // nil: logistic
	targets []float64    // nil: y are classes
	kinks   *problem.NonSmooth
}

func newBlocks(rows int, widths []int, loss string) *blocks {
	g := rand.New(rand.NewPCG(8, uint64(rows*100+len(widths))))
	b := &blocks{d: make([][][]float64, len(widths)), ridge: 0.15, weight: 1 / float64(rows), loss: loss}
	if loss == "sum" {
		b.weight = 1
	}
	for range rows {
		for m, w := range widths {
			row := make([]float64, w)
			for k := range row {
				row[k] = g.NormFloat64()
			}
			b.d[m] = append(b.d[m], row)
		}
		b.y = append(b.y, float64(2*g.IntN(2)-1))
	}
	return b
}

// unit divides every row of every block by its norm.
func (b *blocks) unit() *blocks {
	for _, block := range b.d {
		for _, row := range block {
			s := math.Sqrt(inner(row, row))
			for k := range row {
				row[k] /= s
			}
		}
	}
	return b
}

func (b *blocks) vertical() *problem.Vertical {
	v := &problem.Vertical{N: len(b.y), Y: b.y, Ridge: b.ridge, Weight: b.weight, Loss: problem.Logistic,
		Targets: b.targets, NonSmooth: b.kinks}
	if b.rows != nil {
		v.Loss = b.rows
	}
	for _, block := range b.d {
		r := problem.NewRows(len(block[0]))
		cols := make([]int32, r.D)
		for k := range cols {
			cols[k] = int32(k)
		}
		for _, row := range block {
			r.Append(cols, row)
		}
		v.Blocks = append(v.Blocks, r)
		v.D += r.D
	}
	return v
}

// splitRun is everything a run over split columns says.
type splitRun struct {
	sent    [][][]float64 // round, node; nil where nothing was said
	copies  [][][]float64 // the same, copied at once
	rounds  []*ColumnRound
	packets []sim.Packet
	split   *overColumns
}

func (r *splitRun) Published(p *Publication) {
	if r.sent[p.Round][p.Node] != nil {
		panic(fmt.Sprintf("node %d says twice what it sends in round %d", p.Node, p.Round))
	}
	if p.Part != p.Node-1 {
		panic(fmt.Sprintf("node %d has part %d", p.Node, p.Part))
	}
	r.sent[p.Round][p.Node] = p.Values
	r.copies[p.Round][p.Node] = slices.Clone(p.Values)
}

func (r *splitRun) Concluded(int, int, []float64) {}

func (r *splitRun) Ended(s *ColumnRound) error {
	if s.Round != len(r.rounds) {
		panic(fmt.Sprintf("round %d ended after %d others", s.Round, len(r.rounds)))
	}
	r.rounds = append(r.rounds, s)
	return nil
}

const splitSeed = 5

func (b *blocks) setting(t *testing.T, rounds int) Setting {
	t.Helper()
	var edges [][2]int
	for m := range b.d {
		edges = append(edges, [2]int{0, m + 1})
	}
	g, err := sim.NewGraph(len(b.d)+1, edges)
	if err != nil {
		t.Fatal(err)
	}
	return Setting{Split: b.vertical(), Graph: g, Rounds: rounds, Seed: splitSeed}
}

// run runs a method over the blocks; change may alter the engine's setting.
func (b *blocks) run(t *testing.T, kind string, params any, rounds int, change func(*sim.Config)) *splitRun {
	t.Helper()
	s := b.setting(t, rounds)
	e, ok := Lookup(kind)
	if !ok {
		t.Fatalf("no algorithm is called %s", kind)
	}
	method, err := e.New(params, s)
	if err != nil {
		t.Fatal(err)
	}
	r := &splitRun{}
	for range rounds + 1 {
		r.sent = append(r.sent, make([][]float64, len(b.d)+1))
		r.copies = append(r.copies, make([][]float64, len(b.d)+1))
	}
	cfg := sim.Config{
		Seed: splitSeed, Workers: 2, Header: 64, Link: sim.Link{Latency: sim.Latency{Kind: "constant", Value: 1e6}},
		Sent: func(p *sim.Packet) { r.packets = append(r.packets, *p) },
	}
	if change != nil {
		change(&cfg)
	}
	c := Config{Setting: s, Method: method, Cost: Cost{Row: 100, Jitter: 0.5}, Observer: r}
	if cfg.Link.Loss > 0 {
		c.Retry, c.Deadline = 10e6, 60e9
	}
	protocol, err := NewProtocol(c)
	if err != nil {
		t.Fatal(err)
	}
	r.split = protocol.(*overColumns)
	cfg.Graph = protocol.Graph()
	engine, err := sim.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.split.Attach(engine)
	if err := engine.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := r.split.Unfinished(); err != nil {
		t.Fatal(err)
	}
	if len(r.rounds) != rounds+1 || !reflect.DeepEqual(r.sent, r.copies) {
		t.Fatalf("%d rounds ended, or a message changed after it was sent", len(r.rounds))
	}
	return r
}

func inner(a, b []float64) float64 {
	s := 0.0
	for k := range a {
		s += a[k] * b[k]
	}
	return s
}

// times is D x.
func times(d [][]float64, x []float64) []float64 {
	out := make([]float64, len(d))
	for n, row := range d {
		out[n] = inner(row, x)
	}
	return out
}

// ridgeSolve solves (λI + ρDᵀD) x = −Dᵀv by Gaussian elimination with pivots.
func ridgeSolve(d [][]float64, ridge, rho float64, v []float64) []float64 {
	w := len(d[0])
	a := make([][]float64, w)
	for i := range a {
		a[i] = make([]float64, w+1)
		a[i][i] = ridge
		for n, row := range d {
			for j := range w {
				a[i][j] += rho * row[i] * row[j]
			}
			a[i][w] -= row[i] * v[n]
		}
	}
	for i := range w {
		best := i
		for k := i; k < w; k++ {
			if math.Abs(a[k][i]) > math.Abs(a[best][i]) {
				best = k
			}
		}
		a[i], a[best] = a[best], a[i]
		for k := range w {
			if k == i {
				continue
			}
			f := a[k][i] / a[i][i]
			for j := i; j <= w; j++ {
				a[k][j] -= f * a[i][j]
			}
		}
	}
	x := make([]float64, w)
	for i := range x {
		x[i] = a[i][w] / a[i][i]
	}
	return x
}

// hubScalar is argmin_z c log(1+e^{−Yz}) − y z + ½ρ(p−z)² by bisection.
func hubScalar(c, label, y, rho, p float64) float64 {
	low, high := p+(y-c)/rho-1, p+(y+c)/rho+1
	for range 200 {
		z := (low + high) / 2
		if -c*label/(1+math.Exp(label*z))-y+rho*(z-p) > 0 {
			high = z
		} else {
			low = z
		}
	}
	return (low + high) / 2
}

// sharingByHand is ADMM sharing of docs/mathematics.md §4, in the paper's form or averaged:
// what parties and hub send, and coefficients, by round.
func (b *blocks) sharingByHand(rounds int, rho float64, averaged bool) (sent [][][]float64, xs [][][]float64) {
	parties, rows := len(b.d), len(b.y)
	over := 1.0
	if averaged {
		over = float64(parties)
	}
	p := make([][]float64, parties)
	for m := range p {
		p[m] = make([]float64, rows)
	}
	sum, z, y := make([]float64, rows), make([]float64, rows), make([]float64, rows)
	for range rounds {
		var x, next [][]float64
		for m, d := range b.d {
			// R_m(x) + yᵀDx + ½ρ‖Dx − (p_m − (Σp−z)/over)‖²
			v := make([]float64, rows)
			for n := range v {
				v[n] = y[n] - rho*(p[m][n]-(sum[n]-z[n])/over)
			}
			x = append(x, ridgeSolve(d, b.ridge, rho, v))
			next = append(next, times(d, x[m]))
		}
		p = next
		hub := make([]float64, 2*rows)
		for n := range rows {
			sum[n] = 0
			for m := range p {
				sum[n] += p[m][n]
			}
			z[n] = hubScalar(b.weight, b.y[n], y[n], rho/over, sum[n])
			y[n] += rho / over * (sum[n] - z[n])
			hub[n], hub[rows+n] = sum[n]-z[n], y[n]
		}
		sent, xs = append(sent, append([][]float64{hub}, p...)), append(xs, x)
	}
	return sent, xs
}

// near fails unless two vectors agree within the tolerance, relative to 1 or to the
// greatest number.
func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for k := range got {
		if !(math.Abs(got[k]-want[k]) <= tolerance*max(1, math.Abs(want[k]))) {
			t.Fatalf("%s, number %d: %v, want %v", what, k, got[k], want[k])
		}
	}
}

func TestSharing_IndependentImplementation(t *testing.T) {
	const rounds, eta = 20, 0.7
	for _, form := range []string{"jacobi", "averaged"} {
		for _, loss := range []string{"mean", "sum"} {
			for _, widths := range [][]int{{3}, {3, 2}, {2, 4, 3}} {
				b := newBlocks(14, widths, loss)
				r := b.run(t, "admm-sharing", &Sharing{Eta: eta, Form: form, Loss: loss}, rounds, nil)
				sent, xs := b.sharingByHand(rounds, eta, form == "averaged")
				near(t, "the start", r.sent[0][0], make([]float64, 28), 0)
				for k := range rounds {
					name := fmt.Sprintf("%s, %s, %v, round %d", form, loss, widths, k+1)
					near(t, name+": the hub's message", r.sent[k+1][0], sent[k][0], 1e-8)
					near(t, name+": ‖Σp − z‖/√N", []float64{r.rounds[k+1].Gap},
						[]float64{math.Sqrt(inner(sent[k][0][:14], sent[k][0][:14]) / 14)}, 1e-8)
					for m := range widths {
						near(t, fmt.Sprintf("%s: p of party %d", name, m), r.sent[k+1][m+1], sent[k][m+1], 1e-8)
						near(t, fmt.Sprintf("%s: x of party %d", name, m), r.rounds[k+1].X[m], xs[k][m], 1e-8)
					}
					if !(r.rounds[k+1].Residual <= 1e-12) {
						t.Errorf("%s: residual %v", name, r.rounds[k+1].Residual)
					}
				}
			}
		}
	}
}

func TestSharing_OnePartyIsPlainADMM(t *testing.T) {
	const rounds, rho = 20, 0.4
	b := newBlocks(15, []int{4}, "mean")
	jacobi := b.run(t, "admm-sharing", &Sharing{Eta: rho, Form: "jacobi"}, rounds, nil)
	averaged := b.run(t, "admm-sharing", &Sharing{Eta: rho, Form: "averaged"}, rounds, nil)
	if !reflect.DeepEqual(jacobi.sent, averaged.sent) {
		t.Error("the forms differ for one party")
	}
	// min R(x) + l(z), Dx = z, by alternating minimisation of the augmented
	// Lagrangian: x, then z, then y.
	z, y := make([]float64, 15), make([]float64, 15)
	for k := 1; k <= rounds; k++ {
		v := plus(y, -rho, z)
		x := ridgeSolve(b.d[0], b.ridge, rho, v)
		p := times(b.d[0], x)
		for n := range z {
			z[n] = hubScalar(b.weight, b.y[n], y[n], rho, p[n])
		}
		y = plus(plus(y, rho, p), -rho, z)
		name := fmt.Sprintf("round %d", k)
		near(t, name+": x", jacobi.rounds[k].X[0], x, 1e-9)
		near(t, name+": y", jacobi.sent[k][0][15:], y, 1e-9)
		near(t, name+": p − z", jacobi.sent[k][0][:15], plus(p, -1, z), 1e-9)
	}
}

// gradient is that of the objective, stacked, in plain loops.
func (b *blocks) gradient(x [][]float64) []float64 {
	var g []float64
	z := make([]float64, len(b.y))
	for m, d := range b.d {
		z = plus(z, 1, times(d, x[m]))
	}
	for m, d := range b.d {
		for j := range x[m] {
			s := b.ridge * x[m][j]
			for n, row := range d {
				s -= b.weight * b.y[n] * row[j] / (1 + math.Exp(b.y[n]*z[n]))
			}
			g = append(g, s)
		}
	}
	return g
}

// objective is c Σ log(1+e^{−Yz}) + ½λ‖x‖² in plain loops.
func (b *blocks) objective(x [][]float64) float64 {
	s := 0.0
	for _, v := range x {
		s += b.ridge / 2 * inner(v, v)
	}
	for n, y := range b.y {
		z := 0.0
		for m := range x {
			z += inner(b.d[m][n], x[m])
		}
		s += b.weight * math.Log1p(math.Exp(-y*z))
	}
	return s
}

func TestSharing_AveragedReachesTheCentralisedOptimum(t *testing.T) {
	for loss, eta := range map[string]float64{"mean": 0.1, "sum": 1} {
		b := newBlocks(30, []int{2, 3, 2}, loss)
		o, err := b.vertical().Centralised()
		if err != nil {
			t.Fatal(err)
		}
		want := slices.Concat(o.X...)
		if g := b.gradient(o.X); !(math.Sqrt(inner(g, g)) <= 1e-10) {
			t.Errorf("%s: the gradient at the centralised optimum is %v", loss, g)
		}
		r := b.run(t, "admm-sharing", &Sharing{Eta: eta, Form: "averaged", Loss: loss}, 600, nil)
		x := r.rounds[600].X
		got := slices.Concat(x...)
		if away := distance(got, want) / math.Sqrt(inner(want, want)); !(away <= 1e-6) {
			t.Errorf("%s: ends %g from the centralised optimum", loss, away)
		}
		if g := b.gradient(x); !(math.Sqrt(inner(g, g)) <= 1e-6) {
			t.Errorf("%s: the gradient at the end is %v", loss, g)
		}
		if v := b.objective(o.X); !(math.Abs(v-o.Value) <= 1e-12*max(1, v)) {
			t.Errorf("%s: optimal value %v, by hand %v", loss, o.Value, v)
		}
	}
}

func TestSplit_OnlyVectorsByRowCross(t *testing.T) {
	const rows, rounds = 11, 6
	widths := []int{2, 3, 4}
	b := newBlocks(rows, widths, "mean")
	for _, c := range []struct {
		kind              string
		params            any
		start, hub, party int
	}{
		{"admm-sharing", &Sharing{Eta: 0.5, Form: "jacobi"}, 2 * rows, 2 * rows, rows},
		{"admm-sharing", &Sharing{Eta: 0.5, Form: "averaged"}, 2 * rows, 2 * rows, rows},
		{"private-admm-sharing", &PrivateSharing{Sharing: Sharing{Eta: 0.5, Form: "averaged"}, Sigma: 0.1, Bound: 1,
			Delta: 0.1, Cover: "range"}, 2 * rows, 2 * rows, rows},
		{"private-admm-sharing", &PrivateSharing{Sharing: Sharing{Eta: 0.5, Form: "averaged"}, Sigma: 0.1, Bound: 1,
			Delta: 0.1, Cover: "ambient"}, 2 * rows, 2 * rows, rows},
		{"fdml-sgd", &FDML{Step: 0.5, Decay: "sqrt", Batch: 7}, 0, 7, 7},
		{"centralised", nil, 0, 0, 0},
		{"local", nil, 0, 0, 0},
	} {
		r := b.run(t, c.kind, c.params, rounds, nil)
		count := map[[3]int]int{}
		for _, p := range r.packets {
			want := c.party
			switch {
			case p.From == 0 && p.To > 0 && p.Round == 0:
				want = c.start
			case p.From == 0 && p.To > 0:
				want = c.hub
			case p.From > 0 && p.To == 0 && p.Round > 0:
			default:
				t.Fatalf("%s: a packet from %d to %d in round %d", c.kind, p.From, p.To, p.Round)
			}
			count[[3]int{int(p.From), int(p.To), int(p.Round)}]++
			if len(p.Payload) != want || p.Bytes != int64(8*want+64) || p.Kind != KindValue {
				t.Fatalf("%s: node %d sends %d numbers in %d bytes, want %d", c.kind, p.From, len(p.Payload), p.Bytes,
					want)
			}
			if said := r.sent[p.Round][p.From]; !slices.Equal(said, p.Payload) {
				t.Fatalf("%s: node %d sends %v in round %d, its observer hears %v", c.kind, p.From, p.Payload, p.Round,
					said)
			}
			for m, d := range b.d {
				for _, v := range r.rounds[p.Round].X[m] {
					if v != 0 && slices.Contains(p.Payload, v) {
						t.Errorf("%s: a message of node %d in round %d contains a coefficient of party %d", c.kind,
							p.From, p.Round, m)
					}
				}
				for k := range d[0] {
					shared := 0
					for n := range rows {
						if slices.Contains(p.Payload, d[n][k]) {
							shared++
						}
					}
					if shared > 0 {
						t.Errorf("%s: a message of node %d has %d entries of column %d of party %d", c.kind, p.From,
							shared, k, m)
					}
				}
			}
		}
		// Rounds 0 to T from the hub, rounds 1 to T from a party, each once.
		if len(count) != (2*rounds+1)*len(widths) || len(r.packets) != len(count) {
			t.Errorf("%s: %d packets, %d of them different", c.kind, len(r.packets), len(count))
		}
	}
}

func (b *blocks) private(cover string, change func(*PrivateSharing)) *PrivateSharing {
	p := &PrivateSharing{
		Sharing: Sharing{Eta: 0.8, Form: "averaged", Loss: b.loss},
		Epsilon: 0.5, Delta: 1e-3, Slack: 1e-4, Bound: 2, Cover: cover,
	}
	if change != nil {
		change(p)
	}
	return p
}

func TestPrivateSharing_WithoutNoiseIsADMMSharing(t *testing.T) {
	b := newBlocks(12, []int{2, 3, 2}, "mean")
	for _, form := range []string{"jacobi", "averaged"} {
		plain := b.run(t, "admm-sharing", &Sharing{Eta: 0.8, Form: form, Loss: "mean"}, 15, nil)
		quiet := b.run(t, "private-admm-sharing", b.private("off", func(p *PrivateSharing) { p.Form = form }), 15, nil)
		if !reflect.DeepEqual(plain.sent, quiet.sent) || !reflect.DeepEqual(plain.coefficients(),
			quiet.coefficients()) {
			t.Errorf("%s: noise: off differs", form)
		}
	}
}

func (r *splitRun) coefficients() (xs [][][]float64) {
	for _, s := range r.rounds {
		xs = append(xs, s.X)
	}
	return xs
}

// outside is the distance of v from the column space of D, relative to ‖v‖.
func outside(d [][]float64, v []float64) float64 {
	var basis [][]float64
	rest := func(v []float64) []float64 {
		for range 2 {
			for _, q := range basis {
				v = plus(v, -inner(q, v), q)
			}
		}
		return v
	}
	for k := range d[0] {
		column := make([]float64, len(d))
		for n := range d {
			column[n] = d[n][k]
		}
		column = rest(column)
		s := math.Sqrt(inner(column, column))
		for n := range column {
			column[n] /= s
		}
		basis = append(basis, column)
	}
	left := rest(v)
	return math.Sqrt(inner(left, left) / inner(v, v))
}

func TestPrivateSharing_RangeNoiseStaysInTheColumnSpace(t *testing.T) {
	b := newBlocks(13, []int{2, 3, 4}, "sum")
	for cover, inside := range map[string]bool{"range": true, "ambient": false, "off": true} {
		r := b.run(t, "private-admm-sharing", b.private(cover, nil), 10, nil)
		for k := 1; k <= 10; k++ {
			for m, d := range b.d {
				p := r.sent[k][m+1]
				if k == 1 && cover == "off" {
					continue // zeros
				}
				if away := outside(d, p); (away < 1e-8) != inside || !inside && !(away >= 1e-2) {
					t.Errorf("noise: %s: round %d, party %d: %g of the message is outside the column space", cover, k,
						m, away)
				}
				if x := r.rounds[k].X[m]; inside {
					near(t, "the message is D x̃", p, times(d, x), 1e-9)
				}
			}
		}
	}
}

func TestPrivateSharing_AmbientNoiseIsAddedToTheMargins(t *testing.T) {
	b := newBlocks(13, []int{2, 3}, "sum")
	v := b.vertical()
	r := b.run(t, "private-admm-sharing", b.private("ambient", nil), 8, nil)
	for m, d := range b.d {
		// 𝒞 and σ by hand.
		c := 3 / (float64(len(d[0])) * 0.8) * (0.15 + (1+2*0.8)*2)
		sigma := math.Sqrt(2*math.Log(1.25/1e-3)) * c / 0.5
		method := r.split.Method.(*privateSharing)
		near(t, "𝒞 and σ", []float64{method.sensitivity(m), method.sigma(m)}, []float64{c, sigma}, 1e-12)
		party := problem.NewPartySolver(v.Blocks[m], b.ridge, 0.8)
		before := make([]float64, 13)
		for k := 1; k <= 8; k++ {
			noise, want := make([]float64, 13), make([]float64, 13)
			privacy.Gaussian(sim.NewStream(splitSeed, "noise", uint64(m), uint64(k)), method.sigma(m), noise)
			party.Times(r.rounds[k].X[m], want)
			for n := range want {
				want[n] += noise[n]
			}
			if !slices.Equal(r.sent[k][m+1], want) {
				t.Errorf("party %d, round %d: sent %v, want %v", m, k, r.sent[k][m+1], want)
			}
			// The step starts from what was sent before, noise and all.
			u := make([]float64, 13)
			for n := range u {
				hub := r.sent[k-1][0]
				u[n] = hub[13+n] + 0.8*(hub[n]/2-before[n])
			}
			near(t, "the step", r.rounds[k].X[m], ridgeSolve(d, b.ridge, 0.8, u), 1e-9)
			before = r.sent[k][m+1]
		}
	}
}

func TestPrivateSharing_RangeNoiseHasItsCovariance(t *testing.T) {
	// D ξ has variance σ² in every direction of the column space, of which there are
	// three.
	b := newBlocks(9, []int{3}, "mean")
	const rounds, sigma = 4000, 0.3
	p := problem.NewPartySolver(b.vertical().Blocks[0], b.ridge, 1)
	column := make([]float64, 9)
	for n := range column {
		column[n] = b.d[0][n][1]
	}
	scale := math.Sqrt(inner(column, column))
	along, total := 0.0, 0.0
	for k := range rounds {
		xi := make([]float64, 3)
		p.Range(sim.NewStream(1, "noise", 0, uint64(k)), sigma, xi)
		v := times(b.d[0], xi)
		a := inner(column, v) / scale
		along += a * a / rounds
		total += inner(v, v) / rounds
	}
	if !(math.Abs(along/(sigma*sigma)-1) <= 0.12) || !(math.Abs(total/(3*sigma*sigma)-1) <= 0.07) {
		t.Errorf("variance %v along a column, %v in all, σ² = %v", along, total, sigma*sigma)
	}
}

func TestPrivateSharing_CompositionByHand(t *testing.T) {
	b := newBlocks(10, []int{2, 4}, "mean")
	make := func(change func(*PrivateSharing)) Composing {
		e, _ := Lookup("private-admm-sharing")
		m, err := e.New(b.private("range", change), b.setting(t, 6))
		if err != nil {
			t.Fatal(err)
		}
		return m.(Composing)
	}
	bound := func(rounds, eps float64) []float64 {
		return []float64{math.Sqrt(2*rounds*math.Log(1/1e-4))*eps + rounds*eps*(math.Exp(eps)-1), rounds*1e-3 + 1e-4}
	}
	for _, rounds := range []int{1, 6, 50} {
		e, d := make(nil).Composed(rounds)
		near(t, "ε of the scenario", []float64{e, d}, bound(float64(rounds), 0.5), 1e-12)
		// With σ given, the party of fewest columns has the greatest sensitivity.
		const sigma = 90
		c := 3 / (2 * 0.8) * (0.15 + (1+2*0.8)*2)
		e, d = make(func(p *PrivateSharing) { p.Sigma = sigma }).Composed(rounds)
		near(t, "σ of the scenario", []float64{e, d}, bound(float64(rounds), math.Sqrt(2*math.Log(1.25/1e-3))*c/sigma),
			1e-12)
	}
	var l, quiet privacy.Ledger
	make(nil).Account(&l)
	if !slices.Equal(l.Units(), []privacy.Unit{privacy.Column}) || !slices.Equal(l.Nodes(), []int{0, 1}) {
		t.Errorf("the ledger has %v of %v", l.Units(), l.Nodes())
	}
	make(func(p *PrivateSharing) { p.Cover = "off" }).Account(&quiet)
	if len(quiet.Nodes()) != 0 {
		t.Errorf("without noise the ledger has %v", quiet.Nodes())
	}
}

func TestPrivateSharing_EstablishedOnlyUnderTheTheoremsAssumptions(t *testing.T) {
	for _, c := range []struct {
		cover   string
		unit    bool
		change  func(*PrivateSharing)
		reached Reached
		want    string
	}{
		{"range", true, nil, Reached{Norm: 2}, ""},
		{"ambient", true, nil, Reached{Norm: 1.5}, ""},
		{"range", true, func(p *PrivateSharing) { p.Epsilon = 1 }, Reached{Norm: 1}, ""},
		{"range", true, func(p *PrivateSharing) { p.Epsilon = 2 }, Reached{Norm: 1}, "the noise gives ε = 2 a round"},
		{"range", false, nil, Reached{Norm: 1}, "norm 1; row 0 of party 1"},
		{"range", true, nil, Reached{Norm: 2.5}, "within b₁ = 2; one reached 2.5"},
		{"range", true, nil, Reached{Norm: 1, Boundary: true}, "a step ended on the boundary"},
		{"off", true, nil, Reached{Norm: 1}, errNoNoise.Error()},
	} {
		b := newBlocks(10, []int{2, 4}, "mean")
		if c.unit {
			b.unit()
		}
		e, _ := Lookup("private-admm-sharing")
		m, err := e.New(b.private(c.cover, c.change), b.setting(t, 3))
		if err != nil {
			t.Fatal(err)
		}
		claim := m.(Composing)
		err = claim.Established()
		if err == nil {
			err = claim.Within(c.reached)
		}
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%+v: %v", c, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
}

func TestSplit_LargestIsOverCoefficientsAndTheHubsVectors(t *testing.T) {
	b := newBlocks(12, []int{2, 3}, "sum")
	r := b.run(t, "admm-sharing", &Sharing{Eta: 0.3, Form: "averaged"}, 10, nil)
	want := 0.0
	for k := 1; k <= 10; k++ {
		hub, z := r.sent[k][0], make([]float64, 12)
		for m := range b.d {
			x := r.rounds[k].X[m]
			want = max(want, math.Sqrt(inner(x, x)))
			z = plus(z, 1, r.sent[k][m+1])
		}
		z = plus(z, -1, hub[:12])
		want = max(want, math.Sqrt(inner(z, z)), math.Sqrt(inner(hub[12:], hub[12:])))
	}
	near(t, "the greatest norm", []float64{r.rounds[len(r.rounds)-1].Reached.Norm}, []float64{want}, 1e-12)
}

// batchByHand draws the batch of a round by the public rule: row after row, each
// with the chance (still wanted)/(still to come).
func batchByHand(rows, batch, t int) (chosen []int) {
	s := sim.NewStream(splitSeed, "batch", uint64(t))
	for n := 0; n < rows; n++ {
		if left := min(batch, rows) - len(chosen); s.IntN(rows-n) < left {
			chosen = append(chosen, n)
		}
	}
	return chosen
}

func TestFDML_BatchesAreDistinctRowsInOrderAndUniform(t *testing.T) {
	b := newBlocks(20, []int{1}, "mean")
	const rounds = 2000
	for _, batch := range []int{1, 7, 20, 35} {
		m := &fdml{FDML{Batch: batch}, b.setting(t, 1)}
		want := min(batch, 20)
		times := make([]float64, 20)
		for k := 1; k <= rounds; k++ {
			rows := m.batch(k)
			if len(rows) != want || !slices.Equal(rows, batchByHand(20, batch, k)) {
				t.Fatalf("batch %d, round %d: %v", batch, k, rows)
			}
			for i, n := range rows {
				if n < 0 || n >= 20 || i > 0 && n <= rows[i-1] {
					t.Fatalf("batch %d, round %d: rows %v", batch, k, rows)
				}
				times[n]++
			}
		}
		share := float64(want) / 20
		for n, c := range times {
			if !(math.Abs(c/rounds-share) <= 5*math.Sqrt(share*(1-share)/rounds)) {
				t.Errorf("batch %d: row %d is in %v of %d batches", batch, n, c, rounds)
			}
		}
	}
}

func TestFDML_IndependentImplementation(t *testing.T) {
	const rounds, rows, batch, step = 20, 17, 6, 0.3
	for _, c := range []FDML{
		{Decay: "sqrt", Loss: "mean"}, {Decay: "none", Loss: "mean"}, {Decay: "sqrt", Loss: "sum"},
		{Decay: "sqrt", Loss: "mean", Sigma: 0.5},
	} {
		c.Step, c.Batch = step, batch
		b := newBlocks(rows, []int{2, 4, 3}, c.Loss)
		r := b.run(t, "fdml-sgd", &c, rounds, nil)
		x := [][]float64{make([]float64, 2), make([]float64, 4), make([]float64, 3)}
		for k := 1; k <= rounds; k++ {
			chosen := batchByHand(rows, batch, k)
			total := make([]float64, batch)
			for m, d := range b.d {
				s := sim.NewStream(splitSeed, "noise", uint64(m), uint64(k))
				margins := make([]float64, batch)
				for i, n := range chosen {
					margins[i] = inner(d[n], x[m])
					if c.Sigma > 0 {
						margins[i] += c.Sigma * s.Normal()
					}
					total[i] += margins[i]
				}
				near(t, fmt.Sprintf("%+v, round %d: margins of party %d", c, k, m), r.sent[k][m+1], margins, 1e-9)
				near(t, fmt.Sprintf("%+v, round %d: x of party %d", c, k, m), r.rounds[k].X[m], x[m], 1e-9)
			}
			g := make([]float64, batch)
			for i, n := range chosen {
				g[i] = -b.y[n] / (1 + math.Exp(b.y[n]*total[i]))
			}
			near(t, fmt.Sprintf("%+v, round %d: the hub", c, k), r.sent[k][0], g, 1e-9)
			a := step
			if c.Decay == "sqrt" {
				a /= math.Sqrt(float64(k))
			}
			for m, d := range b.d {
				next := make([]float64, len(x[m]))
				for j := range next {
					s := 0.0
					for i, n := range chosen {
						s += d[n][j] * g[i]
					}
					// An unbiased gradient of c Σ L + ½λ‖x‖²: of the mean (1/N_b) Dᵀg, of
					// the sum N times that.
					s *= b.weight * rows / batch
					next[j] = x[m][j] - a*(s+b.ridge*x[m][j])
				}
				x[m] = next
			}
		}
	}
}

func TestFDML_FullBatchesDescend(t *testing.T) {
	b := newBlocks(25, []int{3, 3}, "mean")
	r := b.run(t, "fdml-sgd", &FDML{Step: 0.1, Decay: "none", Batch: 25, Loss: "mean"}, 60, nil)
	for k := 2; k <= 60; k++ {
		if was, is := b.objective(r.rounds[k-1].X), b.objective(r.rounds[k].X); !(is < was) {
			t.Errorf("round %d: from %v to %v", k, was, is)
		}
	}
}

func TestSplitBaselines_AreTheOptimaAndSendNothing(t *testing.T) {
	b := newBlocks(20, []int{2, 3, 2}, "sum")
	v := b.vertical()
	central, err := v.Centralised()
	if err != nil {
		t.Fatal(err)
	}
	local, err := v.LocalOnly()
	if err != nil {
		t.Fatal(err)
	}
	alone := &blocks{d: b.d[:1], y: b.y, ridge: b.ridge, weight: b.weight}
	if g := alone.gradient(local.X[:1]); !(math.Sqrt(inner(g, g)) <= 1e-9) {
		t.Errorf("the first party's gradient at its own optimum is %v", g)
	}
	for kind, want := range map[string][][]float64{"centralised": central.X, "local": local.X} {
		r := b.run(t, kind, nil, 3, nil)
		for k := 1; k <= 3; k++ {
			if !reflect.DeepEqual(r.rounds[k].X, want) {
				t.Errorf("%s, round %d: %v, want %v", kind, k, r.rounds[k].X, want)
			}
		}
		for _, p := range r.packets {
			if len(p.Payload) != 0 {
				t.Errorf("%s: node %d sends %v", kind, p.From, p.Payload)
			}
		}
	}
}

func TestSplit_ResultsDoNotDependOnTheNetwork(t *testing.T) {
	b := newBlocks(16, []int{2, 3, 2, 1}, "mean")
	for kind, params := range map[string]any{
		"admm-sharing":         &Sharing{Eta: 0.5, Form: "averaged", Loss: "mean"},
		"private-admm-sharing": b.private("range", nil),
		"fdml-sgd":             &FDML{Step: 0.5, Decay: "sqrt", Batch: 5, Sigma: 0.1, Loss: "mean"},
		"centralised":          nil,
	} {
		base := b.run(t, kind, params, 12, nil)
		for name, change := range map[string]func(*sim.Config){
			"one worker":    func(c *sim.Config) { c.Workers = 1 },
			"eight workers": func(c *sim.Config) { c.Workers = 8 },
			"ties":          func(c *sim.Config) { c.Ties = sim.Shuffled },
			"latency":       func(c *sim.Config) { c.Link.Latency = sim.Latency{Kind: "exponential", Mean: 30e6} },
			"no latency":    func(c *sim.Config) { c.Link.Latency = sim.Latency{}; c.Ties = sim.Shuffled },
			"loss":          func(c *sim.Config) { c.Link.Loss = 0.3 },
			"all": func(c *sim.Config) {
				c.Link = sim.Link{Latency: sim.Latency{Kind: "exponential", Mean: 30e6}, Loss: 0.3, Duplication: 0.3}
				c.Workers, c.Ties = 8, sim.Shuffled
			},
		} {
			r := b.run(t, kind, params, 12, change)
			if !reflect.DeepEqual(r.sent, base.sent) || !reflect.DeepEqual(r.coefficients(), base.coefficients()) {
				t.Errorf("%s: %s changes the result", kind, name)
			}
			if name == "loss" && len(r.packets) <= len(base.packets) {
				t.Errorf("%s: nothing was sent again", kind)
			}
		}
	}
}

// loose leaves residuals at the hub or at a party.
type loose struct {
	*sharing
	hub, party float64
}

func (m loose) Merge(h *Hub, t int, sent [][]float64) ([]float64, error) {
	out, err := m.sharing.Merge(h, t, sent)
	h.Residual = max(h.Residual, m.hub)
	return out, err
}

func (m loose) Answer(p *Party, t int, hub []float64) ([]float64, error) {
	out, err := m.sharing.Answer(p, t, hub)
	if p.Residual > 1e-12 {
		return nil, fmt.Errorf("a party leaves %g", p.Residual)
	}
	p.Residual = max(p.Residual, m.party)
	return out, err
}

// A solve of the hub or of a party that misses the tolerance ends the run.
func TestSplit_SolvesAreHeldToTheTolerance(t *testing.T) {
	b := newBlocks(12, []int{2, 3}, "mean")
	s := b.setting(t, 5)
	for _, c := range []struct {
		hub, party, tolerance float64
		want                  string
	}{
		{0, 0, 1e-12, ""}, {2e-10, 0, 1e-9, ""}, {0, 2e-10, 1e-9, ""},
		{2e-10, 0, 0, "the hub, round 1: the solve ends with a relative residual of 2e-10, above solver.tolerance, " +
			"which is 1e-10"},
		{0, 2e-10, 1e-11, "node 1, round 1: the solve ends with a relative residual of 2e-10, above " +
			"solver.tolerance, which is 1e-11"},
	} {
		exact, err := newSharing(Sharing{Eta: 1, Form: "averaged", Loss: "mean"}, s)
		if err != nil {
			t.Fatal(err)
		}
		m := loose{exact, c.hub, c.party}
		p, err := NewProtocol(Config{Setting: s, Method: m, Tolerance: c.tolerance})
		if err != nil {
			t.Fatal(err)
		}
		err = engineOf(t, p, nil).Run(context.Background())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
