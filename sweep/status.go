// How far a sweep is, and which runs failed.

package sweep

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"overhear/internal/plural"
	"overhear/report"
)

// Status writes how far a directory's sweep is, and what the stored runs are worth.
func (d *Dir) Status(w io.Writer) error {
	var done, broken int
	var unfinished []string
	unfinishedCount := 0
	for index := range d.Plan.Len() {
		switch d.Journal.State(index) {
		case Finished:
			done++
		case Broken:
			broken++
		default:
			if n := d.Journal.Begun(index); n > 0 {
				if unfinishedCount++; len(unfinished) < 10 {
					unfinished = append(unfinished, fmt.Sprintf("%d (begun %s)", index, times(n)))
				}
			}
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "sweep\t%s of %s\n", d.Plan.Name, d.Plan.File)
	for _, a := range d.Plan.Axes {
		text, _ := a.MarshalText() // cannot fail
		fmt.Fprintf(t, "grid\t%s\n", text)
	}
	fmt.Fprintf(t, "seeds\t%s\n", d.Plan.seeds())
	fmt.Fprintf(t, "runs\t%d of %d stored, %d of them failed\n", done+broken, d.Plan.Len(), broken)
	if unfinished != nil {
		more := ""
		if unfinishedCount > len(unfinished) {
			more = fmt.Sprintf(" and %d more", unfinishedCount-len(unfinished))
		}
		fmt.Fprintf(t, "begun, not finished\t%s%s\n", strings.Join(unfinished, ", "), more)
	}
	fmt.Fprintf(t, "directory\t%s\n", d.Path)
	if err := t.Flush(); err != nil {
		return err
	}
	if done+broken == 0 {
		return nil
	}
	if err := Summarise(w, d.Plan, d.Journal); err != nil {
		return err
	}
	if err := d.SayTuning(w); err != nil {
		return err
	}
	if broken == 0 {
		return nil
	}
	return ListFailures(w, d.Plan, d.Journal)
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 255:
		return "255 times or more"
	}
	return strconv.Itoa(n) + " times"
}

// listed is how many causes, and runs of each, are shown; failures.csv has all.
const listed = 20

// cause is what runs failed of: errors that differ in numbers only are one.
type cause struct {
	first int    // run
	error string // of the first run
	runs  []int  // no more than listed
	count int
}

// ListFailures writes, for each cause of which runs failed, the error of the first of
// them, the command that repeats that, and the others' numbers; flags are added to the
// command.
func ListFailures(w io.Writer, p *Plan, s Store, flags ...string) error {
	var causes []*cause
	known := map[string]*cause{}
	err := s.All(func(index int, b []byte) error {
		if !Failed(b) {
			return nil
		}
		r, err := Decode(b)
		if err != nil {
			return fmt.Errorf("run %d: %w", index, err)
		}
		key := report.Alike(r.Error)
		c := known[key]
		if c == nil {
			c = &cause{first: index, error: r.Error}
			known[key], causes = c, append(causes, c)
		}
		if c.count++; c.count <= listed {
			c.runs = append(c.runs, index)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for k, c := range causes {
		if k == listed {
			_, err := fmt.Fprintf(w, "and %d more causes; %s has all\n", len(causes)-listed, failuresFile)
			return err
		}
		_, err := fmt.Fprintf(w, "run %d failed: %s\n  %s\n", c.first, c.error, p.Replay(c.first, flags...))
		if err != nil {
			return err
		}
		if c.count == 1 {
			continue
		}
		others := plural.List(c.runs[1:])
		if more := c.count - len(c.runs); more > 0 {
			others += fmt.Sprintf(" and %d more, of which %s has all", more, failuresFile)
		}
		if _, err := fmt.Fprintf(w, "  %d runs failed of this, the others being %s\n", c.count, others); err != nil {
			return err
		}
	}
	return nil
}
