// What an observer sees of a recorded run.

package adversary

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"overhear/adversary/model"

	"overhear/internal/plural"
	"overhear/record"
	"overhear/sim"
)

// Recording is a run as it was recorded, with the content of every message. No
// attack sees one.
type Recording struct {
	Seed     uint64
	Iterates []record.Iterate // what each node published
	Reports  []record.Iterate // what users reported: Node is the user's
	Messages []record.Message // every packet
	Lies     []record.Lie     // what was told in place of what was published
	Restarts []Restart        // by node, and in order
}

// Vantage is what an observer is placed to see. Links or Nodes, if given, narrow it; the
// zero value sees every packet that arrives.
type Vantage struct {
	Links [][2]int // taps on these edges, both ways
	Nodes []int    // colluding nodes: what they receive, and what they sent
	From  int      // nothing of the rounds before
	Miss  float64  // share of packets that escape, drawn by the seed

	// Partial says that of what it is placed to see more may have escaped: nothing follows from what is not seen. The
	// copies of a packet escape together, as with Miss.
	Partial bool

	// Own is, by colluding node, the first round that it is taken not to have computed: packets that it is taken not to
	// have received entered that, or may have. What nodes computed that are not in it is known.
	Own map[int]int
}

// owns says whether a value is known to the observer as it computed it.
func (w *Vantage) owns(node, round int) bool {
	if !slices.Contains(w.Nodes, node) || round < w.From {
		return false
	}
	until, limited := w.Own[node]
	return !limited || round < until
}

// String says what is seen, in words.
func (w Vantage) String() string {
	s := "every packet that arrives"
	switch {
	case w.Nodes != nil:
		s = "what nodes " + plural.And(w.Nodes) + " receive and send"
		if len(w.Nodes) == 1 {
			s = fmt.Sprintf("what node %d receives and sends", w.Nodes[0])
		}
	case w.Links != nil:
		var links []string
		for _, l := range w.Links {
			links = append(links, fmt.Sprintf("%d–%d", l[0], l[1]))
		}
		s = "the packets that arrive over the links " + strings.Join(links, ", ")
	}
	if w.From > 0 {
		s += fmt.Sprintf(", from round %d on", w.From)
	}
	if w.Miss > 0 {
		s += fmt.Sprintf(", but for %.3g %% of them", 100*w.Miss)
	}
	return s
}

// Sees says whether a packet is seen.
func (w *Vantage) Sees(m *record.Message, seed uint64) bool {
	if m.ReceivedNS < 0 || int(m.Round) < w.From {
		return false
	}
	src, dst := int(m.Src), int(m.Dst)
	switch {
	case w.Nodes != nil:
		if slices.Contains(w.Nodes, src) {
			return true // its own
		}
		if !slices.Contains(w.Nodes, dst) {
			return false
		}
	case w.Links != nil:
		if !slices.Contains(w.Links, [2]int{src, dst}) && !slices.Contains(w.Links, [2]int{dst, src}) {
			return false
		}
	}
	return w.Miss == 0 || sim.NewStream(seed, "tap", m.ID).Float64() >= w.Miss
}

// View is what an observer has: what it saw, what is public, and what it knew
// before. It never changes.
type View struct {
	Public  *model.Public
	Knows   *Knowledge
	Vantage Vantage

	values   map[[2]int][]float64 // by sender and round
	lies     map[[3]int][]float64 // by sender, receiver and round, what was told instead of a value; nil: unseen
	reports  map[int][]float64    // by user
	packets  []record.Message     // seen, in order of sending
	arrived  map[[2]int][]arrival // by receiver and sender, in order of time
	sent     map[[2]int][]sending // packets by sender and round
	asked    map[[3]int64]int     // the last round asked for, by who is asked, who asks, and when the request came
	replayed map[[2]int][]int     // inputs by node and round, as the nodes' rule has them
	total    int                  // packets of the run, seen or not

	restarts map[int][]Restart // by node
	reveals  map[[2]int]bool   // whether packets show that a node went on from its start after a round
	liars    map[int]bool      // what these send again may be no start

	faults *Interruptions // nil: none
	clock  Clock          // of the nodes, if that is known; nil: an update takes Timing.Slowest at most
	owed   map[int]int64  // when a node would have sent what it never sent
	memo   *Memo          // of what attacks found on other views; nil: none
}

// arrival is a value that reached a node.
type arrival struct {
	at     int64
	round  int
	newest int  // the latest round that has arrived by then
	tied   bool // it is not known when within that instant it happened
}

// sending is when a value was sent to whom.
type sending struct {
	at int64
	to int
}

// Observe is what an observer has of a recording. A star's, or users',
// values are seen as other nodes' are; values of an edge method, whose messages
// differ by neighbour, are seen as the iterates that follow from them.
func Observe(r *Recording, w Vantage, p *model.Public, k *Knowledge) *View {
	if k == nil {
		k = new(Knowledge)
	}
	v := &View{
		Public: p, Knows: k, Vantage: w, total: len(r.Messages),
		values: map[[2]int][]float64{}, reports: map[int][]float64{},
		restarts: map[int][]Restart{}, reveals: map[[2]int]bool{}, liars: map[int]bool{},
	}
	for _, s := range r.Restarts {
		v.restarts[s.Node] = append(v.restarts[s.Node], s)
	}
	v.times(r.Messages, func(m *record.Message) bool { return w.Sees(m, r.Seed) })
	told := lies(slices.DeleteFunc(slices.Clone(r.Lies), func(l record.Lie) bool { // in place of its start
		return v.Restates(&record.Message{Kind: record.MessageValue, Src: l.Node, Round: l.Round, SentNS: l.TimeNS})
	}))
	for i := range r.Lies {
		v.liars[int(r.Lies[i].Node)] = true
	}
	if len(told) > 0 {
		v.lies = make(map[[3]int][]float64, len(told))
		for key := range told {
			v.lies[key] = nil
		}
	}
	seen := map[[2]int]bool{}
	for i := range v.packets {
		switch m := &v.packets[i]; m.Kind {
		case record.MessageValue:
			key := [3]int{int(m.Src), int(m.Dst), int(m.Round)}
			lie, lied := told[key]
			switch {
			case v.Restates(m) && v.liars[int(m.Src)]: // it may carry a lie
			case v.Restates(m):
				seen[[2]int{int(m.Src), 0}], v.reveals[[2]int{int(m.Src), int(m.Round)}] = true, true
			case lied:
				v.lies[key] = lie
			default:
				seen[[2]int{int(m.Src), int(m.Round)}] = true
			}
		case record.MessageRequest:
			if v.asksAgain(m) {
				v.reveals[[2]int{int(m.Src), int(m.Round)}] = true
			}
		case record.MessageReport:
			seen[[2]int{int(m.Src), -1}] = true
		}
	}
	if m, ok := p.Method.(model.EdgeDual); ok && p.Timing.Lockstep {
		v.unmix(m, w.owns, seen)
	} else if ok { // later messages have states in them that are not followed
		maps.DeleteFunc(seen, func(key [2]int, _ bool) bool { return key[1] > 1 })
	}
	for _, i := range r.Iterates {
		key := [2]int{int(i.Node), int(i.Round)}
		if w.owns(key[0], key[1]) || seen[key] {
			v.values[key] = i.Values
		}
	}
	for _, i := range r.Reports {
		if seen[[2]int{int(i.Node), -1}] {
			v.reports[int(i.Node)] = i.Values
		}
	}
	if !p.Timing.Lockstep && !p.Timing.Barrier {
		v.replay()
	}
	return v
}

// lies are by sender, receiver and round.
func lies(all []record.Lie) map[[3]int][]float64 {
	by := make(map[[3]int][]float64, len(all))
	for i := range all {
		by[[3]int{int(all[i].Node), int(all[i].To), int(all[i].Round)}] = all[i].Values
	}
	return by
}

// unmix leaves, of a method whose messages differ by neighbour, those values as seen that follow from messages that
// were. The message from i to j is 2ηf − z, so that it tells f if z is known, and z is made of all messages from j to i
// before (but where the relaxation is 1, of the last); a message that was not seen itself is known if its f and z are.
func (v *View) unmix(m model.EdgeDual, own func(node, round int) bool, seen map[[2]int]bool) {
	_, relaxation := m.Edge()
	carried := map[[3]int]bool{} // by sender, receiver and round
	for i := range v.packets {
		if m := &v.packets[i]; m.Kind == record.MessageValue && !v.Restates(m) {
			carried[[3]int{int(m.Src), int(m.Dst), int(m.Round)}] = true
		}
	}
	graph := v.Public.Graph
	steady := v.Steady()       // after it some z is lost
	known := map[[2]int]bool{} // whether z of a node for a neighbour is, as it enters the round's messages
	links := func(do func(i, j int)) {
		for i := range graph.Order() {
			for _, j := range graph.Neighbours(i) {
				do(i, int(j))
			}
		}
	}
	links(func(i, j int) { known[[2]int{i, j}] = true }) // zero at first
	for t := 0; t <= v.Public.Rounds; t++ {
		value := make([]bool, graph.Order())
		for i := range value {
			value[i] = own(i, t) || t == 0 && v.Public.Zero
		}
		links(func(i, j int) { value[i] = value[i] || carried[[3]int{i, j, t}] && known[[2]int{i, j}] })
		for i, is := range value {
			if !is || t > steady {
				delete(seen, [2]int{i, t})
			}
		}
		if t == 0 {
			continue // messages count from round 1 on
		}
		next := map[[2]int]bool{}
		links(func(i, j int) {
			message := carried[[3]int{j, i, t}] || value[j] && known[[2]int{j, i}]
			next[[2]int{i, j}] = message && (known[[2]int{i, j}] || relaxation == 1)
		})
		known = next
	}
}

// Interruptions are times in which faults keep nodes from going on by the rule of rounds.missing: last alone.
type Interruptions struct {
	// Began is when a node says that an update was awaited, in ns of virtual time. It is gone by where a fault falls
	// into that update or the wait for it; whether the values that had come by then are those that entered it is seen
	// by whoever computes the update again.
	Began func(node, round int) (int64, bool)

	// In says whether a fault is on a node at some time of a span.
	In func(node int, from, until int64) bool
}

// Clock tells the time of nodes.
type Clock interface {
	// Took is how long a node's update of a round takes that begins at a time.
	Took(node, round int, began int64) sim.Duration
	// Due is when that happens to a node which falls due at a time: then, or, if it is down, when it is up again,
	// before anything else of that instant; held says that it is so. False: never.
	Due(node int, at int64) (when int64, held, happens bool)
}

// Attested is the view of one whom nothing escapes, lost packets not either, and who knows the nodes' clock: it knows
// what entered each update.
func Attested(p *model.Public, iterates []record.Iterate, messages []record.Message, clock Clock,
	faults *Interruptions) *View {
	v := Overheard(p, nil, iterates)
	v.clock, v.faults = clock, faults
	v.times(messages, func(*record.Message) bool { return true })
	if !p.Timing.Lockstep && !p.Timing.Barrier {
		v.replay()
	}
	return v
}

// times notes when packets that are seen were sent and came.
func (v *View) times(messages []record.Message, sees func(m *record.Message) bool) {
	v.arrived, v.sent, v.asked = map[[2]int][]arrival{}, map[[2]int][]sending{}, map[[3]int64]int{}
	for i := range messages {
		m := &messages[i]
		if !sees(m) {
			continue
		}
		came := m.ReceivedNS >= 0
		if came {
			v.packets = append(v.packets, *m)
		}
		src, dst, round := int(m.Src), int(m.Dst), int(m.Round)
		switch m.Kind {
		case record.MessageValue:
			if came {
				key := [2]int{dst, src}
				v.arrived[key] = append(v.arrived[key], arrival{at: m.ReceivedNS, round: round, tied: v.tied(m)})
			}
			if key, s := [2]int{src, round}, (sending{m.SentNS, dst}); !v.Restates(m) {
				// Copies of a packet, which follow each other, were sent once.
				if all := v.sent[key]; len(all) == 0 || all[len(all)-1] != s {
					v.sent[key] = append(all, s)
				}
			}
		case record.MessageRequest:
			if came {
				v.asked[[3]int64{int64(dst), int64(src), m.ReceivedNS}] = round
			}
		}
	}
	for _, all := range v.arrived {
		slices.SortStableFunc(all, func(a, b arrival) int { return cmp.Compare(a.at, b.at) })
		newest := model.Start
		for k := range all {
			newest = max(newest, all[k].round)
			all[k].newest = newest
		}
	}
}

// With is the view of an observer that sees the same and knows k.
func (v *View) With(k *Knowledge) *View {
	w := *v
	w.Knows = k
	return &w
}

// Value is what a node published in a round, if a packet that carried it was
// seen or it is known that all nodes start at zero.
func (v *View) Value(node, round int) ([]float64, bool) {
	f, ok := v.values[[2]int{node, round}]
	if !ok && round == 0 && v.Public.Zero && v.Public.Rows == 0 {
		return make([]float64, v.Public.D), true
	}
	return f, ok
}

// Told is what a node told a neighbour as its value of a round, if it was seen.
func (v *View) Told(node, neighbour, round int) ([]float64, bool) {
	if lie, ok := v.lies[[3]int{node, neighbour, round}]; ok {
		return lie, len(lie) > 0
	}
	return v.Value(node, round)
}

// Lie is what a node told a neighbour in place of its value of a round, if it did and that was seen.
func (v *View) Lie(node, neighbour, round int) ([]float64, bool) {
	lie := v.lies[[3]int{node, neighbour, round}]
	return lie, len(lie) > 0
}

// Among is the view with what nodes that lie told others.
func (v *View) Among(all []record.Lie) *View {
	w := *v
	w.lies = lies(all)
	return &w
}

// From is the first round of which anything can have been seen.
func (v *View) From() int { return v.Vantage.From }

// Gradients are what the view says about a node's data, a Gradient for every round of
// which enough was seen, and what was not seen of the others. Size is the number of
// the node's samples, on which the noise of some methods depends; 0: it is not known.
func (v *View) Gradients(node, size int) (all []model.Gradient, unseen []string) {
	every, missing := model.Gradients(v.Public, v, node, size)
	for _, m := range missing {
		unseen = append(unseen, m.Error())
	}
	for _, g := range every {
		if g.Kinked {
			unseen = append(unseen, fmt.Sprintf("round %d: at which side of which kink of the regulariser "+
				"(problem.l1, problem.set) the minimiser of node %d was before noise was added", g.Round, node))
		} else {
			all = append(all, g)
		}
	}
	return all, unseen
}

// Report is what a user reported, if it was seen.
func (v *View) Report(user int) ([]float64, bool) {
	r, ok := v.reports[user]
	return r, ok
}

// Seen is how many packets were seen, of how many.
func (v *View) Seen() (seen, of int) { return len(v.packets), v.total }

// Packets are those that were seen, in order of sending; they are not to be changed.
func (v *View) Packets() []record.Message { return v.packets }

// Inputs are the rounds of the neighbours' values that entered a node's update of
// a round, by position of the neighbour. Where rounds are in lockstep they are
// those of the round before, and 0 of a neighbour that had gone on from its start.
// Where they are not, the record of arrivals tells them: by the nodes' own rule where
// all of the node's was seen, else as far as an arrival can be put before or after the beginning
// of the update; the error, a *model.Missing, says where it cannot. A start of zero is as good as
// none: it is then not told whether it had come.
func (v *View) Inputs(node, round int) ([]int, error) {
	neighbours := v.Public.Graph.Neighbours(node)
	inputs := make([]int, len(neighbours))
	if v.Public.Timing.Lockstep {
		for k, j := range neighbours {
			var err error
			if inputs[k], err = v.first(node, int(j), round-1); err != nil {
				return nil, err
			}
		}
		return inputs, nil
	}
	if used, ok := v.replayed[[2]int{node, round}]; ok {
		return used, nil
	}
	if v.clock != nil && !v.Public.Timing.Barrier {
		return nil, model.NotSeen("how node %d, by the rule by which nodes go on, came to publish round %d when it did",
			node, round)
	}
	for k, j := range neighbours {
		var err error
		if inputs[k], err = v.input(node, int(j), round); err != nil {
			return nil, err
		}
	}
	return inputs, nil
}

// Owes says when, by the rule by which nodes go on, a node would have published the round after its last; false: never,
// or the rule does not tell.
func (v *View) Owes(node int) (at int64, ok bool) {
	at, ok = v.owed[node]
	return at, ok
}

// whole says whether no packet escapes the observer that reaches a node or that it sends.
func (v *View) whole(node int) bool {
	w := v.Vantage
	if w.From > 0 || w.Miss > 0 || w.Partial {
		return false
	}
	for _, k := range v.Public.Graph.Neighbours(node) {
		j := int(k)
		switch {
		case w.Nodes != nil:
			if !slices.Contains(w.Nodes, node) && !slices.Contains(w.Nodes, j) {
				return false
			}
		case w.Links != nil:
			if !slices.Contains(w.Links, [2]int{node, j}) && !slices.Contains(w.Links, [2]int{j, node}) {
				return false
			}
		}
	}
	return true
}
