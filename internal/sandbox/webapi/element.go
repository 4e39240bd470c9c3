package webapi

import (
	"encoding/binary"
	"math"
	"math/big"
	"slices"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// element is what a typed array is made of: so many bytes, the low one first.
type element struct {
	size int
	get  func(b []byte) any
	set  func(b []byte, value goja.Value)
	big  bool // it is a BigInt
}

var little = binary.LittleEndian

// elements are those of the typed arrays by their names, without Array. Numbers that are too large lose what is above.
var elements = map[string]*element{
	"Int8":         {1, func(b []byte) any { return int8(b[0]) }, func(b []byte, v goja.Value) { b[0] = byte(integer(v)) }, false},
	"Uint8":        {1, func(b []byte) any { return b[0] }, func(b []byte, v goja.Value) { b[0] = byte(integer(v)) }, false},
	"Uint8Clamped": {1, func(b []byte) any { return b[0] }, func(b []byte, v goja.Value) { b[0] = byte(min(max(math.RoundToEven(v.ToFloat()), 0), 255)) }, false},
	"Int16":        {2, func(b []byte) any { return int16(little.Uint16(b)) }, func(b []byte, v goja.Value) { little.PutUint16(b, uint16(integer(v))) }, false},
	"Uint16":       {2, func(b []byte) any { return little.Uint16(b) }, func(b []byte, v goja.Value) { little.PutUint16(b, uint16(integer(v))) }, false},
	"Int32":        {4, func(b []byte) any { return int32(little.Uint32(b)) }, func(b []byte, v goja.Value) { little.PutUint32(b, uint32(integer(v))) }, false},
	"Uint32":       {4, func(b []byte) any { return little.Uint32(b) }, func(b []byte, v goja.Value) { little.PutUint32(b, uint32(integer(v))) }, false},
	"Float32":      {4, func(b []byte) any { return float64(math.Float32frombits(little.Uint32(b))) }, func(b []byte, v goja.Value) { little.PutUint32(b, math.Float32bits(float32(v.ToFloat()))) }, false},
	"Float64":      {8, func(b []byte) any { return math.Float64frombits(little.Uint64(b)) }, func(b []byte, v goja.Value) { little.PutUint64(b, math.Float64bits(v.ToFloat())) }, false},
	"BigInt64":     {8, func(b []byte) any { return big.NewInt(int64(little.Uint64(b))) }, func(b []byte, v goja.Value) { little.PutUint64(b, bigBits(v)) }, true},
	"BigUint64":    {8, func(b []byte) any { return new(big.Int).SetUint64(little.Uint64(b)) }, func(b []byte, v goja.Value) { little.PutUint64(b, bigBits(v)) }, true},
}

// integer is a number without its fraction, modulo 2**53.
func integer(v goja.Value) int64 {
	number := math.Trunc(v.ToFloat())
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return 0
	}
	return int64(math.Mod(number, 1<<53))
}

// bigBits are the low 64 bits of a BigInt.
func bigBits(v goja.Value) uint64 {
	n, _ := v.Export().(*big.Int)
	return new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

// readElement is read(bytes, at, kind, lowFirst), writeElement write(bytes, at, kind, lowFirst, value): numbers in bytes, as
// DataView and Buffer have them.
func readElement(r *engine.Run, call goja.FunctionCall) goja.Value {
	kind, b := elementAt(r, call)
	return r.VM.ToValue(kind.get(b))
}

func writeElement(r *engine.Run, call goja.FunctionCall) goja.Value {
	kind, b := elementAt(r, call)
	kind.set(b, call.Argument(4))
	if !call.Argument(3).ToBoolean() {
		slices.Reverse(b)
	}
	at := call.Argument(1).ToInteger()
	copy(mustOctets(r, call.Argument(0)).data[at:], b)
	return r.VM.ToValue(at + int64(kind.size))
}

// elementAt are the bytes of an element, as a copy with the low one first.
func elementAt(r *engine.Run, call goja.FunctionCall) (*element, []byte) {
	data, at, kind := mustOctets(r, call.Argument(0)).data, call.Argument(1).ToInteger(), elements[call.Argument(2).String()]
	if at < 0 || at > int64(len(data)-kind.size) {
		fault := r.RangeError("The value of \"offset\" is out of range, there are " + r.VM.ToValue(len(data)).String() + " bytes")
		engine.Define(fault, "code", r.VM.ToValue("ERR_OUT_OF_RANGE"), engine.Visible)
		panic(fault)
	}
	b := slices.Clone(data[at : at+int64(kind.size)])
	if !call.Argument(3).ToBoolean() {
		slices.Reverse(b)
	}
	return kind, b
}
