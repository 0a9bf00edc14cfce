// What memory the machine has, or its control group or the process's limit of addresses allows.

//go:build !js

package memory

import "github.com/KimMachineGun/automemlimit/memlimit"

// machine also says whether that is for want of addresses.
func machine() (bytes uint64, few bool, err error) {
	return allowed(memlimit.FromCgroup, memlimit.FromSystem, addresses())
}

// allowed is the least of what a control group allows, the system has and so many addresses are enough for.
func allowed(group, system memlimit.Provider, addresses uint64) (bytes uint64, few bool, err error) {
	bytes, err = memlimit.ApplyFallback(group, system)()
	if total, also := system(); also == nil && (err != nil || total < bytes) {
		bytes, err = total, nil // a control group may allow more than there is
	}
	const idle = 2 // of addresses about half are reserved for threads, and for what the heap has not come to
	if enough := max(1, addresses/idle); err == nil && enough < bytes {
		return enough, true, nil
	}
	return bytes, false, err
}
