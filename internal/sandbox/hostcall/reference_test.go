package hostcall_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/testdata"
)

var update = flag.Bool("update", false, "write docs/scripts.md anew")

// docs/scripts.md is what the tools and built-ins declare of themselves, with an example that works.
// After a change of a declaration: go test ./internal/sandbox/hostcall -run Reference -update.
func TestReferenceIsUpToDate(t *testing.T) {
	t.Parallel()
	const page = "../../../docs/scripts.md"
	want := "# Scripts\n\n<!-- Made of what internal/sandbox/hostcall and internal/sandbox declare: go test ./internal/sandbox/hostcall -run Reference -update -->\n\n" +
		hostcall.Reference() + "\n## An example\n\nIt asks the service of `kintsugi example`.\n\n```js\n" + testdata.RefundScript + "```\n"
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o600))
	}
	have, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, want, string(have))
	const types = "../../../docs/kintsugi.d.ts"
	if *update {
		require.NoError(t, os.WriteFile(types, []byte(hostcall.Types()), 0o600))
	}
	have, err = os.ReadFile(types)
	require.NoError(t, err)
	require.Equal(t, hostcall.Types(), string(have))
	for _, declared := range hostcall.All() {
		require.NotEmpty(t, declared.Doc, declared.Name)
		require.True(t, strings.HasSuffix(declared.Doc, "."), declared.Name)
		require.Contains(t, declared.Types, "): Promise<", declared.Name)
	}
	for _, one := range hostcall.Entries() {
		require.NotRegexp(t, `\s\.$`, one.Doc, "%s ends in the middle of a sentence", one.Name)
	}
}

// Every name of the reference exists in the sandbox.
func TestReferenceNamesWhatIsThere(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	code.WriteString("function main() {\n")
	for _, builtin := range engine.Builtins() {
		for name := range strings.SplitSeq(builtin.Use, ", ") {
			if name, _, _ = strings.Cut(name, "("); strings.HasPrefix(name, ".") {
				name = "console" + name
			}
			if !strings.HasSuffix(name, "?)") && !strings.HasSuffix(name, ")") {
				code.WriteString("if (typeof " + name + " === 'undefined') throw new Error('" + name + "');\n")
			}
		}
	}
	for _, declared := range hostcall.All() {
		code.WriteString("if (typeof " + declared.Name + " !== 'function') throw new Error('" + declared.Name + "');\n")
	}
	code.WriteString("return 'all'; }")
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{Limits: patient, Code: code.String()}, nil)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%v\n%s", outcome.Error, code.String())
}
