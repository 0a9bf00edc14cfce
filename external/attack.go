// Attacks that are classes in Python.

package external

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"overhear/adversary"
	"overhear/adversary/model"
	"overhear/internal/python"
	"overhear/parameter"
	"overhear/record"
)

// overheard is what a class is told of a view. Numbers that are not known are null.
type overheard struct {
	Victim     int              `json:"victim"`
	Size       int              `json:"size"` // 0: not known
	D          int              `json:"d"`
	Rounds     int              `json:"rounds"`
	From       int              `json:"from"`
	Neighbours [][]int32        `json:"neighbours"`
	Method     string           `json:"method"`
	Parameters map[string]any   `json:"parameters"`
	C          float64          `json:"C"`
	Ridge      float64          `json:"ridge"`
	Several    bool             `json:"several"` // rows have targets, or one of several classes
	Columns    []string         `json:"columns"`
	Packets    [][6]int64       `json:"packets"` // sent, received, src, dst, round, bytes
	Kinds      []string         `json:"kinds"`   // of packets
	Values     [][2]int         `json:"values"`  // nodes and rounds of the vectors
	Told       [][3]int         `json:"told"`    // senders, receivers and rounds of others, which lies are
	Reports    []int            `json:"reports"` // users
	Known      *samples         `json:"known"`
	Candidates *samples         `json:"candidates"`
	Data       map[int]*samples `json:"data"`
}

type samples struct {
	X [][]float64 `json:"x"`
	Y []float64   `json:"y"`
}

// found is what a class says.
type found struct {
	Blocked   string    `json:"blocked"`
	Estimates []sample  `json:"estimates"`
	Rows      []sample  `json:"rows"`
	Members   []bool    `json:"members"`
	Scores    []float64 `json:"scores"`
}

type sample struct {
	X []float64 `json:"x"`
	Y float64   `json:"y"`
}

// What a class may ask for, of a view.
const (
	gradients byte = python.Asks + iota
	slopes
	curvatures
)

// attack is one view, and the class that attacks it.
type attack struct {
	*python.Class
	view *adversary.View
}

// carry has the class attack, with an object of its own.
func (a *attack) carry(f *record.Finding) error {
	p := a.view.Public
	if p.Rows > 0 {
		return &adversary.Blocked{Why: "classes in Python attack runs whose rows are split, and here columns are"}
	}
	told, vectors := a.tells()
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	o, _, err := python.Make(a.Class, "adversary.attacks", "attack", nil)
	if err != nil {
		return err
	}
	defer o.Release()
	body, err := o.Call(a.serve, binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text, vectors)
	if err != nil {
		return err
	}
	var says found
	if err := json.Unmarshal(body, &says); err != nil {
		return fmt.Errorf("what the class says: %w", err)
	}
	if says.Blocked != "" {
		return &adversary.Blocked{Why: says.Blocked}
	}
	for _, s := range says.Estimates {
		f.Estimates = append(f.Estimates, record.Estimate{Rounds: p.Rounds, X: s.X, Y: s.Y, Residual: unknown})
	}
	for _, s := range says.Rows {
		f.Rows = append(f.Rows, record.Estimate{Rounds: p.Rounds, X: s.X, Y: s.Y, Residual: unknown})
	}
	for k, member := range says.Members {
		score := unknown
		if says.Scores != nil {
			score = record.Number(says.Scores[k])
		}
		f.Members = append(f.Members, record.Membership{Candidate: k, Score: score, Member: member})
	}
	f.Conclusion = "a class in Python says " + says.what()
	return nil
}

var unknown = record.Number(math.NaN())

// what says in words what there is.
func (f *found) what() string {
	switch {
	case f.Rows != nil:
		return fmt.Sprintf("what %d rows are", len(f.Rows))
	case f.Members != nil:
		in := 0
		for _, m := range f.Members {
			if m {
				in++
			}
		}
		return fmt.Sprintf("that of %d candidates %d are the victim's", len(f.Members), in)
	}
	return "what the sample is"
}

// tells is what the class is told: with the vectors of values, of lies and of reports.
func (a *attack) tells() (*overheard, []byte) {
	v, p := a.view, a.view.Public
	o := &overheard{
		Victim: v.Knows.Victim, Size: v.Knows.Size, D: p.D, Rounds: p.Rounds, From: v.From(), Method: p.Name,
		Parameters: parameters(p), C: p.C, Ridge: p.R[v.Knows.Victim], Several: p.Targets || p.Classes > 0,
		Known: samplesOf(v.Knows.Others), Candidates: samplesOf(v.Knows.Candidates), Data: map[int]*samples{},
		Packets: [][6]int64{}, Kinds: []string{}, Values: [][2]int{}, Told: [][3]int{}, Reports: []int{},
	}
	if s := v.Knows.Schema; s != nil {
		o.Columns = s.Names
	}
	for node, s := range v.Knows.Data {
		o.Data[node] = samplesOf(s)
	}
	var vectors []byte
	for i := range p.Graph.Order() {
		o.Neighbours = append(o.Neighbours, p.Graph.Neighbours(i))
		for t := 0; t <= p.Rounds; t++ {
			if f, ok := v.Value(i, t); ok {
				o.Values = append(o.Values, [2]int{i, t})
				vectors = python.Put(vectors, f)
			}
		}
	}
	lies, reports := map[[3]int]bool{}, map[int]bool{}
	var told, reported []byte
	for _, m := range v.Packets() {
		src, dst, round := int(m.Src), int(m.Dst), int(m.Round)
		if v.Restates(&m) {
			round = 0 // the sender's start, which it sends again
		}
		o.Packets = append(o.Packets, [6]int64{m.SentNS, m.ReceivedNS, int64(src), int64(dst), int64(round),
			int64(m.Bytes)})
		o.Kinds = append(o.Kinds, string(m.Kind))
		key := [3]int{src, dst, round}
		if lie, ok := v.Lie(src, dst, round); ok && !lies[key] {
			lies[key] = true
			o.Told = append(o.Told, key)
			told = python.Put(told, lie)
		}
		if report, ok := v.Report(src); ok && !reports[src] {
			reports[src] = true
			o.Reports = append(o.Reports, src)
			reported = python.Put(reported, report)
		}
	}
	return o, append(append(vectors, told...), reported...)
}

func samplesOf(s *adversary.Samples) *samples {
	if s == nil {
		return nil
	}
	out := &samples{X: [][]float64{}, Y: []float64{}}
	for n := range s.Y {
		one := s.At(n)
		switch {
		case s.Targets != nil:
			one.Y = s.Targets[n]
		case s.Class != nil:
			one.Y = float64(s.Class[n])
		}
		out.X, out.Y = append(out.X, one.X), append(out.Y, one.Y)
	}
	return out
}

// parameters are the method's, as far as the observer knows them: a number that varies by node and round is a list of
// lists, node by node of rounds 1, 2, ….
func parameters(p *model.Public) map[string]any {
	all := p.Parameters()
	for key, value := range all {
		switch v := value.(type) {
		case float64:
			all[key] = number(v)
		case parameter.Schedule:
			all[key] = schedule(&v, p.Graph.Order(), p.Rounds)
		case string, bool, int:
		default:
			delete(all, key) // a composite one, which has no form that numpy knows
		}
	}
	return all
}

func schedule(s *parameter.Schedule, nodes, rounds int) any {
	alike, all := true, make([][]any, nodes)
	for i := range all {
		for t := 1; t <= rounds; t++ {
			all[i] = append(all[i], number(s.At(i, t)))
			alike = alike && number(s.At(i, t)) == number(s.First())
		}
	}
	if alike {
		return number(s.First())
	}
	return all
}

// number is a number, or nil of one that is hidden.
func number(v float64) any {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return v
}

// told is what a view says of a gradient.
type told struct {
	Round    int         `json:"round"`
	At       []float64   `json:"at"`
	Value    []float64   `json:"value"`
	Ridge    any         `json:"ridge"`
	Noise    string      `json:"noise"`
	Level    any         `json:"level"`
	Place    string      `json:"place"`
	Offset   int         `json:"offset"`
	Nuisance [][]float64 `json:"nuisance"`
}

var (
	laws   = map[model.Kind]string{model.Silent: "none", model.Laplace: "laplace", model.Gaussian: "gaussian"}
	places = map[model.Place]string{model.InObjective: "objective", model.InStep: "step", model.OnOutput: "output"}
)

// serve is what a class may ask for: what the messages tell of a node's gradients, and the loss.
func (a *attack) serve(kind byte, body []byte) ([]byte, error) {
	p := a.view.Public
	switch kind {
	case gradients:
		if len(body) != 4 || int(binary.LittleEndian.Uint32(body)) >= p.Graph.Order() {
			return nil, python.Refusef("it asks for the gradients of no node")
		}
		node := int(binary.LittleEndian.Uint32(body))
		size := 0
		if node == a.view.Knows.Victim {
			size = a.view.Knows.Size
		}
		all := []told{}
		every, unseen := a.view.Gradients(node, size)
		for _, g := range every {
			all = append(all, told{Round: g.Round, At: g.At, Value: g.Value, Ridge: number(g.Ridge),
				Noise: laws[g.Noise.Kind], Level: number(g.Noise.Level), Place: places[g.Place], Offset: g.Offset,
				Nuisance: g.Nuisance})
		}
		return json.Marshal(struct {
			Gradients []told   `json:"gradients"`
			Unseen    []string `json:"unseen"`
		}{all, unseen})
	case slopes, curvatures:
		z := make([]float64, len(body)/8)
		if err := python.Take(body, z); err != nil {
			return nil, err
		}
		out := make([]float64, len(z))
		if kind == slopes {
			p.Loss.Slopes(out, z)
		} else {
			p.Loss.Curvatures(out, z)
		}
		return python.Put(nil, out), nil
	}
	return nil, python.Refusef("it asks for %d, which nobody knows", kind)
}

func init() {
	own := &adversary.Attack{
		Name:     "python",
		Title:    "an attack of one's own, a class in Python",
		Equation: "what the class computes",
		About: `A class with estimate(view), members(view) or rows(view) gets what the observer overheard and knows,
and nothing else: values, packets, what the method's model says of gradients, known samples, candidates. It says what
the sample is that the observer lacks, which candidates are the victim's, or what all of its rows are, and is scored as
every other attack. It is carried out where adversary.attacks names it, on methods without a model, too.`,
		Needs:   "a file that adversary.attacks names: {kind: python, file: mine.py}",
		Targets: true,
		Classes: true,
	}
	own.Of = func(c *python.Class) *adversary.Attack {
		named := *own
		named.Name, named.Title = "python:"+c.Title(), c.Title()+", a class in Python"
		named.Run = func(v *adversary.View, f *record.Finding) error { return (&attack{c, v}).carry(f) }
		return &named
	}
	adversary.Register(own)
}
