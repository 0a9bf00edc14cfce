// Attacks and audits as tables for a terminal.

package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"overhear/record"
)

// AttackTable writes what attacks on a run found.
func AttackTable(w io.Writer, a *record.Attacks, dir string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s, seed %d: %s\n", a.Name, a.Seed, a.Algorithm)
	fmt.Fprintf(t, "sees\t%s: %d of %d packets\n", a.Threat.Sees, a.Sight.Packets, a.Sight.Of)
	fmt.Fprintf(t, "knows\t%s\n", a.Threat.Knows)
	fmt.Fprintf(t, "wants\t%s\n", a.Threat.Wants)
	if a.Threat.Acts != "" {
		fmt.Fprintf(t, "acts\t%s\n", a.Threat.Acts)
	}
	fmt.Fprintf(t, "files\t%s/%s\n", dir, record.AttacksFile)
	if err := t.Flush(); err != nil {
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "attack\tvictim\toutcome\terror\tguess\tof\tconclusion")
	for i := range a.Findings {
		f := &a.Findings[i]
		e, g, of := "–", "–", "–"
		if b := f.Beside(); b != nil {
			e, g, of = fmt.Sprintf("%.2g", float64(b.Error)), fmt.Sprintf("%.2g", float64(b.Guess)), b.Of
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", f.Attack, f.Victim, f.Said(), e, g, of, f.Conclusion)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if a.Diverged != "" {
		fmt.Fprintln(w, "warning:", a.Diverged)
	}
	if a.Unscored != "" {
		fmt.Fprintln(w, "not scored:", a.Unscored)
	}
	for _, u := range a.Sight.Unseen {
		fmt.Fprintln(w, "not seen:", u)
	}
	for _, u := range a.Untried {
		fmt.Fprintf(w, "not tried: %s: %s\n", u.Attack, u.Reason)
	}
	if u := a.Untried; len(u) > 0 {
		fmt.Fprintf(w, "what one that was not tried needs: simulate explain %s; adversary.attacks: [NAME, …] carries "+
			"out these and no others\n", u[0].Attack)
	}
	return nil
}

// AuditTable writes what an audit measured, the verdicts first.
func AuditTable(w io.Writer, a *record.Audit, dir string) error {
	o := NewOpening(a)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, o.Title)
	fmt.Fprintln(t, strings.Join(o.Head, "\t"))
	for _, row := range o.Rows {
		fmt.Fprintln(t, strings.Join(row, "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, n := range o.Notes {
		fmt.Fprintf(t, "%s\t%s\n", n[0], n[1])
	}
	fmt.Fprintf(t, "claim\t%s\n", a.Claim)
	fmt.Fprintf(t, "condition\t%s\n", a.Condition)
	fmt.Fprintf(t, "worlds\t%s %d of node %d: %s\n", a.Pair.Unit, a.Pair.Row, a.Pair.Node, a.Pair.What)
	fmt.Fprintf(t, "statistic\t%s\n", a.Statistic)
	if !math.IsNaN(float64(a.Power.AUC)) {
		fmt.Fprintf(t, "told apart\tAUC %.4g, advantage %.3g, TPR %.3g at FPR 1 %%, %.3g at 0.1 %%, %.3g at 0\n",
			float64(a.Power.AUC), float64(a.Power.Advantage), float64(a.Power.TPR1), float64(a.Power.TPR01),
			float64(a.Power.TPR0))
	}
	fmt.Fprintf(t, "files\t%s/%s, %.2f s\n", dir, record.AuditFile, a.Wall)
	if err := t.Flush(); err != nil {
		return err
	}
	if err := testTable(w, a.Judged()); err != nil {
		return err
	}
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range a.Checks {
		if !c.Holds {
			fmt.Fprintf(t, "CHECK FAILS\t%s\t%s\t%.3g\tbound %.3g\t%s\n", c.Kind, c.Text(), float64(c.Measured),
				float64(c.Bound), c.Detail)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return checkTable(w, a.Checks)
}

// testTable writes all tests of the claims, whose verdicts are by the strongest.
func testTable(w io.Writer, verdicts []record.Verdict) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(TestHead, "\t"))
	any := false
	for k := range verdicts {
		for _, row := range Tests(&verdicts[k]) {
			fmt.Fprintln(t, strings.Join(row, "\t"))
			any = true
		}
	}
	if !any {
		return nil
	}
	return t.Flush()
}

// TestHead names the columns of Tests.
var TestHead = []string{"test of", "by", "claimed ε", "measured ε", "finds"}

// Tests are the tests of a claim as rows of a table.
func Tests(v *record.Verdict) (rows [][]string) {
	for k := range v.Tests {
		t := &v.Tests[k]
		of := v.Claim + ", " + v.Where()
		if v.Scope == record.UpTo {
			own := *v
			own.Round = t.Round
			of = own.Claim + ", " + own.Where()
		}
		finds := "nothing against the claim"
		switch {
		case t.Refutes:
			finds = "more than is claimed"
		case math.IsNaN(float64(t.Measured)):
			finds = "nothing: it does not apply"
		case math.IsNaN(float64(t.Epsilon)):
			finds = "a loss, and no claim to set it against"
		}
		rows = append(rows, []string{of, t.Method, epsilon(t.Epsilon), epsilon(t.Measured), finds})
	}
	if of := Searched(v.Searched, v.Bound); of != "–" {
		finds := "nothing against the claim"
		switch {
		case math.IsNaN(float64(v.Epsilon)):
			finds = "a loss, and no claim to set it against"
		case float64(v.Searched) > float64(v.Epsilon)*(1+record.SearchError):
			finds = "more than is claimed"
		case float64(v.Bound) <= float64(v.Epsilon)*(1+record.SearchError):
			finds = "that no trace and no pair exceeds the claim"
		}
		rows = append(rows, []string{v.Claim + ", " + v.Where(), "search for the worst trace and pair",
			epsilon(v.Epsilon), of, finds})
	}
	return rows
}

// checkTable writes which checks of an audit hold, and what each would have found.
func checkTable(w io.Writer, checks []record.Check) error {
	held := 0
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "check holds\tof\twith a probability of 99 % it would have found")
	for _, c := range checks {
		if !c.Holds {
			continue
		}
		held++
		finding := c.Finding()
		if finding == "" {
			finding = "–"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", c.Kind, c.Detail, finding)
	}
	if held == 0 {
		return nil
	}
	return t.Flush()
}

// Searched is the supremum of a loss as text: where the trace that was found does not come to the bound that none
// exceeds, both.
func Searched(found, bound record.Number) string {
	switch {
	case found == 0 && bound == 0 || math.IsNaN(float64(found)):
		return "–"
	case float64(found) >= float64(bound)*(1-1e-4):
		return epsilon(bound)
	default:
		return epsilon(found) + " to " + epsilon(bound)
	}
}

// epsilon is a loss as text.
func epsilon(n record.Number) string {
	switch v := float64(n); {
	case math.IsInf(v, 1):
		return "∞"
	case math.IsNaN(v):
		return "–"
	default:
		return fmt.Sprintf("%.4g", v)
	}
}
