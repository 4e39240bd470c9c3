package api

import (
	"context"
	"net/http"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/schemas"
)

// System is the server that answers, and what it stands on.
type System struct {
	Version  string           `json:"version" doc:"The program's"`
	Node     string           `json:"node" doc:"This server among others"`
	Store    string           `json:"store" doc:"Where the event log is: sqlite, postgres or esdb"`
	Nodes    []app.NodeAtWork `json:"nodes" doc:"Servers that have claimed something, and this one"`
	Head     string           `json:"head" doc:"The newest position of the log"`
	Model    string           `json:"model,omitempty" doc:"That agents of this server ask; empty for none"`
	Readied  app.Readiness    `json:"views"`
	Programs bool             `json:"fixer_program" doc:"A program proposes fixes here"`
}

// Dropped is a generation that is there no more.
type Dropped struct {
	Dropped string `json:"dropped"`
}

func (s *Server) system() {
	whole := func(ctx context.Context) error { return wholeInstallation(callOf(ctx)) }
	query(s, op{path: "/system", id: "getSystem", summary: "The server that answers, and what it stands on", tag: "system", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (System, error) {
			if err := whole(ctx); err != nil {
				return System{}, err
			}
			nodes, err := s.node.Health.Nodes(ctx)
			if err != nil {
				return System{}, err
			}
			head, err := s.node.Log.Head(ctx)
			shown := System{
				Version: s.config.Version, Node: s.node.Name, Store: string(s.node.Address.Backend), Head: string(head), Nodes: nodes, Readied: s.node.Generations.Readiness(), Programs: len(s.node.Program) > 0,
			}
			if s.node.Model != nil {
				shown.Model = s.node.Model.Name()
			}
			return shown, err
		})
	query(s, op{path: "/doctor", id: "doctor", summary: "What is wrong with the installation, and what to do", tag: "system", scope: installation.Admin},
		func(ctx context.Context, _ *struct{}) (Page[app.Check], error) {
			checks := s.node.Health.Doctor(ctx, s.config.Model, false)
			return page(checks, len(checks), nil), nil
		})
	query(s, op{path: "/views", id: "listViews", summary: "The views and their columns", tag: "system", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (Page[readmodel.View], error) {
			views := s.node.History.ListViews()
			return page(views, len(views), nil), whole(ctx)
		})
	query(s, op{path: "/views/{view}", id: "getView", summary: "The rows of a view, now or as they were at any time", tag: "system", scope: installation.Read,
		about: "A view of the past is built anew from the log, which takes as long as the log is; of one that takes longer than a request may, ask 'kintsugi view'."},
		func(ctx context.Context, in *struct {
			View  string   `path:"view" maxLength:"100"`
			At    string   `query:"at" maxLength:"100" doc:"A position of the log, or a time"`
			Where []string `query:"where,explode" doc:"COLUMN=VALUE: only rows with this value"`
			Limit int      `query:"limit" minimum:"1" maximum:"1000" default:"100"`
		}) (app.ViewRows, error) {
			if err := whole(ctx); err != nil {
				return app.ViewRows{}, err
			}
			view, err := s.node.History.ViewNamed(in.View)
			if err != nil {
				return app.ViewRows{}, err
			}
			conditions := make([]readmodel.Condition, len(in.Where))
			for i, one := range in.Where {
				column, value, found := strings.Cut(one, "=")
				if !found {
					return app.ViewRows{}, fault.New(fault.Invalid, "where %q: write COLUMN=VALUE, like status=held", one)
				}
				conditions[i] = readmodel.Condition{Column: column, Value: value}
			}
			return s.node.History.ViewAt(ctx, view, in.At, conditions, in.Limit, func(int) {})
		})
	query(s, op{path: "/generations", id: "listGenerations", summary: "What lists are read from: one generation for each version of the program", tag: "system", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (Page[readmodel.Generation], error) {
			if err := whole(ctx); err != nil {
				return Page[readmodel.Generation]{}, err
			}
			all, err := s.node.Generations.List(ctx)
			return page(all, len(all), nil), err
		})
	command(s, op{method: http.MethodDelete, path: "/generations/{generation}", id: "dropGeneration", summary: "Drop the views of another version of the program", tag: "system", scope: installation.Admin},
		func(ctx context.Context, _ *call, in *struct {
			Generation string `path:"generation" maxLength:"200"`
		}) (Dropped, error) {
			return Dropped{in.Generation}, s.node.Generations.Drop(ctx, in.Generation)
		})
	s.mux.Handle("GET /schemas/", http.StripPrefix("/schemas/", http.FileServerFS(schemas.Files)))
	metrics := s.node.Health.Metrics()
	s.mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, r *http.Request) {
		if _, err := s.enter(r, installation.Metrics); err != nil {
			s.fail(w, r, "metrics", err)
			return
		}
		metrics.ServeHTTP(w, r)
	})
}
