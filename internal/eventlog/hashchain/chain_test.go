package hashchain_test

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

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// stream makes a stream of events whose chain is whole.
func stream(name string, payloads ...string) []eventlog.Record {
	var records []eventlog.Record
	var previous hashchain.Hash
	for i, payload := range payloads {
		id := fmt.Sprintf("%s-%d", name, i)
		link := hashchain.Link{
			Stream: name, Revision: int64(i), ID: id, Type: "Happened", SchemaVersion: 1, Payload: []byte(payload),
			Metadata: fmt.Appendf(nil, `{"event_id":%q,"schema_version":1,"actor":"person:ann"}`, id),
		}
		previous = hashchain.Next(previous, link)
		records = append(records, eventlog.Record{
			Stream: name, Revision: link.Revision,
			Event: eventlog.Event{
				ID: id, Type: link.Type, SchemaVersion: 1, Payload: link.Payload,
				Metadata: hashchain.Seal(link.Metadata, previous),
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
	link := hashchain.Link{
		Stream: "run-7", Revision: 0, ID: "e1", Type: "RunStarted", SchemaVersion: 1,
		Payload: []byte(`{"run":"7"}`), Metadata: []byte(`{"event_id":"e1"}`),
	}
	first := hashchain.Next(hashchain.Hash{}, link)
	require.Equal(t, "586f6257176803a456a1371474d2d17d125a245c2d7495028225756011538055", first.String())

	link.Revision, link.ID, link.SchemaVersion = 258, "e2", 3
	require.Equal(t, "3971ee0a03919188350295eb4e0bc6211592f62247c451b29630c4ecca451261", hashchain.Next(first, link).String())
}

// Stored metadata is the metadata with the hash as its last member, and nothing else.
func TestSealAndUnseal(t *testing.T) {
	t.Parallel()
	hash := hashchain.Next(hashchain.Hash{}, hashchain.Link{Stream: "s"})
	sealed := hashchain.Seal([]byte(`{"actor":"person:ann"}`), hash)
	require.Equal(t, `{"actor":"person:ann","hash":"`+hash.String()+`"}`, string(sealed))
	require.True(t, json.Valid(sealed))

	metadata, got, err := hashchain.Unseal(sealed)
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
			_, _, err := hashchain.Unseal([]byte(stored))
			require.Error(t, err)
		})
	}
}

// Texts are preceded by their length, so no two links share a hash by moving a border.
func TestBordersAreInTheHash(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(3, 12, -1)
		one := hashchain.Link{Stream: text.Draw(t, "stream"), ID: text.Draw(t, "id"), Type: text.Draw(t, "type")}
		all := one.Stream + one.ID + one.Type
		i := rapid.IntRange(0, len(all)).Draw(t, "i")
		j := rapid.IntRange(i, len(all)).Draw(t, "j")
		other := hashchain.Link{Stream: all[:i], ID: all[i:j], Type: all[j:]}
		same := one.Stream == other.Stream && one.ID == other.ID
		require.Equal(t, same, hashchain.Next(hashchain.Hash{}, one) == hashchain.Next(hashchain.Hash{}, other))
	})
}

// Whole chains verify, also side by side in one log.
func TestWholeChainsVerify(t *testing.T) {
	t.Parallel()
	require.NoError(t, hashchain.Verify(read(nil)))
	a, b := stream("a", `{"n":1}`, `{"n":2}`, `{"n":3}`), stream("b", `{"n":1}`, `{"n":2}`)
	require.NoError(t, hashchain.Verify(read(a)))
	require.NoError(t, hashchain.Verify(read([]eventlog.Record{a[0], b[0], a[1], a[2], b[1]})))
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
		broken, ok := errors.AsType[*hashchain.BrokenError](hashchain.Verify(read(records)))
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
			err := hashchain.Verify(read(test.change(stream("a", "1", "2", "3", "4"))))
			broken, ok := errors.AsType[*hashchain.BrokenError](err)
			require.True(t, ok, "got %v", err)
			require.Equal(t, test.revision, broken.Revision)
			require.Contains(t, broken.Error(), test.what)
			require.Contains(t, broken.Error(), "stream a is broken at revision")
		})
	}
}

// rechain gives records a chain that is whole, whatever they say: what somebody does who
// changes a history and knows how it is kept.
func rechain(records []eventlog.Record) []eventlog.Record {
	var previous hashchain.Hash
	for i := range records {
		one := &records[i]
		metadata, _, err := hashchain.Unseal(one.Metadata)
		if err != nil {
			panic(err)
		}
		previous = hashchain.Next(previous, hashchain.Link{
			Stream: one.Stream, Revision: one.Revision, ID: one.ID, Type: one.Type, SchemaVersion: one.SchemaVersion,
			Payload: one.Payload, Metadata: metadata,
		})
		one.Metadata = hashchain.Seal(metadata, previous)
	}
	return records
}

// The whole stream tells more than the event alone: which part of it is not as it was recorded.
func TestExplain(t *testing.T) {
	t.Parallel()
	renumber := func(r []eventlog.Record) []eventlog.Record {
		for i := range r {
			r[i].Revision = int64(i)
		}
		return r
	}
	reseal := func(one *eventlog.Record, hash hashchain.Hash) {
		metadata, _, err := hashchain.Unseal(one.Metadata)
		require.NoError(t, err)
		one.Metadata = hashchain.Seal(metadata, hash)
	}
	for name, test := range map[string]struct {
		change   func(records []eventlog.Record) []eventlog.Record
		revision int64
		part     hashchain.Part
		what     string
	}{
		"payload": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Payload = []byte("7")
			return r
		}, 1, hashchain.PartContent, "its payload or its metadata was changed; its hash is the recorded one"},
		"actor": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Metadata = []byte(strings.Replace(string(r[1].Metadata), "ann", "bob", 1))
			return r
		}, 1, hashchain.PartContent, "its payload or its metadata was changed"},
		"payload of the newest": {func(r []eventlog.Record) []eventlog.Record {
			r[4].Payload = []byte("7")
			return r
		}, 4, hashchain.PartContent, "or it was moved"},
		"hash": {func(r []eventlog.Record) []eventlog.Record {
			reseal(&r[1], hashchain.Hash{1})
			return r
		}, 1, hashchain.PartHash, "its recorded hash was changed"},
		"payload, and its hash made anew": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Payload = []byte("7")
			rechain(r[:2])
			return r
		}, 2, hashchain.PartContent, "its payload or its metadata was changed"},
		"type": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Type = "Vanished"
			return r
		}, 1, hashchain.PartType, "its type was Happened, and everything else is as it was recorded"},
		"type, unknown": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Type, r[1].Payload = "Vanished", []byte("7")
			return r
		}, 1, hashchain.PartContent, "was changed"},
		"id": {func(r []eventlog.Record) []eventlog.Record {
			r[1].ID = "x"
			return r
		}, 1, hashchain.PartID, "its metadata says event a-1, and everything else is as it was recorded"},
		"id, and more": {func(r []eventlog.Record) []eventlog.Record {
			r[1].ID, r[1].Payload = "x", []byte("7")
			return r
		}, 1, hashchain.PartID, "its metadata says event a-1; "},
		"schema version": {func(r []eventlog.Record) []eventlog.Record {
			r[1].SchemaVersion = 2
			return r
		}, 1, hashchain.PartSchemaVersion, "it is stored as 2, and everything else is as it was recorded"},
		"metadata that is not sealed": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Metadata = []byte(`{}`)
			return r
		}, 1, hashchain.PartMetadata, "does not end with"},
		"metadata that is not JSON": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Metadata[1] = 'x'
			return r
		}, 1, hashchain.PartMetadata, "is not JSON"},
		"first removed": {func(r []eventlog.Record) []eventlog.Record { return r[1:] }, 1, hashchain.PartMissing, "revision 0 is missing before it"},
		"some removed":  {func(r []eventlog.Record) []eventlog.Record { return slices.Delete(r, 1, 3) }, 3, hashchain.PartMissing, "revisions 1 to 2 are missing"},
		"removed and renumbered": {func(r []eventlog.Record) []eventlog.Record {
			return renumber(slices.Delete(r, 1, 3))
		}, 1, hashchain.PartMissing, "2 events before it were removed, and it and what follows were renumbered"},
		"put in": {func(r []eventlog.Record) []eventlog.Record {
			return renumber(append(stream("a", "1", "2", "new"), r[2:]...))
		}, 3, hashchain.PartMoved, "it was recorded as revision 2"},
		"more put in than there was": {func(r []eventlog.Record) []eventlog.Record {
			return renumber(append(stream("a", "x", "y", "z"), r[2:]...))
		}, 3, hashchain.PartOrder, "1 events before it were put in"},
		"exchanged": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Event, r[2].Event = r[2].Event, r[1].Event
			return r
		}, 1, hashchain.PartMoved, "it was recorded as revision 2 of this stream"},
		"copied over another": {func(r []eventlog.Record) []eventlog.Record {
			r[3].Event = r[1].Event
			return r
		}, 3, hashchain.PartMoved, "it was recorded as revision 1"},
		"repeated": {func(r []eventlog.Record) []eventlog.Record {
			return slices.Insert(r, 2, r[1])
		}, 1, hashchain.PartOrder, "revision 2 should be here"},
		"erased": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Payload = eventlog.Erased(r[1].Payload)
			return r
		}, 1, hashchain.PartErased, "its payload was erased"},
		"erased, and another digest": {func(r []eventlog.Record) []eventlog.Record {
			r[1].Payload = eventlog.Erased([]byte("7"))
			return r
		}, 1, hashchain.PartContent, "its payload or its metadata was changed"},
		"nothing": {func(r []eventlog.Record) []eventlog.Record { return r }, 0, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := test.change(stream("a", "1", "2", "3", "4", "5"))
			err := new(hashchain.Verifier).Explain(read(records), []string{"Other", "Happened"})
			if test.part == "" {
				require.NoError(t, err)
				return
			}
			broken, ok := errors.AsType[*hashchain.BrokenError](err)
			require.True(t, ok, "got %v", err)
			require.Equal(t, test.part, broken.Part, broken.What)
			require.Equal(t, test.revision, broken.Revision)
			require.Contains(t, broken.What, test.what)
			require.Equal(t, records[slices.IndexFunc(records, func(r eventlog.Record) bool {
				return r.Revision == broken.Revision && r.ID == broken.ID
			})].Position, broken.Position)
			// Reading along, the same event is named first.
			first, ok := errors.AsType[*hashchain.BrokenError](hashchain.Verify(read(records)))
			require.True(t, ok)
			require.Equal(t, broken.Revision, first.Revision)
		})
	}
	failed := func(yield func(eventlog.Record, error) bool) { yield(eventlog.Record{}, eventlog.ErrClosed) }
	require.ErrorIs(t, new(hashchain.Verifier).Explain(failed, nil), eventlog.ErrClosed)
}

// A payload can be erased, and the chain verifies for who allows it; but nothing that was
// changed can be passed off as erased, and nothing else may change with it.
func TestErasedPayloads(t *testing.T) {
	t.Parallel()
	allowed := func(records []eventlog.Record) error {
		verifier := hashchain.Verifier{AllowErased: true}
		for _, one := range records {
			if err := verifier.Check(one); err != nil {
				// A reader who may see more of the stream finds the same event.
				explained, ok := errors.AsType[*hashchain.BrokenError](verifier.Explain(read(records), nil))
				require.True(t, ok)
				require.Equal(t, one.Revision, explained.Revision)
				return err
			}
			require.Equal(t, one.Revision == 1, verifier.CheckedErased())
		}
		return nil
	}
	erased := func(payloads ...string) []eventlog.Record {
		records := stream("a", payloads...)
		records[1].Payload = eventlog.Erased(records[1].Payload)
		return records
	}
	records := erased("1", `{"secret":"x"}`, "3")
	require.NotContains(t, string(records[1].Payload), "secret")
	require.True(t, json.Valid(records[1].Payload))
	require.NotEqual(t, byte('{'), records[1].Payload[0], "no event is read from it")
	require.NoError(t, allowed(records))
	require.Error(t, hashchain.Verify(read(records)), "nobody allowed it")
	records[1].Payload = eventlog.Erased(records[1].Payload)
	require.NoError(t, allowed(records), "erased twice")
	before := stream("a", "1", `{"secret":"x"}`, "3")
	require.Equal(t, before[2].Metadata, records[2].Metadata, "nothing after it changes")

	for name, change := range map[string]func(*eventlog.Record){
		"other digest":  func(r *eventlog.Record) { r.Payload = eventlog.Erased([]byte(`{"secret":"y"}`)) },
		"upper case":    func(r *eventlog.Record) { r.Payload = []byte(strings.ToUpper(string(r.Payload))) },
		"space":         func(r *eventlog.Record) { r.Payload = append(r.Payload, ' ') },
		"other type":    func(r *eventlog.Record) { r.Type = "Other" },
		"other actor":   func(r *eventlog.Record) { r.Metadata[len(`{"event_id":"a-1","schema_version":1,"actor":"p`)] = 'P' },
		"other version": func(r *eventlog.Record) { r.SchemaVersion = 2 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := erased("1", `{"secret":"x"}`, "3")
			change(&records[1])
			require.Error(t, allowed(records))
		})
	}
	// It is no excuse for another event.
	records = erased("1", "2", "3")
	records[2].Payload = []byte("4")
	require.ErrorContains(t, allowed(records), "revision 2")
	// A payload that is there says nothing of erasing.
	genuine := stream("a", string(eventlog.Erased([]byte("x"))))
	require.NoError(t, hashchain.Verify(read(genuine)))
	require.NoError(t, allowed(genuine))
}

// The hash can be made of digests alone, for who may not see what the event says.
func TestDigests(t *testing.T) {
	t.Parallel()
	link := hashchain.Link{Stream: "s", Revision: 3, ID: "i", Type: "T", SchemaVersion: 2, Payload: []byte("p"), Metadata: []byte("m")}
	require.Equal(t, hashchain.Next(hashchain.Hash{7}, link), link.Digest().Next(hashchain.Hash{7}))
	other := link.Digest()
	other.Payload[0]++
	require.NotEqual(t, hashchain.Next(hashchain.Hash{7}, link), other.Next(hashchain.Hash{7}))
}

// A verifier knows the heads of what it has checked.
func TestHeads(t *testing.T) {
	t.Parallel()
	a, b := stream("a", "1", "2", "3"), stream("b", "1")
	var verifier hashchain.Verifier
	require.Empty(t, verifier.Heads())
	for _, one := range append(a, b...) {
		require.NoError(t, verifier.Check(one))
	}
	_, hash, err := hashchain.Unseal(a[2].Metadata)
	require.NoError(t, err)
	require.Len(t, verifier.Heads(), 2)
	require.Equal(t, hashchain.Head{Revision: 2, Hash: hash}, verifier.Heads()["a"])
	require.Equal(t, int64(0), verifier.Heads()["b"].Revision)
	require.Equal(t, "b-0", verifier.Checked().ID)
	require.Equal(t, hash, lastOf(a).Next(verifierAt(t, a, 1).Hash))
	b[0].Payload = []byte("2")
	verifier = hashchain.Verifier{}
	require.Error(t, verifier.Check(b[0]))
	require.Empty(t, verifier.Heads(), "what is broken has no head")
}

// lastOf is what the hash of the last of some records is made of.
func lastOf(records []eventlog.Record) hashchain.Digest {
	var verifier hashchain.Verifier
	for _, one := range records {
		if err := verifier.Check(one); err != nil {
			panic(err)
		}
	}
	return verifier.Checked()
}

// verifierAt is the head of a stream when it came to a revision.
func verifierAt(t *testing.T, records []eventlog.Record, revision int64) hashchain.Head {
	t.Helper()
	var verifier hashchain.Verifier
	for _, one := range records[:revision+1] {
		require.NoError(t, verifier.Check(one))
	}
	return verifier.Heads()[records[0].Stream]
}

// Streams of others are in order, and their heads cover every byte, though nothing is sealed.
func TestStreamsOfOthers(t *testing.T) {
	t.Parallel()
	others := func(change func([]eventlog.Record)) (hashchain.Head, error) {
		records := stream("theirs", "1", "2", "3")
		for i := range records {
			records[i].Metadata = fmt.Appendf(nil, "bytes %d", i)
		}
		change(records)
		verifier := hashchain.Verifier{Chained: func(name string) bool { return name != "theirs" }}
		for _, one := range append(records, stream("ours", "1")...) {
			if err := verifier.Check(one); err != nil {
				return hashchain.Head{}, err
			}
		}
		return verifier.Heads()["theirs"], nil
	}
	head, err := others(func([]eventlog.Record) {})
	require.NoError(t, err)
	require.Equal(t, int64(2), head.Revision)
	for _, change := range []func([]eventlog.Record){
		func(r []eventlog.Record) { r[0].Payload = []byte("7") },
		func(r []eventlog.Record) { r[1].Metadata = []byte("x") },
		func(r []eventlog.Record) { r[2].Type = "Other" },
	} {
		other, err := others(change)
		require.NoError(t, err)
		require.NotEqual(t, head, other)
	}
	_, err = others(func(r []eventlog.Record) { r[2].Revision = 3 })
	require.ErrorContains(t, err, "revision 2 is missing")
}

// Hashes have one spelling.
func TestHashText(t *testing.T) {
	t.Parallel()
	hash := hashchain.Next(hashchain.Hash{}, hashchain.Link{})
	text, err := hash.MarshalText()
	require.NoError(t, err)
	require.Equal(t, hash.String(), string(text))
	var read hashchain.Hash
	require.NoError(t, read.UnmarshalText(text))
	require.Equal(t, hash, read)
	for _, bad := range []string{"", "00", strings.ToUpper(hash.String()), strings.Repeat("g", 64), hash.String() + "00"} {
		require.Error(t, read.UnmarshalText([]byte(bad)))
		require.Equal(t, hash, read)
	}
}

// A stream that cannot be read is not called broken.
func TestReadErrorsAreNotBrokenChains(t *testing.T) {
	t.Parallel()
	err := hashchain.Verify(func(yield func(eventlog.Record, error) bool) {
		yield(eventlog.Record{}, eventlog.ErrClosed)
	})
	require.ErrorIs(t, err, eventlog.ErrClosed)
	_, ok := errors.AsType[*hashchain.BrokenError](err)
	require.False(t, ok)
}
