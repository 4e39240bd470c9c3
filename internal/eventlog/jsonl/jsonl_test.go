package jsonl_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
)

func record(payload, metadata string) eventlog.Record {
	return eventlog.Record{
		Event: eventlog.Event{
			ID: "018f3c1e-0000-7000-8000-000000000001", Type: "Happened", SchemaVersion: 1,
			Payload: []byte(payload), Metadata: []byte(metadata),
		},
		Stream: "run-7", Revision: 3, Position: eventlog.PositionOf(42),
		RecordedAt: time.Date(2026, 3, 1, 7, 0, 0, 120, time.UTC),
	}
}

func all(records ...eventlog.Record) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for _, one := range records {
			if !yield(one, nil) {
				return
			}
		}
	}
}

func read(t require.TestingT, text string) []eventlog.Record {
	var records []eventlog.Record
	for one, err := range jsonl.Read(strings.NewReader(text)) {
		require.NoError(t, err)
		records = append(records, one)
	}
	return records
}

// The form is what others read: it is fixed.
func TestTheForm(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	n, err := jsonl.Write(&out, all(record(`{"b": 1.0,"a":"<ü>"}`, `{"actor":"x"}`), record("\x00", "")))
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, `{"stream":"run-7","revision":3,"id":"018f3c1e-0000-7000-8000-000000000001","type":"Happened","schema_version":1,`+
		`"recorded_at":"2026-03-01T07:00:00.00000012Z","position":"0000000000000000042","payload":{"b": 1.0,"a":"<ü>"},"metadata":{"actor":"x"}}
{"stream":"run-7","revision":3,"id":"018f3c1e-0000-7000-8000-000000000001","type":"Happened","schema_version":1,`+
		`"recorded_at":"2026-03-01T07:00:00.00000012Z","position":"0000000000000000042","payload_base64":"AA==","metadata_base64":""}
`, out.String())
}

// An event comes back byte for byte as it was written, whatever the bytes are, one line for each
// event; only the position does not, which is of the other log.
func TestEveryByteComesBack(t *testing.T) {
	t.Parallel()
	content := rapid.OneOf(
		rapid.SampledFrom([]string{
			"", "{}", " {}", "{}\n", "{\"a\":\n1}", "null", `"\ud800"`, "\"\xff\"", "\xef\xbb\xbf{}", `{"a":1,"a":2}`,
			"[1,  2]", "1e400", "\"\u2028\"", "\"\x7f\"", "{", "\r", "\"a\rb\"", `{"<":"&"}`,
		}),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 40), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.String(), func(s string) string { return fmt.Sprintf("%q", s) }),
	)
	rapid.Check(t, func(t *rapid.T) {
		var wrote []eventlog.Record
		for range rapid.IntRange(0, 4).Draw(t, "events") {
			one := record(content.Draw(t, "payload"), content.Draw(t, "metadata"))
			one.Revision = rapid.Int64Min(0).Draw(t, "revision")
			wrote = append(wrote, one)
		}
		var out bytes.Buffer
		n, err := jsonl.Write(&out, all(wrote...))
		require.NoError(t, err)
		require.Equal(t, len(wrote), n)
		require.Equal(t, len(wrote), bytes.Count(out.Bytes(), []byte("\n")))
		got := read(t, out.String())
		require.Len(t, got, len(wrote))
		for i := range wrote {
			require.Equal(t, string(wrote[i].Payload), string(got[i].Payload))
			require.Equal(t, string(wrote[i].Metadata), string(got[i].Metadata))
			require.Empty(t, got[i].Position)
			got[i].Payload, got[i].Metadata, got[i].Position = wrote[i].Payload, wrote[i].Metadata, wrote[i].Position
			require.Equal(t, wrote[i], got[i])
		}
	})
}

// Lines that mean nothing, or may mean two things, are refused with their number and what to do.
func TestBadLines(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	_, err := jsonl.Write(&out, all(record(`{"n":1}`, `{}`)))
	require.NoError(t, err)
	good := out.String()
	change := func(from, to string) string {
		require.Contains(t, good, from)
		return strings.Replace(good, from, to, 1)
	}
	for name, test := range map[string]struct{ line, says string }{
		"no JSON":            {"hello", "not a JSON object"},
		"a list":             {"[]", "not a JSON object"},
		"cut off":            {good[:len(good)-9], "cut off"},
		"cut off in a key":   {good[:20], "cut off"},
		"two events a line":  {strings.TrimSpace(good) + good, "something follows the event"},
		"twice":              {change(`"revision":3`, `"revision":3,"revision":4`), `"revision" is there twice`},
		"unknown":            {change(`"revision":3`, `"revision":3,"colour":1`), `"colour" is not known`},
		"other spelling":     {change(`"revision"`, `"Revision"`), `"Revision" is not known`},
		"missing":            {change(`"revision":3,`, ``), `"revision" is missing`},
		"null":               {change(`"revision":3`, `"revision":null`), `"revision" is null`},
		"fraction":           {change(`"revision":3`, `"revision":3.5`), `"revision"`},
		"negative":           {change(`"revision":3`, `"revision":-1`), "revision -1 is negative"},
		"number as text":     {change(`"revision":3`, `"revision":"3"`), `"revision"`},
		"no time":            {change(`2026-03-01T07`, `2026-03-01 07`), `is not a time like 2026-03-01T07:00:00Z`},
		"no id":              {change(`018f3c1e`, `018F3C1E`), "not a UUID"},
		"no type":            {change(`Happened`, ``), "the type of event 0 is empty"},
		"version 0":          {change(`"schema_version":1`, `"schema_version":0`), "they begin at 1"},
		"stream with spaces": {change(`run-7`, `run 7`), "spaces"},
		"payload twice":      {change(`"payload":`, `"payload_base64":"AA==","payload":`), "both there"},
		"no payload":         {change(`"payload":{"n":1},`, ``), `"payload" (or "payload_base64") is missing`},
		"no base64":          {change(`"payload":{"n":1}`, `"payload_base64":"A"`), `"payload_base64"`},
		"loose base64":       {change(`"payload":{"n":1}`, `"payload_base64":"AB=="`), `"payload_base64"`},
		"base64 is null":     {change(`"payload":{"n":1}`, `"payload_base64":null`), `"payload_base64" is null`},
		"no UTF-8":           {change(`{"n":1}`, "\"\xff\""), "not UTF-8"},
		"bad JSON within":    {change(`{"n":1}`, `{"n":01}`), "not JSON"},
		"too long":           {strings.Repeat(" ", jsonl.MaxLineBytes+2), "longer than"},
		"too large":          {change(`{"n":1}`, `"`+strings.Repeat("x", eventlog.MaxAppendBytes)+`"`), "more than 1048576"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			count := 0
			var failed error
			for _, err := range jsonl.Read(strings.NewReader(good + "\n" + strings.TrimSuffix(test.line, "\n") + "\n" + good)) {
				require.NoError(t, failed, "it ends at the first error")
				count++
				failed = err
			}
			require.Equal(t, 2, count)
			require.ErrorContains(t, failed, "jsonl: line 3")
			require.ErrorContains(t, failed, test.says)
		})
	}
}

// The last line needs no end, a line may be as long as is said, and a file without lines is
// no history but no error.
func TestEdges(t *testing.T) {
	t.Parallel()
	require.Empty(t, read(t, ""))
	require.Empty(t, read(t, "\n\n"))
	var out bytes.Buffer
	_, err := jsonl.Write(&out, all(record(`{}`, `{}`)))
	require.NoError(t, err)
	require.Len(t, read(t, strings.TrimSpace(out.String())), 1)
	require.Len(t, read(t, strings.ReplaceAll(out.String(), "\n", "\r\n")), 1)
	padded := strings.TrimSpace(out.String())
	padded += strings.Repeat(" ", jsonl.MaxLineBytes-len(padded))
	require.Len(t, read(t, padded+"\n"+padded), 2)
	for range jsonl.Read(strings.NewReader(padded + "\n" + padded)) {
		break // is not an error
	}
}

// Errors of reading and of writing come out, with how far it went.
func TestErrorsPassThrough(t *testing.T) {
	t.Parallel()
	failed := errors.New("the line is dead")
	_, err := jsonl.Write(io.Discard, func(yield func(eventlog.Record, error) bool) {
		_ = yield(record("{}", "{}"), nil) && yield(eventlog.Record{}, failed)
	})
	require.ErrorIs(t, err, failed)
	require.ErrorContains(t, err, "after 1 events")

	_, err = jsonl.Write(brokenWriter{failed}, all(record("{}", "{}")))
	require.ErrorIs(t, err, failed)

	huge := record(`{}`, strings.Repeat("\x00", jsonl.MaxLineBytes))
	_, err = jsonl.Write(io.Discard, all(huge))
	require.ErrorContains(t, err, "revision 3 of run-7")

	for _, err := range jsonl.Read(io.MultiReader(strings.NewReader("\n"), brokenReader{failed})) {
		require.ErrorIs(t, err, failed)
		require.ErrorContains(t, err, "line 2")
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

type brokenReader struct{ err error }

func (r brokenReader) Read([]byte) (int, error) { return 0, r.err }

// FuzzRead: whatever a file holds is records or an error, and what is read is written and
// read again the same.
func FuzzRead(f *testing.F) {
	var out bytes.Buffer
	if _, err := jsonl.Write(&out, all(record(`{"n":1}`, `{}`), record("x", ""))); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte(`{"stream":"s"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var records []eventlog.Record
		for one, err := range jsonl.Read(bytes.NewReader(text)) {
			if err != nil {
				break
			}
			records = append(records, one)
		}
		var again bytes.Buffer
		if _, err := jsonl.Write(&again, all(records...)); err != nil {
			t.Fatal(err)
		}
		for i, one := range read(t, again.String()) {
			if !bytes.Equal(one.Payload, records[i].Payload) || !bytes.Equal(one.Metadata, records[i].Metadata) || one.Stream != records[i].Stream {
				t.Fatalf("%+v became %+v", records[i], one)
			}
		}
	})
}
