// Two states of a workflow side by side: a row for each thing, settings and what it keeps one by one.
import type { Json, Snapshot } from '../api/types';

export type Compared = { name: string; then: Json | undefined; now: Json | undefined; same: boolean };

const left = new Set(['sha256']); // the comment and the change of the script say it in words

export function comparedStates(then: Partial<Snapshot>, now: Partial<Snapshot>): Compared[] {
  const a = flat(then);
  const b = flat(now);
  const names = [...new Set([...a.keys(), ...b.keys()])];
  const rows = names.map((name) => ({ name, then: a.get(name), now: b.get(name), same: JSON.stringify(a.get(name)) === JSON.stringify(b.get(name)) }));
  // Settings and kept values show only changes; there may be very many.
  return rows.filter((row) => !row.same || !/^(setting|key|file) /.test(row.name));
}

function flat(state: Partial<Snapshot>): Map<string, Json> {
  const all = new Map<string, Json>();
  for (const [name, value] of Object.entries(state)) {
    if (left.has(name) || (Array.isArray(value) && value.length === 0)) continue;
    if (name === 'settings') for (const [one, set] of Object.entries((value ?? {}) as object)) all.set(`setting ${one}`, set as Json);
    else if (name === 'local') {
      const { kv, files } = (value ?? {}) as Snapshot['local'];
      for (const [key, kept] of Object.entries(kv ?? {})) all.set(`key ${key}`, kept);
      for (const [file, { text }] of Object.entries(files ?? {})) all.set(`file ${file}`, text);
    } else all.set(name, value as Json);
  }
  return all;
}
