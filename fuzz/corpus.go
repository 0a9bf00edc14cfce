// The corpus of past failures: a scenario file for each, which can be run and
// checked again for ever.

package fuzz

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"overhear/experiment"
	"overhear/internal/files"
)

// DefaultDistance is the greatest relative distance from the optimum with which a
// loss-tolerant method ends in a right run, unless the searcher says otherwise.
const DefaultDistance = 1e-3

// Check runs one seed of a scenario as it stands, with its own links and faults,
// and returns the invariant that breaks; nil if none does. Distance is that of
// Options. The error is of the check itself.
func Check(ctx context.Context, e *experiment.Experiment, seed uint64, distance float64) (*Trouble, error) {
	if err := unaltered(e); err != nil {
		return nil, err
	}
	w := conditions{link: e.Network.Link, faults: e.Network.Faults}
	o := Options{Distance: distance}
	calm := *e.Scenario
	calm.Network.Faults = nil
	if quiet, err := undisturbed(ctx, e.On(&calm), seed); err == nil { // or else the check says why
		o.unsettled = !quiet.settled(ctx, distance)
	}
	broken, account, err := examine(ctx, e, o, seed, w)
	if err != nil || broken == "" {
		return nil, err
	}
	return w.trouble(e, o, seed, broken, account), nil
}

// Write writes the scenario of a trouble into a directory, which it makes, and
// returns the file's path. The file can be run as any other; its first seed is the
// one that failed. The same trouble always has the same name.
func (t *Trouble) Write(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making the corpus: %w", err)
	}
	s := *t.Scenario
	for _, file := range s.ReferencedFiles() {
		relative, err := fromDirectory(dir, *file)
		if err != nil {
			return "", fmt.Errorf("writing to the corpus: %w", err)
		}
		*file = relative
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%d-%.8s.yaml", s.Name, t.Seed, t.Scenario.Hash()))
	account, _, _ := strings.Cut(t.Account, "\n") // without the stack of a panic
	comment := fmt.Sprintf("# Seed %d broke: %s\n# %s\n# Checked again by: simulate fuzz %s --as-is --distance %v\n",
		t.Seed, t.Invariant, account, filepath.Base(path), t.Distance)
	if err := files.WriteBytes(path, []byte(comment+s.Resolved())); err != nil {
		return "", fmt.Errorf("writing to the corpus: %w", err)
	}
	return path, nil
}

// fromDirectory is the path of a file as seen from a directory.
func fromDirectory(dir, file string) (string, error) {
	from, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	return filepath.Rel(from, to)
}
