// What strangers' files hold: nothing of it becomes other numbers, or categories, in silence.

package problem

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"go.yaml.in/yaml/v4"
)

// one is a table of 60 rows with the column x, whose values are those in turn, and y, the label.
func one(values ...string) string {
	return lots(60, "x;k;y", func(i int) string { return fmt.Sprintf("%s;%d;%d", values[i%len(values)], i%5, i%2) })
}

// commas are 29 numbers with a decimal comma.
func commas(others ...string) []string {
	var all []string
	for i := range 29 {
		all = append(all, fmt.Sprintf("%d,%d", 3+i/10, i%10))
	}
	return append(all, others...)
}

// A column of numbers with some words, and one of numbers that are written otherwise, is asked about and never
// expanded; the message names the place, the value, its rows, and what would be right.
func TestCSV_NumbersOtherwise(t *testing.T) {
	for name, c := range map[string]struct {
		values []string
		source Source
		want   []string
	}{
		"decimal commas and a word": {commas("k.A."), Source{}, []string{"f:2:1: column x has values that are not " +
			"written as numbers", `"3,0" reads as a number with a decimal comma (58 rows): say decimal: ","`,
			`"k.A." in 2 rows: if it means that there is no value say missing: [k.A.]`}},
		"decimal commas, told, and words": {commas("k.A.", "--", "."), Source{Decimal: ","}, []string{
			`f:31:1: "k.A." is not a number, but 57 of the 60 values of column x are; "k.A." in 1 row, "--" in 1 ` +
				`row, ` +
				`"." in 1 row: if these mean that there is no value say missing: ["--", ".", k.A.], else correct ` +
				`them; ` +
				`or say categorical: [x] or drop: [x]`}},
		"a sign beside what is missing already": {[]string{"1.5", "2.5", "NA", "-", "4"}, Source{}, []string{
			`f:5:1: "-" is not a number, but 36 of the 48 values of column x are; "-" in 12 rows`,
			`missing: ["-", NA]`}},
		"mostly a code": {[]string{"k.A.", "k.A.", "k.A.", "1,5"}, Source{}, []string{
			`f:5:1: "1,5" reads as a number with a decimal comma, but 45 of the 60 values of column x are words`,
			`if "k.A." means that there is no value missing: [k.A.]`}},
		"both decimal signs": {[]string{"1,5", "2.5"}, Source{Decimal: ","}, []string{
			`"2.5" reads as a number with a decimal point, where decimal is a comma (30 rows)`}},
		"thousands": {[]string{"1,234,567", "1,000,000"}, Source{}, []string{"with signs between its thousands (60 " +
			"rows)"}},
		"thousands of a decimal comma": {[]string{"1.234,5", "12,5"}, Source{Decimal: ","}, []string{
			`"1.234,5" reads as a number with signs between its thousands (30 rows)`}},
		"Swiss thousands": {[]string{"1'234.50", "12"}, Source{},
			[]string{"between its thousands (30 rows)"}},
		"points that may be thousand": {[]string{"1.234", "17", "12.500"}, Source{},
			[]string{"if it stands between thousands"}},
		"milligrams": {[]string{"87 mg", "90 mg"}, Source{},
			[]string{`"87 mg" reads as a number with a unit (60 rows)`}},
		"milligrams, close": {[]string{"87mg", "90mg"}, Source{}, []string{"with a unit"}},
		"euros":             {[]string{"1.234,50 €", "5 €"}, Source{}, []string{"with a unit (60 rows)"}},
		"dollars":           {[]string{"$5", "$7.50"}, Source{}, []string{"with a unit (60 rows)"}},
		"some percent": {[]string{"83%", "0.5"}, Source{},
			[]string{"f:2:1: column x has 30 values with a percent sign and 30 without"}},
		"some percent, numeric": {[]string{"83%", "0.5"}, Source{Numeric: []string{"x"}},
			[]string{"30 values with a percent sign"}},
		"hexadecimal": {[]string{"0x1f", "0x20"}, Source{}, []string{"is not written in decimal"}},
		"single quotes": {[]string{"'7'", "'8.5'"}, Source{},
			[]string{`"'7'" reads as a number in quotation marks (60 rows)`}},
		"formulas": {[]string{`"=""7"""`, `"=""8"""`}, Source{}, []string{`"=\"7\"" reads as a number in quotation ` +
			`marks`}},
		"Fortran": {[]string{"1.5D+03", "2.5D+00"}, Source{}, []string{"is not written in decimal"}},
		"dates": {[]string{"2021-03-04", "2021-03-05"}, Source{},
			[]string{`"2021-03-04" reads as a date (60 rows)`}},
		"German dates": {[]string{"04.03.2021", "05.03.21"}, Source{},
			[]string{"reads as a date (60 rows)"}},
		"dates and times": {[]string{"2021-03-04 12:30", "2021-03-04T12:30:15Z"}, Source{},
			[]string{"reads as a date"}},
		"times": {[]string{"12:30", "7:05:10"}, Source{}, []string{"reads as a time (60 rows)"}},
		"pressures": {[]string{"120/80", "130/85"}, Source{},
			[]string{"reads as two numbers or a fraction (60 rows)"}},
		"below what can be measured": {[]string{"0.5", "<0.5", "1.25"}, Source{}, []string{
			`f:3:1: "<0.5" is not a number, but 40 of the 60`, `"<0.5" reads as a bound of a number (20 rows)`}},
		"codes with zeros": {[]string{"01067", "10115"}, Source{},
			[]string{`"01067" in column x begins with a zero; if it is a code say categorical: [x]`}},
		"names again": {[]string{"1", "2", "x"}, Source{}, []string{`"x" is the column's own name: does ` +
			`the line of names stand in`}},
		"numeric, and a word": {[]string{"1", "oops"}, Source{Numeric: []string{"x"}},
			[]string{`f:3:1: "oops" is not a number, and column x is declared numeric; "oops" in 30 rows`}},
		"infinite":             {[]string{"1.5", "inf"}, Source{}, []string{`f:3:1: "inf" is not a finite number`}},
		"the minus of a print": {[]string{"1.5", "−2"}, Source{}, []string{`"−2" is not a number`}},
	} {
		c.source.CSV = "f"
		_, _, err := c.source.readCSV(t.Context(), "f", []byte(one(c.values...)))
		for _, want := range c.want {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
	}
}

// What a message proposes is YAML, and answers.
func TestCSV_ProposalsAreYAML(t *testing.T) {
	words := []string{"-", "--", ".", "k.A.", "?", "*", "&a", "%x", "@", "`", "!", "#", "[", "{}", "a: b", "no",
		"null", "~",
		`say "a"`, `\N`, "don't know", "ä", "|"}
	text := lots(600, "x;y", func(i int) string {
		if i < len(words) {
			return `"` + strings.ReplaceAll(words[i], `"`, `""`) + `";0`
		}
		return fmt.Sprintf("%d.5;%d", i%7, i%2)
	})
	// Up to mostWords different ones are listed.
	for from := 0; from < len(words); from += 10 {
		lines := strings.SplitAfter(text, "\n")
		part := lines[0] + strings.Join(lines[1+from:1+min(from+10, len(words))],
			"") + strings.Join(lines[1+len(words):], "")
		_, _, err := Source{}.readCSV(t.Context(), "f", []byte(part))
		if err == nil {
			t.Fatalf("words from %d are read", from)
		}
		_, proposal, _ := strings.Cut(err.Error(), "say missing: ")
		proposal, _, _ = strings.Cut(proposal, ", else correct")
		var missing []string
		if err := yaml.Unmarshal([]byte(proposal), &missing); err != nil {
			t.Errorf("%s is no YAML: %v", proposal, err)
			continue
		}
		if set, _, err := (Source{Missing: missing}).readCSV(t.Context(), "f", []byte(part)); err != nil ||
			set.X.D != 1 {
			t.Errorf("missing: %s does not answer: %v", proposal, err)
		}
	}
}

// All that is to be asked of a file is asked at once, and the answers of one column do not lose those of another.
func TestCSV_AsksOnce(t *testing.T) {
	text := lots(100, "a;b;c;y", func(i int) string {
		a, b := fmt.Sprintf("%d,5", i%7), fmt.Sprint(i%9)
		if i%20 == 7 {
			a = "k.A."
		}
		if i%25 == 3 {
			b = []string{"--", "nix"}[i%2]
		}
		return fmt.Sprintf("%s;%s;2021-01-%02d;%d", a, b, 1+i%28, i%2)
	})
	_, _, err := Source{}.readCSV(t.Context(), "f", []byte(text))
	for _, want := range []string{"column a has values", `decimal: ","`, `say missing: ["--", k.A., nix]`,
		"values of column b are", `"--" in 2 rows`, `"nix" in 2 rows`, "reads as a date"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	set, _, err := Source{Decimal: ",", Missing: []string{"--", "k.A.", "nix"}, Drop: []string{"c"}}.readCSV(
		t.Context(), "f",
		[]byte(text))
	if err != nil || !slices.Equal(set.Columns, []string{"a", "b"}) || set.X.Len() != 91 {
		t.Errorf("answered: %v", err)
	}
}

// What is no number, though it begins like one, stays a category.
func TestCSV_AsksNotAboutCodes(t *testing.T) {
	for name, values := range map[string][]string{
		"ordinals": {"1st", "2nd", "3rd", "10th"}, "ranges": {"20-29", "30-39", ">=60", "<20"},
		"grades": {"2a", "B", "C", "D"}, "booleans": {"TRUE", "FALSE"}, "grown": {"10+ years", "< x"},
		"letters": {"A11", "A12", "T1N0"}, "a word once": {"north", "2b", "west", "south"},
	} {
		set, reading, err := Source{}.readCSV(t.Context(), "f", []byte(one(values...)))
		if err != nil || reading.Expanded["x"] != len(values) {
			t.Errorf("%s: %v, %v", name, set, err)
		}
	}
}

// A percent sign on every value changes nothing: columns are scaled.
func TestCSV_Percent(t *testing.T) {
	set, reading, err := Source{}.readCSV(t.Context(), "f", []byte("p,y\n83%,0\n 12.5 %,1\n-3%,1\n"))
	if err != nil || !slices.Equal(set.X.Val, []float64{83, 12.5, -3}) {
		t.Fatalf("%v, %v", set, err)
	}
	var b bytes.Buffer
	if err := reading.Write(&b, false); err != nil || !strings.Contains(b.String(), "numbers, in percent") {
		t.Errorf("%v, %s", err, &b)
	}
}

// Files as programs and people leave them: the right thing, or what to do.
func TestCSV_Strangers(t *testing.T) {
	body := func(row string) string {
		return lots(60, "", func(i int) string {
			return strings.NewReplacer("A", fmt.Sprint(20+i%30), "Y", fmt.Sprint(i%2),
				"I", fmt.Sprint(i%40)).Replace(row)
		})[1:]
	}
	yes := true
	for name, c := range map[string]struct {
		source  Source
		text    string
		columns string // where it is read
		want    string // where it is asked about, or else said in the form or a note
	}{
		"Excel": {Source{Decimal: ","},
			"sep=;\r\nage;kg;y\r\n" + body("A;I,5;Y\r") + ";;\r\n;;\r\n", "age kg",
			"separator ';' (the first line says so)"},
		"Excel, quoted": {Source{}, "\xef\xbb\xbf\"sep=,\"\nage,kg,y\n" + body("A,I,Y"), "age kg",
			"the first line says so"},
		"Excel, lines": {Source{}, "sep=;\nage;kg;y\n" + body("A;oops;Y") + "A;7;1\n", "", "f:63:3: "},
		"pandas": {Source{}, ",age,y\n" + body("I,A,Y"), "",
			"f: column column0 has no name in the file and 60 whole numbers from 0 to 39: if they number the rows " +
				"say id: column0"},
		"pandas, twice":    {Source{}, "Unnamed: 0,age,y\n" + body("I,A,Y"), "", "column Unnamed: 0 has no name"},
		"pandas, answered": {Source{ID: "column0"}, ",age,y\n" + body("I,A,Y"), "age", ""},
		"comments": {Source{}, "# lab\n# 2021\nage,k,y\n" + body("A,I,Y"), "",
			`f:1: the first line is one field; if it is a comment say comment: "#"`},
		"comments, answered": {Source{Comment: "#"}, "# lab, ward, 7\n# 2021\nage,k,y\n" + body("A,I,Y") + "# " +
			"end\n", "age k", ""},
		"comments with commas": {Source{}, "# lab, 2021\nage,k,y\n" + body("A,I,Y"), "", `comment: "#"`},
		"title": {Source{}, "Ward seven\n\nage;k;y\n" + body("A;I;Y"), "",
			"f:1: the first line is one field; is it a title"},
		"footer": {Source{}, "age;k;y\n" + body("A;I;Y") + "60 rows\n", "",
			"f:62: 1 field, but the first line has 3; is it a title, a comment or a note?"},
		"sum": {Source{}, "age;k;y\n" + body("A;I;Y") + "Total;7;\n", "", `"Total" in 1 row`},
		"blanks": {Source{}, " age ; k ; y \n" + body(" A ; I ;Y  ") + "  \n;;\n\n", "age k",
			"60 rows read, none dropped"},
		"separators at the end": {Source{}, "age;k;y\n" + body("A;I;Y;"), "", "the row ends with a separator"},
		"an empty last column": {Source{}, "age;k;y;\n" + body("A;I;Y;"), "",
			"column column3, the label, has no value in any row; say label: NAME and drop: [column3]"},
		"no names": {Source{}, body("A;I;Y"), "column0 column1",
			"the first line has a number and was taken for a row"},
		"years as names": {Source{}, "2019;2020;ill\n" + body("A;I;Y"), "",
			`if it has names say problem.data.header: true`},
		"years, answered": {Source{Header: &yes}, "2019;2020;ill\n" + body("A;I;Y"), "2019 2020", ""},
		"words without names": {Source{}, "red;no\n" + lots(9, "", func(i int) string {
			return []string{"red;yes",
				"blue;no"}[i%2]
		})[1:], "", `its "red" is a value of this column, too, in 5 rows; say problem.data.header: false`},
		"a row with no number": {Source{}, "NA;?;no\n" + body("A;I;Y"), "",
			`its "NA" means that there is no value; say problem.data.header: false`},
		"mostly empty": {Source{}, "age;k;y\n" + body("A;;Y") + "7;1;0\n8;2;1\n", "age k",
			"60 of 62 rows are dropped for a missing value; missing are k in 60"},
		"words with names": {Source{}, "colour;buys\n" + lots(9, "",
			func(i int) string { return []string{"red;yes", "blue;no"}[i%2] })[1:], "colour=blue colour=red",
			"no column has numbers, and the first line was taken for names"},
		"-999": {Source{}, "age;k;y\n" + body("A;I;Y") + "-999;3;1\n", "age k",
			"column age: -999, in 1 row, is far from all other values, which are from 20 to 49"},
		"-999, answered": {Source{Missing: []string{"-999"}}, "age;k;y\n" + body("A;I;Y") + "-999.0;3;1\n",
			"age k", "1 dropped"},
		"capitals": {Source{}, "sex;k;y\n" + body("m;I;Y") + "M;3;1\n", "sex=M sex=m k",
			`column sex: "M" and "m" differ in how they are written only`},
		"labels as numbers": {Source{}, "k;y\n" + lots(9, "", func(i int) string {
			return []string{"1;1",
				"2;1.0"}[i%2]
		})[1:], "", `the labels "1" (5 rows) and "1.0" (4 rows) are the same`},
		"labels in capitals": {Source{}, "k;y\n" + lots(9, "", func(i int) string {
			return []string{"1;yes",
				"2;Yes"}[i%2]
		})[1:], "", "are the same but for how they are written"},
		"a label missing": {Source{}, "k;y\n1;no\n2;yes\n3;k.A.\n", "",
			"if one means that there is no label name it in missing"},
	} {
		set, reading, err := c.source.readCSV(t.Context(), "f", []byte(c.text))
		if c.columns == "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v, want %s", name, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows, _ := reading.Summary()
		said := reading.Form + "; " + rows + "; " + strings.Join(reading.Notes, "; ")
		if strings.Join(set.Columns, " ") != c.columns || !strings.Contains(said, c.want) {
			t.Errorf("%s: columns %q, want %s; said %s, want %s", name, set.Columns, c.columns, said, c.want)
		}
	}
}

// The types that a Parquet file declares do not keep a column of text from being asked about, and blanks around its
// words are no part of them.
func TestColumnar_Words(t *testing.T) {
	type row struct {
		X, W string
		Y    bool
	}
	var b bytes.Buffer
	if err := parquet.Write(&b, []row{{"1.5", "a", true}, {"2", " a", false}, {"k.A.", "b ", false}, {"3", "b",
		true}, {"4", "b", true}}); err != nil {
		t.Fatal(err)
	}
	_, _, err := Source{}.readParquet(t.Context(), "f", b.Bytes())
	if err == nil || !strings.Contains(err.Error(), `f: row 3, column X: "k.A." is not a number, but 4 of the 5 `+
		`values`) {
		t.Errorf("numbers in text: %v", err)
	}
	set, _, err := Source{Numeric: []string{"X"}, Missing: []string{"k.A."}}.readParquet(t.Context(), "f", b.Bytes())
	if err != nil || !slices.Equal(set.Columns, []string{"X", "W=a", "W=b"}) {
		t.Errorf("answered: %v, %v", set, err)
	}
	_, _, err = names("f", 0, []string{"a", "b", "a"})
	if err == nil || err.Error() != `f: two columns are called "a", 1 and 3; give each a name of its own` {
		t.Errorf("a name twice: %v", err)
	}
}

// One is one.
func TestReading_Singular(t *testing.T) {
	_, reading, err := Source{Label: "y"}.readCSV(t.Context(), "f", []byte("c,who,y\nu,1,-1\nu,1,1\n"))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := reading.Write(&b, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"label y: −1 1, +1 1\n", "1 indicator ", "2 columns to learn from"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not told:\n%s", want, &b)
		}
	}
	two := NewRows(1)
	two.Append(nil, nil)
	two.Append(nil, nil)
	if _, said := (Scale{Columns: "max"}).Says(&Set{X: two}, []int{0}); !strings.Contains(said,
		"1 training row, none of the 1 test row") {
		t.Errorf("said %s", said)
	}
	_, reading, _ = Source{}.readCSV(t.Context(), "f", []byte("c,y\n1,a\n"))
	b.Reset()
	if err := reading.Write(&b, false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"1 row read, none dropped; 1 column to learn from", "1 class "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not told:\n%s", want, &b)
		}
	}
}
