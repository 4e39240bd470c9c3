// Package demo has the command that breaks and mends three automations before people's eyes.
package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/testdata"
)

// NewCommand is 'kintsugi demo'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	onPage := false
	command := &cobra.Command{
		Use: "demo",
		Example: `  kintsugi demo
  kintsugi demo --web`,
		Short: "See three real automations break and be mended, against a local server",
		Long: `Run three automations against a local HTTP server that first answers as the real services
once did, and then as they do since a documented change of their API. One is mended, one
cannot be, and one fix is overtaken by the planner.

Everything is real but the services: the sandbox, HTTP, the event log. The history stays in the
data directory: a new temporary one, unless --data-dir names another.`,
		Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("store") && cli.Store != "" {
				return fault.New(fault.Invalid, "the demo keeps its events in a directory of its own: leave --store out")
			}
			where := map[string]string{"store": ""} // it has no business in the log that the environment names
			if !c.Flags().Changed("data-dir") {
				dir, err := os.MkdirTemp("", "kintsugi-demo-")
				if err != nil {
					return fmt.Errorf("make a data directory for the demo: %w", err)
				}
				where["data-dir"] = dir
			}
			for flag, value := range where {
				if err := c.Flags().Set(flag, value); err != nil {
					return fmt.Errorf("set --%s of the demo: %w", flag, err)
				}
			}
			if err := perform(c.Context(), cli); err != nil || !onPage {
				return err
			}
			return serve(cli, c)
		},
	}
	command.Flags().BoolVar(&onPage, "web", false, "leave the three stories open on the page: a server as of 'kintsugi dev', until Ctrl-C")
	return command
}

// serve is 'kintsugi dev' on the directory of the demo, with the settings of a server.
func serve(cli *terminal.CLI, c *cobra.Command) error {
	dev, _, err := c.Root().Find([]string{"dev"})
	if err == nil {
		err = cli.Configure(dev)
	}
	if err != nil {
		return fmt.Errorf("serve the page of the demo: %w", err)
	}
	dev.SetContext(c.Context())
	return dev.RunE(dev, nil)
}

// story is one automation of the demo and what comes of it.
type story struct {
	slug  string
	title string
	ends  string // the event that the story has to come to
	// plan is the script, of good/, that the planner saves while a fix is searched; empty for none.
	plan string
}

var stories = []story{
	{slug: "06-earthquake-alert", title: "A field is renamed, and the script is mended", ends: workflow.TypeFixConfirmed},
	{slug: "04-exchange-rates", title: "A service asks for a key, which no change of the script can give it", ends: workflow.TypeEscalated},
	{slug: "10-action-items", title: "While a fix is searched, the planner saves a new version", ends: workflow.TypeFixRejectedStale, plan: "new-name-first.js"},
}

// searchLasts bounds the wait for a fix that was overtaken: nothing else says that the
// search for it has ended.
const searchLasts = 10 * time.Second

// demo is the scene: a node that runs, and the outside that it talks to.
type demo struct {
	*terminal.CLI
	w       io.Writer // where the story is told
	node    *app.Node
	outside *automation.Server
	base    string // address of outside
	host    string
	planner *planner
	result  Result
}

// Result is what -o json shows of a demo.
type Result struct {
	DataDir   string         `json:"data_dir"`
	Workflows []demoWorkflow `json:"workflows"`
}

type demoWorkflow struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Ended string `json:"ended"` // the event that its story came to

	name string // what people may call it on the command line
}

func perform(ctx context.Context, cli *terminal.CLI) (err error) {
	began := time.Now()
	lock, err := app.LockServer(cli.DataDir, "kintsugi demo")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	n, err := cli.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()

	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("start the demo's local server: %w", err)
	}
	d := &demo{
		CLI: cli, w: cli.Out, node: n, outside: automation.NewServer(),
		host: listener.Addr().String(), base: "http://" + listener.Addr().String(),
		result: Result{DataDir: cli.DataDir},
	}
	if cli.Format != terminal.FormatText {
		d.w = cli.Err
	}
	server := &http.Server{Handler: d.outside, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }() // ends with Close
	defer func() { err = errors.Join(err, server.Close()) }()

	pool := app.NewPool(n.Logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	fixers := n.NewFixers(pool)
	d.planner = &planner{Fixer: fixers[workflow.DefaultFixer], commands: n.Commands, plans: map[string]plan{}}
	fixers[workflow.DefaultFixer] = d.planner

	work, cut := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- n.Loop(pool, fixers, "").Run(work) }()
	defer func() { cut(); err = errors.Join(err, <-ended) }()

	d.say("Kintsugi runs three automations against a local server that answers as the real services do.")
	d.say("Everything that happens is kept in %s", cli.DataDir)
	for i, story := range stories {
		if err := d.tell(ctx, i+1, story); err != nil {
			return fmt.Errorf("demo, %s: %w", story.slug, err)
		}
	}
	d.epilogue(time.Since(began))
	if cli.Format != terminal.FormatText {
		return cli.Show(d.result, nil)
	}
	return nil
}

// tell plays one story and checks that it ended as it has to.
func (d *demo) tell(ctx context.Context, number int, s story) error {
	files, err := fs.Sub(testdata.Automations, "automations")
	if err != nil {
		return err
	}
	original, err := automation.Load(files, s.slug)
	if err != nil {
		return err
	}
	local := original.At(d.base)
	d.title(number, s, local)
	id := app.NewID()
	if err := d.create(ctx, id, local); err != nil {
		return err
	}
	if s.plan != "" {
		code, err := fs.ReadFile(files, path.Join(s.slug, "good", s.plan))
		if err != nil {
			return err
		}
		d.planner.overtake(local.Title, plan{workflow: id, code: original.Localize(string(code), d.base)})
	}
	last := len(local.Runs) - 1
	for i, recorded := range local.Runs[:last] {
		d.outside.Answer(original.Runs[i])
		if _, err := d.run(ctx, id, recorded); err != nil {
			return err
		}
	}
	d.say("   %d runs succeeded on version 1.0.\n", last)
	d.say("   Then the API changes (%s):\n   %s\n   Source: %s\n", local.Case.Date, plain.Wrapped(local.Case.Change, "   ", 100), plain.Line(local.Case.Source))
	d.outside.Answer(original.Runs[last])
	if _, err := d.run(ctx, id, local.Runs[last]); err != nil {
		return err
	}
	if err := d.until(ctx, id, s); err != nil {
		return err
	}
	if err := d.show(ctx, id); err != nil {
		return err
	}
	if s.plan != "" {
		if err := d.runAgain(ctx, id, local.Runs[last]); err != nil {
			return err
		}
	}
	d.result.Workflows = append(d.result.Workflows, demoWorkflow{ID: id, Title: local.Title, Ended: s.ends, name: d.nameOf(ctx, id, local.Title)})
	return nil
}

// nameOf is the title, if it tells the workflow from others in the directory.
func (d *demo) nameOf(ctx context.Context, id, title string) string {
	if d.node.Views.CatchUp(ctx) == nil {
		if found, err := d.node.Resolve.Workflow(ctx, title); err == nil && found == id {
			return title
		}
	}
	return id
}

func (d *demo) create(ctx context.Context, id string, a *automation.Automation) error {
	c := d.node.Commands
	_, err := c.CreateWorkflow(ctx, workflow.Create{ID: id, Title: a.Title, Owner: "demo", Zone: a.Zone, Intent: a.Intent}, d.Meta())
	if err == nil {
		_, err = c.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: workflow.Settings{AllowedHosts: []string{d.host}}}, d.Meta())
	}
	if err == nil {
		_, err = c.SaveScript(ctx, id, workflow.SaveScript{ScriptID: app.NewID(), Code: a.Code, Comment: "first version", Origin: workflow.OriginPerson}, d.Meta())
	}
	if err == nil {
		_, err = c.ActivateWorkflow(ctx, id, workflow.Activate{}, d.Meta())
	}
	return err
}

// run starts a run as a person does and waits for what becomes of it.
func (d *demo) run(ctx context.Context, id string, recorded automation.Run) (run string, err error) {
	run = app.NewID()
	if _, err := d.node.Commands.AdmitRun(ctx, id, workflow.AdmitRun{Run: run, Trigger: workflow.TriggerManual, Repair: true, Input: recorded.Input}, d.Meta()); err != nil {
		return run, err
	}
	hint, release := d.node.Log.Wake()
	defer release()
	for {
		state, err := d.node.Commands.LoadWorkflow(ctx, id)
		if err != nil || app.SettledFor(state, run, d.node.Now()) {
			return run, err
		}
		select {
		case <-ctx.Done():
			return run, context.Cause(ctx)
		case <-hint:
		}
	}
}

// until waits for the event that a story has to come to.
func (d *demo) until(ctx context.Context, id string, s story) error {
	waiting, cancel := context.WithTimeout(ctx, searchLasts)
	defer cancel()
	hint, release := d.node.Log.Wake()
	defer release()
	for {
		for one, err := range d.node.Commands.History(ctx, []string{workflow.Stream(id)}) {
			if err != nil {
				return err
			}
			if one.Event.EventType() == s.ends {
				return nil
			}
		}
		if s.plan == "" { // then the run that failed has come to its end already
			cancel()
		}
		select {
		case <-hint:
		case <-waiting.Done():
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("the history does not come to %s: see 'kintsugi --data-dir %s history %s'", s.ends, plain.Quoted(d.DataDir), id)
		}
	}
}

// plan is a version that the planner saves.
type plan struct{ workflow, code string }

// planner is a fixer during whose search the planner saves a version of its own, for some
// workflows: the real race, made to happen.
type planner struct {
	repair.Fixer
	commands *commands.Commands
	plans    map[string]plan // by title; written before the failure that is to be mended
}

func (p *planner) overtake(title string, plan plan) { p.plans[title] = plan }

// Propose implements [repair.Fixer].
func (p *planner) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	explanation, err := p.Fixer.Propose(ctx, evidence, judge)
	if plan, planned := p.plans[evidence.Title]; planned && err == nil {
		_, err = p.commands.SaveScript(ctx, plan.workflow, workflow.SaveScript{
			ScriptID: app.NewID(), Code: plan.code, Comment: "re-planned for the new version of the API", Origin: workflow.OriginPlanner, Task: "demo",
		}, commands.Meta{CommandID: commands.DerivedID(plan.workflow, "replanned"), Actor: "planner:demo"})
	}
	return explanation, err
}
