package projections

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// TitlesOf are the titles of the workflows that things of a list are of, by their ids. One that is not there has none.
func TitlesOf[T any](ctx context.Context, q *Queries, list []T, workflow func(T) string) (map[string]string, error) {
	titles := map[string]string{}
	err := q.store.Read(ctx, func(query *readmodel.Query) error {
		for _, one := range list {
			id := workflow(one)
			if _, known := titles[id]; known {
				continue
			}
			title, _, err := readmodel.First(query.Rows("SELECT title FROM workflow WHERE id = ?", id), func(row readmodel.Row) (string, error) { return row.Text("title"), nil })
			if err != nil {
				return err
			}
			titles[id] = title
		}
		return nil
	})
	return titles, err
}
