// Parts of the page that are loaded when they are needed: while the server does not answer they are waited for.
import { type ComponentType, lazy } from 'react';

const pause = 1000; // ms between two tries

/** Loads a part, however long the server does not answer; what an answering server does not have is another version's. */
export async function patiently<T>(load: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await load();
    } catch (cause) {
      const answers = await fetch('/livez').then((answer) => answer.ok, () => false);
      if (answers) return load().catch(() => Promise.reject(cause instanceof Error ? cause : new Error(String(cause))));
      await new Promise((next) => setTimeout(next, pause));
    }
  }
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export const later = <C extends ComponentType<any>>(load: () => Promise<{ default: C }>) => lazy(() => patiently(load));
