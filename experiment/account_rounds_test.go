// The claimed loss of a run without lockstep, in which nodes have published unequally often.

package experiment

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"overhear/metrics"
	"overhear/privacy"
	"overhear/record"
	"overhear/scenarios"
)

// A node's messages cost what its own rounds cost: whoever has published three iterates has lost the sum of three
// rounds, however few the others have published.
func TestAccount_LossIsOfTheNodeThatHasPublishedMost(t *testing.T) {
	a := &Account{Bound: []float64{0, 1, 3, 6}} // rounds that cost 1, 2 and 3
	rows := []metrics.Row{{Round: 0}, {Round: 1, Least: 0, Most: 3}, {Round: 2, Least: 1, Most: 2}}
	a.fill(rows)
	for k, want := range []float64{0, 6, 3} {
		if rows[k].PrivacyLoss != want {
			t.Errorf("with nodes in rounds %d to %d the loss is %v, want %v",
				rows[k].Least, rows[k].Most, rows[k].PrivacyLoss, want)
		}
	}
	rows[1].PrivacyLoss = math.NaN()
	a.Established = errors.New("its condition fails")
	if a.fill(rows); !math.IsNaN(rows[1].PrivacyLoss) {
		t.Errorf("a loss of %v from a bound that is not established", rows[1].PrivacyLoss)
	}
}

// In a run with a slow node, no row claims less than what the fastest node has spent by then.
func TestAccount_AsynchronousRunClaimsWhatTheFastestNodeSpent(t *testing.T) {
	_, out := measure(t, "algorithm={kind: pvp, eta: 0.3, alpha: 0.5}",
		"rounds={mode: asynchronous, count: 12, quorum: 0.4, staleness: 6}", "network.faults=[{slow: 2, factor: 8}]")
	apart := false
	for _, r := range out.rows {
		apart = apart || r.Most > r.Least
		spent := 0.0
		for _, node := range out.Account.Ledger.Nodes() {
			spent = max(spent, out.Account.Ledger.Pure(node, r.Most, privacy.Sample))
		}
		// Every round of a node costs α = 0.5.
		if want := 0.5 * float64(r.Most); !(math.Abs(r.PrivacyLoss-want) <= 1e-12) || !(spent <= r.PrivacyLoss) {
			t.Errorf("row %d: the claim is %v; a node has published %d rounds of 0.5 and spent %v",
				r.Round, r.PrivacyLoss, r.Most, spent)
		}
	}
	if !apart {
		t.Error("the nodes kept in step, so the test shows nothing")
	}
}

const cut = `name: cut
problem: {data: wdbc, train: 60, rho: 0.02}
network: {topology: {kind: path, nodes: 6}, latency: 10ms,
  faults: [{at: 500ms, partition: [[0, 1, 2], [3, 4, 5]]}]}
rounds: {count: 100, deadline: 2s}
algorithm: {kind: dvp, eta: 0.1, alpha: 0.1}
`

// A run in lockstep that ends early claims what left the node that has published most, though
// its last row is of a round that all have completed; its bounds are of those rounds, too,
// and a repeat says the same.
func TestAccount_RunThatEndsEarlyClaimsWhatLeft(t *testing.T) {
	s, err := scenarios.Parse("t.yaml", []byte(cut))
	if err != nil {
		t.Fatal(err)
	}
	run, err := New(s, "").Run(context.Background(), 1, Options{Out: t.TempDir()})
	if err == nil || run == nil {
		t.Fatalf("the run did not end early: %v", err)
	}
	most := run.Info.Activity.MostRounds
	if !(most > run.Info.Rounds) || !(most < 100) {
		t.Fatalf("the last complete round is %d, the last that a node published %d: the test shows nothing",
			run.Info.Rounds, most)
	}
	want := new(privacy.Ledger)
	for round := 1; round <= most; round++ {
		want.Spend(0, round, privacy.Sample, privacy.PureDP{Epsilon: 0.1})
	}
	close := func(what string, got record.Number, want float64) {
		if !(math.Abs(float64(got)-want) <= 1e-9) {
			t.Errorf("%s is %v, of %d rounds it is %v", what, got, most, want)
		}
	}
	close("the final loss", run.Info.Final.PrivacyLoss, want.Pure(0, most, privacy.Sample))
	table, err := run.Metrics()
	if err != nil {
		t.Fatal(err)
	}
	last := table.Rows[len(table.Rows)-1]
	close("the last row's loss", record.Number(last[slices.Index(table.Columns, "privacy_loss")]), 0.1*float64(most))
	close("the last row's most_round", record.Number(last[slices.Index(table.Columns, "most_round")]), float64(most))
	for _, c := range run.Info.Privacy.Claims {
		close("the claim", c.Epsilon, 0.1*float64(most))
		close("by Rényi divergences", c.RDP, want.RDP(0, privacy.Sample, float64(c.AtDelta)))
		if !(c.Bound.Epsilon <= run.Info.Final.PrivacyLoss) {
			t.Errorf("the least bound %v is above the sum %v", c.Bound.Epsilon, run.Info.Final.PrivacyLoss)
		}
	}
	if _, err := Verify(context.Background(), run, "", Options{Workers: 1}); err != nil {
		t.Errorf("its repeat: %v", err)
	}
}

// Where nothing but the start was published, nothing was lost: by no composition.
func TestAccount_NothingPublishedIsNothingLost(t *testing.T) {
	s, err := scenarios.Parse("t.yaml", []byte(cut), "network.faults=[{at: 1us, partition: [[0, 1, 2], [3, 4, 5]]}]",
		"network.topology={kind: ring, nodes: 6}", "network.latency=3s")
	if err != nil {
		t.Fatal(err)
	}
	out, err := New(s, "").complete(context.Background(), 1, Execution{Workers: 1}, nil, nil)
	if err != nil || out.early == nil || out.furthest() != 0 {
		t.Fatalf("%v: the run went on", err)
	}
	info := New(s, "").infoOf(out)
	if len(info.Privacy.Claims) != 6 || info.Final.PrivacyLoss != 0 {
		t.Errorf("%d claims, loss %v", len(info.Privacy.Claims), info.Final.PrivacyLoss)
	}
	for _, c := range info.Privacy.Claims {
		if !(c.Epsilon == 0) || !(c.Bound.Epsilon == 0) || !(c.RDP == 0) || !(c.ZCDP == 0) || !(c.PerRound == 0) {
			t.Errorf("a claim of a run in which nothing was published: %+v", c)
		}
	}
}
