package handlers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// twoReadsOneWrite is the small script: the write goes out, so that it is journaled before and after.
const twoReadsOneWrite = `async function main(input) {
  const list = await web.getJSON('https://api.example.test/v1/refunds?day=' + input.day);
  const seen = (await kv.get('seen')) || [];
  const rows = list.data.filter((r) => !seen.includes(r.id)).map((r) => r.id + ',' + (r.amount / 100).toFixed(2));
  await web.postJSON('https://api.example.test/v1/files', { name: input.day, text: rows.join('\n') });
  return { count: rows.length };
}`

// threeKeys is the script whose steps need nothing from outside: they are journaled with the end of the run.
const threeKeys = `async function main(input) {
  let count = 0;
  for (let n = 1; n <= 3; n++) {
    await kv.set('step' + n, { step: n, ok: true, day: input.day });
    count++;
  }
  return { count };
}`

// threeSent is the script whose steps go out: each is durable before it does, and again with what comes next.
const threeSent = `async function main(input) {
  for (let n = 1; n <= 3; n++) await web.postJSON('https://api.example.test/v1/steps', { step: n, day: input.day });
  return { count: 3 };
}`

const refunds = `{"object":"list","data":[{"id":"re_1","amount":1234,"currency":"usd"},{"id":"re_2","amount":500,"currency":"usd"},{"id":"re_3","amount":99,"currency":"eur"}],"has_more":false}`

// atOnce is an outside that answers at once: what a network takes is not the server's doing.
type atOnce struct{ local *hostcall.Host }

func (a atOnce) Call(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	if strings.HasPrefix(call.Tool, "web.") {
		return sandbox.Reply{Result: json.RawMessage(refunds), MS: 1}, nil
	}
	return a.local.Call(ctx, call)
}

func (a atOnce) Close() { a.local.Close() }

// BenchmarkRuns is whole runs through the log, on so many workflows at once: admitted, claimed, executed
// in a worker, journaled, settled. "memory" is the SQLite log on a file system in memory: what is left
// without the disk's syncs. With views, the read models follow as they do in a server.
func BenchmarkRuns(b *testing.B) {
	for _, backend := range []string{"sqlite", "memory", "postgres"} {
		for _, workflows := range []int{1, 16, 64, 256} {
			b.Run(fmt.Sprintf("%s/workflows=%d", backend, workflows), func(b *testing.B) {
				benchRuns(b, backend, twoReadsOneWrite, workflows, false)
			})
		}
	}
	b.Run("sqlite+views/workflows=64", func(b *testing.B) { benchRuns(b, "sqlite", twoReadsOneWrite, 64, true) })
	for _, backend := range []string{"sqlite", "postgres"} {
		for name, script := range map[string]string{"kv": threeKeys, "web": threeSent} {
			for _, workflows := range []int{1, 64} {
				b.Run(fmt.Sprintf("%s+views/%s/workflows=%d", backend, name, workflows), func(b *testing.B) { benchRuns(b, backend, script, workflows, true) })
			}
		}
	}
}

func benchRuns(b *testing.B, backend, script string, workflows int, views bool) {
	s := newServer(b, backend)
	defer s.close()
	ids := make([]string, workflows)
	for i := range ids {
		ids[i] = s.create(script, workflow.Settings{})
	}
	stop := s.start(views)
	defer stop()
	// A workflow that came twice has a worker of its own: the start of workers is not measured.
	for range 3 {
		s.round(ids)
	}
	s.layers.reset()
	used, own, database := processorTime(b), ownTime(b), serverTime(b, backend)
	b.ResetTimer()
	s.rounds(ids, int64(b.N))
	b.StopTimer()
	used, own, database = processorTime(b)-used, ownTime(b)-own, serverTime(b, backend)-database
	workers, memory := children(), int64(0)
	for _, pid := range workers {
		memory += proportional(pid)
	}
	s.layers.report(b)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(used.Seconds()*1000/float64(b.N), "cpu-ms/run")
	b.ReportMetric(own.Seconds()*1000/float64(b.N), "server-cpu-ms/run")
	if backend == "postgres" {
		b.ReportMetric(database.Seconds()*1000/float64(b.N), "postgres-cpu-ms/run")
	}
	b.ReportMetric(float64(s.layers.appends.Load())/float64(b.N), "appends/run")
	b.ReportMetric(float64(len(workers)), "workers")
	b.ReportMetric(float64(memory)/(1<<20), "workers-MiB")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkBesideBurners is how much longer runs of one workflow take while scripts of so many others burn the processor, one run after
// the other: a ratio, as both are measured in one run. "first" is while they all begin, and nobody knows them.
func BenchmarkBesideBurners(b *testing.B) {
	const burners, runs = 30, 100
	for b.Loop() {
		b.StopTimer()
		s := newServer(b, "sqlite")
		healthy, burning := s.create(twoReadsOneWrite, workflow.Settings{}), make([]string, burners)
		for i := range burning {
			burning[i] = s.create(fmt.Sprintf("function main() { for (let i = %d; ; i++); }", i), workflow.Settings{Limits: workflow.Limits{CPUMS: 2000}})
		}
		stop := s.start(true)
		took := func() []time.Duration {
			all := make([]time.Duration, runs)
			pace := time.NewTicker(100 * time.Millisecond) // over a round of the burners
			defer pace.Stop()
			for i := range all {
				<-pace.C
				began := time.Now()
				s.one(healthy)
				all[i] = time.Since(began)
			}
			slices.Sort(all)
			return all
		}
		took()
		alone := took()
		var over atomic.Bool
		var group sync.WaitGroup
		for _, id := range burning {
			group.Go(func() {
				for !over.Load() {
					s.one(id)
				}
			})
		}
		b.StartTimer()
		first := took()
		beside := took()
		b.StopTimer()
		over.Store(true)
		stop()
		s.layers.giveUp()
		group.Wait()
		s.close()
		b.ReportMetric(alone[runs/2].Seconds()*1000, "alone-p50-ms")
		b.ReportMetric(first[runs/2].Seconds()/alone[runs/2].Seconds(), "first-p50/alone")
		b.ReportMetric(beside[runs/2].Seconds()/alone[runs/2].Seconds(), "p50/alone")
		b.ReportMetric(first[runs*95/100].Seconds()/alone[runs/2].Seconds(), "first-p95/alone-p50")
		b.ReportMetric(beside[runs*95/100].Seconds()/alone[runs/2].Seconds(), "p95/alone-p50")
		b.ReportMetric(0, "ns/op")
		b.StartTimer()
	}
}

// server is a node as `kintsugi dev` makes it, but for the outside and the clocks on its way.
type server struct {
	*node
	layers *layers
}

func newServer(b *testing.B, backend string) *server {
	b.Helper()
	l := &layers{runs: map[string]*timing{}}
	w := &world{t: b, dir: b.TempDir(), outside: newOutside(b), clock: &clock{}}
	if backend == "memory" {
		dir, err := os.MkdirTemp("/dev/shm", "kintsugi-bench-")
		require.NoError(b, err)
		b.Cleanup(func() { require.NoError(b, os.RemoveAll(dir)) })
		w.dir = dir
	}
	pool := process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings(), Size: benchWorkers, Logger: slog.New(slog.DiscardHandler)})
	b.Cleanup(func() { require.NoError(b, pool.Close()) })
	w.pool = pool
	n := w.open(func(opened eventlog.Log) eventlog.Log {
		if backend == "postgres" {
			require.NoError(b, opened.Close())
			log, err := pglog.Open(b.Context(), pgtest.Database(b), pglog.Options{})
			require.NoError(b, err)
			opened = log
		}
		return timedLog{opened, l}
	})
	logger := slog.New(slog.NewTextHandler(testWriter{b}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	n.reactions[0] = execution.NewExecutor(execution.ExecutorConfig{
		Commands: n.commands, Sandbox: timedRunner{w.pool, l}, Local: n, Now: w.clock.now, Node: "bench", Alone: backend != "postgres",
		Logger: logger, Recordings: n, Mirror: func(string, hostcall.State, []string) error { return nil },
		Outside: func(env *hostcall.Env) egress.Live { return atOnce{hostcall.NewHost(env)} },
	})
	n.reactions = append(n.reactions, execution.NewScheduler(n.commands, w.clock.now))
	return &server{node: n, layers: l}
}

// benchWorkers is as cmd/kintsugi has it.
const benchWorkers = 64

// start runs what a server runs; stop ends it.
func (s *server) start(views bool) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 2)
	parts := 1
	go func() { ended <- s.loop().Run(ctx) }()
	if views {
		parts++
		go func() { ended <- s.views.Run(ctx) }()
	}
	return func() {
		cancel()
		for range parts {
			require.NoError(s.t, <-ended)
		}
	}
}

// round makes a run on each workflow.
func (s *server) round(ids []string) {
	var group sync.WaitGroup
	for _, id := range ids {
		group.Go(func() { s.one(id) })
	}
	group.Wait()
}

// one makes a run and waits for its end.
func (s *server) one(id string) {
	of := s.layers.expect()
	_, err := s.commands.AdmitRun(context.Background(), id, workflow.AdmitRun{
		Run: of.run, Trigger: workflow.TriggerManual, Input: json.RawMessage(`{"day":"2026-03-01"}`),
	}, person())
	if err != nil {
		s.t.Error(err)
		return
	}
	<-of.done
}

// rounds makes so many runs, on each workflow one after the other.
func (s *server) rounds(ids []string, runs int64) {
	var left atomic.Int64
	left.Store(runs)
	var group sync.WaitGroup
	for _, id := range ids {
		group.Go(func() {
			for left.Add(-1) >= 0 {
				s.one(id)
			}
		})
	}
	group.Wait()
}

// timing is when a run came where.
type timing struct {
	run                      string
	asked, admitted, claimed time.Time
	begun, over              time.Time // in the sandbox
	host                     time.Duration
	recorded                 time.Time
	settled                  time.Time
	done                     chan struct{}
}

// layers are the times of all runs.
type layers struct {
	onAppend func(stream string, e eventlog.Event, now time.Time) // nil, or told of each event
	appends  atomic.Int64
	mu       sync.Mutex
	next     int
	runs     map[string]*timing
	ended    []*timing
}

func (l *layers) expect() *timing {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.next++
	t := &timing{run: fmt.Sprintf("0190a1b2-0000-7000-8000-%012x", l.next), asked: time.Now(), done: make(chan struct{})}
	l.runs[t.run] = t
	return t
}

func (l *layers) at(run string, note func(*timing)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := l.runs[run]
	if t == nil {
		t = &timing{run: run, done: make(chan struct{})}
		l.runs[run] = t
	}
	note(t)
}

// giveUp has nobody wait for the runs that are under way.
func (l *layers) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.runs {
		close(t.done)
	}
	clear(l.runs)
}

func (l *layers) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = nil
	clear(l.runs)
	l.appends.Store(0)
}

func (l *layers) report(b *testing.B) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p := func(share float64, of func(*timing) time.Duration) float64 {
		took := make([]time.Duration, len(l.ended))
		for i, t := range l.ended {
			took[i] = of(t)
		}
		slices.Sort(took)
		return took[int(share*float64(len(took)-1))].Seconds() * 1000
	}
	whole := func(t *timing) time.Duration { return t.settled.Sub(t.asked) }
	b.ReportMetric(p(0.5, whole), "p50-ms")
	b.ReportMetric(p(0.99, whole), "p99-ms")
	b.ReportMetric(p(0.5, func(t *timing) time.Duration { return t.admitted.Sub(t.asked) }), "admit-ms")
	b.ReportMetric(p(0.5, func(t *timing) time.Duration { return t.claimed.Sub(t.admitted) }), "claim-ms")
	b.ReportMetric(p(0.5, func(t *timing) time.Duration { return t.over.Sub(t.begun) - t.host }), "worker-ms")
	b.ReportMetric(p(0.5, func(t *timing) time.Duration { return t.host + t.recorded.Sub(t.over) }), "journal-ms")
	b.ReportMetric(p(0.5, func(t *timing) time.Duration { return t.settled.Sub(t.recorded) }), "finish-ms")
}

// timedLog notes what is appended.
type timedLog struct {
	eventlog.Log
	layers *layers
}

func (l timedLog) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	appended, err := l.Log.Append(ctx, stream, expected, events)
	if err != nil || appended.Repeated {
		return appended, err
	}
	l.layers.appends.Add(1)
	return appended, l.layers.note(stream, events)
}

// AppendPair implements [eventlog.PairAppender].
func (l timedLog) AppendPair(ctx context.Context, first, second eventlog.Batch) ([]eventlog.Appended, error) {
	done, err := eventlog.AppendPair(ctx, l.Log, first, second)
	if err != nil {
		return done, err
	}
	l.layers.appends.Add(1)
	return done, errors.Join(l.layers.note(first.Stream, first.Events), l.layers.note(second.Stream, second.Events))
}

// note takes the time of what was appended.
func (l *layers) note(stream string, events []eventlog.Event) error {
	now := time.Now()
	for _, e := range events {
		if l.onAppend != nil {
			l.onAppend(stream, e, now)
		}
		switch e.Type {
		case "RunAdmitted", "RunSucceeded", "RunFailed":
			var of struct{ Run string }
			if err := json.Unmarshal(e.Payload, &of); err != nil {
				return err
			}
			l.at(of.Run, func(t *timing) {
				if e.Type == "RunAdmitted" {
					t.admitted = now
					return
				}
				t.settled = now
				delete(l.runs, t.run)
				l.ended = append(l.ended, t)
				close(t.done)
			})
		case "RunStarted":
			l.at(strings.TrimPrefix(stream, run.StreamPrefix), func(t *timing) { t.claimed = now })
		case "RunEnded":
			l.at(strings.TrimPrefix(stream, run.StreamPrefix), func(t *timing) { t.recorded = now })
		}
	}
	return nil
}

// timedRunner notes how long a run is in the sandbox, and how much of that with its host.
type timedRunner struct {
	sandbox.Runner
	layers *layers
}

func (r timedRunner) Run(ctx context.Context, x sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	begun, hosted := time.Now(), time.Duration(0)
	outcome, err := r.Runner.Run(ctx, x, sandbox.HostFunc(func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
		asked := time.Now()
		defer func() { hosted += time.Since(asked) }()
		return host.Call(ctx, call)
	}))
	over := time.Now()
	r.layers.at(x.Seed, func(t *timing) { t.begun, t.over, t.host = begun, over, hosted })
	return outcome, err
}

// ownTime is the processor time that this process has used so far.
func ownTime(t testing.TB) time.Duration { return usage(t, syscall.RUSAGE_SELF) }

func usage(t testing.TB, who int) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(who, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// serverTime is the processor time of PostgreSQL, all of its processes that live; of another backend none.
func serverTime(b *testing.B, backend string) (sum time.Duration) {
	b.Helper()
	if backend != "postgres" {
		return 0
	}
	server := pgtest.Shared(b).PID(b)
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if parent := strings.Fields(rest)[1]; parent == strconv.Itoa(server) {
			sum += threadsTime(b, filepath.Dir(path))
		}
	}
	return sum
}

// threadsTime is the processor time of a process that lives.
func threadsTime(t testing.TB, proc string) (sum time.Duration) {
	t.Helper()
	tasks, _ := filepath.Glob(proc + "/task/*/schedstat")
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err != nil {
			continue // it ended
		}
		on, _, _ := strings.Cut(string(text), " ")
		ns, err := strconv.ParseInt(on, 10, 64)
		require.NoError(t, err)
		sum += time.Duration(ns)
	}
	return sum
}

// processorTime is that of this process and its children, those that live included.
func processorTime(t testing.TB) time.Duration {
	t.Helper()
	sum := ownTime(t) + usage(t, syscall.RUSAGE_CHILDREN)
	for _, pid := range children() {
		sum += threadsTime(t, fmt.Sprintf("/proc/%d", pid))
	}
	return sum
}

// children are the processes that this one has started and that live.
func children() []int {
	var pids []int
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(field); err == nil {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}
