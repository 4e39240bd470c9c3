package webapi

// The declarations of bytes in TypeScript.
const (
	// The language's own declarations say more than there is, and have these names.
	bytesTypes  = "// They are declared with the language (lib es2023)."
	bufferTypes = `type Encoding = 'utf8' | 'utf-8' | 'hex' | 'base64' | 'base64url' | 'latin1' | 'binary' | 'ascii' | 'utf16le' | 'ucs2';
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
}`
)
