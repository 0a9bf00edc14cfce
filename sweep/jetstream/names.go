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

// Consumers of tasks.
const (
	workers = "workers" // what workers share
	returns = "returns" // what the coordinator takes back
)

func (n names) planStream() string   { return "OVERHEAR_" + string(n) + "_PLAN" }
func (n names) taskStream() string   { return "OVERHEAR_" + string(n) + "_TASKS" }
func (n names) resultStream() string { return "OVERHEAR_" + string(n) + "_RESULTS" }

func (n names) prefix() string  { return "overhear." + string(n) + "." }
func (n names) plan() string    { return n.prefix() + "plan" }
func (n names) end() string     { return n.prefix() + "end" }
func (n names) present() string { return n.prefix() + "present" } // not stored

func (n names) result(index int) string { return n.prefix() + "result." + strconv.Itoa(index) }

// conflict is where a worker says its result if there is another.
func (n names) conflict(index int, worker string) string {
	return n.prefix() + "conflict." + strconv.Itoa(index) + "." + worker
}

// back is where a worker hands a task back, all of it or its end.
func (n names) back(t task) string { return n.prefix() + "back." + t.text() }

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
	return n.prefix() + "task." + t.text()
}

// text writes a task, as the end of a subject.
func (t task) text() string { return fmt.Sprintf("%d.%d.%d", t.first, t.last, t.round) }

// readTask reads a task from its text.
func readTask(text string) (t task, ok bool) {
	fields := strings.Split(text, ".")
	if len(fields) != 3 {
		return t, false
	}
	for k, to := range []*int{&t.first, &t.last, &t.round} {
		var err error
		if *to, err = strconv.Atoi(fields[k]); err != nil || *to < 0 {
			return t, false
		}
	}
	return t, t.last >= t.first && t.text() == text // +1 and 01 are numbers, too
}

// parseTask reads a task from its subject, so that the coordinator learns what is
// queued from a list of subjects.
func (n names) parseTask(subject string) (task, error) {
	text, ok := strings.CutPrefix(subject, n.prefix()+"task.")
	if t, is := readTask(text); ok && is {
		return t, nil
	}
	return task{}, fmt.Errorf("subject %s is no task of %s", subject, n)
}

// parseBack reads what is handed back from the subject of the message.
func (n names) parseBack(subject string) (task, bool) {
	text, ok := strings.CutPrefix(subject, n.prefix()+"back.")
	t, is := readTask(text)
	return t, ok && is
}

// parseResult reads the number of a run from the subject of a result, or of a
// conflict.
func (n names) parseResult(subject string) (index int, conflict, ok bool) {
	rest := strings.TrimPrefix(subject, n.prefix())
	number, ok := strings.CutPrefix(rest, "result.")
	if !ok {
		number, conflict = strings.CutPrefix(rest, "conflict.")
		number, _, ok = strings.Cut(number, ".")
	}
	index, err := strconv.Atoi(number)
	return index, conflict, err == nil && index >= 0 && ok && strconv.Itoa(index) == number
}
