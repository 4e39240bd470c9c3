package automation_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// InProcess reads the time zone of the process.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

var update = flag.Bool("update", false, "record the bundles of testdata/automations again")

// Each bundle is what its automation does today in the real sandbox, with the real tools
// over real HTTP: five successes at least, and a last run that throws.
func TestBundles(t *testing.T) {
	t.Parallel()
	for _, a := range loadAll(t) {
		t.Run(a.Slug, func(t *testing.T) {
			t.Parallel()
			recorded, _ := record(t, a)
			last := len(recorded.Runs) - 1
			for i, run := range recorded.Runs {
				require.Equal(t, i < last, run.Outcome.Status == "succeeded", "%s: %+v", run.ID, run.Outcome)
			}
			require.Equal(t, "logic", recorded.Runs[last].Outcome.Error.Class)
			require.Equal(t, a.Case.Error.Name, recorded.Runs[last].Outcome.Error.Name)

			var text bytes.Buffer
			require.NoError(t, gate.WriteBundle(&text, recorded))
			golden(t, filepath.Join(root, a.Slug, "bundle.json"), text.String())
		})
	}
}

// expectedFile is good/expected.json: what the failed run does after a correct repair.
type expectedFile struct {
	Run      string                `json:"run"`
	Output   json.RawMessage       `json:"output"`
	Writes   []gate.Write          `json:"writes"`
	ByScript map[string]goodScript `json:"by_script"`
}

type goodScript struct {
	// Continuation are the reads outside that the failed run never made.
	Continuation []gate.Call `json:"continuation"`
}

// Every good script does the same on the failed run, live: its outputs and ordered writes
// are those of good/expected.json.
func TestGoodScriptsAgree(t *testing.T) {
	t.Parallel()
	for _, a := range loadAll(t) {
		if a.Case.Expected.Good == "" {
			continue
		}
		t.Run(a.Slug, func(t *testing.T) {
			t.Parallel()
			bundle, before := record(t, a)
			failed := bundle.Runs[len(bundle.Runs)-1]
			expected := expectedFile{Run: failed.ID, ByScript: map[string]goodScript{}}
			for name, code := range scripts(t, a.Slug, "good") {
				outside := serve(t, a)
				run := outside.run(t, code, len(a.Runs)-1, before.Clone())
				require.Equal(t, "succeeded", run.Outcome.Status, "%s: %+v", name, run.Outcome.Error)

				var writes []gate.Write
				script := goodScript{Continuation: []gate.Call{}}
				for _, call := range run.Calls {
					if call.Effect == string(sandbox.Write) {
						writes = append(writes, gate.Write{Tool: call.Tool, Args: call.Args})
					}
					if strings.HasPrefix(call.Tool, "web.") && call.Effect == string(sandbox.Read) && !made(failed.Calls, call) {
						script.Continuation = append(script.Continuation, call)
					}
				}
				expected.ByScript[name] = script
				if expected.Output != nil {
					require.JSONEq(t, string(expected.Output), string(run.Outcome.Output), name)
					require.Equal(t, asText(t, expected.Writes), asText(t, writes), name)
					continue
				}
				expected.Output, expected.Writes = run.Outcome.Output, writes
			}
			golden(t, filepath.Join(root, a.Slug, "good", "expected.json"), asText(t, expected))
		})
	}
}

// record runs an automation on everything in its runs.json, the state of each run handed
// to the next. It also returns the state as it was before the last run.
func record(t *testing.T, a *automation.Automation) (*gate.Bundle, *hostcall.Memory) {
	t.Helper()
	bundle := &gate.Bundle{
		Workflow:  gate.Workflow{Title: a.Title, Intent: a.Intent, Zone: a.Zone},
		Script:    gate.Script{Version: "1.0", Code: a.Code},
		Changelog: []gate.Change{{Version: "1.0", Comment: "first version"}},
	}
	outside := serve(t, a)
	state := &hostcall.Memory{}
	var before *hostcall.Memory
	for i := range a.Runs {
		before = state.Clone()
		bundle.Runs = append(bundle.Runs, outside.run(t, a.Code, i, state))
	}
	return bundle, before
}

// outside is an automation's part of the internet, on this machine.
type outside struct {
	a      *automation.Automation
	server *automation.Server
	base   string
	host   string
}

func serve(t *testing.T, a *automation.Automation) *outside {
	t.Helper()
	server := automation.NewServer()
	web := httptest.NewServer(server)
	t.Cleanup(web.Close)
	u, err := url.Parse(web.URL)
	require.NoError(t, err)
	return &outside{a: a, server: server, base: web.URL, host: u.Host}
}

// run makes run i of the automation with code, and writes it down with the addresses that
// the automation knows. State is changed as the script changes it.
func (o *outside) run(t *testing.T, code string, i int, state *hostcall.Memory) gate.Run {
	t.Helper()
	given := o.a.Runs[i]
	o.server.Answer(given)
	name := fmt.Sprintf("r%d", i+1)

	// Real time is not repeatable, so an answer takes a made-up time: 49 ms, 67 ms, 85 ms …
	var ticks int
	now := given.Clock.UnixMilli()
	host := hostcall.NewHost(&hostcall.Env{
		State:        state,
		AllowedHosts: []string{o.host},
		Now:          func() int64 { return now },
		Clock: func() time.Time {
			ticks++
			return given.Clock.Add(time.Duration(ticks*(ticks+8)) * 9 * time.Millisecond / 2)
		},
	})
	defer host.Close()
	outcome, err := runner(t).Run(t.Context(), sandbox.Execution{
		Code:  o.a.Localize(code, o.base),
		Input: json.RawMessage(o.a.Localize(string(given.Input), o.base)),
		Seed:  name,
		Clock: given.Clock,
		Zone:  o.a.Zone,

		Overlap: true,
	}, sandbox.HostFunc(func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
		reply, err := host.Call(ctx, call)
		now += reply.MS
		return reply, err
	}))
	require.NoError(t, err)

	run := gate.Run{ID: name, Trigger: given.Trigger, Input: given.Input, Clock: given.Clock, Seed: name, Overlap: true}
	for _, line := range outcome.Log {
		run.Log = append(run.Log, gate.LogLine{Level: line.Level, Text: o.global(line.Text)})
	}
	for _, call := range outcome.Calls {
		run.Calls = append(run.Calls, gate.Call{
			Tool:   call.Tool,
			Args:   o.globalJSON(call.Args),
			Effect: string(call.Effect),
			Result: o.globalJSON(call.Result),
			Error:  o.globalError(call.Error),
			MS:     call.MS,
		})
	}
	run.Outcome = gate.Outcome{Status: "succeeded", Output: o.globalJSON(outcome.Output)}
	if outcome.Error != nil {
		run.Outcome = gate.Outcome{Status: "failed", Error: o.globalError(outcome.Error)}
		run.Local = o.local(state)
	}
	return run
}

// global is the other way round from Localize.
func (o *outside) global(text string) string {
	for _, host := range o.a.Hosts() {
		text = strings.ReplaceAll(text, o.base+"/"+host, "https://"+host)
	}
	return text
}

func (o *outside) globalJSON(value json.RawMessage) json.RawMessage {
	if value == nil {
		return nil
	}
	return json.RawMessage(o.global(string(value)))
}

// globalError leaves the stack out: the places in it are those of the localized script.
func (o *outside) globalError(e *sandbox.Error) *gate.Error {
	if e == nil {
		return nil
	}
	return &gate.Error{Class: e.Class, Name: e.Name, Code: e.Code, Message: o.global(e.Message), Status: e.Status, Body: o.global(e.Body)}
}

func (o *outside) local(state *hostcall.Memory) *gate.Local {
	local := &gate.Local{KV: map[string]json.RawMessage{}, Files: map[string]string{}}
	for _, key := range state.Keys("") {
		value, _ := state.KV(key)
		local.KV[key] = o.globalJSON(value)
	}
	for _, name := range state.Files() {
		file, _ := state.File(name)
		local.Files[name] = o.global(file.Text)
	}
	return local
}

func made(calls []gate.Call, call gate.Call) bool {
	return slices.ContainsFunc(calls, func(c gate.Call) bool {
		return c.Tool == call.Tool && string(c.Args) == string(call.Args)
	})
}

func asText(t *testing.T, value any) string {
	t.Helper()
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(value))
	return text.String()
}

// golden compares with a file, or writes it with -update.
func golden(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err, "go test ./internal/measure/automation -update records it")
	require.Equal(t, string(want), text)
}

func runner(t *testing.T) sandbox.Runner {
	t.Helper()
	return process.InProcess{Bindings: hostcall.Bindings()}
}
