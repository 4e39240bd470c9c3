package execution

import (
	"context"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
)

// prepare claims the run for this node, unless it has ended, stands still, or is another node's, and collects everything that its script needs.
// A [loop.Wait] says when the run can go on.
func (a *attempt) prepare(ctx context.Context) error {
	loaded, err := a.config.Commands.LoadRun(ctx, a.info.Run)
	now := a.config.Now()
	switch a.run = loaded; {
	case fault.KindOf(err) == fault.NotFound:
		err = a.begin(ctx)
	case err != nil, loaded.Ended, len(loaded.InDoubt()) > 0:
		return err
	case loaded.Delay != nil && now.Before(loaded.Delay.Until):
		return delayed(loaded)
	case loaded.Awaiting() != nil && !timedOut(loaded, now):
		return nil
	case !a.config.Alone && loaded.HeldBy(a.config.Node, now):
		return &loop.Wait{Until: loaded.LeaseUntil}
	default:
		err = a.resume(ctx)
	}
	if err != nil {
		return err
	}
	var found bool
	if a.script, found = a.workflow.Script(a.info.Version); !found {
		return fmt.Errorf("version %s of workflow %s is not in its history", a.info.Version, a.id)
	}
	a.monitor, err = a.watch(ctx)
	return err
}

// timedOut says that the question that the run waits for has its default answer by now.
func timedOut(s run.State, now time.Time) bool {
	until := s.Awaiting().Question.Until
	return !until.IsZero() && !now.Before(until)
}

// begin starts a run that nobody has started.
func (a *attempt) begin(ctx context.Context) error {
	w, err := a.config.Commands.WorkflowSince(ctx, a.id, 0) // it has the admission
	if err != nil {
		return err
	}
	a.workflow = w
	now := a.config.Now().UTC()
	start := run.Start{
		Run: a.info.Run, Workflow: a.id, Version: a.info.Version.String(), Trigger: string(a.info.Trigger),
		Input: a.info.Input, Seed: a.info.Run, Clock: now.Truncate(time.Millisecond), Zone: w.Zone,
		LeaseUntil: now.Add(a.config.Lease), Node: a.config.Node, Continues: a.info.Continues, Overlap: true, HoldsBack: a.info.Beside,
	}
	earlier, err := a.inherit(ctx)
	if err != nil {
		return err
	}
	if earlier != nil {
		start.Seed, start.Clock, start.Zone, start.Keys, start.Overlap = earlier.Seed, earlier.Clock, earlier.Zone, earlier.Keys, earlier.Overlap
		if a.info.Fork == nil || len(start.Input) == 0 {
			start.Input = earlier.Input
		}
	}
	if a.info.Fork != nil {
		start.Forks, start.ForkedAt, start.Keys = a.info.Fork.Run, a.info.Fork.FromCall, a.info.Run
	}
	if a.journal, err = a.config.Commands.StartRun(ctx, start, a.meta("start")); err != nil {
		return err
	}
	if a.info.Fork == nil && a.sole() {
		return nil
	}
	// Another node would make the same reads; and the keys and files of a fork are folded from its place in the history.
	return a.journal.Flush(ctx)
}

// resume goes on with a run whose executor is gone: it is executed again, and its journal answers the calls that it has made.
func (a *attempt) resume(ctx context.Context) (err error) {
	if a.workflow, err = a.config.Commands.LoadWorkflow(ctx, a.id); err != nil {
		return err
	}
	until := a.config.Now().UTC().Add(a.config.Lease)
	if a.journal, err = a.config.Commands.ReopenRun(ctx, a.info.Run, a.meta("resume "+a.config.Node+" "+until.Format(time.RFC3339Nano))); err != nil {
		return err
	}
	// The node that appends this goes on with the run. One that still executes it is told by its next append.
	if err := a.record(ctx, run.Resume{Node: a.config.Node, LeaseUntil: until, Alone: a.config.Alone}); err != nil {
		return err
	}
	if a.journal.State().Awaiting() != nil {
		if err := a.journal.Record(ctx, run.TimeOutAnswer{}); err != nil {
			return err
		}
	}
	if _, err = a.inherit(ctx); err != nil {
		return err
	}
	a.config.Logger.Info("going on with a run that was interrupted", "workflow", a.id, "run", a.info.Run, "calls", len(a.journal.State().Calls))
	return nil
}

// record has a command on the run durable.
func (a *attempt) record(ctx context.Context, command run.Command) error {
	if err := a.journal.Record(ctx, command); err != nil {
		return err
	}
	return a.journal.Flush(ctx)
}

// inherit finds the calls that answer in a run that goes on with an earlier one: that one's journal, and
// what the runs before it in the chain had done that it did not come to repeat; of a fork, the first
// calls. The earlier run is nil for a run that begins afresh.
func (a *attempt) inherit(ctx context.Context) (*run.State, error) {
	of := a.info.Continues
	if a.info.Fork != nil {
		of = a.info.Fork.Run
	}
	if of == "" {
		return nil, nil
	}
	earlier, err := a.config.Commands.LoadRun(ctx, of)
	if err != nil {
		return nil, fmt.Errorf("the run it goes on with: %w", err)
	}
	if a.info.Fork != nil {
		a.inherited = forked(earlier, *a.info.Fork)
		return &earlier, nil
	}
	age, settings := map[string]int{}, a.workflow.Settings
	entries, err := rehearsal.Chain(ctx, a.config.Commands, earlier, func(entries []rehearsal.Entry, s run.State) []rehearsal.Entry {
		age[s.Run] = len(age) + 1
		return rehearsal.WithoutPassing(entries, s, settings)
	}, rehearsal.IdempotentHosts(settings))
	if err != nil {
		return nil, err
	}
	for i := range entries {
		entries[i].Age = age[entries[i].From]
	}
	if a.info.Fresh {
		entries = rehearsal.OnlyWrites(entries)
	}
	a.inherited = entries
	return &earlier, nil
}

// forked is what a run did before a call, and what that call answers if somebody said so.
func forked(earlier run.State, fork workflow.Fork) []rehearsal.Entry {
	var entries []rehearsal.Entry
	for _, entry := range rehearsal.PastOf(earlier, rehearsal.Never) {
		switch {
		case entry.Seq < fork.FromCall && !entry.InDoubt:
			entries = append(entries, entry)
		case entry.Seq == fork.FromCall && len(fork.Result) > 0:
			entry.Result, entry.Error, entry.InDoubt = fork.Result, nil, false
			entries = append(entries, entry)
		}
	}
	return entries
}
