// Over many seeds: summary.csv.

package record

import (
	"math"

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
	n := make([]int, rounds)
	for t := range rounds {
		s.Low[t], s.High[t] = math.Inf(1), math.Inf(-1)
	}
	for _, table := range tables {
		for t, v := range table.Column(column) {
			if math.IsNaN(v) {
				continue
			}
			n[t]++
			s.Mean[t] += v
			s.Low[t], s.High[t] = math.Min(s.Low[t], v), math.Max(s.High[t], v)
		}
	}
	for t, n := range n {
		if n == 0 {
			s.Mean[t], s.Low[t], s.High[t] = math.NaN(), math.NaN(), math.NaN()
			continue
		}
		s.Mean[t] /= float64(n)
	}
	return s
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
	rows := make([][]float64, longest(tables))
	for t := range rows {
		seeds := 0
		for _, table := range tables {
			if t < len(table.Rows) {
				seeds++
			}
		}
		rows[t] = append(make([]float64, 0, 3*len(tables[0].Columns)), float64(t), float64(seeds))
	}
	for _, c := range tables[0].Columns[1:] {
		columns = append(columns, c+"_mean", c+"_min", c+"_max")
		s := SpreadOf(tables, c)
		for t := range rows {
			rows[t] = append(rows[t], s.Mean[t], s.Low[t], s.High[t])
		}
	}
	return files.Write(path, asCSV(columns, rows))
}
