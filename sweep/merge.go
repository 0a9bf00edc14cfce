// Joining the directories of shards.

package sweep

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"overhear/record"
)

// Merged is what came of a merge.
type Merged struct {
	Total, Stored, Failed int
	Missing               []Range
}

// Range is the numbers of consecutive runs.
type Range struct{ First, Last int }

// MissingText lists at most ten of the ranges.
func (m *Merged) MissingText() string {
	var parts []string
	for k, r := range m.Missing {
		switch {
		case k == 10:
			return strings.Join(append(parts, "…"), ", ")
		case r.First == r.Last:
			parts = append(parts, fmt.Sprint(r.First))
		default:
			parts = append(parts, fmt.Sprintf("%d to %d", r.First, r.Last))
		}
	}
	return strings.Join(parts, ", ")
}

// Merge joins sweeps of one plan in the directory out, which may hold part of it
// already, and writes the tables. Two results of one run that differ are an
// error that wraps a *Conflict. Where one directory has a failure and another a
// result, the result counts.
func Merge(out string, dirs []string) (*Merged, error) {
	var from []*Dir
	defer func() {
		for _, d := range from {
			d.Close()
		}
	}()
	target, _ := os.Stat(out) // nil if it does not exist
	for _, path := range dirs {
		d, err := ReadDir(path)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil && target != nil && os.SameFile(info, target) {
			d.Close()
			continue
		}
		if from = append(from, d); d.Plan.Hash != from[0].Plan.Hash {
			return nil, fmt.Errorf("%s and %s are not of one sweep (%s)", from[0].Path, path,
				from[0].Plan.Differences(d.Plan))
		}
	}
	if from == nil {
		return nil, fmt.Errorf("there is nothing to join but %s itself", out)
	}
	to, err := OpenDir(out, from[0].Plan)
	if err != nil {
		return nil, err
	}
	m, err := to.take(from)
	if err == nil {
		err = to.takeTuning(from)
	}
	return m, errors.Join(err, to.Close())
}

// takeTuning takes over what the whole sweep loses, which every shard that was made with --account says.
func (d *Dir) takeTuning(from []*Dir) error {
	for _, f := range from {
		t, err := record.ReadTuning(f.Path)
		if err != nil {
			return err
		}
		if t != nil {
			return d.writeTuning(t)
		}
	}
	return nil
}

func (d *Dir) take(from []*Dir) (*Merged, error) {
	for _, f := range from {
		err := f.Journal.All(func(index int, b []byte) error { return d.Journal.Put(index, b) })
		if c := (*Conflict)(nil); errors.As(err, &c) {
			return nil, fmt.Errorf("joining %s: %w; compare `%s` on both machines", f.Path, err, d.Plan.Replay(c.Index))
		}
		if err != nil {
			return nil, fmt.Errorf("joining %s: %w", f.Path, err)
		}
	}
	m := &Merged{Total: d.Plan.Len()}
	for index := range m.Total {
		switch d.Journal.State(index) {
		case Broken:
			m.Failed++
			m.Stored++
		case Finished:
			m.Stored++
		default:
			if n := len(m.Missing); n > 0 && m.Missing[n-1].Last == index-1 {
				m.Missing[n-1].Last = index
			} else {
				m.Missing = append(m.Missing, Range{index, index})
			}
		}
	}
	return m, WriteTables(d.Path, d.Plan, d.Journal)
}
