package eventlogtest

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var appendFaults = []fault{
	{
		"ignores conflicts",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				for {
					appended, err := f.Log.Append(ctx, stream, expected, events)
					conflict, ok := errors.AsType[*eventlog.ConflictError](err)
					if !ok {
						return appended, err
					}
					expected = eventlog.At(conflict.Actual)
				}
			}
		},
		[]string{"an append needs the stream to be as expected", "a conflict stores nothing", "of 16 concurrent writers one wins each revision", "two processes share one log"},
	},
	{
		"tells a wrong revision with a conflict",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := f.Log.Append(ctx, stream, expected, events)
				if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
					conflict.Actual--
				}
				return appended, err
			}
		},
		[]string{"an append needs the stream to be as expected", "a repeat of some of the events is a conflict", "names may have odd characters"},
	},
	{
		"loses the last event of a batch",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				if len(events) < 2 {
					return f.Log.Append(ctx, stream, expected, events)
				}
				appended, err := f.Log.Append(ctx, stream, expected, events[:len(events)-1])
				appended.Last++
				return appended, err
			}
		},
		[]string{"a read gives back what was appended", "of 16 concurrent writers one wins each revision", "readers never see a part of an append"},
	},
	{
		"acknowledges what it does not store",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				if last := expected.Revision(); last%5 == 3 {
					return eventlog.Appended{First: last + 1, Last: last + int64(len(events)), Position: eventlog.PositionOf(9)}, nil
				}
				return f.Log.Append(ctx, stream, expected, events)
			}
		},
		[]string{"of 16 concurrent writers one wins each revision", "close waits for accepted appends"},
	},
	{
		"appends a batch event by event",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				if len(events) < 2 || expected == nil {
					return f.Log.Append(ctx, stream, expected, events)
				}
				var all eventlog.Appended
				for i, event := range events {
					appended, err := f.Log.Append(ctx, stream, eventlog.At(expected.Revision()+int64(i)), []eventlog.Event{event})
					if err != nil {
						return appended, err
					}
					if i == 0 {
						all = appended
					}
					all.Last, all.Position = appended.Last, appended.Position
				}
				return all, nil
			}
		},
		[]string{"an id is bound to its content", "a repeat of some of the events is a conflict", "an append is refused before it is stored", "readers never see a part of an append"},
	},
	{
		"does not know repeats",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := f.Log.Append(ctx, stream, expected, events)
				if appended.Repeated {
					return eventlog.Appended{}, &eventlog.ConflictError{Stream: stream, Expected: expected.Revision(), Actual: appended.Last}
				}
				return appended, err
			}
		},
		[]string{"a repeated append gives the first result", "a repeat is known after a reopen", "a repeat is known in another process"},
	},
	{
		"appends repeats again",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := f.Log.Append(ctx, stream, expected, events)
				if !appended.Repeated {
					return appended, err
				}
				copies := slices.Clone(events)
				for i := range copies {
					copies[i].ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte(copies[i].ID)).String()
				}
				_, err = f.Log.Append(ctx, stream, expected, copies)
				if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
					_, err = f.Log.Append(ctx, stream, eventlog.At(conflict.Actual), copies)
				}
				return appended, err
			}
		},
		[]string{"a repeated append gives the first result", "a repeat is known after a reopen"},
	},
	{
		"compares ids only",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := f.Log.Append(ctx, stream, expected, events)
				if _, ok := errors.AsType[*eventlog.ContentError](err); ok {
					return eventlog.Appended{Repeated: true}, nil
				}
				return appended, err
			}
		},
		[]string{"an id is bound to its content", "a repeat is known after a reopen", "a repeat is known in another process"},
	},
	{
		"takes an id of another stream for a repeat",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				for record := range f.Log.All(ctx, eventlog.Start, eventlog.Everything) {
					if record.Stream != stream && record.ID == events[0].ID {
						return eventlog.Appended{First: record.Revision, Last: record.Revision, Position: record.Position, Repeated: true}, nil
					}
				}
				return f.Log.Append(ctx, stream, expected, events)
			}
		},
		[]string{"an id in one stream says nothing about another"},
	},
	{
		"tells the position of the first event",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := f.Log.Append(ctx, stream, expected, events)
				if err == nil && len(events) > 1 {
					for record := range f.Log.Stream(ctx, stream, appended.First) {
						appended.Position = record.Position
						break
					}
				}
				return appended, err
			}
		},
		[]string{"an append says where its events are", "the head is the position of the newest event"},
	},
	{
		"has a smaller limit",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				size := 0
				for _, event := range events {
					size += len(event.Payload) + len(event.Metadata)
				}
				if size >= eventlog.MaxAppendBytes || len(events) >= eventlog.MaxAppendEvents {
					return eventlog.Appended{}, &eventlog.InvalidError{Stream: stream, Reason: "it is too large for me"}
				}
				return f.Log.Append(ctx, stream, expected, events)
			}
		},
		[]string{"an append may have 1 MiB", "an append may have 10,000 events"},
	},
	{
		"takes what is too large in two halves",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := f.Log.Append(ctx, stream, expected, events)
				if _, ok := errors.AsType[*eventlog.InvalidError](err); !ok || len(events) < 2 {
					return appended, err
				}
				half := len(events) / 2
				if appended, err = f.Log.Append(ctx, stream, expected, events[:half]); err != nil {
					return appended, err
				}
				return f.Log.Append(ctx, stream, eventlog.At(appended.Last), events[half:])
			}
		},
		[]string{"an append may have 1 MiB", "an append may have 10,000 events", "an append is refused before it is stored"},
	},
	{
		"folds the case of names",
		func(f *faulty) { f.name = strings.ToLower },
		[]string{"names may have odd characters", "streams are selected by prefix"},
	},
	{
		"escapes names",
		func(f *faulty) { f.name = url.PathEscape },
		[]string{"names may have odd characters", "a read gives back what was appended"},
	},
	{
		"forgets that it is closed",
		func(f *faulty) {
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := f.Log.Append(ctx, stream, expected, events)
				if errors.Is(err, eventlog.ErrClosed) {
					err = nil
				}
				return appended, err
			}
		},
		[]string{"a closed log says so"},
	},
	{
		"loses everything when it is closed",
		func(f *faulty) {
			path := f.path
			f.close = func() error {
				f.path = path + ".new" // as a log in memory would
				return f.Log.Close()
			}
		},
		[]string{"what was appended is there after a reopen", "a repeat is known after a reopen", "close waits for accepted appends"},
	},
}
