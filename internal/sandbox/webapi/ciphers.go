package webapi

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"regexp"
	"strconv"

	"github.com/dop251/goja"
	"golang.org/x/crypto/scrypt"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var cipherName = regexp.MustCompile(`^aes-?(128|192|256)-(cbc|ctr|ecb|gcm)$`)

// crypt is a cipher at work. It keeps what is no whole block yet, and all of gcm, whose tag is made of all.
type crypt struct {
	mode    string
	encrypt bool
	block   cipher.Block
	vector  []byte // of cbc the block that the next one is mixed with
	stream  cipher.Stream
	sealed  cipher.AEAD
	in      []byte // that nothing was given for yet; of gcm all
	given   int    // of gcm
}

// newCipher is cipher(name, encrypt, key, vector, prototype): step(data, last, pad, aad, tag), which gives the bytes that are ready; a
// text instead names what is wrong, and so does the cipher itself.
func newCipher(r *engine.Run, call goja.FunctionCall) goja.Value {
	name := cipherName.FindStringSubmatch(call.Argument(0).String())
	if name == nil {
		return r.VM.ToValue("unknown")
	}
	c := &crypt{mode: name[2], encrypt: call.Argument(1).ToBoolean()}
	key, prototype := clear(r, call.Argument(2)), call.Argument(4)
	if bits, _ := strconv.Atoi(name[1]); len(key)*8 != bits {
		return r.VM.ToValue("key")
	}
	var err error
	if c.block, err = aes.NewCipher(key); err != nil {
		return r.VM.ToValue("key")
	}
	if vector := call.Argument(3); !goja.IsNull(vector) {
		c.vector = bytes.Clone(clear(r, vector))
	}
	switch c.mode {
	case "gcm":
		if len(c.vector) == 0 {
			return r.VM.ToValue("vector")
		}
		if c.sealed, err = cipher.NewGCMWithNonceSize(c.block, len(c.vector)); err != nil {
			return r.VM.ToValue("vector")
		}
	case "ecb":
		if len(c.vector) != 0 {
			return r.VM.ToValue("vector")
		}
	default:
		if len(c.vector) != aes.BlockSize {
			return r.VM.ToValue("vector")
		}
		if c.mode == "ctr" {
			c.stream = cipher.NewCTR(c.block, c.vector)
		}
	}
	return r.Function("step", func(call goja.FunctionCall) goja.Value {
		r.Alive()
		made, fault := c.step(clear(r, call.Argument(0)), call.Argument(1).ToBoolean(), call.Argument(2).ToBoolean(), call.Argument(3), call.Argument(4), r)
		if fault != "" {
			return r.VM.ToValue(fault)
		}
		return Octets(r, made, prototype)
	})
}

func (c *crypt) step(data []byte, last, pad bool, aad, tag goja.Value, r *engine.Run) (made []byte, fault string) {
	switch c.mode {
	case "ctr":
		made = make([]byte, len(data))
		c.stream.XORKeyStream(made, data)
		return made, ""
	case "gcm":
		c.in = append(c.in, data...)
		whole := c.sealed.Seal(nil, c.vector, c.in, clear(r, aad)) // both ways the text is mixed with the same bytes
		text := whole[:len(c.in)]
		if !last {
			made, c.given = text[c.given:], len(text)
			return made, ""
		}
		if c.encrypt {
			return whole[len(c.in):], "" // the tag
		}
		sent := bytes.Clone(clear(r, tag))
		if len(sent) < 4 || len(sent) > 16 {
			return nil, "tag"
		}
		right := c.sealed.Seal(nil, c.vector, text, clear(r, aad))[len(text):]
		if !bytes.Equal(right[:len(sent)], sent) {
			return nil, "tag"
		}
		return nil, ""
	}
	c.in = append(c.in, data...)
	n := len(c.in) - len(c.in)%aes.BlockSize
	if pad && !c.encrypt && !last && n == len(c.in) {
		n = max(n-aes.BlockSize, 0) // it may be the last, which has the padding
	}
	if last && pad && c.encrypt {
		left := aes.BlockSize - len(c.in)%aes.BlockSize
		c.in = append(c.in, bytes.Repeat([]byte{byte(left)}, left)...)
		n = len(c.in)
	}
	if last && (n != len(c.in) || pad && n == 0) {
		return nil, "length"
	}
	made = c.blocks(c.in[:n])
	c.in = bytes.Clone(c.in[n:])
	if !last || !pad || c.encrypt {
		return made, ""
	}
	left := int(made[len(made)-1])
	if left < 1 || left > aes.BlockSize || !bytes.Equal(made[len(made)-left:], bytes.Repeat([]byte{byte(left)}, left)) {
		return nil, "padding"
	}
	return made[:len(made)-left], ""
}

func (c *crypt) blocks(data []byte) []byte {
	made := make([]byte, len(data))
	if len(data) == 0 {
		return made
	}
	switch {
	case c.mode == "ecb":
		for at := 0; at < len(data); at += aes.BlockSize {
			if c.encrypt {
				c.block.Encrypt(made[at:], data[at:])
			} else {
				c.block.Decrypt(made[at:], data[at:])
			}
		}
	case c.encrypt:
		cipher.NewCBCEncrypter(c.block, c.vector).CryptBlocks(made, data)
		c.vector = bytes.Clone(made[len(made)-aes.BlockSize:])
	default:
		cipher.NewCBCDecrypter(c.block, c.vector).CryptBlocks(made, data)
		c.vector = bytes.Clone(data[len(data)-aes.BlockSize:])
	}
	return made
}

// mostDerived bounds what keys are derived with, which nothing stops while it computes: some seconds of it.
const mostDerived = 20_000_000

// deriveByHash is pbkdf2(hash, password, salt, iterations, length, prototype).
func deriveByHash(r *engine.Run, call goja.FunctionCall) goja.Value {
	r.Alive()
	iterations, length := call.Argument(3).ToInteger(), call.Argument(4).ToInteger()
	if iterations < 1 || length < 0 || length > 1<<20 || iterations > mostDerived || iterations*(length/16+1) > mostDerived {
		panic(r.RangeError("crypto.pbkdf2: so many iterations for so long a key take too long here"))
	}
	key, err := pbkdf2.Key(newHash(r, call.Argument(0).String()), string(clear(r, call.Argument(1))), clear(r, call.Argument(2)), int(iterations), int(length))
	if err != nil {
		panic(r.VM.NewTypeError("crypto.pbkdf2: %s", err.Error()))
	}
	return Octets(r, key, call.Argument(5))
}

// deriveByMemory is scrypt(password, salt, N, r, p, length, prototype).
func deriveByMemory(r *engine.Run, call goja.FunctionCall) goja.Value {
	r.Alive()
	n, block, parallel, length := call.Argument(2).ToInteger(), call.Argument(3).ToInteger(), call.Argument(4).ToInteger(), call.Argument(5).ToInteger()
	if length < 0 || length > 1<<20 || n*block*128 > r.Limits.Memory/4 || n*block*parallel > mostDerived {
		panic(r.RangeError("crypto.scrypt: so much takes too long, or too much memory, here"))
	}
	key, err := scrypt.Key(clear(r, call.Argument(0)), clear(r, call.Argument(1)), int(n), int(block), int(parallel), int(length))
	if err != nil {
		panic(r.RangeError("Invalid scrypt params"))
	}
	return Octets(r, key, call.Argument(6))
}
