// Statements with their assessments.

package reproduce

import (
	"fmt"
	"strings"
)

// Statement is what a paper or a study states, beside what was measured.
type Statement struct {
	Text       string // what is stated, Markdown; quotation marks for a paper's own words
	Measured   string // the numbers that the assessment is made from, Markdown
	Assessment Assessment

	// Exists is for a claim that there is a setting, “with suitable q”. It is judged once for all settings: it holds if
	// it holds at one of them; see [Claim.Verdict].
	Exists bool

	// Rests is what the statement rests on where that is no measurement: its verdict says so then.
	Rests Rests
}

// Rests is what a statement rests on.
type Rests string

// What a statement rests on.
const (
	OnMeasurement  Rests = ""
	OnAccount      Rests = "account"      // bounds that a method claims of itself, which are computed and not observed
	OnConstruction Rests = "construction" // what is compared is so by how it is made, whatever is measured
)

// On says what the statement rests on, if not on a measurement.
func (s Statement) On(r Rests) Statement {
	s.Rests = r
	return s
}

// StateExists is a statement that there is a setting with which something is so; see [Statement].
func StateExists(text string, assessment Assessment, format string, args ...any) Statement {
	s := State(text, assessment, format, args...)
	s.Exists = true
	return s
}

// State is a statement; format and args are what was measured.
func State(text string, assessment Assessment, format string, args ...any) Statement {
	return Statement{Text: text, Measured: fmt.Sprintf(format, args...), Assessment: assessment}
}

// Assessment says whether measurements confirm a statement. (The verdict on a privacy claim is an audit's, of package
// evaluation.) Its text is what pages print.
type Assessment string

// Assessments.
const (
	Holds         Assessment = "holds"
	HoldsInPart   Assessment = "holds in part"
	Fails         Assessment = "does not hold"
	NotTested     Assessment = "cannot be tested" // there is nothing that the statement is about
	ForComparison Assessment = "reference"        // a number to compare others with, which states nothing
	Void          Assessment = "a run failed"     // at a point of a grid, a run that the statement is about

	// What [Claim.Verdict] makes of these where a statement rests on no measurement.
	ByAccount           Assessment = "holds by account only"
	PartByAccount       Assessment = "holds in part, by account only"
	FailsByAccount      Assessment = "does not hold, by account only"
	ByConstruction      Assessment = "holds by construction"
	PartByConstruction  Assessment = "holds in part, by construction"
	FailsByConstruction Assessment = "does not hold, by construction"
)

// resting are the verdicts by what they rest on.
var resting = map[Rests]map[Assessment]Assessment{
	OnAccount:      {Holds: ByAccount, HoldsInPart: PartByAccount, Fails: FailsByAccount},
	OnConstruction: {Holds: ByConstruction, HoldsInPart: PartByConstruction, Fails: FailsByConstruction},
}

// assessments are all that claims can come to, in the order of an index.
var assessments = []Assessment{Holds, ByAccount, ByConstruction, HoldsInPart, PartByAccount, PartByConstruction, Fails,
	FailsByAccount, FailsByConstruction, NotTested}

// tally says how many there are of each assessment.
func tally(counts map[Assessment]int) string {
	var all []string
	for _, a := range assessments {
		if n := counts[a]; n > 0 {
			all = append(all, fmt.Sprintf("%d **%s**", n, a))
		}
	}
	return strings.Join(all, ", ")
}

// Assess is Holds or Fails.
func Assess(holds bool) Assessment {
	if holds {
		return Holds
	}
	return Fails
}

// AssessParts is Holds if all of a statement is true, HoldsInPart if some of it is, otherwise Fails.
func AssessParts(all, some bool) Assessment {
	switch {
	case all:
		return Holds
	case some:
		return HoldsInPart
	}
	return Fails
}

// AssessWhere is an assessment where there is something to assess, otherwise NotTested: what a statement is about does
// not occur, which is evidence neither for it nor against it.
func AssessWhere(occurs bool, a Assessment) Assessment {
	if occurs {
		return a
	}
	return NotTested
}
