package projections

import (
	"cmp"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// stepWords are the words of what a run did, call by call, and what an agent said.
var stepWords = []row{
	of(words[run.RunStarted]{
		line: func(e run.RunStarted, _ *time.Location) string {
			return fmt.Sprintf("version %s on %s, input %s", e.Version, e.Node, short(string(e.Input), 60))
		},
		also: func(n *notifier, e run.RunStarted) {
			if e.Trigger == string(workflow.TriggerImport) {
				notificationRuns.Insert(n.tx, notificationRun{Run: e.Run, Imported: true})
			}
		},
	}),
	of(words[run.ToolCalled]{
		line: callLine,
		also: (*notifier).says,
	}),
	of(words[run.ToolReturned]{
		line: returnLine,
		also: (*notifier).said,
	}),
	of(words[run.ToolAnswered]{
		line: func(e run.ToolAnswered, in *time.Location) string {
			parts := e.Parts()
			return callLine(parts[0].(run.ToolCalled), in) + " → " + strings.TrimPrefix(returnLine(parts[1].(run.ToolReturned), in), fmt.Sprintf("#%d ", e.Seq))
		},
	}),
	of(words[run.RunBegunAgain]{
		line: func(e run.RunBegunAgain, _ *time.Location) string {
			return fmt.Sprintf("other runs have changed %s; %d calls made outside are kept", strings.Join(e.Moved, ", "), len(e.Keep))
		},
	}),
	of(words[run.LogWritten]{
		line: func(e run.LogWritten, _ *time.Location) string { return fmt.Sprintf("%d lines", len(e.Lines)) },
	}),
	of(words[run.RunEnded]{
		line: func(e run.RunEnded, _ *time.Location) string {
			if e.Failure != nil {
				return fmt.Sprintf("failed (%s): %s", e.Failure.Class, e.Failure)
			}
			return fmt.Sprintf("output %s, %d calls, %d ms", short(string(e.Output), 60), e.Usage.Calls, e.Usage.WallMS)
		},
		also: func(n *notifier, _ run.RunEnded) { notificationRuns.Delete(n.tx, runOf(n.recorded)) },
	}),
	of(words[run.ExecutionCancelled]{
		line: func(e run.ExecutionCancelled, _ *time.Location) string { return e.Reason },
		also: func(n *notifier, e run.ExecutionCancelled) { notificationRuns.Delete(n.tx, e.Run) },
	}),
	of(words[run.RunLeaseExtended]{}),
	of(words[run.RunResumed]{
		line: func(e run.RunResumed, _ *time.Location) string { return "by " + e.Node },
	}),
	of(words[run.RunDelayed]{
		line: func(e run.RunDelayed, _ *time.Location) string {
			return fmt.Sprintf("%s: tried again at %s (try %d)", e.Problem, e.Until.Format(time.RFC3339), e.Tries+1)
		},
	}),
	of(words[run.EffectInDoubt]{
		line: func(e run.EffectInDoubt, _ *time.Location) string {
			if e.Status != 0 {
				return fmt.Sprintf("#%d, status %d", e.Seq, e.Status)
			}
			return fmt.Sprintf("#%d", e.Seq)
		},
		kind: "question", matters: PersonFacing,
		entry: func(e run.EffectInDoubt, t *telling) string {
			if !e.LookUpAt.IsZero() {
				return ""
			}
			t.Run = runOf(t.recorded)
			return fmt.Sprintf("Nobody knows whether a write happened (%s %s), so the run stands still.", e.Tool, brieflySaid(e.Target))
		},
		notice: func(n *notifier, e run.EffectInDoubt) Notification {
			why := ""
			switch {
			case !e.LookUpAt.IsZero():
				return Notification{} // the other side is asked before a person is
			case e.Status >= http.StatusMultipleChoices:
				why = fmt.Sprintf(" What came back was status %d.", e.Status)
			case e.Status != 0:
				why = fmt.Sprintf(" What came back was status %d, and a web page or part of an answer in the place of the answer.", e.Status)
			}
			return n.inDoubt(e.Seq, e.Tool, e.Target, why)
		},
	}),
	of(words[run.EffectLookedUp]{
		line: func(e run.EffectLookedUp, _ *time.Location) string {
			return fmt.Sprintf("#%d, attempt %d: %s (%s)", e.Seq, e.Attempt, e.Found, e.Detail)
		},
		notice: func(n *notifier, e run.EffectLookedUp) Notification {
			if e.Found != run.LookedUpNothing || !e.Next.IsZero() {
				return Notification{}
			}
			return n.inDoubt(e.Seq, e.Tool, e.Target, fmt.Sprintf(" The other side was asked %d times and does not say: %s.", e.Attempt, e.Detail))
		},
	}),
	of(words[run.EffectResolved]{
		line: func(e run.EffectResolved, _ *time.Location) string { return fmt.Sprintf("#%d %s", e.Seq, e.How) },
		kind: "question", matters: Notable,
		entry: func(e run.EffectResolved, t *telling) string {
			t.Run = runOf(t.recorded)
			return fmt.Sprintf("%s said what became of a write in doubt: %s.", t.who, e.How)
		},
		resolvesThose: func(n *notifier, e run.EffectResolved) func(*Notification) bool {
			return about(n.aboutCall(aboutDoubt, e.Seq))
		},
	}),
	of(words[run.AnswerAwaited]{
		line: func(e run.AnswerAwaited, _ *time.Location) string { return "asks: " + e.Question },
		kind: "question", matters: PersonFacing,
		entry: func(e run.AnswerAwaited, t *telling) string {
			t.Run = runOf(t.recorded)
			return fmt.Sprintf("A run asks: %s", brieflySaid(e.Question))
		},
		notice: func(n *notifier, e run.AnswerAwaited) Notification {
			asked := question(e.Question, e.Options)
			asked.Run, asked.Call, asked.About = runOf(n.recorded), e.Seq, n.aboutCall(aboutQuestion, e.Seq)
			return asked
		},
	}),
	of(words[run.AnswerGiven]{
		line: func(e run.AnswerGiven, _ *time.Location) string {
			if e.TimedOut {
				return fmt.Sprintf("nobody answered in time: %s", dash(string(e.Answer)))
			}
			return "answer: " + string(e.Answer)
		},
		kind: "question", matters: Notable,
		entry: func(e run.AnswerGiven, t *telling) string {
			t.Run = runOf(t.recorded)
			if e.TimedOut {
				return "Nobody answered a run in time."
			}
			return fmt.Sprintf("%s answered a run.", t.who)
		},
		resolvesThose: func(n *notifier, e run.AnswerGiven) func(*Notification) bool {
			return about(n.aboutCall(aboutQuestion, e.Seq))
		},
	}),
	of(words[thread.ThreadLeaseExtended]{
		line: func(e thread.ThreadLeaseExtended, _ *time.Location) string {
			return "until " + e.Until.Format(time.TimeOnly)
		},
	}),
	of(words[thread.ThreadClaimed]{
		line: func(e thread.ThreadClaimed, _ *time.Location) string {
			return fmt.Sprintf("by %s until %s", e.Node, e.LeaseUntil.Format(time.TimeOnly))
		},
	}),
	of(words[thread.ThreadOpened]{
		line: func(e thread.ThreadOpened, _ *time.Location) string { return e.Kind + ": " + e.Title },
	}),
	of(words[thread.MessageAppended]{
		line: func(e thread.MessageAppended, _ *time.Location) string {
			if e.Usage != nil {
				cost := "" // unknown, or nothing
				if e.Usage.CostUSD > 0 {
					cost = fmt.Sprintf(", $%.4f", e.Usage.CostUSD)
				}
				return fmt.Sprintf("%s, %d tokens%s: %s", e.Usage.Model, e.Usage.Input+e.Usage.Output, cost, short(e.Text, 100))
			}
			return e.Role + ": " + short(e.Text, 100)
		},
		resolvesThose: func(n *notifier, e thread.MessageAppended) func(*Notification) bool {
			if e.Usage == nil {
				return nil
			}
			n.workflow = ""
			return about(aboutModel+"quota", aboutModel+"refused")
		},
	}),
	of(words[thread.ToolInvoked]{
		line: func(e thread.ToolInvoked, _ *time.Location) string { return e.Tool + " " + short(string(e.Args), 80) },
	}),
	of(words[thread.ToolResulted]{
		line: func(e thread.ToolResulted, _ *time.Location) string { return short(e.Error+string(e.Result), 80) },
	}),
	of(words[thread.ModelUnavailable]{
		line: func(e thread.ModelUnavailable, _ *time.Location) string {
			return fmt.Sprintf("%s: %s %s, try %d, again at %s", e.Model, e.Kind, e.Code, e.Try, e.RetryAt.Format(time.TimeOnly))
		},
		notice: (*notifier).modelMissing,
	}),
	of(words[thread.CandidateJudged]{
		line: func(e thread.CandidateJudged, _ *time.Location) string {
			return fmt.Sprintf("%d. %s: %s", e.Candidate, e.Verdict, e.Comment)
		},
	}),
	of(words[thread.ThreadClosed]{
		line: func(e thread.ThreadClosed, _ *time.Location) string { return e.Outcome },
	}),
}

// aboutModel is a model that only an operator can bring to answer.
const aboutModel = "model "

// modelMissing tells the operator, once for all workflows until the model answers again, that it
// refuses: for want of money, of a right or of a key that it takes. A refusal that passes by itself is not told.
func (n *notifier) modelMissing(e thread.ModelUnavailable) Notification {
	if e.Kind != "quota" && e.Kind != "refused" {
		return Notification{}
	}
	n.workflow = "" // it is of no one workflow
	return Notification{
		Type: NotifyInternal, Title: fmt.Sprintf("The model %s does not answer: %s", e.Model, e.Kind),
		Text:  fmt.Sprintf("%s %s. Repairs that need it wait and are tried again; templates still mend. Look at its key, its name and the account: kintsugi llm check.", e.Code, e.Detail),
		About: aboutModel + e.Kind,
	}
}

func callLine(e run.ToolCalled, _ *time.Location) string {
	text := fmt.Sprintf("#%d %s %s", e.Seq, e.Tool, short(string(e.Args), 80))
	if e.From != "" {
		text += "  (answered by run " + e.From + ")"
	}
	return text
}

func returnLine(e run.ToolReturned, _ *time.Location) string {
	switch {
	case e.Error != nil:
		return fmt.Sprintf("#%d %s: %s", e.Seq, e.Error.Name, e.Error.Message)
	case e.Text != "":
		return fmt.Sprintf("#%d part %d, %d bytes", e.Seq, e.Part, len(e.Text))
	}
	return fmt.Sprintf("#%d %s", e.Seq, short(cmp.Or(string(e.Result), "nothing"), 80))
}
