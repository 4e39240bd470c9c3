package vault

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var moment = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

func testKey(t *testing.T, fill byte) Key {
	t.Helper()
	key, err := ParseKey(base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune(fill)), KeyBytes))))
	require.NoError(t, err)
	return key
}

func newVault(t *testing.T) (*Vault, *memory) {
	t.Helper()
	store := &memory{}
	return New(store, testKey(t, 'k')), store
}

// memory is a store that can be looked at and changed behind the vault's back.
type memory struct {
	entries []Entry
	between func() // runs once, after the next look
}

func (m *memory) Secrets(context.Context) ([]Entry, error) {
	seen := slices.Clone(m.entries)
	if between := m.between; between != nil {
		m.between = nil
		between()
	}
	return seen, nil
}

func (m *memory) PutSecret(ctx context.Context, entry Entry) error {
	_, err := m.RemoveSecret(ctx, entry.Name, entry.Workflow)
	m.entries = append(m.entries, entry)
	return err
}

func (m *memory) SwapSecret(ctx context.Context, entry Entry, sealed []byte) (bool, error) {
	i := slices.IndexFunc(m.entries, func(e Entry) bool { return e.Name == entry.Name && e.Workflow == entry.Workflow })
	if i < 0 && sealed != nil || i >= 0 && !bytes.Equal(m.entries[i].Sealed, sealed) {
		return false, nil
	}
	return true, m.PutSecret(ctx, entry)
}

func (m *memory) RemoveSecret(_ context.Context, name, workflow string) (bool, error) {
	before := len(m.entries)
	m.entries = slices.DeleteFunc(m.entries, func(e Entry) bool { return e.Name == name && e.Workflow == workflow })
	return len(m.entries) < before, nil
}

func value(t *testing.T, v *Vault, workflow, name, host string) string {
	t.Helper()
	found, ok, err := v.Value(t.Context(), workflow, name, host)
	require.NoError(t, err)
	require.Equal(t, found != "", ok)
	return found
}

// A secret is given to its workflow, for its hosts, and to nobody else.
func TestBoundToWorkflowAndHost(t *testing.T) {
	t.Parallel()
	v, _ := newVault(t)
	require.NoError(t, v.Set(t.Context(), Binding{Name: "token", Hosts: []string{"API.example.com", "b.example:8443"}}, "for-all", moment))
	require.NoError(t, v.Set(t.Context(), Binding{Name: "token", Workflow: "w1", Hosts: []string{"api.example.com"}}, "for-w1", moment))

	require.Equal(t, "for-w1", value(t, v, "w1", "token", "api.example.com"), "its own comes first")
	require.Equal(t, "for-all", value(t, v, "w1", "token", "b.example:8443"), "where its own does not reach")
	require.Equal(t, "for-all", value(t, v, "w2", "token", "Api.Example.Com"))
	for _, host := range []string{"example.com", "evil-api.example.com", "api.example.com.evil.test", "b.example", "b.example:443", ""} {
		require.Empty(t, value(t, v, "w1", "token", host), host)
	}
	require.Empty(t, value(t, v, "w1", "other", "api.example.com"))
	require.Equal(t, "for-w1", value(t, v, "w1", "token", "api.example.com:8443"), "bound to the host is bound to its ports")

	require.NoError(t, v.Set(t.Context(), Binding{Name: "token", Workflow: "w1", Hosts: []string{"new.example"}}, "rotated", moment))
	require.Equal(t, "rotated", value(t, v, "w1", "token", "new.example"))
	require.Equal(t, "for-all", value(t, v, "w1", "token", "api.example.com"), "the old binding is gone")

	require.NoError(t, v.Remove(t.Context(), "token", "w1"))
	require.ErrorIs(t, v.Remove(t.Context(), "token", "w1"), ErrNotFound)
	require.Empty(t, value(t, v, "w1", "token", "new.example"))
	all, err := v.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []Secret{{Binding: Binding{Name: "token", Hosts: []string{"api.example.com", "b.example:8443"}}, SetAt: moment}}, all)
}

// The store holds no value in any form that can be searched for.
func TestStoreHoldsNoValue(t *testing.T) {
	t.Parallel()
	const canary = "canary-5f2b9e"
	v, store := newVault(t)
	require.NoError(t, v.Set(t.Context(), Binding{Name: "a", Hosts: []string{"h"}}, canary, moment))
	text, err := json.Marshal(store.entries)
	require.NoError(t, err)
	require.NotContains(t, string(text), canary)
	require.NotContains(t, string(text), base64.StdEncoding.EncodeToString([]byte(canary)))
	require.NotContains(t, fmt.Sprintf("%v %+v %s", v.key, v.key, v.key), "0x")

	require.Equal(t, canary, value(t, v, "w", "a", "h"))
}

// A writer to the store cannot send a secret elsewhere, give it to another workflow, or swap two of them; another key
// opens nothing.
func TestChangedStoreOpensNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(all []Entry){
		"another host":     func(all []Entry) { all[0].Hosts = []string{"evil.test"} },
		"one host more":    func(all []Entry) { all[0].Hosts = append(all[0].Hosts, "evil.test") },
		"another workflow": func(all []Entry) { all[0].Workflow = "" },
		"another name":     func(all []Entry) { all[0].Name = "b" },
		"swapped values":   func(all []Entry) { all[0].Sealed, all[1].Sealed = all[1].Sealed, all[0].Sealed },
		"swapped secrets": func(all []Entry) {
			all[0].Sealed, all[1].Sealed = all[1].Sealed, all[0].Sealed
			all[0].WrappedKey, all[1].WrappedKey = all[1].WrappedKey, all[0].WrappedKey
		},
		"cut short": func(all []Entry) { all[0].Sealed = all[0].Sealed[:5] },
		"no key":    func(all []Entry) { all[0].WrappedKey = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, store := newVault(t)
			require.NoError(t, v.Set(t.Context(), Binding{Name: "a", Workflow: "w", Hosts: []string{"h"}}, "secret-a", moment))
			require.NoError(t, v.Set(t.Context(), Binding{Name: "b", Workflow: "x", Hosts: []string{"h"}}, "secret-b", moment))
			all := store.entries
			change(all)
			_, ok, err := v.Value(t.Context(), "w", all[0].Name, all[0].Hosts[len(all[0].Hosts)-1])
			require.False(t, ok)
			require.ErrorContains(t, err, "does not open")
			require.ErrorContains(t, v.Check(t.Context()), "does not open")
		})
	}
	v, store := newVault(t)
	require.NoError(t, v.Set(t.Context(), Binding{Name: "a", Hosts: []string{"h"}}, "secret-a", moment))
	_, _, err := New(store, testKey(t, 'x')).Value(t.Context(), "w", "a", "h")
	require.ErrorContains(t, err, "not the key that it was set with")
}

// A value that cannot be a secret is refused before anything is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	v, store := newVault(t)
	hosts := []string{"h"}
	for want, set := range map[string]struct {
		binding Binding
		value   string
	}{
		"the name":                    {Binding{Name: "a b", Hosts: hosts}, "x"},
		`the name ""`:                 {Binding{Hosts: hosts}, "x"},
		"the value is empty":          {Binding{Name: "a", Hosts: hosts}, ""},
		"control character":           {Binding{Name: "a", Hosts: hosts}, "x\n"},
		"a control character":         {Binding{Name: "a", Hosts: hosts}, "-----BEGIN X-----\nAAAA\n-----END X-----\nX: y"},
		"more than 8192":              {Binding{Name: "a", Hosts: hosts}, strings.Repeat("x", MaxValueBytes+1)},
		"at least one host":           {Binding{Name: "a"}, "x"},
		`"https://h" is not a host`:   {Binding{Name: "a", Hosts: []string{"https://h"}}, "x"},
		`"*" is not a host`:           {Binding{Name: "a", Hosts: []string{"*"}}, "x"},
		`"h/path" is not a host`:      {Binding{Name: "a", Hosts: []string{"h/path"}}, "x"},
		`"u:p@h" is not a host`:       {Binding{Name: "a", Hosts: []string{"u:p@h"}}, "x"},
		`"h:123456" is not a host`:    {Binding{Name: "a", Hosts: []string{"h:123456"}}, "x"},
		`"" is not a host`:            {Binding{Name: "a", Hosts: []string{""}}, "x"},
		`".example.com" is not a hos`: {Binding{Name: "a", Hosts: []string{".example.com"}}, "x"},
	} {
		require.ErrorContains(t, v.Set(t.Context(), set.binding, set.value, moment), want)
	}
	require.Empty(t, store.entries)
	require.NoError(t, v.Set(t.Context(), Binding{Name: "a", Hosts: hosts}, "-----BEGIN X-----\nAAAA\n-----END X-----\n-----BEGIN X-----\nAAAA\n-----END X-----\n", moment), "a certificate is written in lines")
}

// A key is made once, readable by its owner only, and one that others can read is refused.
func TestKeyFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "made", "secrets.key")
	_, err := ReadKey(path)
	require.ErrorIs(t, err, os.ErrNotExist)
	var group sync.WaitGroup
	keys := make([]Key, 8)
	for i := range keys {
		group.Go(func() { keys[i], _ = ReadOrMakeKey(path) })
	}
	group.Wait()
	sealed := keys[0].seal([]byte("x"), nil)
	for _, key := range keys {
		plain, err := key.open(sealed, nil)
		require.NoError(t, err)
		require.Equal(t, "x", string(plain))
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file is left")

	require.NoError(t, os.Chmod(path, 0o640))
	_, err = ReadOrMakeKey(path)
	require.ErrorContains(t, err, "chmod 600")
	require.NoError(t, os.Chmod(path, 0o600))
	require.NoError(t, os.WriteFile(path, []byte("short"), 0o600))
	_, err = ReadOrMakeKey(path)
	require.ErrorContains(t, err, "is not base64 of 32 bytes")
	require.ErrorContains(t, err, path)
}
