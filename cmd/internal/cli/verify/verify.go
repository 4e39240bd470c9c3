// Package verify has the command that checks that nobody has changed the history.
package verify

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/checkpoint"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
)

// NewCommand is 'kintsugi verify'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var list, proof, content, public, key string
	var deep, views bool
	command := &cobra.Command{
		Use: "verify", Short: "Check that nobody has changed the history", Args: terminal.Takes(0, 0),
		Long: `Check the hash chain of every stream, and print the first event that is not as it was recorded, with
what differs. Exit code 20 if there is one.

Chains alone cannot show that the newest events were cut off, or that all of a stream was written
anew. --checkpoint compares with a signed checkpoint ('kintsugi store checkpoint') that was kept
elsewhere: the history has to begin with all that was signed.

The tables, triggers and functions of the store are compared with those that this program makes. Guards that
somebody changed are put back whenever the store is opened, which is recorded in the history: the exit
code is 20 until an operator has acknowledged that. What cannot be put back is damage.

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
				if list != "" || deep || views {
					return fault.New(fault.Invalid, "--proof is checked by itself, without the log: leave out --checkpoint, --deep and --views")
				}
				return verifyProof(cli, proof, content, public, key)
			}
			if content != "" {
				return fault.New(fault.Invalid, "--event is what a proof has to be of: give --proof as well")
			}
			opened := false
			var signed *checkpoint.Checkpoint
			if list != "" {
				var err error
				if signed, err = app.ReadCheckpoint(list, public, key); err != nil {
					return err
				}
			}
			err := cli.WithLog(c.Context(), func(log eventlog.Log) error {
				opened = true
				found, _, err := cli.VerifyLog(c.Context(), log, signed, deep)
				if err != nil {
					if found.Broken == nil || cli.Format == terminal.FormatText {
						return err
					}
					return errors.Join(cli.Show(found, nil), err)
				}
				var differ error
				if views {
					found.Views, differ = cli.VerifyViews(c.Context(), log)
				}
				return errors.Join(cli.Show(found, func(w io.Writer) { writeVerified(w, found) }), differ, found.StoreChanged())
			})
			if !opened && errors.Is(err, eventlog.ErrDamaged) && cli.Format != terminal.FormatText {
				return errors.Join(cli.Show(app.Verified{Broken: &app.BrokenEvent{Differs: "store", What: err.Error()}}, nil), err)
			}
			return err
		},
	}
	flags := command.Flags()
	flags.StringVar(&list, "checkpoint", "", "a signed checkpoint that the history has to begin with")
	flags.StringVar(&proof, "proof", "", "check the proof of one event instead")
	flags.StringVar(&content, "event", "", "with --proof: a file with the event, which the proof has to be of")
	flags.StringVar(&public, "public-key", "", "the public key of the signer: ed25519:…")
	flags.StringVar(&key, "key", "", "the file of the signing key, whose public key is used")
	flags.BoolVar(&deep, "deep", false, "also check that every event can have happened")
	flags.BoolVar(&views, "views", false, "also build the views anew, and compare them row by row")
	return command
}

// mostErasedShown bounds how many erased events people are shown; machines are given all.
const mostErasedShown = 10

func writeVerified(w io.Writer, found app.Verified) {
	fmt.Fprintf(w, "%d events in %d streams: every chain is whole.\nroot  %s\n", found.Events-found.OtherEvents, found.Streams-found.OtherStreams, found.Root)
	if found.OtherStreams > 0 {
		fmt.Fprintf(w, "%d events in %d streams of others have no chain: only their order was checked.\n", found.OtherEvents, found.OtherStreams)
	}
	for _, one := range found.Mended {
		seen := "nobody has acknowledged it"
		if one.Acknowledged {
			seen = "it was acknowledged"
		}
		fmt.Fprintf(w, "On %s the store was found changed past the program, and was put back; %s:\n", terminal.Local(w, one.At).Format(time.DateTime), seen)
		for _, part := range one.Found {
			fmt.Fprintf(w, "  %s\n", plain.Line(part))
		}
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
			fmt.Fprintf(w, "  revision %d of %s  %s\n", one.Revision, plain.Line(one.Stream), plain.Line(one.Type))
		}
	}
	if found.Checkpoint != nil {
		fmt.Fprintf(w, "It begins with all that was signed on %s; %d events came since.\n", terminal.Local(w, *found.Checkpoint).Format(time.DateTime), found.Since)
	}
	if found.Views != nil {
		terminal.WriteComparison(w, *found.Views)
	}
}

// provedEvent is what a proof shows.
type provedEvent struct {
	checkpoint.Event
	TakenAt time.Time `json:"taken_at"` // of the checkpoint
	Later   int       `json:"later"`    // events of its stream between it and the checkpoint
}

func verifyProof(cli *terminal.CLI, path, content, public, keyFile string) error {
	key, err := app.Trusted(public, keyFile)
	if err != nil {
		return err
	}
	file, err := cli.OpenFile(path)
	if err != nil {
		return fault.New(fault.Invalid, "read the proof: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	proof, err := checkpoint.ReadProof(file)
	if err != nil {
		return fault.New(fault.Invalid, "%s: %w", path, err)
	}
	if err := proof.Verify(key); err != nil {
		return app.Untrusted(path, err)
	}
	if content != "" {
		if err := matches(cli, proof, content); err != nil {
			return err
		}
	}
	shown := provedEvent{Event: proof.Event, TakenAt: proof.Checkpoint.TakenAt, Later: len(proof.Later)}
	return cli.Show(shown, func(w io.Writer) {
		fmt.Fprintf(w, "Revision %d of stream %s was there when the checkpoint of %s was signed.\n%s  %s\npayload   SHA-256 %s\nmetadata  SHA-256 %s\n",
			shown.Revision, plain.Line(shown.Stream), terminal.Local(w, shown.TakenAt).Format(time.DateTime), plain.Line(shown.Type), plain.Line(shown.ID), shown.PayloadSHA256, shown.MetadataSHA256)
	})
}

// matches checks that a file has the event of a proof, byte for byte. It may have others.
func matches(cli *terminal.CLI, proof *checkpoint.Proof, path string) error {
	file, err := cli.OpenFile(path)
	if err != nil {
		return fault.New(fault.Invalid, "read the event: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	for record, err := range jsonl.Read(file) {
		if err != nil {
			return fault.New(fault.Invalid, "%s: %w", path, err)
		}
		if record.Stream == proof.Event.Stream && record.Revision == proof.Event.Revision {
			return app.Untrusted(path, proof.Matches(record))
		}
	}
	return fault.New(fault.NotFound, "%s has no revision %d of stream %s, which is what was proved", path, proof.Event.Revision, proof.Event.Stream)
}
