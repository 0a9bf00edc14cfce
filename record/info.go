// run.json.

package record

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"overhear/privacy"
	"overhear/problem"
)

// Format is the version of the run directory's format.
const Format = 1

const infoFile = "run.json"

// Info is run.json. Everything but Wall is the same for every repeat of a run.
type Info struct {
	Format       int               `json:"format"`
	Name         string            `json:"name"`
	Seed         uint64            `json:"seed"`
	Versions     map[string]string `json:"versions"`
	Digest       string            `json:"digest"` // SHA-256 of the trace
	Events       uint64            `json:"events"`
	Algorithm    string            `json:"algorithm"`
	Nodes        int               `json:"nodes"`
	Edges        int               `json:"edges"`
	Sites        []string          `json:"sites"` // of each node; null: its latency is not one between sites
	Data         *problem.Reading  `json:"data"`  // null: a built-in set
	Columns      int               `json:"columns"`
	Classes      []string          `json:"classes"` // names, where each has a block of the model; null: rows have two, or targets
	Parties      int               `json:"parties"` // that hold columns of the same rows; 0: rows are split
	TrainRows    int               `json:"train_rows"`
	TestRows     int               `json:"test_rows"`
	Rounds       int               `json:"rounds"`  // the last that all nodes have completed; −1: none
	Changes      []string          `json:"changes"` // what the scenario has change while the run goes, and when
	Ended        string            `json:"ended"`   // why the run ended before its last round; "": it did not
	Final        Final             `json:"final"`
	Reference    Reference         `json:"optimum"`
	Level        float64           `json:"level,omitempty"` // of the quantile that is predicted; absent: another loss
	Zeros        *Zeros            `json:"zeros"`           // null: neither l1 nor group is in the objective
	Ridge        *Ridge            `json:"ridge"`           // null: it was not computed
	BaseError    Number            `json:"base_error"`      // test error of always saying the more frequent class
	Convergence  *Convergence      `json:"convergence"`
	Residual     Residual          `json:"residual"`
	Privacy      *Privacy          `json:"privacy"` // null: the method claims nothing
	Rates        []Rate            `json:"rates"`
	Excess       []Excess          `json:"excess_risk"`
	Activity     *Activity         `json:"activity"`
	Acts         *Acts             `json:"acts,omitempty"` // absent: all nodes were honest
	Warnings     []string          `json:"warnings"`
	Parameters   string            `json:"parameters"` // of the method, as YAML, with what was computed or chosen
	Computed     []Computed        `json:"computed"`   // which of them the program computed; null: none
	ScenarioHash string            `json:"scenario_hash"`
	Scenario     string            `json:"scenario"` // resolved, as YAML
	Inputs       Inputs            `json:"inputs"`
	Files        map[string]string `json:"files"` // SHA-256 of the other files
	Wall         float64           `json:"wall_seconds"`
}

// Activity is how the nodes spent the run; nodes.csv has each of them.
type Activity struct {
	LeastRounds int     `json:"least_rounds"` // of a node
	MostRounds  int     `json:"most_rounds"`
	BusySeconds float64 `json:"busy_seconds"` // of virtual time, mean over nodes
	IdleSeconds float64 `json:"idle_seconds"` // waiting
	DownSeconds float64 `json:"down_seconds"` // crashed, not joined yet, or gone
	Lags        []int64 `json:"lags"`         // how often a step used a value so many rounds behind it; null in lockstep
	Stale       int64   `json:"stale"`        // in lockstep, values of other rounds that stood in for late ones
	Effort
}

// Effort is what all nodes of a run over split rows computed, whatever the machine; nothing where columns are split.
type Effort struct {
	Solves         int64 `json:"solves"`         // minimisations
	Passes         int64 `json:"passes"`         // over a node's rows: gradients, within minimisations and alone
	Factorisations int64 `json:"factorisations"` // of Hessians
}

// Acts is who lied in a run, and how far that led the others.
type Acts struct {
	Liars    []Liar `json:"liars"`
	Heard    Number `json:"heard"`           // greatest norm of what they sent honest nodes
	Distance Number `json:"honest_distance"` // of the worst honest node from the optimum of the honest nodes' data, relative
	Claim    string `json:"claim,omitempty"` // whether the method's claim is proved where neighbours lie, and why; absent: none
}

// Liar is a node that lied.
type Liar struct {
	Node int    `json:"node"`
	Kind string `json:"kind"`
	How  string `json:"how"`  // in words
	Lies int64  `json:"lies"` // values that it sent and were not what it published, or that it left out
}

// Computed is a parameter of the method that the scenario left to the program.
type Computed struct {
	Key   string  `json:"key"`
	Value float64 `json:"value"`
	Why   string  `json:"why"`
}

// Final is the last round's metrics; a value that is not defined is null.
type Final struct {
	VirtualSeconds float64 `json:"virtual_seconds"`
	Loss           Number  `json:"loss"`
	Objective      Number  `json:"objective"`
	TestError      Number  `json:"test_error"`
	TestLoss       Number  `json:"test_loss"`
	Consensus      Number  `json:"consensus"`
	Distance       Number  `json:"distance"`
	DualSum        Number  `json:"dual_sum"`
	PrivacyLoss    Number  `json:"privacy_loss"`
	Messages       int64   `json:"messages"`
	Bytes          int64   `json:"bytes"`
	*Fit

	Stationarity *Number `json:"stationarity,omitempty"` // in place of Distance where the loss is not convex; nil: it is
}

// Fit is how near predictions come to targets, as metrics.csv has it; nil where rows have classes.
type Fit struct {
	RMSE     Number `json:"rmse"`
	R2       Number `json:"r2"`
	TestRMSE Number `json:"test_rmse"`
	TestR2   Number `json:"test_r2"`

	// The share of rows whose target is at most what is predicted: of a quantile, its level.
	Covered     Number `json:"covered"`
	TestCovered Number `json:"test_covered"`
}

// Zeros are how many components are exactly zero, of each node's model or each party's coefficients at the end, and at
// the optimum.
type Zeros struct {
	Components []int `json:"components"`      // by node with data, or by party
	Optimum    []int `json:"optimum"`         // one number where rows are split; null: no optimum is known
	Of         []int `json:"of"`              // how many components there are, by node or party
	Parties    []int `json:"parties"`         // from 1 on, whose coefficients are all zero; null: rows are split
	AtOptimum  []int `json:"optimum_parties"` // the same at the optimum
}

// Reference is the centralised optimum f*; nothing of it is known where the loss is not convex.
type Reference struct {
	Objective Number    `json:"objective"`
	TestError Number    `json:"test_error"`
	TestLoss  Number    `json:"test_loss"`
	Point     []float64 `json:"point"`
	*Fit
}

// Ridge is what the optimum gives up for the weight ρ of the ridge: the optimum's
// figures beside those of the optimum with a smaller weight.
type Ridge struct {
	Weight           float64 `json:"weight"`
	Smaller          float64 `json:"smaller"`
	Loss             Number  `json:"loss"` // mean training loss, without the ridge
	SmallerLoss      Number  `json:"smaller_loss"`
	SmallerTestError Number  `json:"smaller_test_error"`
}

// How a run's distance to the optimum went.
const (
	Converged  = "converged"
	Moving     = "moving"      // it falls
	AtRest     = "at rest"     // it neither falls nor rises, and is not near zero
	MovingAway = "moving away" // it rises
	Diverging  = "diverging"   // it rises far from the optimum, or the run was stopped for it
	Unknown    = "unknown"     // there are too few rounds, no optimum, or the run has hardly left its start
)

// Convergence is how a run's distance to the optimum went.
type Convergence struct {
	State   string `json:"state"`
	Factor  Number `json:"factor"`  // of the distance in a round, by the last half of the run
	More    int    `json:"more"`    // rounds until it has converged at that factor; 0: none, or not known
	Advice  string `json:"advice"`  // what to change, in words; empty: nothing
	Stopped string `json:"stopped"` // why the run was ended before its last round; empty: it was not

	Flat bool `json:"flat,omitempty"` // the gradient was near 0 at the start, and has not fallen: the loss is flat there

	Of string `json:"of,omitempty"` // OfGradient, in place of the distance; empty: the distance
}

// OfGradient is what a run's progress is told from where there is no optimum to measure it against: the norm of the
// gradient.
const OfGradient = "gradient"

// Away is how far a run has ended from where it should, as a clause.
func (i *Info) Away() string {
	if s := i.Final.Stationarity; s != nil {
		return fmt.Sprintf("the gradient of its objective is %.3g times the rows' steepest", float64(*s))
	}
	return fmt.Sprintf("its distance to the optimum is %.3g", float64(i.Final.Distance))
}

// Residual is the largest ‖∇‖/max(1, ‖q‖) of all solves, and its bound.
type Residual struct {
	Max       Number  `json:"max"`
	Tolerance float64 `json:"tolerance"`
}

// Claim is what a method claims to protect at one node over the whole run.
type Claim struct {
	Node        int          `json:"node"`
	Unit        privacy.Unit `json:"unit"`    // what is protected
	Epsilon     Number       `json:"epsilon"` // the method's own bound; null: not established
	PerRound    Number       `json:"worst_round"`
	Delta       Number       `json:"delta"`    // of Epsilon, 0 for pure differential privacy
	Bound       Bound        `json:"bound"`    // the least of all
	Advanced    Number       `json:"advanced"` // ε at AtDelta by advanced composition; null: not all mechanisms are pure
	ZCDP        Number       `json:"zcdp"`     // ε at AtDelta by zCDP
	RDP         Number       `json:"rdp"`      // ε at AtDelta by Rényi divergences
	AtDelta     Number       `json:"at_delta"`
	Established bool         `json:"established"`
}

// Certificate is what a run loses at most over all rounds, by the law of the noise (docs/mathematics.md §6.1).
type Certificate struct {
	Unit    privacy.Unit `json:"unit"`
	Node    int          `json:"node"`             // that loses most
	Epsilon Number       `json:"epsilon"`          // null: not certified
	Delta   Number       `json:"delta"`            // of Epsilon
	By      string       `json:"by"`               // ByLaw, or BySum and why; empty: not certified
	Reason  string       `json:"reason"`           // why there is none; empty: there is one
	Covers  string       `json:"covers,omitempty"` // what it covers, and what not; empty: all that anybody sees
	Given   []Taken      `json:"given"`            // what is taken from the rows without noise; null: nothing
	Curve   []LossPoint  `json:"curve"`            // δ(ε), by ε from 0 on; null: not certified

	TradeOff []ErrorPoint `json:"trade_off"` // of tests of one world against the other, by false alarms; null: as Curve
}

// Taken is what is taken from the rows without noise before a method sees them, so that no ε is of it.
type Taken struct {
	Key    string `json:"key"` // of the scenario
	What   string `json:"what"`
	Covers string `json:"covers"` // rows of which ε is nevertheless
}

// LossPoint is a point of δ(ε).
type LossPoint struct {
	Epsilon Number `json:"epsilon"`
	Delta   Number `json:"delta"`
}

// ErrorPoint is a share of false alarms, and the least share of missed ones that a test with it may have.
type ErrorPoint struct {
	Alarms Number `json:"alarms"`
	Missed Number `json:"missed"`
}

// Bound is a claim of one composition.
type Bound struct {
	Epsilon Number `json:"epsilon"` // null: not established
	Delta   Number `json:"delta"`
	By      string `json:"by"` // which composition, of BySum, …; empty: not established
}

// The ways to compose the losses of rounds.
const (
	BySum      = "the sum over rounds"
	ByAdvanced = "advanced composition"
	ByZCDP     = "zero-concentrated privacy"
	ByRenyi    = "Rényi divergences"
	ByPaper    = "the paper's own composition"
	ByLaw      = "the law of the noise"
)

// Privacy is what a method claims, and whether its condition holds.
type Privacy struct {
	Guarantee string  `json:"guarantee"`
	Condition string  `json:"condition"` // ConditionHolds, or what fails
	Chosen    *Chosen `json:"chosen"`    // null: no target was given
	Claims    []Claim `json:"claims"`    // by unit and node

	// Certificates are what the law of the noise proves, by unit, of the node that loses most; nil of runs before there
	// were any.
	Certificates []Certificate `json:"certificates,omitempty"`

	Stated *Bound        `json:"stated,omitempty"` // over the run, as a paper composes it, established or not
	Labels []LabelBudget `json:"labels,omitempty"` // by server, where users have ε of their own
}

// LabelBudget is ε of the labels of a server's users.
type LabelBudget struct {
	Node     int          `json:"node"`
	Users    int          `json:"users"`
	Least    float64      `json:"least"`
	Mean     float64      `json:"mean"`
	Greatest float64      `json:"greatest"`
	Values   []LabelShare `json:"values,omitempty"` // each ε, ascending; left out if there are more than eight
}

// LabelShare is how many users have an ε.
type LabelShare struct {
	Epsilon float64 `json:"epsilon"`
	Users   int     `json:"users"`
}

// Chosen is the noise that meets a target.
type Chosen struct {
	Epsilon    float64 `json:"epsilon"`
	Over       string  `json:"over"`
	By         string  `json:"by,omitempty"` // certificate; empty: the claim
	Delta      float64 `json:"delta"`
	Scale      float64 `json:"scale"`      // of the scenario's own noise level
	Parameters string  `json:"parameters"` // of the method, as YAML
}

// Rate is a theorem's rate of convergence beside the measured one.
type Rate struct {
	Theorem  string `json:"theorem"`
	Applies  string `json:"applies"`  // in words
	Proved   Number `json:"proved"`   // factor by which the error falls at least, a round
	Measured Number `json:"measured"` // from round From to To; null: too few rounds are above the rounding floor
	From     int    `json:"from"`     // half of To; 0: nothing is measured
	To       int    `json:"to"`       // the last round above the rounding floor; 0: nothing is measured
}

// Excess is a theorem's bound on the excess risk beside the measured one, both in units of the loss and
// of the mean over nodes.
type Excess struct {
	Theorem  string  `json:"theorem"`
	Of       string  `json:"of"`       // OfAverages or OfOptimum
	Applies  string  `json:"applies"`  // in words
	Failure  float64 `json:"failure"`  // probability with which the bound may fail
	Bound    Number  `json:"bound"`    // null: it does not apply
	Terms    *Terms  `json:"terms"`    // which the bound is the sum of; null: it does not apply
	Given    *Given  `json:"given"`    // constants of the bound; null: it does not apply
	Measured Number  `json:"measured"` // on the test rows, against the best classifier of these; null: there are none
}

// What a bound on the excess risk is of.
const (
	OfAverages = "averages" // over rounds, of what a node holds
	OfOptimum  = "optimum"  // of what the nodes minimise together, whether the run has come to it or not
)

// Given are the constants of a bound on the excess risk.
type Given struct {
	Contraction Number  `json:"contraction"`  // C; null where the bound does not use it
	Penalty     float64 `json:"penalty"`      // β
	Convexity   float64 `json:"convexity"`    // κ, of the sum of the nodes' objectives
	Radius      float64 `json:"radius"`       // of the ball of classifiers
	LargestLoss float64 `json:"largest_loss"` // c₁, in that ball
}

// Terms are the parts of a bound on the excess risk.
type Terms struct {
	Rademacher Number `json:"rademacher"`      // how many classifiers there are to choose from
	Sampling   Number `json:"sampling"`        // how few rows there are
	Objective  Number `json:"objective_noise"` // R²/κ
	Drift      Number `json:"drift"`           // of iterates that are not yet at the optimum with that noise
	Start      Number `json:"start"`           // β and the distance of the start, over t
	Noise      Number `json:"iterate_noise"`
}

// Number is a float that may be anything: NaN, which means not defined, is null
// in JSON, and infinities are the texts "Infinity" and "-Infinity".
type Number float64

// MarshalJSON writes a number, null or a text.
func (n Number) MarshalJSON() ([]byte, error) {
	switch f := float64(n); {
	case math.IsNaN(f):
		return []byte("null"), nil
	case math.IsInf(f, 1):
		return []byte(`"Infinity"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-Infinity"`), nil
	default:
		return json.Marshal(f)
	}
}

// UnmarshalJSON reads what MarshalJSON writes.
func (n *Number) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "null":
		*n = Number(math.NaN())
	case `"Infinity"`:
		*n = Number(math.Inf(1))
	case `"-Infinity"`:
		*n = Number(math.Inf(-1))
	default:
		return json.Unmarshal(text, (*float64)(n))
	}
	return nil
}

// readInfo reads run.json; stated says that it need not be as it was written.
func readInfo(dir string, stated bool) (*Info, error) {
	path := filepath.Join(dir, infoFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading a run directory: %w", err)
	}
	if !stated {
		if err := unsealed(path, text); err != nil {
			return nil, err
		}
	}
	info := new(Info)
	if err := json.Unmarshal(text, info); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w", path, err)
	}
	if info.Format != Format {
		return nil, fmt.Errorf("%s has format %d; this version reads format %d", path, info.Format, Format)
	}
	return info, nil
}
