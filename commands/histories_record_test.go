package commands_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

var record = flag.Bool("record", false, "record the stored histories that are not there yet; what is there is never recorded anew")

const histories = "../testdata/histories"

// TestRecordHistories writes what a story comes to, with -record, where no file is yet: a
// stored history is of the program that recorded it, and later programs must still read it.
func TestRecordHistories(t *testing.T) {
	t.Parallel()
	if !*record {
		return // the files are read by the tests of histories_test.go
	}
	for name, tell := range stories {
		store(t, filepath.Join(histories, "good", name+".jsonl"), func() []eventlog.Record { return recorded(t, tell) })
	}
	store(t, filepath.Join(histories, "good", "schema-version-1.jsonl"), func() []eventlog.Record {
		return lowered(t, recorded(t, scheduled), map[string]func(map[string]any){
			"ScheduleChanged": func(payload map[string]any) {
				delete(payload, "from") // and no policy is set in this story
			},
			"SlotSkipped": func(map[string]any) {},
		}, func(string, int) int { return 1 })
	})
	store(t, filepath.Join(histories, "lifted", "old-forms.jsonl"), func() []eventlog.Record { return oldForms(t) })
	for name, bad := range badHistories {
		if bad.change == nil {
			continue // written by hand
		}
		store(t, filepath.Join(histories, "bad", name+".jsonl"), func() []eventlog.Record {
			return untilRefused(bad.change(stored(t, filepath.Join(histories, "good", bad.of+".jsonl"))))
		})
	}
}

// untilRefused leaves out what follows the bad event, but for one: the file is long enough.
func untilRefused(records []eventlog.Record) []eventlog.Record {
	audit := commands.NewAudit(newCodec())
	for i, one := range records {
		if audit.Check(one) != nil {
			return records[:min(i+2, len(records))]
		}
	}
	panic("a bad history is accepted")
}

func store(t *testing.T, path string, make func() []eventlog.Record) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
		return
	}
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	file, err := os.Create(path)
	require.NoError(t, err)
	n, err := jsonl.Write(file, each(make()))
	require.NoError(t, errors.Join(err, file.Close()))
	t.Logf("%s: %d events", path, n)
}

// play is a story that is being told: commands, at times and with ids that are the same
// whenever it is told again.
type play struct {
	*commands.Commands
	t     *testing.T
	log   *sqlitelog.Log
	clock time.Time
	count int
}

// w is the one workflow of every story.
const w = "refunds"

func recorded(t *testing.T, tell func(*play)) []eventlog.Record {
	t.Helper()
	p := &play{t: t, clock: time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)}
	log, err := sqlitelog.Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{Now: func() time.Time { return p.clock }})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	p.log = log
	p.Commands = commands.New(commands.Config{
		Log: log, Codec: newCodec(), CheckScript: checkScript,
		Now:   func() time.Time { return p.clock },
		NewID: func() string { p.count++; return commands.DerivedID("story", fmt.Sprint(p.count)) },
	})
	tell(p)
	var all []eventlog.Record
	for one, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		all = append(all, one)
	}
	return all
}

// do gives a command, a second after the one before.
func do[C any](p *play, actor string, command func(context.Context, string, C, commands.Meta) (commands.Result, error), c C) {
	p.t.Helper()
	p.clock = p.clock.Add(time.Second)
	_, err := command(p.t.Context(), w, c, commands.Meta{Actor: actor})
	require.NoError(p.t, err)
}

func (p *play) create() {
	p.t.Helper()
	_, err := p.CreateWorkflow(p.t.Context(), workflow.Create{
		ID: w, Title: "Refund report", Owner: "ann", Zone: "Europe/Vienna", Intent: "Every morning, list the refunds of the day before.",
	}, commands.Meta{Actor: "person:ann"})
	require.NoError(p.t, err)
	p.save("async function main(input) { const list = await web.getJSON('https://api.example.com/refunds?day=' + input.day); return list.refunds.map(r => r.amount_total.value) }")
	do(p, "person:ann", p.ActivateWorkflow, workflow.Activate{})
}

func (p *play) save(code string) {
	p.t.Helper()
	do(p, "person:ann", p.SaveScript, workflow.SaveScript{
		Code: code, Comment: "first version", Summary: "Lists <refunds> & totals", Diagram: "graph LR; list --> sum", Origin: workflow.OriginPerson,
	})
}

func (p *play) admit(id string, trigger workflow.Trigger, continues string) {
	p.t.Helper()
	ask := workflow.AdmitRun{Run: id, Trigger: trigger, Continues: continues}
	if continues == "" {
		ask.Input = json.RawMessage(`{"day":"2026-03-01"}`)
	}
	do(p, "system:scheduler", p.AdmitRun, ask)
}

// execute runs an admitted run to its end, and settles it.
func (p *play) execute(id string, failed *failure.Failure) {
	p.t.Helper()
	p.perform(id, failed)
	p.settle(id, failed, workflow.RehearsedReproduced)
}

func (p *play) perform(id string, failed *failure.Failure) {
	p.t.Helper()
	ctx := p.t.Context()
	state, err := p.LoadWorkflow(ctx, w)
	require.NoError(p.t, err)
	info := state.Admitted[id]
	p.clock = p.clock.Add(time.Second)
	journal, err := p.StartRun(ctx, run.Start{
		Run: id, Workflow: w, Version: info.Version.String(), Trigger: string(info.Trigger), Input: info.Input, Seed: id, Clock: p.clock,
		Zone: "Europe/Vienna", LeaseUntil: p.clock.Add(time.Minute), Node: "host/1", Continues: info.Continues,
	}, commands.Meta{Actor: "system:executor"})
	require.NoError(p.t, err)
	require.NoError(p.t, journal.Flush(ctx))
	for _, command := range []run.Command{
		run.RecordCall{Seq: 1, Tool: "web.getJSON", Args: json.RawMessage(`["https://api.example.com/refunds?day=2026-03-01"]`), Effect: run.EffectRead, From: info.Continues},
		run.RecordReturn{Seq: 1, Result: json.RawMessage(`{"refunds":[{"id":"re_1","amount_total":{"value":12.50,"currency":"EUR"}}]}`), MS: 41},
		run.RecordCall{Seq: 2, Tool: "kv.set", Args: json.RawMessage(`["last","2026-03-01"]`), Effect: run.EffectWrite, Key: id + "/2"},
		run.RecordReturn{Seq: 2, Result: json.RawMessage(`null`)},
		run.WriteLog{Lines: []run.LogLine{{Level: "info", Text: "1 refund, 12.50 €"}}},
	} {
		require.NoError(p.t, journal.Record(ctx, command))
	}
	end := run.End{Output: json.RawMessage(`[12.50]`), Usage: run.Usage{WallMS: 52, VirtualMS: 41, Calls: 2}}
	if failed != nil {
		end.Output, end.Failure = nil, failed
		end.Local = &run.Local{KV: map[string]json.RawMessage{"last": json.RawMessage(`"2026-03-01"`)}}
	}
	_, err = journal.End(ctx, end)
	require.NoError(p.t, err)
}

func (p *play) settle(id string, failed *failure.Failure, rehearsed workflow.Rehearsed) {
	p.t.Helper()
	settle := workflow.SettleRun{Run: id, Failure: failed}
	if failed != nil {
		settle.Evidence, settle.Rehearsed = "thrown by the script", rehearsed
		settle.Task, settle.Thread, settle.Item = "task-"+id, "talk-"+id, "item-"+id
	}
	do(p, "system:executor", p.SettleRun, settle)
}

// succeed and fail are whole runs.
func (p *play) succeed(id string) {
	p.t.Helper()
	p.admit(id, workflow.TriggerManual, "")
	p.execute(id, nil)
}

func (p *play) fail(id string, f failure.Failure) {
	p.t.Helper()
	p.admit(id, workflow.TriggerManual, "")
	p.execute(id, &f)
}

// propose is the maintainer at work on the task of a failed run, on its own thread.
func (p *play) propose(proposal, failed, code string) {
	p.t.Helper()
	ctx, meta := p.t.Context(), commands.Meta{Actor: "maintainer:task-" + failed}
	talk := "talk-" + failed
	if _, err := p.LoadThread(ctx, talk); err != nil {
		_, err := p.OpenThread(ctx, thread.Open{Thread: talk, Workflow: w, Kind: thread.KindMaintainer, Task: "task-" + failed, Title: "TypeError"}, meta)
		require.NoError(p.t, err)
		_, err = p.AppendMessage(ctx, talk, thread.AppendMessage{Role: "assistant", Text: "The field `amount_total` is now called `total_amount`."}, meta)
		require.NoError(p.t, err)
		_, err = p.InvokeTool(ctx, talk, thread.InvokeTool{Call: "c1", Tool: "read_run", Args: json.RawMessage(`{"run":"` + failed + `"}`)}, meta)
		require.NoError(p.t, err)
		_, err = p.ReturnTool(ctx, talk, thread.ReturnTool{Call: "c1", Result: json.RawMessage(`{"calls":2}`)}, meta)
		require.NoError(p.t, err)
	}
	_, err := p.JudgeCandidate(ctx, talk, thread.JudgeCandidate{
		Fixer: "templates renamed-field/1", Comment: "amount_total is total_amount", Diff: "-amount_total\n+total_amount\n", Verdict: "identical",
	}, meta)
	require.NoError(p.t, err)
	do(p, "maintainer:task-"+failed, p.ProposeFix, workflow.ProposeFix{
		Proposal: proposal, Task: "task-" + failed, Code: code, Comment: "Read total_amount where amount_total was",
		Fixer: workflow.Fixer{Kind: "templates", Version: "renamed-field/1", Detail: "amount_total → total_amount"},
	})
}

func (p *play) judge(proposal string, v workflow.Verification, alternatives ...workflow.Alternative) {
	p.t.Helper()
	do(p, "system:gate", p.JudgeFix, workflow.JudgeFix{Proposal: proposal, Verification: v, Alternatives: alternatives})
}

func (p *play) closeThread(failed, outcome string) {
	p.t.Helper()
	_, err := p.CloseThread(p.t.Context(), "talk-"+failed, thread.Close{Outcome: outcome}, commands.Meta{Actor: "maintainer:task-" + failed})
	require.NoError(p.t, err)
}

const fixedCode = "async function main(input) { const list = await web.getJSON('https://api.example.com/refunds?day=' + input.day); return list.refunds.map(r => (r.total_amount ?? r.amount_total).value) }"

var (
	renamed = failure.Failure{
		Class: failure.Logic, Name: "TypeError", Message: "Cannot read property 'value' of undefined", Stack: "at main (script.js:1:142)",
		Strict: "9f1c", Loose: "77aa",
	}
	elsewhere = failure.Failure{Class: failure.Logic, Name: "RangeError", Message: "Invalid time value", Strict: "5b20", Loose: "61ce"}
	overload  = failure.Failure{Class: failure.Network, Name: "NetworkError", Message: "status 503", Status: 503, Host: "api.example.com", RetryAfterMS: 30_000, Strict: "0a0a", Loose: "0b0b"}
	signedOut = failure.Failure{Class: failure.Auth, Name: "AuthError", Message: "status 401", Status: 401, Host: "api.example.com", Strict: "4014", Loose: "4010"}

	identical = workflow.Verification{
		Verdict: workflow.VerdictIdentical, FailingRun: "succeeds", Output: json.RawMessage(`[12.50]`), Replayed: 2, Identical: 2,
		Runs: []string{"r1", "r2"}, GateVersion: "1", Certificate: strings.Repeat("c0", 32),
	}
	different = workflow.Verification{
		Verdict: workflow.VerdictDifferent, FailingRun: "succeeds", Replayed: 2, Identical: 1, Divergence: "run r2, output $[0]: want 12.5, got 1250",
		Runs: []string{"r1", "r2"}, GateVersion: "1", Certificate: strings.Repeat("d1", 32),
	}
)

// stories are the good histories, by the name of their file.
var stories = map[string]func(*play){
	"answered-together": func(p *play) {
		p.create()
		p.admit("r1", workflow.TriggerManual, "")
		ctx := p.t.Context()
		journal, err := p.StartRun(ctx, run.Start{
			Run: "r1", Workflow: w, Version: "1.0", Trigger: "manual", Input: json.RawMessage(`{}`), Seed: "r1", Clock: p.clock, Zone: "Europe/Vienna",
			LeaseUntil: p.clock.Add(time.Minute), Node: "n1",
		}, commands.Meta{Actor: "system:executor"})
		require.NoError(p.t, err)
		require.NoError(p.t, journal.Flush(ctx))
		for seq := range 8 {
			require.NoError(p.t, journal.Record(ctx, run.RecordAnswered{
				Call:   run.RecordCall{Seq: seq + 1, Tool: "kv.set", Args: json.RawMessage(fmt.Sprintf(`["step",%d]`, seq)), Effect: run.EffectWrite, Key: fmt.Sprint("k", seq)},
				Return: run.RecordReturn{Result: json.RawMessage("null"), MS: 2},
			}))
		}
		_, err = journal.End(ctx, run.End{Output: json.RawMessage(`{"steps":8}`), Usage: run.Usage{Calls: 8}})
		require.NoError(p.t, err)
		p.settle("r1", nil, "")
	},
	"plain-life": func(p *play) {
		p.create()
		p.succeed("r1")
		do(p, "person:ann", p.ChangeSettings, workflow.ChangeSettings{Settings: workflow.Settings{Budget: 5, AllowedHosts: []string{"api.example.com"}}})
		p.succeed("r2")
		do(p, "person:ann", p.ExemptRun, workflow.ExemptRun{Run: "r1", Reason: "the list was half empty that day"})
		do(p, "person:ann", p.ChangeIntent, workflow.ChangeIntent{Title: "Refunds", Intent: "List the refunds, with totals."})
		do(p, "person:ann", p.PauseWorkflow, workflow.Pause{Reason: "holiday"})
		do(p, "person:ann", p.ActivateWorkflow, workflow.Activate{})
		p.save("async function main() { return 2 }")
		p.succeed("r3")
		do(p, "person:ann", p.AcknowledgeNotification, workflow.AcknowledgeNotification{Notification: "n1"})
		do(p, "person:ann", p.ArchiveWorkflow, workflow.Archive{Reason: "no longer needed"})
		do(p, "person:ann", p.RestoreWorkflow, workflow.Restore{})
	},
	"repaired": func(p *play) {
		p.create()
		p.succeed("r1")
		p.succeed("r2")
		p.repair("r3", "p1")
		p.admit("r4", workflow.TriggerContinuation, "r3")
		p.execute("r4", nil)
	},
	"stale-fix": func(p *play) {
		p.create()
		p.fail("r1", renamed)
		p.propose("p1", "r1", fixedCode)
		p.save("async function main() { return 'another way' }")
		p.judge("p1", workflow.Verification{})
		p.propose("p2", "r1", fixedCode) // it did not know
		p.closeThread("r1", "stale")
		p.succeed("r2")
	},
	"held-and-accepted": func(p *play) {
		p.create()
		p.succeed("r1")
		do(p, "person:ann", p.ChangeSettings, workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModePropose}})
		p.fail("r2", renamed)
		p.propose("p1", "r2", fixedCode+" // one")
		p.judge("p1", identical, workflow.Alternative{Code: fixedCode + " // other", Comment: "the other field", Output: json.RawMessage(`[7]`)})
		do(p, "person:ann", p.CorrectFix, workflow.CorrectFix{Proposal: "p1", Note: "keep the old field as well"})
		p.propose("p2", "r2", fixedCode)
		p.judge("p2", identical)
		do(p, "person:ann", p.RecheckFix, workflow.RecheckFix{Proposal: "p2", Verification: identical})
		do(p, "person:ann", p.AcceptFix, workflow.AcceptFix{Proposal: "p2", AllowHosts: []string{"new.example.com"}, Reason: "looks right"})
		p.closeThread("r2", "accepted")
		p.admit("r3", workflow.TriggerContinuation, "r2")
		p.execute("r3", nil)
	},
	"held-and-declined": func(p *play) {
		p.create()
		do(p, "person:ann", p.ChangeSettings, workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: workflow.ModeProven}})
		p.fail("r1", renamed)
		p.propose("p1", "r1", fixedCode)
		p.judge("p1", workflow.Verification{Verdict: workflow.VerdictUnverifiable, Reasons: []string{"it swallows an error"}, GateVersion: "1"})
		do(p, "person:ann", p.DeclineFix, workflow.DeclineFix{Proposal: "p1", Reason: "it hides the cause"})
		do(p, "person:ann", p.ActivateWorkflow, workflow.Activate{})
		p.succeed("r2")
	},
	"escalated": func(p *play) {
		p.create()
		do(p, "person:ann", p.ChangeSettings, workflow.ChangeSettings{Settings: workflow.Settings{Budget: 1}})
		p.repair("r1", "p1")
		p.admit("r2", workflow.TriggerContinuation, "r1")
		p.execute("r2", &elsewhere) // beyond the budget: 1.1 is withdrawn
		p.save("async function main() { return 'planned anew' }")
		p.succeed("r3")
	},
	"same-error-after-fix": func(p *play) {
		p.create()
		p.repair("r1", "p1")
		p.admit("r2", workflow.TriggerContinuation, "r1")
		p.execute("r2", &renamed)
		do(p, "person:ann", p.ActivateWorkflow, workflow.Activate{})
	},
	"rejected-and-unfixable": func(p *play) {
		p.create()
		p.succeed("r1")
		p.admit("r2", workflow.TriggerManual, "")
		p.perform("r2", &renamed)
		p.settle("r2", &renamed, workflow.RehearsedReproduced)
		p.propose("p1", "r2", fixedCode)
		p.judge("p1", different)
		do(p, "maintainer:task-r2", p.EndMaintenance, workflow.EndMaintenance{Task: "task-r2", Explanation: "No candidate keeps what worked."})
		p.closeThread("r2", "unfixable")
	},
	"rolled-back": func(p *play) {
		p.create()
		p.save("async function main() { return 2 }")
		p.fail("r1", renamed)
		p.propose("p1", "r1", fixedCode)
		p.judge("p1", workflow.Verification{Verdict: workflow.VerdictIdentical, Reasons: []string{"it reads a field nobody saw"}, GateVersion: "1"})
		do(p, "person:ann", p.RollbackScript, workflow.Rollback{To: workflow.Version{Major: 1}})
		p.succeed("r2")
		p.repair("r3", "p2")
		do(p, "person:ann", p.WithdrawFixes, workflow.WithdrawFixes{Reason: "too clever"})
	},
	"waiting": func(p *play) {
		p.create()
		p.fail("r1", signedOut)
		do(p, "person:ann", p.ActivateWorkflow, workflow.Activate{})
		p.fail("r2", overload)
		p.clock = p.clock.Add(time.Hour)
		p.admit("r3", workflow.TriggerRetry, "r2")
		p.execute("r3", &overload)
		p.clock = p.clock.Add(time.Hour)
		p.admit("r4", workflow.TriggerRetry, "r3")
		p.execute("r4", nil)
		p.admit("r5", workflow.TriggerManual, "")
		p.perform("r5", &renamed)
		p.settle("r5", &renamed, workflow.RehearsedWorks) // not reproduced: tried again with fresh reads
		p.clock = p.clock.Add(time.Hour)
		p.admit("r6", workflow.TriggerRetry, "r5")
		p.execute("r6", nil)
	},
	"planned": func(p *play) {
		p.create()
		do(p, "planner:plan-1", p.OpenPlannerTask, workflow.OpenPlannerTask{Task: "plan-1", Thread: "talk-plan-1", Ask: "also send it by mail"})
		do(p, "planner:plan-1", p.AskQuestion, workflow.AskQuestion{Question: "q1", Task: "plan-1", Text: "To whom?", Options: []string{"ann", "bob"}})
		do(p, "planner:plan-1", p.WaitPlannerTask, workflow.WaitPlannerTask{Task: "plan-1"})
		do(p, "person:ann", p.AnswerQuestion, workflow.AnswerQuestion{Question: "q1", Answer: "bob"})
		do(p, "planner:plan-1", p.SaveScript, workflow.SaveScript{Code: "async function main() { return 'mail' }", Comment: "sends a mail", Origin: workflow.OriginPlanner, Task: "plan-1"})
		do(p, "planner:plan-1", p.ClosePlannerTask, workflow.ClosePlannerTask{Task: "plan-1", Outcome: "saved"})
	},
	"imported": func(p *play) {
		p.create()
		for i, failed := range []*failure.Failure{nil, &renamed} {
			id := fmt.Sprintf("old%d", i)
			do(p, "person:ann", p.AdmitRun, workflow.AdmitRun{Run: id, Trigger: workflow.TriggerImport, Input: json.RawMessage(`1`)})
			p.perform(id, failed)
			p.settle(id, failed, workflow.RehearsedNone)
		}
	},
	"archived-while-running": func(p *play) {
		p.create()
		do(p, "person:ann", p.ChangeSettings, workflow.ChangeSettings{Settings: workflow.Settings{MaxActive: 3}})
		p.admit("r1", workflow.TriggerManual, "")
		p.admit("r2", workflow.TriggerManual, "")
		p.perform("r1", nil)
		do(p, "person:ann", p.ArchiveWorkflow, workflow.Archive{})
		p.settle("r1", nil, "")
		p.execute("r2", &renamed)
	},
	"scheduled": scheduled,
}

func scheduled(p *play) {
	p.create()
	do(p, "person:ann", p.ChangeSchedule, workflow.ChangeSchedule{Spec: "0 7 * * *", Zone: "Europe/Vienna", Input: json.RawMessage(`{"day":"yesterday"}`)})
	slot := time.Date(2026, 3, 3, 6, 0, 0, 0, time.UTC)
	p.clock = slot
	do(p, "system:scheduler", p.AdmitRun, workflow.AdmitRun{Run: "r1", Trigger: workflow.TriggerSchedule, Slot: &slot, Input: json.RawMessage(`{"day":"yesterday"}`)})
	p.execute("r1", nil)
	next := slot.AddDate(0, 0, 1)
	p.clock = next
	do(p, "system:scheduler", p.SkipSlot, workflow.SkipSlot{Slot: &next, Reason: "the server was down"})
	do(p, "person:ann", p.ChangeSchedule, workflow.ChangeSchedule{})
}

// repair is a run that fails, and the fix of it.
func (p *play) repair(failed, proposal string) {
	p.t.Helper()
	p.fail(failed, renamed)
	p.propose(proposal, failed, fixedCode)
	p.judge(proposal, identical)
	p.closeThread(failed, "applied")
}

// each yields records.
func each(records []eventlog.Record) func(func(eventlog.Record, error) bool) {
	return func(yield func(eventlog.Record, error) bool) {
		for _, one := range records {
			if !yield(one, nil) {
				return
			}
		}
	}
}

// stored reads a stored history.
func stored(t testing.TB, path string) []eventlog.Record {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	var records []eventlog.Record
	for one, err := range jsonl.Read(file) {
		require.NoError(t, err, path)
		records = append(records, one)
	}
	return records
}

// rechain is what somebody does who changes a history and knows how it is kept: every chain is whole again.
func rechain(records []eventlog.Record) []eventlog.Record {
	heads := map[string]hashchain.Hash{}
	for i := range records {
		one := &records[i]
		metadata, _, err := hashchain.Unseal(one.Metadata)
		if err != nil {
			panic(err)
		}
		heads[one.Stream] = hashchain.Next(heads[one.Stream], hashchain.Link{
			Stream: one.Stream, Revision: one.Revision, ID: one.ID, Type: one.Type, SchemaVersion: one.SchemaVersion,
			Payload: one.Payload, Metadata: metadata,
		})
		one.Metadata = hashchain.Seal(metadata, heads[one.Stream])
	}
	return records
}

// renumber counts the revisions of every stream anew.
func renumber(records []eventlog.Record) []eventlog.Record {
	next := map[string]int64{}
	for i := range records {
		records[i].Revision = next[records[i].Stream]
		next[records[i].Stream]++
	}
	return records
}

// forge changes events as if they had been recorded so.
func forge(change func([]eventlog.Record) []eventlog.Record) func([]eventlog.Record) []eventlog.Record {
	return func(records []eventlog.Record) []eventlog.Record { return rechain(renumber(change(records))) }
}

// at is where the n-th event of a type is, from 1.
func at(records []eventlog.Record, name string, n int) int {
	for i, one := range records {
		if one.Type == name {
			if n--; n == 0 {
				return i
			}
		}
	}
	panic("there is no such event: " + name)
}

// without takes out the n-th event of a type.
func without(name string, n int) func([]eventlog.Record) []eventlog.Record {
	return forge(func(records []eventlog.Record) []eventlog.Record {
		i := at(records, name, n)
		return slices.Delete(records, i, i+1)
	})
}

// saying replaces text in the n-th event of a type.
func saying(name string, n int, from, to string) func([]eventlog.Record) []eventlog.Record {
	return forge(func(records []eventlog.Record) []eventlog.Record {
		one := &records[at(records, name, n)]
		if !strings.Contains(string(one.Payload), from) {
			panic(name + " does not say " + from)
		}
		one.Payload = []byte(strings.Replace(string(one.Payload), from, to, 1))
		return records
	})
}

// again puts the n-th event of a type in a second time, with another id, after itself and those that follow it.
func again(name string, n, later int) func([]eventlog.Record) []eventlog.Record {
	return forge(func(records []eventlog.Record) []eventlog.Record {
		i := at(records, name, n)
		twin := renamedEvent(records[i], commands.DerivedID("again", records[i].ID))
		return slices.Insert(records, i+1+later, twin)
	})
}

func renamedEvent(one eventlog.Record, id string) eventlog.Record {
	one.Metadata = []byte(strings.ReplaceAll(string(one.Metadata), one.ID, id))
	one.ID = id
	return one
}

// lowered writes events in an older form, with the schema version that they had then.
func lowered(t *testing.T, records []eventlog.Record, older map[string]func(map[string]any), version func(name string, n int) int) []eventlog.Record {
	t.Helper()
	seen := map[string]int{}
	for i := range records {
		one := &records[i]
		change, is := older[one.Type]
		if !is {
			continue
		}
		seen[one.Type]++
		var payload map[string]any
		decoder := json.NewDecoder(strings.NewReader(string(one.Payload)))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&payload))
		change(payload)
		text, err := json.Marshal(payload)
		require.NoError(t, err)
		was := fmt.Sprintf(`"schema_version":%d,`, one.SchemaVersion)
		one.Payload, one.SchemaVersion = text, version(one.Type, seen[one.Type])
		one.Metadata = []byte(strings.Replace(string(one.Metadata), was, fmt.Sprintf(`"schema_version":%d,`, one.SchemaVersion), 1))
	}
	return rechain(records)
}
