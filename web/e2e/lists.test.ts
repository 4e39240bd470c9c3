// Lists with nothing in them, with one row, and with very many (KINTSUGI_MANY).
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience, until, World } from './world';

const many = Number(process.env['KINTSUGI_MANY'] ?? 2_000);

describe('with nothing, and with one', () => {
  const world = new World();
  beforeAll(() => world.begin([]), 3 * patience);
  afterAll(() => world.end(), patience);

  const empty: Record<string, string> = {
    '/': 'There are no workflows yet', '/runs': 'It has not run yet', '/fixes': 'No fix was proposed yet',
  };
  it('says what belongs there, and how it comes to be', async () => {
    const { page, context } = await world.visitor();
    for (const path of ['/', '/runs', '/fixes', '/notifications', '/inbox', '/drafts', '/usage', '/events', '/system']) {
      await world.open(page, path);
      expect(await page.locator('#content').getByRole('alert').allInnerTexts(), path).toEqual([]);
      if (empty[path]) await page.getByText(empty[path]).waitFor();
      expect((await page.locator('#content').innerText()).length, path).toBeGreaterThan(40);
    }
    await context.close();
  });

  it('shows the one there is', async () => {
    const { workflow, fix } = await world.held('The only one');
    const { page, context } = await world.visitor();
    for (const path of ['/', '/runs', '/fixes', '/notifications', '/inbox', '/usage', '/events', `/workflows/${workflow}/runs`, `/workflows/${workflow}/fixes`]) {
      await world.open(page, path);
      await page.locator('#content').getByText(/The only one|a missing name counts as empty|workflow-/).filter({ visible: true }).first().waitFor();
    }
    expect(fix).not.toBe('');
    expect(world.problems).toEqual([]);
    await context.close();
  });
});

describe('with very many', () => {
  const world = new World();
  beforeAll(async () => {
    await world.begin([], many);
    await until(async () => (await world.api<{ views: { ready: boolean } }>('GET', '/system')).views.ready, 40 * patience);
  }, 60 * patience);
  afterAll(() => world.end(), patience);

  const rows = (page: Page) => page.locator('[data-workflow]');
  const titles = (page: Page) => rows(page).locator('a').allInnerTexts();

  it('workflows are sorted and searched by the server, the address says how, and few of them are in the page', async () => {
    const { page, context } = await world.visitor();
    await rows(page).first().waitFor();
    expect(await rows(page).count()).toBeLessThan(60);
    await page.getByRole('combobox', { name: 'Order' }).selectOption('title');
    await page.waitForURL(/sort=title/);
    await until(async () => {
      const shown = await titles(page);
      return shown.length > 5 && JSON.stringify(shown) === JSON.stringify(shown.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
    });
    const first = (await titles(page))[0]!;
    await page.reload();
    await rows(page).first().waitFor();
    expect((await titles(page))[0]).toBe(first);
    await page.getByRole('searchbox', { name: 'Search workflows' }).fill(first.slice(0, 12));
    await page.waitForURL(/q=/);
    await until(async () => (await titles(page)).every((title) => title.toLowerCase().includes(first.slice(0, 12).toLowerCase())));
    await page.getByRole('combobox', { name: 'Where they stand' }).selectOption('draft');
    await until(async () => (await rows(page).count()) > 0 && (await rows(page).filter({ hasNotText: 'Draft' }).count()) === 0);
    await rows(page).first().getByRole('link').click();
    await page.getByRole('navigation', { name: 'About this workflow' }).waitFor();
    await page.goBack();
    await rows(page).first().waitFor();
    expect(page.url()).toMatch(/sort=title.*q=.*status=draft|q=.*sort=title.*status=draft|status=draft/);
    await context.close();
  });

  it('somebody scrolls to the last one, and what happens to it then is seen', async () => {
    const { page, context } = await world.visitor();
    await rows(page).first().waitFor();
    const last = async () => Number(await page.locator('[data-index]').last().getAttribute('data-index'));
    const whole = async () => (await page.locator('[role=list][aria-label=Workflows] > [aria-setsize]').first().getAttribute('aria-setsize')) !== '-1';
    await until(async () => {
      await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
      return (await whole()) && (await last()) + 1 === Number(await page.locator('[aria-setsize]').last().getAttribute('aria-setsize'));
    }, 30 * patience);
    expect(await last()).toBeGreaterThan(many / 4);
    expect(await rows(page).count()).toBeLessThan(60);
    const id = (await rows(page).last().getAttribute('data-workflow'))!;
    await world.api('PATCH', `/workflows/${id}`, { title: 'Now it has another name' });
    await rows(page).getByRole('link', { name: 'Now it has another name' }).waitFor();
    await context.close();
  }, 60 * patience);

  it('the other lists are there, too, and few of their rows are in the page', async () => {
    const { page, context } = await world.visitor();
    for (const path of ['/runs', '/fixes', '/notifications', '/inbox', '/drafts', '/usage', '/events']) {
      await world.open(page, path);
      expect(await page.locator('#content').getByRole('alert').allInnerTexts(), path).toEqual([]);
      expect(await page.locator('#content *').count(), path).toBeLessThan(6000);
    }
    expect(world.problems).toEqual([]);
    await context.close();
  }, 5 * patience);
});
