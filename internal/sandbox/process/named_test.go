package process_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Rule: whatever way a script looks at a global, it finds all of its functions, though only those that it names are made
// where nothing else can be seen.
func TestAllMembersAreThereForWhoeverLooks(t *testing.T) {
	t.Parallel()
	for _, look := range []string{
		`Object.keys(web).length`,
		`(({ web }) => Object.keys(web).length)({ web })`,
		`Object.keys(web.valueOf()).length`,
		`[...'gp'].filter((c) => web[{ g: 'getJSON', p: 'postJSON' }[c]]).length`,
		`['getJSON', 'postJSON'].filter((name) => web.hasOwnProperty(name)).length`,
		`['getJSON', 'postJSON'].filter((name) => web?.[name]).length`,
		`Object.keys(globalThis.web).length`,
		`Object.keys((function () { return this })()['web']).length`,
		`Object.keys(require('kintsugi')['web']).length`,
		`Reflect.ownKeys(web).length`,
		`(() => { const { getJSON, postJSON } = web; return [getJSON, postJSON].filter(Boolean).length })()`,
	} {
		require.Equal(t, "2", output(t, `async function main() { const named = web.getJSON; return `+look+` }`), look)
	}
	require.Equal(t, `["error","log"]`, output(t, `async function main() { console.log(1); return Object.keys(console).filter((name) => ['error', 'log'].includes(name)).sort() }`))
	require.Equal(t, `"function"`, output(t, `async function main() { web.postJSON = 1; return typeof web.getJSON }`))
}

// Rule: what a script hands over is the JSON that its JSON.stringify makes of it, with null where that leaves it out.
func TestValuesLeaveAsTheirJSON(t *testing.T) {
	t.Parallel()
	values := []string{
		`'plain'`, `'"\\'`, `'\b\f\n\r\t\v\0\x7f'`, `'Grüße \u{1F600}'`, `'\ud800'`, `''`, `0`, `-0`, `1e21`, `0.1`, `NaN`, `-Infinity`, `true`, `null`, `undefined`,
		`Symbol('x')`, `() => 1`, `Object.assign(() => 1, { toJSON: () => 2 })`, `{ toJSON() { return undefined } }`, `{ toJSON: (key) => [key] }`, `new Date(0)`,
		`{ a: undefined, b: () => 1, c: [undefined, () => 1], '"': 1 }`, `[]`, `Object.create(null)`, `new Map([[1, 2]])`, `Object('x')`, `Object(1)`,
	}
	for _, value := range values {
		code := fmt.Sprintf(`async function main() { const v = %s; kv.set(v, 1); return [JSON.stringify(v) ?? 'null', v] }`, value)
		outcome := inProcess(t, code, replies(map[string]string{"kv.set": "null"}))
		require.Nil(t, outcome.Error, value)
		var want string
		list := []any{}
		require.NoError(t, json.Unmarshal(outcome.Output, &list))
		want, _ = list[0].(string)
		require.Equal(t, "["+want+",1]", string(outcome.Calls[0].Args), value)
		require.Equal(t, want, output(t, fmt.Sprintf(`function main() { return %s }`, value)), value)
	}
	outcome := inProcess(t, `async function main() { BigInt.prototype.toJSON = function () { return 'n' + this }; kv.set(7n, 1) }`, replies(map[string]string{"kv.set": "null"}))
	require.Equal(t, `["n7",1]`, string(outcome.Calls[0].Args))

	for code, message := range map[string]string{
		`function main() { return 7n }`:                                    "Do not know how to serialize a BigInt",
		`function main() { const a = []; a.push(a); return a }`:            "Converting circular structure to JSON",
		`function main() { return { toJSON() { throw new Error('x') } } }`: "x",
	} {
		outcome := inProcess(t, code, nil)
		require.NotNil(t, outcome.Error, code)
		require.Equal(t, sandbox.ClassLogic, outcome.Error.Class, code)
		require.True(t, strings.HasPrefix(outcome.Error.Message, message), outcome.Error.Message)
	}
}

// Rule: what the JSON of the output asks for is done before the run is over.
func TestJobsOfTheOutputAreDone(t *testing.T) {
	t.Parallel()
	outcome := inProcess(t, `function main() { return { toJSON() { Promise.resolve().then(() => kv.set('a', 1)).then(() => kv.set('b', 2)); return 3 } } }`, replies(map[string]string{"kv.set": "null"}))
	require.Nil(t, outcome.Error)
	require.Equal(t, "3", string(outcome.Output))
	require.Len(t, outcome.Calls, 2)
}
