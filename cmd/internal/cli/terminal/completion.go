package terminal

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/api"
	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
	"github.com/kintsugi-run/kintsugi/projections"
)

const (
	completionPatience = 2 * time.Second // the person who pressed the key waits
	mostCompleted      = 50              // the newest
)

// completion is something that can be completed: what is typed for it, and what it is.
type completion struct{ word, about string }

// completers find what an argument can be, by what it is called in the usage of its command, or by the
// name of a flag. args are the arguments before it.
var completers = map[string]func(ctx context.Context, n *app.Node, args []string) ([]completion, error){
	"WORKFLOW":     completeWorkflows,
	"--workflow":   completeWorkflows,
	"--on":         completeWorkflows,
	"RUN":          completeRuns,
	"FIX":          completeFixes,
	"NOTIFICATION": completeNotifications,
	"VERSION":      completeVersions,
	"FROM":         completeVersions,
	"TO":           completeVersions,
	// NAME means something else to each of these nouns.
	"subscription NAME": completeSubscriptions,
	"secret NAME":       completeSecrets,
	"view NAME":         completeViews,
}

// listsOfWords are flags that take several of a few words.
var listsOfWords = map[string][]string{
	"fixers": {workflow.FixerTemplates, workflow.FixerModel, workflow.FixerCommand, workflow.FixerPerson},
	"outcome": {
		string(workflow.OutcomeSucceeded), string(workflow.OutcomeFailed), "any", string(workflow.OutcomeRecovered), string(workflow.OutcomeEscalated),
	},
}

// Complete has shells complete arguments and flags of a command and of those in it.
func (cli *CLI) Complete(c *cobra.Command) {
	for _, child := range c.Commands() {
		cli.Complete(child)
	}
	_, rest, _ := strings.Cut(c.Use, " ")
	if wanted := strings.Fields(rest); len(wanted) > 0 && c.ValidArgsFunction == nil {
		c.ValidArgsFunction = func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) >= len(wanted) {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			name := strings.Trim(wanted[len(args)], "[]")
			if name == "FILE" || name == "BUNDLE" {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return cli.completed(c, name, args, begun)
		}
	}
	register := func(flag *pflag.Flag) {
		var words []string
		if few, ok := flag.Value.(interface{ choices() []string }); ok {
			words = few.choices()
		} else if words = listsOfWords[flag.Name]; words == nil && completers["--"+flag.Name] == nil {
			return
		}
		_ = c.RegisterFlagCompletionFunc(flag.Name, func(c *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if words != nil {
				return words, cobra.ShellCompDirectiveNoFileComp
			}
			return cli.completed(c, "--"+flag.Name, args, begun)
		}) // the flag is there
	}
	c.Flags().VisitAll(register) // its own: those of all commands are not among them before it is found
	c.PersistentFlags().VisitAll(register)
}

// completed looks into the store, if there is one. Where that fails there is nothing to complete, and
// nothing is said: somebody is typing.
func (cli *CLI) completed(c *cobra.Command, name string, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	find := completers[name]
	if noun := strings.Fields(c.CommandPath()); find == nil && len(noun) > 1 {
		find = completers[noun[1]+" "+name]
	}
	if find == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(c.Context(), completionPatience)
	defer cancel()
	target, err := cli.remoteTarget(c)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if target != nil {
		return cli.completedThere(ctx, target), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
	look := func(n *app.Node) (_ []completion, err error) { return find(ctx, n, args) }
	var all []completion
	switch {
	case cli.caller == nil && cli.Configure(c) == nil:
		all, err = cli.glance(ctx, look)
	case cli.caller != nil && remoteAccess(c).Check(cli.caller.Caller, "") == nil:
		all, err = look(cli.caller.node)
	}
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var found []cobra.Completion
	for _, one := range all {
		if strings.HasPrefix(strings.ToLower(one.word), strings.ToLower(begun)) {
			found = append(found, cobra.CompletionWithDesc(one.word, plain.Line(one.about)))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}

// completedThere asks a server that was named: it looks at the same words as are typed here.
func (cli *CLI) completedThere(ctx context.Context, target *Context) (found []cobra.Completion) {
	var said bytes.Buffer
	their := *cli
	their.Out, their.Err = &said, io.Discard
	if code, err := their.exchange(ctx, target, api.CommandRequest{Args: cli.args}, writable{}); err != nil || code != ExitOK {
		return nil
	}
	for line := range strings.Lines(said.String()) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, ":") { // that is how cobra ends
			found = append(found, line)
		}
	}
	return found
}

// glance opens what is there for a look, without a word.
func (cli *CLI) glance(ctx context.Context, look func(*app.Node) ([]completion, error)) (found []completion, err error) {
	address, err := cli.Address()
	if err == nil {
		err = address.Exists()
	}
	if err != nil {
		return nil, err
	}
	n, err := cli.openAt(ctx, address, completionPatience, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := n.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return look(n)
}

func completeWorkflows(ctx context.Context, n *app.Node, _ []string) ([]completion, error) {
	list, err := n.Queries.Workflows(ctx, projections.WorkflowFilter{Archived: true, Owner: n.Owner})
	var found []completion
	for _, one := range list {
		same := func(other projections.Workflow) bool {
			return other.ID != one.ID && !other.Archived && strings.EqualFold(other.Title, one.Title)
		}
		if one.Archived || plain.Line(one.Title) != one.Title || one.Title == "" || slices.ContainsFunc(list, same) {
			found = append(found, completion{one.ID, one.Title})
		} else {
			found = append(found, completion{one.Title, string(one.Status)})
		}
	}
	return found, err
}

func completeRuns(ctx context.Context, n *app.Node, _ []string) ([]completion, error) {
	list, err := n.Queries.Runs(ctx, projections.RunFilter{Owner: n.Owner, Limit: mostCompleted})
	if err != nil {
		return nil, err
	}
	titles, err := projections.TitlesOf(ctx, n.Queries, list, func(r projections.Run) string { return r.Workflow })
	found := make([]completion, len(list))
	for i, one := range list {
		found[i] = completion{one.ID, titles[one.Workflow] + ", " + string(one.Status) + " " + plain.Ago(one.Admitted, n.Now())}
	}
	return brief(found), err
}

func completeFixes(ctx context.Context, n *app.Node, _ []string) ([]completion, error) {
	list, err := n.Queries.Fixes(ctx, projections.FixFilter{Owner: n.Owner, Limit: mostCompleted})
	if err != nil {
		return nil, err
	}
	titles, err := projections.TitlesOf(ctx, n.Queries, list, func(f projections.Fix) string { return f.Workflow })
	var found []completion
	for _, one := range list {
		found = append(found, completion{one.Proposal, titles[one.Workflow] + ", " + string(one.State) + ": " + one.Comment})
	}
	return brief(found), err
}

func completeNotifications(ctx context.Context, n *app.Node, _ []string) ([]completion, error) {
	list, err := n.Queries.Notifications(ctx, projections.NotificationFilter{Open: true, Owner: n.Owner, Operator: n.Owner == "", Limit: mostCompleted})
	found := make([]completion, len(list))
	for i, one := range list {
		found[i] = completion{one.ID, one.WorkflowTitle + ": " + one.Title}
	}
	return brief(found), err
}

// completeVersions are those of the workflow before them.
func completeVersions(ctx context.Context, n *app.Node, args []string) ([]completion, error) {
	if len(args) == 0 {
		return nil, nil
	}
	id, err := n.Resolve.Workflow(ctx, args[0])
	if err != nil {
		return nil, err
	}
	list, err := n.Queries.Scripts(ctx, id)
	found := make([]completion, len(list))
	for i, one := range list {
		found[i] = completion{one.Version, one.Comment}
	}
	return found, err
}

func completeSubscriptions(ctx context.Context, n *app.Node, _ []string) ([]completion, error) {
	all, err := n.Subscriptions.Defined(ctx)
	var found []completion
	for _, name := range slices.Sorted(maps.Keys(all)) {
		found = append(found, completion{name, all[name].Target})
	}
	return found, err
}

func completeSecrets(ctx context.Context, n *app.Node, _ []string) ([]completion, error) {
	sealed, err := n.Secrets.VaultWith(ctx, vault.Key{})
	if err != nil {
		return nil, err
	}
	all, err := sealed.List(ctx)
	var found []completion
	for _, one := range all {
		found = append(found, completion{one.Name, strings.Join(one.Hosts, ", ")})
	}
	return found, err
}

func completeViews(_ context.Context, n *app.Node, _ []string) ([]completion, error) {
	var found []completion
	for _, one := range readmodel.Views(projections.All(n.Codec)) {
		found = append(found, completion{one.Name, ""})
	}
	return found, nil
}

// brief has ids as lists show them.
func brief(all []completion) []completion {
	ids := make([]string, len(all))
	for i, one := range all {
		ids[i] = one.word
	}
	endings := BriefIDs(ids)
	for i, id := range ids {
		all[i].word = cmp.Or(endings[id], id)
	}
	return all
}
