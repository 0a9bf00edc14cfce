// Linkage: which messages of successive rounds are of one sender, though none says whose it is.

package adversary

import (
	"fmt"
	"math"
	"slices"

	"overhear/adversary/model"
	"overhear/internal/plural"
	"overhear/record"
	"overhear/sim"
)

func init() {
	register(&Attack{
		Name:     "linkage",
		Title:    "linkage of pseudonymous messages",
		Everyone: true,
		Equation: "minimise Σ_k ‖(m_k(t) − m̄(t)) − (m_π(k)(t+1) − m̄(t+1))‖² over assignments π",
		About: `If messages carry no sender, or another pseudonym in every round, their contents may still tell: a
node's value is near the one before. The messages of a round are put in an order that their contents decide, and those
that are equal in one drawn by lot. What all have moved by is taken out, and the messages of a round are assigned to
those of the next so that the sum of squared distances is least (the Hungarian method). Each of the victim's messages
then has a successor, which is right if the victim sent it. Guessing is right once in as many times as there are
messages in the round.`,
		Needs:   "values of two nodes or more in two successive rounds; senders, rounds before and data are not used",
		Targets: true,
		Classes: true,
		Run:     linkage,
	})
}

// letters are the messages of a round without their senders, which are kept apart.
type letters struct {
	round  int
	values [][]float64
	sender []int
}

// letters are what was seen of a round, in an order that does not tell senders.
func (v *View) letters(round int) *letters {
	p := v.Public
	l := &letters{round: round}
	for _, i := range sim.NewStream(uint64(round), "letters").Perm(p.Graph.Order()) {
		if f, ok := v.values[[2]int{i, round}]; ok && !(p.Hub && i == 0) {
			l.values, l.sender = append(l.values, f), append(l.sender, i)
		}
	}
	order := make([]int, len(l.values))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(l.values[a], l.values[b]) })
	sorted := &letters{round: round}
	for _, k := range order {
		sorted.values, sorted.sender = append(sorted.values, l.values[k]), append(sorted.sender, l.sender[k])
	}
	return sorted
}

// link assigns the messages of a round to those of another: to[k] is −1 of one that has none.
func (l *letters) link(next *letters) []int {
	from, to := meanOf(l.values), meanOf(next.values)
	costs := make([][]float64, len(l.values))
	for k, x := range l.values {
		costs[k] = make([]float64, len(next.values))
		for m, y := range next.values {
			for c := range x {
				d := (x[c] - from[c]) - (y[c] - to[c])
				costs[k][m] += float64(d * d)
			}
		}
	}
	return assign(costs)
}

func linkage(v *View, f *record.Finding) error {
	p, victim := v.Public, v.Knows.Victim
	if _, ok := p.Method.(model.EdgeDual); ok {
		return blocked("a node of method %s sends each neighbour another vector, so that its messages have no one "+
			"content to go by", p.Name)
	}
	if p.Hub && victim == 0 {
		return blocked("node 0 is the hub, whose messages go to all")
	}
	missing := 0
	for t := 1; t < p.Rounds; t++ {
		_, now := v.values[[2]int{victim, t}]
		_, then := v.values[[2]int{victim, t + 1}]
		if !now || !then {
			missing++
			continue
		}
		a, b := v.letters(t), v.letters(t+1)
		if len(a.values) < 2 || len(b.values) < 2 {
			missing++
			continue
		}
		if k := a.link(b)[slices.Index(a.sender, victim)]; k >= 0 {
			f.Links = append(f.Links, record.Link{From: t, Round: t + 1, Sender: b.sender[k], Among: len(b.values)})
		}
	}
	if missing > 0 {
		f.Unseen = append(f.Unseen, fmt.Sprintf("%d of %d pairs of successive rounds: messages of the victim, or any "+
			"other to tell them from", missing, p.Rounds-1))
	}
	if len(f.Links) == 0 {
		return blocked("no two successive rounds have a message of the victim and one of another node each")
	}
	of := fmt.Sprintf("of node %d ", victim)
	f.Conclusion = plural.With(len(f.Links), "message", of+"is", of+"are") +
		" linked to one of the next round, by contents alone"
	return nil
}

// assign is the assignment of rows to columns of the least sum of costs, −1 of a row that has no column, by shortest
// augmenting paths (Jonker & Volgenant 1987). Of equal costs it takes the first.
func assign(costs [][]float64) []int {
	n := len(costs)
	if n == 0 {
		return nil
	}
	m := len(costs[0])
	if m < n { // rows take turns; columns are fewer
		turned := make([][]float64, m)
		for k := range turned {
			for _, row := range costs {
				turned[k] = append(turned[k], row[k])
			}
		}
		to := make([]int, n)
		for k := range to {
			to[k] = -1
		}
		for k, row := range assign(turned) {
			to[row] = k
		}
		return to
	}
	rows, columns := make([]float64, n), make([]float64, m+1) // what a row, and a column, costs less
	owner, via := make([]int, m+1), make([]int, m+1)
	for k := range owner {
		owner[k] = -1
	}
	for i := range n {
		at := m // a column beside the others, of the row that looks for one
		owner[m] = i
		least, done := make([]float64, m), make([]bool, m+1)
		for k := range least {
			least[k], via[k] = math.Inf(1), m // also where costs are no numbers
		}
		for owner[at] >= 0 {
			done[at] = true
			row, step, next := owner[at], math.Inf(1), -1
			for k := range m {
				if done[k] {
					continue
				}
				if c := costs[row][k] - rows[row] - columns[k]; c < least[k] {
					least[k], via[k] = c, at
				}
				if next < 0 || least[k] < step {
					step, next = least[k], k
				}
			}
			for k := range m + 1 {
				if done[k] {
					rows[owner[k]] += step
					columns[k] -= step
				} else {
					least[k] -= step
				}
			}
			at = next
		}
		for at != m {
			owner[at] = owner[via[at]]
			at = via[at]
		}
	}
	to := make([]int, n)
	for k := range m {
		if owner[k] >= 0 {
			to[owner[k]] = k
		}
	}
	return to
}
