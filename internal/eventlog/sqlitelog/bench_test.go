package sqlitelog_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// The events of the benchmarks are of a usual size: 300 bytes of payload and 150 of metadata.
var (
	benchPayload  = padded(300, `{"seq":17,"result":{"status":200,"body":[{"id":1047,"name":"Kiln shelf, 40 cm","amount":129.5,"paid":true,"tags":["kiln","shelf"]},{"id":1048,"name":"Urushi, raw, 100 g","amount":61.25,"paid":false,"tags":["lacquer"]}]},"ms":84,"text":"`)
	benchMetadata = padded(150, `{"subject":"workflow:0198c1f2-7e11","actor":"system:executor","recorded_at":"2026-03-01T09:30:00Z","command_id":"0198c1f2","hash":"`)
)

// padded makes an object of so many bytes of one whose last string is open.
func padded(size int, open string) []byte {
	return []byte(open + strings.Repeat("x", size-len(open)-len(`"}`)) + `"}`)
}

func benchEvent(n uint64) eventlog.Event {
	id := []byte("00000000-0000-7000-8000-000000000000")
	for i := len(id) - 1; n > 0 && i > 23; i, n = i-1, n>>4 {
		id[i] = "0123456789abcdef"[n&15]
	}
	return eventlog.Event{ID: string(id), Type: "ToolReturned", SchemaVersion: 1, Payload: benchPayload, Metadata: benchMetadata}
}

func benchEvents(from uint64, n int) []eventlog.Event {
	events := make([]eventlog.Event, n)
	for i := range events {
		events[i] = benchEvent(from + uint64(i))
	}
	return events
}

func benchLog(b *testing.B, options sqlitelog.Options) *sqlitelog.Log {
	b.Helper()
	log, err := sqlitelog.Open(b.Context(), filepath.Join(b.TempDir(), "events.db"), options)
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	return log
}

// subject is something that events are appended to, by so many writers at once.
type subject struct {
	writers, batch int
	append         func(writer int, events []eventlog.Event) error

	next      uint64 // the number of the next event
	took      time.Duration
	latencies []time.Duration
}

func (s *subject) eventsPerSecond() float64 {
	return float64(len(s.latencies)*s.batch) / s.took.Seconds()
}

// quantile gives a latency in milliseconds.
func (s *subject) quantile(q float64) float64 {
	slices.Sort(s.latencies)
	return float64(s.latencies[int(q*float64(len(s.latencies)-1))].Microseconds()) / 1000
}

// round makes n appends, shared by the writers.
func (s *subject) round(b *testing.B, n int) {
	latencies := make([][]time.Duration, s.writers)
	var group sync.WaitGroup
	start := time.Now()
	for writer := range s.writers {
		mine := n / s.writers
		if writer < n%s.writers {
			mine++
		}
		first := s.next
		s.next += uint64(mine * s.batch)
		group.Go(func() {
			for i := range mine {
				events := benchEvents(first+uint64(i*s.batch), s.batch)
				start := time.Now()
				if err := s.append(writer, events); err != nil {
					b.Error(err)
					return
				}
				latencies[writer] = append(latencies[writer], time.Since(start))
			}
		})
	}
	group.Wait()
	s.took += time.Since(start)
	s.latencies = append(s.latencies, slices.Concat(latencies...)...)
}

// race lets subjects make b.N appends each, in turns, so that what else the machine does hits all alike.
func race(b *testing.B, subjects ...*subject) {
	const rounds = 4
	b.ResetTimer()
	for i := range rounds {
		n := b.N*(i+1)/rounds - b.N*i/rounds
		for _, s := range subjects {
			s.round(b, n)
		}
	}
	b.StopTimer()
	first := subjects[0]
	b.ReportMetric(float64(first.took.Nanoseconds())/float64(b.N), "ns/op")
}

// onLog appends to a log, each writer to its own stream.
func onLog(b *testing.B, log eventlog.Log, writers, batch int) *subject {
	next := make([]int64, writers)
	return &subject{writers: writers, batch: batch, append: func(writer int, events []eventlog.Event) error {
		appended, err := log.Append(b.Context(), fmt.Sprintf("run-%d", writer), eventlog.At(next[writer]-1), events)
		next[writer] = appended.Last + 1
		return err
	}}
}
