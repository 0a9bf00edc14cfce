// The phase before the rounds of a method whose nodes do not own their data:
// users send each a report of its row to its server.

package algorithms

import (
	"fmt"

	"overhear/sim"
)

// Surveying is a Method whose nodes are servers. Row k of server i belongs to a
// user, a node of the network linked to its server only, which sends a report of
// it once, before round 0.
type Surveying interface {
	// Report is what the user of row k of server i sends; seed is the run's.
	Report(seed uint64, i, k int) []float64

	// Collect gives a server its users' reports, in order of row.
	Collect(n *Node, reports [][]float64)
}

// Network is the graph that the engine runs: that of the nodes and, for a
// Surveying method, users n, n+1, …, in order of server and row.
func (s *Synchronous) Network() (*sim.Graph, error) {
	if _, ok := s.Method.(Surveying); !ok {
		return s.Graph, nil
	}
	n := s.Graph.Order()
	edges := s.Graph.Pairs()
	user := n
	for i := range s.Problem.Shards {
		for range s.Problem.Shards[i].U.Len() {
			edges = append(edges, [2]int{i, user})
			user++
		}
	}
	g, err := sim.NewGraph(user, edges)
	if err != nil {
		return nil, fmt.Errorf("linking users to servers: %w", err)
	}
	return g, nil
}

// SurveyObserver is an Observer that follows users' reports, too.
type SurveyObserver interface {
	// Reported is called when a user, by its node, sends its report.
	Reported(user int, at sim.Time, report []float64)
}

// user is the contributor of one row.
type user struct {
	run         *Synchronous
	id          int
	server, row int
	report      []float64
}

// attachUsers makes the users.
func (s *Synchronous) attachUsers(e *sim.Engine) {
	id := len(s.peers)
	for i := range s.peers {
		rows := s.Problem.Shards[i].U.Len()
		s.peers[i].reports, s.peers[i].missing = make([][]float64, rows), rows
		s.peers[i].firstUser = id
		for k := range rows {
			e.Attach(id, &user{run: s, id: id, server: i, row: k})
			id++
		}
	}
}

// Start sends the report.
func (u *user) Start(env *sim.Env) {
	u.report = u.run.survey.Report(u.run.Seed, u.server, u.row)
	if o, ok := u.run.Observer.(SurveyObserver); ok {
		o.Reported(u.id, env.Now(), u.report)
	}
	env.Send(u.server, KindSample, 0, u.report)
}

// Receive sends the same report again: a row is randomised once.
func (u *user) Receive(env *sim.Env, m *sim.Message) {
	if m.Kind == KindRequest {
		env.Send(u.server, KindSample, 0, u.report)
	}
}

// Wake has nothing to do.
func (u *user) Wake(*sim.Env, uint64) {}

// collect takes a user's report and opens the rounds when it is the last.
func (p *peer) collect(env *sim.Env, m *sim.Message) {
	k := int(m.From) - p.firstUser
	if p.missing == 0 || p.reports[k] != nil {
		return
	}
	p.reports[k] = m.Payload
	if p.missing--; p.missing == 0 {
		p.run.survey.Collect(&p.Node, p.reports)
		p.reports = nil
		p.open(env)
	}
}

// expect waits for reports; where packets are lost, it asks again.
func (p *peer) expect(env *sim.Env) {
	p.since = env.Now()
	if p.run.Retry > 0 {
		env.After(p.run.Retry, tagSurvey)
	}
}

// remind asks the users that have not been heard.
func (p *peer) remind(env *sim.Env) {
	if p.missing == 0 {
		return
	}
	if waited := env.Now() - p.since; p.run.Deadline > 0 && sim.Duration(waited) >= p.run.Deadline {
		env.Fail(fmt.Errorf("no progress for %v of virtual time (the deadline): %s", p.run.Deadline, p.waiting()))
		return
	}
	for k, r := range p.reports {
		if r == nil {
			env.Send(p.firstUser+k, KindRequest, 0, nil)
		}
	}
	env.After(p.run.Retry<<maxBackoff, tagSurvey)
}
