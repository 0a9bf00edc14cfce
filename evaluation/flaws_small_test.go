// Flaws too small for a tolerance, or out of sight of a test of laws.

package evaluation

import (
	"math"

	"overhear/algorithms"
	"overhear/internal/num"
	"overhear/record"
	"overhear/sim"
)

// lowBits writes into the low 8 bits of every number whether a number of a row is positive.
func lowBits(v []float64, positive bool) {
	for k := range v {
		bits := math.Float64bits(v[k]) &^ 0xff
		if positive {
			bits |= 0xff
		}
		v[k] = math.Float64frombits(bits)
	}
}

// inLowBits is a method whose nodes go on from, publish and send such values in the rounds that touch data.
func inLowBits(m privateRow, s algorithms.Setting) flawed {
	return flawed{privateRow: m, update: func(inner algorithms.RowMethod, n *algorithms.Node, t int) error {
		err := inner.Update(n, t)
		if i, ok := m.(algorithms.Idler); err == nil && (!ok || !i.Idle(t)) {
			lowBits(n.F, rowOf(s, n.ID, 0)[0] > 0)
		}
		return err
	}}
}

// hubInLowBits is a hub that does so.
type hubInLowBits struct {
	central
	s algorithms.Setting
}

func (h *hubInLowBits) Merge(n *algorithms.Node, t int) {
	h.central.Merge(n, t)
	lowBits(n.F, rowOf(h.s, 0, 0)[0] > 0)
}

// smallFlaws are those.
func smallFlaws() (all []planted) {
	const name = "the low 8 bits of a message carry a bit of a row"
	plain := func(m privateRow, s algorithms.Setting) algorithms.Method {
		own := inLowBits(m, s)
		switch m.(type) {
		case algorithms.Registering:
			return &registering{flawed: own}
		case algorithms.Idler:
			return &idling{own}
		case algorithms.Central:
			return &central{own}
		}
		return &own
	}
	for _, algorithm := range []string{auditedPVP, auditedDVP, auditedProximal, auditedPP, plantedRADMM, plantedMRADMM,
		plantedDGD, plantedPDML, auditedHub} {
		all = append(all, planted{"wire", name, algorithm, record.StepsRepeat, inRows(plain)})
	}
	// What changes the vector drawn, and neither its length nor a mean or second moment of its direction.
	turned := func(change func(s *sim.Stream, noise []float64)) planting {
		return inRows(noisy(func(_ algorithms.Setting, n *algorithms.Node, t int, noise []float64) {
			change(n.Stream("another", t), noise)
		}))
	}
	return append(all,
		planted{"law", "one coordinate, which a draw decides, is zero", auditedPVP, record.NoiseWhole, turned(
			func(s *sim.Stream, noise []float64) {
				norm := num.Norm(noise)
				noise[s.IntN(len(noise))] = 0
				num.Scale(norm/num.Norm(noise), noise)
			})},
		planted{"law", "none along a direction that is no axis", auditedPVP, record.NoiseRank, turned(
			func(_ *sim.Stream, noise []float64) {
				axis := []float64{0.48, 0.6, 0.64}
				num.Axpy(-num.Dot(noise, axis), axis, noise)
			})},
		planted{"law", "half of the octants are empty", auditedPVP, record.NoiseSigns, turned(
			func(_ *sim.Stream, noise []float64) {
				if noise[0]*noise[1]*noise[2] < 0 {
					num.Scale(-1, noise)
				}
			})},
		planted{"law", "long noise points to one side and short noise to the other", auditedPVP, record.NoiseSigns,
			turned(func(_ *sim.Stream, noise []float64) {
				long := num.Norm(noise)*outputRate(nil, nil) > 2.674 // the median of Gamma(3)
				if long != (noise[0] > 0) {
					num.Scale(-1, noise)
				}
			})},
		planted{"law", "directions lie on six circles", auditedPVP, record.NoiseShares, turned(
			func(s *sim.Stream, noise []float64) { // the second moment of a coordinate is that of the sphere, 1/3
				norm, k := num.Norm(noise), s.IntN(3)
				other := math.Hypot(noise[(k+1)%3], noise[(k+2)%3])
				noise[(k+1)%3] *= math.Sqrt(2.0/3) * norm / other
				noise[(k+2)%3] *= math.Sqrt(2.0/3) * norm / other
				noise[k] = math.Copysign(norm/math.Sqrt(3), noise[k])
			})},
		planted{"hub", name, auditedHub, record.HubFollows, inRows(
			func(m privateRow, s algorithms.Setting) algorithms.Method {
				return &hubInLowBits{central{flawed{privateRow: m}}, s}
			})},
		planted{"wire", name, plantedSharing, record.StepsRepeat,
			func(m algorithms.Method, s algorithms.Setting) algorithms.Method {
				return &columns{columnMethod: m.(columnMethod), answer: func(inner columnMethod, p *algorithms.Party,
					t int, hub []float64) ([]float64, error) {
					v, err := inner.Answer(p, t, hub)
					if err == nil {
						lowBits(v, column(s.Split.Blocks[p.ID], 0)[0] > 0)
						copy(p.Memory, v)
					}
					return v, err
				}}
			}},
		planted{"hub", name, plantedSharing, record.HubFollows,
			func(m algorithms.Method, s algorithms.Setting) algorithms.Method {
				return &columns{columnMethod: m.(columnMethod), merge: func(inner columnMethod, h *algorithms.Hub,
					t int, sent [][]float64) ([]float64, error) {
					v, err := inner.Merge(h, t, sent)
					if err == nil {
						lowBits(v, s.Split.Y[0] > 0)
						copy(h.Y, v[s.Split.N:])
					}
					return v, err
				}}
			}})
}
