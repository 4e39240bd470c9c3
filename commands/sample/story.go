package sample

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

var (
	owners   = []string{"ann", "ben", "cho", "dia", "eli"}
	subjects = []string{"refunds", "invoices", "new orders", "open tickets", "stock levels", "late parcels", "sign-ups", "reviews"}
	verbs    = []string{"Report", "Watch", "Collect", "Forward", "Summarise"}
	executor = commands.Meta{Actor: "system:executor"}
)

func by(owner string) commands.Meta { return commands.Meta{Actor: "person:" + owner} }

func (w *world) owner(id string) string { return owners[int(id[len(id)-1])%len(owners)] }

// script is a version's code, about as long as scripts are.
func script(subject string, version int) string {
	return fmt.Sprintf(`// Version %d.
function main(input) {
  const answer = web.getJSON("https://api.example.test/%s?day=" + input.day, { headers: { authorization: secret("api") } });
  const seen = kv.get("seen") ?? [];
  const fresh = answer.data.filter((one) => !seen.includes(one.id));
  kv.set("seen", answer.data.map((one) => one.id));
  if (fresh.length > 0) notify("%s", fresh.length + " are new");
  return { count: fresh.length, total: fresh.reduce((sum, one) => sum + one.amount, 0) };
}
`, version, subject, subject)
}

// told ends a story when somebody stopped listening, or a command went wrong.
func told(yield step, err error) bool { return yield(err) && err == nil }

func after[T any](yield step, _ T, err error) bool { return told(yield, err) }

// birth is how a workflow comes to be. One in ten stays a draft.
func (w *world) birth(id string) iter.Seq[error] {
	return func(yield func(error) bool) {
		c, ctx, me := w.commands, w.ctx, by(w.owner(id))
		subject := subjects[w.chance.IntN(len(subjects))]
		title := verbs[w.chance.IntN(len(verbs))] + " " + subject
		result, err := c.CreateWorkflow(ctx, workflow.Create{
			ID: id, Title: title, Owner: w.owner(id), Zone: "Europe/Berlin", Intent: "Every morning, " + strings.ToLower(title) + " and tell me what is new.",
		}, me)
		if !after(yield, result, err) {
			return
		}
		planned := w.one(2)
		if planned && !w.plan(yield, id, subject) {
			return
		}
		if w.one(10) {
			return
		}
		if !planned {
			saved, err := c.SaveScript(ctx, id, workflow.SaveScript{
				ScriptID: w.newID(), Code: script(subject, 1), Comment: "First version", Summary: "Reports " + subject, Origin: workflow.OriginPerson,
			}, me)
			if !after(yield, saved, err) {
				return
			}
		}
		if w.one(3) {
			changed, err := c.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: workflow.Settings{AutoFix: []workflow.Mode{
				workflow.ModeAuto, workflow.ModeProven, workflow.ModePropose,
			}[w.chance.IntN(3)], Unfinished: "continue"}}, me)
			if !after(yield, changed, err) {
				return
			}
		}
		if w.one(2) && !w.config.ByHand {
			changed, err := c.ChangeSchedule(ctx, id, workflow.ChangeSchedule{Spec: "0 7 * * *", Zone: "Europe/Berlin", Input: json.RawMessage(`{"day":"today"}`)}, me)
			if !after(yield, changed, err) {
				return
			}
		}
		_, err = c.ActivateWorkflow(ctx, id, workflow.Activate{}, me)
		yield(err)
	}
}

// day is what happens next to a workflow, as its status has it.
func (w *world) day(id string) iter.Seq[error] {
	return func(yield func(error) bool) {
		c, ctx, me := w.commands, w.ctx, by(w.owner(id))
		state, err := c.LoadWorkflow(ctx, id)
		if err != nil {
			yield(err)
			return
		}
		switch state.Status {
		case workflow.StatusDraft:
			w.draft(yield, id, state)
		case workflow.StatusMaintenance:
			w.repair(yield, id, state)
		case workflow.StatusHeld:
			accept := workflow.AcceptFix{Proposal: state.Maintenance.Held.Proposal, ScriptID: w.newID(), Reason: "It reads right."}
			if w.one(4) {
				_, err = c.DeclineFix(ctx, id, workflow.DeclineFix{Proposal: accept.Proposal, Reason: "Not like that."}, me)
			} else {
				_, err = c.AcceptFix(ctx, id, accept, me)
			}
			yield(err)
		case workflow.StatusEscalated:
			saved, err := c.SaveScript(ctx, id, workflow.SaveScript{
				ScriptID: w.newID(), Code: script(subjects[0], state.Active.Major+1), Comment: "Mended by hand", Origin: workflow.OriginPerson,
			}, me)
			if after(yield, saved, err) {
				_, err = c.ActivateWorkflow(ctx, id, workflow.Activate{}, me)
				yield(err)
			}
		case workflow.StatusWaiting, workflow.StatusPaused:
			_, err = c.ActivateWorkflow(ctx, id, workflow.Activate{}, me)
			yield(err)
		case workflow.StatusArchived:
			_, err = c.RestoreWorkflow(ctx, id, workflow.Restore{}, me)
			yield(err)
		case workflow.StatusActive:
			switch w.chance.IntN(100) {
			case 0:
				_, err = c.PauseWorkflow(ctx, id, workflow.Pause{Reason: "Holidays"}, me)
				yield(err)
			case 1:
				_, err = c.ArchiveWorkflow(ctx, id, workflow.Archive{}, me)
				yield(err)
			case 2:
				_, err = c.ChangeIntent(ctx, id, workflow.ChangeIntent{Intent: "As before, and say the total."}, me)
				yield(err)
			case 3:
				w.plan(yield, id, subjects[w.chance.IntN(len(subjects))])
			default:
				w.run(yield, id, state)
			}
		}
	}
}

// draft is touched now and then.
func (w *world) draft(yield step, id string, state workflow.State) {
	if state.Active.IsZero() && !w.plan(yield, id, subjects[w.chance.IntN(len(subjects))]) {
		return
	}
	if w.one(2) {
		_, err := w.commands.ActivateWorkflow(w.ctx, id, workflow.Activate{}, by(w.owner(id)))
		yield(err)
	}
}

// plan is a person's conversation with the planner, which ends with a script.
func (w *world) plan(yield step, id, subject string) bool {
	c, ctx, me := w.commands, w.ctx, by(w.owner(id))
	task, name := w.newID(), w.newID()
	agent := commands.Meta{Actor: "planner:" + task, CorrelationID: task}
	opened, err := c.OpenPlannerTask(ctx, id, workflow.OpenPlannerTask{Task: task, Thread: name, Ask: "Tell me about " + subject + " every morning."}, me)
	if !after(yield, opened, err) || !w.converse(yield, id, name, task, thread.KindPlanner, 3, agent) {
		return false
	}
	if w.one(3) {
		question := w.newID()
		asked, err := c.AskQuestion(ctx, id, workflow.AskQuestion{Question: question, Task: task, Text: "Which shop?", Options: []string{"north", "south"}}, agent)
		if !after(yield, asked, err) {
			return false
		}
		waiting, err := c.WaitPlannerTask(ctx, id, workflow.WaitPlannerTask{Task: task}, agent)
		if !after(yield, waiting, err) {
			return false
		}
		answered, err := c.AnswerQuestion(ctx, id, workflow.AnswerQuestion{Question: question, Answer: "north"}, me)
		if !after(yield, answered, err) {
			return false
		}
	}
	saved, err := c.SaveScript(ctx, id, workflow.SaveScript{
		ScriptID: w.newID(), Code: script(subject, 1), Comment: "As asked for", Summary: "Reports " + subject, Origin: workflow.OriginPlanner, Task: task,
	}, agent)
	if !after(yield, saved, err) {
		return false
	}
	closed, err := c.ClosePlannerTask(ctx, id, workflow.ClosePlannerTask{Task: task, Outcome: "Saved."}, agent)
	return after(yield, closed, err)
}

// converse is an agent's thread, from its opening to the last answer but not its end for who goes on with it.
func (w *world) converse(yield step, id, name, task, kind string, turns int, agent commands.Meta) bool {
	c, ctx := w.commands, w.ctx
	opened, err := c.OpenThread(ctx, thread.Open{Thread: name, Workflow: id, Kind: kind, Task: task, Title: "About " + id}, agent)
	if !after(yield, opened, err) {
		return false
	}
	claimed, err := c.ClaimThread(ctx, name, thread.Claim{Node: "node-1", LeaseUntil: w.clock.Add(time.Hour)}, agent)
	if !after(yield, claimed, err) {
		return false
	}
	message, err := c.AppendMessage(ctx, name, thread.AppendMessage{Claim: 1, Role: "user", Text: "What is known: " + strings.Repeat("the answer was of another shape. ", 8)}, agent)
	if !after(yield, message, err) {
		return false
	}
	for turn := range turns {
		call := fmt.Sprintf("call-%d", turn)
		answer, err := c.AppendAnswer(ctx, name, thread.AppendAnswer{
			Claim: 1, Text: "I look at the recorded runs first.",
			Usage: thread.Usage{Model: "model-1", Input: int64(2000 + w.chance.IntN(4000)), Output: int64(100 + w.chance.IntN(400)), CostUSD: 0.01},
			Calls: []thread.InvokeTool{{Call: call, Tool: "inspect", Args: json.RawMessage(`{"run":"newest"}`)}},
		}, agent)
		if !after(yield, answer, err) {
			return false
		}
		returned, err := c.ReturnTool(ctx, name, thread.ReturnTool{Claim: 1, Call: call, Result: json.RawMessage(`{"output":{"count":3}}`), End: turn == turns-1}, agent)
		if !after(yield, returned, err) {
			return false
		}
	}
	if kind == thread.KindMaintainer {
		judged, err := c.JudgeCandidate(ctx, name, thread.JudgeCandidate{
			Claim: 1, Fixer: "model", Comment: "Read the field under its new name", Diff: "-answer.data\n+answer.data ?? answer.items\n", Verdict: "identical",
		}, agent)
		if !after(yield, judged, err) {
			return false
		}
	}
	closed, err := c.CloseThread(ctx, name, thread.Close{Claim: 1, Outcome: "done"}, agent)
	w.buffer.forget(thread.Stream(name))
	return after(yield, closed, err)
}

// outcome is what a run comes to.
type outcome int

const (
	succeeds outcome = iota
	breaks           // of the script's own
	times            // out, and is tried again
	refused          // the key is not valid any more
)

// run is a run from its admission to its settlement.
func (w *world) run(yield step, id string, state workflow.State) {
	admit := workflow.AdmitRun{Run: w.newID(), Trigger: workflow.TriggerManual, Repair: true, Input: json.RawMessage(`{"day":"2026-01-05"}`)}
	ends := succeeds
	switch chance := w.chance.IntN(1000); {
	case chance < 15:
		ends = breaks
	case chance < 40:
		ends = times
	case chance < 44:
		ends = refused
	}
	switch retry := next(state); {
	case state.Continuation != nil:
		admit.Trigger, admit.Continues, ends = workflow.TriggerContinuation, state.Continuation.Run, succeeds
	case retry.Run != "":
		if w.clock.Before(retry.At) {
			w.clock = retry.At
		}
		admit.Trigger, admit.Continues = workflow.TriggerRetry, retry.Run
	case w.one(3):
		admit.Trigger = workflow.TriggerWebhook
	}
	w.execute(yield, id, admit, ends)
}

// next is the retry that is due first.
func next(state workflow.State) (first struct {
	Run string
	At  time.Time
}) {
	for of, retry := range state.Retries {
		if first.Run == "" || retry.At.Before(first.At) || retry.At.Equal(first.At) && of < first.Run {
			first.Run, first.At = of, retry.At
		}
	}
	return first
}

func (w *world) execute(yield step, id string, admit workflow.AdmitRun, ends outcome) {
	c, ctx := w.commands, w.ctx
	by := commands.Meta{Actor: executor.Actor, CorrelationID: admit.Run}
	admitted, err := c.AdmitRun(ctx, id, admit, by)
	if !after(yield, admitted, err) {
		return
	}
	version := admitted.Events[0].Event.(workflow.RunAdmitted).Version
	journal, err := c.StartRun(ctx, run.Start{
		Run: admit.Run, Workflow: id, Version: version.String(), Trigger: string(admit.Trigger), Input: admit.Input, Seed: admit.Run,
		Clock: w.clock, Zone: "Europe/Berlin", LeaseUntil: w.clock.Add(time.Minute), Node: "node-1", Continues: admit.Continues,
	}, by)
	if err == nil {
		err = journal.Flush(ctx) // a claim by itself would come at any time
	}
	if !after(yield, journal, err) {
		return
	}
	defer w.buffer.forget(run.Stream(admit.Run))
	host := fmt.Sprintf("api-%d.example.test", id[len(id)-1]%7)
	failed := ends.failure(host)
	calls, ok := w.calls(yield, journal, host, failed)
	if !ok {
		return
	}
	end := run.End{Failure: failed, Usage: run.Usage{WallMS: int64(20 + w.chance.IntN(2000)), VirtualMS: 100, Calls: calls}}
	if failed == nil {
		end.Output = json.RawMessage(fmt.Sprintf(`{"count":%d,"total":%d.5}`, w.chance.IntN(20), w.chance.IntN(1000)))
	}
	position, err := journal.End(ctx, end)
	if !after(yield, position, err) {
		return
	}
	_, err = c.SettleRun(ctx, id, workflow.SettleRun{
		Run: admit.Run, Failure: failed, Evidence: "the answer says so", Rehearsed: workflow.RehearsedReproduced,
		Task: "task-" + admit.Run, Thread: "thread-" + admit.Run, Item: "item-" + admit.Run,
	}, by)
	yield(err)
}

func (o outcome) failure(host string) *failure.Failure {
	switch o {
	case breaks:
		return &failure.Failure{
			Class: failure.Logic, Name: "TypeError", Message: "cannot read property 'filter' of undefined", Stack: "at main (script:5:30)", Host: host,
			Strict: "strict-" + host, Loose: "loose-" + host,
		}
	case times:
		return &failure.Failure{
			Class: failure.Network, Name: "NetworkError", Message: "no answer within 30 s", Tool: "web.getJSON", Host: host, Strict: "strict-net-" + host, Loose: "loose-net",
		}
	case refused:
		return &failure.Failure{
			Class: failure.Auth, Name: "AuthError", Message: "401 Unauthorized", Tool: "web.getJSON", Status: 401, Host: host, Strict: "strict-auth-" + host, Loose: "loose-auth",
		}
	case succeeds:
	}
	return nil
}

// calls are what a run asks its host for.
func (w *world) calls(yield step, journal *commands.RunJournal, host string, failed *failure.Failure) (seq int, ok bool) {
	ctx := w.ctx
	call := func(tool, args, effect string, result json.RawMessage, fault *run.CallError) error {
		seq++
		recorded := run.RecordCall{Seq: seq, Tool: tool, Args: json.RawMessage(args), Effect: effect}
		if effect == run.EffectWrite {
			recorded.Key = journal.State().Run + "-" + fmt.Sprint(seq)
		}
		back := run.RecordReturn{Seq: seq, Result: result, Error: fault, MS: int64(10 + w.chance.IntN(300))}
		if tool != "notify" { // it goes out
			return journal.Record(ctx, run.RecordAnswered{Call: recorded, Return: back})
		}
		if err := journal.Record(ctx, recorded); err != nil {
			return err
		}
		return journal.Record(ctx, back)
	}
	read := fmt.Sprintf(`["https://%s/orders?day=2026-01-05",{"headers":{"authorization":"{{secret:api}}"}}]`, host)
	if failed != nil && failed.Class != failure.Logic {
		return seq, told(yield, call("web.getJSON", read, run.EffectRead, nil, &run.CallError{
			Class: failed.Class, Name: failed.Name, Message: failed.Message, Status: failed.Status, Host: host,
		}))
	}
	answer := json.RawMessage(`{"data":[` + strings.Repeat(`{"id":"o-1","amount":12.5,"state":"open","customer":"c-7"},`, 3) + `{"id":"o-9","amount":1,"state":"open","customer":"c-8"}]}`)
	if failed != nil {
		return seq, told(yield, call("web.getJSON", read, run.EffectRead, json.RawMessage(`{"items":[]}`), nil))
	}
	for range 1 + w.chance.IntN(4) {
		if err := call("web.getJSON", read, run.EffectRead, answer, nil); err != nil {
			return seq, told(yield, err)
		}
	}
	if err := call("kv.set", `["seen",["o-1","o-9"]]`, run.EffectWrite, json.RawMessage("null"), nil); err != nil {
		return seq, told(yield, err)
	}
	if !told(yield, journal.Flush(ctx)) {
		return seq, false
	}
	switch w.chance.IntN(20) {
	case 0, 1, 2:
		if err := call("notify", fmt.Sprintf(`["Orders","%d are new"]`, w.chance.IntN(9)), run.EffectWrite, json.RawMessage("null"), nil); err != nil {
			return seq, told(yield, err)
		}
	case 3:
		if err := call("files.append", `["orders.csv","o-1;12.5\n"]`, run.EffectWrite, json.RawMessage("null"), nil); err != nil {
			return seq, told(yield, err)
		}
	case 4:
		if err := call("web.postJSON", `["https://`+host+`/report",{"count":3}]`, run.EffectWrite, json.RawMessage(`{"ok":true}`), nil); err != nil {
			return seq, told(yield, err)
		}
	}
	return seq, w.one(2) || told(yield, journal.Record(ctx, run.WriteLog{Lines: []run.LogLine{{Level: "info", Text: "looked at 4 orders"}, {Level: "info", Text: "done"}}}))
}

// repair is what a maintainer does about the open task: mostly a fix that is applied.
func (w *world) repair(yield step, id string, state workflow.State) {
	c, ctx := w.commands, w.ctx
	m := state.Maintenance
	agent := commands.Meta{Actor: "maintainer:" + m.Task, CorrelationID: m.Task}
	if !w.converse(yield, id, m.Thread, m.Task, thread.KindMaintainer, 1+w.chance.IntN(3), agent) {
		return
	}
	if w.one(8) {
		_, err := c.EndMaintenance(ctx, id, workflow.EndMaintenance{Task: m.Task, Explanation: "Nothing that I tried keeps what the recorded runs did."}, agent)
		yield(err)
		return
	}
	proposal := w.newID()
	proposed, err := c.ProposeFix(ctx, id, workflow.ProposeFix{
		Proposal: proposal, Task: m.Task, Code: script(subjects[0], 1) + "// " + proposal, Comment: "Read the field under its new name",
		Fixer: workflow.Fixer{Kind: "templates", Version: "renamed/1"},
	}, agent)
	if !after(yield, proposed, err) {
		return
	}
	verification := workflow.Verification{
		Verdict: workflow.VerdictIdentical, FailingRun: "succeeded", Replayed: 5, Identical: 5, GateVersion: "1", Certificate: strings.Repeat("0", 64),
	}
	if w.one(6) {
		verification.Reasons = []string{"it writes to another place than before"}
	}
	_, err = c.JudgeFix(ctx, id, workflow.JudgeFix{Proposal: proposal, ScriptID: w.newID(), Verification: verification}, commands.Meta{Actor: "system:maintainer", CorrelationID: m.Task})
	yield(err)
}
