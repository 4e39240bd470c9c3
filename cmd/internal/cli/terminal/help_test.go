package terminal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Paragraphs are filled anew, lists stay lists.
func TestFilled(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b c d\ne\n\n  x y z w v\n--one: f\ng\n--two: h", filled("a b\nc d\ne\n\n  x y z w v\n--one: f g\n--two: h", 8))
}
