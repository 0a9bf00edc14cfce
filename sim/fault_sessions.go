// A fault: nodes that come and go, each by itself, up for one random time and down for another.

package sim

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

func init() { registerFault(9, Churn{}) }

// Churn is nodes that are up and down in turn, by laws of both. The process is stationary: at the fault's beginning a
// node is up with the probability that it is at any other time, and in the midst of a session.
type Churn struct {
	Sessions *Sessions `yaml:"sessions" doc:"nodes come and go, each by itself, by laws of how long they are up and down"`
}

// Sessions are laws of how long a node is up and down, which both have a mean.
type Sessions struct {
	Set     string   `yaml:"set" doc:"published laws of up and down: kad; explain kad says whose they are"`
	Up      *Latency `yaml:"up" doc:"instead of set: law of how long a node is up"`
	Down    *Latency `yaml:"down" doc:"and of how long it is down"`
	Stretch float64  `yaml:"stretch" doc:"multiplies all times: 0.001 has a day go by in 86.4s; 1 if not given"`
	Memory  string   `yaml:"memory" enum:"kept,lost" doc:"what becomes of what a node was about to do when it goes: kept (if not given) or lost"`
	Nodes   []int    `yaml:"nodes" doc:"nodes for which this holds; all if not given"`
}

// SessionSet are published laws of sessions.
type SessionSet struct {
	Name, Title string
	Source      string // who fitted them to what, where the numbers were looked up
	up, down    Latency
}

// SessionSets are the published laws that come with the program.
var SessionSets = []SessionSet{{
	Name: "kad", Title: "peers of the file-sharing network KAD, over six months",
	Source: "Steiner, En-Najjary & Biersack, Analyzing Peer Behavior in KAD, report RR-07-205, Institut Eurécom " +
		"2007: sessions from the second crawl on, and times between sessions; the fitted numbers, in minutes, as the " +
		"simulator PeerfactSim.KOM has them (KadChurnModel)",
	up:   Latency{Kind: "weibull", Scale: minutes(169.5385), Shape: 0.61511},
	down: Latency{Kind: "weibull", Scale: minutes(413.6765), Shape: 0.47648},
}}

func minutes(x float64) Duration { return Duration(math.Round(float64(x * 60e9))) }

// SessionSetNames are the names of the sets.
func SessionSetNames() (names []string) {
	for _, s := range SessionSets {
		names = append(names, s.Name)
	}
	return names
}

// FindSessionSet finds a set by name.
func FindSessionSet(name string) (*SessionSet, bool) {
	k := slices.IndexFunc(SessionSets, func(s SessionSet) bool { return s.Name == name })
	if k < 0 {
		return nil, false
	}
	return &SessionSets[k], true
}

// Describe says what the laws are and whose.
func (s *SessionSet) Describe() string {
	up, down := s.up.law().mean(&s.up), s.down.law().mean(&s.down)
	return fmt.Sprintf("%s: %s\n(laws of sessions, a fault: sessions: {set: %s})\n\nup: %s\ndown: %s\nmeans: up for "+
		"%.0f min, down for %.0f min, so that %.1f %% are up\nsource: %s\n", s.Name, s.Title, s.Name, s.up.Words(),
		s.down.Words(), up/60e9, down/60e9, 100*up/(up+down), s.Source)
}

// Key is the kind's name in a scenario.
func (Churn) Key() string { return "sessions" }

func (c Churn) names() []int { return c.Sessions.Nodes }

// Forgets says whether a node that goes loses its memory.
func (c Churn) Forgets() bool { return c.Sessions.Memory == memoryLost }

func (c Churn) check(f *Fault, report func(field, problem string)) {
	f.checkSpan(report)
	c.Sessions.Check(func(field, problem string) { report("sessions."+field, problem) })
}

// Check reports laws that are missing or have no mean.
func (s Sessions) Check(report func(field, problem string)) {
	_, known := FindSessionSet(s.Set)
	switch {
	case s.Set != "" && (s.Up != nil || s.Down != nil):
		report("set", "must stand without up and down, or they without it")
	case s.Set != "" && !known:
		report("set", fmt.Sprintf("must be one of %s, is %q; laws of your own are given by up and down",
			strings.Join(SessionSetNames(), ", "), s.Set))
	case s.Set == "" && s.Up == nil:
		report("up", "must be given, and down, such as {kind: exponential, mean: 2h}, or else set")
	case s.Set == "" && s.Down == nil:
		report("down", "must be given, such as {kind: weibull, scale: 3h, shape: 0.6}")
	}
	checkStretch(report, s.Stretch)
	checkLaw(report, "up", s.Up)
	checkLaw(report, "down", s.Down)
	checkMemory(report, s.Memory)
	checkThose(report, s.Nodes)
}

// checkLaw is for a law of times that may be missing: it must have a mean, and draw other times than 0.
func checkLaw(report func(field, problem string), key string, l *Latency) {
	if l == nil {
		return
	}
	if l.Kind == matrix {
		report(key, "must be a law by itself, is a matrix")
		return
	}
	wrong := false
	l.Check(func(field, problem string) { report(key+"."+field, problem); wrong = true })
	if wrong {
		return
	}
	switch mean := l.law().mean(l); {
	case math.IsInf(mean, 1):
		report(key, fmt.Sprintf("must have a mean: a shape above 1; it is %v", l.Shape))
	case mean < 1 || mean > century:
		report(key, fmt.Sprintf("must have a mean from 1ns to a century, has one of %.3gs", mean/1e9))
	}
}

func checkStretch(report func(field, problem string), stretch float64) {
	if !(stretch >= 0 && stretch <= math.MaxFloat64) {
		report("stretch", fmt.Sprintf("must be positive, is %v", stretch))
	}
}

// laws are those of up and down.
func (s *Sessions) laws() (up, down *Latency) {
	if set, ok := FindSessionSet(s.Set); ok {
		return &set.up, &set.down
	}
	return s.Up, s.Down
}

// stretched is 1 where no stretch is given.
func stretched(stretch float64) float64 {
	if stretch == 0 {
		return 1
	}
	return stretch
}

// Changes is how often a node goes down in a nanosecond, on average, and which nodes do; nil: all.
func (c Churn) Changes() (float64, []int) {
	up, down := c.Sessions.laws()
	mean := up.law().mean(up) + down.law().mean(down)
	return 1 / float64(mean*stretched(c.Sessions.Stretch)), c.Sessions.Nodes
}

func (c Churn) enter(f *Fault, p *planner) {
	up, down := c.Sessions.laws()
	for _, i := range p.those("sessions.nodes", c.Sessions.Nodes) {
		r := &renewal{stream: p.stream(c, i), up: up, down: down, stretch: stretched(c.Sessions.Stretch),
			until: f.end(), next: outage{lost: c.Forgets()}}
		r.begin(Time(f.At))
		p.downBy(i, r)
	}
}

// renewal draws one node's times up and down in turn.
type renewal struct {
	stream   *Stream
	up, down *Latency
	stretch  float64
	until    Time
	next     outage // the one drawn last
}

func (r *renewal) upcoming() *outage { return &r.next }

func (r *renewal) pass() { r.after(later(r.next.to, r.span(r.up.Draw(r.stream)))) }

// begin draws what a time at random finds: a node that is up or down, as the means are, with a part that is uniform of
// its span, whose length has the law of spans that are found so.
func (r *renewal) begin(t Time) {
	up, down := r.up.law().mean(r.up), r.down.law().mean(r.down)
	isUp := float64(r.stream.Float64()*(up+down)) < up
	law := r.down
	if isUp {
		law = r.up
	}
	whole := law.law().inspected(law, r.stream)
	rest := r.span(nanoseconds(float64(whole * r.stream.Float64())))
	if isUp {
		r.after(later(t, rest))
		return
	}
	r.enter(t, later(t, rest))
}

// after draws the outage that begins at a time.
func (r *renewal) after(from Time) { r.enter(from, later(from, r.span(r.down.Draw(r.stream)))) }

func (r *renewal) enter(from, to Time) {
	if r.next.from, r.next.to = from, min(to, r.until); from >= r.until {
		r.next.from, r.next.to = forever, forever
	}
}

// span is a time as it is stretched, a nanosecond at least, so that time advances.
func (r *renewal) span(d Duration) Time { return max(1, Time(scaled(d, r.stretch))) }

func (c Churn) words(f *Fault) string {
	s := c.Sessions
	up, down := s.laws()
	as := ""
	if s.Set != "" {
		as = " as in " + s.Set
	}
	if s.Stretch != 0 {
		as += fmt.Sprintf(", times multiplied by %v", s.Stretch)
	}
	law := func(l *Latency) string {
		if l.law() == (constantLaw{}) {
			return l.Value.String()
		}
		return l.Words()
	}
	return fmt.Sprintf("%s come and go%s: up for (%s), down for (%s), %s, %s", thoseNames(s.Nodes), as, law(up),
		law(down), memoryWords(s.Memory), f.when())
}
