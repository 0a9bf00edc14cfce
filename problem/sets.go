// The built-in sets: what they are, where they come from, how they are read.

package problem

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"overhear/internal/memory"
	"overhear/sim"
)

// BuiltIn describes a named set.
type BuiltIn struct {
	Name     string
	Title    string
	Rows     int // after rows with missing values are dropped; default size if generated
	Columns  int // before the intercept
	Entries  int // values of a row that are not left out, at most; 0: as many as columns
	Citation string
	Licence  string
	Files    []DataFile // none: built into the program
	Names    Names

	generate func(n, d int, s *sim.Stream) (*Set, error)
	anyWidth bool // generate makes any number d of columns
	targets  bool // rows have targets, and not classes
	kinds    int  // classes, where each is one of its own; 0: two
	read     func(ctx context.Context, files []string) (*Set, error)
}

// Names are what the parts of a built-in set are called.
type Names struct {
	Columns []string  // nil: those of the file, or numbers
	Label   string    // what rows are labelled with; empty: it has no name
	Classes [2]string // −1 and +1; empty: these signs
}

// DataFile is a file of a set, in a data directory.
type DataFile struct {
	Path   string // relative to the data directory; may also be there with .gz
	SHA256 string // of the uncompressed content
	URL    string // original source, or empty where there is none for this very file
}

//go:embed data/wdbc.csv
var wdbcFile []byte

const (
	uci       = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
	libsvmURL = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets/binary/"
	raetsch   = "G. Raetsch, T. Onoda, K.-R. Mueller, Soft margins for AdaBoost, Machine Learning 42(3):287-320, 2001"
	breiman   = "L. Breiman, Bias, variance and arcing classifiers, Tech. Report 460, UC Berkeley Statistics, 1996"
	adultCite = "B. Becker, R. Kohavi, Adult, UCI Machine Learning Repository, 1996, doi:10.24432/C5XW20"
)

var builtIns = []*BuiltIn{
	{
		Name: "wdbc", Title: "Breast Cancer Wisconsin (Diagnostic): +1 benign, −1 malignant", Rows: 569, Columns: 30,
		Citation: "W. Wolberg, O. Mangasarian, N. Street, W. Street, UCI Machine Learning Repository, 1995, " +
			"doi:10.24432/C5DW2B", Licence: "CC BY 4.0",
		Names: Names{Columns: wdbcColumns(), Label: "diagnosis", Classes: [2]string{"malignant", "benign"}},
		read: func(ctx context.Context, _ []string) (*Set, error) {
			return readWDBC(ctx, "wdbc", bytes.NewReader(wdbcFile))
		},
	},
	{
		Name: "adult", Title: "census income 1994: +1 above 50K a year", Rows: 45222, Columns: 104,
		Entries: 14, Citation: adultCite, Licence: "CC BY 4.0",
		Files: []DataFile{
			{"adult/adult.data", "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
				uci + "adult/adult.data"},
			{"adult/adult.test", "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
				uci + "adult/adult.test"},
		},
		Names: incomes, read: readAdult,
	},
	{
		Name: "a9a", Title: "Adult in 123 binary columns, training file then test file", Rows: 48842, Columns: 123,
		Entries: 14,
		Citation: "J. C. Platt, Fast training of support vector machines using sequential minimal optimization, MIT " +
			"Press, 1998; " + adultCite, Licence: "CC BY 4.0 (the data it derives from)", Names: incomes,
		Files: []DataFile{
			{"a9a/a9a", "f5d5ffd8d865ff41328e7ee043e4b020816914ff6843ff15b98905ddbedce906", libsvmURL + "a9a"},
			{"a9a/a9a.t", "1f448a153f0320399a7e40836eb207655b0bde0f21fc941cc472193daa9f5de9", libsvmURL + "a9a.t"},
		},
		read: readEach(Source{Dimension: 123}.readLIBSVM),
	},
	ida("german", "German credit: +1 bad "+
		"credit", 1000, 20, "9dfc6f6b56eaa7b7364fc4f2a78c4c289058e2de87e3db37fe4911bc44bf7002"),
	ida("splice", "primate splice junctions: +1 a junction", 3175, 60,
		"33f1c9b2813e36ee6523f0a56733d500de0b972ec66c488cb5941d6f00708a22"),
	ida("image", "image segmentation: +1 brickface, sky, foliage, path", 2310, 18,
		"05f4072b520a42f15d3e6f83c3d663a431d89219acf91cd1a84a9bc02d9562a6"),
	ida("banana", "banana, artificial", 5300, 2, "fbb0bf8bf408856e3c247cc1d0d71426cc5d49e0ed2d9b54cbe19bd014a7d14d"),
	{Name: "wide", Title: "5,000 dense correlated columns, the size of gisette, generated", Rows: 7000, Columns: 5000,
		Citation: "this project", generate: wide},
	{Name: "twonorm", Title: "two normal clouds, generated", Rows: 7400, Columns: 20, Citation: breiman,
		generate: twonorm, anyWidth: true},
	{Name: "ringnorm", Title: "a narrow normal cloud in a wide one, generated", Rows: 7400, Columns: 20,
		Citation: breiman, generate: ringnorm, anyWidth: true},
	{Name: "waveform", Title: "mixtures of triangular waves, generated: +1 class 1 of 0, 1, 2", Rows: 5000, Columns: 21,
		Citation: "L. Breiman, J. Friedman, R. Olshen, C. Stone, Classification and Regression Trees, 1984",
		generate: waveform, kinds: 3},
	{Name: "linear", Title: "targets that are linear in the columns, plus normal noise of standard deviation ½, " +
		"generated", Rows: 2000, Columns: 10, Citation: "this project", generate: linear, anyWidth: true,
		targets: true},
	{Name: "census", Title: "rows with Adult's columns and marginals, generated", Rows: censusRows, Columns: 104,
		Entries: 14, Citation: adultCite, Names: incomes, generate: census},
}

// ida is a set of the IDA repository, in the form `label value value …`.
func ida(name, title string, rows, columns int, sum string) *BuiltIn {
	return &BuiltIn{
		Name: name, Title: title, Rows: rows, Columns: columns, Citation: raetsch,
		Licence: "as its origin (UCI: CC BY 4.0)",
		Files:   []DataFile{{"raetsch/" + name + ".txt", sum, ""}},
		read:    readEach(Source{}.readRaetsch),
	}
}

// entries is how many values of a row of so many columns are not left out, at most.
func (b *BuiltIn) entries(columns int) int { return cmp.Or(b.Entries, columns) }

// FindSet returns the built-in set of that name.
func FindSet(name string) (*BuiltIn, bool) {
	for _, b := range builtIns {
		if b.Name == name {
			return b, true
		}
	}
	return nil, false
}

// SetNames are the names of the built-in sets.
func SetNames() []string {
	var names []string
	for _, b := range builtIns {
		names = append(names, b.Name)
	}
	return names
}

// Generated says whether the set is drawn rather than read.
func (b *BuiltIn) Generated() bool { return b.generate != nil }

// DataDirs are the directories in which data files are sought: the given one
// only, or $OVERHEAR_DATA if set, or else ../shared/data and the user's cache.
func DataDirs(dir string) []string {
	if dir != "" {
		return []string{dir}
	}
	if env := os.Getenv("OVERHEAR_DATA"); env != "" {
		return []string{env}
	}
	dirs := []string{filepath.Join("..", "shared", "data")}
	if cache, err := CacheDir(); err == nil {
		dirs = append(dirs, cache)
	}
	return dirs
}

// CacheDir is where fetched data go by default.
func CacheDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("finding the user's cache directory: %w", err)
	}
	return filepath.Join(cache, "overhear"), nil
}

// Find returns the paths of the set's files.
func (b *BuiltIn) Find(dir string) ([]string, error) {
	var paths []string
	for _, f := range b.Files {
		path, err := f.find(dir)
		if err != nil {
			return nil, fmt.Errorf("data set %s: %w; fetch it with `simulate data fetch %s`, or name a data "+
				"directory with --data DIR or $OVERHEAR_DATA", b.Name, err, b.Name)
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (f DataFile) find(dir string) (string, error) {
	dirs := DataDirs(dir)
	for _, d := range dirs {
		for _, suffix := range []string{"", ".gz"} {
			path := filepath.Join(d, filepath.FromSlash(f.Path)) + suffix
			if _, err := os.Stat(path); err == nil {
				return path, nil
			} else if !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
		}
	}
	return "", fmt.Errorf("%s is not in %s", f.Path, strings.Join(dirs, ", nor in "))
}

func (b *BuiltIn) load(ctx context.Context, dir string) (*Set, error) {
	paths, err := b.Find(dir)
	if err != nil {
		return nil, err
	}
	for k, path := range paths {
		if err := b.Files[k].check(path); err != nil {
			return nil, fmt.Errorf("data set %s: %w; put the published file there, or read this one as a file of your "+
				"own with csv, libsvm or raetsch", b.Name, err)
		}
	}
	set, err := b.read(ctx, paths)
	if err == nil && b.Names.Columns != nil {
		set.Columns = slices.Clone(b.Names.Columns)
	}
	return set, err
}

// check returns an error if a file is not the published one.
func (f DataFile) check(path string) error {
	sum, err := hashUnpacked(path)
	if err == nil && sum != f.SHA256 {
		err = fmt.Errorf("%s has SHA-256 %s, the published file %s", path, sum, f.SHA256)
	}
	return err
}

// wdbcColumns are ten measures of a tumour's nuclei, each three times: the mean over them, its standard error, and the
// worst, which is the mean of the three largest.
func wdbcColumns() (all []string) {
	measures := []string{"radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
		"concave points", "symmetry", "fractal dimension"}
	for _, form := range []string{"mean %s", "%s error", "worst %s"} {
		for _, m := range measures {
			all = append(all, fmt.Sprintf(form, m))
		}
	}
	return all
}

// incomes are the classes of Adult and of what is made of it.
var incomes = Names{Label: "income", Classes: [2]string{"<=50K", ">50K"}}

// readWDBC reads the set's own header, `rows,columns,class 0,class 1`, and rows
// of numbers with the class last.
func readWDBC(ctx context.Context, name string, r io.Reader) (*Set, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	_, body, _ := bytes.Cut(text, []byte("\n"))
	set, _, err := Source{}.readCSV(ctx, name, body)
	return set, err
}

// readEach reads files of one form one after the other into one set.
func readEach(read func(context.Context, string, []byte) (*Set, *Reading, error)) func(context.Context, []string) (
	*Set, error) {
	return func(ctx context.Context, paths []string) (*Set, error) {
		var all *Set
		for _, p := range paths {
			text, err := readFile(p, memory.Rows)
			if err != nil {
				return nil, err
			}
			set, _, err := read(ctx, p, text)
			if err != nil {
				return nil, err
			}
			if all == nil {
				all = set
				continue
			}
			for i := range set.X.Len() {
				all.X.Append(set.X.Row(i))
			}
			all.Y = append(all.Y, set.Y...)
		}
		return all, nil
	}
}

// adultColumns are the columns of UCI Adult, which has no header.
var adultColumns = strings.Fields(`age workclass fnlwgt education education-num marital-status occupation
	relationship race sex capital-gain capital-loss hours-per-week native-country income`)

// readAdult reads the training and the test file as one table. The test file
// begins with a line that is no row and its labels end with a full stop.
func readAdult(ctx context.Context, paths []string) (*Set, error) {
	numeric := []string{"age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week"}
	s := Source{Label: "income", Positive: ">50K", Numeric: numeric, Missing: []string{"?"}}
	for _, c := range adultColumns {
		if c != s.Label && !slices.Contains(numeric, c) {
			s.Categorical = append(s.Categorical, c)
		}
	}
	var files [][]byte
	for _, p := range paths {
		text, err := readFile(p, memory.Rows)
		if err != nil {
			return nil, err
		}
		files = append(files, text)
	}
	t := &table{name: strings.Join(paths, " and "), columns: adultColumns}
	t.each = func(row func(r record) error) error {
		for k, text := range files {
			err := lines(ctx, paths[k], bytes.NewReader(text), func(n int, line string) error {
				if strings.HasPrefix(line, "|") {
					return nil
				}
				fields := strings.Split(strings.TrimSuffix(line, "."), ",")
				if len(fields) != len(adultColumns) {
					return fmt.Errorf("%s:%d: %d fields, Adult has %d", paths[k], n, len(fields), len(adultColumns))
				}
				for k := range fields {
					fields[k] = strings.TrimSpace(fields[k])
				}
				return row(record{fields, func(int) string { return fmt.Sprintf(":%s:%d", paths[k], n) }, 0})
			})
			if err != nil {
				return err
			}
		}
		return nil
	}
	set, _, err := s.fromTable(ctx, t)
	return set, err
}
