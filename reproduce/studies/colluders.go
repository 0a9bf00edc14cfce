// Attack study: nodes that collude, and how far they see.

package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/internal/plural"
	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "attacks/colluders",
		Title: "How far colluding nodes see",
		About: "Honest-but-curious nodes follow the protocol, pool what they receive and send, and see nothing else. " +
			"Of every other node they know all samples\n" +
			"but one: which nodes lose that one? Twenty hospitals (WDBC, 455 rows, 31 columns with the intercept) on " +
			"a small-world graph, conventional ADMM without\n" +
			"noise, 30 rounds; nodes 3 and 8 collude unless said. Hops are counted to the nearest colluder.",
		Compute: colluders,
	})
}

// byHop counts victims, and those whose sample was found exactly, by hops.
func byHop(a *record.Attacks, attack string) (found, victims []int) {
	for _, f := range findings(attack, a) {
		h := a.Placement.Hops[f.Victim]
		for len(victims) <= h {
			found, victims = append(found, 0), append(victims, 0)
		}
		if victims[h]++; f.Succeeded == record.Exact {
			found[h]++
		}
	}
	return found, victims
}

// enclosed are the nodes but colluders whose neighbours all are colluders or next
// to one.
func enclosed(n *record.Placement) (all []int) {
	near := func(i int) bool { return n.Hops[i] <= 1 }
	for i := range n.Nodes {
		inside := n.Hops[i] == 1
		for _, e := range n.Edges {
			if e[0] == i {
				inside = inside && near(e[1])
			}
			if e[1] == i {
				inside = inside && near(e[0])
			}
		}
		if inside {
			all = append(all, i)
		}
	}
	return all
}

// exactly are the victims whose sample was found, colluders left out.
func exactly(a *record.Attacks, attack string) (all []int) {
	for _, f := range findings(attack, a) {
		if f.Succeeded == record.Exact && a.Placement.Hops[f.Victim] > 0 {
			all = append(all, f.Victim)
		}
	}
	return all
}

// hopwise is what was found by hops, in words; hop 0 are the colluders themselves.
func hopwise(a *record.Attacks, attack string) string {
	hits, victims := byHop(a, attack)
	var parts []string
	for h := 1; h < len(victims); h++ {
		parts = append(parts, fmt.Sprintf("%d away: %s", h, of(hits[h], victims[h])))
	}
	return strings.Join(parts, ", ")
}

const (
	colluding   = "colluders.yaml"
	randomStart = "algorithm.init={normal: 0.1}"
	lateStart   = "adversary.view.from-round=5"
)

func colluders(b *reproduce.Workbench) error {
	const attack = "kkt-rounds"
	plain, err := b.Attack(true, colluding)
	if err != nil {
		return err
	}
	drawn, err := b.Attack(true, colluding, randomStart)
	if err != nil {
		return err
	}
	late, err := b.Attack(false, colluding, lateStart)
	if err != nil {
		return err
	}
	hits, victims := byHop(plain, attack)
	beyond := 0
	for h := 2; h < len(hits); h++ {
		beyond += hits[h]
	}
	rounds := 0 // used of a neighbour that is not enclosed
	inside := enclosed(&plain.Placement)
	for _, f := range findings(attack, plain) {
		if plain.Placement.Hops[f.Victim] == 1 && !slices.Contains(inside, f.Victim) {
			if e := estimateFrom(f, everyRound); e != nil {
				rounds = max(rounds, e.Rounds)
			}
		}
	}
	b.State("a start at zero betrays every neighbour of a colluder in the first round, though its other neighbours "+
		"are not seen", reproduce.AssessWhere(len(inside) < victims[1],
		reproduce.Assess(hits[1] == victims[1] && rounds == 1)),
		"exact: %s. What entered round 1 is known to all: zeros; neighbours that have neighbours out of sight are "+
			"found from %d round alone", hopwise(plain, attack), rounds)
	b.State("of nodes further away this attack finds no sample", reproduce.Assess(beyond == 0),
		"exact: %s. With noise a node further away loses less, and not nothing (attacks/map)", hopwise(plain, attack))
	same := slices.Equal(exactly(drawn, attack), inside)
	b.State("with a random start only nodes all of whose neighbours colluders see are found", reproduce.Assess(same),
		"start N(0, 0.01): exact: %s, node %s; all neighbours seen: node %s",
		hopwise(drawn, attack), nodeList(exactly(drawn, attack)), nodeList(inside))
	unlabelled := 0
	for _, f := range findings(attack, late) {
		if e := estimateFrom(f, everyRound); e != nil && f.Succeeded == record.Exact &&
			late.Placement.Hops[f.Victim] > 0 && e.Y == 0 {
			unlabelled++
		}
	}
	b.State("colluders who come late find the same nodes, without the label",
		reproduce.Assess(slices.Equal(exactly(late, attack), inside) && unlabelled == len(inside)),
		"from round 5 on: exact: %s, node %s, of %s the label is not determined",
		hopwise(late, attack), nodeList(exactly(late, attack)), of(unlabelled, len(exactly(late, attack))))
	if err := oneHopFurther(b, plain); err != nil {
		return err
	}
	if err := moreColluders(b); err != nil {
		return err
	}
	b.Say("What could not be seen: the two colluders receive and send %d of %d packets. Of a node two hops away they "+
		"see no packet, so that there is no equation for it; of a neighbour "+
		"with neighbours out of sight they lack the sum s(t) that enters every round but the first.",
		plain.Sight.Packets, plain.Sight.Of)
	return nil
}

// oneHopFurther gives the colluders the whole data of two of their neighbours.
func oneHopFurther(b *reproduce.Workbench, plain *record.Attacks) error {
	const text = "with the data of a neighbour colluders follow nodes two hops away, none of whose packets they see"
	known := leaky(&plain.Placement)
	if len(known) < 2 {
		b.State(text, reproduce.NotTested, "%d neighbours of colluders have one neighbour out of sight", len(known))
		return nil
	}
	data := fmt.Sprintf("adversary.knows.data=[%d, %d]", known[0], known[1])
	sets := []string{data, "adversary.attacks=[one-hop]", "adversary.knows.victim=0", randomStart}
	a, err := b.Attack(true, colluding, append(sets, "rounds.count=10")...)
	if err != nil {
		return err
	}
	late, err := b.Attack(false, colluding, append(sets, lateStart, "rounds.count=60")...)
	if err != nil {
		return err
	}
	describe := func(a *record.Attacks) (nodes []int, values int, worst float64) {
		for _, f := range firstFinding(a, "one-hop").Facts {
			if f.Kind != record.PublishedValue {
				continue
			}
			if values++; !slices.Contains(nodes, f.Node) {
				nodes = append(nodes, f.Node)
			}
			worst = math.Max(worst, float64(f.Relative))
		}
		slices.Sort(nodes)
		return nodes, values, worst
	}
	nodes, n, worst := describe(a)
	lateNodes, m, lateWorst := describe(late)
	far := len(nodes) > 0
	for _, i := range nodes {
		far = far && a.Placement.Hops[i] == 2
	}
	b.State(text, reproduce.Assess(far && worst < 1e-6 && firstFinding(a, "one-hop").Succeeded == record.Exact),
		"data of nodes %d and %d known, random start, 10 rounds: %d iterates of node %s worked out, largest relative "+
			"error %.2g; from round 5 to 60: %d of node %s, %.2g: what they do not know of the duals halves every "+
			"round",
		known[0], known[1], n, nodeList(nodes), worst, m, nodeList(lateNodes), lateWorst)
	return nil
}

// leaky are two neighbours of colluders with one unseen neighbour each, which
// their sums determine.
func leaky(n *record.Placement) (all []int) {
	for i := range n.Nodes {
		far := 0
		for _, e := range n.Edges {
			for k := range e {
				if e[k] == i && n.Hops[e[1-k]] == 2 {
					far++
				}
			}
		}
		if n.Hops[i] == 1 && far == 1 && len(all) < 2 {
			all = append(all, i)
		}
	}
	return all
}

// moreColluders draws how many nodes lose a sample to how many colluders.
func moreColluders(b *reproduce.Workbench) error {
	const attack, most, draws = "kkt-rounds", 10, 5
	lines := []plot.Line{{Label: "start at zero"}, {Label: "random start"}}
	var halves []string
	for k, start := range []string{"", randomStart} {
		half := 0
		for c := 1; c <= most; c++ {
			var shares []float64
			for draw := range draws { // colluders at even distances around the ring, turned
				var nodes []string
				for i := range c {
					nodes = append(nodes, fmt.Sprint((draw*4+i*20/c)%20))
				}
				sets := []string{"adversary.view.nodes=[" + strings.Join(nodes, ", ") + "]", "rounds.count=3"}
				if start != "" {
					sets = append(sets, start)
				}
				a, err := b.Attack(false, colluding, sets...)
				if err != nil {
					return err
				}
				shares = append(shares, float64(len(exactly(a, attack)))/float64(20-c))
			}
			slices.Sort(shares)
			mean := 0.0
			for _, s := range shares {
				mean += s / draws
			}
			l := &lines[k]
			l.X, l.Y, l.Low, l.High = append(l.X, float64(c)), append(l.Y, mean), append(l.Low, shares[0]),
				append(l.High, shares[draws-1])
			if mean >= 0.5 && half == 0 {
				half = c
			}
		}
		if half == 0 {
			halves = append(halves, fmt.Sprintf("%s: never, of up to %d", lines[k].Label, most))
		} else {
			halves = append(halves, fmt.Sprintf("%s: %d", lines[k].Label, half))
		}
	}
	b.State("a start at random leaves few colluders with next to nothing",
		reproduce.Assess(lines[1].Y[2] < 0.5*lines[0].Y[2]),
		"colluders of 20 after which, on average, half of the other nodes have lost a sample: %s; with three "+
			"colluders %.0f %% and %.0f %% of the nodes have", strings.Join(halves, ", "), 100*lines[0].Y[2],
		100*lines[1].Y[2])
	b.Draw("colluders", plot.Chart{Title: "nodes whose unknown sample colluders find",
		X: plot.Linear("colluding nodes of 20"), Y: plot.Linear("share of the other nodes"), Lines: lines})
	return nil
}

// nodeList is node numbers in words.
func nodeList(nodes []int) string {
	if len(nodes) == 0 {
		return "none"
	}
	return plural.List(nodes)
}
