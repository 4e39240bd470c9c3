package hostcall

import "github.com/kintsugi-run/kintsugi/internal/sandbox/process"

// A worker of the sandbox goes no further than this: the packages that only a server needs are not
// initialised in it. All of them take longer than a small script.
func init() {
	if process.IsWorker() {
		go process.WorkerMain(Bindings()) // the goroutine that initialises is bound to its thread
		select {}
	}
}
