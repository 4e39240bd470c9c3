package logcopy_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
)

// Copying is bound by one durable append after the other: the order of all streams together
// is kept by waiting for each. Events of the history here come 1 to 5 at a time.
func BenchmarkCopy(b *testing.B) {
	from := newLog(b)
	h := newHistory(b, from)
	h.grow(2000)
	for name, open := range map[string]func(testing.TB) eventlog.Log{
		"to=sqlite":   func(t testing.TB) eventlog.Log { return newLog(t) },
		"to=postgres": newPostgres,
		"to=kurrent":  newKurrent,
	} {
		b.Run(name, func(b *testing.B) {
			copied := int64(0)
			for b.Loop() {
				b.StopTimer()
				to := open(b)
				b.StartTimer()
				result, err := logcopy.Copy(b.Context(), from, to, options)
				require.NoError(b, err)
				copied += result.Copied
			}
			b.ReportMetric(float64(copied)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
