// The streams of the web, and the ways to bytes and to texts.
import { ReadableStream, TransformStream } from 'web-streams-polyfill';
export * from 'web-streams-polyfill';

// over is a class whose objects are the two ends of a transform.
const over = (name, begin) => ({ [name]: class {
  #both;
  constructor(...given) { this.#both = new TransformStream(begin.call(this, ...given)); }
  get readable() { return this.#both.readable; }
  get writable() { return this.#both.writable; }
  get [Symbol.toStringTag]() { return name; }
} })[name];
export const TextDecoderStream = over('TextDecoderStream', function (label, options) {
  const decoder = new TextDecoder(label, options);
  for (const name of ['encoding', 'fatal', 'ignoreBOM']) Object.defineProperty(this, name, { value: decoder[name], enumerable: true });
  const give = (text, to) => { if (text) to.enqueue(text); };
  return { transform(bytes, to) { give(decoder.decode(bytes, { stream: true }), to); }, flush(to) { give(decoder.decode(), to); } };
});
export const TextEncoderStream = over('TextEncoderStream', function () {
  const encoder = new TextEncoder();
  let half = ''; // of a pair of surrogates
  Object.defineProperty(this, 'encoding', { value: 'utf-8', enumerable: true });
  return {
    transform(text, to) {
      text = half + text;
      half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : '';
      if (text.length > half.length) to.enqueue(encoder.encode(text.slice(0, text.length - half.length)));
    },
    flush(to) { if (half) to.enqueue(encoder.encode('\uFFFD')); },
  };
});

// collect is a promise of all bytes of a stream.
export const collect = (stream) => {
  const reader = stream.getReader(), pieces = [];
  let length = 0;
  const next = () => reader.read().then(({ done, value }) => {
    if (done) {
      const made = new Uint8Array(length);
      let at = 0;
      for (const piece of pieces) { made.set(piece, at); at += piece.length; }
      return made;
    }
    if (!(value instanceof Uint8Array)) throw new TypeError('Received non-Uint8Array chunk');
    pieces.push(value);
    length += value.length;
    return next();
  });
  return next();
};
// once is a stream of one piece, which is asked for when somebody reads.
export const once = (piece, over) => new ReadableStream({
  pull(to) {
    const value = piece();
    if (value.length) to.enqueue(value);
    to.close();
  },
  cancel() { over(); },
}, { highWaterMark: 0 });
