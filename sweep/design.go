// The design of a privacy parameter: a sweep over α, a curve through its losses, and the α at which privacy and
// accuracy together are worth most.

package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/algorithms"
	"overhear/internal/files"
	"overhear/internal/plural"
	"overhear/metrics"
	"overhear/record"
	"overhear/report/plot"
	"overhear/scenarios"
	"overhear/theory"
)

// designKey is the parameter that a design chooses: the privacy loss of a round, or the rate of its noise.
const designKey = "algorithm.alpha"

// designFile is what a design came to, in its sweep's directory.
const designFile = "design.json"

// Design says what to choose α by.
type Design struct {
	Sets        []string  // path=value
	Seeds       int       // 0: the scenario's
	Alpha       []float64 // to try
	Of          string    // metric that measures accuracy, of metrics.Metric.Error
	Utility     theory.Utility
	Least, Most float64 // between which α is chosen; 0: the least and greatest of Alpha
	Title       string  // of the figures; "": the scenario's name
}

// Plan is the sweep of a scenario's file over the α to try.
func (d *Design) Plan(file string) (*Plan, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	var values []string
	for _, a := range d.Alpha {
		values = append(values, strconv.FormatFloat(a, 'g', -1, 64))
	}
	if err := designable(file, append(slices.Clone(d.Sets), designKey+"="+values[0])); err != nil {
		return nil, err
	}
	p, err := NewPlan(file, Options{Sets: d.Sets, Seeds: d.Seeds, Grid: []string{designKey + "=" + strings.Join(values,
		",")}, Keep: KeepLast})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// designable says why α cannot be chosen for a scenario with these settings.
func designable(file string, sets []string) error {
	s, err := scenarios.Load(file, sets[:len(sets)-1]...)
	if err != nil {
		return err
	}
	_, parameter, _ := strings.Cut(designKey, ".")
	if able := scenarios.MethodsWith(parameter); !slices.Contains(able, s.Algorithm.Kind) {
		return fmt.Errorf("%s: algorithm.kind: %s has no %s to choose; methods with one are %s", file, s.Algorithm.Kind,
			parameter, strings.Join(able, ", "))
	}
	if s, err = scenarios.Load(file, sets...); err != nil {
		return err
	}
	switch {
	case s.Privacy.Epsilon != nil:
		return fmt.Errorf("%s: privacy.epsilon chooses the noise, so that %s has no effect; leave it out", file,
			designKey)
	case !algorithms.Noisy(s.Algorithm.Params):
		return fmt.Errorf("%s: algorithm.noise is off, so that %s has no effect", file, designKey)
	}
	return nil
}

func (d *Design) check() error {
	sorted := slices.Sorted(slices.Values(d.Alpha))
	switch {
	case len(slices.Compact(slices.Clone(sorted))) != len(d.Alpha):
		return fmt.Errorf("--alpha has a value twice: %s", plural.List(d.Alpha))
	case len(d.Alpha) < theory.LeastAlphas:
		return fmt.Errorf("--alpha needs at least %d values, one more than the curve has constants; it has %d",
			theory.LeastAlphas, len(d.Alpha))
	case !(sorted[0] > 0) || math.IsInf(sorted[len(sorted)-1], 1):
		return fmt.Errorf("--alpha takes positive numbers, not %s", plural.List(d.Alpha))
	}
	least, most := d.between()
	if !(least > 0 && most > least) || math.IsInf(most, 1) {
		return fmt.Errorf("--between takes two positive numbers, the less first, not %g,%g", least, most)
	}
	switch m, ok := metrics.Lookup(d.Of); {
	case !ok:
		return fmt.Errorf("--of is a metric, such as loss or test_error, not %q; simulate list metrics names them",
			d.Of)
	case !m.Error:
		var able []string
		for _, m := range metrics.All() {
			if m.Error {
				able = append(able, m.Name)
			}
		}
		return fmt.Errorf("--of takes a metric that is the less the better the model is, and %s is not; take one of %s",
			d.Of, strings.Join(able, ", "))
	}
	return nil
}

// between are the least and greatest α that may be chosen.
func (d *Design) between() (least, most float64) {
	least, most = d.Least, d.Most
	if least == 0 && most == 0 {
		least, most = slices.Min(d.Alpha), slices.Max(d.Alpha)
	}
	return least, most
}

// Tried is what was measured at an α.
type Tried struct {
	Alpha         float64       `json:"alpha"`
	Runs          int           `json:"runs"`
	Mean          float64       `json:"mean"`
	StandardError record.Number `json:"standard_error"` // of the mean; null: one run, of which none is known
	Least         float64       `json:"least"`
	Greatest      float64       `json:"greatest"`
	Net           float64       `json:"net"` // U − mean
}

// Curve is the curve through what was measured, c₄e^(−c₅α) + c₆.
type Curve struct {
	C4          float64       `json:"c4"`
	C5          float64       `json:"c5"`
	C6          float64       `json:"c6"`
	LargestMiss float64       `json:"largest_miss"`
	Explained   record.Number `json:"explained"` // share of the variance of the means; null: they are equal
	Alpha       float64       `json:"alpha"`     // at which U − L_acc is largest
	Net         float64       `json:"net"`       // U − L_acc there
	Miss        float64       `json:"miss"`      // how far the means next to that α are above the curve
}

// Worth is the utility of privacy.
type Worth struct {
	Form    string    `json:"form"`
	Weights []float64 `json:"weights"`
	Formula string    `json:"formula"`
}

// What an α is recommended by: the curve, or the means where it misses them.
const (
	ByCurve = "curve"
	ByMeans = "means"
)

// Designed is what a design came to.
type Designed struct {
	Name    string     `json:"name"`
	Method  string     `json:"method"`
	Of      string     `json:"of"`
	Rounds  int        `json:"rounds"`
	Tried   []Tried    `json:"tried"`
	Failed  int        `json:"failed"` // runs that are left out
	Curve   Curve      `json:"curve"`
	Utility Worth      `json:"utility"`
	Between [2]float64 `json:"between"`
	By      string     `json:"by"`      // ByCurve or ByMeans
	Alpha   float64    `json:"alpha"`   // the recommended one
	Net     float64    `json:"net"`     // U − L_acc there, or U − mean
	Spread  []float64  `json:"spread"`  // least and greatest α if one seed is left out; null: there is one seed
	Remarks []string   `json:"remarks"` // what keeps the α from being a good choice; none: nothing does
	Figures []string   `json:"-"`

	title     string
	condition string // of what the method claims, that fails in a run; "": none does
	fit       theory.Accuracy
	utility   theory.Utility
}

// Conclude fits the curve to the finished runs of a design's sweep and chooses α: the curve's, unless an α that was
// tried is worth more by its mean than what is measured says of the curve's, by more than the mean's standard error.
// Of one run none is known, and how far means lie off the curve stands for it.
func (d *Design) Conclude(dir *Dir) (*Designed, error) {
	s, _, err := dir.Plan.Scenario(0)
	if err != nil {
		return nil, err
	}
	out := &Designed{Name: dir.Plan.Name, Method: s.Algorithm.Kind, Of: d.Of, Rounds: s.Rounds.Count, title: d.Title,
		utility: d.Utility, Remarks: []string{}, Figures: []string{},
		Utility: Worth{d.Utility.Form, d.Utility.Weights, d.Utility.String()}}
	out.Between[0], out.Between[1] = d.between()
	measured, err := d.gather(dir, out)
	if err != nil {
		return nil, err
	}
	out.Tried = d.tried(measured, -1)
	var curve theory.Choice
	if out.fit, curve, err = d.fit(out.Tried); err != nil {
		return nil, err
	}
	out.Curve = Curve{out.fit.C4, out.fit.C5, out.fit.C6, out.fit.Miss, record.Number(out.fit.Explained), curve.Alpha,
		curve.Net, missAt(out.fit, out.Tried, curve.Alpha)}
	out.By, out.Alpha, out.Net = ByCurve, curve.Alpha, curve.Net
	off := residual(out.fit, out.Tried)
	if best := d.best(out.Tried); best != nil && best.Net-best.doubt(off) > curve.Net-out.Curve.Miss {
		out.By, out.Alpha, out.Net = ByMeans, best.Alpha, best.Net
		out.miss(best, off)
	}
	if seeds := dir.Plan.Seeds.Count; seeds > 1 {
		out.Spread = []float64{out.Alpha, out.Alpha}
		for seed := range seeds {
			left := d.tried(measured, seed)
			_, c, err := d.fit(left)
			if err != nil {
				continue // too few runs are left
			}
			alpha := c.Alpha
			if best := d.best(left); out.By == ByMeans && best != nil {
				alpha = best.Alpha
			}
			out.Spread[0], out.Spread[1] = min(out.Spread[0], alpha), max(out.Spread[1], alpha)
		}
	}
	out.remark()
	return out, nil
}

// gather reads what was measured, by α and seed; NaN where a run failed.
func (d *Design) gather(dir *Dir, out *Designed) ([][]float64, error) {
	seeds := dir.Plan.Seeds.Count
	measured := make([][]float64, dir.Plan.Points())
	for k := range measured {
		measured[k] = slices.Repeat([]float64{math.NaN()}, seeds)
	}
	var absent []string
	err := dir.Journal.All(func(index int, b []byte) error {
		r, err := Decode(b)
		if err != nil {
			return fmt.Errorf("run %d: %w", index, err)
		}
		column := slices.Index(r.Columns, d.Of)
		switch {
		case r.Error != "" || r.Diverged || r.Facts == nil || len(r.Rows) == 0:
			out.Failed++
		case column < 0:
			absent = r.Columns
		default:
			if c := r.Facts.Condition; c != "" && c != record.ConditionHolds {
				out.condition = c
			}
			t := dir.Plan.Task(index)
			measured[t.Point][index%seeds] = r.Rows[len(r.Rows)-1][column]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if absent != nil {
		return nil, fmt.Errorf("no run has %s; they have %s", d.Of, strings.Join(absent, ", "))
	}
	return measured, nil
}

// tried is what was measured, over the seeds but for one of them unless that is below 0; an α of which no run is left
// is not among them.
func (d *Design) tried(measured [][]float64, without int) (all []Tried) {
	for k, values := range measured {
		t := Tried{Alpha: d.Alpha[k], Least: math.Inf(1), Greatest: math.Inf(-1)}
		squares := 0.0
		for seed, v := range values {
			if seed != without && !math.IsNaN(v) {
				t.Runs++
				t.Mean += v
				t.Least, t.Greatest = min(t.Least, v), max(t.Greatest, v)
			}
		}
		if t.Runs == 0 {
			continue
		}
		n := float64(t.Runs)
		t.Mean /= n
		for seed, v := range values {
			if seed != without && !math.IsNaN(v) {
				squares += float64((v - t.Mean) * (v - t.Mean))
			}
		}
		t.StandardError = record.Number(math.Sqrt(squares / (n - 1) / n)) // NaN of one run
		t.Net = d.Utility.At(t.Alpha) - t.Mean
		all = append(all, t)
	}
	return all
}

// doubt is how much of a mean may be chance: its standard error, or of one run how far means lie off the curve.
func (t *Tried) doubt(off float64) float64 {
	if t.Runs < 2 {
		return off
	}
	return float64(t.StandardError)
}

// residual is the standard deviation of means about a curve, which has three constants.
func residual(fit theory.Accuracy, tried []Tried) float64 {
	squares := 0.0
	for _, t := range tried {
		off := t.Mean - fit.At(t.Alpha)
		squares += float64(off * off)
	}
	return math.Sqrt(squares / float64(len(tried)-theory.LeastAlphas+1))
}

// fit fits the curve to means, as ZZ16 does, and is the α that it is best at.
func (d *Design) fit(tried []Tried) (theory.Accuracy, theory.Choice, error) {
	var alpha, loss []float64
	for _, t := range tried {
		alpha, loss = append(alpha, t.Alpha), append(loss, t.Mean)
	}
	fit, err := theory.FitAccuracy(alpha, loss)
	if err != nil {
		return fit, theory.Choice{}, fmt.Errorf("fitting the curve: %w", err)
	}
	least, most := d.between()
	choice, err := theory.Choose(fit, d.Utility, least, most)
	return fit, choice, err
}

// best is the α of those tried that is worth most by its mean, of those that may be chosen; nil: none may.
func (d *Design) best(tried []Tried) (best *Tried) {
	least, most := d.between()
	for k := range tried {
		if t := &tried[k]; t.Alpha >= least && t.Alpha <= most && (best == nil || t.Net > best.Net) {
			best = t
		}
	}
	return best
}

// missAt is how far measured losses are above the curve at an α, on a line in ln α between the means next to it, and no
// further than to the greater or the lesser of these: a curve that misses them widely would say what no run had. Least
// squares are of losses: where those of small α are great, a curve that misses all others explains nearly all of the
// differences.
func missAt(fit theory.Accuracy, tried []Tried, alpha float64) float64 {
	all := slices.SortedFunc(slices.Values(tried), func(a, b Tried) int { return cmp.Compare(a.Alpha, b.Alpha) })
	miss := func(k int) float64 { return all[k].Mean - fit.At(all[k].Alpha) }
	above := 0
	for above < len(all) && all[above].Alpha < alpha {
		above++
	}
	switch above {
	case 0:
		return miss(0)
	case len(all):
		return miss(above - 1)
	}
	low, high := all[above-1].Alpha, all[above].Alpha
	share := math.Log(alpha/low) / math.Log(high/low)
	off, curve := float64((1-share)*miss(above-1))+float64(share*miss(above)), fit.At(alpha)
	left, right := all[above-1].Mean, all[above].Mean
	return min(max(curve+off, min(left, right)), max(left, right)) - curve
}

// explains is the share of the variance below which a curve is said not to fit.
const explains = 0.9

func (o *Designed) say(format string, args ...any) {
	o.Remarks = append(o.Remarks, fmt.Sprintf(format, args...))
}

// miss says that the curve has a choice which is not the best, and which is.
func (o *Designed) miss(best *Tried, off float64) {
	c, doubt := &o.Curve, fmt.Sprintf("of one run, for whose standard error the deviation of all from the curve "+
		"stands, %.3g; more --seeds tell it", off)
	if best.Runs > 1 {
		doubt = fmt.Sprintf("the standard error of its mean is %.3g", float64(best.StandardError))
	}
	o.say("the curve does not fit where it matters: it would have α = %.4g, with a %s of %.4g, and the means next to "+
		"that α say about %.4g; α = %.4g was tried and is worth more, by %.3g (%s)", c.Alpha, o.Of, o.fit.At(c.Alpha),
		o.fit.At(c.Alpha)+c.Miss, best.Alpha, best.Net-(c.Net-c.Miss), doubt)
}

// remark says what else keeps the chosen α from being a good choice.
func (o *Designed) remark() {
	say := o.say
	switch o.Alpha {
	case o.Between[0]:
		say("it is the least α that may be chosen: there privacy is worth more than the %s that it costs; --between "+
			"or --alpha with less allow less, and a utility with smaller weights asks for less privacy", o.Of)
	case o.Between[1]:
		say("it is the greatest α that may be chosen: up to there a lower %s is worth more than privacy; --between or "+
			"--alpha with more allow more, and a utility with greater weights asks for more privacy", o.Of)
	}
	switch e := float64(o.Curve.Explained); {
	case o.Curve.C4 == 0:
		decides := ", and the utility alone decides"
		if o.By == ByMeans {
			decides = ""
		}
		say("the %s does not fall as α grows: the curve is flat%s; more seeds, more rounds or other α may show more",
			o.Of, decides)
	case !(e >= explains):
		say("the curve explains only %.0f %% of the differences between the means; more seeds or other α help", 100*e)
	}
	if o.condition != "" {
		say("what α is worth is not established here: %s", o.condition)
	}
	if o.Failed > 0 {
		say("left out, as they failed: %s", plural.Of(o.Failed, "run"))
	}
	low, high := o.Tried[0].Alpha, o.Tried[0].Alpha
	for _, t := range o.Tried {
		low, high = min(low, t.Alpha), max(high, t.Alpha)
	}
	if o.Alpha < low || o.Alpha > high {
		say("it is outside the α that were tried, %.4g to %.4g, where the curve is a guess", low, high)
	}
}

// Write says in words what the design came to.
func (o *Designed) Write(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "design        %s, method %s, %s after %d rounds\n", o.Name, o.Method, o.Of, o.Rounds)
	fmt.Fprintf(&b, "\n%10s  %10s  %10s  %10s  %10s  %10s  %s\n", "α", "mean", "least", "greatest", "curve",
		"U − mean", "runs")
	for _, t := range o.Tried {
		fmt.Fprintf(&b, "%10.4g  %10.5g  %10.5g  %10.5g  %10.5g  %10.4g  %d\n", t.Alpha, t.Mean, t.Least, t.Greatest,
			o.fit.At(t.Alpha), t.Net, t.Runs)
	}
	c, what := &o.Curve, "U − L_acc"
	fmt.Fprintf(&b, "\nL_acc(α)      %v, largest miss %.3g", o.fit, c.LargestMiss)
	if e := float64(c.Explained); !math.IsNaN(e) {
		fmt.Fprintf(&b, ", %.1f %% of the differences explained", 100*e)
	}
	fmt.Fprintf(&b, "\nU(α)          %s\n", o.Utility.Formula)
	if o.By == ByMeans {
		what = "U − mean"
	}
	fmt.Fprintf(&b, "the curve's   α = %.4g, where U − L_acc is %.4g; means are off the curve by %+.3g there\n",
		c.Alpha, c.Net, c.Miss)
	fmt.Fprintf(&b, "recommended   α = %.4g of %.4g to %.4g, where %s is %.4g", o.Alpha, o.Between[0], o.Between[1],
		what, o.Net)
	if o.Spread != nil {
		fmt.Fprintf(&b, "; %.4g to %.4g if a seed is left out", o.Spread[0], o.Spread[1])
	}
	fmt.Fprintf(&b, "\nuse it        --set %s=%.4g\n", designKey, o.Alpha)
	for _, r := range o.Remarks {
		fmt.Fprintf(&b, "note: %s\n", r)
	}
	for _, f := range o.Figures {
		fmt.Fprintln(&b, f)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Same is nil where a directory has no conclusion yet, or one from the same metric, utility and range; its error says
// what the one that is there is of.
func (d *Design) Same(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, designFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var there Designed
	if err == nil {
		err = json.Unmarshal(text, &there)
	}
	if err != nil {
		return fmt.Errorf("%s of %s cannot be read: %w", designFile, dir, err)
	}
	least, most := d.between()
	if there.Of == d.Of && there.Utility.Formula == d.Utility.String() && there.Between == [2]float64{least, most} {
		return nil
	}
	return fmt.Errorf("%s has a design from %s with the utility %s and α from %v to %v, and this one is from %s with "+
		"%s and α from %v to %v", dir, there.Of, there.Utility.Formula, there.Between[0], there.Between[1], d.Of,
		d.Utility.String(), least, most)
}

// Keep writes the design as JSON into its directory, and keeps another one that is there beside it.
func (o *Designed) Keep(dir string) error {
	text, err := json.MarshalIndent(o, "", "  ")
	if err != nil {
		return fmt.Errorf("writing a design: %w", err)
	}
	path := filepath.Join(dir, designFile)
	text = append(text, '\n')
	there, err := os.ReadFile(path)
	if err == nil && !bytes.Equal(there, text) {
		err = files.WriteBytes(path+".old", there)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("keeping an earlier design: %w", err)
	}
	return files.WriteBytes(path, text)
}

// Draw draws the curve with what was measured, and the utility with what is left of it, in the design's directory.
func (o *Designed) Draw(dir string, style plot.Style) error {
	charts := o.charts()
	var words []plot.Words
	for _, c := range charts {
		words = append(words, c.chart.Words("", "")...)
	}
	style, err := style.Named(words)
	if err != nil {
		return fmt.Errorf("--label: %w", err)
	}
	for _, c := range charts {
		drawn, err := style.Save(c.chart, filepath.Join(dir, "plots"), c.name)
		if err != nil {
			return err
		}
		o.Figures = append(o.Figures, drawn...)
	}
	return nil
}

type namedChart struct {
	name  string
	chart plot.Chart
}

func (o *Designed) charts() []namedChart {
	var tried, mean, low, high, worth, worst, most []float64
	for _, t := range o.Tried {
		tried, mean = append(tried, t.Alpha), append(mean, t.Mean)
		low, high = append(low, t.Least), append(high, t.Greatest)
		worth, worst = append(worth, t.Net), append(worst, t.Net+t.Mean-t.Greatest)
		most = append(most, t.Net+t.Mean-t.Least)
	}
	from, to := min(o.Between[0], slices.Min(tried)), max(o.Between[1], slices.Max(tried))
	const points = 200
	var x, curve, utility, net []float64
	for k := range points + 1 {
		a := from * math.Pow(to/from, float64(k)/points)
		x, curve, utility = append(x, a), append(curve, o.fit.At(a)), append(utility, o.utility.At(a))
		net = append(net, o.utility.At(a)-o.fit.At(a))
	}
	title := o.title
	if title == "" {
		title = o.Name
	}
	what := o.Of
	if m, ok := metrics.Lookup(o.Of); ok && m.Title != "" {
		what = m.Title
	}
	here := plot.Line{Label: fmt.Sprintf("recommended α = %.3g", o.Alpha), Look: plot.Upright, X: []float64{o.Alpha}}
	axis := plot.Log("α (" + designKey + ")")
	return []namedChart{
		{"design-loss", plot.Chart{Title: title + ": " + what + " against α", X: axis, Y: plot.Linear(what),
			Lines: []plot.Line{{Label: "measured, mean and range", Look: plot.Scatter, X: tried, Y: mean, Low: low,
				High: high}, {Label: "L_acc(α), fitted", Look: plot.Plain, X: x, Y: curve}, here}}},
		{"design-utility", plot.Chart{Title: title + ": what privacy and accuracy are worth", X: axis,
			Y: plot.Linear("worth"), Lines: []plot.Line{{Label: "U(α) − L_acc(α)", Look: plot.Plain, X: x, Y: net},
				{Label: "U(α) − measured, mean and range", Look: plot.Scatter, X: tried, Y: worth, Low: worst,
					High: most}, {Label: "U(α)", Look: plot.Plain, X: x, Y: utility}, here}}},
	}
}

// Directory is the name of the directory of a design's sweep; another scenario, other α or another program have
// another.
func (p *Plan) designDirectory() string { return "design-" + p.Hash[:8] }

// OpenDesign opens the directory of a design's sweep below a results directory.
func OpenDesign(out string, p *Plan) (*Dir, error) {
	if len(p.Hash) < 8 {
		return nil, errors.New("the plan has no hash")
	}
	return OpenDir(filepath.Join(out, p.Name, p.designDirectory()), p)
}
