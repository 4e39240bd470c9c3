package agents

import (
	"context"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// Allowance says whether agents may go on: what is so for all workflows of the installation, and for those of one's
// owner. Its errors are a [*Stopped], or trouble.
type Allowance interface {
	// Repairs is asked before a repair of a workflow goes on: before each candidate is judged, before
	// each call to a model, and before a fix is handed in.
	Repairs(ctx context.Context, workflow string) error
	// Spend is asked before each call to a model that is not for a repair.
	Spend(ctx context.Context, workflow string) error
	// PerFix is what models may cost in one repair, in US dollars; 0 for no bound.
	PerFix(ctx context.Context) (float64, error)
}

// Stopped says that agents may not go on now. A [loop.Loop] takes it for a [loop.Wait]: the work is tried
// again after that time, or when something is decided for the installation or an account.
type Stopped struct {
	Reason string
	Until  time.Time // zero if somebody has to decide first
}

// Error implements error.
func (s *Stopped) Error() string { return "agents: agents are stopped: " + s.Reason }

// Unwrap makes it a [*loop.Wait].
func (s *Stopped) Unwrap() error { return &loop.Wait{Until: s.Until} }

// Spending counts what agents have cost.
type Spending interface {
	// Spent is in US dollars, of all calls to models that were answered since then, on every node.
	Spent(ctx context.Context, since time.Time) (float64, error)
	// SpentFor is of those on the workflows of an owner, in millionths of a US dollar.
	SpentFor(ctx context.Context, owner string, since time.Time) (int64, error)
}

// Installation is the allowance that people give: the switch and the caps on the stream of the
// installation, and the limit and balance on the stream of a workflow's owner. A call that is under way at another provider's is not counted until it is answered,
// so a cap can be passed by as many calls as are out at once.
type Installation struct {
	Commands *commands.Commands
	Spending Spending
	Now      func() time.Time
}

var _ Allowance = (*Installation)(nil)

// Repairs implements [Allowance].
func (i *Installation) Repairs(ctx context.Context, workflow string) error {
	state, err := i.Commands.LoadInstallation(ctx)
	if err != nil {
		return fmt.Errorf("agents.Installation: %w", err)
	}
	if state.Off {
		reason := "all repairs are switched off"
		if state.Reason != "" {
			reason += ": " + state.Reason
		}
		return &Stopped{Reason: reason}
	}
	return i.spend(ctx, state, workflow)
}

// Spend implements [Allowance].
func (i *Installation) Spend(ctx context.Context, workflow string) error {
	state, err := i.Commands.LoadInstallation(ctx)
	if err != nil {
		return fmt.Errorf("agents.Installation: %w", err)
	}
	return i.spend(ctx, state, workflow)
}

// PerFix implements [Allowance].
func (i *Installation) PerFix(ctx context.Context) (float64, error) {
	state, err := i.Commands.LoadInstallation(ctx)
	if err != nil {
		return 0, fmt.Errorf("agents.Installation: %w", err)
	}
	return state.PerFixUSD, nil
}

func (i *Installation) spend(ctx context.Context, state installation.State, workflow string) error {
	if err := i.spendOfAll(ctx, state); err != nil {
		return err
	}
	if workflow == "" {
		return nil
	}
	of, err := i.Commands.LoadWorkflow(ctx, workflow)
	if err != nil {
		return fmt.Errorf("agents.Installation: %w", err)
	}
	return i.spendOf(ctx, of.Owner)
}

// spendOf compares what agents have spent on an owner's workflows with the owner's limit and balance, if there are any.
func (i *Installation) spendOf(ctx context.Context, owner string) error {
	reached, spent, err := OwnerReached(ctx, i.Commands, i.Spending, owner, i.Now())
	if err != nil || reached == nil {
		return err
	}
	// The first that meets the limit tells the owner.
	if _, err := i.Commands.ReportOwnerSpend(ctx, owner, account.ReportSpend{Spent: spent}, commands.Meta{Actor: "system:allowance"}); err != nil {
		return fmt.Errorf("agents.Installation: tell %s that a limit is reached: %w", owner, err)
	}
	return &Stopped{Reason: reached.String(), Until: reached.Until}
}

// OwnerReached is the limit of an owner that is used up, nil for none, and what was spent.
func OwnerReached(
	ctx context.Context, c *commands.Commands, spending Spending, owner string, now time.Time,
) (reached *account.Reached, spent account.Spent, err error) {
	if owner == "" { // nobody's workflow has nobody's limit
		return nil, spent, nil
	}
	state, err := c.LoadAccount(ctx, owner)
	if err != nil {
		return nil, spent, fmt.Errorf("agents: the account of %s: %w", owner, err)
	}
	if !state.Limited() {
		return nil, spent, nil
	}
	if spent.MonthMicros, err = spending.SpentFor(ctx, owner, installation.Month.Start(now)); err == nil && !state.Opened.IsZero() {
		spent.BalanceMicros, err = spending.SpentFor(ctx, owner, state.Opened)
	}
	if err != nil {
		return nil, spent, fmt.Errorf("agents: sum up what was spent for %s: %w", owner, err)
	}
	return state.Reached(spent, now), spent, nil
}

func (i *Installation) spendOfAll(ctx context.Context, state installation.State) error {
	if !state.Capped() {
		return nil
	}
	now := i.Now()
	spent, err := SpentNow(ctx, i.Spending, now)
	if err != nil {
		return err
	}
	reached := state.Reached(spent, now)
	if len(reached) == 0 {
		return nil
	}
	// The first that meets the cap tells the operator.
	if _, err := i.Commands.ReportSpend(ctx, installation.ReportSpend{Spent: spent}, commands.Meta{Actor: "system:allowance"}); err != nil {
		return fmt.Errorf("agents.Installation: tell that the cap is reached: %w", err)
	}
	return &Stopped{Reason: reached[0].String(), Until: reached[0].Until}
}

// SpentNow is what agents have spent in the periods that a moment is in.
func SpentNow(ctx context.Context, spending Spending, now time.Time) (spent installation.Spent, err error) {
	for period, into := range map[installation.Period]*float64{installation.Day: &spent.DayUSD, installation.Month: &spent.MonthUSD} {
		if *into, err = spending.Spent(ctx, period.Start(now)); err != nil {
			return spent, fmt.Errorf("agents: sum up what was spent this %s: %w", period, err)
		}
	}
	return spent, nil
}

// AllowedModel is a model that is asked nothing unless Allowed says so, before every call:
// [Allowance.Repairs] for a maintainer's, [Allowance.Spend] for a planner's.
type AllowedModel struct {
	llm.Model
	Allowed func(ctx context.Context) error
}

// Chat implements [llm.Model].
func (m AllowedModel) Chat(ctx context.Context, request llm.Request) (llm.Answer, error) {
	if err := m.Allowed(ctx); err != nil {
		return llm.Answer{}, err
	}
	return m.Model.Chat(ctx, request)
}
