package publisher

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

// Events are apart as the rate of a subscription says, however many want to be sent at once; one that pauses gets no burst afterwards, and
// a wait ends with the delivery.
func TestEventsAreSentAtARate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p, err := paceOf(subscription.Definition{Rate: "30/m"})
		require.NoError(t, err)
		began := time.Now()
		sent := make(chan time.Duration, 4)
		for range 4 {
			go func() {
				if p.wait(t.Context()) == nil {
					sent <- time.Since(began)
				}
			}()
		}
		for i := range 4 {
			require.Equal(t, time.Duration(i)*2*time.Second, <-sent)
		}
		<-time.NewTimer(time.Hour).C
		again := time.Now()
		require.NoError(t, p.wait(t.Context()))
		require.NoError(t, p.wait(t.Context()))
		require.Equal(t, 2*time.Second, time.Since(again))
		over := errors.New("over")
		ctx, end := context.WithCancelCause(t.Context())
		end(over)
		require.ErrorIs(t, p.wait(ctx), over)

		free, err := paceOf(subscription.Definition{})
		require.NoError(t, err)
		again = time.Now()
		for range 1000 {
			require.NoError(t, free.wait(t.Context()))
		}
		require.Zero(t, time.Since(again), "without a rate nothing waits")
	})
}
