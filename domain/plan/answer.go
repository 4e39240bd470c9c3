package plan

import "fmt"

// Answer is what a person can say to a checkpoint.
type Answer string

// The answers.
const (
	AnswerAccept   Answer = "accept"
	AnswerRelaunch Answer = "relaunch"
	AnswerRetry    Answer = "retry"
)

// Answers are those that a checkpoint can be given, in the order in which they are offered.
func (h JobHeld) Answers() []Answer {
	var answers []Answer
	if h.Kind.acceptable() {
		answers = append(answers, AnswerAccept)
	}
	if h.Attempt > 0 { // else no agent was launched that could correct anything
		answers = append(answers, AnswerRelaunch)
	}
	return append(answers, AnswerRetry)
}

// Label is the answer on a button.
func (a Answer) Label() string {
	return map[Answer]string{AnswerAccept: "Accept", AnswerRelaunch: "Relaunch", AnswerRetry: "Check again"}[a]
}

// acceptable says that a person may let what was held pass as it is.
func (k Kind) acceptable() bool { return k == KindTouchset || k == KindNoChange }

// Does is what an answer to the checkpoint does.
func (h JobHeld) Does(a Answer) string {
	if h.Kind == KindStopped {
		return map[Answer]string{
			AnswerRelaunch: "have the agent go on",
			AnswerRetry:    "take what it did so far as its work, and check it",
		}[a]
	}
	if h.Kind == KindNoChange && a != AnswerRetry {
		return map[Answer]string{
			AnswerAccept:   "let the job count as done: nothing was to be changed",
			AnswerRelaunch: "have the agent try again",
		}[a]
	}
	return map[Answer]string{
		AnswerAccept:   "let exactly these changes pass",
		AnswerRelaunch: "have the agent correct it",
		AnswerRetry:    "check it again once you repaired it",
	}[a]
}

// Command is the command line, without the program's name, that gives the answer.
func (a Answer) Command(plan, job string, checkpoint int) string {
	line := fmt.Sprintf("repo plan %s %s %s --checkpoint %d", a, plan, job, checkpoint)
	if a == AnswerAccept {
		line += " --reason WHY"
	}
	return line
}

// Of is the command of a person who gives the answer with a note; false if it is none.
func (a Answer) Of(job string, checkpoint int, note string) (Command, bool) {
	switch a {
	case AnswerAccept:
		return Accept{Job: job, Checkpoint: checkpoint, Reason: note}, true
	case AnswerRelaunch:
		return Relaunch{Job: job, Checkpoint: checkpoint, Note: note}, true
	case AnswerRetry:
		return Retry{Job: job, Checkpoint: checkpoint, Note: note}, true
	}
	return nil, false
}
