package vault

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// After a bind a workflow's secret reaches the further hosts, and those it had. For a secret of all workflows only
// this one's copy does.
func TestBindWidensForOneWorkflow(t *testing.T) {
	t.Parallel()
	v, _ := newVault(t)
	ctx := t.Context()
	reaches := func(workflow, name, host string) bool {
		value, ok, err := v.Value(ctx, workflow, name, host)
		require.NoError(t, err)
		if ok {
			require.Equal(t, "sesame", value)
		}
		return ok
	}
	require.NoError(t, v.Set(ctx, Binding{Name: "OWN", Workflow: "w", Hosts: []string{"a.test"}}, "sesame", moment))
	require.NoError(t, v.Set(ctx, Binding{Name: "ALL", Hosts: []string{"a.test"}}, "sesame", moment))
	for _, name := range []string{"OWN", "ALL"} {
		require.False(t, reaches("w", name, "b.test"))
		require.NoError(t, v.Bind(ctx, name, "w", []string{"b.test"}, moment))
		require.True(t, reaches("w", name, "a.test"))
		require.True(t, reaches("w", name, "b.test"))
		require.False(t, reaches("other", name, "b.test"))
	}
	require.True(t, reaches("other", "ALL", "a.test"))
	require.ErrorIs(t, v.Bind(ctx, "NONE", "w", []string{"b.test"}, moment), ErrNotFound)
	require.ErrorIs(t, v.Bind(ctx, "OWN", "other", []string{"b.test"}, moment), ErrNotFound)
	require.ErrorContains(t, v.Bind(ctx, "OWN", "w", []string{"http://b.test/"}, moment), "is not a host")
}

// Changes of others between the look and the write are not undone.
func TestBindLosesNothing(t *testing.T) {
	t.Parallel()
	v, store := newVault(t)
	ctx := t.Context()
	bind := func(hosts ...string) error { return v.Bind(ctx, "A", "w", hosts, moment) }
	hosts := func() []string {
		list, err := v.List(ctx)
		require.NoError(t, err)
		for _, secret := range list {
			if secret.Workflow == "w" {
				return secret.Hosts
			}
		}
		return nil
	}
	require.NoError(t, v.Set(ctx, Binding{Name: "A", Hosts: []string{"all.test"}}, "sesame", moment))
	store.between = func() { require.NoError(t, bind("b.test")) }
	require.NoError(t, bind("a.test"))
	require.Equal(t, []string{"a.test", "b.test"}, hosts(), "both began with the one for all")

	store.between = func() { require.NoError(t, bind("d.test")) }
	require.NoError(t, bind("c.test"))
	require.Equal(t, []string{"a.test", "b.test", "c.test", "d.test"}, hosts())

	store.between = func() {
		require.NoError(t, v.Set(ctx, Binding{Name: "A", Workflow: "w", Hosts: []string{"new.test"}}, "changed", moment))
	}
	require.NoError(t, bind("e.test"))
	require.Equal(t, "changed", value(t, v, "w", "A", "e.test"), "not the value that it had")

	store.between = func() { require.NoError(t, v.Remove(ctx, "A", "w")); require.NoError(t, v.Remove(ctx, "A", "")) }
	require.ErrorIs(t, bind("f.test"), ErrNotFound)
}
