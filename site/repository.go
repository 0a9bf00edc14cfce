// What the site is made of: a clone of the repository, and what is read in it.

package site

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"overhear/problem"
	"overhear/scenarios"
)

// ErrNoRepository is that a directory is not within a clone of the repository.
var ErrNoRepository = errors.New("not in a clone of the repository of Overhear")

// Root is the directory of the clone that a directory lies in.
func Root(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module overhear\n") {
			return at, nil
		}
		if filepath.Dir(at) == at {
			return "", fmt.Errorf("%s is %w, of whose documents, findings and source a site is made; change to one",
				dir, ErrNoRepository)
		}
	}
}

// texts are the paths of the documents and findings in Markdown, within the clone and with slashes.
func texts(root fs.FS) ([]string, error) {
	all := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}
	documents, err := fs.Glob(root, "docs/*.md")
	if err != nil {
		return nil, err
	}
	all = append(all, documents...)
	err = fs.WalkDir(root, "results", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (at == "results/golden" || at == "results/runs"):
			return fs.SkipDir
		case !d.IsDir() && path.Ext(at) == ".md":
			all = append(all, at)
		}
		return nil
	})
	return all, err
}

// Example is a scenario to begin with.
type Example struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Text  string `json:"text"`
}

// The size of what a reader's browser is asked to do by an example.
const (
	mostUpdates = 50_000    // nodes times rounds
	mostNumbers = 1_000_000 // rows times columns
)

// examples are the scenarios whose data the program has or draws, which need no other file, and which are small enough
// for a browser; the first is the README's.
func examples(root string) ([]Example, error) {
	paths, err := filepath.Glob(filepath.Join(root, "scenarios", "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []Example
	for _, file := range paths {
		s, err := scenarios.Load(file)
		if err != nil {
			return nil, err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		if playable(s) {
			all = append(all, Example{s.Name, s.About, string(text)})
		}
	}
	first := slices.IndexFunc(all, func(e Example) bool { return e.Name == "quickstart" })
	if first < 0 {
		return nil, errors.New("scenarios/quickstart.yaml is not there, or not for a browser")
	}
	return slices.Insert(slices.Delete(slices.Clone(all), first, first+1), 0, all[first]), nil
}

// playable says whether a browser can run a scenario, and soon.
func playable(s *scenarios.Scenario) bool {
	set, known := problem.FindSet(s.Problem.Data.Set)
	if !known || len(set.Files) > 0 || s.Network.Topology.File != "" || s.Network.Latency.File != "" {
		return false
	}
	data := s.Problem.Data
	if cmp.Or(data.Rows, set.Rows)*cmp.Or(data.Dimension, set.Columns) > mostNumbers {
		return false
	}
	graph, _, err := s.Network.Lay(s.Seeds.First)
	return err == nil && graph.Order()*s.Rounds.Count <= mostUpdates
}
