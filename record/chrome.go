// A run as a timeline in the Trace Event Format, which trace viewers open: a
// track a node, a slice a step, an arrow a message.

package record

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ChromeTrace is the format that WriteChromeTrace writes, as Export's caller
// names it.
const ChromeTrace = "chrome-trace"

// Happening is what goes on in a run besides steps and messages, such as a node that is down.
type Happening struct {
	From, To int64 // virtual nanoseconds; the same: an instant
	Name     string
}

// WriteChromeTrace writes a run whose messages were kept as a JSON object with
// traceEvents. Times are virtual, in microseconds. Whatever else goes on has a track
// of its own, since it ends and begins regardless of steps. Every node is a thread, and its
// steps are complete events. Whatever it sends and receives at one instant is one
// more, since as many slices as a hub has clients, nested, would be unreadable; a
// message is a flow from the one slice to the other, and a lost one an instant.
// The messages' kinds are categories.
//
// Slices of a thread must nest. Those of messages have a length only to be seen
// and clicked, so they end where the next thing on the track begins or ends.
func WriteChromeTrace(r *Run, to io.Writer, besides ...Happening) error {
	c := &chrome{out: bufio.NewWriterSize(to, 1<<16), run: r, nodes: r.Info.Nodes}
	if err := c.read(); err != nil {
		return err
	}
	title := quoted(fmt.Sprintf("%s, seed %d", r.Info.Name, r.Info.Seed))
	c.out.WriteString("{\"displayTimeUnit\":\"ms\",\n\"otherData\":{\"run\":" + title +
		",\"note\":\"virtual time; send and receive slices have a length only to be seen\"},\n\"traceEvents\":[")
	c.event(`"ph":"M","name":"process_name","pid":%d,"args":{"name":%s}`, c.nodes, title)
	for k, h := range besides {
		c.happening(k, h)
	}
	for node := range c.nodes {
		c.track(node)
	}
	if err := c.flows(); err != nil {
		return err
	}
	c.out.WriteString("\n]}\n")
	return c.out.Flush()
}

// what is the part of a node in a message.
type what uint8

const (
	sent what = iota
	gone      // sent and lost
	received
)

// mark is one end of a message.
type mark struct {
	at, bytes          int64
	node, other, round int32
	kind               uint8 // position in kinds
	what               what
}

// chrome writes the events of one run. The first of them is that of the process,
// whose number is one that no thread has: a thread with the process's number would
// be taken for its main thread.
type chrome struct {
	out    *bufio.Writer
	run    *Run
	nodes  int
	steps  []Step // by node, in order of time
	marks  []mark // by node, in order of time
	kinds  []MessageKind
	length int64 // of a message's slices, at most
	events int
}

func (c *chrome) event(format string, args ...any) {
	if c.events > 0 {
		c.out.WriteByte(',')
	}
	c.events++
	c.out.WriteString("\n{")
	fmt.Fprintf(c.out, format, args...)
	c.out.WriteByte('}')
}

// read collects the ends of messages, and sorts them and the steps.
func (c *chrome) read() error {
	last, first := uint64(0), true
	var delay, arrived float64
	err := c.run.Messages(func(m Message) error {
		c.nodes = max(c.nodes, int(m.Src)+1, int(m.Dst)+1)
		kind := slices.Index(c.kinds, m.Kind)
		if kind < 0 {
			kind = len(c.kinds)
			c.kinds = append(c.kinds, m.Kind)
		}
		end := mark{at: m.SentNS, bytes: m.Bytes, node: m.Src, other: m.Dst, round: m.Round, kind: uint8(kind)}
		if m.ReceivedNS < 0 {
			end.what = gone
		}
		if first || m.ID != last { // the second copy of a duplicate is not sent again
			c.marks = append(c.marks, end)
		}
		last, first = m.ID, false
		if m.ReceivedNS >= 0 {
			end.at, end.node, end.other, end.what = m.ReceivedNS, m.Dst, m.Src, received
			c.marks = append(c.marks, end)
			delay += float64(m.ReceivedNS - m.SentNS)
			arrived++
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = c.run.Steps(func(s Step) error {
		c.nodes = max(c.nodes, int(s.Node)+1)
		c.steps = append(c.steps, s)
		return nil
	})
	if err != nil {
		return err
	}
	c.length = int64(min(max(1000, delay/max(1, arrived)/100), 1e15)) // a hundredth of the mean delay
	slices.SortFunc(c.marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.at, b.at), cmp.Compare(a.what, b.what),
			cmp.Compare(a.other, b.other), cmp.Compare(a.round, b.round), cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.bytes, b.bytes))
	})
	slices.SortFunc(c.steps, func(a, b Step) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.BeganNS, b.BeganNS), cmp.Compare(a.EndedNS, b.EndedNS))
	})
	return nil
}

// happening writes what goes on besides: an asynchronous event, whose number is not a message's, or an instant of the
// process.
func (c *chrome) happening(k int, h Happening) {
	name := quoted(h.Name)
	if h.From >= h.To {
		c.event(`"ph":"i","s":"p","name":%s,"cat":"happening","pid":%d,"ts":%s`, name, c.nodes, micros(h.From))
		return
	}
	for _, end := range []struct {
		phase string
		at    int64
	}{{"b", h.From}, {"e", h.To}} {
		c.event(`"ph":"%s","name":%s,"cat":"happening","id":"h%d","pid":%d,"ts":%s`, end.phase, name, k, c.nodes,
			micros(end.at))
	}
}

// track writes a node's slices in order of time; at one instant, the longer first,
// since the others are in it.
func (c *chrome) track(node int) {
	what := "node"
	if node >= c.run.Info.Nodes {
		what = "user" // who registers
	}
	c.event(`"ph":"M","name":"thread_name","pid":%d,"tid":%d,"args":{"name":"%s %d"}`, c.nodes, node, what, node)
	c.event(`"ph":"M","name":"thread_sort_index","pid":%d,"tid":%d,"args":{"sort_index":%d}`, c.nodes, node, node)
	busy := int64(-1) // until when
	for {
		steps := len(c.steps) > 0 && int(c.steps[0].Node) == node
		marks := len(c.marks) > 0 && int(c.marks[0].node) == node
		if !steps && !marks {
			return
		}
		if steps && (!marks || c.steps[0].BeganNS <= c.marks[0].at) {
			c.step(c.steps[0])
			busy = c.steps[0].EndedNS
			c.steps = c.steps[1:]
			continue
		}
		at := c.marks[0].at
		n := 1
		for n < len(c.marks) && int(c.marks[n].node) == node && c.marks[n].at == at {
			n++
		}
		end := at + c.length
		if n < len(c.marks) && int(c.marks[n].node) == node {
			end = min(end, c.marks[n].at)
		}
		if steps {
			end = min(end, c.steps[0].BeganNS)
		}
		if busy > at { // shorter than the step, which tells viewers which is in which
			end = min(end, max(busy-1, at+1))
		}
		c.instant(c.marks[:n], end-at)
		c.marks = c.marks[n:]
	}
}

func (c *chrome) step(s Step) {
	name := "solve"
	if s.Round == 0 {
		name = "start"
	}
	c.event(`"ph":"X","name":"%s","cat":"step","pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{"round":%d}`,
		name, c.nodes, s.Node, micros(s.BeganNS), micros(s.EndedNS-s.BeganNS), s.Round)
}

// instant writes what a node sends and receives at once.
func (c *chrome) instant(marks []mark, length int64) {
	var to, from, rounds, kinds []string
	var out, in int64
	add := func(list *[]string, word string) {
		if !slices.Contains(*list, word) {
			*list = append(*list, word)
		}
	}
	for _, m := range marks {
		if m.what == received {
			from = append(from, strconv.Itoa(int(m.other)))
			in += m.bytes
		} else {
			to = append(to, strconv.Itoa(int(m.other)))
			out += m.bytes
		}
		add(&rounds, strconv.Itoa(int(m.round)))
		add(&kinds, string(c.kinds[m.kind]))
		if m.what == gone { // before the slice: flows belong to the last one begun
			c.event(`"ph":"i","s":"t","name":"lost","cat":%s,"pid":%d,"tid":%d,"ts":%s,`+
				`"args":{"to":%d,"round":%d,"bytes":%d}`,
				quoted(string(c.kinds[m.kind])), c.nodes, m.node, micros(m.at), m.other, m.round, m.bytes)
		}
	}
	name, args := "", []string{`"rounds":"` + strings.Join(rounds, ", ") + `"`}
	if from != nil {
		name = "receive"
		args = append(args, fmt.Sprintf(`"from":"%s","bytes_in":%d`, strings.Join(from, ", "), in))
	}
	if to != nil {
		if name != "" {
			name += " and "
		}
		name += "send"
		args = append(args, fmt.Sprintf(`"to":"%s","bytes_out":%d`, strings.Join(to, ", "), out))
	}
	c.event(`"ph":"X","name":"%s","cat":%s,"pid":%d,"tid":%d,"ts":%s,"dur":%s,"args":{%s}`,
		name, quoted(strings.Join(kinds, ",")), c.nodes, marks[0].node, micros(marks[0].at), micros(length),
		strings.Join(args, ","))
}

// flows writes an arrow for every message that arrived. They follow the slices, as
// an arrow that begins with a slice must be read after it.
func (c *chrome) flows() error {
	id := 0
	return c.run.Messages(func(m Message) error {
		id++ // the copies of a duplicate have one id, but are two arrows
		if m.ReceivedNS < 0 {
			return nil
		}
		kind := quoted(string(m.Kind))
		c.event(`"ph":"s","name":%s,"cat":%s,"id":%d,"pid":%d,"tid":%d,"ts":%s,`+
			`"args":{"message":%d,"round":%d,"bytes":%d}`,
			kind, kind, id, c.nodes, m.Src, micros(m.SentNS), m.ID, m.Round, m.Bytes)
		c.event(`"ph":"f","bp":"e","name":%s,"cat":%s,"id":%d,"pid":%d,"tid":%d,"ts":%s`,
			kind, kind, id, c.nodes, m.Dst, micros(m.ReceivedNS))
		return nil
	})
}

// micros is a time in microseconds, to the nanosecond. A viewer may multiply by
// 1000 and cut off what remains, which must not make slices overlap: where that
// would give the nanosecond before, a tenth of one is added.
func micros(ns int64) string {
	text := fmt.Sprintf("%d.%03d", ns/1000, ns%1000)
	if v, err := strconv.ParseFloat(text, 64); err == nil && int64(float64(v*1000)) < ns {
		text += "1"
	}
	return text
}

// quoted is a text in JSON.
func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always encodes
	return string(b)
}
