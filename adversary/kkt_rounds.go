// Inversion of many rounds' optimality conditions at once, by maximum likelihood.

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
		Name:     "kkt-rounds",
		Title:    "KKT inversion of many rounds",
		Equation: "minimise Σ_t w_t‖r(t) − σ(−f(t)·u) u‖ − Σ_t log det(∇²(t) + (r+κ)I) over ‖u‖ ≤ 1",
		About: `Every round gives the same unknown sample another time, with fresh noise. The sample that makes all
rounds' noise likeliest is found by damped Gauss–Newton steps from several starts. Unknown parts of the dual,
where rounds were missed, are estimated too.`,
		Needs: "rounds of the victim and its neighbours, all of the victim's samples but one, public penalties, the " +
			"noise's law",
		Run: runRounds,
	})
}

// counts are the numbers of rounds for which estimates are reported, up to n.
func counts(n int) (all []int) {
	for _, k := range []int{1, 2, 5, 10, 20, 50} {
		if k < n {
			all = append(all, k)
		}
	}
	return append(all, n)
}

func runRounds(v *View, f *record.Finding) error {
	all, unseen, err := informed(v)
	if err != nil {
		return err
	}
	f.Unseen = unseen
	s := all.only(func(e *condition) bool { return e.unknown() == 0 })
	if len(s.equations) == 0 && len(all.equations) > 0 {
		return blocked("penalties are hidden; kkt-projection does without them")
	}
	return s.report(v, f)
}

// report estimates from growing numbers of rounds.
func (s *inversion) report(v *View, f *record.Finding) error {
	if len(s.equations) == 0 {
		return untold(f.Unseen, "no round of node %d was seen whole", v.Knows.Victim)
	}
	if s.first(len(s.equations)).surplus() < 0 {
		return blocked("fewer equations than unknown numbers, of %s", plural.Of(len(s.equations), "usable round"))
	}
	if err := s.addKernels(v.Knows.Others.U); err != nil {
		return err
	}
	var last *inversion
	var found *solution
	for _, n := range counts(len(s.equations)) {
		part := s.first(n)
		if len(part.equations) == 0 || part.surplus() < 0 {
			continue
		}
		var previous []float64
		if found != nil {
			previous = found.u
		}
		var err error
		if found, err = part.solve(v.Knows.Victim, previous); err != nil {
			return err
		}
		last = part
		f.Estimates = append(f.Estimates, part.estimate(v.Knows, found.point, found.signed))
	}
	rank, err := last.rank(found.point)
	if err != nil {
		return err
	}
	y := f.Estimates[len(f.Estimates)-1].Y
	f.Conclusion = fmt.Sprintf("%s u of length %.4g; it leaves %.3g of what they say unexplained%s",
		plural.With(len(last.equations), "round", "gives", "give"), math.Min(1, num.Norm(found.u)),
		last.residual(found.point), v.Knows.labelled(y, found.signed))
	var doubts []string
	if rank < s.d {
		doubts = append(doubts, fmt.Sprintf("they determine %d of its %d directions", rank, s.d))
	}
	switch {
	case last.hides() && last.residual(found.point) > misfit:
		doubts = append(doubts, "no vector was found that fits, so that it may be far from the sample")
	case found.rivals == 1:
		doubts = append(doubts, "another vector, found from another start, fits as well")
	case found.rivals > 1:
		doubts = append(doubts, fmt.Sprintf("%d other vectors, found from other starts, fit as well", found.rivals))
	case last.open() != "":
		doubts = append(doubts, last.open()+", so that another vector may fit as well")
	}
	if f.Doubt = strings.Join(doubts, "; "); f.Doubt != "" {
		f.Conclusion += "; " + f.Doubt
	}
	return nil
}

// solution is the likeliest u.
type solution struct {
	*point
	signed bool // −u fits worse
	rivals int  // how many others fit as well, but for −u
}

// search maximises the likelihood from several starts.
func (s *inversion) search(victim int, previous []float64) (*solution, error) {
	plain := *s
	plain.equations = slices.Clone(s.equations)
	for t := range plain.equations {
		plain.equations[t].kernel = nil // far from the solution determinants matter little
	}
	starts := plain.starts(victim)
	if previous != nil {
		starts = append([][]float64{previous}, starts...)
	}
	// A few steps tell which starts are worth more.
	const few, many, kept = 10, 200, 4
	tried, err := plain.descendAll(starts, few)
	if err != nil {
		return nil, err
	}
	starts = starts[:0]
	for _, p := range tried[:min(kept, len(tried))] {
		starts = append(starts, p.u)
	}
	if tried, err = plain.descendAll(starts, many); err != nil {
		return nil, err
	}
	if s.open() != "" || s.hides() && plain.residual(tried[0]) > misfit {
		const first, last = 2, 40
		others, err := plain.descendAll(s.drawn(victim, first, last), many)
		if err != nil {
			return nil, err
		}
		tried = byCost(append(tried, others...))
	}
	best := tried[0]
	out := &solution{signed: true}
	opposite := append([]float64(nil), best.u...)
	num.Scale(-1, opposite)
	if mirror := plain.at(opposite, plain.means(opposite), 0); plain.alike(best, mirror) {
		out.signed = false
	} else if back, err := plain.descend(opposite, 200); err != nil {
		return nil, err
	} else if plain.alike(best, back) && distance(back.u, opposite) < 1e-4*num.Norm(opposite) {
		out.signed = false
	}
	different := [][]float64{best.u}
	for _, p := range tried[1:] {
		if !plain.alike(best, p) {
			break
		}
		fresh := true
		for _, u := range different {
			near := 1e-4 * num.Norm(u)
			mirrored := append([]float64(nil), u...)
			num.Scale(-1, mirrored)
			if distance(p.u, u) < near || !out.signed && distance(p.u, mirrored) < near {
				fresh = false
			}
		}
		if fresh {
			different = append(different, p.u)
		}
	}
	out.rivals = max(len(different)-1, plain.roots()-1) // all of the few starts may lead to one of the roots
	p, err := s.descend(best.u, 50)
	if err != nil {
		return nil, err
	}
	out.point = p
	return out, nil
}

// roots is how many vectors fit a single equation without noise; 0: it is none such.
func (s *inversion) roots() int {
	if len(s.equations) != 1 || s.kind != model.Silent {
		return 0
	}
	e := &s.equations[0]
	if e.group >= 0 || e.unknown() > 0 {
		return 0
	}
	all, exact := s.invert(e)
	if !exact {
		return 0
	}
	return len(all)
}

// descendAll descends from all starts; the best comes first.
func (s *inversion) descendAll(starts [][]float64, steps int) (all []*point, err error) {
	for _, u := range starts {
		p, err := s.descend(u, steps)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return byCost(all), nil
}

// byCost has the best first.
func byCost(all []*point) []*point {
	slices.SortStableFunc(all, func(a, b *point) int { return cmp.Compare(a.cost, b.cost) })
	return all
}

// misfit is the part of what rounds without noise say that the sample cannot leave unexplained, unless its gradients
// are so small that solves' errors are as large.
const misfit = 1e-6

// hides says whether numbers or vectors are hidden in equations without noise, so that the sample may be hard to find.
func (s *inversion) hides() bool {
	return s.kind == model.Silent && slices.ContainsFunc(s.equations, func(e condition) bool {
		return e.group >= 0 || e.unknown() > 0
	})
}

// open says why others than the sample may fit such equations, though they determine all directions of a vector that
// does.
func (s *inversion) open() string {
	switch {
	case !s.hides():
	case s.surplus() == 0:
		return "there are as many equations as unknown numbers"
	case problem.Straight(s.loss):
		return "rounds in which it is where the loss is a straight line say less"
	}
	return ""
}

func distance(x, y []float64) float64 {
	sum := 0.0
	for k := range x {
		sum += float64((x[k] - y[k]) * (x[k] - y[k]))
	}
	return math.Sqrt(sum)
}

// alike says that a point fits as well as the best one: to rounding where there
// is no noise, and otherwise with a likelihood that is not lower by more than a
// thousandth.
func (s *inversion) alike(best, p *point) bool {
	if s.kind != model.Silent {
		return p.cost-best.cost < 1e-3
	}
	return s.residual(p) < float64(10*s.residual(best))+1e-9
}

// starts are points to search from: what single rounds give, twice the rounds'
// mean (s is ½ at f·u = 0), the direction along which they vary most, zero, and
// random points of the unit ball.
func (s *inversion) starts(victim int) (all [][]float64) {
	order := make([]int, len(s.equations))
	for t := range order {
		order[t] = t
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(s.equations[b].weight,
			s.equations[a].weight)
	})
	single := 0
	mean := make([]float64, s.d)
	grouped := false
	for _, t := range order {
		e := &s.equations[t]
		if e.group >= 0 {
			grouped = true
			continue
		}
		num.Axpy(2/float64(len(s.equations)), e.target, mean)
		if e.unknown() == 0 && single < 2 {
			single++
			us, _ := s.invert(e)
			all = append(all, us...)
		}
	}
	add := func(u []float64, length float64) {
		if n := num.Norm(u); n > 0 {
			v := append([]float64(nil), u...)
			num.Scale(length/n, v)
			all = append(all, v)
		}
	}
	if n := math.Min(1, num.Norm(mean)); n > 0 {
		add(mean, n)
		add(mean, -n)
	}
	if grouped {
		for _, length := range []float64{0.3, 0.7, 1} {
			add(s.spread(), length)
			add(s.spread(), -length)
		}
	} else {
		all = append(all, make([]float64, s.d))
	}
	return append(all, s.drawn(victim, 0, 2)...)
}

// drawn are random points of the unit ball, the first-th to before the last-th.
func (s *inversion) drawn(victim, first, last int) (all [][]float64) {
	for k := first; k < last; k++ {
		stream := sim.NewStream(1, "start of an inversion", uint64(victim), uint64(len(s.equations)), uint64(k))
		u := make([]float64, s.d)
		for c := range u {
			u[c] = stream.Normal()
		}
		if n := num.Norm(u); n > 0 {
			num.Scale(num.Pow(stream.Float64(), 1/float64(s.d))/n, u)
			all = append(all, u)
		}
	}
	return all
}

// spread is the direction along which the equations that share an unknown vector
// differ most: without noise the differences are multiples of u.
func (s *inversion) spread() []float64 {
	zero := make([]float64, s.d)
	means := s.means(zero)
	var centred [][]float64
	x := make([]float64, s.d)
	longest := 0.0
	for _, e := range s.equations {
		if e.group < 0 {
			continue
		}
		c := append([]float64(nil), e.target...)
		num.Axpy(-1, means[e.group], c)
		centred = append(centred, c)
		if n := num.Norm(c); n > longest {
			longest = n
			copy(x, c)
		}
	}
	for range 50 {
		next := make([]float64, s.d)
		for _, c := range centred {
			num.Axpy(num.Dot(c, x), c, next)
		}
		n := num.Norm(next)
		if n == 0 {
			break
		}
		num.Scale(1/n, next)
		x = next
	}
	return x
}
