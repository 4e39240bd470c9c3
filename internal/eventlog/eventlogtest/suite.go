package eventlogtest

import (
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Abilities says what a backend can do beyond the port; what it cannot is not tested.
type Abilities struct {
	// Reopen opens what a log had stored, after that log was closed.
	Reopen func(t testing.TB, closed eventlog.Log) eventlog.Log
	// Second opens what a log stores while that log is open, as another process would.
	Second func(t testing.TB, open eventlog.Log) eventlog.Log
	// Erases says that it is an [eventlog.Eraser].
	Erases bool
}

// Run holds a backend against the promises of the port. Open gives a new, empty log, and makes sure (with t.Cleanup)
// that it is closed in the end; cases close it, too.
func Run(t *testing.T, abilities Abilities, open func(t testing.TB) eventlog.Log) {
	for _, c := range cases(abilities) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, open(t))
		})
	}
}

// testCase is one promise. It takes a [testing.TB] so that the suite can be
// tested itself: against logs that break the promise, a case must fail.
type testCase struct {
	name  string
	check func(t testing.TB, log eventlog.Log)
}

func cases(abilities Abilities) []testCase {
	all := []testCase{
		{"a read gives back what was appended", readsBack},
		{"an append says where its events are", reportsPlace},
		{"events have revisions without gaps and growing positions", keepsOrder},
		{"an append needs the stream to be as expected", checksExpected},
		{"a conflict stores nothing", conflictStoresNothing},
		{"a repeated append gives the first result", repeats},
		{"a repeat of some of the events is a conflict", partialRepeat},
		{"an id is bound to its content", bindsContent},
		{"an id in one stream says nothing about another", idsAreOfAStream},
		{"of 16 concurrent writers one wins each revision", concurrentWriters},
		{"readers never see a part of an append", appendsAtOnce},
		{"an append is refused before it is stored", refuses},
		{"an append may have 1 MiB", takesTheLimit},
		{"an append may have 10,000 events", takesManyEvents},
		{"names may have odd characters", takesOddNames},
		{"appends in order are in the log in this order", keepsGivenOrder},
		{"appends in order end at the first that is refused", endsAtRefusal},
		{"repeated appends in order add what is missing", repeatsInOrder},
		{"appends in order are refused before they are stored", refusesInOrder},
		{"appends in order may have 1 MiB together", takesTheLimitInOrder},
		{"appends in order stay so among others", ordersAmongOthers},
		{"appends in order end with their context and with the log", endsInOrder},
		{"two appends of a pair are there, and repeated, as one", appendsPairs},
		{"a pair ends at the first that is refused", endsPairsAtRefusal},
		{"the second of a pair is behind its first, among others", pairsAmongOthers},
		{"a stream is read from a revision on", readsFrom},
		{"a stream is read backward from a revision", readsStreamBackward},
		{"the log is read from any position on", readsAfter},
		{"the log is read backward from any position", readsAllBackward},
		{"a position that is none is an error", refusesPositions},
		{"a position beyond the head is no error", readsBeyondHead},
		{"a reader may stop, read and append inside its loop", readersAreFree},
		{"a reader backward may stop, read and append inside its loop", readersBackwardAreFree},
		{"a long log is read completely", readsLong},
		{"a long log is read backward completely", readsLongBackward},
		{"streams are selected by prefix", filtersByPrefix},
		{"events are selected by type", filtersByType},
		{"events are selected by prefix and type", filtersByBoth},
		{"a filter finds the few in a long log", filtersLong},
		{"streams are listed by prefix", listsStreams},
		{"the head is the position of the newest event", tellsHead},
		{"a cancelled context ends calls", cancels},
		{"listeners are woken", wakes},
		{"a closed log says so", closes},
		{"a subscription catches up and goes on", followsOn},
		{"a subscription to an empty log catches up and goes on", followsFromNothing},
		{"a subscription is resumed from any delivery", resumes},
		{"a subscription finds the few in a long log", followsSparse},
		{"a subscription that finds nothing says how far it looked", movesCheckpoints},
		{"a subscription waits for its consumer", waitsForSlowConsumers},
		{"a subscription that is broken out of lets go", breaksFree},
		{"a subscriber may read and append inside its loop", subscribersAppend},
		{"a subscription ends with its context", endsWithContext},
		{"subscriptions are independent", subscriptionsAreIndependent},
		{"readers who follow 8 writers miss nothing", followsWriters},
	}
	if abilities.Reopen != nil {
		all = append(all,
			testCase{"what was appended is there after a reopen", func(t testing.TB, log eventlog.Log) { reopens(t, log, abilities.Reopen) }},
			testCase{"a repeat is known after a reopen", func(t testing.TB, log eventlog.Log) { repeatsAfterReopen(t, log, abilities.Reopen) }},
			testCase{"close waits for accepted appends", func(t testing.TB, log eventlog.Log) { closeDrains(t, log, abilities.Reopen) }},
		)
	}
	if abilities.Second != nil {
		all = append(all,
			testCase{"two processes share one log", func(t testing.TB, log eventlog.Log) { shares(t, log, abilities.Second) }},
			testCase{"a repeat is known in another process", func(t testing.TB, log eventlog.Log) { repeatsElsewhere(t, log, abilities.Second) }},
			testCase{"an append of another process wakes", func(t testing.TB, log eventlog.Log) { wakesElsewhere(t, log, abilities.Second) }},
			testCase{"a subscription delivers what another process appends", func(t testing.TB, log eventlog.Log) { followsElsewhere(t, log, abilities.Second) }},
			testCase{"readers who follow 8 writers of another process miss nothing", func(t testing.TB, log eventlog.Log) { followsWritersElsewhere(t, log, abilities.Second) }},
		)
	}
	if abilities.Erases {
		all = append(all,
			testCase{"what is erased is gone, and nothing else", erases},
			testCase{"much is erased in pieces", erasesLarge},
			testCase{"who writes beside an erasing notices nothing", erasesBesideWriters},
			testCase{"what was erased is gone after a reopen", func(t testing.TB, log eventlog.Log) { erasedAfterReopen(t, log, abilities.Reopen) }},
			testCase{"what another process erases is gone", func(t testing.TB, log eventlog.Log) { erasesElsewhere(t, log, abilities.Second) }},
		)
	}
	return all
}
