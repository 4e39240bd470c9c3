package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// A workflow says who proposes fixes, in which order, from those that there are.
func TestSettingsNameKnownFixers(t *testing.T) {
	t.Parallel()
	require.NoError(t, Settings{Fixers: []string{FixerModel, FixerTemplates, FixerCommand, FixerPerson}}.Validate())
	require.ErrorContains(t, Settings{Fixers: []string{"gossip"}}.Validate(), `fixers has "gossip"`)
	require.ErrorContains(t, Settings{Fixers: []string{FixerModel, FixerModel}}.Validate(), `"model" twice`)
}
