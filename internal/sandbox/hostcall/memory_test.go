package hostcall_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// A clone and its original never see each other's writes, whichever is written first.
func TestMemoryCloneIsApart(t *testing.T) {
	t.Parallel()
	first := hostcall.NewMemory(map[string]json.RawMessage{"k": []byte(`1`)}, map[string]string{"a/b.txt": "text"}, 5)
	second := first.Clone()
	third := first.Clone()

	first.SetKV("k", []byte(`2`))
	first.RemoveFile("a/b.txt")
	second.WriteFile("c.txt", hostcall.File{Text: "c", ModifiedMS: 9})

	value, _ := first.KV("k")
	require.Equal(t, `2`, string(value))
	require.Empty(t, first.Files())
	require.False(t, first.Folder("a"))
	require.Equal(t, []string{"a/b.txt", "c.txt"}, second.Files())
	require.Equal(t, []string{"a/b.txt"}, third.Files())
	require.True(t, third.Folder("a"))
	value, _ = third.KV("k")
	require.Equal(t, `1`, string(value))
	file, ok := third.File("a/b.txt")
	require.True(t, ok)
	require.Equal(t, hostcall.File{Text: "text", ModifiedMS: 5}, file)
}

// One base may be cloned by several goroutines that each go their own way: run with -race.
func TestMemoryCloneFromManyGoroutines(t *testing.T) {
	t.Parallel()
	base := hostcall.NewMemory(map[string]json.RawMessage{"k": []byte(`0`)}, nil, 0)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			own := base.Clone()
			own.SetKV("k", fmt.Appendf(nil, "%d", i))
			own.WriteFile(fmt.Sprint(i), hostcall.File{})
			value, _ := own.KV("k")
			if string(value) != fmt.Sprint(i) || len(own.Files()) != 1 {
				t.Errorf("clone %d is not its own", i)
			}
		})
	}
	all.Wait()
	value, _ := base.KV("k")
	require.Equal(t, `0`, string(value))
}

// After any writes, on any chain of clones, a Memory answers as plain maps would, and its
// running totals are what a count gives.
func TestMemoryAgainstMaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"a", "b", "d/a", "d/b", "d/e/f", "e/f"})
		m, kv, files := &hostcall.Memory{}, map[string]string{}, map[string]string{}
		var before *hostcall.Memory
		var beforeKV map[string]string
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			name, text := names.Draw(t, "name"), rapid.StringN(0, 5, -1).Draw(t, "text")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				m.SetKV(name, []byte(text))
				kv[name] = text
			case 1:
				m.DeleteKV(name)
				delete(kv, name)
			case 2:
				m.WriteFile(name, hostcall.File{Text: text})
				files[name] = text
			case 3:
				m.RemoveFile(name)
				delete(files, name)
			case 4:
				before, beforeKV, m = m, maps.Clone(kv), m.Clone()
			}
		}
		bytes, folders := 0, map[string]bool{}
		for key, value := range kv {
			got, ok := m.KV(key)
			require.True(t, ok)
			require.Equal(t, value, string(got))
			bytes += len(key) + len(value)
		}
		for name, text := range files {
			got, ok := m.File(name)
			require.True(t, ok)
			require.Equal(t, text, got.Text)
			bytes += len(name) + len(text)
			for i, r := range name {
				if r == '/' {
					folders[name[:i]] = true
				}
			}
		}
		require.Equal(t, hostcall.Usage{Keys: len(kv), Files: len(files), Bytes: int64(bytes)}, m.Usage())
		require.Equal(t, slices.Sorted(maps.Keys(files)), m.Files())
		for _, folder := range []string{"d", "d/e", "e", "a", "x"} {
			require.Equal(t, folders[folder], m.Folder(folder), folder)
		}
		want := []string{}
		for _, key := range slices.Sorted(maps.Keys(kv)) {
			if strings.HasPrefix(key, "d/") {
				want = append(want, key)
			}
		}
		require.Equal(t, want, m.Keys("d/"))
		if before != nil {
			require.Len(t, before.Keys(""), len(beforeKV))
		}
	})
}

func BenchmarkMemoryClone(b *testing.B) {
	m := &hostcall.Memory{}
	for i := range 1000 {
		m.WriteFile(fmt.Sprintf("folder/%d.txt", i), hostcall.File{Text: "text"})
	}
	for b.Loop() {
		m.Clone()
	}
}
