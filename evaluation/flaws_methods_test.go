// Flaws of a kind, or in a method, that no other planted flaw has.

package evaluation

import (
	"math"
	"slices"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/record"
	"overhear/sim"
)

const (
	plantedDGD = "{kind: private-dgd, step: 0.5, alpha: 1}"

	plantedMuffliato = "{kind: private-dgd, step: 0.5, alpha: 1, averaging: 1}"
	plantedMRADMM    = "{kind: private-mr-admm, eta: {initial: 0.5, ratio: 1.1}, gamma: 0.3, alpha: 1}"
)

// rate is that of a method's noise, in the small scenario.
type rate func(s algorithms.Setting, n *algorithms.Node, t int) float64

// laplace is the noise of that rate that a node's stream holds for a round.
func (r rate) laplace(s algorithms.Setting, n *algorithms.Node, t int) []float64 {
	noise := make([]float64, len(n.F))
	privacy.Laplace(n.Stream("noise", t), r(s, n, t), noise)
	return noise
}

var (
	rateOfPVP = rate(func(_ algorithms.Setting, n *algorithms.Node, _ int) float64 { return outputRate(n, nil) })
	rateOfDGD = rate(func(s algorithms.Setting, n *algorithms.Node, t int) float64 {
		return float64(s.Problem.Shards[n.ID].U.Len()) / (2 * s.Problem.C * (0.5 / math.Sqrt(float64(t))))
	})
	rateOfProximal = rate(func(s algorithms.Setting, n *algorithms.Node, _ int) float64 {
		p := s.Problem
		strength := p.R[n.ID] + float64(2*0.05*float64(n.Degree())) + 0.3
		return float64(p.Shards[n.ID].U.Len()) / (2 * p.C) * strength
	})
	rateOfDVP = rate(func(s algorithms.Setting, n *algorithms.Node, _ int) float64 {
		p := s.Problem
		strength := p.R[n.ID] + float64(2*0.05*float64(n.Degree()))
		share := p.Loss.Bound() * p.C / float64(float64(p.Shards[n.ID].U.Len())*strength)
		return 1 - num.Log1p(share)
	})
)

// onOutput is a flaw in the noise that a method adds to what it has computed.
func onOutput(r rate, change func(s algorithms.Setting, n *algorithms.Node, t int, noise []float64)) flaw {
	return func(m privateRow, s algorithms.Setting) algorithms.Method {
		return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, t int) error {
			if err := inner.Update(n, t); err != nil {
				return err
			}
			noise := r.laplace(s, n, t)
			num.Axpy(-1, noise, n.F)
			change(s, n, t, noise)
			num.Axpy(1, noise, n.F)
			return nil
		}}
	}
}

// inObjective is a flaw in the noise that a method adds, times a scale, to its objective: twice the dual is a linear
// term there, too.
func inObjective(r, scale rate, change func(s algorithms.Setting, n *algorithms.Node, t int,
	noise []float64)) func(m privateRow, s algorithms.Setting) *flawed {
	return func(m privateRow, s algorithms.Setting) *flawed {
		return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, t int) error {
			right := r.laplace(s, n, t)
			noise := slices.Clone(right)
			change(s, n, t, noise)
			num.Axpy(-1, right, noise)
			dual := slices.Clone(n.Dual)
			num.Axpy(scale(s, n, t)/2, noise, n.Dual)
			err := inner.Update(n, t)
			copy(n.Dual, dual)
			if n.Memory != nil { // of a recycled method: what messages tell of the gradient, whatever the noise is
				num.Axpy(scale(s, n, t), noise, n.Memory)
			}
			return err
		}}
	}
}

// always is a rate, or a scale, that nothing changes.
func always(v float64) rate {
	return func(algorithms.Setting, *algorithms.Node, int) float64 { return v }
}

// rowInIdle adds a share of a row to rounds that touch no data.
func rowInIdle(share float64) flaw {
	return func(m privateRow, s algorithms.Setting) algorithms.Method {
		return &idling{flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, t int) error {
			if err := inner.Update(n, t); err != nil || t%2 == 1 {
				return err
			}
			num.Axpy(share, rowOf(s, n.ID, 0), n.F)
			return nil
		}}}
	}
}

// forgetful is private R-ADMM whose account leaves out round 1.
type forgetful struct{ idling }

func (m *forgetful) Account(l *privacy.Ledger) {
	for i := range 3 {
		for t := 3; t <= 6; t += 2 {
			spent := 0.2 * (1 + 1.4*0.25/2.1) // (2C/B)(α + 1.4c₁/(ρ/N + 2ηV))
			l.Spend(i, t, privacy.Sample, privacy.PureDP{Epsilon: spent})
		}
	}
}

// single is dp-admm that states the loss of one round for all.
type single struct{ central }

func (m *single) Account(l *privacy.Ledger) {
	for i := range 3 {
		l.Spend(i, 1, privacy.Sample, privacy.GaussianDP{Sensitivity: 1, Sigma: math.Sqrt(2 * math.Log(1.25e5))})
	}
}

// relaying is central, and its hub passes one client's message on.
type relaying struct{ central }

func (r *relaying) Merge(h *algorithms.Node, t int) {
	r.central.Merge(h, t)
	copy(h.F, h.Heard[0])
}

// slowing is idling, of which one free round takes time by what the data are.
type slowing struct {
	flawed
	s algorithms.Setting
}

func (m *slowing) Idle(t int) bool {
	_, row := m.s.Problem.Shards[1].U.Row(0)
	return t%2 == 0 && !(t == 4 && row[0] > 0)
}

// gaussianOfHub is what a client of dp-admm adds in a round.
func gaussianOfHub(s algorithms.Setting, n *algorithms.Node, t int) []float64 {
	p := s.Problem
	strength := p.R[n.ID] + 0.5 + math.Sqrt(float64(t))
	sigma := 2 * p.C / (float64(p.Shards[n.ID].U.Len()) * strength) * math.Sqrt(2*math.Log(1.25e5))
	noise := make([]float64, len(n.F))
	privacy.Gaussian(n.Stream("noise", t), sigma, noise)
	return noise
}

// ofNode is a node with another's number, and so its streams.
func ofNode(n *algorithms.Node, id int) *algorithms.Node {
	other := *n
	other.ID = id
	return &other
}

// whether says whether a node's first row has a positive label.
func whether(s algorithms.Setting, n *algorithms.Node) bool { return s.Problem.Shards[n.ID].Y[0] > 0 }

// harmless says of flaws that lose nothing why they do not.
var harmless = map[string]string{
	"every node draws from the stream of the next": "streams are independent, whoever has which",
	"it passes on the message of one client":       "the client's message was on the wire",
	"messages have single precision":               "a function of a message with its noise",
}

func flawsOfMethods() []planted {
	kappaOfPP := rate(func(_ algorithms.Setting, n *algorithms.Node, t int) float64 {
		return 2 * 0.6 * math.Pow(1.05, float64(t-1)) * float64(n.Degree())
	})
	return []planted{
		{cause: "sensitivity", name: "of the largest coordinate of a row in place of its norm", algorithm: auditedDVP,
			check: record.NoiseSize, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return inObjective(rateOfDVP, always(0.1), func(_ algorithms.Setting, _ *algorithms.Node, _ int,
					noise []float64) {
					num.Scale(1/math.Sqrt(float64(len(noise))), noise)
				})(m, s)
			})},
		{cause: "reuse", name: "every node draws from the stream of the next", algorithm: auditedDVP,
			check: record.NoiseFromStream,
			make: inRows(func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					t int) error {
					return inner.Update(ofNode(n, (n.ID+1)%3), t)
				}}
			})},
		{cause: "correlation", name: "the second coordinate has the sign of the first", algorithm: auditedPP,
			check: record.NoiseCoordinates, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return inObjective(always(3), kappaOfPP, func(_ algorithms.Setting, _ *algorithms.Node, _ int,
					noise []float64) {
					noise[1] = math.Copysign(noise[1], noise[0])
				})(m, s)
			})},
		{cause: "noise", name: "none in the last round of one node", algorithm: auditedPP, check: record.NoisePresent,
			make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return inObjective(always(3), kappaOfPP, func(_ algorithms.Setting, n *algorithms.Node, t int,
					noise []float64) {
					if n.ID == 2 && t == s.Rounds {
						clear(noise)
					}
				})(m, s)
			})},
		{cause: "correlation", name: "every other use has the noise of the use before, turned round",
			algorithm: plantedRADMM, check: record.RoundsDrawnAnew,
			make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &idling{*inObjective(always(1), func(_ algorithms.Setting, _ *algorithms.Node, t int) float64 {
					return float64(t % 2) // nothing in even rounds
				}, func(s algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
					if t%4 == 3 {
						copy(noise, always(1).laplace(s, n, t-2))
						num.Scale(-1, noise)
					}
				})(m, s)}
			})},
		{cause: "timing", name: "a free round takes time if a number of a row is positive", algorithm: plantedRADMM,
			check: record.PacketsInTime, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &slowing{flawed{privateRow: m}, s}
			})},
		{cause: "accounting", name: "the first round is forgotten", algorithm: plantedRADMM, check: record.ClaimOfNoise,
			make: inRows(func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return &forgetful{idling{flawed{privateRow: m}}}
			})},
		{cause: "idle rounds", name: "an even round moves by 1e-10 of a row", algorithm: plantedRADMM,
			check: record.IdleRounds, make: inRows(rowInIdle(1e-10))},
		{cause: "idle rounds", name: "an even round moves by 1e-13 of a row", algorithm: plantedRADMM,
			check: record.IdleRounds, make: inRows(rowInIdle(1e-13))},
		{cause: "idle rounds", name: "an even round takes the noise of the odd one away", algorithm: plantedMRADMM,
			check: record.IdleRounds, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &idling{flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					t int) error {
					if err := inner.Update(n, t); err != nil || t%2 == 1 {
						return err
					}
					num.Axpy(0.4, always(1).laplace(s, n, t-1), n.F)
					return nil
				}}}
			})},
		{cause: "sensitivity", name: "of the penalty of the last use, which is greater, in every use",
			algorithm: plantedMRADMM[:len(plantedMRADMM)-1] + ", perturbation: output}", check: record.NoiseFromStream,
			make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				ridge := func(n *algorithms.Node, k int) float64 {
					eta := 0.5 * math.Pow(1.1, float64(k-1))
					return s.Problem.R[n.ID] + float64(2*eta*float64(n.Degree()))
				}
				return &idling{flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					t int) error {
					if err := inner.Update(n, t); err != nil || t%2 == 0 {
						return err
					}
					k := (t + 1) / 2
					noise := always(ridge(n, k)).laplace(s, n, t)
					num.Scale(ridge(n, k)/ridge(n, 3)-1, noise)
					num.Axpy(1, noise, n.F)
					num.Axpy(s.Problem.R[n.ID]-ridge(n, k), noise, n.Memory)
					return nil
				}}}
			})},
		{cause: "correlation", name: "two nodes of three have opposite noise", algorithm: plantedDGD,
			check: record.NodesDrawnAnew, make: inRows(onOutput(rateOfDGD, func(s algorithms.Setting,
				n *algorithms.Node, t int, noise []float64) {
				if n.ID == 1 {
					copy(noise, rateOfDGD.laplace(s, ofNode(n, 0), t))
					num.Scale(-1, noise)
				}
			}))},
		{cause: "place", name: "a node goes on from its clean iterate", algorithm: plantedDGD,
			check: record.NoiseFromStream, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					t int) error {
					if n.Memory != nil {
						copy(n.F, n.Memory)
					}
					if err := inner.Update(n, t); err != nil {
						return err
					}
					n.Memory = append(n.Memory[:0], n.F...)
					num.Axpy(-1, rateOfDGD.laplace(s, n, t), n.Memory)
					return nil
				}}
			})},
		{cause: "rounding", name: "to a unit that a label decides", algorithm: plantedDGD,
			check: record.NoiseFromStream, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					t int) error {
					err := inner.Update(n, t)
					unit := 0x1p-30
					if whether(s, n) {
						unit = 0x1p-29
					}
					for k, v := range n.F {
						n.F[k] = unit * math.Round(v/unit)
					}
					return err
				}}
			})},
		{cause: "wire", name: "each neighbour is sent a draw of its own", algorithm: auditedProximal,
			check: record.OneValueForAll, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return newSending(m, func(n *algorithms.Node, t, k int, v []float64) {
					if t == 0 || k == 0 {
						return
					}
					noise := make([]float64, len(v))
					privacy.Laplace(n.Stream("another", t), rateOfProximal(s, n, t), noise)
					num.Axpy(-1, rateOfProximal.laplace(s, n, t), v)
					num.Axpy(1, noise, v)
				})
			})},
		{cause: "law", name: "cut off beyond its mean length", algorithm: auditedProximal, check: record.NoiseLaw,
			make: inRows(onOutput(rateOfProximal, func(s algorithms.Setting, n *algorithms.Node, t int,
				noise []float64) {
				most := float64(len(noise)) / rateOfProximal(s, n, t)
				if norm := num.Norm(noise); norm > most {
					num.Scale(most/norm, noise)
				}
			}))},
		{cause: "start", name: "round 0 carries the noise of round 1", algorithm: auditedProximal,
			check: record.StartIsPublic, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return newSending(m, func(n *algorithms.Node, t, _ int, v []float64) {
					if t == 0 {
						num.Axpy(1, rateOfProximal.laplace(s, n, 1), v)
					}
				})
			})},
		{cause: "correlation", name: "two clients of three have opposite noise", algorithm: auditedHub,
			check: record.NodesDrawnAnew, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &central{flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node,
					t int) error {
					if err := inner.Update(n, t); err != nil || n.ID != 1 {
						return err
					}
					num.Axpy(-1, gaussianOfHub(s, n, t), n.F)
					num.Axpy(-1, gaussianOfHub(s, ofNode(n, 0), t), n.F)
					return nil
				}}}
			})},
		{cause: "accounting", name: "one round's loss is claimed of all rounds", algorithm: auditedHub,
			check: record.ClaimOfNoise, make: inRows(func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return &single{central{flawed{privateRow: m}}}
			})},
		{cause: "hub", name: "it passes on the message of one client", algorithm: auditedHub,
			check: record.HubFollows,
			make: inRows(func(m privateRow, _ algorithms.Setting) algorithms.Method {
				return &relaying{central{flawed{privateRow: m}}}
			})},
		{cause: "place", name: "only what lies in the span of a party's columns", algorithm: plantedSharing,
			check: record.NoiseFromStream, make: func(m algorithms.Method, s algorithms.Setting) algorithms.Method {
				return &columns{columnMethod: m.(columnMethod), answer: func(inner columnMethod, p *algorithms.Party,
					t int, hub []float64) ([]float64, error) {
					v, err := inner.Answer(p, t, hub)
					if err != nil {
						return nil, err
					}
					noise := make([]float64, len(v))
					privacy.Gaussian(p.Stream("noise", t), 0.5, noise)
					num.Axpy(-1, noise, v)
					num.Axpy(1, within(s, p.ID, noise), v)
					p.Memory = append(p.Memory[:0], v...)
					return v, nil
				}}
			}},
		{cause: "rounding", name: "messages have single precision", algorithm: plantedSharing,
			check: record.NoiseFromStream,
			make: func(m algorithms.Method, _ algorithms.Setting) algorithms.Method {
				return &columns{columnMethod: m.(columnMethod), answer: func(inner columnMethod, p *algorithms.Party,
					t int, hub []float64) ([]float64, error) {
					v, err := inner.Answer(p, t, hub)
					for k := range v {
						v[k] = float64(float32(v[k]))
					}
					p.Memory = append(p.Memory[:0], v...)
					return v, err
				}}
			}},
		{cause: "reports", name: "the coin is that of twice the ε", algorithm: plantedPDML,
			check: record.LabelsFlipped, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, report: func(seed uint64, i, k int) []float64 {
					r := m.(algorithms.Registering).Report(seed, i, k)
					r[len(r)-1] = s.Problem.Shards[i].Y[k]
					if sim.NewStream(seed, "label", uint64(i), uint64(k)).Float64() < privacy.FlipProbability(2) {
						r[len(r)-1] *= -1
					}
					return r
				}}
			})},
		{cause: "reports", name: "a report is longer if the label is positive", algorithm: plantedPDML,
			check: record.ReportsFollow, make: inRows(func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &registering{flawed: flawed{privateRow: m}, report: func(seed uint64, i, k int) []float64 {
					r := m.(algorithms.Registering).Report(seed, i, k)
					if s.Problem.Shards[i].Y[k] > 0 {
						r = append(r, 0)
					}
					return r
				}}
			})},
	}
}

// within is the part of a vector that lies in the span of a party's two columns, or one.
func within(s algorithms.Setting, party int, v []float64) []float64 {
	block := s.Split.Blocks[party]
	part := make([]float64, len(v))
	rest := slices.Clone(v)
	var basis [][]float64
	for k := range block.D {
		c := column(block, k)
		for _, b := range basis {
			num.Axpy(-num.Dot(b, c), b, c)
		}
		num.Scale(1/num.Norm(c), c)
		basis = append(basis, c)
		num.Axpy(num.Dot(c, rest), c, part)
	}
	return part
}
