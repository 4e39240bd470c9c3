package api

import (
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfFix names a fix.
type OfFix struct {
	Fix string `path:"fix" maxLength:"200" doc:"The id of a fix"`
}

// fix is one of a workflow that the caller sees.
func (s *Server) fix(ctx context.Context, id string) (projections.Fix, error) {
	one, err := s.node.Queries.Fix(ctx, id)
	if err != nil {
		return one, err
	}
	if err := s.workflow(ctx, one.Workflow); err != nil {
		return projections.Fix{}, fault.New(fault.NotFound, "there is no fix %q: see the list of fixes", id)
	}
	return one, nil
}

// ListedFix is a fix of a list.
type ListedFix struct {
	projections.Fix
	WorkflowTitle string `json:"workflow_title"`
}

func (s *Server) fixes() {
	query(s, op{path: "/fixes", id: "listFixes", summary: "Fixes, the newest first", tag: "fixes", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Paging
			Workflow string               `query:"workflow"`
			State    projections.FixState `query:"state"`
			Cause    string               `query:"same_cause" doc:"A fix: it and the newest one of each other workflow that failed of the same cause"`
		}) (Page[ListedFix], error) {
			list, err := s.node.Queries.Fixes(ctx, projections.FixFilter{
				Workflow: in.Workflow, Owner: callOf(ctx).Owner, State: in.State, SameCause: in.Cause, Limit: in.Limit + 1, Before: in.After,
			})
			if err == nil {
				err = placed(ctx, list, in.After, s.node.Queries.Fix)
			}
			if err != nil {
				return Page[ListedFix]{}, err
			}
			titles, err := projections.TitlesOf(ctx, s.node.Queries, list, func(f projections.Fix) string { return f.Workflow })
			shown := make([]ListedFix, len(list))
			for i, one := range list {
				shown[i] = ListedFix{one, titles[one.Workflow]}
			}
			return page(shown, in.Limit, func(f ListedFix) string { return f.Proposal }), err
		})
	query(s, op{path: "/fixes/{fix}", id: "getFix", summary: "A fix: what broke, what it changes, what proves it, why it waits", tag: "fixes", scope: installation.Read},
		func(ctx context.Context, in *OfFix) (app.FixView, error) {
			fix, err := s.fix(ctx, in.Fix)
			if err != nil {
				return app.FixView{}, err
			}
			if err := s.revisionOf(ctx, fix.Workflow); err != nil {
				return app.FixView{}, err
			}
			return s.node.Fixes.Get(ctx, in.Fix)
		})
	query(s, op{path: "/fixes/{fix}/thread", id: "getThread", summary: "Everything that was done about a failure: candidates, verdicts, attempts, cost, what was said", tag: "fixes", scope: installation.Read},
		func(ctx context.Context, in *OfFix) (app.Repair, error) {
			if _, err := s.fix(ctx, in.Fix); err != nil {
				return app.Repair{}, err
			}
			return s.node.Fixes.Repair(ctx, in.Fix)
		})
	query(s, op{path: "/threads/{thread}/repair", id: "getRepair", summary: "The same of any repair, also of one that handed nothing in", tag: "fixes", scope: installation.Read},
		func(ctx context.Context, in *OfThread) (app.Repair, error) {
			if _, err := s.thread(ctx, in.Thread); err != nil {
				return app.Repair{}, err
			}
			return s.node.Fixes.Repair(ctx, in.Thread)
		})
	s.fixAnswers()
}

func (s *Server) fixAnswers() {
	answer := func(ctx context.Context, c *call, id string, say func(projections.Fix) (app.AnsweredFix, error)) (app.AnsweredFix, error) {
		fix, err := s.fix(ctx, id)
		if err != nil {
			return app.AnsweredFix{}, err
		}
		shown, err := say(fix)
		c.position = shown.Position
		return shown, err
	}
	command(s, op{method: http.MethodPost, path: "/fixes/{fix}/accept", id: "acceptFix", summary: "Apply a fix that waits for you, and allow what it needs", tag: "fixes", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfFix
			Body *struct {
				Alternative int      `json:"alternative,omitempty" minimum:"0" doc:"Take the n-th alternative, counted from 1, instead of the fix itself"`
				AllowHosts  []string `json:"allow_hosts,omitempty" doc:"Further hosts that the fix needs beyond the allow-list"`
				Reason      string   `json:"reason,omitempty"`
			}
		}) (app.AnsweredFix, error) {
			return answer(ctx, c, in.Fix, func(fix projections.Fix) (app.AnsweredFix, error) {
				return s.node.Fixes.Accept(ctx, fix, workflow.AcceptFix{
					ScriptID: c.newID("script"), Alternative: given(in.Body).Alternative, AllowHosts: given(in.Body).AllowHosts, Reason: given(in.Body).Reason,
				}, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/fixes/{fix}/decline", id: "declineFix", summary: "Refuse a fix that waits for you; the workflow is handed to you", tag: "fixes", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfFix
			Body *struct {
				Reason string `json:"reason,omitempty"`
			}
		}) (app.AnsweredFix, error) {
			return answer(ctx, c, in.Fix, func(fix projections.Fix) (app.AnsweredFix, error) {
				return s.node.Fixes.Decline(ctx, fix, given(in.Body).Reason, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/fixes/{fix}/correct", id: "correctFix", summary: "Send the maintainer back to work on a fix that waits for you, with a note", tag: "fixes", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfFix
			Body struct {
				Note string `json:"note" minLength:"1" doc:"What to do otherwise"`
			}
		}) (app.AnsweredFix, error) {
			return answer(ctx, c, in.Fix, func(fix projections.Fix) (app.AnsweredFix, error) {
				return s.node.Fixes.Correct(ctx, fix, in.Body.Note, c.meta())
			})
		})
	command(s, op{method: http.MethodPost, path: "/fixes/{fix}/recheck", id: "recheckFix", executes: true, summary: "Judge a fix that waits for you again, after you changed something", tag: "fixes", scope: installation.Judge},
		func(ctx context.Context, c *call, in *OfFix) (app.FixView, error) {
			if _, err := s.fix(ctx, in.Fix); err != nil {
				return app.FixView{}, err
			}
			return s.node.Fixes.Recheck(ctx, in.Fix, c.meta())
		})
	command(s, op{method: http.MethodPost, path: "/fixes/{fix}/verify", id: "verifyFix", executes: true, summary: "Judge a fix again on what it was judged on, and compare the certificates", tag: "fixes", scope: installation.Read},
		func(ctx context.Context, _ *call, in *OfFix) (app.Proof, error) {
			if _, err := s.fix(ctx, in.Fix); err != nil {
				return app.Proof{}, err
			}
			return s.node.Fixes.ProveAgain(ctx, in.Fix)
		})
}
