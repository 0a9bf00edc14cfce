// All rows of a node at once, none of which is known.

package adversary

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/adversary/model"
	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

func init() {
	register(&Attack{
		Name:     "all-rows",
		Title:    "all rows of a node at once",
		Equation: "(C/B) Σ_n L′(c_n·w(t)) c_n = Vᵀ∇(f(t)), w(t) = Vᵀf(t), u_n = V c_n for all n",
		About: `Gradients of a node's data lie in the span V of its rows (row-space). If it has fewer rows than columns
and there are more rounds than rows, the span and the number B of rows are known, and in it each row is a vector c_n
of B numbers. What these are follows from how gradients change with the point. With the squared loss they are A w − b:
A = Σ c cᵀ and b = Σ c are determined after B + 1 rounds, and nothing else ever is. Rows that are turned into each other
by a rotation that leaves the vector of ones as it is have the same A and b: one row is determined, two are (there the
rotations exchange them), three and more are not. With the logistic loss slopes are curved, and the rows are determined
but for their order where the rounds differ enough. They are found from A and b of a straight line through the
gradients, with rotations that are drawn, or at random,
by damped Gauss–Newton steps; those count that fit to rounding and agree
whatever the start. Error is that of solves over the least singular value of the equations. A row is u = y x; a column
that is never negative, or the intercept, gives the label.`,
		Needs: "all rounds from the first on, more than the node has rows; fewer rows than columns, and at most 12; " +
			"public parameters; no noise",
		Run: allRows,
	})
}

// Bounds of the search.
const (
	mostRows = 12  // with more unknown numbers the search takes too long
	turns    = 40  // starts that are tried
	agreeing = 3   // fits that must agree
	steps    = 300 // of a start
)

// unmixing is the equations of all rows in their span.
type unmixing struct {
	loss           problem.Loss
	share          float64
	points, target [][]float64 // w(t), and Vᵀ∇(f(t))
	b              int         // rows, and directions of the span
}

// misfit is what rows leave of every equation.
func (u *unmixing) misfit(rows [][]float64) []float64 {
	out := make([]float64, 0, len(u.points)*u.b)
	z, slope := make([]float64, u.b), make([]float64, u.b)
	for t, w := range u.points {
		for n, c := range rows {
			z[n] = num.Dot(c, w)
		}
		u.loss.Slopes(slope, z)
		left := slices.Clone(u.target[t])
		num.Scale(-1, left)
		for n, c := range rows {
			num.Axpy(u.share*slope[n], c, left)
		}
		out = append(out, left...)
	}
	return out
}

// jacobian is the derivative of the misfit, by equation: of row m it is L′ I + L″ c_m wᵀ.
func (u *unmixing) jacobian(rows [][]float64) [][]float64 {
	all := make([][]float64, 0, len(u.points)*u.b)
	z, slope, bend := make([]float64, u.b), make([]float64, u.b), make([]float64, u.b)
	for _, w := range u.points {
		for n, c := range rows {
			z[n] = num.Dot(c, w)
		}
		u.loss.Slopes(slope, z)
		u.loss.Curvatures(bend, z)
		for k := range u.b {
			row := make([]float64, u.b*u.b)
			for m, c := range rows {
				num.Axpy(u.share*bend[m]*c[k], w, row[m*u.b:(m+1)*u.b])
				row[m*u.b+k] += float64(u.share * slope[m])
			}
			all = append(all, row)
		}
	}
	return all
}

// descend takes damped Gauss–Newton steps until they lead nowhere.
func (u *unmixing) descend(rows [][]float64) ([][]float64, float64) {
	n := u.b * u.b
	left := u.misfit(rows)
	size := num.Norm(left)
	damp := 1e-3
	for stalled, k := 0, 0; stalled < 3 && k < steps; k++ {
		normal, slope := make([]float64, num.Packed(n)), make([]float64, n)
		for k, row := range u.jacobian(rows) {
			num.Axpy(left[k], row, slope)
			for i := range n {
				num.Axpy(row[i], row[:i+1], normal[num.Packed(i):num.Packed(i)+i+1])
			}
		}
		before := size
		for try := 0; try < 20; try++ {
			a := slices.Clone(normal)
			for i := range n {
				a[num.Packed(i)+i] *= 1 + damp
			}
			var factor num.Cholesky
			step := slices.Clone(slope)
			if factor.Factor(a, n) != nil {
				damp = max(1e-15, 10*damp)
				continue
			}
			factor.Solve(step)
			next := make([][]float64, u.b)
			for m := range next {
				next[m] = slices.Clone(rows[m])
				num.Axpy(-1, step[m*u.b:(m+1)*u.b], next[m])
			}
			rest := u.misfit(next)
			if s := num.Norm(rest); s < size {
				rows, left, size, damp = next, rest, s, max(1e-15, damp/10)
				break
			}
			damp *= 10
		}
		if stalled++; size < 0.999*before {
			stalled = 0
		}
	}
	return rows, size
}

// starts returns a function that draws rows, every other time with the A and b of a straight line through the
// gradients; false: there is no such line.
func (u *unmixing) starts(victim int) (func() [][]float64, bool) {
	b := u.b
	normal, right := make([]float64, num.Packed(b+1)), make([][]float64, b)
	for k := range right {
		right[k] = make([]float64, b+1)
	}
	for t, w := range u.points {
		x := append(slices.Clone(w), 1)
		for i := range x {
			num.Axpy(x[i], x[:i+1], normal[num.Packed(i):num.Packed(i)+i+1])
		}
		for k, h := range u.target[t] {
			num.Axpy(h, x, right[k])
		}
	}
	var factor num.Cholesky
	if factor.Factor(normal, b+1) != nil {
		return nil, false
	}
	slope, bend := []float64{0}, []float64{0}
	u.loss.Slopes(slope, []float64{0})
	u.loss.Curvatures(bend, []float64{0})
	for k := range right {
		factor.Solve(right[k])
	}
	sum, a, trace := make([]float64, b), make([]float64, num.Packed(b)), 0.0
	for i := range b {
		sum[i] = right[i][b] / (u.share * slope[0])
		for j := range i + 1 {
			a[num.Packed(i)+j] = (right[i][j] + right[j][i]) / (2 * u.share * bend[0])
		}
		trace += math.Abs(a[num.Packed(i)+i])
	}
	lower := slices.Clone(a)
	for jitter := 1e-12; factor.Factor(lower, b) != nil; jitter *= 10 {
		if !(jitter <= 1) {
			return nil, false
		}
		lower = slices.Clone(a)
		for i := range b {
			lower[num.Packed(i)+i] += float64(jitter * trace)
		}
	}
	l := func(i, j int) float64 {
		if i == j {
			return 1 / lower[num.Packed(i)+i]
		}
		return lower[num.Packed(i)+j]
	}
	ones, turned := make([]float64, b), slices.Clone(sum)
	for i := range turned {
		ones[i] = 1
		for j := range i {
			turned[i] -= float64(l(i, j) * turned[j])
		}
		turned[i] /= l(i, i)
	}
	s, drawn := sim.NewStream(uint64(victim), "all rows"), 0
	return func() [][]float64 {
		if drawn++; drawn%2 == 0 { // far from zero the line may be off
			rows := make([][]float64, b)
			for n := range rows {
				rows[n] = make([]float64, b)
				for k := range rows[n] {
					rows[n][k] = s.Normal() / math.Sqrt(float64(b))
				}
			}
			return rows
		}
		from, to := frame(ones, s), frame(turned, s)
		rows := make([][]float64, b)
		for n := range rows { // column n of L Σ_k to_k from_kᵀ
			q := make([]float64, b)
			for k := range from {
				num.Axpy(from[k][n], to[k], q)
			}
			rows[n] = make([]float64, b)
			for i := range b {
				for j := range i + 1 {
					rows[n][i] += float64(l(i, j) * q[j])
				}
			}
		}
		return rows
	}, true
}

// frame are orthonormal vectors, the first along a given one, the others drawn.
func frame(first []float64, s *sim.Stream) (all [][]float64) {
	x := slices.Clone(first)
	for {
		for range 2 { // once more, against rounding
			for _, q := range all {
				num.Axpy(-num.Dot(q, x), q, x)
			}
		}
		if size := num.Norm(x); size > 1e-6 {
			num.Scale(1/size, x)
			all = append(all, x)
		}
		if len(all) == len(first) {
			return all
		}
		x = make([]float64, len(first))
		for k := range x {
			x[k] = s.Normal()
		}
	}
}

// unmixed are rows that fit, and how well they are determined.
type unmixed struct {
	rows          [][]float64
	tried, fitted int
	apart         float64 // of fits from each other
	error         float64 // of a row, by the least singular value of the equations
}

// solve looks for rows that leave no more than floor.
func (u *unmixing) solve(victim int, floor float64) (*unmixed, error) {
	out := &unmixed{}
	draw, ok := u.starts(victim)
	if !ok {
		return out, nil
	}
	least := math.Inf(1)
	for ; out.tried < turns && out.fitted < agreeing; out.tried++ {
		rows, size := u.descend(draw())
		if !(size <= floor) {
			continue
		}
		if out.fitted++; out.rows != nil {
			to := assign(distances(rows, out.rows))
			for k := range rows {
				out.apart = max(out.apart, distance(rows[k], out.rows[to[k]]))
			}
		}
		if size < least {
			out.rows, least = rows, size
		}
	}
	if out.rows == nil {
		return out, nil
	}
	svd, err := num.Decompose(u.jacobian(out.rows))
	if err != nil {
		return nil, err
	}
	out.error = math.Inf(1)
	if len(svd.Values) == u.b*u.b {
		out.error = ratio(floor, svd.Values[u.b*u.b-1])
	}
	return out, nil
}

// distances are those of every two vectors of two sets.
func distances(from, to [][]float64) [][]float64 {
	all := make([][]float64, len(from))
	for k, x := range from {
		for _, y := range to {
			all[k] = append(all[k], distance(x, y))
		}
	}
	return all
}

func allRows(v *View, f *record.Finding) error {
	p := v.Public
	switch {
	case p.Loss != problem.Logistic && p.Loss != problem.Squared:
		return blocked("the logistic and the squared loss are worked out, and not this one")
	case debias(p) != 0:
		return blocked("the labels that enter are the reported ones, and the loss has a linear term beside them")
	}
	gradients, unseen := v.Gradients(v.Knows.Victim, v.Knows.Size)
	f.Unseen = append(f.Unseen, unseen...)
	var whole []model.Gradient
	for _, g := range gradients {
		if g.Offset == 0 && g.Nuisance == nil {
			whole = append(whole, g)
		}
	}
	if whole = distinct(whole); len(whole) == 0 {
		return untold(unseen, "no gradient of the data follows from what was seen; differences of gradients, all that "+
			"is left to who lacks part of them, are not enough")
	}
	vectors, floor := inSpan(p, whole)
	s, err := decompose(vectors)
	if err != nil {
		return err
	}
	rank, gap := s.rank(floor)
	doubt := s.doubt(len(whole), rank, v.Knows.Size, gap, floor)
	failed := func(format string, args ...any) error {
		f.Succeeded, f.Conclusion = record.Failed, fmt.Sprintf(format, args...)
		return nil
	}
	spans := plural.With(len(vectors), "gradient", "spans", "span")
	switch {
	case rank == 0 || gap < clearGap || floor > hiding*s.values[0]:
		return failed("%s %d of %d dimensions, and where the rows end is not seen; row-space says why: "+
			"their number is not determined", spans, rank, p.D)
	case len(whole) <= rank:
		return failed("%d gradients are no more than the rank %d of the rows", len(whole), rank)
	case v.Knows.Size > rank:
		return failed("the rows have rank %d or more, and there are %d, %s%s", rank, v.Knows.Size, unaccounted, doubt)
	case v.Knows.Size > 0 && v.Knows.Size < rank:
		return failed("the rows have rank %d, and there are %d: gradients of other rows are among these%s", rank,
			v.Knows.Size, doubt)
	case p.Loss == problem.Squared && rank > 2:
		return failed("the squared loss tells the sum of the %d rows and the sum of their squares, and nothing else: "+
			"every rotation that leaves the vector of ones as it is, %s that are free, makes other rows of them "+
			"with the same messages%s", rank, plural.Of((rank-1)*(rank-2)/2, "angle"), doubt)
	case rank > mostRows:
		return blocked("the node has %d rows; the search is for at most %d", rank, mostRows)
	}
	u := &unmixing{loss: p.Loss, share: p.C / float64(rank), b: rank}
	for k, g := range whole {
		u.points = append(u.points, inFrame(s.left[:rank], g.At))
		u.target = append(u.target, inFrame(s.left[:rank], vectors[k]))
	}
	found, err := u.solve(v.Knows.Victim, floor)
	if err != nil {
		return err
	}
	if found.rows == nil {
		return failed("%d gradients span %d dimensions; none of %d starts leads to as many rows that fit to rounding%s",
			len(whole), rank, found.tried, doubt)
	}
	f.Doubt = strings.TrimPrefix(doubt, "; ")
	f.Conclusion = fmt.Sprintf("%d gradients span %d dimensions; %d of %d starts lead to %s that fit to rounding, and "+
		"are at most %.2g apart; what solves leave is worth an error of at most %.2g%s", len(whole), rank, found.fitted,
		found.tried, plural.Of(rank, "row"), found.apart, found.error, doubt)
	if !(found.error < 0.5) || found.apart > max(1e-6, 10*found.error) {
		f.Succeeded = record.Failed
		f.Conclusion += ": the rows are not determined, as points of different rounds are too near each other"
		return nil
	}
	for _, c := range found.rows {
		row := make([]float64, p.D)
		for k, q := range s.left[:rank] {
			num.Axpy(c[k], q, row)
		}
		x, y := v.Knows.sample(row, true)
		f.Rows = append(f.Rows, record.Estimate{Rounds: len(whole), X: x, Y: y, Residual: record.Number(found.error)})
	}
	slices.SortFunc(f.Rows, func(a, b record.Estimate) int { return cmp.Compare(num.Norm(b.X), num.Norm(a.X)) })
	return nil
}

// inFrame are a vector's numbers along orthonormal ones.
func inFrame(frame [][]float64, x []float64) (out []float64) {
	for _, q := range frame {
		out = append(out, num.Dot(q, x))
	}
	return out
}
