package sandbox

// Builtin is something that scripts have beside ECMAScript and the calls of the host: it changes
// nothing outside, and is the same in each execution of a run.
type Builtin struct {
	Use string // as a script writes it: localTime(date?, zone?)
	Doc string // what it gives, for who writes scripts: a person or a model
}

// Builtins are all there are.
func Builtins() []Builtin {
	return []Builtin{
		{"console.log(…), .info, .debug, .warn, .error", "Write a line of the run's log, objects as JSON."},
		{"sleep(ms)", "A promise. The script's clock moves on; it is the only timer."},
		{"secret(name)", "A handle of a secret that the person set, never its value. The host puts the value in, only in header values and URL query values, and only for the hosts that the person bound it to, as it is or through btoa: 'Basic ' + btoa('user:' + secret(name)). A script cannot hash, cut or otherwise encode it."},
		{"localTime(dateOrMs?, zone?)", "{year, month, day, hour, minute, second, weekday, offset, date, iso} in the workflow's zone or the one named, for there is no Intl. weekday is 0 on Sunday, offset minutes east of Greenwich, date 'YYYY-MM-DD'."},
		{"URL, URLSearchParams, structuredClone", "As in browsers."},
		{"atob(text), btoa(text)", "Base64."},
		{"crypto.randomUUID()", "Random, and the same again when the run is repeated, like Math.random()."},
		{"crypto.hash(algorithm, text)", "The digest in hexadecimal: md5, sha1, sha256 or sha512."},
		{"AuthError, PermissionError, NetworkError, LogicError", "The classes of the host's errors, with name, message and class, and status and body of an answer. A script may throw them, too."},
	}
}
