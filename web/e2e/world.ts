// A real server with the three stories of the demo, and a real browser.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

const binary = process.env['KINTSUGI_BINARY'] ?? '../bin/kintsugi';
const run = promisify(execFile);
export const patience = 60_000; // ms that a test waits for something that takes a moment

/** The script of the tour: it breaks on an input without a name, and its fix waits for a person. */
export const greeting = `async function main(input) {
  const n = ((await kv.get('runs')) || 0) + 1;
  await kv.set('runs', n);
  return { hello: input.name.trim(), runs: n };
}
`;

export class World {
  dir = mkdtempSync(join(tmpdir(), 'kintsugi-web-'));
  base = '';
  token = '';
  browser!: Browser;
  problems: string[] = []; // that browsers reported: refused by the policy, thrown and not caught
  private port = 0;
  private flags: string[] = [];
  private server?: ChildProcess;

  /** Begins with the stories of the demo, or with nothing and flags of its own for the server, or with as many made-up workflows. */
  async begin(flags?: string[], workflows = 0) {
    this.flags = flags ?? [];
    if (workflows > 0 && process.env['KINTSUGI_MUCH']) {
      this.dir = process.env['KINTSUGI_MUCH']; // made before with the command below, and kept
      this.token = process.env['KINTSUGI_MUCH_TOKEN'] ?? '';
    } else if (workflows > 0) {
      this.dir = join(this.dir, 'much');
      await run('go', ['run', './cmd/internal/sampledata', '-by-hand', '-data-dir', this.dir, '-workflows', String(workflows), '-events', String(workflows * 12)], { cwd: '..' });
    } else if (!flags) await this.cli('demo');
    this.port = await freePort();
    this.base = `http://127.0.0.1:${this.port}`;
    await this.start(workflows > 0 ? 60 * patience : patience); // with much in it, lists are made first
    this.browser = await chromium.launch({
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
  }

  async end() {
    await this.browser?.close();
    await this.stop();
    if (this.dir !== process.env['KINTSUGI_MUCH']) rmSync(this.dir.replace(/\/much$/, ''), { recursive: true, force: true });
  }

  /** Starts the server, and waits until it answers. */
  async start(longest = patience) {
    const server = spawn(binary, ['dev', '--data-dir', this.dir, '--listen', `127.0.0.1:${this.port}`, '--quiet', ...this.flags], { stdio: ['ignore', 'pipe', 'pipe'] });
    this.server = server;
    let said = '';
    const heard = (chunk: Buffer) => {
      said += chunk.toString();
      this.token ||= /#token=(\S+)/.exec(said)?.[1] ?? '';
    };
    server.stdout.on('data', heard);
    server.stderr.on('data', heard);
    await until(async () => {
      if (server.exitCode !== null) throw new Error(`the server ended: ${said}`);
      return this.token !== '' && (await fetch(`${this.base}/readyz`).then((answer) => answer.ok, () => false));
    }, longest);
  }

  /** Kills the server, as a loss of power would. */
  async stop() {
    const server = this.server;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  }

  async cli(...args: string[]): Promise<string> {
    return (await run(binary, [...args, '--data-dir', this.dir])).stdout;
  }

  async api<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${this.base}/api/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  async create(title: string, script: string, more: object = {}): Promise<string> {
    const made = await this.api<{ workflow?: string; id?: string }>('POST', '/workflows', { title, script, ...more });
    const list = await this.api<{ items: { id: string; title: string }[] }>('GET', '/workflows?limit=500');
    return made.id ?? list.items.find((one) => one.title === title)!.id;
  }

  /** Runs a workflow, and waits for what becomes of it: what breaks is repaired as if it had started by itself, unless told otherwise. */
  async runs(workflow: string, input: unknown, statuses = ['succeeded', 'failed', 'asking'], repair = true): Promise<string> {
    const { id } = await this.api<{ id: string }>('POST', `/workflows/${workflow}/runs`, { input, repair });
    await until(async () => statuses.includes((await this.api<{ status: string }>('GET', `/runs/${id}`)).status));
    return id;
  }

  /** A workflow with a fix that waits for its person; the fix. */
  async held(title: string, script = greeting): Promise<{ workflow: string; fix: string }> {
    const workflow = await this.create(title, script);
    await this.runs(workflow, { name: 'Ada' });
    await this.runs(workflow, { name: ' Grace ' });
    await this.runs(workflow, { name: null });
    let fix = '';
    await until(async () => {
      fix = (await this.api<{ held_fix?: string }>('GET', `/workflows/${workflow}`)).held_fix ?? '';
      return fix !== '';
    });
    return { workflow, fix };
  }

  /** A browser of somebody who has signed in with the link. */
  async visitor(token = this.token, options: Parameters<Browser['newContext']>[0] = {}): Promise<{ page: Page; context: BrowserContext }> {
    const context = await this.browser.newContext({ viewport: { width: 1200, height: 900 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    page.on('console', (message) => {
      if (message.type() === 'error' && !/Failed to load resource|ERR_/.test(message.text())) this.problems.push(message.text());
    });
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('dialog', (dialog) => {
      this.problems.push(`a dialog opened: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(`${this.base}/#token=${token}`);
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor();
    return { page, context };
  }

  /** The id of the workflow with this title. */
  async id(title: string): Promise<string> {
    return (await this.api<{ items: { id: string; title: string }[] }>('GET', '/workflows')).items.find((one) => one.title === title)!.id;
  }

  /** The newest fix of the workflow with this title. */
  async fixOf(title: string): Promise<string> {
    return (await this.api<{ items: { proposal: string }[] }>('GET', `/fixes?workflow=${await this.id(title)}`)).items[0]!.proposal;
  }

  /** Goes to a page, and waits until everything on it has been answered. */
  async open(page: Page, path: string) {
    await page.goto(this.base + path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-label^="Loading"]') === null);
  }
}

const shots = process.env['KINTSUGI_SHOTS'];

/** A picture for the documentation, if pictures are to be made. */
export async function shot(page: Page, name: string) {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png`, caret: 'initial' });
}

export async function until(is: () => Promise<boolean>, longest = patience) {
  for (const end = Date.now() + longest; !(await is()); ) {
    if (Date.now() > end) throw new Error('it did not come to that in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
