//go:build client

package api_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// These generate and carry the client, in a module of its own: the program does not need them.
const (
	generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
	carrier   = "github.com/oapi-codegen/runtime@v1.8.0"
)

// mainJob makes a workflow, starts it and waits for its end, and knows nothing but the generated client.
const mainJob = `package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"client/client"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	api, err := client.NewClientWithResponses(os.Args[1], client.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Args[2])
		return nil
	}))
	must(err)
	script := "async function main(input) { return {hello: input.name} }"
	made, err := api.CreateWorkflowWithResponse(ctx, nil, client.CreateWorkflowJSONRequestBody{Title: "Made by a client", Script: &script})
	must(err)
	if made.JSON201 == nil {
		must(fmt.Errorf("%s", made.Body))
	}
	started, err := api.StartRunWithResponse(ctx, made.JSON201.Id, nil, client.StartRunJSONRequestBody{Input: map[string]string{"name": "Bo"}})
	must(err)
	if started.JSON201 == nil {
		must(fmt.Errorf("%s", started.Body))
	}
	for range time.Tick(10 * time.Millisecond) {
		run, err := api.GetRunWithResponse(ctx, started.JSON201.Id, nil)
		must(err)
		if run.JSON200 == nil {
			must(fmt.Errorf("%s", run.Body))
		}
		if run.JSON200.Status == "succeeded" {
			fmt.Print(run.JSON200.Output)
			return
		}
	}
}
`

// A client that is generated from the description does the main job.
func TestAGeneratedClientDoesTheMainJob(t *testing.T) {
	t.Parallel()
	s := serve(t)
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	run := func(args ...string) string {
		command := exec.CommandContext(context.WithoutCancel(t.Context()), "go", args...)
		command.Dir, command.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
		out, err := command.CombinedOutput()
		require.NoError(t, err, "go %s: %s", strings.Join(args, " "), out)
		return string(out)
	}
	write("go.mod", "module client\n\ngo 1.26\n")
	write("openapi.json", string(s.ask("", http.MethodGet, "/openapi-3.0.json", nil).body))
	write("client/none", "")
	write("main.go", mainJob)
	run("run", generator, "-generate", "types,client", "-package", "client", "-o", "client/client.go", "openapi.json")
	run("get", carrier)
	require.Contains(t, run("run", ".", s.base, s.admin), "map[hello:Bo]")
}

// Linters of others (Redocly's and Spectral) find nothing to say of the description, in both versions of OpenAPI.
func TestTheirLinterFindsNothing(t *testing.T) {
	t.Parallel()
	s, in := serve(t), installed(t)
	for _, version := range []string{"", "-3.0"} {
		file := filepath.Join(t.TempDir(), "openapi.json")
		require.NoError(t, os.WriteFile(file, s.ask("", http.MethodGet, "/openapi"+version+".json", nil).body, 0o600))
		out, err := nodeIn(t, in, "node_modules/@redocly/cli/bin/cli.js", "lint", "--extends=recommended", "--format=json", file).Output()
		require.NoError(t, err, "%s", out)
		var found struct {
			Totals struct{ Errors, Warnings int }
		}
		require.NoError(t, json.Unmarshal(out, &found), "%s", out)
		require.Zero(t, found.Totals.Errors+found.Totals.Warnings, "%s", out)
		out, err = nodeIn(t, in, "node_modules/@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset=spectral.yaml", "--fail-severity=hint", "--quiet", file).Output()
		require.NoError(t, err, "%s", out)
	}
}

// The clients of this repository are made from what the API says of itself, and do the main job.
func TestOurClientsDoTheMainJob(t *testing.T) {
	t.Parallel()
	s := serve(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../../clients")))
	description := filepath.Join(dir, "openapi.json")
	require.NoError(t, os.WriteFile(description, s.ask("", http.MethodGet, "/openapi.json", nil).body, 0o600))
	run := func(of string, args ...string) string {
		command := exec.CommandContext(context.WithoutCancel(t.Context()), args[0], args[1:]...)
		command.Dir, command.Env = filepath.Join(dir, of), append(os.Environ(), "KINTSUGI="+s.base, "KINTSUGI_TOKEN="+s.admin)
		var said strings.Builder
		command.Stderr = &said
		out, err := command.Output()
		require.NoError(t, err, "%s: %s%s", args, out, said.String())
		return string(out)
	}
	api := run("python", "python3", "generate.py", description)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "python/kintsugi/api.py"), []byte(api), 0o600))
	run("python", "python3", "test_client.py")
	run("typescript", "npx", "openapi-typescript", description, "--alphabetize", "-o", "src/schema.ts")
	run("typescript", "npm", "test")
}

// node runs a program of testdata/clients, with the libraries that its lock file names.
func node(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	return nodeIn(t, installed(t), args...)
}

// installed is a copy of testdata/clients with its libraries.
func installed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("testdata/clients")))
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	install := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	out, err := install.CombinedOutput()
	require.NoError(t, err, "npm ci: %s", out)
	return dir
}

func nodeIn(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), 2*patience)
	t.Cleanup(cancel)
	command := exec.CommandContext(ctx, "node", args...)
	command.Dir, command.Stderr = dir, os.Stderr
	return command
}

// A real EventSource whose connection is cut behind every few events has each of them once, in order, while more of them come.
func TestAnEventSourceThatIsCutMissesNothing(t *testing.T) {
	t.Parallel()
	const changes = 24
	s := serve(t)
	id := s.workflow("Watched", "ann")
	listening := node(t, "live.mjs", s.base, s.admin, id, fmt.Sprint(changes))
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range changes {
			s.ok(http.MethodPatch, "/workflows/"+id, map[string]any{"intent": fmt.Sprint("intent ", i)})
		}
	}()
	out, err := listening.Output()
	require.NoError(t, err)
	<-done
	var heard struct {
		Seen        []string
		Connections int
	}
	require.NoError(t, json.Unmarshal(out, &heard), "%s", out)
	require.Len(t, heard.Seen, changes)
	for i, one := range heard.Seen {
		require.Equal(t, fmt.Sprint("intent: intent ", i), one)
	}
	require.Greater(t, heard.Connections, 5)
	t.Logf("%d events over %d connections", changes, heard.Connections)
}

// The library of Standard Webhooks finds our signatures right, also while the key is changed, and those with another key wrong.
func TestTheirLibraryVerifiesOurSignatures(t *testing.T) {
	t.Parallel()
	s := serve(t)
	receiver := func(key string) (address string, said func() string) {
		command := node(t, "webhook.mjs", key)
		out, err := command.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, command.Start())
		t.Cleanup(func() { _ = command.Process.Kill(); _ = command.Wait() })
		lines := bufio.NewScanner(out)
		require.True(t, lines.Scan())
		return "http://127.0.0.1:" + lines.Text(), func() string { require.True(t, lines.Scan()); return lines.Text() }
	}
	other, wrong := receiver("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	target := func(name, address string) string {
		return s.ok(http.MethodPost, "/subscriptions/"+name, map[string]any{"target": "webhook:" + address, "allow_private": true, "from": "now"}).field(t, "signing_key")
	}
	target("other", other)
	require.Equal(t, "false", s.ok(http.MethodPost, "/subscriptions/other/test", nil).field(t, "delivered"))
	require.Contains(t, wrong(), "wrong")

	// A receiver has to know its key when it starts, so what it is sent goes through one that is told it afterwards.
	relay := http.NewServeMux()
	front := httptest.NewServer(relay)
	t.Cleanup(front.Close)
	key := target("theirs", front.URL)
	address, right := receiver(key)
	behind, err := url.Parse(address)
	require.NoError(t, err)
	relay.Handle("/", httputil.NewSingleHostReverseProxy(behind))
	require.Equal(t, "true", s.ok(http.MethodPost, "/subscriptions/theirs/test", nil).field(t, "delivered"))
	require.Equal(t, "right kintsugi.test", right())
	s.ok(http.MethodPost, "/subscriptions/theirs/rotate-key", nil)
	require.Equal(t, "true", s.ok(http.MethodPost, "/subscriptions/theirs/test", nil).field(t, "delivered"), "the key before signs, too")
	require.Equal(t, "right kintsugi.test", right())
}
