// Over many seeds: summary.csv.

package record

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"slices"
	"strconv"

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

// WriteSummaryOfOne is WriteSummary of one run, from the bytes of its metrics.csv: the mean, the least and the greatest
// of one number are that number, in the same digits, which need not be read and written anew.
func WriteSummaryOfOne(path string, metrics []byte) error {
	return files.Write(path, func(to io.Writer) error {
		w := bufio.NewWriterSize(to, 1<<16)
		t := -1 // the header
		for line := range bytes.Lines(metrics) {
			_, rest, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(","))
			b := append(w.AvailableBuffer(), "round,seeds"...)
			endings := [3]string{"_mean", "_min", "_max"}
			if t >= 0 {
				b = append(strconv.AppendInt(b[:0], int64(t), 10), ",1"...)
				endings = [3]string{}
			}
			for more := true; more; {
				var field []byte
				field, rest, more = bytes.Cut(rest, []byte(","))
				for k, ending := range endings {
					if b = append(b, ','); k == 0 && string(field) == "-0" {
						b = append(b, '0') // 0 + −0
					} else {
						b = append(append(b, field...), ending...)
					}
				}
			}
			w.Write(append(b, '\n')) // Flush returns the first error
			t++
		}
		return w.Flush()
	})
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
