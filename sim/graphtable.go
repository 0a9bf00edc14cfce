// Graphs as pandas and networkx write them: adjacency matrices, edge lists with names, adjacency lists.

package sim

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// graphEndings are those of files that have graphs.
var graphEndings = []string{".csv", ".tsv", ".txt", ".edgelist", ".adjlist", ".graphml"}

// readGraphText reads a text that is no GraphML: what it is, its ending and its first lines say.
func readGraphText(name string, text []byte) (*Graph, error) {
	switch {
	case strings.HasSuffix(name, ".adjlist"), strings.HasSuffix(name, ".edgelist"), hasEnds(text), square(text):
	default:
		return readEdgeList(name, bytes.NewReader(text))
	}
	rows, err := readTable(name, bytes.NewReader(withoutAttributes(text)))
	if err != nil {
		return nil, err
	}
	t := &graphTable{file: name, rows: rows, number: map[string]int{}}
	switch {
	case len(rows) == 0:
	case strings.HasSuffix(name, ".adjlist"):
		err = t.lists()
	case len(rows) == len(rows[0]) && named(rows):
		err = t.matrix(rows[1:], 1)
	case strings.HasSuffix(name, ".edgelist") || hasEnds(text):
		err = t.edgeList()
	default:
		if t.symmetric() == nil {
			err = t.matrix(rows, 0)
			break
		}
		if g, err := readEdgeList(name, bytes.NewReader(text)); err == nil {
			return g, nil
		}
		err = t.symmetric()
	}
	if err != nil {
		return nil, err
	}
	g, err := NewGraph(len(t.names), t.edges)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	g.call(t.names)
	return g, nil
}

// firstLine is the first that is no comment.
func firstLine(text []byte) string {
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			return string(bytes.TrimPrefix(line, []byte("\ufeff")))
		}
	}
	return ""
}

// ends are the names of the columns that have an edge's nodes.
var ends = [][2]string{{"source", "target"}, {"from", "to"}}

// hasEnds says whether the first line names the columns of an edge's nodes.
func hasEnds(text []byte) bool {
	rows, err := readTable("", strings.NewReader(firstLine(text)))
	return err == nil && len(rows) == 1 && columnsOfEnds(rows[0]) != nil
}

func columnsOfEnds(header []cell) []int {
	for _, pair := range ends {
		var at []int
		for _, name := range pair {
			for k, c := range header {
				if strings.EqualFold(c.text, name) {
					at = append(at, k)
				}
			}
		}
		if len(at) == 2 {
			return at
		}
	}
	return nil
}

// square says whether there are as many lines as the first has fields, so that the text may be a matrix.
func square(text []byte) bool {
	rows, err := readTable("", strings.NewReader(firstLine(text)))
	if err != nil || len(rows) == 0 {
		return false
	}
	lines := 0
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] != '#' {
			lines++
		}
	}
	return lines == len(rows[0])
}

// withoutAttributes cuts off what networkx writes behind an edge, such as {'weight': 3}.
func withoutAttributes(text []byte) []byte {
	var b bytes.Buffer
	for line := range bytes.Lines(text) {
		line = bytes.TrimRight(line, "\r\n")
		if k := bytes.Index(line, []byte(" {")); k >= 0 {
			line = line[:k]
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// graphTable makes edges of a table. Nodes are numbered in the order in which they appear, or, where all names are
// numbers from 0, by these.
type graphTable struct {
	file   string
	rows   [][]cell
	names  []string
	number map[string]int
	edges  [][2]int
}

func (t *graphTable) wrong(c cell, format string, args ...any) error {
	return fmt.Errorf("%s:%d:%d: %s", t.file, c.line, c.column, fmt.Sprintf(format, args...))
}

func (t *graphTable) node(c cell) int {
	i, known := t.number[c.text]
	if !known {
		i = len(t.names)
		t.number[c.text] = i
		t.names = append(t.names, c.text)
	}
	return i
}

// enter makes nodes of all these cells.
func (t *graphTable) enter(rows [][]cell, columns func(row []cell) []cell) error {
	most, numbers := -1, true
	for _, row := range rows {
		for _, c := range columns(row) {
			if c.text == "" {
				return t.wrong(c, "a node has no name")
			}
			if strings.EqualFold(c.text, "nan") {
				return t.wrong(c, "%q is what is written for a missing value, and no node's name: leave the line out",
					c.text)
			}
			i, err := strconv.Atoi(c.text)
			numbers = numbers && err == nil && i >= 0 && i < maxNodes
			most = max(most, i)
		}
	}
	if numbers {
		for i := range most + 1 {
			t.node(cell{text: strconv.Itoa(i)})
		}
	}
	for _, row := range rows {
		for _, c := range columns(row) {
			t.node(c)
		}
	}
	return nil
}

// matrix reads weights, of which those that are not 0 are edges; the first column may have names.
func (t *graphTable) matrix(rows [][]cell, first int) error {
	for k, row := range rows {
		if len(row) != len(rows)+first {
			return t.wrong(row[0], "has %d fields, where the matrix has %d rows", len(row), len(rows))
		}
		if first == 0 {
			row = append([]cell{{text: strconv.Itoa(k), line: row[0].line, column: row[0].column}}, row...)
		}
		if before := len(t.names); t.node(row[0]) < before {
			return t.wrong(row[0], "the node %q is given twice", row[0].text)
		}
	}
	weight := func(a, b int) (float64, error) {
		c := rows[a][b+first]
		w, err := strconv.ParseFloat(c.text, 64)
		if c.text == "" {
			return 0, nil
		}
		if err != nil || !(w >= 0 || w < 0) {
			return 0, t.wrong(c, "must be a number, 0 where there is no edge, is %q", c.text)
		}
		return w, nil
	}
	for a := range rows {
		for b := range a + 1 {
			there, err := weight(a, b)
			if err != nil {
				return err
			}
			back, err := weight(b, a)
			if err != nil {
				return err
			}
			switch at := rows[a][b+first]; {
			case (there != 0) != (back != 0):
				return t.wrong(at, "there is an edge between %s and %s in one direction only; links here go both ways",
					t.names[a], t.names[b])
			case there != 0 && a == b:
				return t.wrong(at, "an edge joins %s to itself", t.names[a])
			case there != 0:
				t.edges = append(t.edges, [2]int{b, a})
			}
		}
	}
	return nil
}

// symmetric is what is wrong with the table as a matrix without names.
func (t *graphTable) symmetric() error {
	return (&graphTable{file: t.file, number: map[string]int{}}).matrix(t.rows, 0)
}

// edgeList reads an edge a line, in the columns that the first line names, or else in the first two.
func (t *graphTable) edgeList() error {
	rows, at := t.rows, columnsOfEnds(t.rows[0])
	if at != nil {
		rows = rows[1:]
	} else {
		at = []int{0, 1}
	}
	for _, row := range rows {
		if len(row) <= max(at[0], at[1]) {
			return t.wrong(row[0], "an edge has two nodes; there are %d fields", len(row))
		}
		if named := len(rows) < len(t.rows); !named && len(row) > 2 && !numeric(row[2].text) {
			return t.wrong(row[2], "an edge is two nodes, and a weight if there is one; %q is no number: where names "+
				"have blanks in them, write commas between them (delimiter=\",\")", row[2].text)
		}
	}
	ends := func(row []cell) []cell { return []cell{row[at[0]], row[at[1]]} }
	if err := t.enter(rows, ends); err != nil {
		return err
	}
	for _, row := range rows {
		e := ends(row)
		t.edges = append(t.edges, [2]int{t.node(e[0]), t.node(e[1])})
	}
	return nil
}

// lists read a node and its neighbours a line; an edge stands with one of its nodes.
func (t *graphTable) lists() error {
	if err := t.enter(t.rows, func(row []cell) []cell { return row }); err != nil {
		return err
	}
	for _, row := range t.rows {
		for _, c := range row[1:] {
			t.edges = append(t.edges, [2]int{t.node(row[0]), t.node(c)})
		}
	}
	return nil
}
