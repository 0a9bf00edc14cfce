// Properties that attacks and audits test.

package record

import (
	"fmt"
	"math"
)

// Check is a property that was tested.
type Check struct {
	Kind     CheckKind `json:"kind"`
	Of       int       `json:"of,omitempty"` // the node or round that it concerns, where its kind has one
	Measured Number    `json:"measured"`
	Bound    Number    `json:"bound"` // holds if Measured ≤ Bound
	Holds    bool      `json:"holds"`
	Detail   string    `json:"detail,omitempty"`

	// Finds is, of an audit's checks, the smallest deviation of the kind that Finding says which the check would have
	// found with a probability of 99 %, in units of what is checked; 0: any; null: none, however great it is.
	Finds Number `json:"finds,omitzero"`
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

// Kinds of checks: of audits. First those of every packet of every run.
const (
	PacketsExpected CheckKind = "packets-expected"
	PacketsInTime   CheckKind = "packets-in-time"
	OneValueForAll  CheckKind = "one-value-for-all"
	LiesFollow      CheckKind = "lies-follow"
	RecordAsSent    CheckKind = "record-as-sent"
	StartIsPublic   CheckKind = "start-is-public"
	NoiseFromStream CheckKind = "noise-from-stream"
	StepsRepeat     CheckKind = "steps-repeat" // to the last bit
	IdleRounds      CheckKind = "idle-rounds-follow"
	HubFollows      CheckKind = "hub-follows"
	ReportsFollow   CheckKind = "reports-follow"
	SolvesExact     CheckKind = "solves-exact" // by the solver's tolerance

	ClaimOfNoise       CheckKind = "claim-of-noise"
	CertificateOfNoise CheckKind = "certificate-of-noise"
)

// Kinds of checks of audits: statistics.
const (
	NoiseFinite       CheckKind = "noise-finite"
	NoisePresent      CheckKind = "noise-present"
	NoiseSize         CheckKind = "noise-size"
	NoiseSpread       CheckKind = "noise-spread"
	NoiseLaw          CheckKind = "noise-law"
	NoiseDirection    CheckKind = "noise-direction"
	NoiseCoordinates  CheckKind = "noise-coordinates"
	NoiseRank         CheckKind = "noise-rank"
	NoiseSigns        CheckKind = "noise-signs"
	NoiseShares       CheckKind = "noise-shares"
	NoiseWhole        CheckKind = "noise-whole"
	RoundsIndependent CheckKind = "rounds-independent"
	RunsIndependent   CheckKind = "runs-independent"
	RoundsDrawnAnew   CheckKind = "rounds-drawn-anew"
	RunsDrawnAnew     CheckKind = "runs-drawn-anew"
	NodesIndependent  CheckKind = "nodes-independent"
	NodesDrawnAnew    CheckKind = "nodes-drawn-anew"
	SizesIndependent  CheckKind = "sizes-independent"
	RatiosCalibrated  CheckKind = "ratios-calibrated"
	LabelsFlipped     CheckKind = "labels-flipped"
	LabelsIndependent CheckKind = "labels-independent"
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
	NoiseRank:         "no direction is without noise: how much of its share the one with least lacks",
	NoiseSigns:        "signs of its coordinates, and of its length, have nothing to do with each other",
	NoiseShares:       "law of its directions along some axes (Kolmogorov–Smirnov)",
	NoiseWhole:        "no coordinate of the noise is missing",
	RoundsIndependent: "noise of successive rounds of a run is independent",
	RunsIndependent:   "noise of the same round of successive runs is independent",
	RoundsDrawnAnew:   "noise of successive rounds of a run is drawn anew",
	RunsDrawnAnew:     "noise of the same round of successive runs is drawn anew",
	NodesIndependent:  "noise of successive nodes in a round is independent",
	NodesDrawnAnew:    "noise of successive nodes in a round is drawn anew",
	SizesIndependent:  "sizes of the noise of successive rounds, runs and nodes are independent",
	PacketsExpected:   "there is every packet that the protocol has, of the size it has, and no other",
	PacketsInTime:     "packets are sent when what a node waits for has come and its step has taken its time",
	OneValueForAll:    "a node sends the same value of a round to all and each time",
	LiesFollow: "what nodes that lie tell is what their strategy makes of what they publish and of what had reached " +
		"them",
	RecordAsSent:  "what nodes report of themselves is what they sent",
	StartIsPublic: "every node starts where the method says, whatever its data are",
	NoiseFromStream: "the noise that the messages reveal, given the data, is what the node's stream draws by the " +
		"method's law",
	StepsRepeat:        "every value is what is computed again from the data, what came before and the stream's noise",
	IdleRounds:         "rounds that touch no data follow from messages before them",
	HubFollows:         "the hub's messages follow from those it got",
	ReportsFollow:      "a user's report has its columns as they are, and its label as its stream flips it",
	SolvesExact:        "what solver.tolerance leaves of a step's gradient, as a share of what one row moves it by",
	ClaimOfNoise:       "the claim over the run is no less than what the public model's noise makes of it",
	CertificateOfNoise: "the certificate is no less than what the public model's noise makes of the greatest change",
	RatiosCalibrated:   "log-likelihood ratios agree with the worlds they were sampled in",
	LabelsFlipped:      "labels are flipped with probability 1/(1+e^ε)",
	LabelsIndependent:  "flips of successive users are independent",
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

var checkFindings = map[CheckKind]string{
	PacketsExpected:    "one packet more or less in %s of the runs",
	PacketsInTime:      "a delay of 1 ns in %s of the runs",
	OneValueForAll:     "another bit in %s of the runs",
	LiesFollow:         "another bit in %s of the runs",
	RecordAsSent:       "another bit in %s of the runs",
	StartIsPublic:      "another bit in %s of the runs",
	NoiseFromStream:    "a change by %s of the length of the noise",
	StepsRepeat:        "another bit in %s of the runs",
	IdleRounds:         "another bit in %s of the runs",
	HubFollows:         "another bit in %s of the runs",
	ReportsFollow:      "another bit in %s of the runs",
	NoiseFinite:        "one in %s of the uses",
	NoisePresent:       "none in %s of the uses",
	NoiseSize:          "a size that is off by %s",
	NoiseSpread:        "a spread that is off by %s",
	NoiseLaw:           "a distance of %s between the laws",
	NoiseDirection:     "a mean of length %s",
	NoiseCoordinates:   "second moments that are off by %s",
	NoiseRank:          "a direction that lacks %s of its share",
	NoiseSigns:         "a mean product of signs of %s",
	NoiseShares:        "a distance of %s between the laws",
	NoiseWhole:         "none along an axis in %s of the uses",
	RoundsIndependent:  "a mean cosine of %s",
	RunsIndependent:    "a mean cosine of %s",
	NodesIndependent:   "a mean cosine of %s",
	RoundsDrawnAnew:    "reuse in %s of the pairs",
	RunsDrawnAnew:      "reuse in %s of the pairs",
	NodesDrawnAnew:     "reuse in %s of the pairs",
	SizesIndependent:   "a correlation of %s",
	SolvesExact:        "a share above %s, of any step",
	ClaimOfNoise:       "a claim that is %s too small",
	CertificateOfNoise: "a certificate that is %s too small",
	RatiosCalibrated:   "ratios %s times as large",
	LabelsFlipped:      "a probability that is off by %s",
	LabelsIndependent:  "a correlation of %s",
}

// shares are the kinds of checks whose Finds is a share of a whole.
var shares = map[CheckKind]bool{PacketsExpected: true, PacketsInTime: true, OneValueForAll: true, LiesFollow: true,
	RecordAsSent: true, StartIsPublic: true, ReportsFollow: true, StepsRepeat: true, HubFollows: true, IdleRounds: true,
	NoiseFinite: true, NoisePresent: true, NoiseSize: true,
	NoiseSpread: true, NoiseWhole: true, NoiseRank: true, CertificateOfNoise: true, ClaimOfNoise: true,
	RoundsDrawnAnew: true, RunsDrawnAnew: true, NodesDrawnAnew: true}

// Finding says in words the smallest deviation that the check would have found with a probability of 99 %; empty where
// none is known.
func (c *Check) Finding() string {
	text, ok := checkFindings[c.Kind]
	v := float64(c.Finds)
	switch {
	case !ok || v == 0 || math.IsNaN(v):
		return ""
	case shares[c.Kind]:
		return fmt.Sprintf(text, fmt.Sprintf("%.2g %%", 100*v))
	}
	return fmt.Sprintf(text, fmt.Sprintf("%.2g", v))
}
