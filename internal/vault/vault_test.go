package vault

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
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

func newVault(t *testing.T) (*Vault, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secrets.json")
	return Open(path, testKey(t, 'k')), path
}

func value(t *testing.T, v *Vault, workflow, name, host string) string {
	t.Helper()
	found, ok, err := v.Value(workflow, name, host)
	require.NoError(t, err)
	require.Equal(t, found != "", ok)
	return found
}

// A secret is given to its workflow, for its hosts, and to nobody else.
func TestBoundToWorkflowAndHost(t *testing.T) {
	t.Parallel()
	v, _ := newVault(t)
	require.NoError(t, v.Set(Binding{Name: "token", Hosts: []string{"API.example.com", "b.example:8443"}}, "for-all", moment))
	require.NoError(t, v.Set(Binding{Name: "token", Workflow: "w1", Hosts: []string{"api.example.com"}}, "for-w1", moment))

	require.Equal(t, "for-w1", value(t, v, "w1", "token", "api.example.com"), "its own comes first")
	require.Equal(t, "for-all", value(t, v, "w1", "token", "b.example:8443"), "where its own does not reach")
	require.Equal(t, "for-all", value(t, v, "w2", "token", "Api.Example.Com"))
	for _, host := range []string{"example.com", "evil-api.example.com", "api.example.com.evil.test", "b.example", "b.example:443", ""} {
		require.Empty(t, value(t, v, "w1", "token", host), host)
	}
	require.Empty(t, value(t, v, "w1", "other", "api.example.com"))
	require.Equal(t, "for-w1", value(t, v, "w1", "token", "api.example.com:8443"), "bound to the host is bound to its ports")

	require.NoError(t, v.Set(Binding{Name: "token", Workflow: "w1", Hosts: []string{"new.example"}}, "rotated", moment))
	require.Equal(t, "rotated", value(t, v, "w1", "token", "new.example"))
	require.Equal(t, "for-all", value(t, v, "w1", "token", "api.example.com"), "the old binding is gone")

	require.NoError(t, v.Remove("token", "w1"))
	require.ErrorIs(t, v.Remove("token", "w1"), ErrNotFound)
	require.Empty(t, value(t, v, "w1", "token", "new.example"))
	all, err := v.List()
	require.NoError(t, err)
	require.Equal(t, []Secret{{Binding: Binding{Name: "token", Hosts: []string{"api.example.com", "b.example:8443"}}, SetAt: moment}}, all)
}

// The file holds no value in any form that can be searched for, and only its owner may read it.
func TestFileHoldsNoValue(t *testing.T) {
	t.Parallel()
	const canary = "canary-5f2b9e"
	v, path := newVault(t)
	require.NoError(t, v.Set(Binding{Name: "a", Hosts: []string{"h"}}, canary, moment))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotContains(t, string(text), canary)
	require.NotContains(t, string(text), base64.StdEncoding.EncodeToString([]byte(canary)))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Zero(t, info.Mode().Perm()&0o077)
	require.NotContains(t, fmt.Sprintf("%v %+v %s", v.key, v.key, v.key), "0x")

	values, err := v.Values()
	require.NoError(t, err)
	require.Equal(t, []string{canary}, values)
}

// Whoever writes to the file cannot send a secret elsewhere, give it to another workflow, or
// swap two of them; another key opens nothing.
func TestChangedFileOpensNothing(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(all []entry){
		"another host":     func(all []entry) { all[0].Hosts = []string{"evil.test"} },
		"one host more":    func(all []entry) { all[0].Hosts = append(all[0].Hosts, "evil.test") },
		"another workflow": func(all []entry) { all[0].Workflow = "" },
		"another name":     func(all []entry) { all[0].Name = "b" },
		"swapped values":   func(all []entry) { all[0].Sealed, all[1].Sealed = all[1].Sealed, all[0].Sealed },
		"swapped secrets": func(all []entry) {
			all[0].Sealed, all[1].Sealed = all[1].Sealed, all[0].Sealed
			all[0].WrappedKey, all[1].WrappedKey = all[1].WrappedKey, all[0].WrappedKey
		},
		"cut short": func(all []entry) { all[0].Sealed = all[0].Sealed[:5] },
		"no key":    func(all []entry) { all[0].WrappedKey = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, path := newVault(t)
			require.NoError(t, v.Set(Binding{Name: "a", Workflow: "w", Hosts: []string{"h"}}, "secret-a", moment))
			require.NoError(t, v.Set(Binding{Name: "b", Workflow: "x", Hosts: []string{"h"}}, "secret-b", moment))
			all, err := v.load()
			require.NoError(t, err)
			change(all)
			text, err := json.Marshal(all)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, text, 0o600))
			_, ok, err := v.Value("w", all[0].Name, all[0].Hosts[len(all[0].Hosts)-1])
			require.False(t, ok)
			require.ErrorContains(t, err, "does not open")
			_, err = v.Values()
			require.Error(t, err)
		})
	}
	v, path := newVault(t)
	require.NoError(t, v.Set(Binding{Name: "a", Hosts: []string{"h"}}, "secret-a", moment))
	_, _, err := Open(path, testKey(t, 'x')).Value("w", "a", "h")
	require.ErrorContains(t, err, "not the key that it was set with")
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	_, err = v.List()
	require.ErrorContains(t, err, "is damaged")
	require.ErrorContains(t, v.Set(Binding{Name: "b", Hosts: []string{"h"}}, "x", moment), "is damaged", "nothing is lost under a change")
}

// What cannot be a secret is refused before anything is written.
func TestRefused(t *testing.T) {
	t.Parallel()
	v, path := newVault(t)
	hosts := []string{"h"}
	for want, set := range map[string]struct {
		binding Binding
		value   string
	}{
		"the name":                    {Binding{Name: "a b", Hosts: hosts}, "x"},
		`the name ""`:                 {Binding{Hosts: hosts}, "x"},
		"the value is empty":          {Binding{Name: "a", Hosts: hosts}, ""},
		"control character":           {Binding{Name: "a", Hosts: hosts}, "x\n"},
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
		require.ErrorContains(t, v.Set(set.binding, set.value, moment), want)
	}
	_, err := os.Stat(path)
	require.ErrorIs(t, err, os.ErrNotExist)
}

// Secrets that are set at the same time are all kept.
func TestConcurrentChangesAreAllKept(t *testing.T) {
	t.Parallel()
	v, _ := newVault(t)
	var group sync.WaitGroup
	failed := make([]error, 20)
	for i := range failed {
		group.Go(func() {
			failed[i] = Open(v.path, v.key).Set(Binding{Name: fmt.Sprintf("s%02d", i), Hosts: []string{"h"}}, "x", moment)
		})
	}
	group.Wait()
	for _, err := range failed {
		require.NoError(t, err)
	}
	all, err := v.List()
	require.NoError(t, err)
	require.Len(t, all, len(failed))
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
