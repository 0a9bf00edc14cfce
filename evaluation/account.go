// What became of the packets of a run: which of them no explanation covers.

package evaluation

import (
	"fmt"
	"math"
	"slices"

	"overhear/adversary/stats"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/sim"
)

// misfit is what nothing explains, with the first packet that shows it.
type misfit struct {
	at   sim.Time
	id   uint64
	what string
}

// tally is what a check of a run came to.
type tally struct {
	n, wrong int
	finds    float64 // a deviation above this share would have been found in each of them
	first    *misfit
	allowed  float64 // sum of what deviations might be
	size     float64 // and of how large what is checked is
	twinned  bool    // the run was made with other data, too: elsewhere requests are taken for what they ask
}

// account is what became of the packets of a run, by check.
type account map[record.CheckKind]*tally

func (a account) of(kind record.CheckKind) *tally {
	t := a[kind]
	if t == nil {
		t = new(tally)
		a[kind] = t
	}
	return t
}

// hold checks that something that a packet shows is off by no more than is allowed; size is how large it is itself. The
// words are asked for only if it is.
func (a account) hold(kind record.CheckKind, off, allowed, size float64, p *packet, what func() string) bool {
	t := a.of(kind)
	t.n++
	t.allowed, t.size = t.allowed+allowed, t.size+size
	if off <= allowed && !math.IsInf(allowed, 1) { // of numbers that overflow nothing is known
		if share := allowed / size; allowed > 0 && !math.IsInf(share, 1) {
			t.finds = max(t.finds, share)
		}
		return true
	}
	a.misfits(kind, p, what())
	return false
}

// blinded adds what fails where rounding, and what solves leave, come to more than what is checked does itself. Where
// there is meant to be nothing, nothing is hidden.
func (a account) blinded() {
	for _, k := range things {
		if t := a[k.kind]; t != nil && k.relatively && t.size > 0 && t.allowed > t.size {
			a.misfits(k.kind, nil, fmt.Sprintf("rounding, and what solves leave, come to %.3g times the size of all "+
				"that is checked, and hide it", t.allowed/t.size))
		}
	}
}

// same checks what must not differ by a bit.
func (a account) same(kind record.CheckKind, fits bool, p *packet, what func() string) bool {
	off := 0.0
	if !fits {
		off = 1
	}
	return a.hold(kind, off, 0, 1, p, what)
}

// misfits notes a misfit; of those of a kind the first is kept. Without a packet it comes after all that have one.
func (a account) misfits(kind record.CheckKind, p *packet, what string) {
	t := a.of(kind)
	t.wrong++
	m := &misfit{at: math.MaxInt64, id: math.MaxUint64, what: what}
	if p != nil {
		m.at, m.id = p.sent, p.id
		m.what = p.String() + ": " + what
	}
	if t.first == nil || m.at < t.first.at || m.at == t.first.at && m.id < t.first.id {
		t.first = m
	}
}

// explained says whether all packets are.
func (a account) explained() bool {
	for _, t := range a {
		if t.wrong > 0 {
			return false
		}
	}
	return true
}

// things are what is counted by a check of packets; of those that bits decide there is no size that can be too small.
var things = []struct {
	kind       record.CheckKind
	one        string
	relatively bool
}{
	{record.PacketsExpected, "packet", false},
	{record.PacketsInTime, "value", false},
	{record.OneValueForAll, "packet", false},
	{record.LiesFollow, "message", false},
	{record.RecordAsSent, "report", false},
	{record.StartIsPublic, "start", false},
	{record.ReportsFollow, "report", false},
	{record.NoiseFromStream, "value", true},
	{record.StepsRepeat, "value", false},
	{record.IdleRounds, "value", false},
	{record.HubFollows, "message", false},
}

// accounted are the checks of the packets of all runs of both worlds.
func accounted(sample [2][]*evidence) (checks []record.Check) {
	for _, k := range things {
		n, wrong, runs, twinned, finds := 0, 0, 0, 0, 0.0
		first := ""
		for i := range max(len(sample[0]), len(sample[1])) {
			for w := range sample {
				if i >= len(sample[w]) {
					continue
				}
				t := sample[w][i].account[k.kind]
				if t == nil {
					continue
				}
				if runs++; t.twinned {
					twinned++
				}
				n, wrong, finds = n+t.n, wrong+t.wrong, max(finds, t.finds)
				if t.first != nil && first == "" {
					first = fmt.Sprintf("run %d of world %c: %s", i, 'A'+rune(w), t.first.what)
				}
			}
		}
		if runs == 0 {
			continue
		}
		c := record.Check{Kind: k.kind, Measured: record.Number(wrong), Holds: wrong == 0,
			Detail: plural.Of(n, k.one) + " in " + plural.Of(runs, "run")}
		if wrong > 0 {
			c.Detail = fmt.Sprintf("%d of %s are not; the first: %s", wrong, plural.Of(n, k.one), first)
		}
		sure := runs
		if twinned > 0 { // where nodes may ask and leave, a packet more is sure to be found in these runs alone
			sure = twinned
		}
		if c.Finds = record.Number(stats.Seldom(sure, 0)); k.relatively {
			c.Finds = record.Number(finds)
		}
		checks = append(checks, c)
	}
	slices.SortStableFunc(checks, func(a, b record.Check) int { return worse(b) - worse(a) })
	return checks
}

// worse is 1 of a check that fails.
func worse(c record.Check) int {
	if c.Holds {
		return 0
	}
	return 1
}
