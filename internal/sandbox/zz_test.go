package sandbox_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

func TestZZ(t *testing.T) {
	text, _ := os.ReadFile(os.Getenv("ZZ"))
	for _, part := range strings.Split("\n"+string(text), "\n//// ")[1:] {
		title, code, _ := strings.Cut(part, "\n")
		if err := sandbox.Check(code); err != nil {
			t.Log(title, "REFUSED", err)
			continue
		}
		x := execution(code)
		x.Input = json.RawMessage(`{}`)
		outcome, err := sandbox.InProcess{Bindings: bindings()}.Run(t.Context(), x, nil)
		t.Logf("%s %s %+v %v", title, outcome.Output, outcome.Error, err)
	}
}
