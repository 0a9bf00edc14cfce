// Scores against what they are by hand.

package adversary

import (
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/record"
)

func TestScore_Estimates(t *testing.T) {
	truth := Sample{X: []float64{0.6, 0, 0.8, 0}, Y: -1}
	candidates := new(Samples)
	candidates.Add(Sample{X: []float64{0.6, 0.1, 0.8, 0}, Y: 1})
	candidates.Add(truth)
	candidates.Add(Sample{X: []float64{0, 1, 0, 0}, Y: 1})
	know := &Knowledge{Candidates: candidates, Schema: &Schema{Groups: [][]int{{0, 1}, {2, 3}}, Intercept: -1}}
	for _, c := range []struct {
		name     string
		x        []float64
		y        float64
		outcome  record.Outcome
		relative float64
		label    int // 1: right, −1: wrong, 0: none
		oneHot   int
		rank     int
	}{
		{"exact", []float64{0.6, 0, 0.8, 0}, -1, record.Exact, 0, 1, 2, 1},
		{"to 5e-7", []float64{0.6, 0, 0.8 + 5e-7, 0}, -1, record.Exact, 5e-7, 1, 2, 1},
		{"to 2e-6", []float64{0.6, 0, 0.8 + 2e-6, 0}, -1, record.Partial, 2e-6, 1, 2, 1},
		{"near", []float64{0.6, 0, 0.5, 0}, 1, record.Partial, 0.3, -1, 2, 1},
		{"nearer another", []float64{0.6, 0.1, 0.8, 0}, -1, record.Partial, 0.1, 1, 2, 2},
		{"zero", []float64{0, 0, 0, 0}, 1, record.Failed, 1, -1, 0, 1},
		// distances 2, 2.002, 1.414
		{"reversed, with label", []float64{-0.6, 0, -0.8, 0}, -1, record.Failed, 2, 1, 2, 2},
		{"reversed, without", []float64{-0.6, 0, -0.8, 0}, 0, record.Exact, 0, 0, 2, 1},
		// 0.849, 0.781, 0.894
		{"another value", []float64{0, 0.6, 0.8, 0}, -1, record.Failed, 0.6 * math.Sqrt2, 1, 1, 2},
	} {
		f := &record.Finding{Succeeded: record.Unscored, Estimates: []record.Estimate{{X: []float64{9, 9, 9, 9}, Y: 1},
			{X: c.x, Y: c.y}}}
		Score(f, &Truth{Samples: []Sample{{X: []float64{-7, 7, 7, 7}, Y: 1}, truth}, Knows: know})
		s := f.Estimates[1].Score
		label := 0
		if s.Label != nil {
			label = 2*bit(*s.Label) - 1
		}
		if f.Succeeded != c.outcome || !(math.Abs(float64(s.Relative)-c.relative) <= 1e-12) || label != c.label ||
			s.OneHotOf != 2 || s.Candidates != 3 {
			t.Errorf("%s: %s, %+v, label %d", c.name, f.Succeeded, *s, label)
		}
		if s.OneHot != c.oneHot || s.Rank != c.rank {
			t.Errorf("%s: %d groups, rank %d, want %d, %d", c.name, s.OneHot, s.Rank, c.oneHot, c.rank)
		}
		if (c.y == 0) != (f.SignOpen) {
			t.Errorf("%s: conclusion %q", c.name, f.Conclusion)
		}
	}
}

// What is found beside a sample, such as the gradients that it was worked out from, is no more exact than that, and of
// samples whose labels are open it is said.
func TestScore_SamplesThatAreOpenAreNotExact(t *testing.T) {
	x := []float64{0.6, 0.8}
	for _, c := range []struct {
		what string
		f    record.Finding
		want string
	}{
		{"a sample", record.Finding{Estimates: []record.Estimate{{X: x, Y: 1}}}, "exact"},
		{"a sample that is nearly right", record.Finding{Estimates: []record.Estimate{{X: []float64{0.6, 0.81}, Y: 1}}},
			"partial"},
		{"a wrong sample", record.Finding{Estimates: []record.Estimate{{X: []float64{9, 9}, Y: 1}}}, "partial"},
		{"a sample that another fits beside", record.Finding{Estimates: []record.Estimate{{X: x, Y: 1}},
			Doubt: "another fits"}, "partial"},
		{"a sample without label", record.Finding{Estimates: []record.Estimate{{X: x}}}, "exact up to its sign"},
		{"a row", record.Finding{Rows: []record.Estimate{{X: x, Y: 1}}}, "exact"},
		{"a row without label", record.Finding{Rows: []record.Estimate{{X: x}}}, "exact up to its sign"},
	} {
		if len(c.f.Estimates) > 0 {
			c.f.Facts = []record.Fact{{Values: []float64{3, 4}}}
		}
		Score(&c.f, &Truth{Samples: []Sample{{X: x, Y: 1}},
			Fact: func(*record.Fact) ([]float64, bool) { return []float64{3, 4}, true }})
		if got := c.f.Said(); got != c.want {
			t.Errorf("%s is %s, not %s: %s", c.what, got, c.want, c.f.Conclusion)
		}
	}
}

func TestScore_Facts(t *testing.T) {
	want := []float64{3, 4}
	score := func(all ...[]float64) *record.Finding {
		f := &record.Finding{Succeeded: record.Unscored}
		for _, v := range all {
			f.Facts = append(f.Facts, record.Fact{Values: v})
		}
		Score(f, &Truth{Fact: func(*record.Fact) ([]float64, bool) { return want, true }})
		return f
	}
	if f := score([]float64{3, 4}, []float64{3, 4 + 1e-7}); f.Succeeded != record.Exact {
		t.Errorf("%s, want exact", f.Succeeded)
	}
	if f := score([]float64{3, 4}, []float64{3, 4}, []float64{3, 9}); f.Succeeded != record.Partial ||
		f.Facts[2].Relative != 1 {
		t.Errorf("%s, %+v, want partial", f.Succeeded, f.Facts)
	}
	if f := score([]float64{3, 9}, []float64{3, 9}, []float64{3, 4}); f.Succeeded != record.Failed {
		t.Errorf("%s, want failed", f.Succeeded)
	}
	f := &record.Finding{Succeeded: record.Unscored, Facts: []record.Fact{{Values: want}}}
	Score(f, &Truth{Fact: func(*record.Fact) ([]float64, bool) { return nil, false }})
	if f.Succeeded != record.Unscored || !math.IsNaN(float64(f.Facts[0].Relative)) {
		t.Errorf("truth is not at hand, but %s, %v", f.Succeeded, f.Facts[0].Relative)
	}
}

// A truth that is zero but for what rounding, or the solver, leaves has the scale of the terms that the fact is a
// difference of; a larger one has its own, and what is wrong stays so.
func TestScore_FactsThatAreZeroButForRounding(t *testing.T) {
	for _, c := range []struct {
		truth, says, terms, rounding float64
		want                         record.Outcome
	}{
		{1e-15, -2e-15, 3, 0, record.Exact}, {1e-15, 2e-10, 3, 1e-10, record.Exact},
		{1e-15, 3.1e-6, 3, 0, record.Partial},
		{0, 3.1e-6, 3, 1e-10, record.Partial}, {0, 2, 3, 0, record.Failed},
		{1e-12, 2e-12, 3, 0, record.Failed}, {1e-9, 2e-9, 3, 1e-10, record.Failed},
		{1, 1 + 1.1e-6, 3, 1e-10, record.Partial}, {1e-15, 2e-15, 0, 1e-10, record.Failed},
	} {
		// Of the other two what is said is right, so that the outcome is not by how near zero a guess is.
		f := &record.Finding{Succeeded: record.Unscored, Facts: []record.Fact{
			{Values: []float64{c.says}, Terms: c.terms}, {Values: []float64{1}, Round: 1},
			{Values: []float64{1}, Round: 1}}}
		if c.want == record.Failed {
			f.Facts = f.Facts[:1]
		}
		Score(f, &Truth{Rounding: c.rounding, Fact: func(f *record.Fact) ([]float64, bool) {
			return [][]float64{{c.truth}, {1}}[f.Round], true
		}})
		if f.Succeeded != c.want {
			t.Errorf("%+v: %s, off by %v", c, f.Succeeded, f.Facts[0].Relative)
		}
		own := math.Abs(c.says-c.truth) / c.truth
		if c.truth > math.Max(c.rounding, 1e-14)*c.terms && !(math.Abs(float64(f.Facts[0].Relative)-own) <= 1e-9) {
			t.Errorf("%+v: off by %v, not by %v of its own size", c, f.Facts[0].Relative, own)
		}
	}
}

// Verdicts on n candidates, of which the first are members.
func verdicts(member, others []bool) *record.Finding {
	f := &record.Finding{Succeeded: record.Unscored}
	for k, m := range append(append([]bool(nil), member...), others...) {
		f.Members = append(f.Members, record.Membership{Candidate: k, Member: m})
	}
	Score(f, &Truth{Member: func(c int) bool { return c < len(member) }})
	return f
}

func some(yes, no int) (all []bool) {
	for k := range yes + no {
		all = append(all, k < yes)
	}
	return all
}

func TestScore_Members(t *testing.T) {
	for _, c := range []struct {
		name           string
		member, others []bool
		want           record.Outcome
	}{
		{"all right", some(3, 0), some(0, 9), record.Exact},
		{"nearly", some(9, 1), some(1, 9), record.Partial},
		{"as by chance", some(5, 5), some(5, 5), record.Failed},
		{"always yes", some(10, 0), some(10, 0), record.Failed},
		{"always no", some(0, 10), some(0, 90), record.Failed},
		{"too few to tell", some(1, 1), some(0, 2), record.Failed},
		{"nothing to tell apart", some(4, 0), nil, record.Unscored},
	} {
		if f := verdicts(c.member, c.others); f.Succeeded != c.want || f.Members[0].Truth != nil &&
			!*f.Members[0].Truth {
			t.Errorf("%s: %s, want %s", c.name, f.Succeeded, c.want)
		}
	}
	// The lady tasting tea: P(3 or more of 4 hit) = 17/70.
	if p := fisher(3, 4, 1, 4); !(math.Abs(p-17.0/70) <= 1e-12) {
		t.Errorf("Fisher's test gives %v, want 17/70", p)
	}
}

func TestScore_Labels(t *testing.T) {
	score := func(n, right, positive int) *record.Finding {
		f := &record.Finding{Succeeded: record.Unscored}
		truth := func(user int) float64 {
			if user < positive {
				return 1
			}
			return -1
		}
		for k := range n {
			guess := truth(k)
			if k >= right {
				guess = -guess
			}
			f.Labels = append(f.Labels, record.LabelGuess{User: k, Guess: guess})
		}
		Score(f, &Truth{Label: truth})
		return f
	}
	for _, c := range []struct {
		n, right, positive int
		want               record.Outcome
	}{
		{20, 20, 10, record.Exact},
		{20, 17, 10, record.Partial}, // P(≥ 17 of 20) = 0.0013
		{20, 14, 10, record.Failed},  // 0.058
		{20, 17, 15, record.Failed},  // the more frequent label is right 15 times
		{3, 3, 1, record.Failed},     // (2/3)³
	} {
		if f := score(c.n, c.right, c.positive); f.Succeeded != c.want || f.Labels[0].Truth != 1 {
			t.Errorf("%d of %d, %d positive: %s, want %s", c.right, c.n, c.positive, f.Succeeded, c.want)
		}
	}
	if p := tail(20, 17, 0.5); !(math.Abs(p-1351.0/1048576) <= 1e-12) {
		t.Errorf("P(≥ 17 of 20) = %v, want 1351/2^20", p)
	}
}

// A row is found if it is within 1 % of a sample, and so is a guess that it is set beside.
func TestScore_Rows(t *testing.T) {
	samples := []Sample{{X: []float64{1, 0}, Y: 1}, {X: []float64{0, 0.5}, Y: -1}}
	away := func(by float64) record.Finding { // the second row, by so much of its length
		return record.Finding{Rows: []record.Estimate{{X: []float64{1, 0}, Y: 1},
			{X: []float64{0, 0.5 * (1 + by)}, Y: -1}}}
	}
	for _, c := range []struct {
		by      float64
		missed  float64
		outcome record.Outcome
	}{{0, 0, record.Exact}, {0.9e-6, 0, record.Exact}, {1.1e-6, 0, record.Partial}, {0.0099, 0, record.Partial},
		{0.0101, 0.5, record.Partial}, {0.0199, 0.5, record.Partial}} {
		f := away(c.by)
		Score(&f, &Truth{Samples: samples, Knows: &Knowledge{}})
		if b := f.Baselines[0]; f.Succeeded != c.outcome || float64(b.Error) != c.missed || b.Guess != 1 {
			t.Errorf("%g away: %s, %+v", c.by, f.Succeeded, b)
		}
	}
	for by, guess := range map[float64]record.Number{0.0099: 0.5, 0.0101: 1, 0.0199: 1} {
		known := new(Samples) // whose mean is so near the second sample
		known.Add(Sample{X: []float64{0, 0.5 * (1 + by)}, Y: -1})
		f := away(0)
		Score(&f, &Truth{Samples: samples, Knows: &Knowledge{Others: known}})
		if b := f.Baselines[0]; b.Guess != guess {
			t.Errorf("a guess that is %g away: %+v", by, b)
		}
	}
}

// An attribute is held to be told from a probability of 0.99 of its true value on, and exactly within 1e-6 of 1.
func TestScore_Odds(t *testing.T) {
	for _, c := range []struct {
		posterior float64
		outcome   record.Outcome
		short     bool // the conclusion says of what
	}{{0.5, record.Failed, true}, {0.9899, record.Failed, true}, {0.99, record.Partial, false},
		{1 - 1.1e-6, record.Partial, false}, {1 - 0.9e-6, record.Exact, false}, {0.3, record.Failed, false}} {
		f := &record.Finding{Odds: []record.Odds{{Value: "a", Prior: 0.6, Posterior: record.Number(1 - c.posterior)},
			{Value: "b", Prior: 0.4, Posterior: record.Number(c.posterior)}}}
		Score(f, &Truth{Samples: []Sample{{X: []float64{1}, Y: 1}}, Value: func(Sample) int { return 1 }})
		if f.Succeeded != c.outcome || strings.Contains(f.Conclusion, "0.99 is asked for") != c.short {
			t.Errorf("%g: %s, %q", c.posterior, f.Succeeded, f.Conclusion)
		}
		b := f.Baselines[0]
		if !(math.Abs(float64(b.Error)+math.Log(c.posterior)) <= 1e-12) ||
			!(math.Abs(float64(b.Guess)+math.Log(0.4)) <= 1e-12) || *f.Odds[0].Truth || !*f.Odds[1].Truth {
			t.Errorf("%g: %+v", c.posterior, b)
		}
	}
}

// What cannot be compared keeps its outcome.
func TestScore_LeavesTheRestAlone(t *testing.T) {
	for _, o := range []record.Outcome{record.Blocked, record.Exact, record.Unscored} {
		f := &record.Finding{Succeeded: o, Checks: []record.Check{{Holds: true}}}
		if Score(f, &Truth{Samples: []Sample{{X: []float64{1}, Y: 1}}}); f.Succeeded != o {
			t.Errorf("%s became %s", o, f.Succeeded)
		}
	}
}

// An error that a guess from the known rows has, too, is no success: 0.38 where their mean has 0.30.
func TestScore_BesideGuesses(t *testing.T) {
	// Rows near one another: the mean of the known ones is 0.30 from the truth, which has norm 1.
	truth := Sample{X: []float64{0.8, 0.6, 0, 0}, Y: 1}
	known := new(Samples)
	for _, off := range []float64{0.1, -0.1} {
		known.Add(Sample{X: []float64{0.8 - 0.24, 0.6 + 0.18, off, 0}, Y: 1})
	}
	score := func(k *Knowledge, x ...float64) *record.Finding {
		f := &record.Finding{Succeeded: record.Unscored, Estimates: []record.Estimate{{X: x, Y: 1}}}
		Score(f, &Truth{Samples: []Sample{truth}, Knows: k})
		return f
	}
	know := &Knowledge{Others: known}
	for _, c := range []struct {
		knows *Knowledge
		off   float64
		want  record.Outcome
	}{
		{know, 0.38, record.Failed}, {know, 0.30 - 1e-9, record.Partial}, {know, 0.1, record.Partial},
		{know, 0, record.Exact}, {know, 0.7, record.Failed}, {new(Knowledge), 0.38, record.Partial}, {nil, 0.38,
			record.Partial},
		{&Knowledge{Data: map[int]*Samples{3: known}}, 0.38, record.Failed},
		{&Knowledge{Candidates: known}, 0.38, record.Failed},
	} {
		f := score(c.knows, 0.8, 0.6, 0, c.off)
		b := f.Baselines[0]
		guess := 0.3
		if c.knows == nil || c.knows.Others == nil && c.knows.Data == nil && c.knows.Candidates == nil {
			guess = 1
		}
		if f.Succeeded != c.want || !(math.Abs(float64(b.Guess)-guess) <= 1e-12) ||
			!(math.Abs(float64(b.Error)-c.off) <= 1e-12) {
			t.Errorf("an error of %v: %s, %+v", c.off, f.Succeeded, b)
		}
		says := strings.Contains(f.Conclusion, "no better than guessing: the error of the sample, relative is 0.38, "+
			"and that of the mean of the ")
		if says != (c.off == 0.38 && c.want == record.Failed) {
			t.Errorf("an error of %v: %q", c.off, f.Conclusion)
		}
	}
}

// The guess of a coded column is its commonest value among the known rows.
func TestScore_CodedColumns(t *testing.T) {
	groups := [][]int{{0, 1, 2}}
	known := new(Samples)
	for k := range 5 {
		x := make([]float64, 4)
		x[min(k, 2)], x[3] = 0.5, 0.5 // columns 0, 1, 2, 2, 2
		known.Add(Sample{X: x, Y: -1})
	}
	truth := Sample{X: []float64{0, 0, 0.5, 0.5}, Y: 1}
	f := &record.Finding{Estimates: []record.Estimate{{X: []float64{0, 0, 0.4, 0.4}, Y: 1}}}
	Score(f, &Truth{Samples: []Sample{truth}, Knows: &Knowledge{Others: known, Schema: &Schema{Groups: groups,
		Intercept: -1}}})
	b, s := f.Baselines[0], f.Estimates[0].Score
	if !(b.Guess <= 1e-12) || !strings.Contains(b.By, "commonest value") || f.Succeeded != record.Failed {
		t.Errorf("%s: %+v", f.Succeeded, b)
	}
	if s.OneHot != 1 || s.Guessed != 1 {
		t.Errorf("%+v", s)
	}
}

// Facts are held against what was seen, verdicts against a coin, labels against the commoner one.
func TestScore_OtherGuesses(t *testing.T) {
	f := &record.Finding{Facts: []record.Fact{{Values: []float64{3.2, 4}}}}
	truth := &Truth{Fact: func(*record.Fact) ([]float64, bool) { return []float64{3, 4}, true },
		Guess: func(*record.Fact) ([]float64, string, bool) { return []float64{3.1, 4}, "a neighbour's value", true }}
	if Score(f, truth); f.Succeeded != record.Failed || !(math.Abs(float64(f.Baselines[0].Guess)-0.02) <= 1e-12) ||
		!strings.Contains(f.Conclusion, "a neighbour's value 0.02") {
		t.Errorf("%s: %+v, %q", f.Succeeded, f.Baselines, f.Conclusion)
	}
	if m := verdicts(some(9, 1), some(1, 9)); !(math.Abs(float64(m.Baselines[0].Error)-0.1) <= 1e-12) ||
		m.Baselines[0].Guess != 0.5 {
		t.Errorf("%+v", m.Baselines)
	}
	l := &record.Finding{}
	for k := range 20 {
		l.Labels = append(l.Labels, record.LabelGuess{User: k, Guess: 1})
	}
	Score(l, &Truth{Label: func(user int) float64 {
		if user < 15 {
			return 1
		}
		return -1
	}})
	if b := l.Baselines[0]; l.Succeeded != record.Failed || b.Error != 0.25 || b.Guess != 0.25 {
		t.Errorf("%s: %+v", l.Succeeded, b)
	}
}

// Who would be farther off with what was seen than with zero says zero.
func TestScore_GuessesNothingWorseThanZero(t *testing.T) {
	for seen, want := range map[float64]record.Baseline{-3: {Guess: 1, By: "zero"}, 1.5: {Guess: 0.5, By: "seen"}} {
		f := record.Finding{Facts: []record.Fact{{Kind: record.PublishedValue, Values: []float64{0.9}}}}
		truth := &Truth{Fact: func(*record.Fact) ([]float64, bool) { return []float64{1}, true },
			Guess: func(*record.Fact) ([]float64, string, bool) { return []float64{seen}, "seen", true }}
		Score(&f, truth)
		if b := f.Baselines[0]; !(math.Abs(float64(b.Guess-want.Guess)) <= 1e-12) || b.By != want.By {
			t.Errorf("seen %v: %+v", seen, b)
		}
	}
}

// Who knows a sample but for an attribute guesses the rest of it, and the attribute at its likeliest value.
func TestScore_GuessOfASampleButForAnAttribute(t *testing.T) {
	f := coded(t, 8, 5, 1)
	rare, common := 0, 0
	for row := range 8 {
		k, truth := f.attributed(1, row, false)
		own := truth.Samples[0]
		prior := k.Attribute.prior(k)
		likely := k.Attribute.value(own) == slices.Index(prior, slices.Max(prior))
		e := record.Estimate{X: slices.Clone(own.X), Y: own.Y}
		e.X[5] += 0.01
		found := &record.Finding{Estimates: []record.Estimate{e}}
		Score(found, truth)
		b := found.Baselines[0]
		if likely != (b.Guess == 0) || likely != (found.Succeeded == record.Failed) ||
			likely && !strings.Contains(b.By, "likeliest value of its colour") {
			t.Errorf("row %d: %s, %+v", row, found.Succeeded, b)
		}
		common += bit(likely)
		rare += bit(!likely)
	}
	if common == 0 || rare == 0 {
		t.Errorf("%d likely, %d other values", common, rare)
	}
	k, truth := f.attributed(1, 0, true)
	found := &record.Finding{Estimates: []record.Estimate{{X: slices.Clone(truth.Samples[0].X), Y: truth.Samples[0].Y}}}
	if Score(found, truth); found.Succeeded != record.Failed || found.Baselines[0].Guess != 0 {
		t.Errorf("x, of which %s is all that is not known: %s, %+v", k.Attribute.Name, found.Succeeded, found.Baselines)
	}
}
