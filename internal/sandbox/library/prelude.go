package library

import (
	"embed"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

//go:embed *.js npm/*.js
var libraryFiles embed.FS

// prelude has the libraries that are JavaScript.
var prelude = engine.NewPrelude(libraryFiles, "", "library/")
