package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/checkpoint"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Verified is what a verification found.
type Verified struct {
	Whole   bool  `json:"whole"`
	Streams int   `json:"streams"`
	Events  int64 `json:"events"`
	// Those of them that others keep: they have no chain, so that only their order was checked.
	OtherStreams int   `json:"other_streams"`
	OtherEvents  int64 `json:"other_events"`
	// Restored is what of the store (triggers, constraints, functions) was not as this program makes it, and was put back now.
	Restored []string `json:"restored,omitempty"`
	// Mended is what was ever put back.
	Mended  []MendedStore `json:"mended,omitempty"`
	Unknown int64         `json:"unknown_types"` // events that a newer program wrote: their chains hold
	// Erased are the events of whose payload only the digest is left; the chains are over that.
	Erased []erasedEvent   `json:"erased,omitempty"`
	Root   *hashchain.Hash `json:"root,omitempty"` // over the heads of all streams
	// Checkpoint is when the signed checkpoint was taken that the history still begins with.
	Checkpoint *time.Time `json:"checkpoint,omitempty"`
	Since      int64      `json:"since_checkpoint,omitempty"` // events after it
	// Unread are the streams that could not be followed to their end.
	Unread int          `json:"unread_streams,omitempty"`
	Broken *BrokenEvent `json:"broken,omitempty"`
	// Views are beside views that were built anew, if that was asked for.
	Views *readmodel.Comparison `json:"views,omitempty"`
}

type erasedEvent struct {
	Stream   string `json:"stream"`
	Revision int64  `json:"revision"`
	Type     string `json:"type"`
	ID       string `json:"id"`
}

// BrokenEvent is the first event that is not as it was recorded, or the stream that is not.
type BrokenEvent struct {
	Stream     string            `json:"stream"`
	Revision   int64             `json:"revision"`
	Type       string            `json:"type,omitempty"`
	ID         string            `json:"id,omitempty"`
	Position   eventlog.Position `json:"position,omitempty"`
	RecordedAt *time.Time        `json:"recorded_at,omitempty"`
	Differs    string            `json:"differs"` // which part, a chain.Part; or history, checkpoint, store
	What       string            `json:"what"`
}

// MendedStore is what was found of the store that was changed past the program, and was put back.
type MendedStore struct {
	ID    string    `json:"id"` // of its event and its notification
	At    time.Time `json:"at"`
	Found []string  `json:"found"`
	// Acknowledged says that the operator has seen it.
	Acknowledged bool `json:"acknowledged"`
}

// StoreChanged is the error of a store that somebody changed past the program, for as long as nobody has acknowledged it.
func (v Verified) StoreChanged() error {
	for _, one := range v.Mended {
		if !one.Acknowledged {
			return &IntegrityError{fmt.Errorf("the store was changed past the program, and was put back: the events that are there are whole, but events may have been "+
				"kept out or taken off the end (--checkpoint shows that). When that is clear, say so: kintsugi notification ack %s", one.ID)}
		}
	}
	if len(v.Restored) > 0 {
		return &IntegrityError{errors.New("the store was changed past the program, and was put back, which could not be recorded")}
	}
	return nil
}

// note keeps what the history says about its store.
func (v *Verification) note(found *Verified, record eventlog.Record) {
	if record.Stream != installation.Stream || record.Type != installation.TypeStoreMended && record.Type != installation.TypeNoticeAcknowledged {
		return
	}
	happened, err := v.codec.Decode(record.Type, record.SchemaVersion, record.Payload)
	if err != nil {
		return // it is told of as one that cannot be read
	}
	switch e := happened.(type) {
	case installation.StoreMended:
		found.Mended = append(found.Mended, MendedStore{ID: record.ID, At: record.RecordedAt, Found: e.Found})
	case installation.NoticeAcknowledged:
		for i := range found.Mended {
			found.Mended[i].Acknowledged = found.Mended[i].Acknowledged || found.Mended[i].ID == e.Notification
		}
	}
}

// Views compares the views of this program in a place, which may be in use, with what the log says.
func (v *Verification) Views(ctx context.Context, place ViewsPlace) (*readmodel.Comparison, error) {
	head, err := v.log.Head(ctx)
	if err != nil {
		return nil, err
	}
	bar := v.progress(v.eventsUpTo(head), "views")
	defer bar.Done()
	config := place.config(v.address, v.log, v.codec)
	found, err := readmodel.Compare(ctx, config, func(applied int) { bar.Add(int64(applied)) })
	if none, is := errors.AsType[*readmodel.NoViewsError](err); is {
		return nil, fault.New(fault.NotFound, "%w", none)
	}
	if err != nil {
		return nil, err
	}
	if !found.Same {
		if err := v.erasing(ctx, found.Position); err != nil {
			return nil, err
		}
		how := "Delete the directory of the views while nothing runs, and they are built anew: " + config.Dir
		if config.Database != "" {
			how = "Drop it while nothing runs (DROP SCHEMA … CASCADE), and they are built anew: " + found.File
		}
		err = &IntegrityError{errors.New("the views are not what the log says; the history itself is as told above. " + how)}
	}
	return &found, err
}

// erasing refuses to judge views up to a place while a workflow is being deleted that is not erased by then: they say still what is gone
// from the log.
func (v *Verification) erasing(ctx context.Context, upTo eventlog.Position) error {
	place, err := upTo.Number()
	if err != nil {
		return nil // it is told of as what it is
	}
	deleted := map[string]bool{}
	for record, err := range v.log.All(ctx, eventlog.Start, eventlog.Everything) {
		if err != nil {
			return err
		}
		at, err := record.Position.Number()
		switch {
		case err != nil:
			return err
		case record.Type == workflow.TypeWorkflowDeleted:
			deleted[record.Stream] = true
		case record.Type == workflow.TypeWorkflowErased && at <= place:
			delete(deleted, record.Stream)
		}
	}
	for stream := range deleted {
		return fault.New(fault.Conflict, "the views cannot be judged while workflow %s is being deleted for good: what its events said goes, and the views say it until all is gone. "+
			"A server brings that to its end; verify again then", strings.TrimPrefix(stream, workflow.StreamPrefix))
	}
	return nil
}

// Bar shows how far something is.
type Bar interface {
	Add(n int64)
	Done()
}

// Verification compares what a log holds with what was recorded.
type Verification struct {
	log     eventlog.Log
	address Address
	codec   *event.Registry
	// progress begins to show how far a part of it is, up to a total; -1 for one that is not known.
	progress func(total int64, what string) Bar
}

// NewVerification is of the log at an address.
func NewVerification(log eventlog.Log, address Address, progress func(total int64, what string) Bar) (*Verification, error) {
	codec, err := NewCodec()
	return &Verification{log: log, address: address, codec: codec, progress: progress}, err
}

// Check checks the chains of all streams, and what else was asked for, and gives the
// heads. The breaks are in found.
func (v *Verification) Check(ctx context.Context, signed *checkpoint.Checkpoint, deep bool) (found Verified, heads map[string]hashchain.Head, err error) {
	log := v.log
	verifier := hashchain.Verifier{AllowErased: true, Chained: domain.OwnStream}
	err = v.chains(ctx, &verifier, signed, &found)
	heads = verifier.Heads()
	if err == nil {
		err = endsAgree(ctx, log, heads)
	}
	if examiner, is := log.(eventlog.Examiner); is && err == nil {
		found.Restored, err = examiner.Restored(), examiner.Examine(ctx)
	}
	if err == nil && deep {
		err = v.deeply(ctx, heads, &found)
	}
	if err != nil {
		return v.broken(ctx, &verifier, found, err)
	}
	root := checkpoint.Root(heads)
	found.Whole, found.Streams, found.Root = true, len(heads), &root
	return found, heads, nil
}

// chains is one pass over the whole log.
func (v *Verification) chains(ctx context.Context, verifier *hashchain.Verifier, signed *checkpoint.Checkpoint, found *Verified) error {
	head, err := v.log.Head(ctx)
	if err != nil {
		return err
	}
	var watch *checkpoint.Watch
	if signed != nil {
		watch = signed.Watch()
	}
	bar := v.progress(v.eventsUpTo(head), "verify")
	defer bar.Done()
	for record, err := range v.log.All(ctx, eventlog.Start, eventlog.Everything) {
		if err != nil {
			return err
		}
		if err := verifier.Check(record); err != nil {
			return err
		}
		if watch != nil {
			if err := watch.Check(record.Stream, verifier.Heads()[record.Stream]); err != nil {
				return err
			}
		}
		if !domain.OwnStream(record.Stream) {
			found.OtherEvents++
			if record.Revision == 0 {
				found.OtherStreams++
			}
		}
		if domain.OwnStream(record.Stream) && v.codec.Version(record.Type) < record.SchemaVersion {
			found.Unknown++
		}
		if verifier.CheckedErased() {
			found.Erased = append(found.Erased, erasedEvent{Stream: record.Stream, Revision: record.Revision, Type: record.Type, ID: record.ID})
		}
		v.note(found, record)
		found.Events++
		bar.Add(1)
	}
	if watch != nil {
		if err := watch.End(verifier.Heads()); err != nil {
			return err
		}
		at := signed.TakenAt
		found.Checkpoint, found.Since = &at, found.Events-signed.Events
	}
	return nil
}

// deeply reads every stream by itself, those of workflows first: they say which runs were
// admitted. So no more than one is in memory.
func (v *Verification) deeply(ctx context.Context, heads map[string]hashchain.Head, found *Verified) error {
	bar := v.progress(int64(len(heads)), "history")
	defer bar.Done()
	audit := commands.NewAudit(v.codec)
	audit.AllowErased = true
	streams := slices.Sorted(maps.Keys(heads))
	first := func(stream string) bool { return strings.HasPrefix(stream, workflow.StreamPrefix) }
	for _, workflows := range []bool{true, false} {
		for _, stream := range streams {
			if first(stream) != workflows {
				continue
			}
			whole, err := auditStream(ctx, v.log, audit, stream, heads[stream].Revision)
			if err != nil {
				return err
			}
			if !whole {
				found.Unread++
			}
			bar.Add(1)
		}
	}
	return nil
}

// auditStream says whether a stream could be followed up to a revision.
func auditStream(ctx context.Context, log eventlog.Log, audit *commands.Audit, stream string, last int64) (whole bool, err error) {
	defer audit.Forget(stream)
	for record, err := range log.Stream(ctx, stream, 0) {
		if err != nil {
			return false, err
		}
		if record.Revision > last { // it came since
			break
		}
		if err := audit.Check(record); commands.Unreadable(err) {
			return false, nil
		} else if err != nil {
			return false, err
		}
	}
	return true, nil
}

// eventsUpTo is how many events there are, where positions count them; -1 elsewhere.
func (v *Verification) eventsUpTo(head eventlog.Position) int64 {
	if v.address.Backend != SQLite {
		return -1
	}
	number, err := head.Number()
	if err != nil {
		return -1
	}
	return number
}

// damagedError says that a store gives a stream in two ways that do not agree.
type damagedError struct {
	stream       string
	inAll, alone int64 // its newest revision in the whole log, and read by itself
}

// Error implements error.
func (e *damagedError) Error() string {
	return fmt.Sprintf("the store is damaged: in the whole log stream %s comes to revision %d, read by itself to %d; restore a backup", e.stream, e.inAll, e.alone)
}

// endsAgree reads the end of each stream by itself: damage to an index may hide events from one
// way of reading and not from the other.
func endsAgree(ctx context.Context, log eventlog.Log, heads map[string]hashchain.Head) error {
	for stream, head := range heads {
		last := int64(-1)
		for record, err := range log.StreamBackward(ctx, stream, eventlog.Newest) {
			if err != nil {
				return err
			}
			last = record.Revision
			break
		}
		if last < head.Revision { // more may have come since
			return &damagedError{stream: stream, inAll: head.Revision, alone: last}
		}
	}
	return nil
}

// IntegrityError says that the history, its store, its views or what was signed is not as it was recorded.
type IntegrityError struct{ cause error }

// Error implements error.
func (e *IntegrityError) Error() string { return e.cause.Error() }

// Unwrap gives the cause.
func (e *IntegrityError) Unwrap() error { return e.cause }

// Changed is the error of a history that is not what was recorded.
func Changed(err error) error {
	return &IntegrityError{fmt.Errorf("the history was changed: %w", err)}
}

// broken is as much as can be known of what is not as it was recorded.
func (v *Verification) broken(ctx context.Context, verifier *hashchain.Verifier, found Verified, err error) (Verified, map[string]hashchain.Head, error) {
	log := v.log
	var told *BrokenEvent
	if event, is := errors.AsType[*hashchain.BrokenError](err); is {
		if closer, is := errors.AsType[*hashchain.BrokenError](verifier.Explain(log.Stream(ctx, event.Stream, 0), v.codec.Types())); is {
			event = closer
		}
		told = &BrokenEvent{
			Stream: event.Stream, Revision: event.Revision, Type: event.Type, ID: event.ID, Position: event.Position,
			RecordedAt: &event.RecordedAt, Differs: string(event.Part), What: event.What,
		}
		err = ChangedHistory(event)
	} else if event, is := errors.AsType[*commands.HistoryError](err); is {
		told = &BrokenEvent{
			Stream: event.Stream, Revision: event.Revision, Type: event.Type, ID: event.ID, Position: event.Position,
			RecordedAt: &event.RecordedAt, Differs: "history", What: event.Err.Error(),
		}
		err = Changed(err)
	} else if stream, is := errors.AsType[*checkpoint.DifferenceError](err); is {
		told = &BrokenEvent{Stream: stream.Stream, Revision: stream.Revision, Differs: "checkpoint", What: stream.What}
		err = Changed(err)
	} else if stream, is := errors.AsType[*damagedError](err); is {
		told = &BrokenEvent{Stream: stream.stream, Revision: stream.alone + 1, Differs: "store", What: stream.Error()}
		err = &IntegrityError{err}
	} else if errors.Is(err, eventlog.ErrDamaged) {
		stream, revision := firstDamaged(ctx, log, verifier.Heads())
		told = &BrokenEvent{Stream: stream, Revision: revision, Differs: "store", What: err.Error()}
		err = &IntegrityError{err}
	}
	found.Broken = told
	return found, nil, err
}

// firstDamaged finds a stream that cannot be read to its end, among those that are known to
// be there, and the revision it cannot be read at; no stream if that does not help.
func firstDamaged(ctx context.Context, log eventlog.Log, heads map[string]hashchain.Head) (stream string, revision int64) {
	for _, stream := range slices.Sorted(maps.Keys(heads)) {
		next := int64(0)
		for record, err := range log.Stream(ctx, stream, 0) {
			if err != nil {
				return stream, next
			}
			next = record.Revision + 1
		}
		if next <= heads[stream].Revision {
			return stream, next
		}
	}
	return "", 0
}
