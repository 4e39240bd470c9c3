// What stands over the page and outlives the place that it was opened from: what it does may end what was told there.
import { type ReactNode, Suspense, useSyncExternalStore } from 'react';

let shown: ReactNode;
const watchers = new Set<() => void>();

/** Shows it over the page; nothing takes it away. */
export const over = (next?: ReactNode) => {
  shown = next;
  watchers.forEach((tell) => tell());
};

const watch = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

export function Over() {
  return <Suspense fallback={null}>{useSyncExternalStore(watch, () => shown)}</Suspense>;
}
