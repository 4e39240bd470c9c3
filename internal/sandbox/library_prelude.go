package sandbox

import "embed"

//go:embed library/*.js library/npm/*.js
var libraryFiles embed.FS

// libraryPrelude has the libraries that are JavaScript.
var libraryPrelude = NewPrelude(libraryFiles, "library/", "library/")
