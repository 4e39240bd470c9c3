// Writes expected.json: what Node makes of each snippet; make testdata/webapi. Only who adds snippets needs it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

process.env.TZ = 'UTC';
const here = dirname(fileURLToPath(import.meta.url));

// What webapi_test.go answers, too.
const server = createServer(async (request, response) => {
	const chunks = [];
	for await (const chunk of request) chunks.push(chunk);
	const all = Buffer.concat(chunks), body = all.toString('utf8').includes('\uFFFD') ? all.toString('base64') : all.toString('utf8');
	const [, kind, rest] = request.url.split('/');
	const say = (status, type, text) => response.writeHead(status, { 'content-type': type }).end(text);
	if (kind === 'json') say(200, 'application/json', '{"n":42,"list":[1,2,3]}');
	else if (kind === 'n') say(200, 'application/json', JSON.stringify({ n: Number(rest) }));
	else if (kind === 'status') say(Number(rest), 'text/plain', 'status ' + rest);
	else if (kind === 'cookies') { response.setHeader('set-cookie', ['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2; Path=/']); say(200, 'application/json', '{}'); }
	else if (kind === 'moved') response.writeHead(302, { location: '/json' }).end();
	else if (kind === 'bytes') say(200, 'image/png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255, 1]));
	else if (kind === 'html') say(200, 'text/html', '<!doctype html><title>Hi</title>');
	else say(200, 'application/json', JSON.stringify({ method: request.method, path: request.url, type: request.headers['content-type'] ?? null, body }));
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const origin = 'http://127.0.0.1:' + server.address().port;
const real = globalThis.fetch;
globalThis.fetch = function fetch(input, init) {
	const request = new Request(input, init);
	return real(new Request(request.url.replace('https://api.example.test', origin), request));
};

const AsyncFunction = (async () => {}).constructor;
const expected = {};
for (const file of readdirSync(here).filter((f) => f.endsWith('.js')).sort()) {
	for (const part of readFileSync(join(here, file), 'utf8').split(/^\/\/\/\/ /m).slice(1)) {
		const [name, ...rest] = part.split('\n');
		let value;
		try {
			value = { output: (await new AsyncFunction('input', rest.join('\n'))({})) ?? null };
		} catch (e) {
			value = { error: e.name };
		}
		expected[`${file}: ${name}`] = value;
	}
}
server.close();
writeFileSync(join(here, 'expected.json'), JSON.stringify(expected, null, 1) + '\n');
process.exit(0);
