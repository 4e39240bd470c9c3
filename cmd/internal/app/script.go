package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/script/inputschema"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Scripts reads, compares, tries and saves the versions of scripts.
type Scripts struct {
	Commands       *commands.Commands
	Queries        *projections.Queries
	Now            func() time.Time
	HandlerQueries *HandlerQueries
	Secrets        *Secrets
}

// FileName is a file as errors name it.
func FileName(file string) string {
	if file == "-" {
		return "standard input"
	}
	return file
}

// CheckScript names the place of a fault, and shows it. A worker looks for it: there are texts that keep
// a parser busy for ever.
func CheckScript(ctx context.Context, code, file string) error {
	pool, giveBack, err := operations.borrow(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	err = errors.Join(pool.Check(ctx, code), giveBack())
	if fault, ok := errors.AsType[*sandbox.SyntaxError](err); ok {
		return scriptFault(code, file, fault)
	}
	return err
}

// NotFinished says for people that the machine had no time for what they asked for.
func NotFinished(err error) error {
	if busy, is := errors.AsType[*sandbox.UnavailableError](err); is {
		return fmt.Errorf("not finished: %w. Nothing was changed: ask again", busy)
	}
	return err
}

// CheckNewScript is [CheckScript] for a script that somebody is about to save: it also says which names
// are nowhere, and what they could mean.
func CheckNewScript(ctx context.Context, code, file string) error {
	if err := workflow.CheckCode(code); err != nil {
		return fault.New(fault.Invalid, "%s: %w", file, err)
	}
	if err := CheckScript(ctx, code, file); err != nil {
		return err
	}
	if found, ok := errors.AsType[*sandbox.SyntaxError](hostcall.Lint(code)); ok {
		return scriptFault(code, file, found)
	}
	return nil
}

func scriptFault(code, file string, e *sandbox.SyntaxError) error {
	if e.Line == 0 {
		return fault.New(fault.Invalid, "%s: %s", file, e.Message)
	}
	name, line := packages.Place(code, e.Line)
	if name != "" {
		file = filepath.Join(file, name)
	}
	shown := ""
	if lines := strings.Split(code, "\n"); e.Line <= len(lines) {
		source := strings.ReplaceAll(strings.TrimRight(lines[e.Line-1], "\r"), "\t", " ")
		before := utf8.RuneCountInString(source[:min(e.Column-1, len(source))])
		if before < widestSource {
			shown = fmt.Sprintf("\n%5d | %s\n      | %s^", line, plain.CutRunes(source, widestSource), strings.Repeat(" ", before))
		}
	}
	return fault.New(fault.Invalid, "%s: line %d, column %d: %s%s", file, line, e.Column, e.Message, shown)
}

// widestSource is how much of a line of source fits beside its number.
const widestSource = 100

// Version is a version of a workflow's script, the active one if none is named.
func (s *Scripts) Version(ctx context.Context, id string, version []string) (projections.Script, error) {
	if len(version) == 0 {
		return s.Queries.ActiveScript(ctx, id)
	}
	parsed, err := workflow.ParseVersion(version[0])
	if err != nil {
		return projections.Script{}, fault.New(fault.Invalid, "%w", err)
	}
	return s.Queries.Script(ctx, id, parsed)
}

// ReadScript is a version of a script as people and programs read it.
type ReadScript struct {
	projections.Script
	// Input follows from the code: what main takes, by its types.
	Input json.RawMessage `json:"input_schema,omitempty" doc:"A JSON schema of what main takes, if its types say so"`
}

// Read is the active version, or the one named, with what it takes.
func (s *Scripts) Read(ctx context.Context, id string, version []string) (ReadScript, error) {
	script, err := s.Version(ctx, id, version)
	if err != nil {
		return ReadScript{}, err
	}
	return Read(script)
}

// Read adds to a version what follows from it.
func Read(script projections.Script) (ReadScript, error) {
	read := ReadScript{Script: script}
	takes := inputschema.Of(script.Code)
	if takes == nil {
		return read, nil
	}
	var err error
	if read.Input, err = json.Marshal(takes); err != nil {
		return read, fmt.Errorf("what version %s takes: %w", script.Version, err)
	}
	return read, nil
}

// Compared are the two versions that a diff is about.
func (s *Scripts) Compared(ctx context.Context, id string, versions []string) (from, to projections.Script, err error) {
	to, err = s.Version(ctx, id, versions[min(1, len(versions)):])
	if err != nil {
		return from, to, err
	}
	if len(versions) > 0 {
		from, err = s.Version(ctx, id, versions[:1])
		return from, to, err
	}
	list, err := s.Queries.Scripts(ctx, id)
	if err != nil {
		return from, to, err
	}
	newest, err := workflow.ParseVersion(to.Version)
	if err != nil {
		return from, to, err
	}
	var best workflow.Version
	for _, one := range list {
		if v, err := workflow.ParseVersion(one.Version); err == nil && v.Compare(newest) < 0 && v.Compare(best) > 0 {
			best, from = v, one
		}
	}
	if from.Version == "" {
		return from, to, fault.New(fault.NotFound, "version %s is the first: there is nothing before it to compare with", to.Version)
	}
	from, err = s.Queries.Script(ctx, id, best)
	return from, to, err
}
