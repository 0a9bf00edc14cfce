// Whether every packet of a run is what the method's model says: a function of what is public, of packets before it, of
// the node's data and of noise of the declared law and stream.

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/sim"
)

// recovered is the noise that a node added in a round.
type recovered struct {
	node, round int
	noise       []float64
	law         model.Noise
}

// explainer explains the packets of runs of two worlds, one run at a time.
type explainer struct {
	*twoWorlds
	graph   *sim.Graph // of the nodes, without users
	rounds  int
	sharing model.Sharing        // nil: rows are split
	labels  model.Registering    // nil: there are no users
	solvers [2][]*problem.Solver // by world and shard, of the data's gradient; nil where users report the data
	exact   [2][]*problem.Solver // to the tolerance of the run, for what has no closed form; made when needed
	parties [2][]*adversary.SplitLikelihood
	ranges  [2][]*problem.PartySolver // for noise in the column space
	scratch *problem.Scratch
	values  []float64 // room

	stream func(seed uint64, purpose string, words ...uint64) *sim.Stream // what a node draws

	// Of the run at hand.
	*wire
	account account
	world   int
	seed    uint64
	cost    algorithms.Cost
	outages *sim.Calendar
	view    *adversary.View
	testimony
	first   map[[2]int]*packet // that carries the value of a node and round; round −1: a user's report
	noise   []recovered        // of other nodes than the weighed one; nil: it is not wanted
	own     map[int]recovered  // of that, by round, where a value is computed again to the last bit
	weighed bool               // the part's noise is in the evidence
	wanted  bool

	looked int // so many runs of each world have the noise of all nodes tested, not the audited one's alone
}

// fewest is of how many uses of noise by other nodes than the audited one the law is tested, if there are as many.
const fewest = 20000

// looked is in how many runs of each world the noise of all nodes is tested.
func looked(a *experiment.Assembly) int { return max(1, fewest/(2*max(1, a.Graph.Order()*a.Rounds))) }

// newExplainer makes one for a goroutine.
func newExplainer(w *twoWorlds) (*explainer, error) {
	a := w.assembly[0]
	x := &explainer{twoWorlds: w, graph: a.Graph, rounds: a.Rounds, looked: looked(a), stream: sim.NewStream}
	x.labels, _ = w.public.Method.(model.Registering)
	x.weighed = x.labels == nil
	if x.sharing, _ = w.public.Method.(model.Sharing); x.sharing != nil {
		return x, x.splitWorlds()
	}
	most := 0
	for world := range x.solvers {
		p := w.assembly[world].Problem
		for i := range p.Shards {
			if world == 1 && i != w.part {
				x.solvers[1] = append(x.solvers[1], x.solvers[0][i])
				continue
			}
			x.solvers[world] = append(x.solvers[world], problem.NewSolver(objectiveOf(w.public, p, i), 0))
			most = max(most, p.Shards[i].U.Len())
		}
		x.exact[world] = make([]*problem.Solver, len(p.Shards))
	}
	x.scratch = problem.NewScratch(w.public.D, most*max(1, w.public.Classes))
	x.values = make([]float64, w.public.D)
	return x, nil
}

// objectiveOf is the data part of a node's objective.
func objectiveOf(public *model.Public, p *problem.Problem, shard int) *problem.Objective {
	s := &p.Shards[shard]
	o := &problem.Objective{U: s.U, K: public.Classes, Targets: s.Targets, Weight: public.C / float64(len(s.Y)),
		Loss: public.Loss}
	if joint, ok := public.Loss.(problem.Joint); ok {
		o.Loss = joint.Of(s.Class)
	}
	return o
}

// explain says what becomes of the packets of a run; of the first runs it keeps the noise of all nodes but the audited
// one.
func (x *explainer) explain(ctx context.Context, c *wire, r run) (account, error) {
	err := x.begin(c, r)
	if err != nil {
		return nil, err
	}
	x.protocol()
	x.statements()
	if err := x.twin(ctx, r, c, x.account); err != nil {
		return nil, err
	}
	if !x.public.Timing.Lockstep {
		if err := x.instant(); err != nil {
			return nil, err
		}
	}
	if err := x.starts(); err != nil {
		return nil, err
	}
	x.goOn()
	if x.labels != nil {
		x.usersReports()
	}
	for node := range x.graph.Order() {
		switch hub := x.public.Hub && node == 0; {
		case hub && x.sharing != nil:
			err = x.sharingHub()
		case hub:
			err = x.hub()
		case x.sharing != nil:
			err = x.party(node - 1)
		default:
			err = x.node(node)
		}
		var missing *model.Missing
		if errors.As(err, &missing) && !x.account.explained() {
			continue // for want of a packet, of which is told
		}
		if err != nil {
			return nil, err
		}
	}
	x.records()
	x.account.blinded()
	return x.account, nil
}

// begin has the run at hand be another.
func (x *explainer) begin(c *wire, r run) (err error) {
	x.wire, x.world, x.seed, x.wanted = c, r.world, r.seed, r.number < x.looked
	x.account, x.first, x.noise, x.own = account{}, make(map[[2]int]*packet), nil, map[int]recovered{}
	if x.cost, err = x.e.Compute.Of(r.seed, x.graph.Order()); err != nil {
		return err
	}
	own := *x.assembly[r.world]
	own.Seed = r.seed
	if x.outages, err = x.e.Calendar(&own); err != nil {
		return err
	}
	x.testify()
	return nil
}

// start is the value of round 0 of a node.
func (x *explainer) start(node int) []float64 {
	if x.sharing != nil {
		return make([]float64, 2*x.public.Rows)
	}
	return x.e.Algorithm.Init.Start(x.seed, node, x.public.D)
}

// starts checks round 0, and puts what was sent, or is public, before the model.
func (x *explainer) starts() error {
	var iterates []record.Iterate
	for i := range x.packets {
		if p := &x.packets[i]; x.first[[2]int{p.from, p.round}] == p && !x.liars().Lies(p.from) {
			iterates = append(iterates, record.Iterate{Node: int32(p.from), Round: int32(p.round),
				Values: x.payloads[p.payload]})
		}
	}
	for at, own := range x.held {
		iterates = append(iterates, record.Iterate{Node: int32(at[0]), Round: int32(at[1]), Values: own})
	}
	for node := range x.graph.Order() {
		sent, p := x.valueOf(node, 0)
		if sent == nil {
			if x.sharing == nil { // a client sends no start
				iterates = append(iterates, record.Iterate{Node: int32(node), Values: x.start(node)})
			}
			continue
		}
		want := x.start(node)
		x.account.same(record.StartIsPublic, sameBits(sent, want), p, func() string {
			return fmt.Sprintf("it is another vector, of norm %.3g, than the start, of norm %.3g", num.Norm(sent),
				num.Norm(want))
		})
	}
	if x.public.Timing.Lockstep {
		x.view = adversary.Overheard(x.public, nil, iterates).Among(x.lies())
		return nil
	}
	faults, err := x.interrupted()
	if err != nil {
		return err
	}
	x.view = adversary.Attested(x.public, iterates, x.withSilence(x.messages()), clock{x}, faults).Among(x.lies())
	return nil
}

// records checks what nodes report of themselves against what they sent.
func (x *explainer) records() {
	for i := range x.published {
		r := &x.published[i]
		if x.liars().Lies(int(r.Node)) {
			continue // what it sent is checked by itself
		}
		p := x.first[[2]int{int(r.Node), int(r.Round)}]
		var sent []float64
		switch {
		case p != nil:
			sent = x.payloads[p.payload]
		case r.Round == 0 && x.sharing == nil:
			sent = x.start(int(r.Node))
		default:
			continue // of a packet that is missing is told
		}
		x.account.same(record.RecordAsSent, sameBits(sent, r.Values), p, func() string {
			return "the node reports another vector than it sent"
		})
	}
}

// rounding is a few roundings of numbers of a size, in sums that grow with the rounds.
func (x *explainer) rounding(size float64) float64 {
	return float64(float64(16+x.rounds) * 0x1p-50 * size)
}

// drawn is the noise that a node's stream holds for a round.
func (x *explainer) drawn(shard, round int, law model.Noise, d int) []float64 {
	if law.Kind == model.Silent {
		return make([]float64, d)
	}
	return x.drawAgain(shard, round, law, d)
}

// hands are what a node's steps are computed again with, in one run: the solver goes from step to step as the node's.
type hands struct {
	*explainer
	shard  int
	solver *problem.Solver
	linear [][]float64
}

func (h *hands) Gradient(f, out []float64) { h.solver.Gradient(h.scratch, f, out) }

func (h *hands) Minimise(f, q []float64, kappa float64) error {
	_, err := h.solver.Solve(h.scratch, f, q, kappa)
	return err
}

func (h *hands) Draw(t int, law model.Noise) []float64 { return h.drawn(h.shard, t, law, h.public.D) }

func (h *hands) Linear() [][]float64 { return h.linear }

// again checks that a value is what is computed again: what is left of the step's condition within the solver's
// tolerance, or in the last digits, has room for a message.
func (x *explainer) again(compute func(t int) ([]float64, error), t int, sent []float64, p *packet) (bool, error) {
	want, err := compute(t)
	var missed *problem.ResidualError
	if errors.As(err, &missed) { // the node's own solve would have ended the run: it starts from what was sent
		want, err = nil, nil
	}
	if err != nil {
		return false, err
	}
	return x.account.same(record.StepsRepeat, sameBits(sent, want), p, func() string {
		if want == nil {
			return "with what was sent before, the step cannot be computed"
		}
		num.Axpy(-1, sent, want)
		return fmt.Sprintf("it is off by %.3g, of a norm of %.3g, from the step and the noise computed again, of "+
			"which not a bit may differ", num.Norm(want), num.Norm(sent))
	}), nil
}

// node explains the values of a node that has rows.
func (x *explainer) node(node int) error {
	shard := node - x.assembly[x.world].First()
	size := x.assembly[x.world].Problem.Shards[shard].U.Len()
	round, err := model.Steps(x.public, x.view, node, size)
	if err != nil {
		return err
	}
	data := &nodesData{solver: x.solvers[x.world][shard]}
	if x.labels != nil {
		if data, err = x.reported(shard); err != nil {
			return err
		}
	}
	by := &hands{explainer: x, shard: shard, solver: data.own, linear: data.terms}
	if by.solver == nil {
		by.solver = x.assembly[x.world].Problem.NewSolver(shard, x.public.Tolerance)
	}
	again, err := model.Again(x.public, x.view, node, size, by)
	if err != nil {
		return err
	}
	var recycled func(t int) ([]float64, error)
	for t := 1; t <= x.rounds; t++ {
		sent, p := x.valueOf(node, t)
		if sent == nil {
			continue // of which is told
		}
		g, err := round(t)
		if errors.Is(err, model.ErrIdle) {
			if recycled == nil {
				if recycled = again; !x.averages() {
					if recycled, err = x.view.Recycled(node); err != nil {
						return err
					}
				}
			}
			want, err := recycled(t)
			if err != nil {
				return err
			}
			x.account.same(record.IdleRounds, sameBits(sent, want), p, func() string {
				num.Axpy(-1, sent, want)
				return fmt.Sprintf("it is off by %.3g, of an iterate of norm %.3g, from what follows from messages "+
					"before it, which has no noise and is computed to the last bit", num.Norm(want), num.Norm(sent))
			})
			continue
		}
		if err != nil {
			return err
		}
		if g.Offset > 0 && x.labels == nil || g.Nuisance != nil {
			return errors.New("the explanation needs every parameter, and the rounds from the first on")
		}
		repeats, err := x.again(again, t, sent, p)
		if err != nil {
			return err
		}
		if err := x.step(data, g, node, shard, p, repeats); err != nil {
			return err
		}
	}
	return nil
}

// averages says whether idle rounds are averages of neighbours' values.
func (x *explainer) averages() bool {
	_, ok := x.public.Method.(model.Gossiping)
	return ok
}

// nodesData is what a node computes from: rows, or what its users reported.
type nodesData struct {
	solver *problem.Solver // of the gradient of the rows
	exact  *problem.Solver // of minimisers; nil: that of the explainer
	linear []float64       // of the objective, besides the step's; nil: none

	own   *problem.Solver // as a server's, of steps computed again; nil: of the shard's rows
	terms [][]float64     // of which linear is the sum, to the last bit
}

// step explains a round that touches data. With q the step's linear term, as messages tell it, κ its quadratic one and
// ν the noise that the stream holds, what is left of the node's condition
//
//	∇(f) + q + ν + κf = 0              noise in the objective: f was sent
//	∇(v − ε) + q + κ(v − ε) = 0        noise on the minimiser: v was sent
//	∇(f before) − ν − Value = 0        noise on an explicit step
//
// must be no more than what the solver leaves by its tolerance, and rounding.
func (x *explainer) step(data *nodesData, g *model.Gradient, node, shard int, p *packet, repeats bool) error {
	d := len(g.At)
	onOutput := g.Place == model.OnOutput || g.Place == model.InStep && !g.Explicit
	law := g.Noise
	if onOutput && law.Kind != model.Silent {
		law = law.Over(g.Ridge)
	}
	noise := x.drawn(shard, g.Round, law, d)
	q := make([]float64, d) // with the noise in the objective, where that is its place
	for k := range q {
		q[k] = -g.Value[k] - float64(g.Ridge*g.At[k])
	}
	if data.linear != nil {
		num.Axpy(1, data.linear, q)
	}
	f := g.At
	length := num.Norm(noise)
	switch {
	case g.Explicit:
	case onOutput:
		f = slices.Clone(g.At)
		num.Axpy(-1, noise, f)
		length *= g.Ridge
	default:
		num.Axpy(1, noise, q)
	}
	scale := max(1, num.Norm(q))
	allowed := x.rounding(g.Size + length + x.public.C + float64(g.Ridge*num.Norm(f)) + scale)
	var off float64
	switch {
	case g.Explicit:
		data.solver.Gradient(x.scratch, g.At, x.values)
		rest := x.values
		num.Axpy(-1, g.Value, rest)
		num.Axpy(-1, noise, rest)
		off = num.Norm(rest)
	case g.Projected > 0 || x.public.NonSmooth != nil:
		found, err := x.minimiser(data, shard, q, g.Ridge, f)
		if err != nil {
			return err
		}
		if onOutput {
			num.Axpy(1, noise, found)
		}
		if norm := num.Norm(found); g.Projected > 0 && norm > g.Projected {
			num.Scale(g.Projected/norm, found)
		}
		num.Axpy(-1, g.At, found)
		off = g.Ridge * num.Norm(found)
		allowed += float64(2 * x.public.SolverTolerance() * scale) // both are minimisers to the tolerance
	default:
		data.solver.Gradient(x.scratch, f, x.values)
		rest := x.values
		num.Axpy(1, q, rest)
		num.Axpy(g.Ridge, f, rest)
		off = num.Norm(rest)
		allowed += float64(x.public.SolverTolerance() * scale)
	}
	fits := x.account.hold(record.NoiseFromStream, off, allowed, length, p, func() string {
		return fmt.Sprintf("what is left of the step's condition, with the noise that the stream holds, has norm "+
			"%.3g, where rounding and solves leave at most %.3g: the noise is scaled, reused or misplaced, or the "+
			"step is not the one the method prescribes", off, allowed)
	})
	switch weighed := shard == x.part && x.weighed; {
	case weighed && repeats && law.Kind != model.Silent: // every digit of it is known
		x.own[g.Round] = recovered{node, g.Round, noise, law}
		return nil
	case weighed || !x.wanted || law.Kind == model.Silent:
		return nil
	}
	if !fits {
		if err := x.recover(data, g, shard, q, noise, onOutput); err != nil {
			return err
		}
	}
	x.noise = append(x.noise, recovered{node, g.Round, noise, law})
	return nil
}

// recover replaces the noise that was drawn by that which the value shows.
func (x *explainer) recover(data *nodesData, g *model.Gradient, shard int, q, noise []float64, onOutput bool) error {
	switch {
	case onOutput:
		found, err := x.minimiser(data, shard, q, g.Ridge, make([]float64, len(q)))
		if err != nil {
			return err
		}
		copy(noise, g.At)
		num.Axpy(-1, found, noise)
	case g.Explicit:
		data.solver.Gradient(x.scratch, g.At, noise)
		num.Axpy(-1, g.Value, noise)
	default:
		data.solver.Gradient(x.scratch, g.At, x.values)
		copy(noise, g.Value)
		num.Axpy(-1, x.values, noise)
	}
	return nil
}

// minimiser is that of a node's objective with a linear and a quadratic term, from a warm start.
func (x *explainer) minimiser(data *nodesData, shard int, q []float64, ridge float64, start []float64) ([]float64,
	error) {
	r := x.assembly[x.world].Problem.R[shard]
	s := data.exact
	if s == nil {
		exact := x.exact[x.world]
		if exact[shard] == nil {
			o := objectiveOf(x.public, x.assembly[x.world].Problem, shard)
			o.Ridge, o.NonSmooth = r, x.public.NonSmooth
			exact[shard] = problem.NewSolver(o, x.public.SolverTolerance())
		}
		s = exact[shard]
	}
	found := slices.Clone(start)
	_, err := s.Solve(x.scratch, found, q, ridge-r)
	var missed *problem.ResidualError
	if errors.As(err, &missed) {
		return found, nil // as far as it goes: it will not fit, or it does
	}
	return found, err
}

// hub explains the messages of a hub without data.
func (x *explainer) hub() error {
	m, ok := x.public.Method.(model.Merging)
	if !ok {
		return fmt.Errorf("the model of method %s does not say what its hub sends", x.public.Name)
	}
	merged := m.Merge(x.public, x.view)
	for t := 1; t <= x.rounds; t++ {
		p := x.first[[2]int{0, t}]
		if p == nil {
			continue
		}
		want, _, err := merged(t)
		if err != nil {
			return err
		}
		sent := x.payloads[p.payload]
		x.account.same(record.HubFollows, sameBits(sent, want), p, func() string {
			num.Axpy(-1, sent, want)
			return fmt.Sprintf("it is off by %.3g from what follows from the clients' messages, to the last bit",
				num.Norm(want))
		})
	}
	return nil
}

// reportOf is what a user reports: its row, and its label as its stream flips it.
func (x *explainer) reportOf(shard, row int) (report []float64, flip bool, chance float64) {
	s := &x.assembly[x.world].Problem.Shards[shard]
	d := x.public.D
	y := s.Y[row]
	report = make([]float64, d+1, d+2)
	cols, vals := s.U.Row(row)
	for k, c := range cols {
		report[c] = y * vals[k]
	}
	epsilon := x.labels.Budget(x.assembly[0].Seed, shard, row)
	if !math.IsInf(epsilon, 1) {
		chance = 1 / (1 + num.Exp(epsilon))
		flip = x.stream(x.seed, "label", uint64(shard), uint64(row)).Float64() < chance
		if flip {
			y = -y
		}
		if math.IsNaN(x.labels.LabelEpsilon(nil)) { // users have their own, and say which
			report = append(report, 0)
			report[d+1] = epsilon
		}
	}
	report[d] = y
	return report, flip, chance
}

// usersReports explains what users report.
func (x *explainer) usersReports() {
	user := x.graph.Order()
	for shard := range x.assembly[x.world].Problem.Shards {
		for row := range x.assembly[x.world].Problem.Shards[shard].Y {
			if p := x.first[[2]int{user, -1}]; p != nil {
				want, _, _ := x.reportOf(shard, row)
				sent := x.payloads[p.payload]
				x.account.same(record.ReportsFollow, sameBits(sent, want), p, func() string {
					return difference(sent, want, x.public.D)
				})
				if own, ok := x.reports[user]; ok {
					x.account.same(record.RecordAsSent, sameBits(sent, own), p, func() string {
						return "the user says that it reported something else"
					})
				}
			}
			user++
		}
	}
}

// difference says in what a report differs from what it should be.
func difference(sent, want []float64, d int) string {
	switch {
	case len(sent) != len(want):
		return fmt.Sprintf("it has %d numbers, and should have %d", len(sent), len(want))
	case !sameBits(sent[:d], want[:d]):
		return "it has other columns than the user's row"
	case sent[d] != want[d]:
		return "its label is not the one that the user's stream makes of the true one"
	}
	return "it says another ε than the user's"
}

// reported is what a server computes from, of the reports that it got.
func (x *explainer) reported(shard int) (*nodesData, error) {
	a := x.assembly[x.world]
	user := a.Graph.Order()
	for i := range shard {
		user += len(a.Problem.Shards[i].Y)
	}
	var reports [][]float64
	for k := range a.Problem.Shards[shard].Y {
		p := x.first[[2]int{user + k, -1}]
		if p == nil || len(x.payloads[p.payload]) < x.public.D+1 {
			return nil, model.NotSeen("the report of user %d", user+k)
		}
		reports = append(reports, x.payloads[p.payload])
	}
	return x.dataOf(shard, reports), nil
}

// dataOf is what a server computes from: the rows of its reports with the labels there, the linear term of the debiased
// loss, and the vector drawn once.
func (x *explainer) dataOf(shard int, reports [][]float64) *nodesData {
	d := x.public.D
	u := problem.NewRows(d)
	linear := make([]float64, d)
	weight := x.public.C / float64(len(reports))
	alike := !math.IsNaN(x.labels.LabelEpsilon(nil)) // the method's operations, in its order
	for _, report := range reports {
		var cols []int32
		var vals []float64
		for c, v := range report[:d] {
			if v != 0 {
				cols, vals = append(cols, int32(c)), append(vals, report[d]*v)
			}
		}
		u.Append(cols, vals)
		pull := report[d]
		if !alike {
			pull *= x.labels.Debias(report)
		}
		num.Axpy(pull, report[:d], linear)
	}
	scale := weight
	if alike {
		scale *= x.labels.Debias(nil)
	}
	num.Scale(-scale, linear)
	fixed := make([]float64, d)
	if m, ok := x.public.Method.(model.FixedNoise); ok {
		if radius, cube := m.FixedLaw(); radius > 0 {
			s := x.stream(x.seed, "objective noise", uint64(shard), 0)
			if cube {
				privacy.Cube(s, radius, fixed)
			} else {
				privacy.Ball(s, radius, fixed)
			}
			num.Scale(1/float64(x.graph.Order()), fixed)
		}
	}
	terms := [][]float64{linear, fixed}
	linear = slices.Clone(linear)
	num.Axpy(1, fixed, linear)
	o := problem.Objective{U: u, Weight: weight, Loss: x.public.Loss}
	ridged := o
	ridged.Ridge, ridged.NonSmooth = x.assembly[x.world].Problem.R[shard], x.public.NonSmooth
	return &nodesData{solver: problem.NewSolver(&o, 0), linear: linear, terms: terms,
		exact: problem.NewSolver(&ridged, x.public.SolverTolerance()),
		own:   problem.NewSolver(&ridged, x.public.Tolerance)}
}
