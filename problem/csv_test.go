// CSV as people have it: what is read, what is asked, what is refused.

package problem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"overhear/internal/stage"
)

// patients is a table that nothing is to be asked about; rows end with end, fields with sign.
func patients(sign, end string) string {
	return strings.NewReplacer(",", sign, "\n", end).Replace(
		"age,ward,marker,ill\n63,north,1.5,yes\n41,south,-2,no\n63,north,0,no\n58,south,2.25,yes\n")
}

var patientRows = [][]float64{{63, 1, 0, 1.5}, {41, 0, 1, -2}, {63, 1, 0, 0}, {58, 0, 1, 2.25}}

// Every way of writing the same table gives the same rows.
func TestCSV_TheSameTable(t *testing.T) {
	utf8Mark := "\xef\xbb\xbf"
	plain := patients(",", "\n")
	for name, c := range map[string]struct {
		source Source
		text   string
		form   string
	}{
		"plain":              {Source{}, plain, "separator comma (detected)"},
		"semicolons":         {Source{}, patients(";", "\n"), "separator semicolon (detected)"},
		"tabs":               {Source{}, patients("\t", "\n"), "separator tab (detected)"},
		"bars":               {Source{}, patients("|", "\n"), "separator bar (detected)"},
		"spaces":             {Source{}, patients(" ", "\n"), "separator space (detected)"},
		"comma and blank":    {Source{}, patients(" , ", "\n"), "separator comma (detected)"},
		"given":              {Source{Separator: "^"}, patients("^", "\n"), "separator '^'"},
		"given as tab":       {Source{Separator: "tab"}, patients("\t", "\n"), `separator '\t'`},
		"Windows":            {Source{}, patients(",", "\r\n"), "Windows line ends"},
		"old Mac":            {Source{}, patients(",", "\r"), "line ends of old Macs"},
		"mark":               {Source{}, utf8Mark + plain, "byte-order mark left out"},
		"mark, quoted":       {Source{}, utf8Mark + strings.Replace(plain, "age", `"age"`, 1), "byte-order mark"},
		"no end":             {Source{}, strings.TrimSuffix(plain, "\n"), ""},
		"blank lines":        {Source{}, "\n" + strings.ReplaceAll(plain, "\n", "\n \n\n"), ""},
		"quoted":             {Source{}, `"` + patients(`","`, "\"\n\""), ""},
		"decimal comma":      {Source{Decimal: ","}, strings.ReplaceAll(patients(";", "\n"), ".", ","), "semicolon"},
		"decimal comma, tab": {Source{Decimal: ","}, strings.ReplaceAll(patients("\t", "\n"), ".", ","), "tab"},
		"no names":           {Source{}, plain[strings.Index(plain, "\n")+1:], "no line of names (guessed)"},
		"exponents":          {Source{}, strings.NewReplacer("1.5", "+15e-1", "2.25", "2.250E0").Replace(plain), ""},
	} {
		c.text = strings.TrimSuffix(c.text, "\n\"") // of the quoted one
		set, reading, err := c.source.readCSV(t.Context(), "f", []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := dense(set.X); !slices.EqualFunc(got, patientRows, slices.Equal) {
			t.Errorf("%s: rows %v", name, got)
		}
		if !slices.Equal(set.Y, []float64{1, -1, -1, 1}) {
			t.Errorf("%s: labels %v", name, set.Y)
		}
		if !strings.Contains(reading.Form, c.form) {
			t.Errorf("%s: told as %q, want %q in it", name, reading.Form, c.form)
		}
		if name != "no names" && !slices.Equal(set.Columns, []string{"age", "ward=north", "ward=south", "marker"}) {
			t.Errorf("%s: columns %q", name, set.Columns)
		}
	}
}

// Separators and line ends in quotes are part of the value.
func TestCSV_Quotes(t *testing.T) {
	text := "note,x,y\n\"a, b\",1,0\n\"a\nb\",2,1\n\"say \"\"a\"\"\",3,0\n\"a, b\",4,1\n"
	set, _, err := Source{}.readCSV(t.Context(), "f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"note=a\nb", "note=a, b", `note=say "a"`, "x"}; !slices.Equal(set.Columns, want) {
		t.Errorf("columns %q, want %q", set.Columns, want)
	}
	// A line end inside quotes counts, so that a line is that of an editor.
	_, _, err = Source{}.readCSV(t.Context(), "f", []byte("note,x,y\n\"a\nb\",2,1\nc,oops,0\nc,3,0\nc,4,1\n"))
	if err == nil || !strings.HasPrefix(err.Error(), `f:4:3: "oops" is not a number`) {
		t.Errorf("after a line end in quotes: %v", err)
	}
}

// A value may be missing in any of the usual spellings; what is left out needs none.
func TestCSV_Missing(t *testing.T) {
	spellings := []string{"", " ", `""`, "?", "NA", "na", "n/a", "N/A", "NaN", "nan", "-nan", "null", "NULL", "Null",
		"#N/A", "<NA>", `\N`}
	text := "id,x,c,y\n"
	for _, m := range spellings {
		text += ",1," + m + ",0\n"
	}
	set, reading, err := Source{Drop: []string{"id"}}.readCSV(t.Context(), "f",
		[]byte(text+"7,1,a,0\n8,2,b,1\n9,3,b,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	if set.X.Len() != 3 || set.Dropped != len(spellings) || reading.Missing["c"] != len(spellings) ||
		reading.Missing["id"] != 0 || reading.RowsRead != len(spellings)+3 {
		t.Errorf("%d rows, %+v", set.X.Len(), reading)
	}
	if !slices.Equal(set.Columns, []string{"x", "c=a", "c=b"}) {
		t.Errorf("columns %q", set.Columns)
	}
	_, _, err = Source{}.readCSV(t.Context(), "f", []byte("a,b,y\n1,,0\n,2,1\n"))
	if err == nil || err.Error() != "f: there are no rows without missing values among 2; missing are a in 1, b in 1" {
		t.Errorf("no complete row: %v", err)
	}
}

func lots(n int, header string, row func(i int) string) string {
	var b strings.Builder
	b.WriteString(header + "\n")
	for i := range n {
		b.WriteString(row(i) + "\n")
	}
	return b.String()
}

// What a table would silently get wrong is asked, with the key that answers.
func TestCSV_Asks(t *testing.T) {
	colour := func(i int) string { return []string{"red", "blue"}[i%2] }
	named := lots(30, "name,x,y", func(i int) string { return fmt.Sprintf("P%d,%g,%d", i, 0.5*float64(i%7), i%2) })
	numbered := lots(30, "id,x,y", func(i int) string { return fmt.Sprintf("%d,%g,%d", 1000+(i*7)%30, 0.5, i%2) })
	many := lots(300, "place,x,y", func(i int) string { return fmt.Sprintf("town%d,%d,%d", i%101, i%5, i%2) })
	late := lots(300, "x,c,y", func(i int) string {
		if i == 299 {
			return "unknown,red,1"
		}
		return fmt.Sprintf("%d,%s,%d", i%5, colour(i), i%2)
	})
	lateNumber := lots(300, "c,x,y", func(i int) string {
		if i == 250 {
			return "17,0.5,1"
		}
		return fmt.Sprintf("%s,%d,%d", colour(i), i%3, i%2)
	})
	commas := lots(30, "x;c;y", func(i int) string { return fmt.Sprintf("%d,5;%s;%d", i%7, colour(i), i%2) })
	for name, c := range map[string]struct {
		text, want string
		answers    map[string]Source // that let the table be read, with its columns
	}{
		"names of rows": {named, `f: column name has as many values as rows, 30, such as "P0"`, map[string]Source{
			"x": {ID: "name"}, "x ": {Drop: []string{"name"}}}},
		"numbers of rows": {numbered, "f: column id has as many values as rows, 30 whole numbers from 1000 to 1029",
			map[string]Source{"x": {ID: "id"}, "id x": {Numeric: []string{"id"}}}},
		"many categories": {many, "f: column place has 101 categories in 300 rows", map[string]Source{
			"x": {Drop: []string{"place"}}}},
		"a late word": {late, `f:301:1: "unknown" is not a number, but 299 of the 300 values of column x are; ` +
			`"unknown" in 1 row: if it means that there is no value say missing: [unknown]`, map[string]Source{
			"x c=blue c=red": {Missing: []string{"unknown"}},
			"x=0 x=1 x=2 x=3 x=4 x=unknown c=blue c=red": {Categorical: []string{"x"}},
			"c=blue c=red":  {Drop: []string{"x"}},
			"c=blue c=red ": {Drop: []string{"0"}},
			"x=0 x=1 x=2 x=3 x=4 x=unknown c=blue c=red    ": {Categorical: []string{"0", "c"}},
		}},
		"a late number": {lateNumber, `f:252:1: "17" is a number, but 299 of the 300 values of column c are words`,
			map[string]Source{"c=17 c=blue c=red x": {Categorical: []string{"c"}}}},
		"decimal commas": {commas, `f:2:1: column x has values that are not written as numbers; "0,5" reads as a ` +
			`number ` +
			`with a decimal comma (30 rows): say decimal: ","`,
			map[string]Source{"x c=blue c=red": {Decimal: ","}}},
		"empty column": {"x,e,y\n1,,0\n2,,1\n", "f: column e has no value in any row; leave it out with drop: [e]",
			map[string]Source{"x": {Drop: []string{"e"}}}},
		"two at once": {lots(30, "name,id,x,y", func(i int) string {
			return fmt.Sprintf("P%d,%d,%d,%d", i, i, i%4, i%2)
		}),
			"f: column id has as many values as rows", map[string]Source{"x": {ID: "name", Drop: []string{"id"}}}},
	} {
		if _, _, err := (Source{}).readCSV(t.Context(), "f", []byte(c.text)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		for want, s := range c.answers {
			set, _, err := s.readCSV(t.Context(), "f", []byte(c.text))
			if err != nil {
				t.Errorf("%s, answered with %+v: %v", name, s, err)
			} else if got := strings.Join(set.Columns, " "); got != strings.TrimSpace(want) {
				t.Errorf("%s, answered with %+v: columns %s, want %s", name, s, got, want)
			}
		}
	}
	if _, _, err := (Source{}).readCSV(t.Context(), "f", []byte(named)); strings.Count(err.Error(), "\n") != 0 {
		t.Errorf("one column is asked about in several lines: %v", err)
	}
}

// A measurement may well have a value for each row.
func TestCSV_AsksNotAboutMeasurements(t *testing.T) {
	for name, row := range map[string]func(i int) string{
		"fractions":          func(i int) string { return fmt.Sprintf("%g,%d", 0.25+float64(i), i%2) },
		"whole, one repeats": func(i int) string { return fmt.Sprintf("%d,%d", max(i, 1), i%2) },
		"100 categories":     func(i int) string { return fmt.Sprintf("c%d,%d", i%100, i%2) },
	} {
		if _, _, err := (Source{}).readCSV(t.Context(), "f", []byte(lots(400, "x,y", row))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCSV_Errors(t *testing.T) {
	csv := Source{}
	utf16 := []byte{0xff, 0xfe}
	for _, c := range patients(",", "\n") {
		utf16 = append(utf16, byte(c), 0)
	}
	for _, c := range []struct {
		source     Source
		text, want string
	}{
		{csv, string(utf16), "f: the file is UTF-16; make it UTF-8: iconv"},
		{csv, string(utf16[2:]), "f:1: the file has zero bytes: it is no text, or UTF-16"},
		{csv, "a,b,y\n1,2,0\n3,caf\xe9,1\n", "f:3:6: byte 0xe9 is not UTF-8; the file is likely Latin-1"},
		{csv, "PK\x03\x04...", "is a ZIP archive, as Excel's workbooks are"},
		{csv, "PAR1....", "is a Parquet file: say parquet"},
		{csv, "ARROW1..", "is an Arrow file: say arrow"},
		{csv, "a b\n1\n", "f:1: one column"},
		{csv, "a\n1\n2\n", "f:1: one column; a table needs a label"},
		{csv, "", "f: there are no rows: the file is empty"},
		{csv, "\xef\xbb\xbf\r\n", "f: there are no rows: the file is empty"},
		{csv, "a,a,y\n1,2,0\n", `f:1: two columns are called "a", fields 1 and 2`},
		{csv, "x,y\nr1,1,0\nr2,2,1\n", "f:2: 3 fields, but the first line has 2; if the rows begin with their names, " +
			"as R"},
		{csv, "a,b,y\n1,2,0\n# a note\n", `f:3: 1 field, but the first line has 3; if it is a comment say comment: ` +
			`"#"`},
		{csv, "a,y\n5\" pipe,1\n", "f:2:2: a quotation mark inside a field"},
		{csv, "a,y\n1,0\n\"2,1\n3,0\n", "the quotes of the record that begins in line 3 do not match"},
		{csv, "a,b,y\n1,2,0\n3,1e999,1\n", `f:3:3: "1e999" is not a finite number`},
		{Source{Numeric: []string{"c"}}, "c,y\nx,0\n1,1\n",
			`f:2:1: "x" is not a number, and column c is declared numeric`},
		{Source{Drop: []string{"z"}}, "a,y\n1,0\n", `f: drop: there is no column "z"; there are a, y`},
		{Source{Drop: []string{"a"}, ID: "a"}, "a,b,y\n1,2,0\n", "f: column a is named by id and by drop"},
		{Source{Drop: []string{"y"}}, "a,y\n1,0\n", "f: column y is the label, the last column being that by default"},
		{Source{Drop: []string{"a"}}, "a,y\n1,0\n", "f: no column is left to learn from"},
		{csv, "a,y\n1,x\n2,x\n", `here it takes one, "x" (2 rows); is another column the label?`},
		{csv, "a,y\n1,p\n2,q\n3,r\n3,r\n",
			`must take two values; it takes 3: "p" (1 row), "q" (1 row), "r" (2 rows); two classes are learned here`},
		{csv, lots(50, "a,y", func(i int) string { return fmt.Sprintf("%d,%g", i%3, float64(i)/7) }),
			"it takes 50 numbers from 0 to 7: classes are learned here, not real values"},
		{csv, lots(50, "a,y", func(i int) string { return fmt.Sprintf("%d,%g", i%3, 0.5*float64(i%4)) }),
			"it takes 4 numbers from 0 to 1.5: classes are learned here, not real values"},
		{Source{Positive: "z"}, "a,y\n1,p\n2,q\n",
			`positive: there is no label "z"; the label takes two values, p and q`},
	} {
		if _, _, err := c.source.readCSV(t.Context(), "f", []byte(c.text)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q gave %v, want %s", c.text, err, c.want)
		}
	}
}

// What was done is told: rows, classes, constant columns, ids that repeat.
func TestReading(t *testing.T) {
	set, _, err := Source{ID: "who", Positive: "ill"}.readCSV(t.Context(), "f",
		[]byte("who,x,k,c,one,y\na,1,5,red,u,ill\na,2,5,blue,u,ill\nb,?,5,red,u,well\nc,4,5,red,u,well\n"))
	if err != nil {
		t.Fatal(err)
	}
	r := set.Reading
	if r.RowsRead != 4 || r.RowsDropped != 1 || r.Missing["x"] != 1 ||
		!slices.Equal(r.Constant, []string{"k", "one"}) ||
		r.Expanded["c"] != 2 || r.Columns != 5 || !slices.Equal(r.LeftOut, []string{"who"}) || r.Label != "y" ||
		!slices.Equal(r.Classes, []Class{{"well", -1, 1}, {"ill", 1, 2}}) {
		t.Errorf("%+v", r)
	}
	var b bytes.Buffer
	if err := r.Write(&b, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4 rows read, 1 dropped for a missing value", "label y: well (−1) 1, ill (+1) 2",
		"numbers, constant", "some values of who stand in several rows"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not told:\n%s", want, b.String())
		}
	}
}

// Scaling of a user's file is fit on training rows: whatever test rows hold, training rows are prepared the same.
func TestScale_FitOnTrainingRows(t *testing.T) {
	s := Scale{Columns: "max", Rows: "none"}
	for _, test := range []float64{8, 1e6} {
		x := NewRows(2)
		x.Append([]int32{0}, []float64{2})
		x.Append([]int32{0}, []float64{-4})
		x.Append([]int32{0, 1}, []float64{test, 3})
		got := dense(s.Apply(&Set{X: x, Y: []float64{1, -1, 1}, Columns: []string{"a", "b"}}, []int{0, 1}).X)
		if want := [][]float64{{0.5, 0}, {-1, 0}, {test / 4, 3}}; !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("rows %v, want %v", got, want)
		}
		set := &Set{X: x}
		if got := s.Divisors(set, []int{0, 1}); !slices.Equal(got, []float64{4, 1}) {
			t.Errorf("divisors of the training rows %v", got)
		}
		if got := s.Divisors(set, nil); !slices.Equal(got, []float64{test, 3}) {
			t.Errorf("divisors of all rows %v", got)
		}
	}
	for _, c := range []struct {
		scale  Scale
		source Source
		want   bool
	}{
		{Scale{Columns: "max"}, Source{CSV: "f"}, true}, {Scale{Columns: "max"}, Source{Set: "wdbc"}, false},
		{Scale{Columns: "max", Fit: "all"}, Source{CSV: "f"}, false},
		{Scale{Columns: "max", Fit: "training"}, Source{Set: "wdbc"}, true},
		{Scale{Columns: "none"}, Source{CSV: "f"}, false},
	} {
		if got := c.scale.OfTraining(c.source); got != c.want {
			t.Errorf("%+v of %+v: %v", c.scale, c.source, got)
		}
	}
}

func TestSource_Check(t *testing.T) {
	for _, c := range []struct {
		source Source
		field  string
	}{
		{Source{CSV: "f", Separator: "ab"}, "separator"}, {Source{CSV: "f", Separator: `"`}, "separator"},
		{Source{CSV: "f", Separator: "\x00"}, "separator"},
		{Source{CSV: "f", Decimal: ",", Separator: ","}, "separator"}, {Source{CSV: "f", Decimal: ";"}, "decimal"},
		{Source{Parquet: "f", Decimal: ","}, "decimal"},
		{Source{LIBSVM: "f", Drop: []string{"x"}}, "drop"},
		{Source{CSV: "f", Arrow: "f"}, ""},
	} {
		var fields []string
		c.source.Check(func(field, _ string) { fields = append(fields, field) })
		if !slices.Equal(fields, []string{c.field}) {
			t.Errorf("%+v: problems with %q, want %q", c.source, fields, c.field)
		}
	}
	for _, s := range []Source{{CSV: "f", Separator: "tab", Decimal: ",", ID: "a"},
		{Arrow: "f", Label: "y"}} {
		s.Check(func(field, problem string) { t.Errorf("%+v: %s %s", s, field, problem) })
	}
}

// The published files, read as a stranger would read them, give the published rows and classes.
func TestCSV_SharedData(t *testing.T) {
	no := false
	for _, c := range []struct {
		file       string
		source     Source
		rows, plus int
		columns    int
	}{
		{"adult/adult.data.gz", Source{Positive: ">50K"}, 30162, 7508, 104},
		{"german/german.data", Source{}, 1000, 300, 61},
		{"raetsch/banana.txt", Source{Label: "0"}, 5300, 2376, 2},
		{"raetsch/splice.txt", Source{Label: "0", Header: &no}, 3175, 1527, 60},
	} {
		path := filepath.Join(dataDir, filepath.FromSlash(c.file))
		if _, err := os.Stat(path); err != nil {
			t.Skip("the shared data are not at hand")
		}
		c.source.CSV = path
		set, err := c.source.Load(t.Context(), "", nil)
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		plus := 0
		for _, y := range set.Y {
			if y > 0 {
				plus++
			}
		}
		if set.X.Len() != c.rows || plus != c.plus || set.X.D != c.columns {
			t.Errorf("%s: %d rows, %d of +1, %d columns; want %d, %d, %d", c.file, set.X.Len(), plus, set.X.D, c.rows,
				c.plus, c.columns)
		}
	}
	for file, want := range map[string]string{
		"segment/segmentation.data": ":4: 1 field, but the first line has 5",
		"splice/splice.data": `the first line was taken for names, but its "EI" is a value of this column, ` +
			`too, in 766 rows`,
	} {
		_, err := Source{CSV: filepath.Join(dataDir, filepath.FromSlash(file))}.Load(t.Context(), "", nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gave %v, want %s", file, err, want)
		}
	}
}

func FuzzCSV(f *testing.F) {
	for _, text := range []string{patients(",", "\n"), patients(";", "\r\n"), patients("\t", "\r"),
		"\xef\xbb\xbfa,y\n\"1\n2\",0\nb,1\n", "\xff\xfea\x00", "a,y\n1,0\n\"2,1\n", "x;y\n1,5;0\n2,5;1\n"} {
		f.Add(text, "", "", "", "")
		f.Add(text, ";", ",", "a", "y")
	}
	f.Fuzz(func(t *testing.T, text, separator, decimal, drop, label string) {
		s := Source{CSV: "f", Separator: separator, Decimal: decimal, Label: label}
		if drop != "" {
			s.Drop = []string{drop}
		}
		sound := true
		s.Check(func(string, string) { sound = false })
		if !sound {
			return
		}
		set, _, err := s.readCSV(t.Context(), "f", []byte(text))
		checkRead(t, set, err)
		if err != nil {
			return
		}
		again, _, err := s.readCSV(t.Context(), "f", []byte(text))
		if err != nil || !slices.Equal(set.X.Val, again.X.Val) || !slices.Equal(set.Columns, again.Columns) {
			t.Errorf("read twice, it differs: %v", err)
		}
	})
}

// A table of numbers alone is gone through once, and makes the set that two passes make beside a column of words.
func TestReadCSV_InOnePass(t *testing.T) {
	var numbers, words strings.Builder
	numbers.WriteString("a,b,c,d,y\n")
	words.WriteString("a,b,c,d,w,y\n")
	for i := range 50 {
		row := fmt.Sprintf("%d,%.3f,%d%%,0.5", i%3, float64(i)/7, 10*(i%6))
		if i%9 == 4 {
			row = "NA,1,2%,3" // left out
		}
		fmt.Fprintf(&numbers, "%s,%d\n", row, i%2)
		fmt.Fprintf(&words, "%s,%s,%d\n", row, []string{"u", "v"}[i/7%2], i%2)
	}
	read := func(text string, passes int) *Set {
		t.Helper()
		table, err := Source{}.openCSV("f", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		each, n := table.each, 0
		table.each = func(row func(r record) error) error {
			n++
			return each(row)
		}
		set, _, err := Source{}.fromTable(t.Context(), table)
		if err != nil || n != passes {
			t.Fatalf("%d passes, want %d; %v", n, passes, err)
		}
		return set
	}
	once, twice := read(numbers.String(), 1), read(words.String(), 2)
	if once.X.Len() != 44 || once.Dropped != 6 || twice.Dropped != 6 || !slices.Equal(once.Y, twice.Y) ||
		!slices.Equal(once.Columns, twice.Columns[:4]) {
		t.Errorf("%d rows of %v, %d dropped", once.X.Len(), once.Columns, once.Dropped)
	}
	for i := range once.X.Len() {
		cols, vals := once.X.Row(i)
		also, values := twice.X.Row(i)
		if !slices.Equal(cols, also[:len(cols)]) || !slices.Equal(vals, values[:len(vals)]) ||
			len(also) != len(cols)+1 {
			t.Errorf("row %d is %v in %v, and beside words %v in %v", i, vals, cols, values, also)
		}
	}
	word := strings.Replace(numbers.String(), "0.5,1\n", "oops,1\n", 1)
	if _, _, err := (Source{}).readCSV(t.Context(), "f", []byte(word)); err == nil ||
		!strings.Contains(err.Error(), "oops") {
		t.Errorf("a word among numbers: %v", err)
	}
}

// Reading tells how far it is, and stops when it is to.
func TestReadCSV_Stops(t *testing.T) {
	text := []byte("a,b,y\n" + strings.Repeat("1,2,0\n3,4,1\n", 50_000))
	why := errors.New("enough")
	ctx, stop := context.WithCancelCause(t.Context())
	last, of := int64(-1), int64(0)
	_, _, err := Source{}.readCSV(stage.With(ctx, func(doing string, done, all int64) {
		if doing != "reading f" || done <= last {
			t.Errorf("%q: %d after %d", doing, done, last)
		}
		if last, of = done, all; done > all/2 {
			stop(why)
		}
	}), "f", text)
	if !errors.Is(err, why) || of != int64(len(text)) || last > of*4/5 {
		t.Errorf("%v, at %d of %d", err, last, of)
	}
	for text, read := range map[string]func(context.Context, string, []byte) (*Set, *Reading, error){
		"1 1:2\n": Source{}.readLIBSVM, "1 2\n": Source{}.readRaetsch} {
		if _, _, err := read(ctx, "f", bytes.Repeat([]byte(text), 1000)); !errors.Is(err, why) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Of a wide file the first columns are shown, and how many there are of which kind; all if that is asked for.
func TestReading_OfManyColumns(t *testing.T) {
	r := &Reading{}
	for k := range 300 {
		a := about{fmt.Sprint("g", k), "numbers", "from 0 to 1", "0"}
		if k%100 == 99 {
			a.use, a.missing = "categories", "3"
		}
		r.about = append(r.about, a)
	}
	var few, all strings.Builder
	if err := errors.Join(r.Write(&few, false), r.Write(&all, true)); err != nil {
		t.Fatal(err)
	}
	const more = "\nand 280 more, up to g299: 277 numbers, 3 categories, 3 without a value in some rows; --all shows " +
		"them\n"
	if text := few.String(); !strings.Contains(text, "\ng19 ") || strings.Contains(text, "\ng20 ") ||
		!strings.Contains(text, more) {
		t.Error(text)
	}
	if text := all.String(); strings.Count(text, "\ng") != 300 || strings.Contains(text, "more") {
		t.Errorf("all are %d", strings.Count(text, "\ng"))
	}
}
