package pglog_test

import (
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestPooler: behind a pooler in transaction mode, where each transaction may be another server process's,
// the log keeps every promise.
func TestPooler(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	pooler := server.Pooler(t)
	conformance(t, func(t testing.TB) string { return pooler.URL(server.Database(t)) })
}

// TestPoolerIsNoticed: features that a pooler would break are not used behind one.
func TestPoolerIsNoticed(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	url := server.Database(t)
	direct, pooled := open(t, url), open(t, server.Pooler(t).URL(url))
	if direct.BehindPooler() || !pooled.BehindPooler() {
		t.Errorf("behind a pooler: %v without one, %v with one", direct.BehindPooler(), pooled.BehindPooler())
	}
}
