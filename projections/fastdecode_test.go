package projections

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
)

// withoutWhatNoViewHas is an event as the fast decoder reads it.
func withoutWhatNoViewHas(happened event.Event) event.Event {
	switch e := happened.(type) {
	case run.ToolReturned:
		e.Result = nil
		return e
	case run.ToolAnswered:
		e.Result = nil
		return e
	case run.LogWritten:
		clear(e.Lines)
		return e
	case thread.MessageAppended:
		e.Text = ""
		return e
	case thread.ToolInvoked:
		e.Args = nil
		return e
	case thread.ToolResulted:
		e.Result = nil
		return e
	}
	return happened
}

// The fast decoder reads what the codec reads, without what no view has.
func TestFastDecodingIsTheCodecs(t *testing.T) {
	t.Parallel()
	codec := domain.NewCodec()
	read := map[string]int{}
	check := func(kind string, payload []byte) {
		got, ok := fastDecode(kind, 1, payload)
		if !ok {
			return
		}
		want, err := codec.Decode(kind, 1, payload)
		require.NoError(t, err, string(payload))
		require.Equal(t, withoutWhatNoViewHas(want), got, string(payload))
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
	for kind := range fastTypes {
		require.Greater(t, read[kind], 5, "it reads what this program writes: %s", kind)
	}
	for _, payload := range []string{
		`{"seq":1,"tool":"web.get","args":["a\"]}",{"b":[1,2,{"c":"]"}]}],"effect":"read"}`, `{"seq":12,"tool":"t","args":null}`,
		`{"seq":3,"tool":"web.getJSON","args":["https://a.test"],"effect":"read","result":{"a":"}"},"ms":7,"hosts":["b"]}`,
		`{"seq":3,"result":"}","ms":0,"hosts":["a","b:1"]}`, `{"seq":3,"result":[[],{}],"hosts":[]}`, `{"seq":3,"result":1.5e3,"ms":10}`,
	} {
		for _, kind := range []string{run.TypeToolCalled, run.TypeToolReturned, run.TypeToolAnswered} {
			if json.Valid([]byte(payload)) {
				check(kind, []byte(payload))
			}
		}
	}
	for payload, kind := range map[string]string{
		`{"run":"é","version":{"major":1,"minor":0},"trigger":"schedule","slot":"2026-03-01T12:00:00.5Z"}`: workflow.TypeRunAdmitted,
		`{"lines":[{"level":"info","text":"a \"b\"]\u0000"},{"level":"warn","text":"ü"}]}`:                 run.TypeLogWritten,
		`{"lines":[]}`: run.TypeLogWritten,
		`{"role":"assistant","text":"}\n","usage":{"model":"m","input":5,"cached":2,"output":6,"cost_usd":0.25}}`: thread.TypeMessageAppended,
		`{"role":"user","text":""}`:                      thread.TypeMessageAppended,
		`{"call":"c","tool":"t","args":{"a":[1,"}"]}}`:   thread.TypeToolInvoked,
		`{"call":"c","result":{"a":[1,"}"]},"end":true}`: thread.TypeToolResulted,
	} {
		before := read[kind]
		check(kind, []byte(payload))
		require.Greater(t, read[kind], before, payload)
	}
	for _, payload := range []string{
		"", "null", "{}", `{"seq":1`, `{"seq":1}x`, `{"seq":01,"ms":1}`, `{"seq":-1}`, `{"seq":1.5}`, `{"Seq":1}`, `{"seq": 1}`, `{"seq":1,}`, `{"seq":1,"ms":"1"}`,
		`{"seq":99999999999999999999}`, `{"seq":1,"error":{}}`, `{"seq":1,"more":true}`, `{"seq":1,"result":}`, `{"seq":1,"result":[1}`, `{"seq":1,"hosts":["a",]}`, `{"seq":1,"key":"\u0041"}`,
	} {
		for kind := range fastTypes {
			_, ok := fastDecode(kind, 1, []byte(payload))
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
		_, ok := fastDecode(kind, 1, []byte(payload))
		require.False(t, ok, "%s %s", kind, payload)
	}
	for _, payload := range []string{`{"lines":[{},]}`, `{"lines":[{}`, `{"lines":{}}`, "{\"role\":\"\xff\"}", `{"role":"a","usage":{"cost_usd":-1}}`, `{"call":"c","end":false}`, `{"call":"c","error":"e"}`} {
		for kind := range fastTypes {
			_, ok := fastDecode(kind, 1, []byte(payload))
			require.False(t, ok, "%s %s", kind, payload)
		}
	}
	_, ok := fastDecode(run.TypeToolReturned, 2, []byte(`{"seq":1}`))
	require.False(t, ok, "of another version it knows nothing")
}

// The host of an ordinary URL is read the short way as [net/url] reads it.
func TestPlainHostsAreThoseOfTheURL(t *testing.T) {
	t.Parallel()
	for args, host := range map[string]string{
		`["https://api.example.test/orders?day=1#x",{"a":1}]`: "api.example.test", `["http://a-1.b/"]`: "a-1.b",
	} {
		got, plain := plainHost([]byte(args))
		require.True(t, plain, args)
		require.Equal(t, host, got)
		require.Equal(t, host, urlHost([]byte(args)))
	}
	for _, args := range []string{
		`[]`, `null`, `["https://a"]`, `["https://a`, `["https://A/"]`, `["https://a:1/"]`, `["https://u@a/"]`, `["https://a/%zz"]`, `["https://a/\u0000"]`, `["https:///x"]`,
		`["httpss://a/"]`, `["https://a/é"]`, `["ftp://a/"]`, `["https://[::1]/"]`, `["https://a/x`,
	} {
		_, plain := plainHost([]byte(args))
		require.False(t, plain, args)
	}
}
