// The main job with the client: save, run and wait, list fixes, hear what happens. KINTSUGI is a server, KINTSUGI_TOKEN a token of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kintsugi, Problem } from '../dist/index.js';

const base = process.env.KINTSUGI;
const api = kintsugi({ base, token: process.env.KINTSUGI_TOKEN });
const script = 'async function main(input) { return { hello: input.name.trim() } }';

test('the main job', async () => {
  const made = (await api.POST('/api/v1/workflows', { body: { title: 'Made in TypeScript', script } })).data;
  const workflow = made.id;
  const saved = (await api.POST('/api/v1/workflows/{workflow}/versions', { params: { path: { workflow } }, body: { code: script.replace('hello', 'greets') } })).data;
  assert.ok(saved);
  const done = (await api.POST('/api/v1/workflows/{workflow}/runs', { params: { path: { workflow }, query: { wait: '30s' } }, body: { input: { name: ' Ada ' } } })).data;
  assert.deepEqual(done.final.output, { greets: 'Ada' });
  const fixes = (await api.GET('/api/v1/fixes', { params: { query: { workflow } } })).data;
  assert.deepEqual(fixes.items, []);

  const heard = [];
  const stop = new AbortController();
  for await (const event of api.events({ after: 'start', workflow }, stop.signal)) {
    heard.push(event.type);
    if (event.type === 'RunSucceeded') stop.abort();
  }
  assert.equal(heard[0], 'WorkflowCreated');
  assert.equal(heard.at(-1), 'RunSucceeded');
});

test('what is refused is a problem with its words', async () => {
  await assert.rejects(api.GET('/api/v1/workflows/{workflow}', { params: { path: { workflow: '../none' } } }), (error) => error instanceof Problem && error.status === 404);
  await assert.rejects(kintsugi({ base, token: 'wrong' }).GET('/api/v1/workflows'), (error) => error.status === 401 && /not known here/.test(error.message));
  await assert.rejects(async () => { for await (const _ of kintsugi({ base, token: 'wrong' }).events()); }, (error) => error.status === 401);
});
