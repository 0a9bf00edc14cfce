// The language of fault plans: which keys go together, and that every kind of
// fault can be written, read, explained and drawn.

package scenarios

import (
	"strings"
	"testing"

	"overhear/sim"
)

func TestFaults_MistakesHavePlaces(t *testing.T) {
	const oneOf = "network.faults[0] must have exactly one of " +
		"partition, crash, slow, link, join, leave, crashes, availability, sessions and diurnal, has "
	for fault, want := range map[string]string{
		"{at: 1s}":                        "4:1: " + oneOf + "none",
		"{crash: 1, slow: 2}":             "4:1: " + oneOf + "crash and slow",
		"{join: 1, leave: 2, slow: 3}":    "4:1: " + oneOf + "slow and join and leave",
		"{crash: 1, factor: 1}":           "4:20: network.faults[0].factor is for slow and link, not for crash",
		"{slow: 1, factor: 2, loss: 0.5}": "4:28: network.faults[0].loss is for link, not for slow",
		"{slow: 1, factor: -2, memory: kept}": "4:19: network.faults[0].factor must be positive, is -2\n" +
			"t.yaml:4:31: network.faults[0].memory is for crash, not for slow",
		"{crashes: {every: 1s}}":                  "4:11: network.faults[0].crashes.for must be a positive duration",
		"{crashes: {every: 1s, for: 1s, nod: 1}}": "4:32: unknown key \"nod\" in network.faults[0].crashes",
		"{crash: x, memory: gone}":                "4:9: network.faults[0].crash must be a whole number, is \"x\"",
		"{crash: 1, at: 5s, until: 2s}":           "4:27: network.faults[0].until must be after at, which is 5s, is 2s",
		"{availability: {file: a.csv}}":           "4:16: network.faults[0].availability.end must say what comes after",
		"{sessions: {set: cad}}":                  "4:18: network.faults[0].sessions.set must be one of kad",
		"{sessions: {up: 2s, down: {kind: pareto, scale: 1s, shape: 0.9}}}": "4:27: network.faults[0].sessions.down " +
			"must have a mean: a shape above 1; it is 0.9",
		"{diurnal: {profile: [0.4, 1.1]}}":              "4:21: network.faults[0].diurnal.profile must have shares",
		"{diurnal: {profile: [0.4, 0.1], local: true}}": "4:11: network.faults[0].diurnal needs nodes on sites",
		"{foobarbaz: 1}": "4:2: unknown key \"foobarbaz\" in network.faults[0]; known keys: " +
			"at, until, partition, crash, memory, slow, link, factor, loss, join, leave, crashes, availability, " +
			"sessions, diurnal",
	} {
		// Alone on a line, so that columns count from its beginning.
		text := "network: {topology: {kind: ring, nodes: 5}, faults: [\n" + fault + "]}\n"
		text = strings.Replace(minimal, "network: {topology: {kind: ring, nodes: 5}}\n", text, 1)
		_, err := Parse("t.yaml", []byte(text))
		if err == nil || !strings.Contains(err.Error(), "t.yaml:"+want) {
			t.Errorf("%s\n gave %v\n want %s", fault, err, want)
		}
	}
}

// Every kind that there is can be drawn or given, written and read again.
func TestFaults_ReadBackTheSame(t *testing.T) {
	graph, err := sim.NewGraph(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 0}})
	if err != nil {
		t.Fatal(err)
	}
	plan := sim.FaultPlan{
		{At: 1e9, Kind: sim.Leave{Node: 0}},
		{Until: 1e9, Kind: sim.Crash{Node: 0}},
		{Kind: sim.SlowNode{Node: 0, Factor: new(3.0)}},
		{Kind: sim.BadLink{Link: [2]int{0, 1}, Loss: 0.25}},
		{Kind: sim.RandomCrashes{Rate: sim.CrashRate{Every: 1e9, For: 1e6, Nodes: []int{0, 2}}}},
		{Kind: sim.TracedAvailability{Trace: &sim.AvailabilityTrace{File: "a.csv", End: "repeat", Start: new(3.0),
			Placement: &sim.Placement{Kind: "shares", Shares: map[string]float64{"phone": 2, "car": 1}}}}},
		{Kind: sim.TracedAvailability{Trace: &sim.AvailabilityTrace{End: "up", Stretch: 0.5,
			Spans: map[string][][2]sim.Duration{"phone": {{0, 1e9}, {2e9, 3e9}}, "car": {{1, 2e9}}}}}},
		{Kind: sim.Churn{Sessions: &sim.Sessions{Set: "kad", Stretch: 0.001, Memory: "lost"}}},
		{Kind: sim.Churn{Sessions: &sim.Sessions{Up: &sim.Latency{Kind: "weibull", Scale: 1e9, Shape: 0.5},
			Down: &sim.Latency{Kind: "constant", Value: 1e9}, Nodes: []int{1}}}},
		{Kind: sim.DiurnalAvailability{Diurnal: &sim.Diurnal{Profile: []float64{0.4, 0.1}, Begins: 1e9, Local: true}}},
	}
	s := sim.NewStream(1, "test")
	for range 100 {
		if f, ok := sim.RandomFault(s, graph, 1e9, plan); ok {
			plan = append(plan, f)
		}
	}
	seen := map[string]bool{}
	for _, f := range plan {
		seen[f.Kind.Key()] = true
	}
	for _, k := range sim.FaultKinds() {
		if !seen[k.Key()] {
			t.Errorf("%s is not tried", k.Key())
		}
		if text, err := Explain("network.faults"); err != nil || !strings.Contains(text, "\n  "+k.Key()+" ") {
			t.Errorf("%s is not explained: %v", k.Key(), err)
		}
		if !strings.Contains(string(Schema()), "\""+k.Key()+"\": {") {
			t.Errorf("%s is not in the schema", k.Key())
		}
	}
	before, err := Parse("t.yaml", []byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	before.Network.Faults = plan
	before.Network.Latency = sim.Latency{Kind: "matrix", Set: "aws", Times: "round-trip"}
	after, err := Parse("resolved", []byte(before.Resolved()))
	if err != nil {
		t.Fatal(err)
	}
	if !alike(before, after) {
		t.Errorf("the plan changes when it is written and read:\n%v\n%v", plan, after.Network.Faults)
	}
}

// An empty entry of a list is no default, and what is given for each node is for as many as
// there are: each mistake has its place.
func TestParse_EmptyEntriesAndWrongLengthsHavePlaces(t *testing.T) {
	const text = `name: x
problem: {data: wdbc}
network:
  topology: {kind: ring, nodes: 5}
  faults: [null]
compute: {speeds: [1, 2]}
algorithm: {kind: m-admm, eta: {nodes: [1, 2, 3]}}
`
	_, err := Parse("x.yaml", []byte(text))
	if err == nil || err.Error() != "x.yaml:5:12: network.faults[0] has no value; it must be a mapping" {
		t.Errorf("%v", err)
	}
	_, err = Parse("x.yaml", []byte(text), "network.faults=[]")
	want := "x.yaml:6:19: compute.speeds must have a value for each of 5 nodes, has 2\n" +
		"x.yaml:7:40: algorithm.eta.nodes must have a value for each of 5 nodes, has 3"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}
