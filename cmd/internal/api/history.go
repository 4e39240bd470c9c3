package api

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// LocalThen asks for what a workflow keeps for itself, now or as it was.
type LocalThen struct {
	OfWorkflow
	At string `query:"at" maxLength:"100" doc:"A version (1.1), a revision (14) or a time: as it was then"`
}

// Chains are streams whose hash chains are whole.
type Chains struct {
	Whole   bool     `json:"whole"`
	Streams []string `json:"streams"`
}

func (s *Server) history() {
	query(s, op{path: "/workflows/{workflow}/history", id: "getHistory", summary: "Every event of a workflow, in order", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			Paging
			All bool `query:"all" doc:"Also what runs did and agents said"`
		}) (Page[app.HistoryLine], error) {
			recorded, err := s.recorded(ctx, in.Workflow, in.All, in.After, in.Limit+1)
			if err != nil {
				return Page[app.HistoryLine]{}, err
			}
			lines, err := app.HistoryLines(recorded, s.node.Zone())
			return page(lines, in.Limit, func(one app.HistoryLine) string { return one.Position }), err
		})
	query(s, op{path: "/workflows/{workflow}/moment", id: "getMoment", summary: "A workflow as it was, with its keys and files, and what is different now", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			At string `query:"at" required:"true" maxLength:"100" doc:"A version (1.1), a revision of the workflow's stream (14) or a time"`
		}) (app.ShownMoment, error) {
			recorded, err := s.recorded(ctx, in.Workflow, true, "", 0)
			if err != nil {
				return app.ShownMoment{}, err
			}
			shown, _, err := app.MomentOf(in.Workflow, recorded, in.At, false, s.node.Zone())
			return shown, err
		})
	query(s, op{path: "/workflows/{workflow}/changes", id: "getChanges", summary: "What changed between two moments: state, settings, script, keys and files, and the runs in between", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *struct {
			OfWorkflow
			From string `query:"from" required:"true" maxLength:"100" doc:"A version, a revision or a time"`
			To   string `query:"to" maxLength:"100" doc:"Likewise; default now"`
		}) (app.ShownChange, error) {
			recorded, err := s.recorded(ctx, in.Workflow, true, "", 0)
			if err != nil {
				return app.ShownChange{}, err
			}
			return app.ChangeOf(in.Workflow, recorded, in.From+".."+in.To, s.node.Zone())
		})
	query(s, op{path: "/workflows/{workflow}/chains", id: "verifyChains", summary: "Check the hash chains of a workflow's streams: 409 says where one is broken", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *OfWorkflow) (Chains, error) {
			if err := s.workflow(ctx, in.Workflow); err != nil {
				return Chains{}, err
			}
			streams, err := s.node.History.Streams(ctx, in.Workflow)
			if err != nil {
				return Chains{}, err
			}
			return Chains{Whole: true, Streams: streams}, s.node.History.VerifyChains(ctx, streams)
		})
	s.kept()
	command(s, op{method: http.MethodPost, path: "/verify", id: "verifyLog", summary: "Check the hash chain of every stream", tag: "history", scope: installation.Admin,
		about: "What is broken is in the answer. It reads the whole log: of one that takes longer than a request may, 'kintsugi verify' checks it beside the server."},
		func(ctx context.Context, _ *call, in *struct {
			Body *struct {
				Deep bool `json:"deep,omitempty" doc:"Also check that every event can have happened"`
			}
		}) (app.Verified, error) {
			verification, err := app.NewVerification(s.node.Log, s.node.Address, noBar)
			if err != nil {
				return app.Verified{}, err
			}
			found, _, err := verification.Check(ctx, nil, given(in.Body).Deep)
			if found.Broken != nil {
				err = nil // it is said in what was found
			}
			return found, err
		})
}

// wholeInstallation refuses, of what needs less than admin, those who see the workflows of one owner only.
func wholeInstallation(c *call) error {
	if c.Owner == "" {
		return nil
	}
	return fault.New(fault.Forbidden, "this is of the whole installation, and your token is for the workflows of %s only", c.Owner)
}

type silentBar struct{}

func (silentBar) Add(int64) {}
func (silentBar) Done()     {}

func noBar(int64, string) app.Bar { return silentBar{} }

// recorded is the history of a workflow that the caller sees: its own stream or everything, after a position, and at
// most so many events; 0 for all.
func (s *Server) recorded(ctx context.Context, id string, all bool, after string, most int) (list []event.Recorded, err error) {
	if err := s.workflow(ctx, id); err != nil {
		return nil, err
	}
	if after != "" {
		at, err := s.position(ctx, after)
		if err != nil {
			return nil, err
		}
		after = string(at)
	}
	streams := []string{workflow.Stream(id)}
	if all {
		if streams, err = s.node.History.Streams(ctx, id); err != nil {
			return nil, err
		}
	}
	for one, err := range s.node.Commands.History(ctx, streams) {
		if err != nil {
			return nil, err
		}
		if one.Position <= after {
			continue
		}
		if list = append(list, one); len(list) == most {
			break
		}
	}
	return list, nil
}

// kept is what workflows keep for themselves.
func (s *Server) kept() {
	local := func(ctx context.Context, in *LocalThen) (projections.Local, error) {
		if err := s.workflow(ctx, in.Workflow); err != nil {
			return projections.Local{}, err
		}
		return s.node.History.Local(ctx, in.Workflow, in.At)
	}
	query(s, op{path: "/workflows/{workflow}/keys", id: "getKeys", summary: "The keys that a workflow keeps, with their values", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *LocalThen) (map[string]json.RawMessage, error) {
			of, err := local(ctx, in)
			return orEmpty(of.KV), err
		})
	query(s, op{path: "/workflows/{workflow}/keys/{key}", id: "getKey", summary: "One key", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *struct {
			LocalThen
			Key string `path:"key" maxLength:"1000"`
		}) (json.RawMessage, error) {
			of, err := local(ctx, &in.LocalThen)
			if err != nil {
				return nil, err
			}
			value, found := of.KV[in.Key]
			if !found {
				return nil, fault.New(fault.NotFound, "there is no key %q: see 'kintsugi workflow keys %s'", in.Key, in.Workflow)
			}
			return value, nil
		})
	query(s, op{path: "/workflows/{workflow}/files", id: "getFiles", summary: "The files that a workflow keeps, with what is in them", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *LocalThen) (map[string]projections.LocalFile, error) {
			of, err := local(ctx, in)
			return orEmpty(of.Files), err
		})
	query(s, op{path: "/workflows/{workflow}/files/{file}", id: "getFile", summary: "One file: its path, with / written as %2F", tag: "history", scope: installation.Read},
		func(ctx context.Context, in *struct {
			LocalThen
			File string `path:"file" maxLength:"1000"`
		}) (projections.LocalFile, error) {
			of, err := local(ctx, &in.LocalThen)
			if err != nil {
				return projections.LocalFile{}, err
			}
			file, found := of.Files[in.File]
			if !found {
				return file, fault.New(fault.NotFound, "there is no file %q: see 'kintsugi workflow files %s'", in.File, in.Workflow)
			}
			return file, nil
		})
}

func orEmpty[T any](of map[string]T) map[string]T {
	if of == nil {
		return map[string]T{}
	}
	return of
}
