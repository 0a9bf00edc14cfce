// Kinds of message, as recorded.

package record

// MessageKind is what a message is for.
type MessageKind string

// Kinds of message.
const (
	MessageValue   MessageKind = "value"   // what a node published
	MessageRequest MessageKind = "request" // asks for a value or a report that has not come
	MessageReport  MessageKind = "report"  // of a user, of its row, to the server where it registers
	MessageLeave   MessageKind = "leave"   // the sender leaves for ever
)
