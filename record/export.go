// Tables for other programs.

package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// Tables and Formats are what Export knows.
var (
	Tables  = []string{"iterates", "messages", "steps", "lies", "metrics"}
	Formats = []string{"csv", "json", "npy"}
)

// Export writes a table of a run as CSV, with 17 significant digits, as a JSON
// array of objects, or as an array of records that numpy reads.
func Export(r *Run, table, format string, to io.Writer) error {
	b := bufio.NewWriterSize(to, 1<<16)
	w, err := newTableWriter(b, format)
	if err != nil {
		return err
	}
	switch table {
	case "iterates":
		// Where columns are split, hub and parties send vectors of different
		// lengths; the shorter ones are filled up with empty values.
		width := 0
		if err := r.Iterates(func(i Iterate) error { width = max(width, len(i.Values)); return nil }); err != nil {
			return err
		}
		w.begin("node", "round", "time_ns")
		for k := range width {
			w.columns = append(w.columns, fmt.Sprintf("v%d", k))
		}
		err = r.Iterates(func(i Iterate) error {
			row := append([]any{i.Node, i.Round, i.TimeNS}, anys(i.Values)...)
			for len(row) < len(w.columns) {
				row = append(row, math.NaN())
			}
			w.row(row...)
			return nil
		})
	case "messages":
		w.begin("id", "src", "dst", "round", "sent_ns", "received_ns", "bytes", "kind")
		err = r.Messages(func(m Message) error {
			w.row(m.ID, m.Src, m.Dst, m.Round, m.SentNS, m.ReceivedNS, m.Bytes, string(m.Kind))
			return nil
		})
	case "steps":
		w.begin("node", "round", "began_ns", "ended_ns")
		err = r.Steps(func(s Step) error {
			w.row(s.Node, s.Round, s.BeganNS, s.EndedNS)
			return nil
		})
	case "lies":
		width := 0
		if err := r.Lies(func(l Lie) error { width = max(width, len(l.Values)); return nil }); err != nil {
			return err
		}
		w.begin("node", "to", "round", "time_ns")
		for k := range width {
			w.columns = append(w.columns, fmt.Sprintf("v%d", k))
		}
		err = r.Lies(func(l Lie) error {
			row := append([]any{l.Node, l.To, l.Round, l.TimeNS}, anys(l.Values)...)
			for len(row) < len(w.columns) {
				row = append(row, math.NaN())
			}
			w.row(row...)
			return nil
		})
	case "metrics":
		var t *Table
		if t, err = r.Metrics(); err == nil {
			w.begin(t.Columns...)
			round := slices.Index(t.Columns, "round")
			for _, row := range t.Rows {
				all := anys(row)
				if round >= 0 { // a whole number, as in every other table
					all[round] = int(row[round])
				}
				w.row(all...)
			}
		}
	default:
		return fmt.Errorf("there is no table %q; there are iterates, messages, steps, lies and metrics", table)
	}
	if err != nil {
		return err
	}
	if err := w.end(); err != nil {
		return err
	}
	return b.Flush()
}

func anys(values []float64) []any {
	out := make([]any, len(values))
	for k, v := range values {
		out[k] = v
	}
	return out
}

type tableWriter struct {
	to      *bufio.Writer
	json    bool
	npy     *npyRows // or nil
	columns []string
	rows    int
	err     error // of npy
}

func newTableWriter(to *bufio.Writer, format string) (*tableWriter, error) {
	w := &tableWriter{to: to, json: format == "json"}
	if format == "npy" {
		w.npy = new(npyRows)
	} else if format != "csv" && format != "json" {
		return nil, fmt.Errorf("there is no format %q; there are csv, json and npy", format)
	}
	return w, nil
}

func (w *tableWriter) begin(columns ...string) { w.columns = columns }

func (w *tableWriter) row(values ...any) {
	if w.npy != nil {
		if w.err == nil {
			w.err = w.npy.add(values)
		}
		return
	}
	if w.rows == 0 {
		w.header()
	}
	w.rows++
	if w.json {
		if w.rows > 1 {
			w.to.WriteString(",")
		}
		w.to.WriteString("\n{")
	}
	for k, v := range values {
		if k > 0 {
			w.to.WriteByte(',')
		}
		if w.json {
			w.to.WriteString(strconv.Quote(w.columns[k]) + ":")
		}
		w.to.WriteString(w.text(v))
	}
	if w.json {
		w.to.WriteString("}")
	} else {
		w.to.WriteString("\n")
	}
}

func (w *tableWriter) header() {
	if w.json {
		w.to.WriteString("[")
		return
	}
	for k, c := range w.columns {
		if k > 0 {
			w.to.WriteByte(',')
		}
		w.to.WriteString(c)
	}
	w.to.WriteString("\n")
}

func (w *tableWriter) text(v any) string {
	switch v := v.(type) {
	case float64:
		switch {
		case math.IsNaN(v) || math.IsInf(v, 0):
			if w.json {
				return "null"
			}
			return ""
		case v == math.Trunc(v) && math.Abs(v) < 1<<53 && !(v == 0 && math.Signbit(v)):
			return strconv.FormatFloat(v, 'f', 0, 64)
		}
		return strconv.FormatFloat(v, 'g', 17, 64)
	case string:
		if w.json {
			text, _ := json.Marshal(v) // a string always encodes
			return string(text)
		}
		return v
	}
	return fmt.Sprint(v)
}

func (w *tableWriter) end() error {
	if w.npy != nil {
		if w.err != nil {
			return w.err
		}
		return w.npy.write(w.columns, w.to)
	}
	if w.rows == 0 {
		w.header()
	}
	if w.json {
		w.to.WriteString("\n]\n")
	}
	return nil
}
