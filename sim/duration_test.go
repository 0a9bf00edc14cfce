// How durations and bandwidths are written and read.

package sim

import (
	"strings"
	"testing"
)

func TestDuration_Text(t *testing.T) {
	for text, want := range map[string]Duration{
		"40ns": 40, "20ms": 20e6, "1.5s": 1.5e9, "1h2m": 3720e9, "-3us": -3000,
	} {
		d := Duration(77)
		if err := d.UnmarshalText([]byte(text)); err != nil || d != want {
			t.Errorf("%s reads as %v, %v", text, d, err)
		}
	}
	for _, text := range []string{"", "20", "ms", "20 m s", "1e400s"} {
		d := Duration(77)
		err := d.UnmarshalText([]byte(text))
		if err == nil || !strings.Contains(err.Error(), "must be a duration with a unit") || d != 77 {
			t.Errorf("%q reads as %v, %v", text, d, err)
		}
	}
	d := Duration(77)
	if err := d.UnmarshalText([]byte("0.0000000001s")); err == nil || d != 77 {
		t.Errorf("a tenth of a nanosecond reads as %v, %v", d, err)
	}
	if got, _ := Duration(1500e6).MarshalText(); string(got) != "1.5s" {
		t.Errorf("written %s", got)
	}
	if Duration(1500e6).Seconds() != 1.5 || Time(250e6).Seconds() != 0.25 {
		t.Error("seconds")
	}
}

func TestBandwidth_Text(t *testing.T) {
	for _, c := range []struct {
		text  string
		want  Bandwidth
		again string
	}{
		{"unlimited", 0, "unlimited"},
		{"0bps", 0, "unlimited"},
		{"1Gbps", 1e9, "1Gbps"},
		{"2.5Gbps", 2.5e9, "2.5Gbps"},
		{"1000Mbps", 1e9, "1Gbps"},
		{"100 Mbps", 1e8, "100Mbps"},
		{"64kbps", 64e3, "64kbps"},
		{"1kbps", 1e3, "1kbps"},
		{"999bps", 999, "999bps"},
		{"1bps", 1, "1bps"},
		{"0.25bps", 0.25, "0.25bps"},
	} {
		b := Bandwidth(77)
		if err := b.UnmarshalText([]byte(c.text)); err != nil || b != c.want {
			t.Errorf("%s reads as %v, %v", c.text, float64(b), err)
		}
		if again, _ := b.MarshalText(); string(again) != c.again {
			t.Errorf("%s is written %s, want %s", c.text, again, c.again)
		}
	}
	for k := range 10_000 { // in every unit, as it was
		for _, u := range bandwidthUnits {
			b, again := Bandwidth(float64(k)*1e-6*u.factor), Bandwidth(77)
			text, err := b.MarshalText()
			if err == nil {
				err = again.UnmarshalText(text)
			}
			if err != nil || again != b {
				t.Fatalf("%v is written %s and read as %v, %v", float64(b), text, float64(again), err)
			}
		}
	}
	for _, text := range []string{"", "100", "Mbps", "xMbps", "-1bps", "NaNbps", "+Infbps", "1e400bps", "endless"} {
		b := Bandwidth(77)
		err := b.UnmarshalText([]byte(text))
		if err == nil || !strings.Contains(err.Error(), "must be a bandwidth such as") || b != 77 {
			t.Errorf("%q reads as %v, %v", text, float64(b), err)
		}
	}
}
