// Everybody can use every page: with their ears, by keyboard, on a small telephone. And pictures of all of them.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agents } from './agents';
import { patience, shot, until, World } from './world';

const world = new World();
const agents = new Agents(world);
beforeAll(() => world.begin(), 3 * patience);
afterAll(async () => {
  await world.end();
  agents.end();
}, patience);

describe('for everybody', () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const pages: Record<string, string> = {}; // by the name of its picture
  beforeAll(async () => {
    const earthquake = await world.id('Earthquake alert');
    const { fix } = await world.held('To be decided');
    Object.assign(pages, {
      today: '/', notices: '/notifications', fixes: '/fixes', runs: '/runs', usage: '/usage', system: '/system', inbox: '/inbox?state=all', drafts: '/drafts',
      events: '/events', stream: `/events?stream=workflow-${earthquake}&at=9`, missing: '/nothing', 'new-workflow': '/new',
      fix: `/fixes/${await world.fixOf('Earthquake alert')}`, 'fix-waiting': `/fixes/${fix}`,
      run: `/runs/${(await world.api<{ items: { id: string }[] }>('GET', `/runs?workflow=${earthquake}&status=failed`)).items[0]!.id}`,
      compare: `/workflows/${earthquake}/script?from=1.0&to=1.1`,
    });
    await agents.begin();
    await agents.heal();
    Object.assign(pages, { plans: '/plans', plan: `/plans/${agents.plan}`, 'plan-job': `/plans/${agents.plan}?job=cart`, healings: '/healer', healing: '/healer/night-1' });
    for (const part of ['', '/runs', '/script', '/fixes', '/chat', '/history', '/settings']) pages[`workflow${part.replace('/', '-')}`] = `/workflows/${earthquake}${part}`;
  }, 5 * patience);

  // Layout shifts since the page was opened that nobody caused: the sum of the largest burst, as browsers count it (CLS).
  const moved = (page: Page) => page.evaluate(() => new Promise<number>((resolve) => {
    type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean };
    let [sum, most, first, last] = [0, 0, 0, 0];
    new PerformanceObserver((list) => {
      for (const one of list.getEntries() as Shift[]) {
        if (one.hadRecentInput) continue;
        if (one.startTime - last > 1000 || one.startTime - first > 5000) [sum, first] = [0, one.startTime];
        last = one.startTime;
        most = Math.max(most, (sum += one.value));
      }
    }).observe({ type: 'layout-shift', buffered: true });
    requestAnimationFrame(() => setTimeout(() => resolve(most)));
  }));

  const screens = [[1200, 900], [390, 844]] as const;
  for (const colorScheme of ['light', 'dark'] as const) for (const [width, height] of screens) {
    it(`axe finds nothing on any page of ${width} pixels, in the ${colorScheme} theme`, async () => {
      // The rules of the page let axe run only where they are set aside.
      const { page, context } = await world.visitor(world.token, { colorScheme, viewport: { width, height }, bypassCSP: true });
      for (const [name, path] of Object.entries(pages)) {
        await world.open(page, path);
        await shot(page, [name, ...(width < 600 ? ['phone'] : []), ...(colorScheme === 'dark' ? ['dark'] : [])].join('-'));
        await page.addScriptTag({ content: axe });
        const found = await page.evaluate(async () => {
          const { violations } = await (window as never as { axe: { run(options: object): Promise<{ violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[] }> } }).axe.run({ rules: { 'target-size': { enabled: true } } }); // of WCAG 2.2, which axe leaves out by itself
          return violations.map((one) => `${one.id}: ${one.nodes.map((node) => `${node.html.slice(0, 200)} ${node.failureSummary ?? ''}`).join(' | ').slice(0, 600)}`);
        });
        expect(found, path).toEqual([]);
      }
      await context.close();
    }, 5 * patience);
  }

  for (const [width, height] of screens) {
    it(`nothing moves while a page of ${width} pixels comes, in whatever order its parts come`, async () => {
      const { page, context } = await world.visitor(world.token, { viewport: { width, height } });
      let asked = 0; // answers are held back so that each part of a page is the last one now and then
      const under = new Set<unknown>();
      await context.route(/\/api\/v1\/(?!events)/, async (route) => {
        under.add(route);
        await new Promise((resolve) => setTimeout(resolve, 70 * ((asked++ * 5) % 7)));
        await route.continue().catch(() => undefined); // the page that asked is left
        under.delete(route);
      });
      for (const path of Object.values(pages)) {
        await world.open(page, path);
        await until(async () => under.size === 0);
        expect(await moved(page), `${path} moves`).toBeLessThan(0.05);
      }
      await context.close();
    }, 5 * patience);
  }

  it('nothing is wider than a small telephone', async () => {
    const { page, context } = await world.visitor(world.token, { viewport: { width: 360, height: 740 } });
    for (const path of Object.values(pages)) {
      await world.open(page, path);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
    }
    await context.close();
  }, 3 * patience);

  it('the keyboard goes through a page in its order, past what is on every page, and always shows where it is', async () => {
    const { page, context } = await world.visitor();
    await world.open(page, pages['fix-waiting']!);
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('To the content');
    await page.keyboard.press('Enter');
    const stops: { top: number; seen: boolean; label: string }[] = [];
    for (let i = 0; i < 25; i++) {
      await page.keyboard.press('Tab');
      stops.push(await page.evaluate(() => {
        const at = document.activeElement as HTMLElement;
        const { outlineStyle, boxShadow } = getComputedStyle(at);
        return { top: Math.round(at.getBoundingClientRect().top + scrollY), seen: at === document.body || outlineStyle !== 'none' || boxShadow !== 'none', label: (at.getAttribute('aria-label') ?? at.textContent ?? '').slice(0, 60) };
      }));
    }
    expect(stops.filter((one) => !one.seen)).toEqual([]);
    const decide = stops.findIndex((one) => one.label === 'Accept the fix');
    expect(decide, JSON.stringify(stops)).toBeGreaterThanOrEqual(0);
    await context.close();
  });

  it('nothing moves for who wants no motion', async () => {
    const { page, context } = await world.visitor(world.token, { reducedMotion: 'reduce' });
    for (const name of ['today', 'fix-waiting', 'run']) {
      await world.open(page, pages[name]!);
      expect(await page.evaluate(() => document.getAnimations().filter((one) => Number(one.effect?.getComputedTiming().duration) > 10).length), name).toBe(0);
    }
    await context.close();
  });
});

it('no browser reported anything', () => expect(world.problems).toEqual([]));
