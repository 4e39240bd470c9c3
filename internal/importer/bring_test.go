package importer_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/importer"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// service is a small shop that scripts talk to over real HTTP.
func service(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		switch r.URL.Path {
		case "/orders":
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `[{"id":1,"total":"10.10","customer":"Ann"},{"id":2,"total":"20.20","customer":"Bob"},{"id":3,"total":"0.70","customer":"Ann"}]`)
		case "/echo":
			w.Header().Set("Content-Type", "application/json")
			_ = json.NewEncoder(w).Encode(map[string]string{"method": r.Method, "query": r.URL.RawQuery, "type": r.Header.Get("Content-Type"), "key": r.Header.Get("X-Key"), "body": string(body)})
		case "/feed":
			_, _ = io.WriteString(w, `<rss version="2.0"><channel><title>News</title><item><title>One</title><link>https://a.test/1</link></item></channel></rss>`)
		default:
			http.Error(w, "nothing here", http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

// host answers calls: the web for real, keys and files from memory.
type host struct {
	mu      sync.Mutex
	kv      map[string]json.RawMessage
	files   map[string]string
	notices []string
}

func (h *host) Call(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var args []json.RawMessage
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return sandbox.Reply{}, err
	}
	text := func(i int) (s string) {
		if i < len(args) {
			_ = json.Unmarshal(args[i], &s)
		}
		return s
	}
	result := func(value any) (sandbox.Reply, error) {
		raw, err := json.Marshal(value)
		return sandbox.Reply{Result: raw, MS: 1}, err
	}
	switch call.Tool {
	case "kv.get":
		if value, ok := h.kv[text(0)]; ok {
			return sandbox.Reply{Result: value}, nil
		}
		return result(nil)
	case "kv.set":
		h.kv[text(0)] = args[1]
		return result(nil)
	case "files.write":
		h.files[text(0)] = text(1)
		return result(nil)
	case "files.append":
		h.files[text(0)] += text(1)
		return result(nil)
	case "files.read", "files.stat":
		content, ok := h.files[text(0)]
		if !ok {
			return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "there is no file " + text(0)}}, nil
		}
		if call.Tool == "files.stat" {
			return result(map[string]any{"size": len(content), "modified": "2026-03-01T00:00:00.000Z"})
		}
		return result(content)
	case "notify":
		h.notices = append(h.notices, text(0)+": "+text(1))
		return result(nil)
	case "web.fetch":
		return h.fetch(ctx, text(0), args, result)
	}
	return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "no " + call.Tool}}, nil
}

func (h *host) fetch(ctx context.Context, url string, args []json.RawMessage, result func(any) (sandbox.Reply, error)) (sandbox.Reply, error) {
	options := struct {
		Method, Body string
		Headers      map[string]string
	}{Method: http.MethodGet}
	if len(args) > 1 {
		if err := json.Unmarshal(args[1], &options); err != nil {
			return sandbox.Reply{}, err
		}
	}
	request, err := http.NewRequestWithContext(ctx, options.Method, url, strings.NewReader(options.Body))
	if err != nil {
		return sandbox.Reply{}, err
	}
	for name, value := range options.Headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassNetwork, Name: "NetworkError", Message: err.Error()}}, nil
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return sandbox.Reply{}, err
	}
	return result(map[string]any{"status": response.StatusCode, "headers": map[string]string{"content-type": response.Header.Get("Content-Type")}, "body": string(body)})
}

// Rule: what comes from elsewhere runs here as it ran there, with what it talks to for real, and what of it could
// not be brought is said with its line.
func TestScriptsFromElsewhere(t *testing.T) {
	t.Parallel()
	server := service(t)
	files, err := filepath.Glob("testdata/*/*")
	require.NoError(t, err)
	require.Len(t, files, 16)
	want := map[string]struct {
		Input  json.RawMessage
		Output json.RawMessage
		Notes  []string
		Seen   []string // notices, and files as name=content
	}{}
	text, err := os.ReadFile("testdata/expected.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &want))
	for _, file := range files {
		name := strings.TrimPrefix(file, "testdata/")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			brought, err := importer.Script(filepath.Base(filepath.Dir(file)), strings.ReplaceAll(string(text), "BASE", server.URL))
			require.NoError(t, err)
			require.NoError(t, process.Check(brought.Script), brought.Script)
			require.NoError(t, hostcall.Lint(brought.Script), brought.Script)
			expected := want[name]
			h := &host{kv: map[string]json.RawMessage{"properties/script/SHEET": json.RawMessage(`"abc"`), "resources/u/ann/shop": json.RawMessage(`{"key":"k1"}`)}, files: map[string]string{"in.txt": "a\nb\n"}}
			x := sandbox.Execution{Code: brought.Script, Input: expected.Input, Seed: "s", Clock: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), Zone: "Europe/Berlin"}
			outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), x, h)
			require.NoError(t, err)
			require.Nil(t, outcome.Error, "%+v\n%s", outcome.Error, brought.Script)
			have := strings.ReplaceAll(string(outcome.Output), server.URL, "BASE")
			seen := h.notices
			for name, content := range h.files {
				if name != "in.txt" {
					seen = append(seen, name+"="+content)
				}
			}
			var notes []string
			for _, note := range brought.Notes {
				notes = append(notes, note.Fate+": "+note.Text)
			}
			t.Log(have, seen, strings.Join(notes, "\n"), string(brought.Input))
			require.JSONEq(t, string(expected.Output), have)
			require.ElementsMatch(t, expected.Seen, seen)
			for _, part := range expected.Notes {
				require.Contains(t, strings.Join(notes, "\n")+string(brought.Input), part)
			}
		})
	}
}

// Rule: a node of n8n does here what it did there, or the script stops at it, and each member that is not understood is
// named.
func TestNodesOfN8N(t *testing.T) {
	t.Parallel()
	server := service(t)
	two := func(parameters string) string {
		return `{"name":"A","type":"n8n-nodes-base.code","parameters":{"jsCode":"return [{json:{id:1,a:1}},{json:{id:3,a:3}}]"}},{"name":"B","type":"n8n-nodes-base.code","parameters":{"jsCode":"return [{json:{id:2,b:2}}]"}},
			{"name":"M","type":"n8n-nodes-base.merge","parameters":` + parameters + `}],"connections":{"B":{"main":[[{"node":"M","index":1}]]},"A":{"main":[[{"node":"M","index":0}]]}}`
	}
	one := func(node string) string { return `{"name":"N",` + node + `}],"connections":{}` }
	for nodes, want := range map[string]string{
		one(`"type":"n8n-nodes-base.functionItem","parameters":{"functionCode":"item.f = item.celsius * 9 / 5 + 32; return item;"}`):                                                                 `[{"celsius":20,"f":68},{"celsius":0,"f":32}]`,
		one(`"type":"n8n-nodes-base.code","parameters":{"jsCode":"const items = $input.all();\nreturn items.slice(1);"}`):                                                                            `[{"celsius":0}]`,
		one(`"type":"n8n-nodes-base.code","parameters":{"jsCode":"results = []; for (one of $input.all()) results.push({ json: { c: one.json.celsius } }); return results"}`):                        `[{"c":20},{"c":0}]`,
		one(`"type":"n8n-nodes-base.function","parameters":{"functionCode":"const s = getWorkflowStaticData('global'); s.n = (s.n || 0) + 1; return [{ json: s }]"}`):                                `[{"n":1}]`,
		one(`"type":"n8n-nodes-base.code","executeOnce":true,"parameters":{"mode":"runOnceForEachItem","jsCode":"return $json"}`):                                                                    `[{"celsius":20}]`,
		one(`"type":"n8n-nodes-base.httpRequest","typeVersion":4.2,"executeOnce":true,"onError":"continueRegularOutput","parameters":{"url":"BASE/none"}`):                                           `[{"error":"Request failed with status code 404"}]`,
		one(`"type":"n8n-nodes-base.code","continueOnFail":true,"retryOnFail":true,"maxTries":2,"parameters":{"jsCode":"$getWorkflowStaticData('global').n = 1; throw new Error('no')"}`):            `[{"error":"no"}]`,
		one(`"type":"n8n-nodes-base.code","alwaysOutputData":true,"parameters":{"jsCode":"return []"}`):                                                                                              `[{}]`,
		one(`"type":"n8n-nodes-base.httpRequest","typeVersion":4.2,"executeOnce":true,"parameters":{"url":"BASE/none","options":{"response":{"response":{"neverError":true,"fullResponse":true}}}}`): `"statusCode":404`,
		one(`"type":"n8n-nodes-base.set","executeOnce":true,"parameters":{"assignments":{"assignments":[{"name":"n","value":"={{ $json.celsius + '1' }}","type":"number"}]},"options":{}}`):          `[{"n":201}]`,
		two(`{}`): `[{"a":1,"id":1},{"a":3,"id":3},{"b":2,"id":2}]`,
		two(`{"mode":"combine","combineBy":"combineByPosition","options":{}}`):                                  `[{"a":1,"b":2,"id":2}]`,
		two(`{"mode":"combine","combinationMode":"multiplex"}`):                                                 `[{"a":1,"b":2,"id":2},{"a":3,"b":2,"id":2}]`,
		two(`{"mode":"chooseBranch","output":"input2"}`):                                                        `[{"b":2,"id":2}]`,
		two(`{"mode":"passThrough"}`):                                                                           `[{"a":1,"id":1},{"a":3,"id":3}]`,
		two(`{"mode":"combine","fieldsToMatchString":"id"}`):                                                    "its parameter fieldsToMatchString is not understood",
		two(`{"mode":"combineBySql","query":"x"}`):                                                              "its mode combineBySql is not there",
		two(`{"mode":"mergeByIndex"}`):                                                                          "its parameter join is left, which is not there",
		one(`"type":"n8n-nodes-base.code","onError":"continueErrorOutput","parameters":{"jsCode":"return []"}`): `[]`,
		one(`"type":"n8n-nodes-base.code","rewireOutput":{"a":1},"parameters":{"jsCode":"return []"}`):          "its member rewireOutput is not understood",
		one(`"type":"n8n-nodes-base.httpRequest","typeVersion":4.2,"parameters":{"url":"BASE/orders","options":{"pagination":{"pagination":{"mode":"x"}},"batching":{"batch":{"batchSize":1}}}}`):                 "its parameter options.pagination is not understood",
		one(`"type":"n8n-nodes-base.httpRequest","typeVersion":4.2,"parameters":{"url":"BASE/orders","sendBody":true,"contentType":"multipart-form-data"}`):                                                       "its body is multipart-form-data, which is not there",
		one(`"type":"n8n-nodes-base.set","typeVersion":3.4,"parameters":{"mode":"raw","jsonOutput":"={\"a\": {{ $json.celsius }} }"}`):                                                                            `[{"a":20},{"a":0}]`,
		one(`"type":"n8n-nodes-base.set","typeVersion":3.4,"parameters":{"assignments":{"assignments":[{"name":"a.b","value":"1","type":"number"},{"name":"n","value":"={{ $json.no.way }}","type":"string"}]}}`): `[{"a":{"b":1},"n":null},{"a":{"b":1},"n":null}]`,
		one(`"type":"n8n-nodes-base.set","typeVersion":1,"parameters":{"values":{"string":[{"name":"a.b","value":"=x{{ $json.none.x }}y"}]}}`):                                                                    `[{"celsius":20,"a":{"b":"xy"}},{"celsius":0,"a":{"b":"xy"}}]`,
		one(`"type":"n8n-nodes-base.set","typeVersion":3.4,"parameters":{"includeOtherFields":true,"include":"except","excludeFields":"celsius","assignments":{"assignments":[]}}`):                               `[{},{}]`,
		one(`"type":"n8n-nodes-base.if","parameters":{"surprise":1}`):                                                                                "its parameter surprise is not understood",
		one(`"type":"n8n-nodes-base.if","parameters":{"simple":false}`):                                                                              "its parameter simple is not understood",
		one(`"type":"n8n-nodes-base.if","parameters":{"conditions":{"number":[{"value1":"={{ $json.celsius }}","operation":"larger","value2":5}]}}`): `[{"celsius":20}]`,
		one(`"type":"n8n-nodes-base.filter","typeVersion":2,"parameters":{"conditions":{"options":{"caseSensitive":true,"typeValidation":"strict","version":2},"combinator":"and","conditions":[{"id":"1","leftValue":"={{ $json.celsius }}","rightValue":"5","operator":{"type":"number","operation":"lt"}}]}}`): "TypeError",
	} {
		brought, err := importer.Script("n8n", `{"nodes":[`+strings.ReplaceAll(nodes, "BASE", server.URL)+`}`)
		require.NoError(t, err, nodes)
		require.NoError(t, process.Check(brought.Script), brought.Script)
		require.NoError(t, hostcall.Lint(brought.Script), brought.Script)
		h := &host{kv: map[string]json.RawMessage{}, files: map[string]string{}}
		outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Code: brought.Script, Input: json.RawMessage(`[{"celsius":20},{"celsius":0}]`), Seed: "s", Clock: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}, h)
		require.NoError(t, err)
		switch {
		case want == "TypeError": // a text is no number where types are strict
			require.NotNil(t, outcome.Error, nodes)
			require.Contains(t, outcome.Error.Message, "Wrong type: '5' is a string but was expecting a number")
		case strings.HasPrefix(want, "["):
			require.Nil(t, outcome.Error, "%+v\n%s", outcome.Error, brought.Script)
			require.JSONEq(t, want, string(outcome.Output), nodes)
		case strings.HasPrefix(want, `"`):
			require.Contains(t, string(outcome.Output), want, nodes)
		default:
			var impossible []string
			for _, note := range brought.Notes {
				if note.Fate == importer.Impossible {
					impossible = append(impossible, note.Text)
				}
			}
			require.Equal(t, []string{want + ": the script stops here, until you write what it did"}, impossible)
			require.NotNil(t, outcome.Error, nodes)
			require.Contains(t, outcome.Error.Message, "was not brought")
		}
	}
}

// Rule: a module that is not there is told with what is in its place, wherever the script comes from.
func TestMissingModules(t *testing.T) {
	t.Parallel()
	for kind, text := range map[string]string{
		"n8n":      "const axios = require('axios')\nreturn $('Orders').all()",
		"windmill": "import axios from 'axios'\nimport { DateTime } from 'luxon'\nexport async function main(a: string) {}",
		"node":     "const axios = require('axios'), fs = require('node:fs')\nasync function main() {}\nmain()",
	} {
		brought, err := importer.Script(kind, text)
		require.NoError(t, err)
		var missing []importer.Note
		for _, note := range brought.Notes {
			if note.Fate == importer.Impossible {
				missing = append(missing, note)
			}
		}
		require.Equal(t, []importer.Note{{Fate: importer.Impossible, Line: 1, Text: `there is no module "axios"; use web.fetch, web.getJSON or web.postJSON`}}, missing, kind)
	}
}

// Rule: what is no such script is refused with what is missing.
func TestAScriptThatIsNoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, one := range [][3]string{
		{"n8n", `{"a":1}`, "it has no nodes"},
		{"n8n", `{"nodes":[{"name":"A","type":"x.noOp"},{"name":"B","type":"x.noOp"}],"connections":{"A":{"main":[[{"node":"B"}]]},"B":{"main":[[{"node":"A"}]]}}}`, "in a circle, and none of them begins"},
		{"windmill", "function main() {}", "no export async function main"},
		{"windmill", "export async function main({ a, b }: X) {}", "has no name"},
		{"windmill", "export async function main(a: string", "have no end"},
		{"apps-script", "var x = 1", "no function at the top level"},
		{"cobol", "x", "none of n8n"},
	} {
		_, err := importer.Script(one[0], one[1])
		require.ErrorContains(t, err, one[2])
	}
}
