// Subjects from a server are tasks and results of the sweep, or are said to be none.

package jetstream

import "testing"

func FuzzSubject(f *testing.F) {
	n := namesOf("0123456789abcdef0123")
	f.Add(n.task(task{1, 5, 0}))
	f.Add(n.result(7))
	f.Add(n.conflict(7))
	f.Add("1.2.3")
	f.Add(n.prefix() + "task.+1.2.3")
	f.Fuzz(func(t *testing.T, subject string) {
		if got, err := n.parseTask(subject); err == nil && (n.task(got) != subject || got.count() < 1) {
			t.Errorf("%q is read as the task %+v", subject, got)
		}
		index, conflict, err := n.parseResult(subject)
		written := n.result(index)
		if conflict {
			written = n.conflict(index)
		}
		if err == nil && written != subject {
			t.Errorf("%q is read as number %d, conflict %v", subject, index, conflict)
		}
		_, _ = ofStream(subject)
	})
}
