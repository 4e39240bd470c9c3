package pglog_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestSole: the only process that listens knows it, and notices the next one, and its end. A process that does not
// listen, or cannot, is never the only one.
func TestSole(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	proxy, through := newProxy(t, url)
	log, other := openWith(t, through, pglog.Polling(20*time.Millisecond)), open(t, url)
	require.False(t, log.Sole())
	hint, release := log.Wake()
	defer release()
	becomes := func(sole bool) {
		t.Helper()
		for log.Sole() != sole {
			<-hint // or the test's time is over
		}
	}
	becomes(true)
	_, leave := other.Wake()
	becomes(false)
	require.False(t, other.Sole(), "the first one is there")
	leave()
	becomes(true)
	proxy.refuse(true)
	proxy.cut()
	becomes(false)
}
