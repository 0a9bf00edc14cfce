// What the page says and draws of a run, against the tables of the record: at many instants, of runs in which
// packets are lost and nodes are down, of one with a liar, and of a network that is drawn as a matrix. A page that
// draws something and throws nothing may still tell lies, and nobody would see it.

package view

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"overhear/evaluation"
	"overhear/record"
	"overhear/report/browser"
)

// probe moves the page in time, reads it, and notes what is drawn on canvases. The page's own script is in a scope
// of its own, so that all goes by what a reader has: keys, the slider, texts and pictures.
const probe = `window.probe = (() => {
	const proto = CanvasRenderingContext2D.prototype, paths = new WeakMap(), scratch = document.createElement("canvas");
	let marks = null;
	const wrap = (name, f) => {
		const real = proto[name];
		proto[name] = function (...a) { if (marks) f(this, a); return real.apply(this, a); };
	};
	const note = (c, what, path, text) => marks.push({what, path, text, on: c.canvas.className || c.canvas.id,
		colour: what.startsWith("fill") ? c.fillStyle : c.strokeStyle, dashed: c.getLineDash().length > 0});
	wrap("beginPath", c => paths.set(c, []));
	for (const name of ["moveTo", "lineTo", "arc"]) wrap(name, (c, a) => (paths.get(c) || []).push(a.slice(0, 3)));
	for (const name of ["fill", "stroke"]) wrap(name, c => note(c, name, (paths.get(c) || []).slice(), ""));
	for (const name of ["fillRect", "strokeRect"]) wrap(name, (c, a) => note(c, name, [a], ""));
	wrap("fillText", (c, a) => note(c, "fillText", [[a[1], a[2]]], a[0]));
	const $ = s => document.querySelector(s), all = s => [...document.querySelectorAll(s)];
	const paint = colour => {
		const c = scratch.getContext("2d");
		c.fillStyle = colour;
		return c.fillStyle;
	};
	const set = (e, value, event) => { e.value = String(value); e.dispatchEvent(new Event(event)); };
	return {
		seek: at => set($("#time"), at, "input"),
		by: colour => set($("#colour"), colour, "change"),
		press: (key, shiftKey) => document.body.dispatchEvent(
			new KeyboardEvent("keydown", {key, shiftKey, bubbles: true})),
		pairs: selector => all(selector + " dl > div").map(e => [...e.children].map(x => x.textContent)),
		rows: selector => all(selector + " tbody tr").map(e => [...e.children].map(x => x.textContent)),
		drawn: f => { marks = []; f(); const got = marks; marks = null; return got; },
		listen: () => { marks = []; },
		heard: () => { const got = marks; marks = null; return got; },
		colours: () => Object.fromEntries(
			["text", "ground", "frame", "grid", "packet", "request", "lost", "bad", "lie", "change", "mark",
			"cut2"].map(name =>
			[name, paint(getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim())])),
		legend: () => getComputedStyle($("#bar")).backgroundImage.match(/rgb\([^)]*\)/g).map(paint),
	};
})(), true`

// mark is something that was drawn: a path that was filled or stroked, a rectangle or a text.
type mark struct {
	What, Text, On, Colour string
	Dashed                 bool
	Path                   [][]float64 // ends of lines, circles with their radii, or the rectangle
}

// facts are a run as its record has it.
type facts struct {
	v        *Run
	messages []record.Message
	steps    []record.Step
	iterates []record.Iterate
	lies     map[[3]int32]bool // by node, neighbour and round
	inputs   evaluation.Inputs
	near     [][]int32 // neighbours, ascending

	// By sender and receiver, the median of what packets take that arrive, and under −1 that of all: one that is lost
	// is drawn for two of these, the latter as a cross.
	delays map[[2]int32]int64
}

func factsOf(t *testing.T, r *record.Run) *facts {
	t.Helper()
	f := &facts{v: built(t, r).Runs[0], lies: map[[3]int32]bool{}}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(r.Messages(func(m record.Message) error { f.messages = append(f.messages, m); return nil }))
	must(r.Steps(func(s record.Step) error { f.steps = append(f.steps, s); return nil }))
	must(r.Iterates(func(i record.Iterate) error { f.iterates = append(f.iterates, i); return nil }))
	must(r.Lies(func(l record.Lie) error { f.lies[[3]int32{l.Node, l.To, l.Round}] = true; return nil }))
	var err error
	f.inputs, err = evaluation.InputsOf(r)
	must(err)
	f.near = make([][]int32, f.v.Nodes)
	for k := 0; k < 2*f.v.GraphEdges; k += 2 {
		a, b := int32(f.v.Edges[k]), int32(f.v.Edges[k+1])
		f.near[a], f.near[b] = append(f.near[a], b), append(f.near[b], a)
	}
	for _, all := range f.near {
		slices.Sort(all)
	}
	took := map[[2]int32][]int64{}
	for _, m := range f.messages {
		for _, way := range [][2]int32{{m.Src, m.Dst}, {-1, -1}} {
			if m.ReceivedNS >= 0 {
				took[way] = append(took[way], m.ReceivedNS-m.SentNS)
			}
		}
	}
	f.delays = map[[2]int32]int64{}
	for way, all := range took {
		slices.Sort(all)
		f.delays[way] = all[len(all)/2]
	}
	return f
}

// delay is how long a lost packet is taken to be on its way.
func (f *facts) delay(m record.Message) int64 {
	if d, ok := f.delays[[2]int32{m.Src, m.Dst}]; ok {
		return d
	}
	return f.delays[[2]int32{-1, -1}]
}

// shown opens the page of the run and readies the probe.
func (f *facts) shown(t *testing.T, p *browser.Page) {
	t.Helper()
	p.Show(1280, 900, false)
	p.Open(saved(t, &Document{Runs: []*Run{f.v}}), ready)
	browser.Ask[bool](p, probe)
}

// instants are so many places of the slider, from the start to the end.
func instants(n int) []int {
	all := make([]int, n)
	for k := range all {
		all[k] = 10000 * k / (n - 1)
	}
	return all
}

// at is the time of a place of the slider.
func (f *facts) at(place int) float64 { return float64(place) / 10000 * float64(f.v.End) }

// until is when a packet is no longer drawn.
func (f *facts) until(m record.Message) float64 {
	if m.ReceivedNS < 0 {
		return float64(m.SentNS + 2*f.delay(m))
	}
	return float64(m.ReceivedNS)
}

// drawn are the packets that are drawn at a time, by row.
func (f *facts) drawn(t float64) (rows []int) {
	for k, m := range f.messages {
		if float64(m.SentNS) <= t && t < f.until(m) {
			rows = append(rows, k)
		}
	}
	return rows
}

func (f *facts) down(node int, t float64) *Outage {
	for k, o := range f.v.Outages {
		if o.Node == node && float64(o.From) <= t && t < float64(o.To) {
			return &f.v.Outages[k]
		}
	}
	return nil
}

// round is the last that a node had finished; −1: it had not begun.
func (f *facts) round(node int, t float64) int {
	round := -1
	for _, i := range f.iterates {
		if i.Round == 0 && int(i.Node) == node && float64(i.TimeNS) <= t {
			round = 0
		}
	}
	for _, s := range f.steps {
		if int(s.Node) == node && float64(s.EndedNS) <= t {
			round = int(s.Round)
		}
	}
	return round
}

// first is the highest round that any node had finished.
func (f *facts) first(t float64) (round int) {
	for _, s := range f.steps {
		if float64(s.EndedNS) <= t {
			round = max(round, int(s.Round))
		}
	}
	return round
}

// published are the rounds that a node had published, in order.
func (f *facts) published(node int, t float64) (rounds []int) {
	for _, i := range f.iterates {
		if int(i.Node) == node && float64(i.TimeNS) <= t {
			rounds = append(rounds, int(i.Round))
		}
	}
	return rounds
}

// used are the rounds of its neighbours' values that entered an update.
func (f *facts) used(t *testing.T, node, round int) []int {
	t.Helper()
	used, err := f.inputs(node, round)
	if err != nil {
		t.Fatal(err)
	}
	return used
}

func ask[T any](p *browser.Page, script string, given any) T {
	text, err := json.Marshal(given)
	if err != nil {
		panic(err)
	}
	return browser.Ask[T](p, "("+script+")("+string(text)+")")
}

// value is what stands beside a name.
func value(pairs [][]string, name string) string {
	for _, p := range pairs {
		if p[0] == name {
			return p[1]
		}
	}
	return ""
}

func TestPage_CountsAsTheRecordDoes(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, faulty, 1))
	f.shown(t, p)
	// Event by event, as arrow keys go, what happens at a time has happened at it.
	var times []int64
	for _, m := range f.messages {
		times = append(times, m.SentNS, m.ReceivedNS)
	}
	for _, s := range f.steps {
		times = append(times, s.EndedNS)
	}
	for _, i := range f.iterates {
		times = append(times, i.TimeNS)
	}
	slices.Sort(times)
	times = slices.DeleteFunc(slices.Compact(times), func(at int64) bool { return at <= 0 })
	lasting := ask[[][][]string](p, `n => { probe.press("Home"); const all = [];
		for (let k = 0; k < n; k++) { probe.press("ArrowRight", true); all.push(probe.pairs("#present")); }
		return all; }`, len(times)/10)
	busy, out := 0, 0
	for k, got := range lasting {
		at := float64(times[10*k+9])
		sent, arrived, lost, computing := 0, 0, 0, 0
		for _, m := range f.messages {
			if float64(m.SentNS) <= at {
				sent++ // both copies of a duplicate are packets
				if m.ReceivedNS < 0 {
					lost++
				} else if float64(m.ReceivedNS) <= at {
					arrived++
				}
			}
		}
		var down []string
		for node := range f.v.Nodes {
			if f.down(node, at) != nil {
				down = append(down, strconv.Itoa(node))
			} else if slices.ContainsFunc(f.steps, func(s record.Step) bool {
				return int(s.Node) == node && float64(s.BeganNS) <= at && at < float64(s.EndedNS)
			}) {
				computing++
			}
		}
		nodes := fmt.Sprintf("%d computing", computing)
		if len(down) > 0 {
			nodes += fmt.Sprintf("; %d down: %s", len(down), strings.Join(down, ", "))
		}
		partition := ""
		if 600e6 <= at && at < 1500e6 {
			partition = "0 1 2 3 | 4 5 6 7"
		}
		for name, want := range map[string]string{"nodes": nodes, "partition": partition, "packets": fmt.Sprintf(
			"%d sent, %d arrived, %d lost; %d under way", sent, arrived, lost, sent-arrived-lost)} {
			if got := value(got, name); got != want {
				t.Fatalf("at %v ns, %s: %q, not %q", at, name, got, want)
			}
		}
		busy, out = busy+computing, out+len(down)
	}
	if len(lasting) < 100 || busy == 0 || out == 0 {
		t.Errorf("%d instants, %d nodes computing, %d down", len(lasting), busy, out)
	}
	for node := range f.v.Nodes {
		f.checkNode(t, p, node, instants(25))
	}
	quiet(t, p, browser.Ask[string](p, "location.href"))
}

// checkNode compares what is said of a node: its packets, its rounds, what entered its updates.
func (f *facts) checkNode(t *testing.T, p *browser.Page, node int, places []int) {
	t.Helper()
	type said struct {
		Pairs, Rows [][]string
		Chart       string
		Texts       []string // of the last chart
	}
	all := ask[[]said](p, `given => { probe.press("Escape");
		for (let k = 0; k <= given.node; k++) probe.press("n");
		return given.places.map(at => {
			const marks = probe.drawn(() => probe.seek(at)).filter(m => m.on === "chart" && m.what === "fillText");
			return {texts: marks.slice(-5).map(m => m.text), pairs: probe.pairs("#chosen"), rows: probe.rows("#chosen"),
				chart: document.querySelector("#chosen canvas[aria-label^=rounds]").getAttribute("aria-label")}; }); }`,
		map[string]any{"node": node, "places": places})
	for k, got := range all {
		at := f.at(places[k])
		sent, lost, received, missed := 0, 0, 0, 0
		for _, m := range f.messages {
			switch {
			case float64(m.SentNS) > at:
			case int(m.Src) == node && m.ReceivedNS < 0:
				sent, lost = sent+1, lost+1
			case int(m.Src) == node:
				sent++
			case int(m.Dst) == node && m.ReceivedNS < 0:
				missed++
			case int(m.Dst) == node && float64(m.ReceivedNS) <= at:
				received++
			}
		}
		want := fmt.Sprintf("%d sent (%d lost on their way), %d received, %d lost that were for it", sent, lost,
			received, missed)
		if got := value(got.Pairs, "packets"); got != want {
			t.Fatalf("node %d at %v ns: %q, not %q", node, at, got, want)
		}
		round, behind := f.round(node, at), f.first(at)-f.round(node, at)
		want = fmt.Sprintf("%d of %d; %d rounds behind the first", round, f.v.Rounds, behind)
		switch {
		case round < 0:
			want = fmt.Sprintf("0 of %d; not there yet", f.v.Rounds)
		case behind == 1:
			want = strings.Replace(want, "rounds", "round", 1)
		}
		if got := value(got.Pairs, "round"); got != want {
			t.Fatalf("node %d at %v ns: round %q, not %q", node, at, got, want)
		}
		if o := f.down(node, at); o != nil && value(got.Pairs, "now") != o.Why {
			t.Fatalf("node %d at %v ns: now %q, not %q", node, at, value(got.Pairs, "now"), o.Why)
		}
		rounds := f.published(node, at)
		slices.Reverse(rounds)
		rounds = rounds[:min(5, len(rounds))]
		if len(got.Rows) != len(rounds) {
			t.Fatalf("node %d at %v ns: %d updates, not %d", node, at, len(got.Rows), len(rounds))
		}
		for k, round := range rounds {
			want := "its start"
			if round > 0 {
				used := f.used(t, node, round)
				var each []string
				for k, r := range used {
					if r < 0 {
						each = append(each, fmt.Sprintf("%d: %s", f.near[node][k], zeros))
					} else {
						each = append(each, fmt.Sprintf("%d: %d", f.near[node][k], r))
					}
				}
				want = strings.Join(each, ", ")
				if !slices.ContainsFunc(used, func(r int) bool { return r != round-1 }) {
					want = fmt.Sprintf("all of round %d", round-1)
				}
			}
			if row := got.Rows[k]; row[0] != strconv.Itoa(round) || row[3] != want {
				t.Fatalf("node %d at %v ns: of round %s entered %q, not of round %d %q", node, at, row[0], row[3],
					round, want)
			}
		}
	}
	// The curve of rounds behind goes from its first to its last value, which nobody sees who listens, and as high as
	// the node ever is behind, which it is most of right before its own steps end.
	behind := f.behind(node)
	if want := fmt.Sprintf("from %d to %d", behind[0], behind[len(behind)-1]); !strings.HasSuffix(all[0].Chart, want) {
		t.Errorf("node %d: %q, not %q", node, all[0].Chart, want)
	}
	most := slices.Max(behind)
	if texts := all[0].Texts; len(texts) != 5 || texts[0] != "0" || most > 0 && texts[2] != strconv.Itoa(most) {
		t.Errorf("node %d is up to %d behind, and the axis has %q", node, most, texts)
	}
}

// behind is how many rounds a node is behind whenever any step ends, from its own first on.
func (f *facts) behind(node int) (all []int) {
	for _, s := range f.steps {
		at := float64(s.EndedNS)
		if round := f.round(node, at); round >= 0 {
			all = append(all, f.first(at)-round)
		}
	}
	return all
}

// What entered updates is of steps, and known where values were not recorded.
func TestPage_TellsUpdatesWithoutValues(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, faulty, 1))
	f.v = built(t, recorded(t, faulty, 1, "record.iterates=none")).Runs[0]
	f.shown(t, p)
	for _, node := range []int{0, 5, 7} {
		f.checkNode(t, p, node, instants(12))
	}
	if kinds := f.packetsAsTold(t, p, 20); kinds["entered"] < 3 {
		t.Errorf("packets %v", kinds)
	}
}

// Gradient descent whose step is next to nothing publishes the mean of its own value and its neighbours', a third each
// on a ring. So what the page says of an update is right only if it adds up, also where nodes have lost their memory:
// they send their start as what they had published last.
func TestPage_NamesWhatAddsUpToUpdates(t *testing.T) {
	p := browser.Find(t).Drive(t)
	anew := 0
	for seed, rounds := range []string{"{mode: asynchronous, count: 14, quorum: 0.5}", "{count: 12, retry: 40ms}",
		"{mode: asynchronous, count: 14, quorum: 0.5, timeout: 30ms}", "{mode: asynchronous, count: 14, quorum: 1}"} {
		r := recorded(t, `name: mixing
problem: {data: {set: twonorm, rows: 100, dimension: 4}, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 5}
  latency: {kind: lognormal, median: 20ms, sigma: 1}
  loss: 0.1
  faults: [{crashes: {every: 300ms, for: 60ms, memory: lost}, until: 2s}]
compute: {row: 100us, speed-spread: 0.5}
algorithm: {kind: dgd, step: 1e-13, init: {normal: 1}}
rounds: `+rounds+"\n", uint64(seed+1))
		f := factsOf(t, r)
		f.shown(t, p)
		published := map[[2]int][]float64{}
		for _, i := range f.iterates {
			published[[2]int{int(i.Node), int(i.Round)}] = i.Values
		}
		checked := 0
		for node := range 5 {
			told := map[string]string{}
			for _, rows := range ask[[][][]string](p, `given => { probe.press("Escape");
				for (let k = 0; k <= given.node; k++) probe.press("n");
				return given.places.map(at => { probe.seek(at); return probe.rows("#chosen"); }); }`,
				map[string]any{"node": node, "places": instants(30)}) {
				for _, row := range rows {
					told[row[0]] = row[3]
				}
			}
			near := []int{min((node+4)%5, (node+1)%5), max((node+4)%5, (node+1)%5)}
			for text, entered := range told {
				round, _ := strconv.Atoi(text)
				if round == 0 || entered == "not known" {
					continue
				}
				parts := strings.Split(entered, ", ")
				if all, ok := strings.CutPrefix(entered, "all of round "); ok {
					parts = []string{fmt.Sprintf("%d: %s", near[0], all), fmt.Sprintf("%d: %s", near[1], all)}
				}
				fits := false
				for _, own := range [][]float64{published[[2]int{node, round - 1}], published[[2]int{node, 0}]} {
					sum := slices.Clone(own)
					for k, part := range parts {
						name, of, _ := strings.Cut(part, ": ")
						from, start := strings.CutSuffix(of, " (its start)")
						if start {
							anew++
							from = "0"
						}
						if from != zeros {
							for d, v := range published[[2]int{near[k], atoi(t, from)}] {
								sum[d] += v
							}
						}
						if name != strconv.Itoa(near[k]) {
							t.Fatalf("node %d: %q", node, entered)
						}
					}
					away := 0.0
					for d, v := range published[[2]int{node, round}] {
						away = max(away, math.Abs(sum[d]/3-v))
					}
					fits = fits || away < 1e-9
				}
				if checked++; !fits {
					t.Errorf("%s: round %d of node %d is not the mean of its own and %q", rounds, round, node, entered)
				}
			}
		}
		if checked < 30 {
			t.Errorf("%s: %d updates are told", rounds, checked)
		}
	}
	if anew == 0 {
		t.Error("no start was sent again")
	}
}

// zeros is what a page says of a neighbour of which nothing had come.
const zeros = "nothing yet (zeros)"

func atoi(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// forgetful is a run in lockstep of which a node loses what it has received, and asks for it again.
const forgetful = `name: forgetful
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 5}
  latency: {kind: lognormal, median: 20ms, sigma: 1}
  loss: 0.1
  duplication: 0.1
  faults: [{at: 300ms, crash: 2, until: 900ms, memory: lost}]
compute: {row: 100us, speed-spread: 0.5}
rounds: {count: 12, retry: 100ms}
algorithm: {kind: admm, eta: 0.05, init: {normal: 0.1}}
`

func TestPage_TellsWhatBecameOfPackets(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, faulty, 1))
	f.shown(t, p)
	kinds := f.packetsAsTold(t, p, 60)
	for _, kind := range []string{"entered", "copy", "lost", "cut", "late", "request"} {
		if kinds[kind] < 3 {
			t.Errorf("too few packets of a kind: %v", kinds)
		}
	}
	f = factsOf(t, recorded(t, forgetful, 1))
	f.shown(t, p)
	if kinds := f.packetsAsTold(t, p, 300); kinds["forgotten"] == 0 || kinds["again"] == 0 {
		t.Errorf("no packet was forgotten, or entered as the copy of one that was: %v", kinds)
	}
}

// Of updates of which it is not known what entered them, those that a packet may have entered are named.
func TestPage_NamesUpdatesThatAPacketMayHaveEntered(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, strings.Replace(forgetful, "count: 12, retry: 100ms",
		"count: 12, deadline: 90ms, missing: last, retry: 50ms", 1), 1))
	f.shown(t, p)
	unknown := map[string]bool{}
	for k, lags := range f.v.Inputs.Lags {
		if lags == nil && f.v.Steps.Round[k] > 0 {
			unknown[fmt.Sprint(f.v.Steps.Node[k], " ", f.v.Steps.Round[k])] = true
		}
	}
	told := ask[[][][]string](p, `places => places.flatMap(at => { probe.press("Escape"); probe.seek(at);
		return [1, 2, 3, 4, 5].map(() => { probe.press("k"); return probe.pairs("#chosen"); }); })`, instants(60))
	named := 0
	for _, pairs := range told {
		_, rounds, any := strings.Cut(value(pairs, "updates that it entered"), "not known of rounds ")
		if !any {
			continue
		}
		_, dst, _ := strings.Cut(value(pairs, "way"), "→ node ")
		if from, to, long := strings.Cut(rounds, " to "); long {
			to, _, _ = strings.Cut(to, ",") // how many in all
			rounds = from + ", " + to
		}
		for round := range strings.SplitSeq(rounds, ", ") {
			if named++; !unknown[dst+" "+round] {
				t.Errorf("round %s of node %s is named as not known, of %v", round, dst, unknown)
			}
		}
	}
	if len(unknown) == 0 || named == 0 {
		t.Errorf("%d updates are not known, %d are named", len(unknown), named)
	}
}

// k goes from packet to packet and Shift+K the same way back, through those under way, and where there are none to the
// next that is sent or the last that was.
func TestPage_GoesThroughPacketsBothWays(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, hospitals, 1, "compute={row: 400us}", "rounds.count=3"))
	f.shown(t, p)
	type said struct {
		There, Back []string
		Heard       string
	}
	const some = 3
	all := ask[[]said](p, `places => places.map(at => { const out = {there: [], back: []};
		const go = key => { probe.press(key);
			return (document.querySelector("#chosen h3") || {textContent: ""}).textContent; };
		probe.press("Escape"); probe.seek(at);
		for (let k = 0; k < 3; k++) out.there.push(go("k"));
		for (let k = 0; k < 3; k++) out.back.push(go("K"));
		probe.press("Escape"); out.back.push(go("K"));
		out.heard = document.querySelector("#live").textContent;
		return out; })`, instants(60))
	several, none := 0, 0
	for k, place := range instants(60) {
		at, next, last := f.at(place), "", ""
		name := func(row int) string { return fmt.Sprintf("Packet %d", f.messages[row].ID) }
		for row, m := range f.messages {
			if float64(m.SentNS) <= at {
				last = name(row)
			} else if next == "" {
				next = name(row)
			}
		}
		there, back := slices.Repeat([]string{next}, some), slices.Repeat([]string{cmp.Or(last, next)}, some)
		rows := f.drawn(at)
		switch n := len(rows); {
		case n == 0:
			none++
		case n > some:
			several++
		}
		for j := range some {
			if n := len(rows); n > 0 { // the last before the first
				there[j], back[j], last = name(rows[j%n]), name(rows[((some-2-j)%n+n)%n]), name(rows[n-1])
			}
		}
		got, back := all[k], append(back, last)
		if !slices.Equal(got.There, there) || !slices.Equal(got.Back, back) {
			t.Errorf("at %v ns, of packets %v: k goes to %q, and Shift+K to %q; not to %q, %q", at, rows, got.There,
				got.Back, there, back)
		}
		if last == "" && !strings.HasSuffix(got.Heard, "No packet is under way or went before.") {
			t.Errorf("at %v ns who listens hears %q", at, got.Heard)
		}
	}
	if several < 5 || none < 5 {
		t.Errorf("at %d instants more packets than %d, at %d none", several, some, none)
	}
	p.Press(kb.Home)
	p.Press("nnKkK") // those of node 1 alone
	if got := p.Text("#chosen"); !strings.Contains(got, "node 1") {
		t.Errorf("after node 1 %q is chosen", got)
	}
}

// packetsAsTold holds what the page says of packets at so many instants to the record, and counts their kinds.
func (f *facts) packetsAsTold(t *testing.T, p *browser.Page, places int) map[string]int {
	t.Helper()
	type given struct{ At, Count int }
	var all []given
	for _, place := range instants(places) {
		if rows := f.drawn(f.at(place)); len(rows) > 0 {
			all = append(all, given{place, len(rows)})
		}
	}
	type said struct {
		Title string
		Pairs [][]string
	}
	// Without a node chosen, k goes through all packets that are under way, in the order of the record.
	told := ask[[][]said](p, `all => all.map(({At, Count}) => { probe.press("Escape"); probe.seek(At); const out = [];
		for (let k = 0; k < Count; k++) { probe.press("k");
			out.push({title: document.querySelector("#chosen h3").textContent, pairs: probe.pairs("#chosen")}); }
		return out; })`, all)
	kinds := map[string]int{}
	for k, g := range all {
		for j, row := range f.drawn(f.at(g.At)) {
			m, got := f.messages[row], told[k][j]
			entered, why, kind := f.fate(t, row)
			kinds[kind]++
			for name, want := range map[string]string{
				"what":                    fmt.Sprintf("%s of round %d, %d bytes", m.Kind, m.Round, m.Bytes),
				"way":                     fmt.Sprintf("node %d → node %d", m.Src, m.Dst),
				"lost":                    why,
				"updates that it entered": entered,
			} {
				if got := value(got.Pairs, name); got != want {
					t.Fatalf("packet %d, row %d, %s: %q, not %q", m.ID, row, name, got, want)
				}
			}
			if got.Title != fmt.Sprintf("Packet %d", m.ID) {
				t.Fatalf("%q is packet %d", got.Title, m.ID)
			}
		}
	}
	return kinds
}

// before is whether a copy was the first to arrive since its receiver last lost its memory before an update.
func (f *facts) before(row, round int) bool {
	m, since := f.messages[row], int64(0)
	for _, s := range f.steps {
		for _, o := range f.v.Outages {
			if s.Node == m.Dst && int(s.Round) == round && o.Node == int(m.Dst) && o.Why == "down, memory lost" &&
				o.To <= s.BeganNS {
				since = max(since, o.To)
			}
		}
	}
	if m.ReceivedNS < since {
		return false
	}
	for _, c := range f.messages {
		if c.Src == m.Src && c.Dst == m.Dst && c.Round == m.Round && c.Kind == m.Kind && c.ReceivedNS >= since &&
			c.ReceivedNS < m.ReceivedNS {
			return false
		}
	}
	return true
}

// fate is which updates a packet entered, why it was lost if it was, and the kind of all that.
func (f *facts) fate(t *testing.T, row int) (entered, why, kind string) {
	m := f.messages[row]
	first := -1 // of the copies that arrived
	for k, c := range f.messages {
		if c.Src == m.Src && c.Dst == m.Dst && c.Round == m.Round && c.Kind == m.Kind && c.ReceivedNS >= 0 &&
			(first < 0 || c.ReceivedNS < f.messages[first].ReceivedNS) {
			first = k
		}
	}
	if m.ReceivedNS < 0 {
		before := 0 // lost packets
		for k := range row {
			if f.messages[k].ReceivedNS < 0 {
				before++
			}
		}
		why, kind = f.v.Packets.Reasons[f.v.Packets.Lost[before]], "lost"
		if 600e6 <= m.SentNS && m.SentNS < 1500e6 && (m.Src < 4) != (m.Dst < 4) {
			why, kind = "a partition cuts the two off from each other", "cut"
		}
	}
	switch {
	case m.Kind == record.MessageRequest:
		return "it asks for a value again", why, "request"
	case m.Kind != record.MessageValue:
		return "none: it carries no value", why, "other"
	case m.ReceivedNS < 0 && first >= 0:
		return "none: it was lost; another copy arrived", why, kind
	case m.ReceivedNS < 0:
		return "none: it was lost", why, kind
	case first != row && !slices.ContainsFunc(f.v.Outages, func(o Outage) bool {
		return o.Node == int(m.Dst) && o.Why == "down, memory lost"
	}):
		return "none: another copy had arrived before it", why, "copy"
	}
	place := slices.Index(f.near[m.Dst], m.Src)
	var rounds []string
	entering := 0
	for _, i := range f.iterates {
		if i.Node == m.Dst && i.Round > 0 && f.used(t, int(i.Node), int(i.Round))[place] == int(m.Round) {
			if entering++; f.before(row, int(i.Round)) {
				rounds = append(rounds, strconv.Itoa(int(i.Round)))
			}
		}
	}
	switch n := len(rounds); {
	case n == 0 && entering > 0:
		kind = "forgotten"
		if first != row {
			kind = "copy"
		}
		return fmt.Sprintf("none: another copy entered, as node %d has lost its memory or had that before", m.Dst), why,
			kind
	case n == 1 && first != row:
		return fmt.Sprintf("of node %d: round %s", m.Dst, rounds[0]), why, "again"
	case n == 0:
		return fmt.Sprintf("none: node %d computed no update before a later value came, or none after it",
			m.Dst), why, "late"
	case n == 1:
		return fmt.Sprintf("of node %d: round %s", m.Dst, rounds[0]), why, "entered"
	case n < 4:
		return fmt.Sprintf("of node %d: rounds %s", m.Dst, strings.Join(rounds, ", ")), why, "entered"
	default:
		return fmt.Sprintf("of node %d: rounds %s to %s, %d in all", m.Dst, rounds[0], rounds[n-1], n), why, "entered"
	}
}

// picture is what is drawn of a network.
type picture struct {
	places map[int][2]float64
	fill   map[int]string // colours of nodes
	rim    map[int]string
	plain  [][2][2]float64 // edges, where they were drawn anew
	cut    [][2][2]float64
	dots   int // values
	hollow int // other packets
	lies   int
	cross  int
}

func pictureOf(marks []mark, colours map[string]string) *picture {
	v := &picture{places: map[int][2]float64{}, fill: map[int]string{}, rim: map[int]string{}}
	for _, m := range marks {
		if node, err := strconv.Atoi(m.Text); err == nil && m.On == "stage" {
			v.places[node] = [2]float64{m.Path[0][0], m.Path[0][1] - 0.5}
		}
	}
	circles := func(m mark) (n int) {
		for _, at := range m.Path {
			if len(at) == 3 {
				n++
			}
		}
		return n
	}
	for _, m := range marks {
		if m.On == "" && m.What == "stroke" && (m.Colour == colours["grid"] || m.Colour == colours["bad"]) {
			for k := 0; k+1 < len(m.Path); k += 2 {
				edge := [2][2]float64{[2]float64(m.Path[k]), [2]float64(m.Path[k+1])}
				if m.Dashed && m.Colour == colours["bad"] {
					v.cut = append(v.cut, edge)
				} else {
					v.plain = append(v.plain, edge)
				}
			}
		}
		if m.On != "stage" {
			continue
		}
		if len(m.Path) == 1 && circles(m) == 1 {
			for node, at := range v.places {
				if math.Hypot(m.Path[0][0]-at[0], m.Path[0][1]-at[1]) > 1e-6 {
					continue
				}
				switch _, known := v.rim[node]; {
				case m.What == "fill":
					v.fill[node] = m.Colour
				case !known: // what follows is around it
					v.rim[node] = m.Colour
				}
			}
			continue
		}
		switch {
		case m.What == "fill" && m.Colour == colours["packet"]:
			v.dots += circles(m)
		case m.What == "stroke" && m.Colour == colours["request"]:
			v.hollow += circles(m)
		case m.What == "fill" && m.Colour == colours["lie"] && len(m.Path) == 4: // a liar has a triangle
			v.lies++
		case m.What == "stroke" && m.Colour == colours["lost"] && len(m.Path) == 4:
			v.cross++
		}
	}
	return v
}

// pictures are what is drawn at places of the slider, nodes by a colour.
func pictures(p *browser.Page, by string, places []int) (all []*picture, colours map[string]string) {
	colours = browser.Ask[map[string]string](p, "probe.colours()")
	for _, marks := range ask[[][]mark](p, `given => { probe.by(given.by);
		return given.places.map(at => probe.drawn(() => probe.seek(at))); }`,
		map[string]any{"by": by, "places": places}) {
		all = append(all, pictureOf(marks, colours))
	}
	return all, colours
}

// checkPackets compares how many packets of each kind are drawn.
func (f *facts) checkPackets(t *testing.T, at float64, v *picture) (cross, lies int) {
	t.Helper()
	var dots, hollow int
	for _, row := range f.drawn(at) {
		switch m := f.messages[row]; {
		case m.ReceivedNS < 0 && at >= float64(m.SentNS+f.delay(m)): // half of the time in which it is drawn
			cross++
		case m.Kind != record.MessageValue:
			hollow++
		case f.lies[[3]int32{m.Src, m.Dst, m.Round}]:
			lies++
		default:
			dots++
		}
	}
	if v.dots != dots || v.hollow != hollow || v.lies != lies || v.cross != cross {
		t.Errorf("at %v ns: %d values, %d others, %d lies, %d lost are drawn, of %d, %d, %d, %d", at, v.dots, v.hollow,
			v.lies, v.cross, dots, hollow, lies, cross)
	}
	return cross, lies
}

func TestPage_DrawsFaults(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, faulty, 1))
	f.shown(t, p)
	places := instants(120)
	crosses, out := 0, 0
	all, colours := pictures(p, "distance", places)
	cutting := false
	for k, v := range all {
		at := f.at(places[k])
		cross, _ := f.checkPackets(t, at, v)
		crosses += cross
		if len(v.places) != f.v.Nodes {
			t.Fatalf("%d nodes have a number", len(v.places))
		}
		for node := range f.v.Nodes {
			down := f.down(node, at) != nil
			if down {
				out++
			}
			rim := colours["frame"]
			if down {
				rim = colours["bad"]
			}
			if v.rim[node] != rim || down && v.fill[node] != colours["ground"] {
				t.Errorf("at %v ns, node %d, down %v: %s around %s", at, node, down, v.rim[node], v.fill[node])
			}
		}
		// Edges are drawn anew where a partition begins or ends.
		if now := 600e6 <= at && at < 1500e6; now != cutting {
			cutting = now
			f.checkEdges(t, v, func(a, b int) bool { return now && (a < 4) != (b < 4) })
		}
	}
	if crosses < 20 || out < 20 || cutting {
		t.Errorf("%d crosses, %d nodes down, a partition at the end %v", crosses, out, cutting)
	}
}

// keys are the words of the legend that are seen.
func keys(p *browser.Page) []string {
	return browser.Ask[[]string](p, `[...document.querySelectorAll(".key")]
		.filter(e => e.getBoundingClientRect().width > 0).map(e => e.textContent)`)
}

// A slow node and a bad link are marked while they are that, and told to who does not see it; the legend has all marks.
func TestPage_MarksWhatIsSlowOrBad(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, `name: bad
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 5}
  latency: 20ms
  faults:
    - {slow: 3, factor: 2, at: 50ms, until: 150ms}
    - {link: [0, 1], factor: 2, at: 100ms, until: 200ms}
    - {partition: [[0, 1], [2, 3, 4]], at: 210ms, until: 230ms}
    - {crash: 2, at: 205ms, until: 215ms}
rounds: {count: 12, retry: 30ms}
algorithm: {kind: admm, eta: 0.05}
`, 1))
	f.shown(t, p)
	places, colours := instants(40), browser.Ask[map[string]string](p, "probe.colours()")
	type seen struct {
		Marks                []mark
		Label, Status, State string
		Node                 [][]string
	}
	browser.Ask[bool](p, `document.querySelector("#table").open = true`)
	all := ask[[]seen](p, `places => { for (let k = 0; k < 4; k++) probe.press("n");
		return places.map(at => { const text = s => document.querySelector(s);
			const marks = probe.drawn(() => probe.seek(at));
			return {marks, label: text("canvas.stage").getAttribute("aria-label"), status: text(".status").textContent,
				node: probe.pairs("#chosen"), state: probe.rows("#nodes")[3][1]}; }); }`, places)
	slows, links := 0, 0
	for k, v := range all {
		at, nodes := f.at(places[k]), pictureOf(v.Marks, colours).places
		slow, link := 50e6 <= at && at < 150e6, 100e6 <= at && at < 200e6
		bars, lines := 0, 0
		for _, m := range v.Marks {
			switch {
			case m.On != "stage" || m.Colour != colours["mark"]:
			case m.What == "fillRect":
				bars++
				x, y := m.Path[0][0]+m.Path[0][2]/2, m.Path[0][1]
				if !(math.Abs(x-nodes[3][0]) <= 1e-6 && y >= nodes[3][1] && y <= nodes[3][1]+30) {
					t.Errorf("at %v ns a node is marked as slow at %v, %v, and node 3 is at %v", at, x, y, nodes[3])
				}
			case m.Dashed:
				lines++
				for k, end := range m.Path {
					if !(math.Hypot(end[0]-nodes[k][0], end[1]-nodes[k][1]) <= 1e-6) {
						t.Errorf("at %v ns a bad link goes over %v, and nodes are at %v", at, m.Path, nodes)
					}
				}
			}
		}
		if (bars == 1) != slow || bars > 1 || (lines == 1) != link || lines > 1 {
			t.Errorf("at %v ns %d marks of slow nodes, %d of bad links", at, bars, lines)
		}
		told := strings.Contains(v.Status, "1 node slow")
		if told != slow || strings.Contains(v.Status, "1 link impaired") != link ||
			(value(v.Node, "fault") == "node 3 takes 2 times as long to compute from 50ms to 150ms") != slow ||
			strings.HasSuffix(v.State, ", slow") != slow || !strings.HasSuffix(v.Label, v.Status) {
			t.Errorf("at %v ns: %q, %q, %q, %q", at, v.Label, v.Status, v.State, v.Node)
		}
		if slow {
			slows++
		}
		if link {
			links++
		}
	}
	if slows < 5 || links < 5 {
		t.Errorf("a slow node at %d instants, a bad link at %d", slows, links)
	}
	if got, want := keys(p), []string{"value", "request or other", "lost", "computing", "down", "slow", "impaired link",
		"partition", "cut off", "partition", "down"}; !slices.Equal(got, want) {
		t.Errorf("the legend has %q, not %q", got, want)
	}
}

// The legend has what a run has, and that no node computes or is down is not told where none ever is.
func TestPage_TellsNothingOfWhatARunHasNot(t *testing.T) {
	p := browser.Find(t).Drive(t)
	const parties = `name: parties
problem: {data: wdbc, columns: [10, 10, 10], scale: {columns: max, rows: unit, intercept: false}, rho: 0.001}
network: {topology: {kind: star, nodes: 4}, latency: 20ms}
rounds: {count: 3}
algorithm: {kind: admm-sharing, form: averaged, eta: 0.0026, loss: mean}
`
	const crash, retry = "network.faults=[{crash: 2, at: 30ms, until: 50ms}]", "rounds.retry=50ms"
	const instant = "compute={row: 0s}"
	for _, c := range []struct {
		text string
		sets []string
		keys string
		told string // of nodes, at each time
	}{
		{hospitals, nil, "value, computing, victim, exact by here", "[0-5] computing"},
		{hospitals, []string{instant}, "value, victim, exact by here", ""},
		{parties, nil, "value", ""}, // whose steps are not recorded
		{hospitals, []string{crash, retry}, "value, request or other, lost, computing, down, victim, down, " +
			"exact by here", "[0-5] computing(; 1 down: 2)?"},
		{hospitals, []string{crash, retry, instant}, "value, request or other, lost, down, victim, down, exact by here",
			"(1 down: 2)?"},
	} {
		f := &facts{v: built(t, recorded(t, c.text, 1, c.sets...)).Runs[0]}
		f.shown(t, p)
		if got := strings.Join(keys(p), ", "); got != c.keys {
			t.Errorf("%q: the legend has %q, not %q", c.sets, got, c.keys)
		}
		type said struct {
			Present      [][]string
			Label, Heard string
		}
		told := map[string]bool{}
		for _, v := range ask[[]said](p, `places => { probe.press("Home"); return places.map(() => {
			probe.press("ArrowRight"); return {present: probe.pairs("#present"),
				label: document.querySelector("canvas.stage").getAttribute("aria-label"),
				heard: document.querySelector("#live").textContent}; }); }`, instants(60)) {
			nodes := value(v.Present, "nodes")
			told[nodes] = true
			if !strings.Contains(v.Label, nodes) || !strings.Contains(v.Heard, nodes) ||
				nodes == "" && (strings.Contains(v.Label, "computing") || strings.Contains(v.Heard, "nodes:")) {
				t.Errorf("%q: of nodes %q is told, who listens hears %q, %q", c.sets, nodes, v.Label, v.Heard)
			}
		}
		one := regexp.MustCompile("^" + c.told + "$")
		for nodes := range told {
			if !one.MatchString(nodes) {
				t.Errorf("%q: of nodes %q is told, not %q", c.sets, nodes, c.told)
			}
		}
		if (c.told == "") != (len(told) == 1) {
			t.Errorf("%q: of nodes %v is told", c.sets, told)
		}
	}
}

// checkEdges compares the edges that are drawn as cut, and as whole.
func (f *facts) checkEdges(t *testing.T, v *picture, apart func(a, b int) bool) {
	t.Helper()
	named := func(edges [][2][2]float64) (all [][2]int) {
		for _, e := range edges {
			ends := [2]int{-1, -1}
			for node, at := range v.places {
				for k := range ends {
					if math.Hypot(e[k][0]-at[0], e[k][1]-at[1]) < 1e-6 {
						ends[k] = node
					}
				}
			}
			all = append(all, ends)
		}
		return all
	}
	var plain, cut [][2]int
	for k := 0; k < len(f.v.Edges); k += 2 {
		e := [2]int{f.v.Edges[k], f.v.Edges[k+1]}
		if apart(e[0], e[1]) {
			cut = append(cut, e)
		} else {
			plain = append(plain, e)
		}
	}
	if p, c := named(v.plain), named(v.cut); !slices.Equal(p, plain) || !slices.Equal(c, cut) {
		t.Errorf("edges %v, cut %v; not %v, %v", p, c, plain, cut)
	}
}

// A node in no group of a partition keeps all its links.
func TestPage_CutsGroupsAlone(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, `name: apart
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: complete, nodes: 5}
  latency: 20ms
  faults: [{at: 30ms, partition: [[0, 1], [3, 4]], until: 100s}]
rounds: {mode: asynchronous, count: 5, staleness: 20}
algorithm: {kind: edge-admm, eta: 0.05}
`, 1))
	f.shown(t, p)
	all, _ := pictures(p, "distance", []int{0, 10000}) // between which edges are drawn anew
	group := []int{1, 1, 0, 2, 2}
	f.checkEdges(t, all[1], func(a, b int) bool { return group[a]*group[b] == 2 })
}

// Nodes of one value have one colour, and of a higher one a lighter one; the ends of the legend are the ends.
func TestPage_ColoursNodesByWhatTheyDo(t *testing.T) {
	p := browser.Find(t).Drive(t)
	calm, _, _ := strings.Cut(faulty, "  faults:")
	_, after, _ := strings.Cut(faulty, "compute:")
	for name, text := range map[string]string{"faulty": faulty, "calm": calm + "compute:" + after,
		"left": calm + "  faults: [{leave: 3, at: 400ms}]\ncompute:" + after} { // and is no longer behind
		f := factsOf(t, recorded(t, text, 1))
		f.shown(t, p)
		places := instants(80)
		for by, of := range map[string]func(node int, at float64) (int, bool){
			"behind": func(node int, at float64) (int, bool) {
				round := f.round(node, at)
				return f.first(at) - round, round >= 0
			},
			"stale": func(node int, at float64) (int, bool) {
				all := f.published(node, at)
				if len(all) == 0 || all[len(all)-1] == 0 {
					return 0, false // nothing entered its start
				}
				round := all[len(all)-1]
				return max(0, round-1-slices.Min(f.used(t, node, round))), true
			},
		} {
			all, colours := pictures(p, by, places)
			legend := browser.Ask[[]string](p, "probe.legend()")
			ends := browser.Ask[[]string](p, `["#low", "#high"].map(s => document.querySelector(s).textContent)`)
			colour := map[int]string{}
			for k, v := range all {
				for node := range f.v.Nodes {
					at := f.at(places[k])
					x, known := of(node, at)
					if known = known && f.down(node, at) == nil; !known {
						if v.fill[node] != colours["ground"] {
							t.Errorf("%s by %s at %v ns: node %d has %s, and no value", name, by, at, node,
								v.fill[node])
						}
						continue
					}
					if _, seen := colour[x]; !seen {
						colour[x] = v.fill[node]
					}
					if colour[x] != v.fill[node] {
						t.Fatalf("%s by %s at %v ns: node %d has %s, and another of %d has %s", name, by, at, node,
							v.fill[node], x, colour[x])
					}
				}
			}
			last, high := -1.0, 0
			if n, err := strconv.Atoi(ends[1]); err != nil {
				t.Fatal(err)
			} else {
				high = n
			}
			for x := range 100 {
				if c, ok := colour[x]; ok {
					l := light(t, c)
					if !(l > last) {
						t.Errorf("%s by %s: %d is no lighter than what is less: %v", name, by, x, colour)
					}
					last = l
				}
			}
			if by == "behind" {
				most := 0
				for node := range f.v.Nodes {
					for k, behind := range f.behind(node) {
						own := len(f.steps) - len(f.behind(node)) + k
						if f.down(node, float64(f.steps[own].EndedNS)) == nil {
							most = max(most, behind)
						}
					}
				}
				if high != most {
					t.Errorf("%s: the legend goes to %d, and nodes are up to %d behind", name, high, most)
				}
			}
			if c, ok := colour[high]; ok && c != legend[len(legend)-1] || ends[0] != "0" ||
				colour[0] != legend[0] || len(colour) < 4 {
				t.Errorf("%s by %s: from %q to %q, %v, in the legend %q", name, by, ends[0], ends[1], colour, legend)
			}
		}
		for node := range f.v.Nodes {
			if name == "calm" { // the other has been looked at
				f.checkNode(t, p, node, instants(8))
			}
		}
	}
}

// light is how light a colour is.
func light(t *testing.T, colour string) float64 {
	t.Helper()
	v, err := strconv.ParseUint(strings.TrimPrefix(colour, "#"), 16, 32)
	if err != nil {
		t.Fatal(err)
	}
	return 0.3*float64(v>>16) + 0.59*float64(v>>8&255) + 0.11*float64(v&255)
}

// What is known exactly has the colour that the legend calls exact, and a mark in the time line from then on.
func TestPage_MarksLiesAndWhatIsExact(t *testing.T) {
	p := browser.Find(t).Drive(t)
	const acts = "adversary={acts: [{kind: mirror, about: zero, nodes: [1], from-round: 2}], " +
		"knows: {victim: 2, all-but: 3}, attacks: [kkt-inversion, kkt-rounds]}"
	f := factsOf(t, recorded(t, hospitals, 1, acts))
	f.shown(t, p)
	places := instants(101)
	all, colours := pictures(p, "learnt", places)
	legend := browser.Ask[[]string](p, "probe.legend()")
	ends := browser.Ask[[]string](p, `["#low", "#high"].map(s => document.querySelector(s).textContent)`)
	if ends[0] != "exact" || ends[1] != "nothing" || legend[0] == legend[len(legend)-1] {
		t.Fatalf("the legend is from %q to %q, %q", ends[0], ends[1], legend)
	}
	a := f.v.Attack
	reached := func(point int) float64 { // when
		if a.Points[point] == 0 {
			return 0
		}
		return float64(f.messages[a.Order[a.Points[point]-1]].ReceivedNS)
	}
	counts := ask[[]string](p, `places => places.map(at => { probe.seek(at);
		return document.querySelector("#attack .count").textContent; })`, places)
	lies, exact, blocked := 0, 0, 0
	for k, v := range all {
		at := f.at(places[k])
		_, n := f.checkPackets(t, at, v)
		lies += n
		point := 0
		for point+1 < len(a.Points) && reached(point+1) <= at {
			point++
		}
		said := fmt.Sprintf("After %d of %d packets that it sees ", a.Points[point], len(a.Order))
		if !strings.HasPrefix(counts[k], said) {
			t.Errorf("at %v ns: %q, not %q", at, counts[k], said)
		}
		some, none := false, true
		for _, l := range a.Lines {
			switch s := l.Says[l.At[point]]; {
			case s.Outcome == record.Exact:
				some = true
			case s.Outcome == record.Partial:
				none = false
			}
		}
		for node := range f.v.Nodes {
			c := v.fill[node]
			switch {
			case node != 2: // no victim
				if c != colours["ground"] {
					t.Errorf("at %v ns node %d, which is no victim, has %s", at, node, c)
				}
			case some:
				if exact++; c != legend[0] {
					t.Errorf("at %v ns the sample is known exactly, and its node has %s of %q", at, c, legend)
				}
			case none:
				if blocked++; c != legend[len(legend)-1] {
					t.Errorf("at %v ns nothing is known, and the node has %s of %q", at, c, legend)
				}
			}
		}
	}
	if lies < 5 || exact < 5 || blocked < 5 {
		t.Errorf("%d lies are drawn; exact at %d instants, blocked at %d", lies, exact, blocked)
	}

	// The time line is painted anew when the window is another.
	browser.Ask[bool](p, "probe.listen(), true")
	p.Show(1000, 800, false)
	p.Wait("document.querySelector('#track').width < 1000")
	p.Press("n")
	width := browser.Ask[float64](p, "document.querySelector('#track').getBoundingClientRect().width")
	height := browser.Ask[float64](p, "document.querySelector('#track').getBoundingClientRect().height")
	var want, got []float64
	for _, l := range a.Lines {
		if l.Exact >= 0 {
			want = append(want, reached(l.Exact)/float64(f.v.End)*width)
		}
	}
	for _, m := range browser.Ask[[]mark](p, "probe.heard()") {
		if m.What == "fillRect" && m.On == "" && m.Colour == colours["lost"] && math.Abs(m.Path[0][3]-height) < 0.01 {
			got = append(got, m.Path[0][0]+m.Path[0][2]/2)
		}
	}
	if len(want) == 0 {
		t.Error("nothing becomes exact")
	}
	near := func(all []float64, x float64) bool {
		return slices.ContainsFunc(all, func(y float64) bool { return math.Abs(x-y) < 0.01 })
	}
	for _, x := range want {
		if !near(got, x) {
			t.Errorf("no mark at %v, where it becomes exact: %v", x, got)
		}
	}
	for _, x := range got {
		if !near(want, x) {
			t.Errorf("a mark at %v, and it becomes exact at %v", x, want)
		}
	}
}

// What changed is told from when on, and has a line in the time line; whom liars drive is ringed, dashed, and told.
func TestPage_TellsChangesAndWhomLiarsDrive(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, `name: driven
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 5}, latency: 20ms}
rounds: {count: 8, retry: 30ms}
algorithm: {kind: admm, eta: 0.05}
changes: [{at: 70ms, set: {network.loss: 0.1}}]
adversary: {knows: {victim: 0, all-but: 1}, attacks: [kkt-inversion],
  acts: [{kind: steer, nodes: [1], victim: 2, row: 1}]}
`, 1))
	f.shown(t, p)
	const text = "from 70ms on network.loss=0.1"
	places := instants(60)
	told := ask[[][][]string](p, `all => all.map(at => { probe.seek(at); return probe.pairs("#present"); })`, places)
	after := 0
	for k, got := range told {
		want := ""
		if f.at(places[k]) >= 70e6 {
			want = text
			after++
		}
		if got := value(got, "changed"); got != want {
			t.Errorf("at %v ns: changed %q, not %q", f.at(places[k]), got, want)
		}
	}
	if after < 10 || after > 55 {
		t.Errorf("the change is at %d of 60 instants", after)
	}
	said := browser.Ask[string](p, "document.querySelector('#runs').textContent")
	if !strings.Contains(said, "What changed while it went"+text) ||
		!strings.Contains(said, "no packets are lost at random; from 70ms on 10 %") {
		t.Errorf("of the run is said %q", said)
	}
	shown := func(id string) bool {
		return browser.Ask[bool](p, "document.querySelector('"+id+"').getBoundingClientRect().width > 0")
	}
	if !shown("#driven") || !shown("#changing") {
		t.Error("the legend does not tell of changes and nodes that are driven")
	}
	driven := ask[[]string](p, `n => { probe.press("Escape"); const all = [];
		for (let k = 0; k < n; k++) { probe.press("n"); all.push(probe.pairs("#chosen")
			.filter(p => p[0] === "driven").map(p => p[1]).join()); } return all; }`, 5)
	for node, said := range driven {
		if (said != "") != (node == 2) {
			t.Errorf("node %d is driven: %q", node, said)
		}
	}
	colours := browser.Ask[map[string]string](p, "probe.colours()")
	marks := ask[[]mark](p, `at => probe.drawn(() => probe.seek(at))`, 5000)
	v := pictureOf(marks, colours)
	var ringed []int
	for _, m := range marks {
		if m.On == "stage" && m.What == "stroke" && m.Colour == colours["lie"] && m.Dashed && len(m.Path) == 1 {
			for node, at := range v.places {
				if math.Hypot(m.Path[0][0]-at[0], m.Path[0][1]-at[1]) < 1e-6 {
					ringed = append(ringed, node)
				}
			}
		}
	}
	if !slices.Equal(ringed, []int{2}) {
		t.Errorf("nodes %v are ringed as driven", ringed)
	}
	browser.Ask[bool](p, "probe.listen(), true")
	p.Show(1000, 800, false)
	p.Wait("document.querySelector('#track').width < 1000")
	p.Press("n")
	width := browser.Ask[float64](p, "document.querySelector('#track').getBoundingClientRect().width")
	var at []float64
	for _, m := range browser.Ask[[]mark](p, "probe.heard()") {
		if m.What == "fillRect" && m.On == "" && m.Colour == colours["change"] {
			at = append(at, m.Path[0][0]+m.Path[0][2]/2)
		}
	}
	if want := 70e6 / float64(f.v.End) * width; len(at) != 1 || !(math.Abs(at[0]-want) <= 0.01) {
		t.Errorf("the change is drawn at %v, not at %v", at, want)
	}
}

// Who sends has a row, who receives a column.
func TestPage_MatrixHasSendersInRows(t *testing.T) {
	p := browser.Find(t).Drive(t)
	f := factsOf(t, recorded(t, `name: large
problem: {data: {set: twonorm, rows: 700}, rho: 0.22}
network:
  topology: {kind: random-regular, nodes: 320, degree: 4}
  latency: {kind: lognormal, median: 20ms, sigma: 0.8}
  loss: 0.1
  faults: [{crash: 17, at: 5ms, until: 400ms}, {slow: 40, factor: 3, until: 300ms},
    {link: [0, 139], factor: 3, until: 300ms}, {partition: [[3, 300], [5]], until: 300ms}]
rounds: {count: 2, retry: 100ms}
algorithm: {kind: edge-admm, eta: 0.3}
`, 1))
	f.v.Attack = &Attack{Victims: []int{200}, Watched: []int{90, 310}, Order: []int{}, Points: []int{0},
		Lines: []AttackLine{}}
	f.shown(t, p)
	colours := browser.Ask[map[string]string](p, "probe.colours()")
	places := instants(48)
	type seen struct {
		Title string
		Marks []mark
	}
	shade := ask[[]mark](p, `() => probe.drawn(() => { probe.seek(10000); probe.seek(0); })`, 0)
	all := ask[[]seen](p, `places => places.map(at => { probe.press("Escape"); probe.seek(at); probe.press("k");
		const marks = probe.drawn(() => probe.seek(at)).filter(m => m.on === "stage");
		return {title: document.querySelector("#chosen h3")?.textContent || "", marks}; })`, places)
	packets, out, hindered := 0, 0, 0
	for k, v := range all {
		at := f.at(places[k])
		var bad []mark // links
		slow, victims, watched := [2][]int{}, [2][]int{}, [2][]int{}
		var frame []float64
		for _, m := range v.Marks {
			if m.What == "strokeRect" && m.Colour == colours["frame"] {
				frame = m.Path[0]
			}
		}
		left, top, cell := frame[0]+0.5, frame[1]+0.5, (frame[2]-1)/float64(f.v.Nodes)
		cells := map[string][][2]int{}
		bars, strip := 0, [2]map[int]bool{{}, {}} // rows and columns of nodes that are down
		for _, m := range v.Marks {
			if m.What == "strokeRect" && m.Colour == colours["mark"] {
				bad = append(bad, m)
			}
			if m.What != "fillRect" {
				continue
			}
			x, y, w, h := m.Path[0][0], m.Path[0][1], m.Path[0][2], m.Path[0][3]
			switch {
			case x >= left-w/2 && y >= top-h/2: // a packet
				c := [2]int{int((y + h/2 - top) / cell), int((x + w/2 - left) / cell)}
				cells[m.Colour] = append(cells[m.Colour], c)
			case m.Colour == colours["mark"] && x < left:
				slow[0] = append(slow[0], int((y-top)/cell+0.5))
			case m.Colour == colours["mark"]:
				slow[1] = append(slow[1], int((x-left)/cell+0.5))
			case m.Colour == colours["lost"] && x < left:
				victims[0] = append(victims[0], int((y-top)/cell+0.5))
			case m.Colour == colours["lost"]:
				victims[1] = append(victims[1], int((x-left)/cell+0.5))
			case m.Colour == colours["text"] && x < left && w < 5: // within the strip of colours
				watched[0] = append(watched[0], int((y-top)/cell+0.5))
			case m.Colour == colours["text"] && y < top && h < 5:
				watched[1] = append(watched[1], int((x-left)/cell+0.5))
			case m.Colour == colours["text"] && x < left:
				strip[0][int((y-top)/cell+0.5)] = true
			case m.Colour == colours["text"]:
				strip[1][int((x-left)/cell+0.5)] = true
			default:
				bars++
			}
		}
		want := map[string][][2]int{}
		rows := f.drawn(at)
		for _, row := range rows {
			m, colour := f.messages[row], colours["packet"]
			switch {
			case m.ReceivedNS < 0:
				colour = colours["lost"]
			case m.Kind != record.MessageValue:
				colour = colours["request"]
			}
			want[colour] = append(want[colour], [2]int{int(m.Src), int(m.Dst)})
			packets++
		}
		for _, colour := range []string{"packet", "lost", "request"} {
			if c := colours[colour]; !slices.Equal(cells[c], want[c]) {
				t.Errorf("at %v ns, %s: cells by row and column %v, not %v", at, colour, cells[c], want[c])
			}
		}
		down := f.down(17, at) != nil
		if down {
			out++
		}
		for _, nodes := range strip {
			if nodes[17] != down || !down && len(nodes) > 0 || len(nodes) > 1 {
				t.Errorf("at %v ns, node 17 down %v: rows and columns of nodes that are down %v", at, down, strip)
			}
		}
		if want := []int{200}; !slices.Equal(victims[0], want) || !slices.Equal(victims[1], want) {
			t.Errorf("at %v ns rows and columns of victims %v", at, victims)
		}
		if want := f.v.Attack.Watched; !slices.Equal(watched[0], want) || !slices.Equal(watched[1], want) {
			t.Errorf("at %v ns rows and columns of watched nodes %v", at, watched)
		}
		if bars == 0 {
			t.Error("nodes have no colours")
		}
		var wantSlow []int
		var wantBad, linked [][2]int
		if at < 300e6 {
			hindered++
			wantSlow, wantBad = []int{40}, [][2]int{{0, 139}, {139, 0}}
		}
		for _, m := range bad {
			r := m.Path[0]
			linked = append(linked, [2]int{int((r[1] + r[3]/2 - top) / cell), int((r[0] + r[2]/2 - left) / cell)})
		}
		slices.SortFunc(linked, func(a, b [2]int) int { return a[0] - b[0] })
		if !slices.Equal(slow[0], wantSlow) || !slices.Equal(slow[1], wantSlow) || !slices.Equal(linked, wantBad) {
			t.Errorf("at %v ns, slow nodes %v, bad links %v; not %v, %v", at, slow, linked, wantSlow, wantBad)
		}
		if len(rows) > 0 && v.Title != fmt.Sprintf("Packet %d", f.messages[rows[0]].ID) {
			t.Errorf("at %v ns %q is chosen", at, v.Title)
		}
	}
	if packets < 500 || out == 0 || hindered == 0 || hindered == len(all) {
		t.Errorf("%d packets, node 17 is down at %d instants, faults at %d", packets, out, hindered)
	}
	area := 0.0 // of cells of pairs that are cut off
	for _, m := range shade {
		if m.What == "fillRect" && m.On == "" && m.Colour == colours["cut2"] {
			area += m.Path[0][2] * m.Path[0][3]
		}
	}
	var size float64
	for _, m := range shade {
		if m.What == "strokeRect" && m.Colour == colours["frame"] {
			size = m.Path[0][2] - 1
		}
	}
	if cell := size / float64(f.v.Nodes); !(math.Abs(area/cell/cell-4) < 2) { // to a pixel
		t.Errorf("%v pixels are shaded, in cells of %v: not 4 cells", area, cell)
	}
	if want := []string{"value", "request or other", "lost", "down", "slow", "impaired link", "cut off", "victim",
		"watched", "partition", "down"}; !slices.Equal(keys(p), want) {
		t.Errorf("the legend has %q, not %q", keys(p), want)
	}
}
