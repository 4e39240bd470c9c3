package hostcall

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The text of a refusal is all that a script's author gets: it names the tool, the
// argument and what it should have been.
func TestValidateSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	tests := []struct{ tool, args, want string }{
		{"web.getJSON", `["https://a.test"]`, ``},
		{"web.getJSON", `["https://a.test",null]`, ``},
		{"web.getJSON", `["https://a.test",{"headers":{"A":"b","C":1},"timeoutMs":5}]`, ``},
		{"web.getJSON", " [ \"u\" ,\n{ \"headers\" : { \"A\" : \"b\" , \"C\": \"]}\\\"\" } , \"timeoutMs\":\t5 } ] ", ``},
		{"web.fetch", `["u",{"\u006dethod":"p\u006fst"}]`, ``},
		{"web.getJSON", `["\u0061"]`, ``},
		{"web.getJSON", `["\ud83d\ude00"]`, ``},
		{"web.getJSON", `["u",[]] x`, `web.getJSON: the arguments are not a JSON array`},
		{"web.getJSON", `"u"`, `web.getJSON: the arguments are not a JSON array`},
		{"web.getJSON", ``, `web.getJSON: the arguments are not a JSON array`},
		{"web.getJSON", `[]`, `web.getJSON: argument 1 (url) is missing`},
		{"web.getJSON", `[7]`, `web.getJSON: argument 1 (url) must be a string`},
		{"web.getJSON", `[null]`, `web.getJSON: argument 1 (url) must be a string`},
		{"web.getJSON", `[""]`, `web.getJSON: argument 1 (url) must not be empty`},
		{"web.getJSON", `["u",0,["u"]]`, `web.getJSON: takes at most 2 arguments, got 3`},
		{"web.getJSON", `["u",0]`, `web.getJSON: argument 2 (options) must be an object or null`},
		{"web.getJSON", `["u",{"method":"POST"}]`, `web.getJSON: argument 2 (options) has no option "method"; it has headers, timeoutMs`},
		{"web.getJSON", `["u",{"timeoutMs":"5"}]`, `web.getJSON: argument 2 (options).timeoutMs must be a whole number or null`},
		{"web.getJSON", `["u",{"timeoutMs":1.5}]`, `web.getJSON: argument 2 (options).timeoutMs must be a whole number or null`},
		{"web.getJSON", `["u",{"timeoutMs":0}]`, `web.getJSON: argument 2 (options).timeoutMs must be at least 1`},
		{"web.getJSON", `["u",{"timeoutMs":1}]`, ``},
		{"web.getJSON", `["u",{"timeoutMs":120000}]`, ``},
		{"web.getJSON", `["u",{"timeoutMs":120001}]`, `web.getJSON: argument 2 (options).timeoutMs must be at most 120000`},
		{"web.getJSON", `["u",{"timeoutMs":1e999}]`, `web.getJSON: argument 2 (options).timeoutMs must be a whole number or null`},
		{"web.getJSON", `["u",{"headers":{"B":true,"A":[]}}]`, `web.getJSON: argument 2 (options).headers.B must be a string or a number`},
		{"web.fetch", `["u",{"method":"FETCH"}]`,
			`web.fetch: argument 2 (options).method must be one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, get, head, post, put, patch, delete, options`},
		{"web.fetch", `["u",{"body":{}}]`, `web.fetch: argument 2 (options).body must be a string or null`},
		{"web.postJSON", `["u",{"any":["thing"]},{"effect":"none"}]`, `web.postJSON: argument 3 (options).effect must be one of read, write`},
		{"kv.set", `["k"]`, `kv.set: argument 2 (value) is missing`},
		{"kv.set", `["` + strings.Repeat("é", 512) + `",1]`, ``},
		{"kv.set", `["` + strings.Repeat("é", 513) + `",1]`, `kv.set: argument 1 (key) must be at most 512 characters, got 513`},
		{"files.write", `["p",{}]`, `files.write: argument 2 (text) must be a string`},
		{"notify", `["t"]`, ``},
		{"notify", `["` + strings.Repeat("t", 201) + `"]`, `notify: argument 1 (title) must be at most 200 characters, got 201`},
		{"ask", `["q",{"options":["a",1]}]`, `ask: argument 2 (options).options[1] must be a string`},
		{"ask", `["q",{"options":[` + strings.Repeat(`"a",`, 50) + `"a"]}]`, `ask: argument 2 (options).options must have at most 50 items, got 51`},
		{"ask", `["q",{"default":{"any":1},"timeoutMs":null}]`, ``},
	}
	for _, test := range tests {
		err := validate(test.tool, json.RawMessage(test.args))
		if test.want == "" {
			require.NoError(t, err, test.args)
			continue
		}
		require.EqualError(t, err, test.want)
	}
}

// Every schema is a JSON schema that other programs can read, and means to them what it
// means here: the small validator agrees with a complete one on whatever a script passes.
func TestValidateAgreesWithJSONSchema(t *testing.T) {
	t.Parallel()
	for _, declared := range All() {
		complete := completeValidator(t, declared)
		t.Run(declared.Name, func(t *testing.T) {
			t.Parallel()
			accepted := 0
			rapid.Check(t, func(t *rapid.T) {
				args := drawArgs(t, declared)
				ours, theirs := validate(declared.Name, args), accepts(t, complete, args)
				require.Equal(t, theirs == nil, ours == nil, "%s%s: ours: %v, theirs: %v", declared.Name, args, ours, theirs)
				if ours == nil {
					accepted++
				}
			})
			require.NotZero(t, accepted, "the test never drew arguments that fit")
		})
	}
}

// exactNumber finds numbers that a float may not hold.
var exactNumber = regexp.MustCompile(`[0-9.]{16}|[0-9][eE]`)

func FuzzValidate(f *testing.F) {
	complete := map[string]*jsonschema.Schema{}
	for _, declared := range All() {
		complete[declared.Name] = completeValidator(f, declared)
		f.Add(declared.Name, `["a",{"headers":{"A":"b"},"timeoutMs":5,"method":"GET","effect":"read"}]`)
		f.Add(declared.Name, `["a","b"]`)
	}
	f.Fuzz(func(t *testing.T, name, args string) {
		schema, ok := complete[name]
		if !ok {
			require.Error(t, validate(name, []byte(args)))
			return
		}
		ours := validate(name, []byte(args))
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(args))
		if err != nil {
			require.Error(t, ours)
			return
		}
		if exactNumber.MatchString(args) {
			return // numbers are floats here, as they are in scripts
		}
		theirs := schema.Validate(value)
		if ours == nil {
			require.NoError(t, theirs)
		}
		// If a key comes twice, their validator checks one value and ours both: no script can make such a value.
		plain, err := json.Marshal(value)
		require.NoError(t, err)
		require.Equal(t, theirs == nil, validate(name, plain) == nil, "%s", plain)
	})
}

// A keyword that the small validator does not know would be no check at all.
func TestCompileSchemaRefusesUnknownKeywords(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{
		`{"pattern": "^a"}`, `{"prefixItems": [{"multipleOf": 2}]}`, `{"properties": {"a": {"not": {}}}}`,
		`{"additionalProperties": {"format": "date"}}`, `{"type": 1}`, `{`,
	} {
		require.Panics(t, func() { compileSchema(Tool{Name: "x", Schema: schema}) }, schema)
	}
}

func completeValidator(t testing.TB, declared Tool) *jsonschema.Schema {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(declared.Schema))
	require.NoError(t, err, declared.Name)
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	require.NoError(t, compiler.AddResource("tool.json", document))
	schema, err := compiler.Compile("tool.json")
	require.NoError(t, err, declared.Name)
	return schema
}

func accepts(t require.TestingT, schema *jsonschema.Schema, args json.RawMessage) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	require.NoError(t, err)
	return schema.Validate(value)
}

// drawArgs draws arguments that fit the schema about half of the time.
func drawArgs(t *rapid.T, declared Tool) json.RawMessage {
	s := compileSchema(declared)
	n := rapid.IntRange(s.MinItems, len(s.PrefixItems)).Draw(t, "arguments")
	if rapid.IntRange(0, 9).Draw(t, "other count") == 0 {
		n = rapid.IntRange(0, 4).Draw(t, "count")
	}
	list := make([]any, n)
	for i := range list {
		var argument *schema
		if i < len(s.PrefixItems) {
			argument = s.PrefixItems[i]
		}
		list[i] = drawValue(t, argument, 0)
	}
	args, err := json.Marshal(list)
	require.NoError(t, err)
	return args
}

func drawValue(t *rapid.T, s *schema, depth int) any {
	kinds := []string{"string", "number", "integer", "boolean", "null", "array", "object"}
	if s != nil && len(s.Type) > 0 && rapid.IntRange(0, 7).Draw(t, "fits") > 0 {
		kinds = s.Type
	}
	switch rapid.SampledFrom(kinds).Draw(t, "type") {
	case "string":
		if s != nil && len(s.Enum) > 0 && rapid.Bool().Draw(t, "known") {
			return rapid.SampledFrom(s.Enum).Draw(t, "word")
		}
		if s != nil && s.MaxLength != nil && *s.MaxLength < 1000 && rapid.IntRange(0, 5).Draw(t, "at the edge") == 0 {
			return strings.Repeat("é", *s.MaxLength+rapid.IntRange(-1, 1).Draw(t, "off"))
		}
		return rapid.StringN(0, 6, -1).Draw(t, "text")
	case "number":
		return rapid.Float64Range(-10, 1e12).Draw(t, "number")
	case "integer":
		return rapid.SampledFrom([]int64{-1, 0, 1, 2, 119_999, 120_000, 120_001, 31_536_000_000, 31_536_000_001}).Draw(t, "integer")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "null":
		return nil
	case "array":
		list := make([]any, rapid.SampledFrom([]int{0, 1, 2, 50, 51}).Draw(t, "items"))
		for i := range list {
			if s == nil || s.Items == nil || depth > 2 {
				list[i] = i
			} else {
				list[i] = drawValue(t, s.Items.schema, depth+1)
			}
		}
		return list
	}
	object := map[string]any{}
	if s != nil && depth < 3 {
		for _, name := range sortedKeys(s.Properties) {
			if rapid.Bool().Draw(t, name) {
				object[name] = drawValue(t, s.Properties[name], depth+1)
			}
		}
		if s.AdditionalProperties != nil && rapid.IntRange(0, 3).Draw(t, "more") == 0 {
			object[rapid.StringN(1, 5, -1).Draw(t, "name")] = drawValue(t, s.AdditionalProperties.schema, depth+1)
		}
	}
	return object
}

var benchmarkArgs = []struct{ tool, args string }{
	{"web.getJSON", `["https://api.github.com/repos/acme/new/releases/latest"]`},
	{"web.fetch", `["https://api.example.test/v1/search",{"method":"POST","headers":{"Authorization":"Bearer x","Content-Type":"application/json"},"body":"{\"q\":1}","effect":"read"}]`},
	{"web.postJSON", `["https://api.example.test/v1/orders",{"id":"o-1","items":[{"sku":"a","n":2},{"sku":"b","n":1}],"total":12.5}]`},
	{"kv.set", `["order:1001",{"total":12.5,"items":["a","b"]}]`},
	{"files.write", `["payments/2026-03-01.csv","id,amount\n1,2\n"]`},
}

// BenchmarkValidate is what every call pays; BenchmarkValidateComplete what it would pay
// with a complete implementation of JSON schema.
func BenchmarkValidate(b *testing.B) {
	for _, test := range benchmarkArgs {
		b.Run(test.tool, func(b *testing.B) {
			args := json.RawMessage(test.args)
			b.ReportAllocs()
			for b.Loop() {
				if err := validate(test.tool, args); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("files.write 100 kB", func(b *testing.B) {
		args := fmt.Appendf(nil, `["a.txt",%q]`, strings.Repeat("x", 100_000))
		for b.Loop() {
			if err := validate("files.write", args); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkValidateComplete(b *testing.B) {
	for _, test := range benchmarkArgs {
		declared, _ := Lookup(test.tool)
		schema := completeValidator(b, *declared)
		b.Run(test.tool, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := accepts(b, schema, []byte(test.args)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
