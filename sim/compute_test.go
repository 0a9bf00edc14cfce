// Facts about the worker pool: every job runs once, on a worker that there is,
// and jobs that need each other run at the same time.

package sim

import (
	"slices"
	"sync"
	"testing"
	"time"
)

// worked notes who ran a job and how often.
type worked struct {
	mu   sync.Mutex
	runs int
	most int
	body func()
}

func (w *worked) Run(worker int) {
	w.mu.Lock()
	w.runs++
	w.most = max(w.most, worker)
	w.mu.Unlock()
	w.body()
}

func TestPool_RunsEveryJobOnce(t *testing.T) {
	for workers := 1; workers <= 4; workers++ {
		p := newPool(workers)
		jobs := make([]worked, 40)
		ids := make([]uint32, len(jobs))
		for k := range jobs {
			jobs[k].body = func() { time.Sleep(200 * time.Microsecond) }
			ids[k] = p.submit(&jobs[k], 0)
		}
		for k := range jobs { // the engine waits for jobs that run elsewhere, too
			if _, err := p.wait(ids[k]); err != nil {
				t.Fatal(err)
			}
		}
		p.close()
		most := 0
		for k := range jobs {
			if jobs[k].runs != 1 {
				t.Errorf("%d workers: job %d ran %d times", workers, k, jobs[k].runs)
			}
			most = max(most, jobs[k].most)
		}
		if most >= workers {
			t.Errorf("of %d workers, the first 0, worker %d ran a job", workers, most)
		}
		if len(p.free) != len(p.tasks) || len(p.tasks) != len(jobs) {
			t.Errorf("%d tasks for %d jobs, %d free", len(p.tasks), len(jobs), len(p.free))
		}
	}
}

// Two jobs that wait for each other end, as there are two workers.
func TestPool_WorksMeanwhile(t *testing.T) {
	p := newPool(2)
	defer p.close()
	var met sync.WaitGroup
	met.Add(2)
	meet := func() {
		met.Done()
		done := make(chan struct{})
		go func() { met.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			t.Error("the other job is not begun")
		}
	}
	a, b := p.submit(&worked{body: meet}, 0), p.submit(&worked{body: meet}, 0)
	for _, id := range []uint32{a, b} {
		if _, err := p.wait(id); err != nil {
			t.Error(err)
		}
	}
}

// However many jobs there were, what is kept of them is bounded by those that
// are under way.
func TestPool_ForgetsWhatIsDone(t *testing.T) {
	p := newPool(1)
	for range 100_000 {
		id := p.submit(&worked{body: func() {}}, 0)
		p.mu.Lock()
		if got, ok := p.take(); !ok || got != id {
			t.Fatalf("task %d is to be taken, not %d", id, got)
		}
		p.tasks[id].state = taskPending // as if it had been begun in time
		p.mu.Unlock()
		if _, err := p.wait(id); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.tasks) != 1 || len(p.pending) > 5000 {
		t.Errorf("after 100,000 jobs there are %d tasks and %d hints", len(p.tasks), len(p.pending))
	}
}

// shared notes with whom it was joined.
type shared struct {
	worked
	joined *[]int
	number int
	with   []Job
}

func (s *shared) Joins() bool { return s.number >= 0 }

func (s *shared) Join(all []Job) {
	for _, j := range all {
		*j.(*shared).joined = append(*j.(*shared).joined, j.(*shared).number)
		j.(*shared).with = all
	}
}

// What begins before the first is due is joined in one call, in order, and no job runs before; what begins later is
// another call's.
func TestPool_JoinsWhatBeginsTogether(t *testing.T) {
	for workers := 1; workers <= 3; workers++ {
		p := newPool(workers)
		var joined []int
		jobs := make([]shared, 9)
		ids := make([]uint32, len(jobs))
		begin := func(from, to int) {
			for k := from; k < to; k++ {
				jobs[k] = shared{joined: &joined, number: k}
				if k == 3 {
					jobs[k].number = -1 // it has nothing to join for
				}
				jobs[k].body = func() {
					if k != 3 && jobs[k].with == nil {
						t.Errorf("%d workers: job %d runs before it is joined", workers, k)
					}
				}
				ids[k] = p.submit(&jobs[k], 0)
			}
		}
		begin(0, 6)
		for _, k := range []int{2, 0, 1, 4, 5, 3} {
			if _, err := p.wait(ids[k]); err != nil {
				t.Error(err)
			}
		}
		begin(6, 9)
		if err := p.settle(0); err != nil {
			t.Error(err)
		}
		p.close()
		if !slices.Equal(joined, []int{0, 1, 2, 4, 5, 6, 7, 8}) || len(jobs[0].with) != 5 || len(jobs[7].with) != 3 {
			t.Errorf("%d workers: joined %v, %d and %d at once", workers, joined, len(jobs[0].with), len(jobs[7].with))
		}
	}
}
