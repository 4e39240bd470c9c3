package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/group"
)

// Error is what git said when it refused.
type Error struct {
	Args []string
	Code int
	Says string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("git %s: %s (exit status %d)", strings.Join(e.Args, " "), e.Says, e.Code)
}

// maxSaid bounds what is kept of what git writes on its standard error.
const maxSaid = 4 << 10

// killGrace is how long the pipes of a git that has ended may stay open: a process that is just being started has them, too, until it
// becomes another program.
const killGrace = 30 * time.Second

// call is one call of git.
type call struct {
	gitDir, workTree, index string
	common                  string
	dir                     string
	env                     []string
	in                      io.Reader
	out                     io.Writer
	args                    []string
}

// environment is all that git gets. Nothing of the repository's or the person's configuration can name a program: hooks,
// the monitor of files, editors, pagers, filters, and helpers that ask or fetch.
func environment() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_ATTR_NOSYSTEM=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=:", "GIT_EDITOR=:", "GIT_PAGER=cat", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1",
		// Ignore replacement refs (git replace): they would show another object's content.
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_LITERAL_PATHSPECS=1", "GIT_OPTIONAL_LOCKS=0",
		"GIT_AUTHOR_NAME=Kintsugi", "GIT_AUTHOR_EMAIL=kintsugi@localhost", "GIT_COMMITTER_NAME=Kintsugi", "GIT_COMMITTER_EMAIL=kintsugi@localhost",
	}
}

// safeguards are set where the repository's own configuration is read: to make and remove worktrees.
var safeguards = []string{"-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}

func (r *Repo) run(ctx context.Context, c call) error {
	program := exec.CommandContext(ctx, r.git, append(append([]string{}, safeguards...), c.args...)...)
	program.Env = append(environment(), c.env...)
	for name, value := range map[string]string{
		"GIT_DIR": c.gitDir, "GIT_COMMON_DIR": c.common, "GIT_WORK_TREE": c.workTree, "GIT_INDEX_FILE": c.index,
	} {
		if value != "" {
			program.Env = append(program.Env, name+"="+value)
		}
	}
	program.Dir = c.dir
	said := &head{most: maxSaid}
	program.Stdin, program.Stdout, program.Stderr = c.in, c.out, said
	// Its own group: an interrupt at the terminal is the caller's to handle, and a git that is ended leaves no helper.
	group.Own(program)
	program.WaitDelay = killGrace
	atWork, err := r.atWork()
	if err != nil {
		return err
	}
	if atWork != nil {
		defer atWork.Close()
		program.ExtraFiles = []*os.File{atWork}
	}
	err = program.Run()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("gitrepo: git %s: %w", c.args[0], context.Cause(ctx))
	}
	if exit, is := errors.AsType[*exec.ExitError](err); is {
		return &Error{Args: c.args, Code: exit.ExitCode(), Says: strings.TrimSpace(said.text.String())}
	}
	if _, there := os.Stat(c.dir); there != nil {
		return fmt.Errorf("gitrepo: git %s: %w (%w)", c.args[0], ErrWorktree, there)
	}
	return fmt.Errorf("gitrepo: git %s: %w", c.args[0], err)
}

// output is what a call writes, without the end of its last line.
func (r *Repo) output(ctx context.Context, c call) (string, error) {
	var out bytes.Buffer
	c.out = &out
	err := r.run(ctx, c)
	return strings.TrimSuffix(out.String(), "\n"), err
}

// onView calls git on the repository through the view, without any worktree.
func (r *Repo) onView(ctx context.Context, args ...string) (string, error) {
	return r.output(ctx, call{gitDir: r.view, dir: r.view, args: args})
}

// Refused says that git, or what is there in place of a repository or worktree, said no: asked again it says so again.
func Refused(err error) bool {
	_, refused := errors.AsType[*Error](err)
	_, moved := errors.AsType[*MovedError](err)
	return refused || moved || errors.Is(err, ErrNoRevision) || errors.Is(err, ErrWorktree)
}

// exitCode is the status with which git ended, -1 if that is not why it failed.
func exitCode(err error) int {
	if failed, is := errors.AsType[*Error](err); is {
		return failed.Code
	}
	return -1
}

// head keeps the beginning of what is written, and takes everything.
type head struct {
	text bytes.Buffer
	most int
	over bool
}

// Write implements [io.Writer].
func (h *head) Write(b []byte) (int, error) {
	take := min(len(b), h.most-h.text.Len())
	h.text.Write(b[:take])
	h.over = h.over || take < len(b)
	return len(b), nil
}
