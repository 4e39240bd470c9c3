package workflow

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// changeReconcile takes HOST=ADDRESS, or HOST=ADDRESS#POINTER, into the settings; HOST= takes a host out.
func changeReconcile(settings *workflow.Settings, asked []string) error {
	for _, text := range asked {
		host, rest, found := strings.Cut(text, "=")
		if !found || host == "" {
			return fault.New(fault.Invalid, "--reconcile %q: write HOST=ADDRESS, like api.example.com=https://api.example.com/orders?key={key}", text)
		}
		host = strings.ToLower(host)
		settings.Reconcile = slices.DeleteFunc(slices.Clone(settings.Reconcile), func(r workflow.Reconcile) bool { return r.Host == host })
		if rest == "" {
			continue
		}
		address, pointer, _ := strings.Cut(rest, "#")
		pointer, err := url.PathUnescape(pointer)
		if err != nil {
			return fault.New(fault.Invalid, "--reconcile %q: %w", text, err)
		}
		settings.Reconcile = append(settings.Reconcile, workflow.Reconcile{Host: host, Lookup: address, Result: pointer})
	}
	if len(settings.Reconcile) == 0 {
		settings.Reconcile = nil // as if it had never been set
	}
	return nil
}

// reconcileText shows how hosts are asked, one a line.
func reconcileText(s workflow.Settings) string {
	var lines strings.Builder
	for _, one := range s.Reconcile {
		fmt.Fprintf(&lines, "reconcile      %s asks %s", one.Host, one.Lookup)
		if one.Result != "" {
			fmt.Fprintf(&lines, ", the answer is at %s", one.Result)
		}
		lines.WriteByte('\n')
	}
	return lines.String()
}
