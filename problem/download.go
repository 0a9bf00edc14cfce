// Downloads: from servers that may be slow, away, or not what they were.

//go:build !page

package problem

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// fetcher bounds what a download may take.
type fetcher struct {
	transport http.RoundTripper
	bytes     int64         // at most, unpacked
	silence   time.Duration // at most, without a byte
	redirects int           // at most
}

// polite is for the built-in sets, of which the largest file has 4 MB.
var polite = fetcher{http.DefaultTransport, 64 << 20, time.Minute, 5}

// get asks for a file. The reader fails where a bound is reached.
func (f fetcher) get(ctx context.Context, url string) (io.ReadCloser, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	b := &bounded{left: f.bytes, bounds: f, ctx: ctx, cancel: cancel}
	b.timer = time.AfterFunc(f.silence, func() {
		cancel(fmt.Errorf("nothing has come from the server for %v", f.silence))
	})
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		b.Close()
		return nil, err
	}
	client := http.Client{Transport: f.transport, CheckRedirect: func(to *http.Request, via []*http.Request) error {
		switch {
		case len(via) > f.redirects:
			return fmt.Errorf("the server redirects more than %d times", f.redirects)
		case via[0].URL.Scheme == "https" && to.URL.Scheme != "https":
			return fmt.Errorf("the server redirects to %s, which is not encrypted", to.URL.Redacted())
		}
		return nil
	}}
	response, err := client.Do(request)
	if err != nil {
		err = b.cause(err)
		b.Close()
		return nil, err
	}
	b.body = response.Body
	switch {
	case response.StatusCode != http.StatusOK:
		err = fmt.Errorf("the server answered %s", response.Status)
	case response.ContentLength > f.bytes:
		err = b.tooLong()
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// bounded is the body of an answer.
type bounded struct {
	body   io.ReadCloser
	left   int64
	bounds fetcher
	timer  *time.Timer
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Read reads, and begins to wait anew.
func (b *bounded) Read(to []byte) (int, error) {
	n, err := b.body.Read(to)
	b.timer.Reset(b.bounds.silence)
	if b.left -= int64(n); b.left < 0 {
		return 0, b.tooLong()
	}
	if err != nil { // a connection that is given up may end like one that is finished
		err = b.cause(err)
	}
	return n, err
}

func (b *bounded) tooLong() error {
	return fmt.Errorf("the file there has more than %d bytes, which is not the published one", b.bounds.bytes)
}

// cause is why a request was given up, if it was.
func (b *bounded) cause(err error) error {
	if b.ctx.Err() != nil {
		return context.Cause(b.ctx)
	}
	return err
}

// Close ends the request.
func (b *bounded) Close() error {
	b.timer.Stop()
	b.cancel(nil)
	if b.body == nil {
		return nil
	}
	return b.body.Close()
}
