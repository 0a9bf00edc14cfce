// What colluding nodes computed is known as far as it follows from the packets at hand, against counts by hand.

package evaluation

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"overhear/adversary"
	"overhear/record"
)

// ringOfFour is a run in which nodes 1 and 3 collude, who are all neighbours of the victim.
const ringOfFour = `name: ring
problem: {data: {set: twonorm, rows: 60, dimension: 3}, train: 20, rho: 0.3}
network: {topology: {kind: ring, nodes: 4}, latency: {kind: lognormal, median: 20ms, sigma: 1}, duplication: 0.2}
rounds: %s
algorithm: {kind: admm, eta: 0.3, init: {normal: 0.1}}
adversary: {view: {kind: nodes, nodes: [1, 3]}, knows: {victim: 0, all-but: 0}, attacks: [%s]}
`

var colluding = []int{1, 3}

// byHand is the recording of a run of nodes 1 and 3 of which they have the packets of some numbers that came by an
// instant, and of what they published by then what these and no others entered.
func byHand(all *adversary.Recording, lockstep bool, until int64, has func(id uint64) bool) *adversary.Recording {
	is := *all
	is.Messages, is.Iterates = nil, nil
	for _, m := range all.Messages {
		if m.ReceivedNS >= 0 && has(m.ID) && m.ReceivedNS <= until {
			is.Messages = append(is.Messages, m)
		}
	}
	for _, i := range all.Iterates {
		told := slices.ContainsFunc(is.Messages, func(m record.Message) bool {
			return m.Kind == record.MessageValue && m.Src == i.Node && m.Round == i.Round
		})
		follows := i.TimeNS <= until && slices.Contains(colluding, int(i.Node))
		for _, m := range all.Messages {
			entered := m.Kind == record.MessageValue && m.Dst == i.Node && m.ReceivedNS >= 0 && i.Round > 0 &&
				(lockstep && m.Round < i.Round || !lockstep && m.ReceivedNS <= i.TimeNS)
			follows = follows && (!entered || has(m.ID))
		}
		if told || follows {
			is.Iterates = append(is.Iterates, i)
		}
	}
	return &is
}

// values are the rounds of which a view has nodes' values.
func values(v *adversary.View) (all [][2]int) {
	for node := range 4 {
		for round := range 4 {
			if _, ok := v.Value(node, round); ok {
				all = append(all, [2]int{node, round})
			}
		}
	}
	return all
}

// of are the nodes and rounds of what was published.
func of(published []record.Iterate) (all [][2]int) {
	for _, i := range published {
		all = append(all, [2]int{int(i.Node), int(i.Round)})
	}
	slices.SortFunc(all, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return all
}

// inRounds are runs of nodes that wait for all neighbours, and of such as do not.
var inRounds = []struct {
	rounds   string
	lockstep bool
}{{"{count: 3}", true}, {"{count: 3, mode: asynchronous, quorum: 0.5}", false}}

// A hub's value of a round has in it its clients' of the same round, so that without one of these it is not known.
func TestColluders_HubHasWhatFollowsFromItsClients(t *testing.T) {
	a, err := newAssault(t.Context(), recorded(t, `name: hub
problem: {data: {set: twonorm, rows: 100, dimension: 3}, train: 0.8, rho: 0.1}
network: {topology: {kind: star, nodes: 4}, latency: 20ms}
rounds: {count: 4}
algorithm: {kind: dp-admm, eta: 0.5, step: 1, noise: off}
adversary: {view: {kind: nodes, nodes: [0, 2]}, knows: {victim: 1, all-but: 0}, attacks: [late-joiner]}
`), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	g := rand.New(rand.NewPCG(1, 2))
	seen, cut := a.arrivals(), 0
	for range 200 {
		there := map[uint64]bool{}
		var rows []int
		for _, k := range seen {
			if g.IntN(8) > 0 {
				rows = append(rows, k)
				there[a.recording.Messages[k].ID] = true
			}
		}
		_, watch := a.part(rows)
		for node, delay := range map[int]int{0: 0, 2: 1} { // rounds from a value to the first that it enters
			want := 5
			for _, m := range a.recording.Messages {
				if int(m.Dst) == node && m.Kind == record.MessageValue && !there[m.ID] {
					want = min(want, max(1, int(m.Round)+delay))
				}
			}
			got, limited := watch.Own[node]
			if !limited {
				got = 5
			}
			if got = min(got, 5); got != want {
				t.Fatalf("node %d: values from round %d on are taken not to be known, want %d", node, got, want)
			}
			if want < 5 {
				cut++
			}
		}
	}
	if cut < 100 {
		t.Errorf("%d of 400 are cut", cut)
	}
}

// With the first packets, as on the page, and with any others, as where packets are looked for that are enough,
// colluders have of their own values those that no other packet entered.
func TestColluders_HaveWhatFollowsFromTheirPackets(t *testing.T) {
	g := rand.New(rand.NewPCG(1, 2))
	for k, c := range slices.Repeat(inRounds, 2) {
		var sets []string
		if k >= len(inRounds) { // what enters an update at an instant is published then
			sets = []string{"compute={row: 0s}", "network.latency=20ms"}
		}
		r := recorded(t, fmt.Sprintf(ringOfFour, c.rounds, "kkt-inversion"), sets...)
		a, err := newAssault(t.Context(), r, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		seen := a.arrivals()
		compare := func(rows []int, until int64, r *adversary.Recording, w adversary.Vantage) {
			t.Helper()
			has := map[uint64]bool{}
			for _, row := range rows {
				has[a.recording.Messages[row].ID] = true
			}
			want := of(byHand(a.recording, c.lockstep, until, func(id uint64) bool { return has[id] }).Iterates)
			if got := values(adversary.Observe(r, w, a.public, nil)); !slices.Equal(got, want) {
				t.Fatalf("%s: with packets %v by %d: %v, want %v", c.rounds, rows, until, got, want)
			}
		}
		for count := range len(seen) + 1 {
			until := int64(0)
			if count > 0 {
				until = a.recording.Messages[seen[count-1]].ReceivedNS
			}
			r, w := a.upTo(seen[:count])
			compare(seen[:count], until, r, w)
		}
		for range 200 {
			keep, lost := g.Float64(), map[uint64]bool{}
			for _, row := range seen { // copies of a packet go together
				lost[a.recording.Messages[row].ID] = g.Float64() > keep
			}
			rows := slices.DeleteFunc(slices.Clone(seen), func(row int) bool {
				return lost[a.recording.Messages[row].ID]
			})
			r, w := a.part(rows)
			compare(rows, math.MaxInt64, r, w)
		}
	}
}

// The packets that are told are enough, none can be left out, and what is told of the loss of each is so, for colluders
// who have what follows from them by hand. No attack on neighbours' data is exact without packets.
func TestWhyLearnt_OfColludersTakesAwayWhatTheyComputed(t *testing.T) {
	for _, c := range inRounds {
		r := recorded(t, fmt.Sprintf(ringOfFour, c.rounds, "kkt-inversion, kkt-rounds"), "network.latency=20ms")
		a, err := newAssault(t.Context(), r, "", nil)
		if err != nil {
			t.Fatal(err)
		}
		_, truth := a.on(adversary.Observe(a.recording, a.watch, a.public, nil), 0)
		for _, s := range why(t, r, 0, WhyOptions{}) {
			if s.Outcome != record.Exact || s.Beginning != nil || !s.Minimal || len(s.Enough) == 0 {
				t.Fatalf("%s: %+v", c.rounds, s)
			}
			one, _ := adversary.Lookup(s.Attack)
			without := func(gone uint64) record.Outcome {
				part := byHand(a.recording, c.lockstep, math.MaxInt64, func(id uint64) bool {
					return id != gone && slices.ContainsFunc(s.Enough, func(p record.NeededPacket) bool {
						return p.ID == id
					})
				})
				watch := adversary.Vantage{Nodes: colluding, Partial: true}
				f, err := one.Carry(adversary.Observe(part, watch, a.public, nil).
					With(a.known.about(&a.known.Victims[0])))
				if err != nil {
					t.Fatal(err)
				}
				adversary.Score(f, truth)
				return f.Succeeded
			}
			if is := without(math.MaxUint64); is != s.With || is != record.Exact {
				t.Errorf("%s: %s with the packets of %+v", c.rounds, is, s)
			}
			for _, p := range s.Enough {
				if is := without(p.ID); is != p.Without || is == record.Exact {
					t.Errorf("%s: %s: %s without %+v", c.rounds, s.Attack, is, p)
				}
			}
		}
	}
}

// A colluder's start is known without any packet, and what it computed from packets is not.
func TestWhyLearnt_OfColludersNeedsPacketsForTheirValues(t *testing.T) {
	a, err := newAssault(t.Context(), recorded(t, fmt.Sprintf(ringOfFour, "{count: 3}", "kkt-inversion")), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &needing{assault: a, seen: a.arrivals()}
	_, w.truth = a.on(adversary.Observe(a.recording, a.watch, a.public, nil), 0)
	for _, c := range []struct {
		round int
		want  []string // sender, receiver and round of the packets that are enough
	}{
		{0, []string{}},
		{3, []string{"1 0 3"}},
	} {
		s, err := w.search(context.Background(), &adversary.Attack{Name: "probe", Title: "a probe",
			Run: func(v *adversary.View, f *record.Finding) error {
				f.Succeeded, f.Conclusion = record.Blocked, "not known"
				if _, ok := v.Value(1, c.round); ok {
					f.Succeeded, f.Conclusion = record.Exact, "known"
				}
				return nil
			}}, WhyOptions{Most: 1000})
		if err != nil {
			t.Fatal(err)
		}
		got := []string{}
		for _, p := range s.Enough {
			got = append(got, fmt.Sprint(p.Src, p.Dst, p.Round))
		}
		slices.Sort(got)
		if !slices.Equal(got, c.want) || !s.Minimal {
			t.Errorf("round %d: %v, want %v", c.round, got, c.want)
		}
	}
}

// Averaging carries a neighbour's gradient in its value of round 1, to which a colluder adds nothing by what
// entered its own: of the later rounds nothing is needed.
func TestWhyLearnt_OfAveragesEndsWithTheRoundThatIsEnough(t *testing.T) {
	r := recorded(t, `name: gossip
problem: {data: wdbc, train: 0.8, rho: 0.22}
network: {topology: {kind: ring, nodes: 6}}
rounds: {count: 12}
algorithm: {kind: dgd}
adversary: {view: {kind: nodes, nodes: [0]}, knows: {victim: 1, all-but: 0}, attacks: [beyond-neighbours]}
`)
	s := why(t, r, 1, WhyOptions{})[0]
	if s.With != record.Exact || !s.Minimal || len(s.Enough) != 1 || s.Enough[0].Src != 1 || s.Enough[0].Round != 1 {
		t.Errorf("%+v", s)
	}
}
