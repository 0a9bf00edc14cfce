// Sites of a measured network, and the nodes that are placed on them.

package sim

import (
	"embed"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"overhear/internal/memory"
)

// Sites are places with the time that a packet takes from each to each.
type Sites struct {
	Names     []string
	delay     []Duration // one way, by row from and column to
	positions []position // nil: not known
}

// Order is the number of sites.
func (s *Sites) Order() int { return len(s.Names) }

// Delay is how long a packet takes from one site to another, or within one.
func (s *Sites) Delay(from, to int) Duration { return s.delay[from*s.Order()+to] }

// SiteSet is a measured network that comes with the program.
type SiteSet struct {
	Name, Title string
	Source      string // who measured it, where it is from, when
	Licence     string
	file        string
	positions   string // a file
}

//go:embed sites/*.csv
var siteFiles embed.FS

// SiteSets are the measured networks that come with the program.
var SiteSets = []SiteSet{{
	Name: "aws", Title: "33 regions of Amazon Web Services, median round trips",
	Source: "measured by cloudping.co; from github.com/commonwarexyz/monorepo, examples/estimator/src/p50.json of " +
		"2025-07-17",
	Licence: "MIT or Apache-2.0", file: "sites/aws.csv", positions: "sites/aws-cities.csv",
}}

// SiteSetNames are the names of the sets.
func SiteSetNames() (names []string) {
	for _, s := range SiteSets {
		names = append(names, s.Name)
	}
	return names
}

// FindSiteSet finds a set by name.
func FindSiteSet(name string) (*SiteSet, bool) {
	k := slices.IndexFunc(SiteSets, func(s SiteSet) bool { return s.Name == name })
	if k < 0 {
		return nil, false
	}
	return &SiteSets[k], true
}

// Load reads the set.
func (s *SiteSet) Load() (*Sites, error) {
	f, err := siteFiles.Open(s.file)
	if err != nil {
		return nil, fmt.Errorf("reading the sites %s: %w", s.Name, err)
	}
	defer f.Close()
	sites, err := readSites(s.file, f, reading{share: 0.5})
	if err != nil {
		return nil, err
	}
	p, err := siteFiles.Open(s.positions)
	if err != nil {
		return nil, fmt.Errorf("reading the sites %s: %w", s.Name, err)
	}
	defer p.Close()
	return sites, sites.locate(s.positions, p)
}

// Describe says what the set is, where it comes from and which sites it has.
func (s *SiteSet) Describe() string {
	sites, err := s.Load()
	if err != nil {
		panic(fmt.Sprintf("sim: %v", err)) // it comes with the program
	}
	low, high := Duration(math.MaxInt64), Duration(0)
	for a := range sites.Order() {
		for b := range sites.Order() {
			if a != b {
				low, high = min(low, 2*sites.Delay(a, b)), max(high, 2*sites.Delay(a, b))
			}
		}
	}
	var lines []string
	const each = 6
	for names := range slices.Chunk(sites.Names, each) {
		lines = append(lines, "  "+strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s: %s\n(a measured network, network.latency: {kind: matrix, set: %s})\n\nround trips "+
		"between sites: %v to %v\nsource: %s\nlicence: %s\npositions: about those of the cities that the regions are "+
		"named after\nsites:\n%s\n",
		s.Name, s.Title, s.Name, low, high, s.Source,
		s.Licence, strings.Join(lines, ",\n"))
}

// readSitesFile reads a matrix of milliseconds from a file.
func readSitesFile(path string, how reading) (*Sites, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if _, err := memory.CheckFile(f, memory.Rows); err != nil {
		return nil, err
	}
	return readSites(path, f, how)
}

// tick is what times between sites are whole multiples of: in ticks, 32 bits hold one of up to mostApart, and a run of
// many links reads half as much memory.
const (
	tick      = Duration(100)
	mostApart = 400e9 // ns
)

// Placed are nodes on sites.
type Placed struct {
	*Sites
	at []uint16 // of each node its site
}

// maxSites is how many sites a node's entry can tell apart.
const maxSites = math.MaxUint16

// Site is that of a node.
func (p *Placed) Site(node int) int { return int(p.at[node]) }

// NodeSites are the names of the nodes' sites; nil: they have none.
func (p *Placed) NodeSites() []string {
	if p == nil {
		return nil
	}
	names := make([]string, len(p.at))
	for i, k := range p.at {
		names[i] = p.Names[k]
	}
	return names
}

// between is how long a packet takes from node to node; 0: there are no sites.
func (p *Placed) between(from, to int32) Duration {
	if p == nil {
		return 0
	}
	return p.Delay(int(p.at[from]), int(p.at[to]))
}

// Joined places the nodes of a graph that are not placed, who joined those that are, where their first neighbour is.
func (p *Placed) Joined(g *Graph) (*Placed, error) {
	if p == nil || len(p.at) == g.Order() {
		return p, nil
	}
	if len(p.at) > g.Order() {
		return nil, fmt.Errorf("%d nodes are placed on sites; there are %d", len(p.at), g.Order())
	}
	all := slices.Clone(p.at)
	for i := len(p.at); i < g.Order(); i++ {
		near := g.Neighbours(i)
		if len(near) == 0 || int(near[0]) >= i {
			return nil, fmt.Errorf("node %d is placed on no site", i)
		}
		all = append(all, all[near[0]])
	}
	return &Placed{p.Sites, all}, nil
}
