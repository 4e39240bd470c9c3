// Things that a change elsewhere breaks first: the three stories of the demo, followed by clicking only, and what the page knows of the API.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience, World } from './world';

const world = new World();
beforeAll(() => world.begin(), 3 * patience);
afterAll(() => world.end(), patience);

describe('the three stories of the demo', () => {
  it('one was mended: its proof is there, holds, and can be taken back', async () => {
    const { page, context } = await world.visitor();
    const mended = page.getByRole('listitem').filter({ hasText: 'Fixed: magnitudeType is read from magType' });
    await mended.getByRole('link', { name: 'See the fix' }).click();
    await page.getByRole('heading', { level: 1, name: 'magnitudeType is read from magType' }).waitFor();
    await page.getByText('answered otherwise: features[].properties.magnitudeType is gone (it was string').first().waitFor();
    expect(await page.locator('[data-story]').textContent()).toContain('All 5 recorded successes come out the same');
    expect(await page.getByRole('link', { name: /Recorded run \d of 5 comes out the same/ }).count()).toBe(5);
    await page.getByText('Earthquake 5.0 mwr, 439 km away').first().waitFor();
    await page.getByText(/^GET 127\.0\.0\.1:\d+\/.*: 2 changes$/).waitFor(); // as people call it, and not by the name of the host call
    await page.getByRole('button', { name: 'Prove it again now' }).click();
    await page.getByText('It holds: proved again just now').waitFor();
    await page.getByRole('link', { name: '1.1', exact: true }).click();
    await page.getByRole('button', { name: 'Undo the mend…' }).click();
    await page.getByText(/Of \d+ recorded runs/).waitFor();
    expect(await page.getByRole('checkbox', { name: /Leave out of proofs the run that succeeded/ }).isChecked()).toBe(true);
    await page.getByRole('button', { name: 'Undo the mend', exact: true }).click();
    await page.getByRole('status').getByText('The mend is undone: version 1.0 is in use again.').waitFor();
    expect(await page.getByText('nothing was done').count()).toBe(0);
    await page.getByText('root rolled back to version 1.0, as 2.0').waitFor();
    const between = await world.api<{ items: { version: string; exempted?: string }[] }>('GET', `/runs?workflow=${await world.id('Earthquake alert')}`);
    expect(between.items.filter((run) => run.version === '1.1').every((run) => run.exempted), 'what ran on it is no evidence').toBe(true);
    await context.close();
  });

  it('one needs its person: what failed, where, and what the other side said', async () => {
    const { page, context } = await world.visitor();
    const needs = page.getByRole('listitem').filter({ hasText: 'No fix was found' });
    await needs.getByText('You have not supplied an API Access Key').first().waitFor(); // the cause is in the first view
    await needs.getByRole('link', { name: 'See the run' }).click();
    await page.getByRole('heading', { level: 1, name: 'A run of Exchange-rate watch' }).waitFor();
    await page.getByText('const rate = latest.rates[code];').last().waitFor();
    await page.getByLabel(/The values in line/).getByText('latest.rates', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Replay the run…' }).click();
    await page.getByRole('button', { name: 'Replay it', exact: true }).click();
    await page.getByText('On 1.0 it comes out just as it did.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^1\b/ }).first().click();
    await page.getByText('Answered (').first().waitFor();
    await context.close();
  });

  it('one was planned anew while it was mended: the fix is kept, and was not used', async () => {
    const { page, context } = await world.visitor();
    await page.getByRole('link', { name: 'Action items', exact: true }).first().click();
    await page.getByRole('navigation', { name: 'About this workflow' }).getByRole('link', { name: 'Fixes' }).click();
    await page.getByRole('link', { name: 'text is read from rich_text where it is missing' }).click();
    await page.getByText('A new version was saved while it was being searched.').waitFor();
    await context.close();
  });
});

it('shows the first view with at most 120 kB of script, as the server sends it', async () => {
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/runs`); // what was kept from the way of signing in would count for nothing
  await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  const cold = await world.browser.newContext({ storageState: await context.storageState() });
  const first = await cold.newPage();
  await first.goto(world.base);
  await first.getByText('All workflows').first().waitFor();
  await first.locator('[data-workflow]').first().waitFor();
  const sent = await first.evaluate(() => (performance.getEntriesByType('resource') as PerformanceResourceTiming[]).filter((one) => one.name.endsWith('.js')).map((one) => ({ name: one.name, bytes: one.encodedBodySize })));
  expect(sent.length).toBeGreaterThan(1);
  expect(sent.reduce((sum, { bytes }) => sum + bytes, 0), JSON.stringify(sent, null, 1)).toBeLessThanOrEqual(120_000);
  await cold.close();
  await context.close();
});

it('asks for nothing that the API does not describe: its types are those of this program', async () => {
  await promisify(execFile)('node', ['tools/api.mjs', '--check'], { env: { ...process.env, KINTSUGI: world.base, KINTSUGI_TOKEN: world.token } });
});

it('no browser reported anything', () => expect(world.problems).toEqual([]));
