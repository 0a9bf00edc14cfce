// Packets that are nothing but a delay, sent at once to all neighbours.

package sim

import (
	"context"
	"testing"
)

// A run whose packets somebody is told of takes the way of packets that may be lost, late or doubled; it has the same
// trace and the same counts.
func TestDirect_IsTheSameRun(t *testing.T) {
	g, err := Topology{Kind: "random-regular", Nodes: 20, Degree: 4}.Build(NewStream(1, "topology"))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []Latency{
		broadcastLatency,
		{Kind: "constant", Value: 20e6},
		{Kind: "exponential", Mean: 20e6},
		{Kind: "lognormal", Median: 20e6, Sigma: 0.5},
		{Kind: "pareto", Scale: 10e6, Shape: 3},
	} {
		for _, ties := range []Ties{0, Shuffled} {
			run := func(told func(*Packet)) (*Trace, *Engine) {
				e, err := New(Config{
					Graph: g, Link: Link{Latency: l}, Header: 40, Ties: ties, Trace: TraceDigest, Sent: told,
				})
				if err != nil {
					t.Fatal(err)
				}
				for i := range g.Order() {
					e.Attach(i, &flooder{rounds: 50, degree: g.Degree(i), value: []float64{1, float64(i)}})
				}
				if err := e.Run(context.Background()); err != nil {
					t.Fatal(err)
				}
				trace, err := e.Trace()
				if err != nil {
					t.Fatal(err)
				}
				return trace, e
			}
			told := uint64(0)
			trace, direct := run(nil)
			want, watched := run(func(*Packet) { told++ })
			if !direct.direct || watched.direct {
				t.Fatalf("%s: direct is %v, and %v where packets are told of", l.Kind, direct.direct, watched.direct)
			}
			if trace.Digest != want.Digest || trace.Events != want.Events {
				t.Errorf("%s: the digest is %x after %d events, want %x after %d", l.Kind, trace.Digest, trace.Events,
					want.Digest, want.Events)
			}
			n, bytes := direct.Messages(), direct.Bytes()
			if n != told || n != watched.Messages() || bytes != watched.Bytes() {
				t.Errorf("%s: %d packets of %d bytes, want %d of %d", l.Kind, n, bytes, told, watched.Bytes())
			}
		}
	}
}
