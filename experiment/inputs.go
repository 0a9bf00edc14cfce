// What a run comes from besides scenario and seed, and which seeds are finished.

package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overhear/internal/files"
	"overhear/internal/stage"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// Inputs is what the experiment's runs come from, besides scenario and seed: the
// program, and the bytes that data and graphs had when they were first looked at.
func (e *Experiment) Inputs() (record.Inputs, error) {
	sums, err := e.fileSums()
	return record.Inputs{Program: Program(), Files: sums}, err
}

// Look takes down which bytes data and graphs have, which takes as long as to read them once.
func (e *Experiment) Look(ctx context.Context) error {
	if err := stage.At(ctx, "hashing the scenario's files", 0, 0); err != nil {
		return err
	}
	_, err := stage.Do(ctx, e.fileSums)
	return err
}

// fileSums are the hashes of the files that the experiment reads.
func (e *Experiment) fileSums() (map[string]string, error) {
	e.sumsOnce.Do(func() {
		e.sums = map[string]string{}
		for key, path := range e.FilesByKey() {
			sum, err := files.Hash(path)
			if err != nil {
				e.sumsErr = SetupError{fmt.Errorf("reading %s: %w%s", key, err, lookedFrom(path, err))}
				return
			}
			e.sums[key] = sum
		}
		if set, ok := problem.FindSet(e.Problem.Data.Set); ok {
			for _, f := range set.Files {
				e.sums[f.Path] = f.SHA256 // reading fails if it has another
			}
		}
	})
	return e.sums, e.sumsErr
}

// lookedFrom says from where a file was looked for that is not there: a run's directory has paths as they were where
// the run was made, and who looks at it from another place sees no reason.
func lookedFrom(path string, err error) string {
	from, unknown := os.Getwd()
	if unknown != nil || filepath.IsAbs(path) || !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return ", looked for from " + from
}

// Changed says which files have changed since a run or an audit came from them.
func (e *Experiment) Changed(since record.Inputs) []string {
	now, err := e.Inputs()
	if err != nil {
		return nil
	}
	return ChangedFiles(since.Files, now.Files, e.FilesByKey())
}

// ChangedBut is Changed without the files of a section of the scenario, such as "problem.".
func (e *Experiment) ChangedBut(section string, since record.Inputs) []string {
	others := map[string]string{}
	for key, sum := range since.Files {
		if !strings.HasPrefix(key, section) {
			others[key] = sum
		}
	}
	return e.Changed(record.Inputs{Files: others})
}

// ChangedFiles says which files have other hashes than they had, by the keys that name them.
func ChangedFiles(since, now, paths map[string]string) (all []string) {
	for _, key := range slices.Sorted(maps.Keys(since)) {
		if was, is := since[key], now[key]; was != is && is != "" {
			all = append(all, fmt.Sprintf("%s has changed since the run: its SHA-256 was %.12s…, is %.12s…",
				cmp.Or(paths[key], key), was, is))
		}
	}
	return all
}

// unchanged returns an error if a file that was just read is not the one whose hash
// is taken down; keys are those that begin with section.
func (e *Experiment) unchanged(section string) error {
	sums, err := e.fileSums()
	if err != nil {
		return err
	}
	for key, path := range e.FilesByKey() {
		if !strings.HasPrefix(key, section) {
			continue
		}
		switch sum, err := files.Hash(path); {
		case err != nil:
			return err
		case sum != sums[key]:
			return fmt.Errorf("%s has changed since the command began; run it again", path)
		}
	}
	return nil
}

// OtherScenario is the error of OpenDirectory where a directory holds runs of
// another scenario.
type OtherScenario struct {
	Dir     string
	Changes []scenarios.Change // from that scenario to this; nil where that one cannot be read
}

func (o *OtherScenario) Error() string {
	return fmt.Sprintf("%s holds results of another scenario (%s); choose another --out, give this one another name, "+
		"or move that directory away", o.Dir, o.Differences())
}

// Differences says in words what changed.
func (o *OtherScenario) Differences() string {
	if o.Changes == nil {
		return "one that this version cannot read"
	}
	var parts []string
	for _, c := range o.Changes {
		parts = append(parts, c.String())
	}
	if more := len(parts) - 8; more > 0 {
		parts = append(parts[:8], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, "; ")
}

// OpenDirectory opens the directory of the scenario's runs for this process alone,
// or makes it. The error is an *OtherScenario where it has runs of another.
func (e *Experiment) OpenDirectory(path string) (*record.Directory, error) {
	d, err := record.OpenDirectory(path)
	if err != nil {
		return nil, err
	}
	runs, err := d.Runs()
	for _, r := range runs {
		if err == nil {
			err = e.Same(r.Dir, r.Info.ScenarioHash, r.Info.Scenario, r.Info.Inputs.Files)
		}
		var other *OtherScenario
		if errors.As(err, &other) {
			other.Dir = path
		}
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

// Same returns an *OtherScenario if a scenario that was recorded in dir, resolved,
// is not this one. A file counts by its bytes, as far as their hashes were
// recorded, and not by its path.
func (e *Experiment) Same(dir, hash, resolved string, sums map[string]string) error {
	if hash == e.Hash() {
		return nil
	}
	was, err := scenarios.Parse(filepath.Join(dir, "scenario"), []byte(resolved))
	if err != nil {
		return &OtherScenario{Dir: dir}
	}
	changes := scenarios.Changes(was, e.Scenario)
	if changes == nil {
		return nil // only its form is of another version
	}
	now, err := e.Inputs()
	if err != nil {
		return err
	}
	changes = slices.DeleteFunc(changes, func(c scenarios.Change) bool {
		return sums[c.Path] != "" && sums[c.Path] == now.Files[c.Path]
	})
	if len(changes) == 0 {
		return nil
	}
	return &OtherScenario{dir, changes}
}

// Finished returns the finished run of a seed: one that came from the same as it
// would now, and whose files are as it wrote them. Where there is one that must be
// computed again, why says the reasons.
func (e *Experiment) Finished(d *record.Directory, seed uint64) (r *record.Run, why []string, err error) {
	place := d.Seed(seed)
	if _, err := os.Lstat(place); errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if r, err = record.Open(place); err != nil {
		return nil, []string{err.Error()}, nil
	}
	if why, err = e.Stale(r); why != nil || err != nil {
		return nil, why, err
	}
	if err := r.CheckFiles(); err != nil {
		return nil, strings.Split(err.Error(), "\n"), nil
	}
	return r, nil, nil
}

// Stale says in what the run came from something else than it would now, or that it
// ended early; nil if in nothing.
func (e *Experiment) Stale(r *record.Run) ([]string, error) {
	now, err := e.Inputs()
	if err != nil {
		return nil, err
	}
	if r.Info.Ended != "" {
		return []string{"it ended early"}, nil
	}
	return r.Info.Inputs.Differences(now, e.FilesByKey()), nil
}
