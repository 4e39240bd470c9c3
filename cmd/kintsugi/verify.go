package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/attest"
	"github.com/kintsugi-run/kintsugi/internal/chain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
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
	Streams int        `json:"streams"`
	Events  int64      `json:"events"`
	Unknown int64      `json:"unknown_types"` // events that a newer program wrote: their chains hold
	Root    chain.Hash `json:"root"`
	// Checkpoint is when the signed checkpoint was taken that the history still begins with.
	Checkpoint *time.Time `json:"checkpoint,omitempty"`
	Since      int64      `json:"since_checkpoint,omitempty"` // events after it
}

func newVerifyCommand(a *app) *cobra.Command {
	var checkpoint, proof, public, key string
	var deep bool
	command := &cobra.Command{
		Use: "verify", Short: "Check that nobody has changed the history", Args: takes(0, 0),
		Long: `Check the hash chain of every stream, and print the first event that is not as it was recorded, with
what differs. Exit code 20 if there is one.

Chains alone cannot show that the newest events were cut off, or that all of a stream was written
anew. --checkpoint compares with a signed checkpoint ('kintsugi store checkpoint') that was kept
elsewhere: the history has to begin with all that was signed.

--deep also checks that every event can have happened: that runs were admitted, that fixes were
proposed, that versions only rise. It keeps the ids of all events in memory.

--proof checks the proof of one event, without the log: see 'kintsugi store proof'.

Signatures are checked with --public-key, or with the key that belongs to --key (default
KINTSUGI_AUDIT_KEY, else kintsugi/audit.key in your configuration directory).`,
		Example: `  kintsugi verify
  kintsugi verify --checkpoint /backup/2026-03-01.json
  kintsugi verify --proof proof.json --public-key ed25519:mX7…`,
		RunE: func(c *cobra.Command, _ []string) error {
			if proof != "" {
				if checkpoint != "" || deep {
					return fault.New(fault.Invalid, "--proof is checked by itself, without the log: leave out --checkpoint and --deep")
				}
				return a.verifyProof(proof, public, key)
			}
			var signed *attest.Checkpoint
			if checkpoint != "" {
				var err error
				if signed, err = readCheckpoint(checkpoint, public, key); err != nil {
					return err
				}
			}
			return a.withLog(c.Context(), func(log eventlog.Log) error {
				found, _, err := a.verifyLog(c.Context(), log, signed, deep)
				if err != nil {
					return err
				}
				return a.show(found, func(w io.Writer) { writeVerified(w, found) })
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&checkpoint, "checkpoint", "", "a signed checkpoint that the history has to begin with")
	flags.StringVar(&proof, "proof", "", "check the proof of one event instead")
	flags.StringVar(&public, "public-key", "", "the public key of whoever signed: ed25519:…")
	flags.StringVar(&key, "key", "", "the file of the signing key, whose public key is used")
	flags.BoolVar(&deep, "deep", false, "also check that every event can have happened")
	return command
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
		return &exitError{code: exitBroken, cause: fmt.Errorf("%s is not to be trusted: %w", path, err)}
	}
	return err
}

// verifyLog checks the chains of all streams, and what else was asked for, and gives the heads.
func (a *app) verifyLog(ctx context.Context, log eventlog.Log, signed *attest.Checkpoint, deep bool) (verified, map[string]chain.Head, error) {
	codec, err := newCodec()
	if err != nil {
		return verified{}, nil, err
	}
	head, err := log.Head(ctx)
	if err != nil {
		return verified{}, nil, err
	}
	verifier := chain.Verifier{AllowErased: true, Chained: commands.OwnStream}
	audit := commands.NewAudit(codec)
	var watch *attest.Watch
	if signed != nil {
		watch = signed.Watch()
	}
	bar := newProgress(a, eventsUpTo(a, head), "verify")
	defer bar.done()
	var found verified
	for record, err := range log.All(ctx, eventlog.Start, eventlog.Everything) {
		if err != nil {
			return found, nil, err
		}
		if err := verifier.Check(record); err != nil {
			bar.done()
			return found, nil, a.brokenAt(ctx, log, codec, record.Stream, err)
		}
		if watch != nil {
			if err := watch.Check(record.Stream, verifier.Heads()[record.Stream]); err != nil {
				return found, nil, changed(err)
			}
		}
		known := !commands.OwnStream(record.Stream) || codec.Version(record.Type) >= record.SchemaVersion
		if !known {
			found.Unknown++
		}
		if deep && known {
			if err := audit.Check(record); err != nil {
				return found, nil, changed(err)
			}
		}
		found.Events++
		bar.add(1)
	}
	if watch != nil {
		if err := watch.End(verifier.Heads()); err != nil {
			return found, nil, changed(err)
		}
		at := signed.TakenAt
		found.Checkpoint, found.Since = &at, found.Events-signed.Events
	}
	if err := endsAgree(ctx, log, verifier.Heads()); err != nil {
		return found, nil, err
	}
	found.Streams, found.Root = len(verifier.Heads()), attest.Root(verifier.Heads())
	return found, verifier.Heads(), nil
}

// eventsUpTo is how many events there are, where positions count them; -1 elsewhere.
func eventsUpTo(a *app, head eventlog.Position) int64 {
	if address, err := a.address(); err != nil || address.backend != sqliteBackend {
		return -1
	}
	number, err := head.Number()
	if err != nil {
		return -1
	}
	return number
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
			return &exitError{code: exitBroken, cause: fmt.Errorf(
				"the store is damaged: in the whole log stream %s comes to revision %d, read by itself to %d; restore a backup", stream, head.Revision, last)}
		}
	}
	return nil
}

func changed(err error) error {
	return &exitError{code: exitBroken, cause: fmt.Errorf("the history was changed: %w", err)}
}

// brokenAt says as much as can be known of the first broken event of a stream.
func (a *app) brokenAt(ctx context.Context, log eventlog.Log, codec *event.Registry, stream string, err error) error {
	first, is := errors.AsType[*chain.BrokenError](err)
	if !is {
		return err
	}
	if commands.OwnStream(stream) {
		if closer, is := errors.AsType[*chain.BrokenError](chain.Explain(log.Stream(ctx, stream, 0), codec.Types())); is {
			first = closer
		}
	}
	fmt.Fprintf(a.err, "stream    %s\nrevision  %d\nevent     %s  %s\nposition  %s\nrecorded  %s\ndiffers   %s\n",
		first.Stream, first.Revision, line(first.Type), first.ID, first.Position, first.RecordedAt.Local().Format(time.DateTime), first.Part)
	return changedHistory(first)
}

func writeVerified(w io.Writer, found verified) {
	fmt.Fprintf(w, "%d events in %d streams: every chain is whole.\nroot  %s\n", found.Events, found.Streams, found.Root)
	if found.Unknown > 0 {
		fmt.Fprintf(w, "%d events are of types that a newer program wrote.\n", found.Unknown)
	}
	if found.Checkpoint != nil {
		fmt.Fprintf(w, "It begins with all that was signed on %s; %d events came since.\n", found.Checkpoint.Local().Format(time.DateTime), found.Since)
	}
}

// provedEvent is what a proof shows.
type provedEvent struct {
	attest.Event
	TakenAt time.Time `json:"taken_at"` // of the checkpoint
	Later   int       `json:"later"`    // events of its stream between it and the checkpoint
}

func (a *app) verifyProof(path, public, keyFile string) error {
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
	shown := provedEvent{Event: proof.Event, TakenAt: proof.Checkpoint.TakenAt, Later: len(proof.Later)}
	return a.show(shown, func(w io.Writer) {
		fmt.Fprintf(w, "Revision %d of stream %s was there when the checkpoint of %s was signed.\n%s  %s\npayload   SHA-256 %s\nmetadata  SHA-256 %s\n",
			shown.Revision, line(shown.Stream), shown.TakenAt.Local().Format(time.DateTime), line(shown.Type), line(shown.ID), shown.PayloadSHA256, shown.MetadataSHA256)
	})
}

// newestFile is the last of the files of a folder by name, empty for none.
func newestFile(folder, pattern string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(files) == 0 {
		return "", err
	}
	return slices.Max(files), nil
}
