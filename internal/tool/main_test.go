package tool_test

import (
	"testing"

	"go.uber.org/goleak"
)

// Nothing of a call may go on after it: no dial, no connection, no reader.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}
