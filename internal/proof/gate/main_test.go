package gate_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

func TestMain(m *testing.M) {
	if process.IsWorker() {
		process.WorkerMain(hostcall.Bindings())
		return
	}
	time.Local = time.UTC // as in a worker process
	goleak.VerifyTestMain(m)
}
