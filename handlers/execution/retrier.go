package execution

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
)

// Retrier has failed runs go on: when a passing trouble may have passed, and at once on
// the version that was to mend it. It has people hear of a trouble that does not pass.
type Retrier struct {
	commands *commands.Commands
	now      func() time.Time
}

// NewRetrier panics without its dependencies.
func NewRetrier(c *commands.Commands, now func() time.Time) *Retrier {
	if c == nil || now == nil {
		panic("execution: NewRetrier without a dependency")
	}
	return &Retrier{commands: c, now: now}
}

// Name implements [loop.Reaction].
func (r *Retrier) Name() string { return "retrier" }

// Due implements [loop.Reaction]. A retry that the status table forbids now is not due: the ban is lifted
// by an event, which wakes the loop.
func (r *Retrier) Due(id string, s workflow.State) []loop.Work {
	var due []loop.Work
	offer := func(at time.Time, admit workflow.AdmitRun) {
		if _, err := workflow.Decide(s, admit, later(at, r.now())); err != nil {
			return
		}
		due = append(due, loop.Work{Key: admit.Run, At: at, Do: func(ctx context.Context) error {
			_, err := r.commands.AdmitRun(ctx, id, admit, commands.Meta{
				CommandID: commands.DerivedID(admit.Run, "admit"), CorrelationID: admit.Continues, CausationID: admit.Continues, Actor: "system:retrier",
			})
			// A conflict: something else is in its way by now. The state as it is then says what is next.
			if err != nil && fault.KindOf(err) != fault.Conflict {
				return fmt.Errorf("execution.Retrier: admit the continuation of run %s: %w", admit.Continues, err)
			}
			return nil
		}})
	}
	if c := s.Continuation; c != nil {
		offer(time.Time{}, workflow.AdmitRun{
			Run: commands.DerivedID(c.Run, "continuation", c.Version.String()), Trigger: workflow.TriggerContinuation, Continues: c.Run,
		})
	}
	for _, retry := range s.Retries {
		offer(retry.At, workflow.AdmitRun{
			Run: commands.DerivedID(retry.Run, "retry", strconv.Itoa(retry.Attempt)), Trigger: workflow.TriggerRetry, Continues: retry.Run,
		})
	}
	if at, lasts := s.OutageDue(); lasts {
		// The same command on every node. Settings may move the time, so it is part of which one it is.
		meta := commands.Meta{CommandID: commands.DerivedID(id, "outage", s.Outage.Since.Format(time.RFC3339Nano), at.Format(time.RFC3339Nano)), Actor: "system:retrier"}
		due = append(due, loop.Work{Key: "outage", At: at, Do: func(ctx context.Context) error {
			if _, err := r.commands.ReportOutage(ctx, id, meta); err != nil {
				return fmt.Errorf("execution.Retrier: report an outage: %w", err)
			}
			return nil
		}})
	}
	return due
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
