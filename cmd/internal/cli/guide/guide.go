// Package guide has the command that makes a workflow of a script step by step.
package guide

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/joho/godotenv"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
)

// options are the answers that were given as flags.
type options struct {
	title, intent, schedule, zone, input, tell, envFile string
	hosts                                               []string
	from                                                string   // of the gallery
	addresses                                           []string // EXAMPLE=ADDRESS, of services
	yes                                                 bool
}

// NewCommand is 'kintsugi new'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var o options
	var listed bool
	command := &cobra.Command{
		Use: "new SCRIPT", Short: "Make a workflow of a script, or of one of the gallery, step by step",
		Args:        func(_ *cobra.Command, args []string) error { return takes(args, o.from, listed) },
		Annotations: terminal.PassesOn(),
		Long: `Make a workflow of a script, step by step. It reads the script, asks for the secrets and private
hosts that it finds, tries the script without sending its writes, asks when it runs and who is told,
and switches it on. Flags answer ahead of the questions.

Each step is a command, and is shown. No run is made before the workflow is switched on: if you leave, a
draft stays, and the same line with its title goes on with it.

A secret's value is not shown while you type it. --env-file has lines NAME=VALUE; a file .env beside
the script is offered. --yes asks nothing: it takes what flags say and leaves out the rest. Without
a terminal answers are read from standard input, one in each line.

No script yet? --list shows a gallery, and words after it choose. --from NAME begins with one of it: it asks for
the addresses of your services, writes the script into a folder of that name, and makes the workflow
with recorded runs of the example, so that it can be mended from the first day. 'kintsugi chat TITLE
--create' writes a script with you, and 'kintsugi script import' takes one of n8n, Windmill, Apps
Script or Node.`,
		Example: `  kintsugi new report.ts
  kintsugi new --list weather
  kintsugi new --from frost-alert
  kintsugi new report.ts --title "Refund report" --schedule "every 15m" --yes`,
		RunE: func(c *cobra.Command, args []string) error {
			if listed {
				return list(cli, args)
			}
			g := &guide{CLI: cli, command: c, options: o, answers: bufio.NewReader(cli.In)}
			begin := g.takeFromGallery
			if o.from == "" {
				g.file, begin = args[0], g.make
			}
			err := begin(c.Context())
			if err != nil && g.id != "" {
				fmt.Fprintf(cli.Err, "\n%s stays a draft: nothing of it runs. Go on with: %s\n", plain.Line(g.title), line([]string{"new", g.file, "--title", g.title}))
			}
			return err
		},
	}
	flags := command.Flags()
	flags.StringVar(&o.title, "title", "", "what the workflow is called")
	flags.StringVar(&o.intent, "intent", "", "what the workflow is for, in your words; a repair is judged by it")
	flags.StringVar(&o.input, "input", "", "the input of a run that is given none: JSON or @FILE")
	flags.StringVar(&o.schedule, "schedule", "", "when it runs, as 'kintsugi workflow schedule' takes it")
	flags.StringVar(&o.zone, "zone", "", "IANA time zone of its times (default UTC)")
	flags.StringVar(&o.tell, "tell", "", "who is told when it fails or needs you: slack:https://…, smtps://… or another target of 'kintsugi subscription add'")
	flags.StringVar(&o.envFile, "env-file", "", "a file with values of secrets, in lines NAME=VALUE")
	flags.StringSliceVar(&o.hosts, "allow-host", nil, "a private host, or host:port, that the script may reach")
	flags.BoolVar(&o.yes, "yes", false, "ask nothing")
	flags.BoolVar(&listed, "list", false, "show the gallery; words choose those that have all of them")
	flags.StringVar(&o.from, "from", "", "begin with this one of the gallery; its schedule is taken unless you name another")
	flags.StringArrayVar(&o.addresses, "service", nil, "the address of yours, for a service of the example: https://shop.example=https://shop.acme.com")
	return command
}

func takes(args []string, from string, listed bool) error {
	switch {
	case listed && from == "":
		return nil
	case from != "" && !listed && len(args) == 0:
		return nil
	case from == "" && len(args) == 1 && args[0] != "-":
		return nil
	}
	return fault.New(fault.Invalid, "name one file or folder with a script: kintsugi new SCRIPT. No script yet? The gallery has some (kintsugi new --list, kintsugi new --from NAME), and one is written with you by kintsugi chat TITLE --create")
}

// guide carries out the commands that a person would give one after the other.
type guide struct {
	*terminal.CLI
	command *cobra.Command
	options
	answers *bufio.Reader
	file    string // with the script
	id      string // of the workflow, once there is one
	offered string // when one of the gallery runs
	planned string // when a draft runs that is gone on with
}

// stepError is a command that did not do its step. It has said why.
type stepError struct {
	code int
	told string
}

// Error implements error.
func (e *stepError) Error() string { return e.told }

// make goes through all steps.
func (g *guide) make(ctx context.Context) error {
	file := g.file
	var found struct {
		Schema struct {
			Required []string `json:"required"`
		} `json:"input_schema"`
	}
	kept, err := g.environment(file)
	if err != nil {
		return err
	}
	out, err := g.step(ctx, "", "script", "check", file)
	if err != nil {
		return exit(err)
	}
	fmt.Fprint(g.Err, out)
	if err := g.quietly(ctx, &found, "script", "check", file); err != nil {
		return exit(err)
	}
	account, err := g.draft(ctx, file, found.Schema.Required)
	if err != nil {
		return err
	}
	return g.finish(ctx, account, kept)
}

// finish goes through the steps from a draft to a workflow that is on.
func (g *guide) finish(ctx context.Context, account egress.Account, kept map[string]string) error {
	for _, step := range []func() error{
		func() error { return g.allowHosts(ctx, account.Hosts) },
		func() error { return g.setSecrets(ctx, kept, account.Unset) },
		func() error { return g.try(ctx) },
		func() error { return g.plan(ctx) },
		func() error { return g.tellSomebody(ctx) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return g.switchOn(ctx)
}

// draft makes the workflow, which does not run yet, or goes on with a draft of its title.
func (g *guide) draft(ctx context.Context, file string, needs []string) (account egress.Account, err error) {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	offered := cmp.Or(g.title, strings.ToUpper(name[:1])+strings.NewReplacer("-", " ", "_", " ").Replace(name[1:]))
	for {
		if g.title == "" {
			if g.title, err = g.ask(ctx, "What is it called?", offered); err != nil {
				return account, err
			}
		}
		id, isDraft, err := g.called(ctx)
		if err != nil {
			return account, err
		}
		if isDraft {
			goOn, err := g.agree(ctx, "A draft is called that. Go on with it?", true)
			if err != nil {
				return account, err
			}
			if goOn {
				return g.resume(ctx, id, file)
			}
		} else if id == "" {
			break
		}
		taken := fault.New(fault.Conflict, "a workflow is called %q already: %s. Choose another title, or save the script into that one: kintsugi script save %[2]s --file %s", g.title, id, plain.Quoted(file))
		if g.yes {
			return account, taken
		}
		fmt.Fprintln(g.Err, taken)
		g.title, offered = "", offered+" 2"
	}
	if g.intent == "" {
		if g.intent, err = g.ask(ctx, "What is it for, in a sentence? Repairs are judged by it.", ""); err != nil {
			return account, err
		}
	}
	for {
		if g.input == "" && len(needs) > 0 {
			if g.input, err = g.ask(ctx, "The script needs an input, with "+strings.Join(needs, ", ")+". Which one does a run have that is given none, as JSON?", ""); err != nil {
				return account, err
			}
		}
		args := append([]string{"workflow", "create", g.title, "--script", file, "--draft"},
			flags("--intent", g.intent, "--input", g.input, "--zone", g.zone, "--allow-host", strings.Join(g.hosts, ","))...)
		var made struct {
			ID      string         `json:"id"`
			Account egress.Account `json:"switched_on"`
		}
		fmt.Fprintf(g.Err, "$ %s\n", line(args))
		err = g.quietly(ctx, &made, args...)
		if failed, is := errors.AsType[*stepError](err); is && failed.code == terminal.ExitUsage && len(needs) > 0 && g.input != "" && !g.yes {
			fmt.Fprint(g.Err, failed.told)
			g.input = ""
			continue
		}
		g.id = made.ID
		return made.Account, exit(err)
	}
}

// called looks for a workflow of the title; a draft can be gone on with.
func (g *guide) called(ctx context.Context) (id string, isDraft bool, err error) {
	var shown struct {
		ID     string `json:"id"`
		Title  string `json:"title"`
		Status string `json:"status"`
	}
	err = g.quietly(ctx, &shown, "workflow", "show", g.title)
	if failed, is := errors.AsType[*stepError](err); is && (failed.code == terminal.ExitNotFound || failed.code == terminal.ExitUsage) {
		return "", false, nil // there is none, or several whose titles begin so
	}
	if err != nil || !strings.EqualFold(shown.Title, g.title) {
		return "", false, exit(err)
	}
	return shown.ID, shown.Status == "draft", nil
}

// flags are those that have a value, of a list of flags and values.
func flags(all ...string) (given []string) {
	for i := 0; i < len(all); i += 2 {
		if all[i+1] != "" {
			given = append(given, all[i], all[i+1])
		}
	}
	return given
}

// resume gives a draft the script as it is now, and what was said in flags.
func (g *guide) resume(ctx context.Context, id, file string) (account egress.Account, err error) {
	g.id = id
	steps := [][]string{{"script", "save", id, "--file", file}}
	if g.intent != "" {
		steps = append(steps, []string{"workflow", "edit", id, "--intent", g.intent})
	}
	if settings := flags("--input", g.input, "--allow-host", strings.Join(g.hosts, ",")); len(settings) > 0 {
		steps = append(steps, append([]string{"workflow", "settings", id}, settings...))
	}
	for _, args := range steps {
		if _, err := g.step(ctx, "", args...); err != nil {
			return account, exit(err)
		}
	}
	var shown struct {
		Schedule string         `json:"schedule"`
		Account  egress.Account `json:"account"`
	}
	err = g.quietly(ctx, &shown, "workflow", "show", id)
	g.planned = shown.Schedule
	return shown.Account, exit(err)
}

// allowHosts asks for each host that nobody allowed and that is not public.
func (g *guide) allowHosts(ctx context.Context, hosts []egress.AccountedHost) error {
	for _, host := range hosts {
		switch {
		case host.Refused == "":
			continue
		case host.Closed:
			fmt.Fprintf(g.Err, "\nIt may not reach %s: %s\n", host.Host, plain.Line(host.Refused))
			continue
		}
		allow, err := g.agree(ctx, fmt.Sprintf("\nIt asks %s, which no script may unless you say so: %s.\nMay it?", host.Host, plain.Line(host.Refused)), false)
		if err != nil {
			return err
		}
		if !allow {
			continue
		}
		if _, err := g.step(ctx, "", "workflow", "settings", g.id, "--allow-host", host.Host); err != nil {
			return exit(err)
		}
	}
	return nil
}

// setSecrets asks for each secret that the script uses and nobody has set.
func (g *guide) setSecrets(ctx context.Context, kept map[string]string, unset []egress.UnsetSecret) (err error) {
	for _, secret := range unset {
		fmt.Fprintf(g.Err, "\nThe script signs in with the secret %s, which is not set.\n", secret.Name)
		value := kept[secret.Name]
		if value != "" && g.envFile == "" { // nobody named the file
			take, err := g.agree(ctx, "Take its value from .env, beside the script?", true)
			if err != nil {
				return err
			}
			if !take {
				value = ""
			}
		}
		for _, host := range secret.Hosts {
			if where := signIn(host); where != "" && value == "" {
				fmt.Fprintf(g.Err, "A key for %s can be had at %s\n", host, where)
			}
		}
		if value == "" {
			if value, err = g.hidden(ctx, "Its value (nothing to set it later):"); err != nil {
				return err
			}
		}
		if value == "" {
			fmt.Fprintf(g.Err, "Set it later: kintsugi %s\n", secret.Command)
			continue
		}
		hosts, err := g.choose(ctx, "To which host is it sent?", secret.Hosts)
		if err != nil {
			return err
		}
		if len(hosts) == 0 {
			fmt.Fprintf(g.Err, "It was not set, since no host was named. Set it later: kintsugi %s\n", secret.Command)
			continue
		}
		if _, err := g.step(ctx, value, "secret", "set", secret.Name, "--workflow", g.id, "--host", strings.Join(hosts, ",")); err != nil {
			return exit(err)
		}
	}
	return nil
}

// environment is what a file with values of secrets says: the one that was named, or .env beside the script.
func (g *guide) environment(file string) (map[string]string, error) {
	path := cmp.Or(g.envFile, filepath.Join(filepath.Dir(file), ".env"))
	text, err := g.ReadFile(path)
	if err == nil {
		var values map[string]string
		if values, err = godotenv.Unmarshal(text); err == nil {
			return values, nil
		}
		err = fault.New(fault.Invalid, "%s has lines that are not NAME=VALUE: %w", path, err)
	}
	if g.envFile == "" {
		return nil, nil // nobody said that there is one
	}
	return nil, err
}

// try shows what a run would do, without its writes.
func (g *guide) try(ctx context.Context) error {
	fmt.Fprintln(g.Err, "\nA trial, which reads for real and sends no write:")
	out, err := g.step(ctx, "", "workflow", "dry-run", g.id)
	fmt.Fprint(g.Err, out)
	failed, is := errors.AsType[*stepError](err)
	if !is {
		return err
	}
	fmt.Fprint(g.Err, failed.told)
	if failed.code != terminal.ExitRunFailed && failed.code != terminal.ExitHeld {
		return &terminal.ExitError{Code: failed.code}
	}
	if failed.code == terminal.ExitHeld {
		return nil // it cannot be told, which is said
	}
	goOn, err := g.agree(ctx, "Go on all the same?", false)
	if err != nil {
		return err
	}
	if !goOn {
		return &terminal.ExitError{Code: terminal.ExitRunFailed}
	}
	return nil
}

// plan asks when the workflow runs.
func (g *guide) plan(ctx context.Context) (err error) {
	for {
		if g.schedule == "" {
			if g.schedule, err = g.ask(ctx, "\nWhen does it run? Like \"30 7 * * mon-fri\" (7:30 on weekdays) or \"every 15m\"; nothing for by hand only.", cmp.Or(g.planned, g.offered)); err != nil {
				return err
			}
		}
		if g.schedule == g.planned {
			return nil
		}
		if g.zone == "" {
			if g.zone, err = g.ask(ctx, "In which time zone?", "UTC"); err != nil {
				return err
			}
		}
		out, err := g.step(ctx, "", "workflow", "schedule", g.id, g.schedule, "--zone", g.zone)
		failed, is := errors.AsType[*stepError](err)
		if !is {
			fmt.Fprint(g.Err, out)
			return err
		}
		if g.yes {
			return exit(err)
		}
		fmt.Fprint(g.Err, failed.told)
		g.schedule, g.zone = "", ""
	}
}

// forPeople are the beginnings of targets that a person reads.
var forPeople = []string{"slack:", "smtp:", "smtps:"}

// tellSomebody asks who is told, if nobody is told of all workflows yet, and tries it.
func (g *guide) tellSomebody(ctx context.Context) error {
	if g.tell == "" {
		var there []struct {
			Name      string   `json:"name"`
			Target    string   `json:"target"`
			Workflows []string `json:"workflows"`
		}
		err := g.quietly(ctx, &there, "subscription", "list")
		if failed, is := errors.AsType[*stepError](err); is && failed.code == terminal.ExitForbidden {
			fmt.Fprintln(g.Err, "\nYour token may not say who is told. Somebody who may does: kintsugi subscription add")
			return nil
		}
		if err != nil {
			return exit(err)
		}
		for _, one := range there {
			if len(one.Workflows) == 0 && slices.ContainsFunc(forPeople, func(begin string) bool { return strings.HasPrefix(one.Target, begin) }) {
				fmt.Fprintf(g.Err, "\nSubscription %s tells people of all workflows, of this one, too.\n", one.Name)
				return nil
			}
		}
	}
	name := "tell-" + g.id
	for {
		if g.tell == "" {
			answer, err := g.ask(ctx, "\nWho is told when it fails or needs you? slack:https://hooks.slack.com/…, smtps://USER@host?from=A&to=B,\nor webhook:https://…; nothing for nobody: then 'kintsugi notification list' says it.", "")
			if err != nil || answer == "" {
				return err
			}
			g.tell = answer
		}
		_, err := g.step(ctx, g.tell, "subscription", "add", name, "--to", "@-", "--workflow", g.id)
		if err == nil {
			out, tested := g.step(ctx, "", "subscription", "test", name)
			fmt.Fprint(g.Err, out)
			if tested == nil {
				return nil
			}
			if _, err := g.step(ctx, "", "subscription", "remove", name); err != nil {
				return exit(err)
			}
			err = tested
		}
		if g.yes {
			return exit(err)
		}
		if failed, is := errors.AsType[*stepError](err); is {
			fmt.Fprint(g.Err, failed.told)
		} else {
			return err
		}
		g.tell = ""
	}
}

// switchOn activates the workflow, says what is on, and lets it run once.
func (g *guide) switchOn(ctx context.Context) error {
	on, err := g.agree(ctx, "\nSwitch it on?", true)
	if err != nil {
		return err
	}
	if !on {
		return &terminal.ExitError{Code: terminal.ExitConflict}
	}
	args := []string{"workflow", "activate", g.id}
	if g.Format != terminal.FormatText {
		args = append(args, "--output", g.Format)
	}
	out, err := g.step(ctx, "", args...)
	if err != nil {
		return exit(err)
	}
	fmt.Fprint(g.Out, out)
	id := g.id
	g.id = "" // it is no draft any more
	if g.schedule != "" {
		fmt.Fprintln(g.Err, "A server starts it at its times, as long as one runs: kintsugi dev")
	}
	if g.yes {
		return nil
	}
	now, err := g.agree(ctx, "\nRun it now, for real?", false)
	if err != nil || !now {
		return err
	}
	out, err = g.step(ctx, "", "workflow", "run", id)
	fmt.Fprint(g.Err, out)
	return exit(err)
}

// exit ends the command as a step ended, which has said why.
func exit(err error) error {
	if failed, is := errors.AsType[*stepError](err); is {
		return &terminal.ExitError{Code: failed.code, Cause: errors.New(strings.TrimPrefix(strings.TrimSpace(failed.told), "kintsugi: "))}
	}
	return err
}

// line is a command as a person types it.
func line(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = plain.Quoted(arg)
	}
	return "kintsugi " + strings.Join(words, " ")
}

// step shows a command and carries it out.
func (g *guide) step(ctx context.Context, stdin string, args ...string) (out string, err error) {
	fmt.Fprintf(g.Err, "$ %s\n", line(args))
	code, out, errs := g.Again(ctx, g.command, args, stdin)
	if ctx.Err() != nil {
		return out, &terminal.ExitError{Code: terminal.ExitInterrupted, Cause: errors.New("interrupted")}
	}
	if code != terminal.ExitOK {
		return out, &stepError{code: code, told: errs}
	}
	fmt.Fprint(g.Err, errs)
	return out, nil
}

// quietly looks at something, and shows no command.
func (g *guide) quietly(ctx context.Context, into any, args ...string) error {
	code, out, errs := g.Again(ctx, g.command, append(args, "--output", terminal.FormatJSON), "")
	if ctx.Err() != nil {
		return &terminal.ExitError{Code: terminal.ExitInterrupted, Cause: errors.New("interrupted")}
	}
	if code != terminal.ExitOK {
		var told struct {
			Error string `json:"error"`
		}
		if json.Unmarshal([]byte(errs), &told) == nil && told.Error != "" {
			errs = "kintsugi: " + told.Error + "\n"
		}
		return &stepError{code: code, told: errs}
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		return fmt.Errorf("'%s' has answered in another form: %w", line(args), err)
	}
	return nil
}
