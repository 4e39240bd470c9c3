package api

import (
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/projections"
)

// TimelineChoice is what somebody wants to see of timelines; empty for everything.
type TimelineChoice struct {
	Significance []projections.Significance `json:"significance" enum:"person_facing,notable,routine"`
	Kinds        []string                   `json:"kinds" enum:"workflow,script,setting,run,repair,fix,question,planner,trigger,draft,routine"`
}

// timelineChoice is what the caller chose last.
func (s *Server) timelineChoice(ctx context.Context) (TimelineChoice, error) {
	choice := TimelineChoice{Significance: []projections.Significance{}, Kinds: []string{}}
	state, err := s.node.Commands.LoadInstallation(ctx)
	if err != nil {
		return choice, err
	}
	chosen := state.TimelineOf(callOf(ctx).Actor())
	for _, one := range chosen.Significance {
		choice.Significance = append(choice.Significance, projections.Significance(one))
	}
	choice.Kinds = append(choice.Kinds, chosen.Kinds...)
	return choice, nil
}

func (s *Server) timeline() {
	query(s, op{path: "/workflows/{workflow}/timeline", id: "getTimeline", summary: "What happened, the newest first; what is routine is folded", tag: "workflows", scope: installation.Read,
		about: "If neither significance nor kinds is given, it is what the caller chose to be remembered; all, if they chose nothing."},
		func(ctx context.Context, in *struct {
			OfWorkflow
			Limit        int                        `query:"limit" minimum:"1" maximum:"500" default:"50"`
			Before       int64                      `query:"before" doc:"The next of the page before"`
			Significance []projections.Significance `query:"significance" enum:"person_facing,notable,routine" doc:"Only these"`
			Kinds        []string                   `query:"kinds" enum:"workflow,script,setting,run,repair,fix,question,planner,trigger,draft,routine" doc:"Only these"`
			Actor        string                     `query:"actor"`
			Open         int64                      `query:"open" doc:"The number of a folded entry: answer with what is in it"`
		}) (projections.TimelinePage, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return projections.TimelinePage{}, err
			}
			if in.Open > 0 {
				return s.node.History.Routine(ctx, in.Workflow, in.Open, in.Before, in.Limit)
			}
			if len(in.Significance)+len(in.Kinds) == 0 {
				choice, err := s.timelineChoice(ctx)
				if err != nil {
					return projections.TimelinePage{}, err
				}
				in.Significance, in.Kinds = choice.Significance, choice.Kinds
			}
			return s.node.Queries.Timeline(ctx, projections.TimelineFilter{
				Workflow: in.Workflow, Significance: in.Significance, Kinds: in.Kinds, Actor: in.Actor, Before: in.Before, Limit: in.Limit,
			})
		})
	query(s, op{path: "/timeline-choice", id: "getTimelineChoice", summary: "What you chose to see of timelines", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (TimelineChoice, error) { return s.timelineChoice(ctx) })
	command(s, op{method: http.MethodPut, path: "/timeline-choice", id: "putTimelineChoice", summary: "Have what you want to see of timelines remembered; empty lists for everything", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, c *call, in *struct{ Body TimelineChoice }) (TimelineChoice, error) {
			choose := installation.ChooseTimeline{Viewer: c.Actor(), Kinds: in.Body.Kinds}
			for _, one := range in.Body.Significance {
				choose.Significance = append(choose.Significance, string(one))
			}
			result, err := s.node.Commands.ChooseTimeline(ctx, choose, c.meta())
			if err != nil {
				return TimelineChoice{}, err
			}
			c.did(result)
			return s.timelineChoice(ctx)
		})
}
