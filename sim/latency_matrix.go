// The latency that was measured: a matrix between sites, with a law on top.

package sim

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// matrix is the kind of a latency that is no law by itself.
const matrix = "matrix"

// Placeable says whether nodes are placed on sites.
func (l *Latency) Placeable() bool { return l.Kind == matrix }

func (l *Latency) checkMatrix(report func(field, problem string)) {
	set, known := FindSiteSet(l.Set)
	switch {
	case (l.Set != "") == (l.File != ""):
		report("", "must have exactly one of set and file, such as {kind: matrix, set: aws}")
	case l.Set != "" && !known:
		report("set", fmt.Sprintf("must be one of %s, is %q; a matrix of your own is given by file",
			strings.Join(SiteSetNames(), ", "), l.Set))
	case l.Set != "":
		if l.Times == oneWay {
			report("times", fmt.Sprintf("is of a file; those of the set %s are round trips", l.Set))
		}
		if l.Missing != nil {
			report("missing", fmt.Sprintf("is of a file; the set %s has a time for every pair", l.Set))
		}
		if l.Coordinates != "" {
			report("coordinates", fmt.Sprintf("is of a file; the set %s has positions", l.Set))
		}
		if l.Without != nil {
			report("without", fmt.Sprintf("is of a file; which sites of the set %s have nodes, placement says", l.Set))
		}
		if sites, err := set.Load(); err != nil {
			report("set", err.Error())
		} else if err := l.Placement.Unknown(aSite, sites.Names); err != nil {
			report("placement", err.Error())
		}
	}
	if l.Jitter != nil && l.Jitter.Kind == matrix {
		report("jitter", "must be a law of its own, such as {kind: exponential, mean: 2ms}, is a matrix")
	}
}

const (
	oneWay = "one-way"
	aSite  = "site"
)

// Sites are those of a matrix.
func (l *Latency) Sites() (*Sites, error) {
	if set, ok := FindSiteSet(l.Set); ok {
		return set.Load()
	}
	share := 0.5
	if l.Times == oneWay {
		share = 1
	}
	sites, err := readSitesFile(l.File, reading{l.Missing, l.Without, share})
	if err == nil && l.Coordinates != "" {
		err = sites.locateFile(l.Coordinates)
	}
	return sites, err
}

// Place puts n nodes on the sites of a matrix, by the run's seed. Other latencies have no sites.
func (l *Latency) Place(seed uint64, n int) (*Placed, error) {
	if l.Kind != matrix {
		return nil, nil
	}
	sites, err := l.Sites()
	if err != nil {
		return nil, err
	}
	at, err := l.Placement.place(aSite, sites.Names, n, NewStream(seed, "sites"))
	if err != nil {
		return nil, fmt.Errorf("placement %w", err)
	}
	return &Placed{sites, at}, nil
}

// split is a delay as the sum of what the sites make of it, which is nothing where there are none, and a law.
func (l Latency) split() (*Placed, Latency) {
	switch {
	case l.Kind != matrix:
		return nil, l
	case l.Jitter != nil:
		return l.placed, *l.Jitter
	}
	return l.placed, Latency{}
}

// Between is a delay from node to node as the sum of what their sites make of it, and a law.
func (l Latency) Between(from, to int) (Duration, Latency) {
	sites, law := l.split()
	return sites.between(int32(from), int32(to)), law
}

// Least is the shortest delay from node to node.
func (l Latency) Least(from, to int) Duration {
	apart, law := l.Between(from, to)
	least, _ := law.Bounds()
	return tick*(apart/tick) + nanoseconds(least)
}

// apart is, by link of a graph, what the sites of its nodes make of a delay, in ticks; nil: there are no sites.
func (l *Latency) apart(g *Graph) ([]uint32, error) {
	if l.Kind != matrix {
		return nil, nil
	}
	sites, err := l.placed.Joined(g)
	switch {
	case err != nil:
		return nil, err
	case sites == nil:
		return nil, errors.New("sim: a matrix of latencies needs nodes on sites")
	}
	all := make([]uint32, 0, g.Links())
	for i := range int32(g.Order()) {
		for _, j := range g.Neighbours(int(i)) {
			all = append(all, uint32(sites.between(i, j)/tick))
		}
	}
	return all, nil
}

func (l *Latency) matrixWords() string {
	words := "matrix " + l.Set
	if l.Set == "" {
		words = "matrix of " + l.File
	}
	if l.Jitter != nil {
		words += " and " + l.Jitter.Words()
		if l.Jitter.law() == (constantLaw{}) {
			words += " " + l.Jitter.Value.String()
		}
	}
	return words
}

// median is that of the delays between all pairs of nodes on different sites, in nanoseconds; 0: there are no sites.
func (p *Placed) median() float64 {
	if p == nil {
		return 0
	}
	count := make([]int, p.Order())
	for _, k := range p.at {
		count[k]++
	}
	type weighted struct {
		delay Duration
		pairs float64
	}
	var all []weighted
	total := 0.0
	for a, m := range count {
		for b, n := range count {
			if a != b && m > 0 && n > 0 {
				pairs := float64(m * n)
				all = append(all, weighted{p.Delay(a, b), pairs})
				total += pairs
			}
		}
	}
	if all == nil {
		return float64(p.Delay(int(p.at[0]), int(p.at[0])))
	}
	slices.SortFunc(all, func(a, b weighted) int { return int(a.delay - b.delay) })
	for _, w := range all {
		if total -= float64(2 * w.pairs); total <= 0 || w == all[len(all)-1] {
			return float64(w.delay)
		}
	}
	return 0
}
