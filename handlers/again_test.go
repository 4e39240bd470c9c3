package handlers_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// kindsOfWrites are all ways to write; i is the place in the script.
var kindsOfWrites = map[string]string{
	"post":   `await web.postJSON('BASE/post', { of: input.name, at: i, v: a.v });`,
	"fetch":  `{ const r = await fetch('BASE/fetch', { method: 'POST', body: JSON.stringify({ of: input.name, at: i, v: a.v }) }); if (!r.ok) throw new Error('it answered ' + r.status); }`,
	"key":    `await kv.set('last', { [input.name]: a.v });`,
	"file":   `await files.write('last.txt', input.name + ' ' + a.v);`,
	"append": `await files.append('log.txt', input.name + ' ' + a.v + '\n');`,
	"notify": `await notify('Done', input.name + ' ' + a.v);`,
	"ask":    `if ((await ask('Go on with ' + input.name + '?')) !== 'yes') throw new Error('no');`,
}

// readPlaces are what is read before each write.
var readPlaces = []string{"orders", "rates", "stock", "people", "prices", "streets", "tags"}

// formsOfEntry are the ways in which a script says what runs. BODY returns the result.
var formsOfEntry = []string{
	`async function main(input) { BODY }`,
	`export default async function daily(input) { BODY }`,
	`export async function main(input: { name: string }): Promise<number> { BODY }`,
	`const main = async (input) => { BODY }; export default main;`,
	`export default async (input) => { BODY };`,
	`const day = input; BODY`,
}

// manyWrites reads before each of its writes: one answer, or two at once.
func manyWrites(form string, atOnce bool, kinds []string) string {
	body := "let sum = 0;\n"
	for i, kind := range kinds {
		read := `const a = await web.getJSON('BASE/PLACE');`
		if atOnce {
			read = `const [a, b] = await Promise.all([web.getJSON('BASE/PLACE'), fetch('BASE/PLACE/more').then((r) => r.json())]); sum += b.v;`
		}
		body += strings.NewReplacer("AT", strconv.Itoa(i), "PLACE", readPlaces[i]).Replace("{ const i = AT; " + read + " sum += a.v; " + kindsOfWrites[kind] + " }\n")
	}
	return strings.Replace(form, "BODY", body+"return sum;", 1)
}

// attempts counts how often each run is executed.
type attempts struct {
	sandbox.Runner
	mu sync.Mutex
	of map[string]int // by seed, which a chain of runs keeps
}

func (a *attempts) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	a.mu.Lock()
	a.of[execution.Seed]++
	a.mu.Unlock()
	return a.Runner.Run(ctx, execution, host)
}

func (w *world) counted() *attempts {
	a := &attempts{Runner: w.pool, of: map[string]int{}}
	w.pool = a
	return a
}

// told is what the reads of one day answer. A member that nobody reads may be another kind of value, so that the guard looks closer.
func (n *node) told(v int, whole bool) {
	for i, place := range readPlaces {
		text := fmt.Sprintf(`{"v":%d,"note":"seven"}`, v+i)
		if whole {
			text = fmt.Sprintf(`{"v":%d,"note":7}`, v+i)
		}
		n.outside.answer("/"+place, 200, text)
		n.outside.answer("/"+place+"/more", 200, text)
	}
}

// answersAll goes on until no run has a question.
func (n *node) answersAll(id string) {
	n.t.Helper()
	for {
		require.NoError(n.t, n.settle(context.Background()))
		asked := false
		for of := range n.state(id).Admitted {
			if n.began(of).Awaiting() != nil {
				asked = true
				require.NoError(n.t, n.commands.GiveAnswer(context.Background(), of, run.GiveAnswer{Answer: "yes"}, person()))
			}
		}
		if !asked {
			return
		}
	}
}

// Rule 15: however often a run is executed again (the guard looks closer at each write, a person answers, a read is refused and
// tried again), what it has written is written once, whatever kinds of writes there are and in which order.
func TestRule15ARunThatIsExecutedAgainWritesEverythingOnce(t *testing.T) {
	t.Parallel()
	kinds := []string{"post", "key", "fetch", "file", "ask", "notify", "append"}
	for f, form := range formsOfEntry {
		for _, atOnce := range []bool{false, true} {
			t.Run(fmt.Sprintf("form %d, reads at once %t", f, atOnce), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				counted := w.counted()
				n := w.open(nil)
				defer n.close()
				turn := f // each write comes first somewhere
				if atOnce {
					turn = (f + 3) % len(kinds)
				}
				order := slices.Concat(kinds[turn:], kinds[:turn])
				id := n.create(manyWrites(form, atOnce, order), workflow.Settings{})
				name := func(day int) string { return fmt.Sprintf("t%d-d%d", turn, day) }
				for day := range 4 {
					n.told(10*day+1, true)
					n.admit(id, `{"name":"`+name(day)+`"}`)
					n.answersAll(id)
				}
				require.Empty(t, n.events(id, workflow.TypeRunFailed), order)

				n.told(41, false)
				late := "/" + readPlaces[len(kinds)-2]
				n.outside.answer(late, 503, `{}`)
				before := len(n.outside.bodies)
				of := n.admit(id, `{"name":"`+name(4)+`"}`)
				n.answersAll(id)
				n.outside.answer(late, 200, `{"v":46,"note":"seven"}`)
				n.clock.advance(time.Minute)
				n.answersAll(id)

				require.Equal(t, []string{workflow.TypeRunFailed, workflow.TypeNetworkErrorClassified, workflow.TypeRetryScheduled, workflow.TypeRunAdmitted, workflow.TypeRunSucceeded, workflow.TypeRecovered}, n.events(id, workflow.TypeRunFailed), order)
				require.GreaterOrEqual(t, counted.of[of], 3+len(kinds), "the guard has looked closer, so the script ran again and again")
				require.Len(t, n.outside.bodies[before:], 2, order)
				local, err := n.LocalState(t.Context(), id)
				require.NoError(t, err)
				log, _ := local.File("log.txt")
				require.Equal(t, 5, strings.Count(log.Text, "\n"), log.Text)
				written := map[string]int{}
				for _, call := range n.run(n.lastSuccess(id)).Calls {
					if call.Effect == run.EffectWrite {
						written[call.Tool]++
					}
				}
				require.Equal(t, map[string]int{"web.postJSON": 1, "kv.set": 1, "web.fetch": 1, "files.write": 1, "ask": 1, "notify": 1, "files.append": 1}, written)
			})
		}
	}
}

// otherwise executes other code when a run is executed again, as a fault of the sandbox would.
type otherwise struct {
	*attempts
	other string
}

func (f *otherwise) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	if f.attempts.of[execution.Seed] > 0 {
		execution.Code = f.other
	}
	return f.attempts.Run(ctx, execution, host)
}

// Rule 15: the same code that does not repeat what it wrote is our fault, and said to be. Its person is asked, with all that was written.
func TestRule15ARunThatDoesNotRepeatItselfIsAFaultOfOurs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pool = &otherwise{attempts: w.counted(), other: w.outside.local(`async function main() { await web.postJSON('BASE/two', {}); }`)}
	n := w.open(nil)
	defer n.close()
	id := n.create(`async function main() {
  await kv.set('day', 1);
  await web.postJSON('BASE/one', { a: 1 });
  if ((await ask('More?')) === 'yes') await web.postJSON('BASE/two', {});
}`, workflow.Settings{})
	of := n.admit(id, `{}`)
	n.answersAll(id)
	failed := n.run(of).Failure
	require.Equal(t, failure.Internal, failed.Class)
	require.Equal(t, failure.CodeDiverged, failed.Code)
	require.Contains(t, failed.Message, "a fault of Kintsugi")
	require.Equal(t, []string{workflow.TypeRunFailed, workflow.TypeInternalErrorClassified, workflow.TypeRunUnfinished}, n.events(id, workflow.TypeRunFailed))
	require.Zero(t, n.outside.count("POST /two"))
	written, err := rehearsal.Written(t.Context(), n.commands, of)
	require.NoError(t, err)
	var tools []string
	for _, one := range written {
		tools = append(tools, one.Tool)
	}
	require.Equal(t, []string{"kv.set", "web.postJSON", "ask"}, tools)

	// A run that goes on with it, and fails before it has repeated anything, has written what the first one had.
	_, err = n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: of}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	for next, u := range n.state(id).Unfinished {
		require.NotEqual(t, of, next)
		require.Equal(t, failure.Internal, u.Class)
		again, err := rehearsal.Written(t.Context(), n.commands, next)
		require.NoError(t, err)
		require.Len(t, again, 3)
	}
}
