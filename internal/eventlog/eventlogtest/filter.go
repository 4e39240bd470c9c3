package eventlogtest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// oddNames have what is special somewhere: in SQL, LIKE, regular expressions, URLs, file names, JSON.
var oddNames = []string{
	"run-1", "run-10", "run-1/step", "run_1", "runX1", "Run-1", "RUN-1", "run", "run%", "run%25", "50%_*'\"",
	"r*n", "r.n", "r?n", "[run]", "(run)", "^run", "run$1", "it's", `say"hi"`, "`tick`", `back\slash`, `back\\slash`, `\x41`, "A",
	"rün-1", "ru\u0308n-1", "straße", "STRASSE", "日本", "日本語-1", "🙂-1", "\U0010ffff", "\U0010ffff-1", "\ufeffbom", "\u200djoined",
	"../up", "a/b?c=d&e#f", "a@b", "a:b;c,d", "<script>", "{}", "null", "0", "-1", "--", "~",
}

func takesOddNames(t testing.TB, log eventlog.Log) {
	ctx := t.Context()
	for i, name := range oddNames {
		batch := events(2, "odd/%d", i)
		batch[0].Type, batch[1].Type = name, "Tested"
		appendEvents(t, log, name, eventlog.NoStream{}, batch...)
	}
	all := readAll(t, log)
	requireCount(t, 2*len(oddNames), all)
	for i, name := range oddNames {
		records := readStream(t, log, name)
		requireRecords(t, all[2*i:2*i+2], records, "the stream %q", name)
		require.Equal(t, name, records[0].Stream)
		require.Equal(t, name, records[0].Type)
		requireRecords(t, reversed(records), collect(t, log.StreamBackward(ctx, name, eventlog.Newest)), "the stream %q", name)
		_, err := log.Append(ctx, name, eventlog.NoStream{}, events(1, "another"))
		requireConflict(t, err, name, -1, 1)
	}
}

func filtersByPrefix(t testing.TB, log eventlog.Log) {
	for i, name := range oddNames {
		appendEvents(t, log, name, eventlog.NoStream{}, events(2, "prefix/%d", i)...)
	}
	prefixes := append([]string{
		"run-", "r", "R", "ru", "rü", "日", "日本語", "it'", `say"`, `back\`, "5", "50%_*", "[", "(", "^", "%", "_", "*", ".", "a", "\u200d", "none", "run-1000",
	}, oddNames...)
	all := readAll(t, log)
	for _, prefix := range prefixes {
		requireFiltered(t, log, all, eventlog.Filter{StreamPrefixes: []string{prefix}})
	}
	for _, several := range [][]string{
		{"run-1", "run-10"}, {"run-10", "run-1", "run-1"}, {"none", "run_"}, {"none", "neither"}, {"日", "🙂", "r."}, {"", "run"}, {""}, oddNames,
	} {
		requireFiltered(t, log, all, eventlog.Filter{StreamPrefixes: several})
	}
}

// listsStreams holds a backend that lists streams against what is read of them.
func listsStreams(t testing.TB, log eventlog.Log) {
	lister, is := log.(eventlog.Lister)
	if !is {
		return
	}
	last := make(map[string]int64)
	for i := range 1200 {
		name := fmt.Sprintf("many-%d", i)
		last[name] = int64(i % 3)
		appendEvents(t, log, name, eventlog.NoStream{}, events(i%3+1, "many/%d", i)...)
	}
	for i, name := range oddNames {
		last[name] = 1
		appendEvents(t, log, name, eventlog.NoStream{}, events(2, "listed/%d", i)...)
	}
	for _, prefix := range append([]string{"many-", "many-11", "m", "none", "run-1000", "ru", "日"}, oddNames...) {
		want, got := make(map[string]int64), make(map[string]int64)
		for name, revision := range last {
			if strings.HasPrefix(name, prefix) {
				want[name] = revision
			}
		}
		for stream, err := range lister.Streams(t.Context(), prefix) {
			require.NoError(t, err)
			require.NotContains(t, got, stream.Stream, "twice")
			got[stream.Stream] = stream.Last
		}
		require.Equal(t, want, got, "streams that begin with %q", prefix)
	}
}

func filtersByType(t testing.TB, log eventlog.Log) {
	types := []string{"Ended", "EndedTwice", "ended", "Ende", "End%", "E.ded", "E_ded", "run.ended", "run-ended", "Über", "日本", "it's", "*"}
	for i, name := range types {
		batch := events(3, "type/%d", i)
		for n := range batch {
			batch[n].Type = types[(i+n*5)%len(types)]
		}
		appendEvents(t, log, fmt.Sprintf("s%d", i), eventlog.NoStream{}, batch...)
		requireFiltered(t, log, readAll(t, log), eventlog.Filter{Types: []string{name}})
	}
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprintf("Other%d", i)
	}
	all := readAll(t, log)
	for _, several := range [][]string{{"Ended", "ended"}, {"Ended", "Ended", "none"}, {"none"}, {"End"}, types, many, append(many, "*")} {
		requireFiltered(t, log, all, eventlog.Filter{Types: several})
	}
}

func filtersByBoth(t testing.TB, log eventlog.Log) {
	types := []string{"Started", "Ended", "Failed"}
	for i := range 12 {
		batch := events(3, "both/%d", i)
		for n := range batch {
			batch[n].Type = types[(i+n)%3]
		}
		appendEvents(t, log, fmt.Sprintf("%s-%d", []string{"run", "runner", "thread"}[i%3], i), eventlog.NoStream{}, batch...)
	}
	all := readAll(t, log)
	for _, filter := range []eventlog.Filter{
		{StreamPrefixes: []string{"run-"}, Types: []string{"Ended"}},
		{StreamPrefixes: []string{"run"}, Types: []string{"Ended", "Failed"}},
		{StreamPrefixes: []string{"run-", "thread-"}, Types: []string{"Started"}},
		{StreamPrefixes: []string{"none"}, Types: []string{"Ended"}},
		{StreamPrefixes: []string{"run-"}, Types: []string{"None"}},
		eventlog.Everything,
	} {
		requireFiltered(t, log, all, filter)
	}
}

func filtersLong(t testing.TB, log eventlog.Log) {
	appendSparse(t, log)
	all := readAll(t, log)
	for _, filter := range []eventlog.Filter{
		{StreamPrefixes: []string{"rare-"}},
		{Types: []string{"Rare"}},
		{StreamPrefixes: []string{"rare-", "noise-1"}, Types: []string{"Rare"}},
		{StreamPrefixes: []string{"none"}},
		{StreamPrefixes: []string{"noise-"}},
	} {
		requireFiltered(t, log, all, filter)
	}
}

// appendSparse appends a few events to streams rare-… with type Rare, far apart in many others.
func appendSparse(t testing.TB, log eventlog.Log) {
	t.Helper()
	const batches, size = 16, 100 // more than one piece of any backend's lies between
	for i := range int64(batches) {
		appendEvents(t, log, fmt.Sprintf("noise-%d", i%3), eventlog.At(i/3*size-1), events(size, "noise/%d", i)...)
		if i == 0 || i == 7 || i == 8 || i == batches-1 {
			rare := events(2, "rare/%d", i)
			rare[0].Type, rare[1].Type = "Rare", "Rare"
			appendEvents(t, log, fmt.Sprintf("rare-%d", i), eventlog.NoStream{}, rare...)
		}
	}
}

// requireFiltered asserts that reads in both directions, from several places, give what passes the filter
// of all that is in the log.
func requireFiltered(t testing.TB, log eventlog.Log, all []eventlog.Record, filter eventlog.Filter) {
	t.Helper()
	for _, begin := range []int{0, len(all) / 2} {
		after := eventlog.Start
		if begin > 0 {
			after = all[begin-1].Position
		}
		want := selected(filter, all[begin:])
		requireIDs(t, ids(want), ids(collect(t, log.All(t.Context(), after, filter))), "All after event %d, %q", begin, filter)
	}
	for _, end := range []int{len(all), len(all) / 2} {
		before := eventlog.End
		if end < len(all) {
			before = all[end].Position
		}
		want := reversed(selected(filter, all[:end]))
		requireIDs(t, ids(want), ids(collect(t, log.AllBackward(t.Context(), before, filter))), "AllBackward before event %d, %q", end, filter)
	}
}

// selects is what a filter means, said once more, so that the suite does not rest on the code it tests.
func selects(filter eventlog.Filter, record eventlog.Record) bool {
	stream, eventType := len(filter.StreamPrefixes) == 0, len(filter.Types) == 0
	for _, prefix := range filter.StreamPrefixes {
		stream = stream || strings.HasPrefix(record.Stream, prefix)
	}
	for _, name := range filter.Types {
		eventType = eventType || name == record.Type
	}
	return stream && eventType
}

// selected gives the records that pass a filter.
func selected(filter eventlog.Filter, all []eventlog.Record) []eventlog.Record {
	return slices.DeleteFunc(slices.Clone(all), func(record eventlog.Record) bool { return !selects(filter, record) })
}
