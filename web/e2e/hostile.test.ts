// The words of scripts, models and other servers are text, wherever it is shown: nothing of it runs, nothing turns the page around,
// and nothing of it is too long. The browser reports what its policy refuses, and that is nothing.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveModel } from './model';
import { patience, until, World } from './world';

const evil = '<img src=x onerror=alert(1)><script>alert(2)</script> [a](javascript:alert(3)) \u202Egnp.exe \u2066x \u001b[31mred\u0007 </pre></textarea>';
const text = JSON.stringify(evil);

describe('hostile content', () => {
  const world = new World();
  const paths: string[] = [];
  const cleanups: (() => void)[] = [];

  beforeAll(async () => {
    const model = await serveModel([
      { tool: 'ask', args: { question: evil, options: [evil, 'javascript:alert(5)'] } },
      { text: evil },
      ...Array.from({ length: 20 }, () => ({ text: evil })),
    ]);
    const shop = createServer((_, answer) => answer.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ [evil]: evil, long: 'y'.repeat(500_000) })));
    await new Promise<void>((ready) => shop.listen(0, '127.0.0.1', ready));
    cleanups.push(() => model.server.close(), () => shop.close());
    const host = `127.0.0.1:${(shop.address() as AddressInfo).port}`;
    await world.begin(['--model', 'scripted', '--llm-base-url', model.url]);

    const workflow = await world.create(evil, `// ${evil}
async function main(input) {
  console.log(${text});
  console.error('x'.repeat(60000) + ${text});
  await notify(${text}, ${text});
  await kv.set(${text}, ${text} + 'y'.repeat(200000));
  const got = await web.getJSON('http://${host}/' + encodeURIComponent(${text}));
  if (input.bad) throw new Error(${text} + got[${text}]);
  return { [${text}]: ${text}, long: 'z'.repeat(300000) };
}`, { intent: evil, allowed_hosts: [host] });
    const good = await world.runs(workflow, { [evil]: evil });
    // A line as long as a script may be, and a change that is all of it.
    await world.api('POST', `/workflows/${workflow}/versions`, { code: `async function main(input) {\n  // ${evil}\n  const long = '${'m'.repeat(250_000)}';\n  if (input.bad) throw new Error(${text});\n  return long.length;\n}\n`, comment: evil });
    const bad = await world.runs(workflow, { bad: evil });
    const plan = await world.api<{ workflow: string }>('POST', '/plans', { wish: evil });
    await until(async () => JSON.stringify(await world.api('GET', '/inbox?all=true')).includes('waiting') || JSON.stringify(await world.api('GET', '/notifications')).includes('question'));
    const script = `async function main(input) {\n  // ${evil}\n  const n = ((await kv.get('runs')) || 0) + 1;\n  await kv.set('runs', n);\n  return { ${text}: input.name.trim() };\n}\n`;
    const { workflow: broken, fix } = await world.held(`${evil} held`, script);
    paths.push(
      '/', '/notifications', '/inbox?state=all', '/drafts', '/usage', '/events', `/events?stream=workflow-${workflow}&at=1`, '/runs', `/runs/${good}`, `/runs/${bad}`,
      ...['', '/runs', '/script', '/script?from=1.0&to=2.0', '/settings', '/history', '/fixes', '/chat'].map((part) => `/workflows/${workflow}${part}`),
      `/workflows/${plan.workflow}/chat`, `/workflows/${broken}`, `/fixes/${fix}`, '/fixes',
    );
  }, 6 * patience);
  afterAll(async () => {
    await world.end();
    cleanups.forEach((clean) => clean());
  }, patience);

  it('is text on every page, and every page stays alive', async () => {
    const { page, context } = await world.visitor();
    await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`the policy refused ${event.blockedURI} ${event.violatedDirective}`)));
    for (const path of paths) {
      await world.open(page, path);
      if (!['/usage', '/drafts', '/fixes', '/events'].includes(path)) await page.getByText('<img src=x onerror=alert(1)>').filter({ visible: true }).first().waitFor();
      expect(await page.locator('img[src="x"], a[href^="javascript:"], #content script').count(), path).toBe(0);
      // Nothing turns the reading direction around, and nothing moves a cursor, but in a field, where it is what would be saved.
      const left = await page.locator('#content').evaluate((content) => {
        const walk = document.createTreeWalker(content, NodeFilter.SHOW_TEXT, (node) => (node.parentElement?.closest('.cm-editor, textarea, script') ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT));
        const found: string[] = [];
        while (walk.nextNode()) if (/[\u202a-\u202e\u2066-\u2069\u0007\u001b]/.test(walk.currentNode.textContent ?? '')) found.push((walk.currentNode.textContent ?? '').slice(0, 80));
        return found;
      });
      expect(left, path).toEqual([]);
      // It is alive: a press is answered.
      await page.getByRole('button', { name: 'you, and how the page looks' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
    }
    await context.close();
  }, 6 * patience);

  it('makes no page wider than a small telephone', async () => {
    const { page, context } = await world.visitor(world.token, { viewport: { width: 360, height: 740 } });
    for (const path of paths) {
      await world.open(page, path);
      const wide = await page.evaluate(() => (document.documentElement.scrollWidth <= 360 ? [] : [...document.querySelectorAll('#content *')].filter((one) => one.getBoundingClientRect().right > 361).slice(0, 6).map((one) => one.outerHTML.slice(0, 200))));
      expect(wide, path).toEqual([]);
    }
    await context.close();
  }, 6 * patience);

  it('no browser reported anything', () => expect(world.problems).toEqual([]));
});
