// Package evaluation finds out what runs give away: it attacks recorded runs and
// audits privacy claims.
//
// # Overview
//
// [Attack] takes a run directory and the adversary of its scenario. It replays the
// recorded messages through the adversary's view, carries out the attacks of package
// adversary and scores what they find against the data. An attack gets the messages,
// what is public of the method, and knowledge.json, which is what the adversary knew
// before. [WriteKnowledge] writes that file while the run is made:
//
//	o := experiment.Options{Out: "results/runs", Extra: evaluation.WriteKnowledge}
//	run, err := experiment.New(s, "").Run(ctx, 1, o)
//	attacks, err := evaluation.Attack(ctx, run, evaluation.AttackOptions{})
//
// [Audit] needs no recorded run. It makes two worlds that differ in one sample (or
// label, or column) of one node, runs each of them many times, works out the exact
// likelihood of every trace in both worlds, and compares the measured loss with the
// claim. Which two values the sample has is chosen among proposals by a few pilot
// runs of each. Its evidence is every packet of every run, as the engine saw it. Checks
// say, beside the verdicts, whether each packet is what the method's model makes of public
// data, of packets before it, of the data and of noise of the declared law and stream, and
// which deviation they would have found.
//
// # Invariants
//
//   - No attack sees the truth: scores are taken afterwards, and without the data a
//     finding is unscored, not failed.
//   - Only the number of runs changes an audit's result; workers do not.
//   - A claim whose condition fails is not established, whatever was measured, and a
//     claim of a run that fails a check does not hold.
package evaluation
