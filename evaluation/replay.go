// What a recorded run did, worked out again from its record, for whoever looks at it: which values entered which
// updates, and the loss of every value on the rows of its node.

package evaluation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// Inputs tells which rounds of the neighbours' values entered a node's update of a round, by position of the
// neighbour; of one of whom nothing had come it is −1, and zeros enter. The error says why it cannot be told.
type Inputs func(node, round int) ([]int, error)

// InputsOf reads which values entered the updates of a recorded run: by the rule by which its nodes went on, which is
// carried out again on the record of its packets and steps.
func InputsOf(r *record.Run) (Inputs, error) { return inputsOf(r, true) }

// inputsOf is InputsOf; else, a start of zero may count as none, to which it is equal, and more is known.
func inputsOf(r *record.Run, starts bool) (Inputs, error) {
	s, err := scenarioOf(r)
	if err != nil {
		return nil, err
	}
	if s.Problem.Columns != nil {
		return nil, errors.New("columns are split: every round, the hub takes what all parties have sent, and they " +
			"take what it sends")
	}
	params, err := played(s, r.Info)
	if err != nil {
		return nil, err
	}
	public, err := publicOf(s, r.Info.Seed, r.Info.Columns, len(r.Info.Classes), 0, params)
	if err != nil {
		return nil, err
	}
	if public.Timing.Lockstep {
		return adversary.Overheard(public, nil, nil).Inputs, nil
	}
	messages, err := readMessages(r)
	if err != nil {
		return nil, err
	}
	steps := map[[2]int]record.Step{}
	err = r.Steps(func(s record.Step) error { steps[[2]int{int(s.Node), int(s.Round)}] = s; return nil })
	if err != nil {
		return nil, err
	}
	if len(steps) == 0 {
		return nil, fmt.Errorf("%s has no steps, which tell when updates began", r.Dir)
	}
	heard, err := newHearing(s, r.Info.Seed, messages)
	if err != nil {
		return nil, err
	}
	heard.steps, heard.public = steps, public
	heard.part()
	view := adversary.Attested(public, nil, messages, stepClock(steps), &adversary.Interruptions{
		Began: func(node, round int) (int64, bool) {
			step, ok := steps[[2]int{node, round}]
			return step.BeganNS, ok
		},
		In: func(node int, from, until int64) bool {
			return slices.ContainsFunc(heard.outages[node], func(o sim.Outage) bool {
				return int64(o.From) <= until && int64(o.To) >= from
			})
		},
	})
	return func(node, round int) ([]int, error) {
		step, ok := steps[[2]int{node, round}]
		if ok && heard.parted[node] <= step.BeganNS {
			return nil, model.NotSeen("which values entered the update of node %d, round %d: a neighbour had left by "+
				"then, or was taken to have", node, round)
		}
		if ok && heard.cameUp(step) && heard.at(step) > 0 {
			return nil, model.NotSeen("which values entered the update of node %d, round %d, that came as it came up",
				node, round)
		}
		if ok && heard.since(step) >= 0 { // the rule knows of no memory that was lost
			if public.Timing.Barrier {
				return nil, model.NotSeen("which values entered the update of node %d, round %d: it had lost its "+
					"memory, and goes on without values that do not come", node, round)
			}
			return heard.by(step)
		}
		inputs, unknown := view.Inputs(node, round)
		switch {
		case !ok:
			return inputs, unknown
		case unknown == nil && starts:
			return heard.started(step, inputs, view)
		case unknown == nil || public.Timing.Barrier:
			return inputs, unknown
		}
		return heard.by(step)
	}, nil
}

// stepClock is the clock of a run's steps, by node and round: nothing that falls due waits.
type stepClock map[[2]int]record.Step

func (r stepClock) Took(node, round int, _ int64) sim.Duration {
	s := r[[2]int{node, round}]
	return sim.Duration(s.EndedNS - s.BeganNS)
}

func (stepClock) Due(_ int, at int64) (int64, bool, bool) { return at, false, true }

// hearing is what nodes without rounds in lockstep had heard by when. Where a crash breaks the rule by which a node
// goes on, it says what entered its updates: of every neighbour, the latest round that had come since the node last
// lost its memory.
type hearing struct {
	graph    *sim.Graph
	arrivals [][]record.Message // of values, by receiver, in order of arrival
	starts   map[[2]int32]int64 // when the value of round 0 came first, by receiver and sender
	leaves   [][]int64          // when the word that a neighbour leaves came, by receiver
	outages  [][]sim.Outage
	steps    map[[2]int]record.Step
	parted   []int64 // from when on a neighbour may be taken to have left, by receiver
	public   *model.Public
}

func newHearing(s *scenarios.Scenario, seed uint64, messages []record.Message) (*hearing, error) {
	g, sites, err := s.Network.Lay(seed)
	if err != nil {
		return nil, err
	}
	h := &hearing{graph: g, arrivals: make([][]record.Message, g.Order()), leaves: make([][]int64, g.Order()),
		starts: map[[2]int32]int64{}}
	end := int64(0)
	for _, m := range messages {
		if m.Kind == record.MessageLeave && m.ReceivedNS >= 0 {
			h.leaves[m.Dst] = append(h.leaves[m.Dst], m.ReceivedNS)
		}
		if m.Kind == record.MessageValue && m.ReceivedNS >= 0 {
			h.arrivals[m.Dst] = append(h.arrivals[m.Dst], m)
			end = max(end, m.ReceivedNS)
			link := [2]int32{m.Dst, m.Src}
			if at, ok := h.starts[link]; m.Round == 0 && (!ok || m.ReceivedNS < at) {
				h.starts[link] = m.ReceivedNS
			}
		}
	}
	for _, all := range h.arrivals {
		slices.SortStableFunc(all, func(a, b record.Message) int { return cmp.Compare(a.ReceivedNS, b.ReceivedNS) })
	}
	h.outages, err = s.Faults().Outages(seed, g, sites, sim.Time(end+1))
	return h, err
}

// part finds out from when on a neighbour of each node may be taken to have left, so that the rule does not say what
// entered: nothing came of it for half of the deadline, and it had not sent its last value, or its word came, where
// rounds wait for all or it is not known before what.
func (h *hearing) part() {
	patience := int64(h.public.Timing.Deadline / 2)
	if h.public.Timing.Barrier {
		patience = 0
	}
	for node, all := range h.arrivals {
		from := int64(math.MaxInt64)
		timing := &h.public.Timing
		if timing.Barrier || timing.Shuffled || slices.ContainsFunc(all, func(m record.Message) bool {
			return m.ReceivedNS == m.SentNS
		}) {
			for _, at := range h.leaves[node] {
				from = min(from, at)
			}
		}
		last := map[int32]int64{} // heard of neighbours that have not ended; nobody is at zero
		for _, j := range h.graph.Neighbours(node) {
			last[j] = 0
		}
		silent := func(now int64) {
			if patience == 0 {
				return
			}
			for _, at := range last {
				if now-at >= patience {
					from = min(from, at+patience)
				}
			}
		}
		for _, m := range all {
			silent(m.ReceivedNS)
			if _, waits := last[m.Src]; waits && int(m.Round) >= h.public.Rounds {
				delete(last, m.Src)
			} else if waits {
				last[m.Src] = m.ReceivedNS
			}
		}
		silent(math.MaxInt64)
		h.parted = append(h.parted, from)
	}
}

// since is when a node had its memory lost last before a step began, −1 if never.
func (h *hearing) since(s record.Step) int64 {
	since := int64(-1)
	for _, o := range h.outages[s.Node] {
		if o.Lost && int64(o.To) <= s.BeganNS {
			since = int64(o.To)
		}
	}
	return since
}

// cameUp says whether a node came up, or joined, at the instant at which a step began.
func (h *hearing) cameUp(s record.Step) bool {
	return slices.ContainsFunc(h.outages[s.Node], func(o sim.Outage) bool { return int64(o.To) == s.BeganNS })
}

// at is how many values came at the instant at which a step began.
func (h *hearing) at(s record.Step) (n int) {
	all := h.arrivals[s.Node]
	first, _ := slices.BinarySearchFunc(all, s.BeganNS, func(m record.Message, at int64) int {
		return cmp.Compare(m.ReceivedNS, at)
	})
	for ; first < len(all) && all[first].ReceivedNS == s.BeganNS; first++ {
		n++
	}
	return n
}

// prompted says whether something else than a value may have begun a step: the end of the step before, or of the wait
// after it, or after its node had come up, or the word that a neighbour leaves.
func (h *hearing) prompted(s record.Step) bool {
	timeout := int64(h.public.Timing.Trigger.Timeout)
	after := func(at int64) bool { return at == s.BeganNS || timeout > 0 && at+timeout == s.BeganNS }
	before := h.steps[[2]int{int(s.Node), int(s.Round) - 1}] // none: ended at zero
	return after(before.EndedNS) || slices.Contains(h.leaves[s.Node], s.BeganNS) ||
		slices.ContainsFunc(h.outages[s.Node], func(o sim.Outage) bool { return after(int64(o.To)) })
}

// by is what had been heard when a step began. Of values that came at that very instant, the first began the step, if
// nothing else did, and whether others entered it is not known.
func (h *hearing) by(s record.Step) ([]int, error) {
	since := h.since(s)
	neighbours := h.graph.Neighbours(int(s.Node))
	inputs := slices.Repeat([]int{model.Start}, len(neighbours))
	if at := h.at(s); at > 1 || at == 1 && (h.public.Timing.Shuffled || h.prompted(s)) {
		return nil, model.NotSeen("which values entered the update of node %d, round %d, that came as it began", s.Node,
			s.Round)
	}
	for _, m := range h.arrivals[s.Node] {
		if m.ReceivedNS < since {
			continue
		}
		if m.ReceivedNS > s.BeganNS {
			break
		}
		if k, ok := slices.BinarySearch(neighbours, m.Src); ok {
			inputs[k] = max(inputs[k], int(m.Round))
		}
	}
	return inputs, nil
}

// started puts round 0 where the rule says that nothing had come, as a start of zero is as good as none to it, and the
// value of round 0 had come.
func (h *hearing) started(s record.Step, inputs []int, view *adversary.View) ([]int, error) {
	inputs = slices.Clone(inputs)
	for k, j := range h.graph.Neighbours(int(s.Node)) {
		start, ok := view.Told(int(j), int(s.Node), 0)
		if inputs[k] != model.Start || !ok || slices.ContainsFunc(start, func(x float64) bool { return x != 0 }) {
			continue
		}
		switch at, came := h.starts[[2]int32{s.Node, j}]; {
		case !came || at > s.BeganNS:
		case at == s.BeganNS:
			return nil, model.NotSeen("whether the value of node %d that came as node %d began round %d entered it", j,
				s.Node, s.Round)
		default:
			inputs[k] = 0
		}
	}
	return inputs, nil
}

// RestartsOf are those of the nodes of a recorded run.
func RestartsOf(r *record.Run) ([]adversary.Restart, error) {
	s, err := scenarioOf(r)
	if err != nil || s.Faults().Quiet() {
		return nil, err
	}
	messages, err := readMessages(r)
	if err != nil {
		return nil, err
	}
	return restartsOf(s, r.Info.Seed, messages)
}

// restartsOf are those of the nodes of a run. A node that had concluded its last round does not go on, and asks nobody
// for values any more.
func restartsOf(s *scenarios.Scenario, seed uint64, messages []record.Message) (all []adversary.Restart, err error) {
	course := s.Faults()
	if course.Quiet() || len(messages) == 0 {
		return nil, nil
	}
	g, sites, err := s.Network.Lay(seed)
	if err != nil {
		return nil, err
	}
	end := messages[len(messages)-1].SentNS
	outages, err := course.Outages(seed, g, sites, sim.Time(end+1))
	if err != nil {
		return nil, err
	}
	sent := make([][]record.Message, g.Order())
	for _, m := range messages {
		if int(m.Src) < len(sent) {
			sent[m.Src] = append(sent[m.Src], m)
		}
	}
	entry, _ := algorithms.Lookup(s.Algorithm.Kind)                                    // the scenario was checked
	star := s.Rounds.Mode == "synchronous" && (entry.Star || s.Problem.Columns != nil) // nodes keep their last message
	for node, downs := range outages {
		for _, o := range downs {
			if last, asks := before(sent[node], o); o.Lost && (last < s.Rounds.Count || asks) {
				all = append(all, adversary.Restart{Node: node, Round: last, At: int64(o.To), Resends: !star})
			}
		}
	}
	return all, nil
}

// before is the last round of which a node had sent its value by an outage, −1 if none, and whether it asked for
// values after it.
func before(sent []record.Message, o sim.Outage) (last int, asks bool) {
	last = -1
	for _, m := range sent {
		switch {
		case m.Kind == record.MessageValue && m.SentNS <= int64(o.From):
			last = max(last, int(m.Round))
		case m.Kind == record.MessageRequest && m.SentNS >= int64(o.To):
			asks = true
		}
	}
	return last, asks
}

// readMessages reads all packets of a run.
func readMessages(r *record.Run) (all []record.Message, err error) {
	err = r.Messages(func(m record.Message) error { all = append(all, m); return nil })
	return all, err
}

// scenarioOf is the scenario of a recorded run, with changes to it.
func scenarioOf(r *record.Run, sets ...string) (*scenarios.Scenario, error) {
	return scenarios.Parse(filepath.Join(r.Dir, "run.json"), []byte(r.Info.Scenario), sets...)
}

// Losses tells the mean loss of a model on the training rows of a node; false of a node without rows.
type Losses func(node int, f []float64) (float64, bool)

// LossesOf makes the losses of a run's nodes from its data. The error says why they are not at hand, or not those of
// the run.
func LossesOf(r *record.Run, dataDir string) (Losses, error) {
	s, err := scenarioOf(r)
	if err != nil {
		return nil, err
	}
	if s.Problem.Columns != nil {
		return nil, errors.New("columns are split: no node has a model of its own")
	}
	e := experiment.New(s, dataDir)
	a, err := e.Assemble(context.Background(), r.Info.Seed)
	if err == nil {
		err = unlike(e, r)
	}
	if err != nil {
		return nil, err
	}
	solvers, scratch := make([]*problem.Solver, len(a.Problem.Shards)), a.Problem.NewScratch()
	return func(node int, f []float64) (float64, bool) {
		k := node - a.First()
		if k < 0 || k >= len(solvers) || len(f) != a.Problem.D {
			return 0, false
		}
		if solvers[k] == nil {
			o := a.Problem.Objective(k)
			o.Ridge, o.NonSmooth = 0, nil
			solvers[k] = problem.NewSolver(o, 0)
		}
		return solvers[k].DataLossAt(scratch, f), true
	}, nil
}
