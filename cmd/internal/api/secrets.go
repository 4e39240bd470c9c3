package api

import (
	"context"
	"net/http"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

// OfSecret names a secret.
type OfSecret struct {
	Name     string `path:"name" maxLength:"200"`
	Workflow string `query:"workflow" doc:"The workflow that may use it; without it, every workflow"`
}

// mayKeep refuses to change a secret of a workflow that the caller does not see, and that of all workflows to all but
// administrators.
func (s *Server) mayKeep(ctx context.Context, c *call, workflow string) error {
	if workflow == "" {
		if !c.Allows(installation.Admin) {
			return fault.New(fault.Forbidden, "a secret of all workflows needs the scope %s: name a workflow", installation.Admin)
		}
		return nil
	}
	err := s.workflow(ctx, workflow)
	return err
}

func (s *Server) secrets() {
	query(s, op{path: "/secrets", id: "listSecrets", summary: "What scripts sign in with: names, hosts and workflows; never values", tag: "secrets", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (Page[vault.Secret], error) {
			all, err := s.node.Secrets.List(ctx)
			if err != nil {
				return Page[vault.Secret]{}, err
			}
			seen := []vault.Secret{}
			for _, one := range all {
				if callOf(ctx).Owner != "" {
					if err := s.workflow(ctx, one.Workflow); err != nil {
						continue
					}
				}
				seen = append(seen, one)
			}
			return page(seen, len(seen), nil), nil
		})
	command(s, op{method: http.MethodPut, path: "/secrets/{name}", id: "setSecret", summary: "Set or replace a secret; workflows that wait for it go on", tag: "secrets", scope: installation.Edit, maxBody: 128 << 10,
		about: "The value is encrypted and never given back. It is sent to the named hosts only."},
		func(ctx context.Context, c *call, in *struct {
			OfSecret
			Body struct {
				Value string   `json:"value" minLength:"1" writeOnly:"true"`
				Hosts []string `json:"hosts" minItems:"1" doc:"Hosts, or host:port, that it may be sent to"`
				Retry bool     `json:"retry,omitempty" doc:"Try the runs again that were refused without it"`
			}
		}) (app.SetSecret, error) {
			if err := s.mayKeep(ctx, c, in.Workflow); err != nil {
				return app.SetSecret{}, err
			}
			return s.node.Secrets.Set(ctx, c.meta(), vault.Binding{Name: in.Name, Workflow: in.Workflow, Hosts: in.Body.Hosts}, in.Body.Value, in.Body.Retry)
		})
	command(s, op{method: http.MethodDelete, path: "/secrets/{name}", id: "removeSecret", summary: "Remove a secret", tag: "secrets", scope: installation.Edit},
		func(ctx context.Context, c *call, in *OfSecret) (vault.Binding, error) {
			if err := s.mayKeep(ctx, c, in.Workflow); err != nil {
				return vault.Binding{}, err
			}
			return vault.Binding{Name: in.Name, Workflow: in.Workflow, Hosts: []string{}}, s.node.Secrets.Remove(ctx, c.meta(), in.Name, in.Workflow)
		})
}
