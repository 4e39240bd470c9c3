package handlers

import (
	"net"
	"regexp"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// urlHost and bareHost find hosts in what a person wrote: in URLs, and by themselves.
var (
	urlHost  = regexp.MustCompile(`(?i)https?://([a-z0-9._-]+(?::[0-9]{1,5})?|\[[0-9a-f:.]+\](?::[0-9]{1,5})?)`)
	bareHost = regexp.MustCompile(`(?i)(?:^|[^a-z0-9@._/-])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]+(?::[0-9]{1,5})?)`)
)

// hostsInURLs are the hosts of the URLs in a text, as the URLs have them, sorted. Hosts that code
// puts together are not among them.
func hostsInURLs(text string) []string { return hostsBy(urlHost, text) }

func hostsBy(pattern *regexp.Regexp, text string) []string {
	var hosts []string
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		hosts = append(hosts, strings.ToLower(strings.TrimRight(match[1], ".")))
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// reach is which hosts an agent may read from for a workflow: those that people named.
type reach struct {
	hosts   map[string]bool // that were named, as they were written
	allowed map[string]bool // by the settings: without a port, every port of it
}

// reachOf says yes to the hosts that people named, and that recorded runs had answers from.
func reachOf(s workflow.State, known func(host, port string) bool) func(host, port string) bool {
	r := named(s)
	return func(host, port string) bool { return r.names(host, port) || known(host, port) }
}

// named gathers the hosts that the person allowed in the settings, or wrote in their own words or in
// scripts of their own.
func named(s workflow.State) reach {
	r := reach{hosts: map[string]bool{}, allowed: map[string]bool{}}
	for _, host := range s.Settings.AllowedHosts {
		r.allowed[strings.ToLower(strings.TrimSpace(host))] = true
	}
	words := []string{s.Intent}
	if s.Planner != nil {
		words = append(append(words, s.Planner.Ask), s.Planner.Told...)
		for _, answer := range s.Answers {
			if answer.Task == s.Planner.Task {
				words = append(words, answer.Text)
			}
		}
	}
	for _, text := range words {
		for _, host := range append(hostsInURLs(text), hostsBy(bareHost, text)...) {
			r.hosts[host] = true
		}
	}
	for _, script := range s.Versions {
		if script.Origin == workflow.OriginPerson {
			for _, host := range hostsInURLs(script.Code) {
				r.hosts[host] = true
			}
		}
	}
	return r
}

// names says that a person named a host: in the settings, or with this port, or, on a port of the
// web, without any.
func (r reach) names(host, port string) bool {
	host = strings.ToLower(host)
	full := net.JoinHostPort(host, port)
	return r.allowed[host] || r.allowed[full] || r.hosts[full] || r.hosts[host] && usualPort(port)
}

// unnamed are the hosts in a script's URLs that no person has named.
func unnamed(code string, may func(host, port string) bool) []string {
	return slices.DeleteFunc(hostsInURLs(code), func(host string) bool {
		name, port, err := net.SplitHostPort(host)
		if err != nil {
			name, port = strings.Trim(host, "[]"), ""
		}
		return may(name, port)
	})
}

// runReach is where a run of a version may go: nil, which is wherever the guard of the host lets it,
// unless a planner wrote the version's major. What a planner has read may have led it, and an address
// that its script puts together only a run shows: such a run stays with the hosts that the script
// spells out, which were looked at when it was saved or activated, that people named, and that
// recorded runs had answers from.
func runReach(s workflow.State, version workflow.Version, known func(host, port string) bool) func(host, port string) bool {
	script, found := s.FirstOfMajor(version.Major)
	for found && script.Restored != nil {
		script, found = s.FirstOfMajor(script.Restored.Major)
	}
	if !found || script.Origin != workflow.OriginPlanner {
		return nil
	}
	r := named(s)
	for _, host := range hostsInURLs(script.Code) {
		r.hosts[host] = true
	}
	return func(host, port string) bool { return r.names(host, port) || known(host, port) }
}
