package vault

import (
	"context"
	"slices"
	"time"
)

// Bind lets one workflow send a secret that it may use to further hosts: its own one, or, from
// one for all workflows, a copy of its own, so that no other workflow may. It returns
// [ErrNotFound] if the workflow has no secret of that name. Whoever sets the secret at the same
// time may win.
func (v *Vault) Bind(ctx context.Context, name, workflow string, hosts []string, now time.Time) error {
	all, err := v.store.Secrets(ctx)
	if err != nil {
		return err
	}
	for _, scope := range []string{workflow, ""} {
		at := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name && e.Workflow == scope })
		if at < 0 {
			continue
		}
		plain, err := v.open(all[at])
		if err != nil {
			return err
		}
		binding := Binding{Name: name, Workflow: workflow, Hosts: slices.Clone(hosts)}
		if scope == workflow {
			binding.Hosts = append(binding.Hosts, all[at].Hosts...)
		}
		return v.Set(ctx, binding, string(plain), now)
	}
	return ErrNotFound
}
