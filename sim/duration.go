// Virtual time, durations and bandwidths, and how they are written.

package sim

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is virtual time in nanoseconds since the start of the run.
type Time int64

// Seconds is the time in seconds.
func (t Time) Seconds() float64 { return float64(t) / 1e9 }

func (t Time) String() string { return time.Duration(t).String() }

// Duration is a span of virtual time in nanoseconds, written "20ms" or "1.5s".
type Duration int64

// Seconds is the duration in seconds.
func (d Duration) Seconds() float64 { return float64(d) / 1e9 }

func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the duration with its unit.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration with its unit: ns, us, ms, s, m or h.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("must be a duration with a unit, such as 40ns, 20ms or 1.5s, is %q", text)
	}
	if v == 0 && bytes.ContainsAny(text, "123456789") {
		return fmt.Errorf("must be 0 or at least 1ns, is %q", text)
	}
	*d = Duration(v)
	return nil
}

// Bandwidth is in bits a second, written "100Mbps"; zero is unlimited.
type Bandwidth float64

var bandwidthUnits = []struct {
	suffix string
	factor float64
}{{"Gbps", 1e9}, {"Mbps", 1e6}, {"kbps", 1e3}, {"bps", 1}}

// UnmarshalText reads a bandwidth with its unit: bps, kbps, Mbps or Gbps.
func (b *Bandwidth) UnmarshalText(text []byte) error {
	for _, u := range bandwidthUnits {
		if number, ok := strings.CutSuffix(string(text), u.suffix); ok {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
				break
			}
			*b = Bandwidth(v * u.factor)
			return nil
		}
	}
	if string(text) == "unlimited" {
		*b = 0
		return nil
	}
	return fmt.Errorf("must be a bandwidth such as 64kbps, 100Mbps or 1Gbps, or unlimited, is %q", text)
}

// MarshalText writes the bandwidth in its largest whole unit in which it is read back the same.
func (b Bandwidth) MarshalText() ([]byte, error) {
	if b == 0 {
		return []byte("unlimited"), nil
	}
	for _, u := range bandwidthUnits {
		if v := float64(b) / u.factor; v >= 1 && v*u.factor == float64(b) {
			return []byte(strconv.FormatFloat(v, 'g', -1, 64) + u.suffix), nil
		}
	}
	return []byte(strconv.FormatFloat(float64(b), 'g', -1, 64) + "bps"), nil
}
