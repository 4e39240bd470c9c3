package repair

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDevCases(t *testing.T) {
	for _, dir := range []string{"../../testdata/cases", "../../testdata/automations"} {
		files, _ := filepath.Glob(dir + "/*/bundle.json")
		for _, path := range files {
			t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) {
				r := mend(t, loadBundle(t, path))
				text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "good", "expected.json"))
				var want struct{ Output json.RawMessage }
				if err == nil {
					require.NoError(t, json.Unmarshal(text, &want))
				}
				t.Log(show(r), "\nWANT", string(want.Output))
			})
		}
	}
}
