package api

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/gallery"
)

type takeFromGallery struct {
	Name string `path:"name" maxLength:"100" doc:"The name of an automation of the gallery"`
	Body struct {
		Title    string            `json:"title,omitempty" doc:"Default its own"`
		Owner    string            `json:"owner,omitempty" doc:"Whose it is; yours, if it is left out"`
		Services map[string]string `json:"services" doc:"The addresses of your services, by those of the examples"`
	}
}

func (s *Server) gallery() {
	query(s, op{path: "/gallery", id: "listGallery", summary: "Automations to begin with", about: "Each comes with recorded runs on example services, so that it can be mended from the first day.", tag: "workflows", scope: installation.Read},
		func(_ context.Context, in *struct {
			Text string `query:"text" maxLength:"200" doc:"Only those that have all these words, in their name, title, purpose or tags"`
		}) (Page[gallery.Entry], error) {
			entries, err := gallery.Entries()
			list := slices.DeleteFunc(slices.Clone(entries), func(one gallery.Entry) bool { return !one.Matches(strings.Fields(in.Text)) })
			return page(list, len(list), nil), err
		})
	command(s, op{method: http.MethodPost, path: "/gallery/{name}", id: "takeFromGallery", summary: "Make a draft of an automation of the gallery", about: "The script asks your services in the place of the examples. Its recorded runs are the draft's history.", tag: "workflows", scope: installation.Edit, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *takeFromGallery) (app.WorkflowView, error) {
			entry, err := gallery.Find(in.Name)
			if err != nil {
				return app.WorkflowView{}, fault.New(fault.NotFound, "%w: see the list of the gallery", err)
			}
			bundle, err := entry.Own(in.Body.Services)
			if err != nil {
				return app.WorkflowView{}, fault.New(fault.Invalid, "services: %w", err)
			}
			owner, err := c.ownerFor(in.Body.Owner)
			if err != nil {
				return app.WorkflowView{}, err
			}
			create := workflow.Create{ID: c.newID("workflow"), Title: cmp.Or(in.Body.Title, entry.Title), Intent: entry.Intent, Zone: bundle.Workflow.Zone, Owner: owner}
			c.location = Base + "/workflows/" + create.ID
			if err := s.node.Workflows.CheckTitle(ctx, create.ID, create.Title, c.Owner); err != nil {
				return app.WorkflowView{}, err
			}
			result, err := s.node.ImportBundle(ctx, c.meta, create, c.newID("script"), bundle, nil)
			if err != nil {
				return app.WorkflowView{}, err
			}
			c.did(result)
			return s.node.Workflows.Get(ctx, create.ID)
		})
}
