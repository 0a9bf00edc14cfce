// The first event at which two runs differ.

package view

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/scenarios"
)

// Difference is the first event at which two runs differ.
type Difference struct {
	Same     bool        `json:"same"`     // nothing that was recorded differs
	At       int64       `json:"at"`       // virtual nanoseconds
	Events   int         `json:"events"`   // that are the same before
	Sides    []string    `json:"sides"`    // what happens in each run
	Nodes    []int       `json:"nodes"`    // that take part in either
	Settings [][3]string `json:"settings"` // keys of the scenarios that differ, and their values
	Text     string      `json:"text"`     // where they are the same
	Note     string      `json:"note"`     // what was not compared; empty: nothing
}

// event is a row of a record.
type event struct {
	at      int64
	send    bool // a packet is sent; else a node publishes a value, or tells a lie
	lie     bool
	node    int32
	other   int32 // receiver
	round   int32
	id      uint64
	arrives int64 // −1: never; the fate of a packet is decided when it is sent
	bytes   int64
	kind    record.MessageKind
	values  []float64
}

// before is the order of events, which depends on nothing that may differ between two runs of one scenario but times.
func before(a, b event) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(one(a.send), one(b.send)),
		cmp.Compare(one(a.lie), one(b.lie)), cmp.Compare(a.node, b.node),
		cmp.Compare(a.other, b.other), cmp.Compare(a.round, b.round), cmp.Compare(a.id, b.id),
		cmp.Compare(a.arrives, b.arrives))
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// equal says whether two events are the same to the last bit.
func (e *event) equal(f *event) bool {
	return e.at == f.at && e.send == f.send && e.lie == f.lie && e.node == f.node && e.other == f.other &&
		e.round == f.round && e.id == f.id && e.arrives == f.arrives && e.bytes == f.bytes && e.kind == f.kind &&
		slices.EqualFunc(e.values, f.values, func(x, y float64) bool {
			return math.Float64bits(x) == math.Float64bits(y)
		})
}

// String is what happens, in words.
func (e *event) String() string {
	if e.lie && len(e.values) == 0 {
		return fmt.Sprintf("at %s node %d leaves out what it should send node %d of round %d", span(e.at), e.node,
			e.other, e.round)
	}
	if e.lie {
		return fmt.Sprintf("at %s node %d tells node %d a lie in place of its value of round %d", span(e.at), e.node,
			e.other, e.round)
	}
	if !e.send {
		return fmt.Sprintf("at %s node %d publishes its value of round %d", span(e.at), e.node, e.round)
	}
	fate := "which is lost"
	if e.arrives >= 0 {
		fate = "which arrives " + span(e.arrives-e.at) + " later"
	}
	return fmt.Sprintf("at %s node %d sends node %d packet %d, a %s of round %d, %s", span(e.at), e.node, e.other, e.id,
		e.kind, e.round, fate)
}

// span is a time in words, to the nanosecond: two that differ read differently.
func span(ns int64) string {
	digits, unit := 0, "ns"
	switch {
	case ns == 0:
		return "0 s"
	case ns >= 1e9:
		digits, unit = 9, "s"
	case ns >= 1e6:
		digits, unit = 6, "ms"
	}
	text := fmt.Sprintf("%0*d", digits+1, ns)
	whole, part := text[:len(text)-digits], strings.TrimRight(text[len(text)-digits:], "0")
	if part != "" {
		whole += "." + part
	}
	return whole + " " + unit
}

// events are what a run's record says, in order.
func events(r *record.Run) (all []event, err error) {
	err = r.Messages(func(m record.Message) error {
		all = append(all, event{at: m.SentNS, send: true, node: m.Src, other: m.Dst, round: m.Round, id: m.ID,
			arrives: m.ReceivedNS, bytes: m.Bytes, kind: m.Kind})
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = r.Iterates(func(i record.Iterate) error {
		all = append(all, event{at: i.TimeNS, node: i.Node, round: i.Round, values: i.Values})
		return nil
	})
	if errors.Is(err, record.ErrNotRecorded) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	err = r.Lies(func(l record.Lie) error {
		all = append(all, event{at: l.TimeNS, lie: true, node: l.Node, other: l.To, round: l.Round, values: l.Values})
		return nil
	})
	slices.SortStableFunc(all, before)
	return all, err
}

// FirstDifference compares the packets and published values of two runs, in order of virtual time; the values, and what
// liars told, only if both runs recorded those of the same rounds. Two runs of one digest do not differ, whatever was
// recorded of them; two of other digests do, even if nothing that was recorded does.
func FirstDifference(a, b *record.Run) (*Difference, error) {
	x, err := events(a)
	if err != nil {
		return nil, err
	}
	y, err := events(b)
	if err != nil {
		return nil, err
	}
	d := new(Difference)
	var kept scenarios.Iterates
	var alike bool
	if d.Settings, kept, alike, err = settings(a, b); err != nil {
		return nil, err
	}
	what := "packets and values"
	switch {
	case !alike:
		told := func(e event) bool { return !e.send }
		x, y = slices.DeleteFunc(x, told), slices.DeleteFunc(y, told)
		what = "packets"
		d.Note = "Published values are not compared: the two runs recorded those of other rounds (record.iterates)."
	case kept.Keep == "none":
		what = "packets"
		d.Note = "Published values are not compared: they were not recorded (record.iterates: none)."
	case !kept.Whole():
		d.Note = "Of published values those are compared that were recorded (record.iterates)."
	}
	k := 0
	for k < len(x) && k < len(y) && x[k].equal(&y[k]) {
		k++
	}
	d.Events, d.At = k, math.MaxInt64
	if k == len(x) && k == len(y) {
		d.Same, d.At = true, 0
		d.Text = fmt.Sprintf("No event differs: all %d %s that were recorded are the same.", k, what)
		switch p, q := a.Info.Digest, b.Info.Digest; {
		case p == "" || q == "":
		case p == q:
			d.Note = ""
			d.Text += " Their digests are equal, so that nothing else differs either."
		default:
			d.Note += " Their digests differ, so that something does which was not recorded or is not compared."
			d.Note = strings.TrimSpace(d.Note)
		}
		return d, nil
	}
	for _, all := range [][]event{x, y} {
		if k >= len(all) {
			d.Sides = append(d.Sides, "nothing more happens")
			continue
		}
		e := &all[k]
		d.Sides, d.At = append(d.Sides, e.String()), min(d.At, e.at)
		for _, node := range []int32{e.node, e.other} {
			if n := int(node); (e.send || e.lie || node == e.node) && !slices.Contains(d.Nodes, n) {
				d.Nodes = append(d.Nodes, n)
			}
		}
	}
	if k < len(x) && k < len(y) {
		distinguish(d.Sides, &x[k], &y[k])
	}
	return d, nil
}

// distinguish adds to two sides that read alike what their events differ in: sizes of packets, or values.
func distinguish(sides []string, p, q *event) {
	switch {
	case sides[0] != sides[1]:
	case p.send:
		sides[0] += fmt.Sprintf(", of %d bytes", p.bytes)
		sides[1] += fmt.Sprintf(", of %d bytes", q.bytes)
	case len(p.values) != len(q.values):
		sides[0] += fmt.Sprintf(", of %s", plural.Of(len(p.values), "number"))
		sides[1] += fmt.Sprintf(", of %s", plural.Of(len(q.values), "number"))
	default:
		change := slices.Clone(p.values)
		num.Axpy(-1, q.values, change)
		sides[1] += ", another vector: "
		if away := num.Norm(change); away == 0 {
			sides[1] += "zeros have another sign"
		} else {
			sides[1] += fmt.Sprintf("it is %.3g away, and the first has length %.3g", away, num.Norm(p.values))
		}
	}
}

// settings are the seeds and the keys of their scenarios in which runs differ, of which rounds the first recorded
// values, and whether the second did of the same.
func settings(a, b *record.Run) (all [][3]string, kept scenarios.Iterates, alike bool, err error) {
	if x, y := fmt.Sprint(a.Info.Seed), fmt.Sprint(b.Info.Seed); x != y {
		all = append(all, [3]string{"seed", x, y})
	}
	var parsed [2]*scenarios.Scenario
	for k, r := range []*record.Run{a, b} {
		if parsed[k], err = scenarios.Parse(filepath.Join(r.Dir, "run.json"), []byte(r.Info.Scenario)); err != nil {
			return nil, kept, false, err
		}
	}
	for _, c := range scenarios.Changes(parsed[0], parsed[1]) {
		if c.Path == "changes" {
			c.Was, c.Is = alterations(parsed[0]), alterations(parsed[1])
		}
		all = append(all, [3]string{c.Path, c.Was, c.Is})
	}
	kept = parsed[0].Record.Iterates
	return all, kept, kept == parsed[1].Record.Iterates, nil
}

// alterations are what a scenario changes while a run goes, in the words in which a run's own page has them.
func alterations(s *scenarios.Scenario) string {
	var all []string
	for _, a := range s.Changes {
		all = append(all, a.String())
	}
	return strings.Join(all, "; ")
}
