package eventlogtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// faulty is a sound log with one promise broken.
type faulty struct {
	eventlog.Log
	path   string
	append func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error)
	read   func(records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error]
	from   func(from int64) int64
	head   func(eventlog.Position) eventlog.Position
	wake   func() (<-chan struct{}, func())
	closed func(error) error
}

func (f *faulty) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if f.append != nil {
		return f.append(f.Log, ctx, stream, expected, events)
	}
	appended, err := f.Log.Append(ctx, stream, expected, events)
	return appended, f.afterClose(err)
}

func (f *faulty) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return f.reading(f.Log.All(ctx, after, filter))
}

func (f *faulty) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	if f.from != nil {
		from = f.from(from)
	}
	return f.reading(f.Log.Stream(ctx, stream, from))
}

func (f *faulty) reading(records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
	if f.read == nil {
		return records
	}
	return f.read(records)
}

func (f *faulty) Head(ctx context.Context) (eventlog.Position, error) {
	head, err := f.Log.Head(ctx)
	if f.head != nil {
		head = f.head(head)
	}
	return head, err
}

func (f *faulty) Wake() (<-chan struct{}, func()) {
	if f.wake != nil {
		return f.wake()
	}
	return f.Log.Wake()
}

func (f *faulty) afterClose(err error) error {
	if f.closed != nil && errors.Is(err, eventlog.ErrClosed) {
		return f.closed(err)
	}
	return err
}

// each changes the records of a read one by one.
func each(change func(eventlog.Record) eventlog.Record) func(iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
	return func(records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
		return func(yield func(eventlog.Record, error) bool) {
			for record, err := range records {
				if !yield(change(record), err) {
					return
				}
			}
		}
	}
}

// rearranged changes all records of a read at once.
func rearranged(change func([]eventlog.Record) []eventlog.Record) func(iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
	return func(records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
		return func(yield func(eventlog.Record, error) bool) {
			var all []eventlog.Record
			for record, err := range records {
				if err != nil {
					yield(record, err)
					return
				}
				all = append(all, record)
			}
			for _, record := range change(all) {
				if !yield(record, nil) {
					return
				}
			}
		}
	}
}

// TestSuiteFindsFaults is the negative control: a suite that a broken log passes is worth nothing.
func TestSuiteFindsFaults(t *testing.T) {
	t.Parallel()
	type fault struct {
		broken faulty
		caught []string // the cases that must fail
	}
	for name, fault := range map[string]fault{
		"ignores conflicts": {
			faulty{append: func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				for {
					appended, err := log.Append(ctx, stream, expected, events)
					conflict, ok := errors.AsType[*eventlog.ConflictError](err)
					if !ok {
						return appended, err
					}
					expected = eventlog.At(conflict.Actual)
				}
			}},
			[]string{"an append needs the stream to be as expected", "a conflict stores nothing", "of 16 concurrent writers one wins each revision", "two processes share one log"},
		},
		"loses the last event of a batch": {
			faulty{append: func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				if len(events) < 2 {
					return log.Append(ctx, stream, expected, events)
				}
				appended, err := log.Append(ctx, stream, expected, events[:len(events)-1])
				appended.Last++
				return appended, err
			}},
			[]string{"a read gives back what was appended", "of 16 concurrent writers one wins each revision", "readers never see a part of an append"},
		},
		"acknowledges what it does not store": {
			faulty{append: func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				if last := expected.Revision(); last%5 == 3 {
					return eventlog.Appended{First: last + 1, Last: last + int64(len(events)), Position: "9"}, nil
				}
				return log.Append(ctx, stream, expected, events)
			}},
			[]string{"of 16 concurrent writers one wins each revision", "close waits for accepted appends"},
		},
		"appends a batch event by event": {
			faulty{append: func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				if len(events) < 2 || expected == nil {
					return log.Append(ctx, stream, expected, events)
				}
				var all eventlog.Appended
				for i, event := range events {
					appended, err := log.Append(ctx, stream, eventlog.At(expected.Revision()+int64(i)), []eventlog.Event{event})
					if err != nil {
						return appended, err
					}
					if i == 0 {
						all = appended
					}
					all.Last, all.Position = appended.Last, appended.Position
				}
				return all, nil
			}},
			[]string{"an id is bound to its content", "a repeat of some of the events is a conflict", "an append is refused before it is stored", "readers never see a part of an append"},
		},
		"does not know repeats": {
			faulty{append: func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := log.Append(ctx, stream, expected, events)
				if appended.Repeated {
					return eventlog.Appended{}, &eventlog.ConflictError{Stream: stream, Expected: expected.Revision(), Actual: appended.Last}
				}
				return appended, err
			}},
			[]string{"a repeated append gives the first result", "a repeat is known after a reopen", "a repeat is known in another process"},
		},
		"appends repeats again": {
			faulty{append: func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := log.Append(ctx, stream, expected, events)
				if !appended.Repeated {
					return appended, err
				}
				copies := append([]eventlog.Event(nil), events...)
				for i := range copies {
					copies[i].ID = uuid.NewSHA1(uuid.NameSpaceOID, []byte(copies[i].ID)).String()
				}
				_, err = log.Append(ctx, stream, expected, copies)
				if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
					_, err = log.Append(ctx, stream, eventlog.At(conflict.Actual), copies)
				}
				return appended, err
			}},
			[]string{"a repeated append gives the first result", "a repeat is known after a reopen"},
		},
		"compares ids only": {
			faulty{append: func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := log.Append(ctx, stream, expected, events)
				if _, ok := errors.AsType[*eventlog.ContentError](err); ok {
					return eventlog.Appended{Repeated: true}, nil
				}
				return appended, err
			}},
			[]string{"an id is bound to its content", "a repeat is known after a reopen", "a repeat is known in another process"},
		},
		"tells the position of the first event": {
			faulty{append: func(log eventlog.Log, ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := log.Append(ctx, stream, expected, events)
				if err == nil && len(events) > 1 {
					for record := range log.Stream(ctx, stream, appended.First) {
						appended.Position = record.Position
						break
					}
				}
				return appended, err
			}},
			[]string{"an append says where its events are", "the head is the position of the newest event"},
		},
		"stores JSON in its own way": {
			faulty{read: each(func(record eventlog.Record) eventlog.Record {
				var compact bytes.Buffer
				if json.Compact(&compact, record.Payload) == nil {
					record.Payload = compact.Bytes()
				}
				return record
			})},
			[]string{"a read gives back what was appended"},
		},
		"forgets metadata": {
			faulty{read: each(func(record eventlog.Record) eventlog.Record {
				record.Metadata = nil
				return record
			})},
			[]string{"a read gives back what was appended"},
		},
		"swaps neighbours": {
			faulty{read: rearranged(func(all []eventlog.Record) []eventlog.Record {
				for i := 1; i < len(all); i += 2 {
					all[i-1], all[i] = all[i], all[i-1]
				}
				return all
			})},
			[]string{"events have revisions without gaps and growing positions", "a long log is read completely"},
		},
		"hides the newest event": {
			faulty{read: rearranged(func(all []eventlog.Record) []eventlog.Record { return all[:max(0, len(all)-1)] })},
			[]string{"a read gives back what was appended", "the log is read from any position on", "a stream is read from a revision on"},
		},
		"stops after a chunk": {
			faulty{read: rearranged(func(all []eventlog.Record) []eventlog.Record { return all[:min(512, len(all))] })},
			[]string{"a long log is read completely"},
		},
		"ignores where to begin": {
			faulty{from: func(int64) int64 { return 0 }},
			[]string{"a stream is read from a revision on", "a reader may stop, read and append inside its loop"},
		},
		"reads nothing once the context has ended": {
			faulty{read: func(records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
				return func(yield func(eventlog.Record, error) bool) {
					for record, err := range records {
						if err != nil || !yield(record, nil) {
							return
						}
					}
				}
			}},
			[]string{"a cancelled context ends calls", "a closed log says so", "the log is read from any position on"},
		},
		"has an old head": {
			faulty{head: func(eventlog.Position) eventlog.Position { return eventlog.Start }},
			[]string{"the head is the position of the newest event"},
		},
		"forgets that it is closed": {
			faulty{closed: func(error) error { return nil }},
			[]string{"a closed log says so"},
		},
		"never wakes": {
			faulty{wake: func() (<-chan struct{}, func()) {
				closed := make(chan struct{}, 1)
				return closed, func() {}
			}},
			[]string{"listeners are woken"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func(t testing.TB, path string) eventlog.Log {
				log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
				require.NoError(t, err)
				t.Cleanup(func() { _ = log.Close() })
				broken := fault.broken
				broken.Log, broken.path = log, path
				return &broken
			}
			openAgain := func(t testing.TB, log eventlog.Log) eventlog.Log { return open(t, log.(*faulty).path) }
			byName := make(map[string]testCase)
			for _, c := range cases(Abilities{Reopen: openAgain, Second: openAgain}) {
				byName[c.name] = c
			}
			for _, caught := range fault.caught {
				c, ok := byName[caught]
				require.Truef(t, ok, "there is no case %q", caught)
				require.Truef(t, fails(t, func(t testing.TB) { c.check(t, open(t, filepath.Join(t.TempDir(), "events.db"))) }),
					"%q does not find it", caught)
			}
		})
	}
}

// recorder takes the failures of a case.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	r.Logf("found: %s", fmt.Sprintf(format, args...))
}

func (r *recorder) FailNow() {
	r.failed = true
	runtime.Goexit()
}

// fails reports whether a check fails.
func fails(t testing.TB, check func(t testing.TB)) bool {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() { // FailNow ends the goroutine
		defer close(done)
		check(r)
	}()
	<-done
	return r.failed
}
