// Packets that are enough for an attack, found by carrying it out on fewer and fewer of them.

package evaluation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"overhear/adversary"
	"overhear/internal/minimal"
	"overhear/record"
)

// errTried ends a search that takes too long.
var errTried = errors.New("the attack was carried out as often as it may be")

// trials are what became of an attack on sets of packets. It is carried out on each once.
type trials struct {
	*needing
	one    *adversary.Attack
	least  record.Outcome // that is enough
	most   int            // trials after which a search ends
	told   func(tried int)
	tried  int
	before map[[sha256.Size]byte]trial
}

// trial is what became of an attack.
type trial struct {
	outcome    record.Outcome
	conclusion string
	score      string // its error beside that of guessing, after a semicolon; empty: it has none
}

func trialOf(f *record.Finding) trial {
	is := trial{outcome: f.Succeeded, conclusion: f.Conclusion}
	if b := f.Beside(); b != nil {
		is.score = fmt.Sprintf("; %s: error %.2g, of guessing %.2g", b.Of, float64(b.Error), float64(b.Guess))
	}
	return is
}

// now carries the attack out once more.
func (t *trials) now(ctx context.Context, carry func() (*record.Finding, error)) (trial, error) {
	if err := ctx.Err(); err != nil {
		return trial{}, err
	}
	if t.told != nil {
		t.told(t.tried)
	}
	t.tried++
	f, err := carry()
	if err != nil {
		return trial{}, err
	}
	return trialOf(f), nil
}

// key is what the trial of a set of packets is found by.
func key(places []int) [sha256.Size]byte {
	b := make([]byte, 0, 8*len(places))
	for _, place := range places {
		b = binary.LittleEndian.AppendUint64(b, uint64(place))
	}
	return sha256.Sum256(b)
}

// with is what became of the attack on some packets, by place, for one who knows that others may have escaped it.
func (t *trials) with(ctx context.Context, places []int) (trial, error) {
	set := key(places)
	if was, ok := t.before[set]; ok {
		return was, nil
	}
	is, err := t.now(ctx, func() (*record.Finding, error) { return t.needing.with(t.one, places) })
	if err == nil {
		t.before[set] = is
	}
	return is, err
}

// enough says whether some packets are, unless the attack would be carried out too often.
func (t *trials) enough(ctx context.Context, places []int) (bool, error) {
	if _, ok := t.before[key(places)]; !ok && t.tried >= t.most {
		return false, errTried
	}
	is, err := t.with(ctx, places)
	return err == nil && asGood(is.outcome, t.least), err
}

// fewer takes packets away that are not needed: those of a round first, then what one node sent in one of them, then
// single ones. needed says whether all that are left were shown to be.
func (t *trials) fewer(ctx context.Context, kept []int) (left []int, needed bool, err error) {
	for _, group := range []func(m *record.Message) [3]int64{
		func(m *record.Message) [3]int64 { return [3]int64{int64(m.Round)} },
		func(m *record.Message) [3]int64 { return [3]int64{int64(m.Round), int64(m.Src)} },
		func(m *record.Message) [3]int64 { return [3]int64{int64(m.Round), int64(m.Src), int64(m.ID)} },
	} {
		groups := t.groups(kept, group)
		chosen, err := minimal.Subset(len(groups), func(some []int) (bool, error) {
			return t.enough(ctx, places(groups, some))
		})
		if err != nil && !errors.Is(err, errTried) {
			return nil, false, err
		}
		kept, needed = places(groups, chosen), err == nil
	}
	return kept, needed, nil
}

// single tells of packets that are enough what becomes of the attack without each, if all were shown to be needed.
func (t *trials) single(ctx context.Context, s *record.Sufficient, kept []int) error {
	with, err := t.with(ctx, kept)
	if err != nil {
		return err
	}
	s.With, s.Estimate, s.Enough = with.outcome, with.conclusion, t.packets(kept)
	for k := range s.Enough {
		if !s.Minimal {
			break
		}
		p := &s.Enough[k]
		without, err := t.with(ctx, slices.DeleteFunc(slices.Clone(kept), func(place int) bool {
			return t.recording.Messages[t.seen[place]].ID == p.ID
		}))
		if err != nil {
			return err
		}
		p.Without, p.Conclusion = without.outcome, without.conclusion+without.score
	}
	return nil
}

// beginning finds an instant up to which enough packets have arrived, and just before which too few had, for one who
// knows that no others have arrived by then. whole is what became of the attack with all.
func (t *trials) beginning(ctx context.Context, s *record.Sufficient, whole trial) error {
	arrived := func(place int) int64 { return t.recording.Messages[t.seen[place]].ReceivedNS }
	ends := []int{0} // how many packets have arrived by each instant
	for k := range t.seen {
		if k+1 == len(t.seen) || arrived(k+1) > arrived(k) {
			ends = append(ends, k+1)
		}
	}
	first := func(count int) (trial, error) {
		return t.now(ctx, func() (*record.Finding, error) {
			part, watch := t.upTo(t.seen[:count])
			return t.carry(t.one, part, watch)
		})
	}
	with := whole
	at, err := minimal.Beginning(len(ends)-1, func(at int) (bool, error) {
		is, err := first(ends[at])
		good := err == nil && asGood(is.outcome, t.least)
		if good {
			with = is
		}
		return good, err
	})
	if err != nil {
		return err
	}
	without, err := first(ends[at-1])
	if err != nil {
		return err
	}
	kept := make([]int, ends[at])
	for k := range kept {
		kept[k] = k
	}
	s.With, s.Estimate, s.Enough, s.Minimal = with.outcome, with.conclusion, t.packets(kept), false
	s.Beginning = &record.Beginning{UntilNS: arrived(ends[at] - 1), Last: len(t.packets(kept[ends[at-1]:])),
		Without: without.outcome, Conclusion: without.conclusion + without.score}
	s.Reason = "it goes by what was not sent, too, which is known only to whoever knows that no packet has escaped; " +
		"an attack that works out what was not seen may need fewer"
	if timing := t.public.Timing; timing.Faulty && !timing.Lockstep {
		s.Reason = "nodes may have been down or slow, and rounds are not in lockstep: what entered an update is " +
			"known only to whoever sees every packet"
	}
	return nil
}
