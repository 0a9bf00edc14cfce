// What a claim came to over the open settings: the share of the points at which it holds, and the setting that decides.

package reproduce

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"overhear/sim"
)

// Claim is a statement, assessed on the page and, unless Share is nil, over the open settings.
type Claim struct {
	Statement
	Share *Share
}

// Share is at how many points a claim holds.
type Share struct {
	Holds, InPart, Fails int
	Failed               int     // points at which a run of the claim's failed, so that it is not judged
	Untested             int     // points at which there is nothing to judge, which say nothing
	Seeds, PageSeeds     int     // of a curve at a point and on the page
	Splits               []Split // of the judged points by where the claim holds, the clearest first, a setting each
	OfPart               bool    // it holds nowhere: Splits and Chance are of where it holds in part
	Chance               float64 // that labels by chance have a split as clear as the first, over all settings
}

// Split parts the points by one setting.
type Split struct {
	Setting  int    // of the grid
	Name     string // of the setting
	In, Out  string // what the points of either part have
	InHold   int    // points of the part In at which the claim holds
	InAll    int    // points of the part In
	OutHold  int
	OutAll   int
	Impurity float64 // Gini's, of both parts, weighted by their points: 0 if the claim holds in one part only
	part     uint64  // the points of In, a bit each
}

// significant is the chance below which a split is said to decide.
const significant = 0.05

// Judged is the number of points at which the claim was judged.
func (s *Share) Judged() int { return s.Holds + s.InPart + s.Fails }

// Verdict is what is said of the claim as a whole. A claim that something exists holds if it does at some point or on
// the page; a point with fewer seeds than the page shows it in part only, since who is ahead with every seed is easier
// to find with few of them. Any other claim holds if it does at every point and on the page, and does not hold if it
// does at none. Where a run failed it is not shown to hold; where there is nothing to judge nothing is counted. A claim
// that rests on no measurement says so in its verdict.
func (c Claim) Verdict() Assessment {
	verdict, _ := c.judged()
	return verdict
}

// Why says how the verdict follows from the page and the settings; "" if from the page's measurement alone.
func (c Claim) Why() string {
	_, why := c.judged()
	return why
}

// judged is the verdict and the words for it, which are made of the same counts.
func (c Claim) judged() (verdict Assessment, why string) {
	verdict, why = c.overSettings()
	switch c.Rests {
	case OnAccount:
		why = after(why, "its evidence is the method's own account, which is computed and not measured")
	case OnConstruction:
		why = after(why, "what is compared is so by construction, and no measurement could differ")
	}
	if said, ok := resting[c.Rests][verdict]; ok {
		verdict = said
	}
	return verdict, why
}

// after joins what is said to what was said before.
func after(before, more string) string {
	if before == "" {
		return more
	}
	return before + "; " + more
}

// overSettings is the verdict on what a claim came to on the page and at the points, whatever it rests on.
func (c Claim) overSettings() (verdict Assessment, why string) {
	if c.Share == nil {
		return c.Assessment, ""
	}
	why = fmt.Sprintf("on this page alone it %s; %s", c.Assessment, c.Share.Words(c.Exists))
	if c.Share.Judged()+c.Share.Failed == 0 {
		return c.Assessment, why
	}
	holds, inPart := c.Share.Holds, c.Share.InPart
	if c.Exists && c.Share.few() {
		holds, inPart = 0, holds+inPart
	}
	switch c.Assessment {
	case Holds:
		holds++
	case HoldsInPart:
		inPart++
	}
	points := c.Share.Judged() + c.Share.Failed
	all, of := points+1, fmt.Sprintf("the page and %d points", points)
	if c.Assessment == NotTested {
		all, of = points, fmt.Sprintf("%d points", points)
	}
	reason := ""
	switch {
	case c.Exists && holds > 0:
		verdict, reason = Holds, fmt.Sprintf("as it is found in %d of %d cases, %s", holds, all, of)
	case c.Exists && inPart > 0:
		verdict, reason = HoldsInPart, "as it is found nowhere but in part"
	case !c.Exists && holds == all:
		verdict, reason = Holds, fmt.Sprintf("as it does in all of %d cases, %s", all, of)
	case holds+inPart > 0:
		verdict, reason = HoldsInPart, fmt.Sprintf("as it holds in %d of %d cases, %s, and in part in %d",
			holds, all, of, inPart)
	default:
		verdict, reason = Fails, fmt.Sprintf("as it holds in none of %d cases, %s", all, of)
	}
	return verdict, fmt.Sprintf("%s. As a whole it %s, %s", why, verdict, reason)
}

// few says whether a point has fewer seeds than the page.
func (s *Share) few() bool { return s.Seeds < s.PageSeeds }

// share is what a claim came to over a grid, beside a page of so many seeds.
func (j *Judged) share(g *Grid, claim, seeds int) *Share {
	s := &Share{Chance: 1, Seeds: j.Seeds, PageSeeds: seeds}
	var values [][]string // by point that was judged
	var hold, part uint64
	for _, p := range j.Points {
		switch p.Assessments[claim] {
		case Void:
			s.Failed++
			continue
		case Holds:
			hold |= 1 << len(values)
			s.Holds++
		case HoldsInPart:
			part |= 1 << len(values)
			s.InPart++
		case NotTested:
			s.Untested++
			continue
		default:
			s.Fails++
		}
		values = append(values, p.Values)
	}
	n := len(values)
	holds := s.Holds
	if s.OfPart = holds == 0; s.OfPart {
		hold, holds = part, s.InPart
	}
	if holds == 0 || holds == n {
		return s
	}
	var all []Split
	for k := range g.Settings {
		if splits := g.Settings[k].splits(k, values); splits != nil {
			for i := range splits {
				splits[i].count(hold, n)
			}
			best := slices.MinFunc(splits, clearer)
			s.Splits, all = append(s.Splits, best), append(all, splits...)
		}
	}
	if all == nil {
		return s
	}
	slices.SortStableFunc(s.Splits, clearer)
	s.Chance = chance(all, holds, n, s.Splits[0].Impurity)
	return s
}

func clearer(a, b Split) int {
	switch {
	case a.Impurity < b.Impurity-rounding:
		return -1
	case a.Impurity > b.Impurity+rounding:
		return 1
	}
	return 0
}

const rounding = 1e-12

// splits are the ways to part points by a setting: below a value and from it on if values have an order, otherwise one
// value against the others.
func (s *Setting) splits(number int, points [][]string) (all []Split) {
	var own []string
	for _, p := range points {
		own = append(own, p[number])
	}
	numbers, ordered := s.numeric(own)
	kinds := slices.Compact(slices.Sorted(slices.Values(own)))
	if ordered {
		kinds = nil
		levels := slices.Compact(slices.Sorted(slices.Values(numbers)))
		for k := 1; k < len(levels); k++ {
			split := Split{Setting: number, Name: s.Name, In: fmt.Sprintf("at most %g", levels[k-1]),
				Out: fmt.Sprintf("at least %g", levels[k])}
			for i, v := range numbers {
				if v < levels[k] {
					split.part |= 1 << i
				}
			}
			all = append(all, split)
		}
	}
	if len(kinds) == 2 {
		kinds = kinds[:1] // the other one is the same split
	}
	for _, kind := range kinds {
		split := Split{Setting: number, Name: s.Name, In: s.word(kind), Out: "otherwise"}
		for i, v := range own {
			if v == kind {
				split.part |= 1 << i
			}
		}
		if bits.OnesCount64(split.part) < len(own) {
			all = append(all, split)
		}
	}
	return all
}

// count counts the points of both parts at which a claim holds.
func (s *Split) count(hold uint64, n int) {
	s.InAll, s.InHold = bits.OnesCount64(s.part), bits.OnesCount64(s.part&hold)
	s.OutAll, s.OutHold = n-s.InAll, bits.OnesCount64(hold)-s.InHold
	s.Impurity = impurity(s.InHold, s.InAll, s.OutHold, s.OutAll)
}

// impurity is Gini's 2p(1−p) of two parts, weighted by their sizes.
func impurity(inHold, inAll, outHold, outAll int) float64 {
	part := func(hold, all int) float64 {
		if all == 0 {
			return 0
		}
		return 2 * float64(hold) * float64(all-hold) / float64(all)
	}
	return (part(inHold, inAll) + part(outHold, outAll)) / float64(inAll+outAll)
}

// mostLabellings is up to how many labellings a permutation test tries all of them; beyond, it draws as many.
const mostLabellings = 20000

// chance is the share of the labellings with as many points that hold for which some split is as clear: a permutation
// test of the clearest split, which counts all settings that could have been named.
func chance(splits []Split, holds, n int, clearest float64) float64 {
	parts := map[uint64]bool{}
	for _, s := range splits {
		parts[s.part] = true
	}
	asClear := func(hold uint64) bool {
		for part := range parts {
			in, inAll := bits.OnesCount64(part&hold), bits.OnesCount64(part)
			if impurity(in, inAll, holds-in, n-inAll) <= clearest+rounding {
				return true
			}
		}
		return false
	}
	found, all := 0, 0
	count := func(hold uint64) {
		if all++; asClear(hold) {
			found++
		}
	}
	if labellings := choose(n, holds); labellings <= mostLabellings {
		for hold := uint64(1)<<holds - 1; hold>>n == 0; {
			count(hold)
			lowest := hold & -hold // the next number with as many bits
			ripple := hold + lowest
			hold = ripple | (hold^ripple)>>2/lowest
		}
		return float64(found) / float64(all)
	}
	stream := sim.NewStream(0, "labellings", uint64(n), uint64(holds))
	for range mostLabellings {
		var hold uint64
		for _, k := range stream.Perm(n)[:holds] {
			hold |= 1 << k
		}
		count(hold)
	}
	return float64(found+1) / float64(all+1) // the labelling that was found is one of them
}

// choose is the number of ways to choose k of n, as a float.
func choose(n, k int) float64 {
	ways := 1.0
	for i := range k {
		ways = ways * float64(n-i) / float64(i+1)
	}
	return math.Round(ways)
}

// Words says what a claim came to over the settings.
func (s *Share) Words(exists bool) string {
	n := s.Judged()
	switch {
	case n == 0 && s.Untested == 0:
		return "over the open settings it cannot be judged: a run failed at every point"
	case n == 0:
		return fmt.Sprintf("over the open settings it cannot be judged: at %d points there is nothing to judge, and "+
			"at %d a run failed", s.Untested, s.Failed)
	}
	verb := "holds"
	if exists {
		verb = "is found"
	}
	text := fmt.Sprintf("over the open settings it %s at %d of %d points (%.0f %%)", verb, s.Holds, n,
		100*float64(s.Holds)/float64(n))
	if s.InPart > 0 {
		text += fmt.Sprintf(", in part at %d", s.InPart)
	}
	if s.Failed > 0 {
		text += fmt.Sprintf("; at %d more a run of its curves failed, so that it is not shown to hold there", s.Failed)
	}
	if s.Untested > 0 {
		text += fmt.Sprintf("; at %d more there is nothing to judge, which counts neither way", s.Untested)
	}
	if exists && s.few() && s.Holds > 0 {
		text += fmt.Sprintf("; a point has %d seeds and the page %d, so that points show it in part only", s.Seeds,
			s.PageSeeds)
	}
	if len(s.Splits) == 0 {
		return text
	}
	if s.OfPart {
		text += "; of where it holds in part"
	}
	first := s.Splits[0]
	decides := s.Chance <= significant
	var tied []string
	for _, other := range s.Splits[1:] {
		if clearer(first, other) == 0 {
			tied = append(tied, other.Name)
		}
	}
	split := fmt.Sprintf("%s: at %d of %d points, %s: at %d of %d", first.In, first.InHold, first.InAll, first.Out,
		first.OutHold, first.OutAll)
	odds := fmt.Sprintf("a split of one setting as clear as that has a chance of %.2g %%", 100*s.Chance)
	also := ""
	if tied != nil {
		also = fmt.Sprintf(" (%s would do as well)", strings.Join(tied, ", "))
	}
	if decides {
		return fmt.Sprintf("%s; %s decides%s: %s; %s", text, first.Name, also, split, odds)
	}
	return fmt.Sprintf("%s; no setting is shown to decide: the clearest is %s%s, %s; %s", text, first.Name, also, split,
		odds)
}
