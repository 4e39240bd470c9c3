package commands

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/account"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// HistoryError names the first event of a history that is not to be trusted. It wraps what is wrong: a
// [*hashchain.BrokenError], an [*event.UnknownTypeError], an [*event.VersionError], an
// [*event.ImpossibleError], or something that cannot be read.
type HistoryError struct {
	Stream     string
	Revision   int64
	ID         string
	Type       string
	Position   eventlog.Position
	RecordedAt time.Time
	Err        error
}

// Error implements error.
func (e *HistoryError) Error() string {
	if broken, ok := errors.AsType[*hashchain.BrokenError](e.Err); ok {
		return broken.Error() // it says where
	}
	return fmt.Sprintf("commands: revision %d of stream %s (%s, event %s): %v", e.Revision, e.Stream, e.Type, e.ID, e.Err)
}

// Unwrap gives what is wrong.
func (e *HistoryError) Unwrap() error { return e.Err }

// ErrErased is wrapped for an event whose payload was erased.
var ErrErased = errors.New("its payload was erased: what it said is not known")

// Unreadable says that a history cannot be followed beyond an event, and that nothing is
// wrong with it by that: the event is of a newer program, or was erased.
func Unreadable(err error) bool {
	_, name := errors.AsType[*event.UnknownTypeError](err)
	version, is := errors.AsType[*event.VersionError](err)
	return name || is && version.Version > version.Known || errors.Is(err, ErrErased)
}

// Audit checks histories that are doubted, because they come from elsewhere or somebody may
// have changed them: event by event, each stream from its first one on, that the chains are
// whole, every event can be read and belongs where it is, and could have happened there. A
// run must have been admitted before it starts, so that a workflow's own stream goes before those
// of its runs, or all of them in the order of the log. It is for one goroutine.
type Audit struct {
	// AllowErased takes events whose payload was erased for [Unreadable] ones; else they are changed ones.
	AllowErased bool

	codec    *event.Registry
	verifier hashchain.Verifier
	streams  map[string]*audited
	admitted map[string]admission // by run
	unread   bool                 // the history of a workflow could not be followed to its end
}

// audited is a stream as far as it was checked. Only the state of the stream's own kind is in use.
type audited struct {
	ids      map[string]bool
	workflow workflow.State
	run      run.State
	thread   thread.State

	installation installation.State
	account      account.State
	subscription subscription.State
	session      session.State
	plan         plan.State
}

// admission is which workflow a run belongs to, and the version it runs.
type admission struct{ workflow, version string }

// NewAudit begins an audit that knows the events of a codec.
func NewAudit(codec *event.Registry) *Audit {
	return &Audit{
		codec: codec, verifier: hashchain.Verifier{Chained: domain.OwnStream},
		streams: map[string]*audited{}, admitted: map[string]admission{},
	}
}

// Check takes the next event. It returns a [*HistoryError] for one that is not to be trusted; after that no later
// event of its stream means anything. In streams that other programs keep, only the order is checked.
func (a *Audit) Check(record eventlog.Record) error {
	failed := func(err error) error {
		return &HistoryError{
			Stream: record.Stream, Revision: record.Revision, ID: record.ID, Type: record.Type,
			Position: record.Position, RecordedAt: record.RecordedAt, Err: err,
		}
	}
	a.verifier.AllowErased = a.AllowErased
	if err := a.verifier.Check(record); err != nil {
		return failed(err)
	}
	if !domain.OwnStream(record.Stream) {
		return nil
	}
	of := a.streams[record.Stream]
	if of == nil {
		of = &audited{ids: map[string]bool{}}
		a.streams[record.Stream] = of
	}
	if of.ids[record.ID] {
		return failed(errors.New("the stream has an event with this id already"))
	}
	of.ids[record.ID] = true
	happened, err := a.codec.Decode(record.Type, record.SchemaVersion, record.Payload)
	if a.verifier.CheckedErased() {
		err = ErrErased
	}
	if err != nil {
		a.unread = a.unread || strings.HasPrefix(record.Stream, workflow.StreamPrefix)
		return failed(err)
	}
	if err := a.follow(of, record.Stream, happened); err != nil {
		return failed(err)
	}
	if err := a.belongs(of, record); err != nil {
		return failed(err)
	}
	return nil
}

// Forget lets go of what is kept of a stream that is checked to its end, or as far as it can
// be followed, but for which runs it admitted.
func (a *Audit) Forget(stream string) { delete(a.streams, stream) }

// follow folds an event into the stream's state, if it can have happened there.
func (a *Audit) follow(of *audited, stream string, happened event.Event) (err error) {
	if id, is := strings.CutPrefix(stream, workflow.StreamPrefix); is {
		if created, is := happened.(workflow.WorkflowCreated); is && created.ID != id {
			return event.Impossible(happened, "it is of workflow %s", created.ID)
		}
		if admitted, is := happened.(workflow.RunAdmitted); is {
			if other, there := a.admitted[admitted.Run]; there && other.workflow != id {
				return event.Impossible(happened, "run %s is one of workflow %s", admitted.Run, other.workflow)
			}
			a.admitted[admitted.Run] = admission{workflow: id, version: admitted.Version.String()}
		}
		of.workflow, err = workflow.Follow(of.workflow, happened)
		return err
	}
	if id, is := strings.CutPrefix(stream, run.StreamPrefix); is {
		if started, is := happened.(run.RunStarted); is {
			if err := a.startFollows(id, started); err != nil {
				return err
			}
		}
		of.run, err = run.Follow(of.run, happened)
		return err
	}
	if stream == installation.Stream {
		of.installation, err = installation.Follow(of.installation, happened)
		return err
	}
	if strings.HasPrefix(stream, account.StreamPrefix) {
		of.account, err = account.Follow(of.account, happened)
		return err
	}
	if strings.HasPrefix(stream, subscription.StreamPrefix) {
		of.subscription, err = subscription.Follow(of.subscription, happened)
		return err
	}
	if id, is := strings.CutPrefix(stream, session.StreamPrefix); is {
		if opened, is := happened.(session.SessionOpened); is && opened.ID != id {
			return event.Impossible(happened, "it is of session %s", opened.ID)
		}
		of.session, err = session.Follow(of.session, happened)
		return err
	}
	if id, is := strings.CutPrefix(stream, plan.StreamPrefix); is {
		if started, is := happened.(plan.PlanStarted); is && started.ID != id {
			return event.Impossible(happened, "it is of plan %s", started.ID)
		}
		of.plan, err = plan.Follow(of.plan, happened)
		return err
	}
	id := strings.TrimPrefix(stream, thread.StreamPrefix)
	if opened, is := happened.(thread.ThreadOpened); is && opened.Thread != id {
		return event.Impossible(happened, "it is of thread %s", opened.Thread)
	}
	of.thread, err = thread.Follow(of.thread, happened)
	return err
}

// startFollows: runs start only through RunAdmitted on the workflow's stream, rule 4.
func (a *Audit) startFollows(id string, started run.RunStarted) error {
	if started.Run != id {
		return event.Impossible(started, "it is of run %s", started.Run)
	}
	admitted, there := a.admitted[id]
	switch {
	case !there && a.unread: // it may have been said in what could not be read
		return nil
	case !there:
		return event.Impossible(started, "run %s was never admitted", id)
	case admitted != admission{workflow: started.Workflow, version: started.Version}:
		return event.Impossible(started, "run %s was admitted for version %s of workflow %s, not for version %s of %s",
			id, admitted.version, admitted.workflow, started.Version, started.Workflow)
	}
	return nil
}

// belongs checks what the metadata repeats of the event, and whose it is.
func (a *Audit) belongs(of *audited, record eventlog.Record) error {
	metadata, err := event.ReadMetadata(record.Metadata)
	if err != nil {
		return err
	}
	if metadata.EventID != record.ID || metadata.SchemaVersion != record.SchemaVersion {
		return fmt.Errorf("its metadata is of event %s with schema version %d", metadata.EventID, metadata.SchemaVersion)
	}
	owner := workflow.Subject(of.workflow.ID + of.run.Workflow + of.thread.Workflow) // two of them are empty
	if record.Stream == installation.Stream {
		owner = installation.Subject
	}
	if of, is := strings.CutPrefix(record.Stream, account.StreamPrefix); is {
		owner = account.SubjectPrefix + of
	}
	if name, is := strings.CutPrefix(record.Stream, subscription.StreamPrefix); is {
		owner = subscription.Subject(name)
	}
	if id, is := strings.CutPrefix(record.Stream, session.StreamPrefix); is {
		owner = session.Subject(id)
	}
	if id, is := strings.CutPrefix(record.Stream, plan.StreamPrefix); is {
		owner = plan.Subject(id)
	}
	if metadata.Subject != owner {
		return fmt.Errorf("its subject is %q, and the stream is of %q", metadata.Subject, owner)
	}
	return nil
}
