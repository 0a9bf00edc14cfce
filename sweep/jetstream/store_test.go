// A result is stored once, whoever writes it when; a failure gives way; two
// results are a conflict.

package jetstream

import (
	"context"
	"errors"
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
				if err := w.storeOnce(t.Context(), index, one); err != nil {
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
		if err := hand(t, c).storeOnce(t.Context(), 0, one); err != nil {
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
		if err := w.storeOnce(t.Context(), 0, step.put); err != nil {
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

func TestConflict(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 3})
	o := options(t)
	o.Server = broker(t, nil)
	c := opened(t, p, o)
	w := hand(t, c)
	one, other, _ := results(t, p, 1)
	if err := w.storeOnce(t.Context(), 1, one); err != nil {
		t.Fatal(err)
	}
	var conflict *sweep.Conflict
	if err := w.storeOnce(t.Context(), 1, other); !errors.As(err, &conflict) {
		t.Fatalf("another result: %v", err)
	}
	// The coordinator stops, and so it does when it is started again; workers
	// learn why.
	dir := t.TempDir()
	for range 2 {
		conflict = nil
		_, err := makeWith(t, coordinator(t, p, o), dir, sweep.Settings{})
		if !errors.As(err, &conflict) || conflict.Index != 1 || string(conflict.Stored) != string(one) ||
			string(conflict.Other) != string(other) {
			t.Fatalf("%v", err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := Work(ctx, WorkerOptions{Server: o.Server}); err == nil ||
		!strings.Contains(err.Error(), "run 1 has two results that differ") {
		t.Errorf("a worker after a conflict: %v", err)
	}
}

// What is no result of its run is not taken into the store.
func TestForeignResults(t *testing.T) {
	p := plan(t, sweep.Options{Seeds: 3})
	one, _, _ := results(t, p, 1)
	for subject, data := range map[string][]byte{"result.0": one, "result.1": []byte("hello"), "result.7": one} {
		c := opened(t, p, options(t))
		if _, err := c.link.publish(t.Context(), c.names.resultStream(), c.names.prefix()+subject, 0,
			data); err != nil {
			t.Fatal(err)
		}
		if _, err := makeWith(t, c, t.TempDir(), sweep.Settings{}); err == nil ||
			!strings.Contains(err.Error(), "a worker stored") {
			t.Errorf("%s: %v", subject, err)
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
		n.prefix() + "task.-1.2.0"} {
		if _, err := n.parseTask(bad); err == nil {
			t.Errorf("%s is a task", bad)
		}
	}
	for subject, ok := range map[string]bool{n.result(7): true, n.conflict(7): true, n.prefix() + "other.7": false,
		n.prefix() + "result.x": false} {
		if index, _, err := n.parseResult(subject); (err == nil && index == 7) != ok {
			t.Errorf("%s: %d, %v", subject, index, err)
		}
	}
	if got, ok := ofStream(n.resultStream()); !ok || got != n {
		t.Errorf("%s", got)
	}
}
