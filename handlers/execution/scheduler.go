package execution

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
)

// Scheduler gives every slot of a schedule its outcome: a run, or a recorded skip.
type Scheduler struct {
	commands *commands.Commands
	now      func() time.Time
	parsed   *lru.Cache[scheduleKey, schedule.Schedule]
	executor *Executor // see [Scheduler.Rehearses]
}

type scheduleKey struct{ spec, zone string }

// NewScheduler panics without its dependencies.
func NewScheduler(c *commands.Commands, now func() time.Time) *Scheduler {
	if c == nil || now == nil {
		panic("execution: NewScheduler without a dependency")
	}
	return &Scheduler{commands: c, now: now, parsed: lru.New[scheduleKey, schedule.Schedule](100_000)}
}

// Rehearses has a slot of a workflow that waits for a person tried without writing before it is skipped.
func (s *Scheduler) Rehearses(e *Executor) *Scheduler {
	s.executor = e
	return s
}

// Name implements [loop.Reaction].
func (s *Scheduler) Name() string { return "scheduler" }

// Due implements [loop.Reaction].
func (s *Scheduler) Due(id string, state workflow.State) []loop.Work {
	if state.Schedule.Spec == "" {
		return nil
	}
	due, err := s.parse(state)
	if err != nil {
		return []loop.Work{{Key: "schedule", Do: func(context.Context) error { return err }}}
	}
	step, ok := state.NextSlot(due, s.now())
	if !ok {
		return nil
	}
	return []loop.Work{{Key: "slot", At: step.At, Do: func(ctx context.Context) error { return s.take(ctx, id) }}}
}

// take carries out the next step as it is by then. It is a conflict if the slot has got its outcome from
// another node, or something else is in its way: the state as it is then says what is next.
func (s *Scheduler) take(ctx context.Context, id string) error { return s.carryOut(ctx, id, false) }

// carryOut rehearses only in its turn.
func (s *Scheduler) carryOut(ctx context.Context, id string, inTurn bool) error {
	state, err := s.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return fmt.Errorf("execution.Scheduler: %w", err)
	}
	if state.Schedule.Spec == "" {
		return nil
	}
	due, err := s.parse(state) // it may be another one by now
	if err != nil {
		return err
	}
	now := s.now()
	step, ok := state.NextSlot(due, now)
	if !ok || step.At.After(now) {
		return nil
	}
	if step.Skip != nil {
		if _, _, rehearsable := state.Rehearsable(); step.Skip.Status != "" && rehearsable && s.executor != nil {
			if !inTurn {
				return s.executor.inTurn(ctx, id, func(ctx context.Context, id string) error { return s.carryOut(ctx, id, true) })
			}
			works, err := s.executor.FindWorking(ctx, id)
			if works || ctx.Err() != nil {
				return err // it goes on, and this slot with it
			}
			step.Skip.Reason += "; it was tried without writing, and does not work yet"
		}
		if step.Busy {
			still, err := s.standStill(ctx, state)
			if err != nil {
				return fmt.Errorf("execution.Scheduler: %w", err)
			}
			step.Skip.Reason += still
		}
		_, err = s.commands.SkipSlot(ctx, id, *step.Skip, s.meta(id, "skip", *step.Skip.Slot))
	} else {
		// Every node arrives at the same run.
		step.Admit.Run = commands.DerivedID(id, "slot", step.Admit.Slot.Format(time.RFC3339))
		_, err = s.commands.AdmitRun(ctx, id, *step.Admit, s.meta(id, "admit", *step.Admit.Slot))
	}
	if err != nil && fault.KindOf(err) != fault.Conflict {
		return fmt.Errorf("execution.Scheduler: %w", err)
	}
	return nil
}

// standStill says which runs are under way only because a person has not answered.
func (s *Scheduler) standStill(ctx context.Context, state workflow.State) (why string, err error) {
	for _, id := range slices.Sorted(maps.Keys(state.Admitted)) {
		recorded, err := s.commands.LoadRun(ctx, id)
		switch {
		case fault.KindOf(err) == fault.NotFound: // not started
		case err != nil:
			return "", err
		case len(recorded.InDoubt()) > 0:
			why += fmt.Sprintf("; run %s stands still, as a write of it is in doubt", id)
		case recorded.Awaiting() != nil:
			why += fmt.Sprintf("; run %s waits for the answer to its question", id)
		}
	}
	return why, nil
}

func (s *Scheduler) meta(id, step string, slot time.Time) commands.Meta {
	command := commands.DerivedID(id, "slot", slot.Format(time.RFC3339), step)
	return commands.Meta{CommandID: command, Actor: "system:scheduler"}
}

func (s *Scheduler) parse(state workflow.State) (schedule.Schedule, error) {
	key := scheduleKey{state.Schedule.Spec, state.Schedule.Zone}
	if key.zone == "" {
		key.zone = state.Zone
	}
	if parsed, ok := s.parsed.Get(key); ok {
		return parsed, nil
	}
	zone, err := time.LoadLocation(key.zone)
	if err != nil {
		err = fmt.Errorf("the time zone %q is not known on this machine: %w", key.zone, err)
	}
	parsed, fault := schedule.Parse(key.spec, zone)
	if err := errors.Join(err, fault); err != nil {
		return schedule.Schedule{}, fmt.Errorf("execution.Scheduler: no slot runs: %w", err)
	}
	s.parsed.Put(key, parsed)
	return parsed, nil
}
