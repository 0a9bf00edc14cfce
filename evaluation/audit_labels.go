// The audit of labels that users randomise.

package evaluation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"overhear/adversary"
	"overhear/adversary/stats"
	"overhear/algorithms"
	"overhear/experiment"
	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/privacy"
	"overhear/problem"
	"overhear/record"
	"overhear/scenarios"
)

// reporter runs worlds that differ in a user's label and looks at what the user
// reported. That all that follows depends on the reports only is what the explanation of the servers' packets shows.
type reporter struct {
	*explainer
	user    int
	epsilon float64
}

func (r *reporter) run(ctx context.Context, n run) (*evidence, error) {
	c, err := r.play(ctx, n.world, n.seed)
	if err != nil {
		return nil, err
	}
	v := &evidence{flips: flips{last: math.NaN()}}
	if v.account, err = r.explain(ctx, c, n); err != nil {
		return nil, err
	}
	v.others = r.noise
	r.count(&v.flips)
	p := r.first[[2]int{r.user, -1}]
	if p == nil {
		return v, nil // of which is told
	}
	// P(y′ = y) = e^ε/(1+e^ε): a reported label is worth ±ε.
	v.label = r.payloads[p.payload][r.public.D]
	density := []float64{0, 0}
	for w := range density {
		if v.label != r.assembly[w].Problem.Shards[r.part].Y[r.user-r.firstUser()] {
			density[w] = -r.epsilon
		}
	}
	v.rounds = []adversary.Evidence{{Round: 0, Density: density}}
	return v, nil
}

// flips are the labels of all users of a run, each flipped or not, less the probability of a flip, in standard
// deviations: s.
type flips struct {
	n, flipped int
	expected   float64
	squares    float64 // Σ s² of all but the last
	products   float64 // Σ s s′ of successive users
	last, most float64 // s of the last user; the largest |s s′| that there can be

	of     []bool    // by user whose label may be flipped
	chance []float64 // of each
}

// count counts the labels that users reported.
func (x *explainer) count(f *flips) {
	user := x.graph.Order()
	shards := x.assembly[x.world].Problem.Shards
	for shard := range shards {
		for row, y := range shards[shard].Y {
			p := x.first[[2]int{user, -1}]
			_, _, chance := x.reportOf(shard, row)
			user++
			if p == nil || chance == 0 {
				continue
			}
			f.add(x.payloads[p.payload][x.public.D] != y, chance)
		}
	}
}

// add counts a label that is flipped with that chance.
func (f *flips) add(flipped bool, chance float64) {
	s := -chance
	if flipped {
		f.flipped++
		s = 1 - chance
	}
	f.expected += chance
	s /= math.Sqrt(chance * (1 - chance))
	if f.n > 0 {
		f.products += float64(s * f.last)
		f.squares += float64(f.last * f.last)
	}
	f.of, f.chance = append(f.of, flipped), append(f.chance, chance)
	f.n++
	f.last = s
	f.most = max(f.most, (1-chance)/chance)
}

// firstUser is the node of the user of the shard's row 0.
func (w *twoWorlds) firstUser() int {
	a := w.assembly[0]
	id := a.Graph.Order()
	for i := range w.part {
		id += len(a.Problem.Shards[i].Y)
	}
	return id
}

// labelPair is a user's row with either label.
func labelPair(a *experiment.Assembly, shard, row int) proposal {
	s := &a.Problem.Shards[shard]
	own := (&adversary.Samples{U: s.U, Y: s.Y}).At(row)
	minus := slices.Clone(own.X)
	num.Scale(-1, minus)
	return proposal{fmt.Sprintf("sample %d with label +1, and with −1", row), [2][]float64{own.X, minus},
		[2]float64{1, -1}}
}

// labelClaims are what is claimed of a user's label: of ε the user's own, which the server's account bounds.
func labelClaims(e *experiment.Experiment, a *experiment.Assembly, shard, row int) *claim {
	epsilon := a.Method.(algorithms.Registering).Budget(shard, row)
	c := claims(a.Account, shard, a.First(), 1, privacy.Label, e.Rounds.Count)
	for t := range c.total {
		c.total[t] = min(c.total[t], epsilon)
		c.round[t] = min(c.round[t], epsilon)
	}
	c.certificate = a.Account.Flipped(shard, a.First(), epsilon)
	return c
}

// errGroupOfLabels is why there is no group of labels.
var errGroupOfLabels = errors.New("adversary.audit.group: a group is of samples, and of labels one differs " +
	"(adversary.audit.unit)")

// labelsDiffer is why there is no other label.
func labelsDiffer(p *problem.Problem) error {
	if p.HasTargets() || p.K > 0 {
		return errors.New("adversary.audit.unit: a label is of one of two classes, which these rows do not have; " +
			"take sample")
	}
	return nil
}

// auditLabels audits PDML's claim that a user's label is protected.
func auditLabels(e *experiment.Experiment, a *experiment.Assembly, spec *scenarios.AuditSpec,
	shard int) (*measured, error) {
	epsilon := a.Method.(algorithms.Registering).Budget(shard, spec.Row)
	if math.IsInf(epsilon, 1) {
		return nil, fmt.Errorf("algorithm.labels: true reports labels as they are; there is no claim to audit")
	}
	if spec.Group > 1 {
		return nil, errGroupOfLabels
	}
	p := labelPair(a, shard, spec.Row)
	w, err := rowWorlds(e, a, shard, spec.Row, 1, p.u, p.y)
	if err != nil {
		return nil, err
	}
	m := &measured{
		unit:      privacy.Label,
		statistic: "exact log-likelihood ratio of the user's report, on which all that follows depends",
		pairs: []auditPair{{
			pair: record.Pair{Node: shard, Row: spec.Row, Unit: privacy.Label, What: p.what, A: p.u[0], B: p.u[1]},
			subject: func() (subject, error) {
				x, err := newExplainer(w)
				return &reporter{x, w.firstUser() + spec.Row, epsilon}, err
			},
		}},
	}
	c := labelClaims(e, a, shard, spec.Row)
	m.claim, m.search = c, func() (*adversary.Worst, error) { return certain(epsilon), nil }
	m.conclude = func(out *record.Audit, sample [2][]*evidence) error {
		checks, err := faithful(sample, -1, nil)
		if err != nil {
			return err
		}
		out.Checks = append(checks, reported(sample, epsilon)...)
		return c.judge(out, shard, sample)
	}
	return m, nil
}

// reported checks that the user's label, and all users', are flipped as often as the method says, and each by itself.
func reported(sample [2][]*evidence, epsilon float64) []record.Check {
	wrong, n := 0, 0
	var all flips
	for w := range sample {
		label := []float64{1, -1}[w]
		for _, v := range sample[w] {
			if n++; v.label != label {
				wrong++
			}
			f := &v.flips
			all.n, all.flipped, all.expected = all.n+f.n, all.flipped+f.flipped, all.expected+f.expected
			all.squares, all.products = all.squares+f.squares, all.products+f.products
			all.most = max(all.most, f.most)
		}
	}
	checks := []record.Check{counted("the user's", wrong, n, 1/(1+num.Exp(epsilon)))}
	if all.n == 0 {
		return checks
	}
	users := float64(all.n)
	checks = append(checks, counted("all users'", all.flipped, all.n, all.expected/users))
	if !(all.squares > 0) {
		return checks
	}
	// Given what was before, s s′ has the variance s′² and is at most m = most, so that exp(λΣs s′ − cΣs′²) with
	// c = λ²/(2 − 2λm/3) is a supermartingale for every λ < 3/m (Freedman 1975). One is chosen for Σs′² near its
	// mean, the number of users.
	x := num.Log(2 / stats.Chance)
	bound := float64(all.squares*math.Sqrt(x/(2*users))) + all.most*x/3 + math.Sqrt(users*x/2)
	late := num.NormalQuantile(stats.Power)
	checks = append(checks, record.Check{
		Kind: record.LabelsIndependent, Measured: record.Number(math.Abs(all.products) / users),
		Bound: record.Number(bound / users), Holds: math.Abs(all.products) <= bound,
		Finds:  record.Number((bound + float64(late*math.Sqrt(all.squares))) / users),
		Detail: fmt.Sprintf("the correlation of successive users' is %+.3f", all.products/users),
	})
	return append(checks, usersCoins(sample)...)
}

const (
	mostUsers   = 3000 // of whom every two are compared
	mostChances = 50   // with which users flip labels, if what the comparison would find is told
)

// usersCoins checks that no user's flips are too many or too few over the runs, and that no two users' agree too often
// or too seldom, as if they had one coin: of n runs a share a happens with a probability of at most e^{−n KL(a, p)}
// where it has the probability p in each (Chernoff 1952), and there are as many chances as users, or pairs of them.
func usersCoins(sample [2][]*evidence) []record.Check {
	var all [][]bool
	var chance []float64
	for w := range sample {
		for _, v := range sample[w] {
			if all == nil {
				chance = v.flips.chance
			}
			if len(v.flips.of) != len(chance) {
				return nil // a report is missing, of which is told
			}
			all = append(all, v.flips.of)
		}
	}
	users, n := min(len(chance), mostUsers), float64(len(all))
	words := (len(all) + 63) / 64
	flipped := make([]uint64, users*words)
	for r, of := range all {
		for i := range users {
			if of[i] {
				flipped[i*words+r/64] |= 1 << (r % 64)
			}
		}
	}
	// strange is how far a share of the runs is from its probability, in units of what is allowed.
	strange := func(count int, p, among float64) float64 {
		a := float64(count) / n
		kl := 0.0
		if a > 0 {
			kl += float64(a * num.Log(a/p))
		}
		if a < 1 {
			kl += float64((1 - a) * num.Log((1-a)/(1-p)))
		}
		return n * kl / num.Log(2*among/stats.Chance)
	}
	// finds is what brings a count of runs beyond what is allowed.
	finds := func(p, among float64) float64 {
		middle := n * p
		least, most := int(middle), min(len(all), int(math.Ceil(middle)))
		high := most + sort.Search(len(all)-most, func(k int) bool { return strange(most+k+1, p, among) > 1 })
		low := least - sort.Search(least, func(k int) bool { return strange(least-k-1, p, among) > 1 })
		return stats.Outside(len(all), p, low, high)
	}
	own, pairs, which := 0.0, 0.0, [2]int{}
	count := func(i, j int) (k int) {
		for w := range words {
			k += bits.OnesCount64(flipped[i*words+w] ^ flipped[j*words+w])
		}
		return k
	}
	for i := range users {
		k := 0
		for w := range words {
			k += bits.OnesCount64(flipped[i*words+w])
		}
		own = max(own, strange(k, chance[i], float64(users)))
		for j := range i {
			p := float64(chance[i]*(1-chance[j])) + float64(chance[j]*(1-chance[i]))
			if s := strange(count(i, j), p, float64(users*users)/2); s > pairs {
				pairs, which = s, [2]int{j, i}
			}
		}
	}
	// What is found of the user, and of the pair, of whom the least is.
	one, two := 0.0, 0.0
	chances := slices.Compact(slices.Sorted(slices.Values(chance[:users])))
	for i, p := range chances {
		one = max(one, finds(p, float64(users)))
		if len(chances) > mostChances {
			two = math.NaN()
		}
		for _, q := range chances[:i+1] {
			if math.IsNaN(two) {
				break
			}
			both := float64(p*(1-q)) + float64(q*(1-p))
			two = max(two, finds(both, float64(users*users)/2)/(2*math.Sqrt(float64(p*(1-p))*float64(q*(1-q)))))
		}
	}
	if two > 1 { // runs are too few for one coin of both
		two = math.NaN()
	}
	checks := []record.Check{{Kind: record.LabelsFlipped, Measured: record.Number(own), Bound: 1, Holds: own <= 1,
		Finds:  record.Number(one),
		Detail: fmt.Sprintf("each of %s by itself, over the runs", plural.Of(users, "user"))}}
	if users > 1 {
		checks = append(checks, record.Check{Kind: record.LabelsIndependent, Measured: record.Number(pairs), Bound: 1,
			Holds: pairs <= 1, Finds: record.Number(two),
			Detail: fmt.Sprintf("of every two of %s; those of users %d and %d are farthest from independent",
				plural.Of(users, "user"), which[0], which[1])})
	}
	return checks
}

// counted checks how many of n labels are flipped, each with a probability that is p on average.
func counted(whose string, flipped, n int, p float64) record.Check {
	low, high, finds := stats.Counts(n, p)
	expected := float64(float64(n) * p)
	off, most := float64(flipped)-expected, float64(high)-expected
	if off < 0 {
		off, most = -off, expected-float64(low)
	}
	return record.Check{
		Kind: record.LabelsFlipped, Measured: record.Number(off), Bound: record.Number(most), Holds: off <= most,
		Finds: record.Number(finds),
		Detail: fmt.Sprintf("%s: %d of %d flipped; expected %.4g, and %d to %d but for once in a million audits", whose,
			flipped, n, expected, low, high),
	}
}
