// A value as lines of JSON, each with the path that it is of, so that what changed can be marked and found.
import type { Json } from '../api/types';

export type JsonLine = { path: string; text: string };

const most = 20_000; // lines; nobody reads further

export function jsonLines(value: Json): JsonLine[] {
  const lines: JsonLine[] = [];
  write(value, '', '', '', '', lines);
  return lines;
}

function write(value: Json, path: string, indent: string, name: string, tail: string, into: JsonLine[]) {
  if (into.length >= most) return;
  const open = (mark: string) => into.push({ path, text: `${indent}${name}${mark}` });
  if (Array.isArray(value) && value.length > 0) {
    open('[');
    value.forEach((one, i) => write(one, `${path}[]`, `${indent}  `, '', i < value.length - 1 ? ',' : '', into));
    into.push({ path: '\0', text: `${indent}]${tail}` });
  } else if (value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length > 0) {
    open('{');
    const entries = Object.entries(value);
    entries.forEach(([key, one], i) =>
      write(one, path === '' ? key : `${path}.${key}`, `${indent}  `, `${JSON.stringify(key)}: `, i < entries.length - 1 ? ',' : '', into),
    );
    into.push({ path: '\0', text: `${indent}}${tail}` });
  } else open(`${JSON.stringify(value)}${tail}`);
}

export type Shown = (JsonLine & { number: number; marked: boolean }) | 'gap';

/** Lines around those that are marked: the first few of them, with what stands next to them. */
export function excerpt(lines: JsonLine[], marked: (path: string) => boolean, around = 3, places = 3): Shown[] {
  const near = new Set<number>();
  let found = 0;
  lines.forEach((line, i) => {
    if (!marked(line.path) || found >= places) return;
    if (!near.has(i)) found++;
    for (let j = Math.max(0, i - around); j <= Math.min(lines.length - 1, i + around); j++) near.add(j);
  });
  if (found === 0) for (let i = 0; i < Math.min(lines.length, 12); i++) near.add(i);
  const shown: Shown[] = [];
  let last = -1;
  for (const i of [...near].sort((a, b) => a - b)) {
    if (i > last + 1) shown.push('gap');
    shown.push({ ...lines[i]!, number: i + 1, marked: marked(lines[i]!.path) });
    last = i;
  }
  if (last < lines.length - 1) shown.push('gap');
  return shown;
}
