// Why a recorded run did not reach the optimum: faults of its scenario without which it does.

package evaluation

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"overhear/experiment"
	"overhear/internal/minimal"
	"overhear/record"
	"overhear/scenarios"
)

// AstrayOptions say how the runs without faults are made.
type AstrayOptions struct {
	DataDir  string
	Workers  int            // goroutines that compute
	Progress func(runs int) // told how many runs were made when one more is
}

// mishap is a fault of a scenario, by its key there.
type mishap struct {
	key, text string
}

// mishaps are what goes wrong in a run by its scenario: entries of the fault plan, loss and duplication on all links,
// exceptions for single links, and lies.
func mishaps(s *scenarios.Scenario) (all []mishap) {
	for k, f := range s.Network.Faults {
		all = append(all, mishap{fmt.Sprintf("network.faults[%d]", k), f.String()})
	}
	if p := s.Network.Loss; p > 0 {
		all = append(all, mishap{"network.loss", fmt.Sprintf("%.3g %% of all packets are lost", 100*p)})
	}
	if p := s.Network.Duplication; p > 0 {
		all = append(all, mishap{"network.duplication", fmt.Sprintf("%.3g %% of all packets arrive twice", 100*p)})
	}
	for k, l := range s.Network.Links {
		all = append(all, mishap{fmt.Sprintf("network.links[%d]", k),
			fmt.Sprintf("the link %d–%d is not as the others", l.Between[0], l.Between[1])})
	}
	for k := range s.Acts() {
		all = append(all, mishap{fmt.Sprintf("adversary.acts[%d]", k), s.Acts()[k].String()})
	}
	return all
}

// without are the settings, path=value, that leave some mishaps of a scenario out.
func without(s *scenarios.Scenario, gone []mishap) (sets []string) {
	sets = slices.Concat(
		rest("network.faults", s.Network.Faults, gone),
		rest("network.links", s.Network.Links, gone),
		rest("adversary.acts", s.Acts(), gone))
	for _, m := range gone {
		if !strings.HasSuffix(m.key, "]") { // a probability
			sets = append(sets, scenarios.Assign(m.key, 0.0))
		}
	}
	return sets
}

// rest is the setting that leaves some entries of a list out; nil: it leaves out none.
func rest[T any](key string, list []T, gone []mishap) []string {
	kept := []T{}
	for k, one := range list {
		if !slices.ContainsFunc(gone, func(m mishap) bool { return m.key == fmt.Sprintf("%s[%d]", key, k) }) {
			kept = append(kept, one)
		}
	}
	if len(kept) == len(list) {
		return nil
	}
	return []string{scenarios.Assign(key, kept)}
}

// WhyAstray finds faults without which a recorded run reaches the optimum, none of which may stay: each that is put
// back alone keeps it away. It looks for smaller sets, too, by all there are of one fault, of two and so on, as far as
// 200 runs go. Which packets are lost to the faults that stay is as in the run, but for crashes at random,
// which are drawn by their number in the plan.
func WhyAstray(ctx context.Context, r *record.Run, o AstrayOptions) (*record.Astray, error) {
	s, err := scenarioOf(r)
	if err != nil {
		return nil, err
	}
	end := record.EndingOf(r.Info)
	if math.IsNaN(float64(end.Distance)) && end.Ended == "" {
		return nil, experiment.SetupError{Err: fmt.Errorf("where the optimum of %s is, or how far the run was from "+
			"it, is not known", r.Dir)}
	}
	all := mishaps(s)
	a := &record.Astray{End: end, Faults: len(all)}
	if end.Reached() {
		return a, nil
	}
	e := experiment.New(s, o.DataDir)
	if err := unaltered(e, "which faults a run went wrong for"); err != nil { // its changes may be faults
		return nil, err
	}
	if len(all) == 0 {
		return a, nil
	}
	if err := unlike(e, r); err != nil {
		return nil, experiment.SetupError{Err: fmt.Errorf("whether the run reaches the optimum without its faults is "+
			"not known without its data: %w", err)}
	}
	pick := func(some []int) (of []mishap) {
		for _, k := range some {
			of = append(of, all[k])
		}
		return of
	}
	run := func(gone []mishap) (record.Ending, error) {
		if o.Progress != nil {
			o.Progress(a.Runs)
		}
		a.Runs++
		calm, err := scenarioOf(r, without(s, gone)...)
		if err != nil {
			return record.Ending{}, err
		}
		info, _, err := e.On(calm).Measure(ctx, r.Info.Seed, o.Workers)
		if info == nil || ctx.Err() != nil {
			return record.Ending{}, err
		}
		return record.EndingOf(info), nil // that it ended early is told
	}
	if a.Without, err = run(all); err != nil || !a.Without.Reached() {
		return a, err
	}
	reaches := func(gone []int) (bool, error) {
		if len(gone) == 0 {
			return false, nil // the run itself
		}
		end, err := run(pick(gone))
		return end.Reached(), err
	}
	guilty, err := minimal.Subset(len(all), reaches)
	if err != nil {
		return nil, err
	}
	const most = 200 // runs
	smaller, whole, err := minimal.Smaller(len(all), len(guilty), most, reaches)
	if err != nil {
		return nil, err
	}
	if a.Smallest = whole; smaller != nil {
		guilty = smaller
	}
	if a.Calm, err = run(pick(guilty)); err != nil {
		return nil, err
	}
	a.Sets = without(s, pick(guilty))
	for k, one := range guilty {
		back, err := run(pick(slices.Delete(slices.Clone(guilty), k, k+1)))
		if err != nil {
			return nil, err
		}
		a.Guilty = append(a.Guilty, record.Guilty{Key: all[one].key, Text: all[one].text, Back: back})
	}
	return a, nil
}
