// The measured network: how long methods take between the regions of a cloud, beside a law of the same median and
// spread.

package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/record"
	"overhear/report/plot"
	"overhear/reproduce"
	"overhear/sim"
)

func init() {
	reproduce.RegisterStudy(&reproduce.Study{
		Name:  "networks/regions",
		Title: "The network as it is: 33 regions of a cloud",
		About: "Other pages draw latencies from a law. Here they are what was measured between 33 regions of a " +
			"cloud (`simulate explain aws`), plus an exponential jitter of 2 ms:\n" +
			"do the findings hold? Sixty-six hospitals, two a region (WDBC, 455 rows, 31 columns with the intercept, " +
			"ρ = 0.22), on three graphs: each with its\n" +
			"four nearest by latency; two-level, where a gateway a region knows all gateways and the other hospital " +
			"knows its gateway; random, four neighbours each.\n" +
			"Beside each stands the same graph with log-normal latencies of the median and the spread (σ of the " +
			"logarithm) of its links, drawn anew for every packet.\n" +
			"Penalties and steps are those that the program computes. Private methods learn from twonorm (6,600 " +
			"rows, 20 columns), each with noise for a certificate of ε = 5 at\n" +
			"δ = 10⁻⁵ of 100 rounds. Seeds 1 to 5 vary the rows of each hospital, random graphs, jitter, loss and " +
			"noise; ± is one standard error. Not varied: the matrix, which is one\n" +
			"cloud's on one day, one hospital's speed, and the settings above.",
		Compute: regions,
	})
}

const (
	regionsFile  = "regions.yaml"
	regionsSeeds = 5

	nearness = 0.02 // what is near to the optimum: a distance relative to its norm
)

// measured is the latency that was measured; law stands for one of the same median and spread.
const measuredLatency = "network.latency={kind: matrix, set: aws, jitter: {kind: exponential, mean: 2ms}}"

// layouts are the graphs of the hospitals.
var layouts = []struct{ name, topology string }{
	{"nearest", "{kind: k-nearest, nodes: 66, nearest: 4}"},
	{"two-level", "{kind: two-level, nodes: 66}"},
	{"random", "{kind: random-regular, nodes: 66, degree: 4}"},
}

func regions(b *reproduce.Workbench) error {
	for _, part := range []func(*reproduce.Workbench) error{paces, lateness, regionsDuals, regionsColluders,
		regionsFindings} {
		if err := part(b); err != nil {
			return err
		}
	}
	return nil
}

// regional is a graph over the regions, or the same under a law.
type regional struct {
	graph          *sim.Graph
	placed         *sim.Placed
	median, spread float64  // of the links' latencies one way, both directions: in ms, and σ of the logarithm
	slowest        float64  // ms, the greatest mean of both directions of a link
	law            []string // the same graph with log-normal latencies of that median and spread, as changes
}

// networkOf is the network of a seed of the shipped scenario with changes.
func networkOf(b *reproduce.Workbench, sets ...string) (*regional, error) {
	e, err := b.Experiment(regionsFile, sets...)
	if err != nil {
		return nil, err
	}
	n := new(regional)
	if n.graph, n.placed, err = e.Network.Lay(e.Seeds.First); err != nil {
		return nil, err
	}
	latency := e.Network.On(n.placed).Latency
	var all, logs []float64
	var edges []string
	for _, pair := range n.graph.Pairs() {
		edges = append(edges, fmt.Sprintf("[%d, %d]", pair[0], pair[1]))
		both := 0.0
		for _, way := range [][2]int{pair, {pair[1], pair[0]}} {
			apart, law := latency.Between(way[0], way[1])
			ms := 1e3 * (apart.Seconds() + law.MedianSeconds())
			all, logs, both = append(all, ms), append(logs, math.Log(ms)), both+1e3*apart.Seconds()/2
		}
		n.slowest = math.Max(n.slowest, both)
	}
	slices.Sort(all)
	n.median = (all[(len(all)-1)/2] + all[len(all)/2]) / 2
	mean, _ := meanOf(logs)
	for _, v := range logs {
		n.spread += (v - mean) * (v - mean) / float64(len(logs))
	}
	n.spread = math.Sqrt(n.spread)
	n.law = []string{fmt.Sprintf("network.topology={nodes: %d, edges: [%s]}", n.graph.Order(),
		strings.Join(edges, ", ")),
		fmt.Sprintf("network.latency={kind: lognormal, median: %.6gms, sigma: %.6g}", n.median, n.spread)}
	return n, nil
}

// seeded is a change of the first seed.
func seeded(seed int) string { return fmt.Sprintf("seeds.first=%d", seed) }

// on are the changes that put the scenario on a graph, with its seed.
func on(layout, seed int) []string {
	return []string{"problem.rho=0.22", measuredLatency, "network.topology=" + layouts[layout].topology, seeded(seed)}
}

// reached is when a column first is at most a value: in virtual seconds, and as a round; never: infinite and −1.
func reached(t *record.Table, column string, value float64) (seconds float64, round int) {
	at := t.Column("time_s")
	for k, v := range t.Column(column) {
		if v <= value {
			return at[k], k
		}
	}
	return math.Inf(1), -1
}

// paced is a method and what it is to reach.
type paced struct {
	name, parameters string
	private          bool
	seconds          [2][3][]float64 // by network (measured, law), layout and seed
	rounds           [3][]float64
}

func (m *paced) sets() []string {
	all := []string{"algorithm={kind: " + m.name + m.parameters + "}"}
	if m.private {
		return append(all, "rounds.count=100", "privacy={epsilon: 5, by: certificate}",
			"problem.data={set: twonorm, rows: 13200}", "problem.train=6600")
	}
	return append(all, "rounds.count=600")
}

// target is the column and the value to reach.
func (m *paced) target() (column string, value float64) {
	if m.private {
		return "loss", 0.25
	}
	return "distance", nearness
}

// pacedMethods are those that run among neighbours.
func pacedMethods() (all []*paced) {
	for _, name := range []string{"admm", "m-admm", "r-admm", "mr-admm", "proximal-admm", "edge-admm", "dgd"} {
		m := &paced{name: name}
		if name == "proximal-admm" {
			m.parameters = ", noise: off"
		}
		all = append(all, m)
	}
	for _, name := range []string{"dvp", "pvp", "penalty-perturbation", "proximal-admm", "private-r-admm",
		"private-mr-admm", "private-dgd"} {
		all = append(all, &paced{name: name, private: true})
	}
	return all
}

// line are the method's times by graph, mean and range, as measured or under the law; those of all seeds that come
// there.
func (m *paced) line(law int, label string) plot.Line {
	line := plot.Line{Label: label, Look: plot.Scatter}
	for l, seconds := range m.seconds[law] {
		if mean, _ := meanOf(seconds); !math.IsInf(mean, 1) {
			line.X, line.Y = append(line.X, float64(l)), append(line.Y, mean)
			line.Low, line.High = append(line.Low, slices.Min(seconds)), append(line.High, slices.Max(seconds))
		}
	}
	return line
}

// title is the method's name in a table.
func (m *paced) title() string {
	if m.parameters != "" {
		return "`" + m.name + "`, noise off"
	}
	return "`" + m.name + "`"
}

// paces is how long each method takes on each graph, as measured and under a law.
func paces(b *reproduce.Workbench) error {
	methods := pacedMethods()
	var nets [3][]*regional
	differing, compared := 0, 0
	var each [2][3][]float64 // seconds a round of admm, by network, layout and seed
	var busy [3][]float64    // seconds that a node computes in a round
	for l := range layouts {
		for seed := 1; seed <= regionsSeeds; seed++ {
			n, err := networkOf(b, on(l, seed)...)
			if err != nil {
				return err
			}
			nets[l] = append(nets[l], n)
			for _, m := range methods {
				var tables [2]*record.Table
				for law := range 2 {
					sets := slices.Concat(on(l, seed), m.sets())
					if law == 1 {
						sets = append(sets, n.law...)
					}
					info, table, err := b.Measure(regionsFile, sets...)
					if err != nil {
						return err
					}
					tables[law] = table
					column, value := m.target()
					seconds, round := reached(table, column, value)
					m.seconds[law][l] = append(m.seconds[law][l], seconds)
					if law == 0 {
						m.rounds[l] = append(m.rounds[l], float64(round))
					}
					if m.name == "admm" {
						at := table.Column("time_s")
						each[law][l] = append(each[law][l], at[len(at)-1]/float64(len(at)-1))
						if law == 0 {
							busy[l] = append(busy[l], info.Activity.BusySeconds/float64(info.Rounds))
						}
					}
				}
				compared++
				if !slices.EqualFunc(tables[0].Column("distance"), tables[1].Column("distance"), same) {
					differing++
				}
			}
		}
	}
	b.State("in synchronous rounds latencies decide when, and nothing else: what rounds come to (networks/theorems, "+
		"networks/samples, the papers' figures) is the same over the measured network",
		reproduce.Assess(differing == 0), "distances of all rounds are the same to the bit as under the log-normal "+
			"law in %s runs of %d methods, %d graphs and %d seeds", of(compared-differing, compared), len(methods),
		len(layouts), regionsSeeds)
	stateOrder(b, methods)
	stateLaw(b, nets, each, busy)
	var seconds [3]float64
	for l := range seconds {
		seconds[l], _ = meanOf(each[0][l])
	}
	stateGraphs(b, methods, seconds)
	b.Say("Virtual seconds to a relative distance of %v of the worst node from the optimum, of private methods to a "+
		"training loss of 0.25, on the measured network; in brackets under the log-normal law. With computed "+
		"penalties `m-admm` is `admm`, and `mr-admm` is `r-admm`. “Never” is within 600 rounds, of private methods "+
		"100.\n\n%s", nearness, pacesTable(methods))
	return nil
}

// same says whether two numbers are, or both are none.
func same(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// duration is a mean of seconds with its standard error in words.
func duration(all []float64) string {
	mean, off := meanOf(all)
	never := 0
	for _, v := range all {
		if math.IsInf(v, 1) {
			never++
		}
	}
	switch never {
	case 0:
		return fmt.Sprintf("%.3g ± %.2g", mean, off)
	case len(all):
		return "never"
	}
	return fmt.Sprintf("never with %s seeds", of(never, len(all)))
}

func pacesTable(methods []*paced) string {
	head, rule := "| method |", "|---|"
	for _, l := range layouts {
		head, rule = head+" "+l.name+" |", rule+"---|"
	}
	rows := []string{head, rule}
	for _, m := range methods {
		row := "| " + m.title() + " |"
		for l := range layouts {
			row += fmt.Sprintf(" %s (%s) |", duration(m.seconds[0][l]), duration(m.seconds[1][l]))
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "\n")
}

// faster says whether one takes clearly less time than another, seed by seed: by two standard errors of the mean
// difference, or ever where the other never does.
func faster(one, other []float64) bool {
	var apart []float64
	for k, v := range one {
		switch {
		case math.IsInf(v, 1):
			return false
		case math.IsInf(other[k], 1):
			continue
		}
		apart = append(apart, other[k]-v)
	}
	if len(apart) < 2 {
		return true // the other never comes there, or with one seed
	}
	mean, off := meanOf(apart)
	return mean > 2*off && mean > 0
}

// stateOrder compares the order of methods on the measured network with that under the law.
func stateOrder(b *reproduce.Workbench, methods []*paced) {
	var swapped, lost []string
	pairs := 0
	for l := range layouts {
		for i, m := range methods {
			for _, o := range methods[:i] {
				if m.private != o.private {
					continue
				}
				before := [2]bool{faster(o.seconds[0][l], m.seconds[0][l]), faster(o.seconds[1][l], m.seconds[1][l])}
				after := [2]bool{faster(m.seconds[0][l], o.seconds[0][l]), faster(m.seconds[1][l], o.seconds[1][l])}
				pairs++
				words := fmt.Sprintf("%s: %s and %s", layouts[l].name, o.title(), m.title())
				switch {
				case before[0] && after[1] || after[0] && before[1]:
					swapped = append(swapped, words)
				case before != [2]bool{before[0], before[0]} || after != [2]bool{after[0], after[0]}:
					lost = append(lost, words)
				}
			}
		}
	}
	b.State("which of two methods is sooner there is the same as under a log-normal law of the same median and spread",
		reproduce.AssessParts(swapped == nil && lost == nil, swapped == nil), "of %d pairs of methods, by graph, %d "+
			"change places%s; %d are told apart, by two standard errors of %d seeds, on one of the two only%s", pairs,
		len(swapped), listed(swapped), len(lost), regionsSeeds, listed(lost))
	var descent, not []string
	cases := 0
	for l := range layouts {
		for _, m := range methods {
			if m.name == "admm" || m.name == "edge-admm" || m.name == "r-admm" {
				cases++
				if !faster(m.seconds[0][l], methods[6].seconds[0][l]) {
					not = append(not, layouts[l].name+": "+m.title())
				}
			}
		}
		descent = append(descent, layouts[l].name+": "+duration(methods[6].seconds[0][l]))
	}
	b.State("gradient descent is slow there, too (networks/edge-admm): ADMM, R-ADMM and edge ADMM are sooner",
		reproduce.AssessParts(not == nil, len(not) < cases), "so in %s cases of method and graph, not in %d%s; `dgd` "+
			"to %v: %s", of(cases-len(not), cases), len(not), listed(not), nearness, strings.Join(descent, "; "))
}

// listed are some of what is listed, after a colon.
func listed(all []string) string {
	const most = 4
	switch {
	case all == nil:
		return ""
	case len(all) > most:
		return fmt.Sprintf(" (%s and %d more)", strings.Join(all[:most], "; "), len(all)-most)
	}
	return " (" + strings.Join(all, "; ") + ")"
}

// within says whether a ratio is near 1.
func within(ratio, factor float64) bool { return ratio <= factor && ratio >= 1/factor }

// stateLaw is whether the law foretells how long rounds take, and what does.
func stateLaw(b *reproduce.Workbench, nets [3][]*regional, each [2][3][]float64, busy [3][]float64) {
	const near, jitter = 1.25, 2.0
	foretold, link := 0, 0
	var ratios, links []string
	for l := range layouts {
		seen, _ := meanOf(each[0][l])
		drawn, _ := meanOf(each[1][l])
		foretold += boolInt(within(drawn/seen, near))
		var slowest, medians, spreads []float64
		for _, n := range nets[l] {
			slowest = append(slowest, n.slowest)
			medians, spreads = append(medians, n.median), append(spreads, n.spread)
		}
		worst, _ := meanOf(slowest)
		computing, _ := meanOf(busy[l])
		median, _ := meanOf(medians)
		spread, _ := meanOf(spreads)
		expected := worst + jitter + 1e3*computing
		link += boolInt(within(expected/(1e3*seen), 1.1))
		ratios = append(ratios, fmt.Sprintf("%s (median %.3g ms, σ %.2g): %s ms a round, by the law %s ms",
			layouts[l].name, median, spread, duration(thousandfold(each[0][l])), duration(thousandfold(each[1][l]))))
		links = append(links, fmt.Sprintf("%s: %.3g ms, a round takes %.3g ms", layouts[l].name, expected, 1e3*seen))
	}
	all := len(layouts)
	b.State("a log-normal law with the median and the spread of the links tells how long a synchronous round takes",
		reproduce.AssessParts(foretold == all, foretold > 0), "%s; within a factor of %v for %s graphs. A law that is "+
			"drawn anew for every packet makes every link slow at times; where distances stay, the same few links are "+
			"slow always, and the law's tail is not theirs", strings.Join(ratios, "; "), near, of(foretold, all))
	b.State("the slowest link alone sets the pace of all in synchronous rounds", reproduce.AssessParts(link == all,
		link > 0), "mean of its two directions, jitter and a node's computing: %s; within 10 %% for %s graphs",
		strings.Join(links, "; "), of(link, all))
}

func thousandfold(all []float64) (ms []float64) {
	for _, v := range all {
		ms = append(ms, 1e3*v)
	}
	return ms
}

// stateGraphs compares graphs: short links against few rounds, each of so many seconds.
func stateGraphs(b *reproduce.Workbench, methods []*paced, each [3]float64) {
	var first [3]int
	var words, lengths []string
	chart := plot.Chart{Title: "Virtual time to the target, synchronous rounds, five seeds", X: plot.Axis{
		Label: "graph of the 66 hospitals"}, Y: plot.Log("virtual seconds")}
	for _, l := range layouts {
		chart.X.Names = append(chart.X.Names, l.name)
	}
	counted := 0
	for _, m := range methods {
		best, least := -1, math.Inf(1)
		for l := range layouts {
			if mean, _ := meanOf(m.seconds[0][l]); mean < least {
				best, least = l, mean
			}
		}
		if best >= 0 {
			counted++
			first[best]++
		}
		if m.name == "admm" || m.name == "r-admm" || m.name == "private-dgd" {
			chart.Lines = append(chart.Lines, m.line(0, m.name), m.line(1, m.name+", log-normal law"))
		}
	}
	for l := range layouts {
		words = append(words, fmt.Sprintf("%s for %d", layouts[l].name, first[l]))
		mean, _ := meanOf(methods[0].rounds[l])
		lengths = append(lengths, fmt.Sprintf("%s: %.0f rounds of %.3g ms", layouts[l].name, mean, 1e3*each[l]))
	}
	b.State("hospitals that are linked with the nearest are done first", reproduce.AssessParts(first[0] == counted,
		first[0] > 0), "of %d methods that reach their target the soonest graph is: %s. What near neighbours "+
		"save in a round they may cost in rounds: `admm` takes on %s", counted, strings.Join(words, ", "),
		strings.Join(lengths, ", "))
	b.Draw("graphs", chart)
}
