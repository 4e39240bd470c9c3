package agent

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSchemas(t *testing.T) {
	t.Parallel()
	s, err := compileSchema(json.RawMessage(`{"type":"object","additionalProperties":true,"properties":{
		"n":{"type":"integer","minimum":1,"maximum":9},
		"f":{"type":"number"},
		"b":{"type":"boolean"},
		"e":{"enum":["a","b",1]},
		"s":{"type":"string","minLength":2,"maxLength":3},
		"l":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","description":"a name"}},
		"o":{"type":"object","required":["x"],"properties":{"x":{"type":"null"}},"additionalProperties":false}}}`))
	require.NoError(t, err)
	_, got := s.arguments(`{"n":1.5,"l":[1,2,3],"o":{"y":1}}`)
	require.Len(t, strings.Split(got, "; "), 5, got)
	for arguments, fault := range map[string]string{
		`{}`:        "",
		`{"any":1}`: "",
		`{"n":9,"f":1.5,"b":false,"e":1,"s":"üüü","l":["x"],"o":{"x":null}}`: "",
		`{"n":1.5}`:              "at '/n': got number, want integer",
		`{"n":0}`:                "at '/n': minimum: got 0, want 1",
		`{"n":10}`:               "at '/n': maximum: got 10, want 9",
		`{"f":"1"}`:              "at '/f': got string, want number",
		`{"b":0}`:                "at '/b': got number, want boolean",
		`{"e":"c"}`:              "at '/e': value must be one of 'a', 'b', 1",
		`{"s":"x"}`:              "at '/s': minLength: got 1, want 2",
		`{"s":"xxxx"}`:           "at '/s': maxLength: got 4, want 3",
		`{"l":[]}`:               "at '/l': minItems: got 0, want 1",
		`{"l":["a","b","c"]}`:    "at '/l': maxItems: got 3, want 2",
		`{"l":["a",2]}`:          "at '/l/1': got number, want string",
		`{"o":{}}`:               "at '/o': missing property 'x'",
		`{"o":{"x":null,"y":1}}`: "at '/o': additional properties 'y' not allowed",
	} {
		_, got := s.arguments(arguments)
		if fault != "" {
			fault = "the arguments do not fit their schema: " + fault
		}
		require.Equal(t, fault, got, arguments)
	}
}

// A schema that is wrong, or that needs another document, is a mistake in the program.
func TestWrongSchemas(t *testing.T) {
	t.Parallel()
	for schema, says := range map[string]string{
		`{`:                 "unexpected end of JSON",
		`{"type":"string"}`: "the arguments of a tool are an object",
		`{"type":"objekt"}`: "the arguments of a tool are an object",
		`[]`:                "cannot unmarshal array",
		`{"type":"object","properties":{"a":{"type":"sting"}}}`:              `there is no type "sting"`,
		`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`: "file:///etc/passwd",
	} {
		_, err := compileSchema(json.RawMessage(schema))
		require.ErrorContains(t, err, says, schema)
	}
}

// Any text gets an answer, and what passes is a JSON object.
func FuzzArguments(f *testing.F) {
	s, err := compileSchema(json.RawMessage(`{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}}}}`))
	require.NoError(f, err)
	for _, seed := range []string{``, `{}`, `{"l":[1e400]}`, `{"l":[1,{}]}`, "\xff", `{"a":{"a":{"a":[]}}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		args, fault := s.arguments(text)
		require.Equal(t, fault == "", args != nil)
		if fault == "" {
			require.True(t, isObject(string(args)))
		}
		require.Equal(t, canonical(text), canonical(canonical(text)))
	})
}
