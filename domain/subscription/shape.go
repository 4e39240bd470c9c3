package subscription

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// maxHeaders bounds the headers of a webhook that are not its own.
const maxHeaders = 20

// A delivery has these of itself, or they are about the connection.
var (
	ownHeaders = []string{
		"accept-encoding", "connection", "content-encoding", "content-length", "content-type", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
	}
	ownPrefixes = []string{"webhook-", "ce-", "proxy-"}
	headerName  = whenNeeded("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")
	rate        = whenNeeded(`^([1-9][0-9]{0,5})/(s|m|h)$`)
)

func checkHeaders(d Definition) error {
	if len(d.Headers) > 0 && Scheme(d.Target) != "webhook" {
		return fault.New(fault.Invalid, "only a webhook is sent headers: leave them out")
	}
	if len(d.Headers) > maxHeaders {
		return fault.New(fault.Invalid, "a webhook is sent at most %d headers of yours", maxHeaders)
	}
	seen := map[string]bool{}
	for _, name := range d.Headers {
		small := strings.ToLower(name)
		switch {
		case !headerName().MatchString(name):
			return fault.New(fault.Invalid, "%q is no name of a header", name)
		case slices.Contains(ownHeaders, small) || slices.ContainsFunc(ownPrefixes, func(prefix string) bool { return strings.HasPrefix(small, prefix) }):
			return fault.New(fault.Invalid, "the header %s is a delivery's own (as are Webhook-…, Ce-…, Host and Content-…): choose another name", name)
		case seen[small]:
			return fault.New(fault.Invalid, "the header %s is there twice", name)
		}
		seen[small] = true
	}
	return nil
}

// maxExpression bounds an expression, in bytes.
const maxExpression = 4 << 10

func checkExpressions(d Definition) error {
	if len(d.Filter) > maxExpression || len(d.Transform) > maxExpression {
		return fault.New(fault.Invalid, "a filter and a transform have at most %d bytes each", maxExpression)
	}
	if d.Transform != "" && kind(d.Target) == "smtp" {
		return fault.New(fault.Invalid, "a mail says in words what happened, and cannot be given another form: leave the transform out")
	}
	return nil
}

// linesBefore is how many lines of the script come before an expression.
const linesBefore = 1

// Script is the script whose main gives the value of an expression over an event.
func Script(expression string) string {
	return "function main(event) { return (\n" + expression + "\n) }"
}

// LineOf is the line of an expression that a line of its script is.
func LineOf(line int) int { return max(line-linesBefore, 0) }

// ParseRate reads how far events are apart at least when so many may be sent in a second, a minute or an hour; zero for an empty text.
func ParseRate(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	parts := rate().FindStringSubmatch(text)
	if parts == nil {
		return 0, fault.New(fault.Invalid, "%q is no rate: it is a number of events in a second, a minute or an hour, as 10/s, 60/m or 1000/h", text)
	}
	events, err := strconv.Atoi(parts[1])
	if err != nil {
		return 0, fault.New(fault.Invalid, "%q is no rate: %w", text, err)
	}
	return map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[parts[2]] / time.Duration(events), nil
}
