package pglog_test

import (
	"context"
	"fmt"
	"os"
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

func openForCrash(ctx context.Context, url string) (eventlog.Log, error) {
	return pglog.Open(ctx, url, pglog.Options{})
}
