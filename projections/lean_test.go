package projections

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
)

// What is read the short way is what the codec reads, but for what a call returned.
func TestLeanDecodingIsTheCodecs(t *testing.T) {
	t.Parallel()
	codec := domain.NewCodec()
	read := map[string]int{}
	check := func(kind string, payload []byte) {
		got, ok := decodeLean(kind, 1, payload)
		if !ok {
			return
		}
		want, err := codec.Decode(kind, 1, payload)
		require.NoError(t, err, string(payload))
		if back, is := want.(run.ToolReturned); is {
			back.Result = nil
			want = back
		}
		require.Equal(t, want, got, string(payload))
		read[kind]++
	}
	paths, err := filepath.Glob("../testdata/histories/good/*.jsonl")
	require.NoError(t, err)
	for _, path := range paths {
		file, err := os.Open(path)
		require.NoError(t, err)
		for record, err := range jsonl.Read(file) {
			require.NoError(t, err)
			check(record.Type, record.Payload)
		}
		require.NoError(t, file.Close())
	}
	for kind := range lean {
		require.Greater(t, read[kind], 10, "it reads what this program writes: %s", kind)
	}
	for _, payload := range []string{
		`{"seq":1,"tool":"web.get","args":["a\"]}",{"b":[1,2,{"c":"]"}]}],"effect":"read"}`, `{"seq":12,"tool":"t","args":null}`,
		`{"seq":3,"result":"}","ms":0,"hosts":["a","b:1"]}`, `{"seq":3,"result":[[],{}],"hosts":[]}`, `{"seq":3,"result":1.5e3,"ms":10}`,
	} {
		for _, kind := range []string{run.TypeToolCalled, run.TypeToolReturned} {
			if json.Valid([]byte(payload)) {
				check(kind, []byte(payload))
			}
		}
	}
	for _, payload := range []string{
		"", "null", "{}", `{"seq":1`, `{"seq":1}x`, `{"seq":01,"ms":1}`, `{"seq":-1}`, `{"seq":1.5}`, `{"Seq":1}`, `{"seq": 1}`, `{"seq":1,}`, `{"seq":1,"ms":"1"}`,
		`{"seq":99999999999999999999}`, `{"seq":1,"error":{}}`, `{"seq":1,"more":true}`, `{"seq":1,"result":}`, `{"seq":1,"result":[1}`, `{"seq":1,"hosts":["a",]}`, `{"seq":1,"key":"\u0041"}`,
	} {
		for kind := range lean {
			_, ok := decodeLean(kind, 1, []byte(payload))
			require.False(t, ok, "%s %s", kind, payload)
		}
	}
	for payload, kind := range map[string]string{
		`{"run":"r","failure":{"class":"logic"},"usage":{"wall_ms":1,"virtual_ms":0,"calls":0}}`: run.TypeRunEnded,
		`{"usage":{"wall_ms":1},"output":}`:               run.TypeRunEnded,
		`{"usage":{"wall_ms":1,"more":2}}`:                run.TypeRunEnded,
		`{"usage":{"wall_ms":1}`:                          run.TypeRunEnded,
		`{"run":"r","version":{"major":1,"minor":01}}`:    workflow.TypeRunSucceeded,
		`{"run":"r","version":{"major":1},"slot":"now"}`:  workflow.TypeRunAdmitted,
		`{"run":"r","at":"2026-03-01 12:00:00Z"}`:         workflow.TypeRunAdmitted,
		`{"run":"r","clock":"2026-03-01T12:00:00+01:00"}`: run.TypeRunStarted,
	} {
		_, ok := decodeLean(kind, 1, []byte(payload))
		require.False(t, ok, "%s %s", kind, payload)
	}
	_, ok := decodeLean(run.TypeToolReturned, 2, []byte(`{"seq":1}`))
	require.False(t, ok, "of another version it knows nothing")
}
