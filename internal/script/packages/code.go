package packages

import (
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
)

const (
	fileMark     = "//# file "
	packagesMark = "//# packages sha256 "
	lineMark     = "//# "
	withMark     = "//# with "
)

// File is one of the author's files in the code of a version.
type File struct {
	Name       string // relative to the one that runs, begins with ./ or ../; empty for that one
	Start, End int    // of its text in the code
	Mark       int    // where the line begins that names it
}

// Split finds the files of a code; the first is the one that runs.
func Split(code string) []File {
	files := []File{{End: len(code)}}
	if !strings.Contains(code, lineMark) {
		return files
	}
	for at := 0; at < len(code); {
		end := lineEnd(code, at)
		line := strings.TrimRight(code[at:end], "\r\n")
		switch {
		case strings.HasPrefix(line, fileMark):
			files[len(files)-1].End = at
			files = append(files, File{Name: strings.TrimSpace(line[len(fileMark):]), Start: end, End: len(code), Mark: at})
		case strings.HasPrefix(line, packagesMark):
			files[len(files)-1].End = at
			return files
		}
		at = end
	}
	return files
}

func lineEnd(code string, at int) int {
	if next := strings.IndexByte(code[at:], '\n'); next >= 0 {
		return at + next + 1
	}
	return len(code)
}

// Place is the file and line of a line of a code, from 1; the name is empty in the file that runs.
func Place(code string, line int) (name string, within int) {
	if !strings.Contains(code, fileMark) {
		return "", line
	}
	at := 0
	for range line - 1 {
		at = lineEnd(code, at)
	}
	files := Split(code)
	for _, file := range slices.Backward(files) {
		if file.Name != "" && at >= file.Start {
			return file.Name, 1 + strings.Count(code[file.Start:at], "\n")
		}
	}
	return "", line
}

// Join makes one text of files, of which the first runs.
func Join(names, texts []string) string {
	var code strings.Builder
	for i, text := range texts {
		if i > 0 {
			code.WriteString(fileMark + names[i] + "\n")
		}
		code.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			code.WriteString("\n")
		}
	}
	return code.String()
}

// Marked is the first line of a text that would be read as one of ours, from 1; 0 if there is none.
func Marked(text string) int {
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, fileMark) || strings.HasPrefix(line, packagesMark) {
			return i + 1
		}
	}
	return 0
}

// Resolve is the name of the file that one of them imports by a relative path.
func Resolve(from, to string) string {
	name := path.Join(path.Dir(path.Join(".", from)), to)
	if !strings.HasPrefix(name, "../") {
		name = "./" + name
	}
	return name
}

// Suffixes are those of files of a script.
var Suffixes = []string{".ts", ".mts", ".cts", ".js", ".mjs", ".cjs"}

// Find is the file that is meant by a name, as Node and TypeScript find it among those that are there; empty for none.
func Find(name string, there func(string) bool) string {
	tries := []string{name}
	for _, suffix := range Suffixes {
		tries = append(tries, name+suffix)
	}
	if base, is := strings.CutSuffix(name, "js"); is && strings.Contains(path.Ext(name), "js") {
		tries = append(tries, base+"ts") // .js of what TypeScript makes of .ts, .mjs of .mts
	}
	for _, suffix := range Suffixes {
		tries = append(tries, strings.TrimSuffix(name, "/")+"/index"+suffix)
	}
	for _, one := range tries {
		if there(one) {
			return one
		}
	}
	return ""
}

// IsScript says that a path of this machine is a script, or a folder with one.
func IsScript(file string) bool {
	if slices.Contains(Suffixes, path.Ext(file)) {
		return true
	}
	info, err := os.Stat(file)
	return err == nil && info.IsDir()
}

// Relative says that an import names a file, and no module.
func Relative(module string) bool {
	return strings.HasPrefix(module, "./") || strings.HasPrefix(module, "../") || module == "." || module == ".."
}

// Lock says which packages a code takes: what stands behind its last file.
type Lock struct {
	Digest  string // SHA-256 of the text, in hexadecimal
	Modules []Module
	With    []string // packages that these need, with their versions
}

// Module is what a code takes of a package, or of a part of it such as dayjs/plugin/utc.
type Module struct {
	Name    string
	Version string
	Names   []string // what it takes, sorted: default, and * for all of it
}

// LockOf reads the lock of a code; nil if it has none. A damaged one has what could be read.
func LockOf(code string) *Lock {
	at := strings.LastIndex(code, packagesMark)
	if at < 0 || at > 0 && code[at-1] != '\n' {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(code[at:]), "\n")
	lock := &Lock{Digest: strings.TrimSpace(lines[0][len(packagesMark):])}
	for _, line := range lines[1:] {
		line = strings.TrimSpace(line)
		if with, is := strings.CutPrefix(line, withMark); is {
			lock.With = strings.Split(with, ", ")
			continue
		}
		said, is := strings.CutPrefix(line, lineMark)
		head, names, has := strings.Cut(said, ": ")
		name, version, versioned := strings.Cut(head, " ")
		if is && has && versioned {
			lock.Modules = append(lock.Modules, Module{name, version, strings.Split(names, ", ")})
		}
	}
	return lock
}

// String is the lock as it stands in a code.
func (l *Lock) String() string {
	if l == nil {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s%s\n", packagesMark, l.Digest)
	for _, one := range l.Modules {
		fmt.Fprintf(&text, "%s%s %s: %s\n", lineMark, one.Name, one.Version, strings.Join(one.Names, ", "))
	}
	if len(l.With) > 0 {
		fmt.Fprintf(&text, "%s%s\n", withMark, strings.Join(l.With, ", "))
	}
	return text.String()
}

// Packages are the packages, each with its version: dayjs 1.11.13.
func (l *Lock) Packages() []string {
	names := slices.Clone(l.With)
	for _, one := range l.Modules {
		parts := strings.SplitN(one.Name, "/", 3)
		name := parts[0]
		if strings.HasPrefix(name, "@") && len(parts) > 1 {
			name += "/" + parts[1]
		}
		names = append(names, name+" "+one.Version)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Module is what the code takes of a module; nil for nothing.
func (l *Lock) Module(name string) *Module {
	if l == nil {
		return nil
	}
	for i := range l.Modules {
		if l.Modules[i].Name == name {
			return &l.Modules[i]
		}
	}
	return nil
}

// Has says that the code takes a name of it.
func (m *Module) Has(name string) bool {
	return slices.Contains(m.Names, name) || slices.Contains(m.Names, "*")
}
