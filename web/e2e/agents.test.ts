// Coding agents at work in a real git repository: what people see of a plan, and the three answers to a job that stands still.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agents } from './agents';
import { patience, shot, until, World } from './world';

describe('plans of coding agents', () => {
  const world = new World();
  const agents = new Agents(world, true);
  let page: Page;
  const held = (job: string) => page.locator(`[data-held="${job}"]`);
  const open = () => world.open(page, `/plans/${agents.plan}`);

  beforeAll(async () => {
    await world.begin([]);
    ({ page } = await world.visitor());
    await world.open(page, '/plans');
    await page.getByText('kintsugi repo plan start plan.yaml').first().waitFor();
    expect(await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Plans' }).count()).toBe(0);
    await agents.begin();
  }, 5 * patience);
  afterAll(async () => {
    await world.end();
    agents.end();
  }, patience);

  it('are on the list and told of, each job that stands still by itself', async () => {
    await page.locator(`[data-plan="${agents.plan}"]`).getByText('waits for you').waitFor(); // nobody asked for it
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Plans' }).waitFor();
    await world.open(page, '/');
    const notice = page.getByRole('listitem').filter({ hasText: "A coding agent's job is held: prices" });
    await notice.getByRole('link', { name: 'Look and decide' }).click();
    await page.getByRole('heading', { level: 1, name: 'Round all prices' }).waitFor();
    expect(await page.locator('[data-held]').count()).toBe(3);
  });

  it('show which files were changed against what may be touched, and text as text', async () => {
    await open();
    const prices = held('prices');
    await prices.getByText('It changed files that it may not touch').waitFor();
    await prices.locator('[data-file="README.md"][data-outside]').waitFor();
    await prices.getByText('to the cent').waitFor();
    await prices.getByLabel('What prices may touch').getByText('src/prices/**').waitFor();
    expect(await prices.locator('[data-file="src/prices/round.js"]').count(), 'what it may touch is not what it is held for').toBe(0);
    const pages = held('pages');
    await pages.locator('[data-file]').filter({ hasText: '<img src=x onerror=alert(1)>' }).waitFor();
    const binary = pages.locator('[data-file="logo.bin"]');
    await binary.getByText('not text', { exact: false }).first().waitFor();
    await page.locator('[data-job="pages"]').click();
    const wrote = page.locator('[data-detail="pages"] pre');
    await wrote.getByText('I change the tax, too. <img src=x onerror=alert(1)>').waitFor();
    expect(await page.locator('#content img[src="x"]').count()).toBe(0);
    expect(await page.locator('#content').textContent()).not.toMatch(/[\u202a-\u202e\u001b]/);
  });

  it('show who only reads no button', async () => {
    const { token } = await world.api<{ token: string }>('POST', '/tokens', { name: 'reader', person: 'rita', scopes: ['read'] });
    const { page: reader, context } = await world.visitor(token);
    await world.open(reader, `/plans/${agents.plan}`);
    await reader.locator('[data-held="prices"]').waitFor();
    for (const name of ['Accept these changes…', 'Relaunch the agent…', 'Check my repair…', 'Cancel the plan…']) expect(await reader.getByRole('button', { name }).count(), name).toBe(0);
    await context.close();
  });

  it('take an answer once: who is late is told who was faster, and with what', async () => {
    await open();
    await held('prices').getByRole('button', { name: 'Relaunch the agent…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    const { token } = await world.api<{ token: string }>('POST', '/tokens', { name: 'bo', person: 'bo', scopes: ['read', 'decide'] });
    // This page does not see what somebody else says at the same time.
    await page.route('**/api/v1/repo-plans/*', (route) => (route.request().method() === 'GET' ? undefined : route.continue()));
    const answer = await fetch(`${world.base}/api/v1/repo-plans/${agents.plan}/jobs/prices/accept`, {
      method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }, body: JSON.stringify({ checkpoint: (await agents.job('prices')).checkpoint!.checkpoint, reason: 'the README is right now' }),
    });
    expect(answer.status).toBe(200);
    await dialog.getByRole('button', { name: 'Relaunch the agent' }).click();
    await dialog.getByText('bo let exactly these changes pass: the README is right now').waitFor();
    await page.unroute('**/api/v1/repo-plans/*');
    await open();
    await until(async () => (await agents.job('prices')).status === 'merged');
    await page.locator('[data-job="prices"]').getByText('merged').waitFor();
    await page.locator('[data-job="prices"]').click();
    await page.locator('[data-detail="prices"]').getByText('the README is right now').waitFor();
    await page.locator('[data-detail="prices"]').getByText('What was merged').waitFor();
  }, 3 * patience);

  it('have the agent correct it', async () => {
    await open();
    await shot(page, 'plan-held');
    await held('pages').getByRole('button', { name: 'Relaunch the agent…' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('Keep the page.');
    await page.getByRole('dialog').getByRole('button', { name: 'Relaunch the agent' }).click();
    await held('pages').waitFor({ state: 'detached' });
    await page.locator('[data-job="pages"]').getByText('attempt 2').waitFor();
    await page.locator('[data-job="pages"]').click();
    await page.locator('[data-detail="pages"]').getByText('I put back what was not mine to change.').waitFor();
    await page.locator('[data-job="pages"]').getByText('merged').waitFor();
    expect(agents.git('show', '--stat', '--format=', 'agents/shop')).not.toContain('tax.js');
    await page.locator('[data-job="cart"]').getByText('merged').waitFor(); // what needs both goes on by itself
  }, 3 * patience);

  it('are checked again when a person repaired them, and say what remains', async () => {
    await open();
    await held('docs').getByText('A check failed').waitFor();
    expect(await held('docs').getByRole('button', { name: 'Accept these changes…' }).count(), 'there is nothing to accept').toBe(0);
    const retry = async () => {
      await held('docs').getByRole('button', { name: 'Check my repair…' }).click();
      await page.getByRole('dialog').getByRole('textbox').fill('I wrote it right.');
      await page.getByRole('dialog').getByRole('button', { name: 'Check my repair' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    const before = await held('docs').getAttribute('data-checkpoint');
    await retry();
    await until(async () => ![before, null].includes(await held('docs').getAttribute('data-checkpoint').catch(() => null))); // nothing was repaired
    writeFileSync(join((await agents.job('docs')).worktree!, 'docs', 'prices.md'), 'Prices are rounded.\n');
    await retry();
    await page.getByTitle('Every job is on the integration branch').waitFor();
    await page.locator('[data-job="docs"]').click();
    await page.locator('[data-detail="docs"]').getByText('I wrote it right.').first().waitFor();
    expect(agents.git('show', 'agents/shop:docs/prices.md')).toBe('Prices are rounded.\n');
    expect((await world.api<{ items: unknown[] }>('GET', '/notifications?type=held_job')).items).toEqual([]);
  }, 3 * patience);

  it('are no page of the healer; that has its own, with what was done and how it is undone', async () => {
    await world.open(page, '/healer');
    await page.getByText('kintsugi healer scan').first().waitFor();
    await agents.heal();
    await page.locator('[data-session="night-1"]').getByText('contained').waitFor();
    await page.getByRole('link', { name: 'A check failed after the work' }).click();
    const heal = page.locator('[data-healing="1"]');
    await heal.getByText('src/prices/round.js:1: unexpected end <script>alert(1)</script>').first().waitFor();
    await heal.getByText('Put the files back to the last commit').waitFor();
    await heal.getByText('kintsugi healer undo night-1').first().waitFor();
    await heal.getByText('and it fails').waitFor();
    const download = page.waitForEvent('download');
    await heal.getByRole('link', { name: 'as a trajectory' }).click();
    expect((await download).suggestedFilename()).toBe('night-1-healing-1.json');
    await shot(page, 'healing');
    await page.locator('[data-blocked="prices"]').getByRole('button', { name: 'Let prices go on…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Let it go on' }).click();
    await page.locator('[data-blocked]').waitFor({ state: 'detached' });
  }, 2 * patience);

  it('no browser reported anything', () => expect(world.problems).toEqual([]));
});
