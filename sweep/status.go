// How far a sweep is, and which runs failed.

package sweep

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Status writes how far a directory's sweep is.
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
	fmt.Fprintf(t, "seeds\t%d from %d\n", d.Plan.Seeds.Count, d.Plan.Seeds.First)
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

// listed is how many failures are shown; failures.csv has all.
const listed = 20

// ListFailures writes, for each run that failed, why, and the command that
// repeats it; flags are added to that.
func ListFailures(w io.Writer, p *Plan, s Store, flags ...string) error {
	n := 0
	err := s.All(func(index int, b []byte) error {
		if !Failed(b) {
			return nil
		}
		if n++; n > listed {
			return nil
		}
		r, err := Decode(b)
		if err != nil {
			return fmt.Errorf("run %d: %w", index, err)
		}
		_, err = fmt.Fprintf(w, "run %d failed: %s\n  %s\n", index, r.Error, p.Replay(index, flags...))
		return err
	})
	if err == nil && n > listed {
		_, err = fmt.Fprintf(w, "and %d more; %s has all\n", n-listed, failuresFile)
	}
	return err
}
