package agent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent"
)

// The thoughts of a model are not part of its answer.
func TestThoughtsAreNotShown(t *testing.T) {
	t.Parallel()
	for want, pieces := range map[string][]string{
		"Hi there": {"<th", "ink>a\nb", "</thi", "nk>\n\n", "Hi", " there"}, "<thing> is": {"<thi", "ng> is"}, "Plain <think>": {"Pl", "ain <think>"}, "": {"\n<think>for ever"},
	} {
		var all agent.Thoughts
		var got string
		for _, piece := range pieces {
			got += all.Without(piece)
		}
		require.Equal(t, want, got)
	}
}
