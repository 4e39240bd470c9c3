// Coding agents for tests: shell scripts that work through a plan in a real git repository, and stray on purpose.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, type World } from './world';

export type Plan = {
  id: string;
  status: string;
  jobs: { id: string; status: string; attempt: number; worktree?: string; commit?: string; checkpoint?: { checkpoint: number; kind: string } }[];
};

/** A name that would run, turn the page around, and break out of where it stands, if it were anything but text. */
export const evilName = '<img src=x onerror=alert(1)> \u202Egnp.txt';

export class Agents {
  dir = mkdtempSync(join(tmpdir(), 'kintsugi-agents-'));
  repo = join(this.dir, 'shop');
  plan = '';

  /** Hostile content is for tests, and not for pictures. */
  constructor(private world: World, private hostile = false) {}

  end() {
    rmSync(this.dir, { recursive: true, force: true });
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.repo, '-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false', ...args], { encoding: 'utf8' });
  }

  /** A shop whose prices, pages and documents are worked on. Each of the first three jobs stops for another answer. */
  async begin() {
    mkdirSync(join(this.repo, 'src', 'prices'), { recursive: true });
    execFileSync('git', ['init', '-q', '-b', 'main', this.repo]);
    writeFileSync(join(this.repo, 'README.md'), '# Shop\n\nPrices are in euros.\n');
    writeFileSync(join(this.repo, 'src', 'prices', 'round.js'), 'export const round = (price) => price;\n');
    writeFileSync(join(this.repo, 'src', 'tax.js'), 'export const tax = 0.19;\n');
    this.git('add', '-A');
    this.git('commit', '-qm', 'A shop');
    const script = (name: string, text: string) => {
      writeFileSync(join(this.dir, name), `#!/bin/sh\nset -e\n${text}\n`, { mode: 0o755 });
      return join(this.dir, name);
    };
    const prices = script('prices', `
[ "$KINTSUGI_JOB" = prices ] || exec sleep 600
echo 'I round the prices to cents.'
printf 'export const round = (price) => Math.round(price * 100) / 100;\\n' > src/prices/round.js
echo 'While I am here, I tidy the README.'
printf '# Shop\\n\\nPrices are in euros, to the cent.\\n' > README.md`);
    const pages = script('pages', `
mkdir -p src/pages
echo 'export const list = [];' > src/pages/list.js
if [ "$KINTSUGI_ATTEMPT" = 1 ]; then
  printf '\\033[31mI change the tax, too.\\033[0m ${this.hostile ? evilName : ''}\\n'
  echo 'export const tax = 0.07;' > src/tax.js
  ${this.hostile ? '' : '# '}echo evil > "$(printf '%b' '${[...Buffer.from(evilName)].map((byte) => `\\0${byte.toString(8)}`).join('')}')"
  printf '\\000\\001\\002' > logo.bin
else
  echo 'I put back what was not mine to change.'
  git checkout -q HEAD~1 -- src/tax.js 2>/dev/null || git checkout -q ${'$'}(git merge-base HEAD main) -- src/tax.js
  rm -f logo.bin *.txt
fi`);
    const docs = script('docs', `mkdir -p docs; echo 'Pricse are rounded.' > docs/prices.md; echo 'The page on prices is written.'`);
    const cart = script('cart', `mkdir -p src/cart; for i in 1 2 3; do echo "step $i of 3"; done; echo 'export const cart = [];' > src/cart/cart.js`);
    const file = join(this.dir, 'plan.yaml');
    writeFileSync(file, `title: Round all prices
repository: ${this.repo}
base: main
integration: agents/shop
verify: [test -f README.md]
jobs:
  - {id: prices, task: "Round all prices to cents, and say so in the tests.", agent: ${prices}, touch: ["src/prices/**", "!src/prices/tax.js"], may_create: ["notes/*.md"], verify: [grep -q round src/prices/round.js]}
  - {id: pages, task: Show the rounded prices., agent: ${pages}, touch: ["src/pages/**"]}
  - {id: docs, task: Describe how prices are rounded., agent: ${docs}, touch: ["docs/**"], verify: [grep -q Prices docs/prices.md]}
  - {id: cart, task: Have the cart round, agent: ${cart}, touch: ["src/cart/**"], needs: [prices, pages]}
`);
    const started = JSON.parse(await this.world.cli('repo', 'plan', 'start', file, '-o', 'json')) as Plan;
    this.plan = started.id;
    await this.becomes('held');
  }

  look(): Promise<Plan> {
    return this.world.api<Plan>('GET', `/repo-plans/${this.plan}`);
  }

  async job(id: string) {
    return (await this.look()).jobs.find((one) => one.id === id)!;
  }

  async becomes(status: string) {
    await until(async () => (await this.look()).status === status, 60_000);
  }

  /** A session in which a check failed for good, healed as far as that goes; linked to nothing. */
  async heal(session = 'night-1') {
    writeFileSync(join(this.repo, 'src', 'prices', 'round.js'), 'export const round = (price) => {\n');
    const check = this.hostile ? 'printf "\\033[31msrc/prices/round.js:1: unexpected end\\033[0m <script>alert(1)</script>"; false' : "grep -q 'Math.round' src/prices/round.js || { echo 'src/prices/round.js:1: prices are not rounded'; exit 1; }";
    await this.world.cli('healer', 'invoke', this.repo, '--session', session, '--subtask', 'prices', '--check', check).catch((error: { code?: number }) => {
      if (error.code !== 11) throw error; // it is contained
    });
  }
}
