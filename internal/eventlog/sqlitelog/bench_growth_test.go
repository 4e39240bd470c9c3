package sqlitelog_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

const fillStream = 100 // events in each stream of a log that is filled

// fillLog appends n events.
func fillLog(b testing.TB, log eventlog.Log, n int) {
	b.Helper()
	for i := range n / fillStream {
		_, err := log.Append(b.Context(), fmt.Sprintf("fill-%d", i), eventlog.NoStream{}, benchEvents(uint64(i*fillStream), fillStream))
		require.NoError(b, err)
	}
}

// filledLog gives a log of n events as a process finds it that has just begun: no stream was in use, and the write-ahead
// log begins empty. (Where it had its full length already, as that of a big log that was only just filled, a sync takes less.)
func filledLog(b *testing.B, n int) *sqlitelog.Log {
	b.Helper()
	path := filepath.Join(b.TempDir(), "events.db")
	log, err := sqlitelog.Open(b.Context(), path, sqlitelog.Options{})
	require.NoError(b, err)
	fillLog(b, log, n)
	require.NoError(b, log.Close())
	log, err = sqlitelog.Open(b.Context(), path, sqlitelog.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	return log
}

// BenchmarkGrowth measures what the size of the log adds to the cost of an append, of reading one stream, and to memory.
func BenchmarkGrowth(b *testing.B) { benchGrowth(b, 10_000, 1_000_000) }

// BenchmarkGrowthLarge needs 6 GB of disk and some minutes. It runs where KINTSUGI_BENCH_LARGE is set.
func BenchmarkGrowthLarge(b *testing.B) {
	if os.Getenv("KINTSUGI_BENCH_LARGE") == "" {
		b.Log("set KINTSUGI_BENCH_LARGE to measure a log of ten million events")
		return
	}
	benchGrowth(b, 10_000, 10_000_000)
}

func benchGrowth(b *testing.B, sizes ...int) {
	logs := make([]*sqlitelog.Log, len(sizes))
	for i, size := range sizes {
		logs[i] = filledLog(b, size)
	}
	subjects := make([]*subject, len(sizes))
	for i, size := range sizes {
		// To streams that are there, in any order: what is known of them must be read first.
		last, random := make(map[int]int64), rand.New(rand.NewPCG(1, 2))
		subjects[i] = &subject{writers: 1, batch: 1, next: uint64(size), append: func(_ int, events []eventlog.Event) error {
			stream := random.IntN(size / fillStream)
			if _, known := last[stream]; !known {
				last[stream] = fillStream - 1
			}
			appended, err := logs[i].Append(b.Context(), fmt.Sprintf("fill-%d", stream), eventlog.Exact(last[stream]), events)
			last[stream] = appended.Last
			return err
		}}
	}
	before := residentMB(b)
	b.Run("append", func(b *testing.B) {
		race(b, subjects...)
		reportGrowth(b, sizes, func(i int) float64 { return subjects[i].quantile(0.5) * 1000 })
	})
	b.Run("read-stream", func(b *testing.B) {
		latencies := make([][]time.Duration, len(sizes))
		random := rand.New(rand.NewPCG(1, 2))
		for b.Loop() {
			for i, size := range sizes {
				start, n := time.Now(), 0
				for _, err := range logs[i].Stream(b.Context(), fmt.Sprintf("fill-%d", random.IntN(size/fillStream)), 0) {
					require.NoError(b, err)
					n++
				}
				latencies[i] = append(latencies[i], time.Since(start))
				require.GreaterOrEqual(b, n, fillStream)
			}
		}
		reportGrowth(b, sizes, func(i int) float64 {
			slices.Sort(latencies[i])
			return float64(latencies[i][len(latencies[i])/2].Nanoseconds()) / 1000
		})
	})
	b.Run("memory", func(b *testing.B) {
		b.ReportMetric(before, "filled-MB")
		b.ReportMetric(residentMB(b), "used-MB")
	})
}

// reportGrowth reports medians in microseconds, and the largest size's as a multiple of the smallest's.
func reportGrowth(b *testing.B, sizes []int, median func(i int) float64) {
	b.Helper()
	for i, size := range sizes {
		b.ReportMetric(median(i), fmt.Sprintf("µs-at-%d", size))
	}
	b.ReportMetric(median(len(sizes)-1)/median(0), "x-smallest")
}

// residentMB is the memory that this process has.
func residentMB(b *testing.B) float64 {
	b.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		b.Log(err) // another system
		return 0
	}
	var size, resident float64
	_, err = fmt.Sscan(string(text), &size, &resident)
	require.NoError(b, err)
	return resident * float64(os.Getpagesize()) / 1e6
}

// BenchmarkLongStream measures appends to one long stream, and the first append to it of a new process.
func BenchmarkLongStream(b *testing.B) {
	sizes := []int{1_000, 1_000_000}
	subjects := make([]*subject, len(sizes))
	first := make([]float64, len(sizes))
	for i, size := range sizes {
		path := b.TempDir() + "/events.db"
		log, err := sqlitelog.Open(b.Context(), path, sqlitelog.Options{})
		require.NoError(b, err)
		last := int64(-1)
		for last < int64(size-1) {
			appended, err := log.Append(b.Context(), "long", eventlog.At(last), benchEvents(uint64(last+1), 1000))
			require.NoError(b, err)
			last = appended.Last
		}
		require.NoError(b, log.Close())
		log, err = sqlitelog.Open(b.Context(), path, sqlitelog.Options{})
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, log.Close()) })
		subjects[i] = &subject{writers: 1, batch: 1, next: uint64(size), append: func(_ int, events []eventlog.Event) error {
			appended, err := log.Append(b.Context(), "long", eventlog.Exact(last), events)
			last = appended.Last
			return err
		}}
		subjects[i].round(b, 1)
		first[i] = subjects[i].quantile(1) * 1000
		subjects[i].latencies = nil
	}
	b.Run("append", func(b *testing.B) {
		race(b, subjects...)
		reportGrowth(b, sizes, func(i int) float64 { return subjects[i].quantile(0.5) * 1000 })
		b.ReportMetric(first[len(first)-1], "first-µs")
	})
}
