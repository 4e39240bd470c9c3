package projections

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Titles are those of some workflows, by their ids. One that is not there has none.
func (q *Queries) Titles(ctx context.Context, ids []string) (map[string]string, error) {
	titles := make(map[string]string, len(ids))
	err := q.store.Read(ctx, func(query *readmodel.Query) error {
		for _, id := range ids {
			if _, known := titles[id]; known {
				continue
			}
			found, err := readmodel.Collect(query.Rows("SELECT title FROM workflow WHERE id = ?", id), func(row readmodel.Row) (string, error) { return row.Text("title"), nil })
			if err != nil {
				return err
			}
			for _, title := range found {
				titles[id] = title
			}
		}
		return nil
	})
	return titles, err
}
