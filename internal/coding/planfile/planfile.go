// Package planfile has the form of the files in which people write plans for coding agents.
package planfile

import (
	_ "embed"

	"github.com/kintsugi-run/kintsugi/internal/basics/yamlfile"
)

// Schema is the form of a plan, as editors read it.
//
//go:embed plan.schema.json
var Schema []byte

var form = yamlfile.Form{Name: "the plan", Fields: "title: and jobs:", Schema: yamlfile.Compiled(Schema)}

// Read reads a plan. If there are faults, it is not of the form of one.
func Read(text []byte) (yamlfile.File, []yamlfile.Fault) { return form.Read(text) }
