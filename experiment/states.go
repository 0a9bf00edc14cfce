// States: what a run holds at some moments, kept beside its directory with what it computed, so that others go on from
// there in place of doing again what it did before.

//go:build !page

package experiment

import (
	"errors"
	"fmt"
	"io/fs"

	"overhear/algorithms"
	"overhear/internal/files"
	"overhear/internal/state"
	"overhear/metrics"
	"overhear/sim"
)

// StatesLimit is how many bytes the states of a run may have. Those after it are not kept.
const StatesLimit = 1 << 30

// StatesKept says how a run keeps its states. The zero value is what is usual.
type StatesKept struct {
	Count  int    // how many, about: another run goes on from the latest before its change; 0: 48
	Events uint64 // from one look whether one is due to the next; 0: 64
}

const (
	usualStates = 48
	usualEvents = 64
)

// saving keeps states of a run of so many rounds.
func (k StatesKept) saving(path string, rounds int, key func() ([32]byte, error)) *saving {
	if k.Count == 0 {
		k.Count = usualStates
	}
	if k.Events == 0 {
		k.Events = usualEvents
	}
	every := max(1, rounds/k.Count)
	return &saving{path: path, every: every, due: every, pause: k.Events, key: key}
}

// errStates is of a run that cannot go on from what another holds. It is computed from its start.
var errStates = errors.New("the states that the other run has kept are not used")

// saving keeps the states of a run.
type saving struct {
	path  string
	saver state.Saver
	file  *state.Writer // nil until there is one
	key   func() ([32]byte, error)
	every int    // rounds from one to the next
	due   int    // the round after which there is to be one
	round int    // the latest that was measured
	pause uint64 // events from one look to the next
	err   error  // why there are no more
}

// saves says whether a run's states are to be kept, and can be.
func (e *Experiment) saves(a *Assembly, k *keeping) bool {
	if _, foreign := a.Method.(algorithms.Foreign); foreign || a.Liars != nil || k == nil || k.kept == "" ||
		k.journal == nil {
		return false
	}
	d := 0
	if a.Split != nil {
		d = a.Split.N
	} else {
		d = a.Problem.D
	}
	numbers := (a.Graph.Links() + 8*a.Graph.Order()) * d
	return numbers <= StatesLimit/(8*usualStates)
}

// told tells of every round that is measured; progress may be nil.
func (k *keeping) told(progress func(metrics.Row)) func(metrics.Row) {
	if !k.holds() {
		return progress
	}
	return func(r metrics.Row) {
		if k.saving.round = r.Round; progress != nil {
			progress(r)
		}
	}
}

// take keeps a state if one is due.
func (s *saving) take(engine *sim.Engine, parts ...state.Part) {
	if s.err != nil || s.round < s.due {
		return
	}
	m, err := s.saver.Save(engine.Mark(), append([]state.Part{engine}, parts...)...)
	if errors.Is(err, sim.ErrAmid) {
		return // there is one soon
	}
	if err == nil && m.Size() > StatesLimit/usualStates {
		err = errors.New("a state takes too much room")
	}
	if err == nil && s.file == nil {
		var key [32]byte
		if key, err = s.key(); err == nil {
			s.file, err = state.Create(s.path, key)
		}
	}
	if err == nil && s.file.Size()+int64(m.Size()) > StatesLimit {
		err = errors.New("the states of the run take too much room")
	}
	if err == nil {
		err = s.file.Add(m)
	}
	s.err, s.due = err, s.round+s.every
}

// end closes the file and puts it in its place, if the run is to keep it; place "" has it removed.
func (s *saving) end(place string) error {
	if s == nil || s.file == nil {
		return nil
	}
	err := s.file.Close()
	if err == nil && place != "" {
		return files.Place(s.path, place)
	}
	return errors.Join(err, removed(s.path))
}

// attend has an execution keep its states, and begin from its parent's.
func (k *keeping) attend(e *Experiment, x *Execution, r *recorder) {
	if k.holds() {
		x.every = k.saving.pause
		x.pause = func(engine *sim.Engine, p algorithms.Protocol) { k.saving.take(engine, p, r) }
	}
	if from := k.parent(); from != nil {
		x.begin = func(engine *sim.Engine, p algorithms.Protocol) error {
			return k.resume(sim.Time(e.Changes[from.Change].At), engine, p, r)
		}
	}
}

// resumed says whether a run has gone on from a state of its parent and has not come to its change.
func (k *keeping) resumed() bool { return k.parent() != nil && k.from.Known > 0 && k.from.Same == 0 }

// resume has a run go on from the latest state of its parent before its change that it can go on from, if there is one.
func (k *keeping) resume(change sim.Time, engine *sim.Engine, protocol algorithms.Protocol, r *recorder) error {
	from := k.from
	if from.States == "" || k.kept != "" || k.key == nil {
		return nil
	}
	f, err := state.Open(from.States, *k.key)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, state.ErrOther) && k.journal.Unused() != nil {
		return nil // it has kept none, none can be kept of it, or what it has computed is refused, too, as was said
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errStates, err)
	}
	defer f.Close()
	marks := f.Marks()
	for i := len(marks) - 1; i >= 0; i-- {
		if marks[i].Until >= int64(change) {
			continue
		}
		moments, err := f.Moments(i)
		if err == nil {
			err = state.Load(moments, engine, protocol, r)
		}
		if errors.Is(err, sim.ErrTold) {
			continue
		}
		if err == nil && r.writer != nil {
			err = r.writer.Resume(from.Run, r.counts)
		}
		if err != nil {
			return fmt.Errorf("%w: %w", errStates, err)
		}
		k.journal.Part()
		from.Known = marks[i].Event
		return nil
	}
	return nil
}

// State is what has been recorded and measured.
func (r *recorder) State(c *state.Coder) {
	if r.witness.liars != nil {
		c.Fail(errors.New("what nodes that lie have said is not written"))
		return
	}
	if !c.Reading() && r.writer != nil {
		r.counts = r.writer.Counts()
	}
	state.Plain(c, &r.counts)
	state.Plain(c, &r.packet)
	state.Plain(c, &r.reached)
	c.Vectors(&r.x)
	state.Slice(c, &r.gone)
	c.Vectors(&r.latest)
	state.Plain(c, r.effort)
	state.Plain(c, &r.witness.Lied)
	r.measured().State(c)
}
