package maintenance

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// history is the latest events of a workflow, for an agent that works on one of its failures.
type history struct {
	lines     []string // oldest first
	seen      int      // how often the failure of the task was seen before
	succeeded int      // runs, of those that the lines are about
	failed    int
}

// historyLines bounds the history in a prompt.
const historyLines = 60

// loadHistory reads a workflow's stream. run is the failed run of the task.
func loadHistory(ctx context.Context, c *commands.Commands, id, run, zone string) (history, error) {
	location, err := time.LoadLocation(zone)
	if err != nil {
		location = time.UTC
	}
	var told history
	var kinds []rune
	for recorded, err := range c.History(ctx, []string{workflow.Stream(id)}) {
		if err != nil {
			return told, fmt.Errorf("maintenance: read the history of workflow %s: %w", id, err)
		}
		if of, seen, is := classification(recorded.Event); is && of == run {
			told.seen = seen
		}
		line, kind := historyLine(recorded.Event)
		if line == "" {
			continue
		}
		told.lines = append(told.lines, recorded.Metadata.RecordedAt.In(location).Format("2006-01-02 15:04")+" "+line)
		kinds = append(kinds, kind)
		if len(told.lines) > historyLines {
			told.lines, kinds = told.lines[1:], kinds[1:]
		}
	}
	for _, kind := range kinds {
		switch kind {
		case '+':
			told.succeeded++
		case '-':
			told.failed++
		}
	}
	return told, nil
}

func classification(e event.Event) (run string, seen int, is bool) {
	switch e := e.(type) {
	case workflow.LogicErrorClassified:
		return e.Run, e.Seen, true
	case workflow.LimitErrorClassified:
		return e.Run, e.Seen, true
	}
	return "", 0, false
}

// historyLine is an event in a line; empty if it is of no matter to a repair. The kind is + for a run that succeeded
// and - for one that failed.
func historyLine(e event.Event) (line string, kind rune) {
	switch e := e.(type) {
	case workflow.RunSucceeded:
		return fmt.Sprintf("a run of %s succeeded", e.Version), '+'
	case workflow.RunFailed:
		return fmt.Sprintf("a run of %s failed (%s): %s", e.Version, e.Failure.Class, failure.Cut(e.Failure.String(), 200)), '-'
	case workflow.RunCancelled:
		return fmt.Sprintf("a person cancelled a run of %s", e.Version), 0
	case workflow.NotReproduced:
		return "the failure was gone when it was tried again", 0
	case workflow.ScriptSaved:
		return fmt.Sprintf("version %s was saved (%s): %s", e.Version, e.Origin, failure.Cut(e.Comment, 200)), 0
	case workflow.FixRejectedDifferent:
		return "a fix was refused, because it changes what worked: " + failure.Cut(e.Divergence, 200), 0
	case workflow.FixRejectedStale:
		return "a fix came too late: " + e.Why, 0
	case workflow.FixHeld:
		return "a fix was held for a person: " + failure.Cut(strings.Join(e.Reasons, "; "), 300), 0
	case workflow.FixAccepted:
		return "a person accepted it: " + failure.Cut(e.Reason, 200), 0
	case workflow.FixDeclined:
		return "a person declined it: " + failure.Cut(e.Reason, 200), 0
	case workflow.FixCorrectionRequested:
		return "a person sent it back: " + failure.Cut(e.Note, 200), 0
	case workflow.FixConfirmed:
		return fmt.Sprintf("version %s was confirmed", e.Version), 0
	case workflow.FixRegressed:
		return fmt.Sprintf("version %s did not mend it", e.Version), 0
	case workflow.Escalated:
		return fmt.Sprintf("handed to a person (%s): %s", e.Reason, failure.Cut(e.Explanation, 200)), 0
	case workflow.IntentChanged:
		return "the person changed the intent", 0
	}
	return "", 0
}
