// The measured network: what hospitals of one region that collude learn about the others, near and far.

package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/privacy/loss"
	"overhear/record"
	"overhear/report/network"
	"overhear/report/plot"
	"overhear/reproduce"
	"overhear/sim"
)

// crowdedLayouts are graphs of four hospitals a region.
var crowdedLayouts = []struct{ name, topology string }{
	{"nearest", "{kind: k-nearest, nodes: 132, nearest: 4}"},
	{"two-level", "{kind: two-level, nodes: 132}"},
	{"random", "{kind: random-regular, nodes: 132, degree: 4}"},
}

// leakage is what colluders of one region learn about a hospital.
type leakage struct {
	from, to int // regions
	hops     int
	ms       float64 // one way, mean of both
	share    float64 // of the μ of one who sees everything
	mu       float64
}

// leakages are those of every region's first two hospitals, about all others.
func leakages(b *reproduce.Workbench, layout, method string) (all []leakage, n *regional, err error) {
	const file = "map.yaml"
	sets := []string{"problem.data={set: twonorm, rows: 1320, dimension: 10}", measuredLatency,
		"network.topology=" + layout, method}
	if n, err = networkOf(b, measuredLatency, "network.topology="+layout); err != nil {
		return nil, nil, err
	}
	regions := n.placed.Order()
	of := make([][]int, regions)
	for i := range n.graph.Order() {
		if s := n.placed.Site(i); len(of[s]) < 2 {
			of[s] = append(of[s], i)
		}
	}
	mu, most, err := b.Coalitions(of, file, sets...)
	if err != nil {
		return nil, nil, err
	}
	for s, own := range of {
		hops := hopsFrom(n.graph, own)
		for i := range n.graph.Order() {
			if !slices.Contains(own, i) {
				to := n.placed.Site(i)
				both := n.placed.Delay(s, to) + n.placed.Delay(to, s)
				all = append(all, leakage{s, to, hops[i], 5e2 * both.Seconds(),
					mu[s][i] / most[i], mu[s][i]})
			}
		}
	}
	return all, n, nil
}

// hopsFrom are the hops of all nodes of a connected graph from the nearest of some.
func hopsFrom(g *sim.Graph, own []int) []int {
	hops := slices.Repeat([]int{-1}, g.Order())
	queue := slices.Clone(own)
	for _, i := range own {
		hops[i] = 0
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, j := range g.Neighbours(queue[0]) {
			if hops[j] < 0 {
				hops[j] = hops[queue[0]] + 1
				queue = append(queue, int(j))
			}
		}
	}
	return hops
}

// spread are the means of shares within and beyond the colluders' region, and how what is learnt beyond falls with
// milliseconds and with hops, as rank correlations.
func spreadOf(all []leakage) (own, beyond, byMS, byHops float64) {
	var within, outside, ms, hops []float64
	for _, l := range all {
		if l.from == l.to {
			within = append(within, l.share)
			continue
		}
		outside, ms, hops = append(outside, l.share), append(ms, l.ms), append(hops, float64(l.hops))
	}
	own, _ = meanOf(within)
	beyond, _ = meanOf(outside)
	return own, beyond, rankCorrelation(ms, outside), rankCorrelation(hops, outside)
}

// regionsColluders is what two hospitals of a region learn that pool what they hear.
func regionsColluders(b *reproduce.Workbench) error {
	methods := []struct{ name, set string }{
		{"gradient descent", "algorithm={kind: private-dgd, step: 0.5, decay: none, alpha: 0.5, law: gaussian}"},
		{"PVP", "algorithm={kind: pvp, eta: 0.3, alpha: 0.5, law: gaussian}"},
	}
	const nearlyAll, falls = 0.9, -0.3
	table := []string{"| graph | method | own region: share of μ, mean | elsewhere, mean | ε at 10⁻⁵, most, own | " +
		"elsewhere | rank correlation with ms | with hops |", "|---|---|---|---|---|---|---|---|"}
	chart := plot.Chart{Title: "What two hospitals of a region learn about a label, gradient descent",
		X: plot.Linear("latency between the two regions, one way (ms)"), Y: plot.Log("share of μ of one who sees all")}
	settings, near, less, fall, hopwise := 0, 0, 0, 0, 0
	for l, layout := range crowdedLayouts {
		for m, method := range methods {
			all, n, err := leakages(b, layout.topology, method.set)
			if err != nil {
				return err
			}
			own, beyond, byMS, byHops := spreadOf(all)
			settings++
			near += boolInt(own >= nearlyAll)
			less += boolInt(beyond < own)
			fall += boolInt(byMS <= falls)
			hopwise += boolInt(byHops <= falls && byHops < byMS)
			var most [2]float64 // μ within and beyond
			for _, one := range all {
				k := boolInt(one.from != one.to)
				most[k] = math.Max(most[k], one.mu)
			}
			table = append(table, fmt.Sprintf("| %s | %s | %.3g %% | %.3g %% | %.3g | %.3g | %.2f | %.2f |",
				layout.name, method.name, 100*own, 100*beyond, loss.NormalEpsilon(most[0], currency),
				loss.NormalEpsilon(most[1], currency), byMS, byHops))
			if m == 0 {
				chart.Lines = append(chart.Lines, byLatency(layout.name, all))
				if l != 1 {
					b.Show("map-colluders-"+layout.name, leakageMap(n, all, layout.name))
				}
			}
		}
	}
	b.State("two hospitals that collude learn nearly all about the others of their region",
		reproduce.AssessParts(near == settings, near > 0), "mean share of what one who sees everything learns is at "+
			"least %v in %s settings of graph and method", nearlyAll, of(near, settings))
	b.State("about hospitals of other regions they learn less", reproduce.AssessParts(less == settings, less > 0),
		"in %s settings the mean share is less than of their own region; see the table", of(less, settings))
	b.State("the further away a region is in milliseconds, the less they learn about it",
		reproduce.AssessParts(fall == settings, fall > 0), "rank correlation of latency and share of at most %v in %s "+
			"settings; see the table", falls, of(fall, settings))
	b.State("hops tell better than milliseconds who learns about whom",
		reproduce.AssessParts(hopwise == settings, hopwise > settings/2), "the rank correlation with hops is below "+
			"%v and below that with latency in %s settings; see the table. Distance matters as far as it decides who "+
			"is linked with whom", falls, of(hopwise, settings))
	b.Say("Exact, as in attacks/map: four hospitals a region (132; twonorm, 1,056 rows of 10 columns; squared loss, "+
		"Gaussian noise with α = 0.5 a round, ten rounds, seed 1). The first two of each region collude, in turn for "+
		"33 regions: they pool what they hear and draw, and know all data but one label. In a two-level network one "+
		"of the two is the gateway.\n\n%s", strings.Join(table, "\n"))
	b.Draw("colluders", chart)
	return reconstructed(b)
}

// byLatency is the mean and range of shares in tenths of the pairs, by latency; the own region first.
func byLatency(name string, all []leakage) plot.Line {
	line := plot.Line{Label: name}
	add := func(of []leakage) {
		if len(of) == 0 {
			return
		}
		ms, mean, low, high := 0.0, 0.0, math.Inf(1), 0.0
		for _, one := range of {
			ms, mean = ms+one.ms/float64(len(of)), mean+one.share/float64(len(of))
			low, high = math.Min(low, one.share), math.Max(high, one.share)
		}
		line.X, line.Y, line.Low, line.High = append(line.X, ms), append(line.Y, mean), append(line.Low, low),
			append(line.High, high)
	}
	var own, others []leakage
	for _, one := range all {
		if one.from == one.to {
			own = append(own, one)
		} else {
			others = append(others, one)
		}
	}
	add(own)
	slices.SortStableFunc(others, func(x, y leakage) int { return cmp.Compare(x.ms, y.ms) })
	const parts = 10
	for k := range parts {
		add(others[k*len(others)/parts : (k+1)*len(others)/parts])
	}
	return line
}

// leakageMap shows what colluders of one region learn about the hospitals of each.
func leakageMap(n *regional, all []leakage, layout string) *plot.Picture {
	const where, least = "eu-central-1", 1e-4
	values, counts := make([]float64, n.placed.Order()), make([]float64, n.placed.Order())
	from := slices.Index(n.placed.Names, where)
	for _, one := range all {
		if one.from == from {
			values[one.to] += one.share
			counts[one.to]++
		}
	}
	for k := range values {
		values[k] = 100 * math.Max(values[k]/counts[k], least)
	}
	spots := spotsOf(n.placed.Sites, values)
	spots[from].Own = true
	var links [][2]int
	for _, link := range siteLinks(n) {
		if link[0] == from || link[1] == from {
			links = append(links, link)
		}
	}
	w := &network.World{
		Title: "What two hospitals of " + where + " learn about a label, graph: " + layout,
		Caption: "gradient descent with Gaussian noise, ten rounds, exact; mean of the other hospitals of each " +
			"region; 0.01 % is that or less; lines are links of that region",
		Spots: spots, Links: links, Values: "share of the μ of one who sees everything",
		Number: func(v float64) string { return plot.Number(v) + " %" },
	}
	return w.Picture()
}

// fiveRegions are twenty hospitals in five regions, in turn.
const fiveRegions = "network.latency={kind: matrix, set: aws, placement: {kind: turns, names: [us-east-1, sa-east-1, " +
	"ap-northeast-1, eu-central-1, ap-southeast-2]}}"

// reconstructed counts the samples that two hospitals of a region find in messages without noise.
func reconstructed(b *reproduce.Workbench) error {
	const attack, places, hospitals = "kkt-rounds", 5, 20
	topologies := []string{"{kind: k-nearest, nodes: 20, nearest: 4}", "{kind: two-level, nodes: 20}",
		"{kind: random-regular, nodes: 20, degree: 4}"}
	table := []string{"| graph | start | found, own region | found, elsewhere |", "|---|---|---|---|"}
	bounded, some := 0, 0
	for l, topology := range topologies {
		for _, start := range []string{"zeros", "{normal: 0.1}"} {
			var found, victims [2]int // within and beyond
			for s := range places {
				a, err := b.Attack(false, colluding, fiveRegions, "network.topology="+topology, "algorithm.init="+start,
					"rounds.count=10", fmt.Sprintf("adversary.view.nodes=[%d, %d]", s, s+places))
				if err != nil {
					return err
				}
				for _, f := range findings(attack, a) {
					if f.Victim == s || f.Victim == s+places {
						continue
					}
					k := boolInt(f.Victim%places != s)
					victims[k]++
					found[k] += boolInt(f.Succeeded == record.Exact)
				}
			}
			bounded += boolInt(found[0] == victims[0] && found[1] == 0)
			some++
			table = append(table, fmt.Sprintf("| %s | %s | %s | %s |", layouts[l].name, start, of(found[0], victims[0]),
				of(found[1], victims[1])))
		}
	}
	b.State("without noise two hospitals that collude find every unknown sample of their own region, and none "+
		"elsewhere",
		reproduce.AssessParts(bounded == some, bounded > 0), "so in %s settings of graph and start; see the table",
		of(bounded, some))
	b.Say("Samples found exactly by two hospitals of one region, of five regions in turn with four hospitals each; "+
		"all but one sample of each of %d hospitals known, ADMM without noise, ten rounds, seed 1:\n\n%s", hospitals,
		strings.Join(table, "\n"))
	return nil
}
