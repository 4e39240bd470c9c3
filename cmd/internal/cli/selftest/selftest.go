// Package selftest has the command that breaks automations on purpose and counts what becomes of them.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/measure/drift"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/projections"
	"github.com/kintsugi-run/kintsugi/testdata"
)

const (
	// selftestCount is how many workflows are broken unless somebody says so.
	selftestCount = 24
	// selftestAfter is on how many further days a repair has to be right.
	selftestAfter = 2
	// selftestAtOnce is how many workflows are broken at the same time.
	selftestAtOnce = 4
	// selftestPatience bounds what one day may take, with all repairs that it leads to.
	selftestPatience = 2 * time.Minute
)

// NewCommand is 'kintsugi selftest'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	seed, count, asJSON := uint64(1), selftestCount, false
	command := &cobra.Command{
		Use: "selftest", Short: "Break scratch workflows on purpose, and see what this installation makes of it", Args: terminal.Takes(0, 0),
		Long: `Break scratch workflows in a temporary installation, with the real server, sandbox and event log,
against a local server: payloads change as APIs do, scripts throw, credentials are refused, the
network fails. Says how much was detected and told apart, repaired, and repaired wrongly: a repair
counts as right if that day and further days come out as they would have without the change.

With a language model (--model) the same once more, the model asked after the templates; that costs
what the model costs. Your own data directory is not touched.

Exit codes: 0 nothing was repaired wrongly or taken for something else, 1 something was.`,
		Example: `  kintsugi selftest
  kintsugi selftest --seed 7 --count 60 -o json`,
		RunE: func(c *cobra.Command, _ []string) error {
			if count < 1 || count > 1000 {
				return fault.New(fault.Invalid, "--count %d: say how many workflows to break, 1 to 1000", count)
			}
			if asJSON {
				cli.Format = terminal.FormatJSON
			}
			found, err := runSelftest(c.Context(), cli, seed, count)
			if err != nil {
				return err
			}
			if err := cli.Show(found, func(w io.Writer) { found.write(w) }); err != nil {
				return err
			}
			if !found.OK {
				return &terminal.ExitError{Code: terminal.ExitFailure}
			}
			return nil
		},
	}
	command.Flags().Uint64Var(&seed, "seed", seed, "another seed breaks other things")
	command.Flags().IntVar(&count, "count", count, "how many workflows to break")
	command.Flags().BoolVar(&asJSON, "json", false, "the same as --output json")
	return command
}

// The ways in which a selftest breaks a workflow.
const (
	BreakDrift       = "payload drift"
	BreakLoss        = "payload loss"
	breakThrow       = "throw"
	BreakCredentials = "wrong credentials"
	BreakPermission  = "no permission"
	BreakNetwork     = "network"
)

// The ends of a broken workflow.
const (
	BecameRepaired  = "repaired"
	becameHeld      = "held"        // a fix waits for a person
	becameEscalated = "handed over" // to a person
	BecameWaiting   = "waits"       // for a person to set access right
	BecameRetried   = "retried"     // and again later
	becameSilent    = "silent"      // another outcome and no error: nothing can detect it
	becameHarmless  = "harmless"    // the right outcome all the same
)

// Result is what a selftest found.
type Result struct {
	Seed    uint64         `json:"seed"`
	OK      bool           `json:"ok"` // nothing was repaired wrongly, nothing was misclassified
	Seconds float64        `json:"seconds"`
	Passes  []selftestPass `json:"passes"`
}

// selftestPass is all trials with the same fixers.
type selftestPass struct {
	Fixers        []string               `json:"fixers"`
	Broken        int                    `json:"broken"`
	Failed        int                    `json:"failed"` // runs that failed: the rest came to an end all the same
	Detection     float64                `json:"detection_rate"`
	Repair        float64                `json:"repair_rate"`       // of the failures that a change of the script can mend
	FalseRepair   float64                `json:"false_repair_rate"` // of the repairs
	Classes       float64                `json:"class_correctness"`
	Misclassified int                    `json:"misclassified"`
	WrongRepairs  int                    `json:"wrong_repairs"`
	Ways          map[string]selftestWay `json:"ways"`
	Trials        []selftestTrial        `json:"trials"`
}

// selftestWay counts the trials of one way of breaking.
type selftestWay struct {
	Broken   int `json:"broken"`
	Failed   int `json:"failed"`
	Silent   int `json:"silent"`
	Class    int `json:"class_right"`
	Repaired int `json:"repaired"`
	Right    int `json:"right"`
	Wrong    int `json:"wrong"`
	Held     int `json:"held"`
	Handed   int `json:"handed_over"`
}

// selftestTrial is one workflow that was broken.
type selftestTrial struct {
	Title  string `json:"title"`
	Way    string `json:"way"`
	Change string `json:"change"`
	Want   string `json:"want_class"`
	Class  string `json:"class"` // of the failure, empty if there was none
	Became string `json:"became"`
	// Repair is how the script does after a repair: right, incomplete (some later day fails) or wrong.
	Repair drift.Applied `json:"repair,omitempty"`
	Error  string        `json:"error,omitempty"` // of the run

	play    *drift.Play
	trouble *drift.Trouble
}

// selftest is the scene: a temporary installation, and the outside that it talks to.
type selftest struct {
	*terminal.CLI
	node *app.Node
	mux  *http.ServeMux
	base string // address of the outside
	host string
	bar  *terminal.Progress
}

func runSelftest(ctx context.Context, cli *terminal.CLI, seed uint64, count int) (result Result, err error) {
	began := time.Now()
	dir, err := os.MkdirTemp("", "kintsugi-selftest-")
	if err != nil {
		return result, fmt.Errorf("make a directory for the selftest: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	n, err := app.Open(ctx, dir, app.FileAddress(filepath.Join(dir, app.LogFile)), app.ViewsPlace{}, app.CommandPatience, cli.Logger(slog.LevelError))
	if err != nil {
		return result, err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := cli.UseModel(n); err != nil {
		return result, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return result, fmt.Errorf("start the selftest's local server: %w", err)
	}
	s := &selftest{CLI: cli, node: n, mux: http.NewServeMux(), host: listener.Addr().String(), base: "http://" + listener.Addr().String()}
	server := &http.Server{Handler: s.mux, ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }() // ends with Close
	defer func() { err = errors.Join(err, server.Close()) }()
	pool := app.NewPool(n.Logger)
	defer func() { err = errors.Join(err, pool.Close()) }()

	trials, err := planSelftest(ctx, pool, seed, count)
	if err != nil {
		return result, err
	}
	passes := [][]string{{workflow.FixerTemplates}}
	if n.Model != nil {
		passes = append(passes, []string{workflow.FixerTemplates, workflow.FixerModel})
	}
	s.bar = terminal.NewProgress(cli, int64(len(trials)*len(passes)), "breaking workflows")
	defer s.bar.Done()

	work, cut := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- n.Loop(pool, n.NewFixers(pool), "").Run(work) }()
	defer func() { cut(); err = errors.Join(err, <-ended) }()
	result = Result{Seed: seed, OK: true}
	for i, fixers := range passes {
		pass, err := s.pass(ctx, i, fixers, trials)
		if err != nil {
			return result, err
		}
		result.OK = result.OK && pass.WrongRepairs == 0 && pass.Misclassified == 0
		result.Passes = append(result.Passes, pass)
	}
	result.Seconds = time.Since(began).Seconds()
	return result, nil
}

// planSelftest chooses what to break and how. Changes that make no difference are not chosen.
func planSelftest(ctx context.Context, runner sandbox.Runner, seed uint64, count int) ([]selftestTrial, error) {
	files, err := fs.Sub(testdata.Automations, "automations/compact")
	if err != nil {
		return nil, err
	}
	all, err := drift.Load(files)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	scenes := map[string]*drift.Scene{}
	next := func(fits func(*drift.Scene) bool) (*drift.Scene, error) {
		for {
			a := all[rng.IntN(len(all))]
			if !a.Clockless() {
				continue
			}
			scene, known := scenes[a.Name]
			if !known {
				if scene, err = drift.Prepare(ctx, runner, a, seed); err != nil {
					return nil, err
				}
				scenes[a.Name] = scene
			}
			if fits(scene) {
				return scene, nil
			}
		}
	}
	every := func(*drift.Scene) bool { return true }
	trials := make([]selftestTrial, 0, count)
	for len(trials) < count {
		t := selftestTrial{Way: selftestWays[len(trials)%len(selftestWays)], Want: sandbox.ClassLogic}
		fits := every
		switch t.Way {
		case BreakCredentials, BreakPermission, BreakNetwork:
			fits = (*drift.Scene).AsksFirst
		}
		scene, err := next(fits)
		if err != nil {
			return nil, err
		}
		var changed *drift.Fault
		switch t.Way {
		case BreakDrift, BreakLoss:
			faults := scene.Faults(drift.Kinds(), 4)
			chosen := faults[rng.IntN(len(faults))]
			effect, err := scene.Effect(ctx, chosen)
			if err != nil {
				return nil, err
			}
			if chosen.Kind.Lossy != (t.Way == BreakLoss) || effect != drift.Detected && effect != drift.Silent {
				continue
			}
			changed, t.Change = &chosen, chosen.Kind.Name+", "+chosen.Place
		case breakThrow:
		default:
			chosen := selftestTroubles[t.Way][rng.IntN(len(selftestTroubles[t.Way]))]
			t.trouble, t.Want, t.Change = &chosen.Trouble, chosen.class, chosen.says
		}
		if t.play, err = scene.Play(ctx, changed, selftestAfter); err != nil {
			return nil, err
		}
		if t.Title = t.play.Title; t.Way == breakThrow {
			t.throw(rng.IntN(len(selftestThrows)))
		}
		trials = append(trials, t)
	}
	return trials, nil
}

// selftestWays are what a selftest does in turn.
var selftestWays = []string{BreakDrift, breakThrow, BreakDrift, BreakCredentials, BreakLoss, BreakDrift, BreakNetwork, BreakDrift, BreakPermission}

// trouble is what the outside answers, and what that is.
type trouble struct {
	drift.Trouble
	class, says string
}

var selftestTroubles = map[string][]trouble{
	BreakCredentials: {
		{drift.Trouble{Status: 401, Type: "application/json", Body: `{"error":"invalid_token"}`}, sandbox.ClassAuth, "status 401"},
		{drift.Trouble{Status: 200, Type: "text/html", Body: `<html><head><title>Log in</title></head><body><form action="/login"><input type="password" name="password"></form></body></html>`}, sandbox.ClassAuth, "a login page"},
	},
	BreakPermission: {
		{drift.Trouble{Status: 403, Type: "application/json", Body: `{"message":"insufficient scope"}`}, sandbox.ClassPermission, "status 403"},
		{drift.Trouble{Status: 402, Type: "application/json", Body: `{"message":"payment required"}`}, sandbox.ClassPermission, "status 402"},
	},
	BreakNetwork: {
		{drift.Trouble{Status: 503, Type: "text/plain", Body: "try again later"}, sandbox.ClassNetwork, "status 503"},
		{drift.Trouble{Status: 429, Type: "application/json", Body: `{"message":"slow down"}`}, sandbox.ClassNetwork, "status 429"},
		{drift.Trouble{Status: 200, Type: "text/html", Body: "<html><body><h1>Bad gateway</h1></body></html>"}, sandbox.ClassNetwork, "a page that is no answer"},
	},
}

// selftestThrows are faults of the script's own, met by an input that says so: a typing error, and
// one that nothing in the script explains.
var selftestThrows = []struct{ code, says string }{
	{"if (arguments[0] && arguments[0].selftest) arguments[0].selftest.toUpperCas();", "a typing error in the script"},
	{"if (arguments[0] && arguments[0].selftest) throw new Error('selftest: this cannot go on');", "the script throws"},
}

// throw puts a fault into the script.
func (t *selftestTrial) throw(which int) {
	t.Change = selftestThrows[which].says
	head, body, _ := strings.Cut(t.play.Code, "main(")
	parameters, rest, _ := strings.Cut(body, "{\n")
	t.play.Code = head + "main(" + parameters + "{\n  " + selftestThrows[which].code + "\n" + rest
	for i := t.play.Recorded; i < len(t.play.Days); i++ {
		input := strings.TrimSpace(string(t.play.Days[i].Input))
		comma := ","
		if input == "{}" {
			comma = ""
		}
		t.play.Days[i].Input = []byte(`{"selftest":"yes"` + comma + input[1:])
	}
}

// pass plays all trials with the same fixers, some at once.
func (s *selftest) pass(ctx context.Context, number int, fixers []string, trials []selftestTrial) (selftestPass, error) {
	pass := selftestPass{Fixers: fixers, Trials: append([]selftestTrial{}, trials...), Ways: map[string]selftestWay{}}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	faults := make([]error, len(trials))
	next := make(chan int)
	var group sync.WaitGroup
	for range selftestAtOnce {
		group.Go(func() {
			for i := range next {
				if err := s.play(ctx, fmt.Sprintf("/t%d-%d", number, i), fixers, &pass.Trials[i]); err != nil {
					faults[i] = fmt.Errorf("selftest, %s, %s (%s): %w", pass.Trials[i].Title, pass.Trials[i].Way, pass.Trials[i].Change, err)
					cancel()
				}
				s.bar.Add(1)
			}
		})
	}
feed:
	for i := range trials {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	group.Wait()
	for _, err := range faults { // the first is the cause of the others
		if err != nil && !errors.Is(err, context.Canceled) {
			return pass, err
		}
	}
	if err := errors.Join(append(faults, context.Cause(ctx))...); err != nil {
		return pass, err
	}
	pass.count()
	return pass, nil
}

// play runs a workflow day by day, breaks it, and sees what becomes of it.
func (s *selftest) play(ctx context.Context, path string, fixers []string, t *selftestTrial) error {
	outside := &drift.Server{}
	s.mux.Handle(path+"/", http.StripPrefix(path, outside))
	base := s.base + path
	p := t.play.At(base)
	id := app.NewID()
	if err := s.create(ctx, id, p, fixers); err != nil {
		return err
	}
	for i, day := range p.Days[:p.Recorded] {
		outside.Answer(day.Run)
		result, end, err := s.day(ctx, id, base, day.Run)
		if err != nil {
			return err
		}
		if end != day.End {
			return fmt.Errorf("day %d comes out otherwise than in a sandbox of its own, before anything was broken: %s", i+1, result.Run.Failure)
		}
	}
	broken := p.Days[p.Recorded]
	outside.Answer(broken.Run)
	if t.trouble != nil {
		outside.Fail(*t.trouble)
	}
	result, end, err := s.day(ctx, id, base, broken.Run)
	if err != nil {
		return err
	}
	if f := result.Run.Failure; f != nil {
		t.Class, t.Error = string(f.Class), f.String()
	}
	if t.Became = became(result, end == broken.End); t.Became != BecameRepaired {
		return nil
	}
	if t.Repair = drift.Right; end != broken.End {
		t.Repair = drift.Wrong
	}
	for _, day := range p.Days[p.Recorded+1:] {
		if t.Repair != drift.Right {
			break
		}
		outside.Answer(day.Run)
		later, end, err := s.day(ctx, id, base, day.Run)
		switch {
		case err != nil:
			return err
		case end == day.End:
		case later.Final.Status == projections.RunSucceeded:
			t.Repair = drift.Wrong
		default:
			t.Repair = drift.Incomplete
		}
	}
	return nil
}

func (s *selftest) create(ctx context.Context, id string, p *drift.Play, fixers []string) error {
	c := s.node.Commands
	_, err := c.CreateWorkflow(ctx, workflow.Create{ID: id, Title: p.Title, Owner: "selftest", Zone: p.Zone, Intent: p.Intent}, s.Meta())
	if err == nil {
		_, err = c.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: workflow.Settings{AllowedHosts: []string{s.host}, Fixers: fixers}}, s.Meta())
	}
	if err == nil {
		_, err = c.SaveScript(ctx, id, workflow.SaveScript{ScriptID: app.NewID(), Code: p.Code, Comment: "first version", Origin: workflow.OriginPerson}, s.Meta())
	}
	if err == nil {
		_, err = c.ActivateWorkflow(ctx, id, workflow.Activate{}, s.Meta())
	}
	return err
}

// day makes a run and waits for all that becomes of it by itself. The end is empty if the
// last run did not succeed.
func (s *selftest) day(ctx context.Context, id, base string, given automation.Run) (result app.RunResult, end string, err error) {
	waiting, cancel := context.WithTimeout(ctx, selftestPatience)
	defer cancel()
	first := app.NewID()
	if _, err := s.node.Commands.AdmitRun(waiting, id, workflow.AdmitRun{Run: first, Trigger: workflow.TriggerManual, Repair: true, Input: given.Input}, s.Meta()); err != nil {
		return result, "", err
	}
	hint, release := s.node.Log.Wake()
	defer release()
	for {
		state, err := s.node.Commands.LoadWorkflow(waiting, id)
		if err != nil {
			return result, "", err
		}
		if app.SettledFor(state, first, s.node.Now()) {
			break
		}
		select {
		case <-waiting.Done():
			if ctx.Err() != nil {
				return result, "", context.Cause(ctx)
			}
			return result, "", fmt.Errorf("run %s has come to no end after %s", first, selftestPatience)
		case <-hint:
		}
	}
	if result, err = s.node.Runs.Result(ctx, id, first); err != nil || result.Final.Status != projections.RunSucceeded {
		return result, "", err
	}
	recorded, err := s.node.Commands.LoadRun(ctx, result.Final.ID)
	if err != nil {
		return result, "", err
	}
	var writes []gate.Write
	for _, call := range recorded.Calls {
		if call.Effect == run.EffectWrite {
			writes = append(writes, gate.Write{Tool: call.Tool, Args: call.Args})
		}
	}
	return result, drift.EndAt(base, recorded.Output, writes), nil
}

// became says what became of a broken workflow.
func became(result app.RunResult, right bool) string {
	switch {
	case result.Run.Status == projections.RunSucceeded && right:
		return becameHarmless
	case result.Run.Status == projections.RunSucceeded:
		return becameSilent
	case result.Final.Status == projections.RunSucceeded:
		return BecameRepaired
	case result.HeldFix != "":
		return becameHeld
	case result.Status == workflow.StatusWaiting:
		return BecameWaiting
	case !result.RetryAt.IsZero():
		return BecameRetried
	}
	return becameEscalated
}

// count sums the trials up.
func (p *selftestPass) count() {
	classes, mendable, repaired := 0, 0, 0
	for _, t := range p.Trials {
		w := p.Ways[t.Way]
		p.Broken++
		w.Broken++
		if t.Class != "" {
			p.Failed++
			w.Failed++
			if t.Class == t.Want {
				w.Class++
				classes++
			}
			if t.Want == sandbox.ClassLogic && t.Way != BreakLoss {
				mendable++
			}
		}
		switch t.Became {
		case becameSilent:
			w.Silent++
		case becameHeld:
			w.Held++
		case becameEscalated:
			w.Handed++
		case BecameRepaired:
			w.Repaired++
			repaired++
		}
		switch t.Repair {
		case drift.Right:
			w.Right++
		case drift.Wrong:
			w.Wrong++
			p.WrongRepairs++
		}
		p.Ways[t.Way] = w
	}
	right := 0
	for way, w := range p.Ways {
		if way != BreakLoss {
			right += w.Right
		}
	}
	p.Misclassified = p.Failed - classes
	p.Detection, p.Classes = rate(p.Failed, p.Broken), rate(classes, p.Failed)
	p.Repair, p.FalseRepair = rate(right, mendable), rate(p.WrongRepairs, repaired)
}

// rate is a share from 0 to 1; 0 of nothing.
func rate(part, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(part) / float64(of)
}

func (r Result) write(w io.Writer) {
	for _, p := range r.Passes {
		fmt.Fprintf(w, "%d workflows broken with seed %d, mended by %s:\n\n", p.Broken, r.Seed, strings.Join(p.Fixers, " and "))
		table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(table, "  \tbroken\tfailed\tsilent\tclass right\trepaired\tright\twrong\theld\thanded over")
		for _, way := range []string{BreakDrift, BreakLoss, breakThrow, BreakCredentials, BreakPermission, BreakNetwork} {
			if c, tried := p.Ways[way]; tried {
				fmt.Fprintf(table, "  %s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\n", way, c.Broken, c.Failed, c.Silent, c.Class, c.Repaired, c.Right, c.Wrong, c.Held, c.Handed)
			}
		}
		_ = table.Flush() // to memory or a terminal, like the lines around it
		fmt.Fprintf(w, "\nDetected %.0f %%, told apart %.0f %%, repaired %.0f %% of what a change of the script can mend, %.0f %% of the repairs wrong.\n",
			100*p.Detection, 100*p.Classes, 100*p.Repair, 100*p.FalseRepair)
		for _, t := range p.Trials {
			switch {
			case t.Repair == drift.Wrong:
				fmt.Fprintf(w, "WRONG REPAIR: %s, %s (%s)\n", t.Title, t.Way, t.Change)
			case t.Class != "" && t.Class != t.Want:
				fmt.Fprintf(w, "WRONG CLASS: %s, %s (%s) is %s, not %s: %s\n", t.Title, t.Way, t.Change, t.Want, t.Class, plain.Clean(t.Error))
			}
		}
		fmt.Fprintln(w)
	}
	if r.OK {
		fmt.Fprintf(w, "Nothing was repaired wrongly or taken for something else (%.0f s).\n", r.Seconds)
	}
}
