// What the words of the tables mean, for who meets them for the first time.

package report

import (
	"maps"
	"slices"
	"strings"

	"overhear/record"
)

// words are those of the tables that are no metric and no key of a scenario.
var words = map[string]string{
	"progress": `How the distance to the centralised optimum went, by the last half of the rounds:
converged    it is below 0.1 % of the optimum's norm
moving       it falls, by so much a round
at rest      it neither falls nor rises, and is not near zero: the method stops elsewhere, or much later
moving away  it rises
diverging    it rises far from the optimum, or the run was stopped for it; the command exits with 1
unknown      there are too few rounds to tell, no optimum, or the run has hardly left its start
Where the loss is not convex all this is of the gradient, column stationarity, and converged is to a stationary point.`,
	"pace": `How far nodes were behind each other in an asynchronous run: the share of the values of neighbours that a
step used and that were of an earlier round than the step's, how many rounds earlier at most, and how long a node
computed (busy), waited (idle) or was away (down), on average. nodes.csv has each node.`,
	"classes": `How many classes rows have, where every class has a model of its own, of so many numbers: its
coefficients and, where the data asks for one, a constant. problem.data.classes: all reads them.`,
	"scaling": `How the columns were scaled, and whether the test rows took part in that; problem.scale sets it.`,
	"attack":  "Which attack; simulate explain NAME says what it does, simulate list attacks which there are.",
	"digest": `SHA-256 of every event of a run, or of all ratios of an audit. It is equal for every repeat of the same
scenario and seed, on every machine; simulate verify compares it.`,
	"solver residual": `The largest norm of the gradient that a node's solve ended with, relative; the scenario's
solver.tolerance bounds it.`,
	"ended early": "Why the run has fewer rounds than the scenario asks for. What was computed is in its files.",
	boundTitle: `The least bound on the privacy loss over the run, at the node that loses most, of all ways to compose
its rounds; at δ where that way has one. run --bounds shows them all; privacy_loss is as the method's paper composes.`,
	certificateTitle: `What is proved of the privacy loss over the run from the law of the noise, at the node that
loses most: ε at δ, for one row replaced by any other, or its label by the other one, whoever sees all messages
(docs/mathematics.md §6.1). Of a method whose users report to servers it covers what the servers publish, and not the
reports. It is between what the method claims, a sum of worst cases, and what an audit measures. NOT CERTIFIED: its
proof does not cover the run, and the line says why. run.json has the whole curve δ(ε).`,
	"label privacy": `The loss of a row's label alone, where a method claims one apart from that of the row: ε of
local differential privacy for labels that users randomise before they send them. Where users have ε of their own, a
line for each server follows, with how many labels have which; reports.parquet has each user's.`,
	"files": "Where the results are; docs/formats.md describes every file.",
	"sees":  "Which packets the observer of an attack sees, and how many that were; adversary.view sets it.",
	"wants": "Whose data an attack is after; adversary.knows.victim sets it.",
	"outcome": `How an attack went:
exact     the hidden thing was found to rounding, and no other that fits is known; up to its sign: but for that with
          the other sign and label
partial   found better than by guessing, not exactly: an error below ½, of verdicts, labels and links more right
          than chance would have with probability 0.01, of an attribute a probability of its value of 0.99
failed    no better than guessing, or better and yet not as good as that
unscored  there is a result, but the truth is not at hand to compare it with
blocked   the attack could not be carried out; the conclusion says why`,
	"error": `Relative error of what an attack reconstructed: the distance to the true sample over the sample's norm; of
verdicts on candidates the mean of the shares of members and of others that are wrong, of labels the share that is.`,
	"guess": `The error of the best guess with the same knowledge and without any message: zero, the mean of the rows
that are known, each coded column's commonest value, the likeliest value of an attribute, a coin, the commoner label; of
vectors that are worked out of messages, zero or the mean of those that were seen. An attack whose error is not below it
has failed.`,
	"not tried": `An attack that does not suit the method, or what the adversary sees and knows, and why. A scenario
that names it in adversary.attacks has it begun all the same, and its outcome is then blocked.`,
	"not seen":   "What escaped the observer, and so limits what attacks can find.",
	"not scored": "Why no finding could be compared with the truth: the data are not at hand, or not those of the run.",
	"claim": `What the method's paper promises of privacy, which an audit compares with what was measured. It is not
established where its condition fails.`,
	"condition": "What must be true of data and parameters for the claim to follow; holds, or what fails.",
	"worlds":    "The two values of one sample, label or column between which an audit asks the messages to decide.",
	"statistic": "What decides between the two worlds of an audit, and whether it is the exact likelihood.",
	"told apart": `How well the two worlds of an audit can be told apart: area under the ROC (AUC, ½ is guessing),
largest true minus false positive rate (advantage), true positive rates (TPR) at given false positive ones (FPR).`,
	"verdict": `A claim beside what was measured:
CONSISTENT       what was measured is within the claim, by the share that is stated; runs prove no claim
VIOLATED         with 95 % confidence the loss is greater than claimed, or one run, or a trace that was searched for,
                 shows it exactly
NOT ESTABLISHED  the claim's condition fails, or no proof supports it, or a check of the method fails
There is one verdict a claim, by the strongest test that was run; audit.json has all tests.
CHECK FAILS      the run does not do what its method says, such as a noise of another law`,
	"excess risk": `How much greater the mean loss of new rows is, with its ridge, with what the nodes have learnt
than with the best classifier. run.json has theorems' bounds on it under excess_risk, beside the measured one on the
test rows, for methods that have such theorems; with record.rates: on the table has them too. A bound above ln 2 says
nothing of the logistic loss: the classifier that is zero has no greater excess.`,
	"rates": `By what factor a theorem proves that the distance to the optimum falls a round, beside the measured
one; in run.json under rates, and with record.rates: on in the table.`,
	"utility": `What privacy is worth, in units of the loss: U(α), which falls as α grows. simulate design --utility
takes it, and recommends the α at which it exceeds the loss most (ZZ16 §5); simulate design --help has its forms.`,
	"log loss": `The mean of −log of the probability that a model gives to a row's class; test_loss is that of the test
rows. Of two classes it is that of the logistic loss, log(1 + e^−z), z = y f·x.`,
	"tightness": `What was measured, at the certificate's δ, ÷ the certificate, for the worst pair that an audit tried:
1 if that pair loses all that any may.`,
	"trade-off": `The least share of missed alarms that any test of one world against the other has, by its share of
false alarms: what (ε, δ) means for who tests (docs/mathematics.md §6.1). run.json has that of a certificate, and a
report draws it beside the claim's and what was measured.`,
	"acts":      `Which nodes lie to their neighbours, and how (adversary.acts): they are part of the adversary.`,
	"elsewhere": `Another node of an audited run that is certified to lose more than the audited one, and how much.`,
	"not covered": `What a certificate does not say anything of: what is taken from the rows without noise (given), and
users' reports, which an eavesdropper sees beside what servers publish.`,
	"searched ε": `The loss of the worst trace and the worst pair of rows that there are, found by a search; where two
numbers stand, no trace loses more than the second (docs/mathematics.md §5.10).`,
	"tuning": `What choosing among runs by their results loses of privacy: who chooses, or publishes several, lets out
more than one run does. sweep --account composes the claims and the certificates of all runs of a sweep; sweep --select
METRIC makes a random number of runs of random points and publishes the best alone, which loses less (random stopping,
docs/mathematics.md §6.2). Both are given from the start, as runs then have seeds of their own; tuning.json has what was
lost, by rows and by labels.`,
	"given": `What preparation, partition and the reading of a file take from the rows without noise, before a method
sees them, and which rows are covered nevertheless (docs/mathematics.md §6.1): two worlds differ in one prepared row.`,
	"black box": `An audit that knows no model of the method (simulate audit --black-box): it learns from the packets of
half of the runs what tells the worlds apart, and judges that on the other half (docs/mathematics.md §5.11).`,
	"view": `What an observer sees (adversary.view). An audit of one who does not see all is exact where what is seen
is normally distributed, and else a lower bound by the packets that are seen (docs/mathematics.md §5.12).`,
	"measured": `The least loss ε that the runs of an audit show at the claim's δ, with 95 % confidence or exactly. The
true loss may be greater.`,
}

// alias are other words for the same.
var alias = map[string]string{
	"converged": "progress", "moving": "progress", "at rest": "progress", "moving away": "progress",
	"diverging": "progress", "unknown": "progress", "exact": "outcome", "partial": "outcome", "failed": "outcome",
	"unscored": "outcome", "blocked": "outcome", "consistent": "verdict", "violated": "verdict",
	"not established": "verdict", "check fails": "verdict", "share": "verdict", "auc": "told apart",
	"advantage": "told apart", "tpr": "told apart", "fpr": "told apart",
	"busy": "pace", "idle": "pace", "down": "pace", "behind": "pace",
	"residual": "solver residual", "conclusion": "outcome", "measured ε": "measured", "claimed ε": "claim",
	"certified ε": certificateTitle, "tests": "measured", "searched": "searched ε",
	"certified": certificateTitle, "black-box": "black box", "--black-box": "black box", "bound": "view",
	"measured by": "measured", "excess_risk": "excess risk", "excess-risk": "excess risk", "rate": "rates",
	"log_loss":          "log loss",
	"private selection": "tuning", "private-selection": "tuning", "random stopping": "tuning", "--account": "tuning",
	"--select": "tuning", "selection": "tuning", "trade off": "trade-off", "trade_off": "trade-off",
	"test log loss": "log loss", "--utility": "utility", "not certified": certificateTitle,
}

// Words are those that the tables use and Explain explains.
func Words() []string { return slices.Sorted(maps.Keys(words)) }

// Explain says what a word of the tables means; "" if it is none.
func Explain(word string) string {
	word = strings.ToLower(word)
	if of := alias[word]; of != "" {
		return word + ", see " + of + ": " + words[of] + "\n"
	}
	if text := words[word]; text != "" {
		return word + ": " + text + "\n"
	}
	c := record.Check{Kind: record.CheckKind(word), Finds: 1}
	if text := c.Text(); text != word {
		return word + ": a check of an audit: " + text + ". Its row in the table says what it would have found, and " +
			"docs/mathematics.md §5.9 how.\n"
	}
	return ""
}
