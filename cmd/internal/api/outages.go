package api

import (
	"context"

	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/projections"
)

func (s *Server) outages() {
	query(s, op{path: "/outages", id: "listOutages", summary: "Services that do not answer now, with what is tried again by itself, and when", tag: "workflows", scope: installation.Read},
		func(ctx context.Context, _ *struct{}) (Page[projections.Outage], error) {
			all, err := s.node.Queries.Outages(ctx, callOf(ctx).Owner)
			return page(all, len(all), nil), err
		})
}
