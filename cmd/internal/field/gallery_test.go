package field_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/gallery"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// galleryDays is how many days of each automation are kept: enough for the gate, few enough to be carried in the program.
const galleryDays = 6

// served is the time at which Node answered, which would make each recording another one.
var served = regexp.MustCompile(`"date": "[A-Z][a-z]{2}, [^"]* GMT"`)

// TestGalleryRecord plays the automations of the gallery on the services of their cases, and writes their recorded runs; `make gallery`
// runs it.
func TestGalleryRecord(t *testing.T) {
	t.Parallel()
	out := os.Getenv("KINTSUGI_GALLERY")
	if out == "" {
		return
	}
	w := newWorld(t)
	entries, err := gallery.Entries()
	require.NoError(t, err)
	for _, entry := range entries {
		dirs := cases(t, "open", entry.Name)
		require.Len(t, dirs, 1, "%s is a case of testdata/field/open", entry.Name)
		c, err := w.load(t.Context(), "open", dirs[0])
		require.NoError(t, err)
		bundle, err := w.gallery(t, c, entry)
		require.NoError(t, err, entry.Name)
		require.NoError(t, os.WriteFile(filepath.Join(out, entry.Name+".json"), bundle, 0o600))
	}
}

func (w *world) gallery(t *testing.T, c *fieldCase, entry gallery.Entry) ([]byte, error) {
	ctx := t.Context()
	p := &place{field: &field{w: w}, c: c, change: &c.Changes[0]}
	var opened struct {
		ID    string            `json:"id"`
		Local map[string]string `json:"local"`
	}
	if err := w.ask(ctx, "open", map[string]any{"dir": c.dir, "change": c.Changes[0].Name}, &opened); err != nil {
		return nil, err
	}
	p.id, p.local = opened.ID, opened.Local
	defer p.close(ctx)
	p.code = p.abroad(c.Script)
	bundle := &gate.Bundle{
		Workflow: gate.Workflow{Title: entry.Title, Intent: c.Says, Zone: c.Zone},
		Script:   gate.Script{Version: "1.0", Code: p.code},
	}
	state := &hostcall.Memory{}
	for d := range galleryDays {
		run, err := p.run(ctx, d, false, state)
		if err != nil || run.Outcome.Error != nil {
			return nil, fmt.Errorf("day %d: %w, %v", d, err, run.Outcome.Error)
		}
		run.ID = fmt.Sprintf("example-%d", d+1)
		run.Seed = run.ID
		bundle.Runs = append(bundle.Runs, run)
	}
	var text bytes.Buffer
	err := gate.WriteBundle(&text, bundle)
	return served.ReplaceAll([]byte(p.home(text.String())), []byte(`"date": "Sun, 01 Mar 2026 07:00:00 GMT"`)), err
}

// Rule: the gallery has what its cases have, so that `make field` breaks just these scripts in just these ways.
func TestTheGalleryIsOfTheField(t *testing.T) {
	t.Parallel()
	entries, err := gallery.Entries()
	require.NoError(t, err)
	for _, entry := range entries {
		bundle, err := entry.Bundle(nil)
		require.NoError(t, err, entry.Name)
		dirs := cases(t, "open", entry.Name)
		require.Len(t, dirs, 1, entry.Name)
		scripts, err := filepath.Glob(filepath.Join(dirs[0], "script.*"))
		require.NoError(t, err)
		require.Len(t, scripts, 1)
		code, err := os.ReadFile(scripts[0])
		require.NoError(t, err)
		require.Equal(t, string(code), bundle.Script.Code, "%s: run `make gallery`", entry.Name)
		require.Len(t, bundle.Runs, galleryDays)
		require.False(t, slices.ContainsFunc(bundle.Runs, func(r gate.Run) bool { return r.Outcome.Error != nil }))
	}
}
