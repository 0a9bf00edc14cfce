// What is told of attacks that are made to go by numbers of packets, and by whether more may have escaped.

package evaluation

import (
	"context"
	"fmt"
	"testing"

	"overhear/adversary"
	"overhear/record"
)

// counting is an attack that goes by how many packets there are and by whether others may have escaped.
func counting(goes func(packets int, partial bool) record.Outcome) *adversary.Attack {
	run := func(v *adversary.View, f *record.Finding) error {
		n := len(v.Packets())
		f.Unseen = []string{"what there is", "what there is not"}
		f.Succeeded, f.Conclusion = goes(n, v.Vantage.Partial), fmt.Sprintf("%d packets", n)
		return nil
	}
	return &adversary.Attack{Name: "counting", Title: "it counts", Run: run}
}

func searchedFor(t *testing.T, r *record.Run, one *adversary.Attack) (*record.Sufficient, *needing) {
	t.Helper()
	a, err := newAssault(t.Context(), r, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &needing{assault: a, seen: a.arrivals()}
	_, w.truth = a.on(adversary.Observe(a.recording, a.watch, a.public, nil), 0)
	s, err := w.search(context.Background(), one, WhyOptions{Most: 5000})
	if err != nil {
		t.Fatal(err)
	}
	return s, w
}

// A beginning says what is concluded from it, and just before it, not from all; and why no other choice of packets is
// enough. An attack that goes by numbers of packets alone needs no link to be left out for that.
func TestWhyLearnt_OfABeginningTellsWhatIsConcludedFromIt(t *testing.T) {
	const crash = "network.faults=[{at: 25ms, crash: 3, until: 30ms, memory: kept}]"
	const asynchronous = "rounds={count: 3, mode: asynchronous, quorum: 0.5}"
	const reason = "it goes by what was not sent, too, which is known only to whoever knows that no packet has " +
		"escaped; who does not lacks, for one, what there is"
	for k, sets := range [][]string{nil, {asynchronous}, {"rounds={count: 3, retry: 50ms}", crash},
		{asynchronous, crash}} {
		const enough = 7
		r := recorded(t, jittery, sets...)
		carried, unsure := 0, []record.Outcome{record.Blocked, record.Failed}[k%2]
		s, w := searchedFor(t, r, counting(func(packets int, partial bool) record.Outcome {
			carried++
			switch {
			case partial:
				return unsure
			case packets < enough-3:
				return record.Blocked
			case packets < enough:
				return record.Partial
			}
			return record.Exact
		}))
		before, by := 0, enough // packets of the instant before, and of that at which there are enough
		arrived := func(k int) int64 { return w.recording.Messages[w.seen[k]].ReceivedNS }
		for by < len(w.seen) && arrived(by) == arrived(enough-1) {
			by++
		}
		for arrived(before) < arrived(enough-1) {
			before++
		}
		if len(w.seen) <= by+1 || before == 0 {
			t.Fatalf("%v: %d packets, of which %d are enough", sets, len(w.seen), by)
		}
		if s.Beginning == nil || s.With != record.Exact || s.Estimate != fmt.Sprintf("%d packets", by) ||
			s.Conclusion != fmt.Sprintf("%d packets", len(w.seen)) || s.Beginning.UntilNS != arrived(by-1) ||
			s.Beginning.Without != record.Partial || s.Beginning.Conclusion != fmt.Sprintf("%d packets", before) ||
			s.Reason != reason {
			t.Errorf("%v: %d packets, %d enough: %+v, %+v", sets, len(w.seen), by, s, s.Beginning)
		}
		alone := map[uint64]bool{} // copies of a packet are one
		for _, p := range s.Beginning.Alone {
			if alone[p.ID] = true; p.Without != record.Partial {
				t.Errorf("%v: %+v can be left out", sets, p)
			}
		}
		packets := 0
		for _, row := range w.seen[:by] {
			packets += bit(alone[w.recording.Messages[row].ID])
		}
		if !s.Beginning.Minimal || packets != enough || s.Tried != carried {
			t.Errorf("%v: %d are enough alone, not %+v; tried %d times, told %d", sets, enough, s.Beginning.Alone,
				carried, s.Tried)
		}
	}
}

// A beginning is told only where no choice of packets is enough: not where all are needed by one who knows that others
// may have escaped, and not where some are enough with which the attack goes better than with all.
func TestWhyLearnt_TellsABeginningOnlyWhereNoChoiceIsEnough(t *testing.T) {
	r := recorded(t, jittery, "network.duplication=0")
	all := 0
	needsAll := func(packets int, _ bool) record.Outcome {
		if all = max(all, packets); packets < all {
			return record.Failed
		}
		return record.Exact
	}
	s, w := searchedFor(t, r, counting(needsAll))
	if s.Beginning != nil || s.Reason != "" || !s.Minimal || len(s.Enough) != len(w.seen) || s.With != record.Exact ||
		s.Enough[0].Without != record.Failed {
		t.Errorf("all %d are needed: %+v", len(w.seen), s)
	}
	s, w = searchedFor(t, r, counting(func(packets int, partial bool) record.Outcome {
		if partial && packets == len(w.seen) || packets < 2 {
			return record.Failed
		}
		return record.Exact
	}))
	if s.Beginning != nil || s.Reason != "" || !s.Minimal || len(s.Enough) != 2 || s.With != record.Exact ||
		s.Estimate != "2 packets" || s.Enough[1].Without != record.Failed {
		t.Errorf("two of %d are enough, but not all: %+v", len(w.seen), s)
	}
}

func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}
