// Properties that attacks and audits test.

package record

import "fmt"

// Check is a property that was tested.
type Check struct {
	Kind     CheckKind `json:"kind"`
	Of       int       `json:"of,omitempty"` // the node or round that it concerns, where its kind has one
	Measured Number    `json:"measured"`
	Bound    Number    `json:"bound"` // holds if Measured ≤ Bound
	Holds    bool      `json:"holds"`
	Detail   string    `json:"detail,omitempty"`
}

// CheckKind is what was tested.
type CheckKind string

// Kinds of checks: of attacks.
const (
	DifferenceNoise  CheckKind = "difference-noise"   // Of is the round
	SumsAgree        CheckKind = "sums-agree"         // sums worked out against those that were seen
	SumPrecision     CheckKind = "sum-precision"      // what the solver's tolerance makes of sums
	EvenRoundsFollow CheckKind = "even-rounds-follow" // Of is the node
	RowRankGap       CheckKind = "row-rank-gap"       // the singular value after the rows' rank
	MessageRankGap   CheckKind = "message-rank-gap"   // the singular value after the messages' rank
	ReportAccuracy   CheckKind = "report-accuracy"    // of reported labels
	ModelAccuracy    CheckKind = "model-accuracy"     // of labels with the servers' model
)

// Kinds of checks: of audits.
const (
	NoiseFinite        CheckKind = "noise-finite"
	NoisePresent       CheckKind = "noise-present"
	NoiseSize          CheckKind = "noise-size"
	NoiseSpread        CheckKind = "noise-spread"
	NoiseLaw           CheckKind = "noise-law"
	NoiseDirection     CheckKind = "noise-direction"
	NoiseCoordinates   CheckKind = "noise-coordinates"
	RoundsIndependent  CheckKind = "rounds-independent"
	RunsIndependent    CheckKind = "runs-independent"
	RoundsDrawnAnew    CheckKind = "rounds-drawn-anew"
	RunsDrawnAnew      CheckKind = "runs-drawn-anew"
	NoiseFromStream    CheckKind = "noise-from-stream"
	RatiosCalibrated   CheckKind = "ratios-calibrated"
	LabelsFlipped      CheckKind = "labels-flipped"
	ReportsKeepColumns CheckKind = "reports-keep-columns"
)

var checkTexts = map[CheckKind]string{
	DifferenceNoise: "expected noise in the gradient difference of round %d, against its size",
	SumsAgree: "sums worked out against those that were seen: relative difference, bounded by what the " +
		"solver leaves",
	SumPrecision:     "bound on the relative error that the solver's tolerance makes in sums and values",
	EvenRoundsFollow: "even rounds of node %d follow from messages: relative deviation",
	RowRankGap: "singular value after the last that counts, against the errors that solver and rounding " +
		"leave (Weyl)",
	MessageRankGap:    "singular value of the scaled messages after the last that counts, against rounding",
	ReportAccuracy:    "expected accuracy of the reported labels, against the bound of randomised response",
	ModelAccuracy:     "expected accuracy with the servers' model, against the same",
	NoiseFinite:       "the noise is finite",
	NoisePresent:      "no noise is missing",
	NoiseSize:         "size of the noise",
	NoiseSpread:       "spread of its size",
	NoiseLaw:          "law of its size (Kolmogorov–Smirnov)",
	NoiseDirection:    "mean of its directions",
	NoiseCoordinates:  "its coordinates are alike and independent",
	RoundsIndependent: "noise of successive rounds of a run is independent",
	RunsIndependent:   "noise of the same round of successive runs is independent",
	RoundsDrawnAnew:   "noise of successive rounds of a run is drawn anew",
	RunsDrawnAnew:     "noise of the same round of successive runs is drawn anew",
	NoiseFromStream: "the noise that the messages reveal, given the data, is what the node's stream draws by the " +
		"method's law",
	RatiosCalibrated:   "log-likelihood ratios agree with the worlds they were sampled in",
	LabelsFlipped:      "labels are flipped with probability 1/(1+e^ε)",
	ReportsKeepColumns: "a report has the user's columns as they are",
}

// Text says in words what was tested.
func (c *Check) Text() string {
	text, ok := checkTexts[c.Kind]
	switch {
	case !ok:
		return string(c.Kind)
	case c.Kind == DifferenceNoise || c.Kind == EvenRoundsFollow:
		return fmt.Sprintf(text, c.Of)
	}
	return text
}
