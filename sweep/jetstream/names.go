// Names of streams and subjects. All have the beginning of the plan's hash, so
// that sweeps share a server and a sweep that goes on finds its own.

package jetstream

import (
	"fmt"
	"strconv"
	"strings"
)

// names are those of one sweep.
type names string

// namesOf takes a plan's hash.
func namesOf(hash string) names { return names(hash[:16]) }

// plans is the subject of all plans on a server.
const plans = "overhear.*.plan"

// workers is the consumer that workers share.
const workers = "workers"

func (n names) planStream() string   { return "OVERHEAR_" + string(n) + "_PLAN" }
func (n names) taskStream() string   { return "OVERHEAR_" + string(n) + "_TASKS" }
func (n names) resultStream() string { return "OVERHEAR_" + string(n) + "_RESULTS" }

func (n names) prefix() string  { return "overhear." + string(n) + "." }
func (n names) plan() string    { return n.prefix() + "plan" }
func (n names) end() string     { return n.prefix() + "end" }
func (n names) present() string { return n.prefix() + "present" } // not stored

func (n names) result(index int) string   { return n.prefix() + "result." + strconv.Itoa(index) }
func (n names) conflict(index int) string { return n.prefix() + "conflict." + strconv.Itoa(index) }

// ofStream is the sweep of a stream's name.
func ofStream(stream string) (names, bool) {
	rest, ok := strings.CutPrefix(stream, "OVERHEAR_")
	hash, _, found := strings.Cut(rest, "_")
	return names(hash), ok && found
}

// task is a range of runs, first and last included. Round tells a task that was
// handed back from the one it was.
type task struct{ first, last, round int }

func (t task) count() int { return t.last - t.first + 1 }

func (n names) task(t task) string {
	return fmt.Sprintf("%stask.%d.%d.%d", n.prefix(), t.first, t.last, t.round)
}

// parseTask reads a task from its subject: it has no other contents, so that
// the coordinator learns what is queued from a list of subjects.
func (n names) parseTask(subject string) (t task, err error) {
	fields := strings.Split(strings.TrimPrefix(subject, n.prefix()+"task."), ".")
	bad := fmt.Errorf("subject %s is no task of %s", subject, n)
	if len(fields) != 3 {
		return t, bad
	}
	for k, to := range []*int{&t.first, &t.last, &t.round} {
		if *to, err = strconv.Atoi(fields[k]); err != nil || *to < 0 {
			return t, bad
		}
	}
	if t.last < t.first {
		return t, bad
	}
	return t, nil
}

// parseResult reads the number of a run from the subject of a result, or of a
// conflict.
func (n names) parseResult(subject string) (index int, conflict bool, err error) {
	rest := strings.TrimPrefix(subject, n.prefix())
	number, ok := strings.CutPrefix(rest, "result.")
	if !ok {
		number, conflict = strings.CutPrefix(rest, "conflict.")
	}
	index, err = strconv.Atoi(number)
	if err != nil || index < 0 || !ok && !conflict {
		return 0, false, fmt.Errorf("subject %s is no result of %s", subject, n)
	}
	return index, conflict, nil
}
