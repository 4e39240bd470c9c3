package replay_test

import (
	"os"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
)

func TestMain(m *testing.M) {
	if sandbox.IsWorker() {
		sandbox.WorkerMain(tool.Bindings())
		return
	}
	time.Local = time.UTC // as in a worker process
	os.Exit(m.Run())
}
