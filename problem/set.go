// Data sets, as read and as prepared.

package problem

import (
	"encoding/binary"
	"math"
)

// Set is a data set: n rows of D numbers, each with its class or with a target, a number to be predicted.
type Set struct {
	Name    string
	X       *Rows
	Y       []float64 // classes, ±1; 1 of rows with targets, and of rows with one of K classes
	Class   []int32   // 0 to K−1, where every value of the label is a class (data.classes: all); else nil
	Classes []string  // their names, K of them
	Targets []float64 // nil if rows have classes
	Unit    float64   // what targets were divided by; 0: nothing, or rows have classes
	Columns []string  // names, D of them
	Dropped int       // rows left out because a value was missing
	Source  string    // where it was read from, or how it was made
	Reading *Reading  // what was done to read a user's file; nil for built-in sets
	Names   Names     // of a built-in set; Columns above are those of the rows as they are
}

// Bytes is about how much memory the rows take, with their classes or targets.
func (s *Set) Bytes() float64 {
	return s.X.Bytes() + float64(8*(len(s.Y)+len(s.Targets))) + float64(4*len(s.Class))
}

// Distinct is the set without rows that are equal to an earlier one in all columns and in class or target.
func (s *Set) Distinct() *Set {
	out := *s
	out.X, out.Y, out.Targets, out.Class = newRows(s.X.D, s.X.Len(), s.X.Entries()), nil, nil, nil
	seen := map[string]bool{}
	var key []byte
	for i := range s.X.Len() {
		cols, vals := s.X.Row(i)
		key = binary.LittleEndian.AppendUint64(key[:0], math.Float64bits(s.Y[i]))
		if s.Class != nil {
			key = binary.LittleEndian.AppendUint32(key, uint32(s.Class[i]))
		}
		if s.Targets != nil {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(s.Targets[i]))
		}
		for k, c := range cols {
			if vals[k] != 0 { // a zero may be written or left out
				key = binary.LittleEndian.AppendUint32(key, uint32(c))
				key = binary.LittleEndian.AppendUint64(key, math.Float64bits(vals[k]))
			}
		}
		if seen[string(key)] {
			continue
		}
		seen[string(key)] = true
		out.X.Append(cols, vals)
		out.Y = append(out.Y, s.Y[i])
		if s.Class != nil {
			out.Class = append(out.Class, s.Class[i])
		}
		if s.Targets != nil {
			out.Targets = append(out.Targets, s.Targets[i])
		}
	}
	return &out
}
