//// typed main
interface Order { id: number; total?: number; tags: string[] }
type Totals = Record<string, number>;
async function main(input: { currency: string }): Promise<Totals> {
  const orders: Order[] = [{ id: 1, total: 20, tags: ['a'] }, { id: 2, tags: [] }];
  const totals: Totals = {};
  for (const order of orders) totals[`${order.id}`] = order.total ?? 0;
  return totals;
}
//// return type over lines | default
export default async function run(): Promise<{
  count: number;
  names: Array<string>;
}> {
  const names: Array<string> = ['x', 'y'];
  return { count: names.length, names };
}
//// generics
function first<T>(list: T[], otherwise: T): T { return list[0] ?? otherwise; }
const map = new Map<string, Array<Map<string, number>>>();
function main() { return [first<number>([], 3), first(['a'], 'b'), map.size]; }
//// generic arrow
const same = <T,>(x: T): T => x;
const pairs = async <K extends string, V>(o: Record<K, V>): Promise<[string, V][]> => Object.entries(o) as [string, V][];
const main = async () => [same(1), await pairs({ a: 1, b: 2 })];
//// casts
function main() {
  const raw = JSON.parse('{"a":{"b":[1,2,3]}}') as unknown as { a: { b: number[] } };
  const list = (raw.a.b as number[]).map((n) => n * 2);
  const any = <any>raw;
  return [list, any.a.b.length, raw!.a!.b![0]!];
}
//// enum
enum Level { Low, Mid = 5, High }
enum Name { A = 'a', B = 'b' }
const enum Flag { On = 1 }
function main() { return [Level.Low, Level.High, Level[5], Name.B, Flag.On, Object.values(Name)]; }
//// parameter properties
class Api {
  private calls = 0;
  constructor(private readonly base: string, public token?: string, protected limit: number = 10) { this.calls++; }
  url(path: string): string { return `${this.base}/${path}?limit=${this.limit}&calls=${this.calls}`; }
}
function main() { const api = new Api('https://x.test'); return [api.url('a'), Object.keys(api).sort()]; }
//// class members
abstract class Shape { abstract area(): number; describe(): string { return `area ${this.area()}`; } }
class Square extends Shape implements Iterable<number> {
  static readonly sides: number = 4;
  declare note: string;
  #side: number;
  constructor(side: number) { super(); this.#side = side; }
  override area(): number { return this.#side ** 2; }
  get side(): number { return this.#side; }
  *[Symbol.iterator](): Iterator<number> { yield this.#side; yield Square.sides; }
}
function main() { const s = new Square(3); return [s.describe(), [...s], s.side]; }
//// overloads and guards
function len(x: string): number;
function len(x: unknown[]): number;
function len(x: string | unknown[]): number { return x.length; }
function isText(x: unknown): x is string { return typeof x === 'string'; }
function must(x: unknown): asserts x { if (!x) throw new Error('no'); }
function main() { must(1); return [len('abc'), len([1]), ['a', 1, 'b'].filter(isText)]; }
//// function types
type Visit = (value: number, index: number) => void;
function each(list: number[], visit: Visit, done?: (n: { count: number }) => string): string | undefined {
  list.forEach(visit);
  return done?.({ count: list.length });
}
function main() { let sum = 0; const text = each([1, 2, 3], (v: number, _i: number): void => { sum += v; }, ({ count }: { count: number }): string => `${count}`); return [sum, text]; }
//// satisfies and const
const config = { retries: 3, hosts: ['a', 'b'] } as const satisfies { retries: number; hosts: readonly string[] };
type Host = (typeof config)['hosts'][number];
function main() { const hosts: readonly Host[] = config.hosts; return hosts.concat('c' as Host); }
//// no semicolons
type Row = { id: number
  name: string }
const rows: Row[] = [{ id: 2, name: 'b' }, { id: 1, name: 'a' }]
let best: Row | undefined
async function main(): Promise<string> {
  const sorted = [...rows].sort((a: Row, b: Row) => a.id - b.id)
  best = sorted[0]
  const label = best.name as string
  ;[1].forEach(() => {})
  return label + (best satisfies Row).id
}
//// imports of types | default
import type { Invoice } from './types';
import { type Customer } from './types';
export interface Result { ok: boolean }
export type Key = keyof Result;
declare const nothing: string;
export default async (input: Invoice): Promise<Result> => ({ ok: input !== undefined });
//// optional and default parameters
function greet(this: void, name?: string, { loud = false, times = 1 }: { loud?: boolean; times?: number } = {}, ...rest: string[]): string {
  return (loud ? 'HI' : 'hi').repeat(times) + (name ?? '?') + rest.join('');
}
function main() { return [greet(), greet('a', { loud: true, times: 2 }, 'x', 'y')]; }
//// windmill style
type Postgres = { host: string; port: number };
export async function main(args: unknown, name: string = 'Nicolas', db?: Postgres, list: string[] = ['a', 'b']) {
  return { greeting: `hello ${name}`, db: db ?? null, list };
}
//// conditional types and mapped types
type Item<T> = T extends (infer U)[] ? U : never;
type Opt<T> = { readonly [K in keyof T]?: T[K] };
const o: Opt<{ a: number; b: string }> = { a: 1 };
function pick<T extends object, K extends keyof T>(x: T, ...keys: K[]): Pick<T, K> { const r = {} as Pick<T, K>; for (const k of keys) r[k] = x[k]; return r; }
function main() { const n: Item<number[]> = 4; return [pick({ a: 1, b: 2 }, 'b'), o, n]; }
//// shadowed names
const x = 1;
const f = (x: number) => { const y = x; { const x = y + 1; return { x, y }; } };
function main() { return [f(2), ((x: number, { y: z }: { y: number }) => ({ x, z }))(5, { y: 6 }), x]; }
//// nested templates and regular expressions
const re: RegExp = /[/"'`]+/g;
function main(input?: { n?: number }) { const n: number = input?.n ?? 4; return `a${n > 3 ? `b${`c${n / 2}`}` : ''}`.replace(re, '') + 'x/y`z'.replace(re, '_'); }
//// try and catch with a type
async function main() { try { null!.x; return 0; } catch (e: unknown) { const err = e as Error; return err instanceof TypeError ? err.name : 'other'; } }
//// undefined and numbers
function main() { const a: number | undefined = undefined; return [a ?? 1_000, 0x1f, 1e3, .5, 10n.toString(), void 0 === a, Infinity > 1, -0 === 0]; }
//// arrows that return objects
const make = (n: number): { n: number; next?: () => number } => ({ n, next: (): number => n + 1 });
function main() { const m = make(1); return [m.n, m.next?.(), (<T>(v: T) => ({ v }))(2)]; }
//// decorated text of types in strings
function main() { const s = 'const a: number = 1; // as any'; /* let b: string */ return s + ` <T>(x: ${'y' as string})`; }
//// enums that compute
enum Flag { None = 0, Read = 1 << 0, Write = 1 << 1, Delete = 1 << 2, All = Read | Write | Delete, Not = ~Read, Neg = -(2 ** 3) }
enum Text { A = 'a' + 'b', B = `${A}c`, C = 'x' }
const enum Far { Day = 24 * 60 * 60 * 1000, Half = Day / 2 }
function main() { return [Flag, Text, Far.Half, Flag[3 - 2], (Flag.All & Flag.Write) !== 0]; }
//// members of numbers
function main(input: object) { return [(0.5).toString(2), (123n).toLocaleString(), (1e3).toString(7), 0x1f.toString(36), 1..toFixed(2), 1.5.toFixed(0), (25).toString(2), 1e3.toFixed(1), .5.toString()]; }
//// namespaces
namespace Fmt {
  const width = 4;
  export const pad = (text: string): string => text.padStart(width, '.');
  export function both(a: string, b: string) { return pad(a) + pad(b); }
  export namespace Deep { export let count = 1; export enum Kind { A = 1 << 4 } }
  export interface Only { a: number }
}
namespace Types { export type T = Fmt.Only }
declare global { interface Array<T> { total(): number } }
function main() { Fmt.Deep.count++; const only: Types.T = { a: 1 }; return [Fmt.both('a', 'bc'), Fmt.Deep.count, Fmt.Deep.Kind.A, only.a]; }
