package sqlitelog_test

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// sealedLog makes the file of a closed log of chained events, and gives its content and its events.
func sealedLog(t *testing.T) (content []byte, events []eventlog.Record) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "events.db")
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 1))
	heads := make(map[string]hashchain.Head)
	for range 100 {
		stream := fmt.Sprintf("run-%d", random.IntN(3))
		head, there := heads[stream]
		if !there {
			head.Revision = -1
		}
		event := newEvent(make([]byte, random.IntN(1000)))
		event.ID = uuid.NewString()
		for i := range event.Payload {
			event.Payload[i] = byte(random.Uint32())
		}
		metadata := []byte(`{"actor":"system:test","event_id":"` + event.ID + `"}`)
		hash := hashchain.Next(head.Hash, hashchain.Link{
			Stream: stream, Revision: head.Revision + 1, ID: event.ID, Type: event.Type,
			SchemaVersion: event.SchemaVersion, Payload: event.Payload, Metadata: metadata,
		})
		event.Metadata = hashchain.Seal(metadata, hash)
		_, err := log.Append(t.Context(), stream, eventlog.At(head.Revision), []eventlog.Event{event})
		require.NoError(t, err)
		heads[stream] = hashchain.Head{Revision: head.Revision + 1, Hash: hash}
	}
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		events = append(events, record)
	}
	require.NoError(t, log.Close())
	content, err = os.ReadFile(path)
	require.NoError(t, err)
	return content, events
}

// TestDamage: after a bit has flipped, or the end of the file is missing, no other event than was appended passes for
// one: the log does not open, cannot be read, or the chain is broken. Missing newest events show in the heads of the
// streams, of which signed checkpoints are made.
func TestDamage(t *testing.T) {
	t.Parallel()
	content, events := sealedLog(t)
	for i := range 4 {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			t.Parallel()
			damageAndRead(t, crash.Rounds(100), content, events)
		})
	}
}

func damageAndRead(t *testing.T, rounds int, content []byte, events []eventlog.Record) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	outcomes := make(map[string]int)
	path := filepath.Join(t.TempDir(), "events.db")
	for range rounds {
		damaged := bytes.Clone(content)
		var what string
		if random.IntN(10) == 0 {
			damaged = damaged[:random.IntN(len(damaged))]
			what = fmt.Sprintf("cut off at byte %d", len(damaged))
		} else {
			at, bit := random.IntN(len(damaged)), random.IntN(8)
			damaged[at] ^= 1 << bit
			what = fmt.Sprintf("bit %d of byte %d flipped", bit, at)
		}
		require.NoError(t, os.WriteFile(path, damaged, 0o600))
		outcome, err := readDamaged(t, path, events)
		require.NoErrorf(t, err, "seed %d: %s", seed, what)
		outcomes[outcome]++
		for _, suffix := range []string{"-wal", "-shm"} {
			_ = os.Remove(path + suffix)
		}
	}
	t.Logf("seed %d: %v", seed, outcomes)
}

func readDamaged(t *testing.T, path string, want []eventlog.Record) (outcome string, err error) {
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	if err != nil {
		return "does not open", nil
	}
	defer func() { _ = log.Close() }()
	outcome, err = compareDamaged("log", log.All(t.Context(), eventlog.Start, eventlog.Everything), want)
	if err != nil || outcome != "harmless" {
		return outcome, err
	}
	streams := make(map[string][]eventlog.Record)
	for _, record := range want {
		streams[record.Stream] = append(streams[record.Stream], record)
	}
	for name, records := range streams {
		outcome, err = compareDamaged("stream", log.Stream(t.Context(), name, 0), records)
		if err != nil || outcome != "harmless" {
			return outcome, err
		}
	}
	return outcome, nil
}

func compareDamaged(which string, records iter.Seq2[eventlog.Record, error], want []eventlog.Record) (string, error) {
	var verifier hashchain.Verifier
	n, changed := 0, -1
	for record, err := range records {
		if err != nil {
			return which + " cannot be read", nil
		}
		err = verifier.Check(record)
		if _, ok := errors.AsType[*hashchain.BrokenError](err); ok {
			return which + " has a broken chain", nil
		}
		if err != nil {
			return "", err
		}
		if n >= len(want) || !same(record, want[n]) {
			changed = n
		}
		n++
	}
	switch {
	case changed >= 0:
		return "", fmt.Errorf("event %d of the %s is served as another", changed, which)
	case n < len(want):
		return which + " ends early", nil
	}
	return "harmless", nil
}

// same leaves the time out: it is people's information, and no part of the chain.
func same(a, b eventlog.Record) bool {
	return a.ID == b.ID && a.Type == b.Type && a.SchemaVersion == b.SchemaVersion && a.Stream == b.Stream && a.Revision == b.Revision &&
		a.Position == b.Position && bytes.Equal(a.Payload, b.Payload) && bytes.Equal(a.Metadata, b.Metadata)
}
