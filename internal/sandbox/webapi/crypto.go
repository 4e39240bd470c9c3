package webapi

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math/rand/v2"
	"strings"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.Declare(engine.Builtin{
	Names: []string{"crypto"},
	Use:   "crypto.randomUUID()",
	Doc:   "Random, and the same again when the run is repeated, like Math.random(), crypto.getRandomValues(bytes), crypto.randomBytes(n) and crypto.randomInt(from, to).",
	Types: `interface CryptoKey { readonly type: string; readonly extractable: boolean; readonly algorithm: object; readonly usages: string[] }
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
};`,
	Make: func(r *engine.Run, _ string) goja.Value { return crypto(r) },
})

var _ = engine.Declare(engine.Builtin{Use: "crypto.hash(algorithm, text)", Doc: "The digest in hexadecimal: md5, sha1, sha256, sha384 or sha512."})

var _ = engine.Declare(engine.Builtin{
	Use: "crypto.subtle.digest, crypto.createHash, crypto.createHmac, crypto.createCipheriv, crypto.pbkdf2, crypto.scrypt",
	Doc: "Digests and HMAC as in browsers (digest, importKey of raw keys, sign, verify) and in Node; createCipheriv and createDecipheriv for aes of 128, 192 and 256 bits with cbc, ctr, gcm and ecb, pbkdf2 and scrypt, each also with Sync. A secret can be neither key nor data: a script has only its handle.",
})

// crypto has what scripts need of it: ids that come from the run's seed, and digests.
func crypto(r *engine.Run) *goja.Object {
	object := r.VM.NewObject()
	engine.Define(object, "randomUUID", r.Function("randomUUID", func(call goja.FunctionCall) goja.Value { return randomUUID(r, call) }), engine.Visible)
	engine.Define(object, "hash", r.Function("hash", func(call goja.FunctionCall) goja.Value { return hashOf(r, call) }), engine.Visible)
	for _, name := range []string{"subtle", "createHash", "createHmac", "timingSafeEqual", "getRandomValues", "randomBytes", "randomInt", "createCipheriv", "createDecipheriv", "pbkdf2", "pbkdf2Sync", "scrypt", "scryptSync", "getHashes", "getCiphers"} {
		// Most scripts want an id or a digest, which need none of this.
		get := r.Function(name, func(goja.FunctionCall) goja.Value { return subtle(r).Get(name) })
		if err := object.DefineAccessorProperty(name, get, nil, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
			panic(err)
		}
	}
	engine.Define(object, "webcrypto", object, engine.Hidden)
	return object
}

func subtle(r *engine.Run) *goja.Object {
	r.Alive()
	if made := r.Made(prelude, "subtle.js"); made != nil {
		return made
	}
	return r.Prelude(prelude, "subtle.js", map[string]*goja.Object{
		"bytes":  bytesPrelude(r),
		"random": r.Function("random", func(goja.FunctionCall) goja.Value { return r.VM.ToValue(int(ids(r).Uint64() >> 56)) }), //nolint:gosec // 8 bits
		"cipher": r.Function("cipher", func(call goja.FunctionCall) goja.Value { return newCipher(r, call) }),
		"pbkdf2": r.Function("pbkdf2", func(call goja.FunctionCall) goja.Value { return deriveByHash(r, call) }),
		"scrypt": r.Function("scrypt", func(call goja.FunctionCall) goja.Value { return deriveByMemory(r, call) }),
		"digest": r.Function("digest", func(call goja.FunctionCall) goja.Value {
			sum := newHash(r, call.Argument(0).String())()
			sum.Write(clear(r, call.Argument(1)))
			return Octets(r, sum.Sum(nil), call.Argument(2))
		}),
		"hmac": r.Function("hmac", func(call goja.FunctionCall) goja.Value {
			sum := hmac.New(newHash(r, call.Argument(0).String()), clear(r, call.Argument(1)))
			sum.Write(clear(r, call.Argument(2)))
			return Octets(r, sum.Sum(nil), call.Argument(3))
		}),
	})
}

// clear are bytes without a secret in them.
func clear(r *engine.Run, value goja.Value) []byte {
	data := DataOf(r, value)
	if engine.SecretHandle.Match(data) {
		panic(r.VM.NewTypeError("crypto: these bytes have a secret in them, whose value a script does not have"))
	}
	return data
}

// identifiers is where a run's random bytes come from, besides Math.random.
type identifiers struct{ *rand.Rand }

// ids follow from the half of the seed that Math.random does not use.
func ids(r *engine.Run) *rand.Rand {
	state := engine.State[identifiers](r)
	if state.Rand == nil {
		seed := sha256.Sum256([]byte(r.Execution.Seed))
		state.Rand = rand.New(rand.NewPCG(binary.BigEndian.Uint64(seed[16:]), binary.BigEndian.Uint64(seed[24:]))) //nolint:gosec // must be reproducible
	}
	return state.Rand
}

func randomUUID(r *engine.Run, _ goja.FunctionCall) goja.Value {
	high, low := ids(r).Uint64(), ids(r).Uint64()
	high = high&^0xF000 | 0x4000       // version 4
	low = low&^(3<<62) | uint64(2)<<62 // variant 10
	return r.VM.ToValue(fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", high>>32, high>>16&0xFFFF, high&0xFFFF, low>>48, low&0xFFFFFFFFFFFF))
}

func hashOf(r *engine.Run, call goja.FunctionCall) goja.Value {
	data := []byte(call.Argument(1).String())
	if engine.SecretHandle.Match(data) {
		panic(r.VM.NewTypeError("crypto.hash: the text has a secret in it, whose value a script does not have"))
	}
	sum := newHash(r, call.Argument(0).String())()
	sum.Write(data)
	return r.VM.ToValue(hex.EncodeToString(sum.Sum(nil)))
}

func newHash(r *engine.Run, algorithm string) func() hash.Hash {
	switch name := strings.ToLower(strings.ReplaceAll(algorithm, "-", "")); name {
	case "md5":
		return md5.New
	case "sha1":
		return sha1.New
	case "sha256":
		return sha256.New
	case "sha384":
		return sha512.New384
	case "sha512":
		return sha512.New
	default:
		panic(r.VM.NewTypeError("crypto: unknown algorithm %q, there are md5, sha1, sha256, sha384, sha512", engine.Cut(name, 40)))
	}
}
