// What changed between two answers of the world: which paths are gone, which are new, and which have another type.
import type { Json } from '../api/types';

export type Change = { path: string; kind: 'gone' | 'new' | 'type' | 'value'; before?: Json; after?: Json; moved?: string };

type Seen = { type: string; sample: Json; count: number };

/** Paths and types of a value. Elements of an array share one path: [] stands for all of them. */
function shapeOf(value: Json, path: string, into: Map<string, Seen>, budget: { left: number }) {
  if (budget.left-- <= 0) return;
  const type = typeOf(value);
  const known = into.get(path);
  if (!known) into.set(path, { type, sample: value, count: 1 });
  else {
    known.count++;
    if (known.type !== type && !known.type.split('|').includes(type)) known.type += `|${type}`;
  }
  if (Array.isArray(value)) value.forEach((one) => shapeOf(one, `${path}[]`, into, budget));
  else if (value !== null && typeof value === 'object') {
    for (const [name, one] of Object.entries(value)) shapeOf(one, path === '' ? name : `${path}.${name}`, into, budget);
  }
}

export function typeOf(value: Json): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'list';
  return { string: 'text', number: 'number', boolean: 'yes or no', object: 'group' }[typeof value as 'string'] ?? 'text';
}

const looked = 20_000; // values of an answer; what comes later has the same paths

export function shapeChanges(before: Json, after: Json): Change[] {
  const old = new Map<string, Seen>();
  const now = new Map<string, Seen>();
  shapeOf(before, '', old, { left: looked });
  shapeOf(after, '', now, { left: looked });
  const changes: Change[] = [];
  const inside = (path: string, of: Change['kind']) =>
    changes.some((change) => change.kind === of && (path.startsWith(`${change.path}.`) || path.startsWith(`${change.path}[]`)));
  for (const [path, seen] of old) {
    const same = now.get(path);
    if (!same) {
      // An empty list says nothing of its elements.
      if (!inside(path, 'gone') && !emptied(path, now)) changes.push({ path, kind: 'gone', before: seen.sample });
    } else if (same.type !== seen.type && !seen.type.split('|').includes(same.type)) {
      changes.push({ path, kind: 'type', before: seen.sample, after: same.sample });
    }
  }
  for (const [path, seen] of now) {
    if (!old.has(path) && !inside(path, 'new') && !emptied(path, old)) changes.push({ path, kind: 'new', after: seen.sample });
  }
  return pairMoves(changes);
}

function emptied(path: string, other: Map<string, Seen>): boolean {
  const parts = path.split('[]');
  return parts.slice(1).some((_, i) => {
    const of = parts.slice(0, i + 1).join('[]');
    return other.has(of) && !other.has(`${of}[]`);
  });
}

// A path that is gone and one that is new, in the same place and of the same type, are told together: it looks renamed.
function pairMoves(changes: Change[]): Change[] {
  const parent = (path: string) => path.slice(0, Math.max(path.lastIndexOf('.'), 0));
  for (const gone of changes.filter((change) => change.kind === 'gone')) {
    const candidates = changes.filter(
      (change) => change.kind === 'new' && !change.moved && parent(change.path) === parent(gone.path) && typeOf(change.after ?? null) === typeOf(gone.before ?? null),
    );
    if (candidates.length === 1) {
      gone.moved = candidates[0]!.path;
      candidates[0]!.moved = gone.path;
    }
  }
  return changes;
}

/** One sentence for a change. */
export function changeInWords(change: Change): string {
  const name = change.path === '' ? 'the answer' : change.path;
  switch (change.kind) {
    case 'gone':
      return change.moved ? `${name} is gone; ${change.moved} is new in its place` : `${name} is gone`;
    case 'new':
      return `${name} is new`;
    case 'type':
      return `${name} was ${article(typeOf(change.before ?? null))} and is ${article(typeOf(change.after ?? null))}`;
    case 'value':
      return `${name} is another one`;
  }
}

const article = (type: string) => (type === 'nothing' || type === 'yes or no' ? type : `a ${type}`);

/** The changes that are told: what is new in the place of another is told with that one. */
export const toldChanges = (changes: Change[]) => changes.filter((change) => !(change.kind === 'new' && change.moved));
