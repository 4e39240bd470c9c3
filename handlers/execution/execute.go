package execution

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/projections"
)

// execute has the script make its calls until the run ends, or stands still. The script begins again where the guard stopped it
// for a look and found nothing, where it speculated wrongly, and where other runs have changed what it had read.
func (a *attempt) execute(ctx context.Context) error {
	leave := func() {}
	defer func() { leave() }()
	for restarts := 0; ; a.tries++ {
		err := a.try(ctx)
		moved, is := errors.AsType[*movedError](err)
		switch {
		case is && a.committed() > 0: // what counts is not made anew
			return a.endSuperseded(ctx, superseded(moved.places))
		case is:
			if restarts++; restarts > mostRestarts {
				return a.delay(ctx, ctx, err)
			}
			if restarts == 1 {
				turn, err := a.restarts.enter(ctx, a.id)
				if err != nil {
					return a.delay(ctx, ctx, err)
				}
				leave = turn
			}
			a.restart = newRestart(a.journal.State(), moved.places)
		case errors.Is(err, errSuspected), errors.Is(err, errMisspeculated):
			a.restart = a.restart.interrupted()
		default:
			return err
		}
		// It goes on where it stood, with what it has done.
		if err := a.journal.Flush(ctx); err != nil {
			return err
		}
		a.monitor.reset()
	}
}

// try executes the script once, and judges what came of it. Its error is errSuspected if the run stood still only for the guard,
// which found nothing that stops it, errMisspeculated if the script went on before a call was refused, and a [*movedError] if other runs have
// changed what the script had read.
func (a *attempt) try(ctx context.Context) error {
	start := a.journal.State()
	seen, err := a.load(ctx, start)
	if err != nil {
		return err
	}
	claims, err := a.claims(ctx, start)
	if err != nil {
		return err
	}
	if moved := hostcall.Moved(claims, a.local); len(moved) > 0 {
		return a.endSuperseded(ctx, superseded(moved))
	}
	a.local.Limit(a.workflow.Settings.Limits.StoredBytes)
	entries := a.past(start)
	held, moved := a.held(start, entries)
	if len(moved) > 0 {
		return &movedError{moved}
	}
	a.host = a.newHost(start, entries)
	defer a.mirror(start)
	env := a.environment(ctx, start)
	if start.HoldsBack {
		a.host.side = &beside{attempt: a, env: env, claims: claims, held: held, seen: seen}
	}
	live := a.config.Outside.Live(env)
	defer live.Close()
	a.host.live = a.breakers.guard(a.id, live)

	kept, stop := a.keepLease(ctx)
	defer stop()
	a.began = a.config.Now()
	a.outcome, err = a.config.Sandbox.Run(kept, sandbox.Execution{
		Code: a.script.Code, Input: start.Input, Seed: start.Seed, Clock: start.Clock, Zone: start.Zone, Overlap: start.Overlap,
		Limits: rehearsal.LimitsOf(a.workflow.Settings.Limits), Affinity: affinity(a.workflow.Owner, a.script.Code), Owner: a.workflow.Owner, Ahead: a.tries == 0,
	}, a.host)
	return a.judge(ctx, kept, err)
}

// committed is the last call of the run whose writes to keys and files count, where it holds them back.
func (a *attempt) committed() int { return a.workflow.Admitted[a.info.Run].Committed }

// load reads the workflow's keys and files as they are when the run begins, or goes on: only the views know what such a run
// wrote in its earlier life. Seen is how many commits are in them.
func (a *attempt) load(ctx context.Context, start run.State) (seen int, err error) {
	seen = a.workflow.Commits
	first := a.tries == 0
	if start.HoldsBack && !first {
		now, err := a.config.Commands.WorkflowSince(ctx, a.id, 0)
		if err != nil {
			return 0, err
		}
		seen = now.Commits // before its keys and files are read
	}
	switch {
	case start.ForkedAt > 0:
		a.local, err = a.localOfFork(ctx, start)
	case len(start.Calls) == 0 && (first || !start.HoldsBack):
		var known bool
		if a.local, known = a.locals.take(a.id, a.workflow); known {
			return seen, nil
		}
		fallthrough
	default:
		a.local, err = a.config.Local.LocalState(ctx, a.id)
	}
	if err != nil {
		return 0, fmt.Errorf("load the workflow's keys and files: %w", err)
	}
	return seen, nil
}

// localOfFork is the keys and files of a fork: as the forked run had them at that point, and what the fork
// has written since. They are folded from the history, as no view has them.
func (a *attempt) localOfFork(ctx context.Context, s run.State) (*hostcall.Memory, error) {
	streams := []string{workflow.Stream(a.id)}
	for one, err := range a.config.Commands.History(ctx, streams) {
		if err != nil {
			return nil, err
		}
		if admitted, is := one.Event.(workflow.RunAdmitted); is {
			streams = append(streams, run.Stream(admitted.Run))
		}
	}
	var history []event.Recorded
	for one, err := range a.config.Commands.History(ctx, streams) {
		if err != nil {
			return nil, err
		}
		history = append(history, one)
	}
	local, err := projections.LocalBefore(history, s.Run, math.MaxInt)
	if err != nil {
		return nil, err
	}
	memory := hostcall.NewMemory(local.KV, nil, 0)
	for path, file := range local.Files {
		memory.WriteFile(path, hostcall.File{Text: file.Text, ModifiedMS: file.ModifiedMS})
	}
	return memory, nil
}

// past is what answers when the script is executed: the run's own calls, once each, and those of the runs
// that it goes on with that it did not come to repeat. A script that begins again is answered by all of it but what its run did to
// keys and files, and read of them.
func (a *attempt) past(s run.State) []rehearsal.Entry {
	before := s
	before.Calls, before.Before, s.Before = s.Before, nil, nil
	own := rehearsal.PastOf(s, rehearsal.IdempotentHosts(a.workflow.Settings))
	for i := range own {
		own[i].Own = true
	}
	own = append(own, rehearsal.PastOf(before, rehearsal.Never)...)
	entries := append(own, rehearsal.LeftOf(a.inherited, own, s.Run)...)
	if a.restart == nil {
		return entries
	}
	entries = slices.DeleteFunc(entries, func(entry rehearsal.Entry) bool {
		return hostcall.Of(entry.Tool).Local && (entry.Effect == sandbox.Read || entry.From == s.Run)
	})
	for i := range entries {
		entries[i].Own = false
	}
	return entries
}

// held are the calls of a run on keys and files that it holds back, made once more on what is committed by now. Moved names the places
// where that answers otherwise.
func (a *attempt) held(start run.State, entries []rehearsal.Entry) (held []hostcall.Answered, moved []string) {
	if !start.HoldsBack || a.restart != nil {
		return nil, nil
	}
	for seq, made := range localOf(start) {
		if seq > a.committed() {
			held = append(held, made)
		}
	}
	moved = hostcall.Again(held, a.local)
	if slices.ContainsFunc(entries, func(entry rehearsal.Entry) bool { return entry.InDoubt }) {
		return held, nil // it stands still first
	}
	return held, moved
}

// newHost answers the script's calls.
func (a *attempt) newHost(start run.State, entries []rehearsal.Entry) *runHost {
	host := &runHost{
		attempt: a, past: rehearsal.NewPast(entries), seq: len(start.Calls), made: map[string]int{}, clockMS: start.Clock.UnixMilli(),
		youngest: math.MaxInt, anew: a.restart != nil || len(start.Before) > 0,
	}
	if a.restart != nil {
		host.seq = 0
		return host
	}
	for _, call := range start.Calls {
		if !call.Returned && call.Effect == run.EffectRead {
			host.open.Add(call.Seq, call.Tool, call.Args)
		}
	}
	return host
}

// environment is everything that the script's calls find around them.
func (a *attempt) environment(ctx context.Context, start run.State) *hostcall.Env {
	settings, host := a.workflow.Settings, a.host
	return &hostcall.Env{
		State: a.local, Carried: carried(start), AllowedHosts: settings.AllowedHosts, AtomicHosts: settings.AtomicHosts, Secrets: a.config.Secrets.Of(a.id), FetchBytes: settings.Limits.FetchBytes,
		KnownHosts: egress.KnownHosts(ctx, a.config.Recordings, a.id, a.workflow.Active.Major),
		Reach:      egress.OfRun(a.workflow, a.info.Version, egress.OwnPlaces(ctx, a.config.Recordings, a.id)),
		Closed:     egress.Closed(ctx, a.config.Commands, a.workflow.Owner),
		MaySend:    host.maySend,
		Key:        func(sandbox.Call) string { return host.key },
		Now:        func() int64 { return host.clockMS },
		Logger:     a.config.Logger,
	}
}

// carried is what the calls of a run on keys and files have carried so far.
func carried(s run.State) (bytes int64) {
	for _, call := range s.Calls {
		if hostcall.Of(call.Tool).Local {
			bytes += int64(len(call.Args) + len(call.Result))
		}
	}
	return bytes
}

// mirror shows people the files that the run wrote or removed; those of a fork are its own, and those that are held back do not count yet.
func (a *attempt) mirror(start run.State) {
	if start.ForkedAt > 0 || a.host.side != nil && a.host.side.committed == 0 {
		return
	}
	if err := a.config.Mirror(a.id, a.local, a.host.touched); err != nil {
		a.config.Logger.Warn("the folder that shows the workflow's files is not up to date", "workflow", a.id, "error", err)
	}
}

// affinity names the runs that may use a worker process one after the other: those of the same script, of one owner
// (docs/decisions/sandbox.md#0036).
func affinity(owner, code string) string {
	of := sha256.Sum256([]byte(code))
	return owner + " " + string(of[:])
}
