package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/coding/gitrepo"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
)

const (
	// maxOutput is how much of what a program writes is kept; beyond, the middle is left out.
	maxOutput = 64 << 20
	// tailBytes is how much of its end is on the log.
	tailBytes = 16 << 10
	// watchFor is how long a turn waits for the end of a program before it looks at the plan again.
	watchFor = time.Second
)

// step says on the log which program is launched next, before it is.
func (t *turn) step(ctx context.Context) error {
	next, more := t.state.NextStep(t.job)
	if !more {
		return nil
	}
	if t.worker.config.Now().Before(t.job.Until) {
		return &loop.Wait{Until: t.job.Until}
	}
	name := fmt.Sprintf("%03d-%s", t.job.Launches+1, next.Phase)
	return t.command(ctx, plan.StartStep{Job: t.job.ID, Step: next, Launch: name}, "step")
}

// end launches what the log says is launched, once, and waits for its end for a while.
func (t *turn) end(ctx context.Context) error {
	dir := t.launchDir(t.job.Launch)
	_, begun, err := launch.Supervisor(dir)
	if err != nil {
		return err
	}
	if !begun {
		if before := t.job.Last.Launch; before != "" { // nothing of it may be at work in the same files
			if _, err := t.worker.config.Launcher.End(ctx, t.launchDir(before)); err != nil {
				return err
			}
		}
		if t.job.Mends != "" && t.job.Mends == t.job.Merge && t.job.Running.Phase == plan.PhaseAgent {
			if err := t.putMerge(ctx); err != nil {
				return err
			}
		}
		if t.job.Status != plan.JobMerging {
			if err := t.again(ctx); err != nil {
				return err
			}
		}
		if t.setsUp() {
			if err := t.beforeInit(ctx); err != nil {
				return err
			}
		}
		spec, err := t.spec(ctx)
		if fault.KindOf(err) == fault.NotFound || errors.Is(err, gitrepo.ErrWorktree) {
			return t.ended(ctx, plan.Outcome{Says: err.Error(), Reason: plan.ReasonUnable})
		}
		if err != nil {
			return err
		}
		if err := t.noteCheckout(ctx, dir, spec); err != nil {
			return err
		}
		if err := t.worker.config.Launcher.Start(ctx, dir, spec); err != nil {
			return err
		}
	}
	watched, cancel := context.WithTimeout(ctx, watchFor)
	defer cancel()
	ended, err := t.worker.config.Launcher.Wait(watched, dir)
	if watched.Err() != nil && err != nil && ctx.Err() == nil {
		return &loop.Wait{Until: t.worker.config.Now()}
	}
	if err != nil {
		return err
	}
	if err := os.RemoveAll(t.temporary()); err != nil {
		t.worker.config.Logger.WarnContext(ctx, "temporary files of a job stay", "plan", t.id, "job", t.job.ID, "error", err)
	}
	command := plan.EndStep{Job: t.job.ID, Launch: t.job.Launch, Result: outcomeOf(dir, ended)}
	if of, _ := t.state.Definition.Job(t.job.ID); t.job.Running.Phase == plan.PhaseAgent {
		command.Result.Ending = EndingOf(of.Agent, command.Result.Tail, ended.At)
	}
	if t.job.Status != plan.JobMerging {
		err = t.moveLocks(ctx)
	}
	switch {
	case err != nil:
	case t.setsUp():
		command.After, command.Changed, err = t.leftByInit(ctx, ended.At)
	case t.job.Status == plan.JobVerifying:
		if last := t.job; command.Result.OK {
			last.Step++
			if _, more := t.state.NextStep(last); more { // what one check builds is there for the next
				break
			}
		}
		err = t.putBack(ctx, ended.At)
	}
	if err == nil || errors.Is(err, gitrepo.ErrWorktree) {
		var looked error
		if command.Outside, looked = t.changedOutside(ctx, dir); looked != nil {
			err = looked
		}
	}
	if err != nil && !errors.Is(err, gitrepo.ErrWorktree) { // one that is gone is said when the job goes on
		return err
	}
	return t.command(ctx, command, "end")
}

func (t *turn) ended(ctx context.Context, result plan.Outcome) error {
	return t.command(ctx, plan.EndStep{Job: t.job.ID, Launch: t.job.Launch, Result: result}, "end")
}

func outcomeOf(dir string, ended launch.Ended) plan.Outcome {
	tail, err := launch.Tail(dir, tailBytes)
	if err != nil {
		tail = err.Error()
	}
	says := ended.String()
	if ended.Detail != "" && ended.Reason != launch.Unable {
		says += ": " + ended.Detail
	}
	result := plan.Outcome{OK: ended.OK() && ended.Detail == "", Says: says, Code: ended.Code, Reason: string(ended.Reason), Tail: strings.ToValidUTF8(tail, "�"), Bytes: ended.Output, Left: ended.Left, Walled: ended.Walled}
	if !ended.Began.IsZero() {
		result.Millis = ended.At.Sub(ended.Began).Milliseconds()
	}
	return result
}

// kill ends what is at work for a job that is stopped or dropped, or whose plan is cancelled.
func (t *turn) kill(ctx context.Context) error {
	if t.job.Launch == "" {
		return t.stopHealing(ctx, "a person had it ended")
	}
	dir := t.launchDir(t.job.Launch)
	ended, err := t.worker.config.Launcher.End(ctx, dir)
	if err != nil {
		return err
	}
	return t.ended(ctx, outcomeOf(dir, ended))
}

// spec is the program of the step that is under way.
func (t *turn) spec(ctx context.Context) (launch.Spec, error) {
	of, _ := t.state.Definition.Job(t.job.ID)
	spec := launch.Spec{Dir: t.job.Worktree, Timeout: of.Limit(), MaxOutput: maxOutput}
	if t.job.Status == plan.JobMerging {
		spec.Dir = t.mergeTree()
	}
	if t.job.Running.Phase != plan.PhaseAgent {
		spec.Argv = plan.Shell(t.state.Line(t.job, t.job.Running))
		err := t.equip(ctx, false, &spec)
		return spec, err
	}
	if err := os.RemoveAll(t.trajectory()); err != nil { // an earlier agent's
		return spec, err
	}
	spec.Argv, spec.Stdin = of.Agent, t.state.Prompt(t.job, t.job.Running)
	err := t.equip(ctx, true, &spec)
	return spec, err
}

// Equip gives a program that the Healer launches for a job what the job's own programs have.
func (w *Worker) Equip(ctx context.Context, id, job string, agent bool, spec *launch.Spec) error {
	state, err := w.config.Commands.LoadPlan(ctx, id)
	if err != nil {
		return err
	}
	of, there := state.Jobs[job]
	if !there {
		return fault.New(fault.NotFound, "plan %s has no job %q", id, job)
	}
	t := &turn{worker: w, id: id, state: state, job: of}
	return t.equip(ctx, agent, spec)
}

// equip gives a program its environment, its secrets and its wall, and an agent its task.
func (t *turn) equip(ctx context.Context, agent bool, spec *launch.Spec) (err error) {
	of, _ := t.state.Definition.Job(t.job.ID)
	home := t.dir("home")
	for _, dir := range []string{home, filepath.Dir(t.trajectory())} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	if err := t.makeTemporary(); err != nil {
		return err
	}
	if spec.Wall, err = t.wall(ctx, cmp.Or(spec.Dir, t.job.Worktree)); err != nil {
		return err
	}
	ports, err := t.ports()
	if err != nil {
		return err
	}
	// The path is where programs are, and no secret; nothing else is the server's.
	env := map[string]string{
		"PATH": os.Getenv("PATH"), "HOME": home, "LANG": "C.UTF-8", "KINTSUGI_PLAN": t.id, "KINTSUGI_JOB": t.job.ID, "KINTSUGI_ATTEMPT": strconv.Itoa(t.job.Attempt), "TMPDIR": t.temporary(),
		"GIT_AUTHOR_NAME": t.job.ID, "GIT_AUTHOR_EMAIL": t.job.ID + "@kintsugi.invalid", "GIT_COMMITTER_NAME": t.job.ID, "GIT_COMMITTER_EMAIL": t.job.ID + "@kintsugi.invalid",
	}
	maps.Copy(env, of.Environment)
	for name, port := range ports {
		env[name] = strconv.Itoa(port)
	}
	spec.Hide = map[string]string{}
	if agent {
		file := t.dir("task.txt")
		if err := os.WriteFile(file, []byte(spec.Stdin), 0o600); err != nil {
			return err
		}
		env["KINTSUGI_TASK_FILE"], env["KINTSUGI_TRAJECTORY"], spec.Argv = file, t.trajectory(), arguments(spec.Argv, spec.Stdin)
	}
	secrets := t.state.Definition.Secrets
	if agent {
		secrets = of.Secrets
	}
	for name, handle := range secrets {
		value, there, err := t.worker.config.Secrets(plan.Subject(t.id), handle, SecretHost)
		if err != nil {
			return err
		}
		if !there {
			return fault.New(fault.NotFound, "there is no secret %q that agents may have: kintsugi secret set %s --all --host %s", handle, handle, SecretHost)
		}
		env[name], spec.Hide[handle] = value, value
	}
	spec.Env = nil
	for _, name := range slices.Sorted(maps.Keys(env)) {
		spec.Env = append(spec.Env, name+"="+env[name])
	}
	return nil
}

// trajectory is where an agent may tell what it did.
func (t *turn) trajectory() string { return t.dir("out", "trajectory.json") }

// arguments are an agent's, with the prompt where {task} stands; never in a line that the shell reads, where it would
// be read as part of the line.
func arguments(agent plan.Program, prompt string) []string {
	if len(agent) > 1 && filepath.Base(agent[0]) == "sh" && agent[1] == "-c" {
		return agent
	}
	argv := slices.Clone(agent)
	for i := range argv[1:] {
		argv[i+1] = strings.ReplaceAll(argv[i+1], "{task}", prompt)
	}
	return argv
}
