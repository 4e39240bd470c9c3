//go:build client

package app

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a script may call is known to TypeScript's compiler, and what is not there is found, with its place.
func TestTypesAreCheckedByTheirCompiler(t *testing.T) {
	compilers, err := filepath.Abs("../../../web/node_modules/.bin")
	require.NoError(t, err)
	t.Setenv("PATH", compilers+":/usr/local/bin:/usr/bin:/bin")
	check, err := CheckTypes(t.Context(), "async function main(input) {\n  return web.getJSON('https://a.example', {timeoutMs: 5})\n}", "a.js")
	require.NoError(t, err)
	require.Contains(t, check.By, "tsc 5.")
	require.Empty(t, check.Findings)
	check, err = CheckTypes(t.Context(), "export default async function main(input: {day: string}) {\n  return kv.get(input.dya)\n}", "a.ts")
	require.NoError(t, err)
	require.Equal(t, []string{"line 2, column 23: TS2339: Property 'dya' does not exist on type '{ day: string; }'."}, check.Findings)
}
