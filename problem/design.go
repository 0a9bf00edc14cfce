// The rows of an objective as its two products read them.

package problem

import (
	"encoding/binary"

	"overhear/internal/num"
)

// products is the rows of an objective for its two products.
type products interface {
	times(f, out []float64)           // out_i is the inner product of row i with f
	transposedTimes(s, out []float64) // out_c is the inner product of column c with s
}

// newProducts arranges the rows of an objective. Long rows without an index stay where they are.
func newProducts(o *Objective) products {
	var p products
	if o.inPlace() {
		p = (*fullRows)(o.U)
	} else {
		p = o.U.design()
	}
	if o.models() > 1 {
		return models{p, o.models(), o.U.D, o.U.Len()}
	}
	return p
}

// inPlace says whether the rows are read where they are.
func (o *Objective) inPlace() bool { return o.U.full() && (o.fewRows() || o.U.D > maxNewton) }

// fullRows are rows without an index.
type fullRows Rows

func (m *fullRows) times(f, out []float64) { (*Rows)(m).fullTimes(f, out) }

func (m *fullRows) transposedTimes(s, out []float64) { (*Rows)(m).fullTransposedTimes(s, out) }

// design is an n×d matrix whose columns are kept in three ways, whichever is read fastest:
//
//   - in full, if the column is in most rows;
//   - as codes, if wherever the column has an entry it is the one that most entries of the row have, as for attributes
//     of categories: a row is then that value and a byte for each of its columns;
//   - else the entries, by columns.
//
// The order of additions depends on the matrix only.
type design struct {
	n int

	full  []int32   // columns in full
	block []float64 // their entries, n a column

	coded []int32   // the columns of the codes 0 … len(coded)−1
	width int       // bytes a row, a multiple of 8; the rest are noCode
	codes []byte    // n×width
	value []float64 // of each row's codes

	sparse []int32   // columns by entries
	start  []int32   // where each of them begins in row and entry
	row    []int32   // of each entry
	entry  []float64 // its value
}

// noCode fills up the codes of a row.
const noCode = 255

// design is the matrix as its products read it, arranged once for all solvers, and again after rows were added.
func (r *Rows) design() *design {
	m := r.arranged.Load()
	if m == nil || m.n != r.Len() {
		m = newDesign(r)
		r.arranged.Store(m)
	}
	return m
}

// newDesign arranges a matrix.
func newDesign(u *Rows) *design {
	m := &design{n: u.Len()}
	common, isCode, count := u.commonValues()
	codes := 0
	for c, n := range count {
		if n > 0 && isCode[c] && n < m.n {
			codes++
		}
	}
	kind := make([]int32, u.D) // the place in full, or −1 − the code, or noPlace
	const noPlace = 1 << 30
	for c, n := range count {
		kind[c] = noPlace
		switch {
		case n == 0:
		case isCode[c] && n < m.n && codes < noCode:
			kind[c] = int32(-1 - len(m.coded))
			m.coded = append(m.coded, int32(c))
		case 4*n >= m.n:
			kind[c] = int32(len(m.full))
			m.full = append(m.full, int32(c))
		default:
			m.sparse = append(m.sparse, int32(c))
		}
	}
	m.block = make([]float64, len(m.full)*m.n)
	for i := range m.n {
		used := 0
		cols, _ := u.Row(i)
		for _, c := range cols {
			if kind[c] < 0 {
				used++
			}
		}
		m.width = max(m.width, (used+7)&^7)
	}
	if len(m.coded) > 0 {
		m.value, m.codes = common, make([]byte, m.n*m.width)
		for k := range m.codes {
			m.codes[k] = noCode
		}
	}
	m.start = make([]int32, len(m.sparse)+1)
	next := make([]int32, u.D)
	for k, c := range m.sparse {
		m.start[k+1] = m.start[k] + int32(count[c])
		next[c] = m.start[k]
	}
	m.row, m.entry = make([]int32, m.start[len(m.sparse)]), make([]float64, m.start[len(m.sparse)])
	for i := range m.n {
		cols, vals := u.Row(i)
		used := 0
		for k, c := range cols {
			switch place := kind[c]; {
			case place == noPlace:
				m.row[next[c]], m.entry[next[c]] = int32(i), vals[k]
				next[c]++
			case place < 0:
				m.codes[i*m.width+used] = byte(-1 - place)
				used++
			default:
				m.block[int(place)*m.n+i] = vals[k]
			}
		}
	}
	return m
}

// commonValues are, for each row, the value that more than half of its entries have, 0 if there is none; which columns
// have no other values; and how many entries each column has.
func (r *Rows) commonValues() (common []float64, only []bool, count []int) {
	common, only, count = make([]float64, r.Len()), make([]bool, r.D), make([]int, r.D)
	for c := range only {
		only[c] = true
	}
	for i := range r.Len() {
		cols, vals := r.Row(i)
		lead, candidate := 0, 0.0 // Boyer and Moore's vote
		for _, v := range vals {
			switch {
			case lead == 0:
				lead, candidate = 1, v
			case v == candidate:
				lead++
			default:
				lead--
			}
		}
		have := 0
		for _, v := range vals {
			if v == candidate {
				have++
			}
		}
		if 2*have > len(vals) && have > 1 {
			common[i] = candidate
		}
		for k, c := range cols {
			count[c]++
			only[c] = only[c] && vals[k] == common[i]
		}
	}
	return common, only, count
}

// column is the k-th of the columns in full.
func (m *design) column(k int) []float64 { return m.block[k*m.n : (k+1)*m.n] }

// times sets out_i to the inner product of row i with f.
func (m *design) times(f, out []float64) {
	out = out[:m.n]
	clear(out)
	k := 0
	for ; k+4 <= len(m.full); k += 4 {
		x := [4]float64{f[m.full[k]], f[m.full[k+1]], f[m.full[k+2]], f[m.full[k+3]]}
		num.Axpys(&x, m.column(k), m.column(k+1), m.column(k+2), m.column(k+3), out)
	}
	for ; k < len(m.full); k++ {
		num.Axpy(f[m.full[k]], m.column(k), out)
	}
	if len(m.coded) > 0 {
		var table [256]float64
		for k, c := range m.coded {
			table[k] = f[c]
		}
		m.addCoded(&table, out)
	}
	for k, c := range m.sparse {
		from, to := m.start[k], m.start[k+1]
		x, entry := f[c], m.entry[from:to]
		for j, i := range m.row[from:to] {
			out[i] += float64(x * entry[j])
		}
	}
}

// addCoded adds to out_i what row i's codes give: the sum of their numbers in table, times the row's value.
func (m *design) addCoded(table *[256]float64, out []float64) {
	value := m.value[:len(out)]
	if m.width == 8 { // the loop of most runs
		codes := m.codes[:8*len(out)]
		for i := range out {
			out[i] += float64(value[i] * eight(table, codes[8*i:8*i+8]))
		}
		return
	}
	codes := m.codes
	for i := range out {
		sum := 0.0
		for range m.width / 8 {
			sum += eight(table, codes)
			codes = codes[8:]
		}
		out[i] += float64(value[i] * sum)
	}
}

// eight is the sum of the numbers of the first eight codes.
func eight(table *[256]float64, codes []byte) float64 {
	w := binary.LittleEndian.Uint64(codes)
	a := (table[byte(w)] + table[byte(w>>8)]) + (table[byte(w>>16)] + table[byte(w>>24)])
	b := (table[byte(w>>32)] + table[byte(w>>40)]) + (table[byte(w>>48)] + table[byte(w>>56)])
	return a + b
}

// transposedTimes sets out_c to the inner product of column c with s.
func (m *design) transposedTimes(s, out []float64) {
	s = s[:m.n]
	clear(out)
	k := 0
	for ; k+4 <= len(m.full); k += 4 {
		var x [4]float64
		num.Dots(&x, m.column(k), m.column(k+1), m.column(k+2), m.column(k+3), s)
		for j, v := range x {
			out[m.full[k+j]] = v
		}
	}
	for ; k < len(m.full); k++ {
		out[m.full[k]] = num.Dot(m.column(k), s)
	}
	if len(m.coded) > 0 {
		// Rows take turns, so that an addition need not wait for the last one.
		var even, odd [256]float64
		codes, value := m.codes, m.value[:len(s)]
		for i, x := range s {
			x = float64(x * value[i]) // rounded before it is added, on every machine
			table := &even
			if i&1 == 1 {
				table = &odd
			}
			for range m.width / 8 {
				w := binary.LittleEndian.Uint64(codes)
				codes = codes[8:]
				table[byte(w)] += x
				table[byte(w>>8)] += x
				table[byte(w>>16)] += x
				table[byte(w>>24)] += x
				table[byte(w>>32)] += x
				table[byte(w>>40)] += x
				table[byte(w>>48)] += x
				table[byte(w>>56)] += x
			}
		}
		for k, c := range m.coded {
			out[c] = even[k] + odd[k]
		}
	}
	for k, c := range m.sparse {
		from, to := m.start[k], m.start[k+1]
		sum, entry := 0.0, m.entry[from:to]
		for j, i := range m.row[from:to] {
			sum += float64(entry[j] * s[i])
		}
		out[c] = sum
	}
}
