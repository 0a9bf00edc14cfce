// A row of metrics.csv, and what is counted for all rows alike.

package metrics

import (
	"math"

	"overhear/internal/checkpoint"
	"overhear/record"
	"overhear/sim"
)

// Row is what is measured of one round. The table of metrics says what each field means, in which unit it is and when
// it is absent, which is NaN.
type Row struct {
	Round       int
	Time        sim.Time
	Loss        float64
	Objective   float64
	TestError   float64
	Consensus   float64
	Distance    float64
	PrivacyLoss float64 // entered by who knows the method's claim; collectors leave it NaN
	Messages    int64
	Bytes       int64
	DualSum     float64
	Residual    float64
	Spread      float64
	Averaged    Averaged
	TestLoss    float64
	Train       Fit
	Test        Fit
	Least       int // equal to Round in lockstep
	Most        int // so is this, but in the last row of a run that ended early

	Stationarity float64 // in place of Distance where the loss is not convex

	PrivacyDelta, CertificateEpsilon, CertificateDelta float64 // entered as PrivacyLoss is
}

// measured are the fields that are measured of what the nodes hold, which takes long.
func (r *Row) measured() []*float64 {
	return []*float64{&r.Loss, &r.Objective, &r.TestError, &r.Consensus, &r.Distance, &r.Residual, &r.Spread,
		&r.Averaged.Risk, &r.Averaged.Error, &r.TestLoss, &r.Train.RMSE, &r.Train.R2, &r.Train.Covered,
		&r.Test.RMSE, &r.Test.R2, &r.Test.Covered, &r.Stationarity}
}

// once fills what is measured of an input, or takes it as it was kept.
func (r *Row) once(track *checkpoint.Track, input func() checkpoint.Sum, measure func()) {
	if track == nil {
		measure()
		return
	}
	in := input()
	fields := r.measured()
	if kept, ok := track.Next(in); ok {
		for k, v := range kept {
			*fields[k] = v
		}
		return
	}
	measure()
	values := make([]float64, len(fields))
	for k, f := range fields {
		values[k] = *f
	}
	track.Keep(in, values)
}

// Averaged is measured of w̄_i(t) = (1/t) Σ_k w_i(k), PDML §VI.
type Averaged struct{ Risk, Error float64 }

// newRow is a row in which everything that can be absent is.
func newRow(t int) Row {
	r := Row{Round: t, Least: t, Most: t}
	for _, m := range all {
		if m.Absent != "" {
			*m.field(&r) = math.NaN()
		}
	}
	return r
}

// Unmeasured is of a run that was over at that time before every node had begun: a row in which nothing is measured.
func Unmeasured(at sim.Time) Row {
	r := newRow(-1)
	r.Time = at
	for _, f := range r.measured() {
		*f = math.NaN()
	}
	return r
}

// Values are the row's values in the order of Columns.
func (r *Row) Values() []float64 {
	values := make([]float64, len(all))
	for k, m := range all {
		values[k] = m.Of(r)
	}
	return values
}

// Final is what run.json keeps of a run whose last row this is.
func (r *Row) Final() record.Final {
	final := record.Final{
		VirtualSeconds: r.Time.Seconds(),
		Loss:           record.Number(r.Loss),
		Objective:      record.Number(r.Objective),
		TestError:      record.Number(r.TestError),
		TestLoss:       record.Number(r.TestLoss),
		Consensus:      record.Number(r.Consensus),
		Distance:       record.Number(r.Distance),
		DualSum:        record.Number(r.DualSum),
		PrivacyLoss:    record.Number(r.PrivacyLoss),
		Messages:       r.Messages,
		Bytes:          r.Bytes,
		Fit:            Fits(r.Train, r.Test),
	}
	if s := record.Number(r.Stationarity); !math.IsNaN(r.Stationarity) {
		final.Stationarity = &s
	}
	return final
}

// traffic is what has been sent.
type traffic struct{ messages, bytes int64 }

func (t *traffic) add(bytes int64) {
	t.messages++
	t.bytes += bytes
}

// enter writes the traffic so far into a row.
func (t *traffic) enter(r *Row) { r.Messages, r.Bytes = t.messages, t.bytes }

// lockstepTraffic is what has been sent for each round.
type lockstepTraffic []traffic

// Sent counts a packet of a round; one of a round that the run does not have, with the nearest.
func (l lockstepTraffic) Sent(t int, bytes int64) { l[max(0, min(t, len(l)-1))].add(bytes) }

// enter writes into each of the rows 0, 1, … what was sent for rounds up to it.
func (l lockstepTraffic) enter(rows []Row) {
	var total traffic
	for t := range rows {
		total.messages += l[t].messages
		total.bytes += l[t].bytes
		total.enter(&rows[t])
	}
}
