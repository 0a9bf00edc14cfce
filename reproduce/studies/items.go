// The items of the five papers, and where each is shown.

package studies

import "overhear/reproduce"

func init() {
	const (
		theorems, samples      = "networks/theorems", "networks/samples"
		listing, columns, even = "attacks/dvp-calibration", "attacks/column-space", "attacks/recycling"
	)
	// shown is an item of the page on theorems, whose claims begin with paper and name.
	shown := func(paper, name, about string) reproduce.Item {
		return reproduce.Item{Paper: paper, Name: name, About: about, Page: theorems, Row: paper + " " + name}
	}
	figure := func(paper, name, about, page string) reproduce.Item {
		return reproduce.Item{Paper: paper, Name: name, About: about, Page: page}
	}
	// alone is an item that no page shows.
	alone := func(paper, name, about, why string) reproduce.Item {
		return reproduce.Item{Paper: paper, Name: name, About: about, Why: why}
	}
	const diagram = "a diagram, in which nothing is measured"
	reproduce.RegisterItems(
		shown("ZZ16", "Algorithm 1", "distributed empirical risk minimisation by ADMM"),
		shown("ZZ16", "Algorithm 2", "dual variable perturbation"),
		reproduce.Item{Paper: "ZZ16", Name: "Theorem 1",
			About: "α-differential privacy of Algorithm 2 as it is printed", Page: listing,
			Row: "Algorithm 2, “ζ_p(t)"},
		reproduce.Item{Paper: "ZZ16", Name: "Theorem 1, its proof",
			About: "α-differential privacy with the noise that the proof needs", Page: listing, Row: "with ζ = α̂/2"},
		reproduce.Item{Paper: "ZZ16", Name: "Theorem 2", About: "samples that are enough without noise", Page: samples,
			Row: "ZZ16 Theorem 2"},
		reproduce.Item{Paper: "ZZ16", Name: "Theorem 3",
			About: "samples that are enough with dual variable perturbation",
			Page:  samples, Row: "ZZ16 Theorem 3"},
		reproduce.Item{Paper: "ZZ16", Name: "Corollary 3.1", About: "the same of the updated classifier", Page: samples,
			Row: "Corollary 3.1"},
		reproduce.Item{Paper: "ZZ16", Name: "Theorem 9", About: "Algorithm 1 converges (Appendix A)", Page: theorems,
			Row: "ZZ16 Algorithm 1"},
		alone("ZZ16", "Fig. 1", "dual variable perturbation within a round", diagram),
		figure("ZZ16", "Fig. 2", "convergence", "zz16-fig2"),
		figure("ZZ16", "Fig. 3", "privacy against accuracy, and the choice of α (§5)", "zz16-fig3"),

		shown("ZKL18", "(10)-(11)", "M-ADMM"),
		shown("ZKL18", "Lemma 3.1", "first-order optimality"),
		shown("ZKL18", "Theorem 3.1", "M-ADMM converges"),
		shown("ZKL18", "Theorem 3.2", "its rate"),
		shown("ZKL18", "Algorithm 1", "penalty perturbation"),
		shown("ZKL18", "Theorem 4.1", "its β-differential privacy"),
		figure("ZKL18", "Fig. 1", "convergence of M-ADMM", "zkl18-fig1"),
		figure("ZKL18", "Fig. 2", "penalty against dual variable perturbation", "zkl18-fig2"),
		figure("ZKL18", "Fig. 3", "the same in a network of 100 nodes", "zkl18-fig3"),
		figure("ZKL18", "Fig. 4", "the same with uneven data", "zkl18-fig4"),

		shown("RA19", "Algorithm 1", "R-ADMM"),
		shown("RA19", "Algorithm 2", "MR-ADMM"),
		shown("RA19", "Algorithm 3", "private MR-ADMM"),
		shown("RA19", "Lemma 1", "first-order optimality"),
		shown("RA19", "Theorem 1", "a condition under which R- and MR-ADMM converge"),
		reproduce.Item{Paper: "RA19", Name: "Lemma 2", About: "even rounds lose no privacy", Page: even,
			Row: "RA19 Lemma 2"},
		shown("RA19", "Theorem 2", "the β-differential privacy of private MR-ADMM"),
		reproduce.Item{Paper: "RA19", Name: "Theorem 3", About: "samples that are enough without noise", Page: samples,
			Row: "RA19 Theorem 3"},
		reproduce.Item{Paper: "RA19", Name: "Theorem 4", About: "samples that are enough with noise", Page: samples,
			Row: "RA19 Theorem 4"},
		shown("RA19", "§VII-B, output perturbation", "noise on what is sent"),
		shown("RA19", "§VII-B, zCDP", "(ε, δ)-differential privacy by concentrated composition"),
		figure("RA19", "Fig. 1", "convergence of R- and MR-ADMM", "ra19-fig1"),
		figure("RA19", "Fig. 2", "test error against ρ", "ra19-fig2"),
		figure("RA19", "Fig. 3", "private MR-ADMM, several γ", "ra19-fig3"),
		figure("RA19", "Fig. 4", "private MR-ADMM, several penalties", "ra19-fig4"),
		figure("RA19", "Fig. 5", "private methods compared", "ra19-fig5"),

		shown("SH19", "Algorithm 1", "ADMM sharing"),
		reproduce.Item{Paper: "SH19", Name: "Lemma 1", About: "the sensitivity of what a party sends", Page: columns,
			Row: "SH19 Lemma 1"},
		reproduce.Item{Paper: "SH19", Name: "Theorem 1", About: "(ε, δ)-differential privacy of an iteration",
			Page: columns, Row: "SH19 Theorem 1"},
		shown("SH19", "Corollary 1", "the privacy of T iterations"),
		figure("SH19", "Fig. 1", "convergence on a9a", "sh19-fig1"),
		figure("SH19", "Fig. 2", "convergence with 5,000 columns", "sh19-fig2"),
		figure("SH19", "Fig. 3", "sharing under noise", "sh19-fig3"),

		shown("PDML", "(9)-(11)", "general ADMM"),
		shown("PDML", "Proposition 1", "randomised labels preserve ε-LDP"),
		alone("PDML", "Proposition 2", "the loss that is corrected for flips is unbiased and Lipschitz", "an identity "+
			"of (19), which tests hold the program to: the mean over both labels is the loss, to rounding"),
		alone("PDML", "Lemma 1", "strong convexity of Problem 2's objective", "its constant is n times too large for "+
			"classifiers that differ (docs/mathematics.md §3.15); for equal ones it is Lemma 3's, whose objective "+
			"differs by a linear term"),
		alone("PDML", "Lemma 2", "Problem 2's optimum is one classifier for all servers", "it follows from strong "+
			"convexity on a connected graph; Lemma 5's distances are from that of Problem 3"),
		shown("PDML", "Lemma 3", "strong convexity"),
		alone("PDML", "Lemma 4", "flipped labels leave the regularised risk as it is", "it is Proposition 2 under the "+
			"expectation over rows"),
		shown("PDML", "Lemma 5", "linear convergence to Problem 3's optimum"),
		shown("PDML", "Theorem 1", "excess risk of the averages"),
		shown("PDML", "Corollary 1", "excess risk of the optimum of Problem 3"),
		shown("PDML", "Theorem 2", "excess risk of the averages without Phase 2"),
		shown("PDML", "Corollary 2", "excess risk of the optimum of Problem 2"),
		alone("PDML", "Fig. 1", "users and servers", diagram),
		alone("PDML", "Fig. 2", "the two phases", diagram),
		figure("PDML", "Fig. 3", "convergence with and without the servers' noise", "pdml-fig3"),
		figure("PDML", "Fig. 4", "noise bound, decay and label budget", "pdml-fig4"),
		figure("PDML", "Table I", "accuracy on seven data sets", "pdml-table1"),
	)
}
