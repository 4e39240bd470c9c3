package pglog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

func TestMain(m *testing.M) {
	crash.Child(openForCrash)
	eventlogtest.HistoryChild(openForCrash)
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := pgtest.StopShared(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		os.Exit(code)
	}))
}

// openForCrash opens a log for the processes that are killed, and for who looks at what they left.
func openForCrash(ctx context.Context, url string) (eventlog.Log, error) {
	log, err := pglog.Open(ctx, url, pglog.Options{})
	if err != nil || !strings.HasSuffix(url, hasty) {
		return log, err
	}
	return log, errors.Join(err, acknowledgeEarly(ctx, url))
}
