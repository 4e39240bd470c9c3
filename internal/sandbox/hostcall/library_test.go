package hostcall_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// noting notes which calls were made after which mark.
type noting struct {
	mu   sync.Mutex
	at   string
	made map[string][]string
	args map[string]string
}

func (n *noting) Call(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	args := []any{""}
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return sandbox.Reply{}, err
	}
	if mark, ok := args[0].(string); ok && call.Tool == "kv.get" && strings.HasPrefix(mark, "mark ") {
		n.at = strings.TrimPrefix(mark, "mark ")
		n.made[n.at] = append(n.made[n.at], "")
		return sandbox.Reply{Result: json.RawMessage(`null`)}, nil
	}
	n.made[n.at] = append(n.made[n.at], call.Tool)
	if n.args != nil {
		n.args[call.Tool] = string(call.Args)
	}
	result := map[string]string{
		"web.fetch": `{"status":200,"headers":{},"body":""}`, "kv.list": `["properties/script/a"]`, "files.list": `["a"]`, "files.read": `"a"`,
		"files.stat": `{"size":1,"modified":"2026-03-01T00:00:00.000Z"}`,
	}[call.Tool]
	if result == "" {
		result = "null"
	}
	return sandbox.Reply{Result: json.RawMessage(result)}, nil
}

// Rule: readers of scripts may rely on what a library declares about its names: none makes a call that it does not
// declare, and each makes those that it does.
func TestLibrariesCallWhatTheySay(t *testing.T) {
	t.Parallel()
	const visit = `
const seen = new Set(), names = new Set();
async function visit(value, depth) {
  if (value === null || typeof value !== 'object' && typeof value !== 'function' || seen.has(value) || depth > 4) return;
  seen.add(value);
  for (const name of Object.getOwnPropertyNames(value)) {
    let member;
    try { member = value[name]; } catch { continue; }
    if (typeof member !== 'function') { await visit(member, depth + 1); continue; }
    if (names.has(name)) continue;
    names.add(name);
    for (const given of [['https://a.test/x', 'y', 'z'], [{ url: 'https://a.test/x', subject: 's', to: 't' }], [['https://a.test/x']], ['n', [], () => ({ url: 'https://a.test/x' })]]) {
      let got;
      await kv.get('mark ' + name);
      try { got = member.apply(value, given); await got; } catch {}
      await kv.get('mark ');
      await visit(got, depth + 1);
    }
  }
}
`
	for _, library := range engine.Libraries() {
		if len(library.Calls) == 0 || library.Name == "node/process" {
			continue
		}
		body := "async function main() { await visit(require('kintsugi:" + library.Name + "'), 0); }"
		if library.Name == "n8n" {
			body = "async function main() { const n = require('kintsugi:n8n').begin([1]); await visit(n, 0); await n.code('a', [], false, (c) => { delete c.$; delete c.$node; return visit(c, 0); }); " +
				"for (const name of ['request', 'mail']) { await kv.get('mark ' + name); const w = require('kintsugi:n8n').workflow([1]); w[name]('n', [], () => ({ url: 'https://a.test/x', to: [], subject: 's', text: '' })); try { await w.run(); } catch {} await kv.get('mark '); } }"
		}
		host := &noting{made: map[string][]string{}}
		outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient, Code: visit + body, Seed: "s", Clock: time.UnixMilli(nowMS)}, host)
		require.NoError(t, err)
		require.Nil(t, outcome.Error, "%s: %+v", library.Name, outcome.Error)
		delete(host.made, "")
		for name, made := range host.made {
			says := library.Calls[name].Tool
			for _, called := range made {
				if called == "" || called == says {
					continue
				}
				declared, known := hostcall.Lookup(called)
				require.True(t, known && declared.Harmless() && says != "", "%s of %s calls %s, and says %q", name, library.Name, called, says)
			}
			later := library.Calls[name].Gives && library.Calls[name].Asks != "" // what it gives makes the call
			if says != "" && says != "secret" && library.Name != "n8n" && !later {
				require.Contains(t, made, says, "%s of %s", name, library.Name)
			}
		}
		for name, reach := range library.Calls {
			if strings.HasPrefix(library.Name, "node/fs") || reach.Tool == "" {
				continue
			}
			require.Contains(t, host.made, name, "%s has no %s", library.Name, name)
		}
	}
}

// Rule: through a library a script comes no further than by the calls themselves: not out of its folder, not to
// what the machine has in its environment, and not to another request than it was said by a prototype.
func TestLibrariesReachNoFurther(t *testing.T) {
	t.Parallel()
	run := func(body string) sandbox.Outcome {
		host := hostcall.NewHost(&hostcall.Env{State: &hostcall.Memory{}, Now: func() int64 { return nowMS }})
		defer host.Close()
		outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient,
			Code: "async function main() {" + body + "\n}", Seed: "s", Clock: time.UnixMilli(nowMS),
		}, host)
		require.NoError(t, err)
		return outcome
	}
	for _, path := range []string{"/etc/passwd", "../../etc/passwd", "./../x", "a/../../x", "a/..//../x", "\\u0000", "..", "%2e%2e/x/../../y"} {
		for _, call := range []string{"readFileSync('%')", "writeFileSync('%', 'x')", "appendFileSync('%', 'x')", "rmSync('%')", "statSync('%')"} {
			outcome := run("require('fs')." + strings.ReplaceAll(call, "%", path))
			require.NotNil(t, outcome.Error, "%s of %s", call, path)
			require.NotContains(t, string(outcome.Output), "root:")
		}
	}
	for _, given := range []string{"process.env.PATH", "require('process').env.PATH", "require('kintsugi:n8n').begin([]).code('a', [], false, (c) => ({ json: { a: c.$env.PATH } }))"} {
		outcome := run("return JSON.stringify(await " + given + ")")
		require.Nil(t, outcome.Error, "%s: %+v", given, outcome.Error)
		require.Contains(t, string(outcome.Output), "{{secret:PATH}}", given)
	}
	polluted := &noting{made: map[string][]string{}, args: map[string]string{}}
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient, Code: `
async function main() {
  Object.prototype.method = 'delete'; Object.prototype.payload = 'x';
  String.prototype.toUpperCase = () => 'DELETE';
  const { UrlFetchApp } = require('kintsugi:apps-script');
  UrlFetchApp.fetch('https://a.test/x');
  UrlFetchApp.fetch('https://a.test/x', { __proto__: { method: 'delete' } });
  await fetch('https://a.test/x');
  await fetch('https://a.test/x', {});
  await fetch(new Request('https://a.test/x'));
  require('https').get('https://a.test/x');
}`, Seed: "s", Clock: time.UnixMilli(nowMS)}, polluted)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	require.Equal(t, map[string]string{"web.fetch": `["https://a.test/x"]`}, polluted.args)
}
