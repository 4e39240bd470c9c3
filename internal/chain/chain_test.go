package chain_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// stream makes a stream of events whose chain is whole.
func stream(name string, payloads ...string) []eventlog.Record {
	var records []eventlog.Record
	var previous chain.Hash
	for i, payload := range payloads {
		id := fmt.Sprintf("%s-%d", name, i)
		link := chain.Link{
			Stream: name, Revision: int64(i), ID: id, Type: "Happened", SchemaVersion: 1, Payload: []byte(payload),
			Metadata: fmt.Appendf(nil, `{"event_id":%q,"schema_version":1,"actor":"person:ann"}`, id),
		}
		previous = chain.Next(previous, link)
		records = append(records, eventlog.Record{
			Stream: name, Revision: link.Revision,
			Event: eventlog.Event{
				ID: id, Type: link.Type, SchemaVersion: 1, Payload: link.Payload,
				Metadata: chain.Seal(link.Metadata, previous),
			},
		})
	}
	return records
}

func read(records []eventlog.Record) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}
}

// The formula is part of the log's format: a change of it makes every chain in the world
// look broken. Both hashes were computed from doc.go by other means (a dozen lines of Python).
func TestTheFormulaNeverChanges(t *testing.T) {
	t.Parallel()
	link := chain.Link{
		Stream: "run-7", Revision: 0, ID: "e1", Type: "RunStarted", SchemaVersion: 1,
		Payload: []byte(`{"run":"7"}`), Metadata: []byte(`{"event_id":"e1"}`),
	}
	first := chain.Next(chain.Hash{}, link)
	require.Equal(t, "586f6257176803a456a1371474d2d17d125a245c2d7495028225756011538055", first.String())

	link.Revision, link.ID, link.SchemaVersion = 258, "e2", 3
	require.Equal(t, "3971ee0a03919188350295eb4e0bc6211592f62247c451b29630c4ecca451261", chain.Next(first, link).String())
}

// Stored metadata is the metadata with the hash as its last member, and nothing else.
func TestSealAndUnseal(t *testing.T) {
	t.Parallel()
	hash := chain.Next(chain.Hash{}, chain.Link{Stream: "s"})
	sealed := chain.Seal([]byte(`{"actor":"person:ann"}`), hash)
	require.Equal(t, `{"actor":"person:ann","hash":"`+hash.String()+`"}`, string(sealed))
	require.True(t, json.Valid(sealed))

	metadata, got, err := chain.Unseal(sealed)
	require.NoError(t, err)
	require.Equal(t, `{"actor":"person:ann"}`, string(metadata))
	require.Equal(t, hash, got)

	for name, stored := range map[string]string{
		"nothing":      ``,
		"no hash":      `{"actor":"person:ann"}`,
		"short hash":   `{"actor":"person:ann","hash":"00"}`,
		"upper case":   `{"actor":"person:ann","hash":"` + strings.ToUpper(hash.String()) + `"}`,
		"not hex":      `{"actor":"person:ann","hash":"` + strings.Repeat("g", 64) + `"}`,
		"not the last": `{"hash":"` + hash.String() + `","actor":"person:ann"}`,
		"space after":  string(sealed) + " ",
		"only a hash":  `,"hash":"` + hash.String() + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := chain.Unseal([]byte(stored))
			require.Error(t, err)
		})
	}
}

// Texts are preceded by their length, so no two links share a hash by moving a border.
func TestBordersAreInTheHash(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(3, 12, -1)
		one := chain.Link{Stream: text.Draw(t, "stream"), ID: text.Draw(t, "id"), Type: text.Draw(t, "type")}
		all := one.Stream + one.ID + one.Type
		i := rapid.IntRange(0, len(all)).Draw(t, "i")
		j := rapid.IntRange(i, len(all)).Draw(t, "j")
		other := chain.Link{Stream: all[:i], ID: all[i:j], Type: all[j:]}
		same := one.Stream == other.Stream && one.ID == other.ID
		require.Equal(t, same, chain.Next(chain.Hash{}, one) == chain.Next(chain.Hash{}, other))
	})
}

// Whole chains verify, also side by side in one log.
func TestWholeChainsVerify(t *testing.T) {
	t.Parallel()
	require.NoError(t, chain.Verify(read(nil)))
	a, b := stream("a", `{"n":1}`, `{"n":2}`, `{"n":3}`), stream("b", `{"n":1}`, `{"n":2}`)
	require.NoError(t, chain.Verify(read(a)))
	require.NoError(t, chain.Verify(read([]eventlog.Record{a[0], b[0], a[1], a[2], b[1]})))
}

// Any byte that is changed in what was recorded is found, at the event it was changed in.
func TestAnyChangedByteIsFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		payloads := rapid.SliceOfN(rapid.Map(rapid.String(), func(s string) string {
			quoted, _ := json.Marshal(s)
			return string(quoted)
		}), 1, 6).Draw(t, "payloads")
		records := stream("workflow-1", payloads...)
		at := rapid.IntRange(0, len(records)-1).Draw(t, "event")
		changed := &records[at]
		flip := func(content []byte) []byte {
			content = slices.Clone(content)
			i := rapid.IntRange(0, len(content)-1).Draw(t, "byte")
			content[i] ^= byte(rapid.IntRange(1, 255).Draw(t, "xor"))
			return content
		}
		switch rapid.SampledFrom([]string{"payload", "metadata", "type", "id", "version", "stream"}).Draw(t, "what") {
		case "payload":
			changed.Payload = flip(changed.Payload)
		case "metadata":
			changed.Metadata = flip(changed.Metadata)
		case "type":
			changed.Type = string(flip([]byte(changed.Type)))
		case "id":
			changed.ID = string(flip([]byte(changed.ID)))
		case "version":
			changed.SchemaVersion++
		case "stream":
			name := string(flip([]byte(changed.Stream)))
			for i := range records {
				records[i].Stream = name
			}
			at = 0
		}
		broken, ok := errors.AsType[*chain.BrokenError](chain.Verify(read(records)))
		require.True(t, ok)
		require.Equal(t, int64(at), broken.Revision)
	})
}

// Events that were removed before the end, exchanged, repeated or taken from another
// stream are found.
func TestMovedEventsAreFound(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change   func(records []eventlog.Record) []eventlog.Record
		revision int64
		what     string
	}{
		"first removed": {func(r []eventlog.Record) []eventlog.Record { return r[1:] }, 1, "revision 0 is missing before it"},
		"middle removed": {func(r []eventlog.Record) []eventlog.Record {
			return slices.Delete(r, 2, 3)
		}, 3, "revision 2 is missing before it"},
		"removed and renumbered": {func(r []eventlog.Record) []eventlog.Record {
			r = slices.Delete(r, 2, 3)
			for i := range r {
				r[i].Revision = int64(i)
			}
			return r
		}, 2, "or it was moved"},
		"exchanged": {func(r []eventlog.Record) []eventlog.Record {
			r[1], r[2] = r[2], r[1]
			return r
		}, 2, "revision 1 is missing before it"},
		"exchanged and renumbered": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Event, r[2].Event = r[2].Event, r[1].Event
			return r
		}, 1, "or it was moved"},
		"repeated": {func(r []eventlog.Record) []eventlog.Record {
			return slices.Insert(r, 2, r[1])
		}, 1, "revision 2 should be here"},
		"from another stream": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Event = stream("b", "1", "2", "3", "4")[1].Event
			return r
		}, 1, "or it was moved"},
		"other schema version": {func(r []eventlog.Record) []eventlog.Record {
			r[1].SchemaVersion = 2
			return r
		}, 1, "its metadata says schema version 1, it is stored as 2"},
		"other event id": {func(r []eventlog.Record) []eventlog.Record {
			r[1].ID = "x"
			return r
		}, 1, "its metadata says event a-1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := chain.Verify(read(test.change(stream("a", "1", "2", "3", "4"))))
			broken, ok := errors.AsType[*chain.BrokenError](err)
			require.True(t, ok, "got %v", err)
			require.Equal(t, test.revision, broken.Revision)
			require.Contains(t, broken.Error(), test.what)
			require.Contains(t, broken.Error(), "stream a is broken at revision")
		})
	}
}

// What cannot be read is not called broken.
func TestReadErrorsAreNotBrokenChains(t *testing.T) {
	t.Parallel()
	err := chain.Verify(func(yield func(eventlog.Record, error) bool) {
		yield(eventlog.Record{}, eventlog.ErrClosed)
	})
	require.ErrorIs(t, err, eventlog.ErrClosed)
	_, ok := errors.AsType[*chain.BrokenError](err)
	require.False(t, ok)
}
