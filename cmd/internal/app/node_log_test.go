package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// failing is a log whose appends fail.
type failing struct {
	eventlog.Log
	err error
}

func (l failing) Append(context.Context, string, eventlog.Expected, []eventlog.Event) (eventlog.Appended, error) {
	return eventlog.Appended{}, l.err
}

// A storage that failed for good is told of once; other errors are nothing to end a server for.
func TestFailedStorageIsTold(t *testing.T) {
	t.Parallel()
	log := watch(failing{err: fmt.Errorf("disk gone: %w", eventlog.ErrFailed)})
	for range 3 {
		_, err := log.Append(t.Context(), "s", eventlog.NoStream{}, nil)
		require.ErrorIs(t, err, eventlog.ErrFailed)
	}
	require.ErrorContains(t, <-log.failed, "disk gone")
	require.Empty(t, log.failed)
	log = watch(failing{err: eventlog.ErrFull})
	_, err := log.Append(t.Context(), "s", eventlog.NoStream{}, nil)
	require.ErrorIs(t, err, eventlog.ErrFull)
	require.Empty(t, log.failed)
}

// A server outlasts a log that cannot be reached for a while, and nothing else.
func TestOutlast(t *testing.T) {
	t.Parallel()
	logger := slog.New(slog.DiscardHandler)
	tries := 0
	err := Outlast(t.Context(), logger, time.Millisecond, func(context.Context) error {
		if tries++; tries < 4 {
			return fmt.Errorf("dial: %w", eventlog.ErrUnavailable)
		}
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, 4, tries)
	other := errors.New("another")
	require.ErrorIs(t, Outlast(t.Context(), logger, time.Hour, func(context.Context) error { return other }), other)
	ctx, cancel := context.WithCancel(t.Context())
	require.NoError(t, Outlast(ctx, logger, time.Hour, func(context.Context) error {
		time.AfterFunc(time.Millisecond, cancel)
		return eventlog.ErrUnavailable
	}))
}

// A full storage is told once, and so is that there is room again: not by a small append that still fits.
func TestAFullStorageIsToldOnce(t *testing.T) {
	t.Parallel()
	store := &failing{}
	log := watch(store)
	var told []bool
	log.room.tell = func(full error) { told = append(told, full != nil) }
	for _, step := range []struct {
		err  error
		size int
		told []bool
	}{
		{nil, 9, nil},
		{eventlog.ErrFull, 9, []bool{true}},
		{eventlog.ErrFull, 5, []bool{true}},
		{nil, 8, []bool{true}},
		{errors.New("another"), 9, []bool{true}},
		{nil, 9, []bool{true, false}},
		{nil, 9, []bool{true, false}},
		{fmt.Errorf("append: %w", eventlog.ErrFull), 1, []bool{true, false, true}},
	} {
		store.err = step.err
		_, err := log.Append(t.Context(), "s", eventlog.NoStream{}, []eventlog.Event{{Payload: make([]byte, step.size)}})
		require.ErrorIs(t, err, step.err)
		require.Equal(t, step.told, told)
	}
}
