package gate

import (
	"context"
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
	half     bool      // the explanation shows that it leaves something out
	// missed are the calls that had no recorded answer, of all runs.
	missed []sandbox.Call
	// made are all calls of all replays, those without an answer too.
	made []sandbox.Call
}

// check is one reason to hold: it returns what it found, for people. An error is the
// runner's or the context's.
type check func(ctx context.Context, q *inquiry) ([]string, error)

// plain makes a check of one that needs no execution.
func plain(find func(q *inquiry) []string) check {
	return func(_ context.Context, q *inquiry) ([]string, error) { return find(q), nil }
}

// checks are all reasons to hold, in the order in which they are told.
var checks = []check{
	swallowedErrors, assumedAnswers, plain(namedInput), plain(addedCalls),
	plain(newRecipients), plain(redeclaredWrites), plain(newAccessErrors), plain(outsideEnvelope), plain(unprovenReach),
}

// reasons are all that is found.
func (q *inquiry) reasons(ctx context.Context) ([]string, error) {
	reasons := []string{}
	for _, check := range checks {
		found, err := check(ctx, q)
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
