// What certificates of the private methods are made of: the law of the noise in each use of data.

package algorithms

import (
	"errors"
	"math"

	"overhear/privacy"
	"overhear/privacy/loss"
	"overhear/problem"
)

// Certified is a Private method whose losses have a certificate (docs/mathematics.md §6.1).
type Certified interface {
	Private

	// Certifiable is nil if what the certificates are proved with holds for this run, and otherwise says what fails.
	// That of labels which their users randomise needs nothing.
	Certifiable() error

	// Certify enters every use of data by every node; nodes are numbered as the parts of the problem are.
	Certify(l *loss.Ledger)
}

// Partial is a Certified method whose certificate of rows does not cover all that an eavesdropper sees.
type Partial interface {
	// Covers says in words what it covers, and what it does not.
	Covers() string
}

// Certify is the ledger of a method's uses of data, and why rows have no certificate; nil: they have one.
func Certify(m Private) (*loss.Ledger, error) {
	l := new(loss.Ledger)
	c, ok := m.(Certified)
	if !ok {
		return l, errors.New("nothing is proved of how much a row or column moves what the method's noise is added to")
	}
	c.Certify(l)
	if err := c.Certifiable(); err != nil {
		return l, err
	}
	return l, l.Err()
}

// laplaceOf and gaussianOf are noise in as many dimensions as the problem's models have, and what one unit moves in its
// unit.
func laplaceOf(p *problem.Problem, size float64) loss.Noise {
	return loss.Noise{Kind: loss.Laplace, Dimension: p.D, Size: size}
}

func gaussianOf(size float64) loss.Noise { return loss.Noise{Kind: loss.Gaussian, Size: size} }

// uses enters uses of data into a ledger: of a row, and of its label where rows have one of two classes.
type uses struct {
	*loss.Ledger
	p *problem.Problem
}

func (u uses) spend(i, t int, row, flip loss.Mechanism) {
	u.Spend(i, t, privacy.Sample, row)
	if !u.p.HasTargets() && u.p.K == 0 {
		u.Spend(i, t, privacy.Label, flip)
	}
}

// onOutput is noise on a minimiser or step, of the size of what one row in place of another moves if slopes may be ±1.
// One that is flatter moves less, in proportion; a flipped label moves it by L′(z) + L′(−z) of the 2.
func (u uses) onOutput(i, t int, noise loss.Noise) {
	row, flip := noise, noise
	if u.p.K == 0 { // else no certificate: Shielded
		steepest := u.p.Loss.Steepest()
		row.Size *= steepest
		if flip = row; u.p.Loss == problem.Logistic {
			flip.Size /= 2
		}
	}
	u.spend(i, t, loss.Shift{Noise: row}, loss.Shift{Noise: flip})
}

// inObjective is noise in the objective of a node, with the size of what a row of slope 1 moves the gradient by. A
// flipped label moves that of logistic loss by yx, whatever the margin is, and L″ is even: the Jacobian is the same in
// both worlds, and the shift fixed. Of other losses it is bounded as a row in place of another is.
func (u uses) inObjective(i, t int, ridge float64, noise loss.Noise) {
	row := loss.Objective{Noise: noise}
	if u.p.K == 0 { // else no certificate: Shielded
		row.Down, row.Up = steepest(u.p.Loss)
		row.Hessian = u.p.Loss.Bound() * u.p.C / (samples(u.p, i) * ridge)
		row.Logistic = u.p.Loss == problem.Logistic
	}
	var flip loss.Mechanism = row
	if row.Logistic {
		flip = loss.Shift{Noise: noise}
	}
	u.spend(i, t, row, flip)
}

// steepest are the greatest −L′ and L′. L is convex: they are its limits, which a wide loss reaches at no number that
// only seems great.
func steepest(l problem.Loss) (down, up float64) {
	ends := make([]float64, 2)
	l.Slopes(ends, []float64{math.Inf(-1), math.Inf(1)})
	return max(0, -ends[0]), max(0, ends[1])
}

// certifyShifts enters α_i(t) of every node and round: how far a row moves what the noise is added to, in its unit.
func (b roundBudget) certifyShifts(l *loss.Ledger, gaussian bool) {
	p := b.setting.Problem
	u := uses{l, p}
	for i := range p.Shards {
		for t := 1; t <= b.setting.Rounds && !b.silent; t++ {
			if b.free(t) {
				continue
			}
			noise := laplaceOf(p, b.alpha.At(i, t))
			if gaussian {
				noise = gaussianOf(b.alpha.At(i, t))
			}
			u.onOutput(i, t, noise)
		}
	}
}

// Certifiable is what the claim needs, too.
func (m dvp) Certifiable() error { return m.Established() }

// Certify has the rate ζ of ε, of which the gradient gains C/B: one row moves it by C/B.
func (m dvp) Certify(l *loss.Ledger) {
	u := uses{l, m.Problem}
	for i := range m.Problem.Shards {
		for t := 1; t <= m.Rounds && !m.off(); t++ {
			phi, zeta := m.calibrate(i, t)
			ridge := m.Problem.R[i] + float64(2*m.Eta*float64(m.Graph.Degree(i))) + phi
			u.inObjective(i, t, ridge, laplaceOf(m.Problem, zeta))
		}
	}
}

// Certifiable is what the claim needs, too.
func (m proximal) Certifiable() error { return m.Established() }

// Certify has the rate for which one row moves the minimiser by α.
func (m proximal) Certify(l *loss.Ledger) { m.certifyShifts(l, m.Law == gaussianLaw) }

// Certifiable is what the claim needs, too.
func (m *privateDGD) Certifiable() error { return m.Established() }

// Certify has the rate for which one row moves the step by α.
func (m *privateDGD) Certify(l *loss.Ledger) { m.certifyShifts(l, m.normal) }

// Certifiable needs neither (3.12) nor that θ is one number.
func (m penaltyPerturbation) Certifiable() error {
	if m.off() {
		return errNoNoise
	}
	if err := differentiable(m.Problem, "ZKL18 Assumption 5"); err != nil {
		return err
	}
	return Shielded(m.Problem)
}

// Certify has ε of rate α, of which the gradient gains κ.
func (m penaltyPerturbation) Certify(l *loss.Ledger) {
	p := m.Problem
	u := uses{l, p}
	for i := range p.Shards {
		for t := 1; t <= m.Rounds && !m.off(); t++ {
			kappa := float64(2 * m.Eta.At(i, t) * float64(m.Graph.Degree(i)))
			noise := laplaceOf(p, p.C/samples(p, i)*m.alpha.At(i, t)/kappa)
			if m.gaussian {
				noise = gaussianOf(noise.Size)
			}
			u.inObjective(i, t, p.R[i]+kappa, noise)
		}
	}
}

// Certifiable needs no condition on the penalties.
func (m *privateRecycled) Certifiable() error {
	if m.off() {
		return errNoNoise
	}
	return Shielded(m.Problem)
}

// Certify has the odd rounds; even ones touch no data.
func (m *privateRecycled) Certify(l *loss.Ledger) {
	p := m.Problem
	u := uses{l, p}
	for i := range p.Shards {
		for t := 1; t <= m.Rounds && !m.off(); t += 2 {
			size := float64(p.C / samples(p, i) * m.alpha.At(i, use(t))) // what one row of slope 1 moves
			switch m.Perturbation {
			case "output":
				u.onOutput(i, t, laplaceOf(p, float64(2*size)))
			case "gaussian":
				u.onOutput(i, t, gaussianOf(float64(2*size)))
			default:
				u.inObjective(i, t, m.ridge(i, use(t)), laplaceOf(p, size))
			}
		}
	}
}

// Certifiable is what the claim needs, too.
func (m *dpADMM) Certifiable() error { return m.Established() }

// Certify has the account's Gaussian shifts.
func (m *dpADMM) Certify(l *loss.Ledger) {
	u := uses{l, m.Problem}
	for i := range m.Problem.Shards {
		for k := 1; k <= m.Rounds && !m.off(); k++ {
			u.onOutput(i, k, gaussianOf(m.sensitivity(i, k)/m.sigma(i, k)))
		}
	}
}

// Certifiable is what the claim of rows needs, too.
func (m *pdml) Certifiable() error { return m.Established() }

// Covers leaves out the reports: a row is in them as its user wrote it, but for the label.
func (m *pdml) Covers() string {
	return "it covers what servers publish; users' reports, which an eavesdropper sees too, are not covered"
}

// Certify has the account's responses and Gaussian shifts. The objective noise, drawn once, is the same in both worlds.
func (m *pdml) Certify(l *loss.Ledger) {
	account := new(privacy.Ledger)
	m.Account(account)
	account.Each(func(node, round int, unit privacy.Unit, spent privacy.Mechanism) {
		switch s := spent.(type) {
		case privacy.PureDP:
			l.Spend(node, round, unit, loss.Response{Epsilon: s.Epsilon})
		case privacy.GaussianDP:
			l.Spend(node, round, unit, loss.Shift{Noise: gaussianOf(s.Sensitivity / s.Sigma)})
		}
	})
}
