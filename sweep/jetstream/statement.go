// Statements: what a worker says of a task, and how the coordinator knows that
// it handed the task out and who speaks.
//
// A coordinator has a key pair for its sweep. Each task carries a ticket, the
// coordinator's signature of plan and task; so a worker computes only what the
// coordinator handed out. Each process that works has a key pair of its own. What
// it sends carries its task, the task's ticket, its public key, which is its
// name, and its signature; so nothing is accepted for a task that was not handed
// out, for another run than the task's, for another plan, or in another's name.

package jetstream

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nats-io/nats.go"

	"overhear/internal/files"
)

// Headers of messages.
const (
	ticketHeader    = "Overhear-Ticket"    // the coordinator's signature of the task
	taskHeader      = "Overhear-Task"      // first.last.round
	workerHeader    = "Overhear-Worker"    // public key
	signatureHeader = "Overhear-Signature" // of who sends
	keyHeader       = "Overhear-Key"       // the coordinator's public key, with the plan
)

// keyFile is the coordinator's private key, beside its streams.
const keyFile = "key"

// newKey makes a key pair.
func newKey() ed25519.PrivateKey {
	_, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(fmt.Sprintf("jetstream: no randomness: %v", err)) // the system has none
	}
	return private
}

// openKey reads the key of a sweep from its directory, or makes it. A sweep that
// goes on needs the one it began with: only with it are tasks and results that
// are in the streams its own. Without a directory the key is this process's.
func openKey(dir string) (ed25519.PrivateKey, error) {
	if dir == "" {
		return newKey(), nil
	}
	if err := files.Directory(dir); err != nil {
		return nil, fmt.Errorf("preparing the coordinator's key: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("preparing the coordinator's key: %w", err)
	}
	defer root.Close()
	path := filepath.Join(dir, keyFile)
	text, err := root.ReadFile(keyFile)
	if errors.Is(err, fs.ErrNotExist) {
		made := newKey()
		f, err := root.OpenFile(keyFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err == nil {
			_, err = f.WriteString(hex.EncodeToString(made.Seed()) + "\n")
			err = errors.Join(err, f.Sync(), f.Close())
		}
		if err != nil {
			return nil, fmt.Errorf("writing the coordinator's key %s: %w", path, err)
		}
		return made, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the coordinator's key %s: %w", path, err)
	}
	seed, err := hex.DecodeString(string(bytes.TrimSpace(text)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, fmt.Errorf("the coordinator's key %s is damaged: it is not one line of %d hexadecimal digits; "+
			"delete it, and results that are not collected yet are computed again", path, 2*ed25519.SeedSize)
	}
	return ed25519.NewKeyFromSeed(seed), nil
}

// nameOf writes a public key.
func nameOf(k ed25519.PublicKey) string { return hex.EncodeToString(k) }

// keyOf reads a public key.
func keyOf(name string) (ed25519.PublicKey, bool) {
	k, err := hex.DecodeString(name)
	return k, err == nil && len(k) == ed25519.PublicKeySize
}

// short is a worker's name as people are told it.
func short(worker string) string { return worker[:min(12, len(worker))] }

// signed is the text under a signature: what is said on a subject of a plan.
func signed(plan, subject, task string, data []byte) []byte {
	sum := sha256.Sum256(data)
	return []byte(strings.Join([]string{"overhear sweep", plan, subject, task, hex.EncodeToString(sum[:])}, "\n"))
}

// certify signs what is said on a subject.
func certify(k ed25519.PrivateKey, plan, subject string, data []byte) string {
	return hex.EncodeToString(ed25519.Sign(k, signed(plan, subject, "", data)))
}

// certified says whether the signature of what is said on a subject is a key's.
func certified(k ed25519.PublicKey, plan, subject, signature string, data []byte) bool {
	b, err := hex.DecodeString(signature)
	return err == nil && ed25519.Verify(k, signed(plan, subject, "", data), b)
}

// assignment is a task with its ticket.
type assignment struct {
	task
	ticket string
}

// state makes the message in which a worker says something of its task.
func (a assignment) state(k ed25519.PrivateKey, plan, subject string, data []byte) *nats.Msg {
	m := &nats.Msg{Subject: subject, Data: data, Header: nats.Header{}}
	m.Header.Set(taskHeader, a.text())
	m.Header.Set(ticketHeader, a.ticket)
	m.Header.Set(workerHeader, nameOf(k.Public().(ed25519.PublicKey)))
	m.Header.Set(signatureHeader, hex.EncodeToString(ed25519.Sign(k, signed(plan, subject, a.text(), data))))
	return m
}

// statement is what a worker said of its task.
type statement struct {
	task
	worker string // its name
}

// read checks a worker's message; what is wrong is said in words that do not
// depend on the message.
func (c *Coordinator) read(subject string, h nats.Header, data []byte) (s statement, err error) {
	k, ok := keyOf(h.Get(workerHeader))
	if !ok {
		return s, errors.New("messages that no worker signed")
	}
	t, ok := readTask(h.Get(taskHeader))
	if !ok || t.last >= c.plan.Len() {
		return s, errors.New("messages for no task of this plan")
	}
	if !certified(c.public(), c.plan.Hash, c.names.task(t), h.Get(ticketHeader), nil) {
		return s, errors.New("messages for tasks that this coordinator did not hand out")
	}
	b, err := hex.DecodeString(h.Get(signatureHeader))
	if err != nil || !ed25519.Verify(k, signed(c.plan.Hash, subject, t.text(), data), b) {
		return s, errors.New("messages whose signature is not of the worker that they name")
	}
	return statement{t, nameOf(k)}, nil
}

func (c *Coordinator) public() ed25519.PublicKey { return c.key.Public().(ed25519.PublicKey) }

// ticket is what makes a task the coordinator's.
func (c *Coordinator) ticket(t task) string { return certify(c.key, c.plan.Hash, c.names.task(t), nil) }
