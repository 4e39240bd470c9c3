package maintenance

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// The bounds of the parts of a case in the prompt, in bytes.
const (
	mostInput      = 4 << 10
	mostOutput     = 2 << 10
	mostLog        = 6 << 10
	mostCalls      = 16 << 10
	mostExplained  = 4 << 10
	mostStack      = 3 << 10
	mostDiff       = 3 << 10
	mostCandidates = 8
	logLines       = 50
	excerptLines   = 4 // before and after the place of the error
)

// caseText tells the model of one failure, from what changes least to what changes most.
func (w *modelAtWork) caseText(told history) string {
	j := w.job
	var text strings.Builder
	section := func(title, body string) {
		if body != "" {
			fmt.Fprintf(&text, "## %s\n%s\n\n", title, strings.TrimRight(body, "\n"))
		}
	}
	fenced := func(title, label, body string) {
		if strings.TrimSpace(body) != "" {
			section(title, llm.Fence(label, body))
		}
	}
	fmt.Fprintf(&text, "# Mend version %s of the workflow %q\n\n", j.base.Version, j.state.Title)
	section("What the person wants, in their words", j.state.Intent)
	section("Zone", j.evidence.Zone)
	section("Locale", j.state.Settings.Locale)
	fenced("The script, version "+j.base.Version.String(), "script "+j.base.Version.String(), j.base.Code)
	fenced("Changes before it in this major version, newest first", "changelog", changelogText(j.evidence.Changelog))
	fenced(j.previousTitle(), "difference to the version before", j.previousDiff())
	section("The failure", j.failureTitle(told))
	fenced("Error", "error", errorText(j))
	fenced("Where it happened", "source excerpt", sourceExcerpt(j.base.Code, j.evidence.Failure.Frames))
	fenced("Input of the failed run", "input", failure.Cut(string(j.failed.Input), mostInput))
	fenced(fmt.Sprintf("The last %d lines of its log", logLines), "log", logText(j.evidence.Failed.Log))
	fenced("Its calls, and what they gave before and now", "calls", failure.Cut(callsText(j.base.Code, j.evidence.Failed, j.evidence.Successes), mostCalls))
	fenced("What changed in all that it was given, taken together", "explanation", j.jointly())
	if n := len(j.evidence.Successes); n > 0 {
		newest := j.evidence.Successes[n-1]
		fenced(fmt.Sprintf("What the newest of %d recorded successes gave back", n), "result",
			"input: "+failure.Cut(string(newest.Input), mostOutput)+"\noutput: "+failure.Cut(string(newest.Outcome.Output), mostOutput))
	} else {
		section("Recorded successes", "There are none: nothing can be compared, and a person is more likely to be asked.")
	}
	fenced("Candidates that were tried before, and why they did not pass", "candidates", w.triedText())
	section("A person's correction", j.correctionText())
	text.WriteString("Find the cause and call \"fix\" with the whole mended script.\n")
	return text.String()
}

// jointly is how everything that the failed run was given changed, as the gate explains it, and beside it place by place.
func (j *job) jointly() string {
	successes := make([]*gate.Run, len(j.evidence.Successes))
	for i := range successes {
		successes[i] = &j.evidence.Successes[i]
	}
	lines := gate.Explain(j.base.Code, &j.evidence.Failed, successes)
	for _, one := range gate.Changes(j.base.Code, &j.evidence.Failed, j.evidence.Successes) {
		lines = append(lines, one.String())
	}
	return failure.Cut(strings.Join(lines, "\n"), mostExplained)
}

func changelogText(changes []gate.Change) string {
	var text strings.Builder
	for _, change := range changes {
		fmt.Fprintf(&text, "%s: %s\n", change.Version, failure.Cut(change.Comment, 300))
	}
	return text.String()
}

// previous is the version that was active before the one that failed.
func (j *job) previous() (workflow.Script, bool) {
	for i, script := range j.state.Versions {
		if script.Version == j.base.Version && i > 0 {
			return j.state.Versions[i-1], true
		}
	}
	return workflow.Script{}, false
}

func (j *job) previousTitle() string {
	previous, _ := j.previous()
	return fmt.Sprintf("What version %s changed of the version before it, %s", j.base.Version, previous.Version)
}

func (j *job) previousDiff() string {
	previous, found := j.previous()
	if !found {
		return ""
	}
	return failure.Cut(udiff.Unified("version "+previous.Version.String(), "version "+j.base.Version.String(), previous.Code, j.base.Code), mostDiff)
}

// failureTitle says, in words of our own, whether this is known.
func (j *job) failureTitle(told history) string {
	var text strings.Builder
	fmt.Fprintf(&text, "Fix %d of at most %d.", j.open.Attempt, j.open.Budget)
	if told.seen == 0 {
		text.WriteString(" The failure is new: this error was not seen before in this major version.")
	} else {
		fmt.Fprintf(&text, " The failure is recurring: this same error was seen %d times before in this major version.", told.seen)
	}
	if n := len(j.open.Attached); n > 0 {
		fmt.Fprintf(&text, " %d further runs failed meanwhile.", n)
	}
	fmt.Fprintf(&text, " %d runs succeeded and %d failed lately.", told.succeeded, told.failed)
	if n := len(j.state.Unconfirmed()); n > 0 {
		fmt.Fprintf(&text, " %d fixes of this version are not confirmed yet.", n)
	}
	return text.String()
}

func errorText(j *job) string {
	e := j.evidence.Failure
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\nclass: %s\n", e.Name, e.Message, e.Class)
	for _, line := range [][2]string{{"code", e.Code}, {"tool", e.Tool}, {"host", e.Host}} {
		if line[1] != "" {
			fmt.Fprintf(&text, "%s: %s\n", line[0], line[1])
		}
	}
	if e.Status != 0 {
		fmt.Fprintf(&text, "status: %d\n", e.Status)
	}
	if e.Body != "" {
		fmt.Fprintf(&text, "body: %s\n", failure.Cut(e.Body, mostOutput))
	}
	if e.Stack != "" {
		fmt.Fprintf(&text, "stack:\n%s\n", failure.Cut(e.Stack, mostStack))
	}
	return text.String()
}

func logText(lines []gate.LogLine) string {
	lines = lines[max(0, len(lines)-logLines):]
	var text strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&text, "%s %s\n", line.Level, failure.Cut(line.Text, 500))
	}
	shown := text.String()
	return shown[max(0, len(shown)-mostLog):]
}

// triedText is what earlier candidates of this task changed, and why they did not pass.
func (w *modelAtWork) triedText() string {
	var text strings.Builder
	tried := w.job.tried
	for i, one := range tried[:min(len(tried), mostCandidates)] {
		fmt.Fprintf(&text, "candidate %d (%s): %s\n%s\n%s\n", i+1, one.Candidate.Fixer, failure.Cut(one.Candidate.Comment, 300),
			failure.Cut(udiff.Unified("version "+w.job.base.Version.String(), "candidate", w.job.base.Code, one.Candidate.Code), 800), verdictText(one.Judgement))
		for _, doubt := range one.Candidate.Doubts {
			fmt.Fprintf(&text, "a person would be asked because: %s\n", failure.Cut(doubt, 300))
		}
	}
	if left := len(tried) - mostCandidates; left > 0 {
		fmt.Fprintf(&text, "(%d more candidates did not pass)\n", left)
	}
	return text.String()
}

// correctionText is what a person asked of a held fix: their note, what exactly held it, and what
// a fix may do. The note is the person's own word.
func (j *job) correctionText() string {
	if len(j.open.Corrections) == 0 {
		return ""
	}
	asked := j.open.Corrections[len(j.open.Corrections)-1]
	var text strings.Builder
	text.WriteString("A fix of yours was held, and the person sends it back to you.\n")
	if asked.Note != "" {
		fmt.Fprintf(&text, "Their note, which you follow: %s\n", asked.Note)
	}
	if held, found := j.state.Proposal(asked.Proposal); found {
		var violations strings.Builder
		if v := held.Verification; v != nil {
			fmt.Fprintf(&violations, "verdict: %s\n", v.Verdict)
			for _, reason := range v.Reasons {
				fmt.Fprintf(&violations, "held because: %s\n", reason)
			}
			if v.Divergence != "" {
				fmt.Fprintf(&violations, "difference: %s\n", v.Divergence)
			}
		}
		violations.WriteString(failure.Cut(udiff.Unified("version "+j.base.Version.String(), "the held fix", j.base.Code, held.Code), mostDiff))
		text.WriteString("The fix, and what exactly held it:\n" + llm.Fence("held fix", violations.String()) + "\n")
	}
	envelope := gate.NewEnvelope(j.subject)
	allowed := "reads from: " + strings.Join(envelope.Reads(), ", ") + "\nwrites to: " + strings.Join(envelope.Writes(), ", ")
	text.WriteString("What a fix may reach without asking, and nothing else:\n" + llm.Fence("envelope", allowed) + "\n")
	return text.String()
}

// verdictText is a judgement in words, for the model. It holds what scripts and payloads say: it goes
// into a fence.
func verdictText(judged gate.Judgement) string {
	var text strings.Builder
	fmt.Fprintf(&text, "verdict: %s\nthe failed run: %s", judged.Verdict, judged.FailingRun.Status)
	if e := judged.FailingRun.Error; e != nil {
		fmt.Fprintf(&text, " with %s: %s", e.Name, failure.Cut(e.Message, 500))
	}
	if len(judged.FailingRun.Output) > 0 {
		fmt.Fprintf(&text, "\nits output: %s", failure.Cut(string(judged.FailingRun.Output), 1000))
	}
	if len(judged.FailingRun.Writes) > 0 {
		writes, err := json.Marshal(judged.FailingRun.Writes)
		if err == nil {
			fmt.Fprintf(&text, "\nits writes: %s", failure.Cut(string(writes), 1000))
		}
	}
	fmt.Fprintf(&text, "\nearlier successes: %d replayed, %d identical, %d left out, %d need an answer that was never recorded\n",
		judged.Replayed, judged.Identical, judged.Excluded, judged.Missing)
	if d := judged.Divergence; d != nil {
		fmt.Fprintf(&text, "smallest difference: %s\n", failure.Cut(rehearsal.DivergenceText(d), 1500))
	}
	for _, reason := range judged.Reasons {
		fmt.Fprintf(&text, "held back because: %s\n", failure.Cut(reason, 500))
	}
	return text.String()
}
