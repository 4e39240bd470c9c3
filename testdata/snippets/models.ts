//// flags of an enum
enum Bits { None = 0, Read = 1, Write = 2, All = 3 }
function main() { const b: Bits = Bits.Read | Bits.Write; return [b === Bits.All, Bits[3], Object.keys(Bits).length, (b & Bits.Write) !== 0]; }
//// abstract classes and a template method
abstract class Job<TIn, TOut = TIn> { protected static seq = 0; readonly id: number; constructor(protected readonly name: string, private log: string[] = []) { this.id = ++Job.seq; } protected abstract work(input: TIn): Promise<TOut>; async run(input: TIn): Promise<{ out: TOut; log: readonly string[] }> { this.log.push(`${this.name}#${this.id}`); const out = await this.work(input); return { out, log: this.log }; } }
class Double extends Job<number> { constructor(private readonly by: number = 2) { super('double'); } protected override async work(n: number): Promise<number> { return n * this.by; } }
async function main() { return [await new Double().run(4), await new Double(3).run(4)]; }
//// unions told apart
type Shape = { kind: 'circle'; r: number } | { kind: 'rect'; w: number; h: number };
const never = (x: never): never => { throw new Error(`unknown ${JSON.stringify(x)}`); };
function area(s: Shape): number { switch (s.kind) { case 'circle': return +(Math.PI * s.r ** 2).toFixed(2); case 'rect': return s.w * s.h; default: return never(s); } }
function main() { let e = ''; try { area({ kind: 'x' } as unknown as Shape); } catch (x: unknown) { if (x instanceof Error) e = x.message; } return [area({ kind: 'circle', r: 2 }), area({ kind: 'rect', w: 2, h: 3 }), e]; }
//// result types and guards
type Result<T, E extends Error = Error> = { ok: true; value: T } | { ok: false; error: E };
const attempt = async <T,>(f: () => Promise<T>): Promise<Result<T>> => { try { return { ok: true, value: await f() }; } catch (error) { return { ok: false, error: error as Error }; } };
function isUser(x: unknown): x is { id: number; name: string } { return typeof x === 'object' && x !== null && 'id' in x && typeof (x as { id: unknown }).id === 'number'; }
function assertString(x: unknown): asserts x is string { if (typeof x !== 'string') throw new TypeError('no string'); }
async function main() { const r = await attempt(async () => { const x: unknown = 1; assertString(x); return x.length; }); return [r.ok ? r.value : r.error.message, isUser({ id: 1 }), isUser({ id: '1' }), (await attempt(async () => 7)).ok]; }
//// satisfies, const and keyof
const routes = { home: '/', user: (id: number) => `/u/${id}` } as const satisfies Record<string, string | ((id: number) => string)>;
type Route = keyof typeof routes;
const order = ['home', 'user'] as const satisfies readonly Route[];
function pick<T extends object, K extends keyof T>(o: T, ...keys: K[]): Pick<T, K> { return Object.fromEntries(keys.map((k) => [k, o[k]])) as Pick<T, K>; }
function main() { return [order.map((r: Route) => typeof routes[r]), routes.user(3), pick({ a: 1, b: 2, c: 3 }, 'a', 'c')]; }
//// a generic store with overloads
class Repo<T extends { id: string }> implements Iterable<T> { private readonly items = new Map<T['id'], T>(); add(item: T): this; add(items: readonly T[]): this; add(x: T | readonly T[]): this { for (const i of Array.isArray(x) ? x : [x as T]) this.items.set(i.id, i); return this; } find<K extends keyof T>(key: K, value: T[K]): T | undefined { return [...this.items.values()].find((i) => i[key] === value); } *[Symbol.iterator](): IterableIterator<T> { yield* this.items.values(); } get size(): number { return this.items.size; } }
function main() { const r = new Repo<{ id: string; n?: number }>().add({ id: 'a', n: 1 }).add([{ id: 'b' }, { id: 'a', n: 2 }]); return [r.size, r.find('n', 2)!.id, [...r].map(({ id }) => id), r.find('id', 'z')?.n ?? null]; }
//// declared things and this
declare const process: { env: Record<string, string | undefined> };
declare global { interface Array<T> { second?: T } }
type Handler = (this: { n: number }, by?: number) => number;
const h: Handler = function (by = 1) { return this.n + by; };
let later!: string;
function main(): unknown[] { later = 'set'; const f = h.bind({ n: 2 }); return [f(), h.call({ n: 5 }, 2), later, <number>(<unknown>'3' as any) * 2, typeof process]; }
export {};
//// types only
import type { DateTime } from 'luxon';
import { type Decimal } from 'decimal.js';
export type { DateTime };
type Deep<T> = T extends (infer U)[] ? Deep<U> : T extends object ? { readonly [K in keyof T]?: Deep<T[K]> } : T;
type Event = `on${Capitalize<'click' | 'key'>}`;
function main() { const d: Deep<{ a: number[] }> = { a: 1 }; const e: Event[] = ['onClick']; const x: Decimal | DateTime | null = null; return [d, e, x]; }
//// accessors, index signatures and optional calls
class Config { [key: string]: unknown; static readonly #instance = new Config(); static get(): Config { return Config.#instance; } private _n?: number; get n(): number { return this._n ??= 5; } set n(v: number | string) { this._n = Number(v); } on?(x: number): void; }
function main() { const c = Config.get(); const before = c.n; c.n = '7'; c.on?.(1); c['free'] = true; return [before, c.n, Object.keys(c), c?.on === undefined, (c as { free?: boolean }).free!]; }
