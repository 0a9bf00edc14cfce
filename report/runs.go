// Tables for a terminal.

package report

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"go.yaml.in/yaml/v4"

	"overhear/internal/plural"
	"overhear/metrics"
	"overhear/privacy"
	"overhear/record"
)

// widest is how long the name of a directory may be that stands in a column of its own, which is as wide in all lines.
const widest = 40

// Table writes what came out of one run, with a phrase on each line for whoever sees it for the first time.
func Table(w io.Writer, r *record.Run) error {
	i := r.Info
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s, seed %d: %s\n", i.Name, i.Seed, i.Algorithm)
	for _, l := range Lines(i) {
		fmt.Fprintf(t, "%s\t%s\t%s\n", l[0], l[1], l[2])
	}
	if dir, wall := r.Dir, fmt.Sprintf("%.2f s of real time", i.Wall); len(dir) > widest {
		fmt.Fprintf(t, "files\t\t%s  %s\n", dir, wall)
	} else {
		fmt.Fprintf(t, "files\t%s\t%s\n", dir, wall)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, warning := range i.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	notes(w, i)
	return nil
}

// Lines are those of the table of one run: a name, a value, and what it means.
func Lines(i *record.Info) (all [][3]string) {
	f := i.Final
	line := func(name, value, meaning string) { all = append(all, [3]string{name, value, meaning}) }
	split := i.Parties > 0
	metric := func(name, more string) {
		m := metrics.Named(name)
		line(m.Title, m.Text(m.InFinal(f)), m.MeaningOf(split).Phrase+more)
	}
	data := fmt.Sprintf("%s of %s between them", plural.Of(i.TrainRows, "training row"), plural.Of(i.Columns, "column"))
	if split {
		data = fmt.Sprintf("%d training rows, whose %d columns %d parties hold", i.TrainRows, i.Columns, i.Parties)
	}
	line("network", plural.Of(i.Nodes, "node")+", "+plural.Of(i.Edges, "edge"), data)
	if d := i.Data; d != nil {
		rows, classes := d.Summary()
		line("data", rows, classes)
		line("scaling", d.Fit(), d.Scaling)
	}
	if i.Classes != nil {
		line("classes", fmt.Sprint(len(i.Classes)), fmt.Sprintf("%s: each has a model of %s, all of them in one vector",
			listed(i.Classes), plural.Of(i.Columns, "number")))
	}
	rounds := fmt.Sprint(i.Rounds)
	if i.Rounds < 0 {
		rounds = "none"
	}
	line("rounds", rounds, fmt.Sprintf("%.4g s of virtual time, %s, %s", f.VirtualSeconds,
		plural.Of(int(f.Messages), "message"), size(f.Bytes)))
	for _, c := range i.Changes {
		line("changes", "", c)
	}
	if i.Ended != "" {
		line("ended early", "", i.Ended)
	}
	for _, c := range i.Computed {
		line(c.Key, fmt.Sprint(c.Value), "computed: "+c.Why)
	}
	metric("loss", "")
	known := !math.IsNaN(float64(i.Reference.Objective)) // else there is no optimum to compare with
	atOptimum := func(format string, values ...any) string {
		if !known {
			return ""
		}
		return fmt.Sprintf(format, values...)
	}
	metric("objective", atOptimum("; at the centralised optimum: %s", number(i.Reference.Objective)))
	if !math.IsNaN(float64(f.TestError)) {
		text := metrics.Named("test_error").Text
		metric("test_error", fmt.Sprintf("of %s%s; always the larger class %s", plural.Of(i.TestRows, "unseen row"),
			atOptimum("; at the optimum %s", text(float64(i.Reference.TestError))), text(float64(i.BaseError))))
		if i.Classes != nil && !math.IsNaN(float64(f.TestLoss)) { // squared losses have no probabilities
			metric("test_loss", "of the same rows; at the optimum "+number(i.Reference.TestLoss))
		}
	}
	if f.Fit != nil {
		at := i.Reference.Fit
		if at == nil {
			at = &record.Fit{}
		}
		metric("rmse", fmt.Sprintf(" in units of the target, R² %s", number(f.R2))+
			atOptimum("; at the optimum %s, R² %s", number(at.RMSE), number(at.R2)))
		if i.TestRows > 0 {
			metric("test_rmse", fmt.Sprintf("of %d unseen rows, R² %s", i.TestRows, number(f.TestR2))+
				atOptimum("; at the optimum %s, R² %s", number(at.TestRMSE), number(at.TestR2)))
		}
		if i.Level > 0 {
			name, of, best := "covered", plural.Of(i.TrainRows, "training row"), at.Covered
			if i.TestRows > 0 {
				name, of, best = "test_covered", plural.Of(i.TestRows, "unseen row"), at.TestCovered
			}
			metric(name, fmt.Sprintf("of %s have a target of at most what is predicted; the level is %v", of, i.Level)+
				atOptimum("; at the optimum %s", metrics.Named(name).Text(float64(best))))
		}
	}
	metric("consensus", "")
	if f.Stationarity != nil {
		metric("stationarity", "")
	} else {
		metric("distance", "")
	}
	if i.Convergence != nil {
		line("progress", i.Convergence.State, Progress(i.Convergence))
	}
	if i.Ridge != nil {
		line("rho", fmt.Sprint(i.Ridge.Weight), Ridge(i.Ridge, i.Reference.TestError))
	}
	theorems(i, line)
	claim(i, line)
	certificates(i.Privacy, line)
	if a := i.Activity; a != nil && a.Lags != nil {
		used, fresh := int64(0), int64(0)
		for lag, n := range a.Lags {
			if used += n; lag == 0 {
				fresh = n
			}
		}
		line("pace", fmt.Sprintf("%.3g %% behind", 100*float64(used-fresh)/float64(max(used, 1))), fmt.Sprintf(
			"share of neighbours' values that were of an earlier round, %s at most; "+
				"a node was busy %.3g s, idle %.3g s, down %.3g s on average",
			plural.Of(len(a.Lags)-1, "round"), a.BusySeconds, a.IdleSeconds, a.DownSeconds))
	}
	line("solver residual", number(i.Residual.Max),
		fmt.Sprintf("largest of all solves; tolerance %.0e", i.Residual.Tolerance))
	if i.Digest == "" {
		line("digest", short(i.Digest), "none is made of the events (record.trace: off)")
	} else {
		line("digest", short(i.Digest), "of every event; equal for every repeat of this run")
	}
	return all
}

// listed are names, at most a dozen of them.
func listed(names []string) string {
	const most = 12
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// notes writes what reading and preparing a user's data leave to be known.
func notes(w io.Writer, i *record.Info) {
	if i.Data == nil {
		return
	}
	for _, note := range i.Data.Notes {
		fmt.Fprintln(w, "note:", note)
	}
	if i.Privacy != nil && i.Data.FromRows() {
		fmt.Fprintln(w, "note:", i.Data.Uncovered())
	}
}

// SeedTable writes mean, least and greatest of the results of many seeds.
func SeedTable(w io.Writer, runs []*record.Run, dir string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s: %d seeds\tmean\tleast\tgreatest\n", runs[0].Info.Name, len(runs))
	row := func(title string, of func(i *record.Info) float64) {
		sum, low, high := 0.0, math.Inf(1), math.Inf(-1)
		for _, r := range runs {
			v := of(r.Info)
			sum += v
			low, high = math.Min(low, v), math.Max(high, v)
		}
		if !math.IsNaN(sum) {
			fmt.Fprintf(t, "%s\t%.6g\t%.6g\t%.6g\n", title, sum/float64(len(runs)), low, high)
		}
	}
	names := []string{"loss", "objective", "test_error", "rmse", "r2", "test_rmse", "test_r2", "consensus", "distance",
		"stationarity", "time_s"}
	if runs[0].Info.Privacy != nil {
		names = append(names, "privacy_loss")
	}
	for _, name := range names {
		m := metrics.Named(name)
		row(m.Title, func(i *record.Info) float64 { return m.InFinal(i.Final) })
	}
	row(boundTitle, func(i *record.Info) float64 {
		if c := worstClaim(i, func(u privacy.Unit) bool { return u != privacy.Label }); c != nil {
			return float64(c.Bound.Epsilon)
		}
		return math.NaN()
	})
	first := rowCertificate(runs[0].Info)
	row(seedCertificate(first), func(i *record.Info) float64 {
		if c := rowCertificate(i); c != nil && first != nil && c.Delta == first.Delta { // means are of one δ
			return float64(c.Epsilon)
		}
		return math.NaN()
	})
	fmt.Fprintf(t, "files\t%s\n", dir)
	if err := t.Flush(); err != nil {
		return err
	}
	info := runs[0].Info
	for _, c := range info.Computed {
		fmt.Fprintf(w, "%s: %v in seed %d, computed: %s\n", c.Key, c.Value, info.Seed, c.Why)
	}
	seedProgress(w, runs)
	if !math.IsNaN(float64(info.Final.TestError)) {
		text := metrics.Named("test_error").Text
		if at := float64(info.Reference.TestError); !math.IsNaN(at) {
			fmt.Fprintf(w, "test error at the optimum of seed %d: %s; of always the larger class: %s\n", info.Seed,
				text(at), text(float64(info.BaseError)))
		} else {
			fmt.Fprintf(w, "test error of always the larger class, seed %d: %s\n", info.Seed,
				text(float64(info.BaseError)))
		}
	}
	if at := info.Reference.Fit; at != nil && info.TestRows > 0 {
		fmt.Fprintf(w, "test RMSE at the optimum of seed %d: %s, R² %s\n", info.Seed, number(at.TestRMSE),
			number(at.TestR2))
	}
	if info.Ridge != nil {
		fmt.Fprintf(w, "rho of seed %d: %s\n", info.Seed, Ridge(info.Ridge, info.Reference.TestError))
	}
	seedLines(w, certificateTitle+" ", runs, beyondRows)
	seedLines(w, "warning: ", runs, func(i *record.Info) []string { return i.Warnings })
	notes(w, info)
	return nil
}

var anyNumber = regexp.MustCompile(`[-+]?[0-9][0-9.]*(e[-+]?[0-9]+)?`)

// Alike is the same for texts that differ in numbers only.
func Alike(text string) string { return anyNumber.ReplaceAllString(text, "0") }

// seedLines writes what runs say, each text once, with the number of seeds that say it where that is not all of them.
// Texts that differ in numbers only are one, of which the first is written with its seed.
func seedLines(w io.Writer, what string, runs []*record.Run, says func(i *record.Info) []string) {
	type line struct {
		text  string
		first uint64
		count int
		same  bool // in all numbers
	}
	var lines []*line
	known := map[string]*line{}
	for _, r := range runs {
		for _, text := range says(r.Info) {
			l := known[Alike(text)]
			if l == nil {
				l = &line{text: text, first: r.Info.Seed, same: true}
				known[Alike(text)], lines = l, append(lines, l)
			}
			l.count++
			l.same = l.same && l.text == text
		}
	}
	for _, l := range lines {
		of := ""
		if l.count < len(runs) || !l.same {
			of = fmt.Sprintf("%d of %d seeds", l.count, len(runs))
			if !l.same {
				of += fmt.Sprintf(", the first being %d", l.first)
			}
			of += ": "
		}
		fmt.Fprintln(w, what+of+l.text)
	}
}

// seedProgress says how many runs are in each state, and what the first of them says.
func seedProgress(w io.Writer, runs []*record.Run) {
	var first []*record.Info
	count := map[string]int{}
	for _, r := range runs {
		if c := r.Info.Convergence; c != nil {
			if count[c.State]++; count[c.State] == 1 {
				first = append(first, r.Info)
			}
		}
	}
	for _, i := range first {
		c := i.Convergence
		fmt.Fprintf(w, "progress: %d of %d seeds %s; seed %d: %s\n", count[c.State], len(runs), c.State, i.Seed,
			Progress(c))
	}
}

// Progress says how the distance to the optimum went, and what to change.
func Progress(c *record.Convergence) string {
	text, what := "", "the distance to the optimum"
	if c.Of == record.OfGradient {
		what = "the gradient"
	}
	switch f := float64(c.Factor); c.State {
	case record.Converged:
		if c.Of == record.OfGradient {
			return "the gradient is below 0.1 % of the rows' steepest and of its start: near a stationary point, " +
				"which need not be the optimum, as the loss is not convex"
		}
		return what + " is below 0.1 %"
	case record.Unknown:
		if c.Flat {
			text = "the gradient was next to nothing at the start and has not fallen: the loss is flat there, as " +
				"where no row is within its width"
			break
		}
		if !math.IsNaN(f) {
			text = "the run has hardly left its start"
			break
		}
		return "too few rounds to tell a trend, or no optimum to measure it against"
	case record.AtRest:
		text = what + " falls no more, or hardly"
	case record.Moving:
		text = fmt.Sprintf("%s falls by %.2g %% a round", what, 100*(1-f))
	default:
		text = fmt.Sprintf("%s grows by %.2g %% a round", what, 100*(f-1))
		if !(f > 1) || math.IsInf(f, 1) {
			text = what + " grows"
		}
	}
	if c.Advice != "" {
		text += "; try " + c.Advice
	}
	return text
}

// Ridge sets the optimum, of that test error, beside that of a smaller ridge.
func Ridge(g *record.Ridge, testError record.Number) string {
	here, there := "", ""
	if e := metrics.Named("test_error").Text; !math.IsNaN(float64(g.SmallerTestError)) {
		here, there = ", test error "+e(float64(testError)), ", "+e(float64(g.SmallerTestError))
	}
	return fmt.Sprintf("optimum: loss %.3g%s; with rho %.3g: loss %.3g%s", float64(g.Loss), here, g.Smaller,
		float64(g.SmallerLoss), there)
}

func number(n record.Number) string {
	if math.IsNaN(float64(n)) {
		return "-"
	}
	return fmt.Sprintf("%.6g", float64(n))
}

// theorems writes what theorems prove of the run beside what was measured, where the scenario asks for it.
func theorems(i *record.Info, line func(name, value, meaning string)) {
	var asked struct {
		Record struct{ Rates string }
	}
	if err := yaml.Unmarshal([]byte(i.Scenario), &asked); err != nil || asked.Record.Rates != "on" {
		return
	}
	for _, r := range i.Rates {
		said := r.Applies
		if !math.IsNaN(float64(r.Proved)) {
			said += fmt.Sprintf("; factor of the distance a round: %s proved", number(r.Proved))
			if r.To > 0 {
				said += fmt.Sprintf(", %s measured from round %d to %d", number(r.Measured), r.From, r.To)
			} else {
				said += ", and none measured: it tends to another point than the problem's optimum, or too few " +
					"rounds are above the rounding floor"
			}
		}
		line(r.Theorem, number(r.Proved), said)
	}
	for _, x := range i.Excess {
		said := x.Applies
		if !math.IsNaN(float64(x.Bound)) {
			said += fmt.Sprintf("; excess risk of the %s: %s proved, %s measured", x.Of, number(x.Bound),
				number(x.Measured))
		}
		line(x.Theorem, number(x.Bound), said)
	}
}

// claim writes the claimed loss of the node that loses most, as the method composes it, and
// the least of all compositions.
func claim(i *record.Info, line func(name, value, meaning string)) {
	p, name := i.Privacy, metrics.Named("privacy_loss").Title
	if p == nil {
		line(name, "no claim", "the method does not hide what it computes from")
		return
	}
	if l := worstClaim(i, func(u privacy.Unit) bool { return u == privacy.Label }); l != nil {
		line("label privacy", number(l.Bound.Epsilon), "of a row's label, at the worst node; by "+l.Bound.By)
	}
	labelBudgets(p.Labels, line)
	switch {
	case !record.Met(p.Condition) && p.Stated != nil:
		line(name, "not established", fmt.Sprintf("claimed ε = %s at δ = %.3g over the run; %s",
			number(p.Stated.Epsilon), float64(p.Stated.Delta), p.Condition))
		return
	case !record.Met(p.Condition):
		line(name, "not established", p.Condition)
		return
	}
	worst := worstClaim(i, func(u privacy.Unit) bool { return u != privacy.Label })
	meaning := "of a row at the worst node; column privacy_loss"
	if worst != nil {
		if worst.Unit == privacy.Column {
			meaning = "of a column of the worst party; column privacy_loss"
		}
		by := "by " + bounds(worst)[0].By
		if by == "by "+record.BySum {
			by = "summed over rounds"
		}
		meaning = by + ", " + at(worst.Delta) + ", " + meaning
	}
	if a := i.Activity; i.Ended != "" && a != nil && a.MostRounds > i.Rounds {
		meaning += fmt.Sprintf("; of %s, the most that a node has published", plural.Of(a.MostRounds, "round"))
	}
	if strings.HasPrefix(p.Condition, record.ClaimedNotProved) {
		meaning = p.Condition + "; " + meaning
	}
	if p.Chosen != nil {
		meaning += fmt.Sprintf("; noise chosen for %v over the %s%s: the scenario's budgets × %.4g", p.Chosen.Epsilon,
			p.Chosen.Over, met(p.Chosen, worst), p.Chosen.Scale)
	}
	line(name, number(i.Final.PrivacyLoss), meaning)
	if worst == nil {
		return
	}
	if strings.HasPrefix(p.Condition, record.ClaimedNotProved) {
		line(boundTitle, "not established", "the loss is claimed, and no composition of it is proved")
		return
	}
	least := worst.Bound
	meaning = "by " + least.By + ", the least bound of all compositions; --bounds shows them"
	if least.Delta > 0 {
		meaning = fmt.Sprintf("at δ = %v %s", float64(least.Delta), meaning)
	}
	line(boundTitle, number(least.Epsilon), meaning)
}

// certificateTitle names what the law of the noise proves.
const certificateTitle = "certificate"

// rowCertificate is that of rows; nil: there is none.
func rowCertificate(i *record.Info) *record.Certificate {
	if i.Privacy == nil {
		return nil
	}
	for k := range i.Privacy.Certificates {
		if c := &i.Privacy.Certificates[k]; c.Unit == privacy.Sample && c.Reason == "" {
			return c
		}
	}
	return nil
}

// seedCertificate names the certificates of several seeds, with their δ.
func seedCertificate(c *record.Certificate) string {
	if c != nil && c.Delta > 0 {
		return fmt.Sprintf("%s at δ = %v", certificateTitle, float64(c.Delta))
	}
	return certificateTitle
}

// certificates are lines with what the law of the noise proves, or why it proves nothing.
func certificates(p *record.Privacy, line func(name, value, meaning string)) {
	if p == nil {
		return
	}
	for _, c := range p.Certificates {
		if c.Reason != "" {
			line(certificateTitle, "NOT CERTIFIED", c.Reason)
			continue
		}
		meaning := fmt.Sprintf("%s, of a %s at node %d, the worst; by %s", at(c.Delta), UnitName(c.Unit), c.Node,
			cmp.Or(c.By, record.ByLaw))
		if limits := Limits(&c); limits != "" {
			meaning += "; " + limits
		}
		line(certificateTitle, number(c.Epsilon), meaning)
	}
	if len(p.Certificates) > 0 {
		line("measured", "-", "a run does not measure what its messages give away of a row; simulate audit does")
	}
}

// beyondRows says of a run's certificates what a table of several seeds has no line for: why there is none, what that
// of rows does not cover, and those of other units.
func beyondRows(i *record.Info) (all []string) {
	if i.Privacy == nil {
		return nil
	}
	for k := range i.Privacy.Certificates {
		c := &i.Privacy.Certificates[k]
		switch limits := Limits(c); {
		case c.Reason != "":
			all = append(all, fmt.Sprintf("of a %s: NOT CERTIFIED: %s", UnitName(c.Unit), c.Reason))
		case c.Unit != privacy.Sample:
			all = append(all, fmt.Sprintf("of a %s: %s, %s", UnitName(c.Unit), number(c.Epsilon), at(c.Delta)))
		case limits != "":
			all = append(all, fmt.Sprintf("of a %s: %s", UnitName(c.Unit), limits))
		}
	}
	return all
}

// UnitName is a unit of protection in words.
func UnitName(u privacy.Unit) string {
	switch u {
	case privacy.Sample:
		return "row"
	case privacy.Label:
		return "row's label"
	}
	return string(u)
}

// Limits says what a certificate does not cover; empty: nothing.
func Limits(c *record.Certificate) string {
	var all []string
	if c.Covers != "" {
		all = append(all, c.Covers)
	}
	return strings.Join(append(all, givenOf(c)...), "; ")
}

// givenOf says of what is taken from the rows which rows a certificate covers nevertheless.
func givenOf(c *record.Certificate) (all []string) {
	for _, g := range c.Given {
		all = append(all, fmt.Sprintf("%s: %s; covered: %s", g.Key, g.What, g.Covers))
	}
	return all
}

// at says at which δ a loss is.
func at(delta record.Number) string {
	if delta > 0 {
		return fmt.Sprintf("at δ = %v", float64(delta))
	}
	return "without δ"
}

// Example writes what a method claims and what is certified of it in an example.
func Example(w io.Writer, p *record.Privacy, words string) error {
	i := &record.Info{Privacy: p, Final: record.Final{PrivacyLoss: record.Number(math.NaN())}}
	if c := worstClaim(i, func(u privacy.Unit) bool { return u != privacy.Label }); c != nil {
		i.Final.PrivacyLoss = c.Epsilon
	}
	fmt.Fprintf(w, "\nfor example, %s:\n", words)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, value, meaning string) { fmt.Fprintf(t, "  %s\t%s\t%s\n", name, value, meaning) }
	claim(i, line)
	certificates(p, line)
	return t.Flush()
}

// labelBudgets are lines with ε of the labels of each server's users, where they differ.
func labelBudgets(all []record.LabelBudget, line func(name, value, meaning string)) {
	const servers = 12 // more are not for reading; run.json has them
	for _, b := range all[:min(len(all), servers)] {
		value := number(record.Number(b.Greatest))
		if b.Least != b.Greatest {
			value = number(record.Number(b.Least)) + " to " + value
		}
		var words []string
		for _, v := range b.Values {
			words = append(words, number(record.Number(v.Epsilon))+" of "+plural.Of(v.Users, "label"))
		}
		if len(words) < 2 {
			words = []string{"of each of " + plural.Of(b.Users, "label")}
			if b.Least != b.Greatest {
				words = []string{fmt.Sprintf("%s, mean %s", words[0], number(record.Number(b.Mean)))}
			}
		}
		line(fmt.Sprintf("  of server %d", b.Node), value, strings.Join(words, ", "))
	}
	if len(all) > servers {
		more := fmt.Sprintf("run.json has all %d servers (privacy.labels)", len(all))
		line(fmt.Sprintf("  of %d more", len(all)-servers), "", more)
	}
}

// met says by what a target over a run was met, the certificate or the method's own composition, and what the least of
// all compositions is: noise for the same target by another is not the same noise.
func met(chosen *record.Chosen, c *record.Claim) string {
	if chosen.By != "" {
		return fmt.Sprintf(" by the %s at δ = %v", chosen.By, chosen.Delta)
	}
	if chosen.Over != "run" || c == nil {
		return ""
	}
	own := bounds(c)[0]
	text := " by " + own.By
	if own.Delta > 0 {
		text += fmt.Sprintf(" at δ = %v", float64(own.Delta))
	} else {
		text += ", without δ"
	}
	if c.Bound.By != own.By && c.Bound.Delta < 1 {
		text += fmt.Sprintf(", where the least bound is %.4g at δ = %v", float64(c.Bound.Epsilon),
			float64(c.Bound.Delta))
	}
	return text
}

// boundTitle names the least of all compositions. The metric privacy_loss is the method's
// own composition, and keeps its name.
const boundTitle = "privacy bound"

// worstClaim is the claim of the node that loses most of some units, by the least of its
// compositions; nil: none is established.
func worstClaim(i *record.Info, of func(privacy.Unit) bool) (worst *record.Claim) {
	if i.Privacy == nil {
		return nil
	}
	for k := range i.Privacy.Claims {
		c := &i.Privacy.Claims[k]
		if of(c.Unit) && c.Bound.By != "" && (worst == nil || c.Bound.Epsilon > worst.Bound.Epsilon) {
			worst = c
		}
	}
	return worst
}

// bounds are all compositions of a claim, the method's own first. What a paper composes
// itself stands alone; a sum needs pure mechanisms.
func bounds(c *record.Claim) []record.Bound {
	if c.Bound.By == record.ByPaper || c.Unit == privacy.Column {
		return []record.Bound{c.Bound}
	}
	renyi := record.Bound{Epsilon: c.RDP, Delta: c.AtDelta, By: record.ByRenyi}
	zcdp := record.Bound{Epsilon: c.ZCDP, Delta: c.AtDelta, By: record.ByZCDP}
	if c.Delta > 0 {
		return []record.Bound{renyi, zcdp}
	}
	all := []record.Bound{{Epsilon: c.Epsilon, By: record.BySum}}
	if !math.IsNaN(float64(c.Advanced)) {
		all = append(all, record.Bound{Epsilon: c.Advanced, Delta: c.AtDelta, By: record.ByAdvanced})
	}
	return append(all, zcdp, renyi)
}

// Bounds writes all compositions of what a run claims, for the worst node of each unit that
// is protected.
func Bounds(w io.Writer, i *record.Info) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	units := []privacy.Unit{}
	if i.Privacy != nil {
		for _, c := range i.Privacy.Claims {
			if !slices.Contains(units, c.Unit) {
				units = append(units, c.Unit)
			}
		}
	}
	established := false
	for _, unit := range units {
		c := worstClaim(i, func(u privacy.Unit) bool { return u == unit })
		if c == nil {
			continue
		}
		established = true
		fmt.Fprintf(t, "bounds of a %s at node %d, seed %d\tε\tδ\t\n", unit, c.Node, i.Seed)
		for _, b := range bounds(c) {
			least := ""
			if b.By == c.Bound.By {
				least = "the least"
			}
			fmt.Fprintf(t, "%s\t%s\t%v\t%s\n", b.By, number(b.Epsilon), float64(b.Delta), least)
		}
	}
	if !established {
		fmt.Fprintf(t, "no bounds: seed %d has no claim that is established\n", i.Seed)
	}
	return t.Flush()
}

func short(digest string) string {
	if digest == "" {
		return "off"
	}
	return digest[:16]
}

func size(bytes int64) string {
	switch b := float64(bytes); {
	case b >= 1e9:
		return fmt.Sprintf("%.3g GB", b/1e9)
	case b >= 1e6:
		return fmt.Sprintf("%.3g MB", b/1e6)
	case b >= 1e3:
		return fmt.Sprintf("%.3g kB", b/1e3)
	}
	return fmt.Sprintf("%d bytes", bytes)
}
