package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfRepoPlan names a plan of coding agents.
type OfRepoPlan struct {
	Plan string `path:"plan" maxLength:"200" doc:"The id of a plan, the end of it, or its title"`
}

// OfRepoJob names a job of it.
type OfRepoJob struct {
	OfRepoPlan
	Job string `path:"job" maxLength:"40" doc:"The id of a job of the plan"`
}

// repoPlan is the id of a plan that somebody names. Plans are of no owner: who sees one owner's workflows only sees none.
func (s *Server) repoPlan(ctx context.Context, named string) (string, error) {
	if callOf(ctx).Owner != "" {
		return "", fault.New(fault.NotFound, "there is no plan %q", named)
	}
	return s.node.Plans.Resolve(ctx, named)
}

// wholeRepoPlan is a plan with the revision of what is shown, once views have it.
func (s *Server) wholeRepoPlan(ctx context.Context, id string) (app.RepoPlanView, error) {
	if err := s.endSeen(ctx, func() (int64, eventlog.Position, error) { return s.node.Commands.PlanEnd(ctx, id) }); err != nil {
		return app.RepoPlanView{}, err
	}
	return s.node.Plans.View(ctx, id)
}

// endSeen notes the revision of a stream that the caller is about to see, once views have it.
func (s *Server) endSeen(ctx context.Context, end func() (int64, eventlog.Position, error)) error {
	revision, position, err := end()
	if err != nil {
		return err
	}
	callOf(ctx).revision = &revision
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return s.node.Views.WaitFor(wait, position)
}

// repoPlans are plans of coding agents. One is started on the machine of the server: it runs programs.
func (s *Server) repoPlans() {
	query(s, op{path: "/repo-plans", id: "listRepoPlans", summary: "Plans of coding agents, newest first", tag: "repo-plans", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Paging
			Status string `query:"status" enum:"running,held,completed,cancelled" doc:"held: all that is left of it waits for a person"`
		}) (Page[projections.RepoPlan], error) {
			if callOf(ctx).Owner != "" {
				return page[projections.RepoPlan](nil, 0, nil), nil
			}
			list, err := s.node.Queries.RepoPlans(ctx, projections.RepoPlanFilter{Status: in.Status, Limit: in.Limit + 1, Before: in.After})
			if err == nil {
				err = placed(ctx, list, in.After, s.node.Queries.RepoPlan)
			}
			return page(list, in.Limit, func(one projections.RepoPlan) string { return one.ID }), err
		})
	query(s, op{path: "/repo-plans/{plan}", id: "getRepoPlan", summary: "A plan: its jobs, what waits for you, and what was done", tag: "repo-plans", scope: installation.Read},
		func(ctx context.Context, in *OfRepoPlan) (app.RepoPlanView, error) {
			id, err := s.repoPlan(ctx, in.Plan)
			if err != nil {
				return app.RepoPlanView{}, err
			}
			return s.wholeRepoPlan(ctx, id)
		})
	s.repoPlanLists()
	s.repoJobs()
	command(s, op{method: http.MethodPost, path: "/repo-plans/{plan}/cancel", id: "cancelRepoPlan", summary: "End a plan; its branches and worktrees are kept", tag: "repo-plans", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfRepoPlan
			Body *struct {
				Reason string `json:"reason,omitempty" doc:"Why, for whoever finds it cancelled"`
			}
		}) (app.RepoPlanView, error) {
			return s.onRepoPlan(ctx, c, in.Plan, plan.Cancel{Reason: given(in.Body).Reason})
		})
	type reasoned struct {
		OfRepoJob
		Body *struct {
			Reason string `json:"reason,omitempty" doc:"Why, for whoever looks at the plan later"`
		}
	}
	command(s, op{method: http.MethodPost, path: "/repo-plans/{plan}/jobs/{job}/stop", id: "stopRepoJob", summary: "End what runs for a job, and hold it", tag: "repo-plans", scope: installation.Judge},
		func(ctx context.Context, c *call, in *reasoned) (app.RepoPlanView, error) {
			return s.onRepoPlan(ctx, c, in.Plan, plan.Stop{Job: in.Job, Reason: given(in.Body).Reason})
		})
	command(s, op{method: http.MethodPost, path: "/repo-plans/{plan}/jobs/{job}/drop", id: "dropRepoJob", summary: "Take a job out of a plan; its branch is kept", tag: "repo-plans", scope: installation.Judge},
		func(ctx context.Context, c *call, in *reasoned) (app.RepoPlanView, error) {
			return s.onRepoPlan(ctx, c, in.Plan, plan.Drop{Job: in.Job, Reason: given(in.Body).Reason})
		})
	command(s, op{method: http.MethodPost, path: "/repo-plans/{plan}/jobs/{job}/follow-up", id: "followUpRepoJob", summary: "Add a job that begins when this one is merged, with the same agent, secrets and checks", tag: "repo-plans", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfRepoJob
			Body struct {
				ID    string   `json:"id" minLength:"1" maxLength:"40" doc:"Its name: small letters, digits, - and _"`
				Task  string   `json:"task" minLength:"1" doc:"What its agent is told"`
				Touch []string `json:"touch" minItems:"1" doc:"What it may touch, as patterns"`
			}
		}) (app.RepoPlanView, error) {
			id, err := s.repoPlan(ctx, in.Plan)
			if err != nil {
				return app.RepoPlanView{}, err
			}
			result, err := s.node.Plans.FollowUp(ctx, c.meta(), id, app.FollowUp{After: in.Job, ID: in.Body.ID, Task: in.Body.Task, Touch: in.Body.Touch})
			if err != nil {
				return app.RepoPlanView{}, err
			}
			return s.seenRepoPlan(ctx, c, id, result)
		})
	command(s, op{method: http.MethodPost, path: "/repo-plans/{plan}/take", id: "takeRepoPlan", summary: "Merge what a plan did into its base, on the machine of the server; nothing is pushed", tag: "repo-plans", scope: installation.Judge},
		func(ctx context.Context, c *call, in *OfRepoPlan) (app.Taken, error) {
			id, err := s.repoPlan(ctx, in.Plan)
			if err != nil {
				return app.Taken{}, err
			}
			return s.node.Plans.Take(ctx, c.meta(), id, "")
		})
	s.repoAnswers()
}

// OfRepoJobs is a page of what was done for a plan.
type OfRepoJobs struct {
	OfRepoPlan
	Job   string `query:"job" maxLength:"40" doc:"Only of this job"`
	Limit int    `query:"limit" minimum:"1" maximum:"500" default:"50" doc:"The most items to have"`
	After int    `query:"after" minimum:"0" doc:"The next of the page before"`
}

// repoPlanLists are what was done for a plan, all of it, page by page.
func (s *Server) repoPlanLists() {
	query(s, op{path: "/repo-plans/{plan}/steps", id: "listRepoSteps", summary: "The programs that were launched for a plan, newest first", tag: "repo-plans", scope: installation.Read},
		func(ctx context.Context, in *OfRepoJobs) (Page[projections.RepoStep], error) {
			id, err := s.repoPlan(ctx, in.Plan)
			if err != nil {
				return Page[projections.RepoStep]{}, err
			}
			list, err := s.node.Queries.RepoSteps(ctx, projections.RepoStepFilter{Plan: id, Job: in.Job, Limit: in.Limit + 1, Before: int64(in.After)})
			return page(list, in.Limit, func(one projections.RepoStep) string { return strconv.FormatInt(one.Number, 10) }), err
		})
	query(s, op{path: "/repo-plans/{plan}/checkpoints", id: "listRepoCheckpoints", summary: "The times that jobs of a plan stood still, and how they were answered, newest first", tag: "repo-plans", scope: installation.Read},
		func(ctx context.Context, in *OfRepoJobs) (Page[projections.RepoCheckpoint], error) {
			id, err := s.repoPlan(ctx, in.Plan)
			if err != nil {
				return Page[projections.RepoCheckpoint]{}, err
			}
			list, err := s.node.Queries.RepoCheckpoints(ctx, projections.RepoCheckpointFilter{Plan: id, Job: in.Job, Limit: in.Limit + 1, Before: in.After})
			return page(list, in.Limit, func(one projections.RepoCheckpoint) string { return strconv.Itoa(one.Number) }), err
		})
	query(s, op{path: "/repo-plans/{plan}/history", id: "getRepoPlanHistory", summary: "What happened to a plan, newest first", tag: "repo-plans", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfRepoPlan
			Limit int   `query:"limit" minimum:"1" maximum:"500" default:"100"`
			After int64 `query:"after" minimum:"0" doc:"A revision: the events before it"`
		}) (StreamPage, error) {
			id, err := s.repoPlan(ctx, in.Plan)
			if err != nil {
				return StreamPage{}, err
			}
			last, _, err := s.node.Commands.PlanEnd(ctx, id)
			if err != nil {
				return StreamPage{}, err
			}
			return s.streamPage(ctx, plan.Stream(id), last, in.After, in.Limit)
		})
}

// maxOutput is the most of an output that one answer has, in bytes.
const maxOutput = 256 << 10

// repoJobs are what a job made and wrote.
func (s *Server) repoJobs() {
	query(s, op{path: "/repo-plans/{plan}/jobs/{job}/diff", id: "getRepoJobDiff", summary: "What a job changed since its merge base, file by file; the text of files that are not text is left out", tag: "repo-plans", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfRepoJob
			Held bool `query:"held" doc:"Only the files that it is held for"`
		}) (app.RepoDiff, error) {
			id, err := s.repoPlan(ctx, in.Plan)
			if err != nil {
				return app.RepoDiff{}, err
			}
			return s.node.Plans.JobDiff(ctx, id, in.Job, in.Held)
		})
	query(s, op{path: "/repo-plans/{plan}/jobs/{job}/output", id: "getRepoJobOutput", summary: "What a program wrote that was launched for a job: the end of it, or from a place on", tag: "repo-plans", scope: installation.Read,
		about: "While ended is false more may come: ask again with from as the to of the answer before."},
		func(ctx context.Context, in *struct {
			OfRepoJob
			Launch string `query:"launch" maxLength:"100" doc:"Which one; without it the newest"`
			From   int64  `query:"from" minimum:"-1" default:"-1" doc:"A place in the output, in bytes; -1 for its end"`
			Limit  int64  `query:"limit" minimum:"16" maximum:"262144" default:"65536" doc:"The most bytes to have"`
		}) (app.RepoOutput, error) {
			id, err := s.repoPlan(ctx, in.Plan)
			if err != nil {
				return app.RepoOutput{}, err
			}
			return s.node.Plans.JobOutput(ctx, id, in.Job, app.RepoOutputAsked{Launch: in.Launch, From: in.From, Most: min(in.Limit, maxOutput)})
		})
}

// repoAnswers are the three answers to a checkpoint.
func (s *Server) repoAnswers() {
	command(s, op{method: http.MethodPost, path: "/repo-plans/{plan}/jobs/{job}/accept", id: "acceptRepoJob", summary: "Let exactly the changes pass that a job is held for, or say that nothing was to be changed", tag: "repo-plans", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfRepoJob
			Body struct {
				Checkpoint int    `json:"checkpoint,omitempty" doc:"What you have seen: refused if the job has moved on"`
				Reason     string `json:"reason" minLength:"1" doc:"Why it may pass. The reason is recorded"`
			}
		}) (app.RepoPlanView, error) {
			return s.onRepoPlan(ctx, c, in.Plan, plan.Accept{Job: in.Job, Checkpoint: in.Body.Checkpoint, Reason: in.Body.Reason})
		})
	type noted struct {
		OfRepoJob
		Body *struct {
			Checkpoint int    `json:"checkpoint,omitempty" doc:"What you have seen: refused if the job has moved on"`
			Note       string `json:"note,omitempty" doc:"For the agent, or for whoever reads it later"`
		}
	}
	command(s, op{method: http.MethodPost, path: "/repo-plans/{plan}/jobs/{job}/relaunch", id: "relaunchRepoJob", summary: "Have the agent of a job that is held correct its work", tag: "repo-plans", scope: installation.Judge},
		func(ctx context.Context, c *call, in *noted) (app.RepoPlanView, error) {
			b := given(in.Body)
			return s.onRepoPlan(ctx, c, in.Plan, plan.Relaunch{Job: in.Job, Checkpoint: b.Checkpoint, Note: b.Note})
		})
	command(s, op{method: http.MethodPost, path: "/repo-plans/{plan}/jobs/{job}/retry", id: "retryRepoJob", summary: "Check a job again whose files you repaired", tag: "repo-plans", scope: installation.Judge},
		func(ctx context.Context, c *call, in *noted) (app.RepoPlanView, error) {
			b := given(in.Body)
			return s.onRepoPlan(ctx, c, in.Plan, plan.Retry{Job: in.Job, Checkpoint: b.Checkpoint, Note: b.Note})
		})
}

func (s *Server) onRepoPlan(ctx context.Context, c *call, named string, command plan.Command) (app.RepoPlanView, error) {
	id, err := s.repoPlan(ctx, named)
	if err != nil {
		return app.RepoPlanView{}, err
	}
	result, err := s.node.Commands.OnPlan(ctx, id, command, c.meta())
	if err != nil {
		return app.RepoPlanView{}, err
	}
	return s.seenRepoPlan(ctx, c, id, result)
}

// seenRepoPlan is a plan as it is after a command.
func (s *Server) seenRepoPlan(ctx context.Context, c *call, id string, result commands.Result) (app.RepoPlanView, error) {
	if err := s.see(ctx, c, result); err != nil {
		return app.RepoPlanView{}, err
	}
	return s.wholeRepoPlan(ctx, id)
}
