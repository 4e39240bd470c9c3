package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// elsewhere is a server in a process of its own, and who gives it commands.
type elsewhere struct {
	home       *home
	url, token string
}

// serveRemote starts a server that is given commands by others.
func (h *home) serveRemote(args ...string) *elsewhere {
	h.t.Helper()
	p := h.dev(append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	p.says("/#token=")
	link := regexp.MustCompile(`(https?://[^/\s]+)/#token=(\S+)`).FindStringSubmatch(p.err.String())
	require.NotNil(h.t, link, p.err.String())
	return &elsewhere{home: h, url: link[1], token: link[2]}
}

// process is a command that the server is given, in a process of its own: it sees no data directory.
func (e *elsewhere) process(token, in string, args ...string) result {
	e.home.t.Helper()
	command := e.home.command(args...)
	command.Env = append(slices.DeleteFunc(command.Env, func(one string) bool {
		return strings.HasPrefix(one, "KINTSUGI_DATA_DIR=") || strings.HasPrefix(one, "KINTSUGI_STORE=")
	}), terminal.ServerVariable+"="+e.url, terminal.TokenVariable+"="+token)
	var out, errs bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(in), &out, &errs
	err := command.Run()
	if command.ProcessState == nil {
		require.NoError(e.home.t, err)
	}
	return result{code: command.ProcessState.ExitCode(), out: out.String(), err: errs.String()}
}

func (e *elsewhere) run(args ...string) result {
	e.home.t.Helper()
	return e.process(e.token, "", args...)
}

func (e *elsewhere) ends(code int, args ...string) result {
	e.home.t.Helper()
	r := e.run(args...)
	require.Equal(e.home.t, code, r.code, "kintsugi %v\nstdout: %s\nstderr: %s", args, r.out, r.err)
	return r
}

// Commands that only look give the same on the data directory and through a server: the output, as text and as JSON,
// the errors, and the exit code.
func TestTheSameThroughAServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hold("Held")
	h.mend("Orders")
	h.ok("secret", "set", "KEY", "--all", "--host", "api.example.com", "--file", h.file("key", "s3cret"))
	e := h.serveRemote()
	run := h.objects("run", "list", "--workflow", "Orders")[0]["id"].(string)
	fix := h.objects("fix", "list", "--workflow", "Orders")[0]["proposal"].(string)
	script := h.file("other.js", "function main() { return 1 }")
	input := h.file("input.json", `{"day":"2026-03-01"}`)
	for i, line := range [][]string{
		{"workflow", "list"}, {"workflow", "show", "Orders"}, {"workflow", "show", "Held"}, {"workflow", "settings", "Orders"}, {"workflow", "timeline", "Orders"},
		{"workflow", "keys", "Orders"}, {"workflow", "files", "Orders"}, {"workflow", "schedule", "Orders"}, {"workflow", "trigger", "Orders"}, {"workflow", "drafts"},
		{"workflow", "export", "Orders"}, {"workflow", "what-if", "Orders", "--script", script}, {"workflow", "dry-run", "Orders", "--input", "@" + input, "--reads", "recorded"},
		{"run", "list"}, {"run", "show", run}, {"run", "show", run, "--calls"}, {"run", "logs", run},
		{"script", "list", "Orders"}, {"script", "show", "Orders"}, {"script", "diff", "Orders"}, {"script", "diff", "Orders", "--side-by-side"},
		{"script", "save", "Orders", "--file", script, "--check"},
		{"fix", "list"}, {"fix", "list", "--group"}, {"fix", "show", fix}, {"fix", "thread", fix}, {"fix", "verify", fix},
		{"notification", "list"}, {"inbox", "list", "--all"}, {"effect", "list"}, {"secret", "list"}, {"token", "list"}, {"usage", "list"}, {"usage", "balance", "ann"},
		{"autofix", "status"}, {"history", "Orders"}, {"history", "Orders", "--at", "1.0"}, {"view"}, {"view", "run", "--where", "workflow=x"}, {"export", "Orders"}, {"subscription", "list"},
		// Errors have the same words.
		{"workflow", "show", "nothing"}, {"run", "show", "nothing"}, {"run", "list", "--workflow", "nothing"}, {"script", "show", "Orders", "9.9"},
		{"script", "save", "Orders", "--file", "nowhere.js"}, {"script", "save", "Orders", "--file", h.file("bad.js", "function main( {")}, {"fix", "accept", fix},
		{"workflow", "run", "--repair", "Orders", "--input", "{a}"}, {"workflow", "list", "--status", "happy"}, {"script", "rollback", "Orders", "7.0"},
	} {
		formats := []string{"text", "json"}
		if i >= bothFormats { // each is a process: the others take turns
			formats = formats[i%2:][:1]
		}
		for _, format := range formats {
			args := append(slices.Clone(line), "-o", format)
			here, there := h.run(args...), e.run(args...)
			for _, one := range []*result{&here, &there} { // which is asked a moment later: "10s ago" also widens its column
				one.out = severalSpaces.ReplaceAllString(agoText.ReplaceAllString(one.out, "… ago"), " ")
			}
			require.Equal(t, here, there, "kintsugi %v", args)
		}
	}
}

// bothFormats is how many command lines are compared as text and as JSON.
const bothFormats = 4

var (
	agoText       = regexp.MustCompile(`\d+\w ago|just now`)
	severalSpaces = regexp.MustCompile(` +`)
)

// Commands that change something work through a server: with the files, the input and the name of the person who
// gives the command, and their output files are written on that person's machine.
func TestCommandsThroughAServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	held := h.hold("Held")
	e := h.serveRemote()
	person := e.process(e.token, "", "token", "create", "of-bea", "--person", "bea", "--scope", "read,run,edit,decide", "-o", "json")
	require.Zero(t, person.code, person.err)
	bea := decodeAs[struct{ Token string }](t, person.out).Token
	ok := func(in string, args ...string) string {
		r := e.process(bea, in, args...)
		require.Zero(t, r.code, "kintsugi %v: %s", args, r.err)
		return r.out
	}
	ok("", "workflow", "create", "Echo", "--script", h.file("echo.js", "function main(input) { return input }"), "--input", `{"a": 1}`)
	require.Contains(t, ok("", "workflow", "run", "--repair", "Echo", "--input", "@"+h.file("in.json", `{"b": 2}`)), `{"b":2}`)
	require.Contains(t, ok(`{"c": 3}`, "workflow", "run", "--repair", "Echo", "--input", "-"), `{"c":3}`)
	ok("function main() { return 'second' }", "script", "save", "Echo", "--file", "-", "--comment", "again")
	require.Contains(t, ok("", "workflow", "run", "--repair", "Echo"), "second")
	ok("", "fix", "accept", held)
	bundle, history := filepath.Join(t.TempDir(), "bundle.json"), filepath.Join(t.TempDir(), "history.jsonl")
	require.Equal(t, h.ok("export", "Echo"), ok("", "export", "Echo"))
	require.Contains(t, ok("", "export", "Echo", "--file", bundle), bundle)
	ok("", "workflow", "export", "Echo", "--file", history)
	require.Contains(t, ok("", "import", bundle, "--title", "Copy"), "Imported")
	written, err := os.ReadFile(history)
	require.NoError(t, err)
	require.Equal(t, h.ok("workflow", "export", "Echo"), string(written))
	for _, of := range []string{"Echo", "Copy"} {
		require.Equal(t, "person:bea", h.objects("history", of)[0]["metadata"].(map[string]any)["actor"])
	}
	failing := e.process(bea, "function main() { throw new Error('no') }", "workflow", "create", "Fails", "--script", "-")
	require.Zero(t, failing.code, failing.err)
	r := e.process(bea, "", "workflow", "run", "--repair", "Fails")
	require.Equal(t, terminal.ExitEscalated, r.code)
	require.Contains(t, r.out, "no")
	require.Contains(t, r.err, "MaintenanceEntered", "what happens is told meanwhile")
}

// A command that a token does not allow is refused; nobody elsewhere reaches files of the server's machine.
func TestNothingOfTheServersMachineIsReached(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--script", h.file("s.js", "function main() { return 1 }"))
	e := h.serveRemote()
	token := func(args ...string) string {
		return h.object(append([]string{"token", "create"}, args...)...)["token"].(string)
	}
	reader, gone := token("reader", "--scope", "read"), token("gone")
	h.ok("token", "revoke", "gone")
	for _, test := range []struct {
		token string
		code  int
		says  string
		args  []string
	}{
		{reader, terminal.ExitForbidden, "needs the scope run", []string{"workflow", "run", "--repair", "W"}},
		{reader, terminal.ExitForbidden, "needs the scope edit", []string{"workflow", "pause", "W"}},
		{reader, terminal.ExitForbidden, "needs the scope decide", []string{"fix", "accept", "x"}},
		{reader, terminal.ExitForbidden, "needs the scope admin", []string{"token", "list"}},
		{reader, terminal.ExitOK, "", []string{"workflow", "list"}},
		{gone, terminal.ExitForbidden, "not known here", []string{"workflow", "list"}},
		{"kt_guessed", terminal.ExitForbidden, "not known here", []string{"workflow", "list"}},
		{token("own", "--scope", "read", "--owner", "bea"), terminal.ExitForbidden, "for the workflows of bea only", []string{"repo", "plan", "list"}},
	} {
		r := e.process(test.token, "", test.args...)
		require.Equal(t, test.code, r.code, "%v: %s", test.args, r.err)
		require.Contains(t, r.err, test.says)
	}

	// Somebody who does not use this command line asks for more.
	secret := h.file("secret", "function main() {} // of the server")
	ask := func(request api.CommandRequest) (out, errs string, code int) {
		body, err := json.Marshal(request)
		require.NoError(t, err)
		return e.post(t.Context(), t, body)
	}
	for _, test := range []struct {
		says string
		args []string
	}{
		{"was not sent along", []string{"script", "save", "W", "--file", secret}},
		{"was not sent along", []string{"workflow", "run", "--repair", "W", "--input", "@" + secret}},
		{"was not sent along", []string{"import", secret}},
		{"--data-dir is about the machine of the server", []string{"workflow", "list", "--data-dir", "/"}},
		{"--store is about the machine of the server", []string{"workflow", "list", "--store", "postgres://a"}},
		{"--config is about", []string{"workflow", "list", "--config", secret}},
		{"--llm-key-file is about", []string{"autofix", "status", "--llm-key-file", secret}},
		{"--fixer-command is about", []string{"workflow", "run", "--repair", "W", "--fixer-command", "/bin/id"}},
		{"is about the machine", []string{"store", "backup", filepath.Join(t.TempDir(), "b")}},
		{"is about the machine", []string{"dev"}},
		{"is about the machine", []string{"verify", "--proof", secret}},
		{"is about the machine", []string{"doctor"}},
		{"is about the machine", []string{"context", "list"}},
		{"is about the machine", []string{"mend", secret}},
		{"a program of the server", []string{"subscription", "add", "a", "--to", "exec:/bin/true"}},
	} {
		out, errs, code := ask(api.CommandRequest{Args: test.args})
		require.NotZero(t, code, test.args)
		require.Contains(t, errs, test.says, test.args)
		require.NotContains(t, out+errs, "of the server's", test.args)
		require.Empty(t, out)
	}
	// Completion looks at what is in the log, wherever it is told to look, and at no file.
	for _, args := range [][]string{{"--data-dir", "/", "workflow", "show", ""}, {"workflow", "import", ""}, {"script", "save", "W", "--file", filepath.Dir(secret) + "/"}} {
		out, errs, code := ask(api.CommandRequest{Args: append([]string{"__completeNoDesc"}, args...)})
		require.Zero(t, code, errs)
		require.NotContains(t, out+errs, filepath.Base(secret))
		words, _, _ := strings.Cut(out, ":")
		require.Contains(t, []string{"W\n", ""}, words)
	}
	shown, errs, code := ask(api.CommandRequest{Args: []string{"workflow", "list"}, Width: 60, Colour: true})
	require.Zero(t, code, errs)
	require.Contains(t, shown, "\x1b[", "their terminal has colours")
	for one := range strings.Lines(regexp.MustCompile("\x1b\\[\\d+m").ReplaceAllString(shown, "")) {
		require.LessOrEqual(t, len([]rune(strings.TrimRight(one, " \n"))), 60, "and so many cells")
	}
	out := filepath.Join(t.TempDir(), "out")
	_, errs, code = ask(api.CommandRequest{Args: []string{"export", "W", "--file", out}})
	require.Zero(t, code, errs)
	require.NoFileExists(t, out, "it is for the caller to write")
	for name := range leaves() {
		_, errs, _ := ask(api.CommandRequest{Args: append(strings.Fields(name), "--nothing-of-this-name")})
		require.Contains(t, errs, "unknown flag", name)
	}
}

// post asks without this command line.
func (e *elsewhere) post(ctx context.Context, t *testing.T, body []byte) (out, errs string, code int) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+api.Base+"/command", bytes.NewReader(body))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+e.token)
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	require.NoError(t, err)
	defer func() { _ = answer.Body.Close() }()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	for decoder := json.NewDecoder(answer.Body); ; {
		var chunk api.CommandChunk
		require.NoError(t, decoder.Decode(&chunk))
		out, errs = out+string(chunk.Out), errs+string(chunk.Err)
		if chunk.Exit != nil {
			return out, errs, *chunk.Exit
		}
	}
}

// aboutTheMachine are the commands that no server carries out for somebody elsewhere.
var aboutTheMachine = []string{
	"config print", "config validate", "context add", "context list", "context remove", "context use", "demo", "dev", "doctor", "example", "fix link", "healer invoke", "healer policy", "healer scan", "healer undo", "llm check", "man", "mcp", "new", "edit", "mend",
	"projection build", "projection drop", "projection list", "projection verify", "prove", "repo agents check", "repo agents list", "repo plan add", "repo plan clean", "repo plan draft", "repo plan link", "repo plan schema", "repo plan start", "repo plan take", "replay", "script check", "script import", "script new", "selftest", "serve",
	"store backup", "store checkpoint", "store copy", "store info", "store position", "store proof", "verify", "version", "workflow import",
}

// Every command either says what it needs of somebody elsewhere, or is one of those about the machine. Flags that name files
// are known as such, so that nothing is looked for on the wrong side.
func TestEveryCommandSaysWhereItIsGiven(t *testing.T) {
	t.Parallel()
	var local []string
	for name, command := range leaves() {
		scope := terminal.RemoteScope(command)
		if scope == "" {
			local = append(local, name)
			continue
		}
		require.Contains(t, installation.Scopes(), scope, name)
		reads, writes := terminal.RemoteFlags(command)
		named := append(slices.Clone(reads), writes)
		command.LocalNonPersistentFlags().VisitAll(func(flag *pflag.Flag) {
			if regexp.MustCompile(`standard (in|out)put|\bfile\b|@FILE|a script|the script to`).MatchString(flag.Usage) {
				require.True(t, slices.Contains(named, flag.Name) || slices.Contains(named, "@"+flag.Name), "%s --%s: %s", name, flag.Name, flag.Usage)
			}
		})
		for _, one := range named {
			if one != "" && one != "0" {
				require.NotNil(t, command.LocalNonPersistentFlags().Lookup(strings.TrimPrefix(one, "@")), "%s --%s", name, one)
			}
		}
	}
	require.ElementsMatch(t, aboutTheMachine, local, "say what a new command needs of somebody elsewhere, or name it here")
}

// Ctrl-C ends a command that follows something elsewhere, and the server lets go of it.
func TestCtrlCEndsACommandElsewhere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.outside.hold(t, "/orders")
	h.create("Waits", "function main() { return web.getJSON('BASE/orders') }")
	e := h.serveRemote()
	command := h.command("workflow", "run", "--repair", "Waits", "--server", e.url)
	command.Env = append(command.Env, terminal.TokenVariable+"="+e.token)
	p := h.started(command)
	gate.await(t)
	p.interrupt()
	require.Equal(t, terminal.ExitInterrupted, p.wait(), p.err.String())
	require.Contains(t, p.err.String(), "runs go on")
	gate.release()
	run := h.objects("run", "list")[0]["id"].(string)
	require.Eventually(t, func() bool { return h.object("run", "show", run)["status"] == "succeeded" }, patience, 10*time.Millisecond)
}

// Contexts keep a server and its token, for the person who made them only, and the token goes nowhere else.
func TestContexts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "There")
	e := h.serveRemote()
	config := t.TempDir()
	inside := t.TempDir()
	run := func(in string, args ...string) result {
		command := h.command(args...)
		command.Env = append(slices.DeleteFunc(command.Env, func(one string) bool {
			return strings.HasPrefix(one, "KINTSUGI_DATA_DIR=") || strings.HasPrefix(one, "KINTSUGI_STORE=")
		}), "XDG_CONFIG_HOME="+config)
		command.Dir = inside
		var out, errs bytes.Buffer
		command.Stdin, command.Stdout, command.Stderr = strings.NewReader(in), &out, &errs
		if err := command.Run(); err != nil {
			_, exited := errors.AsType[*exec.ExitError](err)
			require.True(t, exited, err)
		}
		return result{command.ProcessState.ExitCode(), out.String(), errs.String()}
	}
	all := ""
	ends := func(code int, in string, args ...string) result {
		r := run(in, args...)
		require.Equal(t, code, r.code, "%v: %s", args, r.err)
		all += r.out + r.err
		return r
	}
	require.Contains(t, ends(terminal.ExitOK, "", "context", "list").out, "No contexts")
	ends(terminal.ExitUsage, "", "context", "add", "prod", "--url", e.url)
	ends(terminal.ExitUsage, e.token, "context", "add", "https://prod", "--url", e.url)
	ends(terminal.ExitUsage, e.token, "context", "add", "prod", "--url", "prod.example.com")
	ends(terminal.ExitUsage, e.token, "context", "add", "prod", "--url", "https://ann:word@prod.example.com")
	ends(terminal.ExitNotFound, "", "context", "use", "prod")
	ends(terminal.ExitOK, e.token+"\n", "context", "add", "prod", "--url", e.url+"/")
	require.Contains(t, ends(terminal.ExitOK, "", "workflow", "list", "--server", "prod").out, "There")
	ends(terminal.ExitNotFound, "", "workflow", "list", "--server", "other")
	ends(terminal.ExitForbidden, "", "workflow", "list", "--server", e.url) // by its address it is not shown the token of a context
	require.Contains(t, ends(terminal.ExitNotFound, "", "workflow", "list").err, "is not a data directory")
	ends(terminal.ExitOK, "", "context", "use", "prod")
	require.Contains(t, ends(terminal.ExitOK, "", "context", "list").out, "in use")
	require.Contains(t, ends(terminal.ExitOK, "", "workflow", "list").out, "There")
	require.Contains(t, ends(terminal.ExitNotFound, "", "workflow", "list", "--data-dir", "here").err, "is not a data directory", "who names a data directory wants that one")
	require.Contains(t, ends(terminal.ExitUsage, "", "workflow", "list", "--data-dir", "here", "--server", "prod").err, "leave one of them out")
	require.Contains(t, ends(terminal.ExitNotFound, "", "workflow", "list", "--server", "").err, "is not a data directory")
	require.Contains(t, ends(terminal.ExitUsage, "", "verify", "--server", "prod").err, "no server does it for you")
	ends(terminal.ExitOK, "", "version") // is about this machine, whatever is in use
	require.NotContains(t, all, e.token)
	kept := filepath.Join(config, "kintsugi", "contexts.toml")
	info, err := os.Stat(kept)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	ends(terminal.ExitOK, "", "context", "remove", "prod")
	content, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.NotContains(t, string(content), e.token)
	require.Contains(t, ends(terminal.ExitNotFound, "", "workflow", "list").err, "is not a data directory")
	require.NoDirExists(t, filepath.Join(inside, "kintsugi-data"))
}

// A server that is not there, is none, has another version, cannot be trusted, or breaks off is told apart.
func TestAServerThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	answer := func(lines ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set(api.HeaderVersion, "v9")
			for _, line := range lines {
				_, _ = io.WriteString(w, line+"\n")
			}
		}
	}
	seen := make(chan string, 10)
	away := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header.Get("Authorization") }))
	defer away.Close()
	out := filepath.Join(t.TempDir(), "out")
	for name, test := range map[string]struct {
		handler http.HandlerFunc
		code    int
		says    string
	}{
		"none":         {http.NotFound, terminal.ExitUnreachable, "is no server of Kintsugi"},
		"elsewhere":    {http.RedirectHandler(away.URL, http.StatusTemporaryRedirect).ServeHTTP, terminal.ExitUnreachable, "307"},
		"words":        {answer("hello"), terminal.ExitUnreachable, "does not answer as it should"},
		"cut":          {answer(`{"out":"aGk="}`), terminal.ExitUnreachable, "before the command did"},
		"other":        {answer(`{"exit":0}`), terminal.ExitOK, "has version v9 of the program"},
		"another file": {answer(`{"file":"`+out+`","content":"aGk="}`, `{"exit":0}`), terminal.ExitForbidden, "a file that was not named"},
	} {
		server := httptest.NewServer(test.handler)
		e := &elsewhere{home: h, url: server.URL, token: "t"}
		r := e.run("workflow", "list")
		server.Close()
		require.Equal(t, test.code, r.code, "%s: %s", name, r.err)
		require.Contains(t, r.err, test.says, name)
		require.Contains(t, (&elsewhere{home: h, url: server.URL, token: "t"}).ends(terminal.ExitUnreachable, "workflow", "list").err, "refused")
	}
	require.NoFileExists(t, out)
	require.Empty(t, seen, "the token is shown to nobody else")

	secure := httptest.NewTLSServer(answer(`{"out":"aGk="}`, `{"exit":0}`))
	defer secure.Close()
	secure.Config.ErrorLog = nil
	e := &elsewhere{home: h, url: secure.URL, token: "t"}
	require.Contains(t, e.ends(terminal.ExitUnreachable, "workflow", "list").err, "certificate")
	require.Equal(t, "hi", e.ends(terminal.ExitOK, "workflow", "list", "--server-ca", certificateOf(t, secure)).out)
}

func certificateOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.pem")
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	return path
}
