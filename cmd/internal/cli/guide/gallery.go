package guide

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/gallery"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// list shows the automations of the gallery that have all the words.
func list(cli *terminal.CLI, words []string) error {
	entries, err := gallery.Entries()
	if err != nil {
		return err
	}
	found := slices.DeleteFunc(slices.Clone(entries), func(one gallery.Entry) bool { return !one.Matches(words) })
	if len(found) == 0 {
		return fault.New(fault.NotFound, "no automation of the gallery has %q: 'kintsugi new --list' shows all %d", strings.Join(words, " "), len(entries))
	}
	return cli.Show(found, func(w io.Writer) {
		rows := make([][]string, len(found))
		for i, one := range found {
			rows[i] = []string{one.Name, one.Intent, strings.Join(one.Tags, ", ")}
		}
		terminal.Table(w, []string{"NAME", "WHAT IT DOES", "TAGS"}, rows)
		fmt.Fprintln(w, "\nBegin with one: kintsugi new --from NAME")
	})
}

// takeFromGallery makes a draft of an automation of the gallery, with its recorded runs, and goes through the steps that are left.
func (g *guide) takeFromGallery(ctx context.Context) error {
	entry, err := gallery.Find(g.from)
	if err != nil {
		return fault.New(fault.NotFound, "%w: 'kintsugi new --list' shows what it has", err)
	}
	fmt.Fprintf(g.Err, "%s: %s\n", entry.Title, entry.Intent)
	own, err := g.services(ctx, entry)
	if err != nil {
		return err
	}
	bundle, err := entry.Bundle(own)
	if err != nil {
		return err
	}
	g.file, err = g.write(entry.Name, bundle)
	if err != nil {
		return err
	}
	fmt.Fprintf(g.Err, "\nThe script is in %s. Names of rooms, projects and the like in it are examples, too: change them there, and 'kintsugi script save' saves it.\n", g.file)
	account, err := g.imported(ctx, entry, filepath.Join(filepath.Dir(g.file), runsFile))
	if err != nil {
		return err
	}
	if err := g.giveInput(ctx, bundle.Runs[len(bundle.Runs)-1].Input, cmp.Or(g.schedule, entry.Schedule) == ""); err != nil {
		return err
	}
	kept, err := g.environment(g.file)
	if err != nil {
		return err
	}
	g.offered = entry.Schedule
	return g.finish(ctx, account, kept)
}

// services asks for the address of each service that is an example.
func (g *guide) services(ctx context.Context, entry gallery.Entry) (map[string]string, error) {
	own := map[string]string{}
	for _, given := range g.addresses {
		service, address, _ := strings.Cut(given, "=")
		if at, err := gallery.Address(service); err == nil {
			service = at
		}
		at, err := entry.Address(service, address)
		if err != nil {
			return nil, fault.New(fault.Invalid, "--service %s: write EXAMPLE=ADDRESS: %w", given, err)
		}
		own[service] = at
	}
	for _, service := range entry.Services {
		for own[service] == "" {
			if g.yes {
				return nil, fault.New(fault.Invalid, "it asks %s, which is an example: name yours with --service %[1]s=https://…", service)
			}
			answer, err := g.ask(ctx, fmt.Sprintf("\nIt asks %s, which is an example. Which address has yours?", service), "")
			if err != nil {
				return nil, err
			}
			at, err := gallery.Address(answer)
			if err != nil {
				fmt.Fprintln(g.Err, err)
				continue
			}
			own[service] = at
		}
	}
	return own, nil
}

// runsFile has the recorded runs, beside the script.
const runsFile = "runs.json"

// write puts the script and its recorded runs into a folder. A file that is there already stays, and must be the same.
func (g *guide) write(folder string, bundle *gate.Bundle) (script string, err error) {
	var runs bytes.Buffer
	if err := gate.WriteBundle(&runs, bundle); err != nil {
		return "", err
	}
	script = filepath.Join(folder, "script.js")
	if source, err := transpile.Read(bundle.Script.Code); err == nil && source.Typed {
		script = filepath.Join(folder, "script.ts")
	}
	for _, one := range []struct{ path, text string }{{script, bundle.Script.Code}, {filepath.Join(folder, runsFile), runs.String()}} {
		there, err := os.ReadFile(one.path)
		switch {
		case err == nil && string(there) == one.text:
			continue
		case err == nil:
			return "", fault.New(fault.Conflict, "%s is there already, with another text: go on with it (kintsugi new %s), or move the folder %s away", one.path, plain.Quoted(script), folder)
		case !errors.Is(err, fs.ErrNotExist):
			return "", fault.New(fault.Invalid, "read %s: %w", one.path, err)
		}
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", fault.New(fault.Invalid, "make the folder: %w", err)
		}
		if err := os.WriteFile(one.path, []byte(one.text), 0o644); err != nil {
			return "", fault.New(fault.Invalid, "write %s: %w", one.path, err)
		}
	}
	return script, nil
}

// imported makes the draft, under a title that no other workflow has.
func (g *guide) imported(ctx context.Context, entry gallery.Entry, runs string) (account egress.Account, err error) {
	offered := entry.Title
	for {
		if g.title == "" {
			if g.title, err = g.ask(ctx, "\nWhat is it called?", offered); err != nil {
				return account, err
			}
		}
		var made struct {
			ID string `json:"id"`
		}
		args := append([]string{"import", runs, "--title", g.title}, flags("--allow-host", strings.Join(g.hosts, ","))...)
		fmt.Fprintf(g.Err, "$ %s\n", line(args))
		err = g.quietly(ctx, &made, args...)
		if failed, is := errors.AsType[*stepError](err); is && failed.code == terminal.ExitConflict && !g.yes {
			fmt.Fprint(g.Err, failed.told)
			g.title, offered = "", offered+" 2"
			continue
		}
		if err != nil {
			return account, exit(err)
		}
		g.id = made.ID
		break
	}
	if g.intent != "" {
		if _, err := g.step(ctx, "", "workflow", "edit", g.id, "--intent", g.intent); err != nil {
			return account, exit(err)
		}
	}
	var shown struct {
		Account egress.Account `json:"account"`
	}
	err = g.quietly(ctx, &shown, "workflow", "show", g.id)
	return shown.Account, exit(err)
}

// fromSchedule are the members of an input that a schedule gives each run.
var fromSchedule = []string{"slot", "zone"}

// giveInput asks for the input of a run that is given none. The example is that of a recorded run, without what a schedule gives. A hook gives
// each run its own.
func (g *guide) giveInput(ctx context.Context, recorded json.RawMessage, hook bool) (err error) {
	var members map[string]json.RawMessage
	if json.Unmarshal(recorded, &members) != nil {
		return nil //nolint:nilerr // an input that is no object is no setting
	}
	for _, name := range fromSchedule {
		delete(members, name)
	}
	if g.input == "" && (len(members) == 0 || hook) {
		return nil
	}
	example, err := json.Marshal(members)
	if err != nil {
		return err
	}
	for {
		if g.input == "" {
			if g.input, err = g.ask(ctx, "\nWhich input does a run have that is given none, as JSON?", string(example)); err != nil {
				return err
			}
		}
		_, err := g.step(ctx, "", "workflow", "settings", g.id, "--input", g.input)
		failed, is := errors.AsType[*stepError](err)
		if !is || g.yes {
			return exit(err)
		}
		fmt.Fprint(g.Err, failed.told)
		g.input = ""
	}
}
