package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// A secret goes to its host, and nowhere else: not into the store, the views, the history, an
// export, the output or the log. A workflow that waits for access goes on when it is replaced.
func TestASecretGoesToItsHostOnly(t *testing.T) {
	t.Parallel()
	const wrong, canary = "wrong-token-7c1e", "canary-token-94b2"
	h := newHome(t)
	h.outside.answer("/me", 401, `{"error":"bad token"}`)
	h.create("Orders", `async function main() {
		const me = await web.getJSON("BASE/me", { headers: { authorization: "Bearer " + secret("SHOP") } });
		console.log(secret("SHOP"), me);
		return me;
	}`)
	h.ok("workflow", "create", "Other", "--script", h.file("o.js", "function main() { return 1 }"))
	set := func(value string, args ...string) result {
		return h.runWith(value+"\n", append([]string{"secret", "set", "SHOP"}, args...)...)
	}
	require.Equal(t, terminal.ExitOK, set(wrong, "--workflow", "Orders", "--host", h.outside.host()).code)
	require.Equal(t, terminal.ExitEscalated, h.run("workflow", "run", "--repair", "Orders").code)
	require.Equal(t, "waiting", h.object("workflow", "show", "Orders")["status"])

	elsewhere := set(canary, "--workflow", "Other", "--host", h.outside.host())
	require.NotContains(t, elsewhere.out, "active again")
	h.outside.answer("/me", 200, `{"echo":"`+canary+`"}`)
	replaced := set(canary, "--workflow", "Orders", "--host", h.outside.host())
	require.Contains(t, replaced.out, "waited for it and is active again")
	require.Contains(t, h.ok("workflow", "run", "--repair", "Orders"), "{{secret:SHOP}}", "an answer that repeats the value has the handle in its place")
	require.Equal(t, []string{"Bearer " + wrong, "Bearer " + canary}, h.outside.authorizations("GET /me"))

	list := h.objects("secret", "list")
	require.Len(t, list, 2)
	bundle := h.ok("export", "Orders")
	history := h.ok("history", "Orders", "-o", "jsonl")
	for _, secret := range []string{wrong, canary} {
		require.NotContains(t, bundle+history+replaced.out+replaced.err+h.ok("secret", "list"), secret)
		require.NoError(t, filepath.WalkDir(h.dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			content, err := os.ReadFile(path)
			require.False(t, bytes.Contains(content, []byte(secret)), "%s has the secret in it", path)
			return err
		}))
	}

	h.ok("secret", "remove", "SHOP", "--workflow", "Orders")
	require.Contains(t, h.ends(terminal.ExitNotFound, "secret", "remove", "SHOP", "--workflow", "Orders").err, "there is no such secret")
	require.Contains(t, h.run("workflow", "run", "--repair", "Orders").out, `no secret "SHOP" is bound`)
}

// A secret that was never set is no fault of ours, also where there never was one and so no key: its
// person is told which one, for which host, and how to set it; then the workflow goes on.
func TestTheFirstUseOfASecretThatIsNotSet(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.outside.answer("/me", 200, `{}`)
	h.create("Orders", `async function main() {
		return web.getJSON("BASE/me", { headers: { authorization: "Basic " + btoa("ann:" + secret("SHOP")) } });
	}`)
	first := h.command("workflow", "run", "--repair", "Orders")
	first.Env = append(first.Env, "XDG_CONFIG_HOME="+t.TempDir())
	out, _ := first.CombinedOutput()
	require.Equal(t, terminal.ExitEscalated, first.ProcessState.ExitCode(), "%s", out)
	require.Contains(t, string(out), `no secret "SHOP" is bound to `+h.outside.host())
	require.Equal(t, "waiting", h.object("workflow", "show", "Orders")["status"])
	told := h.ok("notification", "list")
	require.Contains(t, told, "kintsugi secret set SHOP --host "+h.outside.host())
	require.NotContains(t, told, "Kintsugi itself failed")
	set := h.runWith("sesame\n", "secret", "set", "SHOP", "--workflow", "Orders", "--host", h.outside.host())
	require.Contains(t, set.out, "waited for it and is active again")
	h.ok("workflow", "run", "--repair", "Orders")
	require.Equal(t, "Basic "+base64.StdEncoding.EncodeToString([]byte("ann:sesame")), h.outside.authorizations("GET /me")[0])
}

// Only the access that the failed call lacked has a workflow go on, and only that is offered: another secret, one for
// another host and another permission leave it waiting.
func TestOnlyWhatWasMissingReleasesAWorkflow(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.outside.answer("/me", 200, `{}`)
	h.create("Orders", `async function main() {
		await web.getJSON("BASE/me", { headers: { authorization: secret("SHOP") } });
		return web.getJSON("http://127.0.0.1:1/list", { headers: { authorization: secret("LIST") } });
	}`)
	id := h.object("workflow", "show", "Orders")["id"].(string)
	set := func(name, host string) string {
		return h.runWith("sesame\n", "secret", "set", name, "--workflow", "Orders", "--host", host).out
	}
	set("SHOP", h.outside.host())
	require.Regexp(t, `set secret +kintsugi secret set LIST --workflow `+id+` --host 127.0.0.1:1\n +retry +kintsugi run retry `, h.run("workflow", "run", "Orders").out)
	set("LIST", "127.0.0.1:1")
	byHand := h.run("workflow", "run", "Orders").out
	require.Contains(t, byHand, "kintsugi workflow settings "+id+" --allow-host 127.0.0.1:1\n")
	require.Regexp(t, `retry +kintsugi run retry `, byHand)

	require.Equal(t, terminal.ExitEscalated, h.run("workflow", "run", "--repair", "Orders").code)
	told := h.ok("notification", "list")
	require.Contains(t, told, "kintsugi workflow settings "+id+" --allow-host 127.0.0.1:1\n")
	require.NotContains(t, told, "workflow activate", "it would fail again")
	require.NotContains(t, set("SHOP", h.outside.host())+set("LIST", "127.0.0.1:1"), "active again")
	require.NotContains(t, h.ok("workflow", "settings", "Orders", "--allow-host", "127.0.0.1:2"), "active again")
	require.Equal(t, "waiting", h.object("workflow", "show", "Orders")["status"])
	require.Contains(t, h.ok("workflow", "settings", "Orders", "--allow-host", "127.0.0.1:1"), "Workflow "+id+" waited for it and is active again.")
	require.Equal(t, "active", h.object("workflow", "show", "Orders")["status"])

	h.outside.answer("/me", 401, `{"error":"bad token"}`)
	require.Equal(t, terminal.ExitEscalated, h.run("workflow", "run", "--repair", "Orders").code)
	require.NotContains(t, set("LIST", h.outside.host())+set("SHOP", "other.test"), "active again")
	require.Contains(t, set("SHOP", h.outside.host()), "Workflow "+id+" waited for it and is active again.")
}

// A host that a run may not go to is named, with the command that allows it, when a workflow is made and when it is switched on.
func TestRefusedHostsAreNamedWithTheirCommands(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	code := h.file("s.js", `async function main() {
		await web.getJSON("http://10.0.0.5/a");
		await web.getJSON("https://orders.test:8443/b");
		await web.getJSON("https://orders.test/c");
	}`)
	made := h.ok("workflow", "create", "Orders", "--script", code, "--id", "orders", "--draft")
	const private = "A run may not go there yet: 10.0.0.5 is not a public address (10.0.0.0/8, private use, RFC 1918). Allow it: kintsugi workflow settings orders --allow-host 10.0.0.5\n"
	const port = "A run may not go there yet: port 8443 of orders.test is not one of the web's (80 and 443). Allow it: kintsugi workflow settings orders --allow-host orders.test:8443\n"
	require.Contains(t, made, private)
	require.Contains(t, made, port)
	require.Equal(t, 2, strings.Count(made, "A run may not go there yet"))
	h.ok("workflow", "settings", "orders", "--allow-host", "10.0.0.5")
	switched := h.ok("workflow", "activate", "orders")
	require.NotContains(t, switched, private)
	require.Contains(t, switched, port)
}

// The secrets that a script uses and that nobody has set are named, with the command that sets each, when a workflow is made
// and when it is switched on; not those that are set.
func TestUnsetSecretsAreNamedWithTheirCommands(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	code := h.file("s.js", `async function main() {
		await web.getJSON("https://orders.test/a", { headers: { a: secret("SHOP"), b: process.env.PIN } });
	}`)
	made := h.ok("workflow", "create", "Orders", "--script", code, "--id", "orders", "--draft")
	for _, name := range []string{"SHOP", "PIN"} {
		require.Contains(t, made, "The secret "+name+" is not set. Set it: kintsugi secret set "+name+" --workflow orders --host orders.test\n")
	}
	require.Equal(t, terminal.ExitOK, h.runWith("x", "secret", "set", "SHOP", "--all", "--host", "orders.test").code)
	require.Equal(t, terminal.ExitOK, h.runWith("x", "secret", "set", "PIN", "--workflow", "orders", "--host", "elsewhere.test").code)
	on := h.object("workflow", "activate", "orders")["switched_on"].(map[string]any)
	require.Equal(t, []any{map[string]any{
		"name": "PIN", "hosts": []any{"orders.test"}, "command": "secret set PIN --workflow orders --host orders.test",
	}}, on["unset_secrets"], "it is set for another host")
	require.Equal(t, terminal.ExitOK, h.runWith("x", "secret", "set", "PIN", "--workflow", "orders", "--host", "orders.test").code)
	require.NotContains(t, h.ok("workflow", "activate", "orders"), "is not set")
}

// A secret that a person types where it would be kept is refused, and kept nowhere. One that was kept before it
// was a secret no model is told.
func TestASecretThatAPersonTypes(t *testing.T) {
	t.Parallel()
	const value = `typed-"token"-zq7w`
	h := newHome(t)
	h.outside.answer("/me", 200, `{}`)
	h.create("Orders", `async function main(input) { return ask("Which token?"); }`)
	require.Equal(t, terminal.ExitOK, h.runWith(value, "secret", "set", "SHOP", "--all", "--host", "shop.test").code)
	input := `{"token":"` + `typed-\"token\"-zq7w` + `"}`
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "run", "--repair", "Orders", "--input", input).err, "the value of the secret SHOP")
	h.run("workflow", "run", "--repair", "Orders")
	question := h.objects("notification", "list")[0]["id"].(string)
	for _, args := range [][]string{
		{"workflow", "run", "--repair", "Orders", "--detach", "--input", input},
		{"workflow", "send", "Orders", "--input", input},
		{"workflow", "schedule", "Orders", "@daily", "--input", input},
		{"workflow", "settings", "Orders", "--input", input},
		{"workflow", "create", "Other", "--intent", "It is " + value + " there"},
		{"script", "save", "Orders", "--file", h.file("s.js", "function main() { return 'typed-\"token\"-zq7w' }")},
		{"notification", "answer", question, value},
	} {
		refused := h.run(args...)
		require.Equal(t, terminal.ExitUsage, refused.code, "%v: %s%s", args, refused.out, refused.err)
		require.Contains(t, refused.err, "the value of the secret SHOP", args)
		require.NotContains(t, refused.out+refused.err, "zq7w")
	}
	require.NotContains(t, h.ok("history", "Orders", "-o", "jsonl"), "zq7w")
	h.ok("notification", "answer", question, "the usual one")
}

// Every message to a model has handles in the place of secrets.
func TestModelsAreToldNoSecret(t *testing.T) {
	t.Parallel()
	const value = "canary-token-94b2"
	h := newHome(t)
	h.ok("workflow", "create", "W")
	require.Equal(t, terminal.ExitOK, h.runWith(value, "secret", "set", "SHOP", "--all", "--host", "shop.test").code)
	require.Equal(t, terminal.ExitOK, h.runWith("short", "secret", "set", "PIN", "--all", "--host", "shop.test").code)
	cli := terminal.New(strings.NewReader(""), io.Discard, io.Discard)
	cli.DataDir, cli.Store = h.dir, h.store
	require.NoError(t, cli.With(t.Context(), func(n *app.Node) error {
		heard := &hearing{}
		n.UseModel(heard)
		_, err := n.Model.Chat(t.Context(), llm.Request{Messages: []llm.Message{
			{Role: "user", Text: "use " + value + " in short"},
			{Role: "assistant", Calls: []llm.Call{{Tool: "eval", Arguments: `{"code":"` + value + `"}`}}},
		}})
		require.Equal(t, "use {{secret:SHOP}} in short", heard.request.Messages[0].Text)
		require.Equal(t, `{"code":"{{secret:SHOP}}"}`, heard.request.Messages[1].Calls[0].Arguments)
		return err
	}))
}

type hearing struct{ request llm.Request }

func (h *hearing) Name() string { return "hearing" }

func (h *hearing) Chat(_ context.Context, request llm.Request) (llm.Answer, error) {
	h.request = request
	return llm.Answer{}, nil
}

// A server whose key opens no secret says so when it starts, not when a run needs one.
func TestServerTriesItsKey(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--id", "w")
	require.Equal(t, terminal.ExitOK, h.runWith("x", "secret", "set", "S", "--all", "--host", "h").code)
	own := h.dev()
	own.interrupt()
	require.Equal(t, terminal.ExitOK, own.wait())
	require.NotContains(t, own.err.String(), "cannot be read")
	command := h.command("dev")
	command.Env = append(command.Env, app.SecretKeyEnv+"="+base64.StdEncoding.EncodeToString(make([]byte, 32)))
	h.started(command).says("the secrets cannot be read here")
}

func TestSecretsAreRefused(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--id", "w")
	for want, args := range map[string][]string{
		"at least one of the flags":  {"S", "--host", "h"},
		"none of the others can be":  {"S", "--host", "h", "--all", "--workflow", "w"},
		`required flag(s) "host"`:    {"S", "--all"},
		`"https://h" is not a host`:  {"S", "--all", "--host", "https://h"},
		"the value is empty":         {"S", "--all", "--host", "h"},
		`the name "a b" is not made`: {"a b", "--all", "--host", "h"},
	} {
		value := "x"
		if want == "the value is empty" {
			value = "\n"
		}
		r := h.runWith(value, append([]string{"secret", "set"}, args...)...)
		require.Equal(t, terminal.ExitUsage, r.code)
		require.Contains(t, r.err, want)
	}
	require.Contains(t, h.ends(terminal.ExitNotFound, "secret", "set", "S", "--workflow", "none", "--host", "h").err, `no workflow "none"`)
}
