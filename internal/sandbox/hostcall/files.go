package hostcall

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

const (
	// Much longer than a path may be, so that cleanPath can say what is wrong with it.
	pathArgument = `{"title": "path", "type": "string", "minLength": 1, "maxLength": 8192}`
	pathSchema   = `{"type": "array", "minItems": 1, "items": false, "prefixItems": [` + pathArgument + `]}`
	textSchema   = `{"type": "array", "minItems": 2, "items": false, "prefixItems": [` + pathArgument + `, {"title": "text", "type": "string"}]}`
)

var _ = Declare(localRead(Tool{
	Name: "files.read", Doc: `The text of a file. One that is not there throws LogicError.`,
	Types: `(path: string): Promise<string>`, Schema: pathSchema, About: Path,
	settle: ofPath(func(l *look, made Answered, name string) {
		text := ""
		if len(made.Reply.Result) > 1 {
			text = unquote(made.Reply.Result)
		}
		l.text(name, text, made.Reply.Error == nil)
	}),
}, func(state State, call sandbox.Call) (json.RawMessage, *sandbox.Error) {
	file, fault := existingFile(state, call)
	if fault != nil {
		return nil, fault
	}
	return toJSON(file.Text), nil
}))

var _ = Declare(localRead(Tool{
	Name: "files.stat", Doc: `{size, modified}: bytes, and an ISO time. A file that is not there throws LogicError.`,
	Types: `(path: string): Promise<{ size: number; modified: string }>`, Schema: pathSchema, About: Path,
	settle: ofPath(func(l *look, made Answered, name string) {
		place := ofFile(name)
		size := "size of " + place
		if now := ApplyLocal(l.state, made.Call, 0); !l.settled[size] && !l.files[name] && orNull(now.Result) != orNull(made.Reply.Result) {
			l.moved[place] = true
		}
		l.settled[size] = true
	}),
}, func(state State, call sandbox.Call) (json.RawMessage, *sandbox.Error) {
	file, fault := existingFile(state, call)
	if fault != nil {
		return nil, fault
	}
	return toJSON(struct {
		Size     int    `json:"size"`
		Modified string `json:"modified"`
	}{len(file.Text), time.UnixMilli(file.ModifiedMS).UTC().Format("2006-01-02T15:04:05.000Z")}), nil
}))

var _ = Declare(localRead(Tool{
	Name:  "files.list",
	Doc:   `The names directly in a folder, sorted, those of folders with a slash behind; without dir of the workflow's own folder. A folder is there as long as a file lies under it; another one throws LogicError.`,
	Types: `(dir?: string | null): Promise<string[]>`,
	Schema: `{"type": "array", "minItems": 0, "items": false, "prefixItems": [
		{"title": "dir", "type": ["string", "null"], "maxLength": 8192}
	]}`,
	settle: ofPath(func(l *look, made Answered, name string) {
		prefix, below := strings.TrimPrefix(name+"/", "./"), map[string]bool{}
		for written := range l.files {
			if rest, is := strings.CutPrefix(written, prefix); is {
				first, _, _ := strings.Cut(rest, "/")
				below[first], below[first+"/"] = true, true
			}
		}
		l.names("folder "+strconv.Quote(name), made.Reply.Result, ApplyLocal(l.state, made.Call, 0).Result, below)
	}),
}, func(state State, call sandbox.Call) (json.RawMessage, *sandbox.Error) {
	var name string
	if fault := decode(call, &name); fault != nil {
		return nil, fault
	}
	folder, fault := cleanPath(call.Tool, name)
	if fault != nil {
		return nil, fault
	}
	if _, ok := state.File(folder); ok {
		return nil, fail(sandbox.ClassLogic, "", "%s: %q is a file, not a folder", call.Tool, clip(folder))
	}
	if !state.Folder(folder) {
		return nil, fail(sandbox.ClassLogic, "", "%s: no folder %q", call.Tool, clip(folder))
	}
	return toJSON(namesUnder(state, folder)), nil
}))

var _ = Declare(Tool{
	Name: "files.write", Doc: `null. The whole file; folders are made as needed.`,
	Types: `(path: string, text: string): Promise<null>`, Schema: textSchema, About: Path, Leaves: Put,
})

var _ = Declare(Tool{
	Name: "files.append", Doc: `null. Puts text behind what is there, or makes the file.`,
	Types: `(path: string, text: string): Promise<null>`, Schema: textSchema, About: Path, Leaves: Behind,
})

var _ = Declare(Tool{
	Name: "files.remove", Doc: `null. A file that is not there is fine; a folder throws LogicError.`,
	Types: `(path: string): Promise<null>`, Schema: pathSchema, About: Path, Leaves: Gone,
})

// ofPath is for a path as the workflow's folder spells it.
func ofPath(settle func(*look, Answered, string)) func(*look, Answered, string) {
	return func(l *look, made Answered, name string) {
		if place, fault := cleanPath(made.Call.Tool, name); fault == nil {
			settle(l, made, place)
		}
	}
}

// leaveFile leaves what a call of a tool leaves at a path. A write that is refused changes nothing.
func (t Touch) leaveFile(state State, tool string, nowMS int64) *sandbox.Error {
	name, fault := filePath(state, tool, t.Name)
	if fault != nil {
		return fault
	}
	if t.Leaves == Gone {
		state.RemoveFile(name)
		return nil
	}
	for i, r := range name {
		if r != '/' {
			continue
		}
		if _, ok := state.File(name[:i]); ok {
			return fail(sandbox.ClassLogic, "", "%s: %q cannot be made: %q is a file, not a folder", tool, clip(name), clip(name[:i]))
		}
	}
	old, exists := state.File(name)
	text := t.Text
	if t.Leaves == Behind {
		text = old.Text + text
	}
	if len(text) > MaxFileBytes {
		return fail(sandbox.ClassLimit, CodeLimitState, "%s: %q would be %d bytes, more than %d", tool, clip(name), len(text), MaxFileBytes)
	}
	files, grows := state.Usage().Files, len(name)+len(text)
	if exists {
		files, grows = files-1, len(text)-len(old.Text)
	}
	if fault := checkRoom(tool, "files", files, MaxFiles, state, grows); fault != nil {
		return fault
	}
	state.WriteFile(name, File{Text: text, ModifiedMS: nowMS})
	return nil
}

// existingFile is the file that the call's first argument names.
func existingFile(state State, call sandbox.Call) (File, *sandbox.Error) {
	var name string
	if fault := decode(call, &name); fault != nil {
		return File{}, fault
	}
	name, fault := filePath(state, call.Tool, name)
	if fault != nil {
		return File{}, fault
	}
	file, ok := state.File(name)
	if !ok {
		return File{}, fail(sandbox.ClassLogic, "", "%s: no file %q", call.Tool, clip(name))
	}
	return file, nil
}

// filePath is the one form of a path that must not be a folder's.
func filePath(state State, tool, name string) (string, *sandbox.Error) {
	name, fault := cleanPath(tool, name)
	if fault != nil {
		return "", fault
	}
	if state.Folder(name) {
		return "", fail(sandbox.ClassLogic, "", "%s: %q is a folder, not a file", tool, clip(name))
	}
	return name, nil
}

// namesUnder are the names directly under folder, sorted, with a slash behind those of folders.
func namesUnder(state State, folder string) []string {
	prefix := folder + "/"
	if folder == "." {
		prefix = ""
	}
	names := []string{}
	for _, file := range state.Files() {
		rest, ok := strings.CutPrefix(file, prefix)
		if !ok {
			continue
		}
		if top, _, nested := strings.Cut(rest, "/"); nested {
			rest = top + "/"
		}
		names = append(names, rest)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
