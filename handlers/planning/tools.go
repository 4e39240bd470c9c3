package planning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/projections"
)

// plannerTool is a tool that works on the workflow as it is now, as long as the task is open.
func plannerTool[A any](
	j *planning, name, description, schema string, do func(ctx context.Context, s workflow.State, call string, args A) (string, error),
) agent.Tool {
	return agents.Tool(name, description, schema, func(ctx context.Context, call string, args A) (agent.Result, error) {
		state, err := j.config.Commands.LoadWorkflow(ctx, j.id)
		if err != nil {
			return agent.Result{}, &agent.Fatal{Err: err}
		}
		if state.Planner == nil || state.Planner.Task != j.task.Task {
			return agent.Result{}, &agent.Fatal{Err: errLeft}
		}
		text, err := do(ctx, state, call, args)
		if err != nil {
			return agent.Result{}, forTheModel(err)
		}
		return agents.Text(text), nil
	})
}

// forTheModel lets a model hear of refusals: its request cannot be met. Every other error is ours.
func forTheModel(err error) error {
	if _, refused := errors.AsType[*fault.Error](err); refused && fault.KindOf(err) != fault.Internal {
		return err
	}
	return &agent.Fatal{Err: err}
}

// The tools of the planner. None can write outside, open a host, or change settings.
func (j *planning) tools() []agent.Tool {
	return []agent.Tool{
		plannerTool(j, "save", "Save the whole script as the next major version; it is active from then on. Says which recorded runs would come out otherwise.",
			`{"type":"object","additionalProperties":false,"required":["code","comment"],"properties":{
				"code":{"type":"string","minLength":1,"maxLength":200000,"description":"the whole script"},
				"comment":{"type":"string","minLength":1,"maxLength":500,"description":"what is new, in one line"},
				"summary":{"type":"string","maxLength":4000,"description":"what the script does, for people, two or three sentences"},
				"diagram":{"type":"string","maxLength":8000,"description":"the flow, in Mermaid"}}}`, j.save),
		plannerTool(j, "ask", "Ask the person a question and wait for the answer.",
			`{"type":"object","additionalProperties":false,"required":["question"],"properties":{
				"question":{"type":"string","minLength":1,"maxLength":2000},
				"options":{"type":"array","maxItems":8,"items":{"type":"string","minLength":1,"maxLength":200},"description":"likely answers; the person may give another"}}}`, j.ask),
		plannerTool(j, "schedule", "Set when the workflow runs by itself.",
			`{"type":"object","additionalProperties":false,"required":["spec"],"properties":{
				"spec":{"type":"string","maxLength":200,"description":"cron fields such as 30 7 * * mon-fri; @daily; every 15m; at 2026-03-01 08:00; empty for by hand only"},
				"zone":{"type":"string","maxLength":100,"description":"IANA time zone, default the workflow's"},
				"input":{"description":"the input of each run"}}}`, j.schedule),
		plannerTool(j, "dry_run", "Run a script with live reads from the hosts that the person named. Its writes are listed and never made.",
			`{"type":"object","additionalProperties":false,"properties":{
				"code":{"type":"string","maxLength":200000,"description":"default the active script"},
				"input":{"description":"default that of the schedule"}}}`, j.dryRun),
		plannerTool(j, "eval", "Run a script on what a recorded run got: nothing is read or sent.",
			`{"type":"object","additionalProperties":false,"required":["code"],"properties":{
				"code":{"type":"string","minLength":1,"maxLength":200000},
				"run":{"type":"string","maxLength":100,"description":"id of the run, default the newest that succeeded"},
				"input":{"description":"default that of the run"}}}`, j.eval),
		plannerTool(j, "history", "What happened: versions, runs, failures or fixes, the newest first.",
			`{"type":"object","additionalProperties":false,"required":["what"],"properties":{
				"what":{"type":"string","enum":["versions","runs","failures","fixes"]},
				"limit":{"type":"integer","minimum":1,"maximum":50,"description":"default 10"}}}`, j.history),
		plannerTool(j, "inspect", "Look into a recorded run or a script. Paths: script, script/1.0, run/ID, run/ID/calls/2/result/data/0/id, run/ID/input, run/ID/log.",
			`{"type":"object","additionalProperties":false,"required":["path"],"properties":{
				"path":{"type":"string","minLength":1,"maxLength":1000}}}`, j.inspect),
	}
}

// savedRuns is how many recorded runs a save of the planner is checked on: the newest.
const savedRuns = 50

type saveArgs struct {
	Code, Comment, Summary, Diagram string
}

func (j *planning) save(ctx context.Context, s workflow.State, call string, args saveArgs) (string, error) {
	if problem, err := rehearsal.Unparsed(ctx, j.config.Explorer.Sandbox, args.Code); err != nil {
		return "", err
	} else if problem != "" {
		return "", fault.New(fault.Invalid, "not saved, the script does not parse: %s", problem)
	}
	if err := hostcall.Lint(args.Code); err != nil {
		return "", fault.New(fault.Invalid, "not saved: %w", err)
	}
	if args.Diagram = withoutFence(args.Diagram); args.Diagram != "" && !isMermaid(args.Diagram) {
		return "", fault.New(fault.Invalid, "not saved, the diagram is no Mermaid: begin it with flowchart TD")
	}
	strange := egress.Unnamed(args.Code, j.reach(ctx, s))
	if len(strange) > 0 && s.Status != workflow.StatusDraft {
		return "", fault.New(fault.Forbidden, "not saved: the workflow runs by itself, and no person has named %s. Ask the person, by name of the host, whether the script may go there",
			strings.Join(strange, ", "))
	}
	check, err := j.config.Explorer.CheckSave(ctx, j.id, args.Code, savedRuns)
	if err != nil {
		return "", err
	}
	saved, err := j.config.Commands.SaveScript(ctx, j.id, workflow.SaveScript{
		Code: args.Code, Comment: SavedComment(args.Comment, check, strange), Summary: args.Summary, Diagram: args.Diagram, Origin: workflow.OriginPlanner, Task: j.task.Task,
	}, j.meta("save", call))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, recorded := range saved.Events {
		if e, is := recorded.Event.(workflow.ScriptSaved); is {
			fmt.Fprintf(&text, "Saved as version %s, which is active now. ", e.Version)
		}
	}
	text.WriteString(check.Sentence())
	if len(strange) > 0 {
		fmt.Fprintf(&text, " No person has named %s: tell the person that the script goes there.", strings.Join(strange, ", "))
	}
	switch s.Status {
	case workflow.StatusDraft:
		text.WriteString(" The workflow is a draft: it runs by itself only once the person has activated it.")
	case workflow.StatusPaused:
		text.WriteString(" The workflow is paused: it runs again once the person has activated it.")
	}
	if other := otherwise(check); len(other) > 0 {
		fmt.Fprintf(&text, "\nThese would come out otherwise:\n%s", fenced("recorded runs", other))
	}
	return text.String(), nil
}

// SavedComment is a version's comment: the planner's or an agent's words, and the findings about the script.
func SavedComment(comment string, check rehearsal.SaveCheck, strange []string) string {
	var found []string
	if len(check.Runs) > 0 {
		found = append(found, check.Sentence())
	}
	if len(strange) > 0 {
		found = append(found, "Goes to hosts that nobody has named yet: "+strings.Join(strange, ", ")+".")
	}
	if comment = strings.TrimSpace(comment); len(found) == 0 {
		return comment
	}
	return comment + "\n\n" + strings.Join(found, " ")
}

// otherwise are the checked runs that are not the same, the first few.
func otherwise(check rehearsal.SaveCheck) []rehearsal.CheckedRun {
	const shown = 10
	other := slices.DeleteFunc(slices.Clone(check.Runs), func(one rehearsal.CheckedRun) bool {
		return one.Result == rehearsal.CheckSame || one.Result == rehearsal.CheckExcluded
	})
	return other[:min(len(other), shown)]
}

// withoutFence takes a Markdown fence off.
func withoutFence(text string) string {
	text = strings.TrimSpace(text)
	inner, fenced := strings.CutPrefix(text, "```")
	if !fenced {
		return text
	}
	_, inner, _ = strings.Cut(inner, "\n")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(inner), "```"))
}

// isMermaid says that a text begins as a Mermaid diagram does.
func isMermaid(text string) bool {
	word := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n;", r) })
	return len(word) > 0 && slices.Contains([]string{
		"flowchart", "graph", "sequenceDiagram", "stateDiagram", "stateDiagram-v2", "journey", "timeline", "mindmap", "block-beta", "---", "%%", "%%{init:",
	}, word[0])
}

func (j *planning) reach(ctx context.Context, s workflow.State) func(host, port string) bool {
	return egress.OfAgent(s, egress.KnownPlaces(ctx, j.config.Explorer.Recordings, j.id, s.Active.Major))
}

type askArgs struct {
	Question string
	Options  []string
}

// answers begins what the planner is told when its question was answered.
const answers = "The person answers: "

// ask asks and stops: the call stays without an answer until the person gave one, in another life.
func (j *planning) ask(ctx context.Context, s workflow.State, call string, args askArgs) (string, error) {
	question := j.meta("question", call).CommandID
	if answer, answered := s.Answer(question); answered {
		return answers + answer, nil
	}
	if !slices.ContainsFunc(s.Questions, func(q workflow.Question) bool { return q.ID == question }) {
		_, err := j.config.Commands.AskQuestion(ctx, j.id, workflow.AskQuestion{
			Question: question, Task: j.task.Task, Text: args.Question, Options: args.Options,
		}, j.meta("ask", call))
		if err != nil {
			return "", err
		}
	}
	if _, err := j.config.Commands.WaitPlannerTask(ctx, j.id, workflow.WaitPlannerTask{Task: j.task.Task}, j.meta("wait", call)); err != nil {
		return "", err
	}
	return "", &loop.Wait{}
}

type scheduleArgs struct {
	Spec, Zone string
	Input      json.RawMessage
}

// slotsTold is how many of the coming slots the planner hears of.
const slotsTold = 3

func (j *planning) schedule(ctx context.Context, s workflow.State, call string, args scheduleArgs) (string, error) {
	change := workflow.ChangeSchedule{Spec: args.Spec, Zone: args.Zone, Input: args.Input}
	if args.Spec != "" { // what the person set beside it stays
		own := s.Schedule
		change.Overlap, change.CatchUp, change.Window, change.Jitter = own.Overlap, own.CatchUp, own.Window, own.Jitter
		if len(change.Input) == 0 {
			change.Input = own.Input
		}
		if change.Zone == "" && own.Spec != "" {
			change.Zone = own.Zone
		}
	}
	if _, err := j.config.Commands.ChangeSchedule(ctx, j.id, change, j.meta("schedule", call)); err != nil {
		return "", err
	}
	if change.Spec == "" {
		return "The workflow runs by hand only.", nil
	}
	zone := change.Zone
	if zone == "" {
		zone = s.Zone
	}
	in, err := time.LoadLocation(zone)
	if err != nil {
		return "", fmt.Errorf("planning.Planner: time zone %q: %w", zone, err)
	}
	parsed, err := schedule.Parse(change.Spec, in)
	if err != nil {
		return "", fmt.Errorf("planning.Planner: schedule %q: %w", change.Spec, err)
	}
	text := "Scheduled. The next runs, once the workflow is active:"
	at, more := parsed.Next(j.config.Place.Now())
	for range slotsTold {
		if !more {
			break
		}
		text += "\n" + at.Format("Mon 2006-01-02 15:04:05 MST")
		at, more = parsed.Next(at)
	}
	return text, nil
}

type runArgs struct {
	Code  string
	Run   string
	Input json.RawMessage
}

func (j *planning) dryRun(ctx context.Context, s workflow.State, _ string, args runArgs) (string, error) {
	dry := rehearsal.DryRun{Code: args.Code, Input: args.Input, Reach: j.reach(ctx, s)}
	if dry.Code == "" {
		script, found := s.Script(s.Active)
		if !found {
			return "", fault.New(fault.Conflict, "the workflow has no script yet: give the code")
		}
		dry.Code = script.Code
	}
	if len(dry.Input) == 0 && s.Schedule.Spec != "" {
		dry.Input = s.SlotInput(j.config.Place.Now())
	}
	made, err := j.explore(ctx, dry)
	if err != nil {
		return "", err
	}
	text := ranText(made)
	if e := made.Outcome.Error; e != nil && e.Code == hostcall.CodeAddressRefused && e.Host != "" {
		text += fmt.Sprintf("\nMissing host: %s. Ask the person whether it may be read; a private address or another port they allow with: kintsugi workflow settings %s --allow-host %s",
			e.Host, j.id, e.Host)
	}
	return text, nil
}

func (j *planning) eval(ctx context.Context, s workflow.State, _ string, args runArgs) (string, error) {
	// Without a run nothing is recorded: a script that reads is told so.
	dry := rehearsal.DryRun{Code: args.Code, Input: args.Input, Recorded: &run.State{Seed: j.task.Task, Clock: j.config.Place.Now(), Zone: s.Zone, Overlap: true}}
	of := args.Run
	if of == "" {
		successes, err := j.config.Explorer.Recordings.Successes(ctx, j.id, s.Active.Major)
		if err != nil {
			return "", err
		}
		if len(successes) > 0 {
			of = successes[0]
		}
	}
	if of != "" {
		recorded, err := j.recorded(ctx, of)
		if err != nil {
			return "", err
		}
		dry.Recorded = &recorded
		if len(dry.Input) == 0 {
			dry.Input = recorded.Input
		}
	}
	made, err := j.explore(ctx, dry)
	if err != nil {
		return "", err
	}
	return ranText(made), nil
}

// explore runs a script that may be no script at all.
func (j *planning) explore(ctx context.Context, dry rehearsal.DryRun) (rehearsal.Rehearsed, error) {
	if problem, err := rehearsal.Unparsed(ctx, j.config.Explorer.Sandbox, dry.Code); err != nil {
		return rehearsal.Rehearsed{}, err
	} else if problem != "" {
		return rehearsal.Rehearsed{}, fault.New(fault.Invalid, "the script does not parse: %s", problem)
	}
	return j.config.Explorer.DryRun(ctx, j.id, dry)
}

// recorded is a run of this workflow: of another one nothing is shown.
func (j *planning) recorded(ctx context.Context, of string) (run.State, error) {
	recorded, err := j.config.Commands.LoadRun(ctx, of)
	if err == nil && recorded.Workflow != j.id {
		err = fault.New(fault.NotFound, "the workflow has no run %q: see history", of)
	}
	return recorded, err
}

// ranText is what a run that sent nothing came to.
func ranText(made rehearsal.Rehearsed) string {
	became := map[string]any{"writes": made.Writes}
	if len(made.Assumed) > 0 {
		var assumed []string
		for _, one := range made.Assumed {
			assumed = append(assumed, one.String())
		}
		became["assumed"] = assumed
	}
	lines := made.Outcome.Log
	var log []string
	for _, line := range lines[max(len(lines)-50, 0):] {
		log = append(log, line.Level+": "+line.Text)
	}
	if len(log) > 0 {
		became["log"] = log
	}
	lead := "It would succeed."
	if e := made.Outcome.Error; e != nil {
		lead = "It would fail."
		if made.Unknown() {
			lead = "How it ends cannot be told: it needs an answer that nobody has. That is no fault of the script."
		}
		became["failure"] = map[string]any{"class": e.Class, "name": e.Name, "message": e.Message, "stack": e.Stack, "status": e.Status, "body": e.Body}
	} else {
		became["output"] = made.Outcome.Output
	}
	writes := "1 write"
	if len(made.Writes) != 1 {
		writes = fmt.Sprintf("%d writes", len(made.Writes))
	}
	return fmt.Sprintf("%s It would make %s.\n%s", lead, writes, fenced("what it would do", became))
}

type historyArgs struct {
	What  string
	Limit int
}

func (j *planning) history(ctx context.Context, s workflow.State, _ string, args historyArgs) (string, error) {
	limit := args.Limit
	if limit == 0 {
		limit = 10
	}
	list := []any{}
	switch args.What {
	case "versions":
		for _, script := range slices.Backward(s.Versions) {
			if len(list) == limit {
				break
			}
			list = append(list, map[string]any{
				"version": script.Version.String(), "active": script.Version == s.Active, "origin": script.Origin, "comment": script.Comment, "summary": script.Summary,
			})
		}
	case "fixes":
		fixes, err := j.config.Views.Fixes(ctx, projections.FixFilter{Workflow: j.id, Limit: limit})
		if err != nil {
			return "", err
		}
		for _, fix := range fixes {
			list = append(list, map[string]any{
				"base": fix.Base, "version": fix.Version, "state": fix.State, "comment": fix.Comment, "why": fix.Why, "reasons": fix.Reasons, "run": fix.Run,
			})
		}
	default: // runs, failures
		filter := projections.RunFilter{Workflow: j.id, Limit: limit}
		if args.What == "failures" {
			filter.Status = projections.RunFailed
		}
		runs, err := j.config.Views.Runs(ctx, filter)
		if err != nil {
			return "", err
		}
		for _, one := range runs {
			shown := map[string]any{"run": one.ID, "version": one.Version, "trigger": one.Trigger, "status": one.Status, "admitted": one.Admitted, "output": one.Output}
			if one.Failure != nil {
				shown["failure"] = map[string]any{"class": one.Failure.Class, "name": one.Failure.Name, "message": one.Failure.Message}
			}
			list = append(list, shown)
		}
	}
	return fenced(args.What, list), nil
}

type inspectArgs struct{ Path string }

func (j *planning) inspect(ctx context.Context, s workflow.State, _ string, args inspectArgs) (string, error) {
	parts := strings.Split(strings.Trim(args.Path, "/"), "/")
	switch {
	case parts[0] == "script" && len(parts) <= 2:
		version := s.Active
		if len(parts) == 2 {
			var err error
			if version, err = workflow.ParseVersion(parts[1]); err != nil {
				return "", fault.New(fault.Invalid, "%w", err)
			}
		}
		script, found := s.Script(version)
		if !found {
			return "", fault.New(fault.NotFound, "there is no version %s: see history", version)
		}
		return llm.Fence("script "+version.String(), script.Code), nil
	case parts[0] == "run" && len(parts) >= 2:
		recorded, err := j.recorded(ctx, parts[1])
		if err != nil {
			return "", err
		}
		value, err := inspected(recorded, parts[2:])
		if err != nil {
			return "", err
		}
		return fenced(args.Path, value), nil
	}
	return "", fault.New(fault.Invalid, "%q is no path: use script, script/VERSION, or run/ID with what follows", args.Path)
}

// inspected is a run, or what is at a path in it. The whole run comes without what its calls got.
func inspected(recorded run.State, path []string) (any, error) {
	shown := rehearsal.RecordedRun(recorded)
	if len(path) == 0 {
		for i := range shown.Calls {
			if n := len(shown.Calls[i].Result); n > 200 {
				shown.Calls[i].Result = json.RawMessage(strconv.Quote(fmt.Sprintf("(%d bytes: see calls/%d/result)", n, i)))
			}
		}
	}
	encoded, err := json.Marshal(shown)
	if err != nil {
		return nil, fmt.Errorf("planning.Planner: run %s: %w", recorded.Run, err)
	}
	var value any
	if err := json.Unmarshal(encoded, &value); err != nil {
		return nil, fmt.Errorf("planning.Planner: run %s: %w", recorded.Run, err)
	}
	for i, step := range path {
		missing := fault.New(fault.NotFound, "there is nothing at %s of the run", strings.Join(path[:i+1], "/"))
		switch inside := value.(type) {
		case map[string]any:
			member, found := inside[step]
			if !found {
				return nil, missing
			}
			value = member
		case []any:
			index, err := strconv.Atoi(step)
			if err != nil || index < 0 || index >= len(inside) {
				return nil, missing
			}
			value = inside[index]
		default:
			return nil, missing
		}
	}
	return value, nil
}
