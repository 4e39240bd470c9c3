package hostcall

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"sync/atomic"
)

// Memory is a [State] in memory. The zero Memory is empty and ready to use.
//
// Reads and Clone may be called from several goroutines at once, writes may not.
type Memory struct {
	kv      map[string]json.RawMessage
	files   map[string]File
	folders map[string]int // how many files lie under each, at any depth
	bytes   int64
	most    int64
	// shared says that a clone reads the same maps, so they are copied before the next write.
	shared atomic.Bool
}

var _ State = (*Memory)(nil)

// NewMemory returns a state that holds copies of kv and files (path to text), all files
// modified at modifiedMS. It does not check names: what was recorded is taken as it is.
func NewMemory(kv map[string]json.RawMessage, files map[string]string, modifiedMS int64) *Memory {
	m := &Memory{}
	for key, value := range kv {
		m.SetKV(key, value)
	}
	for name, text := range files {
		m.WriteFile(name, File{Text: text, ModifiedMS: modifiedMS})
	}
	return m
}

// Limit bounds what the state may hold, in bytes; 0 for [MaxStateBytes]. Keys and files that it holds already stay.
func (m *Memory) Limit(bytes int64) { m.most = bytes }

// Clone returns a state that starts as m is now and changes on its own. It costs nothing
// until one of the two is written.
func (m *Memory) Clone() *Memory {
	m.shared.Store(true)
	c := &Memory{kv: m.kv, files: m.files, folders: m.folders, bytes: m.bytes, most: m.most}
	c.shared.Store(true)
	return c
}

// KV implements [State].
func (m *Memory) KV(key string) (json.RawMessage, bool) {
	value, ok := m.kv[key]
	return value, ok
}

// Keys implements [State].
func (m *Memory) Keys(prefix string) []string {
	keys := []string{}
	for key := range m.kv {
		if strings.HasPrefix(key, prefix) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// SetKV implements [State]. The value must not be changed afterwards.
func (m *Memory) SetKV(key string, value json.RawMessage) {
	m.own()
	if old, ok := m.kv[key]; ok {
		m.bytes -= int64(len(key) + len(old))
	}
	m.kv[key] = value
	m.bytes += int64(len(key) + len(value))
}

// DeleteKV implements [State].
func (m *Memory) DeleteKV(key string) {
	old, ok := m.kv[key]
	if !ok {
		return
	}
	m.own()
	delete(m.kv, key)
	m.bytes -= int64(len(key) + len(old))
}

// File implements [State].
func (m *Memory) File(name string) (File, bool) {
	file, ok := m.files[name]
	return file, ok
}

// Files implements [State].
func (m *Memory) Files() []string {
	return slices.Sorted(maps.Keys(m.files))
}

// WriteFile implements [State].
func (m *Memory) WriteFile(name string, file File) {
	m.own()
	if old, ok := m.files[name]; ok {
		m.bytes -= int64(len(name) + len(old.Text))
	} else {
		m.countFolders(name, 1)
	}
	m.files[name] = file
	m.bytes += int64(len(name) + len(file.Text))
}

// RemoveFile implements [State].
func (m *Memory) RemoveFile(name string) {
	old, ok := m.files[name]
	if !ok {
		return
	}
	m.own()
	delete(m.files, name)
	m.countFolders(name, -1)
	m.bytes -= int64(len(name) + len(old.Text))
}

// Folder implements [State].
func (m *Memory) Folder(name string) bool {
	return name == "." || m.folders[name] > 0
}

// Usage implements [State].
func (m *Memory) Usage() Usage {
	return Usage{Keys: len(m.kv), Files: len(m.files), Bytes: m.bytes, Most: m.most}
}

func (m *Memory) countFolders(name string, by int) {
	for folder := path.Dir(name); folder != "." && folder != "/"; folder = path.Dir(folder) {
		m.folders[folder] += by
		if m.folders[folder] == 0 {
			delete(m.folders, folder)
		}
	}
}

// own makes the maps m's own before a write.
func (m *Memory) own() {
	if m.shared.Load() {
		m.kv, m.files, m.folders = maps.Clone(m.kv), maps.Clone(m.files), maps.Clone(m.folders)
		m.shared.Store(false)
	}
	if m.kv == nil {
		m.kv = map[string]json.RawMessage{}
	}
	if m.files == nil {
		m.files = map[string]File{}
	}
	if m.folders == nil {
		m.folders = map[string]int{}
	}
}
