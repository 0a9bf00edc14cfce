// What a scenario says: the top of the language.

package scenarios

import (
	"fmt"
	"math"

	"overhear/algorithms"
	"overhear/problem"
	"overhear/sim"
)

// Scenario is one experiment.
type Scenario struct {
	Name      string          `yaml:"name" doc:"name of the experiment and of its results' directory: letters, digits, '-', '_' and '.'"`
	About     string          `yaml:"about" doc:"what it shows, in a line"`
	Seeds     Seeds           `yaml:"seeds" doc:"which seeds to run"`
	Problem   Problem         `yaml:"problem" doc:"what is learned, from which data"`
	Network   Network         `yaml:"network" doc:"who is linked to whom, and how links behave"`
	Compute   algorithms.Cost `yaml:"compute" doc:"how long updates take in virtual time"`
	Rounds    Rounds          `yaml:"rounds" doc:"how nodes wait for each other, and for how long"`
	Algorithm Algorithm       `yaml:"algorithm" doc:"the method and its parameters"`
	Privacy   Privacy         `yaml:"privacy" doc:"how much noise, by what it is to protect, and how its loss is stated"`
	Solver    Solver          `yaml:"solver" doc:"precision of each node's solves"`
	Record    Record          `yaml:"record" doc:"what a run keeps"`
	Adversary *Adversary      `yaml:"adversary" doc:"who overhears the run, knows what besides, and tries what; for simulate attack and audit"`
	Sweep     *Sweep          `yaml:"sweep" doc:"which runs simulate sweep makes; not read by single runs"`
	Changes   []Alteration    `yaml:"changes" doc:"what is different from some instant of a run on, in order of time; simulate fork writes it"`
	Ties      string          `yaml:"ties" default:"ordered" enum:"ordered,shuffled" doc:"order of simultaneous events; shuffled shows that nothing depends on it"`

	later  []*Scenario // what it says after each of its changes
	origin *origin     // nil: it was not read
}

// Seeds are consecutive.
type Seeds struct {
	First uint64 `yaml:"first" default:"1" doc:"the first seed"`
	Count int    `yaml:"count" default:"1" doc:"how many seeds"`
}

// Check reports an empty range.
func (s Seeds) Check(report func(field, problem string)) {
	if s.Count < 1 {
		report("count", fmt.Sprintf("must be at least 1, is %d", s.Count))
	} else if uint64(s.Count-1) > math.MaxUint64-s.First {
		report("first", fmt.Sprintf("leaves no %d seeds up to %d, is %d", s.Count, uint64(math.MaxUint64), s.First))
	}
}

// Problem is the data and the objective Σ_i O_i of docs/mathematics.md §1.
type Problem struct {
	Data      problem.Source     `yaml:"data" doc:"the data set"`
	Train     float64            `yaml:"train" doc:"training rows: a count, or a fraction below 1; the rest is the test set; default all"`
	Repeated  string             `yaml:"repeated" default:"keep" enum:"keep,drop" doc:"rows that are equal to an earlier one in all columns and in class or target: keep or drop them, before anything else"`
	Order     string             `yaml:"order" default:"shuffled" enum:"shuffled,file" doc:"whether rows are permuted by the seed before they are divided"`
	Partition problem.Partition  `yaml:"partition" doc:"which node gets which rows"`
	Columns   []int              `yaml:"columns" doc:"split columns, not rows: how many consecutive columns each party holds; the network is a star around a hub with the labels"`
	Scale     problem.Scale      `yaml:"scale" doc:"preparation of columns and rows"`
	Loss      problem.LossSpec   `yaml:"loss" doc:"loss L of a row: of its margin, or of its residual where it has a target"`
	C         float64            `yaml:"C" default:"1" doc:"weight of the loss"`
	Rho       float64            `yaml:"rho" default:"0.22" doc:"weight ρ of the ridge; 0 where there is one optimum without it: the columns are independent, and no model tells the classes of all rows apart"`
	L1        float64            `yaml:"l1" doc:"weight of ‖f‖₁, which with the ridge is an elastic net: it makes components zero; for methods that take objectives with kinks"`
	Group     float64            `yaml:"group" doc:"over split columns, weight of the group lasso Σ_m ‖x_m‖: it makes all coefficients of a party zero; for methods that take objectives with kinks"`
	Set       problem.RegionSpec `yaml:"set" doc:"closed convex set that f is to be in; for methods that take objectives with kinks"`
	Share     string             `yaml:"share" default:"per-network" enum:"per-network,per-node" doc:"per-network: each of N nodes has r_i = ρ/N, and of l1 as much; per-node: r_i = ρ, and l1"`
}

// Check reports weights that make no problem.
func (p Problem) Check(report func(field, problem string)) {
	const least, most = 1e-100, 1e100 // products of what is beyond leave the range of numbers
	if !(p.C >= least && p.C <= most) {
		report("C", fmt.Sprintf("must be positive, from %v to %v, is %v", least, most, p.C))
	}
	if !(p.Rho == 0 || p.Rho >= least && p.Rho <= most) {
		report("rho", fmt.Sprintf("must be from %v to %v, or 0 where there is one optimum without it, is %v", least,
			most, p.Rho))
	}
	if p.Rho == 0 && !p.Loss.Convex() {
		report("rho", fmt.Sprintf("must be above 0 with loss: %s, which levels off: without a ridge the objective may "+
			"fall without end as the model grows", p.Loss.Kind))
	}
	if err := p.Loss.Suits(p.Data); err != nil {
		report("loss", "does not suit problem.data: "+err.Error())
	}
	if p.Columns != nil && p.Data.ManyClasses() {
		report("columns", "split columns add up to one number for each row, and with problem.data.classes: all a row "+
			"has one for each class: split rows, or take two classes")
	}
	if p.Partition.Kind == "label-skew" && p.Data.HasTargets() {
		report("partition", "cannot be label-skew, which goes by classes: these data have targets; take even, sizes "+
			"or dirichlet")
	}
	if p.Scale.Rows == "unit-per-party" && p.Columns == nil {
		report("scale.rows", "unit-per-party is for split columns (problem.columns); for split rows take unit")
	}
	for _, c := range []struct {
		key    string
		weight float64
	}{{"l1", p.L1}, {"group", p.Group}} {
		if !(c.weight == 0 || c.weight >= least && c.weight <= most) {
			report(c.key, fmt.Sprintf("must be 0, or from %v to %v, is %v", least, most, c.weight))
		}
	}
	if p.Columns != nil && p.C != 1 {
		report("C", fmt.Sprintf("is of split rows, and columns are split (problem.columns): there algorithm.loss says "+
			"how much the loss weighs, and problem.rho how much the ridge does; must be 1, is %v", p.C))
	}
	if p.Columns != nil && p.Share == "per-node" {
		report("share", "is of split rows, and columns are split (problem.columns): there every party has problem.rho "+
			"and problem.l1 whole; leave it out")
	}
	switch {
	case p.Group > 0 && p.Columns == nil:
		report("group", "is for split columns: problem.columns says how many each party holds")
	case p.Group > 0 && p.Set.Kind == "box":
		report("group", "does not go with a box (problem.set): no formula is known for the step that both need")
	}
	if !(p.Train >= 0) || (p.Train > 1 && p.Train != float64(int(p.Train))) {
		report("train", fmt.Sprintf("must be a whole number of rows or a fraction below 1, is %v", p.Train))
	}
	if p.Train == 1 {
		report("train", "is a count of one row, and no share: for all rows leave it out, for a share give one below 1")
	}
}

// NonSmooth is what of every one of so many nodes' objectives, or of every party's, has kinks;
// nil: nothing.
func (p *Problem) NonSmooth(nodes int) *problem.NonSmooth {
	if p.Columns != nil {
		return problem.NewNonSmooth(p.L1, p.Group, p.Set.Region())
	}
	return problem.NewNonSmooth(p.shared(p.L1, nodes), 0, p.Set.Region())
}

// Ridge is r_i of every one of so many nodes.
func (p *Problem) Ridge(nodes int) float64 { return p.shared(p.Rho, nodes) }

// shared is a node's share of a weight.
func (p *Problem) shared(weight float64, nodes int) float64 {
	if p.Share == "per-network" {
		return weight / float64(nodes)
	}
	return weight
}

// Network is the graph and its links.
type Network struct {
	Topology sim.Topology `yaml:"topology" doc:"the graph"`
	sim.Link
	Header int64          `yaml:"header" default:"64" doc:"bytes of every packet besides 8 for each number it carries"`
	Links  []sim.Override `yaml:"links" doc:"exceptions for single edges"`
	Faults sim.FaultPlan  `yaml:"faults" doc:"the fault plan: what goes wrong, and when; an entry is one fault, of the kind that its key names"`
}

// Check reports what is wrong with links and header.
func (n Network) Check(report func(field, problem string)) {
	n.Link.Check(report)
	if n.Topology.Sited() && !n.Latency.Placeable() {
		report("topology", fmt.Sprintf("of kind %s follows the sites on which the nodes are: network.latency must be "+
			"of kind matrix, such as {kind: matrix, set: aws}", n.Topology.Kind))
	}
	if n.Header < 0 {
		report("header", fmt.Sprintf("must not be negative, is %d", n.Header))
	}
}

// Lay builds the graph of a seed, and places its nodes where the latency is one between sites.
func (n *Network) Lay(seed uint64) (*sim.Graph, *sim.Placed, error) {
	place := func(nodes int) (*sim.Placed, error) {
		sites, err := n.Latency.Place(seed, nodes)
		if err != nil {
			return nil, fmt.Errorf("building network.latency: %w", err)
		}
		return sites, nil
	}
	var sites *sim.Placed
	nodes, err := n.Topology.Order(), error(nil)
	if nodes > 0 { // the graph may follow them
		if sites, err = place(nodes); err != nil {
			return nil, nil, err
		}
	}
	g, err := n.Topology.BuildOn(sim.NewStream(seed, "topology"), sites)
	if err != nil {
		return nil, nil, fmt.Errorf("building network.topology: %w", err)
	}
	if nodes == 0 {
		sites, err = place(g.Order())
	}
	for k, f := range n.Faults {
		if l, ok := f.Kind.(sim.Listing); ok && err == nil {
			if err = l.CheckOrder(g.Order()); err != nil {
				err = fmt.Errorf("building network.faults[%d].%s: %w", k, l.Key(), err)
			}
		}
	}
	return g, sites, err
}

// Lossy says whether a packet may be lost, so that nodes ask again for what does not
// come.
func (n *Network) Lossy() bool {
	if n.Faults != nil {
		return true
	}
	for _, o := range n.Links {
		if o.Loss != nil && *o.Loss > 0 {
			return true
		}
	}
	return n.Loss > 0
}

// Rounds is the protocol.
type Rounds struct {
	Mode      string       `yaml:"mode" default:"synchronous" enum:"synchronous,asynchronous" doc:"synchronous: a node waits for the round's value of every neighbour; asynchronous: it goes on with the last values it has heard"`
	Count     int          `yaml:"count" default:"100" doc:"number of updates of every node"`
	Quorum    float64      `yaml:"quorum" of:"asynchronous" default:"0.5" doc:"share of its neighbours that a node must have heard since its last update"`
	Staleness int          `yaml:"staleness" of:"asynchronous" doc:"a node waits while a neighbour is more than so many rounds behind it; 0: it does not"`
	Timeout   sim.Duration `yaml:"timeout" of:"asynchronous" default:"200ms" doc:"a node goes on after this long without a quorum; 0s: never"`
	Retry     sim.Duration `yaml:"retry" default:"200ms" doc:"on a lossy network, how long a node waits before it asks for a missing value (asynchronous: a missing report of a user), then twice as long each time, up to eight times"`
	Deadline  sim.Duration `yaml:"deadline" default:"10m" doc:"on a lossy network, how long a node waits for a round before what missing says happens"`
	Missing   string       `yaml:"missing" of:"synchronous" default:"stop" enum:"stop,last" doc:"when the deadline has passed: stop the run and say who waited for whom, or go on with the last values that came"`
}

// Check reports rounds that cannot be run.
func (r Rounds) Check(report func(field, problem string)) {
	if r.Count < 1 {
		report("count", fmt.Sprintf("must be at least 1, is %d", r.Count))
	}
	if r.Count >= math.MaxInt32 {
		report("count", fmt.Sprintf("must be below %d, is %d", math.MaxInt32, r.Count))
	}
	if !(r.Quorum >= 0 && r.Quorum <= 1) {
		report("quorum", fmt.Sprintf("must be between 0 and 1, is %v", r.Quorum))
	}
	if r.Mode == "asynchronous" && r.Quorum == 0 && r.Timeout == 0 {
		report("quorum", "of 0 without a timeout would let nodes run on without hearing anybody")
	}
	if r.Staleness < 0 {
		report("staleness", fmt.Sprintf("must not be negative, is %d", r.Staleness))
	}
	if r.Timeout < 0 {
		report("timeout", fmt.Sprintf("must not be negative, is %v", r.Timeout))
	}
	if r.Retry <= 0 {
		report("retry", fmt.Sprintf("must be positive, is %v", r.Retry))
	}
	if r.Deadline <= 0 {
		report("deadline", fmt.Sprintf("must be positive, is %v", r.Deadline))
	}
}

// Algorithm is a method: its kind, its parameters, and where nodes start.
type Algorithm struct {
	Kind   string          `yaml:"kind" doc:"the method; see simulate list algorithms"`
	Init   algorithms.Init `yaml:"init" default:"zeros" doc:"starting point: zeros, or {normal: σ}"`
	Params any             `yaml:"-"` // what algorithms.Entry.Params returned, decoded
}

// Privacy is a target for the claimed loss, and how loss is stated.
type Privacy struct {
	Epsilon *float64 `yaml:"epsilon" doc:"privacy target ε, greater than 0: the method's noise is scaled until its loss, claimed or certified as by says, is this; default: none, and the noise that algorithm gives stands"`
	Over    string   `yaml:"over" default:"run" enum:"run,round" doc:"what the target is for: the whole run, or each round"`
	By      string   `yaml:"by" default:"claim" enum:"claim,certificate" doc:"what is to meet the target: the method's claim, as the method composes it, or the run's certificate at delta, which the law of the noise proves and which needs much less noise for the same guarantee; certificates are of whole runs"`
	Delta   float64  `yaml:"delta" default:"1e-5" doc:"δ at which certificates and the (ε, δ) loss of mechanisms that are not pure are stated"`
}

// ByCertificate says whether the certificate is to meet the target.
func (p Privacy) ByCertificate() bool { return p.By == "certificate" }

// Check reports targets that mean nothing.
func (p Privacy) Check(report func(field, problem string)) {
	if p.Epsilon != nil && !(*p.Epsilon > 0) {
		report("epsilon", fmt.Sprintf("must be greater than 0, is %v; for no target, so that the noise of algorithm "+
			"stands, leave it out (--set privacy={})", *p.Epsilon))
	}
	if p.Epsilon == nil && p.ByCertificate() {
		report("by", "is what is to meet the target epsilon, and there is none; add one, or leave by out: "+
			"run.json has every run's certificate")
	}
	if p.Over == "round" && p.ByCertificate() {
		report("by", "cannot be certificate with over: round, as a certificate is of a whole run; take over: run, or "+
			"by: claim")
	}
	if !(p.Delta > 0 && p.Delta < 1) {
		report("delta", fmt.Sprintf("must be between 0 and 1, is %v", p.Delta))
	}
}

// Solver is the precision of solves.
type Solver struct {
	Tolerance float64 `yaml:"tolerance" default:"1e-10" doc:"a solve ends when ‖∇‖ ≤ tolerance·max(1, ‖q‖); one that cannot is an error. Over split columns hub and parties solve as far as rounding allows, whatever the tolerance"`
}

// Check reports a tolerance that cannot be met or means nothing.
func (s Solver) Check(report func(field, problem string)) {
	if !(s.Tolerance >= 1e-13 && s.Tolerance < 1) {
		report("tolerance", fmt.Sprintf("must be between 1e-13, where rounding ends it, and 1, is %v", s.Tolerance))
	}
}

// Record says what a run keeps besides metrics.
type Record struct {
	Iterates Iterates `yaml:"iterates" doc:"which published iterates"`
	Messages string   `yaml:"messages" default:"all" enum:"all,none" doc:"whether every packet is kept"`
	Rates    string   `yaml:"rates" default:"auto" enum:"auto,on,off" doc:"whether run.json has the rates and the excess risk that theorems prove, beside the measured ones; auto: up to 50 nodes, and where it takes about a second at most, which wide rows may exceed; on: up to 400, which may take minutes, and the table of simulate run has them too"`
	Trace    string   `yaml:"trace" default:"fingerprints" enum:"fingerprints,digest,off" doc:"fingerprints let verify name the first event that differs, a digest only the epoch"`
}

// Iterates says which rounds' iterates are kept.
type Iterates struct {
	Keep  string `yaml:"keep" default:"all" enum:"all,last,none" doc:"all rounds, the last one, or none"`
	Every int    `yaml:"every" doc:"keep every so many rounds, instead of all"`
}

// Whole says whether those of all rounds are.
func (i Iterates) Whole() bool { return i.Keep == "all" && i.Every <= 1 }

// UnmarshalText reads all, last or none.
func (i *Iterates) UnmarshalText(text []byte) error {
	switch i.Keep = string(text); i.Keep {
	case "all", "last", "none":
		return nil
	}
	return fmt.Errorf("must be all, last, none or {every: k}, is %q", text)
}

// Check reports an interval that is none.
func (i Iterates) Check(report func(field, problem string)) {
	if i.Every < 0 {
		report("every", fmt.Sprintf("must be positive, is %d", i.Every))
	}
}

// later are keys of the language that this version has nothing behind.
var later = map[string]string{
	"problem.partition.columns": "columns are split by problem.columns",
}

// Check reports a name that is no directory's.
func (s *Scenario) Check(report func(field, problem string)) {
	naming(s.Name).Check(report)
	if s.Algorithm.Kind == "" {
		report("algorithm", "must have a kind, such as admm")
	}
}

// naming is a scenario's name, which is wrong or right whatever else the scenario has.
type naming string

// Check reports that there is no name, or one with letters that a directory's does not have everywhere.
func (n naming) Check(report func(field, problem string)) {
	if n == "" {
		report("name", "must be given: letters, digits, '-', '_' and '.'")
	}
	for k, r := range n {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_'
		if !letter && (r != '.' || k == 0) {
			report("name", fmt.Sprintf("must consist of letters, digits, '-', '_' and '.', is %q", string(n)))
			break
		}
	}
}
