// Pending events in order of (time, tie key).

package sim

import "math/bits"

// event is what happens to a node at an instant. Two events of a run never have
// the same key.
type event struct {
	at   Time
	key  uint64 // order among events of one instant
	arg  uint64 // message: its slot; wake: its tag; computed: its task
	node int32
	kind kind
}

type kind uint8

const (
	kindStart kind = iota
	kindMessage
	kindComputed
	kindTimer
)

func (k kind) String() string {
	return [...]string{"start", "message", "computed", "timer"}[k]
}

func (e *event) before(f *event) bool { return e.earlier(f) != 0 }

// earlier is 1 if e is before f, else 0: the borrow of a subtraction of (time,
// key) pairs. Which of two events comes first is a coin toss that no processor
// predicts, so the heap decides it without a branch.
func (e *event) earlier(f *event) uint64 {
	_, borrow := bits.Sub64(e.key, f.key, 0)
	_, borrow = bits.Sub64(uint64(e.at), uint64(f.at), borrow)
	return borrow
}

// queue holds pending events. Times pushed are never before the last one
// popped.
type queue interface {
	push(e *event)
	pop(e *event) bool // false when empty
}

// heap4 is a 4-ary heap: the reference queue, and a part of the other.
type heap4 struct{ events []event }

func (h *heap4) push(e *event) {
	h.events = append(h.events, event{})
	a := h.events
	i := len(a) - 1
	for i > 0 {
		p := (i - 1) / 4
		if !e.before(&a[p]) {
			break
		}
		a[i] = a[p]
		i = p
	}
	a[i] = *e
}

func (h *heap4) pop(out *event) bool {
	a := h.events
	if len(a) == 0 {
		return false
	}
	*out = a[0]
	last := &a[len(a)-1]
	a = a[:len(a)-1]
	h.events = a
	i := 0
	for {
		c := 4*i + 1
		if c >= len(a) {
			break
		}
		least := c
		if c+4 <= len(a) {
			four := a[c : c+4 : c+4]
			left := four[1].earlier(&four[0])
			right := 2 + four[3].earlier(&four[2])
			least += int(left + (right-left)*four[right&3].earlier(&four[left&3]))
		} else {
			for k := c + 1; k < len(a); k++ {
				if a[k].before(&a[least]) {
					least = k
				}
			}
		}
		if !a[least].before(last) {
			break
		}
		a[i] = a[least]
		i = least
	}
	if len(a) > 0 {
		a[i] = *last
	}
	return true
}

// radix is a monotone radix heap (Ahuja, Mehlhorn, Orlin & Tarjan 1990) with a
// sorted run at its near end.
//
// An event beyond the horizon is in the bucket of the highest digit in which its
// time differs from the horizon, and of that digit's value, so that buckets are in
// order of time and an event moves to a lower bucket at most once a digit. When
// nothing up to the horizon is left, the first bucket becomes the run as a whole
// if it is one block, and otherwise is split over those of lower digits. What is
// pushed up to the horizon meanwhile is in an ordinary heap.
type radix struct {
	run     *block             // all that is up to the horizon but for late
	order   [blockEvents]uint8 // of the run's events
	next    int                // the first in that order that is pending
	count   int                // of events in the run, past ones included
	late    heap4              // events pushed up to the horizon
	horizon Time
	levels  uint64                          // bit l: some bucket of digit l is not empty
	words   [digits]uint64                  // bit w: some bit of full[l][w] is set
	full    [digits][1 << digit / 64]uint64 // bit v, over all words: the bucket of value v is not empty
	buckets [digits][1 << digit]bucket      // by digit of the time, the least significant first, and its value
	spare   *block
	soon    func([]event) // told, in no order, of events that will be popped before many others; nil: nobody
	told    Time          // of those up to which
}

// digit is how many bits a digit of a time has. With eight, two digits would meet at
// 17 ms: at usual delays most events would be beyond, and move once more.
const (
	digit  = 9
	digits = (63 + digit - 1) / digit
)

// bucket is a list of blocks, of which the head holds n events and the others
// are full.
type bucket struct {
	head *block
	n    int
}

// least is the earliest time in a bucket that is not empty.
func (u *bucket) least() Time {
	least := u.head.events[0].at
	for k, n := u.head, u.n; k != nil; k, n = k.next, blockEvents {
		for i := range k.events[:n] {
			least = min(least, k.events[i].at)
		}
	}
	return least
}

const blockEvents = 31

type block struct {
	events [blockEvents]event
	next   *block
}

// add is push of an event that is made where it will be.
func (r *radix) add(at Time, key, arg uint64, node int32, k kind) {
	if at <= r.horizon {
		r.late.push(&event{at: at, key: key, arg: arg, node: node, kind: k})
		return
	}
	e := r.place(at)
	e.at, e.key, e.arg, e.node, e.kind = at, key, arg, node, k
}

func (r *radix) push(e *event) {
	if e.at <= r.horizon {
		r.late.push(e)
		return
	}
	*r.place(e.at) = *e
}

// place makes room for an event beyond the horizon, which the caller writes
// there, field by field: copying one just built would wait for its stores.
func (r *radix) place(at Time) *event {
	level := uint(bits.Len64(uint64(at^r.horizon))-1) / digit
	value := uint(at>>(digit*level)) % (1 << digit)
	u := &r.buckets[level][value]
	if u.head == nil {
		u.head, u.n = r.block(), 0
		r.full[level][value/64] |= 1 << (value % 64)
		r.words[level] |= 1 << (value / 64)
		r.levels |= 1 << level
	} else if u.n == blockEvents {
		k := r.block()
		k.next = u.head
		u.head, u.n = k, 0
	}
	e := &u.head.events[u.n]
	u.n++
	return e
}

func (r *radix) block() *block {
	k := r.spare
	if k == nil {
		return new(block)
	}
	r.spare = k.next
	k.next = nil
	return k
}

func (r *radix) free(k *block) {
	if k != nil {
		k.next = r.spare
		r.spare = k
	}
}

func (r *radix) pop(e *event) bool {
	first := r.take(e)
	if first != nil && first != e {
		*e = *first
	}
	return first != nil
}

// take is pop of an event that stays where it is until the next is taken, or is moved to room; nil: there is none.
func (r *radix) take(room *event) *event {
	for {
		if r.next < r.count {
			first := &r.run.events[r.order[r.next]]
			if len(r.late.events) > 0 && r.late.events[0].before(first) {
				r.late.pop(room)
				return room
			}
			r.next++
			return first
		}
		if r.late.pop(room) {
			return room
		}
		if r.levels == 0 {
			return nil
		}
		r.advance()
	}
}

// advance moves the horizon to the first bucket; there is one, and nothing before it.
func (r *radix) advance() {
	level := bits.TrailingZeros64(r.levels)
	word := bits.TrailingZeros64(r.words[level])
	value := 64*word + bits.TrailingZeros64(r.full[level][word])
	u := r.buckets[level][value]
	r.buckets[level][value].head = nil
	if r.full[level][word] &^= 1 << (value % 64); r.full[level][word] == 0 {
		if r.words[level] &^= 1 << word; r.words[level] == 0 {
			r.levels &^= 1 << level
		}
	}
	if u.head.next == nil {
		// All times that share the bucket's digits down to its own are now near.
		r.horizon = u.head.events[0].at | (1<<(digit*level) - 1)
		r.free(r.run)
		r.run, r.next, r.count = u.head, 0, u.n
		r.sort()
		if r.soon != nil {
			r.tell(u, r.horizon)
		}
		return
	}
	r.horizon = u.least()
	if r.soon != nil {
		r.tell(u, r.horizon|(1<<(digit*level)-1))
	}
	n := u.n
	for k := u.head; k != nil; n = blockEvents {
		for i := range k.events[:n] {
			r.push(&k.events[i])
		}
		next := k.next
		r.free(k)
		k = next
	}
}

// tell passes on the events of a bucket that reaches up to a time, if they are few enough that what is read for them is
// in a cache still when they are popped.
func (r *radix) tell(u bucket, last Time) {
	const most = 10 // blocks
	if last <= r.told || u.head.next == nil && u.n == 1 {
		return
	}
	blocks := 0
	for k := u.head; k != nil; k = k.next {
		if blocks++; blocks > most {
			return
		}
	}
	for k, n := u.head, u.n; k != nil; k, n = k.next, blockEvents {
		r.soon(k.events[:n])
	}
	r.told = last
}

// sort finds the order of the run. An event's place is the number of those before it: all pairs are compared, which
// for so few takes less than the wrong guesses of a processor about a sort that branches.
func (r *radix) sort() {
	var place [blockEvents]uint8
	events := r.run.events[:r.count]
	for i := range events {
		e, later := &events[i], uint8(0)
		for j := range events[:i] {
			c := uint8(e.earlier(&events[j]))
			place[j] += c
			later += c
		}
		place[i] = uint8(i) - later
	}
	for i := range events {
		r.order[place[i]] = uint8(i)
	}
}
