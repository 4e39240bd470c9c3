package projections

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Queries answers questions from the read models. What is not there is a not_found fault;
// lists are never nil.
type Queries struct {
	store *readmodel.Store
}

// NewQueries asks a store that was opened with the projections of [All].
func NewQueries(store *readmodel.Store) *Queries {
	if store == nil {
		panic("projections: NewQueries without a store")
	}
	return &Queries{store: store}
}

func collect[T any](
	ctx context.Context, q *Queries, scan func(readmodel.Row) (T, error), statement string, args ...any,
) (all []T, err error) {
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		all, err = readmodel.Collect(query.Rows(statement, args...), scan)
		return err
	})
	return all, err
}

// one reads the first row; missing is the error if there is none.
func one[T any](
	ctx context.Context, q *Queries, missing error, scan func(readmodel.Row) (T, error), statement string, args ...any,
) (found T, err error) {
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		var there bool
		found, there, err = readmodel.First(query.Rows(statement, args...), scan)
		if err == nil && !there {
			err = missing
		}
		return err
	})
	return found, err
}
