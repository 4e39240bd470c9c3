package process_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// small is the kind of script that the gate replays: two reads, a write, a little work.
const small = `async function main(input) {
  const list = await web.getJSON('https://api.example.test/v1/refunds?day=' + input.day);
  const seen = (await kv.get('seen')) || [];
  const rows = list.data.filter((r) => !seen.includes(r.id)).map((r) => r.id + ',' + (r.amount / 100).toFixed(2));
  await notify('Refunds ' + input.day, rows.join('\n'));
  return { count: rows.length };
}`

// standard is the same work as people write it, with the standard API, and a time-out that is not reached.
const standard = `async function main(input) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), 5000);
  const response = await fetch('https://api.example.test/v1/refunds?day=' + input.day, { signal: late.signal });
  clearTimeout(timer);
  const list = await response.json();
  const seen = (await kv.get('seen')) || [];
  const rows = list.data.filter((r) => !seen.includes(r.id)).map((r) => r.id + ',' + (r.amount / 100).toFixed(2));
  await notify('Refunds ' + input.day, rows.join('\n'));
  return { count: rows.length };
}`

const refunds = `{"object":"list","data":[{"id":"re_1","amount":1234,"currency":"usd"},{"id":"re_2","amount":500,"currency":"usd"},{"id":"re_3","amount":99,"currency":"eur"}],"has_more":false}`

func journaled() sandbox.Execution {
	x := execution(small)
	x.Input = json.RawMessage(`{"day":"2026-03-01"}`)
	x.Affinity = "gate"
	x.Journal = []sandbox.Entry{
		{Tool: "web.getJSON", Args: json.RawMessage(`["https://api.example.test/v1/refunds?day=2026-03-01"]`), Effect: sandbox.Read, Result: json.RawMessage(refunds)},
		{Tool: "kv.get", Args: json.RawMessage(`["seen"]`), Effect: sandbox.Read, Result: json.RawMessage(`["re_0"]`)},
		{Tool: "notify", Args: json.RawMessage(`["Refunds 2026-03-01","re_1,12.34\nre_2,5.00\nre_3,0.99"]`), Effect: sandbox.Write, Result: json.RawMessage(`null`)},
	}
	return x
}

// bare is the same work with nothing around it: what goja itself takes.
func bare(b *testing.B) func() {
	program := goja.MustCompile("bare.js", small+"\nmain(JSON.parse('{\"day\":\"2026-03-01\"}'))", false)
	return func() {
		vm := goja.New()
		parse, _ := goja.AssertFunction(vm.Get("JSON").ToObject(vm).Get("parse"))
		reply := func(text string) func(goja.FunctionCall) goja.Value {
			return func(goja.FunctionCall) goja.Value {
				promise, resolve, _ := vm.NewPromise()
				v, err := parse(nil, vm.ToValue(text))
				if err != nil {
					b.Fatal(err)
				}
				if err := resolve(v); err != nil {
					b.Fatal(err)
				}
				return vm.ToValue(promise)
			}
		}
		web, kv := vm.NewObject(), vm.NewObject()
		require.NoError(b, web.Set("getJSON", reply(refunds)))
		require.NoError(b, kv.Set("get", reply(`["re_0"]`)))
		require.NoError(b, vm.Set("web", web))
		require.NoError(b, vm.Set("kv", kv))
		require.NoError(b, vm.Set("notify", reply("null")))
		v, err := vm.RunProgram(program)
		if err != nil {
			b.Fatal(err)
		}
		if p := v.Export().(*goja.Promise); p.State() != goja.PromiseStateFulfilled {
			b.Fatal("the bare script failed")
		}
	}
}

// BenchmarkRun compares what a run takes: bare goja, the engine in this process, a worker
// that is used again, and a fresh worker for each run.
func BenchmarkRun(b *testing.B) {
	run := func(b *testing.B, runner sandbox.Runner, x sandbox.Execution) {
		outcome, err := runner.Run(b.Context(), x, nil)
		if err != nil || outcome.Error != nil {
			b.Fatal(err, outcome.Error)
		}
	}
	b.Run("goja", func(b *testing.B) {
		f := bare(b)
		for b.Loop() {
			f()
		}
	})
	b.Run("standard", func(b *testing.B) {
		runner := process.InProcess{Bindings: fetching()}
		x := journaled()
		x.Code = standard
		body, err := json.Marshal(refunds)
		require.NoError(b, err)
		x.Journal[0].Tool, x.Journal[0].Result = "web.fetch", json.RawMessage(fmt.Sprintf(`{"status":200,"headers":{"content-type":"application/json"},"body":%s}`, body))
		for b.Loop() {
			run(b, runner, x)
		}
	})
	b.Run("process", func(b *testing.B) {
		runner := process.InProcess{Bindings: bindings()}
		x := journaled()
		for b.Loop() {
			run(b, runner, x)
		}
	})
	b.Run("overlap", func(b *testing.B) { // the same, recorded by a run whose reads overlap
		runner := process.InProcess{Bindings: bindings()}
		x := journaled()
		x.Overlap = true
		for b.Loop() {
			run(b, runner, x)
		}
	})
	b.Run("worker", func(b *testing.B) {
		pool := newPool(b, 2)
		x := journaled()
		for b.Loop() {
			run(b, pool, x)
		}
	})
	b.Run("fresh", func(b *testing.B) {
		pool := newPool(b, 0)
		x := journaled()
		x.Affinity = ""
		for b.Loop() {
			run(b, pool, x)
		}
	})
}

// BenchmarkGate is executions a second with answers from the journal, as the gate makes
// them: one workflow, its worker used again, as many at a time as there are goroutines.
func BenchmarkGate(b *testing.B) {
	for _, parallel := range []int{1, 2, 4} {
		b.Run(fmt.Sprintf("parallel=%d", parallel), func(b *testing.B) {
			pool := newPool(b, parallel+1)
			work := make(chan struct{})
			done := make(chan error)
			for range parallel {
				go func() {
					x := journaled()
					var failed error
					for range work {
						if outcome, err := pool.Run(b.Context(), x, nil); err != nil || outcome.Error != nil {
							failed = fmt.Errorf("%w: %v", err, outcome.Error)
						}
					}
					done <- failed
				}()
			}
			for b.Loop() {
				work <- struct{}{}
			}
			close(work)
			for range parallel {
				require.NoError(b, <-done)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "executions/s")
		})
	}
}

// BenchmarkLog is what a line of the log takes, which the worker sends at once.
func BenchmarkLog(b *testing.B) {
	pool := newPool(b, 2)
	x := execution(`async function main(n) { for (let i = 0; i < n; i++) console.log('order', i, { id: i }); }`)
	x.Affinity, x.Input = "log", json.RawMessage(`1000`)
	for b.Loop() {
		outcome, err := pool.Run(b.Context(), x, nil)
		if err != nil || outcome.Error != nil || len(outcome.Log) != 1000 {
			b.Fatal(err, outcome.Error)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/line")
}

// BenchmarkCall is what a call to the host takes, over the pipe and back.
func BenchmarkCall(b *testing.B) {
	pool := newPool(b, 2)
	x := execution(`async function main(n) { for (let i = 0; i < n; i++) await kv.get('k'); }`)
	x.Affinity, x.Input = "calls", json.RawMessage(`1000`)
	host := replies(map[string]string{"kv.get": `1`})
	for b.Loop() {
		outcome, err := pool.Run(b.Context(), x, host)
		if err != nil || outcome.Error != nil {
			b.Fatal(err, outcome.Error)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "µs/call")
}

// BenchmarkLibrary is how long the libraries that were npm packages take to begin, once in a run that uses them.
func BenchmarkLibrary(b *testing.B) {
	for name, use := range map[string]string{"dates": "DateTime", "schema": "string", "decimal": "Decimal"} {
		b.Run(name+"/begin", func(b *testing.B) {
			runner := process.InProcess{Bindings: bindings()}
			x := execution("import { " + use + " } from 'kintsugi:" + name + "'; export default () => typeof " + use)
			for b.Loop() {
				if outcome, err := runner.Run(b.Context(), x, nil); err != nil || outcome.Error != nil {
					b.Fatal(err, outcome.Error)
				}
			}
		})
	}
}

// BenchmarkPackages is the first run of a script whose packages have 1 MB, in a process that has not seen them: what reading and
// compiling them takes beside goja's own parser and compiler, and beside the next run.
func BenchmarkPackages(b *testing.B) {
	var text strings.Builder
	for i := 0; text.Len() < 1<<20; i++ {
		for _, name := range []string{"schema", "dates", "decimal"} {
			code, err := os.ReadFile("../library/npm/" + name + ".js")
			require.NoError(b, err)
			fmt.Fprintf(&text, "exports.%s%d = () => (%s);\n", name, i, strings.TrimRight(strings.TrimSpace(string(code)), ";"))
		}
	}
	megabytes := float64(text.Len()) / (1 << 20)
	started := time.Now()
	for range b.N {
		goja.MustCompile("bare.js", "(function (require, module, exports, Function) {"+text.String()+"})", false)
	}
	bare := time.Since(started)
	var first, next time.Duration
	for i := range b.N {
		encoded, digest, err := (&packages.Text{Modules: map[string]map[string]string{"p": {"*": "decimal0"}}, Code: fmt.Sprintf("%s// %d", text.String(), i)}).Encode()
		require.NoError(b, err)
		packages.Keep(encoded)
		x := execution("import * as p from 'p';\nexport default () => typeof p;\n" + (&packages.Lock{Digest: digest, Modules: []packages.Module{{Name: "p", Version: "1.0.0", Names: []string{"*"}}}}).String())
		for _, took := range []*time.Duration{&first, &next} {
			began := time.Now()
			outcome, err := process.InProcess{Bindings: bindings()}.Run(b.Context(), x, nil)
			require.NoError(b, err)
			require.Nil(b, outcome.Error)
			*took += time.Since(began)
		}
	}
	b.ReportMetric(first.Seconds()*1000/float64(b.N)/megabytes, "ms/MB")
	b.ReportMetric(float64(first)/float64(bare), "first/goja")
	b.ReportMetric(float64(first)/float64(next), "first/next")
	b.ReportMetric(0, "ns/op")
}
