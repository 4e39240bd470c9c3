package hostcall_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// probed is what Node makes of all that testdata/language/probe.js asks, in digests, a row for each method, operator
// and pattern.
type probed struct {
	Names json.RawMessage `json:"names"`
	Rows  map[string]*struct {
		Node string `json:"node"`
		Here string `json:"here"` // where it is otherwise
		Why  string `json:"why"`  // begins what docs/scripts.md says of it
	} `json:"rows"`
}

// Rule: what the methods, operators and regular expressions make of many values is what Node makes of them, or
// docs/scripts.md says what else; and of nothing else it says so. One row of twelve is asked, with KINTSUGI_CAMPAIGN
// all of them.
func TestLanguageAsNodeHasIt(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../testdata/language/probe.json")
	require.NoError(t, err)
	var all probed
	require.NoError(t, json.Unmarshal(text, &all))
	var rows []string
	for about := range all.Rows {
		rows = append(rows, about)
	}
	slices.Sort(rows)
	if os.Getenv("KINTSUGI_CAMPAIGN") == "" {
		const oneOf = 12
		for i := range rows {
			if i%oneOf != 0 {
				rows[i] = ""
			}
		}
		rows = slices.DeleteFunc(rows, func(about string) bool { return about == "" })
	}
	code, err := os.ReadFile("../../../testdata/language/probe.js")
	require.NoError(t, err)
	input, err := json.Marshal(map[string]any{"names": all.Names, "rows": rows})
	require.NoError(t, err)
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{
		Code: string(code), Input: input, Seed: "s", Clock: time.UnixMilli(0), Limits: sandbox.Limits{Wall: time.Hour, CPU: time.Hour, ResultBytes: 64 << 20},
	}, nil)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	var results map[string][]string
	require.NoError(t, json.Unmarshal(outcome.Output, &results))
	for _, about := range rows {
		row := all.Rows[about]
		sum := sha256.Sum256([]byte(strings.Join(results[about], "\n")))
		have := hex.EncodeToString(sum[:6])
		if row.Why == "" {
			if row.Node != have {
				t.Errorf("%s: compare with node tools/language.mjs '%s':\n%s", about, about, strings.Join(results[about], "\n"))
			}
			continue
		}
		if row.Node == have {
			t.Errorf("%s is as in Node; docs/scripts.md says it is not", about)
		} else if row.Here != have {
			t.Errorf("%s is otherwise than before, %s", about, have)
		}
	}
	for about, row := range all.Rows {
		if row.Why != "" {
			require.Contains(t, hostcall.Reference(), "\n- "+row.Why, about)
		}
	}
}
