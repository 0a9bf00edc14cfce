// The board: which runs are to be handed out, are queued, are stored.

package jetstream

import (
	"sync"

	"overhear/sweep"
)

// mark is how far a run is.
type mark uint8

const (
	foreign mark = iota // not asked for, or stored
	waiting
	queued
)

const (
	largestBatch = 16      // runs of a task
	window       = 1 << 14 // runs in the queue at a time
)

// board is what a coordinator knows. It is made anew by each process.
type board struct {
	work  sweep.Work
	batch int

	begun chan struct{} // closed when what was stored before is known
	moved chan struct{} // holds something when there is something to hand out
	over  chan struct{} // closed when all is stored, and what was to be checked is checked

	mu     sync.Mutex
	marks  []mark
	left   int         // not stored
	queue  int         // queued
	cursor int         // nothing waits before it
	puts   int         // results so far
	checks int         // not decided
	rounds map[int]int // how often a run was handed back; such a run is a task of its own
}

func newBoard(w sweep.Work, batch int) *board {
	if batch == 0 {
		batch = min(largestBatch, max(1, len(w.Todo)/32))
	}
	b := &board{work: w, batch: batch, begun: make(chan struct{}), moved: make(chan struct{}, 1),
		over: make(chan struct{}), rounds: map[int]int{},
		marks: make([]mark, w.Plan.Len()), left: len(w.Todo)}
	for _, index := range w.Todo {
		b.marks[index] = waiting
	}
	return b
}

// begin notes that what was stored before is known; called any number of times
// by one goroutine.
func (b *board) begin() {
	select {
	case <-b.begun:
	default:
		close(b.begun)
	}
}

// again says whether a run that is stored as failed is to be computed again.
func (b *board) again(index int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.marks[index] != foreign && b.work.Store.State(index) == sweep.Broken
}

// put stores a result, also of a run that nobody asked for: the store knows
// whether it differs from what it has.
func (b *board) put(index int, result []byte, failed bool) error {
	if err := b.work.Store.Put(index, result); err != nil {
		return err
	}
	b.mu.Lock()
	was := b.marks[index]
	b.marks[index] = foreign
	b.puts++
	if was != foreign {
		b.left--
	}
	if was == queued {
		b.queue--
	}
	low := b.queue < window/2
	b.settle()
	b.mu.Unlock()
	if was != foreign {
		b.work.Stored(index, failed)
	}
	if low {
		b.poke()
	}
	return nil
}

// poke has handOut look for something to hand out.
func (b *board) poke() {
	select {
	case b.moved <- struct{}{}:
	default:
	}
}

// settle notes that the sweep is over, if it is; b.mu is held.
func (b *board) settle() {
	if b.left > 0 || b.checks > 0 {
		return
	}
	select {
	case <-b.over:
	default:
		close(b.over)
	}
}

// check counts a result that is to be checked, or with −1 one that is.
func (b *board) check(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.checks += n
	b.settle()
}

// checking is how many results are to be checked, if nothing else is left.
func (b *board) checking() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left > 0 {
		return 0
	}
	return b.checks
}

// giveBack has runs that were queued handed out again, one by one.
func (b *board) giveBack(t task) {
	b.mu.Lock()
	for index := t.first; index <= t.last; index++ {
		if b.marks[index] == queued {
			b.marks[index] = waiting
			b.queue--
			b.rounds[index]++
			b.cursor = min(b.cursor, index)
		}
	}
	b.mu.Unlock()
	b.poke()
}

// drop takes back a stored result; the run is handed out again.
func (b *board) drop(index int) error {
	failed := b.work.Store.State(index) == sweep.Broken
	if b.work.Store.State(index) == sweep.Open {
		return nil
	}
	if err := b.work.Store.Drop(index); err != nil {
		return err
	}
	b.mu.Lock()
	if b.marks[index] == foreign {
		b.marks[index] = waiting
		b.left++
		b.rounds[index]++
		b.cursor = min(b.cursor, index)
	}
	b.mu.Unlock()
	b.work.Dropped(index, failed)
	b.poke()
	return nil
}

// progress is the number of results so far.
func (b *board) progress() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.puts
}

// align takes what is in the queue from a list of it.
func (b *board) align(tasks []task) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for index, m := range b.marks {
		if m == queued {
			b.marks[index] = waiting
		}
	}
	b.queue, b.cursor = 0, 0
	for _, t := range tasks {
		for index := t.first; index <= t.last && index < len(b.marks); index++ {
			if b.marks[index] == waiting {
				b.marks[index] = queued
				b.queue++
			}
		}
	}
}

// next are tasks to put in the queue, of consecutive runs each.
func (b *board) next() []task {
	b.mu.Lock()
	defer b.mu.Unlock()
	var tasks []task
	for ; b.cursor < len(b.marks) && b.queue < window; b.cursor++ {
		index := b.cursor
		if b.marks[index] != waiting {
			continue
		}
		b.marks[index] = queued
		b.queue++
		round, k := b.rounds[index], len(tasks)-1
		if k >= 0 && round == 0 && tasks[k].round == 0 && tasks[k].last == index-1 && tasks[k].count() < b.batch {
			tasks[k].last = index
		} else {
			tasks = append(tasks, task{index, index, round})
		}
	}
	return tasks
}
