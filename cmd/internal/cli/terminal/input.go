package terminal

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// ReadScript reads a script and says where it does not parse, before anything is stored.
func (cli *CLI) ReadScript(ctx context.Context, file string) (string, error) {
	code, err := cli.script(ctx, file)
	if err != nil {
		return "", err
	}
	return code, app.CheckNewScript(ctx, code, app.FileName(file))
}

// script is the code of a file or a folder that the person named; - is standard input. Only of this machine files are read that it
// does not name.
func (cli *CLI) script(ctx context.Context, file string) (string, error) {
	if cli.caller != nil || file == "-" {
		text, err := cli.ReadFile(file)
		if err != nil {
			return "", err
		}
		return app.OpenScript(ctx, text)
	}
	made, err := app.ReadFolder(file)
	if err != nil {
		return "", err
	}
	for _, absent := range made.Absent {
		fmt.Fprintf(cli.Err, "Note: %s.\n", plain.Line(absent))
	}
	return made.Code, nil
}

// portable is a script of this machine as it is sent to a server: with the text of its packages.
func (cli *CLI) portable(file string) (string, error) {
	code, err := cli.script(context.Background(), file)
	if err != nil {
		return "", err
	}
	lock := packages.LockOf(code)
	if lock == nil {
		return code, nil
	}
	return packages.Portable(code, packages.Known(lock.Digest))
}

// Agree asks the person who types whether something is to be done, and returns a conflict unless they type yes.
func (cli *CLI) Agree(ctx context.Context, question string) error {
	return cli.AgreeBy(ctx, question+" [y/N]", "y", "yes")
}

// AgreeBy asks the person who types, and returns a conflict unless they type one of some texts, in upper or lower case.
func (cli *CLI) AgreeBy(ctx context.Context, question string, texts ...string) error {
	fmt.Fprint(cli.Err, question, " ")
	typed := make(chan string, 1)
	go func() { // until a line is typed, or with the process
		line, _ := bufio.NewReader(cli.In).ReadString('\n') // its end without a line is no
		typed <- strings.TrimSpace(line)
	}()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case answer := <-typed:
		if slices.ContainsFunc(texts, func(text string) bool { return strings.EqualFold(answer, strings.TrimSpace(text)) }) {
			return nil
		}
	}
	return fault.New(fault.Conflict, "nothing was done")
}

// ReadFile reads a file that the person named; - is standard input.
func (cli *CLI) ReadFile(path string) (string, error) {
	var content []byte
	var err error
	if path == "-" {
		content, err = io.ReadAll(cli.In)
	} else {
		content, err = cli.readWhole(path)
	}
	if err != nil {
		return "", fault.New(fault.Invalid, "cannot read %s: %w", path, err)
	}
	return string(content), nil
}

func (cli *CLI) readWhole(path string) ([]byte, error) {
	if cli.caller != nil {
		return cli.caller.sent(path)
	}
	return os.ReadFile(path)
}

// OpenFile opens a file that the person named, to be read; - is standard input. Commands open files by this and the next one
// only: somebody elsewhere has other files than the machine that carries the command out.
func (cli *CLI) OpenFile(path string) (io.ReadCloser, error) {
	switch {
	case path == "-":
		return io.NopCloser(cli.In), nil
	case cli.caller != nil:
		content, err := cli.caller.sent(path)
		return io.NopCloser(bytes.NewReader(content)), err
	}
	return os.Open(path)
}

// CreateFile makes a file that the person named, or empties it.
func (cli *CLI) CreateFile(path string) (io.WriteCloser, error) {
	if cli.caller == nil {
		return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	file := theirFile{cli.caller.write(path)}
	_, err := file.Write(nil) // there is one even if nothing comes
	return file, err
}

// theirFile is on the side of the caller, who closes it.
type theirFile struct{ io.Writer }

// Close implements [io.Closer].
func (theirFile) Close() error { return nil }

// ReadInput reads JSON from a flag: the text itself, @FILE, or - for standard input.
func (cli *CLI) ReadInput(flag, value string) (json.RawMessage, error) {
	text, name := value, flag
	var err error
	if path, isFile := strings.CutPrefix(value, "@"); isFile {
		text, err = cli.ReadFile(path)
		name = path
	} else if value == "-" {
		text, err = cli.ReadFile("-")
		name = "standard input"
	}
	if err != nil || strings.TrimSpace(text) == "" {
		return nil, err
	}
	if !json.Valid([]byte(text)) {
		return nil, fault.New(fault.Invalid, "%s is not JSON: %s", name, whereNotJSON(text))
	}
	for at := 0; at < len(text); {
		found, size := utf8.DecodeRuneInString(text[at:])
		if found == utf8.RuneError && size == 1 {
			return nil, fault.New(fault.Invalid, "%s is not UTF-8 text, from byte %d on, behind %q: save it as UTF-8", name, at+1, text[max(0, at-20):at])
		}
		at += size
	}
	return json.RawMessage(text), nil
}

// whereNotJSON says where a text ceases to be JSON, as people count.
func whereNotJSON(text string) string {
	var value any
	syntax, is := errors.AsType[*json.SyntaxError](json.Unmarshal([]byte(text), &value))
	if !is || syntax.Offset >= int64(len(text)) && strings.Contains(syntax.Error(), "unexpected end") {
		return "it ends too early, after " + strconv.Quote(text[max(0, len(text)-20):])
	}
	before := text[:max(syntax.Offset-1, 0)]
	row, column := strings.Count(before, "\n")+1, utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])+1
	found, _ := utf8.DecodeRuneInString(text[len(before):])
	return fmt.Sprintf("line %d, character %d: %q cannot stand there", row, column, found)
}
