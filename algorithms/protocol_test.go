// Which traits and options each protocol supports: what one does not use it refuses, and
// what it uses changes a run.

package algorithms

import (
	"fmt"
	"strings"
	"testing"

	"overhear/parameter"
	"overhear/problem"
	"overhear/sim"
)

// bare are methods that do nothing, one a kind.
type (
	bareRows    struct{}
	bareCentral struct{ bareRows }
	bareColumns struct{}
)

func (bareRows) Update(*Node, int) error { return nil }
func (bareRows) Dual(*Node, int)         {}
func (bareCentral) Merge(*Node, int)     {}

func (bareColumns) Start(*Hub) []float64                                  { return nil }
func (bareColumns) Answer(*Party, int, []float64) ([]float64, error)      { return nil, nil }
func (bareColumns) Merge(h *Hub, t int, s [][]float64) ([]float64, error) { return nil, nil }

// Traits, one a type.
type (
	idles     struct{}
	isolates  struct{}
	addresses struct{}
	shelters  struct{}
	registers struct{}
)

func (idles) Idle(int) bool                         { return true }
func (isolates) Isolated()                          {}
func (addresses) Message(*Node, int, []float64)     {}
func (shelters) Inner(*Node) []float64              { return nil }
func (registers) Report(uint64, int, int) []float64 { return nil }
func (registers) Collect(*Node, [][]float64)        {}
func (registers) Budget(int, int) float64           { return 1 }

// settings are a problem over rows around a hub and one over columns, on the same star.
func settings(t *testing.T) (rows, columns Setting) {
	t.Helper()
	b := newBlocks(6, []int{2, 1}, "mean")
	columns = b.setting(t, 3)
	p := &problem.Problem{D: 1, Loss: problem.Squared, C: 1}
	for range b.d {
		u := problem.NewRows(1)
		u.Append([]int32{0}, []float64{1})
		p.Shards, p.R = append(p.Shards, problem.Shard{U: u, Y: []float64{1}}), append(p.R, 0.1)
	}
	return Setting{Problem: p, Graph: columns.Graph, Rounds: 3}, columns
}

func TestNewProtocol_RefusesTraitsThatItDoesNotSupport(t *testing.T) {
	rows, columns := settings(t)
	everywhere := *rows.Problem // a method without a hub has data at every node
	everywhere.Shards, everywhere.R = append(everywhere.Shards, everywhere.Shards[0]), append(everywhere.R, 0.1)
	spread := rows
	spread.Problem = &everywhere
	late := &parameter.Trigger{Quorum: 1}
	atNodes := map[string]Method{
		"": bareRows{},
		"Idler": struct {
			bareRows
			idles
		}{},
		"Isolated": struct {
			bareRows
			isolates
		}{},
		"Addressing": struct {
			bareRows
			addresses
		}{},
		"Sheltering": struct {
			bareRows
			shelters
		}{},
		"Registering": struct {
			bareRows
			registers
		}{},
		"Isolated and Addressing": struct {
			bareRows
			isolates
			addresses
		}{},
	}
	aroundHub := map[string]Method{
		"": bareCentral{},
		"Idler": struct {
			bareCentral
			idles
		}{},
		"Isolated": struct {
			bareCentral
			isolates
		}{},
		"Addressing": struct {
			bareCentral
			addresses
		}{},
		"Sheltering": struct {
			bareCentral
			shelters
		}{},
		"Registering": struct {
			bareCentral
			registers
		}{},
	}
	overColumns := map[string]Method{
		"": bareColumns{},
		"Idler": struct {
			bareColumns
			idles
		}{},
		"Isolated": struct {
			bareColumns
			isolates
		}{},
		"Addressing": struct {
			bareColumns
			addresses
		}{},
		"Sheltering": struct {
			bareColumns
			shelters
		}{},
		"Registering": struct {
			bareColumns
			registers
		}{},
	}
	for _, protocol := range []struct {
		name    string
		setting Setting
		trigger *parameter.Trigger
		with    map[string]Method // a method of each trait
		uses    string
	}{
		{"synchronous", spread, nil, atNodes, "Idler Isolated Addressing Sheltering Registering"},
		{"asynchronous", spread, late, atNodes, "Idler Isolated Addressing Sheltering Registering"},
		{"around a hub", rows, nil, aroundHub, "Idler"},
		{"around a hub, asynchronous", rows, late, aroundHub, "Idler"},
		{"over split columns", columns, nil, overColumns, ""},
	} {
		for trait, m := range protocol.with {
			_, err := NewProtocol(Config{Setting: protocol.setting, Method: m, Trigger: protocol.trigger})
			used := trait == "" || strings.Contains(" "+protocol.uses+" ", " "+trait+" ")
			switch {
			case used && err != nil:
				t.Errorf("%s, %s: %v", protocol.name, trait, err)
			case !used && err == nil:
				t.Errorf("%s takes a method that is %s", protocol.name, trait)
			case !used && !strings.Contains(err.Error(), trait[strings.LastIndex(trait, " ")+1:]):
				t.Errorf("%s, %s: %v", protocol.name, trait, err)
			}
		}
	}
}

func TestNewProtocol_RefusesOptionsThatItDoesNotSupport(t *testing.T) {
	rows, columns := settings(t)
	late := &parameter.Trigger{Quorum: 1}
	path, err := sim.NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	twisted := rows
	twisted.Graph = path
	cut := columns
	cut.Graph = path
	larger := columns
	if larger.Graph, err = sim.NewGraph(4, [][2]int{{0, 1}, {0, 2}, {0, 3}}); err != nil {
		t.Fatal(err)
	}
	for want, c := range map[string]Config{
		"is neither a RowMethod nor a ColumnMethod": {Setting: rows, Method: idles{}},
		"is for split columns, and rows are split":  {Setting: rows, Method: bareColumns{}},
		"is for split rows, and columns are split":  {Setting: columns, Method: bareRows{}},
		"nodes without lockstep always go on": {Setting: rows, Method: bareRows{}, Trigger: late,
			Missing: MissingLast},
		"clients: a hub waits": {Setting: rows, Method: bareCentral{}, Missing: MissingLast},
		"parties: a hub waits": {Setting: columns, Method: bareColumns{},
			Missing: MissingLast},
		"over split columns run in synchronous rounds": {Setting: columns, Method: bareColumns{}, Trigger: late},
		"over split columns start at zero": {Setting: columns, Method: bareColumns{},
			Init: Init{Normal: 1}},
		"clients: this method needs a star":              {Setting: twisted, Method: bareCentral{}},
		"asynchronous clients: this method needs a star": {Setting: twisted, Method: bareCentral{}, Trigger: late},
		"parties: this method needs a star":              {Setting: cut, Method: bareColumns{}},
		"has 2 blocks, so the star needs 3 nodes":        {Setting: larger, Method: bareColumns{}},
	} {
		_, err := NewProtocol(c)
		if _, said, ok := strings.Cut(want, ": "); ok {
			want = said
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	for _, c := range []Config{
		{Setting: rows, Method: bareRows{}, Missing: MissingLast}, {Setting: rows, Method: bareCentral{},
			Missing: MissingStop},
		{Setting: columns, Method: bareColumns{}, Missing: MissingStop},
		{Setting: rows, Method: bareRows{}, Init: Init{Normal: 1}},
	} {
		if _, err := NewProtocol(c); err != nil {
			t.Error(err)
		}
	}
}

// dozy is DP-ADMM that says of every second round that it touches no data.
type dozy struct{ Central }

func (dozy) Idle(t int) bool { return t%2 == 0 }

// Rounds that touch no data take a client around a hub no time.
func TestHub_IdleRoundsCostNothing(t *testing.T) {
	a := makeMethod[DPADMM](t, uneven(), "dp-admm", 4, nil)
	a.Method = dozy{a.Method.(Central)}
	j := a.run(t, nil, nil)
	for round := 1; round <= 4; round++ {
		for i := range a.f.rows {
			p := j[round][i+1]
			if spent := p.At > p.Began; spent != (round%2 == 1) {
				t.Errorf("client %d takes %v in round %d", i, p.At-p.Began, round)
			}
		}
	}
}

// freshness notes which values are new in each update of ADMM.
type freshness struct {
	ADMM
	fresh [3][]string // by node
}

func (m *freshness) Update(n *Node, t int) error {
	m.fresh[n.ID] = append(m.fresh[n.ID], fmt.Sprint(n.Fresh))
	return m.ADMM.Update(n, t)
}

// A method is told which values are stale, so that it does not take in a message twice.
func TestSynchronous_StaleValuesAreNotFresh(t *testing.T) {
	f := newFixture(3, 5, 2, [][2]int{{0, 1}, {1, 2}})
	m := &freshness{ADMM: ADMM{Eta: 0.3}}
	all := 1.0
	_, err := f.tryRun(m, 3, func(c *sim.Config) {
		c.Overrides = []sim.Override{{Between: [2]int{0, 1}, Loss: &all}}
	}, func(c *Config) { c.Retry, c.Deadline, c.Missing = 1e6, 5e6, MissingLast })
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"[false]", "[false true]", "[true]"} {
		for round, got := range m.fresh[i] {
			if got != want {
				t.Errorf("node %d, round %d: %s are fresh, want %s", i, round+1, got, want)
			}
		}
		if len(m.fresh[i]) != 3 {
			t.Errorf("node %d has %d updates", i, len(m.fresh[i]))
		}
	}
}
