package gate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// MaxBundleSize is the size in bytes beyond which ReadBundle refuses a bundle.
const MaxBundleSize = 64 << 20

// MaxLocalSize is how many bytes of keys and files a failed run may carry.
const MaxLocalSize = 1 << 20

// maxFaults bounds how many faults of one bundle are reported.
const maxFaults = 10

// ReadBundle reads one bundle and refuses what does not follow the format. Its error
// names each faulty field by its JSON path, or the line and column if the text is not
// JSON at all. Fields that the format does not know are ignored.
func ReadBundle(r io.Reader) (*Bundle, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBundleSize+1))
	if err != nil {
		return nil, fmt.Errorf("gate: read bundle: %w", err)
	}
	if len(text) > MaxBundleSize {
		return nil, fmt.Errorf("gate: bundle is larger than %d MiB", MaxBundleSize>>20)
	}
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("gate: bundle is empty")
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("gate: bundle is not UTF-8 at %s", lineColumn(text, invalidUTF8(text)))
	}
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("gate: bundle is not JSON: %s: %s", lineColumn(text, syntax.Offset-1), syntax.Error())
		}
		return nil, fmt.Errorf("gate: bundle is not JSON: %w", err)
	}
	var f faults
	bundle := readBundle(&f, field{value: whole})
	if err := f.err(); err != nil {
		return nil, err
	}
	return bundle, nil
}

// WriteBundle writes the bundle as ReadBundle reads it. Values keep their key order.
func WriteBundle(w io.Writer, bundle *Bundle) error {
	out := *bundle
	out.Format = Format
	if out.Runs == nil {
		out.Runs = []Run{}
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(&out); err != nil {
		return fmt.Errorf("gate: write bundle: %w", err)
	}
	return nil
}

// MarshalJSON writes a call list even if there are no calls: the format requires it.
func (r Run) MarshalJSON() ([]byte, error) {
	type plain Run
	if r.Calls == nil {
		r.Calls = []Call{}
	}
	return marshal(plain(r))
}

// MarshalJSON writes the answer of a call even if it is null: a call without an
// answer would read as one that never returned.
func (c Call) MarshalJSON() ([]byte, error) {
	type plain Call
	if c.Error == nil && len(c.Result) == 0 {
		c.Result = json.RawMessage("null")
	}
	if len(c.Args) == 0 {
		c.Args = json.RawMessage("[]")
	}
	return marshal(plain(c))
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

func readBundle(f *faults, root field) *Bundle {
	if !root.isObject() {
		f.add("bundle", "must be an object, is %s", root.kind())
		return nil
	}
	fields := root.fields()
	b := &Bundle{Format: fields.text(f, "format", required)}
	if b.Format != "" && b.Format != Format {
		if strings.HasPrefix(b.Format, "kintsugi.bundle/") {
			f.add("format", "version %q is not known to this binary, which reads %q", b.Format, Format)
		} else {
			f.add("format", "must be %q, is %q", Format, b.Format)
		}
		return nil
	}
	if w, ok := fields.object(f, "workflow", required); ok {
		b.Workflow = Workflow{
			Title:  w.text(f, "title", required),
			Intent: w.text(f, "intent", optional),
			Zone:   w.text(f, "zone", optional),
		}
		if _, err := time.LoadLocation(b.Workflow.Zone); err != nil {
			f.add(w.path("zone"), "must be an IANA time zone, is %q", b.Workflow.Zone)
		}
	}
	if s, ok := fields.object(f, "script", required); ok {
		b.Script = Script{Version: s.text(f, "version", required), Code: s.text(f, "code", required)}
		if b.Script.Packages = s.text(f, "packages", optional); b.Script.Packages != "" {
			if lock := packages.LockOf(b.Script.Code); lock == nil || lock.Digest != packages.Digest(b.Script.Packages) {
				f.add(s.path("packages"), "must be the text of the packages that the code names")
			} else {
				packages.Keep(b.Script.Packages)
			}
		}
		if b.Script.Code == "" && s.has("code") && s.get("code").kind() == "a string" {
			f.add(s.path("code"), "must not be empty")
		}
	}
	for _, item := range fields.list(f, "changelog", optional) {
		if change, ok := item.asObject(f); ok {
			b.Changelog = append(b.Changelog, Change{
				Version: change.text(f, "version", required),
				Comment: change.text(f, "comment", optional),
			})
		}
	}
	b.Runs = []Run{}
	seen := map[string]string{}
	for _, item := range fields.list(f, "runs", required) {
		run, ok := readRun(f, item)
		if !ok {
			continue
		}
		if first, twice := seen[run.ID]; twice && run.ID != "" {
			f.add(item.path+".id", "%q is also the id of %s", run.ID, first)
		}
		seen[run.ID] = item.path
		b.Runs = append(b.Runs, run)
	}
	return b
}

func readRun(f *faults, item field) (Run, bool) {
	fields, ok := item.asObject(f)
	if !ok {
		return Run{}, false
	}
	run := Run{
		ID:            fields.text(f, "id", required),
		Trigger:       fields.text(f, "trigger", optional),
		ScriptVersion: fields.text(f, "script_version", optional),
		Input:         fields.raw("input"),
		Seed:          fields.text(f, "seed", optional),
		Overlap:       fields.flag(f, "overlap"),
		Calls:         []Call{},
	}
	if run.ID == "" && fields.has("id") && fields.get("id").kind() == "a string" {
		f.add(fields.path("id"), "must not be empty")
	}
	if clock := fields.text(f, "clock", optional); clock != "" {
		at, err := time.Parse(time.RFC3339Nano, clock)
		if err != nil {
			f.add(fields.path("clock"), "must be an RFC 3339 time, is %q", clock)
		}
		run.Clock = at
	}
	for _, call := range fields.list(f, "calls", required) {
		if c, ok := readCall(f, call); ok {
			run.Calls = append(run.Calls, c)
		}
	}
	if fields.has("log") {
		run.Log = []LogLine{}
		for _, line := range fields.list(f, "log", optional) {
			if l, ok := line.asObject(f); ok {
				run.Log = append(run.Log, LogLine{
					Level: l.oneOf(f, "level", "info", "warn", "error"),
					Text:  l.text(f, "text", required),
				})
			}
		}
	}
	if outcome, ok := fields.object(f, "outcome", required); ok {
		run.Outcome = readOutcome(f, outcome)
	}
	if local, ok := fields.object(f, "local", optional); ok {
		run.Local = readLocal(f, local)
	}
	return run, true
}

func readCall(f *faults, item field) (Call, bool) {
	fields, ok := item.asObject(f)
	if !ok {
		return Call{}, false
	}
	call := Call{
		Tool:   fields.text(f, "tool", required),
		Effect: fields.oneOf(f, "effect", "read", "write"),
		Result: fields.raw("result"),
		MS:     fields.whole(f, "ms"),
	}
	if call.Tool == "" && fields.has("tool") && fields.get("tool").kind() == "a string" {
		f.add(fields.path("tool"), "must not be empty")
	}
	if args := fields.get("args"); !fields.has("args") {
		f.add(fields.path("args"), "is missing")
	} else if !args.isArray() {
		f.add(fields.path("args"), "must be an array, is %s", args.kind())
	} else {
		call.Args = args.value
	}
	if e, ok := fields.object(f, "error", optional); ok {
		call.Error = readError(f, e)
		if len(call.Result) > 0 && string(call.Result) != "null" {
			f.add(item.path, "has both a result and an error")
		}
		call.Result = nil
	} else if call.Error == nil && !fields.has("result") {
		f.add(item.path, "has neither a result nor an error")
	}
	return call, true
}

func readOutcome(f *faults, fields object) Outcome {
	o := Outcome{Status: fields.oneOf(f, "status", "succeeded", "failed"), Output: fields.raw("output")}
	if e, ok := fields.object(f, "error", optional); ok {
		o.Error = readError(f, e)
	}
	switch {
	case o.Status == "failed" && fields.get("error").kind() == "null" || o.Status == "failed" && !fields.has("error"):
		f.add(fields.path("error"), "is missing, the run failed")
	case o.Status == "succeeded" && o.Error != nil:
		f.add(fields.path("error"), "must be left out, the run succeeded")
	}
	return o
}

func readError(f *faults, fields object) *Error {
	return &Error{
		Class:   fields.oneOf(f, "class", "auth", "permission", "network", "logic", "limit", "internal"),
		Name:    fields.text(f, "name", required),
		Code:    fields.text(f, "code", optional),
		Message: fields.text(f, "message", required),
		Stack:   fields.text(f, "stack", optional),
		Status:  int(fields.whole(f, "status")),
		Body:    fields.text(f, "body", optional),
	}
}

func readLocal(f *faults, fields object) *Local {
	local := &Local{}
	size := 0
	if kv, ok := fields.object(f, "kv", optional); ok {
		local.KV = map[string]json.RawMessage{}
		for key, value := range kv.values {
			local.KV[key] = value
			size += len(key) + len(value)
		}
	}
	if files, ok := fields.object(f, "files", optional); ok {
		local.Files = map[string]string{}
		for path := range files.values {
			local.Files[path] = files.text(f, path, required)
			size += len(path) + len(local.Files[path])
		}
	}
	if size > MaxLocalSize {
		f.add(strings.TrimSuffix(fields.prefix, "."), "is larger than %d MiB", MaxLocalSize>>20)
	}
	return local
}

// lineColumn is the line and column (both from 1, column in bytes) of an offset.
func lineColumn(text []byte, offset int64) string {
	offset = min(max(offset, 0), int64(len(text)))
	before := text[:offset]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := int(offset) - bytes.LastIndexByte(before, '\n')
	return fmt.Sprintf("line %d column %d", line, column)
}

func invalidUTF8(text []byte) int64 {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return int64(i)
		}
		i += size
	}
	return int64(len(text))
}
