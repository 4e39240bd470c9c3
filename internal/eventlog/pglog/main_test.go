package pglog_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// The test binary runs itself again as another process that uses a log: this variable
// says as which, the next one on which database.
const (
	roleVariable = "KINTSUGI_TEST_ROLE"
	urlVariable  = "KINTSUGI_TEST_URL"
)

var roles = map[string]func(url string) error{}

func TestMain(m *testing.M) {
	if name := os.Getenv(roleVariable); name != "" {
		if err := roles[name](os.Getenv(urlVariable)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		pgtest.StopShared()
		os.Exit(code)
	}))
}
