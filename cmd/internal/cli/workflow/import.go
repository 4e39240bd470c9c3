package workflow

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/jsonl"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
)

func newImportCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Take in the whole history of a workflow from another installation",
		Long: `Take in what 'kintsugi workflow export' wrote: the workflow with its versions, runs and repairs,
under its id, as it was. What was under way goes on here, so pause or archive the workflow where
it came from, or both will do its work. For a new workflow from a script and recorded runs there
is 'kintsugi import'.

Before anything is written, the hash chains are checked, and that everything can have happened
as the file says; exit code 20 if not. A stream that is here already with other content is
refused with code 4. An import that was cut short goes on when it is repeated. No server may
run meanwhile: it would begin to work on half a history.`,
		Example: `  kintsugi workflow import refunds.jsonl
  ssh old kintsugi workflow export refunds | kintsugi workflow import -`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error { return importWorkflow(c.Context(), cli, args[0]) },
	}
}

// imported is what -o json shows of an import.
type imported struct {
	Workflow string          `json:"workflow"`
	Title    string          `json:"title"`
	Status   workflow.Status `json:"status"`
	Events   int             `json:"events"`  // of the file
	Present  int             `json:"present"` // of these were here before
	Streams  int             `json:"streams"`
}

func importWorkflow(ctx context.Context, cli *terminal.CLI, path string) (err error) {
	file, remove, err := rereadable(cli, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	codec, err := app.NewCodec()
	if err != nil {
		return err
	}
	history, err := readHistory(file, codec)
	if err != nil {
		return historyError(app.FileName(path), err)
	}
	lock, err := app.LockServer(cli.DataDir, "kintsugi workflow import")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	n, err := cli.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	present, err := history.presentIn(ctx, n.Log)
	if err != nil {
		return err
	}
	bar := terminal.NewProgress(cli, int64(history.events), "importing")
	bar.Set(int64(present))
	err = logcopy.Append(ctx, n.Log, after(present, history.records()), func(stored int) { bar.Add(int64(stored)) })
	bar.Done()
	if ctx.Err() != nil {
		return &terminal.ExitError{Code: terminal.ExitInterrupted, Cause: errors.New("interrupted: what was imported stays, and the same command goes on from there")}
	}
	if err != nil {
		return fmt.Errorf("import %s; repeat it to go on: %w", app.FileName(path), err)
	}
	if err := n.Views.CatchUp(ctx); err != nil {
		return err
	}
	state, err := n.Commands.LoadWorkflow(ctx, history.workflow)
	if err != nil {
		return err
	}
	result := imported{history.workflow, state.Title, state.Status, history.events, present, len(history.streams)}
	return cli.Show(result, func(w io.Writer) {
		if present == history.events {
			fmt.Fprintf(w, "%s (%s) is here already, all %d events of it.\n", plain.Clean(state.Title), history.workflow, present)
			return
		}
		fmt.Fprintf(w, "Imported %s (%s): %d events of %d streams. Its status is %s.\n",
			plain.Clean(state.Title), history.workflow, history.events, len(history.streams), state.Status)
		fmt.Fprintln(w, "The next 'kintsugi dev' here does the work that is due for it: pause or archive it where it came from.")
	})
}

// rereadable is a file that can be read from its beginning several times: standard input is
// kept in a file until remove.
func rereadable(cli *terminal.CLI, path string) (file string, remove func() error, err error) {
	if path != "-" {
		if _, err := os.Stat(path); err != nil {
			return "", nil, fault.New(fault.Invalid, "cannot read %s: %w", path, err)
		}
		return path, func() error { return nil }, nil
	}
	kept, err := os.CreateTemp("", "kintsugi-import-")
	if err != nil {
		return "", nil, fmt.Errorf("keep standard input: %w", err)
	}
	remove = func() error { return os.Remove(kept.Name()) }
	if _, err := io.Copy(kept, cli.In); err != nil {
		return "", nil, errors.Join(fmt.Errorf("keep standard input: %w", err), kept.Close(), remove())
	}
	if err := kept.Close(); err != nil {
		return "", nil, errors.Join(fmt.Errorf("keep standard input: %w", err), remove())
	}
	return kept.Name(), remove, nil
}

// history is the checked content of a file: one workflow with all that belongs to it.
type history struct {
	file     string
	workflow string
	events   int
	streams  map[string]int // how many events each has
}

// records reads the file.
func (h *history) records() iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		file, err := os.Open(h.file)
		if err != nil {
			yield(eventlog.Record{}, err)
			return
		}
		defer func() { _ = file.Close() }() // it was only read
		for record, err := range jsonl.Read(file) {
			if !yield(record, err) {
				return
			}
		}
	}
}

// after leaves the first n records out.
func after(n int, records iter.Seq2[eventlog.Record, error]) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range records {
			if n > 0 && err == nil {
				n--
				continue
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// readHistory checks that a file is the whole and possible history of one workflow.
func readHistory(file string, codec *event.Registry) (*history, error) {
	h := &history{file: file, streams: map[string]int{}}
	audit := commands.NewAudit(codec)
	for record, err := range h.records() {
		if err != nil {
			return nil, err
		}
		if id, is := strings.CutPrefix(record.Stream, workflow.StreamPrefix); is && h.workflow == "" && record.Revision == 0 {
			h.workflow = id
		}
		var metadata event.Metadata
		if err := json.Unmarshal(record.Metadata, &metadata); err != nil || h.workflow == "" || !domain.OwnStream(record.Stream) ||
			metadata.Subject != workflow.Subject(h.workflow) {
			return nil, fmt.Errorf("revision %d of stream %s is not of the workflow that the file begins with: write it with 'kintsugi workflow export'", record.Revision, record.Stream)
		}
		if err := audit.Check(record); err != nil {
			return nil, err
		}
		h.events++
		h.streams[record.Stream]++
	}
	if h.events == 0 {
		return nil, errors.New("there is no event in it")
	}
	return h, nil
}

func historyError(file string, err error) error {
	if doubted, ok := errors.AsType[*commands.HistoryError](err); ok {
		return &terminal.ExitError{Code: terminal.ExitBroken, Cause: fmt.Errorf("%s was not imported, its history is not to be trusted: %w", file, doubted)}
	}
	return fault.New(fault.Invalid, "%s was not imported: %w", file, err)
}

// presentIn says how many of the events, the first ones, are in a log already. It refuses a
// log that has anything else in the streams.
func (h *history) presentIn(ctx context.Context, log eventlog.Log) (int, error) {
	here := map[string][]digest{}
	present, missing := 0, 0
	for record, err := range h.records() {
		if err != nil {
			return 0, err
		}
		found, known := here[record.Stream]
		if !known {
			if found, err = digests(ctx, log, record.Stream); err != nil {
				return 0, err
			}
			here[record.Stream] = found
		}
		switch {
		case record.Revision >= int64(len(found)):
			missing++
		case missing > 0 || found[record.Revision] != digestOf(record):
			return 0, fault.New(fault.Conflict, "stream %s is here already, and its revision %d is not that of the file: the workflow went another way here", record.Stream, record.Revision)
		default:
			present++
		}
	}
	for stream, found := range here {
		if missing > 0 && len(found) > h.streams[stream] {
			return 0, fault.New(fault.Conflict, "stream %s is here already and goes on after the file, which has more of other streams: the workflow went another way here", stream)
		}
	}
	return present, nil
}

// digest is of what of an event is the same in all logs.
type digest [sha256.Size]byte

func digests(ctx context.Context, log eventlog.Log, stream string) ([]digest, error) {
	found := []digest{}
	for record, err := range log.Stream(ctx, stream, 0) {
		if err != nil {
			return nil, err
		}
		found = append(found, digestOf(record))
	}
	return found, nil
}

func digestOf(record eventlog.Record) digest {
	sum := sha256.New()
	put(sum, []byte(record.ID))
	put(sum, []byte(record.Type))
	put(sum, fmt.Append(nil, record.SchemaVersion))
	put(sum, record.Payload)
	put(sum, record.Metadata)
	return digest(sum.Sum(nil))
}

// put writes a part with its length, so that no border can be moved.
func put(sum hash.Hash, part []byte) {
	fmt.Fprintf(sum, "%d:", len(part))
	sum.Write(part)
}
