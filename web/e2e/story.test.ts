// The outcome of each press, on the page and in the log.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience, World } from './world';

const world = new World();
let shop: Server; // what workflows ask
let host = '';
beforeAll(async () => {
  shop = createServer((_, answer) => answer.end('{"open": true}'));
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
  await world.begin([]);
}, 3 * patience);
afterAll(async () => {
  await world.end();
  shop.close();
}, patience);

type Recorded = { type: string; actor?: string; data?: unknown };

/** The events of a stream, the oldest first. */
const log = async (stream: string) => (await world.api<{ items: Recorded[] }>('GET', `/streams/${stream}?limit=500`)).items.toReversed();
const types = async (workflow: string) => (await log(`workflow-${workflow}`)).map((one) => one.type);
const allowed = async (workflow: string) => (await world.api<{ allowed_hosts?: string[] }>('GET', `/workflows/${workflow}/settings`)).allowed_hosts ?? [];
const says = (page: Page, text: string) => page.locator('[data-announced]').filter({ hasText: text }).first().waitFor();

describe('an address that a script was refused', () => {
  const code = () => `async function main() { return web.getJSON('http://${host}/'); }`;

  it('is allowed with one press beside the dry run that failed of it, which is made again', async () => {
    const workflow = await world.create('Asks the shop', code());
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Try it out' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It would fail').waitFor();
    await dialog.getByRole('button', { name: `Allow ${host}` }).click();
    await dialog.getByText('It would succeed.').waitFor();
    await says(page, `Its runs may reach ${host} now.`);
    expect(await allowed(workflow)).toEqual([host]);
    expect(await types(workflow)).toContain('SettingsChanged');
    await context.close();
  });

  it('is allowed with one press in the dialog that switches it on, and nothing is switched on by it', async () => {
    const workflow = await world.create('Not on yet', code());
    await world.api('POST', `/workflows/${workflow}/pause`, {});
    const before = (await types(workflow)).length;
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Switch it on' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Tried just now, it would fail').waitFor();
    await dialog.getByRole('button', { name: `Allow ${host}` }).click();
    await dialog.getByText('Tried just now, it would succeed').waitFor();
    expect(await allowed(workflow)).toEqual([host]);
    expect((await types(workflow)).slice(before)).toEqual(['SettingsChanged']);
    await dialog.getByRole('button', { name: 'Switch it on' }).click();
    await says(page, 'It is on.');
    expect((await types(workflow)).slice(before)).toEqual(['SettingsChanged', 'WorkflowActivated']);
    await context.close();
  });

  it('is allowed with one press where the run tells of it, or its notice, and the run that was refused goes on', async () => {
    const { page, context } = await world.visitor();
    for (const [title, where] of [['Refused in a run', 'run'], ['Refused and told', 'notice']] as const) {
      const workflow = await world.create(title, code());
      const run = await world.runs(workflow, {}, ['failed']);
      await page.goto(where === 'run' ? `${world.base}/runs/${run}` : world.base);
      const place = where === 'run' ? page.locator('main') : page.getByRole('listitem').filter({ hasText: title });
      await place.getByRole('button', { name: `Allow ${host}` }).click();
      await says(page, `Its runs may reach ${host} now. The run that was refused goes on.`);
      await page.goto(`${world.base}/runs/${run}`);
      await page.getByText('It went on as').filter({ hasText: 'succeeded' }).waitFor();
      expect(await allowed(workflow)).toEqual([host]);
      expect((await types(workflow)).filter((type) => ['SettingsChanged', 'WorkflowActivated', 'RetryScheduled', 'RunAdmitted'].includes(type)).slice(-4)).toEqual(['SettingsChanged', 'WorkflowActivated', 'RetryScheduled', 'RunAdmitted']);
    }
    await context.close();
  });

  it('is allowed where a run is over, and the page says that the run does not go on', async () => {
    const workflow = await world.create('Refused and over', code());
    const run = await world.runs(workflow, {}, ['failed']);
    await world.api('POST', `/workflows/${workflow}/archive`, {});
    await world.api('POST', `/workflows/${workflow}/restore`);
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/runs/${run}`);
    await page.getByRole('button', { name: `Allow ${host}` }).click();
    await says(page, 'The run that was refused is over: start a new one.');
    expect(await allowed(workflow)).toEqual([host]);
    expect((await types(workflow)).at(-1), 'nothing else is done').toBe('SettingsChanged');
    await context.close();
  });

  it('is not offered to be allowed where the installation closes it: it says who opens it', async () => {
    const workflow = await world.create('Asks the cloud', "async function main() { return web.getJSON('http://169.254.169.254/latest'); }");
    const run = await world.runs(workflow, {}, ['failed']);
    const { page, context } = await world.visitor();
    const notice = page.getByRole('listitem').filter({ hasText: 'Asks the cloud' }).filter({ hasText: 'closed to all scripts by the installation' });
    await notice.getByText('Only an admin can open it').waitFor();
    await page.goto(`${world.base}/runs/${run}`);
    await page.getByText('The installation closes this place to scripts').waitFor();
    expect(await page.getByRole('button', { name: /Allow/ }).count()).toBe(0);
    await page.goto(`${world.base}/workflows/${workflow}`);
    await page.getByRole('button', { name: 'Try it out' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The installation closes this place to scripts').waitFor();
    expect(await dialog.getByRole('button', { name: /Allow/ }).count()).toBe(0);
    expect(await dialog.innerText(), 'commands are for terminals').not.toContain('kintsugi egress');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Switch it on', exact: true }).click();
    await page.getByRole('dialog').getByText('The installation closes this place to scripts').waitFor();
    expect(await page.getByRole('dialog').getByRole('button', { name: /Allow/ }).count()).toBe(0);
    expect(await page.getByRole('dialog').innerText()).not.toContain('its runs may');
    expect(await allowed(workflow)).toEqual([]);
    await context.close();
  });
});

it('a run that asks is answered on its own page, and goes on', async () => {
  const workflow = await world.create('Asks on its page', "async function main() { return { said: await ask('Ship it?', { options: ['Yes, and tell Bob', 'No'] }) }; }");
  const run = await world.runs(workflow, {}, ['asking']);
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/runs/${run}`);
  await page.getByRole('button', { name: 'Yes, and tell Bob' }).click();
  await says(page, 'Answered: Yes, and tell Bob. It goes on.');
  await page.getByText('"said": "Yes, and tell Bob"').first().waitFor();
  expect((await log(`run-${run}`)).map((one) => one.type)).toContain('RunEnded');
  await context.close();
});

describe('fixes of one cause', () => {
  it('are accepted with one press for all workflows, each with its outcome: what is refused keeps no other from it', async () => {
    const held = [];
    for (const title of ['First of a cause', 'Second of a cause', 'Third of a cause']) held.push({ title, ...(await world.held(title)) });
    const [first, second, third] = held as [typeof held[0], typeof held[0], typeof held[0]];
    const { page, context } = await world.visitor();
    await page.goto(`${world.base}/fixes/${first.fix}`);
    await page.getByRole('button', { name: 'Accept for all 3 workflows of this cause…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Accept the fixes of 3 workflows' });
    for (const { title } of held) await dialog.getByRole('listitem').filter({ hasText: title }).getByText('recorded successes come out the same').waitFor();
    await world.api('POST', `/fixes/${second.fix}/decline`, {}); // somebody else is faster
    await dialog.getByRole('button', { name: 'Accept all 3' }).click();
    for (const { title } of [first, third]) await dialog.getByRole('listitem').filter({ hasText: title }).getByText('Accepted. The run that failed goes on with it.').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: second.title }).getByText('Not accepted: ').waitFor();
    expect(await types(first.workflow)).toContain('FixAccepted');
    expect(await types(third.workflow)).toContain('FixAccepted');
    expect(await types(second.workflow)).not.toContain('FixAccepted');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Accept/ }).first().waitFor({ state: 'detached' });
    await context.close();
  });
});

it('the installation closes and opens places, as an admin says on the page, and says who changed it', async () => {
  type Policy = { closed: string[]; open?: { place: string; owner?: string }[] };
  const policy = () => world.api<Policy>('GET', '/egress');
  const changes = async () => (await log('admin')).filter((one) => one.type === 'EgressChanged').length;
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/system`);
  const closed = page.getByRole('list', { name: 'Closed places' });
  await closed.getByText('169.254.0.0/16').waitFor();
  await page.getByLabel('Close another place').fill('10.9.0.0/16');
  await page.getByRole('button', { name: 'Close this place' }).click();
  await says(page, '10.9.0.0/16 is closed to all scripts.');
  await closed.getByText('10.9.0.0/16').waitFor();
  expect((await policy()).closed).toContain('10.9.0.0/16');
  expect(await changes()).toBe(1);
  await page.getByLabel('Open a private place').fill('192.168.7.7:8080');
  await page.getByLabel('To workflows of').fill('ann');
  await page.getByRole('button', { name: 'Open this place', exact: true }).click();
  await says(page, '192.168.7.7:8080 is open to workflows of ann.');
  expect((await policy()).open).toEqual([{ place: '192.168.7.7:8080', owner: 'ann' }]);
  await closed.getByRole('listitem').filter({ hasText: '10.9.0.0/16' }).getByRole('button').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Open it to scripts' }).click();
  await says(page, '10.9.0.0/16 is closed no more.');
  expect((await policy()).closed).not.toContain('10.9.0.0/16');
  await page.getByRole('list', { name: 'Places open to tenants' }).getByRole('button').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Take it off' }).click();
  await says(page, '192.168.7.7:8080 is open to them no more.');
  expect((await policy()).open ?? []).toEqual([]);
  expect(await changes()).toBe(4);
  await page.getByText('The last changes, and by whom').click();
  await page.getByRole('list', { name: 'The last changes' }).getByRole('listitem').filter({ hasText: 'root' }).first().waitFor();
  await page.getByLabel('Close another place').fill('no such place!');
  await page.getByRole('button', { name: 'Close this place' }).click();
  await page.getByRole('alert').first().waitFor();
  expect(await changes(), 'a refusal changes nothing').toBe(4);
  await context.close();
  const { token } = await world.api<{ token: string }>('POST', '/tokens', { name: 'looks', person: 'rita', scopes: ['read'] });
  const reader = await world.visitor(token);
  await reader.page.goto(`${world.base}/system`);
  await reader.page.getByRole('heading', { name: 'Repairs' }).waitFor();
  expect(await reader.page.getByText('Where scripts may not go').count(), 'it is for admins').toBe(0);
  await reader.context.close();
});

it('no browser reported anything', () => expect(world.problems).toEqual([]));
