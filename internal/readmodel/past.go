package readmodel

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Past is views as they were at a place in the log.
type Past struct {
	scratch *scratch
	last    eventlog.Record
}

// OpenPast builds the views of a configuration from the beginning of the log up to the first event that is beyond, in a
// file of SQLite's that has no name: nothing is left of it. The views in use have no part in it. Applied, if it is not
// nil, is told how many events were applied.
func OpenPast(ctx context.Context, config Config, beyond func(eventlog.Record) bool, applied func(int)) (*Past, error) {
	schema, err := config.validate()
	if err != nil {
		return nil, err
	}
	built, err := newScratch(ctx, config, schema, applied)
	if err != nil {
		return nil, fmt.Errorf("readmodel: begin views of the past: %w", err)
	}
	past := &Past{scratch: built}
	built.store.log = until{config.Log, beyond, &past.last}
	for {
		n, err := built.store.pass(ctx)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("readmodel: build views of the past: %w", err), past.Close())
		}
		if n == 0 {
			return past, nil
		}
	}
}

// Read runs fn on the views, as [Store.Read] does.
func (p *Past) Read(_ context.Context, fn func(*Query) error) error {
	return fn(&Query{source: newSource(p.scratch.engine.conn)})
}

// Last is the last event that is in the views; none of it is set if there is none.
func (p *Past) Last() eventlog.Record { return p.last }

// Close lets go of the views.
func (p *Past) Close() error { return p.scratch.engine.conn.Close() }

// until is a log that ends before the first event that is beyond.
type until struct {
	eventlog.Log
	beyond func(eventlog.Record) bool
	last   *eventlog.Record
}

// All implements [eventlog.Log].
func (l until) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range l.Log.All(ctx, after, filter) {
			if err == nil && l.beyond(record) {
				return
			}
			if err == nil && record.Position > l.last.Position {
				*l.last = record
			}
			if !yield(record, err) {
				return
			}
		}
	}
}
