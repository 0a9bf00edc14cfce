// Package problem holds what is learned: data sets and how they are split over
// nodes, losses, the subproblem (★) that every method asks a node to solve, and
// its solver.
//
// # The problem
//
// Node i has B_i rows (x_n, y_n), y ∈ {−1, +1}, and the objective
//
//	O_i(f) = (C/B_i) Σ_n L(y_n f·x_n) + ½ r_i ‖f‖²
//
// over classifiers f, d-vectors; or rows (x_n, t_n) with targets, t ∈ ℝ, and L(f·x_n − t_n)
// in place of L(y_n f·x_n). The sum of the O_i has one minimiser, the
// centralised optimum. Rows are kept as u_n = y_n x_n, from which x_n is
// recovered exactly, or u_n = x_n; so L is a function of u_n·f − t_n, where t_n = 0 of classes.
package problem
