// What strategies say, and who lies by which.

package acts

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/sim"
)

// of is node 1 of a path 0 – 1 – 2 of nodes with a row each, lying by a strategy.
func of(t *testing.T, s Strategy, change ...func(*Act)) *Liar {
	t.Helper()
	c, err := company(t, s, change...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Liar(7, 1)
}

func company(t *testing.T, s Strategy, change ...func(*Act)) (*Company, error) {
	t.Helper()
	g, err := sim.NewGraph(3, [][2]int{{0, 1}, {1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	p := &problem.Problem{D: 2}
	for i := range 3 {
		u := problem.NewRows(2)
		u.Append([]int32{0, 1}, []float64{3, float64(4 * (i + 1))})
		p.Shards = append(p.Shards, problem.Shard{U: u, Y: []float64{1}})
	}
	a := Act{Kind: "test", Nodes: []int{1}, From: 1, Every: 1, Strategy: s}
	for _, f := range change {
		f(&a)
	}
	return New([]Act{a}, g, p)
}

func TestStrategies_SayWhatTheyAreToSay(t *testing.T) {
	honest := []float64{1, 2}
	first, second := []float64{3, 0}, []float64{5, 8} // of nodes 0 and 2: their mean is (4, 4)
	ask := func(s Strategy) []float64 {
		l := of(t, s)
		l.Hear(0, 1, []float64{9, 9})
		l.Hear(0, 2, first)
		l.Hear(0, 1, []float64{9, 9}) // overtaken
		l.Hear(1, 2, second)
		m, lie := l.Say(Recipient{Node: 0, Position: 0, Round: 3}, honest)
		if !lie || honest[0] != 1 || honest[1] != 2 {
			t.Errorf("%T: a lie: %v; the honest value is %v now", s, lie, honest)
		}
		return m
	}
	if got := ask(&Mirror{About: "mean", Factor: 2}); !slices.Equal(got, []float64{10, 8}) {
		t.Errorf("mirror: %v", got)
	}
	if got := ask(&Mirror{About: "zero", Factor: 0.5}); !slices.Equal(got, []float64{-0.5, -1}) {
		t.Errorf("mirror about zero: %v", got)
	}
	if got := ask(&Constant{Size: 5}); !(math.Abs(num.Norm(got)-5) <= 1e-12) {
		t.Errorf("constant: %v", got)
	}
	far := ask(&Equivocate{Size: 5})
	num.Axpy(-1, honest, far)
	if !(math.Abs(num.Norm(far)-5) <= 1e-12) {
		t.Errorf("equivocate: %v off", far)
	}
	// Node 0's row is (3, 4): its loss grows along −(0.6, 0.8), where (3, 0) has −1.8, below 5.
	steered := ask(&Steer{Victim: 0, Size: 10, Margin: 5})
	want := []float64{3 - 6, 0 - 8}
	if num.Axpy(-1, steered, want); !(num.Norm(want) <= 1e-12) {
		t.Errorf("steer: %v is off by %v", steered, want)
	}
	l := of(t, &Steer{Victim: 0, Size: 10, Margin: 5})
	l.Hear(0, 1, []float64{-3, -4}) // has reached 5
	if m, _ := l.Say(Recipient{Node: 0, Position: 0, Round: 2}, honest); !slices.Equal(m, []float64{-3, -4}) {
		t.Errorf("steer holds at %v", m)
	}
	if _, lie := l.Say(Recipient{Node: 2, Position: 1, Round: 2}, honest); lie {
		t.Error("steer lies to another neighbour")
	}
}

// What one neighbour is told is not what another is, by equivocate alone.
func TestStrategies_TellOneValueToAllOrNot(t *testing.T) {
	for _, c := range []struct {
		s    Strategy
		same bool
	}{{&Constant{Size: 5}, true}, {&Equivocate{Size: 5}, false}, {&Mirror{About: "zero", Factor: 1}, true}} {
		l := of(t, c.s)
		a, _ := l.Say(Recipient{Node: 0, Position: 0, Round: 1}, []float64{1, 2})
		b, _ := l.Say(Recipient{Node: 2, Position: 1, Round: 1}, []float64{1, 2})
		later, _ := l.Say(Recipient{Node: 2, Position: 1, Round: 9}, []float64{1, 2})
		if slices.Equal(a, b) != c.same || !slices.Equal(b, later) {
			t.Errorf("%T: %v, %v, later %v", c.s, a, b, later)
		}
	}
}

func TestReplay(t *testing.T) {
	for _, of2 := range []string{"own", "heard"} {
		l := of(t, &Replay{Back: 2, Of: of2})
		for round := range 8 {
			own, heard := []float64{float64(round), 1}, []float64{float64(-round), 2}
			to := Recipient{Node: 0, Position: 0, Round: round}
			m, _ := l.Say(to, own)
			want := own
			if round >= 2 && of2 == "own" {
				want = []float64{float64(round - 2), 1}
			}
			if round >= 2 && of2 == "heard" {
				want = []float64{float64(2 - round), 2}
			}
			if round > 0 && !slices.Equal(m, want) && !(of2 == "heard" && round == 2 && m[0] == 0) {
				t.Errorf("%s, round %d: %v, want %v", of2, round, m, want)
			}
			l.Hear(0, round, heard)
		}
	}
}

func TestSilence(t *testing.T) {
	l := of(t, &Silence{At: sim.Duration(2 * time.Second), Till: sim.Duration(3 * time.Second)})
	for at, silent := range map[time.Duration]bool{time.Second: false, 2 * time.Second: true,
		2900 * time.Millisecond: true, 3 * time.Second: false} {
		to := Recipient{Round: 4, At: sim.Time(at)}
		if m, lie := l.Say(to, []float64{1, 2}); (m == nil) != silent || lie != silent || l.Mute(to) != silent {
			t.Errorf("at %v: %v, %v", at, m, l.Mute(to))
		}
	}
}

func TestAct_RoundsThatItChanges(t *testing.T) {
	l := of(t, &Constant{Size: 1}, func(a *Act) { a.From, a.Until, a.Every = 2, 7, 2 })
	var lied []int
	for round := range 10 {
		if _, lie := l.Say(Recipient{Round: round}, []float64{1, 2}); lie {
			lied = append(lied, round)
		}
	}
	if !slices.Equal(lied, []int{2, 4, 6}) {
		t.Errorf("lies in rounds %v", lied)
	}
}

func TestNew_Refuses(t *testing.T) {
	for want, change := range map[string]func(*Act){
		"there is no node 9":        func(a *Act) { a.Nodes = []int{9} },
		"every node lies":           func(a *Act) { a.Nodes = []int{0, 1, 2} },
		"node 1 lies itself":        func(a *Act) { a.Strategy = &Steer{Victim: 1, Size: 1, Margin: 1} },
		"has samples 0 to 0, not 5": func(a *Act) { a.Strategy = &Steer{Row: 5, Size: 1, Margin: 1} },
		"node 0, which lies, has no": func(a *Act) {
			a.Nodes, a.Strategy = []int{0}, &Steer{Victim: 2, Size: 1, Margin: 1}
		},
	} {
		if _, err := company(t, &Constant{Size: 1}, change); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// Who tells two values of a sample apart goes by what they have in common, in both worlds, and else as before.
func TestCompany_Aimed(t *testing.T) {
	c, err := company(t, &Steer{Victim: 0, Size: 10, Margin: 5})
	if err != nil {
		t.Fatal(err)
	}
	aim := func(c *Company) []float64 { return c.Liar(1, 1).Aim() }
	own := aim(c)
	both := c.Aimed(0, 0, [2][]float64{{1, 1}, {1, -1}})
	if got := aim(both); !slices.Equal(got, []float64{-1, 0}) || !slices.Equal(aim(c), own) {
		t.Errorf("aims at %v; before at %v, now %v", got, own, aim(c))
	}
	if got := aim(c.Aimed(2, 0, [2][]float64{{1, 1}, {1, -1}})); !slices.Equal(got, own) {
		t.Errorf("of another node: %v", got)
	}
	if got := aim(c.Aimed(0, 0, [2][]float64{{0, 1}, {0, -1}})); !slices.Equal(got, []float64{0, 1}) {
		t.Errorf("of opposed values: %v", got)
	}
}
