// People sign in with the account of their organisation, at a real provider of OpenID Connect that is down when the server starts.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort, patience, World } from './world';

const world = new World();
let provider: ChildProcess;
let port = 0;
beforeAll(async () => {
  port = await freePort();
  process.env['KINTSUGI_OIDC_CLIENT_SECRET'] = 'a-secret-of-the-tests';
  await world.begin(['--oidc-issuer', `http://127.0.0.1:${port}`, '--oidc-client-id', 'kintsugi', '--oidc-grant', 'admins=admin', '--oidc-grant', 'staff=read,run,edit@staff-ann@example.com']);
}, 3 * patience);
afterAll(async () => {
  provider?.kill();
  await world.end();
}, patience);

const startProvider = () =>
  new Promise<void>((resolve, reject) => {
    provider = spawn('node', ['e2e/provider.mjs', String(port), `${world.base}/signin/callback`], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const heard = (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes('listening')) resolve();
    };
    provider.stdout!.on('data', heard);
    provider.stderr!.on('data', heard);
    provider.once('exit', () => reject(new Error(said)));
  });

const newPage = async (): Promise<Page> => {
  const page = await (await world.browser.newContext({ viewport: { width: 1200, height: 900 } })).newPage();
  page.setDefaultTimeout(patience);
  return page;
};

const signInAs = async (page: Page, name: string, at = '/') => {
  await page.goto(world.base + at);
  await page.getByRole('link', { name: `Sign in at 127.0.0.1:${port}` }).click();
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
};

describe('the account of an organisation', () => {
  it('says that the provider cannot be asked, and lets in as soon as it can', async () => {
    const page = await newPage();
    await page.goto(world.base);
    await page.getByRole('link', { name: `Sign in at 127.0.0.1:${port}` }).click();
    await page.getByText('cannot be asked').waitFor();
    await page.getByRole('link', { name: 'Back to signing in' }).click();
    await page.getByLabel('Token').waitFor();
    await startProvider();
    await expect.poll(async () => (await fetch(`${world.base}/signin`, { redirect: 'manual' })).status, { timeout: patience }).toBe(303);
    await page.context().close();
  });

  it('leads to the page that was asked for, signs what is done, and ends', async () => {
    const page = await newPage();
    await signInAs(page, 'admins-root', '/system');
    await page.getByRole('heading', { level: 1, name: 'System' }).waitFor();
    expect(page.url()).toBe(`${world.base}/system`);
    const sessions = page.getByRole('list', { name: 'Sessions' });
    await sessions.getByRole('listitem').filter({ hasText: 'admins-root@example.com' }).filter({ hasText: 'this browser' }).waitFor();
    const history = JSON.stringify(await world.api('GET', '/streams/admin?limit=500'));
    expect(history).toContain('person:admins-root@example.com');
    expect(history).not.toContain('a-secret-of-the-tests');

    const other = await newPage();
    await signInAs(other, 'staff-ann');
    await other.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    const made = await other.evaluate(async () => {
      const answer = await fetch('/api/v1/workflows', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ title: 'Orders of staff' }) });
      return { status: answer.status, body: (await answer.json()) as { id: string; owner: string } };
    });
    expect(made.status).toBe(201);
    expect(await world.cli('history', made.body.id)).toContain('person:staff-ann@example.com');
    expect(await other.evaluate(async () => (await fetch('/api/v1/tokens')).status)).toBe(403);
    expect(await other.evaluate(() => document.cookie), 'no script reads the session').toBe('');

    await page.reload();
    await sessions.getByRole('listitem').filter({ hasText: 'staff-ann@example.com' }).getByRole('button', { name: 'End this session…' }).click();
    await page.getByRole('button', { name: 'End this session', exact: true }).click();
    await page.getByRole('status').getByText('The session is ended.').waitFor();
    await other.reload();
    await other.getByRole('heading', { level: 1, name: 'Sign in to Kintsugi' }).waitFor();

    await page.getByText('admins-root@example.com').first().click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: 'Sign in to Kintsugi' }).waitFor();
    expect(await page.evaluate(async () => (await fetch('/api/v1/session')).status)).toBe(401);
    await page.context().close();
    await other.context().close();
  });

  it('of a group that may do nothing here lets nobody in', async () => {
    const page = await newPage();
    await signInAs(page, 'guests-eve');
    await page.getByText('you are guests-eve@example.com, and none of your groups may do anything here').waitFor();
    await page.getByRole('link', { name: 'Back to signing in' }).click();
    await page.getByLabel('Token').waitFor();
    expect(await page.evaluate(async () => (await fetch('/api/v1/session')).status)).toBe(401);
    await page.context().close();
  });
});
