package mcp

import (
	"encoding/json"
	"sync"
)

// These exit codes are no trouble: docs/cli.md.
const (
	exitDiffers   = 1
	exitUntold    = 3
	exitRunFailed = 10
	exitNeedsYou  = 11
	exitBroken    = 20
)

type (
	ofWorkflow struct {
		Workflow string `json:"workflow" jsonschema:"its title or its id"`
	}
	ofRun struct {
		Run string `json:"run" jsonschema:"the id of the run"`
	}
	ofFix struct {
		Fix string `json:"fix" jsonschema:"the id of the fix (its proposal)"`
	}
	aScript struct {
		Workflow string `json:"workflow" jsonschema:"its title or its id"`
		Script   string `json:"script" jsonschema:"the whole script"`
	}
)

// tools are all of them. No tool decides in a person's place: a fix that waits for a person waits
// for one, and so do questions, whatever the token allows.
//
// They are made when they are first asked for: most that this program does needs none.
var tools = sync.OnceValue(func() []tool {
	return []tool{
		define(tool{name: "list_workflows", command: "workflow list", title: "List workflows",
			does: "All workflows with their status, active version and what happened last."},
			func(in struct {
				Status   string `json:"status,omitempty" jsonschema:"only those in this status: draft, active, maintenance, held, waiting, escalated, paused or archived"`
				Archived bool   `json:"archived,omitempty" jsonschema:"also archived ones"`
			}) call {
				return call{}.flag("status", in.Status).toggle("archived", in.Archived)
			}),
		define(tool{name: "show_workflow", command: "workflow show", title: "Show a workflow",
			does: "What a workflow is for, its status, versions, settings and what happened last."},
			func(in ofWorkflow) call { return call{}.name(in.Workflow) }),
		define(tool{name: "timeline", command: "workflow timeline", title: "What happened to a workflow",
			does: "The history of a workflow in sentences, the newest first: saves, failures, repairs, decisions, with what is routine folded."},
			func(in struct {
				Workflow string `json:"workflow" jsonschema:"its title or its id"`
				Since    string `json:"since,omitempty" jsonschema:"only from a day or a time on, as 2026-03-01"`
				Limit    int    `json:"limit,omitempty" jsonschema:"at most so many entries (default 50)"`
			}) call {
				return call{}.flag("since", in.Since).number("limit", in.Limit).name(in.Workflow)
			}),
		define(tool{name: "list_notifications", command: "notification list", title: "What needs somebody",
			does: "What needs a person and what was mended, grouped by cause: the place to begin when something is wrong."},
			func(in struct {
				Workflow string `json:"workflow,omitempty" jsonschema:"only those of this workflow"`
				All      bool   `json:"all,omitempty" jsonschema:"also acknowledged and resolved ones"`
				Limit    int    `json:"limit,omitempty" jsonschema:"at most so many (default 50)"`
			}) call {
				return call{}.flag("workflow", in.Workflow).toggle("all", in.All).number("limit", in.Limit)
			}),
		define(tool{name: "list_runs", command: "run list", title: "List runs",
			does: "Runs, the newest first, with their version, trigger and how they ended."},
			func(in struct {
				Workflow string `json:"workflow,omitempty" jsonschema:"only runs of this workflow"`
				Status   string `json:"status,omitempty" jsonschema:"only those in this status: admitted, running, asking, in_doubt, succeeded or failed"`
				Limit    int    `json:"limit,omitempty" jsonschema:"at most so many (default 50)"`
			}) call {
				return call{}.flag("workflow", in.Workflow).flag("status", in.Status).number("limit", in.Limit)
			}),
		define(tool{name: "show_run", command: "run show", title: "Show a run",
			does: "One run: its input, each call with its arguments and what came back, its result, or the failure with its class and place. The evidence of a failure."},
			func(in ofRun) call { return call{}.name(in.Run) }),
		define(tool{name: "run_log", command: "run logs", title: "What a run logged",
			does: "The lines that a run's script logged."},
			func(in ofRun) call { return call{}.name(in.Run) }),
		define(tool{name: "list_versions", command: "script list", title: "Versions of a script",
			does: "The versions of a workflow's script with their authors, comments and proofs. Saves make majors, fixes make minors."},
			func(in ofWorkflow) call { return call{}.name(in.Workflow) }),
		define(tool{name: "show_script", command: "script show", title: "Read a script",
			does: "The source of a workflow's script, and what input its main takes, if its types say so: the active version, or the one named."},
			func(in struct {
				Workflow string `json:"workflow" jsonschema:"its title or its id"`
				Version  string `json:"version,omitempty" jsonschema:"such as 1.0; default the active one"`
			}) call {
				return call{}.name(in.Workflow, in.Version)
			}),
		define(tool{name: "script_api", command: "script api", title: "What scripts may call",
			does: "What a script finds beside the language, with what it does: all of it as TypeScript declarations, or one of it. Read it before you write a script."},
			func(in struct {
				Name string `json:"name,omitempty" jsonschema:"such as web.fetch, kv or kintsugi:csv; default all"`
			}) call {
				return call{plain: true}.name(in.Name)
			}),
		define(tool{name: "compare_scripts", command: "script diff", title: "Compare versions",
			does: "What changed between two versions of a script, as a diff and in words. Default: the active one and the one before it."},
			func(in struct {
				Workflow string `json:"workflow" jsonschema:"its title or its id"`
				From     string `json:"from,omitempty" jsonschema:"a version"`
				To       string `json:"to,omitempty" jsonschema:"a later version; needs from"`
			}) call {
				return call{}.name(in.Workflow, in.From, in.To)
			}),
		define(tool{name: "list_fixes", command: "fix list", title: "List fixes",
			does: "Fixes that were proposed, with the verdict of the gate and what became of them."},
			func(in struct {
				Workflow string `json:"workflow,omitempty" jsonschema:"only fixes of this workflow"`
				State    string `json:"state,omitempty" jsonschema:"only those in this state: proposed, held, applied, accepted, confirmed, regressed, withdrawn, declined, corrected, stale or different"`
			}) call {
				return call{}.flag("workflow", in.Workflow).flag("state", in.State)
			}),
		define(tool{name: "show_fix", command: "fix show", title: "Show a fix",
			does: "A fix: what changed outside, the change of the script, how each recorded run came out on it, and why it waits for a person, if it does."},
			func(in ofFix) call { return call{}.name(in.Fix) }),
		define(tool{name: "fix_thread", command: "fix thread", title: "How a failure was worked on",
			does: "Everything that was done about the failure of a fix: candidates, verdicts, attempts, cost."},
			func(in ofFix) call { return call{}.name(in.Fix) }),
		define(tool{name: "verify_fix", command: "fix verify", title: "Check a proof again",
			does: "Judges a fix again on the runs that it was judged on, and compares the certificates."},
			func(in ofFix) call { return call{told: []int{exitBroken}}.name(in.Fix) }),
		define(tool{name: "workflow_files", command: "workflow files", title: "Files of a workflow",
			does: "The files that a workflow keeps, or the content of one."},
			func(in struct {
				Workflow string `json:"workflow" jsonschema:"its title or its id"`
				Path     string `json:"path,omitempty" jsonschema:"the file to read; default: list them"`
			}) call {
				return call{}.name(in.Workflow, in.Path)
			}),
		define(tool{name: "workflow_keys", command: "workflow keys", title: "Keys of a workflow",
			does: "The keys that a workflow keeps in kv, or the value of one."},
			func(in struct {
				Workflow string `json:"workflow" jsonschema:"its title or its id"`
				Key      string `json:"key,omitempty" jsonschema:"the key to read; default: list them"`
			}) call {
				return call{}.name(in.Workflow, in.Key)
			}),

		define(tool{name: "dry_run", command: "workflow dry-run", title: "Dry run", world: true,
			does: "Runs a script without making any of its writes: they are listed. Reads go out live unless they are to be answered from recorded runs."},
			func(in struct {
				Workflow string          `json:"workflow" jsonschema:"its title or its id"`
				Script   string          `json:"script,omitempty" jsonschema:"the whole script to try; default the active one"`
				Input    json.RawMessage `json:"input,omitempty" jsonschema:"the script's input, any JSON; default that of the last success"`
				Reads    string          `json:"reads,omitempty" jsonschema:"where reads are answered from: live (default) or recorded"`
			}) call {
				return call{told: []int{exitRunFailed}}.source("script", in.Script).json("input", in.Input).flag("reads", in.Reads).name(in.Workflow)
			}),
		define(tool{name: "what_if", command: "workflow what-if", title: "What if",
			does: "Replays past runs on another script, from their recordings, and shows only what would come out otherwise."},
			func(in struct {
				Workflow string `json:"workflow" jsonschema:"its title or its id"`
				Script   string `json:"script" jsonschema:"the whole script to try"`
				Since    string `json:"since,omitempty" jsonschema:"how far back: 12h, 7d (default 7d)"`
			}) call {
				return call{told: []int{exitDiffers, exitUntold}}.source("script", in.Script).flag("since", in.Since).name(in.Workflow)
			}),
		define(tool{name: "check_script", command: "script save", title: "Check a script",
			does: "Saves nothing: replays the recorded successes on a script and says of each whether its output and writes would be the same."},
			func(in aScript) call {
				return call{told: []int{exitDiffers, exitUntold}}.toggle("check", true).source("file", in.Script).name(in.Workflow)
			}),
		define(tool{name: "save_script", command: "script save", title: "Save a script", changes: true,
			does: "Saves a new version of a script: the next major, active from now on. It is refused where it goes to hosts that no person named, where fixes wait for a person, and in mode proven if recorded runs would come out otherwise. Check it with check_script and dry_run first. Every version is kept, and a person can roll back."},
			func(in struct {
				Workflow string `json:"workflow" jsonschema:"its title or its id"`
				Script   string `json:"script" jsonschema:"the whole script"`
				Comment  string `json:"comment" jsonschema:"what changed, in one line"`
				Summary  string `json:"summary,omitempty" jsonschema:"what the script does, for people"`
			}) call {
				return call{}.source("file", in.Script).flag("comment", in.Comment).flag("summary", in.Summary).name(in.Workflow)
			}),
		define(tool{name: "suggest_fix", command: "fix suggest", title: "Suggest a fix", changes: true, world: true,
			does: "Puts a fix of a failure through the gate: it is replayed on the run that failed and on the recorded successes. What passes becomes the next minor version and the failed run goes on with it, or it waits for a person; what changes what used to work, or does not let the failed run succeed, is refused, with the smallest difference, and nothing is changed. For a workflow that is being repaired or was handed to a person. A fix keeps what the script does: to change that, save_script."},
			func(in struct {
				Workflow string `json:"workflow" jsonschema:"its title or its id"`
				Script   string `json:"script" jsonschema:"the whole script, mended"`
				Comment  string `json:"comment" jsonschema:"what it changes, in one line"`
				Version  string `json:"version,omitempty" jsonschema:"the version that it was made of, as show_script named it"`
			}) call {
				return call{told: []int{exitDiffers, exitNeedsYou}}.source("file", in.Script).flag("comment", in.Comment).flag("of", in.Version).name(in.Workflow)
			}),
		define(tool{name: "create_workflow", command: "workflow create", title: "Create a workflow", changes: true,
			does: "Makes a new workflow with its first script. It is a draft, which runs when somebody says so, until a person activates it."},
			func(in struct {
				Title  string          `json:"title" jsonschema:"a short name"`
				Intent string          `json:"intent" jsonschema:"what it is for, in the words of the person who wants it; repairs are judged by it"`
				Script string          `json:"script" jsonschema:"the whole script"`
				Zone   string          `json:"zone,omitempty" jsonschema:"IANA time zone of the script's local times (default UTC)"`
				Input  json.RawMessage `json:"input,omitempty" jsonschema:"the input of a run that is given none, any JSON"`
			}) call {
				return call{}.toggle("draft", true).source("script", in.Script).flag("intent", in.Intent).flag("zone", in.Zone).json("input", in.Input).name(in.Title)
			}),
		define(tool{name: "run_workflow", command: "workflow run", title: "Run a workflow", changes: true, world: true,
			does: "Runs a workflow now, for real: its writes are made. Waits for what becomes of it, unless it is to be started only."},
			func(in struct {
				Workflow string          `json:"workflow" jsonschema:"its title or its id"`
				Input    json.RawMessage `json:"input,omitempty" jsonschema:"the script's input, any JSON"`
				Detach   bool            `json:"detach,omitempty" jsonschema:"start it only, and do not wait"`
			}) call {
				return call{told: []int{exitRunFailed, exitNeedsYou}}.json("input", in.Input).toggle("detach", in.Detach).name(in.Workflow)
			}),
		define(tool{name: "repair_run", command: "run repair", title: "Repair what a run failed with", changes: true, world: true,
			does: "Has the workflow mended of what a run by hand failed with: until then that is the run's own failure. Waits for what becomes of the repair; with a fix that passes the run goes on."},
			func(in ofRun) call { return call{told: []int{exitRunFailed, exitNeedsYou}}.name(in.Run) }),
		define(tool{name: "retry_workflow", command: "workflow retry", title: "Try again what waits", changes: true, world: true,
			does: "Has everything of a workflow tried now that waits: runs that wait for their retry, and inputs whose runs failed before their first write, in the order in which they came. They go on by themselves, too, when what they wait for is here."},
			func(in ofWorkflow) call { return call{}.name(in.Workflow) }),
		define(tool{name: "leave_input", command: "run leave", title: "Give up an input", changes: true,
			does: "Gives up an input that waits, for good, also one that never became a run: show_workflow lists them. Only at your person's word; the note is for the history."},
			func(in struct {
				Run  string `json:"run" jsonschema:"the id of the run that it would become, or that failed"`
				Note string `json:"note" jsonschema:"why"`
			}) call {
				return call{}.toggle("queued", true).flag("note", in.Note).name(in.Run)
			}),
	}
})
