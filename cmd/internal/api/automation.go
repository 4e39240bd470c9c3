package api

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// slotsShown is how many of the coming slots are answered with.
const slotsShown = 10

// NewSchedule is when a workflow is to run.
type NewSchedule struct {
	Spec    string           `json:"spec" minLength:"1" maxLength:"200" doc:"Five or six fields of cron, @daily, every 15m, or at 2026-03-01 08:00"`
	Zone    string           `json:"zone,omitempty" doc:"IANA time zone; default the workflow's"`
	Input   json.RawMessage  `json:"input,omitempty" doc:"The input of each run; slot and zone are added"`
	Overlap workflow.Overlap `json:"overlap,omitempty" enum:"skip,queue" doc:"What a slot does while a run goes on"`
	CatchUp workflow.CatchUp `json:"catch_up,omitempty" enum:"last,none,all" doc:"Which slots run that no server was there for"`
	Window  string           `json:"window,omitempty" doc:"How far back catch_up all goes, like 24h"`
	Jitter  string           `json:"jitter,omitempty" doc:"Start up to this much later, like 30s"`
}

func (in NewSchedule) change() (change workflow.ChangeSchedule, err error) {
	change = workflow.ChangeSchedule{Spec: in.Spec, Zone: in.Zone, Input: in.Input, Overlap: in.Overlap, CatchUp: in.CatchUp}
	if change.Zone != "" {
		if err := app.CheckZone(change.Zone); err != nil {
			return change, err
		}
	}
	for _, one := range []struct {
		name, text string
		to         *time.Duration
	}{{"window", in.Window, &change.Window}, {"jitter", in.Jitter, &change.Jitter}} {
		if one.text == "" {
			continue
		}
		if *one.to, err = time.ParseDuration(one.text); err != nil {
			return change, fault.New(fault.Invalid, "%s %q is no span of time: write it like 30s or 24h", one.name, one.text)
		}
	}
	return change, nil
}

// starting is what makes workflows start by themselves.
func (s *Server) starting() {
	scheduled := func(ctx context.Context, id string) (app.Scheduled, error) {
		state, err := s.node.Commands.LoadWorkflow(ctx, id)
		if err != nil {
			return app.Scheduled{}, err
		}
		return app.ScheduledOf(state, s.node.Now(), slotsShown)
	}
	command(s, op{method: http.MethodPut, path: "/workflows/{workflow}/schedule", id: "putSchedule", summary: "Change when a workflow runs", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body NewSchedule
		}) (app.Scheduled, error) {
			change, err := in.Body.change()
			if err != nil {
				return app.Scheduled{}, err
			}
			if _, err := s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				state, err := s.node.Commands.LoadWorkflow(ctx, in.Workflow)
				if err == nil {
					err = app.CheckComes(state, change, s.node.Now())
				}
				if err != nil {
					return commands.Result{}, err
				}
				return s.node.Commands.ChangeSchedule(ctx, in.Workflow, change, c.meta())
			}); err != nil {
				return app.Scheduled{}, err
			}
			return scheduled(ctx, in.Workflow)
		})
	command(s, op{method: http.MethodDelete, path: "/workflows/{workflow}/schedule", id: "removeSchedule", summary: "Have a workflow run by hand only", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *OfWorkflow) (app.Scheduled, error) {
			if _, err := s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Commands.ChangeSchedule(ctx, in.Workflow, workflow.ChangeSchedule{}, c.meta())
			}); err != nil {
				return app.Scheduled{}, err
			}
			return scheduled(ctx, in.Workflow)
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/schedule/preview", id: "previewSchedule", summary: "When a workflow would run; nothing is changed", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, _ *call, in *struct {
			OfWorkflow
			Next int `query:"next" minimum:"1" maximum:"1000" default:"10"`
			Body NewSchedule
		}) (app.Scheduled, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Scheduled{}, err
			}
			change, err := in.Body.change()
			if err != nil {
				return app.Scheduled{}, err
			}
			state, err := s.node.Commands.LoadWorkflow(ctx, in.Workflow)
			if err != nil {
				return app.Scheduled{}, err
			}
			return app.ScheduledOf(app.Proposed(state, change), s.node.Now(), in.Next)
		})
	s.triggers()
}

func (s *Server) triggers() {
	triggered := func(ctx context.Context, id string) (app.Triggered, error) {
		state, err := s.node.Commands.LoadWorkflow(ctx, id)
		if err != nil {
			return app.Triggered{}, err
		}
		return s.node.Workflows.Triggered(ctx, state)
	}
	query(s, op{path: "/workflows/{workflow}/triggers", id: "getTriggers", summary: "The workflows on whose outcomes it starts", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, in *OfWorkflow) (app.Triggered, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Triggered{}, err
			}
			return triggered(ctx, in.Workflow)
		})
	command(s, op{method: http.MethodPut, path: "/workflows/{workflow}/triggers/{source}", id: "putTrigger", summary: "Have it start when something comes of another workflow", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Source string `path:"source" maxLength:"200"`
			Body   struct {
				Outcomes []workflow.Outcome `json:"outcomes" minItems:"1" enum:"succeeded,failed,recovered,escalated"`
			}
		}) (app.Triggered, error) {
			if err := s.workflow(ctx, in.Source); err != nil {
				return app.Triggered{}, err
			}
			if _, err := s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Commands.SetTrigger(ctx, in.Workflow, workflow.SetTrigger{Source: in.Source, Outcomes: in.Body.Outcomes}, c.meta())
			}); err != nil {
				return app.Triggered{}, err
			}
			return triggered(ctx, in.Workflow)
		})
	command(s, op{method: http.MethodDelete, path: "/workflows/{workflow}/triggers/{source}", id: "removeTrigger", summary: "Have it start on another workflow no more", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Source string `path:"source" maxLength:"200"`
		}) (app.Triggered, error) {
			if _, err := s.onWorkflow(ctx, c, in.Workflow, func() (commands.Result, error) {
				return s.node.Commands.RemoveTrigger(ctx, in.Workflow, workflow.RemoveTrigger{Source: in.Source}, c.meta())
			}); err != nil {
				return app.Triggered{}, err
			}
			return triggered(ctx, in.Workflow)
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/inputs/retry", id: "retryInputs", summary: "Have all inputs and slots tried again, in order, whose runs failed before their first write", tag: "workflows", scope: installation.Run},
		func(ctx context.Context, c *call, in *OfWorkflow) (shown app.RetriedInputs, err error) {
			_, err = s.onWorkflow(ctx, c, in.Workflow, func() (result commands.Result, err error) {
				shown, result, err = s.node.Runs.RetryInputs(ctx, c.meta(), in.Workflow)
				return result, err
			})
			return shown, err
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/inputs/{run}/leave", id: "leaveInput", summary: "Give up an input that waits, also one that never became a run: that is its outcome", tag: "workflows", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Run  string `path:"run" doc:"The run that it would become, or that failed"`
			Body *struct {
				Note string `json:"note,omitempty" doc:"For the history"`
			}
		}) (left app.LeftInput, err error) {
			_, err = s.onWorkflow(ctx, c, in.Workflow, func() (result commands.Result, err error) {
				left = app.LeftInput{Workflow: in.Workflow, Run: in.Run}
				if in.Body != nil {
					left.Note = in.Body.Note
				}
				return s.node.Commands.LeaveRun(ctx, in.Workflow, workflow.LeaveRun{Run: in.Run, Note: left.Note}, c.meta())
			})
			return left, err
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/inputs", id: "sendInput", summary: "Hand a workflow an input: it becomes a run, waits its turn, or is skipped", tag: "workflows", scope: installation.Run, status: http.StatusAccepted},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body struct {
				Key   string          `json:"key,omitempty" doc:"What tells this input from others: sent twice, it is one"`
				Input json.RawMessage `json:"input,omitempty"`
			}
		}) (app.Sent, error) {
			key := in.Body.Key
			if key == "" && c.key != "" {
				key = c.newID("input")
			}
			var sent app.Sent
			_, err := s.onWorkflow(ctx, c, in.Workflow, func() (result commands.Result, err error) {
				sent, result, err = s.node.Runs.Send(ctx, c.Actor(), in.Workflow, key, in.Body.Input)
				return result, err
			})
			return sent, err
		})
}

// drafts are workflows that were never activated.
func (s *Server) drafts() {
	query(s, op{path: "/drafts", id: "listDrafts", summary: "Workflows that were never activated, those that nobody touched for longest first", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Age   workflow.DraftAge `query:"age" enum:"stale,abandoned" doc:"At least: stale after 3 days, abandoned after 7"`
			Owner string            `query:"owner"`
		}) (Page[app.Draft], error) {
			owner, err := callOf(ctx).OwnerAsked(in.Owner)
			if err != nil {
				return Page[app.Draft]{}, err
			}
			list, err := s.node.Workflows.Drafts(ctx, nil, app.DraftsAsked{Age: in.Age, Owner: owner})
			return page(list, len(list), nil), err
		})
	command(s, op{method: http.MethodPost, path: "/drafts", id: "tendDrafts", summary: "Archive drafts, or go on with them, many at once", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *struct {
			Body struct {
				Do        string            `json:"do" enum:"archived,kept"`
				Workflows []string          `json:"workflows,omitempty" doc:"Which; or all of an age"`
				Age       workflow.DraftAge `json:"age,omitempty" enum:"stale,abandoned"`
				Reason    string            `json:"reason,omitempty" doc:"Why they are archived, for the history"`
			}
		}) (Page[app.Draft], error) {
			b := in.Body
			if len(b.Workflows) == 0 && b.Age == "" {
				return Page[app.Draft]{}, fault.New(fault.Invalid, "say which drafts: workflows, or an age: stale (3 days without work) or abandoned (7 days)")
			}
			list, err := s.node.Workflows.Drafts(ctx, c.meta, app.DraftsAsked{Age: b.Age, Owner: c.Owner, Named: b.Workflows, Do: b.Do, Reason: b.Reason})
			if err != nil {
				return Page[app.Draft]{}, err
			}
			return page(list, len(list), nil), s.node.Views.CatchUp(ctx)
		})
	query(s, op{path: "/drafts/archiving", id: "getDraftArchiving", summary: "Whether your drafts go to the archive by themselves", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (DraftArchiving, error) {
			state, err := s.node.Commands.LoadInstallation(ctx)
			return DraftArchiving{On: state.ArchivesDrafts(callOf(ctx).Person)}, err
		})
	command(s, op{method: http.MethodPut, path: "/drafts/archiving", id: "putDraftArchiving", summary: "Have your drafts go to the archive after 30 days, a week after you were told", tag: "workflows", scope: installation.Edit},
		func(ctx context.Context, c *call, in *struct{ Body DraftArchiving }) (DraftArchiving, error) {
			result, err := s.node.Commands.ChangeDraftArchiving(ctx, installation.ChangeDraftArchiving{Owner: c.Person, On: in.Body.On}, c.meta())
			if err != nil {
				return DraftArchiving{}, err
			}
			return in.Body, s.see(ctx, c, result)
		})
}

// DraftArchiving says whether somebody's drafts go to the archive by themselves.
type DraftArchiving struct {
	On bool `json:"on"`
}

// repairs are those of all workflows, and what they left in doubt.
func (s *Server) repairs() {
	query(s, op{path: "/groups", id: "listGroups", summary: "What many workflows failed of together, with their fixes", tag: "fixes", scope: installation.Read},
		func(ctx context.Context, in *struct{ Paging }) (Page[projections.Group], error) {
			groups, err := s.node.Queries.Groups(ctx, projections.GroupFilter{Owner: callOf(ctx).Owner, Limit: in.Limit + 1, After: in.After})
			return page(groups, in.Limit, func(group projections.Group) string { return group.ID }), err
		})
	command(s, op{method: http.MethodPost, path: "/fixes/{fix}/withdraw", id: "withdrawFix", summary: "Take back all applied fixes of a workflow that no run has confirmed; it is handed to you", tag: "fixes", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfFix
			Body *struct {
				Reason string `json:"reason,omitempty" doc:"Why, for the history"`
			}
		}) (app.Withdrawn, error) {
			fix, err := s.fix(ctx, in.Fix)
			if err != nil {
				return app.Withdrawn{}, err
			}
			if c.key == "" { // asked again with the key, it is in force no more
				if _, err := s.node.Fixes.Withdrawable(ctx, fix.Proposal); err != nil {
					return app.Withdrawn{}, err
				}
			}
			shown, result, err := s.node.Fixes.Withdraw(ctx, fix.Workflow, given(in.Body).Reason, c.meta())
			if err != nil {
				return shown, err
			}
			return shown, s.see(ctx, c, result)
		})
	query(s, op{path: "/effects", id: "listEffects", summary: "Writes in doubt: their runs stand still until somebody says what became of them", tag: "runs", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (Page[app.Effect], error) {
			list, err := s.node.Runs.Effects(ctx, callOf(ctx).Owner)
			return page(list, len(list), nil), err
		})
	s.autofix()
	s.egress()
}

func (s *Server) egress() {
	policy := func(ctx context.Context) (installation.Egress, error) {
		state, err := s.node.Commands.LoadInstallation(ctx)
		return state.Egress.WithDefaults(), err
	}
	query(s, op{path: "/egress", id: "getEgress", summary: "Where scripts may not go, and which private places are open to tenants", tag: "egress", scope: installation.Admin},
		func(ctx context.Context, _ *struct{}) (installation.Egress, error) { return policy(ctx) })
	command(s, op{method: http.MethodPatch, path: "/egress", id: "changeEgress", summary: "Close places to all scripts, open private ones to tenants, take entries off", tag: "egress", scope: installation.Admin},
		func(ctx context.Context, c *call, in *struct {
			Body struct {
				Close  []string `json:"close,omitempty" doc:"Networks, addresses or hosts, the last two with a port or without"`
				Open   []string `json:"open,omitempty" doc:"Private places for workflows of tenants"`
				Remove []string `json:"remove,omitempty" doc:"Entries that are closed or open"`
				Owner  string   `json:"owner,omitempty" doc:"Whose workflows: for open and remove; those of all tenants if it is left out"`
			}
		}) (installation.Egress, error) {
			if _, err := s.node.Commands.ChangeEgress(ctx, installation.ChangeEgress{Close: in.Body.Close, Open: in.Body.Open, Remove: in.Body.Remove, Owner: in.Body.Owner}, c.meta()); err != nil {
				return installation.Egress{}, err
			}
			return policy(ctx)
		})
}

func (s *Server) autofix() {
	change := func(ctx context.Context, c *call, command func() (commands.Result, error)) (app.Autofix, error) {
		result, err := command()
		if err != nil {
			return app.Autofix{}, err
		}
		if err := s.see(ctx, c, result); err != nil {
			return app.Autofix{}, err
		}
		return s.node.Fixes.Autofix(ctx)
	}
	query(s, op{path: "/autofix", id: "getAutofix", summary: "Whether repairs go on, what agents have spent, what waits", tag: "autofix", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (app.Autofix, error) {
			if err := wholeInstallation(callOf(ctx)); err != nil {
				return app.Autofix{}, err
			}
			return s.node.Fixes.Autofix(ctx)
		})
	command(s, op{method: http.MethodPost, path: "/autofix/off", id: "stopRepairs", summary: "Stop all repairs of all workflows, now", tag: "autofix", scope: installation.Admin},
		func(ctx context.Context, c *call, in *withWhy) (app.Autofix, error) {
			return change(ctx, c, func() (commands.Result, error) {
				return s.node.Commands.StopRepairs(ctx, installation.StopRepairs{Reason: given(in.Body).Reason}, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/autofix/on", id: "resumeRepairs", summary: "Let repairs go on; what waited is worked on", tag: "autofix", scope: installation.Admin},
		func(ctx context.Context, c *call, in *withWhy) (app.Autofix, error) {
			return change(ctx, c, func() (commands.Result, error) {
				return s.node.Commands.ResumeRepairs(ctx, installation.ResumeRepairs{Reason: given(in.Body).Reason}, c.meta())
			})
		})
	command(s, op{method: http.MethodPatch, path: "/autofix/cap", id: "changeSpendCap", summary: "Cap what agents may spend in a day, a month, a fix", tag: "autofix", scope: installation.Admin},
		func(ctx context.Context, c *call, in *struct {
			Body struct {
				PerDayUSD   *float64 `json:"per_day_usd,omitempty" doc:"0 for no cap; as it is, if it is left out"`
				PerMonthUSD *float64 `json:"per_month_usd,omitempty"`
				PerFixUSD   *float64 `json:"per_fix_usd,omitempty"`
			}
		}) (app.Autofix, error) {
			return change(ctx, c, func() (commands.Result, error) {
				return s.node.Commands.ChangeSpendCap(ctx, installation.ChangeSpendCap{
					PerDayUSD: in.Body.PerDayUSD, PerMonthUSD: in.Body.PerMonthUSD, PerFixUSD: in.Body.PerFixUSD,
				}, c.meta())
			})
		})
}

type withWhy struct {
	Body *struct {
		Reason string `json:"reason,omitempty" doc:"Why, for whoever finds it so"`
	}
}
