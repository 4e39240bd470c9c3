package workflow

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSince(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"7d": 168 * time.Hour, "12h": 12 * time.Hour, "90m": 90 * time.Minute} {
		got, err := parseSince(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
