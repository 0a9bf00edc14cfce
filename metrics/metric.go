// The declaration of every metric, from which columns, absent values, explanations, tables and documents follow.

package metrics

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/record"
)

// Metric is what a column of metrics.csv says. The table of all of them is the only place that declares one.
type Metric struct {
	Name    string  // the column, and what `simulate explain` takes
	Title   string  // in the tables of a run and of its seeds; empty: it has no line there
	Unit    string  // empty: a number without a unit
	Absent  string  // when a row has no value, which is NaN in a Row and empty in the file; empty: never
	Percent bool    // a run's table prints a fraction in per cent
	Error   bool    // it says how far a model is from a good one, so that less is better
	Rows    Meaning // of a run over split rows
	Split   Meaning // of a run over split columns, where that is different

	field func(*Row) *float64        // of a metric that is measured; nil: count
	count func(*Row) float64         // of one that every row has, of another type
	final func(record.Final) float64 // where run.json keeps the last row's; nil: it does not
}

// Meaning says what a metric is.
type Meaning struct {
	Definition string // one line with the formula and, in brackets, its source
	Phrase     string // in a run's table; empty: the table has words of its own, or no line
}

var absentAverage = fmt.Sprintf("for a method that publishes the w_i it computes; in round 0; above %d nodes",
	mostAveraged)

// all has the metrics in the order of the columns; those after bytes are extra.
var all = []*Metric{
	{
		Name: "round", Unit: "rounds",
		Rows:  Meaning{Definition: "number of the round, 0 is the start; without lockstep the mean of the nodes'"},
		count: func(r *Row) float64 { return float64(r.Round) },
	},
	{
		Name: "time_s", Title: "virtual seconds", Unit: "s",
		Rows:  Meaning{Definition: "virtual time at which the last node published the round"},
		Split: Meaning{Definition: "virtual time at which the hub ended the round"},
		count: func(r *Row) float64 { return r.Time.Seconds() },
		final: func(f record.Final) float64 { return f.VirtualSeconds },
	},
	{
		Name: "loss", Title: "training loss",
		Error: true,
		Rows: Meaning{
			"L(t) = (1/N) Σ_i (1/B_i) Σ_n L(y_n f_i·x_n): mean training loss of the nodes, each with its own " +
				"classifier and its own true labels (ZKL18 §5)",
			"average over the nodes, each with its own model",
		},
		Split: Meaning{
			"(1/N) Σ_n L(y_n Σ_m x_m·d_mn): mean training loss of the rows, with all parties' coefficients",
			"average over the rows, with all parties' coefficients",
		},
		field: func(r *Row) *float64 { return &r.Loss },
		final: func(f record.Final) float64 { return float64(f.Loss) },
	},
	{
		Name: "objective", Title: "objective",
		Error: true,
		Rows: Meaning{
			"Σ_i O_i(f_i), O_i(f) = (C/B_i) Σ_n L(y_n f·x_n) + (r_i/2)‖f‖² + h_i(f) (ZKL18 §2)",
			"loss and regulariser of all nodes",
		},
		Split: Meaning{"c Σ_n L(y_n z_n) + (λ/2)‖x‖² + Σ_m h(x_m), z = Σ_m D_m x_m (SH19 §2)",
			"loss and regulariser of all parties"},
		field: func(r *Row) *float64 { return &r.Objective },
		final: func(f record.Final) float64 { return float64(f.Objective) },
	},
	{
		Name: "test_error", Title: "test error", Unit: "fraction", Percent: true,
		Absent: "without test rows; where rows have targets",
		Error:  true,
		Rows: Meaning{Definition: "fraction of the test rows that f̄ = (1/N) Σ_i f_i gets wrong (RA19 §VIII); the " +
			"accuracy is one less it"},
		Split: Meaning{Definition: "fraction of the test rows that all parties together get wrong"},
		field: func(r *Row) *float64 { return &r.TestError },
		final: func(f record.Final) float64 { return float64(f.TestError) },
	},
	{
		Name: "consensus", Title: "disagreement", Absent: "for a method over split columns whose hub holds no z",
		Rows:  Meaning{"max_i ‖f_i − f̄‖, f̄ the average", "largest distance of a node from the average"},
		Split: Meaning{"‖Σ_m p_m − z‖/√N, N rows", "‖Σp − z‖/√N: between what parties send and the hub holds"},
		field: func(r *Row) *float64 { return &r.Consensus },
		final: func(f record.Final) float64 { return float64(f.Consensus) },
	},
	{
		Name: "distance", Title: "distance", Unit: "fraction of ‖f*‖",
		Absent: "if the centralised optimum is not known",
		Error:  true,
		Rows: Meaning{
			"max_i ‖f_i − f*‖ / ‖f*‖, f* the centralised optimum; not divided if f* is zero",
			"of the worst node from the centralised optimum, relative",
		},
		Split: Meaning{
			"‖x − x*‖ / ‖x*‖, x all parties' coefficients; not divided if x* is zero",
			"of all coefficients from the centralised optimum, relative",
		},
		field: func(r *Row) *float64 { return &r.Distance },
		final: func(f record.Final) float64 { return float64(f.Distance) },
	},
	{
		Name: "privacy_loss", Title: "privacy loss", Unit: "nats",
		Absent: "if the method claims none, or its claim is not established",
		Rows: Meaning{Definition: "the method's claimed bound up to the round, as its paper composes it, largest " +
			"over nodes (ZKL18 §5, P(t)): the sum over rounds, or by Rényi divergences where a mechanism is not " +
			"pure; where nodes are in rounds of their own, and in the last row of a run that ended early, it is of " +
			"`most_round` rounds; the least of all compositions is the privacy bound of a run's table"},
		field: func(r *Row) *float64 { return &r.PrivacyLoss },
		final: func(f record.Final) float64 { return float64(f.PrivacyLoss) },
	},
	{
		Name: "messages", Unit: "packets",
		Rows:  Meaning{Definition: "packets sent for rounds up to this one, lost ones included"},
		count: func(r *Row) float64 { return float64(r.Messages) },
		final: func(f record.Final) float64 { return float64(f.Messages) },
	},
	{
		Name: "bytes", Unit: "bytes",
		Rows:  Meaning{Definition: "size of those packets, headers included"},
		count: func(r *Row) float64 { return float64(r.Bytes) },
		final: func(f record.Final) float64 { return float64(f.Bytes) },
	},
	{
		Name: "dual_sum", Absent: "until every node has ended the round; where columns are split",
		Rows:  Meaning{Definition: "‖Σ_i λ_i‖ after the round's dual step; zero but for rounding if the theory holds"},
		field: func(r *Row) *float64 { return &r.DualSum },
		final: func(f record.Final) float64 { return float64(f.DualSum) },
	},
	{
		Name: "residual", Absent: "where no subproblem was solved iteratively",
		Rows:  Meaning{Definition: "largest ‖∇‖/max(1, ‖q‖) of the round's solves"},
		Split: Meaning{Definition: "largest residual of the hub's scalar problems"},
		field: func(r *Row) *float64 { return &r.Residual },
	},
	{
		Name: "spread", Absent: fmt.Sprintf("above %d nodes; where columns are split", widest),
		Rows: Meaning{Definition: "max over pairs of nodes of ‖w_i − w_l‖, w what a node has before it adds noise to " +
			"its output (PDML §VI)"},
		field: func(r *Row) *float64 { return &r.Spread },
	},
	{
		Name: "averaged_risk", Absent: absentAverage, Error: true,
		Rows: Meaning{Definition: "(1/N) Σ_i Σ_l O_l(w̄_i), w̄_i(t) = (1/t) Σ_{k≤t} w_i(k), on the true labels " +
			"(PDML (1), §VI)"},
		field: func(r *Row) *float64 { return &r.Averaged.Risk },
	},
	{
		Name: "averaged_error", Unit: "fraction", Absent: absentAverage, Error: true,
		Rows:  Meaning{Definition: "fraction of the test rows that w̄_i gets wrong, mean over the nodes (PDML §VI)"},
		field: func(r *Row) *float64 { return &r.Averaged.Error },
	},
	{
		Name: "test_loss", Title: "test log loss",
		Absent: "without test rows; where rows have targets; where rows are split and the loss is no model of " +
			"probabilities: any but logistic, softmax and one-vs-rest of logistic",
		Error: true,
		Rows: Meaning{Definition: "mean over the test rows of −log p, p the probability that the loss's model gives " +
			"a row's class with f̄: σ(y f̄·x) of logistic, e^{f̄_y·x}/Σ_k e^{f̄_k·x} of softmax, " +
			"σ(f̄_y·x)/Σ_k σ(f̄_k·x) of one-vs-rest"},
		Split: Meaning{Definition: "mean of log(1 + e^−yz) of the test rows with all parties' coefficients, whatever " +
			"the loss"},
		field: func(r *Row) *float64 { return &r.TestLoss },
		final: func(f record.Final) float64 { return float64(f.TestLoss) },
	},
	{
		Name: "least_round", Unit: "rounds",
		Rows:  Meaning{Definition: "round of the node that has published fewest iterates"},
		count: func(r *Row) float64 { return float64(r.Least) },
	},
	{
		Name: "most_round", Unit: "rounds",
		Rows: Meaning{Definition: "round of the node that has published most iterates; where rounds are in lockstep, " +
			"the row's own, but in the last row of a run that ended early"},
		count: func(r *Row) float64 { return float64(r.Most) },
	},
	{
		Name: "rmse", Title: "training RMSE", Unit: "the target's", Absent: "where rows have classes",
		Error: true,
		Rows: Meaning{"√((1/n) Σ (t − f̄·x)²) over all n training rows, f̄ = (1/N) Σ_i f_i, in units of the file",
			"of the nodes' average"},
		Split: Meaning{
			"√((1/N) Σ_n (t_n − z_n)²), z = Σ_m D_m x_m, in units of the file", "of all parties together",
		},
		field: func(r *Row) *float64 { return &r.Train.RMSE },
		final: inFit(func(f *record.Fit) record.Number { return f.RMSE }),
	},
	{
		Name: "r2", Title: "training R²", Absent: "where rows have classes",
		Rows: Meaning{Definition: "1 − Σ (t − f̄·x)² / Σ (t − t̄)² over all training rows, t̄ the mean of their " +
			"targets: 1 if all are met, 0 if they are met no better than by t̄"},
		field: func(r *Row) *float64 { return &r.Train.R2 },
		final: inFit(func(f *record.Fit) record.Number { return f.R2 }),
	},
	{
		Name: "test_rmse", Title: "test RMSE", Unit: "the target's",
		Absent: "where rows have classes; without test rows",
		Error:  true,
		Rows:   Meaning{Definition: "the same of the test rows"},
		field:  func(r *Row) *float64 { return &r.Test.RMSE },
		final:  inFit(func(f *record.Fit) record.Number { return f.TestRMSE }),
	},
	{
		Name: "test_r2", Title: "test R²",
		Absent: "where rows have classes; without test rows, or if their targets are all the same",
		Rows:   Meaning{Definition: "the same of the test rows, t̄ the mean of their targets"},
		field:  func(r *Row) *float64 { return &r.Test.R2 },
		final:  inFit(func(f *record.Fit) record.Number { return f.TestR2 }),
	},
	{
		Name: "covered", Title: "training coverage", Unit: "share", Percent: true, Absent: "where rows have classes",
		Rows: Meaning{Definition: "share of all training rows with t ≤ f̄·x; where a quantile is predicted, " +
			"to be near its level"},
		field: func(r *Row) *float64 { return &r.Train.Covered },
		final: inFit(func(f *record.Fit) record.Number { return f.Covered }),
	},
	{
		Name: "test_covered", Title: "coverage", Unit: "share", Percent: true,
		Absent: "where rows have classes; without test rows",
		Rows:   Meaning{Definition: "the same of the test rows"},
		field:  func(r *Row) *float64 { return &r.Test.Covered },
		final:  inFit(func(f *record.Fit) record.Number { return f.TestCovered }),
	},
	{
		Name: "stationarity", Title: "stationarity", Unit: "fraction of the steepest",
		Absent: "where rows are split; where the loss is convex, whose runs have a distance",
		Error:  true,
		Rows: Meaning{
			"‖G(x)‖ / (c max|L′| Σ_n ‖d_n‖), G(x) = (x − prox_{sh}(x − s∇))/s the gradient mapping of the whole " +
				"objective at all parties' coefficients, which is its gradient ∇ without h: zero at stationary " +
				"points; no gradient of the rows' losses is longer than what it is divided by",
			"gradient of the objective, relative to the rows' steepest: 0 at a stationary point, which need not be " +
				"the optimum",
		},
		field: func(r *Row) *float64 { return &r.Stationarity },
		final: func(f record.Final) float64 {
			if f.Stationarity == nil {
				return math.NaN()
			}
			return float64(*f.Stationarity)
		},
	},
	{
		Name: "privacy_delta", Absent: "where privacy_loss is",
		Rows:  Meaning{Definition: "δ at which privacy_loss is ε: 0 where it is a sum of pure losses"},
		field: func(r *Row) *float64 { return &r.PrivacyDelta },
	},
	{
		Name: "certificate_epsilon", Unit: "nats",
		Absent: "in all rows but the last, as a composition takes long; if the run is not certified",
		Rows: Meaning{Definition: "what is proved of the loss of a row over the whole run from the law of the noise, " +
			"largest over nodes, whoever sees all messages: the run's certificate; what of it is measured is in an " +
			"audit"},
		field: func(r *Row) *float64 { return &r.CertificateEpsilon },
	},
	{
		Name: "certificate_delta", Absent: "where certificate_epsilon is",
		Rows:  Meaning{Definition: "δ of certificate_epsilon"},
		field: func(r *Row) *float64 { return &r.CertificateDelta },
	},
}

// Columns are the columns of metrics.csv.
var Columns = names()

func names() []string {
	columns := make([]string, len(all))
	for k, m := range all {
		columns[k] = m.Name
	}
	return columns
}

// All returns the metrics in the order of Columns.
func All() []*Metric { return slices.Clone(all) }

// Lookup finds a metric by its name.
func Lookup(name string) (*Metric, bool) {
	k := slices.Index(Columns, name)
	if k < 0 {
		return nil, false
	}
	return all[k], true
}

// Named is the metric of that name. It panics if there is none.
func Named(name string) *Metric {
	m, ok := Lookup(name)
	if !ok {
		panic("metrics: there is no metric " + name)
	}
	return m
}

// Of is the metric's value in a row, NaN if it has none.
func (m *Metric) Of(r *Row) float64 {
	if m.field != nil {
		return *m.field(r)
	}
	return m.count(r)
}

// InFinal is the metric's value of the last round as run.json keeps it. It panics for a metric that run.json does not
// keep.
func (m *Metric) InFinal(f record.Final) float64 {
	if m.final == nil {
		panic("metrics: run.json does not keep " + m.Name)
	}
	return m.final(f)
}

// Text is a value as a table prints it, "-" if there is none.
func (m *Metric) Text(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case m.Percent:
		return fmt.Sprintf("%.2f %%", 100*v)
	}
	return fmt.Sprintf("%.6g", v)
}

// MeaningOf is what the metric is of a run over split columns or over split rows.
func (m *Metric) MeaningOf(columns bool) Meaning {
	if columns && m.Split != (Meaning{}) {
		return m.Split
	}
	return m.Rows
}

// Explain says in a few lines what the metric is, its unit and when it is absent.
func (m *Metric) Explain() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n(a column of metrics.csv)\n\n", m.Name, m.Rows.Definition)
	if m.Split != (Meaning{}) {
		fmt.Fprintf(&b, "over split columns: %s\n", m.Split.Definition)
	}
	if m.Unit != "" {
		fmt.Fprintf(&b, "unit: %s\n", m.Unit)
	}
	absent := "never"
	if m.Absent != "" {
		absent = m.Absent
	}
	fmt.Fprintf(&b, "empty: %s\n", absent)
	return b.String()
}

// Document is the table of the columns of metrics.csv in docs/formats.md, in Markdown.
func Document() string {
	var b strings.Builder
	b.WriteString("| column | unit | meaning | empty |\n|---|---|---|---|\n")
	for _, m := range all {
		meaning := m.Rows.Definition
		if m.Split != (Meaning{}) {
			meaning += "; over split columns: " + m.Split.Definition
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Unit, meaning, m.Absent)
	}
	return b.String()
}
