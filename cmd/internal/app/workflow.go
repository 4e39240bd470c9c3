package app

import (
	"context"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// CheckZone refuses what is not a time zone before it is stored.
func CheckZone(name string) error {
	_, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return fault.New(fault.Invalid, "--zone %q is not a time zone: use a name like Europe/Berlin", name)
	}
	return nil
}

// ChangeHosts adds hosts to an allow-list and takes others out.
func ChangeHosts(hosts, add, remove []string) []string {
	var changed []string
	seen := map[string]bool{}
	for _, host := range remove {
		seen[host] = true
	}
	for _, host := range append(append([]string{}, hosts...), add...) {
		if !seen[host] {
			seen[host] = true
			changed = append(changed, host)
		}
	}
	return changed
}

// AllowHosts adds hosts to those that a workflow may reach.
func (n *Node) AllowHosts(ctx context.Context, actor, id string, hosts []string) error {
	if len(hosts) == 0 {
		return nil
	}
	state, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	settings := state.Settings
	settings.AllowedHosts = ChangeHosts(settings.AllowedHosts, hosts, nil)
	_, err = n.Commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: settings}, By(actor))
	return err
}
