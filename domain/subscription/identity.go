package subscription

import (
	"net/url"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
)

var (
	secretName = whenNeeded(`^[A-Za-z0-9_.-]{1,100}$`)
	oauthScope = whenNeeded("^[!#-\\[\\]-~]{1,200}$") // RFC 6749, section 3.3
)

// Those that are encrypted, and of which both ends can show who they are.
var withCertificates = []string{"webhook", "nats+tls", "kafka+tls", "amqps", "rediss"}

const maxScopes = 20

// checkIdentity refuses what no target can be shown.
func checkIdentity(d Definition) error {
	u, err := d.Address()
	switch encrypted := err == nil && u != nil && u.Scheme != "http"; {
	case (d.ClientCertificate == "") != (d.ClientKey == ""):
		return fault.New(fault.Invalid, "a client certificate and its key go together: name a secret for each")
	case d.ClientCertificate == "":
	case !slices.Contains(withCertificates, Scheme(d.Target)) || !encrypted:
		return fault.New(fault.Invalid, "%s is shown no client certificate: that needs webhook:https, nats+tls, kafka+tls, amqps or rediss", d.Target)
	case !secretName().MatchString(d.ClientCertificate) || !secretName().MatchString(d.ClientKey):
		return fault.New(fault.Invalid, "a client certificate and its key are given by the names of secrets: 'kintsugi secret set NAME --all --host %s' keeps one", u.Host)
	}
	if d.OAuth == nil {
		return nil
	}
	at, err := url.Parse(d.OAuth.TokenURL)
	switch {
	case Scheme(d.Target) != "webhook":
		return fault.New(fault.Invalid, "only a webhook is shown a token of OAuth")
	case err != nil || at.Hostname() == "" || at.Scheme != "https" && at.Scheme != "http" || at.User != nil || at.Fragment != "":
		return fault.New(fault.Invalid, "%q is no address that gives tokens: it begins with https:// and has neither a password nor a fragment", d.OAuth.TokenURL)
	case at.Scheme == "http" && !d.AllowPrivate:
		return fault.New(fault.Invalid, "a secret is not sent unencrypted through public networks: use https for %s, or --allow-private for an address of your own network", d.OAuth.TokenURL)
	case d.OAuth.ClientID == "" || len(d.OAuth.ClientID)+len(d.OAuth.Audience)+len(d.OAuth.TokenURL) > maxTarget:
		return fault.New(fault.Invalid, "a client of OAuth has an id, and is described in at most %d bytes", maxTarget)
	case !secretName().MatchString(d.OAuth.Secret):
		return fault.New(fault.Invalid, "the secret of a client of OAuth is given by its name: 'kintsugi secret set NAME --all --host %s' keeps it", at.Host)
	case len(d.OAuth.Scopes) > maxScopes || slices.ContainsFunc(d.OAuth.Scopes, func(one string) bool { return !oauthScope().MatchString(one) }):
		return fault.New(fault.Invalid, "scopes of OAuth are at most %d words without spaces and quotation marks", maxScopes)
	case slices.ContainsFunc(d.Headers, func(name string) bool { return strings.EqualFold(name, "Authorization") }):
		return fault.New(fault.Invalid, "the token of OAuth is in the header Authorization, which is among the headers of your own, too: leave one of them out")
	}
	return nil
}
