// Package soak_test lets scripts as people write them live for weeks: what they are answered varies as it does by nature, services
// have their moments, and lives of the server end. Every write, output, key and file is compared with what a plain execution of the
// same script in Node makes of the same days.
package soak_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/projections"
)

func TestMain(m *testing.M) {
	if process.IsWorker() {
		process.WorkerMain(hostcall.Bindings())
		os.Exit(0)
	}
	if dir := os.Getenv(lifeOf); dir != "" {
		live(dir)
		return
	}
	os.Exit(m.Run())
}

// first is the first slot.
var first = time.Date(2026, 3, 2, 7, 0, 0, 0, time.UTC)

// TestSoak plays one world of a few days, whose lives end at some append. A campaign plays worlds of 60 days, each with its own
// troubles, and the server is a process that is killed at any moment.
func TestSoak(t *testing.T) {
	t.Parallel()
	many, err := strconv.Atoi(cmp.Or(os.Getenv("KINTSUGI_CAMPAIGN"), "0"))
	require.NoError(t, err, "KINTSUGI_CAMPAIGN")
	days, seeds, kills := 12, 1, 4
	if many > 0 {
		days, seeds, kills = 60, (many+2)/3, 60
	}
	if own := os.Getenv("KINTSUGI_SOAK_DAYS"); own != "" {
		days, err = strconv.Atoi(own)
		require.NoError(t, err, "KINTSUGI_SOAK_DAYS")
	}
	base, err := strconv.Atoi(cmp.Or(os.Getenv("KINTSUGI_SOAK_SEED"), "1"))
	require.NoError(t, err, "KINTSUGI_SOAK_SEED")
	scripts := scripts(t)
	made := inNode(t, scripts, days)
	pool := process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings(), Size: 16, Logger: slog.New(slog.DiscardHandler)})
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	for seed := range seeds {
		w := &world{t: t, dir: t.TempDir(), pool: pool, scripts: scripts, ids: map[string]string{}, kills: many > 0, outside: &service{
			bounded: map[string]bool{},
			seed:    uint64(base + seed), percent: 8, plain: made, //nolint:gosec // small
			asked: map[string]int{}, made: map[string][]string{}, keys: map[string]string{}, seen: map[trouble]int{},
		}}
		w.live(days, kills)
		w.compare(days)
	}
}

// scripts are the texts of testdata/scripts, by name.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	list, err := filepath.Glob("testdata/scripts/*")
	require.NoError(t, err)
	require.Len(t, list, 30)
	texts := map[string]string{}
	only := os.Getenv("KINTSUGI_SOAK_ONLY")
	for _, path := range list {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		name := filepath.Base(path)
		if strings.Contains(name, only) {
			texts[name] = string(text)
		}
	}
	return texts
}

// inNode executes the scripts plainly. Types are taken away by esbuild, which asks nothing of Kintsugi.
func inNode(t *testing.T, scripts map[string]string, days int) map[string]plain {
	t.Helper()
	untyped := map[string]string{}
	for name, code := range scripts {
		if strings.HasSuffix(name, ".ts") {
			made := api.Transform(code, api.TransformOptions{Loader: api.LoaderTS, Target: api.ES2022, Charset: api.CharsetUTF8})
			require.Empty(t, made.Errors, name)
			code = string(made.Code)
		}
		untyped[name] = code
	}
	text, err := json.Marshal(untyped)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "scripts.json")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	command := exec.CommandContext(t.Context(), "node", "testdata/plain.mjs", path, strconv.Itoa(days))
	command.Env = append(os.Environ(), "TZ=UTC")
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	require.NoError(t, err, said.String())
	var made map[string]plain
	require.NoError(t, json.Unmarshal(out, &made))
	return made
}

// world is what outlives a kill.
type world struct {
	t       *testing.T
	dir     string
	pool    sandbox.Runner
	scripts map[string]string
	outside *service
	clock   clock
	host    string
	ids     map[string]string // workflows, by script
	node    *node
	kills   bool          // a process is the server
	process *serverLife   // nil if there is none now
	took    time.Duration // to do all that was due, the last time
	killed  int
	doubts  int
	wrong   []string
}

func (w *world) fault(format string, values ...any) {
	w.wrong = append(w.wrong, fmt.Sprintf(format, values...))
}

// live lets the days pass. Every few days a life of the server ends at some append.
func (w *world) live(days, kills int) {
	w.t.Helper()
	server := httptest.NewServer(w.outside)
	defer server.Close()
	w.host = strings.TrimPrefix(server.URL, "http://")
	w.clock.ahead.Store(int64(time.Until(first.Add(-time.Hour))))
	w.node = open(w.t, w.dir, w.pool, w.clock.now)
	for i, name := range sorted(w.scripts) {
		settings := workflow.Settings{}
		if i%2 == 0 { // of the others a person looks what became of a write
			settings.IdempotentHosts = []string{w.host}
		}
		w.outside.bounded[name] = strings.Contains(w.scripts[name], "timeoutMs: 700")
		code := strings.ReplaceAll(w.scripts[name], "BASE", server.URL+"/"+name)
		w.ids[name] = w.node.create(name, code, w.host, w.outside.plain[name].Hooked, settings)
	}
	for day := range days {
		w.outside.mu.Lock()
		w.outside.day = day
		w.outside.mu.Unlock()
		w.clock.to(first.Add(time.Duration(day) * 24 * time.Hour))
		for name, id := range w.ids {
			for i, one := range w.outside.plain[name].Days[day].Runs {
				if w.outside.plain[name].Hooked {
					_, err := w.node.commands.OfferInput(w.t.Context(), id, workflow.OfferInput{
						Run: commands.DerivedID(id, strconv.Itoa(day), strconv.Itoa(i)), Trigger: workflow.TriggerWebhook, Input: one.Input,
					}, person())
					require.NoError(w.t, err, name)
				}
			}
		}
		for range kills*(day+1)/days - kills*day/days {
			if w.kills {
				w.rest(day, true)
				continue
			}
			w.node.log.after = w.outside.roll("after", day)%2 == 0
			w.node.log.left.Store(int64(1 + w.outside.roll("kill", day, w.killed)%60)) //nolint:gosec // small
			w.rest(day, false)
		}
		w.node.log.left.Store(0)
		w.rest(day, false)
	}
	if w.process != nil {
		w.process.kill()
	}
}

// settle does all that is due now; died says that the life of the server ended meanwhile.
func (w *world) settle(kill bool) (died bool) {
	w.t.Helper()
	if !w.kills {
		return w.node.settle(context.WithoutCancel(w.t.Context()))
	}
	if w.process == nil {
		w.process = begin(w.t, w.dir)
	}
	after := time.Duration(-1)
	if kill {
		after = time.Duration(w.outside.roll("moment", w.killed) % uint64(max(w.took, time.Millisecond))) //nolint:gosec // small
	}
	began := time.Now()
	if died = w.process.settle(w.clock.ahead.Load(), after); died {
		w.process = nil
	} else {
		w.took = time.Since(began)
	}
	return died
}

// rest lets a day go on until nothing is left to do: what is in doubt is looked up, questions are answered, and time passes until
// what is to be tried again is.
func (w *world) rest(day int, kill bool) {
	w.t.Helper()
	for range 300 {
		if w.settle(kill) {
			w.killed++
			kill = false
			w.node.close()
			w.node = open(w.t, w.dir, w.pool, w.clock.now)
			continue
		}
		var next time.Time
		moved := false
		for name, id := range w.ids {
			state, err := w.node.commands.LoadWorkflow(w.t.Context(), id)
			require.NoError(w.t, err)
			moved = w.attend(name, day, state) || moved
			for _, retry := range state.Retries {
				if next.IsZero() || retry.At.Before(next) {
					next = retry.At
				}
			}
		}
		switch {
		case moved || w.node.log.dead.Load():
		case next.IsZero():
			return
		default:
			w.clock.to(next.Add(time.Millisecond))
		}
	}
	w.fault("day %d does not come to rest", day)
}

// attend does what the person of a workflow does.
func (w *world) attend(name string, day int, state workflow.State) (moved bool) {
	for _, of := range sorted(state.Admitted) {
		recorded, err := w.node.commands.LoadRun(w.t.Context(), of)
		if err != nil {
			continue // not begun
		}
		for _, call := range recorded.InDoubt() {
			resolve := run.ResolveEffect{Seq: call.Seq, How: run.ResolvedDidNot}
			w.outside.mu.Lock()
			body, made := w.outside.keys[name+" "+call.Key]
			w.outside.mu.Unlock()
			if made {
				resolve.How, resolve.Result = run.ResolvedHappened, json.RawMessage(body)
				if call.Tool == "web.fetch" {
					resolve.Result, err = json.Marshal(answer{200, map[string]string{"content-type": "application/json"}, body})
					require.NoError(w.t, err)
				}
			}
			w.doubts++
			err := w.node.commands.ResolveEffect(w.t.Context(), of, resolve, person())
			if !w.node.log.dead.Load() {
				require.NoError(w.t, err, name)
			}
			moved = true
		}
		if asked := recorded.Awaiting(); asked != nil {
			said := ""
			for _, one := range w.outside.plain[name].Days[day].Runs {
				for _, known := range one.Asks {
					if known[0] == asked.Question.Text {
						said = known[1]
					}
				}
			}
			if said == "" {
				w.fault("%s: day %d: asks what is not asked in Node: %s", name, day, asked.Question.Text)
				said = "no"
			}
			err := w.node.commands.GiveAnswer(w.t.Context(), of, run.GiveAnswer{Answer: said}, person())
			if !w.node.log.dead.Load() {
				require.NoError(w.t, err, name)
			}
			moved = true
		}
	}
	return moved
}

// compare looks what became of all days.
func (w *world) compare(days int) {
	w.t.Helper()
	w.wrong = append(w.wrong, w.outside.wrong...)
	runs := 0
	for _, name := range sorted(w.ids) {
		want := w.outside.plain[name]
		var writes, outputs, notes []string
		for day, one := range want.Days[:days] {
			for _, r := range one.Runs {
				outputs = append(outputs, compact(r.Output))
				for _, write := range r.Writes {
					writes = append(writes, fmt.Sprint(day, " ", write))
				}
				for _, note := range r.Notes {
					notes = append(notes, note[0]+": "+note[1])
				}
			}
		}
		got := w.history(name)
		w.equal(name, "writes", writes, w.outside.made[name])
		runs += len(got.outputs)
		w.equal(name, "outputs", outputs, got.outputs)
		local, err := w.node.LocalState(w.t.Context(), w.ids[name])
		require.NoError(w.t, err)
		w.equal(name, "keys", keysOf(want.KV), keysOf(valuesOf(local)))
		w.equal(name, "files", filesOf(want.Files), filesOf(textsOf(local)))
		told, err := w.node.queries.Notifications(w.t.Context(), projections.NotificationFilter{Workflow: w.ids[name], Type: projections.NotifyScriptMessage})
		require.NoError(w.t, err)
		var heard []string
		for _, one := range told {
			heard = append(heard, one.Title+": "+one.Text)
		}
		slices.Reverse(heard)
		w.equal(name, "notes", notes, heard)
	}
	w.node.close()
	w.t.Logf("seed %d: %d workflows, %d days, %d runs, %d writes in doubt, %d kills, requests: %v", w.outside.seed, len(w.ids), days, runs, w.doubts, w.killed, w.outside.seen)
	require.Empty(w.t, w.wrong, "%d faults, here are the first of each script:\n%s", len(w.wrong), strings.Join(w.firsts(), "\n"))
}

// firsts are the first two faults of each script: what follows is mostly their doing.
func (w *world) firsts() (list []string) {
	told := map[string]int{}
	for _, one := range w.wrong {
		name, _, _ := strings.Cut(one, ": ")
		if told[name]++; told[name] <= 2 {
			list = append(list, one)
		}
	}
	return list
}

type lived struct{ outputs []string }

// history is what a workflow's stream says: the outputs in the order of the first runs, and whatever should not have been.
func (w *world) history(name string) (got lived) {
	w.t.Helper()
	root := map[string]string{}
	var roots []string
	output := map[string]string{}
	suspected := map[string]string{}
	later := map[string]bool{} // runs that are tried again: to stop one of them at what a service has for a moment loses nothing
	for one, err := range w.node.commands.History(w.t.Context(), []string{workflow.Stream(w.ids[name])}) {
		require.NoError(w.t, err)
		switch e := one.Event.(type) {
		case workflow.RunAdmitted:
			root[e.Run] = e.Run
			if e.Continues != "" {
				root[e.Run] = root[e.Continues]
			} else {
				roots = append(roots, e.Run)
			}
		case workflow.RunSucceeded:
			recorded, err := w.node.commands.LoadRun(w.t.Context(), e.Run)
			require.NoError(w.t, err)
			if _, twice := output[root[e.Run]]; twice {
				w.fault("%s: run %s succeeded twice", name, root[e.Run])
			}
			output[root[e.Run]] = compact(recorded.Output)
		case workflow.DriftSuspected:
			suspected[e.Run] = excerpt(e)
		case workflow.RunFailed:
			later[e.Run] = e.Failure.Class == failure.Network
			if e.Failure.Class != failure.Network {
				w.fault("%s: %s failed as %s: %s: %s", name, one.Metadata.RecordedAt.Format(time.DateOnly), e.Failure.Class, e.Failure.Name, e.Failure.Message)
			}
		case workflow.MaintenanceEntered, workflow.Escalated, workflow.FixApplied, workflow.FixHeld,
			workflow.SlotSkipped, workflow.InputSkipped, workflow.RunUnfinished, workflow.RetriesExhausted:
			w.fault("%s: %s %s: %s", name, one.Metadata.RecordedAt.Format(time.DateOnly), one.Event.EventType(), excerpt(one.Event))
		}
	}
	for _, of := range sorted(suspected) {
		if !later[of] {
			w.fault("%s: marked or stopped: %s", name, suspected[of])
		}
	}
	for _, of := range roots {
		got.outputs = append(got.outputs, cmp.Or(output[of], "no success of run "+of))
	}
	return got
}

func excerpt(e event.Event) string {
	text, err := json.Marshal(e)
	if err != nil {
		return err.Error()
	}
	return string(text[:min(len(text), 400)])
}

// equal compares two lists, and names the first place where they part.
func (w *world) equal(name, of string, want, got []string) {
	w.t.Helper()
	for i := range max(len(want), len(got)) {
		wanted, is := "nothing", "nothing"
		if i < len(want) {
			wanted = want[i]
		}
		if i < len(got) {
			is = got[i]
		}
		if wanted != is {
			w.fault("%s: %s, %d in Node and %d here, part at %d:\n  Node: %s\n  here: %s", name, of, len(want), len(got), i, wanted, is)
			return
		}
	}
}

func keysOf(kv map[string]json.RawMessage) (list []string) {
	for _, key := range sorted(kv) {
		list = append(list, key+" = "+compact(kv[key]))
	}
	return list
}

func filesOf(files map[string]string) (list []string) {
	for _, path := range sorted(files) {
		list = append(list, path+": "+files[path])
	}
	return list
}

func valuesOf(m *hostcall.Memory) map[string]json.RawMessage {
	kv := map[string]json.RawMessage{}
	for _, key := range m.Keys("") {
		kv[key], _ = m.KV(key)
	}
	return kv
}

func textsOf(m *hostcall.Memory) map[string]string {
	files := map[string]string{}
	for _, path := range m.Files() {
		file, _ := m.File(path)
		files[path] = file.Text
	}
	return files
}

func sorted[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
