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

// census is a server's part in the survey.
type census struct {
	reports   [][]float64 // of the node's users
	missing   int         // of them
	firstUser int         // node of the user of row 0
	asked     sim.Time    // when it began to wait
}

// attachUsers makes the users; at is each server's part.
func (s *Synchronous) attachUsers(e *sim.Engine, at func(i int) *census) {
	id := s.Graph.Order()
	for i := range s.Problem.Shards {
		rows := s.Problem.Shards[i].U.Len()
		*at(i) = census{reports: make([][]float64, rows), missing: rows, firstUser: id}
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

// collect takes a user's report and says whether it was the last.
func (c *census) collect(s *Synchronous, n *Node, m *sim.Message) bool {
	k := int(m.From) - c.firstUser
	if c.missing == 0 || c.reports[k] != nil {
		return false
	}
	c.reports[k] = m.Payload
	if c.missing--; c.missing > 0 {
		return false
	}
	s.survey.Collect(n, c.reports)
	return true
}

// recover does again, after a crash without memory, what a server does not keep in
// store: what it made of the reports, or asking for them.
func (c *census) recover(env *sim.Env, s *Synchronous, n *Node) {
	if s.survey == nil {
		return
	}
	if c.missing > 0 {
		c.expect(env, s)
		return
	}
	s.survey.Collect(n, c.reports)
}

// expect waits for reports; where packets are lost, it asks again.
func (c *census) expect(env *sim.Env, s *Synchronous) {
	c.asked = env.Now()
	if s.Retry > 0 {
		env.After(s.Retry, tagSurvey)
	}
}

// remind asks the users that have not been heard.
func (c *census) remind(env *sim.Env, s *Synchronous) {
	if c.missing == 0 {
		return
	}
	if waited := env.Now() - c.asked; s.Deadline > 0 && sim.Duration(waited) >= s.Deadline {
		env.Fail(fmt.Errorf("no progress for %v of virtual time (the deadline): %s", s.Deadline, c.waiting(env.Self())))
		return
	}
	for k, r := range c.reports {
		if r == nil {
			env.Send(c.firstUser+k, KindRequest, 0, nil)
		}
	}
	env.After(s.Retry<<maxBackoff, tagSurvey)
}

func (c *census) waiting(node int) string {
	return fmt.Sprintf("node %d waits for the reports of %d users", node, c.missing)
}
