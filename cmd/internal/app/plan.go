package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/basics/filelock"
	"github.com/kintsugi-run/kintsugi/internal/basics/yamlfile"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/internal/coding/planfile"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Plans begins and shows the plans of coding agents in repositories.
type Plans struct {
	Dir      string
	Commands *commands.Commands
	Queries  *projections.Queries
	Views    *readmodel.Store
	Now      func() time.Time
	Logger   *slog.Logger
	Secrets  *Secrets
}

// RepoPlan is a plan for coding agents, as people see it.
type RepoPlan struct {
	ID          string    `json:"id"`
	Title       string    `json:"title"`
	Status      string    `json:"status"` // running, held (all that is left waits for a person), completed or cancelled
	Repository  string    `json:"repository"`
	Base        string    `json:"base"`
	Integration string    `json:"integration"`
	Commit      string    `json:"commit"` // of the integration branch
	Place       string    `json:"place"`
	StartedAt   time.Time `json:"started_at"`
	StartedBy   string    `json:"started_by"`
	Merged      int       `json:"merged"`
	Held        int       `json:"held"`
	Walled      bool      `json:"walled"` // its programs are behind a wall
	Jobs        []RepoJob `json:"jobs"`
}

// RepoJob is a job of a plan.
type RepoJob struct {
	ID         string        `json:"id"`
	Status     string        `json:"status"`
	Task       string        `json:"task"`
	Needs      []string      `json:"needs,omitempty"`
	Touch      []string      `json:"touch,omitempty"`
	MayCreate  []string      `json:"may_create,omitempty"`
	Attempt    int           `json:"attempt"`
	Branch     string        `json:"branch,omitempty"`
	Worktree   string        `json:"worktree,omitempty"`
	Commit     string        `json:"commit,omitempty"`
	Merge      string        `json:"merge,omitempty"`
	Running    string        `json:"running,omitempty"`    // what is run for it now
	WaitsUntil time.Time     `json:"waits_until,omitzero"` // its agent cannot go on before, as it said
	Session    string        `json:"session,omitempty"`    // in which it was healed
	Output     string        `json:"output,omitempty"`     // the file with what that writes, or wrote last
	Last       *plan.Outcome `json:"last,omitempty"`
	InitLeft   []string      `json:"init_left,omitempty"` // files that init changed or made, which are no changes of the job's
	Flaky      string        `json:"flaky,omitempty"`     // what is said of a check of the job that failed and then passed by itself
	Checkpoint *plan.JobHeld `json:"checkpoint,omitempty"`
}

// ReadRepoPlan reads a plan as people write it. A repository that is not named, or relative, is taken from dir; an empty
// dir is nowhere. The faults have the lines of the text.
func ReadRepoPlan(ctx context.Context, text []byte, dir string) (plan.Definition, []yamlfile.Fault, error) {
	file, faults := planfile.Read(text)
	if len(faults) > 0 {
		return plan.Definition{}, faults, nil
	}
	var written struct {
		plan.Definition
		Healer json.RawMessage `json:"healer"` // as people write it
	}
	if err := json.Unmarshal(file.JSON, &written); err != nil {
		return plan.Definition{}, nil, fmt.Errorf("read a plan: %w", err)
	}
	definition := coding.Expand(written.Definition)
	if !filepath.IsAbs(definition.Repository) {
		if dir == "" {
			return definition, []yamlfile.Fault{{Line: file.Line("/repository"), Path: "/repository", Text: "the repository is on the machine of the server: name it by its whole path"}}, nil
		}
		definition.Repository = filepath.Join(dir, definition.Repository)
	}
	at := func(path, text string) {
		faults = append(faults, yamlfile.Fault{Line: file.Line(path), Path: path, Text: text})
	}
	for _, one := range definition.Check() {
		at(one.Path, one.Text)
	}
	if len(faults) > 0 {
		slices.SortStableFunc(faults, func(a, b yamlfile.Fault) int { return cmp.Compare(a.Line, b.Line) })
		return definition, faults, nil
	}
	view, err := os.MkdirTemp("", "kintsugi-view-")
	if err != nil {
		return definition, nil, err
	}
	defer os.RemoveAll(view)
	repo, err := gitrepo.Open(ctx, definition.Repository, view)
	if err != nil {
		at("/repository", strings.TrimPrefix(err.Error(), "gitrepo: "))
		return definition, faults, nil
	}
	definition.Repository = repo.Top
	if rest, is := strings.CutPrefix(definition.Base, "HEAD"); is && (rest == "" || strings.ContainsAny(rest[:1], "~^@")) {
		current, err := repo.Current()
		if err != nil {
			return definition, nil, err
		}
		definition.Base = current + rest
	}
	definition.Healer = planPolicy(written.Healer, repo.Top, at)
	err = errors.Join(checkBranches(ctx, repo, definition, at), checkPlaces(ctx, repo, "/copy", definition.Copy, at), checkPlaces(ctx, repo, "/link", definition.Link, at))
	return definition, faults, err
}

// checkPlaces looks at what worktrees are to get from the checkout.
func checkPlaces(ctx context.Context, repo *gitrepo.Repo, at string, places []string, fault func(path, text string)) error {
	for i, place := range places {
		ignored, there, err := repo.Ignored(ctx, place)
		switch {
		case err != nil:
			return err
		case !there:
			fault(fmt.Sprintf("%s/%d", at, i), fmt.Sprintf("there is no %s in %s", place, repo.Top))
		case !ignored:
			fault(fmt.Sprintf("%s/%d", at, i), fmt.Sprintf("git does not ignore %s, so each worktree has it as it is committed, or it would become the job's work: name it in .gitignore", place))
		}
	}
	return nil
}

func checkBranches(ctx context.Context, repo *gitrepo.Repo, definition plan.Definition, at func(path, text string)) error {
	base, err := repo.Resolve(ctx, definition.Base)
	switch {
	case errors.Is(err, gitrepo.ErrNoRevision):
		at("/base", fmt.Sprintf("%s has no branch or commit %q", repo.Top, definition.Base))
	case err != nil:
		return err
	default:
		absent, err := repo.Absent(ctx, base)
		if err != nil {
			return err
		}
		if absent > 0 {
			at("/base", fmt.Sprintf("%s is a partial clone, and %d objects of %s are not in it; they are not fetched here. Have git fetch them: git -C %s archive %s >%s", repo.Top, absent, definition.Base, repo.Top, base, os.DevNull))
		}
	}
	if isBranch := repo.CheckBranch(ctx, definition.Integration) == nil; !isBranch || strings.HasPrefix(definition.Integration, "refs/") {
		at("/integration", fmt.Sprintf("%q is no name of a branch", definition.Integration))
		return nil
	}
	for name := definition.Integration; strings.Contains(name, "/"); { // git keeps branches as files in directories
		name = name[:strings.LastIndex(name, "/")]
		if is, err := repo.Branch(ctx, name); err != nil {
			return err
		} else if is != "" {
			at("/integration", fmt.Sprintf("there is a branch %q, so there can be no %q: name another", name, definition.Integration))
		}
	}
	if below, err := repo.Refs(ctx, "refs/heads/"+definition.Integration+"/"); err != nil {
		return err
	} else if len(below) > 0 {
		at("/integration", fmt.Sprintf("there are branches below %q, so it can be none itself: name another", definition.Integration))
	}
	on, err := repo.CheckedOut()
	if err != nil {
		return err
	}
	if path, is := on[definition.Integration]; is {
		at("/integration", fmt.Sprintf("branch %q is checked out in %s, whose files would not follow it: check out another there, or name another", definition.Integration, path))
	}
	return nil
}

// Start begins a plan that was read. Its place is made in the data directory.
func (p *Plans) Start(ctx context.Context, actor string, definition plan.Definition) (shown RepoPlan, err error) {
	release, err := p.lock(ctx)
	if err != nil {
		return RepoPlan{}, err
	}
	defer release()
	if err := p.Views.CatchUp(ctx); err != nil {
		return RepoPlan{}, err
	}
	running, err := p.Queries.RepoPlansOnto(ctx, definition.Repository, definition.Integration)
	if err != nil {
		return RepoPlan{}, err
	}
	if len(running) > 0 {
		return RepoPlan{}, fault.New(fault.Conflict, "plan %s merges onto branch %s already: wait for its end, cancel it, or name another branch", running[0].ID, definition.Integration)
	}
	places, err := p.places()
	if err != nil {
		return RepoPlan{}, err
	}
	start := plan.Start{ID: NewID(), Definition: definition}
	start.Place = filepath.Join(places, start.ID)
	if err := os.MkdirAll(start.Place, 0o700); err != nil {
		return RepoPlan{}, err
	}
	var repo *gitrepo.Repo
	made := false // the integration branch, by this start
	defer func() {
		if shown.ID == "" {
			err = errors.Join(err, p.notBegun(context.WithoutCancel(ctx), start, repo, made))
		}
	}()
	if repo, err = gitrepo.Open(ctx, definition.Repository, filepath.Join(start.Place, "view")); err != nil {
		return RepoPlan{}, fault.New(fault.Invalid, "%w", err)
	}
	if start.BaseCommit, err = repo.Resolve(ctx, definition.Base); err != nil {
		return RepoPlan{}, fault.New(fault.Invalid, "%w", err)
	}
	if start.IntegrationCommit, err = repo.Branch(ctx, definition.Integration); err != nil {
		return RepoPlan{}, err
	}
	if start.IntegrationCommit == "" {
		start.IntegrationCommit = start.BaseCommit
		if made, err = repo.MakeRef(ctx, "refs/heads/"+definition.Integration, start.BaseCommit, "kintsugi: begin plan "+start.ID); err != nil {
			return RepoPlan{}, err
		}
		if !made {
			return RepoPlan{}, fault.New(fault.Conflict, "somebody else makes branch %s just now: name another branch, or begin again if it is to be merged onto", definition.Integration)
		}
	}
	if _, err := p.Commands.OnPlan(ctx, start.ID, start, By(actor)); err != nil {
		return RepoPlan{}, err
	}
	shown.ID = start.ID
	if err := p.yield(ctx, start); err != nil {
		return shown, err
	}
	begun, err := p.Get(ctx, start.ID)
	if err != nil {
		return shown, err
	}
	return begun, nil
}

// yield ends a plan that was begun if another, of another node, that merges onto the same branch is before it on the log:
// of two that found the branch free, each looks again after its own event, so that the later of them sees the earlier.
func (p *Plans) yield(ctx context.Context, begun plan.Start) error {
	if err := p.Views.CatchUp(ctx); err != nil {
		return err
	}
	onto, err := p.Queries.RepoPlansOnto(ctx, begun.Definition.Repository, begun.Definition.Integration)
	if err != nil {
		return err
	}
	if len(onto) == 0 { // it has ended already
		return nil
	}
	first := slices.MinFunc(onto, func(a, b projections.RepoPlan) int { return cmp.Compare(a.Number, b.Number) })
	if first.ID == begun.ID || !slices.ContainsFunc(onto, func(one projections.RepoPlan) bool { return one.ID == begun.ID }) {
		return nil
	}
	why := fmt.Sprintf("plan %s, which was begun at the same time, merges onto branch %s", first.ID, begun.Definition.Integration)
	if _, err := p.Commands.OnPlan(ctx, begun.ID, plan.Cancel{Reason: why}, By("system:coding")); err != nil {
		return err
	}
	return fault.New(fault.Conflict, "%s: wait for its end, cancel it, or name another branch", why)
}

// notBegun takes back what a start made before it failed. If the log does not say that the plan was not begun, all stays.
func (p *Plans) notBegun(ctx context.Context, start plan.Start, repo *gitrepo.Repo, made bool) error {
	state, err := p.Commands.LoadPlan(ctx, start.ID)
	if err != nil || state.Status != plan.StatusNone {
		return err
	}
	if made {
		if err := p.Views.CatchUp(ctx); err != nil {
			return err
		}
		others, err := p.Queries.RepoPlansOnto(ctx, start.Definition.Repository, start.Definition.Integration)
		if err != nil {
			return err
		}
		if len(others) == 0 {
			err = repo.DropRef(ctx, "refs/heads/"+start.Definition.Integration, start.BaseCommit)
		}
		if err != nil {
			return err
		}
	}
	return os.RemoveAll(start.Place)
}

// dataDir is the data directory by its one true name, by which plans and sessions are known to be this node's.
func (p *Plans) dataDir() (string, error) {
	dir, err := filepath.Abs(p.Dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make the data directory: %w", err)
	}
	return filepath.EvalSymlinks(dir)
}

// places is the directory with the places of this node's plans.
func (p *Plans) places() (string, error) {
	dir, err := p.dataDir()
	return filepath.Join(dir, "plans"), err
}

// lock lets one process begin a plan at a time, so that two do not find the same branch free. The kernel lets go of
// it when the process ends.
func (p *Plans) lock(ctx context.Context) (release func(), err error) {
	if err := os.MkdirAll(filepath.Join(p.Dir, "plans"), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(p.Dir, "plans", "lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		locked, err := filelock.Try(file, filelock.Exclusive)
		if locked {
			return func() {
				_ = filelock.Unlock(file) // a process that is being started has the file open, too
				_ = file.Close()
			}, nil
		}
		if err != nil {
			return nil, errors.Join(err, file.Close())
		}
		look := time.NewTimer(lockLooked)
		select {
		case <-ctx.Done():
			look.Stop()
			return nil, errors.Join(context.Cause(ctx), file.Close())
		case <-look.C:
		}
	}
}

// lockLooked is how often it is seen whether another process has begun its plan.
const lockLooked = 20 * time.Millisecond

// Resolve is the id of the plan that somebody names: by its id, the end of it, or its title.
func (p *Plans) Resolve(ctx context.Context, named string) (string, error) {
	state, err := p.Commands.LoadPlan(ctx, named)
	if err != nil {
		return "", err
	}
	if state.Status != plan.StatusNone {
		return named, nil // also one that views do not have yet
	}
	found, err := p.Queries.RepoPlansNamed(ctx, named)
	switch {
	case err != nil:
		return "", err
	case len(found) == 0:
		return "", fault.New(fault.NotFound, "there is no plan %q: see 'kintsugi repo plan list'", named)
	case len(found) == 1:
		return found[0].ID, nil
	}
	ids := make([]string, len(found))
	for i, one := range found {
		ids[i] = one.ID
	}
	return "", fault.New(fault.Invalid, "%q may be any of the plans %s: name one by its id", named, strings.Join(ids, ", "))
}

// Get is a plan as it is now.
func (p *Plans) Get(ctx context.Context, id string) (RepoPlan, error) {
	state, err := p.Commands.LoadPlan(ctx, id)
	if err != nil {
		return RepoPlan{}, err
	}
	if state.Status == plan.StatusNone {
		return RepoPlan{}, fault.New(fault.NotFound, "there is no plan %q: see 'kintsugi repo plan list'", id)
	}
	shown := showRepoPlan(state)
	for one, err := range p.Commands.History(ctx, []string{plan.Stream(id)}) {
		if err != nil {
			return shown, err
		}
		shown.StartedAt, shown.StartedBy = one.Metadata.RecordedAt, one.Metadata.Actor
		break
	}
	return shown, nil
}

func showRepoPlan(state plan.State) RepoPlan {
	d := state.Definition
	shown := RepoPlan{
		ID: state.ID, Title: d.Title, Status: string(state.Status), Repository: d.Repository, Base: d.Base, Integration: d.Integration,
		Commit: state.Head, Place: state.Place, Held: len(state.Held()), Walled: !d.Wall.Off && launch.Walls(),
	}
	if state.Status == plan.StatusRunning && shown.Held > 0 && len(state.Due()) == 0 {
		shown.Status = "held"
	}
	for _, of := range d.Jobs {
		job := state.Jobs[of.ID]
		if job.Status == plan.JobMergedIn {
			shown.Merged++
		}
		one := RepoJob{
			ID: of.ID, Status: string(job.Status), Task: of.Task, Needs: of.Needs, Touch: of.Touch, MayCreate: of.MayCreate, Attempt: job.Attempt,
			Branch: job.Branch, Worktree: job.Worktree, Commit: job.Commit, Merge: job.Merge, InitLeft: job.SetupChanged,
		}
		if newest := cmp.Or(job.Launch, job.Last.Launch); newest != "" {
			one.Output = launch.OutputPath(coding.LaunchDir(state, of.ID, newest))
		}
		one.Session = job.Healing.Session
		if job.Healed.Flaky {
			one.Flaky = job.Healed.Reason
		}
		if job.Status == plan.JobHealing {
			one.Running = fmt.Sprintf("healing of %s: %s", job.Healing.Trigger, job.Healing.Reason)
		}
		if job.Launch != "" {
			one.Running = cmp.Or(state.Line(job, job.Running), strings.Join(of.Agent, " "))
		}
		if !job.Until.IsZero() && job.Status == plan.JobRunning {
			one.WaitsUntil = job.Until
			one.Running = "waits: " + job.Last.Result.Ending.Says
		}
		if job.Last.Launch != "" {
			one.Last = &job.Last.Result
		}
		if job.Status == plan.JobHeldBack {
			one.Checkpoint = &job.Held
		}
		shown.Jobs = append(shown.Jobs, one)
	}
	return shown
}

// History is what happened to a plan.
func (p *Plans) History(ctx context.Context, id string) ([]HistoryLine, error) {
	var recorded []event.Recorded
	for one, err := range p.Commands.History(ctx, []string{plan.Stream(id)}) {
		if err != nil {
			return nil, err
		}
		recorded = append(recorded, one)
	}
	return HistoryLines(recorded, p.Now().Location())
}

// planKind has the loop work on the plans whose place is here.
func (n *Node) planKind() (loop.Kind, error) {
	launcher, err := launch.New()
	if err != nil {
		return nil, err
	}
	config, err := n.Plans.coding(launcher)
	if err != nil {
		return nil, err
	}
	h, err := n.NewHealer()
	if err != nil {
		return nil, err
	}
	config.Healer = &planHealer{healer: h, commands: n.Commands}
	return coding.Plans(n.Commands, coding.New(config)), nil
}

func (p *Plans) coding(launcher *launch.Launcher) (coding.Config, error) {
	places, err := p.places()
	return coding.Config{Commands: p.Commands, Launcher: launcher, Places: places, Secrets: p.Secrets.Value, Now: p.Now, Logger: p.Logger}, err
}
