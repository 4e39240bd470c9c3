package api_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
)

// ends tells of runs that ended, as a client is told: by the stream of events.
type ends struct {
	mu  sync.Mutex
	of  map[string]chan struct{}
	has map[string]bool // that ended before anybody asked
}

func (e *ends) wait(run string) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	ended := make(chan struct{})
	if e.has[run] {
		close(ended)
		return ended
	}
	e.of[run] = ended
	return ended
}

func (e *ends) end(run string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.has[run] = true
	if ended := e.of[run]; ended != nil {
		close(ended)
	}
}

func (s *server) ends() *ends {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.base+"/api/v1/events?types=RunSucceeded,RunFailed&payload=full", nil)
	require.NoError(s.t, err)
	request.Header.Set("Authorization", "Bearer "+s.admin)
	response, err := http.DefaultTransport.RoundTrip(request)
	require.NoError(s.t, err)
	told := &ends{of: map[string]chan struct{}{}, has: map[string]bool{}}
	go func() {
		defer func() { _ = response.Body.Close() }()
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			data, is := strings.CutPrefix(lines.Text(), "data: ")
			var one api.LiveEvent
			var of struct{ Run string }
			if is && json.Unmarshal([]byte(data), &one) == nil && json.Unmarshal(one.Payload, &of) == nil {
				told.end(of.Run)
			}
		}
	}()
	return told
}

// counting makes three calls that are kept in the journal.
const counting = `async function main() {
	const seen = await kv.get("seen") ?? 0; await kv.set("seen", seen + 1); return await kv.get("seen") }`

// cpu is what this process took, without its workers: it says more than time on a machine with other work.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var own syscall.Rusage
	require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &own))
	return time.Duration(own.Utime.Nano() + own.Stime.Nano())
}

// BenchmarkRunOverHTTP starts runs of three journaled calls with a request each, and hears of their ends by the stream of
// events: one after the other, and 64 at once. Client and server are one process.
func BenchmarkRunOverHTTP(b *testing.B) {
	http.DefaultTransport.(*http.Transport).MaxIdleConnsPerHost = 64
	for _, at := range []struct {
		name string
		once int
	}{{"alone", 1}, {"64AtOnce", 64}} {
		b.Run(at.name, func(b *testing.B) {
			s := serve(b)
			ids := make([]string, at.once) // a workflow for each of those at once
			for i := range ids {
				ids[i] = s.ok(http.MethodPost, "/workflows", map[string]any{"title": "Measured", "owner": "ann", "script": counting}).field(b, "id")
			}
			told := s.ends()
			run := func(id string) { <-told.wait(s.ok(http.MethodPost, "/workflows/"+id+"/runs", nil).field(b, "id")) }
			for range 3 { // a workflow that came twice has a worker of its own: starting it is not what is measured
				var warm sync.WaitGroup
				for _, id := range ids {
					warm.Go(func() { run(id) })
				}
				warm.Wait()
			}
			work := make(chan struct{})
			var mu sync.Mutex
			var took []time.Duration
			var all sync.WaitGroup
			b.ResetTimer()
			before := cpu(b)
			for _, id := range ids {
				all.Go(func() {
					for range work {
						began := time.Now()
						run(id)
						mu.Lock()
						took = append(took, time.Since(began))
						mu.Unlock()
					}
				})
			}
			for range b.N {
				work <- struct{}{}
			}
			close(work)
			all.Wait()
			b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(len(took)), "client-and-server-cpu-ms/run")
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(len(took))/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// BenchmarkWatchers says what a stream of live events takes of the server: 1,000 of them are open, and have been told something.
// The clients are bare connections of the same process, so what is said is a little too much.
func BenchmarkWatchers(b *testing.B) {
	const watchers = 1000
	s := serve(b)
	id := s.workflow("Watched", "ann")
	used := func() uint64 {
		runtime.GC()
		var is runtime.MemStats
		runtime.ReadMemStats(&is)
		return is.HeapInuse + is.StackInuse
	}
	before := used()
	streams := make([]*bufio.Reader, watchers)
	for i := range streams {
		over, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
		require.NoError(b, err)
		b.Cleanup(func() { _ = over.Close() })
		_, err = fmt.Fprintf(over, "GET /api/v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", s.admin)
		require.NoError(b, err)
		streams[i] = bufio.NewReaderSize(over, 16)
	}
	hear := func(what string) {
		for _, one := range streams {
			for line := ""; !strings.HasPrefix(line, what); {
				var err error
				line, err = one.ReadString('\n')
				require.NoError(b, err)
			}
		}
	}
	hear("id: ")
	for b.Loop() {
		s.ok(http.MethodPatch, "/workflows/"+id, map[string]any{"intent": app.NewID()})
		hear("data: ")
	}
	b.ReportMetric(float64(used()-before)/watchers/1024, "KiB/stream")
}
