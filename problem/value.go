// What a field of a table is: a number, missing, something that reads as a number but is written otherwise, or a word.

package problem

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// class is what a text is, read as a number.
type class int

const (
	word    class = iota
	finite        // a number
	percent       // a number and a percent sign
	wild          // infinite, not a number, or too large

	// What follows reads as a number to a person, and not here.
	comma   // with the other decimal sign
	grouped // with signs between thousands
	unit    // with a unit or a currency
	coded   // with letters right after it: a unit, or a code such as 2a
	based   // hexadecimal, binary, with underscores, or with Fortran's exponents
	quoted  // in marks that are no part of CSV's quoting: 'single' ones, Excel's ="…"
	limit   // a bound, as a laboratory gives it for what is too little to be measured
	date
	clock   // a time of day, or a duration
	twofold // two numbers, such as a blood pressure
	minus   // negative as in accounts: (12), 12-
	marked  // with a sign that is no part of it: ~5, 5*
	worked  // with a fraction, a power of ten or an uncertainty: 5 1/2, 5*10^3, 5±1
	foreign // with other digits, another minus, or signs that are not seen
	classes
)

// parse reads a number with the source's decimal sign. What has a percent sign is the number before it.
func (s Source) parse(text string) (float64, class) {
	is := finite
	if rest, ok := strings.CutSuffix(text, "%"); ok {
		text, is = strings.TrimSpace(rest), percent
	}
	if s.Decimal == "," {
		if strings.Contains(text, ".") {
			return 0, word
		}
		text = strings.Replace(text, ",", ".", 1)
	}
	if text == "" || strings.IndexByte("+-.0123456789iInN", text[0]) < 0 {
		return 0, word // as ParseFloat would find, and make an error of each
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && (math.IsNaN(x) || math.IsInf(x, 0)):
		return 0, wild
	case err != nil, isGo(text): // 0x1p4 and 1_000
		return 0, word
	}
	return x, is
}

// isGo says whether a number that ParseFloat reads is one as only Go writes it.
func isGo(text string) bool {
	for k := range len(text) {
		if b := text[k]; b == 'x' || b == 'X' || b == '_' {
			return true
		}
	}
	return false
}

// unsigned is a text without a sign before it.
func unsigned(text string) string {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		return text[1:]
	}
	return text
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// isPadded says whether a number begins with a zero before another digit. It, isThirds and isGo are asked of every
// number of a table, where an expression takes ten times as long.
func isPadded(text string) bool {
	text = unsigned(text)
	return len(text) > 1 && text[0] == '0' && isDigit(text[1])
}

// isThirds says whether a number may as well be one of thousands: one to three digits, a point, and three more.
func isThirds(text string) bool {
	text = unsigned(text)
	point := len(text) - len(".000")
	if point < 1 || point > 3 || text[point] != '.' || text[0] == '0' {
		return false
	}
	for k := range len(text) {
		if k != point && !isDigit(text[k]) {
			return false
		}
	}
	return true
}

// isWhole says whether a number has neither a decimal sign nor an exponent.
func isWhole(text string) bool {
	for k := range len(text) {
		if b := text[k]; !isDigit(b) && b != '-' {
			return false
		}
	}
	return true
}

func (s Source) isNumber(text string) bool {
	_, class := s.parse(text)
	return class == finite || class == percent
}

const (
	months   = `(?i:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])\pL*`
	decimals = `\d+([.,]\d+)?`
)

var (
	basedForm = regexp.MustCompile(`^[-+]?(0[xX][0-9a-fA-F_.]+([pP][-+]?\d+)?|` +
		`0[bB][01_]+|\d[\d_.]*_[\d_.]*|\d+(\.\d*)?[dD][-+]\d+)$`)
	dateForm = regexp.MustCompile(`^(\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?|\d{1,2}[-/.]\d{1,2}[-/.](\d{4}|\d{2})|` +
		`\d{1,2}\.?[-/ ]?` + months + `[-/. ]{0,2}(\d{4}|\d{2})|` + months + `[. ]{1,2}\d{1,2},? \d{4})` +
		`([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?( ?(Z|UTC|[-+]\d{2}:?\d{2}))?)?$`)
	clockForm   = regexp.MustCompile(`^[-+]?\d{1,3}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?$`)
	pairForm    = regexp.MustCompile(`^\d+([.,]\d+)? ?/ ?\d+([.,]\d+)?$`)
	groupedForm = regexp.MustCompile(`^[-+]?\d{1,3}(,\d{3}|\.\d{3}|['’ \x{a0}\x{202f}]\d{3})+([.,]\d+)?$`)
	limitForm   = regexp.MustCompile(`^(<=?|>=?|≤|≥)\s*|\+$`)
	minusForm   = regexp.MustCompile(`^(\(\s*([^()+-]+)\)|([^()+-]+)-)$`)
	markForm    = regexp.MustCompile(`^[~≈≅*†‡#^]+\s*|\s*[~*†‡§#^?!]+$`)
	workedForm  = regexp.MustCompile(`^[-+]?((\d+\s*)?[¼-¾⅐-⅞]|\d+\s+\d+\s?[/⁄]\s?\d+|` +
		decimals + `\s*(±|\+/?-)\s*` + decimals + `|` +
		`(` + decimals + `\s*[*x×·]\s*)?10(\s?(\^|\*\*)\s?[-+−]?\d+|[⁺⁻]?[⁰¹²³⁴-⁹]+))$`)
	rangeForm   = regexp.MustCompile(`^` + decimals + `\s?(-|–|—|\.\.|…|to|bis)\s?` + decimals + `$`)
	numberForm  = regexp.MustCompile(`^[-+]?(\d+([.,]\d+)*|[.,]\d+)`)
	ordinalForm = regexp.MustCompile(`^(1st|2nd|3rd|\d+(st|nd|rd|th))$`)
	unitForm    = regexp.MustCompile(`^[\pL%‰°µ$€£¥][\pL%‰°µ$€£¥/²³·*^.-]*[\d²³]?$`)
)

// shape is what a text that is no number reads as.
func (s Source) shape(text string) class {
	if !strings.ContainsFunc(text, unicode.IsNumber) || len(text) > 64 {
		return word
	}
	other := Source{Decimal: ","}
	if s.Decimal == "," {
		other.Decimal = "."
	}
	bare, inside := strings.Trim(text, "$€£¥ "), strings.Trim(text, `='"‘’“” `)
	limited, unmarked := limitForm.ReplaceAllString(text, ""), markForm.ReplaceAllString(text, "")
	plain := inASCII(text)
	switch {
	case basedForm.MatchString(text):
		return based
	case s.Decimal == "," && groupedForm.MatchString(text) && strings.Contains(text, "."):
		return grouped
	case other.isNumber(text):
		return comma
	case dateForm.MatchString(text):
		return date
	case clockForm.MatchString(text):
		return clock
	case pairForm.MatchString(text):
		return twofold
	case groupedForm.MatchString(text):
		return grouped
	case inside != text && s.reads(inside):
		return quoted
	case limited != text && s.reads(limited):
		return limit
	case bare != text && s.reads(bare):
		return unit
	case ordinalForm.MatchString(text):
		return word
	case workedForm.MatchString(text):
		return worked
	case minusForm.MatchString(text) && s.reads(strings.TrimSpace(minusForm.ReplaceAllString(text, "$2$3"))):
		return minus
	case unmarked != text && s.reads(unmarked):
		return marked
	case plain != text && (s.isNumber(plain) || s.shape(plain) != word):
		return foreign
	}
	number := numberForm.FindString(text)
	rest := text[len(number):]
	name := strings.TrimSpace(rest)
	first, _ := utf8.DecodeRuneInString(name)
	switch {
	case number == "" || !unitForm.MatchString(name):
		return word
	case name != rest || !unicode.IsLetter(first):
		return unit
	}
	return coded
}

// inASCII is a text with the digits 0 to 9 in the place of other digits, with -, decimal signs and signs between
// thousands in the place of those that only look so, and without signs that are not seen.
func inASCII(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.Is(unicode.Cf, r):
			return -1
		case strings.ContainsRune("−－﹣‐‑", r):
			return '-'
		case r == '＋':
			return '+'
		case strings.ContainsRune("٫．", r):
			return '.'
		case strings.ContainsRune("٬，", r):
			return ','
		}
		for _, digits := range unicode.Nd.R16 { // each has the digits from 0 to 9, once or several times
			if rune(digits.Lo) <= r && r <= rune(digits.Hi) {
				return '0' + (r-rune(digits.Lo))%10
			}
		}
		return r
	}, text)
}

// reads says whether a text is a number, or reads as one.
func (s Source) reads(text string) bool {
	if s.isNumber(text) {
		return true
	}
	c := s.shape(text)
	return c == comma || c == grouped || c == unit || c == coded || c == foreign
}

// readsAs says what a text of a class is, and what would be right.
func (s Source) readsAs(c class) (is, remedy string) {
	switch c {
	case comma:
		if s.Decimal == "," {
			return "reads as a number with a decimal point, where decimal is a comma",
				"write all values with one decimal sign"
		}
		return "reads as a number with a decimal comma", `say decimal: ","; if its commas are between thousands, ` +
			`take ` +
			"them out"
	case grouped:
		return "reads as a number with signs between its thousands", "take these out in the file"
	case unit, coded:
		return "reads as a number with a unit", "make all values of one unit and take it out in the file"
	case quoted:
		return "reads as a number in quotation marks", "take these out in the file"
	case based:
		return "reads as a number that is not written in decimal", "write it in decimal"
	case limit:
		return "reads as a bound of a number", "put a number in its place, such as half of the least that can be " +
			"measured, or drop these rows by naming it in missing"
	case date:
		return "reads as a date", "make a number of it, such as an age or the days since the first"
	case clock:
		return "reads as a time", "make a number of it, such as hours or seconds"
	case twofold:
		return "reads as two numbers or a fraction", "make two columns of them, or if it is a fraction or a ratio, " +
			"such as a dose of 1/2, write it as one decimal number"
	case minus:
		return "reads as a negative number, as accounts write it", "write - before it, or take the signs out"
	case marked:
		return "reads as a number with a sign beside it", "take the sign out, or put it into a column of its own"
	case worked:
		return "reads as a number with a fraction, a power of ten or an uncertainty", "write one decimal number, and " +
			"an uncertainty in a column of its own"
	case foreign:
		return "is a number with other signs than 0 to 9, - and the decimal sign, or with signs that are not seen",
			"write it with these alone"
	}
	return "is a word", ""
}

// missingValues mean that there is none, in capitals or not, unless a source has its own.
// Errors of spreadsheets are values that could not be computed.
var missingValues = []string{"?", "na", "n/a", "nan", "-nan", "null", "<na>", "#n/a", "#na", `\n`, "#n/a n/a",
	"#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!", "#error!", "#spill!", "#calc!"}

// isMissing says whether a text means that there is no value. A number means it however it is written: -999 is -999.0.
func (s Source) isMissing(text string) bool {
	if text == "" {
		return true
	}
	if s.Missing == nil {
		return strings.IndexByte("?nN<#-\\", text[0]) >= 0 && slices.ContainsFunc(missingValues, func(m string) bool {
			return strings.EqualFold(m, text)
		})
	}
	return s.isAmong(s.Missing, text)
}

// isAmong says whether a text is one of a list, or the same number as one of it.
func (s Source) isAmong(list []string, text string) bool {
	if slices.Contains(list, text) {
		return true
	}
	for _, m := range list {
		if x, c := s.parse(m); c == finite {
			if y, c := s.parse(text); c == finite && x == y {
				return true
			}
		}
	}
	return false
}

var plainYAML = regexp.MustCompile(`^[\pL\d_](?:[\pL\d_./ -]*[\pL\d_.])?$`)

// list is a YAML list of texts.
func list(texts ...string) string {
	var quoted []string
	for _, n := range texts {
		quoted = append(quoted, scalar(n))
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// scalar is a text as YAML on one line.
func scalar(text string) string {
	if !plainYAML.MatchString(text) || slices.Contains([]string{"yes", "no", "true", "false", "null", "on", "off"},
		strings.ToLower(text)) {
		return strconv.Quote(text)
	}
	return text
}

// Counted is a number with its noun.
func Counted(n int, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
