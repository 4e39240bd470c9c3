// Dialogs that outlive the place that they were opened from: their outcome may take that place away.
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
