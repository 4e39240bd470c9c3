package library

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.DeclareLibrary(engine.Library{
	Name: "schema", Packages: []string{"zod"}, Exports: npmExports["schema"], Default: "z", Origin: "zod 4.6.7 of npm, MIT",
	Doc: "Zod 4: says what data must look like. const Order = z.object({ id: z.string(), amount: z.number() }); Order.parse(data) throws ZodError, Order.safeParse(data) gives {success, data, error}. Messages are in English.",
	Types: `export interface Issue { code: string; path: (string | number)[]; message: string }
export class ZodError extends Error { issues: Issue[] }
export type Parsed<T> = { success: true; data: T; error?: undefined } | { success: false; data?: undefined; error: ZodError };
export interface Type<T> {
  parse(value: unknown): T; safeParse(value: unknown): Parsed<T>; parseAsync(value: unknown): Promise<T>; safeParseAsync(value: unknown): Promise<Parsed<T>>;
  optional(): Type<T | undefined>; nullable(): Type<T | null>; nullish(): Type<T | null | undefined>; default(value: T | (() => T)): Type<T>; catch(value: T): Type<T>; array(): ArrayType<T>; or<U>(other: Type<U>): Type<T | U>; and<U>(other: Type<U>): Type<T & U>;
  refine(check: (value: T) => unknown, options?: string | object): this; superRefine(check: (value: T, context: any) => void): this; transform<U>(f: (value: T, context: any) => U): Type<U>; pipe<U>(next: Type<U>): Type<U>; describe(text: string): this; brand<B>(): this; readonly(): Type<T>;
  readonly _output: T;
}
export interface StringType extends Type<string> {
  min(n: number, message?: string): this; max(n: number, message?: string): this; length(n: number, message?: string): this; regex(pattern: RegExp, message?: string): this; startsWith(text: string): this; endsWith(text: string): this; includes(text: string): this; nonempty(): this;
  trim(): this; toLowerCase(): this; toUpperCase(): this; email(): this; url(): this; uuid(): this; datetime(options?: object): this; date(): this;
}
export interface NumberType extends Type<number> { min(n: number, message?: string): this; max(n: number, message?: string): this; gt(n: number): this; gte(n: number): this; lt(n: number): this; lte(n: number): this; int(): this; positive(): this; nonnegative(): this; negative(): this; multipleOf(n: number): this; finite(): this }
export interface ArrayType<T> extends Type<T[]> { min(n: number, message?: string): this; max(n: number, message?: string): this; length(n: number): this; nonempty(): this; element: Type<T> }
export type Shape = Record<string, Type<any>>;
export type Of<S extends Shape> = { [K in keyof S]: S[K]['_output'] };
export interface ObjectType<S extends Shape> extends Type<Of<S>> { shape: S; extend<U extends Shape>(more: U): ObjectType<S & U>; pick(names: object): ObjectType<any>; omit(names: object): ObjectType<any>; partial(names?: object): ObjectType<any>; required(names?: object): ObjectType<any>; strict(): this; passthrough(): this; loose(): this; catchall(type: Type<any>): this; keyof(): Type<keyof S> }
export type infer<T extends Type<any>> = T['_output'];
export function string(message?: string): StringType; export function number(message?: string): NumberType; export function int(): NumberType; export function boolean(): Type<boolean>; export function bigint(): Type<bigint>; export function date(): Type<Date>; export function any(): Type<any>; export function unknown(): Type<unknown>; export function never(): Type<never>;
export function literal<const T>(value: T): Type<T>; export function array<T>(of: Type<T>): ArrayType<T>; export function object<S extends Shape>(shape: S): ObjectType<S>; export function strictObject<S extends Shape>(shape: S): ObjectType<S>; export function looseObject<S extends Shape>(shape: S): ObjectType<S>;
export function union<T extends Type<any>[]>(options: T): Type<T[number]['_output']>; export function discriminatedUnion(key: string, options: ObjectType<any>[]): Type<any>; export function record<T>(key: Type<any>, value: Type<T>): Type<Record<string, T>>; export function tuple(items: Type<any>[]): Type<any[]>; export function lazy<T>(f: () => Type<T>): Type<T>;
export function email(): StringType; export function url(): StringType; export function uuid(): StringType; export function preprocess<T>(f: (value: unknown) => unknown, type: Type<T>): Type<T>; export function optional<T>(type: Type<T>): Type<T | undefined>; export function nullable<T>(type: Type<T>): Type<T | null>;
export function treeifyError(error: ZodError): any; export function prettifyError(error: ZodError): string; export function flattenError(error: ZodError): any; export function toJSONSchema(type: Type<any>): any;
export const iso: { date(): StringType; time(): StringType; datetime(options?: object): StringType; duration(): StringType };
export const coerce: { string(): StringType; number(): NumberType; boolean(): Type<boolean>; bigint(): Type<bigint>; date(): Type<Date> };
const _enum: <const T extends readonly string[]>(values: T) => Type<T[number]>;
export { _enum as enum };
export * as z from 'kintsugi:schema';`,
	Make: func(r *engine.Run) *goja.Object { return npm(r, "schema", nil) },
})
