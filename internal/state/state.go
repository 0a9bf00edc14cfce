// Package state writes what the parts of a deterministic program hold at a moment, and puts it back into a program that
// was set up alike, which goes on from there.
//
// # Overview
//
// A part says in one function, for writing and for reading, what it holds:
//
//	func (p *part) State(c *state.Coder) {
//		state.Plain(c, &p.round)
//		c.Vector(&p.x)
//	}
//
// What is fixed when a part is set up, and what only saves time, is not said. Vectors that are shared are shared again.
//
//	var s state.Saver
//	moment, err := s.Save(state.Mark{Event: 4096}, engine, nodes)
//	err = state.Load(moments, engine, nodes)
//
// # Invariants
//
//   - What a part cannot say, and what was set up otherwise, is an error: nothing is loaded that was not saved.
//   - Numbers are as in memory: a moment is of one build of the program, and so of one kind of machine.
package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"unsafe"
)

// Part is what has a state.
type Part interface{ State(c *Coder) }

// Coder writes the state of parts, or reads it.
type Coder struct {
	reading bool
	b       []byte // written so far, or yet to be read
	err     error
	numbers map[vector]uint64 // of the vectors written
	vectors [][]float64       // that were read
	saver   *Saver            // of the moments before; nil where it reads
	grown   map[string][]byte // what has grown up to this moment; nil where it writes
}

type vector struct {
	at     *float64
	length int
}

// Reading says whether parts are to take what they held.
func (c *Coder) Reading() bool { return c.reading }

// Fail makes the state one that cannot be written, or read. The first error counts; what follows does nothing.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// Failed is that error, nil if there is none so far.
func (c *Coder) Failed() error { return c.err }

// errShort is of a state with less in it than its parts hold.
var errShort = errors.New("the state ends early")

// raw writes memory, or fills it.
func (c *Coder) raw(b []byte) {
	switch {
	case c.err != nil:
	case !c.reading:
		c.b = append(c.b, b...)
	case len(c.b) < len(b):
		c.Fail(errShort)
	default:
		copy(b, c.b)
		c.b = c.b[len(b):]
	}
}

// plain remembers of types whether they are nothing but numbers.
var plain sync.Map

func isPlain(t reflect.Type) bool {
	if known, ok := plain.Load(t); ok {
		return known.(bool)
	}
	is := false
	switch t.Kind() {
	case reflect.Array:
		is = isPlain(t.Elem())
	case reflect.Struct:
		is = true
		for k := range t.NumField() {
			is = is && isPlain(t.Field(k).Type)
		}
	default:
		is = t.Kind() <= reflect.Complex128
	}
	plain.Store(t, is)
	return is
}

// memory are the bytes of plain values where they are.
func memory[T any](v []T) []byte {
	if t := reflect.TypeFor[T](); !isPlain(t) {
		panic(fmt.Sprintf("state: %v is more than numbers", t))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), uintptr(len(v))*unsafe.Sizeof(*new(T)))
}

// Plain is the state of a number, or of a struct or an array of nothing but numbers.
func Plain[T any](c *Coder, v *T) { c.raw(memory(unsafe.Slice(v, 1))) }

// Match fails unless a value is what it was: parts that were set up otherwise.
func Match[T comparable](c *Coder, what string, v T) {
	was := v
	Plain(c, &was)
	if was != v {
		c.Fail(fmt.Errorf("%s is %v, and was %v", what, v, was))
	}
}

// length is that of a list of elements of some size each; −1 if it is nil.
func (c *Coder) length(n int, absent bool, size uintptr) int {
	if absent {
		n = -1
	}
	length := int64(n)
	Plain(c, &length)
	if c.reading && c.err == nil && (length < -1 || size > 0 && length > int64(len(c.b))/int64(size)) {
		c.Fail(errShort)
	}
	if c.err != nil {
		return -1
	}
	return int(length)
}

// Slice is the state of a list of numbers, or of structs of numbers. One of the same length is filled where it is.
func Slice[T any](c *Coder, v *[]T) {
	n := c.length(len(*v), *v == nil, unsafe.Sizeof(*new(T)))
	if c.reading {
		switch {
		case n < 0:
			*v = nil
		case n != len(*v) || *v == nil:
			*v = make([]T, n)
		}
	}
	c.raw(memory(*v))
}

// Each is the state of a list whose elements have states of their own; do writes or reads one.
func Each[T any](c *Coder, v *[]T, do func(*T)) {
	n := c.length(len(*v), *v == nil, 0)
	if c.reading && n != len(*v) {
		if n > len(c.b) { // an element takes a byte at least
			c.Fail(errShort)
			return
		}
		*v = make([]T, max(n, 0))
	}
	for k := range *v {
		if c.err != nil {
			return
		}
		do(&(*v)[k])
	}
	if c.reading && n < 0 {
		*v = nil
	}
}

// Present says whether something that may be absent was there.
func (c *Coder) Present(there bool) bool {
	Plain(c, &there)
	return there && c.err == nil
}

// Vector is the state of a vector. Of several that are one in memory there is one again; no two are that partly.
func (c *Coder) Vector(v *[]float64) {
	if c.reading {
		c.readVector(v)
		return
	}
	number := uint64(0) // nil
	key := vector{unsafe.SliceData(*v), len(*v)}
	if *v != nil {
		if c.numbers == nil {
			c.numbers = map[vector]uint64{}
		}
		if number = c.numbers[key]; number > 0 && key.length > 0 {
			Plain(c, &number)
			return
		}
		number = uint64(len(c.numbers)) + 1
		if key.length == 0 { // which all are at one place
			number = 1<<64 - 1
		} else {
			c.numbers[key] = number
		}
	}
	Plain(c, &number)
	if number > 0 && key.length > 0 {
		length := int64(len(*v))
		Plain(c, &length)
		c.raw(memory(*v))
	}
}

func (c *Coder) readVector(v *[]float64) {
	var number uint64
	Plain(c, &number)
	switch known := uint64(len(c.vectors)); {
	case c.err != nil:
	case number == 0:
		*v = nil
	case number == 1<<64-1:
		*v = []float64{}
	case number <= known:
		*v = c.vectors[number-1]
	case number > known+1:
		c.Fail(errShort)
	default:
		var read []float64
		if n := c.length(0, false, 8); n >= 0 {
			read = make([]float64, n)
		}
		c.raw(memory(read))
		c.vectors = append(c.vectors, read)
		*v = read
	}
}

// Vectors is the state of a list of vectors.
func (c *Coder) Vectors(v *[][]float64) { Each(c, v, c.Vector) }

// Grown is the state of a list of numbers, or of structs of numbers, that is like that of the moment before but for its
// end, such as a record of what has happened: only what differs is written. The name is its own.
func Grown[T any](c *Coder, name string, v *[]T) {
	n := c.length(len(*v), *v == nil, 0)
	if c.err != nil {
		return
	}
	if !c.reading {
		c.saver.grow(name, memory(*v))
		return
	}
	b := c.grown[name]
	if size := int(unsafe.Sizeof(*new(T))); len(b) != max(n, 0)*size {
		c.Fail(errShort)
		return
	}
	switch {
	case n < 0:
		*v = nil
	case n != len(*v) || *v == nil:
		*v = make([]T, n)
	}
	copy(memory(*v), b)
}

// Mark says when a moment is.
type Mark struct {
	Event uint64 // events before it
	At    int64  // virtual time of the last of them
	Until int64  // until when what was begun ahead of time is as it would have begun
}

// Moment is a state that was written.
type Moment struct {
	Mark
	growth []byte // what has grown since the moment before: see growths
	state  []byte
}

// Size is how many bytes it takes.
func (m *Moment) Size() int { return len(m.growth) + len(m.state) }

// Saver writes the states of a program, one after the other.
type Saver struct {
	before map[string][]byte // what has grown, as it was at the moment before
	growth []byte
}

// grow enters what is new in something that grows: its name, how many bytes stay, and those that follow.
func (s *Saver) grow(name string, b []byte) {
	before := s.before[name]
	same := 0
	for piece := 1 << 12; same < min(len(before), len(b)); {
		next := min(same+piece, len(before), len(b))
		if string(before[same:next]) != string(b[same:next]) {
			break
		}
		same = next
	}
	for _, n := range []int{len(name), same, len(b) - same} {
		s.growth = binary.LittleEndian.AppendUint64(s.growth, uint64(n))
	}
	s.growth = append(append(s.growth, name...), b[same:]...)
	s.before[name] = append(before[:same], b[same:]...)
}

// Save writes the state of parts at a moment. After an error there is none, and later ones may be saved: what has grown
// up to it is written with the next.
func (s *Saver) Save(mark Mark, parts ...Part) (*Moment, error) {
	if s.before == nil {
		s.before = map[string][]byte{}
	}
	c := &Coder{saver: s}
	for _, p := range parts {
		if p.State(c); c.err != nil {
			return nil, c.err
		}
	}
	m := &Moment{Mark: mark, growth: s.growth, state: c.b}
	s.growth = nil
	return m, nil
}

// Load puts parts into the state of the last of the moments, which are all up to it. After an error parts may hold
// anything.
func Load(moments []*Moment, parts ...Part) error {
	c := &Coder{reading: true, b: moments[len(moments)-1].state}
	if err := c.takeGrowth(moments); err != nil {
		return err
	}
	for _, p := range parts {
		if p.State(c); c.err != nil {
			return c.err
		}
	}
	if len(c.b) > 0 {
		return errors.New("the state has more in it than its parts hold")
	}
	return nil
}

// takeGrowth puts together what has grown from moment to moment. It may be most of the state of a long run, so that the
// room for it is made once.
func (c *Coder) takeGrowth(moments []*Moment) error {
	length, most := map[string]uint64{}, map[string]uint64{}
	for _, m := range moments {
		err := eachGrowth(m.growth, func(name, more []byte, same uint64) error {
			n := length[string(name)]
			if same > n {
				return errShort
			}
			n = same + uint64(len(more))
			length[string(name)], most[string(name)] = n, max(n, most[string(name)])
			return nil
		})
		if err != nil {
			return err
		}
	}
	c.grown = map[string][]byte{}
	for name, n := range most {
		c.grown[name] = make([]byte, 0, n)
	}
	for _, m := range moments {
		_ = eachGrowth(m.growth, func(name, more []byte, same uint64) error { // was without an error above
			c.grown[string(name)] = append(c.grown[string(name)][:same], more...)
			return nil
		})
	}
	return nil
}

// eachGrowth calls do for each list in what was new at a moment: its name, what came to it, and of how many bytes of
// before that is the continuation.
func eachGrowth(growth []byte, do func(name, more []byte, same uint64) error) error {
	for len(growth) > 0 {
		if len(growth) < 24 {
			return errShort
		}
		name, same := binary.LittleEndian.Uint64(growth), binary.LittleEndian.Uint64(growth[8:])
		more := binary.LittleEndian.Uint64(growth[16:])
		growth = growth[24:]
		if left := uint64(len(growth)); name > left || more > left-name {
			return errShort
		}
		if err := do(growth[:name], growth[name:name+more], same); err != nil {
			return err
		}
		growth = growth[name+more:]
	}
	return nil
}
