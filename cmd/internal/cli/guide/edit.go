package guide

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// NewEditCommand is 'kintsugi edit'.
func NewEditCommand(cli *terminal.CLI) *cobra.Command {
	var comment string
	command := &cobra.Command{
		Use: "edit WORKFLOW", Short: "Change a workflow's script in your editor", Args: terminal.Takes(1, 1), Annotations: terminal.PassesOn(),
		Long: `Change a workflow's script in the editor that VISUAL or EDITOR names. When you close it, the script is
checked and tried on recorded runs without sending anything, and you are told which of them would
change. Then it is the next major version.

Nothing is saved if you change nothing, or if a fix or somebody else changed the script meanwhile:
your text is kept in a file then.`,
		Example: `  kintsugi edit "Refund report"`,
		RunE: func(c *cobra.Command, args []string) error {
			g := &guide{CLI: cli, command: c, answers: bufio.NewReader(cli.In)}
			return g.edit(c.Context(), args[0], comment)
		},
	}
	command.Flags().StringVar(&comment, "comment", "", "what changed, in one line")
	return command
}

// shownScript is what 'script show' says of one.
type shownScript struct {
	Version string `json:"version"`
	Code    string `json:"code"`
}

func (g *guide) edit(ctx context.Context, named, comment string) error {
	editor := cmp.Or(os.Getenv("VISUAL"), os.Getenv("EDITOR"))
	if editor == "" {
		return fault.New(fault.Invalid, "no editor is named: set EDITOR, as in EDITOR=nano kintsugi edit %s", plain.Quoted(named))
	}
	var before shownScript
	if err := g.quietly(ctx, &before, "script", "show", named); err != nil {
		return exit(err)
	}
	if packages.LockOf(before.Code) != nil || len(packages.Split(before.Code)) > 1 {
		return fault.New(fault.Conflict, "the script of %q has several files. Edit them in a folder: kintsugi export %s --as files --to FOLDER, then kintsugi apply FOLDER", named, plain.Quoted(named))
	}
	dir, err := os.MkdirTemp("", "kintsugi-edit-")
	if err != nil {
		return fmt.Errorf("make a place for the script: %w", err)
	}
	file := filepath.Join(dir, "script.ts")
	if err := os.WriteFile(file, []byte(before.Code), 0o600); err != nil {
		return errors.Join(fmt.Errorf("write the script for the editor: %w", err), os.RemoveAll(dir))
	}
	if err := g.change(ctx, named, editor, file, comment, before); err != nil {
		if text, read := os.ReadFile(file); read == nil && string(text) != before.Code {
			fmt.Fprintf(g.Err, "Nothing was saved. Your text is in %s\n", file)
			return err
		}
		return errors.Join(err, os.RemoveAll(dir))
	}
	return os.RemoveAll(dir)
}

// change has the person edit the file until it can be saved, and saves it.
func (g *guide) change(ctx context.Context, named, editor, file, comment string, before shownScript) error {
	for {
		command := exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file) // an editor may have arguments
		command.Stdout, command.Stderr = g.Out, g.Err
		if g.Typed {
			command.Stdin = g.In // else the answers are read from there
		}
		if err := command.Run(); err != nil {
			return fault.New(fault.Invalid, "the editor %q ended with an error: %w", editor, err)
		}
		text, err := g.ReadFile(file)
		if err != nil {
			return err
		}
		if text == before.Code {
			fmt.Fprintln(g.Err, "Nothing was changed.")
			return nil
		}
		out, err := g.step(ctx, "", "script", "check", file)
		if err == nil {
			fmt.Fprint(g.Err, out)
			break
		}
		failed, is := errors.AsType[*stepError](err)
		if !is {
			return err
		}
		fmt.Fprint(g.Err, failed.told)
		again, err := g.agree(ctx, "Edit it again?", true)
		if err != nil {
			return err
		}
		if !again {
			return &terminal.ExitError{Code: failed.code}
		}
	}
	out, err := g.step(ctx, "", "script", "save", named, "--file", file, "--check")
	fmt.Fprint(g.Err, out)
	if failed, is := errors.AsType[*stepError](err); is {
		fmt.Fprint(g.Err, failed.told)
		if failed.code != terminal.ExitDiffers && failed.code != terminal.ExitHeld {
			return &terminal.ExitError{Code: failed.code}
		}
		save, err := g.agree(ctx, "Save it all the same?", false)
		if err != nil {
			return err
		}
		if !save {
			return &terminal.ExitError{Code: failed.code}
		}
	} else if err != nil {
		return err
	}
	var now shownScript
	if err := g.quietly(ctx, &now, "script", "show", named); err != nil {
		return exit(err)
	}
	if now.Version != before.Version {
		return fault.New(fault.Conflict, "version %s became active while you edited %s: see what it changed with kintsugi script diff %s, and edit again", now.Version, before.Version, plain.Quoted(named))
	}
	args := []string{"script", "save", named, "--file", file}
	if comment != "" {
		args = append(args, "--comment", comment)
	}
	out, err = g.step(ctx, "", args...)
	fmt.Fprint(g.Out, out)
	return exit(err)
}
