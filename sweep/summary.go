// What a sweep's numbers are worth, at its end: which points have not come to the
// optimum, what the optimum itself gives up, and what the runs warn of.

package sweep

import (
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"overhear/metrics"
	"overhear/record"
	"overhear/report"
)

// failing is the state of a run that ended with an error other than divergence.
const failing = "failed"

// states are those of a point, the most troubling first: a point is in the first of these
// in which one of its runs is.
var states = []string{failing, record.Diverging, record.MovingAway, record.Moving, record.AtRest, record.Unknown,
	record.Converged}

// standing is the state of a point.
type standing struct {
	state int // in states
	runs  int // in that state, of all that are stored
	of    int
	first int // such a run
	how   *record.Convergence
}

// span is the range of a number over runs.
type span struct{ low, high float64 }

func (s *span) take(x record.Number) {
	if v := float64(x); !math.IsNaN(v) {
		s.low, s.high = math.Min(s.low, v), math.Max(s.high, v)
	}
}

func (s *span) text(format func(float64) string) string {
	if format(s.low) == format(s.high) {
		return format(s.low)
	}
	return format(s.low) + " to " + format(s.high)
}

// summary gathers the stored runs of a sweep.
type summary struct {
	plan     *Plan
	points   map[int]*standing
	optimum  span // test error
	base     span
	ridge    *Result // whose optimum gives up most test error, or else loss, for its ridge
	warnings []*warning
	known    map[string]*warning
	finished int
}

// warning is what runs warn of: texts that differ in numbers only are one.
type warning struct {
	text  string // of the first run
	first int
	count int
}

// Summarise writes what the stored runs of a sweep are worth: how many points have
// converged, and by name those that have not and what to change; the optimum's test error
// beside that of always saying the larger class; what the ridge costs; and the warnings.
func Summarise(w io.Writer, p *Plan, s Store) error {
	none := span{math.Inf(1), math.Inf(-1)}
	m := &summary{plan: p, points: map[int]*standing{}, optimum: none, base: none,
		known: map[string]*warning{}}
	err := s.All(func(index int, b []byte) error {
		r, err := Decode(b)
		if err != nil {
			return fmt.Errorf("run %d: %w", index, err)
		}
		m.take(r)
		return nil
	})
	if err != nil {
		return err
	}
	return m.write(w)
}

func (m *summary) take(r *Result) {
	state := failing
	switch {
	case r.Diverged:
		state = record.Diverging
	case r.Error == "" && r.Convergence == nil:
		state = record.Unknown
	case r.Error == "":
		state = r.Convergence.State
	}
	number := m.plan.Task(r.Index).Point
	at := slices.Index(states, state)
	p := m.points[number]
	if p == nil {
		p = &standing{state: len(states)}
		m.points[number] = p
	}
	if p.of++; at < p.state {
		p.state, p.runs, p.first, p.how = at, 0, r.Index, nil
		if r.Facts != nil && state != record.Converged {
			p.how = r.Convergence
		}
	}
	if at == p.state {
		p.runs++
	}
	if r.Facts == nil {
		return
	}
	m.finished++
	m.optimum.take(r.OptimumTestError)
	m.base.take(r.BaseError)
	if r.Ridge != nil && (m.ridge == nil || m.costs(r) > m.costs(m.ridge)) {
		m.ridge = r
	}
	for _, text := range r.Warnings {
		key := anyNumber.ReplaceAllString(text, "0")
		v := m.known[key]
		if v == nil {
			v = &warning{text: text, first: r.Index}
			m.known[key], m.warnings = v, append(m.warnings, v)
		}
		v.count++
	}
}

// costs is what the optimum of a run gives up for its ridge, as test error or else as loss.
func (m *summary) costs(r *Result) float64 {
	if c := float64(r.OptimumTestError - r.Ridge.SmallerTestError); !math.IsNaN(c) {
		return c
	}
	return float64(r.Ridge.Loss - r.Ridge.SmallerLoss)
}

func (m *summary) write(w io.Writer) error {
	var b strings.Builder
	numbers := slices.Sorted(maps.Keys(m.points))
	for at := len(states) - 1; at >= 0; at-- {
		in := slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return m.points[n].state != at })
		if len(in) == 0 {
			continue
		}
		fmt.Fprintf(&b, "progress: %d of %d points %s\n", len(in), len(numbers), states[at])
		if states[at] == record.Converged {
			continue
		}
		for k, n := range in {
			if k == listed {
				fmt.Fprintf(&b, "  and %d more; %s has all, in its column progress\n", len(in)-listed, csvFile)
				break
			}
			b.WriteString("  " + m.line(n) + "\n")
		}
	}
	if m.optimum.low <= m.optimum.high {
		e := metrics.Named("test_error").Text
		fmt.Fprintf(&b, "test error at the optimum: %s; of always the larger class: %s\n", m.optimum.text(e),
			m.base.text(e))
	}
	if m.ridge != nil {
		fmt.Fprintf(&b, "rho, where it costs most (%s): %s\n", m.name(m.ridge.Index),
			report.Ridge(m.ridge.Ridge, m.ridge.OptimumTestError))
	}
	for _, v := range m.warnings {
		of := ""
		if v.count < m.finished {
			of = fmt.Sprintf("%d of %d runs, the first being %d: ", v.count, m.finished, v.first)
		}
		fmt.Fprintf(&b, "warning: %s%s\n", of, v.text)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line names a point and says of its first run in the point's state how it went.
func (m *summary) line(number int) string {
	p := m.points[number]
	text := m.plan.name(number)
	if p.runs < p.of {
		text += fmt.Sprintf(" (%d of %d seeds)", p.runs, p.of)
	}
	if p.how != nil {
		text += fmt.Sprintf("; run %d: %s", p.first, report.Progress(p.how))
	}
	return text
}

func (m *summary) name(index int) string {
	return fmt.Sprintf("run %d, %s", index, m.plan.name(m.plan.Task(index).Point))
}

// name is a point's values of the grid.
func (p *Plan) name(point int) string {
	var all []string
	values := p.Values(point)
	for k, path := range p.Paths() {
		all = append(all, path+"="+plainText(values[k]))
	}
	if all == nil {
		return "the scenario itself"
	}
	return strings.Join(all, " ")
}
