// CSV files, as people have them: with any separator, quotes, byte-order marks and line ends.

package problem

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// separators are looked for in this order: those that are rarely part of a value first.
var separators = []struct {
	sign rune
	name string
}{{'\t', "tab"}, {';', "semicolon"}, {'|', "bar"}, {',', "comma"}, {' ', "space"}}

// sampled is how many records are looked at to find the separator, and first for what all may take.
const sampled = 100

// readCSV reads a table and expands its categorical columns in place.
func (s Source) readCSV(ctx context.Context, name string, text []byte) (*Set, *Reading, error) {
	t, err := s.openCSV(name, text)
	if err != nil {
		return nil, nil, err
	}
	return s.fromTable(ctx, t)
}

// openCSV finds out how a file is written.
func (s Source) openCSV(name string, text []byte) (*table, error) {
	if err := checkText(name, text); err != nil {
		return nil, err
	}
	form := []string{"CSV"}
	if rest, ok := bytes.CutPrefix(text, []byte("\ufeff")); ok {
		text = rest
		form = append(form, "byte-order mark left out")
	}
	switch {
	case bytes.Contains(text, []byte("\r\n")):
		form = append(form, "Windows line ends")
	case bytes.ContainsRune(text, '\r') && !bytes.ContainsRune(text, '\n'):
		text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
		form = append(form, "line ends of old Macs")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, fmt.Errorf("%s: there are no rows: the file is empty", name)
	}
	sign, said, text := s.separator(text)
	form = append(form, said)

	t := &table{name: name, guessed: s.Header == nil, size: int64(len(text)), text: int64(len(text))}
	r := s.reader(bytes.NewReader(text), sign)
	first, err := nextRecord(name, r)
	if err == io.EOF {
		return nil, fmt.Errorf("%s: there are no rows: the file is empty", name)
	}
	if err != nil {
		return nil, err
	}
	line, _ := r.FieldPos(0)
	width, begin := len(first), strings.Clone(first[0])
	if width < 2 && (strings.HasPrefix(begin, "#") || s.continues(text, line)) {
		return nil, fmt.Errorf("%s:%d: the first line is one field%s", name, line, aside(begin))
	}
	if width < 2 {
		return nil, fmt.Errorf("%s:%d: one column; a table needs a label and at least one more; if the fields are "+
			"separated by something else than a tab, semicolon, bar, comma or space, say separator", name, line)
	}
	t.rows = mostRows(int64(bytes.Count(text, []byte("\n"))), t.size, width)
	header := s.hasHeader(first)
	guess := ""
	if s.Header == nil {
		guess = " (guessed)"
	}
	if header {
		form = append(form, "names in the first line"+guess)
		t.named = true
		if t.columns, t.nameless, err = names(name, line, first); err != nil {
			return nil, err
		}
	} else {
		form = append(form, "no line of names"+guess)
		for k := range width {
			t.columns = append(t.columns, fmt.Sprintf("column%d", k))
		}
	}
	t.form = strings.Join(form, ", ")
	t.from = func(input io.Reader, row func(r record) error) error {
		r := s.reader(input, sign)
		place := func(k int) string {
			line, column := r.FieldPos(k)
			return fmt.Sprintf(":%d:%d", line, column)
		}
		for n := 0; ; n++ {
			fields, err := nextRecord(name, r)
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if n == 0 && header {
				continue
			}
			if len(fields) != width {
				return wrongWidth(name, r, fields, width, begin, n == 1)
			}
			if err := row(record{fields, place, r.InputOffset()}); err != nil {
				return err
			}
		}
	}
	t.each = func(row func(r record) error) error { return t.from(bytes.NewReader(text), row) }
	t.begin = text
	return t, nil
}

// mostRows is how many rows a text has at most: a field has a byte and a separator.
func mostRows(lineEnds, size int64, width int) int {
	return int(1 + min(lineEnds, size/int64(2*width)))
}

// nextRecord reads a record that is not blank, as those are with which Excel ends a sheet, its
// fields without blanks around them.
func nextRecord(name string, r *csv.Reader) ([]string, error) {
	for {
		fields, err := r.Read()
		var p *csv.ParseError
		switch {
		case errors.As(err, &p) && errors.Is(err, csv.ErrBareQuote):
			return nil, fmt.Errorf("%s:%d:%d: a quotation mark inside a field; a field that holds one is quoted and "+
				"the mark doubled: \"5\"\" pipe\"", name, p.Line, p.Column)
		case errors.As(err, &p) && errors.Is(err, csv.ErrQuote):
			return nil, fmt.Errorf("%s:%d:%d: the quotes of the record that begins in line %d do not match; a "+
				"quotation mark inside a quoted field is doubled", name, p.Line, p.Column, p.StartLine)
		case err != nil:
			return nil, err
		}
		blank := true
		for k := range fields {
			fields[k] = strings.TrimSpace(fields[k])
			blank = blank && fields[k] == ""
		}
		if !blank {
			return fields, nil
		}
	}
}

// continues says whether the second record has several fields by some separator.
func (s Source) continues(text []byte, line int) bool {
	lines := bytes.SplitAfterN(text, []byte("\n"), line+1)
	for _, by := range separators[:4] {
		if width, _ := s.fieldsBy(lines[len(lines)-1], by.sign); len(lines) > line && width > 1 {
			return true
		}
	}
	return false
}

// aside is a hint on a line that is no row.
func aside(begin string) string {
	if strings.HasPrefix(begin, "#") || strings.HasPrefix(begin, "%") || strings.HasPrefix(begin, "//") {
		return fmt.Sprintf("; if it is a comment say comment: %q", begin[:1])
	}
	return "; is it a title, a comment or a note? take it out of the file, or, if such lines begin with a sign, say " +
		`comment: "#"`
}

// wrongWidth says that a record has not the fields of the first.
func wrongWidth(name string, r *csv.Reader, fields []string, width int, first string,
	afterHeader bool) error {
	line, _ := r.FieldPos(0)
	hint := ""
	switch {
	case len(fields) == 1 || strings.HasPrefix(fields[0], "#"):
		hint = aside(fields[0])
	case strings.HasPrefix(first, "#"):
		hint = aside(first)
	case len(fields) == width+1 && fields[width] == "":
		hint = "; the row ends with a separator: take it out, or put one after the names"
	case afterHeader && len(fields) == width+1:
		hint = "; if the rows begin with their names, as R writes them, give that column a name in the first line"
	case afterHeader:
		hint = "; if the first line is a title take it out"
	}
	return fmt.Errorf("%s:%d: %s, but the first line has %d%s", name, line, Counted(len(fields), "field"), width, hint)
}

// names are those of the columns, each its own, and which of them the file does not give; line is 0 where they are not
// in a line of text.
func names(file string, line int, fields []string) (columns []string, nameless []int, err error) {
	columns = slices.Clone(fields)
	for k, name := range columns {
		if name == "" {
			columns[k] = fmt.Sprintf("column%d", k)
		}
		if name == "" || name == fmt.Sprintf("Unnamed: %d", k) { // as pandas writes it
			nameless = append(nameless, k)
		}
	}
	first := make(map[string]int, len(columns))
	for k, name := range columns {
		before, twice := first[name]
		first[name] = k
		if twice && line == 0 {
			return nil, nil, fmt.Errorf("%s: two columns are called %q, %d and %d; give each a name of its own",
				file, name, before+1, k+1)
		}
		if twice {
			return nil, nil, fmt.Errorf("%s:%d: two columns are called %q, fields %d and %d; if the line has no "+
				"names say problem.data.header: false", file, line, name, before+1, k+1)
		}
	}
	return columns, nameless, nil
}

// hasHeader guesses, unless told: a header has no numbers, dates and times.
func (s Source) hasHeader(fields []string) bool {
	if s.Header != nil {
		return *s.Header
	}
	return !slices.ContainsFunc(fields, func(f string) bool {
		_, is := s.parse(f)
		if is == word {
			is = s.shape(f)
		}
		return slices.Contains([]class{finite, percent, comma, grouped, date, clock, foreign}, is)
	})
}

// Separators that have a name in a scenario.
var separatorNames = map[string]rune{"tab": '\t', "space": ' '}

func (s Source) separatorSign() (rune, error) {
	if sign, ok := separatorNames[s.Separator]; ok {
		return sign, nil
	}
	sign, size := utf8.DecodeRuneInString(s.Separator)
	if size != len(s.Separator) || strings.ContainsRune("\x00\"\r\n\ufeff\ufffd", sign) {
		return 0, fmt.Errorf("must be one character, tab or space, is %q", s.Separator)
	}
	return sign, nil
}

// separator is the one that was given, or that the file's first line says, as Excel writes it (sep=;), or the one by
// which all of the first records have the same number of fields, more than one; if none does, the one that gives the
// first record most. It says which, and returns the text with that first line blank.
func (s Source) separator(text []byte) (sign rune, said string, rest []byte) {
	line, after, _ := bytes.Cut(text, []byte("\n"))
	told, ok := bytes.CutPrefix(bytes.Trim(line, "\r\""), []byte("sep="))
	if own, size := utf8.DecodeRune(told); ok && size > 0 && size == len(told) && own != '"' && own != utf8.RuneError {
		text = append([]byte("\n"), after...)
		sign, said = own, "separator "+strconv.QuoteRune(own)+" (the first line says so)"
	}
	if s.Separator != "" {
		sign, _ = s.separatorSign() // checked with the scenario
		said = "separator " + strconv.QuoteRune(sign)
	}
	if sign != 0 {
		return sign, said, text
	}
	best, most := 3, 0
	for k, candidate := range separators {
		if candidate.sign == ',' && s.Decimal == "," && bytes.ContainsRune(text, ';') {
			continue
		}
		width, even := s.fieldsBy(text, candidate.sign)
		if width > 1 && even {
			best = k
			break
		}
		if width > most && candidate.sign != ' ' {
			best, most = k, width
		}
	}
	return separators[best].sign, "separator " + separators[best].name + " (detected)", text
}

// reader reads records by a separator.
func (s Source) reader(text io.Reader, sign rune) *csv.Reader {
	r := csv.NewReader(text)
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = sign, -1, true
	r.TrimLeadingSpace = sign != ' ' && sign != '\t'
	if comment, size := utf8.DecodeRuneInString(s.Comment); size > 0 && comment != sign {
		r.Comment = comment
	}
	return r
}

// fieldsBy is how many fields a separator gives the first record, and whether it gives as many to those after it.
func (s Source) fieldsBy(text []byte, sign rune) (width int, even bool) {
	r := s.reader(bytes.NewReader(text), sign)
	r.LazyQuotes = true
	for range sampled {
		fields, err := nextRecord("", r)
		if err != nil {
			return width, err == io.EOF
		}
		if width == 0 {
			width = len(fields)
		}
		if len(fields) != width {
			return width, false
		}
	}
	return width, true
}

// checkText says what a file is if it is not UTF-8 text.
func checkText(name string, text []byte) error {
	for _, other := range []struct{ begin, is string }{
		{"\xff\xfe", "is UTF-16; make it UTF-8: iconv -f UTF-16 -t UTF-8 OLD > NEW"},
		{"\xfe\xff", "is UTF-16; make it UTF-8: iconv -f UTF-16 -t UTF-8 OLD > NEW"},
		{"PK\x03\x04", "is a ZIP archive, as Excel's workbooks are; unpack it, or save the sheet as CSV (UTF-8)"},
		{"\xd0\xcf\x11\xe0", "is an old Excel workbook; save the sheet as CSV (UTF-8)"},
		{"PAR1", "is a Parquet file: say parquet instead of csv"},
		{"ARROW1", "is an Arrow file: say arrow instead of csv"},
		{"\x28\xb5\x2f\xfd", "is packed with zstd; unpack it, or pack it with gzip"},
		{"BZh", "is packed with bzip2; unpack it, or pack it with gzip"},
		{"\xfd7zXZ", "is packed with xz; unpack it, or pack it with gzip"},
	} {
		if bytes.HasPrefix(text, []byte(other.begin)) {
			return fmt.Errorf("%s: the file %s", name, other.is)
		}
	}
	line := func(at int) int { return 1 + bytes.Count(text[:at], []byte("\n")) }
	if at := bytes.IndexByte(text, 0); at >= 0 {
		return fmt.Errorf("%s:%d: the file has zero bytes: it is no text, or UTF-16 without a mark; make it UTF-8: "+
			"iconv -f UTF-16LE -t UTF-8 OLD > NEW", name, line(at))
	}
	if utf8.Valid(text) {
		return nil
	}
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	column := at - bytes.LastIndexByte(text[:at], '\n')
	return fmt.Errorf("%s:%d:%d: byte %#x is not UTF-8; the file is likely Latin-1 or Windows-1252; make it UTF-8: "+
		"iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW", name, line(at), column, text[at])
}
