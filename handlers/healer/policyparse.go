package healer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// ParsePolicy reads a policy, as YAML or JSON. What nobody knows is refused, with the line that it is in.
func ParsePolicy(name string, text []byte) (session.Policy, error) {
	var file policyFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return session.Policy{}, fault.New(fault.Invalid, "%s: %w", name, err)
	}
	p := session.DefaultPolicy()
	set(&p.Enabled, file.Enabled)
	set(&p.StuckAfter, file.StuckAfter)
	set(&p.Model, file.Model)
	set(&p.PerSession, file.Invocations.Session)
	set(&p.PerSubtask, file.Invocations.Subtask)
	for _, trigger := range slices.Sorted(maps.Keys(file.Scenarios)) {
		if !file.Scenarios[trigger] || !slices.Contains(session.Triggers, trigger) { // the last is refused below
			p.Off = append(p.Off, trigger)
		}
	}
	p.Allowed, p.Forbidden = file.Spells.Allowed, file.Spells.Forbidden
	if file.Mode != "" {
		p.Mode = file.Mode
	}
	// Aggressive rules are of no use without these; conservative ones ask for each.
	p.Clean, p.HardReset = p.Mode == session.Aggressive, p.Mode == session.Aggressive
	set(&p.Clean, file.Clean)
	set(&p.HardReset, file.HardReset)
	for _, name := range slices.Sorted(maps.Keys(file.Checks)) {
		p.Checks = append(p.Checks, session.Check{Name: name, Command: file.Checks[name]})
	}
	p.Agent = session.Agent{Command: file.Agent.Command, Resume: file.Agent.Resume}
	p.Protected = append(p.Protected, file.Protected...)
	if file.Progress != "" {
		p.Progress = file.Progress
	}
	if file.Timeout != "" {
		limit, err := time.ParseDuration(file.Timeout)
		if err != nil {
			return p, fault.New(fault.Invalid, "%s: %w", name, &session.PolicyError{Field: "timeout", Text: fmt.Sprintf("timeout %q is no time like 10m", file.Timeout)})
		}
		p.TimeoutSeconds = int64(limit / time.Second)
	}
	return p, p.Check()
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}
