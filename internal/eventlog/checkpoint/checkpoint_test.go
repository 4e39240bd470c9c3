package checkpoint_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/checkpoint"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

var update = flag.Bool("update", false, "write the golden checkpoint and proof")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// keyOf gives a key that is the same in every run, from a seed.
func keyOf(t *testing.T, seed byte) checkpoint.PrivateKey {
	t.Helper()
	encoded, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize)))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "key")
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded}), 0o600))
	key, err := checkpoint.ReadKey(path)
	require.NoError(t, err)
	return key
}

// stream makes a stream whose chain is whole.
func stream(name string, payloads ...string) []eventlog.Record {
	var records []eventlog.Record
	var previous hashchain.Hash
	for i, payload := range payloads {
		id := fmt.Sprintf("%s-%d", name, i)
		link := hashchain.Link{
			Stream: name, Revision: int64(i), ID: id, Type: "Happened", SchemaVersion: 1, Payload: []byte(payload),
			Metadata: fmt.Appendf(nil, `{"event_id":%q,"schema_version":1}`, id),
		}
		previous = hashchain.Next(previous, link)
		records = append(records, eventlog.Record{
			Stream: name, Revision: link.Revision,
			Event: eventlog.Event{ID: id, Type: link.Type, SchemaVersion: 1, Payload: link.Payload, Metadata: hashchain.Seal(link.Metadata, previous)},
		})
	}
	return records
}

func read(records []eventlog.Record) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for _, one := range records {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// headsOf are the heads of streams, whatever they are.
func headsOf(t require.TestingT, records []eventlog.Record) map[string]hashchain.Head {
	var verifier hashchain.Verifier
	for _, one := range records {
		require.NoError(t, verifier.Check(one))
	}
	return verifier.Heads()
}

func history() []eventlog.Record {
	return slices.Concat(stream("workflow-1", "a", "b", "c"), stream("run-1", "d"), stream("run-2", "e", "f"), stream("thread-1", "g"))
}

func taken(t *testing.T, records []eventlog.Record) *checkpoint.Checkpoint {
	t.Helper()
	return checkpoint.New(headsOf(t, records), eventlog.PositionOf(7), noon, nil, keyOf(t, 1))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

// A signed checkpoint verifies for ever: the files do not change.
func TestTheFormsNeverChange(t *testing.T) {
	t.Parallel()
	first := taken(t, history())
	records := slices.Concat(history(), stream("workflow-2", "h"))
	second := checkpoint.New(headsOf(t, records), eventlog.PositionOf(8), noon.Add(1500*time.Millisecond), &first.Signed, keyOf(t, 1))
	var file bytes.Buffer
	require.NoError(t, second.Write(&file))
	golden(t, "checkpoint.json", file.Bytes())
	back, err := checkpoint.Read(&file)
	require.NoError(t, err)
	require.Equal(t, second, back)
	require.NoError(t, back.Verify(keyOf(t, 1).Public()))
	require.Equal(t, first.Digest(), *back.Previous)
	require.Equal(t, int64(8), back.Events)

	proof, err := second.Prove("workflow-1", 1, read(stream("workflow-1", "a", "b", "c")), nil)
	require.NoError(t, err)
	file.Reset()
	require.NoError(t, proof.Write(&file))
	golden(t, "proof.json", file.Bytes())
	again, err := checkpoint.ReadProof(&file)
	require.NoError(t, err)
	require.Equal(t, proof, again)
	require.NoError(t, again.Verify(keyOf(t, 1).Public()))
}

// The root does not depend on the order in which heads are found, nor on where events are.
func TestTheRootIsOfSortedHeads(t *testing.T) {
	t.Parallel()
	records := history()
	want := taken(t, records).Root
	for range 20 { // maps are walked in another order each time
		slices.SortStableFunc(records, func(a, b eventlog.Record) int { return strings.Compare(b.Stream, a.Stream) })
		require.Equal(t, want, checkpoint.Root(headsOf(t, records)))
	}
	c := taken(t, records)
	require.True(t, slices.IsSortedFunc(c.Heads, func(a, b checkpoint.Head) int { return strings.Compare(a.Stream, b.Stream) }))
	require.Equal(t, want, c.Root)

	empty := taken(t, nil)
	require.NoError(t, empty.Verify(keyOf(t, 1).Public()))
	var file bytes.Buffer
	require.NoError(t, empty.Write(&file))
	back, err := checkpoint.Read(&file)
	require.NoError(t, err)
	require.NoError(t, back.Verify(keyOf(t, 1).Public()))
}

// Rule: every change of a checkpoint, and another signer, is found.
func TestForgedCheckpoints(t *testing.T) {
	t.Parallel()
	mine := keyOf(t, 1).Public()
	for name, test := range map[string]struct {
		change func(*checkpoint.Checkpoint)
		says   string
	}{
		"time":        {func(c *checkpoint.Checkpoint) { c.TakenAt = c.TakenAt.Add(1) }, "its signature"},
		"events":      {func(c *checkpoint.Checkpoint) { c.Events-- }, "its signature"},
		"streams":     {func(c *checkpoint.Checkpoint) { c.Streams-- }, "its signature"},
		"position":    {func(c *checkpoint.Checkpoint) { c.Position = eventlog.PositionOf(6) }, "its signature"},
		"no position": {func(c *checkpoint.Checkpoint) { c.Position = "7\nroot x" }, "its position is none"},
		"root":        {func(c *checkpoint.Checkpoint) { c.Root[3]++ }, "its signature"},
		"previous":    {func(c *checkpoint.Checkpoint) { c.Previous = &hashchain.Hash{} }, "its signature"},
		"signature":   {func(c *checkpoint.Checkpoint) { c.Signature[3]++ }, "its signature"},
		"none":        {func(c *checkpoint.Checkpoint) { c.Signature = nil }, "its signature"},
		"key":         {func(c *checkpoint.Checkpoint) { c.PublicKey[3]++ }, "the key that is trusted is ed25519:"},
		"hash":        {func(c *checkpoint.Checkpoint) { c.Heads[1].Hash[3]++ }, "a head was changed"},
		"revision":    {func(c *checkpoint.Checkpoint) { c.Heads[1].Revision-- }, "a head was changed"},
		"negative":    {func(c *checkpoint.Checkpoint) { c.Heads[1].Revision = -1 }, "has the revision -1"},
		"name":        {func(c *checkpoint.Checkpoint) { c.Heads[1].Stream += "0" }, "a head was changed"},
		"left out":    {func(c *checkpoint.Checkpoint) { c.Heads = c.Heads[1:] }, "it lists 3 streams, and 4 were signed"},
		"put in":      {func(c *checkpoint.Checkpoint) { c.Heads = append(c.Heads, checkpoint.Head{Stream: "z"}) }, "it lists 5 streams"},
		"unsorted":    {func(c *checkpoint.Checkpoint) { c.Heads[0], c.Heads[1] = c.Heads[1], c.Heads[0] }, "they are sorted"},
		"twice":       {func(c *checkpoint.Checkpoint) { c.Heads[1] = c.Heads[0] }, "each is there once"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := taken(t, history())
			test.change(c)
			err := c.Verify(mine)
			require.ErrorAs(t, err, new(*checkpoint.ForgedError))
			require.ErrorContains(t, err, test.says)
		})
	}
	other := checkpoint.New(headsOf(t, history()), eventlog.PositionOf(7), noon, nil, keyOf(t, 2))
	require.NoError(t, other.Verify(keyOf(t, 2).Public()))
	require.ErrorContains(t, other.Verify(mine), "is signed with the key")
	other.PublicKey = mine // it claims to be mine
	require.ErrorContains(t, other.Verify(mine), "its signature")
}

// Files that are none are refused, and it is said what they are not.
func TestUnreadableCheckpoints(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	require.NoError(t, taken(t, history()).Write(&file))
	good := file.String()
	for name, test := range map[string]struct{ text, says string }{
		"nothing":       {"", "it is no kintsugi.checkpoint/1"},
		"no JSON":       {"hello", "it is no kintsugi.checkpoint/1"},
		"another JSON":  {`{}`, "does not say its format"},
		"a list":        {`[]`, "it is no kintsugi.checkpoint/1: it holds JSON of the kind array, and an object belongs there"},
		"newer":         {strings.Replace(good, "checkpoint/1", "checkpoint/2", 1), `its format is "kintsugi.checkpoint/2", this program reads kintsugi.checkpoint/1`},
		"unknown":       {strings.Replace(good, `"events"`, `"note":1,"events"`, 1), `unknown field "note"`},
		"cut off":       {good[:len(good)-20], "it is no kintsugi.checkpoint/1"},
		"more":          {good + "{}", "something follows its end"},
		"bad hash":      {strings.Replace(good, `"root": "`, `"root": "x`, 1), "64 lower-case hex digits"},
		"bad key":       {strings.Replace(good, `ed25519:`, `rsa:`, 1), "is not a public key"},
		"bad head":      {strings.Replace(good, `["run-1",0,`, `["run-1",`, 1), "a head is"},
		"bad revision":  {strings.Replace(good, `["run-1",0,`, `["run-1","0",`, 1), "kind string, and a whole number belongs there"},
		"bad time":      {strings.Replace(good, `2026-03-01T12`, `2026-03-01 12`, 1), "parsing time"},
		"bad signature": {strings.Replace(good, `"signature": "`, `"signature": "*`, 1), "illegal base64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := checkpoint.Read(strings.NewReader(test.text))
			require.ErrorContains(t, err, test.says)
			require.NotErrorAs(t, err, new(*checkpoint.ForgedError))
		})
	}
	_, err := checkpoint.ReadProof(strings.NewReader(good))
	require.ErrorContains(t, err, "this program reads kintsugi.proof/1")
}

// A log that went on is what was signed. One that was cut off, lost a stream or was written
// anew is not, though every chain in it is whole.
func TestWatch(t *testing.T) {
	t.Parallel()
	c := taken(t, history())
	compare := func(records []eventlog.Record) error {
		var verifier hashchain.Verifier
		watch := c.Watch()
		for _, one := range records {
			require.NoError(t, verifier.Check(one), "the chains are whole")
			if err := watch.Check(one.Stream, verifier.Heads()[one.Stream]); err != nil {
				return err
			}
		}
		return watch.End(verifier.Heads())
	}
	require.NoError(t, compare(history()))
	require.NoError(t, compare(slices.Concat(
		stream("run-2", "e", "f", "new"), stream("new", "x"), stream("workflow-1", "a", "b", "c", "new"), stream("run-1", "d"), stream("thread-1", "g"))))
	for name, test := range map[string]struct {
		records  []eventlog.Record
		stream   string
		revision int64
		says     string
	}{
		"cut off": {
			slices.Concat(stream("workflow-1", "a", "b"), history()[3:]), "workflow-1", 1,
			"it ends at revision 1, and it had come to revision 2: its newest events were cut off",
		},
		"gone":               {history()[:6], "thread-1", -1, "it is gone, and it had come to revision 0"},
		"all gone":           {nil, "run-1", -1, "and 3 other streams end too early or are gone"},
		"written anew":       {slices.Concat(stream("workflow-1", "a", "B", "c"), history()[3:]), "workflow-1", 2, "it was written anew, at revision 2 or before"},
		"anew, and further":  {slices.Concat(stream("workflow-1", "a", "B", "c", "d", "e"), history()[3:]), "workflow-1", 2, "it was written anew"},
		"newest written new": {slices.Concat(stream("workflow-1", "a", "b", "C"), history()[3:]), "workflow-1", 2, "it was written anew"},
		"another name":       {slices.Concat(stream("workflow-2", "a", "b", "c"), history()[3:]), "workflow-1", -1, "it is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			different, ok := errors.AsType[*checkpoint.DifferenceError](compare(test.records))
			require.True(t, ok)
			require.Equal(t, test.stream, different.Stream)
			require.Equal(t, test.revision, different.Revision)
			require.Contains(t, different.Error(), test.says)
		})
	}
}

// Every event of a signed history has a proof, and it needs nothing else.
func TestProofs(t *testing.T) {
	t.Parallel()
	mine := keyOf(t, 1)
	rapid.Check(t, func(rt *rapid.T) {
		var records []eventlog.Record
		for i := range rapid.IntRange(1, 9).Draw(rt, "streams") {
			records = append(records, stream(fmt.Sprintf("run-%d", i), make([]string, rapid.IntRange(1, 6).Draw(rt, "events"))...)...)
		}
		c := checkpoint.New(headsOf(rt, records), eventlog.Start, noon, nil, mine)
		one := rapid.SampledFrom(records).Draw(rt, "event")
		var of []eventlog.Record
		for _, record := range records {
			if record.Stream == one.Stream {
				of = append(of, record)
			}
		}
		proof, err := c.Prove(one.Stream, one.Revision, read(of), nil)
		require.NoError(rt, err)
		var file bytes.Buffer
		require.NoError(rt, proof.Write(&file))
		proof, err = checkpoint.ReadProof(&file)
		require.NoError(rt, err)
		require.NoError(rt, proof.Verify(mine.Public()))
		require.NoError(rt, proof.Matches(one))
	})
}

// Rule: every change of a proof breaks it: of each text, number, hash and list in it.
func TestForgedProofs(t *testing.T) {
	t.Parallel()
	mine := keyOf(t, 1).Public()
	c := taken(t, history())
	proof, err := c.Prove("workflow-1", 1, read(stream("workflow-1", "a", "b", "c")), nil)
	require.NoError(t, err)
	require.NoError(t, proof.Verify(mine))
	require.Len(t, proof.Later, 1)
	text, err := json.Marshal(proof)
	require.NoError(t, err)
	changes := 0
	var walk func(value any, set func(any))
	var root any
	try := func(what string) {
		changes++
		changed, err := json.Marshal(root)
		require.NoError(t, err)
		forged, err := checkpoint.ReadProof(bytes.NewReader(changed))
		if err == nil {
			err = forged.Verify(mine)
		}
		require.Error(t, err, "%s: %s", what, changed)
	}
	walk = func(value any, set func(any)) {
		switch value := value.(type) {
		case map[string]any:
			for key, member := range value {
				walk(member, func(other any) { value[key] = other })
				delete(value, key)
				if key != "later" || len(member.([]any)) > 0 {
					try("without " + key)
				}
				value[key] = member
			}
		case []any:
			for i, item := range value {
				walk(item, func(other any) { value[i] = other })
			}
			set(append(slices.Clone(value), "x"))
			try("longer list")
			if len(value) > 0 {
				set(value[1:])
				try("shorter list")
			}
			set(value)
		case string:
			for i := range value {
				other := []byte(value)
				if other[i]++; other[i] == '"' || other[i] > '~' {
					other[i] = '0'
				}
				set(string(other))
				try(value + " is " + string(other))
			}
			set(value)
		case json.Number:
			number, err := value.Int64()
			require.NoError(t, err)
			set(number + 1)
			try("larger number")
			set(number - 1)
			try("smaller number")
			set(value)
		}
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&root))
	walk(root, func(any) {})
	require.Greater(t, changes, 800)

	negative := *proof
	negative.Event.Revision = -1
	require.ErrorContains(t, negative.Verify(mine), "has the revision -1")
}

// A proof is of these bytes and no others.
func TestProofMatches(t *testing.T) {
	t.Parallel()
	of := stream("workflow-1", "a", "b", "c")
	proof, err := taken(t, history()).Prove("workflow-1", 1, read(of), nil)
	require.NoError(t, err)
	for what, change := range map[string]func(*eventlog.Record){
		"":               func(*eventlog.Record) {},
		"stream":         func(r *eventlog.Record) { r.Stream = "workflow-2" },
		"revision":       func(r *eventlog.Record) { r.Revision++ },
		"id":             func(r *eventlog.Record) { r.ID += "x" },
		"type":           func(r *eventlog.Record) { r.Type += "x" },
		"schema version": func(r *eventlog.Record) { r.SchemaVersion++ },
		"payload":        func(r *eventlog.Record) { r.Payload = []byte("c") },
		"metadata": func(r *eventlog.Record) {
			r.Metadata = bytes.Replace(r.Metadata, []byte("event_id"), []byte("event_ID"), 1)
		},
	} {
		one := of[1]
		change(&one)
		err := proof.Matches(one)
		if what == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorAs(t, err, new(*checkpoint.ForgedError))
		require.ErrorContains(t, err, "the event has another "+what+" than")
	}
}

// There is no proof of an event that the checkpoint does not know, nor of one in a stream that differs from the
// signed one.
func TestNoProof(t *testing.T) {
	t.Parallel()
	c := taken(t, history())
	prove := func(name string, revision int64, records []eventlog.Record) error {
		_, err := c.Prove(name, revision, read(records), nil)
		return err
	}
	require.ErrorContains(t, prove("run-9", 0, nil), "the checkpoint has no stream run-9")
	require.ErrorContains(t, prove("run-2", 2, stream("run-2", "e", "f", "new")), "up to revision 1, and nothing of revision 2")
	require.ErrorContains(t, prove("run-2", -1, nil), "nothing of revision -1")
	require.ErrorContains(t, prove("run-2", 0, stream("run-2", "e", "F")), "it was written anew")
	require.ErrorContains(t, prove("run-2", 0, stream("run-2", "e")), "were cut off")
	require.ErrorContains(t, prove("run-2", 0, nil), "it is gone")
	broken := stream("run-2", "e", "f")
	broken[1].Payload = []byte("x")
	require.ErrorAs(t, prove("run-2", 0, broken), new(*hashchain.BrokenError))
	_, err := c.Prove("run-2", 0, func(yield func(eventlog.Record, error) bool) { yield(eventlog.Record{}, eventlog.ErrClosed) }, nil)
	require.ErrorIs(t, err, eventlog.ErrClosed)
	// Events after the checkpoint do not matter, broken or not.
	longer := stream("run-2", "e", "f", "new")
	longer[2].Payload = []byte("x")
	require.NoError(t, prove("run-2", 0, longer))

	long := checkpoint.New(map[string]hashchain.Head{"s": {Revision: checkpoint.MaxLater + 1}}, eventlog.Start, noon, nil, keyOf(t, 1))
	_, err = long.Prove("s", 0, read(nil), nil)
	require.ErrorContains(t, err, "use an earlier checkpoint")
}

// Streams of others have no chain of their own; they are signed and proved all the same.
func TestStreamsOfOthers(t *testing.T) {
	t.Parallel()
	none := func(string) bool { return false }
	records := stream("shop-1", "x", "y")
	for i := range records {
		records[i].Metadata = []byte("plain")
	}
	verifier := hashchain.Verifier{Chained: none}
	for _, one := range records {
		require.NoError(t, verifier.Check(one))
	}
	c := checkpoint.New(verifier.Heads(), eventlog.Start, noon, nil, keyOf(t, 1))
	proof, err := c.Prove("shop-1", 0, read(records), none)
	require.NoError(t, err)
	require.NoError(t, proof.Verify(keyOf(t, 1).Public()))
	require.NoError(t, proof.Matches(records[0]))
	records[0].Metadata = []byte("other")
	require.Error(t, proof.Matches(records[0]))
}

// A key is made where none is, for its owner only, and stays what it is.
func TestKeys(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "some", "where", "audit.key")
	_, err := checkpoint.ReadKey(path)
	require.ErrorIs(t, err, checkpoint.ErrNoKey)
	_, err = checkpoint.ReadPublicKey(path)
	require.ErrorIs(t, err, checkpoint.ErrNoKey)

	key, made, err := checkpoint.OpenKey(path, rand.Reader)
	require.NoError(t, err)
	require.True(t, made)
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	again, made, err := checkpoint.OpenKey(path, rand.Reader)
	require.NoError(t, err)
	require.False(t, made)
	require.Equal(t, key, again)
	public, err := checkpoint.ReadPublicKey(path)
	require.NoError(t, err)
	require.Equal(t, key.Public(), public)
	require.NoError(t, os.Remove(path+".pub"))
	public, err = checkpoint.ReadPublicKey(path)
	require.NoError(t, err)
	require.Equal(t, key.Public(), public)
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "nothing is left over")

	var text checkpoint.PublicKey
	require.NoError(t, text.UnmarshalText([]byte(public.String())))
	require.Equal(t, public, text)
	for _, bad := range []string{"", "ed25519:", "ed25519:AAAA", strings.TrimPrefix(public.String(), "ed25519:"), public.String() + "AA", "ed25519:" + strings.Repeat("*", 44)} {
		require.ErrorContains(t, text.UnmarshalText([]byte(bad)), "is not a public key", bad)
	}
}

// Several processes that want the key at once get the same one: the first makes it.
func TestKeyRace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.key")
	var group sync.WaitGroup
	keys := make([]checkpoint.PrivateKey, 16)
	for i := range keys {
		group.Go(func() {
			key, _, err := checkpoint.OpenKey(path, rand.Reader)
			if err == nil {
				keys[i] = key
			}
		})
	}
	group.Wait()
	for _, key := range keys {
		require.Equal(t, keys[0], key)
	}
	require.NotZero(t, keys[0])
}

// A file that is no key, or that others can read, is refused, and the error says what to do.
func TestBadKeys(t *testing.T) {
	t.Parallel()
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(other)
	require.NoError(t, err)
	dir := t.TempDir()
	for name, test := range map[string]struct {
		content string
		mode    os.FileMode
		says    string
	}{
		"empty":       {"", 0o600, "is not a private key in PEM: make one with"},
		"text":        {"hello", 0o600, "is not a private key in PEM"},
		"another":     {string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})), 0o600, "is not an Ed25519 key"},
		"certificate": {string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: encoded})), 0o600, "is not a private key in PEM"},
		"damaged":     {string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded[:20]})), 0o600, "asn1"},
		"open":        {"", 0o644, "may be read by others (mode 0644), so that they could sign: chmod 600 it"},
	} {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(test.content), test.mode))
		_, _, err := checkpoint.OpenKey(path, rand.Reader)
		require.ErrorContains(t, err, test.says)
		require.ErrorContains(t, err, path)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, test.content, string(content), "what is there is left alone")
	}
	_, _, err = checkpoint.OpenKey(filepath.Join(dir, "text", "audit.key"), rand.Reader)
	require.Error(t, err, "a folder that is a file")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "k.pub"), []byte("nonsense"), 0o600))
	_, err = checkpoint.ReadPublicKey(filepath.Join(dir, "k"))
	require.ErrorContains(t, err, "is not a public key")
}

// FuzzRead: whatever a file holds is a checkpoint or a proof, or an error, and nothing verifies that was not signed.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"checkpoint.json", "proof.json"} {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	seed := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize))
	stranger := checkpoint.PublicKey(seed.Public().(ed25519.PublicKey))
	f.Fuzz(func(t *testing.T, content []byte) {
		if c, err := checkpoint.Read(bytes.NewReader(content)); err == nil && c.Verify(stranger) == nil {
			t.Fatal("a stranger signed it")
		}
		if p, err := checkpoint.ReadProof(bytes.NewReader(content)); err == nil && p.Verify(stranger) == nil {
			t.Fatal("a stranger signed it")
		}
	})
}
