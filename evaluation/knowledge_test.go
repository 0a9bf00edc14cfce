// What an adversary is given, and the pairs of samples and matrices that audits try.

package evaluation

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/adversary"
	"overhear/experiment"
	"overhear/problem"
	"overhear/scenarios"
	"overhear/sim"
)

// assembled is a scenario's first seed, ready to run.
func assembled(t *testing.T, text string, sets ...string) (*experiment.Experiment, *experiment.Assembly) {
	t.Helper()
	s, err := scenarios.Parse("assembled.yaml", []byte(text), sets...)
	if err != nil {
		t.Fatal(err)
	}
	e := experiment.New(s, "")
	a, err := e.Assemble(t.Context(), e.Seeds.First)
	if err != nil {
		t.Fatal(err)
	}
	return e, a
}

func knowledgeFor(t *testing.T, text string, sets ...string) (*knowledge, *experiment.Assembly) {
	t.Helper()
	e, a := assembled(t, text, sets...)
	k, err := knowledgeOf(e, a)
	if err != nil {
		t.Fatal(err)
	}
	return k, a
}

// position is where a sample is among others; −1: it is not.
func position(s adversary.Sample, among *adversary.Samples) int {
	for n := range among.Y {
		if o := among.At(n); o.Y == s.Y && slices.Equal(o.X, s.X) {
			return n
		}
	}
	return -1
}

const someADMM = "{kind: admm, eta: 0.5}"

// The informed adversary has every other sample, and candidates of which one is the
// victim's, at a place that it cannot know: it differs from node to node.
func TestKnowledge_OfTheInformedAdversary(t *testing.T) {
	k, a := knowledgeFor(t, fmt.Sprintf(ring, someADMM), "adversary.knows={victim: all, all-but: 3, candidates: 5}")
	places := map[int]bool{}
	for node, v := range k.Victims {
		own := samples(a, node)
		wanted := own.At(3)
		if v.Node != node || v.Size != 16 || len(v.Others.Y) != 15 || position(wanted, v.Others) >= 0 {
			t.Errorf("node %d: %d of %d samples", node, len(v.Others.Y), v.Size)
		}
		for n := range own.Y {
			if n != 3 && position(own.At(n), v.Others) < 0 {
				t.Errorf("node %d: sample %d is not known", node, n)
			}
		}
		if len(v.Candidates.Y) != 6 {
			t.Fatalf("node %d: %d candidates", node, len(v.Candidates.Y))
		}
		at := position(wanted, v.Candidates)
		if at < 0 || at != trueCandidate(a.Seed, node, 5) {
			t.Errorf("node %d: the sample is candidate %d", node, at)
		}
		places[at] = true
		for n := range v.Candidates.Y {
			if n != at && position(v.Candidates.At(n), own) >= 0 {
				t.Errorf("node %d: candidate %d is another of its samples", node, n)
			}
		}
	}
	if len(k.Victims) != 5 || len(places) < 2 || k.Columns != 4 || k.Rows != 0 {
		t.Errorf("%d victims, places %v, %d columns, %d rows", len(k.Victims), places, k.Columns, k.Rows)
	}
}

// Without side knowledge half of the candidates are members. Where the test set is too
// small, the rest are samples of other nodes.
func TestKnowledge_CandidatesAreMembersAndOthers(t *testing.T) {
	for train, candidates := range map[string]int{"80": 8, "98": 10} {
		k, a := knowledgeFor(t, fmt.Sprintf(ring, someADMM), "problem.train="+train,
			fmt.Sprintf("adversary.knows={victim: 2, candidates: %d, data: [1]}", candidates))
		v, own := k.Victims[0], samples(a, 2)
		members, order := 0, ""
		for n := range v.Candidates.Y {
			if position(v.Candidates.At(n), own) >= 0 {
				members++
				order += "m"
			} else {
				order += "o"
			}
		}
		if len(k.Victims) != 1 || len(v.Candidates.Y) != candidates || members != candidates/2 || v.Size != 0 ||
			v.Others != nil {
			t.Errorf("%s in training: %d candidates, %d members, %+v", train, len(v.Candidates.Y), members, v)
		}
		if strings.Contains(order, strings.Repeat("m", candidates/2)) {
			t.Errorf("the order gives members away: %s", order)
		}
		if d := k.Data[1]; len(k.Data) != 1 || !slices.Equal(d.Y, a.Problem.Shards[1].Y) {
			t.Errorf("data of nodes: %v", k.Data)
		}
	}
	k, _ := knowledgeFor(t, fmt.Sprintf(ring, someADMM), "adversary.knows={victim: 0}")
	if k.Victims[0].Candidates != nil || k.Data != nil {
		t.Errorf("nothing is known: %+v", k)
	}
}

// Columns are described unless nothing is known of them; without candidates there are no
// matrices.
func TestKnowledge_OfColumns(t *testing.T) {
	for columns, known := range map[string]bool{"described": true, "unknown": false} {
		k, _ := knowledgeFor(t, fmt.Sprintf(ring, someADMM), "adversary.knows.columns="+columns)
		if (k.Schema != nil) != known || known && len(k.Schema.Sign) != 4 {
			t.Errorf("%s: %+v", columns, k.Schema)
		}
	}
	split := fmt.Sprintf(splitAudit, fmt.Sprintf(privateSharing, "range"))
	for _, candidates := range []int{0, 3} {
		k, a := knowledgeFor(t, split, fmt.Sprintf("adversary.knows={victim: 1, candidates: %d}", candidates))
		own := 0
		blocks := k.Victims[0].Blocks
		for n, b := range blocks {
			if len(columnsApart(b, a.Split.Blocks[0])) == 0 {
				own++
				if n != trueCandidate(a.Seed, 1, candidates) {
					t.Errorf("the party's matrix is candidate %d", n)
				}
			}
		}
		want := map[int]int{0: 0, 3: 4}[candidates]
		if len(blocks) != want || own != min(1, want) || k.Rows != 30 {
			t.Errorf("%d candidates: %d matrices of %d rows, %d the party's own", candidates, len(blocks), k.Rows, own)
		}
	}
}

// A hub has no data: the nodes around it are from 1.
func TestKnowledge_AroundAHub(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(ring, "{kind: dp-admm, noise: off}"), "ring, nodes: 5", "star, nodes: 5", 1)
	for set, want := range map[string][]int{"adversary.knows={victim: 0}": {1}, "adversary.knows={victim: 4}": {4},
		"adversary.knows={victim: all}": {1, 2, 3, 4}} {
		k, _ := knowledgeFor(t, text, set)
		var got []int
		for _, v := range k.Victims {
			got = append(got, v.Node)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", set, got, want)
		}
	}
	e, a := assembled(t, text, "adversary.knows={victim: 1, data: [0]}")
	if _, err := knowledgeOf(e, a); err == nil || !strings.Contains(err.Error(), "node 0 has no data") {
		t.Errorf("the hub's data: %v", err)
	}
}

// block is a small matrix whose second column is constant.
func block() *problem.Rows {
	b := problem.NewRows(3)
	for n := range 8 {
		b.Append([]int32{0, 1, 2}, []float64{float64(n) / 10, 0.5, float64(n*n%5) - 1})
	}
	return b
}

// columnsApart are the columns in which two matrices differ.
func columnsApart(a, b *problem.Rows) (apart []int) {
	for c := range a.D {
		if !slices.Equal(column(a, c), column(b, c)) {
			apart = append(apart, c)
		}
	}
	return apart
}

// Candidate matrices are the victim's but for the order of one column's values.
func TestDecoyBlocks_ReorderOneColumn(t *testing.T) {
	own := block()
	decoys := decoyBlocks(own, 6, sim.NewStream(1, "decoys", 0))
	changed := map[int]int{}
	for _, d := range decoys {
		apart := columnsApart(own, d)
		if len(apart) != 1 {
			t.Fatalf("columns %v differ", apart)
		}
		changed[apart[0]]++
		was, is := column(own, apart[0]), column(d, apart[0])
		slices.Sort(was)
		slices.Sort(is)
		if !slices.Equal(was, is) {
			t.Errorf("column %d has other values: %v", apart[0], is)
		}
	}
	if len(decoys) != 6 || changed[0] != 3 || changed[2] != 3 {
		t.Errorf("%d matrices; columns %v are reordered", len(decoys), changed)
	}
	constant := problem.NewRows(1)
	for range 4 {
		constant.Append([]int32{0}, []float64{0.5})
	}
	if d := decoyBlocks(constant, 3, sim.NewStream(1, "decoys", 0)); len(d) != 0 {
		t.Errorf("a constant column has %d other orders", len(d))
	}
}

// A column can be put in the place of any other, zeros and all, and the rest stays.
func TestWithColumn(t *testing.T) {
	sparse := problem.NewRows(3)
	sparse.Append([]int32{1}, []float64{2})
	sparse.Append(nil, nil)
	sparse.Append([]int32{0, 2}, []float64{3, 4})
	sparse.Append([]int32{0, 1, 2}, []float64{5, 6, 7})
	for c := range 3 {
		values := []float64{1, -1, 0, 8}
		got := withColumn(sparse, c, values)
		if got.Len() != 4 || !slices.Equal(column(got, c), values) {
			t.Errorf("column %d is %v", c, column(got, c))
		}
		for other := range 3 {
			if other != c && !slices.Equal(column(got, other), column(sparse, other)) {
				t.Errorf("with another column %d, column %d is %v", c, other, column(got, other))
			}
		}
		for n := range got.Len() {
			cols, vals := got.Row(n)
			if !slices.IsSorted(cols) || slices.Contains(vals, 0) {
				t.Errorf("row %d: %v %v", n, cols, vals)
			}
		}
	}
}

// SH19's neighbours differ by norm 1 in one column: so do the pairs that are tried, in
// the directions that they name.
func TestColumnProposals_AreNeighbours(t *testing.T) {
	own := block()
	labels := []float64{1, -1, 1, 1, -1, -1, 1, -1}
	directions := map[string][]float64{
		"along the labels": labels,
		"longer":           column(own, 0),
		"along column 1":   column(own, 1),
	}
	all := columnProposals(own, labels, 0, 3)
	if len(all) != 5 {
		t.Fatalf("%d pairs", len(all))
	}
	for _, p := range all {
		if apart := columnsApart(p.block[0], p.block[1]); !slices.Equal(apart, []int{0}) {
			t.Errorf("%s: columns %v differ", p.what, apart)
		}
		a, b := column(p.block[0], 0), column(p.block[1], 0)
		difference, square := make([]float64, len(a)), 0.0
		for n := range a {
			difference[n] = b[n] - a[n]
			square += difference[n] * difference[n]
		}
		if !(math.Abs(math.Sqrt(square)-1) <= 1e-12) {
			t.Errorf("%s: they differ by %v", p.what, math.Sqrt(square))
		}
		for name, d := range directions {
			if !strings.Contains(p.what, name) {
				continue
			}
			dot, norm := 0.0, 0.0
			for n := range d {
				dot += d[n] * difference[n]
				norm += d[n] * d[n]
			}
			if !(math.Abs(dot/math.Sqrt(norm)-1) <= 1e-12) {
				t.Errorf("%s: the cosine is %v", p.what, dot/math.Sqrt(norm))
			}
			delete(directions, name)
		}
		if strings.Contains(p.what, "shorter") {
			for n := range a { // by 1 along itself
				if !(math.Abs(b[n]-a[n]*(1-1/math.Sqrt(1.4))) <= 1e-12) { // Σ (n/10)² = 1.4
					t.Errorf("%s: %v becomes %v", p.what, a[n], b[n])
				}
			}
		}
	}
	if len(directions) != 0 {
		t.Errorf("there is no pair %v", directions)
	}
	// The last column's next is the first. One shorter than 1 is left out, not turned round.
	short := withColumn(own, 2, []float64{0.1, 0, 0, 0, 0, 0, 0, 0})
	next := false
	for _, p := range columnProposals(short, labels, 2, 3) {
		next = next || strings.Contains(p.what, "along column 0")
		if b := column(p.block[1], 2); strings.Contains(p.what, "shorter") && slices.Max(b) != 0 {
			t.Errorf("a column of norm 0.1, shorter by 1: %v", b)
		}
	}
	if !next {
		t.Error("no pair moves the last column along the first")
	}
	// A column of zeros can only be moved; a column alone has no other beside it.
	if all := columnProposals(withColumn(own, 2, make([]float64, 8)), labels, 2, 3); len(all) != 3 {
		t.Errorf("a column of zeros: %d pairs", len(all))
	}
	alone := problem.NewRows(1)
	for n := range 8 {
		alone.Append([]int32{0}, []float64{float64(n + 1)})
	}
	if all := columnProposals(alone, labels, 0, 3); len(all) != 4 {
		t.Errorf("a column alone: %d pairs", len(all))
	}
}

// Samples that are tried have norm 1 at most, as every sample has; unit samples around an
// axis have its angle to it, one on either side.
func TestProposals_AreSamples(t *testing.T) {
	u := problem.NewRows(3)
	u.Append([]int32{0, 2}, []float64{0.3, 0.4})
	u.Append([]int32{1}, []float64{1})
	u.Append(nil, nil)
	p := &problem.Problem{D: 3, Shards: []problem.Shard{{U: u, Y: []float64{1, 1, 1}}}}
	dot := func(a, b []float64) (s float64) {
		for k := range a {
			s += a[k] * b[k]
		}
		return s
	}
	middle := []float64{0, 0, -2} // against which (0, 0, 1) goes
	for row, count := range []int{13, 12, 12} {
		all := proposals(p, 0, &scenarios.AuditSpec{Row: row}, middle)
		if len(all) != count {
			t.Errorf("row %d: %d pairs", row, len(all))
		}
		for _, c := range all {
			a, b := c.u[0], c.u[1]
			if na, nb := dot(a, a), dot(b, b); !(na <= 1+1e-12) || !(math.Abs(na-nb) <= 1e-12) {
				t.Errorf("row %d, %s: norms² %v and %v", row, c.what, na, nb)
			}
			switch {
			case strings.Contains(c.what, "as it is") || strings.Contains(c.what, "either label") ||
				strings.Contains(c.what, "opposed"):
				if !(math.Abs(dot(a, b)+dot(a, a)) <= 1e-12) {
					t.Errorf("row %d, %s: they are not opposite", row, c.what)
				}
				if strings.Contains(c.what, "at norm 1") && (row != 0 || !(math.Abs(a[0]-0.6) <= 1e-12)) {
					t.Errorf("row %d, %s: %v", row, c.what, a)
				}
			case strings.Contains(c.what, "°"):
				var degrees float64
				fmt.Sscanf(c.what, "unit samples at ±%f°", &degrees)
				axis := []float64{-1, 0, 0}
				if strings.Contains(c.what, "column 1") {
					axis = []float64{0, -1, 0}
				}
				if strings.Contains(c.what, "iterates") {
					axis = []float64{0, 0, 1}
				}
				if cos := math.Cos(degrees * math.Pi / 180); !(math.Abs(dot(a, axis)-cos) <= 1e-12) ||
					!(math.Abs(dot(b, axis)-cos) <= 1e-12) ||
					!(math.Abs(dot(a, b)-math.Cos(degrees*math.Pi/90)) <= 1e-12) {
					t.Errorf("row %d, %s: %v and %v", row, c.what, a, b)
				}
			default:
				t.Errorf("row %d: %s", row, c.what)
			}
		}
	}
	if all := proposals(p, 0, &scenarios.AuditSpec{}, make([]float64, 3)); len(all) != 10 {
		t.Errorf("iterates that go nowhere: %d pairs", len(all))
	}
	given := &scenarios.GivenPair{A: []float64{1, 0, 0}, B: []float64{0, 1, 0}}
	if all := proposals(p, 0, &scenarios.AuditSpec{Pair: given}, middle); len(all) != 1 ||
		&all[0].u[0][0] != &given.A[0] {
		t.Errorf("a given pair: %+v", all)
	}
}

// What is published of columns: signs, indicators of one attribute, the intercept.
func TestSchema(t *testing.T) {
	x := problem.NewRows(5)
	x.Append([]int32{0, 1, 4}, []float64{-0.5, 1, 1})
	x.Append([]int32{0, 2, 3, 4}, []float64{0.5, 1, 0.2, 1})
	set := &problem.Set{X: x, Columns: []string{"age", "sex=f", "sex=m", "job=none", "intercept"}}
	for _, intercept := range []bool{true, false} {
		s := schema(set, intercept)
		if !slices.Equal(s.Sign, []bool{false, true, true, true, true}) || len(s.Groups) != 2 ||
			!slices.Equal(s.Groups[0], []int{1, 2}) || !slices.Equal(s.Groups[1], []int{3}) ||
			s.Intercept != map[bool]int{true: 4, false: -1}[intercept] || !slices.Equal(s.Names, set.Columns) {
			t.Errorf("%+v", s)
		}
	}
}
