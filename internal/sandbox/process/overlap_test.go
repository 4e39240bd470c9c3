package process_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// outside is a host whose reads are made at the same time. It keeps a record of what it was told, and knows what was recorded
// in an earlier life.
type outside struct {
	sandbox.Host                                                                     // answers what is no read
	get          func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) // at the same time
	past         []sandbox.Entry
	left         sandbox.Matches // of the past

	entries []sandbox.Entry // in the order of the calls
	told    []int           // which of them, in the order in which their answers were recorded
	writes  []string
}

func (o *outside) known(call sandbox.Call) (sandbox.Reply, bool) {
	o.entries = append(o.entries, sandbox.Entry{Tool: call.Tool, Args: call.Args, Effect: call.Effect})
	if call.Effect == sandbox.Write {
		o.writes = append(o.writes, string(call.Args))
	}
	at, known := o.left.Take(call.Tool, call.Args)
	if !known {
		return sandbox.Reply{}, false
	}
	reply := sandbox.Reply{Result: o.past[at].Result, Error: o.past[at].Error, MS: o.past[at].MS}
	o.record(len(o.entries)-1, reply)
	return reply, true
}

func (o *outside) record(at int, reply sandbox.Reply) {
	o.entries[at].Result, o.entries[at].Error, o.entries[at].MS = reply.Result, reply.Error, reply.MS
	o.told = append(o.told, at)
}

func (o *outside) Call(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	reply, known := o.known(call)
	if known {
		return reply, nil
	}
	reply, err := o.Host.Call(ctx, call)
	if err == nil {
		o.record(len(o.entries)-1, reply)
	}
	return reply, err
}

func (o *outside) Begin(_ context.Context, call sandbox.Call) (sandbox.Reply, *sandbox.Begun, error) {
	reply, known := o.known(call)
	if known {
		return reply, nil, nil
	}
	at := len(o.entries) - 1
	return sandbox.Reply{}, &sandbox.Begun{
		Make: func(ctx context.Context) (sandbox.Reply, error) { return o.get(ctx, call) },
		Answered: func(_ context.Context, reply sandbox.Reply) error {
			o.record(at, reply)
			return nil
		},
	}, nil
}

// after is a host that knows the beginning of another one's record, as a crash leaves it.
func (o *outside) after(events int) *outside {
	again := &outside{Host: o.Host, get: o.get}
	kept := o.told[:events]
	for at, entry := range o.entries {
		if slices.Contains(kept, at) {
			again.left.Add(len(again.past), entry.Tool, entry.Args)
			again.past = append(again.past, entry)
		}
	}
	return again
}

// overlapping is an execution whose reads overlap.
func overlapping(code string) sandbox.Execution {
	x := execution(code)
	x.Overlap = true
	return x
}

// live makes an execution, and again from what was recorded of it: that has to come to the same.
func live(t *testing.T, runner sandbox.Runner, x sandbox.Execution, o *outside) sandbox.Outcome {
	t.Helper()
	outcome, err := runner.Run(t.Context(), x, o)
	require.NoError(t, err)
	x.Journal = o.entries
	again, err := runner.Run(t.Context(), x, nil)
	require.NoError(t, err)
	for i := range again.Calls {
		require.GreaterOrEqual(t, again.Calls[i].Journal, 0)
		again.Calls[i].Journal = -1
	}
	require.Equal(t, text(t, outcome), text(t, again), "what was recorded comes to something else")
	return outcome
}

func runners(t *testing.T) map[string]sandbox.Runner {
	return map[string]sandbox.Runner{"process": process.InProcess{Bindings: bindings()}, "worker": newPool(t, 2)}
}

// Reads that a script does not wait for one by one are under way at the same time: none of these is answered before all are there.
func TestReadsOverlap(t *testing.T) {
	t.Parallel()
	for name, runner := range runners(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var all sync.WaitGroup
			all.Add(sandbox.ReadsAtOnce)
			o := &outside{Host: replies(nil), get: func(context.Context, sandbox.Call) (sandbox.Reply, error) {
				all.Done()
				all.Wait()
				return sandbox.Reply{Result: json.RawMessage(`1`), MS: 50}, nil
			}}
			outcome := live(t, runner, overlapping(`async function main() {
				const all = await Promise.all(Array.from({length: `+fmt.Sprint(sandbox.ReadsAtOnce)+`}, (_, i) => web.getJSON('https://a.test/' + i)));
				return all.length;
			}`), o)
			require.Nil(t, outcome.Error)
			require.JSONEq(t, fmt.Sprint(sandbox.ReadsAtOnce), string(outcome.Output))
			require.Less(t, outcome.VirtualMS, int64(100), "they take the time of one")
		})
	}
}

// However many reads a script begins, so many are under way at most, and all of them are made.
func TestReadsAreBounded(t *testing.T) {
	t.Parallel()
	for name, runner := range runners(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			under, most, full := 0, 0, make(chan struct{})
			o := &outside{Host: replies(nil), get: func(ctx context.Context, _ sandbox.Call) (sandbox.Reply, error) {
				mu.Lock()
				if under++; under == sandbox.ReadsAtOnce && most < under {
					close(full)
				}
				most = max(most, under)
				mu.Unlock()
				<-full
				mu.Lock()
				under--
				mu.Unlock()
				return sandbox.Reply{Result: json.RawMessage(`1`)}, nil
			}}
			outcome := live(t, runner, overlapping(`async function main() {
				let sum = 0;
				await Promise.all(Array.from({length: 100}, async (_, i) => { const n = await web.getJSON('https://a.test/' + i); sum += n }));
				return sum;
			}`), o)
			require.Nil(t, outcome.Error)
			require.Equal(t, `100`, string(outcome.Output))
			require.Equal(t, sandbox.ReadsAtOnce, most)
		})
	}
}

// plan is what a script does, made up at random: the script below follows it.
type plan struct {
	Do    string `json:"do"`
	Name  string `json:"name,omitempty"`
	MS    int    `json:"ms,omitempty"`
	Parts []plan `json:"parts,omitempty"`
}

func randomPlan(random *rand.Rand, depth int, names *int) plan {
	*names++
	p := plan{Name: fmt.Sprint(*names), MS: random.IntN(40)}
	leaves := []string{"read", "read", "read", "write", "kv", "sleep", "timer", "abort"}
	if depth == 0 || random.IntN(4) == 0 {
		p.Do = leaves[random.IntN(len(leaves))]
		return p
	}
	nodes := []string{"seq", "all", "race", "any", "settled", "drop", "retry", "each"}
	p.Do = nodes[random.IntN(len(nodes))]
	for range 1 + random.IntN(4) {
		p.Parts = append(p.Parts, randomPlan(random, depth-1, names))
	}
	return p
}

const follow = `
const seen = [];
const note = (what) => seen.push(what + '@' + (Date.now() - began));
const began = Date.now();
const run = async (p) => {
	switch (p.do) {
	case 'read': { const got = await web.getJSON('https://a.test/' + p.name); note('read ' + p.name + ' ' + got); return got }
	case 'write': { await notify(p.name, String(seen.length) + seen.slice(-3)); note('wrote ' + p.name); return 0 }
	case 'kv': { const got = await kv.get(p.name); note('kv ' + p.name); return got }
	case 'sleep': await sleep(p.ms); note('slept ' + p.name); return 0;
	case 'timer': return new Promise((resolve) => setTimeout(() => { note('timer ' + p.name); resolve(1) }, p.ms));
	case 'abort': { // a read that something else is faster than, perhaps
		const late = new Promise((_, reject) => setTimeout(() => reject(new Error('late ' + p.name)), p.ms));
		try { return await Promise.race([web.getJSON('https://a.test/' + p.name), late]) } catch (e) { note(e.message); return 0 }
	}
	case 'seq': { let sum = 0; for (const part of p.parts) sum += await run(part); return sum }
	case 'all': return (await Promise.all(p.parts.map(run))).length;
	case 'race': await Promise.race(p.parts.map((part) => run(part).catch((e) => note('lost ' + e.message)))); note('race ' + p.name); return 1;
	case 'any': try { return await Promise.any(p.parts.map(run)) } catch (e) { note('none ' + p.name); return 2 }
	case 'settled': (await Promise.allSettled(p.parts.map(run))).forEach((s) => note(s.status)); return 3;
	case 'drop': for (const part of p.parts) run(part).catch((e) => note('dropped ' + e.message)); note('left ' + p.name); return 4;
	case 'retry': for (const part of p.parts) { try { return await run(part) } catch (e) { note('again ' + e.message) } } return 5;
	case 'each': { let sum = 0; for await (const got of p.parts.map(run)) sum += got; return sum }
	}
};
async function main(p) {
	try { note('got ' + await run(p)) } catch (e) { note(e.name + ' ' + e.message) }
	if (p.ms % 5 === 0) throw new Error('at the end ' + seen.length);
	return seen;
}`

// In whatever order answers come: what a script did and came to is what follows from its record, which has the calls in the order
// in which it made them. After a crash anywhere it goes on: what was written is repeated first, in its order.
func TestOverlapReplays(t *testing.T) {
	t.Parallel()
	many := 150
	if os.Getenv("KINTSUGI_CAMPAIGN") != "" {
		many = 20_000
	}
	pool := newPool(t, 2)
	for seed := range many {
		random := rand.New(rand.NewPCG(7, uint64(seed)))
		names := 0
		x := overlapping(follow)
		x.Input, x.Affinity = json.RawMessage(text(t, randomPlan(random, 4, &names))), "plans"
		var mu sync.Mutex
		o := &outside{
			Host: sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
				return sandbox.Reply{Result: json.RawMessage(`0`), MS: int64(len(call.Args) % 3)}, nil
			}),
			get: func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
				mu.Lock()
				takes, says, fails := random.IntN(3000), int64(random.IntN(60)), random.IntN(5) == 0
				mu.Unlock()
				select {
				case <-time.After(time.Duration(takes) * time.Microsecond):
				case <-ctx.Done():
				}
				if fails {
					return sandbox.Reply{MS: says, Error: &sandbox.Error{Class: sandbox.ClassNetwork, Message: "refused " + string(call.Args)}}, nil
				}
				return sandbox.Reply{Result: json.RawMessage(fmt.Sprint(says)), MS: says}, nil
			},
		}
		var runner sandbox.Runner = process.InProcess{Bindings: bindings()}
		if seed%10 == 0 {
			runner = pool
		}
		outcome := live(t, runner, x, o)
		for i, call := range outcome.Calls {
			require.Equal(t, i+1, call.Seq)
			require.Equal(t, string(o.entries[i].Args), string(call.Args), "seed %d: the journal has another order", seed)
		}
		require.Equal(t, text(t, outcome), text(t, live(t, runner, x, o.after(len(o.told)))), "seed %d: it goes on to something else", seed)
		again := o.after(random.IntN(len(o.told) + 1))
		live(t, runner, x, again)
		var written []string
		for _, entry := range again.past {
			if entry.Effect == sandbox.Write {
				written = append(written, string(entry.Args))
			}
		}
		repeated := again.writes[:min(len(written), len(again.writes))]
		require.Equal(t, strings.Join(written, "\n"), strings.Join(repeated, "\n"), "seed %d: what was written before the crash is not repeated", seed)
	}
}

// A write goes out when everything that was begun before is over and recorded: what a crash leaves is what the script can have known.
func TestWritesWaitForReads(t *testing.T) {
	t.Parallel()
	o := &outside{Host: replies(map[string]string{"notify": `null`}), get: func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		return sandbox.Reply{Result: json.RawMessage(`1`), MS: 70}, nil
	}}
	outcome := live(t, process.InProcess{Bindings: bindings()}, overlapping(`async function main() {
		const slow = web.getJSON('https://a.test/slow').then(() => console.log('read'));
		await notify('first');
		console.log('written');
		await slow;
	}`), o)
	require.Nil(t, outcome.Error)
	require.Equal(t, []int{0, 1}, o.told, "the read is recorded before the write goes out")
	require.Equal(t, `[{"level":"info","text":"written"},{"level":"info","text":"read"}]`, text(t, outcome.Log), "the script has it when its time has come")
}

// A timer comes when a read may have come before it no more: what takes no real time does not overtake what does.
func TestTimersWaitForReads(t *testing.T) {
	t.Parallel()
	for name, runner := range runners(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outside{Host: replies(nil), get: func(context.Context, sandbox.Call) (sandbox.Reply, error) {
				return sandbox.Reply{Result: json.RawMessage(`"answer"`), MS: 900}, nil
			}}
			outcome := live(t, runner, overlapping(`async function main() {
				return Promise.race([web.getJSON('https://a.test/'), sleep(1000).then(() => 'time-out')]);
			}`), o)
			require.Equal(t, `"answer"`, string(outcome.Output))

			timeOut := make(chan struct{})
			o = &outside{Host: sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
				close(timeOut)
				return sandbox.Reply{}, nil
			}), get: func(context.Context, sandbox.Call) (sandbox.Reply, error) {
				<-timeOut
				return sandbox.Reply{Result: json.RawMessage(`"late"`)}, nil
			}}
			outcome = live(t, runner, overlapping(`async function main() {
				const late = web.getJSON('https://a.test/');
				const first = await Promise.race([late, sleep(20).then(() => 'time-out')]);
				await kv.get('the answer may come');
				return [first, await late];
			}`), o)
			require.Nil(t, outcome.Error, "%+v", outcome.Error)
			require.Equal(t, `["time-out","late"]`, string(outcome.Output))
		})
	}
}

// A script that begins reads and waits for none ends as others do: at the limit of calls, or when all are over.
func TestReadsNobodyWaitsFor(t *testing.T) {
	t.Parallel()
	for name, runner := range runners(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			get := func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
				if strings.Contains(string(call.Args), "refused") {
					return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassNetwork, Message: "refused"}}, nil
				}
				return sandbox.Reply{Result: json.RawMessage(`1`)}, nil
			}
			o := &outside{Host: replies(nil), get: get}
			outcome := live(t, runner, overlapping(`function main() { for (let i = 0; i < 100000; i++) web.getJSON('https://a.test/' + i) }`), o)
			require.Equal(t, sandbox.LimitCalls, outcome.Error.Code)
			require.Len(t, o.entries, 1000)

			o = &outside{Host: replies(nil), get: get}
			outcome = live(t, runner, overlapping(`function main() { web.getJSON('https://a.test/').then((n) => console.log('came', n)); return 'returned' }`), o)
			require.Equal(t, `"returned"`, string(outcome.Output))
			require.Equal(t, `[{"level":"info","text":"came 1"}]`, text(t, outcome.Log))

			o = &outside{Host: replies(nil), get: get}
			outcome = live(t, runner, overlapping(`function main() { web.getJSON('https://a.test/refused'); return 1 }`), o)
			require.Equal(t, "refused", outcome.Error.Message, "nobody caught it")

			// A run that fails has what it has begun: whoever mends it is judged on the answers.
			o = &outside{Host: replies(nil), get: get}
			outcome = live(t, runner, overlapping(`async function main() {
				await Promise.all([web.getJSON('https://a.test/refused'), web.getJSON('https://a.test/1'), web.getJSON('https://a.test/2')]);
			}`), o)
			require.Equal(t, "refused", outcome.Error.Message)
			require.Len(t, outcome.Calls, 3)
			require.Equal(t, `1`, string(o.entries[2].Result))
		})
	}
}

// An error of a read is one of the place where it was begun, with overlap as without.
func TestErrorsOfReadsHaveTheirPlace(t *testing.T) {
	t.Parallel()
	code := `async function load(id) {
  return web.getJSON('https://a.test/' + id);
}
async function main() {
  const first = await load(1);
  try { await load('refused') } catch (e) { console.log(e.stack.split('\n').filter((l) => l.includes('script.js')).length, e instanceof NetworkError, e.name) }
  return load('refused');
}`
	for _, class := range []string{sandbox.ClassNetwork, sandbox.ClassLogic, sandbox.ClassAuth, sandbox.ClassPermission, sandbox.ClassLimit} {
		get := func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
			if strings.Contains(string(call.Args), "refused") {
				return sandbox.Reply{Error: &sandbox.Error{Class: class, Message: "refused"}}, nil
			}
			return sandbox.Reply{Result: json.RawMessage(`1`)}, nil
		}
		before, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), execution(code), sandbox.HostFunc(get))
		require.NoError(t, err)
		now := live(t, process.InProcess{Bindings: bindings()}, overlapping(code), &outside{Host: replies(nil), get: get})
		require.NotEmpty(t, before.Error.Frames)
		require.Equal(t, text(t, before.Error), text(t, now.Error))
		require.Equal(t, text(t, before.Log), text(t, now.Log))
	}
}

// A read that the host does not know ends the run, as without overlap.
func TestReadsWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, runner := range runners(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := overlapping(`async function main() { await Promise.all([web.getJSON('https://a.test/1'), web.getJSON('https://a.test/2')]) }`)
			x.Journal = []sandbox.Entry{{Tool: "web.getJSON", Args: json.RawMessage(`["https://a.test/2"]`), Effect: sandbox.Read, Result: json.RawMessage(`2`)}}
			outcome, err := runner.Run(t.Context(), x, nil)
			require.NoError(t, err)
			require.Equal(t, sandbox.CodeUnanswerable, outcome.Error.Code)
			require.NotEmpty(t, outcome.Error.Frames)
			require.Len(t, outcome.Calls, 1)

			outcome, err = runner.Run(t.Context(), overlapping(`async function main() { return web.getJSON('https://a.test/1') }`), &outside{
				Host: replies(nil), get: func(context.Context, sandbox.Call) (sandbox.Reply, error) { panic("a mistake") },
			})
			require.NoError(t, err)
			require.Equal(t, sandbox.ClassInternal, outcome.Error.Class)
			require.Contains(t, outcome.Error.Message, "a mistake")

			// A run whose context ends leaves nothing behind, and does not wait for what is queued.
			ctx, cancel := context.WithCancel(t.Context())
			begun := make(chan struct{}, sandbox.ReadsAtOnce)
			go func() {
				for range sandbox.ReadsAtOnce {
					<-begun
				}
				cancel()
			}()
			_, err = runner.Run(ctx, overlapping(`async function main() { await Promise.all(Array.from({length: 50}, (_, i) => web.getJSON('https://a.test/' + i))) }`), &outside{
				Host: replies(nil), get: func(ctx context.Context, _ sandbox.Call) (sandbox.Reply, error) {
					begun <- struct{}{}
					<-ctx.Done()
					return sandbox.Reply{}, ctx.Err()
				},
			})
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

// An answer that the host knows already reaches the script at its time, whatever it asked for before.
func TestKnownAnswersComeAtTheirTime(t *testing.T) {
	t.Parallel()
	for name, runner := range runners(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := &outside{Host: replies(nil)}
			for i, ms := range []int64{10, 100, 5} {
				entry := sandbox.Entry{Tool: "web.getJSON", Args: json.RawMessage(fmt.Sprintf(`["https://a.test/%d"]`, i)), Effect: sandbox.Read, Result: json.RawMessage(fmt.Sprint(ms)), MS: ms}
				o.left.Add(i, entry.Tool, entry.Args)
				o.past = append(o.past, entry)
			}
			outcome := live(t, runner, overlapping(`async function main() {
				const came = [];
				const get = async (i) => { came.push(await web.getJSON('https://a.test/' + i)) };
				await Promise.all([get(0).then(() => get(2)), get(1)]);
				return came;
			}`), o)
			require.Equal(t, `[10,5,100]`, string(outcome.Output))
			require.Equal(t, int64(100), outcome.VirtualMS)
		})
	}
}

// Scripts whose reads overlap come to what they come to in Node, where a read takes as long as its address says.
func TestConcurrencyIsAsInNode(t *testing.T) {
	t.Parallel()
	get := func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		var args []any
		if err := json.Unmarshal(call.Args, &args); err != nil {
			return sandbox.Reply{}, err
		}
		address, err := url.Parse(args[0].(string))
		if err != nil {
			return sandbox.Reply{}, err
		}
		ms, err := strconv.ParseInt(address.Query().Get("ms"), 10, 64)
		reply := sandbox.Reply{MS: ms, Result: json.RawMessage(strconv.Quote(address.Path[1:]))}
		if call.Tool == "web.fetch" {
			reply.Result = json.RawMessage(fmt.Sprintf(`{"status":200,"headers":{},"body":%q}`, reply.Result))
		}
		if address.Query().Has("fails") {
			reply.Result, reply.Error = nil, &sandbox.Error{Class: sandbox.ClassNetwork, Message: address.Path + " refused"}
		}
		return reply, err
	}
	for name, one := range readSnippets(t, "overlap") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			// The answers are known when they are asked for, so that each takes exactly as long as it should.
			x := overlapping(one.Code)
			outcome, err := process.InProcess{Bindings: fetching()}.Run(t.Context(), x, sandbox.HostFunc(get))
			require.NoError(t, err)
			one.judge(t, outcome)
			for _, call := range outcome.Calls {
				x.Journal = append(x.Journal, sandbox.Entry{Tool: call.Tool, Args: call.Args, Effect: call.Effect, Result: call.Result, Error: call.Error, MS: call.MS})
			}
			outcome, err = process.InProcess{Bindings: fetching()}.Run(t.Context(), x, nil)
			require.NoError(t, err)
			one.judge(t, outcome)
		})
	}
}
