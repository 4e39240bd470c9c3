package process

import "github.com/kintsugi-run/kintsugi/internal/sandbox/engine"

// Check says whether a script can be run, in the calling process: it parses, defines a main, and imports only libraries that
// there are. The error is a *[sandbox.SyntaxError]. Nothing of the script is executed. It belongs here because here all
// globals and libraries are known.
func Check(code string) error { return engine.Check(code) }

// CheckModule says why there is no module of a name, as the author of a script is told; nil if there is one.
func CheckModule(module string) error { return engine.CheckModule("", module) }
