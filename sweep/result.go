// A result: what is kept of one run, and its bytes, which are the same whoever
// computed it.

package sweep

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"overhear/privacy"
	"overhear/record"
)

// Result is what is kept of one run.
type Result struct {
	Index    int    `json:"index"`
	Seed     uint64 `json:"seed"`
	Scenario string `json:"scenario"`        // its hash
	Error    string `json:"error,omitempty"` // of a run that failed; then there are no facts
	Diverged bool   `json:"diverged,omitempty"`
	*Facts

	Columns []string    `json:"columns,omitempty"` // of metrics.csv that have a value
	Count   int         `json:"rows,omitempty"`
	Rows    [][]float64 `json:"-"` // Count × Columns; one row if only the last is kept
}

// Facts are what run.json says of a run besides the last round's metrics, in so
// far as every repeat says the same.
type Facts struct {
	Digest           string        `json:"digest"`
	Method           string        `json:"method"`
	Nodes            int           `json:"nodes"`
	Edges            int           `json:"edges"`
	TrainRows        int           `json:"train_rows"`
	TestRows         int           `json:"test_rows"`
	Events           uint64        `json:"events"`
	ResidualMax      record.Number `json:"residual_max"`
	OptimumObjective record.Number `json:"optimum_objective"`
	OptimumTestError record.Number `json:"optimum_test_error"`
	BaseError        record.Number `json:"base_error"`
	OptimumFit       *record.Fit   `json:"optimum_fit,omitempty"` // nil: rows have classes
	Claim            *record.Claim `json:"claim,omitempty"`       // the worst node's; nil: the method claims nothing
	Condition        string        `json:"condition,omitempty"`   // of the claim: "holds", or what fails
	NotCertified     string        `json:"not_certified,omitempty"`
	NoiseScale       record.Number `json:"noise_scale"` // that met a target
	Warnings         []string      `json:"warnings,omitempty"`

	Effort      record.Effort       `json:"effort"`
	BusySeconds float64             `json:"busy_seconds"` // of virtual time, mean over nodes
	Convergence *record.Convergence `json:"convergence"`
	Ridge       *record.Ridge       `json:"ridge,omitempty"`    // nil: it was not computed
	Computed    []record.Computed   `json:"computed,omitempty"` // parameters that the scenario left to the program
}

// factsOf takes the facts from run.json.
func factsOf(i *record.Info) *Facts {
	f := &Facts{
		Digest: i.Digest, Method: i.Algorithm, Nodes: i.Nodes, Edges: i.Edges, TrainRows: i.TrainRows,
		TestRows: i.TestRows,
		Events:   i.Events, ResidualMax: i.Residual.Max, OptimumObjective: i.Reference.Objective,
		OptimumTestError: i.Reference.TestError, BaseError: i.BaseError, OptimumFit: i.Reference.Fit,
		NoiseScale: record.Number(math.NaN()), Warnings: i.Warnings,
		Convergence: i.Convergence, Ridge: i.Ridge, Computed: i.Computed,
	}
	if i.Activity != nil {
		f.Effort, f.BusySeconds = i.Activity.Effort, i.Activity.BusySeconds
	}
	if p := i.Privacy; p != nil {
		f.Claim, f.Condition = worstClaim(p.Claims), p.Condition
		for _, c := range p.Certificates {
			if f.Claim != nil && c.Unit == f.Claim.Unit {
				f.NotCertified = c.Reason
			}
		}
		if p.Chosen != nil {
			f.NoiseScale = record.Number(p.Chosen.Scale)
		}
	}
	return f
}

// worstClaim is the claim of the node that loses most, of those about samples
// if there are any: a bound that is not established is the worst.
func worstClaim(claims []record.Claim) *record.Claim {
	loss := func(c *record.Claim) float64 {
		if math.IsNaN(float64(c.Epsilon)) {
			return math.Inf(1)
		}
		return float64(c.Epsilon)
	}
	var worst *record.Claim
	for k := range claims {
		c := &claims[k]
		switch {
		case worst == nil, c.Unit == privacy.Sample && worst.Unit != privacy.Sample:
			worst = c
		case c.Unit == worst.Unit && loss(c) > loss(worst):
			worst = c
		}
	}
	return worst
}

// keep takes the metrics: all rounds or the last, columns that have a value.
func (r *Result) keep(t *record.Table, keep string) {
	rows := t.Rows
	if keep == KeepLast && len(rows) > 1 {
		rows = rows[len(rows)-1:]
	}
	var used []int
	for c, name := range t.Columns {
		for _, row := range rows {
			if !math.IsNaN(row[c]) {
				used = append(used, c)
				r.Columns = append(r.Columns, name)
				break
			}
		}
	}
	r.Count = len(rows)
	for _, row := range rows {
		values := make([]float64, len(used))
		for k, c := range used {
			values[k] = row[c]
		}
		r.Rows = append(r.Rows, values)
	}
}

// The first byte of an encoded result.
const (
	finished = '+'
	failed   = '-'
)

// Failed says whether encoded bytes are of a run that failed.
func Failed(encoded []byte) bool { return len(encoded) > 0 && encoded[0] == failed }

// Encode writes a result: '+' or '-', the length of a JSON header, the header,
// and the rows as little-endian doubles, NaN always as the same bits.
func (r *Result) Encode() []byte {
	header, err := json.Marshal(r)
	if err != nil {
		panic(fmt.Sprintf("sweep: writing a result: %v", err))
	}
	b := make([]byte, 0, 1+4+len(header)+8*r.Count*len(r.Columns))
	b = append(b, finished)
	if r.Error != "" {
		b[0] = failed
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(len(header)))
	b = append(b, header...)
	for _, row := range r.Rows {
		for _, v := range row {
			if math.IsNaN(v) {
				v = math.NaN()
			}
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

// Decode reads what Encode writes.
func Decode(b []byte) (*Result, error) {
	bad := func(what string) (*Result, error) { return nil, fmt.Errorf("the result is damaged: %s", what) }
	if len(b) < 5 || (b[0] != finished && b[0] != failed) {
		return bad("it does not begin like one")
	}
	n := binary.LittleEndian.Uint32(b[1:])
	rest := b[5:]
	if uint64(n) > uint64(len(rest)) {
		return bad("its header is cut off")
	}
	r := new(Result)
	if err := json.Unmarshal(rest[:n], r); err != nil {
		return bad(err.Error())
	}
	rest = rest[n:]
	switch {
	case (r.Error != "") != (b[0] == failed):
		return bad("it says both that the run failed and that it did not")
	case (r.Error != "") == (r.Facts != nil):
		return bad("it has neither facts nor an error, or both")
	case r.Count < 0 || r.Count > len(b) || r.Count*len(r.Columns)*8 != len(rest):
		return bad("its rows are cut off")
	case r.Index < 0:
		return bad("its number is negative")
	}
	for range r.Count {
		row := make([]float64, len(r.Columns))
		for k := range row {
			row[k] = math.Float64frombits(binary.LittleEndian.Uint64(rest))
			rest = rest[8:]
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}
