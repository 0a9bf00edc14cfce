// Tables that begin with what another run has written, from whose state a run goes on.

package record

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Counts are how many rows the tables of a run have.
type Counts struct{ Iterates, Messages, Steps, Reports, Lies int64 }

// Counts are how many rows were written so far.
func (w *Writer) Counts() Counts {
	return Counts{w.iterates.count(), w.messages.count(), w.steps.count(), w.reports.count(), w.lies.count()}
}

// count is how many rows were added; of no table none were.
func (l *log[T]) count() int64 {
	if l == nil {
		return 0
	}
	return l.added
}

// Resume has the tables begin with so many of the first rows of another run's, as if they had been written one by one;
// before any is. The files are as the run wrote them, or there is an error. After that the tables may hold anything.
func (w *Writer) Resume(r *Run, n Counts) error {
	return errors.Join(
		resume(w, &w.iterates, r, iteratesFile, n.Iterates), resume(w, &w.messages, r, messagesFile, n.Messages),
		resume(w, &w.steps, r, stepsFile, n.Steps), resume(w, &w.reports, r, reportsFile, n.Reports),
		resume(w, &w.lies, r, liesFile, n.Lies))
}

// resume has one table begin so.
func resume[T any](w *Writer, l **log[T], r *Run, name string, n int64) (err error) {
	if n == 0 {
		return nil
	}
	path := filepath.Join(r.Dir, name)
	defer func() { // the library panics on some damaged files
		if p := recover(); p != nil {
			err = fmt.Errorf("%s cannot be gone on from: %v", path, p)
		}
	}()
	f, err := r.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if *l == nil {
		if *l, err = newLog[T](filepath.Join(w.dir, name)); err != nil {
			return err
		}
	}
	if err := (*l).begin(f, n); err != nil {
		return fmt.Errorf("%s cannot be gone on from: %w", path, err)
	}
	if w.alike == nil {
		w.alike = map[string]alike{}
	}
	w.alike[name] = alike{r.sum(name), (*l).to.same}
	return (*l).err
}
