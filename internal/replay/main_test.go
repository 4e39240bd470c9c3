package replay_test

import (
	"os"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // as in a worker process
	os.Exit(m.Run())
}
