package esdbmeta_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbmeta"
)

// anyBytes draws what metadata may be: noise, JSON of all kinds, near misses of the two forms that
// mean something, and what Wrap itself made.
func anyBytes() *rapid.Generator[[]byte] {
	tokens := []string{
		"{", "}", "[", "]", ",", ":", `"`, `\`, " ", "\n", "0", "1", "2", "-1", "1.0", "1e3", "null", "true", "é", "\xff", "\x00",
		`"schema_version"`, `{"kintsugi-envelope":{"schema_version":`, `,"metadata":"`, `"}}`, "e30=", "e31=", "e3\n0=",
	}
	members := []string{
		`"schema_version":1`, `"schema_version":2`, `"schema_version" : 3 `, `"schema\u005fversion":2`, `"Schema_Version":4`,
		`"schema_version":"2"`, `"schema_version":2.0`, `"a":"\""`, `"b":[1,{"schema_version":5}]`,
	}
	strung := func(parts []string, between string) *rapid.Generator[[]byte] {
		return rapid.Map(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 8), func(drawn []string) []byte {
			return []byte(strings.Join(drawn, between))
		})
	}
	object := rapid.Map(strung(members, ","), func(inner []byte) []byte { return fmt.Appendf(nil, "{%s}", inner) })
	plain := rapid.OneOf(rapid.SliceOf(rapid.Byte()), strung(tokens, ""), object)
	wrapped := rapid.Custom(func(t *rapid.T) []byte {
		custom := plain.Draw(t, "plain")
		for _, version := range rapid.SliceOfN(rapid.IntRange(1, 4), 1, 3).Draw(t, "versions") {
			custom = esdbmeta.Wrap(version, custom)
		}
		return custom
	})
	return rapid.OneOf(plain, wrapped)
}

// An event is read as it was appended, whatever it is.
func TestWrapRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		version := rapid.OneOf(rapid.IntRange(1, 5), rapid.IntMin(1)).Draw(t, "version")
		metadata := anyBytes().Draw(t, "metadata")
		gotVersion, got := esdbmeta.Unwrap(esdbmeta.Wrap(version, metadata))
		require.Equal(t, version, gotVersion)
		require.True(t, bytes.Equal(metadata, got), "%q became %q", metadata, got)
	})
}

// An outside client reads what it wrote, after a detour through our log.
func TestUnwrapRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		custom := anyBytes().Draw(t, "custom")
		version, metadata := esdbmeta.Unwrap(custom)
		require.Positive(t, version)
		require.True(t, bytes.Equal(custom, esdbmeta.Wrap(version, metadata)), "%q became %q", custom, esdbmeta.Wrap(version, metadata))
	})
}

// Metadata that says its version travels as it is, and so does what has version 1 as all foreign metadata has.
func TestWrapKeeps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		metadata string
		version  int
	}{
		{`{"schema_version":7,"subject":"workflow:1"}`, 7},
		{" {\n\t\"a\" : [ {\"b\":\"}\"} ] , \"schema_version\" : 7 } ", 7},
		{`{"a":"\\\"","schema_version":1}`, 1},
		{`{}`, 1},
		{``, 1},
		{"\xff\x00", 1},
		{`{"$correlationId":"1"}`, 1},
		{`{"a":{"schema_version":7}}`, 1},
		{`["schema_version",7]`, 1},
		{`"schema_version"`, 1},
		{`{"Schema_Version":7}`, 1},
		{`{"schema_version":"7"}`, 1},
		{`{"schema_version":7.0}`, 1},
		{`{"schema_version":0}`, 1},
		{`{"schema_version":-7}`, 1},
		{`{"schema_version":7`, 1},
		{`{"schema_version":99999999999999999999}`, 1},
		{`{"schema_version":7,"schema_version":7}`, 1},
		{`{"schema_version":7,"schema\u005fversion":8}`, 1},
	} {
		require.Equal(t, c.metadata, string(esdbmeta.Wrap(c.version, []byte(c.metadata))))
		got, inner := esdbmeta.Unwrap([]byte(c.metadata))
		require.Equal(t, c.version, got, c.metadata)
		require.Equal(t, c.metadata, string(inner))
	}
}

// Everything else travels in an envelope that is itself JSON and tells people the version.
func TestWrapEnvelope(t *testing.T) {
	t.Parallel()
	for _, metadata := range []string{``, `{}`, "\xff", `{"schema_version":3}`} {
		var envelope struct {
			Envelope struct {
				SchemaVersion int    `json:"schema_version"`
				Metadata      []byte `json:"metadata"`
			} `json:"kintsugi-envelope"`
		}
		require.NoError(t, json.Unmarshal(esdbmeta.Wrap(2, []byte(metadata)), &envelope))
		require.Equal(t, 2, envelope.Envelope.SchemaVersion)
		require.Equal(t, metadata, string(envelope.Envelope.Metadata))
	}
}

// An envelope that Wrap would not have made is somebody's metadata.
func TestUnwrapForeignEnvelope(t *testing.T) {
	t.Parallel()
	for _, custom := range []string{
		`{"kintsugi-envelope":{"schema_version":1,"metadata":"e30="}}`,                         // {} of version 1 needs none
		`{"kintsugi-envelope":{"schema_version":2,"metadata":"eyJzY2hlbWFfdmVyc2lvbiI6Mn0="}}`, // {"schema_version":2} needs none
		`{"kintsugi-envelope":{"schema_version":0,"metadata":"e30="}}`,
		`{"kintsugi-envelope":{"schema_version":02,"metadata":"e30="}}`,
		`{"kintsugi-envelope":{"schema_version":+2,"metadata":"e30="}}`,
		`{"kintsugi-envelope":{"schema_version":2,"metadata":"e31="}}`, // ends in bits that mean nothing
		"{\"kintsugi-envelope\":{\"schema_version\":2,\"metadata\":\"e3\n0=\"}}",
		`{"kintsugi-envelope":{"schema_version":2,"metadata":"e30="}} `,
		`{"kintsugi-envelope":{"schema_version":2,"metadata":"e30="}`,
		`{"kintsugi-envelope":{"schema_version":2}}`,
	} {
		version, metadata := esdbmeta.Unwrap([]byte(custom))
		require.Equal(t, 1, version, custom)
		require.Equal(t, custom, string(metadata))
	}
}

func BenchmarkUnwrap(b *testing.B) {
	own := []byte(`{"schema_version":3,"subject":"workflow:0196","correlation_id":"0196a3c2","causation_id":"0196a3c3","command_id":"0196a3c4","actor":"system:executor","traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","hash":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}`)
	for name, custom := range map[string][]byte{"own": own, "foreign": []byte(`{"$correlationId":"1"}`), "envelope": esdbmeta.Wrap(2, own)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				esdbmeta.Unwrap(custom)
			}
		})
	}
}
