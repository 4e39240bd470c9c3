package replay

import (
	"context"
	"errors"
	"fmt"
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
	tried    []finding // with the carried runs, see [Gate.oracle]
	half     bool      // by a reason that shows it
	proven   bool      // by several of them, so that what stands in the place of a value was seen to decide
	// run is the failing run, with the answers that were assumed as if they had been recorded.
	run *Run
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

// rule is one reason to hold, in its parts.
type rule struct {
	says  string
	parts []check
	half  bool // that it speaks shows that the fix leaves something out, or takes it for something else
}

// rules are all reasons to hold, in the order in which they are told.
var rules = []rule{
	{"errors are not hidden", []check{swallowedErrors}, false},
	{"nothing that is written hangs on an answer that is assumed", []check{assumedAnswers}, false},
	{"no call is left out, none is added", []check{missingCalls, plain(removedCalls), plain(addedCalls)}, false},
	{"nothing is left out of a list", []check{fewerRows}, false},
	{"what decided still decides", []check{lostInfluence, missedPages, turnedLists}, true},
	{"a refused answer is not made up", []check{plain(lostAnswers)}, false},
	{"what the script refused it still refuses", []check{plain(removedChecks), weakenedChecks}, false},
	{"the fix does not spell out what it should find", []check{plain(constantOutput), plain(namedInput), newConditions}, false},
	{"what comes out looks as it always did", []check{plain(garbage), plain(changedShape)}, true},
	{"it may do no more than before, and nothing that no replay executed", []check{
		plain(newRecipients), plain(redeclaredWrites), plain(newAccessErrors), plain(outsideEnvelope), plain(unprovenReach),
	}, false},
}

// reasons are all that is found with the work that is allowed. That there is more to look at is one, too.
func (q *inquiry) reasons(ctx context.Context) ([]string, error) {
	bounded := withWork(ctx, q.gate.options.Work)
	reasons := []string{}
	for _, rule := range rules {
		for _, part := range rule.parts {
			found, err := part(bounded, q)
			if errors.Is(err, errSpent) {
				return append(reasons, "not all looked at: the recorded runs have too many places that may matter"), nil
			}
			if err != nil {
				return nil, fmt.Errorf("replay: %s: %w", rule.says, err)
			}
			q.half = q.half || rule.half && len(found) > 0
			for _, reason := range found {
				if !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
			}
		}
	}
	return reasons, nil
}
