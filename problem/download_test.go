// Servers that never end, never begin, send elsewhere, or send something else.

package problem

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestDownload(t *testing.T) {
	good := []byte("1 2 3\n")
	sum := sha256.Sum256(good)
	mux := http.NewServeMux()
	handle := func(path string, f func(w http.ResponseWriter, r *http.Request)) { mux.HandleFunc(path, f) }
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(good) }))
	defer plain.Close()
	handle("/good", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(good) })
	handle("/other", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("1 2 4\n")) })
	handle("/once", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/good", http.StatusFound) })
	handle("/round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/round", http.StatusFound) })
	handle("/open", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, plain.URL, http.StatusFound) })
	handle("/missing", http.NotFound)
	handle("/declared", func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Length", "99999999") })
	handle("/endless", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			if _, err := w.Write(bytes.Repeat([]byte("1 2 3\n"), 1000)); err != nil {
				return
			}
		}
	})
	handle("/bomb", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write(make([]byte, 10<<20))
		_ = z.Close()
	})
	handle("/stalls", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(good[:3])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	handle("/silent", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := httptest.NewTLSServer(mux)
	defer server.Close()
	was := polite
	defer func() { polite = was }()
	polite = fetcher{server.Client().Transport, 1 << 20, 2 * time.Second, 5}
	for path, says := range map[string]string{
		"/good": "", "/once": "",
		"/other":    "the file there has SHA-256",
		"/round":    "redirects more than 5 times",
		"/open":     "which is not encrypted",
		"/missing":  "the server answered 404",
		"/declared": "more than 1048576 bytes",
		"/endless":  "more than 1048576 bytes",
		"/bomb":     "more than 1048576 bytes",
		"/stalls":   "nothing has come from the server for 2s",
		"/silent":   "nothing has come from the server for 2s",
	} {
		dir := t.TempDir()
		file := DataFile{Path: "set/file.txt", SHA256: hex.EncodeToString(sum[:]), URL: server.URL + path}
		b := &BuiltIn{Name: "test", Files: []DataFile{file}}
		begin := time.Now()
		err := b.Fetch(t.Context(), io.Discard, dir)
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", path, err)
		}
		if spent := time.Since(begin); spent > 20*time.Second {
			t.Errorf("%s: it took %v", path, spent)
		}
		var left []string
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
			if !d.IsDir() {
				left = append(left, filepath.Base(path))
			}
			return nil
		})
		if got := strings.Join(left, " "); says == "" && got != "file.txt" || says != "" && got != "" {
			t.Errorf("%s: the directory has %q", path, got)
		}
	}
	// Interrupted, it says so and not that the server is silent.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := polite.get(ctx, server.URL+"/good"); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}
