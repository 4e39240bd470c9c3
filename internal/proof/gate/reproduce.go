package gate

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Reproduction is what became of a recorded run when it was run again.
type Reproduction struct {
	Run string `json:"run"`
	// Reproduced says that output, ordered writes and error are as recorded.
	Reproduced bool        `json:"reproduced"`
	Divergence *Divergence `json:"divergence"`
	// Differences are all things in which it is not as recorded, for people.
	Differences []Difference `json:"-"`
	// LogDiffers says that the log is not as recorded. It is told and not counted: a log
	// is for people, nothing is decided from it.
	LogDiffers bool            `json:"log_differs"`
	Outcome    sandbox.Outcome `json:"-"`
}

// Reproduce runs a recorded run again on code, its own or another version's, in the
// workflow's zone, and compares. An error is the runner's or the context's, never the script's.
func Reproduce(ctx context.Context, runner sandbox.Runner, code, zone string, run *Run) (Reproduction, error) {
	outcome, err := execute(ctx, runner, run.ID, code, zone, run)
	if err != nil {
		return Reproduction{}, err
	}
	return reproduction(code, run, outcome), nil
}

func reproduction(code string, run *Run, outcome replayed) Reproduction {
	r := Reproduction{Run: run.ID, Outcome: outcome.Outcome}
	switch {
	case isUnanswerable(&outcome):
		if r.Divergence = compareWrites(run.ID, recordedWrites(run), writesOf(&outcome), false); r.Divergence == nil {
			r.Divergence = &Divergence{Run: run.ID, What: inCall, Want: "a recorded call", Got: outcome.Error.Message}
		}
	case run.Outcome.Status == "failed":
		if r.Divergence = compareFailure(code, run, outcome.Error); r.Divergence == nil {
			r.Divergence = compareWrites(run.ID, recordedWrites(run), writesOf(&outcome), true)
		}
	default:
		r.Divergence = compareSuccess(run, &outcome)
	}
	r.Reproduced = r.Divergence == nil
	r.Differences = differences(run, &outcome, r.Divergence)
	r.LogDiffers = run.Log != nil && !sameLog(run.Log, outcome.Log)
	return r
}

// compareFailure says in what the failure is another than the recorded one, or nil.
// Messages are compared without what differs from run to run, and the place only if it
// was recorded.
func compareFailure(code string, run *Run, got *sandbox.Error) *Divergence {
	want := run.Outcome.Error
	if want == nil {
		return nil
	}
	shown := cut(want.Name + ": " + want.Message)
	if got == nil {
		return &Divergence{Run: run.ID, What: inError, Want: shown, Got: "the run succeeds"}
	}
	recorded := sandbox.Error{Class: want.Class, Name: want.Name, Message: want.Message}
	again := sandbox.Error{Class: got.Class, Name: got.Name, Message: got.Message}
	if got.Kept() && want.Class == sandbox.ClassLogic {
		again.Class = want.Class // it was recorded before the script's own errors kept the class of an answer
	}
	if frames := framesOf(want.Stack); len(frames) > 0 && len(got.Frames) > 0 {
		recorded.Frames, again.Frames = frames[:1], got.Frames[:1]
	}
	engine.Fingerprint(code, &recorded)
	engine.Fingerprint(code, &again)
	if recorded.Strict == again.Strict {
		return nil
	}
	d := &Divergence{Run: run.ID, What: inError, Want: shown, Got: showError(got)}
	switch {
	case want.Class != got.Class:
		d.Want, d.Got = want.Class+" "+d.Want, got.Class+" "+d.Got
	case d.Want == d.Got && len(recorded.Frames) > 0:
		d.Want, d.Got = d.Want+" "+showFrame(recorded.Frames[0]), d.Got+" "+showFrame(again.Frames[0])
	}
	return d
}

// frameLine is a line of a stack trace: at main (script.js:12:34(56)).
var frameLine = lazyregexp.New(`(?m)^\s*at (?:(.+?) \()?script\.[jt]s:(\d+):(\d+)`)

func framesOf(stack string) []sandbox.Frame {
	var frames []sandbox.Frame
	for _, m := range frameLine.FindAllStringSubmatch(stack, -1) {
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		frames = append(frames, sandbox.Frame{Function: m[1], Line: line, Column: column})
	}
	return frames
}

// FailedAt is the place in the script at which a run failed, by the stack of its error; nil if it names none.
func FailedAt(stack string) *sandbox.Frame {
	if frames := framesOf(stack); len(frames) > 0 {
		return &frames[0]
	}
	return nil
}

func showFrame(f sandbox.Frame) string { return fmt.Sprintf("(line %d, column %d)", f.Line, f.Column) }

func sameLog(want []LogLine, got []sandbox.LogLine) bool {
	return slices.EqualFunc(want, got, func(w LogLine, g sandbox.LogLine) bool {
		return w.Level == g.Level && w.Text == g.Text
	})
}
