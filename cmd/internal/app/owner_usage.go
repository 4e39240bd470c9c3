package app

import (
	"cmp"
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/projections"
)

// UsageReport is what was used in some days.
type UsageReport struct {
	From string `json:"from"`
	To   string `json:"to"` // both ends included
	// ByDay is what was used on each day on which something was.
	ByDay []projections.UsageOfDay `json:"by_day"`
	// Days is the same by day and workflow, a page of it.
	Days  []projections.Usage `json:"days"`
	Next  string              `json:"next,omitempty"` // what goes on after these days; empty if that is all
	Total UsageTotal          `json:"total"`          // of all days, whether they are shown or not
}

// UsageTotal is what was used together.
type UsageTotal struct {
	Runs     int    `json:"runs"`
	Failed   int    `json:"failed"`
	RunMS    int64  `json:"run_ms"`
	Calls    int    `json:"calls"`
	Tokens   int64  `json:"tokens"`
	Micros   int64  `json:"micros"`
	Currency string `json:"currency"`
}

// Usage is what was used, by day and by workflow; without a first day, since this month began.
func (o *Owners) Usage(ctx context.Context, filter projections.UsageFilter) (UsageReport, error) {
	for _, day := range []string{filter.From, filter.To} {
		if _, err := time.Parse(time.DateOnly, cmp.Or(day, "2006-01-02")); err != nil {
			return UsageReport{}, fault.New(fault.Invalid, "%q is not a day: write it like 2026-03-01", day)
		}
	}
	now := o.Now()
	filter.From = cmp.Or(filter.From, now.Format("2006-01")+"-01")
	limit := filter.Limit
	if limit > 0 {
		filter.Limit++
	}
	days, err := o.Queries.Usage(ctx, filter)
	if err != nil {
		return UsageReport{}, err
	}
	shown := UsageReport{From: filter.From, To: cmp.Or(filter.To, now.Format(time.DateOnly)), Days: days}
	if limit > 0 && len(days) > limit {
		shown.Days, shown.Next = days[:limit], days[limit-1].ID()
	}
	if shown.ByDay, err = o.Queries.UsageByDay(ctx, filter); err != nil {
		return UsageReport{}, err
	}
	var t projections.UsageOfDay
	for _, day := range shown.ByDay {
		t.Add(day)
	}
	shown.Total = UsageTotal{Runs: t.Runs, Failed: t.Failed, RunMS: t.RunMS, Calls: t.Calls, Tokens: t.Tokens, Micros: t.Micros, Currency: money.USD}
	return shown, nil
}
