package gallery_test

import (
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/schedule"
	"github.com/kintsugi-run/kintsugi/gallery"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Rule: each automation of the gallery says what it is for and when it runs, asks services that are nobody's, and has runs that its
// script repeats to the letter.
func TestTheGallery(t *testing.T) {
	t.Parallel()
	entries, err := gallery.Entries()
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(entries), 40)
	recorded, err := fs.Glob(os.DirFS("."), "*.json")
	require.NoError(t, err)
	require.Len(t, recorded, len(entries), "a file of recorded runs has no line in gallery.yaml, or a line has none")
	titles := map[string]bool{}
	for _, one := range entries {
		t.Run(one.Name, func(t *testing.T) {
			require.False(t, titles[one.Title], "another one is called that")
			titles[one.Title] = true
			require.NotEmpty(t, one.Intent)
			require.NotEmpty(t, one.Tags)
			require.NotEmpty(t, one.Services)
			if one.Schedule == "" {
				require.Contains(t, one.Tags, "hook")
			} else {
				_, err := schedule.Parse(one.Schedule, time.UTC)
				require.NoError(t, err)
			}
			bundle, err := one.Bundle(nil)
			require.NoError(t, err)
			for i := range bundle.Runs {
				again, err := gate.Reproduce(t.Context(), process.InProcess{Bindings: hostcall.Bindings()}, bundle.Script.Code, bundle.Workflow.Zone, &bundle.Runs[i])
				require.NoError(t, err)
				require.True(t, again.Reproduced, "%s: %v", bundle.Runs[i].ID, again.Differences)
			}
		})
	}
}

// Rule: a person's own services stand in the place of the examples, in the script and in all of its recorded runs.
func TestServicesOfOnesOwn(t *testing.T) {
	t.Parallel()
	entries, err := gallery.Entries()
	require.NoError(t, err)
	one := entries[slices.IndexFunc(entries, func(e gallery.Entry) bool { return e.Name == "cve-alert" })]
	require.Equal(t, []string{"https://services.nvd.example", "https://tasks.example"}, one.Services)
	bundle, err := one.Bundle(map[string]string{"https://services.nvd.example": "https://services.nvd.nist.gov", "https://tasks.example": "http://10.0.0.5:8080"})
	require.NoError(t, err)
	require.NotContains(t, bundle.Script.Code, ".example")
	asked := map[string]bool{}
	for _, run := range bundle.Runs {
		for _, call := range run.Calls {
			for host := range strings.SplitSeq("services.nvd.nist.gov 10.0.0.5:8080 nvd.example tasks.example", " ") {
				asked[host] = asked[host] || strings.Contains(string(call.Args), host)
			}
		}
	}
	require.Equal(t, map[string]bool{"services.nvd.nist.gov": true, "10.0.0.5:8080": true, "nvd.example": false, "tasks.example": false}, asked)
}

// Rule: an address is a scheme and a host. One without a scheme is asked by TLS.
func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"shop.acme.com": "https://shop.acme.com", " https://Shop.acme.com/ ": "https://shop.acme.com", "http://127.0.0.1:8080": "http://127.0.0.1:8080", "[::1]:80": "https://[::1]:80",
		"https://shop.acme.com/v1": "", "ftp://x": "", "": "", "https://": "", "https://ann:secret@x": "", "https://x?a": "", "a b": "",
	} {
		got, err := gallery.Address(text)
		require.Equal(t, want, got, text)
		require.Equal(t, want == "", err != nil, text)
	}
}
