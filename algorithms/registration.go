// Registration, the phase before the rounds of a method whose nodes do not own their
// data: each user sends its server a report of its row.

package algorithms

import (
	"fmt"

	"overhear/internal/plural"
	"overhear/sim"
)

// Registering is a RowMethod whose nodes are servers. Row k of server i belongs to a
// user, a node of the network linked to its server only, which sends a report of
// it once, before round 0.
type Registering interface {
	// Report is what the user of row k of server i sends; seed is the run's.
	Report(seed uint64, i, k int) []float64

	// Budget is the ε of that user's label; +Inf: it is sent as it is.
	Budget(i, k int) float64

	// Collect gives a server its users' reports, in order of row.
	Collect(n *Node, reports [][]float64)
}

// withUsers is the graph that the engine runs: that of the nodes and, for a
// Registering method, users n, n+1, …, in order of server and row.
func withUsers(s *rowRun) (*sim.Graph, error) {
	g := s.Setting.Graph
	if s.registering == nil {
		return g, nil
	}
	edges := g.Pairs()
	user := g.Order()
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

// RegistrationObserver is an Observer that follows users' reports, too.
type RegistrationObserver interface {
	// Reported is called when a user, by its node, sends its report.
	Reported(user int, at sim.Time, report []float64)
}

// user is the contributor of one row.
type user struct {
	run         *rowRun
	id          int
	server, row int
	report      []float64
}

// registration is a server's part in it.
type registration struct {
	reports   [][]float64 // of the node's users
	missing   int         // of them
	firstUser int         // node of the user of row 0
	asked     sim.Time    // when it began to wait
	waits     bool        // it has begun to
}

// attachUsers makes the users; at is each server's part.
func (s *rowRun) attachUsers(e *sim.Engine, at func(i int) *registration) {
	id := s.Setting.Graph.Order()
	for i := range s.Problem.Shards {
		rows := s.Problem.Shards[i].U.Len()
		*at(i) = registration{reports: make([][]float64, rows), missing: rows, firstUser: id}
		for k := range rows {
			u := &user{run: s, id: id, server: i, row: k}
			s.users = append(s.users, u)
			e.Attach(id, u)
			id++
		}
	}
}

// Start sends the report.
func (u *user) Start(env *sim.Env) {
	u.report = u.run.registering.Report(u.run.Seed, u.server, u.row)
	if o, ok := u.run.Observer.(RegistrationObserver); ok {
		o.Reported(u.id, env.Now(), u.report)
	}
	env.Send(u.server, KindReport, 0, u.report)
}

// Receive sends the same report again: a row is randomised once.
func (u *user) Receive(env *sim.Env, m *sim.Message) {
	if m.Kind == KindRequest {
		env.Send(u.server, KindReport, 0, u.report)
	}
}

// Wake has nothing to do.
func (u *user) Wake(*sim.Env, uint64) {}

// collect takes a user's report and says whether it was the last.
func (r *registration) collect(s *rowRun, n *Node, m *sim.Message) bool {
	k := int(m.From) - r.firstUser
	if r.missing == 0 || r.reports[k] != nil {
		return false
	}
	r.reports[k] = m.Payload
	if r.missing--; r.missing > 0 {
		return false
	}
	r.make(s, n)
	return true
}

// recover does again, after a crash without memory, what a server does not keep in
// store: what it made of the reports, or asking for them.
func (r *registration) recover(env *sim.Env, s *rowRun, n *Node) {
	if s.registering == nil {
		return
	}
	if r.missing > 0 {
		r.expect(env, s)
		return
	}
	r.make(s, n)
}

// make has the method make what it needs of the reports.
func (r *registration) make(s *rowRun, n *Node) {
	s.registering.Collect(n, r.reports)
	if s.States {
		n.solver.Note()
	}
	s.keep(n.solver, n.ID, reportedTrack)
}

// expect waits for reports; where packets are lost, it asks again.
func (r *registration) expect(env *sim.Env, s *rowRun) {
	r.asked, r.waits = env.Now(), true
	if s.Retry > 0 {
		env.After(patience(r.asked, r.asked, s.Retry, s.Deadline), tagRegistration)
	}
}

// hasten has a server that waits for reports look about sooner, if a phase begins in which it is to.
func (r *registration) hasten(env *sim.Env, s *rowRun) {
	if r.waits && s.reminding {
		env.After(patience(env.Now(), r.asked, s.Retry, s.Deadline), tagRegistration)
	}
}

// remind asks the users that have not been heard.
func (r *registration) remind(env *sim.Env, s *rowRun) {
	if r.missing == 0 {
		return
	}
	if expired(env.Now(), r.asked, s.Deadline) {
		env.Fail(fmt.Errorf("no progress for %v of virtual time (the deadline): %s", s.Deadline,
			r.waiting(env.Self())))
		return
	}
	for k, report := range r.reports {
		if report == nil {
			env.Send(r.firstUser+k, KindRequest, 0, nil)
		}
	}
	env.After(patience(env.Now(), r.asked, backoff(s.Retry, maxBackoff), s.Deadline), tagRegistration)
}

func (r *registration) waiting(node int) string {
	return fmt.Sprintf("node %d waits for the reports of %s", node, plural.Of(r.missing, "user"))
}
