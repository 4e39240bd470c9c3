package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/checkpoint"
)

// AuditKeyEnv names the file of the key that checkpoints are signed with.
const AuditKeyEnv = "KINTSUGI_AUDIT_KEY"

// AuditKeyFile is where the signing key is: named, or in the user's own configuration, never in a
// data directory: who can write that could sign it.
func AuditKeyFile(named string) (string, error) {
	if named != "" {
		return named, nil
	}
	if path := os.Getenv(AuditKeyEnv); path != "" {
		return path, nil
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no place for the signing key: name it with --key or %s: %w", AuditKeyEnv, err)
	}
	return filepath.Join(config, "kintsugi", "audit.key"), nil
}

// Trusted is the public key that signatures are checked with.
func Trusted(public, keyFile string) (checkpoint.PublicKey, error) {
	var key checkpoint.PublicKey
	if public != "" {
		if err := key.UnmarshalText([]byte(public)); err != nil {
			return key, fault.New(fault.Invalid, "--public-key: %w", err)
		}
		return key, nil
	}
	path, err := AuditKeyFile(keyFile)
	if err != nil {
		return key, err
	}
	key, err = checkpoint.ReadPublicKey(path)
	if errors.Is(err, checkpoint.ErrNoKey) {
		return key, fault.New(fault.Invalid, "%w: name the key that signed with --public-key ed25519:…, or its file with --key", err)
	}
	return key, err
}

// ReadCheckpoint reads a signed checkpoint, and checks that the named key signed it.
func ReadCheckpoint(path, public, keyFile string) (*checkpoint.Checkpoint, error) {
	key, err := Trusted(public, keyFile)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fault.New(fault.Invalid, "read the checkpoint: %w", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	signed, err := checkpoint.Read(file)
	if err != nil {
		return nil, fault.New(fault.Invalid, "%s: %w", path, err)
	}
	if err := signed.Verify(key); err != nil {
		return nil, Untrusted(path, err)
	}
	return signed, nil
}

// Untrusted is for what was not signed by who should have.
func Untrusted(path string, err error) error {
	if _, forged := errors.AsType[*checkpoint.ForgedError](err); forged {
		return &IntegrityError{fmt.Errorf("%s is not to be trusted: %w", path, err)}
	}
	return err
}
