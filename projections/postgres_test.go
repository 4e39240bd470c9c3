package projections_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inPostgres begins the names of tests whose worlds have their read models in PostgreSQL.
const inPostgres = "TestRulesInPostgres/"

// PostgreSQL passes the same tests as SQLite.
func TestRulesInPostgres(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{"TestQueriesUseIndexes": true} // it has a like of its own
	for _, rule := range []func(*testing.T){
		TestGoldenHistory, TestRebuildSaysTheSame, TestFailuresAreGroupedByHostAndKind, TestGroupsComeInPages, TestTheFixesOfOneCauseAreFoundFromEachOfThem, TestOneNotificationForOneCause,
		TestAnEscalationShowsTheBestCandidate, TestHostsThatRunsReached, TestTheInboxFollowsATaskFromAgentToPersonAndBack,
		TestPeopleHearOfThePlannersQuestionsAndOfItsEnd, TestWhatIsNotDeliveredIsTold, TestInputsAgreeWithState, TestInputsThatWaitAreCountedInWhatIsTold, TestAnOutageIsToldOnceUntilItIsOver, TestWhatAPersonMendsOnceIsToldOnce, TestOpenCausesAreThoseOfOpenNotifications, TestAFixThatWaitsSaysSinceWhenSlotsAreMissed,
		TestAModelThatRefusesIsToldOnce, TestANotificationSaysWhoDecidesUntilWhen, TestViewsOfThePastAreWhatTheyWere, TestQueriesOfAnEmptyLog, TestFiltersAndLimits,
		TestMaintainerThreads, TestLateFix, TestConfirmationOfFixesBuiltOnEachOther, TestLocalState,
		TestErrorIsToldOnceUntilResolved, TestExhaustedRetriesAreToldOnce, TestUnfinishedRunIsToldUntilAnswered,
		TestWriteInDoubtIsToldUntilResolved, TestQuestionIsToldUntilAnswered, TestScriptMessages, TestAcknowledge,
		TestUnknownEventsAreSkipped, TestStreamsOfOthersAreLeftOut, TestAStreamThatCannotBeReadIsSetAside,
		TestErasedPayloads, TestRowsAgreeWithState, TestFixedIsSaidWhenItIs, TestSpentSince,
		TestWhatHasNoPriceIsCountedInTokens, TestTheTimelineFoldsWhatIsRoutine, TestTheTimelineSaysOncePerDayThatSlotsAreSkipped, TestOnlyWhatIsProvedIsCalledSo,
		TestUsageIsCountedByWorkflowAndDay, TestADayIsOneOfTheWorkflowsZone, TestTheAgentStatusFollowsFromWhatIsUnderWay, TestAWorkflowIsSaidToBeTryingAgainWhileTheOtherSideDoesNotAnswer,
		TestDraftsAreListedByWhenTheyWereTouched, TestWorkflowsAreFoundByTheirWords, TestSearchesAgreeWithTheWholeList, TestWorkflowsAreListedInEachOrder, TestTheOwnerOfDraftsIsToldOfAllOfThemTogether,
		TestPlansAgreeWithState, TestCheckpointsAreKeptWithTheirAnswers, TestPlansComeInPagesAndByName, TestHealingsAreKept, TestRunsAreFoundByLabelTimeAndError, TestWorkflowsAreFoundByLabel, TestBlockedSubtasksAreToldApart,
	} {
		name := runtime.FuncForPC(reflect.ValueOf(rule).Pointer()).Name()
		name = name[strings.LastIndex(name, ".")+1:]
		listed[name] = true
		t.Run(name, rule)
	}
	for _, name := range testsWithWorlds(t) {
		require.True(t, listed[name], "%s has a world and is not in the list above", name)
	}
}

// testsWithWorlds are the tests of this package that begin with [newWorld].
func testsWithWorlds(t *testing.T) (names []string) {
	t.Helper()
	paths, err := filepath.Glob("*_test.go")
	require.NoError(t, err)
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		for _, declared := range file.Decls {
			of, is := declared.(*ast.FuncDecl)
			if !is || !strings.HasPrefix(of.Name.Name, "Test") {
				continue
			}
			ast.Inspect(of.Body, func(n ast.Node) bool {
				if called, is := n.(*ast.Ident); is && called.Name == "newWorld" {
					names = append(names, of.Name.Name)
				}
				return true
			})
		}
	}
	return names
}
