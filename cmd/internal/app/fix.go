package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Fixes shows, proves and decides on the fixes of scripts, and says whether repairs go on.
type Fixes struct {
	Commands       *commands.Commands
	Queries        *projections.Queries
	Views          *readmodel.Store
	Now            func() time.Time
	Logger         *slog.Logger
	HandlerQueries *HandlerQueries
	Resolve        *Resolver
	Scripts        *Scripts
	Secrets        *Secrets
}

// Widened carries out what an accepted fix needs of the vault, and says all that it allowed.
func (f *Fixes) Widened(ctx context.Context, id string, result commands.Result) []string {
	var told []string
	for _, one := range result.Events {
		accepted, is := one.Event.(workflow.FixAccepted)
		if !is {
			continue
		}
		for _, host := range accepted.AllowHosts {
			told = append(told, "Allowed from now on: "+host)
		}
		for _, use := range accepted.BindSecrets {
			v, err := f.Secrets.Vault(ctx, false)
			if err == nil {
				err = v.Bind(ctx, use.Name, id, []string{use.Host}, f.Now())
			}
			if err != nil { // the fix is accepted: what is left to do is the person's
				told = append(told, fmt.Sprintf("The secret %s cannot be bound to %s (%v). Set it: kintsugi secret set %s --workflow %s --host %s",
					use.Name, use.Host, err, use.Name, id, use.Host))
				continue
			}
			told = append(told, fmt.Sprintf("The secret %s may be sent to %s from now on", use.Name, use.Host))
		}
	}
	return told
}

// FixView is a fix with what it takes to decide about it.
type FixView struct {
	projections.Fix
	WorkflowTitle string `json:"workflow_title"`
	Diff          string `json:"diff"`
	// Exempt are the recorded successes that are in its way: if one of them was wrong, exempting it
	// lets the gate leave it out.
	Exempt []string `json:"exempt"`
	// Written are the writes that the run that failed had made, which are not made again.
	Written []gate.Write `json:"written"`
	// ToWrite are the writes of the fix that are still to be made when that run goes on with it.
	ToWrite []gate.Write `json:"to_write"`
	// Held is the fix of the workflow that waits now, if that is another one.
	Held string `json:"held,omitempty"`

	BaseCode string `json:"-"` // of the version that it is based on
}

// Get is a fix with what it takes to decide about it.
func (f *Fixes) Get(ctx context.Context, id string) (FixView, error) {
	fix, err := f.Queries.Fix(ctx, id)
	if err != nil {
		return FixView{}, err
	}
	base, err := f.Scripts.Version(ctx, fix.Workflow, []string{fix.Base})
	if err != nil {
		return FixView{}, err
	}
	of, err := f.Queries.Workflow(ctx, fix.Workflow)
	if err != nil {
		return FixView{}, err
	}
	shown := FixView{
		Fix: fix, WorkflowTitle: of.Title, Diff: udiff.Unified(fix.Base, "fix", base.Code, fix.Code), Exempt: []string{}, BaseCode: base.Code,
	}
	if of.HeldFix != id {
		shown.Held = of.HeldFix
	}
	failed, err := f.Commands.LoadRun(ctx, fix.Run)
	if err != nil && !commands.Lost(err) {
		return shown, err
	}
	shown.Written, shown.ToWrite = writtenAndLeft(failed.Calls, fix.Verification)
	if v := fix.Verification; v != nil {
		for _, one := range append([]string{v.Diverges}, v.Unverified...) {
			run, err := f.Queries.Run(ctx, one)
			if err == nil && run.Status == projections.RunSucceeded && run.Exempted == "" {
				shown.Exempt = append(shown.Exempt, one)
			}
		}
	}
	return shown, nil
}

// writtenAndLeft are the writes that a run had made by itself before it failed, and those of its fix that are left: what was
// made already, in its order, is not sent again.
func writtenAndLeft(calls []*run.Call, v *workflow.Verification) (written, left []gate.Write) {
	written, left = []gate.Write{}, []gate.Write{}
	if v != nil && len(v.Writes) > 0 {
		_ = json.Unmarshal(v.Writes, &left) // the gate wrote them
	}
	goesOn := true
	for _, call := range calls {
		if call.Effect != run.EffectWrite || !call.Returned || call.Error != nil {
			continue
		}
		if call.From == "" {
			written = append(written, gate.Write{Tool: call.Tool, Args: call.Args})
		}
		if goesOn = goesOn && len(left) > 0 && left[0].Tool == call.Tool && sandbox.SameArgs(left[0].Args, call.Args); goesOn {
			left = left[1:]
		}
	}
	return written, left
}

// Proof is what became of checking a fix's certificate again.
type Proof struct {
	Fix         string `json:"fix"`
	Holds       bool   `json:"holds"`
	Verdict     string `json:"verdict"` // now
	Recorded    string `json:"recorded"`
	Certificate string `json:"certificate"` // now
	Problem     string `json:"problem,omitempty"`
	// OtherGate says that the fix was judged by another version of the gate: that the
	// certificates differ says nothing about the history.
	OtherGate bool `json:"other_gate,omitempty"`
}

// ProveAgain judges a fix on what was known when it was judged.
func (f *Fixes) ProveAgain(ctx context.Context, id string) (result Proof, err error) {
	fix, err := f.Queries.Fix(ctx, id)
	if err != nil {
		return Proof{}, err
	}
	if fix.Verification == nil || fix.Verification.Certificate == "" {
		return Proof{}, fault.New(fault.Conflict, "fix %s was never judged: there is no certificate to check", id)
	}
	pool, giveBack, err := operations.borrow(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return Proof{}, NotFinished(err)
	}
	defer func() { err = errors.Join(NotFinished(err), giveBack()) }()
	subject, err := f.subjectOf(ctx, fix, pool)
	if err != nil {
		return Proof{}, err
	}
	opened, err := gate.Open(ctx, pool, subject, gate.Options{})
	if err != nil {
		return Proof{}, err
	}
	again, err := opened.Judge(ctx, fix.Code)
	if err != nil {
		return Proof{}, err
	}
	if again.Certificate == "" {
		return Proof{}, fault.New(fault.Conflict, "fix %s could not be judged: %s; try again when the machine is less busy", id, strings.Join(again.Reasons, "; "))
	}
	return proofOf(id, fix.Verification.Certificate, fix.Verification.GateVersion, again), nil
}

// proofOf holds what a fix was judged to be against what the same evidence comes to now.
func proofOf(fix, recorded, judgedBy string, again gate.Judgement) Proof {
	proof := Proof{Fix: fix, Holds: again.Certificate == recorded, Verdict: again.Verdict, Recorded: recorded, Certificate: again.Certificate}
	switch {
	case proof.Holds:
	case judgedBy != again.GateVersion:
		proof.OtherGate = true
		proof.Problem = fmt.Sprintf("it was judged by %s, this program has %s", judgedBy, again.GateVersion)
	default:
		proof.Problem = "the script, a recorded run or the verdict is not what it was"
	}
	return proof
}

// subjectOf is what the gate was given for a fix: the settings of that moment, and the runs
// that the verdict names.
func (f *Fixes) subjectOf(ctx context.Context, fix projections.Fix, runner sandbox.Runner) (gate.Subject, error) {
	state, err := f.stateAt(ctx, fix)
	if err != nil {
		return gate.Subject{}, err
	}
	version, err := workflow.ParseVersion(fix.Base)
	if err != nil {
		return gate.Subject{}, err
	}
	base, found := state.Script(version)
	if !found {
		return gate.Subject{}, fmt.Errorf("version %s of workflow %s is not in its history", version, fix.Workflow)
	}
	failed, err := f.Commands.LoadRun(ctx, fix.Run)
	if err != nil {
		return gate.Subject{}, err
	}
	return maintenance.Subject(ctx, f.Commands, runner, state, base, failed, fix.Verification.Runs, fix.Verification.Exempted)
}

// stateAt folds the workflow up to the verdict on a fix.
func (f *Fixes) stateAt(ctx context.Context, fix projections.Fix) (workflow.State, error) {
	var state workflow.State
	for one, err := range f.Commands.History(ctx, []string{workflow.Stream(fix.Workflow)}) {
		if err != nil {
			return state, err
		}
		if verified, ok := one.Event.(workflow.FixVerified); ok && verified.Proposal == fix.Proposal {
			return state, nil
		}
		state = workflow.Evolve(state, one.Event)
	}
	return state, nil
}

// Withdrawable is the workflow of a fix that can be withdrawn, or the workflow that is named.
func (f *Fixes) Withdrawable(ctx context.Context, reference string) (string, error) {
	proposal, err := f.Resolve.Fix(ctx, reference)
	if fault.KindOf(err) == fault.NotFound {
		id, err := f.Resolve.Workflow(ctx, reference)
		if fault.KindOf(err) == fault.NotFound {
			return "", fault.New(fault.NotFound, "there is no fix and no workflow %q: see 'kintsugi fix list'", reference)
		}
		return id, err
	}
	if err != nil {
		return "", err
	}
	fix, err := f.Queries.Fix(ctx, proposal)
	if err != nil {
		return "", err
	}
	switch fix.State {
	case projections.FixApplied, projections.FixAccepted, projections.FixRegressed:
		return fix.Workflow, nil
	case projections.FixConfirmed:
		return "", fault.New(fault.Conflict, "fix %s is confirmed: go to an earlier version with 'kintsugi script rollback %s VERSION'", proposal, fix.Workflow)
	}
	return "", fault.New(fault.Conflict, "fix %s is not in force, it is %s: nothing can be withdrawn", proposal, fix.State)
}

// AnsweredFix is a fix that a person answered.
type AnsweredFix struct {
	projections.Fix
	Status workflow.Status `json:"status"` // of the workflow
	Active string          `json:"active"`
	Told   []string        `json:"told,omitempty"` // what the answer allowed
	// Position is where a reader has seen the answer, and Repeated that it was given before.
	Position eventlog.Position `json:"-"`
	Repeated bool              `json:"-"`
}

// Accept applies a fix that waits for a person, and allows what it needs.
func (f *Fixes) Accept(ctx context.Context, fix projections.Fix, accept workflow.AcceptFix, meta commands.Meta) (AnsweredFix, error) {
	accept.Proposal = fix.Proposal
	result, err := f.Commands.AcceptFix(ctx, fix.Workflow, accept, meta)
	if err != nil {
		return AnsweredFix{}, err
	}
	shown, err := f.answered(ctx, fix, result)
	shown.Told = f.Widened(ctx, fix.Workflow, result)
	return shown, err
}

// Decline refuses a fix that waits for a person: the workflow is handed to them.
func (f *Fixes) Decline(ctx context.Context, fix projections.Fix, reason string, meta commands.Meta) (AnsweredFix, error) {
	result, err := f.Commands.DeclineFix(ctx, fix.Workflow, workflow.DeclineFix{Proposal: fix.Proposal, Reason: reason}, meta)
	if err != nil {
		return AnsweredFix{}, err
	}
	return f.answered(ctx, fix, result)
}

// Correct sends the maintainer back to work on a fix that waits for a person.
func (f *Fixes) Correct(ctx context.Context, fix projections.Fix, note string, meta commands.Meta) (AnsweredFix, error) {
	result, err := f.Commands.CorrectFix(ctx, fix.Workflow, workflow.CorrectFix{Proposal: fix.Proposal, Note: note}, meta)
	if err != nil {
		return AnsweredFix{}, err
	}
	return f.answered(ctx, fix, result)
}

func (f *Fixes) answered(ctx context.Context, fix projections.Fix, result commands.Result) (shown AnsweredFix, err error) {
	shown.Position, shown.Repeated = result.Position, result.Repeated
	if err := f.Views.WaitFor(ctx, result.Position); err != nil {
		return shown, err
	}
	if shown.Fix, err = f.Queries.Fix(ctx, fix.Proposal); err != nil {
		return shown, err
	}
	of, err := f.Queries.Workflow(ctx, fix.Workflow)
	shown.Status, shown.Active = of.Status, of.Version
	return shown, err
}

// Recheck judges a fix that waits for a person again, on what is so now.
func (f *Fixes) Recheck(ctx context.Context, id string, meta commands.Meta) (shown FixView, err error) {
	fix, err := f.Queries.Fix(ctx, id)
	if err != nil {
		return shown, err
	}
	pool, giveBack, err := operations.borrow(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return shown, NotFinished(err)
	}
	defer func() { err = errors.Join(NotFinished(err), giveBack()) }()
	result, err := f.Rechecker(pool).Recheck(ctx, fix.Workflow, id, meta)
	if err != nil {
		return shown, err
	}
	if err := f.Views.WaitFor(ctx, result.Position); err != nil {
		return shown, err
	}
	return f.Get(ctx, id)
}

// Rechecker judges fixes outside of a repair.
func (f *Fixes) Rechecker(pool sandbox.Runner) *maintenance.Rechecker {
	return &maintenance.Rechecker{Commands: f.Commands, Sandbox: pool, Recordings: f.HandlerQueries, Secrets: f.Secrets.Value, Now: f.Now, Logger: f.Logger}
}

// SuggestedFix is what became of a fix that came from outside.
type SuggestedFix struct {
	Workflow string `json:"workflow"`
	// Became is applied, held (it waits for a person) or refused (the gate let it not through: nothing was changed).
	Became       string                `json:"became"`
	Fix          string                `json:"fix,omitempty"` // its id, unless it was refused
	Version      string                `json:"version,omitempty"`
	Base         string                `json:"base"`
	Reasons      []string              `json:"reasons,omitempty"` // why it waits
	Verification workflow.Verification `json:"verification"`
	Status       workflow.Status       `json:"status"` // of the workflow

	Position eventlog.Position `json:"-"`
	Repeated bool              `json:"-"`
}

// The outcomes of a suggested fix.
const (
	SuggestionApplied = "applied"
	SuggestionHeld    = "held"
	SuggestionRefused = "refused"
)

// Suggest puts a fix from outside through the gate, and what passes to the workflow. An empty base is the version
// that is active.
func (f *Fixes) Suggest(ctx context.Context, id, base string, fix workflow.SuggestFix, meta commands.Meta) (shown SuggestedFix, err error) {
	state, err := f.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return shown, err
	}
	if fix.Base = state.Active; base != "" {
		if fix.Base, err = workflow.ParseVersion(base); err != nil {
			return shown, fault.New(fault.Invalid, "%w", err)
		}
	}
	if why, err := f.repairsStopped(ctx); err != nil || why != "" {
		return shown, cmp.Or(err, fault.New(fault.Conflict, "%s", why))
	}
	pool, giveBack, err := operations.borrow(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return shown, NotFinished(err)
	}
	defer func() { err = errors.Join(NotFinished(err), giveBack()) }()
	fix.By = meta.Actor
	verification, result, err := f.Rechecker(pool).Suggest(ctx, id, fix, meta)
	if err != nil {
		return shown, err
	}
	shown = SuggestedFix{
		Workflow: id, Became: SuggestionRefused, Base: fix.Base.String(), Verification: verification,
		Position: result.Position, Repeated: result.Repeated,
	}
	for _, one := range result.Events {
		switch e := one.Event.(type) {
		case workflow.FixVerified:
			shown.Fix, shown.Verification = e.Proposal, e.Verification
		case workflow.FixHeld:
			shown.Became, shown.Reasons = SuggestionHeld, e.Reasons
		case workflow.FixApplied:
			shown.Became, shown.Version = SuggestionApplied, e.Version.String()
		}
	}
	state, err = f.Commands.LoadWorkflow(ctx, id)
	shown.Status = state.Status
	return shown, err
}

// Withdrawn is what a withdrawal came to.
type Withdrawn struct {
	Workflow  string          `json:"workflow"`
	Withdrawn []string        `json:"withdrawn"` // versions, the oldest first
	Active    string          `json:"active"`
	Status    workflow.Status `json:"status"`
}

// Withdraw takes back what was applied to a workflow and not confirmed.
func (f *Fixes) Withdraw(ctx context.Context, id, reason string, meta commands.Meta) (Withdrawn, commands.Result, error) {
	shown := Withdrawn{Workflow: id, Withdrawn: []string{}}
	result, err := f.Commands.WithdrawFixes(ctx, id, workflow.WithdrawFixes{Reason: reason}, meta)
	if err != nil {
		return shown, result, err
	}
	for _, one := range result.Events {
		if escalated, is := one.Event.(workflow.Escalated); is {
			shown.Active = escalated.Active.String()
			for _, v := range escalated.Withdrawn {
				shown.Withdrawn = append(shown.Withdrawn, v.String())
			}
		}
	}
	state, err := f.Commands.LoadWorkflow(ctx, id)
	shown.Status = state.Status
	return shown, result, err
}
