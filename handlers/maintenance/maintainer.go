package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// MaintainerConfig is what a Maintainer needs. All of it.
type MaintainerConfig struct {
	Commands *commands.Commands
	Sandbox  sandbox.Runner
	// Fixers by the name that settings use, and [FixerGroup], which no setting names.
	Fixers     map[string]repair.Fixer
	Logger     *slog.Logger
	Recordings egress.Recordings
	// Secrets gives the value of a secret that a workflow may send to a host. Nil means none.
	Secrets egress.Secrets
	Outside egress.Outside
	// Semaphore is shared with the planner. Nil is one for maintainers only.
	Semaphore *loop.Semaphore
	// Allowance says whether repairs go on at all. Nil means that they do.
	Allowance agents.Allowance
	Place     agents.Place
}

// Maintainer works on open maintainer tasks: it loads the evidence, lets fixers propose,
// and hands the gate's verdict to the workflow, which decides.
type Maintainer struct {
	config     MaintainerConfig
	closed     sync.Map // the newest task of a workflow that is over, and whose thread was seen closed
	unfinished sync.Map // by workflow and what is done there, the [unfinished] of it
}

// NewMaintainer panics if a dependency is missing: that is a mistake in the wiring.
func NewMaintainer(config MaintainerConfig) *Maintainer {
	if config.Commands == nil || config.Sandbox == nil || len(config.Fixers) == 0 || config.Place.Now == nil || config.Logger == nil || config.Recordings == nil {
		panic("maintenance: NewMaintainer without a dependency")
	}
	return &Maintainer{config: config}
}

// Name implements [loop.Reaction].
func (m *Maintainer) Name() string { return "maintainer" }

// Semaphore implements [loop.Limited].
func (m *Maintainer) Semaphore() *loop.Semaphore { return m.config.Semaphore }

// Due implements [loop.Reaction]: the open task, unless it waits for a person or the planner and nothing
// better is looked for; proposals that a crash or a race left without a verdict after their task was closed;
// the thread of the newest task that is over, once in a life of this process; and marked successes that a later
// version has not been asked about.
func (m *Maintainer) Due(id string, s workflow.State) []loop.Work {
	var due []loop.Work
	if s.Maintenance == nil {
		m.unfinished.Delete(id + mending)
	}
	for _, proposal := range s.Undecided {
		if p, found := s.Proposal(proposal); found && (s.Maintenance == nil || p.Task != s.Maintenance.Task) {
			due = append(due, loop.Work{Key: proposal, Do: func(ctx context.Context) error { return m.overtaken(ctx, id, proposal) }})
		}
	}
	if s.Over != nil {
		if seen, known := m.closed.Load(id); !known || seen != s.Over.Task {
			over := *s.Over
			// The key is that of the task, so that this waits until the task's own work has ended.
			due = append(due, loop.Work{Key: over.Task, Do: func(ctx context.Context) error { return m.closeThread(ctx, id, over) }})
		}
	}
	if marked := s.ToReview(); len(marked) > 0 {
		due = append(due, loop.Work{Key: "marked " + marked[0].Run, Do: func(ctx context.Context) error {
			return m.finish(id+reviewing, marked[0].Run, func() error { return m.review(ctx, id) })
		}})
	}
	if s.MaintainerWanted() || s.BetterWanted() {
		task := s.Maintenance.Task
		due = append(due, loop.Work{
			Key: task, Do: func(ctx context.Context) error {
				return m.finish(id+mending, task, func() error { return m.mend(ctx, id, task) })
			},
			Broken: func(ctx context.Context, problem string) error { return m.broken(ctx, id, task, problem) },
		})
	}
	return due
}

// closeThread closes the thread of a task that is over, if that was not done: its work was interrupted, or a person
// ended it.
func (m *Maintainer) closeThread(ctx context.Context, id string, over workflow.TaskOver) error {
	claimed, err := agents.Claim(ctx, m.config.Commands, over.Thread, m.config.Place, commands.Meta{
		CorrelationID: over.Run, CausationID: over.Task, Actor: "maintainer:" + over.Task,
	})
	switch {
	case fault.KindOf(err) == fault.NotFound: // nobody had begun
	case err != nil:
		return err
	case !claimed.Closed():
		if err := claimed.Close(ctx, over.Outcome); err != nil {
			return err
		}
	}
	m.closed.Store(id, over.Task)
	return nil
}

// overtaken records that a proposal is stale. A proposal that was never judged needs no verdict.
func (m *Maintainer) overtaken(ctx context.Context, id, proposal string) error {
	_, err := m.config.Commands.JudgeFix(ctx, id, workflow.JudgeFix{Proposal: proposal}, commands.Meta{
		CommandID: commands.DerivedID(proposal, "overtaken"), CorrelationID: proposal, CausationID: proposal, Actor: "system:maintainer",
	})
	return err
}

// job is one look at a task: everything the maintainer knows of it.
type job struct {
	*Maintainer
	id       string
	state    workflow.State
	open     workflow.Maintenance
	round    string // counts corrections by a person, so that each has ids of its own
	failed   run.State
	base     workflow.Script
	subject  gate.Subject
	evidence repair.Evidence
	thread   *agents.Thread
	walk     *walk
	tried    []repair.Judged // in this life
	once     bool            // a rehearsal is not made again later: somebody waits for the verdict
	unheard  string          // in words, if a model was not heard whose answer is not waited for
}

// unfinished is what is kept of something until it is taken up again.
type unfinished struct {
	of     string                    // the task, or what a review begins with
	wait   *loop.Wait                // if the machine had no time for it
	judged map[string]gate.Judgement // by evidence and code
	late   int                       // how often a program that proposes fixes took too long
}

// The work that can be unfinished.
const (
	mending   = " the repair"
	reviewing = " the review of marked runs"
)

// kept is what was kept in this life.
func (m *Maintainer) kept(key, of string) *unfinished {
	known, _ := m.unfinished.LoadOrStore(key, &unfinished{})
	kept, _ := known.(*unfinished)
	if kept.of != of {
		*kept = unfinished{of: of, judged: map[string]gate.Judgement{}}
	}
	return kept
}

// The pause until something is taken up again for which the machine had no time: twice as long each time.
const (
	firstBusy = 5 * time.Second
	lastBusy  = 5 * time.Minute
)

// finish has something wait for which the machine has no time. A busy machine says nothing about the script, so nothing follows from it.
func (m *Maintainer) finish(key, of string, do func() error) error {
	kept, now := m.kept(key, of), m.config.Place.Now()
	if kept.wait != nil && now.Before(kept.wait.Until) {
		return kept.wait // an event that changes nothing came before its time
	}
	err := do()
	busy, is := errors.AsType[*sandbox.UnavailableError](err)
	if err == nil {
		m.unfinished.Delete(key)
	}
	if !is {
		kept.wait = nil
		if wait, waits := errors.AsType[*loop.Wait](err); waits && wait.Trouble != nil {
			kept.wait = wait
		}
		return err
	}
	tries := 1
	if kept.wait != nil {
		tries += kept.wait.Tries
	}
	until := m.config.Place.Now().Add(min(firstBusy<<min(tries-1, 10), lastBusy))
	workflow, what, _ := strings.Cut(key, " ")
	m.config.Logger.Warn("work waits for the machine", "workflow", workflow, "what", what, "of", of, "try", tries, "until", until, "error", err)
	kept.wait = &loop.Wait{Until: until, Tries: tries, Trouble: fmt.Errorf(
		"%s is not finished: %s. It is taken up again at %s, and then less and less often, but at least every 5 minutes; what was judged is kept",
		what, busy.Reason, until.UTC().Format(time.RFC3339))}
	return kept.wait
}

func (m *Maintainer) mend(ctx context.Context, id, task string) error {
	if err := m.allowed(ctx, id); err != nil {
		return err
	}
	j, err := m.prepare(ctx, id, task)
	if err != nil || j == nil {
		return err
	}
	if err := j.modelDue(ctx); err != nil {
		return err
	}
	if err := j.openThread(ctx); err != nil {
		return err
	}
	ctx, stop := j.thread.Keep(ctx)
	defer stop()
	if err := j.openGate(ctx); err != nil {
		return err
	}
	j.evidence.Failure = j.failureFrames()
	if err := j.say(ctx, "user", j.brief(), "brief"); err != nil {
		return err
	}
	result, err := repair.Mend(ctx, j.walk, j.evidence, j.fixers()...)
	if err != nil {
		return fmt.Errorf("maintenance.Maintainer: task %s: %w", task, err)
	}
	return j.conclude(ctx, result)
}

// broken hands a task to a person whose repair panicked: it would do so again.
func (m *Maintainer) broken(ctx context.Context, id, task, problem string) error {
	_, err := m.config.Commands.EndMaintenance(ctx, id, workflow.EndMaintenance{
		Task: task, Broken: true, Explanation: "Kintsugi itself failed at this repair, which says nothing about the script: " + problem + ". Mend it by hand, or report this text.",
	}, commands.Meta{CommandID: commands.DerivedID(task, "broken"), CausationID: task, Actor: "maintainer:" + task})
	return err
}

// prepare loads the evidence. It gives nil if the task was left meanwhile.
func (m *Maintainer) prepare(ctx context.Context, id, task string) (*job, error) {
	state, err := m.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return nil, err
	}
	if state.Maintenance == nil || state.Maintenance.Task != task || !state.MaintainerWanted() && !state.BetterWanted() {
		return nil, nil
	}
	j := &job{Maintainer: m, id: id, state: state, open: *state.Maintenance, round: strconv.Itoa(len(state.Maintenance.Corrections))}
	if j.asking(state) {
		return nil, &loop.Wait{}
	}
	var found bool
	if j.base, found = state.Script(j.open.Base); !found {
		return nil, fmt.Errorf("maintenance.Maintainer: version %s of workflow %s is not in its history", j.open.Base, id)
	}
	if j.failed, err = m.config.Commands.LoadRun(ctx, j.open.Run); err != nil {
		return nil, err
	}
	if j.subject, err = m.loadSubject(ctx, state, j.base, j.failed); err != nil {
		return nil, err
	}
	j.evidence = repair.Evidence{
		Title: state.Title, Intent: state.Intent, Zone: state.Zone, Code: j.base.Code, Version: j.base.Version.String(),
		Changelog: changelog(state, j.base.Version), Failed: j.subject.Failed, Successes: j.subject.Successes,
	}
	return j, nil
}

// loadSubject is what the gate judges a proposal against: the failing run, and every
// recorded success of the major that no person exempted.
func (m *Maintainer) loadSubject(ctx context.Context, state workflow.State, base workflow.Script, failed run.State) (gate.Subject, error) {
	successes, err := m.config.Recordings.Successes(ctx, state.ID, base.Version.Major)
	if err != nil {
		return gate.Subject{}, fmt.Errorf("maintenance.Maintainer: list recorded successes: %w", err)
	}
	slices.Reverse(successes) // the gate takes the oldest first
	kept := slices.DeleteFunc(slices.Clone(successes), func(run string) bool { return !state.IsEvidence(run) })
	return Subject(ctx, m.config.Commands, m.config.Sandbox, state, base, failed, kept, len(successes)-len(kept))
}

// Subject loads what the gate needs of a failed run, of the code that failed, and of recorded
// successes, the oldest first. The runner is for the guard, without which a run that it stopped fails in no replay.
func Subject(
	ctx context.Context, c *commands.Commands, runner sandbox.Runner, state workflow.State, base workflow.Script,
	failed run.State, successes []string, exempted int,
) (gate.Subject, error) {
	subject := gate.Subject{
		Code: base.Code, Version: base.Version.String(), Zone: state.Zone, Failed: rehearsal.RecordedRun(failed),
		Allowed: state.Settings.AllowedHosts, Exempted: exempted,
	}
	if first, found := state.FirstOfMajor(base.Version.Major); found {
		subject.FirstCode = first.Code
	}
	for _, id := range successes {
		recorded, err := c.LoadRun(ctx, id)
		if commands.Lost(err) {
			continue // it proves nothing any more, and must not stop every repair
		}
		if err != nil {
			return gate.Subject{}, fmt.Errorf("maintenance: load recorded success %s: %w", id, err)
		}
		subject.Successes = append(subject.Successes, rehearsal.RecordedRun(recorded))
	}
	if failed.Failure != nil && failed.Failure.Code == failure.CodeSuspected {
		subject.Guard = rehearsal.GuardBy(runner, state, base.Code, subject.Successes).Judge
	}
	return subject, nil
}

// changelog is the minors before this version in its major, newest first.
func changelog(s workflow.State, v workflow.Version) []gate.Change {
	var changes []gate.Change
	for _, script := range slices.Backward(s.Versions) {
		if script.Version.Major == v.Major && script.Version.Compare(v) <= 0 {
			changes = append(changes, gate.Change{Version: script.Version.String(), Comment: script.Comment})
		}
	}
	return changes
}

// failureFrames is the failure with its places in the source: from the reproduction, because the
// journal holds the stack as text only.
func (j *job) failureFrames() sandbox.Error {
	if reproduced := j.walk.Failing(); reproduced.Outcome.Error != nil {
		return *reproduced.Outcome.Error
	}
	f := j.failed.Failure
	return sandbox.Error{Class: string(f.Class), Name: f.Name, Code: f.Code, Message: f.Message, Stack: f.Stack, Tool: f.Tool, Status: f.Status, Body: f.Body}
}

func (j *job) meta(parts ...string) commands.Meta {
	return commands.Meta{
		CommandID:     commands.DerivedID(append([]string{j.open.Task, j.round}, parts...)...),
		CorrelationID: j.open.Run, CausationID: j.open.Task, Actor: "maintainer:" + j.open.Task,
	}
}

// openThread opens the task's thread, if that is not done, and claims it.
func (j *job) openThread(ctx context.Context) error {
	by := commands.Meta{
		CommandID: commands.DerivedID(j.open.Task, "thread"), CorrelationID: j.open.Run, CausationID: j.open.Task, Actor: "maintainer:" + j.open.Task,
	}
	_, err := j.config.Commands.OpenThread(ctx, thread.Open{
		Thread: j.open.Thread, Workflow: j.id, Kind: thread.KindMaintainer, Task: j.open.Task,
		Title: fmt.Sprintf("%s: %s", j.open.Failure.Name, j.open.Failure.Message),
	}, by)
	if err != nil {
		return err
	}
	j.thread, err = agents.Claim(ctx, j.config.Commands, j.open.Thread, j.config.Place, by)
	return err
}

// brief is the maintainer's task in words, for readers of the thread.
func (j *job) brief() string {
	var text strings.Builder
	fmt.Fprintf(&text, "Run %s of version %s failed: %s: %s (fix %d of %d).\n", j.open.Run, j.base.Version, j.open.Failure.Name, j.open.Failure.Message, j.open.Attempt, j.open.Budget)
	fmt.Fprintf(&text, "\nIntent: %s\n\nEvidence: %d calls of the failed run, %d recorded successes, %d further failures attached.\n",
		j.state.Intent, len(j.failed.Calls), len(j.subject.Successes), len(j.open.Attached))
	if stack := j.evidence.Failure.Stack; stack != "" {
		fmt.Fprintf(&text, "\n```\n%s\n```\n", stack)
	}
	if n := len(j.open.Corrections); n > 0 {
		fmt.Fprintf(&text, "\nA person asked for a correction: %s\n", j.open.Corrections[n-1].Note)
	}
	return text.String()
}

func (j *job) say(ctx context.Context, role, text, step string) error {
	return j.thread.Say(ctx, role, text, j.round+"/"+step)
}

// conclude hands in the result. The workflow decides what follows from it; the task may be over then.
func (j *job) conclude(ctx context.Context, result repair.Result) error {
	if err := j.allowed(ctx); err != nil {
		return err
	}
	if err := j.thread.Still(ctx); err != nil {
		return err
	}
	if err := j.dropOthers(ctx, result); err != nil {
		return err
	}
	if err := j.handIn(ctx, result); err != nil {
		return err
	}
	state, err := j.config.Commands.LoadWorkflow(ctx, j.id)
	if err != nil || state.Over == nil || state.Over.Task != j.open.Task {
		return err
	}
	return j.thread.Close(ctx, state.Over.Outcome)
}

// handIn is a fix and its verdict, or that there is none, or none better than what waits for a person.
func (j *job) handIn(ctx context.Context, result repair.Result) error {
	switch {
	case j.open.Held != nil && j.keeps(result):
		return j.heard(ctx, result)
	case result.Best == nil:
		return j.giveUp(ctx, result.Explanation)
	}
	return j.propose(ctx, result)
}

// giveUp hands the workflow to a person, with the last word on why.
func (j *job) giveUp(ctx context.Context, explanation string) error {
	if err := j.say(ctx, "assistant", explanation, "conclusion"); err != nil {
		return err
	}
	_, err := j.config.Commands.EndMaintenance(ctx, j.id, workflow.EndMaintenance{Task: j.open.Task, Explanation: explanation}, j.meta("end"))
	return err
}

// propose submits the best candidate and the verdict on it.
func (j *job) propose(ctx context.Context, result repair.Result) error {
	best := result.Best.Candidate
	proposal := j.proposalID(best.Code)
	proposed, err := j.config.Commands.ProposeFix(ctx, j.id, workflow.ProposeFix{
		Proposal: proposal, Task: j.open.Task, Code: best.Code, Comment: best.Comment,
		Fixer: workflow.Fixer{Kind: best.Fixer, Version: best.Template, Detail: best.Detail},
	}, j.meta("propose", proposal))
	if err != nil || overtaken(proposed.Events) {
		return err
	}
	judge, err := j.verdict(ctx, proposal, result)
	if err != nil {
		return err
	}
	if j.unheard == "" { // else the model's word is still to come
		if err := j.say(ctx, "assistant", best.Comment, "conclusion/"+proposal); err != nil {
			return err
		}
	}
	_, err = j.config.Commands.JudgeFix(ctx, j.id, judge, j.meta("judge", proposal))
	return err
}

// overtaken says that a proposal came too late: it needs no verdict.
func overtaken(events []event.Recorded) bool {
	return slices.ContainsFunc(events, func(e event.Recorded) bool { _, stale := e.Event.(workflow.FixRejectedStale); return stale })
}

// verdict is what the gate says of the best candidate, with what a rehearsal adds where it cannot tell.
func (j *job) verdict(ctx context.Context, proposal string, result repair.Result) (workflow.JudgeFix, error) {
	best := result.Best
	v := VerificationOf(best.Judgement)
	v.Exempted = j.subject.Exempted
	v.Reasons = mergeReasons(v.Reasons, result.Reasons)
	v.Doubts = best.Candidate.Doubts
	walked := best.Judgement.Verdict == gate.Identical && len(j.walk.live) > 0
	if walked { // what nobody recorded is a part of this proof
		v.Verdict = workflow.VerdictUnverifiable
	}
	if walked || best.Judgement.Verdict == gate.Unverifiable && best.Judgement.Rehearsable {
		var err error
		if v.Rehearsal, _, err = j.walk.rehearse(ctx, best.Candidate.Code); err != nil {
			return workflow.JudgeFix{}, err
		}
	}
	judge := workflow.JudgeFix{Proposal: proposal, ScriptID: commands.DerivedID(proposal, "script"), Verification: v, Unheard: j.unheard}
	if result.Held || v.Rehearsal != nil && !v.Rehearsal.Succeeded {
		// Where the evidence between the candidates is clear, there is nothing to choose.
		judge.Alternatives = alternatives(result.Alternatives)
	}
	return judge, nil
}

// keeps says that the fix which waits for a person is still the best there is.
func (j *job) keeps(result repair.Result) bool {
	return result.Best == nil || j.proposalID(result.Best.Candidate.Code) == j.open.Held.Proposal
}

// heard says of a held fix that the fixer which could not be asked before has nothing better, with the alternatives
// that it found.
func (j *job) heard(ctx context.Context, result repair.Result) error {
	recheck := workflow.RecheckFix{Proposal: j.open.Held.Proposal, Heard: true, Alternatives: alternatives(result.Alternatives)}
	held, _ := j.state.Proposal(recheck.Proposal)
	if held.Verification != nil {
		recheck.Verification = *held.Verification
	}
	_, err := j.config.Commands.RecheckFix(ctx, j.id, recheck, j.meta("heard", recheck.Proposal))
	return err
}

func (j *job) proposalID(code string) string {
	return commands.DerivedID(j.open.Task, j.round, "proposal", code)
}

// dropOthers rejects proposals of this task that were left without a verdict by a crash and
// that the search, made again, does not choose.
func (j *job) dropOthers(ctx context.Context, result repair.Result) error {
	for _, id := range j.state.Undecided {
		p, found := j.state.Proposal(id)
		if !found || p.Task != j.open.Task || (result.Best != nil && id == j.proposalID(result.Best.Candidate.Code)) {
			continue
		}
		_, err := j.config.Commands.JudgeFix(ctx, j.id, workflow.JudgeFix{Proposal: id, Verification: workflow.Verification{
			Verdict: workflow.VerdictDifferent, GateVersion: gate.GateVersion,
			Divergence: "the search was interrupted, and made again it chose another candidate",
		}}, j.meta("drop", id))
		if err != nil {
			return err
		}
	}
	return nil
}

// How long a rehearsal waits for a host that does not answer before a person decides without it.
const (
	rehearsalPatience = 2 * time.Hour
	rehearsalAgain    = 30 * time.Second // at least; and as long as it has waited, up to the most
	rehearsalMost     = 15 * time.Minute
)

// waitsFor says when a rehearsal is made again that failed because a host did not answer: that says
// nothing about the fix. Nil if it counts.
func (j *job) waitsFor(failed *sandbox.Error) error {
	if failure.Class(failed.Class) != failure.Network || j.once || j.open.Held != nil {
		return nil
	}
	now := j.config.Place.Now()
	waited := rehearsalPatience
	if times := j.state.RepairTimes; len(times) > 0 { // the newest is this repair's
		waited = now.Sub(times[len(times)-1])
	}
	if waited >= rehearsalPatience {
		return nil
	}
	return &loop.Wait{Until: now.Add(min(max(waited, rehearsalAgain), rehearsalMost))}
}
