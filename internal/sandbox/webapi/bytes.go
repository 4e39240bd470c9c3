package webapi

import (
	"encoding/base64"
	"encoding/hex"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: append([]string{"Uint8Array", "ArrayBuffer", "DataView"}, otherArrays...),
	Use:   "ArrayBuffer, DataView, Uint8Array, Int8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, BigInt64Array, BigUint64Array",
	Doc:   "As in browsers. What a typed array shows of its buffer begins at 0 there: byteOffset is always 0.",
	Types: bytesTypes,
	Make: func(r *engine.Run, name string) goja.Value {
		if !slices.Contains(otherArrays, name) {
			return bytesPrelude(r).Get(name)
		}
		other, _ := goja.AssertFunction(bytesPrelude(r).Get("other"))
		made, err := other(goja.Undefined(), r.VM.ToValue(name))
		if err != nil {
			panic(err)
		}
		return made
	},
})

var _ = engine.Declare(engine.Builtin{
	Names: []string{"Buffer"},
	Use:   "Buffer",
	Doc:   "Of Node's: from, alloc, concat, byteLength, compare, isBuffer, isEncoding, and of a buffer toString, slice, equals, indexOf, lastIndexOf, includes, swap16 and its kin, copy, fill, write, readUInt8 and its kin, all with utf8, hex, base64, base64url, latin1, ascii and utf16le. Buffer.from('user:' + secret(name)).toString('base64') is a handle, as btoa makes it.",
	Types: bufferTypes,
	Make:  func(r *engine.Run, name string) goja.Value { return bytesPrelude(r).Get(name) },
})

var _ = engine.Declare(engine.Builtin{
	Names: []string{"TextEncoder", "TextDecoder"},
	Use:   "TextEncoder, TextDecoder",
	Doc:   "As in browsers. TextDecoder knows utf-8, utf-16le, latin1 and windows-1252.",
	Types: `declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array;
  encodeInto(text: string, into: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  decode(bytes?: Uint8Array | ArrayBuffer, options?: { stream?: boolean }): string;
}`,
	Make: func(r *engine.Run, name string) goja.Value { return bytesPrelude(r).Get(name) },
})

// octets are bytes as a script sees them: indexes are the only thing that goes into the engine. They
// stand in for its own typed arrays, whose memory is unsafe.
type octets struct {
	vm   *goja.Runtime
	data []byte
	kind *element
}

// otherArrays are the typed arrays that a script must name to have them.
var otherArrays = []string{
	"Int8Array", "Uint8ClampedArray", "Int16Array", "Uint16Array", "Int32Array", "Uint32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array",
}

// Len implements goja.DynamicArray.
func (o *octets) Len() int { return len(o.data) / o.kind.size }

// Get implements goja.DynamicArray.
func (o *octets) Get(i int) goja.Value {
	if i < 0 || i >= o.Len() {
		return nil
	}
	return o.vm.ToValue(o.kind.get(o.data[i*o.kind.size:]))
}

// Set implements goja.DynamicArray: what is out of bounds is lost, as in a typed array.
func (o *octets) Set(i int, value goja.Value) bool {
	if _, is := value.Export().(*big.Int); is != o.kind.big {
		panic(o.vm.NewTypeError("Cannot mix BigInt and other types, use explicit conversions"))
	}
	var b [8]byte
	o.kind.set(b[:], value) // first: it may run the script's code
	if i >= 0 && i < o.Len() {
		copy(o.data[i*o.kind.size:], b[:o.kind.size])
	}
	return true
}

// SetLen implements goja.DynamicArray: bytes have a fixed length.
func (o *octets) SetLen(n int) bool { return n == o.Len() }

// IsNoArray implements [engine.Indexed].
func (o *octets) IsNoArray() {}

var octetsType = reflect.TypeFor[*octets]()

// octetsOf are the bytes of a value that is made of them.
func octetsOf(value goja.Value) (*octets, bool) {
	object, ok := value.(*goja.Object)
	if !ok || object.ExportType() != octetsType {
		return nil, false
	}
	o, ok := object.Export().(*octets)
	return o, ok
}

func Octets(r *engine.Run, data []byte, prototype goja.Value) goja.Value {
	return typed(r, data, elements["Uint8"], prototype)
}

func typed(r *engine.Run, data []byte, kind *element, prototype goja.Value) goja.Value {
	object := r.VM.NewDynamicArray(&octets{r.VM, data, kind})
	if p, ok := prototype.(*goja.Object); ok {
		if err := object.SetPrototype(p); err != nil {
			panic(err)
		}
	}
	return object
}

// DataOf are the bytes of an argument as Go has them.
func DataOf(r *engine.Run, value goja.Value) []byte { return mustOctets(r, value).data }

// mustOctets are the bytes of an argument that the prelude has looked at before.
func mustOctets(r *engine.Run, value goja.Value) *octets {
	o, ok := octetsOf(value)
	if !ok {
		panic(r.VM.NewTypeError("these are no bytes"))
	}
	return o
}

func bytesPrelude(r *engine.Run) *goja.Object {
	r.Alive()
	r.WatchIsArray()
	natives := map[string]*goja.Object{}
	for name, native := range map[string]func(goja.FunctionCall) goja.Value{
		// make(n, prototype) is n zeros.
		"make": func(call goja.FunctionCall) goja.Value {
			n := call.Argument(0).ToInteger()
			if n < 0 || n > r.Limits.Memory/4 {
				panic(r.RangeError("there is no room for so many bytes"))
			}
			return Octets(r, make([]byte, n), call.Argument(1))
		},
		// part(bytes, from, to, prototype) shares memory with the whole.
		"part": func(call goja.FunctionCall) goja.Value {
			data := mustOctets(r, call.Argument(0)).data
			from := min(max(call.Argument(1).ToInteger(), 0), int64(len(data)))
			to := min(max(call.Argument(2).ToInteger(), from), int64(len(data)))
			return Octets(r, data[from:to:to], call.Argument(3))
		},
		// view(bytes, kind, prototype) are the same bytes as elements.
		"view": func(call goja.FunctionCall) goja.Value {
			return typed(r, mustOctets(r, call.Argument(0)).data, elements[call.Argument(1).String()], call.Argument(2))
		},
		"read": func(call goja.FunctionCall) goja.Value { return readElement(r, call) }, "write": func(call goja.FunctionCall) goja.Value { return writeElement(r, call) },
		"is": func(call goja.FunctionCall) goja.Value {
			_, ok := octetsOf(call.Argument(0))
			return r.VM.ToValue(ok)
		},
		// copy(to, at, from) says how many bytes were copied.
		"copy": func(call goja.FunctionCall) goja.Value {
			to, from := mustOctets(r, call.Argument(0)).data, mustOctets(r, call.Argument(2)).data
			at := min(max(call.Argument(1).ToInteger(), 0), int64(len(to)))
			return r.VM.ToValue(copy(to[at:], from))
		},
		"encode":  func(call goja.FunctionCall) goja.Value { return encode(r, call) },
		"decode":  func(call goja.FunctionCall) goja.Value { return decode(r, call) },
		"find":    func(call goja.FunctionCall) goja.Value { return findOctets(r, call) },
		"compare": func(call goja.FunctionCall) goja.Value { return compareOctets(r, call) },
	} {
		natives[name] = r.Function(name, native)
	}
	return r.Prelude(prelude, "bytes.js", natives)
}

// findOctets is find(bytes, sought, from): the first place at from or behind it, else -1.
func findOctets(r *engine.Run, call goja.FunctionCall) goja.Value {
	in, sought := string(mustOctets(r, call.Argument(0)).data), string(mustOctets(r, call.Argument(1)).data)
	from := min(max(call.Argument(2).ToInteger(), 0), int64(len(in)))
	at := strings.Index(in[from:], sought)
	if at >= 0 {
		at += int(from)
	}
	return r.VM.ToValue(at)
}

func compareOctets(r *engine.Run, call goja.FunctionCall) goja.Value {
	return r.VM.ToValue(strings.Compare(string(mustOctets(r, call.Argument(0)).data), string(mustOctets(r, call.Argument(1)).data)))
}

// encode is encode(text, encoding, prototype): the bytes of a text, as Node makes them.
func encode(r *engine.Run, call goja.FunctionCall) goja.Value {
	text, prototype := call.Argument(0), call.Argument(2)
	switch encoding := call.Argument(1).String(); encoding {
	case "utf8":
		return Octets(r, []byte(strings.ToValidUTF8(text.String(), "\uFFFD")), prototype)
	case "latin1", "utf16le":
		units := utf16.Encode([]rune(text.String()))
		data := make([]byte, 0, 2*len(units))
		for _, unit := range units {
			if data = append(data, byte(unit)); encoding == "utf16le" { //nolint:gosec // the low byte is meant
				data = append(data, byte(unit>>8))
			}
		}
		return Octets(r, data, prototype)
	case "hex":
		digits := text.String()
		data := make([]byte, 0, len(digits)/2)
		for ; len(digits) >= 2; digits = digits[2:] { // up to the first that is none, as Node does
			pair, err := hex.DecodeString(digits[:2])
			if err != nil {
				break
			}
			data = append(data, pair...)
		}
		return Octets(r, data, prototype)
	}
	return Octets(r, fromBase64(r, text.String()), prototype)
}

// fromBase64 takes both alphabets, and leaves out what is of neither, as Node does.
func fromBase64(r *engine.Run, text string) []byte {
	if engine.SecretHandle.MatchString(text) {
		panic(r.VM.NewTypeError("base64: the text has a secret in it, whose value a script does not have"))
	}
	text, _, _ = strings.Cut(text, "=")
	text = strings.Map(func(c rune) rune {
		switch {
		case c == '-':
			return '+'
		case c == '_':
			return '/'
		case c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/':
			return c
		}
		return -1
	}, text)
	if len(text)%4 == 1 {
		text = text[:len(text)-1]
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		panic(r.VM.NewTypeError("the text is not base64"))
	}
	return data
}

// decode is decode(bytes, encoding, fatal): the text of bytes.
func decode(r *engine.Run, call goja.FunctionCall) goja.Value {
	data := mustOctets(r, call.Argument(0)).data
	encoding := call.Argument(1).String()
	if encoding != "utf8" && engine.SecretHandle.Match(data) {
		// The host can encode a secret in one way, that of btoa.
		if encoding == "base64" {
			return Btoa(r, goja.FunctionCall{Arguments: []goja.Value{r.VM.ToValue(string(data))}})
		}
		panic(r.VM.NewTypeError("the bytes have a secret in them, which can be encoded as base64 only"))
	}
	switch encoding {
	case "hex":
		return r.VM.ToValue(hex.EncodeToString(data))
	case "base64":
		return r.VM.ToValue(base64.StdEncoding.EncodeToString(data))
	case "base64url":
		return r.VM.ToValue(base64.RawURLEncoding.EncodeToString(data))
	case "latin1", "ascii":
		units := make([]rune, len(data))
		for i, b := range data {
			if units[i] = rune(b); encoding == "ascii" {
				units[i] &= 0x7F
			}
		}
		return r.VM.ToValue(string(units))
	case "windows-1252":
		text, _ := charmap.Windows1252.NewDecoder().Bytes(data) // every byte is something
		return r.VM.ToValue(string(text))
	case "utf16le":
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = uint16(data[2*i]) | uint16(data[2*i+1])<<8
		}
		return goja.StringFromUTF16(units)
	}
	// Each longest beginning of a character that is no UTF-8 becomes one replacement.
	text, err := unicode.UTF8.NewDecoder().Bytes(data)
	if err != nil || call.Argument(2).ToBoolean() && !strings.Contains(string(data), "\uFFFD") && strings.Contains(string(text), "\uFFFD") {
		panic(r.VM.NewTypeError("The encoded data was not valid for encoding utf-8"))
	}
	return r.VM.ToValue(string(text))
}
