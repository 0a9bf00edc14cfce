// Storing a result once.

package jetstream

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

// storeOnce stores a run's result of a task unless there is one. A failure gives
// way to a result that is none, and what is no result to any. Of two results that
// differ, the coordinator is told the second and decides.
func (w *worker) storeOnce(ctx context.Context, a assignment, index int, result []byte) error {
	var before uint64
	for k := 0; ; k++ {
		m := a.state(w.own, w.plan.Hash, w.names.result(index), result)
		stored, err := w.publish(ctx, w.names.resultStream(), m, before)
		if tooLong(err) {
			result, before = w.failure(index, fmt.Sprintf("the result has %d bytes, and the server takes messages of "+
				"at most %d; raise its max_payload, or keep fewer rows (--rows last)", len(result),
				w.nc.MaxPayload())), 0
			continue
		}
		if err != nil || stored {
			return err
		}
		there, err := w.lastOn(ctx, w.results, w.names.result(index))
		switch {
		case err != nil:
			return err
		case there == nil:
			// Another write is on its way, or was taken out to be repeated.
			before = 0
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-time.After(backOff(k)):
			}
		case bytes.Equal(there.Data, result):
			return nil
		case isNone(there.Data), sweep.Failed(there.Data) && !sweep.Failed(result):
			before = there.Sequence
		case sweep.Failed(result):
			return nil
		default:
			w.log(fmt.Sprintf("another worker gave another result of run %d; the coordinator decides", index))
			place := w.names.conflict(index, nameOf(w.own.Public().(ed25519.PublicKey)))
			return w.replace(ctx, w.names.resultStream(), a.state(w.own, w.plan.Hash, place, result))
		}
	}
}

// isNone says whether a message is no result of any run.
func isNone(b []byte) bool {
	_, err := sweep.Decode(b)
	return err != nil
}

// tooLong says whether a message is longer than the server takes.
func tooLong(err error) bool {
	return errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, jetstream.ErrStreamMessageExceedsMaximum)
}

// failure is the result of a run that cannot have another.
func (w *worker) failure(index int, why string) []byte {
	return (&sweep.Result{Index: index, Seed: w.plan.Task(index).Seed, Error: why}).Encode()
}
