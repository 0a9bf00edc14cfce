// How well attacks reconstructed samples: against the rounds used, against what
// was varied between runs, and against the distance from the observer.

package attack

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"

	"overhear/record"
	"overhear/report/plot"
)

// least is the smallest error that a logarithmic axis shows.
const least = 1e-17

// relative is the error of an estimate; NaN where the truth is not at hand.
func relative(e *record.Estimate) float64 {
	if e == nil || e.Score == nil || !finite(float64(e.Score.Relative)) {
		return math.NaN()
	}
	return math.Max(least, float64(e.Score.Relative))
}

// best is the estimate of least error, or the last one where none has a score;
// nil if there are none.
func best(f *record.Finding) *record.Estimate {
	var chosen *record.Estimate
	for k := range f.Estimates {
		e := &f.Estimates[k]
		if chosen == nil || math.IsNaN(relative(chosen)) || relative(e) < relative(chosen) {
			chosen = e
		}
	}
	return chosen
}

// found is a finding and where it comes from.
type found struct {
	*record.Finding
	run int // index into Attacks
}

// findings are all findings, and the attacks' names in order of appearance.
func (e *Evaluation) findings() (all []found, attacks []string) {
	for k, a := range e.Attacks {
		for j := range a.Findings {
			f := &a.Findings[j]
			all = append(all, found{f, k})
			if !slices.Contains(attacks, f.Attack) {
				attacks = append(attacks, f.Attack)
			}
		}
	}
	return all, attacks
}

// titleOf is what a finding's attack is called.
func titleOf(f *record.Finding) string {
	if f.Title != "" {
		return f.Title
	}
	return f.Attack
}

// path is an attack's errors against rounds.
type path struct {
	label, run    string
	rounds, error []float64
}

// mostLines is how many reconstructions have a line each.
const mostLines = 6

// errorLabel names the axis of errors.
const errorLabel = "relative error ‖x̂ − x‖/‖x‖"

// errorsByRound draws error against rounds used, one figure an attack, or one
// for all where few.
func (a *album) errorsByRound(e *Evaluation) []*drawing {
	all, attacks := e.findings()
	byAttack := map[string][]path{}
	titles := map[string]string{}
	lines := 0
	for _, f := range all {
		p := path{label: fmt.Sprintf("node %d", f.Victim), run: e.lineName(f.run)}
		if len(e.Attacks) > 1 {
			p.label = e.lineName(f.run) + ", " + p.label
			if e.oneVictim() {
				p.label = e.lineName(f.run)
			}
		}
		for k := range f.Estimates {
			if err := relative(&f.Estimates[k]); !math.IsNaN(err) {
				p.rounds, p.error = append(p.rounds, float64(f.Estimates[k].Rounds)), append(p.error, err)
			}
		}
		if len(p.rounds) > 1 {
			byAttack[f.Attack] = append(byAttack[f.Attack], p)
			titles[f.Attack] = titleOf(f.Finding)
			lines++
		}
	}
	if len(e.Attacks) == 1 && lines <= mostLines {
		var together []path
		for _, name := range attacks {
			for _, p := range byAttack[name] {
				p.label = titles[name] + ", " + p.label
				together = append(together, p)
			}
		}
		return a.paths(e, "Reconstruction error against rounds", together)
	}
	var drawn []*drawing
	for _, name := range attacks {
		drawn = append(drawn, a.paths(e, titles[name]+": error against rounds", byAttack[name])...)
	}
	return drawn
}

// lineName is short for an attacked run.
func (e *Evaluation) lineName(k int) string {
	if e.Axis == nil {
		return e.runName(k)
	}
	return e.Axis.Label + " = " + level(e.Axis.Values[k])
}

// oneVictim says whether all findings are about the same node.
func (e *Evaluation) oneVictim() bool {
	all, _ := e.findings()
	return !slices.ContainsFunc(all, func(f found) bool { return f.Victim != all[0].Victim })
}

// paths draws errors against rounds: a line each, or median and range where many.
func (a *album) paths(e *Evaluation, title string, paths []path) []*drawing {
	if len(paths) == 0 {
		return nil
	}
	p := &plot.Chart{Title: title, X: plot.Axis{Label: "rounds used", Whole: true}, Y: plot.Linear(errorLabel)}
	numbers := &table{Head: []string{"rounds used"}}
	var rounds []float64
	for _, s := range paths {
		p.Y.Log = p.Y.Log || wide(1.5, s.error, []float64{1})
		rounds = append(rounds, s.rounds...)
	}
	sort.Float64s(rounds)
	rounds = slices.Compact(rounds)
	text := ""
	if len(paths) > mostLines {
		if byRun := medians(paths); len(byRun) > 1 {
			text = fmt.Sprintf("Medians of %d reconstructions. ", len(paths))
			for len(byRun) > mostLines { // every other one, with the first and the last
				last := len(byRun) - 1
				byRun = slices.DeleteFunc(byRun, func(p path) bool {
					k := slices.IndexFunc(byRun, func(q path) bool { return q.run == p.run })
					return k%2 == 1 && k != last
				})
			}
			paths = byRun
		}
	}
	if len(paths) <= mostLines {
		for _, s := range paths {
			p.Lines = append(p.Lines, plot.Line{Label: s.label, X: s.rounds, Y: s.error})
			numbers.Head = append(numbers.Head, s.label)
		}
		for _, t := range rounds {
			row := []cell{value(t)}
			for _, s := range paths {
				at := slices.Index(s.rounds, t)
				if at < 0 {
					row = append(row, value(math.NaN()))
				} else {
					row = append(row, value(s.error[at]))
				}
			}
			numbers.Rows = append(numbers.Rows, row)
		}
	} else {
		var low, middle, high []float64
		numbers.Head = append(numbers.Head, "least", "median", "greatest", "attacked")
		for _, t := range rounds {
			var here []float64
			for _, s := range paths {
				if at := slices.Index(s.rounds, t); at >= 0 {
					here = append(here, s.error[at])
				}
			}
			l, m, h := threeOf(here)
			low, middle, high = append(low, l), append(middle, m), append(high, h)
			numbers.Rows = append(numbers.Rows, []cell{value(t), value(l), value(m), value(h), whole(len(here))})
		}
		label := fmt.Sprintf("median and range of %d", len(paths))
		p.Lines = append(p.Lines, plot.Line{Label: label, X: rounds, Y: middle, Low: low, High: high})
		text = fmt.Sprintf("Median and range of %d reconstructions. ", len(paths))
	}
	if len(rounds) < 2 {
		return nil
	}
	p.Lines = append(p.Lines, e.guess(rounds[0], rounds[len(rounds)-1]))
	text += "An error is worth something as far as it is below that of a guess without any message."
	p.About = fmt.Sprintf("Relative error of the reconstructed sample against the number of rounds used, from %s to "+
		"%s rounds. %s", plot.Number(rounds[0]), plot.Number(rounds[len(rounds)-1]), text)
	if d := a.chart(p, text, numbers.thin(figureRows)); d != nil {
		return []*drawing{d}
	}
	return nil
}

// medians are the paths of each run, or level of the axis, as one.
func medians(paths []path) []path {
	var all []path
	for _, p := range paths {
		if slices.ContainsFunc(all, func(q path) bool { return q.run == p.run }) {
			continue
		}
		m := path{label: p.run, run: p.run}
		byRound := map[float64][]float64{}
		for _, q := range paths {
			for k, t := range q.rounds {
				if q.run == p.run {
					byRound[t] = append(byRound[t], q.error[k])
				}
			}
		}
		m.rounds = slices.Sorted(maps.Keys(byRound))
		for _, t := range m.rounds {
			_, middle, _ := threeOf(byRound[t])
			m.error = append(m.error, middle)
		}
		all = append(all, m)
	}
	return all
}

// guess is the error of guesses with what observers know and without any message, the median of all findings; of runs
// that have none it is that of the answer zero.
func (e *Evaluation) guess(from, to float64) plot.Line {
	label, at := "answering zero", 1.0
	var errors []float64
	all, _ := e.findings()
	for _, f := range all {
		if len(f.Estimates) > 0 && len(f.Baselines) > 0 {
			errors = append(errors, float64(f.Baselines[0].Guess))
		}
	}
	if len(errors) > 0 {
		_, at, _ = threeOf(errors)
		label = "guessing without messages"
	}
	return plot.Line{Label: label, Look: plot.Reference, X: []float64{from, to}, Y: []float64{at, at}}
}

// threeOf is least, median and greatest.
func threeOf(v []float64) (low, middle, high float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	v = slices.Clone(v)
	sort.Float64s(v)
	return v[0], (v[(len(v)-1)/2] + v[len(v)/2]) / 2, v[len(v)-1]
}

// errorsByAxis draws the error against what was varied.
func (a *album) errorsByAxis(e *Evaluation) *drawing {
	if e.Axis == nil {
		return nil
	}
	var values []float64
	for _, v := range e.Axis.Values {
		if finite(v) && !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	sort.Float64s(values)
	if len(values) < 2 {
		return nil
	}
	p := &plot.Chart{
		Title: "Reconstruction error against " + e.Axis.Label, X: plot.Linear(e.Axis.Label), Y: plot.Linear(errorLabel),
	}
	text := ""
	if wide(1, values) && values[0] >= 0 {
		p.X.Log = true
		if values[0] == 0 {
			p.X.Zero = values[1] / 4
			text = "The axis is logarithmic but for its left end, which is 0. "
		}
	}
	all, attacks := e.findings()
	numbers := &table{Head: []string{e.Axis.Label, "attack", "least", "median", "greatest", "attacked", "blocked"}}
	var rows [][][]cell
	several := false
	for _, name := range attacks {
		var x, low, middle, high []float64
		title := name
		for _, v := range values {
			var here []float64
			stopped := 0
			for _, f := range all {
				if f.Attack != name || e.Axis.Values[f.run] != v {
					continue
				}
				title = titleOf(f.Finding)
				if f.Succeeded == record.Blocked {
					stopped++
				}
				if err := relative(best(f.Finding)); !math.IsNaN(err) {
					here = append(here, err)
				}
			}
			if len(here) == 0 {
				continue
			}
			l, m, h := threeOf(here)
			several = several || len(here) > 1
			x, low, middle, high = append(x, v), append(low, l), append(middle, m), append(high, h)
			rows = append(rows, [][]cell{{value(v), word(title), value(l), value(m), value(h), whole(len(here)),
				whole(stopped)}})
		}
		if len(x) == 0 {
			continue
		}
		p.Y.Log = p.Y.Log || wide(1.5, middle, []float64{1})
		c := plot.Line{Label: title, X: x, Y: middle}
		if several {
			c.Low, c.High = low, high
		}
		p.Lines = append(p.Lines, c)
	}
	for _, r := range rows {
		numbers.Rows = append(numbers.Rows, r...)
	}
	if len(p.Lines) == 0 {
		return nil
	}
	p.Lines = append(p.Lines, e.guess(values[0], values[len(values)-1]))
	if several {
		text += "Lines are medians over the victims and seeds, bands their ranges. "
	}
	text += "Each reconstruction counts with its best estimate."
	p.About = fmt.Sprintf("Relative error of the best reconstruction against %s, at %d values from %s to %s. %s",
		e.Axis.Label, len(values), plot.Number(values[0]), plot.Number(values[len(values)-1]), text)
	return a.chart(p, text, numbers)
}

// errorsByHops draws the error against the hops to the nearest node the observer
// watches.
func (a *album) errorsByHops(e *Evaluation) *drawing {
	all, attacks := e.findings()
	p := &plot.Chart{
		Title: "Reconstruction error against distance", Y: plot.Linear(errorLabel),
		X: plot.Axis{Label: "hops from the victim to the nearest watched node", Whole: true},
	}
	numbers := &table{Head: []string{"hops", "attack", "least", "median", "greatest", "attacked", "blocked"}}
	seen := map[int]bool{}
	closed := map[int]bool{} // hops at which attacks were blocked
	farthest := 0
	text := ""
	for _, name := range attacks {
		byHops := map[int][]float64{}
		stopped := map[int]int{}
		title := name
		for _, f := range all {
			n := e.Attacks[f.run].Placement
			if f.Attack != name || f.Victim < 0 || f.Victim >= len(n.Hops) || len(n.Watched) == 0 ||
				n.Hops[f.Victim] < 0 {
				continue
			}
			title = titleOf(f.Finding)
			h := n.Hops[f.Victim]
			if f.Succeeded == record.Blocked {
				stopped[h]++
				closed[h] = true
				farthest = max(farthest, h)
			}
			if err := relative(best(f.Finding)); !math.IsNaN(err) {
				byHops[h] = append(byHops[h], err)
				seen[h] = true
				farthest = max(farthest, h)
			}
		}
		var x, middle, each, error []float64
		for h := range farthest + 1 {
			if len(byHops[h])+stopped[h] == 0 {
				continue
			}
			l, m, g := threeOf(byHops[h])
			numbers.Rows = append(numbers.Rows, []cell{whole(h), word(title), value(l), value(m), value(g),
				whole(len(byHops[h])), whole(stopped[h])})
			if len(byHops[h]) == 0 {
				continue
			}
			x, middle = append(x, float64(h)), append(middle, m)
			for _, v := range byHops[h] {
				each, error = append(each, float64(h)), append(error, v)
			}
		}
		if len(x) == 0 {
			continue
		}
		p.Y.Log = p.Y.Log || wide(1.5, error, []float64{1})
		p.Lines = append(p.Lines,
			plot.Line{Label: title, Look: plot.Scatter, X: each, Y: error},
			plot.Line{Look: plot.Plain, X: x, Y: middle})
	}
	if len(seen) < 2 {
		return nil
	}
	if len(closed) > 0 {
		stops := plot.Line{Label: "an attack was blocked", Look: plot.Crosses}
		for h := range farthest + 1 {
			if closed[h] {
				stops.X = append(stops.X, float64(h))
			}
		}
		p.Lines = append(p.Lines, stops)
	}
	p.X.Low, p.X.High = -0.3, float64(farthest)+0.3
	p.Lines = append(p.Lines, e.guess(-0.3, float64(farthest)+0.3))
	text += "A mark is a victim, with its best estimate; lines join the medians. 0 hops: the victim is itself " +
		"watched, or an end of a tapped link. Attacks that were blocked have no error."
	p.About = fmt.Sprintf("Relative error of the best reconstruction of each victim against its distance from the "+
		"observer, 0 to %d hops. %s", farthest, text)
	return a.chart(p, text, numbers)
}
