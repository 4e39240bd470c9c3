// The page in a real browser, against the real program: what people do there, by clicking only.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveModel } from './model';
import { greeting, patience, until, World } from './world';

const world = new World();
beforeAll(() => world.begin(), 3 * patience);
afterAll(() => world.end(), patience);

describe('signing in', () => {
  it('takes the token of the link, and keeps it where no script reads it', async () => {
    const { page, context } = await world.visitor();
    expect(page.url()).toBe(`${world.base}/`);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.cookie]))).not.toContain('kin_');
    const cookies = await context.cookies();
    expect(cookies.map(({ httpOnly, sameSite }) => ({ httpOnly, sameSite }))).toEqual([{ httpOnly: true, sameSite: 'Strict' }]);
    await page.getByRole('button', { name: 'you, and how the page looks' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in to Kintsugi' }).waitFor();
    await context.close();
  });

  it('says that a token is not known, and takes one that is', async () => {
    const context = await world.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${world.base}/fixes`);
    await page.getByLabel('Token').fill('kin_pat_nobody');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('This token is not known here').waitFor();
    await page.getByLabel('Token').fill(world.token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Fixes' }).waitFor();
    await context.close();
  });

  it('offers a reader nothing that would be refused', async () => {
    const { fix, workflow } = await world.held('Only to look at');
    const { token } = await world.api<{ token: string }>('POST', '/tokens', { name: 'reader', person: 'rita', scopes: ['read'] });
    const { page, context } = await world.visitor(token);
    await page.goto(`${world.base}/fixes/${fix}`);
    await page.getByText('It waits for somebody who may decide').waitFor();
    expect(await page.getByRole('button', { name: /Accept|Decline|Correct/ }).count()).toBe(0);
    for (const part of ['', '/script', '/settings']) {
      await page.goto(`${world.base}/workflows/${workflow}${part}`);
      await page.getByRole('heading', { level: 1, name: 'Only to look at' }).waitFor();
      expect(await page.getByRole('button', { name: /Run now|Pause|Change it|Save|Archive/ }).count()).toBe(0);
    }
    await context.close();
  });
});

describe('a fix that waits', () => {
  it('is accepted, and the run goes on with it', async () => {
    const { workflow } = await world.held('To be accepted');
    const { page, context } = await world.visitor();
    const notice = page.getByRole('listitem').filter({ hasText: 'To be accepted' }).filter({ hasText: 'a missing name counts as empty' });
    await notice.getByRole('link', { name: 'Look and decide' }).click();
    await page.getByText('The run had done this before it failed.').waitFor();
    await page.getByRole('button', { name: 'Accept the fix' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText('The run that failed went on with it, and succeeded.').waitFor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByText('the fix is confirmed').waitFor();
    await context.close();
  });

  it('is declined, and is sent back with a note', async () => {
    const { page, context } = await world.visitor();
    for (const [button, word, label] of [['Decline the fix', 'Decline', 'It was refused, and never used.'], ['Correct the fix', 'Send it back', 'It was sent back to be done again, with a note.']] as const) {
      const { fix } = await world.held(`To ${button}`);
      await page.goto(`${world.base}/fixes/${fix}`);
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('A greeting needs a name');
      await page.getByRole('dialog').getByRole('button', { name: word }).click();
      await page.getByText(label).waitFor();
      await page.getByText('A greeting needs a name').first().waitFor();
    }
    await context.close();
  });

  it('is decided once, though two look at it: the other sees what happened meanwhile', async () => {
    const { fix } = await world.held('Seen by two');
    const one = await world.visitor();
    const other = await world.visitor();
    // The other does not hear of it in time: without a worker, its own connection can be cut.
    await other.context.addInitScript('delete globalThis.SharedWorker');
    await other.page.reload();
    await other.context.route('**/api/v1/events*', (route) => route.abort());
    for (const { page } of [one, other]) {
      await page.goto(`${world.base}/fixes/${fix}`);
      await page.getByRole('button', { name: 'Accept the fix' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).waitFor();
    }
    await one.page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).click();
    await one.page.getByText('It is version').waitFor();
    await other.page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).click();
    await other.page.getByText('Meanwhile this changed, and nothing was done.').first().waitFor();
    await other.page.getByText('It is version').waitFor();
    expect(await other.page.getByRole('button', { name: 'Accept the fix' }).count()).toBe(0);
    await one.context.close();
    await other.context.close();
  });
});

describe('many tabs of one browser', () => {
  it('have one connection: the twentieth loads, and all hear what happens, also when others are closed', async () => {
    const { page, context } = await world.visitor();
    const tabs = [page];
    for (let n = 1; n < 20; n++) {
      const tab = await context.newPage();
      await tab.goto(`${world.base}/`);
      tabs.push(tab);
    }
    await tabs.at(-1)!.getByText('What you see is live.').waitFor({ state: 'attached' });
    await world.create('Seen in all tabs', greeting);
    for (const tab of tabs) await tab.getByRole('link', { name: 'Seen in all tabs' }).first().waitFor();
    for (const tab of tabs.splice(1, 18)) await tab.close();
    await world.create('Seen in the tabs that are left', greeting);
    for (const tab of tabs) await tab.getByRole('link', { name: 'Seen in the tabs that are left' }).first().waitFor();
    await context.close();
  });
});

it('tells on the desktop what begins to need somebody, once for all tabs, and only where it was asked for', async () => {
  const { page, context } = await world.visitor();
  await context.grantPermissions(['notifications'], { origin: world.base });
  // Each tab notes the notices that it shows.
  await context.addInitScript(() => {
    const told: string[] = ((window as never as { told: string[] }).told = []);
    window.Notification = class extends Notification {
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        told.push(`${title}: ${options?.body}`);
      }
    };
  });
  const asks = async (question: string) => world.runs(await world.create(`Asks: ${question}`, `async function main() { return await ask(${JSON.stringify(question)}); }`), {}, ['asking']);
  const told = (tab: Page) => tab.evaluate(() => (window as never as { told: string[] }).told);
  const sees = (tab: Page, title: string) => tab.locator('section').filter({ hasText: /^Needs you/ }).getByText(title).first().waitFor();
  const today = async (tab: Page) => {
    await tab.goto(world.base);
    await tab.getByRole('status').filter({ hasText: 'What you see is live.' }).waitFor({ state: 'attached' });
  };
  const second = await context.newPage();
  await today(second);
  await asks('Before it was asked for');
  await sees(second, 'Before it was asked for');
  expect(await told(second)).toEqual([]);

  await world.open(page, '/system');
  const box = page.getByLabel('Tell me on this desktop what needs me');
  expect(await box.isChecked()).toBe(false);
  await box.click(); // the browser is asked, too
  await until(() => box.isChecked());
  await today(page);
  await sees(page, 'Before it was asked for');
  const all = async (...tabs: Page[]) => (await Promise.all(tabs.map(told))).flat();
  await asks('Once for both');
  for (const tab of [page, second]) await sees(tab, 'Once for both');
  await until(async () => (await all(page, second)).length > 0);
  expect(await all(page, second)).toEqual(['Once for both: Asks: Once for both']);

  // The tab that told is closed: the other one goes on telling.
  const [teller, other] = (await told(page)).length > 0 ? [page, second] : [second, page];
  await teller.close();
  await other.waitForFunction(async () => (await navigator.locks.query()).held?.length === 1);
  await asks('By the other');
  await sees(other, 'By the other');
  await until(async () => (await told(other)).length === 1);

  await world.open(other, '/system');
  await other.getByLabel('Tell me on this desktop what needs me').click();
  await until(async () => !(await other.getByLabel('Tell me on this desktop what needs me').isChecked()));
  await today(other);
  await asks('After it was turned off');
  await sees(other, 'After it was turned off');
  expect(await told(other)).toEqual([]);
  await context.close();
});

describe('what else people do', () => {
  it('is told of a fix that waits until it is decided, also when it was seen', async () => {
    const { workflow, fix } = await world.held('Stands still');
    const { items } = await world.api<{ items: { id: string; workflow: string; type: string }[] }>('GET', `/notifications?workflow=${workflow}`);
    await world.api('POST', `/notifications/${items.find((one) => one.type === 'fix_waiting')!.id}/acknowledge`);
    const { page, context } = await world.visitor();
    const notice = page.locator('section').filter({ hasText: /^Needs you/ }).getByRole('listitem').filter({ hasText: 'Stands still' });
    await notice.getByRole('link', { name: 'Look and decide' }).waitFor();
    expect(await notice.getByRole('button', { name: /I have seen/ }).count()).toBe(0);
    await world.api('POST', `/fixes/${fix}/decline`, {});
    await notice.getByRole('link', { name: 'Look and decide' }).waitFor({ state: 'detached' });
    await context.close();
  });

  it('answers with an option that has a comma in it', async () => {
    const workflow = await world.create('Asks with commas', "async function main() { return { said: await ask('Ship it?', { options: ['Yes, and tell Bob', 'No'] }) }; }");
    const run = await world.runs(workflow, {}, ['asking']);
    const { page, context } = await world.visitor();
    const notice = page.getByRole('listitem').filter({ hasText: 'Asks with commas' });
    expect(await notice.getByText('Choose one').count()).toBe(0);
    await notice.getByRole('button', { name: 'Yes, and tell Bob', exact: true }).click();
    await page.goto(`${world.base}/runs/${run}`);
    await page.getByText('"said": "Yes, and tell Bob"').first().waitFor();
    await context.close();
  });

  it('answers a question, and the run goes on', async () => {
    const workflow = await world.create('Asks', "async function main() { return { said: await ask('Ship it?', { options: ['yes', 'no'] }) }; }");
    const run = await world.runs(workflow, {}, ['asking']);
    const { page, context } = await world.visitor();
    await page.getByRole('listitem').filter({ hasText: 'Ship it?' }).getByRole('button', { name: 'yes' }).click();
    await page.goto(`${world.base}/runs/${run}`);
    await page.getByText('"said": "yes"').first().waitFor();
    await context.close();
  });

  it('says that it tries again while a service does not answer, and takes a word on when to tell', async () => {
    const workflow = await world.create('Nobody answers', "async function main() { return await web.getJSON('http://127.0.0.1:9/prices'); }");
    await world.api('PUT', `/workflows/${workflow}/settings`, { allowed_hosts: ['127.0.0.1:9'] });
    await world.runs(workflow, {}, ['retrying', 'failed']);
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/?q=Nobody%20answers`); // the list draws only the rows in view
    const row = page.locator('li, tr, div').filter({ hasText: 'Nobody answers' }).filter({ hasText: 'Tries again' }).last();
    await row.waitFor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByText(/Tries again at \d\d:\d\d$/).first().waitFor();
    await page.getByText(/The next try is (today|tomorrow) at/).waitFor();
    await page.goto(`${world.base}/workflows/${workflow}/settings`);
    await page.getByLabel('When I am told that a service does not answer').selectOption({ label: 'After six hours' });
    await page.locator('form').filter({ hasText: 'When I am told that' }).getByRole('button', { name: /^Save (these settings|the caps)$/ }).click();
    await until(async () => (await world.api<{ outage_after_ms?: number }>('GET', `/workflows/${workflow}/settings`)).outage_after_ms === 6 * 3_600_000);
    await context.close();
  });

  it('says on Today which service does not answer and when it is asked next, as one row for all that wait for it', async () => {
    for (const title of ['Silent stock', 'Silent prices']) {
      const workflow = await world.create(title, "async function main() { return await web.getJSON('http://127.0.0.1:11/x'); }", { allowed_hosts: ['127.0.0.1:11'] });
      await world.runs(workflow, {}, ['retrying', 'failed']);
    }
    const { page, context } = await world.visitor();
    const row = page.getByRole('region', { name: 'Does not answer, and is tried again' }).getByRole('listitem').filter({ hasText: 'Silent stock' });
    await row.filter({ hasText: 'Silent prices' }).getByText(/next try (today|tomorrow) at \d\d:\d\d/).waitFor();
    expect(await row.count()).toBe(1);
    await context.close();
  });

  it('decides by keys alone: through Today to a fix, and accepts it', async () => {
    await world.held('By keys alone');
    const { page, context } = await world.visitor();
    await page.getByRole('listitem').filter({ hasText: 'By keys alone' }).first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    for (let n = 0; n < 60 && !(await page.evaluate(() => document.activeElement?.textContent ?? '')).includes('By keys alone'); n++) await page.keyboard.press('j');
    await page.keyboard.press('a');
    const decision = page.getByRole('region', { name: 'The decision' });
    await decision.getByText('It claims:').waitFor();
    await decision.getByText('The doubt:').waitFor();
    await page.keyboard.press('a');
    await page.getByRole('dialog').getByRole('button', { name: 'Accept', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Accepted. The run that failed goes on with it.').first().waitFor();
    await context.close();
  });

  it('gives the focus back to what opened a dialog', async () => {
    const workflow = await world.create('Focus comes back', greeting);
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.textContent === 'Pause');
    await context.close();
  });

  it('throws no change of a script away without a question', async () => {
    const workflow = await world.create('Not saved yet', greeting);
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}/script`);
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByRole('textbox', { name: 'The script, to be changed' }).click();
    await page.keyboard.insertText('// mine\n');
    const ways = page.getByRole('navigation', { name: 'About this workflow' });
    await ways.getByRole('link', { name: 'Runs' }).click();
    const asked = page.getByRole('dialog', { name: 'What you changed is not saved' });
    await asked.getByRole('button', { name: 'Stay here' }).click();
    await asked.waitFor({ state: 'detached' });
    await page.getByText('// mine').waitFor();
    await ways.getByRole('link', { name: 'Runs' }).click();
    await asked.getByRole('button', { name: 'Throw it away' }).click();
    await page.waitForURL(/\/runs$/);
    await context.close();
  });

  it('takes a text for an input that says no type', async () => {
    const workflow = await world.create('Takes anything', 'type Input = { day: any };\nasync function main(input: Input) { return { day: input.day }; }');
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Run now…' }).click();
    const form = page.getByRole('dialog');
    await form.getByLabel('day').fill('k5');
    await form.getByRole('button', { name: 'Start the run' }).click();
    await until(async () => JSON.stringify((await world.api<{ items: { output: unknown }[] }>('GET', `/runs?workflow=${workflow}`)).items).includes('"day":"k5"'));
    await context.close();
  });

  it('gives up one input that waits for its person, and has later ones carried out meanwhile', async () => {
    const workflow = await world.create('Waiting orders', "async function main(input) { return { sent: input.order.id }; }");
    await world.api('PUT', `/workflows/${workflow}/settings`, { auto_fix: 'off' });
    const send = (input: unknown, key: string) => world.api('POST', `/workflows/${workflow}/inputs`, { input, key });
    const queued = async () => ((await world.api<{ queued?: unknown[] }>('GET', `/workflows/${workflow}`)).queued ?? []).length;
    await send({}, 'broken');
    await until(async () => (await world.api<{ status: string }>('GET', `/workflows/${workflow}`)).status === 'escalated');
    await send({ order: { id: 1 } }, 'first');
    await send({ order: { id: 2 } }, 'second');
    const waiting = await queued();
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByText(`${waiting} inputs wait, to be carried out in order`).click();
    await page.getByRole('button', { name: 'Give it up' }).first().click();
    await page.getByRole('dialog').getByLabel('Why (optional)').fill('it was a test');
    await page.getByRole('dialog').getByRole('button', { name: 'Give it up' }).click();
    await until(async () => (await queued()) === waiting - 1);
    await page.getByText(`${waiting - 1} inputs wait, to be carried out in order`).waitFor();
    await page.goto(`${world.base}/workflows/${workflow}/settings`);
    await page.getByLabel('While it is handed to me, runs').selectOption({ label: 'Go on with the version that is there' });
    await page.locator('form').filter({ hasText: 'While it is handed to me, runs' }).getByRole('button', { name: /^Save (these settings|the caps)$/ }).click();
    await until(async () => (await world.api<{ items: { status: string }[] }>('GET', `/runs?workflow=${workflow}`)).items.filter((run) => run.status === 'succeeded').length === 2);
    await context.close();
  });

  it('tries a run again that failed, with its input', async () => {
    const workflow = await world.create('Failed', "async function main(input) { if (input.n > 0) throw new Error('not yet'); }");
    await world.api('PUT', `/workflows/${workflow}/settings`, { auto_fix: 'off' });
    const run = await world.runs(workflow, { n: 7 });
    await world.api('POST', `/workflows/${workflow}/versions`, { code: 'async function main(input) { return { tried: input.n }; }', comment: 'Now' });
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/runs/${run}`);
    await page.getByRole('button', { name: 'Try the run again' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Try the run again' }).click();
    const succeeded = async () => (await world.api<{ items: { id: string; status: string }[] }>('GET', `/runs?workflow=${workflow}`)).items.find((one) => one.status === 'succeeded');
    await until(async () => (await succeeded()) !== undefined);
    await page.goto(`${world.base}/runs/${(await succeeded())?.id ?? ''}`);
    await page.getByText('"tried": 7').first().waitFor();
    await context.close();
  });

  it('deletes an archived workflow for good, once its title is typed', async () => {
    const workflow = await world.create('Old report', 'async function main() { return { told: 1 }; }');
    await world.runs(workflow, {});
    await world.api('POST', `/workflows/${workflow}/archive`, {});
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Delete for good' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/say is erased: scripts, inputs, answers and logs, with 1 run/).waitFor();
    await dialog.getByLabel('Type its title to delete it').fill('Another report');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByText('That is not its title. Nothing was deleted.').waitFor();
    await dialog.getByLabel('Type its title to delete it').fill('Old report');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByText(/deleted for good on/).waitFor();
    await context.close();
  });

  it('says what is written again before a half-done run starts again', async () => {
    const workflow = await world.create('Half done', "async function main() { await kv.set('n', ((await kv.get('n')) ?? 0) + 1); await notify('Counted'); null.x }");
    await world.api('PUT', `/workflows/${workflow}/settings`, { auto_fix: 'off' });
    const run = await world.runs(workflow, {});
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/runs/${run}`);
    await page.getByText('It can go on or start again once its workflow is switched on again, or has another script.').waitFor();
    expect(await page.getByRole('button', { name: 'Start the run again' }).count(), 'it would be refused').toBe(0);
    await world.api('POST', `/workflows/${workflow}/versions`, { code: 'async function main() { return 1; }', comment: 'mended' });
    await page.getByRole('button', { name: 'Start the run again' }).click();
    const list = page.getByRole('dialog').getByRole('list', { name: 'Written again' });
    await list.getByText('kv.set ["n",1]').waitFor();
    await list.getByText('notify ["Counted"]').waitFor();
    expect((await world.api<{ items: unknown[] }>('GET', `/runs?workflow=${workflow}`)).items).toHaveLength(1);
    await context.close();
  });

  it('leaves a run out of the proofs, because it was wrong', async () => {
    const workflow = await world.create('To be exempted', greeting);
    const run = await world.runs(workflow, { name: 'Ada' });
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/runs/${run}`);
    await page.getByRole('button', { name: 'Leave the run out of proofs…' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('It greeted the wrong person');
    await page.getByRole('dialog').getByRole('button', { name: 'Leave it out of proofs' }).click();
    await page.getByText('left out of proofs').first().waitFor();
    expect((await world.api<{ exempted?: string }>('GET', `/runs/${run}`)).exempted).toContain('It greeted the wrong person');
    await context.close();
  });

  it('says what became of a write that was never answered, and the run goes on', async () => {
    let asked = 0;
    const shop = createServer((request, answer) => {
      request.resume();
      if (request.method === 'POST' && asked++ === 0) void world.stop(); // the write arrives, and the power fails
      else answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{"ok":true}');
    });
    await new Promise<void>((ready) => shop.listen(0, '127.0.0.1', ready));
    const host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const workflow = await world.create('Orders once', `async function main() { const made = await web.postJSON("http://${host}/orders", {}); return { ordered: true, order: made.order }; }`, { allowed_hosts: [host] });
    const { id: run } = await world.api<{ id: string }>('POST', `/workflows/${workflow}/runs`, {});
    await until(async () => asked > 0 && (await world.stop()) === undefined);
    await world.start();
    await until(async () => (await world.api<{ status: string }>('GET', `/runs/${run}`)).status === 'in_doubt');
    const { page, context } = await world.visitor();
    const notice = page.getByRole('listitem').filter({ hasText: 'Orders once' });
    await notice.getByText(`Did this happen? A write to ${host}/orders`).waitFor();
    await notice.getByRole('link', { name: 'Say what became of it' }).click();
    // The way leads to the question itself, which says what came back, and takes what was answered.
    const doubt = page.getByRole('region', { name: 'A write is in doubt: did it happen?' });
    await doubt.getByText(`POST ${host}/orders`).waitFor();
    await doubt.getByText('No answer came.').waitFor();
    await doubt.getByRole('button', { name: 'It happened' }).click();
    await page.getByRole('dialog').getByLabel('What was answered there').fill('{"order":17}');
    await page.getByRole('dialog').getByRole('button', { name: 'It happened' }).click();
    await page.getByText('"order": 17').first().waitFor();
    await page.getByText('"ordered": true').first().waitFor();
    // The bars have the time above them, which nothing covers.
    await page.getByRole('img', { name: /^The bars lie in \d/ }).waitFor();
    expect(asked).toBe(1);
    await context.close();
    shop.close();
  }, 3 * patience);

  it('tries a change of the script on recorded runs before it is saved', async () => {
    const workflow = await world.create('To be changed', greeting);
    await world.runs(workflow, { name: 'Ada' });
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}/script`);
    await page.getByRole('button', { name: 'Change it' }).click();
    const editor = page.getByRole('textbox', { name: 'The script, to be changed' });
    await editor.click();
    for (const key of ['Control+Home', 'ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await page.keyboard.type("input.name += '!';\n");
    await page.getByRole('button', { name: 'Try it on the recorded runs' }).click();
    await page.getByText('1 otherwise').waitFor();
    await page.getByLabel('What you changed, in one line').fill('Greets more loudly');
    await page.getByRole('button', { name: 'Save it all the same' }).click();
    await page.getByText('Version 2.0, in use').waitFor();
    await page.getByLabel('Compare').selectOption('1.0');
    await page.getByLabel('with').selectOption('2.0');
    await page.getByRole('heading', { name: 'From 1.0 to 2.0' }).waitFor();
    await page.getByRole('button', { name: 'The whole scripts, in colours' }).click();
    await page.locator('.cm-changedLine').first().waitFor();
    await context.close();
  });

  it('saves nothing unseen: not what cannot be told, and not after a rollback', async () => {
    const workflow = await world.create('Balance', "async function main() { await kv.set('n', 1); return 1; }");
    await world.runs(workflow, {});
    await world.api('POST', `/workflows/${workflow}/versions`, { code: 'async function main() { return 2; }', comment: 'Otherwise' });
    await world.api('POST', `/workflows/${workflow}/versions/1.0/rollback`, { comment: 'As it was' });
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}/script`);
    const write = async (code: string) => {
      await page.getByRole('textbox', { name: 'The script, to be changed' }).click();
      for (const key of ['Control+a', 'Delete']) await page.keyboard.press(key);
      await page.keyboard.insertText(code);
      await page.getByRole('button', { name: 'Save, and use it from now on' }).click();
    };
    await page.getByRole('button', { name: 'Change it' }).click();
    await write("async function main() { return await kv.get('other'); }");
    await page.getByText('of 1 that cannot be told').waitFor();
    await write('async function main() { return 2; }'); // drops what it wrote, beside another result
    await page.getByText('1 otherwise').waitFor();
    await page.getByText('The result at $: 1 as recorded, 2 now.').waitFor();
    await page.getByText('It no longer writes "n" = 1.').waitFor();
    expect((await world.api<{ version: string }>('GET', `/workflows/${workflow}`)).version).toBe('3.0');
    await page.getByRole('button', { name: 'Save it all the same' }).click();
    await page.getByText('Version 4.0, in use').waitFor();
    await context.close();
  });

  it('asks for nothing but the key where one was refused, tries it on the spot, and says what became of it', async () => {
    const shop = createServer((request, answer) => {
      const taken = request.headers.authorization === 'Bearer sk-right';
      answer.writeHead(taken ? 200 : 401, { 'Content-Type': 'application/json' }).end(taken ? '{"name":"Ada"}' : '{"error":{"message":"Your token has expired"}}');
    });
    await new Promise<void>((ready) => shop.listen(0, '127.0.0.1', ready));
    const host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const workflow = await world.create('Refused at the door', `async function main() { return web.getJSON("http://${host}/me", { headers: { authorization: "Bearer " + secret("SHOP") } }); }`, { allowed_hosts: [host] });
    await world.api('PUT', `/secrets/SHOP?workflow=${workflow}`, { value: 'sk-old', hosts: [host] });
    await world.runs(workflow, {}, ['failed']);
    const { page, context } = await world.visitor();
    await page.getByRole('button', { name: 'Paste a new key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('SHOP').waitFor();
    await dialog.getByText(host).waitFor();
    expect(await dialog.locator('input').count()).toBe(1);
    await dialog.getByLabel('The key').fill('sk-wrong');
    await dialog.getByRole('button', { name: 'Set the key' }).click();
    await dialog.getByText('Refused again:').waitFor();
    expect((await world.api<{ status: string }>('GET', `/workflows/${workflow}`)).status).toBe('waiting');
    await dialog.getByRole('button', { name: 'Paste another key' }).click();
    await dialog.getByLabel('The key').fill('sk-right');
    await dialog.getByRole('button', { name: 'Set the key' }).click();
    await dialog.getByText('It works: the run went on, and succeeded.').waitFor();
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await dialog.waitFor({ state: 'detached' });
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByText(`root set the key SHOP, for ${host}.`).first().waitFor();
    expect((await world.api<{ items: { status: string }[] }>('GET', `/runs?workflow=${workflow}`)).items.map((run) => run.status), 'the run went on twice').toEqual(['succeeded', 'failed', 'failed']);
    await context.close();
    shop.close();
  });

  it('shows no workflow as on before the run that was refused went on', async () => {
    let hear = () => {};
    const heard = new Promise<void>((resolve) => (hear = resolve));
    const waiting: (() => void)[] = [];
    const shop = createServer((request, answer) => {
      if (request.headers.authorization !== 'Bearer sk-right') return void answer.writeHead(401).end();
      waiting.push(() => answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{}'));
      hear();
    });
    await new Promise<void>((ready) => shop.listen(0, '127.0.0.1', ready));
    const host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
    const workflow = await world.create('Tried with a key', `async function main() { return web.getJSON("http://${host}/me", { headers: { authorization: "Bearer " + secret("SHOP") } }); }`, { allowed_hosts: [host] });
    await world.api('PUT', `/secrets/SHOP?workflow=${workflow}`, { value: 'sk-old', hosts: [host] });
    await world.runs(workflow, {}, ['failed']);
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByText('Waits for access').first().waitFor();
    await world.api('PUT', `/secrets/SHOP?workflow=${workflow}`, { value: 'sk-right', hosts: [host], retry: true });
    await heard;
    await page.getByText('The run that was refused is tried with what it lacked.').waitFor();
    expect(await page.getByText('Waits for access').count()).toBeGreaterThan(0);
    waiting.forEach((answer) => answer());
    await page.getByText('It is switched on.').waitFor();
    await context.close();
    shop.close();
  });

  it('allows the host that was not permitted, and says which key is not set before a workflow is switched on', async () => {
    const workflow = await world.create('Not permitted', `async function main(input) {
      if (input.signed) await web.getJSON('http://127.0.0.1:9/x', { headers: { a: secret('SHOP') } });
      return web.getJSON('http://127.0.0.1:9/x');
    }`);
    await world.runs(workflow, {}, ['failed']);
    const { page, context } = await world.visitor();
    const notice = page.getByRole('listitem').filter({ hasText: 'Not permitted' }).filter({ hasText: 'Something is not permitted' });
    expect(await notice.getByRole('button', { name: 'Switch it on again' }).count(), 'it would fail again').toBe(0);
    await notice.getByRole('button', { name: 'Allow 127.0.0.1:9' }).click();
    await page.getByText('Its runs may reach 127.0.0.1:9 now. The run that was refused goes on.').first().waitFor();
    await notice.waitFor({ state: 'detached' });
    expect((await world.api<{ allowed_hosts: string[] }>('GET', `/workflows/${workflow}/settings`)).allowed_hosts).toEqual(['127.0.0.1:9']);
    await world.api('POST', `/workflows/${workflow}/pause`, {});
    await world.api('PUT', `/workflows/${workflow}/settings`, { allowed_hosts: [] });
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Switch it on' }).click();
    const dialog = page.getByRole('dialog', { name: 'Switch on Not permitted' });
    await dialog.getByText('127.0.0.1 is not a public address').first().waitFor();
    await dialog.getByText('The key SHOP is not set').waitFor();
    await dialog.getByRole('button', { name: 'Paste it' }).click();
    const key = page.getByRole('dialog', { name: 'Set a key' });
    await key.getByLabel('The key').fill('sk-new');
    await key.getByRole('button', { name: 'Set the key' }).click();
    await key.waitFor({ state: 'detached' });
    await dialog.getByText('The key SHOP is not set').waitFor({ state: 'detached' });
    expect((await world.api<{ status: string }>('GET', `/workflows/${workflow}`)).status, 'a key alone switches nothing on').toBe('paused');
    await dialog.getByRole('button', { name: 'Switch it on' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect((await world.api<{ allowed_hosts: string[] }>('GET', `/workflows/${workflow}/settings`)).allowed_hosts, 'the press allows what it said').toEqual(['127.0.0.1:9']);
    await context.close();
  });

  it('replaces the key that was chosen, also when another one was looked at before', async () => {
    const workflow = await world.create('With two keys', 'async function main() { return {}; }');
    for (const name of ['FIRST', 'SECOND']) await world.api('PUT', `/secrets/${name}?workflow=${workflow}`, { value: 'sk-old', hosts: [`${name.toLowerCase()}.example.com`] });
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}/settings`);
    for (const name of ['FIRST', 'SECOND']) {
      await page.getByRole('listitem').filter({ hasText: name }).getByRole('button', { name: 'Replace…' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('The key').waitFor();
      expect(await dialog.innerText()).toContain(`A new ${name}, which is sent to ${name.toLowerCase()}.example.com and nowhere else.`);
      await dialog.getByRole('button', { name: 'Not now' }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await context.close();
  });

  it('goes anywhere from the keyboard', async () => {
    const { page, context } = await world.visitor();
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Go to or do something' }).fill('exchange');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Exchange-rate watch' }).waitFor();
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1');
    await context.close();
  });

  it('chooses several workflows, and pauses them', async () => {
    const titles = ['Bulk one', 'Bulk two'];
    for (const title of titles) await world.create(title, greeting);
    const { page, context } = await world.visitor();
    await page.getByPlaceholder('Search by name or purpose').fill('bulk');
    expect(await page.waitForURL(/\?q=bulk/).then(() => true)).toBe(true);
    await page.getByRole('checkbox', { name: `Choose ${titles[0]}` }).check();
    await page.getByRole('button', { name: 'choose all' }).click();
    for (const title of titles) expect(await page.getByRole('checkbox', { name: `Choose ${title}` }).isChecked()).toBe(true);
    await page.getByRole('region', { name: 'What is chosen' }).getByRole('button', { name: 'Pause' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
    await page.locator('[data-workflow]').filter({ hasText: 'Paused' }).nth(1).waitFor();
    await context.close();
  });
});

it('has a run by hand repaired when somebody asks for it', async () => {
  const workflow = await world.create('Failed by hand', greeting);
  await world.cli('workflow', 'run', workflow, '--input', '{"name":"Ada"}');
  await world.cli('workflow', 'run', workflow, '--input', '{"name":null}').catch(() => {}); // it fails
  const { page, context } = await world.visitor();
  const failed = (await world.api<{ items: { id: string }[] }>('GET', `/runs?workflow=${workflow}&status=failed`)).items[0]!.id;
  await page.goto(`${world.base}/runs/${failed}`);
  await page.getByRole('button', { name: 'Repair the workflow' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Repair it', exact: true }).click();
  await page.getByRole('button', { name: 'Repair the workflow' }).waitFor({ state: 'detached' });
  await page.goto(`${world.base}/workflows/${workflow}/fixes`);
  await page.getByText('waits for you').first().waitFor();
  await context.close();
}, 3 * patience);

it('says that the server is gone, and catches up with what happened when it is back', async () => {
  const workflow = await world.create('Across a loss of power', greeting);
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/workflows/${workflow}/runs`);
  await page.getByText('It has not run yet').waitFor();
  await world.stop();
  await page.getByText('The server does not answer').waitFor();
  await world.cli('workflow', 'run', 'Across a loss of power', '--input', '{"name":"Ada"}');
  await world.start();
  await page.getByText('"hello":"Ada"').waitFor();
  await page.getByText('The server does not answer').waitFor({ state: 'detached' });
  await context.close();
}, 3 * patience);

it('stays on its page when the server is gone before the next page was loaded, and goes there when it is back', async () => {
  const workflow = await world.create('Not loaded yet', greeting);
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/?q=Not%20loaded%20yet`); // the list draws only the rows in view
  await page.getByRole('link', { name: 'Not loaded yet' }).waitFor();
  await page.getByText('What you see is live.').waitFor({ state: 'attached' });
  await world.stop();
  await page.getByText('The server does not answer').waitFor();
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'System' }).click();
  await page.getByText('This page was not loaded yet.').waitFor();
  await world.start();
  await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
  expect(workflow).not.toBe('');
  await context.close();
}, 3 * patience);

it('goes back in time, and shows that nobody changed the record', async () => {
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/workflows/${await world.id('Earthquake alert')}/history`);
  const slider = page.getByRole('slider');
  await slider.focus();
  await slider.press('Home');
  await page.getByRole('row', { name: /^version/ }).getByText('not there').or(page.getByRole('row', { name: /^status/ }).getByText('Draft')).first().waitFor();
  expect(page.url()).toContain('at=0');
  await page.getByRole('button', { name: 'Has anybody changed the record?' }).click();
  await page.getByText('Nobody has').waitFor();
  await context.close();
});

it('folds what is routine, and remembers what somebody wants to see', async () => {
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/workflows/${await world.id('Action items')}`);
  await page.getByRole('button', { name: 'open' }).first().click();
  await page.getByRole('link', { name: 'the run' }).first().waitFor();
  await page.getByLabel('show').selectOption('what is notable');
  await page.getByText(/runs? succeeded\./).first().waitFor({ state: 'detached' });
  await page.goto(`${world.base}/workflows/${await world.id('Exchange-rate watch')}`);
  await page.waitForFunction(() => document.querySelector('select')?.value === 'notable');
  await context.close();
});

it('shows when a schedule would run before it is changed', async () => {
  const workflow = await world.create('To be scheduled', greeting);
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/workflows/${workflow}/settings`);
  await page.getByLabel('How often').selectOption({ label: 'Every weekday, Monday to Friday' });
  await page.getByLabel('At', { exact: true }).fill('09:00');
  await page.getByRole('button', { name: 'Show when that is' }).click();
  await page.getByText('every weekday at 09:00').waitFor();
  await page.getByRole('button', { name: 'Set this time' }).click();
  await page.getByText('It runs every weekday at 09:00').first().waitFor();
  await page.getByRole('link', { name: 'Timeline' }).click();
  await page.getByText('root set the schedule: it runs every weekday at 09:00.').waitFor();
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Take the time off' }).click();
  await page.getByText('By hand only.').waitFor();
  await context.close();
});

it('tries a run out, and writes nothing', async () => {
  const workflow = await world.create('To be tried out', "async function main() { await notify('Hello', 'from a try'); return { done: true }; }");
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/workflows/${workflow}`);
  await page.getByRole('button', { name: 'Try it out' }).click();
  await page.getByText('It would succeed.').waitFor();
  await page.getByRole('dialog').getByText('Message, as it would be sent').waitFor();
  expect(JSON.stringify(await world.api('GET', `/notifications?workflow=${workflow}`))).not.toContain('from a try');
  await context.close();
});

it('asks for what the script takes before it runs, and says what is wrong with it', async () => {
  const typed = await world.create('Takes a day', `type Input = { day: string; limit?: number; kind: 'sale' | 'refund' };
async function main(input: Input) { return input }
`);
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/workflows/${typed}`);
  await page.getByRole('button', { name: 'Run now…' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('day').fill('2026-03-01');
  await form.getByLabel('limit').fill('3');
  await form.getByLabel('kind').selectOption({ label: 'refund' });
  await form.getByRole('button', { name: 'As JSON' }).click();
  const json = form.getByLabel('The input, as JSON');
  expect(JSON.parse(await json.inputValue())).toEqual({ day: '2026-03-01', limit: 3, kind: 'refund' });
  await json.fill('{"day": 7, "kind": "refund"}');
  await form.getByRole('button', { name: 'Start the run' }).click();
  await form.getByText(/input\.day/).waitFor();
  expect(await form.getByRole('alert').innerText()).not.toContain('kintsugi'); // commands are for terminals
  await json.fill('{"day": "2026-03-02", "kind": "sale"}');
  await form.getByRole('button', { name: 'As a form' }).click();
  await form.getByRole('button', { name: 'Start the run' }).click();
  await form.waitFor({ state: 'detached' });
  await until(async () => (await world.api<{ items: { status: string; input: unknown }[] }>('GET', `/runs?workflow=${typed}`)).items.some((one) => one.status === 'succeeded'));
  const { items } = await world.api<{ items: { output: unknown }[] }>('GET', `/runs?workflow=${typed}`);
  expect(items.map((one) => one.output)).toEqual([{ day: '2026-03-02', kind: 'sale' }]);
  await context.close();
});

it('reports a problem with a picture of the page, and says where it went', async () => {
  const workflow = await world.create('To be reported', 'async function main() { return {}; }');
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/workflows/${workflow}`);
  await page.getByRole('heading', { level: 1, name: 'To be reported' }).waitFor();
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Go to or do something' }).fill('report a');
  await page.keyboard.press('Enter');
  await page.getByLabel('What happened, and what did you expect?').fill('It looks odd');
  await page.getByLabel('A picture of this page').check();
  await page.getByText('The whole report, as it would be sent').click();
  await page.getByLabel('The whole report').getByText('ScriptSaved').waitFor();
  await page.getByRole('button', { name: 'Send it' }).click();
  await page.getByText(/It went to the file .*reports.*\.md on the server/).waitFor();
  await context.close();
});

it('makes a workflow from a script of its person, and has a system outside told of it', async () => {
  const { page, context } = await world.visitor();
  await page.getByRole('link', { name: 'New workflow' }).click();
  await page.getByLabel('What is it called?').fill('Written on the page');
  await page.getByRole('button', { name: 'Write it' }).click();
  const editor = page.getByRole('textbox', { name: 'The script, to be changed' });
  await editor.click();
  for (const key of ['Control+a', 'Delete']) await page.keyboard.press(key);
  await page.keyboard.type('async function main() { return { said: 7 }; }');
  await page.getByRole('button', { name: 'Save, and use it from now on' }).click();
  await page.getByRole('button', { name: 'Switch it on' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Switch it on' }).click();
  await page.getByRole('button', { name: 'Run now', exact: true }).click();
  await page.getByRole('link', { name: 'the run that you started' }).click();
  await page.getByText('"said": 7').first().waitFor();
  await page.goto(`${world.base}/system`);
  await page.getByLabel('Name').fill('our-books');
  await page.getByLabel('Where to').fill('webhook:https://example.com/told');
  await page.getByRole('button', { name: 'Tell this system' }).click();
  await page.getByText('It is said this once').waitFor();
  await page.locator('strong').filter({ hasText: 'our-books' }).waitFor();
  await page.getByRole('button', { name: 'Change what agents may spend…' }).click();
  await page.getByLabel('In a month, US dollars').fill('12.5');
  await page.getByRole('button', { name: /^Save (these settings|the caps)$/ }).click();
  await page.getByText('this month of $12.50').waitFor();
  await context.close();
});

it('makes a workflow from one sentence, in a conversation', async () => {
  const model = await serveModel([
    { tool: 'ask', args: { question: 'When?', options: ['mornings', 'evenings'] } },
    { tool: 'save', args: { code: "async function main() { await notify('Good morning'); return {}; }", comment: 'greets in the morning' } },
    { text: 'It greets you **every morning**.\n\n* at 7:00' },
  ]);
  const talking = new World();
  try {
    await talking.begin(['--model', 'scripted', '--llm-base-url', model.url]);
    const { page } = await talking.visitor();
    await page.getByRole('link', { name: 'New workflow' }).click();
    await page.getByLabel('What should it do, and when?').fill('Greet me every day');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByText('The planner asks: When?').waitFor();
    await page.getByRole('button', { name: 'mornings' }).click();
    // The page shows the conversation as it was said: no prompt, the question with its answer, Markdown as it is meant, the end once.
    const read = page.getByRole('region', { name: 'Greet me every day' });
    await read.getByRole('listitem').filter({ hasText: 'The planner says: ' }).locator('strong').getByText('every morning').waitFor();
    const said = ['You: Greet me every day', 'The planner asks: When\\?', 'You: mornings', 'Saved as version 1.0, [^*]*', 'The planner says: It greets you every morning.', 'at 7:00$'];
    expect((await read.innerText()).replace(/\s+/g, ' ').trim()).toMatch(new RegExp(said.join(' ')));
    await page.getByRole('link', { name: 'version 1.0' }).click();
    await page.getByLabel('The script of version 1.0').getByText("await notify('Good morning')").waitFor();
    expect(talking.problems).toEqual([]);
  } finally {
    await talking.end();
    model.server.close();
  }
}, 3 * patience);

it('no browser reported anything', () => expect(world.problems).toEqual([]));
