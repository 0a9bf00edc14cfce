// Recycled ADMM's even rounds, predicted from what was sent before: they tell of
// data that was touched, and of a private penalty.

package adversary

import (
	"fmt"
	"math"

	"overhear/adversary/model"

	"overhear/internal/num"
	"overhear/internal/plural"
	"overhear/record"
)

func init() {
	register(&Attack{
		Name:     "recycling",
		Title:    "recycling check",
		Everyone: true,
		Equation: "f(2k) = f(2k−1) − η(V f(2k−2) + s(2k−2) − 2s(2k−1))/(2ηV + γ)",
		About: `In RA19 (10) and (16), insert g from the odd round's optimality condition and λ(2k−1) = λ(2k−2) +
(η/2)(V f(2k−1) − s(2k−1)): the dual cancels, noise does as well, and an even iterate is a fixed combination of
messages. If it deviates, something else entered it, such as data. The combination is one known direction times
η/(2ηV + γ), so that a single even round gives a private η, if γ > 0; if γ = 0 that number is 1/2V whatever η
is.`,
		Needs: "an even round's value, the two before it, and the neighbours' values that entered the last two " +
			"updates; γ",
		Targets: true,
		Classes: true,
		Run:     recycling,
	})
}

const (
	recyclingBound = 1e-9 // an even round is a dozen sums; rounding is far below
	penaltyError   = 0.01 // relative; a worse value of a penalty is not reported
)

// even is one even round of one node: f(2k−1) − f(2k) should be scale × along.
type even struct {
	step  []float64 // f(2k−1) − f(2k)
	along []float64 // V f(2k−2) + s(2k−2) − 2 s(2k−1)
	size  float64   // of the numbers that rounding is relative to
}

// even is the even round t of a node; the error says what was not seen.
func (v *View) even(node, t int) (*even, error) {
	var f [3][]float64
	for k := range f {
		if t-2+k < v.Vantage.From {
			return nil, model.NotSeen("rounds before %d", v.Vantage.From)
		}
		x, ok := v.Value(node, t-2+k)
		if !ok {
			return nil, model.NotSeen("the value of node %d in round %d", node, t-2+k)
		}
		f[k] = x
	}
	for _, round := range []int{t - 1, t} {
		if anew, err := v.Anew(node, round); err != nil {
			return nil, err
		} else if anew {
			return nil, model.NotSeen("what node %d would have computed, had it not lost its memory", node)
		}
	}
	before, err := model.Sum(v.Public, v, node, t-1)
	if err != nil {
		return nil, err
	}
	after, err := model.Sum(v.Public, v, node, t)
	if err != nil {
		return nil, err
	}
	degree := float64(v.Public.Graph.Degree(node))
	e := &even{step: make([]float64, len(before)), along: make([]float64, len(before))}
	for k := range e.step {
		e.step[k] = f[1][k] - f[2][k]
		e.along[k] = float64(degree*f[0][k]) + before[k] - float64(2*after[k])
	}
	e.size = num.Norm(f[0]) + num.Norm(f[1]) + num.Norm(f[2]) + (num.Norm(before)+num.Norm(after))/degree
	return e, nil
}

// deviation is ‖step − scale·along‖, relative to the iterates.
func (e *even) deviation(scale float64) float64 {
	rest := append([]float64(nil), e.step...)
	num.Axpy(-scale, e.along, rest)
	if n := num.Norm(rest); n > 0 {
		return n / e.size
	}
	return 0
}

// Recycled says what a node's rounds that touch no data are, every parameter being known: the method's own operations
// in its own order, its dual included, so that not a bit may differ. Rounds are asked for in order.
func (v *View) Recycled(node int) (func(t int) ([]float64, error), error) {
	p := v.Public
	method, ok := p.Method.(model.Recycling)
	if !ok {
		return nil, fmt.Errorf("method %s has no rounds that recycle", p.Name)
	}
	degree := float64(p.Graph.Degree(node))
	dual, linear := make([]float64, p.D), make([]float64, p.D)
	done := 0
	next := func() (want []float64, err error) {
		t := done + 1
		f, ok := v.Value(node, t-1)
		if !ok {
			return nil, model.NotSeen("the value of node %d in round %d", node, t-1)
		}
		sum, err := model.Sum(p, v, node, t)
		if err != nil {
			return nil, err
		}
		done = t
		apart := make([]float64, p.D)
		for k := range apart {
			apart[k] = float64(degree*f[k]) - sum[k]
		}
		if t > 1 {
			if last := method.Step(p, node, t-1, 0); !last.Idle {
				num.Axpy(last.Eta/2, apart, dual)
			}
		}
		step := method.Step(p, node, t, 0)
		if !step.Idle {
			for k := range linear {
				pull := float64(degree*f[k]) + sum[k]
				linear[k] = float64(2*dual[k]) - float64(step.Eta*pull)
			}
			return nil, nil
		}
		kappa := float64(2 * step.Eta * degree)
		want = make([]float64, p.D)
		for k := range want {
			gradient := -linear[k] - float64(kappa*f[k])
			move := gradient + float64(2*dual[k]) + float64(step.Eta*apart[k])
			want[k] = f[k] - move/(kappa+method.Weight())
		}
		return want, nil
	}
	return func(t int) (want []float64, err error) {
		for done < t {
			if want, err = next(); err != nil {
				return nil, err
			}
		}
		return want, nil
	}, nil
}

// scaleOf is η/(2ηV + γ) of a node's even round.
func scaleOf(p *model.Public, m model.Recycling, node, t int) float64 {
	degree, gamma := float64(p.Graph.Degree(node)), m.Weight()
	if gamma == 0 {
		return 1 / (2 * degree)
	}
	eta := m.Step(p, node, t, 0).Eta
	return eta / (float64(2*eta*degree) + gamma)
}

// fitted is the scale that fits best.
func (e *even) fitted() float64 { return num.Dot(e.step, e.along) / num.Dot(e.along, e.along) }

// penalty is η = aγ/(1 − 2aV), a = η/(2ηV + γ) the fitted scale, and a bound on its
// relative error from rounding: a is known to rounding over ‖along‖, and dη/η =
// (2ηV + γ)/γ · da/a.
func (e *even) penalty(degree, gamma float64) (eta, rounding float64) {
	a := e.fitted()
	eta = a * gamma / (1 - float64(2*a*degree))
	const digits = 0x1p-50 // a few roundings
	return eta, digits * e.size * degree / num.Norm(e.along) * math.Abs(float64(2*eta*degree)+gamma) / gamma
}

func recycling(v *View, f *record.Finding) error {
	p := v.Public
	method, ok := p.Method.(model.Recycling)
	if !ok {
		return blocked("method %s has no rounds that recycle: every round touches data", p.Name)
	}
	gamma := method.Weight()
	hidden, _ := p.Hides()
	worst := make([]float64, p.Graph.Order())
	checked := make([]int, len(worst))
	first := "" // the earliest deviation; it makes later ones in the record
	penalties, rounds, doubt := 0, 0, 0.0
	for t := 2; t <= p.Rounds; t += 2 {
		for i := range worst {
			e, err := v.even(i, t)
			if err != nil {
				if i == f.Victim {
					f.Unseen = append(f.Unseen, fmt.Sprintf("round %d: %v", t, err))
				}
				continue
			}
			degree := float64(p.Graph.Degree(i))
			var scale float64
			switch {
			case num.Norm(e.along) == 0: // nothing to fit
			case hidden && gamma > 0:
				scale = e.fitted()
			default:
				scale = scaleOf(p, method, i, t)
			}
			rounds++
			checked[i]++
			off := e.deviation(scale)
			worst[i] = math.Max(worst[i], off)
			if off > recyclingBound {
				if first == "" {
					first = fmt.Sprintf("first at node %d in round %d, by %.3g", i, t, off)
				}
				continue
			}
			if hidden && gamma > 0 {
				if eta, rounding := e.penalty(degree, gamma); rounding <= penaltyError {
					f.Facts = append(f.Facts, record.Fact{Kind: record.PrivatePenalty, Node: i, Round: t - 1,
						Values: []float64{eta}, Relative: notKnown})
					penalties++
					doubt = math.Max(doubt, rounding)
				}
			}
		}
	}
	if rounds == 0 {
		return blocked("no even round was seen with the two values before it and the neighbours' of both rounds")
	}
	largest, nodes := 0.0, 0
	for i, w := range worst {
		if checked[i] == 0 {
			continue
		}
		nodes++
		largest = math.Max(largest, w)
		f.Checks = append(f.Checks, record.Check{
			Kind: record.EvenRoundsFollow, Of: i,
			Measured: record.Number(w), Bound: recyclingBound, Holds: w <= recyclingBound,
			Detail: fmt.Sprintf("%d of %d even rounds were seen whole", checked[i], p.Rounds/2),
		})
	}
	of := "of " + plural.Of(nodes, "node") + " "
	follow := plural.With(rounds, "even round", of+"follows", of+"follow")
	touch, say, free := "touch", "they touch no data and say", "they touch no data, but they are not free"
	if rounds == 1 {
		touch, say, free = "touches", "it touches no data and says", "it touches no data, but it is not free"
	}
	switch {
	case first != "":
		f.Conclusion = fmt.Sprintf("%s %sdo not all follow from messages: %s; data, or something else, entered them "+
			"(later deviations follow from the first)", plural.Of(rounds, "even round"), of, first)
	case hidden && gamma > 0:
		f.Conclusion = fmt.Sprintf("%s from messages to %.2g, and %d of them give the sender's private penalty, with "+
			"a relative error from rounding of at most %.2g: %s of a secret", follow, largest, penalties, doubt, free)
	case hidden:
		f.Conclusion = fmt.Sprintf("%s from messages to %.2g and %s no data; with γ = 0 they are the same whatever "+
			"the private penalty is, and do not give it away", follow, largest, touch)
	default:
		f.Conclusion = fmt.Sprintf("%s from messages to %.2g: %s nothing that odd rounds had not said", follow, largest,
			say)
	}
	return nil
}

// revealed is the view with a node's private penalties taken from its even
// rounds, and up to which round all of them are known; ok is false where there is
// nothing to find or no way to find it.
func (v *View) revealed(node int) (known *View, last int, ok bool) {
	p := v.Public
	method, ok := p.Method.(model.Recycling)
	if hidden, _ := p.Hides(); !ok || !hidden || !(method.Weight() > 0) {
		return nil, 0, false
	}
	var penalties []float64
	for t := 2; t <= p.Rounds; t += 2 {
		e, err := v.even(node, t)
		if err != nil {
			break
		}
		scale := e.fitted()
		eta, rounding := e.penalty(float64(p.Graph.Degree(node)), method.Weight())
		if !(e.deviation(scale) <= recyclingBound) || !(rounding <= 1e-8) {
			break
		}
		penalties, last = append(penalties, eta), t
	}
	if last == 0 {
		return nil, 0, false
	}
	public := *p
	public.Rounds, public.Hidden, public.Method = last, nil, method.Revealed(penalties)
	copied := *v
	copied.Public = &public
	return &copied, last, true
}
