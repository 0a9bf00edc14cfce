// The most that any trace tells about any row: the supremum of the loss whose value on one trace and one pair of rows
// is a Likelihood's (docs/mathematics.md §5.10).

package adversary

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// Row is what may stand in the place of a node's row.
type Row struct {
	U []float64 // y·x of a class y, or x where rows have targets; of norm 1 at most
	T float64   // the target
}

// Witness is a pair of rows, and a trace of positive density that tells them apart.
type Witness struct {
	Pair  [2]Row
	Trace []record.Iterate // what every node publishes in every round
}

// Peak is the most that one round tells.
type Peak struct {
	Round int
	Bound float64 // no trace and no pair of rows of norm 1 loses more
	Found float64 // what a trace and a pair do lose
}

// Worst is what Search finds. Of normal noise whose mean is what the rows shift, losses have no supremum, and the
// bounds and what was found are the shift in standard deviations: given what came before, a round is N(shift, 1)
// against N(0, 1), and so is a run, with the root of the sum of the squares for its shift.
type Worst struct {
	Normal bool    // so it is here
	Rounds []Peak  // of the rounds that touch data
	Bound  float64 // of the run: the sum over rounds
	Found  float64 // what Run loses
	Run    Witness
	First  *Witness // of round 1 alone, where a start that is known ties its trace; else nil
}

// searchRounds is how many rounds a witness may have: that it is written takes their square.
const searchRounds = 400

// Search maximises the loss of a node's rounds and of its run, over all traces of positive density and all pairs of
// rows that may stand in the place of one of its rows. The bounds are closed forms; the traces come as near to them as
// the numbers allow. An error says why nothing is searched.
func Search(p *model.Public, node int, own *Samples, row int, seed uint64) (*Worst, error) {
	switch {
	case !p.Timing.Lockstep:
		return nil, errors.New("asynchronous rounds, or rounds.missing: last: no trace is searched, as what enters " +
			"an update depends on when packets come")
	case p.Classes > 0:
		return nil, errors.New("rows have one of several classes")
	case p.NonSmooth != nil && !p.NonSmooth.Set.All():
		return nil, errors.New("a set holds the minimisers (problem.set), and whether one in it loses what none " +
			"exceeds depends on where it ends")
	case !problem.Bounded(p.Loss):
		return nil, errors.New("the loss's slope has no bound, and so has no loss of a trace")
	case p.Rounds > searchRounds:
		return nil, fmt.Errorf("a run of %d rounds is longer than %d", p.Rounds, searchRounds)
	case averages(p):
		return nil, errors.New("in rounds of averaging (algorithm.averaging) nodes go on from what others sent alone")
	case len(p.Graph.Neighbours(node)) == 0:
		return nil, errors.New("the node hears nobody")
	}
	s := &search{
		public: p, node: node, neighbour: int(p.Graph.Neighbours(node)[0]), own: own, row: row,
		weight: p.C / float64(len(own.Y)), slope: p.Loss.Steepest(),
		view: &View{Public: p, Knows: new(Knowledge), values: map[[2]int][]float64{}},
	}
	for i := range p.Graph.Order() {
		for t := range p.Rounds + 1 {
			f := make([]float64, p.D)
			if p.NonSmooth != nil && t > 0 { // beside the kinks
				for k := range f {
					f[k] = 1
				}
			}
			s.view.values[[2]int{i, t}] = f
		}
	}
	all, unseen := model.Gradients(p, s.view, node, len(own.Y))
	if unseen != nil {
		return nil, unseen[0]
	}
	if len(all) == 0 {
		return nil, errors.New("no round touches data")
	}
	for k := range all {
		switch g := &all[k]; {
		case g.Offset > 0 || g.Nuisance != nil:
			return nil, errors.New("part of what the rounds have in common is not known")
		case g.Noise.Kind == model.Silent:
			return nil, ErrNoNoise
		case g.Noise.Kind == model.Gaussian && g.Implicit():
			return nil, errors.New("the noise is Gaussian and in the objective: it decides the point at which rows " +
				"shift it, so that the loss is of no known law, and some trace loses more than any number")
		case p.Hub && (!g.Explicit || g.Noise.Kind != model.Gaussian):
			return nil, errors.New("what the hub sends follows from what its clients sent, and does not steer a node")
		}
	}
	w, err := s.worst(all, seed)
	if err != nil {
		return nil, err
	}
	return w, w.confirm(p, node, s.with)
}

// confirm weighs the witnesses anew, by what nodes publish on their traces alone.
func (w *Worst) confirm(p *model.Public, node int, with func(Row) *Samples) error {
	for _, c := range []struct {
		what    string
		witness *Witness
		found   float64
	}{{"round 1", w.First, w.Rounds[0].Found}, {"the run", &w.Run, w.Found}} {
		if c.witness == nil {
			continue
		}
		public := *p
		public.Rounds = int(c.witness.Trace[len(c.witness.Trace)-1].Round)
		l, err := NewLikelihood(&public, node, with(c.witness.Pair[0]), with(c.witness.Pair[1]))
		if err != nil {
			return err
		}
		rounds, err := l.Weigh(Overheard(&public, nil, c.witness.Trace))
		if err != nil {
			return err
		}
		sum := 0.0
		for k := range rounds {
			sum = w.and(sum, lost(&rounds[k]))
		}
		if !(math.Abs(sum-c.found) <= 1e-9*math.Abs(c.found)) {
			return fmt.Errorf("the trace that was searched for %s loses %v by its density, and %v by the search, "+
				"which is a mistake in this program", c.what, sum, c.found)
		}
	}
	return nil
}

// and is what two rounds lose together.
func (w *Worst) and(a, b float64) float64 {
	if w.Normal {
		return math.Sqrt(float64(a*a) + float64(b*b))
	}
	return a + b
}

// lost is what a round loses: the shift of normal noise, or the logarithm of the ratio.
func lost(e *Evidence) float64 {
	if e.Law.Kind != model.Gaussian {
		return e.Ratio()
	}
	shift := slices.Clone(e.Noise[0])
	num.Axpy(-1, e.Noise[1], shift)
	return num.Norm(shift) / e.Law.Level
}

// search writes the trace that loses most.
type search struct {
	public    *model.Public
	node      int
	neighbour int // by whose noise the trace is steered
	own       *Samples
	row       int
	weight    float64 // C/B
	slope     float64 // the least upper bound of |L′|
	view      *View
}

// shape is of the loss of a round as a function of the margins of both rows: rate·C/B times the slopes, and the
// logarithm of 1 + bend·L″ of the first row.
type shape struct {
	rate  float64 // a round's noise rate, times C/B
	bend  float64 // C/B(r + κ), of noise in the objective; else 0
	most  float64 // the supremum
	near  float64 // the first row's margin there
	steep float64 // a margin from which on the slope is steepest and the curvature 0
}

// shapeOf is the shape of a round: of rows at angles near π, whose margins are free, the terms of both rows are apart.
// The steeper row has rate·s with s the steepest slope, and the other the greatest rate|L′(z)| + ln(1 + bend·L″(z)).
func (s *search) shapeOf(g *model.Gradient) (shape, error) {
	h := shape{rate: g.Noise.Level * s.weight}
	if g.Noise.Kind == model.Gaussian {
		h.rate = s.weight / g.Noise.Level
	}
	if g.Implicit() {
		h.bend = s.weight / g.Ridge
	}
	beyond := 1 + float64(4*s.weight/g.Ridge) // of what a minimiser moves
	if g.Explicit || !(beyond < math.Inf(1)) {
		beyond = 1
	}
	h.most = 2 * h.rate * s.slope
	switch loss := s.public.Loss.(type) {
	case problem.HuberHinge:
		h.steep, h.near = -loss.Width-beyond, 1-float64(loss.Width*inside)
	case problem.Huber:
		h.steep, h.near = -loss.Width-beyond, -loss.Width*inside
	case problem.Quantile:
		h.steep, h.near = -loss.Width-beyond, -loss.Width*inside
		if loss.Level < 0.5 {
			h.steep, h.near = -h.steep, -h.near
		}
	default:
		if loss != problem.Logistic {
			return h, errors.New("the loss is none whose slopes and curvatures are known here")
		}
		h.steep = -40 - beyond
		h.near = h.steep
		if p := logisticPeak(h.rate, h.bend); p < 1 {
			h.near = num.Log((1 - p) / p)
			h.most = float64(h.rate*(1+p)) + num.Log1p(float64(h.bend*p*(1-p)))
		}
		return h, nil
	}
	if h.bend == 0 {
		h.near = h.steep
	}
	h.most += num.Log1p(h.bend * s.public.Loss.Bound()) // where the curve begins, the slope is steepest
	return h, nil
}

// inside keeps a margin on the near side of the end of a curve.
const inside = 1 - 1e-9

// logisticPeak is the p = |L′| for which a·p + ln(1 + b·p(1 − p)) is largest, which is concave in p: 1, or where its
// derivative is 0.
func logisticPeak(a, b float64) float64 {
	if a >= b { // the derivative at 1 is a − b
		return 1
	}
	linear := float64(2*b) - float64(a*b)
	root := math.Sqrt(float64(linear*linear) + float64(4*a*b*(a+b)))
	if linear > 0 { // no cancellation
		return 2 * (a + b) / (linear + root)
	}
	return (root - linear) / (2 * a * b)
}

// free says whether a neighbour's noise can make any linear term of a round's step, and in which round it does so.
func (s *search) free(t int) (round int, ok bool) {
	for round = t - 1; round > 0 && s.idle(s.neighbour, round); round-- {
	}
	return round, round > 0 || !s.public.Zero
}

// averages says whether there are rounds in which nodes only average.
func averages(p *model.Public) bool {
	m, ok := p.Method.(model.Gossiping)
	return ok && m.Idle(2)
}

// idle says whether a node's round follows from what was sent before.
func (s *search) idle(node, t int) bool {
	m, ok := s.public.Method.(model.Recycling)
	return ok && m.Step(s.public, node, t, 0).Idle
}

// recycle writes what all nodes send in an idle round.
func (s *search) recycle(t int) error {
	m := s.public.Method.(model.Recycling)
	for i := range s.public.Graph.Order() {
		e, err := s.view.even(i, t)
		if err != nil {
			return err
		}
		eta := m.Step(s.public, i, t, 0).Eta
		f := slices.Clone(s.value(i, t-1))
		num.Axpy(-eta/(float64(2*eta*float64(s.public.Graph.Degree(i)))+m.Weight()), e.along, f)
		s.set(i, t, f)
	}
	return nil
}

// merge writes what a hub makes of what its clients send.
func (s *search) merge() error {
	if !s.public.Hub {
		return nil
	}
	m, ok := s.public.Method.(model.Merging)
	if !ok {
		return fmt.Errorf("the model of method %s does not say what its hub sends", s.public.Name)
	}
	for t := 1; t <= s.public.Rounds; t++ {
		merged := m.Merge(s.public, s.view)
		for k := 1; k <= t; k++ { // the clients' duals follow what the hub sent before
			message, _, err := merged(k)
			if err != nil {
				return err
			}
			s.set(0, k, message)
		}
	}
	return nil
}

func (s *search) value(node, t int) []float64 { return s.view.values[[2]int{node, t}] }

func (s *search) set(node, t int, f []float64) { s.view.values[[2]int{node, t}] = f }

// round is what round t tells on the trace as far as it is written.
func (s *search) round(t int) (*model.Gradient, error) {
	p := *s.public
	p.Rounds = t
	v := &View{Public: &p, Knows: s.view.Knows, values: s.view.values}
	all, unseen := model.Gradients(&p, v, s.node, len(s.own.Y))
	if unseen != nil {
		return nil, unseen[0]
	}
	return &all[len(all)-1], nil
}

// steer writes the value of a node in a round for which round t tells the gradient want, so that it says that its noise
// was 0 in the first world. The gradient is an affine function of the value, with one factor for all directions.
func (s *search) steer(t, node, round int, want []float64) error {
	at := func(x []float64) ([]float64, error) {
		s.set(node, round, x)
		for k := round + 1; k < t; k++ {
			if err := s.recycle(k); err != nil {
				return nil, err
			}
		}
		g, err := s.round(t)
		if err != nil {
			return nil, err
		}
		return g.Value, nil
	}
	x := make([]float64, s.public.D)
	before, err := at(slices.Clone(x))
	if err != nil {
		return err
	}
	for k := range x {
		x[k] = 1
	}
	after, err := at(x)
	if err != nil {
		return err
	}
	factor := 0.0
	for k := range x {
		factor += (after[k] - before[k]) / float64(len(x))
	}
	if factor == 0 || math.IsNaN(factor) {
		return fmt.Errorf("what node %d sends in round %d has no part in round %d of node %d", node, round, t, s.node)
	}
	next := make([]float64, len(x))
	for range 3 { // what rounding left is taken away
		next = slices.Clone(next)
		for k := range next {
			next[k] += (want[k] - before[k]) / factor
		}
		if before, err = at(next); err != nil {
			return err
		}
	}
	return nil
}

// with is the node's rows with another in the place of one.
func (s *search) with(r Row) *Samples {
	out := &Samples{U: problem.NewRows(s.own.U.D), Y: slices.Clone(s.own.Y), Targets: slices.Clone(s.own.Targets)}
	for n := range s.own.Y {
		if n != s.row {
			out.U.Append(s.own.U.Row(n))
			continue
		}
		var cols []int32
		var vals []float64
		for k, v := range r.U {
			if v != 0 {
				cols, vals = append(cols, int32(k)), append(vals, v)
			}
		}
		out.U.Append(cols, vals)
		out.Y[n] = 1 // rows are given as y·x
		if out.Targets != nil {
			out.Targets[n] = r.T
		}
	}
	return out
}

// worlds weighs traces by a pair.
func (s *search) worlds(pair [2]Row) (*Likelihood, error) {
	return NewLikelihood(s.public, s.node, s.with(pair[0]), s.with(pair[1]))
}

// quiet is the gradient of the first world's data, which a round tells where its noise was 0.
func (l *Likelihood) quiet(f []float64) []float64 {
	w := l.worlds[0]
	out := make([]float64, len(f))
	w.solver.Gradient(w.scratch, f, out)
	return out
}

// told is what a round tells whose noise was 0 in the first world: with noise on the minimiser it does not know how
// much of the gradient is the regulariser's.
func (l *Likelihood) told(g *model.Gradient, f []float64) []float64 {
	out := l.quiet(f)
	if g.Kinked {
		own := make([]float64, len(f))
		l.public.NonSmooth.Smooth(f, own)
		num.Axpy(1, own, out)
	}
	return out
}

// loss is that of a round whose noise was 0 in the first world, at a point.
func (l *Likelihood) loss(g *model.Gradient, f []float64) (float64, error) {
	own := *g
	own.At, own.Value = f, l.told(g, f)
	e, err := l.weigh(&own)
	if err != nil {
		return 0, err
	}
	return lost(e), nil
}

// worst searches all rounds.
func (s *search) worst(all []model.Gradient, seed uint64) (*Worst, error) {
	w := &Worst{Normal: all[0].Noise.Kind == model.Gaussian}
	var steepest, first shape
	for k := range all {
		h, err := s.shapeOf(&all[k])
		if err != nil {
			return nil, err
		}
		if k == 0 {
			first = h
		}
		if _, ok := s.free(all[k].Round); (ok || steepest.rate == 0) && h.most >= steepest.most {
			steepest = h
		}
		peak := Peak{Round: all[k].Round, Bound: h.most, Found: math.Inf(-1)}
		if s.public.D == 1 && s.own.Targets == nil {
			peak.Bound = min(peak.Bound, onLine(s.public.Loss, h))
		}
		if g := &all[k]; k == 0 && s.tied(g) && s.own.Targets == nil {
			slope := []float64{0}
			s.public.Loss.Slopes(slope, slope)
			peak.Bound = min(peak.Bound, float64(2*h.rate*math.Abs(slope[0])))
		}
		w.Rounds = append(w.Rounds, peak)
		w.Bound = w.and(w.Bound, peak.Bound)
	}
	if _, ok := s.free(all[0].Round); !ok {
		if err := s.first(w, &all[0], first); err != nil {
			return nil, err
		}
		if len(all) == 1 {
			w.Run, w.Found = *w.First, w.Rounds[0].Found
			return w, nil
		}
	}
	pair, f, err := s.far(steepest, &all[len(all)-1], seed)
	if err != nil {
		return nil, err
	}
	return w, s.write(w, all, pair, f)
}

// tied says whether a round's gradient is taken at the start, which is 0.
func (s *search) tied(g *model.Gradient) bool { return g.Explicit && g.Round == 1 && s.public.Zero }

// far is a pair of rows that are nearly opposed, and a point far from 0 at which both have the margins that lose most,
// and all other rows none to speak of.
func (s *search) far(h shape, g *model.Gradient, seed uint64) (pair [2]Row, f []float64, err error) {
	d := s.public.D
	f = make([]float64, d)
	if d == 1 && s.own.Targets == nil {
		return s.line(h, g)
	}
	u, v := s.axes(seed)
	against := slices.Clone(u)
	num.Scale(-1, against)
	const far, sin = 1e5, 1e-3
	switch {
	case s.own.Targets != nil:
		num.Axpy(far, v, f)
		at := num.Dot(u, f)
		return [2]Row{{u, at - h.near}, {against, -at - h.steep}}, f, nil
	default:
		// Both are on the wrong side at once, as the second leans towards v and the point is far along −v.
		cos := math.Sqrt(1 - sin*sin)
		num.Scale(cos, against)
		num.Axpy(sin, v, against)
		num.Axpy(h.near, u, f)
		num.Axpy((h.steep+float64(cos*h.near))/sin, v, f)
		return [2]Row{{U: u}, {U: against}}, f, nil
	}
}

// axes are two unit vectors at a right angle, the second such that few rows are at a right angle to it; with one column
// they are the same.
func (s *search) axes(seed uint64) (u, v []float64) {
	d := s.public.D
	if d == 1 {
		return []float64{1}, []float64{1}
	}
	most := -1.0
	for k := range 8 {
		stream := sim.NewStream(seed, "witness", uint64(k))
		try := make([]float64, d)
		for i := range try {
			try[i] = stream.Normal()
		}
		num.Scale(1/num.Norm(try), try)
		least := math.Inf(1)
		for n := range s.own.Y {
			if _, vals := s.own.U.Row(n); n != s.row && num.Norm(vals) > 0 {
				least = min(least, math.Abs(s.own.U.Dot(n, try)))
			}
		}
		if least > most {
			most, v = least, try
		}
	}
	return across(v), v
}

// across is a unit vector at a right angle to one.
func across(v []float64) []float64 {
	small := 0
	for k := range v {
		if math.Abs(v[k]) < math.Abs(v[small]) {
			small = k
		}
	}
	u := make([]float64, len(v))
	u[small] = 1
	num.Axpy(-v[small], v, u)
	num.Scale(1/num.Norm(u), u)
	return u
}

// line searches rows of one column.
func (s *search) line(h shape, g *model.Gradient) (pair [2]Row, f []float64, err error) {
	value := func(x []float64) (float64, error) {
		l, err := s.worlds([2]Row{{U: x[:1]}, {U: x[1:2]}})
		if err != nil {
			return 0, err
		}
		return l.loss(g, x[2:])
	}
	clip := func(x []float64) {
		for k := range 2 {
			x[k] = max(-1, min(1, x[k]))
		}
	}
	var starts [][]float64
	for _, z := range []float64{0.1, 1, 4, -h.steep} {
		for _, other := range []float64{-1, -0.3, 0, 0.3} {
			starts = append(starts, []float64{-1, other, z})
		}
	}
	best, _, err := climb(starts, 0.5, clip, value)
	if err != nil {
		return pair, nil, err
	}
	return [2]Row{{U: best[:1]}, {U: best[1:2]}}, best[2:], nil
}

// climb improves the best of some starts by steps along each coordinate that shrink.
func climb(starts [][]float64, step float64, clip func([]float64),
	value func([]float64) (float64, error)) (best []float64, most float64, err error) {
	most = math.Inf(-1)
	for _, x := range starts {
		clip(x)
		v, err := value(x)
		if err != nil {
			return nil, 0, err
		}
		if v > most {
			best, most = x, v
		}
	}
	if best == nil {
		return nil, 0, errors.New("numbers of this size leave the loss of a trace no value")
	}
	for ; step > 1e-4; step /= 2 {
		for moved, tries := true, 0; moved && tries < 20; tries++ {
			moved = false
			for k := range best {
				for _, way := range []float64{step, -step} {
					x := slices.Clone(best)
					x[k] += way
					clip(x)
					v, err := value(x)
					if err != nil {
						return nil, 0, err
					}
					if v > most {
						best, most, moved = x, v, true
					}
				}
			}
		}
	}
	return best, most, nil
}

// first searches round 1 where what enters it is known: the noise decides both the point and the gradient. Pairs are
// tried in a plane, each where the noise of the first world was 0, so that the whole difference of the
// gradients shows, or near there.
func (s *search) first(w *Worst, g *model.Gradient, h shape) error {
	d := s.public.D
	var axis, other []float64
	pairOf := func(x []float64) [2]Row { // x[k] is the tangent of half of a row's angle to −axis
		var pair [2]Row
		for k, sign := range []float64{1, -1} {
			u := make([]float64, d)
			square := float64(x[k] * x[k])
			num.Axpy((square-1)/(1+square), axis, u)
			num.Axpy(2*sign*x[k]/(1+square), other, u)
			pair[k].U = u
		}
		if s.own.Targets != nil { // both far from any prediction, on one side
			pair[0].T, pair[1].T = -1e6*h.steep, -1e6*h.steep
		}
		return pair
	}
	point := func(l *Likelihood, x []float64) ([]float64, error) {
		f := make([]float64, d)
		if g.Explicit {
			return f, nil
		}
		err := l.worlds[0].minimiser(g, f)
		if g.Implicit() { // other noise makes another point
			num.Axpy(x[2], axis, f)
			num.Axpy(x[3], other, f)
		}
		return f, err
	}
	axis, other = make([]float64, d), make([]float64, d)
	l, err := s.worlds([2]Row{{U: axis}, {U: axis}})
	if err != nil {
		return err
	}
	if axis, err = point(l, make([]float64, 4)); err != nil {
		return err
	}
	if n := num.Norm(axis); n > 0 {
		num.Scale(1/n, axis)
	} else {
		axis[0] = 1
	}
	if d > 1 {
		other = across(axis)
	}
	at := func(x []float64) (l *Likelihood, own model.Gradient, err error) {
		if l, err = s.worlds(pairOf(x)); err != nil {
			return nil, own, err
		}
		own = *g
		if own.At, err = point(l, x); err != nil {
			return nil, own, err
		}
		if g.Explicit {
			own.Value = l.quiet(own.At)
			return l, own, nil
		}
		own.Value = slices.Clone(g.Value) // whatever the noise is, −q stays
		num.Axpy(g.Ridge, g.At, own.Value)
		num.Axpy(-g.Ridge, own.At, own.Value)
		if h := s.public.NonSmooth; h != nil && g.Implicit() {
			before, now := make([]float64, d), make([]float64, d)
			if !h.Smooth(g.At, before) || !h.Smooth(own.At, now) {
				own.Value = nil // at a kink, where there is no density
				return l, own, nil
			}
			num.Axpy(1, before, own.Value)
			num.Axpy(-1, now, own.Value)
		}
		return l, own, nil
	}
	value := func(x []float64) (float64, error) {
		l, own, err := at(x)
		if err != nil {
			return 0, err
		}
		if own.Value == nil {
			return math.Inf(-1), nil
		}
		e, err := l.weigh(&own)
		if err != nil {
			return 0, err
		}
		return lost(e), nil
	}
	// Near the minimiser both rows are on the wrong side; far from it, where the noise is long, one row is on the
	// right side and near a right angle, or short, so that its margin is small.
	far := []float64{0}
	if g.Implicit() {
		far = []float64{0, 2, 4, 8}
	}
	var starts [][]float64
	for _, a := range []float64{0, 0.4, 1, 1.3} {
		for _, b := range []float64{0, 0.4, 1, 1.3, 10} {
			for _, f := range far {
				starts = append(starts, []float64{a, b, f, 0}, []float64{a, b, -f, 0})
			}
		}
	}
	best, _, err := climb(starts, 0.2, func([]float64) {}, value)
	if err != nil {
		return err
	}
	l, own, err := at(best)
	if err != nil {
		return err
	}
	pair, f := pairOf(best), own.At
	if g.Explicit { // what is published is the step, which the noise of 0 decides
		if err := s.steer(g.Round, s.node, g.Round, l.quiet(f)); err != nil {
			return err
		}
	} else {
		s.set(s.node, g.Round, f)
	}
	if err := s.merge(); err != nil {
		return err
	}
	seen, err := s.round(g.Round)
	if err != nil {
		return err
	}
	e, err := l.weigh(seen)
	if err != nil {
		return err
	}
	w.Rounds[0].Found = lost(e)
	w.First = &Witness{pair, s.trace(g.Round)}
	return nil
}

// write writes the trace on which a node is at a point in every round that touches data, and all that it heard such
// that its noise in the first world was 0.
func (s *search) write(w *Worst, all []model.Gradient, pair [2]Row, f []float64) error {
	l, err := s.worlds(pair)
	if err != nil {
		return err
	}
	want := l.told(&all[len(all)-1], f)
	if !s.public.Zero {
		s.set(s.node, 0, f)
	}
	for t := 1; t <= s.public.Rounds; t++ {
		if s.idle(s.node, t) {
			if err := s.recycle(t); err != nil {
				return err
			}
			continue
		}
		s.set(s.node, t, f)
		round, ok := s.free(t)
		switch {
		case s.public.Hub:
			continue // the node's own value decides where the gradient is taken, and by how much rows shift the noise
		case ok:
			if err := s.steer(t, s.neighbour, round, want); err != nil {
				return err
			}
			continue
		}
		g, err := s.round(t)
		if err != nil {
			return err
		}
		if !g.Explicit { // the start decides what enters, and the point is that of noise 0
			quiet := make([]float64, len(f))
			if err := l.worlds[0].minimiser(g, quiet); err != nil {
				return err
			}
			if h := s.public.NonSmooth; h == nil || !g.Implicit() || h.Smooth(quiet, nil) {
				s.set(s.node, t, quiet)
			}
		}
	}
	if err := s.merge(); err != nil {
		return err
	}
	rounds, err := l.Weigh(s.view)
	if err != nil {
		return err
	}
	w.Run = Witness{pair, s.trace(s.public.Rounds)}
	for k := range rounds {
		found := lost(&rounds[k])
		w.Found = w.and(w.Found, found)
		if found > w.Rounds[k].Found {
			w.Rounds[k].Found = found
			if k == 0 && w.First != nil {
				w.First = &Witness{pair, s.trace(rounds[0].Round)}
			}
		}
	}
	return nil
}

// trace is what is written up to a round.
func (s *search) trace(last int) []record.Iterate {
	var all []record.Iterate
	for at, f := range s.view.values {
		if at[1] <= last {
			all = append(all, record.Iterate{Node: int32(at[0]), Round: int32(at[1]), Values: slices.Clone(f)})
		}
	}
	slices.SortFunc(all, func(a, b record.Iterate) int {
		return cmp.Or(cmp.Compare(a.Round, b.Round), cmp.Compare(a.Node, b.Node))
	})
	return all
}
