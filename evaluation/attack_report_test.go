// What a report of attacks says of the observer, of its place, and of what the run
// claims; and the runs and adversaries that cannot be attacked.

package evaluation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

const ring = `name: ring
problem: {data: {set: twonorm, rows: 100, dimension: 3}, train: 80, rho: 0.3}
network: {topology: {kind: ring, nodes: 5}}
rounds: {count: 8}
algorithm: %s
adversary: {knows: {victim: 2, all-but: 1}}
`

const ownPenalties = "{kind: m-admm, eta: {initial: 0.5, ratio: 1.1}, theta: 0.4}"

// again attacks a run with another adversary.
func again(r *record.Run, sets ...string) (*record.Attacks, error) {
	return Attack(context.Background(), r, AttackOptions{Sets: sets})
}

// A view leaves out what its declaration says, and its place is the distance of every
// node to the nearest that is watched.
func TestAttack_SaysWhatTheObserverLacks(t *testing.T) {
	r, plain := attacked(t, fmt.Sprintf(ring, ownPenalties), "adversary.knows.penalties=public")
	if p := plain.Placement; len(plain.Sight.Unseen) != 0 || p.Nodes != 5 || len(p.Edges) != 5 || p.Victim != 2 ||
		len(p.Watched) != 0 || !slices.Equal(p.Hops, make([]int, 5)) {
		t.Errorf("who sees everything: unseen %q, place %+v", plain.Sight.Unseen, p)
	}
	for name, c := range map[string]struct {
		sets          []string
		unseen        []string
		watched, hops []int
	}{
		"one link, late": {
			[]string{"adversary.view={kind: links, links: [[2, 3]], from-round: 3}",
				"adversary.knows.penalties=public"},
			[]string{"packets on the other 4 of 5 links", "rounds 0 to 2"}, []int{2, 3}, []int{2, 1, 0, 0, 1},
		},
		"two colluders, lossy": {
			[]string{"adversary.view={kind: nodes, nodes: [4, 1], miss: 0.1}", "adversary.knows.penalties=public"},
			[]string{"packets between nodes other than 1 and 4", "a share of 0.1 of the packets, at random"},
			[]int{1, 4}, []int{1, 0, 1, 1, 0},
		},
		"penalties of the nodes' own, as the method has it": {
			[]string{"adversary.knows.penalties=method"}, []string{"the nodes' own eta"}, nil, []int{0, 0, 0, 0, 0},
		},
		"private penalties": {
			[]string{"adversary.knows.penalties=private"}, []string{"the nodes' own eta"}, nil, []int{0, 0, 0, 0, 0},
		},
		"private dual steps": {
			[]string{"adversary.knows={victim: 2, all-but: 1, penalties: public, dual-steps: private}"},
			[]string{"the nodes' own theta"}, nil, []int{0, 0, 0, 0, 0},
		},
		"both": {
			[]string{"adversary.knows={victim: 2, all-but: 1, penalties: private, dual-steps: private}"},
			[]string{"the nodes' own eta", "the nodes' own theta"}, nil, []int{0, 0, 0, 0, 0},
		},
	} {
		a, err := again(r, append(c.sets, "adversary.attacks=[kkt-inversion]")...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(a.Sight.Unseen, c.unseen) || !slices.Equal(a.Placement.Watched, c.watched) ||
			!slices.Equal(a.Placement.Hops, c.hops) {
			t.Errorf("%s: unseen %q, watched %v, hops %v", name, a.Sight.Unseen, a.Placement.Watched, a.Placement.Hops)
		}
	}
}

// A private dual step cannot be read from what is public: the inversion, which needs every
// number, is left with round 1, which no dual step precedes.
func TestAttack_PrivateDualSteps(t *testing.T) {
	r, _ := attacked(t, fmt.Sprintf(ring, ownPenalties), "adversary.knows.penalties=public")
	for steps, rounds := range map[string]int{"public": 8, "private": 1} {
		a, err := again(r, "adversary.knows={victim: 2, all-but: 1, penalties: public, dual-steps: "+steps+"}",
			"adversary.attacks=[kkt-rounds]")
		if err != nil {
			t.Fatal(err)
		}
		f := a.Findings[0]
		if n := len(f.Estimates); f.Succeeded != record.Exact || n == 0 || f.Estimates[n-1].Rounds != rounds {
			t.Errorf("dual steps %s: %s, %s; want %d rounds", steps, f.Succeeded, f.Conclusion, rounds)
		}
	}
	for knows, want := range map[[2]string][]model.Secret{
		{"public", "public"}:   nil,
		{"public", "private"}:  {model.DualStep},
		{"private", "public"}:  {model.Penalty},
		{"method", "public"}:   {model.Penalty},
		{"method", "private"}:  {model.Penalty, model.DualStep},
		{"private", "private"}: {model.Penalty, model.DualStep},
	} {
		k := &scenarios.Knows{Penalties: knows[0], DualSteps: knows[1]}
		if got := secrets(k, "m-admm"); !slices.Equal(got, want) {
			t.Errorf("penalties and dual steps %v: %v, want %v", knows, got, want)
		}
	}
	if got := secrets(&scenarios.Knows{Penalties: "method", DualSteps: "public"}, "admm"); got != nil {
		t.Errorf("ADMM's nodes keep %v", got)
	}
}

// Who is thought to attack, in words: what is known of the victim is counted.
func TestAttack_SaysWhatTheObserverKnows(t *testing.T) {
	r, _ := attacked(t, fmt.Sprintf(ring, "{kind: admm, eta: 0.5}"))
	a, err := again(r, "adversary.knows={victim: 2, all-but: 1, candidates: 4, data: [0, 3]}")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"all of the victim's 16 samples but one", "5 candidates for the victim's samples",
		"the whole data of nodes 0, 3"} {
		if !strings.Contains(a.Threat.Knows, want) {
			t.Errorf("%q lacks %q", a.Threat.Knows, want)
		}
	}
	if a.Threat.Wants != "the data of node 2" || a.Threat.Sees != "every packet that arrives" {
		t.Errorf("%+v", a.Threat)
	}
	var steps []string
	a, err = Attack(context.Background(), r, AttackOptions{Sets: []string{"adversary.knows={victim: all}",
		"adversary.attacks=[late-joiner, kkt-inversion]"},
		Progress: func(done, of int) { steps = append(steps, fmt.Sprintf("%d/%d", done, of)) }})
	if err != nil {
		t.Fatal(err)
	}
	if a.Threat.Wants != "the data of each of 5 nodes in turn" || strings.Contains(a.Threat.Knows, ";") ||
		len(a.Findings) != 10 {
		t.Errorf("%d findings; %+v", len(a.Findings), a.Threat)
	}
	if len(steps) != 10 || steps[0] != "1/10" || steps[9] != "10/10" {
		t.Errorf("progress %v", steps)
	}
	for k, f := range a.Findings {
		if f.Victim != k/2 {
			t.Errorf("finding %d is of node %d", k, f.Victim)
		}
	}
}

// Beside the findings stands what the run claims to have lost by each round: DVP's
// budgets, added up. A run that claims nothing has nothing there.
func TestAttack_StatesTheClaim(t *testing.T) {
	for algorithm, want := range map[string]struct {
		claimed   int
		condition string
	}{
		"{kind: dvp, eta: 0.5, alpha: 0.5}":                                  {9, "holds"},
		"{kind: admm, eta: 0.5}":                                             {0, ""},
		"{kind: penalty-perturbation, eta: 0.001, theta: 0.001, alpha: 0.5}": {0, "2c₁"},
	} {
		_, a := attacked(t, fmt.Sprintf(ring, algorithm), "adversary.attacks=[kkt-rounds]", "problem.rho=0.03")
		if len(a.Claimed) != want.claimed || !strings.Contains(a.Condition, want.condition) ||
			(a.Condition == "") != (want.condition == "") || (a.Claim == "") != (want.condition == "") {
			t.Errorf("%s: claim %q, condition %q, %v", algorithm, a.Claim, a.Condition, a.Claimed)
		}
		for k, c := range a.Claimed {
			if float64(c) != 0.5*float64(k) {
				t.Errorf("%s: round %d claims %v", algorithm, k, c)
			}
		}
	}
}

// Differences of gradients are scored against the data's, and are theirs.
func TestAttack_ScoresDifferences(t *testing.T) {
	r, _ := attacked(t, fmt.Sprintf(ring, "{kind: admm, eta: 0.5}"))
	a, err := again(r, "adversary.attacks=[late-joiner]", "adversary.view.from-round=2")
	if err != nil {
		t.Fatal(err)
	}
	facts := a.Findings[0].Facts
	for _, f := range facts {
		if f.Kind == record.GradientDifference && !(float64(f.Relative) < 1e-6) {
			t.Errorf("round %d since %d: off by %v", f.Round, f.Since, f.Relative)
		}
	}
	if len(facts) < 4 {
		t.Errorf("%d facts", len(facts))
	}
}

// Without side knowledge, candidates are scored as members of the victim's whole data.
func TestAttack_ScoresMembersOfTheWholeData(t *testing.T) {
	_, a := attacked(t, fmt.Sprintf(ring, "{kind: admm, eta: 0.5}"), "rounds.count=20",
		"problem.data={set: twonorm, rows: 40, dimension: 20}", "problem.train=25",
		"adversary.knows={victim: 2, candidates: 6}", "adversary.attacks=[row-space]")
	f := a.Findings[0]
	members := 0
	for _, m := range f.Members {
		if m.Truth != nil && *m.Truth {
			members++
		}
	}
	if len(f.Members) != 6 || members != 3 || f.Succeeded != record.Exact {
		t.Errorf("%s: %d of %d are members; %s", f.Succeeded, members, len(f.Members), f.Conclusion)
	}
}

// Users are numbered through, server by server: labels are scored against their own. At
// ε = 20 none is flipped, and every guess is right. A user's link can be tapped.
func TestAttack_ScoresLabelsOfEveryServer(t *testing.T) {
	for victim := range 5 {
		_, a := attacked(t, fmt.Sprintf(ring, "{kind: pdml, epsilon: 20, eta: 0.5}"),
			fmt.Sprintf("adversary={attacks: [label-inference], knows: {victim: %d}}", victim))
		f := a.Findings[0]
		for k, l := range f.Labels {
			if l.Truth == 0 || l.Guess != l.Truth || l.User != 5+16*victim+k {
				t.Errorf("server %d: %+v", victim, l)
			}
		}
		if len(f.Labels) != 16 {
			t.Errorf("server %d: %d labels", victim, len(f.Labels))
		}
	}
	r, _ := attacked(t, fmt.Sprintf(ring, "{kind: pdml, epsilon: 1, eta: 0.5}"), "adversary.attacks=[label-inference]")
	for links, there := range map[string]bool{"[[5, 0]]": true, "[[0, 5]]": true, "[[1, 0]]": true, "[[2, 0]]": false} {
		_, err := again(r, "adversary={attacks: [label-inference], view: {kind: links, links: "+links+"}}")
		if there != (err == nil || !strings.Contains(err.Error(), "there is no link")) {
			t.Errorf("links %s: %v", links, err)
		}
	}
}

// Where noise was chosen for a target, attacks know what was chosen.
func TestAttack_KnowsTheChosenNoise(t *testing.T) {
	r, a := attacked(t, fmt.Sprintf(ring, "{kind: pvp, eta: 0.5, alpha: 1}"), "privacy.epsilon=400",
		"adversary.knows.candidates=3", "adversary.attacks=[membership]")
	if r.Info.Privacy.Chosen == nil {
		t.Fatal("no noise was chosen")
	}
	if f := a.Findings[0]; f.Succeeded != record.Exact {
		t.Errorf("%s: %s", f.Succeeded, f.Conclusion)
	}
}

func TestAttack_Refuses(t *testing.T) {
	r, _ := attacked(t, fmt.Sprintf(ring, "{kind: admm, eta: 0.5}"))
	for set, want := range map[string]string{
		"adversary.attacks=[]":                          "adversary.attacks names none",
		"adversary.view={kind: nodes, nodes: [5]}":      "there is no node 5; there are 5, from 0",
		"adversary.view={kind: links, links: [[0, 2]]}": "there is no link 0–2",
		"adversary.view={kind: links, links: [[5, 0]]}": "there is no link 5–0",
		"adversary.knows={victim: 5}":                   "node 5 has no data; nodes 0 to 4 have",
		"adversary.knows={victim: 1, all-but: 16}":      "node 1 has samples 0 to 15, not 16",
		"adversary.knows={victim: 1, data: [5]}":        "adversary.knows.data: node 5 has no data",
	} {
		_, err := again(r, set)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", set, err, want)
		}
	}
	// The last node, the last sample and links either way are there.
	for _, set := range []string{"adversary.view={kind: nodes, nodes: [4]}",
		"adversary.view={kind: links, links: [[0, 4], [1, 0]]}",
		"adversary.knows={victim: 4, all-but: 15, data: [0]}"} {
		if _, err := again(r, set, "adversary.attacks=[late-joiner]"); err != nil {
			t.Errorf("%s: %v", set, err)
		}
	}

	text, _, _ := strings.Cut(fmt.Sprintf(ring, "{kind: admm, eta: 0.5}"), "adversary")
	s, err := scenarios.Parse("bare.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	bare, err := experiment.New(s, "").Run(context.Background(), 1, experiment.Options{Out: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again(bare); err == nil || !strings.Contains(err.Error(), "has no adversary") {
		t.Errorf("a run without an adversary: %v", err)
	}
	if err := os.WriteFile(filepath.Join(r.Dir, knowledgeFile), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := again(r); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged knowledge: %v", err)
	}
	if err := os.Remove(filepath.Join(r.Dir, knowledgeFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := again(r); err != nil {
		t.Errorf("without knowledge.json, the data at hand: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(r.Dir, "iterates*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := again(r); err == nil || !strings.Contains(err.Error(), "need a run's messages and iterates") {
		t.Errorf("a run without iterates: %v", err)
	}
}

// The membership test is repeated against a candidate that is not the sample, also where
// the sample is the first of the candidates.
func TestAttack_MembershipIsRepeatedAgainstAnotherSample(t *testing.T) {
	const seed, node = 1, 2
	first := 1
	for trueCandidate(seed, node, first) != 0 {
		first++
	}
	later := 1
	for trueCandidate(seed, node, later) == 0 {
		later++
	}
	for candidates, decoy := range map[int]int{first: 1, later: 0} {
		_, a := attacked(t, fmt.Sprintf(ring, "{kind: pvp, eta: 0.5, alpha: 2}"),
			fmt.Sprintf("adversary.knows.candidates=%d", candidates),
			"adversary.attacks=[{kind: membership, runs: 12}]")
		f := a.Findings[0]
		if f.Audit == nil || f.Audit.Runs != 12 || slices.Equal(f.Audit.Pair.A, f.Audit.Pair.B) ||
			!strings.Contains(f.Conclusion, fmt.Sprintf("the sample and candidate %d", decoy)) {
			t.Fatalf("%d candidates: %s; %+v", candidates, f.Conclusion, f.Audit)
		}
	}
}
