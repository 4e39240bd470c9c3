package field_test

import (
	"encoding/base64"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
)

func TestMain(m *testing.M) {
	if process.IsWorker() {
		process.WorkerMain(hostcall.Bindings())
		return
	}
	time.Local = time.UTC // as in a worker process
	if err := os.Setenv(app.SecretKeyEnv, base64.StdEncoding.EncodeToString(make([]byte, vault.KeyBytes))); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
