// Views of asynchronous rounds amid faults, against one covariance of runs whose draws are pushed one by one.

package evaluation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/sim"
)

// amidFaults is an asynchronous run of three nodes of which one crashes, as its network changes.
var amidFaults = []string{"rounds={mode: asynchronous, count: 5, timeout: 8ms, quorum: 0.9}", "compute={row: 100us}",
	"network.topology={kind: path, nodes: 3}", "network.latency={kind: lognormal, median: 3ms, sigma: 0.8}",
	"network.faults=[{at: 6ms, crash: 1, until: 17ms}]", "problem.loss=squared"}

const gaussianDGD = "{kind: private-dgd, step: 0.5, alpha: 0.4, law: gaussian}"

// pushed adds to iterates what the test says, in units of the noise's deviation.
type pushed struct {
	flawed
	push map[[2]int][]float64 // by node and round
}

func newPushed(push map[[2]int][]float64) planting {
	return func(m algorithms.Method, s algorithms.Setting) algorithms.Method {
		update := func(inner algorithms.RowMethod, n *algorithms.Node, t int) error {
			if err := inner.Update(n, t); err != nil {
				return err
			}
			if v := push[[2]int{n.ID, t}]; v != nil {
				rows := float64(s.Problem.Shards[n.ID].U.Len())
				num.Axpy(2*s.Problem.C*0.5/math.Sqrt(float64(t))/(0.4*rows), v, n.F)
			}
			return nil
		}
		return &pushed{flawed{privateRow: m.(privateRow), update: update}, push}
	}
}

// heardBy runs a world and returns what a node receives, by sender and round, without gaps.
func heardBy(t *testing.T, w *twoWorlds, observer, world int) []float64 {
	t.Helper()
	c, err := w.play(context.Background(), world, w.assembly[0].Seed)
	if err != nil {
		t.Fatal(err)
	}
	values := map[[2]int][]float64{}
	for i := range c.packets {
		if p := &c.packets[i]; p.to == observer && p.received >= 0 && p.round > 0 &&
			p.kind == algorithms.KindValue {
			values[[2]int{p.from, p.round}] = c.payloads[p.payload]
		}
	}
	var all []float64
	for node := range w.assembly[0].Graph.Order() {
		for r := range w.assembly[0].Rounds + 1 {
			all = append(all, values[[2]int{node, r}]...)
		}
	}
	return all
}

// What the filter says of a view is Δᵀ Σ⁻¹ Δ, with Σ made of the answers of the simulator itself to a push of each
// draw, and, less sharply, of the law of many runs with one course.
func TestAuditView_AmidFaultsIsOneCovariance(t *testing.T) {
	const observer, victim, d, rounds = 2, 0, 3, 5
	audit := append([]string{"adversary.view={nodes: [2]}", "adversary.audit.node=0"}, amidFaults...)
	a, err := Audit(context.Background(), small(t, gaussianDGD, nil, audit...), AuditOptions{Workers: 2})
	if err != nil || a.View == nil {
		t.Fatalf("%+v %v", a, err)
	}
	got := float64(a.View.Mu)

	push := map[[2]int][]float64{}
	e := small(t, gaussianDGD, newPushed(push), audit...)
	w := flippedLabels(t, e, victim)
	base := heardBy(t, w, observer, 0)
	shift := slices.Clone(base)
	num.Axpy(-1, heardBy(t, w, observer, 1), shift)
	n := len(base)
	cov := make([]float64, num.Packed(n))
	for node := range 3 {
		for r := 1; r <= rounds; r++ {
			for k := range d {
				if node == observer {
					continue // knows what it draws
				}
				v := make([]float64, d)
				v[k] = 1
				push[[2]int{node, r}] = v
				column := heardBy(t, w, observer, 0)
				delete(push, [2]int{node, r})
				num.Axpy(-1, base, column)
				for i := range column {
					for j := range i + 1 {
						cov[num.Packed(i)+j] += column[i] * column[j]
					}
				}
			}
		}
	}
	var f num.Cholesky
	if err := f.Factor(cov, n); err != nil {
		t.Fatal(err)
	}
	x := slices.Clone(shift)
	f.Solve(x)
	if want := math.Sqrt(num.Dot(x, shift)); !(math.Abs(got-want) <= 1e-7*want) {
		t.Errorf("μ = %v, by one covariance %v", got, want)
	}

	runs, near := 4000, 0.08
	if testing.Short() {
		runs, near = 800, 0.25
	}
	draws := sim.NewStream(1, "pushes")
	want := sampled(shift, runs, func(int) []float64 {
		for node := range 3 {
			for r := 1; r <= rounds && node != observer; r++ {
				v := make([]float64, d)
				for k := range v {
					v[k] = draws.Normal()
				}
				push[[2]int{node, r}] = v
			}
		}
		return heardBy(t, w, observer, 0)
	})
	if !(math.Abs(got-want) <= near*want) {
		t.Errorf("μ = %v, by %d runs %v", got, runs, want)
	}
}

// flippedLabels are the worlds of the first row of a node.
func flippedLabels(t *testing.T, e *experiment.Experiment, node int) *twoWorlds {
	t.Helper()
	a, err := e.Assemble(t.Context(), e.Seeds.First)
	if err != nil {
		t.Fatal(err)
	}
	u, y, _ := mirrored(a, node, 0)
	w, err := rowWorlds(e, a, node, 0, 1, u, y)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A record that says of an update that other values entered it than did is found: a value that came late and is taken
// for one that was there, one that was there and is taken to have come late, and one that a crash lost and that is
// taken to have come.
func TestExplain_FindsOtherInputsAmidFaults(t *testing.T) {
	w := flippedLabels(t, small(t, gaussianDGD, nil, amidFaults...), 0)
	for name, change := range map[string]func(c *wire, p *packet) bool{
		"as it is": func(*wire, *packet) bool { return false },
		"stale taken for fresh": func(c *wire, p *packet) bool {
			late := p.to == 1 && p.round == 3 && p.received > p.sent
			if late {
				p.received = p.sent + 1
			}
			return late
		},
		"fresh taken for stale": func(c *wire, p *packet) bool {
			if p.to != 0 || p.round != 1 || p.received < 0 {
				return false
			}
			p.received += sim.Time(20e6)
			return true
		},
		"lost in a crash and taken to have come": func(c *wire, p *packet) bool {
			lost := p.to == 1 && p.received < 0
			if lost {
				p.received, p.copies = p.sent+sim.Time(1e6), 1
			}
			return lost
		},
	} {
		x, err := newExplainer(w)
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.play(context.Background(), 0, 1)
		if err != nil {
			t.Fatal(err)
		}
		changed := false
		for i := range c.packets {
			if p := &c.packets[i]; !changed && p.kind == algorithms.KindValue {
				changed = change(c, p)
			}
		}
		account, err := x.explain(context.Background(), c, run{number: twins, seed: 1})
		if err != nil {
			t.Fatal(name, err)
		}
		if right := name == "as it is"; changed == right || account.explained() != right {
			t.Errorf("%s: changed: %v; explained: %v", name, changed, account.explained())
		}
	}
}

// A method that takes one neighbour's value for the other's in one update is found.
func TestAudit_FindsSwappedInputsAmidFaults(t *testing.T) {
	a, err := Audit(context.Background(), small(t, gaussianDGD, inRows(func(m privateRow, _ algorithms.Setting,
	) algorithms.Method {
		return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, t int) error {
			if n.ID == 1 && t == 4 {
				n.Heard[0], n.Heard[1] = n.Heard[1], n.Heard[0]
				defer func() { n.Heard[0], n.Heard[1] = n.Heard[1], n.Heard[0] }()
			}
			return inner.Update(n, t)
		}}
	}), append([]string{"adversary.audit.runs=20"}, amidFaults...)...), AuditOptions{Workers: 2})
	if err != nil || a.Stands() {
		t.Errorf("not found: %v", err)
	}
}

// Nodes that leave, or crash for good, owe nothing after it; one that stops before it does.
func TestProtocol_OfNodesThatAreGone(t *testing.T) {
	for _, fault := range []string{"{at: 9ms, leave: 2}", "{at: 9ms, crash: 2}"} {
		w := flippedLabels(t, small(t, gaussianDGD, nil, append(amidFaults[:4:4], "problem.loss=squared",
			"network.faults=["+fault+"]")...), 0)
		for _, drop := range []int{0, 1} { // so many rounds before the last
			x, err := newExplainer(w)
			if err != nil {
				t.Fatal(err)
			}
			c, err := w.play(context.Background(), 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			last := 0
			for i := range c.packets {
				if p := &c.packets[i]; p.from == 2 && p.kind == algorithms.KindValue {
					last = max(last, p.round)
				}
			}
			if !(last > 0 && last < 5) {
				t.Fatal(fault, fmt.Sprint(last, " is the last round"))
			}
			c.packets = slices.DeleteFunc(c.packets, func(p packet) bool { return p.from == 2 && p.round > last-drop })
			account, err := x.explain(context.Background(), c, run{number: twins, seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			if account.explained() != (drop == 0) {
				t.Errorf("%s, %d rounds less: explained: %v: %+v", fault, drop, account.explained(), account)
			}
		}
	}
}

// A map of such a run has for each observer and victim what the audit of that view has.
func TestMap_AmidFaultsIsWhatAuditsOfViewsSay(t *testing.T) {
	m, pairs, err := Map(context.Background(), small(t, gaussianDGD, nil, amidFaults...), AuditOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][2]int{{2, 0}, {0, 2}, {1, 0}} {
		a, err := Audit(context.Background(), small(t, gaussianDGD, nil, append(slices.Clone(amidFaults),
			fmt.Sprintf("adversary.view.nodes=[%d]", p[0]), fmt.Sprintf("adversary.audit.node=%d", p[1]))...),
			AuditOptions{Workers: 2})
		if err != nil || a.View == nil {
			t.Fatalf("%+v %v", a, err)
		}
		got, want := pairs.Mu[p[0]][p[1]], float64(a.View.Mu)
		if !(want > 0 && math.Abs(got-want) <= 1e-9*want) || !(got <= float64(m.All[p[1]])*(1+1e-9)) {
			t.Errorf("node %d learns %v of node %d, an audit says %v; all have %v", p[0], got, p[1], want, m.All[p[1]])
		}
		if said := pairs.Messages[p[0]][p[1]]; !(said > 0) {
			t.Errorf("messages say %v", said)
		}
	}
}
