package loop

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Kind is a kind of streams that a Loop watches: a [Watch] of their state.
type Kind interface {
	name() string
	prefix() string
	validate() error
	// about says which streams an event may make something due for.
	about(record eventlog.Record) about
	// reactions are asked for what else they implement: [Limited], [Listener].
	reactions() []any
	reactionName(reaction int) string
	// load gives, by reaction, the work of a stream that has every event up to a revision.
	load(ctx context.Context, id string, revision int64) (func(reaction int) iter.Seq2[string, Work], error)
}

// Watch is a kind of streams whose events fold to an S.
type Watch[S any] struct {
	// Name is what people call one of them.
	Name string
	// Prefix begins the names of these streams in the log; their ids follow.
	Prefix string
	// Load gives folded state, with everything up to a revision of the stream or more.
	Load func(ctx context.Context, id string, revision int64) (S, error)
	// Also says which of them an event of another stream may make something due for. Nil means none.
	Also func(record eventlog.Record) About
	// Reactions are asked in this order.
	Reactions []Reaction[S]
}

// About says which streams of a kind an event is about.
type About struct {
	ID  string // of the one
	All bool   // every one that the loop has met
}

type about struct {
	About
	own bool // the event is on the very stream
}

var nobody about

func (w Watch[S]) name() string { return w.Name }

func (w Watch[S]) prefix() string { return w.Prefix }

func (w Watch[S]) validate() error {
	var faults []error
	if w.Name == "" || w.Prefix == "" {
		faults = append(faults, errors.New("loop.Watch: Name or Prefix is missing"))
	}
	if w.Load == nil {
		faults = append(faults, errors.New("loop.Watch: Load is missing"))
	}
	if len(w.Reactions) == 0 {
		faults = append(faults, errors.New("loop.Watch: Reactions is empty"))
	}
	return errors.Join(faults...)
}

func (w Watch[S]) about(record eventlog.Record) about {
	if id, is := strings.CutPrefix(record.Stream, w.Prefix); is {
		return about{About: About{ID: id}, own: true}
	}
	if w.Also == nil {
		return nobody
	}
	return about{About: w.Also(record)}
}

func (w Watch[S]) reactions() []any {
	all := make([]any, len(w.Reactions))
	for i, reaction := range w.Reactions {
		all[i] = reaction
	}
	return all
}

func (w Watch[S]) reactionName(reaction int) string { return w.Reactions[reaction].Name() }

func (w Watch[S]) load(ctx context.Context, id string, revision int64) (func(int) iter.Seq2[string, Work], error) {
	state, err := w.Load(ctx, id, revision)
	if err != nil {
		return nil, err
	}
	return func(reaction int) iter.Seq2[string, Work] {
		of := w.Reactions[reaction]
		return func(yield func(string, Work) bool) {
			for _, work := range of.Due(id, state) {
				if !yield(of.Name()+" "+work.Key, work) {
					return
				}
			}
		}
	}, nil
}
