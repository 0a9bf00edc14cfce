// A class in Python finds what the engine's own attack finds, and gets no more to see.

package external_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

const attacked = `name: attacked
problem: {data: {set: twonorm, rows: 90, dimension: 4}, train: 60, rho: 0.3}
network: {topology: {kind: ring, nodes: 5}, latency: {kind: exponential, mean: 5ms}}
rounds: {count: 6}
algorithm: {kind: admm, eta: 0.2}
adversary: {knows: {all-but: 3, candidates: 4}}
`

// assaulted records a run and has others and a class attack it; file is the class's.
func assaulted(t *testing.T, others, class string, sets ...string) (a *record.Attacks, run *record.Run, file string,
	err error) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "mine.py")
	if err := os.WriteFile(file, []byte(class), 0o644); err != nil {
		t.Fatal(err)
	}
	own := "adversary.attacks=[" + others + "{kind: python, file: " + file + ", interpreter: " + interpreter(t) + "}]"
	s, err := scenarios.Parse("attacked.yaml", []byte(attacked), append([]string{own}, sets...)...)
	if err != nil {
		t.Fatal(err)
	}
	run, err = experiment.New(s, "").Run(context.Background(), 1, experiment.Options{Out: t.TempDir(), Workers: 1,
		Extra: evaluation.WriteKnowledge})
	if err != nil {
		t.Fatal(err)
	}
	a, err = evaluation.Attack(context.Background(), run, evaluation.AttackOptions{Workers: 1})
	return a, run, file, err
}

func TestAttack_FindsWhatTheEnginesOwnFinds(t *testing.T) {
	class := example("inversion.py")
	a, _, _, err := assaulted(t, "kkt-inversion, ", class)
	if err != nil {
		t.Fatal(err)
	}
	theirs, own := a.Findings[0], a.Findings[1]
	if own.Attack != "python:mine" || own.Succeeded != record.Exact || theirs.Succeeded != record.Exact {
		t.Fatalf("%s: %s, %s; %s: %s", own.Attack, own.Succeeded, own.Conclusion, theirs.Attack, theirs.Succeeded)
	}
	x, y := own.Estimates[0], theirs.Estimates[len(theirs.Estimates)-1]
	for k := range x.X {
		if away := x.X[k] - y.X[k]; !(away*away < 1e-12) || x.Y != y.Y {
			t.Errorf("%v %v, and the engine's own finds %v %v", x.X, x.Y, y.X, y.Y)
		}
	}
	for set, why := range map[string]string{
		"adversary.knows={candidates: 4}":          "all of the victim's samples but one have to be known",
		"adversary.view={kind: nodes, nodes: [2]}": "round 1 tells no gradient",
	} {
		a, _, _, err := assaulted(t, "", class, set)
		if err != nil {
			t.Fatal(err)
		}
		if f := a.Findings[0]; f.Succeeded != record.Blocked || !strings.HasPrefix(f.Conclusion, why) {
			t.Errorf("%s: %s, %s", set, f.Succeeded, f.Conclusion)
		}
	}
	if a, _, _, err = assaulted(t, "", class, "algorithm={kind: dvp, eta: 0.2, alpha: 1}"); err != nil {
		t.Fatal(err)
	}
	if f := a.Findings[0]; f.Succeeded == record.Exact {
		t.Errorf("noise hides nothing: %s", f.Conclusion)
	}
}

// Of candidates a class says which fits the gradient, and of all rows what it knows.
func TestAttack_TellsMembersAndRows(t *testing.T) {
	const class = `class Fits:
    def members(self, view):
        g, u = view.gradients()[0], view.known.y[:, None] * view.known.X
        left = g.value * view.size / view.C - view.slope(u @ g.at) @ u
        c = view.candidates.y[:, None] * view.candidates.X
        away = abs(view.slope(c @ g.at)[:, None] * c - left).max(axis=1)
        return away < LIMIT, away

    def rows(self, view):
        return list(zip(view.known.X, view.known.y.astype(int)))
`
	for limit, want := range map[string]bool{"1e-6": true, "-1": false} {
		a, _, _, err := assaulted(t, "", strings.Replace(class, "LIMIT", limit, 1))
		if err != nil {
			t.Fatal(err)
		}
		f := a.Findings[0]
		if len(f.Rows) != 11 || len(f.Members) != 5 {
			t.Fatalf("%d rows, %d candidates", len(f.Rows), len(f.Members))
		}
		right := true
		for _, m := range f.Members {
			right = right && m.Member == *m.Truth
		}
		if right != want {
			t.Errorf("within %s: %+v", limit, f.Members)
		}
	}
}

// What a class sees is what the observer's packets carry, and the packets themselves; it needs no model of the method.
func TestAttack_SeesWhatIsOverheard(t *testing.T) {
	const class = `class Listening:
    def members(self, view):
        seen = {int(src): max(t for s, t in view.values if s == src) for src in set(view.packets["src"])}
        assert set(view.packets["dst"]) | set(view.packets["src"]) == {0, 1, 2}, seen
        assert set(s for s, t in view.values if t) == {0, 1, 2}
        assert view.neighbours[1] == [0, 2] and view.nodes == 5 and view.victim == 2 and view.size is None
        assert view.value(0, 3).shape == (view.d,) and view.value(3, 1) is None
        assert abs(view.slope(0.0) + 0.5) < 1e-15 and abs(view.curvature([0.0])[0] - 0.25) < 1e-15
        assert (view.packets["kind"] == "value").all() and view.known is None
        assert PARAMETERS, view.parameters
        return view.candidates.y > 5
`
	for algorithm, parameters := range map[string]string{
		"{kind: admm, eta: 0.2}":                                  `view.parameters == {"eta": 0.2}`,
		"{kind: m-admm, eta: {initial: 0.2, ratio: 2, max: 0.8}}": `view.parameters["eta"] is not None`,
		own(t): `view.parameters == {} and not view.gradients() and "python" in view.unseen[0]`,
	} {
		method := filepath.Join(t.TempDir(), "own.py")
		if err := os.WriteFile(method, []byte(admm), 0o644); err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(class, "PARAMETERS", parameters)
		a, _, _, err := assaulted(t, "", text, "algorithm="+strings.ReplaceAll(algorithm, "FILE", method),
			"adversary.view={kind: nodes, nodes: [1]}", "adversary.knows={victim: 2, candidates: 4}",
			"adversary.knows.penalties=public")
		if err != nil {
			t.Errorf("%s: %v", algorithm, err)
			continue
		}
		f := a.Findings[len(a.Findings)-1]
		if len(f.Members) != 4 || f.Members[0].Member || f.Members[0].Truth == nil {
			t.Errorf("%s: %+v", algorithm, f.Members)
		}
	}
}

// A node that lost its memory sends its start again, which a class sees as of round 0.
func TestAttack_SeesStartsThatAreSentAgain(t *testing.T) {
	const class = `class Listening:
    def members(self, view):
        late = view.packets[(view.packets["kind"] == "value") & (view.packets["sent_ns"] >= 60e6)]
        assert set(late["src"][late["round"] == 0]) == {1}, late
        return view.candidates.y > 5
`
	_, _, _, err := assaulted(t, "", class, "rounds={mode: asynchronous, count: 40}",
		"network.faults=[{at: 50ms, crash: 1, until: 60ms, memory: lost}]")
	if err != nil {
		t.Error(err)
	}
}

func TestAttack_SaysWhatIsWrong(t *testing.T) {
	for body, want := range map[string]string{
		"estimate(self, view): raise KeyError('here')":    `mine.py", line 2, in estimate`,
		"estimate(self, view): return [1, 2]":             "shape (2,), and it must be (5,)",
		"estimate(self, view): return [float('nan')] * 5": "component 0 is not finite",
		"estimate(self, view): return [1] * 5, 2":         "a sample's y is −1 or 1",
		"members(self, view): return [1, 2]":              "5 truth values, one a candidate",
		"update(self, node, t): pass":                     "has 0 classes with estimate or",
		"estimate(self, view)":                            "SyntaxError",
	} {
		class := "class A:\n    def " + body + "\n"
		_, _, _, err := assaulted(t, "", class)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "python:mine") {
			t.Errorf("%s: %v", class, err)
		}
	}
	for attacks, want := range map[string]string{
		"[python]":                              "must name the file of the class",
		"[{kind: recycling, file: a.py}]":       "is a parameter of kind python",
		"[{kind: python, file: a.py, runs: 3}]": "is a number of runs for membership",
	} {
		_, err := scenarios.Parse("a.yaml", []byte(attacked), "adversary.attacks="+attacks)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", attacks, err)
		}
	}
}

// What attacks found is computed again by verify, which says that the class has changed.
func TestAttack_IsVerified(t *testing.T) {
	a, run, file, err := assaulted(t, "", example("inversion.py"))
	if err != nil {
		t.Fatal(err)
	}
	if err := record.WriteAttacks(run.Dir, a, nil, false); err != nil {
		t.Fatal(err)
	}
	o := evaluation.VerifyOptions{Workers: 1, Progress: func(int) {}}
	if _, err := evaluation.Verify(context.Background(), run.Dir, o); err != nil {
		t.Error(err)
	}
	changed := strings.Replace(example("inversion.py"), "y * u, y", "1.01 * y * u, y", 1)
	if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := evaluation.Verify(context.Background(), run.Dir, o); err == nil ||
		!strings.Contains(err.Error(), file+" has changed since") || !strings.Contains(err.Error(), "estimates") {
		t.Errorf("a class that has changed: %v", err)
	}
}
