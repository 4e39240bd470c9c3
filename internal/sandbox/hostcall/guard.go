package hostcall

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// guard decides where the scripts of one workflow may go: to public addresses on the
// ports of the web, and wherever a person allowed. It is asked twice for each request and
// each redirect: about the URL, and again about the very address that is dialled, so that
// a name that changes its mind between the two gains nothing.
type guard struct {
	allowed map[string]bool // "host" or "host:port", in the form of hostKey
	reach   func(host, port string) bool
	closed  func(host, port string, address netip.Addr) (string, error)
}

func newGuard(allowedHosts []string) guard {
	allowed := make(map[string]bool, len(allowedHosts))
	for _, entry := range allowedHosts {
		entry = strings.TrimSpace(entry)
		if host, port, err := net.SplitHostPort(entry); err == nil {
			allowed[net.JoinHostPort(hostKey(host), port)] = true
		} else if entry != "" {
			allowed[hostKey(strings.Trim(entry, "[]"))] = true
		}
	}
	return guard{allowed: allowed}
}

// hostKey is the one form of a host for comparing.
func hostKey(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		return addr.String()
	}
	return host
}

// allows says that a person opened port of host to this workflow.
func (g guard) allows(host, port string) bool {
	host = hostKey(host)
	return g.allowed[host] || g.allowed[net.JoinHostPort(host, port)]
}

// Allows says that hosts, which a person named, let scripts go to an address, which is host:port or a host.
func Allows(hosts []string, address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		host, port = address, ""
	}
	return newGuard(hosts).allows(host, port)
}

// WhyRefused says why a run may not go to an address, host or host:port, as far as that can be told before it is looked up. It is
// empty if the run may. Hosts are those that a person named.
func WhyRefused(hosts []string, address string) string {
	_, refused := newGuard(hosts).checkURL(&url.URL{Scheme: "https", Host: address})
	if refused == nil {
		return ""
	}
	return refused.why
}

// names says that a person named host, with any port or none.
func (g guard) names(host string) bool {
	host = hostKey(host)
	if g.allowed[host] {
		return true
	}
	for entry := range g.allowed {
		if named, _, err := net.SplitHostPort(entry); err == nil && named == host {
			return true
		}
	}
	return false
}

// refusal says that a script may not go where it wants, and what a person can do.
type refusal struct {
	why, advice string
	closed      bool // by the installation: no setting of the workflow helps
}

func (r *refusal) Error() string { return r.why + r.advice }

func refuse(host, port, format string, values ...any) *refusal {
	return &refusal{
		why:    fmt.Sprintf(format, values...),
		advice: fmt.Sprintf("; to let this workflow reach it, a person adds %q to the workflow's allowed hosts", net.JoinHostPort(host, port)),
	}
}

// isClosed asks the installation's policy, which no setting of a workflow overrules.
func (g guard) isClosed(host, port string, address netip.Addr) *refusal {
	if g.closed == nil {
		return nil
	}
	why, err := g.closed(hostKey(host), port, address)
	switch {
	case err != nil: // nothing goes out as long as nobody knows whether it may
		return &refusal{why: fmt.Sprintf("where scripts may go cannot be read now: %v", err), closed: true}
	case why != "":
		return &refusal{why: why, closed: true}
	}
	return nil
}

// checkURL checks all that can be told before anything is looked up. A wrong address is a
// logic error, a forbidden one a *refusal.
func (g guard) checkURL(u *url.URL) (wrong string, refused *refusal) {
	if u.Scheme != "http" && u.Scheme != "https" {
		return "not an http or https URL", nil
	}
	host, port := u.Hostname(), PortOf(u)
	if host == "" {
		return "no host in the URL", nil
	}
	if g.reach != nil && !g.reach(hostKey(host), port) {
		return "", refuse(host, port, "no person has named %s", host)
	}
	addr, err := netip.ParseAddr(strings.TrimSuffix(host, "."))
	if refused := g.isClosed(host, port, addr); refused != nil {
		return "", refused
	}
	if g.allows(host, port) {
		return "", nil
	}
	switch {
	case err == nil:
		if why := WhyNotPublic(addr); why != "" {
			return "", refuse(host, port, "%s is not a public address (%s)", host, why)
		}
	case endsInNumber(strings.TrimSuffix(host, ".")):
		return "", &refusal{why: fmt.Sprintf("%s is an address in disguise; write it as four decimal numbers", host)}
	}
	if port != "80" && port != "443" {
		return "", refuse(host, port, "port %s of %s is not one of the web's (80 and 443)", port, host)
	}
	return "", nil
}

// checkDial checks the address that is about to be dialled for host.
func (g guard) checkDial(host, port, address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refuse(host, port, "%s leads to %q, which is not an address", host, address)
	}
	if refused := g.isClosed(host, port, at.Addr()); refused != nil {
		return refused
	}
	if g.allows(host, port) {
		return nil
	}
	if why := WhyNotPublic(at.Addr()); why != "" {
		if host == at.Addr().String() {
			return refuse(host, port, "%s is not a public address (%s)", host, why)
		}
		return refuse(host, port, "%s leads to %s, which is not a public address (%s)", host, at.Addr(), why)
	}
	return nil
}

func (r *refusal) fault(where string) *sandbox.Error {
	code := CodeAddressRefused
	if r.closed {
		code = CodeAddressClosed
	}
	return fail(sandbox.ClassPermission, code, "%s: %s", where, r)
}

// PortOf is the port that u leads to.
func PortOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
