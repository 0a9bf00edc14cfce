// Over many seeds: summary.csv.

package record

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
)

// SummaryFile is the name of the table over the seeds.
const SummaryFile = "summary.csv"

// WriteSummary writes `<out>/<name>/summary.csv`: for every round the mean,
// minimum and maximum of every metric over the runs in which it is defined.
func WriteSummary(path string, runs []*Run) error {
	var tables []*Table
	rounds := 0
	for _, r := range runs {
		t, err := r.Metrics()
		if err != nil {
			return err
		}
		tables = append(tables, t)
		rounds = max(rounds, len(t.Rows))
	}
	if len(tables) == 0 {
		return nil
	}
	columns := []string{"round", "seeds"}
	names := tables[0].Columns[1:]
	for _, c := range names {
		columns = append(columns, c+"_mean", c+"_min", c+"_max")
	}
	var rows [][]float64
	for t := range rounds {
		row := []float64{float64(t), float64(len(runs))}
		for _, c := range names {
			row = append(row, spread(tables, t, c)...)
		}
		rows = append(rows, row)
	}
	partial := path + ".partial"
	if err := writeCSV(partial, columns, rows); err != nil {
		return err
	}
	if err := os.Rename(partial, path); err != nil {
		return fmt.Errorf("writing %s: %w", filepath.Base(path), err)
	}
	return nil
}

// spread is mean, minimum and maximum of a metric in a round.
func spread(tables []*Table, round int, column string) []float64 {
	n, sum, low, high := 0, 0.0, math.Inf(1), math.Inf(-1)
	for _, t := range tables {
		values := t.Column(column)
		if round >= len(values) || math.IsNaN(values[round]) {
			continue
		}
		n++
		sum += values[round]
		low, high = math.Min(low, values[round]), math.Max(high, values[round])
	}
	if n == 0 {
		return []float64{math.NaN(), math.NaN(), math.NaN()}
	}
	return []float64{sum / float64(n), low, high}
}
