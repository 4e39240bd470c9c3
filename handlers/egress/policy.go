package egress

import (
	"context"
	"fmt"
	"net/netip"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Closed says for a workflow of an owner why the installation lets no script of it reach a place, see [hostcall.Env.Closed].
func Closed(ctx context.Context, c *commands.Commands, owner string) func(host, port string, address netip.Addr) (string, error) {
	return func(host, port string, address netip.Addr) (string, error) {
		state, err := c.LoadInstallation(ctx)
		if err != nil {
			return "", err
		}
		return whyClosed(state.Egress, state.Tenant(owner), host, port, address), nil
	}
}

func whyClosed(policy installation.Egress, tenant, host, port string, address netip.Addr) string {
	at := host
	if address.IsValid() && address.String() != host {
		at = fmt.Sprintf("%s leads to %s, which", host, address)
	}
	switch entry := policy.ClosedBy(host, port, address); {
	case entry != "":
		return fmt.Sprintf("%s is closed to all scripts by the installation (%s). Only an admin can open it: 'kintsugi egress remove %s'", at, entry, entry)
	case tenant == "" || !address.IsValid() || policy.OpenTo(tenant, host, port, address):
		return ""
	}
	if private := hostcall.WhyNotPublic(address); private != "" {
		return fmt.Sprintf("%s is not a public address (%s), and the installation has not opened it to workflows of %s. Only an admin can open it: 'kintsugi egress open %s --owner %s'",
			at, private, tenant, address, tenant)
	}
	return ""
}

// whyRefused says why runs of a workflow may not go to a host that its script spells out, or "", as far as that can be told before it
// is looked up. Closed says that it is the installation that lets them not.
func whyRefused(installed installation.State, s workflow.State, host string) (why string, closed bool) {
	name, port := splitHost(host)
	address, _ := netip.ParseAddr(name)
	if why := whyClosed(installed.Egress, installed.Tenant(s.Owner), name, port, address); why != "" {
		return why, true
	}
	return hostcall.WhyRefused(s.Settings.AllowedHosts, host), false
}
