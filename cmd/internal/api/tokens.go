package api

import (
	"context"
	"net/http"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

type createToken struct {
	Body struct {
		Name    string               `json:"name,omitempty" doc:"To tell it from others"`
		Person  string               `json:"person,omitempty" doc:"Who acts with it; you, if it is left out"`
		Holder  installation.Holder  `json:"holder,omitempty" enum:"agent,program" doc:"Who holds it: what an agent saves goes through what a planner's does, and a program saves what people decided. Left out, a person"`
		Scopes  []installation.Scope `json:"scopes" minItems:"1" enum:"read,run,edit,decide,admin,metrics"`
		Owner   string               `json:"owner,omitempty" doc:"It sees the workflows of this owner only"`
		Expires time.Time            `json:"expires,omitzero"`
	}
}

func (s *Server) tokens() {
	query(s, op{path: "/tokens", id: "listTokens", summary: "Tokens that let somebody in", tag: "tokens", scope: installation.Admin},
		func(ctx context.Context, in *struct {
			All bool `query:"all" doc:"Also those that were revoked or have expired"`
		}) (Page[app.Token], error) {
			tokens, err := s.node.Tokens.List(ctx, in.All)
			return Page[app.Token]{Items: tokens}, err
		})
	command(s, op{method: http.MethodPost, path: "/tokens", id: "createToken", summary: "Make a token; what has to be shown is said this once", tag: "tokens", scope: installation.Admin, status: http.StatusCreated},
		func(ctx context.Context, c *call, in *createToken) (app.Token, error) {
			person := in.Body.Person
			if person == "" {
				person = c.Person
			}
			return s.node.Tokens.Create(ctx, c.meta(), installation.CreateToken{
				Name: in.Body.Name, Person: person, Holder: in.Body.Holder, Scopes: in.Body.Scopes, Owner: in.Body.Owner, Expires: in.Body.Expires,
			})
		})
	command(s, op{method: http.MethodDelete, path: "/tokens/{token}", id: "revokeToken", summary: "Shut a token out, and every session that was begun with it", tag: "tokens", scope: installation.Admin},
		func(ctx context.Context, c *call, in *struct {
			Token  string `path:"token" maxLength:"200"`
			Reason string `query:"reason" maxLength:"1000"`
		}) (app.Token, error) {
			result, err := s.node.Commands.RevokeToken(ctx, installation.RevokeToken{ID: in.Token, Reason: in.Reason}, c.meta())
			if err != nil {
				return app.Token{}, err
			}
			c.did(result)
			tokens, err := s.node.Tokens.List(ctx, true)
			for _, one := range tokens {
				if one.ID == in.Token {
					return one, err
				}
			}
			return app.Token{}, err
		})
}
