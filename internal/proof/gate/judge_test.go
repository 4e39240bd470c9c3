package gate_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// reportCode fails if an order has no customer.
const reportCode = `
async function main(input) {
  const res = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  await kv.set('started', input.day);
  const names = res.orders.map((o) => o.customer.name);
  await files.write('orders.txt', names.join('\n') + '\n');
  await notify('Orders', String(names.length));
  return { orders: names.length };
}`

func orders(day, list string) hypothesis {
	return hypothesis{input: `{"day":"` + day + `"}`, web: map[string]any{"https://shop.example.test/api/orders": `{"orders":` + list + `}`}}
}

func reportSubject(t testing.TB) gate.Subject {
	t.Helper()
	return subject(t, reportCode, []hypothesis{
		orders("2026-03-01", `[{"id":"a","customer":{"name":"Ann"}}]`),
		orders("2026-03-02", `[]`),
		orders("2026-03-03", `[{"id":"b","customer":{"name":"Bob"}},{"id":"c","customer":{"name":"Cy"}}]`),
	}, orders("2026-03-04", `[{"id":"d","customer":null},{"id":"e","customer":{"name":"Eve"}}]`))
}

// fixedReport is right: reportCode with a name for those who have none.
func fixedReport(t testing.TB) string {
	t.Helper()
	return edited(t, reportCode, "o.customer.name", "(o.customer ? o.customer.name : 'a guest')")
}

// The table of verdicts, a row each. Edits are of the right fix.
func TestVerdictTable(t *testing.T) {
	t.Parallel()
	opened := openGate(t, reportSubject(t))
	for name, c := range map[string]struct {
		edits   []string
		code    string // in place of the right fix
		verdict string
		// what is told
		run, what, path, want, got string
		status                     string
	}{
		"identical": {
			verdict: gate.Identical, status: "succeeded",
		},
		"does not parse": {
			code: "async function main( {", verdict: gate.Different, status: "failed",
			run: "failed", what: "error", want: "a script that defines main", got: "line 1",
		},
		"has no main": {
			code: "const x = 1;", verdict: gate.Different, status: "failed",
			run: "failed", what: "error", want: "a script that defines main", got: "no main",
		},
		"another output": {
			edits:   []string{"orders: names.length", "orders: names.length + 1"},
			verdict: gate.Different, status: "succeeded", what: "output", path: "$.orders",
		},
		"a further member in the output": {
			edits:   []string{"orders: names.length", "orders: names.length, more: 1"},
			verdict: gate.Different, status: "succeeded", what: "output", path: "$.more", want: "(absent)", got: "1",
		},
		"another text written": {
			edits:   []string{"names.join('\\n')", "names.join(', ')"},
			verdict: gate.Different, status: "succeeded", run: "r3", what: "write", path: "writes[1].args[1]", want: `"Bob\nCy\n"`, got: `"Bob, Cy\n"`,
		},
		"a write left out": {
			edits:   []string{"  await notify('Orders', String(names.length));\n", ""},
			verdict: gate.Different, status: "succeeded", what: "write", path: "writes[2]", want: `notify("Orders", "`, got: "no such write",
		},
		"a write more": {
			edits:   []string{"  return", "  await kv.set('done', true);\n  return"},
			verdict: gate.Different, status: "succeeded", what: "write", path: "writes[3]", want: "no further write", got: `kv.set("done", true)`,
		},
		"writes the other way round": {
			edits:   []string{"  await notify('Orders', String(names.length));\n", "", "  await files.write", "  await notify('Orders', String(names.length));\n  await files.write"},
			verdict: gate.Different, status: "succeeded", what: "write", path: "writes[1]", want: "files.write(", got: `notify("Orders", "`,
		},
		"a success fails": {
			edits:   []string{"'a guest')", "nobody.name)", "  const names", "  if (res.orders.length === 0) throw new Error('empty');\n  const names"},
			verdict: gate.Different, status: "failed", run: "r2", what: "error", want: "the run succeeds", got: "Error: empty",
		},
		"the failing run fails again": {
			code:    reportCode,
			verdict: gate.Different, status: "failed", run: "failed", what: "error", want: "the run succeeds", got: "TypeError: Cannot read property 'name' of",
		},
		"the failing run fails elsewhere": {
			edits:   []string{"'a guest')", "nobody.name)"},
			verdict: gate.Different, status: "failed", run: "failed", what: "error", want: "the run succeeds", got: "ReferenceError: nobody is not defined",
		},
		"a write from before the failure is changed": {
			edits:   []string{"await kv.set('started', input.day)", "await kv.set('started', res.orders.some((o) => !o.customer) ? 'x' : input.day)"},
			verdict: gate.Different, status: "succeeded", run: "failed", what: "write", path: "writes[0].args[1]", want: `"2026-03-04"`, got: `"x"`,
		},
		"a write from before the failure comes later": {
			edits:   []string{"  await kv.set('started', input.day);\n", "  if (res.orders.every((o) => o.customer)) await kv.set('started', input.day);\n", "  return", "  if (res.orders.some((o) => !o.customer)) await kv.set('started', input.day);\n  return"},
			verdict: gate.Different, status: "succeeded", run: "failed", what: "write", path: "writes[0]", want: "kv.set(", got: "files.write(",
		},
		"a write from before the failure is missing": {
			edits:   []string{"  await kv.set('started', input.day);\n", "  if (res.orders.some((o) => !o.customer)) return { orders: 0 };\n  await kv.set('started', input.day);\n"},
			verdict: gate.Different, status: "succeeded", run: "failed", what: "write", path: "writes[0]", want: "kv.set(", got: "no such write",
		},
		"the failing run asks for more": {
			edits:   []string{"  const names", "  for (const o of res.orders) if (!o.customer) o.customer = await web.getJSON('https://shop.example.test/api/customers/' + o.id);\n  const names"},
			verdict: gate.Unverifiable, status: "unanswerable", run: "failed", what: "call", want: "a recorded answer", got: `web.getJSON("https://shop.example.test/api/customers/d") was never recorded`,
		},
		"a success asks for more": {
			edits:   []string{"  const names", "  for (const o of res.orders) await web.getJSON('https://shop.example.test/api/customers/' + o.id);\n  const names"},
			verdict: gate.Unverifiable, status: "unanswerable", run: "r3", what: "call", want: "a recorded answer", got: `web.getJSON("https://shop.example.test/api/customers/b") was never recorded`,
		},
		"one success differs and another asks for more": {
			edits:   []string{"  const names", "  if (res.orders.length > 1) await web.getJSON('https://shop.example.test/api/x');\n  const names", "orders: names.length", "orders: names.length + 1"},
			verdict: gate.Different, status: "unanswerable", run: "r2", what: "output", path: "$.orders", want: "0", got: "1",
		},
		"a success asks for more after another write": {
			edits:   []string{"await kv.set('started', input.day)", "await kv.set('started', 0)", "  const names", "  await web.getJSON('https://shop.example.test/api/x');\n  const names"},
			verdict: gate.Different, status: "unanswerable", what: "write", path: "writes[0].args[1]", want: `"2026-03-0`, got: "0",
		},
		"a loop without end": {
			edits:   []string{"  const names", "  while (res.orders.some((o) => !o.customer)) await kv.get('x');\n  const names"},
			verdict: gate.Different, status: "failed", run: "failed", what: "error", want: "the run succeeds", got: "LimitError: more than 1000 calls",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code := c.code
			if code == "" {
				code = edited(t, fixedReport(t), c.edits...)
			}
			j := judge(t, opened, code)
			require.Equal(t, c.verdict, j.Verdict, "%+v %q", j.Divergence, j.Reasons)
			require.Equal(t, c.status, j.FailingRun.Status)
			require.True(t, j.FailingRun.Reproduced)
			require.Equal(t, gate.GateVersion, j.GateVersion)
			require.Len(t, j.Certificate, 64)
			require.NotNil(t, j.Reasons)
			require.Equal(t, len(j.Reasons) > 0 || j.Unproved != "", j.Held)
			if c.what == "" {
				require.Nil(t, j.Divergence)
				return
			}
			require.NotNil(t, j.Divergence)
			if c.run != "" {
				require.Equal(t, c.run, j.Divergence.Run)
			}
			require.Equal(t, c.what, j.Divergence.What)
			require.Equal(t, c.path, j.Divergence.Path)
			require.Contains(t, j.Divergence.Want, c.want)
			require.Contains(t, j.Divergence.Got, c.got)
		})
	}
}

// Only what a rehearsal can settle is rehearsable; a success that cannot be verified is held.
func TestRehearsableAndHeld(t *testing.T) {
	t.Parallel()
	opened := openGate(t, reportSubject(t))
	right := fixedReport(t)

	failing := judge(t, opened, edited(t, right, "  const names", "  for (const o of res.orders) if (!o.customer) o.customer = await web.getJSON('https://shop.example.test/api/customers/' + o.id);\n  const names"))
	require.True(t, failing.Rehearsable)
	require.Empty(t, failing.Reasons)
	require.Equal(t, 3, failing.Identical)

	success := judge(t, opened, edited(t, right, "  const names", "  if (res.orders.length === 0) await web.getJSON('https://shop.example.test/api/x');\n  const names"))
	require.Equal(t, gate.Unverifiable, success.Verdict)
	require.False(t, success.Rehearsable)
	require.Equal(t, 1, success.Missing)
	require.Equal(t, 2, success.Identical)
	require.Equal(t, []string{"a recorded success cannot be verified: 1 of 3 need an answer that was never recorded"}, success.Reasons)
}

// A run that does not fail the same way on the old code proves nothing.
func TestFailureThatDoesNotReproduce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(e *gate.Error){
		"another message": func(e *gate.Error) { e.Message = "Cannot read property 'id' of undefined" },
		"another name":    func(e *gate.Error) { e.Name = "ReferenceError" },
		"another class":   func(e *gate.Error) { e.Class = "network" },
		"another place":   func(e *gate.Error) { e.Stack = "TypeError: x\n    at main (script.js:3:9)" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := reportSubject(t)
			change(s.Failed.Outcome.Error)
			j := judge(t, openGate(t, s), fixedReport(t))
			require.Equal(t, gate.Unverifiable, j.Verdict)
			require.False(t, j.FailingRun.Reproduced)
			require.False(t, j.Rehearsable)
			require.NotNil(t, j.Divergence)
			require.NotEqual(t, j.Divergence.Want, j.Divergence.Got)
			require.Equal(t, 3, j.Identical)
		})
	}
	t.Run("a message that only names another value is the same", func(t *testing.T) {
		t.Parallel()
		s := subject(t, `async function main(input) { if (input.n > 1) throw new Error('order ' + input.n + ' is odd'); return input.n }`,
			[]hypothesis{{input: `{"n":1}`}}, hypothesis{input: `{"n":7}`})
		s.Failed.Outcome.Error.Message = "order 8 is odd"
		require.True(t, openGate(t, s).Failing().Reproduced)
	})
}

// Successes that differ on the old code say nothing about a candidate; they are counted,
// as exempted ones are.
func TestExcludedSuccesses(t *testing.T) {
	t.Parallel()
	s := reportSubject(t)
	s.Successes[0].Outcome.Output = json.RawMessage(`{"orders":17}`)
	s.Exempted = 2
	j := judge(t, openGate(t, s), fixedReport(t))
	require.Equal(t, gate.Identical, j.Verdict)
	require.Equal(t, 3, j.Excluded)
	require.Equal(t, 2, j.Replayed)
	require.Equal(t, 2, j.Identical)
}

// Without a success to replay there is no proof.
func TestNothingToReplay(t *testing.T) {
	t.Parallel()
	s := reportSubject(t)
	s.Successes = nil
	j := judge(t, openGate(t, s), fixedReport(t))
	require.Equal(t, gate.Unverifiable, j.Verdict)
	require.Equal(t, "succeeded", j.FailingRun.Status)
	require.Empty(t, j.Reasons)
	require.False(t, j.Rehearsable)

	held := judge(t, openGate(t, s), edited(t, reportCode, wrapSwallow("{ orders: 0 }")...))
	require.NotEqual(t, gate.Identical, held.Verdict)
}

// Nothing in a certificate depends on how fast the machine is.
func TestTwoSpeedsOneCertificate(t *testing.T) {
	t.Parallel()
	var certificates []string
	for _, slow := range []int{0, 20} {
		opened, err := gate.Open(t.Context(), slowRunner{runner(), slow}, reportSubject(t), gate.Options{Parallel: 1 + slow%3})
		require.NoError(t, err)
		j := judge(t, opened, fixedReport(t))
		require.Equal(t, gate.Identical, j.Verdict)
		require.NotEmpty(t, j.Certificate)
		certificates = append(certificates, j.Certificate)
	}
	require.Equal(t, certificates[0], certificates[1])
}

// slowRunner makes each execution so many times before it counts.
type slowRunner struct {
	sandbox.Runner
	times int
}

func (r slowRunner) Run(ctx context.Context, e sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	for range r.times {
		idle := e
		idle.Code, idle.Journal = "function main() { for (let i = 0; i < 100; i++); }", nil
		if _, err := r.Runner.Run(ctx, idle, nil); err != nil {
			return sandbox.Outcome{}, err
		}
	}
	return r.Runner.Run(ctx, e, host)
}

// A candidate that uses too much processor time is not judged: it is held, without a certificate. The time on the
// clock counts for nothing.
func TestNoCertificateOfWhatUsesTooMuch(t *testing.T) {
	t.Parallel()
	for each, judged := range map[time.Duration]bool{time.Second: false, time.Nanosecond: true} {
		opened, err := gate.Open(t.Context(), usingRunner{runner(), each}, reportSubject(t), gate.Options{Limit: 2 * time.Second})
		require.NoError(t, err)
		j := judge(t, opened, fixedReport(t))
		require.Equal(t, !judged, len(j.Reasons) > 0)
		require.Equal(t, judged, j.Certificate != "")
		if !judged {
			require.Equal(t, gate.Unverifiable, j.Verdict)
			require.Equal(t, "not judged: its replays use more than 2s of processor time", j.Reasons[0])
			require.False(t, j.Rehearsable)
		}
	}
}

// usingRunner says of each execution that it used so much processor time.
type usingRunner struct {
	sandbox.Runner
	each time.Duration
}

func (r usingRunner) Run(ctx context.Context, e sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	outcome, err := r.Runner.Run(ctx, e, host)
	outcome.Processor = r.each
	return outcome, err
}

// A context that ends is an error, never a verdict.
func TestCancelled(t *testing.T) {
	t.Parallel()
	opened := openGate(t, reportSubject(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := opened.Judge(ctx, fixedReport(t))
	require.ErrorIs(t, err, context.Canceled)
	_, err = gate.Open(ctx, runner(), reportSubject(t), gate.Options{})
	require.ErrorIs(t, err, context.Canceled)
}

// A candidate that loops without end in the failing run is different without one execution more than were begun by then.
func TestEndlessCandidateIsNotRunAgain(t *testing.T) {
	t.Parallel()
	counted := &countingRunner{Runner: runner(), limits: sandbox.Limits{Calls: 50}}
	opened, err := gate.Open(t.Context(), counted, reportSubject(t), gate.Options{Parallel: 1})
	require.NoError(t, err)
	counted.runs.Store(0)
	j := judge(t, opened, edited(t, fixedReport(t), "  const names", "  while (true) await notify('again', 'and again');\n  const names"))
	require.Equal(t, gate.Different, j.Verdict)
	require.Contains(t, j.Divergence.Got, "LimitError")
	require.EqualValues(t, 1, counted.runs.Load())
}

// A candidate that a parser would never be done with is for the worker alone, which is stopped.
func TestCandidateThatIsNeverParsed(t *testing.T) {
	t.Parallel()
	pool := process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings(), Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	opened, err := gate.Open(t.Context(), &countingRunner{Runner: pool, limits: sandbox.Limits{Wall: time.Second}}, reportSubject(t), gate.Options{})
	require.NoError(t, err)
	// The bracket in the comment hides from who looks at characters how deep the lists are nested.
	endless := "const f = " + strings.Repeat("(/*]*/a=", 40) + "1" + strings.Repeat(")=>1", 40) + ";\n"
	j := judge(t, opened, endless+fixedReport(t))
	require.Equal(t, gate.Different, j.Verdict)
	require.Contains(t, j.Divergence.Got, "LimitError")
}

// countingRunner counts executions and bounds them.
type countingRunner struct {
	sandbox.Runner
	limits sandbox.Limits
	runs   atomic.Int32
}

func (r *countingRunner) Run(ctx context.Context, e sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	r.runs.Add(1)
	e.Limits = r.limits
	return r.Runner.Run(ctx, e, host)
}

// A certificate is bound to the subject, the candidate and the findings, and not to how a
// record is laid out.
func TestCertificate(t *testing.T) {
	t.Parallel()
	base := judge(t, openGate(t, reportSubject(t)), fixedReport(t)).Certificate
	require.Equal(t, base, judge(t, openGate(t, reportSubject(t)), fixedReport(t)).Certificate)

	layout := reportSubject(t)
	layout.Successes[0].Input = json.RawMessage("{ \"day\" :\n\"2026-03-01\" }")
	require.Equal(t, base, judge(t, openGate(t, layout), fixedReport(t)).Certificate)

	require.NotEqual(t, base, judge(t, openGate(t, reportSubject(t)), fixedReport(t)+"\n").Certificate, "another candidate")
	for name, change := range map[string]func(s *gate.Subject){
		"another answer": func(s *gate.Subject) {
			s.Successes[2].Calls[0].Result = json.RawMessage(strings.Replace(string(s.Successes[2].Calls[0].Result), `"b"`, `"z"`, 1))
		},
		"one run less":    func(s *gate.Subject) { s.Successes = s.Successes[:2] },
		"another version": func(s *gate.Subject) { s.Version = "1.1" },
		"another zone":    func(s *gate.Subject) { s.Zone = "Europe/Amsterdam" },
		"a host allowed":  func(s *gate.Subject) { s.Allowed = []string{"a.test"} },
		"one exempted":    func(s *gate.Subject) { s.Exempted = 1 },
		"a first code":    func(s *gate.Subject) { s.FirstCode = "function main() {}" },
	} {
		changed := reportSubject(t)
		change(&changed)
		require.NotEqual(t, base, judge(t, openGate(t, changed), fixedReport(t)).Certificate, name)
	}
}

// A script that no longer parses can be mended too: the gate needs no tree of it.
func TestOldCodeThatDoesNotParse(t *testing.T) {
	t.Parallel()
	s := reportSubject(t)
	s.Code = "async function main(input) { return );"
	s.Failed.Outcome.Error = &gate.Error{Class: "logic", Name: "SyntaxError", Message: "whatever"}
	j := judge(t, openGate(t, s), fixedReport(t))
	require.Equal(t, gate.Unverifiable, j.Verdict)
	require.Equal(t, 3, j.Excluded)
}
