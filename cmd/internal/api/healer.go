package api

import (
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfHealSession names a session of a coding agent.
type OfHealSession struct {
	Session string `path:"session" maxLength:"128" doc:"The id of a session"`
}

// OfHealing names a healing of it.
type OfHealing struct {
	OfHealSession
	Healing int `path:"healing" minimum:"1" doc:"The number of a healing of the session"`
}

// healSession refuses those who see one owner's workflows only: sessions are of no owner.
func (s *Server) healSession(ctx context.Context, id string) error {
	if callOf(ctx).Owner != "" {
		return fault.New(fault.NotFound, "there is no session %q", id)
	}
	return s.endSeen(ctx, func() (int64, eventlog.Position, error) { return s.node.Commands.SessionEnd(ctx, id) })
}

// healer has the sessions of coding agents, and what the Healer did for them.
func (s *Server) healer() {
	query(s, op{path: "/healer/sessions", id: "listHealSessions", summary: "Sessions of coding agents that the Healer looked at, newest first", tag: "healer", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Paging
			Plan string `query:"plan" maxLength:"200" doc:"Only those of this plan"`
		}) (Page[projections.HealSession], error) {
			if callOf(ctx).Owner != "" {
				return page[projections.HealSession](nil, 0, nil), nil
			}
			list, err := s.node.Queries.HealSessions(ctx, projections.HealSessionFilter{Plan: in.Plan, Limit: in.Limit + 1, Before: in.After})
			if err == nil {
				err = placed(ctx, list, in.After, s.node.Queries.HealSession)
			}
			return page(list, in.Limit, func(one projections.HealSession) string { return one.ID }), err
		})
	query(s, op{path: "/healer/sessions/{session}", id: "getHealSession", summary: "A session: its policy, what is blocked, and its newest healings", tag: "healer", scope: installation.Read},
		func(ctx context.Context, in *OfHealSession) (app.HealSessionView, error) {
			if err := s.healSession(ctx, in.Session); err != nil {
				return app.HealSessionView{}, err
			}
			return s.node.Sessions.View(ctx, in.Session)
		})
	query(s, op{path: "/healer/sessions/{session}/healings/{healing}", id: "getHealing", summary: "What was done in a healing, and what the server saw", tag: "healer", scope: installation.Read},
		func(ctx context.Context, in *OfHealing) (app.HealingReport, error) {
			if err := s.healSession(ctx, in.Session); err != nil {
				return app.HealingReport{}, err
			}
			return s.node.Sessions.Report(ctx, in.Session, in.Healing)
		})
	query(s, op{path: "/healer/sessions/{session}/healings/{healing}/trajectory", id: "getHealingTrajectory", summary: "A healing in the Agent Trajectory Interchange Format", tag: "healer", scope: installation.Read},
		func(ctx context.Context, in *OfHealing) (atif.Trajectory, error) {
			if err := s.healSession(ctx, in.Session); err != nil {
				return atif.Trajectory{}, err
			}
			if _, err := s.node.Queries.Healing(ctx, in.Session, in.Healing); err != nil {
				return atif.Trajectory{}, err
			}
			made, err := s.node.Sessions.Trajectory(ctx, in.Session, in.Healing)
			return made.Counted(), err
		})
	command(s, op{method: http.MethodPost, path: "/healer/sessions/{session}/unblock", id: "unblockSubtask", summary: "Let a blocked subtask go on, after its follow-up", tag: "healer", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfHealSession
			Body *struct {
				Subtask string `json:"subtask,omitempty" maxLength:"500" doc:"The subtask or job; without it, the session itself"`
				Reason  string `json:"reason,omitempty" doc:"What was done about it"`
			}
		}) (app.HealSessionView, error) {
			if err := s.healSession(ctx, in.Session); err != nil {
				return app.HealSessionView{}, err
			}
			b := given(in.Body)
			result, err := s.node.Commands.OnSession(ctx, in.Session, session.Unblock{Subtask: b.Subtask, Reason: b.Reason}, c.meta())
			if err != nil {
				return app.HealSessionView{}, err
			}
			if err := s.see(ctx, c, result); err != nil {
				return app.HealSessionView{}, err
			}
			return s.node.Sessions.View(ctx, in.Session)
		})
}
