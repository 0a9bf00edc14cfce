// Storing a result once.

package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"overhear/sweep"
)

// storeOnce stores a run's result unless there is one. A failure gives way to a
// result that is none; two results that differ are a *sweep.Conflict, of which
// the coordinator is told.
func (w *worker) storeOnce(ctx context.Context, index int, result []byte) error {
	var before uint64
	for k := 0; ; k++ {
		stored, err := w.publish(ctx, w.names.resultStream(), w.names.result(index), before, result)
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
		case bytes.Equal(there.Data, result), sweep.Failed(result):
			return nil
		case sweep.Failed(there.Data):
			before = there.Sequence
		default:
			conflict := &sweep.Conflict{Index: index, Stored: there.Data, Other: result}
			_, err := w.publish(ctx, w.names.resultStream(), w.names.conflict(index), 0, result)
			return errors.Join(conflict, err)
		}
	}
}

// tooLong says whether a message is longer than the server takes.
func tooLong(err error) bool {
	return errors.Is(err, nats.ErrMaxPayload) || errors.Is(err, jetstream.ErrStreamMessageExceedsMaximum)
}

// failure is the result of a run that cannot have another.
func (w *worker) failure(index int, why string) []byte {
	return (&sweep.Result{Index: index, Seed: w.plan.Task(index).Seed, Error: why}).Encode()
}
