// Reports have every section that there is something for, figures with content
// and a text alternative, nothing to load, and the same bytes every time.

package attack

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"overhear/adversary/stats"
	"overhear/record"
)

var nan = record.Number(math.NaN())

// exampleNetwork has n nodes: ring, star, or a ring with chords.
func exampleNetwork(kind string, n int, watched ...int) record.Placement {
	net := record.Placement{Nodes: n, Victim: n / 2, Watched: watched, Hops: make([]int, n)}
	switch kind {
	case "star":
		for k := 1; k < n; k++ {
			net.Edges = append(net.Edges, [2]int{0, k})
		}
	case "ring", "chords":
		for k := range n {
			net.Edges = append(net.Edges, [2]int{k, (k + 1) % n})
			if kind == "chords" && k%3 == 0 {
				net.Edges = append(net.Edges, [2]int{k, (7*k + 5) % n})
			}
		}
		net.Edges = slices.DeleteFunc(net.Edges, func(e [2]int) bool { return e[0] == e[1] })
	case "grid":
		side := int(math.Sqrt(float64(n)))
		for k := range n {
			if k%side < side-1 {
				net.Edges = append(net.Edges, [2]int{k, k + 1})
			}
			if k+side < n {
				net.Edges = append(net.Edges, [2]int{k, k + side})
			}
		}
	}
	for k := range net.Hops {
		net.Hops[k] = n
	}
	for _, w := range watched {
		net.Hops[w] = 0
	}
	for range n {
		for _, e := range net.Edges {
			net.Hops[e[0]], net.Hops[e[1]] = min(net.Hops[e[0]], net.Hops[e[1]]+1),
				min(net.Hops[e[1]], net.Hops[e[0]]+1)
		}
	}
	if len(watched) == 0 {
		clear(net.Hops)
	}
	return net
}

// exampleAttacks attacks every node of a network; noise makes it worse.
func exampleAttacks(name string, net record.Placement, noise float64, seed uint64) *record.Attacks {
	truth, falsehood := true, false
	a := &record.Attacks{
		Format: record.Format, Name: name, About: "Twelve hospitals train a classifier without pooling patients' " +
			"records.",
		Seed: seed, Algorithm: "dvp", Digest: strings.Repeat("5f0e9a", 10) + "77aa",
		Command:  fmt.Sprintf("simulate attack scenarios/%s.yaml --seed %d", name, seed),
		Scenario: "name: " + name + "\nalgorithm: {name: dvp, alpha: 1.5}\ngraph: {kind: random, nodes: 24}\n",
		Threat: record.Threat{Sees: "what nodes 3 and 17 receive and send", Knows: "all samples of the victim but " +
			"one, and the method's parameters", Wants: "the sample it does not know"},
		Sight: record.Sight{Packets: 1312, Of: 4800, Unseen: []string{"3488 packets between nodes that do not " +
			"collude", "the steps of the penalty, which each node keeps to itself"}},
		Placement: net,
		Rounds:    50,
		Claim:     "α-dynamic differential privacy of a row, for every node and round",
		Condition: "holds",
	}
	for t := range 50 {
		a.Claimed = append(a.Claimed, record.Number(0.03*float64(t+1)))
	}
	victims := []int{net.Victim}
	if len(net.Watched) > 0 {
		victims = nil
		for k := range net.Nodes {
			if k%4 != 3 || k == net.Victim {
				victims = append(victims, k)
			}
		}
	}
	for _, v := range victims {
		hops := float64(net.Hops[v])
		exact := record.Finding{
			Attack: "kkt", Title: "Optimality condition, solved", Equation: "r = (B/C)(a + ηb); u = k r, k = 1 + " +
				"exp(k f·r)",
			Victim: v, Succeeded: record.Exact, Conclusion: "The sample was found to rounding from two rounds; its " +
				"label with it.",
		}
		span := record.Finding{
			Attack: "span", Title: "Row space of differences", Equation: "span{∇(t) − ∇(s)} = span{x_n}",
			Victim: v, Succeeded: record.Partial, Conclusion: "The sample's direction was found within a tenth; 31 " +
				"of 34 one-hot groups are right.",
			Unseen: []string{"round 1: the value of node 9", "round 2: the value of node 9",
				"round 3: the value of node 9", "round 4: the value of node 9", "round 5: the value of node 9"},
		}
		if hops > 3 {
			exact.Succeeded, exact.Conclusion = record.Blocked, "No packet about the victim's value was seen."
			a.Findings = append(a.Findings, exact)
			continue
		}
		for t := 1; t <= 50; t += 3 {
			error := math.Min(1.4, (1e-11+noise)*math.Pow(1000, hops)*math.Exp(-0.12*float64(t))+1e-12*float64(v))
			wide := math.Min(1.3, 0.9*math.Exp(-0.05*float64(t))*(1+0.2*hops)+noise)
			exact.Estimates = append(exact.Estimates, record.Estimate{Rounds: t,
				X: []float64{0.25, 0, -0.5, 0, 1, 0.125, 0.75}, Y: 1, Residual: 1e-9,
				Score: &record.Score{Relative: record.Number(error), Cosine: record.Number(1 - error/2), Label: &truth,
					OneHot: 34, OneHotOf: 34, Rank: 1, Candidates: 50}})
			span.Estimates = append(span.Estimates, record.Estimate{Rounds: t, X: []float64{0.2, 0, -0.4},
				Residual: nan,
				Score: &record.Score{Relative: record.Number(wide), Cosine: record.Number(math.Max(0, 1-wide)),
					OneHot: 31, OneHotOf: 34}})
		}
		if last := relative(&exact.Estimates[16]); last > 1e-6 {
			exact.Succeeded, exact.Conclusion = record.Partial, "The sample was found but for the noise that "+
				"reached the observer."
		}
		a.Findings = append(a.Findings, exact, span)
	}
	a.Findings = append(a.Findings,
		record.Finding{Attack: "members", Title: "Membership by distance to the row space", Victim: net.Victim,
			Succeeded: record.Exact, Conclusion: "All 3 members were told from 20 others.",
			Members: func() (all []record.Membership) {
				for k := range 23 {
					is := k%8 == 0
					m := record.Membership{Candidate: k, Score: record.Number(0.5 + 0.01*float64(k)), Truth: &falsehood,
						Open: k == 1}
					if is {
						m = record.Membership{Candidate: k, Score: record.Number(2e-11 * float64(k+1)), Member: true,
							Truth: &truth}
					}
					all = append(all, m)
				}
				return all
			}()},
		record.Finding{Attack: "labels", Title: "Best guess of labels", Victim: net.Victim, Succeeded: record.Partial,
			Conclusion: "71 % of labels were guessed.",
			Labels: func() (all []record.LabelGuess) {
				for k := range 40 {
					g := record.LabelGuess{User: k, Guess: 1, Confidence: 0.73, Truth: 1}
					if k%4 == 3 {
						g.Truth = -1
					}
					all = append(all, g)
				}
				return all
			}(),
			Checks: []record.Check{{Kind: record.ReportAccuracy, Measured: 0.725,
				Bound: 0.7311, Holds: true}}},
		record.Finding{Attack: "dual", Title: "Duals from public values", Victim: net.Victim,
			Succeeded: record.Unscored, Conclusion: "The dual of node 4 follows from packets that do not carry it.",
			Facts: []record.Fact{{Kind: record.NeighbourSum, Node: 4, Round: 12,
				Values: []float64{0.1, -2e-7, 3, 4, 5, 6, 7}, Relative: 3e-15}}},
	)
	return a
}

func phi(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }

// probit inverts phi by bisection.
func probit(p float64) float64 {
	low, high := -9.0, 9.0
	for range 80 {
		if middle := (low + high) / 2; phi(middle) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// exampleAudit tells worlds apart whose ratios are normal, μ apart.
func exampleAudit(name string, mu, claimed float64) *record.Audit {
	const runs = 4000
	a := &record.Audit{
		Format: record.Format, Name: name, About: "Is the noise of Algorithm 2 enough for what is claimed?", Seed: 7,
		Runs: runs, Rounds: 30, Algorithm: "dvp",
		Digest: strings.Repeat("c0ffee", 10) + "0123", Command: "simulate audit scenarios/" + name +
			".yaml --runs 4000",
		Scenario: "name: " + name + "\nalgorithm: {name: dvp}\n",
		Threat: record.Threat{Sees: "every packet that arrives", Knows: "everything but one sample",
			Wants: "which of two samples it is"},
		Statistic: "exact log-likelihood ratio of all rounds", Claim: "α-dynamic differential privacy, α = 0.05 a " +
			"round", Condition: "holds",
		Pair: record.Pair{Node: 2, Row: 17, Unit: "a row of a node", What: "row 17 is replaced by its opposite",
			A: []float64{0.7, 0, 0.1, 0.7}, B: []float64{-0.7, 0, -0.1, -0.7},
			Search: []record.Proposed{{What: "opposite of the longest row", Loss: 0.91},
				{What: "rows far apart in the data", Loss: 0.55}, {What: "a unit vector and its opposite",
					Loss: 0.87}}},
		Verdicts: []record.Verdict{
			{Claim: "ε of each round", Scope: "round", Node: 2, Epsilon: 0.05, Delta: 0, Measured: 0.041,
				Method: "largest exact ratio of all runs", Verdict: record.Consistent,
				Reason: "no ratio of any round exceeds the claim"},
			{Claim: "ε of the run, by composition", Scope: "run", Node: 2, Epsilon: record.Number(claimed), Delta: 1e-5,
				Measured: record.Number(0.8 * mu * mu), Method: "Clopper–Pearson, threshold fixed on half of the runs",
				Verdict: record.Consistent, Reason: "the bound is below the claim"},
			{Claim: "ε of the listing's calibration", Scope: "run", Node: 2, Epsilon: record.Number(claimed / 2),
				Delta: 0, Measured: record.Number(math.Inf(1)), Method: "exact ratio", Verdict: record.Violated,
				Reason: "a run of one world cannot occur in the other: the loss is unbounded"},
			{Claim: "ε with a <hidden> penalty | step", Scope: "run", Node: 5, Epsilon: nan, Delta: 0, Measured: 0.3,
				Method: "exact ratio", Verdict: record.NotEstablished, Reason: "the condition c₁ ≤ ρ fails & " +
					"nothing is claimed"},
		},
		Checks: []record.Check{
			{Kind: record.NoiseLaw, Measured: 0.011, Bound: 0.0215,
				Holds: true, Detail: "4000 draws"},
			{Kind: record.RoundsIndependent, Measured: 0.31, Bound: 0.05, Holds: false,
				Detail: "correlation of rounds 3 and 4"},
		},
		Power: record.Power{AUC: record.Number(phi(mu / math.Sqrt2)), Advantage: 0.38, TPR1: 0.09, TPR01: 0.012,
			TPR0: nan, Epsilon: record.Number(0.8 * mu * mu), Delta: 1e-5, Threshold: 0.41,
			Counts: [4]int{1400, 610, 1390, 600}, Confidence: 0.95},
		Wall: 12,
	}
	for t := 1; t <= a.Rounds; t++ {
		l := record.PrivacyLoss{Round: t, Claimed: 0.05, Largest: record.Number(0.035 + 0.012*math.Sin(float64(t))),
			Mean: record.Number(0.012 + 0.003*math.Cos(float64(t))), ClaimedTotal: record.Number(0.05 * float64(t))}
		l.LargestTotal, l.MeanTotal = record.Number(0.05*float64(t)*0.7), record.Number(0.05*math.Sqrt(float64(t)))
		if t > 25 {
			l.Claimed, l.ClaimedTotal = nan, nan
		}
		a.ByRound = append(a.ByRound, l)
	}
	for k := 0; k <= 200; k++ {
		fpr := float64(k) / 200
		if k < 20 {
			fpr = float64(k*k) / 4000
		}
		tpr := 1.0
		if fpr < 1 {
			tpr = phi(probit(math.Max(fpr, 1e-9)) + mu)
		}
		low, high := stats.ClopperPearson(int(tpr*runs), runs, stats.Confidence)
		a.ROC = append(a.ROC, record.ROC{FPR: fpr, TPR: float64(int(tpr*runs)) / runs, Low: low, High: high})
	}
	for w, sign := range []float64{1, -1} {
		a.Ratios[w].Mean = record.Number(sign * mu * mu / 2)
		for k := range 101 {
			p := math.Max(1e-4, math.Min(1-1e-4, float64(k)/100))
			a.Ratios[w].Quantiles = append(a.Ratios[w].Quantiles, record.Number(sign*mu*mu/2+mu*probit(p)))
		}
	}
	return a
}

// examples are evaluations of every kind.
func examples() map[string]*Evaluation {
	sweep := &Evaluation{Title: "How much noise stops the attack?", Axis: &Axis{Label: "noise σ"},
		Command: "simulate report sweep"}
	for _, noise := range []float64{0, 1e-4, 1e-3, 1e-2, 0.1, 1} {
		for seed := uint64(1); seed <= 2; seed++ {
			sweep.Attacks = append(sweep.Attacks, exampleAttacks("noise-sweep", exampleNetwork("star", 9),
				noise*float64(seed), seed))
			sweep.Axis.Values = append(sweep.Axis.Values, noise)
		}
	}
	return map[string]*Evaluation{
		"sample": {
			Title:   "Attacks on and audit of hospitals-dvp",
			Attacks: []*record.Attacks{exampleAttacks("hospitals-dvp", exampleNetwork("chords", 24, 3, 17), 1e-7, 1)},
			Audits:  []*record.Audit{exampleAudit("hospitals-dvp", 0.9, 1.5)},
			Command: "simulate report out/hospitals-dvp",
		},
		"sweep": sweep,
		"large": {Title: "A large network", Attacks: []*record.Attacks{
			exampleAttacks("large", exampleNetwork("chords", 200, 3, 117), 1e-7, 1),
			exampleAttacks("grid", exampleNetwork("grid", 64, 9), 1e-7, 1),
			exampleAttacks("ring", exampleNetwork("ring", 40, 9), 1e-7, 1)}},
		"audits": {Title: "Two audits", Audits: []*record.Audit{exampleAudit("weak", 3, 0.6),
			exampleAudit("strong", 0.2, 6)}},
	}
}

func write(t *testing.T, f func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var (
	svgs    = regexp.MustCompile(`(?s)<svg .*?</svg>`)
	numbers = regexp.MustCompile(`-?[0-9.]+`)
	loads   = regexp.MustCompile(`(?i)(src|srcset|poster|data|action)\s*=|href="[^#]|@import|url\(["']?[^#"')]|` +
		`https?://|<script|<iframe|<link|<object|\son[a-z]+=`)
)

// checkDrawing wants a title, a description and a shape in an SVG, numbers as
// coordinates, and a size.
func checkDrawing(t *testing.T, text string) {
	t.Helper()
	var title, desc, inside string
	shapes := 0
	d := xml.NewDecoder(strings.NewReader(text))
	depth := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			inside = token.Name.Local
			role := false
			for _, a := range token.Attr {
				role = role || a.Name.Local == "role" && a.Value == "img"
				switch a.Name.Local {
				case "d", "x", "y", "cx", "cy", "r", "transform", "viewBox":
					if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") ||
						!numbers.MatchString(a.Value) {
						t.Errorf("%s of %s is %q", a.Name.Local, inside, a.Value)
					}
				}
			}
			if inside == "svg" && !role {
				t.Error("a figure without role")
			}
			if inside == "path" || inside == "circle" {
				shapes++
			}
		case xml.EndElement:
			depth--
			inside = ""
		case xml.CharData:
			if depth == 2 && inside == "title" {
				title += string(token)
			}
			if depth == 2 && inside == "desc" {
				desc += string(token)
			}
		}
	}
	if len(title) < 3 || len(desc) < 20 || shapes < 5 {
		t.Errorf("title %q, description %q, %d shapes", title, desc, shapes)
	}
	if words := strings.ToLower(text); strings.Contains(words, "nan") && strings.Contains(words, ">nan<") {
		t.Errorf("NaN is written in %q", title)
	}
}

func TestEvaluation_PagesAreWholeAndLoadNothing(t *testing.T) {
	for name, e := range examples() {
		t.Run(name, func(t *testing.T) {
			page := write(t, e.HTML)
			if found := loads.FindString(page); found != "" {
				t.Errorf("the page loads or runs something: %q", found)
			}
			drawn := svgs.FindAllString(page, -1)
			if len(drawn) < 3 {
				t.Fatalf("%d figures", len(drawn))
			}
			for _, svg := range drawn {
				checkDrawing(t, svg)
			}
			ids := map[string]bool{}
			for _, m := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
				if ids[m[1]] {
					t.Errorf("two elements are called %s", m[1])
				}
				ids[m[1]] = true
			}
			for _, m := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
				if !ids[m[1]] {
					t.Errorf("a link to %s, which is not there", m[1])
				}
			}
			if n := strings.Count(page, "<section"); strings.Count(page, "<h2>") != n ||
				strings.Contains(page, "<tbody></tbody>") {
				t.Error("a section without a heading, or a table without rows")
			}
			if bad := regexp.MustCompile(`NaN|[+-]Inf|%!|&lt;nil`).FindString(page); bad != "" {
				t.Errorf("%q on the page", bad)
			}
			for kind, f := range map[string]func(io.Writer) error{"HTML": e.HTML, "Markdown": e.Markdown,
				"JSON": e.JSON} {
				first := write(t, f)
				for range 5 {
					if write(t, f) != first {
						t.Errorf("%s has other bytes the second time", kind)
					}
				}
			}
		})
	}
}

func TestEvaluation_SaysWhatWasFound(t *testing.T) {
	e := examples()["sample"]
	for kind, text := range map[string]string{"HTML": write(t, e.HTML), "Markdown": write(t, e.Markdown)} {
		for _, want := range []string{
			"✗ VIOLATED", "✓ CONSISTENT", "? NOT ESTABLISHED", "∞", "● exact", "⊘ blocked", "◐ partial",
			"everything but one sample",
			"1.5 (10⁻⁵)", "row 17 is replaced by its opposite", "Clopper–Pearson",
			"Reconstruction error against distance", "simulate report out/hospitals-dvp",
			"sum of neighbours", "3.00×10⁻¹⁵", "Of 3 members 3 were found, of 20 others 0 were taken " +
				"for one.", "round 5: the value of node 9", "1312", "27.3 %", "0.731",
			"area under the ROC curve", "opposite of the longest row", "ROC on logarithmic axes",
			map[string]string{"HTML": ">open</td>", "Markdown": "| open |"}[kind],
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q", kind, want)
			}
		}
		if strings.Contains(text, "<hidden>") {
			t.Errorf("%s has text as markup", kind)
		}
	}
	page := write(t, e.HTML)
	if v, h := strings.Index(page, "✗ VIOLATED"), strings.Index(page, "✓ CONSISTENT"); v > h ||
		v > strings.Index(page, "<svg") {
		t.Error("what failed does not come first")
	}
	if md := write(t, e.Markdown); !strings.Contains(md, `&lt;hidden&gt; penalty \| step`) {
		t.Error("a bar in a cell of a Markdown table is not escaped")
	}
}

// Every row of a Markdown table has as many cells as its head.
func TestEvaluation_MarkdownTables(t *testing.T) {
	for name, e := range examples() {
		cells := 0
		for l := range strings.Lines(write(t, e.Markdown)) {
			if !strings.HasPrefix(l, "|") {
				cells = 0
				continue
			}
			n := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|")
			if cells != 0 && n != cells {
				t.Errorf("%s: %d bars after %d: %s", name, n, cells, l)
			}
			cells = n
		}
	}
}

func TestEvaluation_LeavesOutWhatIsNotThere(t *testing.T) {
	a := &record.Audit{Name: "bare", Claim: "x", Condition: "holds",
		Verdicts: []record.Verdict{{Verdict: record.NotEstablished, Epsilon: nan, Delta: nan, Measured: nan}}}
	e := &Evaluation{Audits: []*record.Audit{a}}
	page := write(t, e.HTML)
	if strings.Contains(page, "<svg") {
		t.Error("a figure of nothing")
	}
	if got := strings.Count(page, "<section"); got != 3 {
		t.Errorf("%d sections of verdicts, subjects and reading", got)
	}
	bare := &record.Attacks{Name: "bare", Placement: record.Placement{Nodes: 3},
		Findings: []record.Finding{{Attack: "a", Victim: 1, Succeeded: record.Blocked}}}
	if page := write(t, (&Evaluation{Attacks: []*record.Attacks{bare}}).HTML); strings.Contains(page,
		"id=\"labels\"") || !strings.Contains(page, "id=\"network\"") {
		t.Error("a section of labels, or none of the network")
	}
	for _, bad := range []*Evaluation{
		{},
		{Attacks: []*record.Attacks{bare}, Axis: &Axis{}},
		{Attacks: []*record.Attacks{{Placement: record.Placement{Nodes: 1, Edges: [][2]int{{0, 1}}}}}},
	} {
		if bad.HTML(io.Discard) == nil || bad.JSON(io.Discard) == nil {
			t.Errorf("no error of %+v", bad)
		}
	}
}

func TestEvaluation_JSONHasEverything(t *testing.T) {
	e := examples()["sweep"]
	e.Audits = []*record.Audit{exampleAudit("one", 1, 1)}
	e.Axis.Values[0] = math.Inf(1)
	var back struct {
		Title   string
		Axis    struct{ Values []record.Number }
		Attacks []*record.Attacks
		Audits  []*record.Audit
	}
	text := write(t, e.JSON)
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	if back.Title != e.Title || len(back.Attacks) != 12 || len(back.Audits[0].ROC) != 201 ||
		float64(back.Axis.Values[2]) != e.Axis.Values[2] || !math.IsInf(float64(back.Axis.Values[0]), 1) ||
		len(back.Attacks[3].Findings) != len(e.Attacks[3].Findings) {
		t.Error("the evaluation does not come back")
	}
}

// What (ε, δ) allows: the two error rates of any test obey both inequalities with
// equality somewhere, and ε = 0, δ = 0 allows guessing only.
func TestRegion_IsTheTradeoff(t *testing.T) {
	for _, c := range []struct{ epsilon, delta float64 }{{0, 0}, {0.5, 0}, {2, 0.01}, {1000, 0}} {
		for fpr := 0.0; fpr <= 1; fpr += 0.05 {
			tpr := region(c.epsilon, c.delta, fpr)
			if !(tpr >= fpr-1e-12) || !(tpr <= 1) {
				t.Errorf("%+v allows %v at %v", c, tpr, fpr)
			}
			if e := math.Exp(c.epsilon); !math.IsInf(e, 1) {
				first, second := e*fpr+c.delta-tpr, e*(1-tpr)+c.delta-(1-fpr)
				if !(first >= -1e-9) || !(second >= -1e-9) || tpr < 1 && !(math.Min(first, second) <= 1e-9) {
					t.Errorf("%+v at %v: slack %v and %v", c, fpr, first, second)
				}
			}
		}
	}
}

// The histogram's shares of a world are those of its runs: they sum to 1.
func TestBelow_IsADistribution(t *testing.T) {
	q, l := spread(exampleAudit("x", 1, 1).Ratios[0])
	if below(q, l, q[0]-1) != 0 || below(q, l, q[100]+1) != 1 || !(math.Abs(below(q, l, q[50])-0.5) <= 1e-12) {
		t.Error("the quantiles do not come back")
	}
	q, l = spread(record.Distribution{Quantiles: []record.Number{2, 2, 2, nan}})
	if len(q) != 3 || below(q, l, 1) != 0 || below(q, l, 3) != 2.0/3 {
		t.Errorf("an atom: %v %v", q, l)
	}
}

// A map has its table by distance, its pictures and its command.
func TestEvaluation_HasMaps(t *testing.T) {
	m := &record.Map{Name: "far", About: "what is far", Algorithm: "dgd", Command: "simulate audit far.yaml --map",
		Nodes: 3, Edges: [][2]int{{0, 1}, {1, 2}}, Rounds: 2, Row: 4, Delta: 1e-5, All: []record.Number{1, 1, 1},
		ByDistance: []record.AtDistance{{Distance: 1, Pairs: 4, Mean: 0.9},
			{Distance: 2, Pairs: 2, Mean: 0.125, Above: 1}}}
	pairs := &record.Pairs{Distance: [][]int{{0, 1, 2}, {1, 0, 1}, {2, 1, 0}},
		Mu:       [][]float64{{0, 0.9, 0.125}, {0.9, 0, 0.9}, {0.0625, 0.9, 0}},
		Messages: [][]float64{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}}
	e := &Evaluation{Maps: []Mapped{{m, pairs}}}
	text := write(t, e.Markdown)
	for _, want := range []string{"| 2 | 2 | 0.125 |", "row 4, flipped", "| 2 | 2 | 0.0625 | 0.0625 |",
		"simulate audit far.yaml --map", "what is far"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
	if page := write(t, e.HTML); strings.Count(page, "<svg") != 3 {
		t.Errorf("%d pictures", strings.Count(page, "<svg"))
	}
	if found := write(t, e.JSON); !strings.Contains(found, `"mu_mean": 0.125`) {
		t.Error(found)
	}
}

// All rows of a node, links and odds have their sections, each beside what chance would give.
func TestEvaluation_HasRowsLinksAndOdds(t *testing.T) {
	is, not := true, false
	findings := []record.Finding{
		{Attack: "all-rows", Victim: 1, Rows: []record.Estimate{
			{X: []float64{1, 2}, Y: -1, Score: &record.Score{Relative: 0.004}}, {X: []float64{3, 4}, Y: 1,
				Score: &record.Score{Relative: 0.5}}}},
		{Attack: "linkage", Victim: 1, Links: []record.Link{{From: 1, Round: 2, Sender: 1, Among: 2},
			{From: 2, Round: 3, Sender: 0, Among: 2}}},
		{Attack: "attribute", Victim: 1, Odds: []record.Odds{{Value: "ill", Prior: 0.25, Posterior: 0.75, Truth: &is},
			{Value: "well", Prior: 0.75, Posterior: 0.25, Truth: &not}}},
	}
	e := &Evaluation{Attacks: []*record.Attacks{{Name: "some", Placement: record.Placement{Nodes: 2},
		Findings: findings}}}
	text := write(t, e.Markdown)
	for _, want := range []string{"gives it; 1 within 1 % of it", "| 2 | 0.500 | +1 | (3, 4) |",
		"Right: 1 of 2 links; by lot it would be 1.", "| 2 | 3 | 0 | 2 | **✗ wrong** |",
		"probability of 0.250 before the messages and has 0.750 after them", "| ill | 0.250 | 0.750 | it is |"} {
		if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), want) {
			t.Errorf("the page lacks %q:\n%s", want, text)
		}
	}
}
