package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

const spendSchema = `
CREATE TABLE spend ( -- what agents cost, when it was known
  thread TEXT NOT NULL,
  at     INTEGER NOT NULL,
  cost   REAL NOT NULL,
  model  TEXT NOT NULL, -- as its provider names it
  tokens INTEGER NOT NULL
);
CREATE INDEX spend_at ON spend (at);
CREATE INDEX spend_thread ON spend (thread);
`

// applySpend counts each answer of a model when it came, what requests took that were never answered,
// and what the closing of a thread adds to that.
func applySpend(tx *readmodel.Tx, recorded event.Recorded) error {
	at := recorded.Metadata.RecordedAt
	count := func(used *thread.Usage) error {
		if used == nil {
			return nil
		}
		return exec(tx, `INSERT INTO spend (thread, at, cost, model, tokens) VALUES (?, ?, ?, ?, ?)`,
			threadOf(recorded), at, used.CostUSD, used.Model, used.Input+used.Output)
	}
	switch e := recorded.Event.(type) {
	case thread.MessageAppended:
		return count(e.Usage)
	case thread.ModelUnavailable:
		return count(e.Usage)
	case thread.ThreadClosed:
		return exec(tx, `INSERT INTO spend (thread, at, cost, model, tokens)
			SELECT ?1, ?2, ?3 - counted, '', 0 FROM (SELECT coalesce(sum(cost), 0) AS counted FROM spend WHERE thread = ?1)
			WHERE ?3 - counted > 1e-9`, threadOf(recorded), at, e.CostUSD)
	}
	return nil
}

// Spent is what agents have cost since a moment, in US dollars.
func (q *Queries) Spent(ctx context.Context, since time.Time) (float64, error) {
	return one(ctx, q, nil, func(row readmodel.Row) (float64, error) { return row.Float("usd"), nil },
		`SELECT coalesce(sum(cost), 0.0) AS usd FROM spend WHERE at >= ?`, since)
}

// Uncounted is what a model used that cost nothing: its price is 0, or unknown.
type Uncounted struct {
	Model  string `json:"model"`
	Tokens int64  `json:"tokens"`
}

// Uncounted is what was used since a moment and cost nothing, by model.
func (q *Queries) Uncounted(ctx context.Context, since time.Time) ([]Uncounted, error) {
	return collect(ctx, q, func(row readmodel.Row) (Uncounted, error) {
		return Uncounted{Model: row.Text("model"), Tokens: row.Int64("used")}, nil
	}, `SELECT model, sum(tokens) AS used FROM spend WHERE at >= ? AND cost = 0 GROUP BY model HAVING sum(tokens) > 0 ORDER BY model`, since)
}
