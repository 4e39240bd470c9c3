package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// TestAMachineThatIsTooBusy: callers are told in plain words that nothing was changed, and when to come back.
func TestAMachineThatIsTooBusy(t *testing.T) {
	t.Parallel()
	s := &Server{logger: slog.New(slog.DiscardHandler)}
	err := s.problemOf(t.Context(), "saveScript", fmt.Errorf("sandbox: check: %w", &sandbox.UnavailableError{Reason: "this machine was too busy to start the script"}))
	p, is := errors.AsType[*Problem](err)
	require.True(t, is)
	require.Equal(t, http.StatusServiceUnavailable, p.Status)
	require.Equal(t, "not finished: this machine was too busy to start the script. Nothing was changed: ask again", p.Detail)
	with, has := errors.AsType[huma.HeadersError](err)
	require.True(t, has)
	require.Equal(t, "5", with.GetHeaders().Get("Retry-After"))
}

// An operation that executes scripts takes as long as that takes on this machine; every other one ends.
func TestTheClockEndsNoReplay(t *testing.T) {
	t.Parallel()
	s := &Server{}
	for executes := range map[bool]bool{true: true, false: true} {
		ctx, cancel := s.limited(t.Context(), httptest.NewRecorder(), op{executes: executes})
		_, ends := ctx.Deadline()
		require.Equal(t, !executes, ends)
		cancel()
	}
}

// TestWhatAStoreRefuses: callers are told when to come back, and that a write may have been taken.
func TestWhatAStoreRefuses(t *testing.T) {
	t.Parallel()
	s := &Server{logger: slog.New(slog.DiscardHandler)}
	for name, one := range map[string]struct {
		err    error
		status int
		after  string // Retry-After
	}{
		"away": {fmt.Errorf("append: %w", eventlog.ErrUnavailable), http.StatusServiceUnavailable, "5"},
		"full": {fmt.Errorf("append: %w", eventlog.ErrFull), http.StatusInsufficientStorage, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := s.problemOf(t.Context(), "createWorkflow", one.err)
			p, is := errors.AsType[*Problem](err)
			require.True(t, is)
			require.Equal(t, one.status, p.Status)
			require.Contains(t, p.Detail, "may have been taken")
			require.Contains(t, p.Detail, "with the same key")
			after := ""
			if with, has := errors.AsType[huma.HeadersError](err); has {
				after = with.GetHeaders().Get("Retry-After")
			}
			require.Equal(t, one.after, after)
		})
	}
}
