// The measured network: what other pages found, judged there by the same words.

package studies

import (
	"fmt"
	"strings"

	"overhear/reproduce"
)

// transplant is a study on its own network, and on one over the regions.
type transplant struct {
	page, where string                             // what is changed, in words
	here        func(b *reproduce.Workbench) error // nil: the page's own study
	changes     []string
}

// transplants are the studies of networks whose findings could be another over the regions.
var transplants = []transplant{
	{page: "networks/edge-admm", where: "33 hospitals, one a region, each linked with its four nearest; 500 ms until " +
		"a node steps with what it has",
		changes: []string{"network.topology={kind: k-nearest, nodes: 33, nearest: 4}",
			measuredLatency, "rounds.timeout=500ms"}},
	{page: "networks/edge-admm", where: "33 hospitals, one a region, four random neighbours; 500 ms; 2,000 rounds",
		changes: []string{"network.topology={kind: random-regular, nodes: 33, degree: 4}",
			measuredLatency, "rounds.timeout=500ms", "rounds.count=2000"}},
	{page: "attacks/network", where: "33 hospitals, one a region, each linked with its four nearest; jitter of " +
		"median 20 ms whose σ varies",
		here: func(b *reproduce.Workbench) error {
			return overheard(b, "network.latency.jitter={kind: lognormal, median: 20ms, sigma: %g}")
		}, changes: []string{"network.topology={kind: k-nearest, nodes: 33, nearest: 4}",
			"network.latency={kind: matrix, set: aws}"}},
	{page: "attacks/colluders", where: "20 hospitals, four in each of five regions, each linked with its four " +
		"nearest; the two colluders are of one region",
		changes: []string{"network.topology={kind: k-nearest, nodes: 20, nearest: 4}", fiveRegions}},
	{page: "attacks/map", where: "20 hospitals in 20 regions, each linked with its four nearest",
		changes: []string{"network.topology={kind: k-nearest, nodes: 20, nearest: 4}", measuredLatency}},
}

// regionsFindings judges other pages' findings over the regions.
func regionsFindings(b *reproduce.Workbench) error {
	rows := []string{"| page | finding | there | over the regions | measured over the regions |",
		"|---|---|---|---|---|"}
	var settings []string
	own := map[string][]reproduce.Statement{} // by page
	for _, t := range transplants {
		page, ok := reproduce.FindStudy(t.page)
		if !ok {
			return fmt.Errorf("there is no study %s", t.page)
		}
		if own[t.page] == nil {
			at := b.Elsewhere()
			if err := page.Compute(at); err != nil {
				return err
			}
			own[t.page] = at.Statements()
		}
		at, study := b.Elsewhere(t.changes...), t.here
		if study == nil {
			study = page.Compute
		}
		if err := study(at); err != nil {
			return fmt.Errorf("%s over the regions: %w", t.page, err)
		}
		here := at.Statements()
		alike, other, err := compared(own[t.page], here)
		if err != nil {
			return fmt.Errorf("%s over the regions: %w", t.page, err)
		}
		for k, s := range here {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | **%s** | %s |", t.page, s.Text,
				own[t.page][k].Assessment, s.Assessment, s.Measured))
		}
		settings = append(settings, fmt.Sprintf("- %s: %s.", t.page, t.where))
		measured := fmt.Sprintf("%s: %s verdicts are the same", t.where, of(alike, len(here)))
		if other != nil {
			measured += "; not: " + strings.Join(other, "; ")
		}
		b.State("what "+t.page+" finds is found over the regions", reproduce.AssessParts(alike == len(here), alike > 0),
			"%s", measured)
	}
	b.Say("What other pages found, judged over the regions by the same program, with other networks only:\n\n%s\n\n%s",
		strings.Join(settings, "\n"), strings.Join(rows, "\n"))
	return nil
}

// compared counts the verdicts that are the same in both places and names the others.
func compared(there, here []reproduce.Statement) (alike int, other []string, err error) {
	if len(there) != len(here) {
		return 0, nil, fmt.Errorf("%d statements, and %d on the page", len(here), len(there))
	}
	for k, s := range here {
		switch {
		case s.Text != there[k].Text:
			return 0, nil, fmt.Errorf("the statement %q, and on the page %q", s.Text, there[k].Text)
		case s.Assessment == there[k].Assessment:
			alike++
		default:
			other = append(other, fmt.Sprintf("“%s”: %s, there it %s", s.Text, s.Assessment, there[k].Assessment))
		}
	}
	return alike, other, nil
}
