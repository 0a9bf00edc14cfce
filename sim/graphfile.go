// Graphs from files: edge lists and GraphML.

package sim

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"overhear/internal/memory"
)

// ReadGraph reads a GraphML file (.graphml), or a graph in a table, as its ending and its first lines say.
func ReadGraph(path string) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading a graph: %w", err)
	}
	defer f.Close()
	size, err := memory.CheckFile(f, memory.Rows)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(path, ".graphml") {
		return readGraphML(path, f)
	}
	text, err := memory.ReadAll(path, f, size)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return readGraphText(path, text)
}

// readEdgeList reads lines `a,b[,…]` of node numbers from 0; a first line that
// is no edge is a header, `#` begins a comment, further columns are ignored.
// There are as many nodes as the largest number plus one.
func readEdgeList(name string, r io.Reader) (*Graph, error) {
	var edges [][2]int
	n := 0
	lines := bufio.NewScanner(r)
	first := true
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		fields := strings.Split(text, ",")
		var e [2]int
		var err error
		if len(fields) < 2 {
			err = errors.New("one field")
		}
		for k := 0; k < 2 && err == nil; k++ {
			var v int64
			v, err = strconv.ParseInt(strings.TrimSpace(fields[k]), 10, 32)
			if err == nil && (v < 0 || v >= maxNodes) {
				err = errors.New("out of range")
			}
			e[k] = int(v)
		}
		if err != nil {
			if first && len(fields) >= 2 {
				first = false
				continue
			}
			const what = "%s:%d: an edge is two node numbers from 0 separated by a comma, not %q"
			return nil, fmt.Errorf(what, name, number, text)
		}
		first = false
		edges = append(edges, e)
		n = max(n, e[0]+1, e[1]+1)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	g, err := NewGraph(n, edges)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// readGraphML reads an undirected graph; nodes are numbered in order of the
// file, whatever their ids.
func readGraphML(name string, r io.Reader) (*Graph, error) {
	number := map[string]int{}
	var names []string
	var edges [][2]int
	d := xml.NewDecoder(r)
	fail := func(format string, args ...any) error {
		line, column := d.InputPos()
		return fmt.Errorf("%s:%d:%d: %s", name, line, column, fmt.Sprintf(format, args...))
	}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fail("%v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attribute := func(key string) string {
			for _, a := range e.Attr {
				if a.Name.Local == key {
					return a.Value
				}
			}
			return ""
		}
		switch e.Name.Local {
		case "graph":
			if attribute("edgedefault") == "directed" {
				return nil, fail("the graph is directed; links here go both ways, so give edgedefault=\"undirected\"")
			}
		case "node":
			id := attribute("id")
			if _, twice := number[id]; twice || id == "" {
				return nil, fail("node id %q is empty or given twice", id)
			}
			number[id] = len(number)
			names = append(names, id)
		case "edge":
			a, okA := number[attribute("source")]
			b, okB := number[attribute("target")]
			if !okA || !okB {
				from, to := attribute("source"), attribute("target")
				return nil, fail("edge %q-%q names a node that is not declared before it", from, to)
			}
			edges = append(edges, [2]int{a, b})
		}
	}
	g, err := NewGraph(len(number), edges)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	g.call(names)
	return g, nil
}
