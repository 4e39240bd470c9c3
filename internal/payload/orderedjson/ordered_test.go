package orderedjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// A decoded value is encoded as it was, members in their order.
func TestADecodedValueIsEncodedTheSame(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `true`, `1.5`, `"<a&b>"`, `[]`, `{}`, `{"b":1,"a":{"z":[{"y":null,"x":"é"}],"":0}}`} {
		value, err := orderedjson.Decode([]byte(text))
		require.NoError(t, err)
		again, err := orderedjson.Encode(value)
		require.NoError(t, err)
		require.Equal(t, text, string(again))
	}
}

// A name that comes twice has its last value, in its first place, as in JavaScript.
func TestTheLastOfANameCounts(t *testing.T) {
	t.Parallel()
	value, err := orderedjson.Decode([]byte(`{"a":1,"b":2,"a":3}`))
	require.NoError(t, err)
	again, err := orderedjson.Encode(value)
	require.NoError(t, err)
	require.Equal(t, `{"a":3,"b":2}`, string(again))
}

func TestMalformedJSONIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `{`, `{"a"`, `{"a":}`, `[1,`, `[1 2]`, `tru`, `{"a":1,}`, `[,1]`, `{a:1}`, `{"a":1 "b":2}`, `"a`, `"\`, `"\x"`, `"\u12"`, "\"\n\"",
		`-`, `1.`, `1e`, `+1`, `.5`, `1e999`, strings.Repeat("[", 20_000),
	} {
		_, err := orderedjson.Decode([]byte(text))
		require.Error(t, err, "%.20q", text)
	}
}

// Rule: every text that encoding/json reads is decoded, to the same value.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		` {"a" : [1, -0.5e+3, 0 ,1E2], "":{}, "é":"\u00e9\n\ud83d\ude00\ud83d", "b":[true,false,null]} `, `"\"\\\/"`, `"` + "\xff" + `"`, `{"\u0061":1,"a":2}`, `[01]`, `-0`, `[[],{}]`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var want any
		if json.Unmarshal(text, &want) != nil {
			_, _ = orderedjson.Decode(text)
			return
		}
		value, err := orderedjson.Decode(text)
		require.NoError(t, err, "%q", text)
		require.Equal(t, want, unordered(value), "%q", text)
	})
}

func unordered(value any) any {
	switch v := value.(type) {
	case []any:
		for i, one := range v {
			v[i] = unordered(one)
		}
	case *orderedjson.Object:
		for _, key := range v.Keys {
			v.Fields[key] = unordered(v.Fields[key])
		}
		return v.Fields
	}
	return value
}

func TestMembersKeepTheirPlaces(t *testing.T) {
	t.Parallel()
	o := orderedjson.New("a", 1, "b", 2, "c", 3)
	require.True(t, o.Rename("b", "z"))
	require.False(t, o.Rename("a", "c"), "the name is taken")
	require.False(t, o.Put("z", 0), "the name is taken")
	o.Remove("a")
	require.True(t, o.Put("a", 4))
	text, err := orderedjson.Encode(o)
	require.NoError(t, err)
	require.Equal(t, `{"z":2,"c":3,"a":4}`, string(text))
}
