// The server that a coordinator brings with it.

package jetstream

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// maxMessage is the longest result that the own server takes.
const maxMessage = 64 << 20

// serve starts a server that keeps its streams in dir, for one sweep. The secret
// is the coordinator's, for as long as the server runs.
func serve(dir string, n names, o Options) (s *server.Server, secret string, err error) {
	host, portText, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, "", fmt.Errorf("listening on %s: %w", o.Listen, err)
	}
	port, err := strconv.Atoi(portText)
	if err != nil || port < 0 || port > 65535 {
		return nil, "", fmt.Errorf("listening on %s: %q is no port", o.Listen, portText)
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	if host == "" {
		host = "0.0.0.0"
	}
	config, err := o.tlsConfig()
	if err != nil {
		return nil, "", err
	}
	// The server would end the process, or wait in silence, if it could not
	// listen.
	if port > 0 {
		l, err := net.Listen("tcp", net.JoinHostPort(host, portText))
		if err != nil {
			return nil, "", fmt.Errorf("the coordinator cannot listen: %w; --listen takes another address", err)
		}
		l.Close()
	}
	g := newGuard(o.Token)
	s, err = server.NewServer(&server.Options{
		ServerName:                 serverName,
		Host:                       host,
		Port:                       port,
		NoSigs:                     true,
		Accounts:                   []*server.Account{server.NewAccount("COORDINATOR"), server.NewAccount("WORKERS")},
		CustomClientAuthentication: g,
		TLS:                        config != nil,
		TLSConfig:                  config,
		TLSVerify:                  o.CA != "",
		TLSTimeout:                 10,
		AuthTimeout:                20, // after TLS
		MaxPayload:                 maxMessage,
		MaxPending:                 8 * maxMessage,
		JetStream:                  true,
		StoreDir:                   dir,
		SyncAlways:                 !o.noSync, // to the disk before it is confirmed
	})
	if err != nil {
		return nil, "", fmt.Errorf("starting the server: %w", err)
	}
	s.SetLoggerV2(complaints(o.Log), false, false, false)
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		s.Shutdown()
		return nil, "", errors.New("starting the server: it was not ready within a minute")
	}
	if err := g.open(s, n); err != nil {
		s.Shutdown()
		return nil, "", err
	}
	return s, g.boss, nil
}

// complaints is a server's log, of which errors are passed on.
type complaints func(string)

var _ server.Logger = complaints(nil)

// Noticef ignores what is usual.
func (c complaints) Noticef(string, ...any) {}

// Warnf ignores advice about settings that are chosen here.
func (c complaints) Warnf(string, ...any) {}

// Debugf ignores.
func (c complaints) Debugf(string, ...any) {}

// Tracef ignores.
func (c complaints) Tracef(string, ...any) {}

// Errorf passes on.
func (c complaints) Errorf(format string, v ...any) { c("server: " + fmt.Sprintf(format, v...)) }

// Fatalf passes on.
func (c complaints) Fatalf(format string, v ...any) { c.Errorf(format, v...) }
