package model

// Sharing is a Method over split columns whose party m, holding D_m, solves
//
//	(λI + ρ D_mᵀD_m) x_m = −D_mᵀ(y + ρ(u/share − p_m))
//
// and sends p_m = D_m x_m, with noise or without; u and y are the hub's.
type Sharing interface {
	Method

	// Penalty is ρ.
	Penalty() float64

	// Share is by how much the parties divide what is left of the hub's sum.
	Share(p *Public) float64

	// Cover is which directions the noise has.
	Cover() Cover

	// Sigma is the noise's standard deviation at a party, from 0.
	Sigma(p *Public, party int) float64
}

// Cover is which directions of R^N the noise of a party's message has.
type Cover uint8

// Covers.
const (
	Nowhere Cover = iota // there is no noise
	Range                // N(0, σ² D(DᵀD)⁺Dᵀ): those of the party's column space
	Ambient              // N(0, σ² I): all
)
