// The rows of many nodes in little memory.

package problem

import (
	"slices"

	"overhear/internal/num"
)

// newShards copies the rows of each index out of a set. What they have is in a few pieces of memory for all shards
// together, but for rows that need an index.
func newShards(s *Set, parts [][]int) []Shard {
	rows := 0
	for _, index := range parts {
		rows += len(index)
	}
	shards := make([]Shard, len(parts))
	y, from := make([]float64, 0, rows), make([]int, 0, rows)
	var all *Rows
	if s.X.full() {
		all = newRows(s.X.D, rows, rows*s.X.D)
	}
	for p, index := range parts {
		begin := len(y)
		for _, i := range index {
			y = append(y, s.Y[i])
			if all != nil {
				all.Append(s.X.Row(i))
				num.Scale(s.Y[i], all.fullRow(len(y)-1))
			}
		}
		from = append(from, index...)
		if all == nil {
			shards[p].U = s.X.scaled(index, s.Y)
		}
		shards[p].Targets, shards[p].Class = picked(s.Targets, index), picked(s.Class, index)
		shards[p].Y, shards[p].Index = slices.Clip(y[begin:]), slices.Clip(from[begin:])
	}
	if all != nil {
		begin := 0
		for p, index := range parts {
			shards[p].U = all.part(begin, begin+len(index), 0, all.D)
			begin += len(index)
		}
	}
	return shards
}
