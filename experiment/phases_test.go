// What a run's packets are like before and after a change, by the packets themselves.

package experiment

import (
	"context"
	"testing"

	"overhear/record"
	"overhear/scenarios"
)

// A packet has the bytes of the header that the scenario says when it is sent, and of its seven
// numbers, of which one is of the intercept.
func TestPhases_HeaderIsThatOfTheTime(t *testing.T) {
	const at = 150e6
	s, err := scenarios.Parse("header.yaml", []byte(forkText+"changes: [{at: 150ms, set: {network.header: 1000}}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := New(s, "").Run(context.Background(), 1, Options{Out: t.TempDir(), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	var before, after int
	err = r.Messages(func(m record.Message) error {
		want, of := int64(64), &before
		if m.SentNS >= at {
			want, of = 1000, &after
		}
		if *of++; m.Bytes != want+8*7 {
			t.Errorf("packet %d, sent at %d ns, has %d bytes, want a header of %d", m.ID, m.SentNS, m.Bytes, want)
		}
		return nil
	})
	if err != nil || before == 0 || after == 0 {
		t.Errorf("%v: %d packets before the change, %d after", err, before, after)
	}
}
