// Package process runs scripts in worker processes: child processes of the same binary, which a pool starts, uses again
// and ends. [InProcess] runs them in the calling process, for tests.
package process

import (
	_ "github.com/kintsugi-run/kintsugi/internal/sandbox/library" // scripts import them
	_ "github.com/kintsugi-run/kintsugi/internal/sandbox/webapi"  // scripts name them
)
