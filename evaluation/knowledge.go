// What an adversary knows before it overhears a run: made of the data when the
// run is made, and kept beside it, so that attacks need no data.

package evaluation

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"overhear/adversary"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/files"
	"overhear/internal/num"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
	"overhear/sim"
)

// knowledge is knowledge.json: what the adversary knows of each victim.
type knowledge struct {
	Columns int                        `json:"columns"`
	Rows    int                        `json:"rows,omitempty"` // of a run over split columns
	Schema  *adversary.Schema          `json:"schema,omitempty"`
	Data    map[int]*adversary.Samples `json:"data,omitempty"` // whole data sets of nodes
	Victims []victimKnowledge          `json:"victims"`
}

type victimKnowledge struct {
	Node       int                  `json:"node"`
	Size       int                  `json:"size,omitempty"`
	Others     *adversary.Samples   `json:"others,omitempty"`
	Attribute  *adversary.Attribute `json:"attribute,omitempty"`
	Candidates *adversary.Samples   `json:"candidates,omitempty"`
	Blocks     []*problem.Rows      `json:"blocks,omitempty"`
}

// about is what is known of one victim.
func (k *knowledge) about(v *victimKnowledge) *adversary.Knowledge {
	return &adversary.Knowledge{
		Victim: v.Node, Size: v.Size, Others: v.Others, Attribute: v.Attribute, Candidates: v.Candidates, Data: k.Data,
		Blocks: v.Blocks, Schema: k.Schema,
	}
}

const knowledgeFile = "knowledge.json"

// WriteKnowledge writes knowledge.json into the directory of a run, if its scenario
// has an adversary: it is the Extra of experiment.Options. The error is a SetupError
// where the adversary is to know what does not exist.
func WriteKnowledge(e *experiment.Experiment, a *experiment.Assembly, w *record.Writer) error {
	if e.Adversary == nil {
		return nil
	}
	k, err := knowledgeOf(e, a)
	if err != nil {
		return experiment.SetupError{Err: err}
	}
	text, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("writing what the adversary knows: %w", err)
	}
	return files.Draft(w.Path(knowledgeFile), files.Bytes(append(text, '\n')))
}

// readKnowledge reads knowledge.json of a run; nil if there is none.
func readKnowledge(r *record.Run) (*knowledge, error) {
	text, err := r.ReadFile(knowledgeFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading what the adversary knows: %w", err)
	}
	k := new(knowledge)
	if err := json.Unmarshal(text, k); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", filepath.Join(r.Dir, knowledgeFile), err)
	}
	return k, nil
}

// victims are the nodes whose data are wanted.
func victims(k *scenarios.Knows, a *experiment.Assembly) ([]int, error) {
	first, last := a.First(), a.Graph.Order()-1
	var all []int
	if k.Victim.All {
		for i := first; i <= last; i++ {
			all = append(all, i)
		}
		return all, nil
	}
	node := k.Victim.Node
	if node == 0 && first == 1 {
		node = 1 // the default; the hub has no data
	}
	if node < first || node > last {
		return nil, fmt.Errorf("adversary.knows.victim: node %d has no data; nodes %d to %d have", node, first, last)
	}
	return []int{node}, nil
}

// knowledgeOf is what the scenario's adversary knows of a run.
func knowledgeOf(e *experiment.Experiment, a *experiment.Assembly) (*knowledge, error) {
	spec := &e.Adversary.Knows
	k := &knowledge{Columns: a.Columns()}
	victims, err := victims(spec, a)
	if err != nil {
		return nil, err
	}
	if a.Split != nil {
		k.Rows = a.Split.N
		for _, v := range victims {
			block := a.Split.Blocks[v-1]
			candidates := decoyBlocks(block, spec.Candidates, sim.NewStream(a.Seed, "decoys", uint64(v)))
			if spec.Candidates > 0 {
				at := trueCandidate(a.Seed, v, spec.Candidates)
				candidates = slices.Insert(candidates, at, block)
			}
			k.Victims = append(k.Victims, victimKnowledge{Node: v, Blocks: candidates})
		}
		return k, nil
	}
	if spec.Columns == "described" {
		k.Schema = schema(a.Set, e.Problem.Scale.Intercept)
	}
	for _, node := range spec.Data {
		if node < a.First() || node >= a.Graph.Order() {
			return nil, fmt.Errorf("adversary.knows.data: node %d has no data", node)
		}
		if k.Data == nil {
			k.Data = map[int]*adversary.Samples{}
		}
		k.Data[node] = samples(a, node)
	}
	for _, node := range victims {
		all := samples(a, node)
		v := victimKnowledge{Node: node}
		if spec.Size {
			v.Size = len(all.Y)
		}
		if spec.AllBut != nil {
			if *spec.AllBut >= len(all.Y) {
				return nil, fmt.Errorf("adversary.knows.all-but: node %d has samples 0 to %d, not %d", node,
					len(all.Y)-1, *spec.AllBut)
			}
			v.Size, v.Others = len(all.Y), new(adversary.Samples)
			for n := range all.Y {
				if n != *spec.AllBut {
					v.Others.Add(all.At(n))
					if all.Debias != nil {
						v.Others.Debias = append(v.Others.Debias, all.Debias[n])
					}
				}
			}
		}
		if spec.Attribute != "" {
			if v.Attribute, err = attributeOf(a.Set, all.At(*spec.AllBut), spec.Attribute); err != nil {
				return nil, err
			}
		}
		if spec.Candidates > 0 {
			v.Candidates = decoys(e, a, node, spec.Candidates)
			if spec.AllBut != nil { // the true one among them
				at := trueCandidate(a.Seed, node, spec.Candidates)
				v.Candidates = insert(v.Candidates, at, all.At(*spec.AllBut))
			} else { // members and others, half and half
				v.Candidates = interleave(v.Candidates, all, sim.NewStream(a.Seed, "members", uint64(node)))
			}
		}
		k.Victims = append(k.Victims, v)
	}
	return k, nil
}

// classNames are what the data call labels −1 and 1; minus and plus, where they have no names.
func classNames(set *problem.Set, minus, plus string) map[float64]string {
	names := map[float64]string{-1: minus, 1: plus}
	if of := set.Names.Classes; of[1] != "" {
		names = map[float64]string{-1: of[0], 1: of[1]}
	}
	if set.Reading != nil {
		for _, c := range set.Reading.Classes {
			if c.Sign != 0 {
				names[float64(c.Sign)] = c.Label
			}
		}
	}
	return names
}

// attributeOf is an attribute of a sample, and the sample with each of its values: what the sample has in the column of
// its value goes to that of another, so that its length stays.
func attributeOf(set *problem.Set, own adversary.Sample, name string) (*adversary.Attribute, error) {
	out := &adversary.Attribute{Name: name, Samples: new(adversary.Samples)}
	if name == "label" {
		names := classNames(set, "-1", "1")
		for _, y := range []float64{-1, 1} {
			out.Values = append(out.Values, names[y])
			out.Samples.Add(adversary.Sample{X: own.X, Y: y})
		}
		return out, nil
	}
	at, filled := -1, 0
	var names []string
	for c := range set.Columns {
		attribute, value, ok := set.Indicator(c)
		if ok && !slices.Contains(names, attribute) {
			names = append(names, attribute)
		}
		if !ok || attribute != name {
			continue
		}
		out.Values, out.Columns = append(out.Values, value), append(out.Columns, c)
		if own.X[c] != 0 {
			at = c
			filled++
		}
	}
	if out.Columns == nil {
		return nil, fmt.Errorf("adversary.knows.attribute: no categorical column is called %q; there are: %s", name,
			strings.Join(append(names, "label"), ", "))
	}
	if filled != 1 {
		return nil, fmt.Errorf("adversary.knows.attribute: of the columns of %s the sample has %d that are not zero; "+
			"other values can be put in where it is one (problem.scale.columns)", name, filled)
	}
	for _, c := range out.Columns {
		x := slices.Clone(own.X)
		x[at] = 0
		x[c] = own.X[at]
		out.Samples.Add(adversary.Sample{X: x, Y: own.Y})
	}
	return out, nil
}

// trueCandidate is where the true one is among decoys.
func trueCandidate(seed uint64, node, decoys int) int {
	return sim.NewStream(seed, "true candidate", uint64(node)).IntN(decoys + 1)
}

// samples are a node's; those of a server are as its users reported
// them.
func samples(a *experiment.Assembly, node int) *adversary.Samples {
	shard := &a.Problem.Shards[node-a.First()]
	registering, ok := a.Method.(algorithms.Registering)
	if !ok {
		return &adversary.Samples{U: shard.U, Y: shard.Y, Class: shard.Class}
	}
	s := new(adversary.Samples)
	for k := range shard.Y {
		report := registering.Report(a.Seed, node, k)
		s.Add(adversary.Sample{X: report[:a.Problem.D], Y: report[a.Problem.D]})
		if len(report) > a.Problem.D+1 {
			s.Debias = append(s.Debias, 1/num.Expm1(report[a.Problem.D+1]))
		}
	}
	return s
}

// decoys are samples that are not the node's: of the test set, or of other nodes
// where that is too small.
func decoys(e *experiment.Experiment, a *experiment.Assembly, node, count int) *adversary.Samples {
	pool := new(adversary.Samples)
	pool.U, pool.Y = problem.NewRows(a.Columns()), nil
	add := func(s *problem.Shard) {
		for n := range s.Y {
			pool.U.Append(s.U.Row(n))
			pool.Y = append(pool.Y, s.Y[n])
		}
	}
	if add(&a.Problem.Test); len(pool.Y) < count {
		for i := range a.Problem.Shards {
			if i != node-a.First() {
				add(&a.Problem.Shards[i])
			}
		}
	}
	s := sim.NewStream(a.Seed, "decoys", uint64(node))
	order := s.Perm(len(pool.Y))
	chosen := new(adversary.Samples)
	for _, n := range order[:min(count, len(order))] {
		chosen.Add(pool.At(n))
	}
	return chosen
}

// insert puts a sample at a place.
func insert(s *adversary.Samples, at int, a adversary.Sample) *adversary.Samples {
	all := new(adversary.Samples)
	for n := range s.Y {
		if n == at {
			all.Add(a)
		}
		all.Add(s.At(n))
	}
	if at >= len(s.Y) {
		all.Add(a)
	}
	return all
}

// interleave mixes decoys and members, in an order that the stream draws.
func interleave(decoys, members *adversary.Samples, s *sim.Stream) *adversary.Samples {
	count := len(decoys.Y) / 2
	own := s.Perm(len(members.Y))
	own = own[:min(count, len(own))]
	pool := new(adversary.Samples)
	for n := range len(decoys.Y) - len(own) {
		pool.Add(decoys.At(n))
	}
	for _, n := range own {
		pool.Add(members.At(n))
	}
	mixed := new(adversary.Samples)
	for _, n := range s.Perm(len(pool.Y)) {
		mixed.Add(pool.At(n))
	}
	return mixed
}

// decoyBlocks are copies of a block in each of which the values of one column
// are in another order: the nearest that another data set could be.
func decoyBlocks(block *problem.Rows, count int, s *sim.Stream) []*problem.Rows {
	var all []*problem.Rows
	n := block.Len()
	for k, tries := 0, 0; len(all) < count && tries < 100*count; k, tries = k+1, tries+1 {
		col, order := k%block.D, s.Perm(n)
		old, values := column(block, col), make([]float64, n)
		for i, v := range old {
			values[order[i]] = v
		}
		if !slices.Equal(values, old) { // a constant column has but one order
			all = append(all, withColumn(block, col, values))
		}
	}
	return all
}

// schema is the published description of a set's columns.
func schema(set *problem.Set, intercept bool) *adversary.Schema {
	s := &adversary.Schema{Names: set.Columns, Sign: make([]bool, set.X.D), Intercept: -1}
	for k := range s.Sign {
		s.Sign[k] = true
	}
	for i := range set.X.Len() {
		cols, vals := set.X.Row(i)
		for k, c := range cols {
			if vals[k] < 0 {
				s.Sign[c] = false
			}
		}
	}
	if intercept {
		s.Intercept = set.X.D - 1
	}
	groups := map[string]int{}
	for k := range set.Columns {
		attribute, _, ok := set.Indicator(k)
		if !ok {
			continue
		}
		g, seen := groups[attribute]
		if !seen {
			g = len(s.Groups)
			groups[attribute] = g
			s.Groups = append(s.Groups, nil)
		}
		s.Groups[g] = append(s.Groups[g], k)
	}
	return s
}
