package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/basics/yamlfile"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
)

// PlanDraft is a plan for coding agents that a model proposes: text for a person to edit.
type PlanDraft struct {
	Plan  string `json:"plan"`
	Asked int    `json:"asked"` // how often the model was asked
	// Faults are what a check of the plan finds in it still.
	Faults []yamlfile.Fault `json:"faults"`
}

// draftAsked is how often a model is asked for a draft that can be.
const draftAsked = 3

// The bounds of what a model is told of a repository.
const (
	draftFiles   = 1500
	draftImports = 400
	draftSource  = 64 << 10 // bytes that are read of a file
	draftBuilt   = 4 << 10  // bytes that are told of a file that says how it is built
)

const draftRules = `You divide work in a git repository among coding agents that work at the same time, each in a worktree of its own. Answer with the
rest of a plan in YAML and nothing else. It goes on after the lines that you are given, and begins with an optional
verify: [COMMAND, …]    # what has to pass after each merge
and then
jobs:
  - id: short-name
    task: |
      What the agent is to do, so that it needs to ask nothing: what is there, what is wanted, how it is seen that it is done.
    touch: ["src/api/**", "README.md"]   # patterns of the only files that it may change
    may_create: ["src/api/new/**"]       # patterns of files that it may add besides; may be left out
    needs: [other-job]                   # jobs that are merged before; may be left out
    verify: ["npm test"]                 # what has to pass in its worktree; may be left out
    agent: AGENT                         # exactly as you are told

Rules: patterns of two jobs that may run at the same time match no common file; where they would, one needs the other. A job that uses what
another makes needs it. A touch set holds the files that the task is about with their tests, and files that import what changes, and
no more. Use only commands that the repository has. Few jobs: one if the work cannot be divided.
`

// DraftRepoPlan has a model propose a plan for what a person wants in the repository that a directory is in. It is asked again with the
// faults that a check finds.
func DraftRepoPlan(ctx context.Context, model llm.Model, wanted, dir, agent string) (PlanDraft, error) {
	var draft PlanDraft
	if model == nil {
		return draft, fault.New(fault.Invalid, "a model makes the draft, and none is configured: name one with --model")
	}
	head, facts, err := draftFacts(ctx, wanted, dir)
	if err != nil {
		return draft, err
	}
	named := coding.Expand(plan.Definition{Jobs: []plan.Job{{Agent: plan.Shell(agent)}}}).Jobs[0].Agent
	messages := []llm.Message{
		{Role: llm.System, Text: draftRules + "\n" + llm.FenceRule},
		{Role: llm.User, Text: fmt.Sprintf("What is wanted:\n%s\n\nAGENT is %s\n\nThe plan begins:\n%s\n%s", wanted, agentText(agent), head, facts)},
	}
	for draft.Asked < draftAsked {
		answer, err := model.Chat(ctx, llm.Request{Messages: messages})
		if err != nil {
			return draft, err
		}
		draft.Asked++
		draft.Plan = head + planText(answer.Text)
		definition, faults, err := ReadRepoPlan(ctx, []byte(draft.Plan), dir)
		if err != nil {
			return draft, err
		}
		for _, job := range definition.Jobs {
			if len(faults) == 0 && !slices.Equal(job.Agent, named) {
				faults = append(faults, yamlfile.Fault{Path: "/jobs", Text: fmt.Sprintf("the agent of job %q is not %s", job.ID, agentText(agent))})
			}
		}
		if draft.Faults = faults; len(faults) == 0 {
			return draft, nil
		}
		messages = append(messages, llm.Message{Role: llm.Assistant, Text: answer.Text}, llm.Message{
			Role: llm.User, Text: "The check of the plan finds this. Answer with the whole rest of the plan again.\n" + llm.Fence("faults", yamlfile.Error("plan", faults).Error()),
		})
	}
	return draft, nil
}

// agentText is the command as YAML, which JSON is.
func agentText(command string) string {
	text, err := json.Marshal(command)
	if err != nil {
		return `""` // no text is refused
	}
	return string(text)
}

// planText is what of an answer belongs in the plan: the block of code, if it has one.
func planText(answer string) string {
	if _, block, is := strings.Cut(answer, "```"); is {
		_, block, _ = strings.Cut(block, "\n")
		answer, _, _ = strings.Cut(block, "```")
	}
	return strings.TrimSpace(answer) + "\n"
}

// draftFacts are the lines that a draft begins with, and what a model is told of the repository.
func draftFacts(ctx context.Context, wanted, dir string) (head, facts string, err error) {
	view, err := os.MkdirTemp("", "kintsugi-view-")
	if err != nil {
		return "", "", err
	}
	defer os.RemoveAll(view)
	repo, err := gitrepo.Open(ctx, dir, view)
	if err != nil {
		return "", "", fault.New(fault.Invalid, "%w", err)
	}
	base, err := repo.Current()
	if err != nil {
		return "", "", err
	}
	commit, err := repo.Resolve(ctx, base)
	if err != nil {
		return "", "", fault.New(fault.Invalid, "%s has no commit on %q yet: %w", repo.Top, base, err)
	}
	files, err := repo.Files(ctx, commit)
	if err != nil {
		return "", "", err
	}
	root, err := os.OpenRoot(repo.Top)
	if err != nil {
		return "", "", err
	}
	defer root.Close()
	head = fmt.Sprintf("title: %s\nrepository: %s\nbase: %s\nintegration: agents/%s\n", agentText(wanted), agentText(repo.Top), agentText(base), slug(wanted))
	told := strings.Join(files[:min(len(files), draftFiles)], "\n")
	if more := len(files) - draftFiles; more > 0 {
		told += fmt.Sprintf("\nand %d more", more)
	}
	facts = llm.Fence("repository", told) + "\n" + llm.Fence("imports", strings.Join(imports(root, files), "\n"))
	for _, name := range []string{"package.json", "Makefile", "go.mod", "pyproject.toml", "README.md"} {
		if text := readSome(root, name, draftBuilt); text != "" {
			facts += "\n" + llm.Fence(name, text)
		}
	}
	return head, facts, nil
}

// slug is a name for a branch.
func slug(text string) string {
	words := regexp.MustCompile(`[a-z0-9]+`).FindAllString(strings.ToLower(text), 5)
	if len(words) == 0 {
		return "draft"
	}
	return strings.Join(words, "-")
}

// readSome is the beginning of a file of a checkout; nothing if it cannot be read.
func readSome(root *os.Root, name string, most int) string {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return ""
	}
	text, err := root.ReadFile(name)
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(text[:min(len(text), most)]), "")
}

const (
	importOfScript = `(?m)(?:\bfrom|\brequire\(|\bimport\(|^import)\s*['"](\.[^'"]+)['"]`
	importOfPython = `(?m)^\s*(?:from\s+([\w.]+)\s+import|import\s+([\w.]+))`
	importOfGo     = `(?m)^\s*(?:import\s+)?(?:[\w.]+\s+)?"([^"\s]+)"\s*$`
)

// imports say which files of a repository import which others, as its languages write it.
func imports(root *os.Root, files []string) []string {
	script, python, golang := regexp.MustCompile(importOfScript), regexp.MustCompile(importOfPython), regexp.MustCompile(importOfGo)
	there := map[string]bool{}
	for _, name := range files {
		there[name] = true
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			there[dir+"/"] = true
		}
	}
	module := ""
	if line := regexp.MustCompile(`(?m)^module\s+(\S+)`).FindStringSubmatch(readSome(root, "go.mod", draftSource)); line != nil {
		module = line[1] + "/"
	}
	var told []string
	for _, name := range files {
		var candidates []string
		switch ext := path.Ext(name); ext {
		case ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".jsx", ".vue", ".svelte":
			for _, match := range script.FindAllStringSubmatch(readSome(root, name, draftSource), -1) {
				at := path.Join(path.Dir(name), match[1])
				bare := strings.TrimSuffix(at, path.Ext(at))
				candidates = append(candidates, first(there, at, at+".ts", at+".tsx", at+".js", at+".jsx", at+".mjs", bare+".ts", bare+".tsx", at+"/index.ts", at+"/index.js"))
			}
		case ".py":
			for _, match := range python.FindAllStringSubmatch(readSome(root, name, draftSource), -1) {
				at, from := strings.TrimLeft(match[1]+match[2], "."), ""
				if dots := len(match[1]+match[2]) - len(at); dots > 0 { // relative: one is the directory of the file
					from = path.Join(path.Dir(name), strings.Repeat("../", dots-1))
				}
				at = path.Join(from, strings.ReplaceAll(at, ".", "/"))
				candidates = append(candidates, first(there, at+".py", at+"/__init__.py", at+"/"))
			}
		case ".go":
			for _, match := range golang.FindAllStringSubmatch(readSome(root, name, draftSource), -1) {
				if at, own := strings.CutPrefix(match[1], module); own && module != "" {
					candidates = append(candidates, first(there, at+"/"))
				}
			}
		}
		slices.Sort(candidates)
		candidates = slices.DeleteFunc(slices.Compact(candidates), func(one string) bool { return one == "" || one == name })
		if len(candidates) > 0 {
			told = append(told, name+" imports "+strings.Join(candidates, ", "))
		}
		if len(told) == draftImports {
			break
		}
	}
	return told
}

func first(there map[string]bool, names ...string) string {
	for _, name := range names {
		if there[name] {
			return name
		}
	}
	return ""
}
