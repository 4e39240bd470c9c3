package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/projections"
)

// simDays is how long a world is troubled; then it is left in peace until it has come to rest.
const simDays = 30

// simTelling is after how many worlds each kind of trouble must have been seen.
const simTelling = 40

// sim is one simulated world: a log, nodes that share it, a web, people, and trouble for all.
type sim struct {
	seed uint64
	bug  bug
	// cursor says that the script keeps a key: which order it filed last.
	cursor bool
	store  *simStore
	codec  *event.Registry
	web    *simWeb
	fixer  repair.Fixer
	nodes  []*simNode
	id     string // of the workflow
	// people are the commands of those who do not crash.
	people *commands.Commands
	ids    atomic.Int64
	ended  atomic.Bool // the trouble

	local simLocal

	mu    sync.Mutex
	wrong []string
	stats simStats
}

// simStats says what a simulation saw, so that it cannot be quiet because nothing happened.
type simStats struct {
	events, runs, crashes, jumps, freezes, doubts int
	byType                                        map[string]int
	outcome                                       string
}

// bug is a fault that a test plants, to see that it is found.
type bug int

const (
	sound bug = iota
	// earlyAck: a node says that its journal is durable before it is.
	earlyAck
	// silentSkip: the next slot is sought from now on, as if none had been missed.
	silentSkip
	// allAlone: every node is told that it is the only one.
	allAlone
	// amnesia: a node does not read what earlier lives have journaled of a run.
	amnesia
	// ownKeys: every request of a write has a key of its own.
	ownKeys
)

// roll is a number that follows from a seed.
type roll uint64

func (r roll) next() roll {
	x := uint64(r) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return roll(x ^ x>>31)
}

func (r roll) n(most int) int  { return int(uint64(r) >> 1 % uint64(most)) } //nolint:gosec // it fits
func (r roll) one(in int) bool { return uint64(r.next())%uint64(in) == 0 }   //nolint:gosec // in is positive
func (r roll) within(d time.Duration) time.Duration {
	return time.Duration(uint64(r.next()) % uint64(d))
} //nolint:gosec // it fits

func (s *sim) roll(parts ...any) roll {
	r := roll(s.seed).next()
	for _, b := range fmt.Sprint(parts...) {
		r = roll(uint64(r) ^ uint64(b)).next() //nolint:gosec // a character
	}
	return r
}

// violated records that an invariant does not hold.
func (s *sim) violated(format string, values ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wrong) < 10 {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: ", time.Now().UTC().Format("Jan 2 15:04:05"))+fmt.Sprintf(format, values...))
	}
}

func (s *sim) count(change func(*simStats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.stats)
}

func (s *sim) newCommands(log eventlog.Log, codec *event.Registry, now func() time.Time) *commands.Commands {
	return commands.New(commands.Config{
		Log: log, Codec: codec, Now: now, CheckScript: process.Check,
		NewID: func() string { return commands.DerivedID("sim", s.id, strconv.FormatInt(s.ids.Add(1), 10)) },
	})
}

// simNode is a machine: its clock survives what runs on it.
type simNode struct {
	sim   *sim
	name  string
	lives int
	skew  atomic.Int64
}

func (n *simNode) now() time.Time { return time.Now().Add(time.Duration(n.skew.Load())) }

// simLife is what a crash takes away.
type simLife struct {
	*simLog
	node     *simNode
	name     string
	die      context.CancelFunc
	commands *commands.Commands

	mu     sync.Mutex
	left   int // appends
	frozen time.Time
}

// live is the lives of a node, one after the other, until ctx ends.
func (n *simNode) live(ctx context.Context) {
	for ctx.Err() == nil {
		n.lives++
		roll := n.sim.roll("life", n.name, n.lives)
		n.once(ctx, roll)
		pause := roll.next().within(2 * time.Minute)
		switch {
		case n.sim.ended.Load():
			pause = time.Second
		case roll.one(4):
			pause = roll.next().within(9 * time.Hour)
		}
		_ = wait(ctx, pause) // the loop looks at ctx
	}
}

func (n *simNode) once(ctx context.Context, roll roll) {
	ctx, die := context.WithCancel(ctx)
	defer die()
	life := &simLife{simLog: &simLog{store: n.sim.store}, node: n, name: fmt.Sprintf("%s.%d", n.name, n.lives), die: die, left: -1}
	life.meet = life.trouble
	if !n.sim.ended.Load() {
		life.left = 1 + roll.n(250)
		if roll.one(3) {
			stop := time.AfterFunc(roll.within(5*24*time.Hour), life.crash)
			defer stop.Stop()
		}
	}
	var log eventlog.Log = life
	codec := n.sim.codec
	switch n.sim.bug {
	case earlyAck:
		log = &lyingLog{simLife: life, held: map[string][]eventlog.Event{}}
	case amnesia:
		codec = forgetful()
	case sound, silentSkip, allAlone, ownKeys:
	}
	life.commands = n.sim.newCommands(log, codec, n.now)
	loop := loop.New(loop.Config{
		Log: life, Kinds: []loop.Kind{handlers.Workflows(life.commands, n.reactions(life)...)}, Now: n.now, Look: 20 * time.Minute,
	})
	err := loop.Run(ctx)
	if err != nil && !life.dead.Load() {
		n.sim.violated("the loop of %s ended: %v", life.name, err)
	}
	if !life.dead.Load() {
		n.sim.compare(life)
	}
}

func (n *simNode) reactions(life *simLife) []handlers.Reaction {
	runner := process.InProcess{Bindings: hostcall.Bindings()}
	logger := slog.New(slog.DiscardHandler)
	scheduler := handlers.Reaction(execution.NewScheduler(life.commands, n.now))
	if n.sim.bug == silentSkip {
		scheduler = &naive{commands: life.commands, now: n.now}
	}
	return []handlers.Reaction{
		execution.NewExecutor(execution.ExecutorConfig{
			Commands: life.commands, Sandbox: runner, Local: life, Now: n.now, Node: n.name,
			// In every other world all of them begin as if nobody else was there.
			Alone: len(n.sim.nodes) == 1 || n.sim.bug == allAlone, Sole: func() bool { return n.sim.seed%2 == 1 }, Logger: logger, Recordings: life, Outside: n.sim.web.live(life),
			Mirror: func(string, hostcall.State, []string) error { return nil },
		}),
		execution.NewRetrier(life.commands, n.now),
		scheduler,
		maintenance.NewMaintainer(maintenance.MaintainerConfig{
			Commands: life.commands, Sandbox: runner, Fixers: map[string]repair.Fixer{workflow.DefaultFixer: n.sim.fixer},
			Logger: logger, Recordings: life, Outside: n.sim.web.live(life),
			Place: agents.Place{Node: n.name, Alone: len(n.sim.nodes) == 1, Now: n.now},
		}),
	}
}

// LocalState implements [handlers.LocalState].
func (l *simLife) LocalState(context.Context, string) (*hostcall.Memory, error) {
	if l.dead.Load() {
		return nil, errCrashed
	}
	return l.node.sim.local.upTo(l.node.sim.store), nil
}

// simLocal folds the keys that runs of the workflow have set.
type simLocal struct {
	mu     sync.Mutex
	seen   int
	calls  map[string]sandbox.Call // not yet answered, by run stream and number
	memory hostcall.Memory
}

func (l *simLocal) upTo(store *simStore) *hostcall.Memory {
	l.mu.Lock()
	defer l.mu.Unlock()
	records := store.records()
	for _, record := range records[l.seen:] {
		var e struct {
			Seq        int
			Tool, From string
			Args       json.RawMessage
			Error      *struct{ Name string }
		}
		called, returned := record.Type == run.TypeToolCalled, record.Type == run.TypeToolReturned
		if record.Type == run.TypeToolAnswered {
			called, returned = true, true
		}
		if !called && !returned || json.Unmarshal(record.Payload, &e) != nil {
			continue
		}
		number := fmt.Sprint(record.Stream, e.Seq)
		if called && e.From == "" && e.Tool == "kv.set" {
			l.calls[number] = sandbox.Call{Tool: e.Tool, Args: e.Args, Effect: sandbox.Write}
		}
		if call, local := l.calls[number]; local && returned && e.Error == nil {
			hostcall.ApplyLocal(&l.memory, call, 0)
			delete(l.calls, number)
		}
	}
	l.seen = len(records)
	return l.memory.Clone()
}

// Successes implements [handlers.Recordings].
func (l *simLife) Successes(ctx context.Context, id string, major int) ([]string, error) {
	var runs []string
	for record, err := range l.Stream(ctx, workflow.Stream(id), 0) {
		if err != nil {
			return nil, err
		}
		if record.Type != workflow.TypeRunSucceeded {
			continue
		}
		decoded, err := l.node.sim.codec.Decode(record.Type, record.SchemaVersion, record.Payload)
		if err != nil {
			return nil, err
		}
		if e, is := decoded.(workflow.RunSucceeded); is && e.Version.Major == major {
			runs = append(runs, e.Run)
		}
	}
	slices.Reverse(runs)
	return runs, nil
}

// Hosts implements [handlers.Recordings].
func (l *simLife) Hosts(context.Context, string, int) ([]projections.ReachedHost, error) {
	return nil, nil
}

func (l *simLife) crash() {
	if !l.dead.Swap(true) {
		l.node.sim.count(func(s *simStats) { s.crashes++ })
	}
	l.die()
}

// trouble is what may come between a node and its log: it may crash before an append or after, be
// stopped for a while as a whole, or just be slow.
func (l *simLife) trouble(stream string, made bool) error {
	if l.node.sim.ended.Load() {
		return nil
	}
	l.mu.Lock()
	l.left--
	roll := l.node.sim.roll(l.name, l.left, made)
	if roll.one(400) {
		l.frozen = time.Now().Add(roll.within(3 * time.Hour))
		l.node.sim.count(func(s *simStats) { s.freezes++ })
	}
	until, crash := l.frozen, l.left == 0
	l.mu.Unlock()
	if crash {
		l.crash()
		return errCrashed
	}
	if roll.next().one(6) {
		<-time.After(roll.within(2 * time.Second))
	}
	if left := time.Until(until); left > 0 {
		<-time.After(left)
	}
	return nil
}

// compare holds that what a node has folded is what the log says.
func (s *sim) compare(life *simLife) {
	ctx := context.Background()
	kept, err := life.commands.LoadWorkflow(ctx, s.id)
	if err != nil {
		return // it crashed meanwhile
	}
	again, err := s.newCommands(&simLog{store: s.store}, s.codec, time.Now).LoadWorkflow(ctx, s.id)
	if err != nil || !sameState(kept, again) {
		s.violated("%s has folded another state than the log has: %v", life.name, err)
	}
}

// simFixer looks at the answers as a person would, and is not always good at it, or fast.
type simFixer struct{ sim *sim }

func (f simFixer) Name() string { return workflow.DefaultFixer }

// Propose implements [repair.Fixer].
func (f simFixer) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	roll := f.sim.roll("fixer", evidence.Failed.ID, evidence.Version)
	if roll.one(5) {
		if err := wait(ctx, roll.within(15*time.Minute)); err != nil { // a sign of life every twenty seconds
			return "", err
		}
	}
	if roll.next().one(12) && !f.sim.ended.Load() {
		return "I do not know.", nil
	}
	code := evidence.Code
	for name, path := range map[string]string{"a": "/a", "b": "/b"} {
		for _, call := range evidence.Failed.Calls {
			if !strings.Contains(string(call.Args), path+`"`) || len(call.Result) < 6 {
				continue
			}
			field := name + "." + strings.SplitN(string(call.Result), `"`, 3)[1]
			if !strings.Contains(code, field+" ") && !strings.Contains(code, field+")") {
				code = strings.Replace(code, "("+name+".", "("+field+" ?? "+name+".", 1)
			}
		}
	}
	var candidates []string
	if roll.next().next().one(6) { // hides the trouble
		candidates = append(candidates, strings.ReplaceAll(evidence.Code, ").value", " ?? { value: 0 }).value"))
	}
	for _, candidate := range append(candidates, code) {
		if candidate == evidence.Code {
			continue
		}
		if _, err := judge(ctx, repair.Candidate{Code: candidate, Comment: "the field has another name", Fixer: "templates", Template: "sim"}); err != nil {
			return "", err
		}
	}
	return "I looked at the answers.", nil
}

// chaos troubles the world until ctx ends.
func (s *sim) chaos(ctx context.Context) {
	for n := 0; wait(ctx, time.Minute+s.roll("chaos", n).within(50*time.Hour)) == nil; n++ {
		roll := s.roll("trouble", n)
		host := []string{plainHost, safeHost}[roll.n(2)]
		switch roll.next().n(13) {
		case 0, 1, 2:
			s.web.drift([]string{"/a", "/b"}[roll.n(2)])
		case 3:
			s.web.drift("/a")
			s.web.drift("/b")
		case 4, 5:
			s.web.down(host, time.Now().Add(roll.within(8*time.Hour)))
		case 6:
			s.web.lock(host, true)
		case 7, 8, 9:
			jump := time.Hour
			if roll.one(2) {
				jump = -jump
			}
			for i, node := range s.nodes {
				if roll.n(4) > 0 || i == 0 {
					node.skew.Store(int64(min(max(time.Duration(node.skew.Load())+jump, -2*time.Hour), 2*time.Hour)))
				}
			}
			s.count(func(s *simStats) { s.jumps++ })
		}
	}
}

// simulate runs one world and gives what is wrong with it.
func simulate(t *testing.T, seed uint64, bug bug) *sim {
	s := &sim{seed: seed, bug: bug, cursor: seed%2 == 0, store: newSimStore(), codec: event.NewRegistry(), id: fmt.Sprintf("w%d", seed), local: simLocal{calls: map[string]sandbox.Call{}}}
	workflow.Register(s.codec)
	run.Register(s.codec)
	thread.Register(s.codec)
	synctest.Test(t, func(*testing.T) { s.world() })
	return s
}

func (s *sim) world() {
	s.web, s.fixer = newSimWeb(s), simFixer{s}
	s.people = s.newCommands(&simLog{store: s.store}, s.codec, time.Now)
	nodes := 1 + s.roll("nodes").n(3)
	if s.bug == allAlone {
		nodes = 3
	}
	for i := range nodes {
		s.nodes = append(s.nodes, &simNode{sim: s, name: "node " + strconv.Itoa(i)})
	}
	if err := s.create(); err != nil {
		s.violated("no workflow: %v", err)
		return
	}
	troubled, peace := context.WithTimeout(context.Background(), simDays*24*time.Hour)
	defer peace()
	ctx, end := context.WithCancel(context.Background())
	var group sync.WaitGroup
	for _, node := range s.nodes {
		group.Go(func() { node.live(ctx) })
	}
	group.Go(func() { s.chaos(troubled) })
	s.act(troubled)

	s.ended.Store(true)
	s.web.pacify()
	for _, node := range s.nodes {
		node.skew.Store(0)
	}
	if s.bug == sound || s.bug == silentSkip {
		s.rest(ctx)
	}
	end()
	group.Wait()
	s.verify()
}

// rest is over when nothing is left to do, which has to come soon.
func (s *sim) rest(ctx context.Context) {
	for range 7 * 24 {
		_ = wait(ctx, time.Hour)
		s.help(ctx)
		state, err := s.people.LoadWorkflow(ctx, s.id)
		if err != nil {
			s.violated("the workflow cannot be read: %v", err)
			return
		}
		if state.Status == workflow.StatusActive && len(state.Admitted) == 0 && len(state.Retries) == 0 && state.Continuation == nil {
			s.stats.outcome = "rests"
			return
		}
	}
	state, _ := s.people.LoadWorkflow(ctx, s.id)
	s.violated("it does not come to rest: status %s, admitted %v, retries %v, continuation %v, maintenance %+v",
		state.Status, state.Admitted, state.Retries, state.Continuation, state.Maintenance)
}

// simulateMany runs worlds and fails at the first that is not sound.
func simulateMany(t *testing.T, first uint64, count int) {
	t.Helper()
	var mu sync.Mutex
	total := simStats{byType: map[string]int{}}
	next := atomic.Uint64{}
	t.Run("worlds", func(t *testing.T) {
		for i := range simWorkers {
			t.Run(strconv.Itoa(i), func(t *testing.T) {
				t.Parallel()
				for n := next.Add(1) - 1; n < uint64(count); n = next.Add(1) - 1 { //nolint:gosec // it fits
					s := simulate(t, first+n, sound)
					require.Empty(t, s.wrong, "repeat with: KINTSUGI_SIM_SEED=%d go test -run '^TestSimulation$' ./handlers", s.seed)
					mu.Lock()
					total.add(s.stats)
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d worlds: %d events, %d runs, %d crashes, %d freezes, %d clock jumps, %d doubts", count, total.events, total.runs, total.crashes, total.freezes, total.jumps, total.doubts)
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range total.byType {
			if !yield(name) {
				return
			}
		}
	}) {
		t.Logf("%8d %s", total.byType[name], name)
	}
	if count >= simTelling {
		for _, name := range []string{
			workflow.TypeFixApplied, workflow.TypeFixConfirmed, workflow.TypeFixRejectedStale, workflow.TypeFixHeld, workflow.TypeEscalated,
			workflow.TypeRetryScheduled, workflow.TypeAuthErrorClassified, workflow.TypeSlotSkipped, run.TypeEffectInDoubt, run.TypeRunResumed,
		} {
			require.Positive(t, total.byType[name], "no world saw %s", name)
		}
	}
}

// simWorkers is how many worlds are simulated at once.
const simWorkers = 2

func (s *simStats) add(other simStats) {
	s.events += other.events
	s.runs += other.runs
	s.crashes += other.crashes
	s.jumps += other.jumps
	s.freezes += other.freezes
	s.doubts += other.doubts
	for name, n := range other.byType {
		s.byType[name] += n
	}
}

// Thirty virtual days, in each of many worlds: nodes crash, stop and come back, clocks jump, the web
// fails in every way, and people do what people do. The invariants hold at every event.
func TestSimulation(t *testing.T) {
	t.Parallel()
	if text := os.Getenv("KINTSUGI_SIM_SEED"); text != "" {
		given, err := strconv.ParseUint(text, 10, 64)
		require.NoError(t, err)
		simulateMany(t, given, 1)
		return
	}
	simulateMany(t, 1, simSeeds*campaign(t))
}
