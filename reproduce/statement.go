// Statements with their assessments, and their table on a page.

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
	NotTested     Assessment = "cannot be tested"
	ForComparison Assessment = "reference" // a number to compare others with, which states nothing
)

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

// row is the statement in a page's table.
func (s Statement) row() string { return Claim{Statement: s}.row() }

// row is the claim in a page's table: its one verdict, and where it is judged over settings, the share.
func (c Claim) row() string {
	return fmt.Sprintf("| %s | %s %s", c.Text, c.measured(), c.Verdict().cell())
}

// measured is what was measured on the page and over the settings.
func (c Claim) measured() string {
	if c.Share == nil {
		return c.Measured
	}
	return fmt.Sprintf("%s; here it %s; %s", c.Measured, c.Assessment, c.Share.Words(c.Exists))
}

// cell is the last cell of a row, with the marks around it.
func (a Assessment) cell() string { return fmt.Sprintf("| **%s** |", a) }

// statementRow is a row of a page's table of statements.
type statementRow struct {
	text       string
	assessment Assessment
}

// statementRows reads the rows that [Statement.row] wrote on a page.
func statementRows(page string) (rows []statementRow) {
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		for _, a := range []Assessment{Holds, HoldsInPart, Fails, NotTested, ForComparison} {
			if strings.HasPrefix(line, "| ") && strings.HasSuffix(line, a.cell()) {
				rows = append(rows, statementRow{line, a})
			}
		}
	}
	return rows
}
