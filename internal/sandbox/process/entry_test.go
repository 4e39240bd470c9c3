package process_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Rule: a script runs as Node, or who takes what it exports, runs it: once, whatever it calls what runs.
func TestEntries(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"async function main() { console.log('once'); }\nmain().catch((e) => { console.error(e); process.exit(1); });":                                          "null once",
		"const main = async () => { console.log('once'); };\nmain().then(() => console.log('done')).finally(() => console.log('end'))":                          "null once,done,end",
		"function main() { console.log('once'); }\nif (require.main === module) { main(); }":                                                                    "null once",
		"function main() { console.log('once'); return 5; }\nif (require.main === module) main();\nmodule.exports = { main };":                                  "5 once",
		"function main() { console.log('once'); }\nif (require.main === module) main();\nmodule.exports = { other: main };":                                     "null once",
		"async function main(): Promise<void> { const n: number = 1; console.log('once', n); }\nvoid main();":                                                   "null once 1",
		"import fs from 'node:fs';\nasync function main() { await 1; console.log('once', typeof fs.readFileSync) }\nawait main();":                              "null once function",
		"async function main(day) { console.log(day) }\nmain('mon')":                                                                                            "null mon",
		"async function main() { throw new TypeError('x') }\nmain().catch(err => { console.error('failed', err.message); process.exit(1) })":                    "TypeError: x",
		"(async () => { throw new RangeError('x') })().catch((e) => { console.error(e); process.exitCode = 1; });":                                              "RangeError: x",
		"const go = async () => { throw new Error('x') };\ngo().catch(() => 1).then((n) => console.log(n))":                                                     "null 1",
		"async function main() { try { throw new RangeError('x') } catch (e) { console.error('no:', e); process.exit(1) } finally { console.log('never') } }":   "RangeError: x",
		"async function main() { console.log('a'); process.exit(0); console.log('b') }":                                                                         "null a",
		"async function main() { throw new RangeError('x') }\nmain().catch((e) => { tell(e); process.exit(1) })\nfunction tell(e) { console.error('told', e) }": "RangeError: x",
		"async function main() { throw new RangeError('x') }\nmain().catch((e) => tell(e, console))\nfunction tell(e, to) { to.log('told') }":                   "null told",
		"async function main() { process.exitCode = 3; return 5 }":                                                                                              "Error: the script ended with process.exit(3)",
		"async function main() { setTimeout(() => console.log('late'), 5); setTimeout(() => process.exit(), 1) }":                                               "null ",
		"export const handler = async (event) => ({ statusCode: 200, of: typeof event });":                                                                      `{"statusCode":200,"of":"object"} `,
		"exports.handler = async (event) => { return { a: typeof event } }":                                                                                     `{"a":"object"} `,
		"export default { async scheduled(event, env, context) { context.waitUntil((async () => { await 1; console.log(env.KEY) })()); } }":                     "null {{secret:KEY}}",
		"export default { name: 'x', async run({ a = 1 }) { return [a, this.name] } };\nconst later = 1;":                                                       `[1,"x"] `,
		"const path = require('path'); console.log(path.join(__dirname, 'state.json'), path.basename(__filename))":                                              "null state.json script.js",
		"const z = require('zlib'); const { promisify } = require('util'); const text = 'ä'.repeat(500); const p = z.gzipSync(text); console.log(p.length < 100, z.gunzipSync(p).toString() === text, String(z.inflateSync(z.deflateSync('a'))), String(z.inflateRawSync(z.deflateRawSync(Buffer.from('b')))), z.unzipSync(p).length, String(await promisify(z.gunzip)(await promisify(z.gzip)('c')))); try { z.gunzipSync(Buffer.from('no gzip')) } catch (e) { console.log(e.code) }": "null true true a b 1000 c,Z_DATA_ERROR",
		"export default { ...{ fetch() {} } }": "TypeError: the default export has no function main, handler, run or scheduled",
		"process.stdout.write('a\\n'); process.on('SIGTERM', () => {}); console.log(process.argv.slice(2).length, process.hrtime.bigint() >= 0n, process.cwd())": "null a,0 true .",
	} {
		require.NoError(t, engine.Check(code), code)
		x := execution(code)
		x.Input = json.RawMessage(`{}`)
		outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), x, nil)
		require.NoError(t, err)
		var have []string
		for _, line := range outcome.Log {
			have = append(have, line.Text)
		}
		if outcome.Error != nil {
			require.Equal(t, want, outcome.Error.Name+": "+outcome.Error.Message, code)
			continue
		}
		require.Equal(t, want, string(outcome.Output)+" "+strings.Join(have, ","), code)
	}
}
