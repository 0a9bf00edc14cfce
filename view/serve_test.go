// Who gets the page from the server, and who does not.

package view

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"overhear/record"
)

// served offers a document until the test ends.
func served(t *testing.T, d *Document) *Server {
	t.Helper()
	s, _ := serving(t, d)
	return s
}

// serving offers a document until the test ends, or before by the function.
func serving(t *testing.T, d *Document) (*Server, func()) {
	t.Helper()
	s, err := NewServer(d)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- s.Serve(ctx) }()
	end := sync.OnceFunc(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(end)
	return s, end
}

func TestServer_AnswersThisMachineAlone(t *testing.T) {
	s := served(t, &Document{Runs: []*Run{{Name: "r", Seed: "1"}}})
	if !strings.HasPrefix(s.Address(), "http://127.0.0.1:") {
		t.Errorf("it listens at %s", s.Address())
	}
	if other := served(t, &Document{}); other.token == s.token || len(s.token) < 20 {
		t.Errorf("tokens %q, %q", s.token, other.token)
	}
	own := "http://" + s.listener.Addr().String()
	for name, c := range map[string]struct {
		path, host, method string
		header             [2]string
		code               int
	}{
		"the address":                  {code: 200},
		"its own origin":               {header: [2]string{"Origin", own}, code: 200},
		"a HEAD":                       {method: "HEAD", code: 200},
		"no token":                     {path: "/", code: 404},
		"another token":                {path: "/" + strings.Repeat("A", len(s.token)) + "/", code: 404},
		"a part of the token":          {path: "/" + s.token[:5] + "/", code: 404},
		"more than the token":          {path: "/" + s.token + "/x", code: 404},
		"more than a file":             {path: "/" + s.token + "/attacks/x", code: 404},
		"attacks without the token":    {path: "/attacks", code: 404},
		"a name that leads here":       {host: "evil.example", code: 403},
		"localhost":                    {host: "localhost", code: 403},
		"another origin":               {header: [2]string{"Origin", "http://evil.example"}, code: 403},
		"no origin, of a sandbox":      {header: [2]string{"Origin", "null"}, code: 403},
		"another site's page":          {header: [2]string{"Sec-Fetch-Site", "cross-site"}, code: 403},
		"another port of this machine": {header: [2]string{"Sec-Fetch-Site", "same-site"}, code: 403},
		"a POST":                       {method: "POST", code: 405},
	} {
		address := s.Address()
		if c.path != "" {
			address = own + c.path
		}
		r, err := http.NewRequest(c.method, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.host != "" {
			r.Host = c.host
		}
		if c.header[0] != "" {
			r.Header.Set(c.header[0], c.header[1])
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != c.code || (c.code == 200) != strings.Contains(string(body), "<!DOCTYPE") &&
			c.method != "HEAD" {
			t.Errorf("%s: %s, %.60q", name, response.Status, body)
		}
		h := response.Header
		if !strings.Contains(h.Get("Content-Security-Policy"), "default-src 'none'") ||
			!strings.Contains(h.Get("Content-Security-Policy"), "frame-ancestors 'none'") ||
			h.Get("Access-Control-Allow-Origin") != "" || h.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", name, h)
		}
	}
}

// What the attacks on each of two runs have come to is said of that run, and the page that is asked for anew has it.
func TestServer_TellsAttacksOfTwoRunsApart(t *testing.T) {
	const victims = "adversary.knows.victim=%d"
	d, err := Build(t.Context(), []*record.Run{recorded(t, hospitals, 1, fmt.Sprintf(victims, 1)),
		recorded(t, hospitals, 1, fmt.Sprintf(victims, 3))}, Options{Points: 8})
	if err != nil {
		t.Fatal(err)
	}
	s := served(t, d)
	said := map[int]int{}
	apart := func() {
		t.Helper()
		for k, a := range s.since(-1).Runs {
			if a == nil {
				continue
			}
			if said[k]++; a.Victims[0] != []int{1, 3}[k] || len(a.Points) < 2 {
				t.Errorf("of run %d: victims %d, points %d", k+1, a.Victims, a.Points)
			}
		}
	}
	err = s.Carry(t.Context(), func(done, _ int) {
		if apart(); done == 2 {
			time.Sleep(often)
		}
	})
	if apart(); err != nil || said[0] < 3 || said[1] < 3 {
		t.Errorf("%v; so often it was said of each run: %v", err, said)
	}
	if now := s.since(0); !now.Over || s.since(now.Version).Runs != nil {
		t.Errorf("in the end: %+v", now)
	}
}
