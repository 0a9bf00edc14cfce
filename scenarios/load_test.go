// The language: what is accepted, what is refused and with which words.

package scenarios

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

const minimal = `name: t
problem: {data: wdbc}
network: {topology: {kind: ring, nodes: 5}}
algorithm: {kind: admm}
`

// Mistakes of parts that have nothing to do with each other are reported at once, and what follows from one is not.
func TestParse_ReportsAllMistakesAndNoConsequences(t *testing.T) {
	for _, c := range []struct{ old, written, want string }{
		{"name: t\n", "rounds: {coutn: 3}\ncompute: {speeds: [1, 2]}\n", "t.yaml:1:1: name must be given: letters, " +
			"digits, '-', '_' and '.'\n" +
			"t.yaml:1:10: unknown key \"coutn\" in rounds; did you mean \"count\"?\n" +
			"t.yaml:2:19: compute.speeds must have a value for each of 5 nodes, has 2"},
		{"nodes: 5}", "nodes: 5}, faults: [{slow: 7, factor: 2}], loss: x",
			"t.yaml:3:83: network.loss must be a number, is \"x\""},
		{"name: t\n", "", "t.yaml:1:1: name must be given: letters, digits, '-', '_' and '.'"},
		{"kind: admm", "kind: adm",
			"t.yaml:4:19: algorithm.kind: there is no algorithm \"adm\"; did you mean \"admm\"?"},
		{"problem: {", "problm: {", "t.yaml:2:1: unknown key \"problm\" at the top; did you mean \"problem\"?"},
		{"data: wdbc", "dta: wdbc", "t.yaml:2:11: unknown key \"dta\" in problem; did you mean \"data\"?"},
		{"topology: {", "topolgy: {", "t.yaml:3:11: unknown key \"topolgy\" in network; did you mean \"topology\"?"},
		{"name: t\n", "nam: t\n", "t.yaml:1:1: unknown key \"nam\" at the top; did you mean \"name\"?"},
		{"name: t\n", "name: [t]\n", "t.yaml:1:7: name must be a text, is a list"},
	} {
		_, err := Parse("t.yaml", []byte(strings.Replace(minimal, c.old, c.written, 1)))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) ||
			strings.Count(err.Error(), "\n") != strings.Count(c.want, "\n") {
			t.Errorf("%s: %v\nnot\n%s", c.written, err, c.want)
		}
	}
}

// A name is marked beside whatever else is wrong.
func TestParse_ReportsNamesBesideOtherMistakes(t *testing.T) {
	const wrong = "t.yaml:1:7: name must consist of letters, digits, '-', '_' and '.', is \"my run\"\n"
	const none = "t.yaml:1:1: name must be given: letters, digits, '-', '_' and '.'\n"
	for _, c := range []struct{ old, written, want string }{
		{"kind: admm", "kind: adm", "t.yaml:4:19: algorithm.kind: there is no algorithm \"adm\"; did you mean"},
		{"kind: admm", "kind: admm, eta: x", "t.yaml:4:30: algorithm.eta must be a number, is \"x\""},
		{"kind: admm", "kind: admm, eta: -1", "t.yaml:4:30: algorithm.eta must be positive, is -1; auto"},
		{"kind: admm", "eta: 1", "t.yaml:4:12: algorithm must have a kind, one of admm, "},
		{"nodes: 5", "nodes: 0", "t.yaml:3:41: network.topology.nodes must be at least 1, is 0"},
	} {
		text := strings.Replace(minimal, c.old, c.written, 1)
		for name, said := range map[string]string{"name: my run\n": wrong, "about: x\n": none, "name: t\n": ""} {
			_, err := Parse("t.yaml", []byte(strings.Replace(text, "name: t\n", name, 1)))
			if err == nil || !strings.HasPrefix(err.Error(), said+c.want) || strings.Count(err.Error(), "name must") !=
				strings.Count(said, "\n") || strings.Count(err.Error(), "\n") != strings.Count(said, "\n") {
				t.Errorf("%q, %s: %v\nnot\n%s", name, c.written, err, said+c.want)
			}
		}
	}
	text := strings.Replace(minimal, "name: t\n", "name: my run\n", 1) + "ruonds: {count: 3}\n"
	_, err := Parse("t.yaml", []byte(text))
	if err == nil || !strings.HasPrefix(err.Error(), wrong+"t.yaml:5:1: unknown") {
		t.Errorf("beside a key that is none: %v", err)
	}
}

func TestParse_MistakesHavePlaces(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "t.yaml:1:1: the file is empty"},
		{"a: [", "this is not YAML"},
		{"name: t\nrounds: [1\nx: 2\n", "t.yaml:3:2: this is not YAML: did not find expected"},
		{minimal + "rounds: {count: 3", "t.yaml:5:9: this is not YAML: did not find expected ',' or '}'"},
		{minimal + "rounds: {count: 3\n\n", "t.yaml:5:9: this is not YAML: did not find expected ',' or '}'"},
		{minimal + "about: \"x\nties: ordered\n", "t.yaml:5:8: this is not YAML: found unexpected end of stream"},
		{minimal + "rounds\nties: ordered\n", "t.yaml:5:1: this is not YAML: could not find expected ':'"},
		{minimal + "rounds", "t.yaml:5:1: this is not YAML: could not find expected ':'"},
		{"- 1\n", "t.yaml:1:1: a scenario is a mapping"},
		{minimal + "---\nname: u\n", "a second document"},
		{minimal + "ruonds: {count: 3}\n", `t.yaml:5:1: unknown key "ruonds" at the top; did you mean "rounds"?`},
		{minimal + "rounds: {count: many}\n", `t.yaml:5:17: rounds.count must be a whole number, is "many"`},
		{minimal + "rounds: {count: 0}\n", "t.yaml:5:17: rounds.count must be at least 1, is 0"},
		{minimal + "rounds: {mode: " +
			"asynchronus}\n",
			`rounds.mode must be one of synchronous, asynchronous, is "asynchronus"; did you mean "asynchronous"?`},
		{minimal + "rounds: {quorum: 0.5}\n", "t.yaml:5:18: rounds.quorum is a parameter of mode asynchronous; here " +
			"mode is synchronous"},
		{minimal + "rounds: {mode: asynchronous, quorum: 0, timeout: 0s}\n", "rounds.quorum of 0 without a timeout"},
		{minimal + "compute: {speeds: [1, 0]}\n", "compute.speeds must be positive, one is 0"},
		{minimal + "rounds: [3]\n", "t.yaml:5:9: rounds must be a mapping, is a list"},
		{minimal + "name: again\n", "t.yaml:5:1: name is given twice"},
		{minimal + "adversary: {attacks: [kkt-inversoin]}\n",
			`t.yaml:5:23: adversary.attacks[0] names no attack: "kkt-inversoin"; did you mean "kkt-inversion"?`},
		{minimal + "adversary: {attacks: [{kind: kkt-inversion, runs: 5}]}\n",
			`adversary.attacks[0].runs is a number of runs for membership, is 5 for "kkt-inversion"`},
		{minimal + "adversary: {view: {links: [[0, 1]], nodes: [2]}}\n",
			"t.yaml:5:44: adversary.view.nodes must stand without links"},
		{minimal + "adversary: {view: {links: []}}\n", "t.yaml:5:27: adversary.view.links names no edge"},
		{minimal + "adversary: {view: {nodes: []}}\n", "adversary.view.nodes names no node"},
		{minimal + "adversary: {view: {nodes: [1, 2, 1]}}\n", "adversary.view.nodes has node 1 twice, at 0 and 2"},
		{minimal + "adversary: {view: {links: [[0, 1], [1, 0]]}}\n", "view.links has the edge 1 to 0 twice"},
		{minimal + "adversary: {view: {miss: 1}}\n", "adversary.view.miss must be at least 0 and below 1, is 1"},
		{minimal + "adversary: {knows: {victim: everyone}}\n",
			`adversary.knows.victim must be a node, from 0, or all, is "everyone"`},
		{minimal + "adversary: {audit: {pair: {a: [1], b: [1, 2]}}}\n",
			"adversary.audit.pair must have a and b of the same length, has 1 and 2"},
		{minimal + "adversary: {audit: {pair: {a: [3, 4], b: [0, 1]}}}\n",
			"t.yaml:5:31: adversary.audit.pair.a must have norm at most 1, has norm 5"},
		{minimal + "adversary: {audit: {pair: {a: [0, 1], b: [1, 0.001]}}}\n",
			"t.yaml:5:42: adversary.audit.pair.b must have norm at most 1, has norm 1"},
		{minimal + "adversary: {audit: {pair: {a: [.nan, 1], b: [1, 0]}}}\n", "adversary.audit.pair.a"},
		{minimal + "adversary: {audit: {pair: {a: [0.6, 0.8], b: [0.6, 0.8]}}}\n",
			"t.yaml:5:46: adversary.audit.pair.b must differ from a"},
		{minimal + "ties: random\n", "ties must be one of ordered, shuffled"},
		{strings.Replace(minimal, "wdbc", "wdcb", 1), "t.yaml:2:17: problem.data must be a built-in set"},
		{strings.Replace(minimal, "ring", "rign", 1), `did you mean "ring"?`},
		{strings.Replace(minimal, "nodes: 5", "nodes: -5", 1),
			"t.yaml:3:41: network.topology.nodes must be at least 1, is -5"},
		{strings.Replace(minimal, "kind: ring, nodes: 5", "kind: random-regular, nodes: 5, degree: -1", 1),
			"network.topology.degree must be between 1 and 4 for 5 nodes, is -1"},
		{strings.Replace(minimal, "kind: admm", "kind: admn", 1),
			`t.yaml:4:19: algorithm.kind: there is no algorithm "admn"; did you mean "admm"?`},
		{strings.Replace(minimal, "kind: admm", "kind: admm, eta: -1", 1),
			"t.yaml:4:30: algorithm.eta must be positive, is -1"},
		{strings.Replace(minimal, "kind: admm", "kind: admm, theta: 1", 1), `unknown key "theta" in algorithm`},
		{strings.Replace(minimal, "{topology", "{latency: 20, topology", 1),
			`network.latency must be a duration with a unit`},
		{strings.Replace(minimal, "{topology", "{latency: {kind: pareto, scale: 1ms}, topology", 1),
			`network.latency.shape must be positive`},
		{strings.Replace(minimal, "kind: ring, nodes: 5", "kind: k-nearest, nodes: 5, nearest: 2", 1),
			"t.yaml:3:21: network.topology of kind k-nearest follows the sites on which the nodes are"},
		{strings.Replace(minimal, "kind: ring, nodes: 5", "kind: k-nearest, nodes: 5, nearest: 5", 1),
			"network.topology.nearest must be between 1 and 4 for 5 nodes, is 5"},
		{strings.Replace(minimal, "{topology", "{latency: {kind: matrix}, topology", 1),
			"t.yaml:3:20: network.latency must have exactly one of set and file"},
		{strings.Replace(minimal, "{topology", "{latency: {kind: matrix, set: awss}, topology", 1),
			`t.yaml:3:40: network.latency.set must be one of aws, is "awss"`},
		{strings.Replace(minimal, "{topology", "{latency: {kind: matrix, set: aws, placement: {names: [x]}}, "+
			"topology", 1),
			`t.yaml:3:56: network.latency.placement names "x", which is no site; there are: af-south-1`},
		{strings.Replace(minimal, "{topology", "{latency: {kind: matrix, set: aws, placement: shares}, "+
			"topology", 1),
			"t.yaml:3:56: network.latency.placement must be turns, random or a mapping"},
		{strings.Replace(minimal, "{topology", "{latency: {kind: matrix, file: x, placement: {kind: list, "+
			"names: [a]}}, topology", 1),
			"t.yaml:3:75: network.latency.placement.names must have a value for each of 5 nodes, has 1"},
		{strings.Replace(minimal, "{topology", "{latency: {kind: matrix, set: aws, jitter: {kind: matrix, "+
			"set: aws}}, topology", 1), "t.yaml:3:53: network.latency.jitter must be a law of its own"},
		{strings.Replace(minimal, "{topology", "{links: [{between: [0, 1], latency: {kind: matrix, "+
			"set: aws}}], topology", 1), "network.links[0].latency cannot be a matrix"},
		{strings.Replace(minimal, "{topology", "{latency: {median: 20ms}, topology", 1),
			"t.yaml:3:29: network.latency.median is a parameter of kind lognormal; here kind is constant"},
		{strings.Replace(minimal, "nodes: 5", "nodes: 5, degree: 4", 1),
			"network.topology.degree is a parameter of kind random-regular; here kind is ring"},
		{strings.Replace(minimal, "data: wdbc", "data: {set: wdbc, label: y}", 1),
			"problem.data.label is not read for this source"},
		{strings.Replace(minimal, "data: wdbc", "rho: 0.1", 1), "problem.data must have exactly one of"},
		{strings.Replace(minimal, "name: t", "name: a/b", 1), "t.yaml:1:7: name must consist of letters"},
	} {
		_, err := Parse("t.yaml", []byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q\n gave  %v\n want  %s", c.text, err, c.want)
		}
	}
}

func TestParse_AllMistakesAtOnce(t *testing.T) {
	_, err := Parse("t.yaml", []byte("name: t\nproblem: {data: wdbc, rho: x, C: y}\nnetwork: {topology: {kind: ring, "+
		"nodes: 1}}\nalgorithm: {kind: none}\n"))
	m, ok := err.(Mistakes)
	if !ok || len(m) != 4 {
		t.Fatalf("want four mistakes, got %v", err)
	}
	for k := 1; k < len(m); k++ {
		if m[k].line < m[k-1].line {
			t.Error("mistakes are out of order")
		}
	}
}

func TestParse_Set(t *testing.T) {
	s, err := Parse("t.yaml", []byte(minimal), "algorithm.eta=0.3", "network.topology.nodes=20",
		"network.latency.kind=lognormal",
		"network.latency.median=50ms", "problem.data.set=twonorm", "problem.data.rows=50",
		"network.links=[{between: [0, 1], loss: 0.5}]", "network.links.0.loss=0.25")
	if err != nil {
		t.Fatal(err)
	}
	if s.Network.Topology.Nodes != 20 || s.Network.Latency.Median != 50e6 || s.Problem.Data.Rows != 50 ||
		*s.Network.Links[0].Loss != 0.25 {
		t.Errorf("%+v", s)
	}
	for set, want := range map[string]string{
		"algorithm.etta=1":   `--set algorithm.etta=1: unknown key "etta" in algorithm; did you mean "eta"?`,
		"rounds.count=x":     `--set rounds.count=x: rounds.count must be a whole number`,
		"rounds":             "--set rounds: must be path=value",
		"name.first=x":       `name must be a text, is a mapping`,
		"network.links.4=0":  "must be a list",
		"rounds.count=[1, 2": "the value is not YAML",
	} {
		if _, err := Parse("t.yaml", []byte(minimal), set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gave %v, want %s", set, err, want)
		}
	}
}

// alike says whether two scenarios say the same, wherever they were read.
func alike(a, b *Scenario) bool {
	x, y := *a, *b
	x.origin, y.origin = nil, nil
	return reflect.DeepEqual(x, y)
}

func TestResolved_ReadsBackTheSame(t *testing.T) {
	shipped, err := Shipped()
	if err != nil {
		t.Fatal(err)
	}
	if len(shipped) < 4 {
		t.Fatal("scenarios are missing")
	}
	for _, s := range shipped {
		again, err := Parse("resolved", []byte(s.Resolved()))
		if err != nil {
			t.Fatalf("%s:\n%s\n%v", s.Name, s.Resolved(), err)
		}
		if !alike(s, again) || s.Hash() != again.Hash() {
			t.Errorf("%s changes when it is written and read:\n%s", s.Name, s.Resolved())
		}
	}
}

// An option struct all of whose values are zero is written where it means something else than to leave it out: a run
// keeps its scenario in this form.
func TestResolved_HasZeros(t *testing.T) {
	for _, set := range []string{"compute={row: 0s, jitter: 0}", "compute={row: 0s, jitter: 0, speed-spread: 0}",
		"compute={row: 0s}", "compute={jitter: 0}"} {
		s, err := Parse("t.yaml", []byte(minimal), set)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("resolved", []byte(s.Resolved()))
		if err != nil || !alike(s, again) {
			t.Errorf("%s changes when it is written and read: %v\n%s", set, err, s.Resolved())
		}
	}
}

// What changes is a part of something that was given as one value, or not at all: the rest of it stays, also when the
// scenario has been written out.
func TestResolved_ChangesTheSame(t *testing.T) {
	for _, sets := range [][]string{
		{"network.latency=20ms", "changes=[{at: 1s, set: {network.latency.kind: constant}}]"},
		{"network.latency=20ms", "changes=[{at: 1s, set: {network.latency.value: 3ms}}]"},
		{"changes=[{at: 1s, set: {network.latency.kind: constant}}]"},
		{"changes=[{at: 1s, set: {network.latency: 3ms}}, {at: 2s, set: {network.latency.kind: constant}}]"},
		{"compute={law: 5ms}", "changes=[{at: 1s, set: {compute.law.kind: constant}}]"},
		{"changes=[{at: 1s, set: {compute.jitter: 0.5}}]"},
		{"network.links=[{between: [0, 1], latency: 30ms}]",
			"changes=[{at: 1s, set: {network.links.0.latency.kind: constant}}]"},
		{"changes=[{at: 1s, set: {rounds.deadline: 3s, network.loss: 0.1}}]"},
	} {
		s, err := Parse("t.yaml", []byte(minimal), sets...)
		if err != nil {
			t.Errorf("%q: %v", sets, err)
			continue
		}
		writtenAndRead(t, s)
	}
	// Of another kind the rest has to be given, too, as where all is written out.
	_, err := Parse("t.yaml", []byte(minimal), "network.latency=20ms",
		"changes=[{at: 1s, set: {network.latency.kind: uniform}}]")
	if err == nil || !strings.Contains(err.Error(), "value is a parameter of kind constant") {
		t.Error(err)
	}
}

// writtenAndRead fails where a scenario that has been written and read says something else at any time of its runs.
func writtenAndRead(t *testing.T, s *Scenario) {
	t.Helper()
	again, err := Parse("resolved", []byte(s.Resolved()))
	if err != nil {
		t.Errorf("it is accepted, but not when it has been written:\n%s\n%v", s.Resolved(), err)
		return
	}
	was, is := s.Phases(), again.Phases()
	if len(was) != len(is) || s.Hash() != again.Hash() {
		t.Errorf("it has %d phases and the hash %s, and %d and %s when it has been written and read:\n%s", len(was),
			s.Hash(), len(is), again.Hash(), s.Resolved())
		return
	}
	for k, p := range was {
		if q := is[k]; p.From != q.From || !alike(p.Scenario, q.Scenario) || p.Resolved() != q.Resolved() {
			t.Errorf("from %v on it is\n%s\nand when it has been written and read\n%s", p.From, p.Resolved(),
				q.Resolved())
		}
	}
}

// drawn is a scenario with values of all forms, and changes of wholes and of parts of them, of which many are mistakes.
func drawn(r *rand.Rand) []string {
	one := func(all ...string) string { return all[r.IntN(len(all))] }
	maybe := func(p float64, sets ...string) []string {
		if r.Float64() < p {
			return sets
		}
		return nil
	}
	duration := func() string {
		return one("0s", "1ns", "3ms", "20ms", "1.5s", "1h", fmt.Sprint(time.Duration(r.Int64N(1e12))))
	}
	number := func() string {
		return one("0", "1", "0.1", "0.3333333333333333", "5e-324", fmt.Sprint(r.Float64()),
			fmt.Sprint(100*r.Float64()))
	}
	bandwidth := func() string {
		return one("unlimited", "1Mbit/s", "10Gbit/s", "333kbit/s", fmt.Sprintf("%dbit/s", 1+r.Int64N(1e12)),
			fmt.Sprintf("%vMbit/s", 1e3*r.Float64()))
	}
	law := func() string {
		return one(duration(), "{kind: constant, value: "+duration()+"}", "{value: "+duration()+"}",
			"{kind: uniform, low: 1ms, high: "+duration()+"}", "{kind: exponential, mean: "+duration()+"}",
			"{kind: lognormal, median: "+duration()+", sigma: "+number()+"}",
			"{kind: pareto, scale: "+duration()+", shape: "+number()+"}")
	}
	compute := func() string {
		return one("{row: "+duration()+"}", "{jitter: "+number()+"}", "{row: 0s, jitter: 0}", "{law: "+law()+"}", "{}",
			"{speed-spread: "+number()+"}", "{speeds: [1, 2, 1, "+number()+", 1]}")
	}
	faults := func() string {
		return one("[]", "[{crash: 1, at: 1s, until: 3s, memory: lost}]", "[{slow: 2, factor: "+number()+"}]",
			"[{at: 1s, partition: [[0, 1], [2, 3, 4]], until: 3s}]", "[{slow: 0, factor: 3}, {leave: 1, at: "+
				duration()+"}]", "[{sessions: {up: "+duration()+", down: 20ms}}]")
	}
	links := func() string {
		return one("[]", "[{between: [0, 1], latency: "+law()+"}]", "[{between: [1, 2], loss: "+number()+"}]",
			"[{between: [0, 4], bandwidth: "+bandwidth()+", duplication: "+number()+"}]")
	}
	assignment := func() string {
		return one("network.latency: "+law(), "network.latency.kind: "+one("constant", "uniform", "exponential"),
			"network.latency.value: "+duration(), "network.latency.mean: "+duration(), "network.loss: "+number(),
			"network.bandwidth: "+bandwidth(), "network.duplication: "+number(), "network.header: 40",
			"network.faults: "+faults(), "network.faults.0.factor: "+number(), "network.links: "+links(),
			"network.links.0.latency: "+law(), "network.links.0.latency.kind: constant",
			"network.links.0.loss: "+number(), "network.links.0.latency.value: "+duration(),
			"network.faults.0.until: "+duration(), "network.faults.0.sessions.down: "+duration(),
			"compute: "+compute(), "compute.row: "+duration(), "compute.jitter: "+number(), "compute.law: "+law(),
			"compute.law.kind: constant", "compute.law.value: "+duration(), "compute.speed-spread: "+number(),
			"rounds.retry: "+duration(), "rounds.deadline: "+duration(), "rounds.quorum: "+one("1", "2", "0.5", "all"),
			"rounds.timeout: "+duration(), "rounds.staleness: 3", "algorithm.eta: "+number(),
			"algorithm.alpha: "+number())
	}
	sets := slices.Concat(
		maybe(0.5, "network.latency="+law()), maybe(0.3, "network.bandwidth="+bandwidth()),
		maybe(0.3, "network.loss="+number(), "network.duplication="+number()), maybe(0.3, "network.links="+links()),
		maybe(0.3, "network.faults="+faults()), maybe(0.5, "compute="+compute()),
		maybe(0.3, "rounds.retry="+duration()), maybe(0.3, "rounds.deadline="+duration()),
		maybe(0.4, "rounds.mode=asynchronous", "rounds.timeout="+duration()))
	if r.IntN(5) > 0 {
		var changes []string
		for k := range 1 + r.IntN(3) {
			changes = append(changes, fmt.Sprintf("{at: %ds, set: {%s}}", k+1,
				strings.Join(slices.Concat([]string{assignment()}, maybe(0.3, assignment())), ", ")))
		}
		sets = append(sets, "changes=["+strings.Join(changes, ", ")+"]")
	}
	return sets
}

// What a scenario says stays when it is written and read, however it was given.
func TestResolved_Drawn(t *testing.T) {
	seen, changing := 0, 0
	for k := range uint64(800) {
		sets := drawn(rand.New(rand.NewPCG(k, 1)))
		s, err := Parse("t.yaml", []byte(minimal), sets...)
		if err != nil {
			continue
		}
		seen++
		if len(s.Changes) > 0 {
			changing++
		}
		if writtenAndRead(t, s); t.Failed() {
			t.Fatalf("%q", sets)
		}
	}
	if t.Logf("%d scenarios, %d of them with changes", seen, changing); seen < 100 || changing < 50 {
		t.Error("too few of them are scenarios")
	}
}

func TestHash_CoversWhatDeterminesARun(t *testing.T) {
	base, _ := Parse("t.yaml", []byte(minimal))
	for set, same := range map[string]bool{"seeds.count=9": true, "about=x": true, "algorithm.eta=0.4": false,
		"network.loss=0.1": false, "problem.rho=1": false, "record.iterates=none": false} {
		s, err := Parse("t.yaml", []byte(minimal), set)
		if err != nil {
			t.Fatal(err)
		}
		if (s.Hash() == base.Hash()) != same {
			t.Errorf("%s: same hash %v, want %v", set, !same, same)
		}
	}
}

func TestTemplate_IsAScenario(t *testing.T) {
	s, err := Parse("new.yaml", []byte(Template()))
	if err != nil {
		t.Fatal(err)
	}
	// Every commented line, when it is uncommented, is still the scenario.
	var active []string
	for line := range strings.Lines(Template()) {
		trimmed := strings.TrimLeft(line, " ")
		if key, ok := strings.CutPrefix(trimmed, "# "); ok {
			if name, rest, ok := strings.Cut(key, ": "); ok && !strings.Contains(name, " ") &&
				len(strings.Fields(rest)) == 1 {
				line = strings.Replace(line, "# ", "", 1)
			}
		}
		active = append(active, line)
	}
	again, err := Parse("new.yaml", []byte(strings.Join(active, "")))
	if err != nil || !alike(s, again) {
		t.Errorf("the defaults the template shows are not the defaults: %v", err)
	}
}

// asJSON turns a scenario's YAML into what a JSON Schema validator takes.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	out, err := jsonschema.UnmarshalJSON(strings.NewReader(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSchema(t *testing.T) {
	text, err := jsonschema.UnmarshalJSON(strings.NewReader(string(Schema())))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scenario.json", text); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("scenario.json")
	if err != nil {
		t.Fatal(err)
	}
	names, _ := files.ReadDir(".")
	for _, f := range names {
		text, _ := files.ReadFile(f.Name())
		if err := schema.Validate(asJSON(t, string(text))); err != nil {
			t.Errorf("%s does not match the schema: %v", f.Name(), err)
		}
	}
	for _, change := range [][2]string{
		{"topology", "topolgy"},
		{"kind: ring", "kind: rung"},
		{"nodes: 5", "nodes: five"},
		{"nodes: 5", "nodes: 0"},
		{"nodes: 5", "nodes: 5.5"},
		{"kind: admm", "kind: admm, etta: 3"},
		{"kind: admm", "kind: admn"},
		{"data: wdbc", "data: wdbx"},
		{"data: wdbc", "data: {set: wdbx}"},
		{"data: wdbc", "data: {set: twonorm, rows: -5}"},
		{"data: wdbc", "data: {csv: f.csv, missing-in: [99]}"},
		{"data: wdbc", "data: {csv: f.csv, missing-in: {q1: 99}}"},
		{"data: wdbc", "data: wdbc, rho: -1"},
		{"data: wdbc", "data: wdbc, C: -1"},
		{"data: wdbc", "data: wdbc, loss: hinge"},
		{"data: wdbc", "data: wdbc, partition: {kind: dirichlet, alpha: -1}"},
		{"name:", "rounds: {count: 0}\nname:"},
		{"name:", "rounds: {count: 10, quorum: -0.1}\nname:"},
		{"name:", "seeds: {first: -1}\nname:"},
		{"name:", "adversary: {audit: {runs: 9}}\nname:"},
	} {
		bad := strings.Replace(minimal, change[0], change[1], 1)
		if bad == minimal {
			t.Fatalf("nothing is replaced by %q", change)
		}
		err := schema.Validate(asJSON(t, bad))
		invalid, ok := err.(*jsonschema.ValidationError)
		if !ok {
			t.Errorf("the schema accepts %q: %v", change[1], err)
			continue
		}
		if all := leaves(invalid); len(all) != 1 {
			t.Errorf("%q is one mistake and has %d errors: %v", change[1], len(all), all)
		}
		if _, err := Parse("bad.yaml", []byte(bad)); err == nil {
			t.Errorf("the schema rejects %q, which the program takes", change[1])
		}
	}
	good := strings.Replace(minimal, "data: wdbc", "data: {csv: f.csv, missing-in: {q1: [99, x]}}", 1)
	if err := schema.Validate(asJSON(t, good)); err != nil {
		t.Errorf("a mapping by names: %v", err)
	}
	if schema.Validate(asJSON(t, "name: t\n")) == nil {
		t.Error("the schema accepts a name alone")
	}
}

// leaves are the errors without causes of their own.
func leaves(e *jsonschema.ValidationError) []string {
	if len(e.Causes) == 0 {
		return []string{e.Error()}
	}
	var all []string
	for _, c := range e.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

func TestExplain(t *testing.T) {
	for name, want := range map[string]string{
		"admm": "argmin", "wdbc": "569 rows", "distance": "f*", "network.latency": "lognormal",
		"rounds.count": "default: 100",
	} {
		if text, err := Explain(name); err != nil || !strings.Contains(text, want) {
			t.Errorf("explain %s: %v\n%s", name, err, text)
		}
	}
	if _, err := Explain("amdm"); err == nil || !strings.Contains(err.Error(), `did you mean "admm"?`) {
		t.Errorf("explain amdm: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(minimal, "algorithm.eta=0.3")
	f.Add("a: &x [*x]", "a.0=1")
	f.Add("? {a: b}\n: c\n", "=")
	f.Fuzz(func(t *testing.T, text, set string) {
		s, err := Parse("f.yaml", []byte(text), set)
		if err == nil {
			writtenAndRead(t, s)
		} else if _, ok := err.(Mistakes); !ok {
			t.Errorf("the error is not a list of mistakes: %v", err)
		}
	})
}

// One sign is itself, though it means something in YAML and a shell has taken its quotes; what is no YAML is told
// what would be.
func TestSet_Signs(t *testing.T) {
	text := []byte("name: n\nproblem: {data: {csv: f}}\nnetwork: {topology: {kind: ring, nodes: 3}}\n" +
		"algorithm: {kind: admm}\n")
	for _, c := range []struct{ set, decimal, separator string }{
		{"problem.data.decimal=,", ",", ""}, {`problem.data.decimal=","`, ",", ""}, {"problem.data.separator=|", "",
			"|"},
		{"problem.data.separator=;", "", ";"}, {"problem.data.separator=*", "", "*"},
	} {
		s, err := Parse("f", text, c.set)
		if err != nil {
			t.Errorf("%s: %v", c.set, err)
		} else if s.Problem.Data.Decimal != c.decimal || s.Problem.Data.Separator != c.separator {
			t.Errorf("%s gave %+v", c.set, s.Problem.Data)
		}
	}
	s, err := Parse("f", text, `problem.data.missing=["-", "--", k.A., N/A]`)
	if err != nil || !slices.Equal(s.Problem.Data.Missing, []string{"-", "--", "k.A.", "N/A"}) {
		t.Errorf("missing: %v, %v", s, err)
	} else if again, err := Parse("f", text, Assign("problem.data", s.Problem.Data)); err != nil ||
		!slices.Equal(again.Problem.Data.Missing, s.Problem.Data.Missing) {
		t.Errorf("as a key, read again: %v, %v", again, err)
	}
	for set, want := range map[string]string{
		"problem.data.missing=[-]": `a text of signs is quoted, and the whole is for the shell`,
		"problem.data.decimal=":    "the value is not YAML: it is empty",
	} {
		if _, err := Parse("f", text, set); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", set, err, want)
		}
	}
}

// A target of 0 is no target, and is not taken for one in silence.
func TestPrivacy_NoTarget(t *testing.T) {
	text := []byte("name: n\nproblem: {data: wdbc}\nnetwork: {topology: {kind: ring, nodes: 3}}\n" +
		"privacy: {epsilon: 2}\nalgorithm: {kind: dvp, alpha: 1}\n")
	for _, zero := range []string{"0", "-1", "0.0", "-0"} {
		_, err := Parse("f", text, "privacy.epsilon="+zero)
		if err == nil || !strings.Contains(err.Error(), "privacy.epsilon must be greater than 0, is "+
			strings.TrimSuffix(zero, ".0")+"; for no target") {
			t.Errorf("epsilon %s: %v", zero, err)
		}
	}
	s, err := Parse("f", text, "privacy={}")
	if err != nil || s.Privacy.Epsilon != nil || strings.Contains(s.Resolved(), "epsilon") {
		t.Errorf("no target: %v, %v", s, err)
	}
	s, err = Parse("f", text)
	if err != nil || s.Privacy.Epsilon == nil || *s.Privacy.Epsilon != 2 ||
		!strings.Contains(s.Resolved(), "epsilon: 2\n") {
		t.Errorf("a target: %v, %v", s, err)
	}
}

// A fault of a node that the network does not have is reported where it stands in the file.
func TestParse_FaultsNameNodesThatExist(t *testing.T) {
	text := `name: faults
problem: {data: {set: twonorm, rows: 60, dimension: 2}, rho: 0.3}
network:
  topology: {kind: ring, nodes: 4}
  faults:
    - {at: 1s, crash: 9}
    - {crash: 3, at: 1s}
    - {link: [0, 4], loss: 0.2}
    - partition: [[0], [1, 7]]
    - {crashes: {every: 1s, for: 1s, nodes: [2, 5]}}
    - {slow: 4, factor: 2}
    - {join: 4, at: 1s}
    - {leave: 4, at: 1s}
rounds: {count: 20}
algorithm: {kind: admm, eta: 0.1}
`
	_, err := Parse("f.yaml", []byte(text))
	var want []string
	for _, w := range []string{
		"6:23: network.faults[0].crash names node 9", "8:14: network.faults[2].link names node 4",
		"9:18: network.faults[3].partition names node 7", "10:17: network.faults[4].crashes names node 5",
		"11:14: network.faults[5].slow names node 4", "12:14: network.faults[6].join names node 4",
		"13:15: network.faults[7].leave names node 4",
	} {
		want = append(want, "f.yaml:"+w+"; nodes go from 0 to 3")
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
}

// A mapping by names of the user's is read, checked, written and described like the keys of the language.
func TestParse_MissingIn(t *testing.T) {
	with := func(keys string) string {
		return strings.Replace(minimal, "data: wdbc", "data: {csv: f.csv, "+keys+"}", 1)
	}
	s, err := Parse("t.yaml", []byte(with("missing-in: {q1: [99, -9], \"a b\": [x]}")))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"q1": {"99", "-9"}, "a b": {"x"}}
	if !reflect.DeepEqual(s.Problem.Data.MissingIn, want) {
		t.Errorf("read as %v", s.Problem.Data.MissingIn)
	}
	text := Assign("problem.data", s.Problem.Data)
	if !strings.Contains(text, `missing-in: {a b: [x], q1: ["99", "-9"]}`) {
		t.Errorf("written as %s", text)
	}
	set, err := Parse("t.yaml", []byte(with("label: y")), "problem.data.missing-in.q1=[99]")
	if err != nil || !slices.Equal(set.Problem.Data.MissingIn["q1"], []string{"99"}) {
		t.Errorf("--set: %v, %v", set, err)
	}
	for keys, want := range map[string]string{
		"missing-in: [99]":               "missing-in must be a mapping of names, a list of text each, is a list",
		"missing-in: 99":                 "must be a mapping of names, a list of text each, is",
		"missing-in: {q1: 99}":           "problem.data.missing-in.q1 must be a list of text",
		"missing-in: {q1: []}":           "problem.data.missing-in names no value of column q1",
		"missing-in: {q1: [1], q1: [2]}": "problem.data.missing-in.q1 is given twice",
		"missing: {q1: [1]}":             "problem.data.missing must be a list of text, is a mapping",
		"missing_in: {q1: [1]}":          `did you mean "missing-in"?`,
		"missing-in: {q1: [1], q2: [~]}": "problem.data.missing-in.q2[0] has no value",
	} {
		if _, err := Parse("t.yaml", []byte(with(keys))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", keys, err, want)
		}
	}
	if text, err := Explain("problem.data.missing-in"); err != nil || !strings.Contains(text, "{q1: [99]}") {
		t.Errorf("explained as %s, %v", text, err)
	}
}

// train: 1.0 is no share of the rows, and one row is nothing to learn from.
func TestParse_TrainIsNoWhole(t *testing.T) {
	const text = "name: x\nproblem:\n  data: wdbc\n  rho: 0.1\n  train: %s\n" +
		"network: {topology: {kind: ring, nodes: 3}}\nalgorithm: {kind: admm}\n"
	for value, bad := range map[string]bool{"1.0": true, "1": true, "2": false, "0.999": false, "455": false} {
		_, err := Parse("x.yaml", fmt.Appendf(nil, text, value))
		const want = "x.yaml:5:10: problem.train is a count of one row, and no share: for all rows leave it out"
		if bad != (err != nil) || bad && !strings.Contains(err.Error(), want) {
			t.Errorf("train: %s: %v", value, err)
		}
	}
}
