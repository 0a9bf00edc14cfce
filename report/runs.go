// Tables for a terminal.

package report

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"overhear/metrics"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
)

// Table writes what came out of one run, with a phrase on each line for whoever sees it for the first time.
func Table(w io.Writer, r *record.Run) error {
	i, f := r.Info, r.Info.Final
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(name, value, meaning string) { fmt.Fprintf(t, "%s\t%s\t%s\n", name, value, meaning) }
	fmt.Fprintf(t, "%s, seed %d: %s\n", i.Name, i.Seed, i.Algorithm)
	split := i.Parties > 0
	metric := func(name, more string) {
		m := metrics.Named(name)
		line(m.Title, m.Text(m.InFinal(f)), m.MeaningOf(split).Phrase+more)
	}
	data := fmt.Sprintf("%d training rows of %d columns between them", i.TrainRows, i.Columns)
	if split {
		data = fmt.Sprintf("%d training rows, whose %d columns %d parties hold", i.TrainRows, i.Columns, i.Parties)
	}
	line("network", fmt.Sprintf("%d nodes, %d edges", i.Nodes, i.Edges), data)
	if d := i.Data; d != nil {
		rows, classes := d.Summary()
		line("data", rows, classes)
		line("scaling", d.Fit(), d.Scaling)
	}
	line("rounds", fmt.Sprint(i.Rounds),
		fmt.Sprintf("%.4g s of virtual time, %d messages, %s", f.VirtualSeconds, f.Messages, size(f.Bytes)))
	if i.Ended != "" {
		line("ended early", "", i.Ended)
	}
	for _, c := range i.Computed {
		line(c.Key, fmt.Sprint(c.Value), "computed: "+c.Why)
	}
	metric("loss", "")
	metric("objective", "; at the centralised optimum: "+number(i.Reference.Objective))
	if !math.IsNaN(float64(f.TestError)) {
		text := metrics.Named("test_error").Text
		metric("test_error", fmt.Sprintf("of %d unseen rows; at the optimum %s; always the larger class %s",
			i.TestRows, text(float64(i.Reference.TestError)), text(float64(i.BaseError))))
	}
	metric("consensus", "")
	metric("distance", "")
	if i.Convergence != nil {
		line("progress", i.Convergence.State, Progress(i.Convergence))
	}
	if i.Ridge != nil {
		line("rho", fmt.Sprint(i.Ridge.Weight), Ridge(i.Ridge, i.Reference.TestError))
	}
	value, meaning := claim(i)
	line(metrics.Named("privacy_loss").Title, value, meaning)
	if a := i.Activity; a != nil && a.Lags != nil {
		used, fresh := int64(0), int64(0)
		for lag, n := range a.Lags {
			if used += n; lag == 0 {
				fresh = n
			}
		}
		line("pace", fmt.Sprintf("%.3g %% behind", 100*float64(used-fresh)/float64(max(used, 1))), fmt.Sprintf(
			"share of neighbours' values that were of an earlier round, %d rounds at most; "+
				"a node was busy %.3g s, idle %.3g s, down %.3g s on average",
			len(a.Lags)-1, a.BusySeconds, a.IdleSeconds, a.DownSeconds))
	}
	line("solver residual", number(i.Residual.Max),
		fmt.Sprintf("largest of all solves; tolerance %.0e", i.Residual.Tolerance))
	line("digest", short(i.Digest), "of every event; equal for every repeat of this run")
	line("files", r.Dir, fmt.Sprintf("%.2f s of real time", i.Wall))
	if err := t.Flush(); err != nil {
		return err
	}
	for _, warning := range i.Warnings {
		fmt.Fprintln(w, "warning:", warning)
	}
	notes(w, i)
	return nil
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
		fmt.Fprintln(w, "note:", problem.Uncovered)
	}
}

// SeedTable writes mean, least and greatest of the results of many seeds.
func SeedTable(w io.Writer, runs []*record.Run, dir string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s: %d seeds\tmean\tleast\tgreatest\n", runs[0].Info.Name, len(runs))
	for _, name := range []string{"loss", "objective", "test_error", "consensus", "distance", "time_s"} {
		m := metrics.Named(name)
		sum, low, high := 0.0, math.Inf(1), math.Inf(-1)
		for _, r := range runs {
			v := m.InFinal(r.Info.Final)
			sum += v
			low, high = math.Min(low, v), math.Max(high, v)
		}
		if math.IsNaN(sum) {
			continue
		}
		fmt.Fprintf(t, "%s\t%.6g\t%.6g\t%.6g\n", m.Title, sum/float64(len(runs)), low, high)
	}
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
		fmt.Fprintf(w, "test error at the optimum of seed %d: %s; of always the larger class: %s\n", info.Seed,
			text(float64(info.Reference.TestError)), text(float64(info.BaseError)))
	}
	if info.Ridge != nil {
		fmt.Fprintf(w, "rho of seed %d: %s\n", info.Seed, Ridge(info.Ridge, info.Reference.TestError))
	}
	seedLines(w, "warning: ", runs, func(i *record.Info) []string { return i.Warnings })
	notes(w, info)
	return nil
}

// seedLines writes what runs say, each text once, with the number of seeds that say it where that is not all of them.
func seedLines(w io.Writer, what string, runs []*record.Run, says func(i *record.Info) []string) {
	var texts []string
	count := map[string]int{}
	for _, r := range runs {
		for _, text := range says(r.Info) {
			if count[text]++; count[text] == 1 {
				texts = append(texts, text)
			}
		}
	}
	for _, text := range texts {
		of := ""
		if count[text] < len(runs) {
			of = fmt.Sprintf("%d of %d seeds: ", count[text], len(runs))
		}
		fmt.Fprintln(w, what+of+text)
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
	text := ""
	switch f := float64(c.Factor); c.State {
	case record.Converged:
		return "the distance to the optimum is below 0.1 %"
	case record.Unknown:
		return "too few rounds to tell a trend, or no optimum to measure it against"
	case record.AtRest:
		text = "the distance to the optimum falls no more, or hardly"
	case record.Moving:
		text = fmt.Sprintf("the distance to the optimum falls by %.2g %% a round", 100*(1-f))
	default:
		text = fmt.Sprintf("the distance to the optimum grows by %.2g %% a round", 100*(f-1))
		if !(f > 1) || math.IsInf(f, 1) {
			text = "the distance to the optimum grows"
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

// holds says whether the condition of a claim is met. It goes by its text, as conditions have no kind yet.
func holds(condition string) bool { return condition == record.ConditionHolds }

// claim is the claimed loss of the node that loses most, and what it means.
func claim(i *record.Info) (value, meaning string) {
	p := i.Privacy
	switch {
	case p == nil:
		return "no claim", "the method does not hide what it computes from"
	case !holds(p.Condition):
		return "not established", p.Condition
	}
	worst := leastBound(i)
	value = number(worst.Epsilon)
	meaning = "claimed bound on what the messages say about a row, worst node"
	switch {
	case worst.By == "":
		value = number(i.Final.PrivacyLoss)
	case worst.Delta > 0:
		meaning += fmt.Sprintf(", at δ = %v by %s, the least of all in run.json", float64(worst.Delta), worst.By)
	default:
		meaning += ", by " + worst.By + ", the least of all in run.json"
	}
	if p.Chosen != nil {
		meaning += fmt.Sprintf("; noise chosen for %v over the %s: the scenario's budgets × %.4g",
			p.Chosen.Epsilon, p.Chosen.Over, p.Chosen.Scale)
	}
	return value, meaning
}

// leastBound is the bound of the node whose rows lose most, each node's the least of its
// compositions.
func leastBound(i *record.Info) (worst record.Bound) {
	for _, c := range i.Privacy.Claims {
		if c.Unit != privacy.Label && c.Bound.By != "" && (worst.By == "" || c.Bound.Epsilon > worst.Epsilon) {
			worst = c.Bound
		}
	}
	return worst
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
