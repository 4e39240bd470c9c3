// The six stories by keyboard alone: no press of a mouse, and no way that takes long.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveModel } from './model';
import { greeting, patience, until, World } from './world';

const world = new World();
let shop: Server;
let model: Awaited<ReturnType<typeof serveModel>>;
let host = '';
beforeAll(async () => {
  shop = createServer((request, answer) => {
    const taken = request.headers.authorization === 'Bearer sk-right';
    answer.writeHead(taken ? 200 : 401, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((ready) => shop.listen(0, '127.0.0.1', ready));
  host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
  model = await serveModel([{ tool: 'ask', args: { question: 'When?', options: ['mornings', 'evenings'] } }, { text: 'It greets you every morning.' }]);
  await world.begin(['--model', 'scripted', '--llm-base-url', model.url]);
}, 3 * patience);
afterAll(async () => {
  await world.end();
  shop.close();
  model.server.close();
}, patience);

const most = 30; // presses of Tab from one thing to the next

const focused = (page: Page) => page.evaluate(() => {
  const at = document.activeElement as HTMLElement | null;
  return (at?.getAttribute('aria-label') ?? (at instanceof HTMLInputElement || at instanceof HTMLTextAreaElement ? at.labels?.[0]?.textContent : at?.textContent) ?? '').trim();
});

/** Tabs to what is called so. */
async function tabTo(page: Page, name: string | RegExp) {
  const is = (said: string) => (typeof name === 'string' ? said === name : name.test(said));
  for (let n = 0; n <= most; n++) {
    if (is(await focused(page))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(name)} is not reached with ${most} Tabs`);
}

/** Goes to the row of Today that has this text. */
async function rowOf(page: Page, text: string) {
  await page.locator('[data-row]').filter({ hasText: text }).first().waitFor();
  for (let n = 0; n < 20 && !(await page.evaluate(() => document.activeElement?.closest('[data-row]')?.textContent ?? '')).includes(text); n++) await page.keyboard.press('j');
}

const press = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

// First: what the model says is for this story, and a maintainer would take it.
it('a workflow is made from one sentence', async () => {
  const { page, context } = await world.visitor();
  await press(page, '/');
  await page.getByRole('combobox', { name: 'Go to or do something' }).waitFor();
  await page.keyboard.type('A new workflow');
  await press(page, 'Enter');
  await page.getByRole('heading', { level: 1, name: 'A new workflow' }).waitFor();
  await tabTo(page, 'What should it do, and when?');
  await page.keyboard.type('Greet me every day');
  await tabTo(page, 'Begin');
  await press(page, 'Enter');
  await page.getByText('The planner asks: When?').waitFor();
  await tabTo(page, 'mornings');
  await press(page, 'Enter');
  await page.getByText('It greets you every morning.').first().waitFor();
  await context.close();
});

it('a fix that waits is accepted', async () => {
  await world.held('Accepted by keys');
  const { page, context } = await world.visitor();
  await rowOf(page, 'Accepted by keys');
  await press(page, 'a');
  await page.getByText('It claims:').waitFor();
  await press(page, 'a');
  await page.getByRole('dialog').waitFor();
  await press(page, 'Enter');
  await page.getByText('Accepted. The run that failed goes on with it.').first().waitFor();
  await context.close();
});

it('a key that was refused is replaced, and the run goes on', async () => {
  const workflow = await world.create('Key by keys', `async function main() { return web.getJSON("http://${host}/", { headers: { authorization: "Bearer " + secret("SHOP") } }); }`, { allowed_hosts: [host] });
  await world.api('PUT', `/secrets/SHOP?workflow=${workflow}`, { value: 'sk-old', hosts: [host] });
  await world.runs(workflow, {}, ['failed']);
  const { page, context } = await world.visitor();
  await rowOf(page, 'Key by keys');
  await press(page, 'a');
  await page.getByRole('dialog').getByLabel('The key').waitFor();
  await tabTo(page, 'The key');
  await page.keyboard.type('sk-right');
  await press(page, 'Enter');
  await page.getByRole('dialog').getByText('It works: the run went on, and succeeded.').waitFor();
  await context.close();
});

it('a question is answered, with an option and in words', async () => {
  const options = await world.create('Option by keys', "async function main() { return { said: await ask('Ship it?', { options: ['yes', 'no'] }) }; }");
  const words = await world.create('Words by keys', "async function main() { return { said: await ask('What shall it say?') }; }");
  const runs = [await world.runs(options, {}, ['asking']), await world.runs(words, {}, ['asking'])];
  const { page, context } = await world.visitor();
  await rowOf(page, 'Option by keys');
  await press(page, 'a');
  await page.getByText('Answered: yes. It goes on.').first().waitFor();
  await rowOf(page, 'Words by keys');
  await tabTo(page, /^Your answer to/);
  await page.keyboard.type('Dear Ada');
  await press(page, 'Enter');
  await page.getByText('Answered: Dear Ada. It goes on.').first().waitFor();
  for (const run of runs) await until(async () => (await world.api<{ status: string }>('GET', `/runs/${run}`)).status === 'succeeded');
  await context.close();
});

it('a version that somebody regrets is gone back from', async () => {
  const workflow = await world.create('Back by keys', greeting);
  await world.api('POST', `/workflows/${workflow}/versions`, { code: 'async function main() { return 2; }', comment: 'two' });
  const { page, context } = await world.visitor();
  await press(page, '/');
  await page.getByRole('combobox', { name: 'Go to or do something' }).waitFor();
  await page.keyboard.type('Back by keys');
  await page.getByRole('option', { name: 'Back by keys' }).waitFor();
  await press(page, 'Enter');
  await page.getByRole('heading', { level: 1, name: 'Back by keys' }).waitFor();
  await tabTo(page, 'Script');
  await press(page, 'Enter');
  await page.waitForURL(/\/script/);
  await page.getByRole('heading', { name: 'Version 2.0, in use' }).waitFor();
  await tabTo(page, /^1\.0/);
  await press(page, 'Enter');
  await page.getByRole('button', { name: 'Go back to 1.0…' }).waitFor();
  await tabTo(page, 'Go back to 1.0…');
  await press(page, 'Enter');
  await page.getByRole('dialog').getByRole('button', { name: /^Go back/ }).waitFor();
  await tabTo(page, /^Go back to( version)? 1\.0$/);
  await press(page, 'Enter');
  await page.getByRole('heading', { name: 'Version 3.0, in use' }).waitFor();
  await context.close();
});

it('a mend is undone', async () => {
  const { fix } = await world.held('Undone by keys');
  await world.api('POST', `/fixes/${fix}/accept`, {});
  await until(async () => (await world.api<{ state: string }>('GET', `/fixes/${fix}`)).state === 'confirmed');
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/fixes/${fix}`);
  await page.getByRole('button', { name: 'Undo this mend…' }).waitFor();
  await tabTo(page, 'Undo this mend…');
  await press(page, 'Enter');
  await page.getByRole('dialog').getByText(/Of \d+ recorded runs|recorded run/).first().waitFor();
  await tabTo(page, 'Undo the mend');
  await press(page, 'Enter');
  await page.getByText('The mend is undone: version 1.0 is in use again.').first().waitFor();
  await context.close();
});

it('no browser reported anything', () => expect(world.problems).toEqual([]));
