package vault

import (
	"context"
	"slices"
	"time"
)

// Bind lets one workflow send a secret that it may use to further hosts: its own one, or, from one for all workflows,
// a copy of its own, so that no other workflow may. It returns [ErrNotFound] if the workflow has no secret of that
// name. Concurrent calls lose none of their hosts.
func (v *Vault) Bind(ctx context.Context, name, workflow string, hosts []string, now time.Time) error {
	for {
		// If another writer was faster, look again: each time one of them gets on.
		if bound, err := v.bind(ctx, name, workflow, hosts, now); bound || err != nil {
			return err
		}
	}
}

func (v *Vault) bind(ctx context.Context, name, workflow string, hosts []string, now time.Time) (bool, error) {
	all, err := v.store.Secrets(ctx)
	if err != nil {
		return false, err
	}
	own := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name && e.Workflow == workflow })
	from := own
	if from < 0 {
		from = slices.IndexFunc(all, func(e Entry) bool { return e.Name == name && e.Workflow == "" })
	}
	if from < 0 {
		return false, ErrNotFound
	}
	plain, err := v.open(all[from])
	if err != nil {
		return false, err
	}
	binding := Binding{Name: name, Workflow: workflow, Hosts: slices.Clone(hosts)}
	var sealed []byte
	if own >= 0 {
		binding.Hosts = append(binding.Hosts, all[own].Hosts...)
		sealed = all[own].Sealed
	}
	set, err := v.seal(binding, string(plain), now)
	if err != nil {
		return false, err
	}
	return v.store.SwapSecret(ctx, set, sealed)
}
