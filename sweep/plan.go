// A plan: which runs there are, their numbers, and a hash of all that
// determines their results.

package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overhear/experiment"
	"overhear/internal/files"
	"overhear/record"
	"overhear/scenarios"
)

// Format is the version of plans, results and journals.
const Format = 1

// MaxTasks bounds a plan: a grid that is larger is a slip.
const MaxTasks = 10_000_000

// What a table has a row for.
const (
	KeepLast   = "last"   // every run
	KeepRounds = "rounds" // every round of every run
)

// Plan is a scenario, a grid and seeds. It is JSON in plan.json, and all that
// a worker on another machine needs besides data files.
type Plan struct {
	Format  int               `json:"format"`
	Version string            `json:"version"` // of the program
	Program string            `json:"program"` // its build
	Name    string            `json:"name"`
	File    string            `json:"file"` // of the scenario, as it was given
	Text    string            `json:"scenario"`
	Sets    []string          `json:"sets"` // path=value, before the grid's
	Axes    []scenarios.Axis  `json:"grid"` // the last varies fastest, but for seeds
	Seeds   scenarios.Seeds   `json:"seeds"`
	Keep    string            `json:"keep"`
	Diverge bool              `json:"diverge,omitempty"` // runs that diverge are results, not failures
	Apart   bool              `json:"apart,omitempty"`   // a seed for each run, and not for each of a point
	Select  *Choice           `json:"select,omitempty"`  // what is drawn and by what the best is chosen
	Files   map[string]string `json:"files"`             // SHA-256 of the files that the scenario names
	Hash    string            `json:"hash"`
}

// Options add to what the scenario's sweep section says.
type Options struct {
	Sets  []string // path=value
	Grid  []string // path=value,value,…; replaces the section's grid unless empty
	Seeds int      // replaces the section's unless 0
	Keep  string   // replaces the section's unless empty

	// Diverge makes results of runs that go away from the optimum, which fail
	// otherwise. A run that ended early fails all the same.
	Diverge bool

	// Apart gives each run a seed of its own, and so noise of its own: who sees runs of one seed may take the noise of
	// one from another's. Points are then not compared by pairs of runs.
	Apart bool

	choice *Choice // of a selection
}

// Task is one run of a plan.
type Task struct {
	Index int    // from 0: Point·seeds + seed − first seed, or seed − first seed where runs are apart
	Point int    // of the grid, from 0
	Seed  uint64 // of the run
}

// NewPlan reads a scenario file and plans a sweep. The error is
// scenarios.Mistakes if a value of the grid makes no scenario.
func NewPlan(file string, o Options) (*Plan, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading a scenario: %w", err)
	}
	return PlanOf(file, string(text), o)
}

// PlanOf plans a sweep of a scenario's text; file is its name.
func PlanOf(file, text string, o Options) (*Plan, error) {
	p := &Plan{Format: Format, Version: experiment.Version, Program: experiment.Program(), File: file,
		Text: text, Sets: append([]string{}, o.Sets...), Axes: []scenarios.Axis{}, Diverge: o.Diverge}
	for _, g := range o.Grid {
		a, err := scenarios.ParseAxis(g)
		if err != nil {
			return nil, fmt.Errorf("--grid %s: %w", g, err)
		}
		p.Axes = append(p.Axes, a)
	}
	if err := scenarios.CheckAxes(p.Axes); err != nil {
		return nil, err
	}
	s, err := p.parse(p.first())
	if err != nil {
		if _, all := p.sum(); all != nil { // mistakes in other values too
			err = all
		}
		return nil, err
	}
	var section scenarios.Sweep
	if s.Sweep != nil {
		section = *s.Sweep
	}
	if len(p.Axes) == 0 && section.Grid != nil {
		p.Axes = section.Grid
	}
	p.Name, p.Seeds, p.Keep = s.Name, s.Seeds, KeepLast
	for _, n := range []int{section.Seeds, o.Seeds} {
		if n > 0 {
			p.Seeds.Count = n
		}
	}
	for _, keep := range []string{section.Keep, o.Keep} {
		if keep != "" {
			p.Keep = keep
		}
	}
	if err := p.size(); err != nil {
		return nil, err
	}
	p.Select = o.choice
	p.Apart = o.Apart && p.Points() > 1 // the runs of one point are apart
	p.Hash, err = p.sum()
	return p, err
}

// As numbers seeds as the sweep does that a directory holds, if it holds one: what its runs lose may be asked for
// later, or no more.
func (p *Plan) As(dir string) error {
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	if err != nil {
		return nil // there is none; OpenDir says so of one that cannot be read
	}
	there, err := decodePlan(text)
	if err != nil || there.Apart == p.Apart {
		return nil
	}
	p.Apart = there.Apart
	p.Hash, err = p.sum()
	return err
}

// ReadPlan reads a plan's JSON and checks that this program would compute it
// the same way: version, scenario and data files are those of the plan.
func ReadPlan(text []byte) (*Plan, error) {
	p, err := decodePlan(text)
	if err != nil {
		return nil, err
	}
	if p.Version != experiment.Version {
		return nil, fmt.Errorf("the plan is of version %s of the program; this is %s", p.Version, experiment.Version)
	}
	if p.Program != experiment.Program() {
		return nil, fmt.Errorf("the plan is of another build of the program (%s; this is %s); all machines need the "+
			"same release, or the same clean revision built by the same Go", p.Program, experiment.Program())
	}
	was := p.Hash
	if p.Hash, err = p.sum(); err != nil {
		return nil, fmt.Errorf("reading a plan: %w", err)
	}
	if p.Hash != was {
		return nil, fmt.Errorf("the plan has hash %s, its contents %s: it was edited, or a file that its scenario "+
			"names has changed", was, p.Hash)
	}
	return p, nil
}

// decodePlan reads a plan's JSON as it is.
func decodePlan(text []byte) (*Plan, error) {
	p := new(Plan)
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("reading a plan: %w", err)
	}
	if p.Format != Format {
		return nil, fmt.Errorf("the plan has format %d; this version reads format %d", p.Format, Format)
	}
	if err := scenarios.CheckAxes(p.Axes); err != nil {
		return nil, fmt.Errorf("reading a plan: %w", err)
	}
	if p.Keep != KeepLast && p.Keep != KeepRounds {
		return nil, fmt.Errorf("reading a plan: it keeps %q, neither %s nor %s", p.Keep, KeepLast, KeepRounds)
	}
	return p, p.size()
}

// JSON is plan.json.
func (p *Plan) JSON() []byte {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("sweep: writing a plan: %v", err))
	}
	return append(text, '\n')
}

// size checks the number of runs.
func (p *Plan) size() error {
	n := p.Seeds.Count
	if n < 1 {
		return fmt.Errorf("a sweep needs at least 1 seed, not %d", n)
	}
	for _, a := range p.Axes {
		if n *= len(a.Values); n == 0 || n > MaxTasks {
			return fmt.Errorf("the grid has no value for %s, or more than %d runs", a.Path, MaxTasks)
		}
	}
	return nil
}

// sum checks that every value of the grid makes a scenario and returns the hash
// of what determines results. Each value is tried with the first values of the
// other axes: which keys of the file an axis overrides does not depend on the
// value, so what the file says is in the hash wherever it has an effect.
func (p *Plan) sum() (string, error) {
	p.Files = map[string]string{}
	var mistakes scenarios.Mistakes
	seen := map[string]bool{}
	var hashes []string
	try := func(choice []int) error {
		s, err := p.parse(choice)
		if m := (scenarios.Mistakes)(nil); errors.As(err, &m) {
			for _, one := range m {
				// What a point sets is from --set or from the grid.
				if set, ok := strings.CutPrefix(one.Place, "--set "); ok && !slices.Contains(p.Sets, set) {
					one.Place = "grid value " + set
				}
				if key := one.Place + one.Text; !seen[key] {
					seen[key] = true
					mistakes = append(mistakes, one)
				}
			}
			return nil
		} else if err != nil {
			return err
		}
		s.Sweep = nil
		hashes = append(hashes, s.Hash())
		return p.fingerprint(s)
	}
	if err := try(p.first()); err != nil {
		return "", err
	}
	for k, a := range p.Axes {
		for v := 1; v < len(a.Values) && len(mistakes) < 20; v++ {
			choice := p.first()
			choice[k] = v
			if err := try(choice); err != nil {
				return "", err
			}
		}
	}
	if mistakes != nil {
		return "", mistakes
	}
	text, err := json.Marshal(struct {
		Format    int
		Version   string
		Program   string
		Axes      []scenarios.Axis
		Seeds     scenarios.Seeds
		Keep      string
		Diverge   bool    `json:",omitempty"`
		Apart     bool    `json:",omitempty"`
		Select    *Choice `json:",omitempty"`
		Scenarios []string
		Files     map[string]string
	}{p.Format, p.Version, p.Program, p.Axes, p.Seeds, p.Keep, p.Diverge, p.Apart, p.Select, hashes, p.Files})
	if err != nil {
		return "", fmt.Errorf("hashing a plan: %w", err)
	}
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:]), nil
}

// fingerprint notes the hashes of the files that a scenario names.
func (p *Plan) fingerprint(s *scenarios.Scenario) error {
	var names []string
	for _, f := range s.ReferencedFiles() {
		names = append(names, *f)
	}
	s.LocateFiles(p.File)
	for k, f := range s.ReferencedFiles() {
		if p.Files[names[k]] != "" {
			continue
		}
		sum, err := files.Hash(*f)
		if err != nil {
			return fmt.Errorf("reading a file that the scenario names: %w", err)
		}
		p.Files[names[k]] = sum
	}
	return nil
}

// Len is the number of runs.
func (p *Plan) Len() int { return p.Points() * p.Seeds.Count }

// Points is the number of points of the grid; 1 if there are no axes.
func (p *Plan) Points() int {
	n := 1
	for _, a := range p.Axes {
		n *= len(a.Values)
	}
	return n
}

// Task is the run of a number from 0 to Len()−1.
func (p *Plan) Task(index int) Task {
	n := p.Seeds.Count
	k := index % n
	if p.Apart {
		k = index
	}
	return Task{Index: index, Point: index / n, Seed: p.Seeds.First + uint64(k)}
}

// seeds says which there are.
func (p *Plan) seeds() string {
	if p.Apart {
		return fmt.Sprintf("%d from %d, one for each run", p.Len(), p.Seeds.First)
	}
	return fmt.Sprintf("%d from %d", p.Seeds.Count, p.Seeds.First)
}

// first chooses every axis's first value.
func (p *Plan) first() []int { return make([]int, len(p.Axes)) }

// choice is the value of every axis at a point.
func (p *Plan) choice(point int) []int {
	choice := p.first()
	for k := len(p.Axes) - 1; k >= 0; k-- {
		n := len(p.Axes[k].Values)
		choice[k] = point % n
		point /= n
	}
	return choice
}

// Paths are the paths that the grid varies, a column of tables each.
func (p *Plan) Paths() []string {
	var paths []string
	for _, a := range p.Axes {
		paths = append(paths, a.Paths()...)
	}
	return paths
}

// Values are the values of Paths at a point, as YAML.
func (p *Plan) Values(point int) []string { return p.values(p.choice(point)) }

func (p *Plan) values(choice []int) []string {
	var values []string
	for k, a := range p.Axes {
		values = append(values, a.At(choice[k])...)
	}
	return values
}

// parse makes the scenario of a choice; files in it are as written.
func (p *Plan) parse(choice []int) (*scenarios.Scenario, error) {
	sets := slices.Clone(p.Sets)
	for k, path := range p.Paths() {
		sets = append(sets, path+"="+p.values(choice)[k])
	}
	return scenarios.Parse(p.File, []byte(p.Text), sets...)
}

// Scenario is the scenario at a point, ready to run, and its hash.
func (p *Plan) Scenario(point int) (*scenarios.Scenario, string, error) {
	s, err := p.parse(p.choice(point))
	if err != nil {
		return nil, "", err
	}
	s.Sweep = nil
	s.Seeds = p.Seeds
	hash := s.Hash()
	s.LocateFiles(p.File)
	return s, hash, nil
}

// inputs is what the plan's runs come from, besides scenarios and seeds.
func (p *Plan) inputs() record.Inputs { return record.Inputs{Program: p.Program, Files: p.Files} }

// resumption says whether the sweep of the plan can go on where now is what would be
// planned, and by which command. Its runs come from the scenario's text, the files and the
// program as they were: where one of these has changed, no command makes the rest of them.
func (p *Plan) resumption(now *Plan) string {
	text, err := os.ReadFile(p.File)
	changed := err != nil || string(text) != p.Text || p.Version != now.Version || p.Program != now.Program
	if p.Text == now.Text {
		changed = changed || p.inputs().Differences(now.inputs(), nil) != nil
	}
	if changed {
		return "that one cannot go on, as not only the command has changed; its tables stay as they are"
	}
	return "`" + p.Command() + "` goes on with that one"
}

// Differences says in words how another plan differs, "" if it gives the same
// results.
func (p *Plan) Differences(other *Plan) string {
	if p.Hash == other.Hash {
		return ""
	}
	axes := func(p *Plan) string {
		var all []string
		for _, a := range p.Axes {
			text, _ := a.MarshalText() // cannot fail
			all = append(all, string(text))
		}
		if all == nil {
			return "none"
		}
		return strings.Join(all, " × ")
	}
	var found []string
	for _, d := range []struct {
		what    string
		was, is any
	}{
		{"version", p.Version, other.Version},
		{"grid", axes(p), axes(other)},
		{"seeds", p.seeds(), other.seeds()},
		{"rows", p.Keep, other.Keep},
		{"selection", p.Select.String(), other.Select.String()},
		{"runs that diverge are results", p.Diverge, other.Diverge},
		{"--set", strings.Join(p.Sets, " "), strings.Join(other.Sets, " ")},
	} {
		if d.was != d.is {
			found = append(found, fmt.Sprintf("%s: %v there, %v here", d.what, d.was, d.is))
		}
	}
	found = append(found, p.inputs().Differences(other.inputs(), nil)...)
	if found == nil {
		return "the scenario has changed"
	}
	return strings.Join(found, "; ")
}

// DifferencesButBuild are [Plan.Differences] from a plan of another build of the program, which is no difference.
func (p *Plan) DifferencesButBuild(other *Plan) (string, error) {
	q := *p
	q.Version, q.Program = other.Version, other.Program
	var err error
	if q.Hash, err = q.sum(); err != nil {
		return "", fmt.Errorf("reading a plan: %w", err)
	}
	return q.Differences(other), nil
}
