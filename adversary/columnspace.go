// ADMM sharing's noise lies in the column space of a party's block, and so does
// every message: they tell blocks apart at any strength of the noise.

package adversary

import (
	"fmt"
	"math"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/problem"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "column-space",
		Title:    "column space of a party's block",
		Equation: "p_m(t) = D_m(x_m(t) + ξ(t)), ξ ~ N(0, σ²(D_mᵀD_m)⁻¹): (I − D_m D_m⁺) p_m(t) = 0",
		About: `Each message of a party is a combination of its block's columns, noise included (SH19 (10)), however
large σ is. One message outside a candidate block's column space rules the candidate out. As many messages as
the block has independent columns span the column space: their rank is that number if there is noise, and any
one column can then be tested.
Score of a candidate: the largest distance of a message to its column space, relative to the message. A larger
space that contains the block's fits every message as well, and is ruled out once the rank is known.
Noise that covers all directions (noise: ambient) puts every message outside of every block.
Facts: the rank of the messages up to a round; the distance of each column of a candidate to their span.`,
		Needs: "one message of a party over split columns with fewer columns than rows, and candidate blocks; for " +
			"the span, as many messages as it has columns",
		Targets: true,
		Classes: true,
		Run:     columnSpaces,
	})
}

// inBlock is the relative distance up to which a message counts as inside a
// candidate's column space. Rounding leaves about 1e-16 times the condition of
// the block, which makes 1e-7 with one of 1e9; a message of another block is
// about √(1 − d/N) away.
const inBlock = 1e-7

func columnSpaces(v *View, f *record.Finding) error {
	p, k := v.Public, v.Knows
	method, ok := p.Method.(model.Sharing)
	if !ok {
		return blocked("the messages of method %s are not vectors of a party's column space over all rows", p.Name)
	}
	if f.Victim < 1 || f.Victim > len(p.Widths) {
		return blocked("node %d is no party: node 0 is the hub, and the parties are nodes 1 to %d", f.Victim,
			len(p.Widths))
	}
	var messages [][]float64
	var rounds []int
	lost := 0
	for t := 1; t <= p.Rounds; t++ {
		x, ok := v.Value(f.Victim, t)
		switch {
		case !ok:
			lost++
		case num.Norm(x) > 0:
			messages, rounds = append(messages, x), append(rounds, t)
		}
	}
	if lost > 0 {
		f.Unseen = append(f.Unseen, fmt.Sprintf("%d of the %d messages of node %d", lost, p.Rounds, f.Victim))
	}
	if len(messages) == 0 {
		return blocked("no message of node %d was seen that is not zero", f.Victim)
	}
	if n := len(messages[0]); n != p.Rows {
		return fmt.Errorf("a message of node %d has %d numbers, want one for each of %d rows", f.Victim, n, p.Rows)
	}
	cover := method.Cover()
	rank, span, err := spanned(messages, rounds, f)
	if err != nil {
		return err
	}
	members, nearest, useless, larger := 0, math.Inf(1), 0, 0
	for c, b := range k.Blocks {
		if b.Len() != p.Rows {
			return blocked("candidate block %d has %d rows; there are %d", c, b.Len(), p.Rows)
		}
		space := newColumnSpace(b)
		score := 0.0
		for _, x := range messages {
			score = math.Max(score, space.distance(x)/num.Norm(x))
		}
		m := record.Membership{Candidate: c, Score: record.Number(score)}
		switch inside := score <= inBlock; {
		case len(space.basis) == p.Rows:
			useless++
		case !inside:
			nearest = math.Min(nearest, score)
		case span != nil && cover != model.Nowhere && len(space.basis) != rank:
			larger++ // noise reaches all of a block's column space
		default:
			m.Member = true
			members++
		}
		f.Members = append(f.Members, m)
		if span != nil {
			f.Facts = append(f.Facts, record.Fact{Kind: record.ColumnDistances, Candidate: c, Node: f.Victim,
				Round: rounds[len(rounds)-1], Values: columnDistances(b, span), Relative: notKnown})
		}
	}
	spans := plural.With(len(messages), "message", fmt.Sprintf("of node %d spans", f.Victim),
		fmt.Sprintf("of node %d span", f.Victim))
	switch {
	case span != nil && cover == model.Nowhere:
		f.Conclusion = fmt.Sprintf("%s %d of %d dimensions, all of them inside its column "+
			"space", spans, rank, p.Rows)
	case span != nil:
		f.Conclusion = fmt.Sprintf("%s %d of %d dimensions, its whole column space",
			spans, rank, p.Rows)
	case cover == model.Ambient:
		f.Conclusion = fmt.Sprintf("%s %d of %d dimensions, as many as they can: the noise "+
			"covers all directions and hides the column space", spans, rank, p.Rows)
	default:
		f.Conclusion = fmt.Sprintf("%s %d of %d dimensions, as many as they can: it has at "+
			"least as many independent columns, and more messages would be needed to find all", spans,
			rank, p.Rows)
	}
	if len(k.Blocks) > useless {
		f.Conclusion += fmt.Sprintf("; %d of %d candidate blocks fit, with all messages in their column space", members,
			len(k.Blocks))
		if !math.IsInf(nearest, 1) {
			f.Conclusion += fmt.Sprintf(", the nearest of the others being at a relative distance of %.2g", nearest)
		}
		if larger > 0 {
			f.Conclusion += fmt.Sprintf(", %d more having the messages in a column space that is too large", larger)
		}
		if members == 0 {
			f.Succeeded = record.Failed
		}
	}
	if useless > 0 {
		f.Conclusion += "; " + plural.With(useless, "candidate", "has", "have") +
			" as many independent columns as rows, which every message fits"
	}
	if cover == model.Ambient && span == nil {
		f.Succeeded = record.Failed
	}
	return nil
}

// spanned reports the rank of the messages round by round, and returns the span
// if it is found whole: if there are more messages than it has dimensions.
func spanned(messages [][]float64, rounds []int, f *record.Finding) (int, *columnSpace, error) {
	// Lengths do not matter, and rounding is relative to each.
	unit := make([][]float64, len(messages))
	for t, x := range messages {
		unit[t] = append([]float64(nil), x...)
		num.Scale(1/num.Norm(x), unit[t])
	}
	s, err := decompose(unit)
	if err != nil {
		return 0, nil, err
	}
	rank, gap := s.rank(inBlock * math.Sqrt(float64(len(unit))))
	whole := gap >= clearGap && rank < len(unit)
	// The rank grows by one with each message until it is reached.
	reached, seen := rounds[len(rounds)-1], new(columnSpace)
	for t, x := range unit {
		rest := append([]float64(nil), x...)
		seen.remove(rest)
		if n := num.Norm(rest); len(seen.basis) < rank && n > inBlock {
			num.Scale(1/n, rest)
			seen.basis = append(seen.basis, rest)
			if len(seen.basis) == rank {
				reached = rounds[t]
			}
		}
	}
	kind := record.LeastMessageRank
	if whole {
		kind = record.MessageRank
	}
	f.Facts = append(f.Facts, record.Fact{Kind: kind, Node: f.Victim, Round: reached, Values: []float64{float64(rank)},
		Relative: notKnown})
	if !whole {
		return rank, nil, nil
	}
	f.Checks = append(f.Checks, record.Check{
		Kind:     record.MessageRankGap,
		Measured: record.Number(s.values[rank]), Bound: record.Number(inBlock * math.Sqrt(float64(len(unit)))),
		Holds:  true,
		Detail: fmt.Sprintf("the last that counts is %.3g", s.values[rank-1]),
	})
	return rank, s.space(rank), nil
}

// columnDistances is how far each column of a block is from a span, relative to
// the column; 0 for a column of zeros, which is in every span.
func columnDistances(b *problem.Rows, span *columnSpace) []float64 {
	distances := make([]float64, b.D)
	for c, x := range denseColumns(b) {
		if norm := num.Norm(x); norm > 0 {
			distances[c] = span.distance(x) / norm
		}
	}
	return distances
}
