package engine

import (
	"context"
	"testing"
	"time"
)

func TestTimes(t *testing.T) {
	for _, d := range Descriptions()[3:4] {
		start := time.Now()
		a, err := Compute(context.Background(), d.Name, nil, func(float64, string) {})
		if err != nil {
			t.Errorf("%s: %v", d.Name, err)
			continue
		}
		t.Logf("%-12s %.2f s, %d runs %.8s", d.Name, time.Since(start).Seconds(), len(a.Runs), a.Digest)
		for _, s := range a.Statements {
			t.Logf("     %s: %s: %s", s.Verdict, s.Claim, s.Found)
		}
	}
}
