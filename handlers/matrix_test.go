package handlers_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// threeWrites reads and writes three times each. SAFE is a server that tells a repeat by its key.
const threeWrites = `async function main(input) {
  const a = await web.getJSON('BASE/a');
  await web.postJSON('ONE/one', { day: input.day, a: a.v });
  const b = await web.getJSON('BASE/b');
  await web.postJSON('TWO/two', { b: b.v });
  const c = await web.getJSON('BASE/c');
  await web.postJSON('THREE/three', { c: c.v });
  return a.v + b.v + c.v;
}`

// readsAtOnce reads three times at once, and writes what came, in the order in which it came.
const readsAtOnce = `async function main(input) {
  let sum = 0;
  const file = async (read, write) => {
    const got = await web.getJSON('BASE' + read);
    sum += got.v;
    await web.postJSON(write, { day: input.day, v: got.v });
  };
  await Promise.all([file('/a', 'ONE/one'), file('/b', 'TWO/two'), file('/c', 'THREE/three')]);
  return sum;
}`

// everyWrite makes all kinds of writes, between reads of which some are made at once. Before its last day a member that nobody
// reads was a number, so the guard looks closer at each write, and the script is executed again each time.
const everyWrite = `export default async function daily(input) {
  const [a] = await Promise.all([web.getJSON('BASE/a'), fetch('BASE/more').then((r) => r.json())]);
  await web.postJSON('ONE/one', { day: input.day, a: a.v });
  await kv.set('last', { ['d' + input.day]: a.v });
  const b = await web.getJSON('BASE/b');
  const sent = await fetch('TWO/two', { method: 'POST', body: JSON.stringify({ b: b.v }) });
  if (!sent.ok) throw new Error('it answered ' + sent.status);
  await files.append('log.txt', 'day ' + input.day + '\n');
  const c = await web.getJSON('BASE/c');
  await notify('Day ' + input.day, 'c is ' + c.v);
  await web.postJSON('THREE/three', { c: c.v });
  return a.v + b.v + c.v;
}`

var matrixWrites = []string{"/one", "/two", "/three"}

// matrixReads are the reads, with their answers.
var matrixReads = map[string]int{"/a": 1, "/b": 2, "/c": 3}

// kill is a moment of a life at which it ends: at an append, before it is stored or after and
// before the process hears of it, or while a request is out.
type kill struct {
	at      int // counted from 0 in its life
	request bool
	after   bool
}

func (k kill) String() string {
	switch {
	case k.request:
		return fmt.Sprintf("request %d is out", k.at)
	case k.after:
		return fmt.Sprintf("append %d is stored", k.at)
	}
	return fmt.Sprintf("before append %d", k.at)
}

// killed is the log of a process that ends at a moment: from then on it reaches nothing.
type killed struct {
	eventlog.Log
	kill kill
	die  context.CancelFunc

	dead     atomic.Bool
	appends  atomic.Int64
	requests atomic.Int64
}

func (k *killed) end() {
	k.dead.Store(true)
	k.die()
}

func (k *killed) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if k.dead.Load() {
		return eventlog.Appended{}, errCrashed
	}
	if k.kill.request || k.appends.Add(1)-1 != int64(k.kill.at) {
		return k.Log.Append(ctx, stream, expected, events)
	}
	if k.kill.after {
		if _, err := k.Log.Append(context.WithoutCancel(ctx), stream, expected, events); err != nil {
			return eventlog.Appended{}, err
		}
	}
	k.end()
	return eventlog.Appended{}, errCrashed
}

// requested is told of each request, when the server has it and has not answered.
func (k *killed) requested() {
	if k.kill.request && k.requests.Add(1)-1 == int64(k.kill.at) {
		k.end()
	}
}

// matrix kills the lives of one run after another.
type matrix struct {
	t     *testing.T
	world *world
	safe  *outside // declared idempotent
	// which of the writes goes to the safe server.
	idempotent string
	// alone is one server after another; else each life is another node, and leases decide.
	alone bool
	code  string
	// days is how many runs succeed before the one that is killed. Then answers change where the script does not look.
	days  int
	kills int
	reads map[string]int // that were recorded when a life ended: how often the server had them by then
}

func newMatrix(t *testing.T, idempotent string, alone bool) *matrix {
	return &matrix{t: t, world: newWorld(t), safe: newOutside(t), idempotent: idempotent, alone: alone, code: threeWrites}
}

// fresh is a new home for a run; the servers forget.
func (m *matrix) fresh() {
	m.world.dir = m.t.TempDir()
	m.reads = map[string]int{}
	m.forget()
	m.answers(`"seven"`)
}

// answers has the reads answer what they do, with a note that nobody reads.
func (m *matrix) answers(note string) {
	for path, value := range matrixReads {
		m.world.outside.answer(path, 200, fmt.Sprintf(`{"v":%d,"note":%s}`, value, note))
	}
}

func (m *matrix) forget() {
	for _, o := range []*outside{m.world.outside, m.safe} {
		o.mu.Lock()
		o.hits, o.bodies, o.keys = map[string]int{}, nil, nil
		o.mu.Unlock()
	}
}

func (m *matrix) create(n *node) (id, of string) {
	code := m.code
	for i, place := range []string{"ONE", "TWO", "THREE"} {
		base := "BASE"
		if matrixWrites[i] == m.idempotent {
			base = m.safe.server.URL
		}
		code = strings.ReplaceAll(code, place, base)
	}
	id = n.create(code, workflow.Settings{AllowedHosts: []string{m.safe.host()}, IdempotentHosts: []string{m.safe.host()}})
	if m.days > 0 {
		m.answers("7")
		for day := range m.days {
			n.runs(id, fmt.Sprintf(`{"day":%d}`, day))
		}
		require.Empty(m.t, n.events(id, workflow.TypeRunFailed))
		m.answers(`"seven"`)
		m.forget()
	}
	return id, n.admit(id, `{"day":7}`)
}

// received is how often the servers got a write.
func (m *matrix) received(path string) int {
	return m.world.outside.count("POST "+path) + m.safe.count("POST "+path)
}

// open starts a life that ends at a moment, or goes on if there is none.
func (m *matrix) open(life int, at *killed) *node {
	var wrap func(eventlog.Log) eventlog.Log
	m.world.outside.setBefore(nil)
	m.safe.setBefore(nil)
	if at != nil {
		wrap = func(log eventlog.Log) eventlog.Log { at.Log = log; return at }
		m.world.outside.setBefore(func(string) { at.requested() })
		m.safe.setBefore(func(string) { at.requested() })
	}
	n := m.world.open(wrap)
	if !m.alone {
		n.beside("node "+strconv.Itoa(life), matrixLease)
	}
	return n
}

const matrixLease = time.Hour

func (o *outside) setBefore(before func(string)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.before = before
}

// unanswered are the writes that the journal has as sent and not as answered, but for those that
// may be sent again: what has to be in doubt, and nothing else.
func (m *matrix) unanswered(s run.State) []string {
	var paths []string
	for _, call := range s.Calls {
		if call.Effect == run.EffectWrite && !call.Returned && call.Resolved == "" {
			if path := pathOf(call); path != m.idempotent {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

func (m *matrix) journaled(s run.State, path string) bool {
	return slices.ContainsFunc(s.Calls, func(call *run.Call) bool { return pathOf(call) == path && call.Returned })
}

func pathOf(call *run.Call) string {
	for _, path := range append([]string{"/a", "/b", "/c"}, matrixWrites...) {
		if strings.Contains(string(call.Args), path+`"`) {
			return path
		}
	}
	return ""
}

func doubts(s run.State) []string {
	var paths []string
	for _, call := range s.InDoubt() {
		paths = append(paths, pathOf(call))
	}
	return paths
}

// die lives until the moment, and says whether it came to that. A call that was out at that moment is in the journal
// as sent and not answered.
func (m *matrix) die(life int, at kill, of string) (died bool) {
	ctx, die := context.WithCancel(m.t.Context())
	defer die()
	doomed := &killed{kill: at, die: die}
	n := m.open(life, doomed)
	before := n.began(of)
	_ = n.settle(ctx) // ends as a killed process does: in the middle
	after := n.began(of)
	n.close()
	open := m.unanswered(after)
	for _, path := range matrixWrites {
		if path != m.idempotent && m.received(path) > 0 && !m.journaled(after, path) {
			require.Contains(m.t, open, path, "a write that went out is not in the journal")
		}
	}
	for _, path := range doubts(after) {
		require.Contains(m.t, m.unanswered(before), path, "in doubt, and was not out when a life ended")
	}
	for path := range matrixReads {
		if _, known := m.reads[path]; !known && m.journaled(after, path) {
			m.reads[path] = m.world.outside.count("GET " + path)
		}
	}
	if doomed.dead.Load() {
		m.kills++
	}
	return doomed.dead.Load()
}

// began is a run, as far as anybody has begun it.
func (n *node) began(of string) run.State {
	n.t.Helper()
	state, err := n.commands.LoadRun(context.Background(), of)
	if err != nil {
		return run.State{}
	}
	return state
}

// finish is a life that nothing ends, and a person who looks what became of what is in doubt.
func (m *matrix) finish(life int, id, of string) {
	t := m.t
	n := m.open(life, nil)
	defer n.close()
	require.NoError(t, n.settle(t.Context()))
	for len(n.state(id).Admitted) > 0 {
		recorded := n.run(of)
		require.Equal(t, m.unanswered(recorded), doubts(recorded))
		require.Len(t, recorded.InDoubt(), 1, "a run that stands still says why")
		call := recorded.InDoubt()[0]
		resolve := run.ResolveEffect{Seq: call.Seq, How: run.ResolvedDidNot}
		if m.received(pathOf(call)) > 0 {
			resolve.How = run.ResolvedHappened
		}
		if early := call.NotBefore.Sub(m.world.clock.now()); early > 0 {
			require.False(t, m.alone, "nobody else can be at it")
			err := n.commands.ResolveEffect(t.Context(), of, resolve, person())
			require.ErrorContains(t, err, "may still be under way")
			m.world.clock.advance(early)
		}
		require.NoError(t, n.commands.ResolveEffect(t.Context(), of, resolve, person()))
		require.NoError(t, n.settle(t.Context()))
	}
	m.verify(n, id, of)
}

// verify holds that the run came to its end, and that nothing was done twice.
func (m *matrix) verify(n *node, id, of string) {
	t := m.t
	recorded := n.run(of)
	require.True(t, recorded.Ended, "a lost run")
	require.Nil(t, recorded.Failure)
	require.JSONEq(t, `6`, string(recorded.Output))
	for path, made := range m.reads {
		require.Equal(t, made, m.world.outside.count("GET "+path), "%s was recorded, and is read again", path)
	}
	for _, call := range recorded.Calls {
		require.True(t, call.Returned || call.Effect == run.EffectWrite, "%s is recorded as never answered", pathOf(call))
	}
	settled, found := n.state(id).Run(of)
	require.True(t, found && settled.Succeeded)
	for _, path := range matrixWrites {
		if path == m.idempotent {
			require.GreaterOrEqual(t, m.received(path), 1)
		} else {
			require.Equal(t, 1, m.received(path), "the write %s went out more than once, or never", path)
		}
	}
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(m.safe.keys))), 1, "a write that is sent again keeps its key")
	keys := slices.Concat(m.safe.keys, m.world.outside.keys)
	slices.Sort(keys)
	require.Len(t, slices.Compact(keys), 3, "each write has a key of its own")
	if m.days > 0 {
		local, err := n.LocalState(t.Context(), id)
		require.NoError(t, err)
		log, _ := local.File("log.txt")
		require.Equal(t, m.days+1, strings.Count(log.Text, "\n"), log.Text)
		last, _ := local.KV("last")
		require.JSONEq(t, `{"d7":1}`, string(last))
		told := slices.DeleteFunc(slices.Clone(recorded.Calls), func(call *run.Call) bool { return call.Tool != "notify" })
		require.Len(t, told, 1)
	}
	n.audited()
}

// audited holds that the whole log is whole: chains, and that each event can have happened.
func (n *node) audited() {
	n.t.Helper()
	audit := commands.NewAudit(n.codec)
	for record, err := range n.log.All(context.Background(), eventlog.Start, eventlog.Everything) {
		require.NoError(n.t, err)
		require.NoError(n.t, audit.Check(record))
	}
}

// one kills the lives of a new run at these moments, one after the other, and lets it come to its
// end. It says whether the last of them came.
func (m *matrix) one(kills ...kill) (died bool) {
	m.t.Helper()
	defer func() {
		if m.t.Failed() {
			m.t.Logf("kills: %v, idempotent %s, alone %t", kills, m.idempotent, m.alone)
		}
	}()
	m.fresh()
	n := m.open(0, nil)
	id, of := m.create(n)
	n.close()
	for life, at := range kills {
		died = m.die(life+1, at, of)
		if !m.alone {
			m.world.clock.advance(matrixLease)
		}
	}
	m.finish(len(kills)+1, id, of)
	return died
}

// moments kills one run after the other at every moment of its first life.
func (m *matrix) moments() {
	for _, moment := range []kill{{}, {after: true}, {request: true}} {
		for m.one(moment) {
			moment.at++
		}
	}
}

// campaign multiplies what a random test does.
func campaign(t testing.TB) int {
	t.Helper()
	n, err := strconv.Atoi(cmp.Or(os.Getenv("KINTSUGI_CAMPAIGN"), "1"))
	require.NoError(t, err, "KINTSUGI_CAMPAIGN")
	return n
}

// seed is KINTSUGI_SEED, or another one each time; it says how to repeat the test.
func seed(t *testing.T) uint64 {
	t.Helper()
	text := cmp.Or(os.Getenv("KINTSUGI_SEED"), strconv.FormatInt(time.Now().UnixNano()%1_000_000_000, 10))
	seed, err := strconv.ParseUint(text, 10, 64)
	require.NoError(t, err, "KINTSUGI_SEED")
	t.Logf("repeat with: KINTSUGI_SEED=%d go test -run '^%s$' ./handlers", seed, t.Name())
	return seed
}

// The server may be killed at every append of a run with three reads and three writes, before and
// after the append is stored, and while any of its requests is out: no run is lost, no write goes
// out twice but to the server that is declared to tell a repeat by its key, and what was out
// at the kill is in doubt, and nothing else.
func TestCrashMatrix(t *testing.T) {
	t.Parallel()
	for _, idempotent := range matrixWrites {
		for _, alone := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s safe, alone %t", idempotent[1:], alone), func(t *testing.T) {
				t.Parallel()
				m := newMatrix(t, idempotent, alone)
				m.moments()
				// Six appends, before and after, and six requests. A write's answer is appended by itself if the next
				// write is long in coming.
				require.GreaterOrEqual(t, m.kills, 18)
			})
		}
	}
}

// As [TestCrashMatrix], of a script whose reads are under way at the same time, and whose writes come in the order of the answers:
// what was recorded is neither read nor written again, and what was under way is.
func TestCrashMatrixOfReadsAtOnce(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{true, false} {
		t.Run(fmt.Sprintf("alone %t", alone), func(t *testing.T) {
			t.Parallel()
			m := newMatrix(t, "/two", alone)
			m.code = readsAtOnce
			m.moments()
			require.GreaterOrEqual(t, m.kills, 14)
		})
	}
	t.Run("many lives", func(t *testing.T) {
		t.Parallel()
		random := rand.New(rand.NewPCG(seed(t), 0))
		m := newMatrix(t, matrixWrites[random.IntN(3)], true)
		m.code = readsAtOnce
		for range 10 * campaign(t) {
			kills := make([]kill, 2+random.IntN(3))
			for i := range kills {
				kills[i] = kill{at: random.IntN(6), after: random.IntN(2) == 0, request: random.IntN(3) == 0}
			}
			m.one(kills...)
		}
	})
}

// As [TestCrashMatrix], of a script with every kind of write that is executed again before each of them, because the guard looks closer.
func TestCrashMatrixOfARunThatIsLookedAtCloser(t *testing.T) {
	t.Parallel()
	for _, alone := range []bool{true, false} {
		t.Run(fmt.Sprintf("alone %t", alone), func(t *testing.T) {
			t.Parallel()
			m := newMatrix(t, "/two", alone)
			m.code, m.days = everyWrite, 3
			m.moments()
			require.GreaterOrEqual(t, m.kills, 18)
		})
	}
	t.Run("many lives", func(t *testing.T) {
		t.Parallel()
		random := rand.New(rand.NewPCG(seed(t), 0))
		m := newMatrix(t, matrixWrites[random.IntN(3)], true)
		m.code, m.days = everyWrite, 3
		for range 5 * campaign(t) {
			kills := make([]kill, 2+random.IntN(3))
			for i := range kills {
				kills[i] = kill{at: random.IntN(8), after: random.IntN(2) == 0, request: random.IntN(3) == 0}
			}
			m.one(kills...)
		}
	})
}

// matrixRuns is how many runs are killed in several lives.
const matrixRuns = 40

// As [TestCrashMatrix], but the life that goes on is killed as well, and the next.
func TestCrashMatrixOfManyLives(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(seed(t), 0))
	killed, lives := 0, 0
	for _, alone := range []bool{true, false} {
		m := newMatrix(t, matrixWrites[random.IntN(3)], alone)
		for range matrixRuns / 2 * campaign(t) {
			kills := make([]kill, 2+random.IntN(3))
			for i := range kills {
				kills[i] = kill{at: random.IntN(6), after: random.IntN(2) == 0, request: random.IntN(3) == 0}
			}
			lives += len(kills)
			m.one(kills...)
		}
		killed += m.kills
	}
	t.Logf("%d kills in %d lives", killed, lives)
	require.Greater(t, killed, lives/3)
}

// A write to a host that tells a repeat by its key is gone on with by whatever run continues the one
// that sent it, whether the repeat was refused, or answered and something else went wrong after it.
func TestAnIdempotentWriteOutlivesItsRun(t *testing.T) {
	t.Parallel()
	for _, fails := range []string{"/two", "/c"} {
		t.Run(fails[1:], func(t *testing.T) {
			t.Parallel()
			m := newMatrix(t, "/two", true)
			m.fresh()
			n := m.open(0, nil)
			id, of := m.create(n)
			n.close()
			require.True(t, m.die(1, kill{at: 3, request: true}, of))
			require.Equal(t, 1, m.safe.count("POST /two"))

			n = m.open(2, nil)
			defer n.close()
			for _, o := range []*outside{m.safe, m.world.outside} {
				o.answer(fails, 503, `{}`)
			}
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, failure.Network, n.run(of).Failure.Class)
			m.safe.answer(fails, 200, `{}`)
			m.world.outside.answer(fails, 200, `{"v":3}`)
			m.world.clock.advance(time.Minute)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, workflow.TypeRecovered, last(n.events(id, workflow.TypeRunFailed)), n.events(id, workflow.TypeRunFailed))
			require.Len(t, slices.Compact(slices.Sorted(slices.Values(m.safe.keys))), 1)
			require.Equal(t, 1, m.received("/one"))
			require.Equal(t, 1, m.received("/three"))
		})
	}
}
