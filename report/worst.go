// What a search for the worst pair and data came to, as text.

package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"overhear/internal/plural"
	"overhear/record"
)

// Tightness is what an audit measures ÷ the certificate, as its runs show with 95 % confidence, and the most that they
// leave possible: where the upper end of the measured δ(ε) comes down to the certificate's δ, or 1, as is proved. NaN:
// there is no certificate.
func Tightness(a *record.Audit) (least, most float64) {
	if a.Certified == nil || !(a.Certified.Epsilon > 0) {
		return math.NaN(), math.NaN()
	}
	most = 1
	for _, p := range a.Curve {
		if p.High <= a.Certified.Delta {
			most = min(most, float64(p.Epsilon/a.Certified.Epsilon))
		}
	}
	return float64(a.Certified.Share), most
}

// WorstTable writes what was searched, how long, and what fresh runs say of what was found.
func WorstTable(w io.Writer, s *record.WorstData, a *record.Audit) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "%s: search for the worst data of %s\n", s.Name, s.Algorithm)
	fmt.Fprintf(t, "searched\t%s, of row %d of node %d; %s differs\n", strings.Join(s.Over, ", "), s.Row, s.Node,
		"one "+string(s.Unit))
	fmt.Fprintf(t, "budget\t%s, of which %d were tried, %d failed, and %d were better than all before; %s\n",
		plural.Of(s.Budget, "candidate"), s.Evaluations, s.Failed, len(s.Steps)-1, plural.Of(s.Runs, "run"))
	fmt.Fprintf(t, "score\t%.4g at the start, %.4g of what was found: the greatest loss that noise could make of each "+
		"round, in a sum of squares\n", s.Start, s.Found)
	if least, most := Tightness(a); !math.IsNaN(least) {
		fmt.Fprintf(t, "tightness\tmeasured ÷ certificate is %s to %s, with 95 %% confidence, whatever the law, by %s "+
			"that the search did not choose by\n", percent(record.Number(least)), percent(record.Number(most)),
			plural.Of(2*a.Runs, "run"))
	}
	return t.Flush()
}
