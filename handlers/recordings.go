package handlers

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/kintsugi-run/kintsugi/commands"
)

// Recordings finds recorded runs.
type Recordings interface {
	// Successes are the ids of the runs of a workflow that succeeded on a version of this
	// major, newest first. They include everything settled before the call.
	Successes(ctx context.Context, workflow string, major int) ([]string, error)
}

// hostsLookedAt is how many of the newest successes are asked whether a host is known.
const hostsLookedAt = 20

// knownHosts says whether a recorded run of the active major had an answer from a host. It is
// asked only after a host was not found, so it looks then.
func knownHosts(ctx context.Context, recordings Recordings, c *commands.Commands, id string) func(host string) bool {
	return func(host string) bool {
		return answered(ctx, recordings, c, id, func(from *url.URL) bool { return from.Hostname() == host })
	}
}

// knownPlaces says the same of a host and its port; ports of the web are one.
func knownPlaces(ctx context.Context, recordings Recordings, c *commands.Commands, id string) func(host, port string) bool {
	return func(host, port string) bool {
		return answered(ctx, recordings, c, id, func(from *url.URL) bool {
			return strings.EqualFold(from.Hostname(), host) && (from.Port() == port || usualPort(from.Port()) && usualPort(port))
		})
	}
}

// usualPort says that a port is one of the web's, which a URL need not spell out.
func usualPort(port string) bool { return port == "" || port == "80" || port == "443" }

// answered says that one of the newest successes had an answer from such an address.
func answered(ctx context.Context, recordings Recordings, c *commands.Commands, id string, from func(address *url.URL) bool) bool {
	state, err := c.LoadWorkflow(ctx, id)
	if err != nil {
		return false
	}
	successes, err := recordings.Successes(ctx, id, state.Active.Major)
	if err != nil {
		return false
	}
	for _, success := range successes[:min(len(successes), hostsLookedAt)] {
		recorded, err := c.LoadRun(ctx, success)
		if err != nil {
			return false
		}
		for _, call := range recorded.Calls {
			if !call.Returned || call.Error != nil || !strings.HasPrefix(call.Tool, "web.") {
				continue
			}
			if address := addressOf(call.Args); address != nil && from(address) {
				return true
			}
		}
	}
	return false
}

// hostOf is the host of a web call's first argument, without its port.
func hostOf(args json.RawMessage) string {
	if address := addressOf(args); address != nil {
		return address.Hostname()
	}
	return ""
}

// hostPortOf is the host as the URL has it: with a port if that is not the usual one.
func hostPortOf(args json.RawMessage) string {
	if address := addressOf(args); address != nil {
		return strings.ToLower(address.Host)
	}
	return ""
}

func addressOf(args json.RawMessage) *url.URL {
	var list []json.RawMessage
	var text string
	if json.Unmarshal(args, &list) != nil || len(list) == 0 || json.Unmarshal(list[0], &text) != nil {
		return nil
	}
	address, err := url.Parse(text)
	if err != nil {
		return nil
	}
	return address
}
