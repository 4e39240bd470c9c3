package folder

import (
	"slices"
	"strings"
)

// nodeModules are the modules of Node 20. A package of such a name is never meant by it, as in Node.
var nodeModules = strings.Fields(`assert assert/strict async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns
	dns/promises domain events fs fs/promises http http2 https inspector inspector/promises module net os path path/posix path/win32 perf_hooks process
	punycode querystring readline readline/promises repl stream stream/consumers stream/promises stream/web string_decoder sys timers timers/promises
	tls trace_events tty url util util/types v8 vm wasi worker_threads zlib`)

func nodeModule(name string) bool {
	return strings.HasPrefix(name, "node:") || slices.Contains(nodeModules, name)
}
