package webapi

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// The streams of the web are those of an npm package, which make libraries puts into the prelude.
var _ = engine.Declare(engine.Builtin{
	Names: []string{"ReadableStream", "WritableStream", "TransformStream", "TextDecoderStream", "TextEncoderStream", "ByteLengthQueuingStrategy", "CountQueuingStrategy"},
	Use:   "ReadableStream, WritableStream, TransformStream, TextDecoderStream, TextEncoderStream",
	Doc:   "As in browsers. The body of an answer comes in one piece.",
	Types: streamTypes,
	Make:  func(r *engine.Run, name string) goja.Value { return streamsPrelude(r).Get(name) },
})

func streamsPrelude(r *engine.Run) *goja.Object {
	r.Alive()
	return r.Prelude(prelude, "streams.js", nil)
}

// streamOf is a value that is a stream to read from.
func streamOf(r *engine.Run, value goja.Value) (*goja.Object, bool) {
	object, is := value.(*goja.Object)
	if !is || r.Made(prelude, "streams.js") == nil {
		return nil, false
	}
	return object, r.VM.InstanceOf(object, streamsPrelude(r).Get("ReadableStream").ToObject(r.VM))
}

// streamed is a body as a stream, which gives it away when somebody reads.
func streamed(r *engine.Run, b *body) *goja.Object {
	piece := r.Function("piece", func(goja.FunctionCall) goja.Value { return b.take(r).bytes(r) })
	over := r.Function("over", func(goja.FunctionCall) goja.Value {
		b.used = true
		return goja.Undefined()
	})
	return r.Called(streamsPrelude(r).Get("once"), piece, over).ToObject(r.VM)
}

const streamTypes = `interface ReadableStreamDefaultReader<T> { read(): Promise<{ done: false; value: T } | { done: true; value?: T }>; cancel(reason?: unknown): Promise<void>; releaseLock(): void; readonly closed: Promise<void> }
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
declare class CountQueuingStrategy { constructor(options: { highWaterMark: number }); readonly highWaterMark: number }`
