// Scores of what attacks found, from the truth. No attack receives it.

package adversary

import (
	"fmt"
	"math"
	"slices"

	"overhear/internal/num"
	"overhear/record"
)

// Truth is what an observer wanted to know. It is no part of a View, so that no
// attack can read it; what is not at hand is zero.
type Truth struct {
	// Samples are those that an Estimate may be of: the one that the informed
	// adversary lacks, or all of the victim's. An Estimate is compared with the
	// nearest.
	Samples []Sample

	// Knows is what the observer was given. Its Candidates are ranked by distance
	// to an Estimate, its Schema tells which columns are one-hot groups.
	Knows *Knowledge

	// Guess is what a Fact's Values are guessed to be without what the attack worked out, and how; false: zero.
	Guess func(f *record.Fact) (values []float64, by string, ok bool)

	Member func(candidate int) bool               // of the victim's samples, or blocks
	Label  func(user int) float64                 // ±1; 0: not at hand
	Value  func(s Sample) int                     // which value of the unknown attribute a sample has
	Fact   func(f *record.Fact) ([]float64, bool) // what a Fact's Values should be

	Rounding float64 // relative error that solves leave in what was observed
}

// What counts as found.
const (
	exactly  = 1e-6 // relative error of an estimate or fact that is Exact
	halfway  = 0.5  // relative error below which it is Partial
	unlikely = 0.01 // probability that guessing does as well, below which verdicts are Partial
)

// notKnown stands for a number whose truth is not at hand.
var notKnown = record.Number(math.NaN())

// Score compares a finding with the truth. It fills the scores of Estimates,
// Facts, Members and Labels, the Baselines, and the outcome, which is the best of these;
// whatever is not better than its baseline has Failed, and the conclusion says so. What may not be all there is, as the
// finding's Doubt says, is Partial at most:
//
//   - Estimates, of which the last is the best informed: Exact if its relative
//     error is at most 1e-6, Partial if it is below ½. The baseline is the best of the zero vector, which
//     has relative error 1, the mean of the known rows, that with the commonest value of each coded column, the mean
//     of the candidates, and the sample with the likeliest value of its unknown attribute. If Y is 0, X is compared
//     with ±x, whichever is nearer, and the conclusion says so, as does whoever tells the outcome (Said). What else
//     is found beside a sample, such as the gradients that it was worked out from, is not Exact where that is not.
//
//   - Facts: Exact if every relative error is at most 1e-6, Partial if the median is below ½. The error of one that is
//     zero to what the observations are exact to is relative to its Terms. The rank of
//     the data, where it may be that of the columns, or hidden rows may add to it, is never more than Partial.
//     The baseline is the median error of what the observer would say without the attack, such as a value of
//     another node of the same round; else 0.
//
//   - Members, but for those that are left open: Exact if all verdicts are right, Partial if verdicts and
//     truth go together by Fisher's exact test, one-sided, at level 0.01. If
//     candidates are all members, or none is, there is nothing to be told apart and
//     the verdicts do not count. The error is the mean of the shares of members and of others that are wrong,
//     and the baseline ½, that of tossing a coin.
//
//   - Labels: Partial if so many are right that guessing the more frequent
//     label has a probability below 0.01 of it by the binomial test, Exact
//     if moreover all are. That label is the baseline.
//
//   - Rows: each is compared with the sample to which the assignment of least distance gives it, and found if it is
//     within 1 % of it. Exact if all are, with errors of at most 1e-6, Partial if some are. The baseline is the share
//     of samples within 1 % of one of the guesses.
//
//   - Links: Exact if all are right, Partial if so many are that guessing has a probability below 0.01 of it; the
//     baseline is one message among those of its round.
//
//   - Odds: the error is −ln of the probability of the true value, the baseline that before the messages. Exact if the
//     probability is within 1e-6 of 1, Partial if it is at least 0.99.
//
// Otherwise it is Failed. A finding without anything to compare, and a blocked
// one, keeps its outcome.
func Score(f *record.Finding, truth *Truth) {
	if f.Succeeded == record.Blocked {
		return
	}
	var outcomes []record.Outcome
	add := func(o record.Outcome, ok bool) {
		if ok {
			outcomes = append(outcomes, o)
		}
	}
	sample, compared := truth.estimates(f)
	add(sample, compared)
	add(truth.facts(f))
	add(truth.members(f))
	add(truth.labels(f))
	add(truth.rows(f))
	add(linked(f))
	add(truth.odds(f))
	for _, o := range []record.Outcome{record.Exact, record.Partial, record.Failed} {
		if slices.Contains(outcomes, o) {
			f.Succeeded = o
			if o == record.Exact && (f.Doubt != "" || sample != "" && sample != record.Exact) {
				f.Succeeded = record.Partial
			}
			return
		}
	}
}

// outcome is what a relative error amounts to.
func outcome(relative float64) record.Outcome {
	switch {
	case relative <= exactly:
		return record.Exact
	case relative < halfway:
		return record.Partial
	}
	return record.Failed
}

func (t *Truth) estimates(f *record.Finding) (record.Outcome, bool) {
	if len(f.Estimates) == 0 || len(t.Samples) == 0 {
		return "", false
	}
	for k := range f.Estimates {
		f.Estimates[k].Score = t.score(&f.Estimates[k])
	}
	last := f.Estimates[len(f.Estimates)-1]
	if last.Y == 0 && !f.SignOpen {
		f.SignOpen = true
		f.Conclusion += "; X was scored up to its sign, the label not being determined"
	}
	beside := record.Baseline{Of: "the sample, relative", Error: last.Score.Relative, Guess: record.Number(math.Inf(1))}
	guesses := t.Knows.guesses(len(last.X))
	for _, g := range guesses {
		e := record.Estimate{X: g.x, Y: last.Y}
		if score := t.score(&e); score.Relative < beside.Guess {
			beside.Guess, beside.By = score.Relative, g.by
		}
	}
	for k := range f.Estimates {
		f.Estimates[k].Score.Guessed = t.coded(guesses, &f.Estimates[k])
	}
	return beats(f, &beside, outcome(float64(last.Score.Relative))), true
}

// coded is how many groups of the nearest sample to an estimate the guesses have right, of the best of them.
func (t *Truth) coded(guesses []guess, e *record.Estimate) (right int) {
	if t.Knows == nil || t.Knows.Schema == nil {
		return 0
	}
	x := t.Nearest(e).X
	for _, g := range guesses[1:] {
		n := 0
		for _, group := range t.Knows.Schema.Groups {
			n += bit(active(g.x, group) == active(x, group))
		}
		right = max(right, n)
	}
	return right
}

// beats enters a baseline; what is not better than it is no success.
func beats(f *record.Finding, b *record.Baseline, o record.Outcome) record.Outcome {
	f.Baselines = append(f.Baselines, *b)
	if b.Better() || o == record.Failed && !(float64(b.Error) < halfway) {
		return o
	}
	f.Conclusion += fmt.Sprintf("; that is no better than guessing: the error of %s is %.2g, and that of %s %.2g", b.Of,
		float64(b.Error), b.By, float64(b.Guess))
	return record.Failed
}

// score compares an estimate with the nearest sample.
func (t *Truth) score(e *record.Estimate) *record.Score {
	either := e.Y == 0
	nearest := t.Nearest(e)
	x := nearest.X
	away := apart(e.X, x, either)
	cosine := num.Dot(e.X, x) / (num.Norm(e.X) * num.Norm(x))
	if either {
		cosine = math.Abs(cosine)
	}
	s := &record.Score{Relative: record.Number(ratio(away, num.Norm(x))), Cosine: record.Number(cosine)}
	if !either {
		right := e.Y == nearest.Y
		s.Label = &right
	}
	if t.Knows == nil {
		return s
	}
	if t.Knows.Schema != nil {
		for _, group := range t.Knows.Schema.Groups {
			s.OneHotOf++
			if active(e.X, group) == active(x, group) {
				s.OneHot++
			}
		}
	}
	if c := t.Knows.Candidates; c != nil && len(c.Y) > 0 {
		s.Rank, s.Candidates = 1, 1
		for n := range c.Y {
			other := c.At(n)
			if other.Y == nearest.Y && slices.Equal(other.X, x) {
				continue // the sample itself
			}
			s.Candidates++
			if apart(e.X, other.X, either) < away {
				s.Rank++
			}
		}
	}
	return s
}

// Nearest is the sample that an estimate is nearest to.
func (t *Truth) Nearest(e *record.Estimate) *Sample {
	either := e.Y == 0
	nearest := &t.Samples[0]
	for k := range t.Samples {
		if apart(e.X, t.Samples[k].X, either) < apart(e.X, nearest.X, either) {
			nearest = &t.Samples[k]
		}
	}
	return nearest
}

// apart is the distance of vectors, or, either way, up to the sign of the first.
func apart(x, y []float64, either bool) float64 {
	minus, plus := 0.0, 0.0
	for k := range x {
		minus += float64((x[k] - y[k]) * (x[k] - y[k]))
		plus += float64((x[k] + y[k]) * (x[k] + y[k]))
	}
	if either {
		minus = min(minus, plus)
	}
	return math.Sqrt(minus)
}

// rounded is the relative error up to which rounding, of sums of a few terms, may bring what is zero.
const rounded = 1e-14

// scale is what an error of a vector is relative to: its size or, where that is within the error of the terms that it
// is the sum of and so may be all error, theirs.
func scale(size, error, terms float64) float64 {
	if size <= error {
		return terms
	}
	return size
}

// ratio is an error relative to what it is an error of.
func ratio(away, size float64) float64 {
	if away == 0 {
		return 0
	}
	return away / size
}

// active is the column of a group whose value is largest in size, −1 if all
// are zero.
func active(x []float64, group []int) int {
	best, largest := -1, 0.0
	for _, c := range group {
		if v := math.Abs(x[c]); v > largest {
			best, largest = c, v
		}
	}
	return best
}

func (t *Truth) facts(f *record.Finding) (record.Outcome, bool) {
	if t.Fact == nil {
		return "", false
	}
	var all, guessed []float64
	by := "zero"
	for k := range f.Facts {
		fact := &f.Facts[k]
		fact.Relative = notKnown
		if truth, ok := t.Fact(fact); ok {
			size := num.Norm(truth)
			zero := size // the error of saying so
			size = scale(size, max(t.Rounding, rounded)*fact.Terms, fact.Terms)
			if size == 0 { // as of the same gradient twice: the error itself
				size = 1
			}
			without := zero / size
			r := ratio(apart(fact.Values, truth, false), size)
			fact.Relative = record.Number(r)
			all = append(all, r)
			if t.Guess != nil {
				if v, how, ok := t.Guess(fact); ok {
					if e := ratio(apart(v, truth, false), size); e < without {
						without, by = e, how
					}
				}
			}
			guessed = append(guessed, without)
		}
	}
	if len(all) == 0 {
		return "", false
	}
	slices.Sort(all)
	slices.Sort(guessed)
	beside := record.Baseline{Of: "the median fact, relative", Error: record.Number(all[len(all)/2]),
		Guess: record.Number(guessed[len(guessed)/2]), By: by}
	open := slices.ContainsFunc(f.Facts, func(k record.Fact) bool {
		return k.Kind == record.DataRank || k.Kind == record.LeastRank
	})
	switch {
	case all[len(all)-1] <= exactly && !open:
		return beats(f, &beside, record.Exact), true
	case all[len(all)/2] < halfway:
		return beats(f, &beside, record.Partial), true
	}
	return beats(f, &beside, record.Failed), true
}

func (t *Truth) members(f *record.Finding) (record.Outcome, bool) {
	if t.Member == nil || len(f.Members) == 0 {
		return "", false
	}
	var table [2][2]int // by truth and verdict
	for k := range f.Members {
		m := &f.Members[k]
		truth := t.Member(m.Candidate)
		m.Truth = &truth
		if m.Open {
			continue
		}
		table[bit(truth)][bit(m.Member)]++
	}
	members, others := table[1][0]+table[1][1], table[0][0]+table[0][1]
	if members == 0 || others == 0 {
		return "", false
	}
	o := record.Failed
	switch {
	case table[1][0] == 0 && table[0][1] == 0:
		o = record.Exact
	case fisher(table[1][1], members, table[0][1], others) < unlikely:
		o = record.Partial
	}
	wrong := (float64(table[1][0])/float64(members) + float64(table[0][1])/float64(others)) / 2
	return beats(f, &record.Baseline{Of: "verdicts, the mean of members' and others'", Error: record.Number(wrong),
		Guess: 0.5, By: "tossing a coin"}, o), true
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fisher is the probability that, of as many verdicts "member" as were given,
// drawn at random among the candidates, at least so many hit members.
func fisher(hits, members, misses, others int) float64 {
	given := hits + misses
	p := 0.0
	for k := hits; k <= min(given, members); k++ {
		if given-k <= others {
			p += num.Exp(choose(members, k) + choose(others, given-k) - choose(members+others, given))
		}
	}
	return min(1, p)
}

// choose is the logarithm of the binomial coefficient.
func choose(n, k int) float64 {
	return num.LogGamma(float64(n+1)) - num.LogGamma(float64(k+1)) - num.LogGamma(float64(n-k+1))
}

func (t *Truth) labels(f *record.Finding) (record.Outcome, bool) {
	if t.Label == nil {
		return "", false
	}
	n, right, positive := 0, 0, 0
	for k := range f.Labels {
		l := &f.Labels[k]
		if l.Truth = t.Label(l.User); l.Truth == 0 {
			continue
		}
		n++
		right += bit(l.Guess == l.Truth)
		positive += bit(l.Truth > 0)
	}
	if n == 0 {
		return "", false
	}
	chance := float64(max(positive, n-positive)) / float64(n)
	o := record.Partial
	switch {
	case tail(n, right, chance) >= unlikely:
		o = record.Failed
	case right == n:
		o = record.Exact
	}
	return beats(f, &record.Baseline{Of: "labels", Error: record.Number(1 - float64(right)/float64(n)),
		Guess: record.Number(1 - chance), By: "the more frequent label"}, o), true
}

// tail is the probability of at least k successes in n trials.
func tail(n, k int, chance float64) float64 {
	if chance >= 1 {
		return 1
	}
	p := 0.0
	for ; k <= n; k++ {
		p += num.Exp(choose(n, k) + float64(float64(k)*num.Log(chance)) + float64(float64(n-k)*num.Log1p(-chance)))
	}
	return min(1, p)
}

// near is the relative error up to which a row counts as found.
const near = 0.01

// rows compares all rows with all samples.
func (t *Truth) rows(f *record.Finding) (record.Outcome, bool) {
	if len(f.Rows) == 0 || len(t.Samples) == 0 {
		return "", false
	}
	signed := func(x []float64, y float64) []float64 {
		u := slices.Clone(x)
		if y != 0 {
			num.Scale(y, u)
		}
		return u
	}
	var truth [][]float64
	for _, s := range t.Samples {
		truth = append(truth, signed(s.X, s.Y))
	}
	costs := make([][]float64, len(f.Rows))
	for k := range f.Rows {
		r := &f.Rows[k]
		for _, u := range truth {
			costs[k] = append(costs[k], apart(signed(r.X, r.Y), u, r.Y == 0))
		}
	}
	missed, largest := float64(len(truth)), 0.0
	for k, n := range assign(costs) {
		if n < 0 {
			largest = math.Inf(1)
			continue
		}
		one := Truth{Samples: t.Samples[n : n+1], Knows: t.Knows}
		f.Rows[k].Score = one.score(&f.Rows[k])
		r := float64(f.Rows[k].Score.Relative)
		largest = max(largest, r)
		if r <= near {
			missed--
		}
	}
	guessed, by := 0.0, "zero"
	for _, g := range t.Knows.guesses(len(truth[0])) {
		hits := 0.0
		for _, s := range t.Samples {
			hits += float64(bit(apart(g.x, s.X, true) <= near*num.Norm(s.X)))
		}
		if hits > guessed {
			guessed, by = hits, g.by
		}
	}
	o := record.Failed
	switch {
	case missed == 0 && largest <= exactly:
		o = record.Exact
	case missed < float64(len(truth)):
		o = record.Partial
	}
	n := float64(len(truth))
	return beats(f, &record.Baseline{Of: "all rows, the share not found to 1 %", Error: record.Number(missed / n),
		Guess: record.Number(1 - guessed/n), By: by}, o), true
}

// linked counts links that are right.
func linked(f *record.Finding) (record.Outcome, bool) {
	if len(f.Links) == 0 {
		return "", false
	}
	right, chance := 0, 0.0
	for _, l := range f.Links {
		right += bit(l.Sender == f.Victim)
		chance += 1 / float64(l.Among) / float64(len(f.Links))
	}
	o := record.Partial
	n := len(f.Links)
	switch luck := tail(n, right, chance); {
	case luck >= unlikely:
		o = record.Failed
		f.Conclusion += fmt.Sprintf("; %d of %d are right, as many as guesses are with probability %.3g, where less "+
			"than %g is asked for", right, n, luck, unlikely)
	case right == n:
		o = record.Exact
	}
	return beats(f, &record.Baseline{Of: "links", Error: record.Number(1 - float64(right)/float64(len(f.Links))),
		Guess: record.Number(1 - chance), By: "a message of the round at random"}, o), true
}

// odds says how likely the true value of an attribute was held to be.
func (t *Truth) odds(f *record.Finding) (record.Outcome, bool) {
	if len(f.Odds) == 0 || t.Value == nil || len(t.Samples) == 0 {
		return "", false
	}
	for n := range f.Odds {
		is := n == t.Value(t.Samples[0])
		f.Odds[n].Truth = &is
	}
	k := slices.IndexFunc(f.Odds, func(o record.Odds) bool { return o.Truth != nil && *o.Truth })
	if k < 0 {
		return "", false
	}
	posterior, prior := float64(f.Odds[k].Posterior), float64(f.Odds[k].Prior)
	o := record.Failed
	if posterior > prior && posterior < 1-unlikely {
		f.Conclusion += fmt.Sprintf("; the true value has %.4g, and %g is asked for", posterior,
			1-unlikely)
	}
	switch {
	case posterior >= 1-exactly:
		o = record.Exact
	case posterior >= 1-unlikely:
		o = record.Partial
	}
	return beats(f, &record.Baseline{Of: "the attribute, −ln of the probability of its value",
		Error: record.Number(max(0, -num.Log(posterior))), Guess: record.Number(-num.Log(prior)),
		By: "how often values are among the rows that are known"}, o), true
}
