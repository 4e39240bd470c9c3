package gate_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

var goldenFile = filepath.Join("testdata", "verdicts.txt")

// golden guards the gate's version: this version's judgement of every candidate of every case is written down,
// reasons and all. A gate that judges otherwise is another version. KINTSUGI_UPDATE=1 writes it down anew, once the
// version is another.
type golden struct {
	mu    sync.Mutex
	lines map[string]string
}

func openGolden(t *testing.T) *golden {
	g := &golden{lines: map[string]string{}}
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		var b strings.Builder
		b.WriteString(gate.GateVersion + "\n")
		for _, name := range slices.Sorted(maps.Keys(g.lines)) {
			fmt.Fprintf(&b, "%s: %s\n", name, g.lines[name])
		}
		known, err := os.ReadFile(goldenFile)
		version, _, _ := strings.Cut(string(known), "\n")
		if os.Getenv("KINTSUGI_UPDATE") != "" && (err != nil || version != gate.GateVersion) {
			require.NoError(t, os.MkdirAll(filepath.Dir(goldenFile), 0o755))
			require.NoError(t, os.WriteFile(goldenFile, []byte(b.String()), 0o644))
			return
		}
		require.NoError(t, err)
		require.Equal(t, strings.Split(string(known), "\n"), strings.Split(b.String(), "\n"),
			"the gate judges otherwise than %s did: change GateVersion, then run with KINTSUGI_UPDATE=1", version)
	})
	return g
}

func (g *golden) note(candidate string, j gate.Judgement) {
	line := j.Verdict
	if j.Divergence != nil {
		line += fmt.Sprintf(" (run %s, %s %s: want %s, got %s)", j.Divergence.Run, j.Divergence.What, j.Divergence.Path, j.Divergence.Want, j.Divergence.Got)
	}
	for _, reason := range append(slices.Clone(j.Reasons), j.Unproved) {
		if reason == "" {
			continue
		}
		line += " | " + reason
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lines[candidate] = strings.ReplaceAll(line, "\n", "\\n")
}
