package coding_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
)

// Rule: a job that names an agent by its bare name gets its command line, and the person's own sign-in only if it has no key. A command
// line stays as it is.
func TestExpand(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	definition := plan.Definition{Jobs: []plan.Job{
		{ID: "signed", Agent: plan.Shell("claude"), Environment: map[string]string{"A": "1"}},
		{ID: "keyed", Agent: plan.Shell("claude"), Secrets: map[string]string{"ANTHROPIC_API_KEY": "anthropic"}},
		{ID: "line", Agent: plan.Shell("claude -p x")},
		{ID: "other", Agent: plan.Shell("codex")},
	}}
	require.Empty(t, coding.Expand(definition).Wall.Write, "nobody has signed in")
	require.NoError(t, os.MkdirAll(filepath.Join(home, ".claude"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".claude", ".credentials.json"), nil, 0o600))
	expanded := coding.Expand(definition)
	require.Equal(t, []string{"~/.claude"}, expanded.Wall.Write)
	signed, keyed, line, other := expanded.Jobs[0], expanded.Jobs[1], expanded.Jobs[2], expanded.Jobs[3]
	require.Equal(t, "claude", signed.Agent[0])
	require.Equal(t, map[string]string{"A": "1", "CLAUDE_CONFIG_DIR": filepath.Join(home, ".claude")}, signed.Environment)
	require.Equal(t, signed.Agent, keyed.Agent)
	require.Empty(t, keyed.Environment)
	require.Equal(t, plan.Shell("claude -p x"), line.Agent)
	require.Equal(t, "codex", other.Agent[0])
	require.Equal(t, map[string]string{"A": "1"}, definition.Jobs[0].Environment, "what was given stays")
}
