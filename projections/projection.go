package projections

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// All is every projection of the program, to be given to one store.
func All(codec *event.Registry) []readmodel.Projection {
	return []readmodel.Projection{
		streams{codec},
		folding{name: "workflows", version: 15, tables: tables(workflows, workflowLabels, workflowGrams, silents), apply: applyWorkflow},
		folding{name: "deletions", version: 1, tables: tables(deletions), apply: applyDeletion},
		folding{name: "timeline", version: 10, tables: tables(timeline, timelineEnds, timelineFixes), apply: applyTimeline},
		folding{name: "scripts", version: 2, tables: tables(scripts), apply: applyScript},
		folding{name: "runs", version: 7, tables: tables(runs, runLabels), steps: true, apply: applyRun},
		folding{name: "hosts", version: 5, tables: tables(hostRuns, hostsReached), steps: true, apply: applyHost},
		folding{name: "local", version: 6, tables: tables(localRuns, localHolds, localKeys, localFiles), steps: true, apply: applyLocal},
		folding{name: "threads", version: 7, tables: tables(threads, threadFailures, threadCandidates), apply: applyThread},
		folding{name: "fixes", version: 4, tables: tables(fixes), apply: applyFix},
		folding{name: "inputs", version: 5, tables: tables(queuedInputs, eventTriggers), apply: applyInput}, // before what counts them
		folding{name: "notifications", version: 30, tables: tables(notifications, decisionTimes, notificationFailures, notificationFixes, notificationRuns, openCauses, openNotices, openWorkflows, openLetters), steps: true, apply: applyNotification, aside: tellAside},
		folding{name: "groups", version: 5, tables: tables(causeAnswers, causeRuns, causeTasks, causes, causeGroups), steps: true, apply: applyGroup},
		folding{name: "tally", version: 2, tables: tables(tallies), apply: applyTally},
		folding{name: "spend", version: 6, tables: tables(spending, spentTotals, usageDays, usageTotals), apply: applySpend},
		folding{name: "repo plans", version: 2, tables: tables(repoPlans, repoDefinitions, repoJobs, repoSteps, repoCheckpoints), apply: applyRepoPlan},
		folding{name: "sessions", version: 2, tables: tables(healSessions, healings, casts), apply: applySession},
		folding{name: "inbox", version: 5, tables: tables(inbox, inboxQuestions), apply: applyInbox},
	}
}

// folding is a projection that folds decoded events.
type folding struct {
	name    string
	version int
	tables  []readmodel.Declared
	steps   bool // it is also asked about calls, their answers and log lines: two thirds of all events
	apply   func(tx *readmodel.Tx, recorded event.Recorded) error
	aside   func(tx *readmodel.Tx, record eventlog.Record, aside readmodel.Aside) error // nil for nothing
}

var (
	_ readmodel.Projection = folding{}
	_ readmodel.Teller     = folding{}
)

// Name implements [readmodel.Projection].
func (f folding) Name() string { return f.name }

// Version implements [readmodel.Projection].
func (f folding) Version() int { return f.version }

// Tables implements [readmodel.Projection].
func (f folding) Tables() []readmodel.Declared { return f.tables }

func tables(all ...readmodel.Declared) []readmodel.Declared { return all }

// Apply implements [readmodel.Projection].
func (f folding) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	of := tx.Decoded().(*decoded)
	if !of.known || of.step && !f.steps {
		return nil
	}
	answered, both := of.Event.(run.ToolAnswered)
	if !both {
		return f.apply(tx, of.Recorded)
	}
	for _, part := range answered.Parts() {
		recorded := of.Recorded
		recorded.Event = part
		if err := f.apply(tx, recorded); err != nil {
			return err
		}
	}
	return nil
}

// SetAside implements [readmodel.Teller].
func (f folding) SetAside(tx *readmodel.Tx, record eventlog.Record, aside readmodel.Aside) error {
	if f.aside == nil {
		return nil
	}
	return f.aside(tx, record, aside)
}

// decoded is what projections are given of a record.
type decoded struct {
	event.Recorded
	ours  bool   // it is in a stream of this program's
	known bool   // it can be folded: its type is known, and it is not erased
	step  bool   // it is a call, its answer, or what a script logs
	host  string // that it calls, see [webHost]
	chain hashchain.Prepared
	err   error // it is known and cannot be read: its stream is set aside, as going on with it would show what is not so
}

// decode reads a record once for all projections.
func decode(codec *event.Registry, record eventlog.Record) *decoded {
	made := &decoded{Recorded: event.Recorded{Stream: record.Stream, Revision: record.Revision, Position: string(record.Position)}}
	if !domain.OwnStream(record.Stream) {
		return made
	}
	made.ours, made.chain = true, hashchain.Prepare(record)
	if made.Metadata, made.err = event.ReadMetadataText(textOf(record.Metadata)); made.err != nil || eventlog.IsErased(record.Payload) {
		return made
	}
	happened, fast := fastDecode(record.Type, record.SchemaVersion, record.Payload)
	var err error
	if !fast {
		happened, err = codec.Decode(record.Type, record.SchemaVersion, record.Payload)
	}
	switch {
	case err == nil:
		made.Event, made.known = happened, true
		switch e := happened.(type) {
		case run.ToolCalled:
			made.step, made.host = true, webHost(e.Tool, e.Args)
		case run.ToolAnswered:
			made.step, made.host = true, webHost(e.Tool, e.Args)
		case run.ToolReturned, run.LogWritten:
			made.step = true
		}
	case !unknown(err):
		made.err = fmt.Errorf("projections: %w", err)
	}
	return made
}

// textOf is bytes of a record as a text, without a copy: nobody changes a record.
func textOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// unknown says that an event was written by a newer or another program.
func unknown(err error) bool {
	_, name := errors.AsType[*event.UnknownTypeError](err)
	_, version := errors.AsType[*event.VersionError](err)
	return name || version
}

// hostOf is the host that the event that is folded now calls, empty if it calls none.
func hostOf(tx *readmodel.Tx) string { return tx.Decoded().(*decoded).host }

// workflowOf is the workflow that an event belongs to, by its subject; empty for none. A projection that keeps it by itself, in many
// rows, clones it: it is a part of the record.
func workflowOf(recorded event.Recorded) string {
	if id, is := strings.CutPrefix(recorded.Metadata.Subject, workflow.SubjectPrefix); is {
		return id
	}
	return ""
}

// versionText is a version as people see it, empty if there is none.
func versionText(v workflow.Version) string {
	if v.IsZero() {
		return ""
	}
	return v.String()
}
