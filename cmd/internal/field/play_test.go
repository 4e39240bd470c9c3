package field_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/secret/vault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// patience bounds what one day may take, with the repairs that it leads to.
const patience = 5 * time.Minute

// Outcomes of a change over the days after it.
const (
	mendedRight   = "mended right"
	mendedInPart  = "mended, and a later day failed"
	mendedWrong   = "mended wrong"
	heldRight     = "held, right on offer"
	heldWrong     = "held, wrong"
	escalatedTold = "escalated, change told"
	escalated     = "escalated, change not told"
	markedWrong   = "wrong and marked"
	silentWrote   = "silent wrong, wrote"
	silentOnly    = "silent wrong, only returned"
	harmless      = "harmless"
	waits         = "waits or is tried again"
	stoppedBefore = "stopped before the change"
	refusedInput  = "input refused, no run"
)

// verdict is what the gate makes of a candidate.
type verdict struct {
	Fix     string   `json:"fix"`
	Right   bool     `json:"right"`
	Told    bool     `json:"told"` // something recorded tells that it is wrong
	Became  string   `json:"became"`
	Verdict string   `json:"verdict"`
	Reasons []string `json:"reasons,omitempty"`
	MS      int64    `json:"ms"`
}

// Answers of the gate to a candidate.
const (
	plainly   = "accepted plainly"
	rehearsed = "accepted with a rehearsal"
	held      = "held"
	refused   = "refused"
)

// played is what became of one change of one case; without a change the days are all ordinary.
type played struct {
	Half       string    `json:"half"`
	Case       string    `json:"case"`
	Change     string    `json:"change,omitempty"`
	Lost       bool      `json:"lost,omitempty"`
	Effect     []string  `json:"effect,omitempty"` // of the old script, in Node
	Became     string    `json:"became,omitempty"`
	On         int       `json:"on,omitempty"` // the day on which that was decided
	Failure    string    `json:"failure,omitempty"`
	Told       string    `json:"told,omitempty"` // to the person
	Diff       string    `json:"diff,omitempty"` // of what was applied or is on offer
	Difference string    `json:"difference,omitempty"`
	Gate       []verdict `json:"gate,omitempty"`
	Ordinary   int       `json:"ordinary,omitempty"` // days on which nothing had changed
	Stops      []string  `json:"stops,omitempty"`    // false ones
	Marks      []string  `json:"marks,omitempty"`    // false ones
	Fault      string    `json:"fault,omitempty"`    // of the case or of the program: the days cannot be played
}

// field is an installation and the outside.
type field struct {
	w    *world
	node *app.Node
	pool *process.Pool
	// gateOnly says that a change is played no further than to the gate's table.
	gateOnly bool
	// unguarded says that days are played without a guard, and without repairs.
	unguarded bool
}

func newField(t testing.TB, w *world) *field {
	t.Helper()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	logger := slog.New(slog.DiscardHandler)
	n, err := app.Open(ctx, dir, app.FileAddress(filepath.Join(dir, app.LogFile)), app.ViewsPlace{}, app.CommandPatience, logger)
	require.NoError(t, err)
	f := &field{w: w, node: n, pool: app.NewPool(logger)}
	ended := make(chan error, 1)
	go func() { ended <- n.Loop(f.pool, n.NewFixers(f.pool), "").Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ended
		require.NoError(t, f.pool.Close())
		require.NoError(t, n.Close())
	})
	return f
}

// place is a case that is played: a workflow, and services of its own.
type place struct {
	*field
	c        *fieldCase
	change   *change // nil for none
	id       string  // of the services
	local    map[string]string
	workflow string
	code     string   // with the addresses of this place
	good     []string // runs that succeeded while nothing had changed
}

var secrets = regexp.MustCompile(`process\.env\.([A-Z][A-Z0-9_]*)|secret\(['"]([^'"]+)['"]\)`)

// open creates the workflow.
func (f *field) open(ctx context.Context, c *fieldCase, of *change) (*place, error) {
	p := &place{field: f, c: c, change: of, workflow: app.NewID()}
	name := ""
	if of != nil {
		name = of.Name
	}
	var opened struct {
		ID    string            `json:"id"`
		Local map[string]string `json:"local"`
	}
	if err := f.w.ask(ctx, "open", map[string]any{"dir": c.dir, "change": name}, &opened); err != nil {
		return nil, err
	}
	p.id, p.local = opened.ID, opened.Local
	p.code = p.abroad(c.Script)
	var hosts []string
	for _, address := range p.local {
		u, err := url.Parse(address)
		if err != nil {
			return nil, err
		}
		hosts = append(hosts, u.Host)
	}
	owner := "field:" + p.id // so that no fix of another place is tried here
	ordered, meta := f.node.Commands, func() commands.Meta { return app.By(owner) }
	_, err := ordered.CreateWorkflow(ctx, workflow.Create{ID: p.workflow, Title: c.Name + " " + p.id, Owner: owner, Zone: c.Zone, Intent: c.Says}, meta())
	if err == nil {
		_, err = ordered.ChangeSettings(ctx, p.workflow, workflow.ChangeSettings{Settings: f.settings(hosts)}, meta())
	}
	if err == nil {
		_, err = ordered.SaveScript(ctx, p.workflow, workflow.SaveScript{ScriptID: app.NewID(), Code: p.code, Comment: "first version", Origin: workflow.OriginPerson}, meta())
	}
	if err == nil {
		_, err = ordered.ActivateWorkflow(ctx, p.workflow, workflow.Activate{}, meta())
	}
	for _, found := range secrets.FindAllStringSubmatch(c.Script, -1) {
		if err != nil || found[1] == "NODE_ENV" || found[1] == "TZ" {
			continue
		}
		var kept *vault.Vault
		if kept, err = f.node.Secrets.Vault(ctx, true); err == nil {
			err = kept.Set(ctx, vault.Binding{Name: found[1] + found[2], Workflow: p.workflow, Hosts: hosts}, "a-secret", f.node.Now())
		}
	}
	return p, err
}

func (p *place) close(ctx context.Context) {
	_ = p.w.ask(ctx, "close", map[string]any{"id": p.id}, &struct{}{})
}

// abroad puts the addresses of this place into a text, home takes them out.
func (p *place) abroad(text string) string {
	for origin, local := range p.local {
		text = strings.ReplaceAll(text, origin, local)
	}
	return text
}

func (p *place) home(text string) string {
	for origin, local := range p.local {
		text = strings.ReplaceAll(text, local, origin)
	}
	return text
}

// lived is what became of a day.
type lived struct {
	app.RunResult
	right  bool
	begins bool   // the writes are those of the truth as far as they go
	differ string // from the truth
	wrote  bool
	marked []string // what the guard found of the last run
}

func (p *place) day(ctx context.Context, day int, changed bool) (found lived, err error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var given struct {
		Input json.RawMessage `json:"input"`
	}
	if err := p.w.ask(ctx, "day", map[string]any{"id": p.id, "day": day, "changed": changed}, &given); err != nil {
		return found, err
	}
	first := app.NewID()
	if _, err := p.node.Commands.AdmitRun(waiting, p.workflow, workflow.AdmitRun{Run: first, Trigger: workflow.TriggerManual, Repair: !p.gateOnly && !p.unguarded, Input: given.Input}, app.By("field:"+p.id)); err != nil {
		return found, err
	}
	hint, release := p.node.Log.Wake()
	defer release()
	for {
		state, err := p.node.Commands.LoadWorkflow(waiting, p.workflow)
		if err != nil {
			return found, err
		}
		if app.SettledFor(state, first, p.node.Now()) {
			break
		}
		select {
		case <-waiting.Done():
			return found, fmt.Errorf("day %d has come to no end after %s", day, patience)
		case <-hint:
		}
	}
	if found.RunResult, err = p.node.Runs.Result(ctx, p.workflow, first); err != nil {
		return found, err
	}
	last, err := p.node.Commands.LoadRun(ctx, found.Final.ID)
	if err != nil {
		return found, err
	}
	writes := []map[string]any{}
	for _, call := range last.Calls {
		if call.Effect == run.EffectWrite && call.Returned && call.Error == nil {
			writes = append(writes, written(call))
		}
	}
	found.wrote = len(writes) > 0
	if last.Suspicion != nil {
		for _, one := range last.Suspicion.Suspects {
			found.marked = append(found.marked, one.Text)
		}
	}
	found.marked = append(found.marked, found.Final.Suspected...)
	var compared struct {
		Right  bool   `json:"right"`
		Begins bool   `json:"begins"`
		Got    string `json:"got"`
		Want   string `json:"want"`
	}
	err = p.w.ask(ctx, "right", map[string]any{"id": p.id, "code": p.c.plain, "day": day, "changed": changed, "output": last.Output, "writes": writes}, &compared)
	found.right = compared.Right && found.Final.Status == projections.RunSucceeded
	found.begins = compared.Begins
	if !found.right {
		found.differ = fmt.Sprintf("%.800s\nin place of\n%.800s", compared.Got, compared.Want)
	}
	return found, err
}

// written is a write as the world writes it down.
func written(call *run.Call) map[string]any {
	var args []json.RawMessage
	_ = json.Unmarshal(call.Args, &args) // recorded by the program
	text := func(i int) (s string) {
		if i < len(args) {
			_ = json.Unmarshal(args[i], &s)
		}
		return s
	}
	var options struct {
		Method string  `json:"method"`
		Body   *string `json:"body"`
	}
	switch call.Tool {
	case "web.fetch":
		if len(args) > 1 {
			_ = json.Unmarshal(args[1], &options)
		}
		return map[string]any{"to": strings.ToUpper(options.Method) + " " + text(0), "body": options.Body}
	case "web.postJSON":
		if len(args) > 2 {
			_ = json.Unmarshal(args[2], &options)
		}
		if options.Method == "" {
			options.Method = "POST"
		}
		var body json.RawMessage
		if len(args) > 1 {
			body = args[1]
		}
		return map[string]any{"to": options.Method + " " + text(0), "body": body}
	case "notify":
		return map[string]any{"to": "notify", "body": args}
	}
	var body any
	if len(args) > 1 {
		body = args[1]
	}
	return map[string]any{"to": call.Tool + " " + text(0), "body": body}
}

// ordinary plays a case on which nothing changes.
func (f *field) ordinary(ctx context.Context, c *fieldCase, days int) played {
	found := played{Half: c.half, Case: c.Name}
	p, err := f.open(ctx, c, nil)
	if err != nil {
		found.Fault = err.Error()
		return found
	}
	defer p.close(ctx)
	for d := range days {
		was, err := p.day(ctx, d, false)
		if err == nil {
			found.Ordinary++
			stop := was.Run.Failure != nil && len(was.Run.Suspected) > 0
			switch {
			case stop:
				found.Stops = append(found.Stops, fmt.Sprintf("day %d: %s", d, was.Run.Failure))
			case was.right && len(was.marked) > 0:
				found.Marks = append(found.Marks, fmt.Sprintf("day %d: %s", d, strings.Join(was.marked, "; ")))
			}
			if !stop && !was.right {
				err = fmt.Errorf("day %d, on which nothing has changed, is not the truth: %v %s", d, was.Run.Failure, was.differ)
			}
			if was.NeedsPerson() {
				return found // it stands still, and the next days never come
			}
		}
		if err != nil {
			found.Fault = err.Error()
			return found
		}
	}
	return found
}

// play plays the recorded days of a case, a change, and the days after it. Once the old script has failed, the gate is
// asked about the candidates.
func (f *field) play(ctx context.Context, c *fieldCase, of *change, gate bool) (found played) {
	found = played{Half: c.half, Case: c.Name, Change: of.Name, Lost: of.Lost}
	failed := func(err error) played { found.Fault = err.Error(); return found }
	effect, err := f.w.effect(ctx, c, of.Name)
	if err != nil {
		return failed(err)
	}
	found.Effect = effect
	p, err := f.open(ctx, c, of)
	if err != nil {
		return failed(err)
	}
	defer p.close(ctx)
	for d := range recorded {
		was, err := p.day(ctx, d, false)
		if err != nil {
			return failed(err)
		}
		if was.Run.Failure != nil && len(was.Run.Suspected) > 0 {
			found.Became, found.On, found.Failure = stoppedBefore, d, p.home(was.Run.Failure.String())
			return found
		}
		if !was.right {
			return failed(fmt.Errorf("day %d, on which nothing has changed, is not the truth: %v %s", d, was.Run.Failure, was.differ))
		}
		p.good = append(p.good, was.Final.ID)
	}
	mended := false
	for d := recorded; d < recorded+after; d++ {
		was, err := p.day(ctx, d, true)
		if fault.KindOf(err) == fault.Invalid {
			found.Became, found.On, found.Told = refusedInput, d, err.Error()
			return found
		}
		if err != nil {
			return failed(err)
		}
		if was.Run.Failure != nil && found.Failure == "" {
			found.Failure = p.home(was.Run.Failure.String())
			if gate {
				if found.Gate, err = p.judge(ctx, was.Run.ID); err != nil || f.gateOnly {
					if err != nil {
						return failed(err)
					}
					return found
				}
			}
		}
		if found.Became, err = p.became(ctx, &found, was, &mended); err != nil {
			return failed(err)
		}
		if found.Became != "" {
			found.On = d
			return found
		}
	}
	if found.Became = harmless; mended {
		found.Became = mendedRight
	}
	return found
}

// became says how the story ends on a day, empty if it goes on.
func (p *place) became(ctx context.Context, found *played, was lived, mended *bool) (string, error) {
	switch {
	case was.Final.Status == projections.RunSucceeded && was.Final.ID != was.Run.ID:
		*mended = true
		diff, err := p.diff(ctx)
		if err != nil {
			return "", err
		}
		found.Diff += diff
	case was.Final.Status == projections.RunSucceeded:
	case *mended:
		found.Told, _ = p.told(ctx, was)
		return mendedInPart, nil
	case was.HeldFix != "":
		fixes, err := p.node.Queries.Fixes(ctx, projections.FixFilter{Workflow: p.workflow})
		if err != nil {
			return "", err
		}
		became := heldWrong
		for _, one := range fixes {
			tried, err := p.w.try(ctx, p.c, p.change.Name, p.home(one.Code))
			if err != nil {
				return "", err
			}
			found.Diff += p.difference(one.Code)
			if tried.right() {
				became = heldRight
			}
		}
		if found.Told, err = p.told(ctx, was); err != nil {
			return "", err
		}
		return became, nil
	case was.Status == workflow.StatusEscalated:
		var err error
		if found.Told, err = p.told(ctx, was); err != nil {
			return "", err
		}
		if p.change.account(found.Told) {
			return escalatedTold, nil
		}
		return escalated, nil
	default:
		return waits, nil
	}
	if was.right {
		return "", nil
	}
	found.Difference = was.differ
	switch {
	case *mended:
		return mendedWrong, nil
	case len(was.marked) > 0:
		return markedWrong, nil
	case was.wrote:
		return silentWrote, nil
	}
	return silentOnly, nil
}

// told is what a person gets to read of it.
func (p *place) told(ctx context.Context, was lived) (string, error) {
	texts := []string{was.Explanation}
	for _, one := range was.Changed {
		texts = append(texts, one.String())
	}
	list, err := p.node.Queries.Notifications(ctx, projections.NotificationFilter{Workflow: p.workflow})
	for _, one := range list {
		texts = append(texts, one.Title, one.Text)
	}
	return p.home(strings.Join(texts, "\n")), err
}

// diff is what the script has become.
func (p *place) diff(ctx context.Context) (string, error) {
	state, err := p.node.Commands.LoadWorkflow(ctx, p.workflow)
	if err != nil {
		return "", err
	}
	script, _ := state.Script(state.Active)
	return p.difference(script.Code), nil
}

// difference are the lines of a script that are not in the old one.
func (p *place) difference(code string) string {
	var b strings.Builder
	old := strings.Split(p.code, "\n")
	for _, line := range strings.Split(code, "\n") {
		if !slices.Contains(old, line) {
			fmt.Fprintf(&b, "+ %s\n", p.home(strings.TrimSpace(line)))
		}
	}
	return b.String() + "\n"
}

// recordings are those of the days before the change.
type recordings struct {
	egress.Recordings
	good []string
}

// Successes implements [egress.Recordings].
func (r recordings) Successes(context.Context, string, int) ([]string, error) {
	successes := slices.Clone(r.good)
	slices.Reverse(successes)
	return successes, nil
}

// judge asks the gate about each candidate of the change, with a rehearsal where it cannot tell.
func (p *place) judge(ctx context.Context, failed string) (found []verdict, err error) {
	state, err := p.node.Commands.LoadWorkflow(ctx, p.workflow)
	if err != nil {
		return nil, err
	}
	first, err := workflow.ParseVersion("1.0")
	if err != nil {
		return nil, err
	}
	base, known := state.Script(first)
	if !known {
		return nil, fmt.Errorf("there is no version %s", first)
	}
	broken, err := p.node.Commands.LoadRun(ctx, failed)
	if err != nil {
		return nil, err
	}
	subject, err := maintenance.Subject(ctx, p.node.Commands, p.pool, state, base, broken, p.good, 0)
	if err != nil {
		return nil, err
	}
	opened, err := gate.Open(ctx, p.pool, subject, gate.Options{})
	if err != nil {
		return nil, err
	}
	rechecker := p.node.Fixes.Rechecker(p.pool)
	rechecker.Recordings = recordings{rechecker.Recordings, p.good}
	for _, of := range []struct {
		right bool
		fixes []fix
	}{{true, p.change.Right}, {false, p.change.Wrong}} {
		for _, one := range of.fixes {
			tried, err := p.w.try(ctx, p.c, p.change.Name, one.Code)
			if err != nil {
				return nil, err
			}
			began := time.Now()
			judged, err := opened.Judge(ctx, p.abroad(one.Code))
			if err != nil {
				return nil, err
			}
			v := verdict{Fix: one.Name, Right: of.right, Told: len(tried.Recorded)+len(tried.Carried) > 0, MS: time.Since(began).Milliseconds()}
			var shown workflow.Verification
			if judged.Rehearsable {
				if shown, judged, err = rechecker.Prove(ctx, state, workflow.Maintenance{Task: app.NewID(), Run: failed, Base: first}, p.abroad(one.Code)); err != nil {
					return nil, err
				}
			}
			v.Verdict, v.Reasons = judged.Verdict, judged.Reasons
			chosen := repair.Choose([]repair.Judged{{Candidate: repair.Candidate{Code: one.Code}, Judgement: judged}})
			switch made := shown.Rehearsal; {
			case chosen.Best == nil:
				v.Became = refused
				if d := judged.Divergence; d != nil {
					v.Reasons = append(v.Reasons, fmt.Sprintf("%+v", *d))
				}
				if e := judged.FailingRun.Error; e != nil {
					v.Reasons = append(v.Reasons, "the failing run: "+e.Message)
				}
			case chosen.Held:
				v.Became, v.Reasons = held, chosen.Reasons
			case made == nil:
				v.Became = plainly
			case !made.Succeeded:
				v.Became, v.Reasons = held, append(v.Reasons, made.Problem)
			default:
				v.Became, v.Reasons = rehearsed, append(v.Reasons, made.Invented...)
			}
			found = append(found, v)
		}
	}
	return found, nil
}
