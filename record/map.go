// Maps: what every node learns about every other.

package record

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
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
	Row        int          `json:"row"`               // of each node, whose label is asked for
	Victim     int          `json:"victim"`            // of the picture of the network
	Targets    bool         `json:"targets,omitempty"` // it is no label, but a target, whose sign is turned
	Delta      Number       `json:"delta"`             // at which ε is stated
	All        []Number     `json:"all"`               // μ of one who sees everything, by victim
	ByDistance []AtDistance `json:"by_distance"`
	Checks     []Check      `json:"checks"` // that runs do what their method says
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

// ReadMap reads the map of a directory; nil: there is none. The error says if it is not as it was written.
func ReadMap(dir string) (*Map, error) { return readWhole[Map](filepath.Join(dir, MapFile), false) }

// StatedMap is ReadMap of a file that may have been changed and is to be verified.
func StatedMap(dir string) (*Map, error) { return readWhole[Map](filepath.Join(dir, MapFile), true) }

// WriteMap writes a map and its pairs.
func WriteMap(dir string, m *Map, p *Pairs) error {
	m.Format = Format
	if err := files.Write(filepath.Join(dir, PairsFile), p.Write); err != nil {
		return fmt.Errorf("writing a map: %w", err)
	}
	return files.Write(filepath.Join(dir, MapFile), asJSON(m))
}

// ReadPairs reads the pairs of a map of so many nodes.
func ReadPairs(dir string, nodes int) (*Pairs, error) {
	path := filepath.Join(dir, PairsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a map: %w", err)
	}
	damaged := func(line int, what string) error {
		return fmt.Errorf("%s, line %d: %s; simulate audit --map makes the map anew", path, line, what)
	}
	p := new(Pairs)
	for range nodes {
		p.Distance = append(p.Distance, make([]int, nodes))
		p.Mu, p.Messages = append(p.Mu, make([]float64, nodes)), append(p.Messages, make([]float64, nodes))
	}
	rows := csv.NewReader(bytes.NewReader(text))
	rows.ReuseRecord = true
	if _, err := rows.Read(); err != nil {
		return nil, damaged(1, "no header")
	}
	for j := range nodes {
		for i := range nodes {
			if i == j {
				continue
			}
			row, err := rows.Read()
			line, _ := rows.FieldPos(0)
			if err != nil || len(row) != 5 || row[0] != strconv.Itoa(j) || row[1] != strconv.Itoa(i) {
				return nil, damaged(line, fmt.Sprintf("not the pair of observer %d and victim %d", j, i))
			}
			var failed [3]error
			p.Distance[j][i], failed[0] = strconv.Atoi(row[2])
			p.Mu[j][i], failed[1] = strconv.ParseFloat(row[3], 64)
			p.Messages[j][i], failed[2] = strconv.ParseFloat(row[4], 64)
			if errors.Join(failed[:]...) != nil || !(p.Mu[j][i] >= 0) || !(p.Messages[j][i] >= 0) {
				return nil, damaged(line, "no distance, μ and messages")
			}
		}
	}
	if _, err := rows.Read(); err != io.EOF {
		return nil, damaged(nodes*(nodes-1)+2, "a pair too many")
	}
	return p, nil
}

// Write writes pairs as a table.
func (p *Pairs) Write(w io.Writer) error {
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
