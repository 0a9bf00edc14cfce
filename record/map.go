// Maps: what every node learns about every other.

package record

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"overhear/internal/files"
)

// Files of a map's directory.
const (
	MapFile   = "map.json"
	PairsFile = "map.csv"
)

// Map says what each node of a network learns, as an observer that hears its neighbours, about one label of every
// other node: μ, where the best test between its two values is that of N(0, 1) against N(μ, 1).
type Map struct {
	Format     int          `json:"format"`
	Name       string       `json:"name"`
	About      string       `json:"about"`
	Seed       uint64       `json:"seed"`
	Rounds     int          `json:"rounds"`
	Algorithm  string       `json:"algorithm"`
	Command    string       `json:"command"`
	Changes    []string     `json:"changes,omitempty"`
	Scenario   string       `json:"scenario"`
	Inputs     Inputs       `json:"inputs,omitzero"`
	Nodes      int          `json:"nodes"`
	Edges      [][2]int     `json:"edges"`
	Row        int          `json:"row"`    // of each node, whose label is asked for
	Victim     int          `json:"victim"` // of the picture of the network
	Delta      Number       `json:"delta"`  // at which ε is stated
	All        []Number     `json:"all"`    // μ of one who sees everything, by victim
	ByDistance []AtDistance `json:"by_distance"`
	Wall       float64      `json:"wall_seconds"`
}

// AtDistance sums up the pairs of nodes that are so many hops apart.
type AtDistance struct {
	Distance int    `json:"distance"`
	Pairs    int    `json:"pairs"`
	Mean     Number `json:"mu_mean"`
	Least    Number `json:"mu_least"`
	Most     Number `json:"mu_most"`
	Epsilon  Number `json:"epsilon_most"` // of Most, at the map's δ
	Share    Number `json:"share_mean"`   // of the μ of one who sees everything
	Messages Number `json:"messages_mean"`
	Above    int    `json:"above"` // pairs whose μ is above Messages
}

// Pairs are the numbers of a map, by observer and victim.
type Pairs struct {
	Distance [][]int     // in hops; −1: there is no way
	Mu       [][]float64 // of the observer about the victim
	Messages [][]float64 // √Σ of the squares of what each message that it hears says by itself
}

// ReadMap reads the map of a directory; nil: there is none.
func ReadMap(dir string) (*Map, error) {
	b, err := os.ReadFile(filepath.Join(dir, MapFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a map: %w", err)
	}
	m := new(Map)
	if err := json.Unmarshal(b, m); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; remove it, or choose another --out", filepath.Join(dir, MapFile),
			err)
	}
	return m, nil
}

// WriteMap writes a map and its pairs.
func WriteMap(dir string, m *Map, p *Pairs) error {
	if err := files.Write(filepath.Join(dir, PairsFile), p.write); err != nil {
		return fmt.Errorf("writing a map: %w", err)
	}
	return files.Write(filepath.Join(dir, MapFile), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(m)
	})
}

// write writes pairs as a table.
func (p *Pairs) write(w io.Writer) error {
	b := bufio.NewWriter(w)
	b.WriteString("observer,victim,distance,mu,messages\n")
	for j := range p.Mu {
		for i, mu := range p.Mu[j] {
			if i == j {
				continue
			}
			fmt.Fprintf(b, "%d,%d,%d,%s,%s\n", j, i, p.Distance[j][i], strconv.FormatFloat(mu, 'g', 9, 64),
				strconv.FormatFloat(p.Messages[j][i], 'g', 9, 64))
		}
	}
	return b.Flush()
}
