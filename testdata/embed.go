// Package testdata carries the recorded automations into the binary, for `kintsugi demo`.
package testdata

import "embed"

// Automations holds automations/SLUG with the files that internal/automation loads, the
// right script that the demo's planner saves, and automations/compact, which internal/drift loads.
//
//go:embed automations/*/automation.js automations/*/runs.json automations/*/case.json
//go:embed automations/compact/*.js
//go:embed automations/10-action-items/good/new-name-first.js
var Automations embed.FS
