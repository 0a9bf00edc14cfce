// Package privacy has what every private method needs and no method owns:
//
//   - samplers of noise (Laplace in the Euclidean norm, Gaussian, uniform in a
//     ball), on the digest path: same bits on every machine;
//   - descriptions of what one invocation of a mechanism costs (Mechanism);
//   - a Ledger that adds up these costs by node, round and protected unit, and
//     reads the total by basic composition, advanced composition, zCDP or RDP;
//   - Solve, which finds the noise scale that spends a given total.
//
// Losses are in nats: ε = ln of the largest ratio of probabilities. +Inf means
// that there is no guarantee.
package privacy
