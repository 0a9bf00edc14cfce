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

// states are those of a run, the most troubling first.
var states = []string{failing, record.Diverging, record.MovingAway, record.Moving, record.AtRest, record.Unknown,
	record.Converged}

// standing is how the stored runs of a point went.
type standing struct {
	of int                   // how many there are
	in map[string]*instances // by state
}

// instances are the runs of a point that are in a state.
type instances struct {
	runs  int
	first int // the number of one
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
	rmse     span // of the optimum in the test rows, where they have targets
	base     span
	ridge    *Result // whose optimum gives up most test error, or else loss, for its ridge
	warnings []*warning
	known    map[string]*warning
	finished int
	private  int // runs that claim privacy
}

// warning is what runs warn of: texts that differ in numbers only are one.
type warning struct {
	text  string // of the first run
	first int
	count int
}

// Summarise writes what the stored runs of a sweep are worth: how many runs have
// converged, and by name the points of those that have not, and what to change; the optimum's test error
// beside that of always saying the larger class; what the ridge costs; and the warnings.
func Summarise(w io.Writer, p *Plan, s Store) error {
	none := span{math.Inf(1), math.Inf(-1)}
	m := &summary{plan: p, points: map[int]*standing{}, optimum: none, base: none, rmse: none,
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
	p := m.points[number]
	if p == nil {
		p = &standing{in: map[string]*instances{}}
		m.points[number] = p
	}
	p.of++
	in := p.in[state]
	if in == nil {
		in = &instances{first: r.Index}
		if r.Facts != nil && state != record.Converged {
			in.how = r.Convergence
		}
		p.in[state] = in
	}
	in.runs++
	if r.Facts == nil {
		return
	}
	m.finished++
	if r.Claim != nil {
		m.private++
	}
	m.optimum.take(r.OptimumTestError)
	m.base.take(r.BaseError)
	if r.OptimumFit != nil {
		m.rmse.take(r.OptimumFit.TestRMSE)
	}
	if r.Ridge != nil && (m.ridge == nil || m.costs(r) > m.costs(m.ridge)) {
		m.ridge = r
	}
	for _, text := range r.Warnings {
		key := report.Alike(text)
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
	all := 0
	for _, p := range m.points {
		all += p.of
	}
	for _, state := range slices.Backward(states) {
		in := slices.DeleteFunc(slices.Clone(numbers), func(n int) bool { return m.points[n].in[state] == nil })
		if len(in) == 0 {
			continue
		}
		runs := 0
		for _, n := range in {
			runs += m.points[n].in[state].runs
		}
		fmt.Fprintf(&b, "progress: %d of %d runs %s, at %d of %d points\n", runs, all, state, len(in), len(numbers))
		if state == record.Converged {
			continue
		}
		for k, n := range in {
			if k == listed {
				fmt.Fprintf(&b, "  and %d more; %s has all, in its column progress\n", len(in)-listed, csvFile)
				break
			}
			b.WriteString("  " + m.line(n, state) + "\n")
		}
	}
	if m.optimum.low <= m.optimum.high {
		e := metrics.Named("test_error").Text
		fmt.Fprintf(&b, "test error at the optimum: %s; of always the larger class: %s\n", m.optimum.text(e),
			m.base.text(e))
	}
	if m.rmse.low <= m.rmse.high {
		fmt.Fprintf(&b, "test RMSE at the optimum: %s\n", m.rmse.text(metrics.Named("test_rmse").Text))
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
	if m.private > 0 && all > 1 {
		remedy := " (sweep --account from the start gives each its own noise and composes them, --select chooses " +
			"privately)"
		if m.plan.Apart || m.plan.Select != nil { // which it was
			remedy = ""
		}
		fmt.Fprintf(&b, "privacy: each run spends its own ε on the rows; who sees several, or chooses among them by "+
			"their results, sees more than one run's ε covers%s\n", remedy)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line names a point, says how many of its runs are in a state, and of the first of these
// how it went.
func (m *summary) line(number int, state string) string {
	p := m.points[number]
	in := p.in[state]
	text := m.plan.name(number)
	if p.of > 1 {
		text += fmt.Sprintf(" (%d of %d seeds)", in.runs, p.of)
	}
	if in.how != nil {
		text += fmt.Sprintf("; run %d: %s", in.first, report.Progress(in.how))
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
