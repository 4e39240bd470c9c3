// Package schemas is the catalogue of events as subscribers are delivered them: a JSON Schema for each type and version
// that was ever delivered, made from the structs in domain by the tests of this package (go test ./schemas -update), which also
// write docs/events.md. A file changes only by what a reader of it may leave unread; anything else is a new version beside it.
package schemas

import (
	"embed"
	"fmt"
)

// Files are the schemas, one TYPE.vVERSION.json for each.
//
//go:embed *.json
var Files embed.FS

// Base is what the id of each schema begins with. A server has the same files below /schemas/.
const Base = "https://github.com/kintsugi-run/kintsugi/schemas/"

// Name is the file of a type of event in a version.
func Name(kind string, version int) string { return fmt.Sprintf("%s.v%d.json", kind, version) }

// URL is the id of the schema of a type of event in a version, as dataschema of CloudEvents.
func URL(kind string, version int) string { return Base + Name(kind, version) }
