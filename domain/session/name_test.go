package session_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// An id of a session has 1 to 128 letters, digits, - or _, and begins with no mark.
func TestIDsOfSessions(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"a", "A_-9", strings.Repeat("a", 128)} {
		require.NoError(t, session.CheckID(id), id)
	}
	for _, id := range []string{"", "-a", "a b", "a\n", "ä", strings.Repeat("a", 129)} {
		require.Error(t, session.CheckID(id), id)
	}
}
