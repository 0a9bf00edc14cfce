// Who may reach a server: tokens, certificates, and which addresses are open to
// whom.

package jetstream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
)

// Access is what lets a client in. The zero value lets everyone in.
type Access struct {
	Token string // a secret that both sides know; or NAME:PASSWORD of a user of someone else's server
	Cert  string // own certificate, a PEM file
	Key   string // its key, a PEM file
	CA    string // PEM file of the authority that signed the other side's certificate
}

// ErrOpen is wrapped by refusals to listen where strangers could come in.
var ErrOpen = errors.New("anyone there could read the sweep and store results of their own")

func (a Access) check() error {
	if (a.Cert == "") != (a.Key == "") {
		return errors.New("a certificate needs its key, and a key its certificate: give both --tls-cert and --tls-key")
	}
	return nil
}

// listen checks an address to listen on: other machines are let in only with a
// token, or with certificates on both sides.
func (a Access) listen(address string) error {
	if err := a.check(); err != nil {
		return err
	}
	if a.CA != "" && a.Cert == "" {
		return errors.New("--tls-ca asks workers for certificates, which needs one of the server's own: give " +
			"--tls-cert and --tls-key too")
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("an address to listen on is HOST:PORT, such as 127.0.0.1:4222, not %q", address)
	}
	local, err := loopback(host)
	if err != nil {
		return err
	}
	if local || a.Token != "" || a.CA != "" {
		return nil
	}
	more := ""
	if a.Cert != "" {
		more = "; a certificate of the server alone hides what is said, but keeps nobody out"
	}
	return fmt.Errorf("not listening on %s without a secret: %w; give --token-file (or OVERHEAR_TOKEN), or "+
		"--tls-cert, --tls-key and --tls-ca, or listen on 127.0.0.1%s", address, ErrOpen, more)
}

// plain says whether a token would cross a network readable.
func (a Access) plain(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	local, err := loopback(host)
	return err == nil && !local && a.Cert == ""
}

// loopback says whether a host is this machine and nothing else. No host means
// every address of the machine.
func loopback(host string) (bool, error) {
	if host == "" {
		return false, nil
	}
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback(), nil
	}
	all, err := net.LookupIP(host)
	if err != nil {
		return false, fmt.Errorf("looking up the address to listen on: %w", err)
	}
	for _, ip := range all {
		if !ip.IsLoopback() {
			return false, nil
		}
	}
	return len(all) > 0, nil
}

// CheckURL refuses addresses with secrets in them: other users of a machine see
// the command lines of processes.
func CheckURL(text string) error {
	for one := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || u.Host == "" {
			return errors.New("a server's address is nats://HOST:PORT or tls://HOST:PORT; several are separated by " +
				"commas")
		}
		if u.User != nil {
			return errors.New("the address has a secret before its @, which all users of this machine can see in the " +
				"list of processes; give --token-file or OVERHEAR_TOKEN instead")
		}
	}
	return nil
}

// tlsConfig is a server's, nil without a certificate.
func (a Access) tlsConfig() (*tls.Config, error) {
	if a.Cert == "" {
		return nil, nil
	}
	pair, err := tls.LoadX509KeyPair(a.Cert, a.Key)
	if err != nil {
		return nil, fmt.Errorf("reading --tls-cert and --tls-key: %w", err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS13}
	if a.CA == "" {
		return c, nil
	}
	text, err := os.ReadFile(a.CA)
	if err != nil {
		return nil, fmt.Errorf("reading --tls-ca: %w", err)
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !c.ClientCAs.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("reading --tls-ca: %s has no certificate", a.CA)
	}
	return c, nil
}

// client are a client's options.
func (a Access) client() []nats.Option {
	var o []nats.Option
	if name, word, both := strings.Cut(a.Token, ":"); both {
		o = append(o, nats.UserInfo(name, word))
	} else if a.Token != "" {
		o = append(o, nats.Token(a.Token))
	}
	if a.CA != "" {
		o = append(o, nats.RootCAs(a.CA))
	}
	if a.Cert != "" {
		o = append(o, nats.ClientCert(a.Cert, a.Key))
	}
	return o
}
