package commands_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
)

var update = flag.Bool("update", false, "write the golden states of the stored histories")

// files are the stored histories of a folder, by name.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(histories, folder, "*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	found := map[string]string{}
	for _, path := range paths {
		found[strings.TrimSuffix(filepath.Base(path), ".jsonl")] = path
	}
	return found
}

// Histories that earlier programs recorded are accepted, and fold in the deciders of this one to
// the state that is stored beside them. If this fails, what an old history means has changed:
// raise a schema version and add an upcaster; or, if the state only says more now, write it
// anew with -run GoodHistories -update.
func TestGoodHistories(t *testing.T) {
	t.Parallel()
	found := files(t, "good")
	for name := range stories {
		require.Contains(t, found, name, "the story was never recorded: go test ./commands -run RecordHistories -record")
	}
	for name, path := range found {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			records := stored(t, path)
			audit := commands.NewAudit(newCodec())
			for _, one := range records {
				require.NoError(t, audit.Check(one))
			}
			golden(t, strings.TrimSuffix(path, ".jsonl")+".state.json", folded(t, newCodec(), records))
		})
	}
}

// A chain of upcasters lifts every older form: a history with three forms of one event, and two
// of another, is accepted by a program that has moved on, and folds to what it would be in today's forms.
func TestLiftedHistories(t *testing.T) {
	t.Parallel()
	records := stored(t, filepath.Join(histories, "lifted", "old-forms.jsonl"))
	versions := map[string]bool{}
	for _, one := range records {
		versions[fmt.Sprintf("%s@%d", one.Type, one.SchemaVersion)] = true
	}
	for _, want := range []string{"ScriptSaved@1", "ScriptSaved@2", "ScriptSaved@3", "WorkflowCreated@1"} {
		require.True(t, versions[want], want)
	}
	codec := movedOn(t)
	audit := commands.NewAudit(codec)
	for _, one := range records {
		require.NoError(t, audit.Check(one))
	}
	golden(t, filepath.Join(histories, "good", "rolled-back.state.json"), folded(t, codec, records))

	// Without the step in the middle the program does not even start.
	require.ErrorContains(t, withoutStep().Check(), "no upcaster from version 2")
}

// movedOn is the codec of a program that has changed its mind twice about ScriptSaved.
func movedOn(t *testing.T) *event.Registry {
	t.Helper()
	codec := withoutStep()
	event.Upcast(codec, workflow.TypeScriptSaved, 2, func(payload json.RawMessage) (json.RawMessage, error) {
		return rewritten(payload, func(members map[string]any) {
			code, _ := members["source"].(string)
			sum := sha256.Sum256([]byte(code))
			delete(members, "source")
			members["code"], members["sha256"] = code, hex.EncodeToString(sum[:])
		})
	})
	require.NoError(t, codec.Check())
	return codec
}

func withoutStep() *event.Registry {
	codec := event.NewRegistry()
	run.Register(codec)
	thread.Register(codec)
	event.Register[workflow.ScriptSaved](codec, 3)
	event.Upcast(codec, workflow.TypeScriptSaved, 1, func(payload json.RawMessage) (json.RawMessage, error) {
		return rewritten(payload, func(members map[string]any) {
			text, _ := members["version"].(string)
			version, err := workflow.ParseVersion(text)
			if err == nil {
				members["version"] = version
			}
			members["script_id"] = members["id"]
			delete(members, "id")
		})
	})
	// The history has events of these other types, too.
	event.Register[workflow.WorkflowCreated](codec, 1)
	event.Register[workflow.WorkflowActivated](codec, 1)
	event.Register[workflow.RunAdmitted](codec, 1)
	event.Register[workflow.RunSucceeded](codec, 1)
	event.Register[workflow.RunFailed](codec, 1)
	event.Register[workflow.LogicErrorClassified](codec, 1)
	event.Register[workflow.MaintenanceEntered](codec, 1)
	event.Register[workflow.FixProposed](codec, 1)
	event.Register[workflow.FixVerified](codec, 1)
	event.Register[workflow.FixHeld](codec, 1)
	event.Register[workflow.FixRejectedStale](codec, 1)
	event.Register[workflow.FixApplied](codec, 1)
	event.Register[workflow.MaintenanceExited](codec, 1)
	event.Register[workflow.Escalated](codec, 1)
	event.Register[workflow.Recovered](codec, 1)
	return codec
}

func rewritten(payload json.RawMessage, change func(map[string]any)) (json.RawMessage, error) {
	var members map[string]any
	if err := json.Unmarshal(payload, &members); err != nil {
		return nil, err
	}
	change(members)
	return json.Marshal(members)
}

// oldForms is a story as two earlier programs would have written it, and the one that has
// moved on the rest.
func oldForms(t *testing.T) []eventlog.Record {
	t.Helper()
	version := func(_ string, n int) int { return min(n, 3) }
	n := 0
	return lowered(t, recorded(t, stories["rolled-back"]), map[string]func(map[string]any){
		workflow.TypeScriptSaved: func(members map[string]any) {
			n++
			if version("", n) == 3 {
				return
			}
			members["source"] = members["code"]
			delete(members, "code")
			delete(members, "sha256")
			if version("", n) == 1 {
				of := members["version"].(map[string]any)
				members["version"] = fmt.Sprintf("%s.%s", of["major"], of["minor"])
				members["id"] = members["script_id"]
				delete(members, "script_id")
			}
		},
	}, version)
}

// folded is what the program makes of a history: it is put into a log, byte for byte, and loaded.
func folded(t *testing.T, codec *event.Registry, records []eventlog.Record) []byte {
	t.Helper()
	ctx, log := t.Context(), openLog(t)
	var batch []eventlog.Event
	for i, one := range records {
		batch = append(batch, one.Event)
		if i+1 == len(records) || records[i+1].Stream != one.Stream {
			_, err := log.Append(ctx, one.Stream, eventlog.At(one.Revision-int64(len(batch))), batch)
			require.NoError(t, err)
			batch = nil
		}
	}
	c := commands.New(commands.Config{
		Log: log, Codec: codec, CheckScript: checkScript, Now: func() time.Time { return noon }, NewID: uuid.NewString,
	})
	type state struct {
		Workflow  workflow.State
		Proposals []workflow.Proposal
		Settled   map[string]workflow.Settled
		Exempted  []string
		Successes map[int][]string
		Runs      map[string]run.State
		Threads   map[string]thread.State
	}
	of := state{
		Settled: map[string]workflow.Settled{}, Successes: map[int][]string{},
		Runs: map[string]run.State{}, Threads: map[string]thread.State{},
	}
	var err error
	first := slices.IndexFunc(records, func(one eventlog.Record) bool { return strings.HasPrefix(one.Stream, "workflow-") })
	of.Workflow, err = c.LoadWorkflow(ctx, strings.TrimPrefix(records[first].Stream, "workflow-"))
	require.NoError(t, err)
	for _, script := range of.Workflow.Versions {
		of.Successes[script.Version.Major] = nil
	}
	for _, one := range records {
		decoded, err := codec.Decode(one.Type, one.SchemaVersion, one.Payload)
		require.NoError(t, err)
		switch e := decoded.(type) {
		case workflow.FixProposed:
			proposal, known := of.Workflow.Proposal(e.Proposal)
			require.True(t, known)
			of.Proposals = append(of.Proposals, proposal)
		case workflow.RunSucceeded: // the newest first
			of.Successes[e.Version.Major] = append([]string{e.Run}, of.Successes[e.Version.Major]...)
		case workflow.RunAdmitted:
			if settled, known := of.Workflow.Run(e.Run); known {
				of.Settled[e.Run] = settled
			}
			if of.Workflow.Exempted(e.Run) {
				of.Exempted = append(of.Exempted, e.Run)
			}
		case run.RunStarted:
			of.Runs[e.Run], err = c.LoadRun(ctx, e.Run)
			require.NoError(t, err)
		case thread.ThreadOpened:
			of.Threads[e.Thread], err = c.LoadThread(ctx, e.Thread)
			require.NoError(t, err)
		}
	}
	text, err := json.Marshal(of)
	require.NoError(t, err)
	var members any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&members))
	var readable bytes.Buffer
	encoder := json.NewEncoder(&readable)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(said(members)))
	return readable.Bytes()
}

// said leaves out what is empty: a state that gets a new field is not another state by that.
func said(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, member := range value {
			if member = said(member); member == nil {
				delete(value, key)
			} else {
				value[key] = member
			}
		}
		if len(value) == 0 {
			return nil
		}
	case []any:
		for i := range value {
			value[i] = said(value[i])
		}
		if len(value) == 0 {
			return nil
		}
	case string:
		if value == "" || value == "0001-01-01T00:00:00Z" {
			return nil
		}
	case bool:
		if !value {
			return nil
		}
	case json.Number:
		if value == "0" {
			return nil
		}
	}
	return value
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		require.NoError(t, os.WriteFile(path, got, 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "%s is not what the history folds to", path)
}

// badHistory is a history that nobody can have recorded, and why it is refused.
type badHistory struct {
	of     string // the good history it was made from
	change func([]eventlog.Record) []eventlog.Record
	at     string // stream, revision and type of the event that is refused; nothing if no event can be read from the line
	is     any    // what the error wraps: a pointer to a variable of its type
	says   string
}

// Each of these is refused, at the event and for the reason that it says. But for those whose chain or whose lines
// are broken every chain is whole, as if an insider had made them.
func TestBadHistories(t *testing.T) {
	t.Parallel()
	found := files(t, "bad")
	for name := range found {
		require.Contains(t, badHistories, name, "nothing says why it is bad")
	}
	for name, bad := range badHistories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Contains(t, found, name)
			at, err := refused(t, newCodec(), found[name])
			require.Error(t, err, "it is accepted")
			require.Equal(t, bad.at, at, err)
			require.ErrorContains(t, err, bad.says)
			if bad.is != nil {
				require.ErrorAs(t, err, bad.is)
			}
		})
	}
}

func refused(t *testing.T, codec *event.Registry, path string) (at string, err error) {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	audit := commands.NewAudit(codec)
	for one, err := range jsonl.Read(file) {
		if err != nil {
			return "", err
		}
		if err := audit.Check(one); err != nil {
			history, ok := errors.AsType[*commands.HistoryError](err)
			require.True(t, ok)
			require.Contains(t, err.Error(), fmt.Sprintf("revision %d", history.Revision))
			require.Contains(t, err.Error(), "stream "+history.Stream)
			return fmt.Sprintf("%s %d %s", history.Stream, history.Revision, history.Type), err
		}
	}
	return "", nil
}

// A decider that meets an event it does not know fails and names it; nothing is decided
// on half a history, and nothing appended.
func TestDecidersRefuseWhatTheyDoNotKnow(t *testing.T) {
	t.Parallel()
	for name, is := range map[string]any{"type-unknown": new(*event.UnknownTypeError), "schema-version-newer": new(*event.VersionError)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, log := t.Context(), openLog(t)
			for _, one := range stored(t, filepath.Join(histories, "bad", name+".jsonl")) {
				_, err := log.Append(ctx, one.Stream, eventlog.At(one.Revision-1), []eventlog.Event{one.Event})
				require.NoError(t, err)
			}
			before := records(t, log, "workflow-"+w)
			c := on(log)
			_, err := c.PauseWorkflow(ctx, w, workflow.Pause{}, ann)
			require.ErrorAs(t, err, is)
			require.ErrorContains(t, err, "workflow-"+w+" revision ")
			_, err = c.LoadWorkflow(ctx, w)
			require.ErrorAs(t, err, is)
			require.Equal(t, before, records(t, log, "workflow-"+w))
		})
	}
}

// An event of a newer program and an erased one end how far a history can be followed; they are no fault of it. Runs
// that such an event may have admitted are not called forged.
func TestAuditOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	good := stored(t, filepath.Join(histories, "good", "repaired.jsonl"))
	admitted := at(good, "RunAdmitted", 1)
	newer := slices.Clone(good)
	newer[admitted].Type = "RunInvited"
	newer = rechain(newer)
	erased := slices.Clone(good)
	erased[admitted].Payload = eventlog.Erased(erased[admitted].Payload)
	for name, records := range map[string][]eventlog.Record{"newer": newer, "erased": erased} {
		audit := commands.NewAudit(newCodec())
		audit.AllowErased = true
		var unread []string
		for _, one := range records {
			if slices.Contains(unread, one.Stream) {
				continue
			}
			if err := audit.Check(one); err != nil {
				require.True(t, commands.Unreadable(err), "%s: %v", name, err)
				unread = append(unread, one.Stream)
				audit.Forget(one.Stream)
			}
		}
		require.Equal(t, []string{"workflow-" + w}, unread, name)
	}
	audit := commands.NewAudit(newCodec())
	for i, one := range erased[:admitted+1] {
		err := audit.Check(one)
		require.Equal(t, i == admitted, err != nil)
		require.False(t, commands.Unreadable(err), "nobody allowed it")
	}
	require.False(t, commands.Unreadable(nil))
	require.False(t, commands.Unreadable(&event.VersionError{Version: 0, Known: 1}), "damaged, not newer")
}

// An audit follows a run or a thread only beside what admitted it, and streams of others
// only for their order.
func TestAuditOfSeveralStreams(t *testing.T) {
	t.Parallel()
	good := stored(t, filepath.Join(histories, "good", "repaired.jsonl"))
	check := func(audit *commands.Audit, records []eventlog.Record) error {
		for _, one := range records {
			if err := audit.Check(one); err != nil {
				return err
			}
		}
		return nil
	}
	// Stream by stream, the workflow's first, it is the same history.
	byStream := slices.Clone(good)
	slices.SortStableFunc(byStream, func(a, b eventlog.Record) int { return -strings.Compare(a.Stream, b.Stream) })
	require.Equal(t, "workflow-"+w, byStream[0].Stream)
	audit := commands.NewAudit(newCodec())
	for i, one := range byStream {
		require.NoError(t, audit.Check(one))
		if i+1 < len(byStream) && byStream[i+1].Stream != one.Stream {
			audit.Forget(one.Stream)
		}
	}
	slices.Reverse(byStream)
	slices.SortStableFunc(byStream, func(a, b eventlog.Record) int { return strings.Compare(a.Stream, b.Stream) })
	slices.SortStableFunc(byStream, func(a, b eventlog.Record) int {
		if a.Stream == b.Stream {
			return int(a.Revision - b.Revision)
		}
		return 0
	})
	require.ErrorContains(t, check(commands.NewAudit(newCodec()), byStream), "run r1 was never admitted")

	// The run of one workflow is not admitted by another.
	other := recorded(t, func(p *play) { p.create(); p.admit("r1", workflow.TriggerManual, "") })
	for i := range other {
		other[i].Stream = "workflow-other"
		other[i].Payload = []byte(strings.Replace(string(other[i].Payload), `"id":"refunds"`, `"id":"other"`, 1))
		other[i].Metadata = []byte(strings.Replace(string(other[i].Metadata), "workflow:refunds", "workflow:other", 1))
	}
	require.ErrorContains(t, check(commands.NewAudit(newCodec()), append(rechain(other), good...)), "run r1 is one of workflow other")

	foreign := eventlog.Record{
		Event:  eventlog.Event{ID: uuid.NewString(), Type: "OrderPlaced", SchemaVersion: 1, Payload: []byte("x"), Metadata: []byte("y")},
		Stream: "shop-1",
	}
	require.NoError(t, check(commands.NewAudit(newCodec()), append([]eventlog.Record{foreign}, good...)))
	foreign.Revision = 1
	require.ErrorAs(t, check(commands.NewAudit(newCodec()), []eventlog.Record{foreign}), new(*hashchain.BrokenError))
	require.False(t, domain.OwnStream("shop-1"))
	for _, own := range []string{"workflow-1", "run-1", "thread-1"} {
		require.True(t, domain.OwnStream(own))
	}
}
