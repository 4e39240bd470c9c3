package process_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// kept is a code with one package, whose text is at hand unless it is not to be.
func kept(t *testing.T, script, text string) (code string, encoded string) {
	t.Helper()
	encoded, digest, err := (&packages.Text{Modules: map[string]map[string]string{"p": {"default": "n0", "f": "n1", "*": "n2"}}, Code: text}).Encode()
	require.NoError(t, err)
	return script + "\n" + (&packages.Lock{Digest: digest, Modules: []packages.Module{{Name: "p", Version: "1.0.0", Names: []string{"default", "f"}}}}).String(), encoded
}

// Rule: a worker is sent the packages of its script, once, and may run it again; each run finds them as if it was the first.
func TestPackagesInWorkers(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	code, encoded := kept(t, "import p, { f } from 'p';\nexport default () => [p, f(), f()];", "let n = 0; exports.n0 = 'p'; exports.n1 = () => ++n; // "+t.Name()+strings.Repeat("x", 1<<20))
	at := execution(code)
	at.Affinity = "same"
	missing, err := pool.Run(t.Context(), at, nil)
	require.NoError(t, err)
	require.Equal(t, sandbox.ClassInternal, missing.Error.Class)
	require.Contains(t, missing.Error.Message, "is not at hand")

	packages.Keep(encoded)
	for range 3 {
		outcome, err := pool.Run(t.Context(), at, nil)
		require.NoError(t, err)
		require.Nil(t, outcome.Error)
		require.JSONEq(t, `["p",1,2]`, string(outcome.Output))
	}
	outcomes, err := pool.RunAll(t.Context(), []sandbox.Execution{at, at, at}, func(int) sandbox.Host { return nil }, func(int, *sandbox.Outcome) {})
	require.NoError(t, err)
	for _, outcome := range outcomes {
		require.JSONEq(t, `["p",1,2]`, string(outcome.Output))
	}
}

// Rule: what a package may reach is what a script may reach.
func TestPackagesReachWhatScriptsReach(t *testing.T) {
	t.Parallel()
	for _, attack := range []string{
		"(() => {}).constructor('return 1')",
		"(async () => {}).constructor('return 1')",
		"(function* () {}).constructor('return 1')",
		"Object.getPrototypeOf(async function () {}).constructor('return 1')",
		"Function.prototype.constructor('return 1')",
		"Reflect.construct(Function, ['return 1'])",
		"new Function('a', 'return a')",
		"Function('return this;return 1')()",
		"globalThis.eval('1')",
		"setTimeout('globalThis.x = 1')",
		"require('./other')",
		"require('/etc/passwd').x",
		"require('child_process').spawn('ls')",
		"require('p')()",
		"require.cache['x'].y",
		"module.constructor._load('fs')",
		"process.binding('fs')",
		"new GoError()",
		"WebAssembly.compile()",
	} {
		code, encoded := kept(t, "import p from 'p';\nexport default () => p();", "exports.n0 = () => { try { return ['reached', String("+attack+")]; } catch (e) { return 'refused'; } };")
		packages.Keep(encoded)
		outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), execution(code), nil)
		require.NoError(t, err)
		if outcome.Error == nil {
			require.Contains(t, []string{`"refused"`, `["reached","[object Object]"]`}, string(outcome.Output), attack)
		}
	}
	// Packages find Function as a global while they begin, and the script does not.
	code, encoded := kept(t, "import p from 'p';\nexport default () => [p, typeof globalThis.Function, typeof globalThis['Func' + 'tion']];", "exports.n0 = typeof globalThis.Function.prototype.call;")
	packages.Keep(encoded)
	require.JSONEq(t, `["function","undefined","undefined"]`, output(t, code))
	// A package that changes what all objects have does so in its own run alone.
	code, encoded = kept(t, "import p from 'p';\nexport default () => p;", "exports.n0 = {}.polluted || 'clean'; Object.prototype.polluted = 'polluted'; Array.prototype.map = null; JSON.stringify = null;")
	packages.Keep(encoded)
	pool := newPool(t, 1)
	at := execution(code)
	at.Affinity = "same"
	for range 2 {
		outcome, err := pool.Run(t.Context(), at, nil)
		require.NoError(t, err)
		require.Nil(t, outcome.Error)
		require.Equal(t, `"clean"`, string(outcome.Output))
	}
}

// Rule: a name that the script did not take of a package when it was saved is refused before anything runs.
func TestNamesOfPackages(t *testing.T) {
	t.Parallel()
	code, _ := kept(t, "import { other } from 'p';\nexport default () => other;", "")
	require.ErrorContains(t, process.Check(code), "other of p is not among what the script took of it when it was saved")
	code, _ = kept(t, "import { x } from 'q';\nexport default () => x;", "")
	require.ErrorContains(t, process.Check(code), `there is no module "q"`)
	code, _ = kept(t, "import fs from 'fs';\nimport p from 'node:p';\nexport default () => p;", "")
	require.ErrorContains(t, process.Check(code), `there is no module "node:p"`)
	require.ErrorContains(t, process.Check("import { x } from './x';\nexport default () => x;"), "there is no file ./x beside the script")
}
