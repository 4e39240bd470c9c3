package vault

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"
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

// Secret is what may be shown of a secret.
type Secret struct {
	Binding
	SetAt time.Time `json:"set_at"`
}

// Vault is a file of secrets. Any number of processes may use it.
type Vault struct {
	path string
	key  Key
}

// Open uses the vault in a file, which need not be there yet.
func Open(path string, key Key) *Vault { return &Vault{path: path, key: key} }

// ErrNotFound says that there is no such secret.
var ErrNotFound = errors.New("vault: there is no such secret")

// name is what a script may write, too.
var name = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,100}$`)

// host is a name or an address, with a port or without.
var host = regexp.MustCompile(`^([a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(:[0-9]{1,5})?$`)

// entry is a secret in the file.
type entry struct {
	Secret
	WrappedKey []byte `json:"wrapped_key"`
	Sealed     []byte `json:"sealed"`
}

// bound is what the encryption is tied to: a list of texts that no other list looks like.
func (e entry) bound() []byte {
	encoded, err := json.Marshal(append([]string{e.Name, e.Workflow}, e.Hosts...))
	if err != nil {
		panic(err) // texts can always be encoded
	}
	return encoded
}

// Set stores a secret, or replaces the one of the same name and workflow.
func (v *Vault) Set(binding Binding, value string, now time.Time) error {
	if !name.MatchString(binding.Name) {
		return fmt.Errorf("vault: the name %q is not made of 1 to 100 letters, digits, _ . or -", binding.Name)
	}
	switch {
	case value == "":
		return errors.New("vault: the value is empty")
	case len(value) > MaxValueBytes:
		return fmt.Errorf("vault: the value has %d bytes, more than %d", len(value), MaxValueBytes)
	case strings.ContainsFunc(value, unicode.IsControl):
		return errors.New("vault: the value has a control character in it (a line break at its end?)")
	case len(binding.Hosts) == 0:
		return errors.New("vault: a secret is bound to at least one host: nothing else is sent it")
	}
	binding.Hosts = slices.Clone(binding.Hosts)
	for i, one := range binding.Hosts {
		binding.Hosts[i] = strings.ToLower(one)
		if !host.MatchString(binding.Hosts[i]) {
			return fmt.Errorf("vault: %q is not a host; write api.example.com or api.example.com:8443", one)
		}
	}
	slices.Sort(binding.Hosts)
	binding.Hosts = slices.Compact(binding.Hosts)
	set := entry{Secret: Secret{Binding: binding, SetAt: now.UTC()}}
	raw := make([]byte, KeyBytes)
	_, _ = rand.Read(raw) // never fails
	set.Sealed = newKey(raw).seal([]byte(value), set.bound())
	set.WrappedKey = v.key.seal(raw, set.bound())
	return v.change(func(all []entry) ([]entry, error) {
		return append(slices.DeleteFunc(all, set.same), set), nil
	})
}

func (e entry) same(other entry) bool { return e.Name == other.Name && e.Workflow == other.Workflow }

// Remove deletes a secret, or returns [ErrNotFound].
func (v *Vault) Remove(name, workflow string) error {
	return v.change(func(all []entry) ([]entry, error) {
		gone := entry{Secret: Secret{Binding: Binding{Name: name, Workflow: workflow}}}
		left := slices.DeleteFunc(slices.Clone(all), gone.same)
		if len(left) == len(all) {
			return nil, ErrNotFound
		}
		return left, nil
	})
}

// List shows what there is, without values, ordered by name and workflow.
func (v *Vault) List() ([]Secret, error) {
	all, err := v.load()
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
// False means that none is bound to it. The error says that the file or the key is not right.
func (v *Vault) Value(workflow, name, host string) (value string, ok bool, err error) {
	all, err := v.load()
	if err != nil {
		return "", false, err
	}
	for _, scope := range []string{workflow, ""} {
		for _, e := range all {
			if e.Name == name && e.Workflow == scope && e.reaches(host) {
				plain, err := v.open(e)
				return string(plain), err == nil, err
			}
		}
	}
	return "", false, nil
}

// Values are the values of all secrets, for whoever has to keep them out of something.
func (v *Vault) Values() ([]string, error) {
	all, err := v.load()
	if err != nil {
		return nil, err
	}
	values := make([]string, len(all))
	for i, e := range all {
		plain, err := v.open(e)
		if err != nil {
			return nil, err
		}
		values[i] = string(plain)
	}
	return values, nil
}

// reaches says that the secret may be sent to a host: one that is bound without a port, to any
// port of it.
func (e entry) reaches(host string) bool {
	host = strings.ToLower(host)
	address := url.URL{Host: host}
	return slices.Contains(e.Hosts, host) || slices.Contains(e.Hosts, address.Hostname())
}

func (v *Vault) open(e entry) ([]byte, error) {
	raw, err := v.key.open(e.WrappedKey, e.bound())
	if err != nil || len(raw) != KeyBytes {
		return nil, fmt.Errorf("vault: the secret %q in %s does not open: this is not the key that it was set with, or the file was changed", e.Name, v.path)
	}
	plain, err := newKey(raw).open(e.Sealed, e.bound())
	if err != nil {
		return nil, fmt.Errorf("vault: the secret %q in %s does not open: the file was changed", e.Name, v.path)
	}
	return plain, nil
}

func (v *Vault) load() ([]entry, error) {
	text, err := os.ReadFile(v.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("vault: %w", err)
	}
	var all []entry
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("vault: %s is damaged; restore it, or delete it and set the secrets again: %w", v.path, err)
	}
	return all, nil
}

// change rewrites the file while no other process does. Readers see the old one or the new one.
func (v *Vault) change(fn func([]entry) ([]entry, error)) (err error) {
	directory := filepath.Dir(v.path)
	lock, err := os.OpenFile(v.path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		return fmt.Errorf("vault: lock %s: %w", v.path, err)
	}
	all, err := v.load()
	if err != nil {
		return err
	}
	if all, err = fn(all); err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Workflow, b.Workflow))
	})
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	temporary, err := writeTemporary(directory, append(text, '\n'))
	if err != nil {
		return fmt.Errorf("vault: %w", err)
	}
	if err := os.Rename(temporary, v.path); err != nil {
		return errors.Join(fmt.Errorf("vault: %w", err), os.Remove(temporary))
	}
	return syncDirectory(directory)
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
