// What a study is made of, the register of studies, and the workbench on which a study does its runs.

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

	"overhear/algorithms"
	"overhear/evaluation"
	"overhear/experiment"
	"overhear/internal/files"
	"overhear/record"
	"overhear/report/attack"
	"overhear/report/plot"
	"overhear/scenarios"
)

// Study is a question about what messages give away, or about networks.
type Study struct {
	Name    string // as on the command line, and the directory of its page: attacks/… or networks/…
	Title   string
	About   string // the question and the setting, Markdown
	Compute func(b *Workbench) error
}

var studies []*Study

// RegisterStudy adds a study to those of [Studies]. Each study's file calls it from init.
func RegisterStudy(s *Study) { studies = append(studies, s) }

// Studies are all registered studies, by name.
func Studies() []*Study {
	return slices.SortedFunc(slices.Values(studies), func(a, b *Study) int { return strings.Compare(a.Name, b.Name) })
}

// FindStudy returns the study of that name.
func FindStudy(name string) (*Study, bool) {
	k := slices.IndexFunc(studies, func(s *Study) bool { return s.Name == name })
	if k < 0 {
		return nil, false
	}
	return studies[k], true
}

// Workbench does a study's runs, attacks and audits, and gathers what its page is made of.
type Workbench struct {
	Style plot.Style // of the charts; the page needs them as SVG

	Study      *Study
	Results    attack.Evaluation // the attacks and audits that are kept for the report
	statements []Statement
	charts     []namedChart
	text       []string // Markdown, after the statements
	ctx        context.Context
	data       string
	temp       string
	changes    []string               // to every scenario, before those of a call
	shared     *experiment.Experiment // the last one whose data are the same for all seeds
	runs       *int
	progress   func(n int)
	vary       bool // the runs are a reader's: traced, and told of
	told       []Told
}

// namedChart is a chart, or a picture that is none, and the name of its file.
type namedChart struct {
	name    string
	chart   plot.Chart
	picture *plot.Picture // nil: the chart
}

func (c *namedChart) title() string {
	if c.picture != nil {
		return c.picture.Title
	}
	return c.chart.Title
}

// Run computes a study. progress, which may be nil, is told how many runs, attacks and audits have begun.
func (s *Study) Run(ctx context.Context, dataDir string, progress func(n int)) (b *Workbench, err error) {
	temp, err := os.MkdirTemp("", "overhear-")
	if err != nil {
		return nil, fmt.Errorf("making room for runs: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	// Who stops a study need not wait for it to end.
	defer context.AfterFunc(ctx, func() { _ = os.RemoveAll(temp) })()
	return s.run(&Workbench{ctx: ctx, data: dataDir, temp: temp, progress: progress})
}

// run computes a study on a workbench.
func (s *Study) run(b *Workbench) (*Workbench, error) {
	b.Study, b.runs = s, new(int)
	b.Results.Title, b.Results.Command = s.Title, "simulate reproduce "+s.Name
	if err := s.Compute(b); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return b, nil
}

// Elsewhere is a workbench with changes to every scenario, `path=value`, before those of a call. What is stated there
// is not on the page.
func (b *Workbench) Elsewhere(changes ...string) *Workbench {
	return &Workbench{Style: b.Style, Study: b.Study, ctx: b.ctx, data: b.data, temp: b.temp, runs: b.runs,
		progress: b.progress, changes: slices.Concat(b.changes, changes)}
}

// Experiment loads a shipped scenario with changes, `path=value`, and reads its data where the study does, once if the
// last experiment had the same.
func (b *Workbench) Experiment(file string, sets ...string) (*experiment.Experiment, error) {
	s, err := scenarios.LoadShipped(file, slices.Concat(b.changes, sets)...)
	if err != nil {
		return nil, err
	}
	if b.shared != nil && b.shared.SameData(s) {
		return b.shared.On(s), nil
	}
	e := experiment.New(s, b.data)
	if !s.Problem.Data.Generated() {
		b.shared = e
	}
	return e, nil
}

// begin counts a run and returns the command that repeats it.
func (b *Workbench) begin(verb, file string, words, sets []string) string {
	if *b.runs++; b.progress != nil {
		b.progress(*b.runs)
	}
	line := append([]string{"simulate", verb, "scenarios/" + file}, words...)
	for _, s := range slices.Concat(b.changes, sets) {
		if strings.ContainsAny(s, " {}[]'") {
			s = "'" + s + "'"
		}
		line = append(line, "--set", s)
	}
	return strings.Join(line, " ")
}

// Attack runs a shipped scenario's first seed and carries out its attacks. What they find enters the report if keep is
// set.
func (b *Workbench) Attack(keep bool, file string, sets ...string) (*record.Attacks, error) {
	command := b.begin("attack", file, nil, sets)
	e, err := b.Experiment(file, sets...)
	if err != nil {
		return nil, err
	}
	out := filepath.Join(b.temp, fmt.Sprint(*b.runs))
	options := experiment.Options{Out: out, Workers: runtime.GOMAXPROCS(0), Extra: evaluation.WriteKnowledge}
	r, err := e.Run(b.ctx, e.Scenario.Seeds.First, options)
	if err != nil {
		return nil, err
	}
	a, err := evaluation.Attack(b.ctx, r, evaluation.AttackOptions{DataDir: b.data, Command: command})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	a.Inputs = record.Inputs{} // a committed page says nothing of the build
	if keep {
		b.Results.Attacks = append(b.Results.Attacks, a)
	}
	return a, os.RemoveAll(out)
}

// Audit audits a shipped scenario with so many runs; zero is as many as the scenario says. The audit enters the report
// if keep is set.
func (b *Workbench) Audit(keep bool, file string, runs int, sets ...string) (*record.Audit, error) {
	var words []string
	if runs > 0 {
		words = []string{"--runs", fmt.Sprint(runs)}
	}
	command := b.begin("audit", file, words, sets)
	e, err := b.Experiment(file, sets...)
	if err != nil {
		return nil, err
	}
	options := evaluation.AuditOptions{Runs: runs, Workers: runtime.GOMAXPROCS(0), Command: command,
		Changes: slices.Concat(b.changes, sets)}
	a, err := evaluation.Audit(b.ctx, e, options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	a.Wall, a.Inputs = 0, record.Inputs{} // a committed page says nothing of the machine and the build
	if keep {
		b.Results.Audits = append(b.Results.Audits, a)
	}
	return a, nil
}

// Search searches the worst pair and data of a shipped scenario by so many candidates, over what it is told (nil: all),
// and audits what it finds with so many runs.
func (b *Workbench) Search(file string, candidates, runs int, over []string, sets ...string) (*record.WorstData,
	*record.Audit, error) {
	words := []string{"--search", fmt.Sprint(candidates), "--runs", fmt.Sprint(runs)}
	if over != nil {
		words = append(words, "--over", strings.Join(over, ","))
	}
	command := b.begin("audit", file, words, sets)
	e, err := b.Experiment(file, sets...)
	if err != nil {
		return nil, nil, err
	}
	found, err := evaluation.SearchWorst(b.ctx, e, evaluation.SearchOptions{Evaluations: candidates, Over: over,
		Workers: runtime.GOMAXPROCS(0), Command: command,
		Changes: slices.Concat(b.changes, sets)})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", command, err)
	}
	dir := filepath.Join(b.temp, fmt.Sprint(*b.runs))
	worst, err := found.Write(dir)
	if err != nil {
		return nil, nil, err
	}
	a, err := found.Judge(b.ctx, worst, evaluation.AuditOptions{Runs: runs, Workers: runtime.GOMAXPROCS(0),
		Command: command,
		Changes: slices.Concat(b.changes, sets)})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", command, err)
	}
	return found.Worst, a, os.RemoveAll(dir)
}

// Map is what every node of a shipped scenario learns about every other.
func (b *Workbench) Map(file string, sets ...string) (*record.Map, *record.Pairs, error) {
	command := b.begin("audit", file, []string{"--map"}, sets)
	e, err := b.Experiment(file, sets...)
	if err != nil {
		return nil, nil, err
	}
	m, pairs, err := evaluation.Map(b.ctx, e, evaluation.AuditOptions{Command: command,
		Changes: slices.Concat(b.changes, sets)})
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", command, err)
	}
	return m, pairs, nil
}

// Coalitions is what nodes of a shipped scenario that collude learn about a label of every node, and what one who sees
// everything learns; see [evaluation.Coalitions].
func (b *Workbench) Coalitions(of [][]int, file string, sets ...string) (mu [][]float64, all []float64, err error) {
	b.begin("audit", file, []string{"--map"}, sets)
	e, err := b.Experiment(file, sets...)
	if err != nil {
		return nil, nil, err
	}
	return evaluation.Coalitions(b.ctx, e, of)
}

// Measure runs a shipped scenario's first seed and keeps its metrics only.
func (b *Workbench) Measure(file string, sets ...string) (*record.Info, *record.Table, error) {
	command := b.begin("run", file, nil, sets)
	e, err := b.Experiment(file, slices.Concat(b.kept(), sets)...)
	if err != nil {
		return nil, nil, err
	}
	info, table, err := e.Measure(b.ctx, e.Scenario.Seeds.First, runtime.GOMAXPROCS(0))
	if info != nil {
		b.tell(command, info.Digest)
	}
	return info, table, err
}

// Learnt is what a run of one seed came to.
type Learnt struct {
	*experiment.Assembly
	Path [][][]float64 // by node, what it published, in order, from the start
	At   [][]float64   // virtual seconds at which it did
}

// Published takes an iterate.
func (l *Learnt) Published(p *algorithms.Publication) {
	if p.Part >= 0 {
		l.Path[p.Part] = append(l.Path[p.Part], p.Values)
		l.At[p.Part] = append(l.At[p.Part], p.At.Seconds())
	}
}

// Concluded takes nothing.
func (*Learnt) Concluded(int, int, []float64) {}

// Last is what a node published last.
func (l *Learnt) Last(node int) []float64 { return l.Path[node][len(l.Path[node])-1] }

// Learn runs a shipped scenario with so many seeds, from its first, and keeps what the nodes have learnt.
func (b *Workbench) Learn(seeds int, file string, sets ...string) (all []*Learnt, err error) {
	b.begin("run", file, nil, sets)
	e, err := b.Experiment(file, slices.Concat(metricsOnly, sets)...)
	if err != nil {
		return nil, err
	}
	for k := range seeds {
		a, err := e.Assemble(b.ctx, e.Scenario.Seeds.First+uint64(k))
		if err != nil {
			return nil, err
		}
		n := len(a.Problem.Shards)
		l := &Learnt{Assembly: a, Path: make([][][]float64, n), At: make([][]float64, n)}
		x := experiment.Execution{Observer: l, Workers: runtime.GOMAXPROCS(0)}
		if _, err := e.Execute(b.ctx, a, x); err != nil {
			return nil, fmt.Errorf("%s, seed %d: %w", file, a.Seed, err)
		}
		all = append(all, l)
	}
	return all, nil
}

// State adds a statement; format and args are what was measured.
func (b *Workbench) State(text string, assessment Assessment, format string, args ...any) {
	b.statements = append(b.statements, State(text, assessment, format, args...))
}

// Statements are the study's so far.
func (b *Workbench) Statements() []Statement { return b.statements }

// Draw adds a chart; name is that of its file. The first one stands for the study in the index.
func (b *Workbench) Draw(name string, c plot.Chart) {
	b.charts = append(b.charts, namedChart{name: name, chart: c})
}

// Show adds a picture that is no chart, as Draw does.
func (b *Workbench) Show(name string, p *plot.Picture) {
	b.charts = append(b.charts, namedChart{name: name, picture: p})
}

// Vary says what differs from one attack in the report to the next: an axis, and its value in each.
func (b *Workbench) Vary(label string, values []float64) {
	b.Results.Axis = &attack.Axis{Label: label, Values: values}
}

// Say adds a paragraph or a table to the page, Markdown.
func (b *Workbench) Say(format string, args ...any) {
	b.text = append(b.text, fmt.Sprintf(format, args...))
}

// Write writes dir/<name>/: README.md, figures, and the report in three forms.
func (b *Workbench) Write(dir string) (string, error) {
	dir = filepath.Join(dir, b.Study.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("writing %s: %w", b.Study.Name, err)
	}
	for _, c := range b.charts {
		style := b.Style.With("svg")
		var err error
		if c.picture != nil {
			_, err = c.picture.Write(dir, c.name, style.Files())
		} else {
			_, err = style.Save(c.chart, dir, c.name)
		}
		if err != nil {
			return "", fmt.Errorf("%s: %w", b.Study.Name, err)
		}
	}
	if len(b.Results.Attacks)+len(b.Results.Audits) > 0 {
		if _, err := b.Results.Write(filepath.Join(dir, "report.html")); err != nil {
			return "", fmt.Errorf("%s: %w", b.Study.Name, err)
		}
	}
	if err := files.WriteBytes(filepath.Join(dir, "README.md"), []byte(b.page())); err != nil {
		return "", fmt.Errorf("writing %s: %w", b.Study.Name, err)
	}
	return dir, nil
}

// Words is what stands at the axes and lines of the figures.
func (b *Workbench) Words() (all []plot.Words) {
	for _, c := range b.charts {
		if c.picture == nil {
			all = append(all, c.chart.Words("", "")...)
		}
	}
	return all
}

// page is README.md.
func (b *Workbench) page() string {
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
	for _, s := range b.statements {
		p("%s", s.row())
	}
	p("")
	for _, t := range b.text {
		p("%s\n", t)
	}
	for _, c := range b.charts {
		p("![%s](%s.svg)\n", c.title(), c.name)
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
