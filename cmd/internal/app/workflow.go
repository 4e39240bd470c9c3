package app

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Workflows makes, changes and deletes workflows.
type Workflows struct {
	Dir      string
	Commands *commands.Commands
	Queries  *projections.Queries
	Views    *readmodel.Store
	Now      func() time.Time
	Fixes    *Fixes
	Runs     *Runs
	Secrets  *Secrets
}

// CheckZone refuses what is not a time zone before it is stored.
func CheckZone(name string) error {
	_, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return fault.New(fault.Invalid, "--zone %q is not a time zone: use a name like Europe/Berlin", name)
	}
	return nil
}

// ChangeHosts adds hosts to an allow-list and takes others out.
func ChangeHosts(hosts, add, remove []string) []string {
	var changed []string
	seen := map[string]bool{}
	for _, host := range remove {
		seen[host] = true
	}
	for _, host := range append(append([]string{}, hosts...), add...) {
		if !seen[host] {
			seen[host] = true
			changed = append(changed, host)
		}
	}
	return changed
}

// AllowHosts adds hosts to those that a workflow may reach.
func (w *Workflows) AllowHosts(ctx context.Context, meta func() commands.Meta, id string, hosts []string) error {
	if len(hosts) == 0 {
		return nil
	}
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	settings := state.Settings
	settings.AllowedHosts = ChangeHosts(settings.AllowedHosts, hosts, nil)
	_, err = w.Commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: settings}, meta())
	return err
}

// WorkflowView is a workflow as people look at it: what it is, and what happened last.
type WorkflowView struct {
	projections.Workflow
	ScheduleWords string                     `json:"schedule_words" doc:"When it runs, to go on after 'it runs': every weekday at 09:00"`
	Queued        []projections.QueuedInput  `json:"queued"`   // inputs that wait
	Triggers      []projections.EventTrigger `json:"triggers"` // what starts it, and what it starts
	Repairs       []projections.Thread       `json:"repairs"`
	Notifications []projections.Notification `json:"notifications"`
	// Stopped is why its repair waits, if it cannot go on now.
	Stopped string `json:"repairs_stopped,omitempty"`
	// Unfinished are runs that failed half done, and that nothing has gone on with.
	Unfinished []Unfinished `json:"unfinished"`
	// Unreadable is why its stream cannot be read, if it cannot.
	Unreadable string `json:"unreadable,omitempty"`
}

// Get is a workflow as people look at it.
func (w *Workflows) Get(ctx context.Context, id string) (shown WorkflowView, err error) {
	if shown.Workflow, err = w.Queries.Workflow(ctx, id); err != nil {
		return shown, err
	}
	shown.ScheduleWords = schedule.Words(shown.Schedule)
	if shown.Repairs, err = w.Queries.Threads(ctx, id, projections.KindMaintainer); err != nil {
		return shown, err
	}
	if shown.Notifications, err = w.Queries.Notifications(ctx, projections.NotificationFilter{Workflow: id, Open: true, Operator: true}); err != nil {
		return shown, err
	}
	if shown.Queued, err = w.Queries.QueuedInputs(ctx, id); err != nil {
		return shown, err
	}
	if shown.Triggers, err = w.Queries.EventTriggers(ctx, id); err != nil {
		return shown, err
	}
	repair := ""
	if shown.Status == workflow.StatusMaintenance && len(shown.Repairs) > 0 {
		repair = shown.Repairs[0].ID
	}
	if shown.Stopped, err = w.Fixes.RepairWaits(ctx, shown.Owner, repair); err != nil {
		return shown, err
	}
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		shown.Unreadable = err.Error()
	}
	shown.Unfinished = UnfinishedOf(state)
	place := map[string]int{}
	for i, one := range state.Queue {
		place[one.Run] = i
	}
	slices.SortStableFunc(shown.Queued, func(a, b projections.QueuedInput) int { return place[a.Run] - place[b.Run] })
	return shown, nil
}

// RetriedInputs is how many inputs of a workflow, and runs that waited for their retry, are tried again.
type RetriedInputs struct {
	Workflow string `json:"workflow"`
	Inputs   int    `json:"inputs"`
}

// RetryInputs has the inputs of a workflow whose runs failed be tried again, in order.
func (r *Runs) RetryInputs(ctx context.Context, meta commands.Meta, id string) (shown RetriedInputs, result commands.Result, err error) {
	if result, err = r.Commands.RetryInputs(ctx, id, meta); err != nil {
		return shown, result, err
	}
	state, err := r.Commands.LoadWorkflow(ctx, id)
	shown.Inputs = len(state.Retries)
	for _, one := range state.Queue {
		if one.Waits != "" {
			shown.Inputs++
		}
	}
	shown.Workflow = id
	return shown, result, err
}

// LeftInput is an input that a person gave up.
type LeftInput struct {
	Workflow string `json:"workflow"`
	Run      string `json:"run"` // that it would have become, or that failed
	Note     string `json:"note,omitempty"`
}

// LeaveInput gives up an input that waits, also if it never became a run: that is its outcome.
func (r *Runs) LeaveInput(ctx context.Context, meta commands.Meta, run, note string) (LeftInput, commands.Result, error) {
	waits, err := r.Fixes.Resolve.Input(ctx, run)
	if err != nil {
		return LeftInput{}, commands.Result{}, err
	}
	result, err := r.Commands.LeaveRun(ctx, waits.Workflow, workflow.LeaveRun{Run: run, Note: note}, meta)
	return LeftInput{Workflow: waits.Workflow, Run: run, Note: note}, result, err
}

// SwitchedOn is a workflow that was switched on, and what is on now.
type SwitchedOn struct {
	projections.Workflow
	SwitchedOn *egress.Account `json:"switched_on,omitempty"`
	GoOn       []Unfinished    `json:"go_on,omitempty"` // half-done runs that go on where they stopped
}

// FirstScript is what a new workflow begins with; without code it has no script yet.
type FirstScript struct {
	ID, Code string
	Draft    bool // it is not activated yet
}

// CheckTitle refuses a title for a workflow that another one has, among those of an owner, or among all. Archived ones take no
// part in it. Two people who name one at once are not kept apart: it is a help, and no invariant.
func (w *Workflows) CheckTitle(ctx context.Context, id, title, owner string) error {
	if err := w.Views.CatchUp(ctx); err != nil {
		return err
	}
	same, err := w.Queries.Titled(ctx, strings.TrimSpace(title), owner)
	if err != nil {
		return err
	}
	for _, one := range same {
		if one.ID != id { // the same command may come twice
			return fault.New(fault.Conflict, "a workflow is called %q already: %s. Save your script into that one (kintsugi script save %s --file SCRIPT), or choose another title",
				one.Title, one.ID, one.ID)
		}
	}
	return nil
}

// Begin makes a workflow without a script, that may reach some hosts and for which commands follow. It makes none if one of all
// that is refused.
func (w *Workflows) Begin(ctx context.Context, meta func() commands.Meta, create workflow.Create, hosts []string, follow ...workflow.Command) error {
	all := []workflow.Command{create}
	if len(hosts) > 0 {
		all = append(all, workflow.ChangeSettings{Settings: workflow.Settings{AllowedHosts: ChangeHosts(nil, hosts, nil)}})
	}
	asked := meta()
	if err := w.Commands.Foresee(ctx, asked, workflow.State{}, append(all, follow...)...); err != nil {
		return err
	}
	if _, err := w.Commands.CreateWorkflow(ctx, create, asked); err != nil {
		return err
	}
	return w.AllowHosts(ctx, meta, create.ID, hosts)
}

// Edit changes what a workflow is called, if no other one is called so, and what it is for. Nil stays as it is. The title of an
// archived one is nobody's business.
func (w *Workflows) Edit(ctx context.Context, id string, title, intent *string, owner string, meta commands.Meta) (commands.Result, error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return commands.Result{}, err
	}
	change := workflow.ChangeIntent{Intent: state.Intent}
	if intent != nil {
		change.Intent = *intent
	}
	if title != nil {
		if change.Title = *title; state.Status != workflow.StatusArchived {
			if err := w.CheckTitle(ctx, id, *title, owner); err != nil {
				return commands.Result{}, err
			}
		}
	}
	return w.Commands.ChangeIntent(ctx, id, change, meta)
}

// Restore takes a workflow out of the archive, if no other one is called so by now.
func (w *Workflows) Restore(ctx context.Context, id, owner string, meta commands.Meta) (commands.Result, error) {
	state, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return commands.Result{}, err
	}
	if err := w.CheckTitle(ctx, id, state.Title, owner); err != nil && state.Status == workflow.StatusArchived {
		return commands.Result{}, fmt.Errorf("%w, for the archived one: kintsugi workflow edit %s --title TITLE", err, id)
	}
	return w.Commands.RestoreWorkflow(ctx, id, workflow.Restore{}, meta)
}

// Create makes a workflow, with its first script if there is one. Each command has a meta of its own.
func (w *Workflows) Create(ctx context.Context, meta func() commands.Meta, create workflow.Create, first FirstScript, settings workflow.Settings) (made SwitchedOn, err error) {
	set := workflow.ChangeSettings{Settings: settings}
	save := workflow.SaveScript{ScriptID: first.ID, Code: first.Code, Comment: "first version", Origin: workflow.OriginPerson}
	if save.Packages, err = PackagesOf(ctx, first.Code); err != nil {
		return made, err
	}
	all, sets := []workflow.Command{create}, len(settings.AllowedHosts)+len(settings.Input) > 0
	if sets {
		all = append(all, set)
	}
	if first.Code != "" {
		all = append(all, save)
	}
	asked := meta()
	if err := w.Commands.Foresee(ctx, asked, workflow.State{}, all...); err != nil {
		return made, err // before anything is made: no draft is left of what is refused
	}
	result, err := w.Commands.CreateWorkflow(ctx, create, asked)
	if err != nil {
		return made, err
	}
	if sets {
		if result, err = w.Commands.ChangeSettings(ctx, create.ID, set, meta()); err != nil {
			return made, err
		}
	}
	if first.Code != "" {
		if result, err = w.Commands.SaveScript(ctx, create.ID, save, meta()); err != nil {
			return made, err
		}
		if !first.Draft {
			if result, err = w.Commands.ActivateWorkflow(ctx, create.ID, workflow.Activate{}, meta()); err != nil {
				return made, err
			}
		}
	}
	if err := w.Views.WaitFor(ctx, result.Position); err != nil {
		return made, err
	}
	if made.Workflow, err = w.Queries.Workflow(ctx, create.ID); err != nil {
		return made, err
	}
	if first.Code != "" {
		account, err := w.AccountOf(ctx, create.ID)
		if err != nil {
			return made, err
		}
		made.SwitchedOn = &account
	}
	return made, nil
}

// UnnamedError refuses to switch a workflow on that goes to hosts which nobody has named.
type UnnamedError struct{ Account egress.Account }

// Error implements error.
func (e *UnnamedError) Error() string {
	return fmt.Sprintf("not activated: nobody has named %s. If version %s may go there", strings.Join(e.Account.Unnamed, ", "), e.Account.Version)
}

// Activate switches a workflow on, after it was looked at what that means. Hosts that are allowed are named by it. It
// says whether anything changed.
func (w *Workflows) Activate(ctx context.Context, meta func() commands.Meta, id string, allow []string) (on SwitchedOn, changed bool, err error) {
	if err := w.AllowHosts(ctx, meta, id, allow); err != nil {
		return on, false, err
	}
	account, err := w.AccountOf(ctx, id)
	if err != nil {
		return on, false, err
	}
	if len(account.Unnamed) > 0 {
		return on, false, fault.New(fault.Forbidden, "%w: allow them", &UnnamedError{account})
	}
	before, err := w.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return on, false, err
	}
	result, err := w.Commands.ActivateWorkflow(ctx, id, workflow.Activate{Seen: account.Of}, meta())
	if err != nil {
		return on, false, err
	}
	if err := w.Views.WaitFor(ctx, result.Position); err != nil {
		return on, false, err
	}
	shown, err := w.Queries.Workflow(ctx, id)
	return SwitchedOn{shown, &account, GoOnAgain(before, result.Events)}, len(result.Events) > 0, err
}
