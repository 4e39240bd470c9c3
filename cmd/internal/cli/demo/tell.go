package demo

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/projections"
)

// This file is the demo's words. The story that they tell is in demo.go.

func (d *demo) say(format string, args ...any) {
	fmt.Fprintln(d.w, plain.Clean(fmt.Sprintf(format, args...)))
}

func (d *demo) title(number int, s story, a *automation.Automation) {
	d.say("\n── %d of %d · %s ──\n", number, len(stories), s.title)
	d.say("   %s: %s", a.Title, plain.Wrapped(a.Intent, "   ", 96-len(a.Title)))
	d.say("   It uses: %s", plain.Line(a.Case.API))
}

// The width of the column of event names, and of the text beside it.
const (
	nameWidth = 22
	textWidth = 88
)

// tells prints one line of the story: an event and what it says.
func (d *demo) tells(name, text string) {
	d.say("   %-*s %s", nameWidth, name, plain.Wrapped(text, strings.Repeat(" ", nameWidth+4), textWidth))
}

// show tells what the history says about the failure, from the failed run on.
func (d *demo) show(ctx context.Context, id string) error {
	state, err := d.node.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	telling := false
	for one, err := range d.node.Commands.History(ctx, []string{workflow.Stream(id)}) {
		if err != nil {
			return err
		}
		telling = telling || one.Event.EventType() == workflow.TypeRunFailed
		if !telling {
			continue
		}
		text, err := d.words(ctx, one.Event)
		if err != nil {
			return err
		}
		d.tells(one.Event.EventType(), text)
		if e, proposed := one.Event.(workflow.FixProposed); proposed {
			d.diff(state, e)
		}
	}
	return nil
}

// words are what an event says to someone who sees all this for the first time.
func (d *demo) words(ctx context.Context, e event.Event) (string, error) {
	switch e := e.(type) {
	case workflow.RunFailed:
		return fmt.Sprintf("on version %s: %s", e.Version, e.Failure), nil
	case workflow.LogicErrorClassified:
		return "class logic: neither the network nor access, so a change of the script may mend it", nil
	case workflow.MaintenanceEntered:
		return fmt.Sprintf("a maintainer works on version %s, fix %d of at most %d", e.Base, e.Attempt, e.Budget), nil
	case workflow.FixProposed:
		return fmt.Sprintf("%s (%s, based on %s)", e.Comment, e.Fixer.Kind, e.Base), nil
	case workflow.FixVerified:
		v := e.Verification
		return fmt.Sprintf("verdict %s: of %d recorded successes, %d have the same output and writes as before, %d are left out; the failing run %s",
			v.Verdict, v.Replayed, v.Identical, v.Excluded, v.FailingRun), nil
	case workflow.FixApplied:
		return fmt.Sprintf("it is version %s now", e.Version), nil
	case workflow.ScriptSaved:
		return fmt.Sprintf("version %s by the %s: %s", e.Version, e.Origin, e.Comment), nil
	case workflow.MaintenanceExited:
		return "the maintainer's task is over: " + e.Why, nil
	case workflow.RunAdmitted:
		return fmt.Sprintf("the failed run goes on, on version %s", e.Version), nil
	case workflow.RunSucceeded:
		recorded, err := d.node.Commands.LoadRun(ctx, e.Run)
		return fmt.Sprintf("on version %s%s. Output: %s", e.Version, answered(recorded), plain.Short(string(recorded.Output), 120)), err
	case workflow.FixConfirmed:
		return fmt.Sprintf("version %s does the job", e.Version), nil
	case workflow.Recovered:
		return "the first success after the failure", nil
	case workflow.FixRejectedStale:
		return fmt.Sprintf("recorded, not applied: it was based on %s, and meanwhile %s is active (%s)", e.Base, e.Current, e.Why), nil
	case workflow.Escalated:
		return fmt.Sprintf("no fix can be had (%s), so a person is asked, who can: %s\n%s", e.Reason, strings.Join(e.Actions, ", "), e.Explanation), nil
	}
	return projections.Line(e, time.Local), nil
}

// answered says how many calls of a run its predecessor's journal answered.
func answered(s run.State) string {
	if s.Usage.Reused == 0 {
		return ""
	}
	return fmt.Sprintf(": %d of %d calls answered by the journal of the failed run, none made twice", s.Usage.Reused, s.Usage.Calls)
}

func (d *demo) diff(s workflow.State, e workflow.FixProposed) {
	base, _ := s.Script(e.Base)
	for one := range strings.Lines(udiff.Unified(e.Base.String(), "proposed", base.Code, e.Code)) {
		changed := strings.HasPrefix(one, "+") || strings.HasPrefix(one, "-")
		if changed && !strings.HasPrefix(one, "+++") && !strings.HasPrefix(one, "---") {
			d.say("   %-*s %s", nameWidth, "", strings.TrimRight(one, "\n"))
		}
	}
}

// runAgain shows that the version which overtook the fix works.
func (d *demo) runAgain(ctx context.Context, id string, recorded automation.Run) error {
	again, err := d.run(ctx, id, recorded)
	if err != nil {
		return err
	}
	state, err := d.node.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	became, _ := state.Run(again)
	if !became.Succeeded {
		return fmt.Errorf("run %s failed on version %s", again, became.Version)
	}
	text, err := d.words(ctx, workflow.RunSucceeded{Run: again, Version: became.Version})
	if err != nil {
		return err
	}
	d.say("\n   The same input once more:")
	d.tells(workflow.TypeRunSucceeded, text)
	return nil
}

func (d *demo) epilogue(took time.Duration) {
	d.say("\nDone in %.1f s. Look further:\n", took.Seconds())
	command := plain.Quoted(os.Args[0]) + " --data-dir " + plain.Quoted(d.DataDir)
	mended, escalated, overtaken := plain.Quoted(d.result.Workflows[0].name), plain.Quoted(d.result.Workflows[1].name), plain.Quoted(d.result.Workflows[2].name)
	for _, further := range [][2]string{
		{"workflow list", "where the three stand"},
		{"history " + mended + " --verify", "every event, and the hash chains checked"},
		{"history " + mended + " --at 1.0", "as it was, and what is different now"},
		{"script diff " + mended, "what the fix changed"},
		{"fix list", "every fix and what became of it"},
		{"notification list", "what a person is told"},
		{"workflow show " + escalated, "why a person is needed"},
		{"script list " + overtaken, "the planner's version beside the first"},
		{"run list --workflow " + overtaken, "its runs"},
	} {
		d.say("  # %s\n  %s %s", further[1], command, further[0])
	}
}
