// Over many seeds: summary.csv.

package record

import (
	"math"
	"slices"

	"overhear/internal/files"
)

// SummaryFile is the name of the table over the seeds.
const SummaryFile = "summary.csv"

// Spread is a metric by round over many runs: of those in which it is defined in
// the round, mean, least and greatest; NaN where it is in none.
type Spread struct {
	Mean, Low, High []float64
}

// SpreadOf is the spread of a column over the tables of runs, as long as the
// longest. Its cost is linear in the number of values.
func SpreadOf(tables []*Table, column string) Spread {
	rounds := longest(tables)
	s := Spread{make([]float64, rounds), make([]float64, rounds), make([]float64, rounds)}
	c := across(tables, column)
	for t := range rounds {
		s.Mean[t], s.Low[t], s.High[t] = c.spread(tables, t)
	}
	return s
}

// crossing is where tables have a column; −1: nowhere.
type crossing []int

func across(tables []*Table, column string) crossing {
	at := make(crossing, len(tables))
	for k, table := range tables {
		at[k] = slices.Index(table.Columns, column)
	}
	return at
}

// spread is that of one round.
func (at crossing) spread(tables []*Table, round int) (mean, low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	n := 0
	for k, table := range tables {
		if at[k] < 0 || round >= len(table.Rows) {
			continue
		}
		if v := table.Rows[round][at[k]]; !math.IsNaN(v) {
			n++
			mean += v
			low, high = min(low, v), max(high, v)
		}
	}
	if n == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return mean / float64(n), low, high
}

// longest is the number of rows of the longest table.
func longest(tables []*Table) int {
	rows := 0
	for _, t := range tables {
		rows = max(rows, len(t.Rows))
	}
	return rows
}

// WriteSummary writes `<out>/<name>/summary.csv` of the metrics of many runs: for
// every round the number of runs that have it and, of every metric, mean, minimum
// and maximum over those in which it is defined.
func WriteSummary(path string, tables []*Table) error {
	if len(tables) == 0 {
		return nil
	}
	columns := []string{"round", "seeds"}
	var metrics []crossing
	for _, c := range tables[0].Columns[1:] {
		columns = append(columns, c+"_mean", c+"_min", c+"_max")
		metrics = append(metrics, across(tables, c))
	}
	return files.Write(path, asCSV(columns, func(yield func([]float64) bool) {
		row := make([]float64, 0, len(columns))
		for t := range longest(tables) {
			seeds := 0
			for _, table := range tables {
				if t < len(table.Rows) {
					seeds++
				}
			}
			row = append(row[:0], float64(t), float64(seeds))
			for _, at := range metrics {
				mean, low, high := at.spread(tables, t)
				row = append(row, mean, low, high)
			}
			if !yield(row) {
				return
			}
		}
	}))
}
