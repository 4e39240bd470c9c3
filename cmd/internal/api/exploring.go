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
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// exploring has what is done with runs to learn something: trying them out, replaying them, forking them.
func (s *Server) exploring() {
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/dry-run", id: "dryRun", executes: true, summary: "See what a run would do: its writes are listed and never made", tag: "runs", scope: installation.Run, maxBody: 4 << 20},
		func(ctx context.Context, _ *call, in *struct {
			OfWorkflow
			Body *struct {
				Code  string          `json:"code,omitempty" doc:"A script to try; default the active one"`
				Input json.RawMessage `json:"input,omitempty" doc:"Default that of the last success, else of a slot"`
				Reads string          `json:"reads,omitempty" enum:"live,recorded" doc:"Where reads are answered from: the world, or the last success; default live"`
			}
		}) (app.DriedRun, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.DriedRun{}, err
			}
			asked := given(in.Body)
			if asked.Code != "" {
				if err := app.CheckScript(ctx, asked.Code, "the script"); err != nil {
					return app.DriedRun{}, err
				}
			}
			return s.node.Runs.DryRun(ctx, s.logger, in.Workflow, app.DryRun{Code: asked.Code, Input: asked.Input, Recorded: asked.Reads == "recorded"})
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/what-if", id: "whatIf", executes: true, summary: "Replay past runs on another script, and say only what would be different", tag: "runs", scope: installation.Read, maxBody: 4 << 20},
		func(ctx context.Context, _ *call, in *struct {
			OfWorkflow
			Body struct {
				Code  string `json:"code" minLength:"1"`
				Since string `json:"since,omitempty" doc:"How far back: 12h, 7d; default 7d"`
			}
		}) (app.ReplayedOn, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.ReplayedOn{}, err
			}
			if in.Body.Since == "" {
				in.Body.Since = "7d"
			}
			within, err := app.ParseSpan(in.Body.Since)
			if err != nil {
				return app.ReplayedOn{}, err
			}
			if err := app.CheckScript(ctx, in.Body.Code, "the script"); err != nil {
				return app.ReplayedOn{}, err
			}
			return s.node.Runs.WhatIf(ctx, s.logger, in.Workflow, in.Body.Code, within)
		})
	command(s, op{method: http.MethodPost, path: "/runs/{run}/fork", id: "forkRun", summary: "Start a new run in the middle of another one: what came before answers from that one's journal", tag: "runs", scope: installation.Run, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *struct {
			OfRun
			Body struct {
				FromCall int             `json:"from_call" doc:"The first call that is made anew"`
				Result   json.RawMessage `json:"result,omitempty" doc:"What that call answers instead"`
				Input    json.RawMessage `json:"input,omitempty" doc:"Another input"`
			}
		}) (projections.Run, error) {
			if _, err := s.run(ctx, in.Run); err != nil {
				return projections.Run{}, err
			}
			if len(in.Body.Result) > 0 && len(in.Body.Input) > 0 {
				return projections.Run{}, fault.New(fault.Invalid, "result and input exclude each other")
			}
			forked, err := s.node.Runs.Forkable(ctx, in.Run, in.Body.FromCall)
			if err != nil {
				return projections.Run{}, err
			}
			return s.admit(ctx, c, forked.Workflow, workflow.AdmitRun{
				Trigger: workflow.TriggerFork, Input: in.Body.Input, Fork: &workflow.Fork{Run: in.Run, FromCall: in.Body.FromCall, Result: in.Body.Result},
			})
		})
	query(s, op{path: "/runs/{run}/logs", id: "getLogs", summary: "What a run logged", tag: "runs", scope: installation.Read},
		func(ctx context.Context, in *OfRun) (Page[run.LogLine], error) {
			if _, err := s.run(ctx, in.Run); err != nil {
				return Page[run.LogLine]{}, err
			}
			lines, err := s.node.Runs.Log(ctx, in.Run)
			return page(lines, len(lines), nil), err
		})
	s.exempting()
}

// Since asks for the runs of a time.
type Since struct {
	Since string `json:"since" query:"since" minLength:"1" required:"true" doc:"All that succeeded since a day, a time or a weekday, like 2026-03-03 or tuesday"`
	Until string `json:"until,omitempty" query:"until" doc:"And began before this day or time"`
}

func (in Since) between(now time.Time) (found app.Between, err error) {
	if found.From, err = app.ParseSince(in.Since, now); err != nil || in.Until == "" {
		return found, err
	}
	found.Before, err = app.ParseSince(in.Until, now)
	return found, err
}

func (s *Server) exempting() {
	exempt := func(ctx context.Context, meta func() commands.Meta, id string, in Since, reason string) (app.ExemptedAll, error) {
		if err := s.workflow(ctx, id); err != nil {
			return app.ExemptedAll{}, err
		}
		between, err := in.between(s.node.Now())
		if err != nil {
			return app.ExemptedAll{}, err
		}
		shown, _, err := s.node.Runs.ExemptSince(ctx, meta, id, between, reason)
		return shown, err
	}
	query(s, op{path: "/workflows/{workflow}/exempt", id: "previewExemption", summary: "Which successes would be declared wrong, and what they wrote that may have to be put right", tag: "runs", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			Since
		}) (app.ExemptedAll, error) {
			return exempt(ctx, nil, in.Workflow, in.Since, "")
		})
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/exempt", id: "exemptRuns", summary: "Declare everything wrong that succeeded in a time: fixes are not measured by it any more", tag: "runs", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfWorkflow
			Body struct {
				Since
				Reason string `json:"reason,omitempty" doc:"Why it was wrong though it succeeded, for the history"`
			}
		}) (app.ExemptedAll, error) {
			return exempt(ctx, c.meta, in.Workflow, in.Body.Since, in.Body.Reason)
		})
}
