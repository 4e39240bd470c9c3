// Events reach the page as they happen: one stream of events, which says which answers are old.
import type { Query, QueryClient } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { forget, reached } from './position';
import type { Ask } from './shared.worker';
import type { ServerEvent } from './sse';
import { connect, type Connection, type Stream, type Told } from './stream';

const gather = 100; // ms at least from one question to the same one again: what happens in between is asked about together
const soon = 5; // ms until the first of them, for events that come at the same time
const pace = 50; // ms at least from one look at what is old to the next: with 100,000 rows known, each is a thousand questions

let state: Connection = 'connecting';
let since: Date | undefined;
const watchers = new Set<() => void>();
const hearers = new Set<(event: ServerEvent) => void>();

const watch = (tell: () => void) => {
  watchers.add(tell);
  return () => watchers.delete(tell);
};

export const useConnection = () => useSyncExternalStore(watch, () => state);
export const lostSince = () => since;

/** Hears what agents say, piece by piece, until the returned function is called. */
export function hear(said: (event: ServerEvent) => void): () => void {
  hearers.add(said);
  return () => hearers.delete(said);
}

/** Follows the server for whose session it is, until the returned function is called. */
export function follow(client: QueryClient, session: string): () => void {
  let flush: ReturnType<typeof setTimeout> | undefined;
  let touched = new Set<string>();
  let looked = 0;
  let ended = false;

  // Each question has a pace of its own: what happens while it is asked, or as long again after it, is asked for once more
  // then. One that takes the server long is asked less often, and none waits for it.
  const busy = new Map<string, boolean>(); // by hash: whether it is old again
  const ask = async (query: Query) => {
    busy.set(query.queryHash, true);
    while (busy.get(query.queryHash) && !ended) {
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

  const become = (next: Connection) => {
    if (next === state) return;
    // Answers that came before the connection did may be old already, and those that did not come while it was lost are asked for again.
    const all = state === 'lost';
    if (next === 'live') void client.invalidateQueries({ predicate: (query) => all || query.state.dataUpdatedAt > 0 });
    if (next === 'lost') forget();
    since = next === 'lost' ? new Date() : undefined;
    state = next;
    watchers.forEach((tell) => tell());
  };
  const told = (one: Told) => {
    if (ended) return;
    if ('state' in one) return become(one.state);
    const { event } = one;
    // Lists may not have it yet: they are asked to wait for it.
    if (event.id !== '') reached(event.id);
    if (event.type === 'words') return hearers.forEach((said) => said(event));
    if (event.data === '') return;
    concernsOf(event.data).forEach((about) => touched.add(about));
    flush ??= setTimeout(round, Math.max(soon, looked + pace - Date.now()));
  };

  const stream = typeof SharedWorker === 'undefined' ? connect(told) : share(session, told);
  const awake = () => document.visibilityState === 'visible' && stream.wake();
  document.addEventListener('visibilitychange', awake);
  addEventListener('online', awake);
  return () => {
    ended = true;
    stream.end();
    clearTimeout(flush);
    document.removeEventListener('visibilitychange', awake);
    removeEventListener('online', awake);
  };
}

/** Has the worker that all tabs have in common follow the server. */
function share(session: string, told: (one: Told) => void): Stream {
  const { port } = new SharedWorker(new URL('./shared.worker.ts', import.meta.url), { type: 'module', name: 'kintsugi' });
  const ask = (what: Ask) => port.postMessage(what);
  const join = () => ask({ join: session });
  const leave = () => ask('leave');
  port.onmessage = ({ data }: MessageEvent<Told>) => told(data);
  // A page that is left may come back as it was.
  const back = ({ persisted }: PageTransitionEvent) => persisted && join();
  addEventListener('pagehide', leave);
  addEventListener('pageshow', back);
  join();
  return {
    wake: () => ask('wake'),
    end: () => {
      leave();
      port.close();
      removeEventListener('pagehide', leave);
      removeEventListener('pageshow', back);
    },
  };
}

// Most events are steps of a run under way: lists say nothing of them.
const steps = new Set(['ToolCalled', 'ToolReturned', 'ToolAnswered', 'LogWritten', 'RunLeaseExtended', 'ThreadLeaseExtended', 'EffectLookedUp']);

/** The subject of an event: a step of a run its stream alone, everything else the lists and its workflow, or its stream of coding agents; '*' if that cannot be told. */
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
