// The stream of events from the server, asked for again as often as it breaks.
import { readEvents, type ServerEvent } from './sse';

export type Connection = 'connecting' | 'live' | 'lost';
export type Told = { state: Connection } | { event: ServerEvent };
export type Stream = { wake: () => void; end: () => void };

const again = [500, 1000, 2000, 5000]; // ms until the next try to connect
const silence = 40_000; // ms without a sign of life: the server gives one every 15 s

/** Follows the server until it is ended: how it stands, and each event, with what agents say. A sign of life is an event without data. */
export function connect(tell: (told: Told) => void): Stream {
  const ended = new AbortController();
  let state: Connection = 'connecting';
  let position = '';
  let wake = () => {};
  const become = (next: Connection) => {
    if (next !== state) tell({ state: (state = next) });
  };

  const once = async () => {
    const one = new AbortController();
    const stop = () => one.abort();
    ended.signal.addEventListener('abort', stop);
    let alive = setTimeout(stop, silence);
    try {
      const after = position === '' ? '' : `&after=${encodeURIComponent(position)}`;
      const answer = await fetch(`/api/v1/events?words=true${after}`, { signal: one.signal, headers: { Accept: 'text/event-stream' } });
      if (!answer.ok || !answer.body) {
        if (answer.status === 422) position = ''; // it is the position of another log
        throw new Error(`the live events were refused: ${answer.status}`);
      }
      become('live');
      for await (const event of readEvents(answer.body)) {
        clearTimeout(alive);
        alive = setTimeout(stop, silence);
        position = event.id || position;
        tell({ event });
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
        // Every fault is the same here: the page says that it is not live, and tries again.
      }
      if (ended.signal.aborted) return;
      if (state === 'live') tries = 0;
      if (before !== 'connecting' || tries > 0 || state === 'live') become('lost');
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
  return {
    wake: () => state !== 'live' && wake(),
    end: () => {
      ended.abort();
      wake();
    },
  };
}
