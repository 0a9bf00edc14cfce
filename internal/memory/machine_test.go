// What memory there is, by what the system and a control group say.

//go:build !js

package memory

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func TestAllowed(t *testing.T) {
	says := func(bytes uint64, err error) func() (uint64, error) {
		return func() (uint64, error) { return bytes, err }
	}
	unknown := errors.New("unknown")
	const all = uint64(math.MaxUint64)
	for name, c := range map[string]struct {
		group, system func() (uint64, error)
		addresses     uint64
		want          uint64
		few           bool
	}{
		"a group allows less":      {says(2e9, nil), says(8e9, nil), all, 2e9, false},
		"a group allows more":      {says(1e12, nil), says(8e9, nil), all, 8e9, false},
		"there is no group":        {says(0, unknown), says(8e9, nil), all, 8e9, false},
		"the system does not tell": {says(2e9, nil), says(0, unknown), all, 2e9, false},
		"few addresses":            {says(0, unknown), says(8e9, nil), 6e9, 3e9, true},
		"addresses enough":         {says(2e9, nil), says(8e9, nil), 6e9, 2e9, false},
	} {
		if bytes, few, err := allowed(c.group, c.system, c.addresses); bytes != c.want || few != c.few || err != nil {
			t.Errorf("%s: %d bytes, for want of addresses: %v; %v", name, bytes, few, err)
		}
	}
	if _, few, err := allowed(says(0, unknown), says(0, unknown), 6e9); err == nil || few {
		t.Error("nothing is known, and there is a limit")
	}
}

// A refusal says where the limit comes from.
func TestCheck_SaysWhereTheLimitComesFrom(t *testing.T) {
	defer func(before int64) { addressed = before }(addressed)
	limited(t, 8e9)
	for bytes, want := range map[int64]string{0: "what this machine has or --max-memory says",
		8e9: "half of the addresses that the process may have (ulimit -v), or what --max-memory says"} {
		addressed = bytes
		if err := Check("a table", 9e9); err == nil || !strings.HasSuffix(err.Error(), "the limit is 8 GB, "+want) {
			t.Error(err)
		}
	}
}
