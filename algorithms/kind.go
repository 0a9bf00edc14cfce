// Kinds of message.

package algorithms

import "overhear/record"

// Kinds of message, as the engine carries them.
const (
	KindValue   uint8 = 1 // payload: what the sender publishes in the message's round
	KindRequest uint8 = 2 // no payload: asks for the receiver's value of that round, or for its report
	KindReport  uint8 = 3 // payload: a user's report to its server, see Registering
	KindLeave   uint8 = 4 // no payload: the sender leaves
)

// Kinds are the kinds of message as they are recorded.
var Kinds = map[uint8]record.MessageKind{
	KindValue: record.MessageValue, KindRequest: record.MessageRequest, KindReport: record.MessageReport,
	KindLeave: record.MessageLeave,
}
