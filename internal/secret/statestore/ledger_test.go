package statestore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/watermillsub"
)

func attempt(of, event string, nth int, why string) watermillsub.Attempt {
	return watermillsub.Attempt{
		Of: of, At: time.Date(2026, 3, 1, 8, 0, nth, 7_000, time.UTC), Event: event, Stream: "workflow-" + event, Revision: 3, Type: "FixApplied", Lane: "workflow:" + event,
		Nth: nth, Status: 503, Error: why, Answer: "later, \"please\"", Took: 1234 * time.Microsecond,
	}
}

// Rule: each attempt is kept whole, for every process, the newest first, and found by what is asked for.
func TestALedgerOfAttempts(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		ctx, one, other := t.Context(), open(), open()
		first := attempt("chat", "a", 1, "it answered 503")
		first.Next = first.At.Add(time.Minute)
		by := attempt("chat", "b", 2, "")
		by.ByHand = "resend"
		require.NoError(t, one.Record(ctx, []watermillsub.Attempt{first, attempt("chat", "a", 2, "")}))
		require.NoError(t, other.Record(ctx, []watermillsub.Attempt{by, attempt("tickets", "a", 3, "it answered 503")}))

		all, err := other.Attempts(ctx, watermillsub.AttemptQuery{Of: "chat", Limit: 10})
		require.NoError(t, err)
		require.Len(t, all, 3)
		require.Greater(t, all[0].ID, all[1].ID)
		require.Greater(t, all[1].ID, all[2].ID)
		oldest := all[2].ID
		for i := range all {
			all[i].ID = 0
		}
		require.Equal(t, []watermillsub.Attempt{by, attempt("chat", "a", 2, ""), first}, all)

		for name, asked := range map[string]struct {
			q    watermillsub.AttemptQuery
			nths []int
		}{
			"that failed": {watermillsub.AttemptQuery{Failed: true, Limit: 10}, []int{1}},
			"of an event": {watermillsub.AttemptQuery{Event: "a", Limit: 10}, []int{2, 1}},
			"since":       {watermillsub.AttemptQuery{Since: first.At.Add(time.Second), Limit: 10}, []int{2, 2}},
			"before":      {watermillsub.AttemptQuery{Before: oldest + 1, Limit: 10}, []int{1}},
			"at most":     {watermillsub.AttemptQuery{Limit: 1}, []int{2}},
		} {
			asked.q.Of = "chat"
			found, err := one.Attempts(ctx, asked.q)
			require.NoError(t, err)
			var nths []int
			for _, a := range found {
				nths = append(nths, a.Nth)
			}
			require.Equal(t, asked.nths, nths, name)
		}

		require.NoError(t, one.ForgetLane(ctx, "workflow:a"))
		left, err := one.Attempts(ctx, watermillsub.AttemptQuery{Of: "tickets", Limit: 10})
		require.NoError(t, err)
		require.Empty(t, left)
		require.NoError(t, one.Forget(ctx, "chat"))
		left, err = one.Attempts(ctx, watermillsub.AttemptQuery{Of: "chat", Limit: 10})
		require.NoError(t, err)
		require.Empty(t, left)
	})
}

// Rule: of each receiver the newest are kept, as many that were taken as that were not, and nothing that is too old of anybody.
func TestALedgerIsBounded(t *testing.T) {
	onEach(t, func(t *testing.T, open func() store) {
		ctx, one := t.Context(), open()
		var many []watermillsub.Attempt
		for i := range 20 {
			why := ""
			if i%2 == 0 {
				why = "no"
			}
			many = append(many, attempt("chat", fmt.Sprint(i), i, why), attempt("tickets", fmt.Sprint(i), i, why))
		}
		require.NoError(t, one.Record(ctx, many))
		nths := func(of string) (nths []int) {
			found, err := one.Attempts(ctx, watermillsub.AttemptQuery{Of: of, Limit: 100})
			require.NoError(t, err)
			for _, a := range found {
				nths = append(nths, a.Nth)
			}
			return nths
		}
		require.NoError(t, one.Trim(ctx, "chat", 2, many[0].At))
		require.Equal(t, []int{19, 18, 17, 16}, nths("chat"))
		require.Len(t, nths("tickets"), 20)
		require.NoError(t, one.Trim(ctx, "chat", 2, many[0].At.Add(18*time.Second)))
		require.Equal(t, []int{19, 18}, nths("chat"))
		require.Equal(t, []int{19, 18}, nths("tickets"))
	})
}
