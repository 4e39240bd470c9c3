package healer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
)

// Rule: a mistake in a policy is reported with its line, in the words of the file.
func TestAPolicyThatIsNone(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		"enabled: true\nspels: x":          `line 2: there is no field "spels" here`,
		"enabled: maybe":                   `line 1: here belongs true or false, not "maybe"`,
		"invocations: {session: many}":     `line 1: here belongs a whole number, not "many"`,
		"invocations: {per_session: 1}":    `line 1: there is no field "per_session" here`,
		"agent: [sh, fix.sh]":              "line 1: here belongs NAME: VALUE, not a list",
		"checks:\n  - {name: t}":           "line 2: here belongs NAME: VALUE, not a list",
		"agent: {command: sh}":             `line 1: here belongs a list, not "sh"`,
		"mode: [bold]":                     "line 1: here belongs a text, not a list",
		"spells: {allowed: [{a: b}]}":      "line 1: here belongs a text, not NAME: VALUE",
		"hello":                            `line 1: here belongs NAME: VALUE, not "hello"`,
		"enabled: [":                       "it is no YAML: line 1",
		"enabled: maybe\nmodel: perhaps\n": "not \"maybe\"\nline 2: here belongs true or false",
	} {
		_, err := healer.ParsePolicy("healer.yaml", []byte(text))
		require.ErrorContains(t, err, says, text)
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}
