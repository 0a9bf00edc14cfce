// Who is let in.

package jetstream

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"overhear/sweep"
)

func TestListensOnLoopbackOnly(t *testing.T) {
	token := Access{Token: "secret"}
	server := Access{Cert: "c", Key: "k"}
	both := Access{Cert: "c", Key: "k", CA: "a"}
	for _, c := range []struct {
		address string
		access  Access
		ok      bool
		says    string
	}{
		{"127.0.0.1:4222", Access{}, true, ""},
		{"127.1.2.3:0", Access{}, true, ""},
		{"[::1]:4222", Access{}, true, ""},
		{"localhost:4222", Access{}, true, ""},
		{"0.0.0.0:4222", Access{}, false, "give --token-file (or OVERHEAR_TOKEN), or --tls-cert, --tls-key and " +
			"--tls-ca, or listen on 127.0.0.1"},
		{":4222", Access{}, false, "anyone there could read the sweep"},
		{"[::]:4222", Access{}, false, "not listening on [::]:4222 without a secret"},
		{"192.0.2.1:4222", Access{}, false, "without a secret"},
		{"0.0.0.0:4222", token, true, ""},
		{"0.0.0.0:4222", server, false, "keeps nobody out"},
		{"0.0.0.0:4222", both, true, ""},
		{"127.0.0.1:4222", Access{Cert: "c"}, false, "give both --tls-cert and --tls-key"},
		{"127.0.0.1:4222", Access{CA: "a"}, false, "give --tls-cert and --tls-key too"},
		{"127.0.0.1", Access{}, false, "HOST:PORT"},
	} {
		_, err := New(plan(t, sweep.Options{}), Options{Access: c.access, Listen: c.address})
		if (err == nil) != c.ok || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s with %+v: %v", c.address, c.access, err)
		}
		if err != nil && strings.Contains(c.says, "secret") && !errors.Is(err, ErrOpen) {
			t.Errorf("%v is not ErrOpen", err)
		}
	}
}

func TestNoSecretsInAddresses(t *testing.T) {
	for url, ok := range map[string]bool{"nats://127.0.0.1:4222": true, "nats://a:1,tls://b:2": true,
		"nats://secret@a:1": false, "nats://u:p@a:1": false, "127.0.0.1": false, "": false} {
		if err := CheckURL(url); (err == nil) != ok {
			t.Errorf("%q: %v", url, err)
		} else if err != nil && strings.Contains(err.Error(), "secret@") {
			t.Errorf("the error tells the secret: %v", err)
		}
	}
}

// joins says how joining a coordinator's sweep ends, within a short time.
func joins(t *testing.T, c *Coordinator, a Access) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	return Work(ctx, WorkerOptions{Server: c.address(), Access: a, Log: logTo(t),
		Joined: func(*sweep.Plan) { cancel() }})
}

func TestToken(t *testing.T) {
	o := options(t)
	o.Token = "right"
	c := opened(t, plan(t, sweep.Options{}), o)
	for _, wrong := range []Access{{}, {Token: "wrong"}} {
		if err := joins(t, c, wrong); err == nil || !strings.Contains(err.Error(), "refuses the token") {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	if err := joins(t, c, o.Access); !errors.Is(err, context.Canceled) {
		t.Errorf("the right token: %v", err)
	}
}

// authority makes certificates.
type authority struct {
	dir  string
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	made int64
}

func newAuthority(t *testing.T) *authority {
	a := &authority{dir: t.TempDir()}
	a.sign(t, "ca", true)
	return a
}

// sign returns the files of a certificate and its key.
func (a *authority) sign(t *testing.T, name string, isCA bool) (cert, key string) {
	t.Helper()
	k, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	a.made++
	c := &x509.Certificate{
		SerialNumber: big.NewInt(a.made), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter:    time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: isCA, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if isCA {
		a.cert, a.key = c, k
	}
	b, err := x509.CreateCertificate(rand.Reader, c, a.cert, &k.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	kb, err := x509.MarshalECPrivateKey(k)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(a.dir, name+".pem"), filepath.Join(a.dir, name+".key")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: b},
		key: {Type: "EC PRIVATE KEY", Bytes: kb}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}

func TestCertificates(t *testing.T) {
	ours, theirs := newAuthority(t), newAuthority(t)
	ca := func(a *authority) string { return filepath.Join(a.dir, "ca.pem") }
	cert, key := ours.sign(t, "server", false)
	own, ownKey := ours.sign(t, "worker", false)
	foreign, foreignKey := theirs.sign(t, "stranger", false)
	o := options(t)
	o.Access = Access{Cert: cert, Key: key, CA: ca(ours)}
	p := plan(t, sweep.Options{Seeds: 10})
	c := opened(t, p, o)
	for name, a := range map[string]Access{
		"no certificate":        {CA: ca(ours)},
		"a foreign certificate": {CA: ca(ours), Cert: foreign, Key: foreignKey},
		"a foreign authority":   {CA: ca(theirs), Cert: own, Key: ownKey},
		"nothing":               {},
	} {
		if err := joins(t, c, a); err == nil || !strings.Contains(err.Error(), "no secure connection") {
			t.Errorf("%s: %v", name, err)
		} else {
			t.Log(name, ":", err)
		}
	}
	right := Access{CA: ca(ours), Cert: own, Key: ownKey}
	if err := joins(t, c, right); !errors.Is(err, context.Canceled) {
		t.Errorf("the right certificate: %v", err)
	}
	// And with it a sweep is made.
	go func() { _ = Work(t.Context(), WorkerOptions{Server: c.address(), Access: right}) }()
	if _, err := makeWith(t, c, t.TempDir(), sweep.Settings{}); err != nil {
		t.Error(err)
	}
}
