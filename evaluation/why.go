// Why attacks on a recorded run succeeded: packets that are enough for them.

package evaluation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"overhear/adversary"
	"overhear/experiment"
	"overhear/internal/minimal"
	"overhear/record"
)

// WhyOptions say how packets are searched that are enough for attacks.
type WhyOptions struct {
	DataDir  string
	Sets     []string // path=value, of the run's adversary
	Most     int      // how often each attack is carried out at most
	Progress func(tried int)
}

// WhyLearnt finds, for each attack of a recorded run's adversary on a victim, packets that are enough for it to go as
// it did, none of which it can do without. The observer is taken to have caught these packets alone and to know that
// others may have escaped it: with all of them it knows what nodes did not send, with some it does not.
// They stand in the order of sending.
func WhyLearnt(ctx context.Context, r *record.Run, victim int, o WhyOptions) ([]record.Sufficient, error) {
	a, err := newAssault(r, o.DataDir, o.Sets)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(a.known.Victims, func(v victimKnowledge) bool { return v.Node == victim })
	if at < 0 {
		nodes := a.public.Graph.Order()
		if victim < 0 || victim >= nodes {
			return nil, experiment.SetupError{Err: fmt.Errorf("there is no node %d; there are %d, from 0", victim,
				nodes)}
		}
		return nil, experiment.SetupError{Err: fmt.Errorf("node %d is no victim of the adversary of %s, who wants %s; "+
			"--set adversary.knows.victim=%d makes it one", victim, r.Dir,
			threat(&a.scenario.Adversary.Knows, a.watch, a.known, "").Wants, victim)}
	}
	if a.noData != nil {
		return nil, experiment.SetupError{Err: fmt.Errorf("whether attacks succeed is not known without the data: %w",
			a.noData)}
	}
	w := &needing{assault: a, victim: at, seen: a.arrivals()}
	_, w.truth = a.on(adversary.Observe(a.recording, a.watch, a.public, nil), at)
	var all []record.Sufficient
	for _, one := range a.attacks {
		s, err := w.search(ctx, one, o)
		if err != nil {
			return nil, err
		}
		if s.Outcome != record.Blocked || a.explicit {
			all = append(all, *s)
		}
	}
	if all == nil {
		return nil, experiment.SetupError{Err: errNoneSuits}
	}
	return all, nil
}

// needing is the search for packets that attacks on one victim need.
type needing struct {
	*assault
	victim int // of known.Victims
	truth  *adversary.Truth
	seen   []int // rows of packets that are seen, in order of arrival
}

// with carries an attack out on some of the packets that are seen, by place in their order.
func (w *needing) with(one *adversary.Attack, places []int) (*record.Finding, error) {
	part, watch := *w.recording, w.watch
	if watch.Partial = len(places) < len(w.seen); watch.Partial {
		rows := make([]int, len(places))
		for k, place := range places {
			rows[k] = w.seen[place]
		}
		slices.Sort(rows) // as they were sent
		part.Messages = make([]record.Message, len(rows))
		for k, row := range rows {
			part.Messages[k] = w.recording.Messages[row]
		}
	}
	v := adversary.Observe(&part, watch, w.public, nil).With(w.known.about(&w.known.Victims[w.victim]))
	f, err := one.Carry(v)
	if err != nil && !watch.Partial {
		return nil, err
	}
	if err != nil { // of a record that is not whole
		return &record.Finding{Succeeded: record.Blocked, Conclusion: err.Error()}, nil
	}
	adversary.Score(f, w.truth)
	return f, nil
}

// errTried ends a search that takes too long.
var errTried = errors.New("the attack was carried out as often as it may be")

// search makes what is enough for an attack small: rounds first, then what one node sent in one of them, then packets.
func (w *needing) search(ctx context.Context, one *adversary.Attack, o WhyOptions) (*record.Sufficient, error) {
	all := make([]int, len(w.seen))
	for k := range all {
		all[k] = k
	}
	whole, err := w.with(one, all)
	if err != nil {
		return nil, err
	}
	s := &record.Sufficient{Attack: one.Name, Title: one.Title, Victim: w.known.Victims[w.victim].Node,
		Seen: len(all), Outcome: whole.Succeeded, Conclusion: whole.Conclusion, Tried: 1}
	if s.Outcome != record.Exact && s.Outcome != record.Partial {
		return s, nil
	}
	carry := func(places []int) (*record.Finding, error) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.Tried++; o.Progress != nil {
			o.Progress(s.Tried)
		}
		return w.with(one, places)
	}
	kept := all
	for _, group := range []func(m *record.Message) [3]int64{
		func(m *record.Message) [3]int64 { return [3]int64{int64(m.Round)} },
		func(m *record.Message) [3]int64 { return [3]int64{int64(m.Round), int64(m.Src)} },
		func(m *record.Message) [3]int64 { return [3]int64{int64(m.Round), int64(m.Src), int64(m.ID)} },
	} {
		groups := w.groups(kept, group)
		chosen, stopped := minimal.Subset(len(groups), func(some []int) (bool, error) {
			if s.Tried >= o.Most {
				return false, errTried
			}
			f, err := carry(places(groups, some))
			return err == nil && asGood(f.Succeeded, s.Outcome), err
		})
		kept = places(groups, chosen)
		if stopped != nil && !errors.Is(stopped, errTried) {
			return nil, stopped
		}
		s.Minimal = stopped == nil
	}
	if t := w.public.Timing; len(kept) == len(all) && t.Faulty && !t.Lockstep {
		less, err := carry(all[1:])
		if err != nil {
			return nil, err
		}
		if less.Succeeded == record.Blocked {
			s.Reason = "nodes may have been down or slow, and rounds are not in lockstep: what entered an update is " +
				"known only to whoever sees every packet"
		}
	}
	f, err := carry(kept)
	if err != nil {
		return nil, err
	}
	s.With, s.Estimate, s.Enough = f.Succeeded, f.Conclusion, []record.NeededPacket{}
	for _, place := range kept {
		m := &w.recording.Messages[w.seen[place]]
		if slices.ContainsFunc(s.Enough, func(p record.NeededPacket) bool { return p.ID == m.ID }) {
			continue // the second copy of a duplicate
		}
		p := record.NeededPacket{ID: m.ID, Kind: m.Kind, Round: m.Round, Src: m.Src, Dst: m.Dst, SentNS: m.SentNS}
		if s.Minimal {
			f, err := carry(slices.DeleteFunc(slices.Clone(kept), func(other int) bool {
				return w.recording.Messages[w.seen[other]].ID == m.ID
			}))
			if err != nil {
				return nil, err
			}
			p.Without, p.Conclusion = f.Succeeded, f.Conclusion
		}
		s.Enough = append(s.Enough, p)
	}
	slices.SortStableFunc(s.Enough, func(p, q record.NeededPacket) int {
		return cmp.Or(cmp.Compare(p.SentNS, q.SentNS), cmp.Compare(p.ID, q.ID))
	})
	return s, nil
}

// asGood says whether an outcome is at least what another is, of those that are successes.
func asGood(is, than record.Outcome) bool {
	return is == record.Exact || is == record.Partial && than == record.Partial
}

// groups are places of packets by what they have in common, in order of the first of each.
func (w *needing) groups(kept []int, of func(m *record.Message) [3]int64) (groups [][]int) {
	at := map[[3]int64]int{}
	for _, place := range kept {
		key := of(&w.recording.Messages[w.seen[place]])
		k, ok := at[key]
		if !ok {
			k = len(groups)
			at[key], groups = k, append(groups, nil)
		}
		groups[k] = append(groups[k], place)
	}
	return groups
}

// places are those of some groups, ascending.
func places(groups [][]int, some []int) (all []int) {
	for _, k := range some {
		all = append(all, groups[k]...)
	}
	slices.Sort(all)
	return all
}
