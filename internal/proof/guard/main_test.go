package guard_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"
)

// InProcess reads the time zone of the process.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	goleak.VerifyTestMain(m)
}
