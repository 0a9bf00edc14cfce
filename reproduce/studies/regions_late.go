// The measured network: asynchronous updates beside rounds, who comes late, and what loss does to duals of nodes.

package studies

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"overhear/internal/num"
	"overhear/report/network"
	"overhear/report/plot"
	"overhear/reproduce"
	"overhear/sim"
)

const (
	edgeMethod   = "algorithm={kind: edge-admm}"
	inRounds     = "rounds={count: 600, retry: 500ms}"
	asynchronous = "rounds={mode: asynchronous, count: 2000, quorum: 0.5, staleness: 20, timeout: 500ms}"
)

// losing is a change of the share of packets lost.
func losing(loss float64) string { return fmt.Sprintf("network.loss=%g", loss) }

// mostLoss is the greater share of packets lost that is tried; the other is none.
const mostLoss = 0.3

// lateness compares asynchronous edge ADMM with rounds, and shows who comes late.
func lateness(b *reproduce.Workbench) error {
	losses := []float64{0, mostLoss}
	var seconds [2][2][2][3][]float64 // by network (measured, law), loss, mode (rounds, asynchronous) and layout
	for l := range layouts {
		for seed := 1; seed <= regionsSeeds; seed++ {
			n, err := networkOf(b, on(l, seed)...)
			if err != nil {
				return err
			}
			for law := range 2 {
				for k, loss := range losses {
					for m, mode := range []string{inRounds, asynchronous} {
						sets := append(on(l, seed), edgeMethod, mode)
						if law == 1 {
							sets = append(sets, n.law...)
						}
						_, table, err := b.Measure(regionsFile, append(sets, losing(loss))...)
						if err != nil {
							return err
						}
						at, _ := reached(table, "distance", nearness)
						seconds[law][k][m][l] = append(seconds[law][k][m][l], at)
					}
				}
			}
		}
	}
	for k, loss := range losses {
		sooner := 0
		var words []string
		for l := range layouts {
			of := &seconds[0][k]
			sooner += boolInt(faster(of[1][l], of[0][l]))
			words = append(words, fmt.Sprintf("%s: %s in rounds, %s asynchronously", layouts[l].name,
				duration(of[0][l]), duration(of[1][l])))
		}
		condition := "where nothing is lost"
		if loss > 0 {
			condition = "where 30 % of the packets are lost"
		}
		b.State("asynchronous edge ADMM is nearer than 2 % to the optimum sooner than in rounds, "+condition,
			reproduce.AssessParts(sooner == len(layouts), sooner > 0), "virtual seconds, %d seeds: %s; clearly sooner "+
				"on %s graphs", regionsSeeds, strings.Join(words, "; "), of(sooner, len(layouts)))
	}
	b.Say("In rounds a node asks again for what has not come after 500 ms; asynchronously one that lacks half of its " +
		"neighbours' values steps after 500 ms. With one or two neighbours, as in two-level networks and at the ends " +
		"of chains of nearest ones, it then waits that long whenever a packet is lost.")
	alike := 0
	var gains []string
	for l := range layouts {
		var gain [2]float64
		for law := range 2 {
			sync, _ := meanOf(seconds[law][0][0][l])
			async, _ := meanOf(seconds[law][0][1][l])
			gain[law] = sync / async
		}
		alike += boolInt(within(gain[0]/gain[1], 1.25))
		gains = append(gains, fmt.Sprintf("%s: %s times as soon as in rounds, by the law %s", layouts[l].name,
			plot.Number(gain[0]), plot.Number(gain[1])))
	}
	b.State("what asynchrony gains there is what a log-normal law of the same median and spread says",
		reproduce.AssessParts(alike == len(layouts), alike > 0), "without loss: %s; within a factor of 1.25 for %s "+
			"graphs", strings.Join(gains, "; "), of(alike, len(layouts)))
	return latecomers(b)
}

// arrivals is when each node of a run is nearer to the optimum than a share of its norm for good; infinite: never.
func arrivals(l *reproduce.Learnt, share float64) ([]float64, error) {
	best, err := l.Problem.Centralised()
	if err != nil {
		return nil, err
	}
	limit := share * num.Norm(best.F)
	var all []float64
	for i, path := range l.Path {
		last := -1 // that is too far
		for k, w := range path {
			if !(distance(w, best.F) <= limit) {
				last = k
			}
		}
		if last+1 == len(path) {
			all = append(all, math.Inf(1))
		} else {
			all = append(all, l.At[i][last+1])
		}
	}
	return all, nil
}

// remoteness is, of each site, the median of what a packet takes to the others, both ways, in ms.
func remoteness(s *sim.Sites) (all []float64) {
	for a := range s.Order() {
		var others []float64
		for b := range s.Order() {
			if a != b {
				others = append(others, 5e2*(s.Delay(a, b)+s.Delay(b, a)).Seconds())
			}
		}
		slices.Sort(others)
		all = append(all, (others[(len(others)-1)/2]+others[len(others)/2])/2)
	}
	return all
}

// rankCorrelation is Spearman's, equal values having the mean of their ranks.
func rankCorrelation(x, y []float64) float64 { return stat.Correlation(ranks(x), ranks(y), nil) }

func ranks(v []float64) []float64 {
	order := make([]int, len(v))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(v[i], v[j]) })
	all := make([]float64, len(v))
	for from := 0; from < len(order); {
		to := from + 1
		for to < len(order) && v[order[to]] == v[order[from]] {
			to++
		}
		for _, k := range order[from:to] {
			all[k] = float64(from+to+1) / 2
		}
		from = to
	}
	return all
}

// correlated is from where a rank correlation of 33 regions is no chance, at 5 %, both ways.
const correlated = 0.344

// latecomers maps when each region is done, and says whether the far ones are last.
func latecomers(b *reproduce.Workbench) error {
	var far, together [2]int
	var words [2][]string
	for l := range layouts {
		n, err := networkOf(b, on(l, 1)...)
		if err != nil {
			return err
		}
		sites := n.placed.Sites
		remote := remoteness(sites)
		for m, mode := range []string{inRounds, asynchronous} {
			runs, err := b.Learn(regionsSeeds, regionsFile, append(on(l, 1), edgeMethod, mode)...)
			if err != nil {
				return err
			}
			times := make([]float64, sites.Order())
			for _, run := range runs {
				at, err := arrivals(run, nearness)
				if err != nil {
					return err
				}
				last := make([]float64, sites.Order())
				for i, t := range at {
					last[run.Sites.Site(i)] = math.Max(last[run.Sites.Site(i)], t)
				}
				for k, t := range last {
					times[k] += t / regionsSeeds
				}
			}
			rho := rankCorrelation(remote, times)
			far[m] += boolInt(rho > correlated)
			spread := slices.Max(times) / slices.Min(times)
			together[m] += boolInt(spread < 1.25)
			words[m] = append(words[m], fmt.Sprintf("%s: ρ = %.2f, first region after %.3g s and last after %.3g s",
				layouts[l].name, rho, slices.Min(times), slices.Max(times)))
			if layouts[l].name == "nearest" {
				name := []string{"in rounds", "asynchronously"}[m]
				b.Show([]string{"map-rounds", "map-asynchronous"}[m], arrivalMap(n, times, name))
			}
		}
	}
	for m, mode := range []string{"in rounds", "asynchronously"} {
		b.State("regions that are far from the others are done last, "+mode,
			reproduce.AssessParts(far[m] == len(layouts), far[m] > 0), "rank correlation of a region's median latency "+
				"to the others and when both of its hospitals stay nearer than 2 %% to the optimum, edge ADMM, mean "+
				"of %d seeds: %s; above %v, no chance at 5 %%, on %s graphs", regionsSeeds,
			strings.Join(words[m], "; "), correlated, of(far[m], len(layouts)))
	}
	return nil
}

// spotsOf are the sites of a network, with a value each.
func spotsOf(s *sim.Sites, values []float64) (all []network.Spot) {
	for k, name := range s.Names {
		latitude, longitude, _ := s.Position(k)
		all = append(all, network.Spot{Latitude: latitude, Longitude: longitude, Name: name, Value: values[k]})
	}
	return all
}

// siteLinks are the links of a graph between sites, each once.
func siteLinks(n *regional) (all [][2]int) {
	for _, pair := range n.graph.Pairs() {
		a, b := n.placed.Site(pair[0]), n.placed.Site(pair[1])
		link := [2]int{min(a, b), max(a, b)}
		if a != b && !slices.Contains(all, link) {
			all = append(all, link)
		}
	}
	return all
}

// arrivalMap shows when each region is done.
func arrivalMap(n *regional, times []float64, mode string) *plot.Picture {
	w := &network.World{
		Title: "When each region is nearer than 2 % to the optimum, " + mode,
		Caption: fmt.Sprintf("edge ADMM, each hospital linked with its four nearest by latency; mean of %d seeds",
			regionsSeeds),
		Spots: spotsOf(n.placed.Sites, times), Links: siteLinks(n),
		Values: "virtual seconds, the later of two hospitals", None: "not with every seed",
		Number: func(v float64) string { return plot.Number(v) + " s" },
	}
	return w.Picture()
}

// regionsDuals is the finding of networks/edge-admm on the graphs over the regions.
func regionsDuals(b *reproduce.Workbench) error {
	methods := []struct {
		name     string
		nodeDual bool
	}{{"edge-admm", false}, {"admm", true}, {"r-admm", true}, {"dgd", false}}
	chart := plot.Chart{Title: "Distance to the optimum, nearest, 30 % lost, seed 1",
		X: plot.Linear("virtual time (s)"), Y: plot.Log("relative distance of the worst node")}
	table := []string{"| graph | lost | method | distance after 2,000 updates (least–most) | ‖Σλ‖ (least–most) |",
		"|---|---|---|---|---|"}
	reachedAll, wrongAll, ends, wrongs := 0, 0, 0, 0
	worst, nearest, least := 0.0, math.Inf(1), math.Inf(1)
	for l := range layouts {
		for _, loss := range []float64{0, mostLoss} {
			for _, m := range methods {
				var far, duals []float64
				for seed := 1; seed <= regionsSeeds; seed++ {
					info, t, err := b.Measure(regionsFile, append(on(l, seed), "algorithm={kind: "+m.name+"}",
						asynchronous, losing(loss))...)
					if err != nil {
						return err
					}
					far, duals = append(far, float64(info.Final.Distance)), append(duals, float64(info.Final.DualSum))
					if layouts[l].name == "nearest" && loss > 0 && seed == 1 {
						chart.Lines = append(chart.Lines, plot.Line{Label: m.name, X: t.Column("time_s"),
							Y: t.Column("distance")})
					}
				}
				for k, d := range far {
					switch {
					case m.name == "edge-admm":
						ends++
						reachedAll += boolInt(d <= nearness)
						worst = math.Max(worst, d)
					case m.nodeDual:
						wrongs++
						wrongAll += boolInt(d > 0.1 && duals[k] > 1e-3)
						nearest, least = math.Min(nearest, d), math.Min(least, duals[k])
					}
				}
				sum := "–"
				if m.nodeDual {
					sum = fmt.Sprintf("%.2g–%.2g", slices.Min(duals), slices.Max(duals))
				}
				table = append(table, fmt.Sprintf("| %s | %g %% | `%s` | %.2g–%.2g | %s |", layouts[l].name, 100*loss,
					m.name, slices.Min(far), slices.Max(far), sum))
			}
		}
	}
	b.State("asynchronous edge ADMM comes to the optimum over the regions, with and without loss",
		reproduce.AssessParts(reachedAll == ends, reachedAll > 0), "nearer than 2 %% after 2,000 updates a node in %s "+
			"runs: three graphs, without loss and with 30 %%, %d seeds; the furthest ends at %.2g",
		of(reachedAll, ends), regionsSeeds, worst)
	b.State("methods with one dual a node end at a wrong point there, with and without loss, and their duals do not "+
		"sum to zero", reproduce.AssessParts(wrongAll == wrongs, wrongAll > 0), "further off than 10 %% with ‖Σλ‖ "+
		"above 0.001 in %s runs of `admm` and `r-admm`; the nearest ends at %.2g, the least ‖Σλ‖ is %.2g",
		of(wrongAll, wrongs), nearest, least)
	b.Say("Asynchronous updates over the measured network, %d seeds:\n\n%s", regionsSeeds, strings.Join(table, "\n"))
	b.Draw("duals", chart)
	return nil
}
