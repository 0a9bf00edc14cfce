// What becomes of the packets of a run over split columns.

package evaluation

import (
	"fmt"
	"math"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// splitWorlds makes what computes the parties' steps.
func (x *explainer) splitWorlds() error {
	for world := range x.parties {
		a := x.assembly[world]
		for i, block := range a.Split.Blocks {
			if world == 1 && i != x.part {
				x.parties[1] = append(x.parties[1], x.parties[0][i])
				x.ranges[1] = append(x.ranges[1], x.ranges[0][i])
				continue
			}
			l, err := adversary.NewSplitLikelihood(x.public, i, block)
			if err != nil {
				return err
			}
			x.parties[world] = append(x.parties[world], l)
			x.ranges[world] = append(x.ranges[world], problem.NewPartySolver(block, a.Split.Ridge, x.sharing.Penalty()))
		}
	}
	return nil
}

// splitDrawn is the noise that the stream of a party with a block holds for a round.
func splitDrawn(method model.Sharing, p *problem.PartySolver, seed uint64, party, round int, law model.Noise,
	rows int) []float64 {
	if method.Cover() == model.Ambient {
		return drawAgain(seed, party, round, law, rows)
	}
	xi, drawn := make([]float64, p.Block.D), make([]float64, rows)
	p.Range(sim.NewStream(seed, "noise", uint64(party), uint64(round)), law.Level, xi)
	p.Times(xi, drawn)
	return drawn
}

// party explains the messages of a party: the exact step, which the hub's messages and its own decide, and noise.
func (x *explainer) party(party int) error {
	for t := 1; t <= x.rounds; t++ {
		if x.first[[2]int{party + 1, t}] == nil || x.first[[2]int{0, t - 1}] == nil {
			return model.NotSeen("the message of round %d of party %d, or of the hub", t, party)
		}
	}
	rounds, err := x.parties[x.world][party].Deviations(x.view)
	if err != nil {
		return err
	}
	for i := range rounds {
		r := &rounds[i]
		p := x.first[[2]int{party + 1, r.Round}]
		noise := splitDrawn(x.sharing, x.ranges[x.world][party], x.seed, party, r.Round, r.Law, x.public.Rows)
		length, rest := num.Norm(noise), append([]float64(nil), r.Noise[0]...)
		num.Axpy(-1, noise, rest)
		off, sent := num.Norm(rest), num.Norm(x.payloads[p.payload])
		const condition = 1e-9 // what rounding leaves of a least-squares solution's values
		allowed := condition * (sent + length)
		if x.public.NonSmooth != nil {
			allowed *= 10
		}
		fits := x.account.hold(record.NoiseFromStream, off, allowed, length, p, func() string {
			return fmt.Sprintf("less the party's exact step and the noise that the stream holds its norm is %.3g, "+
				"where rounding leaves at most %.3g: the noise is scaled, reused or misplaced, or the step is not the "+
				"one the method prescribes", off, allowed)
		})
		if !x.wanted || party == x.part || x.sharing.Cover() != model.Ambient {
			continue
		}
		if !fits {
			noise = r.Noise[0]
		}
		x.noise = append(x.noise, recovered{party + 1, r.Round, noise, r.Law})
	}
	return nil
}

// sharingHub explains the hub's messages (u, y): with p the sum of the parties' messages of the round, z = p − u is
// where c Y L′(Y z − t) = y(t−1) + ρu, and y = y(t−1) + ρu.
func (x *explainer) sharingHub() error {
	n, v := x.public.Rows, x.assembly[x.world].Split
	rho := x.sharing.Penalty() / x.sharing.Share(x.public)
	sum, slope, margin := make([]float64, n), make([]float64, n), make([]float64, n)
	before := make([]float64, n) // y
	for t := 1; t <= x.rounds; t++ {
		clear(sum)
		for party := range v.Blocks {
			p := x.first[[2]int{party + 1, t}]
			if p == nil {
				return model.NotSeen("the message of round %d of party %d", t, party)
			}
			num.Axpy(1, x.payloads[p.payload], sum)
		}
		p := x.first[[2]int{0, t}]
		if p == nil {
			return model.NotSeen("the hub's message of round %d", t)
		}
		u, y := x.payloads[p.payload][:n], x.payloads[p.payload][n:]
		for k := range margin {
			margin[k] = float64(v.Y[k] * (sum[k] - u[k]))
			if v.Targets != nil {
				margin[k] -= v.Targets[k]
			}
		}
		v.Loss.Slopes(slope, margin)
		worst, finds := 0.0, 0.0
		for k := range slope {
			pull := float64(rho * u[k])
			scale := max(1, v.Weight, math.Abs(before[k])+float64(rho*math.Abs(sum[k])))
			z := math.Abs(sum[k]) + math.Abs(u[k])
			allowed := float64(1e-11*scale) + x.rounding(math.Abs(y[k])+math.Abs(pull)+float64((rho+v.Weight)*z))
			off := math.Abs(float64(v.Weight*v.Y[k]*slope[k]) - before[k] - pull)
			off = max(off, math.Abs(y[k]-before[k]-pull))
			worst, finds = max(worst, off/allowed), max(finds, allowed/scale)
		}
		x.account.hold(record.HubFollows, float64(worst*finds), finds, 1, p, func() string {
			return fmt.Sprintf("it is off by %.3g of what rounding leaves from what follows from the parties' "+
				"messages and the labels", worst)
		})
		copy(before, y)
	}
	return nil
}
