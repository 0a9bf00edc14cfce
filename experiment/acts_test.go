// Runs some of whose nodes lie.

package experiment

import (
	"context"
	"math"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/record"
	"overhear/scenarios"
)

const amongLiars = `name: liars
problem: {data: wdbc, train: 0.5, rho: 0.22}
network: {topology: {kind: ring, nodes: 6}, latency: 5ms}
rounds: {count: 12}
algorithm: {kind: admm, eta: 0.03}
`

func ranWith(t *testing.T, sets ...string) *record.Run {
	t.Helper()
	s, err := scenarios.Parse("liars.yaml", []byte(amongLiars), sets...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, "").Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Who never lies is as honest as anybody: every event of the run is the same, in both modes.
func TestActs_LiarsThatNeverLie(t *testing.T) {
	for _, sets := range [][]string{nil, {"rounds.mode=asynchronous"}, {"algorithm={kind: edge-admm, eta: 0.03}"},
		{"network.loss=0.1"}} {
		honest := ranWith(t, sets...)
		never := ranWith(t, append(sets, "adversary={acts: [{kind: mirror, nodes: [1, 4], from-round: 100}]}")...)
		lying := ranWith(t, append(sets, "adversary={acts: [{kind: mirror, nodes: [1, 4]}]}")...)
		if honest.Info.Digest != never.Info.Digest {
			t.Errorf("%v: another digest", sets)
		}
		if honest.Info.Digest == lying.Info.Digest {
			t.Errorf("%v: lies leave no trace", sets)
		}
		if a := never.Info.Acts; a == nil || len(a.Liars) != 2 || a.Liars[0].Lies != 0 {
			t.Errorf("%v: %+v", sets, a)
		}
	}
}

// What the record says of lies is what happened: of every round and neighbour one, each in a packet that was sent, and
// none is what was published.
func TestActs_Recorded(t *testing.T) {
	r := ranWith(t, "adversary={acts: [{kind: equivocate, nodes: [2], size: 3, from-round: 4, until-round: 9}]}")
	published := map[[2]int32][]float64{}
	if err := r.Iterates(func(i record.Iterate) error {
		published[[2]int32{i.Node, i.Round}] = i.Values
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	n := 0
	if err := r.Lies(func(l record.Lie) error {
		n++
		own, off := published[[2]int32{l.Node, l.Round}], 0.0
		for k := range own {
			off = math.Hypot(off, l.Values[k]-own[k])
		}
		if l.Node != 2 || (l.To != 1 && l.To != 3) || l.Round < 4 || l.Round > 8 || !(math.Abs(off-3) <= 1e-9) {
			t.Errorf("%d to %d, round %d: %v off", l.Node, l.To, l.Round, off)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	a := r.Info.Acts
	if n != 10 || a == nil || a.Liars[0].Lies != 10 || !(a.Heard > 0) || !(a.Distance > 0) {
		t.Errorf("%d lies are recorded: %+v", n, a)
	}
	if w := strings.Join(r.Info.Warnings, "\n"); !strings.Contains(w, "node 2, 10 times, by equivocate") {
		t.Errorf("warnings: %s", w)
	}
}

// Of every method that claims privacy it is said whether its proof presupposes honest neighbours.
func TestActs_EveryClaimSaysWhatItTakesOfNeighbours(t *testing.T) {
	private := 0
	for _, e := range algorithms.Entries() {
		claims := strings.Contains(e.About, "laims ") && !strings.Contains(e.About, "laims no privacy") ||
			e.Name == "dp-admm"
		if claims {
			private++
			if e.Active == nil || e.Active.Why == "" {
				t.Errorf("%s: nothing is said", e.Name)
			}
		} else if e.Active != nil {
			t.Errorf("%s claims nothing, and %v", e.Name, e.Active)
		}
	}
	if private < 9 {
		t.Errorf("%d methods claim privacy", private)
	}
}

// A claim whose proof presupposes honest neighbours is not established beside a liar.
func TestActs_ClaimsThatPresupposeHonesty(t *testing.T) {
	for stands, want := range map[bool]bool{true: true, false: false} {
		s, err := scenarios.Parse("liars.yaml", []byte(amongLiars), "algorithm={kind: pvp, eta: 0.03}",
			"adversary={acts: [{kind: mirror, nodes: [1]}]}", "problem.scale={columns: max, rows: clip}")
		if err != nil {
			t.Fatal(err)
		}
		e := New(s, "")
		entry := *e.Entry
		entry.Active = &algorithms.Active{Stands: stands, Why: "a lemma"}
		e.Entry = &entry
		a := assembled(t, e)
		c := a.Account.Certificate(0, 0, "sample")
		if got := a.Account.Established == nil; got != want || (c.Reason == "") != want {
			t.Errorf("stands: %v: established: %v; certificate: %+v", stands, a.Account.Established, c)
		}
	}
}
