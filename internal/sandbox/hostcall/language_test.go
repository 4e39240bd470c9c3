package hostcall_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Rule: what the language makes of a value is what Node makes of it, or it is known what else; docs/scripts.md tells of
// what is known. make language asks Node again.
func TestLanguageIsAsInNode(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../testdata/language/expressions.json")
	require.NoError(t, err)
	var language struct {
		Before      string
		Expressions []struct{ Code, Node, Here string }
	}
	require.NoError(t, json.Unmarshal(text, &language))
	var script strings.Builder
	script.WriteString(language.Before + "\nfunction main() { return [\n")
	for _, one := range language.Expressions {
		fmt.Fprintf(&script, "show(() => (%s)),\n", one.Code)
	}
	script.WriteString("] }\n")
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient, Code: script.String(), Seed: "s", Clock: time.UnixMilli(0)}, nil)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	var have []string
	require.NoError(t, json.Unmarshal(outcome.Output, &have))
	require.Len(t, have, len(language.Expressions))
	for i, one := range language.Expressions {
		want := one.Node
		if one.Here != "" {
			want = one.Here
			require.NotEqual(t, one.Node, one.Here, "%s is no deviation", one.Code)
		}
		require.Equal(t, want, have[i], one.Code)
	}
}
