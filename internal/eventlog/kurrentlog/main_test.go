package kurrentlog_test

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
)

// serverVariable names a real server to test with.
const serverVariable = "KINTSUGI_TEST_KURRENTDB"

func TestMain(m *testing.M) {
	crash.Child(openForCrash)
	if os.Getenv(serverVariable) == "" {
		fmt.Fprintf(os.Stderr, "kurrentlog: %s is not set: tested with our own listener and a model of a server, not with EventStoreDB or KurrentDB itself\n", serverVariable)
	}
	goleak.VerifyTestMain(m)
}
