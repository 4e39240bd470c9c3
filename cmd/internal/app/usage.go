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
	From  string              `json:"from"`
	To    string              `json:"to"` // both ends included
	Days  []projections.Usage `json:"days"`
	Total UsageTotal          `json:"total"`
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

// UsageReport is what was used, by day and workflow; without a first day, since this month began.
func (n *Node) UsageReport(ctx context.Context, filter projections.UsageFilter) (UsageReport, error) {
	for _, day := range []string{filter.From, filter.To} {
		if _, err := time.Parse(time.DateOnly, cmp.Or(day, "2006-01-02")); err != nil {
			return UsageReport{}, fault.New(fault.Invalid, "%q is not a day: write it like 2026-03-01", day)
		}
	}
	now := n.Now().Local()
	filter.From = cmp.Or(filter.From, now.Format("2006-01")+"-01")
	days, err := n.Queries.Usage(ctx, filter)
	shown := UsageReport{From: filter.From, To: cmp.Or(filter.To, now.Format(time.DateOnly)), Days: days, Total: UsageTotal{Currency: money.USD}}
	for _, one := range days {
		t := &shown.Total
		t.Runs += one.Runs
		t.Failed += one.Failed
		t.RunMS += one.RunMS
		t.Calls += one.Calls
		t.Tokens += one.Tokens
		t.Micros += one.Micros
	}
	return shown, err
}
