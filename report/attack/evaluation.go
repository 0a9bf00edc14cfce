// The attack-evaluation report: what attacks on runs and audits found, as one
// self-contained HTML file, as Markdown and as JSON.

package attack

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"overhear/record"
)

// Evaluation is what one report is about: attacks on runs and audits, any number
// of each. The same evaluation always gives the same bytes.
type Evaluation struct {
	Title   string
	Attacks []*record.Attacks
	Audits  []*record.Audit
	Maps    []Mapped

	Accounts []Account // of runs that claim something
	Tunings  []Tuning  // of sweeps that are accounted for
	Axis     *Axis     // nil: the attacked runs are not a sweep
	Command  string    // that repeats the report; "": not known

	// Warnings say what does not belong together: parts that came from other data or another program.
	Warnings []string
}

// Mapped is a map, with the pairs of which it is.
type Mapped struct {
	*record.Map
	Pairs *record.Pairs `json:"-"`
}

// Tuning is what the runs of a sweep lose together.
type Tuning struct {
	Name   string         `json:"name"`
	Tuning *record.Tuning `json:"tuning"`
}

// Axis is what was varied from one attacked run to the next: a noise level, the
// jitter of latencies, the share of lost packets.
type Axis struct {
	Label  string    `json:"label"`  // with its unit
	Values []float64 `json:"values"` // parallel to Attacks
}

// HTML writes one page that loads nothing and runs no script.
func (e *Evaluation) HTML(w io.Writer) error {
	p, err := e.page()
	if err != nil {
		return err
	}
	return p.html(w)
}

// Markdown writes the page's text and tables; a figure becomes the table of its
// numbers.
func (e *Evaluation) Markdown(w io.Writer) error {
	p, err := e.page()
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, p.markdown())
	return err
}

// JSON writes everything that is known, as in attacks.json and audit.json. What
// is not defined is null, what is infinite a text.
func (e *Evaluation) JSON(w io.Writer) error {
	if err := e.check(); err != nil {
		return err
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	type axis struct {
		Label  string          `json:"label"`
		Values []record.Number `json:"values"`
	}
	var varied *axis
	if e.Axis != nil {
		varied = &axis{Label: e.Axis.Label}
		for _, v := range e.Axis.Values {
			varied.Values = append(varied.Values, record.Number(v))
		}
	}
	err := encoder.Encode(struct {
		Format  int               `json:"format"`
		Title   string            `json:"title"`
		Command string            `json:"command"`
		Warning []string          `json:"warnings,omitempty"`
		Axis    *axis             `json:"axis,omitempty"`
		Attacks []*record.Attacks `json:"attacks"`
		Audits  []*record.Audit   `json:"audits"`
		Maps    []Mapped          `json:"maps,omitempty"`
		Runs    []Account         `json:"accounts,omitempty"`
		Tunings []Tuning          `json:"tunings,omitempty"`
	}{record.Format, e.Title, e.Command, e.Warnings, varied, e.Attacks, e.Audits, e.Maps, e.Accounts, e.Tunings})
	if err != nil {
		return fmt.Errorf("writing an evaluation as JSON: %w", err)
	}
	return nil
}

// Empty says whether there is nothing to report.
func (e *Evaluation) Empty() bool {
	return len(e.Attacks)+len(e.Audits)+len(e.Maps)+len(e.Accounts)+len(e.Tunings) == 0
}

// check says what makes an evaluation unfit for a report.
func (e *Evaluation) check() error {
	if e.Empty() {
		return fmt.Errorf("an evaluation without attacks, audits, maps or accounts has nothing to report")
	}
	if e.Axis != nil && len(e.Axis.Values) != len(e.Attacks) {
		return fmt.Errorf("an axis of %d values for %d attacked runs", len(e.Axis.Values), len(e.Attacks))
	}
	for _, a := range e.Attacks {
		for _, edge := range a.Placement.Edges {
			for _, node := range edge {
				if node < 0 || node >= a.Placement.Nodes {
					return fmt.Errorf("an edge of %s ends at node %d, of %d", a.Name, node, a.Placement.Nodes)
				}
			}
		}
	}
	return nil
}

// runName tells an attacked run from the others of the evaluation.
func (e *Evaluation) runName(k int) string {
	name := e.Attacks[k].Name
	same, sameSeed := 0, 0
	for j, a := range e.Attacks {
		if a.Name == name && (e.Axis == nil || e.Axis.Values[j] == e.Axis.Values[k]) {
			same++
			if a.Seed == e.Attacks[k].Seed {
				sameSeed++
			}
		}
	}
	if e.Axis != nil {
		name += fmt.Sprintf(", %s = %s", e.Axis.Label, level(e.Axis.Values[k]))
	}
	if same > sameSeed {
		name += fmt.Sprintf(", seed %d", e.Attacks[k].Seed)
	}
	if sameSeed > 1 {
		name += fmt.Sprintf(" (%d)", k+1)
	}
	return name
}

// auditName tells an audit from the others.
func (e *Evaluation) auditName(k int) string {
	a := e.Audits[k]
	for j, b := range e.Audits {
		if j != k && b.Name == a.Name {
			if b.Seed == a.Seed && a.Changes != nil && !slices.Equal(a.Changes, b.Changes) {
				return a.Name + ", " + strings.Join(a.Changes, ", ")
			}
			if b.Seed == a.Seed {
				return fmt.Sprintf("%s (%d)", a.Name, k+1)
			}
			return fmt.Sprintf("%s, seed %d", a.Name, a.Seed)
		}
	}
	return a.Name
}
