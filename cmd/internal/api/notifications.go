package api

import (
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/projections"
)

// OfNotification names a notification.
type OfNotification struct {
	Notification string `path:"notification" maxLength:"200" doc:"The id of a notification"`
}

// notification is one of a workflow that the caller sees, or one for whoever looks after the installation. Any other is not there.
func (s *Server) notification(ctx context.Context, id string) (projections.Notification, error) {
	one, err := s.node.Queries.Notification(ctx, id)
	if err != nil {
		return one, err
	}
	seen := callOf(ctx).Owner == ""
	if one.Workflow != "" {
		err = s.workflow(ctx, one.Workflow)
		seen = err == nil
	}
	if seen || err != nil && fault.KindOf(err) != fault.NotFound {
		return one, err
	}
	return projections.Notification{}, fault.New(fault.NotFound, "there is no notification %q: see the list of notifications", id)
}

func (s *Server) notifications() {
	query(s, op{path: "/notifications", id: "listNotifications", summary: "Notifications, the newest first; open ones of one cause are one", tag: "notifications", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Paging
			Workflow string                       `query:"workflow"`
			Type     projections.NotificationType `query:"type"`
			For      string                       `query:"for" maxLength:"200" doc:"Only those that were given to this person, or to group:NAME"`
			All      bool                         `query:"all" doc:"Also those that are resolved, or were acknowledged while nothing stands still for them"`
		}) (Page[projections.Notification], error) {
			owner := callOf(ctx).Owner
			list, err := s.node.Queries.Notifications(ctx, projections.NotificationFilter{
				Workflow: in.Workflow, Owner: owner, Type: in.Type, DelegatedTo: in.For, Open: !in.All, Operator: owner == "", Limit: in.Limit + 1, Before: in.After,
			})
			if err == nil {
				err = placed(ctx, list, in.After, s.node.Queries.Notification)
			}
			return page(list, in.Limit, func(n projections.Notification) string { return n.ID }), err
		})
	command(s, op{method: http.MethodPost, path: "/notifications/{notification}/acknowledge", id: "acknowledge", summary: "Say that you have seen a notification", tag: "notifications", scope: installation.Judge,
		about: "One that something stands still for stays open until it is decided."},
		func(ctx context.Context, c *call, in *OfNotification) (projections.Notification, error) {
			one, err := s.notification(ctx, in.Notification)
			if err != nil {
				return one, err
			}
			result, err := s.node.Decisions.Acknowledge(ctx, c.meta, c.Owner, one)
			if err != nil {
				return one, err
			}
			if err := s.see(ctx, c, result); err != nil {
				return one, err
			}
			return s.node.Queries.Notification(ctx, in.Notification)
		})
	command(s, op{method: http.MethodPost, path: "/notifications/{notification}/answer", id: "answer", summary: "Answer a question of a script or of the planner, which goes on with that", tag: "notifications", scope: installation.Judge},
		func(ctx context.Context, c *call, in *struct {
			OfNotification
			Body struct {
				Answer string `json:"answer" doc:"A number chooses one, where there are answers to choose from"`
			}
		}) (projections.Notification, error) {
			one, err := s.notification(ctx, in.Notification)
			if err != nil {
				return one, err
			}
			if one.Type != projections.NotifyQuestion {
				return one, fault.New(fault.Invalid, "notification %s asks nothing: it is of type %s", one.ID, one.Type)
			}
			if _, err := s.node.Decisions.Answer(ctx, c.meta(), one, in.Body.Answer); err != nil {
				return one, err
			}
			if err := s.node.Views.CatchUp(ctx); err != nil {
				return one, err
			}
			return s.node.Queries.Notification(ctx, in.Notification)
		})
	command(s, op{method: http.MethodPost, path: "/notifications/{notification}/delegate", id: "delegate", summary: "Give what waits for you to another person, or to a group", tag: "notifications", scope: installation.Judge,
		about: "They are told by the subscriptions to mail and Slack, with links by which they decide; links that others had say to whom it went. Others of the same cause go with it."},
		func(ctx context.Context, c *call, in *struct {
			OfNotification
			Body struct {
				To   string `json:"to" minLength:"1" maxLength:"200" doc:"A person, by name or mail address, or group: and the name of a subscription whose readers they are"`
				Note string `json:"note,omitempty" maxLength:"2000" doc:"What they should know"`
			}
		}) (projections.Notification, error) {
			one, err := s.notification(ctx, in.Notification)
			if err != nil {
				return one, err
			}
			result, err := s.node.Decisions.Delegate(ctx, c.meta, c.Owner, one, in.Body.To, in.Body.Note)
			if err != nil {
				return one, err
			}
			if err := s.see(ctx, c, result); err != nil {
				return one, err
			}
			return s.node.Queries.Notification(ctx, in.Notification)
		})
	query(s, op{path: "/inbox", id: "getInbox", summary: "Inputs and questions that wait, the oldest first", tag: "notifications", scope: installation.Read},
		func(ctx context.Context, in *struct {
			Limit    int                    `query:"limit" minimum:"1" maximum:"500" default:"100"`
			Workflow string                 `query:"workflow"`
			Kind     string                 `query:"kind"`
			State    projections.InboxState `query:"state"`
			All      bool                   `query:"all" doc:"Also what is done"`
		}) (Page[projections.InboxItem], error) {
			list, err := s.node.Queries.Inbox(ctx, projections.InboxFilter{
				Workflow: in.Workflow, Owner: callOf(ctx).Owner, Kind: in.Kind, State: in.State, Open: !in.All, Limit: in.Limit,
			})
			return page(list, in.Limit, nil), err
		})
	query(s, op{path: "/notifications/{notification}/decision", id: "getDecision", summary: "What a person needs who is asked to do something: what changed, and what can be done", tag: "notifications", scope: installation.Read},
		func(ctx context.Context, in *OfNotification) (app.Decision, error) {
			one, err := s.notification(ctx, in.Notification)
			if err != nil {
				return app.Decision{}, err
			}
			return s.node.Decisions.Gather(ctx, one)
		})
}
