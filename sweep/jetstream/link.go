// The connection to a server: it comes back by itself, and every request on it
// has its own time.

package jetstream

import (
	"context"
	crand "crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	attempt     = 10 * time.Second // for one request
	firstPause  = 50 * time.Millisecond
	longestWait = 2 * time.Second // between attempts
	patience    = 10 * time.Second
)

// link is a connection.
type link struct {
	nc  *nats.Conn
	js  jetstream.JetStream
	log func(string)

	// done is done when the connection is closed for good; its cause says why.
	done context.Context

	// life ends when the connection is lost: answers to what was asked before
	// do not come any more.
	life atomic.Pointer[life]
}

// life is the time of one connection to a server.
type life struct {
	context.Context
	end context.CancelFunc
}

// revive begins a life and ends the one before.
func (l *link) revive() {
	ctx, cancel := context.WithCancel(context.Background())
	if was := l.life.Swap(&life{ctx, cancel}); was != nil {
		was.end()
	}
}

// once is a context for one request.
func (l *link) once(ctx context.Context, d time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithTimeout(ctx, d)
	halt := context.AfterFunc(l.life.Load(), cancel)
	return ctx, func() {
		halt()
		cancel()
	}
}

// connect waits for a server; one that is not there may come later. inside is
// a server of this process, or nil.
func connect(ctx context.Context, address string, a Access, inside *server.Server, log func(string)) (*link, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	l, name := &link{log: log}, crand.Text()
	done, closed := context.WithCancelCause(context.Background())
	l.done = done
	l.revive()
	o := append(a.client(),
		nats.Name(name), nats.CustomInboxPrefix(inbox(name)),
		nats.Timeout(attempt),
		nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(backOff),
		// What cannot be sent now is not sent later behind our back.
		nats.ReconnectBufSize(-1),
		nats.PingInterval(10*time.Second),
		nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			l.revive()
			if err != nil {
				log(fmt.Sprintf("lost the server (%v); trying to reach it again", err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log("reached the server again") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log(err.Error()) }),
		nats.ClosedHandler(func(nc *nats.Conn) { closed(refusal(nc.LastError())) }),
	)
	if inside != nil {
		o = append(o, nats.InProcessServer(inside))
	}
	hungUp, said := 0, time.Now()
	for k := 0; l.nc == nil; k++ {
		nc, err := nats.Connect(address, o...)
		switch {
		case err == nil:
			l.nc = nc
			continue
		case errors.Is(err, nats.ErrTLS):
			hungUp++ // a server that looks at our certificate last may do only that
		}
		if why := refusal(err); why != err || hungUp > 3 {
			if why == err {
				why = insecure(err)
			}
			return nil, fmt.Errorf("connecting to %s: %w", address, why)
		}
		if time.Since(said) > patience || k == 0 {
			said = time.Now()
			log(fmt.Sprintf("no server at %s yet (%v); trying on", address, err))
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(backOff(k)):
		}
	}
	var err error
	if inside == nil && l.nc.ConnectedServerName() == serverName {
		l.js, err = jetstream.NewWithAPIPrefix(l.nc, doors)
	} else {
		l.js, err = jetstream.New(l.nc)
	}
	if err != nil {
		l.nc.Close()
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	return l, nil
}

// refusal says what to do about a server that does not let us in.
func refusal(err error) error {
	switch {
	case err == nil:
		return errors.New("the connection was closed")
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err,
		nats.ErrAuthRevoked):
		return fmt.Errorf("the server refuses the token, or asks for one (%w); give the coordinator's with "+
			"--token-file or OVERHEAR_TOKEN", err)
	case hopeless(err):
		return insecure(err)
	}
	return err
}

func insecure(err error) error {
	return fmt.Errorf("no secure connection to the server (%w); --tls-ca is the authority of the server's "+
		"certificate, --tls-cert and --tls-key are the own certificate if the server asks for one", err)
}

// hopeless says whether it is certificates that keep us from connecting: a
// server that is away may come back, but they do not mend.
func hopeless(err error) bool {
	var unverified *tls.CertificateVerificationError
	var told *net.OpError
	return errors.As(err, &unverified) || errors.As(err, &told) && told.Op == "remote error" ||
		errors.Is(err, nats.ErrSecureConnWanted) || errors.Is(err, nats.ErrSecureConnRequired)
}

func (l *link) close() { l.nc.Close() }

// backOff is how long to wait after so many attempts, so that many clients do
// not come at once.
func backOff(attempts int) time.Duration {
	d := longestWait
	if attempts < 6 {
		d = min(d, firstPause<<max(0, attempts))
	}
	return d/2 + rand.N(d/2)
}

// try repeats a request, each time with its own timeout, until it succeeds, or
// fails in a way that repeating does not mend, or ctx or the connection is
// done.
func (l *link) try(ctx context.Context, what string, request func(context.Context) error) error {
	begin, said := time.Now(), time.Now()
	for k := 0; ; k++ {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		once, cancel := l.once(ctx, attempt)
		err := request(once)
		cancel()
		if err == nil {
			return nil
		}
		if l.done.Err() != nil {
			return context.Cause(l.done)
		}
		if !mends(err) {
			return fmt.Errorf("%s: %w", what, err)
		}
		if time.Since(said) > patience {
			said = time.Now()
			l.log(fmt.Sprintf("%s does not succeed since %.0f s (%v); trying on", what, time.Since(begin).Seconds(),
				err))
		}
		select {
		case <-ctx.Done():
		case <-l.done.Done():
		case <-time.After(backOff(k)):
		}
	}
}

// mends says whether a request that failed so may succeed later. Whether it had
// an effect is not known.
func mends(err error) bool {
	var api *jetstream.APIError
	if errors.As(err, &api) {
		return api.Code >= 500
	}
	for _, e := range []error{nats.ErrMaxPayload, nats.ErrPermissionViolation, nats.ErrBadSubject,
		nats.ErrHeadersNotSupported} {
		if errors.Is(err, e) {
			return false
		}
	}
	return true
}

// refused says whether a conditional write found another last message.
func refused(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// publish writes a message, if the last one on its subject has the sequence
// number given, 0 for none; stored is false if that is not so. After an attempt
// of unknown effect, false may be our own doing.
func (l *link) publish(ctx context.Context, stream string, m *nats.Msg, last uint64) (stored bool, err error) {
	return l.send(ctx, m, jetstream.WithExpectStream(stream), jetstream.WithExpectLastSequencePerSubject(last))
}

// replace writes a message in place of any on its subject.
func (l *link) replace(ctx context.Context, stream string, m *nats.Msg) error {
	_, err := l.send(ctx, m, jetstream.WithExpectStream(stream))
	return err
}

func (l *link) send(ctx context.Context, m *nats.Msg, o ...jetstream.PublishOpt) (stored bool, err error) {
	err = l.try(ctx, "storing "+m.Subject, func(ctx context.Context) error {
		// The options go into headers.
		once := &nats.Msg{Subject: m.Subject, Data: m.Data, Header: maps.Clone(m.Header)}
		_, err := l.js.PublishMsg(ctx, once, append(o, jetstream.WithRetryAttempts(0))...)
		if refused(err) {
			return nil
		}
		stored = err == nil
		return err
	})
	return stored, err
}

// lastOn reads the last message on a subject; nil if there is none.
func (l *link) lastOn(ctx context.Context, s jetstream.Stream, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = l.try(ctx, "reading "+subject, func(ctx context.Context) error {
		var err error
		m, err = s.GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}
