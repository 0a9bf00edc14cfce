// A fault: nodes that are there by the time of day.

package sim

import (
	"fmt"
	"math"
	"slices"
)

func init() { registerFault(10, DiurnalAvailability{}) }

// DiurnalAvailability is nodes of which a share is up that goes by the time of day.
type DiurnalAvailability struct {
	Diurnal *Diurnal `yaml:"diurnal" doc:"nodes are there by the time of day, as phones are that are charged at night"`
}

// Diurnal is the share of nodes that are up by the time of day: at every time a node is up with the probability that
// the profile has then. Each node has a rank for each day, uniform in [0, 1), and is up while the profile is above it.
// A node's day begins when the profile is least.
type Diurnal struct {
	Profile []float64 `yaml:"profile" doc:"shares of the nodes that are up, at equal times of the day from 0:00 on, joined by straight lines, the last with the first: [0.4, 0.1] is 40 % at midnight and 10 % at noon"`
	Day     Duration  `yaml:"day" doc:"how long a day is; 24h if not given"`
	Begins  Duration  `yaml:"begins" doc:"the time of day when the fault begins (at); 0s if not given"`
	Local   bool      `yaml:"local" doc:"the time of day is that of each node's site, by its longitude, and begins is that of Greenwich"`
	Memory  string    `yaml:"memory" enum:"kept,lost" doc:"what becomes of what a node was about to do when it goes: kept (if not given) or lost"`
	Nodes   []int     `yaml:"nodes" doc:"nodes for which this holds; all if not given"`
}

// Key is the kind's name in a scenario.
func (DiurnalAvailability) Key() string { return "diurnal" }

func (d DiurnalAvailability) names() []int { return d.Diurnal.Nodes }

// Forgets says whether a node that goes loses its memory.
func (d DiurnalAvailability) Forgets() bool { return d.Diurnal.Memory == memoryLost }

// NeedsSites says whether nodes must be on sites.
func (d DiurnalAvailability) NeedsSites() bool { return d.Diurnal.Local }

func (d DiurnalAvailability) check(f *Fault, report func(field, problem string)) {
	f.checkSpan(report)
	d.Diurnal.Check(func(field, problem string) { report("diurnal."+field, problem) })
}

// Check reports a profile that is none, or by which nodes are hardly ever up, or down.
func (d Diurnal) Check(report func(field, problem string)) {
	const many, rare = 10000, 0.001
	if len(d.Profile) == 0 || len(d.Profile) > many {
		report("profile", fmt.Sprintf("must have 1 to %d shares, such as [0.4, 0.1]: of the nodes that are up at "+
			"midnight and at noon; has %d", many, len(d.Profile)))
		return
	}
	for k, share := range d.Profile {
		if !(share >= 0 && share <= 1) {
			report("profile", fmt.Sprintf("must have shares from 0 to 1; the one at %d is %v", k, share))
			return
		}
	}
	if least := slices.Min(d.Profile); least > 1-rare {
		report("profile", fmt.Sprintf("must have a share of at most %v, or nodes are hardly ever down; the least is %v",
			1-rare, least))
	}
	if most := slices.Max(d.Profile); most < rare {
		report("profile", fmt.Sprintf("must have a share of at least %v, or nodes are hardly ever up; the greatest "+
			"is %v", rare, most))
	}
	if d.Day < 0 || d.Day > 0 && int(d.Day) < 1000*len(d.Profile) || d.Day > century {
		report("day", fmt.Sprintf("must be a positive duration, of 1µs for each share at least and of a century "+
			"at most, is %v", d.Day))
	}
	if d.Begins < 0 || d.Begins >= d.day() {
		report("begins", fmt.Sprintf("must be from 0s to less than a day, %v, is %v", d.day(), d.Begins))
	}
	checkMemory(report, d.Memory)
	checkThose(report, d.Nodes)
}

func (d *Diurnal) day() Duration {
	if d.Day == 0 {
		return 24 * 3600e9
	}
	return d.Day
}

// Changes is how often a node goes down in a nanosecond at most, and which nodes do; nil: all.
func (d DiurnalAvailability) Changes() (float64, []int) {
	p := d.Diurnal.Profile
	valleys := 1
	for k := range p {
		if p[k] > p[(k+1)%len(p)] {
			valleys++
		}
	}
	return float64(valleys) / float64(d.Diurnal.day()), d.Diurnal.Nodes
}

func (d DiurnalAvailability) enter(f *Fault, p *planner) {
	c := newCourse(d.Diurnal)
	for _, i := range p.those("diurnal.nodes", d.Diurnal.Nodes) {
		east := 0.0 // of Greenwich, in days
		if d.Diurnal.Local {
			if p.sites == nil || p.sites.positions == nil {
				p.report("diurnal.local", "needs nodes on sites whose positions are known: network.latency must be of "+
					"kind matrix, such as {kind: matrix, set: aws}, or have coordinates")
				return
			}
			east = p.sites.positions[p.sites.Site(i)].Longitude / 360
		}
		day := Time(d.Diurnal.day())
		sinceTrough := (Time(d.Diurnal.Begins) + Time(math.Round(float64(east*float64(day)))) - c.trough + 2*day) % day
		s := &days{course: c, stream: p.stream(d, i), begins: Time(f.At), dawn: Time(f.At) - sinceTrough,
			until: f.end(), next: outage{lost: d.Forgets()}}
		s.pass()
		p.downBy(i, s)
	}
}

// course is a profile from its least share to the same of the next day.
type course struct {
	trough Time      // when after midnight the share is least first
	at     []Time    // since then, ascending from 0 to a day
	share  []float64 // at these times
}

func newCourse(d *Diurnal) *course {
	n, day := len(d.Profile), float64(d.day())
	least := slices.Index(d.Profile, slices.Min(d.Profile))
	time := func(k int) Time { return Time(math.Round(float64(day*float64(k)) / float64(n))) }
	c := &course{trough: time(least)}
	for k := range n + 1 {
		c.at = append(c.at, time(k))
		c.share = append(c.share, d.Profile[(least+k)%n])
	}
	return c
}

// down is when in a day the share is at most a rank: spans that are ascending and apart from each other.
func (c *course) down(rank float64) (spans [][2]Time) {
	from, isDown := Time(0), c.share[0] <= rank
	for k := 1; k < len(c.at); k++ {
		if (c.share[k] <= rank) == isDown {
			continue
		}
		a, b := c.share[k-1], c.share[k]
		part := float64(c.at[k]-c.at[k-1]) * ((rank - a) / (b - a))
		at := c.at[k-1] + Time(part)
		if isDown && at > from {
			spans = append(spans, [2]Time{from, at})
		}
		from, isDown = at, !isDown
	}
	if end := c.at[len(c.at)-1]; isDown && end > from {
		spans = append(spans, [2]Time{from, end})
	}
	return spans
}

// days tells a node's outages, day after day.
type days struct {
	*course
	stream *Stream
	begins Time // of the fault
	dawn   Time // when the next day begins for which nothing is drawn yet
	until  Time
	today  [][2]Time // what is left of the day before it, by virtual time
	next   outage
}

func (s *days) upcoming() *outage { return &s.next }

func (s *days) pass() {
	for len(s.today) == 0 && s.dawn < s.until {
		for _, o := range s.down(s.stream.Float64()) {
			from, to := max(later(s.dawn, o[0]), s.begins), min(later(s.dawn, o[1]), s.until)
			if from < to {
				s.today = append(s.today, [2]Time{from, to})
			}
		}
		s.dawn = later(s.dawn, s.at[len(s.at)-1])
	}
	if len(s.today) == 0 {
		s.next.from, s.next.to = forever, forever
		return
	}
	s.next.from, s.next.to = s.today[0][0], s.today[0][1]
	s.today = s.today[1:]
}

func (d DiurnalAvailability) words(f *Fault) string {
	p, where := d.Diurnal.Profile, ""
	if d.Diurnal.Local {
		where = " of their sites"
	}
	return fmt.Sprintf("%s come and go by the time of day%s, %v to %v of them up, a day of %v, %s, %s",
		thoseNames(d.Diurnal.Nodes), where, slices.Min(p), slices.Max(p), d.Diurnal.day(),
		memoryWords(d.Diurnal.Memory), f.when())
}
