package eventlogtest

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// selecting selects by one function for prefixes and one for types, where the filter has some.
func selecting(prefix, eventType func(pattern, text string) bool) func(*faulty) {
	return func(f *faulty) {
		f.passes = func(filter eventlog.Filter, record eventlog.Record) bool {
			return (len(filter.StreamPrefixes) == 0 || slices.ContainsFunc(filter.StreamPrefixes, func(p string) bool { return prefix(p, record.Stream) })) &&
				(len(filter.Types) == 0 || slices.ContainsFunc(filter.Types, func(p string) bool { return eventType(p, record.Type) }))
		}
	}
}

func isPrefix(prefix, text string) bool { return strings.HasPrefix(text, prefix) }
func isEqual(pattern, text string) bool { return pattern == text }
func always(string, string) bool        { return true }

// like matches as LIKE does in SQL.
func like(pattern, text string) bool {
	pattern = strings.NewReplacer("%", ".*", "_", ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("(?s)^" + pattern + "$").MatchString(text)
}

func likePrefix(prefix, text string) bool { return like(prefix+"%", text) }

func anyCase(pattern, text string) bool { return strings.EqualFold(pattern, text) }

func regular(pattern, text string) bool {
	expression, err := regexp.Compile("^" + pattern)
	return err == nil && expression.MatchString(text)
}

var filterFaults = []fault{
	{
		"lists a stream short of its newest event",
		func(f *faulty) {
			f.listed = func(end eventlog.StreamEnd) (eventlog.StreamEnd, bool) {
				end.Last = max(end.Last-1, 0)
				return end, true
			}
		},
		[]string{"streams are listed by prefix"},
	},
	{
		"leaves out a stream whose name another begins with",
		func(f *faulty) {
			f.listed = func(end eventlog.StreamEnd) (eventlog.StreamEnd, bool) { return end, end.Stream != "run-1" }
		},
		[]string{"streams are listed by prefix"},
	},
	{"ignores prefixes", selecting(always, isEqual), []string{
		"streams are selected by prefix", "events are selected by prefix and type", "a filter finds the few in a long log",
		"a subscription finds the few in a long log", "a subscription is resumed from any delivery", "subscriptions are independent",
	}},
	{"ignores types", selecting(isPrefix, always), []string{
		"events are selected by type", "events are selected by prefix and type", "a filter finds the few in a long log", "a subscription finds the few in a long log",
	}},
	{"takes prefixes for names", selecting(isEqual, isEqual), []string{"streams are selected by prefix"}},
	{"takes types for prefixes", selecting(isPrefix, isPrefix), []string{"events are selected by type"}},
	{"takes prefixes for LIKE", selecting(likePrefix, isEqual), []string{"streams are selected by prefix"}},
	{"takes types for LIKE", selecting(isPrefix, like), []string{"events are selected by type"}},
	{"takes prefixes for regular expressions", selecting(regular, isEqual), []string{"streams are selected by prefix"}},
	{"takes types for regular expressions", selecting(isPrefix, regular), []string{"events are selected by type"}},
	{"folds the case of types", selecting(isPrefix, anyCase), []string{"events are selected by type"}},
	{
		"selects by either",
		func(f *faulty) {
			f.passes = func(filter eventlog.Filter, record eventlog.Record) bool {
				prefixes, types := eventlog.Filter{StreamPrefixes: filter.StreamPrefixes}, eventlog.Filter{Types: filter.Types}
				return len(filter.StreamPrefixes) > 0 && prefixes.Passes(record.Stream, record.Type) ||
					len(filter.Types) > 0 && types.Passes(record.Stream, record.Type) ||
					len(filter.StreamPrefixes)+len(filter.Types) == 0
			}
		},
		[]string{"events are selected by prefix and type", "a filter finds the few in a long log", "a subscription finds the few in a long log"},
	},
	{
		"knows one prefix and one type",
		func(f *faulty) {
			f.passes = func(filter eventlog.Filter, record eventlog.Record) bool {
				first := eventlog.Filter{
					StreamPrefixes: filter.StreamPrefixes[:min(1, len(filter.StreamPrefixes))],
					Types:          filter.Types[:min(1, len(filter.Types))],
				}
				return first.Passes(record.Stream, record.Type)
			}
		},
		[]string{"streams are selected by prefix", "events are selected by type", "events are selected by prefix and type"},
	},
	{
		"takes a chunk without a match for the end",
		func(f *faulty) {
			f.all = func(ctx context.Context, after eventlog.Position, filter eventlog.Filter) records {
				return func(yield func(eventlog.Record, error) bool) {
					last := number(after)
					for record, err := range f.Log.All(ctx, after, eventlog.Everything) {
						if err == nil && number(record.Position) > last+chunk {
							return
						}
						if err == nil && !filter.Passes(record.Stream, record.Type) {
							continue
						}
						last = number(record.Position)
						if !yield(record, err) {
							return
						}
					}
				}
			}
		},
		[]string{"a filter finds the few in a long log", "a subscription finds the few in a long log"},
	},
}
