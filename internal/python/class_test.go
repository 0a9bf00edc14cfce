package python

import "testing"

// What is written is read again as it was; no arguments are none, whose key is not written.
func TestArguments_ReadAsWritten(t *testing.T) {
	for _, text := range []string{"", "alpha=1, eta=0.05"} {
		var a Arguments
		if err := a.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, _ := a.MarshalText(); string(got) != text {
			t.Errorf("%q is written as %q", text, got)
		}
		if (a == nil) != (text == "") {
			t.Errorf("%q is %#v", text, a)
		}
	}
	var a Arguments
	if err := a.UnmarshalText([]byte("eta=1, eta=2")); err == nil {
		t.Error("an argument may be there twice")
	}
}
