package sqlitelog_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/measure/lossydisk"
)

// The test binary runs itself again as another process that uses a log: this variable
// says as which, the next one on which file.
const (
	roleVariable = "KINTSUGI_TEST_ROLE"
	pathVariable = "KINTSUGI_TEST_PATH"
)

var roles = map[string]func(path string) error{}

func TestMain(m *testing.M) {
	lossydisk.Child()
	crash.Child(openForCrash)
	eventlogtest.HistoryChild(openForCrash)
	if name := os.Getenv(roleVariable); name != "" {
		if err := roles[name](os.Getenv(pathVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}
