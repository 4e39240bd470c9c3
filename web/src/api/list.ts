// Lists of any length: pages are asked for as somebody scrolls to them, and only those in view are asked for again when
// something happened. The others are as they were when they were seen, until they are in view once more.
import { type QueryClient, queryOptions, useQueries, useQueryClient } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';

export type Page<T> = { items: T[]; next?: string };

/** A list and its subject: its key names the subject (see live.ts), and the row before a page asks for the page. */
export type List<T> = { key: readonly unknown[]; id: (one: T) => string; ask: (after: string, signal: AbortSignal) => Promise<Page<T>> };

export type Listed<T> = {
  rows: T[];
  pending: boolean;
  error: Error | null;
  whole: boolean; // nothing comes after the last row
  look: (first: number, last: number) => void; // says which rows are in view
};

const ahead = 40; // rows before the end at which the next page is asked for

export const pageOf = <T,>(list: List<T>, after = '') => queryOptions({ queryKey: [...list.key, after], queryFn: ({ signal }) => list.ask(after, signal) });

type Held<T> = { name: string; pages: Page<T>[]; rows: Rows<T> };

export function useList<T>(list: List<T>): Listed<T> {
  const client = useQueryClient();
  const name = JSON.stringify(list.key);
  const kept = useRef<Held<T>>({ name: '', pages: [], rows: nothing as Rows<T> });
  const held = kept.current;
  const [inView, view] = useState({ name, first: 0, last: 0 }); // pages
  if (held.name !== name) Object.assign(held, { name, pages: cached(client, list) }); // its rows are shown until the first page is here

  const { first, last } = inView.name === name ? inView : { first: 0, last: 0 };
  const asked: number[] = [];
  for (let i = first; i <= last && (i === 0 || held.pages[i - 1]?.next !== undefined); i++) asked.push(i);
  const answers = useQueries({ queries: asked.map((i) => pageOf(list, i === 0 ? '' : held.pages[i - 1]!.next)) });
  answers.forEach(({ data }, n) => data && (held.pages[asked[n]!] = data));
  const end = held.pages.findIndex((page) => page.next === undefined);
  if (end >= 0) held.pages.length = end + 1; // what came after it is gone
  if (held.pages.length > 0) held.rows = joined(held.pages, list.id, held.rows);

  const look = useCallback(
    (from: number, to: number) => {
      const { pages, rows } = held;
      const next = { name, first: pageAt(pages, from), last: pageAt(pages, to) + (to >= rows.all.length - ahead ? 1 : 0) };
      view((now) => (now.name === name && now.first === next.first && now.last === next.last ? now : next));
    },
    [held, name],
  );
  return {
    rows: held.rows.all,
    pending: held.rows.all.length === 0 && held.pages.length === 0 && answers[0]?.error == null,
    error: held.pages.length === 0 ? (answers[0]?.error ?? null) : null,
    whole: held.pages.at(-1)?.next === undefined,
    look,
  };
}

/** The pages that are known already, as when somebody comes back. */
function cached<T>(client: QueryClient, list: List<T>): Page<T>[] {
  const pages: Page<T>[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Page<T> | undefined = client.getQueryData(pageOf(list, after).queryKey);
    if (!page) break;
    pages.push(page);
    after = page.next;
  }
  return pages;
}

/** The rows of some pages, with where the rows of each begin and which of them are not shown: an earlier page has them. */
export type Rows<T> = { of: readonly Page<T>[]; all: T[]; begins: number[]; twice: ReadonlySet<number>[]; seen: Set<string> };

const nothing: Rows<never> = { of: [], all: [], begins: [], twice: [], seen: new Set() };

/**
 * Pages were asked for at different times, so that two may have what went from one to the other. With 100,000 rows it counts that a
 * page that came, or whose rows are others of the same ids, costs that page alone.
 */
export function joined<T>(pages: readonly Page<T>[], id: (one: T) => string, before: Rows<T> = nothing): Rows<T> {
  const changed: number[] = [];
  for (let i = 0; i < before.of.length; i++) if (pages[i] !== before.of[i]) changed.push(i);
  if (changed.length === 0 && pages.length === before.of.length) return before;
  const patched = before.of.length > 0 && changed.every((i) => pages[i] !== undefined && sameIds(pages[i]!, before.of[i]!, id));
  const rows: Rows<T> = patched
    ? { of: [...pages], all: before.all.slice(), begins: before.begins.slice(), twice: before.twice.slice(), seen: before.seen }
    : { of: [...pages], all: [], begins: [], twice: [], seen: new Set() };
  if (patched) {
    for (const i of changed) {
      let at = rows.begins[i]!;
      pages[i]!.items.forEach((one, n) => !rows.twice[i]!.has(n) && (rows.all[at++] = one));
    }
  }
  for (let i = patched ? before.of.length : 0; i < pages.length; i++) {
    const twice = new Set<number>();
    rows.begins.push(rows.all.length);
    pages[i]!.items.forEach((one, n) => {
      if (rows.seen.has(id(one))) twice.add(n);
      else {
        rows.seen.add(id(one));
        rows.all.push(one);
      }
    });
    rows.twice.push(twice);
  }
  return rows;
}

const sameIds = <T,>(a: Page<T>, b: Page<T>, id: (one: T) => string) => a.items.length === b.items.length && a.items.every((one, n) => id(one) === id(b.items[n]!));

function pageAt<T>(pages: Page<T>[], row: number): number {
  let before = 0;
  const at = pages.findIndex((page) => (before += page.items.length) > row);
  return at < 0 ? Math.max(pages.length - 1, 0) : at;
}
