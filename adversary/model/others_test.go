// Models of methods without a dual at every node, against a few rounds computed here,
// and the numbers that audits take from models: laws of noise, sensitivities.

package model_test

import (
	"math"
	"strings"
	"testing"

	"overhear/adversary/model"
	"overhear/algorithms"
	"overhear/parameter"
	"overhear/sim"
)

// descend runs gradient descent with Metropolis weights: 1/(1 + the larger degree) for
// a neighbour, and what is left for a node itself. Noise is added to what is sent.
func (w *world) descend(rounds int, step func(i, t int) float64, noise func(i, t int) float64) *script {
	n := w.graph.Order()
	s := &script{degrees: w.graph.Degree, published: [][]float64{[]float64{0.4, -0.2, 0.7}[:n]}}
	for t := 1; t <= rounds; t++ {
		v, before := make([]float64, n), s.published[t-1]
		for i := range n {
			own := 1.0
			for _, j := range w.graph.Neighbours(i) {
				weight := 1 / (1 + math.Max(w.degree(i), w.degree(int(j))))
				own -= weight
				v[i] += weight * before[j]
			}
			v[i] += own*before[i] - step(i, t)*(w.slope(i, before[i])+w.r[i]*before[i]) + noise(i, t)
		}
		s.published = append(s.published, v)
	}
	return s
}

func TestDGD_RoundsFollowTheStep(t *testing.T) {
	const rounds, size = 5, 5
	steps := [][]float64{{0.9, 0.7, 0.5, 0.4, 0.3}, {0.5, 0.6, 0.3, 0.2, 0.1}, {0.3, 0.3, 0.4, 0.2, 0.2}}
	alphas := [][]float64{{1, 2, 3, 1, 2}, {2, 1, 1, 3, 2}, {1, 1, 2, 2, 3}}
	for name, w := range worlds(t) {
		nodes := w.graph.Order()
		for _, decay := range []string{"sqrt", "none"} {
			step := func(i, t int) float64 {
				if decay == "sqrt" {
					return steps[i][t-1] / math.Sqrt(float64(t))
				}
				return steps[i][t-1]
			}
			for _, method := range []string{"dgd", "private-dgd"} {
				values := map[string]any{"step": steps[:nodes], "decay": decay}
				noise := func(int, int) float64 { return 0 }
				if method == "private-dgd" {
					values["alpha"], values["noise"] = alphas[:nodes], "on"
					noise = draws
				}
				s := w.descend(rounds, step, noise)
				p := w.public(t, method, rounds, values)
				for node := range nodes {
					want := map[int]told{}
					for k := 1; k <= rounds; k++ {
						before := s.published[k-1][node]
						want[k] = told{ // noise on the iterate is −1/a of it on the gradient
							value: w.slope(node, before) - noise(node, k)/step(node, k), at: before,
							place: model.InStep,
						}
						if method == "private-dgd" { // the rate of ε is αB/(2C a)
							x := want[k]
							x.law = model.Noise{Kind: model.Laplace,
								Level: alphas[node][k-1] * size / (2 * w.c * step(node, k)) * step(node, k)}
							want[k] = x
						}
					}
					compare(t, p, s, node, size, want)
					for k, x := range want {
						x.law = model.Noise{}
						want[k] = x
					}
					compare(t, p, s, node, 0, want)
				}

				// A hidden step: 1/a is the multiplier of one direction, and the Jacobian of the noise.
				all, unseen := model.Gradients(p.Without(model.Penalty), s, 1, size)
				if len(all) != rounds || unseen != nil {
					t.Fatalf("%s, %s: %d rounds, %q", name, method, len(all), unseen)
				}
				for _, g := range all {
					before, inverse := s.published[g.Round-1][1], 1/step(1, g.Round)
					if len(g.Nuisance) != 1 || g.Unknown == nil || g.Unknown.Nuisance != 0 || g.Unknown.Growth != 1 ||
						!g.Unknown.Explicit || g.Place != model.InStep {
						t.Fatalf("%s, %s, round %d: %+v, hidden %+v", name, method, g.Round, g, g.Unknown)
					}
					if got, want := g.Value[0]-inverse*g.Nuisance[0][0],
						w.slope(1, before)-noise(1, g.Round)*inverse; !near(got, want) {
						t.Errorf("%s, %s, round %d with 1/a known: %v, want %v", name, method, g.Round, got, want)
					}
				}
			}
		}
	}
}

// A round of gradient descent that was not seen is lost by itself.
func TestDGD_MissedRoundsAreLostAlone(t *testing.T) {
	w := worlds(t)["path of three"]
	s := w.descend(6, func(int, int) float64 { return 0.5 }, func(int, int) float64 { return 0 })
	p := w.public(t, "dgd", 6, map[string]any{"step": 0.5, "decay": "none"})
	for missing, want := range map[[2]int][2]string{
		{1, 3}: {"1 2 5 6", "round 3: the value of node 1 in round 3; round 4: the value of node 1 in round 3"},
		{0, 3}: {"1 2 3 5 6", "round 4: the value of node 0 in round 3"},
	} {
		s.missing = map[[2]int]bool{missing: true}
		all, unseen := model.Gradients(p, s, 1, 0)
		if got := [2]string{roundsOf(all), texts(unseen)}; got != want {
			t.Errorf("without the value of node %d in round %d: %q, want %q", missing[0], missing[1], got, want)
		}
	}
	s.missing = nil
	s.inputs = func(_, round int) ([]int, error) {
		if round == 4 {
			return nil, model.NotSeen("an arrival")
		}
		return []int{round - 1, round - 1}, nil
	}
	if all, unseen := model.Gradients(p, s, 1, 0); roundsOf(all) != "1 2 3 5 6" || len(unseen) != 1 {
		t.Errorf("without an arrival: %s, %q", roundsOf(all), unseen)
	}
}

func roundsOf(all []model.Gradient) string {
	var text []string
	for _, g := range all {
		text = append(text, string(rune('0'+g.Round)))
	}
	return strings.Join(text, " ")
}

// Edge ADMM, from Bastianello et al. 2021: f_i minimises O_i(f) − (Σ_j z_ij) f + ½ηV f²,
// m_ij = −z_ij + 2η f_i, and z_ij ← (1−a) z_ij + a m_ji.
func TestEdgeADMM_StatesOfLinks(t *testing.T) {
	const rounds, eta, relaxation = 6, 0.6, 0.3
	for name, w := range worlds(t) {
		n := w.graph.Order()
		s := &script{degrees: w.graph.Degree, published: [][]float64{make([]float64, n)}}
		z := map[[2]int]float64{}
		for range rounds {
			v := make([]float64, n)
			for i := range n {
				pull := w.b[i]
				for _, j := range w.graph.Neighbours(i) {
					pull += z[[2]int{i, int(j)}]
				}
				v[i] = pull / (w.a[i] + w.r[i] + eta*w.degree(i))
			}
			s.published = append(s.published, v)
			message := map[[2]int]float64{}
			for i := range n {
				for _, j := range w.graph.Neighbours(i) {
					message[[2]int{i, int(j)}] = -z[[2]int{i, int(j)}] + 2*eta*v[i]
				}
			}
			for i := range n {
				for _, j := range w.graph.Neighbours(i) {
					link, back := [2]int{i, int(j)}, [2]int{int(j), i}
					z[link] = (1-relaxation)*z[link] + relaxation*message[back]
				}
			}
		}
		p := w.public(t, "edge-admm", rounds, map[string]any{"eta": eta, "relaxation": relaxation})
		for node := range n {
			want := map[int]told{}
			for k := 1; k <= rounds; k++ {
				v := s.published[k][node]
				want[k] = told{value: w.slope(node, v), at: v, ridge: w.r[node] + eta*w.degree(node)}
			}
			compare(t, p, s, node, 0, want)
		}

		// A link's state depends on every message: what follows a gap is not known.
		s.missing = map[[2]int]bool{{0, 3}: true}
		all, unseen := model.Gradients(p, s, 1, 0)
		if roundsOf(all) != "1 2 3" || len(unseen) != 3 ||
			!strings.Contains(unseen[0].Error(), "the link 1–0 in round 3") {
			t.Errorf("%s: rounds %s, unseen %q", name, roundsOf(all), unseen)
		}
		s.missing = map[[2]int]bool{{1, 3}: true}
		if all, unseen := model.Gradients(p, s, 1, 0); roundsOf(all) != "1 2" || len(unseen) != 4 {
			t.Errorf("%s: rounds %s, unseen %q", name, roundsOf(all), unseen)
		}
		s.missing, s.from = nil, 2
		if all, _ := model.Gradients(p, s, 1, 0); roundsOf(all) != "1" {
			t.Errorf("%s, from round 2 on: rounds %s", name, roundsOf(all))
		}
		s.from = 1
		if all, _ := model.Gradients(p, s, 1, 0); len(all) != rounds {
			t.Errorf("%s, from round 1 on: rounds %s", name, roundsOf(all))
		}
		if all, unseen := model.Gradients(p.Without(model.Penalty), s, 1, 0); all != nil || len(unseen) != 1 {
			t.Errorf("%s, hidden penalty: %+v, %q", name, all, unseen)
		}
		q := *p
		q.Timing.Lockstep = false
		first, unseen := model.Gradients(&q, s, 1, 0)
		if len(unseen) != 1 || roundsOf(first) != "1" || first[0].Value[0] != all[0].Value[0] {
			t.Errorf("%s, without lockstep: %+v, %q, want %+v", name, first, unseen, all[0])
		}
	}
}

// DP-ADMM: with ℓ the client's loss, w̃ what it sent, γ its dual, h the hub's average, it
// minimises ∇ℓ(w̃)w + (r/2)w² − γ(w − h) + (ρ/2)(w − h)² + (w − w̃)²/(2s), s = s₀/√k, and
// sends w̃ ← w + N(0, σ²); then γ ← γ − ρ(w̃ − h).
func TestDPADMM_RoundsOfAHubAndItsClients(t *testing.T) {
	const rounds, rho, first, epsilon, delta, size = 6, 0.6, 0.8, 0.9, 1e-4, 5
	graph, err := sim.NewGraph(3, [][2]int{{0, 1}, {0, 2}})
	if err != nil {
		t.Fatal(err)
	}
	// The hub, node 0, has no data.
	w := &world{graph, []float64{0, 0.7, 0.4}, []float64{0, 0.9, -0.3}, []float64{0, 0.2, 0.3}, 3, size}
	s := &script{degrees: graph.Degree, published: [][]float64{{0.1, 0.2, 0.3}}}
	gamma := make([]float64, 3)
	want := [3]map[int]told{nil, {}, {}}
	for k := 1; k <= rounds; k++ {
		before := s.published[k-1]
		v, step := make([]float64, 3), first/math.Sqrt(float64(k))
		for i := 1; i < 3; i++ {
			ridge := w.r[i] + rho + 1/step
			exact := (gamma[i] + rho*before[0] + before[i]/step - w.slope(i, before[i])) / ridge
			v[i] = exact + draws(i, k)
			// One sample moves the minimiser by at most Δ = 2C/(B(r + ρ + 1/s)), and
			// σ = Δ√(2 ln(1.25/δ))/ε; noise on the iterate is −(r + ρ + 1/s) of it on the gradient.
			sigma := 2 * w.c / (size * ridge) * math.Sqrt(2*math.Log(1.25/delta)) / epsilon
			want[i][k] = told{value: w.slope(i, before[i]) - ridge*draws(i, k), at: before[i], ridge: 0,
				law: model.Noise{Kind: model.Gaussian, Level: sigma * ridge}, place: model.InStep}
		}
		v[0] = (v[1] - gamma[1]/rho + v[2] - gamma[2]/rho) / 2
		for i := 1; i < 3; i++ {
			gamma[i] -= rho * (v[i] - v[0])
		}
		s.published = append(s.published, v)
	}
	values := map[string]any{"eta": rho, "step": first, "epsilon": epsilon, "delta": delta, "noise": "on"}
	p := w.public(t, "dp-admm", rounds, values)
	p.Hub = true
	silent := func(want map[int]told) map[int]told {
		out := map[int]told{}
		for k, x := range want {
			x.law = model.Noise{}
			out[k] = x
		}
		return out
	}
	for i := 1; i < 3; i++ {
		compare(t, p, s, i, size, want[i])
		compare(t, p, s, i, 0, silent(want[i]))
	}
	values["noise"] = "off"
	compare(t, w.public(t, "dp-admm", rounds, values), s, 1, size, silent(want[1]))

	// Two gaps leave more unknown than one, and what a client that lost its memory begins with is not known.
	s.missing = map[[2]int]bool{{0, 2}: true, {0, 4}: true}
	gaps, _ := model.Gradients(p, s, 1, size)
	if offsetsOf(gaps) != "1:0 2:0 4:1 6:2" {
		t.Errorf("without the hub's messages of rounds 2 and 4: %s", offsetsOf(gaps))
	}
	s.missing = nil
	s.anew = func(node, round int) (bool, error) {
		if node == 1 && round == 3 {
			return false, model.NotSeen("how it went on")
		}
		return false, nil
	}
	lost, unseen := model.Gradients(p, s, 1, size)
	if offsetsOf(lost) != "1:0 2:0 4:1 5:1 6:1" || texts(unseen) != "round 3: how it went on" {
		t.Errorf("of a client that lost its memory: %s, %q", offsetsOf(lost), unseen)
	}
	s.anew = nil

	// A gap in the hub's or the client's messages leaves an unknown dual, the same ever after.
	for missing, heard := range map[[2]int]string{{0, 3}: "1 2 3 5 6", {1, 3}: "1 2 5 6"} {
		s.missing = map[[2]int]bool{missing: true}
		all, unseen := model.Gradients(p, s, 1, size)
		if roundsOf(all) != heard {
			t.Errorf("without round 3 of node %d: rounds %s, want %s", missing[0], roundsOf(all), heard)
		}
		if missing[0] == 0 && (len(unseen) != 1 || unseen[0].Error() != "round 4: the hub's message of round 3") {
			t.Errorf("without the hub's message of round 3: %q", unseen)
		}
		var unknown []float64
		for _, g := range all {
			off := g.Value[0] - want[1][g.Round].value
			if g.Round < 4 && (g.Offset != 0 || !near(off, 0)) || g.Round > 4 && g.Offset == 0 {
				t.Errorf("without round 3 of node %d, round %d: offset %d, off by %v", missing[0], g.Round, g.Offset,
					off)
			}
			if g.Offset > 0 {
				unknown = append(unknown, off)
			}
		}
		if len(unknown) != 2 || !near(unknown[0], unknown[1]) || near(unknown[0], 0) {
			t.Errorf("without round 3 of node %d: the unknown vector is %v", missing[0], unknown)
		}
	}
	s.missing, s.from = nil, 3
	for _, g := range gradients(model.Gradients(p, s, 1, size)) {
		if (g.Offset > 0) != (g.Round > 1) {
			t.Errorf("from round 3 on, round %d: offset %d", g.Round, g.Offset)
		}
	}
	s.from = 1
	for _, g := range gradients(model.Gradients(p, s, 1, size)) {
		if g.Offset != 0 {
			t.Errorf("from round 1 on, round %d: offset %d", g.Round, g.Offset)
		}
	}
	if all, unseen := model.Gradients(p.Without(model.Penalty), s, 1, size); all != nil || len(unseen) != 1 {
		t.Errorf("hidden penalty: %+v, %q", all, unseen)
	}
}

func gradients(all []model.Gradient, _ []*model.Missing) []model.Gradient { return all }

// A law's density falls by the factor e where its definition says: at length 1/ζ, and at
// length σ√2, so that a variance is not taken for a standard deviation. The mean length
// of a Laplacian vector is d/ζ, the root mean square of a Gaussian one σ√d.
func TestNoise_Laws(t *testing.T) {
	const level = 0.25
	laplace := model.Noise{Kind: model.Laplace, Level: level}
	gaussian := model.Noise{Kind: model.Gaussian, Level: level}
	at := func(n model.Noise, length float64) float64 { // in the direction (3, 4)/5
		return n.LogDensity([]float64{0.6 * length, 0.8 * length}) - n.LogDensity([]float64{0, 0})
	}
	if fall := at(laplace, 1/level); !near(fall, -1) {
		t.Errorf("Laplace: %v", fall)
	}
	if fall := at(gaussian, level*math.Sqrt2); !near(fall, -1) {
		t.Errorf("Gauss: %v", fall)
	}
	if size := laplace.Size(7); !near(size, 7/level) {
		t.Errorf("Laplace: size %v", size)
	}
	if size := gaussian.Size(9); !near(size, 3*level) {
		t.Errorf("Gauss: size %v", size)
	}
	if size := (model.Noise{}).Size(9); size != 0 {
		t.Errorf("no noise: size %v", size)
	}
}

// A vector divided by c has the density of the vector at c times the point.
func TestNoise_Over(t *testing.T) {
	const c = 3.0
	for _, kind := range []model.Kind{model.Laplace, model.Gaussian} {
		n := model.Noise{Kind: kind, Level: 0.4}
		x, divided := []float64{0.3, -0.8}, []float64{0.3 / c, -0.8 / c}
		if got, want := n.Over(c).LogDensity(divided), n.LogDensity(x); !near(got, want) || n.Level != 0.4 {
			t.Errorf("law %d: %v, want %v", kind, got, want)
		}
	}
}

// SH19 (11) and Theorem 1: 𝒞 = (3/(d_m ρ))(λ + (1 + Mρ)b₁), σ = √(2 ln(1.25/δ)) 𝒞/ε.
func TestSharing_Noise(t *testing.T) {
	public := func(method string, values map[string]any) *model.Public {
		t.Helper()
		e, _ := algorithms.Lookup(method)
		params := e.Params()
		set(t, params, values)
		p, err := model.New(method, params, model.Run{Rows: 9, Widths: []int{4, 2, 3}, Ridge: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := public("private-admm-sharing", map[string]any{"eta": 2.0, "bound": 1.5, "epsilon": 0.8, "delta": 1e-5,
		"noise": "range", "form": "jacobi"})
	m := p.Method.(model.Sharing)
	// d₀ = 4: 𝒞 = (3/8)(0.5 + 7·1.5) = 4.125; d₁ = 2 doubles it
	gauss := math.Sqrt(2 * math.Log(1.25e5))
	for party, want := range []float64{4.125 * gauss / 0.8, 8.25 * gauss / 0.8, 5.5 * gauss / 0.8} {
		if got := m.Sigma(p, party); !near(got, want) {
			t.Errorf("party %d: σ = %v, want %v", party, got, want)
		}
	}
	if m.Penalty() != 2 || m.Cover() != model.Range || !m.Noisy() || m.Share(p) != 1 {
		t.Errorf("penalty %v, cover %v, noisy %v, share %v", m.Penalty(), m.Cover(), m.Noisy(), m.Share(p))
	}
	for noise, cover := range map[string]model.Cover{"off": model.Nowhere, "ambient": model.Ambient} {
		p := public("private-admm-sharing", map[string]any{"eta": 2.0, "sigma": 0.7, "noise": noise,
			"form": "averaged"})
		m := p.Method.(model.Sharing)
		if m.Cover() != cover || m.Noisy() != (noise != "off") || m.Sigma(p, 1) != 0.7 || m.Share(p) != 3 {
			t.Errorf("%s: cover %v, noisy %v, σ %v, share %v", noise, m.Cover(), m.Noisy(), m.Sigma(p, 1), m.Share(p))
		}
	}
	p = public("admm-sharing", map[string]any{"eta": 2.0})
	m = p.Method.(model.Sharing)
	if m.Cover() != model.Nowhere || m.Noisy() || m.Sigma(p, 0) != 0 || m.Penalty() != 2 {
		t.Errorf("without noise: cover %v, noisy %v, σ %v", m.Cover(), m.Noisy(), m.Sigma(p, 0))
	}
	if !math.IsNaN(p.Without(model.Penalty).Method.(model.Sharing).Penalty()) {
		t.Error("a hidden penalty can be read")
	}
}

// A label is flipped with probability p = 1/(1 + e^ε). Averaged over flips, the debiased
// loss L(y′z) − δ y′z has the slope of the true label's: at z = 0, where L′ = −½,
// (1 − 2p)(−½ − δ) = −½.
func TestPDML_Labels(t *testing.T) {
	for _, epsilon := range []float64{0.5, 1, 3} {
		w := worlds(t)["two nodes"]
		values := map[string]any{"epsilon": parameter.One(epsilon), "labels": "randomised", "noise": "on"}
		m := w.public(t, "pdml", 1, values).Method.(model.Registering)
		p := 1 / (1 + math.Exp(epsilon))
		if got := m.LabelEpsilon(nil); got != epsilon || !near((1-2*p)*(-0.5-m.Debias(nil)), -0.5) {
			t.Errorf("ε = %v: %v, δ = %v", epsilon, got, m.Debias(nil))
		}
		values["labels"] = "true"
		m = w.public(t, "pdml", 1, values).Method.(model.Registering)
		if !math.IsInf(m.LabelEpsilon(nil), 1) || m.Debias(nil) != 0 {
			t.Errorf("true labels: ε = %v, δ = %v", m.LabelEpsilon(nil), m.Debias(nil))
		}
		// Of users who have their own, a report says it, and without one it is not known.
		values["labels"], values["epsilon"] = "randomised", parameter.Budgets{
			Budget: parameter.Budget{Uniform: []float64{0.1, 4}}}
		m = w.public(t, "pdml", 1, values).Method.(model.Registering)
		report := []float64{0.3, -1, epsilon}
		if got := m.LabelEpsilon(report); got != epsilon || !near((1-2*p)*(-0.5-m.Debias(report)), -0.5) {
			t.Errorf("own ε = %v: %v, δ = %v", epsilon, got, m.Debias(report))
		}
		if !math.IsNaN(m.LabelEpsilon(nil)) || !math.IsNaN(m.Debias(nil)) {
			t.Errorf("without a report: ε = %v, δ = %v", m.LabelEpsilon(nil), m.Debias(nil))
		}
	}
}

// Penalties that recycled rounds give away make the method one with known penalties,
// use by use, and leave everything else as it is.
func TestRecycling_RevealedPenalties(t *testing.T) {
	w := worlds(t)["path of three"]
	const rounds, size = 6, 5
	penalties := []float64{0.5, 0.6, 0.9}
	for method, varies := range map[string]bool{"r-admm": false, "private-r-admm": false, "mr-admm": true,
		"private-mr-admm": true} {
		values := map[string]any{"gamma": 0.35}
		eta := func(t int) float64 { return penalties[0] }
		values["eta"] = penalties[0]
		if varies {
			eta = func(t int) float64 { return penalties[(t-1)/2] }
			values["eta"] = penalties
		}
		law := model.Noise{}
		if strings.HasPrefix(method, "private") {
			values["alpha"], values["noise"] = 1.5, "on"
			law = model.Noise{Kind: model.Laplace, Level: 1.5}
		}
		s, said := w.play(rounds, func(_, t int) step {
			return step{eta: eta(t), theta: eta(t), gamma: 0.35, idle: t%2 == 0, law: law}
		})
		hidden := w.public(t, method, rounds, values).Without(model.Penalty)
		m := hidden.Method.(model.Recycling)
		if m.Weight() != 0.35 {
			t.Errorf("%s: γ = %v", method, m.Weight())
		}
		known := *hidden
		known.Method = m.Revealed(penalties)
		compare(t, &known, s, 1, size, map[int]told{1: said[1][1], 3: said[3][1], 5: said[5][1]})
		if eta, theta := hidden.Hides(); !eta || !theta {
			t.Errorf("%s: what was hidden has become known", method)
		}
	}
}

// Margins of FDML carry noise where its deviation is positive.
func TestFDML_Noise(t *testing.T) {
	w := worlds(t)["two nodes"]
	for sigma, noisy := range map[float64]bool{0: false, 0.5: true} {
		p := w.public(t, "fdml-sgd", 1, map[string]any{"sigma": sigma})
		if p.Method.Noisy() != noisy {
			t.Errorf("σ = %v: noisy is %v", sigma, p.Method.Noisy())
		}
		all, unseen := model.Gradients(p, &script{}, 0, 0)
		if all != nil || len(unseen) != 1 || !strings.Contains(unseen[0].Error(), "fdml-sgd do not tell gradients") {
			t.Errorf("%+v, %q", all, unseen)
		}
		if eta, theta := p.Hides(); eta || theta {
			t.Error("it has no dual whose parameters could be hidden")
		}
	}
}

// The tolerance of the nodes' solves is the solver's own where a run has none.
func TestRun_SolverTolerance(t *testing.T) {
	if got := (&model.Run{Tolerance: 1e-6}).SolverTolerance(); got != 1e-6 {
		t.Errorf("1e-6 is %v", got)
	}
	if got := (&model.Run{}).SolverTolerance(); !(got > 0 && got < 1e-6) {
		t.Errorf("without one it is %v", got)
	}
}
