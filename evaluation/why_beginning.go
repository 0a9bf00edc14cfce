// Links that are enough for an attack, and up to when, for one who knows that over these no packet has escaped.

package evaluation

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"

	"overhear/internal/minimal"
	"overhear/record"
)

// listening is an attack by one who listens to some links.
type listening struct {
	*trials
	links [][2]int // nil: those of the adversary's view, whatever it is
	ends  []int    // how many of the packets that are seen have arrived by each instant
}

// beginning finds links over which enough packets have arrived up to an instant: fewer links are not enough, nor is
// what had come over these before. It is for one who knows that nothing else has come over them by then. whole is what
// became of the attack with all packets, and unsure what becomes of it with these for one who does not know that.
func (t *trials) beginning(ctx context.Context, s *record.Sufficient, whole, unsure trial) error {
	l := &listening{trials: t, ends: []int{0}}
	for k := range t.seen {
		if k+1 == len(t.seen) || t.arrived(k+1) > t.arrived(k) {
			l.ends = append(l.ends, k+1)
		}
	}
	at, with, err := l.until(ctx, len(l.ends)-1, whole)
	for fewer := true; err == nil && fewer; {
		was := at
		if fewer, with, err = l.without(ctx, at, with); err == nil && fewer {
			at, with, err = l.until(ctx, at, with)
			fewer = at < was
		}
	}
	untried := errors.Is(err, errTried) // whether all links that are left are needed
	if untried {
		if l.links == nil {
			l.links = l.candidates()
		}
		at, with, err = l.until(ctx, at, with)
	}
	if err != nil {
		return err
	}
	b := new(record.Beginning)
	for k, link := range l.links {
		needed := record.NeededLink{Between: link}
		if !untried {
			less, err := l.on(ctx, at, slices.Delete(slices.Clone(l.links), k, k+1))
			if err != nil {
				return err
			}
			needed.Without, needed.Conclusion = less.outcome, less.conclusion+less.score
		}
		b.Links = append(b.Links, needed)
	}
	kept, earlier := l.kept(at, l.links), l.kept(at-1, l.links)
	before, err := l.on(ctx, at-1, l.links)
	if err != nil {
		return err
	}
	b.UntilNS, b.Last = t.arrived(l.ends[at]-1), len(t.packets(kept[len(earlier):]))
	b.Without, b.Conclusion = before.outcome, before.conclusion+before.score
	s.With, s.Estimate, s.Enough, s.Minimal, s.Beginning = with.outcome, with.conclusion, t.packets(kept), false, b
	s.Reason = "it goes by what was not sent, too, which is known only to whoever knows that no packet has escaped"
	if unsure.unseen != "" {
		s.Reason += "; who does not lacks, for one, " + unsure.unseen
	}
	return l.alone(ctx, b, kept)
}

// alone finds which of the packets that arrived by the beginning's instant are enough if the others were never sent. As
// some of these were, an observer of the former alone can only guess so; what the attack then says is held against the
// data all the same.
func (l *listening) alone(ctx context.Context, b *record.Beginning, kept []int) (err error) {
	t, until := *l.trials, l.last(kept)
	t.onSet = func(places []int) (*record.Finding, error) { return l.heard(until, places, l.links) }
	t.before = map[[sha256.Size]byte]trial{}
	defer func() { l.tried = t.tried }()
	var s record.Sufficient
	if kept, s.Minimal, err = t.fewer(ctx, kept); err != nil {
		return err
	}
	err = t.single(ctx, &s, kept)
	sortSent(s.Enough)
	b.Alone, b.Minimal = s.Enough, s.Minimal
	return err
}

// arrived is when a packet that is seen did.
func (w *needing) arrived(place int) int64 { return w.recording.Messages[w.seen[place]].ReceivedNS }

// kept are the packets, by place, that have arrived over some links by an instant.
func (l *listening) kept(at int, links [][2]int) (places []int) {
	for place := range l.ends[at] {
		m := &l.recording.Messages[l.seen[place]]
		if links == nil || slices.Contains(links, between(m)) {
			places = append(places, place)
		}
	}
	return places
}

// between is the link of a packet.
func between(m *record.Message) [2]int { return [2]int{int(min(m.Src, m.Dst)), int(max(m.Src, m.Dst))} }

// on is what becomes of the attack with what has arrived over some links by an instant.
func (l *listening) on(ctx context.Context, at int, links [][2]int) (trial, error) {
	kept := l.kept(at, links)
	until := l.last(kept)
	return l.now(ctx, func() (*record.Finding, error) { return l.heard(until, kept, links) })
}

// last is when the last of some packets arrived.
func (l *listening) last(kept []int) int64 {
	if len(kept) == 0 {
		return 0
	}
	return l.arrived(kept[len(kept)-1])
}

// heard carries the attack out on packets that have arrived over some links by an instant, for one who takes them for
// all that have.
func (l *listening) heard(until int64, places []int, links [][2]int) (*record.Finding, error) {
	rows := make([]int, len(places))
	for k, place := range places {
		rows[k] = l.seen[place]
	}
	part, watch := l.by(until, rows)
	if links != nil {
		watch.Links = links
	}
	return l.carry(l.one, part, watch)
}

// until is an instant, at a known one at the latest, by which what has arrived is enough; just before it is not.
func (l *listening) until(ctx context.Context, latest int, with trial) (int, trial, error) {
	at, err := minimal.Beginning(latest, func(at int) (bool, error) {
		is, err := l.on(ctx, at, l.links)
		good := err == nil && asGood(is.outcome, l.least)
		if good {
			with = is
		}
		return good, err
	})
	return at, with, err
}

// without leaves out links that are not needed by an instant. fewer says whether there were such.
func (l *listening) without(ctx context.Context, at int, with trial) (fewer bool, _ trial, err error) {
	all := l.links
	if all == nil {
		all = l.candidates()
	}
	pick := func(some []int) [][2]int {
		links := [][2]int{}
		for _, k := range some {
			links = append(links, all[k])
		}
		return links
	}
	chosen, err := minimal.Subset(len(all), func(some []int) (bool, error) {
		if l.tried >= l.most {
			return false, errTried
		}
		is, err := l.on(ctx, at, pick(some))
		good := err == nil && asGood(is.outcome, l.least)
		if good {
			with = is
		}
		return good, err
	})
	if len(chosen) < len(all) {
		l.links, fewer = pick(chosen), true
	}
	return fewer, with, err
}

// candidates are links that the adversary may do without: none of one that sees with colluding nodes.
func (l *listening) candidates() (all [][2]int) {
	switch {
	case l.watch.Nodes != nil:
		return nil
	case l.watch.Links != nil:
		all = slices.Clone(l.watch.Links)
		for k, link := range all {
			all[k] = [2]int{min(link[0], link[1]), max(link[0], link[1])}
		}
	default:
		all = l.public.Graph.Pairs()
		for _, row := range l.seen { // of users, who are not in the graph
			all = append(all, between(&l.recording.Messages[row]))
		}
	}
	slices.SortFunc(all, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
	return slices.Compact(all)
}
