package api

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// takingHooks is what people are told of where it fails again and again.
const takingHooks = "taking in what is sent to hooks"

// mostHooked is the size of what is sent to a hook, in bytes.
const mostHooked = 1 << 20

// OfHook names a hook of a workflow.
type OfHook struct {
	OfWorkflow
	Hook string `path:"hook" maxLength:"40"`
}

// hooks are addresses at which the outside starts workflows.
func (s *Server) hooks() {
	query(s, op{path: "/workflows/{workflow}/hooks", id: "listHooks", summary: "Addresses at which the outside starts a workflow", tag: "hooks", scope: installation.Read},
		func(ctx context.Context, in *OfWorkflow) (Page[app.Hook], error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return Page[app.Hook]{}, err
			}
			hooks, err := s.node.Workflows.Hooks(ctx, in.Workflow)
			return page(hooks, len(hooks), nil), err
		})
	change := func(ctx context.Context, c *call, id string, command func() (app.Hook, commands.Result, error)) (hook app.Hook, err error) {
		_, err = s.onWorkflow(ctx, c, id, func() (result commands.Result, err error) {
			hook, result, err = command()
			return result, err
		})
		return hook, err
	}
	command(s, op{method: http.MethodPost, path: "/workflows/{workflow}/hooks/{hook}", id: "addHook", summary: "Make a hook; its secret is said this once", tag: "hooks", scope: installation.Edit, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *struct {
			OfHook
			Body struct {
				Style  workflow.HookStyle `json:"style" enum:"standard,token,github,stripe,slack,shopify,twilio,meta,zoom,discord,linear,telegram" doc:"How a sender proves itself: Standard Webhooks, by the secret itself, or as a service does"`
				Within int64              `json:"answer_within_ms,omitempty" minimum:"1" maximum:"60000" doc:"Answer with what the run returns if it ends within this time, in milliseconds; left out, with what became of the input"`
				Secret string             `json:"secret,omitempty" maxLength:"4096" writeOnly:"true" doc:"What the service has made: its signing secret, app secret, auth token or public key. Without it one is made here, where the service takes one"`
			}
		}) (app.Hook, error) {
			return change(ctx, c, in.Workflow, func() (app.Hook, commands.Result, error) {
				return s.node.Workflows.AddHook(ctx, c.meta(), in.Workflow, in.Hook, in.Body.Style, in.Body.Secret, time.Duration(in.Body.Within)*time.Millisecond)
			})
		})
	command(s, op{method: http.MethodDelete, path: "/workflows/{workflow}/hooks/{hook}", id: "removeHook", summary: "Take a hook away", tag: "hooks", scope: installation.Edit},
		func(ctx context.Context, c *call, in *OfHook) (app.Hook, error) {
			return change(ctx, c, in.Workflow, func() (app.Hook, commands.Result, error) {
				return s.node.Workflows.RemoveHook(ctx, c.meta(), in.Workflow, in.Hook)
			})
		})
	s.describe(&huma.Operation{
		OperationID: "callHook", Method: http.MethodPost, Path: "/hooks/{workflow}/{hook}", Summary: "Start a workflow from outside", Tags: []string{"hooks"},
		Description: "The sender shows no token: it proves itself as the style of the hook says. The body, JSON or a form, is the run's input. A service that asks whether the hook is there is answered as it wants it, and so is what it sends. A hook that was made with answer_within_ms answers with what the run returns: its status, type and body, or as JSON.",
		Parameters:  []*huma.Param{pathParam("workflow", "The id of a workflow"), pathParam("hook", "The name of its hook")},
		RequestBody: &huma.RequestBody{Content: map[string]*huma.MediaType{"application/json": {Schema: &huma.Schema{}}}},
		Responses: map[string]*huma.Response{"200": {Description: "It is taken, or a challenge is answered: what the service wants to hear"}, "204": {Description: "The same, of Discord"}, "202": {Description: "It is taken", Content: map[string]*huma.MediaType{"application/json": {
			Schema: s.api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[app.Sent](), true, "Sent"),
		}}}},
	}, "")
	s.api.OpenAPI().Paths["/hooks/{workflow}/{hook}"].Post.Security = []map[string][]string{}
	s.mux.HandleFunc("POST /hooks/{workflow}/{hook}", s.hooked)
	s.mux.HandleFunc("GET /hooks/{workflow}/{hook}", s.hooked)
}

// hooked starts a workflow for a sender that shows no token, and proves itself to the hook.
func (s *Server) hooked(w http.ResponseWriter, r *http.Request) {
	body, err := s.received(w, r, mostHooked)
	if err != nil {
		s.fail(w, r, "hook", err)
		return
	}
	answer, sent, err := s.node.Workflows.Hooked(r.Context(), r.PathValue("workflow"), r.PathValue("hook"), app.HookRequest{
		Method: r.Method, Addresses: s.called(r), Query: r.URL.Query(), Header: r.Header, Body: body,
	})
	if fault.KindOf(err) == fault.Internal && r.Context().Err() == nil {
		s.node.Fares(r.Context(), takingHooks, err) // whoever sends is a program
	} else if err == nil {
		s.node.Fares(r.Context(), takingHooks, nil)
	}
	if fault.KindOf(err) == fault.Forbidden {
		if wait := s.failed.add(address(r)); wait > 0 {
			err = tooMany(wait)
		} else {
			err = problem(http.StatusUnauthorized, "%s", err)
		}
	}
	if err != nil {
		s.fail(w, r, "hook", err)
		return
	}
	answer = s.replied(w, r, answer, sent)
	if answer.Status == 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		_ = writeJSON(w, sent) // there is nobody else to tell
		return
	}
	if answer.Type != "" {
		w.Header().Set("Content-Type", answer.Type)
	}
	w.WriteHeader(answer.Status)
	_, _ = w.Write(answer.Body) // there is nobody else to tell
}

// replied is what the run that was sent for returns, if its hook answers so and it ends in time; else the answer that there was.
func (s *Server) replied(w http.ResponseWriter, r *http.Request, answer app.HookAnswer, sent app.Sent) app.HookAnswer {
	if answer.Within == 0 || sent.Outcome == app.SentSkipped || sent.Outcome == app.SentDropped {
		return answer
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(answerTime + answer.Within)) // of a server that has none, nothing ends the answer
	result, ended := s.result(r.Context(), sent.Workflow, sent.Run, answer.Within)
	switch final := result.Final; {
	case !ended || final.ID == "":
	case final.Status == projections.RunSucceeded:
		return app.Reply(final.Output)
	case final.Status == projections.RunFailed && result.RetryAt.IsZero() && result.Status != workflow.StatusMaintenance, final.Status == projections.RunCancelled:
		// Its error is for people of this server: a sender is somebody else.
		body, err := json.Marshal(problem(http.StatusInternalServerError, "the run %s came to nothing (%s). What is sent again with the same id is answered with what has become of it", final.ID, final.Status))
		if err == nil {
			return app.HookAnswer{Status: http.StatusInternalServerError, Type: "application/problem+json", Body: body}
		}
	}
	return answer
}

// called are the addresses that a sender may have called: a proxy may stand between, which speaks TLS, or another name.
func (s *Server) called(r *http.Request) []string {
	path := r.URL.RequestURI()
	all := []string{"https://" + r.Host + path, "http://" + r.Host + path}
	if public := s.node.Links.Public; public != "" {
		all = append(all, strings.TrimSuffix(public, "/")+path)
	}
	return all
}

// received is a body of a sender that is not known yet: it is bounded in size and time.
func (s *Server) received(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	control := http.NewResponseController(w)
	if err := control.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, problem(http.StatusRequestEntityTooLarge, "the body is larger than %d bytes", most)
	}
	if err != nil {
		return nil, problem(http.StatusBadRequest, "the body cannot be read")
	}
	return body, control.SetReadDeadline(time.Time{}) // else the request would end then
}
