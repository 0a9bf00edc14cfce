// Attacks on run directories, as a user carries them out.

package evaluation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/adversary"
	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

// recorded runs a scenario's first seed.
func recorded(t *testing.T, text string, sets ...string) *record.Run {
	t.Helper()
	s, err := scenarios.Parse("attacked.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.New(s, "").Run(context.Background(), s.Seeds.First, experiment.Options{Out: t.TempDir(),
		Workers: 2, Extra: WriteKnowledge})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// attacked runs a scenario's first seed and attacks it.
func attacked(t *testing.T, text string, sets ...string) (*record.Run, *record.Attacks) {
	t.Helper()
	r := recorded(t, text, sets...)
	a, err := Attack(context.Background(), r, AttackOptions{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	return r, a
}

const hospitals = `name: attacked
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 5}}
rounds: {count: 30}
algorithm: {kind: admm, eta: 0.05}
adversary:
  knows: {victim: 2, all-but: 3, candidates: 9}
`

// An attack needs what was overheard and what the adversary knew, not the data: it
// finds the same once they are gone, and says that it cannot be scored.
func TestAttack_NeedsNoData(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "patients.csv")
	var text strings.Builder
	text.WriteString("age,dose,weight,ill\n")
	g := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		fmt.Fprintf(&text, "%d,%.3f,%.2f,%d\n", 20+g.IntN(60), g.Float64(), 50+40*g.Float64(), g.IntN(2))
	}
	if err := os.WriteFile(csv, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r, with := attacked(t, fmt.Sprintf(`name: patients
problem: {data: {csv: %s, label: ill}, rho: 0.1}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 12}
algorithm: {kind: admm, eta: 0.1}
adversary: {knows: {victim: 1, all-but: 4}, attacks: [kkt-inversion, late-joiner]}
`, csv))
	if err := os.Remove(csv); err != nil {
		t.Fatal(err)
	}
	without, err := Attack(context.Background(), r, AttackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for k, f := range without.Findings {
		scored := with.Findings[k]
		if scored.Succeeded != record.Exact {
			t.Errorf("%s with the data at hand: %s, %s", f.Attack, scored.Succeeded, scored.Conclusion)
		}
		n := len(f.Estimates)
		if n == 0 || f.Succeeded != record.Unscored || f.Estimates[n-1].Score != nil ||
			!slices.Equal(f.Estimates[n-1].X, scored.Estimates[n-1].X) {
			t.Errorf("%s without: %s, %d estimates", f.Attack, f.Succeeded, n)
		}
	}
	if !strings.HasPrefix(without.Unscored, "the data are not at hand: ") || len(without.Sight.Unseen) > 0 ||
		with.Unscored != "" {
		t.Errorf("not scored %q, with the data %q; unseen %q", without.Unscored, with.Unscored, without.Sight.Unseen)
	}
	if _, err := Attack(context.Background(), r,
		AttackOptions{Sets: []string{"adversary.knows.victim=2"}}); err == nil ||
		!strings.Contains(err.Error(), "data are not at hand") {
		t.Errorf("other knowledge without data: %v", err)
	}
}

// What an adversary is given of its victim is everything but the sample it wants.
func TestKnowledge_LacksTheSample(t *testing.T) {
	r, a := attacked(t, hospitals)
	k, err := readKnowledge(r)
	if err != nil || k == nil {
		t.Fatal(k, err)
	}
	exact := slices.IndexFunc(a.Findings, func(f record.Finding) bool { return f.Attack == "kkt-inversion" })
	wanted := a.Findings[exact].Estimates[0].X // see below
	v := k.Victims[0]
	if len(v.Others.Y) != v.Size-1 {
		t.Errorf("%d of %d samples are known", len(v.Others.Y), v.Size)
	}
	for n := range v.Others.Y {
		near := 0.0
		for c, x := range v.Others.At(n).X {
			near = max(near, (x-wanted[c])*(x-wanted[c]))
		}
		if !(near >= 1e-12) {
			t.Errorf("sample %d is the one that is wanted", n)
		}
	}
	for _, name := range []string{"kkt-inversion", "kkt-rounds", "kkt-projection", "late-joiner", "membership"} {
		i := slices.IndexFunc(a.Findings, func(f record.Finding) bool { return f.Attack == name })
		if i < 0 || a.Findings[i].Succeeded != record.Exact {
			t.Errorf("%s: %+v", name, a.Findings)
		}
	}
}

// The network's loss changes nothing for an eavesdropper in synchronous rounds;
// packets that escape it cost it rounds, and it says which.
func TestAttack_LossAndEscapes(t *testing.T) {
	_, plain := attacked(t, hospitals, "adversary.attacks=[kkt-rounds]")
	_, lossy := attacked(t, hospitals, "adversary.attacks=[kkt-rounds]", "network.loss=0.3")
	at := func(a *record.Attacks) []float64 {
		e := a.Findings[0].Estimates
		return e[len(e)-1].X
	}
	if !slices.Equal(at(plain), at(lossy)) {
		t.Error("loss of packets changes the estimate")
	}
	_, escaped := attacked(t, hospitals, "adversary.attacks=[kkt-rounds]", "adversary.view.miss=0.3")
	f := escaped.Findings[0]
	if f.Succeeded != record.Exact || len(f.Unseen) == 0 || !strings.Contains(f.Unseen[0], "node") {
		t.Errorf("%s; unseen %q", f.Succeeded, f.Unseen)
	}
	if s := escaped.Sight; s.Packets >= s.Of || !(float64(s.Packets) >= 0.6*float64(s.Of)) {
		t.Errorf("saw %d of %d packets", s.Packets, s.Of)
	}
}

// Where the scenario names no attacks, those that do not suit are named with their reasons.
func TestAttack_NamesWhatItDidNotTry(t *testing.T) {
	_, a := attacked(t, hospitals)
	tried := map[string]bool{}
	for _, f := range a.Findings {
		tried[f.Attack] = true
	}
	for _, u := range a.Untried {
		if tried[u.Attack] || u.Reason == "" {
			t.Errorf("%+v", u)
		}
		tried[u.Attack] = true
	}
	if all := adversary.Attacks(); len(a.Untried) == 0 || len(tried) != len(all) {
		t.Errorf("%d of %d attacks are named, %d as not tried", len(tried), len(all), len(a.Untried))
	}
	if _, a = attacked(t, hospitals, "adversary.attacks=[kkt-rounds]"); len(a.Untried) > 0 {
		t.Errorf("of a list that names one: %v", a.Untried)
	}
}

// Nobody learns a hidden penalty from what is public.
func TestAttack_HiddenPenaltyIsNotPublic(t *testing.T) {
	_, a := attacked(t, hospitals, "adversary.knows.penalties=private")
	done := map[string]record.Outcome{}
	for _, f := range a.Findings {
		done[f.Attack] = f.Succeeded
	}
	if done["kkt-projection"] != record.Exact {
		t.Errorf("by projection: %v", done)
	}
	if _, ok := done["kkt-inversion"]; ok {
		t.Errorf("without the penalty: %v", done)
	}
}

func TestAttack_MembershipRepeated(t *testing.T) {
	_, a := attacked(t, hospitals, "algorithm={kind: pvp, eta: 0.05, alpha: 5}",
		"adversary.attacks=[{kind: membership, runs: 60}]")
	f := a.Findings[0]
	if f.Audit == nil || f.Audit.Runs != 60 || !f.Audit.Stands() || f.Audit.Pair.Node != 2 || f.Audit.Pair.Row != 3 {
		t.Fatalf("%+v", f.Audit)
	}
	if !(f.Audit.Power.AUC > 0.5) {
		t.Errorf("AUC %v", f.Audit.Power.AUC)
	}
}

// PDML: reports are recorded, and labels guessed from them are right as often as
// randomised response lets them be.
func TestAttack_ReportedLabels(t *testing.T) {
	r, a := attacked(t, `name: labels
problem: {data: {set: twonorm, rows: 400, dimension: 3}, rho: 0.1}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 10}
algorithm: {kind: pdml, epsilon: 1, eta: 0.5}
adversary: {attacks: [label-inference]}
`)
	f := a.Findings[0]
	right := 0
	for _, l := range f.Labels {
		if l.Guess == l.Truth {
			right++
		}
	}
	// 73 are expected from reports alone, e/(1+e) of them, ±4.4.
	if len(f.Labels) != 100 || right < 60 {
		t.Errorf("%d of %d guesses are right", right, len(f.Labels))
	}
	if _, ok := r.Info.Files["reports.parquet"]; !ok {
		t.Errorf("files: %v", r.Info.Files)
	}
}

// Which matrix is a party's is plain at any noise inside its column space.
func TestAttack_ColumnSpace(t *testing.T) {
	_, a := attacked(t, `name: columns
problem: {data: {set: wdbc}, train: 100, columns: [16, 15], scale: {columns: max, rows: unit}, rho: 0.1}
network: {topology: {kind: star, nodes: 3}}
rounds: {count: 4}
algorithm: {kind: private-admm-sharing, noise: range, sigma: 100}
adversary: {knows: {victim: 1, candidates: 4}}
`)
	f := a.Findings[0]
	if f.Attack != "column-space" || f.Succeeded != record.Exact || len(f.Members) != 5 {
		t.Errorf("%s %s: %s", f.Attack, f.Succeeded, f.Conclusion)
	}
}

// Without lockstep an attack works out from the record of messages which values
// entered which update, and inverts all of them.
func TestAttack_WithoutLockstep(t *testing.T) {
	asynchronous := []string{"rounds={mode: asynchronous, count: 30, quorum: 0.6, staleness: 4, timeout: 100ms}",
		"network.latency={kind: lognormal, median: 20ms, sigma: 0.8}", "compute={row: 20us, speed-spread: 0.5}"}
	for name, sets := range map[string][]string{
		"asynchronous":        asynchronous,
		"asynchronous, lossy": append(slices.Clone(asynchronous), "network.loss=0.2", "network.duplication=0.2"),
		"making do": {"rounds={count: 30, missing: last, deadline: 300ms}",
			"network.latency={kind: lognormal, median: 20ms, sigma: 0.8}", "network.loss=0.5"},
	} {
		_, a := attacked(t, hospitals, append(sets, "adversary.attacks=[kkt-rounds]")...)
		f := a.Findings[0]
		n := len(f.Estimates)
		// Where packets are lost, some rounds reach nobody and are not seen.
		least := 25
		if name != "asynchronous" {
			least = 10
		}
		if f.Succeeded != record.Exact || f.Estimates[n-1].Rounds < least {
			t.Errorf("%s: %s, %s; unseen %q", name, f.Succeeded, f.Conclusion, f.Unseen)
		}
	}
	// Where other values stand in for late ones it takes those that did, whatever was lost.
	for k := range 12 {
		latency := fmt.Sprintf("network.latency={kind: lognormal, median: %dms, sigma: 0.8}", 14+k)
		_, a := attacked(t, hospitals, "rounds={count: 30, missing: last, deadline: 150ms}", "network.loss=0.5",
			latency, "network.topology.nodes=4", "adversary.attacks=[kkt-rounds]")
		if f := a.Findings[0]; f.Succeeded == record.Failed || !(f.Estimates[len(f.Estimates)-1].Residual <= 1e-6) {
			t.Errorf("%s: %s, %s; unseen %q", latency, f.Succeeded, f.Conclusion, f.Unseen)
		}
	}
	// Where packets escape it says what it cannot tell, and claims nothing wrong.
	_, a := attacked(t, hospitals, append(asynchronous, "adversary.attacks=[kkt-rounds]", "adversary.view.miss=0.1")...)
	if f := a.Findings[0]; f.Succeeded == record.Failed || len(f.Unseen) == 0 {
		t.Errorf("with escapes: %s, %s; unseen %q", f.Succeeded, f.Conclusion, f.Unseen)
	}
	// A crash is none of the rule's; what follows it is left out.
	_, a = attacked(t, hospitals, append(asynchronous, "adversary.attacks=[kkt-rounds]",
		"network.faults=[{at: 300ms, crash: 2, until: 700ms}]")...)
	if f := a.Findings[0]; f.Succeeded != record.Exact || len(f.Unseen) == 0 {
		t.Errorf("with a crash: %s, %s; unseen %q", f.Succeeded, f.Conclusion, f.Unseen)
	}
}

// The tolerance of the run's solves reaches the bound that one-hop prints: with solves
// that are a million times coarser, what is worked out is off by more than the bound of
// exact ones, and within its own.
func TestAttack_BoundsGrowWithTheSolversTolerance(t *testing.T) {
	bound := func(tolerance string) (printed, worst float64) {
		_, a := attacked(t, hospitals, "adversary={view: {links: [[2, 3]]}, knows: {victim: 1, data: [2]}, attacks: "+
			"[one-hop]}",
			"solver.tolerance="+tolerance)
		f := a.Findings[0]
		for _, fact := range f.Facts {
			worst = max(worst, float64(fact.Relative))
		}
		k := slices.IndexFunc(f.Checks, func(c record.Check) bool { return c.Kind == record.SumPrecision })
		if k < 0 || len(f.Facts) == 0 {
			t.Fatalf("tolerance %s: %+v", tolerance, f)
		}
		return float64(f.Checks[k].Measured), worst
	}
	fine, _ := bound("1e-10")
	coarse, worst := bound("1e-4")
	if !(worst > fine) || !(worst <= coarse) || !(coarse > 1e5*fine) {
		t.Errorf("an error of %.3g; the bound is %.3g, and %.3g where solves are exact", worst, coarse, fine)
	}
}

// Where solves are coarse, rows may lie below the errors that they leave: the number of
// rows is then a lower bound. Gradient descent solves nothing, so that the tolerance
// changes nothing.
func TestAttack_RowsBelowTheSolversErrorsAreNotDenied(t *testing.T) {
	conclusion := func(method, tolerance string) string {
		r, a := attacked(t, hospitals, "algorithm="+method, "solver.tolerance="+tolerance, "rounds.count=6",
			"adversary={knows: {victim: 1, candidates: 10}, attacks: [row-space]}")
		if rows := r.Info.TrainRows / 5; rows < 50 {
			t.Fatalf("a node has %d rows", rows)
		}
		return a.Findings[0].Conclusion
	}
	for _, method := range []string{"admm", "edge-admm", "r-admm"} {
		if got := conclusion("{kind: "+method+", eta: 0.05}", "1e-4"); !strings.Contains(got, "at least") {
			t.Errorf("%s: %s", method, got)
		}
	}
	const descent = "{kind: dgd, step: 1}"
	if coarse, fine := conclusion(descent, "1e-4"), conclusion(descent, "1e-10"); coarse != fine {
		t.Errorf("gradient descent: %s; with a fine solver, which it does not use: %s", coarse, fine)
	}
}

// A reason that holds for all rounds is given as it is, and not as something that was
// not seen.
func TestAttack_TheReasonIsTheTrueOne(t *testing.T) {
	for _, c := range []struct{ sets, want string }{
		{"algorithm={kind: edge-admm, eta: 0.05}", "penalties are hidden"},
		{"algorithm={kind: dp-admm}", "penalties and steps are hidden"},
	} {
		sets := []string{c.sets, "adversary={knows: {victim: 1, all-but: 0, penalties: private}, " +
			"attacks: [kkt-inversion, kkt-rounds, kkt-projection, late-joiner, row-space]}"}
		if strings.Contains(c.sets, "dp-admm") {
			sets = append(sets, "network.topology={kind: star, nodes: 5}")
		}
		_, a := attacked(t, hospitals, sets...)
		for _, f := range a.Findings {
			if f.Succeeded != record.Blocked || !strings.Contains(f.Conclusion, c.want) {
				t.Errorf("%s, %s: %s, %q", c.sets, f.Attack, f.Succeeded, f.Conclusion)
			}
		}
	}
}

// A tap on a link that does not exist is refused, of users too.
func TestAttack_LinksOfUsersExist(t *testing.T) {
	r := recorded(t, hospitals, "algorithm={kind: pdml, eta: 0.05}", "rounds.count=3",
		"adversary={knows: {victim: 1}, attacks: [label-inference]}")
	for links, exists := range map[string]bool{
		"[[1, 100]]": true, "[[100, 1]]": true, "[[0, 9999]]": false, "[[100, 200]]": false, "[[0, 2]]": false,
	} {
		_, err := Attack(context.Background(), r, AttackOptions{Sets: []string{"adversary.view.links=" + links}})
		if exists != (err == nil) {
			t.Errorf("links %s: %v", links, err)
		}
	}
}

// Where a column depends on others, the rows of everybody span less than all columns: a
// node with more rows than that gives nothing away of who is in it.
func TestAttack_RankOfTheColumnsIsNotThatOfTheRows(t *testing.T) {
	var text strings.Builder
	text.WriteString("a,b,total,ill\n")
	g := rand.New(rand.NewPCG(3, 4))
	for range 80 {
		a, b := g.Float64(), g.Float64()
		fmt.Fprintf(&text, "%v,%v,%v,%d\n", a, b, a+b, g.IntN(2))
	}
	csv := filepath.Join(t.TempDir(), "sums.csv")
	if err := os.WriteFile(csv, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	scenario := fmt.Sprintf(`name: sums
problem: {data: {csv: %s, label: ill}, rho: 0.1}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 12}
algorithm: {kind: admm, eta: 0.1}
adversary: {knows: {victim: 1}, attacks: [row-space]}
`, csv)
	_, a := attacked(t, scenario, "adversary.knows.candidates=6")
	if f := a.Findings[0]; f.Succeeded != record.Failed || !strings.Contains(f.Conclusion, "every candidate fits") ||
		len(f.Facts) > 0 {
		t.Errorf("%+v", f)
	}
	// Without candidates it is a number that is right: three of four columns are independent.
	_, a = attacked(t, scenario)
	if f := a.Findings[0]; len(f.Facts) != 1 || f.Facts[0].Values[0] != 3 || f.Facts[0].Relative != 0 {
		t.Errorf("%+v", f)
	}
}

// What a node whose data are known hears is scored by what entered its updates, also where rounds are not in lockstep,
// and where a neighbour lies.
func TestAttack_ScoresSumsByWhatEntered(t *testing.T) {
	const text = `name: hop
problem: {data: {set: twonorm, rows: 200, dimension: 6}, train: 30, rho: 0.3}
network: {topology: {kind: ring, nodes: 3}, loss: %s}
rounds: %s
algorithm: {kind: admm, eta: 0.05, init: {normal: %s}}
solver: {tolerance: 1e-12}
adversary: {view: {links: [[0, 1]]}, knows: {victim: 1, data: [0]}, attacks: [one-hop], acts: [%s]}
`
	const drawn = "{kind: lognormal, median: 5ms, sigma: 1}"
	for _, c := range []struct {
		rounds, network, acts, start string
		zeros                        bool // a sum that is zero is worked out
	}{
		{"{mode: asynchronous, count: 6, quorum: 0.5, timeout: 100ms, retry: 60ms}", "0, latency: 5ms", "", "0.3",
			false},
		{"{mode: asynchronous, count: 6, quorum: 0.5}", "0, latency: " + drawn, "", "0.3", false},
		{"{count: 12, missing: last, deadline: 12ms, retry: 6ms}", "0.3, latency: 5ms", "", "0.3", false},
		{"{count: 12}", "0, latency: 5ms", "{kind: mirror, nodes: [2]}", "0.3", false},
		// Where all start at zero, so is what entered first, but for what the solver left. That nothing else can have
		// entered is known where packets take 5 ms.
		{"{mode: asynchronous, count: 6, quorum: 0.5}", "0, latency: " + drawn, "", "0", true},
		{"{mode: asynchronous, count: 6, quorum: 0.5}", "0, latency: 5ms", "", "0", false},
		{"{count: 12, missing: last, deadline: 12ms, retry: 6ms}", "0.3, latency: 5ms", "", "0", true},
	} {
		a, err := Attack(context.Background(), recorded(t, fmt.Sprintf(text, c.network, c.rounds, c.start, c.acts)),
			AttackOptions{})
		if err != nil {
			t.Fatal(c, err)
		}
		f := a.Findings[0]
		if f.Succeeded != record.Exact || len(f.Facts) < 4 || slices.ContainsFunc(f.Facts, func(x record.Fact) bool {
			return !(x.Relative <= 1e-6) // NaN, too: it is known what entered
		}) {
			t.Errorf("%+v: %s: %s; %+v", c, f.Succeeded, f.Conclusion, f.Facts)
		}
		zeros := strings.Contains(f.Conclusion, "of each, or of the terms of one that is zero to that")
		if zeros != c.zeros || !slices.ContainsFunc(f.Checks, func(k record.Check) bool {
			return k.Kind == record.SumPrecision && k.Holds && k.Measured < 1e-9
		}) {
			t.Errorf("%+v: %s; %+v", c, f.Conclusion, f.Checks)
		}
	}
}

// Around a hub without lockstep clients step with the hub's values that they have heard, not with those of the round
// before: what attacks tell is true, and of all rounds.
func TestAttack_AroundAHubWithoutLockstep(t *testing.T) {
	for seed := range uint64(4) {
		_, a := attacked(t, fmt.Sprintf(`name: hub
seeds: {first: %d}
problem: {data: wdbc, train: 16, C: 1, rho: 0.22}
network:
  topology: {kind: star, nodes: 5}
  latency: {kind: lognormal, median: 20ms, sigma: 0.6}
rounds: {mode: asynchronous, count: 30, quorum: 0.5, timeout: 100ms}
algorithm: {kind: dp-admm, noise: off}
adversary: {knows: {victim: all, candidates: 8}, attacks: [row-space, late-joiner]}
`, seed+1))
		for _, f := range a.Findings {
			if f.Attack == "late-joiner" && len(f.Facts) != 29 {
				t.Errorf("seed %d: of node %d %d differences of 30 rounds are told", seed+1, f.Victim, len(f.Facts))
			}
			for _, fact := range f.Facts {
				if fact.Kind == record.GradientDifference && !(float64(fact.Relative) < 1e-6) ||
					fact.Kind != record.GradientDifference && fact.Values[0] > 4 {
					t.Errorf("seed %d, %s on node %d: %s of round %d is off by %.2g: %s", seed+1, f.Attack, f.Victim,
						fact.Kind, fact.Round, float64(fact.Relative), f.Conclusion)
				}
			}
		}
	}
}

// Of two roots of a round that round chooses which tells them apart: the round after it may say the same again.
func TestAttack_KKTInversionChoosesByARoundThatDecides(t *testing.T) {
	chosen := 0
	for seed := range uint64(4) {
		_, a := attacked(t, fmt.Sprintf(`name: roots
seeds: {first: %d}
problem: {data: {set: twonorm, rows: 200, dimension: 2}, train: 8, C: 1, rho: 0.22, loss: huber-hinge}
network: {topology: {kind: path, nodes: 4}, latency: 20ms, loss: 0.2}
compute: {row: 40ns}
rounds: {mode: asynchronous, count: 10, quorum: 0.5, timeout: 100ms}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: all, all-but: 0}, attacks: [kkt-inversion]}
`, seed+1))
		for _, f := range a.Findings {
			if !strings.Contains(f.Conclusion, "roots the one that fits round") {
				continue
			}
			chosen++
			if f.Succeeded != record.Exact {
				t.Errorf("seed %d, node %d: %s: %s", seed+1, f.Victim, f.Succeeded, f.Conclusion)
			}
		}
	}
	if chosen < 5 {
		t.Errorf("%d roots were chosen", chosen)
	}
}

// Rounds after lost memory decide between roots only together, which kkt-inversion does not claim that none does.
func TestAttack_KKTInversionSaysThatNoRoundDecidesByItself(t *testing.T) {
	for _, c := range []struct{ fault, want string }{
		{"[{at: 25ms, crash: 1, until: 200ms, memory: lost}]", "between which no other round decides by itself, "},
		{"[]", "the one that fits round "},
	} {
		_, a := attacked(t, `name: alone
problem: {data: {set: twonorm, rows: 200, dimension: 8}, train: 6, C: 1, rho: 0.22, loss: huber-hinge}
network: {topology: {kind: complete, nodes: 3}, latency: 20ms, faults: `+c.fault+`}
rounds: {count: 13}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: 1, all-but: 0}, attacks: [kkt-inversion]}
`)
		f := a.Findings[0]
		open := strings.Contains(c.want, "no other")
		if !strings.Contains(f.Conclusion, c.want) || open && f.Succeeded == record.Exact {
			t.Errorf("%s: %s, %s", c.fault, f.Succeeded, f.Conclusion)
		}
	}
}

// A single direction is no row of a node that is known to have two.
func TestAttack_OneDirectionOfTwoRowsIsNoRow(t *testing.T) {
	_, a := attacked(t, `name: joiner
problem: {data: wdbc, train: 10, C: 1, rho: 0.22}
network: {topology: {kind: ring, nodes: 5}, latency: 20ms, loss: 0.05, duplication: 0.1, faults: [
  {at: 144ms, crash: 0, until: 165ms, memory: lost}, {join: 3, at: 180ms}]}
compute: {row: 2ms, speed-spread: 0.6}
rounds: {mode: asynchronous, count: 5, quorum: 0.5, staleness: 20, timeout: 100ms}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: 3, all-but: 0}, attacks: [row-space]}
`)
	f := a.Findings[0]
	if len(f.Facts) != 1 || f.Facts[0].Values[0] != 1 || len(f.Estimates) > 0 ||
		!strings.Contains(f.Conclusion, "known to have 2") || strings.Contains(f.Conclusion, "the only one") {
		t.Errorf("%d estimates: %s", len(f.Estimates), f.Conclusion)
	}
}

// Of one round with two roots kkt-rounds and kkt-projection say that another vector fits, as kkt-inversion does.
func TestAttack_OneRoundWithTwoRootsHasRivals(t *testing.T) {
	rivals := 0
	for seed := range uint64(6) {
		_, a := attacked(t, fmt.Sprintf(`name: one
seeds: {first: %d}
problem: {data: {set: twonorm, rows: 200, dimension: 2}, train: 8, C: 1, rho: 0.22, loss: huber-hinge}
network: {topology: {kind: path, nodes: 4}, latency: 20ms}
rounds: {count: 1}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: all, all-but: 0}, attacks: [kkt-inversion, kkt-rounds, kkt-projection]}
`, seed+1))
		two := map[int]bool{}
		for _, f := range a.Findings {
			if f.Attack == "kkt-inversion" {
				two[f.Victim] = strings.Contains(f.Conclusion, "of 2 roots")
				continue
			}
			if f.Succeeded == record.Blocked {
				continue
			}
			if said := strings.Contains(f.Conclusion, "another vector, "); said != two[f.Victim] {
				t.Errorf("seed %d, %s on node %d, two roots %v: %s", seed+1, f.Attack, f.Victim, two[f.Victim],
					f.Conclusion)
			} else if said {
				if rivals++; f.Succeeded == record.Exact { // though one of the two was right
					t.Errorf("seed %d, %s on node %d is exact: %s", seed+1, f.Attack, f.Victim, f.Conclusion)
				}
			}
		}
	}
	if rivals < 4 {
		t.Errorf("%d rounds have two roots", rivals)
	}
}

// The least of two roots, between which no round decides, is not exact where it happens to be the sample.
func TestAttack_TheRightOneOfTwoRootsIsNotExact(t *testing.T) {
	right := 0
	for seed := range uint64(8) {
		_, a := attacked(t, fmt.Sprintf(`name: right
seeds: {first: %d}
problem: {data: {set: twonorm, rows: 200, dimension: 2}, train: 8, C: 1, rho: 0.22, loss: huber-hinge,
  scale: {rows: none, intercept: false}}
network: {topology: {kind: path, nodes: 4}, latency: 20ms}
rounds: {count: 1}
algorithm: {kind: admm, eta: 0.05}
adversary: {knows: {victim: all, all-but: 0}, attacks: [kkt-inversion]}
`, seed+1))
		for _, f := range a.Findings {
			if !strings.Contains(f.Conclusion, "of 2 roots") || !(f.Baselines[0].Error < 1e-6) {
				continue
			}
			if right++; f.Succeeded != record.Partial || f.Doubt == "" {
				t.Errorf("seed %d, node %d is %s: %s", seed+1, f.Victim, f.Succeeded, f.Conclusion)
			}
		}
	}
	if right < 4 {
		t.Errorf("%d least roots are the sample", right)
	}
}

// Where numbers are hidden and rounds are few, others than the sample may fit, or none may be found that does: what is
// told without that doubt is the sample, and what is told with it is not called exact.
func TestAttack_ProjectionOfFewRoundsTellsItsDoubt(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector")
	}
	doubts := []string{"fits as well", "fit as well", "no vector was found that fits", "they determine"}
	sure, said := 0, map[string]int{}
	for seed := range uint64(121) {
		if seed == 120 {
			seed = 353 // where what equations determine cancels to less than rounding
		}
		draw := rand.New(rand.NewPCG(seed, 7))
		pick := func(all ...string) string { return all[draw.IntN(len(all))] }
		_, a := attacked(t, fmt.Sprintf(`name: few
seeds: {first: %d}
problem: {data: {set: twonorm, rows: 400, dimension: %s}, train: %s, C: 1, rho: 0.22, loss: %s}
network: {topology: %s, latency: 20ms}
rounds: {count: %s}
algorithm: %s
solver: {tolerance: 1e-13}
adversary: {view: %s, knows: {victim: all, all-but: 0, penalties: private, dual-steps: %s}, attacks: [kkt-projection]}
`, seed+1, pick("2", "3", "4", "6"), pick("12", "40"), pick("logistic", "logistic", "huber-hinge"),
			pick("{kind: path, nodes: 4}", "{kind: ring, nodes: 4}", "{kind: complete, nodes: 3}"),
			pick("2", "3", "4", "6"), pick("{kind: admm, eta: 0.05}", "{kind: admm, eta: 0.7}",
				"{kind: m-admm, eta: {initial: 0.3, ratio: 1.1}}", "{kind: r-admm, eta: 0.5, gamma: 0.3}",
				"{kind: dgd, step: 0.3}"),
			pick("{}", "{}", "{miss: 0.1}", "{miss: 0.3}", "{from-round: 1}", "{from-round: 2}"),
			pick("public", "private")))
		for _, f := range a.Findings {
			doubtful := false
			for _, d := range doubts {
				if strings.Contains(f.Conclusion, d) {
					said[d]++
					doubtful = true
				}
			}
			if doubtful && f.Succeeded == record.Exact {
				t.Errorf("seed %d, node %d: exact: %s", seed+1, f.Victim, f.Conclusion)
			}
			if f.Succeeded == record.Blocked || doubtful {
				continue
			}
			if sure++; f.Succeeded != record.Exact || !(f.Baselines[0].Error <= 1e-6) {
				t.Errorf("seed %d, node %d: %s, off by %.2g: %s", seed+1, f.Victim, f.Succeeded,
					float64(f.Baselines[0].Error), f.Conclusion)
			}
		}
	}
	if sure < 150 || len(said) < len(doubts) {
		t.Errorf("%d are told without doubt, with doubt %v", sure, said)
	}
}

// Differences of gradients have noise also where the adversary does not know how much, as of a node of unknown size.
func TestAttack_LateJoinerTellsOfNoise(t *testing.T) {
	for _, algorithm := range []string{"{kind: proximal-admm, eta: 0.5}", "{kind: dp-admm, epsilon: 1}",
		"{kind: dp-admm, noise: off}"} {
		for _, size := range []string{"false", "true"} {
			_, a := attacked(t, `name: late
problem: {data: wdbc, train: 30, rho: 0.22}
network: {topology: {kind: star, nodes: 4}, latency: 20ms}
rounds: {count: 8}
algorithm: `+algorithm+`
adversary: {knows: {victim: 1, penalties: public, size: `+size+`}, attacks: [late-joiner]}
`)
			noisy := !strings.Contains(algorithm, "off")
			if f := a.Findings[0]; len(f.Facts) == 0 || strings.Contains(f.Conclusion, "with noise") != noisy {
				t.Errorf("%s, size %s: %s", algorithm, size, f.Conclusion)
			}
		}
	}
}

// Where rounds are few, ranks that are told as the rows' own are, those told as the least no greater, and no row of the
// victim is ruled out.
func TestAttack_DoubtsRanksThatAreTooSmall(t *testing.T) {
	told, open := 0, 0
	for _, c := range []struct {
		algorithm string
		rounds    int
		knows     string
	}{{"{kind: dgd, step: 0.3, decay: sqrt}", 9, "all-but: 0, "}, {"{kind: admm, eta: 0.2}", 9, "all-but: 0, "},
		{"{kind: dgd, step: 0.3, decay: none}", 12, "all-but: 0, "}, {"{kind: dgd, step: 0.3, decay: none}", 12, ""},
		{"{kind: dgd, step: 0.05, decay: none}", 9, "all-but: 0, "}, {"{kind: dgd, step: 0.05, decay: none}", 9, ""},
		{"{kind: dgd, step: 0.02, decay: none}", 14, ""}} {
		for seed := range uint64(6) {
			_, a := attacked(t, fmt.Sprintf(`name: few
seeds: {first: %d}
problem: {data: wdbc, train: 40, rho: 0.3}
network: {topology: {kind: complete, nodes: 5}, latency: 20ms}
rounds: {count: %d}
algorithm: %s
adversary: {knows: {victim: all, %scandidates: 5}, attacks: [row-space]}
`, seed+1, c.rounds, c.algorithm, c.knows))
			for _, f := range a.Findings {
				for _, fact := range f.Facts {
					if rank := int(fact.Values[0]); (rank < 8 && c.knows != "") !=
						strings.Contains(f.Conclusion, "known to have 8,") {
						t.Errorf("%+v, seed %d, node %d, rank %d: %s", c, seed+1, f.Victim, rank, f.Conclusion)
					}
				}
				for _, fact := range f.Facts {
					if fact.Kind != record.LeastRank {
						told++
					}
					if (fact.Kind == record.LeastRank) != (f.Doubt != "") || fact.Values[0] > 8 ||
						fact.Kind != record.LeastRank && float64(fact.Relative) > 0 {
						t.Errorf("%+v, seed %d, node %d: %s of %g: %s", c, seed+1, f.Victim, fact.Kind, fact.Values[0],
							f.Conclusion)
					}
				}
				for _, m := range f.Members {
					if m.Truth != nil && *m.Truth && !m.Member && !m.Open {
						t.Errorf("%+v, seed %d, node %d: its row is ruled out: %s", c, seed+1, f.Victim, f.Conclusion)
					}
					conditional := strings.Contains(f.Conclusion, "too much to judge") ||
						strings.Contains(f.Conclusion, "only if there are no more rows")
					if !m.Open {
						continue
					}
					if open++; !conditional {
						t.Errorf("%+v, seed %d, node %d: open without a word: %s", c, seed+1, f.Victim, f.Conclusion)
					}
				}
				if f.Doubt != "" && (f.Succeeded == record.Exact || !strings.HasSuffix(f.Conclusion, f.Doubt) &&
					!strings.Contains(f.Conclusion, f.Doubt+";")) {
					t.Errorf("%+v, seed %d, node %d: %s, though %q: %s", c, seed+1, f.Victim, f.Succeeded, f.Doubt,
						f.Conclusion)
				}
			}
		}
	}
	if told < 12 || open < 12 {
		t.Errorf("%d ranks are told without doubt, %d candidates are left open", told, open)
	}
}

// A rank that one vector alone ends, or that counts what is no larger than what solves leave, is told with that doubt.
func TestAttack_DoubtsRanks(t *testing.T) {
	for name, c := range map[string]struct{ text, attack, says string }{
		"as many gradients as columns": {`name: rank
problem: {data: {set: twonorm, rows: 200, dimension: 3}, train: 24, rho: 0.3, C: 1}
network: {topology: {kind: complete, nodes: 6}, latency: 20ms}
rounds: {count: 12}
algorithm: {kind: dgd, step: 0.05, decay: none, averaging: 2}
solver: {tolerance: 1e-12}
adversary: {knows: {victim: 0, all-but: 0, candidates: 5}, attacks: [row-space]}
`, "row-space", "the node has at least as many rows as columns, and every candidate fits"},
		"two rows of one length": {`name: rank
problem: {data: wdbc, train: 6, rho: 0.3, C: 1}
network: {topology: {kind: star, nodes: 4}}
rounds: {count: 2}
algorithm: {kind: dp-admm, noise: off}
solver: {tolerance: 1e-12}
adversary: {knows: {victim: 2}, attacks: [all-rows]}
`, "all-rows", "that one vector adds none may be chance, and there may be more rows"},
		"below what solves leave": {`name: rank
problem: {data: wdbc, train: 40, rho: 0.3, C: 1, scale: {intercept: false}}
network:
  topology: {kind: path, nodes: 5}
  latency: {kind: lognormal, median: 15ms, sigma: 0.6}
  faults: [{at: 873ms, crash: 2, until: 878ms, memory: lost}, {at: 49ms, crash: 2, until: 54ms, memory: lost}]
rounds: {count: 20, retry: 30ms}
algorithm: {kind: admm, eta: 0.05}
compute: {row: 40ns}
solver: {tolerance: 1e-12}
adversary: {view: {from-round: 3}, knows: {victim: 2, all-but: 0, candidates: 5}, attacks: [row-space]}
`, "row-space", "has at least 8 independent rows"},
	} {
		a, err := Attack(context.Background(), recorded(t, c.text), AttackOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		f := a.Findings[0]
		if f.Attack != c.attack || f.Succeeded != record.Failed || !strings.Contains(f.Conclusion, c.says) {
			t.Errorf("%s: %s %s, %s", name, f.Attack, f.Succeeded, f.Conclusion)
		}
	}
}
