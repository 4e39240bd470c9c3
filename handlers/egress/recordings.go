package egress

import (
	"context"
	"encoding/json"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/projections"
)

// Recordings finds recorded runs.
type Recordings interface {
	// Successes are the ids of the runs of a workflow that succeeded on a version of this
	// major, newest first. They include everything settled before the call.
	Successes(ctx context.Context, workflow string, major int) ([]string, error)
	// Hosts are the hosts that such runs had answers from, runs that were imported left out.
	Hosts(ctx context.Context, workflow string, major int) ([]projections.ReachedHost, error)
}

// KnownHosts says whether a recorded run of a major had an answer from a host. It is asked only after
// a host was not found, so it looks then.
func KnownHosts(ctx context.Context, recordings Recordings, id string, major int) func(host string) bool {
	return func(host string) bool {
		return reached(ctx, recordings, id, major, func(one projections.ReachedHost) bool {
			name, _ := splitHost(one.Host)
			return name == strings.ToLower(host)
		})
	}
}

// KnownPlaces says the same of a host and its port; ports of the web are one.
func KnownPlaces(ctx context.Context, recordings Recordings, id string, major int) func(host, port string) bool {
	return func(host, port string) bool {
		return reached(ctx, recordings, id, major, func(one projections.ReachedHost) bool { return samePlace(one.Host, host, port) })
	}
}

// OwnPlaces says it of the runs of the version that opened the major, without any fix: as somebody wanted it.
func OwnPlaces(ctx context.Context, recordings Recordings, id string) func(major int, host, port string) bool {
	return func(major int, host, port string) bool {
		return reached(ctx, recordings, id, major, func(one projections.ReachedHost) bool {
			return one.Minor == 0 && samePlace(one.Host, host, port)
		})
	}
}

// reached says no if that cannot be told: nothing is allowed because a view cannot be read.
func reached(ctx context.Context, recordings Recordings, id string, major int, is func(projections.ReachedHost) bool) bool {
	hosts, err := recordings.Hosts(ctx, id, major)
	return err == nil && slices.ContainsFunc(hosts, is)
}

func samePlace(known, host, port string) bool {
	name, at := splitHost(known)
	return name == strings.ToLower(host) && (at == port || usualPort(at) && usualPort(port))
}

// splitHost takes a host apart that is as URLs have it; the port is empty if it has none.
func splitHost(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		return strings.Trim(host, "[]"), ""
	}
	return name, port
}

// usualPort says that a port is one of the web's, which a URL need not spell out.
func usualPort(port string) bool { return port == "" || port == "80" || port == "443" }

// HostOf is the host of a web call's first argument, without its port.
func HostOf(args json.RawMessage) string {
	if address := AddressOf(args); address != nil {
		return address.Hostname()
	}
	return ""
}

// HostPortOf is the host as the URL has it: with a port if that is not the usual one.
func HostPortOf(args json.RawMessage) string {
	if address := AddressOf(args); address != nil {
		return strings.ToLower(address.Host)
	}
	return ""
}

// AddressOf is where a web call leads, by its first argument; nil for any other call.
func AddressOf(args json.RawMessage) *url.URL {
	var list []json.RawMessage
	var text string
	if json.Unmarshal(args, &list) != nil || len(list) == 0 || json.Unmarshal(list[0], &text) != nil {
		return nil
	}
	address, err := url.Parse(text)
	if err != nil || address.Host == "" {
		return nil
	}
	return address
}
