// The outcome of a press is a toast: the button, and the place where it stood, may be gone by then.
import { Suspense, useSyncExternalStore } from 'react';
import { later } from '../../later';

export type Said = { how: 'done' | 'overtaken' | 'refused'; text: string; undo?: (() => Promise<unknown>) | undefined };

let said: (Said & { number: number })[] = [];
let number = 0;
const watchers = new Set<() => void>();
const put = (next: typeof said) => {
  said = next;
  watchers.forEach((tell) => tell());
};

/** Says something; what was said before stays until its time is over. */
export const announce = (next: Said) => put([...said, { ...next, number: number++ }]);

/** Takes back what is no longer so, as when somebody presses again. */
export const silence = (one?: number) => said.length > 0 && put(one === undefined ? [] : said.filter((other) => other.number !== one));

const watch = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

const Toasts = later(() => import('./toasts'));

export function Announced() {
  const now = useSyncExternalStore(watch, () => said);
  return now.length > 0 && <Suspense fallback={null}><Toasts said={now} /></Suspense>;
}
