// The crew: workers that give signs of life. What it says is for users, and for
// how long to wait in the end; nothing depends on it.

package jetstream

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	silent  = 4 * time.Second  // a worker that is not heard for so long has gone
	goodbye = 10 * time.Second // to notice the end, at most
)

// mostHeard bounds who is remembered, and longestPresence what they say of
// themselves: whoever may join may say anything any number of times.
const (
	mostHeard       = 10_000
	longestPresence = 128
)

// crew is who was heard when.
type crew struct {
	coordinator *Coordinator

	mu      sync.Mutex
	heard   map[string]time.Time // by worker
	hosts   map[string]string
	refused map[string]string // why a worker is to leave
}

// meet begins to listen.
func meet(c *Coordinator) (*crew, error) {
	w := &crew{coordinator: c, heard: map[string]time.Time{}, hosts: map[string]string{}, refused: map[string]string{}}
	_, err := c.link.nc.Subscribe(c.names.present(), w.hear)
	return w, err
}

// presence is the message by which a worker says that it is there, on a host, or
// that it leaves.
func presence(k ed25519.PrivateKey, n names, plan, host string, leaves bool) *nats.Msg {
	word := "+"
	if leaves {
		word = "-"
	}
	m := &nats.Msg{Subject: n.present(), Data: []byte(word + host[:min(len(host), longestPresence-1)]),
		Header: nats.Header{}}
	m.Header.Set(workerHeader, nameOf(k.Public().(ed25519.PublicKey)))
	m.Header.Set(signatureHeader, certify(k, plan, m.Subject, m.Data))
	return m
}

func (c *crew) hear(m *nats.Msg) {
	worker, plan := m.Header.Get(workerHeader), c.coordinator.plan.Hash
	k, ok := keyOf(worker)
	if !ok || len(m.Data) == 0 || len(m.Data) > longestPresence ||
		!certified(k, plan, m.Subject, m.Header.Get(signatureHeader), m.Data) {
		c.coordinator.rejected("signs of life that no worker signed")
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.Data[0] == '-' {
		delete(c.heard, worker)
		return
	}
	if _, known := c.heard[worker]; !known && len(c.heard) >= mostHeard {
		for other, at := range c.heard {
			if time.Since(at) > silent {
				delete(c.heard, other)
				delete(c.hosts, other)
			}
		}
		if len(c.heard) >= mostHeard {
			return
		}
	}
	c.heard[worker], c.hosts[worker] = time.Now(), string(m.Data[1:])
	if why, is := c.refused[worker]; is && m.Reply != "" {
		answer := &nats.Msg{Subject: m.Reply, Data: []byte(why), Header: nats.Header{}}
		answer.Header.Set(signatureHeader, certify(c.coordinator.key, plan, worker, answer.Data))
		_ = c.coordinator.link.nc.PublishMsg(answer) // the worker is heard again
	}
}

// refuse asks a worker to leave, when it is heard the next time.
func (c *crew) refuse(worker, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused[worker] = why
}

// where is where a worker says that it is, to be put after its name.
func (c *crew) where(worker string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if host := c.hosts[worker]; host != "" {
		return fmt.Sprintf("(on %q, as it says) ", host)
	}
	return ""
}

func (c *crew) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for _, at := range c.heard {
		if time.Since(at) < silent {
			n++
		}
	}
	return n
}

// dismiss waits until everyone has gone. Workers that an earlier process left
// behind get some time to come back first.
func (c *crew) dismiss(ctx context.Context, resumed bool, opened time.Time) {
	t := time.NewTicker(50 * time.Millisecond)
	defer t.Stop()
	for begin := time.Now(); time.Since(begin) < goodbye && (c.count() > 0 || resumed && time.Since(opened) < silent); {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
	}
}
