package gate_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// manyRuns are recorded successes of the small script, of which every third repeats another
// on another day; each was given an answer of some size.
func manyRuns(t testing.TB, count, size int) gate.Subject {
	t.Helper()
	one := func(run int, total string) hypothesis {
		pad := strings.Repeat("x", size)
		return hypothesis{input: `{"day":"d"}`, web: map[string]any{"https://shop": fmt.Sprintf(`{"orders":[{"id":"o%d","total":%s,"note":"%s"}]}`, run, total, pad)}}
	}
	s := subject(t, sampledCode, []hypothesis{one(0, "1.5")}, one(1, `"2.50"`))
	first := s.Successes[0]
	s.Successes = nil
	for i := range count {
		run := first
		run.ID, run.Seed = fmt.Sprintf("r%d", i), fmt.Sprintf("s%d", i)
		name := fmt.Sprintf("o%d", i-i%3/2)
		run.Calls = append([]gate.Call(nil), first.Calls...)
		for n := range run.Calls {
			run.Calls[n].Args = json.RawMessage(strings.ReplaceAll(string(run.Calls[n].Args), "o0", name))
			run.Calls[n].Result = json.RawMessage(strings.ReplaceAll(string(run.Calls[n].Result), "o0", name))
		}
		s.Successes = append(s.Successes, run)
	}
	return s
}

const sampledCode = `
async function main(input) {
  const res = await web.getJSON('https://shop.example.test/api/orders?day=' + input.day);
  await files.write('orders.csv', res.orders.map((o) => o.id + ',' + o.total.toFixed(2) + '\n').join(''));
  return { orders: res.orders.length };
}`

// A run that repeats another one is judged once, and if there are too many for memory the newest are judged. The
// judgement says so, and it is the same under any load.
func TestSampleOfManyRuns(t *testing.T) {
	t.Parallel()
	fixed := strings.Replace(sampledCode, "o.total.toFixed", "Number(o.total).toFixed", 1)

	few := judge(t, openGate(t, manyRuns(t, 20, 10)), fixed)
	require.Equal(t, &gate.Sample{Given: 20, Duplicates: 6}, few.Sample)
	require.Equal(t, 14, few.Replayed)

	large := judge(t, openGate(t, manyRuns(t, 12, 1<<20+1<<19)), "no script (")
	require.Equal(t, 12, large.Sample.Given)
	require.Positive(t, large.Sample.Beyond)
	require.Contains(t, large.Sample.String(), "8 MiB")
	require.Len(t, large.Runs, 12, "whoever judges again has to be given all of them")

	none := judge(t, openGate(t, reportSubject(t)), fixedReport(t))
	require.Nil(t, none.Sample)
}

// BenchmarkLargeEvidence measures a judgement over 2,000 runs and 200 MiB of answers.
func BenchmarkLargeEvidence(b *testing.B) {
	if os.Getenv("KINTSUGI_LARGE") == "" {
		return // half a minute
	}
	s := manyRuns(b, 2000, 100<<10)
	fixed := strings.Replace(sampledCode, "o.total.toFixed", "Number(o.total).toFixed", 1)
	for b.Loop() {
		opened, err := gate.Open(b.Context(), runner(), s, gate.Options{})
		require.NoError(b, err)
		_, err = opened.Judge(b.Context(), fixed)
		require.NoError(b, err)
	}
}
