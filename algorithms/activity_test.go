// What nodes do with their time, what observers are told of it, and what is said of nodes
// that do not end, in every protocol.

package algorithms

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
)

// conclusions are the rounds of which each node is said to have concluded, in order.
type conclusions struct {
	published, concluded map[int][]int
}

func (c *conclusions) Published(p *Publication) {
	c.published[p.Node] = append(c.published[p.Node], p.Round)
}

func (c *conclusions) Concluded(node, round int, _ []float64) {
	c.concluded[node] = append(c.concluded[node], round)
}

// engineOf is an engine for a protocol, on links of 1 ms.
func engineOf(t *testing.T, p Protocol, change func(*sim.Config)) *sim.Engine {
	t.Helper()
	c := sim.Config{Seed: 1, Graph: p.Graph(), Workers: 2,
		Link: sim.Link{Latency: sim.Latency{Kind: "constant", Value: 1e6}}}
	if change != nil {
		change(&c)
	}
	e, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	p.Attach(e)
	return e
}

// everyConfig calls f for every method with every protocol that it has.
func everyConfig(t *testing.T, rounds int, f func(t *testing.T, e *Entry, c Config)) {
	rows, columns := uneven(), newBlocks(12, []int{2, 3}, "mean")
	for _, e := range Entries() {
		for name, c := range map[string]Config{
			"synchronous":  {Setting: Setting{Problem: rows.problem()}},
			"asynchronous": {Setting: Setting{Problem: rows.problem()}, Trigger: &parameter.Trigger{Quorum: 1}},
			"columns":      {Setting: columns.setting(t, rounds)},
		} {
			if e.Suits(c.Split != nil) != nil {
				continue
			}
			t.Run(e.Name+", "+name, func(t *testing.T) {
				c.Rounds, c.Seed = rounds, 1
				if c.Split == nil {
					c.Graph = rows.graphOf(t, e)
				}
				var err error
				if c.Method, err = e.New(filled(t, e), c.Setting); err != nil {
					t.Fatal(err)
				}
				f(t, e, c)
			})
		}
	}
}

// A node computes for as long as its rows, its speed and the jitter of the round say, in
// every round that touches data, and a hub without a problem of its own not at all.
func TestActivity_BusyIsWhatUpdatesCost(t *testing.T) {
	const rounds = 6
	speeds := []float64{1, 2, 0.5, 4, 1.5, 3, 0.25}
	everyConfig(t, rounds, func(t *testing.T, e *Entry, c Config) {
		n := c.Graph.Order()
		var err error
		if c.Cost, err = (Cost{Row: 1000, Jitter: 0.5, Speeds: speeds[:n]}).Of(1, n); err != nil {
			t.Fatal(err)
		}
		p, err := NewProtocol(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := engineOf(t, p, nil).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		nodes := p.Activity().Nodes
		if len(nodes) != n {
			t.Fatalf("%d nodes, want %d", len(nodes), n)
		}
		for i, a := range nodes {
			rows := 0
			switch {
			case c.Split != nil:
				rows = c.Split.N
			case !e.Star:
				rows = c.Problem.Shards[i].U.Len()
			case i > 0:
				rows = c.Problem.Shards[i-1].U.Len()
			}
			var want sim.Duration
			for round := 1; round <= rounds; round++ {
				if idler, ok := c.Method.(Idler); ok && idler.Idle(round) {
					continue
				}
				u := sim.NewStream(1, "compute", uint64(i), uint64(round)).Float64()
				want += sim.Duration(math.Floor(float64(rows) * 1000 * (1 + 0.5*(2*u-1)) / speeds[i]))
			}
			if d := a.Busy - want; d < -rounds || d > rounds {
				t.Errorf("node %d computes for %v, want %v", i, a.Busy, want)
			}
			if a.Rounds != rounds {
				t.Errorf("node %d published round %d", i, a.Rounds)
			}
			if hub := i == 0 && (e.Star || c.Split != nil); !hub && a.Finished == 0 {
				t.Errorf("node %d did not finish", i)
			}
		}
	})
}

// An observer hears of every round of every node once, in order, and of the dual steps of
// nodes with data over rows.
func TestObserver_HearsOfEveryRoundOnce(t *testing.T) {
	const rounds = 4
	all := []int{0, 1, 2, 3, 4}
	everyConfig(t, rounds, func(t *testing.T, e *Entry, c Config) {
		o := &conclusions{map[int][]int{}, map[int][]int{}}
		c.Observer = o
		p, err := NewProtocol(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := engineOf(t, p, nil).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if err := p.Unfinished(); err != nil {
			t.Fatal(err)
		}
		for i := range c.Graph.Order() {
			published, concluded := all, all[1:]
			hub := i == 0 && (e.Star || c.Split != nil)
			if c.Split != nil && !hub {
				published = all[1:]
			}
			if c.Split != nil || hub {
				concluded = nil
			}
			if !slices.Equal(o.published[i], published) || !slices.Equal(o.concluded[i], concluded) {
				t.Errorf("node %d published %v and concluded %v, want %v and %v", i, o.published[i], o.concluded[i],
					published, concluded)
			}
		}
	})
}

// measured checks what is said beside the values of a publication.
type measured struct {
	t       *testing.T
	problem *problem.Problem // nil: columns are split
	first   int              // node of part 0
}

func (m measured) Published(p *Publication) {
	if part := max(p.Node-m.first, -1); p.Part != part {
		m.t.Errorf("node %d has part %d, want %d", p.Node, p.Part, part)
	}
	want := 0.0
	if m.problem != nil && p.Part >= 0 {
		want = m.problem.NewSolver(p.Part, 0).DataLossAt(m.problem.NewScratch(), p.Values)
	}
	if p.Loss != want {
		m.t.Errorf("the loss of node %d in round %d is %v, want %v", p.Node, p.Round, p.Loss, want)
	}
	if p.At < p.Began || p.Round == 0 && p.At != p.Began {
		m.t.Errorf("node %d has round %d from %v to %v", p.Node, p.Round, p.Began, p.At)
	}
}

func (measured) Concluded(int, int, []float64) {}

func TestObserver_IsToldPartAndLoss(t *testing.T) {
	everyConfig(t, 3, func(t *testing.T, e *Entry, c Config) {
		c.Cost = Cost{Row: 1000}
		o := measured{t: t, problem: c.Problem}
		if e.Star || c.Split != nil {
			o.first = 1
		}
		c.Observer = o
		p, err := NewProtocol(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := engineOf(t, p, nil).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	})
}

// strict finds fault with a round over split columns.
type strict struct {
	Observer
	round int
}

func (s strict) Ended(r *ColumnRound) error {
	if r.Round == s.round {
		return errBroken
	}
	return nil
}

// What an observer finds fault with ends the run, be it the last round.
func TestRoundObserver_ErrorsEndTheRun(t *testing.T) {
	b := newBlocks(6, []int{2, 1}, "mean")
	for _, round := range []int{2, 4} {
		setting := b.setting(t, 4)
		e, _ := Lookup("admm-sharing")
		m, err := e.New(&Sharing{Eta: 1, Form: "averaged"}, setting)
		if err != nil {
			t.Fatal(err)
		}
		p, err := NewProtocol(Config{Setting: setting, Method: m,
			Observer: strict{measured{t: t, first: 1}, round}})
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(engineOf(t, p, nil).Run(context.Background()), p.Unfinished())
		if !errors.Is(err, errBroken) {
			t.Errorf("a fault in round %d: %v", round, err)
		}
	}
}

// breaking are methods of each kind that fail, or are not finite, at one node and round.
type (
	breakingClient struct {
		Central
		inf bool
	}
	breakingParty struct {
		ColumnMethod
		hub, inf bool
	}
)

func (m breakingClient) Update(n *Node, t int) error {
	if n.ID == 1 && t == 3 {
		if m.inf {
			n.F[0] = math.Inf(1)
			return nil
		}
		return errBroken
	}
	return m.Central.Update(n, t)
}

func (m breakingParty) Answer(p *Party, t int, hub []float64) ([]float64, error) {
	v, err := m.ColumnMethod.Answer(p, t, hub)
	if !m.hub && p.ID == 1 && t == 3 {
		if v[1] = math.Inf(-1); !m.inf {
			err = errBroken
		}
	}
	return v, err
}

func (m breakingParty) Merge(h *Hub, t int, sent [][]float64) ([]float64, error) {
	v, err := m.ColumnMethod.Merge(h, t, sent)
	if m.hub && t == 3 {
		if v[1] = math.NaN(); !m.inf {
			err = errBroken
		}
	}
	return v, err
}

func TestProtocols_FailuresNameNodeAndRound(t *testing.T) {
	f := newFixture(3, 4, 2, [][2]int{{0, 1}, {1, 2}})
	path, err := sim.NewGraph(3, f.edges)
	if err != nil {
		t.Fatal(err)
	}
	rows := Setting{Problem: f.problem(), Graph: path, Rounds: 5, Seed: 1}
	hub := makeMethod[DPADMM](t, uneven(), "dp-admm", 5, nil)
	b := newBlocks(6, []int{2, 1}, "mean")
	e, _ := Lookup("admm-sharing")
	made, err := e.New(&Sharing{Eta: 1, Form: "averaged"}, b.setting(t, 5))
	if err != nil {
		t.Fatal(err)
	}
	sharing := made.(ColumnMethod)
	late := &parameter.Trigger{Quorum: 1}
	for _, c := range []struct {
		name, want string
		config     Config
	}{
		{"asynchronous", "node 1, round 3: broken", Config{Setting: rows, Trigger: late,
			Method: failing{ADMM: ADMM{Eta: 0.5}, round: 3}}},
		{"a client", "node 2, round 3: broken", Config{Setting: hub.setting,
			Method: breakingClient{hub.Method.(Central), false}}},
		{"a client that is not finite", "node 2, round 3: the run diverges: the iterate's component 0 is +Inf", Config{
			Setting: hub.setting, Method: breakingClient{hub.Method.(Central), true}}},
		{"a client, asynchronous", "node 2, round 3: broken", Config{Setting: hub.setting, Trigger: late,
			Method: breakingClient{hub.Method.(Central), false}}},
		{"a party", "node 2, round 3: broken", Config{Setting: b.setting(t, 5),
			Method: breakingParty{sharing, false, false}}},
		{"a party that is not finite", "node 2, round 3: the run diverges: number 1 of the message is -Inf", Config{
			Setting: b.setting(t, 5), Method: breakingParty{sharing, false, true}}},
		{"a hub", "the hub, round 3: broken", Config{Setting: b.setting(t, 5),
			Method: breakingParty{sharing, true, false}}},
		{"a hub that is not finite", "the hub, round 3: the run diverges: number 1 of the message is NaN", Config{
			Setting: b.setting(t, 5), Method: breakingParty{sharing, true, true}}},
	} {
		p, err := NewProtocol(c.config)
		if err != nil {
			t.Fatal(err)
		}
		err = engineOf(t, p, nil).Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if strings.HasSuffix(c.want, "broken") && !errors.Is(err, errBroken) {
			t.Errorf("%s: the method's own error is lost in %v", c.name, err)
		}
	}
}

func TestStuck_NamesTheFirstFew(t *testing.T) {
	words := func(n, done int) string {
		err := stuck(n, nil, func(i int) (bool, string) { return i < done, fmt.Sprint("node ", i) })
		if err == nil {
			return ""
		}
		return err.Error()
	}
	for _, c := range []struct {
		n, done int
		want    string
	}{
		{4, 4, ""},
		{4, 3, "the run stopped with 1 of 4 nodes unfinished: node 3"},
		{7, 2, "the run stopped with 5 of 7 nodes unfinished: node 2; node 3; node 4; node 5; node 6"},
		{9, 2, "the run stopped with 7 of 9 nodes unfinished: node 2; node 3; node 4; node 5; node 6; " +
			"and 2 more nodes wait"},
	} {
		if got := words(c.n, c.done); got != c.want {
			t.Errorf("%d of %d done: %q, want %q", c.done, c.n, got, c.want)
		}
	}
}

// A node that leaves says so to its neighbours, who wait for it no longer.
func TestAsynchronous_NobodyWaitsForANodeThatHasLeft(t *testing.T) {
	f := newFixture(4, 5, 2, [][2]int{{0, 1}, {1, 2}, {2, 3}})
	for _, trigger := range []parameter.Trigger{{Quorum: 1}, {Quorum: 0.4, Staleness: 1}} {
		r := freely(t, f, "admm", 20, func(p *ADMM) { p.Eta = 0.3 })
		r.Trigger = &trigger
		told := map[int32]int{}
		r.config.Sent = func(p *sim.Packet) {
			if p.Kind == KindLeave {
				if p.From != 1 {
					t.Errorf("node %d says that it leaves", p.From)
				}
				told[p.To]++
			}
		}
		r.config.Faults = []sim.Fault{{At: 5e6, Kind: sim.Leave{Node: 1}}}
		if err := r.run(t); err != nil {
			t.Fatalf("%+v: %v", trigger, err)
		}
		if len(told) != 2 || told[0] != 1 || told[2] != 1 {
			t.Errorf("%+v: neighbours were told %v", trigger, told)
		}
		if r.journal[20][1] != nil || r.journal[3][1] == nil {
			t.Errorf("%+v: the node that left published its last round, or none", trigger)
		}
		for _, i := range []int{0, 2, 3} {
			if r.journal[20][i] == nil {
				t.Errorf("%+v: node %d did not end", trigger, i)
			}
		}
		// Node 0 has no neighbour left: its steps cost nothing but their computation.
		if last := r.journal[20][0]; last.At > 10e6 {
			t.Errorf("%+v: node 0 ends at %v", trigger, last.At)
		}
	}
}

// Steps are counted by how far behind the values are that they use; with a bound, up to it.
func TestAsynchronous_LagsReachTheBound(t *testing.T) {
	f := newFixture(2, 5, 2, [][2]int{{0, 1}})
	for _, bound := range []int{1, 2, 3} {
		r := freely(t, f, "admm", 12, func(p *ADMM) { p.Eta = 0.3 })
		r.Trigger = &parameter.Trigger{Staleness: bound}
		r.Cost = Cost{Row: 100, speeds: []float64{1, 1e-5}} // node 1 takes 50 ms
		if err := r.run(t); err != nil {
			t.Fatal(err)
		}
		lags := r.protocol.lags
		if len(lags) != bound+1 || lags[bound] == 0 {
			t.Errorf("with a bound of %d, lags %v", bound, lags)
		}
		total := int64(0)
		for _, n := range lags {
			if n < 0 {
				t.Errorf("lags %v", lags)
			}
			total += n
		}
		// Twelve steps and a last one that only concludes, of each node, but for values of the last round.
		if total < 20 || total > 26 {
			t.Errorf("%d values were used in lags %v", total, lags)
		}
	}
}

// A node that nobody hears gives up once it has waited for its deadline since its own last
// update, not since the run began.
func TestAsynchronous_DeadlineCountsFromTheLastUpdate(t *testing.T) {
	f := newFixture(3, 4, 2, [][2]int{{0, 1}, {1, 2}})
	r := freely(t, f, "admm", 30, func(p *ADMM) { p.Eta = 0.3 })
	r.config.Link.Loss = 1
	r.Trigger = &parameter.Trigger{Quorum: 0.5, Staleness: 4, Timeout: 10e6}
	r.Deadline = 100e6
	err := r.run(t)
	if err == nil || !strings.Contains(err.Error(), "no progress for 100ms") {
		t.Fatal(err)
	}
	// Updates by timeouts at 10, 20, 30 and 40 ms; the last is of a value five rounds behind.
	last := sim.Time(0)
	for _, round := range r.journal {
		for _, p := range round {
			if p != nil {
				last = max(last, p.At)
			}
		}
	}
	if waited := r.engine.Now() - last; last < 30e6 || waited < 100e6 || waited > 115e6 {
		t.Errorf("gave up at %v; the last update was at %v", r.engine.Now(), last)
	}
}

// A server begins once it has all of its users' reports, however late, and asks for those
// that were lost; what it publishes is what it would have published in time.
func TestRegistration_ServersWaitForEveryReport(t *testing.T) {
	f := newFixture(3, 4, 2, [][2]int{{0, 1}, {1, 2}, {0, 2}})
	a := makeMethod(t, f, "pdml", 5, func(p *PDML) { p.Eta = 0.3 })
	quick := a.run(t, nil, nil)
	const user = 3 + 2 // of row 2 of server 0
	slow := sim.Latency{Kind: "constant", Value: 50e6}
	late := func(c *sim.Config) { c.Overrides = []sim.Override{{Between: [2]int{0, user}, Latency: &slow}} }
	lossy := func(c *sim.Config) { c.Link.Loss = 0.4 }
	for name, change := range map[string]func(*sim.Config){"late": late, "lossy": lossy} {
		for _, trigger := range []*parameter.Trigger{nil, {Quorum: 1, Timeout: 500e6, Staleness: 1}} {
			o := &conclusions{map[int][]int{}, map[int][]int{}}
			j := make(journal, 6)
			for r := range j {
				j[r] = make([]*Publication, 3)
			}
			p, err := NewProtocol(Config{Setting: a.setting, Method: a.Method, Observer: both{o, j}, Retry: 10e6,
				Deadline: 60e9, Trigger: trigger})
			if err != nil {
				t.Fatal(err)
			}
			spare := func(c *sim.Config) {
				change(c)
				c.Sent = func(p *sim.Packet) {
					if p.Kind == KindValue && (p.To > 2 || p.From > 2) {
						t.Errorf("%s: an iterate goes from %d to %d", name, p.From, p.To)
					}
				}
			}
			if err := engineOf(t, p, spare).Run(context.Background()); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if err := p.Unfinished(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i := range f.rows {
				if !slices.Equal(o.published[i], []int{0, 1, 2, 3, 4, 5}) {
					t.Errorf("%s: server %d published rounds %v", name, i, o.published[i])
				}
				if name == "late" && i == 0 && j[0][0].At != 50e6 {
					t.Errorf("server 0 begins at %v, before it has all reports", j[0][0].At)
				}
			}
			if trigger == nil {
				identical(t, j, quick)
			}
		}
	}
}

// both tells two observers.
type both struct{ a, b Observer }

func (o both) Published(p *Publication) { o.a.Published(p); o.b.Published(p) }

func (o both) Concluded(node, round int, dual []float64) {
	o.a.Concluded(node, round, dual)
	o.b.Concluded(node, round, dual)
}

// Servers that wait in vain for reports give up after the deadline, and say how many.
func TestRegistration_DeadlineSaysHowManyAreMissing(t *testing.T) {
	f := newFixture(2, 4, 2, [][2]int{{0, 1}})
	a := makeMethod(t, f, "pdml", 3, func(p *PDML) { p.Eta = 0.3 })
	all := 1.0
	dead := func(c *sim.Config) {
		c.Overrides = []sim.Override{{Between: [2]int{0, 2}, Loss: &all}, {Between: [2]int{0, 4}, Loss: &all},
			{Between: [2]int{1, 6}, Loss: &all}}
	}
	for _, trigger := range []*parameter.Trigger{nil, {Quorum: 1}} {
		c := Config{Setting: a.setting, Method: a.Method, Retry: 10e6, Deadline: 1e9, Trigger: trigger}
		p, err := NewProtocol(c)
		if err != nil {
			t.Fatal(err)
		}
		e := engineOf(t, p, dead)
		err = e.Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), "no progress for 1s of virtual time (the deadline): "+
			"node 0 waits for the reports of 2 users") {
			t.Errorf("%v", err)
		}
		if e.Now() < 1e9 || e.Now() > 1.2e9 {
			t.Errorf("it gives up at %v", e.Now())
		}
		c.Retry = 0
		if p, err = NewProtocol(c); err != nil {
			t.Fatal(err)
		}
		if err := engineOf(t, p, dead).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		want := "node 0 waits for the reports of 2 users; node 1 waits for the reports of 1 user"
		if err := p.Unfinished(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("without retries: %v", err)
		}
	}
}

// A node that has lost its memory begins anew at its starting point. Where it hears nobody
// it goes on by timeouts; where it has none, it waits until its neighbours have answered.
func TestAsynchronous_RestartWithoutMemory(t *testing.T) {
	f := newFixture(3, 5, 2, [][2]int{{0, 1}, {1, 2}})
	const down, up = 25e6, 60e6
	crash := []sim.Fault{{At: down, Until: up, Kind: sim.Crash{Node: 1, Memory: "lost"}}}
	r := freely(t, f, "admm", 10, func(p *ADMM) { p.Eta = 0.3 })
	r.config.Faults, r.config.Link.Loss = crash, 1
	r.Trigger = &parameter.Trigger{Quorum: 1, Timeout: 10e6}
	if err := r.run(t); err != nil {
		t.Fatal(err)
	}
	first, again := r.journal[1][1], (*Publication)(nil)
	for _, round := range r.journal[1:] {
		if p := round[1]; again == nil && p.At > up {
			again = p
		}
	}
	if again.Round != 3 || again.At < up+10e6 {
		t.Errorf("after its restart node 1 publishes round %d at %v", again.Round, again.At)
	}
	if !slices.Equal(again.Values, first.Values) {
		t.Errorf("its first step after the restart gives %v, that from the start gave %v", again.Values, first.Values)
	}

	r = freely(t, f, "admm", 40, func(p *ADMM) { p.Eta = 0.3 })
	r.config.Faults = crash
	r.Cost = Cost{Row: 100e3}
	if err := r.run(t); err != nil {
		t.Fatal(err)
	}
	for _, round := range r.journal[1:] {
		if p := round[1]; p.At > up {
			if p.At < up+2e6 {
				t.Errorf("without timeouts node 1 publishes at %v, before anybody could answer", p.At)
			}
			break
		}
	}
}
