// Flaws planted in methods whose claims, and models, are right: each is found by the check that is for it, and no claim
// is let stand. results/audit/flaws.md is the table; go test ./evaluation -run Table -update writes it anew.

package evaluation

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/algorithms"
	"overhear/internal/golden"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/record"
	"overhear/sim"
)

// idling is flawed, of a method some of whose rounds touch no data.
type idling struct{ flawed }

func (m *idling) Idle(t int) bool { return m.privateRow.(algorithms.Idler).Idle(t) }

// sending is flawed, of a method whose messages are not what it publishes. Its notes of the round are in the node's
// memory.
type sending struct {
	flawed
	message func(n *algorithms.Node, t, k int, m []float64)
}

func newSending(m privateRow, message func(n *algorithms.Node, t, k int, m []float64)) *sending {
	sum := func(n *algorithms.Node) {
		clear(n.Sum)
		for _, f := range n.Heard {
			num.Axpy(1, f, n.Sum)
		}
	}
	return &sending{flawed{privateRow: m,
		update: func(inner algorithms.RowMethod, n *algorithms.Node, t int) error {
			sum(n)
			n.Memory = []float64{float64(t)}
			return inner.Update(n, t)
		},
		dual: func(inner algorithms.RowMethod, n *algorithms.Node, t int) {
			sum(n)
			inner.Dual(n, t)
		}}, message}
}

func (s *sending) Message(n *algorithms.Node, k int, m []float64) {
	t := 0
	if n.Memory != nil {
		t = int(n.Memory[0])
	}
	copy(m, n.F)
	s.message(n, t, k, m)
}

// registering is flawed, of a method whose users report.
type registering struct {
	flawed
	report  func(seed uint64, i, k int) []float64
	collect func(n *algorithms.Node, reports [][]float64)
}

func (m *registering) Report(seed uint64, i, k int) []float64 {
	if m.report != nil {
		return m.report(seed, i, k)
	}
	return m.privateRow.(algorithms.Registering).Report(seed, i, k)
}

func (m *registering) Budget(i, k int) float64 {
	if r, ok := m.privateRow.(algorithms.Registering); ok {
		return r.Budget(i, k)
	}
	return math.Inf(1)
}

func (m *registering) Collect(n *algorithms.Node, reports [][]float64) {
	if r, ok := m.privateRow.(algorithms.Registering); ok {
		r.Collect(n, reports)
	}
	if m.collect != nil {
		m.collect(n, reports)
	}
}

// hasty is flawed, of a method some of whose rounds take no time by what the data are.
type hasty struct {
	flawed
	s algorithms.Setting
}

func (m *hasty) Idle(t int) bool {
	_, row := m.s.Problem.Shards[1].U.Row(0)
	return t == 3 && row[0] > 0
}

// noisy is a flaw in what PVP adds in a round.
func noisy(change func(s algorithms.Setting, n *algorithms.Node, t int, noise []float64)) flaw {
	return onOutput(rateOfPVP, change)
}

// rowOf is y·x of a node's row.
func rowOf(s algorithms.Setting, shard, row int) []float64 { return dense(s.Problem, shard, row) }

// columns is a flawed method over split columns.
type columnMethod interface {
	algorithms.ColumnMethod
	algorithms.Composing
}

type columns struct {
	columnMethod
	answer func(inner columnMethod, p *algorithms.Party, t int, hub []float64) ([]float64, error)
	merge  func(inner columnMethod, h *algorithms.Hub, t int, sent [][]float64) ([]float64, error)
}

func (c *columns) Answer(p *algorithms.Party, t int, hub []float64) ([]float64, error) {
	if c.answer == nil {
		return c.columnMethod.Answer(p, t, hub)
	}
	return c.answer(c.columnMethod, p, t, hub)
}

func (c *columns) Merge(h *algorithms.Hub, t int, sent [][]float64) ([]float64, error) {
	if c.merge == nil {
		return c.columnMethod.Merge(h, t, sent)
	}
	return c.merge(c.columnMethod, h, t, sent)
}

// planted is a flaw and the check that names its cause; without one the claim is refuted.
type planted struct {
	cause, name, algorithm string
	check                  record.CheckKind
	make                   planting
}

const (
	plantedRADMM   = "{kind: private-r-admm, eta: 0.5, gamma: 0.3, alpha: 1}"
	plantedPDML    = "{kind: pdml, epsilon: 1, eta: 0.5}"
	plantedSharing = "{kind: private-admm-sharing, eta: 10, epsilon: 0.7, delta: 0.001, slack: 0.002, bound: 1000, " +
		"noise: ambient, sigma: 0.5}"
)

func plantedFlaws() []planted {
	clean := func(s algorithms.Setting, n *algorithms.Node, t int, m []float64) {
		if t > 0 {
			num.Axpy(-1, outputNoise(s, n, t, t), m)
		}
	}
	return []planted{
		{"noise", "half as large", auditedPVP, record.NoiseSize, inRows(noisy(
			func(_ algorithms.Setting, _ *algorithms.Node, _ int, noise []float64) { num.Scale(0.5, noise) }))},
		{"noise", "a tenth larger", auditedPVP, record.NoiseFromStream, inRows(noisy(
			func(_ algorithms.Setting, _ *algorithms.Node, _ int, noise []float64) { num.Scale(1.1, noise) }))},
		{"noise", "none in one round of one node that is not audited", auditedPVP, record.NoiseFromStream,
			inRows(noisy(func(_ algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
				if n.ID == 2 && t == 4 {
					clear(noise)
				}
			}))},
		{"noise", "none once in 20 uses", auditedPVP, record.NoisePresent, inRows(noisy(
			func(_ algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
				if n.Stream("lapse", t).Float64() < 0.05 {
					clear(noise)
				}
			}))},
		{"noise", "half as large if the label of the node's first row is positive", auditedPVP, record.NoiseFromStream,
			inRows(noisy(func(s algorithms.Setting, n *algorithms.Node, _ int, noise []float64) {
				if rowOf(s, n.ID, 0)[0] > 0 {
					num.Scale(0.5, noise)
				}
			}))},
		{"law", "Gaussian of the same mean square", auditedPVP, record.NoiseLaw, inRows(noisy(
			func(_ algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
				s := outputRate(n, noise)
				privacy.Gaussian(n.Stream("another", t), math.Sqrt(float64(len(noise)+1))/s, noise)
			}))},
		{"law", "each coordinate by itself", auditedPVP, record.NoiseLaw, inRows(noisy(
			func(_ algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
				rate := outputRate(n, noise)
				s := n.Stream("another", t)
				for k := range noise {
					noise[k] = math.Copysign(s.Exponential(), s.Float64()-0.5) / rate
				}
			}))},
		{"law", "along one coordinate only", auditedPVP, record.NoiseCoordinates, inRows(noisy(
			func(_ algorithms.Setting, _ *algorithms.Node, _ int, noise []float64) {
				length := math.Copysign(num.Norm(noise), noise[0])
				clear(noise)
				noise[0] = length
			}))},
		{"law", "with a mean", auditedPVP, record.NoiseDirection, inRows(noisy(
			func(_ algorithms.Setting, _ *algorithms.Node, _ int, noise []float64) {
				noise[0] += 0.5 * num.Norm(noise)
			}))},
		{"reuse", "that of round 1 in every round", auditedPVP, record.RoundsDrawnAnew, inRows(noisy(
			func(s algorithms.Setting, n *algorithms.Node, _ int, noise []float64) {
				copy(noise, outputNoise(s, n, 1, 1))
			}))},
		{"reuse", "the same in every run", auditedPVP, record.RunsDrawnAnew, inRows(noisy(
			func(_ algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
				privacy.Laplace(sim.NewStream(1, "noise", uint64(n.ID), uint64(t)), outputRate(n, noise), noise)
			}))},
		{"reuse", "the same at every node", auditedPVP, record.NodesDrawnAnew, inRows(noisy(
			func(_ algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
				privacy.Laplace(sharedStream(n, t), outputRate(n, noise), noise)
			}))},
		{"correlation", "half of the noise of the round before", auditedPVP, record.RoundsIndependent, inRows(noisy(
			func(s algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
				if t > 1 {
					num.Axpy(0.5, outputNoise(s, n, t-1, t-1), noise)
				}
			}))},
		{"correlation", "of the length of the round before in a fresh direction", auditedPVP, record.SizesIndependent,
			inRows(noisy(func(s algorithms.Setting, n *algorithms.Node, _ int, noise []float64) {
				num.Scale(num.Norm(outputNoise(s, n, 1, 1))/num.Norm(noise), noise)
			}))},
		{"rounding", "rounded to a millionth of its scale", auditedPVP, record.NoiseFromStream, inRows(noisy(
			func(_ algorithms.Setting, n *algorithms.Node, _ int, noise []float64) {
				unit := 1e-6 / outputRate(n, noise)
				for k := range noise {
					noise[k] = unit * math.Round(noise[k]/unit)
				}
			}))},
		{"place", "duals step along unperturbed iterates", auditedPVP, record.NoiseFromStream, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &flawed{privateRow: m, dual: func(inner algorithms.RowMethod, n *algorithms.Node, k int) {
					sent := n.F
					n.F = append([]float64(nil), sent...)
					num.Axpy(-1, outputNoise(s, n, k, k), n.F)
					inner.Dual(n, k)
					n.F = sent
				}}
			})},
		{"sensitivity", "rows are ten times as long in the step", auditedPVP, record.NoiseFromStream, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					k int) error {
					g := make([]float64, len(n.F))
					n.Gradient(n.F, g)
					if err := inner.Update(n, k); err != nil {
						return err
					}
					num.Axpy(-9, g, n.F)
					return nil
				}}
			})},
		{"wire", "the clean iterate is sent and the noisy one recorded", auditedPVP, record.RecordAsSent, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return newSending(m, func(n *algorithms.Node, t, _ int, v []float64) { clean(s, n, t, v) })
			})},
		{"wire", "one neighbour is sent the clean iterate", auditedPVP, record.OneValueForAll, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return newSending(m, func(n *algorithms.Node, t, k int, v []float64) {
					if k == 1 && n.ID == 1 {
						clean(s, n, t, v)
					}
				})
			})},
		{"wire", "the last digits carry a label", auditedPVP, record.RecordAsSent, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return newSending(m, func(n *algorithms.Node, _, _ int, v []float64) {
					bits := math.Float64bits(v[0]) &^ 1
					if rowOf(s, n.ID, 0)[0] > 0 {
						bits |= 1
					}
					v[0] = math.Float64frombits(bits)
				})
			})},
		{"wire", "nodes send rows besides", auditedPVP, record.PacketsExpected, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m},
					report: func(_ uint64, i, k int) []float64 { return rowOf(s, i, k) }}
			})},
		{"start", "the local optimum is sent as round 0", auditedPVP, record.StartIsPublic, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return newSending(m, func(n *algorithms.Node, t, _ int, v []float64) {
					if t == 0 {
						num.Axpy(1, rowOf(s, n.ID, 0), v)
					}
				})
			})},
		{"timing", "a round takes no time if a number of a row is positive", auditedPVP, record.PacketsInTime, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &hasty{flawed{privateRow: m}, s}
			})},
		{"idle rounds", "an even round steps along a fresh gradient", plantedRADMM, record.IdleRounds, inRows(
			func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return &idling{flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					k int) error {
					if k%2 == 0 {
						g := make([]float64, len(n.F))
						n.Gradient(n.F, g)
						num.Axpy(-0.1, g, n.F)
					}
					return inner.Update(n, k)
				}}}
			})},
		{"idle rounds", "a round of averaging moves by a millionth of a row", plantedMuffliato, record.IdleRounds,
			inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &idling{flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					k int) error {
					if err := inner.Update(n, k); err != nil || k%2 == 1 {
						return err
					}
					num.Axpy(1e-6, rowOf(s, n.ID, 0), n.F)
					return nil
				}}}
			})},
		{"idle rounds", "an even round moves by a millionth of a row", plantedRADMM, record.IdleRounds, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &idling{flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					k int) error {
					if err := inner.Update(n, k); err != nil || k%2 == 1 {
						return err
					}
					num.Axpy(1e-6, rowOf(s, n.ID, 0), n.F)
					return nil
				}}}
			})},
		{"hub", "its message has a hundredth of a client's row", auditedHub, record.HubFollows, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &leaking{central{flawed{privateRow: m}}, s}
			})},
		{"noise", "a variance used as a standard deviation, around a hub", auditedHub, record.NoiseSize,
			inRows(varianceAsDeviation)},
		{"reports", "labels are never flipped", plantedPDML, record.LabelsFlipped, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, report: func(seed uint64, i, k int) []float64 {
					r := m.(algorithms.Registering).Report(seed, i, k)
					r[len(r)-1] = s.Problem.Shards[i].Y[k]
					return r
				}}
			})},
		{"reports", "one coin for all users", plantedPDML, record.LabelsIndependent, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, report: func(seed uint64, i, k int) []float64 {
					r := m.(algorithms.Registering).Report(seed, i, k)
					r[len(r)-1] = s.Problem.Shards[i].Y[k]
					if sim.NewStream(seed, "label", 0, 0).Float64() < privacy.FlipProbability(1) {
						r[len(r)-1] *= -1
					}
					return r
				}}
			})},
		{"reports", "a column carries the true label", plantedPDML, record.ReportsFollow, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, report: func(seed uint64, i, k int) []float64 {
					r := m.(algorithms.Registering).Report(seed, i, k)
					r[0] += 1e-9 * s.Problem.Shards[i].Y[k]
					return r
				}}
			})},
		{"start", "a server starts at what the reports say", plantedPDML, record.StartIsPublic, inRows(
			func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, collect: func(n *algorithms.Node,
					reports [][]float64) {
					num.Axpy(1, reports[0][:len(n.F)], n.F)
				}}
			})},
		{"reports", "a server computes from the true labels", plantedPDML, record.NoiseFromStream, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				r := &registering{flawed: flawed{privateRow: m}}
				r.update = func(inner algorithms.RowMethod, n *algorithms.Node, k int) error {
					if err := inner.Update(n, k); err != nil {
						return err
					}
					num.Axpy(1e-3, rowOf(s, n.ID, 0), n.F)
					return nil
				}
				return r
			})},
		{"noise", "the objective's is left out", plantedPDML, record.NoiseFromStream, inRows(
			func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, collect: func(n *algorithms.Node, _ [][]float64) {
					clear(n.Memory[len(n.F) : 2*len(n.F)])
				}}
			})},
		{"noise", "a party's is half as large", plantedSharing, record.NoiseSize,
			func(m algorithms.Method, _ algorithms.Setting) algorithms.Method {
				return &columns{columnMethod: m.(columnMethod), answer: func(inner columnMethod, p *algorithms.Party,
					t int, hub []float64) ([]float64, error) {
					v, err := inner.Answer(p, t, hub)
					if err != nil {
						return nil, err
					}
					noise := make([]float64, len(v))
					privacy.Gaussian(p.Stream("noise", t), 0.5, noise)
					num.Axpy(-0.5, noise, v)
					p.Memory = append(p.Memory[:0], v...)
					return v, nil
				}}
			}},
		{"hub", "its dual tells a label", plantedSharing, record.HubFollows,
			func(m algorithms.Method, s algorithms.Setting) algorithms.Method {
				return &columns{columnMethod: m.(columnMethod), merge: func(inner columnMethod, h *algorithms.Hub,
					t int, sent [][]float64) ([]float64, error) {
					v, err := inner.Merge(h, t, sent)
					if err == nil {
						v[s.Split.N] += 1e-6 * s.Split.Y[0]
					}
					return v, err
				}}
			}},
		{"accounting", "a tenth of the loss is claimed", auditedDVP, record.ClaimOfNoise, inRows(
			func(m privateRow, _ algorithms.Setting) algorithms.Method { return &boastful{flawed{privateRow: m}} })},
	}
}

// boastful claims a hundredth of what it spends.
type boastful struct{ flawed }

func (m *boastful) Account(l *privacy.Ledger) {
	for i := range 3 {
		for t := range 6 {
			l.Spend(i, t+1, privacy.Sample, privacy.PureDP{Epsilon: 0.002})
		}
	}
}

// leaking is central, and its hub knows a client's row.
type leaking struct {
	central
	s algorithms.Setting
}

func (l *leaking) Merge(h *algorithms.Node, t int) {
	l.central.Merge(h, t)
	num.Axpy(0.01, rowOf(l.s, 0, 0), h.F)
}

// outputRate is that of PVP's noise at a node of ten rows and two neighbours.
func outputRate(*algorithms.Node, []float64) float64 { return 10.0 / 2 * (0.1 + 2*0.05*2) }

// sharedStream is one that all nodes of a run have in common.
func sharedStream(n *algorithms.Node, t int) *sim.Stream {
	other := *n
	other.ID = 0
	return other.Stream("noise", t)
}

// plantedAudit audits the small experiment in few runs, with a flaw; of no make: as the method is registered.
func plantedAudit(t *testing.T, f *planted, sets ...string) *record.Audit {
	t.Helper()
	e := small(t, f.algorithm, f.make, append(fewRuns[:len(fewRuns):len(fewRuns)], sets...)...)
	a, err := Audit(context.Background(), e, AuditOptions{Workers: 2})
	if err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	return a
}

var fewRuns = []string{"adversary.audit.runs=60", "adversary.audit.pilots=2"}

// tableHead heads both tables of results/audit.
const tableHead = "Computed by `go test ./evaluation -run Table -update`; without `-update` it compares. " +
	"Each row is an audit of a small scenario.\n\n"

// Every flaw is found by the check that is for it, no claim is let stand, and every private method has two flaws at
// least.
func TestFlaws_Table(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute under the race detector")
	}
	var table strings.Builder
	table.WriteString("# Flaws that the audit must find\n\n" + tableHead +
		"In each a method whose claim is right does something else in one place. `simulate audit` ends with exit " +
		"code 3 for each.\n\n| cause | flaw | method | verdict | checks that fail | the first packet |\n" +
		"|---|---|---|---|---|---|\n")
	flaws := map[string]int{}
	for _, f := range slices.Concat(plantedFlaws(), flawsOfMethods(), smallFlaws()) {
		kind, _, _ := strings.Cut(strings.TrimPrefix(f.algorithm, "{kind: "), ",")
		flaws[kind]++
		t.Run(f.cause+" "+f.name, func(t *testing.T) { table.WriteString(flawRow(t, &f, kind)) })
	}
	for _, e := range algorithms.Entries() {
		if _, ok := e.Params().(interface{ Loosen(float64) any }); ok && flaws[e.Name] < 2 {
			t.Errorf("%s has %d flaws", e.Name, flaws[e.Name])
		}
		delete(flaws, e.Name)
	}
	if len(flaws) > 0 {
		t.Errorf("there are no methods %v", flaws)
	}
	golden.Compare(t, filepath.Join("..", "results", "audit"), map[string]string{"flaws.md": table.String()}, *update)
}

// flawRow audits a flaw, and is its row of the table.
func flawRow(t *testing.T, f *planted, method string) string {
	a := plantedAudit(t, f)
	var kinds []record.CheckKind
	first, law := "", true // what is measured is by the law of what ran
	for _, c := range a.Checks {
		if !c.Holds {
			kinds = append(kinds, c.Kind)
			law = law && c.Kind == record.ClaimOfNoise
			if _, where, ok := strings.Cut(c.Detail, "the first: "); ok && first == "" {
				first, _, _ = strings.Cut(where, "): ")
				first += ")"
			}
		}
	}
	name, why := f.name, harmless[f.name]
	for _, v := range a.Judged() {
		if v.Verdict == record.Consistent && why == "" {
			t.Errorf("a claim is let stand: %+v", v)
		}
		if !law && v.Method != byThreshold && !math.IsNaN(float64(v.Measured)) {
			t.Errorf("measured by a law that is not its own: %+v", v)
		}
	}
	if a.Stands() || !slices.Contains(kinds, f.check) {
		t.Errorf("the checks that fail are %v, not %s: %s", kinds, f.check, failures(a))
	}
	names := make([]string, len(kinds))
	for k, kind := range kinds {
		names[k] = string(kind)
	}
	if why != "" {
		name += " (it loses nothing: " + why + ")"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", f.cause, name, method,
		a.Verdicts[len(a.Verdicts)-1].Verdict, strings.Join(names, ", "), first)
}
