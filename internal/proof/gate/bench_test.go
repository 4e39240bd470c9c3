package gate_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// benchmarkCode is a small script of the usual kind: one read, a loop, two writes.
const benchmarkCode = `
async function main(input) {
  const res = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  let sum = 0;
  const rows = res.orders.map((o) => { sum += o.total; return o.id + ',' + o.total.toFixed(2); });
  await files.write('orders/' + input.day + '.csv', 'id,total\n' + rows.join('\n') + '\n');
  await kv.set('orders:last', { day: input.day, sum: sum });
  return { orders: rows.length, sum: sum };
}`

func benchmarkSubject(b *testing.B, successes int) gate.Subject {
	b.Helper()
	var old []hypothesis
	for i := range successes {
		var orders []string
		for n := range i % 5 {
			orders = append(orders, fmt.Sprintf(`{"id":"o%d","total":%d.5}`, 10*i+n, n+i))
		}
		old = append(old, hypothesis{
			input: fmt.Sprintf(`{"day":"2026-01-%02d"}`, i+1),
			web:   map[string]any{"https://shop": `{"orders":[` + strings.Join(orders, ",") + `]}`},
		})
	}
	return subject(b, benchmarkCode, old, hypothesis{
		input: `{"day":"2026-02-01"}`,
		web:   map[string]any{"https://shop": `{"orders":[{"id":"n1","total":"3.50"},{"id":"n2","total":"4.00"}]}`},
	})
}

func benchmarkPool(b *testing.B) *process.Pool {
	b.Helper()
	pool := process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings()})
	pool.Start()
	b.Cleanup(func() { require.NoError(b, pool.Close()) })
	return pool
}

// BenchmarkGateExecutions measures script executions inside the gate, worker processes
// and all: a wrong candidate over 20 recorded runs, which stops at the replays.
func BenchmarkGateExecutions(b *testing.B) {
	s := benchmarkSubject(b, 20)
	opened, err := gate.Open(b.Context(), benchmarkPool(b), s, gate.Options{})
	require.NoError(b, err)
	executions := 0
	for b.Loop() {
		judged, err := opened.Judge(b.Context(), benchmarkCode+"\n")
		require.NoError(b, err)
		require.Equal(b, gate.Different, judged.Verdict)
		executions += judged.Replayed + 1
	}
	b.ReportMetric(float64(executions)/b.Elapsed().Seconds(), "executions/s")
}

// BenchmarkJudge20Runs measures one judgement of a right repair over 20 recorded runs,
// reasons to hold and all.
func BenchmarkJudge20Runs(b *testing.B) {
	s := benchmarkSubject(b, 20)
	opened, err := gate.Open(b.Context(), benchmarkPool(b), s, gate.Options{})
	require.NoError(b, err)
	fixed := strings.NewReplacer("sum += o.total;", "const total = Number(o.total); sum += total;", "o.total.toFixed", "total.toFixed").Replace(benchmarkCode)
	for b.Loop() {
		judged, err := opened.Judge(b.Context(), fixed)
		require.NoError(b, err)
		require.Equal(b, gate.Identical, judged.Verdict)
		require.Empty(b, judged.Reasons)
	}
}

// BenchmarkOpen20Runs measures what a gate costs before the first judgement.
func BenchmarkOpen20Runs(b *testing.B) {
	s := benchmarkSubject(b, 20)
	pool := benchmarkPool(b)
	for b.Loop() {
		_, err := gate.Open(b.Context(), pool, s, gate.Options{})
		require.NoError(b, err)
	}
}

// BenchmarkReadBundle measures reading a bundle of 200 runs.
func BenchmarkReadBundle(b *testing.B) {
	s := benchmarkSubject(b, 20)
	bundle := gate.Bundle{Format: gate.Format, Workflow: gate.Workflow{Title: "t"}, Script: gate.Script{Version: "1.0", Code: s.Code}}
	for i := range 200 {
		run := s.Successes[i%20]
		run.ID = fmt.Sprintf("r%d", i)
		bundle.Runs = append(bundle.Runs, run)
	}
	text, err := json.Marshal(bundle)
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, err := gate.ReadBundle(strings.NewReader(string(text)))
		require.NoError(b, err)
	}
}
