// Membership by row space: gradients of the data lie in the span of the rows, and
// where rows are fewer than columns that span tells which rows they are.

package adversary

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/problem"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "row-space",
		Title:    "membership by row space",
		Equation: "∇(f) = (C/B) Σ_n L′(u_n·f) u_n ∈ span{x_1, …, x_B}",
		About: `Every gradient of the data, and every difference of two that miss the same unknown vector, is a
combination of the victim's rows. Over rounds they span the rows: the number of singular values above what the
solver's tolerance can leave is the rank of the data, and the distance of x/‖x‖ to the span tells whether x is
among the victim's rows (or a combination of them). Neither a label nor another sample is needed. The rank is that
of the rows and of the columns: the node has at least so many rows, and more where columns depend on each other, as
those of one attribute do. A candidate outside the span shows that the rows, and not the columns, end it.
The verdict's threshold is Wedin's bound on the angle between the span and what was found of it, error/σ_B. One
row alone is found itself if its last column was a 1 before the row was scaled: the norm before was then at
least 1, so the row was divided by it, and x is the unit vector along the gradient whose intercept is positive.`,
		Needs:   "fewer rows than columns, more rounds than rows, public parameters, no noise; candidates for verdicts",
		Targets: true,
		Classes: true,
		Run:     rowSpace,
	})
}

// widest is the largest angle between the span and what was found of it at which
// candidates are still judged: a row in general position is about √(1 − B/d)
// away.
const widest = 1e-2

// hiding is how large errors may be, relative to the largest singular value, for what
// is below them to be taken for no row: singular values of rows fall over several powers
// of ten, those of exact solves are seven or more below them.
const hiding = 1e-6

// unaccounted says of which rows a rank falls short where there are known to be more.
const unaccounted = "of which some depend on others or add too little to be seen"

// inSpan are the vectors of gradients that lie in the span of the rows: gradients
// of which all is known, and differences of consecutive ones that miss the same
// vector; floor bounds the Frobenius norm of their errors.
func inSpan(p *model.Public, all []model.Gradient) (vectors [][]float64, floor float64) {
	last := map[int]*model.Gradient{}
	squares := 0.0
	for i := range all {
		g := &all[i]
		err := gradientError(p, g)
		x := append([]float64(nil), g.Value...)
		if g.Offset > 0 {
			before := last[g.Offset]
			last[g.Offset] = g
			if before == nil {
				continue
			}
			num.Axpy(-1, before.Value, x)
			err += gradientError(p, before)
		}
		vectors = append(vectors, x)
		squares += float64(err * err)
	}
	return vectors, math.Sqrt(squares)
}

func rowSpace(v *View, f *record.Finding) error {
	found := ""
	if known, last, ok := v.revealed(f.Victim); ok {
		if last < v.Public.Rounds {
			f.Unseen = append(f.Unseen, fmt.Sprintf("the private penalty after round %d", last))
		}
		v, found = known, "with the private penalties taken from even rounds, "
	}
	p := v.Public
	all, unseen := v.Gradients(f.Victim, 0)
	f.Unseen = append(f.Unseen, unseen...)
	for _, g := range all {
		if g.Nuisance != nil {
			return blocked("the node's penalties are hidden: every round leaves an unknown multiple of a known " +
				"vector in the gradient, which would add a dimension to the span for each round, and projecting " +
				"these vectors out would take as many from the rows")
		}
	}
	all = distinct(all)
	vectors, floor := inSpan(p, all)
	if len(vectors) == 0 {
		return untold(unseen, "no gradient of the data, and no difference of two, follows from what was seen")
	}
	columns := p.D / max(1, p.Classes)
	if p.Classes > 0 { // every class has a combination of the rows
		var blocks [][]float64
		for _, x := range vectors {
			blocks = slices.AppendSeq(blocks, slices.Chunk(x, columns))
		}
		vectors = blocks
	}
	s, err := decompose(vectors)
	if err != nil {
		return err
	}
	rank, gap := s.rank(floor)
	many := fmt.Sprintf("%d gradients or differences of gradients span", len(vectors))
	if len(vectors) == 1 {
		many = "1 gradient or difference of gradients spans"
	}
	switch {
	case rank == 0:
		f.Succeeded = record.Failed
		f.Conclusion = many + " nothing: what there is is rounding"
		return nil
	case gap < clearGap && p.Method.Noisy():
		f.Succeeded = record.Failed
		f.Conclusion = fmt.Sprintf("%s %d of %d dimensions without a gap between singular values: the noise "+
			"fills them; the number of rows is not determined, and every candidate fits", many, rank, columns)
		return nil
	case gap < clearGap && rank == columns:
		f.Succeeded = record.Failed
		f.Conclusion = fmt.Sprintf("%s all %d dimensions: the node has at least as many rows as columns, "+
			"and every candidate fits", many, columns)
		return nil
	case gap < clearGap:
		f.Succeeded = record.Failed
		f.Conclusion = fmt.Sprintf("%s %d of %d dimensions without a gap between singular values: the node has "+
			"at least %s, and more rounds would be needed to find where the rank ends", many, rank, columns,
			plural.Of(s.above(floor), "row"))
		return nil
	}
	if floor > hiding*s.values[0] {
		f.Succeeded = record.Failed
		f.Conclusion = fmt.Sprintf("%s at least %d of %d dimensions: solves leave errors of up to %.2g, and more "+
			"rows may be below that; how many there are is not determined, and no candidate is judged",
			many, s.above(floor), columns, floor)
		return nil
	}
	angle := floor / s.values[rank-1]
	if everyFits(v.Knows.Candidates, s.space(rank), angle) {
		f.Succeeded = record.Failed
		f.Conclusion = fmt.Sprintf("%s%s %d of %d dimensions, and every candidate fits: the span is that of the "+
			"columns, whose rank is not that of the node's rows", found, many, rank, columns)
		return nil
	}
	fact := record.Fact{Kind: record.DataRank, Node: f.Victim, Round: all[len(all)-1].Round,
		Values: []float64{float64(rank)}, Relative: notKnown}
	f.Checks = append(f.Checks, record.Check{
		Kind:     record.RowRankGap,
		Measured: record.Number(s.values[rank]), Bound: record.Number(floor), Holds: s.values[rank] <= floor,
		Detail: fmt.Sprintf("the last that counts is %.3g", s.values[rank-1]),
	})
	space := s.space(rank)
	doubt := s.doubt(len(vectors), rank, v.Knows.Size, gap, floor)
	least := min(rank, s.above(floor)) // that are no solve's error
	if v.Knows.Size > least {
		doubt += fmt.Sprintf("; it is known to have %d, %s", v.Knows.Size, unaccounted)
	}
	// A candidate outside shows that the span is smaller than that of the columns, and so has the rank of the rows.
	says := fmt.Sprintf("the data of node %d have rank %d: it has at least so many rows, and more if columns depend "+
		"on each other, which no candidate outside the span rules out", f.Victim, rank)
	switch {
	case problem.Straight(p.Loss):
		fact.Kind = record.LeastRank
		says = fmt.Sprintf("node %d has at least %s: where the loss is a straight line, a row adds the same in "+
			"every round, or nothing, and rows that stay there hide; one of them may be a candidate outside the span",
			f.Victim, plural.Of(rank, "independent row"))
	case doubt != "":
		fact.Kind, fact.Values = record.LeastRank, []float64{float64(least)}
		says = fmt.Sprintf("node %d has at least %s", f.Victim, plural.Of(least, "independent row"))
	case anyOutside(v.Knows.Candidates, space, angle):
		fact.Kind = record.RowCount
		says = fmt.Sprintf("node %d has %s", f.Victim, plural.Of(rank, "independent row"))
	case rank == 1:
		says = fmt.Sprintf("node %d has one row, or several along one direction", f.Victim)
	}
	f.Facts, f.Doubt = append(f.Facts, fact), strings.TrimPrefix(doubt, "; ")
	f.Conclusion = fmt.Sprintf("%s%s %d of %d dimensions, the next singular value being %.2g times smaller: "+
		"%s%s", found, many, rank, columns, gap, says, doubt)
	if rank == 1 && v.Knows.Size <= 1 && !problem.Straight(p.Loss) && !p.Targets && p.Classes == 0 {
		v.single(all, s.left[0], f)
	}
	judge(v.Knows.Candidates, space, angle, fact.Kind == record.LeastRank, f)
	return nil
}

// anyOutside is whether a candidate is farther from the span than the angle to which that is known.
func anyOutside(candidates *Samples, rows *columnSpace, angle float64) bool {
	if candidates == nil {
		return false
	}
	for n := range candidates.Y {
		x := candidates.At(n).X
		if rows.distance(x) > angle*num.Norm(x) {
			return true
		}
	}
	return false
}

// everyFits is whether all of several candidates are in the span, the node's own and the others: then it tells
// nothing of the node's rows, as where two columns depend on each other and the node has all the rank that is left.
func everyFits(candidates *Samples, rows *columnSpace, angle float64) bool {
	return candidates != nil && len(candidates.Y) >= 2 && angle <= widest && !anyOutside(candidates, rows, angle)
}

// judge measures candidates against a span that is known to an angle, and which may be only a part of that of the
// rows: then no candidate is ruled out.
func judge(candidates *Samples, rows *columnSpace, angle float64, part bool, f *record.Finding) {
	if candidates == nil || len(candidates.Y) == 0 {
		return
	}
	if angle > widest {
		f.Conclusion += fmt.Sprintf("; the span is uncertain by an angle of up to %.2g, too much to judge candidates",
			angle)
	}
	members, farthest, nearest := 0, 0.0, math.Inf(1)
	for n := range candidates.Y {
		x := candidates.At(n).X
		score := math.Inf(1) // a row of zeros is in every span
		if norm := num.Norm(x); norm > 0 {
			score = rows.distance(x) / norm
		}
		member := angle <= widest && score <= angle
		if member {
			members++
			farthest = math.Max(farthest, score)
		} else {
			nearest = math.Min(nearest, score)
		}
		f.Members = append(f.Members, record.Membership{Candidate: n, Score: record.Number(score), Member: member,
			Open: !member && (part || angle > widest)})
	}
	if angle > widest {
		return
	}
	f.Conclusion += fmt.Sprintf("; %d of %d candidates are in their span to %.2g", members, len(candidates.Y), angle)
	if members > 0 {
		f.Conclusion += fmt.Sprintf(", the farthest at %.2g", farthest)
	}
	if !math.IsInf(nearest, 1) {
		f.Conclusion += fmt.Sprintf("; the nearest of the others is at %.2g", nearest)
		if part {
			f.Conclusion += ", and they are ruled out only if there are no more rows"
		}
	}
}

// single estimates the only row, along a unit vector, if the schema has an
// intercept. A gradient is −k u with k > 0, u = y x, which gives the label; a
// difference of gradients is the same for u and −u, because the slopes of the
// logistic loss at z and −z add up to −1, and leaves it open. Of a row with a target the
// gradient may point either way.
func (v *View) single(all []model.Gradient, along []float64, f *record.Finding) {
	schema := v.Knows.Schema
	if schema == nil || schema.Intercept < 0 || schema.Intercept >= len(along) {
		return
	}
	one := along[schema.Intercept]
	if one == 0 {
		return // no row with an intercept
	}
	x := append([]float64(nil), along...)
	if one < 0 {
		num.Scale(-1, x)
	}
	y, residual := 0.0, 0.0
	for i := range all {
		g := &all[i]
		if g.Offset > 0 {
			continue
		}
		along := num.Dot(x, g.Value)
		if along != 0 && y == 0 {
			y = -math.Copysign(1, along)
		}
		rest := append([]float64(nil), g.Value...)
		num.Axpy(-along, x, rest)
		if n := num.Norm(g.Value); n > 0 {
			residual = math.Max(residual, num.Norm(rest)/n)
		}
	}
	f.Estimates = append(f.Estimates, record.Estimate{Rounds: len(all), X: x, Y: y, Residual: record.Number(residual)})
	if f.Doubt != "" {
		f.Conclusion += "; if it is the only one the intercept gives it whole"
	} else {
		f.Conclusion += ", which the intercept gives whole"
	}
	if y == 0 {
		f.Conclusion += " but for its label"
	}
}
