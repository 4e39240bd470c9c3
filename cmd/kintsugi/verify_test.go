package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// records is the whole log.
func (h *home) records() []eventlog.Record {
	h.t.Helper()
	log, err := sqlitelog.Open(h.t.Context(), filepath.Join(h.dir, app.LogFile), sqlitelog.Options{})
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, log.Close()) }()
	var all []eventlog.Record
	for record, err := range log.All(h.t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(h.t, err)
		all = append(all, record)
	}
	return all
}

// forge gives a copy of the data directory whose log was made anew from other records, with
// whole chains: the most that somebody can do who can write everything but the checkpoint.
func (h *home) forge(t *testing.T, change func([]eventlog.Record) []eventlog.Record) *home {
	t.Helper()
	records := change(h.records())
	other := newHome(t)
	require.NoError(t, os.MkdirAll(other.dir, 0o700))
	log, err := sqlitelog.Open(t.Context(), filepath.Join(other.dir, app.LogFile), sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	heads := map[string]hashchain.Head{}
	for i := 0; i < len(records); {
		of := records[i].Stream
		head, there := heads[of]
		if !there {
			head.Revision = -1
		}
		expected := eventlog.At(head.Revision)
		var batch []eventlog.Event
		for ; i < len(records) && records[i].Stream == of && len(batch) < 100; i++ {
			one := records[i].Event
			metadata, _, err := hashchain.Unseal(one.Metadata)
			require.NoError(t, err)
			head.Revision++
			head.Hash = hashchain.Next(head.Hash, hashchain.Link{
				Stream: of, Revision: head.Revision, ID: one.ID, Type: one.Type, SchemaVersion: one.SchemaVersion, Payload: one.Payload, Metadata: metadata,
			})
			one.Metadata = hashchain.Seal(metadata, head.Hash)
			batch = append(batch, one)
		}
		_, err := log.Append(t.Context(), of, expected, batch)
		require.NoError(t, err)
		heads[of] = head
	}
	return other
}

// verified is a verification that finds nothing.
func (h *home) verified(args ...string) app.Verified {
	h.t.Helper()
	return decodeAs[app.Verified](h.t, h.ok(append([]string{"verify", "-o", "json"}, args...)...))
}

// signed is a home with a history, and a checkpoint of it that is kept elsewhere.
type signed struct {
	*home
	checkpoint, key string
	run             string // a run's stream
}

func newSigned(t *testing.T) signed {
	t.Helper()
	h := newHome(t)
	h.succeed("Orders")
	keys := t.TempDir()
	s := signed{home: h, checkpoint: filepath.Join(keys, "signed.json"), key: filepath.Join(keys, "audit.key")}
	s.run = "run-" + h.objects("run", "list")[0]["id"].(string)
	h.ok("store", "checkpoint", "--out", s.checkpoint, "--key", s.key)
	return s
}

// A broken chain is told by its first event that is not as it was recorded, its place, and the part that differs: to
// people and to machines.
func TestVerifyNamesTheFirstBrokenEvent(t *testing.T) {
	t.Parallel()
	s := newSigned(t)
	whole := s.verified()
	require.True(t, whole.Whole)
	require.Equal(t, int64(len(s.records())), whole.Events)
	require.NotZero(t, *whole.Root)
	require.Nil(t, whole.Broken)
	require.Contains(t, s.ok("verify", "--deep"), "every chain is whole")

	in := "stream = (SELECT id FROM stream WHERE name = '" + s.run + "')"
	of := func(revision string) string { return "revision = " + revision + " AND " + in }
	for name, c := range map[string]struct {
		change   string
		revision int64
		differs  string
		says     string
	}{
		"payload":  {"UPDATE event SET payload = CAST('{}' AS BLOB) WHERE " + of("2"), 2, "content", "its payload or its metadata was changed"},
		"metadata": {"UPDATE event SET metadata = CAST(replace(CAST(metadata AS TEXT), 'executor', 'nobody') AS BLOB) WHERE " + of("1"), 1, "content", "its payload or its metadata was changed"},
		"type":     {"UPDATE event SET type = 'LogWritten' WHERE " + of("1"), 1, "type", "its type was ToolCalled"},
		"id":       {"UPDATE event SET id = randomblob(16) WHERE " + of("1"), 1, "id", "its metadata says event"},
		"version":  {"UPDATE event SET schema_version = 2 WHERE " + of("1"), 1, "schema_version", "it is stored as 2"},
		"hash": {
			"UPDATE event SET metadata = CAST(substr(CAST(metadata AS TEXT), 1, length(metadata) - 66) || '" + strings.Repeat("0", 64) + "\"}' AS BLOB) WHERE " + of("1"),
			1, "hash", "its recorded hash was changed",
		},
		"seal": {"UPDATE event SET metadata = CAST('{}' AS BLOB) WHERE " + of("1"), 1, "metadata", "does not end with"},
		"exchanged": {
			"UPDATE event SET (id, type, payload, metadata) = (SELECT id, type, payload, metadata FROM event WHERE " + of("1") + ") WHERE " + of("3"),
			3, "moved", "it was recorded as revision 1 of this stream",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := s.copy()
			other.t = t
			other.change(c.change)
			found := other.ends(terminal.ExitBroken, "verify")
			require.Contains(t, found.err, "stream    "+s.run+"\nrevision  "+strconv.FormatInt(c.revision, 10)+"\nevent     ")
			require.Regexp(t, `\nposition  \d{19}\nrecorded  20\d\d-\d\d-\d\d \d\d:\d\d:\d\d\ndiffers   `+c.differs+`\n`, found.err)
			require.Contains(t, found.err, c.says)
			require.Empty(t, found.out)

			found = other.ends(terminal.ExitBroken, "verify", "-o", "json")
			shown := decodeAs[app.Verified](t, found.out)
			require.False(t, shown.Whole)
			require.Equal(t, s.run, shown.Broken.Stream)
			require.Equal(t, c.revision, shown.Broken.Revision)
			require.Equal(t, c.differs, shown.Broken.Differs)
			require.Contains(t, shown.Broken.What, c.says)
			require.NotEmpty(t, shown.Broken.Position)
			other.ends(terminal.ExitBroken, "store", "checkpoint", "--out", filepath.Join(t.TempDir(), "x.json"), "--key", s.key)
		})
	}
}

// An event that is not there any more is found by the store itself, which counts them: before
// the chain can be asked, and also at the end of a stream.
func TestVerifyFindsHoles(t *testing.T) {
	t.Parallel()
	s := newSigned(t)
	in := "stream = (SELECT id FROM stream WHERE name = '" + s.run + "')"
	for name, c := range map[string]struct{ change, says, more string }{
		"in the middle": {"DELETE FROM event WHERE revision = 2 AND " + in, "stream    " + s.run + "\nrevision  2\ndiffers   store\n", "is missing"},
		"at its end":    {"DELETE FROM event WHERE revision = (SELECT max(revision) FROM event WHERE " + in + ") AND " + in, "differs   store", "is missing"},
		"a page":        {"UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'event'", "differs   store", "restore"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := s.copy()
			other.t = t
			if name == "a page" {
				content, err := os.ReadFile(filepath.Join(other.dir, app.LogFile))
				require.NoError(t, err)
				for i := 3 * 4096; i < len(content)/2; i++ {
					content[i] ^= 0x5a
				}
				require.NoError(t, os.WriteFile(filepath.Join(other.dir, app.LogFile), content, 0o600))
			} else {
				other.change(c.change)
			}
			found := other.ends(terminal.ExitBroken, "verify")
			require.Contains(t, found.err, c.says)
			require.Contains(t, found.err, c.more)
			found = other.ends(terminal.ExitBroken, "verify", "--checkpoint", s.checkpoint, "--key", s.key, "-o", "json")
			require.Equal(t, "store", decodeAs[app.Verified](t, found.out).Broken.Differs)
		})
	}
}

// Chains that are whole do not show that the newest events or a stream are gone, or that one was written anew. The
// checkpoint shows it, also after the history went on.
func TestVerifyAgainstACheckpoint(t *testing.T) {
	t.Parallel()
	s := newSigned(t)
	require.Contains(t, s.ok("verify", "--checkpoint", s.checkpoint, "--key", s.key), "It begins with all that was signed")
	before := len(s.records())
	s.ok("workflow", "run", "--repair", "Orders", "--input", day(7))
	later := s.verified("--checkpoint", s.checkpoint, "--key", s.key)
	require.Equal(t, int64(len(s.records())-before), later.Since)
	require.NotNil(t, later.Checkpoint)
	workflow := s.records()[0].Stream
	inRun := func(one eventlog.Record) bool { return one.Stream == s.run }

	for name, c := range map[string]struct {
		change func([]eventlog.Record) []eventlog.Record
		says   string // nothing if it is what was signed
	}{
		"nothing":          {func(r []eventlog.Record) []eventlog.Record { return r }, ""},
		"what came since":  {func(r []eventlog.Record) []eventlog.Record { return r[:before] }, ""},
		"a new stream":     {func(r []eventlog.Record) []eventlog.Record { return r[:before+1] }, ""},
		"the newest event": {func(r []eventlog.Record) []eventlog.Record { return r[:before-1] }, "stream " + workflow + " is not what was signed: it ends at revision"},
		"half of it":       {func(r []eventlog.Record) []eventlog.Record { return r[:before/2] }, "other streams end too early or are gone"},
		"everything":       {func([]eventlog.Record) []eventlog.Record { return nil }, "it is gone"},
		"the end of a run": {
			func(r []eventlog.Record) []eventlog.Record {
				last := len(r) - 1
				for !inRun(r[last]) {
					last--
				}
				return slices.Delete(r, last, last+1)
			}, "stream " + s.run + " is not what was signed: it ends at revision",
		},
		"a run": {func(r []eventlog.Record) []eventlog.Record { return slices.DeleteFunc(r, inRun) }, "stream " + s.run + " is not what was signed: it is gone"},
		"an answer": {
			func(r []eventlog.Record) []eventlog.Record {
				for i := range r {
					if inRun(r[i]) && r[i].Type == "RunEnded" {
						require.Contains(t, string(r[i].Payload), `"total":`)
						r[i].Payload = bytes.Replace(r[i].Payload, []byte(`"total":`), []byte(`"total":9`), 1)
					}
				}
				return r
			}, "stream " + s.run + " is not what was signed: it was written anew",
		},
		"who asked": {
			func(r []eventlog.Record) []eventlog.Record {
				r[1].Metadata = bytes.Replace(r[1].Metadata, []byte(`"actor":"person:`), []byte(`"actor":"person:not-`), 1)
				return r
			}, "stream " + workflow + " is not what was signed: it was written anew",
		},
		// In another order, at other positions, it is the same history: a copy need not keep them.
		"positions": {
			func(r []eventlog.Record) []eventlog.Record {
				slices.SortStableFunc(r, func(a, b eventlog.Record) int { return strings.Compare(b.Stream, a.Stream) })
				return r
			}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := s.forge(t, c.change)
			other.ok("verify") // every chain is whole
			if c.says == "" {
				other.ok("verify", "--checkpoint", s.checkpoint, "--key", s.key)
				return
			}
			found := other.ends(terminal.ExitBroken, "verify", "--checkpoint", s.checkpoint, "--key", s.key)
			require.Contains(t, found.err, "the history was changed: ")
			require.Contains(t, found.err, c.says)
			found = other.ends(terminal.ExitBroken, "verify", "--checkpoint", s.checkpoint, "--key", s.key, "-o", "json")
			require.Equal(t, "checkpoint", decodeAs[app.Verified](t, found.out).Broken.Differs)
		})
	}
	// A copy that the program makes is what was signed.
	copied := filepath.Join(t.TempDir(), "copy")
	s.ok("store", "copy", "--to", copied)
	require.Contains(t, s.ok("verify", "--data-dir", copied, "--checkpoint", s.checkpoint, "--key", s.key), "It begins with all that was signed")
}

// A history whose chains are whole and that cannot have happened is found by looking deeper,
// stream by stream; what a newer program wrote is counted, and no fault.
func TestVerifyDeeply(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	require.Contains(t, h.ok("verify", "--deep"), "every chain is whole")
	for name, c := range map[string]struct {
		change func([]eventlog.Record) []eventlog.Record
		says   string
	}{
		"a fix without a proposal": {
			func(r []eventlog.Record) []eventlog.Record {
				return slices.DeleteFunc(r, func(one eventlog.Record) bool { return one.Type == "FixProposed" })
			}, "was never submitted",
		},
		"a run without an admission": {
			func(r []eventlog.Record) []eventlog.Record {
				return slices.DeleteFunc(r, func(one eventlog.Record) bool {
					return one.Type == "RunAdmitted" || one.Type == "RunSucceeded" || one.Type == "FixConfirmed" || one.Type == "Recovered" ||
						strings.HasPrefix(one.Stream, "workflow-") && one.Revision > 10
				})
			}, "was never admitted",
		},
		"code that is not what was saved": {
			func(r []eventlog.Record) []eventlog.Record {
				i := slices.IndexFunc(r, func(one eventlog.Record) bool { return one.Type == "ScriptSaved" })
				r[i].Payload = bytes.Replace(r[i].Payload, []byte("/started"), []byte("/stolen!"), 1)
				return r
			}, "is not that of its SHA-256",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := h.forge(t, c.change)
			other.ok("verify")
			found := other.ends(terminal.ExitBroken, "verify", "--deep")
			require.Contains(t, found.err, c.says)
			require.Contains(t, found.err, "differs   history")
		})
	}

	t.Run("of a newer program", func(t *testing.T) {
		t.Parallel()
		other := h.forge(t, func(r []eventlog.Record) []eventlog.Record { return r })
		id := strings.TrimPrefix(h.records()[0].Stream, "workflow-")
		other.appendEvent("workflow-"+id, "MoonPhaseChanged", `{"phase":"full"}`)
		other.appendEvent("workflow-"+id, "WorkflowPaused", `{}`)
		shown := other.verified("--deep")
		require.Equal(t, int64(1), shown.Unknown)
		require.Equal(t, 1, shown.Unread)
		told := other.ok("verify", "--deep")
		require.Contains(t, told, "1 events are of types or versions that a newer program wrote")
		require.Contains(t, told, "1 streams were followed only to the first event that cannot be read")
	})
}

// Streams of others are counted, signed and compared, though they have no chain; and a payload
// that was erased under its digest is told, and nothing is broken by it.
func TestVerifyOfOthersAndOfWhatWasErased(t *testing.T) {
	t.Parallel()
	s := newSigned(t)
	foreign := func(payload string) eventlog.Event {
		return eventlog.Event{ID: uuid.NewString(), Type: "OrderPlaced", SchemaVersion: 1, Payload: []byte(payload), Metadata: []byte("plain")}
	}
	log, err := sqlitelog.Open(t.Context(), filepath.Join(s.dir, app.LogFile), sqlitelog.Options{})
	require.NoError(t, err)
	_, err = log.Append(t.Context(), "shop-1", eventlog.NoStream{}, []eventlog.Event{foreign("1"), foreign("2")})
	require.NoError(t, errors.Join(err, log.Close()))
	require.Contains(t, s.ok("verify", "--deep"), "2 events in 1 streams of others have no chain: only their order was checked.")
	require.Equal(t, int64(2), s.verified().OtherEvents)
	newer := filepath.Join(t.TempDir(), "newer.json")
	s.ok("store", "checkpoint", "--out", newer, "--key", s.key)
	s.ok("verify", "--checkpoint", newer, "--key", s.key)

	other := s.copy()
	other.t = t
	other.change("UPDATE event SET payload = CAST('3' AS BLOB) WHERE revision = 0 AND stream = (SELECT id FROM stream WHERE name = 'shop-1')")
	other.ok("verify") // nothing says what it was
	require.Contains(t, other.ends(terminal.ExitBroken, "verify", "--checkpoint", newer, "--key", s.key).err, "stream shop-1 is not what was signed")

	erased := s.copy()
	erased.t = t
	var payload []byte
	for _, one := range s.records() {
		if one.Stream == s.run && one.Revision == 2 {
			payload = eventlog.Erased(one.Payload)
		}
	}
	erased.change("UPDATE event SET payload = CAST('" + string(payload) + "' AS BLOB) WHERE revision = 2 AND stream = (SELECT id FROM stream WHERE name = '" + s.run + "')")
	require.Contains(t, erased.ok("verify", "--checkpoint", newer, "--key", s.key), "The payloads of 1 events were erased; the chains are over their digests, which were kept:\n  revision 2 of "+s.run)
	shown := erased.verified("--deep")
	require.Len(t, shown.Erased, 1)
	require.Equal(t, 1, shown.Unread)
	require.True(t, domain.OwnStream(s.run))
	// With another change beside it, that one is named.
	erased.change("UPDATE event SET payload = CAST('{}' AS BLOB) WHERE revision = 3 AND stream = (SELECT id FROM stream WHERE name = '" + s.run + "')")
	require.Contains(t, erased.ends(terminal.ExitBroken, "verify").err, "revision  3\n")
}

// Damage that is met while opening is damage, for people and machines, and a log that was cut off to nothing is not
// whole. Guards that somebody dropped are back, and told.
func TestVerifyFindsDamageAtTheDoor(t *testing.T) {
	t.Parallel()
	s := newSigned(t)
	for name, content := range map[string][]byte{"no database": bytes.Repeat([]byte("no database\n"), 1000), "empty": nil} {
		other := s.copy()
		require.NoError(t, os.WriteFile(filepath.Join(other.dir, app.LogFile), content, 0o600))
		for _, args := range [][]string{{"verify"}, {"workflow", "list"}, {"store", "info"}} {
			require.Contains(t, other.ends(terminal.ExitBroken, args...).err, "restore it from a backup", name)
		}
		found := decodeAs[app.Verified](t, other.ends(terminal.ExitBroken, "verify", "-o", "json").out)
		require.False(t, found.Whole)
		require.Equal(t, "store", found.Broken.Differs)
	}
}

// A finding about a store that somebody changed is recorded by the first command that opens the store: verifications
// end with 20 until an operator has acknowledged it, and show it ever after.
func TestVerifyRemembersAChangedStore(t *testing.T) {
	t.Parallel()
	h := newSigned(t).copy()
	conn, err := sqlite.OpenConn(filepath.Join(h.dir, app.LogFile), sqlite.OpenReadWrite)
	require.NoError(t, err)
	require.NoError(t, sqlitex.ExecuteScript(conn, `DROP TRIGGER event_no_update; DROP TRIGGER event_no_delete;
		CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT 1; END;
		CREATE TRIGGER quiet BEFORE INSERT ON event WHEN new.type IN ('FixHeld', 'StoreMended') BEGIN SELECT RAISE(IGNORE); END`, nil))
	require.NoError(t, conn.Close())
	require.Contains(t, h.ends(terminal.ExitOK, "workflow", "list").err, "guards of the event log were missing or changed")
	for range 2 {
		found := h.ends(terminal.ExitBroken, "verify")
		require.Contains(t, found.out, "every chain is whole")
		require.Contains(t, found.out, "nobody has acknowledged it:\n  trigger event_no_delete, which was CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT 1; END\n  trigger quiet, which was")
		require.Contains(t, found.out, "  trigger event_no_update\n")
		require.Contains(t, found.err, "kintsugi notification ack ")
	}
	told := decodeAs[app.Verified](t, h.ends(terminal.ExitBroken, "verify", "-o", "json").out)
	require.True(t, told.Whole)
	require.Len(t, told.Mended, 1)
	require.Contains(t, h.ok("notification", "list"), "Somebody changed the event log's store past the program")
	h.ok("notification", "ack", told.Mended[0].ID)
	require.Contains(t, h.ok("verify"), "it was acknowledged:")
	require.Equal(t, told.Mended[0].Found, h.verified().Mended[0].Found)
}

// Impossible arguments are refused, and looking makes nothing.
func TestVerifyBadInput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(terminal.ExitNotFound, "verify").err, "there is no event log at")
	require.NoDirExists(t, h.dir)
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "Orders").err, "1 arguments given")
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "--event", "x").err, "give --proof as well")
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "--proof", "x", "--checkpoint", "y").err, "is checked by itself")
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "--proof", "x", "--deep").err, "is checked by itself")
	key := filepath.Join(t.TempDir(), "k")
	for _, flag := range []string{"--checkpoint", "--proof"} {
		require.Contains(t, h.ends(terminal.ExitUsage, "verify", flag, "nowhere.json", "--key", key).err, "there is no key: name the key that signed with --public-key")
		require.Contains(t, h.ends(terminal.ExitUsage, "verify", flag, "nowhere.json", "--public-key", "abc").err, "is not a public key")
		good := "ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w="
		require.Contains(t, h.ends(terminal.ExitUsage, "verify", flag, "nowhere.json", "--public-key", good).err, "nowhere.json")
		list := h.ends(terminal.ExitUsage, "verify", flag, h.file("list.json", "[]"), "--public-key", good).err
		require.Regexp(t, `list\.json: checkpoint: it is no kintsugi\.(checkpoint|proof)/1: it holds JSON of the kind array, and an object belongs there\n$`, list)
		require.Contains(t, h.ends(terminal.ExitUsage, "verify", flag, t.TempDir(), "--public-key", good).err, "is a directory")
	}
}

// Lists agree with the log: a row that somebody changed in the views is found and named, also beside a server, and
// nothing is left of the views that it was compared with.
func TestVerifyViews(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	id := h.objects("workflow", "list")[0]["id"].(string)
	views := filepath.Join(h.dir, "views")

	server := h.dev()
	require.Contains(t, h.ok("verify", "--views"), "tables are as they are when built anew")
	shown := h.verified("--views")
	require.True(t, shown.Views.Same)
	require.Equal(t, h.records()[len(h.records())-1].Position, shown.Views.Position)
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
	require.Nil(t, h.verified().Views)

	scratch := t.TempDir()
	before, err := os.ReadDir(views)
	require.NoError(t, err)
	command := h.command("verify", "--views")
	command.Env = append(command.Env, "TMPDIR="+scratch, "SQLITE_TMPDIR="+scratch)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	left, err := os.ReadDir(scratch)
	require.NoError(t, err)
	require.Empty(t, left)
	after, err := os.ReadDir(views)
	require.NoError(t, err)
	require.Len(t, after, len(before))

	conn, err := sqlitedb.Open(shown.Views.File)
	require.NoError(t, err)
	require.NoError(t, sqlitedb.Exec(conn, "UPDATE workflow SET title = 'Other', failed = 3"))
	require.NoError(t, conn.Close())
	found := h.ends(terminal.ExitBroken, "verify", "--views")
	require.Contains(t, found.out, "every chain is whole")
	require.Contains(t, found.out, "workflow: 1 rows differ (1 changed, 0 missing, 0 that should not be there), the first is id "+id+": changed in title, failed")
	require.Contains(t, found.err, "Delete the directory of the views while nothing runs")
	compared := decodeAs[app.Verified](t, h.ends(terminal.ExitBroken, "verify", "--views", "-o", "json").out)
	require.True(t, compared.Whole)
	require.False(t, compared.Views.Same)
	require.Equal(t, []readmodel.Difference{{
		Table: "workflow", Changed: 1, First: map[string]any{"id": id}, How: "changed", Columns: []string{"title", "failed"},
	}}, compared.Views.Differ)

	// The command that the error names helps.
	require.NoError(t, os.RemoveAll(views))
	nothing := h.ends(terminal.ExitNotFound, "verify", "--views")
	require.Contains(t, nothing.out, "every chain is whole")
	require.Contains(t, nothing.err, "there are no views in "+views+" yet")
	h.ok("workflow", "list")
	require.True(t, h.verified("--views").Views.Same)
	require.Contains(t, h.ends(terminal.ExitUsage, "verify", "--views", "--proof", "p.json").err, "leave out --checkpoint, --deep and --views")
}
