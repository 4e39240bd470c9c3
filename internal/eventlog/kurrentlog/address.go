package kurrentlog

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/EventStore/EventStore-Client-Go/v4/esdb"
)

const (
	defaultPort     = "2113"
	defaultDeadline = 10 * time.Second
)

// settings are what a connection string may say, by their names in lower case: those that the official module
// understands, and those of other languages' clients, which mean nothing here.
var settings = map[string]string{
	"tls": "tls", "tlsverifycert": "tlsVerifyCert", "tlscafile": "tlsCAFile", "usercertfile": "userCertFile", "userkeyfile": "userKeyFile",
	"nodepreference": "nodePreference", "maxdiscoverattempts": "maxDiscoverAttempts", "discoveryinterval": "discoveryInterval",
	"gossiptimeout": "gossipTimeout", "keepaliveinterval": "keepAliveInterval", "keepalivetimeout": "keepAliveTimeout",
	"defaultdeadline": "defaultDeadline", "connectionname": "connectionName", "throwonappendfailure": "throwOnAppendFailure",
}

// address is what a connection string says.
type address struct {
	*esdb.Configuration
	hosts    []string // host:port
	discover bool     // ask the hosts which node is the leader
	deadline time.Duration
	name     string // of the connection, for the server's own people; may be empty
}

// parseAddress reads a connection string. Its errors never contain it: it may hold a password.
func parseAddress(connectionString string) (*address, error) {
	scheme, rest, ok := strings.Cut(connectionString, "://")
	family, discover := strings.CutSuffix(strings.ToLower(scheme), "+discover")
	if !ok || !slices.Contains([]string{"esdb", "kdb", "kurrent", "kurrentdb"}, family) {
		return nil, errors.New("a connection string begins with esdb:// or kurrentdb://, or with esdb+discover:// if the host knows the nodes; for example esdb://user:password@host:2113")
	}
	before, query, _ := strings.Cut(rest, "?")
	credentials, hosts := "", before
	if at := strings.LastIndexByte(before, '@'); at >= 0 {
		credentials, hosts = before[:at+1], before[at+1:]
	}
	// The rest of a password that ends too early would be taken for a host or a setting, and be shown in errors.
	if strings.ContainsAny(credentials, "/#") || credentials == "" && strings.Contains(keys(query), "@") {
		return nil, errUnescaped
	}
	a := &address{deadline: defaultDeadline}
	var err error
	if a.hosts, err = parseHosts(strings.TrimSuffix(hosts, "/")); err != nil {
		return nil, err
	}
	a.discover = discover || len(a.hosts) > 1
	rest, err = a.parseSettings(query)
	if err != nil {
		return nil, err
	}
	// The official module reads the rest. Hosts it reads less well: it knows no IPv6 and cuts a port that is too large.
	a.Configuration, err = esdb.ParseConnectionString("esdb://" + credentials + "host?" + rest)
	if fault, ok := errors.AsType[*url.Error](err); ok {
		return nil, fmt.Errorf("%w: %w", errUnescaped, withoutText(fault.Err))
	}
	if err != nil {
		return nil, err
	}
	if err := a.Validate(); err != nil {
		return nil, err
	}
	if a.NodePreference != esdb.NodePreferenceLeader {
		return nil, fmt.Errorf("nodePreference is %s, but a log has to read what it has appended, and only the leader is sure to have it; leave nodePreference out", a.NodePreference)
	}
	return a, nil
}

var errUnescaped = errors.New("the user, password or settings cannot be read; in a password, write %, /, ?, # and @ as %25, %2F, %3F, %23 and %40")

// keys gives the text of a query without its values.
func keys(query string) string {
	var all strings.Builder
	for pair := range strings.SplitSeq(query, "&") {
		key, _, _ := strings.Cut(pair, "=")
		all.WriteString(key)
	}
	return all.String()
}

// withoutText leaves out of an error of package url what it quotes.
func withoutText(err error) error {
	if _, ok := errors.AsType[url.EscapeError](err); ok {
		return errors.New("it has a % without two hexadecimal digits after it")
	}
	return errors.New("it has a character that has to be written as % and two hexadecimal digits")
}

func parseHosts(list string) ([]string, error) {
	var hosts []string
	for text := range strings.SplitSeq(list, ",") {
		if text == "" {
			return nil, errors.New("the connection string lacks a host, or has a comma too many between hosts")
		}
		host, port, err := net.SplitHostPort(text)
		if err != nil { // there is no port, it seems
			host, port, err = net.SplitHostPort(text + ":" + defaultPort)
		}
		if number, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil || number == 0 || host == "" || strings.ContainsAny(host, "/#% ") {
			return nil, fmt.Errorf("%q is not a host and port, such as db.example:2113 or [::1]:2113", text)
		}
		hosts = append(hosts, net.JoinHostPort(host, port))
	}
	return hosts, nil
}

// parseSettings takes what it reads itself and gives the rest. It refuses what the official module would pass over: a
// setting with a slip in its name would be no setting.
func (a *address) parseSettings(query string) (rest string, err error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return "", fmt.Errorf("the settings after the question mark cannot be read: %w", withoutText(err))
	}
	for key, given := range values {
		lower := strings.ToLower(key)
		if settings[lower] == "" {
			return "", fmt.Errorf("the connection string has the setting %q; there are %s", key, strings.Join(slices.Sorted(maps.Values(settings)), ", "))
		}
		if len(given) > 1 {
			return "", fmt.Errorf("the connection string has the setting %s twice", key)
		}
		switch lower {
		case "connectionname":
			a.name = given[0]
			delete(values, key)
		case "throwonappendfailure":
			delete(values, key)
		case "defaultdeadline":
			ms, err := strconv.ParseUint(given[0], 10, 31)
			if err != nil || ms == 0 {
				return "", fmt.Errorf("defaultDeadline is %q; it is a number of milliseconds", given[0])
			}
			a.deadline = time.Duration(ms) * time.Millisecond
		case "keepaliveinterval":
			// gRPC does not ping more often; the official module would write that to the standard log.
			if ms, err := strconv.Atoi(given[0]); err == nil && ms >= 0 {
				values.Set(key, strconv.Itoa(max(ms, 10_000)))
			}
		}
	}
	return values.Encode(), nil
}
