// One and many.

package plural

import "testing"

func TestWith(t *testing.T) {
	for n, want := range map[int]string{0: "0 rounds give", 1: "1 round gives", 2: "2 rounds give"} {
		if got := With(n, "round", "gives", "give"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestOf(t *testing.T) {
	for n, want := range map[int]string{0: "0 users", 1: "1 user", 2: "2 users", -1: "-1 users"} {
		if got := Of(n, "user"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestAnd(t *testing.T) {
	for want, all := range map[string][]int{"": nil, "7": {7}, "1 and 4": {4, 1}, "1, 5 and 10": {10, 5, 1}} {
		if got := And(all); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

func TestNamed(t *testing.T) {
	for want, all := range map[string][]int{"nodes ": nil, "node 7": {7}, "nodes 1, 5": {1, 5}} {
		if got := Named("node", all); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
