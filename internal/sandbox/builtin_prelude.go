package sandbox

import "embed"

//go:embed prelude
var preludeFiles embed.FS

// prelude has the builtins that are simplest to say in JavaScript.
var prelude = NewPrelude(preludeFiles, "prelude/", "prelude/")
