package jsonschema_test

import (
	"strings"
	"testing"

	complete "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/basics/jsonschema"
	"github.com/kintsugi-run/kintsugi/internal/coding/planfile"
)

// all has every keyword.
const all = `{
	"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.test/all", "title": "All", "description": "of them",
	"type": "object", "required": ["s"], "additionalProperties": false,
	"properties": {
		"s": {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^[a-zü'~/]*$", "format": "name", "default": "x", "examples": ["y"]},
		"n": {"type": "number", "minimum": -1.5, "maximum": 2e1},
		"i": {"type": ["integer", "null"], "minimum": 0},
		"b": {"type": "boolean"},
		"e": {"enum": ["s", 1, null, {"s": [1.0]}]},
		"l": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/$defs/one"}},
		"o": {"type": "object", "properties": {"s": true, "n": false}, "additionalProperties": {"type": "string"}},
		"one": {"$ref": "#/$defs/one"}
	},
	"$defs": {"one": {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}, {"type": "number", "minimum": 1}, {"type": "integer"}]}}
}`

// The same values fit here as for a complete implementation, and faults are found at the same places.
func TestItAgreesWithACompleteImplementation(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"every keyword": all, "plans": string(planfile.Schema)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ours, err := jsonschema.Compile([]byte(text))
			require.NoError(t, err)
			document, err := complete.UnmarshalJSON(strings.NewReader(text))
			require.NoError(t, err)
			compiler := complete.NewCompiler()
			require.NoError(t, compiler.AddResource("s.json", document))
			theirs, err := compiler.Compile("s.json")
			require.NoError(t, err)
			names := members(document)
			fit := 0
			rapid.Check(t, func(t *rapid.T) {
				text := value(t, names, 0)
				mine, err := jsonschema.Decode([]byte(text))
				require.NoError(t, err)
				value, err := complete.UnmarshalJSON(strings.NewReader(text))
				require.NoError(t, err)
				err = theirs.Validate(value)
				faults := ours.Faults(mine)
				require.Equal(t, err == nil, len(faults) == 0, "%s: %v: %v", text, err, faults)
				if err == nil {
					fit++
				}
			})
			require.True(t, name == "plans" || fit > 0)
		})
	}
}

// members are the names of all properties in a schema.
func members(document any) []string {
	var found []string
	switch document := document.(type) {
	case map[string]any:
		for name, inner := range document {
			if properties, is := inner.(map[string]any); is && name == "properties" {
				for property := range properties {
					found = append(found, property)
				}
			}
			found = append(found, members(inner)...)
		}
	case []any:
		for _, inner := range document {
			found = append(found, members(inner)...)
		}
	}
	return found
}

var scalars = []string{`null`, `true`, `""`, `"s"`, `"aü'/"`, `"abcde"`, `0`, `1`, `1.0`, `-1`, `-1.6`, `2.5`, `20`, `21`, `1e2`, `1e400`, `-1e400`}

// value draws JSON with members that the schema knows.
func value(t *rapid.T, names []string, depth int) string {
	shape := rapid.IntRange(0, 5).Draw(t, "shape")
	if depth == 0 {
		shape = 5
	}
	switch {
	case shape == 4 && depth < 3:
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, value(t, names, depth+1))
		}
		return "[" + strings.Join(items, ",") + "]"
	case shape == 5 && depth < 3:
		object := map[string]string{}
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			object[rapid.SampledFrom(append(names, "other")).Draw(t, "name")] = value(t, names, depth+1)
		}
		if rapid.IntRange(0, 3).Draw(t, "whole") > 0 {
			object["s"] = `"s"`
		}
		var inside []string
		for name, text := range object {
			inside = append(inside, `"`+name+`":`+text)
		}
		return "{" + strings.Join(inside, ",") + "}"
	}
	return rapid.SampledFrom(scalars).Draw(t, "scalar")
}

// A schema that says what is not checked here is refused, as one that is none is.
func TestAnUnknownKeywordIsRefused(t *testing.T) {
	t.Parallel()
	for schema, says := range map[string]string{
		``:                                   "unexpected end",
		`[]`:                                 "cannot unmarshal",
		`{"type":"sting"}`:                   `there is no type "sting"`,
		`{"items":{"type":["string","x"]}}`:  `there is no type "x"`,
		`{"uniqueItems":true}`:               "uniqueItems",
		`{"items":{"uniqueItems":true}}`:     "uniqueItems",
		`{"$ref":"file:///etc/passwd"}`:      "file:///etc/passwd",
		`{"properties":{"a":{"$ref":"#/"}}}`: "does not lead to a definition",
		`{"oneOf":[]}`:                       "at least one",
		`{"enum":[]}`:                        "at least one",
		`{"pattern":"("}`:                    "missing closing",
	} {
		_, err := jsonschema.Compile([]byte(schema))
		require.ErrorContains(t, err, says, schema)
	}
}

// A fault says where it is, as a JSON pointer, and what is wrong there.
func TestFaultsSayWhere(t *testing.T) {
	t.Parallel()
	schema, err := jsonschema.Compile([]byte(all))
	require.NoError(t, err)
	for value, want := range map[string]string{
		`{"s":"s"}`:                         "",
		`[]`:                                ": got array, want object",
		`{}`:                                ": missing property 's'",
		`{"s":"","z":1,"y/~":2}`:            ": additional properties 'y/~', 'z' not allowed; /s: minLength: got 0, want 1",
		`{"s":"it's a"}`:                    `/s: maxLength: got 6, want 3; /s: 'it\'s a' does not match pattern '^[a-zü\'~/]*$'`,
		`{"s":"s","l":[1,"a"]}`:             "/l/0: it fits 2 of 4 alternatives, and should fit one",
		`{"s":"s","o":{"n":1,"a/b~":2}}`:    "/o/a~1b~0: got number, want string; /o/n: nothing is allowed here",
		`{"s":"s","e":"t","i":1.5,"n":1e3}`: "/e: value must be one of 's', 1, null, {\"s\": [1.0]}; /i: got number, want integer or null; /n: maximum: got 1e3, want 2e1",
	} {
		decoded, err := jsonschema.Decode([]byte(value))
		require.NoError(t, err)
		var said []string
		for _, fault := range schema.Faults(decoded) {
			said = append(said, fault.Path+": "+fault.Text)
		}
		require.Equal(t, want, strings.Join(said, "; "), value)
	}
}
