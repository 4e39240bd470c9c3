package forge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/coding/forge"
)

// Rule: a remote of git leads to its repository and API however it is written; an address of a directory leads nowhere, and is refused.
func TestLocate(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]forge.Forge{
		"git@github.com:ann/shop.git":                 {API: "https://api.github.com", Host: "api.github.com", Owner: "ann", Name: "shop"},
		"https://github.com/ann/shop":                 {API: "https://api.github.com", Host: "api.github.com", Owner: "ann", Name: "shop"},
		"https://ann:key@code.example.com/a/shop.git": {API: "https://code.example.com/api/v1", Host: "code.example.com", Owner: "a", Name: "shop"},
		"ssh://git@code.example.com:2222/a/shop.git":  {API: "https://code.example.com/api/v1", Host: "code.example.com", Owner: "a", Name: "shop"},
		"http://127.0.0.1:3000/ann/shop.git":          {API: "http://127.0.0.1:3000/api/v1", Host: "127.0.0.1", Owner: "ann", Name: "shop"},
	} {
		found, err := forge.Locate(remote, "")
		require.NoError(t, err, remote)
		require.Equal(t, want, found, remote)
	}
	found, err := forge.Locate("git@git.example.com:ann/shop.git", "https://git.example.com/api/v3/")
	require.NoError(t, err)
	require.Equal(t, "https://git.example.com/api/v3", found.API)
	for _, remote := range []string{"/srv/shop.git", "../shop", "https://github.com/shop", ""} {
		_, err := forge.Locate(remote, "")
		require.Error(t, err, remote)
	}
}
