package plain

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A long text is broken between words, and stands under its beginning.
func TestWrapped(t *testing.T) {
	t.Parallel()
	require.Equal(t, "one two\n  three\n  four", Wrapped("one two three\nfour\n", "  ", 8))
	require.Equal(t, "a-word-that-is-too-long", Wrapped("a-word-that-is-too-long", "  ", 8))
	require.Equal(t, "\ufffd[2J", Wrapped("\x1b[2J", "", 8))
	require.Equal(t, "'it'\\''s'", Quoted("it's"))
	require.Equal(t, "/tmp/x-1.json", Quoted("/tmp/x-1.json"))
	require.Equal(t, "''", Quoted(""))
}
