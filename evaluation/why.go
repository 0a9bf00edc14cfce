// Why attacks on a recorded run succeeded: packets that are enough for them.

package evaluation

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"

	"overhear/adversary"
	"overhear/experiment"
	"overhear/record"
)

// WhyOptions say how packets are searched that are enough for attacks.
type WhyOptions struct {
	DataDir string
	Sets    []string // path=value, of the run's adversary
	Most    int      // how often each attack is carried out at most

	Progress func(attack string, tried int) // told how often an attack was carried out when it is once more
}

// WhyLearnt finds, for each attack of a recorded run's adversary on a victim, packets that are enough for it to go as
// it did, none of which it can do without. The observer is taken to have caught these packets alone and to know that
// others may have escaped it: with all of them it knows what nodes did not send, with some it does not. Of colluding
// nodes' own values it has those that are in these packets or were computed before any other packet came.
// They stand in the order of sending. Where no choice of packets is enough for it, it is taken to listen to some links,
// over which none escapes it, up to an instant; and of the packets that came by then those are told that would be
// enough if the others had never been sent.
func WhyLearnt(ctx context.Context, r *record.Run, victim int, o WhyOptions) ([]record.Sufficient, error) {
	w, err := newNeeding(ctx, r, victim, o)
	if err != nil {
		return nil, err
	}
	return w.learnt(ctx, o)
}

// newNeeding is the search for packets that attacks on a victim of a run need.
func newNeeding(ctx context.Context, r *record.Run, victim int, o WhyOptions) (*needing, error) {
	a, err := newAssault(ctx, r, o.DataDir, o.Sets)
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
		return nil, experiment.SetupError{Err: fmt.Errorf("whether attacks succeed is not known: %w",
			a.noData)}
	}
	w := &needing{assault: a, victim: at, seen: a.arrivals(), memo: adversary.NewMemo()}
	_, w.truth = a.on(adversary.Observe(a.recording, a.watch, a.public, nil), at)
	return w, nil
}

// learnt searches for each attack.
func (w *needing) learnt(ctx context.Context, o WhyOptions) ([]record.Sufficient, error) {
	var all []record.Sufficient
	for _, one := range w.attacks {
		s, err := w.search(ctx, one, o)
		if err != nil {
			return nil, err
		}
		if s.Outcome != record.Blocked || w.explicit {
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
	memo   *adversary.Memo
}

// with carries an attack out on some of the packets that are seen, by place in their order, for one who knows that
// others may have escaped it.
func (w *needing) with(one *adversary.Attack, places []int) (*record.Finding, error) {
	rows := make([]int, len(places))
	for k, place := range places {
		rows[k] = w.seen[place]
	}
	part, watch := w.part(rows)
	watch.Partial = true
	return w.carry(one, part, watch)
}

// carry carries an attack out on a recording.
func (w *needing) carry(one *adversary.Attack, r *adversary.Recording,
	watch adversary.Vantage) (*record.Finding, error) {
	f, err := one.Carry(adversary.Observe(r, watch, w.public, nil).With(w.known.about(&w.known.Victims[w.victim])).
		Remember(w.memo))
	if err != nil && r == w.recording {
		return nil, err
	}
	if err != nil { // of a record that is not whole
		return &record.Finding{Succeeded: record.Blocked, Conclusion: err.Error()}, nil
	}
	adversary.Score(f, w.truth)
	return f, nil
}

// search finds what is enough for an attack. Where that needs to know that no packet has escaped, so that less than all
// are of no use, it is the beginning of what arrived over some links.
func (w *needing) search(ctx context.Context, one *adversary.Attack, o WhyOptions) (*record.Sufficient, error) {
	told := func(tried int) {
		if o.Progress != nil {
			o.Progress(one.Name, tried)
		}
	}
	told(0)
	found, err := w.carry(one, w.recording, w.watch)
	if err != nil {
		return nil, err
	}
	kept := make([]int, len(w.seen))
	for k := range kept {
		kept[k] = k
	}
	whole := trialOf(found)
	s := &record.Sufficient{Attack: one.Name, Title: one.Title, Victim: w.known.Victims[w.victim].Node,
		Seen: len(w.packets(kept)), Outcome: whole.outcome, Conclusion: whole.conclusion, Tried: 1}
	if s.Outcome != record.Exact && s.Outcome != record.Partial {
		return s, nil
	}
	t := &trials{needing: w, one: one, least: s.Outcome, most: o.Most, told: told, tried: s.Tried,
		onSet:  func(places []int) (*record.Finding, error) { return w.with(one, places) },
		before: map[[sha256.Size]byte]trial{}}
	unsure, err := t.with(ctx, kept)
	if err != nil {
		return nil, err
	}
	if unsure.outcome != record.Blocked {
		if kept, s.Minimal, err = t.fewer(ctx, kept); err != nil {
			return nil, err
		}
	}
	if len(kept) == len(w.seen) && !asGood(unsure.outcome, s.Outcome) {
		err = t.beginning(ctx, s, whole, unsure)
	} else {
		err = t.single(ctx, s, kept)
	}
	s.Tried = t.tried
	sortSent(s.Enough)
	return s, err
}

// sortSent puts packets in order of sending.
func sortSent(packets []record.NeededPacket) {
	slices.SortStableFunc(packets, func(p, q record.NeededPacket) int {
		return cmp.Or(cmp.Compare(p.SentNS, q.SentNS), cmp.Compare(p.ID, q.ID))
	})
}

// packets are those at places, of a duplicate the first copy.
func (w *needing) packets(places []int) []record.NeededPacket {
	all, there := []record.NeededPacket{}, map[uint64]bool{}
	for _, place := range places {
		m := &w.recording.Messages[w.seen[place]]
		if there[m.ID] {
			continue
		}
		there[m.ID] = true
		all = append(all, record.NeededPacket{ID: m.ID, Kind: m.Kind, Round: m.Round, Src: m.Src, Dst: m.Dst,
			SentNS: m.SentNS})
	}
	return all
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
