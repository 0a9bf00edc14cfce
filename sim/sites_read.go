// Matrices of measured times as people have them: full, with or without names, or a line for each pair.

package sim

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/memory"
)

// cell is a field of a table, with its place.
type cell struct {
	text         string
	line, column int // from 1; the column is that of its first character
}

// readTable reads lines of fields with commas, semicolons, tabs or spaces between them, whichever the first line has;
// a comment begins with `#`. Fields may be quoted where they have no separator in them.
func readTable(name string, r io.Reader) ([][]cell, error) {
	var rows [][]cell
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<26)
	separator := ""
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSuffix(lines.Text(), "\r")
		if number == 1 {
			text = strings.TrimPrefix(text, "\ufeff")
		}
		if trimmed := strings.TrimSpace(text); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if separator == "" {
			separator = " "
			for _, s := range []string{",", ";", "\t"} {
				if strings.Contains(text, s) {
					separator = s
					break
				}
			}
		}
		var row []cell
		for begin := 0; begin <= len(text); {
			end := strings.Index(text[begin:], separator)
			if end < 0 {
				end = len(text) - begin
			}
			field := text[begin : begin+end]
			if trimmed := strings.TrimSpace(field); trimmed != "" || separator != " " {
				at := begin + len(field) - len(strings.TrimLeft(field, " \t"))
				row = append(row, cell{unquoted(trimmed), number, 1 + len([]rune(text[:at]))})
			}
			begin += end + 1
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	return rows, nil
}

func unquoted(text string) string {
	if n := len(text); n >= 2 && text[0] == '"' && text[n-1] == '"' {
		return text[1 : n-1]
	}
	return text
}

// reading is how a file is read.
type reading struct {
	missing []string // texts that stand for a pair that was not measured
	without []string // sites that are left out
	share   float64  // how much of a time is one way: half of a round trip
}

// siteReader makes a matrix of a table and collects what is wrong with it.
type siteReader struct {
	table
	reading
	names  []string
	number map[string]int
	given  []cell       // by pair, row from and column to; with line 0: not given
	gaps   map[int]cell // of pairs, where a text says that there is no time
	delay  []Duration
}

// readSites reads a full matrix, with names in its first row and first column or without any, or a line for each pair:
// from, to, milliseconds. A pair of which one direction is given has it in both.
func readSites(name string, in io.Reader, how reading) (*Sites, error) {
	rows, err := readTable(name, in)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: the file is empty; it must be a matrix of milliseconds, or lines from,to,ms", name)
	}
	r := &siteReader{table: table{file: name}, reading: how, number: map[string]int{}, gaps: map[int]cell{}}
	width := len(rows[0])
	for _, row := range rows {
		if len(row) != width {
			return nil, fmt.Errorf("%s:%d:1: has %d fields, where the first line has %d", name, row[0].line, len(row),
				width)
		}
	}
	switch {
	case named(rows):
		r.named(rows)
	case width == 3 && !emptyDiagonal(rows):
		r.triples(rows)
	case len(rows) == width:
		r.plain(rows)
	default:
		at := rows[0][0]
		return nil, fmt.Errorf("%s:%d:%d: %d lines of %d fields are no matrix: it must be square, with the sites' "+
			"names in the first line and in the first column or with no names, or have lines from,to,ms", name, at.line,
			at.column, len(rows), width)
	}
	for _, name := range how.without {
		if _, known := r.number[name]; !known {
			r.report(cell{}, "there is no site %q to be left out", name)
		}
	}
	if r.problems == nil {
		r.complete()
	}
	if r.problems == nil && len(how.without) == len(r.names) {
		r.report(cell{}, "all sites are left out")
	}
	if err := r.result(); err != nil {
		return nil, err
	}
	return r.sites(), nil
}

// named says whether the first row and the first column have the sites' names: they are the same, or there is no number
// in the first row.
func named(rows [][]cell) bool {
	if len(rows) != len(rows[0]) || len(rows) < 2 {
		return false
	}
	same := true
	for k := 1; k < len(rows); k++ {
		same = same && rows[0][k].text == rows[k][0].text
	}
	words := !slices.ContainsFunc(rows[0][1:], func(c cell) bool { return numeric(c.text) })
	pairs := len(rows) == 3 // it may be from,to,ms and two of them
	return same && !numeric(rows[0][0].text) || words && !pairs
}

// emptyDiagonal says whether a square table has zeros on its diagonal and is symmetric: three lines of three numbers
// are then a matrix, and not from,to,ms.
func emptyDiagonal(rows [][]cell) bool {
	if len(rows) != len(rows[0]) {
		return false
	}
	for a, row := range rows {
		if v, err := strconv.ParseFloat(row[a].text, 64); err != nil || v != 0 {
			return false
		}
		for b := range a {
			if row[b].text != rows[b][a].text {
				return false
			}
		}
	}
	return true
}

func numeric(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// site is the number of a name, new if there is none such yet.
func (r *siteReader) site(c cell) int {
	k, known := r.number[c.text]
	if !known {
		k = len(r.names)
		r.number[c.text] = k
		r.names = append(r.names, c.text)
	}
	return k
}

// room makes a place for every pair; false if there are too many sites.
func (r *siteReader) room() bool {
	n := len(r.names)
	if n > maxSites {
		r.problems = append(r.problems, fmt.Errorf("%s: %d sites are more than %d", r.file, n, maxSites))
		return false
	}
	const each = 48 // bytes
	what := fmt.Sprintf("%s, a matrix of %d sites,", r.file, n)
	if err := memory.Check(what, each*float64(n)*float64(n)); err != nil {
		r.problems = append(r.problems, err)
		return false
	}
	r.given, r.delay = make([]cell, n*n), make([]Duration, n*n)
	return true
}

func (r *siteReader) named(rows [][]cell) {
	for _, c := range rows[0][1:] {
		if before := len(r.names); c.text == "" {
			r.report(c, "a site has no name")
		} else if r.site(c) < before {
			r.report(c, "the site %q is given twice", c.text)
		}
	}
	if r.problems != nil || !r.room() {
		return
	}
	lines := map[int]int{} // of sites' rows
	for _, row := range rows[1:] {
		from, known := r.number[row[0].text]
		switch {
		case !known:
			r.report(row[0], "the first line names no site %q", row[0].text)
			continue
		case lines[from] != 0:
			r.report(row[0], "the site %q has a row on line %d already", row[0].text, lines[from])
			continue
		}
		lines[from] = row[0].line
		for to, c := range row[1:] {
			r.put(from, to, c)
		}
	}
}

func (r *siteReader) plain(rows [][]cell) {
	for k := range rows {
		r.site(cell{text: strconv.Itoa(k)})
	}
	if !r.room() {
		return
	}
	for from, row := range rows {
		for to, c := range row {
			r.put(from, to, c)
		}
	}
}

func (r *siteReader) triples(rows [][]cell) {
	if !numeric(rows[0][2].text) && !slices.Contains(r.missing, rows[0][2].text) {
		if len(rows) == 1 {
			r.report(rows[0][2], "must be milliseconds, is %q", rows[0][2].text)
			return
		}
		if unit, one := unitOf(rows[0][2].text); one != 0 && one != 1e6 {
			r.report(rows[0][2], "the times must be in milliseconds, and the name of their column, %q, says %s: "+
				"convert them, and name it ms", rows[0][2].text, unit)
		}
		rows = rows[1:] // a line of names
	}
	for _, row := range rows {
		for _, c := range row[:2] {
			if c.text == "" {
				r.report(c, "a site has no name")
			} else {
				r.site(c)
			}
		}
	}
	if r.problems != nil || !r.room() {
		return
	}
	for _, row := range rows {
		r.put(r.number[row[0].text], r.number[row[1].text], row[2])
	}
}

// put enters a pair's time.
func (r *siteReader) put(from, to int, c cell) {
	const most = mostApart / 1e6
	k := from*len(r.names) + to
	if c.text == "" || slices.Contains(r.missing, c.text) {
		r.gaps[k] = c
		return
	}
	ms, err := strconv.ParseFloat(c.text, 64)
	switch before := r.given[k]; {
	case err != nil && !errors.Is(err, strconv.ErrRange), math.IsNaN(ms):
		r.report(c, "must be milliseconds, is %q", c.text)
	case ms < 0:
		r.report(c, "must not be negative, is %s; where that stands for a pair that was not measured, say so with "+
			"missing: [%q]", c.text, c.text)
	case !(ms <= most):
		r.report(c, "must be at most %v ms, is %s; where that stands for a pair that was not measured, say so "+
			"with missing: [%q]", float64(most), c.text, c.text)
	case before.line != 0 && before.text == c.text:
		r.report(c, "the time from %s to %s is given twice, on line %d already", r.names[from], r.names[to],
			before.line)
	case before.line != 0:
		r.report(c, "the time from %s to %s contradicts line %d: %s and %s", r.names[from], r.names[to], before.line,
			before.text, c.text)
	default:
		r.given[k], r.delay[k] = c, tick*Duration(math.Round(float64(ms*r.share)*(1e6/float64(tick))))
	}
}

// out says whether a site is left out.
func (r *siteReader) out(k int) bool { return slices.Contains(r.without, r.names[k]) }

// sites are those that are not left out.
func (r *siteReader) sites() *Sites {
	var kept []int
	s := new(Sites)
	for k, name := range r.names {
		if !r.out(k) {
			kept, s.Names = append(kept, k), append(s.Names, name)
		}
	}
	for _, a := range kept {
		for _, b := range kept {
			s.delay = append(s.delay, r.delay[a*len(r.names)+b])
		}
	}
	return s
}

// complete takes a direction that is not given from the other; within a site, what is not given is 0.
func (r *siteReader) complete() {
	n := len(r.names)
	for a := range n {
		for b := range n {
			k, back := a*n+b, b*n+a
			switch {
			case a == b || r.given[k].line != 0 || r.out(a) || r.out(b):
			case r.given[back].line != 0:
				r.delay[k] = r.delay[back]
			case a < b:
				r.report(r.gaps[k], "there is no time from %s to %s, nor back; a site is left out with without: [%q]",
					r.names[a], r.names[b], r.names[a])
			}
		}
	}
}
