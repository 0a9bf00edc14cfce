// A result is stored once, whoever writes it when; a failure gives way; two
// results are a conflict.

package jetstream

import (
	"crypto/ed25519"
	"strings"
	"sync"
	"testing"
	"time"

	"overhear/sweep"
)

// results are encoded ones of a run: one, another, and a failure.
func results(t testing.TB, p *sweep.Plan, index int) (one, other, failure []byte) {
	t.Helper()
	one, err := sweep.NewRunner(p, "").Run(t.Context(), index, 1)
	if err != nil {
		t.Fatal(err)
	}
	r, err := sweep.Decode(one)
	if err != nil {
		t.Fatal(err)
	}
	r.Digest = strings.Repeat("0", 64)
	return one, r.Encode(), (&sweep.Result{Index: index, Seed: r.Seed, Error: "no memory"}).Encode()
}

func TestStoredOnce(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 50})
	c := opened(t, p, options(t))
	a, b := hand(t, c), hand(t, c)
	var racing sync.WaitGroup
	for index := range p.Len() {
		one, _, _ := results(t, p, index)
		for _, w := range []*worker{a, b, a, b} {
			racing.Go(func() {
				if err := w.storeOnce(t.Context(), whole(c), index, one); err != nil {
					t.Error(err)
				}
			})
		}
	}
	racing.Wait()
	if messages, writes := written(t, c); messages != 50 || writes != 50 {
		t.Errorf("%d results in %d writes", messages, writes)
	}
}

// The refusal does not depend on how long ago the first write was, as it would
// with the servers' window of duplicates.
func TestStoredOnceForEver(t *testing.T) {
	p := plan(t, sweep.Options{})
	c := opened(t, p, options(t))
	info, err := c.results.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	short := info.Config
	short.Duplicates = 100 * time.Millisecond
	if _, err := c.link.js.UpdateStream(t.Context(), short); err != nil {
		t.Fatal(err)
	}
	one, _, _ := results(t, p, 0)
	for range 3 {
		if err := hand(t, c).storeOnce(t.Context(), whole(c), 0, one); err != nil {
			t.Fatal(err)
		}
		time.Sleep(250 * time.Millisecond)
	}
	if messages, writes := written(t, c); messages != 1 || writes != 1 {
		t.Errorf("%d results in %d writes", messages, writes)
	}
}

func TestFailureGivesWay(t *testing.T) {
	p := plan(t, sweep.Options{})
	c := opened(t, p, options(t))
	w := hand(t, c)
	one, _, failure := results(t, p, 0)
	stored := func() string {
		m, err := w.lastOn(t.Context(), w.results, c.names.result(0))
		if err != nil || m == nil {
			t.Fatal(m, err)
		}
		return string(m.Data)
	}
	for k, step := range []struct{ put, want []byte }{{failure, failure}, {failure, failure}, {one, one},
		{failure, one}, {one, one}} {
		if err := w.storeOnce(t.Context(), whole(c), 0, step.put); err != nil {
			t.Fatal(err)
		}
		if stored() != string(step.want) {
			t.Errorf("step %d: another result is stored", k)
		}
	}
	if messages, writes := written(t, c); messages != 1 || writes != 2 {
		t.Errorf("%d results in %d writes", messages, writes)
	}
}

// Of two results of a run the coordinator finds the false one, whichever came
// first, and the sweep goes on.
func TestTwoResults(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 3})
	want := alone(t, p)
	for _, liarFirst := range []bool{false, true} {
		o := options(t)
		var said log
		o.Workers, o.Log = 1, said.add
		c := opened(t, p, o)
		honest, liar := hand(t, c), hand(t, c)
		one, other, _ := results(t, p, 1)
		store := func(w *worker, result []byte) {
			if err := w.storeOnce(t.Context(), whole(c), 1, result); err != nil {
				t.Fatal(err)
			}
		}
		if liarFirst {
			store(liar, other)
		}
		store(honest, one)
		if !liarFirst {
			store(liar, other)
		}
		dir := t.TempDir()
		if _, err := makeWith(t, c, dir, sweep.Settings{}); err != nil {
			t.Fatal(err)
		}
		sameTables(t, want, dir)
		name := nameOf(liar.own.Public().(ed25519.PublicKey))
		if !said.has("worker "+short(name)+" ") || !said.has("gave a false result: its result of run 1 is not") {
			t.Errorf("the liar is not named: %q", said.text())
		}
	}
}

func TestNames(t *testing.T) {
	n := namesOf(strings.Repeat("ab", 32))
	for _, want := range []task{{0, 0, 0}, {5, 17, 3}} {
		if got, err := n.parseTask(n.task(want)); err != nil || got != want {
			t.Errorf("%v, %v", got, err)
		}
	}
	for _, bad := range []string{"x", n.prefix() + "task.1.0.0", n.prefix() + "task.1.2", n.prefix() + "task.1.2.x",
		n.prefix() + "task.-1.2.0", n.prefix() + "task.01.2.0"} {
		if _, err := n.parseTask(bad); err == nil {
			t.Errorf("%s is a task", bad)
		}
	}
	for subject, want := range map[string]bool{n.result(7): true, n.conflict(7, "w"): true,
		n.prefix() + "other.7": false, n.prefix() + "result.x": false, n.prefix() + "result.+7": false,
		n.prefix() + "result.07": false} {
		if index, _, ok := n.parseResult(subject); (ok && index == 7) != want {
			t.Errorf("%s: %d, %v", subject, index, ok)
		}
	}
	if got, ok := ofStream(n.resultStream()); !ok || got != n {
		t.Errorf("%s", got)
	}
}
