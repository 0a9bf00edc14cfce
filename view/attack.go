// What the run's adversary had worked out by when.

package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/record"
)

// Attack is the adversary's view of a run. Its attacks were carried out on the first packets that it sees, in order of
// arrival, for growing numbers of them. While they are carried out there are fewer points than there will be, or none.
type Attack struct {
	Sees   string   `json:"sees"`
	Knows  string   `json:"knows"`
	Wants  string   `json:"wants"`
	Acts   string   `json:"acts"` // which nodes lie; empty: none
	Unseen []string `json:"unseen"`

	Unscored string           `json:"unscored"` // why nothing is scored; empty: it is
	Untried  []record.Untried `json:"untried"`  // attacks that do not suit, and why

	Victims []int        `json:"victims"`
	Watched []int        `json:"watched"` // empty: everything is seen
	Order   []int        `json:"order"`   // rows of Packets that it sees, in order of arrival
	Points  []int        `json:"points"`  // ascending numbers of these
	Lines   []AttackLine `json:"lines"`
}

// AttackLine is an attack on a victim. What it says at a point is in Says; many points say the same.
type AttackLine struct {
	Attack   string         `json:"attack"`
	Title    string         `json:"title"`
	Equation string         `json:"equation"`
	Victim   int            `json:"victim"`
	Exact    int            `json:"exact"` // the point from which on it is exact; −1: it is not at the end
	Columns  []string       `json:"columns"`
	At       []int          `json:"at"` // by point, of Says
	Says     []AttackSaying `json:"says"`
}

// AttackSaying is what an attack has come to.
type AttackSaying struct {
	Outcome    record.Outcome `json:"outcome"`
	Said       string         `json:"said"` // the outcome in words
	Conclusion string         `json:"conclusion"`
	Of         string         `json:"of"`
	By         string         `json:"by"`
	Error      number         `json:"error"`
	Guess      number         `json:"guess"`
	Sample     []string       `json:"sample"` // the estimate, by column; null: none
	Truth      []string       `json:"truth"`
	Right      []bool         `json:"right"`
	Sentence   string         `json:"sentence"` // the estimate in short
	TrueOne    string         `json:"true_one"` // the truth in short
	Odds       []record.Odds  `json:"odds"`
}

// attack prepares the attacks of the run's adversary.
func (b *builder) attack(ctx context.Context, o Options) error {
	advancing, err := evaluation.NewAdvancing(ctx, b.from, evaluation.AdvanceOptions{DataDir: o.DataDir, Sets: o.Sets,
		Points: o.Points})
	var setup experiment.SetupError
	switch {
	case o.Sets == nil && (errors.As(err, &setup) || errors.Is(err, record.ErrNotRecorded)):
		b.note("The adversary's view is not known: %v.", err)
		return nil
	case err != nil:
		return err
	case advancing == nil:
		b.note("The scenario has no adversary; with --set adversary.knows.all-but=0 it has one, who knows all rows " +
			"of node 0 but one. simulate list attacks says which methods attacks suit.")
		return nil
	}
	b.advancing = advancing
	b.Attack = attackOf(advancing.Result())
	if b.Attack.Unscored != "" {
		b.note("The attacks are not scored, and neither samples nor how near estimates come to them are shown: %s.",
			b.Attack.Unscored)
	}
	if scale := b.scenario.Problem.Scale; !scale.Intercept && scale.Rows != "none" {
		b.note("Rows are scaled (problem.scale.rows: %s) and have no intercept, which would tell by how much: samples "+
			"of the adversary's view are those of scaled rows.", scale.Rows)
	}
	return nil
}

// attackOf is what an adversary has worked out, as the page needs it.
func attackOf(a *evaluation.Advance) *Attack {
	out := &Attack{Sees: a.Threat.Sees, Knows: a.Threat.Knows, Wants: a.Threat.Wants, Acts: a.Threat.Acts,
		Unseen: a.Unseen, Unscored: a.Unscored, Untried: a.Untried,
		Victims: a.Victims, Watched: a.Watched, Order: a.Order, Points: a.Points,
		Lines: []AttackLine{}}
	if out.Watched == nil {
		out.Watched = []int{}
	}
	if out.Points == nil {
		out.Points = []int{}
	}
	for _, l := range a.Lines {
		line := AttackLine{Attack: l.Attack, Title: l.Title, Equation: l.Equation, Victim: l.Victim, Exact: l.Exact(),
			Columns: l.Columns}
		for k := range l.Steps {
			if k == 0 || !l.Steps[k].Same(&l.Steps[k-1]) {
				line.Says = append(line.Says, saying(&l, &l.Steps[k]))
			}
			line.At = append(line.At, len(line.Says)-1)
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

func saying(l *evaluation.AdvanceLine, s *evaluation.AdvanceStep) AttackSaying {
	return AttackSaying{Outcome: s.Outcome, Said: s.Said, Conclusion: s.Conclusion, Of: s.Of, By: s.By,
		Error: number(s.Error), Guess: number(s.Guess), Sample: s.Sample, Truth: s.Truth, Right: s.Right, Odds: s.Odds,
		Sentence: sentence(l.Columns, s.Sample), TrueOne: sentence(l.Columns, s.Truth)}
}

// foremost are attributes by which people know people; others follow in the order of the data. Where all words are of
// these they need no name: "Male".
var foremost = []string{"age", "sex", "gender", "marital-status", "race", "education", "occupation"}

// sentence is a sample as a person reads it: "age 39, Male, Never-married". Of many values it has some, and says how
// many more there are.
func sentence(columns, values []string) string {
	const most = 6 // besides the label
	if values == nil {
		return ""
	}
	order := make([]int, 0, len(columns))
	for _, name := range foremost {
		if k := slices.Index(columns, name); k >= 0 {
			order = append(order, k)
		}
	}
	for k := range columns[:len(columns)-1] {
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
	}
	shown := order[:min(most, len(order))]
	word := func(k int) bool { return !strings.ContainsAny(values[k][:min(1, len(values[k]))], "-+.0123456789") }
	bare := !slices.ContainsFunc(shown, func(k int) bool { return word(k) && !slices.Contains(foremost, columns[k]) })
	var words []string
	for _, k := range shown {
		value := values[k]
		if !word(k) || !bare {
			value = columns[k] + " " + value // "no" says nothing without "smoker"
		}
		words = append(words, value)
	}
	if more := len(order) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	last := len(columns) - 1
	return strings.Join(append(words, columns[last]+" "+values[last]), ", ")
}
