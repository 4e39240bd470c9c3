package kurrentlog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

// logs are what is compared: the log behind the listener called directly, the same through the protocol, and a real
// server if there is one.
func logs(b *testing.B, run func(b *testing.B, log eventlog.Log)) {
	b.Run("direct", func(b *testing.B) { run(b, startServer(b).log) })
	b.Run("protocol", func(b *testing.B) {
		run(b, open(b, startServer(b).connection(""), kurrentlog.Options{}))
	})
	if connection := os.Getenv(serverVariable); connection != "" {
		b.Run("server", func(b *testing.B) {
			run(b, newRoom(open(b, connection, kurrentlog.Options{}), connection))
		})
	}
}

// BenchmarkAppend appends single events, each writer to a stream of its own. An operation is one append.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			logs(b, func(b *testing.B, log eventlog.Log) {
				var done atomic.Int64
				failures := make([]error, writers)
				var group sync.WaitGroup
				b.ResetTimer()
				for writer := range writers {
					group.Go(func() {
						stream := fmt.Sprintf("bench-%d", writer)
						for last := int64(-1); done.Add(1) <= int64(b.N); {
							appended, err := log.Append(context.Background(), stream, eventlog.At(last), []eventlog.Event{newEvent(`{"step":"fetch","attempt":1,"duration_ms":17,"output":{"status":200,"items":[1,2,3,4,5]}}`)})
							if err != nil {
								failures[writer] = err
								return
							}
							last = appended.Last
						}
					})
				}
				group.Wait()
				b.StopTimer()
				require.NoError(b, errors.Join(failures...))
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
			})
		})
	}
}

// BenchmarkAll reads the whole log. An operation is one event.
func BenchmarkAll(b *testing.B) {
	logs(b, func(b *testing.B, log eventlog.Log) {
		const batches, size = 100, 100
		for i := range int64(batches) {
			batch := make([]eventlog.Event, size)
			for n := range batch {
				batch[n] = newEvent(`{"step":"fetch","attempt":1,"duration_ms":17,"output":{"status":200,"items":[1,2,3,4,5]}}`)
			}
			_, err := log.Append(b.Context(), "bench", eventlog.At(i*size-1), batch)
			require.NoError(b, err)
		}
		b.ResetTimer()
		for read := 0; read < b.N; {
			for _, err := range log.All(b.Context(), eventlog.Start, eventlog.Everything) {
				require.NoError(b, err)
				if read++; read == b.N {
					break
				}
			}
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	})
}
