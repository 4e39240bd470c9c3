package hostcall_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// patient limits are for scripts that end by themselves, which takes longer under the race detector and on a busy machine.
var patient = sandbox.Limits{Wall: 2 * time.Minute}

// Nothing of a call may go on after it: no dial, no connection, no reader.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}
