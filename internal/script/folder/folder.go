package folder

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/script/packages"
	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// Options are what there is without the folder.
type Options struct {
	// Has says that scripts have a module without any package.
	Has func(module string) bool
}

// Made is what a folder came to.
type Made struct {
	Code string // what the author wrote, and the lock
	Text string // of the packages; empty if there are none
	// Absent are modules of Node's that packages require and that are not here, each with the packages that do.
	Absent []string
}

// An Error says what of a folder cannot be saved, and what to do.
type Error struct{ Message string }

// Error implements error.
func (e *Error) Error() string { return e.Message }

func failed(format string, values ...any) error { return &Error{fmt.Sprintf(format, values...)} }

// entries are the files that run, of a folder whose package.json names none.
var entries = []string{"main", "index", "src/main", "src/index", "script"}

// mostFiles is how many files of the author's a script may have.
const mostFiles = 200

// maxFile is how many bytes one of them may have: all of them together are a script.
const maxFile = 1 << 20

// Read reads a folder, or a file and what it imports.
func Read(named string, o Options) (*Made, error) {
	at, err := filepath.Abs(named)
	if err != nil {
		return nil, failed("%s: %s", named, err)
	}
	if at, err = filepath.EvalSymlinks(at); err != nil {
		return nil, failed("cannot read %s: %s", named, reason(err))
	}
	info, err := os.Stat(at)
	if err != nil {
		return nil, failed("cannot read %s: %s", named, reason(err))
	}
	r := &reader{options: o, named: named, root: at}
	var entry string
	if !info.IsDir() {
		content, err := os.ReadFile(at)
		if err != nil {
			return nil, failed("cannot read %s: %s", named, reason(err))
		}
		if text := string(content); packages.Marked(text) > 0 || !mayImport(text) { // it is a whole code, as script show gives it
			code, kept, err := packages.Open(text)
			if err != nil {
				return nil, failed("%s: %s", named, err)
			}
			return &Made{Code: code, Text: kept}, nil
		}
	}
	if info.IsDir() {
		if entry, err = r.entry(); err != nil {
			return nil, err
		}
	} else {
		r.root = projectOf(filepath.Dir(at))
		if entry, err = filepath.Rel(r.root, at); err != nil {
			return nil, failed("%s: %s", named, err)
		}
	}
	return r.read(filepath.ToSlash(entry))
}

// mayImport says that a text may name modules or files.
func mayImport(text string) bool {
	return strings.Contains(text, "import") || strings.Contains(text, "require") || strings.Contains(text, "from")
}

func reason(err error) string {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err.Error()
	}
	return err.Error()
}

// projectOf is the folder that a file belongs to: the next one above with a lock of packages, else its own.
func projectOf(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, lockFile)); err == nil {
			return at
		}
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil || filepath.Dir(at) == at {
			return dir
		}
	}
}

type reader struct {
	options Options
	named   string // the folder or file as the person named it
	root    string // absolute, without symbolic links
	first   string // the file that runs, from the root
	names   []string
	texts   []string
	wants   map[string]*want // of modules that are no files
}

// want is what the author's files take of a module.
type want struct {
	names    []string
	required bool   // by require
	where    string // a file that does, and its line
}

// entry is the file that runs.
func (r *reader) entry() (string, error) {
	var about struct {
		Main string `json:"main"`
	}
	if text, err := os.ReadFile(filepath.Join(r.root, "package.json")); err == nil {
		if err := json.Unmarshal(text, &about); err != nil {
			return "", failed("%s: package.json is no JSON: %s", r.named, err)
		}
	}
	if main := path.Clean(about.Main); about.Main != "" && filepath.IsLocal(main) {
		if found := r.find(main); found != "" {
			return found, nil
		}
	}
	for _, name := range entries {
		if found := r.find(name); found != "" {
			return found, nil
		}
	}
	return "", failed("%s has no file that runs: name it main.ts, or in package.json as \"main\", or give the file instead of the folder", r.named)
}

// find is a file that is meant by a path from the root; empty for none.
func (r *reader) find(name string) string {
	return packages.Find(name, func(one string) bool {
		info, err := os.Stat(filepath.Join(r.root, filepath.FromSlash(one)))
		return err == nil && info.Mode().IsRegular()
	})
}

func (r *reader) read(entry string) (*Made, error) {
	r.first, r.wants = entry, map[string]*want{}
	if err := r.file(entry); err != nil {
		return nil, err
	}
	names := make([]string, len(r.names))
	for i, name := range r.names {
		names[i] = relative(entry, name)
	}
	made := &Made{Code: r.texts[0]}
	if len(names) > 1 {
		made.Code = packages.Join(names, r.texts)
	}
	return made, r.packages(made)
}

// relative is a file as it stands in the code: as seen from the one that runs.
func relative(entry, name string) string {
	from, err := filepath.Rel(filepath.FromSlash(path.Dir(entry)), filepath.FromSlash(name))
	if err != nil {
		return "./" + name
	}
	if from = filepath.ToSlash(from); strings.HasPrefix(from, "../") {
		return from
	}
	return "./" + from
}

// file reads one of the author's files, and those that it imports.
func (r *reader) file(name string) error {
	if slices.Contains(r.names, name) {
		return nil
	}
	if len(r.names) == mostFiles {
		return failed("%s: there are more than %d files", r.named, mostFiles)
	}
	text, err := r.text(name)
	if err != nil {
		return err
	}
	r.names, r.texts = append(r.names, name), append(r.texts, text)
	used, err := transpile.Uses(text)
	if err != nil {
		return r.fault(name, text, err)
	}
	for _, one := range used {
		where := fmt.Sprintf("%s, line %d", name, 1+strings.Count(text[:min(one.At, len(text))], "\n"))
		if !packages.Relative(one.Module) {
			r.want(one, where)
			continue
		}
		to := path.Join(path.Dir(name), one.Module)
		if !filepath.IsLocal(filepath.FromSlash(to)) {
			return failed("%s: %s is outside the folder %s: move it in, or save the folder above", where, one.Module, r.named)
		}
		found := r.find(to)
		switch {
		case found != "" && strings.HasSuffix(found, jsonSuffix):
			if err := r.data(found); err != nil {
				return err
			}
			continue
		case found == "" || !slices.ContainsFunc(packages.Suffixes, func(suffix string) bool { return strings.HasSuffix(found, suffix) }):
			return failed("%s: there is no file %s, or it is neither JavaScript, TypeScript nor JSON", where, one.Module)
		case found == r.first:
			return failed("%s: it imports the file that runs: move what both need into a file of its own", where)
		}
		if err := r.file(found); err != nil {
			return err
		}
	}
	return nil
}

const (
	jsonSuffix = ".json"
	// handsOverJSON stands before a text of JSON in a script, where each file is a program.
	handsOverJSON = "module.exports = "
)

// data reads a file of JSON.
func (r *reader) data(name string) error {
	if slices.Contains(r.names, name) {
		return nil
	}
	text, err := r.text(name)
	if err != nil {
		return err
	}
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		line := 0
		if of := (*json.SyntaxError)(nil); errors.As(err, &of) {
			line = 1 + strings.Count(text[:min(int(of.Offset), len(text))], "\n")
		}
		return failed("%s, line %d: it is no JSON: %s", name, line, err)
	}
	if strings.Contains(text, `"__proto__"`) {
		return failed("%s has a member __proto__, which is something else in a program than in JSON: call it otherwise", name)
	}
	r.names, r.texts = append(r.names, name), append(r.texts, handsOverJSON+strings.TrimSpace(text)+";")
	return nil
}

// text reads a file that has to lie in the folder, also behind symbolic links.
func (r *reader) text(name string) (string, error) {
	at := filepath.Join(r.root, filepath.FromSlash(name))
	if err := r.inside(at); err != nil {
		return "", err
	}
	info, err := os.Stat(at)
	if err == nil && info.Size() > maxFile {
		return "", failed("%s has %d bytes, more than %d", name, info.Size(), maxFile)
	}
	content, err := os.ReadFile(at)
	if err != nil {
		return "", failed("cannot read %s: %s", name, reason(err))
	}
	text := strings.TrimPrefix(string(content), "\ufeff")
	if !utf8.ValidString(text) {
		return "", failed("%s is not UTF-8 text", name)
	}
	if line := packages.Marked(text); line > 0 {
		return "", failed("%s, line %d begins as those lines do that Kintsugi puts between files (//# file, //# packages): leave it out", name, line)
	}
	return text, nil
}

// inside refuses a path that leads out of the folder.
func (r *reader) inside(at string) error {
	real, err := filepath.EvalSymlinks(at)
	if err != nil {
		return failed("cannot read %s: %s", at, reason(err))
	}
	if within, err := filepath.Rel(r.root, real); err != nil || !filepath.IsLocal(within) {
		return failed("%s leads out of the folder %s: put the file itself there", at, r.named)
	}
	return nil
}

func (r *reader) fault(name, text string, err error) error {
	var of *transpile.Error
	if errors.As(err, &of) && of.Offset >= 0 {
		return failed("%s, line %d: %s", name, 1+strings.Count(text[:min(of.Offset, len(text))], "\n"), of.Message)
	}
	return failed("%s: %s", name, err)
}

// want notes what a file takes of a module.
func (r *reader) want(one transpile.Import, where string) {
	known := r.wants[one.Module]
	if known == nil {
		known = &want{where: where}
		r.wants[one.Module] = known
	}
	name := one.Name
	if name == "" {
		if one.Local == "" && one.Module != "" {
			known.required = true
		}
		name = "*"
	}
	if !slices.Contains(known.names, name) {
		known.names = append(known.names, name)
	}
}
