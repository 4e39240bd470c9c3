package readmodel_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// The test binary runs itself again as another process that follows a log: these
// variables say which, and where its views are.
const (
	logVariable   = "KINTSUGI_TEST_LOG"
	viewsVariable = "KINTSUGI_TEST_VIEWS"
	// buildVariable says that it builds other views, in transactions of a few events, which take long.
	buildVariable = "KINTSUGI_TEST_BUILD"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(logVariable); path != "" {
		if err := follow(path, os.Getenv(viewsVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := pgtest.StopShared(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		os.Exit(code)
	}))
}

// follow applies until it is killed.
func follow(path, dir string) error {
	ctx := context.Background()
	log, err := sqlitelog.Open(ctx, path, sqlitelog.Options{})
	if err != nil {
		return err
	}
	config := at(dir)
	config.Log, config.Projections = log, []readmodel.Projection{tally{}}
	slow := os.Getenv(buildVariable)
	if slow != "" {
		config.Projections = []readmodel.Projection{anything{}}
	}
	store, err := readmodel.Open(ctx, config)
	if err != nil {
		return err
	}
	if slow != "" {
		events, err := strconv.Atoi(slow)
		if err != nil {
			return err
		}
		store.Limit(20+events, 50_000)
	}
	return store.Run(ctx)
}
