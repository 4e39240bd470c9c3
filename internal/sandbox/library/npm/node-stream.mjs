// The streams of Node, as its user-land copy has them, and its decoder of pieces.
export { Duplex, PassThrough, Readable, Stream, Transform, Writable, addAbortSignal, compose, finished, pipeline, promises } from 'readable-stream/lib/ours/browser.js';
export { StringDecoder } from 'string_decoder/';
