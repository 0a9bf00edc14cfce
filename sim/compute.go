// Computation off the engine's goroutine: jobs start when virtual time says so
// and are waited for only when their result is due.

package sim

import (
	"sync"

	"overhear/internal/guard"
)

// Job is a computation of a node. Run must depend on nothing but what the node
// set up before; worker, in 0..Workers()−1, tells which scratch memory is free.
type Job interface{ Run(worker int) }

// Joint is a Job with a first part that is computed for several at once, on the engine's goroutine, as worker 0: for
// all that have begun by the time that one of them is due, in the order in which they did. Run is the rest, of each.
type Joint interface {
	Job
	Joins() bool // false: it has no such part
	Join(all []Job)
}

// pool runs jobs on worker goroutines 1, 2, … and, while it waits for one, on
// the engine's own, which is worker 0.
type pool struct {
	mu       sync.Mutex
	work     sync.Cond // a job is pending or the pool is closed
	finished sync.Cond // a job is done
	tasks    []*task
	free     []uint32
	pending  []uint32 // hints: task numbers that may be pending, from next on
	next     int
	gathered []uint32 // tasks whose first part is to be computed
	closed   bool
	running  sync.WaitGroup
}

type task struct {
	job     Job
	tag     uint64 // the engine's own, as are owner and awaited
	err     error
	owner   int32 // node that began it, or anyone
	awaited bool  // an event will collect it
	state   taskState
}

// anyone owns the tasks that no node has begun.
const anyone = -1

type taskState uint8

const (
	taskFree taskState = iota
	taskGathered
	taskPending
	taskRunning
	taskDone
)

func newPool(workers int) *pool {
	p := new(pool)
	p.work.L, p.finished.L = &p.mu, &p.mu
	for w := 1; w < workers; w++ {
		p.running.Add(1)
		go p.serve(w)
	}
	return p
}

// submit queues a job and returns its task number.
func (p *pool) submit(j Job, owner int32) uint32 {
	p.mu.Lock()
	var id uint32
	if k := len(p.free); k > 0 {
		id, p.free = p.free[k-1], p.free[:k-1]
	} else {
		id = uint32(len(p.tasks))
		p.tasks = append(p.tasks, new(task))
	}
	*p.tasks[id] = task{job: j, owner: owner, state: taskPending}
	if g, ok := j.(Joint); ok && g.Joins() {
		p.tasks[id].state = taskGathered
		p.gathered = append(p.gathered, id)
		p.mu.Unlock()
		return id
	}
	if p.next > 1024 && 2*p.next > len(p.pending) {
		p.pending = p.pending[:copy(p.pending, p.pending[p.next:])]
		p.next = 0
	}
	p.pending = append(p.pending, id)
	p.work.Signal()
	p.mu.Unlock()
	return id
}

// take returns a pending task's number. The caller holds the lock.
func (p *pool) take() (uint32, bool) {
	for p.next < len(p.pending) {
		id := p.pending[p.next]
		p.next++
		if p.tasks[id].state == taskPending {
			return id, true
		}
	}
	p.pending, p.next = p.pending[:0], 0
	return 0, false
}

// run runs a task; the caller holds the lock, which is released meanwhile.
func (p *pool) run(id uint32, worker int) {
	p.tasks[id].state = taskRunning
	job := p.tasks[id].job
	p.mu.Unlock()
	err := guard.Func(func() error { job.Run(worker); return nil })()
	p.mu.Lock()
	p.tasks[id].state = taskDone
	p.tasks[id].err = err
}

// join computes the first part of the tasks that are gathered; the caller holds the lock, which is released meanwhile.
func (p *pool) join() {
	ids := p.gathered
	jobs := make([]Job, len(ids))
	for k, id := range ids {
		jobs[k] = p.tasks[id].job
	}
	p.gathered = nil
	p.mu.Unlock()
	err := guard.Func(func() error { jobs[0].(Joint).Join(jobs); return nil })()
	p.mu.Lock()
	for _, id := range ids {
		if p.tasks[id].state = taskPending; err != nil {
			p.tasks[id].state, p.tasks[id].err = taskDone, err
		}
	}
	p.pending = append(p.pending, ids...)
	p.work.Broadcast()
}

func (p *pool) serve(worker int) {
	defer p.running.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	for !p.closed {
		id, ok := p.take()
		if !ok {
			p.work.Wait()
			continue
		}
		p.run(id, worker)
		p.finished.Signal() // only the engine waits
	}
}

// wait returns when a task is done, having helped with pending ones, and frees
// it.
func (p *pool) wait(id uint32) (tag uint64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finish(id)
	tag, err = p.tasks[id].tag, p.tasks[id].err
	p.forget(id)
	return tag, err
}

// settle waits for all tasks that an owner has begun, everybody's if it is
// anyone, and frees those that no event will collect.
func (p *pool) settle(owner int32) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var first error
	for id, t := range p.tasks {
		if t.state == taskFree || t.owner != owner && owner != anyone {
			continue
		}
		p.finish(uint32(id))
		if first == nil {
			first = t.err
		}
		if !t.awaited {
			p.forget(uint32(id))
		}
	}
	return first
}

// calm waits for all tasks and frees none.
func (p *pool) calm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, t := range p.tasks {
		if t.state != taskFree {
			p.finish(uint32(id))
		}
	}
}

// finish returns when a task is done, having helped with pending ones. The
// caller holds the lock, which is released meanwhile.
func (p *pool) finish(id uint32) {
	for p.tasks[id].state != taskDone {
		if p.tasks[id].state == taskGathered {
			p.join()
		} else if p.tasks[id].state == taskPending {
			p.run(id, 0)
		} else if other, ok := p.take(); ok {
			p.run(other, 0)
		} else {
			p.finished.Wait()
		}
	}
}

// forget frees a task. The caller holds the lock.
func (p *pool) forget(id uint32) {
	*p.tasks[id] = task{}
	p.free = append(p.free, id)
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.work.Broadcast()
	p.mu.Unlock()
	p.running.Wait()
}
