package checkpoint

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// PublicKey is who signed, to the world.
type PublicKey [ed25519.PublicKeySize]byte

const keyScheme = "ed25519:"

// String is the key as people pass it on: ed25519: and its bytes in base64.
func (k PublicKey) String() string { return keyScheme + base64.StdEncoding.EncodeToString(k[:]) }

// MarshalText implements [encoding.TextMarshaler]: as [PublicKey.String].
func (k PublicKey) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *PublicKey) UnmarshalText(text []byte) error {
	encoded, ok := strings.CutPrefix(string(text), keyScheme)
	decoded, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if !ok || err != nil || len(decoded) != len(k) {
		return fmt.Errorf("checkpoint: %q is not a public key: one is %s and %d bytes in base64", string(text), keyScheme, len(k))
	}
	copy(k[:], decoded)
	return nil
}

// PrivateKey signs. Its owner can sign any history.
type PrivateKey struct{ key ed25519.PrivateKey }

// Public is the key that others check signatures with.
func (k PrivateKey) Public() PublicKey {
	return PublicKey(k.key.Public().(ed25519.PublicKey)) // an Ed25519 key's is one
}

// ErrNoKey is wrapped if there is no key where one was looked for.
var ErrNoKey = errors.New("there is no key")

const pemType = "PRIVATE KEY"

// publicSuffix is of the file beside a private key that holds the public one.
const publicSuffix = ".pub"

// ReadKey reads a private key: PKCS #8 in PEM, as 'openssl genpkey -algorithm ed25519' writes it.
// It refuses a file that others may read.
func ReadKey(path string) (PrivateKey, error) {
	var none PrivateKey
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return none, fmt.Errorf("checkpoint: %s: %w", path, ErrNoKey)
	}
	if err != nil {
		return none, fmt.Errorf("checkpoint: read the signing key: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	info, err := file.Stat()
	if err != nil {
		return none, fmt.Errorf("checkpoint: read the signing key: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return none, fmt.Errorf("checkpoint: %s may be read by others (mode %04o), so that they could sign: chmod 600 it, or use another key", path, info.Mode().Perm())
	}
	content, err := io.ReadAll(io.LimitReader(file, 1<<16))
	if err != nil {
		return none, fmt.Errorf("checkpoint: read the signing key: %w", err)
	}
	block, _ := pem.Decode(content)
	if block == nil || block.Type != pemType {
		return none, fmt.Errorf("checkpoint: %s is not a private key in PEM: make one with 'openssl genpkey -algorithm ed25519', or name a file that is not there yet", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return none, fmt.Errorf("checkpoint: %s: %w", path, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return none, fmt.Errorf("checkpoint: %s is not an Ed25519 key", path)
	}
	return PrivateKey{key}, nil
}

// OpenKey is [ReadKey], and makes a key if there is none, readable by its owner only, with
// the public key in a file beside it that ends with .pub.
func OpenKey(path string, random io.Reader) (key PrivateKey, made bool, err error) {
	key, err = ReadKey(path)
	if !errors.Is(err, ErrNoKey) {
		return key, false, err
	}
	if err := makeKey(path, random); err != nil {
		return key, false, fmt.Errorf("checkpoint: make a signing key: %w", err)
	}
	key, err = ReadKey(path) // that of another process, if it was first
	if err != nil {
		return key, false, err
	}
	public := key.Public().String() + "\n"
	if err := os.WriteFile(path+publicSuffix, []byte(public), 0o644); err != nil {
		return key, false, fmt.Errorf("checkpoint: write the public key: %w", err)
	}
	return key, true, nil
}

// makeKey puts a new key at a path where nothing is, whole or not at all.
func makeKey(path string, random io.Reader) (err error) {
	_, key, err := ed25519.GenerateKey(random)
	if err != nil {
		return err
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".key-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // it is at the path, or nowhere
	err = pem.Encode(file, &pem.Block{Type: pemType, Bytes: encoded})
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	// Unlike a rename, a link leaves a key that is there already.
	if err := os.Link(file.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// ReadPublicKey reads the public key that belongs to a private one: from the file beside it, or
// from the key itself. It wraps [ErrNoKey] if neither is there.
func ReadPublicKey(path string) (PublicKey, error) {
	var public PublicKey
	text, err := os.ReadFile(path + publicSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		key, err := ReadKey(path)
		if err != nil {
			return public, err
		}
		return key.Public(), nil
	}
	if err != nil {
		return public, fmt.Errorf("checkpoint: read the public key: %w", err)
	}
	if err := public.UnmarshalText([]byte(strings.TrimSpace(string(text)))); err != nil {
		return public, fmt.Errorf("%s: %w", path+publicSuffix, err)
	}
	return public, nil
}
