// Attacks by somebody who has the workers' secret: what he may not do, the server
// refuses; what he may say, is believed only as far as it is found to be true.

package jetstream

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

// log keeps what is said.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, text)
}

func (l *log) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

func (l *log) has(text string) bool { return strings.Contains(l.text(), text) }

// within waits for something, for a few seconds.
func within(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("it does not come: %s", what)
}

// What a worker's secret does not allow, the server refuses, and a request does
// not have the server do it by giving that as the address of the answer.
func TestRights(t *testing.T) {
	o := options(t)
	o.Token = "secret"
	c := opened(t, plan(t, sweep.Options{Seeds: 3}), o)
	if err := c.fill(t.Context(), newBoard(sweep.Work{Plan: c.plan, Todo: []int{0, 1, 2}}, 1)); err != nil {
		t.Fatal(err)
	}
	w := hand(t, c)
	n := c.names
	streams := []string{n.planStream(), n.taskStream(), n.resultStream()}
	state := func() string {
		var all []string
		for _, name := range streams {
			s, err := c.link.js.Stream(t.Context(), name)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(">"))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprint(name, info.State.Subjects, info.Config, info.State.Consumers))
		}
		return strings.Join(all, "\n")
	}
	before := state()
	var forbidden []string
	for _, api := range []string{serverDoors, doors, "$JS.COORDINATOR.API"} {
		for _, name := range streams {
			for _, what := range []string{"STREAM.DELETE.", "STREAM.PURGE.", "STREAM.MSG.DELETE.", "STREAM.UPDATE.",
				"STREAM.CREATE.", "STREAM.SNAPSHOT."} {
				forbidden = append(forbidden, api+"."+what+name)
			}
		}
		for _, one := range []string{"STREAM.CREATE.OTHER", "STREAM.MSG.GET." + n.taskStream(), "INFO",
			"CONSUMER.DELETE." + n.taskStream() + "." + workers, "CONSUMER.DURABLE.CREATE." + n.taskStream() + ".x",
			"CONSUMER.CREATE." + n.resultStream() + ".x", "CONSUMER.MSG.NEXT." + n.taskStream() + "." + returns} {
			forbidden = append(forbidden, api+"."+one)
		}
	}
	forbidden = append(forbidden, n.end(), n.plan(), n.task(task{0, 0, 7}), n.task(task{99, 99, 0}),
		"$SYS.REQ.SERVER.PING", "_INBOX.x", "$JS.ACK."+n.resultStream()+".x.1.1.1.1.1",
		namesOf(strings.Repeat("0", 64)).result(1))
	var refused atomic.Int64
	w.nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			refused.Add(1)
		}
	})
	for _, subject := range forbidden {
		if err := w.nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, subject := range []string{">", "_INBOX.>", n.prefix() + ">", "_INBOX.*.x"} {
		if _, err := w.nc.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		forbidden = append(forbidden, subject)
	}
	within(t, "every refusal", func() bool { return refused.Load() == int64(len(forbidden)) })
	// The answers of what is allowed, sent to where nobody is allowed to write.
	for _, to := range forbidden {
		for _, request := range []string{n.present(), doors + ".CONSUMER.MSG.NEXT." + n.taskStream() + "." + workers,
			doors + ".STREAM.MSG.GET." + n.planStream()} {
			if strings.ContainsAny(to, ">*") {
				continue
			}
			body := []byte(nil)
			if strings.Contains(request, "MSG.GET") {
				body = []byte(`{"last_by_subj":"` + n.plan() + `"}`)
			}
			if err := w.nc.PublishRequest(request, to, body); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.nc.Flush(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond) // what happens then happens without an answer
	if after := state(); after != before {
		t.Errorf("a worker changed\n%s\ninto\n%s", before, after)
	}
	// A client that says nothing of itself would share an inbox with others.
	if nc, err := nats.Connect(c.address(), nats.Token("secret")); err == nil {
		nc.Close()
		t.Error("a client without an inbox of its own was let in")
	}
}

// attacker publishes whatever it likes on a subject, until it is there.
func (w *worker) attack(t *testing.T, m *nats.Msg) {
	t.Helper()
	if err := w.replace(t.Context(), w.names.resultStream(), m); err != nil {
		t.Fatal(err)
	}
}

// Garbage of all kinds is dropped and counted, and the sweep is the same; also
// when it was there before the coordinator began, and when it begins again.
func TestGarbage(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 12})
	want := alone(t, p)
	o := options(t)
	var said log
	o.Token, o.Log = "secret", said.add
	c := opened(t, p, o)
	older := opened(t, plan(t, sweep.Options{Seeds: 11}), options(t)) // same runs, another plan and key
	evil := hand(t, c)
	one, _, failure := results(t, p, 1)
	n := c.names
	good := func(index int, subject string, data []byte, a assignment) *nats.Msg {
		return a.state(evil.own, p.Hash, subject, data)
	}
	forged := good(6, n.result(6), one, whole(c))
	forged.Header.Set(workerHeader, nameOf(newKey().Public().(ed25519.PublicKey)))
	moved := good(7, n.result(7), one, whole(c))
	moved.Subject = n.result(8)
	garbage := []*nats.Msg{
		{Subject: n.result(0), Data: []byte("hello")},
		{Subject: n.result(1), Data: one}, // right, and of nobody
		{Subject: n.result(2)},
		{Subject: n.result(99), Data: one},
		{Subject: n.prefix() + "result.x", Data: one},
		{Subject: n.prefix() + "result.+1", Data: one},
		{Subject: n.prefix() + "conflict.1.x", Data: one},
		{Subject: n.result(3), Data: bytes.Repeat([]byte("A"), 8<<20)},
		good(4, n.result(4), []byte("+\xff\xff\xff\xff{"), whole(c)),
		good(5, n.result(5), one, whole(c)), // of another run
		forged, moved,
		good(9, n.result(9), failure, ticketed(c, task{0, 3, 0})),                         // not of its task
		good(10, n.result(10), one, assignment{task{10, 10, 0}, ""}),                      // handed out by nobody
		good(10, n.result(10), one, assignment{task{10, 10, 0}, c.ticket(task{1, 1, 0})}), // with another's ticket
		whole(older).state(evil.own, older.plan.Hash, n.result(11), one),                  // a replay of an older plan
	}
	if err := evil.replace(t.Context(), n.taskStream(), &nats.Msg{Subject: n.back(task{0, 99, 0})}); err != nil {
		t.Fatal(err)
	}
	if err := evil.replace(t.Context(), n.taskStream(), &nats.Msg{Subject: n.prefix() + "back.x.y.z"}); err != nil {
		t.Fatal(err)
	}
	if err := evil.nc.Publish(n.present(), bytes.Repeat([]byte("A"), 1<<20)); err != nil {
		t.Fatal(err)
	}
	for _, m := range garbage {
		evil.attack(t, m)
	}
	dir := t.TempDir()
	made := start(t, c, dir)
	within(t, "the garbage to be dropped", func() bool {
		info, err := c.results.Info(t.Context(), jetstream.WithSubjectFilter(">"))
		return err == nil && info.State.Msgs == 0
	})
	for _, m := range garbage { // again, while it runs
		evil.attack(t, m)
	}
	within(t, "the garbage to be dropped", func() bool {
		info, err := c.results.Info(t.Context())
		return err == nil && info.State.Msgs == 0
	})
	if err := evil.nc.PublishMsg(&nats.Msg{Subject: n.result(0), Data: bytes.Repeat([]byte("A"),
		maxMessage+1)}); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("a message that is too long: %v", err)
	}
	for _, text := range []string{"messages that no worker signed", "messages on subjects of no run of the plan",
		"messages for tasks that this coordinator did not hand out", "results of runs that are not of their task",
		"messages whose signature is not of the worker that they name", "that are no results",
		"signs of life that no worker signed", "messages on a subject that is none of this sweep's"} {
		if !said.has(text) {
			t.Errorf("not said: %s\n%s", text, said.text())
		}
	}
	select {
	case err := <-made:
		t.Fatalf("the coordinator stopped: %v", err)
	default:
	}
	// It is killed, the garbage comes once more, and it begins again.
	for _, m := range garbage {
		evil.attack(t, m)
	}
	c.Close()
	if err := <-made; err == nil {
		t.Fatal("it is not killed")
	}
	again := coordinator(t, p, o)
	made = start(t, again, dir)
	if err := Work(t.Context(), WorkerOptions{Server: again.address(), Access: o.Access, Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	sameTables(t, want, dir)
	if !said.has("dropped: ") {
		t.Errorf("not counted in the end:\n%s", said.text())
	}
}

// Who computes something else is found out by a check, and named; everything it
// gave is computed again.
func TestLiar(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 40})
	want := alone(t, p)
	o := options(t)
	var said log
	o.Log, o.Check, o.batch = said.add, 1, 1
	c := coordinator(t, p, o)
	dir := t.TempDir()
	made := start(t, c, dir)
	// It gives right results first, and lies then.
	liar := hand(t, c)
	name := nameOf(liar.own.Public().(ed25519.PublicKey))
	for k := 0; k < 8; {
		m, err := liar.fetch()
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			continue
		}
		of, err := c.names.parseTask(m.Subject())
		if err != nil {
			t.Fatal(err)
		}
		one, other, _ := results(t, p, of.first)
		if k >= 5 {
			one = other
		}
		a := assignment{of, m.Headers().Get(ticketHeader)}
		if err := liar.storeOnce(t.Context(), a, of.first, one); err != nil {
			t.Fatal(err)
		}
		if err := m.DoubleAck(t.Context()); err != nil {
			t.Fatal(err)
		}
		k++
	}
	within(t, "the verdict", func() bool { return said.has("worker "+short(name)) && said.has("gave a false result") })
	// What it says after that does not count, and a process that listens is told to go.
	w := &worker{link: liar.link, names: c.names, plan: p, key: c.public(), own: liar.own, host: "there"}
	w.soft, w.stop = liar.soft, liar.stop
	ended := make(chan error, 1)
	w.drop = func(err error) {
		select {
		case ended <- err:
		default:
		}
	}
	w.planned, _ = w.stream(t.Context(), c.names.planStream())
	watching, halt := contextOf(t)
	go w.watch(watching)
	select {
	case err := <-ended:
		if !strings.Contains(err.Error(), "does not take results of this worker") {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the liar is not told to leave")
	}
	halt()
	if err := Work(t.Context(), WorkerOptions{Server: c.address(), Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	sameTables(t, want, dir)
	if !said.has("1 workers gave false ones") {
		t.Errorf("not in the report:\n%s", said.text())
	}
}

// A sweep that is checked reads the same when nobody lies, and nobody is blamed.
func TestHonest(t *testing.T) {
	p := plan(t, sweep.Options{Grid: []string{"network.topology.nodes=4,200"}, Seeds: 10}) // half of them fail
	o := options(t)
	var said log
	o.Check, o.Log = 1, said.add
	c := coordinator(t, p, o)
	dir := t.TempDir()
	made := start(t, c, dir)
	if err := Work(t.Context(), WorkerOptions{Server: c.address(), Workers: 2}); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	sameTables(t, alone(t, p), dir)
	if said.has("false") || said.has("dropped") || c.court.checked != 10 {
		t.Errorf("%d were checked\n%s", c.court.checked, said.text())
	}
}

// A worker drops tasks that its coordinator did not hand out, on a server where
// anybody may write them, and computes the others; an end that is not the
// coordinator's does not end it.
func TestForgedTasks(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 12})
	o := options(t)
	o.Server = broker(t, nil)
	c := coordinator(t, p, o)
	if err := c.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	stranger := hand(t, c)
	for _, subject := range []string{c.names.task(task{0, 99, 0}), c.names.task(task{12, 12, 0}),
		c.names.task(task{3, 3, 9}), c.names.prefix() + "task.hello", c.names.prefix() + "task.5.1.0",
		c.names.prefix() + "task.-1.2.0"} {
		if err := stranger.replace(t.Context(), c.names.taskStream(), &nats.Msg{Subject: subject}); err != nil {
			t.Fatal(err)
		}
	}
	var said log
	ended := make(chan error, 1)
	joined := make(chan bool)
	go func() {
		ended <- Work(t.Context(), WorkerOptions{Server: o.Server, Log: said.add,
			Joined: func(*sweep.Plan) { close(joined) }})
	}()
	<-joined
	within(t, "a warning", func() bool { return said.has("no task of this sweep's coordinator") })
	for _, end := range []string{"", "go home"} {
		m := &nats.Msg{Subject: c.names.end(), Data: []byte(end)}
		if err := stranger.replace(t.Context(), c.names.planStream(), m); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			t.Fatalf("a stranger ended the worker: %v", err)
		case <-time.After(1500 * time.Millisecond):
		}
	}
	dir := t.TempDir()
	if _, err := makeWith(t, c, dir, sweep.Settings{}); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	sameTables(t, alone(t, p), dir)
}

// Streams that somebody deletes are said, by the coordinator and by workers, with
// what to do; and the same command makes the sweep.
func TestLostStreams(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 5})
	for k := range 3 {
		o := options(t)
		o.Server = broker(t, func(*server.Options) {})
		c := coordinator(t, p, o)
		dir := t.TempDir()
		made := start(t, c, dir)
		time.Sleep(100 * time.Millisecond)
		name := []string{c.names.planStream(), c.names.taskStream(), c.names.resultStream()}[k]
		if err := c.link.js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-made:
			if err == nil || !strings.Contains(err.Error(), "a stream of the sweep is gone from the server") ||
				!strings.Contains(err.Error(), "the same command makes the streams anew") {
				t.Errorf("%s: %v", name, err)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: it is not noticed", name)
		}
		o.Workers = 1
		if _, err := makeWith(t, coordinator(t, p, o), dir, sweep.Settings{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		sameTables(t, alone(t, p), dir)
	}
}

// The rights that docs/security.md gives for a server of someone else are enough for workers, and no more than that.
func TestDocumentedRights(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, config, _ := strings.Cut(string(page), "```text\n")
	config, _, ok := strings.Cut(config, "```")
	if !ok {
		t.Fatal("the page has no configuration")
	}
	path := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	o := options(t)
	o.Server = broker(t, func(b *server.Options) { b.Accounts, b.Users = parsed.Accounts, parsed.Users })
	o.Token = "coordinator:change me"
	p := plan(t, sweep.Options{Seeds: 10})
	c := coordinator(t, p, o)
	dir := t.TempDir()
	made := start(t, c, dir)
	worker := Access{Token: "worker:change me too"}
	l, err := connect(t.Context(), o.Server, worker, nil, logTo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for _, subject := range []string{c.names.end(), c.names.plan(), c.names.task(task{0, 0, 5}),
		"$JS.API.STREAM.DELETE." + c.names.resultStream(), "$JS.API.STREAM.PURGE." + c.names.taskStream()} {
		if _, err := l.nc.Request(subject, nil, 200*time.Millisecond); err == nil {
			t.Errorf("a worker may publish %s", subject)
		}
	}
	if err := Work(t.Context(), WorkerOptions{Server: o.Server, Access: worker}); err != nil {
		t.Fatal(err)
	}
	if err := <-made; err != nil {
		t.Fatal(err)
	}
	sameTables(t, alone(t, p), dir)
}
