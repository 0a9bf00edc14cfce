// What keeps a theorem from being about a run.

package theory

import (
	"reflect"
	"strings"
	"testing"
)

// Every circumstance by itself takes a run out of a theorem that does not allow it, and none
// that it allows does.
func TestCovers_EveryCircumstanceCounts(t *testing.T) {
	all := reflect.TypeFor[Circumstances]()
	if all.NumField() != len(reasons) {
		t.Fatalf("%d circumstances, %d reasons", all.NumField(), len(reasons))
	}
	var whole Circumstances
	for k := range all.NumField() {
		var c Circumstances
		reflect.ValueOf(&c).Elem().Field(k).SetBool(true)
		reflect.ValueOf(&whole).Elem().Field(k).SetBool(true)
		if err := (Theorem{}).Covers(c); err == nil || err.Error() != reasons[k].text {
			t.Errorf("%s: %v", all.Field(k).Name, err)
		}
		if err := (Theorem{Allows: c}).Covers(c); err != nil {
			t.Errorf("%s is allowed: %v", all.Field(k).Name, err)
		}
	}
	if err := (Theorem{}).Covers(whole); strings.Count(err.Error(), "; ")+1 != len(reasons) {
		t.Errorf("not every reason is given: %v", err)
	}
	if err := ZKL18Theorem32.Covers(Circumstances{}); err != nil {
		t.Error(err)
	}
}
