// What a script of Kintsugi finds beside ECMAScript. Made of what each tool and global declares of itself:
// go test ./internal/sandbox/hostcall -run Reference -update. Prints it: kintsugi script api.

/** As in browsers, for fetch, on the script's clock. What was aborted throws a NetworkError whose name is AbortError or TimeoutError; the request is not cut, and the run ends when it is over. */
declare class AbortSignal {
  static timeout(ms: number): AbortSignal;
  static abort(reason?: unknown): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean; readonly reason: unknown;
  onabort: ((event: { type: 'abort'; target: AbortSignal }) => unknown) | null;
  throwIfAborted(): void;
  addEventListener(type: 'abort', f: (event: { type: 'abort'; target: AbortSignal }) => unknown, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', f: (event: { type: 'abort'; target: AbortSignal }) => unknown): void;
}
declare class AbortController { readonly signal: AbortSignal; abort(reason?: unknown): void }

/** As in browsers. What a typed array shows of its buffer begins at 0 there: byteOffset is always 0. */
// They are declared with the language (lib es2023).

/** The classes of the host's errors, with name, message and class, and status and body of an answer. A script may throw them, too. */
/** What a call of the host throws. */
declare class HostError extends Error {
  constructor(message?: string, options?: { cause?: unknown });
  readonly class: 'auth' | 'permission' | 'network' | 'logic';
  readonly status?: number;
  readonly body?: string;
  readonly code?: string;
}
declare class AuthError extends HostError {}
declare class PermissionError extends HostError {}
declare class NetworkError extends HostError {}
declare class LogicError extends HostError {}

/** Of Node's: from, alloc, concat, byteLength, compare, isBuffer, isEncoding, and of a buffer toString, slice, equals, indexOf, lastIndexOf, includes, swap16 and its kin, copy, fill, write, readUInt8 and its kin, all with utf8, hex, base64, base64url, latin1, ascii and utf16le. Buffer.from('user:' + secret(name)).toString('base64') is a handle, as btoa makes it. */
type Encoding = 'utf8' | 'utf-8' | 'hex' | 'base64' | 'base64url' | 'latin1' | 'binary' | 'ascii' | 'utf16le' | 'ucs2';
interface Buffer extends Uint8Array {
  toString(encoding?: Encoding, from?: number, to?: number): string;
  equals(other: Uint8Array): boolean;
  compare(other: Uint8Array): -1 | 0 | 1;
  copy(to: Uint8Array, at?: number, from?: number, end?: number): number;
  write(text: string, at?: number, length?: number, encoding?: Encoding): number;
  readUInt8(at?: number): number; readUInt16LE(at?: number): number; readUInt16BE(at?: number): number; readUInt32LE(at?: number): number; readUInt32BE(at?: number): number;
  readInt8(at?: number): number; readInt16LE(at?: number): number; readInt16BE(at?: number): number; readInt32LE(at?: number): number; readInt32BE(at?: number): number;
  writeUInt8(value: number, at?: number): number; writeUInt16LE(value: number, at?: number): number; writeUInt16BE(value: number, at?: number): number;
  writeUInt32LE(value: number, at?: number): number; writeUInt32BE(value: number, at?: number): number;
  writeInt8(value: number, at?: number): number; writeInt16LE(value: number, at?: number): number; writeInt16BE(value: number, at?: number): number; writeInt32LE(value: number, at?: number): number; writeInt32BE(value: number, at?: number): number;
  readFloatLE(at?: number): number; readFloatBE(at?: number): number; readDoubleLE(at?: number): number; readDoubleBE(at?: number): number;
  writeFloatLE(value: number, at?: number): number; writeFloatBE(value: number, at?: number): number; writeDoubleLE(value: number, at?: number): number; writeDoubleBE(value: number, at?: number): number;
  readBigInt64LE(at?: number): bigint; readBigInt64BE(at?: number): bigint; readBigUInt64LE(at?: number): bigint; readBigUInt64BE(at?: number): bigint;
  writeBigInt64LE(value: bigint, at?: number): number; writeBigInt64BE(value: bigint, at?: number): number; writeBigUInt64LE(value: bigint, at?: number): number; writeBigUInt64BE(value: bigint, at?: number): number;
  readUIntLE(at: number, bytes: number): number; readUIntBE(at: number, bytes: number): number; readIntLE(at: number, bytes: number): number; readIntBE(at: number, bytes: number): number;
  writeUIntLE(value: number, at: number, bytes: number): number; writeUIntBE(value: number, at: number, bytes: number): number; writeIntLE(value: number, at: number, bytes: number): number; writeIntBE(value: number, at: number, bytes: number): number;
  swap16(): this; swap32(): this; swap64(): this;
}
declare const Buffer: {
  from(source: string, encoding?: Encoding): Buffer;
  from(source: Iterable<number> | ArrayLike<number> | ArrayBuffer, offset?: number, length?: number): Buffer;
  alloc(length: number, fill?: string | number | Uint8Array, encoding?: Encoding): Buffer;
  concat(list: Uint8Array[], length?: number): Buffer;
  byteLength(value: string | Uint8Array | ArrayBuffer, encoding?: Encoding): number;
  compare(a: Uint8Array, b: Uint8Array): -1 | 0 | 1;
  isBuffer(value: unknown): value is Buffer;
  isEncoding(name: string): boolean;
}

/** As in Node. What a listener throws fails the run. The reason of an abort is a NetworkError, and a DOMException to instanceof. */
declare class Event {
  constructor(type: string, options?: { bubbles?: boolean; cancelable?: boolean; composed?: boolean });
  readonly type: string; readonly target: EventTarget | null; readonly currentTarget: EventTarget | null; readonly bubbles: boolean; readonly cancelable: boolean; readonly defaultPrevented: boolean; readonly timeStamp: number;
  preventDefault(): void; stopPropagation(): void; stopImmediatePropagation(): void; composedPath(): EventTarget[];
}
declare class CustomEvent<T = any> extends Event { constructor(type: string, options?: { detail?: T; bubbles?: boolean; cancelable?: boolean }); readonly detail: T }
declare class EventTarget {
  addEventListener(type: string, listener: ((event: any) => unknown) | { handleEvent(event: any): unknown } | null, options?: boolean | { once?: boolean; passive?: boolean; capture?: boolean; signal?: AbortSignal }): void;
  removeEventListener(type: string, listener: ((event: any) => unknown) | { handleEvent(event: any): unknown } | null, options?: boolean | { capture?: boolean }): void;
  dispatchEvent(event: Event): boolean;
}
declare class DOMException extends Error { constructor(message?: string, name?: string); readonly code: number }

/** Calls nobody back: nothing that a run has made is collected before its end. */
// It is declared with the language (lib es2023).

/** As in Node, with toLocaleString, toLocaleDateString and toLocaleTimeString of dates and numbers, for cs, da, de-AT, de-CH, de, el, en-AU, en-CA, en-GB, en-IN, en-US, es-MX, es, fi, fr-CA, fr-CH, fr, hu, it, ja, ko, nb, nl, pl, pt-BR, pt-PT, ro, ru, sv, tr, uk, zh-CN, zh-TW. Numbers: decimal, percent, currency. Without timeZone they are in UTC, like Date. Collator and localeCompare know numeric and sensitivity. Notation compact is there for plain numbers. What is not there (other locales, names of zones, units) throws RangeError. */
// Intl is declared with the language (lib es2023).

/** Iterator.from(value), and of all iterators, as of a generator or values(), map, filter, take, drop, flatMap, reduce, toArray, forEach, some, every and find, as in Node 22. */
// It is declared with the language (lib esnext).

/** As in browsers. The body of an answer comes in one piece. */
interface ReadableStreamDefaultReader<T> { read(): Promise<{ done: false; value: T } | { done: true; value?: T }>; cancel(reason?: unknown): Promise<void>; releaseLock(): void; readonly closed: Promise<void> }
interface ReadableStreamDefaultController<T> { enqueue(piece: T): void; close(): void; error(reason?: unknown): void; readonly desiredSize: number | null }
declare class ReadableStream<T = any> implements AsyncIterable<T> {
  constructor(source?: { start?(to: ReadableStreamDefaultController<T>): unknown; pull?(to: ReadableStreamDefaultController<T>): unknown; cancel?(reason?: unknown): unknown }, strategy?: { highWaterMark?: number; size?(piece: T): number });
  static from<T>(source: Iterable<T> | AsyncIterable<T>): ReadableStream<T>;
  readonly locked: boolean;
  cancel(reason?: unknown): Promise<void>; getReader(): ReadableStreamDefaultReader<T>; tee(): [ReadableStream<T>, ReadableStream<T>];
  pipeThrough<O>(through: { readable: ReadableStream<O>; writable: WritableStream<any> }, options?: object): ReadableStream<O>; pipeTo(to: WritableStream<T>, options?: object): Promise<void>;
  values(): AsyncIterableIterator<T>; [Symbol.asyncIterator](): AsyncIterableIterator<T>;
}
declare class WritableStream<T = any> {
  constructor(sink?: { start?(controller: any): unknown; write?(piece: T, controller: any): unknown; close?(): unknown; abort?(reason?: unknown): unknown }, strategy?: { highWaterMark?: number; size?(piece: T): number });
  readonly locked: boolean;
  abort(reason?: unknown): Promise<void>; close(): Promise<void>; getWriter(): any;
}
declare class TransformStream<I = any, O = any> {
  constructor(transformer?: { start?(to: any): unknown; transform?(piece: I, to: { enqueue(piece: O): void; error(reason?: unknown): void; terminate(): void }): unknown; flush?(to: { enqueue(piece: O): void }): unknown }, writing?: object, reading?: object);
  readonly readable: ReadableStream<O>; readonly writable: WritableStream<I>;
}
declare class TextDecoderStream { constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean }); readonly encoding: string; readonly readable: ReadableStream<string>; readonly writable: WritableStream<Uint8Array> }
declare class TextEncoderStream { readonly encoding: string; readonly readable: ReadableStream<Uint8Array>; readonly writable: WritableStream<string> }
declare class ByteLengthQueuingStrategy { constructor(options: { highWaterMark: number }); readonly highWaterMark: number }
declare class CountQueuingStrategy { constructor(options: { highWaterMark: number }); readonly highWaterMark: number }

/** As in browsers. TextDecoder knows utf-8, utf-16le, latin1 and windows-1252. */
declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  decode(bytes?: Uint8Array | ArrayBuffer, options?: { stream?: boolean }): string;
}

/** As in browsers. */
declare class URLSearchParams implements Iterable<[string, string]> {
  constructor(init?: string | Record<string, unknown> | Iterable<[string, unknown]>);
  readonly size: number;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: unknown): boolean;
  set(name: string, value: unknown): void;
  append(name: string, value: unknown): void;
  delete(name: string, value?: unknown): void;
  sort(): void;
  forEach(visit: (value: string, name: string, all: URLSearchParams) => void, self?: unknown): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
  toString(): string;
}
declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string; protocol: string; username: string; password: string; host: string; hostname: string;
  port: string; pathname: string; search: string; hash: string;
  readonly origin: string;
  readonly searchParams: URLSearchParams;
  toString(): string;
  toJSON(): string;
}

/** Holds its object to the end of the run, so that deref() always gives it. */
// It is declared with the language (lib es2023).

/** '.' and './script.js': files lie in the workflow's own folder. import.meta has dirname, filename and url, which is that of process.argv[1]. */
declare const __dirname: string;
declare const __filename: string;

/** Base64. */
declare function atob(text: string): string;
declare function btoa(text: string): string;

/** Write a line of the run's log, objects as JSON. A text with %s, %d, %i, %f, %j or %o takes what follows it in. */
declare const console: {
  log(...values: unknown[]): void; info(...values: unknown[]): void; debug(...values: unknown[]): void; warn(...values: unknown[]): void; error(...values: unknown[]): void;
  trace(...values: unknown[]): void; dir(value: unknown, options?: object): void; table(rows: unknown, columns?: string[]): void;
  group(...values: unknown[]): void; groupCollapsed(...values: unknown[]): void; groupEnd(): void;
  assert(condition?: unknown, ...values: unknown[]): void; count(label?: string): void; countReset(label?: string): void;
  time(label?: string): void; timeLog(label?: string, ...values: unknown[]): void; timeEnd(label?: string): void;
};

/** Random, and the same again when the run is repeated, like Math.random(), crypto.getRandomValues(bytes), crypto.randomBytes(n) and crypto.randomInt(from, to). */
interface CryptoKey { readonly type: string; readonly extractable: boolean; readonly algorithm: object; readonly usages: string[] }
interface Hash { update(data: string | Uint8Array, encoding?: Encoding): this; digest(): Buffer; digest(encoding: Encoding): string; copy(): Hash }
interface Cipher {
  update(data: string | Uint8Array, from?: Encoding | null): Buffer; update(data: string | Uint8Array, from: Encoding | null | undefined, to: Encoding): string;
  final(): Buffer; final(to: Encoding): string; setAutoPadding(on?: boolean): this; setAAD(data: Uint8Array): this; getAuthTag(): Buffer;
}
interface Decipher extends Cipher { setAuthTag(tag: Uint8Array): this }
type HashName = 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512';
declare const crypto: {
  randomUUID(): string;
  getRandomValues<T extends Uint8Array>(into: T): T;
  randomBytes(n: number): Buffer;
  randomInt(from: number, to?: number): number;
  /** The digest in hexadecimal. */
  hash(algorithm: 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512', text: string): string;
  createHash(algorithm: string): Hash;
  createHmac(algorithm: string, key: string | Uint8Array): Hash;
  createCipheriv(algorithm: string, key: string | Uint8Array, iv: string | Uint8Array | null, options?: { authTagLength?: number }): Cipher;
  createDecipheriv(algorithm: string, key: string | Uint8Array, iv: string | Uint8Array | null, options?: { authTagLength?: number }): Decipher;
  pbkdf2Sync(password: string | Uint8Array, salt: string | Uint8Array, iterations: number, length: number, digest: string): Buffer;
  pbkdf2(password: string | Uint8Array, salt: string | Uint8Array, iterations: number, length: number, digest: string, done: (e: Error | null, key: Buffer) => void): void;
  scryptSync(password: string | Uint8Array, salt: string | Uint8Array, length: number, options?: { N?: number; r?: number; p?: number; maxmem?: number }): Buffer;
  scrypt(password: string | Uint8Array, salt: string | Uint8Array, length: number, ...rest: unknown[]): void;
  getHashes(): string[];
  getCiphers(): string[];
  timingSafeEqual(a: Uint8Array, b: Uint8Array): boolean;
  readonly subtle: {
    digest(algorithm: HashName | { name: HashName }, data: Uint8Array | ArrayBuffer): Promise<ArrayBuffer>;
    importKey(format: 'raw', data: Uint8Array | ArrayBuffer, algorithm: { name: 'HMAC'; hash: HashName | { name: HashName } }, extractable: boolean, usages: string[]): Promise<CryptoKey>;
    exportKey(format: 'raw', key: CryptoKey): Promise<ArrayBuffer>;
    sign(algorithm: 'HMAC' | { name: 'HMAC' }, key: CryptoKey, data: Uint8Array | ArrayBuffer): Promise<ArrayBuffer>;
    verify(algorithm: 'HMAC' | { name: 'HMAC' }, key: CryptoKey, signature: Uint8Array | ArrayBuffer, data: Uint8Array | ArrayBuffer): Promise<boolean>;
  };
};

/** The standard fetch, which makes a call of web.fetch: it takes method, headers, body (text, bytes, URLSearchParams, FormData, a stream), redirect and signal, beside them effect and timeoutMs. Without an answer it throws NetworkError, and not TypeError. response.body is a stream of one piece. */
type HeadersInit = Headers | Record<string, string | number> | Iterable<[string, string]>;
type BodyInit = string | URLSearchParams | FormData | Blob | Uint8Array | ArrayBuffer | ReadableStream<any>;
declare class Headers implements Iterable<[string, string]> {
  constructor(init?: HeadersInit);
  get(name: string): string | null; has(name: string): boolean; set(name: string, value: string): void; append(name: string, value: string): void; delete(name: string): void;
  getSetCookie(): string[];
  forEach(visit: (value: string, name: string, all: Headers) => void): void;
  entries(): IterableIterator<[string, string]>; keys(): IterableIterator<string>; values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}
interface Body {
  readonly bodyUsed: boolean; readonly body: ReadableStream<Uint8Array> | null;
  text(): Promise<string>; json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer>; bytes(): Promise<Uint8Array>; blob(): Promise<Blob>; formData(): Promise<FormData>;
}
interface RequestInit { method?: string; headers?: HeadersInit; body?: BodyInit | null; signal?: AbortSignal | null; redirect?: 'follow' | 'manual'; effect?: 'read' | 'write'; timeoutMs?: number }
declare class Request implements Body {
  constructor(url: string | URL | Request, init?: RequestInit);
  readonly url: string; readonly method: string; readonly headers: Headers; readonly signal: AbortSignal | null; readonly bodyUsed: boolean; readonly body: ReadableStream<Uint8Array> | null;
  clone(): Request;
  text(): Promise<string>; json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer>; bytes(): Promise<Uint8Array>; blob(): Promise<Blob>; formData(): Promise<FormData>;
}
declare class Response implements Body {
  constructor(body?: BodyInit | null, init?: { status?: number; statusText?: string; headers?: HeadersInit });
  static json(value: unknown, init?: { status?: number; statusText?: string; headers?: HeadersInit }): Response;
  readonly ok: boolean; readonly status: number; readonly statusText: string; readonly url: string; readonly headers: Headers; readonly redirected: boolean; readonly type: string; readonly bodyUsed: boolean; readonly body: ReadableStream<Uint8Array> | null;
  clone(): Response;
  text(): Promise<string>; json(): Promise<any>; arrayBuffer(): Promise<ArrayBuffer>; bytes(): Promise<Uint8Array>; blob(): Promise<Blob>; formData(): Promise<FormData>;
}
declare class FormData implements Iterable<[string, string | File]> {
  append(name: string, value: unknown, filename?: string): void; set(name: string, value: unknown, filename?: string): void;
  get(name: string): string | File | null; getAll(name: string): (string | File)[]; has(name: string): boolean; delete(name: string): void;
  forEach(visit: (value: string | File, name: string) => void): void;
  entries(): IterableIterator<[string, string | File]>; keys(): IterableIterator<string>; values(): IterableIterator<string | File>;
  [Symbol.iterator](): IterableIterator<[string, string | File]>;
}
declare class Blob {
  constructor(parts?: (string | Uint8Array | ArrayBuffer | Blob)[], options?: { type?: string });
  readonly size: number; readonly type: string;
  text(): Promise<string>; arrayBuffer(): Promise<ArrayBuffer>; slice(from?: number, to?: number, type?: string): Blob;
}
declare class File extends Blob { constructor(parts: (string | Uint8Array | ArrayBuffer | Blob)[], name: string, options?: { type?: string }); readonly name: string }
declare function fetch(url: string | URL | Request, init?: RequestInit): Promise<Response>;

/** {year, month, day, hour, minute, second, weekday, offset, date, iso} in the workflow's zone or the one named. weekday is 0 on Sunday, offset minutes east of Greenwich, date 'YYYY-MM-DD'. */
/** weekday is 0 on Sunday, offset minutes east of Greenwich. */
interface LocalTime { year: number; month: number; day: number; hour: number; minute: number; second: number; weekday: number; offset: number; date: string; iso: string }
declare function localTime(dateOrMs?: Date | number | string, zone?: string): LocalTime;

/** For who hands over what runs as CommonJS does, module.exports = main: a function, or an object with a function main, default, handler or run, or with one function. */
declare var module: { exports: any };
declare var exports: any;

/** Milliseconds since the run began, on its clock: computing takes none of it. */
declare const performance: { now(): number; readonly timeOrigin: number };

/** The handle of the secret NAME, as secret('NAME') gives it, for names in capitals. Nothing of the machine's own environment is there; NODE_ENV is 'production', TZ 'UTC'. process.exit() ends the run; exit(1), and an exitCode that is not 0, fail it with the error that the script wrote to its log last. stdout.write writes a line of the log, hrtime and uptime show the run's clock, argv is Node's without arguments, and on does nothing: what is not caught fails the run. */
declare const process: {
  /** Handles of secrets, never their values. */
  readonly env: { readonly [name: string]: string | undefined };
  nextTick(f: (...args: any[]) => unknown, ...args: unknown[]): void;
  exit(code?: number): never;
  exitCode: number | undefined;
  readonly argv: string[]; readonly execArgv: string[]; readonly pid: number; readonly platform: string; readonly arch: string; readonly title: string; readonly version: string; readonly versions: Record<string, string>;
  readonly stdout: { write(text: string): boolean; readonly isTTY: boolean }; readonly stderr: { write(text: string): boolean; readonly isTTY: boolean };
  cwd(): string; uptime(): number; hrtime: { (since?: [number, number]): [number, number]; bigint(): bigint };
  memoryUsage(): { rss: number; heapTotal: number; heapUsed: number; external: number; arrayBuffers: number };
  on(event: string, f: (...args: any[]) => unknown): unknown; once(event: string, f: (...args: any[]) => unknown): unknown; off(event: string, f: (...args: any[]) => unknown): unknown;
  emitWarning(text: string | Error): void;
};

/** What import * as name from module gives, for who writes it so, as does await import(module). The modules are those below. */
declare function require(module: string): any;

/** A handle of a secret that the person set, never its value. The host puts the value in, only in header values and URL query values, and only for the hosts that the person bound it to, as it is or through btoa: 'Basic ' + btoa('user:' + secret(name)). A script cannot hash, cut or otherwise encode it. */
declare function secret(name: string): string;

/** As in Node, on the script's clock: waiting takes no real time. A run ends when nothing is left to wait for. */
interface Timeout { ref(): this; unref(): this; hasRef(): boolean }
declare function setTimeout<A extends unknown[]>(f: (...args: A) => unknown, ms?: number, ...args: A): Timeout;
declare function setInterval<A extends unknown[]>(f: (...args: A) => unknown, ms?: number, ...args: A): Timeout;
declare function setImmediate<A extends unknown[]>(f: (...args: A) => unknown, ...args: A): Timeout;
declare function clearTimeout(timeout?: Timeout | number | string | null): void;
declare function clearInterval(timeout?: Timeout | number | string | null): void;
declare function clearImmediate(timeout?: Timeout | number | string | null): void;
declare function queueMicrotask(f: () => unknown): void;

/** A promise. The script's clock moves on; no real time passes. */
declare function sleep(ms: number): Promise<null>;

/** As in browsers. */
declare function structuredClone<T>(value: T, options?: { transfer?: ArrayBuffer[] }): T;

type HTTPMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options';
/** Whatever answer there is: names of headers in lower case. */
interface WebAnswer { status: number; headers: Record<string, string>; body: string; base64?: string; url?: string }

/** The answer of the workflow's person, a text. The run stands still until then, for days if need be. After timeoutMs it goes on with default, and throws LogicError if there is none. options are likely answers. */
declare function ask(question: string, options?: { options?: string[] | null; timeoutMs?: number | null; default?: unknown } | null): Promise<any>;

declare const files: {
  /** null. Puts text behind what is there, or makes the file. */
  append(path: string, text: string): Promise<null>;
  /** The names directly in a folder, sorted, those of folders with a slash behind; without dir of the workflow's own folder. A folder is there as long as a file lies under it; another one throws LogicError. */
  list(dir?: string | null): Promise<string[]>;
  /** The text of a file. One that is not there throws LogicError. */
  read(path: string): Promise<string>;
  /** null. A file that is not there is fine; a folder throws LogicError. */
  remove(path: string): Promise<null>;
  /** {size, modified}: bytes, and an ISO time. A file that is not there throws LogicError. */
  stat(path: string): Promise<{ size: number; modified: string }>;
  /** null. The whole file; folders are made as needed. */
  write(path: string, text: string): Promise<null>;
};

declare const kv: {
  /** null. A key that is not there is fine. */
  delete(key: string): Promise<null>;
  /** The value that was kept, or null. */
  get<T = any>(key: string): Promise<T | null>;
  /** The keys that begin with prefix, sorted; without one all keys. */
  list(prefix?: string | null): Promise<string[]>;
  /** null. Keeps any JSON value for later runs. */
  set(key: string, value: unknown): Promise<null>;
  /** null. Adds a number to the one that is kept, or to 0. Runs at the same time add all they add. Another value that is kept throws LogicError. */
  update(key: string, add: number): Promise<null>;
};

/** null. A message to the workflow's person. */
declare function notify(title: string, text?: string | null): Promise<null>;

declare const web: {
  /** {status, headers, body} of whatever answer there is: names of headers in lower case, body a text; of bytes that are no UTF-8 base64 has them, up to some MiB. Throws NetworkError if there is none. Redirects are followed, and url is then where they led to; {redirect: 'manual'} gives the answer that redirects. A 500, 502, 504 or 507 of a write does not say whether it happened, nor does a page that a script fails of as JSON: the run stands still until that is known. */
  fetch(url: string, options?: { method?: HTTPMethod; body?: string | null; base64?: string; headers?: Record<string, string | number> | null; timeoutMs?: number | null; effect?: 'read' | 'write'; redirect?: 'follow' | 'manual' } | null): Promise<WebAnswer>;
  /** The parsed body, null for an empty one. 401 throws AuthError, 403 PermissionError; 408, 425, 429 and 5xx NetworkError; other 4xx, and a body that is no JSON, LogicError; one that was cut off or is bytes, and a web page in the place of JSON, NetworkError, or AuthError if it asks for a login. */
  getJSON<T = any>(url: string, options?: { headers?: Record<string, string | number> | null; timeoutMs?: number | null } | null): Promise<T>;
  /** The parsed body of the answer, null for an empty one. value is sent as JSON; method is POST, or PUT, PATCH or DELETE. Errors are those of web.getJSON; of a write that 500, 502, 504 or 507 leaves open see web.fetch. */
  postJSON<T = any>(url: string, value?: unknown, options?: { method?: HTTPMethod; headers?: Record<string, string | number> | null; timeoutMs?: number | null; effect?: 'read' | 'write' } | null): Promise<T>;
};

/** Of Google Apps Script, for scripts that come from there, without await: UrlFetchApp (web.fetch), PropertiesService and CacheService (kv), MailApp and GmailApp (notify), Utilities, Logger, LockService (runs of a workflow do not overlap) and Session. There are no documents, spreadsheets and drives. */
declare module 'kintsugi:apps-script' {
  export const UrlFetchApp: any; export const PropertiesService: any; export const CacheService: any; export const LockService: any; export const Utilities: any; export const Logger: any; export const MailApp: any; export const GmailApp: any; export const Session: any;
}

/** CSV. parse gives rows of texts, with {header: true} objects by the names in the first line. The delimiter is a comma unless another one of ; tab | is in the first line and no comma is. A row with more or fewer fields than the first throws SyntaxError, which names the line, unless {relaxed: true}. stringify takes rows that are arrays or objects, and quotes what needs it. */
declare module 'kintsugi:csv' {
  export interface ParseOptions { header?: boolean | string[]; delimiter?: string; comment?: string; trim?: boolean; relaxed?: boolean }
  export function parse(text: string, options: ParseOptions & { header: true | string[] }): Record<string, string>[];
  export function parse(text: string, options?: ParseOptions): string[][];
  export interface StringifyOptions { header?: boolean | string[]; delimiter?: string; newline?: '\n' | '\r\n' }
  export function stringify(rows: unknown[][] | Record<string, unknown>[], options?: StringifyOptions): string;
}

/** Luxon: dates with zones. DateTime.now() is the run's time, in the workflow's zone unless one is named; Duration and Interval are there. Other languages than English are those of Intl. ZZZZ is the zone's short name, such as CEST, where Node may have GMT+2. */
declare module 'kintsugi:dates' {
  export interface DateObjectUnits { year?: number; month?: number; day?: number; ordinal?: number; weekYear?: number; weekNumber?: number; weekday?: number; hour?: number; minute?: number; second?: number; millisecond?: number }
  export interface DurationLike { years?: number; quarters?: number; months?: number; weeks?: number; days?: number; hours?: number; minutes?: number; seconds?: number; milliseconds?: number; year?: number; quarter?: number; month?: number; week?: number; day?: number; hour?: number; minute?: number; second?: number; millisecond?: number }
  export type Unit = 'year' | 'years' | 'quarter' | 'quarters' | 'month' | 'months' | 'week' | 'weeks' | 'day' | 'days' | 'hour' | 'hours' | 'minute' | 'minutes' | 'second' | 'seconds' | 'millisecond' | 'milliseconds';
  export interface Options { zone?: string | Zone; setZone?: boolean; locale?: string }
  export class Zone { readonly type: string; readonly name: string; readonly isValid: boolean; offset(ms: number): number }
  export class IANAZone extends Zone { static create(name: string): IANAZone; static isValidZone(name: string): boolean }
  export class FixedOffsetZone extends Zone { static instance(minutes: number): FixedOffsetZone; static readonly utcInstance: FixedOffsetZone }
  export class Duration {
    static fromObject(parts: DurationLike): Duration; static fromISO(text: string): Duration; static fromMillis(ms: number): Duration;
    readonly years: number; readonly months: number; readonly weeks: number; readonly days: number; readonly hours: number; readonly minutes: number; readonly seconds: number; readonly milliseconds: number; readonly isValid: boolean;
    as(unit: Unit): number; get(unit: Unit): number; shiftTo(...units: Unit[]): Duration; normalize(): Duration; plus(other: DurationLike | Duration): Duration; minus(other: DurationLike | Duration): Duration; negate(): Duration;
    toMillis(): number; toObject(): DurationLike; toISO(): string; toFormat(format: string): string; toHuman(options?: object): string;
  }
  export class Interval {
    static fromDateTimes(start: DateTime, end: DateTime): Interval; static after(start: DateTime, length: DurationLike | Duration): Interval; static fromISO(text: string): Interval;
    readonly start: DateTime; readonly end: DateTime; readonly isValid: boolean;
    contains(at: DateTime): boolean; overlaps(other: Interval): boolean; length(unit?: Unit): number; count(unit?: Unit): number; splitBy(length: DurationLike | Duration): Interval[]; toISO(): string; toDuration(unit?: Unit | Unit[]): Duration;
  }
  export class DateTime {
    static now(): DateTime; static utc(...parts: (number | object)[]): DateTime; static local(...parts: (number | object)[]): DateTime;
    static fromISO(text: string, options?: Options): DateTime; static fromFormat(text: string, format: string, options?: Options): DateTime; static fromRFC2822(text: string, options?: Options): DateTime; static fromHTTP(text: string, options?: Options): DateTime; static fromSQL(text: string, options?: Options): DateTime;
    static fromMillis(ms: number, options?: Options): DateTime; static fromSeconds(seconds: number, options?: Options): DateTime; static fromJSDate(date: Date, options?: Options): DateTime; static fromObject(parts: DateObjectUnits, options?: Options): DateTime;
    static max(...list: DateTime[]): DateTime; static min(...list: DateTime[]): DateTime; static isDateTime(value: unknown): value is DateTime;
    static readonly DATE_SHORT: object; static readonly DATE_MED: object; static readonly DATE_FULL: object; static readonly DATETIME_SHORT: object; static readonly DATETIME_MED: object; static readonly TIME_SIMPLE: object; static readonly TIME_24_SIMPLE: object;
    readonly year: number; readonly quarter: number; readonly month: number; readonly day: number; readonly hour: number; readonly minute: number; readonly second: number; readonly millisecond: number; readonly weekday: number; readonly weekNumber: number; readonly weekYear: number; readonly ordinal: number;
    readonly daysInMonth: number; readonly isInLeapYear: boolean; readonly isInDST: boolean; readonly isValid: boolean; readonly invalidReason: string | null; readonly offset: number; readonly zoneName: string; readonly zone: Zone; readonly monthLong: string; readonly monthShort: string; readonly weekdayLong: string; readonly weekdayShort: string; readonly ts: number;
    plus(length: DurationLike | Duration | number): DateTime; minus(length: DurationLike | Duration | number): DateTime; set(parts: DateObjectUnits): DateTime; startOf(unit: Unit): DateTime; endOf(unit: Unit): DateTime;
    diff(other: DateTime, unit?: Unit | Unit[]): Duration; diffNow(unit?: Unit | Unit[]): Duration; until(other: DateTime): Interval; hasSame(other: DateTime, unit: Unit): boolean; equals(other: DateTime): boolean;
    setZone(zone: string | Zone, options?: { keepLocalTime?: boolean }): DateTime; toUTC(): DateTime; toLocal(): DateTime; setLocale(locale: string): DateTime;
    toISO(options?: object): string; toISODate(): string; toISOTime(options?: object): string; toISOWeekDate(): string; toSQL(): string; toSQLDate(): string; toHTTP(): string; toRFC2822(): string; toFormat(format: string): string; toLocaleString(options?: object): string; toRelative(options?: object): string | null;
    toMillis(): number; toSeconds(): number; toUnixInteger(): number; toJSDate(): Date; toObject(): DateObjectUnits; toJSON(): string; valueOf(): number;
  }
  export const Info: any;
  export const Settings: any;
}
declare module 'luxon' { export * from 'kintsugi:dates'; }

/** decimal.js: exact decimal arithmetic, for money. new Decimal('0.1').plus('0.2').toFixed(2); 20 significant digits and half up unless Decimal.set says otherwise. */
declare module 'kintsugi:decimal' {
  export type Value = string | number | bigint | Decimal;
  export class Decimal {
    constructor(value: Value);
    static set(options: { precision?: number; rounding?: number }): typeof Decimal; static clone(options?: { precision?: number; rounding?: number }): typeof Decimal;
    static max(...values: Value[]): Decimal; static min(...values: Value[]): Decimal; static sum(...values: Value[]): Decimal; static isDecimal(value: unknown): value is Decimal;
    static readonly ROUND_UP: 0; static readonly ROUND_DOWN: 1; static readonly ROUND_CEIL: 2; static readonly ROUND_FLOOR: 3; static readonly ROUND_HALF_UP: 4; static readonly ROUND_HALF_DOWN: 5; static readonly ROUND_HALF_EVEN: 6;
    plus(n: Value): Decimal; add(n: Value): Decimal; minus(n: Value): Decimal; sub(n: Value): Decimal; times(n: Value): Decimal; mul(n: Value): Decimal; dividedBy(n: Value): Decimal; div(n: Value): Decimal; modulo(n: Value): Decimal; mod(n: Value): Decimal; dividedToIntegerBy(n: Value): Decimal; pow(n: Value): Decimal; sqrt(): Decimal;
    abs(): Decimal; negated(): Decimal; neg(): Decimal; round(): Decimal; floor(): Decimal; ceil(): Decimal; trunc(): Decimal; toDecimalPlaces(places: number, rounding?: number): Decimal; toDP(places: number, rounding?: number): Decimal; toSignificantDigits(digits: number, rounding?: number): Decimal; toNearest(n: Value, rounding?: number): Decimal;
    comparedTo(n: Value): number; cmp(n: Value): number; equals(n: Value): boolean; eq(n: Value): boolean; greaterThan(n: Value): boolean; gt(n: Value): boolean; gte(n: Value): boolean; lessThan(n: Value): boolean; lt(n: Value): boolean; lte(n: Value): boolean;
    isZero(): boolean; isNegative(): boolean; isPositive(): boolean; isInteger(): boolean; isNaN(): boolean; isFinite(): boolean; decimalPlaces(): number; precision(): number;
    toFixed(places?: number, rounding?: number): string; toString(): string; toNumber(): number; toJSON(): string; toPrecision(digits?: number): string; valueOf(): string;
  }
  export default Decimal;
}
declare module 'decimal.js' { export * from 'kintsugi:decimal'; export { Decimal as default } from 'kintsugi:decimal'; }

/** HTML as browsers read it, to look into, not to change. parse gives the document, with querySelector and querySelectorAll (CSS selectors; an array of elements), and of an element textContent, innerText (without scripts and styles, blanks as one), getAttribute, attributes, children, parentElement, nextElementSibling, innerHTML, outerHTML, matches and closest. */
declare module 'kintsugi:html' {
  export interface Element {
    readonly tagName: string; readonly id: string; readonly className: string; readonly textContent: string; readonly innerText: string; readonly innerHTML: string; readonly outerHTML: string;
    readonly attributes: Record<string, string>; readonly children: Element[]; readonly parentElement: Element | null; readonly nextElementSibling: Element | null; readonly previousElementSibling: Element | null;
    getAttribute(name: string): string | null; hasAttribute(name: string): boolean;
    querySelector(css: string): Element | null; querySelectorAll(css: string): Element[]; matches(css: string): boolean; closest(css: string): Element | null;
    toString(): string;
  }
  export function parse(text: string): Element;
}

/** Markdown (CommonMark with tables, strikethrough, task lists and bare links, as on GitHub) as HTML. HTML in the text is left out, and so are javascript: links, unless {html: true}. */
declare module 'kintsugi:markdown' {
  export function render(text: string, options?: { html?: boolean }): string;
}

/** Of n8n, for workflows that come from there (kintsugi script import n8n): workflow(input) takes the nodes of a workflow, each with those that its items come from, and run() runs them as n8n does; their functions are handed $input, $json, items, $node and the like, with Luxon. begin(input) gives the steps that scripts of before have. The run's input is the items of the trigger. */
declare module 'kintsugi:n8n' {
  export function begin(input: unknown, title?: string): any; export function workflow(input: unknown, title?: string): any;
}

/** Of Node's assert: ok, equal, deepEqual, throws, rejects, match and their kin; messages have other words. */
declare module 'kintsugi:node/assert' {
  export const AssertionError: any; export const deepEqual: any; export const deepStrictEqual: any; export const doesNotMatch: any; export const doesNotReject: any; export const doesNotThrow: any; export const equal: any; export const fail: any; export const ifError: any; export const match: any; export const notDeepEqual: any; export const notDeepStrictEqual: any; export const notEqual: any; export const notStrictEqual: any; export const ok: any; export const rejects: any; export const strict: any; export const strictEqual: any; export const throws: any; 
}
declare module 'assert' { export * from 'kintsugi:node/assert'; }
declare module 'node:assert' { export * from 'kintsugi:node/assert'; }

/** Of Node's assert, where equal is strictEqual. */
declare module 'kintsugi:node/assert/strict' {
  export const AssertionError: any; export const deepEqual: any; export const deepStrictEqual: any; export const doesNotMatch: any; export const doesNotReject: any; export const doesNotThrow: any; export const equal: any; export const fail: any; export const ifError: any; export const match: any; export const notDeepEqual: any; export const notDeepStrictEqual: any; export const notEqual: any; export const notStrictEqual: any; export const ok: any; export const rejects: any; export const strict: any; export const strictEqual: any; export const throws: any; 
}
declare module 'assert/strict' { export * from 'kintsugi:node/assert/strict'; }
declare module 'node:assert/strict' { export * from 'kintsugi:node/assert/strict'; }

/** What is there without import, for who imports it. */
declare module 'kintsugi:node/buffer' {
  export const Buffer: any; 
}
declare module 'buffer' { export * from 'kintsugi:node/buffer'; }
declare module 'node:buffer' { export * from 'kintsugi:node/buffer'; }

/** What is there without import, for who imports it. */
declare module 'kintsugi:node/crypto' {
  export const createCipheriv: any; export const createDecipheriv: any; export const createHash: any; export const createHmac: any; export const getCiphers: any; export const getHashes: any; export const getRandomValues: any; export const hash: any; export const pbkdf2: any; export const pbkdf2Sync: any; export const randomBytes: any; export const randomInt: any; export const randomUUID: any; export const scrypt: any; export const scryptSync: any; export const subtle: any; export const timingSafeEqual: any; export const webcrypto: any; 
}
declare module 'crypto' { export * from 'kintsugi:node/crypto'; }
declare module 'node:crypto' { export * from 'kintsugi:node/crypto'; }

/** Of Node's events: EventEmitter, once and on. */
declare module 'kintsugi:node/events' {
  export const EventEmitter: any; export const defaultMaxListeners: any; export const on: any; export const once: any; 
}
declare module 'events' { export * from 'kintsugi:node/events'; }
declare module 'node:events' { export * from 'kintsugi:node/events'; }

/** Of Node's fs, over the calls of files: readFile, writeFile, appendFile, readdir, unlink, rm, stat and access, each also with Sync, existsSync, and promises. Paths lie in the workflow's folder, which is '.'; mkdir does nothing. */
declare module 'kintsugi:node/fs' {
  export const access: any; export const accessSync: any; export const appendFile: any; export const appendFileSync: any; export const existsSync: any; export const mkdir: any; export const mkdirSync: any; export const promises: any; export const readFile: any; export const readFileSync: any; export const readdir: any; export const readdirSync: any; export const rm: any; export const rmSync: any; export const stat: any; export const statSync: any; export const unlink: any; export const unlinkSync: any; export const writeFile: any; export const writeFileSync: any; 
}
declare module 'fs' { export * from 'kintsugi:node/fs'; }
declare module 'node:fs' { export * from 'kintsugi:node/fs'; }

/** The promises of fs. */
declare module 'kintsugi:node/fs/promises' {
  export const access: any; export const appendFile: any; export const mkdir: any; export const readFile: any; export const readdir: any; export const rm: any; export const stat: any; export const unlink: any; export const writeFile: any; 
}
declare module 'fs/promises' { export * from 'kintsugi:node/fs/promises'; }
declare module 'node:fs/promises' { export * from 'kintsugi:node/fs/promises'; }

/** Of Node's http and https, over web.fetch: get and request, with write, end, setHeader and on of a request, statusCode, headers, setEncoding and on of its answer, which comes in one piece of text. Redirects are followed. */
declare module 'kintsugi:node/http' {
  export const Agent: any; export const get: any; export const request: any; 
}
declare module 'http' { export * from 'kintsugi:node/http'; }
declare module 'node:http' { export * from 'kintsugi:node/http'; }

/** Of Node's http and https, over web.fetch: get and request, with write, end, setHeader and on of a request, statusCode, headers, setEncoding and on of its answer, which comes in one piece of text. Redirects are followed. */
declare module 'kintsugi:node/https' {
  export const Agent: any; export const get: any; export const request: any; 
}
declare module 'https' { export * from 'kintsugi:node/https'; }
declare module 'node:https' { export * from 'kintsugi:node/https'; }

/** createRequire of Node's module, for modules that are written with require. */
declare module 'kintsugi:node/module' {
  export const createRequire: any; 
}
declare module 'module' { export * from 'kintsugi:node/module'; }
declare module 'node:module' { export * from 'kintsugi:node/module'; }

/** Of Node's os: EOL, and of the machine what is the same on each. */
declare module 'kintsugi:node/os' {
  export const EOL: any; export const arch: any; export const cpus: any; export const endianness: any; export const freemem: any; export const homedir: any; export const hostname: any; export const loadavg: any; export const networkInterfaces: any; export const platform: any; export const release: any; export const tmpdir: any; export const totalmem: any; export const type: any; export const uptime: any; export const userInfo: any; 
}
declare module 'os' { export * from 'kintsugi:node/os'; }
declare module 'node:os' { export * from 'kintsugi:node/os'; }

/** Of Node's path: join, resolve, relative, dirname, basename, extname, normalize, isAbsolute, parse, format, sep. */
declare module 'kintsugi:node/path' {
  export const basename: any; export const delimiter: any; export const dirname: any; export const extname: any; export const format: any; export const isAbsolute: any; export const join: any; export const normalize: any; export const parse: any; export const posix: any; export const relative: any; export const resolve: any; export const sep: any; 
}
declare module 'path' { export * from 'kintsugi:node/path'; }
declare module 'node:path' { export * from 'kintsugi:node/path'; }

/** performance, which is there without import. */
declare module 'kintsugi:node/perf_hooks' {
  export const performance: any; 
}
declare module 'perf_hooks' { export * from 'kintsugi:node/perf_hooks'; }
declare module 'node:perf_hooks' { export * from 'kintsugi:node/perf_hooks'; }

/** What is there without import, for who imports it. */
declare module 'kintsugi:node/process' {
  export const arch: any; export const argv: any; export const cwd: any; export const emitWarning: any; export const env: any; export const exit: any; export const hrtime: any; export const memoryUsage: any; export const nextTick: any; export const on: any; export const once: any; export const pid: any; export const platform: any; export const stderr: any; export const stdout: any; export const uptime: any; export const version: any; export const versions: any; 
}
declare module 'process' { export * from 'kintsugi:node/process'; }
declare module 'node:process' { export * from 'kintsugi:node/process'; }

/** Node's querystring. */
declare module 'kintsugi:node/querystring' {
  export const decode: any; export const encode: any; export const escape: any; export const parse: any; export const stringify: any; export const unescape: any; 
}
declare module 'querystring' { export * from 'kintsugi:node/querystring'; }
declare module 'node:querystring' { export * from 'kintsugi:node/querystring'; }

/** createInterface of Node's readline over a stream, for its lines. There is no terminal: ask(question) asks a person. */
declare module 'kintsugi:node/readline' {
  export const Interface: any; export const clearLine: any; export const createInterface: any; export const cursorTo: any; export const promises: any; 
}
declare module 'readline' { export * from 'kintsugi:node/readline'; }
declare module 'node:readline' { export * from 'kintsugi:node/readline'; }

/** As readline. */
declare module 'kintsugi:node/readline/promises' {
  export const Interface: any; export const createInterface: any; 
}
declare module 'readline/promises' { export * from 'kintsugi:node/readline/promises'; }
declare module 'node:readline/promises' { export * from 'kintsugi:node/readline/promises'; }

/** Node's stream: Readable, Writable, Duplex, Transform, PassThrough, pipeline and finished, as the package readable-stream has them. */
declare module 'kintsugi:node/stream' {
  export const Duplex: any; export const PassThrough: any; export const Readable: any; export const Stream: any; export const Transform: any; export const Writable: any; export const addAbortSignal: any; export const compose: any; export const finished: any; export const pipeline: any; export const promises: any; 
}
declare module 'stream' { export * from 'kintsugi:node/stream'; }
declare module 'node:stream' { export * from 'kintsugi:node/stream'; }

/** What a stream gives as a whole: text, json, buffer and arrayBuffer. */
declare module 'kintsugi:node/stream/consumers' {
  export const arrayBuffer: any; export const buffer: any; export const json: any; export const text: any; 
}
declare module 'stream/consumers' { export * from 'kintsugi:node/stream/consumers'; }
declare module 'node:stream/consumers' { export * from 'kintsugi:node/stream/consumers'; }

/** pipeline and finished of Node's stream as promises. */
declare module 'kintsugi:node/stream/promises' {
  export const finished: any; export const pipeline: any; 
}
declare module 'stream/promises' { export * from 'kintsugi:node/stream/promises'; }
declare module 'node:stream/promises' { export * from 'kintsugi:node/stream/promises'; }

/** What is there without import, for who imports it. */
declare module 'kintsugi:node/stream/web' {
  export const ByteLengthQueuingStrategy: any; export const CountQueuingStrategy: any; export const ReadableStream: any; export const TextDecoderStream: any; export const TextEncoderStream: any; export const TransformStream: any; export const WritableStream: any; 
}
declare module 'stream/web' { export * from 'kintsugi:node/stream/web'; }
declare module 'node:stream/web' { export * from 'kintsugi:node/stream/web'; }

/** Node's StringDecoder. */
declare module 'kintsugi:node/string_decoder' {
  export const StringDecoder: any; 
}
declare module 'string_decoder' { export * from 'kintsugi:node/string_decoder'; }
declare module 'node:string_decoder' { export * from 'kintsugi:node/string_decoder'; }

/** What is there without import, for who imports it. */
declare module 'kintsugi:node/timers' {
  export const clearImmediate: any; export const clearInterval: any; export const clearTimeout: any; export const setImmediate: any; export const setInterval: any; export const setTimeout: any; 
}
declare module 'timers' { export * from 'kintsugi:node/timers'; }
declare module 'node:timers' { export * from 'kintsugi:node/timers'; }

/** Of Node's timers/promises, on the run's clock. */
declare module 'kintsugi:node/timers/promises' {
  export const scheduler: any; export const setImmediate: any; export const setInterval: any; export const setTimeout: any; 
}
declare module 'timers/promises' { export * from 'kintsugi:node/timers/promises'; }
declare module 'node:timers/promises' { export * from 'kintsugi:node/timers/promises'; }

/** Of Node's url: URL, URLSearchParams, fileURLToPath, pathToFileURL, parse, format, resolve, domainToASCII, domainToUnicode and urlToHttpOptions. */
declare module 'kintsugi:node/url' {
  export const URL: any; export const URLSearchParams: any; export const domainToASCII: any; export const domainToUnicode: any; export const fileURLToPath: any; export const format: any; export const parse: any; export const pathToFileURL: any; export const resolve: any; export const urlToHttpOptions: any; 
}
declare module 'url' { export * from 'kintsugi:node/url'; }
declare module 'node:url' { export * from 'kintsugi:node/url'; }

/** Of Node's util: promisify, callbackify, format and inspect (without colors and getters, and not of promises), isDeepStrictEqual, parseArgs (a script has no arguments), types, inherits, deprecate, debuglog, styleText (without colors), TextEncoder and TextDecoder. */
declare module 'kintsugi:node/util' {
  export const TextDecoder: any; export const TextEncoder: any; export const callbackify: any; export const debuglog: any; export const deprecate: any; export const format: any; export const inherits: any; export const inspect: any; export const isDeepStrictEqual: any; export const parseArgs: any; export const promisify: any; export const stripVTControlCharacters: any; export const styleText: any; export const toUSVString: any; export const types: any; 
}
declare module 'util' { export * from 'kintsugi:node/util'; }
declare module 'node:util' { export * from 'kintsugi:node/util'; }

/** Of Node's zlib: gzip, gunzip, deflate, inflate, deflateRaw, inflateRaw and unzip, each also with Sync, and createGzip and its kin. What is packed unpacks everywhere; its bytes are others than Node's. */
declare module 'kintsugi:node/zlib' {
  export const constants: any; export const createDeflate: any; export const createDeflateRaw: any; export const createGunzip: any; export const createGzip: any; export const createInflate: any; export const createInflateRaw: any; export const createUnzip: any; export const deflate: any; export const deflateRaw: any; export const deflateRawSync: any; export const deflateSync: any; export const gunzip: any; export const gunzipSync: any; export const gzip: any; export const gzipSync: any; export const inflate: any; export const inflateRaw: any; export const inflateRawSync: any; export const inflateSync: any; export const unzip: any; export const unzipSync: any; 
}
declare module 'zlib' { export * from 'kintsugi:node/zlib'; }
declare module 'node:zlib' { export * from 'kintsugi:node/zlib'; }

/** Feeds: RSS, Atom and JSON Feed, all as {title, description, link, language, updated, items}, an item as {id, title, link, summary, content, author, categories, published, updated, enclosures}. Dates are ISO texts, null where there is none or it cannot be read. */
declare module 'kintsugi:rss' {
  export interface Item {
    id: string; title: string; link: string; summary: string; content: string; author: string; categories: string[]; published: string | null; updated: string | null;
    enclosures: { url: string; type: string; length: string }[];
  }
  export interface Feed { title: string; description: string; link: string; language: string; updated: string | null; items: Item[] }
  export function parse(text: string): Feed;
}

/** Zod 4: says what data must look like. const Order = z.object({ id: z.string(), amount: z.number() }); Order.parse(data) throws ZodError, Order.safeParse(data) gives {success, data, error}. Messages are in English. */
declare module 'kintsugi:schema' {
  export interface Issue { code: string; path: (string | number)[]; message: string }
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
  export * as z from 'kintsugi:schema';
}
declare module 'zod' { export * from 'kintsugi:schema'; export { z as default } from 'kintsugi:schema'; }

/** Of Windmill, for scripts that come from there: getVariable(path) is the value under variables/path of kv, else the handle of the secret of that name with dots for slashes; getResource(path) the value under resources/path; getState and setState keep a value. */
declare module 'kintsugi:windmill' {
  export function getVariable(path: string): Promise<any>; export function setVariable(path: string, value: unknown): Promise<void>; export function getResource(path: string): Promise<any>; export function setResource(value: unknown, path: string): Promise<void>;
  export function getState(): Promise<any>; export function setState(value: unknown): Promise<void>; export function getInternalState(): Promise<any>; export function setInternalState(value: unknown): Promise<void>;
}
declare module 'windmill-client' { export * from 'kintsugi:windmill'; }

/** XML. parse gives the document, to look into as of kintsugi:html; names keep their prefix (querySelector('dc\\:date')), and selectors take upper and lower case for the same. toObject gives objects: an element with nothing but text is its text, attributes are under @name, text beside elements under #text, of elements with one name an array; {arrays: ['item']} names those that are an array also where there is one. Entities that a document declares itself are not known. */
declare module 'kintsugi:xml' {
  import { Element } from 'kintsugi:html';
  export function parse(text: string): Element;
  export function toObject(text: string, options?: { arrays?: string[] }): any;
}
