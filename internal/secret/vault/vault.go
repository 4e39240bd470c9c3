package vault

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// MaxValueBytes bounds a secret: it stands in headers.
const MaxValueBytes = 8 << 10

// Binding is what a secret may be used for.
type Binding struct {
	Name string `json:"name"`
	// Workflow is the one workflow that may use it; empty for all. A workflow's own secret
	// comes before one for all of the same name.
	Workflow string `json:"workflow,omitempty"`
	// Hosts may be sent it: host names, or host:port for one port only.
	Hosts []string `json:"hosts"`
}

// Reaches says that the secret may be sent to a host: one that is bound without a port, to any
// port of it.
func (b Binding) Reaches(host string) bool {
	address := url.URL{Host: host}
	return slices.ContainsFunc(b.Hosts, func(one string) bool {
		return strings.EqualFold(one, host) || strings.EqualFold(one, address.Hostname())
	})
}

// Secret is what may be shown of a secret.
type Secret struct {
	Binding
	SetAt time.Time `json:"set_at"`
}

// Store keeps entries, each found by its name and workflow. Any number of vaults may use one.
type Store interface {
	// Secrets are all entries, ordered by name and workflow.
	Secrets(ctx context.Context) ([]Entry, error)
	// PutSecret keeps an entry, in the place of the one of the same name and workflow.
	PutSecret(ctx context.Context, entry Entry) error
	// SwapSecret is PutSecret as long as the entry in that place is the one sealed as given,
	// or, for nil, as long as there is none; else it returns false.
	SwapSecret(ctx context.Context, entry Entry, sealed []byte) (bool, error)
	// RemoveSecret says whether there was one to remove.
	RemoveSecret(ctx context.Context, name, workflow string) (bool, error)
}

// Vault gives out secrets from a store.
type Vault struct {
	store Store
	key   Key
}

// New uses the secrets of a store.
func New(store Store, key Key) *Vault { return &Vault{store: store, key: key} }

// ErrNotFound says that there is no such secret.
var ErrNotFound = errors.New("vault: there is no such secret")

// name is what a script may write, too.
var name = lazyregexp.New(`^[A-Za-z0-9_.-]{1,100}$`)

// host is a name or an address, with a port or without.
var host = lazyregexp.New(`^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$`)

// Entry is a secret as it is kept: what it is bound to, and the value, encrypted.
type Entry struct {
	Secret
	WrappedKey []byte `json:"wrapped_key"`
	Sealed     []byte `json:"sealed"`
}

// bound is what the encryption is tied to: a list of texts that no other list looks like.
func (e Entry) bound() []byte {
	encoded, err := json.Marshal(append([]string{e.Name, e.Workflow}, e.Hosts...))
	if err != nil {
		panic(err) // texts can always be encoded
	}
	return encoded
}

// Set stores a secret, or replaces the one of the same name and workflow.
func (v *Vault) Set(ctx context.Context, binding Binding, value string, now time.Time) error {
	set, err := v.seal(binding, value, now)
	if err != nil {
		return err
	}
	return v.store.PutSecret(ctx, set)
}

func (v *Vault) seal(binding Binding, value string, now time.Time) (Entry, error) {
	if !name.MatchString(binding.Name) {
		return Entry{}, fmt.Errorf("vault: the name %q is not made of 1 to 100 letters, digits, _ . or -", binding.Name)
	}
	switch {
	case value == "":
		return Entry{}, errors.New("vault: the value is empty")
	case len(value) > MaxValueBytes:
		return Entry{}, fmt.Errorf("vault: the value has %d bytes, more than %d", len(value), MaxValueBytes)
	case strings.ContainsFunc(value, unicode.IsControl) && !isPEM(value):
		return Entry{}, errors.New("vault: the value has a control character in it (a line break at its end?)")
	case len(binding.Hosts) == 0:
		return Entry{}, errors.New("vault: a secret is bound to at least one host: nothing else is sent it")
	}
	binding.Hosts = slices.Clone(binding.Hosts)
	for i, one := range binding.Hosts {
		binding.Hosts[i] = strings.ToLower(one)
		if !host.MatchString(binding.Hosts[i]) {
			return Entry{}, fmt.Errorf("vault: %q is not a host; write api.example.com or api.example.com:8443", one)
		}
	}
	slices.Sort(binding.Hosts)
	binding.Hosts = slices.Compact(binding.Hosts)
	set := Entry{Secret: Secret{Binding: binding, SetAt: now.UTC().Truncate(time.Microsecond)}}
	raw := make([]byte, KeyBytes)
	_, _ = rand.Read(raw) // never fails
	set.Sealed = newKey(raw).seal([]byte(value), set.bound())
	set.WrappedKey = v.key.seal(raw, set.bound())
	return set, nil
}

// isPEM says that a value is a certificate or a key as they are written, in lines. No header can have one.
func isPEM(value string) bool {
	rest := []byte(value)
	for bytes.HasPrefix(rest, []byte("-----BEGIN ")) {
		_, after := pem.Decode(rest)
		if len(after) == len(rest) {
			return false
		}
		if rest = bytes.TrimSpace(after); len(rest) == 0 {
			return true
		}
	}
	return false
}

// Remove deletes a secret, or returns [ErrNotFound].
func (v *Vault) Remove(ctx context.Context, name, workflow string) error {
	removed, err := v.store.RemoveSecret(ctx, name, workflow)
	if err == nil && !removed {
		return ErrNotFound
	}
	return err
}

// List shows what there is, without values, ordered by name and workflow.
func (v *Vault) List(ctx context.Context) ([]Secret, error) {
	all, err := v.store.Secrets(ctx)
	if err != nil {
		return nil, err
	}
	shown := make([]Secret, len(all))
	for i, e := range all {
		shown[i] = e.Secret
	}
	return shown, nil
}

// Value gives the secret that a workflow may send to a host, written as host or host:port.
// False means that none is bound to it. The error says that the store or the key is not right.
func (v *Vault) Value(ctx context.Context, workflow, name, host string) (value string, ok bool, err error) {
	all, err := v.store.Secrets(ctx)
	if err != nil {
		return "", false, err
	}
	for _, scope := range []string{workflow, ""} {
		for _, e := range all {
			if e.Name == name && e.Workflow == scope && e.Reaches(host) {
				plain, err := v.open(e)
				return string(plain), err == nil, err
			}
		}
	}
	return "", false, nil
}

// Check opens every secret. The error says that the store or the key is not right.
func (v *Vault) Check(ctx context.Context) error {
	all, err := v.store.Secrets(ctx)
	if err != nil {
		return err
	}
	for _, e := range all {
		if _, err := v.open(e); err != nil {
			return err
		}
	}
	return nil
}

// Find names a secret whose value stands in a text as it is, or as a JSON text has it; empty if none does. A short
// value is found only where it is a whole JSON text: anything may have it in it by chance.
func (v *Vault) Find(ctx context.Context, text []byte) (string, error) {
	values, err := v.Values(ctx)
	if err != nil {
		return "", err
	}
	for _, one := range values {
		quoted, err := json.Marshal(one.Value)
		if err != nil {
			return "", err
		}
		if bytes.Contains(text, quoted) || len(one.Value) >= Telling && (bytes.Contains(text, []byte(one.Value)) || bytes.Contains(text, quoted[1:len(quoted)-1])) {
			return one.Name, nil
		}
	}
	return "", nil
}

// Telling is how many bytes of a value make it one that is not found in other texts by chance.
const Telling = 8

// Value is a secret with what it is.
type Value struct {
	Name, Value string
}

// Values are all secrets that open. They are for looking for, and never shown.
func (v *Vault) Values(ctx context.Context) ([]Value, error) {
	all, err := v.store.Secrets(ctx)
	if err != nil {
		return nil, err
	}
	var values []Value
	for _, e := range all {
		if plain, err := v.open(e); err == nil {
			values = append(values, Value{e.Name, string(plain)})
		}
	}
	return values, nil
}

func (v *Vault) open(e Entry) ([]byte, error) {
	raw, err := v.key.open(e.WrappedKey, e.bound())
	if err != nil || len(raw) != KeyBytes {
		return nil, fmt.Errorf("vault: the secret %q does not open: this is not the key that it was set with, or the store was changed", e.Name)
	}
	plain, err := newKey(raw).open(e.Sealed, e.bound())
	if err != nil {
		return nil, fmt.Errorf("vault: the secret %q does not open: the store was changed", e.Name)
	}
	return plain, nil
}
