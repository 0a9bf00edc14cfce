// Package theory computes what the papers prove, so that it can be reported
// beside what a run measures: the rate of M-ADMM (ZKL18, Theorems 3.1 and 3.2),
// the sufficient condition of R- and MR-ADMM (RA19, Theorem 1), and the excess
// risk of PDML (Theorems 1 and 2, Corollaries 1 and 2), and how many samples are
// enough (ZZ16 Theorems 2 and 3, RA19 Theorems 3 and 4); and it chooses a privacy
// parameter as ZZ16 §5 does. Everything is dense, for graphs of up to a few
// hundred nodes.
//
// # Notation
//
// A is the adjacency matrix, D the diagonal of degrees V_i, D−A the Laplacian
// and D+A the signless one; W(t) = diag(η_i(t)); all are N×N. σ_min is the
// smallest nonzero singular value, σ_max the largest. f(t) and Λ(t) are N×d, a
// node's classifier and dual a row. sym(X) is (X + Xᵀ)/2, X⁺ the Moore-Penrose
// inverse, and X ≻ Y means that vᵀ(X−Y)v > 0 for every v ≠ 0, which is what an
// order between matrices that are not symmetric can mean.
//
// # Where the papers are not followed
//
// ZKL18 (23) has 2m_o + 2σ̄_min in a numerator, σ̄_min the smallest nonzero
// singular value of (W−θI)(D−A). That matrix maps the all-ones vector to zero,
// so (22), from which (23) is derived, allows only 2m_o there. As printed, (23)
// is larger than the contraction of runs on two nodes; [MADMM] leaves σ̄_min out.
//
// ZKL18 Theorem 3.2 treats W(D+A) as symmetric, which it is only when all η_i(t)
// of a round are equal. If they differ, J(t) need not be a norm (on a bipartite
// graph it never is), and runs contract less than printed. [MADMM] carries the
// antisymmetric part through the proof; its doc comment states the result.
//
// ZKL18 Theorem 3.1 asks that η_i(t) < +∞, and the proof needs one bound for all
// t: with η doubling every round the nodes stop short of the optimum. Likewise
// the factors of Theorem 3.2 multiply over rounds only while the penalties stay
// as they are, since each round has its own norm J(t).
//
// RA19 Theorem 1, condition (ii), cannot hold on a bipartite graph (a path, a
// star, a grid, an even ring) with equal penalties, however large γ: D+A then
// has a null vector, on which (ii) reads 0 > a positive number. The paper's
// remark that a large γ always suffices is true of other graphs only.
//
// RA19 Theorem 1 lets η_i differ between nodes. The duals then leave the range of
// the Laplacian, which its Lemma 1 needs, and the nodes agree on a point that is
// not the optimum, conditions (i) and (ii) satisfied or not.
//
// PDML Lemma 5 asks for (25), which no graph of three servers meets, and Lemma 1
// has a constant that is n times too large; [Learning.Lemma5] and
// [Learning.Corollary1] say what is proved in their place.
package theory
