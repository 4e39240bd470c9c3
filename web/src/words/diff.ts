// A unified diff, read for showing: what the server computed is never computed again here.

export type Line = { kind: 'same' | 'add' | 'del' | 'gap'; before?: number; after?: number; text: string };

export function readUnified(diff: string): Line[] {
  const lines: Line[] = [];
  let before = 0;
  let after = 0;
  let inside = false;
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(text);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      if (inside) lines.push({ kind: 'gap', text: (hunk[3] ?? '').trim() });
      inside = true;
    } else if (!inside || text.startsWith('\\')) continue;
    else if (text.startsWith('+')) lines.push({ kind: 'add', after: after++, text: text.slice(1) });
    else if (text.startsWith('-')) lines.push({ kind: 'del', before: before++, text: text.slice(1) });
    else lines.push({ kind: 'same', before: before++, after: after++, text: text.slice(1) });
  }
  return lines;
}

/** The two sides of a diff, what was removed beside what came for it. */
export function sideBySide(lines: Line[]): [Line | undefined, Line | undefined][] {
  const rows: [Line | undefined, Line | undefined][] = [];
  for (let i = 0; i < lines.length; ) {
    if (lines[i]!.kind !== 'del' && lines[i]!.kind !== 'add') {
      rows.push([lines[i], lines[i]]);
      i++;
      continue;
    }
    const removed: Line[] = [];
    const added: Line[] = [];
    while (lines[i]?.kind === 'del') removed.push(lines[i++]!);
    while (lines[i]?.kind === 'add') added.push(lines[i++]!);
    for (let j = 0; j < Math.max(removed.length, added.length); j++) rows.push([removed[j], added[j]]);
  }
  return rows;
}

/** Where two lines differ: what they begin and end with alike is left out. */
export function middle(a: string, b: string): { start: number; endA: number; endB: number } {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, endA: a.length - end, endB: b.length - end };
}

/** "3 lines added, 1 removed". */
export function inWords(lines: Line[]): string {
  const added = lines.filter((line) => line.kind === 'add').length;
  const removed = lines.filter((line) => line.kind === 'del').length;
  if (added === 0 && removed === 0) return 'the same code';
  if (added === removed) return added === 1 ? 'one line changes' : `${added} lines change`;
  const say = (n: number, what: string) => (n === 0 ? '' : `${n} ${n === 1 ? 'line' : 'lines'} ${what}`);
  return [say(added, 'added'), say(removed, 'removed')].filter(Boolean).join(', ');
}
