package app

import (
	"context"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Autofix is what is so for all workflows.
type Autofix struct {
	Repairs       string    `json:"repairs"` // on, off, capped
	Reason        string    `json:"reason,omitempty"`
	By            string    `json:"by,omitempty"` // who switched last
	Since         time.Time `json:"since,omitzero"`
	PerDayUSD     float64   `json:"per_day_usd"` // caps; 0 is none
	PerMonthUSD   float64   `json:"per_month_usd"`
	PerFixUSD     float64   `json:"per_fix_usd"`
	SpentDayUSD   float64   `json:"spent_day_usd"`
	SpentMonthUSD float64   `json:"spent_month_usd"`
	// Uncounted is what models used this month whose price is unknown, or nothing.
	Uncounted []projections.Uncounted `json:"uncounted"`
	Until     time.Time               `json:"until,omitzero"` // a reached cap holds
	Waiting   []string                `json:"waiting"`        // workflows whose repair waits for it
}

// Autofix says whether repairs go on, what they have cost, and what waits.
func (f *Fixes) Autofix(ctx context.Context) (Autofix, error) {
	state, err := f.Commands.LoadInstallation(ctx)
	if err != nil {
		return Autofix{}, err
	}
	now := f.Now()
	spent, err := agents.SpentNow(ctx, f.HandlerQueries, now)
	if err != nil {
		return Autofix{}, err
	}
	uncounted, err := f.Queries.Uncounted(ctx, installation.Month.Start(now))
	if err != nil {
		return Autofix{}, err
	}
	shown := Autofix{
		Repairs: "on", Reason: state.Reason, PerDayUSD: state.PerDayUSD, PerMonthUSD: state.PerMonthUSD, PerFixUSD: state.PerFixUSD,
		SpentDayUSD: spent.DayUSD, SpentMonthUSD: spent.MonthUSD, Uncounted: uncounted, Waiting: []string{},
	}
	if reached := state.Reached(spent, now); len(reached) > 0 {
		shown.Repairs, shown.Until = "capped", reached[0].Until
		shown.Reason = reached[0].String()
	}
	if state.Off {
		shown.Repairs, shown.Reason = "off", state.Reason
	}
	for one, err := range f.Commands.History(ctx, []string{installation.Stream}) {
		if err != nil {
			return Autofix{}, err
		}
		switch one.Event.(type) {
		case installation.RepairsStopped, installation.RepairsResumed:
			shown.By, shown.Since = one.Metadata.Actor, one.Metadata.RecordedAt
		}
	}
	if shown.Repairs == "on" {
		return shown, nil
	}
	repaired, err := f.Queries.Workflows(ctx, projections.WorkflowFilter{Status: workflow.StatusMaintenance})
	if err != nil {
		return Autofix{}, err
	}
	for _, one := range repaired {
		shown.Waiting = append(shown.Waiting, one.ID)
	}
	return shown, nil
}

// repairThread is where a repair that is wanted is worked on, empty if none is.
func repairThread(of workflow.State) string {
	if !of.MaintainerWanted() {
		return ""
	}
	return of.Maintenance.Thread
}

// RepairWaits says why the repair on a thread, of a workflow of an owner, cannot go on now, if that is so and there is one.
func (f *Fixes) RepairWaits(ctx context.Context, owner, of string) (why string, err error) {
	if of == "" {
		return "", nil
	}
	if why, err := f.repairsStopped(ctx); err != nil || why != "" {
		return why, err
	}
	reached, _, err := agents.OwnerReached(ctx, f.Commands, f.HandlerQueries, owner, f.Now())
	if err != nil {
		return "", err
	}
	if reached != nil {
		return reached.String() + ". See: kintsugi usage balance " + plain.Quoted(owner), nil
	}
	said, err := f.Commands.LoadThread(ctx, of)
	if fault.KindOf(err) == fault.NotFound { // nobody has begun
		return "", nil
	}
	if m := said.Missing; err == nil && m != nil {
		why = fmt.Sprintf("the model %s does not answer (%s): %s. It is asked again at %s, if 'kintsugi dev' runs then. See: kintsugi llm check",
			m.Model, m.Kind, m.Detail, m.RetryAt.In(f.Now().Location()).Format(time.DateTime))
	}
	return why, err
}

// repairsStopped says why no repair of any workflow goes on now, if that is so.
func (f *Fixes) repairsStopped(ctx context.Context) (why string, err error) {
	shown, err := f.Autofix(ctx)
	switch {
	case err != nil:
		return "", err
	case shown.Repairs == "off" && shown.Reason == "":
		return "all repairs are switched off. See: kintsugi autofix status", nil
	case shown.Repairs == "off":
		return "all repairs are switched off: " + shown.Reason + ". See: kintsugi autofix status", nil
	case shown.Repairs != "on":
		return shown.Reason + ". See: kintsugi autofix status", nil
	}
	return "", nil
}
