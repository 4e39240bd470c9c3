package app

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Two hundred dry runs at once do not get two hundred herds of workers: those beyond a bound wait, and are told to ask again.
func TestOperationsThatExecuteScriptsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := lender{places: make(chan struct{}, 2), wait: time.Minute}
		borrow := func() (func() error, error) {
			_, giveBack, err := l.borrow(t.Context(), slog.New(slog.DiscardHandler))
			return giveBack, err
		}
		one, err := borrow()
		require.NoError(t, err)
		other, err := borrow()
		require.NoError(t, err)
		_, err = borrow()
		require.ErrorAs(t, err, new(*sandbox.UnavailableError))
		require.EqualError(t, NotFinished(err), "not finished: this server executes scripts for 2 other requests. Nothing was changed: ask again")

		given := make(chan error, 1)
		time.AfterFunc(time.Second, func() { given <- one() })
		third, err := borrow()
		require.NoError(t, err, "it waits for what is given back")
		require.NoError(t, <-given)
		require.NoError(t, other())
		require.NoError(t, third())
	})
}
