//// export default function | default
export default async function (input) { return [typeof this, 1]; }
//// export default arrow | default
export default async () => { const a = await Promise.resolve(2); return a; }
//// export default by name
async function main() { return helper(4); }
export const helper = (n) => n * 2;
export { main as default };
//// export default of another name | default
const twice = (n) => n * 2;
export default function run() { return twice(later()); }
function later() { return 21; }
//// exported main
export const unit = 'eur';
export async function main(input) { return unit; }
//// strict mode of modules | default
export default () => { try { leaked = 1; return 'sloppy'; } catch (e) { return e.name; } }
//// top level await before main
const limits = await Promise.resolve({ max: 3 });
const more = await Promise.all([1, 2].map(async (n) => n + limits.max));
export async function main() { return more; }
//// class as default's helper | default
class Report { static #made = 0; lines = []; add(l) { this.lines.push(l); Report.#made++; return this; } get made() { return Report.#made; } }
export default () => { const r = new Report().add('a').add('b'); return { lines: r.lines, made: r.made }; };
//// export let and var
export let a = 1, b = [2];
export var c;
export class K { n = a; }
export function main() { a++; c = b[0]; return [a, c, new K().n]; }
//// modules at run and import.meta
async function main() {
  const { createHash } = await import('node:crypto');
  const { default: os, EOL } = await import('os');
  const path = (await import('path')).default;
  const { fileURLToPath } = await import('node:url');
  return [createHash('md5').update('x').digest('hex'), os.EOL === EOL, path.join('a', 'b'), typeof import.meta.url, import.meta.url.startsWith('file:///'), typeof fileURLToPath(import.meta.url), import.meta.main === undefined];
}
//// all of a module has its default
import * as path from 'node:path';
import * as crypto from 'node:crypto';
async function main() { return [path.default === path || path.default.join('a', 'b') === 'a/b', crypto.default.createHash('sha1').update('').digest('hex')]; }
