package eventlogtest

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// nothing waits for a hint that never comes.
func nothing() (<-chan struct{}, func()) { return make(chan struct{}), func() {} }

// chunk is what a backend may read at once.
const chunk = 512

// number gives the number of a position that is known to be one.
func number(position eventlog.Position) int64 {
	n, err := position.Number()
	if err != nil {
		return 0
	}
	return n
}

var readFaults = []fault{
	{
		"stores JSON in its own way",
		func(f *faulty) {
			f.read = each(func(record eventlog.Record) eventlog.Record {
				var compact bytes.Buffer
				if json.Compact(&compact, record.Payload) == nil {
					record.Payload = compact.Bytes()
				}
				return record
			})
		},
		[]string{"a read gives back what was appended"},
	},
	{
		"forgets metadata",
		func(f *faulty) {
			f.read = each(func(record eventlog.Record) eventlog.Record {
				record.Metadata = nil
				return record
			})
		},
		[]string{"a read gives back what was appended", "a stream is read backward from a revision"},
	},
	{
		"swaps neighbours",
		func(f *faulty) {
			f.read = rearranged(func(all []eventlog.Record) []eventlog.Record {
				for i := 1; i < len(all); i += 2 {
					all[i-1], all[i] = all[i], all[i-1]
				}
				return all
			})
		},
		[]string{"events have revisions without gaps and growing positions", "a long log is read completely", "a subscription catches up and goes on"},
	},
	{
		"hides the newest event",
		func(f *faulty) {
			f.read = rearranged(func(all []eventlog.Record) []eventlog.Record { return all[:max(0, len(all)-1)] })
		},
		[]string{"a read gives back what was appended", "the log is read from any position on", "a stream is read from a revision on", "a stream is read backward from a revision"},
	},
	{
		"stops after a chunk",
		func(f *faulty) {
			f.read = rearranged(func(all []eventlog.Record) []eventlog.Record { return all[:min(chunk, len(all))] })
		},
		[]string{"a long log is read completely"},
	},
	{
		"stops after a chunk when it reads backward",
		func(f *faulty) {
			f.readBackward = rearranged(func(all []eventlog.Record) []eventlog.Record { return all[:min(chunk, len(all))] })
		},
		[]string{"a long log is read backward completely"},
	},
	{
		"reads backward in the order of the log",
		func(f *faulty) {
			f.readBackward = rearranged(func(all []eventlog.Record) []eventlog.Record {
				slices.Reverse(all)
				return all
			})
		},
		[]string{
			"a stream is read backward from a revision", "the log is read backward from any position", "a long log is read backward completely",
			"a position beyond the head is no error", "streams are selected by prefix", "names may have odd characters",
		},
	},
	{
		"includes the position it reads backward from",
		func(f *faulty) {
			f.before = func(before eventlog.Position) eventlog.Position {
				if n := number(before); n > 0 && before < eventlog.End {
					return eventlog.PositionOf(n + 1)
				}
				return before
			}
		},
		[]string{"the log is read backward from any position", "a long log is read backward completely"},
	},
	{
		"reads backward from the end when there is nothing before",
		func(f *faulty) {
			f.before = func(before eventlog.Position) eventlog.Position {
				if before == eventlog.Start {
					return eventlog.End
				}
				return before
			}
		},
		[]string{"the log is read backward from any position"},
	},
	{
		"takes a negative revision for the newest",
		func(f *faulty) {
			f.fromBackward = func(from int64) int64 {
				if from < 0 {
					return eventlog.Newest
				}
				return from
			}
		},
		[]string{"a stream is read backward from a revision"},
	},
	{
		"reads nothing from beyond the end",
		func(f *faulty) {
			f.fromBackward = func(from int64) int64 {
				if from > 4 {
					return -1
				}
				return from
			}
		},
		[]string{"a stream is read backward from a revision", "a long log is read backward completely"},
	},
	{
		"ignores where to begin",
		func(f *faulty) {
			f.from = func(int64) int64 { return 0 }
			f.fromBackward = func(int64) int64 { return eventlog.Newest }
		},
		[]string{
			"a stream is read from a revision on", "a reader may stop, read and append inside its loop",
			"a stream is read backward from a revision", "a reader backward may stop, read and append inside its loop",
		},
	},
	{
		"begins at the start when it does not know a position",
		func(f *faulty) {
			f.after = func(after eventlog.Position) eventlog.Position {
				if _, err := after.Number(); err != nil {
					return eventlog.Start
				}
				return after
			}
		},
		[]string{"a position that is none is an error"},
	},
	{
		"begins at the end, backward, when it does not know a position",
		func(f *faulty) {
			f.before = func(before eventlog.Position) eventlog.Position {
				if _, err := before.Number(); err != nil {
					return eventlog.End
				}
				return before
			}
		},
		[]string{"a position that is none is an error"},
	},
	{
		"begins at the start when a position is beyond the head",
		func(f *faulty) {
			f.after = func(after eventlog.Position) eventlog.Position {
				if head, err := f.Log.Head(f.t.Context()); err == nil && after > head {
					return eventlog.Start
				}
				return after
			}
		},
		[]string{"a position beyond the head is no error"},
	},
	{
		"refuses a position beyond the head",
		func(f *faulty) {
			f.after = func(after eventlog.Position) eventlog.Position {
				if head, err := f.Log.Head(f.t.Context()); err == nil && after > head {
					return "unknown"
				}
				return after
			}
		},
		[]string{"a position beyond the head is no error"},
	},
	{
		"keeps a reader that is broken out of",
		func(f *faulty) { f.read, f.readBackward = keeping[eventlog.Record](), keeping[eventlog.Record]() },
		[]string{"a reader may stop, read and append inside its loop", "a reader backward may stop, read and append inside its loop"},
	},
	{
		"reads nothing where it should say why",
		func(f *faulty) { f.read = silent[eventlog.Record] },
		[]string{"a cancelled context ends calls", "a closed log says so", "a position that is none is an error"},
	},
	{
		"reads nothing backward where it should say why",
		func(f *faulty) { f.readBackward = silent[eventlog.Record] },
		[]string{"a cancelled context ends calls", "a closed log says so", "a position that is none is an error"},
	},
	{
		"looks at its context once",
		func(f *faulty) {
			f.read = func(ctx context.Context, read records) records {
				return func(yield func(eventlog.Record, error) bool) {
					var all []eventlog.Record
					for record, err := range read {
						if err != nil {
							yield(record, err)
							return
						}
						all = append(all, record)
					}
					for _, record := range all {
						if !yield(record, nil) {
							return
						}
					}
				}
			}
		},
		[]string{"a cancelled context ends calls"},
	},
	{
		"has an old head",
		func(f *faulty) { f.head = func(eventlog.Position) eventlog.Position { return eventlog.Start } },
		[]string{"the head is the position of the newest event", "a subscription that finds nothing says how far it looked"},
	},
	{
		"never wakes",
		func(f *faulty) { f.wake = nothing },
		[]string{
			"listeners are woken", "an append of another process wakes", "a subscription catches up and goes on",
			"a subscription to an empty log catches up and goes on", "readers who follow 8 writers miss nothing",
		},
	},
	{
		"wakes for its own appends only",
		func(f *faulty) {
			hint := make(chan struct{}, 1)
			f.wake = func() (<-chan struct{}, func()) { return hint, func() {} }
			f.append = func(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
				appended, err := f.Log.Append(ctx, stream, expected, events)
				select {
				case hint <- struct{}{}:
				default:
				}
				return appended, err
			}
		},
		[]string{
			"listeners are woken", "an append of another process wakes", "a subscription delivers what another process appends",
			"readers who follow 8 writers of another process miss nothing",
		},
	},
}
