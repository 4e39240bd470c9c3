package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

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
