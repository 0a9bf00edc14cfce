// The hash of a JSON file within itself.

package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

// sealKey is the last key of run.json, attacks.json and audit.json: the SHA-256 of the file without it
// and without real time.
const sealKey = "sha256"

// sealOf is the seal's place in a file: what is before its value, and after.
const beforeSeal, afterSeal = ",\n  \"" + sealKey + "\": \"", "\"\n}\n"

// asJSON writes an object, sealed.
func asJSON(v any) func(io.Writer) error {
	return func(to io.Writer) error {
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			return err
		}
		_, err = to.Write(sealed(append(text, '\n')))
		return err
	}
}

// sealed is an object's text with its seal.
func sealed(text []byte) []byte {
	open := bytes.TrimSuffix(text, []byte("\n}\n"))
	return fmt.Appendf(nil, "%s%s%s%s", open, beforeSeal, sealFor(text), afterSeal)
}

// real is real time, which the seal leaves out, so that it is the same for every repeat.
var real = regexp.MustCompile(`(?m)^( *"` + realTime + `": ).*$`)

func sealFor(text []byte) string {
	sum := sha256.Sum256(real.ReplaceAll(text, []byte("$1")))
	return hex.EncodeToString(sum[:])
}

// checkSeal returns the seal that a file has and the one that it should have.
func checkSeal(text []byte) (stated, want string) {
	i := bytes.LastIndex(text, []byte(beforeSeal))
	if i < 0 {
		return absent, sealFor(text)
	}
	rest := text[i+len(beforeSeal):]
	stated, tail := string(rest), ""
	if k := bytes.IndexByte(rest, '"'); k >= 0 {
		stated, tail = string(rest[:k]), string(rest[k:])
	}
	want = sealFor(append(bytes.Clone(text[:i]), "\n}\n"...))
	if tail != afterSeal {
		return stated + tail, want + afterSeal
	}
	return stated, want
}

// unsealed is an error for a file whose seal is not that of its text.
func unsealed(path string, text []byte) error {
	if stated, want := checkSeal(text); stated != want {
		return fmt.Errorf("%s is damaged or was changed: it is not as it was written (its sha256 is not that of its "+
			"text); simulate verify says in what", path)
	}
	return nil
}
