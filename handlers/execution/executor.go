package execution

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/basics/lru"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/projections"
)

// ExecutorConfig is what an Executor needs. All of it.
type ExecutorConfig struct {
	Commands *commands.Commands
	Sandbox  sandbox.Runner
	Local    rehearsal.LocalState
	// Mirror shows people a workflow's files: it is told the paths that a run wrote or removed.
	Mirror func(workflow string, state hostcall.State, paths []string) error
	Now    func() time.Time
	// Node names this process in RunStarted.
	Node string
	// Alone says that no other process executes runs of this log: what an earlier life of this
	// one left is gone on with at once, whatever its lease.
	Alone bool
	// Sole says that most likely no other node is at work now: a run that begins is not waited for to be this node's. If
	// another node takes it too, one of them finds out before it writes anything. Nil means never.
	Sole func() bool
	// Lease is how long a run may be without a sign of life before another node goes on with
	// it. Default a minute.
	Lease      time.Duration
	Logger     *slog.Logger
	Recordings egress.Recordings
	// Secrets gives the value of a secret that a workflow may send to a host. Nil means none.
	Secrets egress.Secrets
	Outside egress.Outside
}

// Executor takes admitted runs, executes them, and settles them.
type Executor struct {
	config   ExecutorConfig
	breakers *breakers
	locals   *locals
	again    lines // of workflows whose runs begin again

	// expectations are what the recorded successes of active versions teach, by workflow, so that an ordinary run costs no
	// look at its past. They only choose the runs that are looked at closer: then the past is read again.
	expectations *lru.Cache[string, *expected]
}

// NewExecutor panics if a dependency is missing: that is a mistake in the wiring.
func NewExecutor(config ExecutorConfig) *Executor {
	if config.Commands == nil || config.Sandbox == nil || config.Local == nil || config.Mirror == nil ||
		config.Now == nil || config.Node == "" || config.Logger == nil || config.Recordings == nil {
		panic("execution: NewExecutor without a dependency")
	}
	if config.Lease == 0 {
		config.Lease = loop.DefaultLease
	}
	config.Commands.ForgetNewRuns()
	return &Executor{config: config, breakers: newBreakers(config.Now), locals: newLocals(), expectations: lru.New[string, *expected](1000)}
}

// Name implements [loop.Reaction].
func (e *Executor) Name() string { return "executor" }

// Due implements [loop.Reaction]: every run that was admitted and is not settled, and what waits for a person and may work again.
func (e *Executor) Due(id string, s workflow.State) []loop.Work {
	var due []loop.Work
	if of, at, ok := s.RehearsalDue(); ok {
		due = append(due, loop.Work{Key: "rehearse " + of, At: at, Do: func(ctx context.Context) error { return e.inTurn(ctx, id, e.rehearse) }})
	}
	for _, info := range s.Admitted {
		if info.Trigger == workflow.TriggerImport {
			continue // it happened elsewhere: whoever imports it settles it
		}
		due = append(due, loop.Work{Key: info.Run, Do: func(ctx context.Context) error { return e.take(ctx, id, info) }})
	}
	return due
}

// take brings one admitted run to its outcome, from wherever it was left.
func (e *Executor) take(ctx context.Context, id string, info workflow.RunInfo) error {
	var loaded run.State
	var err error
	isNew := e.config.Commands.TakeNewRun(info.Run) && e.sole()
	if !isNew {
		loaded, err = e.config.Commands.LoadRun(ctx, info.Run)
	}
	state := left{State: loaded}
	switch {
	case isNew, fault.KindOf(err) == fault.NotFound:
		state, err = e.begin(ctx, id, info)
	case err != nil, state.Ended:
	case len(state.InDoubt()) > 0:
		return e.reconcile(ctx, id, info, loaded)
	case state.Delay != nil && e.config.Now().Before(state.Delay.Until):
		return delayed(loaded)
	case state.Awaiting() != nil && !e.timedOut(loaded):
		return &loop.Wait{Until: state.Awaiting().Question.Until}
	case !e.config.Alone && state.HeldBy(e.config.Node, e.config.Now()):
		return &loop.Wait{Until: state.LeaseUntil}
	default:
		state, err = e.resume(ctx, id, info)
	}
	if errors.Is(err, commands.ErrRunLost) {
		return e.lost(id, info, err)
	}
	if err != nil {
		return fmt.Errorf("execution.Executor: run %s: %w", info.Run, err)
	}
	if asked := state.Awaiting(); asked != nil {
		return &loop.Wait{Until: asked.Question.Until}
	}
	if len(state.InDoubt()) > 0 {
		return e.reconcile(ctx, id, info, state.State)
	}
	if !state.Ended {
		return &loop.Wait{} // for what a person says
	}
	if err := e.settle(ctx, id, info, state); errors.Is(err, commands.ErrRunLost) {
		return e.lost(id, info, err)
	} else if err != nil {
		return fmt.Errorf("execution.Executor: settle run %s: %w", info.Run, err)
	}
	if state.keep != nil {
		state.keep()
	}
	return nil
}

// sole says that nobody else is known to execute runs.
func (e *Executor) sole() bool { return e.config.Alone || e.config.Sole != nil && e.config.Sole() }

// lost leaves a run to another node.
func (e *Executor) lost(id string, info workflow.RunInfo, why error) error {
	e.config.Logger.Info("another node goes on with a run", "workflow", id, "run", info.Run, "error", why)
	return &loop.Wait{Until: e.config.Now().Add(e.config.Lease / 2)} // its lease says more then
}

// left is a run as it was left when it ended, or stood still.
type left struct {
	run.State
	journal *commands.RunJournal // that has its end, which may not be appended yet; nil if it is
	keep    func()               // once it is settled; nil for nothing
}

func (e *Executor) timedOut(s run.State) bool {
	until := s.Awaiting().Question.Until
	return !until.IsZero() && !e.config.Now().Before(until)
}

func (e *Executor) meta(run, step string) commands.Meta {
	return commands.Meta{CommandID: commands.DerivedID(run, step), CorrelationID: run, CausationID: run, Actor: "system:executor"}
}

// begin starts a run that nobody has started.
func (e *Executor) begin(ctx context.Context, id string, info workflow.RunInfo) (left, error) {
	w, err := e.config.Commands.WorkflowSince(ctx, id, 0) // it has the admission
	if err != nil {
		return left{}, err
	}
	now := e.config.Now().UTC()
	start := run.Start{
		Run: info.Run, Workflow: id, Version: info.Version.String(), Trigger: string(info.Trigger),
		Input: info.Input, Seed: info.Run, Clock: now.Truncate(time.Millisecond), Zone: w.Zone,
		LeaseUntil: now.Add(e.config.Lease), Node: e.config.Node, Continues: info.Continues, Overlap: true, HoldsBack: info.Beside,
	}
	older, earlier, err := e.inherited(ctx, w, info)
	if err != nil {
		return left{}, err
	}
	if earlier != nil {
		start.Seed, start.Clock, start.Zone, start.Keys, start.Overlap = earlier.Seed, earlier.Clock, earlier.Zone, earlier.Keys, earlier.Overlap
		if info.Fork == nil || len(start.Input) == 0 {
			start.Input = earlier.Input
		}
	}
	if info.Fork != nil {
		start.Forks, start.ForkedAt, start.Keys = info.Fork.Run, info.Fork.FromCall, info.Run
	}
	take := e.config.Commands.StartRun
	if earlier == nil && e.sole() { // what goes on with a run is looked up in the log before it executes
		take = e.config.Commands.StartRunAlone
	}
	journal, err := take(ctx, start, e.meta(info.Run, "start"))
	if err != nil {
		return left{}, err
	}
	return e.execute(ctx, id, w, info, journal, older)
}

// resume goes on with a run whose executor is gone: it is executed again, and what is in
// its journal answers.
func (e *Executor) resume(ctx context.Context, id string, info workflow.RunInfo) (left, error) {
	w, err := e.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return left{}, err
	}
	until := e.config.Now().UTC().Add(e.config.Lease)
	journal, err := e.config.Commands.ReopenRun(ctx, info.Run, e.meta(info.Run, "resume "+e.config.Node+" "+until.Format(time.RFC3339Nano)))
	if err != nil {
		return left{}, err
	}
	// Who appends this goes on with the run; whoever still executes it is told by its next append.
	if err := journal.Record(ctx, run.Resume{Node: e.config.Node, LeaseUntil: until, Alone: e.config.Alone}); err != nil {
		return left{}, err
	}
	if err := journal.Flush(ctx); err != nil {
		return left{}, err
	}
	if journal.State().Awaiting() != nil {
		if err := journal.Record(ctx, run.TimeOutAnswer{}); err != nil {
			return left{}, err
		}
	}
	older, _, err := e.inherited(ctx, w, info)
	if err != nil {
		return left{}, err
	}
	e.config.Logger.Info("going on with a run that was interrupted", "workflow", id, "run", info.Run, "calls", len(journal.State().Calls))
	return e.execute(ctx, id, w, info, journal, older)
}

// inherited is what answers in a run that goes on with an earlier one: that one's journal, and
// what the runs before it in the chain had done that it did not come to repeat; of a fork, the first
// calls. The earlier run is nil for a run that begins afresh.
func (e *Executor) inherited(ctx context.Context, w workflow.State, info workflow.RunInfo) ([]rehearsal.Entry, *run.State, error) {
	of := info.Continues
	if info.Fork != nil {
		of = info.Fork.Run
	}
	if of == "" {
		return nil, nil, nil
	}
	earlier, err := e.config.Commands.LoadRun(ctx, of)
	if err != nil {
		return nil, nil, fmt.Errorf("the run it goes on with: %w", err)
	}
	if info.Fork != nil {
		return forked(earlier, *info.Fork), &earlier, nil
	}
	age := map[string]int{}
	entries, err := rehearsal.Chain(ctx, e.config.Commands, earlier, func(entries []rehearsal.Entry, s run.State) []rehearsal.Entry {
		age[s.Run] = len(age) + 1
		return rehearsal.WithoutPassing(entries, s, w.Settings)
	}, rehearsal.IdempotentHosts(w.Settings))
	for i := range entries {
		entries[i].Age = age[entries[i].From]
	}
	if err != nil {
		return nil, nil, err
	}
	if info.Fresh {
		entries = rehearsal.OnlyWrites(entries)
	}
	return entries, &earlier, nil
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

// execute has the script make its calls until the run ends, or stands still. older is what earlier runs did that this one goes on with.
func (e *Executor) execute(
	ctx context.Context, id string, w workflow.State, info workflow.RunInfo, journal *commands.RunJournal, older []rehearsal.Entry,
) (left, error) {
	script, found := w.Script(info.Version)
	if !found {
		return left{}, fmt.Errorf("version %s of workflow %s is not in its history", info.Version, id)
	}
	eyes, err := e.watch(ctx, id, w, info, script, journal.State())
	if err != nil {
		return left{}, err
	}
	var again *beginning
	tries, leave := 0, func() {}
	defer func() { leave() }()
	for ahead := true; ; ahead = false {
		ended, err := e.attempt(ctx, id, w, info, script, journal, older, again, eyes, ahead)
		moved, overtaken := errors.AsType[*movedError](err)
		if !errors.Is(err, errSuspected) && !errors.Is(err, errAstray) && !overtaken {
			return ended, err
		}
		if overtaken {
			if w.Admitted[info.Run].Committed > 0 { // what counts is not made anew
				return e.endOvertaken(ctx, journal, overtakenBy(moved.places))
			}
			if tries++; tries > mostAgain {
				return left{}, e.delay(ctx, ctx, journal, err)
			}
			if tries == 1 {
				if leave, err = e.again.enter(ctx, id); err != nil {
					leave = func() {}
					return left{}, e.delay(ctx, ctx, journal, err)
				}
			}
			again = beginAgain(journal.State(), moved.places)
		} else if again != nil {
			if again.calls = nil; again.recorded {
				again = nil
			}
		}
		// It goes on where it stood, with what it has done.
		if err := journal.Flush(ctx); err != nil {
			return left{}, err
		}
		if eyes != nil {
			eyes.run.Calls, eyes.write = nil, nil
			eyes.live = eyes.of.known.Watch()
		}
	}
}

// pastOf is what answers when a run is executed, again or for the first time: what it did itself, once each, and what of the runs
// that it goes on with it did not come to repeat.
func pastOf(s run.State, w workflow.State, older []rehearsal.Entry) []rehearsal.Entry {
	before := s
	before.Calls, before.Before, s.Before = s.Before, nil, nil
	own := rehearsal.PastOf(s, rehearsal.IdempotentHosts(w.Settings))
	for i := range own {
		own[i].Own = true
	}
	own = append(own, rehearsal.PastOf(before, rehearsal.Never)...)
	return append(own, rehearsal.LeftOf(older, own, s.Run)...)
}

// outside is what a script that begins again is answered: all but what its run did to keys and files, and read of them.
func outside(entries []rehearsal.Entry, of string) []rehearsal.Entry {
	entries = slices.DeleteFunc(entries, func(entry rehearsal.Entry) bool {
		return hostcall.Of(entry.Tool).Local && (entry.Effect == sandbox.Read || entry.From == of)
	})
	for i := range entries {
		entries[i].Own = false
	}
	return entries
}

// attempt executes a run until it ends, or stands still. Its error is errSuspected if it stood still only for the
// guard, who found nothing that stops it, and errAstray if its script, which may go ahead, went where it should not have.
func (e *Executor) attempt(
	ctx context.Context, id string, w workflow.State, info workflow.RunInfo, script workflow.Script, journal *commands.RunJournal, older []rehearsal.Entry, again *beginning,
	eyes *watch, ahead bool,
) (left, error) {
	start, committed, seen := journal.State(), w.Admitted[info.Run].Committed, w.Commits
	if start.HoldsBack && !ahead {
		now, err := e.config.Commands.WorkflowSince(ctx, id, 0)
		if err != nil {
			return left{}, err
		}
		seen = now.Commits // before its keys and files are read
	}
	local, err := e.local(ctx, id, w, start, ahead)
	if err != nil {
		return left{}, fmt.Errorf("load the workflow's keys and files: %w", err)
	}
	entries := pastOf(start, w, older)
	var claims, held []hostcall.Answered
	if again != nil {
		entries = outside(entries, start.Run)
	} else if claims, err = e.claims(ctx, info, start, committed); err != nil {
		return left{}, err
	}
	if late := overtaken(claims, local); late != nil {
		return e.endOvertaken(ctx, journal, *late)
	}
	local.Limit(w.Settings.Limits.StoredBytes)
	if start.HoldsBack && again == nil {
		for seq, made := range localOf(start) {
			if seq > committed {
				held = append(held, made)
			}
		}
		inDoubt := func(entry rehearsal.Entry) bool { return entry.InDoubt } // then it stands still first
		if moved := hostcall.Again(held, local); len(moved) > 0 && !slices.ContainsFunc(entries, inDoubt) {
			return left{}, &movedError{moved}
		}
	}
	host := &runHost{
		journal: journal, past: rehearsal.NewPast(entries), seq: len(start.Calls), made: map[string]int{}, clockMS: start.Clock.UnixMilli(),
		now: e.config.Now, lease: e.config.Lease, alone: e.config.Alone, idempotent: rehearsal.IdempotentHosts(w.Settings),
		watch: eyes, youngest: math.MaxInt, again: again, anew: again != nil || len(start.Before) > 0,
		repeats: func(made rehearsal.Entry) bool { return !info.Fresh && sameCode(w, made.Version, script) },
		reconcilable: func(call sandbox.Call) bool {
			return hostcall.Reconcilable(&hostcall.Env{Lookups: lookupsOf(w.Settings)}, call)
		},
	}
	for _, call := range start.Calls {
		if !call.Returned && call.Effect == run.EffectRead && again == nil {
			host.open.Add(call.Seq, call.Tool, call.Args)
		}
	}
	if again != nil {
		host.seq = 0
	}
	defer func() {
		if start.ForkedAt > 0 || host.side != nil && host.side.committed == 0 {
			return // its files are its own
		}
		if err := e.config.Mirror(id, local, host.touched); err != nil {
			e.config.Logger.Warn("the folder that shows the workflow's files is not up to date", "workflow", id, "error", err)
		}
	}()
	env := &hostcall.Env{
		State: local, Carried: carried(start), AllowedHosts: w.Settings.AllowedHosts, AtomicHosts: w.Settings.AtomicHosts, Secrets: e.config.Secrets.Of(id), FetchBytes: w.Settings.Limits.FetchBytes,
		KnownHosts: egress.KnownHosts(ctx, e.config.Recordings, id, w.Active.Major), Reach: egress.OfRun(w, info.Version, egress.OwnPlaces(ctx, e.config.Recordings, id)),
		MaySend: host.maySend,
		Key:     func(sandbox.Call) string { return host.currentKey() },
		Now:     func() int64 { return host.clockMS },
		Logger:  e.config.Logger,
	}
	if start.HoldsBack {
		host.side = &beside{executor: e, id: id, journal: journal, env: env, most: w.Settings.Limits.StoredBytes, local: local, claims: claims, held: held, seen: seen}
	}
	live := e.config.Outside.Live(env)
	defer live.Close()
	host.live = e.breakers.guard(id, live)

	under, stop := e.keepLease(ctx, journal)
	defer stop()
	began := e.config.Now()
	outcome, err := e.config.Sandbox.Run(under, sandbox.Execution{
		Code: script.Code, Input: start.Input, Seed: start.Seed, Clock: start.Clock, Zone: start.Zone, Overlap: start.Overlap,
		Limits: rehearsal.LimitsOf(w.Settings.Limits), Affinity: affinity(w.Owner, script.Code), Owner: w.Owner, Ahead: ahead,
	}, host)
	if errors.Is(host.halted, errAstray) || host.halted == nil && err == nil && outcome.Astray {
		return left{}, errAstray
	}
	if moved, is := errors.AsType[*movedError](host.halted); is {
		return left{}, moved
	}
	var suspicion *run.Suspicion
	if errors.Is(host.halted, errSuspected) {
		findings, err := e.closer(under, w, script, eyes, nil)
		if err != nil {
			return left{}, e.delay(ctx, under, journal, err)
		}
		if len(findings) == 0 {
			return left{}, errSuspected
		}
		outcome.Error, suspicion = eyes.stopped(findings)
	} else if host.halted != nil {
		return left{State: journal.State()}, host.halt()
	}
	if err != nil {
		return left{}, e.delay(ctx, under, journal, err)
	}
	says := outcome.Error != nil && suspicion == nil && eyes.explain(outcome.Error, nil, host.idempotent)
	if made := host.unheard(outcome.Error, says); made != nil {
		_ = host.doubt(ctx, sandbox.Call{Tool: made.Tool, Args: made.Args, Effect: sandbox.Write}, made.Seq, time.Time{}, outcome.Error.Status)
		return left{State: journal.State()}, host.halt()
	}
	if _, unrepeated := host.past.Unrepeated(); unrepeated && again != nil && !again.recorded {
		return e.endOvertaken(ctx, journal, host.diverged(nil).Reason)
	} else if unrepeated && outcome.Error == nil {
		outcome.Error = &host.diverged(nil).Reason
	}
	if err := host.begun(ctx); err != nil {
		return left{}, err
	}
	if eyes != nil && outcome.Error == nil {
		made := outcome.Output
		if len(made) == 0 {
			made = json.RawMessage("null")
		}
		done := eyes.run
		done.Outcome = gate.Outcome{Status: "succeeded", Output: made}
		if eyes.write = nil; eyes.suspects(&done) {
			findings, err := e.closer(under, w, script, eyes, made)
			if err != nil {
				return left{}, e.delay(ctx, under, journal, err)
			}
			if len(findings) > 0 {
				outcome.Error, suspicion = eyes.stopped(findings)
			}
		}
		if outcome.Error == nil {
			suspicion = rehearsal.SuspicionOf(eyes.marked)
			eyes.learn()
		}
	}
	if host.side != nil {
		if err := host.side.commit(under, host.seq); err != nil {
			if under.Err() != nil {
				err = e.delay(ctx, under, journal, err)
			}
			return left{}, err
		}
		local = host.side.local
	}
	end := run.End{Suspicion: suspicion, Output: outcome.Output, Usage: run.Usage{
		WallMS: e.config.Now().Sub(began).Milliseconds(), VirtualMS: outcome.VirtualMS, Calls: host.seq, Reused: host.reused,
	}}
	if outcome.Error != nil {
		failed := failureOf(*outcome.Error)
		end.Output, end.Failure, end.Local = nil, &failed, snapshot(local)
	} else if len(end.Output) == 0 {
		end.Output = json.RawMessage("null")
	}
	if err := e.end(ctx, journal, end, outcome.Log); err != nil {
		return left{}, err
	}
	if len(host.touched) > 0 { // nobody sees files that may be gone after a crash
		if err := journal.Flush(ctx); err != nil {
			return left{}, err
		}
	}
	of := left{State: journal.State(), journal: journal}
	if start.ForkedAt == 0 {
		of.keep = func() { e.locals.keep(id, w, local) }
	}
	return of, nil
}

// endOvertaken ends a run that others have overtaken. What it held back comes to nothing.
func (e *Executor) endOvertaken(ctx context.Context, journal *commands.RunJournal, why sandbox.Error) (left, error) {
	failed := failureOf(why)
	if err := e.end(ctx, journal, run.End{Failure: &failed}, nil); err != nil {
		return left{}, err
	}
	return left{State: journal.State(), journal: journal}, nil
}

// delay leaves a run that has no outcome because of the machine, and not of its script: what it did is kept, and it is tried again without
// end. The error says when, if it is not that this node ends or has lost the run.
func (e *Executor) delay(ctx, held context.Context, journal *commands.RunJournal, why error) error {
	if ctx.Err() != nil || errors.Is(why, sandbox.ErrClosed) {
		e.giveAway(ctx, journal)
		return fmt.Errorf("interrupted, its journal is kept and it goes on at the next start: %w", cmp.Or(context.Cause(ctx), why))
	}
	if held.Err() != nil {
		return context.Cause(held)
	}
	problem := why.Error()
	if busy, is := errors.AsType[*sandbox.UnavailableError](why); is {
		problem = busy.Reason
	}
	if err := journal.Record(ctx, run.DelayRun{Problem: problem}); err != nil {
		return err
	}
	if err := journal.Flush(ctx); err != nil {
		return err
	}
	state := journal.State()
	e.config.Logger.Warn("a run waits for the machine", "workflow", state.Workflow, "run", state.Run, "try", state.Delay.Tries, "until", state.Delay.Until, "error", why)
	return delayed(state)
}

// delayed is when a run is tried again that waits for the machine.
func delayed(s run.State) *loop.Wait {
	return &loop.Wait{Until: s.Delay.Until, Tries: s.Delay.Tries, Trouble: fmt.Errorf(
		"run %s waits since %s: %s. It is tried again by itself, and nothing of it is lost", s.Run, s.Delay.Since.Format(time.RFC3339), s.Delay.Problem)}
}

// sameCode says that a version has the code of a script.
func sameCode(w workflow.State, version string, script workflow.Script) bool {
	made, err := workflow.ParseVersion(version)
	of, found := w.Script(made)
	return err == nil && found && of.SHA256 == script.SHA256
}

// affinity is whose runs may use a worker process one after the other: those of the same script, of one owner
// (docs/decisions/sandbox.md#0036).
func affinity(owner, code string) string {
	of := sha256.Sum256([]byte(code))
	return owner + " " + string(of[:])
}

// local is the workflow's keys and files as they are when its run begins, or goes on: what such a run
// wrote in its earlier life only the views know.
func (e *Executor) local(ctx context.Context, id string, w workflow.State, s run.State, first bool) (*hostcall.Memory, error) {
	if s.ForkedAt > 0 {
		return e.localOfFork(ctx, id, s)
	}
	if len(s.Calls) == 0 && (first || !s.HoldsBack) {
		if known, ok := e.locals.take(id, w); ok {
			return known, nil
		}
	}
	return e.config.Local.LocalState(ctx, id)
}

// localOfFork is the keys and files of a fork: as the forked run had them at that point, and what the fork
// has written since. They are folded from the history, as no view has them.
func (e *Executor) localOfFork(ctx context.Context, id string, s run.State) (*hostcall.Memory, error) {
	streams := []string{workflow.Stream(id)}
	for one, err := range e.config.Commands.History(ctx, streams) {
		if err != nil {
			return nil, err
		}
		if admitted, is := one.Event.(workflow.RunAdmitted); is {
			streams = append(streams, run.Stream(admitted.Run))
		}
	}
	var history []event.Recorded
	for one, err := range e.config.Commands.History(ctx, streams) {
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

// end records the end of a run: who settles it has it appended.
func (e *Executor) end(ctx context.Context, journal *commands.RunJournal, end run.End, log []sandbox.LogLine) error {
	if len(log) > 0 {
		if err := journal.Record(ctx, run.WriteLog{Lines: logOf(log)}); err != nil {
			return err
		}
	}
	err := journal.Record(ctx, end)
	if errors.Is(err, commands.ErrTooLarge) {
		err = journal.Record(ctx, run.End{Usage: end.Usage, Failure: &failure.Failure{
			Class: failure.Limit, Name: "LimitError", Code: sandbox.LimitResult,
			Message: fmt.Sprintf("the output is %d bytes, more than the journal takes", len(end.Output)),
		}})
	}
	return err
}

// snapshot is the workflow's own keys and files, for the evidence.
func snapshot(m *hostcall.Memory) *run.Local {
	local := &run.Local{KV: map[string]json.RawMessage{}, Files: map[string]string{}}
	for _, key := range m.Keys("") {
		local.KV[key], _ = m.KV(key)
	}
	for _, path := range m.Files() {
		file, _ := m.File(path)
		local.Files[path] = file.Text
	}
	return local
}

// settle closes the run on the workflow's stream. A failure that would lead to
// maintenance is rehearsed first: what works again needs no repair.
func (e *Executor) settle(ctx context.Context, id string, info workflow.RunInfo, of left) error {
	ended := of.State
	settle := workflow.SettleRun{
		Run: info.Run, Failure: ended.Failure, Writes: ended.Writes(),
		Task: commands.DerivedID(info.Run, "task"), Thread: commands.DerivedID(info.Run, "thread"), Item: commands.DerivedID(info.Run, "item"),
	}
	if s := ended.Suspicion; s != nil {
		settle.Write = s.Write
		for _, one := range s.Suspects {
			settle.Suspects = append(settle.Suspects, workflow.Suspect(one))
		}
	}
	if f := ended.Failure; f != nil {
		settle.Evidence = evidenceLine(*f)
		if of.journal != nil { // what follows may take long
			if err := of.journal.Flush(ctx); err != nil {
				return err
			}
		}
		w, err := e.config.Commands.LoadWorkflow(ctx, id)
		if err != nil {
			return err
		}
		if settle.Refused, err = e.refused(ctx, id, w, info, ended); err != nil {
			return err
		}
		if workflow.NeedsRehearsal(w, info.Run, *f) {
			settle.Rehearsed = workflow.RehearsedReproduced
		}
		if settle.Rehearsed != workflow.RehearsedNone && !failedAtWrite(ended) {
			works, err := e.worksNow(ctx, id, w, info, ended)
			if err != nil {
				return err
			}
			if works {
				settle.Rehearsed = workflow.RehearsedWorks
			}
		}
	}
	if of.journal != nil {
		return e.config.Commands.SettleRunOf(ctx, of.journal, id, settle, e.meta(info.Run, "settle"))
	}
	_, err := e.config.Commands.SettleRun(ctx, id, settle, e.meta(info.Run, "settle"))
	return err
}

// refused says what of a failed run's input the types of main do not take. Types that refuse what has succeeded, too, say nothing.
func (e *Executor) refused(ctx context.Context, id string, w workflow.State, info workflow.RunInfo, failed run.State) (string, error) {
	if failed.Failure.Class != failure.Logic || info.Origin != workflow.TriggerWebhook {
		return "", nil
	}
	refused := e.config.Commands.Refuses(w, info.Version, failed.Input)
	if refused == "" {
		return "", nil
	}
	successes, err := e.config.Recordings.Successes(ctx, id, info.Version.Major)
	if err != nil || len(successes) == 0 {
		return refused, err
	}
	last, err := e.config.Commands.LoadRun(ctx, successes[0])
	if err != nil || e.config.Commands.Refuses(w, info.Version, last.Input) != "" {
		return "", err
	}
	return refused, nil
}

// failedAtWrite says that a write was refused, and the run with it: a rehearsal sends no
// writes, so it cannot tell whether this one would pass now.
func failedAtWrite(s run.State) bool {
	return s.Failure.RefusedWrite() || slices.ContainsFunc(s.Calls, func(call *run.Call) bool {
		return call.Effect == run.EffectWrite && call.Error != nil && call.Error.Message == s.Failure.Message
	})
}

// inTurn has one node at a time rehearse a workflow.
func (e *Executor) inTurn(ctx context.Context, id string, rehearse func(ctx context.Context, id string) error) error {
	do := func(ctx context.Context) error { return rehearse(ctx, id) }
	if e.config.Alone {
		return do(ctx)
	}
	turn := rehearsal.Turn{Commands: e.config.Commands, Now: e.config.Now, Lease: e.config.Lease, Actor: "system:executor"}
	return turn.Do(ctx, id, workflow.WorkRehearsal, do)
}

// rehearse is what is done by the clock, unless it was done meanwhile.
func (e *Executor) rehearse(ctx context.Context, id string) error {
	w, err := e.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	of, at, due := w.RehearsalDue()
	if !due || e.config.Now().Before(at) {
		return nil
	}
	works, err := e.FindWorking(ctx, id)
	if err != nil || works {
		return err
	}
	_, err = e.config.Commands.NoteRehearsal(ctx, id, workflow.NoteRehearsal{Run: of}, e.meta(of, "still fails "+at.UTC().Format(time.RFC3339Nano)))
	return err
}

// FindWorking rehearses what a workflow was handed to a person for, or has a fix that waits for one, on the code that is active. If
// that works now, the workflow goes on.
func (e *Executor) FindWorking(ctx context.Context, id string) (works bool, err error) {
	w, err := e.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return false, err
	}
	of, _, ok := w.Rehearsable()
	if !ok {
		return false, nil
	}
	failed, err := e.config.Commands.LoadRun(ctx, of)
	if err != nil || failedAtWrite(failed) {
		return false, err
	}
	if works, err = e.worksNow(ctx, id, w, workflow.RunInfo{Run: of, Version: w.Active}, failed); err != nil || !works {
		return false, err
	}
	_, err = e.config.Commands.FindWorking(ctx, id, workflow.FindWorking{Run: of}, e.meta(of, "works "+e.config.Now().UTC().Format(time.RFC3339)))
	return err == nil, err
}

// worksNow rehearses the failed run on its own code.
func (e *Executor) worksNow(ctx context.Context, id string, w workflow.State, info workflow.RunInfo, failed run.State) (bool, error) {
	script, found := w.Script(info.Version)
	if !found {
		return false, fmt.Errorf("version %s of workflow %s is not in its history", info.Version, id)
	}
	rehearsed, err := rehearsal.Rehearse(ctx, e.config.Sandbox, rehearsal.Rehearsal{
		Code: script.Code, Run: failed, Past: rehearsal.OnlyWrites(rehearsal.PastOf(failed, rehearsal.Never)), Settings: w.Settings,
		KnownHosts: egress.KnownHosts(ctx, e.config.Recordings, id, w.Active.Major), Reach: egress.OfRun(w, info.Version, egress.OwnPlaces(ctx, e.config.Recordings, id)), Secrets: e.config.Secrets.Of(id), Outside: e.config.Outside, Logger: e.config.Logger,
	})
	if err != nil {
		return false, err
	}
	if rehearsed.Outcome.Error != nil || w.Settings.Guard == workflow.GuardOff {
		return rehearsed.Outcome.Error == nil, nil
	}
	// What is only not noticed does not work.
	g, err := rehearsal.GuardOf(ctx, e.config.Commands, e.config.Sandbox, e.config.Recordings, w, script)
	if err != nil {
		return false, err
	}
	made := rehearsal.RehearsedRun(failed, rehearsed)
	findings, err := g.Look(ctx, &made)
	return !g.Stops(findings), err
}

// evidenceLine says in one line why a failure has its class.
func evidenceLine(f failure.Failure) string {
	from := "thrown by the script"
	switch {
	case f.Code != "":
		from = f.Code
	case f.Status != 0:
		from = fmt.Sprintf("%s answered %d", f.Tool, f.Status)
	case f.Tool != "":
		from = "raised by " + f.Tool
	}
	return fmt.Sprintf("%s: %s (%s)", f.Name, f.Message, from)
}
