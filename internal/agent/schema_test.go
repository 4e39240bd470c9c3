package agent

import (
	"encoding/json"
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
	for arguments, fault := range map[string]string{
		`{}`:        "",
		`{"any":1}`: "",
		`{"n":9,"f":1.5,"b":false,"e":1,"s":"üüü","l":["x"],"o":{"x":null}}`: "",
		`{"n":1.5}`:              ".n must be of type integer",
		`{"n":0}`:                ".n must be at least 1",
		`{"n":10}`:               ".n must be at most 9",
		`{"f":"1"}`:              ".f must be of type number",
		`{"b":0}`:                ".b must be of type boolean",
		`{"e":"c"}`:              ".e must be one of [a b 1]",
		`{"s":"x"}`:              ".s must have at least 2 characters, and has 1",
		`{"s":"xxxx"}`:           ".s must have at most 3 characters, and has 4",
		`{"l":[]}`:               ".l must have at least 1 items, and has 0",
		`{"l":["a","b","c"]}`:    ".l must have at most 2 items, and has 3",
		`{"l":["a",2]}`:          ".l[1] must be of type string",
		`{"o":{}}`:               `.o lack "x"`,
		`{"o":{"x":null,"y":1}}`: `.o have no "y": there are x`,
	} {
		_, got := s.arguments(arguments)
		if fault != "" {
			fault = "the arguments" + fault
		}
		require.Equal(t, fault, got, arguments)
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
