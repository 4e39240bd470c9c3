package projections

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// spent is what an agent cost, when it was known.
type spent struct {
	Thread   string    `col:"thread,key"`
	Revision int64     `col:"revision,key"` // of the event that says so
	At       time.Time `col:"at"`
	CostUSD  float64   `col:"cost"`
	Model    string    `col:"model"` // as its provider names it
	Tokens   int64     `col:"tokens"`
	Owner    string    `col:"owner"`  // of the workflow, then
	Micros   int64     `col:"micros"` // the cost to the nearest millionth of a dollar: sums of it are exact
}

// spentTotal is what is counted of a thread so far.
type spentTotal struct {
	Thread  string  `col:"thread,key"`
	CostUSD float64 `col:"cost"`
}

var (
	spending    = readmodel.NewTable[spent]("spend", readmodel.Index("at", "cost", "model", "tokens"), readmodel.Index("owner", "at", "micros"))
	spentTotals = readmodel.NewTable[spentTotal]("spend_total")
)

// applySpend is the meter of what is used: runs when they end, and what agents cost. It counts each answer of a model when it came, what requests took that were never answered,
// and what the closing of a thread adds to that.
func applySpend(tx *readmodel.Tx, recorded event.Recorded) error {
	count := func(used *thread.Usage) {
		if used == nil {
			return
		}
		id := threadOf(recorded)
		of := workflowOf(recorded)
		one := spent{
			Thread: id, Revision: recorded.Revision, At: recorded.Metadata.RecordedAt,
			CostUSD: used.CostUSD, Model: used.Model, Tokens: used.Input + used.Output, Owner: ownerOf(tx, of), Micros: money.FromUSD(used.CostUSD),
		}
		spending.Insert(tx, one)
		use(tx, of, one.At, UsageOfDay{Tokens: one.Tokens, Micros: one.Micros})
		if total := spentTotals.Edit(tx, id); total != nil {
			total.CostUSD += used.CostUSD
		} else {
			spentTotals.Insert(tx, spentTotal{Thread: id, CostUSD: used.CostUSD})
		}
	}
	switch e := recorded.Event.(type) {
	case workflow.WorkflowErased:
		usedBefore(tx, recorded, e)
	case run.RunEnded:
		ranOn(tx, recorded, e)
	case run.ExecutionCancelled:
		if of := runs.Get(tx, e.Run); of != nil && !of.Started.IsZero() {
			use(tx, workflowOf(recorded), recorded.Metadata.RecordedAt, UsageOfDay{Runs: 1, RunMS: of.Duration().Milliseconds(), Calls: e.Calls})
		}
	case thread.MessageAppended:
		count(e.Usage)
	case thread.ModelUnavailable:
		count(e.Usage)
	case thread.ThreadClosed:
		counted := 0.0
		if total := spentTotals.Get(tx, threadOf(recorded)); total != nil {
			counted = total.CostUSD
		}
		if more := e.CostUSD - counted; more > 1e-9 {
			count(&thread.Usage{CostUSD: more})
		}
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
