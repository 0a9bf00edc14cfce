// What findings came from: whether others are there already, and whether those of one report belong together.

package evaluation

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"overhear/experiment"
	"overhear/record"
	"overhear/scenarios"
)

// SameAttacks returns an error that says in what the attacks that were carried out before, and what they found, are
// not those on a run with these changes of its adversary.
func SameAttacks(there *record.Attacks, r *record.Run, sets []string) error {
	path := filepath.Join(r.Dir, record.AttacksFile)
	if there.Digest != r.Info.Digest || there.Seed != r.Info.Seed {
		return fmt.Errorf("%s is of another run than the one beside it", path)
	}
	now, err := scenarios.Parse(filepath.Join(r.Dir, "run.json"), []byte(r.Info.Scenario), sets...)
	if err != nil {
		return err
	}
	// The scenario of an earlier version's file is the run's, without the changes.
	was, err := scenarios.Parse(path, []byte(there.Scenario), there.Changes...)
	if err != nil {
		return fmt.Errorf("%s is of a scenario that this version cannot read", path)
	}
	if changes := scenarios.Changes(was, now); changes != nil {
		other := experiment.OtherScenario{Changes: changes}
		return fmt.Errorf("%s is of other settings (%s)", path, other.Differences())
	}
	return nil
}

// LosesScores returns an error if attacks had been scored and are not now, as the data are no longer at hand.
func LosesScores(r *record.Run, there, now *record.Attacks) error {
	unscored := func(f record.Finding) bool { return f.Succeeded == record.Unscored }
	scored := func(f record.Finding) bool { return f.Succeeded != record.Unscored && f.Succeeded != record.Blocked }
	if !slices.ContainsFunc(now.Findings, unscored) || !slices.ContainsFunc(there.Findings, scored) {
		return nil
	}
	for _, f := range there.Findings {
		k := slices.IndexFunc(now.Findings, func(n record.Finding) bool {
			return n.Attack == f.Attack && n.Victim == f.Victim
		})
		if scored(f) && k >= 0 && unscored(now.Findings[k]) {
			return fmt.Errorf("%s has findings that are scored, such as %s: %s; now nothing is scored: %s",
				filepath.Join(r.Dir, record.AttacksFile), f.Attack, f.Succeeded, now.Unscored)
		}
	}
	return nil
}

// SameAudit returns an *experiment.OtherScenario if the audit in dir is not of this scenario with so many runs in each
// world; 0: as the scenario says.
func SameAudit(e *experiment.Experiment, dir string, there *record.Audit, runs int) error {
	if runs == 0 {
		runs = auditSpec(e.Scenario).Runs
	}
	const key = "adversary.audit.runs"
	err := e.Same(dir, "", there.Scenario, there.Inputs.Files)
	var other *experiment.OtherScenario
	if err != nil && !errors.As(err, &other) {
		return err
	}
	if there.Runs == runs || other != nil && other.Changes == nil {
		return err
	}
	if other == nil {
		other = &experiment.OtherScenario{Dir: dir}
	}
	other.Changes = slices.DeleteFunc(other.Changes, func(c scenarios.Change) bool { return c.Path == key })
	other.Changes = append(other.Changes,
		scenarios.Change{Path: key, Was: fmt.Sprint(there.Runs), Is: fmt.Sprint(runs)})
	return other
}

// Origin is what one part of a report came from.
type Origin struct {
	What     string // in words
	Scenario string // resolved
	record.Inputs
}

// Disagreements says in words which parts of a report came from another program, or from other bytes of the same
// file, than the parts before them.
func Disagreements(all []Origin) []string {
	var told []string
	tell := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !slices.Contains(told, text) {
			told = append(told, text)
		}
	}
	type first struct{ what, sum string }
	program := first{}
	files := map[string]first{} // by path, or by name in the data directory
	for _, o := range all {
		if o.Program == "" {
			tell("%s does not say what it came from", o.What)
			continue
		}
		switch {
		case program.sum == "":
			program = first{o.What, o.Program}
		case program.sum != o.Program:
			tell("%s came from another program (%s) than %s (%s)", o.What, o.Program, program.what, program.sum)
		}
		paths := map[string]string{}
		if s, err := scenarios.Parse(o.What, []byte(o.Scenario)); err == nil {
			paths = s.FilesByKey()
		}
		for _, key := range slices.Sorted(maps.Keys(o.Files)) {
			path, sum := cmp.Or(paths[key], key), o.Files[key]
			before, known := files[path]
			switch {
			case !known:
				files[path] = first{o.What, sum}
			case before.sum != sum:
				tell("%s came from other bytes of %s (SHA-256 %.12s…) than %s (%.12s…)", o.What, path, sum, before.what,
					before.sum)
			}
		}
	}
	return told
}
