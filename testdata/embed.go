// Package testdata carries into the binary the recorded automations, for `kintsugi demo`, and the
// script of `kintsugi example`.
package testdata

import "embed"

// Automations holds automations/SLUG with the files that internal/automation loads, the
// right script that the demo's planner saves, and automations/compact, which internal/drift loads.
//
//go:embed automations/*/automation.js automations/*/runs.json automations/*/case.json
//go:embed automations/compact/*.js
//go:embed automations/10-action-items/good/new-name-first.js
var Automations embed.FS

// RefundScript asks the service of [automation.Refunds] at [RefundAddress].
//
//go:embed example/refunds.js
var RefundScript string

// Examples holds the scripts of `kintsugi script new`, in the folder example, RefundScript among them. They ask the
// same service.
//
//go:embed example/*
var Examples embed.FS

// RefundAddress is where RefundScript asks.
const RefundAddress = "127.0.0.1:8091"
