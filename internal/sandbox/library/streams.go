package library

import (
	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/webapi"
)

// Modules of Node that stand on its streams, which are those of readable-stream of npm.
var (
	_ = streamModule("stream", "stream", "Node's stream: Readable, Writable, Duplex, Transform, PassThrough, pipeline and finished, as the package readable-stream has them.",
		"Stream", "Readable", "Writable", "Duplex", "Transform", "PassThrough", "pipeline", "finished", "promises", "addAbortSignal", "compose")
	_ = streamModule("stream/promises", "promises", "pipeline and finished of Node's stream as promises.", "pipeline", "finished")
	_ = streamModule("stream/consumers", "consumers", "What a stream gives as a whole: text, json, buffer and arrayBuffer.", "text", "json", "buffer", "arrayBuffer")
	_ = streamModule("string_decoder", "decoder", "Node's StringDecoder.", "StringDecoder")
	_ = streamModule("readline", "readline", "createInterface of Node's readline over a stream, for its lines. There is no terminal: ask(question) asks a person.", "createInterface", "Interface", "promises", "clearLine", "cursorTo")
	_ = streamModule("readline/promises", "readlinePromises", "As readline.", "createInterface", "Interface")
	_ = globalModule("stream/web", "", nil, "ReadableStream", "WritableStream", "TransformStream", "TextDecoderStream", "TextEncoderStream", "ByteLengthQueuingStrategy", "CountQueuingStrategy")
)

func streamModule(name, part, doc string, exports ...string) struct{} { //nolint:unparam // as nodeModule
	return engine.DeclareLibrary(engine.Library{
		Name: "node/" + name, Packages: []string{name, "node:" + name}, Exports: exports, Doc: doc, Types: anyOf(exports),
		Make: func(r *engine.Run) *goja.Object { return streams(r).Get(part).ToObject(r.VM) },
	})
}

// streams is what streams.js makes.
func streams(r *engine.Run) *goja.Object {
	if made := r.Made(prelude, "streams.js"); made != nil {
		return made
	}
	webapi.AsyncIterator(r)
	own := elsewhere(r)
	events := r.Function("events", func(goja.FunctionCall) goja.Value { return r.LibraryNamed("node/events") })
	return r.Prelude(prelude, "streams.js", map[string]*goja.Object{
		"globals": own["globals"],
		"node": r.Function("node", func(goja.FunctionCall) goja.Value {
			return npm(r, "node-stream", map[string]*goja.Object{"globals": own["globals"], "events": events})
		}),
		"ofWeb": r.Function("ofWeb", func(goja.FunctionCall) goja.Value { return r.LibraryNamed("node/stream/web") }),
		"zlib":  r.Function("zlib", func(goja.FunctionCall) goja.Value { return r.LibraryNamed("node/zlib") }),
	})
}
