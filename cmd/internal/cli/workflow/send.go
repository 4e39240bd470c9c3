package workflow

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// What became of an input that was sent.
const (
	sentRun     = "run"
	sentQueued  = "queued"
	sentSkipped = "skipped"
	sentDropped = "dropped" // without a word: the archive recorded that it drops all
)

// sent is an input as the command shows it.
type sent struct {
	Workflow string `json:"workflow"`
	Run      string `json:"run"` // that it becomes
	Key      string `json:"key"`
	Outcome  string `json:"outcome"`
	Reason   string `json:"reason,omitempty"`
	Repeated bool   `json:"repeated"` // it was sent before, and this is what became of it
}

const longestKey = 256

func newSendCommand(cli *terminal.CLI) *cobra.Command {
	var input, key string
	command := &cobra.Command{
		Use: "send WORKFLOW", Short: "Hand a workflow an input, as a webhook does", Args: terminal.Takes(1, 1),
		Long: `Hand a workflow an input from outside. It becomes a run; while none can start it waits its turn
(--limit queue of the settings, 100 of them); beyond that, or if the workflow is a draft, paused or
archived, it is skipped, and the exit code is 4. The same --key again does nothing more, and says
what became of it. 'kintsugi dev' executes the runs.`,
		Example: `  kintsugi workflow send "New orders" --input @order.json --key order-4711`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(key) > longestKey || strings.TrimSpace(key) != key {
				return fault.New(fault.Invalid, "--key is longer than %d bytes, or begins or ends with a space", longestKey)
			}
			value, err := cli.ReadInput("--input", input)
			if err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				shown := sent{Workflow: id, Key: key}
				if shown.Key == "" {
					shown.Key = app.NewID()
				}
				shown.Run = commands.InputRun(id, shown.Key)
				asked := cli.Meta()
				asked.CommandID = commands.DerivedID(id, "send", shown.Key)
				result, err := n.Commands.OfferInput(c.Context(), id, workflow.OfferInput{Run: shown.Run, Trigger: workflow.TriggerWebhook, Input: value}, asked)
				if err != nil {
					return err
				}
				shown.became(result)
				if err := cli.Show(shown, shown.write); err != nil {
					return err
				}
				if shown.Outcome == sentSkipped || shown.Outcome == sentDropped {
					return &terminal.ExitError{Code: terminal.ExitConflict}
				}
				return nil
			})
		},
	}
	command.Flags().StringVar(&input, "input", "", "the input: JSON, @FILE, or - for standard input")
	command.Flags().StringVar(&key, "key", "", "what tells this input from others: sent twice, it is one")
	return command
}

func (s *sent) became(result commands.Result) {
	s.Outcome, s.Repeated = sentDropped, result.Repeated
	for _, recorded := range result.Events {
		switch e := recorded.Event.(type) {
		case workflow.RunAdmitted:
			s.Outcome = sentRun
		case workflow.InputQueued:
			s.Outcome, s.Reason = sentQueued, e.Reason
		case workflow.InputSkipped:
			s.Outcome, s.Reason = sentSkipped, e.Reason
		}
	}
}

func (s *sent) write(w io.Writer) {
	before := ""
	if s.Repeated {
		before = "It was sent before. "
	}
	switch s.Outcome {
	case sentRun:
		fmt.Fprintf(w, "%sRun %s starts with 'kintsugi dev', or with 'kintsugi workflow run'.\n", before, s.Run)
	case sentQueued:
		fmt.Fprintf(w, "%sIt waits for its turn, as run %s: %s\n", before, s.Run, plain.Clean(s.Reason))
	case sentSkipped:
		fmt.Fprintf(w, "%sIt is skipped: %s\n", before, plain.Clean(s.Reason))
	case sentDropped:
		fmt.Fprintln(w, "It is dropped: the workflow is archived.")
	}
}
