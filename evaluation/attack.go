// Attacks on recorded runs.

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/experiment"
	"overhear/internal/files"
	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// AttackOptions say how attacks on a run are carried out.
type AttackOptions struct {
	DataDir  string
	Sets     []string // path=value, of the run's adversary
	Command  string   // that repeats the attacks, for the record
	Workers  int      // runs at a time, where a test is repeated
	Progress func(done, of int)
}

// assault is the adversary of a recorded run, ready to attack.
type assault struct {
	run        *record.Run
	scenario   *scenarios.Scenario
	experiment *experiment.Experiment
	assembly   *experiment.Assembly // for scores
	noData     error                // why there are none
	known      *knowledge
	public     *model.Public // without what the nodes keep to themselves
	all        *model.Public // for scores
	watch      adversary.Vantage
	recording  *adversary.Recording
	entered    Inputs // for scores
	attacks    []*adversary.Attack
	explicit   bool           // the scenario names the attacks
	repeats    map[string]int // runs of a test, by attack
}

// newAssault reads what the attacks on a recorded run need.
func newAssault(ctx context.Context, r *record.Run, dataDir string, sets []string) (*assault, error) {
	s, err := scenarioOf(r, sets...)
	if err != nil {
		return nil, err
	}
	if s.Adversary == nil {
		return nil, experiment.SetupError{Err: fmt.Errorf("%s has no adversary; give it one with --set "+
			"adversary.knows.victim=0", r.Dir)}
	}
	seed := r.Info.Seed
	inputs := sync.OnceValues(func() (Inputs, error) { return inputsOf(r, false) })
	entered := func(node, round int) ([]int, error) {
		of, err := inputs()
		if err != nil {
			return nil, err
		}
		return of(node, round)
	}
	a := &assault{run: r, scenario: s, experiment: experiment.New(s, dataDir), watch: vantage(s.Adversary.View),
		entered: entered, explicit: s.Adversary.Attacks != nil, repeats: map[string]int{}}
	if a.attacks, err = chosen(s.Adversary.Attacks); err != nil {
		return nil, experiment.SetupError{Err: err}
	}
	for _, spec := range s.Adversary.Attacks {
		a.repeats[spec.Kind] = spec.Runs
	}
	if changed := a.experiment.ChangedBut("problem.", r.Info.Inputs); changed != nil { // the graph, for one
		return nil, experiment.SetupError{Err: fmt.Errorf("what an adversary goes by is not what it was: %s",
			strings.Join(changed, "; "))}
	}
	if a.assembly, err = a.experiment.Assemble(ctx, seed); ctx.Err() != nil {
		return nil, context.Cause(ctx)
	} else if err != nil {
		a.noData = fmt.Errorf("the data are not at hand: %w", err)
	} else {
		a.noData = unlike(a.experiment, r)
	}
	if a.known, err = readKnowledge(r); err != nil {
		return nil, err
	}
	if a.known == nil || len(sets) > 0 {
		if a.noData != nil {
			return nil, fmt.Errorf("%s holds no knowledge of this adversary, and %w", r.Dir, a.noData)
		}
		if a.known, err = knowledgeOf(a.experiment, a.assembly); err != nil {
			return nil, experiment.SetupError{Err: err}
		}
	}
	params, err := played(s, r.Info)
	if err != nil {
		return nil, err
	}
	a.all, err = publicOf(s, seed, a.known.Columns, len(r.Info.Classes), a.known.Rows, params)
	if no := (*model.NoModel)(nil); errors.As(err, &no) && !slices.ContainsFunc(a.attacks, needsModel) {
		a.all, err = no.Opaque, nil
	}
	if err != nil {
		return nil, err
	}
	a.public = a.all.Without(secrets(&s.Adversary.Knows, a.all.Name)...)
	if !a.public.Timing.Lockstep {
		if err = clocked(s, r.Info, a.public); err != nil {
			return nil, experiment.SetupError{Err: err}
		}
	}
	if err := fitsGraph(a.watch, a.public, r.Info.TrainRows); err != nil {
		return nil, experiment.SetupError{Err: err}
	}
	if a.recording, err = readRecording(r); err != nil {
		return nil, err
	}
	a.recording.Restarts, err = restartsOf(s, seed, a.recording.Messages)
	return a, err
}

// chosen are the attacks that a scenario names; nil: all but those that are classes of its own.
func chosen(specs []scenarios.AttackSpec) (all []*adversary.Attack, err error) {
	if specs == nil {
		return slices.DeleteFunc(adversary.Attacks(), func(a *adversary.Attack) bool { return a.Of != nil }), nil
	}
	if len(specs) == 0 {
		return nil, errors.New("adversary.attacks names none; leave it out for all that suit")
	}
	for k := range specs {
		one, _ := adversary.Lookup(specs[k].Kind) // the scenario was checked
		if one.Of != nil {
			one = one.Of(&specs[k].Class)
		}
		all = append(all, one)
	}
	return all, nil
}

// needsModel says whether an attack starts from what the method's model says.
func needsModel(a *adversary.Attack) bool { return a.Of == nil }

// on is the view of a recording with what is known of one victim, and what scores are taken against; nil without data.
func (a *assault) on(view *adversary.View, victim int) (*adversary.View, *adversary.Truth) {
	v := view.With(a.known.about(&a.known.Victims[victim]))
	if a.noData != nil {
		return v, nil
	}
	return v, truthOf(a.experiment, a.assembly, a.recording, v, a.all, a.entered)
}

// Attack carries out the attacks of a recorded run's adversary and scores them
// where the data are at hand: without them it uses what was kept of the
// adversary's knowledge, and says that nothing is scored. The result is not
// written.
func Attack(ctx context.Context, r *record.Run, o AttackOptions) (*record.Attacks, error) {
	a, err := newAssault(ctx, r, o.DataDir, o.Sets)
	if err != nil {
		return nil, err
	}
	view := adversary.Observe(a.recording, a.watch, a.public, nil)
	out := &record.Attacks{
		Name: r.Info.Name, About: a.scenario.About, Seed: r.Info.Seed, Algorithm: r.Info.Algorithm,
		Digest: r.Info.Digest, Command: o.Command, Changes: o.Sets, Scenario: a.scenario.Resolved(),
		Rounds:    r.Info.Rounds,
		Inputs:    record.Inputs{Program: experiment.Program(), Files: maps.Clone(r.Info.Inputs.Files)},
		Threat:    threat(&a.scenario.Adversary.Knows, a.watch, a.known, a.scenario.Lying()),
		Placement: network(a.public, a.watch, a.known.Victims[0].Node),
	}
	for key, path := range a.scenario.AttackFiles() {
		if out.Inputs.Files[key], err = files.Hash(path); err != nil {
			return nil, experiment.SetupError{Err: fmt.Errorf("%s: %w", key, err)}
		}
	}
	if c := r.Info.Convergence; c != nil && c.State == record.Diverging {
		out.Diverged = "the run diverges: what its messages give away is not what those of a run give away that learns"
	}
	out.Sight.Packets, out.Sight.Of = view.Seen()
	out.Sight.Unseen, out.Unscored = unseen(a.watch, a.public), a.unscored()
	if out.Claim, out.Condition, out.Claimed = claimed(r); r.Info.Privacy == nil {
		out.Condition = ""
	}
	done := 0
	for i := range a.known.Victims {
		v, truth := a.on(view, i)
		for _, one := range a.attacks {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			f, err := one.Carry(v)
			if err != nil {
				return nil, err
			}
			done++
			if o.Progress != nil {
				o.Progress(done, len(a.attacks)*len(a.known.Victims))
			}
			if f.Succeeded == record.Blocked && !a.explicit {
				if u := (record.Untried{Attack: one.Name, Reason: f.Conclusion}); !slices.Contains(out.Untried, u) {
					out.Untried = append(out.Untried, u)
				}
				continue
			}
			if truth != nil {
				adversary.Score(f, truth)
				if n := a.repeats[one.Name]; n > 0 && f.Succeeded != record.Blocked {
					if err := repeatMembership(ctx, a.experiment, f, v, truth, o, n); err != nil {
						return nil, err
					}
				}
			}
			out.Findings = append(out.Findings, *f)
		}
	}
	if len(out.Findings) == 0 {
		return nil, experiment.SetupError{Err: errNoneSuits}
	}
	return out, nil
}

var errNoneSuits = errors.New("no attack suits this method, view and knowledge; adversary.attacks: [NAME] says why " +
	"for each (simulate list attacks)")

// unscored is why nothing is scored; empty: it is.
func (a *assault) unscored() string {
	if a.noData == nil {
		return ""
	}
	return a.noData.Error()
}

// unlike returns an error if the files that are there now are not those that the run came from: attacks on it are
// not scored against other data.
func unlike(e *experiment.Experiment, r *record.Run) error {
	now, err := e.Inputs()
	if err != nil || r.Info.Inputs.Program == "" {
		return err
	}
	now.Program = r.Info.Inputs.Program
	if why := r.Info.Inputs.Differences(now, e.FilesByKey()); why != nil {
		return fmt.Errorf("the data are not those of the run: %s", strings.Join(why, "; "))
	}
	return nil
}

// repeatMembership audits a victim's sample against the first candidate that is not it, over
// so many runs.
func repeatMembership(ctx context.Context, e *experiment.Experiment, f *record.Finding, v *adversary.View,
	t *adversary.Truth, o AttackOptions, runs int) error {
	decoy := 0
	if t.Member(decoy) {
		decoy = 1
	}
	s := *e.Scenario
	own := t.Samples[0]
	s.Adversary = &scenarios.Adversary{Audit: scenarios.AuditSpec{
		Runs: runs, Pilots: 1, Group: 1, Unit: "auto", Node: f.Victim, Row: *e.Adversary.Knows.AllBut,
		Pair: &scenarios.GivenPair{A: signed(own), B: signed(v.Knows.Candidates.At(decoy))},
	}}
	a, err := Audit(ctx, e.On(&s), AuditOptions{Runs: runs, Workers: o.Workers, Command: o.Command})
	if err != nil {
		return fmt.Errorf("repeating the membership test: %w", err)
	}
	f.Audit = a
	f.Conclusion += fmt.Sprintf("; over %d runs in each world the sample and candidate %d are told apart with AUC %.4g",
		runs, decoy, float64(a.Power.AUC))
	return nil
}

// signed is y·x.
func signed(s adversary.Sample) []float64 {
	u := slices.Clone(s.X)
	num.Scale(s.Y, u)
	return u
}

// readRecording reads what a run directory holds of messages and their contents.
func readRecording(r *record.Run) (*adversary.Recording, error) {
	rec := &adversary.Recording{Seed: r.Info.Seed}
	err := errors.Join(
		r.Messages(func(m record.Message) error { rec.Messages = append(rec.Messages, m); return nil }),
		r.Iterates(func(i record.Iterate) error { rec.Iterates = append(rec.Iterates, i); return nil }),
		r.Reports(func(i record.Iterate) error { rec.Reports = append(rec.Reports, i); return nil }),
		r.Lies(func(l record.Lie) error { rec.Lies = append(rec.Lies, l); return nil }),
	)
	if err != nil {
		return nil, fmt.Errorf("attacks need a run's messages and iterates: %w", err)
	}
	return rec, nil
}

// fitsGraph reports a view of nodes or links that do not exist.
func fitsGraph(w adversary.Vantage, p *model.Public, rows int) error {
	nodes, users := p.Graph.Order(), 0
	if _, ok := p.Method.(model.Registering); ok {
		users = rows // one registers for each, after the nodes
	}
	for _, n := range w.Nodes {
		if n < 0 || n >= p.Graph.Order() {
			return fmt.Errorf("adversary.view.nodes: there is no node %d; there are %d, from 0", n, p.Graph.Order())
		}
	}
	for _, l := range w.Links {
		a, b := min(l[0], l[1]), max(l[0], l[1])
		if a >= 0 && a < nodes && b >= nodes && b < nodes+users {
			continue // of a user to a server, which may not be its own: then nothing is seen
		}
		if a < 0 || a >= nodes || !slices.Contains(p.Graph.Neighbours(a), int32(b)) {
			return fmt.Errorf("adversary.view.links: there is no link %d–%d", l[0], l[1])
		}
	}
	return nil
}

// threat is who is thought to attack, in words.
func threat(k *scenarios.Knows, w adversary.Vantage, known *knowledge, lying string) record.Threat {
	knows := []string{"the method, the graph and every public parameter"}
	first := known.Victims[0]
	if first.Others != nil {
		knows = append(knows, fmt.Sprintf("all of the victim's %d samples but one", first.Size))
	}
	if first.Attribute != nil {
		knows = append(knows, fmt.Sprintf("that one but for its %s", first.Attribute.Name))
	}
	if k.Size {
		knows = append(knows, "how many samples the victim has")
	}
	if first.Candidates != nil {
		knows = append(knows, plural.Of(len(first.Candidates.Y), "candidate")+" for the victim's samples")
	}
	if first.Blocks != nil {
		knows = append(knows, fmt.Sprintf("%d candidate matrices, one of which is the victim's", len(first.Blocks)))
	}
	if k.Data != nil {
		knows = append(knows, "the whole data of "+plural.Named("node", k.Data))
	}
	wants := fmt.Sprintf("the data of node %d", first.Node)
	if len(known.Victims) > 1 {
		wants = fmt.Sprintf("the data of each of %d nodes in turn", len(known.Victims))
	}
	return record.Threat{Sees: w.String(), Knows: strings.Join(knows, "; "), Wants: wants, Acts: lying}
}

// unseen is what a view leaves out by its declaration.
func unseen(w adversary.Vantage, p *model.Public) []string {
	all := []string{}
	switch {
	case w.Nodes != nil:
		all = append(all, "packets between nodes other than "+plural.And(w.Nodes))
	case w.Links != nil:
		all = append(all, fmt.Sprintf("packets on the other %d of %d links", p.Graph.Size()-len(w.Links),
			p.Graph.Size()))
	}
	if w.From > 0 {
		all = append(all, fmt.Sprintf("rounds 0 to %d", w.From-1))
	}
	if w.Miss > 0 {
		all = append(all, fmt.Sprintf("a share of %v of the packets, at random", w.Miss))
	}
	for _, key := range p.Hidden {
		all = append(all, "the nodes' own "+key)
	}
	return all
}

// network is the graph and the observer's place in it.
func network(p *model.Public, w adversary.Vantage, victim int) record.Placement {
	n := record.Placement{Nodes: p.Graph.Order(), Edges: p.Graph.Pairs(), Victim: victim,
		Watched: slices.Clone(w.Nodes),
		Hops:    make([]int, p.Graph.Order())}
	for _, l := range w.Links {
		n.Watched = append(n.Watched, l[0], l[1])
	}
	slices.Sort(n.Watched)
	n.Watched = slices.DeleteFunc(slices.Compact(n.Watched), func(i int) bool { return i >= n.Nodes })
	if len(n.Watched) == 0 {
		return n
	}
	for i := range n.Hops {
		n.Hops[i] = -1
	}
	queue := slices.Clone(n.Watched)
	for _, i := range queue {
		n.Hops[i] = 0
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, j := range p.Graph.Neighbours(i) {
			if n.Hops[j] < 0 {
				n.Hops[j] = n.Hops[i] + 1
				queue = append(queue, int(j))
			}
		}
	}
	return n
}

// claimed is what a run claims, and the loss that it claims so far, by round.
func claimed(r *record.Run) (claim, condition string, byRound []record.Number) {
	if r.Info.Privacy == nil {
		return "", "", nil
	}
	if t, err := r.Metrics(); err == nil {
		for _, v := range t.Column("privacy_loss") {
			byRound = append(byRound, record.Number(v))
		}
	}
	if !slices.ContainsFunc(byRound, func(n record.Number) bool { return !math.IsNaN(float64(n)) }) {
		byRound = nil
	}
	return r.Info.Privacy.Guarantee, r.Info.Privacy.Condition, byRound
}

// truthOf is what scores are taken against. No attack sees it.
func truthOf(e *experiment.Experiment, a *experiment.Assembly, rec *adversary.Recording, v *adversary.View,
	public *model.Public, entered Inputs) *adversary.Truth {
	spec, k := &e.Adversary.Knows, v.Knows
	t := &adversary.Truth{Knows: k, Rounding: public.SolverTolerance()}
	if a.Split != nil {
		at := trueCandidate(a.Seed, k.Victim, spec.Candidates)
		t.Member = func(candidate int) bool { return candidate == at }
		return t
	}
	all := samples(a, k.Victim)
	if spec.AllBut != nil {
		t.Samples = []adversary.Sample{all.At(*spec.AllBut)}
	} else {
		for n := range all.Y {
			t.Samples = append(t.Samples, all.At(n))
		}
	}
	t.Member = func(candidate int) bool {
		if spec.AllBut != nil {
			return candidate == trueCandidate(a.Seed, k.Victim, spec.Candidates)
		}
		c := k.Candidates.At(candidate)
		return slices.ContainsFunc(t.Samples, func(s adversary.Sample) bool {
			return s.Y == c.Y && slices.Equal(s.X, c.X)
		})
	}
	t.Fact, t.Guess = fact(a, rec, v, public, entered), guessed(a.Numbers(), v)
	t.Value = func(s adversary.Sample) int {
		for n := range k.Attribute.Samples.Y {
			if c := k.Attribute.Samples.At(n); c.Y == s.Y && slices.Equal(c.X, s.X) {
				return n
			}
		}
		return -1
	}
	t.Label = func(user int) float64 {
		id := a.Graph.Order()
		for i := range a.Problem.Shards {
			if n := user - id; n >= 0 && n < len(a.Problem.Shards[i].Y) {
				return a.Problem.Shards[i].Y[n]
			}
			id += len(a.Problem.Shards[i].Y)
		}
		return 0
	}
	return t
}

// fact is what vectors that attacks work out should be.
func fact(a *experiment.Assembly, rec *adversary.Recording, v *adversary.View,
	public *model.Public, entered Inputs) func(*record.Fact) ([]float64, bool) {
	published := map[[2]int][]float64{}
	for _, i := range rec.Iterates {
		published[[2]int{int(i.Node), int(i.Round)}] = i.Values
	}
	points := map[[2]int][]float64{} // where gradients were taken, by node and round
	scratch := a.Problem.NewScratch()
	gradient := func(node, round int) ([]float64, bool) {
		if _, ok := points[[2]int{node, -1}]; !ok {
			points[[2]int{node, -1}] = nil
			all, _ := v.Gradients(node, 0)
			for _, g := range all {
				points[[2]int{node, g.Round}] = g.At
			}
		}
		at, ok := points[[2]int{node, round}]
		if !ok {
			return nil, false
		}
		o := a.Problem.Objective(node - a.First())
		o.Ridge = 0
		g := make([]float64, a.Problem.D)
		problem.NewSolver(o, 0).Gradient(scratch, at, g)
		return g, true
	}
	told := map[[3]int][]float64{}
	for i := range rec.Lies {
		told[[3]int{int(rec.Lies[i].Node), int(rec.Lies[i].To), int(rec.Lies[i].Round)}] = rec.Lies[i].Values
	}
	sums := func(node, round int) ([]float64, bool) { // of what entered an update
		rounds, err := entered(node, round)
		if err != nil {
			return nil, false
		}
		total := make([]float64, a.Problem.D)
		for k, neighbour := range a.Graph.Neighbours(node) {
			j, r := int(neighbour), rounds[k]
			if r == model.Start {
				continue // it counts as zero
			}
			x, ok := told[[3]int{j, node, r}]
			if !ok {
				x, ok = published[[2]int{j, r}]
			}
			if !ok || len(x) == 0 || slices.ContainsFunc(rec.Restarts, func(s adversary.Restart) bool {
				return s.Node == j && s.Round == r && s.Resends // which copy it was is not told
			}) {
				return nil, false
			}
			num.Axpy(1, x, total)
		}
		return total, true
	}
	return func(f *record.Fact) ([]float64, bool) {
		switch f.Kind {
		case record.PublishedValue:
			x, ok := published[[2]int{f.Node, f.Round}]
			return x, ok
		case record.NeighbourSum:
			return sums(f.Node, f.Round+1)
		case record.PrivatePenalty:
			m, ok := public.Method.(model.NodeDual)
			if !ok {
				return nil, false
			}
			return []float64{m.Step(public, f.Node, f.Round, 0).Eta}, true
		case record.RowCount, record.DataRank, record.LeastRank:
			return []float64{float64(rowRank(a.Problem.Shards[f.Node-a.First()].U, a.Columns()))}, true
		case record.StartGradient:
			o := a.Problem.Objective(f.Node - a.First())
			o.Ridge = 0
			g := make([]float64, a.Problem.D)
			problem.NewSolver(o, 0).Gradient(scratch, make([]float64, a.Problem.D), g)
			return g, true
		case record.PositiveShare:
			positive, all := 0.0, a.Problem.Shards[f.Node-a.First()].Y
			for _, y := range all {
				if y > 0 {
					positive++
				}
			}
			return []float64{positive / float64(len(all))}, true
		case record.GradientDifference:
			if _, ok := v.Public.Method.(model.Registering); ok { // of the loss that reports make
				return nil, false
			}
			to, ok := gradient(f.Node, f.Round)
			from, also := gradient(f.Node, f.Since)
			if !ok || !also {
				return nil, false
			}
			num.Axpy(-1, from, to)
			return to, true
		}
		return nil, false
	}
}

// guessed is what vectors that attacks work out would be said to be from what was seen alone.
func guessed(d int, v *adversary.View) func(*record.Fact) ([]float64, string, bool) {
	return func(f *record.Fact) ([]float64, string, bool) {
		degree := 1.0
		switch f.Kind {
		case record.RowCount, record.DataRank, record.LeastRank:
			return []float64{float64(min(v.Knows.Size, d))}, "the number of rows that is known", v.Knows.Size > 0
		case record.PositiveShare:
			share, ok := v.Knows.PositiveShare()
			return []float64{share}, "the share among the known rows of other nodes", ok
		case record.StartGradient:
			mean, ok := v.NeighbourStart(f.Node)
			return mean, "the mean of the gradients of nodes that were heard", ok
		case record.NeighbourSum:
			degree = float64(v.Public.Graph.Degree(f.Node))
			if own, ok := v.Value(f.Node, f.Round); ok {
				sum := slices.Clone(own)
				num.Scale(degree, sum)
				return sum, "the node's own value in place of each neighbour's", true
			}
		case record.PublishedValue:
		default:
			return nil, "", false
		}
		mean, n := make([]float64, d), 0.0
		for j := range v.Public.Graph.Order() {
			if x, ok := v.Value(j, f.Round); ok && j != f.Node {
				num.Axpy(1, x, mean)
				n++
			}
		}
		if n == 0 {
			return nil, "", false
		}
		num.Scale(degree/n, mean)
		return mean, "the mean of the values of that round that were seen", true
	}
}

// rowRank is how many of a node's rows are linearly independent.
func rowRank(u *problem.Rows, d int) int {
	rows := make([][]float64, u.Len())
	for i := range rows {
		rows[i] = make([]float64, d)
		cols, vals := u.Row(i)
		for k, c := range cols {
			rows[i][c] = vals[k]
		}
	}
	svd, err := num.Decompose(rows)
	if err != nil {
		return min(u.Len(), d)
	}
	rank := 0
	for _, v := range svd.Values {
		if v > 1e-9*svd.Values[0] {
			rank++
		}
	}
	return rank
}
