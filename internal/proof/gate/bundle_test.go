package gate_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

const goodBundle = `{
 "format": "kintsugi.bundle/1",
 "workflow": {"title": "Report", "intent": "File it.", "zone": "Europe/Amsterdam"},
 "script": {"version": "1.0", "code": "function main() { return 1 }"},
 "changelog": [{"version": "1.0", "comment": "first"}],
 "runs": [
  {"id": "r1", "trigger": "schedule", "input": {"b": 1, "a": 2}, "clock": "2026-03-02T07:00:00Z", "seed": "s",
   "calls": [
    {"tool": "kv.get", "args": ["x"], "effect": "read", "result": null, "ms": 3},
    {"tool": "web.getJSON", "args": ["https://a.test/"], "effect": "read", "error": {"class": "network", "name": "NetworkError", "message": "no", "status": 503, "body": "busy"}}
   ],
   "log": [{"level": "info", "text": "hi"}],
   "outcome": {"status": "succeeded", "output": 1}},
  {"id": "r2", "calls": [], "outcome": {"status": "failed", "error": {"class": "logic", "name": "TypeError", "message": "m", "stack": "s"}},
   "local": {"kv": {"x": [1]}, "files": {"a.txt": "text"}}}
 ]
}`

// corrupt is one change of goodBundle and the field that the error must name. Path is
// empty where only the whole text is wrong.
var corrupt = []struct {
	name, old, new, path string
	schemaCannotTell     bool // uniqueness, time zones and sizes are beyond JSON Schema
}{
	{name: "no format", old: `"format": "kintsugi.bundle/1",`, new: ``, path: "format: is missing"},
	{name: "later format", old: `kintsugi.bundle/1`, new: `kintsugi.bundle/2`, path: `format: version "kintsugi.bundle/2" is not known`},
	{name: "another format", old: `kintsugi.bundle/1`, new: `zip`, path: `format: must be "kintsugi.bundle/1", is "zip"`},
	{name: "format is a number", old: `"kintsugi.bundle/1"`, new: `1`, path: `format: must be a string, is a number`},
	{name: "no workflow", old: `"workflow": {"title": "Report", "intent": "File it.", "zone": "Europe/Amsterdam"},`, new: ``, path: "workflow: is missing"},
	{name: "workflow is null", old: `{"title": "Report", "intent": "File it.", "zone": "Europe/Amsterdam"}`, new: `null`, path: "workflow: must be an object, is null"},
	{name: "no title", old: `"title": "Report", `, new: ``, path: "workflow.title: is missing"},
	{name: "unknown zone", old: `Europe/Amsterdam`, new: `Europe/Nowhere`, path: `workflow.zone: must be an IANA time zone, is "Europe/Nowhere"`, schemaCannotTell: true},
	{name: "code is missing", old: `, "code": "function main() { return 1 }"`, new: ``, path: "script.code: is missing"},
	{name: "code is empty", old: `function main() { return 1 }`, new: ``, path: "script.code: must not be empty"},
	{name: "code is a list", old: `"function main() { return 1 }"`, new: `[]`, path: "script.code: must be a string, is an array"},
	{name: "changelog is an object", old: `[{"version": "1.0", "comment": "first"}]`, new: `{}`, path: "changelog: must be an array, is an object"},
	{name: "change without version", old: `{"version": "1.0", "comment": "first"}`, new: `{"comment": "first"}`, path: "changelog[0].version: is missing"},
	{name: "run without id", old: `{"id": "r2", `, new: `{`, path: "runs[1].id: is missing"},
	{name: "run with empty id", old: `"id": "r2"`, new: `"id": ""`, path: "runs[1].id: must not be empty"},
	{name: "same id twice", old: `"id": "r2"`, new: `"id": "r1"`, path: `runs[1].id: "r1" is also the id of runs[0]`, schemaCannotTell: true},
	{name: "run is a string", old: `"runs": [`, new: `"runs": ["x",`, path: "runs[0]: must be an object, is a string"},
	{name: "clock is no time", old: `2026-03-02T07:00:00Z`, new: `yesterday`, path: `runs[0].clock: must be an RFC 3339 time, is "yesterday"`},
	{name: "seed is a number", old: `"seed": "s"`, new: `"seed": 7`, path: "runs[0].seed: must be a string, is a number"},
	{name: "no calls", old: `"calls": [], `, new: ``, path: "runs[1].calls: is missing"},
	{name: "effect is unknown", old: `"args": ["x"], "effect": "read"`, new: `"args": ["x"], "effect": "x"`, path: `runs[0].calls[0].effect: must be "read" or "write", is "x"`},
	{name: "effect is missing", old: `"args": ["x"], "effect": "read"`, new: `"args": ["x"]`, path: `runs[0].calls[0].effect: is missing`},
	{name: "tool is empty", old: `"kv.get"`, new: `""`, path: "runs[0].calls[0].tool: must not be empty"},
	{name: "args are an object", old: `["x"]`, new: `{"0": "x"}`, path: "runs[0].calls[0].args: must be an array, is an object"},
	{name: "args are missing", old: `"args": ["x"], `, new: ``, path: "runs[0].calls[0].args: is missing"},
	{name: "no answer", old: `"result": null, `, new: ``, path: "runs[0].calls[0]: has neither a result nor an error"},
	{name: "two answers", old: `"effect": "read", "error"`, new: `"effect": "read", "result": 1, "error"`, path: "runs[0].calls[1]: has both a result and an error"},
	{name: "ms is negative", old: `"ms": 3`, new: `"ms": -3`, path: "runs[0].calls[0].ms: must be a whole number from 0, is -3"},
	{name: "ms is text", old: `"ms": 3`, new: `"ms": "3"`, path: "runs[0].calls[0].ms: must be a number, is a string"},
	{name: "unknown class", old: `"class": "network"`, new: `"class": "net"`, path: `runs[0].calls[1].error.class: must be "auth", "permission", "network", "logic", "limit" or "internal", is "net"`},
	{name: "error without name", old: `"name": "NetworkError", `, new: ``, path: "runs[0].calls[1].error.name: is missing"},
	{name: "status is text", old: `"status": 503`, new: `"status": "503"`, path: "runs[0].calls[1].error.status: must be a number, is a string"},
	{name: "unknown level", old: `"level": "info"`, new: `"level": "debug"`, path: `runs[0].log[0].level: must be "info", "warn" or "error", is "debug"`},
	{name: "no outcome", old: `,
   "outcome": {"status": "succeeded", "output": 1}`, new: ``, path: "runs[0].outcome: is missing"},
	{name: "unknown status", old: `"succeeded"`, new: `"ok"`, path: `runs[0].outcome.status: must be "succeeded" or "failed", is "ok"`},
	{name: "failed without error", old: `"succeeded"`, new: `"failed"`, path: `runs[0].outcome.error: is missing, the run failed`},
	{name: "failed with null error", old: `"succeeded"`, new: `"failed", "error": null`, path: `runs[0].outcome.error: is missing, the run failed`},
	{name: "succeeded with error", old: `"status": "failed"`, new: `"status": "succeeded"`, path: "runs[1].outcome.error: must be left out, the run succeeded"},
	{name: "file is no text", old: `"a.txt": "text"`, new: `"a.txt": 1`, path: `runs[1].local.files["a.txt"]: must be a string, is a number`},
	{name: "kv is a list", old: `{"x": [1]}`, new: `[]`, path: "runs[1].local.kv: must be an object, is an array"},
	{name: "local is too large", old: `"a.txt": "text"`, new: `"a.txt": "` + strings.Repeat("x", 1<<20) + `"`, path: "runs[1].local: is larger than 1 MiB", schemaCannotTell: true},
	{name: "bundle is a list", old: goodBundle, new: `[]`, path: "bundle: must be an object, is an array"},
}

// A corrupt bundle is refused with the path of the faulty field, and the schema refuses
// exactly the same bundles as the reader.
func TestCorruptBundleNamesTheField(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t)
	require.NoError(t, schema.Validate(parse(t, []byte(goodBundle))))
	_, err := gate.ReadBundle(strings.NewReader(goodBundle))
	require.NoError(t, err)

	for _, c := range corrupt {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, 1, strings.Count(goodBundle, c.old), "the change must hit one place")
			text := strings.Replace(goodBundle, c.old, c.new, 1)
			_, err := gate.ReadBundle(strings.NewReader(text))
			require.ErrorContains(t, err, c.path)
			if !c.schemaCannotTell {
				require.Error(t, schema.Validate(parse(t, []byte(text))), "the schema accepts what the reader refuses")
			}
		})
	}
}

// Text that is not JSON is refused with line and column.
func TestBundleThatIsNotJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":             {" \n", "bundle is empty"},
		"syntax":            {"{\n \"format\": oops\n}", "not JSON: line 2 column 12"},
		"cut off":           {goodBundle[:200], "unexpected end of JSON input"},
		"trailing garbage":  {goodBundle + "\n{}", "not JSON: line 18 column 1: invalid character '{' after top-level value"},
		"not UTF-8":         {"{\n\"a\": \"\xff\"}", "not UTF-8 at line 2 column 7"},
		"larger than limit": {`{"x":"` + strings.Repeat("x", gate.MaxBundleSize) + `"}`, "larger than 64 MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := gate.ReadBundle(strings.NewReader(c.text))
			require.ErrorContains(t, err, c.want)
		})
	}
}

// All faults are reported at once, up to a bound.
func TestBundleReportsAllFaults(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer(`"Report"`, `1`, `"succeeded"`, `"ok"`).Replace(goodBundle)
	_, err := gate.ReadBundle(strings.NewReader(text))
	require.ErrorContains(t, err, "workflow.title")
	require.ErrorContains(t, err, "runs[0].outcome.status")

	many := strings.Replace(goodBundle, `"runs": [`, `"runs": [`+strings.Repeat("1,", 30), 1)
	_, err = gate.ReadBundle(strings.NewReader(many))
	require.ErrorContains(t, err, "and 20 more faults")
}

// Every bundle in testdata follows the schema, is read, and is written so that it is
// read as the same again.
func TestBundlesInTestdata(t *testing.T) {
	t.Parallel()
	schema := compileSchema(t)
	for _, path := range bundlePaths(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, schema.Validate(parse(t, text)))
			bundle, err := gate.ReadBundle(bytes.NewReader(text))
			require.NoError(t, err)

			var written bytes.Buffer
			require.NoError(t, gate.WriteBundle(&written, bundle))
			require.NoError(t, schema.Validate(parse(t, written.Bytes())))
			again, err := gate.ReadBundle(&written)
			require.NoError(t, err)
			want, err := json.Marshal(bundle)
			require.NoError(t, err)
			got, err := json.Marshal(again)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got))
		})
	}
}

// Values keep the key order in which the script made them, through reading and writing.
func TestBundleKeepsKeyOrder(t *testing.T) {
	t.Parallel()
	bundle, err := gate.ReadBundle(strings.NewReader(goodBundle))
	require.NoError(t, err)
	require.JSONEq(t, `{"b": 1, "a": 2}`, string(bundle.Runs[0].Input))
	var written bytes.Buffer
	require.NoError(t, gate.WriteBundle(&written, bundle))
	require.Less(t, strings.Index(written.String(), `"b": 1`), strings.Index(written.String(), `"a": 2`))
}

// A reader of arbitrary bytes ends with a bundle or an error, and what it accepts it can
// write and read again.
func FuzzReadBundle(f *testing.F) {
	f.Add([]byte(goodBundle))
	f.Add([]byte(`{"format":"kintsugi.bundle/1","runs":[{}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		bundle, err := gate.ReadBundle(bytes.NewReader(text))
		if err != nil {
			return
		}
		var written bytes.Buffer
		require.NoError(t, gate.WriteBundle(&written, bundle))
		_, err = gate.ReadBundle(&written)
		require.NoError(t, err)
	})
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.Join("..", "..", "..", "testdata", "bundle.schema.json"))
	require.NoError(t, err)
	return schema
}

func parse(t *testing.T, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	return value
}

func bundlePaths(t *testing.T) []string {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"cases/*/bundle.json", "automations/*/bundle.json"} {
		found, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", pattern))
		require.NoError(t, err)
		paths = append(paths, found...)
	}
	require.NotEmpty(t, paths)
	return paths
}
