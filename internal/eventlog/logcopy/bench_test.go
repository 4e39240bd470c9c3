package logcopy_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
)

// BenchmarkCopy measures whole copies, with the checks before and after, beside what the target makes of the same number
// of plain appends by 256 writers, and of appends that are waited for one after the other. Events of the
// history come 1 to 5 at a time, by turns from ten streams.
func BenchmarkCopy(b *testing.B) {
	const events, alone = 20_000, 1_000
	from := newLog(b)
	newHistory(b, from).grow(events)
	records := content(b, from)
	for name, open := range map[string]func(testing.TB) eventlog.Log{
		"to=sqlite":   func(t testing.TB) eventlog.Log { return newLog(t) },
		"to=postgres": newPostgres,
		"to=kurrent":  newKurrent,
	} {
		b.Run(name, func(b *testing.B) {
			var copying, plain, single time.Duration
			for b.Loop() {
				to := open(b)
				copying += took(func() {
					_, err := logcopy.Copy(b.Context(), from, to, options)
					require.NoError(b, err)
				})
				to = open(b)
				plain += took(func() { require.NoError(b, writePlainly(b.Context(), to, records)) })
				to = &hooked{Log: open(b)}
				single += took(func() {
					require.NoError(b, logcopy.Append(b.Context(), to, unfailing(records[:alone]), func(int) {}))
				})
			}
			perSecond := func(events int, spent time.Duration) float64 { return float64(events*b.N) / spent.Seconds() }
			b.ReportMetric(perSecond(len(records), copying), "events/s")
			b.ReportMetric(perSecond(len(records), plain), "plain-appends/s")
			b.ReportMetric(perSecond(alone, single), "one-by-one-events/s")
			b.ReportMetric(plain.Seconds()/copying.Seconds(), "x-plain")
		})
	}
}

func took(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// writePlainly appends the content of records, each for itself, with 256 writers that have a stream each.
func writePlainly(ctx context.Context, to eventlog.Log, records []eventlog.Record) error {
	const writers = 256
	failures := make([]error, writers)
	var group sync.WaitGroup
	for w, share := range slices.Collect(slices.Chunk(records, len(records)/writers+1)) {
		group.Go(func() {
			for i, record := range share {
				record.ID = uuid.NewString()
				_, failures[w] = to.Append(ctx, fmt.Sprintf("plain-%d", w), eventlog.At(int64(i)-1), []eventlog.Event{record.Event})
				if failures[w] != nil {
					return
				}
			}
		})
	}
	group.Wait()
	return errors.Join(failures...)
}

func unfailing(records []eventlog.Record) func(yield func(eventlog.Record, error) bool) {
	return func(yield func(eventlog.Record, error) bool) {
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}
}
