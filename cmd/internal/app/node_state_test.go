package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestASecretCountsAtOnce: that there were none is not believed any more once this process sets one.
func TestASecretCountsAtOnce(t *testing.T) {
	t.Parallel()
	s := &stateStore{}
	require.False(t, s.knownEmpty())
	s.foundEmpty()
	require.True(t, s.knownEmpty())
	s.fills()
	require.False(t, s.knownEmpty())
	s.foundEmpty() // by who asked before it was there
	require.False(t, s.knownEmpty())
}
