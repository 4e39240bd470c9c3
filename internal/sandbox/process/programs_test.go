package process_test

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Rule: a program gives what Node gives, whatever of the language it is made of. The programs are random ones
// (tools/programs.mjs); those of testdata once gave something else, or are there for what they are made of.
// KINTSUGI_PROGRAMS names another file: make programs.
func TestRandomProgramsGiveWhatNodeGives(t *testing.T) {
	t.Parallel()
	name := os.Getenv("KINTSUGI_PROGRAMS")
	if name == "" {
		name = "../../../testdata/language/programs.jsonl"
	}
	file, err := os.Open(name)
	require.NoError(t, err)
	t.Cleanup(func() { _ = file.Close() })
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<22)
	read := 0
	for lines.Scan() {
		var one struct {
			Name, Code, Error string
			Output            json.RawMessage
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &one))
		read++
		t.Run(one.Name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, engine.Check(one.Code), one.Code)
			outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), execution(one.Code), nil)
			require.NoError(t, err)
			if one.Error != "" {
				require.NotNil(t, outcome.Error, one.Code)
				require.Equal(t, one.Error, outcome.Error.Name, one.Code)
				return
			}
			require.Nil(t, outcome.Error, "%+v\n%s", outcome.Error, one.Code)
			require.Equal(t, string(one.Output), string(outcome.Output), one.Code)
		})
	}
	require.NoError(t, lines.Err())
	require.Positive(t, read, "%s has no programs", name)
}
