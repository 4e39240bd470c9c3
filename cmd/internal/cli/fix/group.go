package fix

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

// showGroups shows what many workflows failed of together.
func showGroups(ctx context.Context, cli *terminal.CLI, n *app.Node) error {
	groups, err := n.Queries.Groups(ctx, projections.GroupFilter{Owner: n.Owner})
	if err != nil {
		return err
	}
	return cli.Show(groups, func(w io.Writer) {
		if len(groups) == 0 {
			fmt.Fprintln(w, "Nothing fails, and no fix was made.")
		}
		now := n.Now()
		for i, group := range groups {
			if i > 0 {
				fmt.Fprintln(w)
			}
			where := ""
			if group.Host != "" {
				where = " after " + group.Host
			}
			fmt.Fprintf(w, "%s%s\n  %s; %d of %d workflows have not recovered; last %s\n", plain.Line(group.Message), where,
				group.Class, group.Open, group.Workflows, plain.Ago(group.Last, now))
			rows := make([][]string, len(group.Members))
			for i, one := range group.Members {
				rows[i] = []string{one.Workflow, one.Title, string(one.Status), plain.Dash(one.Fix), plain.Dash(string(one.FixState)), plain.Dash(one.Version), one.Comment}
			}
			terminal.Table(w, []string{"WORKFLOW", "TITLE", "STATUS", "FIX", "STATE", "VERSION", "COMMENT"}, rows)
			if more := group.Workflows - len(group.Members); more > 0 {
				fmt.Fprintf(w, "  and %d more\n", more)
			}
			writeOffers(w, group)
		}
	})
}

// writeOffers tells how workflows that were handed to a person get what mended another one.
func writeOffers(w io.Writer, group projections.Group) {
	at := slices.IndexFunc(group.Members, func(one projections.GroupMember) bool { return one.FixState == projections.FixConfirmed })
	if at < 0 {
		return
	}
	for _, one := range group.Members {
		if one.Open && one.Status == workflow.StatusEscalated {
			fmt.Fprintf(w, "  Its next failure is offered the fix of %s first, after: kintsugi workflow activate %s\n", plain.Line(group.Members[at].Title), one.Workflow)
		}
	}
}
