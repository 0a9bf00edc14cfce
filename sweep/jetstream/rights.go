// Who may do what on the server that a coordinator brings.
//
// It has two accounts. The coordinator's has the streams; its secret never
// leaves the process. The workers' has nothing but doors into the other: ask for
// the next task, acknowledge it, read plan and results, say a result. An answer
// that passes a door comes back into the workers' account, whatever address a
// request gives for it; so nobody can have the server itself write where he may
// not. Behind the doors a connection may use just the subjects that workers need.

package jetstream

import (
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	serverName  = "overhear-coordinator" // by which workers know that there are doors
	doors       = "OVERHEAR.API"         // what they begin with, where the server's own API begins with $JS.API
	serverDoors = "$JS.API"
)

// inbox is where answers to a connection come. Its name is random, and nobody
// else is let in there.
func inbox(name string) string { return "_INBOX." + name }

// guard lets clients in.
type guard struct {
	boss  string // the coordinator's secret
	token string // the workers'

	ready                chan struct{} // closed when the accounts are made
	coordinator, workers *server.Account
	mayPublish           []string
}

var _ server.Authentication = (*guard)(nil)

func newGuard(token string) *guard {
	return &guard{boss: rand.Text() + rand.Text(), token: token, ready: make(chan struct{})}
}

// Check lets a client in, with the rights of its secret.
func (g *guard) Check(c server.ClientAuthentication) bool {
	<-g.ready
	o := c.GetOpts()
	given := o.Token
	if o.Username != "" {
		given = o.Username + ":" + o.Password
	}
	same := func(secret string) bool { return subtle.ConstantTimeCompare([]byte(given), []byte(secret)) == 1 }
	switch {
	case same(g.boss):
		c.RegisterUser(&server.User{Username: "coordinator", Account: g.coordinator})
	case strings.ContainsAny(o.Name, ".*> \t\r\n") || o.Name == "":
		return false
	case g.token == "" || same(g.token):
		c.RegisterUser(&server.User{Username: "worker", Account: g.workers, Permissions: &server.Permissions{
			Publish:   &server.SubjectPermission{Allow: g.mayPublish},
			Subscribe: &server.SubjectPermission{Allow: []string{inbox(o.Name) + ".>"}},
		}})
	default:
		return false
	}
	return true
}

// open makes the accounts' streams and doors; until then nobody is let in.
func (g *guard) open(s *server.Server, n names) error {
	var err error
	if g.coordinator, err = s.LookupAccount("COORDINATOR"); err == nil {
		g.workers, err = s.LookupAccount("WORKERS")
	}
	if err == nil {
		err = g.coordinator.EnableJetStream(nil, nil)
	}
	if err != nil {
		return fmt.Errorf("starting the server: %w", err)
	}
	door := func(inside, outside string, kind server.ServiceRespType) {
		if err == nil {
			err = g.coordinator.AddServiceExportWithResponse(inside, kind, []*server.Account{g.workers})
		}
		if err == nil {
			err = g.workers.AddServiceImport(g.coordinator, outside, inside)
		}
		g.mayPublish = append(g.mayPublish, outside)
	}
	for _, request := range []string{"STREAM.NAMES", "STREAM.INFO." + n.planStream(),
		"STREAM.INFO." + n.resultStream(), "STREAM.MSG.GET." + n.planStream(), "STREAM.MSG.GET." + n.resultStream(),
		"CONSUMER.INFO." + n.taskStream() + "." + workers} {
		door(serverDoors+"."+request, doors+"."+request, server.Singleton)
	}
	next := ".CONSUMER.MSG.NEXT." + n.taskStream() + "." + workers
	door(serverDoors+next, doors+next, server.Streamed)
	for _, subject := range []string{"$JS.ACK." + n.taskStream() + "." + workers + ".>", n.prefix() + "result.*",
		n.prefix() + "conflict.*.*", n.prefix() + "back.*.*.*", n.present()} {
		door(subject, subject, server.Singleton)
	}
	if err != nil {
		return fmt.Errorf("starting the server: opening it to workers: %w", err)
	}
	close(g.ready)
	return nil
}
