package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/projections"
)

// showGroups shows what many workflows failed of together.
func (a *app) showGroups(ctx context.Context, n *node) error {
	groups, err := n.queries.Groups(ctx, false)
	if err != nil {
		return err
	}
	return a.show(groups, func(w io.Writer) {
		if len(groups) == 0 {
			fmt.Fprintln(w, "Nothing fails, and no fix was made.")
		}
		now := n.now()
		for i, group := range groups {
			if i > 0 {
				fmt.Fprintln(w)
			}
			where := ""
			if group.Host != "" {
				where = " after " + group.Host
			}
			fmt.Fprintf(w, "%s%s\n  %s; %d of %d workflows have not recovered; last %s\n", line(group.Message), where,
				group.Class, group.Open, len(group.Members), ago(group.Last, now))
			rows := make([][]string, len(group.Members))
			for i, one := range group.Members {
				rows[i] = []string{one.Workflow, one.Title, string(one.Status), dash(one.Fix), dash(string(one.FixState)), dash(one.Version), one.Comment}
			}
			table(w, []string{"WORKFLOW", "TITLE", "STATUS", "FIX", "STATE", "VERSION", "COMMENT"}, rows)
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
			fmt.Fprintf(w, "  Its next failure is offered the fix of %s first, after: kintsugi workflow activate %s\n", line(group.Members[at].Title), one.Workflow)
		}
	}
}

// writeCandidate shows the best that a maintainer had when it gave up.
func writeCandidate(w io.Writer, of string, best *projections.Candidate) {
	if best == nil {
		return
	}
	fmt.Fprintf(w, "    The best candidate was %s: %s (%s)\n", best.Verdict, line(best.Comment), line(best.Fixer))
	for _, why := range best.Why {
		fmt.Fprintf(w, "      %s\n", wrapped(why, "      ", 96))
	}
	if best.Exempt != "" {
		fmt.Fprintf(w, "    If that recorded run was wrong: %s\n", exemptCommand(best.Exempt, of))
	}
}

// relativesTried is how many other workflows' fixes are tried for a failure: the newest.
const relativesTried = 3

// Related implements [maintenance.Relatives].
func (n *node) Related(ctx context.Context, of, run string) ([]maintenance.Relative, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	fixes, err := n.queries.RelatedFixes(ctx, of, run, relativesTried)
	if err != nil {
		return nil, err
	}
	relatives := make([]maintenance.Relative, len(fixes))
	for i, fix := range fixes {
		relatives[i] = maintenance.Relative{Workflow: fix.Workflow, Title: fix.Title, Proposal: fix.Proposal}
	}
	return relatives, nil
}
