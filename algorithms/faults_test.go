// What becomes of a run in which nodes crash without memory, leave, or are never up again,
// and when its deadlines are.

package algorithms

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"overhear/parameter"
	"overhear/sim"
)

// latest keeps what each node published last of each round.
type latest map[[2]int]*Publication

func (l latest) Published(p *Publication)      { l[[2]int{p.Round, p.Node}] = new(*p) }
func (l latest) Concluded(int, int, []float64) {}

// crashed runs a configuration while a node is down, without memory, for 20 ms.
func crashed(t *testing.T, e *Entry, c Config, node int, at sim.Duration) latest {
	t.Helper()
	var err error
	if c.Method, err = e.New(filled(t, e), c.Setting); err != nil { // a method keeps room for one run
		t.Fatal(err)
	}
	seen := latest{}
	c.Observer = seen
	p, err := NewProtocol(c)
	if err != nil {
		t.Fatal(err)
	}
	engine := engineOf(t, p, func(s *sim.Config) {
		if at > 0 {
			s.Faults = sim.FaultPlan{{At: at, Until: at + 20e6, Kind: sim.Crash{Node: node, Memory: "lost"}}}
		}
	})
	if err := engine.Run(context.Background()); err != nil {
		t.Fatalf("node %d down at %v: %v", node, at, err)
	}
	if err := p.Unfinished(); err != nil {
		t.Fatalf("node %d down at %v: %v", node, at, err)
	}
	return seen
}

// A crash without memory, at any moment of a round, stops no protocol of any method: neither
// of a hub nor of a node with data. Around a hub in synchronous rounds the hub's crash
// changes nothing but the time.
func TestEveryMethodSurvivesACrashWithoutMemory(t *testing.T) {
	const rounds = 6
	everyConfig(t, rounds, func(t *testing.T, e *Entry, c Config) {
		c.Cost, c.Retry, c.Deadline = Cost{Row: 100e3}, 15e6, 60e9
		calm := crashed(t, e, c, 0, 0)
		for node := range 2 {
			for at := sim.Duration(300e3); at < 8e6; at += 700e3 {
				seen := crashed(t, e, c, node, at)
				if !e.Star || c.Trigger != nil || node > 0 {
					continue
				}
				for key, want := range calm {
					got := seen[key]
					if got == nil {
						t.Fatalf("the hub down at %v: node %d does not publish round %d", at, key[1], key[0])
					}
					if d := distance(got.Values, want.Values); !(d <= 1e-9) {
						t.Errorf("the hub down at %v: round %d of node %d is %g away from a run without the crash", at,
							key[0], key[1], d)
					}
				}
			}
		}
	})
}

// Over split columns a party that has lost its coefficients reaches the optimum all the
// same, and so does a hub that has lost its margins.
func TestSharing_ReachesTheOptimumAfterCrashesWithoutMemory(t *testing.T) {
	b := newBlocks(30, []int{2, 3}, "sum")
	params := &Sharing{Eta: 1, Form: "averaged", Loss: "sum"}
	for node := range 3 {
		r := b.run(t, "admm-sharing", params, 400, func(c *sim.Config) {
			c.Faults = sim.FaultPlan{{At: 41.5e6, Until: 60e6, Kind: sim.Crash{Node: node, Memory: "lost"}}}
			c.Link.Loss = 1e-9 // so that nodes ask again
		})
		o, err := b.vertical().Centralised()
		if err != nil {
			t.Fatal(err)
		}
		for m, x := range r.rounds[400].X {
			if d := distance(x, o.X[m]); !(d <= 1e-6) {
				t.Errorf("after a crash of node %d party %d ends %g from the optimum", node, m+1, d)
			}
		}
	}
}

// A deadline is kept to the nanosecond, whatever the interval at which nodes ask again.
func TestProtocols_DeadlinesAreExact(t *testing.T) {
	const deadline = 20e6 + 7
	one := 1.0
	f := newFixture(2, 4, 2, [][2]int{{0, 1}})
	pdml := makeMethod(t, f, "pdml", 3, func(p *PDML) { p.Eta = 0.3 })
	row := makeMethod(t, f, "admm", 3, func(p *ADMM) { p.Eta = 0.3 })
	hub := makeMethod[DPADMM](t, f, "dp-admm", 3, nil)
	columns := newBlocks(6, []int{2, 1}, "mean").setting(t, 3)
	sharing, err := newSharing(Sharing{Eta: 1, Form: "averaged", Loss: "mean"}, columns)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		config  Config
		between [2]int
	}{
		"synchronous":  {Config{Setting: row.setting, Method: row.Method}, [2]int{0, 1}},
		"hub":          {Config{Setting: hub.setting, Method: hub.Method}, [2]int{0, 1}},
		"parties":      {Config{Setting: columns, Method: sharing}, [2]int{0, 2}},
		"registration": {Config{Setting: pdml.setting, Method: pdml.Method}, [2]int{0, 2}},
		"asynchronous": {Config{Setting: row.setting, Method: row.Method, Trigger: &parameter.Trigger{Quorum: 1}},
			[2]int{0, 1}},
		"with a timeout": {Config{Setting: row.setting, Method: row.Method,
			Trigger: &parameter.Trigger{Quorum: 1, Staleness: 1, Timeout: 3e9}}, [2]int{0, 1}},
	} {
		c.config.Retry, c.config.Deadline = 10e9, deadline
		p, err := NewProtocol(c.config)
		if err != nil {
			t.Fatal(err)
		}
		e := engineOf(t, p, func(s *sim.Config) { s.Overrides = []sim.Override{{Between: c.between, Loss: &one}} })
		err = e.Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), "no progress for 20.000007ms of virtual time (the deadline)") {
			t.Errorf("%s: %v", name, err)
		}
		if e.Now() != deadline {
			t.Errorf("%s: gives up at %v, the deadline is %v", name, e.Now(), sim.Duration(deadline))
		}
	}
}

// A node that loses its memory at each crash, and is never up for as long as its update takes, begins that for ever:
// the run ends with the reason. Where updates take less, as many crashes end nothing.
func TestProtocols_EndWhereANodeNeverDoes(t *testing.T) {
	const rounds, row = 3, 10e6
	f := newFixture(2, 4, 2, [][2]int{{0, 1}})
	two := func() Config {
		b := makeMethod(t, f, "admm", rounds, func(p *ADMM) { p.Eta = 0.3 })
		return Config{Setting: b.setting, Method: b.Method}
	}
	hub := makeMethod[DPADMM](t, f, "dp-admm", rounds, nil)
	columns := newBlocks(6, []int{2, 1}, "mean").setting(t, rounds)
	sharing, err := newSharing(Sharing{Eta: 1, Form: "averaged", Loss: "mean"}, columns)
	if err != nil {
		t.Fatal(err)
	}
	late, free := two(), two()
	late.Missing, late.Deadline, free.Trigger = MissingLast, 20e6, &parameter.Trigger{Quorum: 1}
	for name, c := range map[string]Config{"synchronous": two(), "with late values": late, "asynchronous": free,
		"hub": {Setting: hub.setting, Method: hub.Method}, "parties": {Setting: columns, Method: sharing}} {
		c.Cost, c.Retry = Cost{Row: row}, 3e6
		p, err := NewProtocol(c)
		if err != nil {
			t.Fatal(err)
		}
		e := engineOf(t, p, func(s *sim.Config) {
			s.Faults = sim.FaultPlan{{Kind: sim.Churn{Sessions: &sim.Sessions{Nodes: []int{1}, Memory: "lost",
				Up:   &sim.Latency{Kind: "constant", Value: 15e6}, // an update takes 20 ms or more
				Down: &sim.Latency{Kind: "constant", Value: 1e6}}}}}
		})
		err = e.Run(context.Background())
		const reason = "node 1 has lost its memory 10000 times since it came to round 0"
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: %v, at %v", name, err, e.Now())
		}
	}

	var often effort
	for k := range 30 * vainest {
		often.steps = int32(k / (vainest - 1))
		often.forget(nil) // which would fail the run
	}
}

// goneFor is a fault after which a node never is up again.
var goneFor = map[string]sim.FaultPlan{
	"leaves":  {{At: 6.5e6, Kind: sim.Leave{Node: 1}}},
	"crashes": {{At: 6.5e6, Kind: sim.Crash{Node: 1}}},
}

// With rounds.missing: last the others end all rounds, on the last value of the node that is
// gone. Nobody waits for one that has said that it leaves.
func TestSynchronous_OutlivesANodeThatIsGone(t *testing.T) {
	f := newFixture(4, 5, 2, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}})
	for name, faults := range goneFor {
		a := makeMethod(t, f, "admm", 12, func(p *ADMM) { p.Eta = 0.3 })
		seen := latest{}
		p, err := NewProtocol(Config{Setting: a.setting, Method: a.Method, Observer: seen, Retry: 30e6, Deadline: 100e6,
			Missing: MissingLast})
		if err != nil {
			t.Fatal(err)
		}
		e := engineOf(t, p, func(c *sim.Config) { c.Faults = faults })
		if err := e.Run(context.Background()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := p.Unfinished(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, i := range []int{0, 2, 3} {
			end := seen[[2]int{12, i}]
			if end == nil {
				t.Fatalf("%s: node %d did not end", name, i)
			}
			if waited := end.At > 100e6; waited != (name == "crashes") {
				t.Errorf("%s: node %d ends at %v", name, i, end.At)
			}
		}
		if seen[[2]int{6, 1}] == nil || seen[[2]int{7, 1}] != nil {
			t.Errorf("%s: node 1 should end with round 6", name)
		}
	}
	// Without it, the run says whom it waits for.
	a := makeMethod(t, f, "admm", 12, func(p *ADMM) { p.Eta = 0.3 })
	p, err := NewProtocol(Config{Setting: a.setting, Method: a.Method, Retry: 30e6, Deadline: 100e6})
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(t, p, func(c *sim.Config) { c.Faults = goneFor["leaves"] })
	if err := e.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "of node 1 (gone for good)") {
		t.Errorf("with rounds.missing: stop: %v", err)
	}
}

// When all are gone nobody has ended, and that is said.
func TestSynchronous_EveryNodeIsGone(t *testing.T) {
	f := newFixture(2, 5, 2, [][2]int{{0, 1}})
	a := makeMethod(t, f, "admm", 12, func(p *ADMM) { p.Eta = 0.3 })
	p, err := NewProtocol(Config{Setting: a.setting, Method: a.Method, Retry: 1e6, Missing: MissingLast})
	if err != nil {
		t.Fatal(err)
	}
	e := engineOf(t, p, func(c *sim.Config) {
		c.Faults = sim.FaultPlan{{At: 2e6, Kind: sim.Leave{Node: 0}}, {At: 3e6, Kind: sim.Crash{Node: 1}}}
	})
	if err := e.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err := p.Unfinished(); err == nil || !strings.Contains(err.Error(), "every node has left or is down for good") {
		t.Error(err)
	}
}

// A neighbour that does not hear the word of one that leaves, or of one that crashes and
// cannot say it, goes on after half of the deadline; one that has only lost its memory meanwhile
// does not forget who has left.
func TestAsynchronous_OutlivesALostLeave(t *testing.T) {
	f := newFixture(4, 5, 2, [][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}})
	for _, trigger := range []parameter.Trigger{{Quorum: 1, Timeout: 5e6, Staleness: 2}, {Quorum: 1}} {
		for name, faults := range goneFor {
			t.Run(fmt.Sprintf("%s, %+v", name, trigger), func(t *testing.T) {
				r := freely(t, f, "admm", 20, func(p *ADMM) { p.Eta = 0.3 })
				r.Trigger, r.Retry, r.Deadline = &trigger, 7e6, 100e6
				r.config.Faults = append(sim.FaultPlan{
					{At: 6.4e6, Kind: sim.BadLink{Link: [2]int{0, 1}, Loss: 1}}}, faults...)
				if err := r.run(t); err != nil {
					t.Fatal(err)
				}
				for _, i := range []int{0, 2, 3} {
					if r.journal[20][i] == nil {
						t.Errorf("node %d does not end", i)
					}
				}
				silences := r.protocol.Activity().Silences
				told := map[int]bool{}
				for _, s := range silences {
					if s.Neighbour != 1 || s.At < 50e6 || s.At > 100e6 {
						t.Errorf("%+v", s)
					}
					told[s.Node] = true
				}
				if !told[0] || told[3] || told[2] == (name == "leaves") {
					t.Errorf("of node 1 nothing is heard by %v", silences)
				}
			})
		}
	}
	r := freely(t, f, "admm", 20, func(p *ADMM) { p.Eta = 0.3 })
	r.Trigger = &parameter.Trigger{Quorum: 1, Timeout: 5e6, Staleness: 2}
	r.config.Faults = append(sim.FaultPlan{
		{At: 8e6, Until: 9e6, Kind: sim.Crash{Node: 0, Memory: "lost"}}}, goneFor["leaves"]...)
	if err := r.run(t); err != nil {
		t.Errorf("after a crash without memory: %v", err)
	}
}

// A neighbour that answers, however far behind it is, has not left: the deadline stops the
// run, at its instant.
func TestAsynchronous_ASlowNeighbourHasNotLeft(t *testing.T) {
	f := newFixture(2, 5, 2, [][2]int{{0, 1}})
	r := freely(t, f, "admm", 20, func(p *ADMM) { p.Eta = 0.3 })
	factor := 1e9
	r.Trigger, r.Deadline = &parameter.Trigger{Quorum: 0, Timeout: 5e6, Staleness: 2}, 103e6
	r.config.Faults = sim.FaultPlan{{Kind: sim.SlowNode{Node: 1, Factor: &factor}}}
	err := r.run(t)
	if err == nil || !strings.Contains(err.Error(), "no progress for 103ms of virtual time (the deadline): node 0") {
		t.Fatal(err)
	}
}
