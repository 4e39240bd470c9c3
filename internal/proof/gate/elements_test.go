package gate

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The elements of a place are those of the innermost list around it; an answer that is one value is the only one.
func TestElementsOfAPlace(t *testing.T) {
	t.Parallel()
	o := &observed{input: "gate 7", calls: []observedCall{{template: "rides", result: []any{1.0, 2.0, 3.0}}}}
	require.Equal(t, 1, elements(o, place{Source: "input"}))
	require.Equal(t, 1, elements(o, place{Source: "input", Path: "k"}))
	require.Equal(t, 3, elements(o, place{Source: "rides", Path: "[*]"}))
	require.Equal(t, 1, elements(o, place{Source: "rides"}))
}
