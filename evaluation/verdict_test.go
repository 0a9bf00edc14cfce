// One verdict a claim, and certificates beside what was measured.

package evaluation

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"overhear/record"
)

// What a claim comes to, of tests that find and find not: a weaker test does not stand beside the strongest, and one
// that refutes is enough.
func TestDecide_OneVerdictByTheStrongestTest(t *testing.T) {
	test := func(method string, epsilon, measured float64) record.Test {
		return record.Test{Method: method, Epsilon: record.Number(epsilon), Measured: record.Number(measured),
			Refutes: measured > epsilon}
	}
	normal := func(method string, epsilon, measured float64) record.Test { // of a claim with a δ
		t := test(method, epsilon, measured)
		t.Detail = "at δ"
		return t
	}
	nan := math.NaN()
	none, failed := standing{what: "claim"}, errors.New("2c₁ < r fails")
	for name, c := range map[string]struct {
		tests           []record.Test
		found, bound    float64
		s               standing
		verdict, method string
		measured, share float64
		reasons         []string
	}{
		"a weaker test finds nothing": {[]record.Test{test("exact", 2, 3), test("threshold", 2, 0)}, 0, 0, none,
			record.Violated, "exact", 3, 1.5, []string{"exceeds the claim by 1"}},
		"only the weaker finds something": {[]record.Test{test("exact", 2, 1), test("threshold", 2, 2.5)}, 0, 0, none,
			record.Violated, "threshold", 2.5, 1.25, []string{"exceeds the claim by 0.5"}},
		"none does": {[]record.Test{test("exact", 2, 1), test("threshold", 2, 0.5)}, 0, 0, none, record.Consistent,
			"exact",
			1, 0.5, []string{"is 50 % of the claim"}},
		"of several that find, the one that finds most above its own claim": {[]record.Test{test("a", 9, 9.5),
			test("b", 1, 3), test("c", 20, 21)}, 0, 0, none, record.Violated, "b", 3, 3, nil},
		"a search finds what runs did not": {[]record.Test{test("exact", 2, 1)}, 2.5, 3, none, record.Violated,
			"exact", 1,
			0.5, []string{"no run did, but a trace", "lose 2.5, which exceeds the claim by 0.5"}},
		"a search bounds all traces": {[]record.Test{test("exact", 2, 1)}, 1.4, 1.5, none, record.Consistent, "exact",
			1,
			0.5, []string{"is 50 % of the claim", "no trace and no pair loses more than 1.5, 75 % of it"}},
		"a search leaves it open": {[]record.Test{test("exact", 2, 1)}, 1.4, 2.5, none, record.Consistent, "exact", 1,
			0.5, []string{"between the two nothing is known"}},
		"after messages that neighbours seldom send": {[]record.Test{normal("exact", 2, 1)}, 2.5, 3, none,
			record.NotEstablished, "exact", 1, 0.5, []string{"is 50 % of the claim; after messages that neighbours " +
				"may send, a pair that was searched for loses 2.5 at this δ, which exceeds the claim by 0.5"}},
		"whatever is sent before": {[]record.Test{normal("exact", 2, 1)}, 1.4, 1.5, none, record.Consistent, "exact",
			1, 0.5, []string{"is 50 % of the claim; whatever is sent before, no pair loses more than 1.5 at this δ, " +
				"75 % of it"}},
		"after some messages it is open": {[]record.Test{normal("exact", 2, 1)}, 1.4, 2.5, none, record.Consistent,
			"exact", 1, 0.5, []string{"no pair loses more than 2.5 at this δ, one was found that loses 1.4, and " +
				"between the two nothing is known"}},
		"runs refute at this δ": {[]record.Test{normal("exact", 2, 3)}, 2.5, 3, none, record.Violated, "exact", 3,
			1.5, []string{"exceeds the claim by 1"}},
		"the condition fails": {[]record.Test{test("exact", 2, 3)}, 2.5, 3, standing{what: "claim",
			established: failed},
			record.NotEstablished, "exact", 3, nan, []string{"2c₁ < r fails"}},
		"no proof": {[]record.Test{test("exact", 2, 1)}, 0, 0, standing{what: "claim", unproved: failed},
			record.NotEstablished, "exact", 1, 0.5, []string{"claimed, not proved: 2c₁ < r fails",
				"is 50 % of the claim"}},
		"no proof, and refuted": {[]record.Test{test("exact", 2, 3)}, 0, 0, standing{what: "claim", unproved: failed},
			record.Violated, "exact", 3, 1.5, nil},
		"a check fails, and a score says nothing": {[]record.Test{test("exact", 2, nan), test("threshold", 2, 1)}, 3, 4,
			standing{what: "claim", flawed: "no noise"}, record.NotEstablished, "threshold", 1, 0.5,
			[]string{"no noise"}},
		"a check fails, and a score refutes": {[]record.Test{test("exact", 2, nan), test("threshold", 2, 3)}, 0, 0,
			standing{what: "claim", flawed: "no noise"}, record.Violated, "threshold", 3, 1.5,
			[]string{"exceeds the claim by 1", "no noise"}},
		"nothing is measured": {nil, 0, 0, standing{what: "claim", flawed: "kinks"}, record.NotEstablished, "nothing",
			nan,
			nan, []string{"kinks"}},
		"no test applies": {[]record.Test{{Method: "linear", Epsilon: 2, Measured: record.Number(nan),
			Detail: "no packet varies"}}, 0, 0, none, record.NotEstablished, "nothing", nan, nan,
			[]string{"no packet varies"}},
		"unbounded": {[]record.Test{test("exact", 2, math.Inf(1))}, 0, 0, none, record.Violated, "exact", math.Inf(1),
			math.Inf(1), []string{"unbounded"}},
		"nothing is claimed to be lost": {[]record.Test{test("exact", 0, 0)}, 0, 0, none, record.Consistent, "exact",
			0, nan,
			[]string{"nothing is claimed to be lost"}},
	} {
		v := record.Verdict{Scope: record.WholeRun, Epsilon: 2, Tests: c.tests, Searched: record.Number(c.found),
			Bound: record.Number(c.bound)}
		if len(c.tests) > 0 && c.tests[0].Detail != "" {
			v.Delta = 1e-5
		}
		decide(&v, c.s)
		if v.Verdict != c.verdict || v.Method != c.method || !equalTo(v.Measured, c.measured) || !equalTo(v.Share,
			c.share) {
			t.Errorf("%s: %+v", name, v)
		}
		for _, want := range c.reasons {
			if !strings.Contains(v.Reason, want) {
				t.Errorf("%s: the reason lacks %q: %s", name, want, v.Reason)
			}
		}
		if strings.Contains(strings.ToLower(v.Reason), "holds") || strings.Contains(v.Reason, "proves") {
			t.Errorf("%s: a sampled audit says that it proved something: %s", name, v.Reason)
		}
	}
}

// equalTo says whether a number is that one, or neither is one.
func equalTo(n record.Number, want float64) bool {
	return float64(n) == want || math.IsNaN(float64(n)) && math.IsNaN(want)
}

// The certificate of the audited node stands beside what was measured at its δ, and the measured curve below its curve;
// where a check fails nothing is measured by the model's law, and a certificate that is too low is refuted.
func TestCertified_BesideWhatWasMeasured(t *testing.T) {
	a := smallAudit(t, "{kind: dvp, eta: 0.5, alpha: 1.5}", "adversary.audit.runs=200", "rounds.count=8")
	c, v := a.Certificate, a.Certified
	if c == nil || v == nil || c.Node != a.Pair.Node || v.Epsilon != c.Epsilon || v.Delta != c.Delta ||
		v.Verdict != record.Consistent || !(v.Share > 0.2 && v.Share < 1) ||
		!(math.Abs(float64(v.Share*v.Epsilon-v.Measured)) <= 1e-12) {
		t.Fatalf("%+v\n%+v", c, v)
	}
	claimed := a.Verdicts[1].Epsilon
	if !(c.Delta > 0) || !(c.Epsilon < claimed) || len(a.Curve) != 33 || !(v.Measured <= a.Verdicts[1].Measured) {
		t.Errorf("claimed %v, certified %v at %v, %d points", claimed, c.Epsilon, c.Delta, len(a.Curve))
	}
	below := 0
	for _, p := range a.Curve {
		for k := 1; k < len(c.Curve); k++ {
			if x, y := c.Curve[k-1], c.Curve[k]; x.Epsilon <= p.Epsilon && p.Epsilon <= y.Epsilon {
				below++
				if !(p.Low <= x.Delta) {
					t.Errorf("%+v is above the certificate, %+v", p, x)
				}
				break
			}
		}
	}
	if below < 20 {
		t.Errorf("%d points were compared", below)
	}

	low := *c
	low.Epsilon = 0.5
	worlds := func(sign float64) (all []*evidence) {
		for k := range 200 {
			all = append(all, traces([]float64{0, sign * (1 + float64(k%7)/10)})...)
		}
		return all
	}
	with := claim{round: []float64{0, 9}, total: []float64{0, 9}, certificate: &low}
	out := judged(t, with, 1, worlds(1), worlds(-1))
	if out.Certified.Verdict != record.Violated || out.Stands() || out.Verdicts[1].Verdict != record.Consistent {
		t.Errorf("a certificate of a third of what is measured: %+v", out.Certified)
	}
	flawed := record.Check{Kind: record.NoiseSize, Detail: "half of it"}
	out = judged(t, with, 1, worlds(1), worlds(-1), flawed)
	if out.Certified.Verdict != record.NotEstablished || !math.IsNaN(float64(out.Certified.Measured)) ||
		out.Curve != nil {
		t.Errorf("of a run that is not its method's: %+v, %d points", out.Certified, len(out.Curve))
	}
	with.established = errors.New("2c₁ < r fails") // of the claim; the certificate needs it not
	with.certificate.Epsilon = 9
	out = judged(t, with, 1, worlds(1), worlds(-1))
	if out.Certified.Verdict != record.Consistent || out.Verdicts[1].Verdict != record.NotEstablished {
		t.Errorf("a claim whose condition fails, and a certificate: %+v", out.Certified)
	}
}

// A user's claim of its own ε stands beside the certificate of that ε, whatever other users of its server have.
func TestCertified_OfAUsersOwnLabel(t *testing.T) {
	for row, epsilon := range []float64{0.5, 1.5} {
		a := smallAudit(t, "{kind: pdml, epsilon: {list: [0.5, 1.5]}, eta: 0.5}",
			fmt.Sprintf("adversary.audit.row=%d", row))
		claimed := float64(a.Verdicts[len(a.Verdicts)-1].Epsilon)
		if c := a.Certificate; claimed != epsilon || c.Reason != "" ||
			!(math.Abs(float64(c.Epsilon)-epsilon) <= 1e-3) ||
			c.Node != a.Pair.Node || len(c.Curve) != 33 || a.Certified.Epsilon != c.Epsilon {
			t.Errorf("row %d: claimed %v, %+v", row, claimed, c)
		}
	}
}

// A method without a certificate says why, and nothing is set beside it.
func TestCertified_MethodsWithoutOneSayWhy(t *testing.T) {
	a := smallAudit(t, "{kind: dvp, eta: 0.5, alpha: 1.5}", "problem.loss=squared", "adversary.audit.runs=20")
	if a.Certificate == nil || a.Certificate.Reason == "" || a.Certified != nil || a.Certificate.Curve != nil {
		t.Errorf("%+v", a.Certificate)
	}
}
