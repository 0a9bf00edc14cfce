// The sections of an attack-evaluation report, in the order a reviewer asks:
// what was found, how that was measured, by whom, from what.

package attack

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"overhear/internal/plural"
	"overhear/record"
	"overhear/report"
	"overhear/report/network"
	"overhear/report/plot"
)

// page puts the report together; a section with nothing in it is left out.
func (e *Evaluation) page() (*page, error) {
	if err := e.check(); err != nil {
		return nil, err
	}
	p := &page{Title: e.Title, Warnings: e.Warnings}
	if p.Title == "" {
		p.Title = "Attack evaluation"
	}
	a := new(album)
	p.Counts = e.counts()
	for _, s := range []*section{
		e.verdicts(), e.outcomes(), e.curveSection(a), e.tuningSection(), e.lossSection(a), e.powerSection(a),
		e.mapSection(a), e.reconstruction(a), e.networks(a),
		e.rows(), e.odds(), e.links(),
		e.members(), e.labels(), e.facts(), e.tests(), e.checks(), e.pairs(), e.unseen(), howToRead(), e.subjects(),
	} {
		if len(s.Blocks) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p, nil
}

// counts are the headline.
func (e *Evaluation) counts() []count {
	var all []count
	verdicts, certificates := map[string]int{}, 0
	for _, a := range e.Audits {
		for _, v := range a.Verdicts {
			verdicts[v.Verdict]++
		}
		if a.Certified != nil && a.Certified.Verdict == record.Violated {
			certificates++
		}
	}
	outcomes := map[record.Outcome]int{}
	for _, a := range e.Attacks {
		for _, f := range a.Findings {
			outcomes[f.Succeeded]++
		}
	}
	add := func(n int, one, many, class string) {
		if n > 0 {
			what := many
			if n == 1 {
				what = one
			}
			all = append(all, count{strconv.Itoa(n), what, class})
		}
	}
	add(verdicts[record.Violated], "claim is violated", "claims are violated", "bad")
	add(certificates, "certificate is violated", "certificates are violated", "bad")
	add(verdicts[record.NotEstablished], "claim is not established", "claims are not established", "open")
	add(verdicts[record.Consistent], "claim is consistent with what was measured",
		"claims are consistent with what was measured", "good")
	add(outcomes[record.Exact], "attack found the hidden thing exactly", "attacks found the hidden thing exactly",
		"bad")
	add(outcomes[record.Partial], "attack found part of it", "attacks found part of it", "open")
	add(outcomes[record.Failed], "attack failed", "attacks failed", "good")
	add(outcomes[record.Blocked], "attack was blocked", "attacks were blocked", "good")
	add(outcomes[record.Unscored], "attack has no truth to compare with", "attacks have no truth to compare with",
		"plain")
	return all
}

// verdictCell has a symbol too, for those who do not see its colour.
func verdictCell(verdict string) cell {
	switch verdict {
	case record.Consistent:
		return cell{Text: "✓ " + verdict, Class: "good"}
	case record.Violated:
		return cell{Text: "✗ " + verdict, Class: "bad"}
	case record.NotEstablished:
		return cell{Text: "? " + verdict, Class: "open"}
	}
	return cell{Text: verdict, Class: "plain"}
}

// openings are those of the audits, and their order, the worst first.
func (e *Evaluation) openings() (openings []*report.Opening, order []int) {
	openings, order = make([]*report.Opening, len(e.Audits)), make([]int, len(e.Audits))
	for k, a := range e.Audits {
		openings[k], order[k] = report.NewOpening(a), k
	}
	worst := func(k int) int {
		if rows := openings[k].Rows; len(rows) > 0 {
			return report.Rank(rows[0][0]) // they are sorted
		}
		return 0
	}
	slices.SortStableFunc(order, func(i, j int) int { return worst(i) - worst(j) })
	return openings, order
}

// drawnAudits is how many audits have figures: those of dozens take megabytes, and nobody compares them.
const drawnAudits = 8

// drawn are the audits with figures, in their own order, and a sentence about the others; "" if there are none.
func (e *Evaluation) drawn() (audits []int, others string) {
	_, order := e.openings()
	if len(order) > drawnAudits {
		others = fmt.Sprintf("Drawn are %d of the %d audits, those with the worst verdicts. report.json has the "+
			"numbers of all, and simulate report draws one alone.", drawnAudits, len(order))
		order = order[:drawnAudits]
	}
	return slices.Sorted(slices.Values(order)), others
}

// verdicts open the page: those of all audits, in the words of their tables, what failed first.
func (e *Evaluation) verdicts() *section {
	s := &section{ID: "verdicts", Title: "Verdicts"}
	openings, order := e.openings()
	for _, k := range order {
		o := openings[k]
		t := &table{Head: o.Head}
		for _, row := range o.Rows {
			cells := []cell{verdictCell(row[0])}
			for _, text := range row[1:] {
				cells = append(cells, cell{Text: text, Number: true})
			}
			cells[1], cells[len(cells)-1] = sentence(row[1]), sentence(row[len(row)-1])
			t.Rows = append(t.Rows, cells)
		}
		c := &card{}
		for _, n := range o.Notes {
			c.Pairs = append(c.Pairs, pair{n[0], n[1], false})
		}
		b := block{Heading: o.Title}
		if name := e.auditName(k); name != e.Audits[k].Name {
			b.Heading += " (" + name + ")"
		}
		if len(t.Rows) > 0 {
			b.Table = t
		}
		s.add(b)
		if len(c.Pairs) > 0 {
			s.add(block{Card: c}) // below the table
		}
	}
	return s
}

// tests are all tests of the claims, of which the verdicts are by the strongest.
func (e *Evaluation) tests() *section {
	s := &section{ID: "tests", Title: "Tests of the claims"}
	t := &table{Head: report.TestHead, Shown: 24}
	if len(e.Audits) > 1 {
		t.Head = slices.Insert(slices.Clone(t.Head), 0, "audit")
	}
	for k, a := range e.Audits {
		for _, v := range a.Judged() {
			for _, row := range report.Tests(&v) {
				cells := []cell{sentence(row[0]), sentence(row[1]), {Text: row[2], Number: true},
					{Text: row[3], Number: true}, sentence(row[4])}
				if len(e.Audits) > 1 {
					cells = slices.Insert(cells, 0, sentence(e.auditName(k)))
				}
				t.Rows = append(t.Rows, cells)
			}
		}
	}
	if len(t.Rows) > 0 {
		text := "Measured ε is a lower bound: at least so much was lost. A verdict is by the strongest test."
		if slices.ContainsFunc(e.Audits, func(a *record.Audit) bool { return a.View != nil }) {
			text += " By the exact law it is what the pair of worlds loses, no less and no more."
		}
		s.add(block{Text: text, Table: t})
	}
	return s
}

func outcomeCell(f *record.Finding) cell {
	switch f.Succeeded {
	case record.Exact:
		return cell{Text: "● " + f.Said(), Class: "bad"}
	case record.Partial:
		return cell{Text: "◐ " + f.Said(), Class: "open"}
	case record.Failed:
		return cell{Text: "○ " + f.Said(), Class: "good"}
	case record.Blocked:
		return cell{Text: "⊘ " + f.Said(), Class: "good"}
	}
	return cell{Text: "? " + f.Said(), Class: "plain"}
}

// outcomes says how each attack went.
func (e *Evaluation) outcomes() *section {
	s := &section{ID: "outcomes", Title: "What the attacks found"}
	t := &table{Head: []string{"outcome", "attack", "victim", "error", "error of a guess", "of", "conclusion"},
		Shown: 24}
	if len(e.Attacks) > 1 {
		t.Head = slices.Insert(t.Head, 1, "run")
	}
	equations := &list{Summary: "What each attack solves", Folded: true}
	all, _ := e.findings()
	for _, f := range all {
		missed, guessed, of := none(), none(), word("–")
		if b := f.Beside(); b != nil {
			missed, guessed, of = measured(b.Error), measured(b.Guess), word(b.Of)
		}
		row := []cell{outcomeCell(f.Finding), sentence(titleOf(f.Finding)), whole(f.Victim), missed, guessed, of,
			sentence(f.Conclusion)}
		if len(e.Attacks) > 1 {
			row = slices.Insert(row, 1, sentence(e.runName(f.run)))
		}
		t.Rows = append(t.Rows, row)
		text := titleOf(f.Finding) + " (" + f.Attack + "): " + f.Equation
		if f.Equation != "" && !slices.Contains(equations.Items, text) {
			equations.Items = append(equations.Items, text)
		}
	}
	if len(t.Rows) > 0 {
		s.add(block{Table: t})
	}
	if len(equations.Items) > 0 {
		s.add(block{List: equations})
	}
	return s
}

// pairsOf are names and values that are there.
func pairsOf(all ...pair) []pair {
	return slices.DeleteFunc(all, func(p pair) bool { return p.Value == "" })
}

func scenarioOf(name, text string) ([]source, pair) {
	if strings.Contains(text, "\n") {
		return []source{{"Scenario of " + name, strings.TrimRight(text, "\n")}}, pair{}
	}
	return nil, pair{"scenario", text, true}
}

func conditionOf(claim, condition string) string {
	if claim == "" {
		return ""
	}
	return condition
}

func claimOf(claim string) string {
	if claim == "" {
		return "none: the method does not say that it protects anything"
	}
	return claim
}

// subjects says what was attacked and audited, who is thought to attack, and what repeats it.
func (e *Evaluation) subjects() *section {
	s := &section{ID: "subjects", Title: "What was attacked, by whom, and from what"}
	done := map[int]bool{}
	for k, a := range e.Attacks {
		if done[k] {
			continue
		}
		var same []int
		for j, b := range e.Attacks {
			if b.Name == a.Name && b.About == a.About && b.Algorithm == a.Algorithm && b.Claim == a.Claim &&
				b.Condition == a.Condition && b.Threat == a.Threat && b.Rounds == a.Rounds &&
				b.Placement.Nodes == a.Placement.Nodes && len(b.Placement.Edges) == len(a.Placement.Edges) {
				same = append(same, j)
				done[j] = true
			}
		}
		c := &card{Title: "Attacks on " + a.Name}
		c.Pairs = append(setting(a.About, a.Algorithm, a.Claim, a.Condition, a.Threat),
			pair{"network", fmt.Sprintf("%s, %s; %s", plural.Of(a.Placement.Nodes, "node"),
				plural.Of(len(a.Placement.Edges), "edge"), plural.Of(a.Rounds, "round")), false},
		)
		if len(same) == 1 {
			sources, scenario := scenarioOf(e.runName(k), a.Scenario)
			c.Sources = sources
			c.Pairs = append(c.Pairs, pairsOf(scenario,
				pair{"seed", strconv.FormatUint(a.Seed, 10), false},
				pair{"digest of the trace", a.Digest, true},
				pair{"repeat it with", a.Command, true})...)
			s.add(block{Card: c})
			continue
		}
		c.Title = fmt.Sprintf("Attacks on %s, %d runs", a.Name, len(same))
		t := &table{Head: []string{"seed", "digest of the trace", "repeat it with"}, Shown: 12}
		if e.Axis != nil {
			t.Head = slices.Insert(t.Head, 0, e.Axis.Label)
		}
		for _, j := range same {
			b := e.Attacks[j]
			sources, _ := scenarioOf(e.runName(j), b.Scenario)
			c.Sources = append(c.Sources, sources...)
			row := []cell{{Text: strconv.FormatUint(b.Seed, 10), Number: true}, {Text: b.Digest, Code: true},
				{Text: b.Command, Code: true}}
			if e.Axis != nil {
				row = slices.Insert(row, 0, cell{Text: level(e.Axis.Values[j]), Number: true})
			}
			t.Rows = append(t.Rows, row)
		}
		s.add(block{Card: c, Table: t})
	}
	for k, a := range e.Audits {
		c := &card{Title: "Audit " + e.auditName(k)}
		sources, scenario := scenarioOf(e.auditName(k), a.Scenario)
		c.Sources = sources
		c.Pairs = append(setting(a.About, a.Algorithm, a.Claim, a.Condition, a.Threat), pairsOf(
			pair{"what decides", a.Statistic, false},
			pair{"size", fmt.Sprintf("%s in each of the two worlds, %s", plural.Of(a.Runs, "run"),
				plural.Of(a.Rounds, "round")), false},
			scenario,
			pair{"seed", strconv.FormatUint(a.Seed, 10), false},
			pair{"digest of all ratios", a.Digest, true},
			pair{"repeat it with", a.Command, true},
		)...)
		s.add(block{Card: c})
	}
	for _, m := range e.Maps {
		c := &card{Title: "Map " + m.Name}
		sources, scenario := scenarioOf("map "+m.Name, m.Scenario)
		c.Sources = sources
		c.Pairs = pairsOf(pair{"about", m.About, false}, pair{"method", m.Algorithm, false}, scenario,
			pair{"seed", strconv.FormatUint(m.Seed, 10), false}, pair{"repeat it with", m.Command, true})
		s.add(block{Card: c})
	}
	if e.Command != "" {
		s.add(block{Card: &card{Pairs: []pair{{"this report", e.Command, true}}}})
	}
	return s
}

// setting is what attacks and audits say alike of where they took place.
func setting(about, method, claim, condition string, t record.Threat) []pair {
	return pairsOf(
		pair{"about", about, false},
		pair{"method", method, false},
		pair{"claim", claimOf(claim), false},
		pair{"its condition", conditionOf(claim, condition), false},
		pair{"the observer sees", t.Sees, false},
		pair{"knows", t.Knows, false},
		pair{"wants", t.Wants, false},
		pair{"acts", t.Acts, false},
	)
}

// heading names an audit where there are several.
func (e *Evaluation) heading(k int) string {
	if len(e.Audits) == 1 {
		return ""
	}
	return e.auditName(k)
}

func (e *Evaluation) lossSection(a *album) *section {
	s := &section{ID: "loss", Title: "Claimed against measured loss"}
	audits, _ := e.drawn()
	for _, k := range audits {
		if drawn := a.losses(e.Audits[k]); drawn != nil {
			s.add(block{Heading: e.heading(k), Figures: drawn})
		}
	}
	return s
}

// powerSection says how well the two worlds can be told apart.
func (e *Evaluation) powerSection(a *album) *section {
	s := &section{ID: "power", Title: "How well the two worlds can be told apart"}
	audits, _ := e.drawn()
	for k, audit := range e.Audits {
		var drawn []*drawing
		if slices.Contains(audits, k) {
			for _, d := range []*drawing{a.roc(audit), a.ratios(audit)} {
				if d != nil {
					drawn = append(drawn, d)
				}
			}
		}
		p := audit.Power
		t := &table{Head: []string{"measure", "value"}}
		add := func(name string, v record.Number) {
			if !math.IsNaN(float64(v)) {
				t.Rows = append(t.Rows, []cell{word(name), measured(v)})
			}
		}
		if p != (record.Power{}) && !math.IsNaN(float64(p.AUC)) {
			add("area under the ROC curve (0.5 is guessing)", p.AUC)
			add("advantage, the largest TPR − FPR", p.Advantage)
			add("TPR at FPR 0.01", p.TPR1)
			add("TPR at FPR 0.001", p.TPR01)
			add("TPR at FPR 0", p.TPR0)
			at := ""
			if d := float64(p.Delta); finite(d) {
				at = " at δ = " + plot.Number(d)
			}
			if audit.View != nil {
				add("ε"+at, p.Epsilon)
			} else {
				add(fmt.Sprintf("lower bound of ε%s, %s %% confidence", at, plot.Number(100*p.Confidence)), p.Epsilon)
			}
			add("threshold, fixed on half of the runs", p.Threshold)
			for k, name := range []string{"true positives", "false positives", "true negatives", "false negatives"} {
				if p.Counts != ([4]int{}) { // of runs
					t.Rows = append(t.Rows, []cell{word(name + " of the other half"), whole(p.Counts[k])})
				}
			}
		}
		b := block{Heading: e.heading(k), Figures: drawn}
		if len(t.Rows) > 0 {
			b.Table = t
		}
		if b.Table != nil || len(drawn) > 0 {
			s.add(b)
		}
	}
	return s
}

// reconstruction says how near the estimates came.
func (e *Evaluation) reconstruction(a *album) *section {
	s := &section{ID: "reconstruction", Title: "Reconstructed samples"}
	drawn := a.errorsByRound(e)
	if d := a.errorsByAxis(e); d != nil {
		drawn = append(drawn, d)
	}
	if d := a.errorsByHops(e); d != nil {
		drawn = append(drawn, d)
	}
	if len(drawn) > 0 {
		s.add(block{Figures: drawn})
	}
	t := &table{Head: []string{"attack", "victim", "rounds used", "relative error", "cosine", "label",
		"one-hot groups right", "rank among candidates", "residual", "estimate x̂"}, Shown: 16}
	if len(e.Attacks) > 1 {
		t.Head = slices.Insert(t.Head, 0, "run")
	}
	all, _ := e.findings()
	for _, f := range all {
		b := best(f.Finding)
		if b == nil {
			continue
		}
		row := []cell{sentence(titleOf(f.Finding)), whole(f.Victim), whole(b.Rounds)}
		if c := b.Score; c != nil {
			label := word("–")
			if c.Label != nil {
				label = yes(*c.Label, "right", "wrong")
				label.Class = ""
			}
			groups, rank := none(), none()
			if c.OneHotOf > 0 {
				groups = cell{Text: fmt.Sprintf("%d of %d, guessed %d", c.OneHot, c.OneHotOf, c.Guessed), Number: true}
			}
			if c.Rank > 0 {
				rank = cell{Text: fmt.Sprintf("%d of %d", c.Rank, c.Candidates), Number: true}
			}
			row = append(row, measured(c.Relative), measured(c.Cosine), label, groups, rank)
		} else {
			row = append(row, none(), none(), word("–"), none(), none())
		}
		row = append(row, measured(b.Residual), sentence(vector(b.X, 6)))
		if len(e.Attacks) > 1 {
			row = slices.Insert(row, 0, sentence(e.runName(f.run)))
		}
		t.Rows = append(t.Rows, row)
	}
	if len(t.Rows) > 0 {
		s.add(block{Heading: "Best estimate of each attack", Text: "Best is the one of least error, which the " +
			"observer cannot tell; where the truth is not at hand, the last one.", Table: t})
	}
	return s
}

// mostNetworks is how many drawings of networks there are at most.
const mostNetworks = 4

// networks draws each network once for every level of the axis.
func (e *Evaluation) networks(a *album) *section {
	s := &section{ID: "network", Title: "Where it leaked"}
	var groups [][]int
	for k, one := range e.Attacks {
		if one.Placement.Nodes < 2 {
			continue
		}
		at := slices.IndexFunc(groups, func(g []int) bool {
			first := e.Attacks[g[0]].Placement
			return (e.Axis == nil || e.Axis.Values[g[0]] == e.Axis.Values[k]) && e.Attacks[g[0]].Name == one.Name &&
				first.Nodes == one.Placement.Nodes && slices.Equal(first.Edges, one.Placement.Edges) &&
				slices.Equal(first.Watched, one.Placement.Watched)
		})
		if at < 0 {
			groups = append(groups, nil)
			at = len(groups) - 1
		}
		groups[at] = append(groups[at], k)
	}
	if len(groups) > mostNetworks {
		var kept [][]int
		for k := range mostNetworks {
			kept = append(kept, groups[k*(len(groups)-1)/(mostNetworks-1)])
		}
		s.text(fmt.Sprintf("%d of %d networks are drawn, evenly spread over the runs.", mostNetworks, len(groups)))
		groups = kept
	}
	var drawn []*drawing
	for _, g := range groups {
		if d := e.networkOf(a, g, len(groups) > 1); d != nil {
			drawn = append(drawn, d)
		}
	}
	if len(drawn) == 0 {
		return &section{}
	}
	s.add(block{Figures: drawn})
	return s
}

// networkOf draws the network that some attacked runs share.
func (e *Evaluation) networkOf(a *album, runs []int, several bool) *drawing {
	n := &e.Attacks[runs[0]].Placement
	nodes := make([]network.Leak, n.Nodes)
	for k := range nodes {
		nodes[k].Error = math.NaN()
	}
	for _, r := range runs {
		for j := range e.Attacks[r].Findings {
			f := &e.Attacks[r].Findings[j]
			if f.Victim < 0 || f.Victim >= n.Nodes {
				continue
			}
			l := &nodes[f.Victim]
			l.Victim = true
			l.Blocked = l.Blocked || f.Succeeded == record.Blocked
			if err := relative(best(f)); !math.IsNaN(err) && !(l.Error <= err) {
				l.Error, l.Attack = err, titleOf(f)
			}
		}
	}
	victims := 0
	numbers := &table{Head: []string{"node", "hops", "least error", "by"}, Shown: 40}
	for k, l := range nodes {
		if !l.Victim {
			continue
		}
		victims++
		hops := none()
		if k < len(n.Hops) && len(n.Watched) > 0 && n.Hops[k] >= 0 {
			hops = whole(n.Hops[k])
		}
		by := l.Attack
		if by == "" && l.Blocked {
			by = "blocked"
		}
		numbers.Rows = append(numbers.Rows, []cell{whole(k), hops, value(l.Error), word(by)})
	}
	if victims == 0 {
		return nil
	}
	title := "The network, by what leaked"
	if several {
		title += ": " + e.lineName(runs[0])
	}
	text := "The observer sees every packet; no node is marked as watched."
	if len(n.Watched) > 0 {
		text = fmt.Sprintf("The observer watches %s (squares).", plural.Of(len(n.Watched), "node"))
	}
	text += fmt.Sprintf(" Attacked: %s.", plural.Of(victims, "node"))
	d := a.add(network.Leaks(title, text, n, nodes), text, numbers)
	d.Wide = !several
	return d
}

// members says who was taken for a member.
func (e *Evaluation) members() *section {
	s := &section{ID: "members", Title: "Membership"}
	summary := &table{Head: []string{"attack", "candidates", "members found", "of", "others taken for members", "of"},
		Shown: 24}
	var blocks []block
	all, _ := e.findings()
	for _, f := range all {
		if len(f.Members) == 0 {
			continue
		}
		t := &table{Head: []string{"candidate", "score (less fits better)", "verdict", "truth"}, Shown: 12}
		labels := slices.ContainsFunc(f.Members, func(m record.Membership) bool { return m.Label != 0 })
		if labels {
			t.Head = append(t.Head, "label")
		}
		sorted := slices.Clone(f.Members)
		slices.SortStableFunc(sorted, func(a, b record.Membership) int {
			x, y := float64(a.Score), float64(b.Score)
			switch {
			case x < y, !math.IsNaN(x) && math.IsNaN(y):
				return -1
			case x > y, math.IsNaN(x) && !math.IsNaN(y):
				return 1
			}
			return 0
		})
		hit, mistaken, members, others := 0, 0, 0, 0
		for _, m := range sorted {
			truth := word("–")
			if m.Truth != nil {
				truth = word("not a member")
				if *m.Truth {
					truth = word("member")
					members++
					if m.Member {
						hit++
					}
				} else {
					others++
					if m.Member {
						mistaken++
					}
				}
			}
			verdict := word("not a member")
			switch {
			case m.Member:
				verdict = word("member")
			case m.Open:
				verdict = word("open")
			}
			row := []cell{whole(m.Candidate), measured(m.Score), verdict, truth}
			if labels {
				row = append(row, value(m.Label))
			}
			t.Rows = append(t.Rows, row)
		}
		text := fmt.Sprintf("%s were judged.", plural.Of(len(sorted), "candidate"))
		if members+others > 0 {
			text = fmt.Sprintf("Of %s %d were found, of %s %d were taken for one.",
				plural.Of(members, "member"), hit, plural.Of(others, "other"), mistaken)
		}
		blocks = append(blocks, block{Heading: e.findingName(f), Text: text, Table: t})
		if members+others == 0 {
			summary.Rows = append(summary.Rows, []cell{sentence(e.findingName(f)), whole(len(sorted)), none(), none(),
				none(), none()})
		} else {
			summary.Rows = append(summary.Rows, []cell{sentence(e.findingName(f)), whole(len(sorted)), whole(hit),
				whole(members), whole(mistaken), whole(others)})
		}
	}
	if len(blocks) > 2 {
		s.add(block{Table: summary})
		fold(blocks)
	}
	s.Blocks = append(s.Blocks, blocks...)
	return s
}

// findingName is a finding's attack, victim and run.
func (e *Evaluation) findingName(f found) string {
	name := fmt.Sprintf("%s, node %d", titleOf(f.Finding), f.Victim)
	if len(e.Attacks) > 1 {
		name += ", " + e.runName(f.run)
	}
	return name
}

// facts are vectors that no packet carried.
func (e *Evaluation) facts() *section {
	s := &section{ID: "facts", Title: "Worked out, though no packet carried it"}
	t := &table{Head: []string{"what", "node", "round", "relative error", "values"}, Shown: 16}
	if len(e.Attacks) > 1 {
		t.Head = slices.Insert(t.Head, 0, "run")
	}
	all, _ := e.findings()
	for _, f := range all {
		for _, fact := range f.Facts {
			row := []cell{sentence(fact.Text()), whole(fact.Node), whole(fact.Round), measured(fact.Relative),
				sentence(vector(fact.Values, 6))}
			if len(e.Attacks) > 1 {
				row = slices.Insert(row, 0, sentence(e.runName(f.run)))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	if len(t.Rows) > 0 {
		s.add(block{Table: t})
	}
	return s
}

// checks are the properties that audits and attacks tested.
func (e *Evaluation) checks() *section {
	s := &section{ID: "checks", Title: "Checks"}
	t := &table{Head: []string{"", "what", "of", "measured", "bound", "detail",
		"would have found, with 99 %"}, Shown: 24}
	add := func(from string, all []record.Check) {
		for _, c := range all {
			t.Rows = append(t.Rows, []cell{yes(c.Holds, "holds", "fails"), sentence(c.Text()), word(from),
				measured(c.Measured), measured(c.Bound), sentence(c.Detail), sentence(c.Finding())})
		}
	}
	for k, a := range e.Audits {
		add("audit "+e.auditName(k), a.Checks)
	}
	all, _ := e.findings()
	for _, f := range all {
		add(e.findingName(f), f.Checks)
	}
	if len(t.Rows) > 0 {
		slices.SortStableFunc(t.Rows, func(a, b []cell) int { return strings.Compare(a[0].Class, b[0].Class) })
		t.Head[0] = "result"
		s.add(block{Text: "A check holds where what was measured is at most its bound.", Table: t})
	}
	return s
}

// pairs says which two worlds were told apart, and how they were chosen.
func (e *Evaluation) pairs() *section {
	s := &section{ID: "pair", Title: "The two worlds"}
	for k, a := range e.Audits {
		p := a.Pair
		if p.What == "" && len(p.A)+len(p.B)+len(p.Search) == 0 {
			continue
		}
		text := strings.TrimRight(p.What, ".")
		if text != "" {
			text += ". "
		}
		text += fmt.Sprintf("The worlds differ in row %d of node %d", p.Row, p.Node)
		if p.Unit != "" {
			text += "; what is protected: " + string(p.Unit)
		}
		b := block{Heading: e.heading(k), Text: text + "."}
		if n := max(len(p.A), len(p.B)); n > 0 {
			t := &table{Head: []string{"column", "y·x in the first world", "in the second"}, Shown: 10}
			at := func(v []float64, k int) cell {
				if k < len(v) {
					return value(v[k])
				}
				return value(math.NaN())
			}
			for c := range n {
				t.Rows = append(t.Rows, []cell{whole(c), at(p.A, c), at(p.B, c)})
			}
			b.Table = t
		}
		s.add(b)
		if len(p.Search) > 0 {
			t := &table{Head: []string{"pair that was tried", "mean |log-likelihood ratio| of pilot runs"}, Shown: 16}
			for _, tried := range p.Search {
				t.Rows = append(t.Rows, []cell{sentence(tried.What), measured(tried.Loss)})
			}
			s.add(block{Text: "Search for the worst pair:", Table: t})
		}
	}
	return s
}

// unseen says what the observer could not see, and what attacks did without.
func (e *Evaluation) unseen() *section {
	s := &section{ID: "unseen", Title: "What the observer could not see"}
	t := &table{Head: []string{"run", "packets seen", "of", "share"}, Shown: 16}
	for k, a := range e.Attacks {
		if a.Sight.Of > 0 {
			t.Rows = append(t.Rows, []cell{word(e.runName(k)), whole(a.Sight.Packets), whole(a.Sight.Of),
				{Text: plot.Number(100*float64(a.Sight.Packets)/float64(a.Sight.Of)) + " %", Number: true}})
		}
	}
	if len(t.Rows) > 0 {
		s.add(block{Table: t})
	}
	type note struct {
		what  string
		names []string
		items []string
	}
	var notes []*note
	add := func(what, name string, items []string) {
		if len(items) == 0 {
			return
		}
		for _, n := range notes {
			if n.what == what && slices.Equal(n.items, items) {
				n.names = append(n.names, name)
				return
			}
		}
		notes = append(notes, &note{what, []string{name}, items})
	}
	for k, a := range e.Attacks {
		if a.Unscored != "" {
			add("not scored", e.runName(k), []string{a.Unscored})
		}
		add("not seen", e.runName(k), a.Sight.Unseen)
		var untried []string
		for _, u := range a.Untried {
			untried = append(untried, u.Attack+": "+u.Reason)
		}
		add("attacks not tried", e.runName(k), untried)
	}
	all, _ := e.findings()
	for _, f := range all {
		add("what the attack did without", e.findingName(f), f.Unseen)
	}
	for _, n := range notes {
		names := strings.Join(n.names, "; ")
		if len(n.names) > 3 {
			names = fmt.Sprintf("%s; %s and %d more", n.names[0], n.names[1], len(n.names)-2)
		}
		s.add(block{List: &list{
			Summary: fmt.Sprintf("%s: %s (%d)", names, n.what, len(n.items)),
			Items:   n.items, Folded: len(n.items) > 4,
		}})
	}
	return s
}

// howToRead defines the terms.
func howToRead() *section {
	s := &section{ID: "reading", Title: "How to read this"}
	s.add(block{Card: &card{Pairs: []pair{
		{"CONSISTENT", "the condition of the claim is met, and what was measured is within the claimed ε, by the " +
			"share that is stated. It is no proof: another pair of worlds may lose more.", false},
		{"VIOLATED", "more was shown to be lost than is claimed.", false},
		{"NOT ESTABLISHED", "the condition under which the claim was proved fails, no proof supports the claim, or " +
			"the run does not do what its method says.", false},
		{"certificate", "what is proved from the law of the noise, for any pair of rows, whoever sees all messages; " +
			"no measurement exceeds it. Of noise as a claim's proof needs it, it is below the claim, often by far.",
			false},
		{"searched ε", "the loss of the worst trace and pair of rows of norm at most 1 that there are.", false},
		{"ε, δ", "what is protected can change the probability of anything the observer sees by a factor of at most " +
			"exp(ε), but for a probability δ. Less is better; 0 says nothing leaks.", false},
		{"two worlds", "two runs' data that differ in one sample. Who cannot tell them apart does not learn the " +
			"sample.", false},
		{"log-likelihood ratio", "how much likelier what was seen is in the one world than in the other, as a " +
			"logarithm. Where the law of the noise is known it is exact, and no test between the worlds does " +
			"better. Its absolute value never exceeds ε if δ = 0.", false},
		{"ROC", "true positive rate (TPR: first world, said to be the first) against false positive rate (FPR: " +
			"second world, said to be the first), for every threshold of the ratio. A claim of (ε, δ) allows TPR ≤ " +
			"exp(ε) FPR + δ and TPR ≤ 1 − exp(−ε)(1 − δ − FPR): the broken lines.", false},
		{"TPR at FPR 0.01", "how often the first world is recognised where one false alarm in a hundred is allowed. " +
			"It shows the few runs that leak much, which averages hide.", false},
		{"Clopper–Pearson", "an interval for a probability from counts that contains it with at least the stated " +
			"confidence, whatever the probability is. Intervals of a curve are point by point.", false},
		{"relative error", "‖x̂ − x‖/‖x‖ of a reconstructed sample: 0 is exact, 1 is as bad as answering zero.", false},
		{"error of a guess", "the error of the best guess with what the observer knows and without any message, such " +
			"as the mean of the rows that it knows; an attack whose error is not below it has failed.", false},
		{"exact, partial, failed", "the attack found the hidden thing to rounding, and no other that fits is " +
			"known but, where it says so, that with the other sign and label; better than by guessing; no better. " +
			"Blocked: the observer lacks what the attack needs.", false},
	}}})
	return s
}
