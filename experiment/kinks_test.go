// Runs whose objectives have kinks: an elastic net, a box, a ball.

package experiment_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"overhear/experiment"
	"overhear/record"
)

// optima are of wdbc's first 560 rows over ten nodes. They were computed with scipy 1.10.1 and numpy
// from the file: L-BFGS-B on the positive and the negative parts of the components, then Newton's
// method on the free ones, the KKT conditions checked to 1e-11, a ball's multiplier by Brent's method.
var optima = []struct {
	set   []string
	value float64
	point []float64
}{
	{[]string{"problem.share=per-node", "problem.rho=0.02", "problem.l1=0.01"}, 6.46837657784247, []float64{
		0, 0, 0, 0, 0.105412987744, 0, -0.300216527856, -0.434216699691, 0.125555939095, 0.471624939251, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, -0.0519503665133, 0, 0, -0.1291635501, -0.491150332206, 0, 0, 0.97920551302,
	}},
	{[]string{"problem.rho=0.2", "problem.set={kind: box, lower: -0.3, upper: 0.5}"}, 6.01711089953386, []float64{
		-0.108842658675, 0.213596626382, -0.160872863617, -0.3, 0.476390860816, -0.3, -0.3, -0.3, 0.495388542579,
		0.5, -0.269892289288, 0.297292352648, -0.247062775597, -0.272272120127, 0.322551644356, -0.0662598073744,
		-0.0524447627283, -0.112236120538, 0.329682895169, 0.103484560628, -0.288559347379, 0.139214554992, -0.3,
		-0.3, 0.35713008364, -0.3, -0.3, -0.3, 0.206014978882, 0.268753911212, 0.5,
	}},
	{[]string{"problem.rho=0.2", "problem.set={kind: ball, radius: 1.5}"}, 5.97421709797911, []float64{
		-0.0304784112062, 0.14452319506, -0.05868307652, -0.240201624904, 0.294292894789, -0.170852687975,
		-0.406338408851, -0.474932495581, 0.304227835552, 0.480341407634, -0.135692715742, 0.176111183087,
		-0.1241289686, -0.141487306872, 0.189357366667, -0.0206054631344, -0.0213961526833, -0.0433322360483,
		0.194338892613, 0.0652130774728, -0.128560833948, 0.107961431421, -0.146296769593, -0.278185704567,
		0.232684458765, -0.205913648485, -0.320204526489, -0.505677929074, 0.140345686876, 0.171623695833,
		0.735452705321,
	}},
	{[]string{"problem.rho=0.2", "problem.l1=0.1", "problem.set={kind: ball, radius: 1}"}, 6.48453445423417, []float64{
		0, 0, 0, 0, 0.133946932029, 0, -0.196711883905, -0.282599979029, 0.14893311756, 0.386609221649, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 0, 0, 0, -0.0235436209704, 0.0561432880012, 0, -0.0796566931085, -0.307845470219, 0, 0,
		0.766179971707,
	}},
}

func kinked(t *testing.T, sets ...string) *experiment.Experiment {
	t.Helper()
	return shipped(t, "quickstart.yaml", append([]string{"problem.train=560", "problem.order=file",
		"record.messages=none"}, sets...)...)
}

func TestKinks_TheOptimumIsScipys(t *testing.T) {
	for _, c := range optima {
		info := measured(t, kinked(t, append(c.set, "algorithm={kind: centralised}", "rounds.count=1")...))
		if got := float64(info.Reference.Objective); !(math.Abs(got-c.value) <= 1e-10*c.value) {
			t.Errorf("%v: the objective is %.15g at the optimum, and scipy's %.15g", c.set, got, c.value)
		}
		for k, want := range c.point {
			if got := info.Reference.Point[k]; !(math.Abs(got-want) <= 1e-8) || (want == 0) != (got == 0) {
				t.Errorf("%v: component %d of the optimum is %v, and scipy's %v", c.set, k, got, want)
			}
		}
		if !(info.Final.Distance == 0) || !(math.Abs(float64(info.Final.Objective)-c.value) <= 1e-10*c.value) {
			t.Errorf("%v: the centralised classifier is %v from the optimum, at %v", c.set, info.Final.Distance,
				info.Final.Objective)
		}
	}
}

// Every method that takes kinks comes to that optimum without noise, and its solves have the
// certificate that smooth ones have.
func TestKinks_MethodsComeToTheOptimum(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long under the race detector, and other tests run the same code")
	}
	for _, c := range optima {
		for _, algorithm := range []string{
			"{kind: admm, eta: 0.02}", "{kind: m-admm, eta: 0.02}", "{kind: edge-admm, eta: 0.04}",
			"{kind: proximal-admm, eta: 0.02, noise: off}", "{kind: pvp, eta: 0.02, noise: off}",
			"{kind: dvp, eta: 0.02, noise: off}", "{kind: penalty-perturbation, eta: 0.02, noise: off}",
			"{kind: pdml, eta: 0.02, noise: off, labels: \"true\"}",
		} {
			info := measured(t, kinked(t, append(c.set, "algorithm="+algorithm, "rounds.count=400")...))
			if !(info.Final.Distance <= 1e-6) || !(info.Residual.Max <= 1e-10) ||
				!(math.Abs(float64(info.Final.Objective)-c.value) <= 1e-5*c.value) {
				t.Errorf("%v, %s: distance %v, objective %v, residual %v", c.set, algorithm, info.Final.Distance,
					info.Final.Objective, info.Residual.Max)
			}
		}
	}
}

// What a method cannot do with kinks it refuses, and what its paper does not prove with them is not
// claimed; noise on a minimiser, and labels that users flip, claim what they do without.
func TestKinks_RefusalsAndClaims(t *testing.T) {
	for algorithm, want := range map[string]string{
		"dgd": "steps follow gradients", "private-dgd": "steps follow gradients",
		"r-admm": "RA19 Assumption 1", "mr-admm": "RA19 Assumption 1",
		"private-r-admm": "RA19 Assumption 1", "private-mr-admm": "RA19 Assumption 1",
	} {
		_, _, err := kinked(t, "problem.l1=0.1", "algorithm={kind: "+algorithm+"}").Measure(context.Background(), 1, 2)
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "with problem.l1 it has kinks; take another") {
			t.Errorf("%s: %v", algorithm, err)
		}
	}
	for _, c := range []struct{ algorithm, condition string }{
		{"dvp", "ZZ16 Assumption 2"}, {"penalty-perturbation", "ZKL18 Assumption 5"},
		{"pvp", record.ConditionHolds}, {"proximal-admm", record.ConditionHolds}, {"pdml", record.ConditionHolds},
	} {
		for _, sets := range [][]string{{"problem.l1=0.1"}, {"problem.set={kind: box, lower: -1}"},
			{"problem.set={kind: ball}"}} {
			info := measured(t, kinked(t, append(sets, "rounds.count=3",
				"algorithm={kind: "+c.algorithm+", eta: 0.5}")...))
			if p := info.Privacy; p == nil || !strings.Contains(p.Condition, c.condition) {
				t.Errorf("%s with %v: %+v", c.algorithm, sets, p)
				continue
			}
			for _, claim := range info.Privacy.Claims {
				if claim.Established != (c.condition == record.ConditionHolds) {
					t.Errorf("%s with %v: %+v", c.algorithm, sets, claim)
				}
			}
		}
	}
	_, _, err := kinked(t, "problem.l1=0.1", "privacy.epsilon=1", "algorithm={kind: dvp, eta: 0.5}").Measure(
		context.Background(), 1, 2)
	if err == nil || !strings.Contains(err.Error(), "no target can be met") {
		t.Errorf("a target for what is not established: %v", err)
	}
}

// SH19's theorem is stated for steps on a closed convex set, which a ball is, and for regularisers that
// are twice differentiable; what its proof misses on the boundary is said.
func TestKinks_ClaimsOverSplitColumns(t *testing.T) {
	one := []string{"problem.columns=[31]", "problem.scale.rows=unit", "network.topology={kind: star, nodes: 2}",
		"algorithm={kind: private-admm-sharing, eta: 1, bound: 100, noise: ambient, sigma: 0.01}", "rounds.count=3"}
	for set, want := range map[string]string{
		"problem.set={kind: ball, radius: 0.5}": record.ClaimedNotProved, "problem.l1=0.01": "twice differentiable",
		"problem.group=0.01": "twice differentiable",
	} {
		info := measured(t, kinked(t, append(one, set)...))
		boundary := slices.ContainsFunc(info.Warnings, func(w string) bool {
			return strings.Contains(w, "on the boundary")
		})
		if p := info.Privacy; p == nil || !strings.Contains(p.Condition, want) ||
			boundary != strings.Contains(set, "ball") {
			t.Errorf("%s: %+v, warnings %q", set, p, info.Warnings)
		}
	}
	_, _, err := kinked(t, "problem.columns=[16, 15]", "problem.group=0.1", "network.topology={kind: star, nodes: 3}",
		"algorithm={kind: fdml-sgd}").Measure(context.Background(), 1, 2)
	if err == nil || !strings.Contains(err.Error(), "steps follow gradients") {
		t.Errorf("fdml-sgd: %v", err)
	}
}

// Repeats and numbers of workers have the same bits.
func TestKinks_RepeatsHaveTheSameBits(t *testing.T) {
	for _, sets := range [][]string{{"problem.l1=0.1"}, {"problem.l1=0.1", "problem.set={kind: ball, radius: 1}"}} {
		var digests []string
		for _, workers := range []int{1, 2, 2} {
			info, _, err := kinked(t, append(sets, "rounds.count=20", "network.loss=0.1")...).Measure(
				context.Background(), 1, workers)
			if err != nil {
				t.Fatal(err)
			}
			digests = append(digests, info.Digest)
		}
		if digests[0] != digests[1] || digests[0] != digests[2] {
			t.Errorf("%v: %v", sets, digests)
		}
	}
}

// optimaOfColumns are of the same rows, whose columns three parties hold, with the mean of the losses.
// They were computed as those above; norms were smoothed by less and less, and Newton's method went on
// from there with the parties left that are not zero.
var optimaOfColumns = []struct {
	set   []string
	value float64
	point []float64
}{
	{[]string{"problem.group=0.03"}, 0.659302967817063, []float64{
		0.0109014877186, 0.108424616657, -0.00527562966454, -0.116358473387, 0.19355194557, -0.0767543442948,
		-0.209632929674, -0.244111818469, 0.19966402006, 0.296750239132, -0.0650800403656, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0.119048376683, -0.0729661573048, -0.182648234306, 0.211491054437, -0.129326657019, -0.212675248878,
		-0.330921095822, 0.134141949729, 0.152015389031, 0.595653050877,
	}},
	{[]string{"problem.l1=0.005", "problem.group=0.02"}, 0.662395971977556, []float64{
		0, 0.0542521247973, 0, -0.0567049270475, 0.153304469406, -0.0103784133886, -0.166135913181, -0.205797368949,
		0.160618427239, 0.27380672943, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0.0484984176493, 0, -0.118011055102,
		0.163965523261, -0.0508524788121, -0.155756638157, -0.301712023076, 0.0652286905087, 0.086413239831,
		0.648785955344,
	}},
	{[]string{"problem.set={kind: box, lower: -0.3, upper: 0.5}"}, 0.601711089953386, []float64{
		-0.108842658675, 0.213596626382, -0.160872863617, -0.3, 0.476390860816, -0.3, -0.3, -0.3, 0.495388542579,
		0.5, -0.269892289288, 0.297292352648, -0.247062775597, -0.272272120127, 0.322551644356, -0.0662598073744,
		-0.0524447627283, -0.112236120538, 0.329682895169, 0.103484560628, -0.288559347379, 0.139214554992, -0.3,
		-0.3, 0.35713008364, -0.3, -0.3, -0.3, 0.206014978882, 0.268753911212, 0.5,
	}},
	{[]string{"problem.set={kind: ball, radius: 0.8}"}, 0.605570797811971, []float64{
		-0.00775128660919, 0.133796872772, -0.031397273308, -0.18651875357, 0.257786877007, -0.132330746228,
		-0.327166618741, -0.380562686455, 0.266003486778, 0.410350593987, -0.106237282204, 0.353524727966,
		-0.231422548283, -0.268162935135, 0.377944508648, -0.0353878347682, -0.0403635451704, -0.0740285626525,
		0.389665448551, 0.129534187484, -0.211128132703, 0.0939817965002, -0.0932001179849, -0.195406281124,
		0.186129973127, -0.144171897179, -0.22819043967, -0.357195000867, 0.114745977188, 0.135550473163,
		0.563620374847,
	}},
}

// The optimum over split columns, of all parties and of the first alone, is scipy's; ADMM sharing
// comes to it, with solves as exact as without kinks, and parties that scipy leaves out have zeros.
func TestKinks_OverSplitColumns(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes long under the race detector, and by one goroutine")
	}
	columns := []string{"problem.columns=[11, 10, 10]", "problem.rho=0.02", "network.topology={kind: star, nodes: 4}"}
	for _, c := range optimaOfColumns {
		for _, algorithm := range []string{"{kind: admm-sharing, eta: 0.01, form: averaged}",
			"{kind: centralised}"} {
			info := measured(t, kinked(t, append(append(c.set, columns...), "algorithm="+algorithm,
				"rounds.count=800")...))
			if got := float64(info.Reference.Objective); !(math.Abs(got-c.value) <= 1e-10*c.value) {
				t.Errorf("%v: the objective is %.15g at the optimum, and scipy's %.15g", c.set, got, c.value)
			}
			for k, want := range c.point {
				if got := info.Reference.Point[k]; !(math.Abs(got-want) <= 1e-8) || (want == 0) != (got == 0) {
					t.Errorf("%v: component %d of the optimum is %v, and scipy's %v", c.set, k, got, want)
				}
			}
			z := info.Zeros
			if strings.Contains(c.set[0], "problem.set") != (z == nil) {
				t.Errorf("%v: zeros %+v", c.set, z)
			}
			if z != nil {
				want := []int{0, 0, 0}
				for k, v := range c.point {
					if v == 0 {
						want[max(0, k-1)/10]++
					}
				}
				if !slices.Equal(z.Of, []int{11, 10, 10}) || !slices.Equal(z.Components, want) ||
					!slices.Equal(z.Optimum, want) || !slices.Equal(z.Parties, []int{2}) ||
					!slices.Equal(z.AtOptimum, []int{2}) {
					t.Errorf("%v, %s: %+v, want %v", c.set, algorithm, z, want)
				}
			}
			exact := info.Residual.Max <= 1e-10 || algorithm == "{kind: centralised}" // which solves nothing in a round
			if !(info.Final.Distance <= 1e-6) || !exact ||
				!(math.Abs(float64(info.Final.Objective)-c.value) <= 1e-5*c.value) {
				t.Errorf("%v, %s: distance %v, objective %v, residual %v", c.set, algorithm, info.Final.Distance,
					info.Final.Objective, info.Residual.Max)
			}
		}
	}
}

// Where rows are split, every node has zeros of its own, and the optimum its.
func TestZeros_OfNodes(t *testing.T) {
	info := measured(t, kinked(t, "problem.l1=0.1", "problem.rho=0.2", "rounds.count=60"))
	z, want := info.Zeros, 0
	for _, v := range info.Reference.Point {
		if v == 0 {
			want++
		}
	}
	if want == 0 || !slices.Equal(z.Optimum, []int{want}) || len(z.Components) != info.Nodes || z.Parties != nil ||
		z.Of[0] != len(info.Reference.Point) || slices.Max(z.Components) == 0 {
		t.Errorf("%+v, %d zeros at the optimum", z, want)
	}
}
