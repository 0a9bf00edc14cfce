// The claimed loss of a run without lockstep, in which nodes have published unequally often.

package experiment

import (
	"errors"
	"math"
	"testing"

	"overhear/metrics"
	"overhear/privacy"
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
