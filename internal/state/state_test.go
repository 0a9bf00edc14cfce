// What is saved is what is loaded, from memory and from files.

package state

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// machine is a part with everything that a part may have.
type machine struct {
	round   int
	up      bool
	pair    struct{ a, b float64 }
	list    []int32
	x, y, z []float64
	all     [][]float64
	history []float64
	cells   []*cell
	forgets bool // plants an error: y is not written
	refuses bool
}

type cell struct{ v []float64 }

func (m *machine) State(c *Coder) {
	Plain(c, &m.round)
	Plain(c, &m.up)
	Plain(c, &m.pair)
	Slice(c, &m.list)
	c.Vector(&m.x)
	if !m.forgets {
		c.Vector(&m.y)
	}
	c.Vector(&m.z)
	c.Vectors(&m.all)
	Grown(c, "history", &m.history)
	Each(c, &m.cells, func(k **cell) {
		if !c.Present(*k != nil) {
			*k = nil
			return
		}
		if *k == nil {
			*k = new(cell)
		}
		c.Vector(&(*k).v)
	})
	if m.refuses {
		c.Fail(errors.New("not now"))
	}
}

func drawn(r *rand.Rand) *machine {
	vector := func() []float64 {
		if r.IntN(4) == 0 {
			return nil
		}
		v := make([]float64, r.IntN(5))
		for k := range v {
			v[k] = r.NormFloat64()
		}
		return v
	}
	m := &machine{round: r.IntN(100), up: r.IntN(2) == 0, x: vector(), z: vector()}
	m.pair.a, m.pair.b = math.Copysign(0, -1), math.Inf(1)
	if m.y = vector(); r.IntN(2) == 0 {
		m.y = m.x
	}
	for range r.IntN(4) {
		m.list = append(m.list, r.Int32())
		m.all = append(m.all, m.x, vector(), m.z)
		m.cells = append(m.cells, nil, &cell{m.x})
	}
	for range r.IntN(2000) {
		m.history = append(m.history, r.Float64())
	}
	return m
}

func TestLoad_IsWhatWasSaved(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		saved := drawn(r)
		var s Saver
		var moments []*Moment
		for step := range 1 + r.IntN(5) {
			saved.round = step
			if len(saved.history) > 0 && r.IntN(3) == 0 {
				saved.history[r.IntN(len(saved.history))]++
			}
			saved.history = append(saved.history, float64(step))
			saved.refuses = r.IntN(3) == 0 // what has grown then is not lost
			m, err := s.Save(Mark{Event: uint64(step)}, saved)
			if (err != nil) != saved.refuses {
				t.Fatal(err)
			}
			saved.refuses = false
			if err == nil {
				moments = append(moments, m)
			}
		}
		m, err := s.Save(Mark{}, saved)
		if err != nil {
			t.Fatal(err)
		}
		loaded := drawn(r) // which held something else
		if err := Load(append(moments, m), loaded); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(saved, loaded) {
			t.Fatalf("seed %d: saved\n%+v\nand loaded\n%+v", seed, saved, loaded)
		}
		if len(saved.x) > 0 && len(saved.cells) > 0 && &loaded.cells[1].v[0] != &loaded.x[0] {
			t.Errorf("seed %d: a vector that was shared is there twice", seed)
		}
	}
}

// A part that was set up otherwise, or forgets something, is found, if there is as much to read.
func TestLoad_OfOtherParts(t *testing.T) {
	var s Saver
	m, err := s.Save(Mark{}, &machine{x: []float64{1}, y: []float64{2}})
	if err != nil {
		t.Fatal(err)
	}
	if Load([]*Moment{m}, &machine{forgets: true}) == nil || Load([]*Moment{m}, new(machine), new(machine)) == nil ||
		Load([]*Moment{m}) == nil {
		t.Error("another machine was read")
	}
	match := func(v int) Part { return part(func(c *Coder) { Match(c, "the number", v) }) }
	if m, err = s.Save(Mark{}, match(3)); err != nil {
		t.Fatal(err)
	}
	if Load([]*Moment{m}, match(3)) != nil || Load([]*Moment{m}, match(4)) == nil {
		t.Error("a match is none, or another is one")
	}
}

type part func(*Coder)

func (p part) State(c *Coder) { p(c) }

func TestPlain_TakesNumbersOnly(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a pointer is taken for a number")
		}
	}()
	var s Saver
	_, _ = s.Save(Mark{}, part(func(c *Coder) { Plain(c, new(struct{ p *int })) }))
}

// A file has the moments that were added, and one that is damaged has them or says so.
func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "states")
	key := [32]byte{1, 2, 3}
	w, err := Create(path, key)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 5))
	var s Saver
	m := drawn(r)
	var want []machine
	for k := range 4 {
		m.round, m.history = k, append(m.history, float64(k), 2)
		moment, err := s.Save(Mark{Event: uint64(k), At: int64(10 * k), Until: 7}, m)
		if err == nil {
			err = w.Add(moment)
		}
		if err != nil {
			t.Fatal(err)
		}
		at := *m
		at.history = append([]float64(nil), m.history...)
		want = append(want, at)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil || int64(len(whole)) != w.Size() {
		t.Fatalf("%v: %d bytes of %d", err, len(whole), w.Size())
	}
	if _, err := Open(path, [32]byte{1}); err == nil {
		t.Error("a file with another key is opened")
	}
	read := func() (said int) {
		f, err := Open(path, key)
		if err != nil {
			return 1
		}
		defer f.Close()
		for k := range f.Marks() {
			all, err := f.Moments(k)
			got := new(machine)
			if err == nil {
				err = Load(all, got)
			}
			if err != nil {
				said++
				continue
			}
			if !reflect.DeepEqual(*got, want[k]) {
				t.Fatal("a damaged moment was read")
			}
		}
		return said + len(want) - len(f.Marks())
	}
	if said := read(); said != 0 {
		t.Fatalf("%d moments are missing", said)
	}
	for k := range len(whole) {
		damaged := bytes.Clone(whole)
		damaged[k] ^= 1 << (k % 8)
		if k%3 == 0 {
			damaged = damaged[:k]
		}
		if err := os.WriteFile(path, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		if read() == 0 {
			t.Errorf("nothing is said of byte %d", k)
		}
	}
}
