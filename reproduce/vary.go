// Figures and studies under a reader's changes: computed in memory, with the digest of every run.

package reproduce

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"overhear/experiment"
	"overhear/scenarios"
)

// Told is one computation of a figure or a study, by which others can repeat it.
type Told struct {
	Label  string // the curve and its seed; of a study, the command
	Digest string // of every event of the run; of an audit, of what it found
}

// Varied is what a figure or a study comes to under changes.
type Varied struct {
	Claims []Claim
	Runs   []Told
	charts []namedChart
}

// Pictures hands out the charts, in the order of the page.
func (v *Varied) Pictures(draw Draw) {
	for _, c := range v.charts {
		draw(c.name, c.chart)
	}
}

// inMemory keeps a run from recording anything but its digest.
var inMemory = []string{"record.iterates=none", "record.messages=none", "record.trace=digest"}

// Vary computes a figure of so many seeds a curve after changes `path=value` to its scenario, which come before the
// curves' own, and keeps nothing in files. No figure says anything of certificates, and none are computed. progress,
// which may be nil, is told what share of all rounds is computed.
func (f *Figure) Vary(ctx context.Context, set []string, seeds int, progress func(share float64)) (*Varied, error) {
	r := &Results{Figure: f, Seeds: seeds, Runs: make([]Runs, len(f.Curves))}
	v := new(Varied)
	hashes := make([]string, len(f.Curves))
	all := make([]*scenarios.Scenario, len(f.Curves))
	rounds, done := 0, 0 // of all runs
	for k, c := range f.Curves {
		s, err := scenarios.LoadShipped(f.Scenario, slices.Concat(inMemory, set, c.Set)...)
		if err != nil {
			return nil, fmt.Errorf("%s, curve %q: %w", f.Name, c.Label, err)
		}
		if all[k], hashes[k] = s, s.Hash(); slices.Index(hashes, hashes[k]) == k {
			rounds += seeds * (s.Rounds.Count + 1)
		}
	}
	var shared *experiment.Experiment
	for k, c := range f.Curves {
		if first := slices.Index(hashes, hashes[k]); first < k {
			r.Runs[k] = Runs{Curve: c, Tables: r.Runs[first].Tables, Infos: r.Runs[first].Infos}
			continue
		}
		shared = sharing(shared, all[k])
		one := Runs{Curve: c}
		for seed := range seeds {
			seed := uint64(seed) + 1
			info, table, err := shared.MeasureAs(ctx, seed, experiment.Measuring{
				Workers: runtime.GOMAXPROCS(0), Uncertified: true,
				Told: func(round int) {
					if progress != nil {
						progress(float64(done+round+1) / float64(rounds))
					}
				}})
			if err != nil {
				return nil, fmt.Errorf("%s, curve %q: %w", f.Name, c.Label, err)
			}
			done += all[k].Rounds.Count + 1
			one.Infos, one.Tables = append(one.Infos, info), append(one.Tables, table)
			v.Runs = append(v.Runs, Told{fmt.Sprintf("%s, seed %d", c.Label, seed), info.Digest})
		}
		r.Runs[k] = one
	}
	for _, s := range f.Statements(r) {
		v.Claims = append(v.Claims, Claim{Statement: s})
	}
	v.charts = r.pictures()
	return v, nil
}

// sharing is an experiment on a scenario that reads its data where the last one did, if that has the same.
func sharing(last *experiment.Experiment, s *scenarios.Scenario) *experiment.Experiment {
	if last != nil && last.SameData(s) {
		return last.On(s)
	}
	return experiment.New(s, "")
}

// Vary computes a study after changes `path=value` to its scenarios, which come before the study's own, and keeps
// nothing in files: it is for studies that measure and audit. progress, which may be nil, is told how many runs and
// audits have begun.
func (s *Study) Vary(ctx context.Context, set []string, progress func(n int)) (*Varied, error) {
	b, err := s.run(&Workbench{ctx: ctx, progress: progress, vary: true, changes: set})
	if err != nil {
		return nil, err
	}
	v := &Varied{Runs: b.told, charts: b.charts}
	for _, s := range b.statements {
		v.Claims = append(v.Claims, Claim{Statement: s})
	}
	return v, nil
}

// kept is what a measured run records.
func (b *Workbench) kept() []string {
	if b.vary {
		return inMemory
	}
	return metricsOnly
}

// tell notes a computation's digest, if anybody asks for it.
func (b *Workbench) tell(command, digest string) {
	if b.vary {
		b.told = append(b.told, Told{command, digest})
	}
}
