// Package testdata carries the recorded automations into the binary, for `kintsugi demo`.
package testdata

import "embed"

// Automations holds automations/SLUG with the files that internal/automation loads.
//
//go:embed automations/*/automation.js automations/*/runs.json automations/*/case.json
var Automations embed.FS
