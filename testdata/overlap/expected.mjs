// Writes expected.json: what Node makes of each snippet, where a read takes as long as its address says. Only who adds
// snippets needs it: node testdata/overlap/expected.mjs
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

class NetworkError extends Error { name = 'NetworkError' }
const sleep = (ms) => new Promise((resolve) => setTimeout(() => resolve(null), ms));
const get = async (address) => {
	const { pathname, searchParams } = new URL(address);
	await sleep(Number(searchParams.get('ms')));
	if (searchParams.has('fails')) throw new NetworkError(pathname + ' refused');
	return pathname.slice(1);
};
Object.assign(globalThis, {
	NetworkError, sleep, web: { getJSON: get },
	fetch: (address, { signal } = {}) => new Promise((resolve, reject) => {
		signal?.addEventListener('abort', () => reject(signal.reason));
		get(address).then((v) => resolve(new Response(JSON.stringify(v))), reject);
	}),
});
const here = dirname(fileURLToPath(import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'overlap-'));
const expected = {};
for (const [n, part] of readFileSync(join(here, 'concurrency.js'), 'utf8').split(/^\/\/\/\/ /m).slice(1).entries()) {
	const [name, ...rest] = part.split('\n');
	const path = join(scratch, `${n}.mjs`);
	writeFileSync(path, rest.join('\n') + '\nexport { main as __main };');
	expected[`concurrency.js: ${name}`] = { output: await (await import(path)).__main() };
}
writeFileSync(join(here, 'expected.json'), JSON.stringify(expected, null, 1) + '\n');
