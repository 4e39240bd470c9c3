package maintenance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/basics/group"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// CommandFixerConfig is an external program that proposes fixes. The operator names it, never a
// workflow.
type CommandFixerConfig struct {
	// Argv is the program and its arguments. No shell reads it.
	Argv []string
	// Time bounds one run of the program. Default 2 minutes. One that takes longer is run again later, with twice the time, and a
	// third time: it may have waited for a machine or a service that is busy.
	Time    time.Duration
	Sandbox sandbox.Runner
	Logger  *slog.Logger
}

// CommandFixer runs a program for each failure: a [CommandCase] comes on its standard input, a [CommandAnswer] is
// expected on its standard output. It gets an environment without secrets, an empty directory of its own, and the
// time and the output of the configuration; its proposals are judged as every candidate is.
type CommandFixer struct{ config CommandFixerConfig }

var _ repair.Fixer = (*CommandFixer)(nil)

// CommandCase is what the program gets, as JSON.
type CommandCase struct {
	Format    string        `json:"format"` // kintsugi.case/1
	Title     string        `json:"title"`
	Intent    string        `json:"intent"`
	Zone      string        `json:"zone"`
	Version   string        `json:"version"`
	Code      string        `json:"code"`
	Changelog []gate.Change `json:"changelog"` // newest first
	Error     sandbox.Error `json:"error"`
	Failed    gate.Run      `json:"failed"`
	Successes []gate.Run    `json:"successes"` // oldest first, the newest few
}

// CommandAnswer is what it answers, as JSON: candidates, best first, and a sentence for people.
type CommandAnswer struct {
	Candidates []struct {
		Code    string `json:"code"`
		Comment string `json:"comment"`
	} `json:"candidates"`
	Explanation string `json:"explanation"`
	// Version says what proposed them, for those who read the fix. Default the program's name.
	Version string `json:"version"`
}

// The bounds of a program that proposes fixes.
const (
	commandFormat     = "kintsugi.case/1"
	commandTime       = 2 * time.Minute
	commandOutput     = 4 << 20
	commandCandidates = 20
	commandSuccesses  = 10
	commandTries      = 3
	// commandGrace is how long pipes stay open that a killed program left to its children.
	commandGrace = 10 * time.Second
)

// NewCommandFixer panics if a dependency is missing: that is a mistake in the wiring.
func NewCommandFixer(config CommandFixerConfig) *CommandFixer {
	if len(config.Argv) == 0 || config.Sandbox == nil || config.Logger == nil {
		panic("maintenance: NewCommandFixer without a dependency")
	}
	if config.Time == 0 {
		config.Time = commandTime
	}
	return &CommandFixer{config: config}
}

// Name implements [repair.Fixer].
func (f *CommandFixer) Name() string { return workflow.FixerCommand }

// Propose implements [repair.Fixer]. Without a task there is none to come back to.
func (f *CommandFixer) Propose(context.Context, repair.Evidence, repair.Judge) (string, error) {
	return "", errors.New("maintenance.CommandFixer: a program works on a task: it is used by a Maintainer")
}

// at is the program at work on a task.
func (f *CommandFixer) at(j *job) repair.Fixer { return commandAtWork{f, j} }

type commandAtWork struct {
	*CommandFixer
	job *job
}

// Propose implements [repair.Fixer]. A program that fails proposes nothing, and the explanation says so. One that takes too long is run again.
func (f commandAtWork) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (string, error) {
	kept := f.job.kept(f.job.id+mending, f.job.open.Task)
	limit := f.config.Time << min(kept.late, commandTries-1)
	answer, err := f.run(ctx, evidence, limit)
	if ctx.Err() != nil {
		return "", fmt.Errorf("maintenance.CommandFixer: %w", context.Cause(ctx))
	}
	if kept.late++; errors.Is(err, errLate) && kept.late < commandTries {
		return "", &loop.Wait{Until: f.job.config.Place.Now().Add(2 * limit), Tries: kept.late, Trouble: fmt.Errorf(
			"the repair is not finished: the program %s took longer than %s. It is run again with twice the time, up to %d times", f.config.Argv[0], limit, commandTries)}
	}
	if err != nil {
		f.config.Logger.Error("the program that proposes fixes failed", "program", f.config.Argv[0], "error", err)
		return fmt.Sprintf("The program %s proposed nothing: %v", f.config.Argv[0], err), nil
	}
	version := failure.Cut(answer.Version, 200)
	if version == "" {
		version = f.config.Argv[0]
	}
	tried := false
	for _, one := range answer.Candidates[:min(len(answer.Candidates), commandCandidates)] {
		comment := failure.Cut(strings.TrimSpace(one.Comment), 300)
		if comment == "" {
			comment = "proposed by " + f.config.Argv[0]
		}
		problem, err := rehearsal.Unparsed(ctx, f.config.Sandbox, one.Code)
		if err != nil {
			return "", fmt.Errorf("maintenance.CommandFixer: %w", err)
		}
		if problem != "" {
			continue
		}
		tried = true
		candidate := repair.Candidate{Code: one.Code, Comment: comment, Fixer: workflow.FixerCommand, Template: version}
		judged, err := judge(ctx, candidate)
		if err != nil {
			return "", err
		}
		if handedIn(candidate, judged) {
			break
		}
	}
	if answer.Explanation == "" && !tried {
		return fmt.Sprintf("The program %s proposed no script that could be tried.", f.config.Argv[0]), nil
	}
	return failure.Cut(answer.Explanation, 4<<10), nil
}

var errLate = errors.New("it ran for too long")

func (f *CommandFixer) run(ctx context.Context, evidence repair.Evidence, limit time.Duration) (CommandAnswer, error) {
	var answer CommandAnswer
	successes := evidence.Successes[max(0, len(evidence.Successes)-commandSuccesses):]
	input, err := json.Marshal(CommandCase{
		Format: commandFormat, Title: evidence.Title, Intent: evidence.Intent, Zone: evidence.Zone, Version: evidence.Version, Code: evidence.Code,
		Changelog: evidence.Changelog, Error: evidence.Failure, Failed: evidence.Failed, Successes: successes,
	})
	if err != nil {
		return answer, err
	}
	dir, err := os.MkdirTemp("", "kintsugi-fixer-")
	if err != nil {
		return answer, err
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%w: more than %s", errLate, limit))
	defer cancel()
	output, complaints := &bounded{most: commandOutput}, &bounded{most: 4 << 10}
	program := exec.CommandContext(ctx, f.config.Argv[0], f.config.Argv[1:]...)
	program.Dir, program.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LANG=C.UTF-8"}
	program.Stdin, program.Stdout, program.Stderr = bytes.NewReader(input), output, complaints
	program.WaitDelay = commandGrace
	group.Own(program)
	switch err := program.Run(); {
	case ctx.Err() != nil:
		return answer, context.Cause(ctx)
	case output.over:
		return answer, fmt.Errorf("it wrote more than %d bytes", commandOutput)
	case err != nil:
		return answer, fmt.Errorf("%w %s", err, failure.Cut(complaints.text.String(), 500))
	}
	if err := json.Unmarshal(output.text.Bytes(), &answer); err != nil {
		return answer, fmt.Errorf("its answer is not JSON: %w", err)
	}
	return answer, nil
}

// bounded keeps the first bytes of what is written, and refuses the rest.
type bounded struct {
	text bytes.Buffer
	most int
	over bool
}

var errTooMuch = errors.New("too much output")

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	if b.text.Len()+len(p) > b.most {
		b.over = true
		return 0, errTooMuch
	}
	return b.text.Write(p)
}

var _ io.Writer = (*bounded)(nil)
