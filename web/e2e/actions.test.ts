// Every action of the page: what it says became of it, and the event that was recorded. One that is refused says so, and records nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agents } from './agents';
import { serveModel } from './model';
import { greeting, patience, until, World } from './world';

const world = new World();
const agents = new Agents(world);
let shop: Server; // answers as its workflows need it, and takes no key but the right one
let model: Awaited<ReturnType<typeof serveModel>>;
let host = '';
let page: Page;
let context: BrowserContext;

beforeAll(async () => {
  shop = createServer((request, answer) => {
    request.resume();
    if (request.url === '/500') return void answer.writeHead(500).end();
    if (request.url === '/me' && request.headers.authorization !== 'Bearer sk-right') return void answer.writeHead(401).end('{"error":"expired"}');
    answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{"open":true}');
  });
  await new Promise<void>((ready) => shop.listen(0, '127.0.0.1', ready));
  host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
  model = await serveModel(Array.from({ length: 60 }, () => ({ text: 'There is nothing to change.' })));
  await world.begin(['--model', 'scripted', '--llm-base-url', model.url]);
  ({ page, context } = await world.visitor());
  context.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET' && pathname.startsWith('/api/v1/')) asked.add(`${request.method()} ${pathname.slice('/api/v1'.length)}`);
  });
}, 5 * patience);
afterAll(async () => {
  await world.end();
  agents.end();
  shop.close();
  model.server.close();
}, patience);

const asked = new Set<string>(); // each write that the page asked for

type Recorded = { type: string };
const log = async (stream: string) => (await world.api<{ items: Recorded[] }>('GET', `/streams/${stream}?limit=500`).catch(() => ({ items: [] }))).items.toReversed().map((one) => one.type);
const of = (workflow: string) => `workflow-${workflow}`;
const button = (name: string | RegExp, within: Page | Locator = page) => within.getByRole('button', { name, exact: typeof name === 'string' }).first();
const dialog = () => page.getByRole('dialog').last();
const open = (path: string) => world.open(page, path);
const says = (text: string | RegExp, how = 'done') => page.locator(`[data-announced=${how}]`).filter({ hasText: text }).first().waitFor();

/** Presses, waits for what is said, and for the events that are recorded after each other; nothing else may be asked of the record. */
async function becomes(stream: string, press: () => Promise<void>, said: string | RegExp | (() => Promise<unknown>), ...events: string[]) {
  const before = (await log(stream)).length;
  await press();
  await (typeof said === 'function' ? said() : says(said));
  let since: string[] = [];
  await until(async () => {
    since = (await log(stream)).slice(before);
    let at = -1;
    return events.every((event) => (at = since.indexOf(event, at + 1)) >= 0);
  }, patience / 2).catch(() => expect(since, 'what was recorded').toEqual(events));
}

/** Presses a button that asks once more, and says yes. */
async function yes(word: string | RegExp, confirm: string | RegExp = word, note?: string, within: Page | Locator = page) {
  await button(word, within).click();
  if (note !== undefined) await dialog().getByRole('textbox').fill(note);
  await button(confirm, dialog()).click();
}

const failing = "async function main(input) { if (input.n > 0) throw new Error('not yet'); return 1; }";
const halfDone = "async function main() { await kv.set('n', 1); await notify('Sent'); null.x; }";
const settle = (workflow: string, settings: object) => world.api('PATCH', `/workflows/${workflow}/settings`, settings);

describe('a workflow', () => {
  it('is taken from the gallery, with its recorded runs', async () => {
    await open('/new');
    await page.getByLabel('Look for').fill('frost weather');
    await page.getByText('1 automation').waitFor();
    await page.getByText('Frost tonight', { exact: true }).click();
    const address = page.getByLabel('The address of yours, in the place of https://weather.example');
    await address.fill('https://weather.acme.com/v1');
    await button('Take it').click();
    await page.getByText('without a path').waitFor();
    await address.fill(`http://${host}`);
    await button('Take it').click();
    await page.waitForURL(/workflows\/[^/]+\/script/);
    const id = page.url().split('/').at(-2)!;
    expect((await log(of(id))).filter((one) => one === 'RunSucceeded' || one === 'RunCommitted' || one === 'RunEnded').length, 'recorded runs').toBeGreaterThan(0);
    expect((await world.api<{ status: string }>('GET', `/workflows/${id}`)).status).toBe('draft');
  });

  it('is made, renamed, scheduled, and its settings are changed', async () => {
    await open('/new');
    await page.getByLabel('What is it called?').fill('All of it');
    await button('Write it').click();
    await page.waitForURL(/\/script$/);
    const id = /workflows\/([^/]+)/.exec(page.url())![1]!;
    expect(await log(of(id))).toEqual(['WorkflowCreated']);
    const editor = page.getByRole('textbox', { name: 'The script, to be changed' });
    await editor.click();
    for (const key of ['Control+a', 'Delete']) await page.keyboard.press(key);
    await page.keyboard.insertText('async function main() { return { said: 7 }; }');
    await becomes(of(id), () => button('Save, and use it from now on').click(), 'Saved, and in use from now on.', 'ScriptSaved');
    await becomes(of(id), () => yes('Switch it on'), 'It is on.', 'WorkflowActivated');
    await becomes(of(id), () => button('Run now').click(), () => page.getByRole('status').filter({ hasText: 'the run that you started' }).getByText('succeeded').waitFor(), 'RunAdmitted', 'RunSucceeded');
    await becomes(of(id), () => yes('Pause', 'Pause', 'a holiday'), 'It is paused: no new runs start.', 'WorkflowPaused');
    await becomes(of(id), () => page.locator('[data-announced]').getByRole('button', { name: 'Undo' }).click(), 'It is as it was before.', 'WorkflowActivated');
    await open(`/workflows/${id}/settings`);
    await page.getByLabel('Name').first().fill('All of it, renamed');
    await becomes(of(id), () => button('Save what it is').click(), 'Its name and purpose are saved.', 'IntentChanged');
    await page.getByLabel('How often').selectOption({ label: 'On some days of the week' });
    await page.getByLabel('Tuesday').check();
    await button('Show when that is').click();
    await page.getByText('every Monday and Tuesday at 09:00').first().waitFor();
    await becomes(of(id), () => button('Set this time').click(), 'It runs every Monday and Tuesday at 09:00 from now on.', 'ScheduleChanged');
    await becomes(of(id), () => button('Take the time off').click(), 'It runs when somebody starts it.', 'ScheduleChanged');
    await page.getByRole('combobox', { name: 'When it breaks' }).selectOption({ label: 'Ask me about every fix' });
    await page.getByText('It stands still with a fix ready, until you accept or decline it.').waitFor();
    await page.getByLabel('Labels').fill('team=books');
    await page.getByRole('navigation', { name: 'About this workflow' }).getByRole('link', { name: 'Runs' }).click();
    await button('Stay here', page.getByRole('dialog', { name: 'What you changed is not saved' })).click();
    await becomes(of(id), () => button('Save these settings').click(), 'The settings are saved.', 'SettingsChanged');
    await open('/');
    await page.getByRole('link', { name: 'team=books' }).first().click();
    await page.getByText('with the label').waitFor();
    await page.locator('[data-workflow]').filter({ hasText: 'All of it, renamed' }).waitFor();
    expect(await page.locator('[data-workflow]').count()).toBe(1);
  }, 4 * patience);

  it('is started by others and from outside, has keys, and tells a system', async () => {
    const id = await world.create('Started by others', 'async function main() { return 1; }');
    await world.create('The other one', 'async function main() { return 1; }');
    await open(`/workflows/${id}/settings`);
    await button('Start it on another workflow…').click();
    await page.getByLabel('Which workflow').selectOption({ label: 'The other one' });
    await becomes(of(id), () => button('Start it then').click(), 'It starts on that workflow from now on.', 'TriggerSet');
    await becomes(of(id), () => button('Do not start it then').click(), 'It does not start it any more.', 'TriggerRemoved');
    await page.getByLabel('A new address, called').fill('orders');
    await becomes(of(id), () => button('Make the address').click(), 'The address is made.', 'SettingsChanged');
    await becomes(of(id), () => yes('Take it away'), 'The address orders is taken away.', 'SettingsChanged');
    await button('Set a key…').click();
    await dialog().getByLabel('Its name, as the script has it').fill('SHOP');
    await dialog().getByLabel('The key').fill('sk-1');
    await dialog().getByLabel('Where it may be sent: hosts').fill('api.example.com');
    await becomes('admin', () => button('Set the key', dialog()).click(), 'The key SHOP is set.', 'SecretSet');
    await becomes('admin', () => yes('Remove'), 'The key SHOP is removed.', 'SecretRemoved');
    await page.getByRole('region', { name: 'Who else is told' }).getByLabel('Name').fill('books');
    await page.getByRole('region', { name: 'Who else is told' }).getByLabel('Where to').fill('webhook:https://example.com/told');
    await becomes('subscription-books', () => button('Tell this system').click(), 'It is told from now on.', 'SubscriptionAdded');
    await open('/system');
    await becomes('subscription-books', () => button('Stop telling it').click(), 'It is told nothing until you let it go on.', 'SubscriptionPaused');
    await becomes('subscription-books', () => button('Tell it again').click(), 'It is told again.', 'SubscriptionResumed');
  }, 4 * patience);

  it('is archived, restored and deleted, alone and with others', async () => {
    const id = await world.create('To go', 'async function main() { return 1; }');
    await open(`/workflows/${id}/settings`);
    await becomes(of(id), () => yes('Archive it'), 'It is archived.', 'WorkflowArchived');
    await open(`/workflows/${id}`);
    await becomes(of(id), () => yes('Restore'), 'It is out of the archive.', 'WorkflowRestored');
    await open('/?q=To%20go');
    for (const [word, past, event] of [['Switch on', 'switched on', 'WorkflowActivated'], ['Pause', 'paused', 'WorkflowPaused'], ['Archive', 'archived', 'WorkflowArchived']] as const) {
      await page.getByRole('checkbox', { name: 'Choose To go' }).check();
      await becomes(of(id), () => yes(word, word, undefined, page.getByRole('region', { name: 'What is chosen' })), `1 workflow: ${past}.`, event);
    }
    await open(`/workflows/${id}`);
    await becomes(of(id), () => yes('Delete for good', 'Delete for good', 'To go'), 'To go is deleted for good.', 'WorkflowDeleted');
  }, 3 * patience);

  it('goes back to a version, and what is only tried changes nothing', async () => {
    const id = await world.create('Of two versions', 'async function main() { return 1; }');
    await world.runs(id, {});
    await world.api('POST', `/workflows/${id}/versions`, { code: 'async function main() { return 2; }', comment: 'two' });
    await open(`/workflows/${id}/script?version=1.0`);
    await becomes(of(id), async () => {
      await button('Go back to 1.0…').click();
      await button(/^Go back to/, dialog()).click();
    }, /in use again|is in use/, 'ScriptSaved');
    const before = (await log(of(id))).length;
    await open(`/workflows/${id}`);
    await button('Try it out').click();
    await dialog().getByText('It would succeed.').waitFor();
    await page.keyboard.press('Escape');
    await open(`/workflows/${id}/script`);
    await button('Change it').click();
    await button('Try it on the recorded runs').click();
    await page.getByText('recorded run').first().waitFor();
    await button('On the runs of the last days…').click();
    await dialog().getByText(/runs? comes? out just as|come out otherwise|Nothing ran in this time/).waitFor();
    await page.keyboard.press('Escape');
    expect((await log(of(id))).length, 'trying records nothing').toBe(before);
    await open(`/workflows/${id}`);
    await becomes('admin', async () => void (await page.getByLabel('show').selectOption({ label: 'what is notable' })), () => page.waitForURL(/show=notable/), 'TimelineChosen');
  }, 3 * patience);

  it('is talked about with the planner', async () => {
    await open('/new');
    await page.getByLabel('What should it do, and when?').fill('Count the orders');
    await button('Begin').click();
    await page.waitForURL(/\/chat$/);
    const id = /workflows\/([^/]+)/.exec(page.url())![1]!;
    await page.getByText('There is nothing to change.').first().waitFor();
    expect(await log(of(id))).toContain('PlannerTaskOpened');
    await page.getByLabel(/What should it do|Your answer/).fill('And tell me');
    await becomes(of(id), () => button('Send').click(), () => page.getByText('And tell me').first().waitFor(), 'PlannerTaskOpened');
    await open('/drafts');
    await page.getByRole('checkbox', { name: /Count the orders/ }).check();
    await becomes(of(id), () => yes('Keep'), '1 draft kept.', 'DraftKept');
    await page.getByRole('checkbox', { name: /Count the orders/ }).check();
    await becomes(of(id), () => yes('Archive', 'Archive', ''), '1 draft archived.', 'WorkflowArchived');
    await becomes(of(id), () => button('Bring it back').click(), 'They are back.', 'WorkflowRestored');
    await becomes('admin', () => page.getByRole('checkbox', { name: /go to the archive by themselves/ }).click(), /Drafts (go|stay)/, 'DraftArchivingChanged');
  }, 3 * patience);
});

describe('a run', () => {
  it('is cancelled, tried again, repaired, forked, replayed, left out of proofs', async () => {
    const asks = await world.create('Asks', "async function main() { return { said: await ask('Ship it?') }; }");
    const waiting = await world.runs(asks, {}, ['asking']);
    await open(`/runs/${waiting}`);
    await becomes(of(asks), () => yes('Cancel the run…', 'Cancel the run', 'not now'), 'It is cancelled.', 'RunCancelled');
    const answered = await world.runs(asks, {}, ['asking']);
    await open('/');
    await page.getByLabel('Your answer to: Ship it?').fill('yes');
    await becomes(`run-${answered}`, () => button('Answer').click(), 'Answered: yes. It goes on.', 'AnswerGiven', 'RunEnded');

    const failed = await world.create('Fails', failing);
    await settle(failed, { auto_fix: 'off' });
    const run = await world.runs(failed, { n: 7 });
    await world.api('POST', `/workflows/${failed}/versions`, { code: 'async function main() { return 2; }', comment: 'two' });
    await open(`/runs/${run}`);
    await becomes(of(failed), () => yes('Try the run again'), 'It is tried again.', 'RetryScheduled', 'RunSucceeded');

    const broken = await world.create('Repaired on request', greeting);
    const good = await world.runs(broken, { name: 'Ada' });
    const bad = await world.runs(broken, { name: null }, ['failed'], false);
    await open(`/runs/${good}`);
    await button('Replay the run…').click();
    await button('Replay it', dialog()).click();
    await dialog().getByText('On 1.0 it comes out just as it did.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^1\b/ }).first().click();
    await button('Start another run from here…').click();
    await becomes(of(broken), () => button('Start the run', dialog()).click(), 'Another run began: this is it.', 'RunAdmitted');
    await open(`/runs/${good}`);
    await becomes(of(broken), () => yes('Leave the run out of proofs…', 'Leave it out of proofs', 'wrong'), 'It is left out of proofs.', 'RunExempted');
    await open(`/runs/${bad}`);
    await becomes(of(broken), () => yes('Repair the workflow', 'Repair it'), 'It is worked on: what comes of it is told you.', 'RepairAsked', 'MaintenanceEntered');
  }, 4 * patience);

  it('that is half done waits for what stopped it, then goes on, starts again or is left', async () => {
    for (const [word, said, event] of [['Go on with the run', 'It goes on where it stopped.', 'RunAdmitted'], ['Start the run again', 'It began anew, with the same input.', 'RunAdmitted'], ['Leave the run as it is', 'It stays as it is.', 'RunLeft']] as const) {
      const id = await world.create(`Half done: ${word}`, halfDone);
      await settle(id, { auto_fix: 'off' });
      const run = await world.runs(id, {});
      await open(`/runs/${run}`);
      await page.getByText('It can go on or start again once its workflow is switched on again').waitFor();
      expect(await button('Go on with the run').count(), 'it would be refused').toBe(0);
      await world.api('POST', `/workflows/${id}/versions`, { code: halfDone.replace(' null.x;', ''), comment: 'mended' });
      await becomes(of(id), () => yes(word), said, event);
    }
  }, 4 * patience);

  it('whose write is in doubt goes on with what its person found', async () => {
    for (const [word, said] of [['It happened', 'Noted: it happened. The run goes on.'], ['It did not happen', 'Noted: it did not happen. It is sent again.'], ['Skip the write', 'It is skipped. The run goes on.']] as const) {
      const id = await world.create(`In doubt: ${word}`, `async function main() { return web.postJSON('http://${host}/500', {}); }`, { allowed_hosts: [host] });
      const run = await world.runs(id, {}, ['in_doubt']);
      await open(`/runs/${run}`);
      await becomes(`run-${run}`, () => yes(word), said, 'EffectResolved');
    }
  }, 3 * patience);

  it('that lacks a key or a host goes on with it', async () => {
    const id = await world.create('Lacks a key', `async function main() { return web.getJSON('http://${host}/me', { headers: { authorization: 'Bearer ' + secret('SHOP') } }); }`, { allowed_hosts: [host] });
    await world.api('PUT', `/secrets/SHOP?workflow=${id}`, { value: 'sk-old', hosts: [host] });
    const run = await world.runs(id, {}, ['failed']);
    await open(`/runs/${run}`);
    await button('Paste a new key').click();
    await dialog().getByLabel('The key').fill('sk-right');
    await becomes(of(id), () => button('Set the key', dialog()).click(), () => dialog().getByText('It works: the run went on, and succeeded.').waitFor(), 'RetryScheduled', 'RunSucceeded');
    await page.keyboard.press('Escape');
    const refused = await world.create('Lacks a host', `async function main() { return web.getJSON('http://${host}/'); }`);
    await open(`/runs/${await world.runs(refused, {}, ['failed'])}`);
    await becomes(of(refused), () => button(`Allow ${host}`).click(), `Its runs may reach ${host} now. The run that was refused goes on.`, 'SettingsChanged', 'RunSucceeded');
  }, 3 * patience);

  it('of an input that waits is tried again or given up', async () => {
    const id = await world.create('Takes orders', 'async function main(input) { return { sent: input.order.id }; }');
    await settle(id, { auto_fix: 'off' });
    for (const key of ['one', 'two']) await world.api('POST', `/workflows/${id}/inputs`, { input: {}, key });
    await until(async () => (await world.api<{ status: string }>('GET', `/workflows/${id}`)).status === 'escalated');
    await open(`/workflows/${id}`);
    await page.getByText(/inputs? waits?, to be carried out in order/).click();
    await becomes(of(id), () => yes('Give it up', 'Give it up', 'a test'), 'It is given up.', 'InputSkipped');
    await world.api('POST', `/workflows/${id}/activate`, {});
    await until(async () => (await world.api<{ queued?: unknown[] }>('GET', `/workflows/${id}`)).queued?.length !== 0);
  }, 3 * patience);
});

describe('a fix', () => {
  it('is checked again, corrected, declined, accepted, judged again and undone', async () => {
    const { workflow, fix } = await world.held('Checked and accepted');
    await open(`/fixes/${fix}`);
    await becomes(of(workflow), () => button('Check the fix again').click(), 'It was checked again just now, on what is so today.', 'FixRechecked');
    await button(/^(Prove|Judge) it again now$/).click();
    await page.getByText('It holds:').waitFor();
    await becomes(of(workflow), () => yes('Accept the fix', 'Accept'), 'Accepted. The run that failed goes on with it.', 'FixAccepted', 'FixConfirmed');
    await button('Undo this mend…').click();
    await becomes(of(workflow), () => button('Undo the mend', dialog()).click(), 'The mend is undone: version 1.0 is in use again.', 'ScriptSaved');
    const corrected = await world.held('To be corrected');
    await open(`/fixes/${corrected.fix}`);
    await becomes(of(corrected.workflow), () => yes('Correct the fix', 'Send it back', 'A name is needed'), 'It is sent back with your note.', 'FixCorrectionRequested');
    const declined = await world.held('To be declined');
    await open(`/fixes/${declined.fix}`);
    await becomes(of(declined.workflow), () => yes('Decline the fix', 'Decline', 'no'), 'Declined. The workflow stands still.', 'FixDeclined');
  }, 5 * patience);

  it('that somebody else decided meanwhile is not decided again, and it is said', async () => {
    const { workflow, fix } = await world.held('Decided meanwhile');
    const other = await world.visitor();
    await other.context.addInitScript('delete globalThis.SharedWorker');
    await other.page.reload();
    await other.context.route('**/api/v1/events*', (route) => route.abort());
    await other.page.goto(`${world.base}/fixes/${fix}`);
    await button('Decline the fix', other.page).click();
    await world.api('POST', `/fixes/${fix}/accept`, {});
    const before = (await log(of(workflow))).filter((type) => type === 'FixDeclined').length;
    await other.page.getByRole('dialog').getByRole('button', { name: 'Decline', exact: true }).click();
    await other.page.getByText('Meanwhile this changed, and nothing was done.').first().waitFor();
    expect((await log(of(workflow))).filter((type) => type === 'FixDeclined').length).toBe(before);
    await other.context.close();
  }, 3 * patience);
});

describe('the installation', () => {
  it('stops repairs, caps what they cost, closes places, and reports a problem', async () => {
    await open('/system');
    await becomes('admin', () => yes('Stop all repairs', 'Stop all repairs', 'a quiet weekend'), 'Repairs are stopped.', 'RepairsStopped');
    const id = await world.create('Broken meanwhile', greeting);
    await world.runs(id, { name: 'Ada' });
    await world.runs(id, { name: null });
    await open(`/workflows/${id}`);
    await page.getByText('Broken: repairs are stopped').waitFor();
    expect(await page.getByText('a repair is under way').count(), 'nothing is under way').toBe(0);
    await open('/');
    await page.getByRole('listitem').filter({ hasText: 'Repairs are switched off on all workflows' }).getByText('Repairs stopped').waitFor();
    await becomes('admin', () => yes('Let repairs go on'), 'Repairs go on.', 'RepairsResumed');
    await open('/system');
    await button('Change what agents may spend…').click();
    await dialog().getByLabel('In a month, US dollars').fill('12.5');
    await becomes('admin', () => button('Save the caps', dialog()).click(), 'Saved: that is what they may spend.', 'SpendCapChanged');
    await page.getByLabel('Close another place').fill('10.9.0.0/16');
    await becomes('admin', () => button('Close this place').click(), '10.9.0.0/16 is closed to all scripts.', 'EgressChanged');
    const before = (await log('admin')).length;
    await page.getByLabel('Close another place').fill('no such place!');
    await button('Close this place').click();
    await page.getByRole('alert').first().waitFor();
    expect((await log('admin')).length, 'a refusal records nothing').toBe(before);
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Go to or do something' }).fill('report a');
    await page.keyboard.press('Enter');
    await page.getByLabel('What happened, and what did you expect?').fill('It looks odd');
    await button('Send it').click();
    await page.getByText(/It went to the file/).waitFor();
    await page.keyboard.press('Escape');
  }, 4 * patience);

  it('says what becomes of a notice and of what an agent wrote', async () => {
    const id = await world.create('Tells', "async function main() { await notify('Hello'); }");
    await world.runs(id, {});
    await open('/notifications');
    await becomes(of(id), () => button(/^I have seen (it|all)/, page.getByRole('listitem').filter({ hasText: 'Tells' })).click(), 'Seen. It is kept among the notices.', 'NotificationAcknowledged');
    const stuck = await world.create('To be planned anew', failing);
    await settle(stuck, { auto_fix: 'off' });
    await world.runs(stuck, { n: 1 });
    await open(`/workflows/${stuck}`);
    await becomes(of(stuck), () => yes('Plan the script anew'), 'The planner is at work on it.', 'PlannerTaskOpened');
    await page.waitForURL(/\/chat$/);
  }, 3 * patience);
});

describe('coding agents', () => {
  it('are answered at their checkpoints, followed up, stopped, dropped, unblocked, and their plan is taken and cancelled', async () => {
    await agents.begin();
    await agents.heal();
    const stream = `plan-${agents.plan}`;
    const held = (job: string) => page.locator('section').filter({ has: page.getByRole('heading', { name: new RegExp(`^${job}: `) }) });
    await open(`/plans/${agents.plan}`);
    await becomes(stream, () => yes('Accept these changes…', 'Accept these changes', 'they may', held('prices')), 'Accepted. The job is verified, then it is in line to merge.', 'JobAccepted');
    await becomes(stream, () => yes('Relaunch the agent…', 'Relaunch the agent', '', held('pages')), 'The agent goes to work again.', 'JobRelaunched');
    await becomes(stream, () => yes('Check my repair…', 'Check my repair', '', held('docs')), 'The files are looked at and verified again.', 'JobRetried');
    await open(`/plans/${agents.plan}?job=prices`);
    await becomes(stream, async () => {
      await button('Follow it up…').click();
      await dialog().getByLabel('Its name').fill('more');
      await dialog().getByLabel('What it may touch').fill('more/**');
      await dialog().getByLabel('What it is to do').fill('Do more.');
      await button('Add the job', dialog()).click();
    }, 'The job is part of the plan.', 'JobAdded', 'JobStarted', 'StepStarted');
    await open(`/plans/${agents.plan}?job=more`);
    await becomes(stream, () => yes('Stop it…', 'Stop the job', 'it sleeps'), 'It is being stopped, and waits for you then.', 'JobStopped', 'JobHeld');
    await becomes(stream, () => yes('Drop it…', 'Drop the job', ''), 'It is no part of the plan any more.', 'JobDropped');
    await becomes(stream, () => yes('Take it…', 'Merge it into main'), 'main has what the plan did.', 'PlanTaken');
    expect(agents.git('show', 'main:src/prices/round.js')).toContain('Math.round');
    await becomes(stream, () => yes('Cancel the plan…', 'Cancel the plan', 'enough'), 'The plan is cancelled.', 'PlanCancelled');
    await open('/healer/night-1');
    await becomes('session-night-1', () => yes('Let prices go on…', 'Let it go on', ''), 'It may go on.', 'TaskUnblocked');
  }, 4 * patience);
});

// Asked for where the page knows an answer that this world does not come to, or shown by another test.
const elsewhere = new Map([
  ['/sessions/{session}', 'organisation.test.ts'],
  ['/accounts/{owner}/top-up', 'balances are opened with a payment service'],
  ['/accounts/{owner}/limit', 'balances are opened with a payment service'],
  ['/runs/{run}/trust', 'story of a run that looks wrong: cmd/kintsugi/run_suspected_test.go'],
  ['/subscriptions/{subscription}/dead-letters/retry', 'cmd/kintsugi/subscription_test.go'],
  ['/workflows/{workflow}/inputs/retry', 'cmd/kintsugi: inputs that wait'],
]);

it('has an action here for each write that the page can ask for', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file) && !/schema\.ts$|\.test\.ts$/.test(file));
  const can = new Set(files.flatMap((file) => [...readFileSync(`src/${file}`, 'utf8').matchAll(/\b(?:post|put|patch|remove)\((?:path\()?['`](\/[^'`]+)['`]/g)].map((found) => found[1]!)));
  const verbs: Record<string, string[]> = { '/workflows/{workflow}/${verb}': ['pause', 'activate', 'archive', 'restore'], '/subscriptions/{subscription}/${verb}': ['pause', 'resume', 'dead-letters/retry'] };
  const all = [...can].flatMap((one) => verbs[one]?.map((verb) => one.replace('${verb}', verb)) ?? [one]);
  expect(all.length).toBeGreaterThan(50);
  const did = (template: string) => [...asked].some((one) => new RegExp(`^[A-Z]+ ${template.replace(/\{\w+\}/g, '[^/]+')}$`).test(one));
  expect(all.filter((one) => !did(one) && !elsewhere.has(one)).toSorted()).toEqual([]);
});

it('no browser reported anything', () => expect(world.problems).toEqual([]));
