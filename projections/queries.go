package projections

import (
	"context"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Queries answers questions from the read models. A missing row is a not_found fault;
// lists are never nil.
type Queries struct {
	store *readmodel.Store
	few   int // workflows that are read to be sorted, if they are all that a search can find
}

// NewQueries asks a store that was opened with the projections of [All].
func NewQueries(store *readmodel.Store) *Queries {
	if store == nil {
		panic("projections: NewQueries without a store")
	}
	return &Queries{store: store, few: mostArguments}
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

// of asks for what belongs to a workflow, if that is the owner's, or to all workflows of an owner. Empty ones choose all.
func (c *conditions) of(table, workflow, owner string) {
	switch {
	case workflow == "":
		c.equal(table+".workflow_owner", owner)
	case owner == "":
		c.equal(table+".workflow", workflow)
	default:
		c.add(table+".workflow = ? AND ? = (SELECT owner FROM workflow WHERE id = ?)", workflow, owner, workflow)
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
