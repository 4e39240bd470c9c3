package api

import (
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// lookback has what the records of runs tell when they are run again, and what they called.
func (s *Server) lookback() {
	command(s, op{method: http.MethodPost, path: "/runs/{run}/replay", id: "replayRun", summary: "Run a run that has ended again, on any version or other code: nothing is sent, and it says what would be different", tag: "runs", scope: installation.Read, maxBody: 4 << 20},
		func(ctx context.Context, _ *call, in *struct {
			OfRun
			Body *struct {
				Version string `json:"version,omitempty" maxLength:"40" doc:"major.minor; default the run's own"`
				Code    string `json:"code,omitempty" doc:"A script that is no version"`
			}
		}) (app.ReplayedRun, error) {
			if _, err := s.run(ctx, in.Run); err != nil {
				return app.ReplayedRun{}, err
			}
			asked := given(in.Body)
			if asked.Code != "" {
				if asked.Version != "" {
					return app.ReplayedRun{}, fault.New(fault.Invalid, "version and code exclude each other")
				}
				if err := app.CheckScript(ctx, asked.Code, "the script"); err != nil {
					return app.ReplayedRun{}, err
				}
			}
			return s.node.Runs.Replay(ctx, s.logger, in.Run, asked.Version, asked.Code)
		})
	query(s, op{path: "/runs/{run}/values", id: "getFailureValues", summary: "What the names in a script had where a run failed", tag: "runs", scope: installation.Read,
		about: "The run is made again on its record, and none is told if that does not lead there. Nothing is sent."},
		func(ctx context.Context, in *OfRun) (Page[gate.Value], error) {
			if _, err := s.run(ctx, in.Run); err != nil {
				return Page[gate.Value]{}, err
			}
			values, err := s.node.Runs.FailureValues(ctx, s.logger, in.Run)
			return page(values, len(values), nil), err
		})
	query(s, op{path: "/workflows/{workflow}/reach", id: "getReach", summary: "What a workflow's last runs called: hosts, keys, files and messages, read or written", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			Runs int `query:"runs" minimum:"1" maximum:"100" default:"20" doc:"How many of the last runs to look at"`
		}) (app.Reach, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return app.Reach{}, err
			}
			return s.node.Runs.Reach(ctx, in.Workflow, in.Runs)
		})
}
