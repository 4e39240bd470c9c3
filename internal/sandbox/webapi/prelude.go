package webapi

import (
	"embed"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

//go:embed prelude
var preludeFiles embed.FS

// prelude has the builtins that are simplest to say in JavaScript.
var prelude = engine.NewPrelude(preludeFiles, "prelude/", "prelude/")
