// What messages tell where objectives have kinks.

package adversary

import (
	"errors"
	"strings"
	"testing"

	"overhear/adversary/model"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// kinks are parts of an objective that are kinked at some iterates of a small fixture's runs, and,
// but for the ℓ1 norm of great weight, smooth at others.
var kinks = map[string]*problem.NonSmooth{
	"l1":       {L1: 0.01},
	"great l1": {L1: 0.2},
	"box":      {Set: problem.Region{Kind: "box", Lower: -0.15, Upper: 0.3}},
	"ball":     {Set: problem.Region{Kind: "ball", Radius: 0.25}},
}

// A round tells the data's gradient where the regulariser has one at what was published, to what the
// solves leave, and else nothing. A model that knows of no kinks would tell wrong ones.
func TestGradients_AtAKinkAreNotTold(t *testing.T) {
	const rounds = 25
	told, untold := 0, 0
	for name, h := range kinks {
		f := small(t, 7, 4, ring(5))
		f.problem.NonSmooth = h
		for method, play := range map[string]func() (*Recording, *model.Public){
			"admm": func() (*Recording, *model.Public) {
				return run(t, f, "admm", rounds, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
			},
			"edge-admm": func() (*Recording, *model.Public) {
				return run(t, f, "edge-admm", rounds, sim.Link{}, func(p *algorithms.EdgeADMM) {
					p.Eta, p.Relaxation = 0.3, 0.4
				})
			},
			"penalty-perturbation": func() (*Recording, *model.Public) {
				return run(t, f, "penalty-perturbation", rounds, sim.Link{}, func(p *algorithms.PenaltyPerturbation) {
					p.Eta, p.Theta, p.Alpha, p.Noise = *constant(0.3), *constant(0.2), *constant(1), "off"
				})
			},
			"pvp": func() (*Recording, *model.Public) {
				return run(t, f, "pvp", rounds, sim.Link{}, func(p *algorithms.PVP) {
					p.Eta, p.Alpha, p.Noise = 0.3, *constant(1), "off"
				})
			},
		} {
			rec, pub := play()
			all, unseen := Observe(rec, Vantage{}, pub, nil).Gradients(1, 0)
			for _, g := range all {
				if e := relative(g.Value, f.trueGradient(1, g.At)); !(e < 1e-8) || !h.Smooth(g.At, nil) {
					t.Errorf("%s, %s, round %d: relative error %.3g at %v", method, name, g.Round, e, g.At)
				}
			}
			if len(all)+len(unseen) != rounds {
				t.Errorf("%s, %s: %d rounds tell and %d do not", method, name, len(all), len(unseen))
			}
			for _, u := range unseen {
				if !strings.Contains(u, "which subgradient") {
					t.Errorf("%s, %s: %s", method, name, u)
				}
			}
			told, untold = told+len(all), untold+len(unseen)
			blind := *pub
			blind.NonSmooth = nil
			wrong := 0
			every, _ := Observe(rec, Vantage{}, &blind, nil).Gradients(1, 0)
			for _, g := range every {
				if relative(g.Value, f.trueGradient(1, g.At)) > 1e-4 {
					wrong++
				}
			}
			if wrong < len(unseen) {
				t.Errorf("%s, %s: without kinks in the model %d rounds are wrong, and %d are not told", method, name,
					wrong, len(unseen))
			}
		}
	}
	if told < 50 || untold < 50 {
		t.Errorf("%d rounds tell and %d do not", told, untold)
	}
}

// Attacks are exact on what is told, and blocked where nothing is; none has a wrong number.
func TestAttacks_AtKinksAreExactOrBlocked(t *testing.T) {
	const rounds = 25
	outcomes := map[string]int{}
	for name, h := range kinks {
		f := small(t, 7, 4, ring(5))
		f.problem.NonSmooth = h
		rec, pub := run(t, f, "admm", rounds, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
		k, want := f.allBut(1, 2)
		for _, attack := range []string{"kkt-inversion", "kkt-rounds", "kkt-projection"} {
			a, _ := Lookup(attack)
			found, err := a.Carry(Observe(rec, Vantage{}, pub, k))
			switch {
			case err != nil:
				t.Fatal(err)
			case found.Succeeded == record.Blocked:
				outcomes["blocked"]++
				if !strings.Contains(found.Conclusion+strings.Join(found.Unseen, "; "), "subgradient") {
					t.Errorf("%s, %s: %s", attack, name, found.Conclusion)
				}
			default:
				outcomes["exact"]++
				x := found.Estimates[len(found.Estimates)-1].X
				if e := relative(x, want.X); !(e < 1e-6) {
					t.Errorf("%s, %s: off by %.3g: %s", attack, name, e, found.Conclusion)
				}
			}
		}
		if name != "great l1" {
			continue
		}
		hop, _ := Lookup("one-hop")
		found, err := hop.Carry(Observe(rec, Vantage{Nodes: []int{1}}, pub, &Knowledge{Victim: 2,
			Data: map[int]*Samples{1: f.samples(1)}}))
		if err != nil || found.Succeeded != record.Blocked {
			t.Errorf("one hop beyond a node at kinks: %v, %+v", err, found)
		}
	}
	if outcomes["exact"] < 3 || outcomes["blocked"] < 3 {
		t.Errorf("%v", outcomes)
	}
}

// Noise on the minimiser hides at which kinks it is, so that no gradient is told; what the noise was
// follows all the same from the minimiser of either world, which has the kinks.
func TestLikelihood_KnowsMinimisersAtKinks(t *testing.T) {
	for name, h := range kinks {
		f := small(t, 9, 3, ring(4))
		f.problem.NonSmooth = h
		rec, pub := run(t, f, "pvp", 12, sim.Link{}, func(p *algorithms.PVP) {
			p.Eta, p.Alpha, p.Noise = 0.3, *constant(1e7), "on"
		})
		v := Observe(rec, Vantage{}, pub, nil)
		for _, size := range []int{9, 0} { // who does not know the size knows of the noise all the same
			if all, unseen := v.Gradients(1, size); len(all) > 0 || len(unseen) != 12 ||
				!strings.Contains(unseen[0], "before noise was added") {
				t.Errorf("%s, of %d rows: %d gradients, unseen %q", name, size, len(all), unseen)
			}
		}
		noise := func(p *model.Public) float64 { // the greatest that the true world takes
			l, err := NewLikelihood(p, 1, f.samples(1), f.samples(2))
			if err != nil {
				t.Fatal(err)
			}
			rounds, err := l.Weigh(Observe(rec, Vantage{}, p, nil))
			if err != nil {
				t.Fatal(err)
			}
			most := 0.0
			for _, e := range rounds {
				most = max(most, num.Norm(e.Noise[0]))
			}
			return most
		}
		blind := *pub
		blind.NonSmooth = nil
		if with, without := noise(pub), noise(&blind); !(with < 1e-5) || !(without > 1e-3) {
			t.Errorf("%s: noise of %.3g, and %.3g where the kinks are left out", name, with, without)
		}
	}
}

// The span of the rows is not that of gradients to which the noisy point's side of a kink was taken.
func TestRowSpace_IsBlockedByKinksUnderNoise(t *testing.T) {
	f := small(t, 4, 12, ring(5))
	f.problem.NonSmooth = kinks["l1"]
	for _, alpha := range []float64{1e11, 1} {
		rec, pub := run(t, f, "pvp", 30, sim.Link{}, func(p *algorithms.PVP) {
			p.Eta, p.Alpha, p.Noise = 0.3, *constant(alpha), "on"
		})
		got := carry(t, "row-space", Observe(rec, Vantage{}, pub, &Knowledge{Victim: 1, Candidates: f.lineup(1)}))
		if got.Succeeded != record.Blocked || len(got.Facts) > 0 || len(got.Unseen) != 30 {
			t.Errorf("α = %v: %v, %s, %d unseen", alpha, got.Succeeded, got.Conclusion, len(got.Unseen))
		}
	}
}

// Noise in the objective has a density at a minimiser only where that has a neighbourhood without
// kinks; elsewhere the likelihood says that it has none.
func TestLikelihood_RefusesObjectiveNoiseAtKinks(t *testing.T) {
	f := small(t, 9, 3, ring(4))
	f.problem.NonSmooth = kinks["great l1"]
	rec, pub := run(t, f, "dvp", 12, sim.Link{}, func(p *algorithms.DVP) {
		p.Eta, p.Alpha, p.Noise, p.Calibration = 0.3, *constant(5), "on", "proof"
	})
	l, err := NewLikelihood(pub, 1, f.samples(1), f.samples(2))
	if err != nil {
		t.Fatal(err)
	}
	v := Observe(rec, Vantage{}, pub, nil)
	if _, err = l.Weigh(v); !errors.Is(err, ErrKink) || !strings.Contains(err.Error(), "subgradient") {
		t.Errorf("%v", err)
	}
	// A kink is one in whatever round it is, also where an earlier one was not seen.
	delete(v.values, [2]int{1, 1})
	all, unseen := model.Gradients(pub, v, 1, l.size)
	if len(unseen) < 2 || unseen[0].Kink || unseen[0].Round != 1 {
		t.Fatalf("%d rounds tell; unseen are %q", len(all), unseen)
	}
	if _, err = l.Weigh(v); !errors.Is(err, ErrKink) {
		t.Errorf("without round 1: %v", err)
	}
	// Without kinks what is not seen is said to be.
	for _, m := range unseen[1:] {
		delete(v.values, [2]int{1, m.Round})
	}
	if _, err = l.Weigh(v); err == nil || errors.Is(err, ErrKink) ||
		!strings.Contains(err.Error(), "round 1: the value") {
		t.Errorf("without any: %v", err)
	}
}
