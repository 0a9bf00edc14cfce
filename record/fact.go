// Facts that attacks work out.

package record

import "fmt"

// Fact is a vector worked out that no packet carried.
type Fact struct {
	Kind      FactKind  `json:"kind"`
	Node      int       `json:"node"`
	Round     int       `json:"round"`
	Since     int       `json:"since,omitempty"`     // of a difference: the round it is taken from
	Candidate int       `json:"candidate,omitempty"` // of column distances: whose columns
	Values    []float64 `json:"values"`
	Relative  Number    `json:"relative_l2"` // to the truth; null: not at hand

	// Terms is the size of what the values are sums and differences of: the scale of a truth that these do not tell
	// from zero. It is 0 where the values are none.
	Terms float64 `json:"-"`
}

// FactKind is what a fact is about.
type FactKind string

// Kinds of facts.
const (
	PublishedValue FactKind = "value"            // what a node published
	NeighbourSum   FactKind = "neighbour-sum"    // Σ of the neighbours' values that entered an update
	PrivatePenalty FactKind = "penalty"          // a node's own η
	RowCount       FactKind = "independent-rows" // how many independent rows a node has
	DataRank       FactKind = "data-rank"        // the rank of a node's data, which may be that of the columns
	LeastRank      FactKind = "least-rank"       // the same, where there may be more rows: it is that or more
	// ∇ of the data at a round's point less that at an earlier one's
	GradientDifference FactKind = "gradient-difference"
	StartGradient      FactKind = "start-gradient"     // ∇ of a node's data at zero, where every node starts
	PositiveShare      FactKind = "positive-share"     // of a node's rows, that with class +1
	MessageRank        FactKind = "message-rank"       // the dimension of the span of a party's messages
	LeastMessageRank   FactKind = "least-message-rank" // the same, where it is as large as the messages allow
	ColumnDistances    FactKind = "column-distances"   // of a candidate's columns to the span of the messages
)

// Text says in words what the fact is about.
func (f *Fact) Text() string {
	switch f.Kind {
	case PublishedValue:
		return "value"
	case NeighbourSum:
		return "sum of neighbours' values"
	case PrivatePenalty:
		return "private penalty η"
	case RowCount:
		return "number of independent rows"
	case DataRank:
		return "rank of the data"
	case LeastRank:
		return "rank of the data, at least"
	case GradientDifference:
		return "gradient difference"
	case StartGradient:
		return "gradient at the start"
	case PositiveShare:
		return "share of rows of class +1"
	case MessageRank:
		return "rank of the messages"
	case LeastMessageRank:
		return "rank of the messages so far, which is the most they can have"
	case ColumnDistances:
		return fmt.Sprintf("distance of each column of candidate %d to the span of the messages", f.Candidate)
	}
	return string(f.Kind)
}
