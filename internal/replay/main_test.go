package replay_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

func TestMain(m *testing.M) {
	if sandbox.IsWorker() {
		sandbox.WorkerMain(hostcall.Bindings())
		return
	}
	time.Local = time.UTC // as in a worker process
	goleak.VerifyTestMain(m)
}
