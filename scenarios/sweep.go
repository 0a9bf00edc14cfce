// The sweep section: many runs of one scenario, over a grid of values.

package scenarios

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"overhear/internal/python"
	"overhear/sim"
)

// Sweep says which runs `simulate sweep` makes of a scenario; single runs do not
// read it.
type Sweep struct {
	Grid  []Axis `yaml:"grid" doc:"axes of the grid, each 'path=value,value,…' or {path, values}; every combination is run"`
	Seeds int    `yaml:"seeds" doc:"how many seeds each combination is run with, from seeds.first; default seeds.count"`
	Keep  string `yaml:"keep" default:"last" enum:"last,rounds" doc:"whether the table has a row a run, or a row for every round of it"`
}

// Check reports a path in two axes and a number of seeds that is none.
func (s Sweep) Check(report func(field, problem string)) {
	if problem := overlap(s.Grid); problem != "" {
		report("grid", problem)
	}
	if s.Seeds < 0 {
		report("seeds", fmt.Sprintf("must be positive, is %d", s.Seeds))
	}
}

// CheckAxes says what is wrong with axes together.
func CheckAxes(axes []Axis) error {
	if problem := overlap(axes); problem != "" {
		return fmt.Errorf("the grid %s", problem)
	}
	return nil
}

func overlap(axes []Axis) string {
	seen := map[string]bool{}
	for _, a := range axes {
		for _, p := range a.Paths() {
			if seen[p] {
				return fmt.Sprintf("has %s twice", p)
			}
			seen[p] = true
		}
	}
	return ""
}

// Axis is one direction of a grid: a path of the scenario and the values it
// takes. Several paths joined by "+" change together; their values are joined by
// "|". As text it is path=value,value,…; commas inside brackets, braces and
// quotes belong to a value.
type Axis struct {
	Path   string   `yaml:"path" doc:"what varies, such as algorithm.eta; paths joined by + vary together"`
	Values []string `yaml:"values" doc:"its values; one that is a list or a mapping is written in quotes, values of joined paths with | between them"`
}

// ParseAxis reads path=value,value,….
func ParseAxis(text string) (Axis, error) {
	var a Axis
	err := a.UnmarshalText([]byte(text))
	return a, err
}

// UnmarshalText reads path=value,value,….
func (a *Axis) UnmarshalText(text []byte) error {
	path, list, ok := strings.Cut(string(text), "=")
	if !ok {
		return fmt.Errorf("must be path=value,value,…, such as algorithm.eta=0.1,0.3, is %q", text)
	}
	a.Path, a.Values = strings.TrimSpace(path), splitOutside(list, ',')
	var problem error
	a.Check(func(_, text string) {
		if problem == nil {
			problem = fmt.Errorf("%s: %s", path, text)
		}
	})
	return problem
}

// MarshalText writes what UnmarshalText reads.
func (a Axis) MarshalText() ([]byte, error) {
	var b strings.Builder
	b.WriteString(a.Path)
	for k, v := range a.Values {
		b.WriteByte("=,"[min(k, 1)])
		if len(splitOutside(v, ',')) != 1 {
			v = "'" + strings.ReplaceAll(v, "'", "''") + "'"
		}
		b.WriteString(v)
	}
	return []byte(b.String()), nil
}

// Check reports an axis that cannot be walked.
func (a Axis) Check(report func(field, problem string)) {
	paths := a.Paths()
	for _, p := range paths {
		switch top, _, _ := strings.Cut(p, "."); {
		case p == "" || strings.Contains(p, "..") || strings.HasPrefix(p, ".") || strings.HasSuffix(p, ".") ||
			strings.ContainsAny(p, " ,="):
			report("path", fmt.Sprintf("must be a key of the scenario, such as algorithm.eta, is %q", p))
			return
		case slices.Contains([]string{"name", "about", "sweep"}, top):
			report("path", fmt.Sprintf("%s does not change a run", p))
		case top == "seeds":
			report("path", "seeds are a direction of their own: sweep.seeds, or --seeds")
		}
	}
	if len(a.Values) == 0 {
		report("values", "must not be empty")
	}
	seen := map[string]bool{}
	for _, v := range a.Values {
		parts := a.split(v)
		if len(parts) != len(paths) {
			report("values", fmt.Sprintf("%q must have %d values with | between them, one for each of %s; has %d", v,
				len(paths), strings.Join(paths, ", "), len(parts)))
			continue
		}
		for _, part := range parts {
			var n yaml.Node
			if part == "" {
				report("values", fmt.Sprintf("must not have an empty value; an empty text is written ''; are %q",
					a.Values))
				return
			}
			if err := yaml.Unmarshal([]byte(part), &n); err != nil || len(n.Content) != 1 {
				report("values", fmt.Sprintf("%q is not a YAML value; a list is [a, b], a mapping {key: value}", part))
			}
		}
		if seen[v] {
			report("values", fmt.Sprintf("%s is given twice", v))
		}
		seen[v] = true
	}
}

// Paths are what varies, usually one.
func (a Axis) Paths() []string {
	paths := strings.Split(a.Path, "+")
	for k := range paths {
		paths[k] = strings.TrimSpace(paths[k])
	}
	return paths
}

// At is the k-th value of each path, as YAML.
func (a Axis) At(k int) []string { return a.split(a.Values[k]) }

func (a Axis) split(value string) []string {
	if !strings.Contains(a.Path, "+") {
		return []string{strings.TrimSpace(value)}
	}
	return splitOutside(value, '|')
}

// splitOutside splits at a separator outside brackets, braces and quotes. A
// quote opens where a YAML value may begin, so that apostrophes in words do not,
// or right after one, as ” inside single quotes does.
func splitOutside(text string, separator byte) []string {
	var parts []string
	begin, depth, quote, escaped := 0, 0, byte(0), false
	last := separator // that is not a space
	for k := range len(text) {
		c := text[k]
		switch {
		case quote != 0:
			switch {
			case escaped:
				escaped = false
			case c == '\\' && quote == '"':
				escaped = true
			case c == quote:
				quote = 0
			}
		case (c == '\'' || c == '"') && (last == separator || strings.IndexByte("[{,:", last) >= 0 || k > 0 &&
			text[k-1] == '\'' && c == '\''):
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == separator && depth <= 0:
			parts = append(parts, strings.TrimSpace(text[begin:k]))
			begin = k + 1
		}
		if c != ' ' {
			last = c
		}
	}
	return append(parts, strings.TrimSpace(text[begin:]))
}

// fileFields are the fields that hold paths of the user's files, with their keys.
func (s *Scenario) fileFields() []fileField {
	var given []fileField
	for _, f := range []fileField{
		{"problem.data.csv", &s.Problem.Data.CSV},
		{"problem.data.parquet", &s.Problem.Data.Parquet},
		{"problem.data.arrow", &s.Problem.Data.Arrow},
		{"problem.data.libsvm", &s.Problem.Data.LIBSVM},
		{"problem.data.raetsch", &s.Problem.Data.Raetsch},
		{"problem.loss.file", &s.Problem.Loss.File},
		{"network.topology.file", &s.Network.Topology.File},
		{"network.latency.file", &s.Network.Latency.File},
		{"network.latency.coordinates", &s.Network.Latency.Coordinates},
	} {
		if *f.path != "" {
			given = append(given, f)
		}
	}
	if m := s.Compute.Measured; m != nil && m.File != "" {
		given = append(given, fileField{"compute.measured.file", &m.File})
	}
	if c := s.Compute.Classes; c != nil && c.File != "" {
		given = append(given, fileField{"compute.classes.file", &c.File})
	}
	for k, f := range s.Network.Faults {
		if r, ok := f.Kind.(sim.Reading); ok && *r.SourceFile() != "" {
			given = append(given, fileField{fmt.Sprintf("network.faults[%d].%s.file", k, r.Key()), r.SourceFile()})
		}
	}
	if of, ok := s.Algorithm.Params.(interface{ SourceFile() *string }); ok && *of.SourceFile() != "" {
		given = append(given, fileField{"algorithm.file", of.SourceFile()})
	}
	if s.Adversary != nil {
		for k := range s.Adversary.Attacks {
			if c := &s.Adversary.Attacks[k].Class; c.File != "" {
				given = append(given, fileField{fmt.Sprintf("%s[%d].file", attackKey, k), &c.File})
			}
		}
	}
	return given
}

// attackKey is that of attacks.
const attackKey = "adversary.attacks"

type fileField struct {
	key  string
	path *string
}

// ReferencedFiles are the fields that hold paths of the user's files; a path is
// relative to the scenario's file.
func (s *Scenario) ReferencedFiles() []*string {
	var given []*string
	for _, f := range s.fileFields() {
		given = append(given, f.path)
	}
	return given
}

// FilesByKey are the paths of the user's files from which runs come, by the keys that name them.
func (s *Scenario) FilesByKey() map[string]string { return s.filesByKey(false) }

// AttackFiles are the paths of the user's files from which attacks come, by the keys that name them.
func (s *Scenario) AttackFiles() map[string]string { return s.filesByKey(true) }

func (s *Scenario) filesByKey(ofAttacks bool) map[string]string {
	paths := map[string]string{}
	for _, f := range s.fileFields() {
		if strings.HasPrefix(f.key, attackKey) != ofAttacks {
			continue
		}
		paths[f.key] = *f.path
		if strings.HasSuffix(*f.path, ".py") {
			for module, path := range python.Imports(*f.path) {
				paths[f.key+" imports "+module] = path
			}
		}
	}
	return paths
}

// LocateFiles makes the paths in a scenario that Parse returned relative to the
// working directory, as Load does.
func (s *Scenario) LocateFiles(path string) {
	for _, file := range s.ReferencedFiles() {
		if !filepath.IsAbs(*file) {
			*file = filepath.Join(filepath.Dir(path), *file)
		}
	}
}
