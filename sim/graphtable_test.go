// Graphs as pandas and networkx write them. The texts are what networkx 3 and pandas 2 write of a path of three nodes.

package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReadGraphText_TakesWhatPandasAndNetworkxWrite(t *testing.T) {
	const want = "[[0 1] [1 2]]"
	for file, texts := range map[string][]string{
		"g.csv": {
			",source,target,weight\n0,0,1,3.0\n1,1,2,0.5\n", // to_pandas_edgelist, with its index
			"source,target\na,b\nb,c\n",
			"weight,from,to\n7,Oslo,Rome\n8,Rome,Bonn\n",
			",a,b,c\na,0.0,3.0,0.0\nb,3.0,0.0,0.5\nc,0.0,0.5,0.0\n", // to_pandas_adjacency
			",0,1,2\n0,0,1,0\n1,1,0,1\n2,0,1,0\n",
			"0,1,0\n1,0,1\n0,1,0\n", // without header and index
			"0,1,5\n1,2,7\n",
			"0,1\n1,2\n",
		},
		"g.txt":      {"0 1 0\n1 0 2.5\n0 2.5 0\n"},
		"g.edgelist": {"0 1 {'weight': 3.0, 'kind': 'a'}\n1 2 {}\n", "a b 3.0\nb c 0.5\n", "# a comment\n0 1\n1 2\n"},
		"g.adjlist":  {"# x\n0 1\n1 2\n2\n", "a b\nb c\nc\n"},
	} {
		for _, text := range texts {
			g, err := readGraphText(file, []byte(text))
			if err != nil || fmt.Sprint(g.Pairs()) != want {
				t.Errorf("%s, %q: %v, %v", file, text, g, err)
			}
		}
	}
	g, err := readGraphText("g.adjlist", []byte("3 1\n1 0\n"))
	if err != nil || g.Order() != 4 || !g.edge(3, 1) {
		t.Errorf("numbers are not the nodes' own: %v, %v", g, err)
	}
}

// Names that a file gives its nodes are kept, in the order of their numbers; names that are these numbers are none.
func TestReadGraphText_KeepsNames(t *testing.T) {
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{"g.csv", "weight,from,to\n7,Oslo,Rome\n8,Rome,Bonn\n", []string{"Oslo", "Rome", "Bonn"}},
		{"g.csv", ",a,b,c\na,0,3,0\nb,3,0,1\nc,0,1,0\n", []string{"a", "b", "c"}},
		{"g.adjlist", "a b\nb c\nc\n", []string{"a", "b", "c"}},
		{"g.edgelist", "0 1 {}\n1 2 {}\n", nil}, {"g.csv", "0,1,0\n1,0,1\n0,1,0\n", nil}, {"g.csv", "0,1\n1,2\n", nil},
		{"g.adjlist", "3 1\n1 0\n", nil},
	} {
		g, err := readGraphText(c.file, []byte(c.text))
		if err != nil || !slices.Equal(g.Names(), c.want) {
			t.Errorf("%s, %q: %v, %q", c.file, c.text, err, g.Names())
		}
	}
}

func TestReadGraphText_SaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		",a,b,c\na,0,1,0\nb,0,0,1\nc,0,1,0\n":  "g.csv:3:3: there is an edge between b and a in one direction only",
		",a,b,c\na,0,1,0\nb,1,1,1\nc,0,1,0\n":  "g.csv:3:5: an edge joins b to itself",
		",a,b,c\na,0,x,0\nb,1,0,1\nc,0,1,0\n":  `g.csv:2:5: must be a number, 0 where there is no edge, is "x"`,
		",a,b,a\na,0,1,0\nb,1,0,1\na,0,1,0\n":  `g.csv:4:1: the node "a" is given twice`,
		"0,1,0,1\n1,0,1,0\n0,0,0,1\n1,0,1,0\n": "g.csv:3:3: there is an edge between 2 and 1 in one direction only",
		"source,target\na,b\nb\n":              "g.csv:3:1: an edge has two nodes; there are 1 fields",
		"source,target\na,b\nb,\n":             "g.csv:3:3: a node has no name",
		"source,target\na,b\nb,a\n":            "g.csv: edge 0-1 is given twice",
		"source,target\n0,1\n1,NaN\n":          `g.csv:3:3: "NaN" is what is written for a missing value, and no`,
	} {
		if _, err := readGraphText("g.csv", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q\n gave %v\n want %s", text, err, want)
		}
	}
	const want = `g.edgelist:2:8: an edge is two nodes, and a weight if there is one; "c" is no number`
	if _, err := readGraphText("g.edgelist", []byte("a b 2.5\nb site c {}\n")); err == nil ||
		!strings.Contains(err.Error(), want) {
		t.Errorf("a name with a blank: %v", err)
	}
}
