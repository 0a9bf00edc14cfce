package algorithms

import (
	"strings"
	"testing"

	"overhear/parameter"
)

// What is wrong with a method's parameters is said under their keys.
func TestSchedule_IsReportedUnderItsKey(t *testing.T) {
	var keys []string
	DVP{ADMM: ADMM{Eta: 1}, Alpha: parameter.Constant(0)}.Check(func(field,
		problem string) {
		keys = append(keys, field+" "+problem)
	})
	if len(keys) != 1 || keys[0] != "alpha must be positive, is 0 (alpha.initial)" {
		t.Errorf("dvp reports %q", keys)
	}
}

func TestSchedule_ForAnotherNumberOfNodesIsRefused(t *testing.T) {
	f := uneven() // six nodes
	for name, change := range map[string]func(p any, s parameter.Schedule){
		"dvp":                  func(p any, s parameter.Schedule) { p.(*DVP).Alpha = s },
		"pvp":                  func(p any, s parameter.Schedule) { p.(*PVP).Alpha = s },
		"private-dgd":          func(p any, s parameter.Schedule) { p.(*PrivateDGD).Alpha = s },
		"m-admm":               func(p any, s parameter.Schedule) { p.(*MADMM).Theta = s },
		"penalty-perturbation": func(p any, s parameter.Schedule) { p.(*PenaltyPerturbation).Eta = s },
		"mr-admm":              func(p any, s parameter.Schedule) { p.(*MRADMM).Eta = s },
		"private-r-admm":       func(p any, s parameter.Schedule) { p.(*PrivateRADMM).Alpha = s },
		"private-mr-admm":      func(p any, s parameter.Schedule) { p.(*PrivateMRADMM).Alpha = s },
		"pdml":                 func(p any, s parameter.Schedule) { p.(*PDML).Deviation = s },
	} {
		e, _ := Lookup(name)
		p := filled(t, e)
		change(p, laws(1, 1, 1, 1, 1))
		_, err := e.New(p, Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 3})
		if err == nil || !strings.Contains(err.Error(), "is given for 5 nodes; there are 6") {
			t.Errorf("%s: %v", name, err)
		}
		change(p, laws(1, 1, 1, 1, 1, 1))
		if _, err := e.New(p, Setting{Problem: f.problem(), Graph: f.graphOf(t, e), Rounds: 3}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
