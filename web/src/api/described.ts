// The API as it describes itself, in types: the paths that there are, what each takes, and what it answers with.
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Below<Full> = Full extends `/api/v1${infer Path}` ? Path : never;
type Operation<V extends Verb, P extends string> = `/api/v1${P}` extends keyof paths ? (V extends keyof paths[`/api/v1${P}`] ? paths[`/api/v1${P}`][V] : never) : never;

/** The paths that can be asked for in this way. */
export type PathOf<V extends Verb> = { [Full in keyof paths]: V extends keyof paths[Full] ? Below<Full> : never }[keyof paths];

/** The values for the braces of a path, in their order. */
type Values<P extends string> = P extends `${string}{${string}}${infer Rest}` ? [string, ...Values<Rest>] : [];

/** A path of the API with values in it. */
export type Target<P extends string> = { template: P; url: string };

export function path<P extends Below<keyof paths>>(template: P, ...values: Values<P>): Target<P> {
  const left: string[] = [...values];
  return { template, url: template.replace(/\{\w+\}/g, () => encodeURIComponent(left.shift() ?? '')) };
}

type Success<O> = O extends { responses: infer R } ? R[keyof R] : never;
type JSONOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : T extends { content: { 'application/problem+json': unknown } } ? never : unknown;

export type AnswerOf<V extends Verb, P extends string> = JSONOf<Success<Operation<V, P>>>;
type Given<B> = B extends { content: { 'application/json': infer Body } } ? Body : B extends { content: { 'application/merge-patch+json': infer Body } } ? Body : undefined;
export type BodyOf<V extends Verb, P extends string> = Operation<V, P> extends { requestBody?: infer B } ? Given<NonNullable<B>> : undefined;
export type QueryOf<V extends Verb, P extends string> = Operation<V, P> extends { parameters: { query?: infer Q } } ? { [Name in keyof Q]?: Q[Name] | undefined } : Record<string, never>;
