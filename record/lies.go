// What nodes that lie sent, where that is not what they published.

package record

import (
	"errors"
	"path/filepath"

	"overhear/sim"
)

const liesFile = "lies.parquet"

// Lie is a row of lies.parquet: what a node told a neighbour in place of its value of a round.
type Lie struct {
	Node   int32     `parquet:"node,delta"`
	To     int32     `parquet:"to,delta"`
	Round  int32     `parquet:"round,delta"`
	TimeNS int64     `parquet:"time_ns,delta"`
	Values []float64 `parquet:"values,list"` // empty: nothing was sent
}

// Lie records what a node sent a neighbour in place of its value, where contents are kept; nil: nothing.
func (w *Writer) Lie(node, to, round int, at sim.Time, values []float64) {
	if !w.policy.keeps(round) {
		return
	}
	if w.lies == nil { // few runs have any
		var err error
		if w.lies, err = newLog[Lie](filepath.Join(w.dir, liesFile)); err != nil {
			w.err = errors.Join(w.err, err)
			w.policy.Every, w.policy.Last = 0, -1 // no sense in trying again
			return
		}
	}
	w.lies.add(Lie{int32(node), int32(to), int32(round), int64(at), values})
}

// Lies calls f with every recorded lie, in the order in which they were told. There need be none.
func (r *Run) Lies(f func(Lie) error) error {
	if _, ok := r.Info.Files[liesFile]; !ok {
		return nil
	}
	return rows(r, liesFile, f)
}
