//go:build agents

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// openCode is a model as a vendor's agent has one. It does too much, leaves a type error, and mends both when it is told.
type openCode struct{ t *testing.T }

var (
	since    = regexp.MustCompile(`as they are in commit ([0-9a-f]{40})`)
	typeFile = regexp.MustCompile(`these files and no other: (\S+)`)
)

// Respond implements [llmtest.Responder]: what it says follows from the conversation so far.
func (m openCode) Respond(request llmtest.Request) llmtest.Step {
	if len(request.Tools) == 0 {
		return llmtest.Text("A job of a plan") // the agent asks for a title
	}
	said := 0
	for _, message := range request.Messages {
		if message.Role == llm.Assistant {
			said++
		}
	}
	text := request.Text()
	switch {
	case strings.Contains(text, "Mend the type errors."):
		return m.turn(said,
			llmtest.Call("read", map[string]any{"filePath": typeFile.FindStringSubmatch(text)[1]}),
			llmtest.Call("edit", map[string]any{"filePath": typeFile.FindStringSubmatch(text)[1], "oldString": "): string", "newString": "): number"}),
			llmtest.Text("The function returns a number, and says so now."))
	case strings.Contains(text, "Revert exactly these changes"):
		return m.turn(said,
			llmtest.Call("bash", map[string]any{"command": "git checkout " + since.FindStringSubmatch(text)[1] + " -- README.md", "description": "Revert README.md"}),
			llmtest.Text("README.md is as it was. The rounding stays."))
	case strings.Contains(text, "Round all prices"):
		return m.turn(said,
			llmtest.Call("read", map[string]any{"filePath": "src/price.ts"}),
			llmtest.Call("edit", map[string]any{"filePath": "src/price.ts", "oldString": "return net * 1.19", "newString": "return Math.round(net * 119) / 100"}),
			llmtest.Call("read", map[string]any{"filePath": "README.md"}),
			llmtest.Call("write", map[string]any{"filePath": "README.md", "content": "# Shop\n\nPrices are rounded to cents.\n"}),
			llmtest.Text("Prices are rounded to cents, and the README says so."))
	case strings.Contains(text, "Add the tax"):
		return m.turn(said,
			llmtest.Call("write", map[string]any{"filePath": "src/tax.ts", "content": "export function tax(net: number): string {\n  return net * 0.19\n}\n"}),
			llmtest.Text("The tax is there."))
	}
	m.t.Errorf("the model was asked what nobody wrote down:\n%s", text)
	return llmtest.Text("I do not know.")
}

func (m openCode) turn(n int, turns ...llmtest.Step) llmtest.Step {
	if n >= len(turns) {
		m.t.Errorf("the model was asked %d times, and has %d answers", n+1, len(turns))
		return llmtest.Text("That is all.")
	}
	return turns[n]
}

// Rule: a vendor's coding agent, as npm has it, finishes a plan in a TypeScript repository that its own compiler
// judges: its changes beyond the touch set are held, and reverted by itself when it is launched again; its type error
// is healed in the file that the compiler names. Only its model is ours. The output is the transcript of
// docs/repo-plans-transcript.md.
func TestRepoPlanOfOpenCode(t *testing.T) {
	patience = 10 * time.Minute // it takes seconds to begin, more on a busy machine
	installed, err := filepath.Abs("../../test/agents/node_modules")
	require.NoError(t, err)
	program := filepath.Join(installed, "opencode-linux-x64", "bin", "opencode") // the platform's own package: npm's wrapper wants an install script
	require.FileExists(t, program, "run make test/agents, which installs it")
	server := llmtest.ServeWith(t, openCode{t})
	g := newGitHome(t)
	g.write("README.md", "# Shop\n")
	g.write("tsconfig.json", `{"compilerOptions": {"strict": true, "noEmit": true, "target": "es2022", "types": []}, "include": ["src"]}`+"\n")
	g.write("src/price.ts", "export function gross(net: number): number {\n  return net * 1.19\n}\n")
	g.git("add", "-A")
	g.git("commit", "-qm", "a TypeScript repository")

	model, err := json.Marshal(map[string]any{
		"model": "ours/" + llmtest.ModelName, "small_model": "ours/" + llmtest.ModelName, "share": "disabled", "autoupdate": false,
		"provider": map[string]any{"ours": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "options": map[string]any{"baseURL": server.URL, "apiKey": "{env:MODEL_KEY}"},
			"models": map[string]any{llmtest.ModelName: map[string]any{"limit": map[string]any{"context": 100_000, "output": 4_000}}},
		}},
	})
	require.NoError(t, err)
	job := func(id, task, touch string) string {
		return fmt.Sprintf(`
  - id: %s
    task: %s
    agent: [opencode, run, "{task}"]
    secrets: {MODEL_KEY: model}
    environment: {PATH: '%s:%s', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_CONFIG_CONTENT: '%s'}
    touch: [%s]
    verify: [node %s/typescript/bin/tsc --pretty false]`, id, task, filepath.Dir(program), os.Getenv("PATH"), model, touch, installed)
	}
	file := g.file("shop.yaml", "title: shop\nrepository: "+g.repo+"\nbase: main\nintegration: agents/shop\nhealer: {}\njobs:"+
		job("prices", "Round all prices to cents.", "src/price.ts")+job("tax", "Add the tax as a function of its own.", "src/tax.ts")+"\n")

	var told strings.Builder
	names := strings.NewReplacer() // what differs from run to run
	tell := func(args ...string) {
		fmt.Fprintf(&told, "\n$ kintsugi %s\n%s", names.Replace(strings.Join(args, " ")), names.Replace(g.ok(args...)))
	}
	id := g.start(file)
	set := g.runWith(llmtest.Key, "secret", "set", "model", "--all", "--host", "coding-agent")
	require.Zero(t, set.code, set.err)
	names = strings.NewReplacer(id, "PLAN", g.repo, "~/shop", g.dir, "~/.kintsugi", installed, "node_modules", filepath.Dir(program), "node_modules", string(model), "…", os.Getenv("PATH"), "…")
	g.dev()
	held := g.until(id, "held", ends)
	tell("repo", "plan", "show", id)
	require.Equal(t, "held touchset", held.job("prices").Status+" "+held.job("prices").Checkpoint.Kind)
	require.Equal(t, "README.md", held.job("prices").Checkpoint.Violations[0].Path)
	require.Equal(t, "merged", held.job("tax").Status)
	require.Equal(t, []string{"verification_failed resolved"}, g.healedOf(id, "tax"))
	tell("healer", "show", id+"-tax")
	tell("repo", "plan", "relaunch", id, "prices", "--checkpoint", "1")
	done := g.until(id, "completed", ends)
	tell("repo", "plan", "show", id)
	require.Equal(t, "completed", done.Status)
	require.Equal(t, 2, done.job("prices").Attempt)
	require.Equal(t, "# Shop", g.git("show", "agents/shop:README.md"))
	require.Contains(t, g.git("show", "agents/shop:src/price.ts"), "Math.round(net * 119) / 100")
	require.Contains(t, g.git("show", "agents/shop:src/tax.ts"), "): number")
	require.Empty(t, g.git("diff", "--name-only", "agents/shop", done.Commit))
	for _, request := range server.Requests() {
		require.Equal(t, "Bearer "+llmtest.Key, request.Header.Get("Authorization"), "the agent has its secret")
	}
	tell("repo", "plan", "diff", id, "prices")
	for _, launch := range []string{"prices/launches/*-agent", "tax/launches/*-agent"} {
		outputs, err := filepath.Glob(filepath.Join(done.Place, "jobs", launch, "output"))
		require.NoError(t, err)
		for _, path := range outputs {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			fmt.Fprintf(&told, "\n# %s\n%s", strings.TrimPrefix(path, done.Place+"/"), names.Replace(string(text)))
		}
	}
	g.ok("verify")
	t.Log(regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(told.String(), ""))
}
