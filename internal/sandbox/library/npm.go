package library

import (
	"embed"
	"encoding/json"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

//go:embed npm/exports.json
var npmFiles embed.FS

// npmExports are the names that each library that was an npm package has.
var npmExports = func() (names map[string][]string) {
	text, err := npmFiles.ReadFile("npm/exports.json")
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(text, &names); err != nil {
		panic(err)
	}
	return names
}()

// npm is what the file of such a library makes, which is handed functions of the host.
func npm(r *engine.Run, library string, natives map[string]*goja.Object) *goja.Object {
	return r.Prelude(prelude, "npm/"+library+".js", natives)
}
