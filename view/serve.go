// The page from a server on this machine.

package view

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// Server offers one page on this machine, at an address that nobody else can guess.
type Server struct {
	listener net.Listener
	token    string
	page     []byte
}

// NewServer offers a page on a port of 127.0.0.1 that the system chooses.
func NewServer(page []byte) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("offering a page on this machine: %w", err)
	}
	return &Server{listener: l, token: rand.Text(), page: page}, nil
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
	h.Set("Content-Security-Policy", Policy+"; frame-ancestors 'none'")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	own := s.listener.Addr().String()
	given, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	origin := r.Header.Get("Origin")
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case r.Host != own, origin != "" && origin != "http://"+own, site == "cross-site", site == "same-site":
		http.Error(w, "this page is for this machine alone", http.StatusForbidden)
	case subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) != 1, r.URL.Path != "/"+s.token+"/":
		http.Error(w, "the address lacks the token that simulate view printed", http.StatusNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "this page can only be read", http.StatusMethodNotAllowed)
	default:
		h.Set("Content-Type", "text/html; charset=utf-8")
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(s.page))
	}
}
