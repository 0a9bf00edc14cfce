// What a study is made of: attacks and audits of a few runs that answer one
// question, with claims beside what was measured, figures and a report.

package reproduce

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/record"
	"overhear/report/attack"
	"overhear/report/plot"
	"overhear/scenarios"
)

// Study is a question about what messages give away.
type Study struct {
	Name    string // as on the command line
	Title   string
	About   string // the question and the setting, Markdown
	Compute func(b *Bench) error
}

// Bench carries out a study's runs and gathers what came out. Commands that
// repeat single parts are kept with them.
type Bench struct {
	Study    *Study
	Results  attack.Evaluation
	claims   []Claim
	figures  []figure
	text     []string // Markdown, after the claims
	ctx      context.Context
	data     string
	temp     string
	runs     int
	progress func(n int)
}

// figure is a chart and the name of its file.
type figure struct {
	name  string
	chart plot.Chart
}

var studies []*Study

// study adds a study; each one's file calls it from init.
func study(s *Study) { studies = append(studies, s) }

// Studies are all studies, by name.
func Studies() []*Study {
	all := slices.Clone(studies)
	slices.SortFunc(all, func(a, b *Study) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// FindStudy returns the study of that name.
func FindStudy(name string) (*Study, bool) {
	for _, s := range studies {
		if s.Name == name {
			return s, true
		}
	}
	return nil, false
}

// Carry carries a study out; progress, which may be nil, is told how many of its
// parts are done.
func (s *Study) Carry(ctx context.Context, dataDir string, progress func(n int)) (b *Bench, err error) {
	b = &Bench{Study: s, ctx: ctx, data: dataDir, progress: progress}
	b.Results.Title, b.Results.Command = s.Title, "simulate reproduce "+s.Name
	temp, err := os.MkdirTemp("", "overhear-")
	if err != nil {
		return nil, fmt.Errorf("making room for runs: %w", err)
	}
	b.temp = temp
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	if err := s.Compute(b); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return b, nil
}

// part counts a run, and names the command that repeats it.
func (b *Bench) part(verb, file string, words, sets []string) string {
	if b.runs++; b.progress != nil {
		b.progress(b.runs)
	}
	line := append([]string{"simulate", verb, "scenarios/" + file}, words...)
	for _, s := range sets {
		if strings.ContainsAny(s, " {}[]'") {
			s = "'" + s + "'"
		}
		line = append(line, "--set", s)
	}
	return strings.Join(line, " ")
}

// attack runs a shipped scenario's first seed and carries out its attacks. What is
// found enters the report if keep is set.
func (b *Bench) attack(keep bool, file string, sets ...string) (*record.Attacks, error) {
	command := b.part("attack", file, nil, sets)
	s, err := scenarios.LoadShipped(file, sets...)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(b.temp, fmt.Sprint(b.runs))
	r, err := experiment.New(s, b.data).Run(b.ctx, s.Seeds.First, experiment.Options{Out: out, Workers: runtime.GOMAXPROCS(0), Extra: evaluation.WriteKnowledge})
	if err != nil {
		return nil, err
	}
	a, err := evaluation.Attack(b.ctx, r, evaluation.AttackOptions{DataDir: b.data, Command: command})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	if keep {
		b.Results.Attacks = append(b.Results.Attacks, a)
	}
	return a, os.RemoveAll(out)
}

// audit audits a shipped scenario; runs of 0 is as the scenario says.
func (b *Bench) audit(keep bool, file string, runs int, sets ...string) (*record.Audit, error) {
	var words []string
	if runs > 0 {
		words = []string{"--runs", fmt.Sprint(runs)}
	}
	command := b.part("audit", file, words, sets)
	s, err := scenarios.LoadShipped(file, sets...)
	if err != nil {
		return nil, err
	}
	a, err := evaluation.Audit(b.ctx, experiment.New(s, b.data), evaluation.AuditOptions{Runs: runs, Workers: runtime.GOMAXPROCS(0), Command: command, Changes: sets})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	a.Wall = 0 // a committed page says nothing of the machine
	if keep {
		b.Results.Audits = append(b.Results.Audits, a)
	}
	return a, nil
}

// measure runs a shipped scenario's first seed and keeps its metrics only.
func (b *Bench) measure(file string, sets ...string) (*record.Info, *record.Table, error) {
	b.part("run", file, nil, sets)
	s, err := scenarios.LoadShipped(file, append([]string{"record.iterates=none", "record.messages=none", "record.trace=off"}, sets...)...)
	if err != nil {
		return nil, nil, err
	}
	return experiment.New(s, b.data).Measure(b.ctx, s.Seeds.First, runtime.GOMAXPROCS(0))
}

// claim sets a statement beside what was measured. The first one stands for the
// study in the index.
func (b *Bench) claim(states string, holds Verdict, format string, measured ...any) {
	b.claims = append(b.claims, Claim{States: states, Measured: fmt.Sprintf(format, measured...), Holds: holds})
}

// draw adds a figure.
func (b *Bench) draw(name string, c plot.Chart) { b.figures = append(b.figures, figure{name, c}) }

// varies says what differs from one of the report's attacked runs to the next.
func (b *Bench) varies(label string, values []float64) {
	b.Results.Axis = &attack.Axis{Label: label, Values: values}
}

// say adds to the page, Markdown.
func (b *Bench) say(format string, args ...any) {
	b.text = append(b.text, fmt.Sprintf(format, args...))
}

// found is a finding of an attack by name, the first if there are more.
func found(a *record.Attacks, attack string) *record.Finding {
	for k := range a.Findings {
		if a.Findings[k].Attack == attack {
			return &a.Findings[k]
		}
	}
	return &record.Finding{Attack: attack, Succeeded: record.Blocked, Conclusion: "it was not carried out"}
}

// miss is the relative error of a finding's best informed estimate; 1, that of
// guessing zero, if there is none.
func miss(f *record.Finding) float64 {
	if n := len(f.Estimates); n > 0 && f.Estimates[n-1].Score != nil {
		return float64(f.Estimates[n-1].Score.Relative)
	}
	return 1
}

// Write writes dir/<name>/: README.md, figures, and the report in three forms.
func (b *Bench) Write(dir string) (string, error) {
	dir = filepath.Join(dir, b.Study.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("writing %s: %w", b.Study.Name, err)
	}
	for _, f := range b.figures {
		if err := f.chart.Save(dir, f.name); err != nil {
			return "", fmt.Errorf("%s: %w", b.Study.Name, err)
		}
	}
	if len(b.Results.Attacks)+len(b.Results.Audits) > 0 {
		if _, err := b.Results.Write(filepath.Join(dir, "report.html")); err != nil {
			return "", fmt.Errorf("%s: %w", b.Study.Name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(b.page()), 0o644); err != nil {
		return "", fmt.Errorf("writing %s: %w", b.Study.Name, err)
	}
	return dir, nil
}

// Claims are the study's, with what was measured.
func (b *Bench) Claims() []Claim { return b.claims }

// page is README.md.
func (b *Bench) page() string {
	var out strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	p("# %s\n", b.Study.Title)
	p("%s\n", b.Study.About)
	p("`simulate reproduce %s` computes this page.", b.Study.Name)
	if len(b.Results.Attacks)+len(b.Results.Audits) > 0 {
		p("Its attacks and audits are in the report: [HTML](report.html), [Markdown](report.md), [JSON](report.json).")
	}
	p("")
	p("| claim | measured | |\n|---|---|---|")
	for _, c := range b.claims {
		p("| %s | %s | **%s** |", c.States, c.Measured, c.Holds)
	}
	p("")
	for _, t := range b.text {
		p("%s\n", t)
	}
	for _, f := range b.figures {
		p("![%s](%s.svg)\n", f.chart.Title, f.name)
	}
	var commands []string
	for _, a := range b.Results.Attacks {
		commands = append(commands, a.Command)
	}
	for _, a := range b.Results.Audits {
		commands = append(commands, a.Command)
	}
	if commands != nil {
		p("Parts of it alone:\n\n```\n%s\n```", strings.Join(commands, "\n"))
	}
	return out.String()
}

// WriteFindings writes dir/README.md, which gathers what the studies whose pages
// are in dir/attacks found, each with a figure and its command.
func WriteFindings(dir string) error {
	var out strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	p("# Findings\n")
	p("What the messages of private methods give away, attack by attack and claim by claim; every page is computed by the command under its")
	p("heading. What the papers' figures show is in [papers.md](papers.md).\n")
	for _, s := range Studies() {
		here := filepath.Join(dir, s.Name)
		text, err := os.ReadFile(filepath.Join(here, "README.md"))
		if err != nil {
			continue // not computed in this directory
		}
		p("## [%s](%s/README.md)\n\n`simulate reproduce %s`\n\n| claim | measured | |\n|---|---|---|", s.Title, s.Name, s.Name)
		picture := ""
		for line := range strings.Lines(string(text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "| ") && strings.HasSuffix(line, "** |") {
				p("%s", line)
			}
			if strings.HasPrefix(line, "![") && picture == "" {
				picture = strings.Replace(line, "](", "]("+s.Name+"/", 1)
			}
		}
		p("")
		if picture != "" {
			p("%s\n", picture)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "README.md"), []byte(out.String()), 0o644); err != nil {
		return fmt.Errorf("writing the findings: %w", err)
	}
	return nil
}
