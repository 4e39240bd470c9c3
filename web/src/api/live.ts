// What happens on the server reaches the page as it happens: one stream of events, which says which answers are old.
import type { Query, QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { forget, reached } from './position';
import { readEvents } from './sse';

export type Connection = 'connecting' | 'live' | 'lost';

const gather = 100; // ms at least from one question to the same one again: what happens in between is asked about together
const soon = 5; // ms until the first of them, for events that come at the same time
const pace = 50; // ms at least from one look at what is old to the next: with 100,000 rows known, each is a thousand questions
const again = [500, 1000, 2000, 5000]; // ms until the next try to connect
const silence = 40_000; // ms without a sign of life: the server gives one every 15 s

let state: Connection = 'connecting';
let since: Date | undefined;
const watchers = new Set<() => void>();

function become(next: Connection) {
  if (next === state) return;
  since = next === 'lost' ? new Date() : undefined;
  state = next;
  watchers.forEach((tell) => tell());
}

const watch = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

export const useConnection = () => useSyncExternalStore(watch, () => state);
export const lostSince = () => since;

/** Follows the server until the returned function is called. */
export function follow(client: QueryClient): () => void {
  const ended = new AbortController();
  let position = '';
  let flush: ReturnType<typeof setTimeout> | undefined;
  let touched = new Set<string>();
  let looked = 0;
  let wake = () => {};

  // Each question has a pace of its own: what happens while it is asked, or as long again after it, is asked for once more
  // then. One that takes the server long is asked less often, and none waits for it.
  const busy = new Map<string, boolean>(); // by hash: whether it is old again
  const ask = async (query: Query) => {
    busy.set(query.queryHash, true);
    while (busy.get(query.queryHash) && !ended.signal.aborted) {
      busy.set(query.queryHash, false);
      const began = Date.now();
      await client.refetchQueries({ queryKey: query.queryKey, exact: true, type: 'active' }, { cancelRefetch: true }).catch(() => {});
      await new Promise((next) => setTimeout(next, Math.max(gather, Date.now() - began)));
    }
    busy.delete(query.queryHash);
  };
  const round = () => {
    const seen = touched;
    touched = new Set();
    flush = undefined;
    looked = Date.now();
    for (const query of client.getQueryCache().getAll()) {
      if (!concerns(query.queryKey, seen)) continue;
      query.invalidate();
      if (busy.has(query.queryHash)) busy.set(query.queryHash, true);
      else if (query.isActive()) void ask(query);
    }
  };

  const once = async () => {
    const one = new AbortController();
    const stop = () => one.abort();
    ended.signal.addEventListener('abort', stop);
    let alive = setTimeout(stop, silence);
    try {
      const answer = await fetch(`/api/v1/events${position === '' ? '' : `?after=${encodeURIComponent(position)}`}`, {
        signal: one.signal,
        headers: { Accept: 'text/event-stream' },
      });
      if (!answer.ok || !answer.body) {
        if (answer.status === 422) position = ''; // it is the position of another log
        throw new Error(`the live events were refused: ${answer.status}`);
      }
      const was = state;
      become('live');
      // What happened in between comes from the last position on; answers that did not come are asked for again.
      if (was === 'lost') void client.invalidateQueries();
      for await (const event of readEvents(answer.body)) {
        clearTimeout(alive);
        alive = setTimeout(stop, silence);
        position = event.id || position;
        // Lists may not have it yet: they are asked to wait for it.
        reached(position);
        if (event.data === '') continue;
        concernsOf(event.data).forEach((one) => touched.add(one));
        flush ??= setTimeout(round, Math.max(soon, looked + pace - Date.now()));
      }
    } finally {
      clearTimeout(alive);
      ended.signal.removeEventListener('abort', stop);
    }
  };

  const run = async () => {
    for (let tries = 0; !ended.signal.aborted; tries++) {
      const before = state;
      try {
        await once();
      } catch {
        // What it was makes no difference: the page says that it is not live, and tries again.
      }
      if (ended.signal.aborted) return;
      if ((state as Connection) === 'live') tries = 0;
      if (before !== 'connecting' || tries > 0 || (state as Connection) === 'live') become('lost');
      forget();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, again[Math.min(tries, again.length - 1)]);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  };
  void run();
  const awake = () => document.visibilityState === 'visible' && state !== 'live' && wake();
  document.addEventListener('visibilitychange', awake);
  addEventListener('online', awake);
  return () => {
    ended.abort();
    wake();
    clearTimeout(flush);
    document.removeEventListener('visibilitychange', awake);
    removeEventListener('online', awake);
  };
}

// What a run does while it runs, which is most of what happens: lists say nothing of it.
const steps = new Set(['ToolCalled', 'ToolReturned', 'ToolAnswered', 'LogWritten', 'RunLeaseExtended', 'ThreadLeaseExtended', 'EffectLookedUp']);

/** What an event is about: a step of a run its stream alone, everything else the lists and its workflow, or its stream of coding agents; '*' if that cannot be told. */
export function concernsOf(data: string): string[] {
  try {
    const { workflow, stream = '', type = '' } = JSON.parse(data) as { workflow?: string; stream?: string; type?: string };
    if (steps.has(type)) return [stream];
    return ['lists', workflow || (/^(plan|session)-/.test(stream) ? stream : '*')];
  } catch {
    return ['lists', '*'];
  }
}

/**
 * A query is keyed by what it is about: ['workflow', id, …] is old when that workflow had an event (or one of several ids), ['run', id, …]
 * after each step of that run, ['plan', id, …] when that plan had one or anything was healed, ['plans', …] and ['sessions', …] when any had, ['recorded', …] after every event, ['fixed', …] never; every one but these after each event that is no step.
 */
export function concerns(key: readonly unknown[], seen: ReadonlySet<string>): boolean {
  switch (key[0]) {
    case 'fixed':
    case 'session':
      return false;
    case 'recorded':
      return true;
    case 'workflow':
      return seen.has('*') || [key[1]].flat().some((id) => seen.has(String(id)));
    case 'plans':
    case 'sessions':
      return seen.has('*') || [...seen].some((one) => /^(plan|session)-/.test(one));
    case 'plan':
      return seen.has('*') || seen.has(`plan-${String(key[1])}`) || [...seen].some((one) => one.startsWith('session-'));
    case 'run':
      return seen.has('lists') || seen.has(`run-${String(key[1])}`);
    default:
      return seen.has('lists');
  }
}
