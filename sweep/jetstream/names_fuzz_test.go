// Subjects from a server are tasks and results of the sweep, or are said to be none.

package jetstream

import "testing"

func FuzzSubject(f *testing.F) {
	n := namesOf("0123456789abcdef0123")
	f.Add(n.task(task{1, 5, 0}))
	f.Add(n.result(7))
	f.Add(n.conflict(7, "worker"))
	f.Add("1.2.3")
	f.Add(n.prefix() + "task.+1.2.3")
	f.Fuzz(func(t *testing.T, subject string) {
		if got, err := n.parseTask(subject); err == nil && (n.task(got) != subject || got.count() < 1) {
			t.Errorf("%q is read as the task %+v", subject, got)
		}
		if index, _, ok := n.parseResult(subject); ok && index < 0 {
			t.Errorf("%q is read as number %d", subject, index)
		}
		_, _ = n.parseBack(subject)
		_, _ = ofStream(subject)
	})
}
