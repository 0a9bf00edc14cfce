// Verifying: whatever a directory says of a run, of attacks, of an audit, of a map, of a search or of several seeds is
// computed again and compared.

package evaluation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"overhear/experiment"
	"overhear/internal/guard"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/scenarios"
)

// VerifyOptions say how things are repeated; they do not change what comes of it.
type VerifyOptions struct {
	DataDir  string
	Workers  int
	Progress func(done int) // rounds, runs or attacks; may be nil
}

// Verified is what was found the same.
type Verified struct {
	Dir     string
	What    string              // that was repeated, in words
	Origins []record.Difference // statements of where it came from that are not of this program
}

// Verify repeats what a directory holds, and says what is the same: a run and the
// attacks on it, an audit, or those in the directories below it, with the summary of the
// runs of several seeds. Errors that say what differs wrap experiment.ErrMismatch; all of the
// directory is looked at before.
func Verify(ctx context.Context, dir string, o VerifyOptions) ([]Verified, error) {
	if o.Progress == nil {
		o.Progress = func(int) {}
	}
	if there(dir, "run.json") {
		v, err := verifyRun(ctx, dir, o)
		return v, err
	}
	if there(dir, record.WorstFile) {
		return verifyWorst(ctx, dir, o)
	}
	if there(dir, record.AuditFile) {
		return verifyAudit(ctx, dir, o)
	}
	if there(dir, record.MapFile) {
		return verifyMap(ctx, dir, o)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("verifying: %w", err)
	}
	var all []Verified
	var differ []error
	var runs []*record.Run
	var changed []string // of all seeds, said once
	for _, e := range entries {
		below := filepath.Join(dir, e.Name())
		if !e.IsDir() {
			continue
		}
		v, err := Verify(ctx, below, o)
		if errors.As(err, new(nothingError)) {
			continue
		}
		all = append(all, v...)
		if err != nil && !errors.Is(err, experiment.ErrMismatch) {
			return all, err
		}
		if m := (*experiment.Mismatch)(nil); errors.As(err, &m) && m.Changed != nil {
			if slices.Equal(m.Changed, changed) {
				m.Changed, m.Brief = nil, true
			} else {
				changed = m.Changed
			}
		}
		differ = append(differ, err)
		if _, err := strconv.ParseUint(e.Name(), 10, 64); err == nil && there(below, "run.json") {
			r, err := record.OpenStated(below)
			if err != nil {
				return all, err
			}
			runs = append(runs, r)
		}
	}
	if len(all)+len(differ) == 0 {
		return nil, nothingError{dir}
	}
	if there(dir, record.SummaryFile) && len(runs) > 0 {
		found, err := record.CompareSummary(dir, runs)
		if err != nil {
			return all, err
		}
		if err := experiment.Mismatched(dir, found); err != nil {
			differ = append(differ, err)
		} else {
			all = append(all, Verified{Dir: filepath.Join(dir, record.SummaryFile),
				What: "the same summary of the seeds"})
		}
	}
	return all, errors.Join(differ...)
}

// nothingError is an error for a directory without anything to repeat. It is fs.ErrNotExist, too.
type nothingError struct{ dir string }

func (e nothingError) Error() string {
	return "verifying " + e.dir + ": it holds no run, no audit and no map, nor does any directory below it"
}

func (nothingError) Is(err error) bool { return err == fs.ErrNotExist }

func there(dir, name string) bool {
	info, err := os.Stat(filepath.Join(dir, name))
	return err == nil && info.Mode().IsRegular()
}

func verifyRun(ctx context.Context, dir string, o VerifyOptions) ([]Verified, error) {
	r, err := record.OpenStated(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", experiment.ErrMismatch, err)
	}
	origins, differs := experiment.Verify(ctx, r, o.DataDir, experiment.Options{Workers: o.Workers,
		Extra: WriteKnowledge, Progress: func(_ uint64, round int) { o.Progress(round) }})
	if differs != nil && !errors.Is(differs, experiment.ErrMismatch) {
		return nil, differs
	}
	var all []Verified
	if differs == nil {
		what := fmt.Sprintf("same files, same digest, %s, over %d events", r.Info.Digest, r.Info.Events)
		if r.Info.Digest == "" {
			what = fmt.Sprintf("same files; no trace of its %d events was kept (record.trace: off)", r.Info.Events)
		}
		all = append(all, Verified{Dir: dir, What: what, Origins: origins})
	}
	stated, err := record.StatedAttacks(dir)
	switch {
	case err != nil:
		return all, errors.Join(differs, fmt.Errorf("%w: %w", experiment.ErrMismatch, err))
	case stated == nil:
		return all, differs
	}
	var again *record.Attacks
	err = guard.Func(func() (err error) { // what a run says that is not true may not fit together
		again, err = Attack(ctx, r, AttackOptions{DataDir: o.DataDir, Sets: stated.Changes, Command: stated.Command,
			Workers: o.Workers, Progress: func(done, _ int) { o.Progress(done) }})
		return err
	})()
	if err != nil && differs != nil {
		return all, differs // of a run that is not what it says, attacks need not be possible
	}
	if err != nil {
		return all, fmt.Errorf("%w: %s cannot be repeated: %w", experiment.ErrMismatch,
			filepath.Join(dir, record.AttacksFile), err)
	}
	again.Format = record.Format
	v, err := findings(dir, record.AttacksFile, again, fmt.Sprintf("same %d findings of attacks", len(again.Findings)))
	if found := (*experiment.Mismatch)(nil); errors.As(err, &found) {
		if m := (*experiment.Mismatch)(nil); errors.As(differs, &m) {
			found.Brief = m.Changed != nil // that the data are others says why
		}
		found.Changed = changedAttacks(r, stated, again)
	}
	return append(all, v...), errors.Join(differs, err)
}

// changedAttacks says which classes have changed since they attacked.
func changedAttacks(r *record.Run, stated, again *record.Attacks) []string {
	s, err := scenarioOf(r, stated.Changes...)
	if err != nil {
		return nil
	}
	was := map[string]string{}
	for key := range s.AttackFiles() {
		was[key] = stated.Inputs.Files[key]
	}
	return experiment.ChangedFiles(was, again.Inputs.Files, s.AttackFiles())
}

// verifyAudit repeats an audit, of a scenario whose files may have gone elsewhere with their directory: sets say where.
func verifyAudit(ctx context.Context, dir string, o VerifyOptions, sets ...string) ([]Verified, error) {
	stated, err := record.StatedAudit(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", experiment.ErrMismatch, err)
	}
	s, err := scenarios.Parse(filepath.Join(dir, record.AuditFile), []byte(stated.Scenario), sets...)
	if err != nil {
		return nil, err
	}
	audit, e := Audit, experiment.New(s, o.DataDir)
	if stated.BlackBox != nil && stated.BlackBox.Why == "" {
		audit = BlackBox
	}
	again, err := audit(ctx, e, AuditOptions{Runs: stated.Runs, Workers: o.Workers,
		Command: stated.Command, Changes: stated.Changes, Progress: func(done, _ int) { o.Progress(done) }})
	if err != nil {
		return nil, err
	}
	again.Format = record.Format
	if sets != nil {
		again.Scenario = stated.Scenario
	}
	what := fmt.Sprintf("same %s and %s, from %s in each world",
		plural.Of(len(again.Verdicts), "verdict"), plural.Of(len(again.Checks), "check"), plural.Of(again.Runs, "run"))
	v, err := findings(dir, record.AuditFile, again, what)
	if m := (*experiment.Mismatch)(nil); errors.As(err, &m) {
		m.Changed = e.Changed(stated.Inputs)
	}
	return v, err
}

func verifyMap(ctx context.Context, dir string, o VerifyOptions) ([]Verified, error) {
	stated, err := record.StatedMap(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", experiment.ErrMismatch, err)
	}
	s, err := scenarios.Parse(filepath.Join(dir, record.MapFile), []byte(stated.Scenario))
	if err != nil {
		return nil, err
	}
	e := experiment.New(s, o.DataDir)
	again, pairs, err := Map(ctx, e, AuditOptions{Command: stated.Command, Changes: stated.Changes,
		Progress: func(done, _ int) { o.Progress(done) }})
	if err != nil {
		return nil, err
	}
	again.Format = record.Format
	all, err := findings(dir, record.MapFile, again, fmt.Sprintf("same map of %s", plural.Of(again.Nodes, "node")))
	if m := (*experiment.Mismatch)(nil); errors.As(err, &m) {
		m.Changed = e.Changed(stated.Inputs)
	}
	if err != nil && !errors.Is(err, experiment.ErrMismatch) {
		return all, err
	}
	var table bytes.Buffer
	if err := pairs.Write(&table); err != nil {
		return all, err
	}
	v, differs := sameText(dir, record.PairsFile, table.String(), "same pairs")
	return append(all, v...), errors.Join(err, differs)
}

// verifyWorst repeats a search, and the audit of what it found.
func verifyWorst(ctx context.Context, dir string, o VerifyOptions) ([]Verified, error) {
	stated, err := record.StatedWorst(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", experiment.ErrMismatch, err)
	}
	s, err := scenarios.Parse(filepath.Join(dir, record.WorstFile), []byte(stated.Scenario))
	if err != nil {
		return nil, err
	}
	e := experiment.New(s, o.DataDir)
	again, err := SearchWorst(ctx, e, SearchOptions{Evaluations: stated.Budget, Over: stated.Over, Workers: o.Workers,
		Command: stated.Command, Changes: stated.Changes, Progress: func(done, _ int) { o.Progress(done) }})
	if err != nil {
		return nil, err
	}
	again.Worst.Format = record.Format
	all, err := findings(dir, record.WorstFile, again.Worst, fmt.Sprintf("same search of %s",
		plural.Of(again.Worst.Evaluations, "candidate")))
	if m := (*experiment.Mismatch)(nil); errors.As(err, &m) {
		m.Changed = e.Changed(stated.Inputs)
	}
	if err != nil && !errors.Is(err, experiment.ErrMismatch) {
		return all, err
	}
	differ := []error{err}
	for _, f := range []struct{ name, text string }{{record.FoundFile, again.Scenario},
		{record.FoundRowsFile, string(again.Rows)}} {
		v, err := sameText(dir, f.name, f.text, "same data found")
		all, differ = append(all, v...), append(differ, err)
	}
	if err := errors.Join(differ...); err != nil || !there(dir, record.AuditFile) {
		return all, err
	}
	v, err := verifyAudit(ctx, dir, o, scenarios.Assign("problem.data.csv", filepath.Join(dir, record.FoundRowsFile)))
	return append(all, v...), err
}

// sameText compares a file with what a repeat would write, line by line.
func sameText(dir, name, again, what string) ([]Verified, error) {
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, experiment.Mismatched(dir, []record.Difference{{File: name, Stated: "no file", Recomputed: "one"}})
	}
	if string(text) == again {
		return []Verified{{Dir: path, What: what}}, nil
	}
	a, b := strings.Split(string(text), "\n"), strings.Split(again, "\n")
	for k := range max(len(a), len(b)) {
		line := func(of []string) string {
			if k < len(of) {
				return strconv.Quote(of[k])
			}
			return "the end of the file"
		}
		if line(a) != line(b) {
			return nil, experiment.Mismatched(dir, []record.Difference{{File: name, Place: fmt.Sprintf("line %d", k+1),
				Stated: line(a), Recomputed: line(b)}})
		}
	}
	return nil, nil
}

// findings compares a file of findings with what they are now.
func findings(dir, file string, again any, what string) ([]Verified, error) {
	found, err := record.CompareJSON(filepath.Join(dir, file), again)
	if err != nil {
		return nil, err
	}
	if err := experiment.Mismatched(dir, found); err != nil {
		return nil, err
	}
	return []Verified{{Dir: filepath.Join(dir, file), What: what, Origins: found}}, nil
}
