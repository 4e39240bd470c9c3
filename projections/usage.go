package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// SpentFor is what agents have cost on the workflows of an owner since a moment, in millionths of a US dollar: of each
// answer to the nearest one, so that sums are exact.
func (q *Queries) SpentFor(ctx context.Context, owner string, since time.Time) (int64, error) {
	return one(ctx, q, nil, func(row readmodel.Row) (int64, error) { return row.Int64("micros"), nil },
		`SELECT coalesce(sum(CAST(round(spend.cost * 1000000) AS INTEGER)), 0) AS micros
			FROM workflow JOIN thread ON thread.workflow = workflow.id JOIN spend ON spend.thread = thread.id
			WHERE workflow.owner = ? AND spend.at >= ?`, owner, since)
}
