package projections_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// BenchmarkBuild builds all views of many runs: of 1,000 workflows, one run in 50 fails. It reports the time of a
// processor for each event beside the rate, which a busy machine does not change.
func BenchmarkBuild(b *testing.B) {
	for _, events := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprint(events), func(b *testing.B) {
			log, n := bulk(b, events)
			codec := domain.NewCodec()
			var before, after syscall.Rusage
			require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
			b.ResetTimer()
			for range b.N {
				dir := b.TempDir()
				store, err := readmodel.Open(b.Context(), readmodel.Config{Dir: dir, Log: log, Projections: projections.All(codec)})
				require.NoError(b, err)
				require.NoError(b, store.CatchUp(b.Context()))
				require.NoError(b, store.Close())
				require.NoError(b, os.RemoveAll(dir))
			}
			b.StopTimer()
			require.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
			used := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(float64(used.Nanoseconds())/float64(n*b.N), "cpu-ns/event")
			b.ReportMetric(float64(after.Maxrss)/1024, "MiB-peak")
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			b.ReportMetric(float64(memory.HeapSys)/(1<<20), "MiB-heap")
		})
	}
}

// bulk is a log with so many events: a history of a run that succeeds and one that fails, again and again with other ids.
func bulk(b *testing.B, events int) (*sqlitelog.Log, int) {
	w := newWorld(b)
	create, good, bad := template(b, w)
	log, err := sqlitelog.Open(b.Context(), filepath.Join(b.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, log.Close()) })
	type head struct {
		revision int64
		hash     chain.Hash
	}
	heads := map[string]*head{}
	total := 0
	var batches []eventlog.Batch
	flush := func() {
		require.NoError(b, eventlog.AppendInOrder(b.Context(), log, batches))
		batches = batches[:0]
	}
	play := func(records []eventlog.Record, workflow, run string) {
		names := strings.NewReplacer("WFWFWF", workflow, "RUNRUNRUN", run)
		for _, record := range records {
			stream := names.Replace(record.Stream)
			of := heads[stream]
			if of == nil {
				of = &head{revision: -1}
				heads[stream] = of
			}
			metadata, _, err := chain.Unseal(record.Metadata)
			require.NoError(b, err)
			id := uuid.NewString()
			metadata = bytes.Replace([]byte(names.Replace(string(metadata))), []byte(record.ID), []byte(id), 1)
			one := eventlog.Event{ID: id, Type: record.Type, SchemaVersion: record.SchemaVersion, Payload: []byte(names.Replace(string(record.Payload)))}
			expected := eventlog.At(of.revision)
			of.revision++
			of.hash = chain.Next(of.hash, chain.Link{
				Stream: stream, Revision: of.revision, ID: id, Type: one.Type, SchemaVersion: one.SchemaVersion, Payload: one.Payload, Metadata: metadata,
			})
			one.Metadata = chain.Seal(metadata, of.hash)
			batches = append(batches, eventlog.Batch{Stream: stream, Expected: expected, Events: []eventlog.Event{one}})
			total++
			if strings.HasPrefix(stream, "run-") && record.Type == "RunEnded" {
				delete(heads, stream)
			}
		}
		if len(batches) > 2000 {
			flush()
		}
	}
	for i := range 1000 {
		play(create, fmt.Sprint("w", i), "")
	}
	for i := 0; total < events; i++ {
		of := good
		if i%50 == 49 {
			of = bad
		}
		play(of, fmt.Sprint("w", i*7919%1000), uuid.NewString())
	}
	flush()
	return log, total
}

// template is the events of creating a workflow, of a run that succeeds and of one that fails and is mended by nobody.
func template(b *testing.B, w *world) (create, good, bad []eventlog.Record) {
	take := func(after eventlog.Position) (all []eventlog.Record, last eventlog.Position) {
		last = after
		for record, err := range w.log.All(b.Context(), after, eventlog.Everything) {
			require.NoError(b, err)
			all = append(all, record)
			last = record.Position
		}
		return all, last
	}
	var at eventlog.Position
	w.create("WFWFWF", "Orders of WFWFWF")
	create, at = take(at)
	calls := make([]call, 10)
	for i := range calls {
		calls[i] = call{tool: "web.getJSON", args: `["https://api.example.test/orders?page=2"]`, result: `{"status":200,"data":[` + strings.Repeat(`{"id":12,"total":"3.50"},`, 8) + `{"id":1}]}`}
	}
	calls[3] = call{tool: "kv.set", args: `["last",{"day":1}]`}
	calls[6] = call{tool: "files.write", args: `["log.txt","line\n"]`}
	calls[9] = call{tool: "notify", args: `["Orders","done"]`}
	w.succeed("WFWFWF", manual("RUNRUNRUN"), calls...)
	good, at = take(at)
	w.fail("WFWFWF", manual("RUNRUNRUNx"), because(failure.Auth, "a"), calls[:3]...)
	bad, _ = take(at)
	for i := range bad { // under the run's own name
		bad[i].Stream = strings.ReplaceAll(bad[i].Stream, "RUNRUNRUNx", "RUNRUNRUN")
		bad[i].Payload = bytes.ReplaceAll(bad[i].Payload, []byte("RUNRUNRUNx"), []byte("RUNRUNRUN"))
		bad[i].Metadata = bytes.ReplaceAll(bad[i].Metadata, []byte("RUNRUNRUNx"), []byte("RUNRUNRUN"))
	}
	require.True(b, json.Valid(bad[0].Payload))
	return create, good, bad
}
