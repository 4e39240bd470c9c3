package projections

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// All is every projection of the program, to be given to one store.
func All(codec *event.Registry) []readmodel.Projection {
	decoder := &decoder{codec: codec}
	return []readmodel.Projection{
		streams{decoder},
		folding{name: "workflows", version: 3, tables: tables(workflows), apply: applyWorkflow, decoder: decoder},
		folding{name: "scripts", version: 2, tables: tables(scripts), apply: applyScript, decoder: decoder},
		folding{name: "runs", version: 2, tables: tables(runs), apply: applyRun, decoder: decoder},
		folding{name: "hosts", version: 2, tables: tables(hostRuns, hostsReached), apply: applyHost, decoder: decoder},
		folding{name: "local", version: 2, tables: tables(localRuns, localKeys, localFiles), apply: applyLocal, decoder: decoder},
		folding{name: "threads", version: 3, tables: tables(threads, threadFailures, threadEntries), apply: applyThread, decoder: decoder},
		folding{name: "fixes", version: 3, tables: tables(fixes), apply: applyFix, decoder: decoder},
		folding{name: "notifications", version: 4, tables: tables(notifications, notificationFailures, notificationFixes, notificationRuns), apply: applyNotification, aside: tellAside, decoder: decoder},
		folding{name: "inputs", version: 2, tables: tables(queuedInputs, eventTriggers), apply: applyInput, decoder: decoder},
		folding{name: "groups", version: 2, tables: tables(causeAnswers, causeRuns, causeTasks, causes), apply: applyGroup, decoder: decoder},
		folding{name: "spend", version: 2, tables: tables(spending, spentTotals), apply: applySpend, decoder: decoder},
		folding{name: "inbox", version: 3, tables: tables(inbox, inboxQuestions), apply: applyInbox, decoder: decoder},
	}
}

// folding is a projection that folds decoded events.
type folding struct {
	name    string
	version int
	tables  []readmodel.Declared
	apply   func(tx *readmodel.Tx, recorded event.Recorded) error
	aside   func(tx *readmodel.Tx, record eventlog.Record, aside readmodel.Aside) error // nil for nothing
	decoder *decoder
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
	recorded, known, err := f.decoder.decode(record)
	if err != nil || !known {
		return err
	}
	return f.apply(tx, recorded)
}

// SetAside implements [readmodel.Teller].
func (f folding) SetAside(tx *readmodel.Tx, record eventlog.Record, aside readmodel.Aside) error {
	if f.aside == nil {
		return nil
	}
	return f.aside(tx, record, aside)
}

// decoder decodes each record once, though every projection asks for it.
type decoder struct {
	codec *event.Registry

	mu       sync.Mutex
	position eventlog.Position
	id       string
	recorded event.Recorded
	known    bool
}

// decode says whether the event's type is known; what was erased is as good as unknown. The error of an event that is
// known and cannot be read sets its stream aside: going on with it would show what is not so.
func (d *decoder) decode(record eventlog.Record) (recorded event.Recorded, known bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.position == record.Position && d.id == record.ID {
		return d.recorded, d.known, nil
	}
	recorded = event.Recorded{Stream: record.Stream, Revision: record.Revision, Position: string(record.Position)}
	if !domain.OwnStream(record.Stream) {
		d.position, d.id, d.recorded, d.known = record.Position, record.ID, recorded, false
		return recorded, false, nil
	}
	if recorded.Metadata, err = event.ReadMetadata(record.Metadata); err != nil {
		return recorded, false, fmt.Errorf("projections: %w", err)
	}
	known = !chain.IsErased(record.Payload)
	if known {
		if recorded.Event, err = d.codec.Decode(record.Type, record.SchemaVersion, record.Payload); err != nil {
			known = false
			if !unknown(err) {
				return recorded, false, fmt.Errorf("projections: %w", err)
			}
		}
	}
	d.position, d.id, d.recorded, d.known = record.Position, record.ID, recorded, known
	return d.recorded, d.known, nil
}

// unknown says that an event was written by a newer or another program.
func unknown(err error) bool {
	_, name := errors.AsType[*event.UnknownTypeError](err)
	_, version := errors.AsType[*event.VersionError](err)
	return name || version
}

// workflowOf is the workflow that an event belongs to, by its subject; empty for none.
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
