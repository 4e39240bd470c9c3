package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// given has the server carry out a command line for a token, without a process of its own, and with files sent along.
func (e *elsewhere) given(token string, args ...string) (given result) {
	e.home.t.Helper()
	return e.givenWith(token, map[string][]byte{"s.js": []byte("function main() { return 1 }"), "b.json": []byte("{}")}, args...)
}

// givenWith gives a command with files that it names.
func (e *elsewhere) givenWith(token string, files map[string][]byte, args ...string) (given result) {
	t := e.home.t
	t.Helper()
	body, err := json.Marshal(api.CommandRequest{Args: args, Files: files, Stdin: []byte("/quit\n")})
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, e.url+api.Base+"/command", bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	for decoder := json.NewDecoder(answer.Body); ; {
		var chunk api.CommandChunk
		err := decoder.Decode(&chunk)
		if errors.Is(err, io.EOF) {
			return given
		}
		require.NoError(t, err)
		given.out += string(chunk.Out) + string(chunk.Content)
		given.err += string(chunk.Err)
		if chunk.Exit != nil {
			given.code = *chunk.Exit
		}
	}
}

// another is what belongs to somebody else, and names for it that nothing has.
type another struct {
	named, unknown map[string]string
	secret         []string // what no answer may hold
}

// fill fills in a command line: with what is there, or with what is not.
func fill(line string, names map[string]string) []string {
	args := strings.Fields(line)
	for i := range args {
		for word, name := range names {
			args[i] = strings.ReplaceAll(args[i], word, name)
		}
	}
	return args
}

func (a another) hides(t *testing.T, what string, texts ...string) {
	t.Helper()
	for _, text := range texts {
		for _, secret := range a.secret {
			require.NotContains(t, text, secret, what)
		}
	}
}

// same has the answer about something of another owner be the one about what is not there at all.
func (a another) same(t *testing.T, what string, there, nowhere result) {
	t.Helper()
	require.NotEqual(t, terminal.ExitOK, there.code, what)
	for word, name := range a.named {
		there.out = strings.ReplaceAll(there.out, name, word)
		there.err = strings.ReplaceAll(there.err, name, word)
		nowhere.out = strings.ReplaceAll(nowhere.out, a.unknown[word], word)
		nowhere.err = strings.ReplaceAll(nowhere.err, a.unknown[word], word)
	}
	require.Equal(t, nowhere, there, "%s: it is told apart from what is not there", what)
	a.hides(t, what, there.out, there.err)
}

// ofAnother is an installation in which somebody has workflows, runs, fixes and notices, and a token of another owner.
func ofAnother(t *testing.T) (*home, *elsewhere, string, another) {
	t.Helper()
	h := newHome(t)
	held := h.hold("Held")
	h.mend("Orders")
	e := h.serveRemote()
	workflow := h.object("workflow", "show", "Orders")["id"].(string)
	run := h.objects("run", "list", "--workflow", "Orders")[0]["id"].(string)
	note := h.objects("notification", "list", "--workflow", "Held")[0]["id"].(string)
	h.ok("subscription", "add", "anns", "--to", "exec:/bin/true")
	bob := h.object("token", "create", "bob", "--person", "bob", "--owner", "bob", "--scope", "read,run,edit,decide")["token"].(string)
	return h, e, bob, another{
		named:   map[string]string{"{workflow}": workflow, "{title}": "Orders", "{run}": run, "{fix}": held, "{note}": note, "{subscription}": "anns"},
		unknown: map[string]string{"{workflow}": "01a00000-0000-7000-8000-000000000001", "{title}": "Nothing", "{run}": "01a00000-0000-7000-8000-000000000002", "{fix}": "01a00000-0000-7000-8000-000000000003", "{note}": "01a00000-0000-7000-8000-000000000004", "{subscription}": "nothing"},
		secret:  []string{workflow, run, held, note, "Orders", "Held", "total_amount", "/bin/true"},
	}
}

// whole says that a command is about the whole installation: an owner's token never gives it.
const whole = "whole"

// A token of one owner gives commands for this owner's workflows only. To any other name each command answers as to a name that
// nothing has, and a list leaves it out. A command that is about the whole installation is refused. Nothing of the other is changed.
func TestATokenOfAnOwnerCommandsNothingOfAnother(t *testing.T) {
	t.Parallel()
	h, e, bob, a := ofAnother(t)
	lines := map[string]string{
		"workflow show": "{workflow}", "workflow run": "{workflow}", "workflow settings": "{workflow} --auto-fix off", "workflow dry-run": "{workflow}",
		"workflow what-if": "{workflow} --script s.js", "workflow schedule": "{workflow}", "workflow trigger": "{workflow}", "workflow retry": "{workflow}",
		"workflow send": "{workflow} --input {}", "workflow hook add": "{workflow} shop", "workflow hook list": "{workflow}", "workflow hook remove": "{workflow} shop",
		"workflow pause": "{workflow}", "workflow activate": "{workflow}", "workflow archive": "{workflow}", "workflow restore": "{workflow}", "workflow keys": "{workflow}",
		"workflow files": "{workflow}", "workflow edit": "{workflow} --intent x", "workflow export": "{workflow}", "workflow timeline": "{workflow}",
		"workflow drafts": "{workflow} --archive", "workflow delete": whole,
		"script save": "{workflow} --file s.js", "script list": "{workflow}", "script show": "{workflow}", "script diff": "{workflow}", "script rollback": "{workflow} 1.0",
		"script test": "{workflow} --file s.js", "script api": "no-such-thing",
		"run show": "{run}", "run logs": "{run}", "run fork": "{run} --from-call 1", "run exempt": "{run} --reason x", "run trust": "{run}", "run retry": "{run}",
		"run continue": "{run}", "run restart": "{run} --yes", "run leave": "{run} --note x", "run cancel": "{run}", "run repair": "{run}",
		"fix show": "{fix}", "fix thread": "{fix}", "fix accept": "{fix}", "fix correct": "{fix} --note x", "fix recheck": "{fix}", "fix decline": "{fix}",
		"fix suggest": "{workflow} --file s.js", "fix withdraw": "{fix}", "fix verify": "{fix}",
		"notification ack": "{note}", "notification answer": "{note} yes", "notification delegate": "{note} --to ben", "effect resolve": "{run} 1 --skip",
		"plan": "{workflow} wish", "chat": "{workflow}", "history": "{workflow}", "export": "{workflow}", "usage balance": "{title}",
		"workflow list": "", "run list": "--workflow {workflow}", "fix list": "--workflow {workflow}", "notification list": "--workflow {workflow}",
		"inbox list": "--workflow {workflow}", "usage list": "--workflow {workflow}", "effect list": "",
		"workflow create": "", "import": "b.json",
		"subscription show": "{subscription}", "subscription test": "{subscription}", "subscription update": "{subscription} --lanes skip",
		"subscription pause": "{subscription}", "subscription resume": "{subscription}", "subscription replay": "{subscription} --from start",
		"subscription deliveries": "{subscription}", "subscription resend": "{subscription} 1", "subscription recover": "{subscription} --since 2026-01-01",
		"subscription dead-letters list": "{subscription}", "subscription dead-letters retry": "{subscription} --all", "subscription dead-letters drop": "{subscription} --all",
		"subscription rotate-key": "{subscription}", "subscription set-secret": "{subscription} --file s.js", "subscription remove": "{subscription}",
		"subscription add": "mine --to exec:/bin/false", "subscription list": "",
	}
	for name, command := range leaves() {
		if scope := terminal.RemoteScope(command); scope != "" && lines[name] == "" && !slices.Contains([]string{"workflow list", "effect list", "workflow create", "subscription list"}, name) {
			lines[name] = whole
		}
	}
	before := h.object("store", "info")["events"]
	for name, line := range lines {
		if name == "usage balance" || name == "workflow list" || name == "effect list" || name == "workflow create" || name == "import" || name == "script api" || name == "subscription add" || name == "subscription list" {
			continue // below
		}
		t.Run(name, func(t *testing.T) {
			if line == whole {
				r := e.given(bob, append(strings.Fields(name), "x", "y")...)
				require.Contains(t, []int{terminal.ExitForbidden, terminal.ExitUsage}, r.code, "%s: %s", name, r.err)
				a.hides(t, name, r.out, r.err)
				return
			}
			for _, reference := range []string{"{workflow}", "{title}"} {
				line := strings.ReplaceAll(line, "{workflow}", reference)
				there := e.given(bob, append(strings.Fields(name), fill(line, a.named)...)...)
				a.same(t, name+" "+line, there, e.given(bob, append(strings.Fields(name), fill(line, a.unknown)...)...))
				require.Contains(t, []int{terminal.ExitNotFound, terminal.ExitForbidden}, there.code, "%s: %s", name, there.err)
			}
		})
	}
	for _, line := range []string{
		"workflow list --archived", "run list", "fix list", "fix list --group", "notification list --all", "inbox list --all", "usage list", "effect list", "workflow drafts", "subscription list",
		"usage balance", "__complete workflow show ", "__complete run show ", "__complete fix show ", "__complete notification ack ", "__complete subscription show ", "__complete script show Orders ",
	} {
		args := strings.Fields(line)
		if strings.HasSuffix(line, " ") {
			args = append(args, "")
		}
		r := e.given(bob, args...)
		require.Equal(t, terminal.ExitOK, r.code, "%s: %s", line, r.err)
		a.hides(t, line, r.out, r.err)
	}
	for _, line := range []string{"usage list --owner ann", "usage balance ann", "history session-x", "view", "autofix status", "subscription add mine --to exec:/bin/true", "subscription add mine --to webhook:https://x.example --owner ann", "token list", "healer list", "repo plan list"} {
		require.Equal(t, terminal.ExitForbidden, e.given(bob, strings.Fields(line)...).code, line)
	}
	require.Equal(t, before, h.object("store", "info")["events"], "nothing happened")
}

// With a token of one owner a person makes workflows of this owner by commands, and does with them what others do with theirs.
func TestATokenOfAnOwnerCommandsItsOwn(t *testing.T) {
	t.Parallel()
	h, e, bob, _ := ofAnother(t)
	ok := func(args ...string) string {
		t.Helper()
		r := e.given(bob, args...)
		require.Equal(t, terminal.ExitOK, r.code, "%v: %s", args, r.err)
		return r.out
	}
	made := decodeAs[map[string]any](t, ok("workflow", "create", "Orders", "--script", "s.js", "-o", "json"))
	require.Equal(t, "bob", made["owner"], "of a title that another owner's has")
	require.Len(t, decodeAs[[]any](t, ok("workflow", "list", "-o", "json")), 1)
	ok("workflow", "run", "Orders")
	require.Len(t, decodeAs[[]any](t, ok("run", "list", "-o", "json")), 1)
	require.Contains(t, ok("script", "show", "Orders"), "return 1")
	ok("usage", "balance", "bob")
	require.Len(t, h.objects("workflow", "list"), 3)

	agent := e.agent(bob)
	require.NotContains(t, agent.tools(), "view")
	require.Contains(t, agent.ok("run_workflow", map[string]any{"workflow": "Orders"}), "succeeded")
	require.Contains(t, agent.ok("create_workflow", map[string]any{"title": "Held", "intent": "x", "script": "function main() {}"}), `"owner": "bob"`)
}

// A coding agent with a token of one owner finds nothing of another by any tool.
func TestAnAgentOfAnOwnerSeesNothingOfAnother(t *testing.T) {
	t.Parallel()
	h, e, bob, a := ofAnother(t)
	agent := e.agent(bob)
	before := h.object("store", "info")["events"]
	arguments := func(names map[string]string, schema map[string]any) map[string]any {
		all := map[string]any{}
		for property := range schema["properties"].(map[string]any) {
			switch property {
			case "workflow", "run", "fix":
				all[property] = names["{"+property+"}"]
			case "script":
				all[property] = "function main() { return 1 }"
			case "comment", "note":
				all[property] = "x"
			}
		}
		return all
	}
	told := 0
	for tool, err := range agent.session.Tools(t.Context(), nil) {
		require.NoError(t, err)
		schema := tool.InputSchema.(map[string]any)
		if tool.Name == "create_workflow" || tool.Name == "script_api" {
			continue
		}
		if _, named := arguments(a.named, schema)["workflow"]; tool.Name == "list_workflows" || strings.HasPrefix(tool.Name, "list_") && named {
			given := map[string]any{"workflow": a.named["{workflow}"]}
			if tool.Name == "list_workflows" {
				given = map[string]any{"archived": true}
			}
			text, failed := agent.call(tool.Name, given)
			require.False(t, failed && tool.Name == "list_workflows", text)
			a.hides(t, tool.Name, strings.ReplaceAll(text, a.named["{workflow}"], ""))
		}
		if tool.Name == "list_workflows" {
			continue
		}
		told++
		there, failed := agent.call(tool.Name, arguments(a.named, schema))
		require.True(t, failed, "%s: %s", tool.Name, there)
		nowhere, _ := agent.call(tool.Name, arguments(a.unknown, schema))
		a.same(t, tool.Name, result{code: 1, err: there}, result{code: 1, err: nowhere})
	}
	require.Greater(t, told, 20)
	require.Equal(t, before, h.object("store", "info")["events"], "nothing happened")
}
