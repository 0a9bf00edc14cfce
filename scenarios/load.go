// Reading scenarios, with values set on the command line.

package scenarios

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"overhear/algorithms"
	"overhear/parameter"
	"overhear/sim"
)

// Load reads a scenario file. Each of sets is `path=value`, as in
// "network.topology.nodes=20", and overrides what the file says. Paths of files
// in the scenario are relative to it. The error is Mistakes if the file can be
// read.
func Load(path string, sets ...string) (*Scenario, error) {
	text, err := readText(path)
	if err != nil {
		return nil, fmt.Errorf("reading a scenario: %w", err)
	}
	s, err := Parse(path, text, sets...)
	if err != nil {
		return nil, err
	}
	s.LocateFiles(path)
	return s, nil
}

// readText reads a file that is no larger than a scenario may be.
func readText(path string) ([]byte, error) {
	const most = 64 << 20
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && len(text) > most {
		err = fmt.Errorf("%s is larger than %d MB, and so is no scenario", path, most>>20)
	}
	return text, err
}

// Parse reads a scenario from text; name stands for the file in messages.
func Parse(name string, text []byte, sets ...string) (*Scenario, error) {
	return parse(name, text, sets, nil)
}

// parse reads a scenario in which sets hold: from the start, or from an instant on.
func parse(name string, text []byte, sets []string, at *sim.Duration) (*Scenario, error) {
	d := &decoder{file: name, sets: sets}
	fail := func(line int, format string, args ...any) error {
		return Mistakes{{Place: fmt.Sprintf("%s:%d:1", name, line), Text: fmt.Sprintf(format, args...), line: line,
			column: 1}}
	}
	if !utf8.Valid(text) {
		return nil, fail(1, "the file is not UTF-8 text")
	}
	documents := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	if err := documents.Decode(&document); errors.Is(err, io.EOF) {
		return nil, fail(1, "the file is empty; `simulate new` writes a scenario to begin with")
	} else if err != nil {
		m := Mistake{Text: "this is not YAML: " + yamlText(err)}
		m.line, m.column = yamlPlace(err, text)
		m.Place = fmt.Sprintf("%s:%d:%d", name, m.line, m.column)
		return nil, Mistakes{m}
	}
	if err := documents.Decode(&second); err == nil {
		return nil, fail(second.Line, "a second document begins; a file holds one scenario")
	}
	if document.Kind != yaml.DocumentNode || len(document.Content) != 1 ||
		document.Content[0].Kind != yaml.MappingNode {
		return nil, fail(1, "a scenario is a mapping of keys to values")
	}
	root := document.Content[0]
	if at != nil {
		d.fork(root, *at, sets)
	} else {
		for k, set := range sets {
			d.set(root, set, -1-k)
		}
	}
	s := d.decode(root)
	if d.mistakes == nil {
		d.alter(root, s)
		s.origin = &origin{file: name, sets: sets, root: root}
	}
	return s, d.result()
}

// decode reads a scenario of the node of its mapping and checks it; its changes are not worked out. A check of parts
// that belong together goes on beside mistakes in other parts, so that all are reported at once; beside one in them it
// could report what follows from that. The scenario is nil if a value could not be read.
func (d *decoder) decode(root *yaml.Node) *Scenario {
	s := new(Scenario)
	v := reflect.ValueOf(s).Elem()
	preset(v)
	d.mapping(root, v, "")
	read := d.mistakes == nil
	all := d.mistakes // that values have; the checks do not hide each other
	whole := func(parts ...string) bool {
		return !slices.ContainsFunc(all, func(m Mistake) bool {
			part, _, _ := strings.Cut(m.Key(), ".")
			part, _, _ = strings.Cut(part, "[")
			return !isPart(part) || slices.Contains(parts, part)
		})
	}
	switch name := naming(s.Name); {
	case read: // and checked
	case whole("name", "algorithm"):
		d.check(root, v, "", valuesOf(root))
	case name != "" || whole("name"):
		d.check(root, reflect.ValueOf(&name).Elem(), "", valuesOf(root))
	}
	d.checkAbsent(root, v, whole)
	for _, c := range []struct {
		of    []string
		check func(*yaml.Node, *Scenario)
	}{
		{[]string{"network", "compute", "algorithm"}, d.checkLengths},
		{[]string{"network"}, d.checkFaults},
		{[]string{"adversary", "network", "algorithm", "problem", "rounds"}, d.checkActs},
		{[]string{"problem", "algorithm"}, d.checkLoss},
	} {
		if whole(c.of...) {
			c.check(root, s)
		}
	}
	if !read {
		return nil
	}
	return s
}

// isPart says whether a scenario has such a key at its top.
func isPart(key string) bool {
	return slices.ContainsFunc(fields(reflect.TypeFor[Scenario]()), func(f field) bool { return f.key == key })
}

// valuesOf are the nodes of a mapping's values by their keys.
func valuesOf(n *yaml.Node) map[string]*yaml.Node {
	all := map[string]*yaml.Node{}
	for k := 0; k+1 < len(n.Content); k += 2 {
		all[n.Content[k].Value] = n.Content[k+1]
	}
	return all
}

// checkAbsent checks the option structs that the file does not mention: their
// defaults may not be enough.
func (d *decoder) checkAbsent(root *yaml.Node, v reflect.Value, whole func(parts ...string) bool) {
	mentioned := valuesOf(root)
	for _, f := range fields(v.Type()) {
		if mentioned[f.key] == nil && whole() && f.kind.Kind() == reflect.Struct && f.key != "algorithm" {
			d.check(root, v.FieldByIndex(f.index), f.key, nil)
		}
	}
	s := v.Addr().Interface().(*Scenario)
	for _, required := range []struct {
		part, path string
		c          interface{ Check(func(string, string)) }
	}{{"problem", "problem.data", s.Problem.Data}, {"network", "network.topology", s.Network.Topology}} {
		if whole(required.part) && find(root, strings.Split(required.path, ".")) == nil {
			required.c.Check(func(key, problem string) { d.report(root, "%s %s", join(required.path, key), problem) })
		}
	}
}

// checkLengths reports what is given for each node of a network with another number of
// nodes. A graph that is read from a file has its number later.
func (d *decoder) checkLengths(root *yaml.Node, s *Scenario) {
	nodes := s.Network.Topology.Order()
	if nodes == 0 {
		return
	}
	check := func(path string, given int) {
		if n := find(root, strings.Split(path, ".")); n != nil && given != nodes {
			d.report(n, "%s must have a value for each of %d nodes, has %d", path, nodes, given)
		}
	}
	if s.Compute.Speeds != nil {
		check("compute.speeds", len(s.Compute.Speeds))
	}
	if p := s.Network.Latency.Placement; p != nil && p.Kind == "list" {
		check("network.latency.placement.names", len(p.Names))
	}
	if s.Algorithm.Params == nil {
		return
	}
	params := reflect.ValueOf(s.Algorithm.Params).Elem()
	for _, f := range fields(params.Type()) {
		switch given := params.FieldByIndex(f.index).Interface().(type) {
		case parameter.Schedule:
			if given.Nodes != nil {
				check("algorithm."+f.key+".nodes", len(given.Nodes))
			}
		case parameter.Budgets:
			if given.Servers != nil {
				check("algorithm."+f.key+".servers", len(given.Servers))
			}
		}
	}
}

// checkFaults reports faults of nodes that the network does not have.
func (d *decoder) checkFaults(root *yaml.Node, s *Scenario) {
	nodes := s.Network.Topology.Order()
	list := find(root, []string{"network", "faults"})
	if nodes == 0 || list == nil || len(list.Content) != len(s.Network.Faults) {
		return
	}
	for k, f := range s.Network.Faults {
		if f.Kind == nil {
			continue
		}
		key := f.Kind.Key()
		if i, absent := f.Absent(nodes); absent {
			d.report(cmp.Or(find(list.Content[k], []string{key}), list.Content[k]),
				"network.faults[%d].%s names node %d; nodes go from 0 to %d", k, key, i, nodes-1)
		}
		if of, ok := f.Kind.(sim.Sited); ok && of.NeedsSites() && !s.Network.Latency.Placeable() {
			d.report(cmp.Or(find(list.Content[k], []string{key}), list.Content[k]), "network.faults[%d].%s needs "+
				"nodes on sites: network.latency must be of kind matrix, such as {kind: matrix, set: aws}", k, key)
		}
	}
}

// checkLoss reports a loss that the method does not take.
func (d *decoder) checkLoss(root *yaml.Node, s *Scenario) {
	n := find(root, []string{"problem", "loss"})
	e, ok := algorithms.Lookup(s.Algorithm.Kind)
	if n == nil || !ok {
		return
	}
	if err := e.Takes(s.Problem.Loss.Convex()); err != nil {
		d.report(n, "problem.loss: %s %v", s.Problem.Loss.Kind, err)
	}
}

// find returns the node at a path, or nil.
func find(n *yaml.Node, path []string) *yaml.Node {
	if len(path) == 0 {
		return n
	}
	if n.Kind == yaml.MappingNode {
		for k := 0; k+1 < len(n.Content); k += 2 {
			if n.Content[k].Value == path[0] {
				return find(n.Content[k+1], path[1:])
			}
		}
	}
	return nil
}

// set changes the node tree as `path=value` says. line marks what it makes.
func (d *decoder) set(root *yaml.Node, text string, line int) {
	if path, made, ok := d.setting(text, line); ok {
		d.assign(root, &yaml.Node{Line: line}, path, made)
	}
}

// setting is what a text `path=value` says; false: it says nothing, which is reported.
func (d *decoder) setting(text string, line int) (path string, made *yaml.Node, ok bool) {
	origin := &yaml.Node{Line: line}
	path, value, ok := strings.Cut(text, "=")
	if !ok || path == "" {
		d.report(origin, "must be path=value, such as algorithm.eta=0.3")
		return "", nil, false
	}
	made, err := valueOf(value)
	if err != nil {
		d.report(origin, "the value is not YAML: %v; a text of signs is quoted, and the whole is for the shell, as in "+
			`--set 'problem.data.missing=["-", "k.A."]'`, err)
		return "", nil, false
	}
	mark(made, line)
	return path, made, true
}

// assign gives a key of the node tree a value. What is wrong with the path is reported at origin.
func (d *decoder) assign(root, origin *yaml.Node, path string, made *yaml.Node) {
	line := origin.Line
	n := root
	keys := strings.Split(path, ".")
	for k, key := range keys {
		last := k == len(keys)-1
		switch n.Kind {
		case yaml.SequenceNode:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(n.Content) {
				d.report(origin, "%s has no entry %q; it has %d, from 0", strings.Join(keys[:k], "."), key,
					len(n.Content))
				return
			}
			if last {
				n.Content[i] = made
			}
			n = n.Content[i]
		case yaml.MappingNode:
			child := find(n, []string{key})
			if child == nil {
				child = &yaml.Node{Kind: yaml.MappingNode, Line: line}
				n.Content = append(n.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key, Line: line}, child)
			}
			if last {
				*child = *made
			} else if child.Kind == yaml.ScalarNode {
				// A name such as `data: adult` gives way to a mapping.
				*child = yaml.Node{Kind: yaml.MappingNode, Line: line}
			}
			n = child
		default:
			d.report(origin, "%s is a single value", strings.Join(keys[:k], "."))
			return
		}
	}
}

// valueOf reads what stands after the equals sign. One sign is itself, as in problem.data.decimal=, whatever it
// means in YAML: a shell has taken the quotes away.
func valueOf(text string) (*yaml.Node, error) {
	sign, size := utf8.DecodeRuneInString(text)
	if size > 0 && size == len(text) && sign != '~' && (unicode.IsPunct(sign) || unicode.IsSymbol(sign)) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.DoubleQuotedStyle}, nil
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return nil, errors.New(yamlText(err))
	}
	if len(document.Content) != 1 {
		return nil, errors.New("it is empty")
	}
	return document.Content[0], nil
}

func mark(n *yaml.Node, line int) {
	n.Line = line
	for _, c := range n.Content {
		mark(c, line)
	}
}

// yamlPlace is where something is wrong that the YAML library reports. It says where it noticed: of a key without a
// colon, of a bracket or a quote that nothing closes, that is behind them, maybe behind the text.
func yamlPlace(err error, text []byte) (line, column int) {
	var e *yaml.LoadError
	if !errors.As(err, &e) || e.Mark.Line < 1 {
		return 1, 1
	}
	at := e.Mark
	ends := 1 + bytes.Count(bytes.TrimRight(text, " \t\r\n"), []byte("\n"))
	if begun := e.ContextMark; begun.Line > 0 && (at.Line > ends || e.ContextMsg == "while scanning a simple key") {
		at = begun
	}
	if at.Line > ends {
		return ends, 1
	}
	return at.Line, max(at.Column, 1)
}

// yamlText is a message of the YAML library without the line, which the place has.
func yamlText(err error) string {
	if e := (*yaml.LoadError)(nil); errors.As(err, &e) {
		return e.Message
	}
	return strings.TrimPrefix(strings.TrimSpace(err.Error()), "yaml: ")
}

// Resolved is the scenario as YAML with every default filled in. Reading it
// gives the same scenario.
func (s *Scenario) Resolved() string {
	text, err := yaml.Marshal(encode(reflect.ValueOf(s).Elem()))
	if err != nil {
		panic(fmt.Sprintf("scenarios: writing a scenario: %v", err))
	}
	return string(text)
}

// Hash is the SHA-256 of what determines each seed's run.
func (s *Scenario) Hash() string {
	sum := sha256.Sum256([]byte(s.ofEachSeed().Resolved()))
	return hex.EncodeToString(sum[:])
}

// ofEachSeed is what of a scenario determines each seed's run.
func (s *Scenario) ofEachSeed() *Scenario {
	c := *s
	c.Name, c.About, c.Seeds, c.Sweep = "", "", Seeds{}, nil
	return &c
}

// ShippedText is the text of a scenario that comes with the program, by its file's name.
func ShippedText(name string) (string, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("no scenario %s comes with the program", name)
	}
	return string(text), nil
}

// LoadShipped reads a scenario that comes with the program, by its file's name.
func LoadShipped(name string, sets ...string) (*Scenario, error) {
	text, err := ShippedText(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, []byte(text), sets...)
}
