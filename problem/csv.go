// CSV files, as people have them: with any separator, quotes, byte-order marks and line ends.

package problem

import (
	"bytes"
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

// sampled is how many records are looked at to find the separator.
const sampled = 100

// readCSV reads a table and expands its categorical columns in place.
func (s Source) readCSV(name string, text []byte) (*Set, *Reading, error) {
	t, err := s.openCSV(name, text)
	if err != nil {
		return nil, nil, err
	}
	return s.fromTable(t)
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
	sign, said := s.separator(text)
	form = append(form, said)

	t := &table{name: name}
	begin := func() *csv.Reader {
		r := csv.NewReader(bytes.NewReader(text))
		r.Comma, r.FieldsPerRecord, r.ReuseRecord = sign, -1, true
		r.TrimLeadingSpace = sign != ' ' && sign != '\t'
		return r
	}
	r := begin()
	first, err := nextRecord(name, r)
	if err == io.EOF {
		return nil, fmt.Errorf("%s: there are no rows: the file is empty", name)
	}
	if err != nil {
		return nil, err
	}
	line, _ := r.FieldPos(0)
	width := len(first)
	if width < 2 {
		return nil, fmt.Errorf("%s:%d: one column; a table needs a label and at least one more; if the fields are "+
			"separated by something else than a tab, semicolon, bar, comma or space, say separator", name, line)
	}
	header := s.hasHeader(first)
	guess := ""
	if s.Header == nil {
		guess = " (guessed)"
	}
	if header {
		form = append(form, "names in the first line"+guess)
		t.guessed = s.Header == nil
		if t.columns, err = names(name, line, first); err != nil {
			return nil, err
		}
	} else {
		form = append(form, "no line of names"+guess)
		for k := range width {
			t.columns = append(t.columns, fmt.Sprintf("column%d", k))
		}
	}
	t.form = strings.Join(form, ", ")
	t.each = func(row func(r record) error) error {
		r := begin()
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
				return wrongWidth(name, r, fields, width, n == 1 && header)
			}
			if err := row(record{fields, place}); err != nil {
				return err
			}
		}
	}
	return t, nil
}

// nextRecord reads a record that is not blank, its fields without blanks around them.
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
		for k := range fields {
			fields[k] = strings.TrimSpace(fields[k])
		}
		if len(fields) > 1 || fields[0] != "" {
			return fields, nil
		}
	}
}

// wrongWidth says that a record has not the fields of the first.
func wrongWidth(name string, r *csv.Reader, fields []string, width int, afterHeader bool) error {
	line, _ := r.FieldPos(0)
	hint := ""
	switch {
	case afterHeader && len(fields) == width+1:
		hint = "; if the rows begin with their names, as R writes them, give that column a name in the first line"
	case len(fields) == 1:
		hint = "; is it a comment or a note?"
	}
	return fmt.Errorf("%s:%d: %d fields, but the first line has %d%s", name, line, len(fields), width, hint)
}

// names are those of the columns, each its own.
func names(file string, line int, fields []string) ([]string, error) {
	columns := slices.Clone(fields)
	for k, name := range columns {
		if name == "" {
			columns[k] = fmt.Sprintf("column%d", k)
		}
	}
	for k, name := range columns {
		if before := slices.Index(columns, name); before < k {
			return nil, fmt.Errorf("%s:%d: two columns are called %q, fields %d and %d; if the line has no names say "+
				"header: false", file, line, name, before+1, k+1)
		}
	}
	return columns, nil
}

// hasHeader guesses, unless told: a header has no numbers.
func (s Source) hasHeader(fields []string) bool {
	if s.Header != nil {
		return *s.Header
	}
	return !slices.ContainsFunc(fields, func(f string) bool {
		_, class := s.parse(f)
		return class == finite
	})
}

// Separators that have a name in a scenario.
var separatorNames = map[string]rune{"tab": '\t', "space": ' '}

func (s Source) separatorSign() (rune, error) {
	if sign, ok := separatorNames[s.Separator]; ok {
		return sign, nil
	}
	sign, size := utf8.DecodeRuneInString(s.Separator)
	if size != len(s.Separator) || strings.ContainsRune("\"\r\n\ufeff\ufffd", sign) {
		return 0, fmt.Errorf("must be one character, tab or space, is %q", s.Separator)
	}
	return sign, nil
}

// separator is the one that was given, or the one by which all of the first records have the same number of fields,
// more than one; if none does, the one that gives the first record most. It says which.
func (s Source) separator(text []byte) (sign rune, said string) {
	if s.Separator != "" {
		sign, _ := s.separatorSign() // checked with the scenario
		return sign, "separator " + strconv.QuoteRune(sign)
	}
	best, most := 3, 0
	for k, candidate := range separators {
		if candidate.sign == ',' && s.Decimal == "," && bytes.ContainsRune(text, ';') {
			continue
		}
		width, even := fieldsBy(text, candidate.sign)
		if width > 1 && even {
			return candidate.sign, "separator " + candidate.name + " (detected)"
		}
		if width > most && candidate.sign != ' ' {
			best, most = k, width
		}
	}
	return separators[best].sign, "separator " + separators[best].name + " (detected)"
}

// fieldsBy is how many fields a separator gives the first record, and whether it gives as many to those after it.
func fieldsBy(text []byte, sign rune) (width int, even bool) {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord, r.LazyQuotes = sign, -1, true, true
	r.TrimLeadingSpace = sign != ' ' && sign != '\t'
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
