// Attacks with a memo find what they find without, to the last bit, and search nothing twice.

package adversary

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/sim"
)

func TestMemo_ChangesNoBitOfWhatIsFound(t *testing.T) {
	f := small(t, 7, 8, ring(5))
	const rounds = 6
	k, _ := f.allBut(1, 0)
	noisy, public := run(t, f, "dvp", rounds, sim.Link{}, func(p *algorithms.DVP) {
		p.Eta, p.Alpha = 0.3, *constant(40)
	})
	plain, known := run(t, f, "admm", rounds, sim.Link{}, func(p *algorithms.ADMM) { p.Eta = 0.3 })
	for _, c := range []struct {
		rec    *Recording
		attack string
		view   func(*Recording) *View
	}{
		{noisy, "kkt-rounds", func(r *Recording) *View { return Observe(r, Vantage{Partial: true}, public, k) }},
		{noisy, "kkt-projection", func(r *Recording) *View {
			return Observe(r, Vantage{Partial: true}, public.Without(model.Penalty), k)
		}},
		{plain, "kkt-rounds", func(r *Recording) *View { return Observe(r, Vantage{Partial: true}, known, k) }},
		{plain, "late-joiner", func(r *Recording) *View { return Observe(r, Vantage{Partial: true}, known, k) }},
	} {
		m := NewMemo()
		for at := range c.rec.Messages {
			part := *c.rec
			part.Messages = slices.Delete(slices.Clone(c.rec.Messages), at, at+1)
			want, err := json.Marshal(carry(t, c.attack, c.view(&part)))
			if err != nil {
				t.Fatal(err)
			}
			got := carry(t, c.attack, c.view(&part).Remember(m))
			if b, _ := json.Marshal(got); string(b) != string(want) {
				t.Errorf("%s without packet %d: %s, not %s", c.attack, at, b, want)
			}
		}
		if n := len(m.solutions); n == 0 || n >= len(c.rec.Messages) {
			t.Errorf("%s: %d searches for views without one of %d packets", c.attack, n, len(c.rec.Messages))
		}
		for key, was := range m.solutions { // what is in the memo is not searched again
			was.rivals = 7
			m.solutions[key] = was
		}
		got := carry(t, c.attack, c.view(c.rec).Remember(m))
		if !strings.Contains(got.Conclusion, "7 other vectors") {
			t.Errorf("%s: %s", c.attack, got.Conclusion)
		}
	}
}

// A memo keeps no more than it may: the oldest goes first, of solutions and of factors, and what went is found again.
func TestMemo_HasABound(t *testing.T) {
	f := small(t, 7, 8, ring(5))
	k, _ := f.allBut(1, 0)
	rec, public := run(t, f, "dvp", 6, sim.Link{}, func(p *algorithms.DVP) { p.Eta, p.Alpha = 0.3, *constant(40) })
	over := func(m *Memo) (seen int) {
		for at := range rec.Messages {
			part := *rec
			part.Messages = slices.Delete(slices.Clone(rec.Messages), at, at+1)
			v := Observe(&part, Vantage{Partial: true}, public, k)
			want, _ := json.Marshal(carry(t, "kkt-rounds", v))
			if got, _ := json.Marshal(carry(t, "kkt-rounds", v.Remember(m))); string(got) != string(want) {
				t.Errorf("without packet %d: %s, not %s", at, got, want)
			}
			if m.bytes > m.most || len(m.kept) != len(m.solutions)+len(m.kernels) {
				t.Fatalf("%d bytes of %d, %d notes of %d and %d", m.bytes, m.most, len(m.kept), len(m.solutions),
					len(m.kernels))
			}
			seen = max(seen, len(m.kept))
		}
		return seen
	}
	free := NewMemo()
	all := over(free)
	tight := NewMemo()
	tight.most = free.bytes / 3
	if few := over(tight); few == 0 || few >= all || tight.Searched <= free.Searched ||
		free.Recalled+free.Searched != tight.Recalled+tight.Searched {
		t.Errorf("%d of %d are kept; %d searches and %d that were not, without a bound %d and %d", few, all,
			tight.Searched, tight.Recalled, free.Searched, free.Recalled)
	}

	m := NewMemo()
	m.most = 3 * (8*10 + 200)
	for n := range byte(5) {
		key := [32]byte{n}
		if n%2 == 0 {
			m.solutions[key] = remembered{}
		} else {
			m.kernels[key] = nil
		}
		m.keep(key, 10)
	}
	var left []byte
	for _, n := range m.kept {
		left = append(left, n.key[0])
	}
	_, gone := m.kernels[[32]byte{1}]
	if string(left) != "\x02\x03\x04" || len(m.solutions) != 2 || len(m.kernels) != 1 || gone || m.bytes != m.most {
		t.Errorf("%v are left, %d bytes: %v, %v", left, m.bytes, m.solutions, m.kernels)
	}
	if m.keep([32]byte{9}, 1000); len(m.kept) != 0 || m.bytes != 0 {
		t.Errorf("what is larger than all is kept: %v", m.kept)
	}
}

// Whatever a search goes by makes another key.
func TestMemo_KeyIsOfAllThatASearchGoesBy(t *testing.T) {
	of := func(change func(s *inversion, e *condition)) [32]byte {
		f := &free{q: []float64{1, 2}, power: 1, start: 2, growth: 3}
		s := &inversion{d: 2, share: 0.5, kind: model.Laplace, equations: []condition{{at: []float64{1, 2},
			target: []float64{3, 4}, hidden: [][]float64{{5, 6}}, group: 1, weight: 2, ridge: 3, free: f}}}
		change(s, &s.equations[0])
		return s.key(1, []float64{7, 8})
	}
	keys := map[[32]byte]int{}
	for k, change := range []func(s *inversion, e *condition){
		func(*inversion, *condition) {},
		func(s *inversion, _ *condition) { s.share++ },
		func(s *inversion, _ *condition) { s.kind = model.Silent },
		func(s *inversion, e *condition) { s.equations = append(s.equations, *e) },
		func(_ *inversion, e *condition) { e.at[1]++ },
		func(_ *inversion, e *condition) { e.target[1]++ },
		func(_ *inversion, e *condition) { e.hidden[0][1]++ },
		func(_ *inversion, e *condition) { e.hidden = append(e.hidden, []float64{1, 2}) },
		func(_ *inversion, e *condition) { e.group++ },
		func(_ *inversion, e *condition) { e.weight++ },
		func(_ *inversion, e *condition) { e.ridge++ },
		func(_ *inversion, e *condition) { e.free = nil },
		func(_ *inversion, e *condition) { e.free.q[0]++ },
		func(_ *inversion, e *condition) { e.free.power++ },
		func(_ *inversion, e *condition) { e.free.start++ },
		func(_ *inversion, e *condition) { e.free.growth++ },
	} {
		key := of(change)
		if other, ok := keys[key]; ok {
			t.Errorf("changes %d and %d have one key", other, k)
		}
		keys[key] = k
	}
	s := &inversion{d: 2}
	if s.key(1, nil) == s.key(2, nil) || s.key(1, nil) == s.key(1, []float64{1}) {
		t.Error("another victim, or start, has one key")
	}
}
