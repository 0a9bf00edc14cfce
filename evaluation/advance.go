// How far the adversary of a recorded run had come after how many of the packets that it sees.

package evaluation

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"overhear/adversary"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/record"
)

// Advance is what a run's adversary had worked out after growing numbers of the packets that it sees, in order of their
// arrival.
type Advance struct {
	Threat  record.Threat
	Victims []int
	Watched []int // nodes that collude, or ends of tapped links; empty: everything is seen
	Order   []int // rows of messages.parquet that it sees, in order of arrival
	Points  []int // ascending: after so many of these the attacks were carried out
	Lines   []AdvanceLine
	Unseen  []string // in words, what it does not see

	Unscored string           // why nothing is scored; empty: it is
	Untried  []record.Untried // attacks that were blocked on a victim at all points, and by what at the last
}

// AdvanceLine is an attack on a victim at each point.
type AdvanceLine struct {
	Attack, Title, Equation string
	Victim                  int
	Steps                   []AdvanceStep // by point
	Columns                 []string      // what the samples below have
}

// AdvanceStep is what an attack had come to.
type AdvanceStep struct {
	Outcome    record.Outcome
	Said       string // the outcome in words
	Conclusion string
	Of, By     string  // what Error and Guess are of, and which guess
	Error      float64 // NaN: nothing is scored
	Guess      float64
	Sample     []string // by column, the estimate as a person reads it; nil: there is none
	Truth      []string // by column, the sample that the estimate is nearest to; nil: not at hand
	Right      []bool   // by column, whether it is the true value, to 10⁻⁶ of the column's range; nil: no truth
	Odds       []record.Odds
	estimate   []float64
}

// Exact is the first point from which on every outcome is exact, −1 if the last is not.
func (l *AdvanceLine) Exact() int {
	k := len(l.Steps)
	for k > 0 && l.Steps[k-1].Outcome == record.Exact {
		k--
	}
	if k == len(l.Steps) {
		return -1
	}
	return k
}

// AdvanceOptions say how often attacks are carried out.
type AdvanceOptions struct {
	DataDir string
	Sets    []string // path=value, of the run's adversary
	Points  int      // at most; at least 2; 0: as many as are usual of so many packets
}

// usualPoints are 64, and of many packets fewer, as to carry attacks out takes longer there: with attacks that take
// seconds of 10⁵ packets, 64 times would be minutes.
func usualPoints(packets int) int {
	const usual, least, many = 64, 12, 20_000
	if packets <= many {
		return usual
	}
	return max(least, usual*many/packets)
}

// Advancing carries the attacks of a recorded run's adversary out after growing numbers of packets: after all and after
// none; after a quarter of the points' number, evenly apart; and then halfway between two points that differ, those
// first between which an outcome changes, until the points are used up or no two neighbours differ that are not next to
// each other. Where no attack suits with all packets, that is the only point.
type Advancing struct {
	*assault
	seen   []int // rows of the packets that are seen, by arrival
	most   int   // points
	person *person
	steps  map[int][][]AdvanceStep // by number of packets, by victim and attack
}

// NewAdvancing prepares the attacks of a run's adversary; nil: the scenario has none.
func NewAdvancing(ctx context.Context, r *record.Run, o AdvanceOptions) (*Advancing, error) {
	s, err := scenarioOf(r, o.Sets...)
	if err != nil || s.Adversary == nil {
		return nil, err
	}
	a, err := newAssault(ctx, r, o.DataDir, o.Sets)
	if err != nil {
		return nil, err
	}
	b := &Advancing{assault: a, seen: a.arrivals(), steps: map[int][][]AdvanceStep{}}
	b.most = max(2, cmp.Or(o.Points, usualPoints(len(b.seen))))
	if a.noData == nil {
		b.person, err = newPerson(a.experiment, a.assembly)
	}
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Done is after how many numbers of packets the attacks were carried out, of how many at most.
func (b *Advancing) Done() (done, most int) { return len(b.steps), b.most }

// Next carries the attacks out after one more number of packets, unless nothing is left to be told.
func (b *Advancing) Next(ctx context.Context) (more bool, err error) {
	count := b.next()
	if count < 0 {
		return false, nil
	}
	return true, b.at(ctx, count)
}

// arrivals are the rows of the packets that are seen, in order of arrival.
func (a *assault) arrivals() (seen []int) {
	all := a.recording.Messages
	for k := range all {
		if a.watch.Sees(&all[k], a.recording.Seed) {
			seen = append(seen, k)
		}
	}
	slices.SortStableFunc(seen, func(i, j int) int {
		return cmp.Or(cmp.Compare(all[i].ReceivedNS, all[j].ReceivedNS), cmp.Compare(all[i].ID, all[j].ID))
	})
	return seen
}

// upTo is what there is of a recording when packets, which are the first that are seen, have arrived, and from where it
// is seen. Rows are theirs. Without any it is that of the beginning.
func (a *assault) upTo(rows []int) (*adversary.Recording, adversary.Vantage) {
	until := int64(0)
	for _, k := range rows {
		until = max(until, a.recording.Messages[k].ReceivedNS)
	}
	return a.by(until, rows)
}

// by is what there is of a recording at an instant by which packets, by row, have arrived.
func (a *assault) by(until int64, rows []int) (*adversary.Recording, adversary.Vantage) {
	part, watch := a.part(rows)
	part.Iterates = nil
	for _, i := range a.recording.Iterates {
		if i.TimeNS <= until {
			part.Iterates = append(part.Iterates, i)
		}
	}
	return part, watch
}

// part is a recording with some of the packets that are seen, by row, and from where it is seen by one who has no
// others: neither these nor what colluding nodes computed from them.
func (a *assault) part(rows []int) (*adversary.Recording, adversary.Vantage) {
	part, watch := *a.recording, a.watch
	part.Messages = make([]record.Message, 0, len(rows))
	for _, k := range slices.Sorted(slices.Values(rows)) { // as they were sent
		part.Messages = append(part.Messages, a.recording.Messages[k])
	}
	if watch.Nodes != nil {
		watch.Own = a.own(part.Messages)
	}
	return &part, watch
}

// own is how far what colluding nodes computed follows from some of the packets that are seen, as Vantage.Own is: to
// the first value that came and is not there. In lockstep that entered the rounds after its own, and a hub's value of
// its own round. Otherwise it is taken to have entered whatever its receiver published from then on.
func (a *assault) own(some []record.Message) map[int]int {
	lacks := a.lacks(some)
	until := map[int]int{}
	rounds := a.public.Timing.Lockstep && a.public.Rows == 0 // over split columns a round has several steps
	for node, first := range lacks {
		until[node] = 1 // its start is its own
		if hub := a.public.Hub && node == 0; rounds && hub {
			until[node] = max(1, first.round)
		} else if rounds {
			until[node] = first.round + 1
		}
	}
	for k := range a.recording.Iterates {
		i := &a.recording.Iterates[k]
		if first, ok := lacks[int(i.Node)]; ok && !rounds && i.TimeNS < first.came {
			until[int(i.Node)] = max(until[int(i.Node)], int(i.Round)+1)
		}
	}
	return until
}

// lack is the first of what has not come to a node.
type lack struct {
	round int
	came  int64 // in the run
}

// lacks are, by colluding node, the first of the values that came to it and that some of the packets do not carry.
func (a *assault) lacks(some []record.Message) map[int]lack {
	there := map[uint64]bool{} // of copies one is enough
	for k := range some {
		there[some[k].ID] = true
	}
	all := map[int]lack{}
	for k := range a.recording.Messages {
		m := &a.recording.Messages[k]
		dst := int(m.Dst)
		if !slices.Contains(a.watch.Nodes, dst) || m.Kind == record.MessageRequest || there[m.ID] ||
			!a.watch.Sees(m, a.recording.Seed) {
			continue
		}
		first, ok := all[dst]
		if !ok {
			first = lack{int(m.Round), m.ReceivedNS}
		}
		all[dst] = lack{min(first.round, int(m.Round)), min(first.came, m.ReceivedNS)}
	}
	return all
}

// at carries the attacks out on the first packets that are seen.
func (b *Advancing) at(ctx context.Context, count int) error {
	part, watch := b.upTo(b.seen[:count])
	view := adversary.Observe(part, watch, b.public, nil)
	var all [][]AdvanceStep
	for i := range b.known.Victims {
		v, truth := b.on(view, i)
		var of []AdvanceStep
		for _, one := range b.attacks {
			if err := ctx.Err(); err != nil {
				return err
			}
			f, err := one.Carry(v)
			if err != nil && count == len(b.seen) {
				return err
			}
			if err != nil { // of a record that is not whole
				f = &record.Finding{Succeeded: record.Blocked, Conclusion: err.Error()}
			}
			if truth != nil {
				adversary.Score(f, truth)
			}
			of = append(of, b.step(f, truth))
		}
		all = append(all, of)
	}
	b.steps[count] = all
	return nil
}

// step is a finding in brief.
func (b *Advancing) step(f *record.Finding, truth *adversary.Truth) AdvanceStep {
	s := AdvanceStep{Outcome: f.Succeeded, Said: f.Said(), Conclusion: f.Conclusion, Error: math.NaN(),
		Guess: math.NaN(), Odds: f.Odds}
	if one := f.Beside(); one != nil {
		s.Of, s.By, s.Error, s.Guess = one.Of, one.By, float64(one.Error), float64(one.Guess)
	}
	var e *record.Estimate
	if n := len(f.Estimates); n > 0 {
		e = &f.Estimates[n-1]
	}
	for k := range f.Rows { // the nearest of them
		r := &f.Rows[k]
		if e == nil || r.Score != nil && (e.Score == nil || r.Score.Relative < e.Score.Relative) {
			e = r
		}
	}
	if b.person != nil && truth != nil && len(truth.Samples) == 1 {
		s.Truth = b.person.words(truth.Samples[0].X, truth.Samples[0].Y, 0)
	}
	if e == nil {
		return s
	}
	if s.estimate = e.X; b.person == nil {
		return s
	}
	x := slices.Clone(e.X)
	var sample *adversary.Sample
	if truth != nil && len(truth.Samples) > 0 {
		sample = truth.Nearest(e)
		if e.Y == 0 && num.Dot(x, sample.X) < 0 {
			num.Scale(-1, x)
		}
	}
	s.Sample = b.person.words(x, e.Y, 1e-9)
	if sample != nil {
		s.Truth = b.person.words(sample.X, sample.Y, 0)
		s.Right = b.person.right(x, e.Y, sample)
		for k := range s.Sample {
			if s.Right[k] { // without what rounding leaves
				s.Sample[k] = s.Truth[k]
			}
		}
	}
	return s
}

// Same says whether a step says the same as another.
func (s *AdvanceStep) Same(t *AdvanceStep) bool { return differ(s, t) == 0 }

// differ says how much two steps of an attack do: 2 where the outcome does, 1 where the estimate or error does.
func differ(a, b *AdvanceStep) int {
	switch {
	case a.Said != b.Said:
		return 2
	case !slices.Equal(a.estimate, b.estimate), a.Error != b.Error && !(math.IsNaN(a.Error) && math.IsNaN(b.Error)),
		a.Conclusion != b.Conclusion:
		return 1
	}
	return 0
}

// next is the number of packets after which the attacks are to be carried out next; −1: nothing is left to be told.
func (b *Advancing) next() int {
	all := len(b.seen)
	whole, begun := b.steps[all]
	if !begun {
		return all
	}
	suits := b.explicit || slices.ContainsFunc(whole, func(of []AdvanceStep) bool {
		return slices.ContainsFunc(of, func(s AdvanceStep) bool { return s.Outcome != record.Blocked })
	})
	if !suits || len(b.steps) >= b.most {
		return -1
	}
	if b.steps[0] == nil {
		return 0
	}
	if even := b.most / 4; len(b.steps)-2 < even {
		for k := 1; k <= even; k++ {
			if at := k * all / (even + 1); b.steps[at] == nil {
				return at
			}
		}
	}
	done := slices.Sorted(func(yield func(int) bool) {
		for k := range b.steps {
			if !yield(k) {
				return
			}
		}
	})
	best, most, longest := -1, 0, 0
	for k := 1; k < len(done); k++ {
		from, to := done[k-1], done[k]
		if to-from < 2 {
			continue
		}
		much := 0
		for i, of := range b.steps[from] {
			for j := range of {
				much = max(much, differ(&of[j], &b.steps[to][i][j]))
			}
		}
		if much > most || much == most && much > 0 && to-from > longest {
			best, most, longest = (from+to)/2, much, to-from
		}
	}
	return best
}

// Result is what the adversary had worked out, as far as the attacks were carried out.
func (b *Advancing) Result() *Advance {
	out := &Advance{Threat: threat(&b.scenario.Adversary.Knows, b.watch, b.known, b.scenario.Lying()), Order: b.seen,
		Unseen: unseen(b.watch, b.public), Unscored: b.unscored()}
	out.Watched = network(b.public, b.watch, b.known.Victims[0].Node).Watched
	for k := range b.steps {
		out.Points = append(out.Points, k)
	}
	slices.Sort(out.Points)
	for i := range b.known.Victims {
		out.Victims = append(out.Victims, b.known.Victims[i].Node)
		if len(out.Points) == 0 {
			continue
		}
		for j, one := range b.attacks {
			l := AdvanceLine{Attack: one.Name, Title: one.Title, Equation: one.Equation,
				Victim: b.known.Victims[i].Node}
			blocked := true
			for _, at := range out.Points {
				l.Steps = append(l.Steps, b.steps[at][i][j])
				blocked = blocked && b.steps[at][i][j].Outcome == record.Blocked
			}
			if blocked && !b.explicit {
				u := record.Untried{Attack: one.Name, Reason: l.Steps[len(l.Steps)-1].Conclusion}
				if !slices.Contains(out.Untried, u) {
					out.Untried = append(out.Untried, u)
				}
				continue
			}
			if b.person != nil {
				l.Columns = b.person.columns()
			}
			out.Lines = append(out.Lines, l)
		}
	}
	return out
}

// person tells what a prepared sample says, as it stood in the data: columns in their own units, categories by name.
type person struct {
	attributes []attribute
	divisors   []float64
	largest    []float64 // of each prepared column, before rows were scaled; 1 where all are 0
	intercept  int       // its column, by which a row's scaling is undone; −1: none
	label      string
	classes    map[float64]string
}

// attribute is a number, or a category that several columns stand for.
type attribute struct {
	name    string
	columns []int
	values  []string // nil: a number
}

func newPerson(e *experiment.Experiment, a *experiment.Assembly) (*person, error) {
	if a.Split != nil || a.Problem.K > 0 {
		return nil, nil // no attack estimates a row there
	}
	divisors, err := e.Divisors(context.Background(), a.Seed)
	if err != nil {
		return nil, err
	}
	p := &person{divisors: divisors, intercept: -1, label: cmp.Or(a.Set.Names.Label, "label"),
		classes: classNames(a.Set, "−1", "+1")}
	if e.Problem.Scale.Intercept {
		p.intercept = len(a.Set.Columns) - 1
	}
	if a.Set.Reading != nil {
		p.label = a.Set.Reading.Label
	}
	p.largest = make([]float64, a.Set.X.D)
	for i := range a.Set.X.Len() {
		columns, values := a.Set.X.Row(i)
		by := 1.0
		if at := slices.Index(columns, int32(p.intercept)); at >= 0 {
			by = byIntercept(values[at])
		}
		for k, c := range columns {
			p.largest[c] = max(p.largest[c], math.Abs(values[k]/by))
		}
	}
	for c, v := range p.largest {
		if v == 0 {
			p.largest[c] = 1
		}
	}
	for c, name := range a.Set.Columns {
		if c == p.intercept {
			continue
		}
		of, value, coded := a.Set.Indicator(c)
		if !coded {
			p.attributes = append(p.attributes, attribute{name: name, columns: []int{c}})
			continue
		}
		at := slices.IndexFunc(p.attributes, func(a attribute) bool { return a.name == of && a.values != nil })
		if at < 0 {
			at = len(p.attributes)
			p.attributes = append(p.attributes, attribute{name: of})
		}
		p.attributes[at].columns = append(p.attributes[at].columns, c)
		p.attributes[at].values = append(p.attributes[at].values, value)
	}
	return p, nil
}

func (p *person) columns() (all []string) {
	for _, a := range p.attributes {
		all = append(all, a.name)
	}
	return append(all, p.label)
}

// factor is what a row was multiplied by after its columns were divided, as the row itself says.
func (p *person) factor(x []float64) float64 {
	if p.intercept >= 0 && p.intercept < len(x) {
		return byIntercept(x[p.intercept])
	}
	return 1
}

func byIntercept(v float64) float64 {
	if math.Abs(v) > 1e-9 {
		return v
	}
	return 1
}

// words are a sample's attributes and its label. Numbers of no more than a share of their column's largest, which is
// what rounding leaves of an estimate, are 0.
func (p *person) words(x []float64, y, share float64) (all []string) {
	by := p.factor(x)
	for _, a := range p.attributes {
		if a.values != nil {
			all = append(all, a.values[p.active(x, by, &a)])
			continue
		}
		c := a.columns[0]
		v := x[c] / by
		if math.Abs(v) <= share*p.largest[c] || v == 0 { // not −0
			v = 0
		}
		v *= p.divisors[c]
		all = append(all, fmt.Sprintf("%.6g", v))
	}
	if y == 0 {
		return append(all, "not determined")
	}
	return append(all, p.classes[y])
}

// active is which of a category's columns is the largest.
func (p *person) active(x []float64, by float64, a *attribute) int {
	best := 0
	for k, c := range a.columns {
		if x[c]/by*p.divisors[c] > x[a.columns[best]]/by*p.divisors[a.columns[best]] {
			best = k
		}
	}
	return best
}

// right says which attributes of an estimate are those of a sample, and whether its label is.
func (p *person) right(x []float64, y float64, is *adversary.Sample) (all []bool) {
	by, truly := p.factor(x), p.factor(is.X)
	for _, a := range p.attributes {
		if a.values != nil {
			all = append(all, p.active(x, by, &a) == p.active(is.X, truly, &a))
			continue
		}
		c := a.columns[0]
		all = append(all, math.Abs(x[c]/by-is.X[c]/truly) <= 1e-6*p.largest[c])
	}
	return append(all, y == is.Y)
}
