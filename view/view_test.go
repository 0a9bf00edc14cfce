// Documents against the records that they are of.

package view

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"overhear/evaluation"
	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

// recorded runs a seed of a scenario.
func recorded(t *testing.T, text string, seed uint64, sets ...string) *record.Run {
	t.Helper()
	s, err := scenarios.Parse("viewed.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := experiment.New(s, "").Run(context.Background(), seed, experiment.Options{Out: t.TempDir(), Workers: 2,
		Extra: evaluation.WriteKnowledge})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func built(t *testing.T, runs ...*record.Run) *Document {
	t.Helper()
	d, err := Build(context.Background(), runs, Options{Points: 32})
	if err == nil {
		err = d.Carry(context.Background(), func(int, int) {})
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// faulty is a run in which nearly everything goes wrong that can.
const faulty = `name: faulty
about: crashes, a partition, a slow node, losses and duplicates
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: watts-strogatz, nodes: 8, nearest: 4, rewire: 0}
  latency: {kind: lognormal, median: 20ms, sigma: 0.8}
  loss: 0.1
  duplication: 0.05
  faults:
    - {at: 300ms, crash: 7, until: 900ms, memory: lost}
    - {at: 600ms, partition: [[0, 1, 2, 3], [4, 5, 6, 7]], until: 1500ms}
    - {slow: 5, factor: 10}
    - {link: [0, 1], factor: 5, loss: 0.5}
    - {join: 4, at: 200ms}
    - {crashes: {every: 1s, for: 200ms}, until: 2s}
compute: {row: 400us, speed-spread: 0.6}
rounds: {mode: asynchronous, count: 40, staleness: 20}
algorithm: {kind: edge-admm, eta: 0.05}
`

// hospitals is a run in lockstep with an adversary.
const hospitals = `name: hospitals
about: one of five hospitals is attacked
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 5}, latency: 20ms}
rounds: {count: 6}
algorithm: {kind: admm, eta: 0.05}
adversary:
  knows: {victim: 2, all-but: 3}
  attacks: [kkt-inversion, kkt-rounds]
`

// A fault is listed as it was: one that another list of faults took away, kept or added says so.
func TestDocument_TellsWhichFaultsWereAddedAndTakenAway(t *testing.T) {
	v := built(t, recorded(t, `name: changed
about: other faults from 70ms on
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 4}
  latency: 20ms
  faults:
    - {partition: [[0], [1, 2, 3]], at: 50ms, until: 300ms}
    - {slow: 1, factor: 2, at: 10ms}
    - {crash: 2, at: 20ms, until: 60ms}
rounds: {count: 12, retry: 30ms}
algorithm: {kind: admm, eta: 0.05}
changes:
  - at: 70ms
    set:
      network.faults: [{slow: 1, factor: 2, at: 10ms}, {link: [0, 1], loss: 0.5, until: 200ms}]
`, 1)).Runs[0]
	type fault struct {
		from, to int64
		text     string
	}
	var got []fault
	for _, f := range v.Faults {
		got = append(got, fault{f.From, f.To, f.Text})
	}
	want := []fault{
		{50e6, 70e6, "node 0 and nodes 1, 2, 3 are cut off from each other from 50ms to 300ms; taken away at 70ms"},
		{10e6, v.End + 1, "node 1 takes 2 times as long to compute from 10ms on"},
		{20e6, 60e6, "node 2 is down from 20ms to 60ms, memory kept"},
		{70e6, 200e6, "link 0-1 loses packets with probability 0.5 from 0s to 200ms; added at 70ms"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("faults\n%v, want\n%v", got, want)
	}
	if c := v.Cuts; len(c) != 1 || c[0].From != 50e6 || c[0].To != 70e6 {
		t.Errorf("partitions %+v", c)
	}
}

// A fault whose time is after the run was over is told as such, and is nowhere on the time line; nor has it a plan of
// such a time.
func TestDocument_TellsWhichFaultsNeverCame(t *testing.T) {
	r := recorded(t, `name: late
about: faults that the run does not live to see
problem: {data: wdbc, train: 0.8, rho: 0.22}
network:
  topology: {kind: ring, nodes: 4}
  latency: 20ms
  faults:
    - {partition: [[0], [1, 2, 3]], at: 50s, until: 60s}
    - {partition: [[0, 1], [2, 3]], at: 30ms, until: 35ms}
    - {slow: 1, factor: 2, at: 50s}
    - {link: [0, 1], loss: 0.5, at: 50s}
    - {crash: 2, at: 50s}
rounds: {count: 3, retry: 30ms}
algorithm: {kind: admm, eta: 0.05}
changes:
  - {at: 70s, set: {network.faults: [{slow: 1, factor: 2, at: 50s}, {slow: 2, factor: 2}]}}
`, 1)
	v, end := built(t, r).Runs[0], int64(0)
	const never = "; never came into effect, as the run was over before"
	if end = v.End + 1; end > 50e9 {
		t.Fatal("the run is too long")
	}
	want := []Fault{
		{From: end, To: end, Text: "node 0 and nodes 1, 2, 3 are cut off from each other from 50s to 1m0s" + never},
		{From: 30e6, To: 35e6, Text: "nodes 0, 1 and nodes 2, 3 are cut off from each other from 30ms to 35ms"},
		{From: end, To: end, Text: "node 1 takes 2 times as long to compute from 50s on" + never},
		{From: end, To: end, Text: "link 0-1 loses packets with probability 0.5 from 50s on" + never},
		{From: end, To: end, Text: "node 2 is down from 50s on, memory kept" + never},
	}
	if !slices.EqualFunc(v.Faults, want, func(f, g Fault) bool {
		return f.From == g.From && f.To == g.To && f.Text == g.Text && f.Link == nil && f.Slow == nil
	}) {
		t.Errorf("faults\n%+v, want\n%+v", v.Faults, want)
	}
	if c := v.Cuts; len(c) != 1 || c[0].From != 30e6 || c[0].To != 35e6 {
		t.Errorf("partitions %+v", c)
	}
	if all, err := Happenings(r); err != nil || len(all) != 1 {
		t.Errorf("happenings %+v, %v", all, err)
	}
}

// A timeline has what went wrong and what changed for as long as it lasted, of those crashes at random, too, that the
// page shows.
func TestHappenings_AreThoseOfTheRun(t *testing.T) {
	r := recorded(t, faulty+"changes: [{at: 100ms, set: {network.loss: 0.2}}]\n", 1)
	v := built(t, r).Runs[0]
	all, err := Happenings(r)
	if err != nil {
		t.Fatal(err)
	}
	downs := 0
	for _, o := range v.Outages {
		if downs++; !slices.Contains(all, record.Happening{From: o.From, To: min(o.To, v.End),
			Name: fmt.Sprintf("node %d: %s", o.Node, o.Why)}) {
			t.Errorf("%+v is not among %+v", o, all)
		}
	}
	for _, h := range []record.Happening{
		{From: 300e6, To: 900e6, Name: "node 7: down, memory lost"},
		{From: 0, To: 200e6, Name: "node 4: has not joined"},
		{From: 600e6, To: 1500e6,
			Name: "nodes 0, 1, 2, 3 and nodes 4, 5, 6, 7 are cut off from each other from 600ms to 1.5s"},
		{From: 0, To: v.End, Name: "node 5 takes 10 times as long to compute from 0s on"},
		{From: 100e6, To: 100e6, Name: "from 100ms on network.loss=0.2"},
	} {
		if !slices.Contains(all, h) {
			t.Errorf("%+v is not among %+v", h, all)
		}
	}
	if downs < 4 || len(all) != downs+3+1 { // a partition, a slow node, a link; a change
		t.Errorf("%d happenings, %d of them outages", len(all), downs)
	}
	if all, err := Happenings(recorded(t, hospitals, 1)); err != nil || all != nil {
		t.Errorf("of a calm run: %+v, %v", all, err)
	}
	if _, err := Happenings(recorded(t, hospitals, 1, "record.messages=none")); !errors.Is(err, record.ErrNotRecorded) {
		t.Errorf("of one without packets: %v", err)
	}
}

// What a fork has otherwise than the run that it went on from is told with its time, and the losses of a run are those
// of each of its parts.
func TestDocument_TellsWhatChanged(t *testing.T) {
	calm := `name: changed
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 4}, latency: 20ms%s}
rounds: {count: 12, retry: 30ms}
algorithm: {kind: admm, eta: 0.05}
changes:
  - {at: 70ms, set: {network.loss: 0.3, algorithm.eta: 0.07}}
  - {at: 150ms, set: {network.loss: 0, network.duplication: 0.2}}
  - {at: 100s, set: {network.loss: 0.9}}
`
	for was, want := range map[string]string{
		"":            "no packets are lost at random; from 70ms on 30 %; from 150ms on 0 %",
		", loss: 0.1": "10 % of packets are lost, at random; from 70ms on 30 %; from 150ms on 0 %",
		", loss: 0.3": "30 % of packets are lost, at random; from 150ms on 0 %",
	} {
		v := built(t, recorded(t, fmt.Sprintf(calm, was), 1)).Runs[0]
		if c := []Change{{70e6, "from 70ms on network.loss=0.3, algorithm.eta=0.07"},
			{150e6, "from 150ms on network.loss=0, network.duplication=0.2"}}; !slices.Equal(v.Changes, c) {
			t.Errorf("changes %+v, not %+v", v.Changes, c) // the last came too late
		}
		for _, fact := range [][2]string{{"loss", want},
			{"duplication", "no packets arrive twice at random; from 150ms on 20 %"}} {
			if !slices.Contains(v.Facts, fact) {
				t.Errorf("%q is not among %q", fact, v.Facts)
			}
		}
	}
	v := built(t, recorded(t, hospitals, 1)).Runs[0]
	if v.Changes != nil || slices.ContainsFunc(v.Facts, func(f [2]string) bool { return f[0] == "loss" }) {
		t.Errorf("of a run without changes and losses: %+v, %q", v.Changes, v.Facts)
	}
}

func TestDocument_HasThePacketsOfTheRecord(t *testing.T) {
	r := recorded(t, faulty, 1)
	v := built(t, r).Runs[0]
	p := v.Packets
	id, sent := sums(p.ID), sums(p.Sent)
	k, lost, twice := 0, 0, 0
	last := uint64(math.MaxUint64)
	err := r.Messages(func(m record.Message) error {
		took := m.ReceivedNS - m.SentNS
		if m.ReceivedNS < 0 {
			took = -1
			lost++
		}
		if m.ID == last {
			twice++
		}
		last = m.ID
		if uint64(id[k]) != m.ID || sent[k] != m.SentNS || p.Took[k] != took || p.Src[k] != m.Src ||
			p.Dst[k] != m.Dst || p.Round[k] != m.Round || p.Bytes[k] != m.Bytes || p.Kinds[p.Kind[k]] != m.Kind {
			t.Fatalf("packet %d is %+v in the record", k, m)
		}
		k++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if k != len(p.ID) || lost == 0 || twice == 0 {
		t.Errorf("%d packets of %d, %d lost, %d twice", len(p.ID), k, lost, twice)
	}
	want := [2]string{"packets", strconv.Itoa(k-twice) + " sent, " + strconv.Itoa(lost) + " lost, " +
		strconv.Itoa(twice) + " that arrived twice"}
	if !slices.Contains(v.Facts, want) {
		t.Errorf("%q is not among %q", want, v.Facts)
	}
}

// The distances and losses of the nodes' values give the metrics of the run.
func TestDocument_MeasuresAsTheRunDid(t *testing.T) {
	for _, weight := range []string{"problem.C=1", "problem.C=3"} { // which losses do not have
		t.Run(weight, func(t *testing.T) { measuresAsItDid(t, recorded(t, hospitals, 1, weight)) })
	}
}

func measuresAsItDid(t *testing.T, r *record.Run) {
	t.Helper()
	v := built(t, r).Runs[0]
	table, err := r.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	distance, loss := table.Column("distance"), table.Column("loss")
	for round := range distance {
		farthest, mean, n := 0.0, 0.0, 0.0
		for k := range v.Values.Node {
			if int(v.Values.Round[k]) == round {
				farthest = max(farthest, float64(v.Values.Distance[k]))
				mean += float64(v.Values.Loss[k])
				n++
			}
		}
		if n != 5 || !(math.Abs(farthest-distance[round]) <= 1e-12) || !(math.Abs(mean/n-loss[round]) <= 1e-12) {
			t.Errorf("round %d of %v nodes: distance %v, loss %v; the run has %v, %v", round, n, farthest, mean/n,
				distance[round], loss[round])
		}
	}
}

// Outages are as long as the run says that nodes were down.
func TestDocument_HasTheOutagesOfTheRun(t *testing.T) {
	r := recorded(t, faulty, 1)
	v := built(t, r).Runs[0]
	f, err := os.Open(filepath.Join(r.Dir, "nodes.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	number := func(text string) float64 {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	down, finished := slices.Index(rows[0], "down_s"), slices.Index(rows[0], "finished_s")
	some := 0.0
	for node, row := range rows[1:] {
		until := int64(math.Round(1e9 * number(row[finished])))
		total := int64(0)
		for _, o := range v.Outages {
			if o.Node == node && o.From < until {
				total += min(o.To, until) - o.From
			}
		}
		if want := number(row[down]); !(math.Abs(float64(total)/1e9-want) <= 2e-9) {
			t.Errorf("node %d was down for %v s, and its outages are %v s", node, want, float64(total)/1e9)
		}
		some += number(row[down])
	}
	if some == 0 {
		t.Error("no node was down")
	}
	if len(v.Cuts) != 1 || v.Cuts[0].From != 600e6 || v.Cuts[0].To != 1500e6 || len(v.Faults) != 6 {
		t.Errorf("partitions %+v, faults %+v", v.Cuts, v.Faults)
	}
	if !slices.ContainsFunc(v.Outages, func(o Outage) bool { return o.Node == 4 && o.Why == "has not joined" }) {
		t.Errorf("node 4 is never absent: %+v", v.Outages)
	}
}

// What entered an update had arrived when it began, and nothing newer of the same neighbour had.
func TestDocument_InputsHadArrived(t *testing.T) {
	text, _, _ := strings.Cut(faulty, "  faults:")
	_, after, _ := strings.Cut(faulty, "compute:")
	r := recorded(t, text+"compute:"+after, 1)
	v := built(t, r).Runs[0]
	if v.Inputs.Lockstep || v.Inputs.Why != "" {
		t.Fatalf("inputs: %q", v.Inputs.Why)
	}
	began := map[[2]int32]int64{}
	err := r.Steps(func(s record.Step) error { began[[2]int32{s.Node, s.Round}] = s.BeganNS; return nil })
	if err != nil {
		t.Fatal(err)
	}
	neighbours := make([][]int32, v.Nodes)
	for k := 0; k < 2*v.GraphEdges; k += 2 {
		a, b := int32(v.Edges[k]), int32(v.Edges[k+1])
		neighbours[a], neighbours[b] = append(neighbours[a], b), append(neighbours[b], a)
	}
	type arrival struct {
		at    int64
		round int
	}
	arrivals := map[[2]int32][]arrival{}
	for k, at := range sums(v.Packets.Sent) {
		if v.Packets.Took[k] >= 0 && v.Packets.Kinds[v.Packets.Kind[k]] == record.MessageValue {
			key := [2]int32{v.Packets.Dst[k], v.Packets.Src[k]}
			arrivals[key] = append(arrivals[key], arrival{at + v.Packets.Took[k], int(v.Packets.Round[k])})
		}
	}
	checked, late := 0, 0
	for k, lags := range v.Inputs.Lags {
		node, round := v.Steps.Node[k], v.Steps.Round[k]
		if round == 0 {
			continue
		}
		slices.Sort(neighbours[node])
		at := began[[2]int32{node, round}]
		for j, lag := range lags {
			newest, atOnce := -1, -1 // that had come before the update began, and by then
			for _, a := range arrivals[[2]int32{node, neighbours[node][j]}] {
				if a.at < at {
					newest = max(newest, a.round)
				}
				if a.at <= at {
					atOnce = max(atOnce, a.round)
				}
			}
			if used := int(round) - 1 - lag; used < newest || used > atOnce {
				t.Errorf("node %d, round %d: of node %d entered round %d, and %d had come", node, round,
					neighbours[node][j], used, newest)
			}
			checked++
			if lag != 0 {
				late++
			}
		}
	}
	if checked < 1000 || late < 100 {
		t.Errorf("%d inputs, %d of them not of the round before", checked, late)
	}
}

// Lags of the values that entered updates are those that the run counted, but for each node's last step, which
// publishes nothing.
func TestDocument_CountsLagsAsTheRunDid(t *testing.T) {
	for seed := range uint64(4) {
		r := recorded(t, faulty, seed)
		v := built(t, r).Runs[0]
		counted := make([]int64, len(r.Info.Activity.Lags))
		updates := 0
		for k, lags := range v.Inputs.Lags {
			if v.Steps.Round[k] > 0 && lags == nil {
				t.Errorf("seed %d: what entered round %d of node %d is not known: %s", seed, v.Steps.Round[k],
					v.Steps.Node[k], v.Inputs.Why)
			}
			for _, lag := range lags {
				if updates++; int(v.Steps.Round[k])-1-lag < v.Rounds { // nothing more is expected of others
					counted[max(0, lag)]++
				}
			}
		}
		differ := 0
		for lag, n := range r.Info.Activity.Lags {
			if counted[lag] > n {
				t.Errorf("seed %d: %d values are %d rounds late, of %d", seed, counted[lag], lag, n)
			}
			differ += int(n - counted[lag])
		}
		if most := 3 * 2 * v.GraphEdges; updates < 1000 || differ > most {
			t.Errorf("seed %d: %d inputs, and the run counted %d more", seed, updates, differ)
		}
	}
}

func TestDocument_LockstepIsSaidOnce(t *testing.T) {
	v := built(t, recorded(t, hospitals, 1)).Runs[0]
	if !v.Inputs.Lockstep || v.Inputs.Lags != nil {
		t.Errorf("%+v", v.Inputs)
	}
}

// The attacks are carried out right before and right after the packet from which on they are exact, and on all packets
// they say what simulate attack says.
func TestDocument_NamesThePacketThatGivesTheSampleAway(t *testing.T) {
	r := recorded(t, hospitals, 1)
	v := built(t, r).Runs[0]
	all, err := evaluation.Attack(context.Background(), r, evaluation.AttackOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	a := v.Attack
	if len(a.Lines) != 2 || len(a.Order) != len(v.Packets.ID) || a.Points[0] != 0 ||
		a.Points[len(a.Points)-1] != len(a.Order) {
		t.Fatalf("%d lines, %d packets, points %v", len(a.Lines), len(a.Order), a.Points)
	}
	for k, l := range a.Lines {
		f := all.Findings[k]
		last := l.Says[l.At[len(l.At)-1]]
		if f.Attack != l.Attack || f.Succeeded != last.Outcome || f.Conclusion != last.Conclusion ||
			f.Baselines[0].Error != record.Number(last.Error) {
			t.Errorf("%s: %s at the end, %s in attacks.json", l.Attack, last.Outcome, f.Succeeded)
		}
		if l.Exact <= 0 || a.Points[l.Exact-1] != a.Points[l.Exact]-1 {
			t.Fatalf("%s: exact from point %d on, of %v", l.Attack, l.Exact, a.Points)
		}
		row := a.Order[a.Points[l.Exact]-1]
		if v.Packets.Round[row] != 1 { // of whatever node: what its neighbours had sent belongs to it
			t.Errorf("%s: exact from packet %d on, of round %d", l.Attack, row, v.Packets.Round[row])
		}
		if slices.Contains(last.Right, false) || !slices.Equal(last.Sample, last.Truth) {
			t.Errorf("%s: the estimate is %v of %v", l.Attack, last.Sample, last.Truth)
		}
	}
}

// What colluders computed themselves is theirs from the time at which they did.
func TestDocument_ColludersKnowNothingAhead(t *testing.T) {
	r := recorded(t, `name: beyond
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 6}, latency: 20ms}
rounds: {count: 8}
algorithm: {kind: dgd, step: 0.001, decay: none}
adversary: {view: {kind: nodes, nodes: [1, 3]}, knows: {victim: 2, all-but: 0}, attacks: [beyond-neighbours]}
`, 1)
	v := built(t, r).Runs[0]
	l := v.Attack.Lines[0]
	if first := l.Says[0]; !strings.Contains(first.Conclusion, "own value of round 1 is not known") {
		t.Errorf("before any packet: %s, %s", first.Outcome, first.Conclusion)
	}
	for _, row := range v.Attack.Order {
		if src, dst := v.Packets.Src[row], v.Packets.Dst[row]; src != 1 && src != 3 && dst != 1 && dst != 3 {
			t.Errorf("colluders see a packet from node %d to node %d", src, dst)
		}
	}
}

// A sample is told as it stands in the file, whatever was divided by what.
func TestDocument_TellsSamplesAsTheyAreInTheData(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "patients.csv")
	var text strings.Builder
	text.WriteString("age,sex,state,dose,ill\n")
	var rows [][]string
	for k := range 40 {
		dose := strconv.FormatFloat(0.25*float64(1+5*k%17), 'g', -1, 64)
		row := []string{strconv.Itoa(20 + 7*k%61), []string{"Female", "Male"}[k%2],
			[]string{"divorced", "married", "single"}[k*k%3], dose, strconv.Itoa(k * k % 7 % 2)}
		rows = append(rows, row)
		text.WriteString(strings.Join(row, ",") + "\n")
	}
	if err := os.WriteFile(csv, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	r := recorded(t, strings.Replace(`name: patients
problem: {data: {csv: FILE, label: ill, numeric: [age]}, rho: 0.1, train: 32}
network: {topology: {kind: ring, nodes: 4}}
rounds: {count: 5}
algorithm: {kind: admm, eta: 0.1}
adversary: {knows: {victim: 1, all-but: 2}, attacks: [kkt-inversion]}
`, "FILE", csv, 1), 1)
	l := built(t, r).Runs[0].Attack.Lines[0]
	last := l.Says[len(l.Says)-1]
	if !slices.Equal(l.Columns, []string{"age", "sex", "state", "dose", "ill"}) {
		t.Fatalf("columns %q", l.Columns)
	}
	if !slices.ContainsFunc(rows, func(row []string) bool { return slices.Equal(row, last.Truth) }) {
		t.Errorf("%q is no row of the file", last.Truth)
	}
	if last.Outcome != record.Exact || !slices.Equal(last.Sample, last.Truth) {
		t.Errorf("%s: %q for %q", last.Outcome, last.Sample, last.Truth)
	}
	if err := os.Remove(csv); err != nil {
		t.Fatal(err)
	}
	v := built(t, r).Runs[0]
	if s := v.Attack.Lines[0].Says[1]; s.Outcome != record.Unscored || s.Sample != nil || s.Truth != nil {
		t.Errorf("without the data: %+v", s)
	}
	if len(v.Notes) != 2 || !strings.HasSuffix(v.Notes[1], ": "+v.Attack.Unscored+".") || len(v.Attack.Unseen) > 0 ||
		!strings.HasPrefix(v.Attack.Unscored, "the data are not at hand: ") {
		t.Errorf("without the data: notes %q, unseen %q, unscored %q", v.Notes, v.Attack.Unseen, v.Attack.Unscored)
	}
	changed := strings.Replace(text.String(), ",0.25,", ",0.5,", 1)
	if err := os.WriteFile(csv, []byte(changed), 0o644); err != nil || changed == text.String() {
		t.Fatal(err)
	}
	if v := built(t, r).Runs[0]; len(v.Attack.Unseen) > 0 ||
		!strings.HasPrefix(v.Attack.Unscored, "the data are not those of the run: ") {
		t.Errorf("with other data: unseen %q, unscored %q", v.Attack.Unseen, v.Attack.Unscored)
	}
	want := "age " + last.Truth[0] + ", sex " + last.Truth[1]
	if !strings.HasPrefix(last.TrueOne, want) {
		t.Errorf("%q does not begin with %q", last.TrueOne, want)
	}
}

// Where no attack suits, or some do not, it is told of each why.
func TestDocument_TellsWhyAttacksDoNotSuit(t *testing.T) {
	suits := built(t, recorded(t, hospitals, 1, "adversary={knows: {victim: 2, all-but: 0}}")).Runs[0].Attack
	none := built(t, recorded(t, hospitals, 1, "adversary={knows: {victim: 2}}", "algorithm={kind: local}")).Runs[0]
	if none.Attack == nil || none.Attack.Lines == nil || len(none.Attack.Lines) > 0 || len(suits.Lines) == 0 {
		t.Fatalf("%+v, %+v", none.Attack, suits.Lines)
	}
	for _, all := range [][]record.Untried{suits.Untried, none.Attack.Untried} {
		for _, u := range all {
			if u.Attack == "" || u.Reason == "" {
				t.Errorf("%+v", u)
			}
		}
	}
	why := func(a *Attack, name string) string {
		k := slices.IndexFunc(a.Untried, func(u record.Untried) bool { return u.Attack == name })
		if k < 0 {
			return ""
		}
		return a.Untried[k].Reason
	}
	if got := why(none.Attack, "kkt-inversion"); got == "" {
		t.Errorf("%q of %+v", got, none.Attack.Untried)
	}
	if why(suits, "beyond-neighbours") == "" || why(suits, "kkt-inversion") != "" {
		t.Errorf("%+v", suits.Untried)
	}
}

// Lies stand beside the values in whose place they were told.
func TestDocument_HasTheLiesOfTheRecord(t *testing.T) {
	const change = "adversary={acts: [{kind: mirror, about: zero, nodes: [1], from-round: 2}], " +
		"knows: {victim: 2, all-but: 3}, attacks: [kkt-inversion]}"
	r := recorded(t, hospitals, 1, change)
	v := built(t, r).Runs[0]
	l := v.Lies
	if !slices.Equal(l.Liars, []int{1}) || v.Attack.Acts == "" {
		t.Errorf("liars %v, acts %q", l.Liars, v.Attack.Acts)
	}
	k := 0
	err := r.Lies(func(i record.Lie) error {
		if k >= len(l.Node) || l.Node[k] != i.Node || l.To[k] != i.To || l.Round[k] != i.Round {
			t.Fatalf("lie %d is %+v in the record", k, i)
		}
		for row := range v.Values.Node { // a flipped value is twice its length away
			if v.Values.Node[row] == i.Node && v.Values.Round[row] == i.Round &&
				!(math.Abs(float64(l.Away[k]-2*v.Values.Norm[row])) <= 1e-12) {
				t.Errorf("lie %d is %v away from a value of length %v", k, l.Away[k], v.Values.Norm[row])
			}
		}
		k++
		return nil
	})
	if err != nil || k != len(l.Node) || k == 0 || l.Content == "" {
		t.Errorf("%d lies of %d: %v", len(l.Node), k, err)
	}
	d, err := FirstDifference(recorded(t, hospitals, 1), r)
	if err != nil || d.Same || !strings.Contains(d.Sides[1], "node 1 tells node 0 a lie in place of its value of") {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestFirstDifference(t *testing.T) {
	a := recorded(t, hospitals, 1)
	again := recorded(t, hospitals, 1)
	if d, err := FirstDifference(a, again); err != nil || !d.Same || d.Events == 0 {
		t.Errorf("a repeat: %+v, %v", d, err)
	}
	b := recorded(t, hospitals, 1, "algorithm.eta=0.06")
	d, err := FirstDifference(a, b)
	if err != nil || d.Same {
		t.Fatalf("another η: %+v, %v", d, err)
	}
	// With another η the values of round 1 are the first that are not the same; 5 starts, and the 10 packets that
	// carry them, are.
	if want := [][3]string{{"algorithm.eta", "0.05", "0.06"}}; !slices.Equal(d.Settings, want) {
		t.Errorf("settings %q", d.Settings)
	}
	if d.Events != 15 || !slices.Equal(d.Nodes, []int{4}) || !strings.Contains(d.Sides[1], "another vector") ||
		!strings.Contains(d.Sides[0], "node 4 publishes its value of round 1") {
		t.Errorf("another η: %+v", d)
	}
	lossy := recorded(t, hospitals, 1, "network.loss=0.05", "rounds.retry=50ms")
	d, err = FirstDifference(a, lossy)
	if err != nil || d.Same || !strings.Contains(d.Sides[1], "which is lost") || !strings.Contains(d.Sides[0],
		"arrives 20 ms later") {
		t.Errorf("losses: %+v, %v", d, err)
	}
}

// Nodes of two networks are not taken for the same without a word.
func TestBuild_SaysWhereNetworksDiffer(t *testing.T) {
	a := recorded(t, hospitals, 1)
	for set, want := range map[string]string{
		"algorithm.eta=0.06":                      "",
		"network.topology={kind: ring, nodes: 7}": "(5 nodes and 7 nodes)",
		"network.topology={kind: path, nodes: 5}": "(other edges)",
	} {
		d, err := Build(context.Background(), []*record.Run{a, recorded(t, hospitals, 1, set)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range d.Runs {
			said := strings.Join(r.Notes, " ")
			if is := strings.Contains(said, "not on one network"); is != (want != "") || !strings.Contains(said, want) {
				t.Errorf("%s: %q", set, r.Notes)
			}
		}
	}
}

// A run and its fork have one name and seed, and are told apart all the same.
func TestBuild_NamesOfTwoRunsDiffer(t *testing.T) {
	a, b := recorded(t, hospitals, 1), recorded(t, hospitals, 1, "algorithm.eta=0.06")
	d, err := Build(context.Background(), []*record.Run{a, b}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x, y := d.Runs[0].Name, d.Runs[1].Name; x == y {
		t.Errorf("both are called %q", x)
	}
	moved := func(r *record.Run, name string) *record.Run {
		dir := filepath.Join(filepath.Dir(filepath.Dir(r.Dir)), name)
		if err := os.Rename(filepath.Dir(r.Dir), dir); err != nil {
			t.Fatal(err)
		}
		there, err := record.Open(filepath.Join(dir, filepath.Base(r.Dir)))
		if err != nil {
			t.Fatal(err)
		}
		return there
	}
	const first, second = "hospitals,at=350ms,network.loss=0.25,a=1", // of 40 letters, and of more
		"hospitals,at=350ms,network.loss=0.2,at=400ms,network.loss=0"
	d = built(t, moved(a, first), moved(b, second))
	if x, y := d.Runs[0].Name, d.Runs[1].Name; x != first || y != "hospitals,at…0.2,at=400ms,network.loss=0" {
		t.Errorf("the two are called %q, %q", x, y)
	}
	for k, r := range d.Runs {
		if told := r.Facts[0] == [2]string{"directory", second}; told != (k == 1) {
			t.Errorf("of run %d is told %q", k+1, r.Facts)
		}
	}
}

func TestBuild_WithoutMessagesOrValues(t *testing.T) {
	r := recorded(t, hospitals, 1, "record.messages=none")
	if _, err := Build(context.Background(), []*record.Run{r}, Options{}); !errors.Is(err, record.ErrNotRecorded) {
		t.Errorf("without messages: %v", err)
	}
	v := built(t, recorded(t, hospitals, 1, "record.iterates=none")).Runs[0]
	if len(v.Packets.ID) == 0 || v.Attack != nil || len(v.Notes) != 2 {
		t.Errorf("without iterates: %d packets, notes %q", len(v.Packets.ID), v.Notes)
	}
}

func TestBuild_LargeNetworksHaveNoPlaces(t *testing.T) {
	const large = `name: large
problem: {data: {set: twonorm, rows: 700}, rho: 0.22}
network: {topology: {kind: random-regular, nodes: 320, degree: 4}, latency: 20ms}
rounds: {count: 2}
algorithm: {kind: edge-admm, eta: 0.3}
`
	if v := built(t, recorded(t, large, 1)).Runs[0]; v.Places != nil || v.Nodes != 320 || v.GraphEdges != 640 {
		t.Errorf("%d nodes, %d edges, %d places", v.Nodes, v.GraphEdges, len(v.Places))
	}
	if v := built(t, recorded(t, large, 1, "network.topology.nodes=300")).Runs[0]; len(v.Places) != 300 {
		t.Errorf("%d places", len(v.Places))
	}
}

func TestNumber_IsShort(t *testing.T) {
	text, err := json.Marshal([]number{1.0 / 3, number(math.NaN()), number(math.Inf(1)), 1e-300, 2})
	if err != nil || string(text) != "[0.333333,null,null,1e-300,2]" {
		t.Errorf("%s, %v", text, err)
	}
}

// No text of a scenario is markup, and nothing but the page's own script may run.
func TestDocument_TextsAreNoMarkup(t *testing.T) {
	d := built(t, recorded(t, hospitals, 1))
	d.Runs[0].Name = `<img src=x onerror=alert(1)>`
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	if strings.Contains(page, "<img") || strings.Count(page, "<script") != 2 || strings.Count(page, "</script>") != 2 {
		t.Error("the page has markup of the scenario")
	}
	if !strings.Contains(page, "default-src &#39;none&#39;") || strings.Contains(Policy(true), "unsafe") {
		t.Errorf("the policy is %s", Policy(true))
	}
}

// A page that is slow to open says how large it is, of what, and what would make it smaller.
func TestDocument_SaysWhatMakesItLarge(t *testing.T) {
	d := synthetic(100, 3000)
	if text := d.Weight(9_999_999); text != "" {
		t.Errorf("of a small page: %q", text)
	}
	text := d.Weight(60_400_000)
	for _, want := range []string{"the page has 60.4 MB, of 3000 packets, 1500 updates and 1500 published values",
		"rounds.count", "network.topology.nodes", "record.iterates: {every: 10}"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	d.Runs[0].Values = Values{}
	if text := d.Weight(60_400_000); strings.Contains(text, "record.iterates") {
		t.Errorf("without values: %q", text)
	}
}

// The page's own files have lines as short as those of programs.
func TestPage_LinesAreShort(t *testing.T) {
	paths, err := filepath.Glob("page/*")
	if err != nil || len(paths) < 9 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for k, line := range strings.Split(string(text), "\n") {
			if n := utf8.RuneCountInString(line); n > 120 {
				t.Errorf("%s: line %d ends at column %d", path, k+1, n)
			}
		}
	}
}

// What stands without its column's name is a word by which people know people, where all words are such.
func TestSentence_NamesWhatSaysNothingAlone(t *testing.T) {
	got := sentence([]string{"smoker", "sex", "age", "BMI", "ward", "income"},
		[]string{"no", "Female", "39", "1E1", "B", ">50K"})
	if want := "age 39, sex Female, smoker no, BMI 1E1, ward B, income >50K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got = sentence([]string{"sex", "weight", "marital-status", "income"}, []string{"Female", "71", "Divorced", ">50K"})
	if want := "Female, Divorced, weight 71, income >50K"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	got = sentence(strings.Fields("a b c d e f g h kind"), strings.Fields("1 2 3 4 5 6 7 8 +1"))
	if want := "a 1, b 2, c 3, d 4, e 5, f 6, and 2 more, kind +1"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A graph in a file that has changed since the run is not the run's: neither edges nor down times are taken from it,
// and no attack goes by it.
func TestBuild_TakesNoOtherNetworkThanTheRuns(t *testing.T) {
	file := filepath.Join(t.TempDir(), "g.csv")
	write := func(edges string) {
		if err := os.WriteFile(file, []byte(edges), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("0,1\n1,2\n2,3\n3,0\n")
	r := recorded(t, strings.Replace(hospitals, "{kind: ring, nodes: 5}", "{file: "+file+"}", 1), 1)
	before := built(t, r).Runs[0]
	write("0,1\n1,2\n2,3\n3,0\n0,2\n")
	after := built(t, r).Runs[0]
	if len(before.Edges) != 8 || before.Attack == nil || len(before.Notes) > 0 {
		t.Fatalf("%d ends of edges, attack %v, notes %q", len(before.Edges), before.Attack, before.Notes)
	}
	if len(after.Edges) != 8 || after.Attack != nil || !strings.Contains(strings.Join(after.Notes, "\n"),
		"g.csv has changed since the run") {
		t.Errorf("with another graph %d ends of edges, attack %v, notes %q", len(after.Edges), after.Attack,
			after.Notes)
	}
	if _, err := Build(context.Background(), []*record.Run{r}, Options{Points: 8,
		Sets: []string{"adversary.knows.victim=1"}}); err == nil ||
		!strings.Contains(err.Error(), "g.csv has changed") {
		t.Errorf("an adversary that was asked for is left out: %v", err)
	}
}

// Two runs that recorded the values of other rounds are compared by their packets and digests, and it is said.
func TestFirstDifference_OfRunsThatRecordedOtherValues(t *testing.T) {
	a, b := recorded(t, hospitals, 1), recorded(t, hospitals, 1, "record.iterates=last")
	d, err := FirstDifference(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if !d.Same || d.Events == 0 || !strings.Contains(d.Text, "packets that were recorded are the same. Their digests") {
		t.Errorf("%+v", d)
	}
	if d, err = FirstDifference(a, recorded(t, hospitals, 1)); err != nil || !d.Same || d.Note != "" {
		t.Errorf("of the same run %+v, %v", d, err)
	}
}
