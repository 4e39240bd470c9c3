package workflow_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// A person's message sets a waiting planner to work again, and makes the maintainer wait (rule 8).
func TestRule08APersonsWordSetsThePlannerToWorkAgain(t *testing.T) {
	t.Parallel()
	g := given(t, maintenance...).When(OpenPlannerTask{Task: "pl", Thread: "th", Ask: "mail it", Chat: true}).
		Then(PlannerTaskOpened{Task: "pl", Thread: "th", Ask: "mail it", Chat: true})
	g.When(TellPlanner{Task: "pl", Text: "hurry"}).ThenRefused(fault.Conflict, "planner at work")
	waits := g.When(WaitPlannerTask{Task: "pl"}).ThenTypes(TypePlannerTaskWaiting)
	require.True(t, waits.State().MaintainerWanted(), "a planner that waits is not running")
	told := waits.When(TellPlanner{Task: "pl", Text: "to Bob too"}).Then(PlannerTold{Task: "pl", Text: "to Bob too"})
	require.True(t, told.State().PlannerRunning())
	require.False(t, told.State().MaintainerWanted())
	require.Equal(t, []string{"to Bob too"}, told.State().Planner.Told)
	waits.When(TellPlanner{Task: "pl", Text: " \n"}).ThenRefused(fault.Invalid, "say something")
	waits.When(TellPlanner{Task: "pl", Text: strings.Repeat("x", 17<<10)}).ThenRefused(fault.Invalid, "bytes")
	waits.When(TellPlanner{Task: "other", Text: "x"}).ThenRefused(fault.NotFound, "no open planner task other")
}

// A person's message to a planner is taken whole, or refused.
func TestAWishIsNotCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 16<<10)
	given(t, active...).When(OpenPlannerTask{Task: "pl", Thread: "th", Ask: long}).ThenTypes(TypePlannerTaskOpened)
	given(t, active...).When(OpenPlannerTask{Task: "pl", Thread: "th", Ask: long + "x"}).ThenRefused(fault.Invalid, "the wish has 16385 bytes")
}

// A question is answered before anything else is said; its answer is kept while its task is open.
func TestAnAnswerIsKeptWhileItsTaskIsOpen(t *testing.T) {
	t.Parallel()
	g := given(t, active...).When(OpenPlannerTask{Task: "pl", Thread: "th"}).ThenTypes(TypePlannerTaskOpened).
		When(AskQuestion{Question: "q", Task: "pl", Text: "Which account?"}).ThenTypes(TypeQuestionAsked).
		When(WaitPlannerTask{Task: "pl"}).ThenTypes(TypePlannerTaskWaiting)
	_, answered := g.State().Answer("q")
	require.False(t, answered)
	g.When(TellPlanner{Task: "pl", Text: "never mind"}).ThenRefused(fault.Conflict, "answer it first")
	g.When(AnswerQuestion{Question: "q", Answer: " \n"}).ThenRefused(fault.Invalid, "the answer is empty")
	a := g.When(AnswerQuestion{Question: "q", Answer: "the first"}).ThenTypes(TypeQuestionAnswered)
	require.True(t, a.State().PlannerRunning())
	text, answered := a.State().Answer("q")
	require.True(t, answered)
	require.Equal(t, "the first", text)
	closed := a.When(ClosePlannerTask{Task: "pl", Outcome: "done"}).ThenTypes(TypePlannerTaskClosed)
	_, answered = closed.State().Answer("q")
	require.False(t, answered, "the task is over")
}
