// What a privacy claim protects.

package privacy

// Unit is what may change between two data sets that a claim says cannot be told
// apart; its text is what records call it.
type Unit string

// Units of protection.
const (
	Sample Unit = "sample" // one row of one node, with its label
	Label  Unit = "label"  // one row's label
	Column Unit = "column" // one column of one party, changed by at most 1 in norm
)
