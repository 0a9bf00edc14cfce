// What a page shows of a run, as numbers.

package view

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/adversary/acts"
	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/evaluation"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/metrics"
	"overhear/record"
	"overhear/report/network"
	"overhear/scenarios"
	"overhear/sim"
)

// Document is what a page shows: one run, or two side by side.
type Document struct {
	Runs       []*Run      `json:"runs"`
	Difference *Difference `json:"difference"` // of two runs; null: there is one, or none was found
	Live       bool        `json:"live"`       // attacks are carried out, and the page asks the server for them

	advancing []*evaluation.Advancing // of the runs' adversaries, until they are carried out; nil: a run has none
}

// Run is a recorded run. Times are virtual nanoseconds. A column that is named "since" has differences from row to row,
// the first from zero.
type Run struct {
	Name       string      `json:"name"`
	About      string      `json:"about"`
	Seed       string      `json:"seed"` // a text: it may have more digits than a number of the page
	Algorithm  string      `json:"algorithm"`
	Digest     string      `json:"digest"`
	Events     uint64      `json:"events"`
	Facts      [][2]string `json:"facts"`
	Warnings   []string    `json:"warnings"`
	Nodes      int         `json:"nodes"` // those that register with others included
	Names      []string    `json:"names"` // of the graph's nodes in its file; null: they have numbers alone
	Users      int         `json:"users"` // of them, the last so many
	Hub        bool        `json:"hub"`   // node 0 has no data
	Rounds     int         `json:"rounds"`
	End        int64       `json:"end"`         // of the last thing that happens, requests in vain apart
	After      string      `json:"after"`       // what happens after End; empty: nothing
	Places     [][2]number `json:"places"`      // by node, within −1 and 1; null: there are more than are drawn
	Edges      []int       `json:"edges"`       // pairs, those of the graph first
	GraphEdges int         `json:"graph_edges"` // how many are of the graph; over the others users register
	Packets    Packets     `json:"packets"`
	Steps      Steps       `json:"steps"`
	Values     Values      `json:"values"`
	Inputs     Inputs      `json:"inputs"`
	Lies       Lies        `json:"lies"`
	Outages    []Outage    `json:"outages"`
	Restarts   []Restart   `json:"restarts"`
	Cuts       []Cut       `json:"cuts"`
	Faults     []Fault     `json:"faults"`
	Changes    []Change    `json:"changes"`
	Rows       Rows        `json:"rows"`
	Attack     *Attack     `json:"attack"` // null: the scenario has no adversary
	Notes      []string    `json:"notes"`  // what the page cannot show of this run
}

// Packets are all packets, by column, in order of sending.
type Packets struct {
	Kinds   []record.MessageKind `json:"kinds"`
	ID      []int64              `json:"id_since"`
	Src     []int32              `json:"src"`
	Dst     []int32              `json:"dst"`
	Round   []int32              `json:"round"`
	Sent    []int64              `json:"sent_since"`
	Took    []int64              `json:"took"` // −1: it was lost
	Bytes   []int64              `json:"bytes"`
	Kind    []int                `json:"kind"` // of Kinds
	Lost    []int                `json:"lost"` // why, by packet that was, of Reasons
	Reasons []string             `json:"reasons"`
}

// Steps are when nodes computed, by column, in order of their ends.
type Steps struct {
	Node  []int32 `json:"node"`
	Round []int32 `json:"round"`
	Ended []int64 `json:"ended_since"`
	Took  []int64 `json:"took"`
}

// Values are what nodes published, by column, in order of time.
type Values struct {
	Node     []int32  `json:"node"`
	Round    []int32  `json:"round"`
	Time     []int64  `json:"time_since"`
	Norm     []number `json:"norm"`
	Distance []number `json:"distance"` // to the optimum, relative; null: none is known
	Loss     []number `json:"loss"`     // mean over the node's rows; null: the data are not at hand
	D        int      `json:"d"`
	Content  string   `json:"content"` // all vectors, as float32 in base64, little-endian; empty: they are too many
}

// Lies are what nodes told neighbours in place of what they had published, by column.
type Lies struct {
	Liars   []int    `json:"liars"`
	Targets []int    `json:"targets"` // whose samples they are after
	Node    []int32  `json:"node"`
	To      []int32  `json:"to"`
	Round   []int32  `json:"round"`
	Away    []number `json:"away"`    // from the value in whose place it stands; null: that was not recorded
	Content string   `json:"content"` // as of Values, in its D numbers; empty: they are too many
}

// Inputs are which values entered which updates.
type Inputs struct {
	Lockstep bool `json:"lockstep"` // always those of the round before
	// Lags are, by row of Steps, how many rounds behind the round before a value was that entered, by neighbour; null:
	// not known. A run without steps has none.
	Lags [][]int `json:"lags"`
	Why  string  `json:"why"` // of those that are not known
}

// Rows are the measurements of rounds: columns of metrics.csv.
type Rows struct {
	Round  []number  `json:"round"`
	Time   []int64   `json:"time"`
	Curves []Measure `json:"curves"`
}

// Measure is a column of measurements.
type Measure struct {
	Name   string   `json:"name"`
	Title  string   `json:"title"` // as simulate run calls it
	Values []number `json:"values"`
}

// number is a float of few digits; one that is not finite is null.
type number float64

// MarshalJSON writes six digits.
func (n number) MarshalJSON() ([]byte, error) {
	if f := float64(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
		return strconv.AppendFloat(nil, f, 'g', 6, 64), nil
	}
	return []byte("null"), nil
}

// MostNumbers is how many numbers of published values a page holds at most; of more it has norms and distances alone.
const MostNumbers = 2_000_000

// Options say how a document is made.
type Options struct {
	DataDir string
	Sets    []string // path=value, of the runs' adversaries
	Points  int      // at most so many times at which the attacks are carried out; 0: as many as are usual
}

// Build reads runs, one or two, and makes a document of them, in which attacks are to be carried out by
// [Document.Carry].
func Build(ctx context.Context, runs []*record.Run, o Options) (*Document, error) {
	d := new(Document)
	for _, r := range runs {
		b, err := build(ctx, r, o)
		if err != nil {
			return nil, err
		}
		d.Runs, d.advancing = append(d.Runs, b.Run), append(d.advancing, b.advancing)
	}
	if len(runs) == 2 {
		d.tellApart(runs)
		d.unlike()
		var err error
		if d.Difference, err = FirstDifference(runs[0], runs[1]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// tellApart names two runs of one name and seed, as a run and its fork are, by the directories of their results; long
// names, as forks of forks have, by how they begin and end, with the whole name among the facts.
func (d *Document) tellApart(runs []*record.Run) {
	a, b := d.Runs[0], d.Runs[1]
	if a.Name != b.Name || a.Seed != b.Seed {
		return
	}
	const most, head, tail = 40, 12, 27
	for k, r := range d.Runs {
		r.Name = filepath.Base(filepath.Dir(filepath.Clean(runs[k].Dir)))
		if name := []rune(r.Name); len(name) > most {
			r.Facts = append([][2]string{{"directory", r.Name}}, r.Facts...)
			r.Name = string(name[:head]) + "…" + string(name[len(name)-tail:])
		}
	}
	if a.Name == b.Name {
		a.Name, b.Name = a.Name+" (first)", b.Name+" (second)"
	}
}

// unlike notes where two runs are on other networks, so that a node of one need not be that of the other.
func (d *Document) unlike() {
	a, b := d.Runs[0], d.Runs[1]
	of := fmt.Sprintf("%s and %s", plural.Of(a.Nodes, "node"), plural.Of(b.Nodes, "node"))
	switch {
	case a.Nodes == b.Nodes && slices.Equal(a.Edges, b.Edges):
		return
	case a.Nodes == b.Nodes:
		of = "other edges"
	}
	for _, r := range d.Runs {
		r.Notes = append(r.Notes, fmt.Sprintf("The two runs are not on one network (%s): a node of one need not be "+
			"the node of that number of the other.", of))
	}
}

func build(ctx context.Context, r *record.Run, o Options) (*builder, error) {
	s, err := scenarios.Parse(filepath.Join(r.Dir, "run.json"), []byte(r.Info.Scenario))
	if err != nil {
		return nil, err
	}
	b := &builder{Run: new(Run), from: r, scenario: s}
	b.head()
	for _, read := range []func() error{b.packets, b.steps, b.network,
		func() error { return b.values(o.DataDir) }, b.lies,
		b.inputs, b.rows, b.faults, func() error { b.lostBy(); return nil }, b.restarts, b.changes,
		func() error { return b.attack(ctx, o) }} {
		if err := errors.Join(read(), ctx.Err()); err != nil {
			return nil, err
		}
	}
	b.facts()
	b.after()
	return b, nil
}

// builder makes a Run.
type builder struct {
	*Run
	from      *record.Run
	advancing *evaluation.Advancing // nil: it has no adversary
	scenario  *scenarios.Scenario
	sites     *sim.Placed
	graph     *sim.Graph // nil: it is in a file that is not at hand
	last      int64      // when the last event was, requests in vain included
	planned   [][]Outage // by fault plan, as if none followed
	lost      int
	sent      int // packets, a duplicate once
}

func (b *builder) head() {
	info := b.from.Info
	b.Name, b.About, b.Seed = info.Name, b.scenario.About, strconv.FormatUint(info.Seed, 10)
	b.Algorithm, b.Digest, b.Events, b.Warnings = info.Algorithm, info.Digest, info.Events, info.Warnings
	b.Nodes, b.Rounds = info.Nodes, b.scenario.Rounds.Count
	if e, ok := model.Lookup(info.Algorithm); ok {
		if _, ok := e.Model().(model.EdgeDual); ok {
			b.note("Messages of %s differ by neighbour. The record has the values that they are made of, and these "+
				"are shown.", info.Algorithm)
		}
	}
}

func (b *builder) note(format string, args ...any) {
	b.Notes = append(b.Notes, fmt.Sprintf(format, args...))
}

// until makes the run last at least until a time.
func (b *builder) until(at int64) { b.End, b.last = max(b.End, at), max(b.last, at) }

// after says what follows the end of the time line: a run that ended early waited until its deadline, maybe a thousand
// times as long as it had run, and all that happened meanwhile were requests. The last of them is not what it waited
// for, which run.json tells.
func (b *builder) after() {
	if b.last == b.End {
		return
	}
	asked := 0
	for _, at := range sums(b.Packets.Sent) {
		if at > b.End {
			asked++
		}
	}
	b.After = fmt.Sprintf("%s in vain, up to %.6g s, and nothing else happens until the run ends early: %s",
		plural.Of(asked, "request"), float64(b.last)/1e9, b.from.Info.Ended)
	b.note("The time line ends at %.6g s. After that: %s.", float64(b.End)/1e9, b.After)
}

// sums turns differences from row to row into numbers.
func sums(since []int64) []int64 {
	out, at := make([]int64, len(since)), int64(0)
	for k, d := range since {
		at += d
		out[k] = at
	}
	return out
}

func (b *builder) packets() error {
	p, at, id := &b.Packets, int64(0), uint64(0)
	return b.from.Messages(func(m record.Message) error {
		kind := slices.Index(p.Kinds, m.Kind)
		if kind < 0 {
			kind = len(p.Kinds)
			p.Kinds = append(p.Kinds, m.Kind)
		}
		took := int64(-1)
		if m.ReceivedNS >= 0 {
			took = m.ReceivedNS - m.SentNS
		} else {
			b.lost++
		}
		if len(p.ID) == 0 || m.ID != id {
			b.sent++
		}
		p.ID, p.Sent = append(p.ID, int64(m.ID-id)), append(p.Sent, m.SentNS-at)
		id, at = m.ID, m.SentNS
		if until := max(at, m.ReceivedNS); b.from.Info.Ended != "" && m.Kind == record.MessageRequest {
			b.last = max(b.last, until)
		} else {
			b.until(until)
		}
		p.Src, p.Dst, p.Round = append(p.Src, m.Src), append(p.Dst, m.Dst), append(p.Round, m.Round)
		p.Took, p.Bytes, p.Kind = append(p.Took, took), append(p.Bytes, m.Bytes), append(p.Kind, kind)
		b.Nodes = max(b.Nodes, int(m.Src)+1, int(m.Dst)+1)
		return nil
	})
}

func (b *builder) steps() error {
	at := int64(0)
	return b.from.Steps(func(s record.Step) error {
		b.Steps.Node, b.Steps.Round = append(b.Steps.Node, s.Node), append(b.Steps.Round, s.Round)
		b.Steps.Ended = append(b.Steps.Ended, s.EndedNS-at)
		b.Steps.Took = append(b.Steps.Took, s.EndedNS-s.BeganNS)
		at = s.EndedNS
		b.until(at)
		return nil
	})
}

// network places the nodes. Those that register with others have an edge where a packet of theirs goes.
func (b *builder) network() error {
	b.Users = b.Nodes - b.from.Info.Nodes
	if entry, ok := algorithms.Lookup(b.from.Info.Algorithm); ok {
		b.Hub = entry.Star
	}
	g, sites, err := b.scenario.Network.Lay(b.from.Info.Seed)
	if changed := experiment.New(b.scenario, "").ChangedBut("problem.", b.from.Info.Inputs); changed != nil {
		err = errors.New(strings.Join(changed, "; "))
	}
	known := map[[2]int]bool{}
	add := func(pair [2]int) {
		if pair = [2]int{min(pair[0], pair[1]), max(pair[0], pair[1])}; !known[pair] {
			known[pair] = true
			b.Edges = append(b.Edges, pair[0], pair[1])
		}
	}
	if err != nil {
		b.note("The network of the run is not known (%v): edges are those over which packets went, and when nodes "+
			"were down is not shown.", err)
	} else {
		b.graph, b.sites, b.Names = g, sites, g.Names()
		for _, pair := range g.Pairs() {
			add(pair)
		}
	}
	b.GraphEdges = len(b.Edges) / 2
	for k := range b.Packets.Src {
		add([2]int{int(b.Packets.Src[k]), int(b.Packets.Dst[k])})
	}
	if b.graph == nil {
		b.GraphEdges = len(b.Edges) / 2
	}
	if b.Nodes > network.MostNodes {
		return nil
	}
	var pairs [][2]int
	for k := 0; k < len(b.Edges); k += 2 {
		pairs = append(pairs, [2]int{b.Edges[k], b.Edges[k+1]})
	}
	for _, at := range network.Places(b.Nodes, pairs) {
		b.Places = append(b.Places, [2]number{number(at[0]), number(at[1])})
	}
	return nil
}

// values reads what nodes published, and measures it.
func (b *builder) values(dataDir string) error {
	optimum := b.from.Info.Reference.Point
	losses, why := evaluation.LossesOf(b.from, dataDir)
	if why != nil {
		b.note("Losses of single nodes are not known: %v.", why)
	}
	v, at, size := &b.Values, int64(0), num.Norm(optimum)
	if size == 0 {
		size = 1
	}
	var content []byte
	all := true
	err := b.from.Iterates(func(i record.Iterate) error {
		v.Node, v.Round, v.Time = append(v.Node, i.Node), append(v.Round, i.Round), append(v.Time, i.TimeNS-at)
		at = i.TimeNS
		b.until(at)
		away, loss := math.NaN(), math.NaN()
		if len(i.Values) == len(optimum) && b.scenario.Problem.Columns == nil {
			difference := slices.Clone(i.Values)
			num.Axpy(-1, optimum, difference)
			away = num.Norm(difference) / size
		}
		if losses != nil {
			if l, ok := losses(int(i.Node), i.Values); ok {
				loss = l
			}
		}
		v.Norm = append(v.Norm, number(num.Norm(i.Values)))
		v.Distance, v.Loss = append(v.Distance, number(away)), append(v.Loss, number(loss))
		if v.D = len(i.Values); all {
			content = appendFloats(content, i.Values)
			all = len(content) <= 4*MostNumbers && len(content) == 4*v.D*len(v.Node)
		}
		return nil
	})
	if errors.Is(err, record.ErrNotRecorded) {
		b.note("What nodes published was not recorded (record.iterates: none): their distances and losses are not " +
			"known, nor what packets carry.")
		return nil
	}
	if n := len(b.Steps.Node); n > len(v.Node) {
		b.note("Values of %d of %d steps were not recorded (record.iterates): nodes have the colour of the last that "+
			"was.", n-len(v.Node), n)
	}
	if all {
		v.Content = base64.StdEncoding.EncodeToString(content)
	} else {
		b.note("What packets carry is not shown number by number: there are more than %d numbers, or vectors of "+
			"several lengths.", MostNumbers)
	}
	return err
}

// lies reads what liars told, and how far it is from what they had published.
func (b *builder) lies() error {
	l := &b.Lies
	if l.Liars = acts.Liars(b.scenario.Acts()); len(l.Liars) == 0 {
		return nil
	}
	for _, act := range b.scenario.Acts() {
		if a, ok := act.Strategy.(acts.Aiming); ok {
			if node, _ := a.Aim(); !slices.Contains(l.Targets, node) {
				l.Targets = append(l.Targets, node)
			}
		}
	}
	if !b.scenario.Record.Iterates.Whole() {
		b.note("Lies of rounds whose values were not recorded (record.iterates) are drawn as values.")
	}
	published := map[[2]int32][]float64{}
	err := b.from.Iterates(func(i record.Iterate) error {
		if slices.Contains(l.Liars, int(i.Node)) {
			published[[2]int32{i.Node, i.Round}] = i.Values
		}
		return nil
	})
	if errors.Is(err, record.ErrNotRecorded) {
		return nil // which is noted already
	}
	if err != nil {
		return err
	}
	var content []byte
	all := b.Values.Content != ""
	err = b.from.Lies(func(i record.Lie) error {
		if len(i.Values) == 0 {
			return nil // nothing was sent, so that there is no packet
		}
		away := math.NaN()
		if v := published[[2]int32{i.Node, i.Round}]; len(v) == len(i.Values) {
			difference := slices.Clone(i.Values)
			num.Axpy(-1, v, difference)
			away = num.Norm(difference)
		}
		l.Node, l.To, l.Round = append(l.Node, i.Node), append(l.To, i.To), append(l.Round, i.Round)
		l.Away = append(l.Away, number(away))
		if content = appendFloats(content, i.Values); len(i.Values) != b.Values.D || len(content) > 4*MostNumbers {
			content, all = nil, false
		}
		return nil
	})
	if all {
		l.Content = base64.StdEncoding.EncodeToString(content)
	}
	return err
}

// appendFloats appends numbers as float32, little-endian.
func appendFloats(to []byte, values []float64) []byte {
	for _, x := range values {
		to = binary.LittleEndian.AppendUint32(to, math.Float32bits(float32(x)))
	}
	return to
}

// inputs tells what entered every update: steps are recorded also where values are not. A run that has none has its
// values to go by, which is enough for lockstep.
func (b *builder) inputs() error {
	of, err := evaluation.InputsOf(b.from)
	if err != nil {
		b.Inputs.Why = err.Error()
		return nil
	}
	nodes, ofRounds := b.Steps.Node, b.Steps.Round
	if len(nodes) == 0 {
		nodes, ofRounds = b.Values.Node, b.Values.Round
	}
	lockstep, lags := true, make([][]int, len(nodes))
	for k, node := range nodes {
		round := int(ofRounds[k])
		if round == 0 || int(node) >= b.from.Info.Nodes {
			continue
		}
		rounds, err := of(int(node), round)
		if err != nil {
			lockstep, b.Inputs.Why = false, err.Error()
			continue
		}
		lags[k] = []int{}
		for _, r := range rounds {
			lags[k] = append(lags[k], round-1-r)
			lockstep = lockstep && r == round-1
		}
	}
	if b.Inputs.Lockstep = lockstep && len(lags) > 0; !b.Inputs.Lockstep {
		b.Inputs.Lags = lags
	}
	return nil
}

// shown are the columns of metrics.csv that the page draws, if they have values.
var shown = []string{"distance", "loss", "test_error", "consensus", "stationarity", "rmse", "privacy_loss"}

func (b *builder) rows() error {
	t, err := b.from.Metrics()
	if err != nil {
		return err
	}
	for _, round := range t.Column("round") {
		b.Rows.Round = append(b.Rows.Round, number(round))
	}
	ns := int64(0)
	for _, at := range t.Column("time_s") {
		if !math.IsNaN(at) {
			ns = int64(math.Round(at * 1e9))
		}
		b.Rows.Time = append(b.Rows.Time, ns)
		b.until(ns)
	}
	for _, name := range shown {
		column := t.Column(name)
		if !slices.ContainsFunc(column, func(v float64) bool { return !math.IsNaN(v) }) {
			continue
		}
		m := Measure{Name: name, Title: metrics.Named(name).Title}
		for _, v := range column {
			m.Values = append(m.Values, number(v))
		}
		b.Rows.Curves = append(b.Rows.Curves, m)
	}
	return nil
}

// facts are what a reader wants to know of the run as a whole.
func (b *builder) facts() {
	info := b.from.Info
	add := func(name, format string, args ...any) {
		b.Facts = append(b.Facts, [2]string{name, fmt.Sprintf(format, args...)})
	}
	add("network", "%s, %s", plural.Of(info.Nodes, "node"), plural.Of(info.Edges, "edge"))
	if b.Users > 0 {
		add("users", "%d, who register with a node", b.Users)
	}
	if info.Ended != "" {
		add("ended early", "%s; %d of %s", info.Ended, info.Rounds, plural.Of(b.scenario.Rounds.Count, "round"))
	}
	add("method", "%s, %s", info.Algorithm, plural.Of(info.Rounds, "round"))
	if over, last := float64(info.Final.VirtualSeconds), float64(b.last)/1e9; last > over {
		add("virtual time", "%.6g s, the last event at %.6g s", over, last)
	} else {
		add("virtual time", "%.6g s", over)
	}
	add("packets", "%d sent, %d lost, %d that arrived twice", b.sent, b.lost, len(b.Packets.ID)-b.sent)
	for _, v := range []struct {
		name  string
		value record.Number
	}{{"distance to the optimum", info.Final.Distance}, {"training loss", info.Final.Loss},
		{"test error", info.Final.TestError}} {
		if f := float64(v.value); !math.IsNaN(f) {
			add(v.name, "%.4g", f)
		}
	}
	for _, share := range []struct {
		name, befalls string
		of            func(n *scenarios.Network) float64
	}{{"loss", "are lost", func(n *scenarios.Network) float64 { return n.Loss }},
		{"duplication", "arrive twice", func(n *scenarios.Network) float64 { return n.Duplication }}} {
		if text := b.share(share.befalls, share.of); text != "" {
			add(share.name, "%s", text)
		}
	}
	if text := b.exceptions(); text != "" {
		add("exceptions", "%s", text)
	}
	if p := info.Privacy; p != nil {
		add("claim", "%s", p.Guarantee)
	}
	if info.Digest != "" {
		add("digest", "%.16s", info.Digest)
	}
}
