package crash

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A test binary that does not call Child does not start itself for ever.
func TestChildIsMissing(t *testing.T) {
	t.Setenv(orderVariable, "{}")
	_, err := Check(t.Context(), Config{})
	require.ErrorContains(t, err, "call crash.Child in TestMain")
}
