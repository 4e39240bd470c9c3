package projections

import (
	"context"
	"strings"

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

// mostArguments is how many ids a statement names at once: engines bound it.
const mostArguments = 500

func collect[T any](
	ctx context.Context, q *Queries, scan func(readmodel.Row) (T, error), statement string, args ...any,
) (all []T, err error) {
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		all, err = readmodel.Collect(query.Rows(statement, args...), scan)
		return err
	})
	return all, err
}

// selected is the rows of a table that a question chooses.
func selected[R any](ctx context.Context, q *Queries, from *readmodel.Table[R], rest string, args ...any) (all []R, err error) {
	err = q.store.Read(ctx, func(query *readmodel.Query) error {
		all, err = readmodel.Select(query, from, rest, args...)
		return err
	})
	return all, err
}

// selectedOne is the first of them; missing is the error if there is none.
func selectedOne[R any](ctx context.Context, q *Queries, missing error, from *readmodel.Table[R], rest string, args ...any) (found R, err error) {
	all, err := selected(ctx, q, from, rest+" LIMIT 1", args...)
	switch {
	case err != nil:
		return found, err
	case len(all) == 0:
		return found, missing
	}
	return all[0], nil
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

// conditions make the WHERE clause of a filter. Only what is asked for is in it, so that
// an index can be used.
type conditions struct {
	clauses []string
	args    []any
}

func (c *conditions) add(clause string, args ...any) {
	c.clauses = append(c.clauses, clause)
	c.args = append(c.args, args...)
}

// equal asks for a value, unless it is empty: an empty field of a filter chooses all.
func (c *conditions) equal(column, value string) {
	if value != "" {
		c.add(column+" = ?", value)
	}
}

// ofOwner asks for what belongs to the workflows of an owner.
func (c *conditions) ofOwner(column, owner string) {
	if owner != "" {
		c.add(column+" IN (SELECT id FROM workflow WHERE owner = ?)", owner)
	}
}

func (c *conditions) where() string {
	if len(c.clauses) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(c.clauses, " AND ")
}

// limit bounds how many rows a statement returns, 0 for all.
func (c *conditions) limit(statement string, most int) string {
	if most <= 0 {
		return statement
	}
	c.args = append(c.args, most)
	return statement + " LIMIT ?"
}
