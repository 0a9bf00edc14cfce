// Measured networks: files as people have them and what is wrong with them, placement, and delays between sites.

package sim

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestReadSites_TakesEveryForm(t *testing.T) {
	const want = "[a b c] [0s 10ms 15ms 10ms 0s 20.5ms 15ms 20.5ms 0s]"
	for name, c := range map[string]struct {
		text string
		how  reading
	}{
		"named":          {"site,a,b,c\na,0,20,30\nb,20,0,41\nc,30,41,0\n", reading{share: 0.5}},
		"as pandas does": {",a,b,c\na,0.0,20.0,30.0\nb,20.0,0.0,41.0\nc,30.0,41.0,0.0\n", reading{share: 0.5}},
		"rows in another order, half of it empty": {"\ufeff;a;b;c\r\nc;;;\r\na;0;20;30\r\nb;;0;41\r\n",
			reading{share: 0.5}},
		"triples":               {"a,b,10\nb,c,20.5\n# a comment\n\na,c,15\n", reading{share: 1}},
		"triples with a header": {"from\tto\tms\na\tb\t20\na\tc\t30\nc\tb\t41\n", reading{share: 0.5}},
		"what was not measured": {"\"a\" \"b\" 10\nb  a  -1\nb c 20.5\na c 15",
			reading{share: 1, missing: []string{"-1"}}},
		"three without names are no triples": {"0 20 30\n20 0 41\n30 41 0\n", reading{share: 0.5}},
		"a unit in the header":               {"from,to,rtt (ms)\na,b,20\na,c,30\nc,b,41\n", reading{share: 0.5}},
		"a site that is left out": {"x,a,b,c,d\na,0,10,15,\nb,10,0,20.5,7\nc,15,20.5,0,8\nd,,7,8,0\n",
			reading{share: 1, without: []string{"d"}}},
	} {
		s, err := readSites("t.csv", strings.NewReader(c.text), c.how)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		names := fmt.Sprint(s.Names)
		if names == "[0 1 2]" {
			names = "[a b c]"
		}
		if got := names + " " + fmt.Sprint(s.delay); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	s, err := readSites("t.csv", strings.NewReader("1,2,3,4\n5,6,7,8\n9,10,11,12\n13,14,15,16\n"), reading{share: 1})
	if err != nil || s.Delay(2, 1) != 10e6 || s.Delay(1, 2) != 7e6 || s.Names[3] != "3" {
		t.Errorf("without names, each direction its own: %+v, %v", s, err)
	}
}

// Every mistake has its place, and all are told at once.
func TestReadSites_SaysWhatIsWrongAndWhere(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "t.csv: the file is empty",
		"a,b,1\nb,c\n":                          "t.csv:2:1: has 2 fields, where the first line has 3",
		"1,2,3,4\n1,2,3,4\n":                    "t.csv:1:1: 2 lines of 4 fields are no matrix",
		",a,b,a\na,0,1,2\nb,1,0,1\na,1,1,0\n":   `t.csv:1:6: the site "a" is given twice`,
		",a,b,c\na,0,1,2\nb,1,0,1\nd,1,1,0\n":   `t.csv:4:1: the first line names no site "d"`,
		",a,b,c\na,0,1,2\nb,1,0,1\nb,1,1,0\n":   `t.csv:4:1: the site "b" has a row on line 3 already`,
		",a,b,c\na,0,1,x\nb,1,0,1\nc,1,1,0\n":   `t.csv:2:7: must be milliseconds, is "x"`,
		",a,b,c\na,0,1,2\nb,1,0,NaN\nc,1,1,0\n": `t.csv:3:7: must be milliseconds, is "NaN"`,
		",a,b,c\na,0,1,Inf\nb,1,0,3\nc,1,1,0\n": `t.csv:2:7: must be at most 400000 ms, is Inf`,
		",a,b,c\na,0, -1,2\nb,1,0,3\nc,1,1,0\n": "t.csv:2:6: must not be negative, is -1",
		",a,b,c\na,0,,2\nb,,0,3\nc,1,1,0\n":     "t.csv:2:5: there is no time from a to b, nor back",
		"a,b,1\nb,c,1\n":                        "t.csv: there is no time from a to c, nor back",
		"a,b,1\nb,c,1\na,c,1\na,b,1.0\n":        "t.csv:4:5: the time from a to b contradicts line 1: 1 and 1.0",
		"a,b,1\nb,c,1\na,c,1\na,b,1\n":          "t.csv:4:5: the time from a to b is given twice, on line 1 already",
		"a,b,1\n,c,1\n":                         "t.csv:2:1: a site has no name",
		"a,b,ms\n":                              `t.csv:1:5: must be milliseconds, is "ms"`,
		"from,to,rtt_s\na,b,0.01\n":             `t.csv:1:9: the times must be in milliseconds, and the name of their`,
		"from;to;delay (µs)\na;b;10000\n":       `"delay (µs)", says microseconds: convert them, and name it ms`,
		"site;a;b\na;0;1,5\nb;1,5;0\n":          `t.csv:2:5: must be milliseconds, is "1,5"`,
		",a,b\na,0,20ms\nb,20ms,0\n":            `t.csv:2:5: must be milliseconds, is "20ms"`,
		"a,b,1\nb,c,-1\na,c,x\n":                "t.csv:2:5: must not be negative, is -1; where that stands for",
	} {
		_, err := readSites("t.csv", strings.NewReader(text), reading{share: 0.5})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n gave  %v\n want  %s", text, err, want)
		}
	}
	_, err := readSites("t.csv", strings.NewReader("a,b,-1\nb,c,-1\na,c,x\n"), reading{share: 0.5})
	if err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Errorf("three mistakes at once: %v", err)
	}
	_, err = readSites("t.csv", strings.NewReader("a,b,1\n"), reading{share: 1, without: []string{"d"}})
	if err == nil || !strings.Contains(err.Error(), `there is no site "d" to be left out`) {
		t.Errorf("an unknown site is left out: %v", err)
	}
}

// The set that comes with the program has what its source has: figures that were looked up there.
func TestSiteSets_AreTheirSource(t *testing.T) {
	set, _ := FindSiteSet("aws")
	s, err := set.Load()
	if err != nil {
		t.Fatal(err)
	}
	if s.Order() != 33 {
		t.Errorf("%d regions", s.Order())
	}
	at := func(name string) int { return slices.Index(s.Names, name) }
	for _, c := range []struct {
		from, to string
		ms       float64
	}{{"ca-central-1", "us-east-1", 16.312}, {"ca-central-1", "ca-central-1", 4.008},
		{"ap-southeast-2", "eu-south-2", 269.098}, {"ap-southeast-2", "sa-east-1", 312.056}} {
		got := 2e3 * s.Delay(at(c.from), at(c.to)).Seconds()
		if !(math.Abs(got-c.ms) < 1e-9) {
			t.Errorf("%s to %s: %v ms, want %v", c.from, c.to, got, c.ms)
		}
	}
}

// The other matrix of measured times has pairs that were not measured: both are read as its users would.
func TestReadSites_227(t *testing.T) {
	path := filepath.Join(os.Getenv("OVERHEAR_DATA"), "networks", "sites-227.txt")
	if _, err := os.Stat(path); err != nil {
		t.Skip("no 227 sites in $OVERHEAR_DATA")
	}
	if _, err := readSitesFile(path, reading{share: 1}); err == nil || !strings.Contains(err.Error(), "and 41 more") {
		t.Errorf("51 times are negative: %.300v", err)
	}
	s, err := readSitesFile(path, reading{share: 1, missing: []string{"-0.5"}, without: []string{"101"}})
	if err != nil || s.Order() != 226 || s.Delay(14, 218) != 41526500 {
		t.Errorf("%d sites, %v", s.Order(), err)
	}
}

func TestPlacement_PlacesNodes(t *testing.T) {
	names := []string{"a", "b", "c"}
	for _, c := range []struct {
		of   *Placement
		want string
	}{
		{nil, "[0 1 2 0 1 2 0]"},
		{&Placement{Kind: "turns", Names: []string{"c", "a"}}, "[2 0 2 0 2 0 2]"},
		{&Placement{Kind: "list", Names: []string{"a", "a", "b", "c", "c", "c", "a"}}, "[0 0 1 2 2 2 0]"},
		{&Placement{Kind: "shares", Shares: map[string]float64{"c": 2, "a": 1}}, "[0 0 2 2 2 2 2]"},
	} {
		at, err := c.of.place(aSite, names, 7, NewStream(1, "sites"))
		if err != nil || fmt.Sprint(at) != c.want {
			t.Errorf("%+v: %v, %v, want %s", c.of, at, err, c.want)
		}
	}
	const n = 30000
	at, err := (&Placement{Kind: "random", Shares: map[string]float64{"a": 1, "c": 2}}).place(aSite, names, n,
		NewStream(3, "sites"))
	if err != nil {
		t.Fatal(err)
	}
	var count [3]int
	for _, k := range at {
		count[k]++
	}
	if far := math.Abs(float64(count[2]) - n*2/3); count[1] != 0 || !(far <= 5*math.Sqrt(n*2.0/9)) {
		t.Errorf("random: %v", count)
	}
	for _, c := range []struct {
		of   Placement
		want string
	}{
		{Placement{Kind: "list", Names: []string{"a"}}, "names a site for 1 nodes; there are 7"},
		{Placement{Kind: "list", Names: []string{"x"}}, `names "x", which is no site; there are: a, b, c`},
		{Placement{Kind: "shares", Shares: map[string]float64{"x": 1}}, `names "x"`},
	} {
		if _, err := c.of.place(aSite, names, 7, nil); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.of, err, c.want)
		}
	}
}

// A packet takes what its direction's sites say and what the jitter draws, which is what the law alone would draw; an
// exception for an edge stands for both.
func TestMatrix_DelaysAreTheSitesAndTheLaw(t *testing.T) {
	g, err := Topology{Kind: "complete", Nodes: 4}.Build(nil)
	if err != nil {
		t.Fatal(err)
	}
	sites := &Sites{Names: []string{"a", "b"}, delay: []Duration{1e6, 20e6, 30e6, 2e6}}
	placed := &Placed{sites, []uint16{0, 1, 1, 0}}
	law := Latency{Kind: "exponential", Mean: 5e6}
	delays := func(l Latency) map[[3]int]Duration {
		all := map[[3]int]Duration{}
		cfg := Config{Seed: 4, Graph: g, Link: Link{Latency: l, Duplication: 0.5}.On(placed),
			Overrides: []Override{{Between: [2]int{0, 3}, Latency: &law}}}
		cfg.Sent = func(p *Packet) {
			at := [3]int{int(p.From), int(p.To), int(p.Round)}
			all[at] += Duration(p.Received - p.Sent) // of both copies, where there are two
			if all[at] > Duration(p.Received-p.Sent) {
				all[[3]int{at[0], at[1], -1}]++
			}
		}
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			e.Attach(i, &flooder{rounds: 20, degree: 3, value: []float64{1}})
		}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		return all
	}
	alone, over := delays(law), delays(Latency{Kind: matrix, Set: "aws", Jitter: &law})
	doubled := 0
	for at, d := range alone {
		if at[2] < 0 || at[0]+at[1] == 3 && at[0]*at[1] == 0 {
			continue
		}
		apart := placed.between(int32(at[0]), int32(at[1]))
		if over[at]-d == 2*apart {
			doubled++
		} else if over[at]-d != apart {
			t.Errorf("%v: %v, where the law alone takes %v and the sites %v", at, over[at], d, apart)
		}
	}
	if doubled == 0 {
		t.Error("no packet was doubled")
	}
	for r := range 20 {
		if at := [3]int{0, 3, r}; over[at] != alone[at] {
			t.Errorf("the exception: %v, want %v", over[at], alone[at])
		}
	}
}

// What sends at once for all neighbours does what sends to each.
func TestMatrix_DirectSendingIsTheSame(t *testing.T) {
	g, _ := Topology{Kind: "random-regular", Nodes: 20, Degree: 4}.Build(NewStream(1, "topology"))
	link := Link{Latency: Latency{Kind: matrix, Set: "aws", Jitter: &Latency{Kind: "uniform", High: 3e6}}}
	placed, err := link.Latency.Place(1, 20)
	if err != nil {
		t.Fatal(err)
	}
	digest := func(sent func(*Packet)) [32]byte {
		e, err := New(Config{Graph: g, Link: link.On(placed), Trace: TraceDigest, Sent: sent})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			e.Attach(i, &flooder{rounds: 30, degree: 4, value: []float64{1}})
		}
		if err := e.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		trace, _ := e.Trace()
		return trace.Digest
	}
	if digest(nil) != digest(func(*Packet) {}) {
		t.Error("another run")
	}
	if _, err := New(Config{Graph: g, Link: link}); err == nil {
		t.Error("nodes that are on no sites are taken")
	}
}

// Who joins a node is on its site; the median of a placed matrix is that of its pairs.
func TestPlaced_JoinedAndMedian(t *testing.T) {
	sites := &Sites{Names: []string{"a", "b"}, delay: []Duration{1e6, 20e6, 30e6, 2e6}}
	p := &Placed{sites, []uint16{0, 1}}
	g, _ := NewGraph(4, [][2]int{{0, 1}, {1, 2}, {0, 3}})
	all, err := p.Joined(g)
	if err != nil || fmt.Sprint(all.NodeSites()) != "[a b b a]" {
		t.Errorf("%v, %v", all.NodeSites(), err)
	}
	l := Link{Latency: Latency{Kind: matrix, Jitter: &Latency{Kind: "constant", Value: 1e6}}}.On(all).Latency
	if got := l.MedianSeconds(); got != 0.021 {
		t.Errorf("median %v", got)
	}
}
