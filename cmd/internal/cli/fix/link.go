package fix

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newLinkCommand(cli *terminal.CLI) *cobra.Command {
	command := &cobra.Command{
		Use: "link FIX", Short: "Make a link by which a person decides about a fix, without a token", Args: terminal.Takes(1, 1),
		Long: `Make a link by which a person decides about a fix that waits, without a token. It shows what broke,
what would change and what that allows; nothing happens until they press a button, and a link decides
once. Whoever has it decides in the person's name: send it to them alone.`,
		Example: `  kintsugi fix link 3f0c… --for ann@example.com --public-url https://kintsugi.example.com
  kintsugi fix link 3f0c… --for ann --expires 4h`,
	}
	return cli.MakesLink(command, "decided", func(ctx context.Context, n *app.Node, args []string) (app.Link, error) {
		id, err := n.Resolve.Fix(ctx, args[0])
		if err != nil {
			return app.Link{}, err
		}
		fix, err := n.Queries.Fix(ctx, id)
		if err == nil && fix.State != projections.FixHeld {
			err = fault.New(fault.Conflict, "fix %s does not wait for anybody: it is %s", id, fix.State)
		}
		return app.Link{Fix: id}, err
	})
}
