package plan

import (
	"fmt"
	"strings"
)

// Prompt is what the agent of a job is told at a step.
func (s State) Prompt(job JobState, step Step) string {
	text := s.task(job, step.Index)
	if job.Prompt != "" && job.Step == job.Corrects {
		text = job.Prompt
	}
	if job.Delays > 0 {
		text += "\nYou have begun this before, in this same directory, and a limit of your service stopped you. What you did is still there: go on from it.\n"
	}
	return text
}

// task is a job's task, or one of its subtasks, with the limits that it has.
func (s State) task(job JobState, index int) string {
	of, _ := s.Definition.Job(job.ID)
	var text strings.Builder
	text.WriteString(strings.TrimSpace(of.Task) + "\n")
	if index < len(of.Subtasks) {
		fmt.Fprintf(&text, "\nThis is part %d of %d of it. Do only this part:\n%s\n", index+1, len(of.Subtasks), strings.TrimSpace(of.Subtasks[index]))
	}
	text.WriteString("\n" + of.limits())
	return text.String()
}

func (j Job) limits() string {
	var text strings.Builder
	text.WriteString("Change only files that match these patterns, relative to the top of the repository:\n")
	for _, pattern := range j.Touch {
		text.WriteString("  " + pattern + "\n")
	}
	if len(j.MayCreate) > 0 {
		text.WriteString("You may also create new files that match:\n")
		for _, pattern := range j.MayCreate {
			text.WriteString("  " + pattern + "\n")
		}
	}
	return text.String()
}

// correction is what an agent is told whose work was held, or failed.
func (s State) correction(job JobState, held JobHeld, note string) string {
	of, _ := s.Definition.Job(job.ID)
	red := job.Mends
	if job.Status == JobHeldBack && job.mergeWasRed() {
		red = job.Merge
	}
	var text strings.Builder
	index := 0
	if len(of.Subtasks) > 0 {
		job.Status, job.Step = JobRunning, s.againAt(job, job.stood())
		step, _ := s.NextStep(job)
		index = step.Index
	}
	text.WriteString(s.task(job, index))
	text.WriteString("\nYou have worked on this before, in this same directory; your work is still there. It cannot be taken as it is.\n")
	if held.Healing != nil && len(held.Healing.Kept) > 0 {
		text.WriteString("But what was not committed may have been taken out of the directory since. All of it is in these references; look at them with git diff HEAD:\n")
		for _, ref := range held.Healing.Kept {
			text.WriteString("  " + ref + "\n")
		}
	}
	switch held.Kind {
	case KindTouchset:
		fmt.Fprintf(&text, "These changes are outside of what you may touch (%d):\n", held.Count)
		for _, violation := range held.Violations {
			fmt.Fprintf(&text, "  %s (%s): %s\n", violation.Path, violation.Change, violation.Why)
		}
		if more := held.Count - len(held.Violations); more > 0 {
			fmt.Fprintf(&text, "  and %d more\n", more)
		}
		fmt.Fprintf(&text, "Revert exactly these changes, as they are in commit %s, without breaking the work that was intended. Leave everything else as it is.\n", held.Since)
	case KindMergeConflict:
		fmt.Fprintf(&text, "%s.\n", held.Reason)
		for _, violation := range held.Violations {
			fmt.Fprintf(&text, "  %s\n", violation.Path)
		}
		fmt.Fprintf(&text, "Merge commit %s into your branch, and resolve the conflicts so that both sides' intent holds.\n", s.Head)
	case KindStopped:
		fmt.Fprintf(&text, "A person had you stopped: %s\nGo on with the task from where you were.\n", strings.TrimPrefix(held.Reason, "it was stopped: "))
	case KindNoChange:
		fmt.Fprintf(&text, "No file is different from what you began with: %s\n", held.Reason)
		text.WriteString("Do the task now. If you put work aside, take it back: look at git stash list and git reflog. Ask nothing, for nobody answers.\n")
	default:
		fmt.Fprintf(&text, "%s\n", held.Reason)
		if job.Last.Result.Tail != "" {
			fmt.Fprintf(&text, "The end of its output:\n%s\n", job.Last.Result.Tail)
		}
		if red != "" {
			fmt.Fprintf(&text, "This directory has the merge, commit %s: your work together with what other jobs did meanwhile.\n", red)
			fmt.Fprintf(&text, "What the others did: git diff %[1]s^2...%[1]s^1\nWhat you did: git diff %[1]s^1...%[1]s^2\n", red)
			text.WriteString("Neither side is wrong alone: change your work so that both hold.\n")
		}
		text.WriteString("Correct this.\n")
	}
	if note != "" {
		fmt.Fprintf(&text, "The person who looked at it says:\n%s\n", note)
	}
	return text.String()
}
