package healer

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// ParsePolicy reads a policy, as YAML or JSON. An unknown member is refused, with its line.
func ParsePolicy(name string, text []byte) (session.Policy, error) {
	var file policyFile
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return session.Policy{}, fault.New(fault.Invalid, "%s: %s", name, inWords(err))
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

// inWords says what is wrong in a policy to who wrote it, a line each.
func inWords(err error) string {
	typed, is := errors.AsType[*yaml.TypeError](err)
	if !is {
		return "it is no YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")
	}
	lines := make([]string, len(typed.Errors))
	for i, text := range typed.Errors { // in terms of Go
		line, says, _ := strings.Cut(text, ": ")
		if field, is := strings.CutPrefix(says, "field "); is {
			field, _, _ = strings.Cut(field, " not found in type ")
			text = fmt.Sprintf("%s: there is no field %q here", line, field)
		} else if at := strings.LastIndex(says, " into "); at > 0 {
			tag, value, _ := strings.Cut(strings.TrimPrefix(says[:at], "cannot unmarshal !!"), " ")
			text = fmt.Sprintf("%s: here belongs %s, not %s", line, wanted(says[at+len(" into "):]), found(tag, strings.Trim(value, "`")))
		}
		lines[i] = text
	}
	return strings.Join(lines, "\n")
}

func wanted(goType string) string {
	switch {
	case strings.HasPrefix(goType, "struct"), strings.HasPrefix(goType, "map"), strings.HasSuffix(goType, "policyFile"):
		return "NAME: VALUE"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	case goType == "bool":
		return "true or false"
	case goType == "int":
		return "a whole number"
	}
	return "a text"
}

func found(tag, value string) string {
	switch tag {
	case "seq":
		return "a list"
	case "map":
		return "NAME: VALUE"
	}
	return strconv.Quote(value)
}
