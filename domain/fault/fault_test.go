package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

func TestKindSurvivesWrapping(t *testing.T) {
	t.Parallel()
	refusal := fault.New(fault.Conflict, "workflow %s is paused", "w")
	require.EqualError(t, refusal, "workflow w is paused")
	require.Equal(t, fault.Conflict, fault.KindOf(fmt.Errorf("commands: %w", refusal)))
	require.Equal(t, fault.Conflict, fault.KindOf(errors.Join(io.EOF, refusal)))
}

func TestAPlainErrorIsInternal(t *testing.T) {
	t.Parallel()
	require.Equal(t, fault.Internal, fault.KindOf(io.EOF))
	require.Equal(t, fault.Kind(""), fault.KindOf(nil))
}

func TestACauseIsKept(t *testing.T) {
	t.Parallel()
	require.ErrorIs(t, fault.New(fault.Invalid, "read it: %w", io.ErrUnexpectedEOF), io.ErrUnexpectedEOF)
	require.NotErrorIs(t, fault.New(fault.Invalid, "read it"), io.ErrUnexpectedEOF)
}
