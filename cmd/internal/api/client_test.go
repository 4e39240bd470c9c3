//go:build client

package api_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What generates and carries the client, of a module of its own: the program does not need it.
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
	for {
		run, err := api.GetRunWithResponse(ctx, started.JSON201.Id, nil)
		must(err)
		if run.JSON200 == nil {
			must(fmt.Errorf("%s", run.Body))
		}
		if run.JSON200.Status == "succeeded" {
			fmt.Print(run.JSON200.Output)
			return
		}
		time.Sleep(10 * time.Millisecond)
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
