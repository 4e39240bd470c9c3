package hostcall

import (
	"fmt"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Codes refine a class where something can be decided by them. An error that its class
// and status say all about has none.
const (
	// CodeIndeterminate marks a write that was sent, and no answer says whether it happened.
	CodeIndeterminate = "effect.indeterminate"
	// CodeAddressRefused marks an address that scripts of this workflow may not reach.
	CodeAddressRefused = "address.refused"
	// CodeAddressClosed marks an address that the installation closes, whatever the settings of workflows allow.
	CodeAddressClosed = "address.closed"
	// CodeSecretUnbound marks a secret that may not be used where the script used it.
	CodeSecretUnbound = "secret.unbound"
	// CodeSecretMisplaced marks a secret in a place of a request that none may stand in.
	CodeSecretMisplaced = "secret.misplaced"
	// CodeSecretChanged marks a handle of a secret that the script cut or encoded.
	CodeSecretChanged = "secret.changed"
	// CodeSecretUnread marks a secret that cannot be read now: its store is away, or its key is wrong.
	CodeSecretUnread = "secret.unread"
	// CodePathOutside marks a path that leads out of the workflow's folder.
	CodePathOutside = "path.outside"
	// CodeRateLimited marks an answer that asks to come back later.
	CodeRateLimited = "rate_limited"
	// CodeQuota marks an allowance that is used up: waiting does not help, paying may.
	CodeQuota = "quota_exhausted"
	// CodeLoginPage marks a page that asks a person to sign in, where data was expected.
	CodeLoginPage = "login_page"
	// CodeNotData marks a web page where data was expected.
	CodeNotData = "not_data"
	// CodeTorn marks an answer that was cut off, is empty, or is bytes in the place of text.
	CodeTorn = sandbox.CodeTorn
	// CodeSaid marks the body of a success that says why it is none.
	CodeSaid = "answer.says"
	// CodeRetired marks one that says that what was asked is no more.
	CodeRetired = "answer.retired"
	// CodeUnknownHost marks a host name that does not exist.
	CodeUnknownHost = "dns.not_found"
	// CodeTLS marks a server whose certificate or TLS cannot be trusted.
	CodeTLS = "tls"
	// CodeTimeout marks a call that got no answer in time.
	CodeTimeout = "timeout"
	// CodeAskUnavailable marks a question where runs cannot wait for the answer.
	CodeAskUnavailable = "ask.unavailable"
	// CodeLimitState marks a workflow that keeps more keys, files or bytes than it may.
	CodeLimitState = "limit.state"
	// CodeLimitFetch marks a run that read more from the web than it may, or waited longer for it.
	CodeLimitFetch = "limit.fetch"
)

// names are what the classes are called as errors inside the script.
var names = map[string]string{
	sandbox.ClassAuth:       "AuthError",
	sandbox.ClassPermission: "PermissionError",
	sandbox.ClassNetwork:    "NetworkError",
	sandbox.ClassLogic:      "LogicError",
	sandbox.ClassLimit:      "LimitError",
	sandbox.ClassInternal:   "InternalError",
}

// fail makes a typed error.
func fail(class, code, format string, values ...any) *sandbox.Error {
	return &sandbox.Error{Class: class, Name: names[class], Code: code, Message: fmt.Sprintf(format, values...)}
}
