package gate_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

func TestMain(m *testing.M) {
	if sandbox.IsWorker() {
		sandbox.WorkerMain(hostcall.Bindings())
		return
	}
	time.Local = time.UTC // as in a worker process
	goleak.VerifyTestMain(m)
}
