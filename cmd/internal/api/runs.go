package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfRun names a run.
type OfRun struct {
	Run string `path:"run" maxLength:"200" doc:"The id of a run"`
}

// run is one of a workflow that the caller sees.
func (s *Server) run(ctx context.Context, id string) (projections.Run, error) {
	one, err := s.node.Queries.Run(ctx, id)
	if fault.KindOf(err) == fault.NotFound { // it may have been admitted a moment ago
		if err := s.node.Views.CatchUp(ctx); err != nil {
			return one, err
		}
		one, err = s.node.Queries.Run(ctx, id)
	}
	if err != nil {
		return one, err
	}
	if err := s.workflow(ctx, one.Workflow); err != nil {
		return projections.Run{}, fault.New(fault.NotFound, "there is no run %q: see the list of runs", id)
	}
	return one, nil
}

// onRun decides about a run of a workflow that the caller sees, and answers with what it is then.
func (s *Server) onRun(ctx context.Context, c *call, id string, command func(of string) (commands.Result, error)) (projections.Run, error) {
	one, err := s.run(ctx, id)
	if err != nil {
		return one, err
	}
	result, err := command(one.Workflow)
	if err != nil {
		return one, err
	}
	if err := s.see(ctx, c, result); err != nil {
		return one, err
	}
	return s.node.Queries.Run(ctx, id)
}

// ListedRun is a run of a list.
type ListedRun struct {
	projections.Run
	WorkflowTitle string `json:"workflow_title"`
}

func (s *Server) runs() {
	query(s, op{path: "/runs", id: "listRuns", summary: "Runs, the newest first", tag: "runs", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Paging
			Workflow string                `query:"workflow"`
			Status   projections.RunStatus `query:"status" enum:"admitted,running,asking,in_doubt,succeeded,failed,cancelled"`
			Label    []string              `query:"label,explode" maxItems:"16" doc:"Only those with this label, as team=billing; several choose those that have all"`
			Since    string                `query:"since" maxLength:"60" doc:"Only those that were admitted from then on: how long ago (2h, 7d), a day, a time or a weekday"`
			Until    string                `query:"until" maxLength:"60" doc:"Only those that were admitted before then"`
			Error    string                `query:"error" maxLength:"200" doc:"Only those that failed with this in the text of their failure, in upper or lower case"`
		}) (Page[ListedRun], error) {
			between, err := app.ParseBetween(in.Since, in.Until, s.node.Now())
			if err != nil {
				return Page[ListedRun]{}, err
			}
			labels, err := workflow.ParseLabels(in.Label)
			if err != nil {
				return Page[ListedRun]{}, err
			}
			list, err := s.node.Queries.Runs(ctx, projections.RunFilter{
				Workflow: in.Workflow, Owner: callOf(ctx).Owner, Status: in.Status, Limit: in.Limit + 1, Before: in.After, Labels: labels.Texts(), Since: between.From, Until: between.Before, Error: in.Error,
			})
			if err == nil {
				err = placed(ctx, list, in.After, s.node.Queries.Run)
			}
			if err != nil {
				return Page[ListedRun]{}, err
			}
			titles, err := projections.TitlesOf(ctx, s.node.Queries, list, func(r projections.Run) string { return r.Workflow })
			shown := make([]ListedRun, len(list))
			for i, one := range list {
				shown[i] = ListedRun{one, titles[one.Workflow]}
			}
			return page(shown, in.Limit, func(r ListedRun) string { return r.ID }), err
		})
	query(s, op{path: "/runs/{run}", id: "getRun", summary: "A run: what it called, what came back, how it ended", tag: "runs", scope: installation.Read},
		func(ctx context.Context, in *OfRun) (app.RunView, error) {
			if _, err := s.run(ctx, in.Run); err != nil {
				return app.RunView{}, err
			}
			return s.node.Runs.Get(ctx, in.Run)
		})
	query(s, op{path: "/runs/{run}/calls", id: "getCalls", summary: "A run's calls as a waterfall: when each went out, for how long, and what became of it", tag: "runs", scope: installation.Read},
		func(ctx context.Context, in *OfRun) (projections.Calls, error) {
			if _, err := s.run(ctx, in.Run); err != nil {
				return projections.Calls{}, err
			}
			return s.node.Runs.Calls(ctx, in.Run)
		})
	query(s, op{path: "/runs/{run}/result", id: "getResult", summary: "What became of a run, with the runs that went on for it", tag: "runs", scope: installation.Read},
		func(ctx context.Context, in *OfRun) (app.RunResult, error) {
			one, err := s.run(ctx, in.Run)
			if err != nil {
				return app.RunResult{}, err
			}
			return s.node.Runs.Result(ctx, one.Workflow, in.Run)
		})
	s.starts()
	s.runDecisions()
}

// admit starts a run, and answers with it.
func (s *Server) admit(ctx context.Context, c *call, of string, admit workflow.AdmitRun) (projections.Run, error) {
	admit.Run = c.newID("run")
	c.location = Base + "/runs/" + admit.Run
	result, err := s.node.Commands.AdmitRun(ctx, of, admit, c.meta())
	if err != nil {
		return projections.Run{}, err
	}
	c.did(result)
	if admitted, is := projections.RunOf(result.Events); is {
		return admitted, nil
	}
	return s.run(ctx, admit.Run)
}

type withNote struct {
	OfRun
	Body *struct {
		Note string `json:"note,omitempty" doc:"Why, for the history"`
	}
}

func (s *Server) runDecisions() {
	goOn := func(ctx context.Context, c *call, in *OfRun) (projections.Run, error) {
		return s.onRun(ctx, c, in.Run, func(of string) (commands.Result, error) {
			return s.node.Commands.ContinueRun(ctx, of, workflow.ContinueRun{Run: in.Run}, c.meta())
		})
	}
	command(s, op{method: http.MethodPost, path: "/runs/{run}/continue", id: "continueRun", summary: "Have a half-done run go on with the active version, or one that waits for its retry try now", tag: "runs", scope: installation.Run}, goOn)
	command(s, op{method: http.MethodPost, path: "/runs/{run}/retry", id: "retryRun", summary: "Have any run that failed tried again, with its input and what its journal has: nothing is written twice", tag: "runs", scope: installation.Run}, goOn)
	command(s, op{method: http.MethodPost, path: "/runs/{run}/restart", id: "restartRun", summary: "Start a half-done run again from the beginning, with the same input: what it had written is written again. Refused with a list of that, unless it is agreed to", tag: "runs", scope: installation.Run, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *struct {
			OfRun
			Body *struct {
				WriteAgain bool `json:"write_again,omitempty" doc:"What the run had written (unfinished.again of the run) may be written again"`
			}
		}) (projections.Run, error) {
			one, err := s.run(ctx, in.Run)
			if err != nil {
				return one, err
			}
			again, err := s.node.Runs.Restart(ctx, in.Run, given(in.Body).WriteAgain)
			if err != nil {
				return one, err
			}
			return s.admit(ctx, c, one.Workflow, again)
		})
	command(s, op{method: http.MethodPost, path: "/runs/{run}/repair", id: "repairRun", summary: "Have the workflow mended of what a run by hand failed with: till then it is that run's failure alone", tag: "runs", scope: installation.Run},
		func(ctx context.Context, c *call, in *OfRun) (projections.Run, error) {
			return s.onRun(ctx, c, in.Run, func(of string) (commands.Result, error) {
				return s.node.Commands.RepairRun(ctx, of, in.Run, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/runs/{run}/cancel", id: "cancelRun", summary: "Cancel a run: one that is under way ends before its next write, one that waits is given up. It is no failure: nothing follows from it. Refused if it has ended", tag: "runs", scope: installation.Run},
		func(ctx context.Context, c *call, in *struct {
			OfRun
			Body *struct {
				Reason string `json:"reason,omitempty" maxLength:"2000" doc:"Why, for the history"`
			}
		}) (app.CancelledRun, error) {
			if _, err := s.run(ctx, in.Run); err != nil {
				return app.CancelledRun{}, err
			}
			cancelled, result, err := s.node.Runs.Cancel(ctx, c.meta(), in.Run, given(in.Body).Reason)
			if err == nil {
				c.did(result)
			}
			return cancelled, err
		})
	command(s, op{method: http.MethodPost, path: "/runs/{run}/leave", id: "leaveRun", summary: "Leave a half-done run as it is", tag: "runs", scope: installation.Judge},
		func(ctx context.Context, c *call, in *withNote) (projections.Run, error) {
			return s.onRun(ctx, c, in.Run, func(of string) (commands.Result, error) {
				return s.node.Commands.LeaveRun(ctx, of, workflow.LeaveRun{Run: in.Run, Note: given(in.Body).Note}, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/runs/{run}/trust", id: "trustRun", summary: "Say that a run that looks wrong is right", tag: "runs", scope: installation.Judge},
		func(ctx context.Context, c *call, in *withNote) (projections.Run, error) {
			return s.onRun(ctx, c, in.Run, func(of string) (commands.Result, error) {
				return s.node.Commands.TrustRun(ctx, of, workflow.TrustRun{Run: in.Run, Note: given(in.Body).Note}, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/runs/{run}/exempt", id: "exemptRun", summary: "Say that a run was wrong though it succeeded: it proves nothing any more", tag: "runs", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfRun
			Body *struct {
				Reason string `json:"reason,omitempty" doc:"Why, for the history"`
			}
		}) (projections.Run, error) {
			return s.onRun(ctx, c, in.Run, func(of string) (commands.Result, error) {
				return s.node.Commands.ExemptRun(ctx, of, workflow.ExemptRun{Run: in.Run, Reason: given(in.Body).Reason}, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/runs/{run}/effects/{seq}", id: "resolveEffect", summary: "Say what became of a write that is in doubt", tag: "runs", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfRun
			Seq  int `path:"seq" minimum:"0" doc:"The number of the call"`
			Body struct {
				How    string          `json:"how" enum:"happened,did_not,skip" doc:"It happened, it did not, or go on as if it had"`
				Result json.RawMessage `json:"result,omitempty" doc:"What the host answered, of one that happened"`
			}
		}) (app.RunView, error) {
			if _, err := s.run(ctx, in.Run); err != nil {
				return app.RunView{}, err
			}
			resolve := run.ResolveEffect{Seq: in.Seq, How: in.Body.How, Result: in.Body.Result}
			if err := s.node.Commands.ResolveEffect(ctx, in.Run, resolve, c.meta()); err != nil {
				return app.RunView{}, err
			}
			if err := s.node.Views.CatchUp(ctx); err != nil {
				return app.RunView{}, err
			}
			return s.node.Runs.Get(ctx, in.Run)
		})
}
