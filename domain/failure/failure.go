package failure

import (
	"cmp"
	"strings"
	"unicode/utf8"
)

// Class says who can do something about a failure. It is decided where the
// failure arises, never guessed from its text.
type Class string

// The classes. Limit failures are the script's (it looped, it grew); internal ones are ours.
const (
	Auth       Class = "auth"
	Permission Class = "permission"
	Network    Class = "network"
	Logic      Class = "logic"
	Limit      Class = "limit"
	Internal   Class = "internal"
)

// Repairable says that a change of the script can mend it.
func (c Class) Repairable() bool { return c == Logic || c == Limit }

// Valid says that c is one of the classes.
func (c Class) Valid() bool {
	switch c {
	case Auth, Permission, Network, Logic, Limit, Internal:
		return true
	}
	return false
}

// Failure is why a run ended without an outcome.
type Failure struct {
	Class   Class  `json:"class"`
	Name    string `json:"name"`           // TypeError, LogicError, AuthError … as the script would see it
	Code    string `json:"code,omitempty"` // machine-readable detail: limit.memory, limit.wall …
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
	Tool    string `json:"tool,omitempty"` // the host call it came from
	Status  int    `json:"status,omitempty"`
	Body    string `json:"body,omitempty"` // first 4 KiB of an answer that says why
	// Host of the call, for circuit breaking and for telling people.
	Host string `json:"host,omitempty"`
	// RetryAfterMS is what the other side asked for, 0 if it did not.
	RetryAfterMS int64 `json:"retry_after_ms,omitempty"`
	// Strict identifies the same error at the same statement, Loose the same kind of error anywhere.
	Strict string `json:"strict"`
	Loose  string `json:"loose"`
}

// The most bytes of a failure's texts that are kept: a script may throw anything.
const (
	maxMessage = 8 << 10
	maxStack   = 16 << 10
	maxBody    = 4 << 10
	maxName    = 256
)

// Bounded is the failure with its texts cut to what an event can carry. Fingerprints stay.
func (f Failure) Bounded() Failure {
	f.Name = Cut(f.Name, maxName)
	f.Code = Cut(f.Code, maxName)
	f.Tool = Cut(f.Tool, maxName)
	f.Host = Cut(f.Host, maxName)
	f.Message = Cut(f.Message, maxMessage)
	f.Stack = Cut(f.Stack, maxStack)
	f.Body = Cut(f.Body, maxBody)
	return f
}

// String is the failure in one line, as people read it.
func (f Failure) String() string {
	text, _, _ := strings.Cut(f.Message, "\n")
	if f.Name != "" && text != "" {
		text = f.Name + ": " + text
	}
	return cmp.Or(Cut(text, 500), f.Name, string(f.Class))
}

// Cut shortens text to at most so many bytes, between characters, and says that it did.
func Cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const mark = "…"
	end := max(most-len(mark), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + mark
}

// Tail is the end of a text, which is where programs say why they failed.
func Tail(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const mark = "…"
	begin := len(text) - max(most-len(mark), 0)
	for begin < len(text) && !utf8.RuneStart(text[begin]) {
		begin++
	}
	return mark + text[begin:]
}

// CodeDiverged is the Code of a continued run whose code did not repeat, in order,
// the writes that had already happened. No repair goes on from there: a person decides.
const CodeDiverged = "continuation.diverged"

// The codes of a run that the guard stopped: because of what it was answered, or only because of what it would write.
const (
	CodeSuspected = "guard.suspected"
	CodeGarbage   = "guard.garbage"
)

// CodeTorn is the Code of an answer that did not arrive as what it is: cut off, empty, or bytes in the place of text.
const CodeTorn = "answer.torn"

// The codes of a run that failed of a success whose body says that it is none: why, or that what was asked is no more.
const (
	CodeSaid    = "answer.says"
	CodeRetired = "answer.retired"
)

// The same of the last write of a run. By its words it was not carried out, so it is no write that the run has made.
const (
	CodeWriteSaid    = "write.says"
	CodeWriteRetired = "write.retired"
)

// RefusedWrite says that the run failed of a write that was answered with a success, whose body says that it is none.
func (f *Failure) RefusedWrite() bool {
	return f != nil && (f.Code == CodeWriteSaid || f.Code == CodeWriteRetired)
}

// CodeOvertaken is the Code of a run that was to go on after later runs had changed the keys and files
// that its journal speaks of. It did nothing.
const CodeOvertaken = "continuation.overtaken"
