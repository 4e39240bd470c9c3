package replay

import (
	"context"
	"errors"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// inquiry is what the checks look at: one candidate that is not different, and all the
// evidence there is.
type inquiry struct {
	gate *Gate
	*evidence
	code      string
	candidate *script.Source
	own       *templates      // what the candidate spells out
	words     map[string]bool // that the candidate uses and the old code does not
	// outcome is the failing run's on the candidate, seen is the same from outside.
	// complete says that it came to its end: else writes and calls may still be to come.
	outcome  *replayed
	seen     observed
	complete bool
	// missed are the calls that had no recorded answer, of all runs.
	missed []sandbox.Call
	// made are all calls of all replays, those without an answer too.
	made []sandbox.Call

	varied     []varied // see variations
	variedDone bool
}

// check is one reason to hold: it returns what it found, for people. An error is the
// runner's or the context's.
type check func(ctx context.Context, q *inquiry) ([]string, error)

// plain makes a check of one that needs no execution.
func plain(find func(q *inquiry) []string) check {
	return func(_ context.Context, q *inquiry) ([]string, error) { return find(q), nil }
}

// checks are all reasons to hold, in the order in which they are told: nine rules, some in
// several parts.
var checks = []check{
	// Errors are not hidden.
	swallowedErrors,
	// No call is left out, none is added.
	missingCalls, plain(removedCalls), plain(addedCalls),
	// Nothing is left out of a list.
	fewerRows,
	// What decided still decides.
	lostInfluence, missedPages, turnedLists,
	// A refused answer is not made up.
	plain(lostAnswers),
	// What the script refused it still refuses.
	plain(removedChecks), weakenedChecks,
	// The fix does not spell out what it should find.
	plain(constantOutput), plain(namedInput),
	// What comes out looks as it always did.
	plain(garbage), plain(changedShape),
	// It may do no more than before, and nothing that no replay executed.
	plain(newRecipients), plain(redeclaredWrites), plain(newAccessErrors), plain(outsideEnvelope), plain(unprovenReach),
}

// reasons are all that is found with the work that is allowed. That there is more to look at is one, too.
func (q *inquiry) reasons(ctx context.Context) ([]string, error) {
	bounded := withWork(ctx, q.gate.options.Work)
	reasons := []string{}
	for _, check := range checks {
		found, err := check(bounded, q)
		if errors.Is(err, errSpent) {
			return append(reasons, "not all looked at: the recorded runs have too many places that may matter"), nil
		}
		if err != nil {
			return nil, err
		}
		for _, reason := range found {
			if !slices.Contains(reasons, reason) {
				reasons = append(reasons, reason)
			}
		}
	}
	return reasons, nil
}
