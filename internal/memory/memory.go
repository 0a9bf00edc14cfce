// Package memory refuses what would not fit: sizes are estimated and checked before anything
// of that size is made. The limit is what the machine has, or its control group allows, unless
// it is set. It decides only whether a run is refused, never what it computes.
package memory

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
)

var limit atomic.Int64

// addressed is the limit where it is by itself that of addresses; else 0.
var addressed int64

func init() {
	limit.Store(math.MaxInt64) // where the machine does not tell
	if bytes, few, err := machine(); err == nil && bytes > 0 && bytes < math.MaxInt64 {
		limit.Store(int64(bytes))
		if few {
			addressed = int64(bytes)
		}
	}
}

// Limit is how many bytes something may need.
func Limit() int64 { return limit.Load() }

// SetLimit replaces the limit and returns the one before.
func SetLimit(bytes int64) (before int64) { return limit.Swap(bytes) }

// Refused is what would need more than the limit.
type Refused struct {
	What  string
	Bytes float64 // about so many

	limit  float64
	source string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("%s would take about %s of memory; the limit is %s, %s", r.What, Enough(r.Bytes), Text(r.limit),
		r.source)
}

// Check is an error, *Refused, if what needs about so many bytes, more than the limit.
func Check(what string, bytes float64) error {
	if bytes <= float64(Limit()) {
		return nil
	}
	return &Refused{what, bytes, float64(Limit()), source()}
}

// Enough is a size in words that is no less: who allows as much is not refused again.
func Enough(bytes float64) string { return Text(upwards(bytes)) }

// upwards is the least size that Text has a number for and that is no less.
func upwards(bytes float64) float64 {
	for _, u := range units {
		for digit := 100.0; digit >= 1; digit /= 10 {
			if number := bytes / u.bytes; number >= digit && number < 1000 {
				return math.Ceil(number*100/digit) / 100 * digit * u.bytes
			}
		}
	}
	return math.Ceil(bytes)
}

// source says where the limit comes from.
func source() string {
	if Limit() == addressed {
		return "half of the addresses that the process may have (ulimit -v), or what --max-memory says"
	}
	return "what this machine has or --max-memory says"
}

// units of sizes, and their names as they are written.
var units = []struct {
	name  string
	bytes float64
}{{"EB", 1e18}, {"PB", 1e15}, {"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}}

// Text is a size in words.
func Text(bytes float64) string {
	for _, u := range units {
		if bytes >= u.bytes {
			return fmt.Sprintf("%.3g %s", bytes/u.bytes, u.name)
		}
	}
	return fmt.Sprintf("%.0f bytes", bytes)
}

// Parse reads a size, such as 8GB or 500 MB; without a unit it is bytes.
func Parse(text string) (int64, error) {
	number, factor := strings.TrimSpace(text), 1.0
	for _, u := range units {
		if rest, ok := strings.CutSuffix(strings.ToUpper(number), strings.ToUpper(u.name)); ok {
			number, factor = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if bytes := v * factor; err == nil && bytes >= 1 && bytes < math.MaxInt64 {
		return int64(math.Round(bytes)), nil
	}
	return 0, fmt.Errorf("a size is a positive number of bytes, kB, MB, GB or TB, such as 8GB, not %q", text)
}
