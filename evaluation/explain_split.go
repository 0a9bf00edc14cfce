// What becomes of the packets of a run over split columns.

package evaluation

import (
	"fmt"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
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
			x.ranges[world] = append(x.ranges[world], problem.NewPartySolver(block, a.Split.Ridge,
				x.sharing.Penalty()).Bend(a.Split.NonSmooth))
		}
	}
	return nil
}

// splitDrawn is the noise that the stream of a party with a block holds for a round.
func (x *explainer) splitDrawn(party, round int, law model.Noise) []float64 {
	p, rows := x.ranges[x.world][party], x.public.Rows
	if x.sharing.Cover() == model.Ambient {
		return x.drawAgain(party, round, law, rows)
	}
	xi, drawn := make([]float64, p.Block.D), make([]float64, rows)
	p.Range(x.stream(x.seed, "noise", uint64(party), uint64(round)), law.Level, xi)
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
	again := x.answers(party)
	for i := range rounds {
		r := &rounds[i]
		p := x.first[[2]int{party + 1, r.Round}]
		repeats, err := x.again(again, r.Round, x.payloads[p.payload], p)
		if err != nil {
			return err
		}
		noise := x.splitDrawn(party, r.Round, r.Law)
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
		if repeats && party == x.part {
			x.own[r.Round] = recovered{party + 1, r.Round, noise, r.Law}
		}
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

// answers computes a party's messages again, round by round, with the method's operations in its own order: v = D x̃ +
// ε, x̃ the step on −Dᵀ(y + ρ(u/M − v before)), SH19 (6), (10).
func (x *explainer) answers(party int) func(t int) ([]float64, error) {
	solver, rho, over := x.ranges[x.world][party], x.sharing.Penalty(), 1/x.sharing.Share(x.public)
	n := x.public.Rows
	at, own := x.e.Algorithm.Init.Start(x.seed, party+1, solver.Block.D), make([]float64, n)
	solver.Times(at, own)
	return func(t int) ([]float64, error) {
		hub, _ := x.view.Value(0, t-1)
		if t > 1 {
			own, _ = x.view.Value(party+1, t-1)
		}
		v := make([]float64, n)
		for k := range v {
			v[k] = hub[n+k] + float64(rho*(float64(over*hub[k])-own[k]))
		}
		solver.Step(v, at)
		solver.Times(at, v)
		sigma := x.sharing.Sigma(x.public, party)
		switch x.sharing.Cover() {
		case model.Ambient:
			num.Axpy(1, x.drawAgain(party, t, model.Noise{Kind: model.Gaussian, Level: sigma}, n), v)
		case model.Range:
			xi := make([]float64, len(at))
			solver.Range(x.stream(x.seed, "noise", uint64(party), uint64(t)), sigma, xi)
			num.Axpy(1, xi, at)
			solver.Times(at, v)
		}
		return v, nil
	}
}

// sharingHub explains the hub's messages (p − z, y), to the last bit: with p the sum of the parties' messages of the
// round, z minimises c Σ L(Y z − t) − y·z + (ρ/2M)‖p − z‖², from the z before, and y moves by (ρ/M)(p − z), SH19 (7),
// (8).
func (x *explainer) sharingHub() error {
	n, v := x.public.Rows, x.assembly[x.world].Split
	rho := x.sharing.Penalty() / x.sharing.Share(x.public)
	z, y, sum, scratch := make([]float64, n), make([]float64, n), make([]float64, n), problem.NewHubScratch(n)
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
		problem.HubStep(z, y, sum, v.Y, v.Targets, rho, v.Weight, v.Loss, scratch)
		want := make([]float64, 2*n)
		for k, s := range sum {
			gap := s - z[k]
			y[k] += float64(rho * gap)
			want[k], want[n+k] = gap, y[k]
		}
		sent := x.payloads[p.payload]
		x.account.same(record.HubFollows, sameBits(sent, want), p, func() string {
			num.Axpy(-1, sent, want)
			return fmt.Sprintf("it is off by %.3g from what follows from the parties' messages and the labels, to the "+
				"last bit", num.Norm(want))
		})
	}
	return nil
}
