package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/attest"
	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// auditKeyEnv names the file of the key that checkpoints are signed with.
const auditKeyEnv = "KINTSUGI_AUDIT_KEY"

// auditKeyFile is where the signing key is: named, or in the user's own configuration, never in a
// data directory: who can write that could sign it.
func auditKeyFile(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if path := os.Getenv(auditKeyEnv); path != "" {
		return path, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the signing key: name it with --key or %s: %w", auditKeyEnv, err)
	}
	return filepath.Join(config, "kintsugi", "audit.key"), nil
}

// trusted is the public key that signatures are checked with.
func trusted(public, keyFile string) (attest.PublicKey, error) {
	var key attest.PublicKey
	if public != "" {
		if err := key.UnmarshalText([]byte(public)); err != nil {
			return key, fault.New(fault.Invalid, "--public-key: %w", err)
		}
		return key, nil
	}
	path, err := auditKeyFile(keyFile)
	if err != nil {
		return key, err
	}
	key, err = attest.ReadPublicKey(path)
	if errors.Is(err, attest.ErrNoKey) {
		return key, fault.New(fault.Invalid, "%w: name the key that signed with --public-key ed25519:…, or its file with --key", err)
	}
	return key, err
}

// verified is what a verification found.
type verified struct {
	Whole   bool  `json:"whole"`
	Streams int   `json:"streams"`
	Events  int64 `json:"events"`
	// Of them, those that others keep: they have no chain, so that only their order was checked.
	OtherStreams int   `json:"other_streams"`
	OtherEvents  int64 `json:"other_events"`
	// Restored are the guards of the store (triggers, indexes) that were missing and were put back.
	Restored []string `json:"restored,omitempty"`
	Unknown  int64    `json:"unknown_types"` // events that a newer program wrote: their chains hold
	// Erased are the events of whose payload only the digest is left; the chains are over that.
	Erased []erasedEvent `json:"erased,omitempty"`
	Root   *chain.Hash   `json:"root,omitempty"` // over the heads of all streams
	// Checkpoint is when the signed checkpoint was taken that the history still begins with.
	Checkpoint *time.Time `json:"checkpoint,omitempty"`
	Since      int64      `json:"since_checkpoint,omitempty"` // events after it
	// Unread are the streams that could not be followed to their end.
	Unread int          `json:"unread_streams,omitempty"`
	Broken *brokenEvent `json:"broken,omitempty"`
	// Views are beside views that were built anew, if that was asked for.
	Views *readmodel.Comparison `json:"views,omitempty"`
}

type erasedEvent struct {
	Stream   string `json:"stream"`
	Revision int64  `json:"revision"`
	Type     string `json:"type"`
	ID       string `json:"id"`
}

// brokenEvent is the first event that is not as it was recorded, or the stream that is not.
type brokenEvent struct {
	Stream     string            `json:"stream"`
	Revision   int64             `json:"revision"`
	Type       string            `json:"type,omitempty"`
	ID         string            `json:"id,omitempty"`
	Position   eventlog.Position `json:"position,omitempty"`
	RecordedAt *time.Time        `json:"recorded_at,omitempty"`
	Differs    string            `json:"differs"` // which part, a chain.Part; or history, checkpoint, store
	What       string            `json:"what"`
}

func newVerifyCommand(a *app) *cobra.Command {
	var checkpoint, proof, content, public, key string
	var deep, views bool
	command := &cobra.Command{
		Use: "verify", Short: "Check that nobody has changed the history", Args: takes(0, 0),
		Long: `Check the hash chain of every stream, and print the first event that is not as it was recorded, with
what differs. Exit code 20 if there is one.

Chains alone cannot show that the newest events were cut off, or that all of a stream was written
anew. --checkpoint compares with a signed checkpoint ('kintsugi store checkpoint') that was kept
elsewhere: the history has to begin with all that was signed.

--deep also reads every stream by itself and checks that each event can have happened: that
runs were admitted, that fixes were proposed, that versions only rise. It takes a few times as long.

--views also builds the views (what lists and overviews are read from) anew, up to where they are, and
compares every row of every table; also beside a server. What is built has no name in any directory
(TMPDIR says on which disk it is), so that nothing is left of it. Exit code 20 if a row differs, with
the table and the row; 3 if there are no views of this version of the program.

--proof checks the proof of one event, without the log: see 'kintsugi store proof'. With --event it
has to be of the event in that file, a line as 'kintsugi workflow export' writes it.

Signatures are checked with --public-key, or with the key that belongs to --key (default
KINTSUGI_AUDIT_KEY, else kintsugi/audit.key in your configuration directory).`,
		Example: `  kintsugi verify
  kintsugi verify --checkpoint /backup/2026-03-01.json
  kintsugi verify --proof proof.json --public-key ed25519:mX7…`,
		RunE: func(c *cobra.Command, _ []string) error {
			if proof != "" {
				if checkpoint != "" || deep || views {
					return fault.New(fault.Invalid, "--proof is checked by itself, without the log: leave out --checkpoint, --deep and --views")
				}
				return a.verifyProof(proof, content, public, key)
			}
			if content != "" {
				return fault.New(fault.Invalid, "--event is what a proof has to be of: give --proof as well")
			}
			opened := false
			var signed *attest.Checkpoint
			if checkpoint != "" {
				var err error
				if signed, err = readCheckpoint(checkpoint, public, key); err != nil {
					return err
				}
			}
			err := a.withLog(c.Context(), func(log eventlog.Log) error {
				opened = true
				found, _, err := a.verifyLog(c.Context(), log, signed, deep)
				if err != nil {
					if found.Broken == nil || a.format == formatText {
						return err
					}
					return errors.Join(a.show(found, nil), err)
				}
				var differ error
				if views {
					v, err := a.verification(log)
					if err != nil {
						return err
					}
					found.Views, differ = v.views(c.Context(), a.dataDir)
				}
				return errors.Join(a.show(found, func(w io.Writer) { writeVerified(w, found) }), differ)
			})
			if !opened && errors.Is(err, eventlog.ErrDamaged) && a.format != formatText {
				return errors.Join(a.show(verified{Broken: &brokenEvent{Differs: "store", What: err.Error()}}, nil), err)
			}
			return err
		},
	}
	flags := command.Flags()
	flags.StringVar(&checkpoint, "checkpoint", "", "a signed checkpoint that the history has to begin with")
	flags.StringVar(&proof, "proof", "", "check the proof of one event instead")
	flags.StringVar(&content, "event", "", "with --proof: a file with the event, which the proof has to be of")
	flags.StringVar(&public, "public-key", "", "the public key of whoever signed: ed25519:…")
	flags.StringVar(&key, "key", "", "the file of the signing key, whose public key is used")
	flags.BoolVar(&deep, "deep", false, "also check that every event can have happened")
	flags.BoolVar(&views, "views", false, "also build the views anew, and compare them row by row")
	return command
}

// views compares the views of this program, which may be in use, with what the log says.
func (v *verification) views(ctx context.Context, dataDir string) (*readmodel.Comparison, error) {
	head, err := v.log.Head(ctx)
	if err != nil {
		return nil, err
	}
	bar := v.progress(v.eventsUpTo(head), "views")
	defer bar.done()
	config := readmodel.Config{Dir: v.address.viewsDir(dataDir), Log: v.log, Projections: projections.All(v.codec)}
	found, err := readmodel.Compare(ctx, config, func(applied int) { bar.add(int64(applied)) })
	if none, is := errors.AsType[*readmodel.NoViewsError](err); is {
		return nil, fault.New(fault.NotFound, "%w", none)
	}
	if err != nil {
		return nil, err
	}
	if !found.Same {
		err = &integrityError{errors.New("the views are not what the log says; the history itself is as told above. " +
			"Delete the directory of the views while nothing runs, and they are built anew: " + config.Dir)}
	}
	return &found, err
}

// withLog lends the log of this command line to fn.
func (a *app) withLog(ctx context.Context, fn func(eventlog.Log) error) (err error) {
	address, err := a.address()
	if err != nil {
		return err
	}
	log, err := a.openPlace(ctx, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	return fn(log)
}

func readCheckpoint(path, public, keyFile string) (*attest.Checkpoint, error) {
	key, err := trusted(public, keyFile)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "read the checkpoint: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	signed, err := attest.Read(file)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s: %w", path, err)
	}
	if err := signed.Verify(key); err != nil {
		return nil, untrusted(path, err)
	}
	return signed, nil
}

// untrusted is for what was not signed by who should have.
func untrusted(path string, err error) error {
	if _, forged := errors.AsType[*attest.ForgedError](err); forged {
		return &integrityError{fmt.Errorf("%s is not to be trusted: %w", path, err)}
	}
	return err
}

// verifyLog is [verification.history], and tells a person what is broken.
func (a *app) verifyLog(ctx context.Context, log eventlog.Log, signed *attest.Checkpoint, deep bool) (verified, map[string]chain.Head, error) {
	v, err := a.verification(log)
	if err != nil {
		return verified{}, nil, err
	}
	found, heads, err := v.history(ctx, signed, deep)
	if found.Broken != nil && a.format == formatText {
		writeBroken(a.err, *found.Broken)
	}
	return found, heads, err
}

// verification is of the log of this command line.
func (a *app) verification(log eventlog.Log) (*verification, error) {
	address, err := a.address()
	if err != nil {
		return nil, err
	}
	return newVerification(log, address, func(total int64, what string) bar { return newProgress(a, total, what) })
}

// bar shows how far something is.
type bar interface {
	add(n int64)
	done()
}

// verification compares what a log holds with what was recorded.
type verification struct {
	log     eventlog.Log
	address storeAddress
	codec   *event.Registry
	// progress begins to show how far a part of it is, up to a total; -1 for one that is not known.
	progress func(total int64, what string) bar
}

func newVerification(log eventlog.Log, address storeAddress, progress func(total int64, what string) bar) (*verification, error) {
	codec, err := newCodec()
	return &verification{log: log, address: address, codec: codec, progress: progress}, err
}

// history checks the chains of all streams, and what else was asked for, and gives the
// heads. What is broken is in found.
func (v *verification) history(ctx context.Context, signed *attest.Checkpoint, deep bool) (found verified, heads map[string]chain.Head, err error) {
	log := v.log
	verifier := chain.Verifier{AllowErased: true, Chained: domain.OwnStream}
	err = v.chains(ctx, &verifier, signed, &found)
	heads = verifier.Heads()
	if err == nil {
		err = endsAgree(ctx, log, heads)
	}
	if examiner, is := log.(eventlog.Examiner); is && err == nil {
		found.Restored, err = examiner.Examine(ctx)
	}
	if err == nil && deep {
		err = v.deeply(ctx, heads, &found)
	}
	if err != nil {
		return v.broken(ctx, &verifier, found, err)
	}
	root := attest.Root(heads)
	found.Whole, found.Streams, found.Root = true, len(heads), &root
	return found, heads, nil
}

// chains is one pass over the whole log.
func (v *verification) chains(ctx context.Context, verifier *chain.Verifier, signed *attest.Checkpoint, found *verified) error {
	head, err := v.log.Head(ctx)
	if err != nil {
		return err
	}
	var watch *attest.Watch
	if signed != nil {
		watch = signed.Watch()
	}
	bar := v.progress(v.eventsUpTo(head), "verify")
	defer bar.done()
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
		found.Events++
		bar.add(1)
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
func (v *verification) deeply(ctx context.Context, heads map[string]chain.Head, found *verified) error {
	bar := v.progress(int64(len(heads)), "history")
	defer bar.done()
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
			bar.add(1)
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
func (v *verification) eventsUpTo(head eventlog.Position) int64 {
	if v.address.backend != sqliteBackend {
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
func endsAgree(ctx context.Context, log eventlog.Log, heads map[string]chain.Head) error {
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

// integrityError says that the history, its store, its views or what was signed is not as it was recorded.
type integrityError struct{ cause error }

// Error implements error.
func (e *integrityError) Error() string { return e.cause.Error() }

// Unwrap gives the cause.
func (e *integrityError) Unwrap() error { return e.cause }

func changed(err error) error {
	return &integrityError{fmt.Errorf("the history was changed: %w", err)}
}

// broken is as much as can be known of what is not as it was recorded.
func (v *verification) broken(ctx context.Context, verifier *chain.Verifier, found verified, err error) (verified, map[string]chain.Head, error) {
	log := v.log
	var told *brokenEvent
	if event, is := errors.AsType[*chain.BrokenError](err); is {
		if closer, is := errors.AsType[*chain.BrokenError](verifier.Explain(log.Stream(ctx, event.Stream, 0), v.codec.Types())); is {
			event = closer
		}
		told = &brokenEvent{
			Stream: event.Stream, Revision: event.Revision, Type: event.Type, ID: event.ID, Position: event.Position,
			RecordedAt: &event.RecordedAt, Differs: string(event.Part), What: event.What,
		}
		err = changedHistory(event)
	} else if event, is := errors.AsType[*commands.HistoryError](err); is {
		told = &brokenEvent{
			Stream: event.Stream, Revision: event.Revision, Type: event.Type, ID: event.ID, Position: event.Position,
			RecordedAt: &event.RecordedAt, Differs: "history", What: event.Err.Error(),
		}
		err = changed(err)
	} else if stream, is := errors.AsType[*attest.DifferenceError](err); is {
		told = &brokenEvent{Stream: stream.Stream, Revision: stream.Revision, Differs: "checkpoint", What: stream.What}
		err = changed(err)
	} else if stream, is := errors.AsType[*damagedError](err); is {
		told = &brokenEvent{Stream: stream.stream, Revision: stream.alone + 1, Differs: "store", What: stream.Error()}
		err = &integrityError{err}
	} else if errors.Is(err, eventlog.ErrDamaged) {
		stream, revision := firstDamaged(ctx, log, verifier.Heads())
		told = &brokenEvent{Stream: stream, Revision: revision, Differs: "store", What: err.Error()}
		err = &integrityError{err}
	}
	found.Broken = told
	return found, nil, err
}

// firstDamaged finds a stream that cannot be read to its end, among those that are known to
// be there, and the revision it cannot be read at; no stream if that does not help.
func firstDamaged(ctx context.Context, log eventlog.Log, heads map[string]chain.Head) (stream string, revision int64) {
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

func writeBroken(w io.Writer, told brokenEvent) {
	if told.Stream != "" {
		fmt.Fprintf(w, "stream    %s\nrevision  %d\n", line(told.Stream), told.Revision)
	}
	if told.ID != "" {
		fmt.Fprintf(w, "event     %s  %s\nposition  %s\nrecorded  %s\n",
			line(told.Type), line(told.ID), told.Position, told.RecordedAt.Local().Format(time.DateTime))
	}
	fmt.Fprintf(w, "differs   %s\n", told.Differs)
}

// mostErasedShown bounds how many erased events people are shown; machines are given all.
const mostErasedShown = 10

func writeVerified(w io.Writer, found verified) {
	fmt.Fprintf(w, "%d events in %d streams: every chain is whole.\nroot  %s\n", found.Events-found.OtherEvents, found.Streams-found.OtherStreams, found.Root)
	if found.OtherStreams > 0 {
		fmt.Fprintf(w, "%d events in %d streams of others have no chain: only their order was checked.\n", found.OtherEvents, found.OtherStreams)
	}
	if len(found.Restored) > 0 {
		fmt.Fprintf(w, "Missing in the store, and put back now: %s. Somebody changed it past the program.\n", strings.Join(found.Restored, ", "))
	}
	if found.Unknown > 0 {
		fmt.Fprintf(w, "%d events are of types or versions that a newer program wrote.\n", found.Unknown)
	}
	if found.Unread > 0 {
		fmt.Fprintf(w, "%d streams were followed only to the first event that cannot be read.\n", found.Unread)
	}
	if n := len(found.Erased); n > 0 {
		fmt.Fprintf(w, "The payloads of %d events were erased; the chains are over their digests, which were kept:\n", n)
		for _, one := range found.Erased[:min(n, mostErasedShown)] {
			fmt.Fprintf(w, "  revision %d of %s  %s\n", one.Revision, line(one.Stream), line(one.Type))
		}
	}
	if found.Checkpoint != nil {
		fmt.Fprintf(w, "It begins with all that was signed on %s; %d events came since.\n", found.Checkpoint.Local().Format(time.DateTime), found.Since)
	}
	if found.Views != nil {
		writeCompared(w, *found.Views)
	}
}

func writeCompared(w io.Writer, found readmodel.Comparison) {
	fmt.Fprintf(w, "Views     %s\nPosition  %s\n", found.File, dash(string(found.Position)))
	switch {
	case found.Problem != "":
		fmt.Fprintf(w, "They cannot be compared: %s.\n", line(found.Problem))
	case found.Same:
		fmt.Fprintf(w, "All %d rows of %d tables are as they are when built anew.\n", found.Rows, found.Tables)
	}
	for _, one := range found.Differ {
		how := one.How
		if len(one.Columns) > 0 {
			how += " in " + strings.Join(one.Columns, ", ")
		}
		var key []string
		for _, column := range slices.Sorted(maps.Keys(one.First)) {
			key = append(key, fmt.Sprintf("%s %v", column, one.First[column]))
		}
		fmt.Fprintf(w, "  %s: %d rows differ (%d changed, %d missing, %d that should not be there), the first is %s: %s\n",
			one.Table, one.Rows(), one.Changed, one.Missing, one.Extra, line(strings.Join(key, ", ")), line(how))
	}
}

// provedEvent is what a proof shows.
type provedEvent struct {
	attest.Event
	TakenAt time.Time `json:"taken_at"` // of the checkpoint
	Later   int       `json:"later"`    // events of its stream between it and the checkpoint
}

func (a *app) verifyProof(path, content, public, keyFile string) error {
	key, err := trusted(public, keyFile)
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return fault.New(fault.Invalid, "read the proof: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	proof, err := attest.ReadProof(file)
	if err != nil {
		return fault.New(fault.Invalid, "%s: %w", path, err)
	}
	if err := proof.Verify(key); err != nil {
		return untrusted(path, err)
	}
	if content != "" {
		if err := matches(proof, content); err != nil {
			return err
		}
	}
	shown := provedEvent{Event: proof.Event, TakenAt: proof.Checkpoint.TakenAt, Later: len(proof.Later)}
	return a.show(shown, func(w io.Writer) {
		fmt.Fprintf(w, "Revision %d of stream %s was there when the checkpoint of %s was signed.\n%s  %s\npayload   SHA-256 %s\nmetadata  SHA-256 %s\n",
			shown.Revision, line(shown.Stream), shown.TakenAt.Local().Format(time.DateTime), line(shown.Type), line(shown.ID), shown.PayloadSHA256, shown.MetadataSHA256)
	})
}

// matches checks that a file has the event of a proof, byte for byte. It may have others.
func matches(proof *attest.Proof, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return fault.New(fault.Invalid, "read the event: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	for record, err := range jsonl.Read(file) {
		if err != nil {
			return fault.New(fault.Invalid, "%s: %w", path, err)
		}
		if record.Stream == proof.Event.Stream && record.Revision == proof.Event.Revision {
			return untrusted(path, proof.Matches(record))
		}
	}
	return fault.New(fault.NotFound, "%s has no revision %d of stream %s, which is what was proved", path, proof.Event.Revision, proof.Event.Stream)
}
