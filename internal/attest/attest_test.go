package attest

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

var moment = time.Date(2026, 3, 1, 7, 0, 0, 0, time.UTC)

// stream makes chained records, of a stream that says something of its own.
func stream(name, says string, n int) []eventlog.Record {
	var records []eventlog.Record
	var hash chain.Hash
	for i := range n {
		id := uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "%s/%d", name, i)).String()
		payload := fmt.Appendf(nil, `{"says":%q,"n":%d}`, says, i)
		metadata := fmt.Appendf(nil, `{"event_id":%q,"schema_version":1}`, id)
		link := chain.Link{Stream: name, Revision: int64(i), ID: id, Type: "Said", SchemaVersion: 1, Payload: payload, Metadata: metadata}
		hash = chain.Next(hash, link)
		records = append(records, eventlog.Record{
			Event:  eventlog.Event{ID: id, Type: "Said", SchemaVersion: 1, Payload: payload, Metadata: chain.Seal(metadata, hash)},
			Stream: name, Revision: int64(i),
		})
	}
	return records
}

func each(records []eventlog.Record) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}
}

func headsOf(t require.TestingT, all ...[]eventlog.Record) map[string]chain.Head {
	var verifier chain.Verifier
	for _, records := range all {
		for _, record := range records {
			require.NoError(t, verifier.Check(record))
		}
	}
	return verifier.Heads()
}

func newKey(t testing.TB) PrivateKey {
	t.Helper()
	key, made, err := OpenKey(filepath.Join(t.TempDir(), "audit.key"), rand.Reader)
	require.NoError(t, err)
	require.True(t, made)
	return key
}

func read(t require.TestingT, c *Checkpoint) *Checkpoint {
	var text bytes.Buffer
	require.NoError(t, c.Write(&text))
	back, err := Read(&text)
	require.NoError(t, err)
	return back
}

func forgedBy(t require.TestingT, err error) {
	var forged *ForgedError
	require.ErrorAs(t, err, &forged)
}

// A checkpoint is what was signed, or it is refused: whichever part of it is changed.
func TestAChangedCheckpointIsRefused(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	heads := headsOf(t, stream("a", "x", 3), stream("b", "x", 1), stream("c", "x", 7))
	first := New(heads, "0000000000000000011", moment, nil, key)
	fresh := func() *Checkpoint { return read(t, New(heads, "0000000000000000011", moment, &first.Signed, key)) }
	require.NoError(t, fresh().Verify(key.Public()))
	require.Equal(t, int64(11), fresh().Events)
	require.Equal(t, first.Digest(), *fresh().Previous)
	for name, change := range map[string]func(*Checkpoint){
		"time":           func(c *Checkpoint) { c.TakenAt = c.TakenAt.Add(1) },
		"events":         func(c *Checkpoint) { c.Events++ },
		"position":       func(c *Checkpoint) { c.Position = "0000000000000000012" },
		"root":           func(c *Checkpoint) { c.Root[0] ^= 1 },
		"previous":       func(c *Checkpoint) { c.Previous[0] ^= 1 },
		"no previous":    func(c *Checkpoint) { c.Previous = nil },
		"signature":      func(c *Checkpoint) { c.Signature[0] ^= 1 },
		"no signature":   func(c *Checkpoint) { c.Signature = nil },
		"a hash":         func(c *Checkpoint) { c.Heads[1].Hash[3] ^= 1 },
		"a revision":     func(c *Checkpoint) { c.Heads[1].Revision++ },
		"a negative one": func(c *Checkpoint) { c.Heads[1].Revision = -1 },
		"a name":         func(c *Checkpoint) { c.Heads[1].Stream = "bb" },
		"the order":      func(c *Checkpoint) { c.Heads[0], c.Heads[1] = c.Heads[1], c.Heads[0] },
		"a stream less":  func(c *Checkpoint) { c.Heads = c.Heads[:2] },
		"a stream twice": func(c *Checkpoint) { c.Heads = append(c.Heads, c.Heads[2]) },
		"the streams":    func(c *Checkpoint) { c.Streams = 2; c.Heads = c.Heads[:2] },
	} {
		changed := fresh()
		change(changed)
		forgedBy(t, changed.Verify(key.Public()))
		_ = name
	}
	other := newKey(t)
	forgedBy(t, fresh().Verify(other.Public()))
	forgedBy(t, New(heads, "", moment, nil, other).Verify(key.Public()))
}

// What was cut off, taken out or written anew shows, and what came since does not matter.
func TestWatchFindsWhatChainsCannot(t *testing.T) {
	t.Parallel()
	a, b := stream("a", "x", 5), stream("b", "x", 2)
	signed := New(headsOf(t, a, b), "", moment, nil, newKey(t))
	compare := func(all ...[]eventlog.Record) error {
		watch := signed.Watch()
		var verifier chain.Verifier
		for _, records := range all {
			for _, record := range records {
				require.NoError(t, verifier.Check(record), "the chains are whole")
				if err := watch.Check(record.Stream, verifier.Heads()[record.Stream]); err != nil {
					return err
				}
			}
		}
		return watch.End(verifier.Heads())
	}
	require.NoError(t, compare(a, b))
	require.NoError(t, compare(b, stream("a", "x", 9), stream("c", "x", 1)))
	require.ErrorContains(t, compare(a[:4], b), "its newest events were cut off")
	require.ErrorContains(t, compare(b), "stream a is not what was signed: it is gone")
	require.ErrorContains(t, compare(stream("a", "y", 5), b), "it was written anew")
	require.ErrorContains(t, compare(stream("a", "y", 9), b), "it was written anew")
	require.ErrorContains(t, compare(), "and 1 other streams")
}

// Every event of every history has a proof that holds, and does not when anything of it is changed.
func TestProofs(t *testing.T) {
	t.Parallel()
	key := newKey(t)
	rapid.Check(t, func(t *rapid.T) {
		all := map[string][]eventlog.Record{}
		heads := map[string]chain.Head{}
		for i := range rapid.IntRange(1, 12).Draw(t, "streams") {
			name := fmt.Sprintf("s%d", i)
			all[name] = stream(name, "x", rapid.IntRange(1, 5).Draw(t, "events"))
			heads[name] = headsOf(t, all[name])[name]
		}
		checkpoint := New(heads, "", moment, nil, key)
		name := rapid.SampledFrom(checkpoint.Heads).Draw(t, "stream").Stream
		revision := rapid.Int64Range(0, heads[name].Revision).Draw(t, "revision")
		prove := func() *Proof {
			proof, err := checkpoint.Prove(name, revision, each(all[name]), nil)
			require.NoError(t, err)
			var text bytes.Buffer
			require.NoError(t, proof.Write(&text))
			back, err := ReadProof(&text)
			require.NoError(t, err)
			return back
		}
		require.NoError(t, prove().Verify(key.Public()))
		require.NoError(t, prove().Matches(all[name][revision]))
		other := all[name][revision]
		other.Payload = []byte(`{"says":"y"}`)
		forgedBy(t, prove().Matches(other))

		changed := prove()
		changes := []func(){
			func() { changed.Event.Stream += "x" }, func() { changed.Event.Revision++ }, func() { changed.Event.ID = "x" },
			func() { changed.Event.Type = "Other" }, func() { changed.Event.SchemaVersion++ }, func() { changed.Event.PayloadSHA256[5] ^= 1 },
			func() { changed.Event.MetadataSHA256[5] ^= 1 }, func() { changed.Previous[0] ^= 1 }, func() { changed.Checkpoint.Root[0] ^= 1 },
			func() { changed.Path = append(changed.Path, chain.Hash{}) }, func() { changed.Index += changed.Checkpoint.Streams },
			func() { changed.Index = -1 }, func() { changed.Event.Revision = -1 },
			func() { changed.Later = append(changed.Later, Later{ID: "x", Type: "Said", SchemaVersion: 1}) },
		}
		if len(changed.Path) > 0 {
			changes = append(changes, func() { changed.Path[0][0] ^= 1 }, func() { changed.Path = changed.Path[1:] }, func() { changed.Index ^= 1 })
		}
		if len(changed.Later) > 0 {
			changes = append(changes, func() { changed.Later = changed.Later[1:] }, func() { changed.Later[0].Payload[0] ^= 1 })
		}
		rapid.SampledFrom(changes).Draw(t, "change")()
		forgedBy(t, changed.Verify(key.Public()))
	})
}

// A node of the tree cannot be passed off as the head of a stream: they are hashed with another
// first byte, RFC 6962.
func TestNodesAreNoLeaves(t *testing.T) {
	t.Parallel()
	heads := sorted(headsOf(t, stream("a", "x", 1), stream("b", "x", 1), stream("c", "x", 1), stream("d", "x", 1)))
	all := leaves(heads)
	left, right := hashNode(all[0], all[1]), hashNode(all[2], all[3])
	require.Equal(t, hashNode(left, right), rootOf(all))
	require.NotEqual(t, rootOf([]chain.Hash{left, right}), sha256.Sum256(append(append([]byte{}, left[:]...), right[:]...)))

	// A stream whose leaf would be the left node, if leaves and nodes were hashed alike.
	plain := append(binary.BigEndian.AppendUint64(nil, 1), 'a')
	plain = binary.BigEndian.AppendUint64(plain, 0)
	plain = append(plain, heads[0].Hash[:]...)
	require.Equal(t, chain.Hash(sha256.Sum256(append([]byte{0}, plain...))), heads[0].leaf(), "the form of the package comment")
	require.NotEqual(t, chain.Hash(sha256.Sum256(append([]byte{1}, plain...))), heads[0].leaf())
	require.Equal(t, chain.Hash(sha256.Sum256(nil)), rootOf(nil))
}

// A proof is refused for what a checkpoint does not hold, and for a history that is not the signed one.
func TestProveRefuses(t *testing.T) {
	t.Parallel()
	a := stream("a", "x", 5)
	checkpoint := New(headsOf(t, a[:3]), "", moment, nil, newKey(t))
	prove := func(name string, revision int64, records []eventlog.Record) error {
		_, err := checkpoint.Prove(name, revision, each(records), nil)
		return err
	}
	require.NoError(t, prove("a", 2, a))
	require.ErrorContains(t, prove("b", 0, a), "the checkpoint has no stream b")
	require.ErrorContains(t, prove("a", 3, a), "has stream a up to revision 2, and nothing of revision 3")
	require.ErrorContains(t, prove("a", -1, a), "nothing of revision -1")
	require.ErrorContains(t, prove("a", 0, stream("a", "y", 5)), "written anew")
	require.ErrorContains(t, prove("a", 0, a[:2]), "cut off")
	broken := append([]eventlog.Record{}, a...)
	broken[1].Payload = []byte("{}")
	require.ErrorContains(t, prove("a", 0, broken), "stream a is broken at revision 1")
}

// What cannot be read says what it is not.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                   "it is no kintsugi.checkpoint/1",
		"[]":                                 "it is no kintsugi.checkpoint/1",
		"{}":                                 "it does not say its format",
		`{"format":"kintsugi.checkpoint/2"}`: `its format is "kintsugi.checkpoint/2"`,
		`{"format":"kintsugi.checkpoint/1","colour":"blue"}`:   "colour",
		`{"format":"kintsugi.checkpoint/1","heads":[["a",1]]}`: "a head is",
		`{"format":"kintsugi.checkpoint/1"} {}`:                "something follows its end",
	} {
		_, err := Read(strings.NewReader(text))
		require.ErrorContains(t, err, want, text)
		_, err = ReadProof(strings.NewReader(text))
		require.Error(t, err)
	}
}

// The key is made once, for its owner only; others are refused with what to do.
func TestKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "deep", "audit.key")
	_, err := ReadKey(path)
	require.ErrorIs(t, err, ErrNoKey)
	key, made, err := OpenKey(path, rand.Reader)
	require.NoError(t, err)
	require.True(t, made)
	again, made, err := OpenKey(path, rand.Reader)
	require.NoError(t, err)
	require.False(t, made)
	require.Equal(t, key.Public(), again.Public())
	public, err := ReadPublicKey(path)
	require.NoError(t, err)
	require.Equal(t, key.Public(), public)
	var parsed PublicKey
	require.NoError(t, parsed.UnmarshalText([]byte(public.String())))
	require.Equal(t, public, parsed)
	require.Error(t, parsed.UnmarshalText([]byte("ed25519:AAAA")))

	require.NoError(t, os.Chmod(path, 0o644))
	_, err = ReadKey(path)
	require.ErrorContains(t, err, "chmod 600")
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.WriteFile(path, []byte("no key"), 0o600))
	_, err = ReadKey(path)
	require.ErrorContains(t, err, "is not a private key in PEM")
}
