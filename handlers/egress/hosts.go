package egress

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

// hostsInWords are the hosts in what somebody wrote, in URLs and by themselves.
func hostsInWords(text string) []string { return append(hostsInURLs(text), hostsBy(bareHost, text)...) }

// reach is which hosts an agent may read from for a workflow: those that people named.
type reach struct {
	hosts   map[string]bool // that were named, as they were written
	allowed map[string]bool // by the settings: without a port, every port of it
}

// OfAgent says yes to the hosts that people named, and that recorded runs had answers from.
func OfAgent(s workflow.State, known func(host, port string) bool) func(host, port string) bool {
	r := named(s)
	return func(host, port string) bool { return r.names(host, port) || known(host, port) }
}

// named gathers the hosts that the person allowed in the settings, or wrote in their own words or in scripts of their
// own. An imported text is nobody's word, and the options of a question are the asker's.
func named(s workflow.State) reach {
	r := reach{hosts: map[string]bool{}, allowed: map[string]bool{}}
	for _, host := range s.Settings.AllowedHosts {
		r.allowed[strings.ToLower(strings.TrimSpace(host))] = true
	}
	var words []string
	if !s.IntentImported {
		words = append(words, s.Intent)
	}
	if s.Planner != nil {
		words = append(append(words, s.Planner.Ask), s.Planner.Told...)
		for _, answer := range s.Answers {
			switch {
			case answer.Task != s.Planner.Task:
			case answer.Offered != "":
				r.offered(answer)
			default:
				words = append(words, answer.Text)
			}
		}
	}
	for _, text := range words {
		for _, host := range hostsInWords(text) {
			r.hosts[host] = true
		}
	}
	for _, script := range s.Versions {
		if script.Origin.Person() && !script.Imported {
			for _, host := range hostsInURLs(script.Code) {
				r.hosts[host] = true
			}
		}
	}
	return r
}

// offered takes the hosts of an option that the person chose, where the question was about them: beside
// another question a host in an option is easily passed over.
func (r reach) offered(answer workflow.Answer) {
	about := hostsInWords(answer.Offered)
	for _, host := range hostsInWords(answer.Text) {
		if slices.Contains(about, host) {
			r.hosts[host] = true
		}
	}
}

// names says that a person named a host: in the settings, or with this port, or, on a port of the
// web, without any.
func (r reach) names(host, port string) bool {
	host = strings.ToLower(host)
	full := net.JoinHostPort(host, port)
	return r.allowed[host] || r.allowed[full] || r.hosts[full] || r.hosts[host] && usualPort(port)
}

// Unnamed are the hosts in a script's URLs that no person has named.
func Unnamed(code string, may func(host, port string) bool) []string {
	return slices.DeleteFunc(hostsInURLs(code), func(host string) bool {
		return may(splitHost(host))
	})
}

// OfRun is where a run of a version may go: nil, which is wherever the guard of the host lets it, for a script that a
// person wrote. The agent that fixed or planned a script may have been led by what it has read, and an address that
// code puts together only a run shows; an imported script was written by a stranger. Such a run stays inside the
// bounds of its major.
func OfRun(s workflow.State, version workflow.Version, own func(major int, host, port string) bool) func(host, port string) bool {
	b := boundsOf(s, version)
	if b.free {
		return nil
	}
	return b.reach(s, own)
}

// OfFix is where runs of a fix of a version may go, and fixers that look for one.
func OfFix(s workflow.State, base workflow.Version, own func(major int, host, port string) bool) func(host, port string) bool {
	return boundsOf(s, base).reach(s, own)
}

// bounds are what somebody wanted of a version: the code of the major it belongs to, as it was saved,
// without any fix, and through rollbacks.
type bounds struct {
	free   bool // a person wrote the very version
	code   string
	majors []int // that began with this code
}

func boundsOf(s workflow.State, version workflow.Version) bounds {
	b := bounds{free: true}
	for range s.Versions {
		script, found := s.Script(version)
		switch {
		case !found:
			return b
		case script.Origin == workflow.OriginMaintainer:
			b.free = false
			version = workflow.Version{Major: version.Major}
		case script.Restored != nil:
			b.majors = append(b.majors, version.Major)
			version = *script.Restored
		default:
			b.free = b.free && script.Origin.Person() && !script.Imported
			b.code, b.majors = script.Code, append(b.majors, version.Major)
			return b
		}
	}
	return b
}

// reach says yes to the hosts that the code spells out, which were looked at when it was saved or
// activated, that people named, and that its own successful runs had answers from.
func (b bounds) reach(s workflow.State, own func(major int, host, port string) bool) func(host, port string) bool {
	r := named(s)
	for _, host := range hostsInURLs(b.code) {
		r.hosts[host] = true
	}
	return func(host, port string) bool {
		return r.names(host, port) || slices.ContainsFunc(b.majors, func(major int) bool { return own(major, host, port) })
	}
}
