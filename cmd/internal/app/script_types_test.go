//go:build client

package app

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// The calls that a script may make are known to TypeScript's compiler, and a missing one is found, with its place.
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

// Rule: the declarations are right for who is strict, and take what the libraries are used for.
func TestDeclarationsAreStrict(t *testing.T) {
	compiler, err := filepath.Abs("../../../web/node_modules/.bin/tsc")
	require.NoError(t, err)
	dir := t.TempDir()
	const script = `import { z } from 'kintsugi:schema';
const Order = z.object({ id: z.number(), name: z.string().optional(), tags: z.array(z.string()), kind: z.enum(['a', 'b']) });
export default async function main(input: unknown) { const order = Order.parse(input); const id: number = order.id, kind: 'a' | 'b' = order.kind; return [id, kind, order.tags.length]; }`
	for name, content := range map[string]string{
		"script.ts": script, "kintsugi.d.ts": hostcall.Types(),
		"tsconfig.json": `{"compilerOptions": {"noEmit": true, "strict": true, "target": "es2022", "lib": ["es2023"], "module": "es2022", "types": []}, "files": ["script.ts", "kintsugi.d.ts"]}`,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	said, err := exec.CommandContext(t.Context(), "node", compiler, "--project", dir).CombinedOutput()
	require.NoError(t, err, "%s", said)
}
