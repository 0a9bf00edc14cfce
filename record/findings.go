// What attacks and audits found, as files: attacks.json in a run's directory,
// audit.json in an audit's.

package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"overhear/internal/files"
	"overhear/privacy"
)

// Threat is who is thought to attack.
type Threat struct {
	Sees  string `json:"sees"`
	Knows string `json:"knows"`
	Wants string `json:"wants"`
	Acts  string `json:"acts,omitempty"` // which nodes lie, and how; absent: none
}

// Sight is how much of a run an observer saw.
type Sight struct {
	Packets int      `json:"packets"`
	Of      int      `json:"of"`     // packets of the run
	Unseen  []string `json:"unseen"` // in words, what was not
}

// Attacks is attacks.json: what an observer worked out from one run.
type Attacks struct {
	Format    int       `json:"format"`
	Name      string    `json:"name"`
	About     string    `json:"about"`
	Seed      uint64    `json:"seed"`
	Algorithm string    `json:"algorithm"`
	Digest    string    `json:"digest"`            // of the run's trace
	Command   string    `json:"command"`           // that repeats run and attacks
	Changes   []string  `json:"changes,omitempty"` // to the run's adversary, path=value
	Scenario  string    `json:"scenario"`          // with the adversary of these attacks
	Inputs    Inputs    `json:"inputs,omitzero"`   // the program that attacked, and the files of the run
	Threat    Threat    `json:"threat"`
	Sight     Sight     `json:"sight"`
	Placement Placement `json:"network"`
	Rounds    int       `json:"rounds"`
	Claim     string    `json:"claim"`              // what the method claims to protect; "": nothing
	Condition string    `json:"condition"`          // of the claim: ConditionHolds, or what fails
	Diverged  string    `json:"diverged"`           // that the run diverges, in words; empty: it does not
	Unscored  string    `json:"unscored,omitempty"` // why nothing is scored; empty: it is
	Claimed   []Number  `json:"claimed"`            // privacy loss claimed so far, by round
	Findings  []Finding `json:"findings"`
	Untried   []Untried `json:"untried"` // where the scenario names no attacks: those that do not suit
}

// Untried is an attack that was left out because it cannot work here.
type Untried struct {
	Attack string `json:"attack"`
	Reason string `json:"reason"`
}

// Placement is the graph and where the observer is in it.
type Placement struct {
	Nodes   int      `json:"nodes"`
	Edges   [][2]int `json:"edges"`
	Victim  int      `json:"victim"`
	Watched []int    `json:"watched"` // colluding nodes, or ends of tapped links; empty: everything is seen
	Hops    []int    `json:"hops"`    // by node: to the nearest watched node; all 0 where everything is seen
}

// Finding is the result of one attack on one victim.
type Finding struct {
	Attack     string       `json:"attack"`
	Title      string       `json:"title"`
	Equation   string       `json:"equation"` // what it solves
	Victim     int          `json:"victim"`
	Succeeded  Outcome      `json:"outcome"`
	Conclusion string       `json:"conclusion"`          // in a sentence
	Doubt      string       `json:"doubt,omitempty"`     // of it: why what was found may not be all there is
	Baselines  []Baseline   `json:"baselines,omitempty"` // errors beside what guessing gives
	SignOpen   bool         `json:"sign_open,omitempty"` // the last estimate was scored up to its sign
	Estimates  []Estimate   `json:"estimates,omitempty"`
	Facts      []Fact       `json:"facts,omitempty"`
	Members    []Membership `json:"members,omitempty"`
	Labels     []LabelGuess `json:"labels,omitempty"`
	Rows       []Estimate   `json:"rows,omitempty"`  // of all of the victim's samples at once, in no order
	Links      []Link       `json:"links,omitempty"` // of messages of the victim to its next ones
	Odds       []Odds       `json:"odds,omitempty"`  // of the values of an attribute
	Checks     []Check      `json:"checks,omitempty"`
	Unseen     []string     `json:"unseen,omitempty"` // what the attack did without
	Audit      *Audit       `json:"audit,omitempty"`  // of a membership test that was repeated
}

// Baseline sets an attack's error beside that of the best guess with the same knowledge and without any message.
type Baseline struct {
	Of    string `json:"of"`    // what errors are of, in words
	Error Number `json:"error"` // of the attack
	Guess Number `json:"guess"` // of the guess
	By    string `json:"by"`    // which guess
}

// Better says whether an attack's error is below that of the guess.
func (b *Baseline) Better() bool { return b.Error < b.Guess }

// Said is how it went in words: what is known up to its sign, with its label open, is not simply exact.
func (f *Finding) Said() string {
	if f.Succeeded == Exact && (f.SignOpen || slices.ContainsFunc(f.Rows, func(r Estimate) bool { return r.Y == 0 })) {
		return string(Exact) + " up to its sign"
	}
	return string(f.Succeeded)
}

// Beside is the baseline that stands for a finding: of those that a success has beaten, the one with the least error,
// else the first; nil: there is none.
func (f *Finding) Beside() (b *Baseline) {
	if f.Succeeded == Exact || f.Succeeded == Partial {
		for k := range f.Baselines {
			if one := &f.Baselines[k]; one.Better() && (b == nil || one.Error < b.Error) {
				b = one
			}
		}
	}
	if b == nil && len(f.Baselines) > 0 {
		b = &f.Baselines[0]
	}
	return b
}

// Outcome is how an attack went, as far as that is known.
type Outcome string

// Outcomes.
const (
	Exact    Outcome = "exact"    // the hidden thing was found to rounding, and without doubt
	Partial  Outcome = "partial"  // found better than by guessing, not exactly
	Failed   Outcome = "failed"   // no better than guessing, or better and yet not as good as Partial asks
	Unscored Outcome = "unscored" // a result whose truth is not at hand
	Blocked  Outcome = "blocked"  // the attack could not be carried out
)

// Estimate is a reconstructed sample, from the rounds up to one.
type Estimate struct {
	Rounds   int       `json:"rounds"` // how many were used
	X        []float64 `json:"x"`      // d-vector
	Y        float64   `json:"y"`      // ±1; 0: not determined
	Residual Number    `json:"residual"`
	Score    *Score    `json:"score,omitempty"` // null: the truth is not at hand
}

// Score compares an estimate with the true sample.
type Score struct {
	Relative   Number `json:"relative_l2"` // ‖x̂ − x‖/‖x‖
	Cosine     Number `json:"cosine"`
	Label      *bool  `json:"label_correct"` // null: not determined
	OneHot     int    `json:"one_hot_correct"`
	OneHotOf   int    `json:"one_hot_groups"`
	Guessed    int    `json:"one_hot_guessed"` // of them by the commonest values of known rows
	Rank       int    `json:"rank"`            // of the true sample among candidates by distance, from 1; 0: none were given
	Candidates int    `json:"candidates"`
}

// Membership is how well a candidate fits.
type Membership struct {
	Candidate int     `json:"candidate"`
	Score     Number  `json:"score"`          // by attack; less fits better
	Member    bool    `json:"member"`         // the attack's verdict
	Open      bool    `json:"open,omitempty"` // it is none: the candidate is not ruled out either
	Truth     *bool   `json:"truth"`          // null: not at hand
	Label     float64 `json:"label,omitempty"`
}

// LabelGuess is a guess of a user's label.
type LabelGuess struct {
	User       int     `json:"user"`
	Guess      float64 `json:"guess"`      // ±1
	Confidence Number  `json:"confidence"` // posterior probability of the guess
	Truth      float64 `json:"truth"`      // ±1; 0: not at hand
}

// Link is a message that is said to come from the sender of another one, earlier by some rounds.
type Link struct {
	From   int `json:"from"`   // round of the victim's message
	Round  int `json:"round"`  // of the message that is linked to it
	Sender int `json:"sender"` // of the latter, in truth: the link is right if that is the victim
	Among  int `json:"among"`  // messages of that round
}

// Odds is how likely a value of an attribute is, before and after the messages.
type Odds struct {
	Value     string `json:"value"`
	Prior     Number `json:"prior"`
	Posterior Number `json:"posterior"`
	Truth     *bool  `json:"truth"` // null: not at hand
}

// Audit is audit.json: two worlds that differ in one sample, told apart.
type Audit struct {
	Format    int       `json:"format"`
	Name      string    `json:"name"`
	About     string    `json:"about"`
	Seed      uint64    `json:"seed"` // of data, graph and first run
	Runs      int       `json:"runs"` // in each world
	Rounds    int       `json:"rounds"`
	Algorithm string    `json:"algorithm"`
	Digest    string    `json:"digest"`            // SHA-256 of all likelihood ratios
	Command   string    `json:"command"`           // that repeats it
	Changes   []string  `json:"changes,omitempty"` // to the scenario's file, path=value
	Scenario  string    `json:"scenario"`
	Inputs    Inputs    `json:"inputs,omitzero"`
	Threat    Threat    `json:"threat"`
	Statistic string    `json:"statistic"` // what decides between the worlds, and whether it is exact
	Pair      Pair      `json:"pair"`
	Claim     string    `json:"claim"`
	Condition string    `json:"condition"` // as of Attacks
	Verdicts  []Verdict `json:"verdicts"`  // one a claim

	Certificate *Certificate    `json:"certificate,omitempty"` // of the audited node; absent: of a black-box audit
	Certified   *Verdict        `json:"certified,omitempty"`   // of the certificate, at its δ; its share is the tightness
	Elsewhere   *Elsewhere      `json:"elsewhere,omitempty"`   // absent: no other node is certified to lose more
	Curve       []MeasuredDelta `json:"curve,omitempty"`       // δ(ε) that was measured, by ε from 0 on

	ByRound  []PrivacyLoss   `json:"by_round"`
	Checks   []Check         `json:"checks"`              // that the run does what its method says
	Search   *Search         `json:"search,omitempty"`    // of the worst trace
	BlackBox *BlackBox       `json:"black_box,omitempty"` // of an audit that knew no model
	View     *Sighting       `json:"view,omitempty"`      // of one who does not see all
	Power    Power           `json:"power"`
	ROC      []ROC           `json:"roc"`    // ascending in FPR
	Ratios   [2]Distribution `json:"ratios"` // of the whole run, in the worlds with and without
	Wall     float64         `json:"wall_seconds"`
}

// SearchError is how far what a search found may be from its bound, or beyond a claim, by rounding.
const SearchError = 1e-6

// Exceeded says whether a loss that was searched for is beyond the claim.
func (v *Verdict) Exceeded() bool { return v.Searched > v.Epsilon*(1+SearchError) }

// Judged are the verdicts on the claims, and that on the certificate if there is one.
func (a *Audit) Judged() []Verdict {
	if a.Certified == nil {
		return a.Verdicts
	}
	return append(slices.Clone(a.Verdicts), *a.Certified)
}

// Stands says whether no claim is violated or exceeded, nor the certificate, and no check fails.
func (a *Audit) Stands() bool {
	for _, v := range a.Judged() {
		if v.Verdict == Violated || v.Exceeded() {
			return false
		}
	}
	for _, c := range a.Checks {
		if !c.Holds {
			return false
		}
	}
	return true
}

// Pair is the two worlds.
type Pair struct {
	Node   int          `json:"node"`
	Row    int          `json:"row"`
	Unit   privacy.Unit `json:"unit"`
	Group  int          `json:"group,omitempty"` // so many rows, from row on, have the sample; 0: one
	What   string       `json:"what"`            // in words
	A      []float64    `json:"a"`               // the sample, y·x, in the first world
	B      []float64    `json:"b"`               // in the second
	Search []Proposed   `json:"search"`
}

// Proposed is a pair that was tried.
type Proposed struct {
	What string `json:"what"`
	Loss Number `json:"loss"` // mean |log-likelihood ratio| of pilot runs
}

// BlackBox says how an audit that knew no model came to its verdicts.
type BlackBox struct {
	Why    string `json:"why,omitempty"` // of a view: why what is seen has no exact law; else the audit was asked for
	Learnt int    `json:"learnt"`        // runs of each world from which statistics were learnt
	Judged int    `json:"judged"`        // runs of each world on which they were judged
	Able   Number `json:"able"`          // ε that worlds told apart in every judged run would show
}

// Sighting is what an observer learns where all that it sees is normally distributed: the best test is that of N(0, 1)
// against N(μ, 1).
type Sighting struct {
	Mu  Number `json:"mu"`  // of the observer
	All Number `json:"all"` // μ of one who sees everything
}

// Search is what was found of the most that any trace and any pair of rows lose.
type Search struct {
	Why     string     `json:"why,omitempty"` // nothing was searched
	Found   Number     `json:"found"`         // by a trace of the whole run
	Bound   Number     `json:"bound"`         // that no trace of the whole run exceeds
	A       []float64  `json:"a,omitempty"`   // y·x of the pair that loses Found, in the first world
	B       []float64  `json:"b,omitempty"`   // in the second
	Targets [2]float64 `json:"targets"`
}

// Elsewhere is the certificate of another node than the audited one, that which loses most.
type Elsewhere struct {
	Node    int    `json:"node"`
	Epsilon Number `json:"epsilon"`
	Delta   Number `json:"delta"`
}

// Verdict is what became of a claim, by all tests of it that were run.
type Verdict struct {
	Claim    string `json:"claim"`
	Scope    Scope  `json:"scope"`
	Round    int    `json:"round,omitempty"` // of scope round: the worst of the rounds
	Node     int    `json:"node"`
	Epsilon  Number `json:"epsilon"` // claimed
	Delta    Number `json:"delta"`
	Measured Number `json:"measured"`          // ε that was shown to be lost at Delta, a lower bound; of the strongest test
	Share    Number `json:"share"`             // Measured ÷ Epsilon; null: one of them is not there, or Epsilon is 0
	Searched Number `json:"searched,omitzero"` // ε that some trace and some pair lose; absent: not searched
	Bound    Number `json:"bound,omitzero"`    // ε that no trace and no pair exceeds
	Method   string `json:"method"`            // of the strongest test
	Verdict  string `json:"verdict"`           // CONSISTENT, VIOLATED, NOT ESTABLISHED
	Reason   string `json:"reason"`
	Tests    []Test `json:"tests"` // all that were run
}

// Test is one test of a claim by the runs.
type Test struct {
	Method   string `json:"method"`
	Round    int    `json:"round,omitempty"` // that it is of, up to and with it, if not of the verdict's own
	Epsilon  Number `json:"epsilon"`         // claimed of what it is of
	Measured Number `json:"measured"`        // null: its law is not that of the run
	Refutes  bool   `json:"refutes"`
	Detail   string `json:"detail,omitempty"`
}

// Scope is how much of a run a verdict is about.
type Scope string

// Scopes.
const (
	WholeRun   Scope = "run"
	UpTo       Scope = "up-to" // all rounds up to one, whose claim a black-box audit refutes
	WorstRound Scope = "round" // the round in which the measured loss is largest beside its claim
)

// Where says in words which part of the run the verdict is about.
func (v *Verdict) Where() string {
	if v.Scope == WorstRound {
		return fmt.Sprintf("round %d, the worst", v.Round)
	}
	if v.Scope == UpTo {
		return fmt.Sprintf("rounds up to %d", v.Round)
	}
	return string(v.Scope)
}

// ConditionHolds is the condition of a claim that is established; any other text, but for one that begins with
// ClaimedNotProved, is what
// fails.
const ConditionHolds = "holds"

// ClaimedNotProved begins the condition of a claim that no proof supports, though its condition holds.
const ClaimedNotProved = "claimed, not proved: "

// Met says whether the condition of a claim is met, though it may not be proved. It goes by its text, as conditions
// have no kind yet.
func Met(condition string) bool {
	return condition == ConditionHolds || strings.HasPrefix(condition, ClaimedNotProved)
}

// Verdicts. Runs that were sampled refute a claim or do not; they prove none.
const (
	Consistent     = "CONSISTENT" // what was measured is within the claim
	Violated       = "VIOLATED"
	NotEstablished = "NOT ESTABLISHED"
)

// PrivacyLoss is claimed and measured loss, up to and in one round.
type PrivacyLoss struct {
	Round        int    `json:"round"`
	Claimed      Number `json:"claimed"`           // in the round; null: not established
	Largest      Number `json:"largest"`           // |log-likelihood ratio| of the round, over all runs
	Mean         Number `json:"mean"`              // of its absolute value
	Searched     Number `json:"searched,omitzero"` // that some trace and some pair lose in the round
	Bound        Number `json:"bound,omitzero"`    // that no trace and no pair exceeds
	ClaimedTotal Number `json:"claimed_total"`     // up to and with the round
	LargestTotal Number `json:"largest_total"`
	MeanTotal    Number `json:"mean_total"`
}

// MeasuredDelta is a point of the δ(ε) of the two worlds, as the runs show it, in whichever order is worse, with its
// 95 % interval.
type MeasuredDelta struct {
	Epsilon Number `json:"epsilon"`
	Delta   Number `json:"delta"`
	Low     Number `json:"low"`
	High    Number `json:"high"`
}

// Power is how well the worlds can be told apart.
type Power struct {
	AUC        Number  `json:"auc"`
	Advantage  Number  `json:"advantage"` // largest TPR − FPR
	TPR1       Number  `json:"tpr_at_fpr_0.01"`
	TPR01      Number  `json:"tpr_at_fpr_0.001"`
	TPR0       Number  `json:"tpr_at_fpr_0"`
	Epsilon    Number  `json:"epsilon"` // ε̂ with 95 % confidence at Delta, from a threshold fixed on half of the runs
	Delta      Number  `json:"delta"`
	Threshold  Number  `json:"threshold"`
	Counts     [4]int  `json:"counts"` // of the other half: true and false positives, true and false negatives
	Confidence float64 `json:"confidence"`
}

// ROC is a point of the curve with 95 % bounds of TPR (Clopper & Pearson).
type ROC struct {
	FPR  float64 `json:"fpr"`
	TPR  float64 `json:"tpr"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Distribution is the law of a statistic: 101 quantiles, least to greatest.
type Distribution struct {
	Mean      Number   `json:"mean"`
	Quantiles []Number `json:"quantiles"`
}

// Names of the files.
const (
	AttacksFile = "attacks.json"
	AuditFile   = "audit.json"
)

// findingsWait is how long the writing of findings, and of a run that takes the
// place of another, wait for one another. Both are a matter of moments.
const findingsWait = 10 * time.Second

// WriteAttacks writes attacks.json into the directory of the run that was
// attacked, if that is still the run there. refuse, which may be nil, says why
// what is there, whole or damaged, may not be replaced. With replace it is, and kept as OldAttacksFile.
func WriteAttacks(dir string, a *Attacks, refuse func(there *Attacks, damaged error) error, replace bool) error {
	unlock, err := files.Lock(dir, findingsWait)
	if err != nil {
		return fmt.Errorf("writing what attacks found: %w", err)
	}
	defer unlock()
	info, err := readInfo(dir, false)
	if err != nil {
		return err
	}
	if info.Digest != a.Digest || info.Seed != a.Seed {
		return fmt.Errorf("%s holds another run than the one that was attacked, which was replaced meanwhile", dir)
	}
	if refuse != nil {
		err := refuse(ReadAttacks(dir))
		if err != nil && !replace {
			return err
		}
		if err != nil {
			text, err := os.ReadFile(filepath.Join(dir, AttacksFile))
			if err == nil {
				err = files.WriteBytes(filepath.Join(dir, OldAttacksFile), text)
			}
			if err != nil {
				return fmt.Errorf("keeping what attacks found before: %w", err)
			}
		}
	}
	a.Format = Format
	return files.Write(filepath.Join(dir, AttacksFile), asJSON(a))
}

// WriteAudit writes audit.json into a directory, which is made.
func WriteAudit(dir string, a *Audit) error {
	a.Format = Format
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("preparing to write an audit: %w", err)
	}
	return files.Write(filepath.Join(dir, AuditFile), asJSON(a))
}

// ReadAttacks reads attacks.json of a directory; nil if there is none. The error says if
// it is not as it was written.
func ReadAttacks(dir string) (*Attacks, error) {
	return readWhole[Attacks](filepath.Join(dir, AttacksFile), false)
}

// ReadAudit reads audit.json of a directory; nil if there is none. The error says if it
// is not as it was written.
func ReadAudit(dir string) (*Audit, error) {
	return readWhole[Audit](filepath.Join(dir, AuditFile), false)
}

// StatedAttacks is ReadAttacks of a file that may have been changed and is to be verified.
func StatedAttacks(dir string) (*Attacks, error) {
	return readWhole[Attacks](filepath.Join(dir, AttacksFile), true)
}

// StatedAudit is ReadAudit of a file that may have been changed and is to be verified.
func StatedAudit(dir string) (*Audit, error) {
	return readWhole[Audit](filepath.Join(dir, AuditFile), true)
}

func readWhole[T any](path string, stated bool) (*T, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading findings: %w", err)
	}
	v := new(T)
	if err := json.Unmarshal(text, v); err != nil {
		return nil, fmt.Errorf("%s is damaged: %w; remove it, and it can be made anew", path, err)
	}
	if !stated {
		if err := unsealed(path, text); err != nil {
			return nil, err
		}
	}
	return v, nil
}
