// What attacks found that is neither one sample nor a candidate: all rows of a node, whose message follows which, and
// the value of an attribute.

package attack

import (
	"fmt"

	"overhear/internal/plural"
	"overhear/report/plot"
)

// several adds a block for each finding that has something, folded if they are many.
func (e *Evaluation) several(s *section, of func(f found) (text string, t *table)) *section {
	all, _ := e.findings()
	var blocks []block
	for _, f := range all {
		if text, t := of(f); t != nil {
			blocks = append(blocks, block{Heading: e.findingName(f), Text: text, Table: t})
		}
	}
	if len(blocks) > 2 {
		fold(blocks)
	}
	s.Blocks = append(s.Blocks, blocks...)
	return s
}

// rows are the samples of a node that were reconstructed together.
func (e *Evaluation) rows() *section {
	return e.several(&section{ID: "rows", Title: "All samples of a node"}, func(f found) (string, *table) {
		if len(f.Rows) == 0 {
			return "", nil
		}
		t := &table{Head: []string{"estimate", "relative error to its sample", "label", "values"}, Shown: 12}
		near, scored := 0, 0
		for k, r := range f.Rows {
			missed := none()
			if r.Score != nil {
				missed = measured(r.Score.Relative)
				scored++
				near += bit(r.Score.Relative <= 0.01)
			}
			label := none()
			if r.Y != 0 {
				label = cell{Text: fmt.Sprintf("%+g", r.Y), Number: true}
			}
			t.Rows = append(t.Rows, []cell{whole(k + 1), missed, label, word(vector(r.X, 6))})
		}
		text := fmt.Sprintf("%s, in no order.", plural.Of(len(f.Rows), "estimate"))
		if scored > 0 {
			text += fmt.Sprintf(" Each stands beside the sample that the assignment of least distance gives it; %d "+
				"within 1 %% of it.", near)
		}
		return text, t
	})
}

// links say which message follows which, of those that carry no sender.
func (e *Evaluation) links() *section {
	s := &section{ID: "links", Title: "Messages linked without their senders"}
	return e.several(s, func(f found) (string, *table) {
		if len(f.Links) == 0 {
			return "", nil
		}
		t := &table{Head: []string{"message of round", "linked to one of round", "sent by node", "of messages", "link"},
			Shown: 12}
		right, lot := 0, 0.0
		for _, l := range f.Links {
			right += bit(l.Sender == f.Victim)
			lot += 1 / float64(max(1, l.Among))
			t.Rows = append(t.Rows, []cell{whole(l.From), whole(l.Round), whole(l.Sender), whole(l.Among),
				yes(l.Sender == f.Victim, "right", "wrong")})
		}
		return fmt.Sprintf("Right: %d of %s; by lot it would be %s.", right, plural.Of(len(f.Links), "link"),
			plot.Number(lot)), t
	})
}

// odds are of the values of an attribute, before and after the messages.
func (e *Evaluation) odds() *section {
	return e.several(&section{ID: "odds", Title: "The value of an attribute"}, func(f found) (string, *table) {
		if len(f.Odds) == 0 {
			return "", nil
		}
		t := &table{Head: []string{"value", "probability before", "after the messages", "truth"}, Shown: 12}
		text := ""
		for _, o := range f.Odds {
			truth := word("–")
			if o.Truth != nil {
				truth = word("")
				if *o.Truth {
					truth = word("it is")
					text = fmt.Sprintf("The true value had a probability of %s before the messages and has %s after "+
						"them.", plot.Number(float64(o.Prior)), plot.Number(float64(o.Posterior)))
				}
			}
			t.Rows = append(t.Rows, []cell{sentence(o.Value), measured(o.Prior), measured(o.Posterior), truth})
		}
		return text, t
	})
}

// bit counts what is true.
func bit(is bool) int {
	if is {
		return 1
	}
	return 0
}
