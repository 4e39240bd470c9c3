package commands_test

import (
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// badHistories are the files of testdata/histories/bad.
var badHistories = map[string]badHistory{
	// The log was changed, and the chain not.
	"revision-gap": {
		of: "plain-life", at: "workflow-refunds 2 WorkflowActivated", is: new(*hashchain.BrokenError), says: "is missing before it",
		change: func(r []eventlog.Record) []eventlog.Record {
			i := at(r, "ScriptSaved", 1)
			return slices.Delete(r, i, i+1)
		},
	},
	"revision-twice": {
		of: "plain-life", at: "workflow-refunds 1 ScriptSaved", is: new(*hashchain.BrokenError), says: "should be here",
		change: func(r []eventlog.Record) []eventlog.Record {
			i := at(r, "ScriptSaved", 1)
			return slices.Insert(r, i, r[i])
		},
	},
	"payload-changed": {
		of: "plain-life", at: "run-r1 6 RunEnded", is: new(*hashchain.BrokenError), says: "payload",
		change: func(r []eventlog.Record) []eventlog.Record {
			one := &r[at(r, "RunEnded", 1)]
			one.Payload = []byte(strings.Replace(string(one.Payload), "12.50", "99.50", 1))
			return r
		},
	},
	"payload-erased": {
		of: "plain-life", at: "run-r1 6 RunEnded", is: new(*hashchain.BrokenError), says: "its payload was erased",
		change: func(r []eventlog.Record) []eventlog.Record {
			one := &r[at(r, "RunEnded", 1)]
			one.Payload = eventlog.Erased(one.Payload)
			return r
		},
	},
	"actor-changed": {
		of: "plain-life", at: "workflow-refunds 10 WorkflowPaused", is: new(*hashchain.BrokenError), says: "metadata",
		change: func(r []eventlog.Record) []eventlog.Record {
			one := &r[at(r, "WorkflowPaused", 1)]
			one.Metadata = []byte(strings.Replace(string(one.Metadata), "person:ann", "person:bob", 1))
			return r
		},
	},
	"events-exchanged": {
		of: "plain-life", at: "workflow-refunds 9 WorkflowPaused", is: new(*hashchain.BrokenError), says: "or it was moved",
		change: func(r []eventlog.Record) []eventlog.Record {
			i, j := at(r, "IntentChanged", 1), at(r, "WorkflowPaused", 1)
			r[i].Event, r[j].Event = r[j].Event, r[i].Event
			return r
		},
	},

	// It cannot be read.
	"type-unknown": {
		of: "plain-life", at: "workflow-refunds 12 ScriptTeleported", is: new(*event.UnknownTypeError), says: `unknown type "ScriptTeleported"`,
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			r[at(r, "ScriptSaved", 2)].Type = "ScriptTeleported"
			return r
		}),
	},
	"schema-version-newer": {
		of: "plain-life", at: "workflow-refunds 12 ScriptSaved", is: new(*event.VersionError), says: "ScriptSaved has schema version 9, this program knows up to 1",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			one := &r[at(r, "ScriptSaved", 2)]
			one.SchemaVersion = 9
			one.Metadata = []byte(strings.Replace(string(one.Metadata), `"schema_version":1,`, `"schema_version":9,`, 1))
			return r
		}),
	},
	"payload-no-object": {
		of: "plain-life", at: "workflow-refunds 12 ScriptSaved", says: "the payload is not a JSON object",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			r[at(r, "ScriptSaved", 2)].Payload = []byte(`["2.0"]`)
			return r
		}),
	},
	"payload-of-other-kind": {
		of: "plain-life", at: "workflow-refunds 12 ScriptSaved", says: "decode ScriptSaved",
		change: saying("ScriptSaved", 2, `"version":{"major":2,"minor":0}`, `"version":"2.0"`),
	},

	// It says of itself what it is not.
	"event-id-twice": {
		of: "plain-life", at: "workflow-refunds 10 IntentChanged", says: "the stream has an event with this id already",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			i := at(r, "IntentChanged", 1)
			return slices.Insert(r, i+1, r[i])
		}),
	},
	"metadata-of-another": {
		of: "plain-life", at: "workflow-refunds 9 IntentChanged", says: "its metadata is of event ",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			one, other := &r[at(r, "IntentChanged", 1)], r[at(r, "WorkflowPaused", 1)]
			one.Metadata = other.Metadata
			return r
		}),
	},
	"subject-of-another": {
		of: "plain-life", at: "run-r1 1 ToolCalled", says: `its subject is "workflow:others", and the stream is of "workflow:refunds"`,
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			one := &r[at(r, "ToolCalled", 1)]
			one.Metadata = []byte(strings.Replace(string(one.Metadata), "workflow:refunds", "workflow:others", 1))
			return r
		}),
	},
	"workflow-of-another": {
		of: "plain-life", at: "workflow-refunds 0 WorkflowCreated", is: new(*event.ImpossibleError), says: "it is of workflow others",
		change: saying("WorkflowCreated", 1, `"id":"refunds"`, `"id":"others"`),
	},
	"run-of-another": {
		of: "plain-life", at: "run-r1 0 RunStarted", is: new(*event.ImpossibleError), says: "it is of run r9",
		change: saying("RunStarted", 1, `"run":"r1"`, `"run":"r9"`),
	},
	"thread-of-another": {
		of: "repaired", at: "thread-talk-r3 0 ThreadOpened", is: new(*event.ImpossibleError), says: "it is of thread talk-r9",
		change: saying("ThreadOpened", 1, `"thread":"talk-r3"`, `"thread":"talk-r9"`),
	},

	// Versions.
	"version-goes-back": {
		of: "rolled-back", at: "workflow-refunds 11 ScriptSaved", is: new(*event.ImpossibleError), says: "version 1.5 goes back: 2.0 is there already, and the next is 3.0",
		change: saying("ScriptSaved", 3, `"version":{"major":3,"minor":0}`, `"version":{"major":1,"minor":5}`),
	},
	"version-twice": {
		of: "plain-life", at: "workflow-refunds 12 ScriptSaved", is: new(*event.ImpossibleError), says: "version 1.0 is used twice",
		change: saying("ScriptSaved", 2, `"version":{"major":2,"minor":0}`, `"version":{"major":1,"minor":0}`),
	},
	"version-left-out": {
		of: "plain-life", at: "workflow-refunds 12 ScriptSaved", is: new(*event.ImpossibleError), says: "version 4.0 is not the next one, which is 2.0",
		change: saying("ScriptSaved", 2, `"version":{"major":2,"minor":0}`, `"version":{"major":4,"minor":0}`),
	},
	"version-of-no-fix": {
		of: "repaired", at: "workflow-refunds 13 ScriptSaved", is: new(*event.ImpossibleError), says: "no fix was applied that became version 1.1",
		change: without("FixApplied", 1),
	},
	"code-changed": {
		of: "plain-life", at: "workflow-refunds 12 ScriptSaved", is: new(*event.ImpossibleError), says: "the code of version 2.0 is not that of its SHA-256",
		change: saying("ScriptSaved", 2, "return 2", "return 3"),
	},
	"rollback-to-nowhere": {
		of: "rolled-back", at: "workflow-refunds 11 ScriptSaved", is: new(*event.ImpossibleError), says: "restores version 1.7, which was never saved",
		change: saying("ScriptSaved", 3, `"restored":{"major":1,"minor":0}`, `"restored":{"major":1,"minor":7}`),
	},
	"escalation-moves-active": {
		of: "escalated", at: "workflow-refunds 17 Escalated", is: new(*event.ImpossibleError), says: "it makes version 1.1 active, and it can only be 1.0",
		change: saying("Escalated", 1, `"active":{"major":1,"minor":0}`, `"active":{"major":1,"minor":1}`),
	},

	// Fixes.
	"fix-without-proposal": {
		of: "repaired", at: "workflow-refunds 11 FixApplied", is: new(*event.ImpossibleError), says: "proposal p1 was never submitted",
		change: func(r []eventlog.Record) []eventlog.Record {
			return without("FixVerified", 1)(without("FixProposed", 1)(r))
		},
	},
	"verdict-without-proposal": {
		of: "repaired", at: "workflow-refunds 11 FixVerified", is: new(*event.ImpossibleError), says: "proposal p1 was never submitted",
		change: without("FixProposed", 1),
	},
	"fix-without-verdict": {
		of: "repaired", at: "workflow-refunds 12 FixApplied", is: new(*event.ImpossibleError), says: "proposal p1 was never verified",
		change: without("FixVerified", 1),
	},
	"fix-found-different": {
		of: "repaired", at: "workflow-refunds 13 FixApplied", is: new(*event.ImpossibleError), says: "proposal p1 was found different",
		change: saying("FixVerified", 1, `"verdict":"identical"`, `"verdict":"different"`),
	},
	"fix-judged-twice": {
		of: "repaired", at: "workflow-refunds 13 FixVerified", is: new(*event.ImpossibleError), says: "proposal p1 is verified already",
		change: again("FixVerified", 1, 0),
	},
	"fix-applied-twice": {
		of: "repaired", at: "workflow-refunds 16 FixApplied", is: new(*event.ImpossibleError), says: "proposal p1 is applied",
		change: again("FixApplied", 1, 2),
	},
	"fix-of-other-version": {
		of: "repaired", at: "workflow-refunds 13 FixApplied", is: new(*event.ImpossibleError), says: "version 1.3 is not the next one, which is 1.1",
		change: saying("FixApplied", 1, `"minor":1`, `"minor":3`),
	},
	"fix-proposed-twice": {
		of: "repaired", at: "workflow-refunds 12 FixProposed", is: new(*event.ImpossibleError), says: "proposal p1 was submitted already",
		change: again("FixProposed", 1, 0),
	},
	"fix-for-no-task": {
		of: "repaired", at: "workflow-refunds 10 FixProposed", is: new(*event.ImpossibleError), says: "there is no open maintainer task task-r3",
		change: without("MaintenanceEntered", 1),
	},
	"fix-accepted-unheld": {
		of: "held-and-accepted", at: "workflow-refunds 16 FixAccepted", is: new(*event.ImpossibleError), says: "proposal p2 is proposed",
		change: func(r []eventlog.Record) []eventlog.Record {
			return without("FixRechecked", 1)(without("FixHeld", 2)(r))
		},
	},
	"fix-confirmed-by-nobody": {
		of: "repaired", at: "workflow-refunds 17 FixConfirmed", is: new(*event.ImpossibleError), says: "run r4 has not succeeded",
		change: without("RunSucceeded", 3),
	},
	"maintenance-twice": {
		of: "repaired", at: "workflow-refunds 11 MaintenanceEntered", is: new(*event.ImpossibleError), says: "the maintainer task task-r3 is open",
		change: again("MaintenanceEntered", 1, 0),
	},
	"maintenance-never-left": {
		of: "rolled-back", at: "workflow-refunds 19 MaintenanceEntered", is: new(*event.ImpossibleError), says: "the maintainer task task-r1 is open",
		change: without("MaintenanceExited", 1),
	},

	// Runs.
	"started-without-admission": {
		of: "plain-life", at: "run-r1 0 RunStarted", is: new(*event.ImpossibleError), says: "run r1 was never admitted",
		change: without("RunAdmitted", 1),
	},
	"started-on-other-version": {
		of: "plain-life", at: "run-r1 0 RunStarted", is: new(*event.ImpossibleError), says: "run r1 was admitted for version 1.0 of workflow refunds, not for version 1.1 of refunds",
		change: saying("RunStarted", 1, `"version":"1.0"`, `"version":"1.1"`),
	},
	"settled-without-admission": {
		of: "plain-life", at: "workflow-refunds 3 RunSucceeded", is: new(*event.ImpossibleError), says: "run r1 was never admitted",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			return slices.DeleteFunc(r, func(one eventlog.Record) bool {
				return one.Stream == "run-r1" || one.Type == "RunAdmitted" && strings.Contains(string(one.Payload), `"run":"r1"`)
			})
		}),
	},
	"settled-twice": {
		of: "plain-life", at: "workflow-refunds 5 RunSucceeded", is: new(*event.ImpossibleError), says: "run r1 is settled already",
		change: again("RunSucceeded", 1, 0),
	},
	"admitted-twice": {
		of: "plain-life", at: "workflow-refunds 4 RunAdmitted", is: new(*event.ImpossibleError), says: "run r1 is admitted already",
		change: again("RunAdmitted", 1, 0),
	},
	"call-left-out": {
		of: "plain-life", at: "run-r1 1 ToolCalled", is: new(*event.ImpossibleError), says: "it is call 2, and the next is 1",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			i := at(r, "ToolCalled", 1)
			return slices.Delete(r, i, i+2)
		}),
	},
	"answer-without-call": {
		of: "plain-life", at: "run-r1 3 ToolReturned", is: new(*event.ImpossibleError), says: "call 2 was never made",
		change: without("ToolCalled", 2),
	},
	"answer-twice": {
		of: "plain-life", at: "run-r1 3 ToolReturned", is: new(*event.ImpossibleError), says: "call 1 has returned already",
		change: again("ToolReturned", 1, 0),
	},
	"ended-twice": {
		of: "plain-life", at: "run-r1 7 RunEnded", is: new(*event.ImpossibleError), says: "run r1 has ended",
		change: again("RunEnded", 1, 0),
	},

	// The workflow's life.
	"never-created": {
		of: "plain-life", at: "workflow-refunds 0 ScriptSaved", is: new(*event.ImpossibleError), says: "the workflow was never created",
		change: without("WorkflowCreated", 1),
	},
	"active-in-the-archive": {
		of: "archived-while-running", at: "workflow-refunds 10 WorkflowActivated", is: new(*event.ImpossibleError), says: "the workflow is archived",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			one := r[at(r, "WorkflowActivated", 1)]
			return append(r, renamedEvent(one, commands.DerivedID("again", one.ID)))
		}),
	},
	"event-of-a-run": {
		of: "plain-life", at: "workflow-refunds 4 RunEnded", is: new(*event.ImpossibleError), says: "it does not belong in the stream of a workflow",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			i := at(r, "RunEnded", 1)
			r[i].Stream = "workflow-refunds"
			return r
		}),
	},
	"waits-for-no-retry": {
		of: "waiting", at: "workflow-refunds 10 RunAdmitted", is: new(*event.ImpossibleError), says: "run r2 does not wait to be tried again",
		change: without("RetryScheduled", 1),
	},

	// Threads.
	"said-after-the-end": {
		of: "repaired", at: "thread-talk-r3 6 MessageAppended", is: new(*event.ImpossibleError), says: "thread talk-r3 is closed",
		change: forge(func(r []eventlog.Record) []eventlog.Record {
			one := r[at(r, "MessageAppended", 1)]
			return append(r, renamedEvent(one, commands.DerivedID("again", one.ID)))
		}),
	},
	"tool-answer-unasked": {
		of: "repaired", at: "thread-talk-r3 2 ToolResulted", is: new(*event.ImpossibleError), says: "tool call c1 waits for no answer",
		change: without("ToolInvoked", 1),
	},

	// The lines, written by hand.
	"cut-off":      {says: "line 3: it ends in the middle of the event: the file was cut off"},
	"member-twice": {says: `line 2: the member "revision" is there twice`},
	"reformatted":  {at: "workflow-refunds 1 ScriptSaved", is: new(*hashchain.BrokenError), says: "payload"},
}
