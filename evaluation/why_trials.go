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
	onSet  func(places []int) (*record.Finding, error) // carries it out on packets, by place
	least  record.Outcome                              // that is enough
	most   int                                         // trials after which a search ends
	told   func(tried int)
	tried  int
	before map[[sha256.Size]byte]trial
}

// trial is what became of an attack.
type trial struct {
	outcome    record.Outcome
	conclusion string
	score      string // its error beside that of guessing, after a semicolon; empty: it has none
	unseen     string // what was not seen, the first of it; empty: nothing is said to be
}

func trialOf(f *record.Finding) trial {
	is := trial{outcome: f.Succeeded, conclusion: f.Conclusion}
	if len(f.Unseen) > 0 {
		is.unseen = f.Unseen[0]
	}
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

// with is what became of the attack on some packets, by place.
func (t *trials) with(ctx context.Context, places []int) (trial, error) {
	set := key(places)
	if was, ok := t.before[set]; ok {
		return was, nil
	}
	is, err := t.now(ctx, func() (*record.Finding, error) { return t.onSet(places) })
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
