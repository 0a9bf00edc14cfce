// What memory the machine has, or its control group allows.

//go:build !js

package memory

import "github.com/KimMachineGun/automemlimit/memlimit"

func machine() (uint64, error) {
	bytes, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	if total, also := memlimit.FromSystem(); also == nil && (err != nil || total < bytes) {
		bytes, err = total, nil // a control group may allow more than there is
	}
	return bytes, err
}
