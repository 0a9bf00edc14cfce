// The figures of the site: which data and sizes make them quick, and what readers may change.

package engine

import (
	"fmt"

	"overhear/reproduce"
	_ "overhear/reproduce/networks" // registers the studies
)

// Kinds of parameters.
const (
	decimal = "number"
	integer = "integer"
	choice  = "choice"
)

// logarithmic is a number whose slider goes by factors.
func logarithmic(key, label, about string, low, high, usual float64) Parameter {
	return Parameter{Key: key, Label: label, About: about, Kind: decimal, Min: low, Max: high, Scale: "log",
		Default: usual}
}

// linear is a number whose slider goes by steps.
func linear(key, label, about string, low, high, step, usual float64) Parameter {
	return Parameter{Key: key, Label: label, About: about, Kind: decimal, Min: low, Max: high, Step: step,
		Scale: "linear", Default: usual}
}

// whole is a whole number.
func whole(key, label, about string, low, high, usual float64) Parameter {
	p := linear(key, label, about, low, high, 1, usual)
	p.Kind = integer
	return p
}

// even is an even number.
func even(key, label, about string, low, high, usual float64) Parameter {
	p := whole(key, label, about, low, high, usual)
	p.Step = 2
	return p
}

// oneOf is a choice; the first value is the usual one.
func oneOf(key, label, about string, values ...Value) Parameter {
	return Parameter{Key: key, Label: label, About: about, Kind: choice, Values: values, Default: values[0].Value}
}

// The parameters that many figures have.

func eta(low, high, usual float64) Parameter {
	return logarithmic("algorithm.eta", "η", "penalty on disagreement between neighbours", low, high, usual)
}

func ridge(low, high, usual float64) Parameter { return ridgeAs("ρ", low, high, usual) }

// ridgeAs is ridge where a paper has another letter for it.
func ridgeAs(letter string, low, high, usual float64) Parameter {
	return logarithmic("problem.rho", letter, "weight of the ridge", low, high, usual)
}

func fit(low, high, usual float64) Parameter {
	return logarithmic("problem.C", "C", "weight of the data's loss; noise is in units of it", low, high, usual)
}

func start(usual float64) Parameter {
	return logarithmic("algorithm.init.normal", "σ₀", "standard deviation of where nodes start", 0.01, 1, usual)
}

var lost = linear("network.loss", "loss of packets", "share of packets that the network loses; nodes of a round that "+
	"wait for each other ask again", 0, 0.5, 0.05, 0)

const chord = "{nodes: 5, edges: [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [0, 2]]}"

var fiveGraphs = []Value{
	{chord, "ring and chord"}, {"{kind: ring, nodes: 5}", "ring"}, {"{kind: path, nodes: 5}", "path"},
	{"{kind: star, nodes: 5}", "star"}, {"{kind: complete, nodes: 5}", "complete"},
}

// five is the graph of five nodes; the first one is usual.
func five(usual ...Value) Parameter {
	return oneOf("network.topology", "graph", "who is whose neighbour", append(usual, fiveGraphs...)...)
}

var random = Value{"{kind: erdos-renyi, nodes: 5, probability: 0.6}", "random, 0.6"}

const threeChords = "{nodes: 10, edges: [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 6], [6, 7], [7, 8], [8, 9], " +
	"[9, 0], [0, 5], [2, 7], [3, 8]]}"

var ten = oneOf("network.topology", "graph", "which servers talk to which", Value{threeChords, "ring, three chords"},
	Value{"{kind: ring, nodes: 10}", "ring"}, Value{"{kind: path, nodes: 10}", "path"},
	Value{"{kind: complete, nodes: 10}", "complete"})

var graphs = oneOf("network.topology", "graph", "who is whose neighbour",
	Value{"{kind: watts-strogatz, nodes: 10, nearest: 4, rewire: 0.2}", "small world"},
	Value{"{kind: ring, nodes: 10}", "ring"}, Value{"{kind: path, nodes: 10}", "path"},
	Value{"{kind: star, nodes: 10}", "star"}, Value{"{kind: complete, nodes: 10}", "complete"})

// computedOn is what a figure is computed on, in few words and in full.
type computedOn struct{ brief, text string }

func onTumours(text string) computedOn { return computedOn{"Breast Cancer Wisconsin", text} }

func onGenerated(text string) computedOn { return computedOn{"generated data", text} }

const notAdult = "The paper's data set is Adult, which is not here. "

// What figures are computed on.
var (
	wdbcTen = onTumours("Computed on Breast Cancer Wisconsin (569 tumours, 30 columns), 455 rows for training over " +
		"ten hospitals. One seed.")
	wdbcFive = onTumours(notAdult + "Computed on Breast Cancer Wisconsin (569 tumours, 30 columns), 455 rows for " +
		"training, 91 at each of five nodes; C is 20 in place of 1750, about the same share of a node's rows. One " +
		"seed in place of ten.")
	twonormFive = onGenerated(notAdult + "Computed on the generated set twonorm with ten columns, 200 rows at each " +
		"of five nodes; C is 39 in place of 1750, the same share of a node's rows. Two seeds in place of ten.")
)

func paper(name string) *reproduce.Figure {
	f, ok := reproduce.FindFigure(name)
	if !ok {
		panic(fmt.Sprintf("engine: no figure is called %s", name))
	}
	return f
}

func study(name string) *reproduce.Study {
	s, ok := reproduce.FindStudy(name)
	if !ok {
		panic(fmt.Sprintf("engine: no study is called %s", name))
	}
	return s
}

var (
	wdbc    = []string{"problem.data=wdbc", "problem.train=455", "problem.C=20"}
	twonorm = []string{"problem.data={set: twonorm, rows: 1400, dimension: 10}", "problem.train=1000", "problem.C=39"}
	dvp     = []string{"problem.data={set: twonorm, rows: 1400, dimension: 10}", "problem.train=1000",
		"problem.C=87.5", "network.topology.nodes=10"}
	parties = []string{"problem.data={set: twonorm, rows: 2000, dimension: 20}", "problem.train=1500",
		"problem.columns=[12, 8]"}
	users = []string{"problem.data={set: twonorm, rows: 2800, dimension: 10}", "problem.train=2000"}
)

var (
	dvpData = onGenerated(notAdult + "Computed on the generated set twonorm with ten columns, 100 rows at each of " +
		"ten nodes in place of 2,000 at each of twenty; C is 87.5 in place of 1750, the same share of a " +
		"node's rows. One seed.")
	partyData = onGenerated("The paper's data set is a9a, 32,561 rows of 123 columns, which is not here. Computed on " +
		"the generated set twonorm, 1,500 rows for training, 12 columns at one party and 8 at the other. An epoch of " +
		"the axis is 33 batches of 1,000 rows, as in the paper, which here pass over the rows 22 times.")
	userData = onGenerated(notAdult + "Computed on the generated set twonorm with ten columns, 200 users at each of " +
		"ten servers in place of 4,500. Two seeds in place of more.")
)

// figures are those of the site.
var figures []living

func init() {
	degree := whole("network.topology.degree", "degree", "neighbours of a node, in a random regular graph", 2, 6, 4)
	labels := []Parameter{
		logarithmic("algorithm.epsilon", "ε", "budget of the flips of labels, of curves that do not say theirs", 0.1,
			4, 1),
		logarithmic("algorithm.eta", "β", "penalty on disagreement between neighbours", 0.005, 0.2, 0.02),
		ridge(0.01, 3, 1), ten, lost,
	}
	figures = []living{
		{figure: hospitals(), seeds: 1, data: wdbcTen, parameters: []Parameter{
			logarithmic("algorithm.eta", "η", "penalty of ADMM on disagreement between neighbours", 1e-4, 1, 0.003),
			graphs, ridge(2e-4, 2, 0.02), lost}},
		{figure: budgets(), seeds: 3, data: onGenerated("Computed on the generated set twonorm with five columns, " +
			"100 rows at each of five nodes. Three seeds."), parameters: []Parameter{
			logarithmic("algorithm.alpha", "α", "budget of each node and round; less is more noise", 0.02, 20, 0.2),
			eta(0.05, 5, 0.5), five(), lost}},
		{figure: unreliable(), seeds: 1, set: []string{"rounds.count=300"},
			data: onTumours("Computed on Breast Cancer Wisconsin (569 tumours, 30 columns), 455 rows for training " +
				"over twelve hospitals, 300 rounds. One seed."),
			parameters: []Parameter{
				linear("network.loss", "loss of packets", "share of packets that the network loses", 0, 0.6, 0.05, 0.3),
				linear("rounds.quorum", "quorum", "share of its neighbours that a node waits for", 0.1, 1, 0.1, 0.5),
				even("network.topology.nearest", "neighbours", "of a node in the ring that the small world is made of",
					2, 10, 4)}},
		{study: study("networks/edge-admm"), tasks: 30,
			data: onTumours("Computed as the study is, on Breast Cancer Wisconsin (569 tumours, 30 columns), 455 " +
				"rows for training over twelve hospitals, five methods at six shares of lost packets, 500 " +
				"rounds each."),
			parameters: []Parameter{
				linear("rounds.quorum", "quorum", "share of its neighbours that a node waits for", 0.1, 1, 0.1, 0.5),
				even("network.topology.nearest", "neighbours", "of a node in the ring that the small world is made of",
					2, 10, 4),
				ridge(0.02, 2, 0.22)}},
		{figure: paper("zkl18-fig1"), set: twonorm, seeds: 2, data: twonormFive,
			parameters: []Parameter{five(), ridge(0.02, 2, 0.22), fit(5, 200, 39), start(0.1), lost}},
		{figure: paper("zkl18-fig2"), set: twonorm, seeds: 2, data: twonormFive,
			parameters: []Parameter{five(), ridge(0.02, 2, 0.22), fit(5, 200, 39), start(0.1), lost}},
		{figure: paper("zkl18-fig3"), seeds: 1,
			set: []string{"problem.data={set: twonorm, rows: 1400, dimension: 5}", "problem.train=1000",
				"problem.C=2.2"},
			data: onGenerated(notAdult + "Computed on the generated set twonorm with five columns, 1,000 rows over " +
				"all nodes in place of 45,222; C is 2.2 in place of 100, the same share of a node's rows. One " +
				"seed in place of ten."),
			parameters: []Parameter{degree, ridge(0.02, 2, 0.22), fit(0.5, 10, 2.2), start(0.1), lost}},
		{figure: paper("zz16-fig2"), set: dvp, seeds: 1, data: dvpData,
			parameters: []Parameter{eta(0.5, 50, 5), degree, start(0.1), lost}},
		{figure: paper("zz16-fig3"), set: dvp, seeds: 1, data: dvpData,
			parameters: []Parameter{degree, fit(10, 100, 87.5), start(0.1), lost}},
		{figure: paper("ra19-fig1"), set: wdbc, seeds: 1, data: wdbcFive,
			parameters: []Parameter{five(random), ridge(0.02, 2, 0.22), fit(2, 91, 20), lost}},
		{figure: paper("ra19-fig2"), set: wdbc, seeds: 1, data: wdbcFive,
			parameters: []Parameter{eta(0.05, 5, 0.5), five(random), fit(2, 91, 20), lost}},
		{figure: paper("ra19-fig3"), set: wdbc, seeds: 1, data: wdbcFive,
			parameters: []Parameter{five(random), ridge(0.02, 2, 0.22), fit(2, 91, 20), lost}},
		{figure: paper("ra19-fig4"), set: wdbc, seeds: 1, data: wdbcFive,
			parameters: []Parameter{five(random), ridge(0.02, 2, 0.22), fit(2, 91, 20), lost}},
		{figure: paper("ra19-fig5"), set: wdbc, seeds: 1, data: wdbcFive,
			parameters: []Parameter{five(), ridge(0.02, 2, 0.22), fit(2, 30, 20), lost}},
		{figure: paper("sh19-fig1"), title: "ADMM sharing and SGD, two parties", set: parties, seeds: 1,
			data:       partyData,
			parameters: []Parameter{ridgeAs("λ", 0.1, 30, 1), lost}},
		{figure: paper("sh19-fig2"), title: "ADMM sharing and SGD, three parties", seeds: 1,
			set: []string{"problem.data={set: twonorm, rows: 800, dimension: 100}", "problem.train=600",
				"problem.columns=[40, 40, 20]"},
			data: onGenerated("The paper's data set has 6,000 rows of 5,000 dense columns, which take too long here. " +
				"Computed on the generated set twonorm, 600 rows for training, 40, 40 and 20 columns at three " +
				"parties. An epoch of the axis is 30 batches, which here pass over the rows ten times."),
			parameters: []Parameter{ridgeAs("λ", 0.1, 30, 1), lost}},
		{figure: paper("sh19-fig3"), set: parties, seeds: 1, data: partyData,
			parameters: []Parameter{ridgeAs("λ", 0.1, 30, 1), lost}},
		{figure: paper("pdml-fig3"), set: users, seeds: 2, data: userData, parameters: labels},
		{figure: paper("pdml-fig4"), set: users, seeds: 2, data: userData, parameters: labels},
	}
}
