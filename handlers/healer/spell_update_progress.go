package healer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/session"
)

// updateProgress tells the next session what happened. Precondition: the progress file is a file in the repository. Effect: a
// section of its own at the end of it. Undone by putting back the file that was kept.
var updateProgress = spell{
	name:  session.UpdateProgress,
	about: "Write guidance for the next session into the progress file, as the note: what failed, what was tried, what to do first.",
	apply: func(ctx context.Context, b *workspace) (did, error) {
		head, _, err := b.tree.Head(ctx)
		if err != nil {
			return did{}, err
		}
		if err := b.keepFiles(ctx, head, keptFiles); err != nil {
			return did{}, err
		}
		// Nothing is written through a link that leads out of the repository.
		root, err := os.OpenRoot(b.tree.Path)
		if err != nil {
			return did{}, fmt.Errorf("healer: %w", err)
		}
		defer root.Close()
		file := b.state.Policy.Progress
		before, err := root.ReadFile(file)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return did{}, &refusal{err.Error()}
		}
		if dir := path.Dir(file); dir != "." {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return did{}, &refusal{err.Error()}
			}
		}
		if err := root.WriteFile(file, []byte(b.withGuidance(string(before))), 0o644); err != nil {
			return did{}, &refusal{err.Error()}
		}
		kept, err := b.kept(ctx)
		return did{
			changed: true, detail: file + " says what happened and what comes first",
			undo: session.Undo{Kind: session.UndoProgress, Ref: cmp.Or(keptAs(kept, keptFiles).Ref, head)}, // the head, if nothing differed from it
		}, err
	},
}

// withGuidance is the progress file with the section of this healing, once.
func (b *workspace) withGuidance(text string) string {
	mark := fmt.Sprintf("<!-- kintsugi: healing %d of session %s -->", b.cast.Healing, b.state.ID)
	if before, _, there := strings.Cut(text, mark); there {
		text = before
	}
	f := b.healing.Failure
	var section strings.Builder
	fmt.Fprintf(&section, "%s\n\n%s\n## %s: %s\n\n", strings.TrimRight(text, "\n"), mark, b.config.Now().UTC().Format(time.DateOnly), f.Trigger)
	if f.Subtask != "" {
		fmt.Fprintf(&section, "Subtask: %s\n", f.Subtask)
	}
	fmt.Fprintf(&section, "What failed: %s, %s\n", f.Check.Name, f.Says)
	if len(f.Files) > 0 {
		fmt.Fprintf(&section, "Files it names: %s\n", strings.Join(f.Files, ", "))
	}
	for _, cast := range b.healing.Casts {
		if cast.Ended != nil {
			fmt.Fprintf(&section, "Tried: %s: %s\n", cast.Spell, oneLine(cast.Ended.Detail))
		}
	}
	if b.cast.Note != "" {
		fmt.Fprintf(&section, "\n%s\n", b.cast.Note)
	}
	section.WriteString("\nFirst run what failed, by itself, and read its output before you change anything.\n")
	return strings.TrimLeft(section.String(), "\n")
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
