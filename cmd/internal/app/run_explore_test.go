package app

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSpan(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"7d": 168 * time.Hour, "12h": 12 * time.Hour, "90m": 90 * time.Minute} {
		got, err := ParseSpan(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
