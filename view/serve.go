// The page from a server on this machine, with what attacks have come to while they are carried out.

package view

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"overhear/evaluation"
)

// Server offers the page of a document on this machine, at an address that nobody else can guess.
type Server struct {
	listener net.Listener
	token    string

	mu       sync.Mutex
	document *Document
	page     []byte // of the document as it was, or as it is; nil: it is to be written
	attacks  soFar
}

// soFar is what the attacks have come to, as a live page asks for it.
type soFar struct {
	Version int       `json:"version"` // rises as Runs change
	Done    int       `json:"done"`    // so often the attacks on a run were carried out
	Most    int       `json:"most"`    // and may be
	Over    bool      `json:"over"`    // nothing will follow
	Runs    []*Attack `json:"runs"`    // null: the page has them; of a run null: nothing new
}

// often is how far apart what is new of attacks is made known, at least: it takes time to make and to show.
const often = time.Second

// NewServer offers a document's page on a port of 127.0.0.1 that the system chooses. Attacks that are still to be
// carried out the page asks for.
func NewServer(d *Document) (*Server, error) {
	d.Live = slices.ContainsFunc(d.advancing, func(a *evaluation.Advancing) bool { return a != nil })
	s := &Server{token: rand.Text(), document: d}
	s.attacks.Runs = make([]*Attack, len(d.Runs))
	if err := s.write(); err != nil {
		return nil, err
	}
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("offering a page on this machine: %w", err)
	}
	return s, nil
}

// write writes the page, unless that was done since the document has changed.
func (s *Server) write() error {
	if s.page != nil {
		return nil
	}
	var page bytes.Buffer
	if err := s.document.Write(&page); err != nil {
		return err
	}
	s.page = page.Bytes()
	return nil
}

// Size is how many bytes the page has now.
func (s *Server) Size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.page)
}

// Carry is [Document.Carry] while the page is offered.
func (s *Server) Carry(ctx context.Context, told func(done, most int)) error {
	var last time.Time
	err := s.document.carry(ctx, func(run, done, most int) {
		told(done, most)
		var news *Attack
		// Before they were carried out with no packet and with all there is nothing to be seen over time.
		if done >= 2 && time.Since(last) >= often {
			news, last = attackOf(s.document.advancing[run].Result()), time.Now()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.attacks.Done, s.attacks.Most = done, most
		if news != nil {
			s.attacks.Runs[run] = news
			s.attacks.Version++
		}
	})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.document.enter()
	s.document.Live, s.page = false, nil
	for k, r := range s.document.Runs {
		s.attacks.Runs[k] = r.Attack
	}
	s.attacks.Over = true
	s.attacks.Version++
	return nil
}

// Address is where the page is.
func (s *Server) Address() string { return fmt.Sprintf("http://%s/%s/", s.listener.Addr(), s.token) }

// Serve offers the page until the context ends.
func (s *Server) Serve(ctx context.Context) error {
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, WriteTimeout: time.Minute,
		IdleTimeout: time.Minute, MaxHeaderBytes: 1 << 14}
	stopped := context.AfterFunc(ctx, func() { server.Close() })
	defer stopped()
	if err := server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("offering a page on this machine: %w", err)
	}
	return nil
}

// ServeHTTP answers with the page whoever asks this address by its number, with the token, and not from another page.
// A name that leads here may be another's, whose page would then count as of the same origin.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", Policy(true)+"; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	own := s.listener.Addr().String()
	given, file, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	known := file == "" || file == "attacks"
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case r.Host != own, origin != "" && origin != "http://"+own, site == "cross-site", site == "same-site":
		http.Error(w, "this page is for this machine alone", http.StatusForbidden)
	case subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1, !known, r.URL.Path != "/"+s.token+"/"+file:
		http.Error(w, "the address lacks the token that simulate view printed", http.StatusNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this page can only be read", http.StatusMethodNotAllowed)
	case file == "attacks":
		h.Set("Content-Type", "application/json")
		have, _ := strconv.Atoi(r.URL.Query().Get("have")) // a page that says nothing has none
		_ = json.NewEncoder(w).Encode(s.since(have))       // who has gone needs nothing
	default:
		s.mu.Lock()
		err := s.write()
		page := s.page
		s.mu.Unlock()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(page))
	}
}

// since is what the attacks have come to, for a page that has a version of it.
func (s *Server) since(have int) soFar {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.attacks
	if out.Runs = slices.Clone(out.Runs); have == out.Version {
		out.Runs = nil
	}
	return out
}
