// The crew: workers that give signs of life. What it says is for users, and for
// how long to wait in the end; nothing depends on it.

package jetstream

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

const (
	silent  = 4 * time.Second  // a worker that is not heard for so long has gone
	goodbye = 10 * time.Second // to notice the end, at most
)

// crew is who was heard when.
type crew struct {
	mu    sync.Mutex
	heard map[string]time.Time
}

// meet begins to listen.
func meet(l *link, n names) (*crew, error) {
	c := &crew{heard: map[string]time.Time{}}
	_, err := l.nc.Subscribe(n.present(), func(m *nats.Msg) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if id, gone := strings.CutPrefix(string(m.Data), "-"); gone {
			delete(c.heard, id)
		} else {
			c.heard[id] = time.Now()
		}
	})
	return c, err
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
