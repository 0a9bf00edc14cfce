// A figure that a reader recomputes: what it is of, what may be changed, and what it comes to.

package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"overhear/internal/plural"
	"overhear/report/plot"
	"overhear/reproduce"
	_ "overhear/reproduce/papers" // registers the figures
	"overhear/scenarios"
)

// living is a figure with what makes it quick enough for a page, and what a reader may change.
type living struct {
	figure     *reproduce.Figure
	study      *reproduce.Study
	tasks      int      // runs and audits of a study
	set        []string // changes to the scenario, `path=value`, before the curves' own
	seeds      int      // of a curve
	title      string   // in place of the figure's own, which names other data; "": that one
	data       computedOn
	parameters []Parameter
}

// Parameter is a key of the scenario that a reader may change.
type Parameter struct {
	Key     string  `json:"key"`
	Label   string  `json:"label"`
	About   string  `json:"about"`
	Kind    string  `json:"kind"` // number, integer or choice
	Min     float64 `json:"min,omitempty"`
	Max     float64 `json:"max,omitempty"`
	Step    float64 `json:"step,omitempty"`
	Scale   string  `json:"scale,omitempty"` // linear or log
	Values  []Value `json:"values,omitempty"`
	Default any     `json:"default"`
}

// Value is one of a choice's.
type Value struct {
	Value string `json:"value"` // YAML
	Label string `json:"label"`
}

// Description is what a page says of a figure before it is computed.
type Description struct {
	Name       string      `json:"name"`
	Title      string      `json:"title"`
	Paper      string      `json:"paper"`
	About      string      `json:"about"`
	On         string      `json:"on"`   // which data, in few words
	Data       string      `json:"data"` // and in full
	Parameters []Parameter `json:"parameters"`
	Command    string      `json:"command"`
}

type catalogue struct {
	Figures []Description `json:"figures"`
}

// Descriptions are all figures, in the order of pages.
func Descriptions() (all []Description) {
	for k := range figures {
		l := &figures[k]
		d := Description{Name: l.name(), On: l.data.brief, Data: l.data.text, Parameters: l.parameters,
			Command: l.command(nil)}
		if l.study != nil {
			d.Title, d.About = l.study.Title, l.study.About
		} else {
			d.Title, d.Paper, d.About = cmp.Or(l.title, l.figure.Title), l.figure.Paper, l.figure.Stated
		}
		all = append(all, d)
	}
	return all
}

// Computed is what a figure came to.
type Computed struct {
	Charts     []picture   `json:"charts"`
	Statements []statement `json:"statements"`
	Runs       []ranOnce   `json:"runs"`
	Digest     string      `json:"digest"` // of the runs' labels and digests, and of the verdicts
	Drawn      string      `json:"drawn"`  // digest of the charts as they are drawn
	Seconds    float64     `json:"seconds"`
	Command    string      `json:"command"` // that prints the same
}

type statement struct {
	Claim   string `json:"claim"`
	Verdict string `json:"verdict"`
	Found   string `json:"found"`
}

type ranOnce struct {
	Label  string `json:"label"`
	Digest string `json:"digest"`
}

// Names are those of all figures.
func Names() (all []string) {
	for k := range figures {
		all = append(all, figures[k].name())
	}
	return all
}

// Check says what is wrong with a figure's name and a reader's changes, if anything is.
func Check(name string, changes map[string]string) error {
	_, _, err := find(name, changes)
	return err
}

// find is the figure of a name, with a reader's changes as `path=value`.
func find(name string, changes map[string]string) (*living, []string, error) {
	k := slices.Index(Names(), name)
	if k < 0 {
		return nil, nil, fmt.Errorf("no figure of the site is called %q%s; there are: %s", name,
			scenarios.Suggest(name, Names()), strings.Join(Names(), ", "))
	}
	chosen, err := figures[k].choose(changes)
	return &figures[k], chosen, err
}

// Compute computes a figure with a reader's changes, by the key of a parameter. tell is told how far it is.
func Compute(ctx context.Context, name string, changes map[string]string, tell func(share float64,
	text string)) (*Computed, error) {
	l, chosen, err := find(name, changes)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	v, err := l.compute(ctx, chosen, tell)
	if err != nil {
		return nil, err
	}
	answer := &Computed{Command: l.command(chosen)}
	drawn := sha256.New()
	v.Pictures(func(name string, c plot.Chart) {
		p := draw(len(answer.Charts)+1, name, c)
		answer.Charts = append(answer.Charts, p)
		fmt.Fprintln(drawn, p.SVG)
	})
	answer.Drawn = hex.EncodeToString(drawn.Sum(nil))
	sum := sha256.New()
	for _, r := range v.Runs {
		answer.Runs = append(answer.Runs, ranOnce(r))
		fmt.Fprintf(sum, "%s\t%s\n", r.Label, r.Digest)
	}
	for _, c := range v.Claims {
		answer.Statements = append(answer.Statements, statement{plain(c.Text), string(c.Verdict()), plain(c.Measured)})
		fmt.Fprintf(sum, "%s\t%s\n", c.Text, c.Verdict())
	}
	answer.Digest = hex.EncodeToString(sum.Sum(nil))
	answer.Seconds = time.Since(start).Seconds()
	return answer, nil
}

func (l *living) name() string {
	if l.study != nil {
		return strings.ReplaceAll(l.study.Name, "/", "-")
	}
	return l.figure.Name
}

// compute does the runs.
func (l *living) compute(ctx context.Context, chosen []string, tell progress) (*reproduce.Varied, error) {
	set := slices.Concat(l.set, chosen)
	if l.study == nil {
		return l.figure.Vary(ctx, set, l.seeds, func(share float64) {
			tell(share, fmt.Sprintf("%.0f %% of %s", 100*share, plural.Of(l.seeds*len(l.figure.Curves), "run")))
		})
	}
	return l.study.Vary(ctx, set, func(n int) {
		tell(float64(n-1)/float64(l.tasks), fmt.Sprintf("computation %d of %d", n, l.tasks))
	})
}

// choose are a reader's changes as `path=value`, in the order of the parameters; what is as usual is no change. The
// error says all that is wrong with them.
func (l *living) choose(changes map[string]string) (chosen []string, err error) {
	var wrong []error
	var keys []string
	for k := range l.parameters {
		p := &l.parameters[k]
		keys = append(keys, p.Key)
		value, ok := changes[p.Key]
		if !ok {
			continue
		}
		value, err := p.take(value)
		if err != nil {
			wrong = append(wrong, err)
		} else if value != p.usual() {
			chosen = append(chosen, p.Key+"="+value)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(changes)) {
		if !slices.Contains(keys, key) {
			wrong = append(wrong, fmt.Errorf("%s has no parameter %q%s; it has: %s", l.name(), key,
				scenarios.Suggest(key, keys), strings.Join(keys, ", ")))
		}
	}
	if wrong != nil {
		return nil, errors.Join(wrong...)
	}
	return chosen, nil
}

// take is a value of the parameter as scenarios have it.
func (p *Parameter) take(text string) (string, error) {
	if p.Kind == choice {
		var words []string
		for _, v := range p.Values {
			if text == v.Value || text == v.Label {
				return v.Value, nil
			}
			words = append(words, v.Label)
		}
		return "", fmt.Errorf("%s must be one of %s, is %q", p.Key, strings.Join(words, ", "), text)
	}
	v, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(v >= p.Min && v <= p.Max):
		return "", fmt.Errorf("%s must be a number from %v to %v, is %q", p.Key, p.Min, p.Max, text)
	case p.Kind == integer && math.Mod(v-p.Min, p.Step) != 0:
		return "", fmt.Errorf("%s must be one of %v, %v, … %v, is %q", p.Key, p.Min, p.Min+p.Step, p.Max, text)
	}
	return number(v), nil
}

// usual is the default as scenarios have it.
func (p *Parameter) usual() string {
	if v, ok := p.Default.(float64); ok {
		return number(v)
	}
	return fmt.Sprint(p.Default)
}

// number is a number as it stands in commands: the shortest text that is the same number.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// command prints the same.
func (l *living) command(chosen []string) string {
	words := []string{"simulate", "site", "--figure", l.name()}
	for _, set := range chosen {
		if strings.ContainsAny(set, " {}[]'\"*?$&|<>;()") {
			set = "'" + set + "'"
		}
		words = append(words, "--set", set)
	}
	return strings.Join(words, " ")
}

// plain is Markdown without its marks.
func plain(s string) string { return strings.NewReplacer("`", "", "**", "").Replace(s) }
