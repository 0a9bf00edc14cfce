// What memory the machine has, or its control group or the process's limit of addresses allows.

//go:build !js

package memory

import "github.com/KimMachineGun/automemlimit/memlimit"

func machine() (uint64, error) {
	bytes, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if total, also := memlimit.FromSystem(); also == nil && (err != nil || total < bytes) {
		bytes, err = total, nil // a control group may allow more than there is
	}
	const idle = 2 // of addresses about half are reserved for threads, and for what the heap has not come to
	return min(bytes, max(1, addresses()/idle)), err
}
