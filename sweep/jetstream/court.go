// Which results count. A result of a task that was handed out is stored at once;
// a share of them, and the first of each worker, is computed again here, where
// the bits must be the same. Of two results of one run the false one is found in
// the same way. Who gave a false result is named, is asked to leave, and all that
// it gave is taken back and computed by others.

package jetstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"overhear/sweep"
)

// claim is whose word a result is.
type claim struct {
	worker string // "" if that is not known
	at     uint64 // in the stream
	failed bool
	sum    [sha256.Size]byte
}

func newClaim(worker string, at uint64, result []byte) claim {
	return claim{worker, at, sweep.Failed(result), sha256.Sum256(result)}
}

// false says whether a claim is not what the run gives. That a run failed may be
// true of one machine only, for want of memory or room.
func (c claim) false(own claim) bool { return !c.failed && c.sum != own.sum }

// dispute is a run whose results are to be compared with one that is computed
// here.
type dispute struct {
	index  int
	claims []claim
	both   *sweep.Conflict // nil for a sample
}

// court judges.
type court struct {
	c      *Coordinator
	b      *board
	runner *sweep.Runner

	mu      sync.Mutex
	numbers map[string]int32 // of workers, from 1
	workers []string         // by number
	from    []int32          // who gave the stored result of a run; 0 is not known
	at      []uint64         // and where it is in the stream
	banned  map[string]string
	sampled map[string]bool // a result of theirs was checked, or will be
	open    []dispute
	news    chan struct{}
	unable  error // why results cannot be computed here, once that was tried
	checked int
	again   int // results that were taken back
}

func newCourt(c *Coordinator, b *board) *court {
	n := c.plan.Len()
	return &court{c: c, b: b, runner: sweep.NewRunner(c.plan, c.o.Data), numbers: map[string]int32{},
		workers: []string{""}, from: make([]int32, n), at: make([]uint64, n), banned: map[string]string{},
		sampled: map[string]bool{},
		news:    make(chan struct{}, 1)}
}

// hear takes a result of a task that was handed out.
func (j *court) hear(ctx context.Context, worker string, index int, at uint64, result []byte, failed bool) error {
	j.mu.Lock()
	_, banned := j.banned[worker]
	if banned {
		j.mu.Unlock()
		return j.c.reject(ctx, at, fmt.Sprintf("results of worker %s after a false one", short(worker)))
	}
	defer j.mu.Unlock()
	number, known := j.numbers[worker]
	if !known {
		number = int32(len(j.workers))
		j.numbers[worker], j.workers = number, append(j.workers, worker)
	}
	mine := newClaim(worker, at, result)
	j.b.check(1) // the last result must not end the sweep before it is decided whether it is to be checked
	defer j.b.check(-1)
	before := j.b.work.Store.State(index)
	err := j.b.put(index, result, failed)
	if both := (*sweep.Conflict)(nil); errors.As(err, &both) {
		stored := newClaim(j.workers[j.from[index]], j.at[index], both.Stored)
		j.ask(dispute{index, []claim{stored, mine}, both})
		return nil
	}
	if err != nil {
		return err
	}
	if before != sweep.Finished { // or a failure that has given way
		j.from[index], j.at[index] = number, at
	} else if j.from[index] == 0 && !failed {
		j.from[index], j.at[index] = number, at // stored by an earlier process
	}
	if failed || worker == nameOf(j.c.public()) || j.c.o.Check == 0 {
		return nil
	}
	if first := !j.sampled[worker]; first || before == sweep.Open && rand.Float64() < j.c.o.Check {
		j.sampled[worker] = true
		j.ask(dispute{index, []claim{mine}, nil})
	}
	return nil
}

// ask puts a dispute before the court; j.mu is held.
func (j *court) ask(d dispute) {
	j.b.check(1)
	j.open = append(j.open, d)
	select {
	case j.news <- struct{}{}:
	default:
	}
}

// sit decides disputes until ctx is done.
func (j *court) sit(ctx context.Context) error {
	said := false
	for {
		j.mu.Lock()
		var d dispute
		some := len(j.open) > 0
		if some {
			d, j.open = j.open[0], j.open[1:]
		}
		j.mu.Unlock()
		if !some {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-j.news:
			}
			continue
		}
		if n := j.b.checking(); n > 1 && !said {
			said = true
			j.c.o.Log(fmt.Sprintf("all runs are stored; %d results are still computed again here to check them", n))
		}
		if err := j.decide(ctx, d); err != nil {
			return err
		}
		j.b.check(-1)
	}
}

// decide computes a run and says who was wrong.
func (j *court) decide(ctx context.Context, d dispute) error {
	if err := j.runner.HasData(ctx, d.index); err != nil {
		if d.both != nil {
			return d.both // nobody here can say who is right
		}
		if j.unable == nil {
			j.unable = err
			j.c.o.Log(fmt.Sprintf("warning: results of workers are not checked, because the data are not here (%v)",
				err))
		}
		return nil
	}
	own, err := j.runner.Run(ctx, d.index, 1)
	if err != nil {
		return err
	}
	j.mu.Lock()
	j.checked++
	j.mu.Unlock()
	right, wrong := newClaim("", 0, own), false
	for _, c := range d.claims {
		if !c.false(right) {
			continue
		}
		wrong = true
		if c.worker == nameOf(j.c.public()) && d.both != nil {
			return d.both // this process contradicts itself: the run is not deterministic
		}
		if err := j.convict(ctx, c.worker, d.index); err != nil {
			return err
		}
	}
	if !wrong {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.b.drop(d.index); err != nil { // unless that was done
		return err
	}
	j.from[d.index], j.at[d.index] = 0, 0
	return j.b.put(d.index, own, sweep.Failed(own))
}

// convict names a worker that gave a false result of a run, and takes back all
// that it gave. Who gave the result may not be known; then it is that one only.
func (j *court) convict(ctx context.Context, worker string, index int) error {
	if worker == "" {
		j.c.o.Log(fmt.Sprintf("warning: the stored result of run %d, of which is not known who gave it, is not what "+
			"the run gives here; it is replaced", index))
		return nil
	}
	j.mu.Lock()
	if _, is := j.banned[worker]; is {
		j.mu.Unlock()
		return nil
	}
	why := fmt.Sprintf("its result of run %d is not what the run gives: another program, other data, a defect of the "+
		"machine, or a lie", index)
	j.banned[worker] = why
	number := j.numbers[worker]
	var theirs []int
	var places []uint64
	for index, by := range j.from {
		if by == number {
			theirs, places = append(theirs, index), append(places, j.at[index])
			j.from[index], j.at[index] = 0, 0
		}
	}
	j.again += len(theirs)
	j.mu.Unlock()
	j.c.o.Log(fmt.Sprintf("warning: worker %s %sgave a false result: %s; its %d results are dropped and computed again",
		short(worker), j.c.crew.where(worker), why, len(theirs)))
	for k, index := range theirs {
		if err := j.c.remove(ctx, places[k]); err != nil {
			return err
		}
		if err := j.b.drop(index); err != nil {
			return err
		}
	}
	j.c.crew.refuse(worker, why)
	return nil
}

// report says in the end what was dropped and checked, if anything was wrong.
func (j *court) report() {
	c := j.c
	c.dropped.Lock()
	defer c.dropped.Unlock()
	var words []string
	for what, n := range c.dropped.of {
		words = append(words, fmt.Sprintf("%d %s", n, what))
	}
	slices.Sort(words)
	if words != nil {
		c.o.Log("dropped: " + strings.Join(words, "; "))
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.banned) > 0 {
		c.o.Log(fmt.Sprintf("%d results were computed again here; %d workers gave false ones, for which %d results "+
			"were computed anew", j.checked, len(j.banned), j.again))
	}
}
