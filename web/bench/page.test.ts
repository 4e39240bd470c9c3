// How fast the page is, in a real browser, from the real program. Nothing is asserted: docs/benchmarks.md has figures.
import { gzipSync } from 'node:zlib';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, it } from 'vitest';
import { greeting, until, World } from '../e2e/world';

const workflows = Number(process.env['KINTSUGI_BENCH_WORKFLOWS'] ?? 100_000);
const world = new World();
const figures: string[] = [];
const say = (what: string, value: string) => {
  figures.push(`${what.padEnd(78)} ${value}`);
  console.log(figures.at(-1));
};

beforeAll(async () => {
  await world.begin([], workflows);
  await until(async () => (await world.api<{ views: { ready: boolean } }>('GET', '/system')).views.ready, 600_000);
}, 900_000);
afterAll(async () => {
  await world.end();
  console.log(`\n${figures.join('\n')}\n`);
}, 60_000);

const quantile = (of: number[], q: number) => of.toSorted((a, b) => a - b)[Math.min(of.length - 1, Math.floor(of.length * q))] ?? NaN;
const ms = (of: number[]) => `median ${quantile(of, 0.5).toFixed(0)} ms, p99 ${quantile(of, 0.99).toFixed(0)} ms, of ${of.length}`;

/** When something was painted first, and when there were rows of workflows. */
async function painted(page: Page) {
  await page.locator('[data-workflow]').first().waitFor();
  return page.evaluate(() => ({
    first: performance.getEntriesByName('first-contentful-paint')[0]!.startTime,
    answered: (performance.getEntriesByType('navigation')[0] as PerformanceNavigationTiming).responseStart,
    rows: performance.now(),
  }));
}

it('first view', async () => {
  const { page, context } = await world.visitor();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  const scripts: string[] = [];
  cdp.on('Network.responseReceived', ({ type, response }) => type === 'Script' && scripts.push(response.url));
  await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
  await page.reload();
  await painted(page);
  const gzip = await Promise.all([...new Set(scripts)].map(async (url) => (await fetched(url)).length));
  say('script of the first view, gzip', `${(gzip.reduce((a, b) => a + b, 0) / 1000).toFixed(1)} kB in ${gzip.length} files`);
  for (const [name, cacheDisabled] of [['nothing in the cache', true], ['scripts in the cache', false]] as const) {
    await cdp.send('Network.setCacheDisabled', { cacheDisabled });
    const times = [];
    for (let i = 0; i < 20; i++) {
      await page.reload();
      times.push(await painted(page));
    }
    say(`first contentful paint, ${name}`, ms(times.map((one) => one.first)));
    say(`rows of workflows are there, ${name}`, ms(times.map((one) => one.rows)));
  }
  await context.close();
});

async function fetched(url: string): Promise<Buffer> {
  const body = Buffer.from(await (await fetch(url, { headers: { 'Accept-Encoding': 'gzip' } })).arrayBuffer());
  return body[0] === 0x1f ? body : gzipSync(body); // fetch unpacks what it got
}

it('interaction', async () => {
  const { page, context } = await world.visitor();
  await painted(page);
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { seen });
    new PerformanceObserver((list) => seen.push(...list.getEntries().filter((one) => (one as never as { interactionId: number }).interactionId > 0).map((one) => one.duration))).observe({ type: 'event', buffered: true, durationThreshold: 16 } as never);
  });
  for (let i = 0; i < 5; i++) {
    await page.keyboard.press('/');
    await page.getByRole('combobox', { name: 'Go to or do something' }).pressSequentially('orders', { delay: 30 });
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox').pressSequentially('inv', { delay: 30 });
    await page.locator('[data-workflow]').first().waitFor();
    await page.getByRole('checkbox').nth(1).check();
    await page.getByRole('checkbox').nth(1).uncheck();
    await page.getByRole('searchbox').fill('');
    await page.locator('[data-workflow] a').nth(i).click();
    for (const part of ['Runs', 'Script', 'Settings', 'Timeline']) {
      await page.getByRole('navigation', { name: 'About this workflow' }).getByRole('link', { name: part }).click();
      await page.waitForTimeout(150);
    }
    await page.getByRole('link', { name: 'Today' }).click();
    await page.locator('[data-workflow]').first().waitFor();
  }
  const seen = await page.evaluate(() => (window as never as { seen: number[] }).seen);
  say('interaction (what took 16 ms and more: key, click, to the next frame)', ms(seen));
  await context.close();
});

it('scrolling', async () => {
  const { page, context } = await world.visitor();
  await painted(page);
  const cdp: CDPSession = await context.newCDPSession(page);
  // Down to where all rows have been asked for, as somebody does who holds the key down.
  const begun = Date.now();
  await page.evaluate(async (rows) => {
    for (let still = 0; still < 200; ) {
      const last = Number([...document.querySelectorAll('[data-index]')].at(-1)?.getAttribute('data-index') ?? 0);
      if (last >= rows - 1) return;
      const before = scrollY;
      scrollTo(0, document.documentElement.scrollHeight);
      await new Promise((next) => requestAnimationFrame(next));
      still = scrollY === before ? still + 1 : 0;
    }
  }, workflows);
  const last = await page.locator('[data-index]').last().getAttribute('data-index');
  say('rows scrolled through from the first to the last', `${Number(last) + 1} in ${((Date.now() - begun) / 1000).toFixed(0)} s`);
  for (const [name, at] of [['at the first rows', 0], ['in the middle of all of them', 0.5]] as const) {
    await page.evaluate((at) => scrollTo(0, document.documentElement.scrollHeight * at), at);
    await page.waitForTimeout(500);
    const frames = await page.evaluate(() => {
      const times: number[] = [];
      Object.assign(window, { times, counting: true });
      const tick = (now: number) => {
        times.push(now);
        if ((window as never as { counting: boolean }).counting) requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
    }).then(async () => {
      await cdp.send('Input.synthesizeScrollGesture', { x: 600, y: 600, yDistance: -12_000, speed: 3000, gestureSourceType: 'mouse' });
      return page.evaluate(() => {
        Object.assign(window, { counting: false });
        const { times } = window as never as { times: number[] };
        return times.slice(1).map((now, i) => now - times[i]!);
      });
    });
    const whole = frames.reduce((a, b) => a + b, 0);
    say(`frames while scrolling 3,000 pixels a second, ${name}`, `${((1000 * frames.length) / whole).toFixed(0)}/s, p99 ${quantile(frames, 0.99).toFixed(0)} ms, ${((100 * frames.filter((one) => one > 20.5).length) / frames.length).toFixed(1)} % over 20 ms`);
  }
  await context.close();
});

it('an event reaches an open page', async () => {
  const id = await world.create('The one that is watched', greeting);
  const others = await Promise.all(Array.from({ length: 10 }, (_, n) => world.create(`Busy ${n}`, "async function main() {\n  for (let i = 0; i < 45; i++) await kv.get('k');\n  return {};\n}\n")));
  const head = async () => Number((await world.api<{ head: string }>('GET', '/system')).head);
  const { page, context } = await world.visitor();
  await page.goto(`${world.base}/?q=watched`);
  await page.locator(`[data-workflow="${id}"]`).waitFor();
  await page.evaluate((id) => {
    const shown: Record<string, number> = {};
    Object.assign(window, { shown });
    new MutationObserver(() => (shown[document.querySelector(`[data-workflow="${id}"] a`)?.textContent ?? ''] ??= Date.now())).observe(document.body, { subtree: true, childList: true, characterData: true });
  }, id);
  for (const rate of [0, 500]) {
    let going = true;
    const [before, began] = [await head(), Date.now()];
    const busy = (async () => {
      for (let i = 0; going && rate > 0; i++) {
        await new Promise((next) => setTimeout(next, began + (i * 50_000) / rate - Date.now()));
        // One that is still at work is refused: on a slow machine there are fewer events, and the line below says how many.
        await world.api('POST', `/workflows/${others[i % others.length]}/runs`, {}).catch(() => {});
      }
    })();
    const times: number[] = [];
    for (let i = 0; i < 100; i++) {
      await new Promise((next) => setTimeout(next, 50 + 100 * Math.random()));
      const title = `watched ${rate} no. ${i}.`;
      await world.api('PATCH', `/workflows/${id}`, { title });
      const appended = Date.now();
      const shown = await page.waitForFunction((title) => (window as never as { shown: Record<string, number> }).shown[title], title, { timeout: 60_000 });
      times.push(Math.max((await shown.jsonValue())! - appended, 0));
    }
    const events = ((await head()) - before) / ((Date.now() - began) / 1000);
    going = false;
    await busy;
    say(`from a change to the open page, with ${events.toFixed(0)} events a second`, ms(times));
  }
  await context.close();
});

it('a run with 5,000 calls and a script of 5,000 lines', async () => {
  const lines = Array.from({ length: 5000 }, (_, i) => `// line ${i}: ${'x'.repeat(i % 60)}`).join('\n');
  const id = await world.create('Very long', `async function main() {\n  for (let i = 0; i < 5000; i++) await kv.get('k' + i);\n  return {};\n}\n${lines}\n`);
  const run = await world.runs(id, {}, ['succeeded', 'failed']);
  const { page, context } = await world.visitor();
  for (const [what, path, ready] of [
    ['a run with 5,000 calls', `/runs/${run}`, '[data-index]'],
    ['a script of 5,000 lines', `/workflows/${id}/script`, '.cm-line'],
  ] as const) {
    const begun = Date.now();
    await page.goto(world.base + path);
    await page.locator(ready).first().waitFor();
    const there = Date.now() - begun;
    const frames = await page.evaluate(async () => {
      const times: number[] = [];
      for (let i = 0; i < 120; i++) {
        (document.querySelector('.cm-scroller') ?? document.documentElement).scrollBy(0, 100);
        scrollBy(0, 100);
        times.push(await new Promise<number>((next) => requestAnimationFrame(next)));
      }
      return times.slice(1).map((now, i) => now - times[i]!);
    });
    say(what, `there after ${there} ms, ${(1000 / (frames.reduce((a, b) => a + b, 0) / frames.length)).toFixed(0)} frames a second while scrolling`);
  }
  await context.close();
});
