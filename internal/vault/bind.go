package vault

import (
	"context"
	"slices"
	"time"
)

// Bind lets one workflow send a secret that it may use to further hosts: its own one, or, from
// one for all workflows, a copy of its own, so that no other workflow may. It returns
// [ErrNotFound] if the workflow has no secret of that name.
func (v *Vault) Bind(ctx context.Context, name, workflow string, hosts []string, now time.Time) error {
	all, err := v.store.Secrets(ctx)
	if err != nil {
		return err
	}
	own := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name && e.Workflow == workflow })
	from := own
	if from < 0 {
		from = slices.IndexFunc(all, func(e Entry) bool { return e.Name == name && e.Workflow == "" })
	}
	if from < 0 {
		return ErrNotFound
	}
	plain, err := v.open(all[from])
	if err != nil {
		return err
	}
	binding := Binding{Name: name, Workflow: workflow, Hosts: slices.Clone(hosts)}
	if own >= 0 {
		binding.Hosts = append(binding.Hosts, all[own].Hosts...)
	}
	return v.Set(ctx, binding, string(plain), now)
}
