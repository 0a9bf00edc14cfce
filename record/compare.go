// What a run directory states against what a repeat of the run comes to.

package record

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// Difference is a statement of a directory that is not what a repeat comes to.
type Difference struct {
	File       string
	Place      string // key, or line and column; empty: the file as a whole
	Stated     string
	Recomputed string

	// Origin says that the statement is of where the run came from, which program and
	// which command, and not of the run: a repeat by another program has another.
	Origin bool
}

func (d Difference) String() string {
	place := d.File
	if d.Place != "" {
		place += ": " + d.Place
	}
	return fmt.Sprintf("%s: stated %s, recomputed %s", place, shortened(d.Stated), shortened(d.Recomputed))
}

// shortened keeps a value to a part of a line.
func shortened(text string) string {
	const most = 120
	if text = strings.ReplaceAll(text, "\n", "⏎"); len(text) > most {
		r := []rune(text)
		text = string(r[:min(most, len(r))]) + "…"
	}
	return text
}

// realTime is the only key of any file whose value is of real time, and so another in
// every repeat.
const realTime = "wall_seconds"

// origins are the keys at the top of a file that say which program and which command
// made it, as these were typed.
var origins = []string{"versions", "command", "changes"}

// absent stands for what is not there.
const absent = "nothing"

// Compare compares a run's directory with one of a repeat: every file that the repeat
// has, in every row and key. Files that it has not are another's.
func Compare(stated, recomputed string) ([]Difference, error) {
	var all []Difference
	err := filepath.WalkDir(recomputed, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(recomputed, path)
		if err != nil {
			return err
		}
		found, err := CompareFile(filepath.ToSlash(name), filepath.Join(stated, name), path)
		all = append(all, found...)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("comparing with a repeat: %w", err)
	}
	return all, nil
}

// CompareFile compares a file with that of a repeat.
func CompareFile(name, stated, recomputed string) ([]Difference, error) {
	same, at, err := sameBytes(stated, recomputed)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Difference{{File: name, Stated: absent, Recomputed: "a file"}}, nil
	case err != nil || same:
		return nil, err
	}
	var found []Difference
	switch filepath.Ext(name) {
	case ".json":
		found, err = compareJSONFiles(name, stated, recomputed)
		if err == nil && found == nil { // real time, perhaps
			return nil, nil
		}
	case ".csv":
		found, err = compareCSV(name, stated, recomputed)
	case ".parquet":
		found, err = compareParquet(name, stated, recomputed)
	}
	if err == nil && found == nil {
		found = []Difference{{File: name, Place: fmt.Sprintf("byte %d", at), Stated: "other bytes",
			Recomputed: "those of the repeat", Origin: filepath.Ext(name) == ".png"}}
	}
	return found, err
}

// sameBytes says whether files are equal, or where first they are not.
func sameBytes(a, b string) (same bool, at int64, err error) {
	var files [2]*os.File
	for k, path := range []string{a, b} {
		if files[k], err = os.Open(path); err != nil {
			return false, 0, err
		}
		defer files[k].Close()
	}
	var chunks [2][1 << 16]byte
	for {
		var n [2]int
		for k, f := range files {
			if n[k], err = io.ReadFull(f, chunks[k][:]); err != nil && !errors.Is(err, io.EOF) &&
				!errors.Is(err, io.ErrUnexpectedEOF) {
				return false, 0, err
			}
		}
		for k := range min(n[0], n[1]) {
			if chunks[0][k] != chunks[1][k] {
				return false, at + int64(k), nil
			}
		}
		at += int64(min(n[0], n[1]))
		if n[0] != n[1] || n[0] == 0 {
			return n[0] == n[1], at, nil
		}
	}
}

// CompareJSON compares a JSON file with the value that a repeat would write.
func CompareJSON(path string, recomputed any) ([]Difference, error) {
	stated, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(recomputed)
	if err != nil {
		return nil, err
	}
	return compareJSON(filepath.Base(path), stated, text)
}

func compareJSONFiles(name, stated, recomputed string) ([]Difference, error) {
	a, err := os.ReadFile(stated)
	if err != nil {
		return nil, err
	}
	b, err := os.ReadFile(recomputed)
	if err != nil {
		return nil, err
	}
	return compareJSON(name, a, b)
}

func compareJSON(name string, stated, recomputed []byte) ([]Difference, error) {
	b, err := tree(recomputed)
	if err != nil {
		return nil, err
	}
	a, err := tree(stated)
	if err != nil {
		return []Difference{{File: name, Stated: "what is no JSON (" + err.Error() + ")", Recomputed: "JSON"}}, nil
	}
	var all []Difference
	compareTrees("", a, b, func(place, stated, recomputed string) {
		top, _, _ := strings.Cut(place, ".")
		top, _, _ = strings.Cut(top, "[")
		if last := place[strings.LastIndex(place, ".")+1:]; last != realTime && place != sealKey {
			all = append(all, Difference{name, place, stated, recomputed,
				slices.Contains(origins, top) || place == "inputs.program"})
		}
	})
	if seal, want := checkSeal(stated); seal != want {
		all = append(all, Difference{File: name, Place: sealKey, Stated: seal, Recomputed: want + ", that of its text"})
	}
	return all, nil
}

// tree is JSON as maps, lists and values; numbers stay as they are written.
func tree(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows its end")
	}
	return v, nil
}

// missing is the value of a key that is not there.
type missing struct{}

// compareTrees tells of the smallest parts in which trees differ.
func compareTrees(place string, stated, recomputed any, tell func(place, stated, recomputed string)) {
	switch b := recomputed.(type) {
	case map[string]any:
		a, ok := stated.(map[string]any)
		if !ok {
			break
		}
		keys := maps.Clone(a)
		maps.Copy(keys, b)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			below := key
			if place != "" {
				below = place + "." + key
			}
			compareTrees(below, value(a, key), value(b, key), tell)
		}
		return
	case []any:
		a, ok := stated.([]any)
		if !ok {
			break
		}
		for k := range max(len(a), len(b)) {
			var of [2]any
			for j, list := range [][]any{a, b} {
				if of[j] = (missing{}); k < len(list) {
					of[j] = list[k]
				}
			}
			compareTrees(fmt.Sprintf("%s[%d]", place, k), of[0], of[1], tell)
		}
		return
	default:
		switch stated.(type) {
		case map[string]any, []any:
		default:
			if stated == recomputed {
				return
			}
		}
	}
	tell(place, inWords(stated), inWords(recomputed))
}

func value(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return missing{}
}

func inWords(v any) string {
	if v == (missing{}) {
		return absent
	}
	text, _ := json.Marshal(v) // it was JSON
	return string(text)
}

func readCSV(path string) ([][]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	return r.ReadAll()
}

func compareCSV(name, stated, recomputed string) ([]Difference, error) {
	b, err := readCSV(recomputed)
	if err != nil {
		return nil, err
	}
	a, err := readCSV(stated)
	if err != nil {
		return []Difference{{File: name, Stated: "no table (" + err.Error() + ")", Recomputed: "a table"}}, nil
	}
	var all []Difference
	cell := func(table [][]string, line, k int) string {
		if line >= len(table) || k >= len(table[line]) {
			return absent
		}
		return fmt.Sprintf("%q", table[line][k])
	}
	for line := range max(len(a), len(b)) {
		width := 0
		for _, table := range [][][]string{a, b} {
			if line < len(table) {
				width = max(width, len(table[line]))
			}
		}
		for k := range width {
			if x, y := cell(a, line, k), cell(b, line, k); x != y {
				column := fmt.Sprint(k + 1)
				if k < len(b[0]) {
					column = b[0][k]
				}
				all = append(all, Difference{File: name, Place: fmt.Sprintf("line %d, column %s", line+1, column),
					Stated: x, Recomputed: y})
			}
		}
	}
	return all, nil
}

// CompareSummary compares the summary.csv of a directory with the one of its runs: of those
// that came from the same, and did not end early.
func CompareSummary(dir string, runs []*Run) ([]Difference, error) {
	runs = slices.Clone(runs)
	slices.SortFunc(runs, func(a, b *Run) int { return cmp.Compare(a.Info.Seed, b.Info.Seed) })
	temporary, err := os.MkdirTemp("", "overhear-summary-")
	if err != nil {
		return nil, fmt.Errorf("making room for a summary: %w", err)
	}
	defer os.RemoveAll(temporary)
	again := filepath.Join(temporary, SummaryFile)
	var nearest []Difference
	for k, first := range runs {
		same := func(r *Run) bool { return r.Info.Ended == "" && reflect.DeepEqual(r.Info.Inputs, first.Info.Inputs) }
		if first.Info.Ended != "" || slices.ContainsFunc(runs[:k], same) {
			continue // its kind was seen
		}
		var tables []*Table
		for _, r := range runs {
			if !same(r) {
				continue
			}
			t, err := r.Metrics()
			if err != nil {
				return nil, err
			}
			tables = append(tables, t)
		}
		if err := WriteSummary(again, tables); err != nil {
			return nil, err
		}
		found, err := CompareFile(SummaryFile, filepath.Join(dir, SummaryFile), again)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		if nearest == nil || len(found) < len(nearest) {
			nearest = found
		}
	}
	return nearest, nil
}
