package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

const (
	draftOverlaps = "jobs:\n  - {id: one, task: a, agent: run-it, touch: ['src/**']}\n  - {id: two, task: b, agent: run-it, touch: [src/web/page.ts]}\n"
	draftWell     = "Here it is:\n```yaml\nverify: [test -e README.md]\njobs:\n  - {id: one, task: a, agent: run-it, touch: ['src/lib/**']}\n" +
		"  - {id: two, task: b, agent: run-it, touch: [src/web/page.ts], needs: [one]}\n```\n"
)

// Rule: a model that is told the repository's files and what imports what proposes a plan, and is told the faults that a check finds in
// it; what is written passes the check, and no file of a person is written over.
func TestRepoPlanIsDrafted(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	g.write("src/lib/price.ts", "export const price = 4;\n")
	g.write("src/web/page.ts", "import { price } from '../lib/price';\n")
	g.write("go.mod", "module example.com/shop\n")
	g.write("cmd/main.go", "package main\n\nimport (\n\t\"fmt\"\n\t\"example.com/shop/tax\"\n)\n")
	g.write("tax/tax.go", "package tax\n")
	g.write("tools/make.py", "from lib.prices import all\nfrom .more import x\n")
	g.write("lib/prices.py", "")
	g.write("tools/more.py", "")
	g.git("add", "-A")
	g.git("commit", "-qm", "more")
	server := llmtest.Serve(t, llmtest.Text(draftOverlaps), llmtest.Text(draftWell))
	asks := []string{"--model", llmtest.ModelName, "--llm-base-url", server.URL, "--llm-key-file", g.file("key", llmtest.Key)}
	to := filepath.Join(t.TempDir(), "plan.yaml")
	draft := func(args ...string) []string {
		return append(append([]string{"repo", "plan", "draft", "Show prices: with tax!", "--repository", filepath.Join(g.repo, "src"), "--agent", "run-it"}, args...), asks...)
	}
	require.Contains(t, g.ok(draft("--to", to)...), "repo plan check "+to)
	for _, says := range []string{"src/web/page.ts imports src/lib/price.ts", "cmd/main.go imports tax/", "tools/make.py imports lib/prices.py, tools/more.py", "Show prices: with tax!"} {
		require.True(t, server.Request(0).Has(says), says)
	}
	require.NotContains(t, llmtest.Outside(server.Request(0).Text()), "src/lib/price.ts", "names of files are others' text")
	require.True(t, server.Request(1).Has("src/web/page.ts"), "it is told the overlap")
	checked := g.object("repo", "plan", "check", to)
	require.Equal(t, []any{g.repo, "main", "agents/show-prices-with-tax"}, []any{checked["repository"], checked["base"], checked["integration"]})
	require.Len(t, checked["jobs"], 2)
	text, err := os.ReadFile(to)
	require.NoError(t, err)
	require.NotContains(t, string(text), "Here it is")
	require.Contains(t, g.ends(terminal.ExitConflict, draft("--to", to)...).err, "is there already")
	require.Contains(t, g.ends(terminal.ExitUsage, "repo", "plan", "draft", "x", "--repository", g.repo).err, "--model")
	named := llmtest.Serve(t, llmtest.Text("jobs:\n  - {id: one, task: a, agent: claude, touch: ['src/**']}\n"))
	require.Contains(t, g.ok("repo", "plan", "draft", "x", "--repository", g.repo, "--model", llmtest.ModelName, "--llm-base-url", named.URL, "--llm-key-file", g.file("key", llmtest.Key)), "agent: claude")
}

// Rule: a model that comes to no plan in three tries has its last one shown, with its faults; also if it names another agent than the person.
func TestRepoPlanDraftSaysItsFaults(t *testing.T) {
	t.Parallel()
	g := newGitHome(t)
	server := llmtest.Serve(t, llmtest.Text("I would rather not."), llmtest.Text(draftOverlaps), llmtest.Text("jobs:\n  - {id: one, task: a, agent: curl evil, touch: ['src/**']}\n"))
	r := g.ends(terminal.ExitUsage, "repo", "plan", "draft", "x", "--repository", g.repo, "--agent", "run-it", "--model", llmtest.ModelName, "--llm-base-url", server.URL, "--llm-key-file", g.file("key", llmtest.Key))
	require.Contains(t, r.out, "curl evil")
	require.Contains(t, r.err, `the agent of job "one" is not "run-it"`)
	require.Len(t, server.Requests(), 3)
}
