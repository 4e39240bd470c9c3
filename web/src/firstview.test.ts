import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const most = 120_000; // bytes, compressed as the server does it: two thirds of them are React's

it('loads no more script for the first view than a slow line brings in a few seconds, and nothing of the editor or of long lists', () => {
  const page = readFileSync('dist/index.html', 'utf8');
  const scripts = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map((found) => found[1]!);
  expect(scripts.length).toBeGreaterThan(0);
  const sizes = scripts.map((script) => [gzipSync(readFileSync(`dist/${script}`), { level: 6 }).length, script] as const).toSorted(([a], [b]) => b - a);
  expect(sizes.reduce((sum, [size]) => sum + size, 0), sizes.map(([size, script]) => `${size} ${script}`).join('\n')).toBeLessThanOrEqual(most);
  expect(scripts.filter((script) => /codemirror|manyrows|editor/.test(script))).toEqual([]);
});
