// PDML: users who flip labels and servers who perturb, against the paper's
// formulas written down again and against what the flips must not change.

package algorithms

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/parameter"
	"overhear/privacy"
	"overhear/problem"
	"overhear/sim"
)

// flipped are the labels that users report at that ε: the true ones with the
// sign changed where the user's draw is below 1/(1 + e^ε).
func (f *fixture) flipped(epsilon float64) (labels [][]float64, flips int) {
	for i := range f.labels {
		ys := slices.Clone(f.labels[i])
		for k := range ys {
			if sim.NewStream(1, "label", uint64(i), uint64(k)).Float64() < 1/(1+math.Exp(epsilon)) {
				ys[k] = -ys[k]
				flips++
			}
		}
		labels = append(labels, ys)
	}
	return labels, flips
}

func TestPDML_Updates15To17_IndependentImplementation(t *testing.T) {
	f := uneven()
	const rounds, eta, epsilon, bound, decay = 25, 0.4, 0.8, 3.0, 0.9
	deviations := []float64{0.5, 0.1, 0.3, 0.2, 0.4, 0.05}
	labels, flips := f.flipped(epsilon)
	if flips < 10 {
		t.Fatalf("only %d labels are flipped", flips)
	}
	for _, radius := range []float64{0, 0.9} {
		t.Run(fmt.Sprint("radius ", radius), func(t *testing.T) {
			inner := map[[2]int][]float64{}
			projected := 0
			want := f.consensus(rounds, func(i, t int, own, sum, dual []float64) []float64 {
				q := f.pull(i, eta, own, sum, dual)
				for n, x := range f.rows[i] { // the debiased loss's linear term, (19)
					q = plus(q, -f.c/f.size(i)*labels[i][n]/(math.Exp(epsilon)-1), x)
				}
				objective := make([]float64, len(own))
				privacy.Ball(sim.NewStream(1, "objective noise", uint64(i), 0), bound, objective)
				q = plus(q, 1/float64(len(f.rows)), objective)
				w := naiveMinimum(f.rows[i], labels[i], f.c, f.r+2*eta*f.degree(i), q)
				inner[[2]int{t, i}] = w
				theta := make([]float64, len(own))
				// decay is of the variance.
				privacy.Gaussian(sim.NewStream(1, "noise", uint64(i), uint64(t)),
					deviations[i]*math.Pow(decay, float64(t-1)/2), theta)
				sent := plus(w, 1, theta)
				if size := norm2(sent); radius > 0 && size > radius {
					projected++
					sent = plus(sent, radius/size-1, sent)
				}
				return sent
			}, func(int, int) float64 { return eta })
			if (projected > 0) != (radius > 0) || projected == rounds*len(f.rows) {
				t.Fatalf("%d iterates were projected", projected)
			}
			m := makeMethod(t, f, "pdml", rounds, func(p *PDML) {
				p.Eta, p.Epsilon, p.Bound, p.Decay, p.Radius = eta, parameter.One(epsilon), bound, decay, radius
				p.Deviation = laws(deviations...)
			})
			got := m.run(t, nil, startAt)
			agree(t, got, want, 0, 1e-8)
			for at, w := range inner {
				if e := distance(got[at[0]][at[1]].Inner, w); !(e <= 1e-8) {
					t.Fatalf("round %d, node %d: w, which stays with the server, differs by %g", at[0], at[1], e)
				}
			}
		})
	}
}

// Both phases off leaves ADMM.
func TestPDML_WithTrueLabelsAndNoNoiseIsADMM(t *testing.T) {
	f := uneven()
	const rounds = 60
	quiet := makeMethod(t, f, "pdml", rounds, func(p *PDML) {
		p.Eta, p.Labels, p.Bound, p.Noise = 0.3, "true", 0,
			"off"
	})
	want := makeMethod(t, f, "admm", rounds, func(p *ADMM) { p.Eta = 0.3 }).run(t, nil, startAt)
	for r, pubs := range quiet.run(t, nil, startAt) {
		for i, p := range pubs {
			if e := distance(p.Values, want[r][i].Values); !(e <= 1e-12) {
				t.Fatalf("round %d, node %d: they differ by %g", r, i, e)
			}
			if p.Loss != want[r][i].Loss {
				t.Fatalf("round %d, node %d: loss %v, want %v", r, i, p.Loss, want[r][i].Loss)
			}
		}
	}
	quiet = makeMethod(t, f, "pdml", 600, func(p *PDML) { p.Eta, p.Labels, p.Bound, p.Noise = 0.15, "true", 0, "off" })
	if _, away := gaps(quiet.run(t, nil, nil), f.optimum(t)); !(away <= 1e-6) {
		t.Errorf("%g from the centralised optimum", away)
	}
}

func TestPDML_FlipsAreRandomisedResponse(t *testing.T) {
	const rows = 4000
	f := newFixture(3, rows, 2, [][2]int{{0, 1}, {1, 2}})
	for _, epsilon := range []float64{0.1, 1, 3} {
		m := makeMethod(t, f, "pdml", 1, func(p *PDML) { p.Epsilon = parameter.One(epsilon) })
		flips := [2]float64{} // by label: (x, y) may not matter
		total := [2]float64{}
		for i := range f.rows {
			for k, x := range f.rows[i] {
				report := m.Method.(Registering).Report(1, i, k)
				if len(report) != 3 || distance(report[:2], x) != 0 {
					t.Fatalf("user %d of server %d reports %v, its features are %v", k, i, report, x)
				}
				y := f.labels[i][k]
				class := int(y+1) / 2
				total[class]++
				switch report[2] {
				case -y:
					flips[class]++
				case y:
				default:
					t.Fatalf("label %v is reported as %v", y, report[2])
				}
			}
		}
		p := 1 / (1 + math.Exp(epsilon))
		for class := range flips {
			if sigma := math.Sqrt(p * (1 - p) * total[class]); !(math.Abs(flips[class]-p*total[class]) <= 4*sigma) {
				t.Errorf("ε = %v: %v of %v labels are flipped, expected %.1f ± %.1f", epsilon, flips[class],
					total[class], p*total[class], sigma)
			}
		}
		// The flip is the user's own: another seed gives others.
		same := 0
		for k := range 200 {
			if m.Method.(Registering).Report(1, 0, k)[2] == m.Method.(Registering).Report(2, 0, k)[2] {
				same++
			}
		}
		if same == 200 {
			t.Errorf("ε = %v: two seeds flip the same labels", epsilon)
		}
	}
}

// Exact expectations over the two outcomes of a flip.
func TestPDML_DebiasedLossIsUnbiased(t *testing.T) {
	logistic := func(z float64) float64 { return math.Log1p(math.Exp(-z)) }
	f := newFixture(2, 1, 1, [][2]int{{0, 1}})
	f.c = 1.7
	for _, epsilon := range []float64{0.05, 0.3, 1, 2.5, 6} {
		p := 1 / (1 + math.Exp(epsilon))
		m := makeMethod(t, f, "pdml", 1, func(p *PDML) { p.Epsilon, p.Noise = parameter.One(epsilon), "off" })
		for z := -6.0; z <= 6; z += 0.5 {
			// The formula.
			debiased := func(margin float64) float64 { return logistic(margin) - margin/(math.Exp(epsilon)-1) }
			if got, want := (1-p)*debiased(z)+p*debiased(-z),
				logistic(z); !(math.Abs(got-want) <= 1e-12*(1+math.Abs(z)/epsilon)) {
				t.Errorf("ε = %v, z = %v: the mean of the loss is %v, want %v", epsilon, z, got, want)
			}
			// The objective that the server makes of a report, by its gradient at f = z/x
			// for a user with y = 1.
			x := f.rows[0][0][0]
			slope := func(y float64) float64 {
				n := m.lone(0)
				m.Method.(Registering).Collect(n, [][]float64{{x, y}})
				out := make([]float64, 1)
				n.Gradient([]float64{z / x}, out)
				return out[0] + n.Memory[0]
			}
			got := (1-p)*slope(1) + p*slope(-1)
			want := -f.c*x/(1+math.Exp(z)) + f.r*z/x
			if !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want)+1/epsilon)) {
				t.Errorf("ε = %v, z = %v: the mean of the server's gradient is %v, want %v", epsilon, z, got, want)
			}
		}
	}
}

func TestPDML_UsersReportOnceAndTheSameWhateverIsLost(t *testing.T) {
	f := uneven()
	users := 0
	for i := range f.rows {
		users += len(f.rows[i])
	}
	m := makeMethod[PDML](t, f, "pdml", 10, nil)
	reports := func(lost float64) (journal, map[int32][][]float64) {
		sent := map[int32][][]float64{}
		j := m.run(t, func(c *sim.Config) {
			c.Link.Loss = lost
			c.Sent = func(p *sim.Packet) {
				switch {
				case p.Kind == KindReport:
					sent[p.From] = append(sent[p.From], slices.Clone(p.Payload))
				case int(p.From) >= len(f.rows):
					t.Errorf("user %d sends a message of kind %d", p.From, p.Kind)
				case int(p.To) >= len(f.rows) && p.Kind != KindRequest:
					t.Errorf("user %d is sent a message of kind %d", p.To, p.Kind)
				}
			}
		}, nil)
		return j, sent
	}
	want, once := reports(0)
	if len(once) != users {
		t.Errorf("%d users have sent reports; there are %d", len(once), users)
	}
	for u, all := range once {
		if len(all) != 1 {
			t.Errorf("user %d has sent %d reports though nothing was lost", u, len(all))
		}
	}
	got, often := reports(0.3)
	identical(t, got, want)
	again := 0
	for u, all := range often {
		again += len(all) - 1
		for _, r := range all { // a second flip would halve what the first protects
			if !slices.Equal(r, once[u][0]) {
				t.Errorf("user %d has reported %v and %v", u, once[u][0], r)
			}
		}
	}
	if again == 0 {
		t.Error("nobody had to report again")
	}
}

// A server whose last user is slow hears its neighbours before it can begin.
func TestPDML_AServerMayBeLate(t *testing.T) {
	f := uneven()
	m := makeMethod[PDML](t, f, "pdml", 6, nil)
	want := m.run(t, nil, nil)
	slow := sim.Latency{Kind: "constant", Value: 3e9}
	user := len(f.rows) // the first server's first
	for i := range f.rows {
		late := m.run(t, func(c *sim.Config) {
			c.Overrides = []sim.Override{{Between: [2]int{i, user}, Latency: &slow}}
		}, nil)
		identical(t, late, want)
		if at := late[0][i].At; at < 3e9 {
			t.Errorf("server %d begins at %v, before its user's report", i, at)
		}
		user += len(f.rows[i])
	}
}

func TestPDML_AccountByHand(t *testing.T) {
	f := uneven()
	const rounds, eta, epsilon, decay, delta = 15, 0.4, 0.8, 0.9, 1e-6
	deviations := []float64{0.5, 0.1, 0.3, 0.2, 0.4, 0.05}
	m := makeMethod(t, f, "pdml", rounds, func(p *PDML) {
		p.Eta, p.Epsilon, p.Decay, p.Deviation = eta, parameter.One(epsilon), decay, laws(deviations...)
	})
	l := account(m)
	if units := l.Units(); !slices.Equal(units, []privacy.Unit{privacy.Label, privacy.Sample}) {
		t.Fatalf("units %v", units)
	}
	for i := range f.rows {
		for _, r := range []int{0, 1, rounds} { // a label is randomised once
			if got := l.Pure(i, r, privacy.Label); got != epsilon {
				t.Errorf("round %d: a label of node %d has lost %v", r, i, got)
			}
		}
		// |ℓ̂′| ≤ e^ε/(e^ε − 1).
		moves := 2 * f.c * math.Exp(epsilon) / (math.Exp(epsilon) - 1) / (f.size(i) * (f.r + 2*eta*f.degree(i)))
		rho := 0.0
		for t := 1; t <= rounds; t++ {
			variance := deviations[i] * deviations[i] * math.Pow(decay, float64(t-1))
			rho += moves * moves / (2 * variance)
		}
		want := rho + 2*math.Sqrt(rho*math.Log(1/delta))
		if got := l.ZCDP(i, privacy.Sample, delta); !(math.Abs(got-want) <= 1e-10*want) {
			t.Errorf("node %d: a row has lost %v by zCDP, by hand %v", i, got, want)
		}
		if !math.IsInf(l.Pure(i, rounds, privacy.Sample), 1) {
			t.Errorf("node %d: Gaussian noise has no pure guarantee", i)
		}
	}
	plain := account(makeMethod(t, f, "pdml", rounds, func(p *PDML) { p.Labels = "true" }))
	if units := plain.Units(); !slices.Equal(units, []privacy.Unit{privacy.Sample}) {
		t.Errorf("with true labels, units %v", units)
	}
}

// The bound on how far a row moves w, against two servers that differ in a row
// whose reports are as far apart as can be.
func TestPDML_ARowMovesTheIterateWithinTheBound(t *testing.T) {
	const epsilon, eta = 0.8, 0.4
	f, g := newFixture(2, 3, 2, [][2]int{{0, 1}}), newFixture(2, 3, 2, [][2]int{{0, 1}})
	iterate := func(f *fixture, row []float64) []float64 {
		m := makeMethod(t, f, "pdml", 1, func(p *PDML) {
			p.Eta, p.Epsilon, p.Noise = eta, parameter.One(epsilon), "off"
		})
		n := m.lone(0)
		m.Method.(Registering).Collect(n, [][]float64{{0, 0, 1}, {0, 0, 1}, row})
		for k := range n.Sum { // far out, where the loss is steep for both
			n.Sum[k], n.F[k] = []float64{-40, 0}[k], []float64{-40, 0}[k]
		}
		if err := m.Method.Update(n, 1); err != nil {
			t.Fatal(err)
		}
		return n.F
	}
	moved := distance(iterate(f, []float64{1, 0, 1}), iterate(g, []float64{-1, 0, -1}))
	if !(moved <= 1e-9) {
		t.Errorf("(x, y) and (−x, −y) are the same row, and move the iterate by %g", moved)
	}
	// Far along −e₁ the report (e₁, 1) pulls along e₁ with e^ε/(e^ε − 1), and (−e₁, 1)
	// along −e₁ with 1/(e^ε − 1).
	bound := 2 * math.Exp(epsilon) / (math.Exp(epsilon) - 1) / (3 * (f.r + 2*eta))
	moved = distance(iterate(f, []float64{1, 0, 1}), iterate(g, []float64{-1, 0, 1}))
	if !(moved <= bound) || !(moved >= bound/2) {
		t.Errorf("the iterate moves by %g, the bound is %g", moved, bound)
	}
}

func TestPDML_EstablishedSaysWhatFails(t *testing.T) {
	established := func(f *fixture, set func(*PDML)) error {
		return makeMethod(t, f, "pdml", 3, set).Method.(Private).Established()
	}
	if err := established(uneven(), nil); err != nil {
		t.Error(err)
	}
	if err := established(uneven(), func(p *PDML) { p.Labels = "true" }); err != nil {
		t.Errorf("rows are protected by noise whatever the labels: %v", err)
	}
	if err := established(uneven(), func(p *PDML) { p.Noise = "off" }); err == nil ||
		!strings.Contains(err.Error(), "noise is off") {
		t.Errorf("noise off: %v", err)
	}
	f := uneven()
	f.squared = true
	if err := established(f, func(p *PDML) { p.Labels = "true" }); err == nil ||
		!strings.Contains(err.Error(), "squared loss") {
		t.Errorf("squared loss: %v", err)
	}
	f = uneven()
	f.rows[2][0] = []float64{2, 0, 0, 0}
	if err := established(f, nil); err == nil || !strings.Contains(err.Error(), "node 2 has one of norm 2") {
		t.Errorf("a long row: %v", err)
	}
}

// Only the logistic loss has L(z) − L(−z) = −z, on which the debiasing rests.
func TestPDML_RefusesOtherLossesForRandomisedLabels(t *testing.T) {
	f := newFixture(2, 1, 1, [][2]int{{0, 1}})
	e, _ := Lookup("pdml")
	p := filled(t, e).(*PDML)
	pr := f.problem()
	pr.Loss = problem.HuberHinge{Width: 0.5}
	s := Setting{Problem: pr, Graph: f.graphOf(t, e), Rounds: 1}
	if _, err := e.New(p, s); err == nil || !strings.Contains(err.Error(), "logistic") {
		t.Errorf("huber-hinge: %v", err)
	}
	p.Labels = "true"
	if _, err := e.New(p, s); err != nil {
		t.Errorf("with true labels: %v", err)
	}
}

// own gives users of each server ε of their own, from the list in turn.
func own(list ...float64) parameter.Budgets {
	return parameter.Budgets{Budget: parameter.Budget{List: list}}
}

// Users of one server flip as often as their own ε says, and say which.
func TestPDML_UsersFlipByTheirOwnBudget(t *testing.T) {
	f := newFixture(3, 6000, 2, [][2]int{{0, 1}, {1, 2}})
	list := []float64{0.2, 1, 3}
	m := makeMethod(t, f, "pdml", 1, func(p *PDML) { p.Epsilon = own(list...) })
	flips, users := map[float64]float64{}, map[float64]float64{}
	for i := range f.rows {
		for k := range f.rows[i] {
			report := m.Method.(Registering).Report(1, i, k)
			epsilon := list[k%3]
			if len(report) != 4 || report[3] != epsilon || m.Method.(Registering).Budget(i, k) != epsilon {
				t.Fatalf("user %d of server %d reports %v, its ε is %v", k, i, report, epsilon)
			}
			if users[epsilon]++; report[2] != f.labels[i][k] {
				flips[epsilon]++
			}
		}
	}
	for _, epsilon := range list {
		p, n := 1/(1+math.Exp(epsilon)), users[epsilon]
		if !(math.Abs(flips[epsilon]-p*n) <= 4*math.Sqrt(p*(1-p)*n)) {
			t.Errorf("ε = %v: %v of %v labels are flipped, expected %v", epsilon, flips[epsilon], n, p*n)
		}
	}
	m = makeMethod(t, f, "pdml", 1, func(p *PDML) { p.Epsilon, p.Labels = own(list...), "true" })
	if r := m.Method.(Registering).Report(1, 0, 0); len(r) != 3 || !math.IsInf(m.Method.(Registering).Budget(0, 0), 1) {
		t.Errorf("with true labels a user reports %v", r)
	}
}

// The mean of a server's gradient over all flips of three users, each with its own ε, is that of the true labels. With
// one ε for all, the mean of theirs, it is not: the error that a server makes who forgets whose report is whose.
func TestPDML_DebiasedLossIsUnbiasedForEachUser(t *testing.T) {
	list := []float64{0.3, 1, 2.5}
	f := newFixture(2, 3, 2, [][2]int{{0, 1}})
	at := []float64{0.7, -1.1}
	mean := func(budgets parameter.Budgets, told bool) []float64 {
		m := makeMethod(t, f, "pdml", 1, func(p *PDML) { p.Epsilon, p.Noise = budgets, "off" })
		sum := make([]float64, 2)
		for flips := range 8 {
			weight := 1.0
			var reports [][]float64
			for k, x := range f.rows[0] {
				p, y := 1/(1+math.Exp(list[k])), f.labels[0][k]
				if flips>>k&1 == 1 {
					weight, y = weight*p, -y
				} else {
					weight *= 1 - p
				}
				r := append(slices.Clone(x), y)
				if told {
					r = append(r, list[k])
				}
				reports = append(reports, r)
			}
			n := m.lone(0)
			m.Method.(Registering).Collect(n, reports)
			g := make([]float64, 2)
			n.Gradient(at, g)
			for c := range sum {
				sum[c] += weight * (g[c] + n.Memory[c])
			}
		}
		return sum
	}
	want := plus(make([]float64, 2), f.r, at)
	for k, x := range f.rows[0] {
		z := f.labels[0][k] * (x[0]*at[0] + x[1]*at[1])
		want = plus(want, -f.c/3*f.labels[0][k]/(1+math.Exp(z)), x)
	}
	if got := mean(own(list...), true); !(distance(got, want) <= 1e-11) {
		t.Errorf("the mean of the gradient is %v, of true labels %v", got, want)
	}
	if got := mean(parameter.One((0.3+1+2.5)/3), false); !(distance(got, want) >= 1e-2) {
		t.Errorf("with one ε for all the mean of the gradient is right: %v, %v", got, want)
	}
}

// A label's loss is that of the user who chose the greatest ε of its server; a row moves the model most where its user
// chose the least.
func TestPDML_AccountOfOwnBudgets(t *testing.T) {
	f := uneven()
	const rounds, eta, deviation, decay, delta = 8, 0.4, 0.5, 0.9, 1e-6
	servers := parameter.Budgets{}
	for i := range f.rows {
		servers.Servers = append(servers.Servers, parameter.Budget{List: []float64{0.5 + float64(i), 0.4, 0.3}})
	}
	m := makeMethod(t, f, "pdml", rounds, func(p *PDML) {
		p.Eta, p.Epsilon, p.Decay, p.Deviation = eta, servers, decay, parameter.Constant(deviation)
	})
	l := account(m)
	for i := range f.rows {
		least, greatest := math.Inf(1), 0.0
		for k := range f.rows[i] {
			own := []float64{0.5 + float64(i), 0.4, 0.3}[k%3]
			least, greatest = math.Min(least, own), math.Max(greatest, own)
		}
		if got := l.Pure(i, rounds, privacy.Label); got != greatest {
			t.Errorf("server %d: labels lose %v, want %v", i, got, greatest)
		}
		moves := 2 * f.c * math.Exp(least) / (math.Exp(least) - 1) / (f.size(i) * (f.r + 2*eta*f.degree(i)))
		rho := 0.0
		for t := 1; t <= rounds; t++ {
			rho += moves * moves / (2 * deviation * deviation * math.Pow(decay, float64(t-1)))
		}
		want := rho + 2*math.Sqrt(rho*math.Log(1/delta))
		if got := l.ZCDP(i, privacy.Sample, delta); !(math.Abs(got-want) <= 1e-10*want) {
			t.Errorf("server %d: a row has lost %v, by hand %v", i, got, want)
		}
	}
	e, _ := Lookup("pdml")
	p := filled(t, e).(*PDML)
	p.Epsilon = parameter.Budgets{Servers: servers.Servers[:2]}
	if _, err := e.New(p, Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 1}); err == nil ||
		!strings.Contains(err.Error(), "for 2 servers") {
		t.Errorf("two of six servers: %v", err)
	}
}

// In the Euclidean norm ‖η‖ ≤ R; in the maximum norm every component is within R, and the length is mostly beyond it.
// In both the noise is that of the ball's uniform law, by its mean square: dR²/(d+2) and dR²/3.
func TestPDML_ObjectiveNoiseIsBoundedInItsNorm(t *testing.T) {
	const bound, d, draws = 1.5, 4, 4000
	f := newFixture(2, 1, d, [][2]int{{0, 1}})
	for norm, mean := range map[string]float64{"euclidean": d * bound * bound / (d + 2), "max": d * bound * bound / 3} {
		m := makeMethod(t, f, "pdml", 1, func(p *PDML) { p.Bound, p.Norm, p.Labels = bound, norm, "true" })
		squares, longest, largest := 0.0, 0.0, 0.0
		for seed := range draws {
			m.setting.Seed = uint64(seed)
			n := m.lone(0)
			n.seed = uint64(seed)
			m.Method.(Registering).Collect(n, [][]float64{append(make([]float64, d), 1)})
			eta := plus(make([]float64, d), 2, n.Memory[d:2*d]) // N = 2
			length := norm2(eta)
			squares += length * length / draws
			longest = math.Max(longest, length)
			for _, v := range eta {
				largest = math.Max(largest, math.Abs(v))
			}
		}
		if !(math.Abs(squares-mean) <= 0.05*mean) || !(largest <= bound*(1+1e-12)) {
			t.Errorf("%s: mean square %v, want %v; largest component %v", norm, squares, mean, largest)
		}
		if inside := longest <= bound*(1+1e-12); inside != (norm == "euclidean") {
			t.Errorf("%s: the longest is %v, R is %v", norm, longest, bound)
		}
	}
}

// Without a ridge the linear terms of randomised labels and of noise may outgrow the logistic loss, even where the true
// labels' objective has a minimum; a bounded set, a quadratic loss or no such terms keep one.
func TestPDML_RefusesWhatMayBeUnboundedBelow(t *testing.T) {
	f := uneven()
	e, _ := Lookup("pdml")
	ball := problem.NewNonSmooth(0, 0, problem.Region{Kind: "ball", Radius: 1})
	half := problem.NewNonSmooth(0, 0, problem.Region{Kind: "box", Lower: 0, Upper: math.Inf(1)})
	for _, c := range []struct {
		set     func(p *PDML)
		r       float64
		loss    problem.Loss
		within  *problem.NonSmooth
		refused bool
	}{
		{set: func(*PDML) {}, refused: true},
		{set: func(p *PDML) { p.Noise = "off" }, refused: true},
		{set: func(p *PDML) { p.Bound = 0 }, refused: true},
		{set: func(p *PDML) { p.Labels = "true" }, refused: true},
		{set: func(*PDML) {}, within: half, refused: true},
		{set: func(p *PDML) { p.Labels, p.Noise = "true", "off" }},
		{set: func(p *PDML) { p.Labels, p.Bound = "true", 0 }},
		{set: func(p *PDML) { p.Labels = "true" }, loss: problem.Squared},
		{set: func(*PDML) {}, within: ball},
		{set: func(*PDML) {}, r: 1e-9},
	} {
		s := Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 5}
		for i := range s.Problem.R {
			s.Problem.R[i] = 0
		}
		s.Problem.R[2] = c.r
		if s.Problem.NonSmooth = c.within; c.loss != nil {
			s.Problem.Loss = c.loss
		}
		p := left(t, e).(*PDML)
		p.Eta, p.Labels, p.Bound, p.Noise = 0.3, "randomised", 1, "on"
		c.set(p)
		if _, err := e.New(p, s); c.refused != (err != nil) ||
			err != nil && !strings.Contains(err.Error(), "problem.rho") {
			t.Errorf("%+v, r %v, loss %T, set %v: %v", p, c.r, s.Problem.Loss, c.within, err)
		}
	}
}
