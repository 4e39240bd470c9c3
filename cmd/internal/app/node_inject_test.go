package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/handlers/stall"
	"github.com/kintsugi-run/kintsugi/internal/agent"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/projections"
)

func TestMain(m *testing.M) {
	if launch.IsSupervisor() {
		launch.SupervisorMain()
	}
	if process.IsWorker() {
		process.WorkerMain(hostcall.Bindings())
		return
	}
	os.Exit(m.Run())
}

// loose is what everything here fails with.
const loose = "a screw is loose"

// The ways in which a part of Kintsugi can fail.
var faults = map[string]func() error{
	"panics": func() error { panic(loose) },
	"fails":  func() error { return errors.New(loose) },
}

// opened is a node of its own, on a machine that has nothing but it.
func opened(t *testing.T) *Node {
	t.Helper()
	dir := t.TempDir()
	address, err := ParseStore("", dir)
	require.NoError(t, err)
	n, err := Open(t.Context(), dir, address, ViewsPlace{}, CommandPatience, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, n.Close()) })
	return n
}

// inbox is what waits for a person or for the operator, from views that are new.
func inbox(t *testing.T, n *Node) []projections.Notification {
	t.Helper()
	require.NoError(t, n.Views.CatchUp(t.Context()))
	all, err := n.Queries.Notifications(t.Context(), projections.NotificationFilter{Open: true, Operator: true})
	require.NoError(t, err)
	return all
}

// tells says that a person reads of the fault in what was not known before, with its text and with what can be done.
func tells(t *testing.T, n *Node, known ...projections.Notification) {
	t.Helper()
	all := slices.DeleteFunc(inbox(t, n), func(one projections.Notification) bool {
		return slices.ContainsFunc(known, func(other projections.Notification) bool { return other.ID == one.ID })
	})
	found := slices.IndexFunc(all, func(one projections.Notification) bool { return strings.Contains(one.Text, loose) })
	require.GreaterOrEqual(t, found, 0, "Nothing needs you: %+v", all)
	require.True(t, strings.Contains(all[found].Text, "kintsugi ") || len(all[found].Actions) > 0, "there is nothing to do about it: %s", all[found].Text)
}

// The parts of a server fail each by itself. A part that the server can be without is done again, and people are told that it goes well.
func TestAPartOfTheServerThatFailsIsTold(t *testing.T) {
	t.Parallel()
	beside := stall.Part{Name: "something beside", Run: func(context.Context) error { return nil }}
	of := func(n *Node) []stall.Part {
		s := Server{Node: n, Logger: n.Logger, Beside: []stall.Part{beside}}
		pool := NewPool(n.Logger)
		t.Cleanup(func() { require.NoError(t, pool.Close()) })
		return s.parts(n.Loop(pool, n.NewFixers(pool), ""))
	}
	for i, one := range of(opened(t)) {
		for name, fail := range faults {
			t.Run(one.Name+" "+name, func(t *testing.T) {
				t.Parallel()
				n := opened(t)
				part := of(n)[i]
				part.Again = min(part.Again, 1)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				works, working, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
				part.Run = func(ctx context.Context) error {
					select {
					case <-works:
						close(working)
						<-ctx.Done()
						return nil
					default:
						return fail()
					}
				}
				go func() { ended <- panics.Guard(func() error { return n.upkeep.Attend(ctx, part) }) }()
				if part.Again == 0 {
					require.ErrorContains(t, <-ended, loose, "the server ends with it")
					tells(t, n)
					return
				}
				require.Eventually(t, func() bool { return len(inbox(t, n)) > 0 }, patience, time.Millisecond)
				tells(t, n)
				close(works)
				<-working // it may have been about to tell of one more failure
				n.upkeep.After(ctx, part.Name, nil, false)
				require.Empty(t, inbox(t, n))
				stop()
				require.NoError(t, <-ended)
			})
		}
	}
}

// patience is how long a test waits for something that takes a moment.
const patience = 3 * time.Minute

// brittle is a projection that fails at an event.
type brittle struct {
	readmodel.Projection
	at   string
	fail func() error
}

func (b brittle) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	if record.Type == b.at {
		return b.fail()
	}
	return b.Projection.Apply(tx, record)
}

// reading is a brittle projection that reads for all.
type reading struct {
	brittle
	readmodel.Decoder
}

// telling is one that tells of what is set aside.
type telling struct {
	brittle
	readmodel.Teller
}

// A person reads of each projection that fails at an event, and all else that there is.
func TestAProjectionThatFailsIsTold(t *testing.T) {
	t.Parallel()
	n := opened(t)
	for _, title := range []string{"One", "Other"} {
		_, err := n.Commands.CreateWorkflow(t.Context(), workflow.Create{ID: NewID(), Title: title, Zone: "UTC"}, By("person:ann"))
		require.NoError(t, err)
	}
	for i, one := range n.ViewsConfig.Projections {
		for name, fail := range faults {
			t.Run(one.Name()+" "+name, func(t *testing.T) {
				t.Parallel()
				broken := brittle{one, workflow.TypeWorkflowCreated, fail}
				config := n.ViewsConfig
				config.Dir, config.Projections = filepath.Join(t.TempDir(), "views"), slices.Clone(config.Projections)
				config.Projections[i] = broken
				if decoder, is := one.(readmodel.Decoder); is {
					config.Projections[i] = reading{broken, decoder}
				}
				if teller, is := one.(readmodel.Teller); is {
					config.Projections[i] = telling{broken, teller}
				}
				views, err := readmodel.Open(t.Context(), config)
				require.NoError(t, err)
				defer func() { require.NoError(t, views.Close()) }()
				other := n.With(func(n *Node) { n.Views, n.Queries = views, projections.NewQueries(views) })
				tells(t, other)
				require.Len(t, inbox(t, other), 2, "each workflow that cannot be read is told of")
			})
		}
	}
}

// faulty is a reaction with faults. It does nothing of what it is for.
type faulty[S any] struct {
	loop.Reaction[S]
	looks, works func() error // nil for none
	due          *atomic.Int64
}

func (f faulty[S]) Due(id string, state S) []loop.Work {
	due := f.Reaction.Due(id, state)
	f.due.Add(int64(len(due)))
	if f.looks != nil && len(due) > 0 {
		_ = f.looks()
	}
	for i := range due {
		due[i].At, due[i].Do = time.Time{}, func(context.Context) error { return f.works() }
	}
	return due
}

// reaction is one of those that the wiring has, alone.
type reaction struct {
	name string
	as   loop.Kind // it is
	// with has it with faults, and counts what it finds to be done.
	with func(looks, works func() error, due *atomic.Int64) loop.Kind
}

func reactionsOf[S any](w loop.Watch[S]) (all []reaction) {
	for _, one := range w.Reactions {
		alone := w
		alone.Reactions = []loop.Reaction[S]{one}
		all = append(all, reaction{one.Name(), alone, func(looks, works func() error, due *atomic.Int64) loop.Kind {
			broken := w
			broken.Reactions = []loop.Reaction[S]{faulty[S]{one, looks, works, due}}
			return broken
		}})
	}
	return all
}

// reactions are all that the wiring has.
func reactions(t *testing.T, n *Node, pool sandbox.Runner, fixers map[string]repair.Fixer) (all []reaction) {
	t.Helper()
	for _, kind := range n.kinds(pool, fixers, "") {
		switch watch := kind.(type) {
		case loop.Watch[workflow.State]:
			all = append(all, reactionsOf(watch)...)
		case loop.Watch[plan.State]:
			all = append(all, reactionsOf(watch)...)
		case loop.Watch[session.State]:
			all = append(all, reactionsOf(watch)...)
		default:
			require.Failf(t, "no fault can be injected", "into %T: name its state here", kind)
		}
	}
	return all
}

// busy is an installation that has something to do for every reaction.
func busy(t *testing.T, n *Node) {
	t.Helper()
	done := func(_ commands.Result, err error) {
		t.Helper()
		require.NoError(t, err)
	}
	by, c, ctx := By("person:ann"), n.Commands, t.Context()
	order := func() commands.Meta { return By("person:ann") }
	admitted := func(id string, admit workflow.AdmitRun) string {
		admit.Run = NewID()
		done(c.AdmitRun(ctx, id, admit, order()))
		return admit.Run
	}
	fails := func(id string, class failure.Class) string {
		run := admitted(id, workflow.AdmitRun{Trigger: workflow.TriggerManual, Repair: true})
		done(c.SettleRun(ctx, id, workflow.SettleRun{
			Run: run, Failure: &failure.Failure{Class: class, Name: "Error", Message: "no"}, Rehearsed: workflow.RehearsedReproduced,
			Task: NewID(), Thread: NewID(), Item: NewID(),
		}, order()))
		return run
	}

	admitted(created(t, n, workflow.Settings{}), workflow.AdmitRun{Trigger: workflow.TriggerManual}) // for the executor
	fails(created(t, n, workflow.Settings{}), failure.Network)                                       // for the retrier
	fails(created(t, n, workflow.Settings{}), failure.Logic)                                         // for the maintainer
	scheduled := created(t, n, workflow.Settings{})
	done(c.ChangeSchedule(ctx, scheduled, workflow.ChangeSchedule{Spec: "every 1h"}, order()))
	source, listening := created(t, n, workflow.Settings{}), created(t, n, workflow.Settings{})
	done(c.SetTrigger(ctx, listening, workflow.SetTrigger{Source: source, Outcomes: []workflow.Outcome{workflow.OutcomeSucceeded}}, order()))

	id := NewID() // a draft, for the archiver and the planner
	done(c.CreateWorkflow(ctx, workflow.Create{ID: id, Title: "Draft", Zone: "UTC"}, by))
	done(c.OpenPlannerTask(ctx, id, workflow.OpenPlannerTask{Task: NewID(), Thread: NewID(), Ask: "Do it"}, order()))

	held := created(t, n, workflow.Settings{AutoFix: workflow.ModePropose, DecideWithinMS: time.Hour.Milliseconds()})
	fails(held, failure.Logic)
	state, err := c.LoadWorkflow(ctx, held)
	require.NoError(t, err)
	fix := NewID()
	done(c.ProposeFix(ctx, held, workflow.ProposeFix{Proposal: fix, Task: state.Maintenance.Task, Code: "function main() { return 1 }", Comment: "x", Fixer: workflow.Fixer{Kind: "templates"}}, order()))
	done(c.JudgeFix(ctx, held, workflow.JudgeFix{Proposal: fix, ScriptID: NewID(), Verification: workflow.Verification{Verdict: workflow.VerdictIdentical}}, order()))

	deleted := created(t, n, workflow.Settings{}) // for the eraser
	done(c.ArchiveWorkflow(ctx, deleted, workflow.Archive{}, order()))
	done(c.DeleteWorkflow(ctx, deleted, nil, order()))

	dir := repository(t)
	_, err = n.Plans.Start(ctx, "person:ann", plan.Definition{
		Title: "t", Repository: dir, Base: "main", Integration: "agents", Jobs: []plan.Job{{ID: "one", Task: "x", Agent: plan.Program{"true"}, Touch: []string{"a"}}},
	})
	require.NoError(t, err)
	healed(t, n, dir)
}

// created is a workflow that runs.
func created(t *testing.T, n *Node, settings workflow.Settings) string {
	t.Helper()
	id := NewID()
	_, err := n.Commands.CreateWorkflow(t.Context(), workflow.Create{ID: id, Title: "Orders " + id, Zone: "UTC"}, By("person:ann"))
	require.NoError(t, err)
	_, err = n.Commands.ChangeSettings(t.Context(), id, workflow.ChangeSettings{Settings: settings}, By("person:ann"))
	require.NoError(t, err)
	_, err = n.Commands.SaveScript(t.Context(), id, workflow.SaveScript{Code: "function main(input) { return input.a.b }", Comment: "x", Origin: workflow.OriginPerson}, By("person:ann"))
	require.NoError(t, err)
	_, err = n.Commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, By("person:ann"))
	require.NoError(t, err)
	return id
}

// repository is a person's, with one commit.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"commit", "-qm", "first", "--allow-empty"}} {
		out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=P", "-c", "user.email=p@example.com"}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return dir
}

// healed is a session in which something failed, and a model is to help.
func healed(t *testing.T, n *Node, dir string) string {
	t.Helper()
	h, err := n.NewHealer()
	require.NoError(t, err)
	id, policy := "s"+NewID(), session.DefaultPolicy()
	policy.TimeoutSeconds = 60
	_, err = h.Open(t.Context(), healer.Opening{ID: id, Dir: dir, Policy: policy}, By("person:ann"))
	require.NoError(t, err)
	_, _, err = h.Invoke(t.Context(), id, healer.Call{
		Trigger: session.VerificationFailed, Check: session.Check{Name: "tests", Command: "false"}, Model: true, Ended: &healer.Ended{Says: "it failed", Code: 1},
	}, By("person:ann"))
	require.NoError(t, err)
	return id
}

// A person reads of each reaction that fails, in seeing what is to be done or in doing it.
func TestAReactionThatFailsIsTold(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]struct{ looks, works func() error }{
		"panics in looking": {looks: faults["panics"], works: func() error { return nil }},
		"panics":            {works: faults["panics"]},
		"fails":             {works: faults["fails"]},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := opened(t)
			n.Model = says{}
			pool := NewPool(n.Logger)
			defer func() { require.NoError(t, pool.Close()) }()
			busy(t, n)
			for _, one := range reactions(t, n, pool, n.NewFixers(pool)) {
				known := inbox(t, n)
				var due atomic.Int64
				require.NoError(t, n.looping([]loop.Kind{one.with(fault.looks, fault.works, &due)}, "").Settle(t.Context()))
				require.NotZero(t, due.Load(), "nothing is to be done by the reaction %q: have busy make some", one.name)
				tells(t, n, known...)
			}
		})
	}
}

// says is a model that says nothing, or calls what it is told to.
type says struct {
	calls func(offered []llm.Tool) []llm.Call
}

func (says) Name() string { return "says" }

func (s says) Chat(_ context.Context, request llm.Request) (llm.Answer, error) {
	if s.calls == nil {
		return llm.Answer{Text: "Nothing."}, nil
	}
	return llm.Answer{Calls: s.calls(request.Tools)}, nil
}

// mending has a workflow whose repair is asked for, of a run that really failed.
func mending(t *testing.T, n *Node, pool sandbox.Runner, settings workflow.Settings) {
	t.Helper()
	id := created(t, n, settings)
	for _, input := range []string{`{"a":{"b":1}}`, `{"a":null}`} {
		_, err := n.Commands.AdmitRun(t.Context(), id, workflow.AdmitRun{Run: NewID(), Trigger: workflow.TriggerManual, Repair: true, Input: json.RawMessage(input)}, By("person:ann"))
		require.NoError(t, err)
		does(t, n, pool, n.NewFixers(pool), "executor")
	}
	state, err := n.Commands.LoadWorkflow(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, state.Maintenance, "%+v", state)
}

// does has one reaction do all that it has to.
func does(t *testing.T, n *Node, pool sandbox.Runner, fixers map[string]repair.Fixer, name string) {
	t.Helper()
	all := reactions(t, n, pool, fixers)
	at := slices.IndexFunc(all, func(one reaction) bool { return one.name == name })
	require.GreaterOrEqual(t, at, 0, "there is no reaction %q", name)
	require.NoError(t, n.looping([]loop.Kind{all[at].as}, "").Settle(t.Context()))
}

// brokenFixer finds nothing but a fault.
type brokenFixer struct {
	repair.Fixer
	fail func() error
}

func (f brokenFixer) Propose(context.Context, repair.Evidence, repair.Judge) (string, error) {
	return "", f.fail()
}

// brokenRunner executes so many scripts, and then none.
type brokenRunner struct {
	sandbox.Runner
	left *atomic.Int64
	fail func() error
}

func (r brokenRunner) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	if r.left.Add(-1) < 0 {
		return sandbox.Outcome{}, r.fail()
	}
	return r.Runner.Run(ctx, execution, host)
}

// A person reads of each fixer that fails, and of the sandbox in which it tries what it finds.
func TestAFixerThatFailsIsTold(t *testing.T) {
	t.Parallel()
	for fault, fail := range faults {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			n := opened(t)
			n.Model, n.Program = says{}, []string{"false"}
			pool := NewPool(n.Logger)
			defer func() { require.NoError(t, pool.Close()) }()
			for name, fixer := range n.NewFixers(pool) {
				asked := name
				if name == maintenance.FixerGroup { // it comes before all that settings name
					asked = workflow.FixerTemplates
				}
				mending(t, n, pool, workflow.Settings{Fixers: []string{asked}})
				known := inbox(t, n)
				fixers := n.NewFixers(pool)
				fixers[name] = brokenFixer{fixer, fail}
				does(t, n, pool, fixers, "maintainer")
				tells(t, n, known...)
			}
			for works := range int64(6) { // in the first look at the failure, in those at successes, in the gate
				mending(t, n, pool, workflow.Settings{Fixers: []string{workflow.FixerTemplates}})
				known, runner := inbox(t, n), brokenRunner{pool, new(atomic.Int64), fail}
				runner.left.Store(works)
				does(t, n, runner, n.NewFixers(runner), "maintainer")
				tells(t, n, known...)
			}
		})
	}
}

// A person reads of each tool of an agent that fails again and again.
func TestAToolThatFailsIsTold(t *testing.T) {
	t.Parallel()
	begins := map[string]func(t *testing.T, n *Node, pool sandbox.Runner){
		thread.KindMaintainer: func(t *testing.T, n *Node, pool sandbox.Runner) {
			mending(t, n, pool, workflow.Settings{Fixers: []string{workflow.FixerModel}})
		},
		thread.KindPlanner: func(t *testing.T, n *Node, _ sandbox.Runner) {
			task := workflow.OpenPlannerTask{Task: NewID(), Thread: NewID(), Ask: "Do it"}
			_, err := n.Commands.OpenPlannerTask(t.Context(), created(t, n, workflow.Settings{}), task, By("person:ann"))
			require.NoError(t, err)
		},
		thread.KindHealer: func(t *testing.T, n *Node, _ sandbox.Runner) { healed(t, n, repository(t)) },
	}
	for of, begin := range begins {
		for fault, fail := range faults {
			t.Run(of+" "+fault, func(t *testing.T) {
				t.Parallel()
				n := opened(t)
				pool := NewPool(n.Logger)
				defer func() { require.NoError(t, pool.Close()) }()
				var offered []llm.Tool
				turn := 0
				n.Model = says{func(tools []llm.Tool) []llm.Call {
					offered = tools
					return []llm.Call{{ID: NewID(), Tool: tools[turn].Name, Arguments: "{}"}}
				}}
				n.around = func(tool agent.Tool) agent.Tool {
					tool.Schema = json.RawMessage(`{"type":"object"}`)
					tool.Run = func(context.Context, string, json.RawMessage) (result agent.Result, err error) { return result, fail() }
					return tool
				}
				for ; turn == 0 || turn < len(offered); turn++ {
					begin(t, n, pool)
					known := inbox(t, n)
					does(t, n, pool, n.NewFixers(pool), of)
					tells(t, n, known...)
				}
				require.Greater(t, turn, 3, "each of its tools")
			})
		}
	}
}
