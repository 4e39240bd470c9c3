package gate

import (
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// parseScript refuses what the sandbox would refuse: some texts make the parser run for ever.
func parseScript(code string) (*script.Source, error) {
	if err := process.Check(code); err != nil {
		return nil, err
	}
	return script.Parse(code)
}

// asWritten is a code, nil if it cannot be parsed.
func asWritten(code string) *script.Source {
	parsed, _ := script.Parse(code)
	return parsed
}

// runnable says that the sandbox would run a code.
func runnable(code string) bool { return process.Check(code) == nil }
