// Asks the API of the server that the page came from. Every answer that is no success is a Problem.

import { noteProblem } from '../problems';
import type { AnswerOf, BodyOf, PathOf, QueryOf, Target } from './described';

export { path } from './described';
import { position, reached } from './position';

const base = '/api/v1';

/** An answer that is no success, as RFC 9457 has it, or that none came (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly title: string,
    readonly detail: string,
    readonly fields: Record<string, unknown> = {},
  ) {
    super(detail || title);
  }
}

type Query = Record<string, unknown>;
type Write<Q = Query> = { query?: Q; ifMatch?: string | undefined; key?: string; token?: string; signal?: AbortSignal };

function withQuery(target: string, query: Query = {}): string {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '' && value !== false) asked.set(name, String(value));
  }
  const text = asked.toString();
  return text === '' ? target : `${target}?${text}`;
}

export async function get<P extends PathOf<'get'>>(target: P | Target<P>, query?: QueryOf<'get', P>, signal?: AbortSignal): Promise<AnswerOf<'get', P>> {
  return (await getWithRevision(target, query, signal)).value;
}

/** The answer, with the revision that a write may be bound to. */
export async function getWithRevision<P extends PathOf<'get'>>(target: P | Target<P>, query?: QueryOf<'get', P>, signal?: AbortSignal) {
  const headers: Record<string, string> = position() === '' ? {} : { 'Kintsugi-Wait-For': position() };
  const answer = await ask(withQuery(base + urlOf(target), query), { headers, ...(signal ? { signal } : {}) });
  const value = answer.headers.get('Content-Type')?.includes('json') ? await answer.json() : await answer.text();
  return { value: value as AnswerOf<'get', P>, revision: answer.headers.get('ETag') ?? undefined };
}

export const post = <P extends PathOf<'post'>>(target: P | Target<P>, body?: BodyOf<'post', P>, options?: Write<QueryOf<'post', P>>) => write<AnswerOf<'post', P>>('POST', urlOf(target), body, options);
export const put = <P extends PathOf<'put'>>(target: P | Target<P>, body: BodyOf<'put', P>, options?: Write<QueryOf<'put', P>>) => write<AnswerOf<'put', P>>('PUT', urlOf(target), body, options);
export const patch = <P extends PathOf<'patch'>>(target: P | Target<P>, body: BodyOf<'patch', P>, options?: Write<QueryOf<'patch', P>>) => write<AnswerOf<'patch', P>>('PATCH', urlOf(target), body, options);
export const remove = <P extends PathOf<'delete'>>(target: P | Target<P>, options?: Write<QueryOf<'delete', P>>) => write<AnswerOf<'delete', P>>('DELETE', urlOf(target), undefined, options);

/** The session is begun and ended before anybody is let in, so the API does not describe how. */
export const beginSession = (token?: string) => write('POST', '/session', undefined, token === undefined ? {} : { token });
export const endSession = () => write('DELETE', '/session', undefined);

const urlOf = (target: string | Target<string>) => (typeof target === 'string' ? target : target.url);

async function write<T>(method: string, target: string, body: unknown, { query, ifMatch, key, token, signal }: Write = {}): Promise<T> {
  const headers: Record<string, string> = { 'Idempotency-Key': key ?? crypto.randomUUID() };
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (token !== undefined) headers['Authorization'] = `Bearer ${token}`;
  if (ifMatch !== undefined) headers['If-Match'] = ifMatch;
  const answer = await ask(withQuery(base + target, query), {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  });
  reached(answer.headers.get('Kintsugi-Position'));
  const text = await answer.text();
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function ask(url: string, init: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(url, { credentials: 'same-origin', ...init });
  } catch (cause) {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new Problem(0, 'The server does not answer', 'It may have been stopped, or the connection is gone.');
  }
  if (answer.ok) return answer;
  const said = await answer.text();
  let fields: Record<string, unknown> = {};
  try {
    fields = JSON.parse(said) as Record<string, unknown>;
  } catch {
    fields = { detail: said.slice(0, 300) };
  }
  const problem = new Problem(answer.status, String(fields['title'] ?? answer.statusText), String(fields['detail'] ?? ''), fields);
  if (answer.status !== 401) noteProblem(`${init.method ?? 'GET'} ${url}: ${answer.status} ${problem.detail}`);
  if (answer.status === 401) signedOut.forEach((tell) => tell());
  throw problem;
}

const signedOut = new Set<() => void>();

/** Calls tell whenever the server no longer knows who this is. */
export function onSignedOut(tell: () => void): () => void {
  signedOut.add(tell);
  return () => signedOut.delete(tell);
}
