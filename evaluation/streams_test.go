// Streams that are wrong where nodes draw and where the audit draws again: only tests that know no stream can find
// them.

package evaluation

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/parameter"
	"overhear/privacy"
	"overhear/record"
	"overhear/sim"
)

// rewired audits runs of both worlds in which a stream has other words, for nodes and for the audit.
func rewired(t *testing.T, algorithm string, make planting, runs int,
	words func(purpose string, words []uint64) []uint64) []record.Check {
	t.Helper()
	e := small(t, algorithm, make, "adversary.audit.node=1")
	a, err := e.Assemble(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	spec := auditSpec(e.Scenario)
	m, err := measure(e, a, &spec)
	if err != nil {
		t.Fatal(err)
	}
	s, err := m.pairs[0].subject()
	if err != nil {
		t.Fatal(err)
	}
	var x *explainer
	switch s := s.(type) {
	case *weigher:
		x = s.explainer
	case *reporter:
		x = s.explainer
	}
	x.stream = func(seed uint64, purpose string, own ...uint64) *sim.Stream {
		return sim.NewStream(seed, purpose, words(purpose, own)...)
	}
	x.looked = 0 // the noise of the audited node alone
	var sample [2][]*evidence
	for k := range 2 * runs {
		ev, err := s.run(context.Background(), run{world: k % 2, number: k / 2, seed: uint64(k + 1)})
		if err != nil {
			t.Fatal(err)
		}
		if !ev.account.explained() {
			t.Fatalf("the streams are not the audit's: %+v", ev.account[record.StepsRepeat])
		}
		sample[k%2] = append(sample[k%2], ev)
	}
	checks, err := faithful(sample, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, ok := s.(*reporter); ok {
		checks = append(checks, reported(sample, r.epsilon)...)
	}
	return checks
}

func fails(checks []record.Check, kind record.CheckKind) bool {
	return slices.ContainsFunc(checks, func(c record.Check) bool { return c.Kind == kind && !c.Holds })
}

// Noise of the audited node that it had before, at however great a distance and at another level, is found by its
// digits, though the redraw agrees.
func TestStreams_AuditedNodesNoiseOfRoundsBefore(t *testing.T) {
	for name, of := range map[string]func(round uint64) uint64{
		"":                             func(round uint64) uint64 { return round },
		"of the round before the last": func(round uint64) uint64 { return (round-1)%2 + 1 },
		"of the first in the fifth": func(round uint64) uint64 {
			if round == 5 {
				return 1
			}
			return round
		},
	} {
		plant := inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
			entry, _ := algorithms.Lookup("private-dgd")
			quiet, err := entry.New(&algorithms.PrivateDGD{
				DGD:         algorithms.DGD{Step: parameter.Constant(0.5), Decay: "sqrt"},
				Alpha:       parameter.Constant(1),
				NoiseSwitch: algorithms.NoiseSwitch{Noise: "off"},
			}, s)
			if err != nil {
				t.Fatal(err)
			}
			return &flawed{privateRow: m, update: func(_ algorithms.RowMethod, n *algorithms.Node, t int) error {
				noise := make([]float64, len(n.F))
				if err := quiet.(algorithms.RowMethod).Update(n, t); err != nil {
					return err
				}
				privacy.Laplace(n.Stream("noise", int(of(uint64(t)))), rateOfDGD(s, n, t), noise)
				num.Axpy(1, noise, n.F)
				return nil
			}}
		})
		checks := rewired(t, plantedDGD, plant, 20, func(purpose string, words []uint64) []uint64 {
			if purpose == "noise" {
				return []uint64{words[0], of(words[1])}
			}
			return words
		})
		if fails(checks, record.RoundsDrawnAnew) != (name != "") {
			t.Errorf("noise %q: %+v", name, checks)
		}
	}
}

// One coin for several users, however far apart, and the same coins in every run, are found though the redraw agrees.
func TestStreams_CoinsOfLabels(t *testing.T) {
	for name, c := range map[string]struct {
		user func(i, k uint64) (uint64, uint64)
		kind record.CheckKind
	}{
		"": {func(i, k uint64) (uint64, uint64) { return i, k }, ""},
		"one for every fourth": {func(i, k uint64) (uint64, uint64) { return i, k % 4 },
			record.LabelsIndependent},
		"one for the same row of a server": {func(_, k uint64) (uint64, uint64) { return 0, k },
			record.LabelsIndependent},
	} {
		plant := inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
			return &registering{flawed: flawed{privateRow: m}, report: func(seed uint64, i, k int) []float64 {
				r := m.(algorithms.Registering).Report(seed, i, k)
				a, b := c.user(uint64(i), uint64(k))
				y := s.Problem.Shards[i].Y[k]
				if sim.NewStream(seed, "label", a, b).Float64() < 1/(1+num.Exp(1)) {
					y = -y
				}
				r[len(r)-1] = y
				return r
			}}
		})
		checks := rewired(t, plantedPDML, plant, 60, func(purpose string, words []uint64) []uint64 {
			if purpose == "label" {
				a, b := c.user(words[0], words[1])
				return []uint64{a, b}
			}
			return words
		})
		for _, kind := range []record.CheckKind{record.LabelsFlipped, record.LabelsIndependent} {
			if fails(checks, kind) != (kind == c.kind) {
				t.Errorf("coins %q: %+v", name, checks)
			}
		}
	}
}

// What the checks of users' coins say that they would have found is found in about 99 of 100 audits, and half of it is
// not.
func TestUsersCoins_FindWhatTheySay(t *testing.T) {
	const users, runs, trials = 4, 150, 200
	g := rand.New(rand.NewPCG(14, 5))
	chance := slices.Repeat([]float64{1 / (1 + math.E)}, users)
	// audit has coins of the first user that are off by a probability, or that are those of the second as often.
	audit := func(off, same float64) []record.Check {
		var sample [2][]*evidence
		for w := range sample {
			for range runs {
				of := make([]bool, users)
				for i := range of {
					of[i] = g.Float64() < chance[i]
				}
				of[0] = g.Float64() < chance[0]+off
				if g.Float64() < same {
					of[0] = of[1]
				}
				sample[w] = append(sample[w], &evidence{flips: flips{of: of, chance: chance}})
			}
		}
		return usersCoins(sample)
	}
	said := audit(0, 0)
	for k, kind := range []record.CheckKind{record.LabelsFlipped, record.LabelsIndependent} {
		size := float64(said[k].Finds)
		if said[k].Kind != kind || !said[k].Holds || !(size > 0 && size < 0.7) {
			t.Fatalf("%+v", said[k])
		}
		for _, c := range []struct{ share, least, most float64 }{{1, 0.96, 1}, {0.5, 0, 0.6}} {
			found := 0
			for range trials {
				off, same := c.share*size, 0.0
				if kind == record.LabelsIndependent {
					off, same = same, off
				}
				if !audit(off, same)[k].Holds {
					found++
				}
			}
			if share := float64(found) / trials; !(share >= c.least) || !(share <= c.most) {
				t.Errorf("%s: %.2f of what it says, %.3g, is found in %.3g of the audits", kind, c.share, size, share)
			}
		}
	}
}
