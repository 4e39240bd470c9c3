package event_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	. "github.com/kintsugi-run/kintsugi/domain/event"
)

var full = Metadata{
	EventID: "e", SchemaVersion: 12, Subject: "workflow:w", CorrelationID: "co", CausationID: "ca", CommandID: "c",
	Actor: "person:ada", RecordedAt: time.Date(2026, 11, 21, 7, 30, 0, 123456789, time.UTC), Traceparent: "00-1-2-01", Hash: "ff",
}

// However metadata is written, it reads as encoding/json reads it.
func FuzzReadMetadata(f *testing.F) {
	stored, err := json.Marshal(full)
	require.NoError(f, err)
	f.Add(string(stored))
	for _, text := range []string{
		``, `null`, `{}`, ` {}`, `{} `, `{"a":1}`, `[]`, `{"event_id":"é"}`, `{"event_id":"a\n"}`, `{"EVENT_ID":"a"}`, `{"event_id":"a","event_id":"b"}`,
		`{"schema_version":1}`, `{"schema_version":-1}`, `{"schema_version":01}`, `{"schema_version":1.0}`, `{"schema_version":1e1}`, `{"schema_version":1 }`,
		`{"schema_version":99999999999999999999}`, `{"schema_version":"1"}`, `{"schema_version":}`, `{"schema_version":1,}`, `{,}`, `{"event_id":"a"}}`,
		`{"event_id":"a","x":{"event_id":"b"}}`, `{"event_id":"a" ,"hash":"b"}`, `{"event_id":null}`, `{"recorded_at":""}`, `{"recorded_at":"2026-11-21T07:30:00+02:00"}`,
		`{"recorded_at":"2026-11-21T07:30:00,5Z"}`, `{"recorded_at":"2026-11-21T7:30:00Z"}`, `{"recorded_at":"2026-02-30T07:30:00Z"}`, `{"event_id":"a"`, `{"event_id"}`, "{\"event_id\":\"\x7f\"}",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var want Metadata
		problem := json.Unmarshal([]byte(text), &want)
		got, err := ReadMetadata([]byte(text))
		if problem != nil {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// Metadata is written as encoding/json writes it, whatever is in it.
func TestMetadataIsWrittenAsAnyValue(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 3600)
	texts := rapid.OneOf(rapid.SampledFrom([]string{"", "plain", "a<b>&c", "\"", "\\", "é", "\u2028", "\x00", "\x7f", "\xff"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		text := func() string { return texts.Draw(t, "text") }
		at := rapid.SampledFrom([]time.Time{{}, full.RecordedAt, full.RecordedAt.Truncate(time.Second), full.RecordedAt.In(zone), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}).Draw(t, "at")
		m := Metadata{
			EventID: text(), SchemaVersion: rapid.Int().Draw(t, "version"), Subject: text(), CorrelationID: text(), CausationID: text(), CommandID: text(),
			Actor: text(), RecordedAt: at, Traceparent: text(), Hash: text(),
		}
		want, problem := Marshal(m)
		got, err := WriteMetadata(m)
		require.Equal(t, problem == nil, err == nil)
		require.Equal(t, string(want), string(got))
	})
}

func BenchmarkReadMetadata(b *testing.B) {
	stored, err := json.Marshal(full)
	require.NoError(b, err)
	b.Run("ReadMetadata", func(b *testing.B) {
		for b.Loop() {
			if _, err := ReadMetadata(stored); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding/json", func(b *testing.B) {
		for b.Loop() {
			var m Metadata
			if err := json.Unmarshal(stored, &m); err != nil {
				b.Fatal(err)
			}
		}
	})
}
