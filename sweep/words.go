// What the columns of a sweep's table mean that are no metric and no key of a scenario.

package sweep

import (
	"maps"
	"slices"
)

var words = map[string]string{
	"run":                    "number of the run in the sweep",
	"digest":                 "SHA-256 of every event of the run",
	"method":                 "algorithm.kind, the method of the run",
	"nodes":                  "how many nodes the network has",
	"edges":                  "how many edges the network has",
	"train_rows":             "training rows of all nodes",
	"test_rows":              "rows that no node trains on",
	"events":                 "events of the run",
	"residual_max":           "largest norm of the gradient that a node's solve ended with, relative",
	"optimum_objective":      "objective at the centralised optimum",
	"optimum_test_error":     "test error at the centralised optimum",
	"optimum_test_rmse":      "root mean square error of test rows at the centralised optimum, if they have targets",
	"optimum_test_r2":        "R² of the test rows at the centralised optimum, where they have targets",
	"base_error":             "test error of always saying the more frequent class",
	"progress":               "how the distance to the centralised optimum went; simulate explain converged says more",
	"progress_factor":        "factor by which the distance to the optimum changes in a round",
	"progress_more":          "how many rounds more it takes at least to converge, where that can be told",
	"progress_advice":        "what would change how the distance to the optimum goes",
	"computed":               "penalties and steps that the program computed from the problem",
	"smaller_rho":            "a smaller ridge rho, beside which the scenario's is held",
	"smaller_rho_test_error": "test error at the optimum with smaller_rho",
	"claim_unit":             "what the claim protects: a sample, a label or a column",
	"claim_node":             "node that loses most privacy by the claim",
	"claim_epsilon":          "privacy loss ε over the run that the paper of the method claims, of claim_node",
	"claim_delta":            "δ of claim_epsilon",
	"claim_worst_round":      "largest claimed ε of a single round",
	"claim_bound":            "bound ε on the privacy loss of the whole run: the least of all ways to compose rounds",
	"claim_bound_delta":      "δ of claim_bound",
	"claim_bound_by":         "the way to compose rounds that claim_bound comes from",
	"claim_advanced":         "ε of the whole run by advanced composition",
	"claim_zcdp":             "ε of the whole run by zero-concentrated differential privacy",
	"claim_rdp":              "ε of the whole run by Rényi differential privacy",
	"claim_at_delta":         "δ of claim_advanced, claim_zcdp and claim_rdp",
	"claim_established":      "whether the condition of the claim holds",
	"claim_condition":        "what must be true for the claim to follow, or what fails",
	"not_certified":          "why there is no certificate_epsilon",
	"noise_scale":            "factor on the budgets that the scenario states, which meets privacy.epsilon",
	"warnings":               "what the run warns of",
}

// Words are the columns that Explain explains.
func Words() []string { return slices.Sorted(maps.Keys(words)) }

// Explain says what a column of a sweep's table means; "" if it is none that only sweeps have.
func Explain(column string) string {
	text := words[column]
	if text == "" {
		return ""
	}
	return column + ", a column of a sweep: " + text + "\n"
}
