package vault

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// KeyBytes is the size of a master key.
const KeyBytes = 32

// Key is a master key. It is never printed.
type Key struct {
	aead   cipher.AEAD
	derive func(purpose string) ([]byte, error)
}

// String hides the key from logs.
func (Key) String() string { return "[key]" }

// Derived is another key of 32 bytes for one purpose, which tells nothing of this one. The zero key has none: an error.
func (k Key) Derived(purpose string) ([]byte, error) {
	if k.derive == nil {
		return nil, errors.New("vault: there is no key to derive one from")
	}
	return k.derive(purpose)
}

// ParseKey reads a key as text: base64 of 32 bytes.
func ParseKey(text string) (Key, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if err != nil || len(raw) != KeyBytes {
		return Key{}, fmt.Errorf("vault: the key is not base64 of %d bytes; make one with: openssl rand -base64 %d", KeyBytes, KeyBytes)
	}
	return newKey(raw), nil
}

// ReadKey reads the key in a file, which others may not be able to read.
func ReadKey(path string) (Key, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Key{}, fmt.Errorf("vault: read the key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return Key{}, fmt.Errorf("vault: others can read the key in %s; allow only its owner: chmod 600 %s", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Key{}, fmt.Errorf("vault: read the key: %w", err)
	}
	key, err := ParseKey(string(text))
	if err != nil {
		return Key{}, fmt.Errorf("%w (in %s)", err, path)
	}
	return key, nil
}

// ReadOrMakeKey reads the key in a file, and makes a file with a new one if there is none.
func ReadOrMakeKey(path string) (Key, error) {
	key, err := ReadKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return Key{}, fmt.Errorf("vault: make a key: %w", err)
	}
	raw := make([]byte, KeyBytes)
	_, _ = rand.Read(raw) // never fails
	// Another process may be first: its key is the one.
	if err := writeNew(path, []byte(base64.StdEncoding.EncodeToString(raw)+"\n")); err != nil && !errors.Is(err, fs.ErrExist) {
		return Key{}, fmt.Errorf("vault: make a key: %w", err)
	}
	return ReadKey(path)
}

// writeNew makes a file in one step: no reader finds half of it.
func writeNew(path string, content []byte) error {
	temporary, err := writeTemporary(filepath.Dir(path), content)
	if err != nil {
		return err
	}
	return errors.Join(os.Link(temporary, path), os.Remove(temporary), syncDirectory(filepath.Dir(path)))
}

func newKey(raw []byte) Key {
	block, err := aes.NewCipher(raw)
	if err != nil {
		panic(err) // only for a wrong size
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // only for a block that is not AES's
	}
	raw = bytes.Clone(raw)
	return Key{aead: aead, derive: func(purpose string) ([]byte, error) { return hkdf.Key(sha256.New, raw, nil, purpose, KeyBytes) }}
}

// seal encrypts under a random nonce, which stands before the result.
func (k Key) seal(plain, bound []byte) []byte {
	nonce := make([]byte, k.aead.NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return k.aead.Seal(nonce, nonce, plain, bound)
}

func (k Key) open(sealed, bound []byte) ([]byte, error) {
	size := k.aead.NonceSize()
	if len(sealed) < size {
		return nil, errors.New("it is too short")
	}
	return k.aead.Open(nil, sealed[:size], sealed[size:], bound)
}

// writeTemporary writes a file that only its owner may read, durably.
func writeTemporary(directory string, content []byte) (path string, err error) {
	file, err := os.CreateTemp(directory, ".vault-*")
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// syncDirectory makes a new name in it durable.
func syncDirectory(path string) error {
	directory, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(directory.Sync(), directory.Close())
}
