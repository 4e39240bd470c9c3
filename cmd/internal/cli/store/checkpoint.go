package store

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/checkpoint"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// signedCheckpoint is what a new checkpoint came to.
type signedCheckpoint struct {
	File string `json:"file"`
	checkpoint.Statement
}

func newCheckpointCommand(cli *terminal.CLI) *cobra.Command {
	var out, key string
	command := &cobra.Command{
		Use: "checkpoint", Short: "Sign what the history is now, to be kept elsewhere", Args: terminal.Takes(0, 0),
		Long: `Check every chain, and sign the newest hash of each stream: one Merkle root over all of them, with
an Ed25519 key. Keep the file where nobody who can write the data directory can change it. 'kintsugi verify
--checkpoint FILE' then shows also that events were cut off, or streams written anew.

Without --out it goes to kintsugi/checkpoints in your configuration directory, in a folder for this
store, and names the one before: the history has to begin with that, or nothing is signed.

The key is made on first use, in --key, KINTSUGI_AUDIT_KEY or kintsugi/audit.key in your
configuration directory; give its public key, in the file beside it that ends with .pub, to
whoever is to check.`,
		Example: `  kintsugi store checkpoint
  kintsugi store checkpoint --out /mnt/elsewhere/2026-03-01.json`,
		RunE: func(c *cobra.Command, _ []string) error {
			path, previous, err := checkpointPlace(cli, out)
			if err != nil {
				return err
			}
			keyFile, err := app.AuditKeyFile(key)
			if err != nil {
				return err
			}
			if inside(keyFile, cli.DataDir) {
				return fault.New(fault.Invalid, "the signing key %s would be in the data directory: anybody who can write there could sign another history; name another place with --key", keyFile)
			}
			return cli.WithLog(c.Context(), func(log eventlog.Log) error {
				private, made, err := checkpoint.OpenKey(keyFile, rand.Reader)
				if err != nil {
					return err
				}
				if made {
					fmt.Fprintf(cli.Err, "Made a signing key: %s. Its public key is %s\n", keyFile, private.Public())
				}
				// The history must continue the signed one: a signature under a changed history would vouch for the
				// change.
				before, err := readPrevious(previous, private.Public())
				if err != nil {
					return err
				}
				position, err := log.Head(c.Context())
				if err != nil {
					return err
				}
				_, heads, err := cli.VerifyLog(c.Context(), log, before, false)
				if err != nil {
					return err
				}
				signed := checkpoint.New(heads, position, time.Now(), signedOf(before), private)
				if err := writeDurably(path, signed.Write); err != nil {
					return err
				}
				shown := signedCheckpoint{File: path, Statement: signed.Statement}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Signed %d events in %d streams.\nroot  %s\nkey   %s\nfile  %s\n", shown.Events, shown.Streams, shown.Root, shown.PublicKey, shown.File)
				})
			})
		},
	}
	command.Flags().StringVar(&out, "out", "", "the file to write, which may not be there")
	command.Flags().StringVar(&key, "key", "", "the file of the signing key, made if it is not there")
	return command
}

// checkpointPlace is where the next checkpoint goes, and the one before it, if it is known.
func checkpointPlace(cli *terminal.CLI, out string) (path, previous string, err error) {
	if out != "" {
		if inside(out, cli.DataDir) {
			return "", "", fault.New(fault.Invalid, "--out %s is in the data directory: anybody who can change the history could change it, too; keep it elsewhere", out)
		}
		return out, "", nil
	}
	address, err := cli.Address()
	if err != nil {
		return "", "", err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", "", fmt.Errorf("no place for the checkpoint: name one with --out: %w", err)
	}
	store := sha256.Sum256([]byte(address.Same))
	folder := filepath.Join(config, "kintsugi", "checkpoints", hex.EncodeToString(store[:8]))
	if inside(folder, cli.DataDir) {
		return "", "", fault.New(fault.Invalid, "%s is in the data directory: name another place with --out", folder)
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", "", fmt.Errorf("make a place for checkpoints: %w", err)
	}
	if previous, err = newestFile(folder, "*.json"); err != nil {
		return "", "", err
	}
	return filepath.Join(folder, time.Now().UTC().Format("20060102T150405.000000000Z")+".json"), previous, nil
}

// readPrevious reads the checkpoint before, nil if there is none. It has to be of the same key.
func readPrevious(path string, key checkpoint.PublicKey) (*checkpoint.Checkpoint, error) {
	if path == "" {
		return nil, nil //nolint:nilnil // the first checkpoint has none before it
	}
	before, err := app.ReadCheckpoint(path, key.String(), "")
	if err != nil {
		return nil, fmt.Errorf("the checkpoint before: %w; to begin anew name a file with --out", err)
	}
	return before, nil
}

func signedOf(signed *checkpoint.Checkpoint) *checkpoint.Signed {
	if signed == nil {
		return nil
	}
	return &signed.Signed
}

// newestFile is the last of the files of a folder by name, empty for none.
func newestFile(folder, pattern string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(files) == 0 {
		return "", err
	}
	return slices.Max(files), nil
}

// inside says that a path is in a folder, however both are written.
func inside(path, folder string) bool {
	resolved := func(path string) string {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return path
		}
		// A path that is not there yet has a parent that is.
		for rest := ""; ; {
			if real, err := filepath.EvalSymlinks(absolute); err == nil {
				return filepath.Join(real, rest)
			}
			parent := filepath.Dir(absolute)
			if parent == absolute {
				return filepath.Join(absolute, rest)
			}
			rest = filepath.Join(filepath.Base(absolute), rest)
			absolute = parent
		}
	}
	relative, err := filepath.Rel(resolved(folder), resolved(path))
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

// writeDurably writes a new file, whole or not at all.
func writeDurably(path string, write func(io.Writer) error) (err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".kintsugi-*")
	if err != nil {
		return fault.New(fault.Invalid, "write %s: %w", path, err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // it is at the path, or nowhere
	if err := errors.Join(write(file), file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	err = os.Link(file.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Conflict, "%s is there already: name a new file", path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

func newProofCommand(cli *terminal.CLI) *cobra.Command {
	var list, out, public, key string
	command := &cobra.Command{
		Use: "proof STREAM REVISION", Short: "Prove to somebody without the log that an event is part of it", Args: terminal.Takes(2, 2),
		Long: `Write a proof that an event was there when a checkpoint was signed. Whoever has the proof and the
public key can check it with 'kintsugi verify --proof', without the log: it holds the digests of the
event and of the later ones of its stream, and the path to the signed root.`,
		Example: `  kintsugi store proof run-0197f2 12 --checkpoint 2026-03-01.json --out proof.json`,
		RunE: func(c *cobra.Command, args []string) error {
			revision, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil || revision < 0 {
				return fault.New(fault.Invalid, "%q is not a revision: they count from 0", args[1])
			}
			signed, err := app.ReadCheckpoint(list, public, key)
			if err != nil {
				return err
			}
			return cli.WithLog(c.Context(), func(log eventlog.Log) error {
				proof, err := signed.Prove(args[0], revision, log.Stream(c.Context(), args[0], 0), domain.OwnStream)
				if _, unsigned := errors.AsType[*checkpoint.NotSignedError](err); unsigned {
					return fault.New(fault.NotFound, "%w", err)
				}
				if broken, is := errors.AsType[*hashchain.BrokenError](err); is {
					return app.ChangedHistory(broken)
				}
				if _, differs := errors.AsType[*checkpoint.DifferenceError](err); differs {
					return app.Changed(err)
				}
				if err != nil {
					return err
				}
				if out == "" {
					return proof.Write(cli.Out)
				}
				if err := writeDurably(out, proof.Write); err != nil {
					return err
				}
				return cli.Show(proof, func(w io.Writer) {
					fmt.Fprintf(w, "Proved revision %d of stream %s (%s). Check it with: kintsugi verify --proof %s --public-key %s\n",
						revision, plain.Line(args[0]), plain.Line(proof.Event.Type), out, proof.Checkpoint.PublicKey)
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&list, "checkpoint", "", "the signed checkpoint that the event was there for")
	flags.StringVar(&out, "out", "", "the file to write (default standard output)")
	flags.StringVar(&public, "public-key", "", "the public key of the signer: ed25519:…")
	flags.StringVar(&key, "key", "", "the file of the signing key, whose public key is used")
	_ = command.MarkFlagRequired("checkpoint")
	return command
}
