package workflow

import "strings"

// Reconcile says how to find out what became of a write to a host that was sent and never answered:
// with a GET that is made as the workflow's own requests are, inside what it may reach.
//
// 200 with JSON that is not empty says that the write happened and answered that. 404, or an empty
// answer, says that it did not. Anything else says nothing.
type Reconcile struct {
	Host string `json:"host"` // of the write: host or host:port
	// Lookup is the address to GET, with {key} in the place of the write's idempotency key.
	Lookup string `json:"lookup"`
	// Result is where in the answer the write's own answer is, as a JSON pointer like /data/0; empty for all of it.
	// If the place is missing, the write did not happen.
	Result string `json:"result,omitempty"`
}

// KeyPlace is what stands in a lookup for the idempotency key.
const KeyPlace = "{key}"

func (r Reconcile) validate() error {
	switch {
	case !isHost(r.Host):
		return invalid("setting reconcile has the host %q: write a host or host:port, like api.example.com", r.Host)
	case !strings.HasPrefix(r.Lookup, "https://") && !strings.HasPrefix(r.Lookup, "http://"):
		return invalid("setting reconcile has the lookup %q for %s: write an address like https://%s/orders?key=%s", r.Lookup, r.Host, r.Host, KeyPlace)
	case !strings.Contains(r.Lookup, KeyPlace):
		return invalid("the lookup for %s does not have %s in it, where the idempotency key of the write goes", r.Host, KeyPlace)
	case r.Result != "" && !strings.HasPrefix(r.Result, "/"):
		return invalid("the result %q of the lookup for %s is not a JSON pointer like /data/0", r.Result, r.Host)
	}
	return fits("lookup", r.Lookup+r.Result, maxLine)
}

// isHost says that a text may be a host, with a port or without.
func isHost(text string) bool { return text != "" && !strings.ContainsAny(text, "/@* ") }
