// What memory the machine has, or its control group or the process's limit of addresses allows.

//go:build !js

package memory

import "github.com/KimMachineGun/automemlimit/memlimit"

// idle is how many addresses are reserved for one that holds something: those of the heap are taken in large parts.
const idle = 2

// machine also says whether that is for want of addresses.
func machine() (bytes uint64, few bool, err error) {
	most, spent := addresses()
	return allowed(memlimit.FromCgroup, memlimit.FromSystem, most-min(most, spent))
}

// allowed is the least of what a control group allows, the system has and so many addresses are enough for.
func allowed(group, system memlimit.Provider, addresses uint64) (bytes uint64, few bool, err error) {
	bytes, err = memlimit.ApplyFallback(group, system)()
	if total, also := system(); also == nil && (err != nil || total < bytes) {
		bytes, err = total, nil // a control group may allow more than there is
	}
	if enough := max(1, addresses/idle); err == nil && enough < bytes {
		return enough, true, nil
	}
	return bytes, false, err
}
