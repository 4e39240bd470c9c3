// A client of Kintsugi's API:
//
//	const api = kintsugi({ base: 'http://127.0.0.1:7480', token });
//	const made = await api.POST('/api/v1/workflows', { body: { title: 'Orders', script } });
//	for await (const event of api.events({ after: 'start' })) console.log(event.type, event.summary);
import { EventSourceParserStream } from 'eventsource-parser/stream';
import createClient, { type Client } from 'openapi-fetch';
import type { components, operations, paths } from './schema.js';

export type { components, operations, paths };

/** An event as it is told to those who watch; after its position another stream goes on. */
export type Event = components['schemas']['LiveEvent'];
export type EventQuery = NonNullable<operations['events']['parameters']['query']>;

/** An answer that is no success, as RFC 9457 has it; status 0 if none came. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly fields: Record<string, unknown>,
  ) {
    super(String(fields['detail'] ?? fields['title'] ?? `status ${status}`));
  }
}

export type Kintsugi = Client<paths> & { events(query?: EventQuery, signal?: AbortSignal): AsyncGenerator<Event, void, void> };

/** Every request is sent with the token; one that is refused throws a Problem. */
export function kintsugi({ base, token }: { base: string; token: string }): Kintsugi {
  const baseUrl = base.replace(/\/+$/, '');
  const headers = { Authorization: `Bearer ${token}` };
  const client = createClient<paths>({ baseUrl, headers, redirect: 'error' });
  client.use({
    onRequest({ request }) {
      // Asking again with the same key repeats nothing.
      if (request.method !== 'GET' && !request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', crypto.randomUUID());
      return request;
    },
    async onResponse({ response }) {
      if (!response.ok) throw await problemOf(response);
    },
  });
  return Object.assign(client, { events: (query: EventQuery = {}, signal?: AbortSignal) => events(baseUrl, headers, query, signal) });
}

async function problemOf(response: Response): Promise<Problem> {
  const text = await response.text();
  try {
    return new Problem(response.status, JSON.parse(text) as Record<string, unknown>);
  } catch {
    return new Problem(response.status, { detail: text.slice(0, 300) });
  }
}

const again = new Set([429, 500, 502, 503, 504]);

/** A connection that breaks is begun again behind the last event. */
async function* events(baseUrl: string, headers: Record<string, string>, query: EventQuery, signal?: AbortSignal): AsyncGenerator<Event, void, void> {
  let last = '';
  let pause = 100; // ms
  while (!signal?.aborted) {
    const asked = new URLSearchParams(Object.entries(query).filter(([name, value]) => value !== undefined && (name !== 'after' || last === '')) as [string, string][]);
    try {
      const response = await fetch(`${baseUrl}/api/v1/events?${asked}`, {
        headers: { ...headers, Accept: 'text/event-stream', ...(last === '' ? {} : { 'Last-Event-ID': last }) },
        redirect: 'error',
        ...(signal ? { signal } : {}),
      });
      if (!response.ok) throw await problemOf(response);
      for await (const { id, event, data } of response.body!.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())) {
        if (event === 'words') continue; // of an agent that speaks: it is kept nowhere
        last = id ?? last;
        pause = 100;
        yield JSON.parse(data) as Event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof Problem && !again.has(error.status)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
    pause = Math.min(2 * pause, 10_000);
  }
}
