package handlers_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// meeting holds requests until so many are there at once.
type meeting struct {
	mu          sync.Mutex
	there, most int
	met         chan struct{}
	size        int
}

func newMeeting(size int) *meeting { return &meeting{met: make(chan struct{}), size: size} }

func (m *meeting) hold(string) {
	m.mu.Lock()
	if m.there++; m.there == m.size && m.most < m.size {
		close(m.met)
	}
	m.most = max(m.most, m.there)
	m.mu.Unlock()
	<-m.met
	m.mu.Lock()
	m.there--
	m.mu.Unlock()
}

// Promise.all makes its reads at the same time, by every kind of call: the server answers none before it has all. A
// replay gives the same result, with the calls in the order in which the script made them; and a dry run reads at the
// same time, too.
func TestReadsOfARunAreMadeAtTheSameTime(t *testing.T) {
	t.Parallel()
	n := newWorld(t).inWorkers().open(nil)
	defer n.close()
	code := `async function main(input) {
  const all = await Promise.all([
    fetch('BASE/0').then((r) => r.json()), web.getJSON('BASE/1'), web.postJSON('BASE/2', {}, { effect: 'read' }),
    web.fetch('BASE/3', { method: 'HEAD' }), ...[4, 5, 6, 7].map((i) => web.getJSON('BASE/' + i)),
  ]);
  await kv.set('all', all.length);
  return all.length;
}`
	id := n.create(code, workflow.Settings{})
	n.outside.setBefore(newMeeting(8).hold)
	of := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	recorded := n.run(of)
	require.Nil(t, recorded.Failure, "%+v", recorded.Failure)
	require.JSONEq(t, `8`, string(recorded.Output))
	require.True(t, recorded.Overlap)
	for i := range 8 {
		require.Contains(t, string(recorded.Calls[i].Args), fmt.Sprintf("/%d", i))
	}
	explorer := &rehearsal.Explorer{Commands: n.commands, Sandbox: n.pool, Local: n, Recordings: n, Now: n.clock.now, NewID: func() string { return "dry" }}
	again, err := explorer.Replay(t.Context(), "", n.outside.local(code), recorded)
	require.NoError(t, err)
	require.True(t, again.Reproduced, "%+v", again.Divergence)
	require.Len(t, again.Outcome.Calls, 9)

	n.outside.setBefore(newMeeting(8).hold)
	dry, err := explorer.DryRun(t.Context(), id, rehearsal.DryRun{Code: n.outside.local(code)})
	require.NoError(t, err)
	require.JSONEq(t, `8`, string(dry.Outcome.Output))
	require.Len(t, dry.Writes, 1)
}

// A server never has more requests of one run at once than that, however many the script begins.
func TestReadsOfARunAreBounded(t *testing.T) {
	t.Parallel()
	n := newWorld(t).inWorkers().open(nil)
	defer n.close()
	id := n.create(`async function main() {
  return (await Promise.all(Array.from({ length: 40 }, (_, i) => web.getJSON('BASE/' + i)))).length;
}`, workflow.Settings{})
	held := newMeeting(sandbox.ReadsAtOnce)
	n.outside.setBefore(held.hold)
	of := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	require.JSONEq(t, `40`, string(n.run(of).Output))
	require.Equal(t, sandbox.ReadsAtOnce, held.most)
}

// seeing looks at what is appended.
type seeing struct {
	eventlog.Log
	saw func(event eventlog.Event)
}

func (s *seeing) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	appended, err := s.Log.Append(ctx, stream, expected, events)
	for _, event := range events {
		s.saw(event)
	}
	return appended, err
}

// A read that was under way when a process was killed, and is recorded as begun, is made again in its place: the record has it once.
func TestAReadThatWasUnderWayKeepsItsPlace(t *testing.T) {
	t.Parallel()
	world := newWorld(t)
	ctx, die := context.WithCancel(t.Context())
	defer die()
	doomed := &killed{kill: kill{request: true, at: -1}, die: die}
	n := world.open(func(log eventlog.Log) eventlog.Log {
		doomed.Log = log
		return &seeing{Log: doomed, saw: func(event eventlog.Event) {
			if event.Type == (run.ToolCalled{}).EventType() {
				doomed.end()
			}
		}}
	}).beside("first", 300*time.Millisecond)
	world.outside.answer("/slow", 200, `{"v":1}`)
	world.outside.answer("/fast", 200, `{"v":2}`)
	id := n.create(`async function main() {
  const slow = web.getJSON('BASE/slow');
  const fast = await web.getJSON('BASE/fast');
  return [(await slow).v, fast.v];
}`, workflow.Settings{})
	world.outside.setBefore(func(path string) {
		if path == "/slow" {
			<-ctx.Done() // what has begun is appended with the next extension of the lease
		}
	})
	of := n.admit(id, `{}`)
	_ = n.settle(ctx)
	n.close()

	world.outside.setBefore(nil)
	world.clock.advance(time.Hour)
	n = world.open(nil).beside("second", time.Hour)
	defer n.close()
	left := n.run(of)
	require.False(t, left.Ended)
	require.False(t, left.Calls[0].Returned)
	require.NoError(t, n.settle(t.Context()))
	recorded := n.run(of)
	require.JSONEq(t, `[1,2]`, string(recorded.Output))
	require.Len(t, recorded.Calls, 2)
	require.True(t, recorded.Calls[0].Returned)
	require.Equal(t, 2, world.outside.count("GET /slow"))
	n.audited()
}

// Reads that a failed run had begun are waited for: the fix is judged on their answers, and the run that goes on with
// it reads nothing again and writes nothing twice.
func TestARunOfReadsAtOnceIsMendedAndGoesOn(t *testing.T) {
	t.Parallel()
	n := newWorld(t).inWorkers().open(nil)
	defer n.close()
	id := n.create(`async function main(input) {
  await web.postJSON('BASE/started', { day: input.day });
  const [total, rates] = await Promise.all([
    web.getJSON('BASE/orders').then((list) => {
      let total = 0;
      for (const order of list.orders) {
        total += order.amount_total.value;
      }
      return total;
    }),
    web.getJSON('BASE/rates'),
  ]);
  await web.postJSON('BASE/done', { day: input.day, total: total * rates.eur });
  return { total: total * rates.eur };
}`, workflow.Settings{})
	n.outside.answer("/rates", 200, `{"eur":2}`)
	n.succeed(id)
	n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
	read := n.outside.count("GET /rates")
	both := newMeeting(2)
	n.outside.setBefore(func(path string) {
		if path == "/orders" || path == "/rates" {
			both.hold(path)
		}
	})
	failed := n.admit(id, `{"day":"2026-03-09"}`)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
	require.Equal(t, read+2, n.outside.count("GET /rates"), "by the run, and to see whether it works now")
	require.Equal(t, 5, n.outside.count("POST /started"))
	require.Equal(t, 5, n.outside.count("POST /done"))
	of := func(s run.State, path string) *run.Call {
		return s.Calls[slices.IndexFunc(s.Calls, func(call *run.Call) bool { return strings.Contains(string(call.Args), path) })]
	}
	require.True(t, of(n.run(failed), "/rates").Returned)
	continued := n.run(commands.DerivedID(failed, "continuation", "1.1"))
	require.Equal(t, failed, of(continued, "/rates").From)
	require.JSONEq(t, `{"total":66}`, string(continued.Output))
}

// A run that was recorded before reads overlapped still replays the same, and its continuation makes one call after
// the other, too.
func TestRunsOfEarlierProgramsGoOnInTheirWay(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	code := `async function main() {
  const came = [];
  await Promise.all(['a', 'b'].map(async (name) => { await web.getJSON('BASE/' + name); came.push(name + Date.now() % 1000) }));
  return came;
}`
	past := gate.Run{
		ID: "r1", Seed: "r1", Input: []byte(`{}`),
		Calls: []gate.Call{
			{Tool: "web.getJSON", Args: []byte(n.outside.local(`["BASE/a"]`)), Effect: run.EffectRead, Result: []byte(`1`), MS: 90},
			{Tool: "web.getJSON", Args: []byte(n.outside.local(`["BASE/b"]`)), Effect: run.EffectRead, Result: []byte(`2`), MS: 20},
		},
		Outcome: gate.Outcome{Status: "succeeded", Output: []byte(`["a110","b110"]`)},
	}
	for overlap, want := range map[bool]string{false: `["a110","b110"]`, true: `["b20","a90"]`} {
		past.Overlap, past.Outcome.Output = overlap, []byte(want)
		again, err := gate.Reproduce(t.Context(), n.pool, n.outside.local(code), "", &past)
		require.NoError(t, err)
		require.True(t, again.Reproduced, "%+v", again.Divergence)
	}
}

// A retry makes those of several reads again whose trouble may have passed, wherever they stand among the others. The
// script's messages about the trouble are not sent again.
func TestARetryMakesTheRefusedReadsAgain(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main() {
  await web.postJSON('BASE/started', {});
  try {
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => web.getJSON('BASE/' + name)));
    await web.postJSON('BASE/done', { sum: all.reduce((sum, one) => sum + one.v, 0) });
    return all.length;
  } catch (e) {
    await notify('It did not work: ' + e.message);
    throw e;
  }
}`, workflow.Settings{})
	for i, name := range []string{"a", "b", "c", "d"} {
		n.outside.answer("/"+name, []int{503, 200}[i%2], `{"v":1}`)
	}
	n.runs(id, `{}`)
	require.Len(t, n.state(id).Retries, 1)
	for _, name := range []string{"a", "c"} {
		n.outside.answer("/"+name, 200, `{"v":1}`)
	}
	n.clock.advance(time.Minute)
	require.NoError(t, n.settle(t.Context()))
	require.Empty(t, n.state(id).Retries)
	require.Equal(t, workflow.StatusActive, n.state(id).Status)
	for path, want := range map[string]int{"GET /a": 2, "GET /b": 1, "GET /c": 2, "GET /d": 1, "POST /started": 1, "POST /done": 1} {
		require.Equal(t, want, n.outside.count(path), path)
	}
}
